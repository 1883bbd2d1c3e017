//! Locks: CB_NOTIFY_LOCK.

use nfswire_xdr::xdr_struct;

use crate::{FileHandle, LockOwner, Status};

xdr_struct! {
    /// Arguments of CB_NOTIFY_LOCK: a lock that was denied may be free now (RFC 8881, section 20.11).
    #[derive(Copy)]
    "CB_NOTIFY_LOCK4args" => pub struct CbNotifyLockArgs<'a> {
        /// The file.
        "cnla_fh" => pub fh: FileHandle<'a>,
        /// Who asked for the lock.
        "cnla_lock_owner" => pub lock_owner: LockOwner<'a>,
    }
}

xdr_struct! {
    /// Reply to CB_NOTIFY_LOCK (RFC 8881, section 20.11).
    #[derive(Copy)]
    "CB_NOTIFY_LOCK4res" => pub struct CbNotifyLockReply {
        /// How it ended.
        "cnlr_status" => pub status: Status,
    }
}
