//! Optional features: headers and credentials as text, in owned form, made of arbitrary bytes, and as
//! nom parsers.
#![cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

mod common;

use common::{testdata, unhex};
use nfswire_rpc::{AuthSys, CallBody, Groups, OpaqueAuth, ReplyBody, RpcMessage};
use nfswire_xdr::{
    Cursor, Owned, Rebind, Text,
    nom::xdr,
    proptest::any_owned,
    serde::{DeserializeXdr, SerializeXdr, Value},
};
use nom::Parser;
use proptest::prelude::*;

/// To JSON, back, and through the parser.
fn check<T>(bytes: &[u8])
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

#[test]
fn vectors() {
    let mut seen = 0;
    for line in testdata("vectors/rpc.jsonl").lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        let bytes = unhex(vector["hex"].as_str().unwrap());
        match vector["type"].as_str().unwrap() {
            "opaque_auth" => check::<OpaqueAuth<'_>>(&bytes),
            "authsys_parms" => check::<AuthSys<'_>>(&bytes),
            "call_body" => check::<CallBody<'_>>(&bytes),
            "reply_body" => check::<ReplyBody<'_>>(&bytes),
            "rpc_msg" => check::<RpcMessage<'_>>(&bytes),
            _ => continue,
        }
        seen += 1;
    }
    assert!(seen > 20, "only {seen} vectors");
}

proptest! {
    #[test]
    fn random_messages(
        message in any_owned::<RpcMessage<'static>>(),
        user in any_owned::<AuthSys<'static>>(),
        groups in any_owned::<Groups>(),
    ) {
        check::<RpcMessage<'_>>(message.as_bytes());
        check::<AuthSys<'_>>(user.as_bytes());
        check::<Groups>(groups.as_bytes());
        prop_assert!(groups.get()?.len() <= Groups::MAX);
    }
}

#[test]
fn text() {
    let user = AuthSys {
        stamp: 1,
        machine_name: Text::new(b"client1").unwrap(),
        uid: 1000,
        gid: 100,
        gids: Groups::new(&[27, 100]).unwrap(),
    };
    let text = r#"{"stamp":1,"machinename":"client1","uid":1000,"gid":100,"gids":[27,100]}"#;
    assert_eq!(serde_json::to_string(&user).unwrap(), text);
    let owned: Owned<AuthSys<'_>> = serde_json::from_str(text).unwrap();
    assert_eq!(owned.get(), Ok(user));

    let many = text.replace("27", &["27"; 16].join(","));
    let error = serde_json::from_str::<Owned<AuthSys<'_>>>(&many).unwrap_err().to_string();
    assert!(error.starts_with("the list has more than 16 elements"), "{error}");

    let auth = r#"{"flavor":"AUTH_SYS","body":"00"}"#;
    let owned: Owned<OpaqueAuth<'_>> = serde_json::from_str(auth).unwrap();
    assert_eq!(serde_json::to_string(&owned).unwrap(), auth);
}
