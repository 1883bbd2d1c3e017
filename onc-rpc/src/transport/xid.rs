//! Calls that wait for their reply.

use alloc::vec::Vec;
use core::cmp::Reverse;

use thiserror::Error;

use super::{NoMemory, reserved};

/// A call that waits for its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingCall<T, I = u64> {
    /// Transaction number of the call.
    pub xid: u32,
    /// When the caller stops waiting.
    pub deadline: I,
    /// How often the call was sent: 1, and one more for each [`XidTable::renew`].
    pub sends: u32,
    /// What the caller keeps with it.
    pub token: T,
    /// Decides between equal deadlines: the one set first comes first.
    order: u64,
    /// Index in the heap.
    at: usize,
}

/// As many calls wait as the table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{limit} calls wait for their replies, which is the limit: wait for one of them")]
pub struct TooManyCalls<T> {
    /// The limit that the table was made with.
    pub limit: u32,
    /// The token, given back.
    pub token: T,
}

/// The calls of a client that wait for their replies: xid to the caller's token, with deadlines.
///
/// Numbers are given out in order, so that one comes again only after 2^32 calls; numbers whose
/// place is held by a call that still waits are passed over. Replies are matched by xid alone (RFC
/// 5531, section 9), in any order. A reply that nothing waits for, or that comes a second time, is
/// [`None`] and is counted: the client drops it and keeps the connection.
///
/// A deadline is anything that has an order: milliseconds in a `u64`, or an instant of the caller's.
/// The table outlives a connection: what is in it is sent again on the next one, with the same
/// numbers, so that the server can tell that it is not new.
///
/// Work: a reply is found in one step, whatever number it has; beginning, completing and renewing
/// a call costs the logarithm of the number of calls. Memory is reserved by [`new`](Self::new): two
/// to four places of `PendingCall` for each call.
///
/// ```
/// use nfswire_rpc::XidTable;
/// let mut calls = XidTable::new(0xffff_ffff, 64)?;
/// let read = calls.begin("READ", 1000)?;            // xid 0xffffffff, until 1000
/// let stat = calls.begin("GETATTR", 500)?;          // xid 0: numbers wrap
///
/// assert_eq!(calls.complete(77), None);             // nobody called that
/// assert_eq!(calls.complete(read).map(|call| call.token), Some("READ"));
/// assert_eq!(calls.complete(read), None);           // the same reply again
/// assert_eq!(calls.strays(), 2);
///
/// // At 600 GETATTR is overdue: send it again, once.
/// let now = 600;
/// while let Some(call) = calls.overdue(&now) {
///     if call.sends < 2 {
///         let xid = call.xid;
///         calls.renew(xid, now + 1000);
///     } else {
///         calls.expire(&now);
///     }
/// }
/// assert_eq!(calls.next_deadline(), Some(&1600));
/// assert_eq!(calls.expire(&1600).map(|call| call.xid), Some(stat));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct XidTable<T, I = u64> {
    /// A call's place is the low bits of its xid. The length is a power of two.
    places: Vec<Option<PendingCall<T, I>>>,
    /// Indices of places: a binary heap, the earliest deadline first.
    heap: Vec<u32>,
    limit: u32,
    next_xid: u32,
    orders: u64,
    strays: u64,
}

impl<T, I: Ord> XidTable<T, I> {
    /// A table of at most `limit` calls, the first of which gets the number `first_xid`.
    ///
    /// A client should start somewhere else each time, for example at a random number: a server
    /// may remember the numbers of its previous life.
    ///
    /// # Errors
    /// [`NoMemory`], also for more than 2^30 calls.
    pub fn new(first_xid: u32, limit: u32) -> Result<Self, NoMemory> {
        // At most half full: a free place is never far.
        let len = limit.checked_mul(2).and_then(u32::checked_next_power_of_two);
        let entries = len.and_then(|len| usize::try_from(len).ok()).ok_or_else(|| NoMemory {
            entries: usize::try_from(limit).unwrap_or(usize::MAX),
            entry_size: size_of::<PendingCall<T, I>>(),
        })?;
        let mut places = reserved(entries)?;
        places.resize_with(entries, || None);
        let heap = reserved(entries)?;
        Ok(Self { places, heap, limit, next_xid: first_xid, orders: 0, strays: 0 })
    }

    /// Number of calls that wait.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether no call waits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Replies that nothing waited for: unknown numbers, late and repeated replies.
    #[must_use]
    pub const fn strays(&self) -> u64 {
        self.strays
    }

    /// Begins a call: gives it a number, which goes into its header.
    ///
    /// # Errors
    /// [`TooManyCalls`]: the limit is reached.
    pub fn begin(&mut self, token: T, deadline: I) -> Result<u32, TooManyCalls<T>> {
        if self.heap.len() >= usize::try_from(self.limit).unwrap_or(usize::MAX) {
            return Err(TooManyCalls { limit: self.limit, token });
        }
        // Ends: half of the places are free.
        while self.places.get(self.place(self.next_xid)).is_some_and(Option::is_some) {
            self.next_xid = self.next_xid.wrapping_add(1);
        }
        let xid = self.next_xid;
        self.next_xid = xid.wrapping_add(1);
        self.insert(xid, token, deadline);
        Ok(xid)
    }

    /// The call with this number, if it waits: what a client looks at when only the head of the
    /// reply has come. Does not count as a reply.
    #[must_use]
    pub fn get(&self, xid: u32) -> Option<&PendingCall<T, I>> {
        self.places.get(self.place(xid))?.as_ref().filter(|call| call.xid == xid)
    }

    /// The token of the call with this number, if it waits.
    pub fn token_mut(&mut self, xid: u32) -> Option<&mut T> {
        let call = self.call_mut(xid)?;
        Some(&mut call.token)
    }

    /// The reply with this number has come: takes its call out. `None`: nothing waits for it; drop
    /// the reply.
    pub fn complete(&mut self, xid: u32) -> Option<PendingCall<T, I>> {
        let call = self.cancel(xid);
        if call.is_none() {
            self.strays = self.strays.saturating_add(1);
        }
        call
    }

    /// Takes a call out for which its caller does not wait any more. A reply that comes later is a
    /// stray one.
    pub fn cancel(&mut self, xid: u32) -> Option<PendingCall<T, I>> {
        let at = self.get(xid)?.at;
        self.remove(at)
    }

    /// The call was sent again under its number: waits for it until `deadline`. False if it does
    /// not wait.
    pub fn renew(&mut self, xid: u32, deadline: I) -> bool {
        let order = self.next_order();
        let Some(call) = self.call_mut(xid) else { return false };
        call.deadline = deadline;
        call.order = order;
        call.sends = call.sends.saturating_add(1);
        let at = call.at;
        self.settle(at);
        true
    }

    /// The earliest deadline: when [`overdue`](Self::overdue) is to be asked next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<&I> {
        self.earliest().map(|call| &call.deadline)
    }

    /// The call with the earliest deadline, if that is not after `now`. It stays in the table until
    /// it is renewed, cancelled or expired.
    #[must_use]
    pub fn overdue(&self, now: &I) -> Option<&PendingCall<T, I>> {
        self.earliest().filter(|call| call.deadline <= *now)
    }

    /// Takes the call with the earliest deadline out, if that is not after `now`. Repeated, it
    /// hands out every overdue call, in the order of their deadlines.
    pub fn expire(&mut self, now: &I) -> Option<PendingCall<T, I>> {
        self.overdue(now)?;
        self.remove(0)
    }

    /// Takes any call out, the one with the earliest deadline first: for a client that gives up.
    pub fn pop(&mut self) -> Option<PendingCall<T, I>> {
        self.remove(0)
    }

    /// Every call that waits, in no particular order: for a client that sends them again on a new
    /// connection. Their age is how far their numbers lie behind [`next_xid`](Self::next_xid),
    /// wrapping.
    pub fn iter(&self) -> impl Iterator<Item = &PendingCall<T, I>> {
        self.heap.iter().filter_map(|place| self.at_place(*place))
    }

    /// The number that the next call gets, unless its place is held by a call that waits.
    #[must_use]
    pub const fn next_xid(&self) -> u32 {
        self.next_xid
    }

    fn place(&self, xid: u32) -> usize {
        usize::try_from(xid).unwrap_or(usize::MAX) & self.places.len().saturating_sub(1)
    }

    fn at_place(&self, place: u32) -> Option<&PendingCall<T, I>> {
        self.places.get(usize::try_from(place).ok()?)?.as_ref()
    }

    fn call_mut(&mut self, xid: u32) -> Option<&mut PendingCall<T, I>> {
        let place = self.place(xid);
        self.places.get_mut(place)?.as_mut().filter(|call| call.xid == xid)
    }

    fn earliest(&self) -> Option<&PendingCall<T, I>> {
        self.at_place(*self.heap.first()?)
    }

    const fn next_order(&mut self) -> u64 {
        self.orders = self.orders.wrapping_add(1);
        self.orders
    }

    /// Puts a call into its place, which is free.
    fn insert(&mut self, xid: u32, token: T, deadline: I) {
        let (at, order) = (self.heap.len(), self.next_order());
        let place = self.place(xid);
        if let (Some(slot), Ok(index)) = (self.places.get_mut(place), u32::try_from(place)) {
            *slot = Some(PendingCall { xid, deadline, sends: 1, token, order, at });
            self.heap.push(index);
            self.settle(at);
        }
    }

    /// Takes the call at an index of the heap out.
    fn remove(&mut self, at: usize) -> Option<PendingCall<T, I>> {
        let last = self.heap.len().checked_sub(1)?;
        if at < last {
            self.swap(at, last);
        }
        let place = usize::try_from(self.heap.pop()?).ok()?;
        if at < last {
            self.settle(at);
        }
        self.places.get_mut(place)?.take()
    }

    /// What orders the heap; calls that are not there come last.
    fn rank(&self, at: usize) -> Option<Reverse<(&I, u64)>> {
        let call = self.at_place(*self.heap.get(at)?)?;
        Some(Reverse((&call.deadline, call.order)))
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        for at in [a, b] {
            let place = self.heap.get(at).and_then(|place| usize::try_from(*place).ok());
            let slot = place.and_then(|place| self.places.get_mut(place));
            if let Some(Some(call)) = slot {
                call.at = at;
            }
        }
    }

    /// Moves the call at an index to where its deadline belongs.
    fn settle(&mut self, mut at: usize) {
        while let Some(parent) = at.checked_sub(1).map(|below| below / 2) {
            if self.rank(at) <= self.rank(parent) {
                break;
            }
            self.swap(at, parent);
            at = parent;
        }
        loop {
            let left = at.saturating_mul(2).saturating_add(1);
            let right = left.saturating_add(1);
            let child = if self.rank(right) > self.rank(left) { right } else { left };
            if self.rank(child) <= self.rank(at) {
                break;
            }
            self.swap(at, child);
            at = child;
        }
    }
}
