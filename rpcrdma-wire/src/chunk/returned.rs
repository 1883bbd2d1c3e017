//! Chunks as a reply returns them.

use super::{Chunks, Repr, Sink, one, raw_chunk, segment_of};
use crate::{placement::fill, types::Segment};

/// The chunks of a call as its reply returns them: the same segments, with the lengths that were
/// written (RFC 8166, sections 3.4.6 and 4.3.3). Made by [`Chunks::returned`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returned<'a> {
    pub(super) offered: Chunks<'a>,
    pub(super) used: &'a [u64],
    pub(super) reply_used: u64,
}

impl Returned<'_> {
    /// Bytes in the Reply chunk.
    #[inline]
    #[must_use]
    pub const fn reply_used(&self) -> u64 {
        self.reply_used
    }

    /// Bytes that the lists take in a header: those of the call without its Read list.
    #[inline]
    pub(crate) fn encoded_len(&self) -> u64 {
        let reads = match &self.offered.repr {
            Repr::Wire(lists) => (lists.writes as u64).saturating_sub(4),
            Repr::Made(lists) => (lists.reads.len() as u64).saturating_mul(24),
        };
        self.offered.encoded_len().saturating_sub(reads)
    }

    /// Puts the lists into a header.
    #[inline]
    pub(crate) fn put(&self, sink: &mut impl Sink) -> Option<()> {
        sink.word(0)?;
        let mut used = self.used.iter().copied();
        match &self.offered.repr {
            Repr::Wire(lists) => {
                let mut rest = lists.raw.get(lists.writes..)?;
                while one(&mut rest)? {
                    put_raw(raw_chunk(&mut rest)?, used.next().unwrap_or(0), sink)?;
                }
                if one(&mut rest)? {
                    sink.word(0)?;
                    return put_raw(raw_chunk(&mut rest)?, self.reply_used, sink);
                }
            }
            Repr::Made(lists) => {
                for chunk in lists.writes {
                    put_filled(chunk.iter().copied(), used.next().unwrap_or(0), sink)?;
                }
                if let Some(chunk) = lists.reply {
                    sink.word(0)?;
                    return put_filled(chunk.iter().copied(), self.reply_used, sink);
                }
            }
        }
        // The end of the Write list, and no Reply chunk.
        sink.pair(0, 0)
    }
}

#[inline]
fn put_raw(chunk: &[[u8; 16]], used: u64, sink: &mut impl Sink) -> Option<()> {
    put_filled(chunk.iter().map(|bytes| segment_of(*bytes)), used, sink)
}

/// A chunk whose first `used` bytes were written, and the word before it.
#[inline]
fn put_filled(
    chunk: impl ExactSizeIterator<Item = Segment>,
    used: u64,
    sink: &mut impl Sink,
) -> Option<()> {
    sink.pair(1, u32::try_from(chunk.len()).ok()?)?;
    fill(chunk, used).try_for_each(|segment| sink.segment(segment))
}
