//! RPC-over-RDMA: headers, chunk lists, and the way that messages go.

mod model;

/// Properties that the tests of the crate hold with numbers of their own.
#[path = "../../../rpcrdma-wire/tests/common/journey.rs"]
mod journey;
#[path = "../../../rpcrdma-wire/tests/common/ways.rs"]
mod ways;

use core::num::NonZeroU32;

use nfswire_rdma::{
    Budget, Chunks, Direction, Endpoint, Header, Kind, ReadSegment, Received, ReplyHeader, Reverse,
    Role, Segment, assemble,
    cm::PrivateData,
    placement::fill,
    receive,
    requester::check_returned,
    types::{Body, ErrorBody, Message},
};
use nfswire_xdr::{Cursor, EncodeError, Piece};

use crate::{input::Input, values::program};
use model::Lists;
use ways::Choices;

const CREDITS: NonZeroU32 = NonZeroU32::MIN;

impl Choices for Input<'_> {
    fn next(&mut self) -> u64 {
        u64::from(self.word()) << 32 | u64::from(self.word())
    }

    fn below(&mut self, limit: u32) -> u32 {
        let (number, more) = (u32::from(self.byte()), limit.wrapping_sub(1).leading_zeros());
        let high = match more / 8 {
            3.. => 0,
            2 => u32::from(self.byte()),
            _ => self.word() >> 8,
        };
        (high << 8 | number) % limit
    }
}

fn budget(input: &mut Input<'_>) -> Budget {
    match input.below(4) {
        0 => Budget::UNLIMITED,
        1 => Budget::DEFAULT.empty_write_chunks(true),
        2 => Budget::DEFAULT,
        _ => {
            let small = |byte: u8| u64::from(byte) * 16;
            Budget::DEFAULT
                .bytes(small(input.byte()), small(input.byte()))
                .segments(input.byte().into())
                .empty_write_chunks(input.below(2) > 0)
        }
    }
}

fn endpoint(input: &mut Input<'_>) -> Endpoint {
    let role = [Role::Responder, Role::Requester][input.below(2)];
    Endpoint::new(role).reverse([Reverse::Short, Reverse::Chunks, Reverse::None][input.below(3)])
}

//--- Headers ---

/// Any bytes as a message, taken or answered as a plain reading of RFC 8166 says; what is taken comes
/// back, and makes a call that is what its parts are. The same bytes as private data of a connection.
pub fn rdma_header(data: &[u8]) {
    program("rdma_header", data);
    let [_, a, b, message @ ..] = data else { return };
    let choices = [*a, a >> 1, *b, b >> 2, b >> 1, b >> 3, *b];
    let mut choices = Input(&choices);
    let (endpoint, budget) = (endpoint(&mut choices), budget(&mut choices));
    private_data(message);
    let result = receive(message, endpoint, &budget);
    let verdict = Verdict::of(message, endpoint, &budget);
    let answer = match &result {
        Ok(received) => {
            assert!(matches!(verdict, Verdict::Taken), "{received:?}");
            return taken(received, message);
        }
        Err(refusal) => refusal.answer,
    };
    let refusal = result.expect_err("it was no success");
    match (verdict, answer) {
        (Verdict::Dropped, None) => {}
        (Verdict::Answered(error), Some(answer)) => {
            assert_eq!(answer.error(), error, "{refusal}");
            let header = answer.header(CREDITS);
            let mut bytes = [0; 28];
            let len = header.write_to(&mut bytes).expect("the longest error has 28 bytes");
            assert_eq!(bytes[..8], message[..8], "xid and version");
            // Who sent a call takes the answer.
            let role =
                [Role::Requester, Role::Responder][usize::from(endpoint.role == Role::Requester)];
            let peer = Endpoint::new(role).reverse(Reverse::Chunks);
            let back = receive(&bytes[..len], peer, &Budget::DEFAULT).expect("an answer");
            assert_eq!(*back.header(), header);
        }
        _ => panic!("{refusal}: the answer is {answer:?}"),
    }
}

/// What RFC 8166, section 4.5, and RFC 8167 have done with a message.
enum Verdict {
    Taken,
    Dropped,
    Answered(ErrorBody),
}

impl Verdict {
    fn of(message: &[u8], endpoint: Endpoint, budget: &Budget) -> Self {
        let word = |n: usize| {
            let bytes = message.get(4 * n..4 * n + 4)?;
            Some(u32::from_be_bytes(bytes.try_into().expect("four bytes")))
        };
        let (len, responder) = (message.len(), endpoint.role == Role::Responder);
        let (version, procedure) = (word(1), word(3));
        let mut c = Cursor::new(message);
        let decoded = c.decode::<Message<'_>>().ok();
        let inline = c.rest();
        if procedure == Some(4) {
            // Nothing is ever answered to an error, and only who sends calls waits for one.
            let Some(Body::Error(error)) = decoded.map(|header| header.body) else {
                return Self::Dropped;
            };
            let expected = !responder || endpoint.reverse != Reverse::None;
            let said = version == Some(1) || error != ErrorBody::Chunk;
            return if expected && said { Self::Taken } else { Self::Dropped };
        }
        let Some(version) = version.filter(|_| len >= 28) else { return Self::Dropped };
        let lists = match decoded.map(|header| header.body) {
            Some(Body::Msg(lists)) if version == 1 => Some((Lists::of(&lists), true)),
            Some(Body::Nomsg(lists)) if version == 1 => Some((Lists::of(&lists), false)),
            _ => None,
        };
        // Whether it is a call, where that can be known.
        let call = lists.as_ref().and_then(|(lists, msg)| match inline.get(4..8) {
            Some([0, 0, 0, kind @ 0..=1]) if *msg => Some(*kind == 0),
            _ if *msg => None,
            _ if !lists.reads.is_empty() => Some(true),
            _ => lists.reply.as_ref().map(|_| false),
        });
        let good = lists.is_some_and(|(lists, msg)| {
            let placed = if msg {
                let same = inline.get(..4).is_some_and(|xid| *xid == message[..4]);
                same && lists.good(Some(inline.len()), budget)
            } else {
                inline.is_empty() && lists.good(None, budget)
            };
            let reverse = !responder && endpoint.reverse != Reverse::Chunks;
            placed
                && (call != Some(false) || lists.reads.is_empty())
                && !(call == Some(true) && reverse && !lists.is_empty())
        });
        if good {
            return Self::Taken;
        }
        // A requester answers what it knows to be a call, a responder all but what it knows to be
        // none.
        let answers = match call {
            Some(true) => responder || endpoint.reverse != Reverse::None,
            Some(false) => false,
            None => responder,
        };
        match (answers, version, procedure) {
            (false, ..) | (true, 1, Some(3)) => Self::Dropped,
            (true, 1, _) => Self::Answered(ErrorBody::Chunk),
            (true, ..) => Self::Answered(ErrorBody::Version(nfswire_rdma::types::VersionRange {
                low: 1,
                high: 1,
            })),
        }
    }
}

fn taken(received: &Received<'_>, message: &[u8]) {
    let header = received.header();
    let (wire, inline) = message.split_at(received.header_len());
    assert_eq!(received.inline(), inline);
    written(|out| header.write_to(out), wire);
    let mut buffer = [&[0xff; 9], wire].concat();
    assert_eq!(header.write_before(&mut buffer[..], 9 + wire.len()), Ok(9));
    assert_eq!(buffer[9..], *wire);
    if header.raw_credits() > 0 {
        assert_eq!(header.credits().get(), header.raw_credits());
    }
    let (Some(chunks), Some((lists, msg))) = (header.chunks(), lists_of(message)) else {
        assert!(matches!(header.kind(), Kind::Error(_)) && received.direction().is_none());
        return;
    };
    same(chunks, &lists);
    // A sender could have made it.
    lists.with(|slices| {
        let made = made(header.xid(), slices, msg.then_some(inline.len()));
        let made = made.expect("it was received");
        let mut again = vec![0; wire.len()];
        assert_eq!(made.write_to(&mut again), Ok(wire.len()));
        again[8..12].copy_from_slice(&wire[8..12]); // credits
        assert_eq!(again, wire);
    });
    assembled(received, &lists);
    returned(chunks, &lists, message);
}

/// The lists of a message, and whether an RPC message follows.
fn lists_of(message: &[u8]) -> Option<(Lists, bool)> {
    match Cursor::new(message).decode::<Message<'_>>().ok()?.body {
        Body::Msg(lists) => Some((Lists::of(&lists), true)),
        Body::Nomsg(lists) => Some((Lists::of(&lists), false)),
        _ => None,
    }
}

fn made<'a>(
    xid: u32,
    slices: &'a nfswire_rdma::ChunkSlices<'a>,
    inline: Option<usize>,
) -> Result<Header<'a>, nfswire_rdma::HeaderError> {
    match inline {
        Some(len) => Header::msg(xid, CREDITS, slices, u32::try_from(len).expect("short")),
        None => Header::nomsg(xid, CREDITS, slices),
    }
}

/// With the room that it takes it is `wire`; with less, nothing.
fn written(write: impl Fn(&mut [u8]) -> Result<usize, EncodeError>, wire: &[u8]) {
    let mut out = vec![0xff; wire.len() + 3];
    assert_eq!(write(&mut out), Ok(wire.len()));
    assert_eq!(out[..wire.len()], *wire);
    let mut out = vec![0xff; wire.len() - 1];
    assert_eq!(write(&mut out), Err(EncodeError::NoSpace { missing: 1 }));
    assert!(out.iter().all(|byte| *byte == 0xff), "half a header is left");
}

/// What is known of checked chunks.
fn same(chunks: &Chunks<'_>, lists: &Lists) {
    assert!(chunks.read_segments().eq(lists.reads.iter().copied()));
    let groups = lists.groups();
    assert_eq!(chunks.reads().count(), groups.len());
    for (chunk, (position, targets)) in chunks.reads().zip(&groups) {
        assert_eq!((chunk.position(), chunk.segment_count()), (*position, targets.len()));
        assert!(chunk.segments().eq(targets.iter().copied()));
        assert_eq!(chunk.len(), targets.iter().map(|s| u64::from(s.length)).sum::<u64>());
        assert_eq!(chunk.padded_len(), chunk.len().next_multiple_of(4));
    }
    let zero = groups.first().is_some_and(|(position, _)| *position == 0);
    assert_eq!((chunks.position_zero().is_some(), chunks.has_reads()), (zero, !groups.is_empty()));
    let segments: Vec<Vec<Segment>> =
        chunks.writes().map(|chunk| chunk.segments.iter().collect()).collect();
    assert_eq!(segments, lists.writes);
    assert_eq!(chunks.write_count() as usize, lists.writes.len());
    assert_eq!(chunks.reply().map(|chunk| chunk.segments.iter().collect()), lists.reply);
    assert_eq!(chunks.is_empty(), lists.is_empty());
}

/// The call that message and chunks make together.
fn assembled(received: &Received<'_>, lists: &Lists) {
    let groups = lists.groups();
    let lens: Vec<u64> =
        groups.iter().map(|(_, t)| t.iter().map(|s| u64::from(s.length)).sum()).collect();
    let total = lens.iter().fold(0u64, |sum, len| sum.saturating_add(*len));
    if total > 1 << 16 {
        return;
    }
    let data: Vec<Vec<u8>> =
        lens.iter().map(|len| (0..*len).map(|n| n as u8 | 1).collect()).collect();
    let halves: Vec<[Piece<'_>; 2]> = data
        .iter()
        .map(|bytes| bytes.split_at(bytes.len() / 3))
        .map(|(a, b)| [Piece::Here(a), Piece::Here(b)])
        .collect();
    let fetched: Vec<&[Piece<'_>]> = halves.iter().map(|pieces| &pieces[..]).collect();
    let mut memory = vec![Piece::Here(&[]); 1 + 4 * groups.len()];
    let call = assemble::call(received, &fetched, &mut memory);
    let long = matches!(received.header().kind(), Kind::Nomsg(_));
    if long && groups.is_empty() {
        assert_eq!(call, Err(assemble::AssembleError::NoCall));
        return;
    }
    let (mut rest, first) = if long { (&data[0][..], 1) } else { (received.inline(), 0) };
    let mut whole = Vec::new();
    for ((position, _), bytes) in groups.iter().zip(&data).skip(first) {
        let (before, behind) = rest.split_at(*position as usize - whole.len());
        rest = behind;
        whole.extend_from_slice(before);
        whole.extend_from_slice(bytes);
        whole.resize(whole.len().next_multiple_of(4), 0);
    }
    whole.extend_from_slice(rest);
    let pieces = call.expect("all was fetched").iter().map(|piece| match piece {
        Piece::Here(bytes) => *bytes,
        _ => panic!("all pieces are here"),
    });
    let pieces: Vec<&[u8]> = pieces.collect();
    assert!(pieces.iter().all(|piece| !piece.is_empty()));
    assert_eq!(pieces.concat(), whole);
}

/// Chunks that come back are those that were offered, with what was written to them; the requester
/// reads that, and no more than there is room for is returned.
fn returned(chunks: &Chunks<'_>, lists: &Lists, choice: &[u8]) {
    let mut input = Input(choice);
    let room = |chunk: &[Segment]| chunk.iter().map(|s| u64::from(s.length)).sum::<u64>();
    let part = |input: &mut Input<'_>, room: u64| match input.below(4) {
        0 => room,
        1 => 0,
        2 => room / 2,
        _ => room.min(input.byte().into()),
    };
    let used: Vec<u64> = lists.writes.iter().map(|chunk| part(&mut input, room(chunk))).collect();
    let reply = lists.reply.as_ref().map_or(0, |chunk| part(&mut input, room(chunk)));
    let answer = chunks.returned(&used, reply).expect("there is room");
    let filled = |chunk: &[Segment], used: u64| fill(chunk.iter().copied(), used).collect();
    let expected = Lists {
        reads: Vec::new(),
        writes: lists.writes.iter().zip(&used).map(|(chunk, used)| filled(chunk, *used)).collect(),
        reply: lists.reply.as_ref().map(|chunk| filled(chunk, reply)),
    };
    let long = reply > 0;
    let header = match ReplyHeader::nomsg(7, CREDITS, answer) {
        Ok(header) => header,
        Err(_) => ReplyHeader::msg(7, CREDITS, answer),
    };
    let words = [7, 1, CREDITS.get(), u32::from(long)].map(u32::to_be_bytes).concat();
    let wire = [words, expected.encode()].concat();
    written(|out| header.write_to(out), &wire);

    let message = if long { wire } else { [&wire[..], &[0, 0, 0, 7, 0, 0, 0, 1]].concat() };
    let back = receive(&message, Endpoint::new(Role::Requester), &Budget::UNLIMITED);
    let mut lengths = vec![9; used.len()];
    let back = back.expect("a reply");
    assert_eq!(check_returned(chunks, back.header(), &mut lengths), Ok(reply));
    assert_eq!(lengths, used);

    if let (Some(first), Some(chunk)) = (used.first(), lists.writes.first()) {
        let more = [first.max(&room(chunk)) + 1];
        assert!(chunks.returned(&more, 0).is_err());
    }
    let most = lists.reply.as_ref().map_or(0, |chunk| room(chunk));
    assert!(chunks.returned(&used, most + 1).is_err());
}

/// Private data: found where it stands first, and written the same but for reserved bits.
fn private_data(bytes: &[u8]) {
    const START: [u8; 5] = [0xf6, 0xab, 0x0e, 0x18, 1];
    let at = bytes.windows(8).position(|window| window.starts_with(&START));
    let found = PrivateData::find(bytes);
    assert_eq!(found.is_some(), at.is_some());
    let (Some(found), Some(at)) = (found, at) else { return };
    let wire = [&bytes[at..at + 5], &[bytes[at + 5] & 1], &bytes[at + 6..at + 8]].concat();
    assert_eq!(found.to_bytes(), *wire);
    assert_eq!(PrivateData::from_prefix(&wire), Ok(found));
    let (send, receive) = (found.send_size(), found.receive_size());
    assert!((1024..=262_144).contains(&send) && (1024..=262_144).contains(&receive));
    let again = PrivateData::new(send, receive, found.remote_invalidation());
    assert_eq!(again, Some(found));
    let other = PrivateData::default();
    assert_eq!((found.send_threshold(&other), other.send_threshold(&found)), (1024, 1024));
    let mut request = bytes.to_vec();
    request.resize(92, 0);
    found.put_in_request(&mut request).expect("there is room");
    assert_eq!(PrivateData::find_in_request(&request), Some(found));
    assert_eq!(request[..36.min(bytes.len())], bytes[..36.min(bytes.len())]);
}

//--- Chunk lists ---

/// Any chunk lists before any number of bytes: received if and only if nothing is wrong with them, and
/// so made.
pub fn rdma_chunks(data: &[u8]) {
    let mut input = Input(data);
    let (endpoint, budget) = (endpoint(&mut input), budget(&mut input));
    let (msg, reply) = (input.below(4) > 0, input.below(4) == 0);
    let inline = 8 + 4 * input.below(200) + input.below(8) / 5;
    let lists = any_lists(&mut input, msg);
    let budget = match input.below(3) {
        0 => exact(&mut input, &lists, budget),
        _ => budget,
    };

    let words = [7, 1, 1, u32::from(!msg)].map(u32::to_be_bytes).concat();
    let wire = [words, lists.encode()].concat();
    let mut message = wire.clone();
    if msg {
        message.extend([0, 0, 0, 7, 0, 0, 0, u8::from(reply)]);
        message.resize(wire.len() + inline, 0xa5);
    }
    let inline = msg.then_some(inline);
    let call = if msg { !reply } else { !lists.reads.is_empty() };
    let refused = if call {
        endpoint.role == Role::Requester && endpoint.reverse != Reverse::Chunks && !lists.is_empty()
    } else {
        !lists.reads.is_empty()
    };
    let good = lists.good(inline, &budget);
    match receive(&message, endpoint, &budget) {
        Ok(received) => {
            assert!(good && !refused, "{received:?} within {budget:?}");
            let direction = if call { Direction::Call } else { Direction::Reply };
            assert_eq!(received.direction(), Some(direction));
            taken(&received, &message);
        }
        Err(refusal) => assert!(!good || refused, "{refusal} within {budget:?}"),
    }

    // Senders may send what somebody could take.
    let sendable = lists.good(inline, &Budget::UNLIMITED);
    lists.with(|slices| match made(7, slices, inline) {
        Ok(header) => {
            assert!(sendable, "{header:?}");
            written(|out| header.write_to(out), &wire);
            same(header.chunks().expect("no error"), &lists);
            returned(header.chunks().expect("no error"), &lists, data);
        }
        Err(error) => assert!(!sendable, "{error}"),
    });
}

/// What the lists take of each, or one less.
fn exact(input: &mut Input<'_>, lists: &Lists, budget: Budget) -> Budget {
    let mut less = |size: u128| size.saturating_sub(u128::from(input.below(8) == 0)) as u64;
    let [read, written, count] = lists.sizes().map(&mut less);
    budget.bytes(read, written).segments(u32::try_from(count).expect("few"))
}

fn any_lists(input: &mut Input<'_>, msg: bool) -> Lists {
    // Most are in order, so that what is wrong is often one thing.
    let (mut reads, mut end) = (Vec::new(), if msg { 4 } else { 0 });
    for _ in 0..input.below(6) {
        let mut position = match input.below(8) {
            0 => 4 * u32::from(input.byte()),
            1 => input.word(),
            2 => end + input.below(9) as u32,
            _ => end + 4 * input.below(9) as u32,
        };
        if let (5.., Some(ReadSegment { position: last, .. })) = (input.below(8), reads.last()) {
            position = *last;
        }
        let target = segment(input);
        end = (position.wrapping_add(target.length) % (1 << 30)).next_multiple_of(4);
        reads.push(ReadSegment { position, target });
    }
    let chunk = |input: &mut Input<'_>| {
        (0..input.below(8).min(4)).map(|_| segment(input)).collect::<Vec<_>>()
    };
    let writes = (0..input.below(4)).map(|_| chunk(input)).collect();
    let reply = (input.below(3) > 0).then(|| chunk(input));
    Lists { reads, writes, reply }
}

fn segment(input: &mut Input<'_>) -> Segment {
    let length = match input.below(8) {
        0 => input.word(),
        1 => u32::MAX - u32::from(input.byte()),
        2 => u32::from(input.byte()) << 12,
        3 => 0,
        _ => input.byte().into(),
    };
    let offset = match input.below(6) {
        0 => u64::MAX - u64::from(input.byte()),
        // Up to the end of what 64 bits can say, or just beyond.
        1 => u64::from(length).wrapping_neg().wrapping_add(input.below(3) as u64).wrapping_sub(1),
        _ => u64::from(input.word()) << 12,
    };
    Segment { handle: input.byte().into(), length, offset }
}

//--- Ways ---

/// Any reply and offer, any call and expected reply: what is chosen keeps to every limit and loses
/// nothing, and what the requester puts together is the reply.
pub fn rdma_choose(data: &[u8]) {
    let mut input = Input(data);
    match input.below(4) {
        0 => drop(ways::any_reply(&mut input)),
        1 => drop(ways::any_call(&mut input)),
        2 => drop(journey::plan_holds(&mut input)),
        _ => drop(journey::reply_arrives(&mut input)),
    }
}
