//! From a captured frame to the TCP segment or UDP datagram in it.

use core::net::{IpAddr, SocketAddr};
use core::num::NonZeroUsize;

use etherparse::defrag::IpDefragBuf;
use etherparse::{
    EtherType, IpFragOffset, IpNumber, Ipv6ExtensionSlice, LaxNetSlice, LaxSlicedPacket, TcpSlice,
    UdpSlice,
};
use lru::LruCache;
use pcap_parser::Linktype;

/// IP packets that are put together at a time, of at most 64 KiB each.
const MAX_FRAGMENTED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);

/// What a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment<'p> {
    pub(crate) src: SocketAddr,
    pub(crate) dst: SocketAddr,
    pub(crate) tcp: Option<Tcp>,
    pub(crate) payload: &'p [u8],
    /// Bytes behind `payload` that were sent but not captured.
    pub(crate) missing: usize,
}

/// What a TCP header says, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tcp {
    pub(crate) seq: u32,
    /// The acknowledgment, if there is one.
    pub(crate) ack: Option<u32>,
    pub(crate) syn: bool,
    pub(crate) fin: bool,
    pub(crate) rst: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct FragmentId {
    src: IpAddr,
    dst: IpAddr,
    protocol: u8,
    identification: u32,
}

/// Takes frames apart. Fragments of IP packets wait in it for each other.
pub(crate) struct Network {
    fragments: LruCache<FragmentId, IpDefragBuf>,
    whole: Vec<u8>,
    /// Frames with a link type that is not known here.
    unknown_links: u64,
    unknown_link: Option<i32>,
}

impl Network {
    pub(crate) fn new() -> Self {
        Self {
            fragments: LruCache::new(MAX_FRAGMENTED),
            whole: Vec::new(),
            unknown_links: 0,
            unknown_link: None,
        }
    }

    /// A link type that cannot be read, and how many frames have such a type.
    pub(crate) const fn unknown(&self) -> Option<(i32, u64)> {
        match self.unknown_link {
            Some(link) => Some((link, self.unknown_links)),
            None => None,
        }
    }

    /// The segment in a frame; `None` for everything else, and for a fragment that has to wait.
    pub(crate) fn segment<'p>(
        &'p mut self,
        link: Linktype,
        frame: &'p [u8],
    ) -> Option<Segment<'p>> {
        let Some(packet) = sliced(link, frame) else {
            if !is_known(link) {
                self.unknown_links = self.unknown_links.saturating_add(1);
                self.unknown_link.get_or_insert(link.0);
            }
            return None;
        };
        let net = packet.net.as_ref()?;
        let ip = Ip::of(net)?;
        let payload = ip.payload;
        let Some((offset, more)) = ip.fragment else {
            return transport(&ip, payload, ip.missing);
        };
        if ip.missing > 0 {
            return None;
        }
        let id = FragmentId {
            src: ip.src,
            dst: ip.dst,
            protocol: ip.protocol.0,
            identification: ip.identification,
        };
        let buffer = self.fragments.get_or_insert_mut(FragmentId { ..id }, || {
            IpDefragBuf::new(ip.protocol, Vec::new(), Vec::new())
        });
        if buffer.add(offset, more, payload).is_err() {
            self.fragments.pop(&id);
            return None;
        }
        if !buffer.is_complete() {
            return None;
        }
        self.whole = self.fragments.pop(&id)?.take_bufs().0;
        transport(&ip, &self.whole, 0)
    }
}

/// Whether frames of this type are taken apart.
const fn is_known(link: Linktype) -> bool {
    matches!(link.0, 0 | 1 | 12 | 14 | 101 | 108 | 113 | 228 | 229 | 276)
}

fn sliced(link: Linktype, frame: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    // A header whose last or first two bytes are the type of what follows.
    let cooked = |len: usize, at: usize| {
        let protocol = frame.get(at..)?.first_chunk()?;
        let protocol = EtherType(u16::from_be_bytes(*protocol));
        Some(LaxSlicedPacket::from_ether_type(protocol, frame.get(len..)?))
    };
    match link.0 {
        1 => LaxSlicedPacket::from_ethernet(frame).ok(),
        // The address family is in the byte order of whoever captured; the IP version says the same.
        0 | 108 => LaxSlicedPacket::from_ip(frame.get(4..)?).ok(),
        12 | 14 | 101 | 228 | 229 => LaxSlicedPacket::from_ip(frame).ok(),
        113 => cooked(16, 14),
        276 => cooked(20, 0),
        _ => None,
    }
}

/// What is needed of either version of IP.
struct Ip<'p> {
    src: IpAddr,
    dst: IpAddr,
    protocol: IpNumber,
    payload: &'p [u8],
    /// Bytes of the packet that were not captured.
    missing: usize,
    identification: u32,
    /// Offset, and whether more follow, if the packet is a fragment.
    fragment: Option<(IpFragOffset, bool)>,
}

impl<'p> Ip<'p> {
    fn of(net: &LaxNetSlice<'p>) -> Option<Self> {
        let payload = net.ip_payload_ref()?;
        let (src, dst, identification, fragment, announced);
        match net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                (src, dst) = (header.source_addr().into(), header.destination_addr().into());
                identification = u32::from(header.identification());
                fragment = header
                    .is_fragmenting_payload()
                    .then(|| (header.fragments_offset(), header.more_fragments()));
                announced = usize::from(header.total_len()).saturating_sub(header.slice().len());
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                (src, dst) = (header.source_addr().into(), header.destination_addr().into());
                let extension = ip.extensions().clone().into_iter().find_map(|it| match it {
                    Ipv6ExtensionSlice::Fragment(it) if it.is_fragmenting_payload() => Some(it),
                    _ => None,
                });
                identification = extension.as_ref().map_or(0, |it| it.identification());
                fragment = extension.map(|it| (it.fragment_offset(), it.more_fragments()));
                announced = usize::from(header.payload_length())
                    .saturating_sub(ip.extensions().slice().len());
            }
            _ => return None,
        }
        let missing =
            if payload.incomplete { announced.saturating_sub(payload.payload.len()) } else { 0 };
        let (protocol, payload) = (payload.ip_number, payload.payload);
        Some(Self { src, dst, protocol, payload, missing, identification, fragment })
    }
}

fn transport<'p>(ip: &Ip<'_>, packet: &'p [u8], missing: usize) -> Option<Segment<'p>> {
    let segment = |ports: (u16, u16), tcp, payload, missing| Segment {
        src: SocketAddr::new(ip.src, ports.0),
        dst: SocketAddr::new(ip.dst, ports.1),
        tcp,
        payload,
        missing,
    };
    match ip.protocol {
        IpNumber::TCP => {
            let tcp = TcpSlice::from_slice(packet).ok()?;
            let header = Tcp {
                seq: tcp.sequence_number(),
                ack: tcp.ack().then(|| tcp.acknowledgment_number()),
                syn: tcp.syn(),
                fin: tcp.fin(),
                rst: tcp.rst(),
            };
            let ports = (tcp.source_port(), tcp.destination_port());
            Some(segment(ports, Some(header), tcp.payload(), missing))
        }
        IpNumber::UDP => {
            let udp = UdpSlice::from_slice_lax(packet).ok()?;
            // Length 0 means that the datagram is as long as its packet.
            let announced = usize::from(udp.length()).saturating_sub(udp.header_slice().len());
            let missing = announced.saturating_sub(udp.payload().len()).max(missing);
            let ports = (udp.source_port(), udp.destination_port());
            Some(segment(ports, None, udp.payload(), missing))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects)]
    use etherparse::{IpFragOffset, Ipv4Header, PacketBuilder};

    use super::*;

    const A: [u8; 4] = [10, 0, 0, 1];
    const B: [u8; 4] = [10, 0, 0, 2];

    fn ip(payload: &[u8]) -> Vec<u8> {
        let mut packet = Vec::new();
        PacketBuilder::ipv4(A, B, 64)
            .tcp(700, 2049, 5, 1000)
            .ack(9)
            .write(&mut packet, payload)
            .unwrap();
        packet
    }

    #[track_caller]
    fn check(link: i32, frame: &[u8], payload: &[u8], missing: usize) {
        let mut network = Network::new();
        let segment = network.segment(Linktype(link), frame).expect("a segment");
        assert_eq!((segment.src.port(), segment.dst.port()), (700, 2049));
        let tcp = segment.tcp.expect("TCP");
        assert_eq!((tcp.seq, tcp.ack, tcp.syn), (5, Some(9), false));
        assert_eq!((segment.payload, segment.missing), (payload, missing));
    }

    #[test]
    fn link_types() {
        let ip = ip(b"hello");
        let with = |header: &[u8]| [header, &ip].concat();
        let mut ethernet = [0; 14];
        ethernet[12] = 8;
        check(1, &with(&ethernet), b"hello", 0);
        // What pads a short frame is no payload.
        check(1, &[with(&ethernet), vec![0; 9]].concat(), b"hello", 0);
        let vlan = [&ethernet[..12], &[0x81, 0, 0, 7, 0x88, 0xa8, 0, 8, 8, 0]].concat();
        check(1, &with(&vlan), b"hello", 0);
        let mut cooked = [0; 16];
        cooked[14] = 8;
        check(113, &with(&cooked), b"hello", 0);
        let mut cooked2 = [0; 20];
        cooked2[0] = 8;
        check(276, &with(&cooked2), b"hello", 0);
        check(101, &ip, b"hello", 0);
        check(0, &with(&[2, 0, 0, 0]), b"hello", 0);
        check(108, &with(&[0, 0, 0, 2]), b"hello", 0);
        // Cut by the capture's snapshot length.
        check(101, &ip[..ip.len() - 2], b"hel", 2);

        let mut network = Network::new();
        assert_eq!(network.segment(Linktype(105), &ip), None);
        assert_eq!(network.unknown(), Some((105, 1)));
    }

    #[test]
    fn ipv6() {
        let mut packet = Vec::new();
        PacketBuilder::ipv6([1; 16], [2; 16], 64)
            .tcp(700, 2049, 5, 1000)
            .ack(9)
            .write(&mut packet, b"hi")
            .unwrap();
        check(101, &packet, b"hi", 0);
    }

    #[test]
    fn a_datagram_in_fragments() {
        let mut datagram = Vec::new();
        let payload: Vec<u8> = (0..3000u32).map(|i| i.to_le_bytes()[0]).collect();
        PacketBuilder::ipv4(A, B, 64).udp(700, 2049).write(&mut datagram, &payload).unwrap();
        let datagram = &datagram[20..];
        let fragment = |range: core::ops::Range<usize>| {
            let part = &datagram[range.clone()];
            let mut header =
                Ipv4Header::new(part.len().try_into().unwrap(), 64, IpNumber::UDP, A, B).unwrap();
            header.identification = 77;
            header.dont_fragment = false;
            header.more_fragments = range.end < datagram.len();
            let offset = u16::try_from(range.start / 8).unwrap();
            header.fragment_offset = IpFragOffset::try_new(offset).unwrap();
            header.header_checksum = header.calc_header_checksum();
            [&header.to_bytes()[..], part].concat()
        };
        let mut network = Network::new();
        let raw = Linktype(101);
        assert_eq!(network.segment(raw, &fragment(1600..3008)), None);
        assert_eq!(network.segment(raw, &fragment(0..800)), None);
        let last = fragment(800..1600);
        let segment = network.segment(raw, &last).expect("complete");
        assert_eq!((segment.payload, segment.missing, segment.tcp), (&payload[..], 0, None));
    }
}
