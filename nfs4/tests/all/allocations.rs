//! Decoding allocates nothing, nor does encoding into a head that is used again, and no byte of file
//! data is copied (D1, E2).

use core::hint::black_box;

use crate::common::{AREAS, find, vectors};
use nfswire_nfs4::{
    StableHow, Stateid,
    ops::io::{
        Data, DataInfo, ReadOk, ReadPlusContent, ReadPlusOk, ReadPlusReply, ReadReply, WriteArgs,
    },
};
use nfswire_xdr::{
    Array, Chunk, Cursor, Decode, Encode, Encoder, ErrorKind, Limits, Payload, Segments, from_bytes,
};

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

/// What is sent for `value`: that it has `payload` bytes, all of them where they lie.
fn sent<'p>(value: &impl Encode<'p>, payload: u64, head: &mut Vec<u8>) -> Vec<u8> {
    let mut segments = Segments::new();
    let mut e = Encoder::growable(head, &mut segments);
    e.put(value).unwrap();
    e.finish();
    let stats = segments.stats();
    assert_eq!((stats.copied, stats.referenced), (0, payload));
    segments.view(&*head).to_vec().unwrap()
}

/// The data of READ and WRITE goes out as it lies, whatever its length.
#[test]
fn payloads_are_referenced() {
    let mut head = vec![0; 256];
    for len in [1, 4, 8192, 1 << 20, (1 << 20) + 3] {
        let data = vec![9u8; len];
        let payload = || Payload::Borrowed(&data);
        let reply = ReadReply::Ok(ReadOk { eof: true, data: payload() });
        let args = WriteArgs {
            stateid: Stateid::default(),
            offset: 5,
            stable: StableHow::Unstable,
            data: payload(),
        };
        let bytes = sent(&reply, len as u64, &mut head);
        assert_eq!(bytes.len(), 12 + len.next_multiple_of(4));
        assert_eq!(from_bytes(&bytes), Ok(reply));
        let bytes = sent(&args, len as u64, &mut head);
        assert_eq!(bytes.len(), 32 + len.next_multiple_of(4));
        assert_eq!(from_bytes(&bytes), Ok(args));
        assert_eq!(head.len(), 256, "the head grew");
    }
}

/// Contents of a sparse file, with data of `len` bytes and more in the odd places.
fn contents(file: &[u8], count: usize, len: usize) -> Vec<ReadPlusContent<'_>> {
    let content = |i: usize| match i % 2 {
        0 => ReadPlusContent::Hole(DataInfo { offset: i as u64 * 65536, length: 65536 }),
        _ => ReadPlusContent::Data(Data {
            offset: i as u64 * 65536,
            data: Payload::Borrowed(&file[i..i + len + i % 5]),
        }),
    };
    (0..count).map(content).collect()
}

/// The data of READ_PLUS stands in arms of a union in a list, and goes out as it lies all the same.
#[test]
fn payloads_in_lists_are_referenced() {
    let file: Vec<u8> = (0..40_000u32).map(|i| i as u8).collect();
    let mut head = vec![0; 4096];
    for (count, len) in [(1, 0), (2, 1), (9, 4096), (16, 8192), (33, 30_000)] {
        let contents = contents(&file, count, len);
        let list = Array::from_slice(&contents).unwrap();
        let reply = ReadPlusReply::Ok(ReadPlusOk { eof: false, contents: list });
        let payload = contents.iter().map(|content| match content {
            ReadPlusContent::Data(data) => u64::from(data.data.len()),
            _ => 0,
        });
        let payload: u64 = payload.sum();

        let mut segments = Segments::new();
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&reply).unwrap();
        let total = e.finish();
        assert_eq!((segments.stats().copied, segments.stats().referenced), (0, payload));
        // Each payload is a chunk of its own: the very bytes of the file.
        let within = file.as_ptr_range();
        let chunks = segments.view(&head).iter().filter(|chunk| match chunk {
            Chunk::Bytes(bytes) => within.contains(&bytes.as_ptr()),
            _ => false,
        });
        assert_eq!(chunks.map(|chunk| chunk.len()).sum::<u64>(), payload);

        // What was received refers to the receive buffer, and goes on from there without a copy.
        let bytes = segments.view(&head).to_vec().unwrap();
        assert_eq!(bytes.len() as u64, total);
        let received: ReadPlusReply<'_> = from_bytes(&bytes).unwrap();
        assert_eq!(received, reply);
        drop(segments);
        assert_eq!(sent(&received, payload, &mut head), bytes);
        assert_eq!(head.len(), 4096, "the head grew");
    }
}

/// The same over pages gives the same bytes.
#[test]
fn payloads_in_lists_span_pages() {
    let file: Vec<u8> = (0..9000u32).map(|i| i as u8).collect();
    let contents = contents(&file, 20, 4000);
    let list = Array::from_slice(&contents).unwrap();
    let ok = ReadPlusOk { eof: true, contents: list };

    let mut head = Vec::new();
    let mut segments = Segments::new();
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&ok).unwrap();
    e.finish();
    let bytes = segments.view(&head).to_vec().unwrap();

    let mut pages: Vec<Vec<u8>> = (0..40).map(|i| vec![0xff; 12 + i % 3 * 8]).collect();
    let mut pages: Vec<&mut [u8]> = pages.iter_mut().map(Vec::as_mut_slice).collect();
    let mut pages = pages.as_mut_slice();
    let mut segments = Segments::new();
    let mut e = Encoder::pages(&mut pages, &mut segments);
    e.put(&ok).unwrap();
    e.finish();
    assert_eq!(segments.stats().copied, 0);
    assert_eq!(segments.view_pages(&pages).to_vec().unwrap(), bytes);
}

/// READ's data may still be on the wire when the rest of the reply is decoded; READ_PLUS's must be at
/// hand, which the error says (D6).
#[test]
fn heads_come_first() {
    let data = [3u8; 100];
    let mut head = Vec::new();
    let bytes = sent(&ReadReply::Ok(ReadOk { eof: true, data: (&data).into() }), 100, &mut head);
    let limits = Limits::default();
    let mut c = Cursor::head(&bytes[..20], bytes.len() as u32, &limits);
    let ReadReply::Ok(ok) = c.decode().unwrap() else { panic!("failed") };
    assert_eq!(ok.data, Payload::Elsewhere { at: 12, len: 100 });

    let contents = [ReadPlusContent::Data(Data { offset: 0, data: (&data).into() })];
    let contents = Array::from_slice(&contents).unwrap();
    let bytes = sent(&ReadPlusOk { eof: true, contents }, 100, &mut head);
    let mut c = Cursor::head(&bytes[..40], bytes.len() as u32, &limits);
    let error = c.decode::<ReadPlusOk<'_>>().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::NotHere { .. }), "{error}");
}

/// The arguments that READ and SEQUENCE are made of have one size: a single check of bounds each (D8).
#[test]
fn hot_arguments_are_fixed() {
    use nfswire_nfs4::ops::{io::ReadArgs, session::SequenceArgs};
    use nfswire_xdr::Wire;

    fn fixed<'a, T: Decode<'a> + Wire>() -> Option<u32> {
        T::FIXED.then_some(T::MIN_LEN)
    }
    assert_eq!(fixed::<SequenceArgs>(), Some(32));
    assert_eq!(fixed::<ReadArgs>(), Some(28));
}
