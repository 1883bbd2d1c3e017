//! A receive buffer that owns its memory.

use alloc::vec::Vec;
use core::ops::Range;

use super::reader::size;
use super::{RecordLimits, RecordReader, Taken, Want};
use crate::RecordError;

/// A whole record in a [`RecordBuffer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'b> {
    /// The record's bytes in the buffer. Bytes that the caller took are missing.
    pub bytes: &'b [u8],
    /// The bytes that are missing, if any.
    pub taken: Option<Taken>,
}

/// A record of which a part is still on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arriving<'b> {
    /// Length of the whole record, in bytes.
    pub record_len: u32,
    /// Its first bytes, as far as they have come.
    pub at_hand: &'b [u8],
}

/// Receive buffer of one connection: finds records in what was received, in place.
///
/// ```
/// use nfswire_rpc::RecordBuffer;
/// let mut buffer = RecordBuffer::default();
/// # let stream = b"\x80\x00\x00\x04abcd\x80\x00\x00\x02e";
/// # let receive = |room: &mut [u8]| (room[..stream.len()].copy_from_slice(stream), stream.len()).1;
/// let n = receive(buffer.spare());          // a socket's receive call; 0 is the stream's end
/// buffer.filled(n)?;
/// while let Some(record) = buffer.next_record()? {
///     assert_eq!(record, b"abcd");
/// }
/// assert_eq!(buffer.want().bytes(), 1);     // one byte of the second record is missing
/// # Ok::<(), nfswire_rpc::RecordError>(())
/// ```
///
/// # Memory
/// Nothing is allocated before the first [`spare`](Self::spare). The buffer then has
/// [`FIRST_ROOM`](Self::FIRST_ROOM) bytes and doubles only when received bytes have filled it, up
/// to what the record in arrival needs: what a mark announces is never allocated ahead. At no time
/// is it larger than `FIRST_ROOM` + 2 × the bytes received of the record in arrival, or than the
/// largest it had been before. New memory is zeroed once, when it is allocated.
///
/// The buffer keeps its size, so that a connection that sends large records grows it once.
/// [`shrink`](Self::shrink) gives memory back; the owner calls it when the connection is idle.
///
/// # Copies
/// A record of one fragment stays where it was received, with one exception: the part of a record
/// that arrived together with earlier ones is moved to the front when the room behind it does not
/// hold the rest. When a record larger than `FIRST_ROOM` is in arrival, [`spare`](Self::spare) ends
/// at its last byte, so that the next record starts in an empty buffer.
#[derive(Debug)]
pub struct RecordBuffer {
    /// All of it is initialized; `len()` is the room.
    bytes: Vec<u8>,
    filled: usize,
    reader: RecordReader,
    limits: RecordLimits,
    /// Place of the record that was handed out last.
    last: Range<usize>,
}

impl Default for RecordBuffer {
    fn default() -> Self {
        Self::new(RecordLimits::DEFAULT)
    }
}

impl RecordBuffer {
    /// Room that the first [`spare`](Self::spare) gets, and read-ahead behind the record in
    /// arrival: 16 KiB.
    pub const FIRST_ROOM: usize = 16 << 10;
    /// Less room than this is not worth a receive call.
    const SMALL_ROOM: usize = 2 << 10;

    /// An empty buffer at the start of a stream.
    #[must_use]
    pub const fn new(limits: RecordLimits) -> Self {
        Self { bytes: Vec::new(), filled: 0, reader: RecordReader::new(limits), limits, last: 0..0 }
    }

    /// Room to receive into: the bytes of the record in arrival come to their final place.
    ///
    /// Call it after [`next_record`](Self::next_record) answered `None`. The slice is empty only
    /// when memory could not be had, which `next_record` then reports, or when the caller let whole
    /// records pile up beyond the limits.
    pub fn spare(&mut self) -> &mut [u8] {
        if let Err(error) = self.make_room() {
            self.reader.fail(error);
        }
        let end = match self.reader.want() {
            Want::Body(n) if self.is_drained() && self.is_large(n) => {
                self.filled.saturating_add(size(n))
            }
            _ => usize::MAX,
        };
        let end = end.min(self.bytes.len());
        self.bytes.get_mut(self.filled..end).unwrap_or_default()
    }

    /// Tells that the first `n` bytes of [`spare`](Self::spare) were received.
    ///
    /// # Errors
    /// [`RecordError::Overrun`] if `n` is more than the room.
    pub fn filled(&mut self, n: usize) -> Result<(), RecordError> {
        let room = self.bytes.len().saturating_sub(self.filled);
        if n > room {
            return Err(self.reader.overrun(n, room));
        }
        self.filled = self.filled.saturating_add(n);
        Ok(())
    }

    /// The next whole record; `None` when more must be received first.
    ///
    /// Bytes reported by [`take`](Self::take) are missing in it; [`next`](Self::next) says where.
    ///
    /// # Errors
    /// A mark above the limits, or no memory. The connection must be closed; the error stays.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>, RecordError> {
        Ok(self.next()?.map(|record| record.bytes))
    }

    /// Like [`next_record`](Self::next_record), with the place of the bytes that were taken.
    ///
    /// # Errors
    /// As `next_record`.
    #[expect(
        clippy::should_implement_trait,
        reason = "the record borrows the buffer: not an iterator"
    )]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, RecordError> {
        let Some(place) =
            self.reader.advance(self.bytes.get_mut(..self.filled).unwrap_or_default())?
        else {
            self.filled = self.reader.place();
            return Ok(None);
        };
        self.last = place.clone();
        let bytes = self.bytes.get(place).unwrap_or_default();
        Ok(Some(Record { bytes, taken: self.reader.taken() }))
    }

    /// The record that [`next_record`](Self::next_record) answered last, once more: after a look at
    /// [`is_at_boundary`](Self::is_at_boundary), for example, which says whether the buffer can be handed on with it.
    /// Meaningless after the next call of `next_record` or [`spare`](Self::spare).
    #[must_use]
    pub fn last_record(&self) -> &[u8] {
        self.bytes.get(self.last.clone()).unwrap_or_default()
    }

    /// The record in arrival, once its length is known and [`next_record`](Self::next_record)
    /// answered `None`: what a client decodes to find the payload that is still on the wire.
    ///
    /// `None` before the mark of the last fragment, and when bytes were taken already.
    #[must_use]
    pub fn arriving(&self) -> Option<Arriving<'_>> {
        if !self.is_drained() || self.reader.taken().is_some() {
            return None;
        }
        let record_len = self.reader.record_len()?;
        Some(Arriving {
            record_len,
            at_hand: self.bytes.get(self.reader.held()).unwrap_or_default(),
        })
    }

    /// How many of the next bytes on the wire the caller may receive into memory of its own: see
    /// [`take`](Self::take).
    #[must_use]
    pub fn takable(&self) -> u32 {
        if self.is_drained() { self.reader.takable() } else { 0 }
    }

    /// Tells that the next `n` bytes on the wire were received elsewhere: the payload of the record
    /// in arrival, behind the part that is at hand. May be called again after a short read. One run
    /// of bytes can be taken of each record.
    ///
    /// # Errors
    /// [`RecordError::Overrun`] if `n` is above [`takable`](Self::takable).
    pub fn take(&mut self, n: u32) -> Result<(), RecordError> {
        if self.is_drained() { self.reader.take(n) } else { Err(self.reader.overrun(size(n), 0)) }
    }

    /// What the stream must bring next.
    #[must_use]
    pub const fn want(&self) -> Want {
        self.reader.want()
    }

    /// Whether the stream may end here: everything received was handed out in whole records.
    #[must_use]
    pub const fn is_at_boundary(&self) -> bool {
        self.is_drained() && self.reader.is_at_boundary()
    }

    /// The limits of its records.
    #[must_use]
    pub const fn limits(&self) -> RecordLimits {
        self.limits
    }

    /// Bytes of memory in use.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Gives memory above `keep` bytes back, as far as received bytes allow.
    pub fn shrink(&mut self, keep: usize) {
        let keep = keep.max(self.filled);
        if keep < self.bytes.len() {
            self.bytes.truncate(keep);
            self.bytes.shrink_to_fit();
        }
    }

    const fn is_drained(&self) -> bool {
        self.reader.place() == self.filled
    }

    /// Whether the record in arrival, of which `wanted` bytes are missing, is better not received
    /// together with what follows it.
    fn is_large(&self, wanted: u32) -> bool {
        size(self.reader.received().saturating_add(wanted)) > Self::FIRST_ROOM
    }

    fn make_room(&mut self) -> Result<(), RecordError> {
        let drained = self.is_drained();
        if drained && self.reader.base() == self.filled {
            // Nothing of a record is held.
            self.reader.rebase(self.filled)?;
            self.filled = 0;
        }
        let wanted = if drained { size(self.reader.want().bytes()) } else { Self::FIRST_ROOM };
        let room = self.bytes.len().saturating_sub(self.filled);
        if room >= wanted {
            return Ok(());
        }
        let base = self.reader.base();
        if base > 0 {
            self.bytes.copy_within(base..self.filled, 0);
            self.reader.rebase(base)?;
            self.filled = self.filled.saturating_sub(base);
        }
        let room = self.bytes.len().saturating_sub(self.filled);
        if room < wanted.min(Self::SMALL_ROOM) { self.grow(wanted) } else { Ok(()) }
    }

    /// Doubles the buffer, no further than a record with `wanted` more bytes needs.
    fn grow(&mut self, wanted: usize) -> Result<(), RecordError> {
        // The limit leaves room for a read behind the longest record.
        let limit = size(self.limits.max_record).saturating_add(Self::FIRST_ROOM);
        let need = self.filled.saturating_add(wanted).saturating_add(Self::SMALL_ROOM);
        let len = self.bytes.len().saturating_mul(2).min(need).max(Self::FIRST_ROOM).min(limit);
        let more = len.saturating_sub(self.bytes.len());
        self.bytes.try_reserve_exact(more).map_err(|_| RecordError::NoMemory { bytes: len })?;
        if more > 0 {
            self.bytes.resize(len, 0);
        }
        Ok(())
    }
}
