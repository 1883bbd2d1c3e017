//! Statistics of rpcbind, the answer of GETSTAT (RFC 1833, section 2.1).

use nfswire_xdr::{Chain, xdr_struct};

use super::Netid;

/// Highest procedure of version 2 (RFC 1833, section 2.1): CALLIT.
#[doc(alias = "rpcb_highproc_2")]
pub const HIGHPROC_2: u32 = 5;
/// Highest procedure of version 3 (RFC 1833, section 2.1): TADDR2UADDR.
#[doc(alias = "rpcb_highproc_3")]
pub const HIGHPROC_3: u32 = 8;
/// Highest procedure of version 4 (RFC 1833, section 2.1): GETSTAT.
#[doc(alias = "rpcb_highproc_4")]
pub const HIGHPROC_4: u32 = 12;
/// Procedures of version 4, and counters in [`ProcedureCounts`] (RFC 1833, section 2.1).
pub const RPCBSTAT_HIGHPROC: u32 = 13;
/// Versions that are counted (RFC 1833, section 2.1).
pub const RPCBVERS_STAT: u32 = 3;
/// Place of version 4 in `rpcb_stat_byvers` (RFC 1833, section 2.1).
pub const RPCBVERS_4_STAT: u32 = 2;
/// Place of version 3 in `rpcb_stat_byvers` (RFC 1833, section 2.1).
pub const RPCBVERS_3_STAT: u32 = 1;
/// Place of version 2 in `rpcb_stat_byvers` (RFC 1833, section 2.1).
pub const RPCBVERS_2_STAT: u32 = 0;

xdr_struct! {
    /// How often an address was asked for, by GETPORT or GETADDR and their kin: a node of
    /// [`AddressStats`] (RFC 1833, section 2.1).
    #[derive(Copy)]
    "rpcbs_addrlist" => pub struct AddressStat<'a> {
        /// Program number.
        "prog" => pub program: u32,
        /// Version of the program.
        "vers" => pub version: u32,
        /// Calls that were answered with an address.
        pub success: i32,
        /// Calls that were not.
        pub failure: i32,
        /// Transport.
        pub netid: Netid<'a>,
    }
}

/// Requests for addresses (RFC 1833, section 2.1).
#[doc(alias = "rpcbs_addrlist_ptr")]
pub type AddressStats<'a> = Chain<'a, AddressStat<'a>>;

xdr_struct! {
    /// How often a procedure was called through rpcbind: a node of [`RmtcallStats`] (RFC 1833,
    /// section 2.1).
    #[derive(Copy)]
    "rpcbs_rmtcalllist" => pub struct RmtcallStat<'a> {
        /// Program number.
        "prog" => pub program: u32,
        /// Version of the program.
        "vers" => pub version: u32,
        /// Procedure of the version.
        "proc" => pub procedure: u32,
        /// Calls that succeeded.
        pub success: i32,
        /// Calls that failed.
        pub failure: i32,
        /// Not 0 if they came by INDIRECT, and not by CALLIT or BCAST.
        pub indirect: i32,
        /// Transport.
        pub netid: Netid<'a>,
    }
}

/// Calls made for others (RFC 1833, section 2.1).
#[doc(alias = "rpcbs_rmtcalllist_ptr")]
pub type RmtcallStats<'a> = Chain<'a, RmtcallStat<'a>>;

/// Calls by procedure number, [`RPCBSTAT_HIGHPROC`] counters for every version (RFC 1833,
/// section 2.1).
#[doc(alias = "rpcbs_proc")]
pub type ProcedureCounts = [i32; RPCBSTAT_HIGHPROC as usize];

xdr_struct! {
    /// What rpcbind did in one of its versions (RFC 1833, section 2.1).
    #[derive(Copy)]
    "rpcb_stat" => pub struct Stat<'a> {
        /// Calls of each procedure.
        pub info: ProcedureCounts,
        /// Registrations made.
        "setinfo" => pub set: i32,
        /// Registrations taken back.
        "unsetinfo" => pub unset: i32,
        /// Requests for addresses.
        "addrinfo" => pub addresses: AddressStats<'a>,
        /// Calls made for others.
        "rmtinfo" => pub rmtcalls: RmtcallStats<'a>,
    }
}

xdr_struct! {
    /// Answer of GETSTAT (RFC 1833, section 2.1): an array of three [`Stat`]s, without a count.
    #[derive(Copy)]
    "rpcb_stat_byvers" => pub struct StatByVersion<'a> {
        /// Version 2.
        "RPCBVERS_2_STAT" => pub v2: Stat<'a>,
        /// Version 3.
        "RPCBVERS_3_STAT" => pub v3: Stat<'a>,
        /// Version 4.
        "RPCBVERS_4_STAT" => pub v4: Stat<'a>,
    }
}

impl<'a> StatByVersion<'a> {
    /// What was done in version 2, 3 or 4.
    #[must_use]
    pub const fn version(&self, version: u32) -> Option<&Stat<'a>> {
        match version {
            2 => Some(&self.v2),
            3 => Some(&self.v3),
            4 => Some(&self.v4),
            _ => None,
        }
    }
}
