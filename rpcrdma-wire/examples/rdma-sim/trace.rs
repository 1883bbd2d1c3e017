//! Recorded calls and replies, and what they would cost if this crate had sent them.
//!
//! A trace is a file of messages, each a length of four bytes (big-endian) and what one Send
//! carried.

use std::collections::HashMap;

use nfswire_rdma::{
    Budget, Chunks, Direction, Endpoint, Kind, Reverse, Role,
    batch::Sends,
    placement::{Body, Item, Offer, Reduce, Room, SendLimits, Stream, Way, choose},
    receive,
    requester::{Arguments, CallWay, Expected, Limits, check_returned, plan},
};

/// What the calls and replies of one trace cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Segments that the client registers.
    pub(crate) registrations: u32,
    /// RDMA Reads: segments of calls that the server fetches.
    pub(crate) reads: u32,
    /// Sends of the server.
    pub(crate) sends: u32,
    /// RDMA Writes: segments that got bytes.
    pub(crate) writes: u32,
    /// RDMA Writes of replies that fit inline with everything in them.
    pub(crate) needless: u32,
    /// Completions of the server's Sends and RDMA Writes.
    pub(crate) completions: u32,
    /// Replies that are copied into one piece.
    pub(crate) copied: u32,
}

/// What is in a trace, and what it costs by each rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Table {
    /// Calls with a reply.
    pub(crate) operations: u32,
    /// Messages that are no RPC call or reply, or whose headers are refused.
    pub(crate) skipped: u32,
    /// Replies that fit inline with everything in them and every offered chunk returned.
    pub(crate) small: u32,
    /// What client and server of the trace did.
    pub(crate) recorded: Cost,
    /// This crate, payloads in Write chunks whenever there are any.
    pub(crate) offered: Cost,
    /// This crate, nothing in chunks that fits inline.
    pub(crate) needed: Cost,
    /// Replies that `choose` would have refused.
    pub(crate) refused: u32,
}

/// Reads a trace and chooses anew for each reply, for a client that receives `inline` bytes.
///
/// # Errors
/// A sentence, if the file is not a trace.
pub(crate) fn replay(trace: &[u8], inline: u32) -> Result<Table, String> {
    let mut table = Table::default();
    let mut calls: HashMap<u32, &[u8]> = HashMap::new();
    let mut queues = [Sends::new(256, 8, 64), Sends::new(256, 8, 64)];
    let mut rest = trace;
    while let Some((length, behind)) = rest.split_first_chunk() {
        let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|e| e.to_string())?;
        let Some((message, behind)) = behind.split_at_checked(length) else {
            return Err(format!("a message of {length} bytes is cut: not a trace"));
        };
        rest = behind;
        let Some((direction, xid)) = look(message) else {
            table.skipped += 1;
            continue;
        };
        if direction == Direction::Call {
            calls.insert(xid, message);
        } else if let Some(call) = calls.remove(&xid) {
            add(&mut table, &mut queues, call, message, inline)?;
        }
    }
    if !rest.is_empty() {
        return Err(format!("{} bytes are left: not a trace", rest.len()));
    }
    Ok(table)
}

/// A budget for messages of any honest peer.
const BUDGET: Budget = Budget::UNLIMITED;

/// Either end: what matters here are only the lists.
fn endpoint(role: Role) -> Endpoint {
    Endpoint::new(role).reverse(Reverse::Chunks)
}

fn look(message: &[u8]) -> Option<(Direction, u32)> {
    let received = receive(message, endpoint(Role::Responder), &BUDGET).ok()?;
    Some((received.direction()?, received.header().xid()))
}

/// Segments with bytes, and bytes in them, padded where they are payloads.
fn used(chunks: &Chunks<'_>) -> (u32, Vec<u32>, u64) {
    let mut segments = 0;
    let mut count = |room: Room, lengths: &[u32]| {
        segments += lengths.iter().map(|&length| u32::from(length > 0)).sum::<u32>();
        room.length
    };
    let lengths = |chunk: nfswire_rdma::WriteChunk<'_>| -> Vec<u32> {
        chunk.segments.into_iter().map(|segment| segment.length).collect()
    };
    let payloads = chunks
        .writes()
        .map(|chunk| count(Room::of(chunk.segments), &lengths(chunk)) as u32)
        .collect();
    let reply = chunks.reply().map_or(0, |chunk| count(Room::of(chunk.segments), &lengths(chunk)));
    (segments, payloads, reply)
}

/// Registrations and RDMA Reads of a call, if it is planned anew for the same reply: what the client
/// of the trace offered is the largest that it reckoned with.
fn plan_again(offered: &Chunks<'_>, body: u64, inline: u32) -> Option<(u32, u32)> {
    let mut length = body.next_multiple_of(4);
    let (mut items, mut segments, mut whole) = (Vec::new(), Vec::new(), 1);
    for chunk in offered.reads() {
        if chunk.position() == 0 {
            (length, whole) = (chunk.len(), chunk.segment_count() as u32);
        } else {
            let bytes = u32::try_from(chunk.len()).ok()?;
            items.push(Item { position: length, length: bytes, pieces: 1 });
            segments.push(chunk.segment_count() as u32);
            length += chunk.padded_len();
        }
    }
    let stream = Stream::new(length, 1 + 2 * u32::from(!items.is_empty()), &items).ok()?;
    let mut rooms = [Room::default(); 16];
    let offer = Offer::of(offered, &mut rooms).ok()?;
    let limits = Limits { segments: 300, writes: 16, ..Limits::new(inline) };
    let results: u64 = offer.writes.iter().map(|room| room.length.next_multiple_of(4)).sum();
    // Beside results that have Write chunks there are never more than a few words.
    let beside = if results > 0 { 128 } else { 0 };
    let expected = Expected {
        length: offer.reply.map_or(0, |room| room.length) + results + beside,
        results: offer.writes,
        segments: offer.reply.map_or(1, |room| room.segments),
    };
    let plan = plan(&Arguments { stream, segments: &segments, whole }, &expected, &limits).ok()?;
    let reads = match plan.way {
        CallWay::Long => whole,
        _ => (0..).zip(&segments).filter(|(k, _)| plan.reads.contains(*k)).map(|(_, n)| n).sum(),
    };
    let writes: u32 = offer.writes.iter().take(plan.writes as usize).map(|w| w.segments).sum();
    Some((reads + writes + plan.reply.map_or(0, |_| expected.segments), reads))
}

fn add(
    table: &mut Table,
    queues: &mut [Sends; 2],
    call: &[u8],
    reply: &[u8],
    inline: u32,
) -> Result<(), String> {
    let call = receive(call, endpoint(Role::Responder), &BUDGET).map_err(|e| e.to_string())?;
    let reply = receive(reply, endpoint(Role::Requester), &BUDGET).map_err(|e| e.to_string())?;
    let (Some(offered), Some(returned)) = (call.header().chunks(), reply.header().chunks()) else {
        return Ok(());
    };
    table.operations += 1;
    check_returned(offered, reply.header(), &mut []).map_err(|e| e.to_string())?;
    let written: u32 =
        offered.writes().chain(offered.reply()).map(|chunk| chunk.segments.len()).sum();
    let read: u32 = offered.reads().map(|chunk| chunk.segment_count() as u32).sum();
    table.recorded.registrations += written + read;
    table.recorded.reads += read;
    let (registrations, reads) =
        plan_again(offered, call.inline().len() as u64, inline).unwrap_or((written + read, read));

    // The reply as it was before it was taken apart. Where its payloads were does not change what
    // they cost: behind all else will do.
    let (writes, payloads, in_reply) = used(returned);
    let body = match reply.header().kind() {
        Kind::Nomsg(_) => in_reply,
        _ => reply.inline().len() as u64,
    };
    let mut length = body.next_multiple_of(4);
    let items: Vec<Item> = payloads
        .iter()
        .map(|&bytes| {
            let item = Item { position: length, length: bytes, pieces: u32::from(bytes > 0) };
            length += u64::from(bytes).next_multiple_of(4);
            item
        })
        .collect();
    let pieces = 1 + 2 * u32::from(items.iter().any(|item| item.length > 0));
    let stream = Stream::new(length, pieces, &items).map_err(|e| e.to_string())?;

    let mut rooms = [Room::default(); 16];
    let offer = Offer::of(offered, &mut rooms).map_err(|e| e.to_string())?;
    let small = offer.header_len() + length <= u64::from(inline);
    table.small += u32::from(small);
    // One completion for the Send, and one for each chunk that is written: as Linux 6.1 posts them.
    let chunks = payloads.iter().filter(|&&bytes| bytes > 0).count() as u32;
    let recorded = &mut table.recorded;
    recorded.sends += 1;
    recorded.writes += writes;
    recorded.needless += if small { writes } else { 0 };
    recorded.completions += 1 + chunks + u32::from(in_reply > 0);

    let rules = [Reduce::Offered, Reduce::Needed];
    let mut refused = false;
    for ((reduce, queue), cost) in
        rules.into_iter().zip(queues).zip([&mut table.offered, &mut table.needed])
    {
        let limits = SendLimits { inline, pull_up: inline, ..SendLimits::new(reduce) };
        let Ok(choice) = choose(&stream, &offer, &limits) else {
            refused = true;
            continue;
        };
        let mut used = [0; 16];
        choice.used(&stream, &offer, &mut used);
        let mut writes = 0;
        let filled = |chunk: nfswire_rdma::WriteChunk<'_>, length| {
            let parts = nfswire_rdma::placement::fill(chunk.segments, length);
            parts.filter(|segment| segment.length > 0).count() as u32
        };
        for (chunk, length) in offered.writes().zip(used) {
            writes += filled(chunk, length);
        }
        if choice.way == Way::Reply {
            writes += offered.reply().map_or(0, |chunk| filled(chunk, choice.reply));
        }
        cost.registrations += registrations;
        cost.reads += reads;
        cost.sends += 1;
        cost.writes += writes;
        cost.needless += if small { writes } else { 0 };
        cost.copied += u32::from(choice.send == Body::PulledUp);
        // The hardware is never behind here: each signalled send completes at once.
        let posted = queue.post(1 + writes, false).map_err(|e| e.to_string())?;
        if let Some(ticket) = posted.ticket {
            queue.completed(ticket).map_err(|e| e.to_string())?;
            cost.completions += 1;
        }
    }
    table.refused += u32::from(refused);
    Ok(())
}
