//! Replies from encoder to requester: whatever way is chosen, the requester puts the same bytes
//! together.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

#[path = "common/journey.rs"]
mod journey;
#[path = "common/random.rs"]
mod random;
#[path = "common/ways.rs"]
mod ways;

use journey::{plan_holds, reply_arrives};
use nfswire_rdma::{
    placement::{Item, Stream},
    requester::{Arguments, CallWay, Expected, Limits, plan},
};
use random::Random;
use ways::Choices;

/// The environment can ask for more: `NFSWIRE_INPUTS=1000000`.
fn inputs(default: u64) -> u64 {
    std::env::var("NFSWIRE_INPUTS").ok().map_or(default, |n| n.parse().expect("a number"))
}

impl Choices for Random {
    fn next(&mut self) -> u64 {
        Self::next(self)
    }
}

#[test]
fn replies_arrive_whole() {
    let mut random = Random::new(8166);
    let mut ways = [0u32; 4];
    for _ in 0..inputs(20_000) {
        ways[reply_arrives(&mut random).map_or(3, |way| way as usize)] += 1;
    }
    println!("Send, Write, Reply chunk, refused: {ways:?}");
    assert!(ways.iter().all(|&n| n > 100));
}

#[test]
fn plans_hold() {
    let mut random = Random::new(8267);
    let (mut ways, mut offers) = ([0u32; 4], [0u32; 4]);
    for _ in 0..inputs(50_000) {
        let plan = plan_holds(&mut random);
        ways[plan.map_or(3, |plan| plan.way as usize)] += 1;
        if let Some(plan) = plan {
            offers[usize::from(plan.writes > 0) + 2 * usize::from(plan.reply.is_some())] += 1;
        }
    }
    println!("Send, Read chunks, long, refused: {ways:?}");
    println!("no chunk, Write, Reply, both: {offers:?}");
    assert!(ways[..3].iter().chain(&offers).all(|&n| n > 100));
}

// Of several arguments the largest go as Read chunks, and no more of them than needed.
#[test]
fn the_largest_arguments_go_as_read_chunks() {
    let item = |position, length| Item { position, length, pieces: 1 };
    let items = [item(40, 600), item(660, 3000), item(3680, 900)];
    let stream = Stream::new(4600, 7, &items).unwrap();
    let call = Arguments { stream, segments: &[1, 1, 1], whole: 2 };
    let planned = |reads, inline| {
        let mut limits = Limits { reads, ..Limits::new(inline) };
        limits.send.gather = 8;
        let plan = plan(&call, &Expected::inline(100), &limits).unwrap();
        (plan.way, [0, 1, 2].map(|k| plan.reads.contains(k)))
    };
    assert_eq!(planned(1, 4628), (CallWay::Send, [false; 3]));
    assert_eq!(planned(1, 4627), (CallWay::Read, [false, true, false]));
    assert_eq!(planned(3, 1651), (CallWay::Read, [false, true, true]));
    assert_eq!(planned(3, 1652), (CallWay::Read, [false, true, false]));
    assert_eq!(planned(1, 1651), (CallWay::Long, [false; 3]));
    // Header and three chunks, and the 100 bytes that are left.
    assert_eq!(planned(3, 28 + 3 * 24 + 100), (CallWay::Read, [true; 3]));
    assert_eq!(planned(3, 28 + 3 * 24 + 99), (CallWay::Long, [false; 3]));
}
