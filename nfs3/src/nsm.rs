//! NSM, the network status monitor, version 1 (X/Open XNFS): tells who has restarted, so that locks
//! can be reclaimed or freed.
//!
//! Each host has a state number, which a restart raises: odd while the host is up, even while it is
//! down. A lock manager asks the monitor of its own host to watch another one (MON). When that one
//! restarts, its monitor sends NOTIFY to the monitors that it had told, which call back whoever
//! asked: the program, version and procedure of [`MyId`], with [`CallbackArgs`] and without a
//! result. Which procedure that is, is between the two programs of a host, and in no protocol.
//!
//! ```
//! use nfswire_nfs3::nsm::{self, NotifyArgs};
//!
//! let args: NotifyArgs<'_> = nfswire_xdr::from_bytes(b"\0\0\0\x04host\0\0\0\x07")?;
//! assert_eq!(args.mon_name.as_bytes(), b"host");
//! assert!(nsm::is_up(args.state));
//! assert_eq!(nsm::name(6), Some("SM_NOTIFY"));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{Text, xdr_open_enum, xdr_struct};

/// RPC program number (X/Open XNFS).
#[doc(alias = "SM_PROG")]
pub const PROGRAM: u32 = 100_024;
/// RPC version (X/Open XNFS).
#[doc(alias = "SM_VERS")]
pub const VERSION: u32 = 1;
/// Longest name of a host, in bytes (X/Open XNFS).
#[doc(alias = "SM_MAXSTRLEN")]
pub const MAXSTRLEN: u32 = 1024;

/// Name of a host: at most [`MAXSTRLEN`] bytes, of no known encoding (X/Open XNFS).
pub type HostName<'a> = Text<'a, 1024>;

/// Whether a host of this state number is up.
#[inline]
#[must_use]
pub const fn is_up(state: i32) -> bool {
    state & 1 == 1
}

xdr_open_enum! {
    /// Whether the monitor does what it was asked for (X/Open XNFS).
    ///
    /// Open: a number outside the list decodes, keeps its value and encodes again.
    "res" => pub struct Res {
        /// It monitors the host.
        "stat_succ" SUCC = 0,
        /// It cannot monitor the host.
        "stat_fail" FAIL = 1,
    }
}

//--- STAT ---

xdr_struct! {
    /// Arguments of STAT (X/Open XNFS).
    #[derive(Copy)]
    "sm_name" => pub struct StatArgs<'a> {
        /// Host that could be monitored.
        pub mon_name: HostName<'a>,
    }
}

xdr_struct! {
    /// Reply to STAT and MON (X/Open XNFS).
    #[derive(Copy)]
    #[doc(alias = "MonReply")]
    "sm_stat_res" => pub struct StatReply {
        /// Whether the monitor can monitor the host, or does so from now on.
        "res_stat" => pub res: Res,
        /// State number: of the host that STAT named, of the monitor's own host after MON. On the
        /// wire in any case, of meaning after [`Res::SUCC`].
        pub state: i32,
    }
}

//--- MON, UNMON, UNMON_ALL ---

xdr_struct! {
    /// Who asks for monitoring, and whom to call when the state changes (X/Open XNFS). The arguments
    /// of UNMON_ALL.
    #[derive(Copy)]
    #[doc(alias = "UnmonAllArgs")]
    "my_id" => pub struct MyId<'a> {
        /// Host that asks.
        pub my_name: HostName<'a>,
        /// RPC program to call. A signed number in the declaration, as are the next two; here as
        /// the header of a call has them.
        "my_prog" => pub program: u32,
        /// Version of the program.
        "my_vers" => pub version: u32,
        /// Procedure of the version.
        "my_proc" => pub procedure: u32,
    }
}

xdr_struct! {
    /// Whom to monitor, and for whom (X/Open XNFS). The arguments of UNMON.
    #[derive(Copy)]
    #[doc(alias = "UnmonArgs")]
    "mon_id" => pub struct MonId<'a> {
        /// Host to monitor.
        pub mon_name: HostName<'a>,
        /// Whom to call.
        pub my_id: MyId<'a>,
    }
}

xdr_struct! {
    /// Arguments of MON (X/Open XNFS).
    #[derive(Copy)]
    "mon" => pub struct MonArgs<'a> {
        /// Whom to monitor, and for whom.
        pub mon_id: MonId<'a>,
        /// Comes back in [`CallbackArgs`], unread.
        "priv" => pub private: [u8; 16],
    }
}

xdr_struct! {
    /// Reply to UNMON and UNMON_ALL (X/Open XNFS).
    #[derive(Copy)]
    #[doc(alias = "UnmonAllReply")]
    "sm_stat" => pub struct UnmonReply {
        /// State number of the monitor's own host.
        pub state: i32,
    }
}

//--- NOTIFY, and the callback ---

xdr_struct! {
    /// Arguments of NOTIFY: the sender has restarted (X/Open XNFS).
    #[derive(Copy)]
    "stat_chge" => pub struct NotifyArgs<'a> {
        /// The sender, by the name under which it is monitored.
        pub mon_name: HostName<'a>,
        /// Its new state number.
        pub state: i32,
    }
}

xdr_struct! {
    /// Arguments of the call that [`MyId`] asks for: a monitored host has restarted (X/Open XNFS).
    /// The call has no result.
    #[derive(Copy)]
    "status" => pub struct CallbackArgs<'a> {
        /// The host, by the name that MON gave.
        pub mon_name: HostName<'a>,
        /// Its new state number.
        pub state: i32,
        /// From MON.
        "priv" => pub private: [u8; 16],
    }
}

//--- procedures ---

nfswire_rpc::procedures! {
    PROGRAM, VERSION, "X/Open XNFS";

    /// Does nothing.
    0 "SM_NULL" => Null(()) -> ();
    /// Asks whether a host can be monitored.
    1 "SM_STAT" => Stat(StatArgs<'a>) -> StatReply;
    /// Starts monitoring a host.
    2 "SM_MON" => Mon(MonArgs<'a>) -> StatReply;
    /// Stops monitoring a host.
    3 "SM_UNMON" => Unmon(MonId<'a>) -> UnmonReply;
    /// Stops monitoring every host for the caller.
    4 "SM_UNMON_ALL" => UnmonAll(MyId<'a>) -> UnmonReply;
    /// Makes the monitor behave as after a restart.
    5 "SM_SIMU_CRASH" => SimuCrash(()) -> ();
    /// From monitor to monitor: the sender has restarted.
    6 "SM_NOTIFY" => Notify(NotifyArgs<'a>) -> ();
}
