//! The two procedures of NFSv4 (RFC 7530, section 15; RFC 8881, section 16), by number and name.
//!
//! ```
//! use nfswire_nfs4::procedures::{self, Compound};
//! use nfswire_rpc::Procedure;
//!
//! assert_eq!((Compound::PROGRAM, Compound::VERSION, Compound::NUMBER), (100_003, 4, 1));
//! assert_eq!(procedures::name(1), Some("NFSPROC4_COMPOUND"));
//! ```

use crate::compound::{CompoundArgs, CompoundReply};

/// RPC program number of NFS (RFC 7531).
#[doc(alias = "NFS4_PROGRAM")]
pub const PROGRAM: u32 = 100_003;
/// RPC version of NFSv4, whatever the minor version (RFC 7531).
#[doc(alias = "NFS_V4")]
pub const VERSION: u32 = 4;

nfswire_rpc::procedures! {
    PROGRAM, VERSION, "RFC 7530, section 15; RFC 8881, section 16";

    /// Does nothing.
    0 "NFSPROC4_NULL" => Null(()) -> ();
    /// Does operations in order, to the first that fails.
    1 "NFSPROC4_COMPOUND" => Compound(CompoundArgs<'a>) -> CompoundReply<'a>;
}
