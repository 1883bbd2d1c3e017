//! An encoded message as a list of segments, and its consumers.

use core::{fmt, ops::Range};
#[cfg(feature = "std")]
use std::io::IoSlice;

use crate::{
    cursor::saturate,
    encoder::{Floors, Place},
    error::EncodeError,
    page::{HeadRef, Pages},
    payload::{FileRange, Payload},
};

/// One piece of a message: bytes of the head, or a payload.
#[derive(Clone, Debug)]
pub(crate) enum Segment<'p> {
    Head(Part),
    Payload(Payload<'p>),
    /// A further slice of the payload before it.
    More(&'p [u8]),
}

/// A part of one page of the head.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) page: u32,
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// A segment, looked at.
#[derive(Clone, Copy)]
pub(crate) enum Look<'x, 'p> {
    Head(Part),
    Payload(&'x Payload<'p>),
    Slice(&'p [u8]),
    More(&'p [u8]),
}

impl Default for Segments<'_> {
    fn default() -> Self {
        Self::new()
    }
}

// Segments are moved once per payload; keep them small.
const _: () = assert!(size_of::<Segment<'_>>() <= 40);

impl Look<'_, '_> {
    #[inline]
    fn len(&self) -> u32 {
        match self {
            Self::Head(part) => part.len,
            Self::Payload(p) => p.len(),
            Self::Slice(bytes) | Self::More(bytes) => saturate(bytes.len()),
        }
    }
}

/// Most segments of a message without the `alloc` feature.
#[cfg(not(feature = "alloc"))]
const FIXED: usize = 16;

/// The segments of one encoded message, in order.
///
/// They borrow payloads only, not the head, so that a reply can wait in a queue as a head buffer and
/// a list. With `alloc` up to four segments need no allocation and there is no limit; without it
/// there are at most sixteen. Used again it allocates nothing: each [`Encoder`](crate::Encoder)
/// starts by clearing it. Where it would outlive the payloads of the last message,
/// [`recycle`](Self::recycle) takes it along without them.
#[derive(Clone, Debug)]
pub struct Segments<'p> {
    /// Segments in the list.
    in_list: usize,
    /// Segments before those: none, or the head segment `before` and the payload `first`. Most
    /// messages never touch the list.
    in_front: usize,
    before: Part,
    first: &'p [u8],
    #[cfg(feature = "alloc")]
    list: smallvec::SmallVec<[Segment<'p>; 4]>,
    #[cfg(not(feature = "alloc"))]
    list: [Option<Segment<'p>>; FIXED],
    /// The head segment that ends the message; not in the list, so that a message without payload
    /// never touches it. Empty if the message ends with a payload.
    last: Part,
    total: u64,
    pub(crate) copied: u64,
    /// Rollbacks of the message being encoded; here so that a new encoder need not zero them.
    pub(crate) floors: Floors,
    /// Where the message was shortest since the innermost attempt began.
    pub(crate) lowest: Place,
}

impl<'p> Segments<'p> {
    /// An empty list.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self {
            in_list: 0,
            in_front: 0,
            before: Part::default(),
            first: &[],
            list: Default::default(),
            last: Part::default(),
            total: 0,
            copied: 0,
            floors: Floors::default(),
            lowest: Place::default(),
        }
    }

    /// Forgets all segments and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        if self.in_list > 0 {
            self.shorten(0);
        }
        self.in_front = 0;
        self.last.len = 0;
        self.total = 0;
        self.copied = 0;
        self.floors.clear();
    }

    /// An empty list in the memory of this one, for payloads of any other lifetime. It allocates
    /// nothing.
    ///
    /// A list borrows payloads for as long as it lives, also when it is cleared. In a loop whose
    /// payloads live for one turn, hand over an empty list instead; see the second example of
    /// [`Encoder`](crate::Encoder).
    #[must_use]
    pub fn recycle<'q>(self) -> Segments<'q> {
        #[cfg(feature = "alloc")]
        if self.list.spilled() {
            // A vector that is collected from a vector of the same layout keeps its memory.
            #[allow(clippy::unnecessary_filter_map, reason = "the lifetimes of the two differ")]
            let list = self.list.into_vec().into_iter().filter_map(|_| None::<Segment<'q>>);
            let list = smallvec::SmallVec::from_vec(list.collect());
            return Segments { list, ..Segments::new() };
        }
        Segments::new()
    }

    /// Ends the message.
    #[inline]
    pub(crate) const fn end(&mut self, last: Part, total: u64) {
        self.last = last;
        self.total = total;
    }

    /// Number of segments before the last.
    #[inline]
    pub(crate) const fn listed(&self) -> usize {
        self.in_list.saturating_add(self.in_front)
    }

    /// Begins the message with a head segment and a payload of one slice, neither of them empty, if
    /// there are no segments yet; says whether it has.
    #[inline]
    pub(crate) const fn begin(&mut self, before: Part, first: &'p [u8]) -> bool {
        let begins = self.in_list == 0 && self.in_front == 0 && before.len > 0;
        if begins {
            self.in_front = 2;
            self.before = before;
            self.first = first;
        }
        begins
    }

    /// Number of segments.
    #[inline]
    #[must_use]
    pub fn count(&self) -> usize {
        self.listed().saturating_add(usize::from(self.last.len > 0))
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<Look<'_, 'p>> {
        let Some(index) = index.checked_sub(self.in_front) else {
            let is_head = index == 0;
            return Some(if is_head { Look::Head(self.before) } else { Look::Slice(self.first) });
        };
        #[cfg(feature = "alloc")]
        let listed = self.list.get(index);
        #[cfg(not(feature = "alloc"))]
        let listed = self.list.get(index).and_then(Option::as_ref);
        match listed {
            Some(Segment::Head(part)) => Some(Look::Head(*part)),
            Some(Segment::Payload(payload)) => Some(Look::Payload(payload)),
            Some(Segment::More(bytes)) => Some(Look::More(bytes)),
            None if index == self.in_list && self.last.len > 0 => Some(Look::Head(self.last)),
            None => None,
        }
    }

    /// Makes room for `more` segments.
    #[inline]
    #[cfg_attr(not(feature = "alloc"), allow(clippy::needless_pass_by_ref_mut))]
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), EncodeError> {
        let needed = self.in_list.saturating_add(more);
        #[cfg(feature = "alloc")]
        if needed > self.list.capacity() {
            self.list.try_reserve(more.max(4)).map_err(|_| EncodeError::TooManySegments)?;
        }
        #[cfg(not(feature = "alloc"))]
        if needed > FIXED {
            return Err(EncodeError::TooManySegments);
        }
        Ok(())
    }

    /// Appends a segment, for which there is room.
    #[inline]
    pub(crate) fn push(&mut self, segment: Segment<'p>) {
        #[cfg(feature = "alloc")]
        self.list.push(segment);
        #[cfg(not(feature = "alloc"))]
        if let Some(slot) = self.list.get_mut(self.in_list) {
            *slot = Some(segment);
        }
        self.in_list = self.in_list.saturating_add(1);
    }

    /// Drops all segments behind the first `count`.
    #[inline]
    pub(crate) fn truncate(&mut self, count: usize) {
        if let Some(in_list) = count.checked_sub(self.in_front) {
            self.shorten(in_list);
        } else {
            // A head segment is only closed for what follows it: the two in front go together.
            self.shorten(0);
            self.in_front = 0;
        }
    }

    #[inline]
    fn shorten(&mut self, in_list: usize) {
        #[cfg(feature = "alloc")]
        self.list.truncate(in_list);
        #[cfg(not(feature = "alloc"))]
        for slot in self.list.iter_mut().take(self.in_list).skip(in_list) {
            *slot = None;
        }
        self.in_list = self.in_list.min(in_list);
    }

    /// Where the bytes of the message went.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut stats = Stats { copied: self.copied, ..Stats::default() };
        for segment in (0..self.count()).map_while(|i| self.get(i)) {
            let bytes = match segment {
                Look::Head(_) => &mut stats.head,
                Look::Payload(_) | Look::Slice(_) | Look::More(_) => &mut stats.referenced,
            };
            *bytes = bytes.saturating_add(segment.len().into());
            stats.segments = stats.segments.saturating_add(1);
        }
        stats.head = stats.head.saturating_sub(stats.copied);
        stats
    }

    /// The message: these segments with the memory of their head, a vector, an array or a slice. For
    /// a page vector there is [`view_pages`](Self::view_pages), which is short for
    /// `view(&pages as &dyn Pages)`.
    ///
    /// It must be the memory that the encoder wrote to, unchanged since then and with the message in
    /// the same place: pages that were moved elsewhere must come in the same order. In other memory
    /// other bytes are found, or none: then pieces are empty, `io_slices` and `iter` give fewer bytes
    /// than [`len`](Message::len) says, and [`to_vec`](Message::to_vec) is an error.
    #[inline]
    pub fn view<'x>(&'x self, head: impl Into<HeadRef<'x>>) -> Message<'x, 'p> {
        Message { front: &[], head: head.into(), segments: self }
    }

    /// The message: these segments with the page vector of their head. The same holds as for
    /// [`view`](Self::view).
    ///
    /// ```
    /// use nfswire_xdr::{Encoder, Segments};
    ///
    /// let (mut pages, mut segments) = ([[0; 8]; 2], Segments::new());
    /// let mut e = Encoder::pages(&mut pages, &mut segments);
    /// e.put(&[1u32, 2, 3])?;
    /// e.finish();
    /// assert_eq!(segments.view_pages(&pages).count(), 2);
    /// # Ok::<(), nfswire_xdr::EncodeError>(())
    /// ```
    #[inline]
    pub const fn view_pages<'x>(&'x self, pages: &'x dyn Pages) -> Message<'x, 'p> {
        Message { front: &[], head: HeadRef::Pages(pages), segments: self }
    }
}

/// Where the bytes of a message went, from [`Segments::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Bytes written into the head that are no payload: words, names, pads.
    pub head: u64,
    /// Payload bytes copied into the head, below the copy-break.
    pub copied: u64,
    /// Payload bytes that stay where they are.
    pub referenced: u64,
    /// Segments.
    pub segments: usize,
}

/// A place in a message: where to go on after a short write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    segment: usize,
    offset: u32,
}

impl Position {
    /// The first byte.
    pub const START: Self = Self { segment: 0, offset: 0 };
}

/// A piece of a message, for whoever sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk<'x> {
    /// Bytes in memory.
    Bytes(&'x [u8]),
    /// Bytes of a file.
    File(FileRange),
}

impl Chunk<'_> {
    /// Length in bytes.
    #[inline]
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File(range) => range.len.into(),
        }
    }

    /// Whether there are no bytes.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The bytes of the message are not all in memory: it has a file range, or is looked at with a head
/// that is too short to be its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotInMemory;

impl fmt::Display for NotInMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the bytes of the message are not all in memory: it refers to a file range, or its head \
             is not the memory that it was encoded into",
        )
    }
}

impl core::error::Error for NotInMemory {}

/// A payload within a message, for transports that place it apart (RDMA).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Offset of its first byte from the start of the message.
    pub position: u64,
    /// Length in bytes, without the pad.
    pub len: u32,
    /// Its segments.
    segments: Range<usize>,
}

/// An encoded message: segments and head together.
///
/// A send loop takes what is in memory by slices, and a file range by a call of its own. Each may
/// take less than it was offered; [`advance`](Self::advance) goes on behind what it took:
///
/// ```
/// use std::io::{self, IoSlice, Write};
/// use nfswire_xdr::{Chunk, Encoder, FileRange, Message, Payload, Position, Segments};
///
/// /// Where messages go: in earnest a socket.
/// trait Sender: Write {
///     /// In earnest `sendfile(2)`: it sends some of the range, and says how much.
///     fn send_file(&mut self, range: FileRange) -> io::Result<usize>;
/// }
///
/// fn send(message: &Message<'_, '_>, to: &mut impl Sender) -> io::Result<()> {
///     let mut at = Position::START;
///     while !message.is_end(at) {
///         let mut slices = [IoSlice::new(&[]); 16];
///         let sent = match message.chunk(at) {
///             Some(Chunk::File(range)) => to.send_file(range)?,
///             _ => {
///                 let used = message.io_slices(at, &mut slices);
///                 to.write_vectored(&slices[..used])?
///             }
///         };
///         if sent == 0 {
///             return Err(io::ErrorKind::WriteZero.into());
///         }
///         at = message.advance(at, sent);
///     }
///     Ok(())
/// }
///
/// /// Takes seven bytes at a time; its only file holds the letters.
/// struct Slow(Vec<u8>);
///
/// impl Write for Slow {
///     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
///         let taken = bytes.len().min(7);
///         self.0.extend(&bytes[..taken]);
///         Ok(taken)
///     }
///     fn flush(&mut self) -> io::Result<()> {
///         Ok(())
///     }
/// }
///
/// impl Sender for Slow {
///     fn send_file(&mut self, range: FileRange) -> io::Result<usize> {
///         let file = b"abcdefghijklmnopqrstuvwxyz";
///         let start = usize::try_from(range.offset).unwrap();
///         let end = start + usize::try_from(range.len).unwrap();
///         self.write(&file[start..end])
///     }
/// }
///
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// e.put(&Payload::Borrowed(b"from memory"))?;
/// e.put(&Payload::File(FileRange { token: 0, offset: 2, len: 10 }))?;
/// e.finish();
/// let mut to = Slow(Vec::new());
/// send(&segments.view(&head), &mut to)?;
/// assert_eq!(to.0, b"\0\0\0\x0bfrom memory\0\0\0\0\x0acdefghijkl\0\0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Message<'x, 'p> {
    /// Bytes in front of the first segment, such as a record marker kept apart.
    front: &'x [u8],
    head: HeadRef<'x>,
    segments: &'x Segments<'p>,
}

impl<'x, 'p> Message<'x, 'p> {
    /// Length in bytes.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.segments.total.saturating_add(self.front.len() as u64)
    }

    /// The same message behind `front`, a segment of its own: a record marker that is not in the
    /// head, for senders that want it apart.
    #[inline]
    #[must_use]
    pub const fn behind(self, front: &'x [u8]) -> Self {
        Self { front, ..self }
    }

    /// Number of segments.
    #[inline]
    #[must_use]
    pub fn count(&self) -> usize {
        self.segments.count().saturating_add(usize::from(!self.front.is_empty()))
    }

    /// Segment number `index`.
    #[inline]
    fn segment(&self, index: usize) -> Option<Chunk<'x>> {
        let index = if self.front.is_empty() {
            index
        } else {
            match index.checked_sub(1) {
                Some(index) => index,
                None => return Some(Chunk::Bytes(self.front)),
            }
        };
        self.segments.get(index).map(|segment| self.resolve(segment))
    }

    /// The payloads in order. Those below the copy-break went into the head and are not among them.
    pub fn placements(&self) -> impl Iterator<Item = Placement> + use<'x, 'p> {
        let (this, front) = (*self, usize::from(!self.front.is_empty()));
        let mut position = self.front.len() as u64;
        let mut index = 0usize;
        core::iter::from_fn(move || {
            loop {
                let segment = this.segments.get(index)?;
                let (start, at) = (index, position);
                index = index.saturating_add(1);
                position = position.saturating_add(segment.len().into());
                if !matches!(segment, Look::Payload(_) | Look::Slice(_)) {
                    continue;
                }
                while let Some(more @ Look::More(_)) = this.segments.get(index) {
                    index = index.saturating_add(1);
                    position = position.saturating_add(more.len().into());
                }
                let len = u32::try_from(position.saturating_sub(at)).unwrap_or(u32::MAX);
                let segments = start.saturating_add(front)..index.saturating_add(front);
                return Some(Placement { position: at, len, segments });
            }
        })
    }

    /// The pieces of one payload.
    pub fn placed(&self, placement: &Placement) -> impl Iterator<Item = Chunk<'x>> + use<'x, 'p> {
        let this = *self;
        placement.segments.clone().map_while(move |index| this.segment(index))
    }

    /// Whether there are no bytes.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn resolve(&self, segment: Look<'x, 'p>) -> Chunk<'x> {
        match segment {
            Look::Head(Part { page, start, len }) => {
                let bytes = self.head.page(page).and_then(|page| page.get(start as usize..));
                Chunk::Bytes(bytes.and_then(|b| b.get(..len as usize)).unwrap_or(&[]))
            }
            Look::Slice(bytes) | Look::More(bytes) => Chunk::Bytes(bytes),
            Look::Payload(Payload::File(range)) => Chunk::File(*range),
            Look::Payload(payload) => Chunk::Bytes(payload.as_slice().unwrap_or(&[])),
        }
    }

    /// The piece at a position: what is left of its segment. `None` at the end of the message.
    #[inline]
    #[must_use]
    pub fn chunk(&self, at: Position) -> Option<Chunk<'x>> {
        Some(match self.segment(at.segment)? {
            Chunk::Bytes(bytes) => Chunk::Bytes(bytes.get(at.offset as usize..).unwrap_or(&[])),
            Chunk::File(range) => Chunk::File(FileRange {
                token: range.token,
                offset: range.offset.saturating_add(at.offset.into()),
                len: range.len.saturating_sub(at.offset),
            }),
        })
    }

    /// All pieces in order.
    pub fn iter(&self) -> impl Iterator<Item = Chunk<'x>> + use<'x, 'p> {
        let this = *self;
        (0..self.count()).map_while(move |i| this.segment(i))
    }

    /// The position `bytes` after `at`; the end of the message at the latest. What a write of
    /// [`io_slices`](Self::io_slices) took, or a `sendfile`, is stepped over alike.
    #[inline]
    #[must_use]
    pub fn advance(&self, mut at: Position, bytes: usize) -> Position {
        let mut left = bytes as u64;
        while let Some(segment) = self.segment(at.segment) {
            let rest = segment.len().saturating_sub(at.offset.into());
            if left < rest {
                // `left` is below a segment's length here.
                at.offset = at.offset.saturating_add(u32::try_from(left).unwrap_or(u32::MAX));
                return at;
            }
            left = left.saturating_sub(rest);
            at = Position { segment: at.segment.saturating_add(1), offset: 0 };
        }
        at
    }

    /// Whether `at` is the end of the message.
    #[inline]
    #[must_use]
    pub fn is_end(&self, at: Position) -> bool {
        at.segment >= self.count()
    }

    /// How many slices the bytes from `at` on take, up to the first file range or the end of the
    /// message: [`io_slices`](Self::io_slices) with fewer needs another call.
    #[must_use]
    pub fn io_slices_needed(&self, at: Position) -> usize {
        (at.segment..)
            .map_while(|i| self.segment(i))
            .take_while(|c| matches!(c, Chunk::Bytes(_)))
            .count()
    }

    /// Fills `out` with the pieces from `at` on and returns how many it used: all that fit, up to
    /// the first file range or the end of the message.
    /// [`io_slices_needed`](Self::io_slices_needed) says how many there are.
    #[cfg(feature = "std")]
    #[inline]
    pub fn io_slices(&self, at: Position, out: &mut [IoSlice<'x>]) -> usize {
        let mut used = 0usize;
        let mut at = at;
        for slot in out {
            let Some(Chunk::Bytes(bytes)) = self.chunk(at) else { break };
            *slot = IoSlice::new(bytes);
            used = used.saturating_add(1);
            at = Position { segment: at.segment.saturating_add(1), offset: 0 };
        }
        used
    }

    /// All bytes in one vector. A copy: for tests and for messages that are to be kept.
    ///
    /// # Errors
    /// [`NotInMemory`] if there is a file range, or if the head is too short to be the message's own.
    #[cfg(feature = "alloc")]
    pub fn to_vec(&self) -> Result<alloc::vec::Vec<u8>, NotInMemory> {
        // First: a few file ranges make a message longer than there is memory.
        if self.iter().any(|chunk| matches!(chunk, Chunk::File(_))) {
            return Err(NotInMemory);
        }
        let mut out = alloc::vec::Vec::with_capacity(usize::try_from(self.len()).unwrap_or(0));
        for chunk in self.iter() {
            match chunk {
                Chunk::Bytes(bytes) => out.extend_from_slice(bytes),
                Chunk::File(_) => return Err(NotInMemory),
            }
        }
        if out.len() as u64 == self.len() { Ok(out) } else { Err(NotInMemory) }
    }

    /// The bytes as one slice, if the message is one piece in memory.
    #[must_use]
    pub fn as_single_slice(&self) -> Option<&'x [u8]> {
        let mut pieces = self.iter();
        match (pieces.next(), pieces.next()) {
            (None, _) => Some(&[]),
            (Some(Chunk::Bytes(bytes)), None) => Some(bytes),
            _ => None,
        }
    }
}
