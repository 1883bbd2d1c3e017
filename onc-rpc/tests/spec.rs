//! Every row of RFC 5531 in the protocol table has its constant or type here, with the same number.
#![cfg(feature = "std")]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use nfswire_rpc::{
    AcceptStat, AuthFlavor, AuthStat, FragmentHeader, MessageType, RPC_VERSION, RejectStat,
    ReplyStat,
};

/// RFC names of the enumeration `parent`, with their numbers.
fn values(parent: &str) -> Vec<(&'static str, u32)> {
    let closed = |all: &[(&'static str, i32)]| {
        all.iter().map(|(name, value)| (*name, value.cast_unsigned())).collect()
    };
    match parent {
        "msg_type" => closed(MessageType::ALL),
        "reply_stat" => closed(ReplyStat::ALL),
        "reject_stat" => closed(RejectStat::ALL),
        "accept_stat" => AcceptStat::ALL.to_vec(),
        // RFC 7861 adds four, printed as prose: tests/gss_answers.rs has them.
        "auth_stat" => AuthStat::ALL.iter().filter(|(_, value)| *value < 15).copied().collect(),
        "auth_flavor" | "auth_flavor registry" | "pseudo-flavor" => AuthFlavor::ALL.to_vec(),
        _ => panic!("enumeration {parent} is not here"),
    }
}

#[test]
fn every_row() {
    let table = common::testdata("protocol.tsv");
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    assert_eq!(head[..5], ["area", "kind", "name", "number", "parent"]);
    // What the vectors have types for; tests/vectors.rs decodes them.
    let types = [
        "opaque_auth",
        "authsys_parms",
        "call_body",
        "rejected_reply",
        "accepted_reply",
        "reply_body",
        "rpc_msg",
        "record_fragment",
    ];
    let (mut numbers, mut named) = (0, 0);
    for row in rows {
        let (kind, name, number, parent) = (row[1], row[2], row[3], row[4]);
        match (kind, name) {
            ("enum", _) => assert!(!values(name).is_empty(), "{name}"),
            ("struct" | "union", _) => {
                assert!(types.contains(&name), "{name}");
                named += 1;
            }
            ("const", "RPC_VERS") => assert_eq!(RPC_VERSION.to_string(), number),
            ("const", "record mark last-fragment bit") => {
                assert_eq!(FragmentHeader::LAST.to_string(), number);
            }
            // RFC 9289, section 4.1: the body of a verifier, not a type of this RFC.
            ("const", "STARTTLS token") => continue,
            ("enum_value" | "status" | "const", _) => {
                let value = (name, number.parse().unwrap());
                assert!(values(parent).contains(&value), "{parent}.{name} = {number}");
            }
            _ => panic!("row {row:?} is not understood"),
        }
        numbers += u32::from(!number.is_empty());
    }
    assert_eq!(named, types.len());
    assert_eq!(numbers, 47);
    // And nothing more: every flavor and status of ours is in the table.
    for parent in
        ["msg_type", "reply_stat", "reject_stat", "accept_stat", "auth_stat", "auth_flavor"]
    {
        for (name, value) in values(parent) {
            let cell = format!("\t{name}\t{value}\t");
            assert!(table.contains(&cell), "{parent}.{name} = {value} is not in the table");
        }
    }
}
