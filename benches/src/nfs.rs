//! The operations of NFSv3: each message in both directions.

use core::hint::black_box;
use std::io::Cursor as TheirCursor;

use nfs3_types::{
    nfs3 as theirs,
    xdr_codec::{Pack, Unpack},
};
use nfsserve::{nfs as serve, xdr::XDR};
use nfswire_nfs3::{PostOpAttr, Status, attr::*, io::*, lookup::*, readdir::*};
use nfswire_xdr::{Cursor, Encoder, Piece, Pieces, Segments};

use crate::{
    measure::Loop,
    ops::{Op, pack, put},
    peers::nfsserve as served,
    samples,
};

/// Name of the goal, of the operation, and the goals.
type Row = (&'static str, &'static str, (u64, f64));

/// One message.
struct Message {
    ops: Vec<Op>,
    /// That peers read and write the same bytes.
    check: Box<dyn FnOnce()>,
}

/// Unpacks a value of nfs3_types again and again.
fn unpack<T: Unpack + 'static>(bytes: &[u8]) -> Option<Loop> {
    let bytes = bytes.to_vec();
    Some(Box::new(move |n| {
        for _ in 0..n {
            let mut from = TheirCursor::new(black_box(&bytes[..]));
            match &T::unpack(&mut from) {
                Ok((value, _)) => black_box(value),
                Err(error) => panic!("nfs3_types does not unpack the sample: {error}"),
            };
        }
    }))
}

/// Writes a value of nfsserve again and again into one vector.
fn serialize<T: XDR + 'static>(value: T) -> Loop {
    let mut out = Vec::new();
    Box::new(move |n| {
        for _ in 0..n {
            out.clear();
            black_box(&value).serialize(&mut out).expect("nfsserve writes the sample");
            black_box(&mut out);
        }
    })
}

/// Reads a value of nfsserve again and again.
fn deserialize<T: XDR + Default + 'static>(bytes: &[u8]) -> Loop {
    let bytes = bytes.to_vec();
    Box::new(move |n| {
        for _ in 0..n {
            let mut value = T::default();
            // Its server reads from such a cursor too.
            let mut from = TheirCursor::new(black_box(&bytes[..]));
            value.deserialize(&mut from).expect("nfsserve reads the sample");
            black_box(&value);
        }
    })
}

/// Reads and writes `bytes` by both peers.
fn check<N: Pack + Unpack, S: XDR + Default>(bytes: &[u8], theirs: &N, served: &S, name: &str) {
    let packed = |value: &N| {
        let mut out = Vec::new();
        value.pack(&mut out).expect("nfs3_types packs the sample");
        out
    };
    let written = |value: &S| {
        let mut out = Vec::new();
        value.serialize(&mut out).expect("nfsserve writes the sample");
        out
    };
    assert!(packed(theirs) == bytes, "{name}: nfs3_types packs something else");
    assert!(written(served) == bytes, "{name}: nfsserve writes something else");
    let (again, len) = N::unpack(&mut TheirCursor::new(bytes)).expect("nfs3_types unpacks it");
    assert!(len == bytes.len() && packed(&again) == bytes, "{name}: nfs3_types reads another");
    let (mut again, mut rest) = (S::default(), bytes);
    again.deserialize(&mut rest).expect("nfsserve reads it");
    assert!(rest.is_empty() && written(&again) == bytes, "{name}: nfsserve reads another");
}

macro_rules! decode {
    ($t:ty, $bytes:expr) => {{
        let bytes = $bytes.to_vec();
        Box::new(move |n| {
            for _ in 0..n {
                // As the peers do: bytes behind the value are not looked for, and it is looked at
                // where it is (taken out of the result it would move once more).
                match &Cursor::new(black_box(&bytes)).decode::<$t>() {
                    Ok(value) => black_box(value),
                    Err(error) => panic!("the sample does not decode: {error}"),
                };
            }
        })
    }};
}

/// A message by us, by nfs3_types and by nfsserve: a sample and its type of each.
macro_rules! message {
    (
        $wire:expr, $ours:expr => $t:ty, $theirs:expr => $n:ty, $served:expr => $s:ty,
        $decode:expr, $encode:expr
    ) => {{
        let (wire, ours) = (String::from($wire), $ours);
        let bytes = samples::bytes_of(&ours);
        let (id, name, goals): Row = $decode;
        let decode = Op::new(id, name, goals, decode!($t, bytes), unpack::<$n>(&bytes))
            .beside("nfsserve", deserialize::<$s>(&bytes))
            .beside_rpcgen("decode", &wire, &bytes);
        let (id, name, goals): Row = $encode;
        let encode = Op::new(id, name, goals, put(ours), pack($theirs))
            .beside("nfsserve", serialize($served))
            .beside_rpcgen("encode", &wire, &bytes)
            .with_stats(&$ours);
        let check = Box::new(move || check::<$n, $s>(&bytes, &$theirs, &$served, &wire));
        Message { ops: vec![decode, encode], check }
    }};
}

/// READ replies of a length.
fn read(len: usize, decode: Row, encode: Row) -> Message {
    message!(
        format!("READ3res-{len}"),
        samples::read(len) => ReadReply<'_>,
        samples::their_read(len) => theirs::READ3res<'static>,
        samples::serve_read(len) => served::Reply<served::ReadOk>,
        decode, encode
    )
}

/// WRITE arguments of a length.
fn write(len: usize, decode: Row, encode: Row) -> Message {
    message!(
        format!("WRITE3args-{len}"),
        samples::write(len) => WriteArgs<'_>,
        samples::their_write(len) => theirs::WRITE3args<'static>,
        samples::serve_write(len) => served::WriteArgs,
        decode, encode
    )
}

fn messages() -> Vec<Message> {
    const NO_GOALS: (u64, f64) = (0, 0.0);
    vec![
        message!(
            "GETATTR3args",
            samples::getattr_args() => GetattrArgs<'_>,
            samples::their_getattr_args() => theirs::GETATTR3args,
            samples::serve_handle() => serve::nfs_fh3,
            ("C3", "GETATTR args decode", (60, 0.3)),
            ("getattr-e", "GETATTR args encode", NO_GOALS)
        ),
        message!(
            "GETATTR3res",
            samples::getattr() => GetattrReply,
            samples::their_getattr() => theirs::GETATTR3res,
            samples::serve_getattr() => served::Reply<serve::fattr3>,
            ("C4", "GETATTR reply decode", (100, 0.3)),
            ("C5", "GETATTR reply encode", (100, 0.5))
        ),
        message!(
            "LOOKUP3args",
            samples::lookup_args() => LookupArgs<'_>,
            samples::their_lookup_args() => theirs::LOOKUP3args<'static>,
            samples::serve_lookup_args() => serve::diropargs3,
            ("lookup-d", "LOOKUP args decode", NO_GOALS),
            ("lookup-e", "LOOKUP args encode", NO_GOALS)
        ),
        message!(
            "LOOKUP3res",
            samples::lookup() => LookupReply<'_>,
            samples::their_lookup() => theirs::LOOKUP3res,
            samples::serve_lookup() => served::Reply<served::LookupOk>,
            ("C6", "LOOKUP reply decode", (340, 0.65)),
            ("C7", "LOOKUP reply encode", (240, 0.55))
        ),
        read(
            4 << 10,
            ("C9-4K", "READ reply decode, 4 KiB", (220, 0.45)),
            ("C8-4K", "READ reply encode, 4 KiB", (150, 0.12)),
        ),
        read(
            64 << 10,
            ("C9-64K", "READ reply decode, 64 KiB", (220, 0.45)),
            ("C8-64K", "READ reply encode, 64 KiB", (150, 0.012)),
        ),
        read(
            1 << 20,
            ("C9-1M", "READ reply decode, 1 MiB", (220, 0.45)),
            ("C8-1M", "READ reply encode, 1 MiB", (150, 0.0004)),
        ),
        write(
            4 << 10,
            ("C10-4K", "WRITE args decode, 4 KiB", (120, 0.4)),
            ("C11-4K", "WRITE args encode, 4 KiB", (120, 0.12)),
        ),
        write(
            64 << 10,
            ("C10-64K", "WRITE args decode, 64 KiB", (120, 0.4)),
            ("C11-64K", "WRITE args encode, 64 KiB", (120, 0.012)),
        ),
        write(
            1 << 20,
            ("C10-1M", "WRITE args decode, 1 MiB", (120, 0.4)),
            ("C11-1M", "WRITE args encode, 1 MiB", (120, 0.0004)),
        ),
        message!(
            "READDIRPLUS3res",
            samples::readdirplus() => ReaddirplusReply<'_>,
            samples::their_readdirplus() => theirs::READDIRPLUS3res<'static>,
            samples::serve_readdirplus() => served::Reply<served::ReaddirplusOk>,
            ("C12w", "READDIRPLUS decode, walked as a value", NO_GOALS),
            ("C13", "READDIRPLUS encode", (23_000, 0.7))
        ),
    ]
}

/// A listing the other ways: streamed, from pieces, into pages.
fn listings() -> Vec<Op> {
    let listing = samples::bytes_of(&samples::readdirplus());
    let bytes = listing.clone();
    let stream: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut c = Cursor::new(black_box(&bytes));
            black_box(c.decode::<Status>().expect("a status"));
            black_box(c.decode::<PostOpAttr>().expect("attributes"));
            black_box(c.decode::<[u8; 8]>().expect("a verifier"));
            let mut entries = c.stream::<EntryPlus<'_>>();
            // By reference: a `for` would move each entry once more.
            while let Some(entry) = &entries.next() {
                black_box(entry);
            }
            let mut c = entries.finish().expect("a whole list");
            black_box(c.decode::<bool>().expect("the end word"));
        }
    });
    let bytes: &'static [u8] = samples::keep(listing.clone());
    let pieces: &'static [Piece<'static>] =
        samples::keep(bytes.chunks(4096).map(Piece::Here).collect::<Vec<_>>());
    let mut scratch = vec![0; 1 << 10];
    let pieced: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut p = Pieces::new(black_box(pieces), &mut scratch);
            black_box(p.decode::<Status>().expect("a status"));
            black_box(p.decode::<PostOpAttr>().expect("attributes"));
            black_box(p.decode::<[u8; 8]>().expect("a verifier"));
            while p.decode::<bool>().expect("a link") {
                black_box(&p.decode::<EntryPlus<'_>>().expect("an entry"));
            }
            black_box(p.decode::<bool>().expect("the end word"));
        }
    });
    let value = samples::readdirplus();
    let (mut pages, mut segments) = (vec![vec![0u8; 4096]; 8], Segments::new());
    let paged: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut e = Encoder::pages(&mut pages, &mut segments);
            e.put(black_box(&value)).expect("room for a listing");
            black_box(e.finish());
        }
    });
    let peer = || unpack::<theirs::READDIRPLUS3res<'static>>(&listing);
    let served = || deserialize::<served::Reply<served::ReaddirplusOk>>(&listing);
    let pack = || pack(samples::their_readdirplus());
    vec![
        Op::new("C12", "READDIRPLUS decode, streamed", (20_000, 0.20), stream, peer())
            .beside("nfsserve", served())
            .beside_rpcgen("decode", "READDIRPLUS3res", &listing),
        Op::new("C12p", "READDIRPLUS decode, pieces of 4 KiB", (0, 0.0), pieced, peer())
            .beside("nfsserve", served()),
        Op::new("C13p", "READDIRPLUS encode, pages of 4 KiB", (30_000, 0.0), paged, pack())
            .beside("nfsserve", serialize(samples::serve_readdirplus())),
    ]
}

/// All of them, in the order of their goals.
pub(crate) fn ops() -> Vec<Op> {
    let mut ops: Vec<Op> = messages().into_iter().flat_map(|message| message.ops).collect();
    ops.append(&mut listings());
    let goal = |op: &Op| {
        let digits: String = op.id.chars().skip(1).take_while(char::is_ascii_digit).collect();
        // What has no goal stands before the others.
        digits.parse::<u32>().unwrap_or(0)
    };
    ops.sort_by_key(goal);
    ops
}

/// That nfs3_types and nfsserve read and write the same bytes as we do.
pub(crate) fn check_peers() {
    for message in messages() {
        (message.check)();
    }
}
