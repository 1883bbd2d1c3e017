//! Calls that must not run twice: a client that has lost its connection sends them again on a new one.
//!
//! The first REMOVE answered OK and the reply was lost: run again, it would answer NOENT. So the reply is kept and sent
//! again, byte for byte; and a repetition of a call that still runs waits for its reply. That is why WRITE is here, too:
//! were both served, the slower one could overwrite what the client wrote after the faster one was answered.

use core::hash::BuildHasher;
use core::net::IpAddr;
use core::time::Duration;
use std::collections::hash_map::RandomState;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use nfswire_nfs3::procedures::{
    Create, Link, Mkdir, Mknod, Remove, Rename, Rmdir, Setattr, Symlink, Write,
};
use nfswire_rpc::{
    CallHeader, Execution, Finished, Kept, Lookup, NoMemory, Procedure, RecordMark, ReplayCache,
    ReplayLimits, ReplayStats, Running,
};
use nfswire_xdr::{EncodeError, Encoder};
use tracing::{debug, error};

/// A repetition waits at most this long for the first call; then it is dropped, and the client repeats it once more.
const PATIENCE: Duration = Duration::from_secs(60);
/// Repetitions that wait at the same time.
const MAX_WAITERS: u32 = 64;
/// Longest reply that is kept; those of these procedures have at most about 400 bytes.
const MAX_REPLY: u32 = 1 << 10;
/// Bytes of an entry and of its place in the index, rounded up.
const ENTRY: u64 = 192;
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

/// What a client is known by: its address without the port, which a new connection changes, and the user it claims.
pub(super) type Client = (IpAddr, u32);

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
    /// Told when a call has ended for which somebody waits.
    ended: Condvar,
    patience: Duration,
}

#[derive(Debug)]
struct State {
    cache: ReplayCache<Client, ()>,
    /// Calls that run, and the connections they came on.
    running: Vec<(Running, u64)>,
}

impl State {
    fn runs(&self, running: Running) -> bool {
        self.running.iter().any(|(other, _)| *other == running)
    }
}

/// Most bytes that a cache of these limits takes.
pub(super) fn memory(calls: u32, bytes: u32) -> u64 {
    let blocks = u64::from(bytes) / 256;
    u64::from(calls).saturating_mul(ENTRY).saturating_add(blocks.saturating_mul(BLOCK))
}

impl Replays {
    /// Room for `calls` calls and `bytes` bytes of their replies.
    pub(super) fn new(calls: u32, bytes: u32) -> Result<Self, NoMemory> {
        let limits = ReplayLimits {
            max_calls: calls,
            max_bytes: bytes,
            max_reply: MAX_REPLY,
            max_waiters: MAX_WAITERS,
        };
        // Two hashes of a state with random keys: nobody can tell them beforehand.
        let random = RandomState::new();
        let secret = u128::from(random.hash_one(0)) << 64 | u128::from(random.hash_one(1));
        let cache = ReplayCache::new(limits, secret.to_ne_bytes())?;
        Ok(Self {
            state: Mutex::new(State { cache, running: Vec::new() }),
            ended: Condvar::new(),
            patience: PATIENCE,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the cache did so far, the calls it remembers, and the bytes of their replies.
    pub(super) fn stats(&self) -> (ReplayStats, usize, usize) {
        let state = self.lock();
        (state.cache.stats(), state.cache.len(), state.cache.bytes())
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
        let mut state = self.lock();
        let key = state.cache.key(client, call, args);
        loop {
            let running = match state.cache.lookup(key) {
                Lookup::New(execution) => {
                    state.running.push((execution.running(), connection));
                    return Turn::Run(Ticket { replays: self, execution: Some(execution) });
                }
                Lookup::Done(reply) => {
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
            if state.running.contains(&(running, connection)) {
                return Turn::Drop;
            }
            if state.cache.wait(running, ()).is_err() {
                return Turn::Drop;
            }
            let waited =
                self.ended.wait_timeout_while(state, self.patience, |state| state.runs(running));
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
        state.running.retain(|(other, _)| *other != running);
        let waiters = match reply {
            Some(reply) => {
                let Finished { kept, waiters } = state.cache.finish(execution, reply);
                if kept != Kept::Yes {
                    error!("a reply cannot be repeated: {kept}");
                }
                waiters
            }
            None => state.cache.abort(execution),
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

    use nfswire_rpc::OpaqueAuth;
    use nfswire_xdr::Segments;

    use super::*;

    const HERE: Client = (IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

    fn call(xid: u32) -> CallHeader<'static> {
        CallHeader::new::<Remove>(xid, OpaqueAuth::NONE)
    }

    /// What is to be done, and what is in the encoder then.
    fn begin(replays: &Replays, connection: u64, xid: u32) -> (Turn<'_>, Vec<u8>) {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let turn = replays.begin(HERE, connection, &call(xid), b"args", &mut e);
        e.finish();
        (turn, segments.view(&head).to_vec().unwrap())
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
        assert!(replays.lock().running.is_empty());
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
            assert!(said >= u64::from(calls) * 100 + u64::from(bytes));
        }
    }
}
