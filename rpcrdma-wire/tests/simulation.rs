//! What the decisions come to over a wire in simulated time, and on recorded traffic. The program
//! `rdma-sim` prints the same figures.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

#[path = "../examples/rdma-sim/pipe.rs"]
mod pipe;
#[path = "../examples/rdma-sim/trace.rs"]
mod trace;

use std::{fs, path::Path};

use pipe::{Setup, run};
use proptest::prelude::*;
use trace::{Table, replay};

const BASE: Setup = Setup { calls: 4000, ..Setup::READ_8K };

// S8: throughput grows with credits to the bandwidth-delay product, then stays.
#[test]
fn throughput_grows_with_credits_and_then_stays() {
    for latency in [2000, 5000, 20_000] {
        let rate = |grant| run(Setup { grant, latency, ..BASE }).unwrap().rate();
        let alone = rate(1);
        let wire = BASE.bandwidth as f64 * 1e6 / (BASE.reply + BASE.written) as f64;
        let mut before = 0.0;
        for grant in [1, 2, 4, 8, 16, 32, 64, 128] {
            let now = rate(grant);
            let best = wire.min(alone * f64::from(grant));
            assert!(now >= 0.95 * best && now <= 1.01 * best, "{grant}: {now} of {best}");
            assert!(now >= 0.999 * before, "{grant}: {now} after {before}");
            before = now;
        }
    }
    // Between two ends that are far apart, 64 credits do nearly twice as much as 32.
    let far = |grant| run(Setup { grant, latency: 50_000, ..BASE }).unwrap().rate();
    assert!(far(64) > 1.9 * far(32));
}

// The client never has more calls in flight than were granted, or than it asks for.
#[test]
fn no_more_in_flight_than_granted() {
    for (ask, grant) in [(128, 64), (16, 64), (1, 64), (128, 1), (128, 128)] {
        let outcome = run(Setup { ask, grant, ..BASE }).unwrap();
        assert_eq!(outcome.in_flight, ask.min(grant));
    }
}

// S9: completions are at most sends/k + 1, and no send is held past k behind those under way.
#[test]
fn completions_come_in_batches() {
    let each = run(Setup { every: 1, writes: 0, written: 0, ..BASE }).unwrap();
    for every in [1, 2, 4, 8, 16, 32, 64] {
        let outcome = run(Setup { every, writes: 0, written: 0, ..BASE }).unwrap();
        assert!(outcome.completions <= outcome.sends / every + 1);
        assert!(outcome.completions >= outcome.sends / every);
        assert!(outcome.held <= BASE.grant + every, "{every}: {outcome:?}");
        assert!(outcome.rate() >= each.rate(), "{every}: {outcome:?}");
    }
    // Completions were what the core spent its time on.
    let batched = run(Setup { every: 8, writes: 0, written: 0, ..BASE }).unwrap();
    assert!(batched.busy * 2 < each.busy);
}

#[test]
fn receives_are_posted_in_batches() {
    for receives in [1, 2, 7, 16, 32] {
        let outcome = run(Setup { receives, ..BASE }).unwrap();
        assert!(outcome.refills <= outcome.sends / receives + 1, "{receives}: {outcome:?}");
    }
}

// S10: a codec of 150 ns vanishes beside the wire, and leaves a core more than 3 M operations.
#[test]
fn a_quick_codec_vanishes_beside_the_wire() {
    let rate = |work| run(Setup { work, ..BASE }).unwrap().rate();
    assert!(rate(150) >= 0.999 * rate(0));
    assert!(rate(2400) < 0.5 * rate(0));
    let core = run(Setup { bandwidth: 1_000_000, grant: 128, calls: 40_000, ..BASE }).unwrap();
    assert!(core.rate() > 3e6, "{core:?}");
    let each = Setup { bandwidth: 1_000_000, grant: 128, every: 1, calls: 40_000, ..BASE };
    assert!(run(each).unwrap().rate() < 2e6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // No setup makes a message find no receive, a queue overflow, or calls hang.
    #[test]
    fn any_setup(
        latency in 0..30_000u64,
        bandwidth in 1..20_000u64,
        (ask, grant) in (1..200u32, 1..200u32),
        (receives, depth, every) in (0..100u32, 0..100u32, 0..100u32),
        (writes, work, completion) in (0..20u32, 0..3000u64, 0..3000u64),
    ) {
        let setup = Setup {
            latency, bandwidth, ask, grant, receives, depth, every, writes, work, completion,
            calls: 400, ..BASE
        };
        let outcome = run(setup).map_err(TestCaseError::fail)?;
        prop_assert!(outcome.in_flight <= ask.min(grant));
        prop_assert_eq!(run(setup).unwrap(), outcome);
    }
}

fn recorded(name: &str, inline: u32) -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/captures").join(name);
    replay(&fs::read(path).unwrap(), inline).unwrap()
}

// R2, S6: of the recorded replies none that fits inline costs an RDMA Write. The server of the
// recordings, Linux 6.1, wrote whenever a Reply chunk was offered.
#[test]
fn recorded_replies() {
    // Trace, inline threshold, replies, those that fit, and RDMA Writes of those: of the recorded
    // server, and of this crate if every payload goes to its Write chunk.
    for (name, inline, operations, small, theirs, offered) in [
        ("v3.msgs", 4096, 667, 640, 293, 5),
        ("v42.msgs", 4096, 624, 584, 138, 9),
        ("inline1k-v3.msgs", 1024, 646, 601, 277, 3),
        ("recall-v41.msgs", 4096, 29, 28, 6, 1),
        ("uspeer.msgs", 4096, 106, 82, 2, 0),
        ("probe.msgs", 4096, 16, 14, 2, 0),
    ] {
        let table = recorded(name, inline);
        assert_eq!((table.operations, table.small), (operations, small), "{name}");
        assert_eq!(table.recorded.needless, theirs, "{name}");
        assert_eq!(table.offered.needless, offered, "{name}");
        assert_eq!(table.needed.needless, 0, "{name}");
        assert_eq!(table.refused, 0, "{name}");
        for cost in [table.offered, table.needed] {
            assert_eq!(cost.sends, operations, "{name}");
            assert!(cost.registrations <= table.recorded.registrations, "{name}");
            assert!(cost.reads <= table.recorded.reads, "{name}");
            assert!(cost.writes <= table.recorded.writes, "{name}");
            // Payloads that only a chunk can carry are still written.
            assert_eq!(cost.writes - cost.needless, table.recorded.writes - theirs, "{name}");
            assert!(cost.completions <= operations / 8 + table.recorded.writes / 64 + 1, "{name}");
        }
    }
}
