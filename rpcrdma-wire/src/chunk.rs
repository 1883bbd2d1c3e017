//! Chunk lists whose claims have been checked.
//!
//! ```
//! use core::num::NonZeroU32;
//! use nfswire_rdma::{
//!     Budget, ChunkSlices, Endpoint, Header, ReadSegment, Role, Segment, receive,
//! };
//!
//! // A call whose argument, 5000 bytes at byte 104, is to be read from the requester's memory.
//! let target = Segment { handle: 1, length: 5000, offset: 0x10000 };
//! let reads = [ReadSegment { position: 104, target }];
//! let lists = ChunkSlices { reads: &reads, ..ChunkSlices::NONE };
//! let mut message = [0; 52 + 104];
//! message[52..56].copy_from_slice(&9u32.to_be_bytes()); // the call, from its xid on
//! Header::msg(9, NonZeroU32::MIN, &lists, 104)?.write_before(&mut message, 52)?;
//!
//! let received = receive(&message, Endpoint::new(Role::Responder), &Budget::DEFAULT)?;
//! let chunk = received.header().chunks().unwrap().reads().next().unwrap();
//! assert_eq!((chunk.position(), chunk.len()), (104, 5000));
//! assert!(chunk.segments().eq([target]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod read;
mod returned;
mod sink;

use core::{fmt, slice};

use nfswire_xdr::{Cursor, Decode, Limits};

use crate::{
    error::{ChunkError, HeaderError},
    receive::Direction,
    types::{ReadSegment, ReplyChunk, Segment, WriteChunk},
};

use read::Reads;
pub use read::{ReadChunk, ReadChunks, ReadSegments};
pub use returned::Returned;
pub(crate) use sink::{Parts, Sink, Window};

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
pub(crate) const fn padded(len: u64) -> u64 {
    len.saturating_add(3) & !3
}

//--- Lists ---

/// Chunk lists to be sent, in slices of the caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChunkSlices<'a> {
    /// Segments of Read chunks, in the order of their positions.
    pub reads: &'a [ReadSegment],
    /// Segments of each Write chunk.
    pub writes: &'a [&'a [Segment]],
    /// Segments of the Reply chunk.
    pub reply: Option<&'a [Segment]>,
}

impl ChunkSlices<'_> {
    /// No chunks.
    pub const NONE: Self = Self { reads: &[], writes: &[], reply: None };
}

/// Chunk lists as they were received, checked.
#[derive(Clone, Copy)]
pub(crate) struct WireLists<'a> {
    /// All three lists.
    raw: &'a [u8],
    /// Where the Write list starts.
    writes: usize,
    /// Where the Reply chunk starts.
    reply: usize,
    write_count: usize,
}

#[derive(Clone, Copy)]
enum Repr<'a> {
    Wire(WireLists<'a>),
    Made(&'a ChunkSlices<'a>),
}

/// The chunk lists of a message. Of a value of this type it is known that
///
/// - Read chunks stand in the order of their positions, which are multiples of four, do not overlap,
///   and lie within the bytes that they are to be inserted into;
/// - RDMA_MSG has no Read chunk of position zero, RDMA_NOMSG has one or a Reply chunk;
/// - each chunk has a segment, Write chunks only unless the [`Budget`] allows empty ones;
/// - no segment reaches beyond 64 bits, and sums are within the budget.
#[derive(Clone, Copy)]
pub struct Chunks<'a> {
    repr: Repr<'a>,
}

/// The lists of a message without chunks.
const NO_LISTS: [u8; 12] = [0; 12];

impl Chunks<'_> {
    /// No chunks.
    pub const NONE: Self = Self {
        repr: Repr::Wire(WireLists { raw: &NO_LISTS, writes: 4, reply: 8, write_count: 0 }),
    };
}

impl Default for Chunks<'_> {
    fn default() -> Self {
        Self::NONE
    }
}

impl PartialEq for Chunks<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.read_segments().eq(other.read_segments())
            && self.writes().eq(other.writes())
            && self.reply() == other.reply()
    }
}

impl Eq for Chunks<'_> {}

impl fmt::Debug for Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks")
            .field("reads", &self.reads())
            .field("writes", &self.writes())
            .field("reply", &self.reply())
            .finish()
    }
}

impl<'a> Chunks<'a> {
    /// Lists to be sent in RDMA_MSG before `inline` bytes.
    #[inline(always)]
    pub(crate) fn for_msg(lists: &'a ChunkSlices<'a>, inline: u32) -> Result<Self, ChunkError> {
        if !lists.reads.is_empty() {
            check_reads(ReadSegments(Reads::Made(lists.reads)), Some(inline.into()), u64::MAX)?;
        }
        check_made(lists)?;
        Ok(Self { repr: Repr::Made(lists) })
    }

    /// Lists to be sent in RDMA_NOMSG.
    #[inline(always)]
    pub(crate) fn for_nomsg(lists: &'a ChunkSlices<'a>) -> Result<Self, HeaderError> {
        match lists.reads.first() {
            Some(first) if first.position == 0 => {
                check_reads(ReadSegments(Reads::Made(lists.reads)), None, u64::MAX)?;
            }
            None if lists.reply.is_some() => {}
            _ => return Err(HeaderError::NoMessage),
        }
        check_made(lists)?;
        Ok(Self { repr: Repr::Made(lists) })
    }

    /// Lists that were received in RDMA_MSG before `inline` bytes.
    #[inline(always)]
    pub(crate) fn of_msg(
        lists: WireLists<'a>,
        inline: usize,
        budget: &Budget,
    ) -> Result<Self, ChunkError> {
        if lists.has_reads() {
            check_reads(ReadSegments(lists.reads()), Some(inline as u64), budget.read_bytes)?;
        }
        Ok(Self { repr: Repr::Wire(lists) })
    }

    /// Lists that were received in RDMA_NOMSG.
    #[inline(always)]
    pub(crate) fn of_nomsg(lists: WireLists<'a>, budget: &Budget) -> Result<Self, HeaderError> {
        match lists.reads().next() {
            Some(first) if first.position == 0 => {
                check_reads(ReadSegments(lists.reads()), None, budget.read_bytes)?;
            }
            None if lists.has_reply() => {}
            _ => return Err(HeaderError::NoMessage),
        }
        Ok(Self { repr: Repr::Wire(lists) })
    }

    /// Whether there are no chunks.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        match &self.repr {
            Repr::Wire(lists) => lists.is_empty(),
            Repr::Made(lists) => {
                lists.reads.is_empty() && lists.writes.is_empty() && lists.reply.is_none()
            }
        }
    }

    /// Whether there are Read chunks.
    #[inline(always)]
    #[must_use]
    pub const fn has_reads(&self) -> bool {
        match &self.repr {
            Repr::Wire(lists) => lists.has_reads(),
            Repr::Made(lists) => !lists.reads.is_empty(),
        }
    }

    /// All segments of the Read list, in order.
    #[inline(always)]
    #[must_use]
    pub fn read_segments(&self) -> ReadSegments<'a> {
        ReadSegments(match &self.repr {
            Repr::Wire(lists) => lists.reads(),
            Repr::Made(lists) => Reads::Made(lists.reads),
        })
    }

    /// The Read chunks in the order of their positions, that of position zero included.
    #[inline(always)]
    #[must_use]
    pub fn reads(&self) -> ReadChunks<'a> {
        ReadChunks { rest: self.read_segments() }
    }

    /// The Read chunk that holds the RPC call itself, the other Read chunks cut out of it.
    #[must_use]
    pub fn position_zero(&self) -> Option<ReadChunk<'a>> {
        self.reads().next().filter(|chunk| chunk.position == 0)
    }

    /// The Write chunks in order.
    #[inline(always)]
    #[must_use]
    pub fn writes(&self) -> WriteChunks<'a> {
        WriteChunks(match &self.repr {
            Repr::Wire(lists) => Writes::Wire(lists.raw.get(lists.writes..).unwrap_or_default()),
            Repr::Made(lists) => Writes::Made(lists.writes.iter()),
        })
    }

    /// Number of Write chunks.
    #[inline(always)]
    #[must_use]
    pub fn write_count(&self) -> u32 {
        let count = match &self.repr {
            Repr::Wire(lists) => lists.write_count,
            Repr::Made(lists) => lists.writes.len(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The Reply chunk.
    #[inline(always)]
    #[must_use]
    pub fn reply(&self) -> Option<ReplyChunk<'a>> {
        match &self.repr {
            Repr::Wire(lists) => chunk_behind_one(&mut lists.raw.get(lists.reply..)?),
            Repr::Made(lists) => WriteChunk::new(lists.reply?),
        }
    }

    /// The chunks that the reply to this call returns: the Write chunks and the Reply chunk of the
    /// call, with `used[k]` bytes in Write chunk k and `reply` bytes in the Reply chunk. Chunks
    /// beyond `used` are returned unused.
    ///
    /// # Errors
    /// [`ChunkError::NoRoom`] and [`ChunkError::NotOffered`]: more than the requester offered.
    pub fn returned(&self, used: &'a [u64], reply: u64) -> Result<Returned<'a>, ChunkError> {
        let offered = self.write_count() as usize;
        if used.len() > offered {
            return Err(ChunkError::NotOffered { index: offered, offered });
        }
        for (chunk, used) in self.writes().zip(used) {
            fits(&chunk, *used)?;
        }
        match self.reply() {
            Some(chunk) => fits(&chunk, reply)?,
            None if reply > 0 => return Err(ChunkError::NotOffered { index: offered, offered }),
            None => {}
        }
        Ok(Returned { offered: *self, used, reply_used: reply })
    }

    /// Bytes that the lists take in a header.
    #[inline(always)]
    pub(crate) fn encoded_len(&self) -> u64 {
        match &self.repr {
            Repr::Wire(lists) => lists.raw.len() as u64,
            // Sums of lengths of slices. What is not exactly filled in the end is an error.
            Repr::Made(lists) => {
                let reads = (lists.reads.len() as u64).wrapping_mul(24);
                let mut sum = reads.wrapping_add(12);
                for chunk in lists.writes {
                    sum = sum.wrapping_add((chunk.len() as u64).wrapping_mul(16)).wrapping_add(8);
                }
                match lists.reply {
                    Some(chunk) => {
                        sum.wrapping_add((chunk.len() as u64).wrapping_mul(16)).wrapping_add(4)
                    }
                    None => sum,
                }
            }
        }
    }

    /// Puts the lists into a header.
    #[inline(always)]
    pub(crate) fn put(&self, sink: &mut impl Sink) -> Option<()> {
        match &self.repr {
            Repr::Wire(lists) => sink.bytes(lists.raw),
            Repr::Made(lists) => {
                for ReadSegment { position, target } in lists.reads {
                    sink.pair(1, *position)?;
                    sink.segment(*target)?;
                }
                sink.word(0)?;
                for chunk in lists.writes {
                    put_made(chunk, sink)?;
                }
                match lists.reply {
                    Some(chunk) => {
                        sink.word(0)?;
                        put_made(chunk, sink)
                    }
                    None => sink.pair(0, 0),
                }
            }
        }
    }
}

/// A chunk and the word before it.
#[inline(always)]
fn put_made(chunk: &[Segment], sink: &mut impl Sink) -> Option<()> {
    sink.pair(1, u32::try_from(chunk.len()).ok()?)?;
    chunk.iter().try_for_each(|segment| sink.segment(*segment))
}

#[inline(always)]
fn fits(chunk: &WriteChunk<'_>, used: u64) -> Result<(), ChunkError> {
    let room = chunk.len();
    if used <= room { Ok(()) } else { Err(ChunkError::NoRoom { used, room }) }
}

//--- Checks ---

impl<'a> WireLists<'a> {
    pub(crate) const fn is_empty(&self) -> bool {
        self.raw.len() == NO_LISTS.len()
    }

    pub(crate) const fn has_reads(&self) -> bool {
        self.writes > 4
    }

    const fn has_reply(&self) -> bool {
        self.raw.len().saturating_sub(self.reply) > 4
    }

    /// Direction of RDMA_NOMSG: replies have no Read chunks (RFC 8166, section 4.3.1). Without chunks
    /// nothing tells.
    pub(crate) const fn direction(&self) -> Option<Direction> {
        match (self.has_reads(), self.has_reply()) {
            (true, _) => Some(Direction::Call),
            (false, true) => Some(Direction::Reply),
            (false, false) => None,
        }
    }

    #[inline(always)]
    fn reads(&self) -> Reads<'a> {
        let len = self.writes.saturating_sub(4);
        Reads::Wire(self.raw.get(..len).unwrap_or_default().as_chunks().0)
    }

    /// Reads the three lists from the front of `bytes`, and checks all but where Read chunks belong.
    /// The bytes behind them as well. `None` if they are not encoded so.
    #[inline(always)]
    pub(crate) fn parse(
        bytes: &'a [u8],
        budget: &Budget,
    ) -> Result<(Self, &'a [u8]), Option<ChunkError>> {
        let mut rest = bytes;
        // Counters and differences are bounded by the message's length.
        let mut segments = 0usize;
        while one(&mut rest).ok_or(None)? {
            rest = rest.get(20..).ok_or(None)?;
            segments = segments.wrapping_add(1);
        }
        let at = |rest: &[u8]| bytes.len().wrapping_sub(rest.len());
        let writes = at(rest);
        let (mut write_count, mut sum) = (0usize, 0u64);
        while one(&mut rest).ok_or(None)? {
            let chunk = raw_chunk(&mut rest).ok_or(None)?;
            if chunk.is_empty() && !budget.empty_write_chunks {
                return Err(Some(ChunkError::NoSegments));
            }
            write_count = write_count.wrapping_add(1);
            segments = segments.wrapping_add(chunk.len());
            sum = check_chunk(chunk, sum, budget)?;
        }
        let reply = at(rest);
        if one(&mut rest).ok_or(None)? {
            let chunk = raw_chunk(&mut rest).ok_or(None)?;
            if chunk.is_empty() {
                return Err(Some(ChunkError::NoSegments));
            }
            segments = segments.wrapping_add(chunk.len());
            check_chunk(chunk, sum, budget)?;
        }
        if segments > budget.segments as usize {
            return Err(Some(ChunkError::TooManySegments { limit: budget.segments }));
        }
        let raw = bytes.get(..at(rest)).ok_or(None)?;
        Ok((Self { raw, writes, reply, write_count }, rest))
    }
}

/// Takes the word that says whether something follows.
#[inline(always)]
fn one(rest: &mut &[u8]) -> Option<bool> {
    let (word, behind) = rest.split_first_chunk()?;
    *rest = behind;
    match u32::from_be_bytes(*word) {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// Takes the segments of a Write or Reply chunk.
#[inline(always)]
fn raw_chunk<'a>(rest: &mut &'a [u8]) -> Option<&'a [[u8; 16]]> {
    let (count, behind) = rest.split_first_chunk()?;
    let len = usize::try_from(u32::from_be_bytes(*count)).ok()?.checked_mul(16)?;
    let (chunk, behind) = behind.split_at_checked(len)?;
    *rest = behind;
    Some(chunk.as_chunks().0)
}

/// Takes a chunk of a list, and the word before it, that were checked.
#[inline(always)]
fn chunk_behind_one<'a>(rest: &mut &'a [u8]) -> Option<WriteChunk<'a>> {
    const LIMITS: Limits = Limits { max_items: u32::MAX, ..Limits::STRICT };
    if !one(rest)? {
        return None;
    }
    let mut c = Cursor::with(rest, &LIMITS);
    let chunk = WriteChunk::decode(&mut c)?;
    *rest = c.rest();
    Some(chunk)
}

#[inline(always)]
fn segment_of(bytes: [u8; 16]) -> Segment {
    let [a, b, c, d, e, f, g, h, offset @ ..] = bytes;
    Segment {
        handle: u32::from_be_bytes([a, b, c, d]),
        length: u32::from_be_bytes([e, f, g, h]),
        offset: u64::from_be_bytes(offset),
    }
}

/// Checks one segment and adds it to a sum.
#[inline(always)]
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

#[inline(always)]
fn check_chunk(chunk: &[[u8; 16]], sum: u64, budget: &Budget) -> Result<u64, ChunkError> {
    chunk
        .iter()
        .try_fold(sum, |sum, bytes| check_segment(segment_of(*bytes), sum, budget.write_bytes))
}

/// Lists of our own: only what no peer may be sent is wrong.
#[inline(always)]
fn check_made(lists: &ChunkSlices<'_>) -> Result<(), ChunkError> {
    for chunk in lists.writes {
        check_own(chunk)?;
    }
    match lists.reply {
        Some([]) => Err(ChunkError::NoSegments),
        Some(chunk) => check_own(chunk),
        None => Ok(()),
    }
}

#[inline(always)]
fn check_own(chunk: &[Segment]) -> Result<(), ChunkError> {
    chunk.iter().try_for_each(|segment| check_segment(*segment, 0, u64::MAX).map(drop))
}

/// Checks where Read chunks belong. `inline` is the length of what they are inserted into, `None` if
/// that is the chunk of position zero.
#[inline(always)]
fn check_reads(
    segments: ReadSegments<'_>,
    inline: Option<u64>,
    limit: u64,
) -> Result<(), ChunkError> {
    // Nearly always there is one.
    if let Some(ReadSegment { position, target }) = segments.0.only() {
        if let Some(len) = inline {
            let at = u64::from(position);
            if position == 0 {
                return Err(ChunkError::TwoMessages);
            }
            if position % 4 != 0 {
                return Err(ChunkError::Unaligned { position });
            }
            if at > len {
                return Err(ChunkError::Outside { at, len });
            }
        }
        return check_segment(target, 0, limit).map(drop);
    }
    // `body` is that length. `before` are the bytes of chunks that are inserted before the current
    // one.
    let (mut body, mut before, mut bytes) = (inline.unwrap_or(0), 0u64, 0u64);
    // The current chunk: where it starts, and its length so far.
    let (mut start, mut len) = (0u32, 0u64);
    for ReadSegment { position, target } in segments {
        if position != start {
            if start == 0 {
                if inline.is_none() {
                    body = len;
                }
            } else {
                let end = u64::from(start).saturating_add(padded(len));
                if u64::from(position) < end {
                    return Err(ChunkError::Order { position, end });
                }
                before = before.saturating_add(padded(len));
            }
            if position % 4 != 0 {
                return Err(ChunkError::Unaligned { position });
            }
            let at = u64::from(position).saturating_sub(before);
            if at > body {
                return Err(ChunkError::Outside { at, len: body });
            }
            (start, len) = (position, 0);
        } else if position == 0 && inline.is_some() {
            return Err(ChunkError::TwoMessages);
        }
        bytes = check_segment(target, bytes, limit)?;
        len = len.saturating_add(target.length.into());
    }
    Ok(())
}

//--- Write chunks ---

#[derive(Clone)]
enum Writes<'a> {
    Wire(&'a [u8]),
    Made(slice::Iter<'a, &'a [Segment]>),
}

/// The Write chunks of a message.
#[derive(Clone)]
pub struct WriteChunks<'a>(Writes<'a>);

impl<'a> Iterator for WriteChunks<'a> {
    type Item = WriteChunk<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<WriteChunk<'a>> {
        match &mut self.0 {
            Writes::Wire(rest) => {
                // The end of the list is not stepped over.
                let mut ahead = *rest;
                let chunk = chunk_behind_one(&mut ahead)?;
                *rest = ahead;
                Some(chunk)
            }
            Writes::Made(chunks) => WriteChunk::new(chunks.next()?),
        }
    }
}

impl fmt::Debug for WriteChunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
