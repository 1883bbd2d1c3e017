//! The port mapper, version 2 of program 100000 (RFC 1833, section 3): which TCP or UDP port a
//! program listens on.
//!
//! ```
//! use nfswire_rpc::portmap::{self, Getport, Mapping, Protocol};
//! use nfswire_rpc::Procedure;
//!
//! // Where does MOUNT version 3 listen? The arguments of the call, and what its reply says.
//! let args: <Getport as Procedure>::Args<'_> = Mapping::query(100_005, 3, Protocol::TCP);
//! assert_eq!((args.protocol, args.port), (Protocol::TCP, 0));
//! let reply: <Getport as Procedure>::Reply<'_> = nfswire_xdr::from_bytes(&[0, 0, 0x4e, 0x50])?;
//! assert_eq!(portmap::port(reply), Some(20048));
//! assert_eq!(portmap::port(0), None, "not registered");
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{Chain, DecodeError, Opaque, from_bytes, xdr_open_enum, xdr_struct};

use crate::{Procedure, procedures};

/// RPC program number of the port mapper and of rpcbind (RFC 1833, section 3.1).
#[doc(alias = "PMAP_PROG")]
pub const PROGRAM: u32 = 100_000;
/// RPC version (RFC 1833, section 3.1).
#[doc(alias = "PMAP_VERS")]
pub const VERSION: u32 = 2;
/// The port it listens on, for TCP and UDP (RFC 1833, section 3.1).
#[doc(alias = "PMAP_PORT")]
pub const PORT: u16 = 111;

xdr_open_enum! {
    /// Transport protocol of a [`Mapping`], a protocol number of IP (RFC 1833, section 3.1).
    /// Unknown numbers survive.
    "prot" => pub struct Protocol {
        /// TCP.
        "IPPROTO_TCP" TCP = 6,
        /// UDP.
        "IPPROTO_UDP" UDP = 17,
    }
}

xdr_struct! {
    /// Program, version and protocol, and the port they are at (RFC 1833, section 3.1).
    #[derive(Copy)]
    "mapping" => pub struct Mapping {
        /// Program number.
        "prog" => pub program: u32,
        /// Version of the program.
        "vers" => pub version: u32,
        /// Transport protocol. UNSET ignores it.
        "prot" => pub protocol: Protocol,
        /// Port; see [`port`]. GETPORT and UNSET ignore it.
        pub port: u32,
    }
}

impl Mapping {
    /// Arguments of [`Getport`], or of [`Unset`]: no port.
    #[must_use]
    pub const fn query(program: u32, version: u32, protocol: Protocol) -> Self {
        Self { program, version, protocol, port: 0 }
    }
}

/// The port that a number on the wire means: `None` for 0, which says that the program is not
/// registered (RFC 1833, section 3.2), and for what is no port.
#[must_use]
pub fn port(number: u32) -> Option<u16> {
    u16::try_from(number).ok().filter(|port| *port != 0)
}

/// Answer of DUMP: every mapping (RFC 1833, section 3.1).
#[doc(alias = "pmaplist")]
pub type MappingList<'a> = Chain<'a, Mapping>;

xdr_struct! {
    /// A call that the port mapper is to make for the caller (RFC 1833, section 3.1).
    #[derive(Copy)]
    "call_args" => pub struct CallitArgs<'a> {
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

impl<'a> CallitArgs<'a> {
    /// A call of the procedure `P` with its arguments, which the caller has encoded.
    #[must_use]
    pub const fn of<P: Procedure>(arguments: Opaque<'a>) -> Self {
        Self { program: P::PROGRAM, version: P::VERSION, procedure: P::NUMBER, arguments }
    }
}

xdr_struct! {
    /// What became of such a call. There is no reply unless it succeeded (RFC 1833, section 3.2).
    #[derive(Copy)]
    "call_result" => pub struct CallitReply<'a> {
        /// Port that the program listens on; see [`port`].
        pub port: u32,
        /// Encoded results of the procedure.
        "res" => pub results: Opaque<'a>,
    }
}

impl<'a> CallitReply<'a> {
    /// Reads the results as those of the procedure `P`, the one that was called.
    ///
    /// # Errors
    /// The first fault; its offset counts from the start of the results.
    pub fn decode<P: Procedure>(&self) -> Result<P::Reply<'a>, DecodeError> {
        from_bytes(self.results.as_bytes())
    }
}

procedures! {
    PROGRAM, VERSION, "RFC 1833, section 3";

    /// Does nothing.
    0 "PMAPPROC_NULL" => Null(()) -> ();
    /// Registers a program. FALSE if program, version and protocol are registered already.
    1 "PMAPPROC_SET" => Set(Mapping) -> bool;
    /// Takes back every registration of a program and version.
    2 "PMAPPROC_UNSET" => Unset(Mapping) -> bool;
    /// Tells the port of a program; see [`port`].
    3 "PMAPPROC_GETPORT" => Getport(Mapping) -> u32;
    /// Lists every registration.
    4 "PMAPPROC_DUMP" => Dump(()) -> MappingList<'a>;
    /// Calls a procedure of another program on the same host, over UDP. Without success there is no
    /// reply.
    5 "PMAPPROC_CALLIT" => Callit(CallitArgs<'a>) -> CallitReply<'a>;
}
