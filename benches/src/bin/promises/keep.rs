//! S11: small messages that outlive the large blocks they were received into.

extern crate alloc;

use alloc::collections::VecDeque;
use core::{hint::black_box, ops::Range};

use bytes::{Bytes, BytesMut};
use nfswire_benches::samples;
use nfswire_nfs3::{FileName, attr::GetattrArgs, lookup::*};
use nfswire_rpc::parse_call;
use nfswire_xdr::{Cursor, retain};

use super::Table;

/// Bytes of one receive block.
const BLOCK: usize = 64 << 10;
/// Messages kept, one of `EVERY` received.
const HELD: usize = 100_000;
const EVERY: usize = 16;

/// A block of LOOKUP and GETATTR calls, and where each lies in it.
fn block() -> (Vec<u8>, Vec<Range<usize>>) {
    let lookup = LookupArgs {
        what: nfswire_nfs3::DirOpArgs {
            dir: samples::handle(),
            name: FileName::new(b"file-number-000001").expect("a short name"),
        },
    };
    let calls = [
        [samples::bytes_of(&samples::call()), samples::bytes_of(&lookup)].concat(),
        [
            samples::bytes_of(&samples::call()),
            samples::bytes_of(&GetattrArgs { object: samples::handle() }),
        ]
        .concat(),
    ];
    let (mut bytes, mut places) = (Vec::with_capacity(BLOCK), Vec::new());
    for call in calls.iter().cycle() {
        if bytes.len() + call.len() > BLOCK {
            break;
        }
        places.push(bytes.len()..bytes.len() + call.len());
        bytes.extend_from_slice(call);
    }
    bytes.resize(BLOCK, 0);
    (bytes, places)
}

/// Receives blocks until enough messages are kept; the bytes of these messages.
fn receive(copy_break: u32, held: &mut Vec<Bytes>) -> usize {
    let (content, places) = block();
    let (mut live, mut seen) = (0, 0usize);
    while held.len() < HELD {
        let block = Bytes::from(content.clone());
        for place in &places {
            seen += 1;
            let message = &block[place.clone()];
            // All are decoded, some are kept.
            black_box(parse_call(&mut Cursor::new(message)).expect("a call"));
            if seen.is_multiple_of(EVERY) && held.len() < HELD {
                live += message.len();
                held.push(retain(&block, message, copy_break));
            }
        }
    }
    live
}

/// Heap bytes that stay for the messages kept, by their own.
pub(super) fn retained(table: &mut Table) {
    for (name, copy_break, promised) in [("on", 1024, "<= 2"), ("off", 0, "> 8")] {
        let mut held = Vec::with_capacity(HELD);
        let mut live = 0;
        let heap = allocation_counter::measure(|| live = receive(copy_break, &mut held));
        let ratio = heap.bytes_current as f64 / live as f64;
        let what = format!(
            "{HELD} LOOKUP and GETATTR calls kept, one in {EVERY} of those in 64 KiB blocks, \
             copy-break {name}: retained to live"
        );
        let is = format!("{ratio:.2} ({} MiB for {} MiB)", heap.bytes_current >> 20, live >> 20);
        let holds = if copy_break > 0 { ratio <= 2.0 } else { ratio > 8.0 };
        table.row("S11", &what, promised, &is, holds);
    }
}

/// A receiver with a bounded pool of blocks: in each round it receives one block, if one is free.
/// A message that is kept is done with `rounds_kept` rounds later. The blocks per round.
fn rate_of(copy_break: u32, blocks: usize, rounds_kept: usize) -> f64 {
    const ROUNDS: usize = 2000;
    let (content, places) = block();
    let mut free: Vec<BytesMut> = (0..blocks).map(|_| BytesMut::from(&content[..])).collect();
    let (mut busy, mut held) = (VecDeque::<Bytes>::new(), VecDeque::new());
    let (mut received, mut seen) = (0usize, 0usize);
    for round in 0..ROUNDS {
        while held.front().is_some_and(|(done, _)| *done <= round) {
            held.pop_front();
        }
        for _ in 0..busy.len() {
            let Some(block) = busy.pop_front() else { break };
            match block.try_into_mut() {
                Ok(block) => free.push(block),
                Err(block) => busy.push_back(block),
            }
        }
        let Some(block) = free.pop() else { continue };
        let block = block.freeze();
        received += 1;
        for place in &places {
            seen += 1;
            if seen.is_multiple_of(EVERY) {
                let kept = retain(&block, &block[place.clone()], copy_break);
                held.push_back((round + rounds_kept, kept));
            }
        }
        busy.push_back(block);
    }
    received as f64 / ROUNDS as f64
}

/// The receive rate with a bounded pool of blocks.
pub(super) fn rate(table: &mut Table) {
    for blocks in [16, 64, 256] {
        let (on, off) = (rate_of(1024, blocks, 200), rate_of(0, blocks, 200));
        let what =
            format!("a pool of {blocks} blocks, messages kept for 200 rounds: blocks a round");
        let is = format!("{on:.2} with copy-break, {off:.2} without");
        table.row("S11", &what, "1 with copy-break", &is, on >= 0.99 && on >= off);
    }
}

/// Time to keep a message by a copy and by a share, by its length.
pub(super) fn crossover(table: &Table) {
    let block = Bytes::from(vec![1u8; BLOCK]);
    for len in [64, 256, 1024, 4096, 16 << 10, 64 << 10] {
        let keep = |copy_break: u32| {
            let block = block.clone();
            move |n| {
                for _ in 0..n {
                    black_box(retain(&block, black_box(&block[..len]), copy_break));
                }
            }
        };
        let times = table.compare(&mut keep(u32::MAX), &mut keep(0));
        let Some([copy, share, ratio]) = times else { return };
        // What a share retains beside what it is for: all of the block, if it is the only one.
        let waste = BLOCK as f64 / len as f64;
        let what = format!("keeping {len} bytes: a copy beside a share");
        let is =
            format!("{copy:.0} ns, {share:.0} ns: {ratio:.1}; a share retains {waste:.0} times");
        table.note("S11", &what, &is);
    }
}
