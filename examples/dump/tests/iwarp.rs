//! RPC-over-RDMA on iWARP, in captures made here, byte by byte.

use serde_json::Value;

use super::roce_wire::{
    Memory, header, padded, read_call, read_reply, readlink_call, readlink_reply, words,
    write_call, write_reply,
};
use super::*;

/// Bytes of a message in a segment.
const SEGMENT: usize = 700;
const PRIVATE_DATA: [u8; 8] = [0xf6, 0xab, 0x0e, 0x18, 1, 1, 3, 3];

/// A connection of a client with a server: the streams of both.
struct Iwarp {
    /// Each direction has markers.
    markers: bool,
    /// What each end has sent behind its first frame, markers included.
    sent: [usize; 2],
    /// Frames of MPA in the order in which they are sent, by the client or not.
    frames: Vec<(bool, Vec<u8>)>,
    /// Which of them are messages.
    sends: Vec<usize>,
}

impl Iwarp {
    fn new(markers: bool) -> Self {
        let mut iwarp = Self { markers, sent: [0; 2], frames: Vec::new(), sends: Vec::new() };
        for (client, key) in [(true, b"MPA ID Req Frame"), (false, b"MPA ID Rep Frame")] {
            let flags = if markers { 0xc0 } else { 0x40 };
            let rest = [&[flags, 1, 0, 8], &PRIVATE_DATA[..]].concat();
            iwarp.frames.push((client, [&key[..], &rest].concat()));
        }
        iwarp
    }

    fn frame(&mut self, client: bool, segment: &[u8]) {
        let length = (segment.len() as u16).to_be_bytes();
        let frame = [padded(&[&length[..], segment].concat()), vec![0xcc; 4]].concat();
        let sent = &mut self.sent[usize::from(client)];
        let mut bytes = Vec::new();
        for byte in frame {
            // A marker stands before every 512th byte, from the first on.
            if self.markers && (*sent).is_multiple_of(512) {
                bytes.extend([0, 0, 0xee, 0xee]);
                *sent += 4;
            }
            bytes.push(byte);
            *sent += 1;
        }
        self.frames.push((client, bytes));
    }

    fn untagged(&mut self, client: bool, operation: u8, queue: u32, key: u32, message: &[u8]) {
        let count = message.len().div_ceil(SEGMENT).max(1);
        if queue == 0 {
            self.sends.extend((0..count).map(|i| self.frames.len() + i));
        }
        for i in 0..count {
            let part = message.chunks(SEGMENT).nth(i).unwrap_or_default();
            let last = if i + 1 == count { 0x40 } else { 0 };
            let head = [last | 1, 0x40 | operation];
            let rest = words(&[key, queue, 1, (i * SEGMENT) as u32]);
            self.frame(client, &[&head, &rest[..], part].concat());
        }
    }

    fn tagged(&mut self, client: bool, operation: u8, key: u32, address: u64, bytes: &[u8]) {
        let count = bytes.len().div_ceil(SEGMENT);
        for (i, part) in bytes.chunks(SEGMENT).enumerate() {
            let last = if i + 1 == count { 0x40 } else { 0 };
            let to = (address + (i * SEGMENT) as u64).to_be_bytes();
            let head = [0x80 | last | 1, 0x40 | operation];
            self.frame(client, &[&head, &words(&[key])[..], &to, part].concat());
        }
    }

    fn send(&mut self, client: bool, message: &[u8]) {
        self.untagged(client, 3, 0, 0, message);
    }

    fn write(&mut self, client: bool, key: u32, address: u64, bytes: &[u8]) {
        self.tagged(client, 0, key, address, bytes);
    }

    /// RDMA READ by an end, into memory of its own.
    fn read(&mut self, client: bool, key: u32, address: u64, bytes: &[u8]) {
        let request = words(&[
            0x5100,
            0,
            4096,
            bytes.len() as u32,
            key,
            (address >> 32) as u32,
            address as u32,
        ]);
        self.untagged(client, 1, 1, 0, &request);
        self.tagged(!client, 2, 0x5100, 4096, bytes);
    }

    /// The capture, with so many bytes in a segment of TCP, or a frame in each.
    fn capture(&self, step: Option<usize>, leave_out: &[usize]) -> Vec<u8> {
        let mut wire = Wire::pcap();
        wire.port = 20_049;
        wire.open(1);
        let mut at = [0u32; 2];
        for (i, (client, frame)) in self.frames.iter().enumerate() {
            let from = &mut at[usize::from(!client)];
            for part in frame.chunks(step.filter(|step| i > 1 || *step >= 4).unwrap_or(frame.len()))
            {
                if !leave_out.contains(&i) {
                    match client {
                        true => wire.client_at(1, *from, part),
                        false => wire.server_at(1, *from, part),
                    }
                }
                *from += part.len() as u32;
            }
        }
        wire.bytes().to_vec()
    }
}

fn data(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 % 251) as u8).collect()
}

/// A WRITE, a READ, a READLINK by a Reply chunk.
fn everything(markers: bool) -> Iwarp {
    let mut iwarp = Iwarp::new(markers);
    let bytes = data(2503);
    let call = header(1, 0, &[(68, (5, 2503, 1 << 40))], &[], None);
    iwarp.send(true, &[call, write_call(1, 2503)].concat());
    iwarp.read(false, 5, 1 << 40, &bytes);
    let reply = [header(1, 0, &[], &[], None), write_reply(1, 2503)].concat();
    iwarp.untagged(false, 6, 0, 5, &reply);

    let offer: [Memory; 2] = [(6, 1300, 8), (7, 2000, 77)];
    iwarp.send(true, &[header(2, 0, &[], &[&offer], None), read_call(2, 2503)].concat());
    iwarp.write(false, 6, 8, &bytes[..1300]);
    iwarp.write(false, 7, 77, &bytes[1300..]);
    let returned: [Memory; 2] = [offer[0], (7, 1203, 77)];
    iwarp.send(false, &[header(2, 0, &[], &[&returned], None), read_reply(2, 2503)].concat());

    iwarp.send(true, &[header(3, 0, &[], &[], Some(&[(8, 3000, 0)])), readlink_call(3)].concat());
    let reply = [readlink_reply(3, 1501), padded(&[b'l'; 1501])].concat();
    iwarp.write(false, 8, 0, &reply);
    iwarp.send(false, &header(3, 1, &[], &[], Some(&[(8, reply.len(), 0)])));
    iwarp
}

#[test]
fn messages_and_chunks() {
    for markers in [false, true] {
        let iwarp = everything(markers);
        // However the stream is cut.
        for step in [None, Some(1), Some(5), Some(512), Some(1460)] {
            let capture = iwarp.capture(step, &[]);
            assert_eq!(
                totals(&capture),
                "6 messages, 6 identical, 0 different, 0 refused, 0 of other programs; 6 RDMA headers, 6 \
                 identical, 0 different, 0 refused; from chunks 1 whole calls, 2 whole replies, 0 not \
                 whole",
                "{markers} {step:?}"
            );
            let lines = json(&capture);
            assert!(
                lines.iter().all(|line| line["transport"] == "iwarp" && line["note"].is_null())
            );
            let of = |kind: &'static str| lines.iter().filter(move |it| it["type"] == kind);
            let starts: Vec<_> = of("mpa").map(|it| it["name"].as_str().unwrap()).collect();
            assert_eq!(starts, ["Request", "Reply"]);
            assert!(of("mpa").all(|it| {
                it["markers"] == markers && it["checksums"] == true && it["send_size"] == 4096
            }));
            let senders: Vec<_> = of("header").map(|it| it["sender"].as_str().unwrap()).collect();
            assert_eq!(senders, ["client", "server"].repeat(3));
            assert_eq!(of("header").nth(1).unwrap()["invalidate"], 5);
            let data = hex::encode(data(2503));
            let with_data = |it: &&Value| it.to_string().contains(&data);
            assert!(of("call").next().is_some_and(|it| with_data(&it)), "{markers} {step:?}");
            assert_eq!(of("reply").filter(with_data).count(), 1);
        }
    }
    let (out, _) = dump(&[], &everything(true).capture(None, &[]));
    let first = out.lines().next().unwrap();
    let says =
        "Request, revision: 1, markers, CRC, sends 4096 bytes, receives 4096, remote invalidation";
    assert!(first.ends_with(says), "{first}");
}

#[test]
fn what_was_not_captured_is_told_and_the_next_frame_found() {
    for markers in [false, true] {
        let iwarp = everything(markers);
        for lost in 2..iwarp.frames.len() {
            let capture = iwarp.capture(None, &[lost]);
            let lines = json(&capture);
            let (_, outcome) = dump(&["--check"], &capture);
            let totals = outcome.totals;
            let client = iwarp.frames[lost].0;
            let more = iwarp.frames[lost + 1..].iter().any(|frame| frame.0 == client);
            let notes: Vec<_> = lines.iter().filter_map(|it| it["note"].as_str()).collect();
            // Nobody knows of what was lost at the end.
            assert_eq!(notes.contains(&"gap"), more, "{markers} {lost}: {notes:?}");
            // Either a message is lost, or some of what another one has in chunks.
            let found = (totals.rdma.identical, totals.rdma.absent);
            let expected = if iwarp.sends.contains(&lost) { (5, 0) } else { (6, 1) };
            assert_eq!(found, expected, "{markers} {lost}: {totals}");
            assert_eq!((totals.rdma.refused, totals.differ()), (0, false), "{markers} {lost}");
        }
    }
}

#[test]
fn changed_and_cut_streams_do_no_harm() {
    let mut state = 5044u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for markers in [false, true] {
        for round in 0..150 {
            let mut iwarp = everything(markers);
            for _ in 0..1 + round % 5 {
                let at = random(iwarp.frames.len());
                let frame = &mut iwarp.frames[at].1;
                let (byte, head) = (random(frame.len()), random(24));
                match random(3) {
                    0 => frame[byte] = random(256) as u8,
                    1 => frame[head] ^= 1 << random(8),
                    _ => frame.truncate(byte.max(1)),
                }
            }
            let (_, outcome) = dump(&["--json", "--check"], &iwarp.capture(Some(1460), &[]));
            assert!(!outcome.totals.differ(), "{round}: {}", outcome.totals);
        }
    }
}
