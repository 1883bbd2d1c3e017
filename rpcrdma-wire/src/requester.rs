//! What the requester does: how a call goes out, which chunks to offer for its reply, and whether
//! the chunks that come back are those that were offered.
//!
//! ```
//! use nfswire_rdma::{
//!     placement::{Reduce, Room, SendLimits, Stream},
//!     requester::{Arguments, CallWay, Expected, Limits, plan},
//! };
//!
//! let send = SendLimits { inline: 4096, pull_up: 4096, ..SendLimits::new(Reduce::Offered) };
//! let limits = Limits { send, ..Limits::new(4096) };
//! // READ of 1 MiB in eight registrations: the reply has 104 more bytes at most.
//! let results = [Room { length: 1 << 20, segments: 8 }];
//! let reply = Expected { length: 104 + (1 << 20), results: &results, segments: 10 };
//! let plan = plan(&Arguments::inline(&Stream::plain(120)), &reply, &limits)?;
//! assert_eq!((plan.way, plan.writes, plan.reply), (CallWay::Send, 1, None));
//! # Ok::<(), nfswire_rdma::requester::NoPlan>(())
//! ```

use thiserror::Error;

use crate::{
    Chunks, Header, Kind, Segment,
    header::MIN_HEADER_LEN,
    placement::{Body, READ_SEGMENT, Room, SendLimits, Stream, padded},
};

/// What bounds a call and its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How calls are sent. What it says of invalidation and reduction does not matter here.
    pub send: SendLimits,
    /// Largest Send of the peer that this end receives, in bytes.
    pub reply_inline: u32,
    /// Most Read chunks that the peer takes beside one at position zero.
    pub reads: u32,
    /// Most Write chunks that the peer takes.
    pub writes: u32,
    /// Most segments in one chunk that the peer takes.
    pub segments: u32,
    /// The peer takes Write chunks and a Reply chunk in one call.
    pub both: bool,
}

impl Limits {
    /// What every NFSv4 server takes (RFC 8267, section 6.4.2): one Read chunk, one Write chunk,
    /// sixteen segments. Calls and replies of `inline` bytes at most, the smaller of what either end
    /// said.
    #[must_use]
    pub const fn new(inline: u32) -> Self {
        let send = SendLimits::new(crate::placement::Reduce::Offered);
        let send = SendLimits { inline, pull_up: inline, ..send };
        Self { send, reply_inline: inline, reads: 1, writes: 1, segments: 16, both: false }
    }
}

/// A call that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments<'a> {
    /// Its measures, with the payloads that may go as Read chunks.
    pub stream: Stream<'a>,
    /// For each payload the segments that its Read chunk would have.
    pub segments: &'a [u32],
    /// Segments of a Read chunk of the whole call.
    pub whole: u32,
}

impl<'a> Arguments<'a> {
    /// A call without payloads, all of it in one registered piece.
    #[must_use]
    pub const fn inline(stream: &Stream<'a>) -> Self {
        Self { stream: *stream, segments: &[], whole: 1 }
    }
}

/// The largest reply that a call can have, from the sizes of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected<'a> {
    /// Bytes of the whole RPC message, payloads and pads included.
    pub length: u64,
    /// The results that may go to Write chunks, in the order of the reply: largest length, and the
    /// segments that the memory for it takes.
    pub results: &'a [Room],
    /// Segments that a Reply chunk of [`length`](Self::length) bytes would have.
    pub segments: u32,
}

impl Expected<'_> {
    /// A reply of at most `length` bytes, none of which go to a Write chunk.
    #[must_use]
    pub const fn inline(length: u64) -> Self {
        Self { length, results: &[], segments: 1 }
    }
}

/// What carries the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallWay {
    /// All of it in the Send (`RDMA_MSG`).
    Send,
    /// Some payloads as Read chunks, the rest in the Send (`RDMA_MSG`).
    Read,
    /// All of it in a Read chunk of position zero (`RDMA_NOMSG`).
    Long,
}

/// Numbers of payloads, of the first 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers(u64);

impl Numbers {
    /// Whether payload `index` is among them.
    #[inline]
    #[must_use]
    pub fn contains(self, index: usize) -> bool {
        u32::try_from(index)
            .ok()
            .and_then(|shift| self.0.checked_shr(shift))
            .is_some_and(|b| b & 1 > 0)
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    fn insert(&mut self, index: usize) {
        if let Some(bit) = u32::try_from(index).ok().and_then(|shift| 1u64.checked_shl(shift)) {
            self.0 |= bit;
        }
    }
}

/// How to send a call, and what to offer with it, from [`plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What carries the call.
    pub way: CallWay,
    /// How the Send comes together; a bare header is pulled up.
    pub send: Body,
    /// Bytes of the header in the Send.
    pub header: u32,
    /// Bytes of the call in the Send.
    pub body: u32,
    /// Payloads of the call that go as Read chunks.
    pub reads: Numbers,
    /// How many results get a Write chunk: the first so many.
    pub writes: u32,
    /// Length of the Reply chunk to offer.
    pub reply: Option<u64>,
}

/// Why there is no way to send a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoPlan {
    /// The header alone is longer than a Send.
    #[error(
        "the header of the call takes {needed} bytes, {inline} fit: register memory in fewer pieces, \
         or ask for less"
    )]
    CallHeader {
        /// Bytes of the header.
        needed: u64,
        /// Largest Send.
        inline: u32,
    },
    /// The header of the reply, in which the chunks come back, is longer than the peer's Send.
    #[error(
        "the header of the reply would take {needed} bytes, {inline} fit: register memory in fewer \
         pieces, or ask for less"
    )]
    ReplyHeader {
        /// Bytes of the header.
        needed: u64,
        /// Largest Send of the peer.
        inline: u32,
    },
    /// A chunk would have too many segments.
    #[error("a chunk takes {needed} segments, the peer takes {most}: register larger pieces")]
    Segments {
        /// Segments of the chunk.
        needed: u32,
        /// [`Limits::segments`].
        most: u32,
    },
}

/// Chunks to offer for a reply.
struct Offered {
    writes: u32,
    reply: Option<u64>,
    /// Bytes in the headers of call and reply.
    header: u64,
}

/// The chunks that make room for the largest reply: none if it fits inline, then Write chunks for as
/// few of the first results as make the rest fit, then a Reply chunk.
fn offer(reply: &Expected<'_>, limits: &Limits) -> Result<Offered, NoPlan> {
    let inline = u64::from(limits.reply_inline);
    let fits = |header: u64, length: u64| {
        (MIN_HEADER_LEN as u64).saturating_add(header).saturating_add(length) <= inline
    };
    let mut best = Offered { writes: 0, reply: None, header: 0 };
    let mut left = reply.length;
    if fits(best.header, left) {
        return Ok(best);
    }
    let most = usize::try_from(limits.writes).unwrap_or(usize::MAX);
    for room in reply.results.iter().take(most) {
        if room.segments > limits.segments {
            break;
        }
        best.writes = best.writes.saturating_add(1);
        best.header = best.header.saturating_add(room.as_write());
        // A longer result than a length can say does not exist.
        let longest = u32::try_from(room.length).map_or(room.length, padded);
        left = left.saturating_sub(longest);
        if fits(best.header, left) {
            return Ok(best);
        }
    }
    if !limits.both {
        // Only one kind: the Reply chunk takes everything.
        best = Offered { writes: 0, reply: None, header: 0 };
        left = reply.length;
    }
    if reply.segments > limits.segments {
        return Err(NoPlan::Segments { needed: reply.segments, most: limits.segments });
    }
    let room = Room { length: left, segments: reply.segments };
    best.header = best.header.saturating_add(room.as_reply());
    best.reply = Some(left);
    if !fits(best.header, 0) {
        let needed = (MIN_HEADER_LEN as u64).saturating_add(best.header);
        return Err(NoPlan::ReplyHeader { needed, inline: limits.reply_inline });
    }
    Ok(best)
}

/// Plans a call: what it offers for its reply, and how it goes out itself.
///
/// Whatever reply of at most the expected lengths comes, it fits what is offered, the header with
/// the returned chunks included. A call that fits is sent inline. Otherwise payloads go as Read
/// chunks, the largest first and no more than needed; if that is not enough, or there are none, the
/// whole call becomes one Read chunk of position zero.
///
/// # Errors
/// [`NoPlan`] if the chunks do not fit a header, or are more than the peer takes.
pub fn plan(call: &Arguments<'_>, reply: &Expected<'_>, limits: &Limits) -> Result<Plan, NoPlan> {
    let offered = offer(reply, limits)?;
    let inline = limits.send.inline;
    let header = (MIN_HEADER_LEN as u64).saturating_add(offered.header);
    let stream = &call.stream;
    let plan = |way, send, header, body, reads| Plan {
        way,
        send,
        header: saturate(header),
        body: saturate(body),
        reads,
        writes: offered.writes,
        reply: offered.reply,
    };
    if let Some(send) = limits.send.body(header, stream.length(), stream.pieces()) {
        return Ok(plan(CallWay::Send, send, header, stream.length(), Numbers::default()));
    }

    let (mut reads, mut with_reads) = (Numbers::default(), header);
    while reads.count() < limits.reads {
        let candidates = stream.items().iter().zip(call.segments).enumerate().take(64);
        let next = candidates
            .filter(|(index, (item, segments))| {
                let taken = 1..=limits.segments;
                !reads.contains(*index) && item.length > 0 && taken.contains(*segments)
            })
            .max_by_key(|(_, (item, _))| item.length);
        let Some((index, (_, segments))) = next else { break };
        reads.insert(index);
        let entries = READ_SEGMENT.saturating_mul(u64::from(*segments));
        with_reads = with_reads.saturating_add(entries);
        let rest = stream.without(|index| reads.contains(index));
        if let Some(send) = limits.send.body(with_reads, rest.length(), rest.pieces()) {
            return Ok(plan(CallWay::Read, send, with_reads, rest.length(), reads));
        }
    }

    let whole = call.whole.max(1);
    if whole > limits.segments {
        return Err(NoPlan::Segments { needed: whole, most: limits.segments });
    }
    let needed = header.saturating_add(READ_SEGMENT.saturating_mul(whole.into()));
    if needed > inline.into() {
        return Err(NoPlan::CallHeader { needed, inline });
    }
    Ok(plan(CallWay::Long, Body::PulledUp, needed, 0, Numbers::default()))
}

fn saturate(length: u64) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// A chunk came back that is not the one that was offered. The reply must be discarded (RFC 8166,
/// section 4.5); what it wrote to the memory offered is not to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadReturn {
    /// More chunks than were offered.
    #[error("the reply returns more Write chunks than the {offered} offered: discard it")]
    Chunks {
        /// Chunks that were offered.
        offered: usize,
    },
    /// A Reply chunk though none was offered.
    #[error("the reply returns a Reply chunk, but none was offered: discard it")]
    ReplyChunk,
    /// Another number of segments.
    #[error(
        "a chunk was offered with {offered} segments and returned with {returned}: discard the reply"
    )]
    Segments {
        /// Segments that were offered.
        offered: usize,
        /// Segments that came back.
        returned: usize,
    },
    /// Another place in memory.
    #[error("segment {segment} came back with another handle or offset: discard the reply")]
    Elsewhere {
        /// Number of the segment in its chunk, from zero on.
        segment: usize,
    },
    /// More bytes than there is room.
    #[error(
        "segment {segment} was offered for {offered} bytes and claims {claimed}: discard the reply"
    )]
    TooLong {
        /// Number of the segment in its chunk, from zero on.
        segment: usize,
        /// Length that was offered.
        offered: u32,
        /// Length that came back.
        claimed: u32,
    },
    /// RDMA_MSG, which has the message in the Send, with bytes in the Reply chunk.
    #[error("the reply came inline, but claims {claimed} bytes in the Reply chunk: discard it")]
    TwoReplies {
        /// Bytes that it claims.
        claimed: u64,
    },
    /// RDMA_NOMSG without bytes in the Reply chunk.
    #[error("the reply is neither inline nor in the Reply chunk: discard it")]
    NoReply,
    /// RDMA_ERROR, which returns no chunks.
    #[error("the peer answers with an error: the call is over, there is no reply")]
    Error,
    /// The Send invalidated a handle that the call did not offer.
    #[error(
        "the peer invalidated handle {handle:#x}, which the call does not name: close the connection"
    )]
    Invalidated {
        /// The handle.
        handle: u32,
    },
    /// Bytes behind a segment that is not full.
    #[error("segment {segment} claims bytes, but one before it is not full: discard the reply")]
    Gap {
        /// Number of the segment in its chunk, from zero on.
        segment: usize,
    },
}

/// Compares a chunk that came back with the one that was offered, and returns the bytes that are in
/// it: they fill its segments in order.
///
/// # Errors
/// [`BadReturn`] if it claims anything that was not offered.
pub fn check_chunk(
    offered: impl IntoIterator<Item = Segment>,
    returned: impl IntoIterator<Item = Segment>,
) -> Result<u64, BadReturn> {
    let (mut offered, mut returned) = (offered.into_iter(), returned.into_iter());
    let (mut total, mut full) = (0u64, true);
    let mut segment = 0usize;
    loop {
        let (ours, theirs) = match (offered.next(), returned.next()) {
            (None, None) => return Ok(total),
            (Some(ours), Some(theirs)) => (ours, theirs),
            (ours, theirs) => {
                let rest = |first: Option<Segment>, more: usize| {
                    segment.saturating_add(usize::from(first.is_some())).saturating_add(more)
                };
                return Err(BadReturn::Segments {
                    offered: rest(ours, offered.count()),
                    returned: rest(theirs, returned.count()),
                });
            }
        };
        if (theirs.handle, theirs.offset) != (ours.handle, ours.offset) {
            return Err(BadReturn::Elsewhere { segment });
        }
        if theirs.length > ours.length {
            let (offered, claimed) = (ours.length, theirs.length);
            return Err(BadReturn::TooLong { segment, offered, claimed });
        }
        if theirs.length > 0 && !full {
            return Err(BadReturn::Gap { segment });
        }
        full = theirs.length == ours.length;
        total = total.saturating_add(theirs.length.into());
        segment = segment.saturating_add(1);
    }
}

/// Compares the Write list that came back with the one that was offered, and writes the bytes in
/// each chunk to `lengths`, as far as it goes. A list that ends early stands for unused chunks.
///
/// # Errors
/// [`BadReturn`] if it claims anything that was not offered.
pub fn check_writes<O, R>(
    offered: impl IntoIterator<Item = O>,
    returned: impl IntoIterator<Item = R>,
    lengths: &mut [u64],
) -> Result<(), BadReturn>
where
    O: IntoIterator<Item = Segment>,
    R: IntoIterator<Item = Segment>,
{
    lengths.fill(0);
    let (mut offered, mut lengths) = (offered.into_iter(), lengths.iter_mut());
    for (index, returned) in returned.into_iter().enumerate() {
        let ours = offered.next().ok_or(BadReturn::Chunks { offered: index })?;
        let length = check_chunk(ours, returned)?;
        if let Some(slot) = lengths.next() {
            *slot = length;
        }
    }
    Ok(())
}

/// Compares the Reply chunk that came back with the one that was offered, and returns the bytes that
/// are in it: none if it did not come back.
///
/// # Errors
/// [`BadReturn`] if it claims anything that was not offered.
pub fn check_reply<O, R>(offered: Option<O>, returned: Option<R>) -> Result<u64, BadReturn>
where
    O: IntoIterator<Item = Segment>,
    R: IntoIterator<Item = Segment>,
{
    match (offered, returned) {
        (Some(ours), Some(theirs)) => check_chunk(ours, theirs),
        (None, Some(_)) => Err(BadReturn::ReplyChunk),
        (_, None) => Ok(0),
    }
}

/// Compares all chunks that a reply returns with those of its call. Writes the bytes in each Write
/// chunk to `lengths`, as far as it goes, and returns those in the Reply chunk: none if the message
/// is inline.
///
/// # Errors
/// [`BadReturn`] if the reply claims anything that was not offered, or is nowhere.
pub fn check_returned(
    call: &Chunks<'_>,
    reply: &Header<'_>,
    lengths: &mut [u64],
) -> Result<u64, BadReturn> {
    lengths.fill(0);
    let returned = reply.chunks().ok_or(BadReturn::Error)?;
    let (ours, theirs) = (call.writes(), returned.writes());
    check_writes(ours.map(|chunk| chunk.segments), theirs.map(|chunk| chunk.segments), lengths)?;
    let (ours, theirs) = (call.reply(), returned.reply());
    let length = check_reply(ours.map(|chunk| chunk.segments), theirs.map(|chunk| chunk.segments))?;
    match (reply.kind(), length) {
        (Kind::Msg(_), claimed @ 1..) => Err(BadReturn::TwoReplies { claimed }),
        (Kind::Nomsg(_), 0) => Err(BadReturn::NoReply),
        _ => Ok(length),
    }
}

/// Whether the handle that the peer's Send invalidated is one of the call that the Send replies to
/// (RFC 8797, section 4.1). All its other handles are still to be invalidated by this end.
///
/// # Errors
/// [`BadReturn::Invalidated`] if not: memory of another call is gone.
pub fn check_invalidated(call: &Chunks<'_>, handle: u32) -> Result<(), BadReturn> {
    let results = call.writes().chain(call.reply()).flat_map(|chunk| chunk.segments);
    let arguments = call.reads().flat_map(|chunk| chunk.segments());
    if results.chain(arguments).any(|segment| segment.handle == handle) {
        Ok(())
    } else {
        Err(BadReturn::Invalidated { handle })
    }
}

/// Puts a reply together again: `body`, which came inline or in the Reply chunk, with the bytes of
/// Write chunks in their places, and the pads that did not travel. The answer is the pieces of the
/// RPC message in order, none of them empty.
///
/// `placed` gives for each part of the client's memory the byte of the RPC message that it begins
/// at, in order. A part that begins where the one before it ends is of the same payload.
///
/// Where a payload belongs, only decoding tells: behind its length, which came in the body. A place
/// behind the end of the body, or within what was put together already, is moved to there.
///
/// ```
/// use nfswire_rdma::requester::rejoin;
///
/// // A payload of five bytes at byte 4, in two buffers.
/// let body = [0, 0, 0, 5, 0, 0, 0, 1];
/// let pieces: Vec<&[u8]> = rejoin(&body, [(4, &b"abc"[..]), (7, b"de")]).collect();
/// assert_eq!(pieces.concat(), *b"\0\0\0\x05abcde\0\0\0\0\0\0\x01");
/// ```
pub fn rejoin<'a, I>(body: &'a [u8], placed: I) -> impl Iterator<Item = &'a [u8]> + use<'a, I>
where
    I: IntoIterator<Item = (u64, &'a [u8])>,
{
    let mut placed = placed.into_iter();
    let mut rest = body;
    let mut at = 0u64; // bytes put together
    let mut next = placed.next();
    let mut open = false; // the last piece was of a payload that may want a pad
    core::iter::from_fn(move || {
        loop {
            if open && next.is_none_or(|(position, _)| position != at) {
                open = false;
                let pad = at.next_multiple_of(4).saturating_sub(at);
                let zeros = usize::try_from(pad).ok().and_then(|pad| PAD.len().checked_sub(pad));
                at = at.saturating_add(pad);
                if let Some(zeros) =
                    zeros.and_then(|from| PAD.get(from..)).filter(|z| !z.is_empty())
                {
                    return Some(zeros);
                }
            }
            let Some((position, bytes)) = next else {
                let last = core::mem::take(&mut rest);
                return (!last.is_empty()).then_some(last);
            };
            let before = usize::try_from(position.saturating_sub(at)).unwrap_or(usize::MAX);
            let (before, behind) = rest.split_at_checked(before).unwrap_or((rest, &[]));
            if !before.is_empty() {
                rest = behind;
                at = at.saturating_add(before.len() as u64);
                if position == at {
                    return Some(before);
                }
                // The body ends before the place: there is nothing between.
                next = Some((at, bytes));
                return Some(before);
            }
            next = placed.next();
            at = at.saturating_add(bytes.len() as u64);
            open = true;
            if !bytes.is_empty() {
                return Some(bytes);
            }
        }
    })
}

/// Zeros, for pads.
static PAD: [u8; 3] = [0; 3];
