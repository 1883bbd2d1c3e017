//! Procedures of rpcbind version 3 (RFC 1833, section 2.2.1).

use nfswire_xdr::Text;

use super::{Netbuf, PROGRAM, RmtcallArgs, RmtcallReply, Rpcb, RpcbList};
use crate::procedures;

/// RPC version (RFC 1833, section 2.1).
#[doc(alias = "RPCBVERS")]
pub const VERSION: u32 = 3;

procedures! {
    PROGRAM, VERSION, "RFC 1833, section 2.2.1";

    /// Does nothing.
    0 "RPCBPROC_NULL" => Null(()) -> ();
    /// Registers a program. FALSE if program, version and transport are registered already.
    1 "RPCBPROC_SET" => Set(Rpcb<'a>) -> bool;
    /// Takes back a registration, or those of all transports if the netid is empty.
    2 "RPCBPROC_UNSET" => Unset(Rpcb<'a>) -> bool;
    /// Tells the universal address of a program, on the transport of the call. Empty if it is not
    /// registered: see [`UniversalAddress::registered`](super::UniversalAddress::registered).
    3 "RPCBPROC_GETADDR" => Getaddr(Rpcb<'a>) -> Text<'a>;
    /// Lists every registration.
    4 "RPCBPROC_DUMP" => Dump(()) -> RpcbList<'a>;
    /// Calls a procedure of another program on the same host. Without success there is no reply.
    5 "RPCBPROC_CALLIT" => Callit(RmtcallArgs<'a>) -> RmtcallReply<'a>;
    /// Tells the time: seconds since 1970.
    6 "RPCBPROC_GETTIME" => Gettime(()) -> u32;
    /// Turns a universal address into a transport address.
    7 "RPCBPROC_UADDR2TADDR" => Uaddr2taddr(Text<'a>) -> Netbuf<'a>;
    /// Turns a transport address into a universal address.
    8 "RPCBPROC_TADDR2UADDR" => Taddr2uaddr(Netbuf<'a>) -> Text<'a>;
}
