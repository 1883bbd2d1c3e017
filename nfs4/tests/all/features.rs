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

use crate::common::{AREAS, all, find, vectors};

/// To JSON, back, and through the parser.
pub(crate) fn whole<T>(bytes: &[u8])
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
pub(crate) fn arbitrary<T>(bytes: &[u8]) -> Option<Vec<u8>>
where
    T: Rebind,
    for<'a> T::At<'a>: Arbitrary<'a>,
{
    let value = T::At::arbitrary(&mut Unstructured::new(bytes)).ok()?;
    Some(Owned::<T>::new(&value).unwrap().into_bytes().into())
}

/// The item of a list's node. The list behind it is looked at by `fields.rs`.
pub(crate) fn node<T>(bytes: &[u8])
where
    T: Rebind + DeserializeXdr,
    for<'a> T::At<'a>: SerializeXdr + PartialEq,
{
    let mut c = Cursor::new(bytes);
    c.decode::<T::At<'_>>().unwrap();
    whole::<T>(&bytes[..c.position()]);
}

#[test]
fn every_vector() {
    let mut seen = 0;
    for area in AREAS {
        for vector in vectors(area) {
            let t = find(area, &vector.type_name);
            (t.unwrap_or_else(|| panic!("{} is in no table", vector.origin)).features)(
                &vector.bytes,
            );
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
            (t.features)(&wire);
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
            whole::<T>(owned.as_bytes());
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
