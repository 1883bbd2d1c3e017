//! What a server is told about a call, and what it does with the answer.

use core::hash::Hash;

use nfswire_xdr::{EncodeError, Encoder};
use thiserror::Error;

use super::ReplayCache;
use super::blocks::Blocks;
use super::entry::{Execution, Queue, Running, WaiterPool};

/// What a [`ReplayCache`] knows of a call that has arrived.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a server must handle each")]
pub enum Lookup<'c> {
    /// It was not seen before: run it, then [`finish`](ReplayCache::finish) or
    /// [`abort`](ReplayCache::abort).
    New(Execution),
    /// It is being run: [`wait`](ReplayCache::wait) for its reply, or drop the repetition if it
    /// came on the same connection, on which the reply will go out anyway.
    InProgress(Running),
    /// It was run: send this.
    Done(CachedReply<'c>),
    /// It was run, but its reply is not here: see [`Kept`]. It must not be run again; drop it, or
    /// let the client try another way ([`system_err`](crate::ReplyHeader::system_err)).
    NotKept,
    /// The cache is full of calls that are being run. Drop the call: the client repeats it.
    Full,
}

/// A reply that is kept: the bytes that were given to [`finish`](ReplayCache::finish), all of them.
///
/// It is [`put`](Self::put) into an encoder, behind a record mark where the transport has one, or
/// sent from where it lies.
#[derive(Debug, Clone, Copy)]
pub struct CachedReply<'c> {
    pub(super) blocks: &'c Blocks,
    pub(super) first: u32,
    pub(super) len: usize,
    pub(super) call: Running,
}

impl<'c> CachedReply<'c> {
    /// Names the call that this is the reply of, for [`forget`](ReplayCache::forget).
    #[must_use]
    pub const fn call(&self) -> Running {
        self.call
    }

    /// Length in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes in order, in pieces of 256 and a rest, for a vectored send.
    pub fn pieces(&self) -> impl Iterator<Item = &'c [u8]> + Clone + use<'c> {
        self.blocks.pieces(self.first, self.len)
    }

    /// Copies the reply to the end of a message's head: all of it, or on an error nothing.
    ///
    /// # Errors
    /// No room in the head.
    pub fn put(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        // Pieces but the last are whole words: no pad comes between them.
        let result = e.attempt(|e| self.pieces().try_for_each(|piece| e.copy(piece)));
        result.map_err(|error| match error {
            EncodeError::NoSpace { missing } => {
                let lacking = (self.len as u64).saturating_sub(e.room());
                EncodeError::NoSpace { missing: lacking.max(missing) }
            }
            other => other,
        })
    }
}

/// Whether a reply was kept, from [`ReplayCache::finish`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Kept {
    /// It was: a repetition of the call gets it again.
    #[error("the reply is kept")]
    Yes,
    /// It is too long. A repetition of the call is [`Lookup::NotKept`].
    #[error("a reply of {len} bytes is not kept: the cache keeps at most {limit}")]
    TooLong {
        /// Length of the reply.
        len: u64,
        /// The limit.
        limit: u32,
    },
    /// A part of it is a file range, or its head is not the one it was encoded into. A repetition of
    /// the call is [`Lookup::NotKept`].
    #[error(
        "a reply that is not all in memory is not kept: it has a file range, or was looked at with \
         another head"
    )]
    NotInMemory,
    /// The execution is of another cache. Nothing was changed.
    #[error("the call was not begun in this cache")]
    Foreign,
}

/// The waiters' places are all taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "nobody more can wait for this call: the places are taken, or it does not run any more; drop \
     the repetition, the client sends it again"
)]
pub struct TooManyWaiters<W> {
    /// The token, given back.
    pub token: W,
}

/// A call was finished.
#[derive(Debug)]
#[must_use = "those who waited get no reply when their tokens are dropped"]
pub struct Finished<'c, W> {
    /// Whether its reply is kept.
    pub kept: Kept,
    /// Those who waited for it: send the reply to each.
    pub waiters: Waiters<'c, W>,
}

/// The tokens that waited for a call, first come first served. Those that are not taken are
/// dropped.
#[derive(Debug)]
#[must_use = "those who waited get no reply when their tokens are dropped"]
pub struct Waiters<'c, W> {
    pub(super) pool: &'c mut WaiterPool<W>,
    pub(super) queue: Queue,
}

impl<W> Iterator for Waiters<'_, W> {
    type Item = W;

    fn next(&mut self) -> Option<W> {
        self.pool.pop(&mut self.queue)
    }
}

impl<W> Drop for Waiters<'_, W> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

/// What a cache did, from [`ReplayCache::stats`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplayStats {
    /// Calls that were new.
    pub new: u64,
    /// Calls that were being run when they came again.
    pub in_progress: u64,
    /// Replies sent again.
    pub replayed: u64,
    /// Calls that had been run, but whose reply was not kept.
    pub not_kept: u64,
    /// Finished calls that were forgotten to make room.
    pub evicted: u64,
    /// Calls that were new again because they were too old.
    pub expired: u64,
    /// Calls for which there was no room.
    pub full: u64,
}

/// Aborts a call when it is dropped: see [`ReplayCache::guard`].
#[derive(Debug)]
#[must_use = "a guard that is dropped aborts the call"]
pub struct ExecutionGuard<'c, K: Eq + Hash, W> {
    cache: &'c mut ReplayCache<K, W>,
    /// `None` when it was finished.
    execution: Option<Execution>,
}

impl<'c, K: Eq + Hash, W> ExecutionGuard<'c, K, W> {
    pub(super) const fn new(cache: &'c mut ReplayCache<K, W>, execution: Execution) -> Self {
        Self { cache, execution: Some(execution) }
    }

    /// The call was run: as [`ReplayCache::finish`]. Counts once; from then on it answers
    /// [`Kept::Foreign`].
    pub fn finish(&mut self, reply: &[u8]) -> Finished<'_, W> {
        match self.execution.take() {
            Some(execution) => self.cache.finish(execution, reply),
            None => self.cache.finish_nothing(),
        }
    }
}

impl<K: Eq + Hash, W> Drop for ExecutionGuard<'_, K, W> {
    fn drop(&mut self) {
        if let Some(execution) = self.execution.take() {
            self.cache.orphan_waiters(&execution);
        }
    }
}
