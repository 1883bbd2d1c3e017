//! Which bytes of a reply go where: into the Send, into Write chunks, or into the Reply chunk.
//!
//! [`choose`] is a function of numbers: the lengths of the reply and of its payloads, the room of
//! the chunks that the requester offered, and the limits of the connection. It moves nothing. What
//! it decided is then carried out with [`fill`], which spreads bytes over the segments of a chunk,
//! and [`slices`], which finds the bytes of the message.
//!
//! ```
//! use nfswire_rdma::placement::{Choice, Item, Offer, Reduce, Room, SendLimits, Stream, Way, choose};
//!
//! let limits = SendLimits { inline: 4096, pull_up: 4096, ..SendLimits::new(Reduce::Offered) };
//! // A listing of 300 bytes: the client offers a Reply chunk of 64 KiB, which is not needed.
//! let offer = Offer { reply: Some(Room { length: 65536, segments: 1 }), ..Offer::NONE };
//! let Choice { way, writes, .. } = choose(&Stream::plain(300), &offer, &limits)?;
//! assert_eq!((way, writes), (Way::Send, 0));
//!
//! // READ of 1 MiB whose data begins at byte 104.
//! let data = [Item { position: 104, length: 1 << 20, pieces: 1 }];
//! let reply = Stream::new(104 + (1 << 20), 2, &data)?;
//! let offer = Offer { writes: &[Room { length: 1 << 20, segments: 8 }], ..Offer::NONE };
//! let choice = choose(&reply, &offer, &limits)?;
//! assert_eq!((choice.way, choice.writes, choice.body), (Way::Write, 8, 104));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::ops::Range;

use nfswire_xdr::{Chunk, Message, Position};
use thiserror::Error;

use crate::{Chunks, DEFAULT_INLINE_THRESHOLD, Segment, header::MIN_HEADER_LEN};

/// Bytes of a plain segment.
const SEGMENT: u64 = 16;
/// Bytes of an entry of the Read list.
pub(crate) const READ_SEGMENT: u64 = 24;
/// Bytes of a Write chunk beside its segments: the flag before it, and their count.
const WRITE_CHUNK: u64 = 8;
/// Bytes of a Reply chunk beside its segments and its flag, which is always there.
const REPLY_CHUNK: u64 = 4;

/// Length rounded up to a multiple of four, as XDR pads it.
#[inline]
pub(crate) const fn padded(length: u32) -> u64 {
    (length as u64).saturating_add(3) & !3
}

/// A payload in an RPC message: an item that may be moved apart ("DDP-eligible").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Offset of its first byte from the start of the message; a multiple of four.
    pub position: u64,
    /// Length in bytes, without the pad.
    pub length: u32,
    /// Pieces of memory that it takes.
    pub pieces: u32,
}

/// Why a list of payloads cannot be that of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadStream {
    /// A payload is not behind the one before it, or not at a multiple of four.
    #[error(
        "payload {index} is at byte {position}: give payloads in order, each at a multiple of four"
    )]
    Position {
        /// Number of the payload, from zero on.
        index: usize,
        /// Its position.
        position: u64,
    },
    /// A payload with its pad ends behind the message.
    #[error("payload {index} ends at byte {end}, but the message has {length} bytes")]
    End {
        /// Number of the payload, from zero on.
        index: usize,
        /// Where it ends, with its pad.
        end: u64,
        /// Length of the message.
        length: u64,
    },
    /// The list of the caller is too short.
    #[error("the message has more than {room} payloads: lend a longer list")]
    TooMany {
        /// Length of the list.
        room: usize,
    },
}

/// The measures of an RPC message that is to be sent.
///
/// Payload k is the k-th item that may be moved apart, whether it is large, small or empty: the
/// requester pairs them with its chunks by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream<'a> {
    length: u64,
    pieces: u32,
    items: &'a [Item],
}

impl<'a> Stream<'a> {
    /// A message of `length` bytes in one piece, without payloads.
    #[inline]
    #[must_use]
    pub const fn plain(length: u64) -> Self {
        Self { length, pieces: 1, items: &[] }
    }

    /// A message of `length` bytes in `pieces` pieces of memory, with these payloads in order.
    ///
    /// # Errors
    /// [`BadStream`] if they overlap, or are not within the message.
    pub fn new(length: u64, pieces: u32, items: &'a [Item]) -> Result<Self, BadStream> {
        let mut from = 0u64;
        for (index, item) in items.iter().enumerate() {
            let Item { position, length: bytes, .. } = *item;
            if position < from || position % 4 != 0 {
                return Err(BadStream::Position { index, position });
            }
            from = position.saturating_add(padded(bytes));
            if from > length {
                return Err(BadStream::End { index, end: from, length });
            }
        }
        Ok(Self { length, pieces, items })
    }

    /// The measures of an encoded message, which has no record marker; `items` is memory for its
    /// payloads.
    ///
    /// A payload that was copied into the head is not seen, nor is an empty one. Where a message can
    /// have more than one payload, encode without a copy-break and give the list yourself if one of
    /// them is empty, or a later one is taken for it.
    ///
    /// # Errors
    /// [`BadStream::TooMany`] if `items` is too short.
    pub fn of(message: &Message<'_, '_>, items: &'a mut [Item]) -> Result<Self, BadStream> {
        let room = items.len();
        let mut found = 0usize;
        for placement in message.placements() {
            let slot = items.get_mut(found).ok_or(BadStream::TooMany { room })?;
            *slot = Item {
                position: placement.position,
                length: placement.len,
                pieces: count(message.placed(&placement).count()),
            };
            found = found.saturating_add(1);
        }
        let items: &'a [Item] = items;
        Self::new(message.len(), count(message.count()), items.get(..found).unwrap_or(&[]))
    }

    /// Length in bytes.
    #[inline]
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Pieces of memory.
    #[inline]
    #[must_use]
    pub const fn pieces(&self) -> u32 {
        self.pieces
    }

    /// Payloads, in order.
    #[inline]
    #[must_use]
    pub const fn items(&self) -> &'a [Item] {
        self.items
    }

    /// What is left of the message without those of its payloads that `moved` names.
    pub(crate) fn without(&self, moved: impl Fn(usize) -> bool) -> Self {
        let (mut length, mut pieces) = (self.length, self.pieces);
        for (index, item) in self.items.iter().enumerate() {
            // An empty one has no memory, whatever is said of it.
            if item.length > 0 && moved(index) {
                length = length.saturating_sub(padded(item.length));
                pieces = pieces.saturating_sub(item.pieces);
            }
        }
        Self { length, pieces: pieces.max(1), items: &[] }
    }

    /// The parts of the message that stay when the payloads that `moved` names are taken out with
    /// their pads, in order: ranges of its bytes, none of them empty.
    pub fn rest(&self, moved: impl Fn(usize) -> bool) -> impl Iterator<Item = Range<u64>> {
        let (items, end) = (self.items, self.length);
        let mut at = 0u64;
        let mut index = 0usize;
        core::iter::from_fn(move || {
            loop {
                let Some(item) = items.get(index) else {
                    let last = at..end;
                    at = end;
                    return (!last.is_empty()).then_some(last);
                };
                let number = index;
                index = index.saturating_add(1);
                if !moved(number) {
                    continue;
                }
                let part = at..item.position;
                at = item.position.saturating_add(padded(item.length));
                if !part.is_empty() {
                    return Some(part);
                }
            }
        })
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The room of a chunk: how much it takes, in how many segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Sum of the lengths of its segments, in bytes.
    pub length: u64,
    /// Number of segments.
    pub segments: u32,
}

impl Room {
    /// The room of these segments.
    pub fn of(segments: impl IntoIterator<Item = Segment>) -> Self {
        segments.into_iter().fold(Self::default(), |room, segment| Self {
            length: room.length.saturating_add(segment.length.into()),
            segments: room.segments.saturating_add(1),
        })
    }

    /// Bytes in the header, as a Write chunk.
    pub(crate) const fn as_write(self) -> u64 {
        WRITE_CHUNK.saturating_add(SEGMENT.saturating_mul(self.segments as u64))
    }

    /// Bytes in the header that a Reply chunk adds.
    pub(crate) const fn as_reply(self) -> u64 {
        REPLY_CHUNK.saturating_add(SEGMENT.saturating_mul(self.segments as u64))
    }
}

/// A call has more Write chunks than there is memory for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the call offers {offered} Write chunks, there is memory for {room}: answer ERR_CHUNK, or lend more"
)]
pub struct TooManyChunks {
    /// Write chunks of the call.
    pub offered: u32,
    /// Length of the memory.
    pub room: usize,
}

/// What the requester offered with its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer<'a> {
    /// Write chunks in order. One without segments asks for its payload inline.
    pub writes: &'a [Room],
    /// Reply chunk.
    pub reply: Option<Room>,
    /// A handle that the call named, of any chunk: the one to invalidate.
    pub handle: Option<u32>,
}

impl<'a> Offer<'a> {
    /// No chunk.
    pub const NONE: Self = Self { writes: &[], reply: None, handle: None };

    /// What a call offers; `rooms` is memory for its Write chunks.
    ///
    /// # Errors
    /// [`TooManyChunks`] if `rooms` is too short.
    pub fn of(chunks: &Chunks<'_>, rooms: &'a mut [Room]) -> Result<Self, TooManyChunks> {
        let (offered, room) = (chunks.write_count(), rooms.len());
        let count = usize::try_from(offered).unwrap_or(usize::MAX);
        let rooms = rooms.get_mut(..count).ok_or(TooManyChunks { offered, room })?;
        for (slot, chunk) in rooms.iter_mut().zip(chunks.writes()) {
            *slot = Room::of(chunk.segments);
        }
        let results = chunks.writes().chain(chunks.reply()).flat_map(|chunk| chunk.segments);
        let arguments = chunks.reads().flat_map(|chunk| chunk.segments());
        Ok(Self {
            writes: rooms,
            reply: chunks.reply().map(|chunk| Room::of(chunk.segments)),
            handle: results.chain(arguments).map(|segment| segment.handle).next(),
        })
    }

    /// Length of the header of the reply. All chunks come back in it, used or not.
    #[must_use]
    pub fn header_len(&self) -> u64 {
        let writes = self.writes.iter().map(|room| room.as_write());
        let reply = self.reply.map_or(0, Room::as_reply);
        writes.fold((MIN_HEADER_LEN as u64).saturating_add(reply), u64::saturating_add)
    }

    /// Whether there is a Write chunk with segments for payload `index`.
    #[inline]
    #[must_use]
    pub fn takes(&self, index: usize) -> bool {
        self.writes.get(index).is_some_and(|room| room.segments > 0)
    }
}

/// Which payloads leave the reply when the requester offers Write chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reduce {
    /// Every payload for which there is a Write chunk, whatever its length: what RFC 8166, section
    /// 4.3.2, and RFC 8267, section 6.4.1, ask for.
    Offered,
    /// None if the whole reply fits inline, so that it costs no RDMA Write; otherwise all of them.
    /// The chunks come back unused. Linux clients take this; a client that holds the peer to the
    /// letter of RFC 8166 may not.
    Needed,
}

/// What one end can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendLimits {
    /// Largest Send, header and message, in bytes: the smaller of what this end sends and what the
    /// peer receives.
    pub inline: u32,
    /// Length of the buffer that a message can be copied into, in bytes, header included.
    pub pull_up: u32,
    /// Messages with their header up to this length are copied into that buffer; longer ones are
    /// gathered from where they are, if [`gather`](Self::gather) allows.
    pub copy_break: u32,
    /// Most pieces of memory of one Send, the header being one.
    pub gather: u32,
    /// Both peers said that they support remote invalidation (RFC 8797, section 4.1).
    pub invalidate: bool,
    /// Which payloads to reduce.
    pub reduce: Reduce,
}

impl SendLimits {
    /// Limits that hold with every peer: 1024 bytes inline, half of it copied, four pieces, no
    /// remote invalidation.
    #[must_use]
    pub const fn new(reduce: Reduce) -> Self {
        Self {
            inline: DEFAULT_INLINE_THRESHOLD,
            pull_up: DEFAULT_INLINE_THRESHOLD,
            copy_break: 512,
            gather: 4,
            invalidate: false,
            reduce,
        }
    }

    /// How to send a message of this length in so many pieces behind a header of `header` bytes;
    /// nothing if it does not go.
    pub(crate) fn body(&self, header: u64, length: u64, pieces: u32) -> Option<Body> {
        let total = header.saturating_add(length);
        if total > self.inline.into() {
            return None;
        }
        let (pulled_up, gathered) = (total <= self.pull_up.into(), pieces < self.gather);
        if pulled_up && (total <= self.copy_break.into() || !gathered) {
            Some(Body::PulledUp)
        } else if gathered {
            Some(Body::Gathered)
        } else {
            None
        }
    }
}

/// How the bytes of a Send come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Body {
    /// Header and message are copied into one buffer: one piece.
    PulledUp,
    /// Header and message are gathered from where they are.
    Gathered,
}

/// What carries the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// All of it in the Send (`RDMA_MSG`); chunks that were offered come back unused.
    Send,
    /// Payloads in Write chunks, the rest in the Send (`RDMA_MSG`).
    Write,
    /// All of it in the Reply chunk, except payloads that are in Write chunks; the Send has only the
    /// header (`RDMA_NOMSG`).
    Reply,
}

/// How to send a reply, from [`choose`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What carries it.
    pub way: Way,
    /// How the Send comes together; a bare header is pulled up.
    pub send: Body,
    /// Bytes of the header in the Send.
    pub header: u32,
    /// Bytes of the message in the Send.
    pub body: u32,
    /// Payloads with a Write chunk are in it, and not in the message.
    pub reduced: bool,
    /// Bytes of the message in the Reply chunk.
    pub reply: u64,
    /// Most RDMA Writes that it costs: one for each segment offered in the chunks that are used.
    pub writes: u32,
    /// Send with this handle invalidated.
    pub invalidate: Option<u32>,
}

impl Choice {
    /// Whether payload `index` is in its Write chunk, given the offer that was chosen from.
    #[inline]
    #[must_use]
    pub fn moved(&self, offer: &Offer<'_>, index: usize) -> bool {
        self.reduced && offer.takes(index)
    }

    /// Writes the bytes that go to each Write chunk to `used`, for [`Chunks::returned`].
    pub fn used(&self, reply: &Stream<'_>, offer: &Offer<'_>, used: &mut [u64]) {
        used.fill(0);
        for (index, (slot, item)) in used.iter_mut().zip(reply.items).enumerate() {
            if self.moved(offer, index) {
                *slot = item.length.into();
            }
        }
    }
}

/// Why a reply cannot be sent. The answer to the call is `ERR_CHUNK` (RFC 8166, section 4.5.3): the
/// requester offered too little.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CannotSend {
    /// A payload is longer than its Write chunk.
    #[error(
        "payload {index} has {needed} bytes, its Write chunk {offered}: answer ERR_CHUNK, or read no \
         more than was asked for"
    )]
    WriteChunk {
        /// Number of the payload, from zero on.
        index: usize,
        /// Its length.
        needed: u32,
        /// Room of the chunk.
        offered: u64,
    },
    /// The reply does not fit inline, and there is no Reply chunk.
    #[error(
        "the reply takes {needed} bytes inline, {inline} fit, and no Reply chunk was offered: answer \
         ERR_CHUNK"
    )]
    NoReplyChunk {
        /// Bytes of header and message.
        needed: u64,
        /// Largest Send.
        inline: u32,
    },
    /// The reply does not fit the Reply chunk.
    #[error("the reply has {needed} bytes, the Reply chunk {offered}: answer ERR_CHUNK")]
    ReplyChunk {
        /// Bytes of the message.
        needed: u64,
        /// Room of the chunk.
        offered: u64,
    },
    /// The header alone, with all chunks that were offered, is longer than a Send.
    #[error(
        "the header of the reply takes {needed} bytes, {inline} fit: answer ERR_CHUNK, the requester \
         offered too many segments"
    )]
    Header {
        /// Bytes of the header.
        needed: u64,
        /// Largest Send.
        inline: u32,
    },
    /// The reply would fit inline, but has too many pieces to gather, is too long to copy, and there
    /// is no Reply chunk.
    #[error(
        "the reply has {needed} bytes in {pieces} pieces: make the pull-up buffer as long as the \
         inline threshold, or answer ERR_CHUNK"
    )]
    Pieces {
        /// Bytes of header and message.
        needed: u64,
        /// Pieces of the message.
        pieces: u32,
    },
}

/// Chooses how to send a reply.
///
/// Payload k goes to Write chunk k. A reply that fits inline never costs an RDMA Write, other than
/// for payloads that [`Reduce::Offered`] moves; it goes to the Reply chunk only if it does not fit.
/// The answer never says more than was offered, than a Send may have, or than can be gathered.
///
/// # Errors
/// [`CannotSend`] if the requester offered too little.
pub fn choose(
    reply: &Stream<'_>,
    offer: &Offer<'_>,
    limits: &SendLimits,
) -> Result<Choice, CannotSend> {
    let header = offer.header_len();
    let inline = limits.inline;
    let Some(header_len) = u32::try_from(header).ok().filter(|len| *len <= inline) else {
        return Err(CannotSend::Header { needed: header, inline });
    };
    let choice = Choice {
        way: Way::Send,
        send: Body::PulledUp,
        header: header_len,
        body: 0,
        reduced: false,
        reply: 0,
        writes: 0,
        invalidate: offer.handle.filter(|_| limits.invalidate),
    };

    let items = reply.items();
    let moves = items.iter().enumerate().any(|(k, item)| item.length > 0 && offer.takes(k));
    if (!moves || limits.reduce == Reduce::Needed)
        && let Some(send) = limits.body(header, reply.length, reply.pieces)
    {
        return Ok(Choice { send, body: saturate(reply.length), ..choice });
    }

    let mut writes = 0u32;
    for (index, (item, room)) in items.iter().zip(offer.writes).enumerate() {
        if room.segments > 0 && item.length > 0 {
            if room.length < item.length.into() {
                let (needed, offered) = (item.length, room.length);
                return Err(CannotSend::WriteChunk { index, needed, offered });
            }
            writes = writes.saturating_add(room.segments);
        }
    }
    let rest = if moves { reply.without(|k| offer.takes(k)) } else { *reply };
    if moves && let Some(send) = limits.body(header, rest.length, rest.pieces) {
        let (way, body) = (Way::Write, saturate(rest.length));
        return Ok(Choice { way, send, body, reduced: true, writes, ..choice });
    }

    let needed = header.saturating_add(rest.length);
    match offer.reply {
        Some(room) if room.length >= rest.length => Ok(Choice {
            way: Way::Reply,
            reduced: moves,
            reply: rest.length,
            writes: writes.saturating_add(room.segments),
            ..choice
        }),
        _ if needed <= inline.into() => Err(CannotSend::Pieces { needed, pieces: rest.pieces }),
        Some(room) => Err(CannotSend::ReplyChunk { needed: rest.length, offered: room.length }),
        None => Err(CannotSend::NoReplyChunk { needed, inline }),
    }
}

#[inline]
fn saturate(length: u64) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Spreads `length` bytes over the segments of a chunk that was offered: the chunk as it comes back
/// in the header of the reply, each segment with the bytes that it got, those behind the end with
/// none. A chunk that is not used is filled with zero bytes.
///
/// Each segment with bytes is one RDMA Write, of the bytes behind those of the segments before it.
/// Bytes that do not fit are left out; [`choose`] sees to it that there are none.
///
/// ```
/// use nfswire_rdma::{Segment, placement::fill};
///
/// let chunk = [1, 2, 3].map(|handle| Segment { handle, length: 4096, offset: 0 });
/// let lengths = fill(chunk, 5000).map(|segment| segment.length);
/// assert!(lengths.eq([4096, 904, 0]));
/// ```
#[inline]
pub fn fill<I>(chunk: I, length: u64) -> impl Iterator<Item = Segment> + use<I>
where
    I: IntoIterator<Item = Segment>,
{
    let mut left = length;
    chunk.into_iter().map(move |segment| {
        let length = u64::from(segment.length).min(left);
        left = left.saturating_sub(length);
        Segment { length: saturate(length), ..segment }
    })
}

/// The pieces of a message that have its bytes `range`, in order, cut to it.
///
/// What does not lie within the message is left out.
pub fn slices<'x>(message: &Message<'x, '_>, range: Range<u64>) -> impl Iterator<Item = Chunk<'x>> {
    let message = *message;
    let start = usize::try_from(range.start).unwrap_or(usize::MAX);
    let mut at = message.advance(Position::START, start);
    let mut left = range.end.saturating_sub(range.start);
    core::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let piece = match message.chunk(at)? {
            Chunk::Bytes(bytes) => {
                let wanted = usize::try_from(left).unwrap_or(usize::MAX);
                Chunk::Bytes(bytes.get(..wanted).unwrap_or(bytes))
            }
            Chunk::File(mut range) => {
                range.len = range.len.min(saturate(left));
                Chunk::File(range)
            }
        };
        left = left.saturating_sub(piece.len());
        at = message.advance(at, usize::try_from(piece.len()).unwrap_or(usize::MAX));
        Some(piece)
    })
}
