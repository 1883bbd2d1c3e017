//! Owned values: they outlive what they were made of, can be keys, and hold what they say.
#![cfg(feature = "alloc")]
#![allow(missing_docs, clippy::unwrap_used, clippy::arithmetic_side_effects)]

#[path = "common/types.rs"]
mod types;

use std::collections::HashMap;

use nfswire_xdr::{
    Array, Chain, EncodeError, ErrorKind, FileRange, Opaque, Owned, Payload, Piece, Scattered,
    Text, from_bytes,
};
use types::*;

fn make() -> Owned<Mixed<'static>> {
    let name = String::from("name");
    let numbers = vec![1, -2, 3];
    let mixed = Mixed {
        flag: true,
        pad1: Opaque::new(b"pad").unwrap(),
        big: -1,
        name: Text::new(name.as_bytes()).unwrap(),
        choice: XdrUnion::Number(5),
        chain: Chain::from_slice(&numbers),
        ratio: 0.5.into(),
    };
    Owned::new(&mixed).unwrap()
}

#[test]
fn outlives() {
    let owned = make();
    let mixed = owned.get().unwrap();
    assert_eq!(mixed.name.as_bytes(), b"name");
    assert_eq!(mixed.chain.iter().collect::<Vec<_>>(), [1, -2, 3]);
    assert!(owned.as_bytes().as_ptr_range().contains(&mixed.name.as_bytes().as_ptr()));
    assert_eq!(format!("{owned:?}"), format!("{mixed:?}"));

    let copy = owned.clone();
    let flag = std::thread::spawn(move || copy.get().unwrap().flag).join().unwrap();
    assert!(flag);

    let mut cache = HashMap::new();
    cache.insert(owned.clone(), 1);
    assert_eq!(cache.get(&make()), Some(&1));
    assert_eq!(Owned::<Mixed<'_>>::from_wire(owned.clone().into_bytes()).unwrap(), owned);
}

#[test]
fn payloads() {
    let pieces = [Piece::Here(b"ab"), Piece::Here(b"c")];
    let payload = Payload::from(Scattered::new(&pieces).unwrap());
    let owned = Owned::<Option<Payload<'_>>>::new(&Some(payload)).unwrap();
    assert_eq!(owned.as_bytes(), b"\0\0\0\x01\0\0\0\x03abc\0");
    assert_eq!(owned.get(), Ok(Some(Payload::Borrowed(b"abc"))));

    let file = Payload::File(FileRange { token: 1, offset: 0, len: u32::MAX });
    for payload in [file, Payload::Elsewhere { at: 0, len: 9 }] {
        let error = Owned::<Payload<'_>>::new(&payload).unwrap_err();
        assert_eq!(error, EncodeError::NotHere);
    }
    let wrong = XdrUnion::Word(1, Text::default());
    let error = Owned::<XdrUnion<'_>>::new(&wrong).unwrap_err();
    assert_eq!(error, EncodeError::Contradiction);
}

#[test]
fn refusals() {
    let mut bytes = make().into_bytes().into_vec();
    bytes.extend([0; 4]);
    let error = Owned::<Mixed<'_>>::from_wire(bytes.clone()).unwrap_err();
    assert_eq!((error.kind, error.offset as usize), (ErrorKind::Trailing(4), bytes.len() - 4));
    let error = Owned::<FileKind>::from_wire([0, 0, 0, 3]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Enum(3));
}

/// Elements that have no bytes are counted all the same.
#[test]
fn lists_of_nothing() {
    let list: Array<'_, ()> = from_bytes(&[0, 0, 0, 3]).unwrap();
    assert_eq!((list.len(), list.iter().count()), (3, 3));
    assert_eq!(list, Array::from_slice(&[(); 3]).unwrap());
    assert_eq!(Owned::<Array<'_, ()>>::new(&list).unwrap().as_bytes(), [0, 0, 0, 3]);
}
