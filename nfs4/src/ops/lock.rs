//! LOCK, LOCKT, LOCKU and RELEASE_LOCKOWNER: locks on ranges of bytes (RFC 7530, sections 16.10 to
//! 16.12 and 16.37; RFC 8881, sections 18.10 to 18.12).

use nfswire_xdr::{xdr_enum, xdr_struct, xdr_union};

use crate::{Length, LockOwner, Offset, SeqId, Stateid, Status};

/// Number of a lock, which no operation uses (RFC 7531).
#[doc(alias = "nfs_lockid4")]
pub type LockId = u64;

xdr_enum! {
    /// Kind of a lock (RFC 7530, section 16.10).
    "nfs_lock_type4" => pub enum LockType {
        /// Shared.
        "READ_LT" Read = 1,
        /// Exclusive.
        "WRITE_LT" Write = 2,
        /// Shared; the client waits and will ask again.
        "READW_LT" ReadWait = 3,
        /// Exclusive; the client waits and will ask again.
        "WRITEW_LT" WriteWait = 4,
    }
}

impl LockType {
    /// Whether no other owner may have a lock on the range.
    #[inline]
    #[must_use]
    pub const fn is_exclusive(self) -> bool {
        matches!(self, Self::Write | Self::WriteWait)
    }

    /// Whether the client waits for the lock: the server may keep it a place in the queue.
    #[inline]
    #[must_use]
    pub const fn is_blocking(self) -> bool {
        matches!(self, Self::ReadWait | Self::WriteWait)
    }
}

//--- LOCK ---

xdr_struct! {
    /// A new lock owner, made from an open (RFC 7530, section 16.10).
    #[derive(Copy)]
    "open_to_lock_owner4" => pub struct OpenToLockOwner<'a> {
        /// Sequence number of the open owner; unused in NFSv4.1.
        pub open_seqid: SeqId,
        /// The open.
        pub open_stateid: Stateid,
        /// First sequence number of the lock owner; unused in NFSv4.1.
        pub lock_seqid: SeqId,
        /// Who will hold the lock.
        pub lock_owner: LockOwner<'a>,
    }
}

xdr_struct! {
    /// A lock owner that the server knows for this file (RFC 7530, section 16.10).
    #[derive(Copy)]
    "exist_lock_owner4" => pub struct ExistLockOwner {
        /// Its locks.
        pub lock_stateid: Stateid,
        /// Its sequence number; unused in NFSv4.1.
        pub lock_seqid: SeqId,
    }
}

xdr_union! {
    /// Who asks for the lock (RFC 7530, section 16.10).
    #[derive(Copy)]
    "locker4" => pub enum Locker<'a> switch (new_lock_owner: bool) {
        /// An owner that has no lock on the file yet.
        case true => "open_owner" Open(OpenToLockOwner<'a>),
        /// One that has.
        case false => "lock_owner" Lock(ExistLockOwner),
    }
}

xdr_struct! {
    /// Arguments of LOCK (RFC 7530, section 16.10).
    #[derive(Copy)]
    "LOCK4args" => pub struct LockArgs<'a> {
        /// Kind of lock.
        "locktype" => pub lock_type: LockType,
        /// The client had the lock before the server restarted.
        pub reclaim: bool,
        /// First byte.
        pub offset: Offset,
        /// Bytes; all ones mean to the end of the file, wherever that will be.
        pub length: Length,
        /// Who asks.
        pub locker: Locker<'a>,
    }
}

xdr_struct! {
    /// The lock that is in the way (RFC 7530, section 16.10).
    #[derive(Copy)]
    "LOCK4denied" => pub struct LockDenied<'a> {
        /// Its first byte.
        pub offset: Offset,
        /// Its bytes; all ones mean to the end of the file.
        pub length: Length,
        /// Its kind.
        "locktype" => pub lock_type: LockType,
        /// Who holds it; a client of zero and no bytes when that is not known.
        pub owner: LockOwner<'a>,
    }
}

xdr_struct! {
    /// Body of a successful LOCK (RFC 7530, section 16.10).
    #[derive(Copy)]
    "LOCK4resok" => pub struct LockOk {
        /// The owner's locks on the file.
        pub lock_stateid: Stateid,
    }
}

xdr_union! {
    /// Reply to LOCK (RFC 7530, section 16.10).
    #[derive(Copy)]
    "LOCK4res" => pub enum LockReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(LockOk),
        /// Another lock is in the way.
        case Status::DENIED => "denied" Denied(LockDenied<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- LOCKT ---

xdr_struct! {
    /// Arguments of LOCKT (RFC 7530, section 16.11).
    #[derive(Copy)]
    "LOCKT4args" => pub struct LocktArgs<'a> {
        /// Kind of lock that would be asked for.
        "locktype" => pub lock_type: LockType,
        /// First byte.
        pub offset: Offset,
        /// Bytes; all ones mean to the end of the file.
        pub length: Length,
        /// Whose locks are not in the way.
        pub owner: LockOwner<'a>,
    }
}

xdr_union! {
    /// Reply to LOCKT (RFC 7530, section 16.11).
    #[derive(Copy)]
    "LOCKT4res" => pub enum LocktReply<'a> switch (status: Status) {
        /// A lock is in the way.
        case Status::DENIED => "denied" Denied(LockDenied<'a>),
        /// Nothing is in the way.
        case Status::OK => Ok,
        /// Failure.
        default => Fail,
    }
}

//--- LOCKU ---

xdr_struct! {
    /// Arguments of LOCKU (RFC 7530, section 16.12).
    #[derive(Copy)]
    "LOCKU4args" => pub struct LockuArgs {
        /// Kind of the lock; servers ignore it.
        "locktype" => pub lock_type: LockType,
        /// Sequence number of the lock owner; unused in NFSv4.1.
        pub seqid: SeqId,
        /// The owner's locks on the file.
        pub lock_stateid: Stateid,
        /// First byte.
        pub offset: Offset,
        /// Bytes; all ones mean to the end of the file.
        pub length: Length,
    }
}

xdr_union! {
    /// Reply to LOCKU (RFC 7530, section 16.12).
    #[derive(Copy)]
    "LOCKU4res" => pub enum LockuReply switch (status: Status) {
        /// Success: the owner's locks on the file.
        case Status::OK => "lock_stateid" Ok(Stateid),
        /// Failure.
        default => Fail,
    }
}

//--- RELEASE_LOCKOWNER ---

xdr_struct! {
    /// Arguments of RELEASE_LOCKOWNER, in NFSv4.0 (RFC 7530, section 16.37).
    #[derive(Copy)]
    "RELEASE_LOCKOWNER4args" => pub struct ReleaseLockownerArgs<'a> {
        /// Who will ask for no more locks.
        pub lock_owner: LockOwner<'a>,
    }
}

xdr_struct! {
    /// Reply to RELEASE_LOCKOWNER (RFC 7530, section 16.37).
    #[derive(Copy)]
    "RELEASE_LOCKOWNER4res" => pub struct ReleaseLockownerReply {
        /// [`Status::LOCKS_HELD`] when it still holds one.
        pub status: Status,
    }
}
