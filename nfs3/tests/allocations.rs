//! Decoding allocates nothing, nor does encoding into a head that is used again (D1, S2).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]

mod common;

use core::hint::black_box;

use common::{AREAS, find, vectors};
use nfswire_nfs3::{
    FileHandle, StableHow,
    io::{ReadOk, ReadReply, WriteArgs},
};
use nfswire_xdr::{Chunk, Encode, Encoder, Payload, Segments, from_bytes};

/// Allocations of `f`.
fn allocations(f: impl FnOnce()) -> u64 {
    allocation_counter::measure(f).count_total
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(black_box(vec![1u8; 100]))), 1);
}

#[test]
fn every_type_decodes_and_encodes_without_allocation() {
    let mut head = vec![0; 1 << 20];
    for area in AREAS {
        for vector in vectors(area) {
            let ty = find(area, &vector.type_name).expect("a type");
            let mut len = None;
            let count = allocations(|| len = (ty.reencode)(&vector.bytes, &mut head).ok());
            assert_eq!(len, Some(vector.bytes.len() as u64), "{}", vector.origin);
            assert_eq!(count, 0, "{}", vector.origin);
        }
    }
}

/// An error is a value like any other.
#[test]
fn refusing_does_not_allocate() {
    let mut head = vec![0; 1 << 20];
    for area in AREAS {
        for vector in vectors(area) {
            let ty = find(area, &vector.type_name).expect("a type");
            let mut refused = false;
            let cut = &vector.bytes[..vector.bytes.len() - 4];
            let count = allocations(|| refused = (ty.reencode)(cut, &mut head).is_err());
            assert!(refused && count == 0, "{}: {count} allocations", vector.origin);
        }
    }
}

/// The data of READ and WRITE goes out as it lies, whatever its length: no byte of it is copied.
#[test]
fn payloads_are_referenced() {
    fn check<'p>(value: &impl Encode<'p>, data: &[u8], head_len: usize) {
        let mut head = vec![0; 256];
        let mut segments = Segments::new();
        let count = allocations(|| {
            let mut e = Encoder::growable(&mut head, &mut segments);
            e.put(value).unwrap();
            e.finish();
        });
        assert_eq!(count, 0);
        let message = segments.view(&head);
        let mut chunks = message.iter().filter_map(|chunk| match chunk {
            Chunk::Bytes(bytes) => Some(bytes),
            _ => None,
        });
        assert_eq!(chunks.next().map(<[u8]>::len), Some(head_len));
        let payload = chunks.next().expect("the payload");
        assert!(core::ptr::eq(payload, data), "a copy");
        let pad = chunks.next().map_or(0, <[u8]>::len);
        assert_eq!(pad, data.len().next_multiple_of(4) - data.len());
        assert!(chunks.next().is_none());
    }
    for len in [1, 4, 8192, 1 << 20, (1 << 20) + 3] {
        let data = vec![7; len];
        let reply = ReadReply::Ok(ReadOk::new(None, false, Payload::Borrowed(&data)));
        check(&reply, &data, 4 + 4 + 4 + 4 + 4);
        let file = FileHandle::new(&[1; 32]).unwrap();
        let args = WriteArgs::new(file, 0, StableHow::Unstable, Payload::Borrowed(&data));
        check(&args, &data, 36 + 8 + 4 + 4 + 4);
    }
}

/// Few bytes that announce many: refused at once, without memory for what does not come (D2).
#[test]
fn announced_lengths_cost_nothing() {
    use nfswire_nfs3::{mount::MountOk, readdir::Entry};

    let announced = [[0xff; 4], [0x7f, 0xff, 0xff, 0xff], [0x40, 0, 0, 0], [0, 0, 0x40, 0]];
    for n in announced {
        let args = [&[0; 4][..], &[0; 8], &[0; 4], &[0; 4], &n].concat();
        let entry = [&[0; 8][..], &n].concat();
        let flavors = [&[0; 4][..], &n].concat();
        let count = allocations(|| {
            assert!(black_box(from_bytes::<WriteArgs<'_>>(&args)).is_err());
            assert!(black_box(from_bytes::<Entry<'_>>(&entry)).is_err());
            assert!(black_box(from_bytes::<MountOk<'_>>(&flavors)).is_err());
        });
        assert_eq!(count, 0, "{n:?}");
    }
}
