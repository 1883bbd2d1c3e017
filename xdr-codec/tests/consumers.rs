//! What becomes of an encoded message: copy-break, marker apart, placements, `Buf`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]

use nfswire_xdr::{
    Array, Chunk, Encoder, FileRange, NotInMemory, Payload, Piece, Position, Scattered, Segments,
    Stats, Text, xdr_struct,
};

xdr_struct! {
    "item" => pub struct Item<'a> { pub id: u32, pub data: Payload<'a> }
}

fn payload(len: usize) -> Vec<u8> {
    (0..len).map(|i| i as u8 ^ 0x5a).collect()
}

/// A payload of at most the copy-break goes into the head, byte for byte as it would go out by
/// reference. // E8
#[test]
fn copy_break() {
    for len in 0..40usize {
        let data = payload(len);
        let value = Item { id: 7, data: Payload::Borrowed(&data) };
        let encode = |copy_break| {
            let (mut head, mut segments) = (vec![0xff; 8], Segments::new());
            let mut e = Encoder::growable(&mut head, &mut segments).copy_break(copy_break);
            e.put(&value).unwrap();
            e.put(&9u32).unwrap();
            e.finish();
            (segments.view(&head).to_vec().unwrap(), segments.stats())
        };
        let (by_reference, none) = encode(0);
        let (bytes, stats) = encode(16);
        assert_eq!(bytes, by_reference);
        assert_eq!((none.copied, none.referenced), (0, len as u64));
        let copied = if len <= 16 { len as u64 } else { 0 };
        assert_eq!((stats.copied, stats.referenced), (copied, len as u64 - copied));
        assert_eq!(stats.segments == 1, len <= 16);
        assert_eq!(stats.head + stats.copied + stats.referenced, bytes.len() as u64);
        // Across pages the same bytes, and the same policy.
        let (mut pages, mut segments) = (vec![[0xffu8; 4]; 32], Segments::new());
        let mut e = Encoder::pages(&mut pages, &mut segments).copy_break(16);
        e.put(&value).unwrap();
        e.put(&9u32).unwrap();
        e.finish();
        assert_eq!(segments.view(&pages as &dyn nfswire_xdr::Pages).to_vec().unwrap(), bytes);
        assert_eq!(segments.stats().copied, copied);
    }
}

#[test]
fn copied_bytes_are_rolled_back_too() {
    let data = payload(5);
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments).copy_break(8);
    let mark = e.mark();
    e.put(&Payload::Borrowed(&data)).unwrap();
    e.rollback(mark).unwrap();
    e.put(&1u32).unwrap();
    e.finish();
    assert_eq!(segments.stats(), Stats { head: 4, copied: 0, referenced: 0, segments: 1 });
}

/// With a head that is not the message's own, bytes are missing: that is said, not passed over.
#[test]
fn a_wrong_head_is_an_error() {
    let data = payload(9);
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&Item { id: 7, data: Payload::Borrowed(&data) }).unwrap();
    let len = e.finish();
    assert_eq!(len, 4 + 4 + 9 + 3);
    assert!(segments.view(&head).to_vec().is_ok());
    for short in 0..12 {
        let message = segments.view(&head[..short]);
        assert_eq!(message.len(), len);
        let error = message.to_vec().unwrap_err();
        assert!(error.to_string().contains("not the memory that it was encoded into"), "{short}");
        #[cfg(feature = "bytes")]
        assert!(message.buf().is_err(), "{short}");
    }
    let no_pages: [[u8; 4]; 0] = [];
    assert!(segments.view_pages(&no_pages).to_vec().is_err());
    assert!(segments.view_pages(&[[0u8; 16]]).to_vec().is_ok());

    // Nor is a message what an encoder left that was dropped without `finish`.
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&Payload::Borrowed(&data)).unwrap();
    drop(e);
    assert!(segments.view(&head).to_vec().is_err());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&1u32).unwrap();
    drop(e);
    assert!(segments.view(&head).is_empty());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&2u32).unwrap();
    e.finish();
    assert_eq!(segments.view(&head).to_vec().unwrap(), [0, 0, 0, 2]);
}

/// Page vectors of any shape give the bytes that one slice gives; a payload by reference is in none
/// of the pages. // E1 E2
#[test]
fn pages_of_any_shape() {
    let names = ["", "a", "bcdef", "a name that is longer than some pages"];
    for len in [0, 3, 10, 700, 1 << 20] {
        let data = payload(len);
        let encode = |e: &mut Encoder<'_, '_>| {
            for (name, id) in names.iter().zip(0..) {
                e.put(&Text::<'_, 255>::try_from(*name).unwrap()).unwrap();
                e.put(&[id; 21]).unwrap();
            }
        };
        let numbers: Vec<u64> = (0..150).collect();
        let numbers = Array::<'_, u64>::from_slice(&numbers).unwrap();
        let item = Item { id: 7, data: Payload::Borrowed(&data) };

        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        encode(&mut e);
        e.put(&item).unwrap();
        e.put(&numbers).unwrap();
        let total = e.finish();
        let bytes = segments.view(&head).to_vec().unwrap();
        assert!(bytes.len() - len < 4096, "one page suffices for the head");

        let mixed = [4, 8, 64, 4096];
        let shapes: [(&str, Vec<usize>); 7] = [
            ("one page", vec![4096]),
            ("three pages", vec![700; 3]),
            ("pages of four bytes", vec![4; 1000]),
            ("mixed", mixed.to_vec()),
            ("mixed, and again", mixed.iter().cycle().copied().take(16).collect()),
            ("mixed, small ones last", vec![64, 8, 4, 4, 64, 8, 1200, 4, 8, 64, 4096]),
            ("odd ones", vec![7, 0, 66, 5, 3, 4097]),
        ];
        for (shape, lens) in shapes {
            let mut pages: Vec<Vec<u8>> = lens.iter().map(|len| vec![0xff; *len]).collect();
            let mut segments = Segments::new();
            let mut e = Encoder::pages(&mut pages, &mut segments);
            encode(&mut e);
            e.put(&item).unwrap();
            e.put(&numbers).unwrap();
            assert_eq!(e.finish(), total, "{shape}");
            let message = segments.view_pages(&pages);
            assert!(message.to_vec().unwrap() == bytes, "{shape}, {len} bytes");
            let stats = segments.stats();
            assert_eq!((stats.referenced, stats.copied), (len as u64, 0), "{shape}");
            let here = |chunk: Chunk<'_>| matches!(chunk, Chunk::Bytes(b) if b.as_ptr() == data.as_ptr() && b.len() == len);
            assert!(len == 0 || message.iter().any(here), "{shape}: the payload was moved");
        }
    }
}

/// What `Pages` calls good page types are some.
#[test]
fn types_of_pages() {
    fn written<P: AsRef<[u8]> + AsMut<[u8]>>(mut pages: Vec<P>) {
        let mut segments = Segments::new();
        let mut e = Encoder::pages(&mut pages, &mut segments);
        e.put(&[1u32, 2, 3, 4]).unwrap();
        e.finish();
        let message = segments.view_pages(&pages);
        assert_eq!((message.count(), message.to_vec().unwrap()[15]), (2, 4));
    }
    let (mut one, mut two) = ([0; 8], [0; 8]);
    written(vec![[0u8; 8]; 2]);
    written(vec![vec![0u8; 8].into_boxed_slice(), vec![0; 12].into_boxed_slice()]);
    written(vec![vec![0u8; 8]; 2]);
    written(vec![&mut one[..], &mut two[..]]);
    #[cfg(feature = "bytes")]
    written(vec![bytes::BytesMut::zeroed(8), bytes::BytesMut::zeroed(8)]);
}

/// A file range is never copied, whatever the copy-break. // E2
#[test]
fn file_ranges_are_not_read() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments).copy_break(u32::MAX);
    e.put(&Payload::File(FileRange { token: 3, offset: 10, len: 5 })).unwrap();
    e.finish();
    let message = segments.view(&head);
    assert!(message.to_vec().is_err());
    #[cfg(feature = "bytes")]
    assert!(message.buf().is_err());
    let chunks: Vec<_> = message.iter().collect();
    assert_eq!(chunks[1], Chunk::File(FileRange { token: 3, offset: 10, len: 5 }));
    assert_eq!(message.io_slices_needed(Position::START), 1);
    let at = message.advance(Position::START, 4 + 2);
    assert_eq!(message.io_slices_needed(at), 0);
    assert_eq!(message.chunk(at), Some(Chunk::File(FileRange { token: 3, offset: 12, len: 3 })));
}

/// The marker apart gives the bytes that the marker in the head gives, at every position. // E5
#[test]
fn marker_apart() {
    let data = payload(30);
    let value = Item { id: 1, data: Payload::Borrowed(&data) };
    let (mut in_head, mut apart) = (Vec::new(), Vec::new());
    let (mut one, mut two) = (Segments::new(), Segments::new());
    let mut e = Encoder::growable(&mut in_head, &mut one);
    let slot = e.reserve().unwrap();
    e.put(&value).unwrap();
    let marker = (e.len() as u32 - 4) | 1 << 31;
    e.patch(slot, marker).unwrap();
    e.finish();
    let mut e = Encoder::growable(&mut apart, &mut two);
    e.put(&value).unwrap();
    let len = e.finish() as u32;
    let front = (len | 1 << 31).to_be_bytes();
    let (one, two) = (one.view(&in_head), two.view(&apart).behind(&front));
    let bytes = one.to_vec().unwrap();
    assert_eq!(two.to_vec().unwrap(), bytes);
    assert_eq!((one.len(), two.len()), (bytes.len() as u64, bytes.len() as u64));
    assert_eq!((one.count(), two.count()), (3, 4));
    let (all, last) = (two.io_slices_needed(Position::START), two.advance(Position::START, 43));
    assert_eq!((all, two.io_slices_needed(last)), (4, 1));
    for message in [one, two] {
        for start in 0..=bytes.len() {
            let mut at = message.advance(Position::START, start);
            let mut rest = Vec::new();
            while let Some(Chunk::Bytes(chunk)) = message.chunk(at) {
                rest.extend_from_slice(&chunk[..1]);
                at = message.advance(at, 1);
            }
            assert!(message.is_end(at));
            assert_eq!(rest, bytes[start..]);
        }
    }
    let place: Vec<_> = one.placements().collect();
    assert_eq!((place[0].position, place[0].len), (12, 30));
    assert_eq!(one.placements().next(), one.placements().next());
    let placed: Vec<_> = two.placements().flat_map(|p| two.placed(&p)).collect();
    assert_eq!(placed, [Chunk::Bytes(&data)]);
}

/// Each payload is one placement with its XDR position, however many slices it has. // E9
#[test]
fn placements() {
    let (a, b, small) = (payload(9), payload(20), payload(3));
    let pieces = [Piece::Here(&b[..7]), Piece::Here(&b[7..8]), Piece::Here(&b[8..])];
    let file = FileRange { token: 1, offset: 2, len: 3 };
    let values = [
        Item { id: 1, data: Payload::Borrowed(&a) },
        Item { id: 2, data: Payload::Borrowed(&small) },
        Item { id: 3, data: Payload::Scattered(Scattered::new(&pieces).unwrap()) },
        Item { id: 4, data: Payload::File(file) },
    ];
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments).copy_break(4);
    for value in &values {
        e.put(value).unwrap();
    }
    e.finish();
    let message = segments.view(&head);
    let places: Vec<_> = message.placements().collect();
    // Words before each: 8 | 8 + 12 + 8 + 4 | ...; the three small bytes are in the head.
    let expected = [(8, 9), (40, 20), (68, 3)];
    assert_eq!(places.iter().map(|p| (p.position, p.len)).collect::<Vec<_>>(), expected);
    let sizes = |i: usize| message.placed(&places[i]).map(|c| c.len()).collect::<Vec<_>>();
    assert_eq!((sizes(0), sizes(1), sizes(2)), (vec![9], vec![7, 1, 12], vec![3]));
    assert_eq!(message.placed(&places[2]).next(), Some(Chunk::File(file)));
}

/// File ranges longer than all memory are an error of `to_vec`, before it allocates.
#[test]
fn files_are_no_vector() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    for _ in 0..4096 {
        e.put(&Payload::File(FileRange { token: 1, offset: 0, len: u32::MAX })).unwrap();
    }
    assert_eq!(e.finish(), 4096 * (4 + (1 << 32)));
    assert_eq!(segments.view(&head).to_vec(), Err(NotInMemory));
}

#[cfg(feature = "bytes")]
mod with_bytes {
    use std::io::IoSlice;

    use bytes::{Buf, Bytes};
    use nfswire_xdr::retain;

    use super::*;

    #[test]
    fn buf_with_vectored_chunks() {
        let data = Bytes::from(payload(6));
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&Payload::Bytes(data)).unwrap();
        e.put(&5u32).unwrap();
        e.finish();
        let message = segments.view(&head);
        let bytes = message.to_vec().unwrap();
        for start in 0..bytes.len() {
            let mut buf = message.buf().unwrap();
            buf.advance(start);
            assert_eq!(buf.remaining(), bytes.len() - start);
            let mut out = [IoSlice::new(&[]); 3];
            let used = buf.chunks_vectored(&mut out);
            let joined: Vec<u8> = out[..used].iter().flat_map(|s| s.iter().copied()).collect();
            assert_eq!(joined, bytes[start..]);
            assert_eq!(buf.copy_to_bytes(bytes.len() - start), bytes[start..]);
            assert!(!buf.has_remaining());
        }
    }

    /// A payload of `Bytes` is shared, not copied. // E2
    #[test]
    fn bytes_are_shared() {
        let data = Bytes::from(payload(100));
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&Payload::Bytes(data.clone())).unwrap();
        e.finish();
        let Some(Chunk::Bytes(sent)) = segments.view(&head).iter().nth(1) else { panic!() };
        assert_eq!(sent.as_ptr(), data.as_ptr());
    }

    /// Small parts are copied out, large ones share the buffer, strangers are copied. // E8
    #[test]
    fn retain_by_size() {
        let buffer = Bytes::from(payload(1000));
        let small = retain(&buffer, &buffer[10..40], 256);
        let large = retain(&buffer, &buffer[10..700], 256);
        assert_eq!((&small[..], &large[..]), (&buffer[10..40], &buffer[10..700]));
        assert_ne!(small.as_ptr(), buffer[10..].as_ptr());
        assert_eq!(large.as_ptr(), buffer[10..].as_ptr());
        let stranger = payload(700);
        assert_eq!(retain(&buffer, &stranger, 256), stranger);
    }
}
