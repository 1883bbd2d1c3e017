//! F1 and F2: records found in any stream, however it is cut; nothing allocated ahead of the bytes.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic
)]

mod common;

use common::case;
use nfswire_rpc::{
    FragmentHeader, Fragments, RecordBuffer, RecordError, RecordLimits, RecordReader, Taken, Want,
};
use proptest::prelude::*;

/// Feeds the stream in reads of at most `chunk` bytes and collects every record.
fn records(stream: &[u8], chunk: usize, limits: RecordLimits) -> Result<Vec<Vec<u8>>, RecordError> {
    records_by(stream, limits, |_| chunk).map(|(records, _)| records)
}

fn records_by(
    mut stream: &[u8],
    limits: RecordLimits,
    mut chunk: impl FnMut(&RecordBuffer) -> usize,
) -> Result<(Vec<Vec<u8>>, RecordBuffer), RecordError> {
    let mut buffer = RecordBuffer::new(limits);
    let mut found = Vec::new();
    loop {
        while let Some(record) = buffer.next_record()? {
            found.push(record.to_vec());
            assert_eq!(found.last().map(Vec::as_slice), Some(buffer.last_record()));
        }
        if stream.is_empty() {
            return Ok((found, buffer));
        }
        let most = chunk(&buffer).min(stream.len());
        let spare = buffer.spare();
        assert!(!spare.is_empty(), "no room although every record was taken");
        let n = most.min(spare.len());
        spare[..n].copy_from_slice(&stream[..n]);
        stream = &stream[n..];
        buffer.filled(n)?;
    }
}

/// The same by the reader alone, in a fixed buffer of the caller's.
fn records_in_slice(stream: &[u8], chunk: usize, room: usize) -> Vec<Vec<u8>> {
    let mut reader = RecordReader::new(RecordLimits::DEFAULT);
    let (mut buffer, mut found, mut filled) = (vec![0xee; room], Vec::new(), 0);
    for part in stream.chunks(chunk) {
        if filled + part.len() > buffer.len() {
            let base = reader.base();
            buffer.copy_within(base..filled, 0);
            reader.rebase(base).unwrap();
            filled -= base;
        }
        buffer[filled..filled + part.len()].copy_from_slice(part);
        filled += part.len();
        while let Some(place) = reader.advance(&mut buffer[..filled]).unwrap() {
            found.push(buffer[place].to_vec());
        }
        filled = reader.place();
    }
    found
}

fn framed(record: &[u8], max_fragment: u32) -> Vec<u8> {
    let mut stream = Vec::new();
    for (mark, range) in Fragments::new(record.len() as u64, max_fragment).unwrap() {
        stream.extend(mark.to_bytes());
        stream.extend(&record[range.start as usize..range.end as usize]);
    }
    stream
}

fn xid(record: &[u8]) -> u32 {
    u32::from_be_bytes(*record.first_chunk().unwrap())
}

const WIDE: RecordLimits = RecordLimits { max_record: 1 << 20, max_fragments: 1 << 20 };

#[test]
fn b10_fragments_are_joined() {
    for (id, len) in [("B10a", 40), ("B10b", 24)] {
        let stream = case(id);
        for chunk in 1..=stream.len() {
            let found = records(&stream, chunk, RecordLimits::DEFAULT).unwrap();
            assert_eq!(found.len(), 1, "{id} in chunks of {chunk}");
            assert_eq!((found[0].len(), xid(&found[0])), (len, 0x4e46_5301));
        }
    }
}

#[test]
fn b11_what_is_not_rpc_is_refused_at_the_fourth_byte() {
    let limit = RecordLimits::DEFAULT.max_record;
    let cases = [
        ("B11a", RecordLimits::DEFAULT, 1_195_725_856, limit),
        ("B11b", RecordLimits::DEFAULT, 323_119_476, limit),
        ("B11c", RecordLimits { max_record: 1 << 20, ..RecordLimits::DEFAULT }, 1_048_577, 1 << 20),
    ];
    for (id, limits, announced, limit) in cases {
        let stream = case(id);
        assert_eq!(records(&stream[..3], 3, limits), Ok(vec![]), "{id}: three bytes say nothing");
        let expected = RecordError::TooLarge { announced, received: 0, limit };
        assert_eq!(records(&stream, 4, limits), Err(expected), "{id}");
        assert!(expected.to_string().contains(&announced.to_string()));
    }
}

#[test]
fn the_largest_record_is_taken_and_one_byte_more_is_not() {
    let limits = RecordLimits { max_record: 1000, max_fragments: 8 };
    let record = vec![7; 1000];
    for max_fragment in [1000, 999, 500, 200] {
        assert_eq!(records(&framed(&record, max_fragment), 64, limits), Ok(vec![record.clone()]));
    }
    let over = vec![7; 1001];
    for (max_fragment, announced, received) in [(1001, 1001, 0), (1000, 1, 1000), (600, 401, 600)] {
        let expected = RecordError::TooLarge { announced, received, limit: 1000 };
        assert_eq!(records(&framed(&over, max_fragment), 64, limits), Err(expected));
    }
    // Sums do not wrap.
    let limits = RecordLimits { max_record: u32::MAX, max_fragments: 8 };
    let mut reader = RecordReader::new(limits);
    for _ in 0..2 {
        let mark = FragmentHeader::new(false, FragmentHeader::MAX_LEN).unwrap();
        assert_eq!(
            reader.advance(&mut [&[0; 4][..], &mark.to_bytes()].concat()[4..].to_vec()),
            Ok(None)
        );
        reader.rebase(reader.base()).unwrap();
        reader.take(FragmentHeader::MAX_LEN).unwrap();
    }
    let error = reader.advance(&mut [0x80, 0, 0, 2]).unwrap_err();
    let received = 2 * FragmentHeader::MAX_LEN;
    assert_eq!(error, RecordError::TooLarge { announced: 2, received, limit: u32::MAX });
}

#[test]
fn b12_empty_records_and_fragments() {
    for id in ["B12a", "B12b"] {
        let stream = case(id);
        for chunk in 1..=stream.len() {
            let found = records(&stream, chunk, RecordLimits::DEFAULT).unwrap();
            assert_eq!(found.len(), 1, "{id} in chunks of {chunk}");
            assert_eq!((found[0].len(), xid(&found[0])), (40, 0x4e46_5301));
        }
    }
}

#[test]
fn b13_any_chunks_give_the_same_records() {
    let stream = case("B13a");
    for chunk in 1..=stream.len() {
        for found in [
            records(&stream, chunk, RecordLimits::DEFAULT).unwrap(),
            records_in_slice(&stream, chunk, 88),
            records_in_slice(&stream, chunk, 1000),
        ] {
            let xids: Vec<_> = found.iter().map(|record| (record.len(), xid(record))).collect();
            assert_eq!(xids, [(40, 0x4e46_5301), (40, 0x4e46_5302)], "chunks of {chunk}");
        }
    }
}

#[test]
fn two_cuts_at_every_pair_of_bytes() {
    let stream = [case("B12a"), case("B10a"), case("B12b")].concat();
    let whole = records(&stream, stream.len(), RecordLimits::DEFAULT).unwrap();
    assert_eq!(whole.len(), 3);
    for first in 1..stream.len() {
        for second in first..stream.len() {
            let mut cuts = [first, second - first, usize::MAX].into_iter().filter(|n| *n > 0);
            let (found, buffer) =
                records_by(&stream, RecordLimits::DEFAULT, |_| cuts.next().unwrap()).unwrap();
            assert_eq!(found, whole, "cut at {first} and {second}");
            assert!(buffer.is_at_boundary());
        }
    }
}

#[test]
fn exactly_what_is_wanted_never_touches_the_next_record() {
    let stream = [case("B10a"), case("B13a")].concat();
    let (found, buffer) =
        records_by(&stream, RecordLimits::DEFAULT, |buffer| buffer.want().bytes() as usize)
            .unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(buffer.want(), Want::Header(4));
    // Every prefix says rightly whether the stream may end there.
    let mut ends = 0;
    for len in 0..=stream.len() {
        let (found, buffer) = records_by(&stream[..len], RecordLimits::DEFAULT, |_| 7).unwrap();
        if buffer.is_at_boundary() {
            assert_eq!(found.len(), ends);
            ends += 1;
        }
    }
    assert_eq!(ends, 4);
}

#[test]
fn fragments_of_one_byte_by_the_hundred_thousand() {
    let record: Vec<u8> = (0..200_000u32).map(|i| i as u8).collect();
    let stream = framed(&record, 1);
    assert_eq!(stream.len(), 1_000_000);
    for chunk in [1, 3, 4096, usize::MAX] {
        assert_eq!(records(&stream, chunk, WIDE), Ok(vec![record.clone()]), "chunks of {chunk}");
    }
    // Records of one byte are records.
    let stream = framed(&[9], 1).repeat(100_000);
    assert_eq!(records(&stream, 5000, RecordLimits::DEFAULT).unwrap().len(), 100_000);
}

#[test]
fn empty_fragments_end_at_the_limit() {
    let limit = RecordLimits::DEFAULT.max_fragments;
    let expected = Err(RecordError::TooManyFragments { limit });
    let (empty, last) = ([0; 4], [0x80, 0, 0, 1, 5]);
    assert_eq!(records(&empty.repeat(100_000), 4096, RecordLimits::DEFAULT), expected);
    let most = [&empty.repeat(limit as usize - 1)[..], &last].concat();
    assert_eq!(records(&most, 4096, RecordLimits::DEFAULT), Ok(vec![vec![5]]));
    let over = [&empty.repeat(limit as usize)[..], &last].concat();
    assert_eq!(records(&over, 4096, RecordLimits::DEFAULT), expected);
    // Between the bytes of a record, too: a gap opens and closes for each.
    let mut stream = vec![];
    for i in 0..100_000u32 {
        stream.extend(empty);
        stream.extend([0, 0, 0, 1, i as u8]);
    }
    stream.extend([0x80, 0, 0, 0]);
    let record: Vec<u8> = (0..100_000u32).map(|i| i as u8).collect();
    assert_eq!(records(&stream, 1000, WIDE), Ok(vec![record]));
    // Empty records are no message and count for nothing.
    let stream = [[0x80, 0, 0, 0].repeat(100_000), framed(&[1, 2], 2)].concat();
    assert_eq!(records(&stream, 1000, RecordLimits::DEFAULT), Ok(vec![vec![1, 2]]));
}

#[test]
fn a_refused_stream_stays_refused() {
    let mut buffer = RecordBuffer::default();
    buffer.spare()[..8].copy_from_slice(&[0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0]);
    buffer.filled(8).unwrap();
    let error = buffer.next_record().unwrap_err();
    assert!(matches!(error, RecordError::TooLarge { announced: 0x7fff_ffff, .. }));
    assert_eq!(buffer.next_record(), Err(error));
    assert!(!buffer.is_at_boundary());
}

#[test]
fn four_bytes_that_announce_much_cost_little() {
    // Within the limit, so that only the growth rule protects: F1.
    let limits = RecordLimits { max_record: u32::MAX, max_fragments: 1 };
    for announced in [1u32 << 30, FragmentHeader::MAX_LEN] {
        let mut buffer = RecordBuffer::new(limits);
        assert_eq!(buffer.capacity(), 0);
        buffer.spare()[..4].copy_from_slice(&(announced | FragmentHeader::LAST).to_be_bytes());
        buffer.filled(4).unwrap();
        assert_eq!(buffer.next_record(), Ok(None));
        assert!(!buffer.spare().is_empty());
        assert_eq!(buffer.capacity(), RecordBuffer::FIRST_ROOM);
        // From then on memory follows the bytes received.
        let mut received = 0;
        while received < 3 << 20 {
            let n = buffer.spare().len().min(1000);
            buffer.filled(n).unwrap();
            received += n;
            assert_eq!(buffer.next_record(), Ok(None));
            assert!(buffer.capacity() <= RecordBuffer::FIRST_ROOM + 2 * received);
        }
    }
}

#[test]
fn large_records_come_to_their_place_and_end_there() {
    let record: Vec<u8> = (0..1_048_700u32).map(|i| (i % 251) as u8).collect();
    let stream = framed(&record, u32::MAX);
    let mut buffer = RecordBuffer::default();
    for round in 0..2 {
        let mut at = 0;
        let mut reads = 0;
        let mut start = 0;
        let found = loop {
            if let Some(record) = buffer.next_record().unwrap() {
                break record;
            }
            let spare = buffer.spare();
            if reads == 0 {
                start = spare.as_ptr().addr();
            }
            let n = spare.len().min(stream.len() - at);
            spare[..n].copy_from_slice(&stream[at..at + n]);
            at += n;
            buffer.filled(n).unwrap();
            reads += 1;
        };
        assert!(found == record);
        // The buffer grew once, by doubling, and is kept.
        assert!(reads <= if round == 0 { 10 } else { 1 }, "{reads} reads");
        if round == 1 {
            assert_eq!(found.as_ptr().addr() - start, 4, "the record lies where it was received");
        }
    }
    assert!(buffer.capacity() <= record.len() + 2 * RecordBuffer::FIRST_ROOM);
    assert_eq!(buffer.next_record(), Ok(None));
    buffer.spare();
    buffer.shrink(RecordBuffer::FIRST_ROOM);
    assert_eq!(buffer.capacity(), RecordBuffer::FIRST_ROOM);
    // It still works, and shrinking never drops bytes received.
    buffer.spare()[..6].copy_from_slice(&[0x80, 0, 0, 4, 1, 2]);
    buffer.filled(6).unwrap();
    buffer.shrink(0);
    assert_eq!(buffer.next_record(), Ok(None));
    buffer.shrink(0);
    buffer.spare()[..2].copy_from_slice(&[3, 4]);
    buffer.filled(2).unwrap();
    assert_eq!(buffer.next_record(), Ok(Some(&[1, 2, 3, 4][..])));
}

#[test]
fn room_for_a_large_record_ends_with_it() {
    let large = framed(&[1; 100_000], u32::MAX);
    let mut buffer = RecordBuffer::default();
    let feed = |buffer: &mut RecordBuffer, mut wire: &[u8]| {
        while !wire.is_empty() {
            let spare = buffer.spare();
            let n = spare.len().min(wire.len());
            spare[..n].copy_from_slice(&wire[..n]);
            wire = &wire[n..];
            buffer.filled(n).unwrap();
            if buffer.next_record().unwrap().is_some() {
                assert!(wire.is_empty());
            }
        }
    };
    feed(&mut buffer, &large);
    assert_eq!(buffer.next_record(), Ok(None));
    // Between records all the room is offered: small records come many at a time.
    assert!(buffer.spare().len() > 100_004);
    for part in [100, 60_000, 99_999] {
        feed(&mut buffer, &large[..part]);
        assert_eq!(buffer.spare().len(), 100_004 - part);
        feed(&mut buffer, &large[part..]);
        assert_eq!(buffer.next_record(), Ok(None));
    }
    // Behind a small one there is read-ahead.
    feed(&mut buffer, &framed(&[1; 100], u32::MAX)[..50]);
    assert!(buffer.spare().len() > 90_000);
}

#[test]
fn later_fragments_are_received_in_their_final_place() {
    let mut reader = RecordReader::new(RecordLimits::DEFAULT);
    let mut buffer = *b"\0\0\0\x03abc\0\0\0\0\x80\0\0\x04d...";
    assert_eq!(reader.advance(&mut buffer[..16]), Ok(None));
    // The bytes so far are in one piece; the two marks behind "abc" are gone.
    assert_eq!((reader.held(), reader.place()), (4..8, 8));
    assert_eq!(&buffer[4..8], b"abcd");
    assert_eq!(reader.want(), Want::Body(3));
    buffer[8..11].copy_from_slice(b"efg");
    assert_eq!(reader.advance(&mut buffer[..11]), Ok(Some(4..11)));
    assert_eq!(&buffer[4..11], b"abcdefg");
}

#[test]
fn pipelined_records_are_found_without_a_copy() {
    let stream: Vec<u8> = (0..50u8).flat_map(|i| framed(&[i; 40], u32::MAX)).collect();
    let mut buffer = RecordBuffer::default();
    let spare = buffer.spare();
    spare[..stream.len()].copy_from_slice(&stream);
    let start = spare.as_ptr().addr();
    buffer.filled(stream.len()).unwrap();
    for i in 0..50u8 {
        let record = buffer.next_record().unwrap().unwrap();
        assert_eq!(record, [i; 40]);
        assert_eq!(record.as_ptr().addr() - start, usize::from(i) * 44 + 4);
    }
    assert_eq!(buffer.next_record(), Ok(None));
}

#[test]
fn payload_is_taken_past_the_buffer() {
    let payload: Vec<u8> = (0..100_000u32).map(|i| (i % 253) as u8).collect();
    let record = [&[1u8; 64][..], &payload, &[2; 20]].concat();
    let other = framed(&[3; 12], u32::MAX);
    for fragment in [u32::MAX, 90_000] {
        // Of several fragments the length is known from the last mark on only.
        let stream = [framed(&record, fragment), other.clone()].concat();
        for first in [68usize, 70, 500] {
            for step in [1usize, 7, 4096, usize::MAX].into_iter().filter(|s| *s > 1 || first == 68)
            {
                let mut wire = &stream[..];
                let mut receive = |room: &mut [u8], most: usize| {
                    let n = room.len().min(most).min(wire.len());
                    room[..n].copy_from_slice(&wire[..n]);
                    wire = &wire[n..];
                    n
                };
                let mut buffer = RecordBuffer::default();
                let n = receive(buffer.spare(), first);
                buffer.filled(n).unwrap();
                assert_eq!(buffer.next_record(), Ok(None));
                let mut place = vec![];
                if fragment == u32::MAX {
                    let arriving = buffer.arriving().unwrap();
                    assert_eq!(arriving.record_len as usize, record.len());
                    assert_eq!(arriving.at_hand, &record[..first - 4]);
                    place.extend(&arriving.at_hand[64..]);
                } else {
                    assert_eq!(buffer.arriving(), None);
                    place.extend(&record[64..first - 4]);
                }
                let at_hand = place.len();
                let mut left = (payload.len() - at_hand).min(buffer.takable() as usize);
                while left > 0 {
                    let mut own = vec![0; left.min(step)];
                    let n = receive(&mut own, usize::MAX);
                    place.extend(&own[..n]);
                    buffer.take(n as u32).unwrap();
                    left -= n;
                    assert_eq!(buffer.next_record(), Ok(None));
                }
                let taken = Taken { at: first as u32 - 4, len: (place.len() - at_hand) as u32 };
                assert_eq!(buffer.arriving(), None, "its bytes are not in one piece any more");
                loop {
                    let n = receive(buffer.spare(), step);
                    buffer.filled(n).unwrap();
                    if let Some(found) = buffer.next().unwrap() {
                        assert_eq!(found.taken, Some(taken));
                        let (before, after) = found.bytes.split_at(taken.at as usize);
                        let whole = [before, &place[at_hand..], after].concat();
                        assert!(whole == record, "first {first}, step {step}");
                        break;
                    }
                    assert!(buffer.takable() <= buffer.want().bytes());
                }
                // The next record has nothing taken.
                let found = loop {
                    if let Some(found) = buffer.next().unwrap() {
                        break found;
                    }
                    let n = receive(buffer.spare(), step);
                    buffer.filled(n).unwrap();
                };
                assert_eq!((found.bytes, found.taken), (&[3u8; 12][..], None));
                if fragment == u32::MAX {
                    assert!(buffer.capacity() <= RecordBuffer::FIRST_ROOM, "the payload went past");
                }
            }
        }
    }
}

#[test]
fn d6_a_client_decodes_the_head_and_receives_the_payload_elsewhere() {
    use nfswire_rpc::{ReplyHeader, parse_reply};
    use nfswire_xdr::{Cursor, Limits, Payload};

    let data: Vec<u8> = (0..50_001u32).map(|i| (i % 241) as u8).collect();
    let mut record = vec![0, 0, 0, 9, 0, 0, 0, 1];
    record.extend([0; 16]);
    record.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
    record.extend(&data);
    record.extend([0; 3]);
    let wire = framed(&record, u32::MAX);

    let mut buffer = RecordBuffer::default();
    let mut at = 0;
    // Bytes trickle in until the payload is found: at the byte behind its length, not earlier.
    let (start, len) = loop {
        buffer.spare()[0] = wire[at];
        at += 1;
        buffer.filled(1).unwrap();
        assert_eq!(buffer.next_record(), Ok(None));
        let Some(arriving) = buffer.arriving() else { continue };
        let mut c = Cursor::head(arriving.at_hand, arriving.record_len, &Limits::STRICT);
        match parse_reply(&mut c) {
            Ok(reply) => assert_eq!(reply, ReplyHeader::success(9)),
            Err(error) => {
                assert!(error.is_not_here());
                continue;
            }
        }
        match c.decode() {
            Ok(Payload::Elsewhere { at, len }) => break (at, len),
            Ok(payload) => panic!("{payload:?}"),
            Err(_) => {}
        }
    };
    assert_eq!((at, start, len), (4 + 28, 28, 50_001));
    assert_eq!(buffer.takable(), 50_004);
    let own = wire[at..at + 50_001].to_vec();
    buffer.take(50_001).unwrap();
    assert!(own == data);
    assert_eq!(buffer.next_record(), Ok(None));
    // The pad comes through the buffer.
    buffer.spare()[..3].copy_from_slice(&wire[at + 50_001..]);
    buffer.filled(3).unwrap();
    let record = buffer.next().unwrap().unwrap();
    assert_eq!(record.bytes.len(), 28 + 3);
    assert_eq!(record.taken, Some(Taken { at: 28, len: 50_001 }));
    assert!(buffer.is_at_boundary());
    assert_eq!(buffer.capacity(), RecordBuffer::FIRST_ROOM);
}

#[test]
fn taking_more_than_there_is_ends_the_stream() {
    let mut buffer = RecordBuffer::default();
    let overrun = |reported, allowed| Err(RecordError::Overrun { reported, allowed });
    assert_eq!(buffer.takable(), 0, "between records there is nothing to take");
    buffer.spare()[..6].copy_from_slice(&[0x80, 0, 0, 10, 1, 2]);
    buffer.filled(6).unwrap();
    assert_eq!(buffer.takable(), 0, "unread bytes come first");
    assert_eq!(buffer.next_record(), Ok(None));
    assert_eq!(buffer.takable(), 8);
    buffer.take(3).unwrap();
    buffer.spare()[0] = 3;
    buffer.filled(1).unwrap();
    assert_eq!(buffer.next_record(), Ok(None));
    assert_eq!(buffer.takable(), 0, "one run of bytes a record");
    assert_eq!(buffer.take(1), overrun(1, 0));
    assert_eq!(buffer.next_record().map(drop), overrun(1, 0));

    let mut buffer = RecordBuffer::default();
    let room = buffer.spare().len();
    assert_eq!(buffer.filled(room + 1), overrun(room + 1, room));
    assert_eq!(buffer.next_record().map(drop), overrun(room + 1, room));

    let mut reader = RecordReader::new(RecordLimits::DEFAULT);
    assert_eq!(reader.advance(&mut [0x80, 0, 0, 2, 1]), Ok(None));
    assert_eq!(reader.rebase(5), overrun(5, 4));
}

#[test]
fn records_that_pile_up_are_bounded() {
    let limits = RecordLimits { max_record: 4096, max_fragments: 4 };
    let mut buffer = RecordBuffer::new(limits);
    let one = framed(&[5; 96], u32::MAX);
    let mut sent = 0;
    loop {
        let spare = buffer.spare();
        let n = spare.len() / one.len() * one.len();
        if n == 0 {
            break;
        }
        for room in spare[..n].chunks_mut(one.len()) {
            room.copy_from_slice(&one);
            sent += 1;
        }
        buffer.filled(n).unwrap();
    }
    assert!(buffer.capacity() <= 4096 + RecordBuffer::FIRST_ROOM);
    while let Some(record) = buffer.next_record().unwrap() {
        assert_eq!(record, [5; 96]);
        sent -= 1;
    }
    assert_eq!(sent, 0);
    assert!(!buffer.spare().is_empty());
}

#[test]
fn fragments_cover_the_record() {
    assert!(Fragments::new(1, 0).is_none());
    for len in 0..50u64 {
        for max in 1..60u32 {
            let cut: Vec<_> = Fragments::new(len, max).unwrap().collect();
            assert_eq!(cut.len() as u64, len.div_ceil(max.into()).max(1));
            let mut at = 0;
            for (i, (mark, range)) in cut.iter().enumerate() {
                assert_eq!(
                    (range.start, range.end - range.start),
                    (at, mark.fragment_len().into())
                );
                assert_eq!(mark.is_last(), i + 1 == cut.len());
                at = range.end;
            }
            assert_eq!(at, len);
        }
    }
    let huge: Vec<_> = Fragments::new(1 << 32, u32::MAX).unwrap().collect();
    let lens: Vec<_> = huge.iter().map(|(mark, _)| mark.fragment_len()).collect();
    assert_eq!(lens, [FragmentHeader::MAX_LEN, FragmentHeader::MAX_LEN, 2]);
}

#[test]
fn marks() {
    assert_eq!(FragmentHeader::new(true, 0x8000_0000), None);
    for word in [0, 1, 0x7fff_ffff, 0x8000_0000, 0x8000_0028, u32::MAX] {
        let mark = FragmentHeader::from_word(word);
        assert_eq!(FragmentHeader::from_bytes(mark.to_bytes()).to_word(), word);
        assert_eq!(FragmentHeader::new(mark.is_last(), mark.fragment_len()), Some(mark));
    }
}

proptest! {
    #[test]
    fn any_records_any_fragments_any_chunks(
        sent in prop::collection::vec((prop::collection::vec(any::<u8>(), 1..300), 1u32..80), 0..8),
        chunks in prop::collection::vec(1usize..200, 1..20),
    ) {
        let stream: Vec<u8> = sent.iter().flat_map(|(record, max)| framed(record, *max)).collect();
        let mut sizes = chunks.iter().cycle();
        let (found, buffer) =
            records_by(&stream, RecordLimits::DEFAULT, |_| *sizes.next().unwrap()).unwrap();
        prop_assert!(found.iter().eq(sent.iter().map(|(record, _)| record)));
        prop_assert!(buffer.is_at_boundary());
    }

    #[test]
    fn noise_never_panics_and_costs_no_more_than_its_length(
        noise in prop::collection::vec(prop_oneof![Just(0u8), Just(0x80), any::<u8>()], 0..200),
        chunk in 1usize..64,
    ) {
        let mut buffer = RecordBuffer::default();
        let mut wire = &noise[..];
        while !wire.is_empty() {
            let spare = buffer.spare();
            let n = spare.len().min(chunk).min(wire.len());
            spare[..n].copy_from_slice(&wire[..n]);
            wire = &wire[n..];
            buffer.filled(n).unwrap();
            loop {
                match buffer.next_record() {
                    Ok(Some(record)) => prop_assert!(!record.is_empty() && record.len() <= noise.len()),
                    Ok(None) => break,
                    Err(_) => return Ok(()),
                }
            }
            prop_assert!(buffer.capacity() <= RecordBuffer::FIRST_ROOM + 2 * noise.len());
        }
    }
}
