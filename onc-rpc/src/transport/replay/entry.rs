//! What identifies a call that may come again, and who waits for it.

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use siphasher::sip::SipHasher13;

use super::blocks::{NIL, index};
use crate::CallHeader;
use crate::transport::{NoMemory, reserved};

/// What makes two calls the same call: who sent it, its header without credential and verifier, and
/// its arguments by length and checksum of the first [`ARGS_HEAD`](Self::ARGS_HEAD) bytes, and of the
/// last ones where that was asked for. Made by [`ReplayCache::key`](super::ReplayCache::key).
///
/// The connection is no part of it: a client repeats its calls on a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplayKey<K> {
    client: K,
    xid: u32,
    program: u32,
    version: u32,
    procedure: u32,
    args_len: u32,
    args_sum: u64,
}

impl<K> ReplayKey<K> {
    /// Bytes of the arguments that are looked at: 256.
    pub const ARGS_HEAD: usize = 256;

    /// Bytes at the end of the arguments that are looked at by
    /// [`key_of_ends`](super::ReplayCache::key_of_ends): 256.
    pub const ARGS_TAIL: usize = 256;

    pub(super) fn new(
        seed: Seed,
        client: K,
        call: &CallHeader<'_>,
        args_len: u32,
        head: &[u8],
        tail: &[u8],
    ) -> Self {
        let head = head.get(..index(args_len).min(Self::ARGS_HEAD)).unwrap_or(head);
        let mut hasher = seed.hasher();
        hasher.write(head);
        hasher.write(tail);
        let args_sum = hasher.finish();
        let CallHeader { xid, program, version, procedure, .. } = *call;
        Self { client, xid, program, version, procedure, args_len, args_sum }
    }

    /// The caller's name for the client.
    #[must_use]
    pub const fn client(&self) -> &K {
        &self.client
    }

    /// Transaction number of the call.
    #[must_use]
    pub const fn xid(&self) -> u32 {
        self.xid
    }
}

/// Secret that makes hashes unpredictable to those who send the calls.
#[derive(Clone, Copy)]
pub(super) struct Seed(pub(super) [u8; 16]);

// Who knows the secret can make calls collide: it does not belong in a log.
impl core::fmt::Debug for Seed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Seed(..)")
    }
}

impl Seed {
    fn hasher(self) -> SipHasher13 {
        SipHasher13::new_with_key(&self.0)
    }

    /// Where a cache starts to count its calls, so that those of another have other numbers.
    pub(super) fn start(self) -> u64 {
        self.hasher().finish()
    }

    /// Hash of a host's number.
    pub(super) fn hash_host(self, host: u64) -> u64 {
        let mut hasher = self.hasher();
        hasher.write_u64(host);
        hasher.finish()
    }

    pub(super) fn hash<K: Hash>(self, key: &ReplayKey<K>) -> u64 {
        let mut hasher = self.hasher();
        key.hash(&mut hasher);
        hasher.finish()
    }
}

/// The right to run a call, and the duty to end it: with
/// [`finish`](super::ReplayCache::finish), [`abort`](super::ReplayCache::abort) or under a
/// [`guard`](super::ReplayCache::guard).
///
/// If it is lost, its entry stays in progress for ever: each repetition of the call waits in vain.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a call that is never finished nor aborted holds its entry for ever"]
pub struct Execution(pub(super) Running);

impl Execution {
    /// Names the entry, for [`wait`](super::ReplayCache::wait).
    #[must_use]
    pub const fn running(&self) -> Running {
        self.0
    }
}

/// Names a call that is being run, or was run and is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    pub(super) entry: u32,
    pub(super) generation: u64,
}

impl Running {
    /// Number of the call's place in the cache: below
    /// [`max_calls`](super::ReplayLimits::max_calls), and of no other call that is remembered.
    #[must_use]
    pub const fn place(self) -> u32 {
        self.entry
    }
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The entry is in the list of free ones.
    Free,
    /// It runs; these wait for it.
    Running(Queue),
    /// It ran, and its reply is kept in these blocks.
    Done { first: u32, len: usize },
    /// It ran, but its reply is not kept.
    NotKept,
}

/// Tokens of those who wait, first come first served: a chain in [`WaiterPool`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Queue {
    pub(super) first: u32,
    last: u32,
}

impl Queue {
    pub(super) const EMPTY: Self = Self { first: NIL, last: NIL };
}

#[derive(Debug)]
struct Waiter<W> {
    token: Option<W>,
    next: u32,
}

/// Room for the tokens of all that wait.
#[derive(Debug)]
pub(super) struct WaiterPool<W> {
    waiters: Vec<Waiter<W>>,
    limit: usize,
    free: u32,
}

impl<W> WaiterPool<W> {
    pub(super) fn new(limit: u32) -> Result<Self, NoMemory> {
        let limit = index(limit);
        Ok(Self { waiters: reserved(limit)?, limit, free: NIL })
    }

    /// Appends a token; gives it back if there is no room.
    pub(super) fn push(&mut self, queue: &mut Queue, token: W) -> Result<(), W> {
        let at = if let Some(place) = self.waiters.get_mut(index(self.free)) {
            let at = self.free;
            self.free = place.next;
            *place = Waiter { token: Some(token), next: NIL };
            at
        } else if self.waiters.len() < self.limit {
            let at = u32::try_from(self.waiters.len()).unwrap_or(NIL);
            self.waiters.push(Waiter { token: Some(token), next: NIL });
            at
        } else {
            return Err(token);
        };
        match self.waiters.get_mut(index(queue.last)) {
            Some(last) => last.next = at,
            None => queue.first = at,
        }
        queue.last = at;
        Ok(())
    }

    /// Takes the first token out.
    pub(super) fn pop(&mut self, queue: &mut Queue) -> Option<W> {
        let at = queue.first;
        let waiter = self.waiters.get_mut(index(at))?;
        queue.first = waiter.next;
        if queue.first == NIL {
            queue.last = NIL;
        }
        waiter.next = self.free;
        self.free = at;
        waiter.token.take()
    }

    /// Moves all of `from` to the end of `to`.
    pub(super) fn append(&mut self, to: &mut Queue, from: Queue) {
        if from.first == NIL {
            return;
        }
        match self.waiters.get_mut(index(to.last)) {
            Some(last) => last.next = from.first,
            None => to.first = from.first,
        }
        to.last = from.last;
    }
}
