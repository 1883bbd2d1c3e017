//! LOOKUP and READLINK (RFC 1094, sections 2.2.5 and 2.2.6).
//!
//! ```
//! use nfswire_nfs3::v2::lookup::ReadlinkReply;
//!
//! let reply: ReadlinkReply<'_> = nfswire_xdr::from_bytes(b"\0\0\0\0\0\0\0\x02to\0\0")?;
//! let ReadlinkReply::Ok(text) = reply else { panic!("a success") };
//! assert_eq!(text.as_slice(), Some(&b"to"[..]));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{BoundedPayload, xdr_union};

use super::{DirOpArgs, DirOpReply, FileHandle, MAXPATHLEN, Status};

//--- LOOKUP ---

/// Arguments of LOOKUP: directory and name (RFC 1094, section 2.2.5).
pub type LookupArgs<'a> = DirOpArgs<'a>;

/// Reply to LOOKUP: handle and attributes (RFC 1094, section 2.2.5).
pub type LookupReply = DirOpReply;

//--- READLINK ---

/// Arguments of READLINK: the symbolic link (RFC 1094, section 2.2.6).
pub type ReadlinkArgs = FileHandle;

xdr_union! {
    /// Reply to READLINK (RFC 1094, section 2.2.6).
    "readlinkres" => pub enum ReadlinkReply<'a> switch (status: Status) {
        /// Text of the link, at most [`MAXPATHLEN`] bytes that the server does not interpret. A
        /// payload, because transports that place data directly may place it (RFC 8267).
        case Status::OK => "data" Ok(BoundedPayload<'a, MAXPATHLEN>),
        /// Failure.
        default => Fail,
    }
}
