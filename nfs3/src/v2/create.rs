//! CREATE, MKDIR and SYMLINK (RFC 1094, sections 2.2.10, 2.2.14 and 2.2.15).
//!
//! ```
//! use nfswire_nfs3::v2::{DirOpArgs, FileName, SetAttributes, create::CreateArgs};
//!
//! let location = DirOpArgs { dir: [7; 32], name: FileName::try_from(b"new")? };
//! let attributes = SetAttributes { mode: 0o644, ..SetAttributes::UNCHANGED };
//! let args = CreateArgs { location, attributes };
//! assert_eq!(nfswire_xdr::Encode::encoded_len(&args), 32 + 8 + 32);
//! # Ok::<(), nfswire_xdr::LengthError>(())
//! ```

use nfswire_xdr::{BoundedPayload, xdr_struct};

use super::{DirOpArgs, DirOpReply, MAXPATHLEN, SetAttributes, Status};

//--- CREATE ---

xdr_struct! {
    /// Arguments of CREATE and MKDIR (RFC 1094, section 2.2.10).
    #[derive(Copy)]
    "createargs" => pub struct CreateArgs<'a> {
        /// Directory and name of what is to be made.
        "where" => pub location: DirOpArgs<'a>,
        /// Its attributes. Of a CREATE, size 0 empties a file that exists.
        pub attributes: SetAttributes,
    }
}

/// Reply to CREATE: handle and attributes (RFC 1094, section 2.2.10).
pub type CreateReply = DirOpReply;

//--- MKDIR ---

/// Arguments of MKDIR, those of CREATE (RFC 1094, section 2.2.15).
pub type MkdirArgs<'a> = CreateArgs<'a>;

/// Reply to MKDIR: handle and attributes (RFC 1094, section 2.2.15).
pub type MkdirReply = DirOpReply;

//--- SYMLINK ---

xdr_struct! {
    /// Arguments of SYMLINK (RFC 1094, section 2.2.14).
    "symlinkargs" => pub struct SymlinkArgs<'a> {
        /// Directory and name of the new link.
        pub from: DirOpArgs<'a>,
        /// Text of the link, at most [`MAXPATHLEN`] bytes that the server does not interpret. A
        /// payload, because transports that place data directly may place it (RFC 8267).
        pub to: BoundedPayload<'a, MAXPATHLEN>,
        /// Attributes of the link, which servers on UNIX do not use.
        pub attributes: SetAttributes,
    }
}

/// Reply to SYMLINK: whether it worked, and nothing of the link (RFC 1094, section 2.2.14).
pub type SymlinkReply = Status;
