//! Replies from encoder to requester, and calls with what they offer for any reply.

use core::num::NonZeroU32;
use std::collections::HashMap;

use nfswire_rdma::{
    Budget, ChunkSlices, Endpoint, Header, Kind, Reverse, Role, Segment,
    header::ReplyHeader,
    placement::{Item, Offer, Reduce, Room, SendLimits, Stream, Way, choose, fill, slices},
    receive,
    requester::{
        Arguments, CallWay, Expected, Limits, Plan, check_invalidated, check_returned, plan, rejoin,
    },
    types::ReadSegment,
};
use nfswire_xdr::{Chunk, Encoder, Payload, Piece, Scattered, Segments};

use super::ways::{Choices, check_choice, check_plan};

const XID: u32 = 0x0102_0304;
const CREDITS: NonZeroU32 = NonZeroU32::MIN;

/// The requester's memory: what its handles stand for.
#[derive(Default)]
struct Memory {
    regions: HashMap<u32, (u64, Vec<u8>)>,
    next: u32,
}

impl Memory {
    fn register(&mut self, random: &mut impl Choices, length: u32) -> Segment {
        self.next += 1;
        let offset = random.next() >> 8;
        self.regions.insert(self.next, (offset, vec![0xee; length as usize]));
        Segment { handle: self.next, length, offset }
    }

    /// A chunk of at least `length` bytes, in random segments.
    fn chunk(&mut self, random: &mut impl Choices, length: u32) -> Vec<Segment> {
        let mut segments = Vec::new();
        let mut left = length;
        while left > 0 {
            let part = (1 + random.below(left)).max(left / 4).min(left);
            segments.push(self.register(random, part));
            left -= part;
        }
        let more = random.below(9);
        if segments.is_empty() || more > 4 {
            segments.push(self.register(random, more));
        }
        segments
    }

    /// An RDMA Write, which hardware refuses outside of what was registered.
    fn write(&mut self, segment: Segment, at: u32, bytes: &[u8]) {
        let (base, memory) = self.regions.get_mut(&segment.handle).expect("a handle");
        let from = usize::try_from(segment.offset - *base).unwrap() + at as usize;
        memory[from..from + bytes.len()].copy_from_slice(bytes);
    }

    /// What is in the first `length` bytes of a chunk.
    fn read<'a>(&'a self, chunk: &[Segment], length: u64) -> Vec<&'a [u8]> {
        let parts = fill(chunk.iter().copied(), length).filter(|s| s.length > 0);
        parts.map(|s| &self.regions[&s.handle].1[..s.length as usize]).collect()
    }
}

fn bytes_of<'x>(pieces: impl Iterator<Item = Chunk<'x>>) -> Vec<u8> {
    pieces.fold(Vec::new(), |mut all, piece| {
        let Chunk::Bytes(bytes) = piece else { panic!("no files here") };
        all.extend_from_slice(bytes);
        all
    })
}

/// RDMA Writes of `bytes` to a chunk, one for each segment that has any.
fn write_chunk(memory: &mut Memory, chunk: &[Segment], mut bytes: &[u8]) -> u32 {
    let mut writes = 0;
    for part in fill(chunk.iter().copied(), bytes.len() as u64).filter(|s| s.length > 0) {
        let (now, later) = bytes.split_at(part.length as usize);
        memory.write(part, 0, now);
        bytes = later;
        writes += 1;
    }
    assert!(bytes.is_empty());
    writes
}

/// Bytes that are not mistaken for a pad.
fn contents(random: &mut impl Choices, length: u32) -> Vec<u8> {
    let first = random.below(256);
    (0..length).map(|n| first.wrapping_add(n * 7) as u8 | 1).collect()
}

fn length(random: &mut impl Choices, most: u32) -> u32 {
    let most = if random.below(2) > 0 { most } else { 40 };
    random.below(most + 1)
}

/// Whatever reply is sent on whatever chunks are offered: what the requester puts together equals it.
/// The way that it goes; `None` if it is refused.
pub(crate) fn reply_arrives(random: &mut impl Choices) -> Option<Way> {
    // The reply: words and payloads, some of several slices.
    let payloads: Vec<Vec<u8>> = (0..random.below(4))
        .map(|_| {
            let length = length(random, 3000);
            contents(random, length)
        })
        .collect();
    let halves: Vec<[Piece<'_>; 2]> = payloads
        .iter()
        .map(|p| p.split_at(p.len() / 2))
        .map(|(a, b)| [Piece::Here(a), Piece::Here(b)])
        .collect();
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&XID).unwrap();
    e.put(&1u32).unwrap();
    let mut items = Vec::new();
    for (index, payload) in payloads.iter().enumerate() {
        (0..random.below(60)).for_each(|n| e.put(&n).unwrap());
        items.push(Item {
            position: e.len() + 4,
            length: payload.len() as u32,
            pieces: if payload.len() > 1 { 2 } else { payload.len() as u32 },
        });
        if payload.len() > 1 {
            let slices = Scattered::new(&halves[index]).unwrap();
            e.put(&Payload::Scattered(slices)).unwrap();
        } else {
            e.put(&Payload::Borrowed(payload)).unwrap();
        }
    }
    (0..random.below(400)).for_each(|n| e.put(&n).unwrap());
    e.finish();
    let message = segments.view(&head);
    let whole = message.to_vec().unwrap();
    let reply = Stream::new(message.len(), message.count().try_into().unwrap(), &items).unwrap();

    // What the encoder knows of payloads is the same, but for empty ones.
    let mut found = [Item::default(); 4];
    let seen = Stream::of(&message, &mut found).unwrap();
    assert!(items.iter().filter(|item| item.length > 0).eq(seen.items()));

    // The offer, large enough or not.
    let mut memory = Memory::default();
    let offered: Vec<Vec<Segment>> = (0..random.below(4))
        .map(|k| match random.below(4) {
            0 => Vec::new(),
            1 => {
                let length = length(random, 3000);
                memory.chunk(random, length)
            }
            _ => {
                // As long as the payload, or just too short.
                let length = payloads.get(k as usize).map_or(7, Vec::len) as u32;
                let length = length.saturating_sub(random.below(8) / 7);
                memory.chunk(random, length)
            }
        })
        .collect();
    let reply_chunk = match random.below(3) {
        0 => None,
        1 => {
            let length = length(random, 3000);
            Some(memory.chunk(random, length))
        }
        _ => Some(memory.chunk(random, whole.len() as u32)),
    };
    let chunks: Vec<&[Segment]> = offered.iter().map(|s| &s[..]).collect();
    let lists = ChunkSlices { reads: &[], writes: &chunks, reply: reply_chunk.as_deref() };
    let call = Header::msg(XID, CREDITS, &lists, 40).unwrap();
    let chunks = call.chunks().unwrap();

    // The responder.
    let mut rooms = [Room::default(); 4];
    let offer = Offer::of(chunks, &mut rooms).unwrap();
    // All of it just fits inline, or just does not, or anything.
    let all = offer.header_len() + message.len();
    let inline = match random.below(6) {
        0 => all as u32,
        1 => all as u32 - 4,
        _ => 1024 + 4 * random.below(800),
    };
    let limits = SendLimits {
        inline,
        pull_up: 4096,
        copy_break: random.below(2000),
        gather: 1 + random.below(9),
        invalidate: true,
        reduce: if random.below(2) > 0 { Reduce::Needed } else { Reduce::Offered },
    };
    check_choice(&reply, &offer, &limits);
    let choice = choose(&reply, &offer, &limits).ok()?;
    let mut used = [0u64; 4];
    choice.used(&reply, &offer, &mut used);
    let mut writes = 0;
    for (k, item) in items.iter().enumerate().filter(|(k, _)| choice.moved(&offer, *k)) {
        let end = item.position + u64::from(item.length);
        let bytes = bytes_of(slices(&message, item.position..end));
        assert_eq!(bytes, payloads[k]);
        writes += write_chunk(&mut memory, &offered[k], &bytes);
    }
    let rest = reply.rest(|k| choice.moved(&offer, k));
    let body: Vec<u8> = rest.flat_map(|part| bytes_of(slices(&message, part))).collect();
    let returned = chunks.returned(&used[..offered.len()], choice.reply).unwrap();
    let header = match choice.way {
        Way::Reply => {
            writes += write_chunk(&mut memory, reply_chunk.as_ref().unwrap(), &body);
            ReplyHeader::nomsg(XID, CREDITS, returned).unwrap()
        }
        _ => ReplyHeader::msg(XID, CREDITS, returned),
    };
    assert!(writes <= choice.writes);
    assert!(choice.way != Way::Send || writes == 0);
    let mut sent = vec![0; choice.header as usize];
    assert_eq!(header.write_to(&mut sent).unwrap(), choice.header as usize);
    if choice.way != Way::Reply {
        sent.extend_from_slice(&body);
    }
    assert_eq!(sent.len(), (choice.header + choice.body) as usize);
    assert!(sent.len() <= limits.inline as usize);

    // The requester.
    let endpoint = Endpoint::new(Role::Requester).reverse(Reverse::None);
    let received = receive(&sent, endpoint, &Budget::UNLIMITED).unwrap();
    let mut lengths = [0; 4];
    let length = check_returned(chunks, received.header(), &mut lengths).unwrap();
    assert_eq!(lengths, used);
    if let Some(handle) = choice.invalidate {
        check_invalidated(chunks, handle).unwrap();
    }
    let long = matches!(received.header().kind(), Kind::Nomsg(_));
    assert_eq!(long, length > 0);
    let long = reply_chunk.as_ref().map(|chunk| memory.read(chunk, length).concat());
    let body = if length > 0 { long.as_deref().unwrap() } else { received.inline() };
    // Where a payload belongs its length in the body tells; here it is known.
    let mut placed = Vec::new();
    for (k, item) in items.iter().enumerate().filter(|(k, _)| lengths[*k] > 0) {
        let mut at = item.position;
        for part in memory.read(&offered[k], lengths[k]) {
            placed.push((at, part));
            at += part.len() as u64;
        }
    }
    let together: Vec<&[u8]> = rejoin(body, placed).collect();
    assert!(together.iter().all(|piece| !piece.is_empty()));
    assert_eq!(together.concat(), whole);
    Some(choice.way)
}

/// Segments that stand for a room.
fn made_up(room: Room, handle: u32) -> Vec<Segment> {
    let most = u32::try_from(room.length).unwrap();
    let each = most / room.segments;
    (0..room.segments)
        .map(|n| {
            let length = if n == 0 { most - each * (room.segments - 1) } else { each };
            Segment { handle: handle + n, length, offset: 0 }
        })
        .collect()
}

/// A plan holds: the call fits what it says, and any reply within the expectation can be sent on what
/// it offers. `None` if there is none.
pub(crate) fn plan_holds(random: &mut impl Choices) -> Option<Plan> {
    let results: Vec<Room> = (0..random.below(4))
        .map(|_| Room { length: length(random, 9000).into(), segments: 1 + random.below(9) })
        .collect();
    let payloads: u64 = results.iter().map(|r| r.length.div_ceil(4) * 4).sum();
    let other = u64::from(40 + 4 * random.below(400));
    let expected =
        Expected { length: payloads + other, results: &results, segments: 1 + random.below(20) };
    let mut at = 40;
    let arguments: Vec<Item> = (0..random.below(4))
        .map(|_| {
            let item = Item { position: at, length: length(random, 9000), pieces: 1 };
            at += u64::from(item.length).div_ceil(4) * 4 + 12;
            item
        })
        .collect();
    let segments: Vec<u32> = arguments.iter().map(|_| 1 + random.below(9)).collect();
    let length = at + u64::from(4 * random.below(300));
    let call = Arguments {
        stream: Stream::new(length, 12, &arguments).unwrap(),
        segments: &segments,
        whole: 1 + random.below(20),
    };
    let inline = 1024 + 4 * random.below(800);
    let mut limits = Limits::new(inline);
    limits.reply_inline = 1024 + 4 * random.below(800);
    limits.reads = random.below(3);
    limits.writes = random.below(4);
    limits.both = random.below(2) > 0;
    check_plan(&call, &expected, &limits);
    let plan = plan(&call, &expected, &limits).ok()?;

    // Nothing is offered or registered without need, or that the peer does not take.
    let fits = 28 + expected.length <= u64::from(limits.reply_inline);
    assert_eq!(fits, plan.writes == 0 && plan.reply.is_none());
    assert!(plan.writes <= limits.writes && plan.reads.count() <= limits.reads);
    assert!(limits.both || plan.writes == 0 || plan.reply.is_none());
    if fits && 28 + length <= inline.into() {
        assert_eq!(plan.way, CallWay::Send);
    }

    // The call, with the header that it says.
    let writes = &results[..plan.writes as usize];
    let made: Vec<_> = writes.iter().map(|room| made_up(*room, 1)).collect();
    let chunks: Vec<_> = made.iter().map(|s| &s[..]).collect();
    let reply = plan.reply.map(|length| Room { length, segments: expected.segments });
    let reply_chunk = reply.map(|room| made_up(room, 100));
    let mut reads = Vec::new();
    if plan.way == CallWay::Long {
        let room = Room { length, segments: call.whole };
        let whole = made_up(room, 200).into_iter();
        reads.extend(whole.map(|target| ReadSegment { position: 0, target }));
    }
    for (k, item) in arguments.iter().enumerate().filter(|(k, _)| plan.reads.contains(*k)) {
        let room = Room { length: item.length.into(), segments: segments[k] };
        let position = item.position.try_into().unwrap();
        let parts = made_up(room, 300).into_iter();
        reads.extend(parts.map(|target| ReadSegment { position, target }));
    }
    assert!(plan.way != CallWay::Read || (1..=limits.reads).contains(&plan.reads.count()));
    let lists = ChunkSlices { reads: &reads, writes: &chunks, reply: reply_chunk.as_deref() };
    let header = match plan.way {
        CallWay::Long => Header::nomsg(XID, CREDITS, &lists),
        _ => Header::msg(XID, CREDITS, &lists, plan.body),
    };
    let mut sent = vec![0; 8192];
    let header_len = header.unwrap().write_to(&mut sent).unwrap();
    assert_eq!(header_len, plan.header as usize);
    assert!(plan.header + plan.body <= inline);
    let moved: u64 = arguments
        .iter()
        .enumerate()
        .filter(|(k, _)| plan.reads.contains(*k))
        .map(|(_, item)| u64::from(item.length).div_ceil(4) * 4)
        .sum();
    let long = plan.way == CallWay::Long;
    assert_eq!(u64::from(plan.body), if long { 0 } else { length - moved });

    // Replies as large as can be, and smaller ones.
    for round in 0..4 {
        let mut at = 0;
        let items: Vec<Item> = results
            .iter()
            .map(|room| {
                let most = u32::try_from(room.length).unwrap();
                let bytes = if round == 0 { most } else { random.below(most + 1) };
                let item = Item { position: at, length: bytes, pieces: 1 };
                at += u64::from(bytes).div_ceil(4) * 4;
                item
            })
            .collect();
        let reply_stream = Stream::new(at + other, 1, &items).unwrap();
        let offer = Offer { writes, reply, handle: None };
        for reduce in [Reduce::Offered, Reduce::Needed] {
            let mut send = SendLimits::new(reduce);
            (send.inline, send.pull_up) = (limits.reply_inline, limits.reply_inline);
            let answer = choose(&reply_stream, &offer, &send);
            assert!(answer.is_ok(), "{plan:?} {expected:?} {limits:?}: {answer:?}");
        }
    }
    Some(plan)
}
