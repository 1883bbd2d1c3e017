//! NLM version 1 (X/Open XNFS), which goes with NFSv2: offsets of 32 bits. Its types are those of
//! version 3 too.
//!
//! ```
//! use nfswire_nfs3::nlm::v1::{Reply, Status, procedures};
//!
//! let reply: Reply<'_> = nfswire_xdr::from_bytes(b"\0\0\0\x01A\0\0\0\0\0\0\x03")?;
//! assert_eq!((reply.cookie.as_bytes(), reply.stat), (&b"A"[..], Status::BLOCKED));
//! assert_eq!(procedures::name(2), Some("NLM_LOCK"));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{xdr_open_enum, xdr_struct, xdr_union};

use super::{ByteRange, CallerName, NetObj};

/// RPC version (X/Open XNFS).
#[doc(alias = "NLM_VERS")]
pub const VERSION: u32 = 1;

xdr_open_enum! {
    /// How a procedure ended (X/Open XNFS).
    ///
    /// Open: a number outside the list decodes, keeps its value and encodes again.
    "nlm_stats" => pub struct Status {
        /// Success.
        "nlm_granted" GRANTED = 0,
        /// Refused: a lock of another owner is in the way. Trying again later may help.
        "nlm_denied" DENIED = 1,
        /// Refused: the server has no room for locks, or another lasting reason.
        "nlm_denied_nolocks" DENIED_NOLOCKS = 2,
        /// Not yet: the server calls GRANTED when the lock is free.
        "nlm_blocked" BLOCKED = 3,
        /// Refused: the server has restarted and only takes locks that are reclaimed.
        "nlm_denied_grace_period" DENIED_GRACE_PERIOD = 4,
    }
}

impl Status {
    /// The status of a name, such as `nlm_denied`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, number)| Self(*number))
    }
}

/// How a procedure ended; in X/Open XNFS a struct around the [`Status`].
#[doc(alias = "nlm_stat")]
pub type Stat = Status;

//--- TEST ---

xdr_struct! {
    /// Who holds a lock that is in the way (X/Open XNFS).
    #[derive(Copy)]
    "nlm_holder" => pub struct Holder<'a> {
        /// The lock excludes others, or it is shared.
        pub exclusive: bool,
        /// Process that holds it, by a number of its host.
        pub svid: i32,
        /// Host or process that holds it.
        pub oh: NetObj<'a>,
        /// First byte that is locked.
        pub l_offset: u32,
        /// Length of the locked region, in bytes; 0 means to the end of the file.
        pub l_len: u32,
    }
}

impl Holder<'_> {
    /// The locked bytes.
    #[inline]
    #[must_use]
    pub const fn range(&self) -> ByteRange {
        ByteRange::from_u32(self.l_offset, self.l_len)
    }
}

xdr_struct! {
    /// A lock that is asked for, or one to give back (X/Open XNFS).
    #[derive(Copy)]
    "nlm_lock" => pub struct Lock<'a> {
        /// Host that asks.
        pub caller_name: CallerName<'a>,
        /// The file: a handle of NFSv2, see [`Lock::file_handle`].
        pub fh: NetObj<'a>,
        /// Host or process that asks.
        pub oh: NetObj<'a>,
        /// Process that asks, by a number of its host.
        pub svid: i32,
        /// First byte of the region.
        pub l_offset: u32,
        /// Length of the region, in bytes; 0 means to the end of the file.
        pub l_len: u32,
    }
}

impl<'a> Lock<'a> {
    /// The region.
    #[inline]
    #[must_use]
    pub const fn range(&self) -> ByteRange {
        ByteRange::from_u32(self.l_offset, self.l_len)
    }

    /// The file handle; `None` if `fh` has not the 32 bytes of one.
    #[inline]
    #[must_use]
    pub fn file_handle(&self) -> Option<&'a [u8; 32]> {
        self.fh.as_bytes().try_into().ok()
    }
}

xdr_struct! {
    /// Arguments of TEST, TEST_MSG, GRANTED and GRANTED_MSG (X/Open XNFS).
    #[derive(Copy)]
    #[doc(alias = "GrantedArgs")]
    "nlm_testargs" => pub struct TestArgs<'a> {
        /// Comes back with the result.
        pub cookie: NetObj<'a>,
        /// The lock is to exclude others.
        pub exclusive: bool,
        /// The lock to test, or the one that is granted.
        pub alock: Lock<'a>,
    }
}

xdr_union! {
    /// What TEST found (X/Open XNFS).
    #[derive(Copy)]
    "nlm_testrply" => pub enum TestStat<'a> switch (stat: Status) {
        /// A lock of another owner is in the way.
        case Status::DENIED => "holder" Denied(Holder<'a>),
        /// Nothing is in the way if [`Status::GRANTED`], else TEST itself failed.
        default => Other,
    }
}

xdr_struct! {
    /// Reply to TEST, and arguments of TEST_RES (X/Open XNFS).
    #[derive(Copy)]
    "nlm_testres" => pub struct TestReply<'a> {
        /// The one of the call.
        pub cookie: NetObj<'a>,
        /// What was found.
        pub stat: TestStat<'a>,
    }
}

//--- LOCK, CANCEL, UNLOCK, GRANTED ---

xdr_struct! {
    /// Arguments of LOCK, LOCK_MSG and, from version 3, NM_LOCK (X/Open XNFS).
    #[derive(Copy)]
    "nlm_lockargs" => pub struct LockArgs<'a> {
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
    /// those of the LOCK that waits (X/Open XNFS).
    #[derive(Copy)]
    "nlm_cancargs" => pub struct CancelArgs<'a> {
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
    /// Arguments of UNLOCK and UNLOCK_MSG (X/Open XNFS).
    #[derive(Copy)]
    "nlm_unlockargs" => pub struct UnlockArgs<'a> {
        /// Comes back with the result.
        pub cookie: NetObj<'a>,
        /// The region to unlock; it need not be one that was locked as a whole.
        pub alock: Lock<'a>,
    }
}

xdr_struct! {
    /// Reply to LOCK, CANCEL, UNLOCK, GRANTED and, from version 3, NM_LOCK, and arguments of
    /// LOCK_RES, CANCEL_RES, UNLOCK_RES and GRANTED_RES (X/Open XNFS).
    #[derive(Copy)]
    #[doc(alias = "LockReply")]
    "nlm_res" => pub struct Reply<'a> {
        /// The one of the call.
        pub cookie: NetObj<'a>,
        /// How it ended.
        pub stat: Stat,
    }
}

//--- procedures ---

/// The procedures of version 1, by number and name.
pub mod procedures {
    use super::{CancelArgs, LockArgs, Reply, TestArgs, TestReply, UnlockArgs};

    nfswire_rpc::procedures! {
        crate::nlm::PROGRAM, super::VERSION, "X/Open XNFS";

        /// Does nothing.
        0 "NLM_NULL" => Null(()) -> ();
        /// Tells whether a lock could be had, and who is in the way.
        1 "NLM_TEST" => Test(TestArgs<'a>) -> TestReply<'a>;
        /// Locks a region of a file.
        2 "NLM_LOCK" => Lock(LockArgs<'a>) -> Reply<'a>;
        /// Waits for a lock no longer.
        3 "NLM_CANCEL" => Cancel(CancelArgs<'a>) -> Reply<'a>;
        /// Unlocks a region of a file.
        4 "NLM_UNLOCK" => Unlock(UnlockArgs<'a>) -> Reply<'a>;
        /// Callback: a lock that was waited for is granted.
        5 "NLM_GRANTED" => Granted(TestArgs<'a>) -> Reply<'a>;
        /// TEST as a message: no reply.
        6 "NLM_TEST_MSG" => TestMsg(TestArgs<'a>) -> ();
        /// LOCK as a message: no reply.
        7 "NLM_LOCK_MSG" => LockMsg(LockArgs<'a>) -> ();
        /// CANCEL as a message: no reply.
        8 "NLM_CANCEL_MSG" => CancelMsg(CancelArgs<'a>) -> ();
        /// UNLOCK as a message: no reply.
        9 "NLM_UNLOCK_MSG" => UnlockMsg(UnlockArgs<'a>) -> ();
        /// GRANTED as a message: no reply.
        10 "NLM_GRANTED_MSG" => GrantedMsg(TestArgs<'a>) -> ();
        /// The result of a TEST_MSG: no reply.
        11 "NLM_TEST_RES" => TestRes(TestReply<'a>) -> ();
        /// The result of a LOCK_MSG: no reply.
        12 "NLM_LOCK_RES" => LockRes(Reply<'a>) -> ();
        /// The result of a CANCEL_MSG: no reply.
        13 "NLM_CANCEL_RES" => CancelRes(Reply<'a>) -> ();
        /// The result of an UNLOCK_MSG: no reply.
        14 "NLM_UNLOCK_RES" => UnlockRes(Reply<'a>) -> ();
        /// The result of a GRANTED_MSG: no reply.
        15 "NLM_GRANTED_RES" => GrantedRes(Reply<'a>) -> ();
    }
}
