//! Why a header is refused.

use nfswire_xdr::DecodeError;
use thiserror::Error;

/// What is wrong with chunks whose encoding is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// A position that is no multiple of four (RFC 8166, section 3.4.5).
    #[error("a Read chunk belongs at byte {position} of the RPC message: that is no multiple of 4")]
    Unaligned {
        /// The position.
        position: u32,
    },
    /// A Read chunk that lies before the end of the one before it.
    #[error(
        "a Read chunk belongs at byte {position} of the RPC message, but the one before it reaches \
         to byte {end}: chunks must stand in order and must not overlap"
    )]
    Order {
        /// The position.
        position: u32,
        /// Where the chunk before ends, its padding included.
        end: u64,
    },
    /// A Read chunk that belongs behind the end of what it is to be inserted into.
    #[error(
        "a Read chunk belongs at byte {at} of the bytes that came with it, but these are only {len}"
    )]
    Outside {
        /// Where it belongs in the message without chunks.
        at: u64,
        /// Length of that, in bytes.
        len: u64,
    },
    /// The whole message inline and in a chunk of position zero as well, or before the xid.
    #[error("a Read chunk of position 0 holds the RPC message, but RDMA_MSG holds it as well")]
    TwoMessages,
    /// A chunk without segments.
    #[error("a chunk has no segments: there is no memory behind it")]
    NoSegments,
    /// A segment that reaches beyond what 64 bits can say.
    #[error("a segment of {length} bytes at {offset:#x} reaches beyond 64 bits")]
    Wraps {
        /// Its offset.
        offset: u64,
        /// Its length.
        length: u32,
    },
    /// More segments than the budget allows.
    #[error("the chunks have more than {limit} segments, which is what the budget allows")]
    TooManySegments {
        /// The budget.
        limit: u32,
    },
    /// More bytes than the budget allows.
    #[error("the chunks have {bytes} bytes, the budget allows {limit}")]
    TooManyBytes {
        /// In Read chunks, or in Write and Reply chunks, so far.
        bytes: u64,
        /// The budget.
        limit: u64,
    },
    /// More is to be returned in a chunk than it has room for.
    #[error("{used} bytes are to be returned in a chunk that has room for {room}")]
    NoRoom {
        /// Bytes to be returned.
        used: u64,
        /// Room in the chunk.
        room: u64,
    },
    /// More chunks are to be returned than were offered.
    #[error("data is to be returned in chunk {index}, but only {offered} were offered")]
    NotOffered {
        /// Number of the chunk, from 0; the Reply chunk counts behind all Write chunks.
        index: usize,
        /// Chunks offered.
        offered: usize,
    },
}

/// Why a message is refused: the header cannot be used, whatever the RPC message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// Shorter than the shortest header, 28 bytes (RFC 8166, section 4.5).
    #[error("the message has {len} bytes, and the shortest transport header has 28")]
    TooShort {
        /// Length of the message in bytes.
        len: usize,
    },
    /// Another version of the transport than 1 (RFC 8166, section 4.5.1).
    #[error("version {version} of the transport is not supported, only version 1 is")]
    Version {
        /// The version.
        version: u32,
    },
    /// The encoding is wrong, the procedure unknown, or bytes are left over (RFC 8166, section
    /// 4.5.2).
    #[error("the transport header cannot be parsed: {0}")]
    Xdr(#[from] DecodeError),
    /// RDMA_MSGP, which must not be sent (RFC 8166, section 4.6.1).
    #[error("RDMA_MSGP must not be sent; send RDMA_MSG")]
    Msgp,
    /// RDMA_DONE, which must not be sent (RFC 8166, section 4.6.2).
    #[error("RDMA_DONE must not be sent; the responder reads and writes, so nobody waits for it")]
    Done,
    /// RDMA_ERROR where no call of ours can have caused it (RFC 8166, section 4.2.4).
    #[error("RDMA_ERROR came to a responder, which sends no calls")]
    UnexpectedError,
    /// The transport header and the RPC message are of different calls (RFC 8166, section 4.2.1).
    #[error("the transport header has xid {header:#010x}, the RPC message {message:#010x}")]
    Xid {
        /// In the transport header.
        header: u32,
        /// In the RPC message.
        message: u32,
    },
    /// There is no RPC message, neither inline nor in a chunk (RFC 8166, section 4.5.2).
    #[error("there is no RPC message: neither behind the header nor in a chunk of position 0")]
    NoMessage,
    /// A reply with Read chunks (RFC 8166, section 4.3.1).
    #[error("a reply has Read chunks, which only calls may have")]
    ReadsInReply,
    /// A call in the reverse direction with chunks, which are not supported there (RFC 8167, section
    /// 5.3).
    #[error("a call in the reverse direction has chunks, which are not supported there")]
    ReverseChunks,
    /// The chunks do not do.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
}
