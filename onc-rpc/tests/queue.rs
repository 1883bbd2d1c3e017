//! S15: the two-class send queue.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic
)]

use nfswire_rpc::{Class, QueueLimits, SendQueue, SentTooMuch};
use proptest::prelude::*;

const LIMITS: QueueLimits = QueueLimits { max_messages: 64, max_bytes: 1 << 30, small_run: 4 };

fn queue<M>() -> SendQueue<M> {
    SendQueue::new(LIMITS).unwrap()
}

/// Sends all, `chunk` bytes at a time, and returns the order.
fn send<M>(queue: &mut SendQueue<M>, chunk: u64) -> Vec<M> {
    let mut order = vec![];
    while !queue.is_empty() {
        let begun = queue.begin(chunk);
        queue.sent(begun.min(chunk)).unwrap();
        order.extend(core::iter::from_fn(|| queue.pop_sent()));
    }
    order
}

#[test]
fn s15_a_stat_is_behind_at_most_one_write() {
    const WRITE: u64 = 1 << 20;
    // However far the first WRITE has gone, and however many wait behind it.
    for gone in [0, 1, WRITE / 2, WRITE - 1] {
        for writes in [1, 2, 64] {
            let mut queue = queue();
            for i in 0..writes {
                queue.push(Class::Bulk, Some(i % 3), WRITE, 'W').unwrap();
            }
            queue.begin(64 << 10);
            queue.sent(gone).unwrap();
            queue.push(Class::Small, None, 100, 's').unwrap();
            let order: String = send(&mut queue, 64 << 10).into_iter().collect();
            assert_eq!(order.find('s'), Some(1), "{order}");
        }
    }
    // The bytes in front of it are those of one WRITE at most, whatever one send carries.
    for chunk in [1 << 10, 1 << 20, 1 << 26] {
        let mut queue = queue();
        for _ in 0..64 {
            queue.push(Class::Bulk, None, WRITE, 'W').unwrap();
        }
        assert_eq!(queue.begin(chunk), WRITE, "one bulk message is begun");
        queue.push(Class::Small, None, 100, 's').unwrap();
        assert!(queue.begin(chunk) <= WRITE + 100);
    }
}

#[test]
fn a_commit_never_overtakes_its_writes() {
    let mut queue = queue();
    let (file, other) = (Some(1), Some(2));
    queue.push(Class::Bulk, file, 10, "w1").unwrap();
    queue.push(Class::Bulk, file, 10, "w2").unwrap();
    queue.push(Class::Small, file, 1, "commit").unwrap();
    queue.push(Class::Small, other, 1, "commit of another file").unwrap();
    queue.push(Class::Small, None, 1, "stat").unwrap();
    queue.push(Class::Small, file, 1, "setattr").unwrap();
    queue.push(Class::Bulk, file, 10, "w3").unwrap();
    assert_eq!((queue.messages(Class::Small), queue.messages(Class::Bulk)), (2, 5));
    assert_eq!((queue.bytes(Class::Small), queue.bytes(Class::Bulk)), (2, 32));
    let order = send(&mut queue, 1);
    let expected = ["commit of another file", "stat", "w1", "w2", "commit", "setattr", "w3"];
    assert_eq!(order, expected);
    // Nor does a WRITE overtake what truncates its file, although it is its turn.
    let mut queue = SendQueue::new(QueueLimits { small_run: 0, ..LIMITS }).unwrap();
    for i in 0..3 {
        queue.push(Class::Small, None, 1, i).unwrap();
    }
    queue.push(Class::Small, file, 1, 3).unwrap();
    queue.push(Class::Small, None, 1, 4).unwrap();
    queue.push(Class::Bulk, file, 1, 5).unwrap();
    assert_eq!(send(&mut queue, 1), [0, 1, 2, 3, 5, 4]);
}

#[test]
fn bulk_has_its_turn_while_small_messages_keep_coming() {
    let mut queue = queue();
    let mut order = String::new();
    for _ in 0..5 {
        queue.push(Class::Bulk, None, 1000, 'W').unwrap();
    }
    for _ in 0..560 {
        // There are always small messages.
        while queue.messages(Class::Small) < 10 {
            queue.push(Class::Small, None, 10, 's').unwrap();
        }
        queue.begin(10);
        queue.sent(10).unwrap();
        order.extend(core::iter::from_fn(|| queue.pop_sent()));
    }
    let gaps: Vec<usize> = order.split('W').map(str::len).collect();
    assert_eq!(gaps.len(), 6, "{order}");
    assert_eq!(gaps[0], 4, "after a run of small ones");
    assert!(gaps[1..5].iter().all(|gap| (4..=10).contains(gap)), "{gaps:?}");
    // Each turn needs a run of its own, also when no small message waited during the last one.
    let mut queue = SendQueue::new(LIMITS).unwrap();
    queue.push(Class::Small, None, 1, 's').unwrap();
    queue.push(Class::Bulk, None, 1, 'W').unwrap();
    let mut order: String = send(&mut queue, 1).into_iter().collect();
    for _ in 0..2 {
        queue.push(Class::Bulk, None, 1, 'W').unwrap();
        for _ in 0..6 {
            queue.push(Class::Small, None, 1, 's').unwrap();
        }
        order.extend(send(&mut queue, 1));
    }
    assert_eq!(order, "sWssssWssssWssss");
}

#[test]
fn what_is_begun_is_finished_first_and_resumes_at_any_byte() {
    for step in 1..=40 {
        let mut queue = queue();
        queue.push(Class::Bulk, None, 25, b'b').unwrap();
        assert_eq!(queue.begin(1), 25);
        queue.push(Class::Small, None, 7, b's').unwrap();
        queue.push(Class::Small, None, 0, b'0').unwrap();
        let mut stream = vec![];
        let mut popped = vec![];
        while !queue.is_empty() {
            queue.begin(step);
            let mut left = step;
            let sending: Vec<(u8, u64, u64)> =
                queue.sending().map(|s| (*s.message, s.sent, s.len)).collect();
            for (message, sent, len) in sending {
                let n = left.min(len - sent);
                stream.extend((sent..sent + n).map(|at| (message, at)));
                left -= n;
            }
            queue.sent(step - left).unwrap();
            let boundary = matches!(stream.last(), Some((b'b', 24) | (b's', 6)));
            assert_eq!(queue.is_at_boundary(), boundary);
            popped.extend(core::iter::from_fn(|| queue.pop_sent()));
        }
        let expected: Vec<(u8, u64)> =
            (0..25).map(|at| (b'b', at)).chain((0..7).map(|at| (b's', at))).collect();
        assert_eq!(stream, expected, "{step} bytes at a time");
        assert_eq!(popped, [b'b', b's', b'0']);
    }
}

#[test]
fn a_lost_connection_starts_the_begun_messages_again() {
    let mut queue = queue();
    queue.push(Class::Bulk, None, 100, 'W').unwrap();
    queue.push(Class::Small, None, 10, 's').unwrap();
    queue.begin(1000);
    queue.sent(60).unwrap();
    assert_eq!(queue.pop_sent(), Some('s'));
    assert!(!queue.is_at_boundary());
    assert_eq!(queue.unsent(), 50);
    queue.restart();
    assert!(queue.is_at_boundary());
    let again: Vec<_> = queue.sending().map(|s| (*s.message, s.sent, s.len)).collect();
    assert_eq!(again, [('W', 0, 100)]);
    queue.push(Class::Small, None, 10, 't').unwrap();
    assert_eq!(core::iter::from_fn(|| queue.pop()).collect::<String>(), "Wt");
    assert!(queue.is_empty() && queue.unsent() == 0 && queue.bytes(Class::Bulk) == 0);
}

#[test]
fn full_is_an_outcome_of_each_class_for_itself() {
    let limits = QueueLimits { max_messages: 2, max_bytes: 100, small_run: 1 };
    let mut queue = SendQueue::new(limits).unwrap();
    queue.push(Class::Bulk, None, 99, 0).unwrap();
    queue.push(Class::Bulk, None, 1 << 40, 1).unwrap();
    let error = queue.push(Class::Bulk, None, 1, 2).unwrap_err();
    assert_eq!((error.messages, error.bytes, error.message), (2, 99 + (1 << 40), 2));
    for i in 3..5 {
        queue.push(Class::Small, None, 1, i).unwrap();
    }
    assert!(queue.push(Class::Small, None, 1, 5).is_err());
    let error = queue.sent(1).unwrap_err();
    assert_eq!(error, SentTooMuch { reported: 1, begun: 0 });
    // What was begun counts until it is out.
    queue.begin(1);
    assert!(queue.push(Class::Small, None, 1, 5).is_err());
    queue.sent(1).unwrap();
    assert_eq!(queue.pop_sent(), Some(3));
    queue.push(Class::Small, None, 1, 5).unwrap();
    // By bytes.
    let mut queue = SendQueue::new(QueueLimits { max_messages: 10, ..limits }).unwrap();
    queue.push(Class::Bulk, None, 100, 0).unwrap();
    assert!(queue.push(Class::Bulk, None, 1, 1).unwrap_err().to_string().contains("100 bytes"));
}

#[test]
fn nothing_is_allocated_after_the_beginning() {
    let mut queue = queue();
    let info = allocation_counter::measure(|| {
        for i in 0..5000u64 {
            let class = if i % 3 == 0 { Class::Bulk } else { Class::Small };
            let _full = queue.push(class, Some(i % 7), 1 + i % 100, i);
            queue.begin(i % 150);
            queue.sent(queue.unsent().min(i % 150)).unwrap();
            while queue.pop_sent().is_some() {}
        }
    });
    assert_eq!(info.count_total, 0);
}

#[derive(Debug, Clone)]
enum Step {
    Push { bulk: bool, order: Option<u64>, len: u64 },
    Send { begin: u64, take: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (any::<bool>(), prop::option::of(0u64..4), 1u64..50).prop_map(|(bulk, order, len)| {
            Step::Push { bulk, order, len: if bulk { len * 20 } else { len } }
        }),
        (0u64..200, 0u64..400).prop_map(|(begin, take)| Step::Send { begin, take }),
    ]
}

/// What the model knows of a message: it is begun or it waits.
#[derive(Debug, Clone)]
struct Waiting {
    id: usize,
    /// Class after the rule of order.
    bulk: bool,
    order: Option<u64>,
    len: u64,
    /// Bulk messages begun while this one waited, or being sent when it came.
    overtaken: u32,
    /// Small messages begun while this one was the first of the bulk ones.
    passed: u32,
}

proptest! {
    /// Against the promises: each is checked at each choice, in a list that keeps all by arrival.
    #[test]
    fn keeps_its_promises(
        small_run in 0u32..6,
        max_messages in 1u32..12,
        steps in prop::collection::vec(step(), 0..300),
    ) {
        let limits = QueueLimits { max_messages, max_bytes: u64::MAX, small_run };
        let mut queue = SendQueue::new(limits).unwrap();
        let mut waiting: Vec<Waiting> = vec![];
        let mut begun: Vec<Waiting> = vec![];
        let mut sent = 0;
        let mut next = 0;
        for step in steps {
            match step {
                Step::Push { bulk, order, len } => {
                    let behind = waiting.iter().any(|w| w.bulk && w.order == order);
                    let bulk = bulk || (order.is_some() && behind);
                    let class = if bulk { Class::Bulk } else { Class::Small };
                    let all = waiting.iter().chain(&begun);
                    let full = all.filter(|w| w.bulk == bulk).count() == max_messages as usize;
                    let pushed = queue.push(class, order, len, next);
                    prop_assert_eq!(pushed.is_err(), full);
                    if !full {
                        let overtaken = u32::from(begun.iter().any(|w| w.bulk));
                        let id = next;
                        waiting.push(Waiting { id, bulk, order, len, overtaken, passed: 0 });
                    }
                    next += 1;
                }
                Step::Send { begin, take } => {
                    let unsent = queue.begin(begin);
                    let now: Vec<usize> = queue.sending().map(|s| *s.message).collect();
                    let (old, new) = now.split_at(begun.len());
                    prop_assert!(old.iter().eq(begun.iter().map(|w| &w.id)), "begun stays begun");
                    for id in new {
                        let i = waiting.iter().position(|w| w.id == *id).unwrap();
                        let chosen = waiting.remove(i);
                        prop_assert!(waiting.iter().all(|w| w.id > *id
                            || w.bulk != chosen.bulk
                                && (w.order != chosen.order || w.order.is_none())), "order");
                        if chosen.bulk {
                            prop_assert!(begun.iter().all(|w| !w.bulk), "two bulk ones begun");
                            for w in &mut waiting {
                                w.overtaken += 1;
                                prop_assert!(w.bulk || w.overtaken <= 1, "behind two: {:?}", w);
                            }
                        } else if let Some(first) = waiting.iter_mut().find(|w| w.bulk) {
                            first.passed += 1;
                            let most = 3 * max_messages + small_run;
                            prop_assert!(first.passed <= most, "starved: {:?}", first);
                        }
                        begun.push(chosen);
                    }
                    prop_assert!(unsent >= begin || waiting.is_empty()
                        || begun.iter().any(|w| w.bulk), "less begun than asked for");
                    let take = take.min(unsent);
                    queue.sent(take).unwrap();
                    sent += take;
                    while let Some(id) = queue.pop_sent() {
                        let first = begun.remove(0);
                        prop_assert_eq!(first.id, id, "sent in the order begun");
                        prop_assert!(sent >= first.len);
                        sent -= first.len;
                    }
                    let rest: u64 = begun.iter().map(|w| w.len).sum();
                    prop_assert_eq!(queue.unsent(), rest - sent);
                }
            }
            for (class, bulk) in [(Class::Small, false), (Class::Bulk, true)] {
                let of_class = || waiting.iter().chain(&begun).filter(|w| w.bulk == bulk);
                prop_assert_eq!(queue.messages(class) as usize, of_class().count());
                prop_assert_eq!(queue.bytes(class), of_class().map(|w| w.len).sum::<u64>());
            }
        }
    }
}
