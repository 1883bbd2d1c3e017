//! REMOVE, RENAME, LINK and RMDIR (RFC 1094, sections 2.2.11 to 2.2.13 and 2.2.16).
//!
//! None of them answers more than the status.
//!
//! ```
//! use nfswire_nfs3::v2::{Status, remove::RemoveReply};
//!
//! assert_eq!(nfswire_xdr::from_bytes::<RemoveReply>(&[0, 0, 0, 2]), Ok(Status::NOENT));
//! ```

use nfswire_xdr::xdr_struct;

use super::{DirOpArgs, FileHandle, Status};

//--- REMOVE ---

/// Arguments of REMOVE: directory and name of the file (RFC 1094, section 2.2.11).
pub type RemoveArgs<'a> = DirOpArgs<'a>;

/// Reply to REMOVE (RFC 1094, section 2.2.11).
pub type RemoveReply = Status;

//--- RENAME ---

xdr_struct! {
    /// Arguments of RENAME (RFC 1094, section 2.2.12).
    #[derive(Copy)]
    "renameargs" => pub struct RenameArgs<'a> {
        /// Directory and name now.
        pub from: DirOpArgs<'a>,
        /// Directory and name to be.
        pub to: DirOpArgs<'a>,
    }
}

/// Reply to RENAME (RFC 1094, section 2.2.12).
pub type RenameReply = Status;

//--- LINK ---

xdr_struct! {
    /// Arguments of LINK (RFC 1094, section 2.2.13).
    #[derive(Copy)]
    "linkargs" => pub struct LinkArgs<'a> {
        /// File that gets another name.
        pub from: FileHandle,
        /// Directory and name of the new link.
        pub to: DirOpArgs<'a>,
    }
}

/// Reply to LINK (RFC 1094, section 2.2.13).
pub type LinkReply = Status;

//--- RMDIR ---

/// Arguments of RMDIR: parent and name of the directory (RFC 1094, section 2.2.16).
pub type RmdirArgs<'a> = DirOpArgs<'a>;

/// Reply to RMDIR (RFC 1094, section 2.2.16).
pub type RmdirReply = Status;
