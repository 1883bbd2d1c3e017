//! NFSv4 and its callbacks: what is wrong on purpose, and what captures of real traffic must count.

use alloc::collections::BTreeMap;

use nfswire_nfs3::Status as Status3;
use nfswire_nfs4::attrs::{Attr, AttrSet};
use nfswire_nfs4::compound::{Argop, CompoundArgs, Resop};
use nfswire_nfs4::ops::attr::GetattrArgs;
use nfswire_nfs4::ops::lookup::LookupArgs;
use nfswire_nfs4::{OpNum, Status as Status4, procedures};
use nfswire_rpc::{CallHeader, OpaqueAuth, ReplyHeader};
use nfswire_xdr::{Text, from_bytes};
use serde_json::Value;

use super::wire::{Capture as Wire, message, records};
use super::{dump, json};

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn bytes(bytes: &[u8]) -> Vec<u8> {
    let mut wire = [words(&[bytes.len() as u32]), bytes.to_vec()].concat();
    wire.resize(wire.len().next_multiple_of(4), 0);
    wire
}

/// A call of COMPOUND, which announces so many operations.
fn call(xid: u32, minor: u32, count: u32, operations: &[u8]) -> Vec<u8> {
    let header = message(|e| {
        e.put(&CallHeader::new::<procedures::Compound>(xid, OpaqueAuth::NONE)).unwrap();
    });
    [header, bytes(b"tag"), words(&[minor, count]), operations.to_vec()].concat()
}

fn reply(xid: u32, status: Status4, results: &[Resop<'static>]) -> Vec<u8> {
    message(|e| {
        e.put(&ReplyHeader::success(xid)).unwrap();
        e.put(&status).unwrap();
        let tag: Text<'_> = Text::try_from("tag").unwrap();
        e.put(&tag).unwrap();
        e.put(&(results.len() as u32)).unwrap();
        results.iter().for_each(|result| e.put(result).unwrap());
    })
}

fn operations(operations: &[Argop<'static>]) -> Vec<u8> {
    message(|e| operations.iter().for_each(|operation| e.put(operation).unwrap()))
}

/// PUTROOTFH, LOOKUP, GETATTR.
fn usual() -> Vec<u8> {
    let request = AttrSet::of(&[Attr::TYPE, Attr::SIZE]);
    operations(&[
        Argop::Putrootfh,
        Argop::Lookup(LookupArgs { name: Text::try_from("x").unwrap() }),
        Argop::Getattr(GetattrArgs { request }),
    ])
}

fn one_connection(client: &[Vec<u8>], server: &[Vec<u8>]) -> Wire {
    let mut wire = Wire::pcap();
    wire.open(1);
    wire.client(1, &records(client));
    wire.server(1, &records(server));
    wire
}

fn names(line: &Value) -> Vec<&str> {
    let operations = line["operations"].as_array();
    operations.into_iter().flatten().map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn operations_have_lines_objects_and_rows() {
    let failed = [Resop::failure(OpNum::LOOKUP, Status4::NOENT)];
    let wire = one_connection(&[call(1, 0, 3, &usual())], &[reply(1, Status4::NOENT, &failed)]);
    let (out, _) = dump(&[], wire.bytes());
    let first = out.lines().next().unwrap();
    assert!(first.ends_with("V4 COMPOUND Call, tag: \"tag\", minor: 0, 3 operations"), "{out}");
    assert!(out.contains("\n                    PUTROOTFH\n"), "{out}");
    assert!(out.contains("\n                    LOOKUP, objname: \"x\"\n"), "{out}");
    assert!(out.contains("\n                    GETATTR, {TYPE, SIZE}\n"), "{out}");
    assert!(out.contains(", minor: 0, 1 result Error: NFS4ERR_NOENT\n"), "{out}");
    assert!(out.ends_with("\n                    LOOKUP Error: NFS4ERR_NOENT\n"), "{out}");

    let lines = json(wire.bytes());
    assert_eq!(names(&lines[0]), ["PUTROOTFH", "LOOKUP", "GETATTR"]);
    assert_eq!(lines[1]["operations"][0]["status"], "NFS4ERR_NOENT");
    assert_eq!(
        (&lines[0]["verdict"], &lines[1]["verdict"]),
        (&"identical".into(), &"identical".into())
    );
    // The arguments are those of the codec, which reads them again.
    let message = call(1, 0, 3, &usual());
    let args: CompoundArgs<'_> = from_bytes(&message[40..]).unwrap();
    assert_eq!(lines[0]["args"], serde_json::to_value(args).unwrap());

    let (out, _) = dump(&["--stats", "--json"], wire.bytes());
    let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lookup = rows.iter().find(|row| row["name"] == "LOOKUP").unwrap();
    assert_eq!((&lookup["calls"], &lookup["call_bytes"]), (&1.into(), &12.into()));
    assert_eq!((&lookup["replies"], &lookup["failures"]), (&1.into(), &1.into()));
    assert_eq!((&lookup["operation"], lookup["latency_ns"].is_array()), (&15.into(), true));
}

/// What the message says is refused, from which byte on, and what was read before it.
#[track_caller]
fn refused(message: &[u8], reason: &str, from: usize, before: &[&str]) {
    let wire = one_connection(&[message.to_vec()], &[]);
    let lines = json(wire.bytes());
    let line = &lines[0];
    assert_eq!(
        (line["verdict"].as_str(), line["reason"].as_str()),
        (Some("refused"), Some(reason))
    );
    assert_eq!(
        (line["raw_from"].as_u64(), line["raw"].as_str()),
        (Some(from as u64), Some(hex::encode(&message[from..]).as_str()))
    );
    assert_eq!(names(line), before);
    let (out, outcome) = dump(&["--check"], wire.bytes());
    assert_eq!((outcome.totals.refused, outcome.totals.different), (1, 0));
    assert!(out.contains(reason), "{out}");
}

#[test]
fn what_a_minor_version_forbids_is_kept_from_there_on() {
    // 40 bytes of header, 16 of what stands before the operations, PUTROOTFH.
    let unknown = [words(&[24, 76, 9, 9]), usual()].concat();
    let before = ["PUTROOTFH", "op-76"];
    refused(&call(1, 1, 5, &unknown), "operation 1: NFSv4.1 has no operation 76", 60, &before);
    // SEQUENCE came with NFSv4.1.
    let sequence = words(&[53, 0, 0, 0, 0, 1, 0, 0, 0]);
    let reason = "operation 0: NFSv4.0 has no operation 53";
    refused(&call(1, 0, 1, &sequence), reason, 56, &["SEQUENCE"]);
    let reason = "operation 0: there is no NFSv4.99";
    refused(&call(1, 99, 3, &usual()), reason, 56, &["PUTROOTFH"]);
    let long = [words(&[22, 129]), vec![0; 132]].concat();
    let reason =
        "operation 0, PUTFH: PUTFH4args.object at byte 60: 129 bytes long, at most 128 allowed";
    refused(&call(1, 0, 1, &long), reason, 56, &["PUTFH"]);
    let more = call(1, 0, 1, &words(&[24, 24]));
    let line = &json(one_connection(&[more], &[]).bytes())[0];
    assert!(line["verdict"] == "refused" && line["raw_from"] == 60, "{line}");
}

/// A server answers another minor version without results, and that is as it should be.
#[test]
fn the_answer_to_an_unknown_minor_version() {
    let mismatch = reply(1, Status4::MINOR_VERS_MISMATCH, &[]);
    let wire = one_connection(&[call(1, 99, 3, &usual())], &[mismatch]);
    let lines = json(wire.bytes());
    assert_eq!(lines[1]["verdict"], "identical");
    assert_eq!(lines[1]["results"]["status"], "NFS4ERR_MINOR_VERS_MISMATCH");
}

#[test]
fn cut_anywhere_and_every_bit_turned() {
    let message = call(1, 0, 3, &usual());
    for len in 40..message.len() {
        let wire = one_connection(&[message[..len].to_vec()], &[]);
        let lines = json(wire.bytes());
        assert_eq!(lines[0]["verdict"], "refused", "{len}");
        let from = lines[0]["raw_from"].as_u64().unwrap() as usize;
        assert_eq!(lines[0]["raw"], hex::encode(&message[from..len]), "{len}");
    }
    for bit in 320..message.len() * 8 {
        let mut message = message.clone();
        message[bit / 8] ^= 1 << (bit % 8);
        let (_, outcome) = dump(&["--check"], one_connection(&[message], &[]).bytes());
        assert_eq!((outcome.totals.messages, outcome.totals.different), (1, 0), "{bit}");
    }
}

#[test]
fn attributes_that_nobody_knows_are_shown_raw() {
    let mut wire = one_connection(&[call(1, 0, 1, &words(&[9, 1, 16]))], &[]);
    let header = message(|e| e.put(&ReplyHeader::success(1)).unwrap());
    let head = [words(&[0]), bytes(b"tag"), words(&[1])].concat();
    // SIZE, and number 95.
    let result = words(&[9, 0, 3, 16, 0, 1 << 31, 12, 0, 5, 0x0909_0909]);
    wire.server(1, &records(&[[header, head, result].concat()]));
    let lines = json(wire.bytes());
    assert_eq!(lines[1]["verdict"], "identical");
    let attributes = &lines[1]["operations"][0]["attributes"][0];
    assert_eq!((&attributes["SIZE"], &attributes["raw"]), (&5.into(), &"09090909".into()));
    let (out, _) = dump(&[], wire.bytes());
    assert!(out.contains("GETATTR, {SIZE: 5, raw 09090909 (attribute 95 is not known"), "{out}");
}

#[test]
fn a_hundred_thousand_operations_are_counted_and_not_all_shown() {
    let many = call(1, 0, 100_000, &[0, 0, 0, 24].repeat(100_000));
    let mut wire = one_connection(&[], &[]);
    for part in records(&[many]).chunks(32 << 10) {
        wire.client(1, part);
    }
    let (out, outcome) = dump(&[], wire.bytes());
    assert_eq!((out.lines().count(), outcome.totals.identical), (1 + 4096 + 1, 1));
    assert!(out.ends_with(" and 95904 more\n"));
    let (out, _) = dump(&["--stats", "--json"], wire.bytes());
    assert!(out.contains(r#""name":"PUTROOTFH","calls":100000,"call_bytes":400000"#), "{out}");
}

//--- Callbacks ---

const PROGRAM: u32 = 0x2000_1234;

fn callback(xid: u32, minor: u32, ident: u32, count: u32, operations: &[u8]) -> Vec<u8> {
    let header = words(&[xid, 0, 2, PROGRAM, 1, 1, 0, 0, 0, 0]);
    [header, words(&[0, minor, ident, count]), operations.to_vec()].concat()
}

fn answer(xid: u32, count: u32, results: &[u8]) -> Vec<u8> {
    [words(&[xid, 1, 0, 0, 0, 0, 0, 0, count]), results.to_vec()].concat()
}

fn recall() -> Vec<u8> {
    [words(&[4, 1, 7, 7, 7, 0]), bytes(b"1234")].concat()
}

/// NFSv4.0: the server connects to the client, and calls the program that SETCLIENTID named.
#[test]
fn callbacks_by_a_connection_of_their_own() {
    for told in [true, false] {
        let mut wire = Wire::pcap();
        wire.open(1);
        let address = [words(&[PROGRAM]), bytes(b"tcp"), bytes(b"10.0.0.1.200.1")].concat();
        let setclientid = [words(&[35, 1, 2]), bytes(b"client"), address, words(&[5])].concat();
        if told {
            wire.client(1, &records(&[call(1, 0, 1, &setclientid)]));
        }
        wire.port = 51_201;
        wire.open(2);
        wire.server(2, &records(&[callback(9, 0, 5, 1, &recall())]));
        wire.client(2, &records(&[answer(9, 1, &words(&[4, 0]))]));
        let lines = json(wire.bytes());
        let [.., request, reply] = &lines[..] else { panic!("{lines:?}") };
        if !told {
            assert_eq!(
                (&request["verdict"], &reply["verdict"]),
                (&"other".into(), &"other".into())
            );
            continue;
        }
        for line in [request, reply] {
            assert_eq!(
                (&line["verdict"], &line["name"]),
                (&"identical".into(), &"CB_COMPOUND".into())
            );
            assert_eq!((&line["program"], names(line)), (&PROGRAM.into(), vec!["CB_RECALL"]));
        }
        assert_eq!(request["args"]["callback_ident"], 5);
        let (out, _) = dump(&[], wire.bytes());
        assert!(out.contains("V1 CB_COMPOUND Call, minor: 0, ident: 0x5, 1 operation\n"), "{out}");
    }
}

/// NFSv4.1: callbacks come by the connection of the session, in the other direction.
#[test]
fn callbacks_by_the_connection_of_calls() {
    let channel = [0, 4096, 4096, 4096, 8, 1, 0];
    let create = [&[43, 1, 1, 1, 3][..], &channel, &channel, &[PROGRAM, 1, 0]].concat();
    let session = [1, 2, 3, 4];
    let sequence = [&[11][..], &session, &[1, 0, 0, 0, 0]].concat();
    let sequenced = [&[11, 0][..], &session, &[1, 0, 0, 0, 4, 0]].concat();
    let mut wire = Wire::pcap();
    wire.open(1);
    wire.client(1, &records(&[call(1, 1, 1, &words(&create))]));
    // The same number of a call in both directions.
    wire.client(1, &records(&[call(9, 1, 1, &words(&[24]))]));
    wire.server(1, &records(&[callback(9, 1, 0, 2, &[words(&sequence), recall()].concat())]));
    wire.client(1, &records(&[answer(9, 2, &words(&sequenced))]));
    wire.server(1, &records(&[reply(9, Status4::OK, &[])]));
    let lines = json(wire.bytes());
    let verdicts: Vec<_> = lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["identical"; 5], "{lines:?}");
    assert_eq!(names(&lines[2]), ["CB_SEQUENCE", "CB_RECALL"]);
    assert_eq!(
        (names(&lines[3]), &lines[3]["call_frame"]),
        (vec!["CB_SEQUENCE", "CB_RECALL"], &6.into())
    );
    assert_eq!(
        (&lines[4]["name"], &lines[4]["call_frame"]),
        (&"NFSPROC4_COMPOUND".into(), &5.into())
    );
    // CB_OFFLOAD came with NFSv4.2.
    wire.server(1, &records(&[callback(10, 1, 0, 1, &words(&[15]))]));
    let reason = json(wire.bytes())[5]["reason"].clone();
    assert_eq!(reason, "operation 0: NFSv4.1 has no callback 15");
}

//--- Captures of real traffic ---

/// Compares the operations that are called, and every status that is no success, with what the
/// description says of a capture; whether it says anything.
pub(super) fn operations_and_statuses(
    name: &str,
    rows: &[Value],
    capture: &[u8],
    text: &str,
) -> bool {
    let list = |head: &str| {
        let line = text.lines().find(|line| line.starts_with(head))?;
        Some(line.split_once(": ")?.1.split(", "))
    };
    let mut said = false;
    for (head, program) in
        [("- v4 operations in calls", "NFS"), ("- v4 callback operations in calls", "NFS CB")]
    {
        let counted: BTreeMap<_, _> = rows
            .iter()
            .filter(|row| !row["operation"].is_null() && row["program_name"] == program)
            .map(|row| (row["name"].as_str().unwrap(), row["calls"].as_u64().unwrap()))
            .filter(|(_, calls)| *calls > 0)
            .map(|(name, calls)| (name.trim_start_matches("op-"), calls))
            .collect();
        let described: BTreeMap<_, _> = list(head)
            .into_iter()
            .flatten()
            .map(|item| item.rsplit_once(' ').unwrap())
            .map(|(name, calls)| (if name == "10044" { "ILLEGAL" } else { name }, calls))
            .map(|(name, calls)| (name, calls.parse().unwrap()))
            .collect();
        assert_eq!(counted, described, "{name}: {head}");
        said |= !described.is_empty();
    }
    let mut counted = BTreeMap::<String, u64>::new();
    let number = |name: &str| {
        let all = Status4::ALL.iter().chain(Status3::ALL);
        all.clone().find(|it| it.0 == name).map(|it| it.1)
    };
    for line in json(capture).iter().filter(|line| said && line["type"] == "reply") {
        let operations = line["operations"].as_array().into_iter().flatten();
        let statuses = operations.map(|it| &it["status"]).chain([&line["results"]["status"]]);
        for number in statuses.filter_map(Value::as_str).filter_map(number).filter(|it| *it != 0) {
            *counted.entry(number.to_string()).or_default() += 1;
        }
    }
    if said {
        let described = list("- non-zero NFS status values seen").into_iter().flatten();
        let described: BTreeMap<String, u64> = described
            .map(|item| item.split_once(" x").unwrap())
            .map(|(number, count)| (number.into(), count.parse().unwrap()))
            .collect();
        assert_eq!(counted, described, "{name}: statuses");
    }
    said
}
