//! Vectors of an independent implementation: they come back as the same bytes, without allocation;
//! cut short they are refused; the crate has all that the inventory of the protocol lists (D1, D3).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]

#[path = "common/wire.rs"]
mod wire;

use core::num::NonZeroU32;
use std::{collections::HashSet, fs};

use nfswire_rdma::{
    Budget, ChunkSlices, DEFAULT_INLINE_THRESHOLD, Endpoint, Header, NFS_PORT, ReadSegment,
    ReplyHeader, Role, Segment, VERSION, cm, receive,
    types::{ErrorCode, Procedure},
};
use wire::{TYPES, find, testdata, vectors};

fn allocations(f: impl FnOnce()) -> u64 {
    allocation_counter::measure(f).count_total
}

#[test]
fn vectors_come_back() {
    let mut head = vec![0; 1 << 16];
    let mut seen = HashSet::new();
    for vector in vectors() {
        let reencode = find(&vector.type_name);
        let mut len = None;
        let count = allocations(|| len = reencode(&vector.bytes, &mut head).ok());
        let len = len.unwrap_or_else(|| panic!("{} {:?}", vector.type_name, vector.json));
        assert_eq!(head[..len], vector.bytes, "{}", vector.type_name);
        assert_eq!(count, 0);
        seen.insert(vector.type_name);
    }
    assert_eq!(seen.len(), TYPES.len());
}

#[test]
fn cut_short_they_are_refused() {
    let mut head = vec![0; 1 << 16];
    for vector in vectors() {
        let reencode = find(&vector.type_name);
        for len in 0..vector.bytes.len() {
            let mut refused = false;
            let count =
                allocations(|| refused = reencode(&vector.bytes[..len], &mut head).is_err());
            assert!(refused && count == 0, "{} cut to {len}", vector.type_name);
        }
        let mut longer = vector.bytes.clone();
        longer.extend([0; 4]);
        assert!(reencode(&longer, &mut head).is_err(), "{}", vector.type_name);
    }
}

/// Whole messages too, cut at every byte: never a panic, and an answer only from 28 bytes on.
#[test]
fn messages_of_any_length() {
    for vector in vectors().iter().filter(|vector| vector.type_name == "rdma_msg") {
        for role in [Role::Requester, Role::Responder] {
            for len in 0..=vector.bytes.len() {
                if let Err(refusal) =
                    receive(&vector.bytes[..len], Endpoint::new(role), &Budget::DEFAULT)
                {
                    assert!(len >= 28 || refusal.answer.is_none());
                    assert!(role == Role::Responder || refusal.answer.is_none());
                }
            }
        }
    }
}

/// Every mode is written and read without allocation.
#[test]
fn headers_do_not_allocate() {
    let segments = [Segment { handle: 7, length: 4096, offset: 0x1000 }; 2];
    let (reads, writes) = (
        [8, 4104].map(|position| ReadSegment { position, target: segments[0] }),
        [&segments[..]; 2],
    );
    let zero = [ReadSegment { position: 0, target: segments[0] }];
    let msg = ChunkSlices { reads: &reads, writes: &writes, reply: Some(&segments) };
    let nomsg = ChunkSlices { reads: &zero, ..msg };
    let mut buffer = [0; 512];
    buffer[400..404].copy_from_slice(&9u32.to_be_bytes());
    let credits = NonZeroU32::MIN;
    let count = allocations(|| {
        let header = Header::msg(9, credits, &msg, 112).unwrap();
        let start = header.write_before(&mut buffer, 400).unwrap();
        let received = receive(&buffer[start..], Endpoint::new(Role::Responder), &Budget::DEFAULT);
        let received = received.unwrap();
        assert_eq!(received.header(), &header);
        let chunks = received.header().chunks().unwrap();
        assert_eq!((chunks.reads().count(), chunks.writes().count()), (2, 2));
        let returned = chunks.returned(&[5000], 100).unwrap();
        let mut reply = [0; 256];
        let reply_len = ReplyHeader::msg(9, credits, returned).write_to(&mut reply).unwrap();
        assert_eq!(reply_len, 28 + 3 * 40 - 4 + 4 - 4);
        let header = Header::nomsg(9, credits, &nomsg).unwrap();
        let start = header.write_before(&mut buffer, 400).unwrap();
        let received =
            receive(&buffer[start..400], Endpoint::new(Role::Responder), &Budget::DEFAULT);
        assert_eq!(received.unwrap().header(), &header);
    });
    assert_eq!(count, 0);
}

#[test]
fn the_inventory() {
    let text = fs::read_to_string(testdata("protocol.tsv")).unwrap();
    let offsets = [
        ("Format Identifier", cm::offset::FORMAT_IDENTIFIER),
        ("Version", cm::offset::VERSION),
        ("Reserved/R", cm::offset::FLAGS),
        ("Send Size", cm::offset::SEND_SIZE),
        ("Receive Size", cm::offset::RECEIVE_SIZE),
    ];
    let constants = [
        ("RPC-over-RDMA version", VERSION),
        ("default inline threshold", DEFAULT_INLINE_THRESHOLD),
        ("NFS/RDMA port", NFS_PORT.into()),
        ("format identifier", cm::FORMAT_IDENTIFIER),
        ("format version", cm::FORMAT_VERSION.into()),
        ("R (remote invalidation) bit", cm::REMOTE_INVALIDATION.into()),
    ];
    let mut rows = 0;
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let (kind, name, number) = (cells[1], cells[2], cells[3].parse::<u32>());
        let found = match kind {
            "struct" | "union" | "enum" => TYPES.iter().any(|(known, _)| *known == name),
            "status" => ErrorCode::ALL.contains(&(name, number.unwrap().cast_signed())),
            "enum_value" => Procedure::ALL.contains(&(name, number.unwrap().cast_signed())),
            "const" => constants.contains(&(name, number.unwrap())),
            "field" => offsets.contains(&(name, number.unwrap() as usize)),
            _ => panic!("{row}: a kind of row that this test does not know"),
        };
        assert!(found, "{row}");
        rows += 1;
    }
    assert_eq!(rows, 33);
    // And nothing else.
    for (name, _) in TYPES {
        assert!(text.contains(&format!("\t{name}\t")), "{name}");
    }
    assert_eq!(ErrorCode::ALL.len() + Procedure::ALL.len(), 7);
}
