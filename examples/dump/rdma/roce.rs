//! RoCEv2: packets of InfiniBand's reliable connections in UDP (InfiniBand architecture, volume 1,
//! chapter 9 and annex A17).

use thiserror::Error;

/// Port of RoCEv2.
pub(crate) const PORT: u16 = 4791;
/// Bits of a packet sequence number.
pub(crate) const PSN_MASK: u32 = 0xff_ffff;
/// Shortest payload of a path, in bytes.
pub(crate) const LEAST_MTU: u32 = 256;
/// Queue pair of the general services: what is sent there are management datagrams.
const GENERAL_SERVICES: u32 = 1;
/// The checksum at the end.
const ICRC: usize = 4;

/// Why a packet cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Malformed {
    #[error("{0} bytes are too few for the headers of a packet")]
    Short(usize),
    #[error("a packet is padded with {pad} bytes, but {len} are behind its headers")]
    Pad { pad: usize, len: usize },
}

/// Which part of a message a packet has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    First,
    Middle,
    Last,
    Only,
}

impl Part {
    pub(crate) const fn begins(self) -> bool {
        matches!(self, Self::First | Self::Only)
    }

    pub(crate) const fn ends(self) -> bool {
        matches!(self, Self::Last | Self::Only)
    }
}

/// Memory that is written or read: the RDMA extended transport header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) address: u64,
    pub(crate) key: u32,
    /// Bytes of the whole message.
    pub(crate) len: u32,
}

/// What a packet does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// SEND; its last packet may invalidate a key.
    Send(Part, Option<u32>),
    /// RDMA WRITE; its first packet says where to.
    Write(Part, Option<Target>),
    ReadRequest(Target),
    ReadResponse(Part),
    /// All packets up to this one were received. Not said by those that refuse a packet.
    Acknowledge {
        positive: bool,
    },
    /// Atomic operations, which have a number too.
    Atomic,
    AtomicAcknowledge,
}

/// A packet of a reliable connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packet<'p> {
    /// Number of the queue pair that it is sent to.
    pub(crate) pair: u32,
    /// Packet sequence number, 24 bits.
    pub(crate) psn: u32,
    pub(crate) operation: Operation,
    pub(crate) payload: &'p [u8],
    /// Bytes of the payload that were not captured.
    pub(crate) missing: usize,
}

/// What is in a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content<'p> {
    Packet(Packet<'p>),
    /// A management datagram.
    Management(&'p [u8]),
    /// Congestion notifications, datagrams of other queue pairs, other kinds of connections.
    Other,
}

/// Reads the payload of a UDP datagram, of which the last `missing` bytes were not captured.
pub(crate) fn read(datagram: &[u8], missing: usize) -> Result<Content<'_>, Malformed> {
    let short = Malformed::Short(datagram.len());
    let Some((transport, rest)) = datagram.split_first_chunk::<12>() else { return Err(short) };
    let [opcode, flags, _, _, _, p0, p1, p2, _, s0, s1, s2] = *transport;
    let pair = u32::from_be_bytes([0, p0, p1, p2]);
    let psn = u32::from_be_bytes([0, s0, s1, s2]);
    let mut body = Body { rest, missing };
    if opcode == 0x64 && pair == GENERAL_SERVICES {
        // Behind the datagram's own header of eight bytes.
        body.words::<2>().ok_or(short)?;
        let (payload, _) = body.payload(flags)?;
        return Ok(Content::Management(payload));
    }
    let (part, kind) = match opcode {
        0x00 => (Part::First, Kind::Send),
        0x01 => (Part::Middle, Kind::Send),
        0x02 => (Part::Last, Kind::Send),
        0x03 => (Part::Last, Kind::SendImmediate),
        0x04 => (Part::Only, Kind::Send),
        0x05 => (Part::Only, Kind::SendImmediate),
        0x06 => (Part::First, Kind::Write),
        0x07 => (Part::Middle, Kind::Write),
        0x08 => (Part::Last, Kind::Write),
        0x09 => (Part::Last, Kind::WriteImmediate),
        0x0a => (Part::Only, Kind::Write),
        0x0b => (Part::Only, Kind::WriteImmediate),
        0x0c => (Part::Only, Kind::ReadRequest),
        0x0d => (Part::First, Kind::ReadResponse),
        0x0e => (Part::Middle, Kind::ReadResponse),
        0x0f => (Part::Last, Kind::ReadResponse),
        0x10 => (Part::Only, Kind::ReadResponse),
        0x11 => (Part::Only, Kind::Acknowledge),
        0x12 => (Part::Only, Kind::AtomicAcknowledge),
        0x13 | 0x14 => (Part::Only, Kind::Atomic),
        0x16 => (Part::Last, Kind::SendInvalidate),
        0x17 => (Part::Only, Kind::SendInvalidate),
        _ => return Ok(Content::Other),
    };
    let operation = body.operation(part, kind).ok_or(short)?;
    let (payload, missing) = body.payload(flags)?;
    Ok(Content::Packet(Packet { pair, psn, operation, payload, missing }))
}

#[derive(Clone, Copy)]
enum Kind {
    Send,
    SendImmediate,
    SendInvalidate,
    Write,
    WriteImmediate,
    ReadRequest,
    ReadResponse,
    Acknowledge,
    Atomic,
    AtomicAcknowledge,
}

/// What follows the base transport header.
struct Body<'p> {
    rest: &'p [u8],
    missing: usize,
}

impl<'p> Body<'p> {
    fn words<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut words = [0; N];
        for word in &mut words {
            let (bytes, rest) = self.rest.split_first_chunk()?;
            *word = u32::from_be_bytes(*bytes);
            self.rest = rest;
        }
        Some(words)
    }

    fn target(&mut self) -> Option<Target> {
        let [high, low, key, len] = self.words()?;
        Some(Target { address: u64::from(high) << 32 | u64::from(low), key, len })
    }

    /// Reads the headers of an operation.
    fn operation(&mut self, part: Part, kind: Kind) -> Option<Operation> {
        Some(match kind {
            Kind::Send => Operation::Send(part, None),
            Kind::SendImmediate => {
                let [_immediate] = self.words()?;
                Operation::Send(part, None)
            }
            Kind::SendInvalidate => {
                let [key] = self.words()?;
                Operation::Send(part, Some(key))
            }
            Kind::Write | Kind::WriteImmediate => {
                let target = if part.begins() { Some(self.target()?) } else { None };
                if matches!(kind, Kind::WriteImmediate) {
                    let [_immediate] = self.words()?;
                }
                Operation::Write(part, target)
            }
            Kind::ReadRequest => Operation::ReadRequest(self.target()?),
            Kind::ReadResponse => {
                // Packets in the middle have no acknowledgment.
                if part != Part::Middle {
                    let [_acknowledgment] = self.words()?;
                }
                Operation::ReadResponse(part)
            }
            Kind::Acknowledge => {
                let [acknowledgment] = self.words()?;
                // The two bits behind the first one: 0 if nothing is wrong.
                Operation::Acknowledge { positive: acknowledgment >> 29 & 3 == 0 }
            }
            Kind::Atomic => {
                let [_, _, _, _, _, _, _] = self.words()?;
                Operation::Atomic
            }
            Kind::AtomicAcknowledge => {
                let [_, _, _] = self.words()?;
                Operation::AtomicAcknowledge
            }
        })
    }

    /// What is left without padding and checksum, and how many bytes of it were not captured.
    fn payload(self, flags: u8) -> Result<(&'p [u8], usize), Malformed> {
        let pad = usize::from(flags >> 4 & 3);
        let all = self.rest.len().saturating_add(self.missing);
        let behind = all.checked_sub(ICRC).ok_or(Malformed::Short(all))?;
        let len = behind.checked_sub(pad).ok_or(Malformed::Pad { pad, len: behind })?;
        let payload = self.rest.get(..len).unwrap_or(self.rest);
        Ok((payload, len.saturating_sub(payload.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(opcode: u8, pad: u8, headers: &[u8], payload: &[u8]) -> Vec<u8> {
        let transport = [opcode, pad << 4, 0xff, 0xff, 0, 0, 0, 17, 0x80, 0xff, 0xff, 0xfe];
        [&transport, headers, payload, &vec![0; pad.into()], &[9; 4]].concat()
    }

    #[test]
    fn headers_stand_before_the_payload_and_pads_behind() {
        let target = Target { address: 0x0102_0304_0506_0708, key: 0x0a0b_0c0d, len: 5 };
        let reth = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 0, 0, 0, 5];
        let both = [&reth[..], &[7; 4]].concat();
        let cases: &[(u8, &[u8], Operation)] = &[
            (0x00, &[], Operation::Send(Part::First, None)),
            (0x03, &[7; 4], Operation::Send(Part::Last, None)),
            (0x05, &[7; 4], Operation::Send(Part::Only, None)),
            (0x16, &[0, 0, 0, 8], Operation::Send(Part::Last, Some(8))),
            (0x17, &[0, 0, 0, 8], Operation::Send(Part::Only, Some(8))),
            (0x06, &reth, Operation::Write(Part::First, Some(target))),
            (0x07, &[], Operation::Write(Part::Middle, None)),
            (0x09, &[7; 4], Operation::Write(Part::Last, None)),
            (0x0a, &reth, Operation::Write(Part::Only, Some(target))),
            (0x0b, &both, Operation::Write(Part::Only, Some(target))),
            (0x0c, &reth, Operation::ReadRequest(target)),
            (0x0d, &[7; 4], Operation::ReadResponse(Part::First)),
            (0x0e, &[], Operation::ReadResponse(Part::Middle)),
            (0x11, &[0x1f, 0, 0, 1], Operation::Acknowledge { positive: true }),
            (0x11, &[0x2c, 0, 0, 1], Operation::Acknowledge { positive: false }),
            (0x11, &[0x60, 0, 0, 1], Operation::Acknowledge { positive: false }),
        ];
        for (opcode, headers, operation) in cases {
            let bytes = packet(*opcode, 3, headers, b"hello");
            let Ok(Content::Packet(whole)) = read(&bytes, 0) else { panic!("{opcode:#x}") };
            assert_eq!((whole.pair, whole.psn, whole.operation), (17, 0xff_fffe, *operation));
            assert_eq!((whole.payload, whole.missing), (&b"hello"[..], 0), "{opcode:#x}");
            // Cut off by the capture: within the padding, the payload, and its headers.
            let len = bytes.len();
            for missing in 1..len {
                match read(&bytes[..len.saturating_sub(missing)], missing) {
                    Ok(Content::Packet(cut)) => {
                        assert_eq!(cut.missing, missing.saturating_sub(7), "{opcode:#x}");
                        assert!(b"hello".starts_with(cut.payload));
                    }
                    other => assert_eq!(other, Err(Malformed::Short(len.saturating_sub(missing)))),
                }
            }
        }
        assert_eq!(read(&packet(0x81, 0, &[], &[0; 16]), 0), Ok(Content::Other));
    }

    #[test]
    fn lengths_that_cannot_be() {
        let bytes = packet(0x04, 0, &[], &[]);
        for len in 0..bytes.len() {
            assert!(matches!(read(&bytes[..len], 0), Err(Malformed::Short(_))), "{len}");
        }
        let mut padded = bytes;
        padded[1] = 0x30;
        assert_eq!(read(&padded, 0), Err(Malformed::Pad { pad: 3, len: 0 }));
    }
}
