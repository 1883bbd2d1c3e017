//! Capture files: pcap and pcapng, packed with gzip or not, from a file or a pipe, packet by packet.

use alloc::sync::Arc;
use core::mem;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use flate2::read::MultiGzDecoder;
use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{Block, LegacyPcapReader, Linktype, PcapBlockOwned, PcapError, PcapNGReader};
use thiserror::Error;

/// Buffer to start with; it grows when a packet does not fit.
const BUFFER: usize = 256 << 10;
/// Longest packet or block that is read.
const MAX_BLOCK: usize = 16 << 20;
/// Longest first block of a pcapng file: it describes the machine and the capturing program.
const MAX_FIRST_BLOCK: u32 = 1 << 20;
/// What a file begins with that gzip has packed (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];
const NANOS: i128 = 1_000_000_000;

/// Why a capture cannot be read to its end. Packets before the fault have been handed out.
#[derive(Debug, Error)]
pub(crate) enum CaptureError {
    #[error("it cannot be read: {0}")]
    Read(io::Error),
    #[error("it is empty: give a pcap or pcapng file, as tcpdump -w and dumpcap write them")]
    Empty,
    #[error(
        "it starts with the bytes {0}, so it is neither pcap nor pcapng: give a file as tcpdump -w and \
         dumpcap write them, as it is or packed with gzip (unpack any other one first)"
    )]
    Format(String),
    #[error("its header is cut off: nothing of the capture is there")]
    Header,
    #[error(
        "what follows packet {after} is damaged ({what}): the packets up to there were read; \
         `editcap` of Wireshark may save more"
    )]
    Damaged { after: u64, what: String },
    /// What the caller's function said.
    #[error("the output cannot be written: {0}")]
    Output(io::Error),
}

/// How the end of a capture was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Behind a packet.
    Clean,
    /// Within a packet, as when a capture is interrupted.
    Cut,
}

/// A packet as it was captured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packet<'c> {
    /// From 1, as Wireshark numbers frames.
    pub(crate) number: u64,
    /// Nanoseconds since 1970, if the capture says.
    pub(crate) time: Option<i64>,
    /// What `data` starts with.
    pub(crate) link: Linktype,
    pub(crate) data: &'c [u8],
}

/// Takes the packets of a capture.
pub(crate) trait Sink {
    /// A packet.
    fn packet(&mut self, packet: Packet<'_>) -> io::Result<()>;
    /// Nothing more is at hand; reading may wait.
    fn idle(&mut self) -> io::Result<()>;
}

/// An interface of a pcapng section.
#[derive(Debug, Clone, Copy)]
struct Interface {
    link: Linktype,
    /// Units of the time stamp in a second, a power of ten or of two.
    resolution: i128,
    /// Seconds to add.
    offset: i64,
}

impl Interface {
    const fn time(self, high: u32, low: u32) -> Option<i64> {
        let units = ((high as i128) << 32) | low as i128;
        let Some(nanos) = units.saturating_mul(NANOS).checked_div(self.resolution) else {
            return None;
        };
        clamp(nanos.saturating_add((self.offset as i128).saturating_mul(NANOS)))
    }
}

/// Nanoseconds, unless they are outside of the years 1677 to 2262.
#[expect(clippy::cast_possible_truncation, reason = "checked")]
const fn clamp(nanos: i128) -> Option<i64> {
    if nanos < i64::MIN as i128 || nanos > i64::MAX as i128 { None } else { Some(nanos as i64) }
}

/// Units in a second of pcapng's `if_tsresol`: a power of ten, or of two if the top bit is set.
fn resolution(tsresol: u8) -> i128 {
    let exponent = u32::from(tsresol & 0x7f);
    let units = if tsresol & 0x80 == 0 {
        10i128.checked_pow(exponent)
    } else {
        2i128.checked_pow(exponent)
    };
    units.unwrap_or(i128::MAX)
}

/// Input that keeps the error that the parser of the format does not hand on.
struct Input<R> {
    inner: R,
    error: Arc<Mutex<Option<io::Error>>>,
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return Err(io::ErrorKind::Other.into());
                }
                Ok(n) => return Ok(n),
            }
        }
    }
}

/// What is unpacked from gzip, whose faults say so.
struct Unpacked<R>(MultiGzDecoder<R>);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            kind @ (io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof) => {
                io::Error::new(kind, format!("what gzip packed is damaged or cut off: {error}"))
            }
            _ => error,
        })
    }
}

/// A capture that is being read.
pub(crate) struct Capture {
    reader: Box<dyn PcapReaderIterator + Send>,
    error: Arc<Mutex<Option<io::Error>>>,
    /// Of the section that is being read. A pcap file has one.
    interfaces: Vec<Interface>,
    packets: u64,
    buffer: usize,
}

impl Capture {
    /// Reads the header.
    pub(crate) fn open(mut input: impl Read + Send + 'static) -> Result<Self, CaptureError> {
        let mut first = Vec::new();
        read_up_to(&mut input, &mut first, GZIP.len())?;
        let packed = first == GZIP;
        let input = io::Cursor::new(first).chain(input);
        if packed {
            return Self::open_unpacked(Unpacked(MultiGzDecoder::new(input)));
        }
        Self::open_unpacked(input)
    }

    fn open_unpacked(mut input: impl Read + Send + 'static) -> Result<Self, CaptureError> {
        // The parser wants the first block at once, and a pipe may bring it in pieces.
        let mut first = Vec::new();
        read_up_to(&mut input, &mut first, 12)?;
        let magic = first.first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
        let pcapng = match magic {
            None if first.is_empty() => return Err(CaptureError::Empty),
            None => return Err(CaptureError::Format(hex::encode(&first))),
            Some(0x0a0d_0d0a) => true,
            Some(0xa1b2_c3d4 | 0xd4c3_b2a1 | 0xa1b2_3c4d | 0x4d3c_b2a1 | 0x34cd_b2a1) => false,
            Some(magic) => return Err(CaptureError::Format(format!("{magic:08x}"))),
        };
        let len = if pcapng { section_header_len(&first)? } else { 24 };
        read_up_to(&mut input, &mut first, len)?;
        if first.len() < len {
            return Err(CaptureError::Header);
        }
        let error = Arc::new(Mutex::new(None));
        let inner = io::Cursor::new(first).chain(input);
        let input = Input { inner, error: Arc::clone(&error) };
        let buffer = BUFFER.max(len.saturating_mul(2));
        let reader: Result<Box<dyn PcapReaderIterator + Send>, _> = if pcapng {
            PcapNGReader::new(buffer, input).map(|reader| Box::new(reader) as _)
        } else {
            LegacyPcapReader::new(buffer, input).map(|reader| Box::new(reader) as _)
        };
        let reader =
            reader.map_err(|fault| CaptureError::Damaged { after: 0, what: said(&fault) })?;
        Ok(Self { reader, error, interfaces: Vec::new(), packets: 0, buffer })
    }

    /// Hands out every packet.
    ///
    /// # Errors
    /// The input cannot be read any more or is damaged, or the sink failed.
    pub(crate) fn read(&mut self, sink: &mut impl Sink) -> Result<End, CaptureError> {
        let mut nanos = false;
        loop {
            let fault = match self.reader.next() {
                Ok((len, block)) => {
                    let packet = match block {
                        PcapBlockOwned::LegacyHeader(header) => {
                            nanos = header.is_nanosecond_precision();
                            let units = if nanos { NANOS } else { NANOS / 1000 };
                            // The upper bits say whether frames end with a checksum, and how long.
                            let link = Linktype(header.network.0 & 0x03ff_ffff);
                            self.interfaces =
                                vec![Interface { link, resolution: units, offset: 0 }];
                            None
                        }
                        PcapBlockOwned::Legacy(frame) => {
                            let units = if nanos { 1 } else { 1000 };
                            let time = i128::from(frame.ts_sec)
                                .saturating_mul(NANOS)
                                .saturating_add(i128::from(frame.ts_usec).saturating_mul(units));
                            let link = self.interfaces.first().map(|it| it.link);
                            link.map(|link| (clamp(time), link, frame.data))
                        }
                        PcapBlockOwned::NG(Block::SectionHeader(_)) => {
                            self.interfaces.clear();
                            None
                        }
                        PcapBlockOwned::NG(Block::InterfaceDescription(it)) => {
                            self.interfaces.push(Interface {
                                link: it.linktype,
                                resolution: resolution(it.if_tsresol),
                                offset: it.if_tsoffset,
                            });
                            None
                        }
                        PcapBlockOwned::NG(Block::EnhancedPacket(ref packet)) => {
                            // One without its interface counts, but says nothing.
                            let at = usize::try_from(packet.if_id).unwrap_or(usize::MAX);
                            let it = self.interfaces.get(at).copied();
                            let link = it.map_or(Linktype(-1), |it| it.link);
                            let time = it.and_then(|it| it.time(packet.ts_high, packet.ts_low));
                            let captured = usize::try_from(packet.caplen).unwrap_or(usize::MAX);
                            Some((time, link, packet.data.get(..captured).unwrap_or(packet.data)))
                        }
                        PcapBlockOwned::NG(Block::SimplePacket(ref packet)) => {
                            let link = self.interfaces.first().map_or(Linktype(-1), |it| it.link);
                            let whole = usize::try_from(packet.orig_len()).unwrap_or(usize::MAX);
                            Some((None, link, packet.data.get(..whole).unwrap_or(packet.data)))
                        }
                        PcapBlockOwned::NG(_) => None,
                    };
                    if let Some((time, link, data)) = packet {
                        self.packets = self.packets.saturating_add(1);
                        let packet = Packet { number: self.packets, time, link, data };
                        sink.packet(packet).map_err(CaptureError::Output)?;
                    }
                    self.reader.consume(len);
                    continue;
                }
                Err(fault) => fault,
            };
            match fault {
                PcapError::Eof => return Ok(End::Clean),
                PcapError::UnexpectedEof => return Ok(End::Cut),
                PcapError::Incomplete(_) => {
                    sink.idle().map_err(CaptureError::Output)?;
                    self.refill()?;
                }
                PcapError::BufferTooSmall => self.grow()?,
                fault => {
                    let what = said(&fault);
                    return Err(CaptureError::Damaged { after: self.packets, what });
                }
            }
        }
    }

    fn refill(&mut self) -> Result<(), CaptureError> {
        if self.reader.refill().is_ok() {
            return Ok(());
        }
        let kept = mem::take(&mut *self.error.lock().unwrap_or_else(PoisonError::into_inner));
        Err(CaptureError::Read(kept.unwrap_or_else(|| io::ErrorKind::Other.into())))
    }

    fn grow(&mut self) -> Result<(), CaptureError> {
        if self.buffer >= MAX_BLOCK {
            let what = format!("a length above {MAX_BLOCK} bytes");
            return Err(CaptureError::Damaged { after: self.packets, what });
        }
        self.buffer = self.buffer.saturating_mul(4).min(MAX_BLOCK);
        self.reader.grow(self.buffer);
        self.refill()
    }

    /// Packets handed out so far.
    pub(crate) const fn packets(&self) -> u64 {
        self.packets
    }
}

/// A fault of the parser in a few words: its own text has the whole rest of the buffer in it.
fn said<T>(fault: &PcapError<T>) -> String {
    match fault {
        PcapError::NomError(_, kind) | PcapError::OwnedNomError(_, kind) => {
            format!("the parser stops at {}", kind.description())
        }
        _ => "its structure does not fit the format".into(),
    }
}

/// Appends bytes until there are `len`, or fewer at the input's end.
fn read_up_to(input: &mut impl Read, to: &mut Vec<u8>, len: usize) -> Result<(), CaptureError> {
    let missing = u64::try_from(len.saturating_sub(to.len())).unwrap_or(u64::MAX);
    input.by_ref().take(missing).read_to_end(to).map(drop).map_err(CaptureError::Read)
}

/// Length of pcapng's first block, from its first twelve bytes.
fn section_header_len(first: &[u8]) -> Result<usize, CaptureError> {
    let (Some(len), Some(order)) = (
        first.get(4..8).and_then(<[u8]>::first_chunk),
        first.get(8..12).and_then(<[u8]>::first_chunk),
    ) else {
        return Err(CaptureError::Header);
    };
    let len = match u32::from_be_bytes(*order) {
        0x1a2b_3c4d => u32::from_be_bytes(*len),
        0x4d3c_2b1a => u32::from_le_bytes(*len),
        _ => return Err(CaptureError::Format(hex::encode(first))),
    };
    if !(28..=MAX_FIRST_BLOCK).contains(&len) {
        let what = format!("the first block claims {len} bytes");
        return Err(CaptureError::Damaged { after: 0, what });
    }
    usize::try_from(len).map_err(|_| CaptureError::Header)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects)]
    use super::*;

    #[derive(Default)]
    struct Packets(Vec<(u64, Option<i64>, i32, Vec<u8>)>);

    impl Sink for Packets {
        fn packet(&mut self, packet: Packet<'_>) -> io::Result<()> {
            self.0.push((packet.number, packet.time, packet.link.0, packet.data.to_vec()));
            Ok(())
        }

        fn idle(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// One byte a read, as a slow pipe.
    struct Trickle(io::Cursor<Vec<u8>>);

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let one = buffer.len().min(1);
            self.0.read(&mut buffer[..one])
        }
    }

    fn all(bytes: &[u8]) -> (Packets, Result<End, CaptureError>) {
        let mut packets = Packets::default();
        let end = Capture::open(Trickle(io::Cursor::new(bytes.to_vec())))
            .and_then(|mut capture| capture.read(&mut packets));
        (packets, end)
    }

    fn pcap(magic: u32) -> Vec<u8> {
        let mut file = Vec::new();
        for word in [magic, 0x0004_0002, 0, 0, 65535, 1, 1000, 7, 3, 60] {
            file.extend(word.to_le_bytes());
        }
        file.extend(*b"abc");
        file
    }

    #[test]
    fn pcap_of_both_precisions_and_byte_orders() {
        for (magic, nanos) in [(0xa1b2_c3d4, 7000), (0xa1b2_3c4d, 7)] {
            let file = pcap(magic);
            let (packets, end) = all(&file);
            assert_eq!(end.unwrap(), End::Clean);
            let time = Some(1_000_000_000_000 + nanos);
            assert_eq!(packets.0, [(1, time, 1, b"abc".to_vec())]);

            let mut swapped = file.clone();
            swapped[..4].reverse();
            swapped[4..6].reverse();
            swapped[6..8].reverse();
            swapped[8..40].chunks_mut(4).for_each(<[u8]>::reverse);
            assert_eq!(all(&swapped).0.0, packets.0);
        }
    }

    #[test]
    fn a_cut_file_gives_what_is_there() {
        let mut file = pcap(0xa1b2_c3d4);
        let packet = file[24..].to_vec();
        file.extend(&packet);
        for len in 0..file.len() {
            let (packets, end) = all(&file[..len]);
            match len {
                0 => assert!(matches!(end, Err(CaptureError::Empty))),
                1..4 => assert!(matches!(end, Err(CaptureError::Format(_)))),
                4..24 => assert!(matches!(end, Err(CaptureError::Header))),
                _ => {
                    assert_eq!(packets.0.len(), (len - 24) / packet.len());
                    let clean = (len - 24) % packet.len() == 0;
                    assert_eq!(end.unwrap(), if clean { End::Clean } else { End::Cut });
                }
            }
        }
    }

    #[test]
    fn a_packed_file_is_read_as_what_is_in_it() {
        let file = pcap(0xa1b2_c3d4);
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        io::Write::write_all(&mut packer, &file).unwrap();
        let packed = packer.finish().unwrap();
        let (packets, end) = all(&packed);
        assert_eq!((packets.0, end.unwrap()), (all(&file).0.0, End::Clean));
        for len in 2..packed.len() {
            let error = all(&packed[..len]).1.unwrap_err().to_string();
            assert!(error.contains("gzip"), "{error}");
        }
    }

    #[test]
    fn a_length_that_cannot_be_is_an_error_and_not_memory() {
        let mut file = pcap(0xa1b2_c3d4);
        file.extend([0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0]);
        file.extend([0; 100]);
        let (packets, end) = all(&file);
        assert_eq!(packets.0.len(), 1);
        let error = end.unwrap_err().to_string();
        assert!(error.starts_with("what follows packet 1 is damaged"), "{error}");
    }

    #[test]
    fn time_stamps_of_pcapng() {
        let interface = |tsresol, offset| Interface {
            link: Linktype::ETHERNET,
            resolution: resolution(tsresol),
            offset,
        };
        assert_eq!(interface(6, 0).time(0, 5), Some(5000));
        assert_eq!(interface(9, 1).time(1, 0), Some((1 << 32) + 1_000_000_000));
        assert_eq!(interface(0x81, 0).time(0, 3), Some(1_500_000_000));
        assert_eq!(interface(0, 0).time(u32::MAX, 0), None);
        assert_eq!(interface(0xff, i64::MIN).time(u32::MAX, 0), None);
    }
}
