//! Calls that must not run twice: a client that has lost its connection sends them again on a new one.
//!
//! The first REMOVE answered OK and the reply was lost: run again, it would answer NOENT. So the reply is kept and sent
//! again, byte for byte; and a repetition of a call that still runs waits for its reply. That is why WRITE is here, too:
//! were both served, the slower one could overwrite what the client wrote after the faster one was answered.
//!
//! A program that begins with the same numbers each time it is run is no such client. Its first connection ended in
//! order, with each reply acknowledged, so nothing of it will be asked for again, and what was answered on it is forgotten.

use alloc::collections::BTreeMap;
use alloc::sync::{Arc, Weak};
use core::hash::BuildHasher;
use core::net::IpAddr;
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

/// A repetition waits at most this long for the first call; then it is dropped, and the client repeats it once more.
const PATIENCE: Duration = Duration::from_secs(60);
/// A call that was answered on a connection which its client has closed waits at most this long for the server to be done
/// with that.
const SETTLING: Duration = Duration::from_secs(1);
/// Repetitions that wait at the same time.
const MAX_WAITERS: u32 = 64;
/// Longest reply that is kept; those of these procedures have at most about 400 bytes.
const MAX_REPLY: u32 = 1 << 10;
/// Seconds after which a call is new again: what Linux's server takes, and longer than clients wait before they repeat.
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

/// What is to be done about a call.
#[derive(Debug)]
pub(super) enum Turn<'r> {
    /// Run it, then [`finish`](Ticket::finish).
    Run(Ticket<'r>),
    /// Nothing: its reply is in the encoder.
    Replayed,
    /// Nothing: the client gets the reply on this connection, or repeats the call.
    Drop,
    /// It was run, but the reply is not here: say that something is wrong.
    Lost,
}

/// Replies that may be asked for again.
#[derive(Debug)]
pub(super) struct Replays {
    state: Mutex<State>,
    /// Told when a call has ended for which somebody waits, and when a connection has.
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
}

#[derive(Debug)]
struct Part {
    cache: ReplayCache<Client, ()>,
    /// Calls that run, and the connections they came on.
    running: Vec<(Running, u64)>,
    answered: Answered,
}

/// A connection.
#[derive(Debug)]
struct Open {
    stream: Weak<TcpStream>,
    /// A reply that is kept was sent on it.
    has_replies: bool,
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
        let cache = ReplayCache::new(limits, secret.to_ne_bytes())?;
        let entries = usize::try_from(calls).unwrap_or(usize::MAX);
        let mut by_place = Vec::new();
        let entry_size = size_of::<Option<(u64, Running)>>();
        let no_memory = |_| NoMemory { entries, entry_size };
        by_place.try_reserve_exact(entries).map_err(no_memory)?;
        by_place.resize(entries, None);
        Ok(Self { cache, running: Vec::new(), answered: Answered { by_place } })
    }

    fn runs(&self, running: Running) -> bool {
        self.running.iter().any(|(other, _)| *other == running)
    }

    /// Forgets what was answered on a connection.
    fn forget(&mut self, connection: u64) {
        for place in &mut self.answered.by_place {
            if let Some((_, call)) = place.take_if(|(other, _)| *other == connection) {
                // False if another call has the place by now.
                self.cache.forget(call);
            }
        }
    }
}

/// Who had the reply of a call last.
#[derive(Debug)]
struct Answered {
    /// The connection and the call's name, by the call's place in the cache.
    by_place: Vec<Option<(u64, Running)>>,
}

impl Answered {
    fn place(&mut self, call: Running) -> Option<&mut Option<(u64, Running)>> {
        self.by_place.get_mut(usize::try_from(call.place()).ok()?)
    }

    /// A reply leaves on a connection.
    fn note(&mut self, call: Running, connection: u64, connections: &mut BTreeMap<u64, Open>) {
        if let Some(place) = self.place(call) {
            *place = Some((connection, call));
        }
        if let Some(open) = connections.get_mut(&connection) {
            open.has_replies = true;
        }
    }

    /// The other connection that has had the reply, if it has been closed by its client, and the server has not yet
    /// noticed or is not yet done with it.
    fn ending(
        &mut self,
        call: Running,
        connection: u64,
        connections: &BTreeMap<u64, Open>,
    ) -> Option<u64> {
        let (other, of) = (*self.place(call)?)?;
        if of != call || other == connection {
            return None;
        }
        let stream = connections.get(&other)?.stream.upgrade()?;
        let mut fds = [PollFd::new(&*stream, PollFlags::RDHUP)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&now)).ok()?;
        let [fd] = fds;
        fd.revents().contains(PollFlags::RDHUP).then_some(other)
    }
}

impl State {
    /// The part that a procedure belongs to, and the connections.
    const fn part(&mut self, procedure: u32) -> (&mut Part, &mut BTreeMap<u64, Open>) {
        let Self { writes, others, connections } = self;
        (if procedure == Write::NUMBER { writes } else { others }, connections)
    }
}

/// Calls and bytes of replies, for WRITEs.
fn for_writes(calls: u32, bytes: u32) -> (u32, u32) {
    ((calls / 2).max(1), (bytes / 2).max(256))
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
    /// Room for `calls` calls and `bytes` bytes of their replies, and for half as many WRITEs.
    pub(super) fn new(calls: u32, bytes: u32) -> Result<Self, NoMemory> {
        let random = RandomState::new();
        let others = Part::new(calls, bytes, &random)?;
        let (calls, bytes) = for_writes(calls, bytes);
        let writes = Part::new(calls, bytes, &random)?;
        Ok(Self {
            state: Mutex::new(State { writes, others, connections: BTreeMap::new() }),
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

    /// What the cache did so far, the calls it remembers, and the bytes of their replies.
    pub(super) fn stats(&self) -> (ReplayStats, usize, usize) {
        let state = self.lock();
        let (a, b) = (&state.writes.cache, &state.others.cache);
        let of = |each: fn(&ReplayStats) -> u64| each(&a.stats()).saturating_add(each(&b.stats()));
        let stats = ReplayStats {
            new: of(|stats| stats.new),
            in_progress: of(|stats| stats.in_progress),
            replayed: of(|stats| stats.replayed),
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

    /// A connection begins.
    pub(super) fn opened(&self, connection: u64, stream: &Arc<TcpStream>) {
        let open = Open { stream: Arc::downgrade(stream), has_replies: false };
        self.lock().connections.insert(connection, open);
    }

    /// A connection has ended, and no thread works for it any more. What was answered on it is forgotten if its client
    /// has received everything; otherwise the client may ask for it on another one.
    pub(super) fn closed(&self, connection: u64, received_all: bool) {
        let mut state = self.lock();
        let open = state.connections.remove(&connection);
        if received_all && open.is_some_and(|open| open.has_replies) {
            state.writes.forget(connection);
            state.others.forget(connection);
        }
        drop(state);
        self.ended.notify_all();
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
        let mut has_settled = false;
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
                    let ending = part.answered.ending(name, connection, connections);
                    if let Some(other) = ending.filter(|_| !has_settled) {
                        has_settled = true;
                        let is_open = |state: &mut State| state.connections.contains_key(&other);
                        let waited = self.ended.wait_timeout_while(state, SETTLING, is_open);
                        (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
                        continue;
                    }
                    part.answered.note(name, connection, connections);
                    let put = e.attempt(|e| -> Result<_, EncodeError> {
                        let mark = RecordMark::reserve(e)?;
                        reply.put(e)?;
                        mark.close(e).map(drop)
                    });
                    return match put {
                        Ok(()) => {
                            debug!(xid = call.xid, "a call came again: its reply is repeated");
                            Turn::Replayed
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
    /// The call was run, with this reply, from the xid on.
    pub(super) fn finish(mut self, reply: &[u8]) {
        self.end(Some(reply));
    }

    fn end(&mut self, reply: Option<&[u8]>) {
        let Some(execution) = self.execution.take() else { return };
        let running = execution.running();
        let mut state = self.replays.lock();
        let (part, connections) = state.part(self.procedure);
        part.running.retain(|(other, _)| *other != running);
        let waiters = match reply {
            Some(reply) => {
                part.answered.note(running, self.connection, connections);
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
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use core::net::Ipv4Addr;
    use std::thread;

    use nfswire_rpc::{AuthSys, Groups};
    use nfswire_xdr::{Segments, Text};

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// What is to be done, and what is in the encoder then.
    fn begin_of<'r, P: Procedure>(
        replays: &'r Replays,
        connection: u64,
        xid: u32,
        credential: &OpaqueAuth<'_>,
        args: &[u8],
    ) -> (Turn<'r>, Vec<u8>) {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let client = replays.client(HERE, credential, &Limits::LENIENT);
        let call = CallHeader::new::<P>(xid, *credential);
        let turn = replays.begin(client, connection, &call, args, &mut e);
        e.finish();
        (turn, segments.view(&head).to_vec().unwrap())
    }

    fn begin(replays: &Replays, connection: u64, xid: u32) -> (Turn<'_>, Vec<u8>) {
        begin_of::<Remove>(replays, connection, xid, &OpaqueAuth::NONE, b"args")
    }

    fn is_new((turn, _): &(Turn<'_>, Vec<u8>)) -> bool {
        matches!(turn, Turn::Run(_))
    }

    fn run(replays: &Replays, xid: u32) -> Ticket<'_> {
        match begin(replays, 0, xid) {
            (Turn::Run(ticket), out) if out.is_empty() => ticket,
            other => panic!("{other:?}"),
        }
    }

    // F3
    #[test]
    fn a_repetition_waits_for_the_call_that_runs() {
        let replays = Replays::new(16, 4096).unwrap();
        let ticket = run(&replays, 7);
        // The same connection gets one reply.
        assert!(matches!(begin(&replays, 0, 7).0, Turn::Drop));
        thread::scope(|scope| {
            let others: Vec<_> = (1..4)
                .map(|connection| {
                    scope.spawn({
                        let replays = &replays;
                        move || begin(replays, connection, 7)
                    })
                })
                .collect();
            while replays.stats().0.in_progress < 4 {
                thread::yield_now();
            }
            ticket.finish(b"reply of 7 x");
            for other in others {
                let (turn, out) = other.join().unwrap();
                assert!(matches!(turn, Turn::Replayed));
                assert_eq!(out, b"\x80\0\0\x0creply of 7 x");
            }
        });
        assert_eq!(begin(&replays, 9, 7).1, b"\x80\0\0\x0creply of 7 x");
    }

    #[test]
    fn what_did_not_run_may_be_tried_again_by_one_of_those_who_wait() {
        let replays = Replays::new(16, 4096).unwrap();
        let ticket = run(&replays, 7);
        thread::scope(|scope| {
            let other = scope.spawn(|| begin(&replays, 1, 7).0);
            while replays.stats().0.in_progress < 1 {
                thread::yield_now();
            }
            drop(ticket);
            assert!(matches!(other.join().unwrap(), Turn::Run(_)));
        });
        drop(run(&replays, 7));
        assert!(replays.lock().others.running.is_empty());
    }

    #[test]
    fn patience_ends() {
        let mut replays = Replays::new(16, 4096).unwrap();
        replays.patience = Duration::from_millis(10);
        let _ticket = run(&replays, 7);
        assert!(matches!(begin(&replays, 1, 7).0, Turn::Drop));
    }

    #[test]
    fn the_memory_is_what_was_said() {
        for (calls, bytes) in [(4096, 1 << 20), (1, 256), (100_000, 4096)] {
            let said = memory(calls, bytes);
            let replays = Replays::new(calls, bytes).unwrap();
            for xid in 0..calls.min(2000) {
                run(&replays, xid).finish(b"repl");
            }
            let (stats, entries, kept) = replays.stats();
            assert_eq!(stats.full, 0);
            assert!(entries as u64 <= u64::from(calls) && kept as u64 <= u64::from(bytes));
            assert!(said >= u64::from(calls) * 150 + u64::from(bytes) * 3 / 2);
        }
    }

    // F3
    #[test]
    fn who_claims_to_be_another_is_another_client() {
        let replays = Replays::new(64, 1 << 14).unwrap();
        let mut bodies = [[0; AuthSys::MAX_BODY]; 6];
        let [a, b, c, d, stamp, again] = &mut bodies;
        let sys = |stamp, name: &'static [u8], uid, gid| AuthSys {
            stamp,
            machine_name: Text::new(name).unwrap(),
            uid,
            gid,
            gids: Groups::default(),
        };
        let clients = [
            OpaqueAuth::NONE,
            sys(1, b"host", 7, 8).to_auth(a),
            sys(1, b"host", 6, 8).to_auth(b),
            sys(1, b"host", 7, 9).to_auth(c),
            sys(1, b"pod", 7, 8).to_auth(d),
        ];
        for (number, client) in clients.iter().enumerate() {
            let (turn, out) = begin_of::<Remove>(&replays, 0, 7, client, b"args");
            let Turn::Run(ticket) = turn else { panic!("client {number}: {turn:?}") };
            assert!(out.is_empty());
            ticket.finish(&[u8::try_from(number).unwrap(); 4]);
        }
        for (number, client) in clients.iter().enumerate() {
            let (turn, out) = begin_of::<Remove>(&replays, 0, 7, client, b"args");
            assert!(matches!(turn, Turn::Replayed));
            assert_eq!(out.last(), Some(&u8::try_from(number).unwrap()));
        }
        // A stamp is made anew when a client repeats a call.
        for (credential, reply) in
            [(sys(2, b"host", 7, 8).to_auth(stamp), 1), (sys(3, b"pod", 7, 8).to_auth(again), 4)]
        {
            let (_, out) = begin_of::<Remove>(&replays, 0, 7, &credential, b"args");
            assert_eq!(out.last(), Some(&reply));
        }
    }

    // F3
    #[test]
    fn what_was_answered_long_ago_is_new() {
        let mut replays = Replays::new(16, 4096).unwrap();
        run(&replays, 7).finish(b"repl");
        let earlier = |replays: &mut Replays, seconds| {
            replays.started = replays.started.checked_sub(Duration::from_secs(seconds)).unwrap();
        };
        earlier(&mut replays, 100);
        assert!(!is_new(&begin(&replays, 1, 7)));
        earlier(&mut replays, 122);
        assert!(is_new(&begin(&replays, 1, 7)));
        assert_eq!(replays.stats().0.expired, 1);
    }

    // F3
    #[test]
    fn writes_do_not_push_out_others() {
        let replays = Replays::new(4, 4096).unwrap();
        let write =
            |xid: u32, args: &[u8]| begin_of::<Write>(&replays, 0, xid, &OpaqueAuth::NONE, args);
        run(&replays, 7).finish(b"repl");
        let mut data = vec![7; 70_000];
        for xid in 0..100 {
            let Turn::Run(ticket) = write(xid, &data).0 else { panic!("{xid} is new") };
            ticket.finish(b"writ");
        }
        assert!(!is_new(&begin(&replays, 1, 7)));
        // They are told apart by the end of their data, too.
        assert!(!is_new(&write(99, &data)));
        *data.last_mut().unwrap() = 8;
        assert!(is_new(&write(99, &data)));
        let stats = replays.stats().0;
        assert_eq!((stats.replayed, stats.evicted), (2, 99));
    }

    // F3
    #[test]
    fn only_the_connection_that_had_the_reply_last_takes_it_along() {
        let replays = Replays::new(16, 4096).unwrap();
        let listener = std::net::TcpListener::bind((HERE, 0)).unwrap();
        let clients: Vec<TcpStream> =
            (0..3).map(|_| TcpStream::connect(listener.local_addr().unwrap()).unwrap()).collect();
        let streams: Vec<_> = (0..3).map(|_| Arc::new(listener.accept().unwrap().0)).collect();
        for (stream, connection) in streams.iter().zip(0..) {
            replays.opened(connection, stream);
        }
        run(&replays, 7).finish(b"repl");
        run(&replays, 8).finish(b"repl");
        assert!(!is_new(&begin(&replays, 1, 7)));
        // It was broken: what went to nobody else is kept.
        replays.closed(0, false);
        assert!(!is_new(&begin(&replays, 2, 8)));
        replays.closed(2, true);
        assert!(is_new(&begin(&replays, 1, 8)));
        // A call that has come before the server has noticed the end of the other connection waits for it.
        drop(clients);
        thread::scope(|scope| {
            let other = scope.spawn(|| is_new(&begin(&replays, 5, 7)));
            while replays.stats().0.replayed < 3 {
                thread::yield_now();
            }
            replays.closed(1, true);
            assert!(other.join().unwrap());
        });
        assert!(replays.lock().connections.is_empty());
    }
}
