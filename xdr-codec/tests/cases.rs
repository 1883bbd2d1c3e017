//! Bytes that broke other implementations: `testdata/cases`, each with the outcome that its first
//! line asks for (D2, D3, D4, D5). Types of NFS and RPC are declared here in the shape of the RFC.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]

mod common;

use common::{case, encode};
use nfswire_xdr::{
    Array, Chain, Cursor, Decode, DecodeError, Encode, Encoder, ErrorKind, Limits, Opaque,
    Segments, Text, from_bytes, xdr_enum, xdr_open_enum, xdr_struct, xdr_union,
};

fn lenient<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Result<T, DecodeError> {
    let mut c = Cursor::with(bytes, &Limits::LENIENT);
    let value = c.decode()?;
    c.finish()?;
    Ok(value)
}

/// Kind, offset and field of the error; an empty field for none.
#[track_caller]
fn refused<'a, T: Decode<'a> + core::fmt::Debug>(bytes: &'a [u8]) -> (ErrorKind, u32, String) {
    let error = from_bytes::<T>(bytes).unwrap_err();
    (error.kind, error.offset, error.field.map_or_else(String::new, ToString::to_string))
}

/// Decodes, and gives the value if it encodes to the same bytes.
#[track_caller]
fn identical<'a, T: Decode<'a> + Encode<'a>>(bytes: &'a [u8]) -> T {
    let value: T = from_bytes(bytes).unwrap();
    assert_eq!(encode(&value), bytes, "reencode=identical");
    value
}

#[test]
fn b01_pad_bytes() {
    let a = case("B01a");
    assert_eq!(refused::<Opaque<'_>>(&a), (ErrorKind::Padding, 5, String::new()));
    let value: Opaque<'_> = lenient(&a).unwrap();
    assert_eq!(value.as_bytes(), b"a");
    assert_eq!(encode(&value), [0, 0, 0, 1, b'a', 0, 0, 0]);

    let b = case("B01b");
    assert_eq!(&identical::<[u8; 5]>(&b), b"hello");
    let mut c = Cursor::new(&b);
    c.decode::<[u8; 5]>().unwrap();
    assert_eq!(c.position(), 8);

    let short = ErrorKind::Short { needed: 3, left: 0 };
    assert_eq!(refused::<[u8; 5]>(&case("B01c")), (short, 5, String::new()));

    let d = case("B01d");
    assert_eq!(refused::<[u8; 5]>(&d), (ErrorKind::Padding, 7, String::new()));
    let value: [u8; 5] = lenient(&d).unwrap();
    assert_eq!(&value, b"hello");
    assert_eq!(encode(&value), b);
}

xdr_struct! {
    /// Case B02a.
    "b02a" => pub(crate) struct OpaqueThenInt<'a> {
        pub(crate) a: Opaque<'a>,
        pub(crate) b: u32,
    }
}

#[test]
fn b02_pad_lengths() {
    let value = case("B02a");
    let value = identical::<OpaqueThenInt<'_>>(&value);
    assert_eq!((value.a.as_bytes(), value.b), (&b"abcd"[..], 7));

    let bytes = case("B02b");
    let value: Array<'_, Opaque<'_>> = identical(&bytes);
    let items: Vec<&[u8]> = value.iter().map(|item| item.as_bytes()).collect();
    assert_eq!(items, [&b"abcde"[..], b"xyz"]);

    let data = [1; 8];
    for (n, len) in [4, 8, 8, 8, 8, 12, 12, 12, 12].into_iter().enumerate() {
        let value: Opaque<'_> = Opaque::new(&data[..n]).unwrap();
        assert_eq!(value.encoded_len(), len);
        assert_eq!(encode(&value).len() as u64, len);
    }
}

#[test]
fn b03_lengths_beyond_the_input() {
    let kind = ErrorKind::Short { needed: 0x7fff_ffff, left: 4 };
    assert_eq!(refused::<Opaque<'_>>(&case("B03a")), (kind, 4, String::new()));
    let kind = ErrorKind::Short { needed: 8 * 0x1fff_ffff, left: 8 };
    // The array is longer than the limit of elements, too, which is looked at first.
    let limit = Limits::STRICT.max_items;
    let many = ErrorKind::TooMany { count: 0x1fff_ffff, limit };
    let bytes = case("B03b");
    assert_eq!(refused::<Array<'_, u64>>(&bytes), (many, 0, String::new()));
    let limits = Limits { max_items: u32::MAX, ..Limits::STRICT };
    let error = Cursor::with(&bytes, &limits).decode::<Array<'_, u64>>().unwrap_err();
    assert_eq!((error.kind, error.offset), (kind, 4));

    // MNTPATHLEN holds even if the bytes were there.
    let kind = ErrorKind::TooLong { len: 0xffff_ff00, limit: 1024 };
    assert_eq!(refused::<Text<'_, 1024>>(&case("B03c")), (kind, 0, String::new()));
}

#[test]
fn b04_rounding_up() {
    for (id, len) in [("B04a", u32::MAX), ("B04b", 0xffff_fffd)] {
        let bytes = case(id);
        let kind = ErrorKind::Short { needed: len, left: 4 };
        assert_eq!(refused::<Opaque<'_>>(&bytes), (kind, 4, String::new()), "{id}");
        assert_eq!(refused::<Text<'_>>(&bytes), (kind, 4, String::new()), "{id}");
        let error = lenient::<Opaque<'_>>(&bytes).unwrap_err();
        assert_eq!((error.kind, error.offset), (kind, 4), "{id}");
    }
    let kind = ErrorKind::TooLong { len: 256, limit: 255 };
    assert_eq!(refused::<Text<'_, 255>>(&case("B04c")), (kind, 0, String::new()));
}

xdr_struct! {
    /// RFC 5531, appendix A.
    "authsys_parms" => pub(crate) struct AuthSys<'a> {
        pub(crate) stamp: u32,
        "machinename" => pub(crate) machine_name: Text<'a, 255>,
        pub(crate) uid: u32,
        pub(crate) gid: u32,
        pub(crate) gids: Array<'a, u32, 16>,
    }
}

#[test]
fn b05_counts() {
    let limit = 16;
    assert_eq!(
        refused::<AuthSys<'_>>(&case("B05a")),
        (ErrorKind::TooMany { count: 0x4000_0001, limit }, 20, "authsys_parms.gids".to_owned())
    );
    assert_eq!(
        refused::<AuthSys<'_>>(&case("B05b")),
        (ErrorKind::TooMany { count: 17, limit }, 24, "authsys_parms.gids".to_owned())
    );
    let c = case("B05c");
    assert_eq!(
        identical::<AuthSys<'_>>(&c).gids.iter().collect::<Vec<_>>(),
        (0..16).collect::<Vec<_>>()
    );

    let d = case("B05d");
    let limits = Limits { max_items: u32::MAX, ..Limits::STRICT };
    let error = Cursor::with(&d, &limits).decode::<Array<'_, u32>>().unwrap_err();
    // 4 * 0x40000001 does not fit 32 bits.
    assert_eq!((error.kind, error.offset), (ErrorKind::Short { needed: u32::MAX, left: 4 }, 4));
}

type FileHandle<'a> = Opaque<'a, 64>;

xdr_struct! {
    /// RFC 1813, section 2.6.
    #[derive(Copy)]
    "nfstime3" => pub(crate) struct Time { pub(crate) seconds: u32, pub(crate) nseconds: u32 }
}
xdr_enum! {
    /// RFC 1813, section 2.6.
    "time_how" => pub(crate) enum TimeHow {
        "DONT_CHANGE" DontChange = 0,
        "SET_TO_SERVER_TIME" Server = 1,
        "SET_TO_CLIENT_TIME" Client = 2,
    }
}
xdr_union! {
    /// RFC 1813, section 2.6.
    "set_atime" => pub(crate) enum SetTime switch (set_it: TimeHow) {
        case TimeHow::Client => Client(Time),
        default => Other,
    }
}
xdr_struct! {
    /// RFC 1813, section 2.6.
    "sattr3" => pub(crate) struct SetAttributes {
        pub(crate) mode: Option<u32>,
        pub(crate) uid: Option<u32>,
        pub(crate) gid: Option<u32>,
        pub(crate) size: Option<u64>,
        pub(crate) atime: SetTime,
        pub(crate) mtime: SetTime,
    }
}
xdr_struct! {
    /// RFC 1813, section 3.3.2.
    "SETATTR3args" => pub(crate) struct SetattrArgs<'a> {
        pub(crate) object: FileHandle<'a>,
        pub(crate) new_attributes: SetAttributes,
        pub(crate) guard: Option<Time>,
    }
}

#[test]
fn b06_booleans() {
    let a = case("B06a");
    assert_eq!(
        refused::<SetattrArgs<'_>>(&a),
        (ErrorKind::Bool(2), 52, "SETATTR3args.guard".to_owned())
    );
    // 84 bytes of attributes follow the flag.
    let b = case("B06b");
    assert_eq!(refused::<Option<[u32; 21]>>(&b), (ErrorKind::Bool(2), 0, String::new()));
    assert!(lenient::<Option<[u32; 21]>>(&b).is_err());
    let c = case("B06c");
    assert_eq!(refused::<bool>(&c), (ErrorKind::Bool(u32::MAX), 0, String::new()));
    assert!(lenient::<bool>(&c).is_err());
}

xdr_open_enum! {
    /// RFC 8881, section 3.3.13: an open registry.
    "layouttype4" => pub(crate) struct LayoutType {
        "LAYOUT4_NFSV4_1_FILES" FILES = 1,
        "LAYOUT4_FLEX_FILES" FLEX_FILES = 4,
    }
}
xdr_struct! {
    /// RFC 8881, section 18.46.
    "SEQUENCE4args" => pub(crate) struct SequenceArgs {
        pub(crate) sessionid: [u8; 16],
        pub(crate) sequenceid: u32,
        pub(crate) slotid: u32,
        pub(crate) highest_slotid: u32,
        pub(crate) cachethis: bool,
    }
}
xdr_struct! {
    /// RFC 8881, section 18.40.
    "GETDEVICEINFO4args" => pub(crate) struct GetDeviceInfoArgs<'a> {
        pub(crate) device_id: [u8; 16],
        pub(crate) layout_type: LayoutType,
        pub(crate) maxcount: u32,
        pub(crate) notify_types: Array<'a, u32>,
    }
}
xdr_union! {
    /// Two of the operations.
    "nfs_argop4" => pub(crate) enum ArgOp<'a> switch (argop: u32) {
        case 53 => Sequence(SequenceArgs),
        case 47 => GetDeviceInfo(GetDeviceInfoArgs<'a>),
    }
}
xdr_struct! {
    /// RFC 8881, section 16.2.
    "COMPOUND4args" => pub(crate) struct CompoundArgs<'a> {
        pub(crate) tag: Text<'a>,
        pub(crate) minorversion: u32,
        pub(crate) argarray: Array<'a, ArgOp<'a>>,
    }
}
xdr_enum! {
    /// RFC 5531, section 9: closed.
    "msg_type" => pub(crate) enum MessageType { "CALL" Call = 0, "REPLY" Reply = 1 }
}
xdr_struct! {
    /// The head of rpc_msg.
    "rpc_msg" => pub(crate) struct RpcHead { pub(crate) xid: u32, pub(crate) mtype: MessageType }
}

#[test]
fn b07_open_and_closed_enums() {
    for (id, kind) in [("B07a", LayoutType::FLEX_FILES), ("B07b", LayoutType(0x1234))] {
        let bytes = case(id);
        let ops = identical::<CompoundArgs<'_>>(&bytes).argarray;
        let Some(ArgOp::GetDeviceInfo(args)) = ops.iter().nth(1) else { panic!("{id}: {ops:?}") };
        assert_eq!(args.layout_type, kind, "{id}");
    }
    let bytes = case("B07c");
    let error = Cursor::new(&bytes).decode::<RpcHead>().unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Enum(2), 4));
    assert_eq!(error.to_string(), "rpc_msg.mtype at byte 4: 2 is not a value of this enumeration");
}

xdr_enum! {
    /// RFC 1813, section 2.6.
    "ftype3" => pub(crate) enum FileType {
        "NF3REG" Regular = 1,
        "NF3DIR" Directory = 2,
        "NF3BLK" Block = 3,
        "NF3CHR" Character = 4,
        "NF3LNK" Link = 5,
        "NF3SOCK" Socket = 6,
        "NF3FIFO" Fifo = 7,
    }
}
xdr_struct! {
    /// RFC 1813, section 3.3.11.
    "devicedata3" => pub(crate) struct DeviceData {
        pub(crate) dev_attributes: SetAttributes,
        pub(crate) spec: [u32; 2],
    }
}
xdr_union! {
    /// RFC 1813, section 3.3.11.
    #[allow(clippy::large_enum_variant)]
    "mknoddata3" => pub(crate) enum MknodData switch (kind: FileType) {
        cases (FileType::Character, FileType::Block) => Device(DeviceData),
        cases (FileType::Socket, FileType::Fifo) => Pipe(SetAttributes),
        default => Other,
    }
}
xdr_struct! {
    /// RFC 1813, section 3.3.11.
    "MKNOD3args" => pub(crate) struct MknodArgs<'a> {
        pub(crate) dir: FileHandle<'a>,
        pub(crate) name: Text<'a>,
        pub(crate) what: MknodData,
    }
}
xdr_union! {
    /// RFC 1813, section 3.3.16, without the success.
    "READDIR3res" => pub(crate) enum ReaddirFail switch (status: u32) {
        default => Fail(Option<[u32; 21]>),
    }
}

#[test]
fn b08_default_arms() {
    let a = case("B08a");
    assert_eq!(identical::<MknodArgs<'_>>(&a).what, MknodData::Other(FileType::Regular));
    let b = case("B08b");
    let MknodData::Pipe(FileType::Fifo, attributes) = identical::<MknodArgs<'_>>(&b).what else {
        panic!()
    };
    assert_eq!(attributes.mode, Some(0o600));
    assert_eq!(
        refused::<MknodArgs<'_>>(&case("B08c")),
        (ErrorKind::Enum(99), 28, "mknoddata3.kind".to_owned())
    );
    let d = case("B08d");
    assert_eq!(identical::<ReaddirFail>(&d), ReaddirFail::Fail(10008, None));
}

xdr_struct! {
    /// RFC 1813, section 3.3.17.
    #[derive(Copy)]
    "entryplus3" => pub(crate) struct EntryPlus<'a> {
        pub(crate) fileid: u64,
        pub(crate) name: Text<'a>,
        pub(crate) cookie: u64,
        pub(crate) name_attributes: Option<[u32; 21]>,
        pub(crate) name_handle: Option<FileHandle<'a>>,
    }
}
xdr_struct! {
    /// RFC 1813, section 3.3.17.
    #[derive(Copy)]
    "READDIRPLUS3resok" => pub(crate) struct ReaddirplusOk<'a> {
        pub(crate) dir_attributes: Option<[u32; 21]>,
        pub(crate) cookieverf: [u8; 8],
        pub(crate) entries: Chain<'a, EntryPlus<'a>>,
        pub(crate) eof: bool,
    }
}
xdr_union! {
    /// RFC 1813, section 3.3.17.
    #[derive(Copy)]
    #[allow(clippy::large_enum_variant)]
    "READDIRPLUS3res" => pub(crate) enum ReaddirplusReply<'a> switch (status: u32) {
        case 0 => Ok(ReaddirplusOk<'a>),
        default => Fail(Option<[u32; 21]>),
    }
}

#[test]
fn b09_three_entries() {
    let bytes = case("B09a");
    let ReaddirplusReply::Ok(reply) = identical::<ReaddirplusReply<'_>>(&bytes) else { panic!() };
    assert!(reply.eof);
    assert_eq!(reply.entries.len(), 3);
    let names: Vec<&[u8]> = reply.entries.iter().map(|entry| entry.name.as_bytes()).collect();
    assert_eq!(names, [b"a", b"b", b"c"]);
}

/// Half a million entries, decoded, listed, encoded and dropped with a stack of 128 KiB.
#[test]
fn b09_half_a_million_entries() {
    const ENTRIES: usize = 500_000;
    let entry = common::unhex(
        "00000001 0000000000000001 00000001 61000000 0000000000000001 00000000 00000000",
    );
    assert_eq!(entry.len(), 36);
    let mut bytes = vec![0; 16];
    bytes.extend(entry.repeat(ENTRIES));
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 1]);

    let work = move || {
        let reply: ReaddirplusReply<'_> = from_bytes(&bytes).unwrap();
        let ReaddirplusReply::Ok(ok) = reply else { panic!() };
        assert_eq!(ok.entries.len() as usize, ENTRIES);
        assert_eq!(reply.encoded_len(), bytes.len() as u64);
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&reply).unwrap();
        e.finish();
        assert!(segments.view(&head).as_single_slice() == Some(&bytes[..]));

        // A built list, to encode: the same bytes.
        let built: Vec<EntryPlus<'_>> = ok.entries.iter().collect();
        assert!(built.iter().all(|entry| entry.name.as_bytes() == b"a"));
        let entries = Chain::from_slice(&built);
        let mut segments = Segments::new();
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&ReaddirplusReply::Ok(ReaddirplusOk { entries, ..ok })).unwrap();
        e.finish();
        assert!(segments.view(&head).as_single_slice() == Some(&bytes[..]));

        // The last entry is cut: the slow pass must not recurse either.
        let cut = bytes.len() - 9;
        let error = from_bytes::<ReaddirplusReply<'_>>(&bytes[..cut]).unwrap_err();
        assert_eq!(error.field.map(ToString::to_string).as_deref(), Some("entryplus3.name_handle"));
        assert!(error.offset as usize <= cut);

        // A limit is an error, at the element that is one too many.
        let limits = Limits { max_items: 1000, ..Limits::STRICT };
        let error = Cursor::with(&bytes, &limits).decode::<ReaddirplusReply<'_>>().unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooMany { count: 1001, limit: 1000 });
        assert_eq!(error.offset, 16 + 1000 * 36);
    };
    std::thread::Builder::new().stack_size(128 << 10).spawn(work).unwrap().join().unwrap();
}
