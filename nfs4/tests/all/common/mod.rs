//! Every type of the crate under its RFC name, and the test data.
//!
//! A table for each part of the crate. An entry is `declared` (made by a macro: every error names a
//! field), `alias` (a typedef or a type written by hand) or `node` (of a linked list).

#![allow(dead_code, reason = "each test crate uses a part")]

mod attrs;
mod cb;
mod compound;
mod ops_a;
mod ops_b;
mod shared;

use std::{fs, path::PathBuf};

use nfswire_xdr::{
    Chain, Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, Segments, from_bytes,
};

/// Decodes all of the bytes and encodes the value again.
type RoundTrip = fn(&[u8]) -> Result<Vec<u8>, DecodeError>;

/// The same without checks, into a head that is used again; the length of the message.
type Reencode = fn(&[u8], &mut Vec<u8>) -> Result<u64, DecodeError>;

/// A type of the RFCs.
pub(crate) struct Type {
    /// The vectors it is tested with: several for what later versions repeat.
    pub(crate) area: &'static str,
    pub(crate) name: &'static str,
    /// Made by one of the declaration macros: every error names a field.
    pub(crate) declared: bool,
    pub(crate) round_trip: RoundTrip,
    pub(crate) reencode: Reencode,
    /// What `serde` makes of the value.
    #[cfg(feature = "serde")]
    pub(crate) json: fn(&[u8]) -> serde_json::Value,
    /// Through all that the features make of the value, which must lead back to it.
    #[cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
    pub(crate) features: fn(&[u8]),
    /// A value made of any bytes, on the wire. There is none if the bytes do not suffice.
    #[cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
    pub(crate) arbitrary: fn(&[u8]) -> Option<Vec<u8>>,
}

/// Encodes into a head that grows; checks the length, and that a fixed head that is just long
/// enough gives the same bytes while a shorter one takes nothing.
pub(crate) fn encode<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let len = usize::try_from(value.encoded_len()).unwrap();
    assert!(len >= T::MIN_LEN as usize, "shorter than MIN_LEN");
    assert!(T::MAX_LEN == u32::MAX || len <= T::MAX_LEN as usize, "longer than MAX_LEN");

    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    assert_eq!(e.finish(), len as u64, "encoded_len");
    let bytes = segments.view(&head[..]).to_vec().unwrap();
    assert_eq!(bytes.len(), len, "encoded_len");

    let payload: usize =
        segments.view(&head[..]).iter().map(|chunk| chunk.len() as usize).max().unwrap_or(0);
    let mut fixed = vec![0xff; len];
    let mut segments = Segments::new();
    let mut e = Encoder::fixed(&mut fixed, &mut segments);
    e.put(value).unwrap();
    e.finish();
    assert_eq!(segments.view(&fixed[..]).to_vec().unwrap(), bytes, "fixed head");

    // The longest segment may be a payload, which needs no head.
    if let Some(short) =
        len.checked_sub(payload.next_multiple_of(4)).and_then(|head| head.checked_sub(4))
    {
        let mut segments = Segments::new();
        let mut e = Encoder::fixed(&mut fixed[..short], &mut segments);
        assert!(
            matches!(e.put(value), Err(EncodeError::NoSpace { .. })),
            "a head of {short} bytes"
        );
        assert_eq!(e.len(), 0, "half a value is left");
    }
    bytes
}

fn round_trip<'a, T: Decode<'a> + Encode<'a>>(bytes: &'a [u8]) -> Result<Vec<u8>, DecodeError> {
    from_bytes::<T>(bytes).map(|value| encode(&value))
}

fn reencode<'a, T: Decode<'a> + Encode<'a>>(
    bytes: &'a [u8],
    head: &mut Vec<u8>,
) -> Result<u64, DecodeError> {
    let value = from_bytes::<T>(bytes)?;
    let mut segments = Segments::new();
    let mut e = Encoder::growable(head, &mut segments);
    e.put(&value).unwrap();
    Ok(e.finish())
}

/// A list node of the RFCs: our item, and the list that hangs on its `next` pointer.
struct Node<'a, T>(T, Chain<'a, T>);

fn round_trip_node<'a, T: Decode<'a> + Encode<'a> + 'a>(
    bytes: &'a [u8],
) -> Result<Vec<u8>, DecodeError> {
    let mut c = Cursor::new(bytes);
    let node = Node(c.decode::<T>()?, c.decode()?);
    c.finish()?;
    let mut bytes = encode(&node.0);
    bytes.extend(encode(&node.1));
    Ok(bytes)
}

fn reencode_node<'a, T: Decode<'a> + Encode<'a> + 'a>(
    bytes: &'a [u8],
    head: &mut Vec<u8>,
) -> Result<u64, DecodeError> {
    let mut c = Cursor::new(bytes);
    let node = Node(c.decode::<T>()?, c.decode()?);
    c.finish()?;
    let mut segments = Segments::new();
    let mut e = Encoder::growable(head, &mut segments);
    e.put(&node.0).unwrap();
    e.put(&node.1).unwrap();
    Ok(e.finish())
}

#[cfg(feature = "serde")]
fn to_json<T: nfswire_xdr::serde::SerializeXdr>(value: &T) -> serde_json::Value {
    serde_json::to_value(nfswire_xdr::serde::Value(value)).unwrap()
}

/// As JSON, which must lead back to the same bytes.
#[cfg(feature = "serde")]
fn json<'a, T>(bytes: &'a [u8]) -> serde_json::Value
where
    T: Decode<'a>
        + nfswire_xdr::serde::SerializeXdr
        + nfswire_xdr::serde::DeserializeXdr
        + nfswire_xdr::Rebind,
{
    let value = from_bytes::<T>(bytes).unwrap();
    // Text: a discriminant must come first, and a parsed object forgets the order.
    let text = serde_json::to_string(&nfswire_xdr::serde::Value(&value)).unwrap();
    let back: nfswire_xdr::Owned<T> =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(back.as_bytes(), bytes, "{text}");
    to_json(&value)
}

/// The list that begins with the node.
#[cfg(feature = "serde")]
fn json_node<'a, T>(bytes: &'a [u8]) -> serde_json::Value
where
    T: Decode<'a> + Clone + nfswire_xdr::serde::SerializeXdr + 'a,
{
    let mut c = Cursor::new(bytes);
    let node = Node(c.decode::<T>().unwrap(), c.decode().unwrap());
    core::iter::once(node.0).chain(node.1.iter()).map(|item| to_json(&item)).collect()
}

macro_rules! types {
    ($table:ident $($area:literal { $($kind:ident $name:literal $t:ty;)+ })*) => {
        /// Types that are here, by area.
        pub(crate) const $table: &[$crate::common::Type] =
            &[$($($crate::common::types!(@ $area $kind $name $t)),+),*];
    };
    (@ $area:literal declared $name:literal $t:ty) => {
        $crate::common::types!(@@ $area $name true round_trip reencode json whole $t)
    };
    (@ $area:literal alias $name:literal $t:ty) => {
        $crate::common::types!(@@ $area $name false round_trip reencode json whole $t)
    };
    (@ $area:literal node $name:literal $t:ty) => {
        $crate::common::types!(@@ $area $name false round_trip_node reencode_node json_node node $t)
    };
    (@@ $area:literal $name:literal $declared:literal $round_trip:ident $reencode:ident $json:ident $features:ident $t:ty) => {
        $crate::common::Type {
            area: $area,
            name: $name,
            declared: $declared,
            round_trip: |bytes| $crate::common::$round_trip::<$t>(bytes),
            reencode: |bytes, head| $crate::common::$reencode::<$t>(bytes, head),
            #[cfg(feature = "serde")]
            json: |bytes| $crate::common::$json::<$t>(bytes),
            #[cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
            features: |bytes| $crate::features::$features::<$t>(bytes),
            #[cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
            arbitrary: |bytes| $crate::features::arbitrary::<$t>(bytes),
        }
    };
}

use types;

/// Every area of which there are vectors.
pub(crate) const AREAS: &[&str] = &[
    "nfs40",
    "nfs41",
    "nfs42",
    "nfs4cb",
    "layout-block",
    "layout-files",
    "layout-flexfiles",
    "layout-objects",
    "layout-scsi",
];

/// Every type.
pub(crate) fn all() -> impl Iterator<Item = &'static Type> {
    [shared::TYPES, attrs::TYPES, cb::TYPES, compound::TYPES, ops_a::TYPES, ops_b::TYPES]
        .into_iter()
        .flatten()
}

/// Types of the vectors that are still missing: area and name.
pub(crate) fn pending() -> impl Iterator<Item = (&'static str, &'static str)> {
    [attrs::PENDING, cb::PENDING, compound::PENDING, ops_a::PENDING, ops_b::PENDING]
        .into_iter()
        .flatten()
        .flat_map(|(area, names)| names.iter().map(move |name| (*area, *name)))
}

pub(crate) fn find(area: &str, name: &str) -> Option<&'static Type> {
    all().find(|t| t.area == area && t.name == name)
}

pub(crate) fn testdata(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "testdata", path].iter().collect()
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte");
    let digit = |d: u8| u8::try_from(char::from(d).to_digit(16).expect("a hex digit")).unwrap();
    digits.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// A line of a vector file.
pub(crate) struct Vector {
    pub(crate) type_name: String,
    pub(crate) bytes: Vec<u8>,
    /// File and line, to be found again.
    pub(crate) origin: String,
}

/// Those of types that are there.
pub(crate) fn vectors(area: &str) -> Vec<Vector> {
    let file = testdata(&format!("vectors/{area}.jsonl"));
    let text = fs::read_to_string(file).unwrap();
    let parse = |(i, line): (usize, &str)| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| json[key].as_str().expect("a string");
        let origin = format!("{area}.jsonl:{} {}", i + 1, text("type"));
        Vector { type_name: text("type").to_owned(), bytes: unhex(text("hex")), origin }
    };
    let built = |vector: &Vector| !pending().any(|of| of == (area, &*vector.type_name));
    text.lines().enumerate().map(parse).filter(built).collect()
}
