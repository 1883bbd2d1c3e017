//! Connections of RoCEv2: which queue pairs belong together, and what their packets carry.

use core::mem;
use core::net::{IpAddr, SocketAddr};
use std::collections::HashMap;
use std::io;

use lru::LruCache;
use nfswire_rdma::NFS_PORT;

use super::exchange::{Exchange, Sent, Side};
use super::manager::{self, Attribute, Datagram, Start};
use super::queue::{Event, Queue};
use super::roce::{self, Content, Operation, Packet, Part, Target};
use crate::connections::{Finder, Found, Place, Transport};
use crate::link::Segment;

/// Connections that are followed at a time; the one that was silent longest makes room.
const MAX_PAIRS: usize = 1024;
/// Requests to connect whose replies are waited for.
const MAX_REQUESTS: usize = 1024;
/// Bytes that all connections hold together, at most.
const MAX_HELD: usize = 256 << 20;
/// What a connection costs beside what it holds.
const OVERHEAD: usize = 2048;
/// Sizes of packets that there are, in bytes.
const MTUS: [usize; 5] = [256, 512, 1024, 2048, 4096];

/// Packets that go to one queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Flow {
    src: IpAddr,
    dst: IpAddr,
    pair: u32,
}

/// A message in the making.
#[derive(Debug, Default)]
struct Partial {
    /// Begun, and none of its packets lost.
    whole: bool,
    bytes: Vec<u8>,
    /// Bytes of it that were not captured.
    missing: usize,
    /// Bytes that were seen of one that is not whole.
    passed: usize,
}

/// A direction.
#[derive(Debug, Default)]
struct Half {
    queue: Queue,
    partial: Partial,
    /// What is left of the memory that is being written.
    write: Option<Target>,
}

impl Half {
    fn held(&self) -> usize {
        self.queue.held().saturating_add(self.partial.bytes.capacity())
    }
}

/// A request to connect.
#[derive(Debug, Clone, Copy)]
struct Request {
    start: Start,
    mtu: Option<u32>,
    service: Option<u16>,
    from: Option<u16>,
}

/// A connection.
#[derive(Debug)]
struct Pair {
    number: u64,
    /// Packets that each end sends, as far as they are known.
    flows: [Option<Flow>; 2],
    /// Ports of each end.
    ports: [u16; 2],
    halves: [Half; 2],
    exchange: Exchange,
    mtu: Option<u32>,
    /// What its ends call it, if they were seen to connect.
    names: Option<(u32, u32)>,
    last: Place,
}

/// All connections of RoCEv2 in a capture.
#[derive(Debug)]
pub(crate) struct Pairs {
    flows: HashMap<Flow, (u64, Side)>,
    table: LruCache<u64, Pair>,
    requests: LruCache<(IpAddr, u32), Request>,
    held: usize,
    max_message: u32,
}

impl Pairs {
    /// Messages above `max_message` bytes are not put together.
    pub(crate) fn new(max_message: u32) -> Self {
        Self {
            flows: HashMap::new(),
            table: LruCache::unbounded(),
            requests: LruCache::unbounded(),
            held: 0,
            max_message,
        }
    }

    /// Takes a datagram to the port of RoCEv2. `count` is the number of connections so far.
    pub(crate) fn datagram(
        &mut self,
        place: &Place,
        segment: &Segment<'_>,
        count: &mut u64,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let place = Place {
            src: SocketAddr::new(place.src.ip(), roce::PORT),
            dst: SocketAddr::new(place.dst.ip(), roce::PORT),
            transport: Transport::Roce,
            connection: 0,
            ..*place
        };
        match roce::read(segment.payload, segment.missing) {
            Ok(Content::Packet(packet)) => self.packet(place, &packet, count, to),
            Ok(Content::Management(datagram)) => match manager::read(datagram) {
                Some(datagram) => self.managed(place, &datagram, count, to),
                None => Ok(()),
            },
            Ok(Content::Other) => Ok(()),
            Err(fault) => self.malformed(place, segment.payload, fault, to),
        }
    }

    /// A packet that cannot be read is worth a word where RPC is known to be.
    fn malformed(
        &self,
        place: Place,
        datagram: &[u8],
        fault: roce::Malformed,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let Some([_, _, _, _, _, a, b, c, ..]) = datagram.first_chunk::<12>() else {
            return Ok(());
        };
        let pair = u32::from_be_bytes([0, *a, *b, *c]);
        let flow = Flow { src: place.src.ip(), dst: place.dst.ip(), pair };
        let Some((id, side)) = self.flows.get(&flow) else { return Ok(()) };
        let Some(pair) = self.table.peek(id) else { return Ok(()) };
        if !pair.exchange.is_rpc() {
            return Ok(());
        }
        let place = pair.place(*side, place);
        to.found(&place, Found::Malformed(datagram.len(), fault.to_string()))
    }

    fn packet(
        &mut self,
        place: Place,
        packet: &Packet<'_>,
        count: &mut u64,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let flow = Flow { src: place.src.ip(), dst: place.dst.ip(), pair: packet.pair };
        if answers(packet.operation) {
            self.join(flow, packet.psn, to)?;
        }
        let (id, side) = match self.flows.get(&flow) {
            Some(found) => *found,
            None => {
                let exchange = Exchange::new(self.max_message, None, false);
                let pair = Pair::new([Some(flow), None], exchange, place);
                (self.insert(pair, count, to)?, Side::A)
            }
        };
        let Some(pair) = self.table.get_mut(&id) else { return Ok(()) };
        let before = pair.held();
        let place = pair.place(side, place);
        pair.last = place;
        let max = usize::try_from(self.max_message).unwrap_or(usize::MAX);
        let done = pair.packet(side, &place, packet, max, to);
        let after = pair.held();
        self.held = self.held.saturating_sub(before).saturating_add(after);
        done?;
        while self.held > MAX_HELD && self.table.len() > 1 {
            self.evict(to)?;
        }
        Ok(())
    }

    /// A management datagram: what it says of a connection that begins or ends.
    fn managed(
        &mut self,
        place: Place,
        datagram: &Datagram<'_>,
        count: &mut u64,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let (src, dst) = (place.src.ip(), place.dst.ip());
        to.found(&place, Found::Management(datagram))?;
        match (datagram.attribute, datagram.start) {
            (Attribute::ConnectRequest, Some(start)) => {
                let Datagram { mtu, service, from, local, .. } = *datagram;
                self.requests.put((src, local), Request { start, mtu, service, from });
                if self.requests.len() > MAX_REQUESTS {
                    self.requests.pop_lru();
                }
                Ok(())
            }
            (Attribute::ConnectReply, Some(start)) => {
                let names = (datagram.remote, datagram.local);
                let Some(request) = self.requests.get(&(dst, names.0)).copied() else {
                    return Ok(());
                };
                let client = Flow { src: dst, dst: src, pair: start.pair };
                let server = Flow { src, dst, pair: request.start.pair };
                // The reply may come again.
                if let Some((id, _)) = self.flows.get(&client)
                    && self.table.peek(id).is_some_and(|pair| pair.names == Some(names))
                {
                    return Ok(());
                }
                self.remove(client, to)?;
                self.remove(server, to)?;
                let is_rpc = request.service == Some(NFS_PORT);
                let exchange = Exchange::new(self.max_message, Some(Side::A), is_rpc);
                let mut pair = Pair::new([Some(client), Some(server)], exchange, place);
                pair.names = Some(names);
                pair.mtu = request.mtu;
                pair.ports =
                    [request.from.unwrap_or(roce::PORT), request.service.unwrap_or(roce::PORT)];
                let [a, b] = &mut pair.halves;
                // Each end says where the other one is to begin.
                a.queue = Queue::from_start(start.psn);
                b.queue = Queue::from_start(request.start.psn);
                self.insert(pair, count, to).map(drop)
            }
            (Attribute::DisconnectRequest, _) => {
                let Some(ended) = datagram.ended else { return Ok(()) };
                let flow = Flow { src, dst, pair: ended };
                let Some((id, _)) = self.flows.get(&flow) else { return Ok(()) };
                let Some(pair) = self.table.peek_mut(id) else { return Ok(()) };
                let before = pair.held();
                let done = pair.end(to);
                let after = pair.held();
                self.held = self.held.saturating_sub(before).saturating_add(after);
                done
            }
            _ => Ok(()),
        }
    }

    /// Finds the connection of a direction that only answers so far: the packets of the other one have
    /// the numbers that it acknowledges.
    fn join(&mut self, flow: Flow, psn: u32, to: &mut impl Finder) -> io::Result<()> {
        let known = self.flows.get(&flow).copied();
        if let Some((id, side)) = known
            && self
                .table
                .peek(&id)
                .is_none_or(|pair| side == Side::B || pair.flows.iter().all(Option::is_some))
        {
            return Ok(());
        }
        let fits = |(id, pair): (&u64, &Pair)| {
            let [Some(there), None] = pair.flows else { return None };
            let [half, _] = &pair.halves;
            let is_it = (there.src, there.dst) == (flow.dst, flow.src)
                && known.is_none_or(|(own, _)| own != *id)
                && half.queue.may_answer(psn);
            is_it.then_some(*id)
        };
        let mut candidates = self.table.iter().filter_map(fits);
        let (Some(id), None) = (candidates.next(), candidates.next()) else { return Ok(()) };
        drop(candidates);
        // What it has sent itself goes on in the connection of the other one.
        let mut half = Half::default();
        if let Some((own, _)) = known {
            self.flows.remove(&flow);
            if let Some(mut own) = self.table.pop(&own) {
                self.held = self.held.saturating_sub(own.held());
                own.exchange.end(to)?;
                let [first, _] = &mut own.halves;
                half = mem::take(first);
            }
        }
        if let Some(pair) = self.table.get_mut(&id) {
            let [_, there] = &mut pair.flows;
            *there = Some(flow);
            self.held = self.held.saturating_add(half.held());
            let [_, second] = &mut pair.halves;
            *second = half;
            self.flows.insert(flow, (id, Side::B));
        }
        Ok(())
    }

    fn insert(&mut self, mut pair: Pair, count: &mut u64, to: &mut impl Finder) -> io::Result<u64> {
        while self.table.len() >= MAX_PAIRS {
            self.evict(to)?;
        }
        *count = count.saturating_add(1);
        pair.number = *count;
        for (flow, side) in pair.flows.into_iter().zip([Side::A, Side::B]) {
            if let Some(flow) = flow {
                self.flows.insert(flow, (*count, side));
            }
        }
        self.held = self.held.saturating_add(pair.held());
        self.table.put(*count, pair);
        Ok(*count)
    }

    /// Ends the connection that a direction belongs to.
    fn remove(&mut self, flow: Flow, to: &mut impl Finder) -> io::Result<()> {
        let Some((id, _)) = self.flows.get(&flow).copied() else { return Ok(()) };
        match self.table.pop(&id) {
            Some(pair) => self.close(pair, to),
            None => Ok(()),
        }
    }

    /// Ends the connection that was silent longest.
    fn evict(&mut self, to: &mut impl Finder) -> io::Result<()> {
        match self.table.pop_lru() {
            Some((_, pair)) => self.close(pair, to),
            None => Ok(()),
        }
    }

    fn close(&mut self, mut pair: Pair, to: &mut impl Finder) -> io::Result<()> {
        self.held = self.held.saturating_sub(pair.held());
        for flow in pair.flows.into_iter().flatten() {
            self.flows.remove(&flow);
        }
        pair.end(to)
    }

    /// The capture ends: what waits is given out.
    pub(crate) fn end(&mut self, to: &mut impl Finder) -> io::Result<()> {
        while !self.table.is_empty() {
            self.evict(to)?;
        }
        Ok(())
    }
}

/// Whether a packet is about one of the other direction.
const fn answers(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Acknowledge { .. } | Operation::ReadResponse(_) | Operation::AtomicAcknowledge
    )
}

impl Pair {
    fn new(flows: [Option<Flow>; 2], exchange: Exchange, place: Place) -> Self {
        Self {
            number: 0,
            flows,
            ports: [roce::PORT; 2],
            halves: [Half::default(), Half::default()],
            exchange,
            mtu: None,
            names: None,
            last: place,
        }
    }

    fn held(&self) -> usize {
        let halves = self.halves.iter().map(Half::held).fold(OVERHEAD, usize::saturating_add);
        halves.saturating_add(self.exchange.held())
    }

    /// Where a packet of this connection was found.
    fn place(&self, side: Side, mut place: Place) -> Place {
        let mut ports = self.ports;
        place.src.set_port(*side.of(&mut ports));
        place.dst.set_port(*side.other().of(&mut ports));
        Place { connection: self.number, ..place }
    }

    fn packet(
        &mut self,
        side: Side,
        place: &Place,
        packet: &Packet<'_>,
        max: usize,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let psn = packet.psn;
        // All packets of a message but the last one are full.
        let full = match packet.operation {
            Operation::Send(part, _)
            | Operation::Write(part, _)
            | Operation::ReadResponse(part) => !part.ends(),
            _ => false,
        };
        let len = packet.payload.len().saturating_add(packet.missing);
        if full && MTUS.contains(&len) {
            self.mtu = u32::try_from(len).ok();
        }
        match packet.operation {
            Operation::Acknowledge { positive: false } => Ok(()),
            Operation::Acknowledge { positive: true } | Operation::AtomicAcknowledge => {
                self.acknowledged(side.other(), place, psn, max, to)
            }
            Operation::ReadResponse(part) => {
                let asker = side.other().of(&mut self.halves);
                let target = asker.queue.response(psn, part, len);
                if part.ends() {
                    asker.queue.answered(psn);
                }
                if let Some(Target { address, key, .. }) = target {
                    self.exchange.read(side, key, address, packet.payload);
                    if part.ends() {
                        self.exchange.read_done(side, key, to)?;
                    }
                }
                self.acknowledged(side.other(), place, psn, max, to)
            }
            _ => {
                let Self { halves, exchange, mtu, .. } = self;
                let Half { queue, partial, write } = side.of(halves);
                let pair = Some(packet.pair);
                let mut take = Take { side, pair, partial, write, exchange, max };
                queue.packet(place, packet, *mtu, &mut |event| take.event(place, event, to))
            }
        }
    }

    /// The packets of an end were received up to this number.
    fn acknowledged(
        &mut self,
        side: Side,
        place: &Place,
        psn: u32,
        max: usize,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let place = Place { src: place.dst, dst: place.src, ..*place };
        let Self { halves, exchange, mtu, flows, .. } = self;
        let Half { queue, partial, write } = side.of(halves);
        let pair = side.of(flows).map(|flow| flow.pair);
        let mut take = Take { side, pair, partial, write, exchange, max };
        queue.acknowledged(psn, *mtu, &mut |event| take.event(&place, event, to))
    }

    /// Nothing more will come.
    fn end(&mut self, to: &mut impl Finder) -> io::Result<()> {
        for side in [Side::A, Side::B] {
            let Some(flow) = *side.of(&mut self.flows) else { continue };
            let mut place = self.last;
            place.src.set_ip(flow.src);
            place.dst.set_ip(flow.dst);
            let place = self.place(side, place);
            let Self { halves, exchange, mtu, .. } = self;
            let Half { queue, partial, write } = side.of(halves);
            let pair = Some(flow.pair);
            let mut take = Take { side, pair, partial, write, exchange, max: usize::MAX };
            queue.flush(*mtu, &mut |event| take.event(&place, event, to))?;
            take.broken(&place, to)?;
        }
        self.exchange.end(to)
    }
}

/// Takes what comes out of a direction in order.
struct Take<'t> {
    side: Side,
    /// Number of the queue pair that it goes to.
    pair: Option<u32>,
    partial: &'t mut Partial,
    write: &'t mut Option<Target>,
    exchange: &'t mut Exchange,
    /// Longest message.
    max: usize,
}

impl Take<'_> {
    fn event(&mut self, place: &Place, event: Event<'_>, to: &mut impl Finder) -> io::Result<()> {
        match event {
            Event::Packet(place, operation, payload, missing) => match operation {
                Operation::Send(part, key) => self.send(place, part, key, payload, missing, to),
                Operation::Write(part, target) => {
                    self.broken(place, to)?;
                    self.write(part, target, payload, missing);
                    Ok(())
                }
                _ => self.broken(place, to),
            },
            Event::Lost(packets) => {
                self.broken(place, to)?;
                *self.write = None;
                if packets > 0 && self.exchange.is_rpc() {
                    return to.found(place, Found::Lost(packets));
                }
                Ok(())
            }
        }
    }

    fn send(
        &mut self,
        place: &Place,
        part: Part,
        invalidate: Option<u32>,
        payload: &[u8],
        missing: usize,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        if part.begins() {
            self.broken(place, to)?;
            self.partial.whole = true;
        }
        let partial = &mut *self.partial;
        let len = partial.bytes.len().saturating_add(payload.len());
        if !partial.whole || len > self.max {
            // Its start was not captured, or it is too long.
            let passed = partial.passed.saturating_add(len);
            *partial = Partial { passed, ..Partial::default() };
            return if part.ends() { self.broken(place, to) } else { Ok(()) };
        }
        partial.missing = partial.missing.saturating_add(missing);
        if part == Part::Only && missing == 0 {
            *partial = Partial::default();
            let sent = Sent { bytes: payload, invalidate, pair: self.pair };
            return self.exchange.sent(self.side, place, sent, to);
        }
        partial.bytes.extend_from_slice(payload);
        if !part.ends() {
            return Ok(());
        }
        let Partial { bytes, missing, .. } = mem::take(partial);
        if missing > 0 {
            let missing = u64::try_from(missing).unwrap_or(u64::MAX);
            let told = self.exchange.is_rpc();
            return if told { to.found(place, Found::Cut(missing)) } else { Ok(()) };
        }
        let sent = Sent { bytes: &bytes, invalidate, pair: self.pair };
        self.exchange.sent(self.side, place, sent, to)
    }

    /// The message that was begun does not go on.
    fn broken(&mut self, place: &Place, to: &mut impl Finder) -> io::Result<()> {
        let Partial { bytes, passed, .. } = mem::take(self.partial);
        let passed = u64::try_from(passed.saturating_add(bytes.len())).unwrap_or(u64::MAX);
        let told = passed > 0 && self.exchange.is_rpc();
        if told { to.found(place, Found::Skipped(passed)) } else { Ok(()) }
    }

    fn write(&mut self, part: Part, target: Option<Target>, payload: &[u8], missing: usize) {
        if part.begins() {
            *self.write = target;
        }
        let Some(Target { address, key, len }) = *self.write else { return };
        let all = payload.len().saturating_add(missing);
        let room = usize::try_from(len).unwrap_or(usize::MAX);
        let bytes = payload.get(..room).unwrap_or(payload);
        self.exchange.written(self.side, key, address, bytes);
        let step = u32::try_from(all).unwrap_or(u32::MAX).min(len);
        *self.write = match address.checked_add(step.into()) {
            Some(address) if !part.ends() => {
                Some(Target { address, key, len: len.saturating_sub(step) })
            }
            _ => None,
        };
    }
}
