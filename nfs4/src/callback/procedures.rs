//! The two procedures of the callback program, by number and name.
//!
//! The client is the server of this program and chooses its number: `cb_program` of SETCLIENTID in
//! NFSv4.0 (RFC 7530, section 16.33), `csa_cb_program` of CREATE_SESSION in later versions (RFC 8881,
//! section 18.36). [`PROGRAM`] is only what the RFC's declaration says; calls carry the client's
//! number, and [`Procedure::PROGRAM`](nfswire_rpc::Procedure::PROGRAM) must not be compared with it.

use super::{CbCompoundArgs, CbCompoundReply};

/// RPC program number in the RFC's declaration; clients choose their own (RFC 7530, section 14).
#[doc(alias = "NFS4_CALLBACK")]
pub const PROGRAM: u32 = 0x4000_0000;
/// RPC version of the callback program (RFC 7531).
#[doc(alias = "NFS_CB")]
pub const VERSION: u32 = 1;

nfswire_rpc::procedures! {
    PROGRAM, VERSION, "RFC 7530, section 15; RFC 8881, section 19";

    /// Does nothing.
    0 "CB_NULL" => Null(()) -> ();
    /// Carries out operations in order, to the first that fails.
    1 "CB_COMPOUND" => Compound(CbCompoundArgs<'a>) -> CbCompoundReply<'a>;
}
