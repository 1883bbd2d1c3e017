//! Every type of the crate under its RFC name, and the test data.

#![allow(dead_code, reason = "each test crate uses a part")]

mod side;
#[cfg(feature = "v2")]
mod v2;

use std::{fs, path::PathBuf};

pub(crate) use side::*;
#[cfg(feature = "v2")]
pub(crate) use v2::*;

use nfswire_nfs3::{
    Attributes, Cookie, CookieVerifier, Count, CreateVerifier, DirOpArgs, FileHandle, FileId,
    FileName, FileType, Gid, Mode, Offset, PathName, PostOpAttr, PostOpFh, PreOpAttr,
    SetAttributes, SetTime, Size, SpecData, StableHow, Status, Time, TimeHow, Uid, WccAttr,
    WccData, WriteVerifier, attr, create, fs as nfs_fs, io, lookup, mount, readdir, remove,
};
use nfswire_xdr::{
    Chain, Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, Segments, from_bytes,
};

/// Decodes all of the bytes and encodes the value again.
type RoundTrip = fn(&[u8]) -> Result<Vec<u8>, DecodeError>;

/// The same without checks, into a head that is used again; the length of the message.
type Reencode = fn(&[u8], &mut Vec<u8>) -> Result<u64, DecodeError>;

/// A type of the RFCs.
pub(crate) struct Type {
    pub(crate) area: &'static str,
    pub(crate) name: &'static str,
    /// Made by one of the declaration macros: every error names a field.
    pub(crate) declared: bool,
    pub(crate) round_trip: RoundTrip,
    pub(crate) reencode: Reencode,
}

/// Encodes into a head that grows; checks the length, and that a fixed head that is just long
/// enough gives the same bytes while a shorter one takes nothing.
pub(crate) fn encode<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let len = usize::try_from(value.encoded_len()).unwrap();
    assert!(len >= T::MIN_LEN as usize, "shorter than MIN_LEN");
    assert!(T::MAX_LEN == u32::MAX || len <= T::MAX_LEN as usize, "longer than MAX_LEN");

    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    assert_eq!(e.finish(), len as u64, "encoded_len");
    let bytes = segments.view(&head[..]).to_vec().unwrap();
    assert_eq!(bytes.len(), len, "encoded_len");

    let payload: usize =
        segments.view(&head[..]).iter().map(|chunk| chunk.len() as usize).max().unwrap_or(0);
    let mut fixed = vec![0xff; len];
    let mut segments = Segments::new();
    let mut e = Encoder::fixed(&mut fixed, &mut segments);
    e.put(value).unwrap();
    e.finish();
    assert_eq!(segments.view(&fixed[..]).to_vec().unwrap(), bytes, "fixed head");

    // The longest segment may be a payload, which needs no head.
    if let Some(short) =
        len.checked_sub(payload.next_multiple_of(4)).and_then(|head| head.checked_sub(4))
    {
        let mut segments = Segments::new();
        let mut e = Encoder::fixed(&mut fixed[..short], &mut segments);
        assert!(
            matches!(e.put(value), Err(EncodeError::NoSpace { .. })),
            "a head of {short} bytes"
        );
        assert_eq!(e.len(), 0, "half a value is left");
    }
    bytes
}

fn round_trip<'a, T: Decode<'a> + Encode<'a>>(bytes: &'a [u8]) -> Result<Vec<u8>, DecodeError> {
    from_bytes::<T>(bytes).map(|value| encode(&value))
}

fn reencode<'a, T: Decode<'a> + Encode<'a>>(
    bytes: &'a [u8],
    head: &mut Vec<u8>,
) -> Result<u64, DecodeError> {
    let value = from_bytes::<T>(bytes)?;
    let mut segments = Segments::new();
    let mut e = Encoder::growable(head, &mut segments);
    e.put(&value).unwrap();
    Ok(e.finish())
}

/// A list node of the RFCs: our item, and the list that hangs on its `next` pointer.
struct Node<'a, T>(T, Chain<'a, T>);

fn round_trip_node<'a, T: Decode<'a> + Encode<'a> + 'a>(
    bytes: &'a [u8],
) -> Result<Vec<u8>, DecodeError> {
    let mut c = Cursor::new(bytes);
    let node = Node(c.decode::<T>()?, c.decode()?);
    c.finish()?;
    let mut bytes = encode(&node.0);
    bytes.extend(encode(&node.1));
    Ok(bytes)
}

fn reencode_node<'a, T: Decode<'a> + Encode<'a> + 'a>(
    bytes: &'a [u8],
    head: &mut Vec<u8>,
) -> Result<u64, DecodeError> {
    let mut c = Cursor::new(bytes);
    let node = Node(c.decode::<T>()?, c.decode()?);
    c.finish()?;
    let mut segments = Segments::new();
    let mut e = Encoder::growable(head, &mut segments);
    e.put(&node.0).unwrap();
    e.put(&node.1).unwrap();
    Ok(e.finish())
}

macro_rules! types {
    ($table:ident $($area:literal { $($kind:ident $name:literal $t:ty;)+ })+) => {
        /// Types of some areas, in the order of their sources.
        pub(crate) const $table: &[Type] = &[$($(types!(@ $area $kind $name $t)),+),+];
    };
    (@ $area:literal declared $name:literal $t:ty) => {
        types!(@@ $area $name true round_trip reencode $t)
    };
    (@ $area:literal alias $name:literal $t:ty) => {
        types!(@@ $area $name false round_trip reencode $t)
    };
    (@ $area:literal node $name:literal $t:ty) => {
        types!(@@ $area $name false round_trip_node reencode_node $t)
    };
    (@@ $area:literal $name:literal $declared:literal $round_trip:ident $reencode:ident $t:ty) => {
        Type {
            area: $area,
            name: $name,
            declared: $declared,
            round_trip: |bytes| $round_trip::<$t>(bytes),
            reencode: |bytes, head| $reencode::<$t>(bytes, head),
        }
    };
}

use types;

types! { TYPES
    "nfs3" {
        alias "uint64" u64;
        alias "int64" i64;
        alias "uint32" u32;
        alias "int32" i32;
        alias "filename3" FileName<'_>;
        alias "nfspath3" PathName<'_>;
        alias "fileid3" FileId;
        alias "cookie3" Cookie;
        alias "cookieverf3" CookieVerifier;
        alias "createverf3" CreateVerifier;
        alias "writeverf3" WriteVerifier;
        alias "uid3" Uid;
        alias "gid3" Gid;
        alias "size3" Size;
        alias "offset3" Offset;
        alias "mode3" Mode;
        alias "count3" Count;
        alias "nfsstat3" Status;
        alias "ftype3" FileType;
        declared "specdata3" SpecData;
        alias "nfs_fh3" FileHandle<'_>;
        declared "nfstime3" Time;
        declared "fattr3" Attributes;
        alias "post_op_attr" PostOpAttr;
        declared "wcc_attr" WccAttr;
        alias "pre_op_attr" PreOpAttr;
        declared "wcc_data" WccData;
        alias "post_op_fh3" PostOpFh<'_>;
        alias "time_how" TimeHow;
        alias "set_mode3" Option<Mode>;
        alias "set_uid3" Option<Uid>;
        alias "set_gid3" Option<Gid>;
        alias "set_size3" Option<Size>;
        declared "set_atime" SetTime;
        declared "set_mtime" SetTime;
        declared "sattr3" SetAttributes;
        declared "diropargs3" DirOpArgs<'_>;
        declared "GETATTR3args" attr::GetattrArgs<'_>;
        declared "GETATTR3resok" attr::GetattrOk;
        declared "GETATTR3res" attr::GetattrReply;
        alias "sattrguard3" attr::SetattrGuard;
        declared "SETATTR3args" attr::SetattrArgs<'_>;
        declared "SETATTR3resok" attr::SetattrOk;
        declared "SETATTR3resfail" attr::SetattrFail;
        declared "SETATTR3res" attr::SetattrReply;
        declared "LOOKUP3args" lookup::LookupArgs<'_>;
        declared "LOOKUP3resok" lookup::LookupOk<'_>;
        alias "LOOKUP3resfail" lookup::LookupFail;
        declared "LOOKUP3res" lookup::LookupReply<'_>;
        declared "ACCESS3args" lookup::AccessArgs<'_>;
        declared "ACCESS3resok" lookup::AccessOk;
        alias "ACCESS3resfail" lookup::AccessFail;
        declared "ACCESS3res" lookup::AccessReply;
        declared "READLINK3args" lookup::ReadlinkArgs<'_>;
        declared "READLINK3resok" lookup::ReadlinkOk<'_>;
        alias "READLINK3resfail" lookup::ReadlinkFail;
        declared "READLINK3res" lookup::ReadlinkReply<'_>;
        declared "READ3args" io::ReadArgs<'_>;
        declared "READ3resok" io::ReadOk<'_>;
        alias "READ3resfail" io::ReadFail;
        declared "READ3res" io::ReadReply<'_>;
        alias "stable_how" StableHow;
        declared "WRITE3args" io::WriteArgs<'_>;
        declared "WRITE3resok" io::WriteOk;
        declared "WRITE3resfail" io::WriteFail;
        declared "WRITE3res" io::WriteReply;
        alias "createmode3" create::CreateMode;
        declared "createhow3" create::CreateHow;
        declared "CREATE3args" create::CreateArgs<'_>;
        declared "CREATE3resok" create::CreateOk<'_>;
        declared "CREATE3resfail" create::CreateFail;
        declared "CREATE3res" create::CreateReply<'_>;
        declared "MKDIR3args" create::MkdirArgs<'_>;
        declared "MKDIR3resok" create::MkdirOk<'_>;
        declared "MKDIR3resfail" create::MkdirFail;
        declared "MKDIR3res" create::MkdirReply<'_>;
        declared "symlinkdata3" create::SymlinkData<'_>;
        declared "SYMLINK3args" create::SymlinkArgs<'_>;
        declared "SYMLINK3resok" create::SymlinkOk<'_>;
        declared "SYMLINK3resfail" create::SymlinkFail;
        declared "SYMLINK3res" create::SymlinkReply<'_>;
        declared "devicedata3" create::DeviceData;
        declared "mknoddata3" create::MknodData;
        declared "MKNOD3args" create::MknodArgs<'_>;
        declared "MKNOD3resok" create::MknodOk<'_>;
        declared "MKNOD3resfail" create::MknodFail;
        declared "MKNOD3res" create::MknodReply<'_>;
        declared "REMOVE3args" remove::RemoveArgs<'_>;
        declared "REMOVE3resok" remove::RemoveOk;
        declared "REMOVE3resfail" remove::RemoveFail;
        declared "REMOVE3res" remove::RemoveReply;
        declared "RMDIR3args" remove::RmdirArgs<'_>;
        declared "RMDIR3resok" remove::RmdirOk;
        declared "RMDIR3resfail" remove::RmdirFail;
        declared "RMDIR3res" remove::RmdirReply;
        declared "RENAME3args" remove::RenameArgs<'_>;
        declared "RENAME3resok" remove::RenameOk;
        declared "RENAME3resfail" remove::RenameFail;
        declared "RENAME3res" remove::RenameReply;
        declared "LINK3args" remove::LinkArgs<'_>;
        declared "LINK3resok" remove::LinkOk;
        declared "LINK3resfail" remove::LinkFail;
        declared "LINK3res" remove::LinkReply;
        declared "READDIR3args" readdir::ReaddirArgs<'_>;
        node "entry3" readdir::Entry<'_>;
        declared "dirlist3" readdir::DirList<'_>;
        declared "READDIR3resok" readdir::ReaddirOk<'_>;
        alias "READDIR3resfail" readdir::ReaddirFail;
        declared "READDIR3res" readdir::ReaddirReply<'_>;
        declared "READDIRPLUS3args" readdir::ReaddirplusArgs<'_>;
        node "entryplus3" readdir::EntryPlus<'_>;
        declared "dirlistplus3" readdir::DirListPlus<'_>;
        declared "READDIRPLUS3resok" readdir::ReaddirplusOk<'_>;
        alias "READDIRPLUS3resfail" readdir::ReaddirplusFail;
        declared "READDIRPLUS3res" readdir::ReaddirplusReply<'_>;
        declared "FSSTAT3args" nfs_fs::FsstatArgs<'_>;
        declared "FSSTAT3resok" nfs_fs::FsstatOk;
        alias "FSSTAT3resfail" nfs_fs::FsstatFail;
        declared "FSSTAT3res" nfs_fs::FsstatReply;
        declared "FSINFO3args" nfs_fs::FsinfoArgs<'_>;
        declared "FSINFO3resok" nfs_fs::FsinfoOk;
        alias "FSINFO3resfail" nfs_fs::FsinfoFail;
        declared "FSINFO3res" nfs_fs::FsinfoReply;
        declared "PATHCONF3args" nfs_fs::PathconfArgs<'_>;
        declared "PATHCONF3resok" nfs_fs::PathconfOk;
        alias "PATHCONF3resfail" nfs_fs::PathconfFail;
        declared "PATHCONF3res" nfs_fs::PathconfReply;
        declared "COMMIT3args" io::CommitArgs<'_>;
        declared "COMMIT3resok" io::CommitOk;
        declared "COMMIT3resfail" io::CommitFail;
        declared "COMMIT3res" io::CommitReply;
    }
    "mount" {
        alias "fhandle" mount::v1::FileHandle;
        declared "fhstatus" mount::v1::FhStatus;
        alias "dirpath" mount::DirPath<'_>;
        alias "name" mount::HostName<'_>;
        alias "mountlist" mount::MountList<'_>;
        alias "groups" mount::Groups<'_>;
        alias "exportlist" mount::Exports<'_>;
        alias "fhandle3" FileHandle<'_>;
        alias "mountstat3" mount::MountStatus;
        declared "mountres3_ok" mount::MountOk<'_>;
        declared "mountres3" mount::MountReply<'_>;
        node "mountbody" mount::MountEntry<'_>;
        node "groupnode" mount::Group<'_>;
        alias "exports" mount::Exports<'_>;
        node "exportnode" mount::Export<'_>;
    }
}

/// Every area of which there are vectors.
pub(crate) const AREAS: &[&str] = &[
    "nfs3",
    "mount",
    "nlm",
    "nsm",
    "nfsacl",
    #[cfg(feature = "v2")]
    "nfs2",
];

/// Every type.
pub(crate) fn all() -> impl Iterator<Item = &'static Type> {
    let tables = [
        TYPES,
        SIDE,
        #[cfg(feature = "v2")]
        ACL_2,
        #[cfg(feature = "v2")]
        NFS_2,
    ];
    tables.into_iter().flatten()
}

pub(crate) fn find(area: &str, name: &str) -> Option<&'static Type> {
    all().find(|t| t.area == area && t.name == name)
}

pub(crate) fn testdata(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "testdata", path].iter().collect()
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte");
    let digit = |d: u8| u8::try_from(char::from(d).to_digit(16).expect("a hex digit")).unwrap();
    digits.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// A line of a vector file.
pub(crate) struct Vector {
    pub(crate) type_name: String,
    pub(crate) bytes: Vec<u8>,
    /// File and line, to be found again.
    pub(crate) origin: String,
}

/// Those of types that the features of this build have.
pub(crate) fn vectors(area: &str) -> Vec<Vector> {
    let file = testdata(&format!("vectors/{area}.jsonl"));
    let text = fs::read_to_string(file).unwrap();
    let parse = |(i, line): (usize, &str)| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| json[key].as_str().expect("a string");
        let origin = format!("{area}.jsonl:{} {}", i + 1, text("type"));
        Vector { type_name: text("type").to_owned(), bytes: unhex(text("hex")), origin }
    };
    let built =
        |vector: &Vector| cfg!(feature = "v2") || area != "nfsacl" || !of_nfs2(&vector.type_name);
    text.lines().enumerate().map(parse).filter(built).collect()
}
