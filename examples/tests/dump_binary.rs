//! The program `dump` as a process: pipes, statuses, colours.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

/// A capture (raw IP) of datagrams to a server of NFS.
fn capture(datagrams: &[Vec<u8>]) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<_>>();
    let mut file = words(&[0xa1b2_c3d4, 0x0002_0004, 0, 0, 65535, 101]);
    for datagram in datagrams {
        let mut packet = Vec::new();
        etherparse::PacketBuilder::ipv4([127, 0, 0, 1], [127, 0, 0, 2], 64)
            .udp(700, 2049)
            .write(&mut packet, datagram)
            .unwrap();
        let len = u32::try_from(packet.len()).unwrap();
        file.extend(words(&[1, 0, len, len]));
        file.extend(packet);
    }
    file
}

/// A call of the null procedure of NFSv3.
fn null(xid: u32) -> Vec<u8> {
    let call = [xid, 0, 2, 100_003, 3, 0, 0, 0, 0, 0];
    call.iter().flat_map(|word: &u32| word.to_be_bytes()).collect()
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dump"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args).spawn().unwrap();
    // A program that ends early does not read all.
    drop(child.stdin.take().unwrap().write_all(input));
    child.wait_with_output().unwrap()
}

#[test]
fn statuses_and_sentences() {
    let output = run(&["--check", "-"], &capture(&[null(1)]));
    assert_eq!(output.status.code(), Some(0));
    let last = "1 messages, 1 identical, 0 different, 0 refused, 0 of other programs\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), last);
    assert!(output.stderr.is_empty());

    let output = run(&["-"], b"this is no capture");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("dump: standard input: it starts with the bytes 74686973"), "{said}");

    let output = run(&["/there/is/no/such/file"], b"");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("dump: /there/is/no/such/file: it cannot be read: No such file"),
        "{said}"
    );
}

#[test]
fn a_pipe_has_no_colours_unless_they_are_asked_for() {
    let capture = capture(&[null(1)]);
    let plain = run(&["-"], &capture).stdout;
    assert!(!plain.contains(&0x1b) && plain.ends_with(b"V3 NULL Call\n"));
    let coloured = run(&["--color", "always", "-"], &capture).stdout;
    assert!(coloured.contains(&0x1b));
}

#[test]
fn a_live_capture_is_shown_as_it_comes() {
    let mut child = command(&["-"]).spawn().unwrap();
    let (mut to, mut from) =
        (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let capture = capture(&[null(1), null(2)]);
    let half = 24 + (capture.len() - 24) / 2;
    for part in [&capture[..half], &capture[half..]] {
        to.write_all(part).unwrap();
        to.flush().unwrap();
        // It is there although the pipe is open still.
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        assert!(line.ends_with("V3 NULL Call\n"), "{line}");
    }
    drop(to);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_closed_pipe_ends_it_without_a_word() {
    let mut child = command(&["-"]).spawn().unwrap();
    drop(child.stdout.take());
    let calls: Vec<_> = (0..5000).map(null).collect();
    drop(child.stdin.take().unwrap().write_all(&capture(&calls)));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty());
}
