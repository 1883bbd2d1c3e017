//! Optional features: every type as text, in owned form, made of arbitrary bytes, and as a nom parser.
#![cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]

use nfswire_nfs4::{
    FileHandle, OpNum, Status,
    attrs::{AttrSet, Fattr},
    compound::{Argop, CompoundArgs, CompoundReply, Resop},
    ops::filehandle::{PutfhArgs, PutfhReply},
};
use nfswire_xdr::{
    Cursor, Owned, Rebind,
    arbitrary::{Arbitrary, Unstructured},
    from_bytes,
    nom::xdr,
    proptest::any_owned,
    serde::{DeserializeXdr, SerializeXdr, Value},
};
use nom::Parser;
use proptest::test_runner::{Config, TestRunner};

/// What the tables of types make here of each: see `common/mod.rs`, which makes other things of them.
struct Type {
    area: &'static str,
    name: &'static str,
    vector: fn(&[u8]),
    arbitrary: fn(&[u8]) -> Option<Vec<u8>>,
}

/// To JSON, back, and through the parser.
fn vector<T>(bytes: &[u8])
where
    T: Rebind + DeserializeXdr,
    for<'a> T::At<'a>: SerializeXdr + PartialEq,
{
    let owned = Owned::<T>::from_wire(bytes).unwrap();
    let value = owned.get().unwrap();
    let text = serde_json::to_string(&Value(&value)).unwrap();
    let back: Owned<T> = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(back.as_bytes(), bytes, "{text}");
    let (rest, parsed) = xdr::<T::At<'_>>().parse(Cursor::new(bytes)).unwrap();
    assert_eq!((parsed, rest.remaining()), (value, 0));
}

/// A value made of any bytes, on the wire. There is none if the bytes do not suffice.
fn arbitrary<T>(bytes: &[u8]) -> Option<Vec<u8>>
where
    T: Rebind,
    for<'a> T::At<'a>: Arbitrary<'a>,
{
    let value = T::At::arbitrary(&mut Unstructured::new(bytes)).ok()?;
    Some(Owned::<T>::new(&value).unwrap().into_bytes().into())
}

macro_rules! types {
    ($table:ident $($area:literal { $($kind:ident $name:literal $t:ty;)+ })*) => {
        pub(crate) const $table: &[crate::Type] = &[$($(crate::Type {
            area: $area,
            name: $name,
            vector: |bytes| crate::types!(@ $kind bytes $t),
            arbitrary: |bytes| crate::arbitrary::<$t>(bytes),
        }),+),*];
    };
    // The list behind a node is looked at by `fields.rs`.
    (@ node $bytes:ident $t:ty) => {{
        let mut c = nfswire_xdr::Cursor::new($bytes);
        c.decode::<$t>().unwrap();
        crate::vector::<$t>(&$bytes[..c.position()])
    }};
    (@ $kind:ident $bytes:ident $t:ty) => {
        crate::vector::<$t>($bytes)
    };
}
use types;

#[allow(dead_code, unused_imports)]
#[path = "common/attrs.rs"]
mod attrs;
#[allow(dead_code, unused_imports)]
#[path = "common/cb.rs"]
mod cb;
#[allow(dead_code, unused_imports)]
#[path = "common/compound.rs"]
mod compound;
#[allow(dead_code, unused_imports)]
#[path = "common/ops_a.rs"]
mod ops_a;
#[allow(dead_code, unused_imports)]
#[path = "common/ops_b.rs"]
mod ops_b;
#[allow(dead_code, unused_imports)]
#[path = "common/shared.rs"]
mod shared;

fn all() -> impl Iterator<Item = &'static Type> {
    [shared::TYPES, attrs::TYPES, cb::TYPES, compound::TYPES, ops_a::TYPES, ops_b::TYPES]
        .into_iter()
        .flatten()
}

/// Type and bytes of each vector of an area.
fn vectors(area: &str) -> Vec<(String, Vec<u8>)> {
    let file = format!("{}/testdata/vectors/{area}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let parse = |line: &str| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let hex = json["hex"].as_str().unwrap();
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let bytes = (0..hex.len()).step_by(2).map(digit).collect();
        (json["type"].as_str().unwrap().to_owned(), bytes)
    };
    std::fs::read_to_string(file).unwrap().lines().map(parse).collect()
}

const AREAS: [&str; 9] = [
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

#[test]
fn every_vector() {
    let mut seen = 0;
    for area in AREAS {
        for (name, bytes) in vectors(area) {
            let t = all().find(|t| (t.area, t.name) == (area, &*name));
            (t.unwrap_or_else(|| panic!("{area}.{name} is in no table")).vector)(&bytes);
            seen += 1;
        }
    }
    assert!(seen > 2000, "only {seen} vectors");
}

/// Bytes of a generator; any will do.
fn noise(seed: u32, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        // Small numbers are the more interesting ones.
        if state & 0x300 == 0 { (state >> 24) as u8 } else { (state >> 24) as u8 & 3 }
    };
    (0..len).map(|_| next()).collect()
}

/// Arbitrary values are values: they come back from the wire, from text and from the parser.
#[test]
fn arbitrary_values() {
    let mut made = 0;
    for (i, t) in all().enumerate() {
        let mut of_this = 0;
        for n in 0..24 {
            let bytes = noise((i * 100 + n) as u32, n * n);
            let Some(wire) = (t.arbitrary)(&bytes) else { continue };
            (t.vector)(&wire);
            of_this += 1;
        }
        assert!(of_this > 0, "{}.{}: no value", t.area, t.name);
        made += of_this;
    }
    assert!(made > 10_000, "only {made} values");
}

/// The strategies of proptest, for the messages that have all others in them.
#[test]
fn strategies() {
    fn check<T>()
    where
        T: Rebind + DeserializeXdr + 'static,
        for<'a> T::At<'a>: SerializeXdr + PartialEq + Arbitrary<'a>,
    {
        let config = Config { failure_persistence: None, ..Config::with_cases(256) };
        let run = TestRunner::new(config).run(&any_owned::<T>(), |owned| {
            vector::<T>(owned.as_bytes());
            Ok(())
        });
        run.unwrap();
    }
    check::<CompoundArgs<'static>>();
    check::<CompoundReply<'static>>();
    check::<nfswire_nfs4::callback::CbCompoundArgs<'static>>();
    check::<nfswire_nfs4::callback::CbCompoundReply<'static>>();
}

#[test]
fn text() {
    let op = Argop::Putfh(PutfhArgs { object: FileHandle::new(&[1, 0xfe]).unwrap() });
    let text = r#"{"op":"OP_PUTFH","opputfh":{"object":"01fe"}}"#;
    assert_eq!(serde_json::to_string(&Value(&op)).unwrap(), text);
    let owned: Owned<Argop<'_>> = serde_json::from_str(text).unwrap();
    assert_eq!(owned.get(), Ok(op));

    let result = Resop::Putfh(PutfhReply { status: Status::STALE });
    let text = r#"{"op":"OP_PUTFH","opputfh":{"status":"NFS4ERR_STALE"}}"#;
    assert_eq!(serde_json::to_string(&Value(&result)).unwrap(), text);

    let fattr: Fattr<'_> = from_bytes(&[0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    assert_eq!((fattr.mask, fattr.values.as_bytes()), (AttrSet::default(), &[][..]));
    assert_eq!(serde_json::to_string(&Value(&OpNum::READ)).unwrap(), r#""OP_READ""#);
}
