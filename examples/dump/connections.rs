//! Connections and datagrams: which bytes belong together, and which of them are messages.

use core::mem;
use core::net::SocketAddr;
use core::num::NonZeroUsize;
use std::io;

use lru::LruCache;
use nfswire_rdma::NFS_PORT;

use crate::link::{Segment, Tcp};
use crate::programs;
use crate::rdma::exchange::Side;
use crate::rdma::heading::Heading;
use crate::rdma::iwarp::{self, Iwarp, Start};
use crate::rdma::manager::Datagram;
use crate::rdma::pairs::Pairs;
use crate::rdma::roce;
use crate::stream::{Item, Records, plausible};
use crate::tcp::{Assembler, Piece};

/// Connections that are followed at a time; the one that was silent longest makes room.
const MAX_CONNECTIONS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4095);
/// Bytes that all connections hold together, at most.
const MAX_HELD: usize = 256 << 20;

/// What carries messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Tcp,
    Udp,
    Roce,
    Iwarp,
}

impl Transport {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
            Self::Roce => "roce",
            Self::Iwarp => "iwarp",
        }
    }
}

/// Where a message was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Number of the frame that completed it; of a message with chunks, its SEND.
    pub(crate) frame: u64,
    /// When that was captured, in nanoseconds since 1970.
    pub(crate) time: Option<i64>,
    pub(crate) src: SocketAddr,
    pub(crate) dst: SocketAddr,
    /// Number of the connection, from 1; 0 where there is none.
    pub(crate) connection: u64,
    pub(crate) transport: Transport,
}

/// What is found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<'m> {
    /// An RPC message.
    Message(&'m [u8]),
    /// An RPC message that was put together from chunks. Zeros stand for so many bytes of them that
    /// were not captured.
    Rebuilt { message: &'m [u8], absent: u64 },
    /// A message of RPC-over-RDMA, of which the RPC message follows or is in chunks.
    Header(&'m Heading<'m>),
    /// A datagram of the connection manager.
    Management(&'m Datagram<'m>),
    /// A frame that an end of an iWARP connection sends first.
    Mpa(&'m Start<'m>),
    /// Bytes of the connection that were sent but not captured.
    Gap(u64),
    /// Bytes that are not part of a whole record.
    Skipped(u64),
    /// A datagram of which so many bytes were not captured.
    Cut(u64),
    /// Packets of an RDMA connection that were sent but not captured.
    Lost(u64),
    /// Bytes of chunks that were not captured, without which their message cannot be read.
    Absent(u64),
    /// A reply returns other chunks than its call offered.
    Returned(String),
    /// A packet or frame of so many bytes that cannot be read, and why.
    Malformed(usize, String),
}

/// Takes what is found.
pub(crate) trait Finder {
    /// Something was found.
    fn found(&mut self, place: &Place, found: Found<'_>) -> io::Result<()>;
}

struct Half {
    assembler: Assembler,
    records: Records,
    /// Nothing came so far.
    fresh: bool,
}

impl Half {
    fn new(max_record: u32, from_start: bool) -> Self {
        let records = Records::new(max_record, from_start);
        Self { assembler: Assembler::default(), records, fresh: true }
    }

    fn held(&self) -> usize {
        self.assembler.held().saturating_add(self.records.held())
    }
}

struct Connection {
    number: u64,
    /// From the lower address to the higher, and back.
    halves: [Half; 2],
    content: Content,
    last: Place,
}

/// What a connection carries.
struct Content {
    /// Bytes that are missing or passed over are worth a word: it is known to carry RPC.
    is_rpc: bool,
    /// It is no stream of records.
    iwarp: Option<Box<Iwarp>>,
    max_record: u32,
}

/// All connections of a capture.
pub(crate) struct Connections {
    table: LruCache<(SocketAddr, SocketAddr), Connection>,
    count: u64,
    held: usize,
    max_record: u32,
    pairs: Pairs,
}

impl Connections {
    /// Records above `max_record` bytes are none.
    pub(crate) fn new(max_record: u32) -> Self {
        let table = LruCache::new(MAX_CONNECTIONS);
        Self { table, count: 0, held: 0, max_record, pairs: Pairs::new(max_record) }
    }

    /// Takes a segment or datagram.
    pub(crate) fn segment(
        &mut self,
        frame: u64,
        time: Option<i64>,
        segment: &Segment<'_>,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let Segment { src, dst, .. } = *segment;
        let transport = if segment.tcp.is_some() { Transport::Tcp } else { Transport::Udp };
        let place = Place { frame, time, src, dst, connection: 0, transport };
        match segment.tcp {
            Some(tcp) => self.tcp(place, &tcp, segment, to),
            None if dst.port() == roce::PORT => {
                self.pairs.datagram(&place, segment, &mut self.count, to)
            }
            None => datagram(&place, segment, to),
        }
    }

    fn tcp(
        &mut self,
        mut place: Place,
        tcp: &Tcp,
        segment: &Segment<'_>,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let forward = segment.src <= segment.dst;
        let key = if forward { (segment.src, segment.dst) } else { (segment.dst, segment.src) };
        if !self.table.contains(&key) {
            if self.table.len() >= MAX_CONNECTIONS.get() {
                self.evict(to)?;
            }
            self.count = self.count.saturating_add(1);
            place.connection = self.count;
            let (number, max) = (self.count, self.max_record);
            let is_rpc = programs::hint(segment.src.port(), segment.dst.port()).is_some();
            let halves = [Half::new(max, false), Half::new(max, false)];
            let content = Content { is_rpc, iwarp: None, max_record: max };
            self.table.put(key, Connection { number, halves, content, last: place });
        }
        let Some(connection) = self.table.get_mut(&key) else { return Ok(()) };
        let before = connection.held();
        if tcp.syn && connection.begin(forward, tcp, self.max_record, to)? {
            self.count = self.count.saturating_add(1);
            connection.number = self.count;
        }
        place.connection = connection.number;
        connection.last = place;
        connection.segment(forward, place, tcp, segment, to)?;
        if tcp.rst {
            connection.end(to)?;
        }
        let after = connection.held();
        self.held = self.held.saturating_sub(before).saturating_add(after);
        while self.held > MAX_HELD && self.table.len() > 1 {
            self.evict(to)?;
        }
        Ok(())
    }

    /// Ends the connection that was silent longest.
    fn evict(&mut self, to: &mut impl Finder) -> io::Result<()> {
        if let Some((_, mut connection)) = self.table.pop_lru() {
            self.held = self.held.saturating_sub(connection.held());
            connection.end(to)?;
        }
        Ok(())
    }

    /// The capture ends: what waits is given out.
    pub(crate) fn end(&mut self, to: &mut impl Finder) -> io::Result<()> {
        while !self.table.is_empty() {
            self.evict(to)?;
        }
        self.pairs.end(to)
    }
}

impl Connection {
    fn held(&self) -> usize {
        let iwarp = self.content.iwarp.as_ref().map_or(0, |iwarp| iwarp.held());
        self.halves.iter().map(Half::held).fold(iwarp, usize::saturating_add)
    }

    /// Sees a SYN; true if it begins another connection between the same ports.
    fn begin(
        &mut self,
        forward: bool,
        tcp: &Tcp,
        max_record: u32,
        to: &mut impl Finder,
    ) -> io::Result<bool> {
        let half = self.half(forward);
        let known = !half.assembler.is_new();
        if known && half.assembler.began_at(tcp.seq) {
            return Ok(false);
        }
        if known {
            self.end(to)?;
            self.content.iwarp = None;
        }
        let again = known && tcp.ack.is_none();
        if again {
            self.halves = [Half::new(max_record, false), Half::new(max_record, false)];
        }
        let assembler = Assembler::from_syn(tcp.seq);
        let half = Half { assembler, ..Half::new(max_record, self.content.is_rpc) };
        *self.half(forward) = half;
        Ok(again)
    }

    const fn half(&mut self, forward: bool) -> &mut Half {
        let [there, back] = &mut self.halves;
        if forward { there } else { back }
    }

    fn segment(
        &mut self,
        forward: bool,
        place: Place,
        tcp: &Tcp,
        segment: &Segment<'_>,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let Self { content, halves: [there, back], .. } = self;
        let side = if forward { Side::A } else { Side::B };
        let (half, other) = if forward { (there, back) } else { (back, there) };
        // What the other side has acknowledged was sent before, also if it is captured after.
        if let Some(ack) = tcp.ack {
            let place = Place { src: place.dst, dst: place.src, ..place };
            let Half { assembler, records, fresh } = other;
            let with_data = !segment.payload.is_empty();
            let mut take = Take { side: side.other(), records, fresh, content };
            assembler.acknowledged(ack, with_data, &mut |piece| take.piece(&place, piece, to))?;
        }
        let Half { assembler, records, fresh } = half;
        let missing = segment.missing;
        let mut take = Take { side, records, fresh, content };
        assembler
            .segment(tcp, segment.payload, missing, &mut |piece| take.piece(&place, piece, to))?;
        if assembler.is_done() { take.finish(&place, to) } else { Ok(()) }
    }

    /// Nothing more will come.
    fn end(&mut self, to: &mut impl Finder) -> io::Result<()> {
        let (low, high) = if self.last.src <= self.last.dst {
            (self.last.src, self.last.dst)
        } else {
            (self.last.dst, self.last.src)
        };
        let ends = [(Side::A, low, high), (Side::B, high, low)];
        for (half, (side, src, dst)) in self.halves.iter_mut().zip(ends) {
            let place = Place { src, dst, ..self.last };
            let Half { assembler, records, fresh } = half;
            let mut take = Take { side, records, fresh, content: &mut self.content };
            assembler.flush(&mut |piece| take.piece(&place, piece, to))?;
            take.finish(&place, to)?;
        }
        self.content.iwarp.as_mut().map_or(Ok(()), |iwarp| iwarp.end(to))
    }
}

/// Takes what comes out of a direction in order.
struct Take<'t> {
    side: Side,
    records: &'t mut Records,
    fresh: &'t mut bool,
    content: &'t mut Content,
}

impl Take<'_> {
    fn piece(&mut self, place: &Place, piece: Piece<'_>, to: &mut impl Finder) -> io::Result<()> {
        let Content { is_rpc, iwarp, max_record } = &mut *self.content;
        if let (true, Piece::Data(bytes)) = (mem::take(self.fresh), &piece)
            && iwarp.is_none()
            && iwarp::begins(bytes)
        {
            let is_rpc = place.dst.port() == NFS_PORT;
            *iwarp = Some(Box::new(Iwarp::new(*max_record, self.side, is_rpc)));
        }
        if let Some(iwarp) = iwarp {
            let place = Place { transport: Transport::Iwarp, ..*place };
            return match piece {
                Piece::Data(bytes) => iwarp.data(self.side, &place, bytes, to),
                Piece::Gap(gap) => iwarp.gap(self.side, &place, gap, to),
            };
        }
        match piece {
            Piece::Data(bytes) => {
                let known = *is_rpc;
                self.records.data(bytes, &mut |item| hand_on(item, known, place, to))?;
                *is_rpc |= self.records.spoke();
                Ok(())
            }
            Piece::Gap(gap) => {
                self.finish(place, to)?;
                let told = self.content.is_rpc && gap > 0;
                if told { to.found(place, Found::Gap(gap)) } else { Ok(()) }
            }
        }
    }

    fn finish(&mut self, place: &Place, to: &mut impl Finder) -> io::Result<()> {
        if let Some(iwarp) = &mut self.content.iwarp {
            let place = Place { transport: Transport::Iwarp, ..*place };
            return iwarp.finish(self.side, &place, to);
        }
        let is_rpc = self.content.is_rpc;
        self.records.gap(&mut |item| hand_on(item, is_rpc, place, to))
    }
}

fn hand_on(item: Item<'_>, is_rpc: bool, place: &Place, to: &mut impl Finder) -> io::Result<()> {
    match item {
        Item::Record(message) => to.found(place, Found::Message(message)),
        Item::Skipped(bytes) if is_rpc => to.found(place, Found::Skipped(bytes)),
        Item::Skipped(_) => Ok(()),
    }
}

/// A datagram is a message if it looks like one: a port is only a hint.
fn datagram(place: &Place, segment: &Segment<'_>, to: &mut impl Finder) -> io::Result<()> {
    let payload = segment.payload;
    let whole = payload.len().saturating_add(segment.missing);
    let len = u32::try_from(whole).unwrap_or(u32::MAX);
    if !plausible(payload, len) {
        let hinted = programs::hint(segment.src.port(), segment.dst.port()).is_some();
        if !hinted || payload.is_empty() {
            return Ok(());
        }
    }
    if segment.missing > 0 {
        let missing = u64::try_from(segment.missing).unwrap_or(u64::MAX);
        return to.found(place, Found::Cut(missing));
    }
    to.found(place, Found::Message(payload))
}
