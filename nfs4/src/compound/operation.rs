//! What is known of an operation by its number, and what its types have in common.

use nfswire_xdr::{Decode, Encode, Opaque, Text};

use crate::{
    ClientAddr, LockOwner, OpNum, Status,
    ops::{
        attr::SetattrReply,
        client::SetclientidReply,
        copy::{CopyReply, CopyRequirements},
        layout::{GetdeviceinfoReply, LayoutgetReply},
        lock::{LockDenied, LockReply, LockType, LocktReply},
    },
};

/// The highest minor version there is: NFSv4.2.
pub const HIGHEST_MINOR: u32 = 2;

/// What a minor version has to do with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is an operation of this minor version; a server may support it or not.
    Defined,
    /// It was one of an earlier minor version, and must not be one any more (RFC 8881, section 17;
    /// RFC 7862, section 13): a server answers [`Status::NOTSUPP`].
    Removed,
    /// The number stands for no operation of this minor version: a server answers
    /// [`Status::OP_ILLEGAL`] under [`OpNum::ILLEGAL`].
    Illegal,
}

impl OpNum {
    /// What minor version `minor` has to do with the operation.
    #[inline]
    #[must_use]
    pub const fn standing(self, minor: u32) -> Standing {
        match self.entry() {
            Some(entry) if minor <= HIGHEST_MINOR && minor >= entry.first && self.0 != 10044 => {
                if minor < entry.end {
                    Standing::Defined
                } else {
                    Standing::Removed
                }
            }
            _ => Standing::Illegal,
        }
    }

    /// Whether it changes the file system, or what the server holds for its clients. A server that
    /// cannot answer such an operation must not run it.
    #[inline]
    #[must_use]
    pub const fn changes(self) -> bool {
        matches!(self.entry(), Some(entry) if entry.changes)
    }

    /// Whether it sets the current file handle.
    #[inline]
    #[must_use]
    pub const fn moves(self) -> bool {
        matches!(self.entry(), Some(entry) if entry.moves)
    }

    /// Whether it may stand without SEQUENCE since v4.1, if it is the only operation (RFC 8881,
    /// section 15.1.3.3). In v4.0 there are no sessions, and every operation may.
    #[inline]
    #[must_use]
    pub const fn is_sessionless(self) -> bool {
        matches!(self.entry(), Some(entry) if entry.alone)
    }
}

/// The arguments of an operation. Operations without arguments have no such type.
pub trait OpArgs<'a>: Decode<'a> + Encode<'a> {
    /// The operation.
    const OP: OpNum;
    /// Its result.
    type Reply: OpReply<'a>;
}

/// The result of an operation.
pub trait OpReply<'a>: Decode<'a> + Encode<'a> {
    /// The operation. SECINFO_NO_NAME has the result of SECINFO, which stands here.
    const OP: OpNum;

    /// How the operation ended.
    fn status(&self) -> Status;

    /// The result of a failure, as [`Resop::failure`](super::Resop::failure) makes it.
    fn failure(status: Status) -> Self;

    /// Bytes of the result if the operation succeeded; of no meaning otherwise.
    #[doc(hidden)]
    #[inline(always)]
    fn success_len(&self) -> u64 {
        self.encoded_len()
    }

    /// [`write`](Encode::write) for an operation that succeeded; `None` otherwise.
    #[doc(hidden)]
    #[inline(always)]
    fn write_success<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        if self.status() == Status::OK { self.write(w) } else { None }
    }
}

/// Bytes of a union whose arm for success holds `ok`: known when the program is compiled if those
/// of the arm are, whatever the value is.
#[inline(always)]
pub(super) fn success_len<'a, T: Encode<'a>>(ok: Option<&T>) -> u64 {
    let body = if T::FIXED { T::MIN_LEN.into() } else { ok.map_or(0, T::encoded_len) };
    body.wrapping_add(4)
}

/// There is no failure with [`Status::OK`], and a union could not be encoded with it.
pub(super) const fn failed(status: Status) -> Status {
    if matches!(status, Status::OK) { Status::SERVERFAULT } else { status }
}

impl<'a> OpReply<'a> for SetattrReply<'a> {
    const OP: OpNum = OpNum::SETATTR;

    fn status(&self) -> Status {
        self.status
    }

    fn failure(status: Status) -> Self {
        Self::fail(failed(status))
    }
}

/// A lock that may be anywhere and anyone's.
fn some_lock() -> LockDenied<'static> {
    LockDenied {
        offset: 0,
        length: u64::MAX,
        lock_type: LockType::Write,
        owner: LockOwner { clientid: 0, owner: Opaque::default() },
    }
}

fn no_addr() -> ClientAddr<'static> {
    ClientAddr { netid: Text::default(), addr: Text::default() }
}

/// The result of an operation with a body for another status than success.
macro_rules! own {
    ($op:ident $reply:ty, $status:ident => $arm:expr) => {
        impl<'a> OpReply<'a> for $reply {
            const OP: OpNum = OpNum::$op;

            fn status(&self) -> Status {
                self.status()
            }

            fn failure(status: Status) -> Self {
                match failed(status) {
                    Status::$status => $arm,
                    status => Self::Fail(status),
                }
            }
        }
    };
}

own!(LOCK LockReply<'a>, DENIED => Self::Denied(some_lock()));
own!(LOCKT LocktReply<'a>, DENIED => Self::Denied(some_lock()));
own!(SETCLIENTID SetclientidReply<'a>, CLID_INUSE => Self::InUse(no_addr()));
own!(GETDEVICEINFO GetdeviceinfoReply<'a>, TOOSMALL => Self::TooSmall(0));
own!(LAYOUTGET LayoutgetReply<'a>, LAYOUTTRYLATER => Self::TryLater(false));
own!(COPY CopyReply, OFFLOAD_NO_REQS => Self::NoReqs(CopyRequirements::default()));
