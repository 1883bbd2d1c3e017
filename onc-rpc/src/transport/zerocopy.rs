//! Which buffers the kernel still reads.

use alloc::collections::VecDeque;

use thiserror::Error;

use super::{NoMemory, reserved};

/// Bounds and thresholds of a [`ZerocopyTracker`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZerocopyLimits {
    /// Most sends that the kernel has not reported yet.
    pub max_sends: u32,
    /// Most buffers that it may still read.
    pub max_buffers: u32,
    /// Shorter sends are copied: below this, pinning pages costs more. In bytes.
    pub min_len: u64,
    /// After this many sends that the kernel copied all the same, all are copied.
    pub max_copied: u32,
}

impl ZerocopyLimits {
    /// 1024 sends, 1024 buffers, from 16 KiB on, given up at the first send that was copied.
    pub const DEFAULT: Self =
        Self { max_sends: 1024, max_buffers: 1024, min_len: 16 << 10, max_copied: 1 };
}

impl Default for ZerocopyLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How the next bytes are to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third way")]
pub enum SendMode {
    /// With `MSG_ZEROCOPY`: report success with [`ZerocopyTracker::sent`].
    Zerocopy,
    /// Without.
    Copy,
}

/// A buffer given to a [`ZerocopyTracker`]. Later ones compare greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(u64);

/// The tracker holds as many buffers as it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the kernel may still read {limit} buffers, which is the limit: take its reports in, or copy"
)]
pub struct TooManyBuffers<T> {
    /// The limit.
    pub limit: u32,
    /// The token, given back.
    pub token: T,
}

/// A send or a closing names a buffer that is not open, or a send goes above the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "buffers {first:?} to {last:?} are not all open, or more sends than allowed wait to be \
     reported: this is a fault of the caller"
)]
pub struct UnknownBuffer {
    /// First buffer named.
    pub first: BufferId,
    /// Last buffer named.
    pub last: BufferId,
}

/// The kernel's report names a send that is not waited for.
///
/// Nothing was released for it: a buffer kept too long is better than one changed too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "sends {first} to {last} were reported complete, but not all of them wait: the report belongs \
     to another socket, or came twice"
)]
pub struct UnknownSend {
    /// First send of the report (`ee_info`).
    pub first: u32,
    /// Last send of the report (`ee_data`).
    pub last: u32,
}

/// What a tracker saw, from [`ZerocopyTracker::stats`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ZerocopyStats {
    /// Sends with `MSG_ZEROCOPY`.
    pub sends: u64,
    /// Those that were reported complete.
    pub completed: u64,
    /// Those of them that the kernel copied.
    pub copied: u64,
    /// Sends that failed with `ENOBUFS`.
    pub no_buffers: u64,
}

#[derive(Debug)]
struct Buffer<T> {
    /// `None` when it was released.
    token: Option<T>,
    /// Sends that use it and are not reported.
    pending: u32,
    /// No further send will use it.
    closed: bool,
}

#[derive(Debug)]
struct Send {
    first: u64,
    last: u64,
    done: bool,
}

/// The buffers that the kernel still reads after sends with `MSG_ZEROCOPY` on one TCP socket, and
/// the advice whether such sends are worth it.
///
/// The kernel numbers the successful `MSG_ZEROCOPY` sends of a socket from 0 on, wrapping at 2^32,
/// and reports on the socket's error queue which numbers are complete: as ranges, which may be
/// merged and out of order. Until then it reads the memory of the sends, which must not change.
///
/// A buffer (a message with its head and payloads) is [opened](Self::open), takes part in any
/// number of sends, several of which may be in one buffer and several buffers in one send, and is
/// [closed](Self::close) when its last byte was given to the kernel. Its token comes back exactly
/// once: from `close`, if the kernel reads none of it any more, else from
/// [`pop_released`](Self::pop_released).
///
/// **Fallback.** [`mode`](Self::mode) says [`SendMode::Copy`] for short sends, while the tracker is
/// full, after `ENOBUFS` until the kernel reports a send that waited then, and for good when the kernel says
/// that it copies anyway (`SO_EE_CODE_ZEROCOPY_COPIED`; on loopback it always does).
///
/// Memory is reserved by [`new`](Self::new); a report costs as much as the sends and buffers that
/// it is about.
///
/// ```
/// use nfswire_rpc::{SendMode, ZerocopyLimits, ZerocopyTracker};
/// let mut tracker = ZerocopyTracker::new(ZerocopyLimits::DEFAULT)?;
/// let reply = tracker.open("reply with payload")?;
/// assert_eq!(tracker.mode(1 << 20), SendMode::Zerocopy);
/// tracker.sent(reply, reply)?;              // send 0 took the first half,
/// tracker.sent(reply, reply)?;              // send 1 the rest
/// assert_eq!(tracker.close(reply)?, None);  // the kernel still reads it
///
/// // From the error queue: ee_info, ee_data, ee_code & SO_EE_CODE_ZEROCOPY_COPIED.
/// tracker.completed(1, 1, false)?;
/// assert_eq!(tracker.pop_released(), None);
/// tracker.completed(0, 0, false)?;
/// assert_eq!(tracker.pop_released(), Some("reply with payload"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ZerocopyTracker<T> {
    limits: ZerocopyLimits,
    /// Sends from `first_send` on; those in front that are done are taken out.
    sends: VecDeque<Send>,
    first_send: u32,
    /// Buffers from `first_buffer` on; those in front that are released are taken out.
    buffers: VecDeque<Buffer<T>>,
    first_buffer: u64,
    released: VecDeque<T>,
    /// `ENOBUFS` came after the last report.
    starved: bool,
    stats: ZerocopyStats,
}

impl<T> ZerocopyTracker<T> {
    /// A tracker for a socket on which nothing was sent with `MSG_ZEROCOPY` yet.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(limits: ZerocopyLimits) -> Result<Self, NoMemory> {
        Self::from_send(limits, 0)
    }

    /// A tracker for a socket whose next send has the number `next`.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn from_send(limits: ZerocopyLimits, next: u32) -> Result<Self, NoMemory> {
        let size = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        Ok(Self {
            limits,
            sends: reserved(size(limits.max_sends))?.into(),
            first_send: next,
            buffers: reserved(size(limits.max_buffers))?.into(),
            first_buffer: 0,
            released: reserved(size(limits.max_buffers))?.into(),
            starved: false,
            stats: ZerocopyStats::default(),
        })
    }

    /// Takes a buffer in that the next sends will use. Buffers are sent in the order in which they
    /// are opened.
    ///
    /// # Errors
    /// [`TooManyBuffers`]. Released ones count until they are taken out and all opened before them
    /// are released.
    pub fn open(&mut self, token: T) -> Result<BufferId, TooManyBuffers<T>> {
        let held = self.buffers.len().saturating_add(self.released.len());
        let limit = self.limits.max_buffers;
        if held >= usize::try_from(limit).unwrap_or(usize::MAX) {
            return Err(TooManyBuffers { limit, token });
        }
        let id = BufferId(self.first_buffer.saturating_add(self.buffers.len() as u64));
        self.buffers.push_back(Buffer { token: Some(token), pending: 0, closed: false });
        Ok(id)
    }

    /// How to send the next `len` bytes.
    #[must_use]
    pub fn mode(&self, len: u64) -> SendMode {
        let starved = self.starved && !self.sends.is_empty();
        let copy = len < self.limits.min_len || starved || self.is_full() || self.has_given_up();
        if copy { SendMode::Copy } else { SendMode::Zerocopy }
    }

    fn is_full(&self) -> bool {
        self.sends.len() >= usize::try_from(self.limits.max_sends).unwrap_or(usize::MAX)
    }

    /// Whether the kernel copied so many sends that the flag is not worth it on this socket.
    #[must_use]
    pub fn has_given_up(&self) -> bool {
        self.stats.copied >= u64::from(self.limits.max_copied)
    }

    /// A send with `MSG_ZEROCOPY` took bytes of the buffers `first` to `last`, possibly not all.
    /// Returns its number.
    ///
    /// To be called for each such send that took at least one byte, and for no other: the kernel
    /// counts those. [`mode`](Self::mode) was [`SendMode::Zerocopy`], so there is room.
    ///
    /// # Errors
    /// [`UnknownBuffer`]; nothing is changed.
    pub fn sent(&mut self, first: BufferId, last: BufferId) -> Result<u32, UnknownBuffer> {
        let error = UnknownBuffer { first, last };
        let open = |buffer: &Buffer<T>| !buffer.closed && buffer.token.is_some();
        let named = last.0.checked_sub(first.0).and_then(|more| more.checked_add(1));
        let known = self.range(first.0, last.0).filter(|buffer| open(buffer)).count();
        if self.is_full() || named != Some(known as u64) {
            return Err(error);
        }
        for buffer in self.range_mut(first.0, last.0) {
            // At most one for each send, which fit 32 bits.
            buffer.pending = buffer.pending.saturating_add(1);
        }
        let number = self.next_send();
        self.sends.push_back(Send { first: first.0, last: last.0, done: false });
        self.stats.sends = self.stats.sends.saturating_add(1);
        Ok(number)
    }

    /// The number that the kernel gives the next send.
    #[must_use]
    pub fn next_send(&self) -> u32 {
        self.first_send.wrapping_add(u32::try_from(self.sends.len()).unwrap_or(u32::MAX))
    }

    /// A send failed with `ENOBUFS`: the socket may not pin more memory. It took no number. Send
    /// the same bytes again without the flag. The advice is [`SendMode::Copy`] until the kernel
    /// reports a send, or at once [`SendMode::Zerocopy`] again if none waits to be reported.
    pub const fn no_buffers(&mut self) {
        self.starved = true;
        self.stats.no_buffers = self.stats.no_buffers.saturating_add(1);
    }

    /// The last byte of a buffer was given to the kernel, in whatever way. Returns its token if the
    /// kernel does not read it any more.
    ///
    /// # Errors
    /// [`UnknownBuffer`]: it was closed before.
    pub fn close(&mut self, id: BufferId) -> Result<Option<T>, UnknownBuffer> {
        let error = UnknownBuffer { first: id, last: id };
        let buffer = self.range_mut(id.0, id.0).next().filter(|b| !b.closed).ok_or(error)?;
        buffer.closed = true;
        let token = if buffer.pending == 0 { buffer.token.take() } else { None };
        self.trim();
        Ok(token)
    }

    /// The kernel's report: the sends `first` to `last` are complete, numbers that wrap. `copied`:
    /// it had to copy (the report's code has the bit `SO_EE_CODE_ZEROCOPY_COPIED`). Then ask
    /// [`pop_released`](Self::pop_released).
    ///
    /// # Errors
    /// [`UnknownSend`] if any of them does not wait; nothing is changed.
    pub fn completed(&mut self, first: u32, last: u32, copied: bool) -> Result<(), UnknownSend> {
        let error = UnknownSend { first, last };
        let size = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let from = size(first.wrapping_sub(self.first_send));
        let count = size(last.wrapping_sub(first)).saturating_add(1);
        let to = from.saturating_add(count);
        if to > self.sends.len() || self.sends.range(from..to).any(|send| send.done) {
            return Err(error);
        }
        for i in from..to {
            let Some(send) = self.sends.get_mut(i) else { break };
            send.done = true;
            let (first, last) = (send.first, send.last);
            self.finish(first, last);
        }
        while self.sends.front().is_some_and(|send| send.done) {
            self.sends.pop_front();
            self.first_send = self.first_send.wrapping_add(1);
        }
        self.trim();
        self.starved = false;
        let count = count as u64;
        self.stats.completed = self.stats.completed.saturating_add(count);
        if copied {
            self.stats.copied = self.stats.copied.saturating_add(count);
        }
        Ok(())
    }

    /// A send that used these buffers is complete.
    fn finish(&mut self, first: u64, last: u64) {
        let (buffers, released) = (&mut self.buffers, &mut self.released);
        let skip = usize::try_from(first.saturating_sub(self.first_buffer)).unwrap_or(usize::MAX);
        let count = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX);
        for buffer in buffers.iter_mut().skip(skip).take(count.saturating_add(1)) {
            buffer.pending = buffer.pending.saturating_sub(1);
            if buffer.pending == 0 && buffer.closed {
                released.extend(buffer.token.take());
            }
        }
    }

    /// A token whose buffer the kernel does not read any more.
    pub fn pop_released(&mut self) -> Option<T> {
        self.released.pop_front()
    }

    /// The socket is gone, and so are the sends: takes any token out.
    ///
    /// Closing a socket does not make the kernel stop: it may send what it has for a while. Wait for
    /// its reports first, reset the connection, or do not reuse the memory.
    pub fn abandon(&mut self) -> Option<T> {
        self.first_send = self.next_send();
        self.sends.clear();
        loop {
            if let Some(token) = self.released.pop_front() {
                return Some(token);
            }
            let buffer = self.buffers.pop_front()?;
            self.first_buffer = self.first_buffer.saturating_add(1);
            if buffer.token.is_some() {
                return buffer.token;
            }
        }
    }

    /// Sends that wait to be reported, those done behind one that is not included.
    #[must_use]
    pub fn pending_sends(&self) -> usize {
        self.sends.len()
    }

    /// Whether the kernel reads nothing any more and all tokens were taken out.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.buffers.is_empty() && self.released.is_empty() && self.sends.is_empty()
    }

    /// What happened so far.
    #[must_use]
    pub const fn stats(&self) -> ZerocopyStats {
        self.stats
    }

    fn range(&self, first: u64, last: u64) -> impl Iterator<Item = &Buffer<T>> {
        let (skip, count) = self.place(first, last);
        self.buffers.iter().skip(skip).take(count)
    }

    fn range_mut(&mut self, first: u64, last: u64) -> impl Iterator<Item = &mut Buffer<T>> {
        let (skip, count) = self.place(first, last);
        self.buffers.iter_mut().skip(skip).take(count)
    }

    /// Where buffers lie: how many to skip, how many there are. Those taken out are not there.
    fn place(&self, first: u64, last: u64) -> (usize, usize) {
        let from = first.max(self.first_buffer);
        let skip = from.saturating_sub(self.first_buffer);
        let count = last.checked_sub(from).map_or(0, |more| more.saturating_add(1));
        let size = |n| usize::try_from(n).unwrap_or(usize::MAX);
        (size(skip), size(count))
    }

    /// Takes released buffers out in front.
    fn trim(&mut self) {
        while self.buffers.front().is_some_and(|buffer| buffer.token.is_none()) {
            self.buffers.pop_front();
            self.first_buffer = self.first_buffer.saturating_add(1);
        }
    }
}
