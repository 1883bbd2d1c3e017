//! Which way a reply goes: every case of a table against rules written down apart, random numbers
//! against what must always hold, and real messages sent every way and put together again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

#[path = "common/random.rs"]
mod random;
#[path = "common/ways.rs"]
mod ways;

use nfswire_rdma::placement::{
    BadStream, CannotSend, Item, Offer, Reduce, Room, SendLimits, Stream, Way, choose,
};
use random::Random;
use ways::{Choices, any_call, any_reply, check_choice, items};

// S6: all combinations of what decides, around every threshold.
#[test]
fn table() {
    let rooms: &[&[Room]] = &[
        &[],
        &[Room { length: 0, segments: 0 }],
        &[Room { length: 4096, segments: 1 }],
        &[Room { length: 8, segments: 1 }],
        &[Room { length: 4096, segments: 2 }, Room { length: 900, segments: 1 }],
        &[Room { length: 0, segments: 0 }, Room { length: 4096, segments: 3 }],
        &[Room { length: 1 << 20, segments: 70 }],
    ];
    let replies = [
        None,
        Some(Room { length: 0, segments: 1 }),
        Some(Room { length: 1000, segments: 1 }),
        Some(Room { length: 1 << 20, segments: 9 }),
    ];
    let payloads: &[&[u32]] =
        &[&[], &[0], &[1], &[8], &[500], &[963], &[4000], &[1, 900], &[900, 901], &[5000]];
    let mut cases = 0;
    for lengths in payloads {
        for more in [0, 4, 28, 60, 400, 900, 940, 968, 972, 996, 1000, 4000] {
            for pieces in 0..4 {
                let (items, end) = items(24, lengths, pieces);
                let own = u32::try_from(items.len()).unwrap() * (pieces + 1) + pieces + 1;
                let reply = Stream::new(end + more, own, &items).unwrap();
                for (writes, reply_chunk) in
                    rooms.iter().flat_map(|w| replies.iter().map(move |r| (*w, *r)))
                {
                    for copy_break in [0, 512, 1024] {
                        for (pull_up, gather) in [(1024, 1), (1024, 3), (512, 3), (0, 6), (2000, 9)]
                        {
                            for reduce in [Reduce::Offered, Reduce::Needed] {
                                let offer = Offer { writes, reply: reply_chunk, handle: Some(7) };
                                let limits = SendLimits {
                                    inline: 1024,
                                    pull_up,
                                    copy_break,
                                    gather,
                                    invalidate: cases % 2 == 0,
                                    reduce,
                                };
                                check_choice(&reply, &offer, &limits);
                                cases += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert_eq!(cases, 10 * 12 * 4 * 7 * 4 * 3 * 5 * 2);
}

/// The environment can ask for more: `NFSWIRE_INPUTS=10000000`.
fn inputs(default: u64) -> u64 {
    std::env::var("NFSWIRE_INPUTS").ok().map_or(default, |n| n.parse().expect("a number"))
}

impl Choices for Random {
    fn next(&mut self) -> u64 {
        Self::next(self)
    }
}

// No number makes them panic, loop or promise too much.
#[test]
fn random_numbers() {
    let mut random = Random::new(0x5eed);
    let (mut replies, mut calls) = ([0u64; 4], [0u64; 4]);
    for _ in 0..inputs(300_000) {
        replies[any_reply(&mut random).map_or(3, |way| way as usize)] += 1;
        calls[any_call(&mut random).map_or(3, |way| way as usize)] += 1;
    }
    println!("Send, Write, Reply chunk, refused: {replies:?}");
    println!("Send, Read chunks, long, refused: {calls:?}");
    assert!(replies.iter().chain(&calls).all(|&n| n > 0), "{replies:?} {calls:?}");
}

#[test]
fn lists_that_cannot_be() {
    let item = |position, length| Item { position, length, pieces: 1 };
    let new = |items: &[Item]| Stream::new(100, 3, items).map(|_| ());
    assert_eq!(new(&[item(0, 4), item(4, 95)]), Ok(()));
    assert_eq!(new(&[item(2, 4)]), Err(BadStream::Position { index: 0, position: 2 }));
    assert_eq!(new(&[item(0, 5), item(4, 1)]), Err(BadStream::Position { index: 1, position: 4 }));
    assert_eq!(new(&[item(8, 4), item(4, 1)]), Err(BadStream::Position { index: 1, position: 4 }));
    assert_eq!(new(&[item(96, 5)]), Err(BadStream::End { index: 0, end: 104, length: 100 }));
    let far = u64::MAX - 3;
    assert_eq!(new(&[item(far, 9)]), Err(BadStream::End { index: 0, end: u64::MAX, length: 100 }));
}

// Payload k goes to Write chunk k, as the list of an NFSv4 COMPOUND asks (RFC 8267, section 6.4.1).
#[test]
fn payloads_go_to_chunks_by_number() {
    let rooms = [
        Room { length: 8192, segments: 1 },
        Room { length: 0, segments: 0 },
        Room { length: 8192, segments: 2 },
        Room { length: 8192, segments: 4 },
    ];
    let (items, end) = items(40, &[8192, 100, 4096], 1);
    let reply = Stream::new(end, 7, &items).unwrap();
    let offer = Offer { writes: &rooms, ..Offer::NONE };
    let choice = choose(&reply, &offer, &SendLimits::new(Reduce::Needed)).unwrap();
    assert_eq!((choice.way, choice.writes), (Way::Write, 3));
    assert_eq!(choice.body, 3 * 40 + 100);
    let moved: Vec<_> = (0..5).map(|k| choice.moved(&offer, k)).collect();
    // The fourth chunk has no payload to take, but would have taken it.
    assert_eq!(moved, [true, false, true, true, false]);
    let mut used = [9; 4];
    choice.used(&reply, &offer, &mut used);
    assert_eq!(used, [8192, 0, 4096, 0]);
    let rest: Vec<_> = reply.rest(|k| choice.moved(&offer, k)).collect();
    assert_eq!(rest, [0..40, 8232..8412]);
}

// A chunk that is too small for its payload is refused with its number; what fits elsewhere is not
// put there, since the requester would not look for it.
#[test]
fn a_chunk_that_is_too_small() {
    let (items, end) = items(40, &[100, 5000], 1);
    let reply = Stream::new(end, 5, &items).unwrap();
    let rooms = [Room { length: 5000, segments: 1 }, Room { length: 4999, segments: 1 }];
    let offer =
        Offer { writes: &rooms, reply: Some(Room { length: 1 << 20, segments: 1 }), handle: None };
    assert_eq!(
        choose(&reply, &offer, &SendLimits::new(Reduce::Offered)),
        Err(CannotSend::WriteChunk { index: 1, needed: 5000, offered: 4999 })
    );
}
