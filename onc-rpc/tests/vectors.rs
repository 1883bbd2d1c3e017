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

use common::{testdata, unhex};
use nfswire_rpc::{
    AcceptStat, AcceptedReply, AuthFlavor, AuthStat, AuthSys, CallBody, FragmentHeader,
    MessageType, OpaqueAuth, RecordBuffer, RejectStat, RejectedReply, ReplyBody, ReplyStat,
    RpcMessage,
};
use nfswire_xdr::{
    Cursor, Decode, Encode, Encoder, ErrorKind, Limits, Segments, explain, from_bytes,
};

fn encode<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    e.finish();
    segments.view(&head[..]).to_vec().unwrap()
}

/// Encodes field by field, one word a page.
fn encode_in_pages<'p, T: Encode<'p>>(value: &T, len: usize) -> Vec<u8> {
    let mut pages = vec![vec![0xee; 4]; len / 4 + 1];
    let mut segments = Segments::new();
    let mut refs: Vec<&mut [u8]> = pages.iter_mut().map(|page| &mut page[..]).collect();
    let mut e = Encoder::pages(&mut refs, &mut segments);
    e.put(value).unwrap();
    e.finish();
    pages.concat()[..len].to_vec()
}

/// `longer` is the vector with four bytes behind it.
fn check<'a, T>(name: &str, longer: &'a [u8])
where
    T: Decode<'a> + Encode<'a> + PartialEq + core::fmt::Debug,
{
    let bytes = &longer[..longer.len() - 4];
    let value: T = from_bytes(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(encode(&value), bytes, "{name}");
    assert_eq!(encode_in_pages(&value, bytes.len()), bytes, "{name}");
    assert_eq!(value.encoded_len(), bytes.len() as u64, "{name}");
    assert!(value.encoded_len() >= T::MIN_LEN.into() && value.encoded_len() <= T::MAX_LEN.into());
    assert!(explain::<T>(bytes, &Limits::STRICT).is_none());
    for cut in 0..bytes.len() {
        let error = from_bytes::<T>(&bytes[..cut]).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Short { .. }), "{name} cut at {cut}: {error}");
        // Received so far, the rest still on the wire.
        let head = u32::try_from(bytes.len()).unwrap();
        let error = Cursor::head(&bytes[..cut], head, &Limits::STRICT).decode::<T>().unwrap_err();
        assert!(matches!(error.kind, ErrorKind::NotHere { .. }), "{name} head of {cut}: {error}");
    }
    let mut c = Cursor::new(longer);
    assert_eq!(c.decode::<T>(), Ok(value), "{name}");
    assert_eq!(c.position(), bytes.len(), "{name}");
    assert_eq!(c.finish().unwrap_err().kind, ErrorKind::Trailing(4), "{name}");
}

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
