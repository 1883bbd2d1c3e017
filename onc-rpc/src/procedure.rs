//! What a remote procedure is: numbers, a name, and the two types that travel.

use nfswire_xdr::{Decode, Encode};

/// One procedure of one version of an RPC program (RFC 5531, section 9).
///
/// Implemented by a type that is never built: it only ties the numbers of the call header to the
/// types of the arguments and of the results, so that tables, clients and servers cannot mix them
/// up.
pub trait Procedure {
    /// Program number (`call_body.prog`), from the IANA registry: 100003 is NFS.
    const PROGRAM: u32;
    /// Version of the program (`call_body.vers`).
    const VERSION: u32;
    /// Number of the procedure within the version (`call_body.proc`). 0 is always the null
    /// procedure.
    const NUMBER: u32;
    /// Name as the RFC of the program spells it, for example `NFSPROC3_READ`.
    const NAME: &'static str;
    /// What follows the header of a call.
    type Args<'a>: Decode<'a> + Encode<'a>;
    /// What follows the header of a reply that was accepted with
    /// [`AcceptStat::OK`](crate::AcceptStat::OK).
    type Reply<'a>: Decode<'a> + Encode<'a>;
}
