//! The client against a server that misbehaves: nothing hangs, nothing is lost, and what failed is said.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

extern crate alloc;

mod client_support;

use core::time::Duration;
use std::collections::HashMap;
use std::process::Command;
use std::time::Instant;

use client_support::{Cut, Fake, Lie, Running, Split, noise, options};
use nfswire_examples::client::{Client, Error, Follow, Got, Options, transfer};

/// Reads the whole file with calls in flight and compares it.
fn reads_right(fake: Fake, depth: usize) -> Running {
    let data = fake.data.clone();
    let server = fake.start();
    let (mut client, path) = server.client("/file", depth);
    let (file, attributes) = client.resolve(&path, Follow::All).unwrap();
    assert_eq!(attributes.size, data.len() as u64);
    let mut buffer = vec![0xee; data.len() + 10];
    let got = client.read(&file, 0, &mut buffer).unwrap();
    assert_eq!(got, Got { len: data.len(), eof: true });
    assert!(buffer[..data.len()] == data[..], "the bytes differ");
    assert_eq!(client.connection().dropped(), 0);
    let mut whole = Vec::new();
    assert_eq!(
        transfer::read_to(&mut client, &file, attributes.size, &mut whole).unwrap(),
        data.len() as u64
    );
    assert!(whole == data);
    server
}

#[test]
fn replies_come_in_any_order() {
    let fake = Fake { data: noise(100_001), hold: 8, ..Fake::default() };
    let server = reads_right(fake, 8);
    let together = server.seen.lock().unwrap().together;
    assert!(together > 1, "small calls leave together, {together} did");
}

#[test] // F1
fn replies_come_byte_by_byte() {
    for data in [noise(0), noise(1), noise(5003)] {
        reads_right(Fake { data, split: Split::Bytes, ..Fake::default() }, 3);
    }
}

#[test] // F1, D6
fn replies_come_in_fragments() {
    for size in [23, 97, 1000, 100_000] {
        let fake = Fake { data: noise(20_001), split: Split::Fragments(size), ..Fake::default() };
        reads_right(fake, 8);
    }
    // Payloads that are placed from the last fragment, whose start came in the others.
    for size in [300, 40_000, 70_000] {
        let split = Split::Fragments(size);
        reads_right(Fake { data: noise(200_003), transfer: 65_536, split, ..Fake::default() }, 2);
    }
}

#[test]
fn replies_to_nobody_and_calls_are_dropped() {
    let server = Fake { data: noise(10_000), stray: true, ..Fake::default() }.start();
    let (mut client, path) = server.client("/file", 4);
    let (file, _) = client.resolve(&path, Follow::All).unwrap();
    let before = client.connection().dropped();
    let mut buffer = vec![0; 10_000];
    client.read(&file, 0, &mut buffer).unwrap();
    assert!(buffer == noise(10_000));
    // Three READs; the strays of each came before its reply.
    assert_eq!(client.connection().dropped() - before, 6);
}

#[test]
fn short_reads_go_on() {
    reads_right(Fake { data: noise(50_001), max_read: 1000, ..Fake::default() }, 8);
    let fake = Fake { data: noise(300_001), transfer: 65_536, max_read: 20_000, ..Fake::default() };
    reads_right(fake, 3);
}

#[test] // D6
fn large_payloads_do_not_pass_through_the_buffer() {
    let data = noise(8 << 20);
    let server = Fake { data: data.clone(), transfer: 1 << 20, ..Fake::default() }.start();
    let (mut client, path) = server.client("/file", 4);
    let (file, _) = client.resolve(&path, Follow::All).unwrap();
    let mut buffer = vec![0; data.len()];
    assert_eq!(client.read(&file, 0, &mut buffer).unwrap().len, data.len());
    assert!(buffer == data);
    assert_eq!(server.seen.lock().unwrap().reads, 8);
    let size = client.connection().buffer_size();
    assert!(size <= 32 << 10, "the receive buffer grew to {size} bytes");
}

#[test] // E2, E7, S5
fn a_slow_server_gets_all_of_large_writes() {
    let data = noise(6 << 20);
    let server = Fake { transfer: 1 << 20, slow: true, ..Fake::default() }.start();
    let options = Options { socket_buffer: Some(8192), ..options(8) };
    let (mut client, path) = Client::mount(&server.url("/file"), options).unwrap();
    let (file, _) = client.resolve(&path, Follow::All).unwrap();
    client.write(&file, 0, &data).unwrap();
    assert!(server.seen.lock().unwrap().data == data);
}

#[test]
fn short_writes_go_on_and_lost_data_is_written_again() {
    for attributes in [true, false] {
        let fake = Fake {
            // Longer than what is written over it.
            data: noise(400_000),
            transfer: 32_768,
            max_write: 20_000,
            crashes: vec![0, 1],
            attributes,
            ..Fake::default()
        };
        let server = fake.start();
        let local = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(local.path(), &noise(300_007)[7..]).unwrap();
        let (mut client, path) = server.client("/file", 8);
        assert_eq!(transfer::put(&mut client, local.path(), &path).unwrap(), 300_000);
        let seen = server.seen.lock().unwrap();
        assert!(seen.data == noise(300_007)[7..], "the file differs");
        assert_eq!(seen.commits, 3);
    }
}

#[test]
fn a_created_file_is_empty_whatever_the_server_makes_of_the_size() {
    for attributes in [true, false] {
        let server = Fake { data: noise(9), attributes, ..Fake::default() }.start();
        let (mut client, _) = server.client("/", 1);
        let root = *client.root();
        let file = client.create(&root, b"file", 0o644).unwrap();
        assert_eq!(client.getattr(&file).unwrap().size, 0);
    }
}

#[test]
fn small_files_need_no_commit() {
    for len in [0, 1, 3, 4095, 4096] {
        let server = Fake { transfer: 4096, ..Fake::default() }.start();
        let local = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(local.path(), noise(len)).unwrap();
        let (mut client, path) = server.client("/file", 8);
        transfer::put(&mut client, local.path(), &path).unwrap();
        let seen = server.seen.lock().unwrap();
        assert!(seen.data == noise(len));
        assert_eq!((seen.writes, seen.commits), (u32::from(len > 0), 0));
    }
}

#[test]
fn a_server_that_always_loses_data_is_given_up() {
    let fake = Fake { transfer: 4096, crashes: (0..100).collect(), ..Fake::default() };
    let server = fake.start();
    let (mut client, path) = server.client("/file", 8);
    let (file, _) = client.resolve(&path, Follow::All).unwrap();
    let error = client.write(&file, 0, &noise(20_000)).unwrap_err();
    assert!(matches!(error, Error::DataLost { rounds: 5 }), "{error}");
    assert!(error.to_string().contains("lost written data"));
}

/// The error of reading, which must come soon.
fn read_error(fake: Fake) -> (Client, Error) {
    let server = fake.start();
    let (mut client, path) = server.client("/file", 4);
    let (file, attributes) = client.resolve(&path, Follow::All).unwrap();
    let mut buffer = vec![0; usize::try_from(attributes.size).unwrap()];
    client.connection().set_timeout(Duration::from_millis(400)).unwrap();
    let start = Instant::now();
    let error = client.read(&file, 0, &mut buffer).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5));
    (client, error)
}

fn file() -> Fake {
    Fake { data: noise(100_000), transfer: 32_768, ..Fake::default() }
}

#[test]
fn a_connection_that_ends_is_told() {
    // Nothing of the reply, a part of its mark, of its header, of its payload.
    for (at, within) in [(0, false), (2, true), (30, true), (140, true), (20_000, true)] {
        for split in [Split::Whole, Split::Fragments(10_000)] {
            let (mut client, error) = read_error(Fake { cut: Cut::Read(1, at), split, ..file() });
            let Error::Closed { waiting, inside } = error else { panic!("{error}") };
            assert!((1..=3).contains(&waiting), "{waiting} waiting");
            assert_eq!(inside, within, "cut at {at}");
            let text = error.to_string();
            assert!(
                text.contains("closed the connection") && text.contains("unanswered"),
                "{text}"
            );
            let root = *client.root();
            assert!(matches!(client.getattr(&root), Err(Error::Broken)));
        }
    }
}

#[test]
fn silence_is_told() {
    let (_, error) = read_error(Fake { cut: Cut::Silence(2), ..file() });
    assert!(matches!(error, Error::TimedOut { waiting: 1, .. }), "{error}");
    assert!(error.to_string().contains("sent nothing for 0.4 s (unanswered calls: 1)"), "{error}");
}

#[test]
fn lies_are_told() {
    for (lie, text) in [
        (Lie::Count, "count word says 32767 bytes but the data has 32768"),
        (Lie::TooMuch, "32769 bytes came where 32768 were asked for"),
        (Lie::Nothing, "no bytes at offset 0, and yet not the end"),
        (Lie::Stub, "reply header is malformed"),
        (Lie::Gigabyte, "record marker announces a fragment of 1073741824 bytes"),
        (Lie::Denied, "AUTH_TOOWEAK"),
        (Lie::IoOnce, "disk failed (NFS3ERR_IO, from NFSPROC3_READ)"),
    ] {
        for split in [Split::Whole, Split::Fragments(1000)] {
            let (client, error) = read_error(Fake { lie, split, ..file() });
            assert!(error.to_string().contains(text), "{error}");
            drop(client);
        }
    }
}

#[test]
fn random_bytes_are_told() {
    for seed in 1..40 {
        let (_, error) = read_error(Fake { lie: Lie::Noise(seed), ..file() });
        let text = error.to_string();
        assert!(text.contains("server"), "{text}");
    }
}

#[test]
fn a_flipped_bit_does_no_harm() {
    let data = noise(100);
    for at in (0..232).step_by(3) {
        for bit in [0x80, 1] {
            let server =
                Fake { data: data.clone(), lie: Lie::Flip(at, bit), ..Fake::default() }.start();
            let (mut client, path) = server.client("/file", 1);
            let (file, _) = client.resolve(&path, Follow::All).unwrap();
            client.connection().set_timeout(Duration::from_millis(60)).unwrap();
            let mut buffer = vec![0; 100];
            match client.read(&file, 0, &mut buffer) {
                // In the verifier, the attributes or the data, which say nothing about themselves; or in "end of file".
                Ok(got) => {
                    let differ = buffer.iter().zip(&data).filter(|(a, b)| a != b).count();
                    assert!(got.len == 100 && differ <= 1, "flipped at {at}: {got:?}");
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

#[test]
fn a_failed_call_leaves_the_connection_usable() {
    let (mut client, error) = read_error(Fake { lie: Lie::IoOnce, ..file() });
    assert_eq!(error.nfs_status(), Some(nfswire_nfs3::Status::IO));
    let (file, _) = client.resolve(&[b"file".to_vec()], Follow::All).unwrap();
    let mut buffer = vec![0; 100_000];
    assert_eq!(client.read(&file, 0, &mut buffer).unwrap().len, 100_000);
    assert!(buffer == noise(100_000));
    assert!(client.connection().dropped() > 0, "late replies to the failed job");
}

#[test]
fn a_failed_get_leaves_the_local_file() {
    let directory = tempfile::tempdir().unwrap();
    let local = directory.path().join("file");
    std::fs::write(&local, "precious").unwrap();
    let server = Fake { cut: Cut::Read(1, 500), ..file() }.start();
    let (mut client, path) = server.client("/file", 2);
    let (file, attributes) = client.resolve(&path, Follow::All).unwrap();
    transfer::get(&mut client, &path, &file, &attributes, &local).unwrap_err();
    assert_eq!(std::fs::read(&local).unwrap(), b"precious");
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1, "no part of a file is left");
}

#[test]
fn the_longest_export_is_mounted() {
    let fake = Fake {
        exports: Some(vec!["/", "/a/", "/a/b", "/a/bc", "/x"]),
        mountable: vec!["/a/b", "/a"],
        data: noise(9),
        ..Fake::default()
    };
    let server = fake.start();
    let (mut client, path) = server.client("/a/b/dir/file", 1);
    assert_eq!(path, [b"dir".to_vec(), b"file".to_vec()]);
    assert_eq!(client.full_path(&path), b"/a/b/dir/file");
    assert_eq!(client.resolve(&path, Follow::All).unwrap().1.size, 9);
    let (_, path) = server.client("/a/bcd", 1);
    assert_eq!(path, [b"bcd".to_vec()]);
    let seen = server.seen.lock().unwrap();
    assert_eq!(seen.mounts, ["/a/b", "/a"]);
    assert_eq!(seen.unmounts, 2);
}

#[test]
fn without_a_list_of_exports_the_path_is_tried() {
    let server = Fake { exports: None, mountable: vec!["/a"], ..Fake::default() }.start();
    let (_, path) = server.client("/a/secret/c", 1);
    assert_eq!(path.len(), 2);
    assert_eq!(server.seen.lock().unwrap().mounts, ["/a/secret/c", "/a/secret", "/a"]);
    let error = Client::mount(&server.url("/b/secret"), options(1)).unwrap_err().to_string();
    assert!(error.contains("/b/secret") && error.contains("MNT3ERR_ACCES"), "{error}");
}

#[test]
fn symbolic_links_are_followed_within_the_mount() {
    let links = HashMap::from([
        ("good", "dir/../dir//./file"),
        ("to-link", "good"),
        ("absolute", "/etc/passwd"),
        ("above", "dir/../../x"),
        ("circle", "./circle"),
    ]);
    for attributes in [true, false] {
        let fake = Fake { data: noise(77), links: links.clone(), attributes, ..Fake::default() };
        let server = fake.start();
        let (mut client, _) = server.client("/", 1);
        let mut resolve = |name: &str, follow| client.resolve(&[name.as_bytes().to_vec()], follow);
        assert_eq!(resolve("to-link", Follow::All).unwrap().1.size, 77);
        assert_eq!(resolve("good", Follow::Parents).unwrap().1.size, 5);
        for (name, text) in [
            ("absolute", "absolute path /etc/passwd"),
            ("above", "above the directory that is mounted"),
            ("circle", "circle"),
            ("none", "/none: no such file or directory (NFS3ERR_NOENT"),
        ] {
            let error = resolve(name, Follow::All).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
    }
}

#[test]
fn directories_are_listed_with_either_procedure() {
    for (plus, attributes) in [(true, true), (true, false), (false, true)] {
        let server = Fake { names: 5000, plus, attributes, ..Fake::default() }.start();
        let (mut client, _) = server.client("/", 1);
        let root = *client.root();
        let list = client.list(&root).unwrap();
        assert_eq!(list.len(), 5000);
        assert_eq!(list[4999].name, b"entry-4999");
        assert_eq!(list[0].attributes.is_some(), plus && attributes);
        assert_eq!(client.entry_attributes(&root, &list[7]).unwrap().size, 0);
    }
}

#[test]
fn a_directory_that_leads_nowhere_ends() {
    for plus in [true, false] {
        let server = Fake { names: 10, circle: true, plus, ..Fake::default() }.start();
        let (mut client, _) = server.client("/", 1);
        let root = *client.root();
        let error = client.list(&root).unwrap_err().to_string();
        assert!(error.contains("leads nowhere"), "{error}");
    }
}

/// Exit status, output and error text of the program.
fn program(args: &[&str]) -> (i32, Vec<u8>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_client")).args(args).output().unwrap();
    (out.status.code().unwrap(), out.stdout, String::from_utf8(out.stderr).unwrap())
}

#[test]
fn the_program_says_what_was_wrong() {
    let server = Fake { data: noise(70_000), names: 3, ..Fake::default() }.start();
    let url = |path: &str| format!("{}{path}", server.url);
    assert_eq!(program(&["cat", &url("/file")]), (0, noise(70_000), String::new()));
    assert_eq!(program(&["get", &url("/dir/file"), "-"]).1, noise(70_000));
    assert_eq!(program(&["ls", &url("/")]).1, b"entry-0000\nentry-0001\nentry-0002\n");
    let (status, text, _) = program(&["stat", &url("/file")]);
    assert_eq!(status, 0);
    assert!(String::from_utf8(text).unwrap().contains("size: 70000\n"));
    let (status, text, error) = program(&["cat", &url("/none")]);
    assert_eq!((status, text), (1, vec![]));
    assert!(
        error.starts_with("client: /none: no such file or directory (NFS3ERR_NOENT"),
        "{error}"
    );
    let (status, _, error) = program(&["cat", "nfs://127.0.0.1:1/x"]);
    assert_eq!(status, 1);
    assert!(error.contains("cannot connect to 127.0.0.1:1: "), "{error}");
    let (status, _, error) = program(&["cat", "http://h/"]);
    assert_eq!(status, 2);
    assert!(error.contains("does not start with nfs://"), "{error}");
    let (status, _, error) = program(&["cat", &url("/dir")]);
    assert_eq!(status, 1);
    assert!(error.contains("is a directory"), "{error}");
}

#[test]
fn bench_counts_its_calls() {
    let server = Fake { data: noise(10_000), ..Fake::default() }.start();
    let url = format!("{}/file", server.url);
    let bench = |args: &[&str]| {
        let (status, text, error) = program(&[&["bench", &url, "--timeout", "5"], args].concat());
        assert_eq!(status, 0, "{error}");
        String::from_utf8(text).unwrap()
    };
    let pid = std::process::id().to_string();
    let text = bench(&["--read", "4096,2k", "--calls", "50", "--depth", "3", "--server-pid", &pid]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("p99.9 us") && lines[0].contains("CPU s/GB"), "{text}");
    for (line, start) in lines[1..].iter().zip(["READ 4 KiB 1 3 50 ", "READ 2 KiB 1 3 50 "]) {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.starts_with(start) && line.len() == lines[0].len(), "{text}");
    }
    assert_eq!((lines.len(), server.seen.lock().unwrap().reads), (3, 100));
    let text = bench(&["--seconds", "1"]);
    assert!(text.contains("\nGETATTR") && !text.contains("MiB"), "{text}");
}

#[test]
fn bench_writes_json() {
    let server = Fake { data: noise(10_000), ..Fake::default() }.start();
    let url = format!("{}/file", server.url);
    let pid = std::process::id().to_string();
    let args = ["bench", &url, "--timeout", "5", "--json", "--server-pid", &pid, "--calls", "30"];
    let loads = ["--read", "1000", "--lookup", "--getattr", "--connections", "1,4"];
    let (status, text, error) = program(&[&args[..], &loads].concat());
    assert_eq!(status, 0, "{error}");
    let rows: Vec<serde_json::Value> = String::from_utf8(text)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 6);
    let expected =
        ["READ", "LOOKUP", "GETATTR"].into_iter().flat_map(|call| [(call, 1), (call, 4)]);
    for (row, (call, connections)) in rows.iter().zip(expected) {
        assert_eq!((&row["call"], &row["connections"]), (&call.into(), &connections.into()));
        assert_eq!((&row["calls"], &row["depth"]), (&30.into(), &8.into()), "{row}");
        let latency = |name: &str| row["latency_us"][name].as_f64().unwrap();
        let rising = ["p50", "p90", "p99", "p99.9", "max"].map(latency);
        assert!(rising[0] > 0.0 && rising.is_sorted(), "{row}");
        assert!(row["seconds"].as_f64() > Some(0.0), "{row}");
        assert!(row["server"]["peak_resident_bytes"].as_u64() > Some(0), "{row}");
        let per_gigabyte = &row["server"]["cpu_seconds_per_gigabyte"];
        assert_eq!(per_gigabyte.is_number(), call == "READ", "{row}");
        let bytes = if call == "READ" { 30_000 } else { 0 };
        assert_eq!((&row["bytes"], row["size"].is_number()), (&bytes.into(), bytes > 0), "{row}");
    }
}

#[test]
fn bench_says_what_is_wrong() {
    let server = Fake { data: noise(10_000), ..Fake::default() }.start();
    let file = format!("{}/file", server.url);
    for (url, args, status, says) in [
        (&file, &["--read", "2m"][..], 2, "a READ has 1 to 1048576 bytes; give a number like"),
        (&file, &["--read", "k"], 2, "a READ has 1 to 1048576 bytes; give a number like"),
        (&file, &["--read", "0"], 2, "a READ has 1 to 1048576 bytes; give a number like"),
        (&file, &["--server-pid", "4294967295"], 2, "there is no process 4294967295 here"),
        (&format!("{}/", server.url), &["--lookup"], 1, "LOOKUP needs a name; add that of a file"),
        (&format!("{}/dir", server.url), &["--read", "1k"], 1, "only a file with bytes in it"),
        (&format!("{}/none", server.url), &["--lookup"], 1, "/none: no such file or directory"),
    ] {
        let (code, text, error) = program(&[&["bench", url, "--calls", "1"], args].concat());
        assert_eq!((code, text), (status, vec![]), "{args:?}: {error}");
        assert!(error.contains(says), "{args:?}: {error}");
    }
}
