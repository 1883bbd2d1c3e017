//! NLM version 3 (X/Open XNFS), which goes with NFSv2: version 1 with file sharing, and locks that
//! are not monitored.
//!
//! ```
//! use nfswire_nfs3::nlm::{ShareAccess, ShareMode, v3::procedures};
//! use nfswire_rpc::Procedure;
//!
//! assert_eq!((procedures::Share::VERSION, procedures::Share::NUMBER), (3, 20));
//! assert!(ShareMode::DenyWrite.denies(ShareAccess::ReadWrite));
//! assert!(!ShareMode::DenyWrite.denies(ShareAccess::Read));
//! ```

use nfswire_xdr::xdr_struct;

use super::{CallerName, NetObj, ShareAccess, ShareMode};
pub use super::{
    FreeAllArgs,
    v1::{
        CancelArgs, Holder, Lock, LockArgs, Reply, Stat, Status, TestArgs, TestReply, TestStat,
        UnlockArgs,
    },
};

/// RPC version (X/Open XNFS).
#[doc(alias = "NLM_VERSX")]
pub const VERSION: u32 = 3;

//--- SHARE and UNSHARE ---

xdr_struct! {
    /// A share of a file, as DOS has them (X/Open XNFS).
    #[derive(Copy)]
    "nlm_share" => pub struct Share<'a> {
        /// Host that asks.
        pub caller_name: CallerName<'a>,
        /// The file: a handle of NFSv2, see [`Share::file_handle`].
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
    /// The file handle; `None` if `fh` has not the 32 bytes of one.
    #[inline]
    #[must_use]
    pub fn file_handle(&self) -> Option<&'a [u8; 32]> {
        self.fh.as_bytes().try_into().ok()
    }
}

xdr_struct! {
    /// Arguments of SHARE and UNSHARE (X/Open XNFS).
    #[derive(Copy)]
    #[doc(alias = "UnshareArgs")]
    "nlm_shareargs" => pub struct ShareArgs<'a> {
        /// Comes back with the result.
        pub cookie: NetObj<'a>,
        /// The share.
        pub share: Share<'a>,
        /// The caller had this share before the server restarted.
        pub reclaim: bool,
    }
}

xdr_struct! {
    /// Reply to SHARE and UNSHARE (X/Open XNFS).
    #[derive(Copy)]
    #[doc(alias = "UnshareReply")]
    "nlm_shareres" => pub struct ShareReply<'a> {
        /// The one of the call.
        pub cookie: NetObj<'a>,
        /// How it ended.
        pub stat: Status,
        /// Not used; servers send 0.
        pub sequence: i32,
    }
}

//--- procedures ---

/// The procedures of version 3, by number and name: those of version 1, and four more. Numbers 16
/// to 19 are not in the protocol; systems use them between their own programs.
pub mod procedures {
    use super::{
        CancelArgs, FreeAllArgs, LockArgs, Reply, ShareArgs, ShareReply, TestArgs, TestReply,
        UnlockArgs,
    };

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
        /// Shares a file.
        20 "NLM_SHARE" => Share(ShareArgs<'a>) -> ShareReply<'a>;
        /// Gives a share back.
        21 "NLM_UNSHARE" => Unshare(ShareArgs<'a>) -> ShareReply<'a>;
        /// LOCK by a caller that is not monitored: it frees its locks itself, with FREE_ALL.
        22 "NLM_NM_LOCK" => NmLock(LockArgs<'a>) -> Reply<'a>;
        /// Frees every lock and share of a host that has restarted.
        23 "NLM_FREE_ALL" => FreeAll(FreeAllArgs<'a>) -> ();
    }
}
