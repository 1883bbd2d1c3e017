//! STATFS, and the obsolete ROOT (RFC 1094, sections 2.2.4 and 2.2.18).
//!
//! ROOT has neither arguments nor results: the root comes from MNT, of
//! [`mount::v1`](crate::mount::v1).
//!
//! ```
//! use nfswire_nfs3::v2::fs::StatfsReply;
//!
//! let wire = [0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 16, 0, 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 4];
//! let StatfsReply::Ok(info) = nfswire_xdr::from_bytes(&wire)? else { panic!("a success") };
//! assert_eq!((info.tsize, info.bsize, info.bavail), (8192, 4096, 4));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{xdr_struct, xdr_union};

use super::{FileHandle, Status};

//--- STATFS ---

/// Arguments of STATFS: a file of the file system (RFC 1094, section 2.2.18).
pub type StatfsArgs = FileHandle;

xdr_struct! {
    /// Body of a successful STATFS (RFC 1094, section 2.2.18).
    #[derive(Copy)]
    "info" => pub struct StatfsOk {
        /// Preferred size of READ and WRITE, in bytes.
        pub tsize: u32,
        /// Size of a block, in bytes.
        pub bsize: u32,
        /// Blocks in all.
        pub blocks: u32,
        /// Free blocks.
        pub bfree: u32,
        /// Free blocks that unprivileged users may use.
        pub bavail: u32,
    }
}

xdr_union! {
    /// Reply to STATFS (RFC 1094, section 2.2.18).
    #[derive(Copy)]
    "statfsres" => pub enum StatfsReply switch (status: Status) {
        /// Success.
        case Status::OK => "info" Ok(StatfsOk),
        /// Failure.
        default => Fail,
    }
}
