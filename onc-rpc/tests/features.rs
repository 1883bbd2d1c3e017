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
use nfswire_rpc::{
    AuthSys, CallBody, Groups, OpaqueAuth, ReplyBody, RpcMessage,
    portmap::{CallitArgs, CallitReply, Mapping, MappingList},
    rpcbind::{
        Entry, EntryList, Netbuf, Netid, RmtcallArgs, RmtcallReply, Rpcb, RpcbList, Stat,
        StatByVersion,
    },
};
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

#[test]
fn rpcbind_vectors() {
    let mut seen = 0;
    for area in ["portmap", "rpcbind"] {
        for line in testdata(&format!("vectors/{area}.jsonl")).lines() {
            let vector: serde_json::Value = serde_json::from_str(line).unwrap();
            let bytes = unhex(vector["hex"].as_str().unwrap());
            match vector["type"].as_str().unwrap() {
                "mapping" => check::<Mapping>(&bytes),
                "pmaplist" => check::<MappingList<'_>>(&bytes),
                "call_args" => check::<CallitArgs<'_>>(&bytes),
                "call_result" => check::<CallitReply<'_>>(&bytes),
                "rpcb" => check::<Rpcb<'_>>(&bytes),
                "rpcblist_ptr" => check::<RpcbList<'_>>(&bytes),
                "rpcb_rmtcallargs" => check::<RmtcallArgs<'_>>(&bytes),
                "rpcb_rmtcallres" => check::<RmtcallReply<'_>>(&bytes),
                "rpcb_entry" => check::<Entry<'_>>(&bytes),
                "rpcb_entry_list_ptr" => check::<EntryList<'_>>(&bytes),
                "rpcb_stat" => check::<Stat<'_>>(&bytes),
                "rpcb_stat_byvers" => check::<StatByVersion<'_>>(&bytes),
                "netbuf" => check::<Netbuf<'_>>(&bytes),
                _ => continue,
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 13 * 8);
}

/// A netid is its name, not a structure of one.
#[test]
fn rpcbind_text() {
    let rpcb = Rpcb::query(100_003, 3, Netid::TCP6);
    let text = r#"{"r_prog":100003,"r_vers":3,"r_netid":"tcp6","r_addr":"","r_owner":""}"#;
    assert_eq!(serde_json::to_string(&rpcb).unwrap(), text);
    let owned: Owned<Rpcb<'_>> = serde_json::from_str(text).unwrap();
    assert_eq!(owned.get(), Ok(rpcb));
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

    #[test]
    fn random_bindings(
        rpcb in any_owned::<Rpcb<'static>>(),
        list in any_owned::<EntryList<'static>>(),
        stats in any_owned::<StatByVersion<'static>>(),
        netid in any_owned::<Netid<'static>>(),
    ) {
        check::<Rpcb<'_>>(rpcb.as_bytes());
        check::<EntryList<'_>>(list.as_bytes());
        check::<StatByVersion<'_>>(stats.as_bytes());
        check::<Netid<'_>>(netid.as_bytes());
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
