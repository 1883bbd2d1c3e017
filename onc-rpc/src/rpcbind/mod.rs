//! rpcbind, versions 3 and 4 of program 100000 (RFC 1833, section 2): at which universal address a
//! program listens.
//!
//! The types are here; [`v3`] and [`v4`] have the procedures. [`Netid`] names a transport,
//! [`UniversalAddress`] reads and writes the text that says where (RFC 5665).
//!
//! ```
//! use nfswire_rpc::rpcbind::{Netid, Rpcb, UniversalAddress, v4::Getaddr};
//! use nfswire_rpc::Procedure;
//!
//! let args: <Getaddr as Procedure>::Args<'_> = Rpcb::query(100_003, 3, Netid::TCP);
//! assert_eq!(args.address.as_bytes(), b"");
//! let reply = nfswire_xdr::Text::new(b"192.0.2.7.8.1").expect("a short text");
//! let address = UniversalAddress::registered(args.netid, reply)?;
//! assert_eq!(address.and_then(|a| a.socket()), Some("192.0.2.7:2049".parse()?));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod address;
mod netid;
mod stat;
pub mod v3;
pub mod v4;

use nfswire_xdr::{Chain, DecodeError, Opaque, Text, from_bytes, xdr_open_enum, xdr_struct};

use crate::Procedure;

pub use address::{AddressError, AddressFormat, UniversalAddress};
pub use netid::Netid;
pub use stat::*;

/// RPC program number, that of the port mapper (RFC 1833, section 2.1).
#[doc(alias = "RPCBPROG")]
pub const PROGRAM: u32 = crate::portmap::PROGRAM;
/// The port it listens on, for TCP and UDP (RFC 1833, section 2.1).
#[doc(alias = "RPCB_PORT")]
pub const PORT: u16 = 111;

xdr_struct! {
    /// Program, version and transport, and the address they are at (RFC 1833, section 2.1).
    #[derive(Copy, Default)]
    "rpcb" => pub struct Rpcb<'a> {
        /// Program number.
        "r_prog" => pub program: u32,
        /// Version of the program.
        "r_vers" => pub version: u32,
        /// Transport. A server may take that of the call instead; in UNSET an empty one means all.
        "r_netid" => pub netid: Netid<'a>,
        /// Universal address; read it with [`UniversalAddress::parse`]. In a query it is the
        /// server's address as the caller knows it, or empty.
        "r_addr" => pub address: Text<'a>,
        /// Who registered it, by a user's name or number.
        "r_owner" => pub owner: Text<'a>,
    }
}

impl<'a> Rpcb<'a> {
    /// Arguments that ask for an address: no address, no owner.
    #[must_use]
    pub fn query(program: u32, version: u32, netid: Netid<'a>) -> Self {
        Self { program, version, netid, ..Self::default() }
    }
}

/// Answer of DUMP: every registration (RFC 1833, section 2.1).
#[doc(alias = "rpcblist_ptr")]
#[doc(alias = "rp__list")]
pub type RpcbList<'a> = Chain<'a, Rpcb<'a>>;

xdr_struct! {
    /// A call that rpcbind is to make for the caller (RFC 1833, section 2.1).
    #[derive(Copy)]
    "rpcb_rmtcallargs" => pub struct RmtcallArgs<'a> {
        /// Program number.
        "prog" => pub program: u32,
        /// Version of the program.
        "vers" => pub version: u32,
        /// Procedure of the version.
        "proc" => pub procedure: u32,
        /// Encoded arguments of that procedure.
        "args" => pub arguments: Opaque<'a>,
    }
}

impl<'a> RmtcallArgs<'a> {
    /// A call of the procedure `P` with its arguments, which the caller has encoded.
    #[must_use]
    pub const fn of<P: Procedure>(arguments: Opaque<'a>) -> Self {
        Self { program: P::PROGRAM, version: P::VERSION, procedure: P::NUMBER, arguments }
    }
}

xdr_struct! {
    /// What became of such a call (RFC 1833, section 2.1).
    #[derive(Copy)]
    "rpcb_rmtcallres" => pub struct RmtcallReply<'a> {
        /// Universal address of the program, on the transport that the call came by.
        "addr" => pub address: Text<'a>,
        /// Encoded results of the procedure.
        pub results: Opaque<'a>,
    }
}

impl<'a> RmtcallReply<'a> {
    /// Reads the results as those of the procedure `P`, the one that was called.
    ///
    /// # Errors
    /// The first fault; its offset counts from the start of the results.
    pub fn decode<P: Procedure>(&self) -> Result<P::Reply<'a>, DecodeError> {
        from_bytes(self.results.as_bytes())
    }
}

xdr_open_enum! {
    /// Kind of transport (RFC 1833, section 2.1, `r_nc_semantics`). Unknown numbers survive.
    "r_nc_semantics" => pub struct Semantics {
        /// Connectionless.
        "NC_TPI_CLTS" CONNECTIONLESS = 1,
        /// Connection oriented.
        "NC_TPI_COTS" CONNECTION_ORIENTED = 2,
        /// Connection oriented, with graceful close.
        "NC_TPI_COTS_ORD" ORDERLY_RELEASE = 3,
        /// Raw.
        "NC_TPI_RAW" RAW = 4,
    }
}

xdr_struct! {
    /// One transport that a program can be reached by, a node of [`EntryList`] (RFC 1833,
    /// section 2.1).
    #[derive(Copy)]
    "rpcb_entry" => pub struct Entry<'a> {
        /// Universal address, on the network of the caller.
        "r_maddr" => pub address: Text<'a>,
        /// The transport.
        "r_nc_netid" => pub netid: Netid<'a>,
        /// Its kind.
        "r_nc_semantics" => pub semantics: Semantics,
        /// Its protocol family, one of [`protocol_family`].
        "r_nc_protofmly" => pub protocol_family: Text<'a>,
        /// Its protocol, one of [`protocol`].
        "r_nc_proto" => pub protocol: Text<'a>,
    }
}

/// Answer of GETADDRLIST: every address of a program and version (RFC 1833, section 2.1).
#[doc(alias = "rpcb_entry_list_ptr")]
#[doc(alias = "rpcb_entry_list")]
pub type EntryList<'a> = Chain<'a, Entry<'a>>;

xdr_struct! {
    /// A transport address as the server's own system keeps it (RFC 1833, section 2.1).
    ///
    /// In practice the bytes of a C `sockaddr`: its layout, and the order of the bytes of its family,
    /// are those of the server's system, which is why this crate does not look inside. Addresses that
    /// travel between systems are [`UniversalAddress`]es.
    #[derive(Copy)]
    "netbuf" => pub struct Netbuf<'a> {
        /// Size of the server's buffer, in bytes. Not a limit on this message.
        "maxlen" => pub max_len: u32,
        /// The address.
        "buf" => pub bytes: Opaque<'a>,
    }
}

macro_rules! names {
    ($($(#[$doc:meta])* $alias:literal $name:ident = $text:literal;)+) => {
        $(
            $(#[$doc])*
            #[doc = concat!("`\"", $text, "\"`.")]
            #[doc(alias = $alias)]
            pub const $name: &str = $text;
        )+
    };
}

/// Values of [`Entry::protocol_family`] (RFC 1833, section 2.1).
pub mod protocol_family {
    names! {
        "NC_NOPROTOFMLY" NOPROTOFMLY = "-";
        "NC_LOOPBACK" LOOPBACK = "loopback";
        "NC_INET" INET = "inet";
        /// Not in the RFC, but what every system says of its IPv6 transports:
        "NC_INET6" INET6 = "inet6";
        "NC_IMPLINK" IMPLINK = "implink";
        "NC_PUP" PUP = "pup";
        "NC_CHAOS" CHAOS = "chaos";
        "NC_NS" NS = "ns";
        "NC_NBS" NBS = "nbs";
        "NC_ECMA" ECMA = "ecma";
        "NC_DATAKIT" DATAKIT = "datakit";
        "NC_CCITT" CCITT = "ccitt";
        "NC_SNA" SNA = "sna";
        "NC_DECNET" DECNET = "decnet";
        "NC_DLI" DLI = "dli";
        "NC_LAT" LAT = "lat";
        "NC_HYLINK" HYLINK = "hylink";
        "NC_APPLETALK" APPLETALK = "appletalk";
        "NC_NIT" NIT = "nit";
        "NC_IEEE802" IEEE802 = "ieee802";
        "NC_OSI" OSI = "osi";
        "NC_X25" X25 = "x25";
        "NC_OSINET" OSINET = "osinet";
        "NC_GOSIP" GOSIP = "gosip";
    }
}

/// Values of [`Entry::protocol`] (RFC 1833, section 2.1).
pub mod protocol {
    names! {
        "NC_NOPROTO" NOPROTO = "-";
        "NC_TCP" TCP = "tcp";
        "NC_UDP" UDP = "udp";
        "NC_ICMP" ICMP = "icmp";
    }
}
