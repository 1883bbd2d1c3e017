//! The ledger of credits: two ends with an ordered wire between them, and numbers that no peer
//! should send.

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

use nfswire_rdma::credit::{Credits, NoCredit, NoReply, Unexpected};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Sent {
    Call { asks: u32 },
    Reply { grants: u32 },
}

/// One end: its books, and what its hardware knows apart from them.
struct End {
    credits: Credits,
    receives: u32,
    /// Calls of the peer that wait for a reply: what each asked for.
    calls: VecDeque<u32>,
    /// What is on the wire towards this end.
    incoming: VecDeque<Sent>,
}

impl End {
    fn new(ask: u32, limit: u32) -> Self {
        let credits = Credits::new(ask, limit);
        Self { credits, receives: 0, calls: VecDeque::new(), incoming: VecDeque::new() }
    }

    fn post(&mut self, count: u32) {
        self.credits.posted(count);
        self.receives += count;
    }

    fn arrive(&mut self) {
        let Some(message) = self.incoming.pop_front() else { return };
        // What the hardware does without a receive: it ends the connection.
        self.receives = self.receives.checked_sub(1).expect("a message found no receive");
        match message {
            Sent::Call { asks } => {
                self.credits.called().unwrap();
                self.calls.push_back(asks);
            }
            Sent::Reply { grants } => {
                assert!(grants > 0);
                self.credits.replied(grants).unwrap();
            }
        }
        assert_eq!(self.credits.receives(), self.receives);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Post(usize, u32),
    Call(usize, u32),
    Reply(usize, u32),
    Arrive(usize, u32),
    Limit(usize, u32),
    Ask(usize, u32),
}

fn step() -> impl Strategy<Value = Step> {
    let (end, few) = (0..2usize, 1..20u32);
    prop_oneof![
        2 => (end.clone(), few.clone()).prop_map(|(end, n)| Step::Post(end, n)),
        4 => (end.clone(), few.clone()).prop_map(|(end, n)| Step::Call(end, n)),
        4 => (end.clone(), few.clone()).prop_map(|(end, n)| Step::Reply(end, n)),
        6 => (end.clone(), few).prop_map(|(end, n)| Step::Arrive(end, n)),
        1 => (end.clone(), 0..80u32).prop_map(|(end, n)| Step::Limit(end, n)),
        1 => (end, 0..80u32).prop_map(|(end, n)| Step::Ask(end, n)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    // R3: both directions at once, grants that shrink while calls are outstanding, receives that are
    // posted late: no message ever finds no receive, no grant is zero, no call is refused that was
    // sent on a grant.
    #[test]
    fn no_message_without_a_receive(
        asks in [0..80u32, 0..80u32],
        limits in [1..80u32, 0..80u32],
        steps in proptest::collection::vec(step(), 1..300),
    ) {
        let mut ends = [End::new(asks[0], limits[0]), End::new(asks[1], limits[1])];
        // Before anything is sent there is a receive for the peer's first call.
        ends.iter_mut().for_each(|end| end.post(2));
        let taken = [limits[1] > 0, limits[0] > 0];
        for step in steps {
            match step {
                Step::Post(end, count) => ends[end].post(count),
                Step::Call(end, count) => {
                    for _ in 0..count {
                        if !taken[end] {
                            break;
                        }
                        let available = ends[end].credits.available();
                        match ends[end].credits.call() {
                            Ok(asks) => ends[1 - end].incoming.push_back(Sent::Call { asks }),
                            Err(_) => {
                                prop_assert_eq!(available, 0);
                                break;
                            }
                        }
                    }
                }
                Step::Reply(end, count) => {
                    for _ in 0..count {
                        let Some(asks) = ends[end].calls.pop_front() else { break };
                        match ends[end].credits.reply(asks) {
                            Ok(grants) => {
                                prop_assert!(grants > 0 && grants <= asks.max(1));
                                ends[1 - end].incoming.push_back(Sent::Reply { grants });
                            }
                            Err(NoReply::Receives { .. }) => {
                                ends[end].calls.push_front(asks);
                                break;
                            }
                            Err(error) => return Err(TestCaseError::fail(error.to_string())),
                        }
                    }
                }
                Step::Arrive(end, count) => (0..count).for_each(|_| ends[end].arrive()),
                Step::Limit(end, limit) => ends[end].credits.set_limit(limit),
                Step::Ask(end, ask) => ends[end].credits.set_ask(ask),
            }
        }
        // Nothing hangs: with receives on both sides everything is replied to.
        for _ in 0..8 {
            for end in 0..2 {
                ends[end].post(1);
                while !ends[end].incoming.is_empty() {
                    ends[end].arrive();
                }
                while let Some(asks) = ends[end].calls.pop_front() {
                    let grants = ends[end].credits.reply(asks).unwrap();
                    ends[1 - end].incoming.push_back(Sent::Reply { grants });
                }
            }
        }
        for end in 0..2 {
            prop_assert_eq!(ends[end].credits.in_flight(), 0);
            prop_assert!(!taken[end] || ends[end].credits.available() > 0);
        }
    }

    // A peer that sends anything at all: the numbers stay within bounds.
    #[test]
    fn hostile_numbers(
        ask in any::<u32>(),
        limit in any::<u32>(),
        steps in proptest::collection::vec((0..6u8, any::<u32>()), 1..200),
    ) {
        let mut credits = Credits::new(ask, limit);
        for (kind, number) in steps {
            match kind {
                0 => credits.posted(number),
                1 => drop(credits.call()),
                2 => drop(credits.replied(number)),
                3 => drop(credits.called()),
                4 => credits.discarded(),
                _ => if let Ok(grant) = credits.reply(number) {
                    prop_assert!((1..=limit).contains(&grant) && grant <= number.max(1));
                },
            }
            prop_assert!((1..=ask.max(1)).contains(&credits.granted()));
            prop_assert!(credits.available() <= credits.granted());
            prop_assert!(credits.available() <= credits.receives());
        }
    }
}

#[test]
fn grants_are_clamped() {
    let mut client = Credits::new(16, 0);
    client.posted(16);
    assert_eq!(client.call(), Ok(16));
    assert_eq!(client.call(), Err(NoCredit::Granted { granted: 1 }));
    // Zero would stop the connection for ever, and more than was asked for has no receives.
    client.replied(0).unwrap();
    assert_eq!((client.granted(), client.available()), (1, 1));
    client.call().unwrap();
    client.replied(100_000).unwrap();
    assert_eq!((client.granted(), client.available()), (16, 14));
    assert_eq!(client.replied(3), Err(Unexpected::Reply));
    assert_eq!(client.granted(), 16);
}

#[test]
fn a_grant_that_shrinks_takes_effect_as_replies_come() {
    let mut client = Credits::new(64, 0);
    client.posted(200);
    client.call().unwrap();
    client.replied(64).unwrap();
    for _ in 0..64 {
        client.call().unwrap();
    }
    client.replied(8).unwrap();
    assert_eq!((client.in_flight(), client.available()), (63, 0));
    for _ in 0..55 {
        client.replied(8).unwrap();
        assert_eq!(client.available(), 0);
    }
    client.replied(8).unwrap();
    assert_eq!((client.in_flight(), client.available()), (7, 1));
}

#[test]
fn a_server_grants_what_it_has_receives_for() {
    // What Linux asks for and grants: 128 and 64.
    let mut server = Credits::new(2, 64);
    server.posted(10);
    server.called().unwrap();
    assert_eq!(server.reply(128), Ok(9));
    server.posted(91);
    server.called().unwrap();
    assert_eq!(server.reply(128), Ok(64));
    for _ in 0..64 {
        server.called().unwrap();
    }
    assert_eq!(server.called(), Err(Unexpected::Call { granted: 64 }));
    // A peer that asks for none gets one.
    assert_eq!(server.reply(0), Ok(1));
    // No receive is left for more than the calls that are here.
    let mut server = Credits::new(1, 64);
    server.posted(1);
    server.called().unwrap();
    assert_eq!(server.reply(5), Err(NoReply::Receives { posted: 0 }));
    server.posted(1);
    assert_eq!(server.reply(5), Ok(1));
    assert_eq!(server.reply(5), Err(NoReply::NoCall));
}

#[test]
fn reverse_calls_have_credits_of_their_own() {
    // A client that grants 16 callbacks has receives for those beside its replies.
    let mut client = Credits::new(4, 16);
    client.posted(3);
    client.call().unwrap();
    client.replied(4).unwrap();
    // Two receives: one is kept for the first callback, one is for the reply.
    client.call().unwrap();
    assert_eq!(client.call(), Err(NoCredit::Receives { posted: 2 }));
    client.called().unwrap();
    assert_eq!(client.reply(2), Err(NoReply::Receives { posted: 1 }));
    client.posted(2);
    assert_eq!(client.reply(2), Ok(2));
    assert_eq!(client.granted(), 4);
}
