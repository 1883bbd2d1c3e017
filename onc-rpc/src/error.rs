//! Error types of the crate. Every text says what was wrong and what to do.

use thiserror::Error;

/// A record that this end of the connection does not take (RFC 5531, section 11).
///
/// Behind a refused marker the stream has no known boundary any more: the connection must be
/// closed. The reader keeps the error and gives it again on every later call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A fragment announces more bytes than the record may still have.
    #[error(
        "record marker announces a fragment of {announced} bytes behind {received} bytes of the \
         same record, but a record may have {limit} bytes: close the connection (the peer does \
         not speak RPC, or its transfer size is above the limit)"
    )]
    TooLarge {
        /// Length in the marker, in bytes.
        announced: u32,
        /// Bytes of earlier fragments of the same record.
        received: u32,
        /// [`RecordLimits::max_record`](crate::RecordLimits::max_record).
        limit: u32,
    },
    /// A record is cut into more fragments than allowed.
    #[error(
        "record has more than {limit} fragments: close the connection, or raise the limit for a \
         peer that sends small fragments"
    )]
    TooManyFragments {
        /// [`RecordLimits::max_fragments`](crate::RecordLimits::max_fragments).
        limit: u32,
    },
    /// The receive buffer could not grow.
    #[error(
        "no memory for a receive buffer of {bytes} bytes: close the connection, or lower the \
         record limit"
    )]
    NoMemory {
        /// Size asked from the allocator.
        bytes: usize,
    },
    /// More bytes were reported than the reader had asked for; the stream position is lost.
    #[error(
        "{reported} bytes were reported as read where at most {allowed} fit: this is a fault of \
         the caller"
    )]
    Overrun {
        /// Bytes the caller reported.
        reported: usize,
        /// Bytes that were possible.
        allowed: usize,
    },
}
