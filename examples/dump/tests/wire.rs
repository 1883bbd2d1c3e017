//! Writes captures.

use etherparse::PacketBuilder;
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply};
use nfswire_nfs3::procedures::Getattr;
use nfswire_nfs3::{FileHandle, Status};
use nfswire_rpc::{CallHeader, FragmentHeader, OpaqueAuth, ReplyHeader};
use nfswire_xdr::{Encoder, Segments};

const CLIENT: [u8; 4] = [10, 0, 0, 1];
const SERVER: [u8; 4] = [10, 0, 0, 2];

/// A capture in the making: a packet a millisecond.
pub(super) struct Capture {
    bytes: Vec<u8>,
    ng: bool,
    packets: u32,
    /// Of the server.
    pub(super) port: u16,
    /// What each connection's client and server have sent so far, by its number.
    sent: [[u32; 2]; 8],
    /// Connections that began.
    begun: u32,
}

impl Capture {
    fn new(bytes: Vec<u8>, ng: bool) -> Self {
        Self { bytes, ng, packets: 0, port: 2049, sent: [[1; 2]; 8], begun: 0 }
    }

    pub(super) fn pcap() -> Self {
        let words = [0xa1b2_c3d4u32, 0x0002_0004, 0, 0, 65535, 101];
        Self::new(words.iter().flat_map(|word| word.to_be_bytes()).collect(), false)
    }

    pub(super) fn pcapng() -> Self {
        let mut capture = Self::new(Vec::new(), true);
        capture.block(0x0a0d_0d0a, &[0x1a2b_3c4d, 0x0001_0000, u32::MAX, u32::MAX], &[]);
        capture.block(1, &[101 << 16, 65535], &[]);
        capture
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn words(&mut self, words: &[u32]) {
        self.bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    }

    fn block(&mut self, kind: u32, words: &[u32], data: &[u8]) {
        let len = 12 + words.len() as u32 * 4 + (data.len() as u32).next_multiple_of(4);
        self.words(&[kind, len]);
        self.words(words);
        self.bytes.extend(data);
        self.bytes.resize(self.bytes.len() + data.len().next_multiple_of(4) - data.len(), 0);
        self.words(&[len]);
    }

    fn packet(&mut self, packet: &[u8]) {
        self.packets += 1;
        let (len, micros) = (packet.len() as u32, self.packets * 1000);
        if self.ng {
            self.block(6, &[0, 0, micros, len, len], packet);
        } else {
            self.words(&[0, micros, len, len]);
            self.bytes.extend(packet);
        }
    }

    fn tcp(&mut self, connection: usize, to_server: bool, seq: u32, payload: &[u8], syn: bool) {
        let ip = if to_server { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        let client = 700 + connection as u16;
        let ports = if to_server { (client, self.port) } else { (self.port, client) };
        let tcp = PacketBuilder::ipv4(ip.0, ip.1, 64).tcp(ports.0, ports.1, seq, 65535);
        let tcp = match (syn, to_server) {
            (true, true) => tcp.syn(),
            (true, false) => tcp.syn().ack(self.first(connection)),
            _ => tcp.ack(0),
        };
        let mut packet = Vec::new();
        tcp.write(&mut packet, payload).unwrap();
        self.packet(&packet);
    }

    /// Number of the first byte of a connection, near the end of the numbers.
    fn first(&self, connection: usize) -> u32 {
        (u32::MAX - 20).wrapping_add(connection as u32).wrapping_add(self.begun << 8)
    }

    /// Three packets: both SYNs, and an acknowledgment.
    pub(super) fn open(&mut self, connection: usize) {
        let first = self.first(connection);
        self.tcp(connection, true, first.wrapping_sub(1), &[], true);
        self.tcp(connection, false, first.wrapping_sub(1), &[], true);
        self.tcp(connection, true, first, &[], false);
        self.sent[connection] = [0, 0];
    }

    /// The connection is over without a word, and what comes next has other numbers.
    pub(super) fn forget(&mut self, connection: usize) {
        self.sent[connection] = [0, 0];
        self.begun += 1;
    }

    fn next(&mut self, connection: usize, to_server: bool, payload: &[u8]) {
        let sent = self.sent[connection][usize::from(!to_server)];
        let seq = self.first(connection).wrapping_add(sent);
        self.tcp(connection, to_server, seq, payload, false);
        self.sent[connection][usize::from(!to_server)] += payload.len() as u32;
    }

    pub(super) fn client(&mut self, connection: usize, payload: &[u8]) {
        self.next(connection, true, payload);
    }

    pub(super) fn server(&mut self, connection: usize, payload: &[u8]) {
        self.next(connection, false, payload);
    }

    /// Bytes of the client's stream from an offset on.
    pub(super) fn client_at(&mut self, connection: usize, offset: u32, payload: &[u8]) {
        let seq = self.first(connection).wrapping_add(offset);
        self.tcp(connection, true, seq, payload, false);
    }

    /// Bytes of the server's stream from an offset on.
    pub(super) fn server_at(&mut self, connection: usize, offset: u32, payload: &[u8]) {
        let seq = self.first(connection).wrapping_add(offset);
        self.tcp(connection, false, seq, payload, false);
    }

    pub(super) fn datagram(&mut self, to_server: bool, payload: &[u8]) {
        let ports = if to_server { (700, self.port) } else { (self.port, 700) };
        self.udp(to_server, ports, payload);
    }

    pub(super) fn udp(&mut self, to_server: bool, ports: (u16, u16), payload: &[u8]) {
        let ip = if to_server { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        let mut packet = Vec::new();
        let udp = PacketBuilder::ipv4(ip.0, ip.1, 64).udp(ports.0, ports.1);
        udp.write(&mut packet, payload).unwrap();
        self.packet(&packet);
    }
}

/// A message as it is encoded.
pub(super) fn message(put: impl FnOnce(&mut Encoder<'_, 'static>)) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments).copy_break(u32::MAX);
    put(&mut e);
    e.finish();
    segments.view(&head).to_vec().unwrap()
}

/// A call of GETATTR, 48 bytes.
pub(super) fn call(xid: u32) -> Vec<u8> {
    let object = FileHandle::new(b"1234").unwrap();
    message(|e| {
        e.put(&CallHeader::new::<Getattr>(xid, OpaqueAuth::NONE)).unwrap();
        e.put(&GetattrArgs { object }).unwrap();
    })
}

/// A reply to it: the handle is stale.
pub(super) fn reply(xid: u32) -> Vec<u8> {
    message(|e| {
        e.put(&ReplyHeader::success(xid)).unwrap();
        e.put(&GetattrReply::Fail(Status::STALE)).unwrap();
    })
}

/// Bytes without meaning.
pub(super) fn garbage(seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..seed % 60).map(|_| next()).collect()
}

/// A stream of records of one fragment each.
pub(super) fn records(messages: &[Vec<u8>]) -> Vec<u8> {
    let marked = |message: &Vec<u8>| {
        let mark = FragmentHeader::new(true, message.len() as u32).unwrap();
        [&mark.to_bytes()[..], message].concat()
    };
    messages.iter().flat_map(marked).collect()
}
