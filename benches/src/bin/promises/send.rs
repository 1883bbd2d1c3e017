//! S1, S2 and S5: what leaves, and what it costs to let it leave.

use core::hint::black_box;
use std::{
    io::{IoSlice, Read, Write},
    os::unix::net::UnixStream,
};

use nfswire_benches::{
    measure::{Loop, allocations, instructions},
    samples,
};
use nfswire_nfs3::io::ReadReply;
use nfswire_rpc::{FragmentHeader, RecordMark, ReplyHeader};
use nfswire_xdr::{Chunk, Encoder, Message, Payload, Position, Segments};

use super::Table;

/// An operation by its name, for callgrind too.
pub(super) fn operation(name: &str) -> Loop {
    let (mut head, mut segments) = (vec![0; 1 << 16], Segments::new());
    match name {
        "mark-in-head" => Box::new(move |n| {
            for _ in 0..n {
                let mut e = Encoder::growable(&mut head, &mut segments);
                let mark = RecordMark::reserve(&mut e).expect("room for a mark");
                e.put(black_box(&ReplyHeader::success(7))).expect("room for a header");
                mark.close(&mut e).expect("an open record");
                e.finish();
                let message = segments.view(&head);
                let mut out = [IoSlice::new(&[])];
                black_box(message.io_slices(Position::START, &mut out));
                black_box(&out);
            }
        }),
        "encode-in-head" => Box::new(move |n| {
            for _ in 0..n {
                let mut e = Encoder::growable(&mut head, &mut segments);
                let mark = RecordMark::reserve(&mut e).expect("room for a mark");
                e.put(black_box(&ReplyHeader::success(7))).expect("room for a header");
                mark.close(&mut e).expect("an open record");
                black_box(e.finish());
            }
        }),
        "encode-apart" => Box::new(move |n| {
            for _ in 0..n {
                let mut e = Encoder::growable(&mut head, &mut segments);
                e.put(black_box(&ReplyHeader::success(7))).expect("room for a header");
                black_box(mark_of(e.finish()));
            }
        }),
        "mark-apart" => Box::new(move |n| {
            for _ in 0..n {
                let mut e = Encoder::growable(&mut head, &mut segments);
                e.put(black_box(&ReplyHeader::success(7))).expect("room for a header");
                let mark = mark_of(e.finish());
                let message = segments.view(&head).behind(&mark);
                let mut out = [IoSlice::new(&[]); 2];
                black_box(message.io_slices(Position::START, &mut out));
                black_box(&out);
            }
        }),
        _ => {
            let (count, len) = name.split_once('x').expect("a count and a length");
            let count: usize = count.parse().expect("a count");
            reads(count, len.parse().expect("a length"))
        }
    }
}

fn mark_of(len: u64) -> [u8; 4] {
    let len = u32::try_from(len).expect("a short record");
    FragmentHeader::new(true, len).expect("a short record").to_bytes()
}

/// Encodes `count` READ replies of `len` bytes into one message.
fn reads(count: usize, len: usize) -> Loop {
    let (mut head, mut segments) = (vec![0; 1 << 16], Segments::new());
    let replies: Vec<_> = (0..count).map(|_| samples::read(len)).collect();
    Box::new(move |n| {
        for _ in 0..n {
            let replies = black_box(&replies);
            let mut e = Encoder::growable(&mut head, &mut segments);
            for reply in replies {
                e.put(reply).expect("room for a reply");
            }
            black_box(e.finish());
        }
    })
}

/// S1: the record mark in the head and apart from it.
pub(super) fn marks(table: &mut Table) {
    let reply = samples::read(64 << 10);
    let (mut head, mut apart) = (Vec::new(), Vec::new());
    let (mut in_head, mut segments) = (Segments::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut in_head);
    let mark = RecordMark::reserve(&mut e).expect("room for a mark");
    e.put(&ReplyHeader::success(7)).expect("room for a header");
    e.put(&reply).expect("room for a reply");
    mark.close(&mut e).expect("an open record");
    e.finish();
    let mut e = Encoder::growable(&mut apart, &mut segments);
    e.put(&ReplyHeader::success(7)).expect("room for a header");
    e.put(&reply).expect("room for a reply");
    let mark = mark_of(e.finish());

    let messages = [in_head.view(&head), segments.view(&apart).behind(&mark)];
    let [(sends, one), (sends_apart, two)] = messages.map(sent);
    let is = format!("{sends} with the mark in the head, {sends_apart} with it apart");
    let what = "sends of a 64 KiB READ reply over a socket";
    table.row("S1", what, "1", &is, sends == 1 && sends_apart == 1);
    let same = one == two;
    let is = if same { "yes" } else { "no" };
    table.row("S1", "the two layouts give the same bytes", "yes", is, same);

    let (mut a, mut b) = (operation("mark-apart"), operation("mark-in-head"));
    let allocated = (allocations(&mut a), allocations(&mut b));
    let is = format!("{} apart, {} in the head", allocated.0, allocated.1);
    table.row("S1", "allocations of a header-only reply", "0", &is, allocated == (0.0, 0.0));
    let names = ["encode-apart", "encode-in-head", "mark-apart", "mark-in-head"];
    let counts = names.map(|name| instructions(&["run", name]));
    if let [Some(apart), Some(in_head), Some(list_apart), Some(list_in_head)] = counts {
        let is = format!("{apart} apart, {in_head} in the head");
        let what = "instructions to encode a header-only reply";
        table.row("S1", what, "apart <= 1.03 in head", &is, apart * 100 <= in_head * 103);
        // The list has a slice more when the mark is apart, which is the price of that layout.
        let is = format!("{list_apart} apart, {list_in_head} in the head");
        table.row("S1", "the same with its list for the send", "", &is, true);
    } else {
        table.counted = false;
    }
    table.time("S1", "time of the same, apart to in head", None, &mut a, &mut b);
}

/// Sends a message over a socket whose buffer holds it all: the calls, and the bytes at the far end.
fn sent(message: Message<'_, '_>) -> (usize, Vec<u8>) {
    let (mut near, mut far) = UnixStream::pair().expect("a pair of sockets");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        far.read_to_end(&mut bytes).map(|_| bytes)
    });
    let (mut at, mut sends) = (Position::START, 0);
    while !message.is_end(at) {
        let mut out = [IoSlice::new(&[]); 16];
        let used = message.io_slices(at, &mut out);
        let wrote = near.write_vectored(&out[..used]).expect("the far end reads");
        at = message.advance(at, wrote);
        sends += 1;
    }
    drop(near);
    (sends, reader.join().expect("the reader ends").expect("the far end is sound"))
}

/// S2: payloads by reference, whatever their length.
pub(super) fn payloads(table: &mut Table) {
    for count in [1usize, 2, 8] {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let replies: Vec<ReadReply<'_>> = (0..count).map(|_| samples::read(1 << 20)).collect();
        let mut e = Encoder::growable(&mut head, &mut segments);
        for reply in &replies {
            e.put(reply).expect("room for a reply");
        }
        e.finish();
        let stats = segments.stats();
        let what = format!("{count} READ replies of 1 MiB in one message: payload bytes copied");
        let is = format!("{}, {} segments", stats.copied, stats.segments);
        table.row("S2", &what, "0", &is, stats.copied == 0);
        let what = format!("{count}: bytes written into the head");
        let limit = 512 * count as u64;
        let is = stats.head.to_string();
        table.row("S2", &what, &format!("<= {limit}"), &is, stats.head <= limit);

        let (mut long, mut short) = (reads(count, 1 << 20), reads(count, 1 << 10));
        let allocated = allocations(&mut long);
        let what = format!("{count}: allocations");
        table.row("S2", &what, "0", &allocated.to_string(), allocated == 0.0);
        let names = [format!("{count}x1048576"), format!("{count}x1024")];
        if let [Some(long), Some(short)] = names.map(|name| instructions(&["run", &name])) {
            let what = format!("{count}: instructions, 1 MiB beside 1 KiB");
            let holds = long * 100 <= short * 105 && short * 100 <= long * 105;
            table.row("S2", &what, "within 5 %", &format!("{long}, {short}"), holds);
        }
        let what = format!("{count}: time, 1 MiB to 1 KiB");
        table.time("S2", &what, Some(1.05), &mut long, &mut short);
    }
}

/// A message that counts how often its segments are looked at.
struct Counted<'x, 'p> {
    message: Message<'x, 'p>,
    visits: usize,
}

impl<'x> Counted<'x, '_> {
    fn chunk(&mut self, at: Position) -> Option<Chunk<'x>> {
        let chunk = self.message.chunk(at)?;
        self.visits += 1;
        Some(chunk)
    }

    fn io_slices(&mut self, at: Position, out: &mut [IoSlice<'x>]) -> usize {
        let used = self.message.io_slices(at, out);
        self.visits += used;
        used
    }
}

/// S5: sockets that take at most 16 KiB at a time, and not always that.
pub(super) fn short_writes(table: &mut Table) {
    // 100 connections; the replies are of one READ of 128 KiB, with an odd length every other time.
    let (mut visits, mut segments_sent, mut short, mut vectored) = (0, 0, 0, 0);
    let mut wrong = 0;
    for connection in 0..100usize {
        let reply = samples::read((128 << 10) - connection % 2);
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&ReplyHeader::success(7)).expect("room for a header");
        e.put(&reply).expect("room for a reply");
        e.finish();
        let message = segments.view(&head);
        let whole = message.to_vec().expect("all in memory");
        segments_sent += message.count();

        // Segment by segment, as sendfile and RDMA senders go.
        let mut socket = Socket::new(connection);
        let mut counted = Counted { message, visits: 0 };
        let mut at = Position::START;
        while let Some(Chunk::Bytes(bytes)) = counted.chunk(at) {
            let took = socket.take(bytes);
            short += usize::from(took < bytes.len());
            at = message.advance(at, took);
        }
        visits += counted.visits;
        wrong += usize::from(socket.received != whole);

        // All that is left in one vectored send, the next one where the last ended.
        let mut socket = Socket::new(connection);
        let mut counted = Counted { message, visits: 0 };
        let mut at = Position::START;
        while !message.is_end(at) {
            let mut out = [IoSlice::new(&[]); 2];
            let used = counted.io_slices(at, &mut out);
            let took = out[..used].iter().fold((0, true), |(sum, go_on), slice| {
                let took = if go_on { socket.take(slice) } else { 0 };
                (sum + took, go_on && took == slice.len())
            });
            at = message.advance(at, took.0);
        }
        vectored += counted.visits;
        wrong += usize::from(socket.received != whole);
    }
    let is = format!("{visits} visits of {segments_sent} segments, {short} short writes");
    let what = "100 connections, 16 KiB sockets, a segment at a time";
    table.row(
        "S5",
        what,
        "visits <= segments + short writes",
        &is,
        visits <= segments_sent + short,
    );
    let is = format!("{wrong} streams of 200");
    table.row("S5", "streams that differ from the message", "0", &is, wrong == 0);
    let is = format!("{vectored} slices, at most 2 in a send");
    table.note("S5", "the same with vectored sends", &is);

    // A long message: to go on from near its end costs what it costs near its start.
    let data = samples::data(64);
    let (mut head, mut segments) = (vec![0; 1 << 16], Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    for _ in 0..4096 {
        e.put(&Payload::Borrowed(data)).expect("room for a length");
    }
    e.finish();
    let message = segments.view(&head);
    let middle =
        message.advance(Position::START, usize::try_from(message.len()).expect("short") / 2);
    let walk = |from: Position| {
        move |n| {
            let mut at = from;
            for i in 0..n {
                if i % 4000 == 0 {
                    at = from;
                }
                black_box(message.chunk(at));
                at = message.advance(at, black_box(30));
            }
            black_box(at);
        }
    };
    let (mut late, mut early) = (walk(middle), walk(Position::START));
    let what = "8192 segments, 30 bytes a send: a step in the second half to one in the first";
    table.time("S5", what, Some(1.25), &mut late, &mut early);
}

/// A socket with 16 KiB of room, of which it takes a part that differs from send to send.
struct Socket {
    received: Vec<u8>,
    state: usize,
}

impl Socket {
    const fn new(seed: usize) -> Self {
        Self { received: Vec::new(), state: seed * 2 + 1 }
    }

    fn take(&mut self, bytes: &[u8]) -> usize {
        self.state = self.state.wrapping_mul(25_214_903_917).wrapping_add(11);
        let room = 1 + (self.state >> 16) % (16 << 10);
        let took = bytes.len().min(room);
        self.received.extend_from_slice(&bytes[..took]);
        took
    }
}
