//! What must hold for the way that a message goes, whatever the numbers, and numbers to try.
#![allow(dead_code)] // not every user tries everything

use nfswire_rdma::{
    placement::{Body, CannotSend, Item, Offer, Reduce, Room, SendLimits, Stream, Way, choose},
    requester::{Arguments, CallWay, Expected, Limits, NoPlan, plan},
};

/// Where choices come from: numbers that are the same in every run, or the input of a fuzzer.
pub(crate) trait Choices {
    /// Any number.
    fn next(&mut self) -> u64;

    /// A number below `limit`, which is not zero.
    fn below(&mut self, limit: u32) -> u32 {
        (self.next() % u64::from(limit)) as u32
    }
}

const fn padded(length: u32) -> u64 {
    (length as u64).div_ceil(4) * 4
}

/// What must hold for any answer of `choose`. Written from RFC 8166 and the limits alone: nothing here asks how
/// the answer was found.
pub(crate) fn check_choice(reply: &Stream<'_>, offer: &Offer<'_>, limits: &SendLimits) {
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
pub(crate) fn items(before: u64, lengths: &[u32], pieces: u32) -> (Vec<Item>, u64) {
    let mut at = 0;
    let items = lengths.iter().map(|&length| {
        let position = at + before;
        at = position + padded(length);
        Item { position, length, pieces }
    });
    (items.collect(), at)
}

/// A length: of any order of magnitude, often near a round one, rarely enormous.
fn size(c: &mut impl Choices) -> u64 {
    let bits = match c.below(10) {
        0 => 64,
        1 => 33,
        _ => 1 + c.below(14),
    };
    let near = (1u64 << (bits - 1)).wrapping_add(u64::from(c.below(9))).wrapping_sub(4);
    if c.below(2) > 0 { near } else { c.next() >> (64 - bits) }
}

fn word(c: &mut impl Choices) -> u32 {
    size(c).min(u32::MAX.into()) as u32
}

fn room(c: &mut impl Choices) -> Room {
    Room { length: size(c), segments: c.below(20) }
}

fn send_limits(c: &mut impl Choices) -> SendLimits {
    SendLimits {
        inline: word(c),
        pull_up: word(c),
        copy_break: word(c),
        gather: c.below(12),
        invalidate: c.below(2) > 0,
        reduce: if c.below(2) > 0 { Reduce::Needed } else { Reduce::Offered },
    }
}

/// Payloads of any length in a message that has them; the length of that.
fn message(c: &mut impl Choices) -> (Vec<Item>, u64) {
    let lengths: Vec<u32> = (0..c.below(4)).map(|_| word(c)).collect();
    let (mut items, end) = items(c.below(50).into(), &lengths, c.below(4));
    for (k, item) in items.iter_mut().enumerate() {
        // Positions are multiples of four.
        item.position = (item.position + 3 * (k as u64 + 1)) & !3;
    }
    (items, end.saturating_add(20).saturating_add(size(c)))
}

/// Any reply, offer and limits; the way it goes, `None` if it is refused.
pub(crate) fn any_reply(c: &mut impl Choices) -> Option<Way> {
    let (items, length) = message(c);
    let reply = Stream::new(length, c.below(12), &items).ok()?;
    let writes: Vec<Room> = (0..c.below(4)).map(|_| room(c)).collect();
    let offer = Offer {
        writes: &writes,
        reply: (c.below(2) > 0).then(|| room(c)),
        handle: (c.below(2) > 0).then(|| c.below(100)),
    };
    let limits = send_limits(c);
    check_choice(&reply, &offer, &limits);
    choose(&reply, &offer, &limits).ok().map(|choice| choice.way)
}

/// Any call, expected reply and limits; the way it goes, `None` if it is refused.
pub(crate) fn any_call(c: &mut impl Choices) -> Option<CallWay> {
    let (items, length) = message(c);
    let stream = Stream::new(length, c.below(12), &items).ok()?;
    let segments: Vec<u32> = (0..c.below(4)).map(|_| c.below(20)).collect();
    let call = Arguments { stream, segments: &segments, whole: c.below(20) };
    let results: Vec<Room> = (0..c.below(4)).map(|_| room(c)).collect();
    let payloads = results.iter().fold(0u64, |sum, room| sum.saturating_add(room.length));
    let more = size(c);
    let length = if c.below(4) > 0 { payloads.saturating_add(more) } else { more };
    let expected = Expected { length, results: &results, segments: c.below(20) };
    let limits = Limits {
        send: send_limits(c),
        reply_inline: word(c),
        reads: c.below(4),
        writes: c.below(4),
        segments: c.below(20),
        both: c.below(2) > 0,
    };
    check_plan(&call, &expected, &limits);
    plan(&call, &expected, &limits).ok().map(|plan| plan.way)
}

/// What must hold for any answer of `plan`.
pub(crate) fn check_plan(call: &Arguments<'_>, expected: &Expected<'_>, limits: &Limits) {
    let answer = plan(call, expected, limits);
    let context = || format!("{call:?} {expected:?} {limits:?} -> {answer:?}");
    let stream = &call.stream;
    let (whole, largest) = (u128::from(stream.length()), u128::from(expected.length));
    let (inline, theirs) = (u128::from(limits.send.inline), u128::from(limits.reply_inline));
    let sendable = |total: u128, pieces: u32| {
        total <= inline && (total <= u128::from(limits.send.pull_up) || pieces < limits.send.gather)
    };
    let plan = match answer {
        Ok(plan) => plan,
        Err(error) => {
            // What needs no chunk is not refused.
            let bare = sendable(28 + whole, stream.pieces()) && 28 + largest <= theirs;
            assert!(!bare, "{}", context());
            let beyond = match error {
                NoPlan::CallHeader { needed, .. } => u128::from(needed) > inline,
                NoPlan::ReplyHeader { needed, .. } => u128::from(needed) > theirs,
                NoPlan::Segments { needed, most } => needed > most && most == limits.segments,
                _ => panic!("an error of no known kind: {}", context()),
            };
            assert!(beyond, "{}", context());
            return;
        }
    };

    // What is offered is what the peer takes, and makes room for the largest reply.
    let writes = &expected.results[..plan.writes as usize];
    assert!(plan.writes <= limits.writes, "{}", context());
    assert!(writes.iter().all(|room| room.segments <= limits.segments), "{}", context());
    assert!(limits.both || plan.writes == 0 || plan.reply.is_none(), "{}", context());
    assert!(plan.reply.is_none() || expected.segments <= limits.segments, "{}", context());
    let lists = writes.iter().map(|w| 8 + 16 * u128::from(w.segments)).sum::<u128>()
        + plan.reply.map_or(0, |_| 4 + 16 * u128::from(expected.segments));
    let moved: u128 = writes.iter().map(|room| u128::from(room.length)).sum();
    let pads: u128 = writes.iter().map(|room| u128::from(room.length.wrapping_neg() % 4)).sum();
    match plan.reply {
        None => assert!(28 + lists + largest <= theirs + moved + pads, "{}", context()),
        Some(room) => {
            assert!(28 + lists <= theirs, "{}", context());
            assert!(u128::from(room) + moved + pads >= largest, "{}", context());
        }
    }
    if 28 + largest <= theirs {
        assert!(plan.writes == 0 && plan.reply.is_none(), "{}", context());
    }
    largest_reply_goes(expected, &plan, limits);

    // The call fits what it says.
    let reads = || stream.items().iter().enumerate().filter(|(k, _)| plan.reads.contains(*k));
    let entries: u128 = match plan.way {
        CallWay::Long => call.whole.max(1).into(),
        _ => reads().map(|(k, _)| u128::from(call.segments[k])).sum(),
    };
    assert_eq!(u128::from(plan.header), 28 + lists + 24 * entries, "{}", context());
    let sent = u128::from(plan.header) + u128::from(plan.body);
    assert!(sent <= inline, "{}", context());
    let taken: u128 = reads().map(|(_, item)| u128::from(padded(item.length))).sum();
    assert!(plan.reads.count() <= limits.reads && reads().count() == plan.reads.count() as usize);
    match plan.way {
        CallWay::Send => assert!(plan.reads.count() == 0 && u128::from(plan.body) == whole),
        CallWay::Read => {
            assert!(plan.reads.count() > 0 && u128::from(plan.body) + taken == whole);
            for (k, item) in reads() {
                assert!(item.length > 0 && (1..=limits.segments).contains(&call.segments[k]));
            }
        }
        CallWay::Long => assert!(
            plan.body == 0 && plan.reads.count() == 0 && call.whole.max(1) <= limits.segments,
            "{}",
            context()
        ),
        _ => panic!("a way of no known kind: {}", context()),
    }
    if sendable(28 + lists + whole, stream.pieces()) {
        assert_eq!(plan.way, CallWay::Send, "{}", context());
    }
    let own: u32 = reads().map(|(_, item)| item.pieces).sum();
    let pieces = stream.pieces().saturating_sub(own).max(1);
    let pieces = if own == 0 { stream.pieces() } else { pieces };
    match plan.send {
        Body::PulledUp => {
            let fits = sent <= u128::from(limits.send.pull_up);
            assert!(fits || plan.way == CallWay::Long, "{}", context());
        }
        Body::Gathered => assert!(pieces < limits.send.gather, "{}", context()),
        _ => panic!("a body of no known kind: {}", context()),
    }
}

/// The largest reply that is expected can be sent on what the plan offers.
fn largest_reply_goes(
    expected: &Expected<'_>,
    plan: &nfswire_rdma::requester::Plan,
    limits: &Limits,
) {
    let lengths: Option<Vec<u32>> =
        expected.results.iter().map(|room| u32::try_from(room.length).ok()).collect();
    let Some(lengths) = lengths else { return };
    let (items, _) = items(0, &lengths, 1);
    // Results that are not in the reply, or have no memory, are no expectation.
    let Ok(reply) = Stream::new(expected.length, 1, &items) else { return };
    if expected.results.iter().any(|room| room.segments == 0) || expected.segments == 0 {
        return;
    }
    let offer = Offer {
        writes: &expected.results[..plan.writes as usize],
        reply: plan.reply.map(|length| Room { length, segments: expected.segments }),
        handle: None,
    };
    for reduce in [Reduce::Offered, Reduce::Needed] {
        let mut send = SendLimits::new(reduce);
        (send.inline, send.pull_up) = (limits.reply_inline, limits.reply_inline);
        let answer = choose(&reply, &offer, &send);
        assert!(answer.is_ok(), "{plan:?} {expected:?} {limits:?}: {answer:?}");
    }
}
