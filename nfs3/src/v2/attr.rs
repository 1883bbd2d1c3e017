//! GETATTR and SETATTR (RFC 1094, sections 2.2.2 and 2.2.3).
//!
//! ```
//! use nfswire_nfs3::v2::{SetAttributes, attr::SetattrArgs};
//!
//! let empty = SetAttributes { size: 0, ..SetAttributes::UNCHANGED };
//! let args = SetattrArgs { file: [7; 32], attributes: empty };
//! assert_eq!(nfswire_xdr::Encode::encoded_len(&args), 32 + 32);
//! ```

use nfswire_xdr::xdr_struct;

use super::{AttrReply, FileHandle, SetAttributes};

//--- GETATTR ---

/// Arguments of GETATTR: the file (RFC 1094, section 2.2.2).
pub type GetattrArgs = FileHandle;

/// Reply to GETATTR (RFC 1094, section 2.2.2).
pub type GetattrReply = AttrReply;

//--- SETATTR ---

xdr_struct! {
    /// Arguments of SETATTR (RFC 1094, section 2.2.3).
    #[derive(Copy)]
    "sattrargs" => pub struct SetattrArgs {
        /// File to change.
        pub file: FileHandle,
        /// What to set.
        pub attributes: SetAttributes,
    }
}

/// Reply to SETATTR: attributes after it (RFC 1094, section 2.2.3).
pub type SetattrReply = AttrReply;
