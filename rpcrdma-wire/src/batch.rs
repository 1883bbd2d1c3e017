//! When to post receives and which sends to signal.
//!
//! Every doorbell and every completion costs an interrupt, a queue entry or a lock. [`Refill`] posts
//! receives in batches. [`Sends`] asks for one completion in k sends, which gives back the slots of
//! all sends before it: a send queue completes in order.
//!
//! ```
//! use nfswire_rdma::batch::Sends;
//!
//! let mut sends = Sends::new(64, 8, 1);
//! let mut signalled = Vec::new();
//! for _ in 0..16 {
//!     signalled.extend(sends.post(1, false)?.ticket);
//! }
//! assert_eq!((signalled.len(), sends.used()), (2, 16));
//! assert_eq!(sends.completed(signalled[0])?, 8);
//! assert_eq!(sends.used(), 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use thiserror::Error;

/// Posts receives in batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refill {
    target: u32,
    batch: u32,
}

impl Refill {
    /// Keeps between `target - batch` and `target` receives posted. A batch of zero counts as one,
    /// one above half the target as half of it, so that receives never run out for lack of a batch.
    #[inline]
    #[must_use]
    pub fn new(target: u32, batch: u32) -> Self {
        Self { target, batch: batch.min(target / 2).max(1) }
    }

    /// Receives to post at a time. Make the target this much larger than the credits to grant, so
    /// that a batch that is not due yet never lowers a grant.
    #[inline]
    #[must_use]
    pub const fn batch(&self) -> u32 {
        self.batch
    }

    /// How many receives to post now that `posted` are: zero, or at least a batch.
    #[inline]
    #[must_use]
    pub const fn due(&self, posted: u32) -> u32 {
        let missing = self.target.saturating_sub(posted);
        if missing >= self.batch { missing } else { 0 }
    }
}

/// Names a signalled send: the caller's word in its work request, and so in its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(pub u64);

/// What to do with a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// If there is one, ask for a completion, under this word. If not, do not.
    pub ticket: Option<Ticket>,
    /// Number of the send, from zero on, wrapping. [`Sends::is_done`] takes it.
    pub number: u32,
}

/// The send queue has no room for a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueueFull {
    /// Slots are in use by sends that will complete.
    #[error("{needed} slots are needed, {free} are free: wait for a completion")]
    Wait {
        /// Slots that are needed.
        needed: u32,
        /// Slots that are free.
        free: u32,
    },
    /// No completion makes enough room.
    #[error(
        "{needed} slots are needed, but a send was said to take at most {most}: give the queue more \
         slots, or spread the reply over fewer segments"
    )]
    Never {
        /// Slots that are needed.
        needed: u32,
        /// Slots that one send may take.
        most: u32,
    },
}

/// A completion for no signalled send that is outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a completion names no signalled send that is outstanding: check that every work request of the \
     queue carries its own ticket"
)]
pub struct NotOutstanding;

/// The send queue of one connection: which sends are signalled, and which slots are in use.
///
/// Slots are work requests. The RDMA Writes of a reply are posted in front of its Send, unsignalled,
/// and come back with it.
///
/// A send is signalled if it is the k-th since the last signalled one, or if after it the largest
/// send might not fit: unsignalled ones never fill the queue. So there are at most `sends / k + 1`
/// completions while sends take one slot each and the queue has k of them, and what a send uses is
/// held until at most k - 1 later ones are posted and the last of them completes. A connection that
/// falls silent keeps up to k - 1 sends; a send that must come back by itself is signalled on
/// request.
#[derive(Clone, Debug)]
pub struct Sends {
    depth: u32,
    every: u32,
    most: u32,
    /// All that was posted, what the last signalled send covers, and what came back. They wrap.
    posted: Mark,
    signalled: Mark,
    done: Mark,
}

/// A place in the queue: sends and slots before it, since the start, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    sends: u32,
    slots: u32,
}

impl Mark {
    const fn since(self, earlier: Self) -> Self {
        Self {
            sends: self.sends.wrapping_sub(earlier.sends),
            slots: self.slots.wrapping_sub(earlier.slots),
        }
    }

    const fn ticket(self) -> Ticket {
        Ticket((self.sends as u64) << 32 | self.slots as u64)
    }
}

impl Sends {
    /// An empty queue of `depth` slots, of which one send takes at most `most`, that signals one
    /// send in `every`. A zero counts as one, and `depth` is at least `most`.
    #[inline]
    #[must_use]
    pub fn new(depth: u32, every: u32, most: u32) -> Self {
        let (most, mark) = (most.max(1), Mark::default());
        let depth = depth.max(most);
        Self { depth, every: every.max(1), most, posted: mark, signalled: mark, done: mark }
    }

    /// Slots in use.
    #[inline]
    #[must_use]
    pub const fn used(&self) -> u32 {
        self.posted.since(self.done).slots
    }

    /// Slots that are free.
    #[inline]
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.depth.saturating_sub(self.used())
    }

    /// A send of `slots` work requests (zero counts as one) is to be posted, the last of them
    /// signalled if the answer says so, or if `signal` asks for it.
    ///
    /// # Errors
    /// [`QueueFull`]; then nothing changed. It is never [`QueueFull::Wait`] with no completion to
    /// come.
    #[inline]
    pub fn post(&mut self, slots: u32, signal: bool) -> Result<Posted, QueueFull> {
        let slots = slots.max(1);
        if slots > self.most {
            return Err(QueueFull::Never { needed: slots, most: self.most });
        }
        let free = self.free();
        if slots > free {
            return Err(QueueFull::Wait { needed: slots, free });
        }
        let number = self.posted.sends;
        self.posted.sends = number.wrapping_add(1);
        self.posted.slots = self.posted.slots.wrapping_add(slots);
        let run = self.posted.since(self.signalled);
        let crowded = run.slots.saturating_add(self.most) > self.depth;
        if signal || run.sends >= self.every || crowded {
            self.signalled = self.posted;
            Ok(Posted { ticket: Some(self.posted.ticket()), number })
        } else {
            Ok(Posted { ticket: None, number })
        }
    }

    /// A signalled send completed, and with it all before it. The answer is the number of sends
    /// that came back.
    ///
    /// # Errors
    /// [`NotOutstanding`] if no such send is outstanding; then nothing changed.
    #[inline]
    pub const fn completed(&mut self, ticket: Ticket) -> Result<u32, NotOutstanding> {
        let sends = (ticket.0 >> 32) as u32;
        let slots = (ticket.0 & 0xffff_ffff) as u32;
        let mark = Mark { sends, slots };
        let (back, most) = (mark.since(self.done), self.signalled.since(self.done));
        if back.sends == 0 || back.sends > most.sends || back.slots > most.slots {
            return Err(NotOutstanding);
        }
        self.done = mark;
        Ok(back.sends)
    }

    /// Whether send `number`, one of the last 2^31, came back: what it used is free.
    #[inline]
    #[must_use]
    pub const fn is_done(&self, number: u32) -> bool {
        self.posted.sends.wrapping_sub(number) > self.posted.since(self.done).sends
    }
}
