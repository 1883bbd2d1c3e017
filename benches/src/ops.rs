//! What is measured: each operation as a bare loop, with its goals and the same of its peers.

use core::{fmt, hint::black_box};

use nfs3_types::xdr_codec::Pack;
use nfswire_xdr::{Encode, Encoder, Segments, Stats};

use crate::{measure::Loop, nfs, rpc, samples, tirpc::Message};

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
    /// The same by what rpcgen makes of it: `decode` or `encode`, and the message.
    pub rpcgen: Option<(&'static str, Message)>,
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Op").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Op {
    /// An operation by its goal and name. Goals of 0 are none: most instructions, and most time
    /// beside the fastest peer. `theirs` is what nfs3_types does.
    #[must_use]
    pub fn new(
        id: &'static str,
        name: &'static str,
        goals: (u64, f64),
        run: Loop,
        theirs: Option<Loop>,
    ) -> Self {
        let most_instructions = (goals.0 > 0).then_some(goals.0);
        let most_ratio = (goals.1 > 0.0).then_some(goals.1);
        let peers = theirs.into_iter().map(|run| Peer { name: "nfs3_types", run }).collect();
        Self { id, name, most_instructions, most_ratio, run, peers, stats: None, rpcgen: None }
    }

    /// The same by somebody else.
    #[must_use]
    pub fn beside(mut self, name: &'static str, run: Loop) -> Self {
        self.peers.push(Peer { name, run });
        self
    }

    /// The same by what rpcgen makes of the message, which has these bytes.
    #[must_use]
    pub fn beside_rpcgen(mut self, what: &'static str, name: &str, bytes: &[u8]) -> Self {
        self.rpcgen = Some((what, Message { name: name.into(), bytes: bytes.into() }));
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

/// All of them, made anew on each call.
#[must_use]
pub fn all() -> Vec<Op> {
    let mut ops = rpc::ops();
    ops.append(&mut nfs::ops());
    ops
}

/// One of them.
#[must_use]
pub fn one(id: &str) -> Option<Op> {
    let of = |mut ops: Vec<Op>| Some(ops.swap_remove(ops.iter().position(|op| op.id == id)?));
    of(rpc::ops()).or_else(|| of(nfs::ops()))
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
    nfs::check_peers();

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
