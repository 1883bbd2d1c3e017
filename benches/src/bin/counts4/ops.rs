//! The operations of NFSv4.1: COMPOUND in both directions, operation by operation, as servers and
//! clients read and write it.

use core::hint::black_box;

use bytes::{Bytes, BytesMut};
use embednfs_proto::{Compound4Args, Compound4Res, xdr::XdrEncode};
use nfswire_nfs4::{
    OpNum, Status,
    attrs::{Fattr, StandardAttrs},
    compound::{Accepted, CompoundReader, OpReply, ReplyReader, Results},
    ops::{attr::*, dir::*, filehandle::*, io::*, open::*, session::*},
};
use nfswire_rpc::{AuthSys, parse_call, parse_reply};
use nfswire_xdr::{Cursor, Encoder, Segments, Text};
use serde::{Serialize, de::DeserializeOwned};
use xdr_codec_peer::{Pack, Unpack};

use nfswire_benches::{measure::Loop, ops::Op, samples};

use crate::{
    samples4::{self, Out, Three},
    xdrgen4 as generated,
};

/// Name of the goal, of the operation, and the goals.
type Row = (&'static str, &'static str, (u64, f64));

const NO_GOALS: (u64, f64) = (0, 0.0);

//--- Ours ---

/// Reads the arguments as a server does: number by number, and then the arguments of that operation.
#[inline(always)]
fn read_args(bytes: &[u8]) {
    let accepted = Accepted::default();
    let mut call = CompoundReader::open(Cursor::new(bytes), &accepted).expect("a COMPOUND");
    black_box((call.tag(), call.minor_version()));
    macro_rules! args {
        ($t:ty) => {{
            let args = call.args::<$t>();
            assert!(args.is_some(), "the arguments do not decode");
            // Where they are: taken out they would move once more.
            black_box(&args);
        }};
    }
    while let Some(op) = call.next_op() {
        match op {
            OpNum::SEQUENCE => args!(SequenceArgs),
            OpNum::PUTFH => args!(PutfhArgs<'_>),
            OpNum::READ => args!(ReadArgs),
            OpNum::GETATTR => args!(GetattrArgs<'_>),
            OpNum::OPEN => args!(OpenArgs<'_>),
            OpNum::ACCESS => args!(AccessArgs),
            OpNum::READDIR => args!(ReaddirArgs<'_>),
            OpNum::GETFH => {}
            op => panic!("{op} is in no sample"),
        }
    }
    assert!(call.refusal().is_none(), "an operation is refused");
    assert!(call.finish().is_ok(), "bytes are left over");
}

type Reply<'a> = ReplyReader<'a, Cursor<'a>>;

/// Reads a result as a client does, which knows what it has asked for.
#[inline(always)]
fn expect<'a, R: OpReply<'a>>(reply: &mut Reply<'a>) {
    let result = reply.expect::<R>();
    assert!(matches!(result, Ok(Some(_))), "a result does not decode");
    black_box(&result);
}

/// Reads a reply that begins with SEQUENCE and PUTFH.
#[inline(always)]
fn read_reply<'a>(bytes: &'a [u8], then: impl FnOnce(&mut Reply<'a>)) {
    let mut reply = ReplyReader::open(Cursor::new(bytes)).expect("a reply");
    black_box(reply.tag());
    expect::<SequenceReply>(&mut reply);
    expect::<PutfhReply>(&mut reply);
    then(&mut reply);
    assert!(matches!(reply.finish(), Ok(Status::OK)), "the reply makes no sense");
}

/// Reads a reply whose results are known together.
#[inline(always)]
fn read_known<'a, R: Results<'a>>(bytes: &'a [u8]) {
    let mut reply = ReplyReader::open(Cursor::new(bytes)).expect("a reply");
    black_box(reply.tag());
    let results = reply.all::<R>();
    assert!(results.is_some(), "the results are not those that were asked for");
    black_box(&results);
    assert!(matches!(reply.finish(), Ok(Status::OK)), "the reply makes no sense");
}

/// Reads the result of GETATTR, and the attributes.
#[inline(always)]
fn getattr_result<'a>(reply: &mut Reply<'a>, read: impl FnOnce(&Fattr<'a>)) {
    match &reply.expect::<GetattrReply<'_>>() {
        Ok(Some(GetattrReply::Ok(ok))) => read(&ok.attributes),
        _ => panic!("the result of GETATTR does not decode"),
    }
}

#[inline(always)]
fn usual(attributes: &Fattr<'_>) {
    let all = StandardAttrs::from_fattr(attributes);
    assert!(all.is_ok(), "the attributes do not decode");
    black_box(&all);
}

/// Reads attributes one by one.
#[inline(always)]
fn one_by_one(attributes: &Fattr<'_>) {
    for value in attributes.values() {
        assert!(value.is_ok(), "an attribute does not decode");
        black_box(&value);
    }
}

/// Reads a listing entry by entry; of the attributes, which they are and how long.
#[inline(always)]
fn read_readdir(bytes: &[u8]) {
    let mut c = Cursor::new(bytes);
    black_box(c.decode::<Status>().expect("a status"));
    black_box(c.decode::<Text<'_>>().expect("a tag"));
    black_box(c.decode::<u32>().expect("a count"));
    black_box(c.decode::<OpNum>().expect("a number"));
    black_box(&c.decode::<SequenceReply>().expect("SEQUENCE"));
    black_box(c.decode::<OpNum>().expect("a number"));
    black_box(&c.decode::<PutfhReply>().expect("PUTFH"));
    black_box(c.decode::<OpNum>().expect("a number"));
    let mut page = EntryReader::open(c).expect("READDIR").expect("a success");
    black_box(page.cookie_verifier());
    while let Some(entry) = &page.next() {
        black_box(entry);
    }
    black_box(page.finish().expect("a whole page"));
}

/// Writes again and again into one head and one list.
fn write(f: impl Fn(Out<'_, '_>) + 'static) -> Loop {
    let (mut head, mut segments) = (vec![0; 1 << 16], Segments::new());
    Box::new(move |n| {
        for _ in 0..n {
            let mut e = Encoder::growable(&mut head, &mut segments);
            f(&mut e);
            black_box(e.finish());
        }
    })
}

/// The same for a reply whose results are known together.
fn write_known<R: Results<'static> + 'static>(results: R) -> Loop {
    let (mut head, mut segments) = (vec![0; 1 << 16], Segments::new());
    // Those of a session: not known when the program is compiled.
    let limits = black_box(samples4::LIMITS);
    Box::new(move |n| {
        for _ in 0..n {
            let mut e = Encoder::growable(&mut head, &mut segments);
            samples4::put_known(&mut e, &limits, &results);
            black_box(e.finish());
        }
    })
}

/// Reads the same bytes again and again.
fn read(bytes: &[u8], f: impl Fn(&[u8]) + 'static) -> Loop {
    let bytes = bytes.to_vec();
    Box::new(move |n| {
        for _ in 0..n {
            f(black_box(&bytes));
        }
    })
}

//--- Theirs ---

fn unpack<T: for<'x> Unpack<&'x [u8]> + 'static>(bytes: &[u8]) -> Loop {
    let bytes = bytes.to_vec();
    Box::new(move |n| {
        for _ in 0..n {
            let mut from = black_box(&bytes[..]);
            match &T::unpack(&mut from) {
                Ok((value, _)) => black_box(value),
                Err(error) => panic!("xdrgen does not read the sample: {error}"),
            };
        }
    })
}

fn pack<T: Pack<Vec<u8>> + 'static>(value: T) -> Loop {
    let mut out = Vec::new();
    Box::new(move |n| {
        for _ in 0..n {
            out.clear();
            black_box(&value).pack(&mut out).expect("xdrgen writes the sample");
            black_box(&mut out);
        }
    })
}

fn deserialize<T: DeserializeOwned + 'static>(bytes: &[u8]) -> Loop {
    let bytes = bytes.to_vec();
    Box::new(move |n| {
        for _ in 0..n {
            match &serde_xdr_peer::from_bytes::<_, T>(black_box(&bytes[..])) {
                Ok(value) => black_box(value),
                Err(error) => panic!("nfs4 does not read the sample: {error:?}"),
            };
        }
    })
}

fn serialize<T: Serialize + 'static>(value: T) -> Loop {
    let mut out = Vec::new();
    Box::new(move |n| {
        for _ in 0..n {
            out.clear();
            serde_xdr_peer::to_writer(&mut out, black_box(&value)).expect("nfs4 writes the sample");
            black_box(&mut out);
        }
    })
}

fn embed_decode(bytes: &[u8]) -> Loop {
    let bytes = Bytes::copy_from_slice(bytes);
    Box::new(move |n| {
        for _ in 0..n {
            // Its server has a record as `Bytes` too; another handle of it costs two counts.
            let mut from = black_box(&bytes).clone();
            match &Compound4Args::decode(&mut from) {
                Ok(value) => black_box(value),
                Err(error) => panic!("embednfs does not read the sample: {error}"),
            };
        }
    })
}

fn embed_encode(value: Compound4Res) -> Loop {
    let mut out = BytesMut::with_capacity(1 << 16);
    Box::new(move |n| {
        for _ in 0..n {
            out.clear();
            black_box(&value).encode(&mut out);
            black_box(&mut out);
        }
    })
}

//--- Messages ---

/// What nfs4 cannot do with a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Serde {
    /// It reads and writes it.
    Both,
    /// It does not read it.
    Neither,
}

struct Message {
    ops: Vec<Op>,
    check: Box<dyn FnOnce()>,
}

/// A message of arguments: what writes it, and the rows of both directions.
fn args(wire: &str, f: impl Fn(Out<'_, '_>) + 'static, decode: Row, encode: Row) -> Message {
    let bytes = samples4::bytes_of(&f);
    let wire = format!("COMPOUND4args-{wire}");
    let (id, name, goals) = decode;
    let decode = Op::new(id, name, goals, read(&bytes, read_args), None)
        .beside("xdrgen", unpack::<generated::COMPOUND4args>(&bytes))
        .beside("embednfs", embed_decode(&bytes))
        .beside("nfs4", deserialize::<nfs4_peer::CompoundArgs>(&bytes))
        .beside_rpcgen("decode", &wire, &bytes);
    let (id, name, goals) = encode;
    let theirs: generated::COMPOUND4args = samples::gen_decode(&bytes);
    let serde: nfs4_peer::CompoundArgs = serde_decode(&bytes, &wire);
    let mut encode = Op::new(id, name, goals, Box::new(|_| {}), None)
        .beside("xdrgen", pack(theirs))
        .beside("nfs4", serialize(serde))
        .beside_rpcgen("encode", &wire, &bytes);
    encode.stats = Some(stats_of(&f));
    encode.run = write(f);
    let check = Box::new(move || {
        read_args(&bytes);
        check_generated::<generated::COMPOUND4args>(&bytes, &wire);
        check_serde::<nfs4_peer::CompoundArgs>(&bytes, &wire);
        let mut from = Bytes::copy_from_slice(&bytes);
        let args = Compound4Args::decode(&mut from).expect("embednfs reads the sample");
        assert!(from.is_empty(), "{wire}: embednfs leaves bytes over");
        let ours = CompoundReader::open(Cursor::new(&bytes), &Accepted::default());
        assert_eq!(args.argarray.len(), ours.expect("a COMPOUND").op_count() as usize);
    });
    Message { ops: vec![decode, encode], check }
}

/// A reply: its kind as embednfs has it, what reads it, what writes it, and the rows.
fn reply(
    wire: &str,
    embed: fn() -> Compound4Res,
    serde: Serde,
    decode: Option<(Row, Loop2)>,
    f: impl Fn(Out<'_, '_>) + 'static,
    encode: Row,
) -> Message {
    let bytes = samples4::bytes_of(&f);
    let wire = format!("COMPOUND4res-{wire}");
    let mut ops = Vec::new();
    if let Some(((id, name, goals), read)) = decode {
        let mut op = Op::new(id, name, goals, read(&bytes), None)
            .beside("xdrgen", unpack::<generated::COMPOUND4res>(&bytes));
        if serde == Serde::Both {
            op = op.beside("nfs4", deserialize::<nfs4_peer::CompoundRes>(&bytes));
        }
        ops.push(op.beside_rpcgen("decode", &wire, &bytes));
    }
    let (id, name, goals) = encode;
    let theirs: generated::COMPOUND4res = samples::gen_decode(&bytes);
    let mut op = Op::new(id, name, goals, Box::new(|_| {}), None)
        .beside("xdrgen", pack(theirs))
        .beside("embednfs", embed_encode(embed()));
    if serde == Serde::Both {
        let value: nfs4_peer::CompoundRes = serde_decode(&bytes, &wire);
        op = op.beside("nfs4", serialize(value));
    }
    op = op.beside_rpcgen("encode", &wire, &bytes);
    op.stats = Some(stats_of(&f));
    op.run = write(f);
    ops.push(op);
    let check = Box::new(move || {
        check_generated::<generated::COMPOUND4res>(&bytes, &wire);
        if serde == Serde::Both {
            check_serde::<nfs4_peer::CompoundRes>(&bytes, &wire);
        }
        let mut out = BytesMut::new();
        embed().encode(&mut out);
        assert!(out[..] == bytes[..], "{wire}: embednfs writes something else");
    });
    Message { ops, check }
}

/// A reply whose results are known together.
fn known<R: Results<'static> + Clone + 'static>(
    wire: &str,
    embed: fn() -> Compound4Res,
    serde: Serde,
    decode: (Row, Loop2),
    results: R,
    encode: Row,
) -> Message {
    let f = samples4::known(results.clone());
    let mut message = reply(wire, embed, serde, Some(decode), f, encode);
    if let Some(encode) = message.ops.last_mut() {
        encode.run = write_known(results);
    }
    message
}

/// Makes the loop that reads some bytes.
type Loop2 = Box<dyn FnOnce(&[u8]) -> Loop>;

fn stats_of(f: &impl Fn(Out<'_, '_>)) -> nfswire_xdr::Stats {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    f(&mut e);
    e.finish();
    segments.stats()
}

fn check_generated<T>(bytes: &[u8], wire: &str)
where
    T: for<'x> Unpack<&'x [u8]> + Pack<Vec<u8>>,
{
    let mut again = Vec::new();
    samples::gen_decode::<T>(bytes).pack(&mut again).expect("xdrgen writes the sample");
    assert!(again == bytes, "{wire}: xdrgen writes something else");
}

fn serde_decode<T: DeserializeOwned>(bytes: &[u8], wire: &str) -> T {
    match serde_xdr_peer::from_bytes(bytes) {
        Ok(value) => value,
        Err(error) => panic!("{wire}: nfs4 does not read the sample: {error:?}"),
    }
}

fn check_serde<T: DeserializeOwned + Serialize>(bytes: &[u8], wire: &str) {
    let value: T = serde_decode(bytes, wire);
    let mut again = Vec::new();
    serde_xdr_peer::to_writer(&mut again, &value).expect("nfs4 writes the sample");
    assert!(again == bytes, "{wire}: nfs4 writes something else");
}

/// A reply to READ of `len` bytes in all directions.
macro_rules! read_reply {
    ($wire:literal, $len:expr, $decode:expr, $encode:expr) => {
        known(
            $wire,
            || samples4::embed_read($len, 1),
            Serde::Both,
            ($decode, Box::new(|bytes| read(bytes, |b| read_known::<Three<ReadReply<'_>>>(b)))),
            samples4::read($len),
            $encode,
        )
    };
}

/// The rows of a message, and what makes them.
type Maker = (&'static [&'static str], fn() -> Message);

fn messages() -> Vec<Maker> {
    vec![
        (&["C14", "C14e"], || {
            args(
                "read",
                samples4::read_args(),
                ("C14", "SEQUENCE PUTFH READ args decode", (400, 0.5)),
                ("C14e", "SEQUENCE PUTFH READ args encode", NO_GOALS),
            )
        }),
        (&["C15", "C15e"], || {
            args(
                "getattr",
                samples4::getattr_args(),
                ("C15", "SEQUENCE PUTFH GETATTR args decode", (450, 0.5)),
                ("C15e", "SEQUENCE PUTFH GETATTR args encode", NO_GOALS),
            )
        }),
        (&["C15r", "C15re"], || {
            args(
                "read-getattr",
                samples4::read_getattr_args(),
                ("C15r", "SEQUENCE PUTFH READ GETATTR args decode", NO_GOALS),
                ("C15re", "SEQUENCE PUTFH READ GETATTR args encode", NO_GOALS),
            )
        }),
        (&["C16d-4K", "C16-4K"], || {
            read_reply!(
                "read4K",
                4 << 10,
                ("C16d-4K", "READ compound reply decode, 4 KiB", NO_GOALS),
                ("C16-4K", "READ compound reply encode, 4 KiB", (150, 0.12))
            )
        }),
        (&["C16d-64K", "C16-64K"], || {
            read_reply!(
                "read64K",
                64 << 10,
                ("C16d-64K", "READ compound reply decode, 64 KiB", NO_GOALS),
                ("C16-64K", "READ compound reply encode, 64 KiB", (150, 0.012))
            )
        }),
        (&["C16d-1M", "C16-1M"], || {
            read_reply!(
                "read1M",
                1 << 20,
                ("C16d-1M", "READ compound reply decode, 1 MiB", NO_GOALS),
                ("C16-1M", "READ compound reply encode, 1 MiB", (150, 0.0004))
            )
        }),
        (&["8reads"], || {
            reply(
                "read8x1M",
                || samples4::embed_read(1 << 20, 8),
                Serde::Neither,
                None,
                samples4::reads(1 << 20, 8),
                ("8reads", "reply of 8 READs of 1 MiB, encode", NO_GOALS),
            )
        }),
        (&["C18v", "C17v"], || {
            reply(
                "getattr",
                samples4::embed_getattr,
                Serde::Both,
                Some((
                    ("C18v", "GETATTR compound reply decode, attributes into a struct", NO_GOALS),
                    Box::new(|b| read(b, |b| read_reply(b, |r| getattr_result(r, usual)))),
                )),
                samples4::getattr(),
                ("C17v", "GETATTR compound reply encode, attributes from a struct", NO_GOALS),
            )
        }),
        (&["C18", "C17"], || {
            known(
                "getattr-bytes",
                samples4::embed_getattr,
                Serde::Neither,
                (
                    ("C18", "GETATTR compound reply decode", (350, 0.4)),
                    Box::new(|b| read(b, |b| read_known::<Three<GetattrReply<'_>>>(b))),
                ),
                samples4::getattr_of_bytes(),
                ("C17", "GETATTR compound reply encode", (220, 0.55)),
            )
        }),
        (&["g30-ad", "g30-ae"], || {
            args(
                "thirty",
                samples4::thirty_args(),
                ("g30-ad", "GETATTR of 30 attributes, args decode", NO_GOALS),
                ("g30-ae", "GETATTR of 30 attributes, args encode", NO_GOALS),
            )
        }),
        (&["g30-rd", "g30-re"], || {
            reply(
                "thirty",
                samples4::embed_thirty,
                Serde::Both,
                Some((
                    ("g30-rd", "GETATTR of 30 attributes, reply decode, one by one", NO_GOALS),
                    Box::new(|b| read(b, |b| read_reply(b, |r| getattr_result(r, one_by_one)))),
                )),
                samples4::thirty(),
                ("g30-re", "GETATTR of 30 attributes, reply encode, one by one", NO_GOALS),
            )
        }),
        (&["open-ad", "open-ae"], || {
            args(
                "open",
                samples4::open_args(),
                ("open-ad", "OPEN GETFH ACCESS GETATTR args decode", NO_GOALS),
                ("open-ae", "OPEN GETFH ACCESS GETATTR args encode", NO_GOALS),
            )
        }),
        (&["open-rd", "open-re"], || {
            reply(
                "open",
                samples4::embed_open,
                Serde::Both,
                Some((
                    ("open-rd", "OPEN GETFH ACCESS GETATTR reply decode", NO_GOALS),
                    Box::new(|b| {
                        read(b, |b| {
                            read_reply(b, |r| {
                                expect::<OpenReply<'_>>(r);
                                expect::<GetfhReply<'_>>(r);
                                expect::<AccessReply>(r);
                                getattr_result(r, usual);
                            });
                        })
                    }),
                )),
                samples4::open(),
                ("open-re", "OPEN GETFH ACCESS GETATTR reply encode", NO_GOALS),
            )
        }),
        (&["dir-ad", "dir-ae"], || {
            args(
                "readdir",
                samples4::readdir_args(),
                ("dir-ad", "READDIR args decode", NO_GOALS),
                ("dir-ae", "READDIR args encode", NO_GOALS),
            )
        }),
        (&["dir-rd", "dir-re"], || {
            reply(
                "readdir",
                samples4::embed_readdir,
                Serde::Both,
                Some((
                    ("dir-rd", "READDIR reply decode, streamed", NO_GOALS),
                    Box::new(|b| read(b, read_readdir)),
                )),
                samples4::readdir(),
                ("dir-re", "READDIR reply encode", NO_GOALS),
            )
        }),
    ]
}

/// Call and reply, each written and read: what both sides spend on them.
fn both_ways(
    id: &'static str,
    name: &'static str,
    call: impl Fn(Out<'_, '_>) + 'static,
    reply: impl Fn(Out<'_, '_>) + 'static,
    read_call: impl Fn(&[u8]) + 'static,
    read_reply: impl Fn(&[u8]) + 'static,
) -> Op {
    let (bytes, answer) = (samples4::bytes_of(&call), samples4::bytes_of(&reply));
    let (mut head, mut segments) = (vec![0; 1 << 16], Segments::new());
    let run: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut e = Encoder::growable(&mut head, &mut segments);
            call(&mut e);
            black_box(e.finish());
            read_call(black_box(&bytes));
            let mut e = Encoder::growable(&mut head, &mut segments);
            reply(&mut e);
            black_box(e.finish());
            read_reply(black_box(&answer));
        }
    });
    Op::new(id, name, NO_GOALS, run, None)
}

/// An 8 KiB READ of both versions, and RPC's headers, which either has.
fn eight_kib() -> Vec<Op> {
    use nfswire_nfs3::io as v3;
    const LEN: usize = 8 << 10;
    let args = v3::ReadArgs { file: samples::handle(), offset: 1 << 33, count: 8192 };
    let (read3, header) = (samples::read(LEN), samples::call());
    vec![
        both_ways(
            "S10-3",
            "8 KiB READ of NFSv3: call and reply, written and read (150 ns)",
            move |e| e.put(black_box(&args)).expect("room for READ"),
            move |e| e.put(black_box(&read3)).expect("room for READ"),
            |bytes| {
                let args = Cursor::new(bytes).decode::<v3::ReadArgs<'_>>();
                assert!(args.is_ok(), "READ's arguments do not decode");
                black_box(&args);
            },
            |bytes| {
                let reply = Cursor::new(bytes).decode::<v3::ReadReply<'_>>();
                assert!(reply.is_ok(), "READ's reply does not decode");
                black_box(&reply);
            },
        ),
        both_ways(
            "S10-4",
            "8 KiB READ of NFSv4.1: the same, with SEQUENCE and PUTFH (150 ns)",
            samples4::read_args(),
            samples4::known(samples4::read(LEN)),
            read_args,
            |bytes| read_known::<Three<ReadReply<'_>>>(bytes),
        ),
        both_ways(
            "S10-h",
            "what RPC's headers add to either: 16 groups, call and reply, written and read",
            move |e| e.put(black_box(&header)).expect("room for a header"),
            |e| e.put(black_box(&const { samples::reply() })).expect("room for a header"),
            |bytes| {
                let header = parse_call(&mut Cursor::new(bytes));
                let header = header.as_ref().expect("a call");
                black_box(AuthSys::from_auth(&header.credential).expect("of a user"));
                black_box(header);
            },
            |bytes| {
                black_box(&parse_reply(&mut Cursor::new(bytes)).expect("a reply"));
            },
        ),
    ]
}

/// All of them; of one row, only those of its message: they take long to make, and every count of
/// instructions makes them anew.
pub(crate) fn ops(only: Option<&str>) -> Vec<Op> {
    let wanted = |ids: &[&str]| only.is_none_or(|only| ids.contains(&only));
    let made = messages().into_iter().filter(|(ids, _)| wanted(ids)).map(|(_, make)| make());
    let mut ops: Vec<Op> = made.flat_map(|message| message.ops).collect();
    if only.is_none_or(|only| only.starts_with("S10")) {
        ops.append(&mut eight_kib());
    }
    ops
}

/// That peers read and write the same bytes as we do.
pub(crate) fn check_peers() {
    for (_, make) in messages() {
        let message = make();
        (message.check)();
    }
}
