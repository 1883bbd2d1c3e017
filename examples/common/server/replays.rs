//! Calls that must not run twice: a client that has lost its connection sends them again on a new one.
//!
//! The first REMOVE answered OK and the reply was lost: run again, it would answer NOENT. So the reply is kept and sent
//! again, byte for byte; and a repetition of a call that still runs waits for its reply. That is why WRITE is here, too:
//! were both served, the slower one could overwrite what the client wrote after the faster one was answered.
//!
//! A program that begins with the same numbers each time it is run is no such client. Its first connection ended in
//! order, so what it was answered before its last calls is forgotten: it could not have gone on without. The replies
//! behind which nothing more was received are kept, for a proxy acknowledges for its client, and ends the connection in
//! order when it has lost that. So such a program may get the last reply of its first run for the same call of its second
//! one, if user, machine, number and arguments are all the same. A client that has several calls on their way through a
//! proxy that loses it may be served twice: what came behind a reply may have been sent before it.

use alloc::collections::BTreeMap;
use alloc::sync::{Arc, Weak};
use core::hash::BuildHasher;
use core::net::IpAddr;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::collections::hash_map::RandomState;
use std::net::TcpStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nfswire_nfs3::procedures::{
    Create, Link, Mkdir, Mknod, Remove, Rename, Rmdir, Setattr, Symlink, Write,
};
use nfswire_rpc::{
    CallHeader, Credential, Execution, Finished, Kept, Lookup, NoMemory, OpaqueAuth, Procedure,
    RecordMark, ReplayCache, ReplayLimits, ReplayStats, Running, credential_with,
};
use nfswire_xdr::{EncodeError, Encoder, Limits};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing::{debug, error};

use super::table::Host;

/// A repetition waits at most this long for the first call; then it is dropped, and the client repeats it once more.
const PATIENCE: Duration = Duration::from_secs(60);
/// Repetitions that wait at the same time.
const MAX_WAITERS: u32 = 64;
/// Longest reply that is kept; those of these procedures have at most about 400 bytes.
const MAX_REPLY: u32 = 1 << 10;
/// Seconds after which a call is new again at the latest: what Linux's server takes, and longer than clients wait before they repeat.
const MAX_AGE: u32 = 120;
/// Bytes of an entry and of its place in the indexes, rounded up.
const ENTRY: u64 = 256;
/// Bytes that a block of 256 takes with its link.
const BLOCK: u64 = 260;

/// Whether a call of this NFS procedure changes something: those are remembered.
pub(super) const fn is_remembered(procedure: u32) -> bool {
    matches!(
        procedure,
        Setattr::NUMBER
            | Write::NUMBER
            | Create::NUMBER
            | Mkdir::NUMBER
            | Symlink::NUMBER
            | Mknod::NUMBER
            | Remove::NUMBER
            | Rmdir::NUMBER
            | Rename::NUMBER
            | Link::NUMBER
    )
}

/// What a client is known by. The stamp of AUTH_SYS is no part of it: clients make it anew when they repeat a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Client {
    /// Without the port, which a new connection changes.
    address: IpAddr,
    /// The user and group that it claims, squashed or not; `None` if it claims none.
    user: Option<(u32, u32)>,
    /// Hash of its machine's name: several may be behind one address.
    machine: u64,
}

impl Client {
    /// Number of its host. Of IPv6 it is the network: a host may have as many addresses there as it likes.
    fn host(&self) -> u64 {
        match Host::from(self.address).address() {
            IpAddr::V4(v4) => v4.to_bits().into(),
            IpAddr::V6(v6) => u64::try_from(v6.to_bits() >> 64).unwrap_or(u64::MAX),
        }
    }
}

/// Names a reply that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    procedure: u32,
    call: Running,
}

/// What is to be done about a call.
#[derive(Debug)]
pub(super) enum Turn<'r> {
    /// Run it, then [`finish`](Ticket::finish).
    Run(Ticket<'r>),
    /// Nothing: its reply is in the encoder.
    Replayed(Name),
    /// Nothing: the client gets the reply on this connection, or repeats the call.
    Drop,
    /// It was run, but the reply is not here: say that something is wrong.
    Lost,
}

/// Replies that may be asked for again.
#[derive(Debug)]
pub(super) struct Replays {
    state: Mutex<State>,
    /// Told when a call has ended for which somebody waits.
    ended: Condvar,
    patience: Duration,
    /// Hashes names with random keys, so that nobody can tell the hashes beforehand.
    random: RandomState,
    started: Instant,
}

#[derive(Debug)]
struct State {
    /// WRITEs come in numbers, and must not push out the others: they have a part of their own.
    writes: Part,
    others: Part,
    connections: BTreeMap<u64, Open>,
    /// Calls that had all marks of a repetition and were none.
    not_repeated: u64,
}

#[derive(Debug)]
struct Part {
    cache: ReplayCache<Client, ()>,
    /// Calls that run, and the connections they came on.
    running: Vec<(Running, u64)>,
    replies: Replies,
}

/// Whom the replies were sent last.
#[derive(Debug)]
struct Replies {
    /// By the call's place in the cache, up to the last one that was needed so far.
    by_place: Vec<Option<Answered>>,
}

/// A connection.
#[derive(Debug)]
struct Open {
    stream: Weak<TcpStream>,
    /// The last time that calls began to come which are whole, counted.
    came: Arc<AtomicU64>,
    /// A reply that is kept was sent on it.
    has_replies: bool,
}

impl Open {
    fn came(&self) -> u64 {
        self.came.load(Ordering::Relaxed)
    }

    /// Whether the client has a reply that was given to the kernel when calls had come so often.
    fn has_arrived(&self, sent: u64) -> bool {
        let Some(stream) = self.stream.upgrade() else { return false };
        let mut fds = [PollFd::new(&*stream, PollFlags::RDHUP)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if poll(&mut fds, Some(&now)).is_err()
            || !nfswire_sys::unacknowledged(&*stream).is_ok_and(|bytes| bytes == 0)
        {
            return false;
        }
        let [fd] = fds;
        let ends = fd.revents() & (PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR);
        // A client that repeats a call does so because its connection broke: from one whose connection is whole, and
        // that has the reply, this is another call. One that is just ending it in order has what it went on behind.
        ends.is_empty() || ends == PollFlags::RDHUP && sent < self.came()
    }
}

/// Whom the reply to a call is sent, or was sent last.
#[derive(Clone, Copy, Debug)]
struct Answered {
    connection: u64,
    call: Running,
    /// How often calls had come on the connection, or begun to, when the kernel took the reply. Those that come later
    /// show that the client has it. `None` while it is not sent.
    sent: Option<u64>,
}

impl Part {
    fn new(calls: u32, bytes: u32, random: &RandomState) -> Result<Self, NoMemory> {
        let limits = ReplayLimits {
            max_calls: calls,
            max_bytes: bytes,
            max_reply: MAX_REPLY,
            max_waiters: MAX_WAITERS,
            max_age: MAX_AGE,
        };
        let secret =
            u128::from(random.hash_one(bytes)) << 64 | u128::from(random.hash_one((calls, 1)));
        let cache = ReplayCache::new(limits, secret.to_ne_bytes())?.with_hosts(Client::host);
        let entries = usize::try_from(calls).unwrap_or(usize::MAX);
        let mut by_place = Vec::new();
        let entry_size = size_of::<Option<Answered>>();
        let no_memory = |_| NoMemory { entries, entry_size };
        by_place.try_reserve_exact(entries).map_err(no_memory)?;
        Ok(Self { cache, running: Vec::new(), replies: Replies { by_place } })
    }

    fn runs(&self, running: Running) -> bool {
        self.running.iter().any(|(other, _)| *other == running)
    }

    /// Forgets what was answered on a connection before calls came for the last of so many times.
    fn forget(&mut self, connection: u64, came: u64) {
        for place in &mut self.replies.by_place {
            let has_arrived = |answered: &mut Answered| {
                answered.connection == connection && answered.sent.is_some_and(|at| at < came)
            };
            if let Some(answered) = place.take_if(has_arrived) {
                // False if another call has the place by now.
                self.cache.forget(answered.call);
            }
        }
    }
}

impl Replies {
    /// A reply is to leave on a connection.
    fn note(&mut self, call: Running, connection: u64, connections: &mut BTreeMap<u64, Open>) {
        let Ok(place) = usize::try_from(call.place()) else { return };
        if place >= self.by_place.len() {
            // Within what was reserved: the cache has no further places.
            self.by_place.resize(place.saturating_add(1), None);
        }
        if let Some(answered) = self.by_place.get_mut(place) {
            *answered = Some(Answered { connection, call, sent: None });
        }
        if let Some(open) = connections.get_mut(&connection) {
            open.has_replies = true;
        }
    }

    fn answered(&mut self, call: Running) -> Option<&mut Answered> {
        let place = usize::try_from(call.place()).ok()?;
        self.by_place.get_mut(place)?.as_mut().filter(|answered| answered.call == call)
    }

    /// Whether a reply went to another connection, which lives on or has just ended, and arrived there.
    fn has_arrived(
        &mut self,
        call: Running,
        connection: u64,
        connections: &BTreeMap<u64, Open>,
    ) -> bool {
        let Some(Answered { connection: other, sent: Some(sent), .. }) = self.answered(call) else {
            return false;
        };
        *other != connection && connections.get(other).is_some_and(|open| open.has_arrived(*sent))
    }
}

impl State {
    /// The part that a procedure belongs to, and the connections.
    const fn part(&mut self, procedure: u32) -> (&mut Part, &mut BTreeMap<u64, Open>) {
        let Self { writes, others, connections, .. } = self;
        (if procedure == Write::NUMBER { writes } else { others }, connections)
    }
}

/// Calls and bytes of replies, for WRITEs: these replies are half as long.
fn for_writes(calls: u32, bytes: u32) -> (u32, u32) {
    ((calls / 2).max(1), (bytes / 4).max(256))
}

/// Most bytes that a cache of these limits takes.
pub(super) fn memory(calls: u32, bytes: u32) -> u64 {
    let part = |(calls, bytes): (u32, u32)| {
        let blocks = u64::from(bytes) / 256;
        u64::from(calls).saturating_mul(ENTRY).saturating_add(blocks.saturating_mul(BLOCK))
    };
    part((calls, bytes)).saturating_add(part(for_writes(calls, bytes)))
}

impl Replays {
    /// Room for `calls` calls and `bytes` bytes of their replies, and for half as many WRITEs with a quarter of the bytes.
    pub(super) fn new(calls: u32, bytes: u32) -> Result<Self, NoMemory> {
        let random = RandomState::new();
        let others = Part::new(calls, bytes, &random)?;
        let (calls, bytes) = for_writes(calls, bytes);
        let writes = Part::new(calls, bytes, &random)?;
        Ok(Self {
            state: Mutex::new(State {
                writes,
                others,
                connections: BTreeMap::new(),
                not_repeated: 0,
            }),
            ended: Condvar::new(),
            patience: PATIENCE,
            random,
            started: Instant::now(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.started.elapsed().as_secs();
        state.writes.cache.advance(now);
        state.others.cache.advance(now);
        state
    }

    /// What the cache did so far, the calls it remembers, and the bytes of their replies. Calls that only looked repeated
    /// count as new.
    pub(super) fn stats(&self) -> (ReplayStats, usize, usize) {
        let state = self.lock();
        let (a, b) = (&state.writes.cache, &state.others.cache);
        let of = |each: fn(&ReplayStats) -> u64| each(&a.stats()).saturating_add(each(&b.stats()));
        let stats = ReplayStats {
            new: of(|stats| stats.new),
            in_progress: of(|stats| stats.in_progress),
            replayed: of(|stats| stats.replayed).saturating_sub(state.not_repeated),
            not_kept: of(|stats| stats.not_kept),
            evicted: of(|stats| stats.evicted),
            expired: of(|stats| stats.expired),
            full: of(|stats| stats.full),
        };
        (stats, a.len().saturating_add(b.len()), a.bytes().saturating_add(b.bytes()))
    }

    /// What the client is known by that has sent a call with this credential.
    pub(super) fn client(
        &self,
        address: IpAddr,
        credential: &OpaqueAuth<'_>,
        limits: &Limits,
    ) -> Client {
        let address = address.to_canonical();
        match credential_with(credential, limits) {
            Ok(Credential::Sys(sys)) => Client {
                address,
                user: Some((sys.uid, sys.gid)),
                machine: self.random.hash_one(sys.machine_name.as_bytes()),
            },
            _ => Client { address, user: None, machine: 0 },
        }
    }

    /// Calls that had all marks of a repetition, and were run because their client was known to have the reply.
    pub(super) fn not_repeated(&self) -> u64 {
        self.lock().not_repeated
    }

    /// A connection begins; `came` is to say when calls came on it last, counted.
    pub(super) fn opened(&self, connection: u64, stream: &Arc<TcpStream>, came: &Arc<AtomicU64>) {
        let (stream, came) = (Arc::downgrade(stream), Arc::clone(came));
        let open = Open { stream, came, has_replies: false };
        self.lock().connections.insert(connection, open);
    }

    /// The kernel has taken these replies for a connection; `came` is how often calls had come before, or begun to.
    pub(super) fn sent(&self, connection: u64, replies: &[Name], came: u64) {
        let mut state = self.lock();
        for name in replies {
            let answered = state.part(name.procedure).0.replies.answered(name.call);
            if let Some(answered) = answered.filter(|answered| answered.connection == connection) {
                answered.sent = Some(came);
            }
        }
    }

    /// A connection has ended, and no thread works for it any more. What was answered on it before its client sent the
    /// last calls is forgotten if the client ended it in order; otherwise it may ask for that on another one.
    pub(super) fn closed(&self, connection: u64, in_order: bool) {
        let mut state = self.lock();
        let open = state.connections.remove(&connection);
        if let Some(open) = open.filter(|open| in_order && open.has_replies) {
            let came = open.came();
            state.writes.forget(connection, came);
            state.others.forget(connection, came);
        }
    }

    /// A call has come: says what to do about it, and puts the reply if it is known. Waits while the same call runs
    /// for another connection.
    pub(super) fn begin(
        &self,
        client: Client,
        connection: u64,
        call: &CallHeader<'_>,
        args: &[u8],
        e: &mut Encoder<'_, '_>,
    ) -> Turn<'_> {
        let procedure = call.procedure;
        let mut state = self.lock();
        let key = state.part(procedure).0.cache.key_of_ends(client, call, args);
        loop {
            let (part, connections) = state.part(procedure);
            let running = match part.cache.lookup(key) {
                Lookup::New(execution) => {
                    part.running.push((execution.running(), connection));
                    return Turn::Run(Ticket {
                        replays: self,
                        procedure,
                        connection,
                        execution: Some(execution),
                    });
                }
                Lookup::Done(reply) => {
                    let name = reply.call();
                    if part.replies.has_arrived(name, connection, connections) {
                        part.cache.forget(name);
                        state.not_repeated = state.not_repeated.saturating_add(1);
                        continue;
                    }
                    part.replies.note(name, connection, connections);
                    let put = e.attempt(|e| -> Result<_, EncodeError> {
                        let mark = RecordMark::reserve(e)?;
                        reply.put(e)?;
                        mark.close(e).map(drop)
                    });
                    return match put {
                        Ok(()) => {
                            debug!(xid = call.xid, "a call came again: its reply is repeated");
                            Turn::Replayed(Name { procedure, call: name })
                        }
                        Err(error) => {
                            error!("cannot repeat a reply: {error}");
                            Turn::Lost
                        }
                    };
                }
                Lookup::InProgress(running) => running,
                Lookup::NotKept => return Turn::Lost,
                Lookup::Full => return Turn::Drop,
            };
            // On the same connection one reply is enough.
            if part.running.contains(&(running, connection)) {
                return Turn::Drop;
            }
            if part.cache.wait(running, ()).is_err() {
                return Turn::Drop;
            }
            let runs = |state: &mut State| state.part(procedure).0.runs(running);
            let waited = self.ended.wait_timeout_while(state, self.patience, runs);
            let (after, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if timeout.timed_out() {
                return Turn::Drop;
            }
            state = after;
        }
    }
}

/// A call that is being run. It is forgotten when this is dropped, and new when it comes again.
#[derive(Debug)]
pub(super) struct Ticket<'r> {
    replays: &'r Replays,
    procedure: u32,
    connection: u64,
    /// `None` when it has ended.
    execution: Option<Execution>,
}

impl Ticket<'_> {
    /// The call was run, with this reply, from the xid on. Its name is for [`Replays::sent`].
    pub(super) fn finish(mut self, reply: &[u8]) -> Option<Name> {
        let call = self.execution.as_ref().map(Execution::running)?;
        self.end(Some(reply));
        Some(Name { procedure: self.procedure, call })
    }

    fn end(&mut self, reply: Option<&[u8]>) {
        let Some(execution) = self.execution.take() else { return };
        let running = execution.running();
        let mut state = self.replays.lock();
        let (part, connections) = state.part(self.procedure);
        part.running.retain(|(other, _)| *other != running);
        let waiters = match reply {
            Some(reply) => {
                part.replies.note(running, self.connection, connections);
                let Finished { kept, waiters } = part.cache.finish(execution, reply);
                if kept != Kept::Yes {
                    error!("a reply cannot be repeated: {kept}");
                }
                waiters
            }
            None => part.cache.abort(execution),
        };
        if waiters.count() > 0 {
            self.replays.ended.notify_all();
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.end(None);
    }
}

#[cfg(test)]
mod tests;
