//! What the two ends of a connection say to each other in RPC-over-RDMA, whatever carries it: SENDs
//! are messages, and what moves by RDMA are the chunks of them, which are put back where they
//! belong.

use alloc::collections::VecDeque;
use std::io;

use lru::LruCache;
use nfswire_rdma::requester::{BadReturn, check_invalidated, check_returned, rejoin};
use nfswire_rdma::{Chunks, Direction, Kind, Received, Segment, assemble};
use nfswire_xdr::Piece;

use super::heading::{self, Heading};
use super::memory::{Memory, Run};
use super::payloads::{Called, places};
use crate::connections::{Finder, Found, Place};
use crate::stream::plausible;

/// Calls of an end that wait for their chunks, at most; as many as clients ask credits for.
const MAX_PENDING: usize = 128;
/// Segments of a call that waits for them, at most.
const MAX_SEGMENTS: usize = 512;
/// Calls of an end whose replies are waited for, at most.
const MAX_CALLS: usize = 1024;
/// What one of either costs beside its bytes.
const OVERHEAD: usize = 128;
/// Zeros that stand for bytes of a message that were not captured, at most.
const MAX_STAND_IN: u64 = 1 << 20;
static ZEROS: [u8; 4096] = [0; 4096];

/// An end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

impl Side {
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// That of two which is this end's.
    pub(crate) const fn of<T>(self, both: &mut [T; 2]) -> &mut T {
        let [a, b] = both;
        match self {
            Self::A => a,
            Self::B => b,
        }
    }
}

/// Who sends, in the forward direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    Client,
    Server,
}

impl Sender {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// A SEND.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent<'m> {
    pub(crate) bytes: &'m [u8],
    pub(crate) invalidate: Option<u32>,
    /// Number of the queue pair that it was sent to.
    pub(crate) pair: Option<u32>,
}

/// A call whose Read chunks are waited for.
#[derive(Debug)]
struct Pending {
    place: Place,
    xid: u32,
    message: Vec<u8>,
    /// All segments of its Read chunks.
    segments: Vec<Segment>,
}

impl Pending {
    fn cost(&self) -> usize {
        // A segment takes more bytes in the message than here.
        self.message.len().saturating_mul(2).saturating_add(OVERHEAD)
    }

    fn waits_for(&self, key: u32) -> bool {
        self.segments.iter().any(|segment| segment.handle == key)
    }

    /// Whether there is something to wait for.
    fn waits(&self) -> bool {
        self.segments.len() <= MAX_SEGMENTS && self.segments.iter().any(|it| it.length > 0)
    }
}

/// A call whose reply is waited for.
#[derive(Debug)]
struct Call {
    /// Its procedure, once that can be told.
    called: Option<Called>,
    /// What was sent, with the chunks that it offers.
    message: Vec<u8>,
}

impl Call {
    const fn cost(&self) -> usize {
        self.message.len().saturating_add(OVERHEAD)
    }

    /// What is wrong with the chunks that a reply returns, and with the key that it invalidates.
    fn check(&self, reply: &Received<'_>, invalidate: Option<u32>) -> Result<(), BadReturn> {
        let call = heading::received(&self.message).ok();
        let Some(chunks) = call.as_ref().and_then(|call| call.header().chunks()) else {
            return Ok(());
        };
        check_returned(chunks, reply.header(), &mut [])?;
        invalidate.map_or(Ok(()), |key| check_invalidated(chunks, key))
    }
}

/// What is known of an end.
#[derive(Debug)]
struct End {
    /// What was read from its memory, and written to it.
    read: Memory,
    written: Memory,
    pending: VecDeque<Pending>,
    pending_bytes: usize,
    /// Its calls, by xid.
    calls: LruCache<u32, Call>,
    call_bytes: usize,
}

impl End {
    fn new() -> Self {
        Self {
            read: Memory::new(),
            written: Memory::new(),
            pending: VecDeque::new(),
            pending_bytes: 0,
            calls: LruCache::unbounded(),
            call_bytes: 0,
        }
    }

    fn held(&self) -> usize {
        let chunks = self.read.held().saturating_add(self.written.held());
        self.pending_bytes.saturating_add(self.call_bytes).saturating_add(chunks)
    }

    /// A call was sent.
    fn asked(&mut self, xid: u32, message: &[u8]) {
        let call = Call { called: None, message: message.to_vec() };
        self.call_bytes = self.call_bytes.saturating_add(call.cost());
        let old = self.calls.put(xid, call);
        let oldest = if self.calls.len() > MAX_CALLS { self.calls.pop_lru() } else { None };
        for call in old.into_iter().chain(oldest.map(|it| it.1)) {
            self.call_bytes = self.call_bytes.saturating_sub(call.cost());
        }
    }

    /// The RPC message of a call is known.
    fn called(&mut self, xid: u32, call: &[u8]) {
        if let Some(known) = self.calls.peek_mut(&xid) {
            known.called = Called::of(call);
        }
    }

    fn take_pending(&mut self, at: usize) -> Option<Pending> {
        let pending = self.pending.remove(at)?;
        self.pending_bytes = self.pending_bytes.saturating_sub(pending.cost());
        Some(pending)
    }
}

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// It carries RPC-over-RDMA: what cannot be read is worth a word.
    is_rpc: bool,
    /// Who is the client.
    client: Option<Side>,
    ends: [End; 2],
    /// Longest message that is put together, in bytes.
    max_message: u32,
}

impl Exchange {
    pub(crate) fn new(max_message: u32, client: Option<Side>, is_rpc: bool) -> Self {
        Self { is_rpc, client, ends: [End::new(), End::new()], max_message }
    }

    /// Whether it is known to carry RPC-over-RDMA.
    pub(crate) const fn is_rpc(&self) -> bool {
        self.is_rpc
    }

    /// Bytes of memory in use.
    pub(crate) fn held(&self) -> usize {
        self.ends.iter().map(End::held).fold(0, usize::saturating_add)
    }

    /// An RDMA WRITE by an end to the other one's memory.
    pub(crate) fn written(&mut self, by: Side, key: u32, address: u64, bytes: &[u8]) {
        by.other().of(&mut self.ends).written.put(key, address, bytes);
    }

    /// Bytes of an end's memory that the other one has read. Only what a call waits for is kept.
    pub(crate) fn read(&mut self, of: Side, key: u32, address: u64, bytes: &[u8]) {
        let end = of.of(&mut self.ends);
        if end.pending.iter().any(|pending| pending.waits_for(key)) {
            end.read.put(key, address, bytes);
        }
    }

    /// A READ of an end's memory is complete: calls of that end may be so too.
    pub(crate) fn read_done(&mut self, of: Side, key: u32, to: &mut impl Finder) -> io::Result<()> {
        let mut at = 0usize;
        loop {
            let end = of.of(&mut self.ends);
            let Some(pending) = end.pending.get(at) else { return Ok(()) };
            let seen = |segment: &Segment| end.read.has(*segment);
            if pending.waits_for(key) && pending.segments.iter().all(seen) {
                self.give_out(of, at, to)?;
            } else {
                at = at.saturating_add(1);
            }
        }
    }

    /// A message.
    pub(crate) fn sent(
        &mut self,
        by: Side,
        place: &Place,
        sent: Sent<'_>,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let (heading, received) = Heading::read(sent.bytes);
        if !self.is_rpc && !received.as_ref().is_some_and(looks_like_rpc) {
            return Ok(());
        }
        self.is_rpc = true;
        let direction = received.and_then(|received| received.direction());
        // Without a word of who connected: whoever sends the first call.
        match direction {
            Some(Direction::Call) => self.client = self.client.or(Some(by)),
            Some(Direction::Reply) => self.client = self.client.or_else(|| Some(by.other())),
            None => {}
        }
        let sender = self.client.map(|it| if it == by { Sender::Client } else { Sender::Server });
        let Sent { invalidate, pair, .. } = sent;
        to.found(place, Found::Header(&Heading { sender, invalidate, pair, ..heading }))?;
        let Some(received) = received else { return Ok(()) };
        match received.header().kind() {
            Kind::Error(_) => self.answered(by.other(), received.header().xid(), to),
            Kind::Msg(chunks) | Kind::Nomsg(chunks) => {
                if direction == Some(Direction::Reply) {
                    self.reply(by, place, &received, invalidate, to)
                } else {
                    self.call(by, place, sent.bytes, &received, chunks, to)
                }
            }
        }
    }

    fn call(
        &mut self,
        by: Side,
        place: &Place,
        message: &[u8],
        received: &Received<'_>,
        chunks: &Chunks<'_>,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let xid = received.header().xid();
        let end = by.of(&mut self.ends);
        end.asked(xid, message);
        // What was in this memory before was for another call.
        offered(chunks).for_each(|segment| end.written.forget(segment));
        if !chunks.has_reads() {
            end.called(xid, received.inline());
            return to.found(place, Found::Message(received.inline()));
        }
        // A call that is sent again is read again.
        if let Some(at) = end.pending.iter().position(|pending| pending.xid == xid) {
            self.give_out(by, at, to)?;
        } else if end.pending.len() >= MAX_PENDING {
            self.give_out(by, 0, to)?;
        }
        let end = by.of(&mut self.ends);
        let segments: Vec<Segment> = chunks.read_segments().map(|read| read.target).collect();
        segments.iter().for_each(|segment| end.read.forget(*segment));
        let pending = Pending { place: *place, xid, message: message.to_vec(), segments };
        let waits = pending.waits();
        end.pending_bytes = end.pending_bytes.saturating_add(pending.cost());
        end.pending.push_back(pending);
        if waits { Ok(()) } else { self.answered(by, xid, to) }
    }

    fn reply(
        &mut self,
        by: Side,
        place: &Place,
        received: &Received<'_>,
        invalidate: Option<u32>,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let xid = received.header().xid();
        let chunks = &received.header().chunks().copied().unwrap_or_default();
        let asker = by.other();
        self.answered(asker, xid, to)?;
        let max = u64::from(self.max_message);
        let end = asker.of(&mut self.ends);
        let call = end.calls.get(&xid);
        let called = call.and_then(|call| call.called);
        if let Some(Err(wrong)) = call.map(|call| call.check(received, invalidate)) {
            to.found(place, Found::Returned(wrong.to_string()))?;
        }
        let found = match reply(received, chunks, &end.written, called, max) {
            Ok(built) => built.found(to, place),
            Err(found) => to.found(place, found),
        };
        offered(chunks).for_each(|segment| end.written.forget(segment));
        found
    }

    /// A call is answered, so nothing more is read for it.
    fn answered(&mut self, asker: Side, xid: u32, to: &mut impl Finder) -> io::Result<()> {
        let end = asker.of(&mut self.ends);
        match end.pending.iter().position(|pending| pending.xid == xid) {
            Some(at) => self.give_out(asker, at, to),
            None => Ok(()),
        }
    }

    /// Hands on a call whose Read chunks are there, or will not come.
    fn give_out(&mut self, of: Side, at: usize, to: &mut impl Finder) -> io::Result<()> {
        let max = u64::from(self.max_message);
        let end = of.of(&mut self.ends);
        let Some(Pending { place, xid, message, segments }) = end.take_pending(at) else {
            return Ok(());
        };
        let Ok(received) = heading::received(&message) else { return Ok(()) };
        let found = match call(&received, &end.read, max) {
            Ok(built) => {
                end.called(xid, &built.bytes);
                built.found(to, &place)
            }
            Err(found) => {
                end.called(xid, received.inline());
                to.found(&place, found)
            }
        };
        segments.iter().for_each(|segment| end.read.forget(*segment));
        found
    }

    /// Nothing more will come.
    pub(crate) fn end(&mut self, to: &mut impl Finder) -> io::Result<()> {
        for side in [Side::A, Side::B] {
            while !side.of(&mut self.ends).pending.is_empty() {
                self.give_out(side, 0, to)?;
            }
        }
        Ok(())
    }
}

/// Whether a message is RPC-over-RDMA's beyond doubt.
fn looks_like_rpc(received: &Received<'_>) -> bool {
    match received.header().kind() {
        Kind::Msg(_) => {
            let inline = received.inline();
            plausible(inline, u32::try_from(inline.len()).unwrap_or(u32::MAX))
        }
        Kind::Nomsg(_) => true,
        Kind::Error(_) => false,
    }
}

/// Memory for results.
fn offered<'a>(chunks: &Chunks<'a>) -> impl Iterator<Item = Segment> + use<'a> {
    chunks.writes().chain(chunks.reply()).flat_map(|chunk| chunk.segments.iter())
}

//--- Putting together ---

/// A message that was put together.
struct Built {
    bytes: Vec<u8>,
    /// Zeros stand for so many bytes.
    absent: u64,
    /// Chunks were used.
    chunks: bool,
}

impl Built {
    fn found(&self, to: &mut impl Finder, place: &Place) -> io::Result<()> {
        let Self { bytes, absent, chunks } = self;
        let found = match chunks {
            true => Found::Rebuilt { message: bytes, absent: *absent },
            false => Found::Message(bytes),
        };
        to.found(place, found)
    }
}

/// The bytes of a chunk.
struct Fetched<'r> {
    parts: Vec<&'r [u8]>,
    len: u64,
    absent: u64,
}

/// Fetches a chunk. Zeros stand for what was not seen, as far as `stand_in` allows.
fn fetch(memory: &Memory, segments: impl Iterator<Item = Segment>, stand_in: u64) -> Fetched<'_> {
    let mut fetched = Fetched { parts: Vec::new(), len: 0, absent: 0 };
    for run in segments.flat_map(|segment| memory.bytes(segment)) {
        match run {
            Run::Seen(bytes) => {
                fetched.len = fetched.len.saturating_add(bytes.len() as u64);
                fetched.parts.push(bytes);
            }
            Run::Absent(n) => {
                fetched.len = fetched.len.saturating_add(n);
                fetched.absent = fetched.absent.saturating_add(n);
                let mut left = if fetched.absent > stand_in { 0 } else { n };
                while left > 0 {
                    let part = usize::try_from(left).unwrap_or(usize::MAX).min(ZEROS.len());
                    fetched.parts.push(ZEROS.get(..part).unwrap_or(&ZEROS));
                    left = left.saturating_sub(part as u64);
                }
            }
        }
    }
    fetched
}

/// Puts a call together; else what is to be said of it.
fn call(received: &Received<'_>, memory: &Memory, max: u64) -> Result<Built, Found<'static>> {
    let chunks = received.header().chunks().copied().unwrap_or_default();
    let len = chunks
        .reads()
        .fold(received.inline().len() as u64, |sum, chunk| sum.saturating_add(chunk.len()));
    if len > max {
        return Err(Found::Skipped(len));
    }
    let fetched: Vec<Fetched<'_>> = chunks
        .reads()
        .map(|chunk| {
            // Without the call itself nothing can be read.
            let stand_in = if chunk.position() == 0 { 0 } else { MAX_STAND_IN };
            fetch(memory, chunk.segments(), stand_in)
        })
        .collect();
    let absent = fetched.iter().fold(0u64, |sum, chunk| sum.saturating_add(chunk.absent));
    if absent > MAX_STAND_IN {
        return Err(Found::Absent(absent));
    }
    let pieces: Vec<Vec<Piece<'_>>> = fetched
        .iter()
        .map(|chunk| chunk.parts.iter().map(|part| Piece::Here(part)).collect())
        .collect();
    let pieces: Vec<&[Piece<'_>]> = pieces.iter().map(|pieces| &pieces[..]).collect();
    let count = pieces.iter().map(|pieces| pieces.len().saturating_add(2)).sum::<usize>();
    let mut room = vec![Piece::Here(&[]); count.saturating_add(2)];
    match assemble::call(received, &pieces, &mut room) {
        Ok(pieces) => {
            let here = pieces.iter().filter_map(|piece| match piece {
                Piece::Here(bytes) => Some(*bytes),
                Piece::Elsewhere(_) => None,
            });
            Ok(Built { bytes: here.collect::<Vec<_>>().concat(), absent, chunks: true })
        }
        Err(_) => Err(Found::Absent(absent)),
    }
}

/// Puts a reply together; else what is to be said of it.
fn reply<'m>(
    received: &Received<'m>,
    chunks: &Chunks<'_>,
    memory: &Memory,
    called: Option<Called>,
    max: u64,
) -> Result<Built, Found<'m>> {
    let len = offered(chunks).fold(received.inline().len() as u64, |sum, segment| {
        sum.saturating_add(segment.length.into())
    });
    if len > max {
        return Err(Found::Skipped(len));
    }
    let long = matches!(received.header().kind(), Kind::Nomsg(_));
    let body = if long {
        let segments = chunks.reply().into_iter().flat_map(|chunk| chunk.segments.iter());
        let fetched = fetch(memory, segments, 0);
        if fetched.absent > 0 || fetched.len == 0 {
            return Err(Found::Absent(fetched.absent));
        }
        fetched.parts.concat()
    } else {
        received.inline().to_vec()
    };
    let lengths: Vec<u64> = chunks.writes().map(|chunk| chunk.len()).collect();
    let places = match called {
        Some(called) if lengths.iter().any(|len| *len > 0) => places(called, &body, &lengths),
        _ => None,
    };
    // Without chunks, or where nothing says where they belong.
    let Some(places) = places else {
        return Ok(Built { bytes: body, absent: 0, chunks: long });
    };
    let fetched: Vec<Fetched<'_>> =
        chunks.writes().map(|chunk| fetch(memory, chunk.segments.iter(), MAX_STAND_IN)).collect();
    let absent = fetched.iter().fold(0u64, |sum, chunk| sum.saturating_add(chunk.absent));
    if absent > MAX_STAND_IN {
        return Err(Found::Absent(absent));
    }
    let (mut placed, mut before) = (Vec::new(), 0u64);
    for (at, chunk) in places {
        let Some(Fetched { parts, len, .. }) = fetched.get(chunk) else { continue };
        let mut position = (at as u64).saturating_add(before);
        for part in parts {
            placed.push((position, *part));
            position = position.saturating_add(part.len() as u64);
        }
        before = before.saturating_add(len.saturating_add(3) & !3);
    }
    let bytes = rejoin(&body, placed).collect::<Vec<_>>().concat();
    Ok(Built { bytes, absent, chunks: true })
}
