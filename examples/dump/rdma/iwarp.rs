//! iWARP: messages and memory accesses in a TCP stream, framed by MPA (RFC 5044), placed by DDP (RFC
//! 5041), with the operations of RDMAP (RFC 5040).

use alloc::collections::VecDeque;
use core::mem;
use std::io;

use nfswire_rdma::cm::PrivateData;
use thiserror::Error;

use super::exchange::{Exchange, Sent, Side};
use crate::connections::{Finder, Found, Place};

/// What the frames begin with that both ends send first.
const REQUEST: &[u8; 16] = b"MPA ID Req Frame";
const REPLY: &[u8; 16] = b"MPA ID Rep Frame";
/// Length of such a frame without its private data.
const FRAME: usize = 20;
/// Most private data (RFC 5044, section 7.1.1).
const MAX_PRIVATE_DATA: usize = 512;
/// Markers are this far apart, and this long (RFC 5044, section 4.3).
const SPACING: u64 = 512;
const MARKER: u64 = 4;
/// Headers of untagged and tagged segments (RFC 5041, section 4).
const UNTAGGED: usize = 18;
const TAGGED: usize = 14;
/// Reads whose responses are waited for, at most.
const MAX_READS: usize = 512;

/// A frame that an end sends first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start<'p> {
    pub(crate) request: bool,
    /// The other end is to send markers.
    pub(crate) markers: bool,
    pub(crate) checksums: bool,
    pub(crate) rejected: bool,
    pub(crate) revision: u8,
    pub(crate) private_data: &'p [u8],
}

impl<'p> Start<'p> {
    /// Reads the frame at the front of a stream. `Ok(None)` if more of it must come first, `Err` if
    /// it is none.
    fn read(stream: &'p [u8]) -> Result<Option<(Self, usize)>, ()> {
        let key = stream.get(..REQUEST.len()).unwrap_or(stream);
        if !REQUEST.starts_with(key) && !REPLY.starts_with(key) {
            return Err(());
        }
        let Some([flags, revision, high, low]) =
            stream.get(REQUEST.len()..).and_then(<[u8]>::first_chunk).copied()
        else {
            return Ok(None);
        };
        let len = usize::from(u16::from_be_bytes([high, low]));
        if len > MAX_PRIVATE_DATA {
            return Err(());
        }
        let end = FRAME.saturating_add(len);
        let Some(private_data) = stream.get(FRAME..end) else { return Ok(None) };
        let start = Self {
            request: key == REQUEST,
            markers: flags & 0x80 != 0,
            checksums: flags & 0x40 != 0,
            rejected: flags & 0x20 != 0,
            revision,
            private_data,
        };
        Ok(Some((start, end)))
    }

    /// What RPC-over-RDMA says in the private data.
    pub(crate) fn says(&self) -> Option<PrivateData> {
        PrivateData::find(self.private_data)
    }
}

/// Whether a stream begins as one of iWARP's does, on the side that connects. Its first word cannot be
/// the mark of a record: that would be of more than a gigabyte.
pub(crate) fn begins(stream: &[u8]) -> bool {
    let key = stream.get(..REQUEST.len()).unwrap_or(stream);
    key.len() >= 4 && REQUEST.starts_with(key)
}

/// Why a stream cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Malformed {
    #[error("a segment of {0} bytes is too short for its headers")]
    Short(usize),
    #[error("the versions of a segment are not 1, or its operation is unknown")]
    Control,
    #[error("the stream does not begin with a frame of MPA")]
    Start,
}

/// A segment of DDP, with its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment<'p> {
    Untagged { operation: u8, key: u32, queue: u32, last: bool, offset: u32, payload: &'p [u8] },
    Tagged { operation: u8, last: bool, key: u32, address: u64, payload: &'p [u8] },
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl<'p> Segment<'p> {
    fn read(bytes: &'p [u8]) -> Result<Self, Malformed> {
        let short = Malformed::Short(bytes.len());
        let [placement, control] = *bytes.first_chunk().ok_or(short)?;
        let operation = control & 0x0f;
        let (tagged, last) = (placement & 0x80 != 0, placement & 0x40 != 0);
        // RDMA WRITE and READ responses are tagged, everything else is not.
        if placement & 3 != 1
            || control >> 6 != 1
            || operation > 7
            || tagged != matches!(operation, 0 | 2)
        {
            return Err(Malformed::Control);
        }
        if tagged {
            let (key, address) = word(bytes, 2).zip(long(bytes, 6)).ok_or(short)?;
            let payload = bytes.get(TAGGED..).ok_or(short)?;
            return Ok(Self::Tagged { operation, last, key, address, payload });
        }
        let payload = bytes.get(UNTAGGED..).ok_or(short)?;
        let number = |at| word(bytes, at).ok_or(short);
        let (key, queue, offset) = (number(2)?, number(6)?, number(14)?);
        Ok(Self::Untagged { operation, key, queue, last, offset, payload })
    }
}

/// An RDMA READ: memory of the end that asks, and of the one that is read.
#[derive(Debug, Clone, Copy)]
struct Read {
    sink: (u32, u64),
    source: (u32, u64),
    len: u32,
}

impl Read {
    fn of(payload: &[u8]) -> Option<Self> {
        Some(Self {
            sink: (word(payload, 0)?, long(payload, 4)?),
            len: word(payload, 12)?,
            source: (word(payload, 16)?, long(payload, 20)?),
        })
    }

    /// Where the bytes are from that are put to an address.
    fn source_of(&self, key: u32, address: u64, len: usize) -> Option<u64> {
        let offset = address.checked_sub(self.sink.1)?;
        let end = offset.checked_add(u64::try_from(len).ok()?)?;
        let fits = key == self.sink.0 && end <= u64::from(self.len);
        if fits { self.source.1.checked_add(offset) } else { None }
    }
}

/// Where a direction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before its first frame is complete.
    Starting,
    /// Framed, and in step.
    Framed,
    /// Bytes are missing: frames begin again where a segment of TCP does.
    Lost,
    /// Something else than iWARP.
    Foreign,
}

#[derive(Debug)]
struct Half {
    state: State,
    /// The end that sends this wants markers in what it receives.
    wants_markers: bool,
    /// Bytes of the framed stream so far, markers included.
    offset: u64,
    /// Bytes that are not a whole frame yet, without markers.
    buffer: Vec<u8>,
    /// The message that is being sent.
    message: Vec<u8>,
    /// All of it was seen so far.
    whole: bool,
    /// Bytes that were passed over.
    passed: u64,
    /// What this end asked to read.
    reads: VecDeque<Read>,
}

impl Half {
    const fn new() -> Self {
        Self {
            state: State::Starting,
            wants_markers: false,
            offset: 0,
            buffer: Vec::new(),
            message: Vec::new(),
            whole: true,
            passed: 0,
            reads: VecDeque::new(),
        }
    }

    fn held(&self) -> usize {
        self.buffer.capacity().saturating_add(self.message.capacity())
    }
}

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Iwarp {
    exchange: Exchange,
    halves: [Half; 2],
    max: usize,
}

impl Iwarp {
    /// A connection that the `client` has begun.
    pub(crate) fn new(max_message: u32, client: Side, is_rpc: bool) -> Self {
        Self {
            exchange: Exchange::new(max_message, Some(client), is_rpc),
            halves: [Half::new(), Half::new()],
            max: usize::try_from(max_message).unwrap_or(usize::MAX),
        }
    }

    /// Bytes of memory in use.
    pub(crate) fn held(&self) -> usize {
        self.halves.iter().map(Half::held).fold(self.exchange.held(), usize::saturating_add)
    }

    /// The next bytes that an end sends.
    pub(crate) fn data(
        &mut self,
        side: Side,
        place: &Place,
        bytes: &[u8],
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let half = side.of(&mut self.halves);
        match half.state {
            State::Foreign => Ok(()),
            State::Starting => {
                half.buffer.extend_from_slice(bytes);
                self.start(side, place, to)
            }
            State::Framed | State::Lost => self.framed(side, place, bytes, to),
        }
    }

    fn start(&mut self, side: Side, place: &Place, to: &mut impl Finder) -> io::Result<()> {
        let half = side.of(&mut self.halves);
        let (start, end) = match Start::read(&half.buffer) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(()),
            Err(()) => {
                half.state = State::Foreign;
                let len = mem::take(&mut half.buffer).len();
                return self.malformed(place, len, Malformed::Start, to);
            }
        };
        to.found(place, Found::Mpa(&start))?;
        half.wants_markers = start.markers;
        half.state = if start.rejected { State::Foreign } else { State::Framed };
        let mut behind = mem::take(&mut half.buffer);
        behind.drain(..end.min(behind.len()));
        self.data(side, place, &behind, to)
    }

    /// Takes bytes of the framed stream.
    fn framed(
        &mut self,
        side: Side,
        place: &Place,
        bytes: &[u8],
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let markers = side.other().of(&mut self.halves).wants_markers;
        let half = side.of(&mut self.halves);
        let start = half.buffer.len();
        let mut rest = bytes;
        while !rest.is_empty() {
            let phase = if markers { half.offset % SPACING } else { MARKER };
            let (until, keep) = if phase < MARKER { (MARKER, false) } else { (SPACING, true) };
            let len = if markers { until.saturating_sub(phase) } else { u64::MAX };
            let len = usize::try_from(len).unwrap_or(usize::MAX).min(rest.len());
            let (part, behind) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            if keep {
                half.buffer.extend_from_slice(part);
            }
            half.offset = half.offset.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
            rest = behind;
        }
        if half.state == State::Lost {
            // Senders begin a frame with a segment of TCP, if they can.
            let fresh = half.buffer.get(start..).unwrap_or_default();
            let seems_right = fresh.get(2..).is_some_and(|segment| Segment::read(segment).is_ok());
            if !seems_right {
                half.passed = half.passed.saturating_add(u64::try_from(bytes.len()).unwrap_or(0));
                half.buffer.clear();
                return Ok(());
            }
            half.buffer.drain(..start);
            half.state = State::Framed;
            self.told_passed(side, place, to)?;
        }
        self.frames(side, place, to)
    }

    /// Takes whole frames out of the buffer.
    fn frames(&mut self, side: Side, place: &Place, to: &mut impl Finder) -> io::Result<()> {
        let mut buffer = mem::take(&mut side.of(&mut self.halves).buffer);
        let mut at = 0usize;
        let mut end = Ok(());
        while let Some(frame) = buffer.get(at..) {
            let Some(len) = frame.first_chunk().map(|len| u16::from_be_bytes(*len)) else { break };
            let len = usize::from(len);
            // The length, padding, and a checksum.
            let all = len.saturating_add(2).next_multiple_of(4).saturating_add(4);
            let (Some(segment), true) = (frame.get(2..len.saturating_add(2)), frame.len() >= all)
            else {
                break;
            };
            match Segment::read(segment) {
                Ok(segment) => end = self.segment(side, place, segment, to),
                Err(fault) => {
                    let half = side.of(&mut self.halves);
                    half.state = State::Lost;
                    (half.whole, at) = (false, buffer.len());
                    end = self.malformed(place, segment.len(), fault, to);
                    break;
                }
            }
            at = at.saturating_add(all);
            if end.is_err() {
                break;
            }
        }
        buffer.drain(..at.min(buffer.len()));
        side.of(&mut self.halves).buffer = buffer;
        end
    }

    fn malformed(
        &self,
        place: &Place,
        len: usize,
        fault: Malformed,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let told = self.exchange.is_rpc();
        if told { to.found(place, Found::Malformed(len, fault.to_string())) } else { Ok(()) }
    }

    fn told_passed(&mut self, side: Side, place: &Place, to: &mut impl Finder) -> io::Result<()> {
        let passed = mem::take(&mut side.of(&mut self.halves).passed);
        let told = passed > 0 && self.exchange.is_rpc();
        if told { to.found(place, Found::Skipped(passed)) } else { Ok(()) }
    }

    fn segment(
        &mut self,
        side: Side,
        place: &Place,
        segment: Segment<'_>,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        match segment {
            Segment::Untagged {
                operation: operation @ 3..=6,
                key,
                queue: 0,
                last,
                offset,
                payload,
            } => {
                let half = side.of(&mut self.halves);
                if offset == 0 {
                    half.message.clear();
                    half.whole = true;
                }
                let len = half.message.len();
                let fits = u32::try_from(len) == Ok(offset)
                    && len.saturating_add(payload.len()) <= self.max;
                half.whole &= fits;
                if half.whole {
                    half.message.extend_from_slice(payload);
                } else {
                    let lost = half.message.len().saturating_add(payload.len());
                    half.message = Vec::new();
                    half.passed = half.passed.saturating_add(u64::try_from(lost).unwrap_or(0));
                }
                if !last {
                    return Ok(());
                }
                if !mem::replace(&mut half.whole, true) {
                    return self.told_passed(side, place, to);
                }
                let bytes = mem::take(&mut half.message);
                let invalidate = matches!(operation, 4 | 6).then_some(key);
                self.exchange.sent(side, place, Sent { bytes: &bytes, invalidate, pair: None }, to)
            }
            Segment::Untagged { operation: 1, queue: 1, payload, .. } => {
                let reads = &mut side.of(&mut self.halves).reads;
                if let Some(read) = Read::of(payload) {
                    if reads.len() >= MAX_READS {
                        reads.pop_front();
                    }
                    reads.push_back(read);
                }
                Ok(())
            }
            // RDMAP ends the connection, or what no peer sends.
            Segment::Untagged { .. } => Ok(()),
            Segment::Tagged { operation: 0, key, address, payload, .. } => {
                self.exchange.written(side, key, address, payload);
                Ok(())
            }
            Segment::Tagged { last, key, address, payload, .. } => {
                let reads = &mut side.other().of(&mut self.halves).reads;
                let source = |read: &Read| read.source_of(key, address, payload.len());
                let found =
                    reads.iter().enumerate().find_map(|(i, it)| Some((i, *it, source(it)?)));
                let Some((i, Read { source: (key, _), .. }, address)) = found else {
                    return Ok(());
                };
                if last {
                    reads.remove(i);
                }
                self.exchange.read(side, key, address, payload);
                if last { self.exchange.read_done(side, key, to) } else { Ok(()) }
            }
        }
    }

    /// So many bytes of an end's stream were not captured.
    pub(crate) fn gap(
        &mut self,
        side: Side,
        place: &Place,
        gap: u64,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        let half = side.of(&mut self.halves);
        let lost = half.buffer.len().saturating_add(half.message.len());
        half.buffer.clear();
        half.message = Vec::new();
        half.whole = false;
        half.passed = half.passed.saturating_add(u64::try_from(lost).unwrap_or(0));
        half.offset = half.offset.saturating_add(gap);
        half.state = match half.state {
            State::Framed | State::Lost => State::Lost,
            State::Starting | State::Foreign => State::Foreign,
        };
        self.told_passed(side, place, to)?;
        let told = self.exchange.is_rpc() && gap > 0;
        if told { to.found(place, Found::Gap(gap)) } else { Ok(()) }
    }

    /// An end sends no more.
    pub(crate) fn finish(
        &mut self,
        side: Side,
        place: &Place,
        to: &mut impl Finder,
    ) -> io::Result<()> {
        self.gap(side, place, 0, to)
    }

    /// Nothing more will come.
    pub(crate) fn end(&mut self, to: &mut impl Finder) -> io::Result<()> {
        self.exchange.end(to)
    }
}
