//! READ, WRITE and the obsolete WRITECACHE (RFC 1094, sections 2.2.7 to 2.2.9).
//!
//! File bytes are a payload of at most [`MAXDATA`](super::MAXDATA) bytes: on encode they go out as a
//! segment of their own, never copied; on decode they stay where they were received. WRITECACHE has
//! neither arguments nor results.
//!
//! ```
//! use nfswire_nfs3::v2::{MAXDATA, io::{Data, WriteArgs}};
//! use nfswire_xdr::{Encode, Payload};
//!
//! let args = WriteArgs::new([7; 32], 4096, Data::new(Payload::Borrowed(b"hello")).unwrap());
//! assert_eq!((args.offset, args.encoded_len()), (4096, 32 + 3 * 4 + 4 + 8));
//! assert!(Data::new(Payload::Borrowed(&[0; MAXDATA as usize + 1])).is_none());
//! ```

use nfswire_xdr::{BoundedPayload, xdr_struct, xdr_union};

use super::{AttrReply, Attributes, FileHandle, Status};

/// Bytes of a file: at most [`MAXDATA`](super::MAXDATA) of them (RFC 1094, section 2.2.7).
///
/// The RFC uses the name `nfsdata` and declares it nowhere; `MAXDATA` is its bound in section 3.5.
#[doc(alias = "nfsdata")]
pub type Data<'a> = BoundedPayload<'a, { super::MAXDATA }>;

//--- READ ---

xdr_struct! {
    /// Arguments of READ (RFC 1094, section 2.2.7). [`ReadArgs::new`] fills in what is unused.
    #[derive(Copy)]
    "readargs" => pub struct ReadArgs {
        /// File to read from.
        pub file: FileHandle,
        /// First byte wanted.
        pub offset: u32,
        /// Bytes wanted; a server may return fewer.
        pub count: u32,
        /// Unused; a word on the wire all the same.
        "totalcount" => pub total_count: u32,
    }
}

impl ReadArgs {
    /// Asks for `count` bytes from `offset` on; the unused count is the same.
    #[inline]
    #[must_use]
    pub const fn new(file: FileHandle, offset: u32, count: u32) -> Self {
        Self { file, offset, count, total_count: count }
    }
}

xdr_struct! {
    /// Body of a successful READ (RFC 1094, section 2.2.7). There is no end-of-file mark: compare
    /// with the size.
    "readres" => pub struct ReadOk<'a> {
        /// Attributes of the file after the read.
        pub attributes: Attributes,
        /// The bytes.
        pub data: Data<'a>,
    }
}

xdr_union! {
    /// Reply to READ (RFC 1094, section 2.2.7).
    "readres" => pub enum ReadReply<'a> switch (status: Status) {
        /// Success; no bytes when the offset is at or behind the end.
        case Status::OK => Ok(ReadOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- WRITE ---

xdr_struct! {
    /// Arguments of WRITE (RFC 1094, section 2.2.9). [`WriteArgs::new`] fills in what is unused.
    "writeargs" => pub struct WriteArgs<'a> {
        /// File to write to.
        pub file: FileHandle,
        /// Unused; a word on the wire all the same.
        "beginoffset" => pub begin_offset: u32,
        /// Where the first byte goes.
        pub offset: u32,
        /// Unused; a word on the wire all the same.
        "totalcount" => pub total_count: u32,
        /// The bytes. They are on stable storage before the server answers (RFC 1094, section 2.2).
        pub data: Data<'a>,
    }
}

impl<'a> WriteArgs<'a> {
    /// Writes `data` at `offset`; the unused words say the same.
    #[inline]
    #[must_use]
    pub fn new(file: FileHandle, offset: u32, data: Data<'a>) -> Self {
        Self { file, begin_offset: offset, offset, total_count: data.len(), data }
    }
}

/// Reply to WRITE: attributes after it (RFC 1094, section 2.2.9).
pub type WriteReply = AttrReply;
