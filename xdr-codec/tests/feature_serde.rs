//! Feature `serde`: every vector goes to JSON and to a binary format and comes back as the same
//! bytes; what the text looks like; what is refused, and how.
#![cfg(feature = "serde")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::std_instead_of_alloc
)]

mod common;
#[path = "common/types.rs"]
mod types;

use std::collections::HashSet;

use common::{testdata, unhex};
use nfswire_xdr::{
    Array, Chain, Decode, Encode, FileRange, Opaque, Owned, Payload, Piece, Rebind, Scattered,
    Text, from_bytes,
    serde::{DeserializeXdr, Deserializer, Out, Serialize, SerializeXdr, Serializer, Value},
    xdr_open_enum, xdr_struct, xdr_union,
};
use proptest::prelude::*;
use serde_json::json;
use types::*;

//--- A hand-written type ---

impl<'x, T: Decode<'x> + Clone + Rebind> Rebind for Node<'x, T> {
    type At<'a> = Node<'a, T::At<'a>>;
}

impl<'a, T: Decode<'a> + Clone + SerializeXdr> SerializeXdr for Node<'a, T> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (Value(&self.0), Value(&self.1)).serialize(serializer)
    }
}

impl<'a, T: Decode<'a> + Clone + DeserializeXdr> DeserializeXdr for Node<'a, T> {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        struct Pair<'o, 'v, T>(&'o mut Out<'v>, core::marker::PhantomData<T>);
        struct Seed<'o, 'v, T>(&'o mut Out<'v>, core::marker::PhantomData<T>);
        impl<'r, T: DeserializeXdr> serde::de::DeserializeSeed<'r> for Seed<'_, '_, T> {
            type Value = ();
            fn deserialize<D: Deserializer<'r>>(self, deserializer: D) -> Result<(), D::Error> {
                T::deserialize_xdr(deserializer, self.0)
            }
        }
        impl<'r, T: DeserializeXdr> serde::de::Visitor<'r> for Pair<'_, '_, T> {
            type Value = ();
            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("a node")
            }
            fn visit_seq<A: serde::de::SeqAccess<'r>>(self, mut seq: A) -> Result<(), A::Error> {
                seq.next_element_seed(Seed::<T>(self.0, core::marker::PhantomData))?.unwrap();
                seq.next_element_seed(Seed::<Chain<'_, T>>(self.0, core::marker::PhantomData))?
                    .unwrap();
                Ok(())
            }
        }
        deserializer.deserialize_tuple(2, Pair::<T>(out, core::marker::PhantomData))
    }
}

//--- Vectors ---

struct Type {
    name: &'static str,
    round_trip: fn(&[u8]) -> Vec<u8>,
}

fn round_trip<T>(bytes: &[u8]) -> Vec<u8>
where
    T: Rebind + DeserializeXdr,
    for<'a> T::At<'a>: SerializeXdr,
{
    let owned = Owned::<T>::from_wire(bytes.to_vec()).unwrap();
    assert_eq!(owned.as_bytes(), bytes);
    let value = owned.get().unwrap();
    assert_eq!(Owned::<T>::new(&value).unwrap(), owned);
    assert_eq!(format!("{owned:?}"), format!("{value:?}"));

    let text = serde_json::to_string(&owned).unwrap();
    assert_eq!(serde_json::to_string(&Value(&value)).unwrap(), text);
    let back: Owned<T> = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text:.300}"));
    assert_eq!(back, owned, "{text:.300}");

    let binary = postcard::to_allocvec(&owned).unwrap();
    let back: Owned<T> = postcard::from_bytes(&binary).unwrap();
    assert_eq!(back, owned, "{text:.300}");
    back.into_bytes().into()
}

macro_rules! types {
    ($($name:literal => $t:ty),* $(,)?) => {
        &[$(Type { name: $name, round_trip: round_trip::<$t> }),*]
    };
}

const TYPES: &[Type] = with_xdr_types!(types);

#[test]
fn vectors() {
    let mut seen = HashSet::new();
    for line in testdata("vectors/xdr.jsonl").lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = json["type"].as_str().unwrap();
        let bytes = unhex(json["hex"].as_str().unwrap());
        let t = TYPES.iter().find(|t| t.name == name).unwrap();
        assert_eq!((t.round_trip)(&bytes), bytes, "{name}");
        seen.insert(name.to_owned());
    }
    assert_eq!(seen.len(), TYPES.len(), "a type has no vector");
}

//--- What it looks like ---

xdr_open_enum! {
    /// Status.
    "nfsstat3" => pub struct Status { "NFS3_OK" OK = 0, "NFS3ERR_PERM" PERM = 1 }
}
xdr_struct! {
    /// An entry with names, numbers and an optional part.
    "entry3" => pub struct Entry<'a> {
        "fileid" => pub id: u64,
        pub names: Array<'a, Text<'a, 8>, 3>,
        pub verifier: [u8; 3],
        pub words: [i32; 2],
        pub limit: Option<u32>,
    }
}
xdr_union! {
    /// A list of lists, or why not.
    "READDIR3res" => pub enum Reply<'a> switch (status: Status) {
        case Status::OK => Entries(Chain<'a, Entry<'a>>),
        default => Fail(Payload<'a>),
    }
}

/// Compares a value's JSON, and what is read from that JSON.
#[track_caller]
fn same<T>(value: &T::At<'_>, expected: &str)
where
    T: Rebind + DeserializeXdr,
    for<'a> T::At<'a>: SerializeXdr,
{
    assert_eq!(serde_json::to_string(&Value(value)).unwrap(), expected);
    let owned: Owned<T> = serde_json::from_str(expected).unwrap();
    assert_eq!(owned, Owned::new(value).unwrap());
}

#[test]
fn text() {
    let names = [Text::new(b"a").unwrap(), Text::new(b"\xff\x00").unwrap()];
    let entry = Entry {
        id: u64::MAX,
        names: Array::from_slice(&names).unwrap(),
        verifier: [0, 0xab, 255],
        words: [-1, i32::MIN],
        limit: None,
    };
    let text = r#"{"fileid":18446744073709551615,"names":["a",{"bytes":"ff00"}],"verifier":"00abff","words":[-1,-2147483648],"limit":null}"#;
    same::<Entry<'_>>(&entry, text);

    let entries = [Entry { limit: Some(7), ..entry.clone() }, entry.clone()];
    let reply = Reply::Entries(Chain::from_slice(&entries));
    let first = text.replace("null", "7");
    let whole = format!(r#"{{"status":"NFS3_OK","Entries":[{first},{text}]}}"#);
    same::<Reply<'_>>(&reply, &whole);
    // A list that was decoded looks the same.
    let owned = Owned::<Reply<'_>>::new(&reply).unwrap();
    assert_eq!(serde_json::to_string(&owned.get().unwrap()).unwrap(), whole);

    let fail = Reply::Fail(Status(70), Payload::Borrowed(b"why"));
    same::<Reply<'_>>(&fail, r#"{"status":70,"Fail":"776879"}"#);
    same::<XdrUnion<'_>>(&XdrUnion::Nothing, r#"{"kind":0}"#);
    same::<UnionBool>(&UnionBool::Number(-5), r#"{"present":true,"Number":-5}"#);
    same::<XdrEnum>(&XdrEnum::Neg, r#""XE_NEG""#);
    same::<Status>(&Status(9), "9");
    same::<f32>(&0.1, r#""0.1""#);
    same::<f64>(&f64::NEG_INFINITY, r#""-inf""#);
    same::<f64>(&f64::from_bits(0x7ff0_0000_0000_0001), r#""0x7ff0000000000001""#);
    same::<()>(&(), "null");

    // Numbers are understood for closed enumerations and floating point too.
    assert_eq!(serde_json::from_str::<Owned<XdrEnum>>("-1").unwrap().get(), Ok(XdrEnum::Neg));
    assert_eq!(serde_json::from_str::<Owned<f64>>("0.5").unwrap().get(), Ok(0.5));
    assert_eq!(serde_json::from_str::<Owned<f32>>("-3").unwrap().get(), Ok(-3.0));
    assert_eq!(serde_json::from_str::<Owned<u32>>(" 7 ").unwrap().get(), Ok(7));
    assert_eq!(json!(Value(&Opaque::<'_, 4>::new(&[0xde, 0xad]).unwrap())), json!("dead"));
}

xdr_union! {
    /// An arm with a name in the RFC, one without, and one with that shares discriminants.
    "named" => pub enum NamedArms<'a> switch (n: u32) {
        case 0 => "resok" Ok(Text<'a>),
        case 1 => Same(u32),
        cases (2, 3) => "few" Few(u32),
        default => "resfail" Fail(u32),
    }
}

/// An arm goes by the RFC's name if it was given, else by ours.
#[test]
fn names_of_arms() {
    let ok = NamedArms::Ok(Text::try_from("x").unwrap());
    same::<NamedArms<'_>>(&ok, r#"{"n":0,"resok":"x"}"#);
    same::<NamedArms<'_>>(&NamedArms::Same(7), r#"{"n":1,"Same":7}"#);
    same::<NamedArms<'_>>(&NamedArms::Few(3, 7), r#"{"n":3,"few":7}"#);
    same::<NamedArms<'_>>(&NamedArms::Fail(9, 7), r#"{"n":9,"resfail":7}"#);
    refused::<NamedArms<'_>>(r#"{"n":0,"Ok":"x"}"#, "named has no field \"Ok\"");
    refused::<NamedArms<'_>>(r#"{"n":0}"#, "field \"resok\" of named is missing");
}

#[test]
fn payloads() {
    let pieces = [Piece::Here(&[1; 40]), Piece::Here(&[]), Piece::Here(&[2, 3])];
    let scattered = Payload::from(Scattered::new(&pieces).unwrap());
    let mut flat = [1; 42];
    flat[40..].copy_from_slice(&[2, 3]);
    let text = format!("\"{}0203\"", "01".repeat(40));
    assert_eq!(serde_json::to_string(&scattered).unwrap(), text);
    assert_eq!(serde_json::to_string(&Payload::Borrowed(&flat)).unwrap(), text);
    let owned: Owned<Payload<'_>> =
        postcard::from_bytes(&postcard::to_allocvec(&scattered).unwrap()).unwrap();
    assert_eq!(owned.get(), Ok(Payload::Borrowed(&flat)));

    let file = Payload::File(FileRange { token: 3, offset: 0, len: 5 });
    for payload in [file, Payload::Elsewhere { at: 8, len: 5 }] {
        let error = serde_json::to_string(&Reply::Fail(Status::PERM, payload)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the bytes of the payload are not in memory: it is a range of a file, or was not \
             received with its message"
        );
    }
}

//--- What is refused ---

#[track_caller]
fn refused<T: Rebind + DeserializeXdr>(text: &str, why: &str) {
    let error = serde_json::from_str::<Owned<T>>(text).unwrap_err().to_string();
    assert!(error.starts_with(why), "{error}");
}

#[test]
fn refusals() {
    let file = |rest: &str| format!(r#"{{"filename":"x","type":{{"kind":"TEXT"}},{rest}}}"#);
    let ok = file(r#""owner":"me","data":"""#);
    assert!(serde_json::from_str::<Owned<File<'_>>>(&ok).is_ok());

    refused::<File<'_>>(
        &file(r#""data":"","owner":"me""#),
        "field \"data\" of file is out of place: fields stand in wire order, and \"owner\" is next",
    );
    refused::<File<'_>>(&file(r#""owner":"me""#), "field \"data\" of file is missing");
    refused::<File<'_>>(&file(r#""owns":"me""#), "file has no field \"owns\"");
    refused::<File<'_>>(&file(r#""owner":"me","data":"","more":1"#), "file has no field \"more\"");
    refused::<File<'_>>(
        &file(r#""owner":"me","data":"","data":"""#),
        "field \"data\" of file is out of place: the value was complete before it",
    );
    refused::<File<'_>>(
        &file(r#""owner":"me","data":"abc""#),
        "invalid value: string \"abc\", expected bytes as an even number of hexadecimal digits",
    );
    refused::<File<'_>>(
        &file(&format!(r#""owner":"{}","data":"""#, "x".repeat(33))),
        "not a value of its type: in wire form, file.owner at byte 12: 33 bytes long, at most 32 allowed",
    );
    refused::<FileType<'_>>(r#"{"kind":"LINK"}"#, "no value of filekind has the name \"LINK\"");
    refused::<FileType<'_>>(r#"{"kind":5}"#, "kind: 5 is not a value of this enumeration");
    refused::<FileType<'_>>(
        r#"{"kind":"TEXT","Data":"x"}"#,
        "field \"Data\" of filetype is out of place",
    );
    refused::<FileType<'_>>(r#"{"kind":"DATA"}"#, "field \"Data\" of filetype is missing");
    refused::<UnionNoDefault<'_>>(
        r#"{"kind":"XE_BIG"}"#,
        "not a value of its type: in wire form, xdr_union_nodefault.kind at byte 0: discriminant 2147483647 selects no arm",
    );
    refused::<XdrEnum>("4294967296", "4294967296 does not fit the 32 bits of xdr_enum");
    refused::<XdrEnum>("7", "not a value of its type: in wire form, at byte 0: 7 is not a value");
    refused::<Status>("-1", "-1 does not fit the 32 bits of nfsstat3");
    refused::<ArrayMax4<'_>>("[1,2,3,4,5]", "the list has more than 4 elements");
    refused::<[i32; 3]>("[1,2]", "2 elements instead of 3");
    refused::<[i32; 3]>("[1,2,3,4]", "the list has more than 3 elements");
    refused::<[u8; 3]>("\"0102\"", "2 bytes instead of 3");
    refused::<Text<'_>>(r#"{"hex":"00"}"#, "\"hex\" instead of \"bytes\"");
    refused::<Text<'_>>(
        "{}",
        "invalid length 0, expected a string, or {\"bytes\": hexadecimal digits}",
    );
    refused::<f32>("\"x\"", "invalid value: string \"x\", expected a number, or its bits");

    // A union whose carried discriminant belongs to another arm is not written.
    let wrong = XdrUnion::Word(1, Text::new(b"x").unwrap());
    let error = serde_json::to_string(&wrong).unwrap_err();
    assert_eq!(error.to_string(), "the discriminant of xdr_union belongs to another arm");

    // Elements of no bytes: 2^60 of them announced, none of them paid for.
    let bomb = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
    assert!(postcard::from_bytes::<Owned<Array<'_, ()>>>(&bomb).is_err());
}

proptest! {
    /// Damaged text is a value or an error, and a value is one of its type.
    #[test]
    fn damage(at in 0usize..200, with in "[ -~]{0,3}") {
        let names = [Text::new(b"a").unwrap()];
        let entry = Entry {
            id: 1,
            names: Array::from_slice(&names).unwrap(),
            verifier: [1; 3],
            words: [1, 2],
            limit: Some(3),
        };
        let entries = [entry];
        let mut text =
            serde_json::to_string(&Reply::Entries(Chain::from_slice(&entries))).unwrap();
        let at = at % text.len();
        text.replace_range(at..=at, &with);
        if let Ok(owned) = serde_json::from_str::<Owned<Reply<'_>>>(&text) {
            let value = from_bytes::<Reply<'_>>(owned.as_bytes()).unwrap();
            prop_assert_eq!(value.encoded_len(), owned.as_bytes().len() as u64);
        }
    }
}
