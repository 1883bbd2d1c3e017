//! Captures made here: written packet by packet, read by the whole program.
#![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]

mod compound;
mod iwarp;
mod rdma_captures;
mod roce;
mod roce_wire;
mod wire;

use core::time::Duration;
use std::fs;
use std::io;
use std::path::Path;

use clap::Parser;
use nfswire_rpc::FragmentHeader;
use proptest::prelude::*;

use super::*;
use wire::{Capture as Wire, call, garbage, records, reply};

/// What the program writes for a capture, without colours.
fn dump(args: &[&str], capture: &[u8]) -> (String, Outcome) {
    let options = Options::parse_from([&["dump", "-"], args].concat());
    let mut out = Vec::new();
    let input = io::Cursor::new(capture.to_vec());
    let outcome = run(&options, input, &mut out, None).unwrap();
    (anstream::adapter::strip_str(str::from_utf8(&out).unwrap()).to_string(), outcome)
}

fn totals(capture: &[u8]) -> String {
    let (out, outcome) = dump(&["--check"], capture);
    let last = out.lines().last().unwrap();
    assert_eq!(last, outcome.totals.to_string());
    last.into()
}

fn json(capture: &[u8]) -> Vec<serde_json::Value> {
    dump(&["--json"], capture).0.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The frames of messages and notes, with what they are.
fn found(capture: &[u8]) -> Vec<(u64, String)> {
    let what = |line: &serde_json::Value| {
        let kind = if line["type"].is_string() { &line["type"] } else { &line["note"] };
        (line["frame"].as_u64().unwrap(), kind.as_str().unwrap().to_owned())
    };
    json(capture).iter().map(what).collect()
}

fn is(all: &[(u64, &str)]) -> Vec<(u64, String)> {
    all.iter().map(|(frame, what)| (*frame, (*what).into())).collect()
}

#[test]
fn a_call_and_its_reply() {
    let mut wire = Wire::pcap();
    wire.open(1);
    wire.client(1, &records(&[call(1)]));
    wire.server(1, &records(&[reply(1)]));
    let lines = json(wire.bytes());
    assert_eq!(found(wire.bytes()), is(&[(4, "call"), (5, "reply")]));
    assert_eq!(lines[0]["name"], "NFSPROC3_GETATTR");
    assert_eq!(lines[1]["call_frame"], 4);
    assert_eq!(lines[1]["latency_ns"], 1_000_000);
    assert_eq!(lines[1]["results"]["status"], "NFS3ERR_STALE");
    assert_eq!(
        totals(wire.bytes()),
        "2 messages, 2 identical, 0 different, 0 refused, 0 of other programs"
    );
    let (out, _) = dump(&[], wire.bytes());
    assert!(out.ends_with("V3 GETATTR Reply (Call In 4) Error: NFS3ERR_STALE\n"), "{out}");
    let (out, _) = dump(&["--stats"], wire.bytes());
    assert!(out.lines().nth(1).unwrap().ends_with("1.0ms"), "{out}");
}

#[test]
fn segments_again_out_of_order_and_overlapping() {
    let stream = records(&[call(1), call(2), call(3)]);
    let mut wire = Wire::pcap();
    wire.open(1);
    wire.client_at(1, 30, &stream[30..80]);
    wire.client_at(1, 0, &stream[..40]);
    wire.client_at(1, 0, &stream[..40]);
    wire.client_at(1, 70, &stream[70..]);
    wire.client_at(1, 60, &stream[60..90]);
    // What is sent again need not have the same bytes: what came first was delivered.
    wire.client_at(1, 0, &vec![0xff; stream.len()]);
    assert_eq!(found(wire.bytes()), is(&[(5, "call"), (7, "call"), (7, "call")]));
}

#[test]
fn a_lost_segment_is_told_and_the_next_record_found() {
    let stream = records(&[call(1), call(2), call(3)]);
    let len = stream.len() as u32 / 3;
    let mut wire = Wire::pcap();
    wire.open(1);
    wire.client_at(1, 0, &stream[..len as usize + 10]);
    wire.client_at(1, len + 14, &stream[len as usize + 14..]);
    let lines = json(wire.bytes());
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert_eq!((&lines[0]["xid"], &lines[4]["xid"]), (&1.into(), &3.into()));
    // The begun record, the hole, and the rest of the record.
    let notes: Vec<_> = lines[1..4].iter().map(|line| line["note"].as_str().unwrap()).collect();
    assert_eq!(notes, ["skipped", "gap", "skipped"]);
    assert!(lines[2]["text"].as_str().unwrap().starts_with("4 bytes"));
    let (out, outcome) = dump(&["--check"], wire.bytes());
    assert_eq!(outcome.totals.messages, 2);
    assert!(out.contains(": gap: 4 bytes of the stream are not in the capture\n"), "{out}");
}

#[test]
fn records_of_several_fragments() {
    let message = call(1);
    let stream: Vec<u8> = [(false, &message[..10]), (false, &[]), (true, &message[10..])]
        .into_iter()
        .flat_map(|(last, part)| {
            let mark = FragmentHeader::new(last, part.len() as u32).unwrap();
            [&mark.to_bytes()[..], part].concat()
        })
        .collect();
    for cut in 0..stream.len() {
        let mut wire = Wire::pcap();
        wire.open(1);
        wire.client(1, &stream[..cut]);
        wire.client(1, &stream[cut..]);
        wire.client(1, &records(&[call(2)]));
        let lines = json(wire.bytes());
        let xids: Vec<_> = lines.iter().map(|line| line["xid"].as_u64()).collect();
        assert_eq!(xids, [Some(1), Some(2)], "cut at {cut}");
    }
}

#[test]
fn two_connections_do_not_mix() {
    let mut wire = Wire::pcap();
    wire.open(1);
    wire.open(2);
    let (a, b) = (records(&[call(7)]), records(&[call(7)]));
    wire.client_at(1, 0, &a[..20]);
    wire.client_at(2, 0, &b[..30]);
    wire.client_at(1, 20, &a[20..]);
    wire.server(1, &records(&[reply(7)]));
    wire.client_at(2, 30, &b[30..]);
    wire.server(2, &records(&[reply(7)]));
    let lines = json(wire.bytes());
    let calls: Vec<_> = lines.iter().map(|it| (&it["connection"], &it["call_frame"])).collect();
    let null = &serde_json::Value::Null;
    let (one, two) = (&1.into(), &2.into());
    assert_eq!(calls, [(one, null), (one, &9.into()), (two, null), (two, &11.into())]);
}

#[test]
fn the_same_ports_again_are_another_connection() {
    let mut wire = Wire::pcap();
    for _ in 0..2 {
        wire.open(1);
        wire.client(1, &records(&[call(7)]));
        wire.forget(1);
    }
    let lines = json(wire.bytes());
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["connection"], &lines[1]["connection"]), (&1.into(), &2.into()));
}

#[test]
fn a_connection_seen_from_the_middle() {
    let stream = records(&[call(1), call(2), call(3)]);
    let mut wire = Wire::pcap();
    wire.client_at(1, 1000, &stream[50..]);
    wire.server(1, &records(&[reply(2)]));
    assert_eq!(found(wire.bytes()), is(&[(1, "skipped"), (1, "call"), (1, "call"), (2, "reply")]));
    assert_eq!(
        totals(wire.bytes()),
        "3 messages, 3 identical, 0 different, 0 refused, 0 of other programs"
    );
}

#[test]
fn a_program_is_known_by_its_messages_and_not_by_its_port() {
    for port in [2049, 40_000] {
        let mut wire = Wire::pcap();
        wire.port = port;
        wire.open(1);
        wire.client(1, &records(&[call(1)]));
        assert_eq!(found(wire.bytes()), is(&[(4, "call")]), "port {port}");
        // What is no RPC is worth a word only where RPC is to be expected.
        let mut wire = Wire::pcap();
        wire.port = port;
        wire.open(1);
        wire.client(1, b"GET / HTTP/1.1\r\nHost: example.net\r\n\r\n");
        let notes: &[_] = if port == 2049 { &[(4, "skipped")] } else { &[] };
        assert_eq!(found(wire.bytes()), is(notes), "port {port}");
    }
}

#[test]
fn datagrams() {
    let mut wire = Wire::pcap();
    wire.datagram(true, &call(1));
    wire.datagram(false, &reply(1));
    wire.datagram(false, &reply(1));
    let lines = json(wire.bytes());
    assert_eq!(found(wire.bytes()), is(&[(1, "call"), (2, "reply"), (3, "reply")]));
    assert_eq!((&lines[1]["repeated"], &lines[2]["repeated"]), (&().into(), &true.into()));
    // Garbage to a port of NFS is a message that is no message, and kept.
    wire.datagram(true, b"garbage");
    let lines = json(wire.bytes());
    assert_eq!(
        (&lines[3]["verdict"], &lines[3]["raw"]),
        (&"refused".into(), &"67617262616765".into())
    );
    wire.port = 53;
    wire.datagram(true, b"garbage");
    assert_eq!(json(wire.bytes()).len(), 4);
}

#[test]
fn pcapng_says_the_same() {
    let mut files = [Wire::pcap(), Wire::pcapng()];
    for wire in &mut files {
        wire.open(1);
        wire.client(1, &records(&[call(1)]));
        wire.server(1, &records(&[reply(1)]));
    }
    let [pcap, pcapng] = files.map(|wire| dump(&["--json"], wire.bytes()).0);
    assert_eq!(pcap, pcapng);
    assert!(!pcap.is_empty());
}

#[test]
fn what_is_forbidden_is_kept_and_told() {
    let mut wire = Wire::pcap();
    wire.open(1);
    let mut bad = call(1);
    bad[23] = 77;
    let mut long = call(2);
    long[43] = 99;
    wire.client(1, &records(&[bad.clone(), long.clone(), call(3)]));
    let (out, _) = dump(&["--check"], wire.bytes());
    assert_eq!(
        out,
        "frame 4: refused: call of NFS version 3 procedure 77: NFS version 3 has no procedure 77 \
         (8 bytes are kept as they are, from byte 40)\n\
         frame 4: refused: call of NFS version 3 procedure 1 GETATTR: GETATTR3args.object at byte 40: \
         99 bytes long, at most 64 allowed (8 bytes are kept as they are, from byte 40)\n\
         3 messages, 1 identical, 0 different, 2 refused, 0 of other programs\n"
    );
    let lines = json(wire.bytes());
    for (line, message) in lines.iter().zip([bad, long]) {
        assert_eq!(line["raw"], hex::encode(&message[40..]));
        assert_eq!(line["raw_from"], 40);
    }
}

#[test]
fn hostile_lengths_cost_no_memory() {
    let mut wire = Wire::pcap();
    // Marks that announce 2 GiB, and empty fragments without end.
    for (connection, mark) in [(1, 0xffff_ffff_u32), (2, 0x00ff_ffff), (3, 0)] {
        wire.open(connection);
        let marks: Vec<u8> = core::iter::repeat_n(mark.to_be_bytes(), 300).flatten().collect();
        for _ in 0..5 {
            wire.client(connection, &marks);
        }
    }
    let (_, outcome) = dump(&["--check"], wire.bytes());
    assert_eq!(outcome.totals.different, 0);
    assert!(!outcome.failed);
}

#[test]
fn a_file_that_is_cut_or_damaged_gives_what_was_before() {
    let mut wire = Wire::pcap();
    wire.open(1);
    for xid in 1..=5 {
        wire.client(1, &records(&[call(xid)]));
    }
    let whole = wire.bytes();
    let mut before = 0;
    for len in (24..=whole.len()).step_by(7) {
        let (_, outcome) = dump(&["--check"], &whole[..len]);
        assert!(outcome.totals.messages >= before);
        assert!(!outcome.failed);
        before = outcome.totals.messages;
    }
    let (_, outcome) = dump(&["--check"], b"no capture at all");
    assert!(outcome.failed && outcome.notes[0].contains("neither pcap nor pcapng"));
    let mut wire = Wire::pcapng();
    wire.datagram(true, &call(1));
    // A block whose two lengths differ.
    let damage = [0, 0, 0, 6, 0, 0, 0, 32].into_iter().chain([0xff; 64]);
    let damaged: Vec<u8> = wire.bytes().iter().copied().chain(damage).collect();
    let (_, outcome) = dump(&["--check"], &damaged);
    assert_eq!((outcome.totals.messages, outcome.failed), (1, true));
    assert!(outcome.notes[0].starts_with("what follows packet 1 is damaged"), "{outcome:?}");
}

#[test]
fn lines_are_never_cut_unless_for_a_terminal() {
    let mut wire = Wire::pcap();
    wire.open(1);
    wire.client(1, &records(&[call(1)]));
    let options = Options::parse_from(["dump", "-"]);
    let mut out = Vec::new();
    run(&options, io::Cursor::new(wire.bytes().to_vec()), &mut out, Some(40)).unwrap();
    let cut = anstream::adapter::strip_bytes(&out).into_vec();
    assert_eq!(cut.len(), 41);
    let (whole, _) = dump(&[], wire.bytes());
    assert!(whole.as_bytes().starts_with(&cut[..40]) && whole.len() > 60);
}

/// A pipe that nobody reads any more.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_broken_pipe_ends_it() {
    let mut wire = Wire::pcap();
    wire.datagram(true, &call(1));
    let options = Options::parse_from(["dump", "-"]);
    let error = run(&options, io::Cursor::new(wire.bytes().to_vec()), Closed, None).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Damage anywhere in a capture: no panic, and no message comes out differently.
    #[test]
    fn damage_anywhere(seed: u64, flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40), ng: bool) {
        let mut wire = if ng { Wire::pcapng() } else { Wire::pcap() };
        for connection in 1..3 {
            wire.open(connection);
            wire.client(connection, &records(&[call(1), garbage(seed), call(2)]));
            wire.server(connection, &records(&[reply(1), reply(2)]));
        }
        wire.datagram(true, &garbage(!seed));
        let mut bytes = wire.bytes().to_vec();
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        for args in [&["--check"][..], &["--json"], &[], &["--stats"]] {
            let (_, outcome) = dump(args, &bytes);
            prop_assert_eq!(outcome.totals.different, 0);
        }
    }
}

/// Captures of real clients and servers, where they are at hand: all bytes come out again, and each
/// procedure is called as often as their description says.
#[test]
fn captures_of_real_traffic() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/captures");
    let Ok(manifest) = fs::read_to_string(shared.join("MANIFEST.md")) else { return };
    let start = std::time::Instant::now();
    let mut files = 0;
    for section in manifest.split("\n### ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap();
        let capture = fs::read(shared.join(name.trim())).unwrap();
        let (out, outcome) = dump(&["--stats", "--json"], &capture);
        assert_eq!(outcome.totals.different, 0, "{name}");
        assert_eq!(outcome.notes, [""; 0], "{name}");
        let rows: Vec<serde_json::Value> =
            out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let count = |program: &str, version: u64, procedure: &str| {
            let row = rows.iter().filter(|row| row["operation"].is_null()).find(|row| {
                let name = row["program_name"].as_str().unwrap();
                let name = match name {
                    "Portmap" | "RPCBIND" => "rpcbind",
                    "NFS CB" => "NFSCB",
                    name => name,
                };
                let called = row["name"].as_str().unwrap();
                let called = called.strip_prefix("proc-").unwrap_or(called);
                (name, row["version"].as_u64().unwrap(), called) == (program, version, procedure)
            });
            row.map_or(0, |row| row["calls"].as_u64().unwrap())
        };
        for line in text.lines().filter_map(|line| line.strip_prefix("- ")) {
            let Some((head, list)) = line.split_once(": ") else { continue };
            let Some((program, version)) = head.split_once(" v") else { continue };
            let Ok(version) = version.parse() else { continue };
            for item in list.split(", ") {
                let (procedure, calls) = item.rsplit_once(' ').unwrap();
                let calls: u64 = calls.parse().unwrap();
                assert_eq!(count(program, version, procedure), calls, "{name}: {head} {procedure}");
            }
        }
        let operations = compound::operations_and_statuses(name, &rows, &capture, text);
        assert_eq!(operations, text.contains("NFS v4"), "{name}");
        let listed = include_str!("testdata/captures/README.md");
        let (out, _) = dump(&["--check"], &capture);
        for line in out.lines().filter(|line| line.contains(": refused: ")) {
            let reason = line.rsplit_once(" (").unwrap().0.rsplit_once(": ").unwrap().1;
            assert!(listed.contains(&format!("\n| `{reason}` |")), "{name}: {line}");
        }
        assert_eq!(outcome.totals.other, 0, "{name}");
        if !name.contains("pynfs") && !name.contains("rpcbind") {
            assert_eq!(outcome.totals.refused, 0, "{name}");
        }
        files += 1;
    }
    assert!(files > 0);
    assert!(start.elapsed() < Duration::from_secs(600));
}
