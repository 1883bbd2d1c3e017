//! Sequence numbers of open-owners and lock-owners, in NFSv4.0.

use super::next_seqid;
use crate::{OpNum, SeqId, Status};

/// Whether a request that ended so takes its sequence number with it: the next request of the owner
/// has the next one. Both sides ask this (RFC 7530, section 9.1.7).
///
/// ```
/// use nfswire_nfs4::{Status, state::advances_seqid};
///
/// assert!(advances_seqid(Status::OK) && advances_seqid(Status::DENIED));
/// assert!(!advances_seqid(Status::STALE_CLIENTID));
/// ```
#[must_use]
pub const fn advances_seqid(status: Status) -> bool {
    !matches!(
        status,
        Status::STALE_CLIENTID
            | Status::STALE_STATEID
            | Status::BAD_STATEID
            | Status::BAD_SEQID
            | Status::BADXDR
            | Status::RESOURCE
            | Status::NOFILEHANDLE
            | Status::MOVED
    )
}

/// What a request of an owner is, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OwnerCall<'a, R> {
    /// A new one: execute it, then [`OwnerSeqid::finish`].
    New,
    /// The last one again: answer as before, and execute nothing.
    Replay(&'a R),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Done<R> {
    seqid: SeqId,
    operation: OpNum,
    reply: R,
}

/// What a server of NFSv4.0 remembers of an open-owner or lock-owner: the last number and the reply
/// to it, of the caller's type `R` (RFC 7530, section 9.1.7). Keep it as long as the owner holds
/// state, and forget it when SETCLIENTID_CONFIRM changes the client's verifier.
///
/// The number is checked before the stateid: [`Status::BAD_SEQID`] has priority over
/// [`Status::BAD_STATEID`] and [`Status::OLD_STATEID`] (section 9.1.9). At most one request of an
/// owner runs at a time.
///
/// ```
/// use nfswire_nfs4::{OpNum, Status};
/// use nfswire_nfs4::state::{OwnerCall, OwnerSeqid};
///
/// let mut owner = OwnerSeqid::new();
/// assert_eq!(owner.check(1, OpNum::OPEN), Ok(OwnerCall::New));
/// owner.finish(1, OpNum::OPEN, Status::OK, "encoded OPEN4res");
///
/// assert_eq!(owner.check(1, OpNum::OPEN), Ok(OwnerCall::Replay(&"encoded OPEN4res")));
/// assert_eq!(owner.check(1, OpNum::CLOSE), Err(Status::BAD_SEQID));   // not what it was
/// assert_eq!(owner.check(2, OpNum::CLOSE), Ok(OwnerCall::New));
/// assert_eq!(owner.check(3, OpNum::CLOSE), Err(Status::BAD_SEQID));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerSeqid<R> {
    done: Option<Done<R>>,
    confirmed: bool,
}

impl<R> Default for OwnerSeqid<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> OwnerSeqid<R> {
    /// An owner that the server does not know. Any first number is taken, zero too: there are
    /// clients that begin with it.
    #[must_use]
    pub const fn new() -> Self {
        Self { done: None, confirmed: false }
    }

    /// Whether an OPEN of this owner must be answered with OPEN4_RESULT_CONFIRM, unless the server
    /// knows that it never released an owner of the client, or the open is a reclaim (RFC 7530,
    /// section 9.1.11).
    #[must_use]
    pub const fn needs_confirmation(&self) -> bool {
        !self.confirmed
    }

    /// OPEN_CONFIRM succeeded, or the server need not ask for it.
    pub const fn confirm(&mut self) {
        self.confirmed = true;
    }

    /// The number that the last request had; `None` if none is remembered.
    #[must_use]
    pub fn last(&self) -> Option<SeqId> {
        self.done.as_ref().map(|done| done.seqid)
    }

    /// What a request is, by its number.
    ///
    /// For an owner that is not confirmed, an OPEN out of sequence is a new one, and what was
    /// opened before was a replay: ask [`supersedes`](Self::supersedes), and cancel that open.
    ///
    /// # Errors
    /// [`Status::BAD_SEQID`]: neither the next number nor the last one, or the last one with
    /// another operation.
    pub fn check(&self, seqid: SeqId, operation: OpNum) -> Result<OwnerCall<'_, R>, Status> {
        let Some(done) = &self.done else { return Ok(OwnerCall::New) };
        if done.seqid == seqid {
            let same = done.operation == operation;
            return if same { Ok(OwnerCall::Replay(&done.reply)) } else { Err(Status::BAD_SEQID) };
        }
        // Some clients count on to zero, against section 9.1.3: no other number can be meant.
        let next = seqid == next_seqid(done.seqid) || seqid == done.seqid.wrapping_add(1);
        if next || self.supersedes(seqid, operation) {
            Ok(OwnerCall::New)
        } else {
            Err(Status::BAD_SEQID)
        }
    }

    /// Whether this request is an OPEN that takes the place of an unconfirmed one, which is to be
    /// cancelled before the new one is executed (RFC 7530, section 16.18.5).
    #[must_use]
    pub fn supersedes(&self, seqid: SeqId, operation: OpNum) -> bool {
        let Some(done) = &self.done else { return false };
        let in_order = seqid == done.seqid
            || seqid == next_seqid(done.seqid)
            || seqid == done.seqid.wrapping_add(1);
        !self.confirmed && operation == OpNum::OPEN && !in_order
    }

    /// A new request was executed: remembers its reply, if the number advances.
    pub fn finish(&mut self, seqid: SeqId, operation: OpNum, status: Status, reply: R) {
        if advances_seqid(status) {
            self.done = Some(Done { seqid, operation, reply });
        }
    }

    /// What a LOCK with two owners is: `open` is the open-owner behind the stateid, `lock` the
    /// lock-owner, if the server knows it (RFC 7530, section 9.1.9). The number of an unknown owner
    /// takes no part.
    ///
    /// # Errors
    /// [`Status::BAD_SEQID`] if one of the numbers is wrong.
    pub fn check_both<'a>(
        (open, open_seqid): (&'a Self, SeqId),
        lock: Option<(&'a Self, SeqId)>,
        operation: OpNum,
    ) -> Result<OwnerCall<'a, R>, Status> {
        let by_open = open.check(open_seqid, operation)?;
        let Some((lock, lock_seqid)) = lock else { return Ok(by_open) };
        let by_lock = lock.check(lock_seqid, operation)?;
        // Whichever matches an earlier request makes it a retransmission.
        Ok(match by_lock {
            OwnerCall::New => by_open,
            OwnerCall::Replay(_) => by_lock,
        })
    }
}

/// The number that a client of NFSv4.0 gives to its next request of an owner (RFC 7530, section
/// 9.1.7). One request at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerCounter {
    next: SeqId,
}

impl Default for OwnerCounter {
    fn default() -> Self {
        Self::new()
    }
}

impl OwnerCounter {
    /// A new owner, whose first request has number one.
    #[must_use]
    pub const fn new() -> Self {
        Self { next: 1 }
    }

    /// The number of the next request, and of every retransmission of it.
    #[must_use]
    pub const fn seqid(self) -> SeqId {
        self.next
    }

    /// The answer has come. After [`Status::BAD_SEQID`] the two sides disagree: use a new owner.
    pub const fn answered(&mut self, status: Status) {
        if advances_seqid(status) {
            self.next = next_seqid(self.next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: Result<OwnerCall<'static, u8>, Status> = Err(Status::BAD_SEQID);
    const NEW: Result<OwnerCall<'static, u8>, Status> = Ok(OwnerCall::New);

    fn after(seqid: SeqId, operation: OpNum) -> OwnerSeqid<u8> {
        let mut owner = OwnerSeqid::new();
        owner.confirm();
        owner.finish(seqid, operation, Status::OK, 9);
        owner
    }

    #[test]
    fn neither_next_nor_last_is_bad() {
        let replay = Ok(OwnerCall::Replay(&9));
        for (last, seqid, expected) in [
            (5, 6, NEW),
            (5, 5, replay),
            (5, 4, BAD),
            (5, 7, BAD),
            (5, 0, BAD),
            (u32::MAX, 1, NEW),
            (u32::MAX, 0, NEW),
            (u32::MAX, u32::MAX, replay),
            (u32::MAX, 2, BAD),
            (0, 1, NEW),
            (0, 0, replay),
        ] {
            let owner = after(last, OpNum::LOCK);
            assert_eq!(owner.check(seqid, OpNum::LOCK), expected, "{seqid} after {last}");
        }
    }

    #[test]
    fn a_replay_has_the_same_operation() {
        assert_eq!(after(5, OpNum::LOCK).check(5, OpNum::LOCKU), BAD);
    }

    #[test]
    fn eight_errors_leave_the_number() {
        let still = [10022, 10023, 10025, 10026, 10036, 10018, 10020, 10019];
        for number in (0..100).chain(10_000..10_100) {
            let status = Status(number);
            let mut owner = after(5, OpNum::LOCK);
            owner.finish(6, OpNum::LOCK, status, 1);
            let mut counter = OwnerCounter::new();
            counter.answered(status);
            let advances = !still.contains(&number);
            assert_eq!(owner.last(), Some(if advances { 6 } else { 5 }), "{status:?}");
            assert_eq!(counter.seqid(), if advances { 2 } else { 1 }, "{status:?}");
        }
    }

    #[test]
    fn an_unknown_owner_begins_anywhere() {
        let mut owner = OwnerSeqid::new();
        for seqid in [0, 1, 77, u32::MAX] {
            assert_eq!(owner.check(seqid, OpNum::OPEN), NEW);
        }
        owner.finish(77, OpNum::OPEN, Status::STALE_CLIENTID, 1);
        assert_eq!(owner.last(), None, "nothing was established");
        owner.finish(77, OpNum::OPEN, Status::OK, 1);
        assert_eq!(owner.check(78, OpNum::OPEN), NEW);
    }

    #[test]
    fn an_unconfirmed_open_gives_way() {
        let mut owner = OwnerSeqid::new();
        owner.finish(7, OpNum::OPEN, Status::OK, 1);
        assert!(owner.needs_confirmation());
        assert_eq!(owner.check(7, OpNum::OPEN), Ok(OwnerCall::Replay(&1)));
        assert!(!owner.supersedes(7, OpNum::OPEN));
        assert_eq!(owner.check(8, OpNum::OPEN_CONFIRM), NEW);
        assert_eq!(owner.check(3, OpNum::OPEN_CONFIRM), BAD);
        assert!(owner.supersedes(3, OpNum::OPEN) && !owner.supersedes(8, OpNum::OPEN));
        assert_eq!(owner.check(3, OpNum::OPEN), NEW);
        owner.confirm();
        assert_eq!(owner.check(3, OpNum::OPEN), BAD);
        assert!(!owner.needs_confirmation());
    }

    #[test]
    fn two_owners_of_one_lock() {
        let (open, lock) = (after(5, OpNum::LOCK), after(50, OpNum::LOCK));
        for (open_seqid, lock_seqid, expected) in [
            (6, None, NEW),
            (6, Some(51), NEW),
            (5, Some(51), Ok(OwnerCall::Replay(&9))),
            (6, Some(50), Ok(OwnerCall::Replay(&9))),
            (5, Some(50), Ok(OwnerCall::Replay(&9))),
            (7, Some(51), BAD),
            (6, Some(52), BAD),
            (5, Some(52), BAD),
            (4, None, BAD),
        ] {
            let lock = lock_seqid.map(|seqid| (&lock, seqid));
            let found = OwnerSeqid::check_both((&open, open_seqid), lock, OpNum::LOCK);
            assert_eq!(found, expected, "{open_seqid} {lock_seqid:?}");
        }
        // The last request of the open-owner was another one.
        let other = after(5, OpNum::OPEN);
        let found = OwnerSeqid::check_both((&other, 5), Some((&lock, 50)), OpNum::LOCK);
        assert_eq!(found, BAD);
    }
}
