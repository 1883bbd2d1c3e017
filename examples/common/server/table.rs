//! The connections that are open, and which of them ends when somebody else needs its place.

use alloc::collections::BTreeMap;
use alloc::sync::{Arc, Weak};
use core::cmp::Reverse;
use core::net::{IpAddr, Ipv6Addr};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustix::time::{ClockId, clock_gettime};
use tracing::debug;

use super::connection::Connection;
use super::crew::Helpers;

/// After this much silence a connection gives way to any other. Clients close such ones themselves.
const PATIENCE: Duration = Duration::from_secs(300);
/// A connection that was told to end gets this long; it has nothing else to do.
const END_TIME: Duration = Duration::from_millis(100);

/// Who shares places: an IPv4 address, or the 64-bit prefix of an IPv6 address, because a host has all that begin with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Host(IpAddr);

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into(),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

/// What tells whether a connection is at work.
#[derive(Debug)]
pub(super) struct Activity {
    /// When the thread that receives began to wait, by [`now`]; 0 while it has something to do.
    silent_since: AtomicU64,
    /// Threads that serve a call and do not receive any more.
    pub(super) helpers: Helpers,
    gave_way: AtomicBool,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            silent_since: AtomicU64::new(now()),
            helpers: Helpers::default(),
            gave_way: AtomicBool::new(false),
        }
    }

    /// The thread that receives has nothing to do.
    pub(super) fn rest(&self) {
        self.silent_since.store(now(), Ordering::Relaxed);
    }

    /// The thread that receives has received something.
    pub(super) fn work(&self) {
        self.silent_since.store(0, Ordering::Relaxed);
    }

    /// Whether it is to end because somebody else needs its place.
    pub(super) fn gave_way(&self) -> bool {
        self.gave_way.load(Ordering::Relaxed)
    }

    /// How long nothing came, `None` while a call is served or a reply is sent.
    fn silence(&self, now: u64) -> Option<Duration> {
        let since = self.silent_since.load(Ordering::Relaxed);
        let is_at_rest = since != 0 && !self.helpers.are_any();
        is_at_rest.then(|| Duration::from_millis(now.saturating_sub(since)))
    }
}

/// Milliseconds of the coarse clock, which is read without a system call on every machine; never 0.
fn now() -> u64 {
    let now = clock_gettime(ClockId::MonotonicCoarse);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let rest = u64::try_from(now.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1000).saturating_add(rest / 1_000_000).saturating_add(1)
}

/// The list of connections.
pub(super) struct Table {
    /// Most that are open at a time.
    most: usize,
    list: Mutex<List>,
    /// Told when a connection has ended.
    ended: Condvar,
}

#[derive(Default)]
struct List {
    next: u64,
    open: BTreeMap<u64, Open>,
}

/// A connection in the list.
pub(super) struct Open {
    pub(super) host: Host,
    pub(super) stream: Arc<TcpStream>,
    pub(super) connection: Weak<Connection>,
    /// See [`Connection::beat`].
    pub(super) beat: Arc<AtomicU64>,
    pub(super) activity: Arc<Activity>,
    /// What the beat was when the watcher looked.
    pub(super) seen: u64,
}

impl Table {
    pub(super) fn new(most: usize) -> Self {
        Self { most, list: Mutex::default(), ended: Condvar::new() }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a new connection a number and a place, if there is one.
    pub(super) fn add(
        &self,
        make: impl FnOnce(u64) -> (Arc<Connection>, Open),
    ) -> Option<Arc<Connection>> {
        let mut list = self.list();
        if list.open.len() >= self.most {
            return None;
        }
        let number = list.next;
        list.next = number.wrapping_add(1);
        let (connection, open) = make(number);
        list.open.insert(number, open);
        Some(connection)
    }

    /// A connection has ended.
    pub(super) fn remove(&self, number: u64) {
        self.list().open.remove(&number);
        self.ended.notify_all();
    }

    /// Connections that are open, and that were accepted so far.
    pub(super) fn counts(&self) -> (usize, u64) {
        let list = self.list();
        (list.open.len(), list.next)
    }

    /// Ends a connection for one of this host, if one is to give way, and says how long it had been silent.
    ///
    /// A call that came at the last moment is served to its end, and its reply sent.
    pub(super) fn make_room(&self, newcomer: Host) -> Option<Duration> {
        let list = self.list();
        let now = now();
        let seats: Vec<_> = list
            .open
            .iter()
            .map(|(&number, open)| Seat {
                number,
                host: open.host,
                silence: open.activity.silence(now),
            })
            .collect();
        let chosen = choose(&seats, newcomer)?;
        let silence = chosen.silence?;
        let open = list.open.get(&chosen.number)?;
        open.activity.gave_way.store(true, Ordering::Relaxed);
        shut(&open.stream, Shutdown::Read);
        let waited = self
            .ended
            .wait_timeout_while(list, END_TIME, |list| list.open.contains_key(&chosen.number));
        let (list, late) = waited.unwrap_or_else(PoisonError::into_inner);
        drop(list);
        (!late.timed_out()).then_some(silence)
    }

    /// Collects the connections whose thread has served one call since the last look, and the beats of these calls.
    /// False if nothing at all was served since.
    pub(super) fn look(&self, slow: &mut Vec<(Arc<Connection>, u64)>) -> bool {
        let mut stirred = false;
        for open in self.list().open.values_mut() {
            let beat = open.beat.load(Ordering::SeqCst);
            let serving = beat % 2 == 1;
            if serving && beat == open.seen {
                slow.extend(open.connection.upgrade().map(|connection| (connection, beat)));
            }
            stirred |= serving || beat != open.seen;
            open.seen = beat;
        }
        stirred
    }

    pub(super) fn shut_all(&self, how: Shutdown) {
        for open in self.list().open.values() {
            shut(&open.stream, how);
        }
    }

    /// Waits until no connection is left; false if it took too long.
    pub(super) fn wait(&self, most: Duration) -> bool {
        let waited = self.ended.wait_timeout_while(self.list(), most, |list| !list.open.is_empty());
        let (list, _) = waited.unwrap_or_else(PoisonError::into_inner);
        list.open.is_empty()
    }
}

fn shut(stream: &TcpStream, how: Shutdown) {
    if let Err(error) = stream.shutdown(how) {
        debug!("a connection is already down: {error}");
    }
}

/// What [`choose`] goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seat {
    number: u64,
    host: Host,
    /// `None` while it is at work.
    silence: Option<Duration>,
}

/// The connection that gives way to one more of a host: of the host with the most connections the one that was silent
/// longest, if that host keeps no fewer than the newcomer's will have; else the one that was silent longest of all, if
/// that was long.
fn choose(seats: &[Seat], newcomer: Host) -> Option<Seat> {
    let mut counts = BTreeMap::<Host, usize>::new();
    for seat in seats {
        let count = counts.entry(seat.host).or_default();
        *count = count.saturating_add(1);
    }
    let count = |host| counts.get(&host).copied().unwrap_or(0);
    let with_newcomer = count(newcomer).saturating_add(1);
    let at_rest = || seats.iter().filter(|seat| seat.silence.is_some());
    let of_many = at_rest()
        .filter(|seat| count(seat.host) > with_newcomer)
        .max_by_key(|seat| (count(seat.host), seat.silence, Reverse(seat.number)));
    let of_old = || {
        at_rest()
            .filter(|seat| seat.silence.is_some_and(|silence| silence > PATIENCE))
            .max_by_key(|seat| (seat.silence, Reverse(seat.number)))
    };
    of_many.or_else(of_old).copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn host(address: &str) -> Host {
        address.parse::<IpAddr>().unwrap().into()
    }

    /// Seats numbered from 0, each with its host and the seconds of its silence.
    fn seats(all: &[(&str, Option<u64>)]) -> Vec<Seat> {
        let seat = |(number, (address, silence)): (u64, &(&str, Option<u64>))| Seat {
            number,
            host: host(address),
            silence: silence.map(Duration::from_secs),
        };
        (0..).zip(all).map(seat).collect()
    }

    #[test]
    fn whoever_has_most_gives_way() {
        let (a, b, c) = ("10.0.0.1", "10.0.0.2", "10.0.0.3");
        for (all, newcomer, expected) in [
            // The longest silence of the host with the most.
            (&[(a, Some(1)), (a, Some(9)), (a, Some(5))][..], b, Some(1)),
            (&[(a, Some(1)), (b, Some(99)), (a, Some(2)), (a, Some(0))], c, Some(2)),
            // What is at work stays, however much its host has.
            (&[(a, None), (a, Some(1)), (a, None)], b, Some(1)),
            (&[(a, None), (a, None), (a, None)], b, None),
            (&[(a, None), (a, None), (a, None), (b, Some(1)), (b, Some(2))], c, Some(4)),
            // Nobody loses one to a host that would have as many.
            (&[(a, Some(50)), (a, Some(60)), (b, Some(1))], b, None),
            (&[(a, Some(50))], b, None),
            (&[(a, Some(50)), (a, Some(60))], a, None),
            // Unless it is of no use to anybody.
            (&[(a, Some(301)), (b, Some(400)), (c, Some(2))], a, Some(1)),
            (&[(a, Some(300)), (b, None)], c, None),
            (&[], a, None),
        ] {
            let chosen = choose(&seats(all), host(newcomer)).map(|seat| seat.number);
            assert_eq!(chosen, expected, "{all:?} and {newcomer}");
        }
    }

    #[test]
    fn addresses_of_one_host_are_one() {
        assert_eq!(host("::ffff:10.0.0.1"), host("10.0.0.1"));
        assert_eq!(host("2001:db8::1"), host("2001:db8::ffff:0:0:2"));
        assert_ne!(host("2001:db8::1"), host("2001:db8:0:1::1"));
        assert_ne!(host("10.0.0.1"), host("10.0.0.2"));
    }
}
