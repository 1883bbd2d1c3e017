//! Read chunks: segments of one position that follow each other.

use core::fmt;

use super::{padded, segment_of};
use crate::types::{ReadSegment, Segment};

#[derive(Clone)]
pub(super) enum Reads<'a> {
    /// With the word before each.
    Wire(&'a [[u8; 24]]),
    Made(&'a [ReadSegment]),
}

impl Reads<'_> {
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<ReadSegment> {
        match self {
            Self::Wire(rest) => {
                let (first, behind) = rest.split_first()?;
                *rest = behind;
                let [_, _, _, _, a, b, c, d, target @ ..] = *first;
                let position = u32::from_be_bytes([a, b, c, d]);
                Some(ReadSegment { position, target: segment_of(target) })
            }
            Self::Made(rest) => {
                let (first, behind) = rest.split_first()?;
                *rest = behind;
                Some(*first)
            }
        }
    }

    /// The segment, if it is the only one.
    #[inline(always)]
    pub(super) fn only(&self) -> Option<ReadSegment> {
        let mut rest = self.clone();
        let first = rest.next()?;
        let alone = match rest {
            Self::Wire(rest) => rest.is_empty(),
            Self::Made(rest) => rest.is_empty(),
        };
        alone.then_some(first)
    }

    /// The first `count`.
    fn take(&self, count: usize) -> Self {
        match self {
            Self::Wire(all) => Self::Wire(all.get(..count).unwrap_or(all)),
            Self::Made(all) => Self::Made(all.get(..count).unwrap_or(all)),
        }
    }
}

/// Segments of the Read list, in order.
#[derive(Clone)]
pub struct ReadSegments<'a>(pub(super) Reads<'a>);

impl Iterator for ReadSegments<'_> {
    type Item = ReadSegment;

    #[inline(always)]
    fn next(&mut self) -> Option<ReadSegment> {
        self.0.next()
    }
}

impl fmt::Debug for ReadSegments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// A Read chunk: segments of one position.
#[derive(Clone)]
pub struct ReadChunk<'a> {
    pub(super) position: u32,
    segments: Reads<'a>,
    count: usize,
    len: u64,
}

impl<'a> ReadChunk<'a> {
    /// Where it belongs in the RPC message, in bytes from its start; 0 for the message itself.
    #[inline(always)]
    #[must_use]
    pub const fn position(&self) -> u32 {
        self.position
    }

    /// Bytes in all segments; the padding of the item is normally left out.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the segments have no bytes.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that it takes in the RPC message, padding included.
    #[inline(always)]
    #[must_use]
    pub const fn padded_len(&self) -> u64 {
        padded(self.len)
    }

    /// Number of segments.
    #[inline(always)]
    #[must_use]
    pub const fn segment_count(&self) -> usize {
        self.count
    }

    /// The segments in order.
    #[inline(always)]
    pub fn segments(&self) -> impl Iterator<Item = Segment> + Clone + use<'a> {
        ReadSegments(self.segments.clone()).map(|segment| segment.target)
    }
}

impl fmt::Debug for ReadChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(ReadSegments(self.segments.clone())).finish()
    }
}

/// The Read chunks of a message.
#[derive(Clone)]
pub struct ReadChunks<'a> {
    pub(super) rest: ReadSegments<'a>,
}

impl<'a> Iterator for ReadChunks<'a> {
    type Item = ReadChunk<'a>;

    fn next(&mut self) -> Option<ReadChunk<'a>> {
        let all = self.rest.clone();
        let first = self.rest.next()?;
        let (position, mut count, mut len) = (first.position, 1usize, first.target.length.into());
        loop {
            let mut ahead = self.rest.clone();
            match ahead.next() {
                Some(next) if next.position == position => {
                    count = count.saturating_add(1);
                    len = u64::saturating_add(len, next.target.length.into());
                    self.rest = ahead;
                }
                _ => return Some(ReadChunk { position, segments: all.0.take(count), count, len }),
            }
        }
    }
}

impl fmt::Debug for ReadChunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
