//! The messages of NFSv4.1, as handlers and clients write them: operation by operation. Peers read
//! these bytes, and write what they have read.

use core::hint::black_box;

use embednfs_proto as embed;
use nfswire_nfs4::{
    ChangeInfo, Component, FileHandle, FileType, Fsid, OpNum, StateOwner, Stateid, Status, Time,
    attrs::{Attr, AttrSet, AttrSource, AttrValue, Fattr, FhExpireType, Selected, StandardAttrs},
    compound::{Argop, Bounds, CompoundBuilder, CompoundWriter, ReplyLimits, Results, put_results},
    ops::{attr::*, dir::*, filehandle::*, io::*, open::*, session::*},
};
use nfswire_xdr::{Encoder, Opaque, Payload, Segments, Text};

use nfswire_benches::samples::{ENTRIES, HANDLE, data, keep, name};

/// Something that writes a message, or a part of one.
pub(crate) type Out<'e, 'h> = &'e mut Encoder<'h, 'static>;

/// Makes the bytes of a message that a function writes.
pub(crate) fn bytes_of(write: impl FnOnce(Out<'_, '_>)) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    write(&mut e);
    e.finish();
    segments.view(&head).to_vec().expect("a sample is in memory")
}

//--- What is in them ---

/// What the Linux client asks for with GETATTR.
pub(crate) const USUAL: AttrSet<'static> = AttrSet::of(&[
    Attr::TYPE,
    Attr::CHANGE,
    Attr::SIZE,
    Attr::FSID,
    Attr::FILEID,
    Attr::MODE,
    Attr::NUMLINKS,
    Attr::OWNER,
    Attr::OWNER_GROUP,
    Attr::RAWDEV,
    Attr::SPACE_USED,
    Attr::TIME_ACCESS,
    Attr::TIME_METADATA,
    Attr::TIME_MODIFY,
    Attr::MOUNTED_ON_FILEID,
]);

/// The same, and what it asks for when it mounts: 30 attributes.
pub(crate) const THIRTY: AttrSet<'static> = AttrSet::of(&[
    Attr::TYPE,
    Attr::FH_EXPIRE_TYPE,
    Attr::CHANGE,
    Attr::SIZE,
    Attr::LINK_SUPPORT,
    Attr::SYMLINK_SUPPORT,
    Attr::NAMED_ATTR,
    Attr::FSID,
    Attr::UNIQUE_HANDLES,
    Attr::LEASE_TIME,
    Attr::CANSETTIME,
    Attr::CASE_INSENSITIVE,
    Attr::CASE_PRESERVING,
    Attr::CHOWN_RESTRICTED,
    Attr::FILEID,
    Attr::HOMOGENEOUS,
    Attr::MAXFILESIZE,
    Attr::MAXLINK,
    Attr::MAXNAME,
    Attr::MAXREAD,
    Attr::MAXWRITE,
    Attr::MODE,
    Attr::NUMLINKS,
    Attr::OWNER,
    Attr::OWNER_GROUP,
    Attr::RAWDEV,
    Attr::SPACE_USED,
    Attr::TIME_ACCESS,
    Attr::TIME_MODIFY,
    Attr::MOUNTED_ON_FILEID,
]);

const TIME: Time = Time { seconds: 1_700_000_000, nanoseconds: 5 };
/// The session.
pub(crate) const SESSION: [u8; 16] = [9; 16];
const STATEID: Stateid = Stateid { seqid: 1, other: [6; 12] };
const CHANGE: ChangeInfo = ChangeInfo { atomic: true, before: 1 << 40, after: 1 << 41 };

/// The usual attributes of file `i`.
#[must_use]
pub(crate) fn attributes(i: u64) -> StandardAttrs<'static> {
    StandardAttrs {
        mask: USUAL,
        file_type: FileType::Regular,
        change: i,
        size: i,
        fsid: Fsid { major: 7, minor: 0 },
        fileid: i,
        mode: 0o644,
        numlinks: 1,
        owner: Text::new(b"1000").expect("a short name"),
        owner_group: Text::new(b"100").expect("a short name"),
        space_used: 4096,
        time_access: TIME,
        time_metadata: TIME,
        time_modify: TIME,
        mounted_on_fileid: i,
        ..StandardAttrs::default()
    }
}

/// A server's object that answers for each attribute.
#[derive(Debug)]
pub(crate) struct Object(pub StandardAttrs<'static>);

impl AttrSource for Object {
    #[inline]
    fn attr(&self, attr: Attr) -> Option<AttrValue<'_>> {
        Some(match attr {
            Attr::FH_EXPIRE_TYPE => AttrValue::FhExpireType(FhExpireType::default()),
            Attr::LINK_SUPPORT => AttrValue::LinkSupport(true),
            Attr::SYMLINK_SUPPORT => AttrValue::SymlinkSupport(true),
            Attr::NAMED_ATTR => AttrValue::NamedAttr(false),
            Attr::UNIQUE_HANDLES => AttrValue::UniqueHandles(true),
            Attr::LEASE_TIME => AttrValue::LeaseTime(90),
            Attr::CANSETTIME => AttrValue::Cansettime(true),
            Attr::CASE_INSENSITIVE => AttrValue::CaseInsensitive(false),
            Attr::CASE_PRESERVING => AttrValue::CasePreserving(true),
            Attr::CHOWN_RESTRICTED => AttrValue::ChownRestricted(true),
            Attr::HOMOGENEOUS => AttrValue::Homogeneous(true),
            Attr::MAXFILESIZE => AttrValue::Maxfilesize(1 << 60),
            Attr::MAXLINK => AttrValue::Maxlink(32_000),
            Attr::MAXNAME => AttrValue::Maxname(255),
            Attr::MAXREAD => AttrValue::Maxread(1 << 20),
            Attr::MAXWRITE => AttrValue::Maxwrite(1 << 20),
            other => return self.0.attr(other),
        })
    }
}

/// The usual attributes as bytes made before.
#[must_use]
pub(crate) fn fattr(i: u64) -> Fattr<'static> {
    let all = attributes(i);
    let bytes = bytes_of(|e| e.put(&all.select(&USUAL)).expect("attributes encode"));
    nfswire_xdr::from_bytes(keep(bytes)).expect("attributes decode")
}

fn handle() -> FileHandle<'static> {
    FileHandle::new(keep(HANDLE)).expect("a short handle")
}

/// Names of the entries of a listing.
#[must_use]
pub(crate) fn names() -> &'static [Component<'static>] {
    let one = |i| Component::new(keep(name(i)).as_bytes()).expect("a short name");
    keep((0..ENTRIES).map(one).collect::<Vec<_>>())
}

//--- Arguments ---

type Call<'e, 'h> = CompoundBuilder<'e, 'h, 'static>;

/// Arguments that begin with SEQUENCE and PUTFH: what writes them, again and again.
fn call(then: impl Fn(&mut Call<'_, '_>) + 'static) -> impl Fn(Out<'_, '_>) + 'static {
    let handle = handle();
    move |e| {
        let mut call =
            CompoundBuilder::new(e, Text::default(), 1, u64::MAX).expect("room for a call");
        let sequence = SequenceArgs {
            sessionid: SESSION,
            sequenceid: 77,
            slotid: 3,
            highest_slotid: 7,
            cachethis: false,
        };
        call.add(&sequence).expect("room for SEQUENCE");
        call.add(&PutfhArgs { object: handle }).expect("room for PUTFH");
        then(&mut call);
        call.finish().expect("a call");
    }
}

/// SEQUENCE, PUTFH, READ.
pub(crate) fn read_args() -> impl Fn(Out<'_, '_>) + 'static {
    call(|call| {
        let args = ReadArgs { stateid: STATEID, offset: 1 << 33, count: 65536 };
        call.add(&args).expect("room for READ");
    })
}

/// SEQUENCE, PUTFH, GETATTR, the usual attributes.
pub(crate) fn getattr_args() -> impl Fn(Out<'_, '_>) + 'static {
    call(|call| call.add(&GetattrArgs { request: USUAL }).expect("room for GETATTR"))
}

/// SEQUENCE, PUTFH, READ, GETATTR.
pub(crate) fn read_getattr_args() -> impl Fn(Out<'_, '_>) + 'static {
    call(|call| {
        let args = ReadArgs { stateid: STATEID, offset: 1 << 33, count: 65536 };
        call.add(&args).expect("room for READ");
        call.add(&GetattrArgs { request: USUAL }).expect("room for GETATTR");
    })
}

/// SEQUENCE, PUTFH, GETATTR of 30 attributes.
pub(crate) fn thirty_args() -> impl Fn(Out<'_, '_>) + 'static {
    call(|call| call.add(&GetattrArgs { request: THIRTY }).expect("room for GETATTR"))
}

/// SEQUENCE, PUTFH, OPEN, GETFH, ACCESS, GETATTR.
pub(crate) fn open_args() -> impl Fn(Out<'_, '_>) + 'static {
    let name = Component::new(keep(name(1)).as_bytes()).expect("a short name");
    call(move |call| {
        let owner = Opaque::new(b"open id:\0\0\0*\0\0\0\0\0\0\0\x07").expect("a short owner");
        let args = OpenArgs {
            seqid: 0,
            share_access: ShareAccess::BOTH,
            share_deny: ShareDeny::EMPTY,
            owner: StateOwner { clientid: 1 << 50, owner },
            how: OpenHow::NoCreate,
            claim: OpenClaim::Null(name),
        };
        call.add(&args).expect("room for OPEN");
        call.push(&Argop::Getfh, &Bounds::default()).expect("room for GETFH");
        call.add(&AccessArgs { access: Access(0x1f) }).expect("room for ACCESS");
        call.add(&GetattrArgs { request: USUAL }).expect("room for GETATTR");
    })
}

/// SEQUENCE, PUTFH, READDIR.
pub(crate) fn readdir_args() -> impl Fn(Out<'_, '_>) + 'static {
    call(|call| call.add(&ReaddirArgs::first(65536, USUAL)).expect("room for READDIR"))
}

//--- Replies ---

type Reply<'e, 'h> = CompoundWriter<'e, 'h, 'static>;

/// What the session allows.
pub(crate) const LIMITS: ReplyLimits = ReplyLimits::transport(1, 1 << 24, 24);

const SEQUENCE: SequenceReply = SequenceReply::Ok(SequenceOk {
    sessionid: SESSION,
    sequenceid: 77,
    slotid: 3,
    highest_slotid: 63,
    target_highest_slotid: 63,
    status_flags: SequenceStatus::EMPTY,
});
const PUTFH: PutfhReply = PutfhReply { status: Status::OK };

/// A reply that begins with SEQUENCE and PUTFH: what writes it result by result, again and again.
fn reply(then: impl Fn(&mut Reply<'_, '_>) + 'static) -> impl Fn(Out<'_, '_>) + 'static {
    move |e| {
        let mut reply = CompoundWriter::new(e, Text::default(), LIMITS).expect("room for a reply");
        reply.put(black_box(&SEQUENCE)).expect("room for SEQUENCE");
        reply.put(black_box(&PUTFH)).expect("room for PUTFH");
        then(&mut reply);
        reply.finish().expect("a reply");
    }
}

/// A reply whose results are known together: what writes it, again and again.
pub(crate) fn known<R: Results<'static> + 'static>(results: R) -> impl Fn(Out<'_, '_>) + 'static {
    move |e| put_known(e, &LIMITS, &results)
}

/// Writes a reply whose results are known together.
#[inline(always)]
pub(crate) fn put_known<R: Results<'static>>(e: Out<'_, '_>, limits: &ReplyLimits, results: &R) {
    let status = put_results(e, Text::default(), limits, black_box(results));
    assert!(status.is_ok(), "the reply is not written");
}

/// SEQUENCE, PUTFH, and another result.
pub(crate) type Three<R> = (SequenceReply, PutfhReply, R);

/// SEQUENCE, PUTFH, READ of `len` bytes.
#[must_use]
pub(crate) fn read(len: usize) -> Three<ReadReply<'static>> {
    let ok = ReadOk { eof: false, data: Payload::Borrowed(data(len)) };
    (SEQUENCE, PUTFH, ReadReply::Ok(ok))
}

/// SEQUENCE, PUTFH, and some READs of `len` bytes each, result by result.
pub(crate) fn reads(len: usize, reads: usize) -> impl Fn(Out<'_, '_>) + 'static {
    let data = data(len);
    reply(move |reply| {
        for _ in 0..reads {
            let ok = ReadOk { eof: false, data: Payload::Borrowed(data) };
            reply.put(&ReadReply::Ok(ok)).expect("room for READ");
        }
    })
}

/// SEQUENCE, PUTFH, GETATTR of values in a struct.
pub(crate) fn getattr() -> impl Fn(Out<'_, '_>) + 'static {
    let all = keep(attributes(3));
    reply(move |reply| getattr_result(reply, all))
}

fn getattr_result(reply: &mut Reply<'_, '_>, all: &StandardAttrs<'_>) {
    let done = reply.with(OpNum::GETATTR, |e| {
        e.put(&Status::OK).map_err(Box::<dyn core::error::Error>::from)?;
        Ok::<_, Box<dyn core::error::Error>>(e.put(&all.select(&USUAL))?)
    });
    done.expect("room for GETATTR");
}

/// SEQUENCE, PUTFH, GETATTR of attributes that are bytes already, as peers have them.
#[must_use]
pub(crate) fn getattr_of_bytes() -> Three<GetattrReply<'static>> {
    (SEQUENCE, PUTFH, GetattrReply::Ok(GetattrOk { attributes: fattr(3) }))
}

/// SEQUENCE, PUTFH, GETATTR of 30 attributes, one by one.
pub(crate) fn thirty() -> impl Fn(Out<'_, '_>) + 'static {
    let object = keep(Object(attributes(3)));
    reply(move |reply| {
        let done = reply.with(OpNum::GETATTR, |e| {
            e.put(&Status::OK).map_err(Box::<dyn core::error::Error>::from)?;
            Ok::<_, Box<dyn core::error::Error>>(e.put(&Selected::new(&THIRTY, object))?)
        });
        done.expect("room for GETATTR");
    })
}

/// SEQUENCE, PUTFH, OPEN, GETFH, ACCESS, GETATTR.
pub(crate) fn open() -> impl Fn(Out<'_, '_>) + 'static {
    let (all, handle) = (keep(attributes(3)), handle());
    reply(move |reply| {
        let ok = OpenOk {
            stateid: STATEID,
            change: CHANGE,
            flags: OpenResultFlags::LOCKTYPE_POSIX,
            set: AttrSet::EMPTY,
            delegation: OpenDelegation::None,
        };
        reply.put(&OpenReply::Ok(ok)).expect("room for OPEN");
        reply.put(&GetfhReply::Ok(GetfhOk { object: handle })).expect("room for GETFH");
        let ok = AccessOk { supported: Access(0x1f), access: Access(0x1f) };
        reply.put(&AccessReply::Ok(ok)).expect("room for ACCESS");
        getattr_result(reply, all);
    })
}

/// SEQUENCE, PUTFH, READDIR of [`ENTRIES`] entries.
pub(crate) fn readdir() -> impl Fn(Out<'_, '_>) + 'static {
    let names = names();
    let all: &[StandardAttrs<'_>] = keep((0..ENTRIES).map(attributes).collect::<Vec<_>>());
    reply(move |reply| {
        let done = reply.with(OpNum::READDIR, |e| {
            let mut page = ReaddirWriter::new(e, [0; 8], 0, 65536)?;
            for (cookie, (name, all)) in (FIRST_COOKIE..).zip(names.iter().zip(all)) {
                let pushed =
                    page.try_push_with(Some(cookie), *name, |e| e.put(&all.select(&USUAL)))?;
                assert_eq!(pushed, Pushed::Yes, "the page is too short");
            }
            assert_eq!(page.finish(true)?, Finished::Answered, "the page is no answer");
            Ok::<_, Box<dyn core::error::Error>>(())
        });
        done.expect("room for READDIR");
    })
}

//--- embednfs-proto, which writes replies and reads none ---

fn embed_fattr(i: u64) -> embed::Fattr4 {
    let fattr = fattr(i);
    let [a, b, _] = fattr.mask.words();
    let attr_vals = bytes::Bytes::from_static(fattr.values.as_bytes());
    embed::Fattr4 { attrmask: embed::Bitmap4(vec![a, b]), attr_vals }
}

fn embed_reply(then: impl IntoIterator<Item = embed::NfsResop4>) -> embed::Compound4Res {
    let sequence = embed::SequenceRes4 {
        sessionid: SESSION,
        sequenceid: 77,
        slotid: 3,
        highest_slotid: 63,
        target_highest_slotid: 63,
        status_flags: 0,
    };
    let ok = embed::NfsStat4::Ok;
    let mut resarray =
        vec![embed::NfsResop4::Sequence(ok, Some(sequence)), embed::NfsResop4::Putfh(ok)];
    resarray.extend(then);
    embed::Compound4Res { status: ok, tag: String::new(), resarray }
}

/// READs of embednfs.
#[must_use]
pub(crate) fn embed_read(len: usize, reads: usize) -> embed::Compound4Res {
    let data = bytes::Bytes::from_static(data(len));
    embed_reply((0..reads).map(|_| {
        let read = embed::ReadRes4 { eof: false, data: data.clone() };
        embed::NfsResop4::Read(embed::NfsStat4::Ok, Some(read))
    }))
}

/// GETATTR of embednfs.
#[must_use]
pub(crate) fn embed_getattr() -> embed::Compound4Res {
    embed_reply([embed::NfsResop4::Getattr(embed::NfsStat4::Ok, Some(embed_fattr(3)))])
}

/// GETATTR of 30 attributes of embednfs.
#[must_use]
pub(crate) fn embed_thirty() -> embed::Compound4Res {
    let object = Object(attributes(3));
    let bytes = bytes_of(|e| e.put(&Selected::new(&THIRTY, &object)).expect("they encode"));
    let fattr: Fattr<'static> = nfswire_xdr::from_bytes(keep(bytes)).expect("they decode");
    let [a, b, _] = fattr.mask.words();
    let attr_vals = bytes::Bytes::from_static(fattr.values.as_bytes());
    let attrs = embed::Fattr4 { attrmask: embed::Bitmap4(vec![a, b]), attr_vals };
    embed_reply([embed::NfsResop4::Getattr(embed::NfsStat4::Ok, Some(attrs))])
}

/// OPEN of embednfs.
#[must_use]
pub(crate) fn embed_open() -> embed::Compound4Res {
    let ok = embed::NfsStat4::Ok;
    let open = embed::OpenRes4 {
        stateid: embed::Stateid4 { seqid: STATEID.seqid, other: STATEID.other },
        cinfo: embed::ChangeInfo4 {
            atomic: CHANGE.atomic,
            before: CHANGE.before,
            after: CHANGE.after,
        },
        rflags: OpenResultFlags::LOCKTYPE_POSIX.0,
        attrset: embed::Bitmap4::new(),
        delegation: embed::OpenDelegation4::None,
    };
    let handle = embed::NfsFh4(bytes::Bytes::from_static(keep(HANDLE)));
    embed_reply([
        embed::NfsResop4::Open(ok, Some(open)),
        embed::NfsResop4::Getfh(ok, Some(handle)),
        embed::NfsResop4::Access(ok, 0x1f, 0x1f),
        embed::NfsResop4::Getattr(ok, Some(embed_fattr(3))),
    ])
}

/// READDIR of embednfs.
#[must_use]
pub(crate) fn embed_readdir() -> embed::Compound4Res {
    let entry =
        |i| embed::Entry4 { cookie: i + FIRST_COOKIE, name: name(i), attrs: embed_fattr(i) };
    let readdir = embed::ReaddirRes4 {
        cookieverf: [0; 8],
        entries: (0..ENTRIES).map(entry).collect(),
        eof: true,
    };
    embed_reply([embed::NfsResop4::Readdir(embed::NfsStat4::Ok, Some(readdir))])
}
