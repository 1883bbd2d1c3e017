//! LOOKUP, ACCESS and READLINK (RFC 1813, sections 3.3.3 to 3.3.5).
//!
//! ```
//! use nfswire_nfs3::lookup::{ACCESS_READ, ACCESS_LOOKUP, AccessOk, AccessReply};
//!
//! let reply: AccessReply = nfswire_xdr::from_bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3])?;
//! let access = ACCESS_READ | ACCESS_LOOKUP;
//! assert_eq!(reply, AccessReply::Ok(AccessOk { attributes: None, access }));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{Payload, xdr_struct, xdr_union};

use crate::{DirOpArgs, FileHandle, PostOpAttr, Status};

//--- LOOKUP ---

xdr_struct! {
    /// Arguments of LOOKUP (RFC 1813, section 3.3.3).
    #[derive(Copy)]
    "LOOKUP3args" => pub struct LookupArgs<'a> {
        /// Directory to search, and the name to find.
        pub what: DirOpArgs<'a>,
    }
}

xdr_struct! {
    /// Body of a successful LOOKUP (RFC 1813, section 3.3.3).
    #[derive(Copy)]
    "LOOKUP3resok" => pub struct LookupOk<'a> {
        /// Handle of the object found.
        pub object: FileHandle<'a>,
        /// Attributes of the object found.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// Attributes of the directory.
        pub dir_attributes: PostOpAttr,
    }
}

/// Body of a failed LOOKUP: attributes of the directory (RFC 1813, section 3.3.3).
#[doc(alias = "LOOKUP3resfail")]
pub type LookupFail = PostOpAttr;

xdr_union! {
    /// Reply to LOOKUP (RFC 1813, section 3.3.3).
    #[derive(Copy)]
    "LOOKUP3res" => pub enum LookupReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(LookupOk<'a>),
        /// Failure.
        default => Fail(LookupFail),
    }
}

//--- ACCESS ---

/// Read data from a file, or read a directory (RFC 1813, section 3.3.4).
#[doc(alias = "ACCESS3_READ")]
pub const ACCESS_READ: u32 = 0x01;
/// Look up a name in a directory (RFC 1813, section 3.3.4).
#[doc(alias = "ACCESS3_LOOKUP")]
pub const ACCESS_LOOKUP: u32 = 0x02;
/// Rewrite existing data, or change entries of a directory (RFC 1813, section 3.3.4).
#[doc(alias = "ACCESS3_MODIFY")]
pub const ACCESS_MODIFY: u32 = 0x04;
/// Write new data, or add directory entries (RFC 1813, section 3.3.4).
#[doc(alias = "ACCESS3_EXTEND")]
pub const ACCESS_EXTEND: u32 = 0x08;
/// Delete a directory entry (RFC 1813, section 3.3.4).
#[doc(alias = "ACCESS3_DELETE")]
pub const ACCESS_DELETE: u32 = 0x10;
/// Execute a file; means nothing for a directory (RFC 1813, section 3.3.4).
#[doc(alias = "ACCESS3_EXECUTE")]
pub const ACCESS_EXECUTE: u32 = 0x20;

xdr_struct! {
    /// Arguments of ACCESS (RFC 1813, section 3.3.4).
    #[derive(Copy)]
    "ACCESS3args" => pub struct AccessArgs<'a> {
        /// Object the caller wants to use.
        pub object: FileHandle<'a>,
        /// Rights to check: a mask of the `ACCESS_` constants.
        pub access: u32,
    }
}

xdr_struct! {
    /// Body of a successful ACCESS (RFC 1813, section 3.3.4).
    #[derive(Copy)]
    "ACCESS3resok" => pub struct AccessOk {
        /// Attributes of the object.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// Rights the caller has: a subset of those asked for.
        pub access: u32,
    }
}

/// Body of a failed ACCESS: attributes of the object (RFC 1813, section 3.3.4).
#[doc(alias = "ACCESS3resfail")]
pub type AccessFail = PostOpAttr;

xdr_union! {
    /// Reply to ACCESS (RFC 1813, section 3.3.4).
    #[derive(Copy)]
    "ACCESS3res" => pub enum AccessReply switch (status: Status) {
        /// Success: the mask says what is allowed, which may be nothing.
        case Status::OK => Ok(AccessOk),
        /// Failure.
        default => Fail(AccessFail),
    }
}

//--- READLINK ---

xdr_struct! {
    /// Arguments of READLINK (RFC 1813, section 3.3.5).
    #[derive(Copy)]
    "READLINK3args" => pub struct ReadlinkArgs<'a> {
        /// The symbolic link.
        pub symlink: FileHandle<'a>,
    }
}

xdr_struct! {
    /// Body of a successful READLINK (RFC 1813, section 3.3.5).
    "READLINK3resok" => pub struct ReadlinkOk<'a> {
        /// Attributes of the link itself.
        "symlink_attributes" => pub attributes: PostOpAttr,
        /// Text of the link, an `nfspath3`: bytes that the server does not interpret. A
        /// [`Payload`], because transports that place data directly may place it (RFC 8267).
        pub data: Payload<'a>,
    }
}

/// Body of a failed READLINK: attributes of the link (RFC 1813, section 3.3.5).
#[doc(alias = "READLINK3resfail")]
pub type ReadlinkFail = PostOpAttr;

xdr_union! {
    /// Reply to READLINK (RFC 1813, section 3.3.5).
    "READLINK3res" => pub enum ReadlinkReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(ReadlinkOk<'a>),
        /// Failure; [`Status::INVAL`] when the object is no symbolic link.
        default => Fail(ReadlinkFail),
    }
}
