//! Optional features: the arguments and results of every procedure as text, in owned form, made of
//! arbitrary bytes, and as nom parsers.
#![cfg(all(feature = "serde", feature = "proptest", feature = "nom"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::std_instead_of_alloc)]
#![allow(clippy::cast_possible_truncation)]

mod common;

use common::{AREAS, vectors};
#[cfg(feature = "v2")]
use nfswire_nfs3::v2;
use nfswire_nfs3::{
    FileHandle, acl::v3 as acl, attr, create, fs, io, lookup, mount, nlm, nsm, readdir, remove,
};
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
        &[$(Type { name: $name, vector: vector::<$t>, random: random::<$t> }),*]
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
#[test]
fn nfs_2() {
    let vectors = vectors("nfs2");
    for t in NFS_2 {
        let mut of_type = vectors.iter().filter(|vector| vector.type_name == t.name).peekable();
        assert!(of_type.peek().is_some(), "{}", t.name);
        of_type.for_each(|vector| (t.vector)(&vector.bytes));
        (t.random)();
    }
}

#[test]
fn every_vector() {
    let mut seen = 0;
    for vector in AREAS.iter().copied().flat_map(vectors) {
        if let Some(t) = TYPES.iter().find(|t| t.name == vector.type_name) {
            (t.vector)(&vector.bytes);
            seen += 1;
        }
    }
    assert!(seen > 600, "only {seen} vectors");
}

#[test]
fn random_values() {
    TYPES.iter().for_each(|t| (t.random)());
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
