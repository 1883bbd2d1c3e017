//! COMPOUND in pieces: what readers refuse, that writers keep to the limits of a session, and that
//! nothing is copied or allocated.

use core::hint::black_box;

use crate::common::encode;
use nfswire_nfs4::{
    Bitmap, FileHandle, OpNum, Stateid, Status,
    attrs::{AttrSet, Fattr},
    compound::{
        Accepted, Argop, Bounds, BuildError, CompoundArgs, CompoundBuilder, CompoundReader,
        CompoundReply, CompoundWriter, HIGHEST_MINOR, OpenError, Reason, ReplyError, ReplyLimits,
        ReplyReader, Resop, Standing, WriteError,
    },
    ops::{
        attr::{GetattrArgs, GetattrOk, GetattrReply, SetattrReply},
        filehandle::{GetfhReply, PutfhArgs, PutfhReply, PutrootfhReply},
        io::{
            Data, ReadArgs, ReadOk, ReadPlusArgs, ReadPlusContent, ReadPlusOk, ReadPlusReply,
            ReadReply, WriteArgs,
        },
        lock::LockReply,
        lookup::ReadlinkReply,
        session::{ChannelAttrs, SequenceArgs},
    },
};
use nfswire_xdr::{
    Array, Cursor, Encode, EncodeError, Encoder, ErrorKind, Limits, Opaque, Payload, Piece, Pieces,
    Segments, Text, from_bytes,
};
use proptest::prelude::*;

fn allocations(f: impl FnOnce()) -> u64 {
    allocation_counter::measure(f).count_total
}

fn text(text: &str) -> Text<'_> {
    Text::new(text.as_bytes()).unwrap()
}

fn call(minor_version: u32, ops: &[Argop<'_>]) -> Vec<u8> {
    let ops = Array::from_slice(ops).unwrap();
    encode(&CompoundArgs { tag: text("t"), minor_version, ops })
}

fn open(call: &[u8]) -> CompoundReader<'_> {
    CompoundReader::open(Cursor::new(call), &Accepted::default()).unwrap()
}

fn sequence() -> Argop<'static> {
    Argop::Sequence(SequenceArgs {
        sessionid: [1; 16],
        sequenceid: 1,
        slotid: 0,
        highest_slotid: 0,
        cachethis: false,
    })
}

fn read(count: u32) -> Argop<'static> {
    Argop::Read(ReadArgs { stateid: Stateid::default(), offset: 0, count })
}

fn putfh(handle: &[u8]) -> Argop<'_> {
    Argop::Putfh(PutfhArgs { object: FileHandle::new(handle).unwrap() })
}

//--- Reading ---

/// What the reader makes of a request: operations, and why it ended.
fn walk(call: &[u8]) -> (usize, Option<(u32, OpNum, Status)>) {
    let mut reader = open(call);
    let ops = reader.by_ref().count();
    // Reading the numbers alone comes to the same.
    let mut by_number = open(call);
    let numbers = core::iter::from_fn(|| by_number.next_op()).count();
    let refusal = reader.refusal().map(|r| (r.index, r.op, r.status));
    if !matches!(reader.refusal(), Some(r) if matches!(r.reason, Reason::Malformed(_))) {
        assert_eq!((numbers, by_number.refusal()), (ops, reader.refusal()));
    }
    (ops, refusal)
}

#[test]
fn the_first_operation_of_a_session() {
    let root = || Argop::Putrootfh;
    let alone = [
        OpNum::EXCHANGE_ID,
        OpNum::CREATE_SESSION,
        OpNum::BIND_CONN_TO_SESSION,
        OpNum::DESTROY_SESSION,
        OpNum::DESTROY_CLIENTID,
    ];
    for n in 0..128 {
        let op = OpNum(n);
        assert_eq!(op.is_sessionless(), alone.contains(&op), "{op}");
    }
    assert_eq!(walk(&call(0, &[root(), root()])), (2, None));
    for minor in [1, 2] {
        assert_eq!(walk(&call(minor, &[])), (0, None));
        assert_eq!(walk(&call(minor, &[sequence(), root()])), (2, None));
        let not_in_session = (0, OpNum::PUTROOTFH, Status::OP_NOT_IN_SESSION);
        assert_eq!(walk(&call(minor, &[root(), root()])), (0, Some(not_in_session)));
        let position = (2, OpNum::SEQUENCE, Status::SEQUENCE_POS);
        assert_eq!(walk(&call(minor, &[sequence(), root(), sequence()])), (2, Some(position)));

        let destroy = || {
            let clientid = 7;
            Argop::from(nfswire_nfs4::ops::client::DestroyClientidArgs { clientid })
        };
        assert_eq!(walk(&call(minor, &[destroy()])), (1, None));
        assert_eq!(walk(&call(minor, &[sequence(), destroy(), root()])), (3, None));
        let only = (0, OpNum::DESTROY_CLIENTID, Status::NOT_ONLY_OP);
        assert_eq!(walk(&call(minor, &[destroy(), root()])), (0, Some(only)));

        // Even a session of its own does not make it one among others.
        let bind = Argop::from(nfswire_nfs4::ops::session::BindConnToSessionArgs {
            sessionid: [1; 16],
            dir: nfswire_nfs4::ops::session::ChannelDirFromClient::Fore,
            use_conn_in_rdma_mode: false,
        });
        let only = (1, OpNum::BIND_CONN_TO_SESSION, Status::NOT_ONLY_OP);
        assert_eq!(walk(&call(minor, &[sequence(), bind])), (1, Some(only)));
    }
}

/// A whole request is judged as its reader does.
#[test]
fn whole_requests_are_judged_alike() {
    let renew = || Argop::from(nfswire_nfs4::ops::client::RenewArgs { clientid: 1 });
    let ops = [sequence(), Argop::Putrootfh, renew(), Argop::Getfh, Argop::Illegal];
    for minor in 0..=HIGHEST_MINOR {
        for first in &ops {
            for second in &ops {
                let bytes = call(minor, &[first.clone(), second.clone()]);
                let args: CompoundArgs<'_> = from_bytes(&bytes).unwrap();
                let mut reader = open(&bytes);
                for _ in reader.by_ref() {}
                assert_eq!(args.validate().err().as_ref(), reader.refusal(), "{args:?}");
            }
        }
    }
}

#[test]
fn operations_of_other_minor_versions() {
    for n in 0..=130 {
        let op = OpNum(n);
        let illegal = |minor| op.standing(minor) == Standing::Illegal;
        assert_eq!(illegal(0), !(3..=39).contains(&n), "{op}");
        assert_eq!(illegal(1), !(3..=58).contains(&n), "{op}");
        assert_eq!(illegal(2), !((3..=75).contains(&n) || n == 77), "{op}");
        assert!(illegal(3), "{op}");
        for minor in [0, 1, 2] {
            // RFC 8881, section 17; RFC 7862, section 13.
            let removed = match op {
                OpNum::OPEN_CONFIRM
                | OpNum::RELEASE_LOCKOWNER
                | OpNum::RENEW
                | OpNum::SETCLIENTID
                | OpNum::SETCLIENTID_CONFIRM => minor >= 1,
                OpNum::GETDEVICELIST => minor >= 2,
                _ => false,
            };
            assert_eq!(op.standing(minor) == Standing::Removed, removed, "{op} {minor}");
        }
    }
    assert_eq!(OpNum::ILLEGAL.standing(0), Standing::Illegal);
    let renew = Argop::from(nfswire_nfs4::ops::client::RenewArgs { clientid: 1 });
    let refused = (1, OpNum::RENEW, Status::NOTSUPP);
    assert_eq!(walk(&call(1, &[sequence(), renew])), (1, Some(refused)));
}

/// 100,000 operations in one request: refused at the first, without memory for them (D2).
#[test]
fn many_operations_cost_nothing() {
    for (minor, status) in [(0, Status::RESOURCE), (1, Status::TOO_MANY_OPS)] {
        let bytes = call(minor, &vec![Argop::Putrootfh; 100_000]);
        let count = allocations(|| {
            let mut reader = open(&bytes);
            assert_eq!(reader.op_count(), 100_000);
            assert!(reader.next().is_none());
            let refusal = *reader.refusal().unwrap();
            assert_eq!((refusal.op, refusal.status), (OpNum::PUTROOTFH, status));
            assert_eq!(refusal.reason, Reason::TooManyOps { count: 100_000, limit: 256 });
        });
        assert_eq!(count, 0);
    }
    // More than there can be.
    let bytes = [&[0; 8][..], &[0xff; 4], &[0, 0, 0, 24]].concat();
    let OpenError::Malformed(error) =
        CompoundReader::open(Cursor::new(&bytes), &Accepted::default()).unwrap_err()
    else {
        panic!("a minor version")
    };
    assert_eq!(
        error.to_string(),
        "COMPOUND4args.argarray at byte 12: need 4294967295 bytes, 4 left"
    );
}

/// What cannot be decoded does not keep a server from what came before it.
#[test]
fn malformed_arguments_end_the_request() {
    let bytes = call(1, &[sequence(), putfh(&[7; 8]), read(10)]);
    for cut in 1..28 {
        let (ops, refusal) = walk(&bytes[..bytes.len() - cut]);
        assert_eq!((ops, refusal), (2, Some((2, OpNum::READ, Status::BADXDR))), "{cut}");
    }
    let short = &bytes[..bytes.len() - 4];
    let mut reader = open(short);
    for _ in reader.by_ref() {}
    let refusal = reader.refusal().unwrap();
    assert_eq!(
        refusal.to_string(),
        format!(
            "operation 2 (OP_READ) is refused: READ4args.count at byte {}: need 4 bytes, 0 left",
            bytes.len() - 4
        )
    );
    // The number itself is missing: nobody knows which it would have been.
    let (ops, refusal) = walk(&bytes[..bytes.len() - 30]);
    assert_eq!((ops, refusal), (2, Some((2, OpNum::ILLEGAL, Status::BADXDR))));

    // Arguments of another type are not read.
    let mut reader = open(&bytes);
    assert_eq!(reader.next_op(), Some(OpNum::SEQUENCE));
    assert_eq!(reader.args::<ReadArgs>(), None);
    assert!(reader.args::<SequenceArgs>().is_some());
    assert_eq!(reader.peek(), Some(OpNum::PUTFH));
    // Those that nobody asks for are stepped over.
    assert_eq!((reader.next_op(), reader.peek()), (Some(OpNum::PUTFH), Some(OpNum::READ)));
    assert_eq!(reader.next(), Some(read(10)));
    assert!(reader.next().is_none() && reader.refusal().is_none());
    reader.finish().unwrap();
    let longer = [&bytes[..], &[0; 4]].concat();
    let mut reader = open(&longer);
    for _ in reader.by_ref() {}
    assert_eq!(reader.finish().unwrap_err().kind, ErrorKind::Trailing(4));
}

#[test]
fn a_minor_version_outranks_everything() {
    let accepted = Accepted { lowest_minor: 1, highest_minor: 9, ..Accepted::default() };
    for minor in [0, 3, 4, u32::MAX] {
        // Nothing follows.
        let bytes = [&[0, 0, 0, 1, b't', 0, 0, 0][..], &minor.to_be_bytes()].concat();
        let error = CompoundReader::open(Cursor::new(&bytes), &accepted).unwrap_err();
        assert_eq!(error, OpenError::MinorVersion { tag: text("t"), minor_version: minor });
    }
}

/// WRITE's data is still on the wire; what follows is read once it is here (D6).
#[test]
fn a_write_head_first() {
    let data = [9; 1001];
    let write = Argop::from(WriteArgs {
        stateid: Stateid::default(),
        offset: 5,
        stable: nfswire_nfs4::StableHow::Unstable,
        data: Payload::Borrowed(&data),
    });
    let bytes = call(0, &[putfh(&[1; 4]), write.clone(), Argop::Getfh]);
    let here = bytes.len() - 1004 - 4;
    let head = Cursor::head(&bytes[..here], bytes.len() as u32, &Limits::STRICT);
    let mut reader = CompoundReader::open(head, &Accepted::default()).unwrap();
    assert_eq!(reader.next(), Some(putfh(&[1; 4])));
    let Some(Argop::Write(args)) = reader.next() else { panic!("not a WRITE") };
    assert_eq!(args.data, Payload::Elsewhere { at: here as u32, len: 1001 });
    assert_eq!(reader.peek(), None);
    reader.go_on(Cursor::new(&bytes[here + 1004..]));
    assert_eq!(reader.next(), Some(Argop::Getfh));
    reader.finish().unwrap();

    // From pieces of any length (D7).
    for split in 1..bytes.len() {
        let pieces = [Piece::Here(&bytes[..split]), Piece::Here(&bytes[split..])];
        let mut scratch = [0; 64];
        let source = Pieces::new(&pieces, &mut scratch);
        let mut reader = CompoundReader::open(source, &Accepted::default()).unwrap();
        let ops: Vec<_> = reader.by_ref().collect();
        assert_eq!(ops, [putfh(&[1; 4]), write.clone(), Argop::Getfh], "{split}");
        reader.finish().unwrap();
    }
}

#[test]
fn a_session_bounds_requests() {
    let bytes = call(1, &[sequence(), Argop::Putrootfh, Argop::Getfh]);
    let reader = open(&bytes);
    let channel = |maxoperations, maxrequestsize| ChannelAttrs {
        maxoperations,
        maxrequestsize,
        ..ChannelAttrs::default()
    };
    assert_eq!(reader.check_session(&channel(3, 500), 500), Ok(()));
    assert_eq!(reader.check_session(&channel(2, 500), 500), Err(Status::TOO_MANY_OPS));
    assert_eq!(reader.check_session(&channel(3, 499), 500), Err(Status::REQ_TOO_BIG));
}

//--- Writing ---

/// Every failure has a shape that its own type decodes again, whatever the status.
#[test]
fn failures_have_the_right_shape() {
    let statuses = Status::ALL.iter().map(|(_, n)| Status(*n)).chain([Status(77_777)]);
    for status in statuses {
        for n in (0..=80).chain([10_044, 99_999]) {
            let op = OpNum(n);
            let result = Resop::failure(op, status);
            let bytes = encode(&result);
            let known = OpNum::ALL.iter().any(|(_, number)| *number == n);
            assert_eq!(result.op(), if known { op } else { OpNum::ILLEGAL });
            let want = if status == Status::OK { Status::SERVERFAULT } else { status };
            assert_eq!(result.status(), want, "{op}");
            assert_eq!(from_bytes::<Resop<'_>>(&bytes).unwrap(), result, "{op} {status}");
        }
    }
    let bytes = |op, status| encode(&Resop::failure(op, status));
    assert_eq!(bytes(OpNum::SETATTR, Status::PERM), [0, 0, 0, 34, 0, 0, 0, 1, 0, 0, 0, 0]);
    assert_eq!(bytes(OpNum::LOCK, Status::DENIED).len(), 4 + 4 + 8 + 8 + 4 + 8 + 4);
    assert_eq!(bytes(OpNum::LOCK, Status::GRACE).len(), 8);
    assert_eq!(bytes(OpNum::SETCLIENTID, Status::CLID_INUSE).len(), 16);
    assert_eq!(bytes(OpNum::LAYOUTGET, Status::LAYOUTTRYLATER).len(), 12);
    assert_eq!(bytes(OpNum::GETDEVICEINFO, Status::TOOSMALL).len(), 12);
    assert_eq!(bytes(OpNum::COPY, Status::OFFLOAD_NO_REQS).len(), 16);
}

const WIDE: ReplyLimits =
    ReplyLimits { max: u64::MAX, max_cached: u64::MAX, too_big: Status::REP_TOO_BIG };

#[test]
fn a_reply_is_that_of_its_value() {
    let data = [5; 300];
    let results = [
        Resop::Putrootfh(PutrootfhReply { status: Status::OK }),
        Resop::Read(ReadReply::Ok(ReadOk { eof: true, data: Payload::Borrowed(&data) })),
        Resop::Getattr(GetattrReply::Fail(Status::DELAY)),
    ];
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&1u32).unwrap();
    let mut reply = CompoundWriter::new(&mut e, text("tag"), WIDE).unwrap();
    assert!(reply.is_empty());
    let Resop::Read(read) = &results[1] else { panic!() };
    reply.push(&results[0]).unwrap();
    reply.put(read).unwrap();
    reply.fail(OpNum::GETATTR, Status::DELAY).unwrap();
    // Nothing follows a failure.
    let root = PutrootfhReply { status: Status::OK };
    assert_eq!(reply.put(&root), Err(WriteError::Ended));
    assert_eq!(reply.finish(), Ok(Status::DELAY));
    e.finish();
    let results = Array::from_slice(&results).unwrap();
    let value = CompoundReply { status: Status::DELAY, tag: text("tag"), results };
    assert_eq!(segments.view(&head).to_vec().unwrap()[4..], encode(&value));
}

/// A result that cannot be written leaves no trace, payloads included; so does one that is streamed.
#[test]
fn failed_results_are_rolled_back() {
    let data = [5; 300];
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let limits = ReplyLimits { max: 200, ..WIDE };
    let mut reply = CompoundWriter::new(&mut e, text(""), limits).unwrap();
    let elsewhere = ReadOk { eof: true, data: Payload::Elsewhere { at: 0, len: 5 } };
    let error = reply.put(&ReadReply::Ok(elsewhere)).unwrap_err();
    assert_eq!(error, WriteError::Encode(EncodeError::NotHere));
    let long = ReadReply::Ok(ReadOk { eof: true, data: Payload::Borrowed(&data) });
    let error = reply.put(&long).unwrap_err();
    assert_eq!(error, WriteError::TooBig { status: Status::REP_TOO_BIG, len: 12 + 16 + 300 });
    assert_eq!(reply.len(), 12);
    let streamed = reply.with(OpNum::READ, |e| {
        e.put(&long).map_err(WriteError::Encode)?;
        Ok::<_, WriteError>(())
    });
    assert_eq!(streamed, Err(error));
    assert_eq!((reply.len(), reply.room()), (12, 188));
    reply.with(OpNum::PUTROOTFH, |e| e.put(&Status::OK).map_err(WriteError::Encode)).unwrap();
    reply.fail(OpNum::READ, Status::REP_TOO_BIG).unwrap();
    assert_eq!(reply.finish(), Ok(Status::REP_TOO_BIG));
    e.finish();
    let message = segments.view(&head).to_vec().unwrap();
    let reply: CompoundReply<'_> = from_bytes(&message).unwrap();
    assert_eq!(reply.results.iter().map(|r| r.op().0).collect::<Vec<_>>(), [24, 25]);
}

#[test]
fn limits_of_a_session() {
    let channel = ChannelAttrs {
        maxresponsesize: 1000,
        maxresponsesize_cached: 100,
        ..ChannelAttrs::default()
    };
    let of = |limits: ReplyLimits, bound| {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let reply = CompoundWriter::new(&mut e, text(""), limits).unwrap();
        reply.fits(bound, None)
    };
    let kept = ReplyLimits::session(&channel, true, 24);
    assert_eq!(of(kept, 100 - 24 - 12), Ok(()));
    assert_eq!(of(kept, 100 - 24 - 11), Err(Status::REP_TOO_BIG_TO_CACHE));
    assert_eq!(of(kept, 1000), Err(Status::REP_TOO_BIG));
    let passing = ReplyLimits::session(&channel, false, 24);
    assert_eq!(of(passing, 1000 - 24 - 12), Ok(()));
    assert_eq!(of(passing, 1000 - 24 - 11), Err(Status::REP_TOO_BIG));
    assert_eq!(of(ReplyLimits::transport(0, 100, 24), 65), Err(Status::RESOURCE));
}

/// A result is never longer than its bound, for all that vectors have; and none is without bound.
#[test]
fn bounds_hold() {
    let bounds = Bounds::default();
    assert_eq!(read(1).reply_bound(&bounds), 4 + 4 + 4 + 4 + 4);
    assert_eq!(read(u32::MAX).reply_bound(&bounds), 16 + (1 << 32));
    for (_, n) in OpNum::ALL {
        let failure = encode(&Resop::failure(OpNum(*n), Status::DENIED)).len() as u64;
        for vector in crate::common::vectors("nfs42") {
            if vector.type_name != "nfs_argop4" {
                continue;
            }
            let op: Argop<'_> = from_bytes(&vector.bytes).unwrap();
            if op.op().0 == *n {
                let bound = op.reply_bound(&bounds);
                assert!(bound >= 8 && bound.is_multiple_of(4), "{op:?}: {bound}");
                assert!(bound < 1 << 34, "{op:?}: {bound}");
                let lock = matches!(op, Argop::Lock(_) | Argop::Lockt(_));
                assert!(!lock || bound >= failure, "{op:?}");
            }
        }
    }
}

/// A request of a random server: what its operations are, and how long their results become.
#[derive(Clone, Debug)]
enum Op {
    Root,
    Getfh(u32),
    Read(u32, u32),
    ReadPlus(u32),
    Getattr,
    Readlink(u32),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        Just(Op::Root),
        (0..=128u32).prop_map(Op::Getfh),
        (0..3000u32, 0..=100u32).prop_map(|(count, part)| Op::Read(count, count * part / 100)),
        (0..3000u32).prop_map(Op::ReadPlus),
        Just(Op::Getattr),
        (0..500u32).prop_map(Op::Readlink),
    ];
    prop::collection::vec(op, 1..12)
}

fn attrs_wanted() -> AttrSet<'static> {
    Bitmap::from_words([0x0010_011a, 0x00b0_a23a, 0])
}

impl Op {
    fn argop(&self) -> Argop<'static> {
        match self {
            Self::Root => Argop::Putrootfh,
            Self::Getfh(_) => Argop::Getfh,
            Self::Read(count, _) => read(*count),
            Self::ReadPlus(count) => {
                ReadPlusArgs { stateid: Stateid::default(), offset: 0, count: *count }.into()
            }
            Self::Getattr => GetattrArgs { request: attrs_wanted() }.into(),
            Self::Readlink(_) => Argop::Readlink,
        }
    }
}

const BYTES: &[u8] = &[3; 4096];

/// Runs the operations as a server does; how many ran, and the reply.
fn serve(ops: &[Op], tag: &str, limits: ReplyLimits) -> Result<(usize, Vec<u8>), WriteError> {
    let bounds = Bounds { link_text: 500, ..Bounds::default() };
    let bytes = |n: u32| &BYTES[..n as usize];
    let contents: Vec<Vec<ReadPlusContent<'_>>> = ops
        .iter()
        .map(|op| match op {
            Op::ReadPlus(count) => (0..16u32)
                .map(|i| {
                    let len = count / 16 + u32::from(i < count % 16);
                    ReadPlusContent::Data(Data { offset: 0, data: Payload::Borrowed(bytes(len)) })
                })
                .collect(),
            _ => Vec::new(),
        })
        .collect();
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mut reply = CompoundWriter::new(&mut e, text(tag), limits)?;
    let mut ran = 0;
    for (i, op) in ops.iter().enumerate() {
        let next = ops.get(i + 1).map(|op| op.argop().op());
        let argop = op.argop();
        if let Err(status) = reply.fits(argop.reply_bound(&bounds), next) {
            reply.fail(argop.op(), status)?;
            break;
        }
        ran += 1;
        // From here on it has happened: there must be room.
        match op {
            Op::Root => reply.put(&PutrootfhReply { status: Status::OK }),
            Op::Getfh(len) => {
                let object = FileHandle::new(bytes(*len)).unwrap();
                reply.put(&GetfhReply::Ok(nfswire_nfs4::ops::filehandle::GetfhOk { object }))
            }
            Op::Read(_, len) => {
                let data = Payload::Borrowed(bytes(*len));
                reply.put(&ReadReply::Ok(ReadOk { eof: false, data }))
            }
            Op::ReadPlus(_) => {
                let contents = Array::from_slice(&contents[i]).unwrap();
                reply.put(&ReadPlusReply::Ok(ReadPlusOk { eof: false, contents }))
            }
            Op::Getattr => {
                let mask = attrs_wanted();
                let values = Opaque::new(bytes(40)).unwrap();
                let attributes = Fattr { mask, values };
                reply.put(&GetattrReply::Ok(GetattrOk { attributes }))
            }
            Op::Readlink(len) => {
                let link = Text::new(bytes(*len)).unwrap();
                reply.put(&ReadlinkReply::Ok(nfswire_nfs4::ops::lookup::ReadlinkOk { link }))
            }
        }
        .unwrap();
    }
    reply.finish()?;
    e.finish();
    Ok((ran, segments.view(&head).to_vec().unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// REP_TOO_BIG comes before an operation runs, the reply keeps to its limits to the byte, and what
    /// must fit is not refused.
    #[test]
    fn replies_keep_to_their_limits(
        ops in ops(), tag in "[a-z]{0,9}", max in 24..12_000u64, cached in 24..12_000u64, kept: bool
    ) {
        let max_cached = if kept { cached } else { u64::MAX };
        let limits = ReplyLimits { max, max_cached, too_big: Status::REP_TOO_BIG };
        let least = max.min(max_cached);
        let head = 12 + tag.len().next_multiple_of(4) as u64;
        match serve(&ops, &tag, limits) {
            Err(error) => {
                // Not even the first failure has room.
                prop_assert!(head + 8 > least, "{}: {}", error, least);
            }
            Ok((ran, bytes)) => {
                let len = bytes.len() as u64;
                prop_assert!(len <= least, "{} bytes, at most {}", len, least);
                let reply: CompoundReply<'_> = from_bytes(&bytes).unwrap();
                let done = reply.results.iter().filter(|r| r.status() == Status::OK).count();
                prop_assert_eq!(done, ran);
                if ran < ops.len() {
                    let bound = ops[ran].argop().reply_bound(
                        &Bounds { link_text: 500, ..Bounds::default() });
                    let next = if ran + 1 < ops.len() { 8 } else { 0 };
                    let want = len - 8 + bound + next;
                    prop_assert!(want > least, "{} bytes would have fitted in {}", want, least);
                    let status = if want > max { Status::REP_TOO_BIG } else { Status::REP_TOO_BIG_TO_CACHE };
                    prop_assert_eq!(reply.status, status);
                    prop_assert_eq!(reply.results.len() as usize, ran + 1);
                } else {
                    prop_assert_eq!(reply.status, Status::OK);
                }
            }
        }
    }
}

/// Eight READs of 1 MiB: nothing is copied, nothing allocated (S2).
#[test]
fn many_reads_by_reference() {
    let data: Vec<Vec<u8>> = (0..8).map(|i| vec![i; 1 << 20]).collect();
    let (mut head, mut segments) = (vec![0; 1024], Segments::new());
    for turn in 0..2 {
        let count = allocations(|| {
            let mut e = Encoder::growable(&mut head, &mut segments);
            let mut reply = CompoundWriter::new(&mut e, text("big"), WIDE).unwrap();
            reply.put(&PutfhReply { status: Status::OK }).unwrap();
            for data in &data {
                let data = Payload::Borrowed(data);
                reply.put(&ReadReply::Ok(ReadOk { eof: false, data })).unwrap();
            }
            reply.finish().unwrap();
            e.finish();
        });
        assert!(turn == 0 || count == 0, "{count} allocations");
    }
    assert_eq!(segments.stats().copied, 0);
    let message = segments.view(&head);
    assert_eq!(message.len(), 16 + 8 + 8 * (16 + (1 << 20)));
    assert!(message.iter().count() <= 17);
}

#[test]
fn decoding_allocates_nothing() {
    let bytes = call(
        1,
        &[sequence(), putfh(&[7; 32]), read(65536), {
            GetattrArgs { request: attrs_wanted() }.into()
        }],
    );
    let count = allocations(|| {
        let mut reader = open(&bytes);
        assert_eq!(black_box(reader.by_ref()).count(), 4);
        reader.finish().unwrap();
    });
    assert_eq!(count, 0);
}

//--- The client's side ---

#[test]
fn a_request_is_built_and_its_reply_read() {
    let handle = [7; 16];
    let wanted = [sequence(), putfh(&handle), read(100), Argop::Getfh];
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mut call = CompoundBuilder::new(&mut e, text("t"), 1, 120).unwrap();
    let bounds = Bounds::default();
    for op in &wanted[..3] {
        call.push(op, &bounds).unwrap();
    }
    assert_eq!(call.len(), 16 + 36 + 24 + 32);
    let error = call.push(&read(1), &bounds).unwrap_err();
    assert_eq!(error, BuildError::TooBig { len: 140, limit: 120 });
    call.push(&wanted[3], &bounds).unwrap();
    assert_eq!(call.reply_bound(), 16 + 44 + 8 + 116 + (12 + 128));
    assert_eq!(call.finish(), Ok(4));
    e.finish();
    let bytes = segments.view(&head).to_vec().unwrap();
    let args: CompoundArgs<'_> = from_bytes(&bytes).unwrap();
    assert!(args.ops.iter().eq(wanted));
    assert_eq!(args.validate(), Ok(()));
}

#[test]
fn replies_that_make_no_sense() {
    let root = || Resop::Putrootfh(PutrootfhReply { status: Status::OK });
    let reply = |status, results: &[Resop<'_>]| {
        let results = Array::from_slice(results).unwrap();
        encode(&CompoundReply { status, tag: text("t"), results })
    };
    // All results in order, by type.
    let bytes = reply(Status::OK, &[root(), root()]);
    let mut reader = ReplyReader::open(Cursor::new(&bytes)).unwrap();
    assert_eq!((reader.tag(), reader.result_count()), (text("t"), 2));
    assert!(reader.expect::<PutrootfhReply>().unwrap().is_some());
    assert_eq!(
        reader.clone().next(OpNum::GETFH).unwrap_err(),
        ReplyError::OtherOp { index: 1, expected: OpNum::GETFH, found: OpNum::PUTROOTFH }
    );
    assert!(matches!(reader.clone().finish(), Err(ReplyError::Count { count: 2, .. })));
    assert_eq!(reader.next(OpNum::PUTROOTFH), Ok(Some(root())));
    // More was asked for.
    assert!(matches!(reader.next(OpNum::GETFH), Err(ReplyError::Count { count: 2, .. })));
    assert_eq!(reader.finish(), Ok(Status::OK));

    // A server that does not know the operation.
    let illegal = Resop::failure(OpNum(9999), Status::OP_ILLEGAL);
    let bytes = reply(Status::OP_ILLEGAL, &[root(), illegal.clone()]);
    let mut reader = ReplyReader::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(reader.next(OpNum::PUTROOTFH), Ok(Some(root())));
    assert_eq!(reader.clone().next(OpNum::CLONE), Ok(Some(illegal)));
    let lock: LockReply<'_> = reader.expect().unwrap().unwrap();
    assert_eq!(lock, LockReply::Fail(Status::OP_ILLEGAL));
    assert_eq!(reader.next(OpNum::GETFH), Ok(None));
    assert_eq!(reader.finish(), Ok(Status::OP_ILLEGAL));

    // A status that is none of the last result; a result behind a failure; no result.
    let bytes = reply(Status::DELAY, &[root()]);
    let mut reader = ReplyReader::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(reader.next(OpNum::PUTROOTFH), Ok(Some(root())));
    let wrong = ReplyError::Status { status: Status::DELAY, last: Status::OK };
    assert_eq!(reader.finish(), Err(wrong));
    let fail = Resop::Setattr(SetattrReply::fail(Status::PERM));
    let bytes = reply(Status::OK, &[fail.clone(), root()]);
    let mut reader = ReplyReader::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(reader.next(OpNum::SETATTR), Ok(Some(fail)));
    assert!(matches!(reader.next(OpNum::PUTROOTFH), Err(ReplyError::Count { .. })));
    let bytes = encode(&CompoundReply::mismatch(text("t")));
    let mut reader = ReplyReader::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(reader.next(OpNum::SETATTR), Ok(None));
    assert_eq!(reader.finish(), Ok(Status::MINOR_VERS_MISMATCH));

    // Cut anywhere, it is an error with the operation's name.
    let bytes = reply(Status::OK, &[root()]);
    for cut in 1..8 {
        let mut reader = ReplyReader::open(Cursor::new(&bytes[..bytes.len() - cut])).unwrap();
        let error = reader.next(OpNum::PUTROOTFH).unwrap_err();
        assert!(error.to_string().starts_with("result 0 (OP_PUTROOTFH): "), "{error}");
    }
}

/// Sizes that are moved with each operation.
#[test]
fn sizes() {
    assert!(size_of::<Argop<'_>>() <= 208 && size_of::<Resop<'_>>() <= 208);
    assert_eq!(Encode::<'_>::encoded_len(&Argop::Putrootfh), 4);
}
