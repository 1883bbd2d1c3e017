//! Every recorded message (testdata/captures): its header says what another decoder read in it, and
//! comes back as the same bytes; calls are put together as they were before chunks were cut out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]

#[path = "common/sha256.rs"]
mod sha256;
#[path = "common/wire.rs"]
mod wire;

use core::fmt::Write;
use std::{collections::HashMap, fs};

use nfswire_rdma::{
    Budget, Endpoint, Kind, Reverse, Role, Segment, WriteChunk, assemble, receive,
    types::{Body, ErrorBody, Message},
};
use nfswire_xdr::{Cursor, Encode, Piece};
use sha256::sha256;
use wire::{testdata, unhex};

#[test]
fn the_digest() {
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256(b"abc")[..], unhex(expected));
}

fn segment(s: &Segment) -> String {
    format!("{:x}:{}:{:x}", s.handle, s.length, s.offset)
}

fn chunk(chunk: &WriteChunk<'_>) -> String {
    chunk.segments.iter().map(|s| segment(&s)).collect::<Vec<_>>().join(",")
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

/// A header as the manifest writes it.
fn described(message: &Message<'_>) -> String {
    let Message { xid, version, credits, body } = message;
    let mut text =
        format!("{xid} {version} {credits} {} {}", body.proc().value(), message.encoded_len());
    let (reads, writes, reply) = match body {
        Body::Msg(lists) | Body::Nomsg(lists) => (lists.reads, lists.writes, lists.reply),
        Body::Msgp(lists) => (lists.reads, lists.writes, lists.reply),
        Body::Done => return text,
        Body::Error(ErrorBody::Chunk) => return text + " 2 - -",
        Body::Error(ErrorBody::Version(range)) => {
            write!(text, " 1 {} {}", range.low, range.high).unwrap();
            return text;
        }
    };
    let reads = reads.iter().map(|r| format!("{}:{}", r.position, segment(&r.target)));
    let writes = writes.iter().map(|c| chunk(&c));
    let lists = [
        or_dash(reads.collect::<Vec<_>>().join(",")),
        or_dash(writes.collect::<Vec<_>>().join(";")),
        reply.map_or_else(|| "-".to_owned(), |c| chunk(&c)),
    ];
    text + " " + &lists.join(" ")
}

#[test]
fn every_message() {
    let manifest = fs::read_to_string(testdata("captures/manifest.tsv")).unwrap();
    let fetched = fs::read(testdata("captures/fetched.bin")).unwrap();
    let mut runs: HashMap<&str, (Vec<u8>, usize)> = HashMap::new();
    let (mut checked, mut refused, mut assembled, mut answered) = (0, 0, 0, 0);
    for line in manifest.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [run, direction, len, header, whole] = cells[..] else { panic!("{line}") };
        let (bytes, at) = runs
            .entry(run)
            .or_insert_with(|| (fs::read(testdata(&format!("captures/{run}.msgs"))).unwrap(), 0));
        let start = *at + 4;
        let length = u32::from_be_bytes(*bytes[*at..].first_chunk().unwrap()) as usize;
        assert_eq!(length.to_string(), len);
        *at = start + length;
        let message = &bytes[start..*at];
        let role = if direction == "c2s" { Role::Responder } else { Role::Requester };
        let received =
            receive(message, Endpoint::new(role).reverse(Reverse::Chunks), &Budget::DEFAULT);
        let Ok(received) = received else {
            // What was cut off, or is of no use. The recorded server agreed, but for calls without
            // any chunk, which it dropped.
            let refusal = received.unwrap_err();
            let procedure = header.split(' ').nth(3);
            assert!(
                header == "-"
                    || header.split(' ').nth(1) == Some("2")
                    || procedure.is_some_and(|p| ["2", "3", "9"].contains(&p))
                    || header.ends_with(" 1 28 - - -"),
                "{line}: {refusal}"
            );
            let short = length < 28;
            assert_eq!(refusal.answer.is_none(), short, "{line}: {refusal}");
            answered += usize::from(!short);
            refused += 1;
            // The plain types still read what is encoded well.
            let plain = Cursor::new(message).decode::<Message<'_>>();
            match procedure {
                Some("2" | "3" | "1") => assert_eq!(plain.unwrap().proc_of(), procedure.unwrap()),
                None => assert!(plain.is_err(), "{line}"),
                _ => {}
            }
            continue;
        };
        let plain: Message<'_> = Cursor::new(message).decode().unwrap();
        assert_eq!(described(&plain), header, "{line}");
        assert_eq!(received.header_len() as u64, plain.encoded_len());
        let mut head = vec![0xff; length];
        let written = received.header().write_to(&mut head).unwrap();
        assert_eq!((written, &head[..written]), (received.header_len(), &message[..written]));
        assert_eq!(received.inline(), &message[written..]);
        checked += 1;
        if let Some(chunks) = received.header().chunks() {
            // The checked view says the same.
            let (Body::Msg(lists) | Body::Nomsg(lists)) = plain.body else { panic!("{line}") };
            assert!(chunks.read_segments().eq(lists.reads));
            assert!(chunks.writes().eq(lists.writes));
            assert_eq!(chunks.reply(), lists.reply);
        } else {
            assert!(matches!(received.header().kind(), Kind::Error(_)));
        }
        if whole.is_empty() {
            continue;
        }
        let parts: Vec<&str> = whole.split(' ').collect();
        let chunks: Vec<[Piece<'_>; 2]> = parts[2]
            .split(',')
            .map(|part| {
                let numbers: Vec<usize> = part.split(':').map(|n| n.parse().unwrap()).collect();
                // In two pieces, as two pages would have it.
                let (front, back) = fetched[numbers[1]..][..numbers[2]].split_at(numbers[2] / 2);
                [Piece::Here(front), Piece::Here(back)]
            })
            .collect();
        let chunks: Vec<&[Piece<'_>]> = chunks.iter().map(|pieces| &pieces[..]).collect();
        let mut memory = [Piece::Here(&[]); 8];
        let call = assemble::call(&received, &chunks, &mut memory).unwrap();
        let mut stream = Vec::new();
        for piece in call {
            let Piece::Here(bytes) = piece else { panic!("{line}") };
            stream.extend_from_slice(bytes);
        }
        assert_eq!(stream.len().to_string(), parts[0], "{line}");
        assert_eq!(sha256(&stream)[..], unhex(parts[1]), "{line}");
        assembled += 1;
    }
    for (run, (bytes, at)) in runs {
        assert_eq!(bytes.len(), at, "{run}");
    }
    assert_eq!((checked, refused, answered, assembled), (4198, 14, 8, 42));
}

trait ProcOf {
    fn proc_of(&self) -> String;
}

impl ProcOf for Message<'_> {
    fn proc_of(&self) -> String {
        self.body.proc().value().to_string()
    }
}
