//! F3: the calls of a client that wait for their replies; case B19.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use nfswire_rpc::{ReplyHeader, TooManyCalls, XidTable, parse_reply};
use nfswire_xdr::{Cursor, Encoder, Segments};
use proptest::prelude::*;

fn reply(xid: u32) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&ReplyHeader::success(xid)).unwrap();
    e.finish();
    head
}

#[test]
fn b19_a_client_matches_by_xid_alone_and_drops_the_rest() {
    let mut calls = XidTable::<_>::new(0x4e46_5301, 8).unwrap();
    let first = calls.begin("first", 10).unwrap();
    let second = calls.begin("second", 10).unwrap();
    let mut answered = vec![];
    // A third xid; the two expected ones in reverse order; one of them again.
    for xid in [0x4e46_5399, second, first, second] {
        let message = reply(xid);
        let header = parse_reply(&mut Cursor::new(&message)).unwrap();
        answered.extend(calls.complete(header.xid).map(|call| call.token));
    }
    assert_eq!(answered, ["second", "first"]);
    assert_eq!((calls.strays(), calls.len()), (2, 0));
    // The connection is as usable as before.
    let third = calls.begin("third", 10).unwrap();
    assert_eq!(calls.complete(third).unwrap().token, "third");
}

#[test]
fn numbers_wrap_and_pass_over_those_that_wait() {
    let mut calls = XidTable::<_>::new(u32::MAX - 1, 3).unwrap();
    let xids: Vec<u32> = (0..3).map(|i| calls.begin(i, 0).unwrap()).collect();
    assert_eq!(xids, [u32::MAX - 1, u32::MAX, 0]);
    // One call waits for ever; the others go round and round.
    let mut seen = vec![0];
    calls.complete(u32::MAX).unwrap();
    calls.complete(u32::MAX - 1).unwrap();
    for _ in 0..1000 {
        let xid = calls.begin(7, 0).unwrap();
        assert!(!seen.contains(&xid), "{xid} again after {} calls", seen.len());
        seen.push(xid);
        assert_eq!(calls.complete(xid).unwrap().xid, xid);
        assert_eq!(calls.get(0).unwrap().token, 2);
    }
    // Passing over costs one number in each round of eight.
    assert!(calls.next_xid() < 1000 * 8 / 7 + 10, "{}", calls.next_xid());
}

#[test]
fn a_full_table_gives_the_token_back() {
    for limit in [0, 1, 2, 3, 64] {
        let mut calls = XidTable::<_>::new(5, limit).unwrap();
        for i in 0..limit {
            calls.begin(i, 0).unwrap();
        }
        let error = calls.begin(99, 0).unwrap_err();
        assert_eq!(error, TooManyCalls { limit, token: 99 });
        assert!(error.to_string().contains(&format!("{limit} calls wait")));
        assert_eq!(calls.len(), limit as usize);
        if calls.pop().is_some() {
            calls.begin(99, 0).unwrap();
        }
    }
    let error = XidTable::<u64>::new(0, u32::MAX).unwrap_err();
    assert!(error.to_string().contains("lower the limits"));
}

#[test]
fn overdue_calls_come_in_order_and_can_be_sent_again() {
    let mut calls = XidTable::new(1, 16).unwrap();
    for (token, deadline) in [("c", 30), ("a", 10), ("d", 40), ("b", 10)] {
        calls.begin(token, deadline).unwrap();
    }
    assert_eq!(calls.next_deadline(), Some(&10));
    assert_eq!(calls.expire(&9), None);
    // Equal deadlines: the one that was set first.
    let first = calls.overdue(&10).copied().unwrap();
    assert_eq!((first.token, first.sends), ("a", 1));
    assert!(calls.renew(first.xid, 35));
    assert_eq!(calls.expire(&30).unwrap().token, "b");
    assert_eq!(calls.expire(&30).unwrap().token, "c");
    assert_eq!(calls.expire(&30), None);
    let again = calls.expire(&35).unwrap();
    assert_eq!((again.token, again.sends, again.xid), ("a", 2, first.xid));
    // The reply to an expired call is a stray one.
    assert!(!calls.renew(first.xid, 99));
    assert_eq!(calls.complete(first.xid), None);
    assert_eq!(calls.strays(), 1);
    *calls.token_mut(3).unwrap() = "D";
    assert_eq!(calls.cancel(3).unwrap().token, "D");
    assert!(calls.is_empty() && calls.cancel(3).is_none());
    assert_eq!(calls.strays(), 1, "a cancelled call is no stray reply");
}

#[test]
fn nothing_is_allocated_after_the_beginning() {
    let mut calls = XidTable::new(0xffff_ff00, 100).unwrap();
    let info = allocation_counter::measure(|| {
        for round in 0..1000u64 {
            while calls.begin(round, round * 7 % 50).is_ok() {}
            for _ in 0..30 {
                calls.pop().unwrap();
            }
            let xid = calls.overdue(&60).unwrap().xid;
            calls.renew(xid, 60);
        }
    });
    assert_eq!(info.count_total, 0);
}

#[test]
fn expiring_many_costs_little_each() {
    // Counts comparisons of deadlines: O(log n) each, whatever the order they were set in.
    use core::{cell::Cell, cmp::Ordering};
    thread_local!(static COMPARED: Cell<u64> = const { Cell::new(0) });
    #[derive(PartialEq, Eq)]
    struct Instant(u64);
    impl PartialOrd for Instant {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }
    impl Ord for Instant {
        fn cmp(&self, other: &Self) -> Ordering {
            COMPARED.set(COMPARED.get() + 1);
            self.0.cmp(&other.0)
        }
    }
    const N: u32 = 1 << 14;
    for order in [|i| i, |i| u64::from(N) - i, |i: u64| i.wrapping_mul(0x9e37_79b9) % 9973] {
        let mut calls = XidTable::new(0, N).unwrap();
        for i in 0..N {
            calls.begin((), Instant(order(i.into()))).unwrap();
        }
        let mut last = 0;
        while let Some(call) = calls.expire(&Instant(u64::MAX)) {
            assert!(call.deadline.0 >= last);
            last = call.deadline.0;
        }
        let each = COMPARED.replace(0) / u64::from(N);
        assert!(each <= 4 * 14, "{each} comparisons a call");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Begin(u64),
    Complete(usize),
    Stray(u32),
    Renew(usize, u64),
    Expire(u64),
    Pop,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u64..100).prop_map(Step::Begin),
        2 => any::<usize>().prop_map(Step::Complete),
        1 => any::<u32>().prop_map(Step::Stray),
        1 => (any::<usize>(), 0u64..100).prop_map(|(i, at)| Step::Renew(i, at)),
        1 => (0u64..100).prop_map(Step::Expire),
        1 => Just(Step::Pop),
    ]
}

proptest! {
    /// Against a list that is searched from end to end.
    #[test]
    fn agrees_with_a_list(
        start: u32, limit in 0u32..20, steps in prop::collection::vec(step(), 0..400),
    ) {
        struct Model { xid: u32, deadline: u64, order: usize, sends: u32 }
        let mut calls = XidTable::new(start, limit).unwrap();
        let mut model: Vec<Model> = vec![];
        let mut strays = 0;
        let earliest = |model: &[Model]| {
            (0..model.len()).min_by_key(|i| (model[*i].deadline, model[*i].order))
        };
        for (order, step) in steps.into_iter().enumerate() {
            match step {
                Step::Begin(deadline) => match calls.begin(order, deadline) {
                    Ok(xid) => {
                        prop_assert!(model.len() < limit as usize);
                        prop_assert!(model.iter().all(|call| call.xid != xid));
                        prop_assert_eq!(calls.get(xid).unwrap().token, order);
                        model.push(Model { xid, deadline, order, sends: 1 });
                    }
                    Err(_) => prop_assert_eq!(model.len(), limit as usize),
                },
                Step::Complete(i) if !model.is_empty() => {
                    let expected = model.swap_remove(i % model.len());
                    let call = calls.complete(expected.xid).unwrap();
                    prop_assert_eq!((call.deadline, call.sends), (expected.deadline, expected.sends));
                }
                Step::Stray(xid) if model.iter().all(|call| call.xid != xid) => {
                    prop_assert!(calls.get(xid).is_none() && calls.complete(xid).is_none());
                    strays += 1;
                }
                Step::Renew(i, deadline) if !model.is_empty() => {
                    let i = i % model.len();
                    prop_assert!(calls.renew(model[i].xid, deadline));
                    let sends = model[i].sends + 1;
                    model[i] = Model { deadline, order, sends, ..model[i] };
                }
                Step::Expire(now) => {
                    while let Some(i) = earliest(&model).filter(|i| model[*i].deadline <= now) {
                        let expected = model.swap_remove(i);
                        prop_assert_eq!(calls.expire(&now).map(|call| call.xid), Some(expected.xid));
                    }
                    prop_assert!(calls.expire(&now).is_none());
                }
                Step::Pop => {
                    let expected = earliest(&model).map(|i| model.swap_remove(i).xid);
                    prop_assert_eq!(calls.pop().map(|call| call.xid), expected);
                }
                _ => {}
            }
            prop_assert_eq!(calls.len(), model.len());
            prop_assert_eq!(calls.strays(), strays);
            let next = earliest(&model).map(|i| model[i].deadline);
            prop_assert_eq!(calls.next_deadline().copied(), next);
            let mut xids: Vec<u32> = calls.iter().map(|call| call.xid).collect();
            let mut expected: Vec<u32> = model.iter().map(|call| call.xid).collect();
            xids.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(xids, expected);
        }
    }
}
