//! Chunk lists whose claims have been checked.
//!
//! ```
//! use core::num::NonZeroU32;
//! use nfswire_rdma::{Budget, Endpoint, Header, Role, receive};
//! use nfswire_rdma::types::{ChunkLists, ReadList, ReadSegment, Segment};
//!
//! // A call whose argument, 5000 bytes at byte 104, is to be read from the requester's memory.
//! let target = Segment { handle: 1, length: 5000, offset: 0x10000 };
//! let reads = [ReadSegment { position: 104, target }];
//! let lists = ChunkLists { reads: ReadList::from_slice(&reads), ..ChunkLists::default() };
//! let mut message = [0; 52 + 104];
//! message[52..56].copy_from_slice(&9u32.to_be_bytes()); // the call, from its xid on
//! Header::msg(9, NonZeroU32::MIN, lists, 104)?.write_before(&mut message, 52)?;
//!
//! let received = receive(&message, Endpoint::new(Role::Responder), &Budget::DEFAULT)?;
//! let chunk = received.header().chunks().unwrap().reads().next().unwrap();
//! assert_eq!((chunk.position(), chunk.len()), (104, 5000));
//! assert!(chunk.segments().eq([target]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::iter::Take;

use nfswire_xdr::{Encode, EncodeError, Encoder, Iter, Wire};

use crate::{
    error::{ChunkError, HeaderError},
    types::{ChunkLists, ReadSegment, ReplyChunk, Segment, WriteChunk, WriteList},
};

/// What a peer's chunks may claim. Nothing is allocated for a claim; the numbers bound what a
/// responder would have to read, register or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Most bytes in all Read chunks of a message.
    pub read_bytes: u64,
    /// Most bytes in all Write chunks and the Reply chunk of a message.
    pub write_bytes: u64,
    /// Most segments in all chunks of a message.
    pub segments: u32,
    /// Whether a Write chunk may have no segments. RFC 8166, section 4.3.2.3, lets a requester ask by
    /// it for an item inline; nobody is known to do so, and it is refused unless this is set. A Reply
    /// chunk must have segments always.
    pub empty_write_chunks: bool,
}

impl Budget {
    /// 16 MiB in either direction, 256 segments, no empty chunks.
    pub const DEFAULT: Self = Self {
        read_bytes: 16 << 20,
        write_bytes: 16 << 20,
        segments: 256,
        empty_write_chunks: false,
    };

    /// No bounds, and empty Write chunks: for messages that are one's own, and for tools.
    pub const UNLIMITED: Self = Self {
        read_bytes: u64::MAX,
        write_bytes: u64::MAX,
        segments: u32::MAX,
        empty_write_chunks: true,
    };

    /// The same with other numbers of bytes.
    #[must_use]
    pub const fn bytes(self, read: u64, write: u64) -> Self {
        Self { read_bytes: read, write_bytes: write, ..self }
    }

    /// The same with another number of segments.
    #[must_use]
    pub const fn segments(self, segments: u32) -> Self {
        Self { segments, ..self }
    }

    /// The same, with or without Write chunks that have no segments.
    #[must_use]
    pub const fn empty_write_chunks(self, allowed: bool) -> Self {
        Self { empty_write_chunks: allowed, ..self }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The length with XDR's padding.
const fn padded(len: u64) -> u64 {
    len.saturating_add(3) & !3
}

//--- Lists ---

/// The chunk lists of a message. Of a value of this type it is known that
///
/// - Read chunks stand in the order of their positions, which are multiples of four, do not overlap,
///   and lie within the bytes that they are to be inserted into;
/// - RDMA_MSG has no Read chunk of position zero, RDMA_NOMSG has one or a Reply chunk;
/// - each chunk has a segment, Write chunks only unless the [`Budget`] allows empty ones;
/// - no segment reaches beyond 64 bits, and sums are within the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chunks<'a> {
    lists: ChunkLists<'a>,
}

impl<'a> Chunks<'a> {
    /// The lists of RDMA_MSG with `inline` bytes behind the header.
    #[inline]
    pub(crate) fn of_msg(
        lists: ChunkLists<'a>,
        inline: u64,
        budget: &Budget,
    ) -> Result<Self, ChunkError> {
        if !lists.reads.is_empty() {
            check_reads(lists.reads.iter(), Some(inline), budget)?;
        }
        check_writes(&lists, budget)?;
        Ok(Self { lists })
    }

    /// The lists of RDMA_NOMSG.
    pub(crate) fn of_nomsg(lists: ChunkLists<'a>, budget: &Budget) -> Result<Self, HeaderError> {
        match lists.reads.iter().next() {
            Some(first) if first.position == 0 => {}
            None if lists.reply.is_some() => {}
            _ => return Err(HeaderError::NoMessage),
        }
        if !lists.reads.is_empty() {
            check_reads(lists.reads.iter(), None, budget)?;
        }
        check_writes(&lists, budget)?;
        Ok(Self { lists })
    }

    /// The lists as they are encoded.
    #[inline]
    #[must_use]
    pub const fn lists(&self) -> &ChunkLists<'a> {
        &self.lists
    }

    /// Whether there are no chunks.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.lists.reads.is_empty() && self.lists.writes.is_empty() && self.lists.reply.is_none()
    }

    /// The Read chunks in the order of their positions, that of position zero included.
    #[inline]
    #[must_use]
    pub fn reads(&self) -> ReadChunks<'a> {
        ReadChunks { rest: self.lists.reads.iter() }
    }

    /// The Read chunk that holds the RPC call itself, the other Read chunks cut out of it.
    #[must_use]
    pub fn position_zero(&self) -> Option<ReadChunk<'a>> {
        self.reads().next().filter(|chunk| chunk.position == 0)
    }

    /// The Write chunks in order.
    #[inline]
    pub fn writes(&self) -> impl Iterator<Item = WriteChunk<'a>> + Clone + use<'a> {
        self.lists.writes.iter()
    }

    /// Number of Write chunks.
    #[inline]
    #[must_use]
    pub const fn write_count(&self) -> u32 {
        self.lists.writes.len()
    }

    /// The Reply chunk.
    #[inline]
    #[must_use]
    pub const fn reply(&self) -> Option<ReplyChunk<'a>> {
        self.lists.reply
    }

    /// The chunks that the reply to this call returns: the Write chunks and the Reply chunk of the
    /// call, with `used[k]` bytes in Write chunk k and `reply` bytes in the Reply chunk. Chunks
    /// beyond `used` are returned unused.
    ///
    /// # Errors
    /// [`ChunkError::NoRoom`] and [`ChunkError::NotOffered`]: more than the requester offered.
    pub fn returned(&self, used: &'a [u64], reply: u64) -> Result<Returned<'a>, ChunkError> {
        let offered = self.lists.writes.len() as usize;
        if used.len() > offered {
            return Err(ChunkError::NotOffered { index: offered, offered });
        }
        for (chunk, used) in self.writes().zip(used) {
            fits(&chunk, *used)?;
        }
        match &self.lists.reply {
            Some(chunk) => fits(chunk, reply)?,
            None if reply > 0 => return Err(ChunkError::NotOffered { index: offered, offered }),
            None => {}
        }
        let ChunkLists { writes, reply: chunk, .. } = self.lists;
        Ok(Returned { writes, used, reply: chunk, reply_used: reply })
    }
}

fn fits(chunk: &WriteChunk<'_>, used: u64) -> Result<(), ChunkError> {
    let room = chunk.len();
    if used <= room { Ok(()) } else { Err(ChunkError::NoRoom { used, room }) }
}

/// Checks one segment and adds it to a sum.
#[inline]
fn check_segment(segment: Segment, sum: u64, limit: u64) -> Result<u64, ChunkError> {
    let Segment { length, offset, .. } = segment;
    if offset.checked_add(length.into()).is_none() {
        return Err(ChunkError::Wraps { offset, length });
    }
    let bytes = sum.saturating_add(length.into());
    if bytes > limit {
        return Err(ChunkError::TooManyBytes { bytes, limit });
    }
    Ok(bytes)
}

#[inline(never)]
fn check_reads(
    segments: Iter<'_, ReadSegment, true>,
    inline: Option<u64>,
    budget: &Budget,
) -> Result<(), ChunkError> {
    // `body` is what the chunks are inserted into: bytes behind the header, or the chunk of position
    // zero. `before` are the bytes of chunks that were inserted before the current one.
    let (mut body, mut before, mut bytes) = (inline.unwrap_or(0), 0u64, 0u64);
    // The current chunk: where it starts, and its length so far.
    let (mut start, mut len) = (0u32, 0u64);
    for ReadSegment { position, target } in segments {
        if position != start {
            let end = u64::from(start).saturating_add(padded(len));
            let (from, inserted) = if start == 0 { (0, 0) } else { (end, padded(len)) };
            if start == 0 && inline.is_none() {
                body = len;
            }
            if u64::from(position) < from {
                return Err(ChunkError::Order { position, end });
            }
            before = before.saturating_add(inserted);
            let at = u64::from(position).saturating_sub(before);
            if position % 4 != 0 {
                return Err(ChunkError::Unaligned { position });
            }
            if at > body {
                return Err(ChunkError::Outside { at, len: body });
            }
            (start, len) = (position, 0);
        } else if position == 0 && inline.is_some() {
            return Err(ChunkError::TwoMessages);
        }
        bytes = check_segment(target, bytes, budget.read_bytes)?;
        len = len.saturating_add(target.length.into());
    }
    Ok(())
}

#[inline]
fn check_writes(lists: &ChunkLists<'_>, budget: &Budget) -> Result<(), ChunkError> {
    let (mut segments, mut bytes) = (lists.reads.len(), 0u64);
    let mut check = |chunk: &WriteChunk<'_>, may_be_empty: bool| {
        if chunk.segments.is_empty() && !may_be_empty {
            return Err(ChunkError::NoSegments);
        }
        segments = segments.saturating_add(chunk.segments.len());
        for segment in chunk.segments {
            bytes = check_segment(segment, bytes, budget.write_bytes)?;
        }
        Ok(())
    };
    if !lists.writes.is_empty() {
        for chunk in lists.writes {
            check(&chunk, budget.empty_write_chunks)?;
        }
    }
    if let Some(chunk) = &lists.reply {
        check(chunk, false)?;
    }
    if segments > budget.segments {
        return Err(ChunkError::TooManySegments { limit: budget.segments });
    }
    Ok(())
}

//--- Read chunks ---

/// A Read chunk: segments of one position.
#[derive(Clone)]
pub struct ReadChunk<'a> {
    position: u32,
    segments: Iter<'a, ReadSegment, true>,
    count: usize,
    len: u64,
}

impl<'a> ReadChunk<'a> {
    /// Where it belongs in the RPC message, in bytes from its start; 0 for the message itself.
    #[inline]
    #[must_use]
    pub const fn position(&self) -> u32 {
        self.position
    }

    /// Bytes in all segments; the padding of the item is normally left out.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the segments have no bytes.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that it takes in the RPC message, padding included.
    #[inline]
    #[must_use]
    pub const fn padded_len(&self) -> u64 {
        padded(self.len)
    }

    /// Number of segments.
    #[inline]
    #[must_use]
    pub const fn segment_count(&self) -> usize {
        self.count
    }

    /// The segments in order.
    #[inline]
    #[must_use]
    pub fn segments(&self) -> ReadSegments<'a> {
        ReadSegments { inner: self.segments.clone().take(self.count) }
    }
}

impl core::fmt::Debug for ReadChunk<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ReadChunk")
            .field("position", &self.position)
            .field("segments", &self.segments())
            .finish()
    }
}

/// Segments of a [`ReadChunk`].
#[derive(Clone)]
pub struct ReadSegments<'a> {
    inner: Take<Iter<'a, ReadSegment, true>>,
}

impl Iterator for ReadSegments<'_> {
    type Item = Segment;

    #[inline]
    fn next(&mut self) -> Option<Segment> {
        self.inner.next().map(|segment| segment.target)
    }
}

impl core::fmt::Debug for ReadSegments<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// The Read chunks of a message.
#[derive(Clone, Debug)]
pub struct ReadChunks<'a> {
    rest: Iter<'a, ReadSegment, true>,
}

impl<'a> Iterator for ReadChunks<'a> {
    type Item = ReadChunk<'a>;

    fn next(&mut self) -> Option<ReadChunk<'a>> {
        let segments = self.rest.clone();
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
                _ => return Some(ReadChunk { position, segments, count, len }),
            }
        }
    }
}

//--- Returned chunks ---

/// The chunks of a call as its reply returns them: the same segments, with the lengths that were
/// written (RFC 8166, sections 3.4.6 and 4.3.3). Made by [`Chunks::returned`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returned<'a> {
    writes: WriteList<'a>,
    used: &'a [u64],
    reply: Option<ReplyChunk<'a>>,
    reply_used: u64,
}

impl Returned<'_> {
    /// Bytes in the Reply chunk.
    #[inline]
    #[must_use]
    pub const fn reply_used(&self) -> u64 {
        self.reply_used
    }

    /// Hands all words of the lists to `put`.
    #[inline]
    fn words(&self, mut put: impl FnMut(u32) -> Option<()>) -> Option<()> {
        put(0)?;
        let mut used = self.used.iter();
        for chunk in self.writes {
            put(1)?;
            filled(&chunk, used.next().copied().unwrap_or(0), &mut put)?;
        }
        put(0)?;
        match &self.reply {
            Some(chunk) => {
                put(1)?;
                filled(chunk, self.reply_used, &mut put)
            }
            None => put(0),
        }
    }
}

/// Hands the words of a chunk to `put`, of which the first `used` bytes were written.
#[inline]
#[allow(clippy::cast_possible_truncation)] // halves of a number, and the lesser of two
fn filled(
    chunk: &WriteChunk<'_>,
    used: u64,
    put: &mut impl FnMut(u32) -> Option<()>,
) -> Option<()> {
    let mut left = used;
    put(chunk.segments.len())?;
    for Segment { handle, length, offset } in chunk.segments {
        let here = u64::from(length).min(left);
        left = left.saturating_sub(here);
        put(handle)?;
        put(here as u32)?;
        put((offset >> 32) as u32)?;
        put(offset as u32)?;
    }
    Some(())
}

impl Wire for Returned<'_> {
    const MIN_LEN: u32 = ChunkLists::MIN_LEN;
    const MAX_LEN: u32 = ChunkLists::MAX_LEN;
}

impl<'p> Encode<'p> for Returned<'_> {
    const LONG: bool = true;

    #[inline]
    fn encoded_len(&self) -> u64 {
        let reply = self.reply.as_ref().map_or(0, Encode::encoded_len);
        self.writes.encoded_len().saturating_add(reply).saturating_add(8)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let mut rest = w;
        self.words(|word| {
            let (to, behind) = core::mem::take(&mut rest).split_first_chunk_mut()?;
            *to = word.to_be_bytes();
            rest = behind;
            Some(())
        })?;
        Some(rest)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        let mut result = Ok(());
        self.words(|word| {
            result = word.encode(e);
            result.is_ok().then_some(())
        });
        result
    }
}
