//! The XDR of RFC 8166, section 4.1.2, as it stands: everything that can be sent, also what must not
//! be.
//!
//! These types are lossless and judge nothing but the encoding. To receive messages, use
//! [`receive`](crate::receive), which checks what the chunks say as well.
//!
//! ```
//! use nfswire_rdma::types::{Body, ChunkLists, Message, Segment, WriteChunk};
//! use nfswire_xdr::{Array, Encode, from_bytes};
//!
//! let segments = [Segment { handle: 7, length: 4096, offset: 0x1000 }];
//! let reply = WriteChunk { segments: Array::from_slice(&segments).unwrap() };
//! let lists = ChunkLists { reply: Some(reply), ..ChunkLists::default() };
//! let message = Message { xid: 1, version: 1, credits: 32, body: Body::Msg(lists) };
//! assert_eq!(message.encoded_len(), 48);
//! # let mut bytes = [0; 48];
//! # message.write(&mut bytes).unwrap();
//! # assert_eq!(from_bytes(&bytes), Ok(message));
//! ```

use nfswire_xdr::{Array, Chain, xdr_enum, xdr_struct, xdr_union};

//--- Segments ---

xdr_struct! {
    /// A contiguous region of the requester's memory (RFC 8166, section 3.4.3).
    #[derive(Copy)]
    "xdr_rdma_segment" => pub struct Segment {
        /// What the memory is registered as: `R_key` or `STag`.
        pub handle: u32,
        /// Bytes; 0 is an empty segment.
        pub length: u32,
        /// Its first byte: an address, or an offset into the registered memory.
        pub offset: u64,
    }
}

xdr_struct! {
    /// A segment of the Read list (RFC 8166, section 3.4.5). Consecutive ones of the same position
    /// form a Read chunk.
    #[derive(Copy)]
    "xdr_read_chunk" => pub struct ReadSegment {
        /// Where the chunk belongs in the RPC message, in bytes from its start: a multiple of four,
        /// 0 for the message itself.
        pub position: u32,
        /// The memory to read.
        pub target: Segment,
    }
}

/// The Read list (RFC 8166, section 4.3.1).
#[doc(alias = "xdr_read_list")]
pub type ReadList<'a> = Chain<'a, ReadSegment>;

xdr_struct! {
    /// Memory for one data item of a reply (RFC 8166, section 3.4.6). In a reply, segments have the
    /// lengths that were written.
    #[derive(Copy)]
    "xdr_write_chunk" => pub struct WriteChunk<'a> {
        /// The segments, to be filled in this order.
        "target" => pub segments: Array<'a, Segment>,
    }
}

/// The Write list (RFC 8166, section 4.3.2).
#[doc(alias = "xdr_write_list")]
pub type WriteList<'a> = Chain<'a, WriteChunk<'a>>;

/// Memory for a whole RPC reply (RFC 8166, section 4.3.3).
pub type ReplyChunk<'a> = WriteChunk<'a>;

impl<'a> WriteChunk<'a> {
    /// The chunk of `segments`; `None` if there are 2^32 or more.
    #[inline]
    #[must_use]
    pub fn new(segments: &'a [Segment]) -> Option<Self> {
        Some(Self { segments: Array::from_slice(segments)? })
    }

    /// Bytes that it has room for, or in a reply, that were written.
    #[inline]
    #[must_use]
    pub fn len(&self) -> u64 {
        self.segments.iter().fold(0u64, |sum, segment| sum.saturating_add(segment.length.into()))
    }

    /// Whether there is no room, or nothing was written.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(|segment| segment.length == 0)
    }
}

//--- Headers ---

xdr_struct! {
    /// What precedes the RPC message in RDMA_MSG, and stands alone in RDMA_NOMSG (RFC 8166, section
    /// 4.3).
    #[derive(Copy, Default)]
    "rpc_rdma_header" => pub struct ChunkLists<'a> {
        /// Memory to read parts of a call from.
        "rdma_reads" => pub reads: ReadList<'a>,
        /// Memory to write parts of a reply to.
        "rdma_writes" => pub writes: WriteList<'a>,
        /// Memory to write a long reply to.
        "rdma_reply" => pub reply: Option<ReplyChunk<'a>>,
    }
}

/// The header of RDMA_NOMSG, the same as that of RDMA_MSG (RFC 8166, section 4.1.2).
#[doc(alias = "rpc_rdma_header_nomsg")]
pub type NomsgLists<'a> = ChunkLists<'a>;

xdr_struct! {
    /// The header of RDMA_MSGP, which must not be sent (RFC 8166, section 4.6.1).
    #[derive(Copy)]
    "rpc_rdma_header_padded" => pub struct PaddedLists<'a> {
        /// Alignment of what follows, in bytes; its meaning was never specified in full.
        "rdma_align" => pub align: u32,
        /// Least length of what is aligned, in bytes.
        "rdma_thresh" => pub threshold: u32,
        /// As in [`ChunkLists`].
        "rdma_reads" => pub reads: ReadList<'a>,
        /// As in [`ChunkLists`].
        "rdma_writes" => pub writes: WriteList<'a>,
        /// As in [`ChunkLists`].
        "rdma_reply" => pub reply: Option<ReplyChunk<'a>>,
    }
}

//--- Errors ---

xdr_enum! {
    /// Why a message cannot be processed (RFC 8166, section 4.5).
    "rpc_rdma_errcode" => pub enum ErrorCode {
        /// Version of the transport not supported.
        "ERR_VERS" Version = 1,
        /// The header cannot be parsed, or the chunks do not do.
        "ERR_CHUNK" Chunk = 2,
    }
}

xdr_struct! {
    /// Versions that a responder supports (RFC 8166, section 4.5.1).
    #[derive(Copy)]
    "rpc_rdma_errvers" => pub struct VersionRange {
        /// The lowest.
        "rdma_vers_low" => pub low: u32,
        /// The highest.
        "rdma_vers_high" => pub high: u32,
    }
}

xdr_union! {
    /// What RDMA_ERROR says (RFC 8166, section 4.5).
    #[derive(Copy)]
    "rpc_rdma_error" => pub enum ErrorBody switch (err: ErrorCode) {
        /// Version not supported; these are.
        case ErrorCode::Version => "range" Version(VersionRange),
        /// The header cannot be parsed, or the chunks do not do.
        case ErrorCode::Chunk => Chunk,
    }
}

//--- Messages ---

xdr_enum! {
    /// Kinds of messages (RFC 8166, section 4.2.4).
    "rdma_proc" => pub enum Procedure {
        /// Chunk lists and an RPC message.
        "RDMA_MSG" Msg = 0,
        /// Chunk lists alone: the RPC message is in a chunk.
        "RDMA_NOMSG" Nomsg = 1,
        /// Not to be used.
        "RDMA_MSGP" Msgp = 2,
        /// Not to be used.
        "RDMA_DONE" Done = 3,
        /// The answer to a message that cannot be processed.
        "RDMA_ERROR" Error = 4,
    }
}

xdr_union! {
    /// What follows the fixed fields (RFC 8166, section 4.2.4).
    #[derive(Copy)]
    #[allow(clippy::large_enum_variant)] // the usual ones are the large ones
    "rdma_body" => pub enum Body<'a> switch (proc: Procedure) {
        /// Chunk lists; the RPC message follows.
        case Procedure::Msg => "rdma_msg" Msg(ChunkLists<'a>),
        /// Chunk lists.
        case Procedure::Nomsg => "rdma_nomsg" Nomsg(NomsgLists<'a>),
        /// Not to be used.
        case Procedure::Msgp => "rdma_msgp" Msgp(PaddedLists<'a>),
        /// Not to be used.
        case Procedure::Done => Done,
        /// An error.
        case Procedure::Error => "rdma_error" Error(ErrorBody),
    }
}

xdr_struct! {
    /// A transport header (RFC 8166, section 4.2).
    #[derive(Copy)]
    "rdma_msg" => pub struct Message<'a> {
        /// That of the RPC message.
        "rdma_xid" => pub xid: u32,
        /// Version of the transport.
        "rdma_vers" => pub version: u32,
        /// Asked for in a call, granted in a reply.
        "rdma_credit" => pub credits: u32,
        /// What kind of message, and the rest of it.
        "rdma_body" => pub body: Body<'a>,
    }
}
