//! Every family of malformed input, generated: nothing panics, loops or recurses, nothing is
//! allocated to decode, and every error says what is wrong and where. // D2 D3 D4 D5
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

use std::thread;

use allocation_counter::measure;
use common::{testdata, unhex};
use nfswire_xdr::{
    Array, Chain, Cursor, Decode, DecodeError, Encode, Encoder, ErrorKind, Limits, Opaque, Payload,
    Piece, Pieces, Policy, Segments, Text, explain, xdr_struct,
};
use types::*;

const UNLIMITED: Limits = Limits { max_items: u32::MAX, max_payload: u32::MAX, ..Limits::STRICT };

/// Decodes without allocating; an error is confirmed by the slow reader, lies within the bytes and
/// leaves the position where it was.
fn decode<'a, T: Decode<'a>>(bytes: &'a [u8], limits: &'a Limits) -> Result<T, DecodeError> {
    let mut decoded = None;
    let allocated = measure(|| {
        let mut c = Cursor::with(bytes, limits);
        let result = c.decode::<T>();
        let slow = explain::<T>(bytes, limits);
        match &result {
            Ok(_) => assert!(slow.is_none() && c.position() + c.remaining() == bytes.len()),
            Err(error) => {
                assert_eq!(slow.unwrap().error, *error);
                assert!(error.offset as usize <= bytes.len() && c.position() == 0);
            }
        }
        decoded = Some(result);
    });
    assert_eq!(allocated.count_total, 0, "decoding allocates");
    decoded.unwrap()
}

/// Peak memory of handling an input, decoding and encoding again, is at most this many times its
/// length, beside `CONSTANT` bytes for the first head and the first list of segments. The head at
/// most doubles, and the old one is there until the new one is filled.
const K: u64 = 3;
const CONSTANT: u64 = 1024;

/// Decodes; what is accepted in strict policy encodes to the same bytes (D3), within `K`.
fn handle<'a, T: Decode<'a> + Encode<'a>>(
    bytes: &'a [u8],
    limits: &'a Limits,
) -> Result<(), DecodeError> {
    let value = decode::<T>(bytes, limits)?;
    let mut same = false;
    let used = measure(|| {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&value).unwrap();
        e.finish();
        let message = segments.view(&head);
        let mut rest = bytes;
        same = message.iter().all(|chunk| match chunk {
            nfswire_xdr::Chunk::Bytes(part) => {
                let (first, more) = rest.split_at(part.len());
                rest = more;
                first == part
            }
            nfswire_xdr::Chunk::File(_) => false,
        });
    });
    assert!(same || limits.lenient(), "encodes to other bytes");
    assert!(
        used.bytes_max <= K * bytes.len() as u64 + CONSTANT,
        "{} bytes for an input of {}",
        used.bytes_max,
        bytes.len()
    );
    Ok(())
}

type Handle = fn(&[u8], &Limits) -> Result<(), DecodeError>;

macro_rules! handles {
    ($($name:literal => $t:ty),* $(,)?) => {
        &[$(($name, |bytes, limits| handle::<$t>(bytes, limits))),*]
    };
}

const TYPES: &[(&str, Handle)] = with_xdr_types!(handles);

fn vectors() -> Vec<(&'static str, Handle, Vec<u8>)> {
    let text = testdata("vectors/xdr.jsonl");
    text.lines()
        .map(|line| {
            let json: serde_json::Value = serde_json::from_str(line).unwrap();
            let (name, handle) = TYPES.iter().find(|(name, _)| json["type"] == *name).unwrap();
            (*name, *handle, unhex(json["hex"].as_str().unwrap()))
        })
        .collect()
}

/// 0, 1, 3, 4, around the maximum, around 2^31, below 2^32.
fn lengths(max: u32) -> impl Iterator<Item = u32> {
    let around = [max.saturating_sub(1), max, max.saturating_add(1)];
    let powers = [0x7fff_ffff, 0x8000_0000];
    [0, 1, 3, 4].into_iter().chain(around).chain(powers).chain(0xffff_fffc..=0xffff_ffff)
}

//--- Lengths ---

#[derive(Clone, Copy)]
enum Variable {
    /// Bytes, with a maximum.
    Bytes(u32),
    /// Elements of so many bytes, with a maximum.
    Items(u32, u64),
}

/// What a variable-length field with this length word must come to, when `here` bytes follow it:
/// kind and offset of the error.
fn expected(field: Variable, len: u32, here: u32) -> Result<(), (ErrorKind, u32)> {
    let (limit, size) = match field {
        Variable::Bytes(limit) => (limit, 1),
        Variable::Items(limit, size) => (limit, size),
    };
    if len > limit {
        return Err(match field {
            Variable::Bytes(_) => (ErrorKind::TooLong { len, limit }, 0),
            Variable::Items(..) => (ErrorKind::TooMany { count: len, limit }, 0),
        });
    }
    let whole = u128::from(len) * u128::from(size);
    let needed = u32::try_from(whole).unwrap_or(u32::MAX);
    if whole > here.into() {
        return Err((ErrorKind::Short { needed, left: here }, 4));
    }
    let (pad, left) = (whole.next_multiple_of(4) - whole, here - needed);
    if pad > left.into() {
        return Err((ErrorKind::Short { needed: pad as u32, left }, 4 + needed));
    }
    Ok(())
}

/// Every length, before every number of bytes that is near it.
#[track_caller]
fn every_length(field: Variable, handle: Handle) {
    let (max, size) = match field {
        Variable::Bytes(max) => (max, 1),
        Variable::Items(max, size) => (max, size),
    };
    let mut accepted = 0;
    for len in lengths(max) {
        let whole = u64::from(len) * size;
        for here in [0, 1, 4, 8, 24].into_iter().chain(whole.saturating_sub(5)..whole + 5) {
            let Some(here) = u32::try_from(here).ok().filter(|here| *here < 70_000) else {
                continue;
            };
            let mut bytes = vec![0; 4 + here as usize];
            bytes[..4].copy_from_slice(&len.to_be_bytes());
            for policy in [Policy::Strict, Policy::Lenient] {
                let got = handle(&bytes, &Limits { policy, ..UNLIMITED });
                let got = got.map_err(|error| (error.kind, error.offset));
                assert_eq!(got, expected(field, len, here), "length {len} before {here} bytes");
                accepted += u32::from(got.is_ok());
            }
        }
    }
    assert!(accepted > 0, "no length was accepted");
}

#[test]
fn lengths_of_every_kind_of_field() {
    use Variable::{Bytes, Items};
    every_length(Bytes(u32::MAX), |b, l| handle::<Opaque<'_>>(b, l));
    every_length(Bytes(5), |b, l| handle::<Opaque<'_, 5>>(b, l));
    every_length(Bytes(64), |b, l| handle::<Opaque<'_, 64>>(b, l));
    every_length(Bytes(65_535), |b, l| handle::<Opaque<'_, 65_535>>(b, l));
    every_length(Bytes(0), |b, l| handle::<Opaque<'_, 0>>(b, l));
    every_length(Bytes(u32::MAX - 1), |b, l| handle::<Opaque<'_, { u32::MAX - 1 }>>(b, l));
    every_length(Bytes(u32::MAX), |b, l| handle::<Text<'_>>(b, l));
    every_length(Bytes(255), |b, l| handle::<Text<'_, 255>>(b, l));
    every_length(Bytes(u32::MAX), |b, l| handle::<Payload<'_>>(b, l));
    every_length(Items(u32::MAX, 4), |b, l| handle::<Array<'_, u32>>(b, l));
    every_length(Items(16, 4), |b, l| handle::<Array<'_, i32, 16>>(b, l));
    every_length(Items(3, 8), |b, l| handle::<Array<'_, u64, 3>>(b, l));
    every_length(Items(u32::MAX, 4), |b, l| handle::<Array<'_, bool>>(b, l));
    every_length(Items(6, 8), |b, l| handle::<Array<'_, [u8; 7], 6>>(b, l));
    // Elements of no fixed size: at least a word each, and of zeros that is what they take.
    every_length(Items(u32::MAX, 4), |b, l| handle::<Array<'_, Opaque<'_>>>(b, l));
    every_length(Items(9, 4), |b, l| handle::<Array<'_, ListPtr<'_>, 9>>(b, l));
    every_length(Items(9, 4), |b, l| handle::<Array<'_, Option<u64>, 9>>(b, l));
}

/// The same in the lengths of the limits, which hold for every field.
#[test]
fn lengths_around_the_limits() {
    let limits = Limits { max_items: 5, max_payload: 5, ..Limits::STRICT };
    for len in lengths(5) {
        let mut bytes = vec![0; 64];
        bytes[..4].copy_from_slice(&len.to_be_bytes());
        let kind = |got: Result<(), DecodeError>| got.map_err(|error| error.kind);
        let long = ErrorKind::TooLong { len, limit: 5 };
        let many = ErrorKind::TooMany { count: len, limit: 5 };
        let within = len <= 5;
        assert_eq!(kind(handle::<Payload<'_>>(&bytes, &limits)), within.then_some(()).ok_or(long));
        let counted = [
            kind(handle::<Array<'_, u64>>(&bytes, &limits)),
            kind(handle::<Array<'_, Text<'_>, 1000>>(&bytes, &limits)),
        ];
        assert_eq!(counted, [within.then_some(()).ok_or(many); 2]);
    }
}

/// Every word of every message, whatever it is, as each of these: lengths and counts, discriminants,
/// enumerations, booleans and links among them.
#[test]
fn every_word_of_every_message() {
    const MAXIMA: [u32; 11] = [2, 5, 7, 8, 16, 32, 255, 65_535, 1 << 20, 64 << 20, 0x4000_0000];
    let mut values: Vec<u32> = MAXIMA.into_iter().flat_map(lengths).collect();
    values.sort_unstable();
    values.dedup();
    let (mut accepted, mut refused) = (0, 0);
    for (name, handle, good) in vectors() {
        for at in (0..good.len().min(160)).step_by(4) {
            let mut bytes = good.clone();
            for value in &values {
                bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
                for limits in [&Limits::STRICT, &Limits::LENIENT, &UNLIMITED] {
                    match handle(&bytes, limits) {
                        Ok(()) => accepted += 1,
                        Err(error) => {
                            refused += 1;
                            assert!(!error.to_string().is_empty(), "{name}");
                        }
                    }
                }
            }
        }
    }
    assert!(accepted > 10_000 && refused > 10_000, "{accepted} accepted, {refused} refused");
}

//--- Products of count and size ---

/// Counts whose product with the element's size is just below, at and above 2^32, and the largest.
fn product(size: u64, handle: Handle) {
    let around = (1u64 << 32) / size;
    for count in [around - 1, around, around + 1, 2 * around, 2 * around + 1, u64::from(u32::MAX)] {
        let Ok(count) = u32::try_from(count) else { continue };
        for here in [0u32, 4, 64, 60_000] {
            let mut bytes = vec![0; 4 + here as usize];
            bytes[..4].copy_from_slice(&count.to_be_bytes());
            let got = handle(&bytes, &UNLIMITED).map_err(|error| (error.kind, error.offset));
            assert_eq!(got, expected(Variable::Items(u32::MAX, size), count, here));
            assert!(got.is_err(), "{count} elements of {size} bytes");
        }
    }
}

#[test]
fn products_that_cross_32_bits() {
    product(4, |b, l| handle::<Array<'_, u32>>(b, l));
    product(8, |b, l| handle::<Array<'_, i64>>(b, l));
    product(12, |b, l| handle::<Array<'_, [u32; 3]>>(b, l));
    product(1000, |b, l| handle::<Array<'_, [u8; 997]>>(b, l));
    product(4096, |b, l| handle::<Array<'_, [u8; 4096]>>(b, l));
    product(4, |b, l| handle::<Array<'_, Array<'_, [u8; 4096]>>>(b, l));

    // Inner counts that are each fine, and not together.
    let inner = [2u32, 0x2000_0000, 0, 0x2000_0000, 0];
    let bytes: Vec<u8> = inner.iter().flat_map(|word| word.to_be_bytes()).collect();
    let error = handle::<Array<'_, Array<'_, u64>>>(&bytes, &UNLIMITED).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Short { needed: u32::MAX, left: 12 }, 8));
}

//--- Prefixes ---

/// Every prefix is too short; as the head of the whole message, its rest is not here.
#[test]
fn every_prefix() {
    for (name, handle, good) in vectors() {
        for cut in (0..good.len()).filter(|cut| *cut < 300 || cut % 1009 == 0) {
            for limits in [&Limits::STRICT, &Limits::LENIENT] {
                let error = handle(&good[..cut], limits).unwrap_err();
                assert!(matches!(error.kind, ErrorKind::Short { .. }), "{name} of {cut}: {error}");
            }
        }
    }
}

/// A payload that is still on the wire, in a message that ends within its pad: the same error as with
/// all bytes at hand.
#[test]
fn a_pad_that_is_missing_behind_the_head() {
    for payload in 1..=4u32 {
        let bytes: Vec<u8> = payload.to_be_bytes().into_iter().chain([0xaa; 4]).collect();
        let end = 4 + payload as usize;
        for len in end..end.next_multiple_of(4) {
            let mut message = bytes[..end].to_vec();
            message.resize(len, 0);
            let whole = Cursor::new(&message).decode::<Payload<'_>>().unwrap_err();
            let (needed, left) = ((8 - end) as u32, (len - end) as u32);
            assert_eq!(
                (whole.kind, whole.offset as usize),
                (ErrorKind::Short { needed, left }, end)
            );
            for cut in 4..end {
                let mut c = Cursor::head(&message[..cut], len as u32, &Limits::STRICT);
                assert_eq!(c.decode::<Payload<'_>>(), Err(whole), "{cut} of {len} bytes");
            }
        }
    }
}

//--- Pad bytes ---

/// What the data bytes of the values below are.
const DATA: u8 = 0xaa;

/// Each pad byte of a value, with other values than zero: an error at that byte in strict policy,
/// the same as zero in lenient. Data bytes beside them may have any value.
#[track_caller]
fn pads(hex: &str, pads: &[usize], handle: Handle) {
    let good = unhex(hex);
    assert_eq!(handle(&good, &Limits::STRICT), Ok(()));
    for at in (0..good.len()).filter(|at| good[*at] == DATA || pads.contains(at)) {
        for value in [1u8, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            let error = handle(&bytes, &Limits::STRICT).err();
            let padding = error.filter(|error| error.kind == ErrorKind::Padding);
            let offset = padding.map(|error| error.offset as usize);
            assert_eq!(offset, pads.contains(&at).then_some(at), "byte {at} is {value}: {error:?}");
            if pads.contains(&at) {
                assert_eq!(handle(&bytes, &Limits::LENIENT), Ok(()));
            }
        }
    }
}

#[test]
fn pad_bytes() {
    pads("00000001 aa000000", &[5, 6, 7], |b, l| handle::<Opaque<'_>>(b, l));
    pads("00000002 aaaa0000", &[6, 7], |b, l| handle::<Text<'_>>(b, l));
    pads("00000003 aaaaaa00", &[7], |b, l| handle::<Payload<'_>>(b, l));
    pads("00000004 aaaaaaaa", &[], |b, l| handle::<Opaque<'_, 4>>(b, l));
    pads("aa000000", &[1, 2, 3], |b, l| handle::<[u8; 1]>(b, l));
    pads("aaaaaaaa aaaaaa00", &[7], |b, l| handle::<Opaque7>(b, l));
    pads("00000002 00000001 aa000000 00000002 aaaa0000", &[9, 10, 11, 18, 19], |b, l| {
        handle::<ArrayOfString<'_>>(b, l)
    });
    pads("00000002 aaaaaaaaaaaaaa00 aaaaaaaaaaaaaa00", &[11, 19], |b, l| {
        handle::<ArrayOfOpaque7<'_>>(b, l)
    });
    pads("00000001 00000003 aaaaaa00", &[11], |b, l| handle::<OptionalString<'_>>(b, l));
    pads("00000001 00000001 aa000000 00000000", &[9, 10, 11], |b, l| {
        handle::<Chain<'_, Opaque<'_>>>(b, l)
    });
    pads("00000007 00000001 aa000000", &[9, 10, 11], |b, l| handle::<XdrUnion<'_>>(b, l));
}

//--- Words with few values ---

/// Words that are neither 0 nor 1, nor in an enumeration of the tests: sign, byte order, all bits.
const OUTSIDE: [u32; 8] =
    [3, 4, 0x0100_0000, 0x7fff_fffe, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0x0000_0100];

#[track_caller]
fn outside(hex: &str, at: usize, kind: fn(u32) -> ErrorKind, field: &str, handle: Handle) {
    let good = unhex(hex);
    assert_eq!(handle(&good, &Limits::STRICT), Ok(()));
    for value in OUTSIDE {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
        let error = handle(&bytes, &Limits::STRICT).unwrap_err();
        let name = error.field.map(ToString::to_string).unwrap_or_default();
        assert_eq!((error.kind, error.offset as usize, &*name), (kind(value), at, field));
        // The lenient forgive none of them.
        assert_eq!(handle(&bytes, &Limits::LENIENT).err(), Some(error));
    }
}

#[test]
fn booleans_enumerations_and_discriminants() {
    use ErrorKind::{Bool, Enum, Union};
    outside("00000001", 0, Bool, "", |b, l| handle::<bool>(b, l));
    outside("00000001 00000007", 0, Bool, "", |b, l| handle::<Option<u32>>(b, l));
    outside("00000001 00000007", 0, Bool, "xdr_optional_int.value", |b, l| {
        handle::<OptionalInt>(b, l)
    });
    outside("00000001 00000007 00000001 00000008 00000000", 8, Bool, "", |b, l| {
        handle::<ListPtr<'_>>(b, l)
    });
    outside("00000001 00000000 00000007", 0, Bool, "xdr_union_bool.present", |b, l| {
        handle::<UnionBool>(b, l)
    });
    outside("00000002 00000000 00000001", 8, Bool, "", |b, l| handle::<Array<'_, bool>>(b, l));
    outside("00000002", 0, Enum, "", |b, l| handle::<XdrEnum>(b, l));
    outside("00000001 00000000", 0, Enum, "filetype.kind", |b, l| handle::<FileType<'_>>(b, l));
    outside("00000000", 0, Enum, "xdr_union_nodefault.kind", |b, l| {
        handle::<UnionNoDefault<'_>>(b, l)
    });
    // A value of the enumeration that has no arm.
    let error = handle::<UnionNoDefault<'_>>(&unhex("7fffffff"), &Limits::STRICT).unwrap_err();
    assert_eq!((error.kind, error.offset), (Union(0x7fff_ffff), 0));
}

//--- Depth ---

/// A list of a million links, walked, compared, copied, sized, encoded, printed and streamed by a
/// thread whose stack would not hold a few thousand frames.
#[test]
fn a_million_links() {
    const LINKS: u32 = 1_000_000;
    let mut bytes: Vec<u8> = (0..LINKS).flat_map(|i| [1, i]).flat_map(u32::to_be_bytes).collect();
    bytes.extend([0; 4]);
    let walk = move || {
        let list: ListPtr<'_> = decode(&bytes, &Limits::STRICT).unwrap();
        assert_eq!(list.len(), LINKS);
        assert!(list.iter().zip(0..).all(|(item, i)| item == i));
        let copy = list;
        assert!(copy == list);
        assert_eq!(list.encoded_len(), bytes.len() as u64);
        handle::<ListPtr<'_>>(&bytes, &Limits::STRICT).unwrap();
        assert!(format!("{list:?}").len() > LINKS as usize);
        let mut stream = Cursor::new(&bytes).stream::<i32>();
        assert_eq!(stream.by_ref().count(), LINKS as usize);
        stream.finish().unwrap().finish().unwrap();

        let node: ListNode<'_> = decode(&bytes[4..], &Limits::STRICT).unwrap();
        assert_eq!(node.1.len(), LINKS - 1);

        // In pieces, where it must be made contiguous.
        let pieces: Vec<Piece<'_>> = bytes.chunks(4093).map(Piece::Here).collect();
        let mut scratch = vec![0; bytes.len()];
        let mut p = Pieces::new(&pieces, &mut scratch);
        assert!(p.decode::<ListPtr<'_>>().unwrap() == list);

        // Without its end, and with one link too many.
        let endless = &bytes[..bytes.len() - 4];
        let error = decode::<ListPtr<'_>>(endless, &Limits::STRICT).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Short { needed: 4, left: 0 });
        assert_eq!(error.offset as usize, endless.len());
        let limits = Limits { max_items: LINKS - 1, ..Limits::STRICT };
        let error = decode::<ListPtr<'_>>(&bytes, &limits).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooMany { count: LINKS, limit: LINKS - 1 });
        assert_eq!(error.offset, 8 * (LINKS - 1));
    };
    thread::Builder::new().stack_size(128 << 10).spawn(walk).unwrap().join().unwrap();
}

xdr_struct! {
    /// Lists in lists.
    "forest" => pub(crate) struct Forest<'a> {
        pub(crate) trees: Array<'a, Chain<'a, Array<'a, Option<Opaque<'a, 4>>>>>,
        pub(crate) eof: bool,
    }
}

/// Lists in lists are walked once each: the work is that of the bytes, not of their nesting.
#[test]
fn lists_in_lists() {
    let mut words = vec![300u32];
    for _ in 0..300 {
        for _ in 0..30 {
            words.extend([1, 2, 0, 1, 0]);
        }
        words.push(0);
    }
    words.push(1);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    handle::<Forest<'_>>(&bytes, &Limits::STRICT).unwrap();
    let value: Forest<'_> = decode(&bytes, &Limits::STRICT).unwrap();
    let options = value.trees.iter().flat_map(|tree| tree.iter().collect::<Vec<_>>());
    assert_eq!(options.map(|array| array.len()).sum::<u32>(), 300 * 30 * 2);
    for cut in (0..bytes.len()).step_by(9973) {
        let error = handle::<Forest<'_>>(&bytes[..cut], &Limits::STRICT).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Short { .. }), "{error}");
    }
}
