//! Every vector decodes, and encodes to the same bytes in each kind of head (D3, E1, E3, E6, E10).
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

use std::collections::HashSet;

use common::{encode, testdata, unhex};
use nfswire_xdr::{
    Cursor, Decode, DecodeError, Encode, ErrorKind, Limits, Payload, explain, from_bytes,
};
use types::*;

/// A type of the vectors: how to encode its values again, and how to decode any bytes.
struct Type {
    name: &'static str,
    round_trip: fn(&[u8]) -> Vec<u8>,
    decode: fn(&[u8], &Limits) -> Result<(), DecodeError>,
}

fn round_trip<'a, T: Decode<'a> + Encode<'a> + PartialEq + core::fmt::Debug>(
    bytes: &'a [u8],
) -> Vec<u8> {
    let value: T = from_bytes(bytes).unwrap();
    assert_eq!(
        explain::<T>(bytes, &Limits::STRICT),
        None,
        "the slow pass finds fault with good bytes"
    );
    let mut c = Cursor::with(bytes, &Limits::LENIENT);
    assert_eq!(c.decode::<T>().as_ref(), Ok(&value));
    assert_eq!((c.position(), c.remaining()), (bytes.len(), 0));
    let lenient: T = Cursor::with(bytes, &Limits::LENIENT).decode().unwrap();
    assert_eq!(encode(&lenient), bytes, "decoded leniently");
    encode(&value)
}

fn decode<'a, T: Decode<'a>>(bytes: &'a [u8], limits: &'a Limits) -> Result<(), DecodeError> {
    let mut c = Cursor::with(bytes, limits);
    let value = c.decode::<T>();
    if let Err(error) = value {
        assert_eq!(c.position(), 0, "an error moved the position");
        assert_eq!(explain::<T>(bytes, limits).unwrap().error, error);
        return Err(error);
    }
    c.finish()
}

macro_rules! types {
    ($($name:literal => $t:ty),* $(,)?) => {
        &[$(Type {
            name: $name,
            round_trip: |bytes| round_trip::<$t>(bytes),
            decode: |bytes, limits| decode::<$t>(bytes, limits),
        }),*]
    };
}

const TYPES: &[Type] = with_xdr_types!(types);

/// The vectors of every type: its line in the file, for the messages, and its bytes.
fn vectors() -> Vec<(String, &'static Type, Vec<u8>)> {
    let text = testdata("vectors/xdr.jsonl");
    let parse = |(i, line): (usize, &str)| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = json["type"].as_str().unwrap();
        let origin = format!("xdr.jsonl:{} {name}", i + 1);
        let t = TYPES
            .iter()
            .find(|t| t.name == name)
            .unwrap_or_else(|| panic!("{origin}: no such type"));
        (origin, t, unhex(json["hex"].as_str().unwrap()))
    };
    text.lines().enumerate().map(parse).collect()
}

#[test]
fn round_trips() {
    let mut seen = HashSet::new();
    for (origin, t, bytes) in vectors() {
        assert_eq!((t.round_trip)(&bytes), bytes, "{origin}");
        seen.insert(t.name);
    }
    assert_eq!(seen.len(), TYPES.len(), "a type has no vector");
}

/// A vector that is cut anywhere is an error within what is left of it, in both policies.
#[test]
fn truncations() {
    for (origin, t, bytes) in vectors() {
        // Long ones are cut at the start, at the end and at some places between.
        let cuts = (0..bytes.len()).filter(|c| *c < 200 || bytes.len() - c < 200 || c % 997 == 0);
        for cut in cuts {
            for limits in [Limits::STRICT, Limits::LENIENT] {
                let error = (t.decode)(&bytes[..cut], &limits)
                    .err()
                    .unwrap_or_else(|| panic!("{origin} cut to {cut} bytes is accepted"));
                assert!(
                    matches!(error.kind, ErrorKind::Short { .. }),
                    "{origin} cut to {cut}: {error}"
                );
                assert!(error.offset as usize <= cut, "{origin} cut to {cut}: {error}");
                let ErrorKind::Short { needed, left } = error.kind else { continue };
                assert!(left < needed, "{origin} cut to {cut}: {error}");
            }
        }
    }
}

/// Bytes behind a value are an error in strict policy, at the end of the value, and ignored in lenient.
#[test]
fn trailing() {
    for (origin, t, mut bytes) in vectors() {
        let len = bytes.len() as u32;
        bytes.extend([0; 4]);
        let error = (t.decode)(&bytes, &Limits::STRICT).unwrap_err();
        assert_eq!((error.kind, error.offset), (ErrorKind::Trailing(4), len), "{origin}");
        assert_eq!((t.decode)(&bytes, &Limits::LENIENT), Ok(()), "{origin}");
    }
}

/// Any single damaged byte gives a value that encodes to the damaged bytes, or an error inside them.
#[test]
fn damage() {
    for (origin, t, bytes) in vectors() {
        for at in 0..bytes.len().min(80) {
            for flip in [0x01, 0xff] {
                let mut bad = bytes.clone();
                bad[at] ^= flip;
                match (t.decode)(&bad, &Limits::STRICT) {
                    Ok(()) => assert_eq!((t.round_trip)(&bad), bad, "{origin} damaged at {at}"),
                    Err(error) => assert!(
                        error.offset as usize <= bad.len(),
                        "{origin} damaged at {at}: {error}"
                    ),
                }
            }
        }
    }
}

/// Opaque data can be decoded as a payload, which is never copied and encodes as a segment.
#[test]
fn payloads() {
    for (origin, t, bytes) in vectors() {
        if t.name == "xdr_opaque_var" {
            let payload: Payload<'_> = from_bytes(&bytes).unwrap();
            let Payload::Borrowed(data) = payload else { panic!("{origin}: {payload:?}") };
            assert!(bytes.as_ptr_range().contains(&data.as_ptr()) || data.is_empty(), "{origin}");
            assert_eq!(encode(&payload), bytes, "{origin}");
        }
    }
}
