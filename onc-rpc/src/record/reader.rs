//! The receiving state machine, on memory that the caller owns.

use core::ops::Range;

use super::{FragmentHeader, RecordLimits};
use crate::RecordError;

/// What a [`RecordReader`] can use next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Want {
    /// This many bytes (1 to 4) of a mark.
    Header(u32),
    /// This many bytes of the fragment that is arriving.
    Body(u32),
}

impl Want {
    /// The number of bytes, whatever they are for.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Header(n) | Self::Body(n) => n,
        }
    }
}

/// Bytes of a record that the caller read straight into memory of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Offset in the record of the first byte taken.
    pub at: u32,
    /// Number of bytes taken.
    pub len: u32,
}

/// Finds records in a stream, incrementally, in the caller's receive buffer.
///
/// The reader never allocates, and moves bytes only to close the gaps that marks leave inside a
/// record of several fragments: a record of one fragment is found where it was received. The caller
///
/// 1. receives bytes at [`place`](Self::place) of its buffer,
/// 2. calls [`advance`](Self::advance) with the filled part of the buffer until it answers `None`,
/// 3. may move what is left to the front ([`base`](Self::base), [`rebase`](Self::rebase)) when it
///    runs out of room.
///
/// [`RecordBuffer`](super::RecordBuffer) does these steps on a `Vec`.
///
/// ```
/// use nfswire_rpc::{RecordLimits, RecordReader};
/// let mut reader = RecordReader::new(RecordLimits::DEFAULT);
/// // A record of two fragments, then the start of the next mark.
/// let mut buffer = *b"\x00\x00\x00\x02ab\x80\x00\x00\x01c\x80\x00";
/// let record = reader.advance(&mut buffer)?.expect("a whole record");
/// assert_eq!(&buffer[record], b"abc");
/// assert_eq!(reader.advance(&mut buffer)?, None);
/// assert_eq!(reader.want().bytes(), 2);
/// # Ok::<(), nfswire_rpc::RecordError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RecordReader {
    limits: RecordLimits,
    /// Where the record under assembly starts in the buffer.
    start: usize,
    /// Its bytes in the buffer, in one piece from `start` on.
    held: u32,
    /// Where the stream goes on in the buffer. Equal to `start + held` unless marks left a gap.
    scan: usize,
    /// Bytes of the current fragment that have not come yet.
    left: u32,
    /// The current fragment is the last one.
    last: bool,
    /// Marks seen in this record.
    fragments: u32,
    /// A mark in arrival: its bytes so far, and how many.
    mark: u32,
    mark_len: u32,
    /// Bytes of this record that the caller took.
    taken: Taken,
    failed: Option<RecordError>,
}

impl RecordReader {
    /// A reader at the start of a stream.
    #[must_use]
    pub const fn new(limits: RecordLimits) -> Self {
        Self {
            limits,
            start: 0,
            held: 0,
            scan: 0,
            left: 0,
            last: false,
            fragments: 0,
            mark: 0,
            mark_len: 0,
            taken: Taken { at: 0, len: 0 },
            failed: None,
        }
    }

    /// Looks at the filled part of the buffer: all bytes received so far, from the buffer's start.
    ///
    /// `Some(range)`: a whole record lies at that place of `buffer` (without the bytes of
    /// [`taken`](Self::taken)), the bytes behind it were not looked at. It may be used until the
    /// buffer is received into. Empty records are skipped: they are no message. `None`: every byte
    /// was used; the next ones belong at [`place`](Self::place).
    ///
    /// # Errors
    /// A mark above the limits; the same error again from then on.
    pub fn advance(&mut self, buffer: &mut [u8]) -> Result<Option<Range<usize>>, RecordError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        loop {
            if self.left > 0 {
                self.body(buffer);
                if self.left > 0 {
                    self.settle();
                    return Ok(None);
                }
            }
            if self.last {
                if let Some(record) = self.complete() {
                    return Ok(Some(record));
                }
            } else if !self.mark(buffer)? {
                self.settle();
                return Ok(None);
            }
        }
    }

    /// Takes what is there of the current fragment, down to the end of the record so far.
    fn body(&mut self, buffer: &mut [u8]) {
        let there = u32::try_from(buffer.len().saturating_sub(self.scan))
            .unwrap_or(u32::MAX)
            .min(self.left);
        let end = self.scan.saturating_add(size(there));
        let to = self.start.saturating_add(size(self.held));
        if to != self.scan && there > 0 {
            buffer.copy_within(self.scan..end, to);
        }
        self.scan = end;
        self.held = self.held.saturating_add(there);
        self.left = self.left.saturating_sub(there);
    }

    /// Collects a mark; false if it is not complete yet.
    #[inline]
    fn mark(&mut self, buffer: &[u8]) -> Result<bool, RecordError> {
        let rest = buffer.get(self.scan..).unwrap_or_default();
        let header = match rest.first_chunk() {
            Some(bytes) if self.mark_len == 0 => {
                self.scan = self.scan.saturating_add(bytes.len());
                FragmentHeader::from_bytes(*bytes)
            }
            _ => match self.mark_in_pieces(rest) {
                Some(header) => header,
                None => return Ok(false),
            },
        };
        self.check(header)?;
        if self.fragments == 0 {
            self.taken = Taken { at: 0, len: 0 };
        }
        self.fragments = self.fragments.saturating_add(1);
        self.left = header.fragment_len();
        self.last = header.is_last();
        if self.held == 0 {
            self.start = self.scan;
        }
        Ok(true)
    }

    #[cold]
    fn mark_in_pieces(&mut self, rest: &[u8]) -> Option<FragmentHeader> {
        let missing = FragmentHeader::SIZE.saturating_sub(self.mark_len);
        for byte in rest.iter().take(size(missing)) {
            self.mark = self.mark << 8 | u32::from(*byte);
            self.mark_len = self.mark_len.saturating_add(1);
            self.scan = self.scan.saturating_add(1);
        }
        if self.mark_len < FragmentHeader::SIZE {
            return None;
        }
        let header = FragmentHeader::from_word(self.mark);
        (self.mark, self.mark_len) = (0, 0);
        Some(header)
    }

    #[inline]
    fn check(&mut self, mark: FragmentHeader) -> Result<(), RecordError> {
        let (announced, received, limit) =
            (mark.fragment_len(), self.received(), self.limits.max_record);
        if received.checked_add(announced).is_none_or(|total| total > limit) {
            return Err(self.fail(RecordError::TooLarge { announced, received, limit }));
        }
        let limit = self.limits.max_fragments;
        if self.fragments >= limit {
            return Err(self.fail(RecordError::TooManyFragments { limit }));
        }
        Ok(())
    }

    /// Ends the record; `None` if it was empty.
    fn complete(&mut self) -> Option<Range<usize>> {
        let record = self.start..self.start.saturating_add(size(self.held));
        let empty = self.received() == 0;
        // `taken` stays until the next record begins, so that the caller can ask for it.
        self.start = self.scan;
        self.held = 0;
        self.last = false;
        self.fragments = 0;
        (!empty).then_some(record)
    }

    /// All bytes are used: the gap that marks left is no gap any more, the stream goes on right
    /// behind the record.
    fn settle(&mut self) {
        if self.fragments == 0 {
            self.start = self.scan;
        } else {
            self.scan = self.start.saturating_add(size(self.held));
        }
    }

    /// What the reader can use next, for a caller that reads exactly what is needed.
    ///
    /// Reading more is fine: bytes of later records are found in their place.
    #[must_use]
    pub const fn want(&self) -> Want {
        if self.left > 0 {
            Want::Body(self.left)
        } else {
            Want::Header(FragmentHeader::SIZE.saturating_sub(self.mark_len))
        }
    }

    /// Offset in the buffer at which the stream goes on.
    ///
    /// After [`advance`](Self::advance) answered `None`, the next bytes received belong here: those
    /// of a fragment are then in their final place. Nothing behind this offset is in use then.
    /// After a record, the bytes from here on were not looked at yet.
    #[must_use]
    pub const fn place(&self) -> usize {
        self.scan
    }

    /// Offset of the first byte in the buffer that the reader still needs.
    #[must_use]
    pub const fn base(&self) -> usize {
        self.start
    }

    /// Tells the reader that the buffer's content moved `by` bytes to the front, at most
    /// [`base`](Self::base).
    ///
    /// # Errors
    /// [`RecordError::Overrun`] if needed bytes were dropped.
    pub fn rebase(&mut self, by: usize) -> Result<(), RecordError> {
        if by > self.start {
            return Err(self.overrun(by, self.start));
        }
        self.start = self.start.saturating_sub(by);
        self.scan = self.scan.saturating_sub(by);
        Ok(())
    }

    /// Whether the stream may end here: no byte of a further record has been used.
    #[must_use]
    pub const fn is_at_boundary(&self) -> bool {
        self.fragments == 0 && self.mark_len == 0
    }

    /// Length of the record in arrival, as soon as it is known: when the mark of its last fragment
    /// has come.
    #[must_use]
    pub const fn record_len(&self) -> Option<u32> {
        if self.last { Some(self.received().saturating_add(self.left)) } else { None }
    }

    /// Bytes of the record in arrival so far, in the buffer or taken by the caller.
    #[must_use]
    pub const fn received(&self) -> u32 {
        self.held.saturating_add(if self.fragments == 0 { 0 } else { self.taken.len })
    }

    /// Place in the buffer of the bytes of the record in arrival, taken bytes not among them.
    #[must_use]
    pub fn held(&self) -> Range<usize> {
        self.start..self.start.saturating_add(size(self.held))
    }

    /// How many of the next bytes the caller may read straight into memory of its own and report
    /// with [`take`](Self::take). Valid after [`advance`](Self::advance) answered `None`.
    ///
    /// 0 between records, and when bytes were received into the buffer after others had been taken:
    /// one run of bytes can be taken of each record.
    #[must_use]
    pub const fn takable(&self) -> u32 {
        if self.taken.len == 0 || self.taken.at == self.held { self.left } else { 0 }
    }

    /// Tells the reader that the next `n` bytes of the stream were read elsewhere: they belong to
    /// the record but will not be in the buffer.
    ///
    /// # Errors
    /// [`RecordError::Overrun`] if `n` is above [`takable`](Self::takable).
    pub fn take(&mut self, n: u32) -> Result<(), RecordError> {
        let allowed = self.takable();
        if n > allowed {
            return Err(self.overrun(size(n), size(allowed)));
        }
        if self.taken.len == 0 {
            self.taken.at = self.held;
        }
        self.taken.len = self.taken.len.saturating_add(n);
        self.left = self.left.saturating_sub(n);
        Ok(())
    }

    /// The bytes taken of the record that [`advance`](Self::advance) found last, or of the one in
    /// arrival.
    #[must_use]
    pub const fn taken(&self) -> Option<Taken> {
        if self.taken.len == 0 { None } else { Some(self.taken) }
    }

    /// Why the reader stopped for good, if it did.
    #[must_use]
    pub const fn failure(&self) -> Option<RecordError> {
        self.failed
    }

    /// Ends the stream; the first reason stays.
    #[cold]
    pub(super) fn fail(&mut self, error: RecordError) -> RecordError {
        *self.failed.get_or_insert(error)
    }

    /// Ends the stream with a fault of the caller.
    pub(super) fn overrun(&mut self, reported: usize, allowed: usize) -> RecordError {
        self.fail(RecordError::Overrun { reported, allowed })
    }
}

/// A record length as an index. Lengths are below the caller's buffer length, so nothing is lost
/// where `usize` is narrower than 32 bits.
pub(super) fn size(len: u32) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}
