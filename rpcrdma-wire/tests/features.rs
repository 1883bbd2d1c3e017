//! Optional features: every type as text, in owned form, made of arbitrary bytes, and as nom parsers.
#![cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic)]

#[path = "common/wire.rs"]
mod wire;

use nfswire_rdma::{
    cm::PrivateData,
    types::{
        Body, ChunkLists, ErrorBody, ErrorCode, Message, PaddedLists, Procedure, ReadSegment,
        Segment, VersionRange, WriteChunk,
    },
};
use nfswire_xdr::{
    Cursor, Owned, Rebind,
    arbitrary::Arbitrary,
    nom::xdr,
    proptest::any_owned,
    serde::{DeserializeXdr, SerializeXdr, Value},
};
use nom::Parser;
use proptest::test_runner::{Config, TestRunner};
use wire::vectors;

struct Type {
    name: &'static str,
    vector: fn(&[u8]) -> serde_json::Value,
    random: fn(),
}

/// To JSON, back, and through the parser.
fn vector<T>(bytes: &[u8]) -> serde_json::Value
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
    serde_json::from_str(&text).unwrap()
}

fn random<T>()
where
    T: Rebind + DeserializeXdr + 'static,
    for<'a> T::At<'a>: SerializeXdr + PartialEq + Arbitrary<'a>,
{
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(48) });
    let checked = runner.run(&any_owned::<T>(), |owned| {
        vector::<T>(owned.as_bytes());
        Ok(())
    });
    checked.unwrap();
}

macro_rules! types {
    ($($name:literal $t:ty;)*) => {
        &[$(Type { name: $name, vector: vector::<$t>, random: random::<$t> }),*]
    };
}

const TYPES: &[Type] = types! {
    "xdr_rdma_segment" Segment;
    "xdr_read_chunk" ReadSegment;
    "xdr_write_chunk" WriteChunk<'static>;
    "rpc_rdma_header" ChunkLists<'static>;
    "rpc_rdma_header_padded" PaddedLists<'static>;
    "rpc_rdma_errcode" ErrorCode;
    "rpc_rdma_errvers" VersionRange;
    "rpc_rdma_error" ErrorBody;
    "rdma_proc" Procedure;
    "rdma_body" Body<'static>;
    "rdma_msg" Message<'static>;
    "rpcrdma_cm_private_data" PrivateData;
};

/// Whether our JSON of a value says what the other implementation's does, which writes a union as
/// `disc` and `value`, and a linked list as a node with the rest of the list in it.
fn agrees(ours: &serde_json::Value, theirs: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Object};
    match (ours, theirs) {
        (Object(we), Object(they)) if they.contains_key("disc") => {
            we.values().any(|ours| *ours == they["disc"])
                && they.get("value").is_none_or(|t| we.values().any(|ours| agrees(ours, t)))
        }
        (Object(we), Object(they)) => {
            we.len() == they.len()
                && we.iter().all(|(k, ours)| they.get(k).is_some_and(|t| agrees(ours, t)))
        }
        (Array(we), serde_json::Value::Null) => we.is_empty(),
        (Array(we), Object(they)) => match we.split_first() {
            Some((first, rest)) => {
                agrees(first, &they["entry"]) && agrees(&Array(rest.to_vec()), &they["next"])
            }
            None => false,
        },
        (Array(we), Array(they)) => {
            we.len() == they.len() && we.iter().zip(they).all(|(ours, theirs)| agrees(ours, theirs))
        }
        _ => ours == theirs,
    }
}

#[test]
fn every_vector() {
    let mut seen = 0;
    for vector in vectors() {
        let Some(t) = TYPES.iter().find(|t| t.name == vector.type_name) else { continue };
        let ours = (t.vector)(&vector.bytes);
        seen += 1;
        if t.name != "rpcrdma_cm_private_data" {
            assert!(agrees(&ours, &vector.json), "{}: {ours} and {}", t.name, vector.json);
            continue;
        }
        let data = PrivateData::from_prefix(&vector.bytes).unwrap();
        let theirs = &vector.json;
        assert_eq!(data.send_size(), theirs["send_size"]);
        assert_eq!(data.receive_size(), theirs["receive_size"]);
        assert_eq!(data.remote_invalidation(), theirs["remote_invalidation"]);
        let made =
            PrivateData::new(data.send_size(), data.receive_size(), data.remote_invalidation());
        assert_eq!(made.map(|made| made.to_bytes().to_vec()), Some(vector.bytes));
    }
    assert!(seen > 60, "only {seen} vectors");
}

#[test]
fn random_values() {
    TYPES.iter().for_each(|t| (t.random)());
}
