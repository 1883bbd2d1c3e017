//! The connections that are open, and which of them ends when somebody else needs its place.

use alloc::collections::BTreeMap;
use alloc::sync::{Arc, Weak};
use core::cmp::Reverse;
use core::fmt;
use core::net::{IpAddr, Ipv6Addr};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustix::time::{ClockId, clock_gettime};
use tracing::debug;

use super::connection::Connection;
use super::crew::Helpers;

/// After this much silence a connection gives way to any other. What was answered on it is remembered, so its client
/// loses nothing, but has to connect again.
const PATIENCE: Duration = Duration::from_secs(30);
/// A send that lasts longer is no work: the client does not take its replies.
const SLOW_SEND: Duration = Duration::from_secs(5);
/// The same where no export was used yet: such replies are short.
const SLOW_SEND_UNUSED: Duration = Duration::from_millis(100);
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

impl Host {
    /// Its address, or of IPv6 the first one of its network.
    pub(super) const fn address(self) -> IpAddr {
        self.0
    }
}

/// What tells whether a connection is at work.
#[derive(Debug)]
pub(super) struct Activity {
    /// When the thread that receives began to wait, by [`now`]; 0 while it has something to do.
    silent_since: AtomicU64,
    /// When the thread that sends began to send what it has, by [`now`]; 0 while none does.
    sending_since: AtomicU64,
    /// Whether a call of an export other than NULL was served.
    was_used: AtomicBool,
    /// Threads that serve a call and do not receive any more.
    pub(super) helpers: Helpers,
    gave_way: AtomicBool,
    is_over: AtomicBool,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            silent_since: AtomicU64::new(now()),
            sending_since: AtomicU64::new(0),
            was_used: AtomicBool::new(false),
            helpers: Helpers::default(),
            gave_way: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
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

    /// A thread, the only one, sends.
    pub(super) fn begin_to_send(&self) {
        self.sending_since.store(now(), Ordering::Relaxed);
    }

    /// It has sent all, or failed to.
    pub(super) fn end_to_send(&self) {
        self.sending_since.store(0, Ordering::Relaxed);
    }

    /// A call of an export other than NULL was served.
    pub(super) fn be_used(&self) {
        // Not written to each time: others read it.
        if !self.was_used.load(Ordering::Relaxed) {
            self.was_used.store(true, Ordering::Relaxed);
        }
    }

    /// No thread works for the connection any more: until it has left the list, its place is for anybody.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether it is to end because somebody else needs its place.
    pub(super) fn gave_way(&self) -> bool {
        self.gave_way.load(Ordering::Relaxed)
    }

    fn state(&self, now: u64) -> State {
        let since = |at: &AtomicU64| match at.load(Ordering::Relaxed) {
            0 => None,
            at => Some(Duration::from_millis(now.saturating_sub(at))),
        };
        if self.is_over.load(Ordering::Relaxed) {
            return State::Over;
        }
        if let Some(slow) = since(&self.sending_since) {
            let was_used = self.was_used.load(Ordering::Relaxed);
            let most = if was_used { SLOW_SEND } else { SLOW_SEND_UNUSED };
            return if slow > most { State::Stuck(slow) } else { State::AtWork };
        }
        match since(&self.silent_since) {
            Some(silence) if !self.helpers.are_any() => State::Silent(silence),
            _ => State::AtWork,
        }
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

    /// Ends a connection for one of this host, if one is to give way, and says which.
    ///
    /// A call that came at the last moment is served to its end, and its reply sent, if the client takes replies.
    pub(super) fn make_room(&self, newcomer: Host) -> Option<Seat> {
        let list = self.list();
        let now = now();
        let seats: Vec<_> = list
            .open
            .iter()
            // Those that still serve a call would only be told again.
            .filter(|(_, open)| !open.activity.gave_way())
            .map(|(&number, open)| Seat {
                number,
                host: open.host,
                state: open.activity.state(now),
                was_used: open.activity.was_used.load(Ordering::Relaxed),
            })
            .collect();
        let chosen = choose(&seats, newcomer)?;
        let open = list.open.get(&chosen.number)?;
        open.activity.gave_way.store(true, Ordering::Relaxed);
        let is_stuck = matches!(chosen.state, State::Stuck(_));
        shut(&open.stream, if is_stuck { Shutdown::Both } else { Shutdown::Read });
        let waited = self
            .ended
            .wait_timeout_while(list, END_TIME, |list| list.open.contains_key(&chosen.number));
        let (list, late) = waited.unwrap_or_else(PoisonError::into_inner);
        drop(list);
        (!late.timed_out()).then_some(chosen)
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

/// What a connection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A call is served or a reply is sent.
    AtWork,
    /// For so long nothing came.
    Silent(Duration),
    /// For so long the client did not take all of what is being sent.
    Stuck(Duration),
    /// It ends, and waits for the kernel.
    Over,
}

/// What [`choose`] goes by. It says why it was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    number: u64,
    host: Host,
    state: State,
    was_used: bool,
}

impl Seat {
    /// How long it has done nothing; `None` while it is at work.
    const fn silence(&self) -> Option<Duration> {
        match self.state {
            State::AtWork => None,
            State::Silent(silence) | State::Stuck(silence) => Some(silence),
            State::Over => Some(Duration::MAX),
        }
    }

    fn is_unused(&self) -> bool {
        !self.was_used || self.state == State::Over
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.state {
            State::Over => write!(f, "was about to end"),
            _ if !self.was_used => write!(f, "had not used any export"),
            State::Stuck(slow) => write!(f, "had not taken its replies for {} s", slow.as_secs()),
            State::Silent(silence) => write!(f, "had been silent for {} s", silence.as_secs()),
            State::AtWork => write!(f, "was at work"),
        }
    }
}

/// The connection that gives way to one more of a host. The first that there is of these, none of them at work:
///
/// 1. One that is over or has used no export, to anybody, its own host included: the oldest of the host that has most such ones.
///    Places cost nothing there.
/// 2. The one that was silent longest of the host with the most connections, if that host keeps no fewer than the
///    newcomer's will have.
/// 3. The one that was silent longest of all, if that was long.
fn choose(seats: &[Seat], newcomer: Host) -> Option<Seat> {
    let count_those = |which: fn(&Seat) -> bool| {
        let mut counts = BTreeMap::<Host, usize>::new();
        for seat in seats.iter().filter(|seat| which(seat)) {
            let count = counts.entry(seat.host).or_default();
            *count = count.saturating_add(1);
        }
        move |host| counts.get(&host).copied().unwrap_or(0)
    };
    let at_rest = || seats.iter().filter(|seat| seat.silence().is_some());
    let unused = count_those(Seat::is_unused);
    let unused = at_rest()
        .filter(|seat| seat.is_unused())
        .max_by_key(|seat| (unused(seat.host), Reverse(seat.number)));
    let count = count_those(|_| true);
    let with_newcomer = count(newcomer).saturating_add(1);
    let of_many = || {
        at_rest()
            .filter(|seat| count(seat.host) > with_newcomer)
            .max_by_key(|seat| (count(seat.host), seat.silence(), Reverse(seat.number)))
    };
    let of_old = || {
        at_rest()
            .filter(|seat| seat.silence().is_some_and(|silence| silence > PATIENCE))
            .max_by_key(|seat| (seat.silence(), Reverse(seat.number)))
    };
    unused.or_else(of_many).or_else(of_old).copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

    use super::*;

    fn host(address: &str) -> Host {
        address.parse::<IpAddr>().unwrap().into()
    }

    /// Seats numbered from 0, each with its host and the seconds of its silence.
    fn seats(all: &[(&str, Option<u64>)]) -> Vec<Seat> {
        let seat = |(number, (address, silence)): (u64, &(&str, Option<u64>))| Seat {
            number,
            host: host(address),
            state: silence.map_or(State::AtWork, |s| State::Silent(Duration::from_secs(s))),
            was_used: true,
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
            (&[(a, Some(20)), (a, Some(30)), (b, Some(1))], b, None),
            (&[(a, Some(30))], b, None),
            (&[(a, Some(20)), (a, Some(30))], a, None),
            // Unless it is of no use to anybody.
            (&[(a, Some(31)), (b, Some(40)), (c, Some(2))], a, Some(1)),
            (&[(a, Some(30)), (b, None)], c, None),
            (&[], a, None),
        ] {
            let chosen = choose(&seats(all), host(newcomer)).map(|seat| seat.number);
            assert_eq!(chosen, expected, "{all:?} and {newcomer}");
        }
    }

    #[test]
    fn whoever_uses_nothing_gives_way_first() {
        let (a, b, c) = ("10.0.0.1", "10.0.0.2", "10.0.0.3");
        for (all, unused, newcomer, expected) in [
            // To its own host, too, however short its silence is.
            (&[(a, Some(20)), (a, Some(0))][..], &[1][..], a, Some(1)),
            (&[(a, Some(20)), (a, Some(20)), (a, Some(20)), (b, Some(0))], &[3], b, Some(3)),
            // The oldest of those of the host that has most such ones.
            (&[(c, Some(9)), (a, Some(1)), (b, Some(8)), (a, Some(2))], &[1, 2, 3], c, Some(1)),
            (&[(c, Some(9)), (c, Some(9)), (c, Some(1)), (a, Some(1))], &[2, 3], c, Some(2)),
            // Its first call may be one that takes long.
            (&[(a, None), (b, Some(1))], &[0], c, None),
            (&[(a, None), (a, Some(2)), (a, Some(1))], &[0], c, Some(1)),
        ] {
            let mut seats = seats(all);
            for &index in unused {
                seats[index].was_used = false;
            }
            let chosen = choose(&seats, host(newcomer)).map(|seat| seat.number);
            assert_eq!(chosen, expected, "{all:?} without {unused:?}, and {newcomer}");
        }
    }

    #[test]
    fn a_send_that_does_not_end_is_no_work() {
        let activity = Activity::new();
        let start = now();
        let state = |activity: &Activity, after: u64| activity.state(start + after);
        let seconds = Duration::from_secs;
        activity.silent_since.store(start, Ordering::Relaxed);
        assert_eq!(state(&activity, 7000), State::Silent(seconds(7)));
        activity.work();
        assert_eq!(state(&activity, 700_000), State::AtWork);
        for (was_used, most) in [(false, 100), (true, 5000)] {
            activity.was_used.store(was_used, Ordering::Relaxed);
            activity.sending_since.store(start, Ordering::Relaxed);
            assert_eq!(state(&activity, most), State::AtWork);
            let slow = Duration::from_millis(most + 1);
            assert_eq!(state(&activity, most + 1), State::Stuck(slow));
            // Also beside a thread that receives.
            activity.silent_since.store(start, Ordering::Relaxed);
            assert_eq!(state(&activity, most), State::AtWork);
            activity.work();
            activity.end_to_send();
            assert_eq!(state(&activity, most + 1), State::AtWork);
        }
        // The place of one that is about to end is for anybody.
        activity.end();
        assert_eq!(state(&activity, 0), State::Over);
        let (number, state, was_used) = (0, State::Over, true);
        let over = Seat { number, host: host("10.0.0.1"), state, was_used };
        assert_eq!(choose(&[over], over.host), Some(over));
    }

    #[test]
    fn addresses_of_one_host_are_one() {
        assert_eq!(host("::ffff:10.0.0.1"), host("10.0.0.1"));
        assert_eq!(host("2001:db8::1"), host("2001:db8::ffff:0:0:2"));
        assert_ne!(host("2001:db8::1"), host("2001:db8:0:1::1"));
        assert_ne!(host("10.0.0.1"), host("10.0.0.2"));
    }
}
