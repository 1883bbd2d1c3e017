//! RPCSEC_GSS: every vector of the independent implementation, every row of the protocol table, and the
//! optional features for every type.
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

use std::collections::{BTreeMap, BTreeSet};

use common::{check, encode, testdata, unhex};
use nfswire_rpc::gss::{
    Assertion, AssertionType, BindChannelMicInArgs, BindChannelMicInReply, BindChannelReply,
    BindChannelStatus, BindChannelVerifier, BindChannelVerifierReply, ChannelBinding,
    ChannelPrefix, ControlProcedure, CreateArgs, CreateReply, Credential, CredentialBody, InitArgs,
    InitReply, IntegData, Label, LabelFormat, ListArgs, ListItem, ListReply, ListedItem,
    MAX_SEQUENCE, MultiPrincipal, Oid, PrivData, Privileges, Service, Utf8Str, Utf8StrCs, Version,
};
use nfswire_xdr::{Cursor, Encode, ErrorKind, Limits, Payload, from_bytes};

/// Calls a macro with every type that has vectors, by its RFC name; `payload` are those with a payload.
macro_rules! with_types {
    ($call:ident) => {
        $call! {
            "rpc_gss_service_t" => Service,
            "rpc_gss_proc_t" => ControlProcedure,
            "rpc_gss_cred_vers_1_t" => CredentialBody<'_>,
            "rpc_gss_cred_t" => Credential<'_>,
            "rgss3_create_args" => CreateArgs<'_>,
            "rgss3_create_res" => CreateReply<'_>,
            "rgss3_assertion_type" => AssertionType,
            "rgss3_assertion_u" => Assertion<'_>,
            "rgss3_gss_mp_auth" => MultiPrincipal<'_>,
            "rgss3_chan_binding" => ChannelBinding<'_>,
            "rgss3_label" => Label<'_>,
            "rgss3_lfs" => LabelFormat,
            "utf8string" => Utf8Str<'_>,
            "utf8str_cs" => Utf8StrCs<'_>,
            "rgss3_privs" => Privileges<'_>,
            "rgss3_list_item" => ListItem,
            "rgss3_list_args" => ListArgs<'_>,
            "rgss3_list_item_u" => ListedItem<'_>,
            "rgss3_list_res" => ListReply<'_>,
            "rgss2_bind_chan_MIC_in_args" => BindChannelMicInArgs<'_>,
            "rgss2_chan_pref" => ChannelPrefix<'_>,
            "rgss2_oid" => Oid<'_>,
            "rgss2_bind_chan_verf_args" => BindChannelVerifier<'_>,
            "rgss2_bind_chan_status" => BindChannelStatus,
            "rgss2_bind_chan_res" => BindChannelReply<'_>,
            "rgss2_bind_chan_MIC_in_res" => BindChannelMicInReply<'_>,
            "rgss2_bind_chan_verf_res" => BindChannelVerifierReply<'_>,
            "rpc_gss_init_arg" => InitArgs<'_>,
            "rpc_gss_init_res" => InitReply<'_>,
            payload
            "rpc_gss_integ_data" => IntegData<'_>,
            "rpc_gss_priv_data" => PrivData<'_>,
        }
    };
}

/// A protected body: its payload is a segment of its own, and may still be on the wire.
fn body<'a, T>(name: &str, longer: &'a [u8], payload: impl Fn(&T) -> &Payload<'a>)
where
    T: nfswire_xdr::Decode<'a> + Encode<'a> + PartialEq + core::fmt::Debug,
{
    let bytes = &longer[..longer.len() - 4];
    let value: T = from_bytes(bytes).unwrap();
    assert_eq!(encode(&value), bytes, "{name}");
    assert_eq!(value.encoded_len(), bytes.len() as u64, "{name}");
    let data = payload(&value).as_slice().unwrap();
    assert!(bytes.as_ptr_range().contains(&data.as_ptr()) || data.is_empty());
    for cut in 0..bytes.len() {
        let error = from_bytes::<T>(&bytes[..cut]).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Short { .. }), "{name} cut at {cut}: {error}");
        let len = u32::try_from(bytes.len()).unwrap();
        match Cursor::head(&bytes[..cut], len, &Limits::STRICT).decode::<T>() {
            Ok(head) => assert!(matches!(payload(&head), Payload::Elsewhere { .. }), "{name}"),
            Err(error) => assert!(matches!(error.kind, ErrorKind::NotHere { .. }), "{name}"),
        }
    }
    assert_eq!(from_bytes::<T>(longer).unwrap_err().kind, ErrorKind::Trailing(4), "{name}");
}

/// Names of the vectors' types, and how many there are of each.
fn vectors(mut one: impl FnMut(&str, &[u8])) -> BTreeMap<String, u32> {
    let mut seen = BTreeMap::new();
    for line in testdata("vectors/rpcsec_gss.jsonl").lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = vector["type"].as_str().unwrap();
        let mut bytes = unhex(vector["hex"].as_str().unwrap());
        bytes.extend([0; 4]);
        *seen.entry(name.to_owned()).or_default() += 1;
        one(name, &bytes);
    }
    seen
}

#[test]
fn every_vector() {
    macro_rules! one {
        (
            $($name:literal => $t:ty,)*
            payload $pn:literal => $pt:ty, $qn:literal => $qt:ty,
        ) => {
            |name: &str, bytes: &[u8]| match name {
                $($name => check::<$t>(name, bytes),)*
                $pn => body::<$pt>(name, bytes, |value| &value.body),
                $qn => body::<$qt>(name, bytes, |value| &value.body),
                _ => panic!("{name} is not in this test"),
            }
        };
    }
    let seen = vectors(with_types!(one));
    assert_eq!(seen.len(), 31);
    assert_eq!(seen.values().sum::<u32>(), 226);
}

/// RFC names of the enumeration `parent`, with their numbers.
fn values(parent: &str) -> Vec<(&'static str, u32)> {
    let closed = |all: &[(&'static str, i32)]| {
        all.iter().map(|(name, value)| (*name, value.cast_unsigned())).collect()
    };
    match parent {
        "rpc_gss_service_t" => Service::ALL.to_vec(),
        "rpc_gss_proc_t" => closed(ControlProcedure::ALL),
        "rgss3_assertion_type" => AssertionType::ALL.to_vec(),
        "rgss3_list_item" => ListItem::ALL.to_vec(),
        "rgss2_bind_chan_status" => closed(BindChannelStatus::ALL),
        // Constants that stand in no enumeration.
        "" => {
            let mut all: Vec<_> = closed(Version::ALL);
            all.push(("MAXSEQ", MAX_SEQUENCE));
            all
        }
        _ => panic!("enumeration {parent} is not here"),
    }
}

#[test]
fn every_row() {
    macro_rules! names {
        ($($name:literal => $t:ty,)* payload $($pn:literal => $pt:ty,)*) => {
            BTreeSet::from([$($name,)* $($pn,)*])
        };
    }
    let types = with_types!(names);
    let table = testdata("rpcsec_gss.tsv");
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    assert_eq!(rows.next().unwrap()[..5], ["area", "kind", "name", "number", "parent"]);
    let (mut numbers, mut named) = (0, BTreeSet::new());
    for row in rows {
        let (area, kind, name, number, parent) = (row[0], row[1], row[2], row[3], row[4]);
        assert_eq!(area, "rpcsec_gss");
        match (kind, name) {
            // The generic `Data`: tests/gss.rs has bodies with values of several types.
            ("struct", "rpc_gss_data_t") => {}
            ("enum" | "struct" | "union" | "typedef", _) => {
                assert!(types.contains(name), "{name}");
                assert!(kind != "enum" || !values(name).is_empty(), "{name}");
                assert!(named.insert(name), "{name} twice");
            }
            ("enum_value" | "status" | "const", _) => {
                let value = (name, number.parse().unwrap());
                assert!(values(parent).contains(&value), "{parent}.{name} = {number}");
                numbers += 1;
            }
            _ => panic!("row {row:?} is not understood"),
        }
    }
    assert_eq!(named, types);
    // And nothing more: every value of ours is in the table.
    let parents: Vec<_> =
        named.iter().filter(|name| table.contains(&format!("\tenum\t{name}\t"))).collect();
    let ours = parents.iter().map(|parent| values(parent).len()).sum::<usize>();
    assert_eq!(numbers, ours + values("").len());
}

#[cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
mod features {
    use nfswire_rpc::gss::Data;
    use nfswire_xdr::{
        Opaque, Owned, Rebind,
        nom::xdr,
        proptest::any_owned,
        serde::{DeserializeXdr, SerializeXdr, Value},
    };
    use nom::Parser;
    use proptest::prelude::*;

    use super::*;

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
    fn vectors_as_text() {
        macro_rules! one {
            ($($name:literal => $t:ty,)* payload $($pn:literal => $pt:ty,)*) => {
                |name: &str, longer: &[u8]| {
                    let bytes = &longer[..longer.len() - 4];
                    match name {
                        $($name => check::<$t>(bytes),)*
                        $($pn => check::<$pt>(bytes),)*
                        _ => panic!("{name} is not in this test"),
                    }
                }
            };
        }
        assert_eq!(vectors(with_types!(one)).len(), 31);
    }

    proptest! {
        #[test]
        fn random_values(
            credential in any_owned::<Credential<'static>>(),
            create in any_owned::<CreateReply<'static>>(),
            list in any_owned::<ListReply<'static>>(),
            bind in any_owned::<BindChannelVerifierReply<'static>>(),
            init in any_owned::<InitReply<'static>>(),
            signed in any_owned::<IntegData<'static>>(),
            data in any_owned::<Data<Opaque<'static, 64>>>(),
        ) {
            check::<Credential<'_>>(credential.as_bytes());
            check::<CreateReply<'_>>(create.as_bytes());
            check::<ListReply<'_>>(list.as_bytes());
            check::<BindChannelVerifierReply<'_>>(bind.as_bytes());
            check::<InitReply<'_>>(init.as_bytes());
            check::<IntegData<'_>>(signed.as_bytes());
            check::<Data<Opaque<'_, 64>>>(data.as_bytes());
        }
    }

    #[test]
    fn a_body_names_its_fields() {
        let data = Data { seq_num: 7, value: [1u8, 2, 3, 4] };
        let text = serde_json::to_string(&data).unwrap();
        assert_eq!(text, r#"{"seq_num":7,"arg":"01020304"}"#);
        let error = from_bytes::<Data<u64>>(&[0, 0, 0, 7, 0]).unwrap_err();
        assert_eq!(error.to_string(), "rpc_gss_data_t.arg at byte 4: need 8 bytes, 1 left");
    }
}
