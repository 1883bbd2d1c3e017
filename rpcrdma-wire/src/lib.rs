#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod assemble;
pub mod batch;
pub mod chunk;
pub mod cm;
pub mod credit;
mod error;
pub mod header;
pub mod placement;
mod receive;
pub mod requester;
pub mod types;

pub use chunk::{
    Budget, ChunkSlices, Chunks, ReadChunk, ReadChunks, ReadSegments, Returned, WriteChunks,
};
pub use error::{ChunkError, HeaderError};
pub use header::{Header, Kind, MIN_HEADER_LEN, Prefix, ReplyHeader};
pub use receive::{Direction, Endpoint, ErrorReply, Received, Refusal, Reverse, Role, receive};
pub use types::{ReadSegment, ReplyChunk, Segment, WriteChunk};

/// Version of the transport (RFC 8166, section 4.2.2).
pub const VERSION: u32 = 1;

/// Longest message that can be sent before peers have told each other more, in bytes, header included
/// (RFC 8166, section 3.3.3).
pub const DEFAULT_INLINE_THRESHOLD: u32 = 1024;

/// Port of NFS over RDMA, in the port space of the connection manager (RFC 8267, section 9).
pub const NFS_PORT: u16 = 20049;
