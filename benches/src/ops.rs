//! What is measured: each operation as a bare loop, with its goals and the same of its peers.

use core::{fmt, hint::black_box};
use std::io::Cursor as TheirCursor;

use nfs3_types::{
    nfs3 as theirs,
    xdr_codec::{Pack, Unpack},
};
use nfswire_nfs3::{PostOpAttr, Status, attr::*, io::*, readdir::*};
use nfswire_xdr::{Cursor, Encode, Encoder, Piece, Pieces, Segments, Stats, from_bytes};

use crate::{measure::Loop, rpc, samples};

/// The same operation by somebody else.
pub struct Peer {
    /// The crate.
    pub name: &'static str,
    /// Does it n times.
    pub run: Loop,
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// One operation.
pub struct Op {
    /// Name of the goal.
    pub id: &'static str,
    /// What it does.
    pub name: &'static str,
    /// Most instructions, if that is a goal.
    pub most_instructions: Option<u64>,
    /// Most time beside the fastest peer, if that is a goal.
    pub most_ratio: Option<f64>,
    /// Does it n times.
    pub run: Loop,
    /// The same by others.
    pub peers: Vec<Peer>,
    /// Where the bytes went, for an encoder.
    pub stats: Option<Stats>,
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Op").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Op {
    pub(crate) fn new(
        id: &'static str,
        name: &'static str,
        goals: (u64, f64),
        run: Loop,
        theirs: Option<Loop>,
    ) -> Self {
        let most_instructions = (goals.0 > 0).then_some(goals.0);
        let most_ratio = (goals.1 > 0.0).then_some(goals.1);
        let peers = theirs.into_iter().map(|run| Peer { name: "nfs3_types", run }).collect();
        Self { id, name, most_instructions, most_ratio, run, peers, stats: None }
    }

    pub(crate) fn beside(mut self, name: &'static str, run: Loop) -> Self {
        self.peers.push(Peer { name, run });
        self
    }

    pub(crate) fn with_stats<T: Encode<'static>>(mut self, value: &T) -> Self {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(value).expect("a sample encodes");
        e.finish();
        self.stats = Some(segments.stats());
        self
    }
}

/// Encodes a value again and again into one head and one list.
pub(crate) fn put<T: Encode<'static> + 'static>(value: T) -> Loop {
    let (mut head, mut segments) = (vec![0; 1 << 16], Segments::new());
    Box::new(move |n| {
        for _ in 0..n {
            let value = black_box(&value);
            let mut e = Encoder::growable(&mut head, &mut segments);
            e.put(value).expect("a sample encodes");
            black_box(e.finish());
        }
    })
}

/// Packs a value of nfs3_types again and again into one vector.
pub(crate) fn pack<T: Pack + 'static>(value: T) -> Option<Loop> {
    let mut out = Vec::with_capacity(value.packed_size());
    Some(Box::new(move |n| {
        for _ in 0..n {
            out.clear();
            black_box(&value).pack(&mut out).expect("nfs3_types packs the sample");
            black_box(&mut out);
        }
    }))
}

/// Unpacks a value of nfs3_types again and again.
fn unpack<T: Unpack + 'static>(bytes: Vec<u8>) -> Option<Loop> {
    Some(Box::new(move |n| {
        for _ in 0..n {
            let mut from = TheirCursor::new(black_box(&bytes[..]));
            black_box(T::unpack(&mut from).expect("nfs3_types unpacks the sample"));
        }
    }))
}

macro_rules! decode {
    ($t:ty, $bytes:expr) => {{
        let bytes = $bytes.clone();
        Box::new(move |n| {
            for _ in 0..n {
                black_box(from_bytes::<$t>(black_box(&bytes)).expect("the sample decodes"));
            }
        })
    }};
}

/// All of them. They are made anew on each call.
#[must_use]
#[allow(clippy::too_many_lines, clippy::missing_panics_doc)] // a table
pub fn all() -> Vec<Op> {
    let mut ops = rpc::ops();
    let getattr = samples::bytes_of(&samples::getattr());
    ops.push(Op::new(
        "C4",
        "GETATTR reply decode",
        (100, 0.30),
        decode!(GetattrReply, getattr),
        unpack::<theirs::GETATTR3res>(getattr),
    ));
    ops.push(
        Op::new(
            "C5",
            "GETATTR reply encode",
            (100, 0.5),
            put(samples::getattr()),
            pack(samples::their_getattr()),
        )
        .with_stats(&samples::getattr()),
    );
    for (id, name, len, ratio) in [
        ("C8-1K", "READ reply encode, 1 KiB", 1 << 10, 0.0),
        ("C8-4K", "READ reply encode, 4 KiB", 4 << 10, 0.12),
        ("C8-64K", "READ reply encode, 64 KiB", 64 << 10, 0.012),
        ("C8-1M", "READ reply encode, 1 MiB", 1 << 20, 0.0004),
    ] {
        let op = Op::new(
            id,
            name,
            (150, ratio),
            put(samples::read(len)),
            pack(samples::their_read(len)),
        );
        ops.push(op.with_stats(&samples::read(len)));
    }
    let read = samples::bytes_of(&samples::read(4096));
    ops.push(Op::new(
        "C9",
        "READ reply decode, 4 KiB",
        (220, 0.45),
        decode!(ReadReply<'_>, read),
        unpack::<theirs::READ3res<'static>>(read),
    ));
    let write = samples::bytes_of(&samples::write(4096));
    ops.push(Op::new(
        "C10",
        "WRITE args decode, 4 KiB",
        (120, 0.4),
        decode!(WriteArgs<'_>, write),
        unpack::<theirs::WRITE3args<'static>>(write),
    ));
    ops.push(
        Op::new(
            "C11",
            "WRITE args encode, 64 KiB",
            (120, 0.012),
            put(samples::write(64 << 10)),
            pack(samples::their_write(64 << 10)),
        )
        .with_stats(&samples::write(64 << 10)),
    );
    ops.append(&mut listings());
    ops
}

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
    let peer = || unpack::<theirs::READDIRPLUS3res<'static>>(listing.clone());
    let pack = || pack(samples::their_readdirplus());
    vec![
        Op::new("C12", "READDIRPLUS decode, streamed", (20_000, 0.20), stream, peer()),
        Op::new(
            "C12w",
            "READDIRPLUS decode, walked as a value",
            (0, 0.0),
            decode!(ReaddirplusReply<'_>, listing),
            peer(),
        ),
        Op::new("C12p", "READDIRPLUS decode, pieces of 4 KiB", (0, 0.0), pieced, peer()),
        Op::new("C13", "READDIRPLUS encode", (23_000, 0.7), put(samples::readdirplus()), pack())
            .with_stats(&samples::readdirplus()),
        Op::new("C13p", "READDIRPLUS encode, pages of 4 KiB", (30_000, 0.0), paged, pack()),
    ]
}

/// That all peers read and write the same bytes as we do.
///
/// # Panics
/// They do not.
pub fn check_peers() {
    fn packed(value: &impl Pack) -> Vec<u8> {
        let mut out = Vec::new();
        value.pack(&mut out).expect("nfs3_types packs the sample");
        out
    }
    use crate::peers::{fastxdr, xdrgen};
    use bytes_05::Bytes;
    use xdr_codec_peer::pack as gen_pack;

    macro_rules! same {
        ($ours:expr, $theirs:expr, $gen:ty) => {{
            let bytes = samples::bytes_of(&$ours);
            assert_eq!(bytes, packed(&$theirs), "nfs3_types packs something else");
            let mut again = Vec::new();
            gen_pack(&samples::gen_decode::<$gen>(&bytes), &mut again).expect("xdrgen packs it");
            assert_eq!(bytes, again, "xdrgen packs something else");
            bytes
        }};
    }
    let bytes = same!(samples::call(), samples::their_call(), xdrgen::call_header);
    let call = samples::gen_decode::<xdrgen::call_header>(&bytes);
    assert_eq!(samples::gen_user(&call).gids, samples::GIDS, "xdrgen reads other groups");
    let call = fastxdr::call_header::try_from(Bytes::from(bytes)).expect("fastxdr reads it");
    assert_eq!(call.cred.body.len(), samples::call().credential.body.as_bytes().len());

    rpc::check_peers();

    let bytes = same!(samples::getattr(), samples::their_getattr(), xdrgen::GETATTR3res);
    let fastxdr::GETATTR3res::NFS3_OK(ok) =
        fastxdr::GETATTR3res::try_from(Bytes::from(bytes)).expect("fastxdr reads it")
    else {
        panic!("fastxdr reads a failure");
    };
    assert_eq!((ok.obj_attributes.fileid, ok.obj_attributes.ctime.nseconds), (3, 5));

    for len in [1 << 10, (64 << 10) + 1] {
        let bytes = same!(samples::read(len), samples::their_read(len), xdrgen::READ3res);
        let fastxdr::READ3res::NFS3_OK(ok) =
            fastxdr::READ3res::try_from(Bytes::from(bytes)).expect("fastxdr reads it")
        else {
            panic!("fastxdr reads a failure");
        };
        assert_eq!(ok.data, samples::data(len));
        assert_eq!(samples::bytes_of(&samples::write(len)), packed(&samples::their_write(len)));
    }

    let (ours, theirs) = (samples::readdirplus(), samples::their_readdirplus());
    let bytes = same!(ours, theirs, xdrgen::READDIRPLUS3res);
    let fastxdr::READDIRPLUS3res::NFS3_OK(ok) =
        fastxdr::READDIRPLUS3res::try_from(Bytes::from(bytes)).expect("fastxdr reads it")
    else {
        panic!("fastxdr reads a failure");
    };
    let mut names = Vec::new();
    let mut next = &ok.reply.entries;
    while let Some(entry) = next {
        names.push(entry.name.clone());
        next = &entry.nextentry;
    }
    assert!(names.iter().cloned().eq((0..samples::ENTRIES).map(samples::name)));
}
