//! Replies to calls that may come again.

mod blocks;
mod entry;
mod outcome;
mod shares;

use alloc::vec::Vec;
use core::hash::Hash;

use hashbrown::HashTable;
use nfswire_xdr::{Chunk, Message};

use self::blocks::{Blocks, NIL, index};
use self::entry::{Queue, Seed, State, WaiterPool};
use self::shares::Shares;
use super::{NoMemory, reserved};
use crate::CallHeader;

pub use self::entry::{Execution, ReplayKey, Running};
pub use self::outcome::{
    CachedReply, ExecutionGuard, Finished, Kept, Lookup, ReplayStats, TooManyWaiters, Waiters,
};

/// Bounds of a [`ReplayCache`], all of which are reserved when it is made. What is reserved is touched
/// only when it is first needed, but for the control bytes of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayLimits {
    /// Most calls that are remembered, running and finished ones together.
    pub max_calls: u32,
    /// Bytes of all replies that are kept, in blocks of 256.
    pub max_bytes: u32,
    /// Longest reply that is kept, in bytes.
    pub max_reply: u32,
    /// Most tokens that wait for calls that run, over all calls.
    pub max_waiters: u32,
    /// Seconds after which a finished call is forgotten at the latest, counted from when it ended or was last
    /// asked for. Has an effect only if the cache is told the time: see
    /// [`ReplayCache::advance`].
    pub max_age: u32,
}

impl ReplayLimits {
    /// 1024 calls, 512 KiB of replies of at most 8 KiB, 256 waiters, 120 seconds.
    pub const DEFAULT: Self = Self {
        max_calls: 1024,
        max_bytes: 512 << 10,
        max_reply: 8 << 10,
        max_waiters: 256,
        max_age: 120,
    };
}

impl Default for ReplayLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[derive(Debug)]
struct Entry<K> {
    /// `None` while the entry is free.
    key: Option<ReplayKey<K>>,
    hash: u64,
    /// Differs for each call that the entry held.
    generation: u64,
    /// When the call ended or was last asked for, in seconds.
    used: u64,
    /// Group of the client's host.
    group: u16,
    state: State,
    /// Neighbours in the list of finished calls; `next` also in the list of free entries.
    previous: u32,
    next: u32,
}

impl<K> Entry<K> {
    /// What the call takes of the room for finished ones, in blocks.
    fn taken(&self) -> u32 {
        match self.state {
            State::Done { len, .. } => Blocks::needed(len).max(1),
            _ => 1,
        }
    }
}

/// Duplicate-request cache of a server: remembers which calls were run and keeps their encoded
/// replies, so that a call that comes again is answered without running it again.
///
/// Needed for procedures that must not run twice (REMOVE, CREATE, RENAME, ...); a server need not
/// ask it about others. The reply of a repeated READ is better read again than kept.
///
/// A call is recognized by [`ReplayKey`]: the client, the call's header, length and checksum of its
/// arguments, **not** the connection. The client is what the server knows it by, of type `K`: its
/// address, or its address and the user of the credential, so that one user of a client is not
/// answered with the reply of another. The same xid with other bytes or from another client is a new
/// call.
///
/// Calls that repeat while the first runs may leave a token of type `W` (a connection, a channel)
/// and are answered together with the first.
///
/// # Memory and work
/// All memory is reserved by [`new`](Self::new): see [`ReplayLimits`]. When an entry or bytes are
/// needed, the finished call that was asked for least recently is forgotten, or one of a host that
/// has too many ([`with_hosts`](ReplayCache::with_hosts)); calls that run never
/// are. A lookup takes one hash of at most 512 bytes and a few comparisons: the hash is keyed
/// (SipHash) with a secret, so that nobody can choose calls that collide. Nothing allocates after
/// `new`.
///
/// # Calls that only look repeated
/// A client that starts anew may give its first calls the numbers that it gave them before. Three
/// things keep it from getting old replies: a client's name that tells it from others (its user, its
/// host), an age ([`advance`](Self::advance)), and [`forget`](Self::forget) for replies that a
/// client is known to have received, because it went on with other calls on the same connection.
///
/// # RPCSEC_GSS
/// A repeated call has a new sequence number (RFC 2203, section 5.3.3.1): the key is made of the
/// arguments without their protection, and what is kept are the results without theirs. The verifier
/// and the protection of the reply are made anew.
///
/// ```
/// use nfswire_rpc::{CallHeader, Finished, Kept, Lookup, OpaqueAuth, ReplayCache, ReplayLimits};
/// # fn random() -> [u8; 16] { [7; 16] }
/// let mut cache = ReplayCache::<[u8; 4], &str>::new(ReplayLimits::DEFAULT, random())?;
/// let remove = CallHeader {
///     xid: 1, program: 100_003, version: 3, procedure: 12,
///     credential: OpaqueAuth::NONE, verifier: OpaqueAuth::NONE,
/// };
/// let key = cache.key([192, 0, 2, 1], &remove, b"directory and name");
/// let Lookup::New(execution) = cache.lookup(key) else { panic!("never seen") };
///
/// // The client lost patience and sends it again on a second connection.
/// let Lookup::InProgress(running) = cache.lookup(key) else { panic!("it runs") };
/// cache.wait(running, "second connection")?;
///
/// let Finished { kept, waiters } = cache.finish(execution, b"encoded reply");
/// assert_eq!(kept, Kept::Yes);
/// assert!(waiters.eq(["second connection"]));             // each gets the reply, too
///
/// let Lookup::Done(reply) = cache.lookup(key) else { panic!("it was run") };
/// assert!(reply.pieces().eq([b"encoded reply"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ReplayCache<K, W> {
    limits: ReplayLimits,
    seed: Seed,
    entries: Vec<Entry<K>>,
    /// Entries by hash of their key.
    index: HashTable<u32>,
    blocks: Blocks,
    /// The host that a client is on.
    host: fn(&K) -> u64,
    shares: Shares,
    waiters: WaiterPool<W>,
    /// Waiters of executions that were dropped.
    orphans: Queue,
    free: u32,
    /// Finished calls, from the one asked for least recently to the one asked for last.
    oldest: u32,
    newest: u32,
    running: usize,
    generations: u64,
    /// Seconds, as the caller counts them.
    now: u64,
    stats: ReplayStats,
}

impl<K: Eq + Hash, W> ReplayCache<K, W> {
    /// An empty cache. `seed` is a secret: 16 random bytes, fresh for each cache.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(limits: ReplayLimits, seed: [u8; 16]) -> Result<Self, NoMemory> {
        let entries = index(limits.max_calls);
        // Room for twice as many: the table then clears up in place and never grows.
        let mut table = HashTable::new();
        table
            .try_reserve(entries.saturating_mul(2), |_| 0)
            .map_err(|_| NoMemory { entries, entry_size: size_of::<Entry<K>>() })?;
        Ok(Self {
            limits,
            seed: Seed(seed),
            entries: reserved(entries)?,
            index: table,
            blocks: Blocks::new(limits.max_bytes)?,
            host: |_| 0,
            shares: Shares::new(limits.max_calls, Blocks::needed(index(limits.max_bytes)))?,
            waiters: WaiterPool::new(limits.max_waiters)?,
            orphans: Queue::EMPTY,
            free: NIL,
            oldest: NIL,
            newest: NIL,
            running: 0,
            generations: Seed(seed).start(),
            now: 0,
            stats: ReplayStats::default(),
        })
    }

    /// Tells clients apart by the host they are on, a number: when something is to be forgotten, a
    /// host that has more than an eighth of the room loses one of its own, and the others nothing.
    /// Only if no host has is it the call of whomsoever that was asked for least recently, as it
    /// always is without this. To be said before the first lookup.
    #[must_use]
    pub fn with_hosts(mut self, host: fn(&K) -> u64) -> Self {
        self.host = host;
        self
    }

    /// What identifies a call with these arguments: everything that follows its header.
    #[must_use]
    pub fn key(&self, client: K, call: &CallHeader<'_>, args: &[u8]) -> ReplayKey<K> {
        // A record is shorter than 2^32 bytes, all fragments together.
        let args_len = u32::try_from(args.len()).unwrap_or(u32::MAX);
        ReplayKey::new(self.seed, client, call, args_len, args, &[])
    }

    /// Like [`key`](Self::key), but the last [`ReplayKey::ARGS_TAIL`] bytes of the arguments count,
    /// too: for WRITEs, which often begin alike. For other calls with long arguments the key is not
    /// that of `key`, so ask always by the same.
    #[must_use]
    pub fn key_of_ends(&self, client: K, call: &CallHeader<'_>, args: &[u8]) -> ReplayKey<K> {
        let args_len = u32::try_from(args.len()).unwrap_or(u32::MAX);
        let behind = args.get(ReplayKey::<K>::ARGS_HEAD..).unwrap_or_default();
        let skipped = behind.len().saturating_sub(ReplayKey::<K>::ARGS_TAIL);
        let tail = behind.get(skipped..).unwrap_or_default();
        ReplayKey::new(self.seed, client, call, args_len, args, tail)
    }

    /// What identifies a call of which only the first bytes of the arguments are at hand. `None`
    /// if these are fewer than [`ReplayKey::ARGS_HEAD`] and not all.
    #[must_use]
    pub fn key_of_head(
        &self,
        client: K,
        call: &CallHeader<'_>,
        args_len: u32,
        head: &[u8],
    ) -> Option<ReplayKey<K>> {
        let needed = index(args_len).min(ReplayKey::<K>::ARGS_HEAD);
        (head.len() >= needed).then(|| ReplayKey::new(self.seed, client, call, args_len, head, &[]))
    }

    /// The time is now `seconds`, by any clock that does not go backwards; what is less than before
    /// changes nothing. A finished call older than [`ReplayLimits::max_age`] is new when it comes
    /// again; one that runs stays, however long it takes.
    pub const fn advance(&mut self, seconds: u64) {
        if seconds > self.now {
            self.now = seconds;
        }
    }

    /// Number of calls remembered; some of them may be too old to be found.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether no call is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Number of calls that are being run.
    #[must_use]
    pub const fn running(&self) -> usize {
        self.running
    }

    /// Bytes that replies take, in whole blocks.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.blocks.used()
    }

    /// What the cache did so far.
    #[must_use]
    pub const fn stats(&self) -> ReplayStats {
        self.stats
    }

    /// A call has arrived: says whether it is to be run. If so, it counts as running from now on.
    pub fn lookup(&mut self, key: ReplayKey<K>) -> Lookup<'_> {
        let hash = self.seed.hash(&key);
        let entries = &self.entries;
        let found = self.index.find(hash, |i| {
            entries.get(index(*i)).is_some_and(|entry| entry.key.as_ref() == Some(&key))
        });
        let Some(found) = found.copied() else { return self.begin(key, hash) };
        let Some(entry) = self.entries.get_mut(index(found)) else { return Lookup::Full };
        let call = Running { entry: found, generation: entry.generation };
        let is_running = matches!(entry.state, State::Running(_));
        if !is_running && self.now.saturating_sub(entry.used) > self.limits.max_age.into() {
            self.stats.expired = self.stats.expired.saturating_add(1);
            self.unlink(found);
            self.release(found);
            return self.begin(key, hash);
        }
        entry.used = self.now;
        match entry.state {
            State::Running(_) => {
                self.stats.in_progress = self.stats.in_progress.saturating_add(1);
                Lookup::InProgress(call)
            }
            State::Done { first, len } => {
                self.stats.replayed = self.stats.replayed.saturating_add(1);
                self.unlink(found);
                self.link(found);
                Lookup::Done(CachedReply { blocks: &self.blocks, first, len, call })
            }
            State::NotKept | State::Free => {
                self.stats.not_kept = self.stats.not_kept.saturating_add(1);
                self.unlink(found);
                self.link(found);
                Lookup::NotKept
            }
        }
    }

    fn begin(&mut self, key: ReplayKey<K>, hash: u64) -> Lookup<'_> {
        let Some(i) = self.free_entry() else {
            self.stats.full = self.stats.full.saturating_add(1);
            return Lookup::Full;
        };
        self.generations = self.generations.wrapping_add(1);
        let generation = self.generations;
        let group = Shares::group(self.seed.hash_host((self.host)(key.client())));
        if let Some(entry) = self.entries.get_mut(index(i)) {
            *entry = Entry {
                key: Some(key),
                hash,
                generation,
                used: self.now,
                group,
                state: State::Running(Queue::EMPTY),
                previous: NIL,
                next: NIL,
            };
        }
        let entries = &self.entries;
        self.index.insert_unique(hash, i, |i| entries.get(index(*i)).map_or(0, |e| e.hash));
        self.running = self.running.saturating_add(1);
        self.stats.new = self.stats.new.saturating_add(1);
        Lookup::New(Execution(Running { entry: i, generation }))
    }

    /// An entry that is free now: a fresh one, or that of a finished call.
    fn free_entry(&mut self) -> Option<u32> {
        if self.free == NIL && self.entries.len() < index(self.limits.max_calls) {
            let i = u32::try_from(self.entries.len()).ok()?;
            self.entries.push(Entry {
                key: None,
                hash: 0,
                generation: 0,
                used: 0,
                group: 0,
                state: State::Free,
                previous: NIL,
                next: NIL,
            });
            return Some(i);
        }
        if self.free == NIL {
            self.evict();
        }
        let i = self.free;
        self.free = self.entries.get(index(i))?.next;
        Some(i)
    }

    /// Leaves a token with a call that is being run: it comes back from
    /// [`finish`](Self::finish) or [`abort`](Self::abort).
    ///
    /// # Errors
    /// [`TooManyWaiters`], with the token.
    pub fn wait(&mut self, running: Running, token: W) -> Result<(), TooManyWaiters<W>> {
        let entry = self.entries.get_mut(index(running.entry));
        match entry {
            Some(Entry { state: State::Running(queue), generation, .. })
                if *generation == running.generation =>
            {
                self.waiters.push(queue, token).map_err(|token| TooManyWaiters { token })
            }
            _ => Err(TooManyWaiters { token }),
        }
    }

    /// The call was run and this is its encoded reply, from the xid on: keeps a copy. The mark of a
    /// record does not belong to it, so that the reply can go out on any transport.
    pub fn finish(&mut self, execution: Execution, reply: &[u8]) -> Finished<'_, W> {
        let len = u64::try_from(reply.len()).unwrap_or(u64::MAX);
        self.finish_pieces(&execution, len, Some(core::iter::once(reply)))
    }

    /// Like [`finish`](Self::finish), for a reply in segments.
    pub fn finish_message(
        &mut self,
        execution: Execution,
        reply: &Message<'_, '_>,
    ) -> Finished<'_, W> {
        let in_memory = reply.iter().try_fold(0u64, |sum, chunk| match chunk {
            Chunk::Bytes(bytes) => Some(sum.saturating_add(bytes.len() as u64)),
            Chunk::File(_) => None,
        });
        // With a head that is not its own, a message has fewer bytes than it says.
        let pieces = in_memory.filter(|sum| *sum == reply.len()).map(|_| {
            reply.iter().filter_map(|chunk| match chunk {
                Chunk::Bytes(bytes) => Some(bytes),
                _ => None,
            })
        });
        self.finish_pieces(&execution, reply.len(), pieces)
    }

    fn finish_pieces<'a>(
        &mut self,
        execution: &Execution,
        len: u64,
        pieces: Option<impl Iterator<Item = &'a [u8]>>,
    ) -> Finished<'_, W> {
        let Some(queue) = self.end(execution) else {
            return self.finish_nothing();
        };
        let limit = index(self.limits.max_reply).min(self.blocks.capacity());
        let fits = usize::try_from(len).ok().filter(|len| *len <= limit);
        let (kept, state) = match (fits, pieces) {
            (_, None) => (Kept::NotInMemory, State::NotKept),
            (None, _) => {
                let limit = u32::try_from(limit).unwrap_or(u32::MAX);
                (Kept::TooLong { len, limit }, State::NotKept)
            }
            (Some(len), Some(pieces)) => {
                // Ends: only finished calls have blocks, and all blocks are enough.
                while !self.blocks.have_room_for(len) && self.evict() {}
                (Kept::Yes, State::Done { first: self.blocks.store(pieces), len })
            }
        };
        let i = execution.0.entry;
        if let Some(entry) = self.entries.get_mut(index(i)) {
            entry.state = state;
            entry.used = self.now;
        }
        self.link(i);
        Finished { kept, waiters: Waiters { pool: &mut self.waiters, queue } }
    }

    const fn finish_nothing(&mut self) -> Finished<'_, W> {
        let waiters = Waiters { pool: &mut self.waiters, queue: Queue::EMPTY };
        Finished { kept: Kept::Foreign, waiters }
    }

    /// The call was not run, or not so far that it had an effect: forgets it, so that it is new when
    /// it comes again. Those who waited get no reply: look their call up again, or drop it and let
    /// the client repeat it.
    pub fn abort(&mut self, execution: Execution) -> Waiters<'_, W> {
        let queue = self.abandon(&execution);
        Waiters { pool: &mut self.waiters, queue }
    }

    /// Forgets a finished call, of which it is certain that the client has the reply: if it seems to
    /// come again, it is new. False if that call is not remembered any more, or still runs.
    pub fn forget(&mut self, call: Running) -> bool {
        let Some(entry) = self.entries.get(index(call.entry)) else { return false };
        let is_finished = matches!(entry.state, State::Done { .. } | State::NotKept);
        if entry.generation != call.generation || !is_finished {
            return false;
        }
        self.unlink(call.entry);
        self.release(call.entry);
        true
    }

    fn abandon(&mut self, execution: &Execution) -> Queue {
        let queue = self.end(execution);
        if queue.is_some() {
            self.release(execution.0.entry);
        }
        queue.unwrap_or(Queue::EMPTY)
    }

    /// Aborts the call unless the guard is finished, for a call that is run on the spot: neither an
    /// early return nor a panic leaves it in progress.
    ///
    /// ```
    /// # use nfswire_rpc::{CallHeader, Lookup, OpaqueAuth, ReplayCache, ReplayLimits};
    /// # let mut cache = ReplayCache::<u8, &str>::new(ReplayLimits::DEFAULT, [7; 16])?;
    /// # let call = CallHeader {
    /// #     xid: 1, program: 100_003, version: 3, procedure: 12,
    /// #     credential: OpaqueAuth::NONE, verifier: OpaqueAuth::NONE,
    /// # };
    /// let key = cache.key(1, &call, b"");
    /// if let Lookup::New(execution) = cache.lookup(key) {
    ///     let mut guard = cache.guard(execution);
    ///     let result: Result<&[u8], &str> = Err("not decoded"); // the call goes wrong
    ///     if let Ok(reply) = result {
    ///         drop(guard.finish(reply));
    ///     }
    /// }
    /// assert!(matches!(cache.lookup(key), Lookup::New(_))); // it may be tried again
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn guard(&mut self, execution: Execution) -> ExecutionGuard<'_, K, W> {
        ExecutionGuard::new(self, execution)
    }

    /// A token that waited for a call whose [`guard`](Self::guard) was dropped: what
    /// [`abort`](Self::abort) would have handed out.
    pub fn orphan(&mut self) -> Option<W> {
        self.waiters.pop(&mut self.orphans)
    }

    fn orphan_waiters(&mut self, execution: &Execution) {
        let queue = self.abandon(execution);
        self.waiters.append(&mut self.orphans, queue);
    }

    /// Ends a call that runs; its entry is then in no list. `None` if it is none of this cache.
    fn end(&mut self, execution: &Execution) -> Option<Queue> {
        let Running { entry, generation } = execution.0;
        let entry = self.entries.get_mut(index(entry))?;
        let State::Running(queue) = entry.state else { return None };
        if entry.generation != generation {
            return None;
        }
        entry.state = State::NotKept;
        self.running = self.running.saturating_sub(1);
        Some(queue)
    }

    /// Forgets a finished call: the one asked for least recently, of those whose hosts have more
    /// than their share, if there are such. False if there is none at all.
    fn evict(&mut self) -> bool {
        // Those that are passed over are behind all others now. As hosts with too much have an
        // eighth of the room or more, each eviction passes over few on average.
        let mut left = if self.shares.is_any_above() { self.index.len() } else { 0 };
        while left > 0 {
            let i = self.oldest;
            let Some(entry) = self.entries.get(index(i)) else { return false };
            if self.shares.is_above(entry.group) {
                break;
            }
            self.unlink(i);
            self.link(i);
            left = left.saturating_sub(1);
        }
        let i = self.oldest;
        if i == NIL {
            return false;
        }
        self.unlink(i);
        self.release(i);
        self.stats.evicted = self.stats.evicted.saturating_add(1);
        true
    }

    /// Frees an entry that is in no list.
    fn release(&mut self, i: u32) {
        let Some(entry) = self.entries.get_mut(index(i)) else { return };
        if let Ok(place) = self.index.find_entry(entry.hash, |found| *found == i) {
            place.remove();
        }
        if let State::Done { first, .. } = entry.state {
            self.blocks.release(first);
        }
        entry.key = None;
        entry.state = State::Free;
        entry.next = self.free;
        self.free = i;
    }

    /// Puts an entry behind the one asked for last.
    fn link(&mut self, i: u32) {
        let newest = self.newest;
        if let Some(entry) = self.entries.get_mut(index(i)) {
            (entry.previous, entry.next) = (newest, NIL);
            self.shares.add(entry.group, entry.taken());
        }
        match self.entries.get_mut(index(newest)) {
            Some(entry) => entry.next = i,
            None => self.oldest = i,
        }
        self.newest = i;
    }

    fn unlink(&mut self, i: u32) {
        let Some(entry) = self.entries.get(index(i)) else { return };
        let (previous, next) = (entry.previous, entry.next);
        self.shares.remove(entry.group, entry.taken());
        match self.entries.get_mut(index(previous)) {
            Some(entry) => entry.next = next,
            None => self.oldest = next,
        }
        match self.entries.get_mut(index(next)) {
            Some(entry) => entry.previous = previous,
            None => self.newest = previous,
        }
    }
}
