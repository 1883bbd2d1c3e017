//! Optional features: the arguments and results of every procedure as text, in owned form, made of
//! arbitrary bytes, and as nom parsers.
#![cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::std_instead_of_alloc)]
#![allow(clippy::cast_possible_truncation)]

mod common;

use std::collections::HashSet;

use common::{AREAS, vectors};
use nfswire_nfs3::{
    FileHandle, acl::v3 as acl, attr, create, fs, io, lookup, mount, nlm, nsm, readdir, remove,
};
#[cfg(feature = "v2")]
use nfswire_nfs3::{acl::v2 as acl2, v2};
use nfswire_xdr::{
    Cursor, Owned, Rebind,
    arbitrary::Arbitrary,
    from_bytes,
    nom::xdr,
    proptest::any_owned,
    serde::{DeserializeXdr, SerializeXdr, Value},
};
use nom::Parser;
use proptest::test_runner::{Config, TestRunner};

struct Type {
    name: &'static str,
    vector: fn(&[u8]),
    json: fn(&[u8]) -> serde_json::Value,
    random: fn(),
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

fn json<T>(bytes: &[u8]) -> serde_json::Value
where
    T: Rebind + DeserializeXdr,
    for<'a> T::At<'a>: SerializeXdr,
{
    let owned = Owned::<T>::from_wire(bytes).unwrap();
    serde_json::to_value(Value(&owned.get().unwrap())).unwrap()
}

fn random<T>()
where
    T: Rebind + DeserializeXdr + 'static,
    for<'a> T::At<'a>: SerializeXdr + PartialEq + Arbitrary<'a>,
{
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(24) });
    let checked = runner.run(&any_owned::<T>(), |owned| {
        vector::<T>(owned.as_bytes());
        Ok(())
    });
    checked.unwrap();
}

macro_rules! types {
    ($($name:literal $t:ty;)*) => {
        &[$(Type { name: $name, vector: vector::<$t>, json: json::<$t>, random: random::<$t> }),*]
    };
}

const TYPES: &[Type] = types! {
    "GETATTR3args" attr::GetattrArgs<'static>;
    "GETATTR3res" attr::GetattrReply;
    "SETATTR3args" attr::SetattrArgs<'static>;
    "SETATTR3res" attr::SetattrReply;
    "LOOKUP3args" lookup::LookupArgs<'static>;
    "LOOKUP3res" lookup::LookupReply<'static>;
    "ACCESS3args" lookup::AccessArgs<'static>;
    "ACCESS3res" lookup::AccessReply;
    "READLINK3args" lookup::ReadlinkArgs<'static>;
    "READLINK3res" lookup::ReadlinkReply<'static>;
    "READ3args" io::ReadArgs<'static>;
    "READ3res" io::ReadReply<'static>;
    "WRITE3args" io::WriteArgs<'static>;
    "WRITE3res" io::WriteReply;
    "CREATE3args" create::CreateArgs<'static>;
    "CREATE3res" create::CreateReply<'static>;
    "MKDIR3args" create::MkdirArgs<'static>;
    "MKDIR3res" create::MkdirReply<'static>;
    "SYMLINK3args" create::SymlinkArgs<'static>;
    "SYMLINK3res" create::SymlinkReply<'static>;
    "MKNOD3args" create::MknodArgs<'static>;
    "MKNOD3res" create::MknodReply<'static>;
    "REMOVE3args" remove::RemoveArgs<'static>;
    "REMOVE3res" remove::RemoveReply;
    "RMDIR3args" remove::RmdirArgs<'static>;
    "RMDIR3res" remove::RmdirReply;
    "RENAME3args" remove::RenameArgs<'static>;
    "RENAME3res" remove::RenameReply;
    "LINK3args" remove::LinkArgs<'static>;
    "LINK3res" remove::LinkReply;
    "READDIR3args" readdir::ReaddirArgs<'static>;
    "READDIR3res" readdir::ReaddirReply<'static>;
    "READDIRPLUS3args" readdir::ReaddirplusArgs<'static>;
    "READDIRPLUS3res" readdir::ReaddirplusReply<'static>;
    "FSSTAT3args" fs::FsstatArgs<'static>;
    "FSSTAT3res" fs::FsstatReply;
    "FSINFO3args" fs::FsinfoArgs<'static>;
    "FSINFO3res" fs::FsinfoReply;
    "PATHCONF3args" fs::PathconfArgs<'static>;
    "PATHCONF3res" fs::PathconfReply;
    "COMMIT3args" io::CommitArgs<'static>;
    "COMMIT3res" io::CommitReply;
    "dirpath" mount::DirPath<'static>;
    "mountlist" mount::MountList<'static>;
    "exports" mount::Exports<'static>;
    "mountres3" mount::MountReply<'static>;
    "fhstatus" mount::v1::FhStatus;
    "nlm_testargs" nlm::v1::TestArgs<'static>;
    "nlm_testres" nlm::v1::TestReply<'static>;
    "nlm_lockargs" nlm::v1::LockArgs<'static>;
    "nlm_cancargs" nlm::v1::CancelArgs<'static>;
    "nlm_unlockargs" nlm::v1::UnlockArgs<'static>;
    "nlm_res" nlm::v1::Reply<'static>;
    "nlm_shareargs" nlm::v3::ShareArgs<'static>;
    "nlm_shareres" nlm::v3::ShareReply<'static>;
    "nlm_notify" nlm::FreeAllArgs<'static>;
    "nlm4_testargs" nlm::v4::TestArgs<'static>;
    "nlm4_testres" nlm::v4::TestReply<'static>;
    "nlm4_lockargs" nlm::v4::LockArgs<'static>;
    "nlm4_cancargs" nlm::v4::CancelArgs<'static>;
    "nlm4_unlockargs" nlm::v4::UnlockArgs<'static>;
    "nlm4_res" nlm::v4::Reply<'static>;
    "nlm4_shareargs" nlm::v4::ShareArgs<'static>;
    "nlm4_shareres" nlm::v4::ShareReply<'static>;
    "sm_name" nsm::StatArgs<'static>;
    "sm_stat_res" nsm::StatReply;
    "mon" nsm::MonArgs<'static>;
    "mon_id" nsm::MonId<'static>;
    "my_id" nsm::MyId<'static>;
    "sm_stat" nsm::UnmonReply;
    "stat_chge" nsm::NotifyArgs<'static>;
    "status" nsm::CallbackArgs<'static>;
    "GETACL3args" acl::GetaclArgs<'static>;
    "GETACL3res" acl::GetaclReply<'static>;
    "SETACL3args" acl::SetaclArgs<'static>;
    "SETACL3res" acl::SetaclReply;
    "GETXATTRDIR3args" acl::GetxattrdirArgs<'static>;
    "GETXATTRDIR3res" acl::GetxattrdirReply<'static>;
};

#[cfg(feature = "v2")]
const NFS_2: &[Type] = types! {
    "fattr" v2::Attributes;
    "sattr" v2::SetAttributes;
    "attrstat" v2::AttrReply;
    "diropargs" v2::DirOpArgs<'static>;
    "diropres" v2::DirOpReply;
    "sattrargs" v2::attr::SetattrArgs;
    "readlinkres" v2::lookup::ReadlinkReply<'static>;
    "readargs" v2::io::ReadArgs;
    "readres" v2::io::ReadReply<'static>;
    "writeargs" v2::io::WriteArgs<'static>;
    "createargs" v2::create::CreateArgs<'static>;
    "symlinkargs" v2::create::SymlinkArgs<'static>;
    "renameargs" v2::remove::RenameArgs<'static>;
    "linkargs" v2::remove::LinkArgs<'static>;
    "readdirargs" v2::readdir::ReaddirArgs;
    "readdirres" v2::readdir::ReaddirReply<'static>;
    "statfsres" v2::fs::StatfsReply;
};

#[cfg(feature = "v2")]
const ACL_2: &[Type] = types! {
    "GETACL2args" acl2::GetaclArgs;
    "GETACL2res" acl2::GetaclReply<'static>;
    "SETACL2args" acl2::SetaclArgs<'static>;
    "SETACL2res" acl2::SetaclReply;
    "GETATTR2args" acl2::GetattrArgs;
    "GETATTR2res" acl2::GetattrReply;
    "ACCESS2args" acl2::AccessArgs;
    "ACCESS2res" acl2::AccessReply;
    "GETXATTRDIR2args" acl2::GetxattrdirArgs;
    "GETXATTRDIR2res" acl2::GetxattrdirReply;
};

fn all() -> impl Iterator<Item = &'static Type> {
    let tables = [
        TYPES,
        #[cfg(feature = "v2")]
        NFS_2,
        #[cfg(feature = "v2")]
        ACL_2,
    ];
    tables.into_iter().flatten()
}

#[test]
fn every_vector() {
    let (mut seen, mut names) = (0, HashSet::new());
    for vector in AREAS.iter().copied().flat_map(vectors) {
        if let Some(t) = all().find(|t| t.name == vector.type_name) {
            (t.vector)(&vector.bytes);
            seen += 1;
            names.insert(t.name);
        }
    }
    assert!(seen > 600, "only {seen} vectors");
    all().for_each(|t| assert!(names.contains(t.name), "{} has no vector", t.name));
}

/// Whether our JSON of a value says what the other implementation's does, which writes a union as
/// `disc` and `value`, an optional value as such a union, and the end of long strings not at all.
fn agrees(ours: &serde_json::Value, theirs: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Null, Number, Object, String};
    match (ours, theirs) {
        (_, Object(they)) if they.contains_key("opaque_len") || they.contains_key("string_len") => {
            true
        }
        (Null, Object(they)) if they.contains_key("disc") => they["disc"] == false,
        (ours, Object(they)) if they.get("disc").is_some_and(|disc| disc == true) => {
            agrees(ours, &they["value"])
        }
        (Object(we), Object(they)) if they.contains_key("disc") => {
            we.values().any(|ours| agrees(ours, &they["disc"]))
                && they.get("value").is_none_or(|t| we.values().any(|ours| agrees(ours, t)))
        }
        (Object(we), Object(they)) if we.len() == they.len() && we.keys().eq(they.keys()) => {
            we.values().zip(they.values()).all(|(ours, theirs)| agrees(ours, theirs))
        }
        // A linked list, which they write as a node with the rest of the list in it.
        (Array(we), Null) => we.is_empty(),
        (Array(we), Object(they)) => {
            let Some(next) = they.keys().find(|key| key.contains("next")) else { return false };
            let mut node = they.clone();
            let rest = node.remove(next).unwrap();
            let (Some(first), Some(others)) = (we.first(), we.get(1..)) else { return false };
            agrees(first, &Object(node)) && agrees(&Array(others.to_vec()), &rest)
        }
        // A struct with one field, where we have the field.
        (ours, Object(they)) if they.len() == 1 => they.values().all(|theirs| agrees(ours, theirs)),
        (Array(we), Array(they)) => {
            we.len() == they.len() && we.iter().zip(they).all(|(ours, theirs)| agrees(ours, theirs))
        }
        // Some numbers that are declared with a sign have none here.
        (Number(we), Number(they)) if they.as_i64().is_some_and(|n| n < 0) => {
            we == they || we.as_u64() == they.as_i64().map(|n| u64::from(n as u32))
        }
        // A text that is a payload here.
        (String(we), String(they)) if we != they => {
            *we == they.bytes().map(|byte| format!("{byte:02x}")).collect::<std::string::String>()
        }
        _ => ours == theirs,
    }
}

/// Fields have the values that the vectors say: two neighbours of one size that have changed places
/// would still come back as the same bytes.
#[test]
fn fields_are_in_their_places() {
    let (mut compared, mut differing) = (0, Vec::new());
    for area in AREAS {
        let text = std::fs::read_to_string(common::testdata(&format!("vectors/{area}.jsonl")));
        for line in text.unwrap().lines() {
            let vector: serde_json::Value = serde_json::from_str(line).unwrap();
            let (name, bytes) = (&vector["type"], common::unhex(vector["hex"].as_str().unwrap()));
            let Some(t) = all().find(|t| t.name == name) else { continue };
            let ours = (t.json)(&bytes);
            compared += 1;
            if !agrees(&ours, &vector["value"]) {
                differing.push(format!("{name}: {ours} and {}", vector["value"]));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(compared > 600, "only {compared} vectors");
}

#[test]
fn random_values() {
    all().for_each(|t| (t.random)());
}

#[test]
fn text() {
    let args = io::ReadArgs { file: FileHandle::new(&[1, 0xfe]).unwrap(), offset: 5, count: 9 };
    let text = r#"{"file":"01fe","offset":5,"count":9}"#;
    assert_eq!(serde_json::to_string(&args).unwrap(), text);
    let owned: Owned<io::ReadArgs<'_>> = serde_json::from_str(text).unwrap();
    assert_eq!(owned.get(), Ok(args));
    let reply: remove::RemoveReply =
        from_bytes(&[0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]).expect("NFS3ERR_NOENT");
    assert_eq!(
        serde_json::to_string(&reply).unwrap(),
        r#"{"status":"NFS3ERR_NOENT","Fail":{"before":null,"after":null}}"#
    );
}
