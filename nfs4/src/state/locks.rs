//! The locks on ranges of bytes of one file.

use alloc::vec::Vec;
use core::fmt;

use nfswire_rpc::NoMemory;
use thiserror::Error;

use super::{LockRange, reserved};
use crate::ops::lock::LockType;

/// A lock on a range.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByteLock<K> {
    /// Who holds it.
    pub owner: K,
    /// The bytes.
    pub range: LockRange,
    /// Nobody else has a lock on any of the bytes.
    pub exclusive: bool,
}

impl<K> ByteLock<K> {
    /// The kind that LOCK4denied tells.
    #[must_use]
    pub const fn lock_type(&self) -> LockType {
        if self.exclusive { LockType::Write } else { LockType::Read }
    }
}

/// `7 writes 0..=99`
impl<K: fmt::Debug> fmt::Debug for ByteLock<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.exclusive { "writes" } else { "reads" };
        write!(f, "{:?} {verb} {}", self.owner, self.range)
    }
}

/// No room for the pieces that locks would be in: nothing changed. A server answers
/// [`Status::RESOURCE`](crate::Status::RESOURCE) in NFSv4.0, and
/// [`Status::DELAY`](crate::Status::DELAY) later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the file would have more than {limit} locks: give locks back, or raise the limit")]
pub struct TooManyLocks {
    /// Most locks that the set holds.
    pub limit: u32,
}

/// Why a lock was not given: nothing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LockRefused<K: fmt::Debug> {
    /// Another owner has this lock: [`Status::DENIED`](crate::Status::DENIED).
    #[error("another owner has a lock on some of the bytes: {0:?}")]
    Denied(ByteLock<K>),
    /// There is no room.
    #[error(transparent)]
    Full(TooManyLocks),
}

/// Every lock on one file, as POSIX has them: an owner's new lock takes the place of what it had
/// on these bytes, locks of one kind that touch become one, and what stays on both sides of an
/// unlocked range becomes two (RFC 7530, section 16.10.5; RFC 8881, sections 9.2, 9.3 and 18.10).
///
/// `K` tells lock-owners apart, clients included; keep it small.
///
/// Memory for `limit` locks is reserved when the set is made; then nothing allocates. The work of
/// a request grows with the number of locks on the file.
///
/// ```
/// use nfswire_nfs4::ops::lock::LockType;
/// use nfswire_nfs4::state::{LockRange, LockRefused, LockSet};
///
/// let range = |offset, length| LockRange::new(offset, length).unwrap();
/// let mut locks = LockSet::new(64)?;
/// locks.lock(&"alice", range(0, u64::MAX), LockType::Write)?;
/// locks.unlock(&"alice", range(100, 50))?;
/// locks.lock(&"bob", range(120, 10), LockType::Write)?;
///
/// // LOCKT: what is in the way, with the bytes that it has.
/// let denied = locks.test(&"bob", range(140, 20), LockType::Read).unwrap();
/// assert_eq!((denied.owner, denied.range.offset(), denied.range.len()), ("alice", 150, u64::MAX));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LockSet<K> {
    /// By first byte. Those of one owner share no byte, and do not touch if of the same kind.
    locks: Vec<ByteLock<K>>,
    limit: u32,
}

impl<K: Clone + Eq + fmt::Debug> LockSet<K> {
    /// No locks, and room for at most `limit`.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(limit: u32) -> Result<Self, NoMemory> {
        Ok(Self { locks: reserved(limit)?, limit })
    }

    /// Number of locks, as merged.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.locks.len()
    }

    /// Whether nobody has a lock.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.locks.is_empty()
    }

    /// Every lock, by first byte.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ByteLock<K>> {
        self.locks.iter()
    }

    /// Whether this owner has a lock: then CLOSE may answer
    /// [`Status::LOCKS_HELD`](crate::Status::LOCKS_HELD).
    #[must_use]
    pub fn holds(&self, owner: &K) -> bool {
        self.locks.iter().any(|lock| lock.owner == *owner)
    }

    /// The first lock of someone else that is in the way of a lock of this kind (LOCKT).
    #[must_use]
    pub fn test(&self, owner: &K, range: LockRange, lock_type: LockType) -> Option<&ByteLock<K>> {
        self.conflict(Some(owner), range, lock_type.is_exclusive())
    }

    /// The first lock of someone else that is in the way of a READ, or of a WRITE if `exclusive`,
    /// where locks are mandatory: [`Status::LOCKED`](crate::Status::LOCKED). No owner: the request
    /// has an anonymous stateid.
    #[must_use]
    pub fn conflict(
        &self,
        owner: Option<&K>,
        range: LockRange,
        exclusive: bool,
    ) -> Option<&ByteLock<K>> {
        self.locks.iter().take_while(|lock| lock.range.first() <= range.last()).find(|lock| {
            lock.range.overlaps(range)
                && (exclusive || lock.exclusive)
                && owner.is_none_or(|owner| lock.owner != *owner)
        })
    }

    /// Gives the owner this lock: whole, or not at all. What it had on these bytes changes its kind
    /// if that differs.
    ///
    /// # Errors
    /// [`LockRefused`].
    pub fn lock(
        &mut self,
        owner: &K,
        range: LockRange,
        lock_type: LockType,
    ) -> Result<(), LockRefused<K>> {
        match self.test(owner, range, lock_type) {
            Some(denied) => Err(LockRefused::Denied(denied.clone())),
            None => {
                self.put(owner, range, Some(lock_type.is_exclusive())).map_err(LockRefused::Full)
            }
        }
    }

    /// Takes every byte of the range from the owner's locks, whether it has a lock there or not.
    ///
    /// # Errors
    /// [`TooManyLocks`]: what is left of a lock would be in two pieces, for which there is no room.
    pub fn unlock(&mut self, owner: &K, range: LockRange) -> Result<(), TooManyLocks> {
        self.put(owner, range, None)
    }

    /// Takes all locks from the owners that `gone` names: of one that closed the file, of a client
    /// whose lease is over. Returns how many there were.
    pub fn release(&mut self, mut gone: impl FnMut(&K) -> bool) -> usize {
        let before = self.locks.len();
        self.locks.retain(|lock| !gone(&lock.owner));
        before.saturating_sub(self.locks.len())
    }

    /// Makes the owner's bytes of the range those of this kind of lock, or nobody's.
    fn put(
        &mut self,
        owner: &K,
        range: LockRange,
        exclusive: Option<bool>,
    ) -> Result<(), TooManyLocks> {
        let mut whole = range;
        let (mut gone, mut pieces) = (0usize, usize::from(exclusive.is_some()));
        for lock in self.locks.iter().filter(|lock| lock.owner == *owner) {
            if exclusive == Some(lock.exclusive) {
                if lock.range.touches(range) {
                    whole = whole.span(lock.range);
                    gone = gone.saturating_add(1);
                }
            } else if lock.range.overlaps(range) {
                let (left, right) = lock.range.without(range);
                let left_over = usize::from(left.is_some()).saturating_add(right.is_some().into());
                pieces = pieces.saturating_add(left_over);
                gone = gone.saturating_add(1);
            }
        }
        let len = self.locks.len().saturating_sub(gone).saturating_add(pieces);
        if !u32::try_from(len).is_ok_and(|len| len <= self.limit) {
            return Err(TooManyLocks { limit: self.limit });
        }

        // The owner's locks share no byte, so only one of them reaches behind the range.
        let mut behind = None;
        self.locks.retain_mut(|lock| {
            if lock.owner != *owner {
                return true;
            }
            if exclusive == Some(lock.exclusive) {
                return !lock.range.touches(range);
            }
            if !lock.range.overlaps(range) {
                return true;
            }
            let (left, right) = lock.range.without(range);
            if let Some(right) = right {
                behind = Some(ByteLock { range: right, ..lock.clone() });
            }
            // What stays in front begins where it did: the order stays, too.
            if let Some(left) = left {
                lock.range = left;
            }
            left.is_some()
        });
        if let Some(exclusive) = exclusive {
            self.insert(ByteLock { owner: owner.clone(), range: whole, exclusive });
        }
        if let Some(behind) = behind {
            self.insert(behind);
        }
        Ok(())
    }

    fn insert(&mut self, new: ByteLock<K>) {
        let at = self.locks.partition_point(|lock| lock.range.first() < new.range.first());
        self.locks.insert(at, new);
    }
}
