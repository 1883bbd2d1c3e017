//! Leases and the grace period. Instants are the caller's: time since any epoch, such as boot, by a
//! clock that does not jump.

use core::time::Duration;

use crate::{LeaseTime, Status};

/// A client's lease (RFC 7530, section 9.5; RFC 8881, section 8.3).
///
/// ```
/// use core::time::Duration;
/// use nfswire_nfs4::state::{Lease, LeaseState};
///
/// let at = Duration::from_secs;
/// let day = at(86_400);
/// let mut lease = Lease::new(at(1000), 90);
/// assert_eq!(lease.state(at(1089), day), LeaseState::Valid);
/// // Nobody else wants what it holds: a courtesy.
/// assert_eq!(lease.state(at(1090), day), LeaseState::Courtesy);
/// lease.renew(at(1100));
/// assert_eq!(lease.remaining(at(1150)), at(40));
/// ```
///
/// A client counts from when it **sent** the request that renewed the lease: the server cannot have
/// renewed it earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    renewed: Duration,
    period: Duration,
    running: u32,
}

/// How much a lease is worth still.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeaseState {
    /// Not expired.
    Valid,
    /// Expired; the state is kept until another client wants what conflicts with it (RFC 8881,
    /// section 8.4.3).
    Courtesy,
    /// Expired for so long that the state is to be freed.
    Expired,
}

impl LeaseState {
    /// Whether what the client holds gives way to a request of another client that conflicts with
    /// it: revoke it then, all of a stateid's (RFC 8881, section 8.4.3).
    #[must_use]
    pub const fn yields(self) -> bool {
        !matches!(self, Self::Valid)
    }
}

impl Lease {
    /// A lease that begins now, for the seconds of the attribute `lease_time`.
    #[must_use]
    pub const fn new(now: Duration, lease_time: LeaseTime) -> Self {
        // A `u32` fits.
        Self { renewed: now, period: Duration::from_secs(lease_time as u64), running: 0 }
    }

    /// Begins the period anew. An instant before the last renewal changes nothing.
    ///
    /// Renew after a SEQUENCE that succeeded, replayed or not, unless it says
    /// SEQ4_STATUS_EXPIRED_ALL_STATE_REVOKED; in NFSv4.0, after an operation with a client id or a
    /// stateid that is not a special one. A lease that has expired may be renewed if nothing was
    /// revoked. SETCLIENTID and SETCLIENTID_CONFIRM renew none.
    pub fn renew(&mut self, now: Duration) {
        self.renewed = self.renewed.max(now);
    }

    /// A COMPOUND of the client is being executed: the lease does not expire before
    /// [`end`](Self::end) (RFC 8881, section 8.3).
    pub fn begin(&mut self, now: Duration) {
        self.renew(now);
        self.running = self.running.saturating_add(1);
    }

    /// The COMPOUND was answered: the lease lasts at least one period from now.
    pub fn end(&mut self, now: Duration) {
        self.renew(now);
        self.running = self.running.saturating_sub(1);
    }

    /// When the lease expires; `None` while a COMPOUND is being executed, or if that is beyond what
    /// a [`Duration`] holds.
    #[must_use]
    pub const fn expires_at(&self) -> Option<Duration> {
        if self.running > 0 { None } else { self.renewed.checked_add(self.period) }
    }

    /// Whether the period is over.
    #[must_use]
    pub fn is_expired(&self, now: Duration) -> bool {
        self.expires_at().is_some_and(|end| now >= end)
    }

    /// What is left of the period; the whole of it while a COMPOUND is being executed.
    #[must_use]
    pub fn remaining(&self, now: Duration) -> Duration {
        if self.running > 0 {
            return self.period;
        }
        let passed = now.saturating_sub(self.renewed);
        self.period.saturating_sub(passed)
    }

    /// What the lease is worth, where state outlives it by at most `courtesy`. With
    /// [`Duration::ZERO`] there is no courtesy.
    #[must_use]
    pub fn state(&self, now: Duration, courtesy: Duration) -> LeaseState {
        match self.expires_at() {
            Some(end) if now >= end => {
                let kept = end.checked_add(courtesy).is_none_or(|last| now < last);
                if kept { LeaseState::Courtesy } else { LeaseState::Expired }
            }
            _ => LeaseState::Valid,
        }
    }

    /// When a client that has nothing else to send renews the lease: `margin` before it expires, or
    /// at once if the period is not longer than that. Leave time for a lost connection.
    #[must_use]
    pub const fn renew_at(&self, margin: Duration) -> Duration {
        self.renewed.saturating_add(self.period.saturating_sub(margin))
    }
}

/// The grace period after a server's restart (RFC 7530, section 9.6.2; RFC 8881, section 8.4.2.1).
///
/// ```
/// use core::time::Duration;
/// use nfswire_nfs4::Status;
/// use nfswire_nfs4::state::{Grace, Reclaim};
///
/// let boot = Duration::from_secs(5);
/// // Stable storage lists one client that may have held locks.
/// let mut grace = Grace::new(boot, 90, Some(1));
/// let mut client = Reclaim::new(true);
/// assert_eq!(client.check_new(grace.is_over(boot)), Err(Status::GRACE));
/// client.check_reclaim(grace.is_over(boot))?;
///
/// client.complete()?;                                            // RECLAIM_COMPLETE
/// grace.completed();
/// assert!(grace.is_over(boot), "nobody is left to wait for");
/// client.check_new(grace.is_over(boot))?;
/// # Ok::<(), Status>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grace {
    ends: Duration,
    waiting: Option<u32>,
}

impl Grace {
    /// A grace period from now, for the lease time of the instance before or of this one, whichever
    /// is longer. `clients`: how many the server knows that may have held locks; `None` if it keeps
    /// no list of them.
    #[must_use]
    pub const fn new(now: Duration, lease_time: LeaseTime, clients: Option<u32>) -> Self {
        let ends = now.saturating_add(Duration::from_secs(lease_time as u64));
        Self { ends, waiting: clients }
    }

    /// No grace period: the server starts for the first time.
    pub const NONE: Self = Self { ends: Duration::ZERO, waiting: Some(0) };

    /// One of the clients listed has reclaimed what it will, or its record is gone. Once for each.
    pub const fn completed(&mut self) {
        if let Some(waiting) = self.waiting {
            self.waiting = Some(waiting.saturating_sub(1));
        }
    }

    /// Gives clients that are still reclaiming until `ends`. Never shortens the period.
    pub fn extend(&mut self, ends: Duration) {
        self.ends = self.ends.max(ends);
    }

    /// Whether the period is over: its time has passed, or every client listed has completed.
    #[must_use]
    pub fn is_over(&self, now: Duration) -> bool {
        now >= self.ends || self.waiting == Some(0)
    }
}

/// What one client may reclaim (RFC 8881, sections 8.4.2.1 and 18.51).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reclaim {
    listed: bool,
    completes: bool,
    complete: bool,
}

impl Reclaim {
    /// A client of NFSv4.1 on, which says RECLAIM_COMPLETE. `listed`: it may have held locks before
    /// the restart; true if the server keeps no list.
    #[must_use]
    pub const fn new(listed: bool) -> Self {
        Self { listed, completes: true, complete: false }
    }

    /// A client of NFSv4.0, which has no such operation.
    #[must_use]
    pub const fn v40(listed: bool) -> Self {
        Self { listed, completes: false, complete: false }
    }

    /// Whether a request that reclaims goes on.
    ///
    /// # Errors
    /// [`Status::NO_GRACE`]: the period is over, or the client has completed.
    /// [`Status::RECLAIM_BAD`]: it held nothing.
    pub const fn check_reclaim(&self, grace_is_over: bool) -> Result<(), Status> {
        match (grace_is_over || self.complete, self.listed) {
            (true, _) => Err(Status::NO_GRACE),
            (false, false) => Err(Status::RECLAIM_BAD),
            (false, true) => Ok(()),
        }
    }

    /// Whether a request for something new goes on. A server that can prove that no reclaim will
    /// conflict may pass `grace_is_over` as true for that request.
    ///
    /// # Errors
    /// [`Status::GRACE`]: the period is not over, or the client has not completed.
    pub const fn check_new(&self, grace_is_over: bool) -> Result<(), Status> {
        if grace_is_over && (self.complete || !self.completes) {
            Ok(())
        } else {
            Err(Status::GRACE)
        }
    }

    /// RECLAIM_COMPLETE for all file systems. Then tell [`Grace::completed`] if the client was
    /// listed.
    ///
    /// # Errors
    /// [`Status::COMPLETE_ALREADY`].
    pub const fn complete(&mut self) -> Result<(), Status> {
        if self.complete {
            return Err(Status::COMPLETE_ALREADY);
        }
        self.complete = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_lease_lasts_one_period() {
        let mut lease = Lease::new(at(100), 90);
        assert_eq!(lease.expires_at(), Some(at(190)));
        assert!(!lease.is_expired(at(190) - Duration::from_nanos(1)));
        assert!(lease.is_expired(at(190)));
        assert_eq!(lease.remaining(at(150)), at(40));
        assert_eq!(lease.remaining(at(500)), Duration::ZERO);
        lease.renew(at(150));
        lease.renew(at(120));
        assert_eq!(lease.expires_at(), Some(at(240)), "renewals do not go back");
        assert_eq!(lease.remaining(at(10)), at(90), "nor do clocks");
        assert_eq!(lease.renew_at(at(30)), at(210));
        assert_eq!(lease.renew_at(at(300)), at(150));
    }

    #[test]
    fn a_lease_does_not_expire_under_a_compound() {
        let mut lease = Lease::new(at(0), 10);
        lease.begin(at(5));
        lease.begin(at(6));
        lease.end(at(7));
        assert!(!lease.is_expired(at(1000)));
        assert_eq!(lease.state(at(1000), at(0)), LeaseState::Valid);
        assert_eq!(lease.remaining(at(1000)), at(10));
        lease.end(at(1000));
        assert_eq!(lease.expires_at(), Some(at(1010)));
    }

    #[test]
    fn courtesy_ends() {
        let lease = Lease::new(at(0), 10);
        for (now, courtesy, expected) in [
            (9, 5, LeaseState::Valid),
            (10, 5, LeaseState::Courtesy),
            (14, 5, LeaseState::Courtesy),
            (15, 5, LeaseState::Expired),
            (10, 0, LeaseState::Expired),
            (u64::MAX, u64::MAX, LeaseState::Courtesy),
        ] {
            let state = lease.state(at(now), at(courtesy));
            assert_eq!(state, expected, "{now} {courtesy}");
            assert_eq!(state.yields(), now >= 10);
        }
    }

    #[test]
    fn the_end_of_time() {
        let lease = Lease::new(Duration::MAX, u32::MAX);
        assert_eq!(lease.expires_at(), None);
        assert_eq!(lease.state(Duration::MAX, at(0)), LeaseState::Valid);
        assert_eq!(lease.renew_at(at(0)), Duration::MAX);
        assert!(Grace::new(Duration::MAX, 90, None).is_over(Duration::MAX));
    }

    #[test]
    fn grace_ends_by_time_or_by_the_last_client() {
        let mut listed = Grace::new(at(0), 90, Some(2));
        let mut unlisted = Grace::new(at(0), 90, None);
        for grace in [&mut listed, &mut unlisted] {
            assert!(!grace.is_over(at(89)) && grace.is_over(at(90)));
            grace.completed();
            assert!(!grace.is_over(at(89)));
            grace.completed();
        }
        assert!(listed.is_over(at(0)) && !unlisted.is_over(at(89)));
        unlisted.extend(at(100));
        unlisted.extend(at(95));
        assert!(!unlisted.is_over(at(99)) && unlisted.is_over(at(100)));
        assert!(Grace::NONE.is_over(at(0)));
    }

    #[test]
    fn who_may_reclaim_and_who_may_lock() {
        let (ok, grace, none) = (Ok(()), Err(Status::GRACE), Err(Status::NO_GRACE));
        let bad = Err(Status::RECLAIM_BAD);
        let done = |mut client: Reclaim| {
            assert_eq!(client.complete(), Ok(()));
            assert_eq!(client.complete(), Err(Status::COMPLETE_ALREADY));
            client
        };
        for (client, over, reclaim, new) in [
            (Reclaim::new(true), false, ok, grace),
            (Reclaim::new(true), true, none, grace),
            (Reclaim::new(false), false, bad, grace),
            (Reclaim::new(false), true, none, grace),
            (done(Reclaim::new(true)), false, none, grace),
            (done(Reclaim::new(true)), true, none, ok),
            (Reclaim::v40(true), false, ok, grace),
            (Reclaim::v40(true), true, none, ok),
            (Reclaim::v40(false), false, bad, grace),
        ] {
            assert_eq!(client.check_reclaim(over), reclaim, "{client:?} {over}");
            assert_eq!(client.check_new(over), new, "{client:?} {over}");
        }
    }
}
