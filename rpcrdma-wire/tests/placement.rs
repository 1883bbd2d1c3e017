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

use nfswire_rdma::placement::{
    BadStream, Body, CannotSend, Choice, Item, Offer, Reduce, Room, SendLimits, Stream, Way, choose,
};
use random::Random;

const fn padded(length: u32) -> u64 {
    (length as u64).div_ceil(4) * 4
}

/// What must hold for any answer. Written from RFC 8166 and the limits alone: nothing here asks how
/// the answer was found.
fn check(reply: &Stream<'_>, offer: &Offer<'_>, limits: &SendLimits) {
    let answer = choose(reply, offer, limits);
    let context = || format!("{reply:?} {offer:?} {limits:?} -> {answer:?}");

    let header = 28
        + offer.writes.iter().map(|w| 8 + 16 * u128::from(w.segments)).sum::<u128>()
        + offer.reply.map_or(0, |r| 4 + 16 * u128::from(r.segments));
    let moves = |k: usize| offer.writes.get(k).is_some_and(|w| w.segments > 0);
    let moved = || reply.items().iter().enumerate().filter(|(k, _)| moves(*k));
    let must_move = moved().any(|(_, item)| item.length > 0);
    let chunks_do = moved().all(|(k, i)| u64::from(i.length) <= offer.writes[k].length);
    let whole = u128::from(reply.length());
    let rest = whole - moved().map(|(_, i)| u128::from(padded(i.length))).sum::<u128>();
    let pieces = reply.pieces();
    let own = moved().filter(|(_, i)| i.length > 0).map(|(_, i)| i.pieces).sum();
    let fewer = pieces.saturating_sub(own);
    let inline = u128::from(limits.inline);
    let sendable = |length: u128, pieces: u32| {
        header + length <= inline
            && (header + length <= u128::from(limits.pull_up) || pieces < limits.gather)
    };
    let least = fewer.max(1);
    let whole_goes = sendable(whole, pieces);
    let rest_goes = sendable(rest, least);
    let in_reply = offer.reply.is_some_and(|r| u128::from(r.length) >= rest);
    let may_stay = !must_move || limits.reduce == Reduce::Needed;

    let choice = match answer {
        Ok(choice) => choice,
        Err(error) => {
            // Nothing is refused that could be sent.
            assert!(!(header <= inline && may_stay && whole_goes), "{}", context());
            let can = header <= inline && chunks_do && (rest_goes || in_reply);
            assert!(!can, "{}", context());
            match error {
                CannotSend::Header { needed, .. } => {
                    assert!(header > inline && u128::from(needed) == header.min(u64::MAX.into()));
                }
                CannotSend::WriteChunk { index, needed, offered } => {
                    assert!(moves(index) && u64::from(needed) > offered, "{}", context());
                    assert_eq!(reply.items()[index].length, needed);
                }
                CannotSend::NoReplyChunk { needed, .. } => {
                    assert!(offer.reply.is_none() && u128::from(needed) > inline, "{}", context());
                }
                CannotSend::ReplyChunk { needed, offered } => {
                    assert!(u128::from(needed) == rest && needed > offered, "{}", context());
                }
                CannotSend::Pieces { .. } => assert!(least >= limits.gather, "{}", context()),
                _ => panic!("an error of no known kind: {}", context()),
            }
            return;
        }
    };

    assert_eq!(u128::from(choice.header), header, "{}", context());
    let sent = u128::from(choice.header) + u128::from(choice.body);
    assert!(sent <= inline, "{}", context());
    // Never truncated: what is in the Send, in the Reply chunk and in Write chunks is all there is.
    let carried = u128::from(choice.body) + u128::from(choice.reply);
    let taken: u128 = if choice.reduced { whole - rest } else { 0 };
    assert_eq!(carried + taken, whole, "{}", context());
    assert!(!choice.reduced || (chunks_do && must_move), "{}", context());
    match choice.way {
        Way::Send => {
            assert!(
                whole_goes && may_stay && !choice.reduced && choice.writes == 0,
                "{}",
                context()
            );
        }
        Way::Write => {
            assert!(rest_goes && choice.reduced && choice.reply == 0, "{}", context());
            // R2: a reply that fits inline costs no RDMA Write.
            assert!(limits.reduce == Reduce::Offered || !whole_goes, "{}", context());
        }
        Way::Reply => {
            assert!(in_reply && choice.body == 0 && !rest_goes, "{}", context());
            assert!(!whole_goes || !may_stay, "{}", context());
            assert_eq!(choice.reduced, must_move, "{}", context());
        }
        _ => panic!("a way of no known kind: {}", context()),
    }
    let pieces = if choice.way == Way::Send { pieces } else { least };
    match choice.send {
        Body::PulledUp => {
            let fits = sent <= u128::from(limits.pull_up);
            assert!(fits || choice.way == Way::Reply, "{}", context());
        }
        Body::Gathered => {
            assert!(
                pieces < limits.gather && sent > u128::from(limits.copy_break.min(limits.pull_up))
            );
        }
        _ => panic!("a body of no known kind: {}", context()),
    }
    assert_eq!(choice.invalidate.is_some(), limits.invalidate && offer.handle.is_some());
}

/// Payloads one behind the other, `before` bytes ahead of each.
fn items(before: u64, lengths: &[u32], pieces: u32) -> (Vec<Item>, u64) {
    let mut at = 0;
    let items = lengths.iter().map(|&length| {
        let position = at + before;
        at = position + padded(length);
        Item { position, length, pieces }
    });
    (items.collect(), at)
}

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
                                check(&reply, &offer, &limits);
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

/// A length: of any order of magnitude, often near a round one, rarely enormous.
fn size(random: &mut Random) -> u64 {
    let bits = match random.below(10) {
        0 => 64,
        1 => 33,
        _ => 1 + random.below(14),
    };
    let near = (1u64 << (bits - 1)).wrapping_add(random.next() % 9).wrapping_sub(4);
    if random.below(2) > 0 { near } else { random.next() >> (64 - bits) }
}

fn random_room(random: &mut Random) -> Room {
    Room { length: size(random), segments: random.below(20) }
}

/// The environment can ask for more: `NFSWIRE_INPUTS=10000000`.
fn inputs(default: u64) -> u64 {
    std::env::var("NFSWIRE_INPUTS").ok().map_or(default, |n| n.parse().expect("a number"))
}

// No number makes it panic, loop or promise too much.
#[test]
fn random_numbers() {
    let mut random = Random::new(0x5eed);
    let mut ways = [0u64; 4];
    for _ in 0..inputs(300_000) {
        let lengths: Vec<u32> =
            (0..random.below(4)).map(|_| size(&mut random).min(u32::MAX.into()) as u32).collect();
        let (items, end) = items(random.below(50).into(), &lengths, random.below(4));
        // `position` is where the first word of the payload is; words are four bytes.
        let items: Vec<Item> = items
            .iter()
            .enumerate()
            .map(|(k, item)| Item { position: (item.position + 3 * (k as u64 + 1)) & !3, ..*item })
            .collect();
        let length = end.saturating_add(20).saturating_add(size(&mut random));
        let Ok(reply) = Stream::new(length, random.below(12), &items) else { continue };
        let writes: Vec<Room> = (0..random.below(4)).map(|_| random_room(&mut random)).collect();
        let offer = Offer {
            writes: &writes,
            reply: (random.below(2) > 0).then(|| random_room(&mut random)),
            handle: (random.below(2) > 0).then(|| random.below(100)),
        };
        let limits = SendLimits {
            inline: size(&mut random).min(u32::MAX.into()) as u32,
            pull_up: size(&mut random).min(u32::MAX.into()) as u32,
            copy_break: size(&mut random).min(u32::MAX.into()) as u32,
            gather: random.below(12),
            invalidate: random.below(2) > 0,
            reduce: if random.below(2) > 0 { Reduce::Needed } else { Reduce::Offered },
        };
        check(&reply, &offer, &limits);
        ways[match choose(&reply, &offer, &limits) {
            Ok(Choice { way: Way::Send, .. }) => 0,
            Ok(Choice { way: Way::Write, .. }) => 1,
            Ok(_) => 2,
            Err(_) => 3,
        }] += 1;
    }
    println!("Send, Write, Reply chunk, refused: {ways:?}");
    assert!(ways.iter().all(|&n| n > 0), "{ways:?}");
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
