//! What is allocated: nothing (D1, D2, E2, E11).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]

mod common;
#[path = "common/types.rs"]
mod types;

use allocation_counter::{AllocationInfo, measure};
use common::{testdata, unhex};
use nfswire_xdr::{
    Array, Chain, Cursor, Decode, Encode, Encoder, Limits, Opaque, Pages, Payload, Segments, Text,
    explain, from_bytes, xdr_struct,
};
use types::*;

#[track_caller]
fn nothing(what: &str, allocated: AllocationInfo) {
    assert_eq!((allocated.count_total, allocated.bytes_total), (0, 0), "{what} allocates");
}

/// The counter counts.
#[test]
fn the_counter_works() {
    let allocated = measure(|| drop(core::hint::black_box(vec![1u8; 1000])));
    assert_eq!((allocated.count_total, allocated.bytes_total), (1, 1000));
}

type DecodeFn = fn(&[u8]);

fn decode<'a, T: Decode<'a>>(bytes: &'a [u8]) {
    assert!(core::hint::black_box(from_bytes::<T>(bytes)).is_ok());
}

macro_rules! types {
    ($($name:literal => $t:ty),* $(,)?) => { &[$(($name, |bytes| decode::<$t>(bytes))),*] };
}

const TYPES: &[(&str, DecodeFn)] = with_xdr_types!(types);

/// Every vector of every type.
#[test]
fn decoding_allocates_nothing() {
    let mut measured = 0;
    for line in testdata("vectors/xdr.jsonl").lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let bytes = unhex(json["hex"].as_str().unwrap());
        let (name, decode) = TYPES.iter().find(|(name, _)| json["type"] == *name).unwrap();
        nothing(name, measure(|| decode(&bytes)));
        measured += 1;
    }
    assert!(measured > 200);
}

#[test]
fn iterating_lists_allocates_nothing() {
    let bytes = unhex("00000002 00000003 61626300 00000001 61000000");
    nothing(
        "an array",
        measure(|| {
            let list: ArrayOfString<'_> = from_bytes(&bytes).unwrap();
            assert_eq!(list.iter().map(|text| text.len()).sum::<u32>(), 4);
            assert!(list == list);
        }),
    );
    let bytes = unhex("00000001 00000005 00000001 00000006 00000000");
    nothing(
        "a linked list",
        measure(|| {
            let list: ListPtr<'_> = from_bytes(&bytes).unwrap();
            assert_eq!(list.iter().sum::<i32>(), 11);
        }),
    );
    nothing(
        "a stream",
        measure(|| {
            let mut stream = Cursor::new(&bytes).stream::<i32>();
            assert_eq!(stream.by_ref().sum::<i32>(), 11);
            assert!(stream.finish().is_ok());
        }),
    );
}

/// Lengths and counts that the input does not pay for (cases B03, B04, B05 and worse).
#[test]
fn hostile_lengths_allocate_nothing() {
    fn refused<'a, T: Decode<'a>>(bytes: &'a [u8]) {
        for limits in [&Limits::STRICT, &Limits::LENIENT] {
            let mut c = Cursor::with(bytes, limits);
            assert!(core::hint::black_box(c.decode::<T>()).is_err());
            let explanation = explain::<T>(bytes, limits).unwrap();
            assert!(explanation.error.offset as usize <= bytes.len());
        }
        const UNLIMITED: Limits =
            Limits { max_items: u32::MAX, max_payload: u32::MAX, ..Limits::STRICT };
        assert!(Cursor::with(bytes, &UNLIMITED).decode::<T>().is_err());
        let mut c = Cursor::head(bytes, u32::MAX, &Limits::STRICT);
        let _ = core::hint::black_box(c.decode::<T>().is_ok());
    }
    for word in [u32::MAX, 0xffff_fffd, 0xffff_fffc, 0x8000_0000, 0x7fff_ffff, 0x4000_0001, 1 << 28]
    {
        let mut bytes = word.to_be_bytes().to_vec();
        bytes.extend([0, 0, 0, 1, 0, 0, 0, 0]);
        nothing(
            "a hostile length",
            measure(|| {
                refused::<Opaque<'_>>(&bytes);
                refused::<Text<'_>>(&bytes);
                refused::<Payload<'_>>(&bytes);
                refused::<Array<'_, u32>>(&bytes);
                refused::<Array<'_, u64>>(&bytes);
                refused::<Array<'_, [u8; 1000]>>(&bytes);
                refused::<Array<'_, Opaque<'_>>>(&bytes);
                refused::<Array<'_, Array<'_, bool>>>(&bytes);
                refused::<Array<'_, ListPtr<'_>>>(&bytes);
            }),
        );
    }
}

/// Elements without bytes cost the sender nothing: only the limit bounds their number.
#[test]
fn elements_of_no_bytes() {
    let bytes = 1_000_000u32.to_be_bytes();
    nothing(
        "an array of nothing",
        measure(|| {
            let list: Array<'_, ()> = from_bytes(&bytes).unwrap();
            assert_eq!(list.len(), 1_000_000);
        }),
    );
    let bytes = u32::MAX.to_be_bytes();
    nothing("too much nothing", measure(|| assert!(from_bytes::<Array<'_, ()>>(&bytes).is_err())));
}

xdr_struct! {
    /// The shape of a READ reply.
    "reply" => pub(crate) struct Reply<'a> {
        pub(crate) attributes: Option<[u32; 21]>,
        pub(crate) count: u32,
        pub(crate) eof: bool,
        pub(crate) data: Payload<'a>,
    }
}

/// Once the memory is there, encoding allocates nothing and copies no payload, in each kind of head.
#[test]
fn encoding_by_reference_allocates_nothing() {
    let data = vec![7u8; (1 << 20) + 1];
    let reply =
        Reply { attributes: Some([1; 21]), count: 1, eof: true, data: Payload::Borrowed(&data) };
    let mut head = Vec::new();
    let mut fixed = [0xff; 128];
    let mut segments = Segments::new();

    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&reply).unwrap();
    e.finish();
    assert!(head.len() < 1024, "the payload is in the head");

    for _ in 0..3 {
        nothing(
            "a growable head",
            measure(|| {
                let mut e = Encoder::growable(&mut head, &mut segments);
                e.put(&reply).unwrap();
                assert_eq!(e.finish(), reply.encoded_len());
            }),
        );
        assert_eq!(segments.view(&head).len(), reply.encoded_len());
        nothing(
            "a fixed head",
            measure(|| {
                let mut e = Encoder::fixed(&mut fixed, &mut segments);
                e.put(&reply).unwrap();
                assert_eq!(e.finish(), reply.encoded_len());
            }),
        );
    }
    let payload = segments.view(&fixed).iter().nth(1).unwrap();
    assert_eq!(payload, nfswire_xdr::Chunk::Bytes(&data), "the payload is where it was");

    // Pages are segments each: more than fit inline, so the list grows once.
    let mut pages = vec![[0xff; 12]; 20];
    let mut segments = Segments::new();
    let first = measure(|| encode_pages(&reply, &mut pages, &mut segments));
    assert!(first.count_total > 0);
    nothing("a page vector", measure(|| encode_pages(&reply, &mut pages, &mut segments)));
    assert_eq!(segments.view(&pages as &dyn Pages).len(), reply.encoded_len());
}

/// A list goes from turn to turn of a loop with its memory, though the payloads live for one.
#[test]
fn recycling_allocates_nothing() {
    let mut head = vec![0; 256];
    let mut spare = Segments::new();
    for turn in 0..4 {
        let data = [vec![turn; 5], vec![turn; 9], vec![turn; 100]];
        let mut segments = spare.recycle();
        let turned = measure(|| {
            let mut e = Encoder::growable(&mut head, &mut segments);
            for data in &data {
                e.put(&Payload::Borrowed(data)).unwrap();
            }
            e.finish();
        });
        assert_eq!(segments.count(), 6, "more than the four that need no memory");
        let bytes = segments.view(&head).to_vec().unwrap();
        assert_eq!((bytes.len(), bytes[4]), (12 + 16 + 104, turn));
        if turn == 0 {
            assert!(turned.count_total > 0, "the first turn gets the memory");
        } else {
            nothing("a recycled list", turned);
        }
        let (mut again, mut empty) = (None, true);
        nothing(
            "recycling",
            measure(|| {
                let recycled = segments.recycle();
                empty = recycled.count() == 0 && recycled.view(&head).is_empty();
                again = Some(recycled);
            }),
        );
        assert!(empty);
        spare = again.unwrap();
    }
    // One that never had memory has none to keep.
    nothing("recycling a short list", measure(|| drop(Segments::new().recycle())));
}

fn encode_pages<'p>(reply: &Reply<'p>, pages: &mut Vec<[u8; 12]>, segments: &mut Segments<'p>) {
    let mut e = Encoder::pages(pages, segments);
    e.put(reply).unwrap();
    assert_eq!(e.finish(), reply.encoded_len());
}

#[test]
fn encoding_lists_allocates_nothing() {
    let items = [1, 2, 3];
    let built: ListPtr<'_> = Chain::from_slice(&items);
    let bytes = common::encode(&built);
    let read: ListPtr<'_> = from_bytes(&bytes).unwrap();
    let (mut head, mut segments) = (vec![0; 256], Segments::new());
    nothing(
        "lists",
        measure(|| {
            for list in [built, read] {
                let mut e = Encoder::growable(&mut head, &mut segments);
                e.put(&list).unwrap();
                assert_eq!(e.finish(), 28);
            }
        }),
    );
}

/// Marks, slots and what is rolled back, too.
#[test]
fn marks_allocate_nothing() {
    let data = [1; 100];
    let (mut head, mut segments) = (vec![0; 256], Segments::new());
    nothing(
        "marks",
        measure(|| {
            let mut e = Encoder::growable(&mut head, &mut segments);
            let slot = e.reserve().unwrap();
            let mark = e.mark();
            e.put(&Payload::Borrowed(&data)).unwrap();
            e.rollback(mark).unwrap();
            let tried = e.attempt(|e| {
                e.put(&Payload::Borrowed(&data))?;
                e.put(&[0u8; 20])?;
                Err::<(), _>(nfswire_xdr::EncodeError::NotHere)
            });
            assert!(tried.is_err());
            e.patch(slot, 7).unwrap();
            assert_eq!(e.finish(), 4);
        }),
    );
}
