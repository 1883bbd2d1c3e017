//! Counts of RPC-over-RDMA's transport headers, of each kind of message, written and read (S7); see
//! `table`. A header is judged when it is read, and its chunks when it is made.
#![allow(clippy::expect_used, clippy::arithmetic_side_effects, clippy::indexing_slicing)] // as in the library

use core::{hint::black_box, num::NonZeroU32};
use std::process::ExitCode;

use nfswire_benches::{
    measure::Loop,
    ops::Op,
    table::{Table, run},
};
use nfswire_rdma::{
    Budget, ChunkSlices, Endpoint, ErrorReply, Header, ReadSegment, ReplyHeader, Role, Segment,
    placement::{Item, Offer, Reduce, Room, SendLimits, Stream, choose},
    receive,
};

/// Most instructions of a header with at most one chunk of one segment.
const WRITE: u64 = 200;
const READ: u64 = 250;

const XID: u32 = 0x0102_0304;
const CREDITS: NonZeroU32 = NonZeroU32::MIN;
const SEGMENT: Segment = Segment { handle: 7, length: 1 << 20, offset: 0x7f00_0000 };
/// Bytes of the RPC message behind a header of RDMA_MSG.
const INLINE: u32 = 104;

/// One segment for every chunk that there can be.
const CHUNK: &[Segment] = &[SEGMENT];
const READ_AT_100: &[ReadSegment] = &[ReadSegment { position: 100, target: SEGMENT }];
const READ_AT_0: &[ReadSegment] = &[ReadSegment { position: 0, target: SEGMENT }];

/// Writes into the same memory, again and again.
fn write(put: impl Fn(&mut [u8]) -> usize + 'static) -> Loop {
    let mut out = [0; 128];
    Box::new(move |n| {
        for _ in 0..n {
            black_box(put(black_box(&mut out)));
        }
    })
}

/// Takes a message apart, again and again.
fn read(message: &'static [u8], role: Role) -> Loop {
    let endpoint = Endpoint::new(role);
    Box::new(move |n| {
        for _ in 0..n {
            let received = receive(black_box(message), endpoint, &Budget::DEFAULT);
            black_box(&received);
        }
    })
}

/// The header that `make` writes, and behind it an RPC message of this kind if there is one.
fn message(make: &impl Fn(&mut [u8]) -> usize, rpc: Option<u32>) -> &'static [u8] {
    let mut message = vec![0; 128];
    let len = make(&mut message);
    message.truncate(len);
    if let Some(kind) = rpc {
        message.extend([XID, kind].map(u32::to_be_bytes).concat());
        message.resize(len + INLINE as usize, 0);
    }
    message.leak()
}

const CALL: u32 = 0;
const REPLY: u32 = 1;

/// A header written, and read by the other end, which must take it; the message.
fn both(
    ops: &mut Vec<Op>,
    [encode, decode, name]: [&'static str; 3],
    to: Role,
    rpc: Option<u32>,
    goals: [u64; 2],
    make: impl Fn(&mut [u8]) -> usize + 'static,
) -> &'static [u8] {
    let message = message(&make, rpc);
    receive(message, Endpoint::new(to), &Budget::DEFAULT).expect("a message");
    ops.push(Op::new(encode, name, (goals[0], 0.0), write(make), None));
    ops.push(Op::new(decode, name, (goals[1], 0.0), read(message, to), None));
    message
}

/// The same of a call with these chunks, inline or not; and with the chunks judged each time.
fn call(
    ops: &mut Vec<Op>,
    [encode, made, decode, name]: [&'static str; 4],
    lists: &'static ChunkSlices<'static>,
    inline: bool,
) -> &'static [u8] {
    let make = move || {
        let (xid, lists) = (black_box(XID), black_box(lists));
        let header = if inline {
            Header::msg(xid, CREDITS, lists, black_box(INLINE))
        } else {
            Header::nomsg(xid, CREDITS, lists)
        };
        header.expect("chunks that do")
    };
    let (header, rpc) = (make(), inline.then_some(CALL));
    let put = move |out: &mut [u8]| black_box(&header).write_to(out).expect("there is room");
    let message = both(ops, [encode, decode, name], Role::Responder, rpc, [WRITE, READ], put);
    let both = write(move |out| make().write_to(out).expect("there is room"));
    ops.push(Op::new(made, "the same, made and written", (0, 0.0), both, None));
    message
}

/// The same of the reply to a call, with so many bytes in the Write chunk and the Reply chunk.
fn reply(
    ops: &mut Vec<Op>,
    [encode, made, decode, name]: [&'static str; 4],
    call: &'static [u8],
    used: &'static [u64],
    in_reply: u64,
) {
    let received = receive(call, Endpoint::new(Role::Responder), &Budget::DEFAULT).expect("a call");
    let offered = *received.header().chunks().expect("a call has chunks");
    let make = move || {
        let returned = black_box(&offered).returned(black_box(used), black_box(in_reply));
        let returned = returned.expect("it has room");
        if in_reply == 0 {
            ReplyHeader::msg(black_box(XID), CREDITS, returned)
        } else {
            ReplyHeader::nomsg(black_box(XID), CREDITS, returned).expect("it is in the chunk")
        }
    };
    let (header, rpc) = (make(), (in_reply == 0).then_some(REPLY));
    let put = move |out: &mut [u8]| black_box(&header).write_to(out).expect("there is room");
    both(ops, [encode, decode, name], Role::Requester, rpc, [WRITE, READ], put);
    let both = write(move |out| make().write_to(out).expect("there is room"));
    ops.push(Op::new(
        made,
        "the same, compared with what is used, and written",
        (0, 0.0),
        both,
        None,
    ));
}

/// An error, which is the answer to something.
fn error(ops: &mut Vec<Op>, names: [&'static str; 3], answer: ErrorReply) {
    both(ops, names, Role::Requester, None, [WRITE, 0], move |out| {
        black_box(&answer).header(CREDITS).write_to(out).expect("there is room")
    });
}

/// A message that is refused; the answer.
fn refused(
    ops: &mut Vec<Op>,
    [id, name]: [&'static str; 2],
    message: &'static [u8],
) -> Option<ErrorReply> {
    let refusal = receive(message, Endpoint::new(Role::Responder), &Budget::DEFAULT);
    ops.push(Op::new(id, name, (0, 0.0), read(message, Role::Responder), None));
    refusal.expect_err("it is to be refused").answer
}

fn all() -> Vec<Op> {
    const NONE: ChunkSlices<'_> = ChunkSlices::NONE;
    let ops = &mut Vec::new();
    let short = both(
        ops,
        ["msg-e", "msg-d", "RDMA_MSG, no chunk"],
        Role::Responder,
        Some(CALL),
        [WRITE, READ],
        |out| Header::short(black_box(XID), CREDITS).write_to(out).expect("there is room"),
    );
    let lists = const { &ChunkSlices { reads: READ_AT_100, ..NONE } };
    call(ops, ["msg-read-e", "msg-read-m", "msg-read-d", "RDMA_MSG, Read chunk"], lists, true);
    let lists = const { &ChunkSlices { writes: &[CHUNK], ..NONE } };
    let write = call(
        ops,
        ["msg-write-e", "msg-write-m", "msg-write-d", "RDMA_MSG, Write chunk"],
        lists,
        true,
    );
    let names = [
        "reply-write-e",
        "reply-write-m",
        "reply-write-d",
        "RDMA_MSG, its reply, Write chunk used",
    ];
    reply(ops, names, write, &[4096], 0);
    let lists = const { &ChunkSlices { reply: Some(CHUNK), ..NONE } };
    let long = call(
        ops,
        ["msg-reply-e", "msg-reply-m", "msg-reply-d", "RDMA_MSG, Reply chunk"],
        lists,
        true,
    );
    reply(
        ops,
        [
            "reply-unused-e",
            "reply-unused-m",
            "reply-unused-d",
            "RDMA_MSG, its reply, Reply chunk not used",
        ],
        long,
        &[],
        0,
    );
    reply(
        ops,
        [
            "nomsg-reply-e",
            "nomsg-reply-m",
            "nomsg-reply-d",
            "RDMA_NOMSG, its reply, Reply chunk used",
        ],
        long,
        &[],
        9000,
    );
    let lists = const { &ChunkSlices { reads: READ_AT_0, ..NONE } };
    call(
        ops,
        ["nomsg-e", "nomsg-m", "nomsg-d", "RDMA_NOMSG, Read chunk of position zero"],
        lists,
        false,
    );

    // The same header in version 2, with another xid, and as RDMA_DONE.
    let with = |word: usize, value: u32| -> &'static [u8] {
        let mut message = short.to_vec();
        message[4 * word..4 * word + 4].copy_from_slice(&value.to_be_bytes());
        message.leak()
    };
    let answer = refused(ops, ["version", "version 2, refused"], with(1, 2));
    error(ops, ["error-vers-e", "error-vers-d", "RDMA_ERROR, ERR_VERS"], answer.expect("ERR_VERS"));
    let answer = refused(ops, ["xid", "another xid than the RPC message, refused"], with(0, 5));
    error(
        ops,
        ["error-chunk-e", "error-chunk-d", "RDMA_ERROR, ERR_CHUNK"],
        answer.expect("ERR_CHUNK"),
    );
    let silence = refused(ops, ["done", "RDMA_DONE, dropped"], with(3, 3));
    assert_eq!(silence, None, "nothing is answered to RDMA_DONE");

    let limits = SendLimits { inline: 4096, pull_up: 4096, ..SendLimits::new(Reduce::Offered) };
    let way: Loop = Box::new(move |n| {
        let items = [Item { position: 104, length: 1 << 20, pieces: 1 }];
        let rooms = [Room { length: 1 << 20, segments: 1 }];
        let stream = Stream::new(104 + (1 << 20), 2, &items).expect("a message");
        let offer = Offer { writes: &rooms, ..Offer::NONE };
        for _ in 0..n {
            let choice = choose(black_box(&stream), black_box(&offer), black_box(&limits));
            black_box(&choice);
        }
    });
    ops.push(Op::new("choose", "the way of a READ reply of 1 MiB", (0, 0.0), way, None));
    core::mem::take(ops)
}

fn main() -> ExitCode {
    run(&Table {
        all,
        one: |id| all().into_iter().find(|op| op.id == id),
        check_peers: || (),
        peers: &[],
        rpcgen: None,
    })
}
