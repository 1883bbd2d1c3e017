//! Slots of a session, at both sides.
#![cfg(feature = "alloc")]

use std::collections::HashMap;

use nfswire_nfs4::{
    Status,
    ops::session::{SequenceArgs, SequenceReply, SequenceStatus},
    state::{
        ClientSlots, ReplyKept, RunningCall, SequenceAnswer, SlotGrant, SlotLimits, SlotLookup,
        SlotRequest, SlotStep, SlotTable, SlotUse,
    },
};
use proptest::prelude::*;

type Table = SlotTable<u8>;

const LIMITS: SlotLimits = SlotLimits { slots: 8, max_reply: 16 };

fn request(slot: u32, sequence: u32) -> SlotRequest<u8> {
    SlotRequest { slot, sequence, highest_slot: slot, cache_this: true, principal: 1, checksum: 7 }
}

/// What a lookup found, without the borrow.
#[derive(Debug, PartialEq, Eq, Clone)]
enum Found {
    New,
    Replay(Vec<u8>),
    Uncached,
    InProgress,
    Refused(Status),
}

fn found(lookup: &SlotLookup<'_, u8>) -> Found {
    match lookup {
        SlotLookup::New(_) => Found::New,
        SlotLookup::Replay(reply) => Found::Replay(reply.to_vec()),
        SlotLookup::Uncached => Found::Uncached,
        SlotLookup::InProgress => Found::InProgress,
        SlotLookup::Refused(status) => Found::Refused(*status),
    }
}

fn look(table: &mut Table, request: SlotRequest<u8>) -> Found {
    found(&table.lookup(request))
}

fn start(table: &mut Table, request: SlotRequest<u8>) -> RunningCall {
    match table.lookup(request) {
        SlotLookup::New(call) => call.start(),
        other => panic!("{request:?}: {other:?}"),
    }
}

fn execute(table: &mut Table, request: SlotRequest<u8>, reply: &[u8]) -> ReplyKept {
    let running = start(table, request);
    table.finish(running, [reply])
}

/// A table whose slot 0 was used last with this number.
fn used(sequence: u32, reply: &[u8]) -> Table {
    let mut table = Table::for_client(sequence, LIMITS.max_reply).unwrap();
    assert_eq!(execute(&mut table, request(0, sequence), reply), ReplyKept::Yes);
    table
}

//--- Server ---

#[test]
fn next_last_and_neither() {
    let (new, misordered) = (Found::New, Found::Refused(Status::SEQ_MISORDERED));
    let replay = Found::Replay(b"reply".to_vec());
    for (last, sequence, expected) in [
        (1, 2, &new),
        (1, 1, &replay),
        (1, 0, &misordered),
        (1, 3, &misordered),
        (5, 4, &misordered),
        (u32::MAX, 0, &new),
        (u32::MAX, u32::MAX, &replay),
        (u32::MAX, 1, &misordered),
        (u32::MAX, u32::MAX - 1, &misordered),
        (0, 1, &new),
        (0, 0, &replay),
        (0, u32::MAX, &misordered),
    ] {
        let mut table = used(last, b"reply");
        assert_eq!(&look(&mut table, request(0, sequence)), expected, "{sequence} after {last}");
    }
}

#[test]
fn a_new_session_begins_at_one() {
    let mut table = Table::new(LIMITS).unwrap();
    for (slot, sequence, expected) in [
        (0, 0, Found::Refused(Status::SEQ_MISORDERED)),
        (0, 2, Found::Refused(Status::SEQ_MISORDERED)),
        (0, 1, Found::New),
        (7, 1, Found::New),
        (8, 1, Found::Refused(Status::BADSLOT)),
        (u32::MAX, 1, Found::Refused(Status::BADSLOT)),
    ] {
        assert_eq!(look(&mut table, request(slot, sequence)), expected, "{slot} {sequence}");
    }
    let high = SlotRequest { highest_slot: 8, ..request(0, 1) };
    assert_eq!(look(&mut table, high), Found::Refused(Status::BAD_HIGH_SLOT));
}

/// CREATE_SESSION: the first number is that of EXCHANGE_ID's answer, and the one before is no retry.
#[test]
fn the_slot_of_a_client_id() {
    for first in [0, 1, 1000, u32::MAX] {
        let mut table = Table::for_client(first, 16).unwrap();
        let before = request(0, first.wrapping_sub(1));
        assert_eq!(look(&mut table, before), Found::Refused(Status::SEQ_MISORDERED), "{first}");
        assert_eq!(execute(&mut table, request(0, first), b"session"), ReplyKept::Yes);
        assert_eq!(look(&mut table, request(0, first)), Found::Replay(b"session".to_vec()));
        assert_eq!(look(&mut table, request(0, first.wrapping_add(1))), Found::New);
    }
}

/// Case B38: slot 0 was used last with number 1. SEQUENCE with number 2 and too many operations is
/// refused; the same number is then new, and until it is used the reply to number 1 is kept.
#[test]
fn a_refused_sequence_leaves_the_slot() {
    const MAX_OPERATIONS: u32 = 4;
    let mut table = used(1, b"first");
    let mut sequence = |operations: u32| match table.lookup(request(0, 2)) {
        SlotLookup::New(_) if operations > MAX_OPERATIONS => Err(Status::TOO_MANY_OPS),
        SlotLookup::New(call) => Ok(call.start()),
        other => panic!("{other:?}"),
    };
    assert_eq!(sequence(5).unwrap_err(), Status::TOO_MANY_OPS);
    assert_eq!(sequence(5).unwrap_err(), Status::TOO_MANY_OPS);
    let running = sequence(1).unwrap();
    assert_eq!((running.slot(), running.sequence()), (0, 2));

    let mut table = used(1, b"first");
    assert_eq!(look(&mut table, request(0, 2)), Found::New, "looked at, and refused");
    assert_eq!(look(&mut table, request(0, 1)), Found::Replay(b"first".to_vec()));
}

#[test]
fn a_retry_of_what_still_runs() {
    let mut table = Table::new(LIMITS).unwrap();
    let running = start(&mut table, request(0, 1));
    assert_eq!(look(&mut table, request(0, 1)), Found::InProgress);
    // Who has no reply has no next request, either.
    assert_eq!(look(&mut table, request(0, 2)), Found::Refused(Status::SEQ_MISORDERED));
    assert_eq!(table.finish(running, [&b"a"[..], b"", b"b"]), ReplyKept::Yes);
    assert_eq!(look(&mut table, request(0, 1)), Found::Replay(b"ab".to_vec()));
}

#[test]
fn what_is_kept() {
    let all = SlotRequest { cache_this: true, ..request(0, 1) };
    let none = SlotRequest { cache_this: false, ..request(0, 1) };
    for (asked, reply, kept, retry) in [
        (all, &[1; 16][..], ReplyKept::Yes, Found::Replay(vec![1; 16])),
        (all, &[1; 17], ReplyKept::TooLong, Found::Uncached),
        (all, &[], ReplyKept::Yes, Found::Replay(vec![])),
        (none, &[1; 4], ReplyKept::NotAsked, Found::Uncached),
    ] {
        let mut table = Table::new(LIMITS).unwrap();
        assert_eq!(execute(&mut table, asked, reply), kept);
        assert_eq!(look(&mut table, asked), retry, "{kept:?}");
        assert_eq!(look(&mut table, request(0, 2)), Found::New);
    }
    // In pieces, the last of which is too much.
    let mut table = Table::new(LIMITS).unwrap();
    let running = start(&mut table, all);
    assert_eq!(table.finish(running, [&[1; 9][..], &[2; 8]]), ReplyKept::TooLong);
    assert_eq!(look(&mut table, all), Found::Uncached);
    let running = start(&mut table, request(0, 2));
    table.finish_uncached(running);
    assert_eq!(look(&mut table, request(0, 2)), Found::Uncached);
}

#[test]
fn false_retries() {
    let false_retry = Found::Refused(Status::SEQ_FALSE_RETRY);
    for phase in ["running", "kept", "not kept"] {
        let mut table = Table::new(LIMITS).unwrap();
        let running = start(&mut table, request(0, 1));
        match phase {
            "kept" => assert_eq!(table.finish(running, [&b"x"[..]]), ReplyKept::Yes),
            "not kept" => table.finish_uncached(running),
            _ => assert_eq!(running.sequence(), 1),
        }
        let other_user = SlotRequest { principal: 2, ..request(0, 1) };
        let other_operations = SlotRequest { checksum: 8, ..request(0, 1) };
        assert_eq!(look(&mut table, other_user), false_retry, "{phase}");
        assert_eq!(look(&mut table, other_operations), false_retry, "{phase}");
        assert_ne!(look(&mut table, request(0, 1)), false_retry, "{phase}");
    }
}

#[test]
fn a_call_of_another_table() {
    let (mut ours, mut theirs) = (Table::new(LIMITS).unwrap(), Table::new(LIMITS).unwrap());
    let running = start(&mut theirs, request(3, 1));
    assert_eq!(ours.finish(running, [&b"x"[..]]), ReplyKept::NoSlot);
    assert_eq!(look(&mut ours, request(3, 1)), Found::New);
}

#[test]
fn the_client_has_seen_a_reply() {
    let mut table = Table::new(LIMITS).unwrap();
    execute(&mut table, request(0, 1), b"delegation");
    assert!(!table.was_seen(0, 1));
    let running = start(&mut table, request(0, 2));
    assert!(table.was_seen(0, 1) && !table.was_seen(0, 2));
    table.finish_uncached(running);
    assert!(table.was_seen(99, 1), "no such slot");
}

fn grant(highest_slot: u32, target_highest_slot: u32) -> SlotGrant {
    SlotGrant { highest_slot, target_highest_slot }
}

/// Fewer slots: the limit follows when the client, which was told, says that it uses no more.
#[test]
fn slots_are_given_up() {
    let mut table = Table::new(LIMITS).unwrap();
    execute(&mut table, request(6, 1), b"six");
    execute(&mut table, request(0, 1), b"zero");
    assert_eq!(table.set_target(3), 3);
    assert_eq!(table.grant(), grant(7, 3));

    // Not told on this slot yet: the request may have been under way.
    let running = start(&mut table, request(0, 2));
    assert_eq!(running.grant(), grant(7, 3));
    table.finish_uncached(running);
    // Told, but slots above are in use.
    let high = SlotRequest { highest_slot: 6, ..request(0, 3) };
    assert_eq!(start(&mut table, high).grant(), grant(7, 3));
    // Another slot was not told.
    assert_eq!(start(&mut table, request(1, 1)).grant(), grant(7, 3));
    let running = start(&mut table, request(6, 2));
    table.finish(running, [&b"six again"[..]]);
    assert_eq!(look(&mut table, request(6, 2)), Found::Replay(b"six again".to_vec()));

    let mut table = Table::new(LIMITS).unwrap();
    execute(&mut table, request(6, 1), b"six");
    table.set_target(3);
    execute(&mut table, request(0, 1), b"told");
    let running = start(&mut table, request(0, 2));
    assert_eq!(running.grant(), grant(3, 3), "it complies");
    table.finish_uncached(running);
    assert_eq!(look(&mut table, request(6, 1)), Found::Refused(Status::BADSLOT), "given up");
    assert_eq!(look(&mut table, request(4, 1)), Found::Refused(Status::BADSLOT));
    // It may still count on the limit that it was told at first.
    let high = SlotRequest { highest_slot: 7, ..request(1, 1) };
    assert_eq!(look(&mut table, high), Found::New);

    // Granted again: the client may count on, or begin anew.
    assert_eq!(table.set_target(7), 7);
    assert_eq!(table.grant(), grant(7, 7));
    assert_eq!(look(&mut table, request(6, 2)), Found::New);
    assert_eq!(look(&mut table, request(6, 1)), Found::New);
    assert_eq!(look(&mut table, request(6, 3)), Found::Refused(Status::SEQ_MISORDERED));
    assert_eq!(execute(&mut table, request(6, 1), b"anew"), ReplyKept::Yes);
    assert_eq!(look(&mut table, request(6, 1)), Found::Replay(b"anew".to_vec()));
    assert_eq!(look(&mut table, request(6, 2)), Found::New);
    assert_eq!(table.set_target(1000), 7, "there are no more");
}

/// A client that does not comply.
#[test]
fn a_limit_is_enforced() {
    let mut table = Table::new(LIMITS).unwrap();
    execute(&mut table, request(6, 1), b"six");
    execute(&mut table, request(5, 1), b"five");
    table.set_target(3);
    table.enforce_target();
    assert_eq!(table.grant(), grant(3, 3));
    let bad_high = Found::Refused(Status::BAD_HIGH_SLOT);
    let bad_slot = Found::Refused(Status::BADSLOT);
    assert_eq!(look(&mut table, SlotRequest { highest_slot: 4, ..request(0, 1) }), bad_high);
    assert_eq!(look(&mut table, SlotRequest { highest_slot: 3, ..request(0, 1) }), Found::New);
    // Retries are answered, whatever they say about the highest slot.
    assert_eq!(look(&mut table, request(6, 1)), Found::Replay(b"six".to_vec()));
    // The next number retires the slot: both, or neither.
    assert_eq!(look(&mut table, request(6, 2)), bad_slot);
    assert_eq!(look(&mut table, request(6, 1)), bad_slot);
    assert_eq!(look(&mut table, request(5, 3)), bad_slot);
    assert_eq!(look(&mut table, request(5, 1)), Found::Replay(b"five".to_vec()));
}

/// A client that says it uses no slot above, while a request there runs.
#[test]
fn a_running_slot_is_not_given_up() {
    let mut table = Table::new(LIMITS).unwrap();
    let running = start(&mut table, request(6, 1));
    table.set_target(3);
    execute(&mut table, request(0, 1), b"told");
    assert_eq!(start(&mut table, request(0, 2)).grant(), grant(3, 3));
    assert_eq!(table.finish(running, [&b"late"[..]]), ReplyKept::Yes);
    assert_eq!(look(&mut table, request(6, 1)), Found::Replay(b"late".to_vec()));
}

/// A reply that was told of an older target overtakes nothing, but comes last: the client uses a slot
/// above the target again, and then an older request of its own arrives that denies it.
#[test]
fn a_slot_used_since_is_not_given_up() {
    let mut table = Table::new(LIMITS).unwrap();
    table.set_target(3);
    execute(&mut table, request(0, 1), b"told");
    execute(&mut table, request(6, 1), b"six");
    assert_eq!(start(&mut table, request(0, 2)).grant(), grant(7, 3));
    assert_eq!(look(&mut table, request(6, 1)), Found::Replay(b"six".to_vec()));
}

#[test]
fn sequence_args_and_reply() {
    let args = SequenceArgs {
        sessionid: [9; 16],
        sequenceid: 1,
        slotid: 2,
        highest_slotid: 4,
        cachethis: true,
    };
    let mut table = Table::new(LIMITS).unwrap();
    let asked = SlotRequest::new(&args, 1, 7);
    assert_eq!(asked, SlotRequest { highest_slot: 4, ..request(2, 1) });
    let reply = start(&mut table, asked).grant().reply(&args, SequenceStatus::LEASE_MOVED);
    assert_eq!((reply.sessionid, reply.sequenceid, reply.slotid), ([9; 16], 1, 2));
    assert_eq!((reply.highest_slotid, reply.target_highest_slotid), (7, 7));
    assert_eq!(reply.status_flags, SequenceStatus::LEASE_MOVED);

    let ok = SequenceAnswer::from(&SequenceReply::Ok(reply));
    let expected =
        SequenceAnswer::Ok { slot: 2, sequence: 1, highest_slot: 7, target_highest_slot: 7 };
    assert_eq!(ok, expected);
    let failed = SequenceAnswer::from(&SequenceReply::Fail(Status::DELAY));
    assert_eq!(failed, SequenceAnswer::Failed(Status::DELAY));
}

#[test]
fn memory_is_reserved_up_front() {
    let limits = SlotLimits { slots: 64, max_reply: 4096 };
    let made = allocation_counter::measure(|| {
        let table = Table::new(limits).unwrap();
        assert_eq!(table.grant(), grant(63, 63));
    });
    assert!(made.bytes_max <= 64 * (4096 + 96), "{made:?}");
    let mut table = Table::new(limits).unwrap();
    let used = allocation_counter::measure(|| {
        for sequence in 1..4 {
            for slot in 0..64 {
                let kept = execute(&mut table, request(slot, sequence), &[7; 4096]);
                assert_eq!(kept, ReplyKept::Yes);
                assert!(matches!(
                    table.lookup(request(slot, sequence)),
                    SlotLookup::Replay(reply) if reply.len() == 4096
                ));
            }
        }
    });
    assert_eq!(used.count_total, 0);
    // Slots that are given up return their memory.
    let freed = allocation_counter::measure(|| {
        table.set_target(3);
        execute(&mut table, request(0, 4), b"told");
        execute(&mut table, request(0, 5), b"complies");
    });
    assert_eq!(freed.bytes_current, -60 * 4096);
}

//--- Client ---

fn ok(slot: u32, sequence: u32, highest: u32, target: u32) -> SequenceAnswer {
    SequenceAnswer::Ok { slot, sequence, highest_slot: highest, target_highest_slot: target }
}

fn failed(status: Status) -> SequenceAnswer {
    SequenceAnswer::Failed(status)
}

#[test]
fn the_lowest_free_slot_comes_first() {
    let mut slots = ClientSlots::new(3, 64).unwrap();
    assert_eq!(slots.highest_outstanding(), None);
    let [a, b, c] = [(); 3].map(|()| slots.acquire().unwrap());
    assert_eq!([a.slot(), b.slot(), c.slot()], [0, 1, 2]);
    assert!(slots.acquire().is_none());
    assert_eq!(slots.answered(b, ok(1, 1, 2, 2)), SlotStep::Done);
    assert_eq!(slots.highest_outstanding(), Some(2));
    let b = slots.acquire().unwrap();
    assert_eq!((b.slot(), b.sequence()), (1, 2));
    assert_eq!(slots.answered(c, ok(2, 1, 2, 2)), SlotStep::Done);
    assert_eq!(slots.highest_outstanding(), Some(1));
    assert!(slots.is_outstanding(1, 2) && !slots.is_outstanding(1, 1));
    assert!(!slots.is_outstanding(2, 1) && !slots.is_outstanding(2, 2));
    assert!(!slots.is_outstanding(99, 1));
    assert_eq!(a.sequence(), 1);
}

#[test]
fn each_answer_to_sequence() {
    for (status, expected, next) in [
        (Status::SEQ_FALSE_RETRY, SlotStep::SendAnew, Some((0, 2))),
        (Status::BADSESSION, SlotStep::SessionLost, None),
        (Status::DEADSESSION, SlotStep::SessionLost, None),
        (Status::BADSLOT, SlotStep::SessionLost, None),
        (Status::BAD_HIGH_SLOT, SlotStep::SessionLost, None),
        (Status::SEQ_MISORDERED, SlotStep::SlotLost, Some((1, 1))),
        (Status::TOO_MANY_OPS, SlotStep::Failed(Status::TOO_MANY_OPS), Some((0, 1))),
        (Status::REQ_TOO_BIG, SlotStep::Failed(Status::REQ_TOO_BIG), Some((0, 1))),
        (Status::REP_TOO_BIG, SlotStep::Failed(Status::REP_TOO_BIG), Some((0, 1))),
        (
            Status::REP_TOO_BIG_TO_CACHE,
            SlotStep::Failed(Status::REP_TOO_BIG_TO_CACHE),
            Some((0, 1)),
        ),
        (Status::BADXDR, SlotStep::Failed(Status::BADXDR), Some((0, 1))),
        (Status::SEQUENCE_POS, SlotStep::Failed(Status::SEQUENCE_POS), Some((0, 1))),
    ] {
        let mut slots = ClientSlots::new(4, 4).unwrap();
        let used = slots.acquire().unwrap();
        assert_eq!(slots.answered(used, failed(status)), expected, "{status:?}");
        if let Some(next) = next {
            let used = slots.acquire().unwrap();
            assert_eq!((used.slot(), used.sequence()), next, "{status:?}");
        }
    }
    for status in [Status::DELAY, Status::CONN_NOT_BOUND_TO_SESSION] {
        let mut slots = ClientSlots::new(4, 4).unwrap();
        let used = slots.acquire().unwrap();
        let (SlotStep::RetryLater(used) | SlotStep::BindThenRetry(used)) =
            slots.answered(used, failed(status))
        else {
            panic!("{status:?}");
        };
        assert_eq!((used.slot(), used.sequence()), (0, 1), "the same, {status:?}");
        assert_eq!(slots.highest_outstanding(), Some(0));
    }
}

#[test]
fn an_answer_to_something_else() {
    for wrong in [ok(1, 1, 3, 3), ok(0, 2, 3, 3)] {
        let mut slots = ClientSlots::new(4, 4).unwrap();
        let used = slots.acquire().unwrap();
        assert_eq!(slots.answered(used, wrong), SlotStep::SessionLost);
    }
}

#[test]
fn limits_of_the_server() {
    let mut slots = ClientSlots::new(2, 4).unwrap();
    let (a, b) = (slots.acquire().unwrap(), slots.acquire().unwrap());
    assert!(slots.acquire().is_none());
    // More than this client wants at all.
    assert_eq!(slots.answered(a, ok(0, 1, 99, 99)), SlotStep::Done);
    let held = [(); 3].map(|()| slots.acquire().unwrap());
    assert_eq!(held.each_ref().map(|used| used.slot()), [0, 2, 3]);
    assert!(slots.acquire().is_none());
    // Fewer: what is outstanding goes on.
    assert_eq!(slots.answered(b, ok(1, 1, 3, 0)), SlotStep::Done);
    assert!(slots.acquire().is_none());
    assert!(!slots.recall_is_met());
    for used in held {
        let (slot, sequence) = (used.slot(), used.sequence());
        assert_eq!(slots.answered(used, ok(slot, sequence, 3, 0)), SlotStep::Done);
    }
    assert!(slots.recall_is_met());
    let used = slots.acquire().unwrap();
    assert_eq!((used.slot(), used.sequence()), (0, 3));
    assert!(slots.acquire().is_none(), "slot 1 is above the target");
}

#[test]
fn slots_that_the_server_took_back() {
    let mut slots = ClientSlots::new(5, 5).unwrap();
    let mut held = [(); 5].map(|()| slots.acquire().unwrap());
    for used in &mut held {
        assert_eq!(slots.highest_slot(used), 4);
    }
    let [a, b, c, d, e] = held;
    // Slot 2 may be used, slot 4 not, of which the server has heard.
    let step = slots.answered(c, failed(Status::BAD_HIGH_SLOT));
    let SlotStep::RetryLater(mut c) = step else { panic!("{step:?}") };
    assert_eq!(slots.answered(e, failed(Status::BADSLOT)), SlotStep::SendAnew);
    assert_eq!(slots.highest_slot(&mut c), 3);
    let step = slots.answered(c, failed(Status::BAD_HIGH_SLOT));
    let SlotStep::RetryLater(mut c) = step else { panic!("{step:?}") };
    assert_eq!(slots.answered(d, failed(Status::BADSLOT)), SlotStep::SendAnew);
    // Nor slot 2.
    assert_eq!((c.slot(), c.sequence(), slots.highest_slot(&mut c)), (2, 1, 2));
    assert_eq!(slots.answered(c, failed(Status::BAD_HIGH_SLOT)), SlotStep::SendAnew);
    assert_eq!(slots.answered(a, ok(0, 1, 1, 1)), SlotStep::Done);
    assert_eq!(slots.answered(b, ok(1, 1, 1, 1)), SlotStep::Done);
    let held = [(); 2].map(|()| slots.acquire().unwrap());
    assert_eq!(held.map(|used| used.slot()), [0, 1]);
    assert!(slots.acquire().is_none());
}

#[test]
fn a_slot_granted_again_may_begin_at_one() {
    let mut slots = ClientSlots::new(2, 2).unwrap();
    let (a, b) = (slots.acquire().unwrap(), slots.acquire().unwrap());
    assert_eq!(slots.answered(b, ok(1, 1, 1, 0)), SlotStep::Done);
    assert_eq!(slots.answered(a, ok(0, 1, 1, 1)), SlotStep::Done);
    let (a, b) = (slots.acquire().unwrap(), slots.acquire().unwrap());
    assert_eq!((b.slot(), b.sequence()), (1, 2));
    assert_eq!(slots.answered(b, failed(Status::SEQ_MISORDERED)), SlotStep::SendAnew);
    let b = slots.acquire().unwrap();
    assert_eq!((b.slot(), b.sequence()), (1, 1));
    assert_eq!(slots.answered(b, failed(Status::SEQ_MISORDERED)), SlotStep::SlotLost);
    assert!(!slots.is_lost());
    assert_eq!(slots.answered(a, failed(Status::SEQ_MISORDERED)), SlotStep::SlotLost);
    assert!(slots.is_lost() && slots.acquire().is_none());
    assert_eq!(slots.highest_outstanding(), None);
}

#[test]
fn abandoned_requests() {
    for (answer, expected, sequence) in
        [(ok(0, 1, 1, 1), SlotStep::Done, 2), (failed(Status::SEQ_FALSE_RETRY), SlotStep::Done, 2)]
    {
        let mut slots = ClientSlots::new(2, 2).unwrap();
        let used = slots.acquire().unwrap();
        slots.abandon(used);
        assert!(slots.is_outstanding(0, 1), "for all that is known");
        assert_eq!(slots.acquire().unwrap().slot(), 1, "not used again");
        let probe = slots.probe().unwrap();
        assert!(slots.probe().is_none());
        assert_eq!((probe.slot(), probe.sequence()), (0, 1));
        assert_eq!(slots.answered(probe, answer), expected);
        let used = slots.acquire().unwrap();
        assert_eq!((used.slot(), used.sequence()), (0, sequence));
    }
    // The probe itself failed, or the reply came after all.
    let mut slots = ClientSlots::new(2, 2).unwrap();
    let used = slots.acquire().unwrap();
    slots.abandon(used);
    let probe = slots.probe().unwrap();
    let step = slots.answered(probe, failed(Status::SERVERFAULT));
    assert_eq!(step, SlotStep::Failed(Status::SERVERFAULT));
    assert!(!slots.answered_late(0, 2) && !slots.answered_late(1, 1));
    assert!(slots.answered_late(0, 1) && !slots.answered_late(0, 1));
    assert!(slots.probe().is_none());
    assert_eq!(slots.acquire().unwrap().sequence(), 2);
}

#[test]
fn recalled_slots() {
    let mut slots = ClientSlots::new(4, 4).unwrap();
    let held = [(); 3].map(|()| slots.acquire().unwrap());
    assert_eq!(slots.recall(4), Err(Status::BAD_HIGH_SLOT));
    assert_eq!(slots.recall(1), Ok(()));
    assert!(!slots.recall_is_met() && slots.acquire().is_none());
    let [_, _, c] = held;
    assert_eq!(slots.answered(c, ok(2, 1, 3, 1)), SlotStep::Done);
    assert!(slots.recall_is_met());
    assert_eq!(slots.highest_outstanding(), Some(1));
}

//--- Both ---

#[derive(Debug, Clone)]
enum Event {
    /// The client sends a request.
    Send,
    /// One of what is outstanding arrives, not for the first time perhaps, and the answer, if there
    /// is one, gets through.
    Arrive(prop::sample::Index),
    /// The same, and the answer is lost.
    Lose(prop::sample::Index),
    /// One that the client has done with arrives once more.
    ArriveLate(prop::sample::Index),
    /// The server ends one of what runs.
    Finish(prop::sample::Index),
    /// The server changes its target.
    Target(u32),
    /// It insists.
    Enforce,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => Just(Event::Send),
        8 => any::<prop::sample::Index>().prop_map(Event::Arrive),
        8 => any::<prop::sample::Index>().prop_map(Event::Finish),
        2 => (0..8u32).prop_map(Event::Target),
        2 => any::<prop::sample::Index>().prop_map(Event::Lose),
        2 => any::<prop::sample::Index>().prop_map(Event::ArriveLate),
        1 => Just(Event::Enforce),
    ]
}

struct Sent {
    used: SlotUse,
    request: SlotRequest<u8>,
}

/// A client and a server, where a request's checksum is its name.
struct Pair {
    table: Table,
    client: ClientSlots,
    sent: Vec<Sent>,
    done: Vec<SlotRequest<u8>>,
    running: Vec<(u64, RunningCall)>,
    /// Requests that were executed, with what SEQUENCE said then.
    executed: HashMap<u64, SlotGrant>,
    names: u64,
}

impl Pair {
    fn new() -> Self {
        Self {
            table: Table::new(LIMITS).unwrap(),
            client: ClientSlots::new(LIMITS.slots, LIMITS.slots).unwrap(),
            sent: Vec::new(),
            done: Vec::new(),
            running: Vec::new(),
            executed: HashMap::new(),
            names: 0,
        }
    }

    fn send(&mut self) {
        let Some(mut used) = self.client.acquire() else { return };
        self.names += 1;
        let request = SlotRequest {
            highest_slot: self.client.highest_slot(&mut used),
            checksum: self.names,
            ..request(used.slot(), used.sequence())
        };
        self.sent.push(Sent { used, request });
    }

    /// What the server answers to SEQUENCE; `None`: nothing yet.
    fn arrive(&mut self, request: SlotRequest<u8>) -> Option<SequenceAnswer> {
        let name = request.checksum;
        match self.table.lookup(request) {
            SlotLookup::New(call) => {
                let call = call.start();
                assert!(self.executed.insert(name, call.grant()).is_none(), "twice: {request:?}");
                self.running.push((name, call));
                None
            }
            SlotLookup::InProgress => None,
            SlotLookup::Replay(reply) => {
                assert_eq!(reply, name.to_be_bytes(), "the reply to something else");
                let SlotGrant { highest_slot, target_highest_slot } = self.executed[&name];
                Some(ok(request.slot, request.sequence, highest_slot, target_highest_slot))
            }
            SlotLookup::Refused(status) => {
                assert!(!self.executed.contains_key(&name), "{status:?}: {request:?}");
                Some(failed(status))
            }
            SlotLookup::Uncached => panic!("{request:?}"),
        }
    }

    fn answer(&mut self, at: usize, answer: SequenceAnswer) {
        let Sent { used, request } = self.sent.swap_remove(at);
        match self.client.answered(used, answer) {
            SlotStep::Done => self.done.push(request),
            SlotStep::SendAnew => {}
            SlotStep::RetryLater(mut used) => {
                let highest_slot = self.client.highest_slot(&mut used);
                self.sent.push(Sent { used, request: SlotRequest { highest_slot, ..request } });
            }
            other => panic!("{request:?}, {answer:?}: {other:?}"),
        }
    }

    fn step(&mut self, event: &Event) {
        match event {
            Event::Send => self.send(),
            Event::Arrive(at) | Event::Lose(at) if !self.sent.is_empty() => {
                let at = at.index(self.sent.len());
                let answer = self.arrive(self.sent[at].request);
                if let (Some(answer), Event::Arrive(_)) = (answer, event) {
                    self.answer(at, answer);
                }
            }
            Event::ArriveLate(at) if !self.done.is_empty() => {
                let late = self.done[at.index(self.done.len())];
                // The first request on a slot that was taken back may be new.
                let found = look(&mut self.table, late);
                assert!(found != Found::New || late.sequence == 1, "{late:?}");
            }
            Event::Finish(at) if !self.running.is_empty() => {
                let (name, call) = self.running.swap_remove(at.index(self.running.len()));
                assert_eq!(self.table.finish(call, [&name.to_be_bytes()[..]]), ReplyKept::Yes);
            }
            Event::Target(target) => assert_eq!(self.table.set_target(*target), *target),
            Event::Enforce => self.table.enforce_target(),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever arrives, how often and in which order: each request is executed at most once, and
    /// exactly once if it is answered; its reply is the one to it; and both sides agree about slots
    /// that were taken back and granted again.
    #[test]
    fn exactly_once(events in prop::collection::vec(event(), 1..400)) {
        let mut pair = Pair::new();
        events.iter().for_each(|event| pair.step(event));
        // Then the network calms down: everything is answered.
        for _ in 0..100 {
            while let Some((name, call)) = pair.running.pop() {
                pair.table.finish(call, [&name.to_be_bytes()[..]]);
            }
            for at in (0..pair.sent.len()).rev() {
                if let Some(answer) = pair.arrive(pair.sent[at].request) {
                    pair.answer(at, answer);
                }
            }
        }
        prop_assert!(pair.sent.is_empty(), "{} never answered", pair.sent.len());
        prop_assert_eq!(pair.done.len(), pair.executed.len());
    }
}
