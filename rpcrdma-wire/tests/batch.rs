//! Batches of receives, and which sends are signalled.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

use std::collections::VecDeque;

use nfswire_rdma::batch::{NotOutstanding, QueueFull, Refill, Sends, Ticket};
use proptest::prelude::*;

proptest! {
    // S9, R3: of sends of one slot, one in k completes; no slot is held past k.
    #[test]
    fn one_completion_in_k(
        depth in 1..300u32,
        every in 1..64u32,
        sends in 1..2000u32,
        lag in 0..20usize,
    ) {
        let mut queue = Sends::new(depth, every, 1);
        let every = every.min(depth);
        let (mut tickets, mut completions) = (VecDeque::new(), 0u32);
        for number in 0..sends {
            let posted = loop {
                match queue.post(1, false) {
                    Ok(posted) => break posted,
                    // The queue is full: there is a completion to wait for.
                    Err(QueueFull::Wait { .. }) => {
                        let ticket = tickets.pop_front().expect("the queue is full for ever");
                        queue.completed(ticket).unwrap();
                        completions += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
            };
            prop_assert_eq!(posted.number, number);
            tickets.extend(posted.ticket);
            // The hardware is `lag` completions behind.
            while tickets.len() > lag {
                let ticket = tickets.pop_front().unwrap();
                queue.completed(ticket).unwrap();
                completions += 1;
            }
            if lag == 0 {
                prop_assert!(queue.used() < every);
            }
            prop_assert!(queue.used() <= depth);
            if number >= every && lag == 0 {
                prop_assert!(queue.is_done(number - every));
            }
        }
        let left = u32::try_from(tickets.len()).unwrap();
        prop_assert!(completions + left <= sends / every + 1);
    }

    // Sends of any number of slots: the queue never overflows, and never waits for nothing.
    #[test]
    fn never_stuck(
        depth in 1..100u32,
        every in 1..40u32,
        most in 1..40u32,
        sends in proptest::collection::vec((1..40u32, any::<bool>()), 1..500),
    ) {
        let mut queue = Sends::new(depth, every, most);
        let depth = depth.max(most);
        let mut tickets = VecDeque::new();
        let mut used = VecDeque::new();
        for (slots, signal) in sends {
            let posted = loop {
                match queue.post(slots, signal) {
                    Ok(posted) => break posted,
                    Err(QueueFull::Wait { needed, free }) => {
                        prop_assert!(needed > free);
                        let (ticket, covers): (Ticket, usize) =
                            tickets.pop_front().expect("no completion will come");
                        let back = queue.completed(ticket).unwrap();
                        prop_assert_eq!(back as usize, covers);
                        used.drain(..covers);
                        prop_assert_eq!(queue.used(), used.iter().sum::<u32>());
                    }
                    Err(_) => {
                        prop_assert!(slots > most);
                        return Ok(());
                    }
                }
            };
            used.push_back(slots);
            prop_assert!(used.iter().sum::<u32>() <= depth);
            if let Some(ticket) = posted.ticket {
                let before: usize = tickets.iter().map(|(_, covers)| covers).sum();
                tickets.push_back((ticket, used.len() - before));
            }
            prop_assert!(!signal || posted.ticket.is_some());
        }
    }

    // Receives stay above target - batch and are posted at least a batch at a time.
    #[test]
    fn receives_come_in_batches(target in 1..200u32, batch in 0..300u32) {
        let refill = Refill::new(target, batch);
        let (mut posted, mut doorbells) = (refill.due(0), 1u32);
        prop_assert_eq!(posted, target);
        for _ in 0..1000 {
            posted -= 1;
            let due = refill.due(posted);
            prop_assert!(due == 0 || due >= refill.batch());
            posted += due;
            doorbells += u32::from(due > 0);
            prop_assert!(posted > 0 && posted <= target);
            prop_assert!(posted > target - refill.batch());
        }
        prop_assert!(doorbells <= 1000 / refill.batch() + 1);
    }
}

#[test]
fn tickets_of_others_are_refused() {
    let mut queue = Sends::new(16, 4, 1);
    assert_eq!(queue.completed(Ticket(0)), Err(NotOutstanding));
    let tickets: Vec<_> = (0..8).filter_map(|_| queue.post(1, false).unwrap().ticket).collect();
    assert_eq!(tickets.len(), 2);
    for number in [u64::MAX, 1, 9 << 32 | 9, 1 << 63] {
        assert_eq!(queue.completed(Ticket(number)), Err(NotOutstanding), "{number}");
    }
    // A later completion stands for the earlier one, which then is none any more.
    assert_eq!(queue.completed(tickets[1]), Ok(8));
    assert_eq!(queue.completed(tickets[0]), Err(NotOutstanding));
    assert_eq!(queue.completed(tickets[1]), Err(NotOutstanding));
    assert_eq!(queue.free(), 16);
}

#[test]
fn slots_wrap() {
    let half = 1 << 31;
    let mut queue = Sends::new(half, 2, half);
    for _ in 0..9 {
        let ticket = queue.post(half, false).unwrap().ticket.unwrap();
        assert_eq!(queue.post(1, false), Err(QueueFull::Wait { needed: 1, free: 0 }));
        assert_eq!((queue.completed(ticket), queue.used()), (Ok(1), 0));
    }
}
