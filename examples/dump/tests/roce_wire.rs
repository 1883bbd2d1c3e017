//! Writes captures of RPC-over-RDMA on RoCEv2, word by word.

use super::wire::Capture;

pub(super) const MTU: usize = 1024;
const PORT: u16 = 4791;
/// Queue pairs of the client and the server.
const PAIRS: [u32; 2] = [0x11, 0xabcdef];

pub(super) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

pub(super) fn opaque(bytes: &[u8]) -> Vec<u8> {
    [words(&[bytes.len() as u32]), padded(bytes)].concat()
}

pub(super) fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Memory: key, length, address.
pub(super) type Memory = (u32, usize, u64);

fn memory((key, len, address): Memory) -> Vec<u8> {
    words(&[key, len as u32, (address >> 32) as u32, address as u32])
}

/// A transport header.
pub(super) fn header(
    xid: u32,
    procedure: u32,
    reads: &[(u32, Memory)],
    writes: &[&[Memory]],
    reply: Option<&[Memory]>,
) -> Vec<u8> {
    let mut bytes = words(&[xid, 1, 32, procedure]);
    for (position, it) in reads {
        bytes.extend(words(&[1, *position]));
        bytes.extend(memory(*it));
    }
    let chunk = |segments: &[Memory]| {
        let segments: Vec<u8> = segments.iter().flat_map(|it| memory(*it)).collect();
        [words(&[1, (segments.len() / 16) as u32]), segments].concat()
    };
    bytes.extend(words(&[0]));
    writes.iter().for_each(|it| bytes.extend(chunk(it)));
    bytes.extend(words(&[0]));
    bytes.extend(reply.map_or_else(|| words(&[0]), chunk));
    bytes
}

/// A connection of a client with a server.
pub(super) struct Roce {
    pub(super) wire: Capture,
    /// Next number of each end.
    pub(super) psn: [u32; 2],
    /// Frames so far.
    pub(super) frames: u64,
}

impl Roce {
    pub(super) fn new(psn: [u32; 2]) -> Self {
        Self { wire: Capture::pcap(), psn, frames: 0 }
    }

    pub(super) fn udp(&mut self, client: bool, payload: &[u8]) {
        self.frames += 1;
        self.wire.udp(client, (49_152 + u16::from(client), PORT), payload);
    }

    /// A packet of an end.
    pub(super) fn raw(&mut self, client: bool, opcode: u8, psn: u32, headers: &[u8], body: &[u8]) {
        let pad = body.len().next_multiple_of(4) - body.len();
        let pair = PAIRS[usize::from(client)];
        let transport =
            words(&[u32::from(opcode) << 24 | (pad as u32) << 20 | 0xffff, pair, psn & 0xff_ffff]);
        self.udp(client, &[&transport, headers, &padded(body), &[0xcc; 4]].concat());
    }

    /// The next number of an end.
    pub(super) fn take(&mut self, client: bool, count: usize) -> u32 {
        let psn = &mut self.psn[usize::from(!client)];
        let first = *psn;
        *psn += count as u32;
        first
    }

    /// A datagram of the connection manager.
    fn manage(&mut self, client: bool, attribute: u32, message: &[u8]) {
        let mut mad = words(&[0x0107_0203, 0, 0, 7, attribute << 16, 0]);
        mad.extend(message);
        mad.resize(256, 0);
        let transport = words(&[0x6400_ffff, 1, 1]);
        self.udp(client, &[transport, words(&[0x8001_0000, 1]), mad, vec![0xcc; 4]].concat());
    }

    /// Both ends connect; each says which number the other one begins with.
    pub(super) fn connect(&mut self) {
        let [client, server] = self.psn;
        let mut request = vec![0; 140];
        request[..4].copy_from_slice(&words(&[7]));
        request[8..16].copy_from_slice(&words(&[0, 0x0106_4e51]));
        request[32..36].copy_from_slice(&words(&[PAIRS[0] << 8]));
        request[44..48].copy_from_slice(&words(&[server << 8]));
        request[50] = 3 << 4;
        request.extend([0, 0x40, 0x03, 0xe8]);
        request.extend([0; 32]);
        request.extend([0xf6, 0xab, 0x0e, 0x18, 1, 1, 3, 7]);
        self.manage(true, 0x10, &request);
        let mut reply = vec![0; 36];
        reply[..8].copy_from_slice(&words(&[9, 7]));
        reply[12..16].copy_from_slice(&words(&[PAIRS[1] << 8]));
        reply[20..24].copy_from_slice(&words(&[client << 8]));
        reply.extend([0xf6, 0xab, 0x0e, 0x18, 1, 0, 3, 3]);
        self.manage(false, 0x13, &reply);
        self.manage(true, 0x14, &words(&[7, 9]));
    }

    pub(super) fn disconnect(&mut self) {
        self.manage(true, 0x15, &words(&[7, 9, PAIRS[1] << 8]));
        self.manage(false, 0x16, &words(&[9, 7]));
    }

    fn packets(&mut self, client: bool, codes: [u8; 4], first: &[u8], last: &[u8], bytes: &[u8]) {
        let parts: Vec<&[u8]> =
            if bytes.is_empty() { vec![bytes] } else { bytes.chunks(MTU).collect() };
        let psn = self.take(client, parts.len());
        for (i, part) in parts.iter().enumerate() {
            let (begins, ends) = (i == 0, i + 1 == parts.len());
            let [only, start, middle, end] = codes;
            let opcode = match (begins, ends) {
                (true, true) => only,
                (true, false) => start,
                (false, false) => middle,
                (false, true) => end,
            };
            let headers =
                [if begins { first } else { &[] }, if ends { last } else { &[] }].concat();
            self.raw(client, opcode, psn + i as u32, &headers, part);
        }
    }

    pub(super) fn send(&mut self, client: bool, message: &[u8]) {
        self.packets(client, [0x04, 0x00, 0x01, 0x02], &[], &[], message);
    }

    pub(super) fn send_invalidate(&mut self, client: bool, key: u32, message: &[u8]) {
        self.packets(client, [0x17, 0x00, 0x01, 0x16], &[], &words(&[key]), message);
    }

    /// RDMA WRITE to the other end.
    pub(super) fn write(&mut self, client: bool, key: u32, address: u64, bytes: &[u8]) {
        let (key, low) = (words(&[key, bytes.len() as u32]), words(&[address as u32]));
        let target = [words(&[(address >> 32) as u32]), low, key].concat();
        self.packets(client, [0x0a, 0x06, 0x07, 0x08], &target, &[], bytes);
    }

    /// RDMA READ of the other end's memory, and its responses.
    pub(super) fn read(&mut self, client: bool, key: u32, address: u64, bytes: &[u8]) {
        let psn = self.read_request(client, key, address, bytes.len());
        self.read_response(!client, psn, bytes);
    }

    pub(super) fn read_request(&mut self, client: bool, key: u32, address: u64, len: usize) -> u32 {
        let psn = self.take(client, len.div_ceil(MTU).max(1));
        let target = words(&[(address >> 32) as u32, address as u32, key, len as u32]);
        self.raw(client, 0x0c, psn, &target, &[]);
        psn
    }

    pub(super) fn read_response(&mut self, client: bool, psn: u32, bytes: &[u8]) {
        let last = bytes.len().div_ceil(MTU).max(1) - 1;
        for (i, part) in bytes.chunks(MTU).enumerate() {
            let ack = words(&[0x1f00_0001]);
            let (opcode, headers) = match (i == 0, i == last) {
                (true, true) => (0x10, &ack[..]),
                (true, false) => (0x0d, &ack[..]),
                (false, false) => (0x0e, &[][..]),
                (false, true) => (0x0f, &ack[..]),
            };
            self.raw(client, opcode, psn + i as u32, headers, part);
        }
    }

    /// An end has received all that the other one sent.
    pub(super) fn acknowledge(&mut self, client: bool) {
        let psn = self.psn[usize::from(client)].wrapping_sub(1);
        self.raw(client, 0x11, psn, &words(&[0x1f00_0001]), &[]);
    }
}

//--- Messages ---

/// A call of NFS up to its arguments.
fn call(xid: u32, version: u32, procedure: u32) -> Vec<u8> {
    words(&[xid, 0, 2, 100_003, version, procedure, 0, 0, 0, 0])
}

fn reply(xid: u32) -> Vec<u8> {
    words(&[xid, 1, 0, 0, 0, 0])
}

/// NFSv3 WRITE up to its data, with the length of that.
pub(super) fn write_call(xid: u32, len: usize) -> Vec<u8> {
    let len = len as u32;
    [call(xid, 3, 7), opaque(b"file"), words(&[0, 0, len, 2, len])].concat()
}

pub(super) fn write_reply(xid: u32, len: usize) -> Vec<u8> {
    [reply(xid), words(&[0, 0, 0, len as u32, 2, 1, 2])].concat()
}

pub(super) fn read_call(xid: u32, len: usize) -> Vec<u8> {
    [call(xid, 3, 6), opaque(b"file"), words(&[0, 0, len as u32])].concat()
}

/// NFSv3's READ reply up to its data, with the length of that.
pub(super) fn read_reply(xid: u32, len: usize) -> Vec<u8> {
    [reply(xid), words(&[0, 0, len as u32, 1, len as u32])].concat()
}

pub(super) fn readlink_call(xid: u32) -> Vec<u8> {
    [call(xid, 3, 5), opaque(b"link")].concat()
}

pub(super) fn readlink_reply(xid: u32, len: usize) -> Vec<u8> {
    [reply(xid), words(&[0, 0, len as u32])].concat()
}

/// PUTROOTFH, three READs, READLINK, PUTROOTFH.
pub(super) fn compound_call(xid: u32) -> Vec<u8> {
    let read = words(&[25, 0, 0, 0, 0, 0, 0, 5000]);
    let operations = [words(&[24]), read.clone(), read.clone(), read, words(&[27, 24])].concat();
    [call(xid, 4, 1), words(&[0, 0, 6]), operations].concat()
}

/// Parts of the reply: between them is the data of the first READ, of the third one, and the link.
/// The second READ's is here.
pub(super) fn compound_reply(xid: u32, lens: [usize; 3], second: &[u8]) -> [Vec<u8>; 4] {
    let [a, c, link] = lens.map(|len| len as u32);
    let head = [reply(xid), words(&[0, 0, 6, 24, 0, 25, 0, 0, a])].concat();
    let middle = [words(&[25, 0, 0]), opaque(second), words(&[25, 0, 1, c])].concat();
    [head, middle, words(&[27, 0, link]), words(&[24, 0])]
}

/// A callback's null procedure.
pub(super) fn callback(xid: u32) -> Vec<u8> {
    words(&[xid, 0, 2, 0x4000_0000, 1, 0, 0, 0, 0, 0])
}

pub(super) fn null_reply(xid: u32) -> Vec<u8> {
    reply(xid)
}
