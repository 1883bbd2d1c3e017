//! Procedures of rpcbind version 4 (RFC 1833, section 2.2.2).

use nfswire_xdr::Text;

use super::{EntryList, Netbuf, PROGRAM, RmtcallArgs, RmtcallReply, Rpcb, RpcbList, StatByVersion};
use crate::procedures;

/// RPC version (RFC 1833, section 2.1).
#[doc(alias = "RPCBVERS4")]
pub const VERSION: u32 = 4;

procedures! {
    PROGRAM, VERSION, "RFC 1833, section 2.2.2";

    /// Does nothing.
    0 "RPCBPROC_NULL" => Null(()) -> ();
    /// Registers a program. FALSE if program, version and transport are registered already.
    1 "RPCBPROC_SET" => Set(Rpcb<'a>) -> bool;
    /// Takes back a registration, or those of all transports if the netid is empty.
    2 "RPCBPROC_UNSET" => Unset(Rpcb<'a>) -> bool;
    /// Tells the universal address of a program, on the transport of the call. Empty if it is not
    /// registered: see [`UniversalAddress::registered`](super::UniversalAddress::registered).
    /// Another version than the one asked for may be at it.
    3 "RPCBPROC_GETADDR" => Getaddr(Rpcb<'a>) -> Text<'a>;
    /// Lists every registration.
    4 "RPCBPROC_DUMP" => Dump(()) -> RpcbList<'a>;
    /// Calls a procedure of another program on the same host, for broadcasts. Without success there
    /// is no reply.
    5 "RPCBPROC_BCAST" => Bcast(RmtcallArgs<'a>) -> RmtcallReply<'a>;
    /// Tells the time: seconds since 1970.
    6 "RPCBPROC_GETTIME" => Gettime(()) -> u32;
    /// Turns a universal address into a transport address.
    7 "RPCBPROC_UADDR2TADDR" => Uaddr2taddr(Text<'a>) -> Netbuf<'a>;
    /// Turns a transport address into a universal address.
    8 "RPCBPROC_TADDR2UADDR" => Taddr2uaddr(Netbuf<'a>) -> Text<'a>;
    /// As GETADDR, for exactly the version asked for.
    9 "RPCBPROC_GETVERSADDR" => Getversaddr(Rpcb<'a>) -> Text<'a>;
    /// As BCAST, but for one host: a failure is told.
    10 "RPCBPROC_INDIRECT" => Indirect(RmtcallArgs<'a>) -> RmtcallReply<'a>;
    /// Lists the addresses of a program on every transport.
    11 "RPCBPROC_GETADDRLIST" => Getaddrlist(Rpcb<'a>) -> EntryList<'a>;
    /// Tells what rpcbind did since it started.
    12 "RPCBPROC_GETSTAT" => Getstat(()) -> StatByVersion<'a>;
}
