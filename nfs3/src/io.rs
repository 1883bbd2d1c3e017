//! READ, WRITE and COMMIT (RFC 1813, sections 3.3.6, 3.3.7 and 3.3.21).
//!
//! File bytes are a [`Payload`]: on encode they go out as a segment of their own, never copied; on
//! decode they stay where they were received.
//!
//! ```
//! use nfswire_nfs3::io::{ReadOk, ReadReply};
//! use nfswire_xdr::{Encoder, Payload, Segments};
//!
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! e.put(&ReadReply::Ok(ReadOk::new(None, true, Payload::Borrowed(b"hello"))))?;
//! e.finish();
//! let message = segments.view(&head).to_vec()?;
//! assert_eq!(message.len(), 4 + 4 + 4 + 4 + 4 + 8);
//!
//! let ReadReply::Ok(ok) = nfswire_xdr::from_bytes(&message)? else { panic!("failed") };
//! ok.validate()?;
//! assert_eq!(ok.bytes(), Some(&b"hello"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_xdr::{Payload, xdr_struct, xdr_union};
use thiserror::Error;

use crate::{Count, FileHandle, Offset, PostOpAttr, StableHow, Status, WccData, WriteVerifier};

/// The count word and the length of the data, two words that must agree, do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the count word says {count} bytes but the data has {length}: the sender's encoder is wrong"
)]
#[non_exhaustive]
pub struct CountMismatch {
    /// What the count word says, in bytes.
    pub count: u32,
    /// Length of the data, in bytes.
    pub length: u32,
}

fn agree(count: u32, data: &Payload<'_>) -> Result<(), CountMismatch> {
    let length = data.len();
    if count == length { Ok(()) } else { Err(CountMismatch { count, length }) }
}

//--- READ ---

xdr_struct! {
    /// Arguments of READ (RFC 1813, section 3.3.6).
    #[derive(Copy)]
    "READ3args" => pub struct ReadArgs<'a> {
        /// File to read from.
        pub file: FileHandle<'a>,
        /// First byte wanted.
        pub offset: Offset,
        /// Bytes wanted; a server may return fewer.
        pub count: Count,
    }
}

xdr_struct! {
    /// Body of a successful READ (RFC 1813, section 3.3.6). [`ReadOk::new`] keeps `count` right.
    "READ3resok" => pub struct ReadOk<'a> {
        /// Attributes of the file after the read.
        "file_attributes" => pub attributes: PostOpAttr,
        /// Bytes returned. A word of its own on the wire: see [`ReadOk::validate`].
        pub count: Count,
        /// The read ended at the end of the file.
        pub eof: bool,
        /// The bytes.
        pub data: Payload<'a>,
    }
}

impl<'a> ReadOk<'a> {
    /// The reply that carries `data`; the count is the data's length.
    #[inline]
    #[must_use]
    pub fn new(attributes: PostOpAttr, eof: bool, data: Payload<'a>) -> Self {
        Self { attributes, count: data.len(), eof, data }
    }

    /// Checks that the count word is the length of the data.
    ///
    /// # Errors
    /// [`CountMismatch`] when a server sent two lengths. Believe neither beyond the smaller.
    #[inline]
    pub fn validate(&self) -> Result<(), CountMismatch> {
        agree(self.count, &self.data)
    }

    /// The bytes that may be handed to the reader, never more than `count`; `None` when the payload
    /// is not in memory.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        clipped(self.count, &self.data)
    }
}

/// At most `count` bytes of the payload, when they are in memory.
fn clipped<'d>(count: u32, data: &'d Payload<'_>) -> Option<&'d [u8]> {
    let bytes = data.as_slice()?;
    let wanted = usize::try_from(count).unwrap_or(usize::MAX);
    Some(bytes.get(..wanted).unwrap_or(bytes))
}

/// Body of a failed READ: attributes of the file (RFC 1813, section 3.3.6).
#[doc(alias = "READ3resfail")]
pub type ReadFail = PostOpAttr;

xdr_union! {
    /// Reply to READ (RFC 1813, section 3.3.6).
    "READ3res" => pub enum ReadReply<'a> switch (status: Status) {
        /// Success; no bytes and `eof` when the offset is at or behind the end.
        case Status::OK => Ok(ReadOk<'a>),
        /// Failure.
        default => Fail(ReadFail),
    }
}

//--- WRITE ---

xdr_struct! {
    /// Arguments of WRITE (RFC 1813, section 3.3.7). [`WriteArgs::new`] keeps `count` right.
    "WRITE3args" => pub struct WriteArgs<'a> {
        /// File to write to.
        pub file: FileHandle<'a>,
        /// Where the first byte goes.
        pub offset: Offset,
        /// Bytes to write; 0 succeeds and changes nothing. A word of its own on the wire: see
        /// [`WriteArgs::validate`].
        pub count: Count,
        /// How stable the data must be before the server answers.
        pub stable: StableHow,
        /// The bytes.
        pub data: Payload<'a>,
    }
}

impl<'a> WriteArgs<'a> {
    /// The request that writes `data`; the count is the data's length.
    #[inline]
    #[must_use]
    pub fn new(file: FileHandle<'a>, offset: Offset, stable: StableHow, data: Payload<'a>) -> Self {
        Self { file, offset, count: data.len(), stable, data }
    }

    /// Checks that the count word is the length of the data. A server that skips this writes too
    /// much or too little.
    ///
    /// # Errors
    /// [`CountMismatch`] when a client sent two lengths; answer [`Status::INVAL`] or write the
    /// smaller number.
    #[inline]
    pub fn validate(&self) -> Result<(), CountMismatch> {
        agree(self.count, &self.data)
    }

    /// The bytes to write, never more than `count`; `None` when the payload is not in memory.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        clipped(self.count, &self.data)
    }
}

xdr_struct! {
    /// Body of a successful WRITE (RFC 1813, section 3.3.7).
    #[derive(Copy)]
    "WRITE3resok" => pub struct WriteOk {
        /// The file before and after.
        "file_wcc" => pub wcc: WccData,
        /// Bytes written, which may be fewer than asked for.
        pub count: Count,
        /// How stable they are now: at least what was asked for.
        pub committed: StableHow,
        /// Changes when the server may have lost unstable data: compare it with the one of COMMIT.
        "verf" => pub verifier: WriteVerifier,
    }
}

/// Body of a failed WRITE: the file before and after (RFC 1813, section 3.3.7).
#[doc(alias = "WRITE3resfail")]
pub type WriteFail = WccData;

xdr_union! {
    /// Reply to WRITE (RFC 1813, section 3.3.7).
    #[derive(Copy)]
    "WRITE3res" => pub enum WriteReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(WriteOk),
        /// Failure.
        default => Fail(WriteFail),
    }
}

//--- COMMIT ---

xdr_struct! {
    /// Arguments of COMMIT (RFC 1813, section 3.3.21).
    #[derive(Copy)]
    "COMMIT3args" => pub struct CommitArgs<'a> {
        /// File whose data is to reach stable storage.
        pub file: FileHandle<'a>,
        /// First byte of the range.
        pub offset: Offset,
        /// Length of the range, in bytes; 0 means to the end of the file.
        pub count: Count,
    }
}

xdr_struct! {
    /// Body of a successful COMMIT (RFC 1813, section 3.3.21).
    #[derive(Copy)]
    "COMMIT3resok" => pub struct CommitOk {
        /// The file before and after.
        "file_wcc" => pub wcc: WccData,
        /// Write again what was written under another verifier than this.
        "verf" => pub verifier: WriteVerifier,
    }
}

/// Body of a failed COMMIT: the file before and after (RFC 1813, section 3.3.21).
#[doc(alias = "COMMIT3resfail")]
pub type CommitFail = WccData;

xdr_union! {
    /// Reply to COMMIT (RFC 1813, section 3.3.21).
    #[derive(Copy)]
    "COMMIT3res" => pub enum CommitReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(CommitOk),
        /// Failure.
        default => Fail(CommitFail),
    }
}
