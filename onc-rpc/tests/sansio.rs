//! A server and its clients without a socket: calls that come twice, streams that come in pieces,
//! peers that send nothing but marks; cases B10 to B19 and B37.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic
)]

mod common;

use common::case;
use nfswire_rpc::{
    Answer, CallHeader, Execution, Finished, FragmentHeader, Kept, Lookup, OpaqueAuth, Procedure,
    RecordBuffer, RecordError, RecordLimits, RecordMark, ReplayCache, ReplayLimits, ReplyHeader,
    args_error, credential, parse_call, portmap,
};
use nfswire_xdr::{Cursor, Encode, Encoder, Opaque, Segments};

fn record<'p>(values: &[&dyn Put<'p>]) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mark = RecordMark::reserve(&mut e).unwrap();
    for value in values {
        value.put(&mut e);
    }
    mark.close(&mut e).unwrap();
    e.finish();
    segments.view(&head).to_vec().unwrap()
}

trait Put<'p> {
    fn put(&self, e: &mut Encoder<'_, 'p>);
}

impl<'p, T: Encode<'p>> Put<'p> for T {
    fn put(&self, e: &mut Encoder<'_, 'p>) {
        e.put(self).unwrap();
    }
}

struct Remove;

impl Procedure for Remove {
    const PROGRAM: u32 = 100_003;
    const VERSION: u32 = 3;
    const NUMBER: u32 = 12;
    const NAME: &'static str = "NFSPROC3_REMOVE";
    type Args<'a> = Opaque<'a, 255>;
    type Reply<'a> = u32;
}

/// One connection of the server.
#[derive(Default)]
struct Connection {
    receive: RecordBuffer,
    sent: Vec<u8>,
}

/// Serves the null procedure and a REMOVE that takes its time, and is a port mapper.
struct Server {
    connections: Vec<Connection>,
    cache: ReplayCache<u32, usize>,
    running: Vec<(usize, u32, Vec<u8>, Execution)>,
    files: Vec<Vec<u8>>,
    removed: u32,
}

/// Everybody here is the same client.
const CLIENT: u32 = 1;

impl Server {
    fn new(connections: usize) -> Self {
        Self {
            connections: core::iter::repeat_with(Connection::default).take(connections).collect(),
            cache: ReplayCache::new(ReplayLimits::DEFAULT, [3; 16]).unwrap(),
            running: vec![],
            files: vec![b"file".to_vec()],
            removed: 0,
        }
    }

    /// Bytes arrive. False: the connection must be closed.
    fn receive(&mut self, at: usize, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let room = self.connections[at].receive.spare();
            let n = room.len().min(bytes.len());
            room[..n].copy_from_slice(&bytes[..n]);
            bytes = &bytes[n..];
            self.connections[at].receive.filled(n).unwrap();
            loop {
                match self.connections[at].receive.next_record() {
                    Ok(Some(message)) => {
                        let message = message.to_vec();
                        if !self.serve(at, &message) {
                            return false;
                        }
                    }
                    Ok(None) => break,
                    Err(_) => return false,
                }
            }
        }
        true
    }

    fn serve(&mut self, at: usize, message: &[u8]) -> bool {
        let mut c = Cursor::new(message);
        let call = match parse_call(&mut c) {
            Ok(call) => call,
            Err(error) => match error.answer() {
                Answer::Reply(reply) => {
                    self.connections[at].sent.extend(record(&[&reply]));
                    return true;
                }
                Answer::Drop => return true,
                Answer::Close => return false,
            },
        };
        let xid = call.xid;
        let reply = if let Err(stat) = credential(&call.credential) {
            record(&[&ReplyHeader::auth_error(xid, stat)])
        } else {
            match (call.program, call.version, call.procedure) {
                (100_003, 3, 0) => record(&[&ReplyHeader::success(xid)]),
                (100_003, 3, Remove::NUMBER) => {
                    self.remove(at, &call, &mut c);
                    return true;
                }
                (100_003, 3, _) => record(&[&ReplyHeader::proc_unavail(xid)]),
                (100_003, ..) => record(&[&ReplyHeader::prog_mismatch(xid, 3, 3)]),
                (portmap::PROGRAM, portmap::VERSION, 3) => {
                    let nfs = (100_003, 3, portmap::Protocol::TCP);
                    match c.decode::<portmap::Mapping>() {
                        Ok(mapping) => {
                            let query = (mapping.program, mapping.version, mapping.protocol);
                            let port = if query == nfs { 2049u32 } else { 0 };
                            record(&[&ReplyHeader::success(xid), &port])
                        }
                        Err(error) => record(&[&args_error(xid, &error)]),
                    }
                }
                _ => record(&[&ReplyHeader::prog_unavail(xid)]),
            }
        };
        self.connections[at].sent.extend(reply);
        true
    }

    fn remove(&mut self, at: usize, call: &CallHeader<'_>, c: &mut Cursor<'_>) {
        let key = self.cache.key(CLIENT, call, c.rest());
        match self.cache.lookup(key) {
            Lookup::New(execution) => match c.decode::<<Remove as Procedure>::Args<'_>>() {
                Ok(name) => {
                    self.running.push((at, call.xid, name.as_bytes().to_vec(), execution));
                }
                Err(error) => {
                    drop(self.cache.abort(execution));
                    let reply = record(&[&args_error(call.xid, &error)]);
                    self.connections[at].sent.extend(reply);
                }
            },
            Lookup::InProgress(running) => self.cache.wait(running, at).unwrap(),
            Lookup::Done(reply) => {
                let mark = FragmentHeader::new(true, reply.len() as u32).unwrap();
                self.connections[at].sent.extend(mark.to_bytes());
                self.connections[at].sent.extend(reply.pieces().flatten());
            }
            Lookup::NotKept | Lookup::Full => {}
        }
    }

    /// The slow procedures come to their end.
    fn run(&mut self) {
        for (at, xid, name, execution) in core::mem::take(&mut self.running) {
            let before = self.files.len();
            self.files.retain(|file| *file != name);
            self.removed += 1;
            // NFS3_OK, or NFS3ERR_NOENT: what a second execution would answer.
            let status = if self.files.len() < before { 0u32 } else { 2 };
            let reply = record(&[&ReplyHeader::success(xid), &status]);
            let Finished { kept, waiters } = self.cache.finish(execution, &reply[4..]);
            assert_eq!(kept, Kept::Yes);
            for to in core::iter::once(at).chain(waiters) {
                self.connections[to].sent.extend(&reply);
            }
        }
    }
}

#[test]
fn a_remove_that_comes_again_on_other_connections_runs_once() {
    let name: <Remove as Procedure>::Args<'_> = Opaque::new(b"file").unwrap();
    let call = record(&[&CallHeader::new::<Remove>(77, OpaqueAuth::NONE), &name]);
    let expected = record(&[&ReplyHeader::success(77), &0u32]);
    for cut in 1..call.len() {
        let mut server = Server::new(4);
        for at in [0, 1] {
            assert!(server.receive(at, &call[..cut]) && server.receive(at, &call[cut..]));
        }
        assert!(server.connections.iter().all(|connection| connection.sent.is_empty()));
        server.run();
        // After it finished, on a third connection, and once more on the first.
        assert!(server.receive(2, &call) && server.receive(0, &call));
        server.run();
        assert_eq!(server.removed, 1);
        assert_eq!(server.connections[0].sent, [&expected[..], &expected].concat());
        for at in [1, 2] {
            assert_eq!(server.connections[at].sent, expected, "connection {at}, cut at {cut}");
        }
        // Another name under the same xid is another call.
        let name: <Remove as Procedure>::Args<'_> = Opaque::new(b"fil2").unwrap();
        let other = record(&[&CallHeader::new::<Remove>(77, OpaqueAuth::NONE), &name]);
        assert!(server.receive(3, &other));
        server.run();
        let missing = record(&[&ReplyHeader::success(77), &2u32]);
        assert_eq!((server.removed, &server.connections[3].sent), (2, &missing));
    }
}

#[test]
fn garbage_does_not_stay_in_the_cache() {
    let call = record(&[&CallHeader::new::<Remove>(5, OpaqueAuth::NONE), &9u32]);
    let mut server = Server::new(1);
    assert!(server.receive(0, &call) && server.receive(0, &call));
    assert_eq!(server.connections[0].sent, record(&[&ReplyHeader::garbage_args(5)]).repeat(2));
    assert!(server.cache.is_empty());
}

/// Streams of the cases, and what a server sends for each.
fn exchanges() -> Vec<(Vec<u8>, Vec<u8>)> {
    let null = |xid| record(&[&ReplyHeader::success(xid)]);
    vec![
        (case("B10a"), null(0x4e46_5301)),
        (case("B12a"), null(0x4e46_5301)),
        (case("B12b"), null(0x4e46_5301)),
        (case("B13a"), [null(0x4e46_5301), null(0x4e46_5302)].concat()),
        (case("B15a"), case("B15b")),
        (case("B15c"), case("B15d")),
        (case("B16a"), case("B16b")),
        (case("B16c"), case("B16d")),
        (case("B17b"), case("B17c")),
        (case("B18a"), case("B18d")),
        (case("B19a"), null(0x4e46_5301)),
        (case("B37a"), case("B37b")),
        (case("B37c"), case("B37d")),
    ]
}

#[test]
fn b10_to_b19_and_b37_in_one_stream_cut_at_every_byte() {
    let (calls, replies): (Vec<_>, Vec<_>) = exchanges().into_iter().unzip();
    let (calls, replies) = (calls.concat(), replies.concat());
    for cut in 0..=calls.len() {
        let mut server = Server::new(1);
        assert!(server.receive(0, &calls[..cut]) && server.receive(0, &calls[cut..]));
        assert_eq!(server.connections[0].sent, replies, "cut at {cut}");
    }
    for chunk in [1, 2, 3, 5, 7, 44, 1000] {
        let mut server = Server::new(1);
        for part in calls.chunks(chunk) {
            assert!(server.receive(0, part));
        }
        assert_eq!(server.connections[0].sent, replies, "{chunk} bytes at a time");
    }
    // And what cannot be served closes the connection, at the fourth byte.
    for id in ["B11a", "B11b"] {
        let stream = case(id);
        let mut server = Server::new(1);
        assert!(server.receive(0, &stream[..3]) && !server.receive(0, &stream[3..4]), "{id}");
    }
}

/// Which bytes of a stream belong to marks.
fn marks(stream: &[u8]) -> Vec<bool> {
    let (mut marks, mut rest) = (vec![], stream);
    while let Some((mark, behind)) = rest.split_first_chunk() {
        let len = FragmentHeader::from_bytes(*mark).fragment_len() as usize;
        marks.extend([true; 4]);
        marks.resize(marks.len() + len, false);
        rest = &behind[len..];
    }
    assert_eq!(marks.len(), stream.len());
    marks
}

#[test]
fn every_byte_flipped_repeated_or_lost() {
    let exchanges = exchanges();
    let (mut open, mut closed) = (0, 0);
    for i in 0..exchanges.len() {
        let join = |part: &[(Vec<u8>, Vec<u8>)]| -> (Vec<u8>, Vec<u8>) {
            let (calls, replies): (Vec<_>, Vec<_>) = part.iter().cloned().unzip();
            (calls.concat(), replies.concat())
        };
        let ((before, sent_before), (behind, sent_behind)) =
            (join(&exchanges[..i]), join(&exchanges[i + 1..]));
        let sound = &exchanges[i].0;
        for (at, in_mark) in marks(sound).into_iter().enumerate() {
            let flipped = [1, 0x10, 0x80, 0xff].map(|mask| {
                let mut bytes = sound.clone();
                bytes[at] ^= mask;
                (bytes, !in_mark)
            });
            let repeated = [&sound[..=at], &sound[at..]].concat();
            let lost = [&sound[..at], &sound[at + 1..]].concat();
            for (bytes, framed) in flipped.into_iter().chain([(repeated, false), (lost, false)]) {
                let mut server = Server::new(1);
                let stays = server.receive(0, &[&before[..], &bytes, &behind].concat());
                server.run();
                // Nothing was announced that came: the buffer has its first size.
                assert_eq!(server.connections[0].receive.capacity(), RecordBuffer::FIRST_ROOM);
                let sent = &server.connections[0].sent;
                assert!(sent.starts_with(&sent_before), "exchange {i}, byte {at}");
                // A damaged message harms no other one, unless the connection is closed.
                let unharmed = sent.ends_with(&sent_behind);
                assert!(unharmed || !stays || !framed, "exchange {i}, byte {at}");
                // Whatever is sent is replies.
                let mut rest = &sent[..];
                while let Some((mark, behind)) = rest.split_first_chunk() {
                    let mark = FragmentHeader::from_bytes(*mark);
                    let (reply, behind) = behind.split_at(mark.fragment_len() as usize);
                    let mut c = Cursor::new(reply);
                    let header = nfswire_rpc::parse_reply(&mut c).unwrap();
                    assert!(c.remaining() == 0 || header.outcome().is_ok());
                    rest = behind;
                }
                assert!(rest.is_empty() && server.removed == 0);
                *(if stays { &mut open } else { &mut closed }) += 1;
            }
        }
    }
    assert!(open > 1000 && closed > 100, "{open} connections stay open, {closed} are closed");
}

#[test]
fn b37_the_port_mapper_knows_nfs_and_answers_zero_for_the_rest() {
    // The types give the bytes of the cases.
    for (id, xid, program) in [("B37a", 0x4e46_5339, 100_003), ("B37c", 0x4e46_533a, 100_227)] {
        let header = CallHeader::new::<portmap::Getport>(xid, OpaqueAuth::NONE);
        let query = portmap::Mapping::query(program, 3, portmap::Protocol::TCP);
        assert_eq!(record(&[&header, &query]), case(id));
    }
    for (call, reply, port) in [("B37a", "B37b", Some(2049)), ("B37c", "B37d", None)] {
        let mut server = Server::new(1);
        assert!(server.receive(0, &case(call)));
        assert_eq!(server.connections[0].sent, case(reply), "{call}");
        let mut c = Cursor::new(&server.connections[0].sent[4..]);
        nfswire_rpc::parse_reply(&mut c).unwrap().outcome().unwrap();
        let number: <portmap::Getport as Procedure>::Reply<'_> = c.decode().unwrap();
        assert_eq!(portmap::port(number), port);
        c.finish().unwrap();
    }
}

/// Feeds pieces of a stream, and says how much memory that took at most.
fn cost(limits: RecordLimits, stream: impl Iterator<Item = Vec<u8>>) -> (u64, Vec<usize>, bool) {
    let pieces: Vec<Vec<u8>> = stream.collect();
    let mut found = Vec::with_capacity(16);
    let mut refused = false;
    let info = allocation_counter::measure(|| {
        let mut buffer = RecordBuffer::new(limits);
        'stream: for piece in &pieces {
            let mut piece = &piece[..];
            while !piece.is_empty() {
                let room = buffer.spare();
                let n = room.len().min(piece.len());
                room[..n].copy_from_slice(&piece[..n]);
                piece = &piece[n..];
                buffer.filled(n).unwrap();
                loop {
                    match buffer.next_record() {
                        Ok(Some(record)) => found.push(record.len()),
                        Ok(None) => break,
                        Err(error) => {
                            assert!(!matches!(error, RecordError::Overrun { .. }));
                            refused = true;
                            break 'stream;
                        }
                    }
                }
            }
        }
    });
    (info.bytes_max, found, refused)
}

const ANY: RecordLimits = RecordLimits { max_record: u32::MAX, max_fragments: u32::MAX };

#[test]
fn a_gibibyte_announced_in_four_bytes_costs_less_than_64_kib() {
    for announced in [1u32 << 30, FragmentHeader::MAX_LEN, RecordLimits::DEFAULT.max_record] {
        for last in [0, FragmentHeader::LAST] {
            for limits in [ANY, RecordLimits::DEFAULT] {
                let stream = [(announced | last).to_be_bytes().to_vec(), vec![1; 100]];
                let refuses = announced > limits.max_record;
                let (bytes, found, refused) = cost(limits, stream.into_iter());
                assert!(bytes < 64 << 10, "{bytes} bytes for {announced}");
                assert_eq!((found.len(), refused), (0, refuses));
            }
        }
    }
}

#[test]
fn fragments_of_no_and_one_byte_by_the_million() {
    const MILLION: usize = 1_000_000;
    let empty = |n: usize| core::iter::repeat_n(vec![0; 4 * 1000], n / 1000);
    let end = [0x80, 0, 0, 1, 7].to_vec();
    // Empty fragments, where the limits allow them: no memory, and work that ends.
    let (bytes, found, _) = cost(ANY, empty(MILLION).chain([end.clone()]));
    assert!(bytes <= RecordBuffer::FIRST_ROOM as u64, "{bytes} bytes");
    assert_eq!(found, [1]);
    // By default they end at the 1025th.
    let (bytes, found, refused) = cost(RecordLimits::DEFAULT, empty(MILLION));
    assert!(bytes <= RecordBuffer::FIRST_ROOM as u64 && found.is_empty() && refused);
    // Empty records are no fragments of one, and no message.
    let records = core::iter::repeat_n([0x80, 0, 0, 0].repeat(1000), MILLION / 1000);
    let (bytes, found, refused) = cost(RecordLimits::DEFAULT, records);
    assert!(bytes <= RecordBuffer::FIRST_ROOM as u64 && found.is_empty() && !refused);
    // One byte each: a record of a megabyte, in memory of twice that.
    let ones = core::iter::repeat_n([0, 0, 0, 1, 9].repeat(1000), MILLION / 1000);
    let (bytes, found, _) = cost(ANY, ones.chain([end]));
    assert_eq!(found, [MILLION + 1]);
    let most = (RecordBuffer::FIRST_ROOM + 3 * MILLION) as u64;
    assert!(bytes <= most, "{bytes} bytes");
}
