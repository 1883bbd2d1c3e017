//! Feature `arbitrary`: values of every type, of any bytes, are within their bounds and survive the
//! wire; every arm, every value and lists of any length are made.
#![cfg(feature = "arbitrary")]
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

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};
use nfswire_xdr::{
    Array, Chain, Chunk, Decode, Encode, Encoder, List, Payload, Segments, from_bytes,
    xdr_open_enum, xdr_struct, xdr_union,
};
use proptest::prelude::*;
use types::*;

xdr_open_enum! {
    /// Status.
    "nfsstat3" => pub struct Status { "NFS3_OK" OK = 0, "NFS3ERR_PERM" PERM = 1 }
}
xdr_struct! {
    /// An entry with a list of its own.
    "entry3" => pub struct Entry<'a> {
        pub id: u64,
        pub names: Array<'a, StringMax7<'a>, 5>,
        pub verifier: [u8; 3],
        pub words: [i32; 2],
        pub kind: FileKind,
        pub file: Option<FileType<'a>>,
    }
}
xdr_union! {
    /// A list of lists, or why not; last a payload.
    "READDIR3res" => pub enum Reply<'a> switch (status: Status) {
        case Status::OK => Entries(Chain<'a, Entry<'a>>),
        case Status::PERM => Nothing,
        default => Fail(Payload<'a>),
    }
}
xdr_union! {
    /// There is no discriminant for the default.
    "all" => pub enum All switch (present: bool) {
        case true => Yes(u32),
        case false => No,
        default => Never,
    }
}
xdr_union! {
    /// The default is for large numbers only.
    "only" => pub enum Only switch (n: u32) { cases (7, 9) => Some, default => Rest }
}

/// The bytes of a value; checks that they are as many as it said, and within the bounds of its type.
fn encode<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let len = value.encoded_len();
    assert!(len >= T::MIN_LEN.into() && len <= T::MAX_LEN.into());
    let mut head = vec![0xff; len as usize];
    let mut segments = Segments::new();
    let mut e = Encoder::fixed(&mut head, &mut segments);
    e.put(value).unwrap();
    assert_eq!(e.finish(), len);
    let mut bytes = Vec::new();
    for chunk in segments.view(&head[..]).iter() {
        let Chunk::Bytes(part) = chunk else { panic!("{chunk:?}") };
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Makes a value of `noise`, and takes it over the wire.
fn over_the_wire<'a, T>(noise: &'a [u8]) -> T
where
    T: Arbitrary<'a> + Decode<'a> + Encode<'a> + Clone + core::fmt::Debug,
{
    let mut u = Unstructured::new(noise);
    let value = T::arbitrary(&mut u).unwrap_or_else(|error| panic!("{error}: {noise:?}"));
    let bytes = encode(&value);
    check::<T>(&bytes, &format!("{value:?}"));
    value
}

/// The bytes decode to what looks the same.
fn check<'n, T: Decode<'n> + core::fmt::Debug>(bytes: &[u8], looks: &str) {
    // The bytes are leaked in a test only, because `T` has the lifetime of the noise.
    let bytes: &'static [u8] = Vec::leak(bytes.to_vec());
    let decoded = from_bytes::<T>(bytes).unwrap_or_else(|error| panic!("{error}: {looks}"));
    assert_eq!(format!("{decoded:?}"), looks);
}

struct Type {
    name: &'static str,
    check: fn(&[u8]),
}

macro_rules! types {
    ($($name:literal => $t:ty),* $(,)?) => {
        &[$(Type { name: $name, check: |noise| { over_the_wire::<$t>(noise); } }),*]
    };
}

const TYPES: &[Type] = with_xdr_types!(types);

// By hand it decodes from the bytes themselves, which is what hand-written types do by default.
impl<'a, T: Decode<'a> + Clone> Arbitrary<'a> for Node<'a, T> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::arbitrary_value(u)
    }
}

proptest! {
    #[test]
    fn any_bytes(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        for t in TYPES.iter().filter(|t| t.name != "xdr_list") {
            (t.check)(&noise);
        }
        over_the_wire::<Reply<'_>>(&noise);
        over_the_wire::<All>(&noise);
        over_the_wire::<Only>(&noise);
        over_the_wire::<Array<'_, ()>>(&noise);
        over_the_wire::<Chain<'_, Chain<'_, Array<'_, u32, 2>>>>(&noise);
    }
}

/// Random bytes of a fixed seed.
fn noises() -> impl Iterator<Item = Vec<u8>> {
    let mut state = 1u64;
    (0..800).map(move |i| {
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..i % 400).map(|_| byte()).collect()
    })
}

#[test]
fn everything_is_made() {
    let mut seen = BTreeSet::new();
    for noise in noises() {
        match over_the_wire::<Reply<'_>>(&noise) {
            Reply::Entries(list) => {
                seen.insert(format!("{} entries", list.len().min(3)));
                for entry in list {
                    seen.insert(format!("{} names", entry.names.len()));
                    seen.insert(entry.kind.to_string());
                    match entry.file {
                        None => seen.insert("no file".into()),
                        Some(FileType::Text) => seen.insert("text".into()),
                        Some(FileType::Data(_)) => seen.insert("data".into()),
                        Some(FileType::Exec(_)) => seen.insert("exec".into()),
                    };
                }
            }
            Reply::Nothing => drop(seen.insert("nothing".into())),
            Reply::Fail(status, _) => {
                seen.insert("fail".into());
                assert!(status != Status::OK && status != Status::PERM);
            }
        }
        seen.insert(format!("{:?}", over_the_wire::<XdrEnum>(&noise)));
        match over_the_wire::<All>(&noise) {
            All::Yes(_) => drop(seen.insert("yes".into())),
            All::No => drop(seen.insert("no".into())),
            All::Never(_) => panic!("a boolean that is neither"),
        }
        match over_the_wire::<Only>(&noise) {
            Only::Some(n) => drop(seen.insert(format!("some {n}"))),
            Only::Rest(n) => assert!(n != 7 && n != 9),
        }
        if over_the_wire::<Status>(&noise).name().is_none() {
            seen.insert("unknown status".into());
        }
    }
    let expected = [
        "0 entries",
        "0 names",
        "1 entries",
        "1 names",
        "2 entries",
        "2 names",
        "3 entries",
        "3 names",
        "4 names",
        "5 names",
        "Big",
        "DATA",
        "EXEC",
        "Neg",
        "TEXT",
        "Two",
        "Zero",
        "data",
        "exec",
        "fail",
        "no",
        "no file",
        "nothing",
        "some 7",
        "some 9",
        "text",
        "unknown status",
        "yes",
    ];
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

/// A list is the same each time, in all that can be done with it, and borrows.
#[test]
fn lists() {
    for noise in noises().take(200) {
        let list: Chain<'_, Entry<'_>> = over_the_wire(&noise);
        let items: Vec<_> = list.iter().collect();
        assert_eq!(items.len(), list.len() as usize);
        assert_eq!(list, Chain::from_slice(&items));
        assert_eq!(list, list.clone());
        assert_eq!(encode(&list), encode(&Chain::from_slice(&items)));
        for name in items.iter().flat_map(|entry| &entry.names) {
            let bytes = name.as_bytes();
            assert!(bytes.is_empty() || noise.as_ptr_range().contains(&bytes.as_ptr()));
        }
    }
}

/// The list stays cheap to hand around.
#[test]
fn sizes() {
    assert!(size_of::<List<'_, u32, true, 7>>() <= 32);
    assert!(size_of::<Reply<'_>>() <= 48);
}

/// What borrows for longer can be used for shorter.
#[test]
fn covariance() {
    fn shorter<'s>(list: Chain<'static, Entry<'static>>, _: &'s str) -> Chain<'s, Entry<'s>> {
        list
    }
    let short = String::from("short");
    assert!(shorter(Chain::default(), &short).is_empty());
}
