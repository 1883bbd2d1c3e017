//! Feature `nom`: every type is a parser that gives what a cursor gives, errors included, and
//! composes with nom's own.
#![cfg(feature = "nom")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::std_instead_of_alloc
)]

#[path = "common/types.rs"]
mod types;

use nfswire_xdr::{
    Chain, Cursor, Decode, DecodeError, ErrorKind, Limits, Opaque, Text, nom::xdr, xdr_struct,
};
use nom::{
    Err, Parser,
    branch::alt,
    bytes::complete::{tag, take, take_until, take_while},
    combinator::{all_consuming, consumed, cut, eof, map, map_res, opt, peek, recognize, verify},
    error::{ErrorKind as Nom, context},
    multi::{count, fold_many0, length_count, length_data, many_till, many0, many1},
    number::complete::be_u32,
    sequence::{pair, preceded},
};
use types::*;

fn error<O: core::fmt::Debug>(result: Result<O, Err<DecodeError>>) -> DecodeError {
    match result {
        Err(Err::Error(error) | Err::Failure(error)) => error,
        other => panic!("{other:?}"),
    }
}

//--- Every type ---

struct Type {
    name: &'static str,
    check: fn(&[u8]),
}

/// At the start of a message and behind a word, whole and cut.
fn check<'a, T: Decode<'a> + PartialEq + core::fmt::Debug>(bytes: &'a [u8]) {
    for limits in [&Limits::STRICT, &Limits::LENIENT] {
        for skip in [0, 4] {
            let mut start = take::<_, _, DecodeError>(skip.min(bytes.len()));
            let mut c = start.parse(Cursor::with(bytes, limits)).unwrap().0;
            let result = xdr::<T>().parse(c);
            match c.decode::<T>() {
                Ok(expected) => {
                    let (rest, value) = result.unwrap();
                    assert_eq!(value, expected);
                    assert_eq!((rest.position(), rest.rest()), (c.position(), c.rest()));
                }
                Err(expected) => assert_eq!(error(result), expected),
            }
        }
    }
}

macro_rules! types {
    ($($name:literal => $t:ty),* $(,)?) => {
        &[$(Type { name: $name, check: |bytes| check::<$t>(bytes) }),*]
    };
}

const TYPES: &[Type] = with_xdr_types!(types);

#[test]
fn vectors() {
    for line in include_str!("../testdata/vectors/xdr.jsonl").lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = json["type"].as_str().unwrap();
        let bytes = hex::decode(json["hex"].as_str().unwrap()).unwrap();
        let t = TYPES.iter().find(|t| t.name == name).unwrap();
        for cut in (0..bytes.len()).filter(|cut| *cut < 40 || cut % 997 == 0).chain([bytes.len()]) {
            (t.check)(&bytes[..cut]);
        }
    }
}

//--- Combinators ---

xdr_struct! {
    /// A point.
    #[derive(Copy)]
    "point" => pub struct Point { pub x: u32, pub y: u32 }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[test]
fn sequences() {
    let bytes = words(&[1, 2, 3, 2, 10, 11, 12, 13]);
    let points = length_count(xdr::<u32>(), xdr::<Point>());
    let mut parser = all_consuming((xdr::<u32>(), pair(be_u32, xdr::<u32>()), points));
    let (rest, (a, (b, c), points)) = parser.parse(Cursor::new(&bytes)).unwrap();
    assert_eq!((a, b, c, rest.position()), (1, 2, 3, 32));
    assert_eq!(points, [Point { x: 10, y: 11 }, Point { x: 12, y: 13 }]);

    // The second point is cut: its field, and its place in the message.
    let error = error(parser.parse(Cursor::new(&bytes[..30])));
    assert_eq!(error.to_string(), "point.y at byte 28: need 4 bytes, 2 left");

    let (rest, points) = many0(xdr::<Point>()).parse(Cursor::new(&bytes[..28])).unwrap();
    assert_eq!((points.len(), rest.position(), rest.rest().len()), (3, 24, 4));
    let (rest, points) = count(xdr::<Point>(), 2).parse(Cursor::new(&bytes)).unwrap();
    assert_eq!((points.len(), rest.position()), (2, 16));
    let sum = fold_many0(xdr::<u32>(), || 0, |sum, word| sum + word);
    assert_eq!({ sum }.parse(Cursor::new(&bytes)).unwrap().1, 54);
    let mut till = many_till(xdr::<u32>(), tag(&[0, 0, 0, 11][..]));
    assert_eq!(till.parse(Cursor::new(&bytes)).unwrap().1.0, [1, 2, 3, 2, 10]);
    let (rest, point) = opt(xdr::<Point>()).parse(Cursor::new(&bytes[..7])).unwrap();
    assert_eq!((point, rest.position()), (None, 0));
}

#[test]
fn parts() {
    let bytes = words(&[8, 1, 2, 0x6162_6300, 5]);
    // A parser within counted bytes keeps counting from the start of the message.
    let (rest, mut inner) = length_data(xdr::<u32>()).parse(Cursor::new(&bytes)).unwrap();
    assert_eq!((inner.position(), inner.remaining(), rest.position()), (4, 8, 12));
    assert_eq!(inner.decode::<u64>(), Ok(0x1_0000_0002));
    let error = inner.decode::<u32>().unwrap_err();
    assert_eq!(error.to_string(), "at byte 12: need 4 bytes, 0 left");
    inner.finish().unwrap();

    let (rest, found) = take_until::<_, _, DecodeError>(&b"\0\0\0\x05"[..]).parse(rest).unwrap();
    assert_eq!((found.rest(), rest.position()), (&b"abc\0"[..], 16));
    let (_, (whole, _)) =
        consumed(pair(xdr::<u32>(), xdr::<u32>())).parse(Cursor::new(&bytes)).unwrap();
    assert_eq!(whole.rest(), &bytes[..8]);
    let (rest, skipped) = recognize(take_while::<_, _, DecodeError>(|byte| byte != 1))
        .parse(Cursor::new(&bytes))
        .unwrap();
    assert_eq!((skipped.rest().len(), rest.position()), (7, 7));
    let (rest, _) = peek(xdr::<u64>()).parse(Cursor::new(&bytes)).unwrap();
    assert_eq!(rest.position(), 0);
}

#[test]
fn errors() {
    let bytes = words(&[7, 3, 0, 9]);
    let at = |kind, offset| DecodeError { kind: ErrorKind::Nom(kind), offset, field: None };
    let c = Cursor::new(&bytes);

    let mut small = preceded(xdr::<u32>(), verify(xdr::<u32>(), |n| *n > 5));
    assert_eq!(error(small.parse(c)), at(Nom::Verify, 4));
    assert_eq!(
        at(Nom::Verify, 4).to_string(),
        "at byte 4: not accepted by a parser (predicate verification)"
    );
    let mut byte = preceded(
        xdr::<u64>(),
        map_res(xdr::<u64>(), |n| {
            u8::try_from(n - 8).map_err(drop).and_then(|n| n.checked_sub(9).ok_or(()))
        }),
    );
    assert_eq!(error(byte.parse(c)), at(Nom::MapRes, 8));
    assert_eq!(error(pair(xdr::<u32>(), tag(&b"ab"[..])).parse(c)), at(Nom::Tag, 4));
    assert_eq!(error(pair(xdr::<u32>(), eof).parse(c)), at(Nom::Eof, 4));
    assert_eq!(error(all_consuming(xdr::<u32>()).parse(c)), at(Nom::Eof, 4));
    assert_eq!(error(pair(xdr::<u64>(), take(9usize)).parse(c)), at(Nom::Eof, 8));
    let wrong = words(&[0, 0, 1]);
    let found = error(preceded(xdr::<Point>(), many1(xdr::<XdrEnum>())).parse(Cursor::new(&wrong)));
    assert_eq!((found.kind, found.offset), (ErrorKind::Enum(1), 8));

    // Of two alternatives the error of the one that came further.
    let text = |n: usize| words(&[7, 0, 0, 2])[..n].to_vec();
    let bytes = text(14);
    let mut either = alt((
        map(pair(xdr::<Point>(), xdr::<Point>()), |_| ()),
        map(xdr::<bool>(), |_| ()),
        map(context("a name", xdr::<Text<'_, 3>>()), |_| ()),
    ));
    let found = error(either.parse(Cursor::new(&bytes)));
    assert_eq!(found.to_string(), "point.y at byte 12: need 4 bytes, 2 left");
    let found = alt((cut(xdr::<bool>()), map(xdr::<u32>(), |_| true))).parse(Cursor::new(&bytes));
    assert!(matches!(
        found,
        Err(Err::Failure(DecodeError { kind: ErrorKind::Bool(7), offset: 0, .. }))
    ));

    // The policy goes with the cursor.
    let pad = *b"\0\0\0\x01a\0\x01\0";
    let found = error(xdr::<Opaque<'_>>().parse(Cursor::new(&pad)));
    assert_eq!((found.kind, found.offset), (ErrorKind::Padding, 6));
    let found = xdr::<Opaque<'_>>().parse(Cursor::with(&pad, &Limits::LENIENT)).unwrap();
    assert_eq!(found.1.as_bytes(), b"a");
    // A list deep inside says where it is wrong.
    let list = words(&[0, 1, 5, 1, 6, 2]);
    let found = error(preceded(be_u32, xdr::<Chain<'_, i32>>()).parse(Cursor::new(&list)));
    assert_eq!((found.kind, found.offset), (ErrorKind::Bool(2), 20));
    let long = words(&[0, 9, 0, 0, 0]);
    let found = error(preceded(be_u32, xdr::<Opaque<'_, 8>>()).parse(Cursor::new(&long)));
    assert_eq!((found.kind, found.offset), (ErrorKind::TooLong { len: 9, limit: 8 }, 4));
    assert!(size_of::<DecodeError>() <= 24);
}

/// Only the head of a message is here.
#[test]
fn heads() {
    let bytes = words(&[1, 2]);
    let c = Cursor::head(&bytes, 100, &Limits::STRICT);
    let (rest, one) = xdr::<u32>().parse(c).unwrap();
    assert_eq!((one, rest.remaining()), (1, 96));
    let (part, front) = take::<_, _, DecodeError>(2usize).parse(rest).unwrap();
    assert_eq!((front.remaining(), front.position(), part.remaining()), (2, 4, 94));
    let found = error(xdr::<u64>().parse(rest));
    assert_eq!((found.kind, found.offset), (ErrorKind::NotHere { needed: 8, here: 4 }, 4));
}
