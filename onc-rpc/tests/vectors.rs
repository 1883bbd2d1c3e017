//! Every vector of the independent implementation decodes, re-encodes to the same bytes (D3, E3), and
//! is refused when it is cut or prolonged.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

mod common;

use std::collections::BTreeMap;

use common::{check, testdata, unhex};
use nfswire_rpc::{
    AcceptStat, AcceptedReply, AuthFlavor, AuthStat, AuthSys, CallBody, FragmentHeader,
    MessageType, OpaqueAuth, RecordBuffer, RejectStat, RejectedReply, ReplyBody, ReplyStat,
    RpcMessage,
};
use nfswire_xdr::from_bytes;

#[test]
fn every_vector() {
    let mut seen = BTreeMap::<String, u32>::new();
    for line in testdata("vectors/rpc.jsonl").lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = vector["type"].as_str().unwrap();
        let mut bytes = unhex(vector["hex"].as_str().unwrap());
        bytes.extend([0; 4]);
        let bytes = &bytes[..];
        *seen.entry(name.to_owned()).or_default() += 1;
        match name {
            "auth_flavor" => check::<AuthFlavor>(name, bytes),
            "msg_type" => check::<MessageType>(name, bytes),
            "reply_stat" => check::<ReplyStat>(name, bytes),
            "accept_stat" => check::<AcceptStat>(name, bytes),
            "reject_stat" => check::<RejectStat>(name, bytes),
            "auth_stat" => check::<AuthStat>(name, bytes),
            "opaque_auth" => check::<OpaqueAuth<'_>>(name, bytes),
            "authsys_parms" => check::<AuthSys<'_>>(name, bytes),
            "call_body" => check::<CallBody<'_>>(name, bytes),
            "rejected_reply" => check::<RejectedReply>(name, bytes),
            "accepted_reply" => check::<AcceptedReply<'_>>(name, bytes),
            "reply_body" => check::<ReplyBody<'_>>(name, bytes),
            "rpc_msg" => check::<RpcMessage<'_>>(name, bytes),
            "record_fragment" => fragment(&bytes[..bytes.len() - 4], &vector["value"]),
            _ => panic!("{name} is not in this test"),
        }
    }
    assert_eq!(seen.len(), 14);
    assert_eq!(seen.values().sum::<u32>(), 97);
}

fn fragment(bytes: &[u8], value: &serde_json::Value) {
    let header = FragmentHeader::from_bytes(*bytes.first_chunk().unwrap());
    assert_eq!(header.is_last(), value["last"]);
    assert_eq!(usize::try_from(header.fragment_len()).unwrap(), bytes.len() - 4);
    assert_eq!(header.to_bytes(), bytes[..4]);
    let mut buffer = RecordBuffer::default();
    buffer.spare()[..bytes.len()].copy_from_slice(bytes);
    buffer.filled(bytes.len()).unwrap();
    let record = buffer.next_record().unwrap();
    assert_eq!(record, Some(&bytes[4..]).filter(|data| header.is_last() && !data.is_empty()));
}

#[test]
fn values_are_those_of_the_vectors() {
    let mut compared = 0;
    for line in testdata("vectors/rpc.jsonl").lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        let bytes = unhex(vector["hex"].as_str().unwrap());
        let value = &vector["value"];
        match vector["type"].as_str().unwrap() {
            "authsys_parms" => {
                let sys: AuthSys<'_> = from_bytes(&bytes).unwrap();
                assert_eq!(sys.stamp, value["stamp"]);
                assert_eq!(sys.uid, value["uid"]);
                assert_eq!(sys.gid, value["gid"]);
                let gids: Vec<u32> = serde_json::from_value(value["gids"].clone()).unwrap();
                assert_eq!(sys.gids.as_slice(), gids);
                if let Some(name) = value["machinename"].as_str() {
                    assert_eq!(sys.machine_name.as_bytes(), name.as_bytes());
                }
            }
            "call_body" => {
                let call: CallBody<'_> = from_bytes(&bytes).unwrap();
                assert_eq!(call.rpc_version, value["rpcvers"]);
                assert_eq!(call.program, value["prog"]);
                assert_eq!(call.version, value["vers"]);
                assert_eq!(call.procedure, value["proc"]);
                for (auth, value) in [(call.credential, "cred"), (call.verifier, "verf")]
                    .map(|(auth, name)| (auth, &value[name]))
                {
                    assert_eq!(auth.flavor.name(), value["flavor"].as_str());
                    if let Some(body) = value["body"].as_str() {
                        assert_eq!(auth.body.as_bytes(), unhex(body));
                    }
                }
            }
            "accept_stat" => {
                assert_eq!(from_bytes::<AcceptStat>(&bytes).unwrap().name(), value.as_str());
            }
            "auth_stat" => {
                assert_eq!(from_bytes::<AuthStat>(&bytes).unwrap().name(), value.as_str());
            }
            "msg_type" => {
                assert_eq!(Some(from_bytes::<MessageType>(&bytes).unwrap().name()), value.as_str());
            }
            _ => continue,
        }
        compared += 1;
    }
    assert_eq!(compared, 39);
}
