//! S4: the tracker of `MSG_ZEROCOPY` completions.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

use std::collections::BTreeSet;

use nfswire_rpc::{
    BufferId, SendMode, UnknownSend, ZerocopyLimits, ZerocopyStats, ZerocopyTracker,
};
use proptest::prelude::*;

const LIMITS: ZerocopyLimits =
    ZerocopyLimits { max_sends: 8, max_buffers: 8, min_len: 1000, max_copied: 3 };

fn tracker<T>(next: u32) -> ZerocopyTracker<T> {
    ZerocopyTracker::from_send(LIMITS, next).unwrap()
}

fn released<T>(tracker: &mut ZerocopyTracker<T>) -> Vec<T> {
    core::iter::from_fn(|| tracker.pop_released()).collect()
}

#[test]
fn numbers_wrap_at_two_to_the_thirty_two() {
    let mut tracker = tracker(u32::MAX - 1);
    let ids: Vec<BufferId> = ["a", "b", "c", "d"].map(|t| tracker.open(t).unwrap()).to_vec();
    let sends: Vec<u32> = ids.iter().map(|id| tracker.sent(*id, *id).unwrap()).collect();
    assert_eq!(sends, [u32::MAX - 1, u32::MAX, 0, 1]);
    for id in ids {
        assert_eq!(tracker.close(id), Ok(None));
    }
    // A merged range over the end of the numbers, ahead of the first.
    tracker.completed(u32::MAX, 0, false).unwrap();
    assert_eq!(released(&mut tracker), ["b", "c"]);
    tracker.completed(1, 1, false).unwrap();
    tracker.completed(u32::MAX - 1, u32::MAX - 1, false).unwrap();
    assert_eq!(released(&mut tracker), ["d", "a"]);
    assert!(tracker.is_idle());
    assert_eq!((tracker.next_send(), tracker.stats().completed), (2, 4));
}

#[test]
fn a_buffer_waits_for_all_its_sends_and_a_send_for_all_its_buffers() {
    let mut tracker = tracker(0);
    let a = tracker.open('a').unwrap();
    let b = tracker.open('b').unwrap();
    let c = tracker.open('c').unwrap();
    tracker.sent(a, a).unwrap(); // 0: the start of a
    tracker.sent(a, c).unwrap(); // 1: the rest of a, b, the start of c
    assert_eq!(tracker.close(a), Ok(None));
    assert_eq!(tracker.close(b), Ok(None));
    tracker.completed(1, 1, false).unwrap();
    assert_eq!(released(&mut tracker), ['b']);
    tracker.completed(0, 0, false).unwrap();
    assert_eq!(released(&mut tracker), ['a']);
    // All sends of c are complete, but it is not at its end.
    tracker.sent(c, c).unwrap(); // 2
    tracker.completed(2, 2, false).unwrap();
    assert_eq!(released(&mut tracker), []);
    // The rest was copied: it is free at once.
    assert_eq!(tracker.close(c), Ok(Some('c')));
    assert!(tracker.close(c).is_err(), "closed twice");
    assert!(tracker.sent(a, c).is_err() && tracker.sent(c, a).is_err());
    assert!(tracker.is_idle());
}

#[test]
fn reports_that_cannot_be_are_refused_and_release_nothing() {
    let mut tracker = tracker(10);
    let a = tracker.open(()).unwrap();
    for _ in 0..3 {
        tracker.sent(a, a).unwrap();
    }
    tracker.close(a).unwrap();
    tracker.completed(11, 11, false).unwrap();
    for (first, last) in
        [(9, 9), (9, 10), (11, 11), (10, 11), (10, 12), (12, 13), (13, 13), (12, 10), (0, u32::MAX)]
    {
        let error = tracker.completed(first, last, true).unwrap_err();
        assert_eq!(error, UnknownSend { first, last });
    }
    let expected = ZerocopyStats { sends: 3, completed: 1, ..ZerocopyStats::default() };
    assert_eq!(tracker.stats(), expected);
    tracker.completed(12, 12, false).unwrap();
    assert_eq!(tracker.pop_released(), None);
    tracker.completed(10, 10, false).unwrap();
    assert_eq!(tracker.pop_released(), Some(()));
    assert_eq!(tracker.pop_released(), None, "exactly once");
}

#[test]
fn the_flag_is_given_up_when_the_kernel_copies() {
    let mut tracker = tracker(0);
    let a = tracker.open(()).unwrap();
    assert_eq!((tracker.mode(999), tracker.mode(1000)), (SendMode::Copy, SendMode::Zerocopy));
    for _ in 0..4 {
        tracker.sent(a, a).unwrap();
    }
    tracker.completed(0, 1, true).unwrap();
    assert!(!tracker.has_given_up());
    assert_eq!(tracker.mode(1000), SendMode::Zerocopy);
    tracker.completed(3, 3, true).unwrap();
    assert!(tracker.has_given_up());
    assert_eq!(tracker.mode(1 << 30), SendMode::Copy);
    // What is under way is still tracked.
    tracker.completed(2, 2, false).unwrap();
    assert_eq!(tracker.close(a), Ok(Some(())));
    let expected = ZerocopyStats { sends: 4, completed: 4, copied: 3, no_buffers: 0 };
    assert_eq!(tracker.stats(), expected);
    let default = ZerocopyTracker::<()>::new(ZerocopyLimits::default()).unwrap();
    assert_eq!(
        (default.mode(16 << 10), default.mode((16 << 10) - 1)),
        (SendMode::Zerocopy, SendMode::Copy)
    );
}

#[test]
fn no_buffers_is_copied_until_the_kernel_has_reported() {
    let mut tracker = tracker(0);
    let a = tracker.open(()).unwrap();
    tracker.sent(a, a).unwrap();
    tracker.sent(a, a).unwrap();
    tracker.no_buffers();
    assert_eq!(tracker.mode(5000), SendMode::Copy);
    assert_eq!(tracker.next_send(), 2, "a send that failed has no number");
    tracker.completed(0, 0, false).unwrap();
    assert_eq!(tracker.mode(5000), SendMode::Zerocopy);
    tracker.completed(1, 1, false).unwrap();
    // Nothing is under way: no report would ever come.
    tracker.no_buffers();
    assert_eq!(tracker.mode(5000), SendMode::Zerocopy);
    assert_eq!(tracker.stats().no_buffers, 2);
}

#[test]
fn full_of_sends_or_buffers() {
    let mut tracker = tracker(0);
    let a = tracker.open(0).unwrap();
    for i in 0..8 {
        assert_eq!(tracker.mode(5000), SendMode::Zerocopy);
        assert_eq!(tracker.sent(a, a), Ok(i));
    }
    assert_eq!(tracker.mode(5000), SendMode::Copy);
    assert!(tracker.sent(a, a).is_err());
    // One that is done behind the first still takes its place.
    tracker.completed(1, 7, false).unwrap();
    assert_eq!((tracker.pending_sends(), tracker.mode(5000)), (8, SendMode::Copy));
    tracker.completed(0, 0, false).unwrap();
    assert_eq!((tracker.pending_sends(), tracker.mode(5000)), (0, SendMode::Zerocopy));
    for i in 1..8 {
        tracker.open(i).unwrap();
    }
    let error = tracker.open(8).unwrap_err();
    assert_eq!((error.limit, error.token), (8, 8));
    // The socket is gone.
    tracker.sent(a, a).unwrap();
    let rest: Vec<_> = core::iter::from_fn(|| tracker.abandon()).collect();
    assert_eq!(rest, (0..8).collect::<Vec<_>>());
    assert!(tracker.is_idle() && tracker.next_send() == 9);
}

#[test]
fn nothing_is_allocated_after_the_beginning() {
    let mut tracker = tracker(u32::MAX - 500);
    let info = allocation_counter::measure(|| {
        for i in 0..5000u32 {
            let id = tracker.open(i).unwrap();
            for _ in 0..3 {
                tracker.sent(id, id).unwrap();
            }
            assert_eq!(tracker.close(id), Ok(None));
            let last = tracker.next_send().wrapping_sub(1);
            tracker.completed(last, last, false).unwrap();
            tracker.completed(last.wrapping_sub(2), last.wrapping_sub(1), false).unwrap();
            assert_eq!(tracker.pop_released(), Some(i));
        }
    });
    assert_eq!(info.count_total, 0);
}

#[derive(Debug, Clone)]
enum Step {
    Open,
    Send(usize, usize),
    Close(usize),
    Complete(usize, usize, bool),
    Wrong(u32, u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Open),
        4 => (any::<usize>(), 0usize..3).prop_map(|(from, more)| Step::Send(from, more)),
        3 => any::<usize>().prop_map(Step::Close),
        4 => (any::<usize>(), 0usize..5, any::<bool>())
            .prop_map(|(from, more, copied)| Step::Complete(from, more, copied)),
        1 => (any::<u32>(), 0u32..20).prop_map(|(first, more)| Step::Wrong(first, more)),
    ]
}

/// A buffer in the model: the numbers of its sends that are not reported.
struct Buffer {
    token: u32,
    id: BufferId,
    sends: BTreeSet<u64>,
    closed: bool,
}

proptest! {
    /// Against sets of numbers that do not wrap.
    #[test]
    fn agrees_with_sets(
        start in prop_oneof![any::<u32>(), (u32::MAX - 60)..=u32::MAX],
        steps in prop::collection::vec(step(), 0..300),
    ) {
        let mut tracker = tracker(start);
        let mut buffers: Vec<Buffer> = vec![];
        let mut pending: BTreeSet<u64> = BTreeSet::new();
        let mut next = u64::from(start);
        let (mut tokens, mut given_back) = (0u32, BTreeSet::new());
        let mut copied_sends = 0;
        for step in steps {
            match step {
                Step::Open => {
                    if let Ok(id) = tracker.open(tokens) {
                        buffers.push(Buffer { token: tokens, id, sends: BTreeSet::new(), closed: false });
                        tokens += 1;
                    } else {
                        prop_assert!(buffers.len() <= 8 && !buffers.is_empty());
                    }
                }
                Step::Send(from, more) => {
                    let open: Vec<usize> =
                        (0..buffers.len()).filter(|i| !buffers[*i].closed).collect();
                    if open.is_empty() { continue; }
                    let from = from % open.len();
                    let to = (from + more).min(open.len() - 1);
                    let (first, last) = (buffers[open[from]].id, buffers[open[to]].id);
                    // Only neighbours can be in one send.
                    let named = buffers.iter().filter(|b| (first..=last).contains(&b.id));
                    let mut fits = named.clone().all(|b| !b.closed);
                    // A buffer between them that was released already?
                    fits &= named.count() as u32 == buffers[open[to]].token - buffers[open[from]].token + 1;
                    let oldest = pending.first().copied().unwrap_or(next);
                    fits &= next - oldest < 8;
                    let result = tracker.sent(first, last);
                    prop_assert_eq!(result.is_ok(), fits);
                    if let Ok(number) = result {
                        prop_assert_eq!(number, next as u32);
                        for b in buffers.iter_mut().filter(|b| (first..=last).contains(&b.id)) {
                            b.sends.insert(next);
                        }
                        pending.insert(next);
                        next += 1;
                    }
                }
                Step::Close(i) if !buffers.is_empty() => {
                    let i = i % buffers.len();
                    let b = &mut buffers[i];
                    let result = tracker.close(b.id);
                    prop_assert_eq!(result.is_err(), b.closed);
                    b.closed = true;
                    if let Ok(token) = result {
                        prop_assert_eq!(token.is_some(), b.sends.is_empty());
                        if let Some(token) = token {
                            prop_assert_eq!(token, b.token);
                            prop_assert!(given_back.insert(token), "twice");
                            buffers.remove(i);
                        }
                    }
                }
                Step::Complete(from, more, copied) if !pending.is_empty() => {
                    // A run of numbers that wait, merged into one report.
                    let first = *pending.iter().nth(from % pending.len()).unwrap();
                    let mut last = first;
                    while last < first + more as u64 && pending.contains(&(last + 1)) {
                        last += 1;
                    }
                    tracker.completed(first as u32, last as u32, copied).unwrap();
                    copied_sends += if copied { last - first + 1 } else { 0 };
                    pending.retain(|send| !(first..=last).contains(send));
                    for b in &mut buffers {
                        b.sends.retain(|send| !(first..=last).contains(send));
                    }
                    let mut expected: BTreeSet<u32> = buffers.iter()
                        .filter(|b| b.closed && b.sends.is_empty()).map(|b| b.token).collect();
                    buffers.retain(|b| !(b.closed && b.sends.is_empty()));
                    while let Some(token) = tracker.pop_released() {
                        prop_assert!(expected.remove(&token), "{} too early", token);
                        prop_assert!(given_back.insert(token), "twice");
                    }
                    prop_assert!(expected.is_empty(), "kept: {:?}", expected);
                }
                Step::Wrong(first, more) => {
                    let last = first.wrapping_add(more);
                    let all = (0..=more).all(|i| {
                        let number = first.wrapping_add(i);
                        pending.iter().any(|send| *send as u32 == number)
                    });
                    if !all {
                        let before = tracker.stats();
                        prop_assert!(tracker.completed(first, last, true).is_err());
                        prop_assert_eq!(tracker.stats(), before);
                    }
                }
                _ => {}
            }
            prop_assert_eq!(tracker.next_send(), next as u32);
            prop_assert_eq!(tracker.has_given_up(), copied_sends >= 3);
            prop_assert_eq!(tracker.pop_released(), None);
        }
        // In the end every token has come back once.
        for b in buffers {
            if !b.closed {
                given_back.extend(tracker.close(b.id).unwrap());
            }
        }
        for send in pending {
            tracker.completed(send as u32, send as u32, false).unwrap();
            given_back.extend(core::iter::from_fn(|| tracker.pop_released()));
        }
        prop_assert!(given_back.into_iter().eq(0..tokens));
        prop_assert!(tracker.is_idle());
    }
}
