//! NLM version 4 (RFC 1813, section 6), which goes with NFSv3: offsets of 64 bits, and more to say
//! about failures.
//!
//! The RFC prints only what differs from version 3; what it does not print is version 3's under new
//! names.
//!
//! ```
//! use nfswire_nfs3::nlm::v4::{Reply, Status, procedures};
//!
//! let reply: Reply<'_> = nfswire_xdr::from_bytes(b"\0\0\0\x01A\0\0\0\0\0\0\x08")?;
//! assert_eq!((reply.cookie.as_bytes(), reply.stat), (&b"A"[..], Status::FBIG));
//! assert_eq!(Status::from_name("NLM4_FBIG"), Some(Status::FBIG));
//! assert_eq!(procedures::name(2), Some("NLMPROC4_LOCK"));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{xdr_open_enum, xdr_struct, xdr_union};

pub use super::FreeAllArgs;
use super::{ByteRange, CallerName, NetObj, RangeError, ShareAccess, ShareMode};
use crate::FileHandle;

/// RPC version (RFC 1813, section 6.1.2).
#[doc(alias = "NLM4_VERS")]
pub const VERSION: u32 = 4;

xdr_open_enum! {
    /// How a procedure ended (RFC 1813, section 6.1.4).
    ///
    /// Open: a number outside the RFC's list decodes, keeps its value and encodes again.
    "nlm4_stats" => pub struct Status {
        /// Success.
        "NLM4_GRANTED" GRANTED = 0,
        /// Refused: a lock of another owner is in the way. Trying again later may help.
        "NLM4_DENIED" DENIED = 1,
        /// Refused: the server lacks the resources.
        "NLM4_DENIED_NOLOCKS" DENIED_NOLOCKS = 2,
        /// Not yet: the server calls GRANTED when the lock is free.
        "NLM4_BLOCKED" BLOCKED = 3,
        /// Refused: the server has restarted and only takes locks that are reclaimed.
        "NLM4_DENIED_GRACE_PERIOD" DENIED_GRACE_PERIOD = 4,
        /// Refused: to wait for the lock would be a deadlock.
        "NLM4_DEADLCK" DEADLCK = 5,
        /// Refused: the file system is read-only.
        "NLM4_ROFS" ROFS = 6,
        /// The handle names a file that is gone or no longer exported.
        "NLM4_STALE_FH" STALE_FH = 7,
        /// The range lies outside what the server supports: see [`Lock::range`].
        "NLM4_FBIG" FBIG = 8,
        /// Another failure; trying again will not help.
        "NLM4_FAILED" FAILED = 9,
    }
}

impl Status {
    /// The status of a name, such as `NLM4_DENIED`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, number)| Self(*number))
    }
}

/// How a procedure ended; in the RFC a struct around the [`Status`].
#[doc(alias = "nlm4_stat")]
pub type Stat = Status;

//--- TEST ---

xdr_struct! {
    /// Who holds a lock that is in the way (RFC 1813, section 6.1.4).
    #[derive(Copy)]
    "nlm4_holder" => pub struct Holder<'a> {
        /// The lock excludes others, or it is shared.
        pub exclusive: bool,
        /// Process that holds it, by a number of its host.
        pub svid: i32,
        /// Host or process that holds it.
        pub oh: NetObj<'a>,
        /// First byte that is locked.
        pub l_offset: u64,
        /// Length of the locked region, in bytes; 0 means to the end of the file.
        pub l_len: u64,
    }
}

impl Holder<'_> {
    /// The locked bytes.
    ///
    /// # Errors
    /// [`RangeError`] if it reaches where no file does; a client gives the lock up as [`Status::FAILED`].
    #[inline]
    pub const fn range(&self) -> Result<ByteRange, RangeError> {
        ByteRange::new(self.l_offset, self.l_len)
    }
}

xdr_struct! {
    /// A lock that is asked for, or one to give back (RFC 1813, section 6.1.4).
    #[derive(Copy)]
    "nlm4_lock" => pub struct Lock<'a> {
        /// Host that asks.
        pub caller_name: CallerName<'a>,
        /// The file: a handle of NFSv3, see [`Lock::file_handle`].
        pub fh: NetObj<'a>,
        /// Host or process that asks.
        pub oh: NetObj<'a>,
        /// Process that asks, by a number of its host.
        pub svid: i32,
        /// First byte of the region.
        pub l_offset: u64,
        /// Length of the region, in bytes; 0 means to the end of the file.
        pub l_len: u64,
    }
}

impl<'a> Lock<'a> {
    /// The region.
    ///
    /// # Errors
    /// [`RangeError`] if it reaches where no file does; a server answers [`Status::FBIG`].
    #[inline]
    pub const fn range(&self) -> Result<ByteRange, RangeError> {
        ByteRange::new(self.l_offset, self.l_len)
    }

    /// The file handle; `None` if `fh` is longer than any.
    #[inline]
    #[must_use]
    pub fn file_handle(&self) -> Option<FileHandle<'a>> {
        FileHandle::new(self.fh.as_bytes())
    }
}

xdr_struct! {
    /// Arguments of TEST, TEST_MSG, GRANTED and GRANTED_MSG (RFC 1813, section 6.2).
    #[derive(Copy)]
    #[doc(alias = "GrantedArgs")]
    "nlm4_testargs" => pub struct TestArgs<'a> {
        /// Comes back with the result.
        pub cookie: NetObj<'a>,
        /// The lock is to exclude others.
        pub exclusive: bool,
        /// The lock to test, or the one that is granted.
        pub alock: Lock<'a>,
    }
}

xdr_union! {
    /// What TEST found (RFC 1813, section 6.2).
    #[derive(Copy)]
    "nlm4_testrply" => pub enum TestStat<'a> switch (stat: Status) {
        /// A lock of another owner is in the way.
        case Status::DENIED => "holder" Denied(Holder<'a>),
        /// Nothing is in the way if [`Status::GRANTED`], else TEST itself failed.
        default => Other,
    }
}

xdr_struct! {
    /// Reply to TEST, and arguments of TEST_RES (RFC 1813, section 6.2).
    #[derive(Copy)]
    "nlm4_testres" => pub struct TestReply<'a> {
        /// The one of the call.
        pub cookie: NetObj<'a>,
        /// What was found.
        pub stat: TestStat<'a>,
    }
}

//--- LOCK, CANCEL, UNLOCK, GRANTED ---

xdr_struct! {
    /// Arguments of LOCK, LOCK_MSG and NM_LOCK (RFC 1813, section 6.2).
    #[derive(Copy)]
    "nlm4_lockargs" => pub struct LockArgs<'a> {
        /// Comes back with the result.
        pub cookie: NetObj<'a>,
        /// Wait for the lock if it cannot be had at once.
        pub block: bool,
        /// The lock is to exclude others.
        pub exclusive: bool,
        /// The lock.
        pub alock: Lock<'a>,
        /// The caller had this lock before the server restarted.
        pub reclaim: bool,
        /// State number of the caller's status monitor: odd, and another one after each restart.
        pub state: i32,
    }
}

xdr_struct! {
    /// Arguments of CANCEL and CANCEL_MSG: the caller waits for a lock no longer. All fields are
    /// those of the LOCK that waits (RFC 1813, section 6.2).
    #[derive(Copy)]
    "nlm4_cancargs" => pub struct CancelArgs<'a> {
        /// Comes back with the result.
        pub cookie: NetObj<'a>,
        /// As in the LOCK.
        pub block: bool,
        /// As in the LOCK.
        pub exclusive: bool,
        /// The lock that is waited for.
        pub alock: Lock<'a>,
    }
}

xdr_struct! {
    /// Arguments of UNLOCK and UNLOCK_MSG (RFC 1813, section 6.2).
    #[derive(Copy)]
    "nlm4_unlockargs" => pub struct UnlockArgs<'a> {
        /// Comes back with the result.
        pub cookie: NetObj<'a>,
        /// The region to unlock; it need not be one that was locked as a whole.
        pub alock: Lock<'a>,
    }
}

xdr_struct! {
    /// Reply to LOCK, CANCEL, UNLOCK, GRANTED and NM_LOCK, and arguments of
    /// LOCK_RES, CANCEL_RES, UNLOCK_RES and GRANTED_RES (RFC 1813, section 6.2).
    #[derive(Copy)]
    #[doc(alias = "LockReply")]
    "nlm4_res" => pub struct Reply<'a> {
        /// The one of the call.
        pub cookie: NetObj<'a>,
        /// How it ended.
        pub stat: Stat,
    }
}

//--- SHARE and UNSHARE ---

xdr_struct! {
    /// A share of a file, as DOS has them (RFC 1813, section 6.1.4).
    #[derive(Copy)]
    "nlm4_share" => pub struct Share<'a> {
        /// Host that asks.
        pub caller_name: CallerName<'a>,
        /// The file: a handle of NFSv3, see [`Share::file_handle`].
        pub fh: NetObj<'a>,
        /// Host or process that asks.
        pub oh: NetObj<'a>,
        /// What others may not do.
        pub mode: ShareMode,
        /// What the caller wants to do.
        pub access: ShareAccess,
    }
}

impl<'a> Share<'a> {
    /// The file handle; `None` if `fh` is longer than any.
    #[inline]
    #[must_use]
    pub fn file_handle(&self) -> Option<FileHandle<'a>> {
        FileHandle::new(self.fh.as_bytes())
    }
}

xdr_struct! {
    /// Arguments of SHARE and UNSHARE (RFC 1813, section 6.2).
    #[derive(Copy)]
    #[doc(alias = "UnshareArgs")]
    "nlm4_shareargs" => pub struct ShareArgs<'a> {
        /// Comes back with the result.
        pub cookie: NetObj<'a>,
        /// The share.
        pub share: Share<'a>,
        /// The caller had this share before the server restarted.
        pub reclaim: bool,
    }
}

xdr_struct! {
    /// Reply to SHARE and UNSHARE (RFC 1813, section 6.2).
    #[derive(Copy)]
    #[doc(alias = "UnshareReply")]
    "nlm4_shareres" => pub struct ShareReply<'a> {
        /// The one of the call.
        pub cookie: NetObj<'a>,
        /// How it ended.
        pub stat: Status,
        /// Not used; servers send 0.
        pub sequence: i32,
    }
}

//--- procedures ---

/// The procedures of version 4, by number and name. Numbers 16 to 19 are not in the
/// protocol; systems use them between their own programs.
pub mod procedures {
    use super::{
        CancelArgs, FreeAllArgs, LockArgs, Reply, ShareArgs, ShareReply, TestArgs, TestReply,
        UnlockArgs,
    };

    nfswire_rpc::procedures! {
        crate::nlm::PROGRAM, super::VERSION, "RFC 1813, section 6.2";

        /// Does nothing.
        0 "NLMPROC4_NULL" => Null(()) -> ();
        /// Tells whether a lock could be had, and who is in the way.
        1 "NLMPROC4_TEST" => Test(TestArgs<'a>) -> TestReply<'a>;
        /// Locks a region of a file.
        2 "NLMPROC4_LOCK" => Lock(LockArgs<'a>) -> Reply<'a>;
        /// Waits for a lock no longer.
        3 "NLMPROC4_CANCEL" => Cancel(CancelArgs<'a>) -> Reply<'a>;
        /// Unlocks a region of a file.
        4 "NLMPROC4_UNLOCK" => Unlock(UnlockArgs<'a>) -> Reply<'a>;
        /// Callback: a lock that was waited for is granted.
        5 "NLMPROC4_GRANTED" => Granted(TestArgs<'a>) -> Reply<'a>;
        /// TEST as a message: no reply.
        6 "NLMPROC4_TEST_MSG" => TestMsg(TestArgs<'a>) -> ();
        /// LOCK as a message: no reply.
        7 "NLMPROC4_LOCK_MSG" => LockMsg(LockArgs<'a>) -> ();
        /// CANCEL as a message: no reply.
        8 "NLMPROC4_CANCEL_MSG" => CancelMsg(CancelArgs<'a>) -> ();
        /// UNLOCK as a message: no reply.
        9 "NLMPROC4_UNLOCK_MSG" => UnlockMsg(UnlockArgs<'a>) -> ();
        /// GRANTED as a message: no reply.
        10 "NLMPROC4_GRANTED_MSG" => GrantedMsg(TestArgs<'a>) -> ();
        /// The result of a TEST_MSG: no reply.
        11 "NLMPROC4_TEST_RES" => TestRes(TestReply<'a>) -> ();
        /// The result of a LOCK_MSG: no reply.
        12 "NLMPROC4_LOCK_RES" => LockRes(Reply<'a>) -> ();
        /// The result of a CANCEL_MSG: no reply.
        13 "NLMPROC4_CANCEL_RES" => CancelRes(Reply<'a>) -> ();
        /// The result of an UNLOCK_MSG: no reply.
        14 "NLMPROC4_UNLOCK_RES" => UnlockRes(Reply<'a>) -> ();
        /// The result of a GRANTED_MSG: no reply.
        15 "NLMPROC4_GRANTED_RES" => GrantedRes(Reply<'a>) -> ();
        /// Shares a file.
        20 "NLMPROC4_SHARE" => Share(ShareArgs<'a>) -> ShareReply<'a>;
        /// Gives a share back.
        21 "NLMPROC4_UNSHARE" => Unshare(ShareArgs<'a>) -> ShareReply<'a>;
        /// LOCK by a caller that is not monitored: it frees its locks itself, with FREE_ALL.
        22 "NLMPROC4_NM_LOCK" => NmLock(LockArgs<'a>) -> Reply<'a>;
        /// Frees every lock and share of a host that has restarted.
        23 "NLMPROC4_FREE_ALL" => FreeAll(FreeAllArgs<'a>) -> ();
    }
}
