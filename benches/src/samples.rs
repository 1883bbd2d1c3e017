//! The messages, as our values and as those of the peers. File handles have 32 bytes, listings 100
//! entries.

use ::nfsserve::nfs as serve;
use nfs3_types::{
    nfs3 as theirs, rpc,
    xdr_codec::{Opaque as TheirOpaque, Pack},
};
use nfswire_nfs3::{
    Attributes, DirOpArgs, FileHandle, FileName, FileType, SpecData, StableHow, Time, attr::*,
    io::*, lookup::*, readdir::*,
};
use nfswire_rpc::{AuthSys, CallHeader, Groups, OpaqueAuth, RecordMark, ReplyHeader};
use nfswire_xdr::{Chain, Encode, Encoder, Payload, Segments, Text};

use onc_rpc_peer::{
    AcceptedReply, AcceptedStatus, CallBody, MessageType, ReplyBody, RpcMessage,
    auth::{AuthFlavor as OncFlavor, AuthUnixParams},
};

use crate::peers::{nfsserve, xdrgen};

/// Entries of a listing.
pub const ENTRIES: u64 = 100;
/// Bytes of every file handle.
pub const HANDLE: [u8; 32] = [5; 32];
/// Groups of the caller.
pub const GIDS: [u32; 16] = [7; 16];

/// Memory that lives as long as the program: samples are made once.
pub fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// `len` bytes of a file.
#[must_use]
pub fn data(len: usize) -> &'static [u8] {
    keep(vec![1u8; len])
}

/// A value as bytes in one piece.
#[must_use]
pub fn bytes_of<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).expect("a sample encodes");
    e.finish();
    segments.view(&head).to_vec().expect("a sample is in memory")
}

/// A value as a record: behind its mark.
#[must_use]
pub fn record_of<T: Encode<'static>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mark = RecordMark::reserve(&mut e).expect("room for a mark");
    e.put(value).expect("a sample encodes");
    mark.close(&mut e).expect("a short record");
    e.finish();
    segments.view(&head).to_vec().expect("a sample is in memory")
}

/// Name of entry `i`.
#[must_use]
pub fn name(i: u64) -> String {
    format!("file-number-{i:06}")
}

//--- Ours ---

/// Attributes of file `i`.
#[must_use]
pub const fn attributes(i: u64) -> Attributes {
    let time = Time { seconds: 1_700_000_000, nanoseconds: 5 };
    Attributes {
        file_type: FileType::Regular,
        mode: 0o644,
        nlink: 1,
        uid: 1000,
        gid: 100,
        size: i,
        used: 4096,
        rdev: SpecData { major: 0, minor: 0 },
        fsid: 7,
        fileid: i,
        atime: time,
        mtime: time,
        ctime: time,
    }
}

/// The file handle.
#[must_use]
pub fn handle() -> FileHandle<'static> {
    FileHandle::new(keep(HANDLE)).expect("a short handle")
}

/// A GETATTR reply.
#[must_use]
pub const fn getattr() -> GetattrReply {
    GetattrReply::Ok(GetattrOk { attributes: attributes(3) })
}

/// GETATTR arguments.
#[must_use]
pub fn getattr_args() -> GetattrArgs<'static> {
    GetattrArgs { object: handle() }
}

/// LOOKUP arguments.
#[must_use]
pub fn lookup_args() -> LookupArgs<'static> {
    let name = FileName::new(keep(name(1)).as_bytes()).expect("a short name");
    LookupArgs { what: DirOpArgs { dir: handle(), name } }
}

/// A LOOKUP reply.
#[must_use]
pub fn lookup() -> LookupReply<'static> {
    LookupReply::Ok(LookupOk {
        object: handle(),
        attributes: Some(attributes(1)),
        dir_attributes: Some(attributes(2)),
    })
}

/// A READ reply of `len` bytes.
#[must_use]
pub fn read(len: usize) -> ReadReply<'static> {
    ReadReply::Ok(ReadOk::new(Some(attributes(1)), false, Payload::Borrowed(data(len))))
}

/// WRITE arguments of `len` bytes.
#[must_use]
pub fn write(len: usize) -> WriteArgs<'static> {
    WriteArgs::new(handle(), 1 << 33, StableHow::Unstable, Payload::Borrowed(data(len)))
}

/// A READDIRPLUS reply.
#[must_use]
pub fn readdirplus() -> ReaddirplusReply<'static> {
    let entry = |i| EntryPlus {
        fileid: i,
        name: FileName::new(keep(name(i)).as_bytes()).expect("a short name"),
        cookie: i,
        name_attributes: Some(attributes(i)),
        name_handle: Some(handle()),
    };
    let entries = keep((0..ENTRIES).map(entry).collect::<Vec<_>>());
    ReaddirplusReply::Ok(ReaddirplusOk {
        dir_attributes: Some(attributes(1)),
        cookie_verifier: [0; 8],
        reply: DirListPlus { entries: Chain::from_slice(entries), eof: true },
    })
}

/// A caller in 16 groups.
#[must_use]
pub fn user() -> AuthSys<'static> {
    AuthSys {
        stamp: 1,
        machine_name: Text::new(b"client01").expect("a short name"),
        uid: 1000,
        gid: 100,
        gids: Groups::truncated(&GIDS),
    }
}

/// The header of a READ call by [`user`].
#[must_use]
pub fn call() -> CallHeader<'static> {
    let body: &'static mut [u8; AuthSys::MAX_BODY] = Box::leak(Box::new([0; AuthSys::MAX_BODY]));
    let credential = user().to_auth(body);
    CallHeader {
        xid: 0x1234_5678,
        program: 100_003,
        version: 3,
        procedure: 6,
        credential,
        verifier: OpaqueAuth::NONE,
    }
}

/// The header of a reply that is a success.
#[must_use]
pub const fn reply() -> ReplyHeader<'static> {
    ReplyHeader::success(0x1234_5678)
}

//--- nfs3_types ---

/// Attributes of file `i` as nfs3_types has them.
#[must_use]
pub const fn their_attributes(i: u64) -> theirs::fattr3 {
    let time = theirs::nfstime3 { seconds: 1_700_000_000, nseconds: 5 };
    theirs::fattr3 {
        type_: theirs::ftype3::NF3REG,
        mode: 0o644,
        nlink: 1,
        uid: 1000,
        gid: 100,
        size: i,
        used: 4096,
        rdev: theirs::specdata3 { specdata1: 0, specdata2: 0 },
        fsid: 7,
        fileid: i,
        atime: time,
        mtime: time,
        ctime: time,
    }
}

fn their_handle() -> theirs::nfs_fh3 {
    theirs::nfs_fh3 { data: TheirOpaque::owned(HANDLE.to_vec()) }
}

/// The GETATTR reply of nfs3_types.
#[must_use]
pub const fn their_getattr() -> theirs::GETATTR3res {
    theirs::Nfs3Result::Ok(theirs::GETATTR3resok { obj_attributes: their_attributes(3) })
}

/// The GETATTR arguments of nfs3_types.
#[must_use]
pub fn their_getattr_args() -> theirs::GETATTR3args {
    theirs::GETATTR3args { object: their_handle() }
}

/// The LOOKUP arguments of nfs3_types.
#[must_use]
pub fn their_lookup_args() -> theirs::LOOKUP3args<'static> {
    let name = theirs::filename3(TheirOpaque::owned(name(1).into_bytes()));
    theirs::LOOKUP3args { what: theirs::diropargs3 { dir: their_handle(), name } }
}

/// The LOOKUP reply of nfs3_types.
#[must_use]
pub fn their_lookup() -> theirs::LOOKUP3res {
    theirs::Nfs3Result::Ok(theirs::LOOKUP3resok {
        object: their_handle(),
        obj_attributes: theirs::Nfs3Option::Some(their_attributes(1)),
        dir_attributes: theirs::Nfs3Option::Some(their_attributes(2)),
    })
}

/// The READ reply of nfs3_types.
#[must_use]
pub fn their_read(len: usize) -> theirs::READ3res<'static> {
    theirs::Nfs3Result::Ok(theirs::READ3resok {
        file_attributes: theirs::Nfs3Option::Some(their_attributes(1)),
        count: u32::try_from(len).expect("a short read"),
        eof: false,
        data: TheirOpaque::borrowed(data(len)),
    })
}

/// The WRITE arguments of nfs3_types.
#[must_use]
pub fn their_write(len: usize) -> theirs::WRITE3args<'static> {
    theirs::WRITE3args {
        file: their_handle(),
        offset: 1 << 33,
        count: u32::try_from(len).expect("a short write"),
        stable: theirs::stable_how::UNSTABLE,
        data: TheirOpaque::borrowed(data(len)),
    }
}

/// The READDIRPLUS reply of nfs3_types.
#[must_use]
pub fn their_readdirplus() -> theirs::READDIRPLUS3res<'static> {
    let entry = |i| theirs::entryplus3 {
        fileid: i,
        name: theirs::filename3(TheirOpaque::owned(name(i).into_bytes())),
        cookie: i,
        name_attributes: theirs::Nfs3Option::Some(their_attributes(i)),
        name_handle: theirs::Nfs3Option::Some(their_handle()),
    };
    theirs::Nfs3Result::Ok(theirs::READDIRPLUS3resok {
        dir_attributes: theirs::Nfs3Option::Some(their_attributes(1)),
        cookieverf: theirs::cookieverf3([0; 8]),
        reply: theirs::dirlistplus3 {
            entries: nfs3_types::xdr_codec::List((0..ENTRIES).map(entry).collect()),
            eof: true,
        },
    })
}

/// The call header of nfs3_types.
#[must_use]
pub fn their_call() -> rpc::rpc_msg<'static, 'static> {
    let cred = rpc::opaque_auth::auth_unix(&rpc::auth_unix {
        stamp: 1,
        machinename: TheirOpaque::borrowed(b"client01"),
        uid: 1000,
        gid: 100,
        gids: GIDS.to_vec(),
    });
    rpc::rpc_msg {
        xid: 0x1234_5678,
        body: rpc::msg_body::CALL(rpc::call_body {
            rpcvers: 2,
            prog: 100_003,
            vers: 3,
            proc: 6,
            cred,
            verf: rpc::opaque_auth::default(),
        }),
    }
}

/// The reply header of nfs3_types.
#[must_use]
pub fn their_reply() -> rpc::rpc_msg<'static, 'static> {
    let accepted = rpc::accepted_reply {
        verf: rpc::opaque_auth::default(),
        reply_data: rpc::accept_stat_data::SUCCESS,
    };
    let body = rpc::msg_body::REPLY(rpc::reply_body::MSG_ACCEPTED(accepted));
    rpc::rpc_msg { xid: 0x1234_5678, body }
}

/// Packs a message of nfs3_types behind its mark.
pub fn their_record(message: &rpc::rpc_msg<'_, '_>, out: &mut Vec<u8>) {
    let len = u32::try_from(message.packed_size()).expect("a short message");
    out.clear();
    rpc::fragment_header::new(len, true).pack(out).expect("nfs3_types packs a mark");
    message.pack(out).expect("nfs3_types packs the sample");
}

//--- nfsserve ---

const fn serve_attributes(i: u64) -> serve::fattr3 {
    let time = serve::nfstime3 { seconds: 1_700_000_000, nseconds: 5 };
    serve::fattr3 {
        ftype: serve::ftype3::NF3REG,
        mode: 0o644,
        nlink: 1,
        uid: 1000,
        gid: 100,
        size: i,
        used: 4096,
        rdev: serve::specdata3 { specdata1: 0, specdata2: 0 },
        fsid: 7,
        fileid: i,
        atime: time,
        mtime: time,
        ctime: time,
    }
}

/// The GETATTR arguments of nfsserve: the handle, which is all of them.
#[must_use]
pub fn serve_handle() -> serve::nfs_fh3 {
    serve::nfs_fh3 { data: HANDLE.to_vec() }
}

/// The GETATTR reply of nfsserve.
#[must_use]
pub const fn serve_getattr() -> nfsserve::Reply<serve::fattr3> {
    nfsserve::Reply(serve_attributes(3))
}

/// The LOOKUP arguments of nfsserve.
#[must_use]
pub fn serve_lookup_args() -> serve::diropargs3 {
    serve::diropargs3 { dir: serve_handle(), name: name(1).into_bytes().into() }
}

/// The LOOKUP reply of nfsserve.
#[must_use]
pub fn serve_lookup() -> nfsserve::Reply<nfsserve::LookupOk> {
    nfsserve::Reply(nfsserve::LookupOk {
        object: serve_handle(),
        obj_attributes: serve::post_op_attr::attributes(serve_attributes(1)),
        dir_attributes: serve::post_op_attr::attributes(serve_attributes(2)),
    })
}

/// The READ reply of nfsserve.
#[must_use]
pub fn serve_read(len: usize) -> nfsserve::Reply<nfsserve::ReadOk> {
    nfsserve::Reply(nfsserve::ReadOk {
        file_attributes: serve::post_op_attr::attributes(serve_attributes(1)),
        count: u32::try_from(len).expect("a short read"),
        eof: false,
        data: data(len).to_vec(),
    })
}

/// The WRITE arguments of nfsserve.
#[must_use]
pub fn serve_write(len: usize) -> nfsserve::WriteArgs {
    nfsserve::WriteArgs {
        file: serve_handle(),
        offset: 1 << 33,
        count: u32::try_from(len).expect("a short write"),
        stable: 0,
        data: data(len).to_vec(),
    }
}

/// The READDIRPLUS reply of nfsserve.
#[must_use]
pub fn serve_readdirplus() -> nfsserve::Reply<nfsserve::ReaddirplusOk> {
    let entry = |i| nfsserve::EntryPlus {
        fileid: i,
        name: name(i).into_bytes().into(),
        cookie: i,
        name_attributes: serve::post_op_attr::attributes(serve_attributes(i)),
        name_handle: serve::post_op_fh3::handle(serve_handle()),
    };
    nfsserve::Reply(nfsserve::ReaddirplusOk {
        dir_attributes: serve::post_op_attr::attributes(serve_attributes(1)),
        cookieverf: [0; 8],
        entries: (0..ENTRIES).map(entry).collect(),
        eof: true,
    })
}

//--- onc-rpc ---

/// A message of onc-rpc. It has no type for a message without its record mark.
pub type Onc = RpcMessage<&'static [u8], &'static [u8]>;

fn onc_call_with(credential: OncFlavor<&'static [u8]>) -> Onc {
    let none = OncFlavor::AuthNone(None);
    let body: CallBody<&'static [u8], &'static [u8]> =
        CallBody::new(100_003, 3, 6, credential, none, &[]);
    RpcMessage::new(0x1234_5678, MessageType::Call(body))
}

/// The call of onc-rpc, with the credential as a value, as it decodes it.
#[must_use]
pub fn onc_call() -> Onc {
    let name: &'static [u8] = b"client01";
    onc_call_with(OncFlavor::AuthUnix(AuthUnixParams::new(1, name, 1000, 100, GIDS)))
}

/// The same with the credential as bytes made before, as ours and that of nfs3_types is: faster.
#[must_use]
pub fn onc_call_of_bytes() -> Onc {
    onc_call_with(OncFlavor::Unknown { id: 1, data: call().credential.body.as_bytes() })
}

/// The reply of onc-rpc.
#[must_use]
pub fn onc_reply() -> Onc {
    let success = AcceptedStatus::Success(&[][..]);
    let accepted = AcceptedReply::new(OncFlavor::AuthNone(None), success);
    RpcMessage::new(0x1234_5678, MessageType::Reply(ReplyBody::Accepted(accepted)))
}

//--- xdrgen ---

/// The GETATTR reply of xdrgen.
///
/// # Panics
/// The bytes are no such reply.
#[must_use]
pub fn gen_decode<T>(mut bytes: &[u8]) -> T
where
    T: for<'x> xdr_codec_peer::Unpack<&'x [u8]>,
{
    T::unpack(&mut bytes).expect("xdrgen reads the sample").0
}

/// The credential of a call that xdrgen has read.
#[must_use]
pub fn gen_user(call: &xdrgen::call_header) -> xdrgen::authsys_parms {
    gen_decode(&call.cred.body)
}
