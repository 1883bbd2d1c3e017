//! F3: the duplicate-request cache.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic
)]

use core::{
    cell::Cell,
    hash::{Hash, Hasher},
    panic::AssertUnwindSafe,
};
use std::{collections::HashMap, panic::catch_unwind};

use nfswire_rpc::{
    CachedReply, CallHeader, Execution, Finished, Kept, Lookup, OpaqueAuth, ReplayCache, ReplayKey,
    ReplayLimits, Running,
};
use nfswire_xdr::{EncodeError, Encoder, FileRange, Payload, Segments};
use proptest::prelude::*;

const SEED: [u8; 16] = *b"not so secret...";
const REMOVE: u32 = 12;

type Cache = ReplayCache<u32, u32>;

fn cache(limits: ReplayLimits) -> Cache {
    ReplayCache::new(limits, SEED).unwrap()
}

fn call(xid: u32) -> CallHeader<'static> {
    CallHeader {
        xid,
        program: 100_003,
        version: 3,
        procedure: REMOVE,
        credential: OpaqueAuth::NONE,
        verifier: OpaqueAuth::NONE,
    }
}

fn key(cache: &Cache, xid: u32) -> ReplayKey<u32> {
    cache.key(1, &call(xid), b"args")
}

fn new(cache: &mut Cache, key: ReplayKey<u32>) -> Execution {
    match cache.lookup(key) {
        Lookup::New(execution) => execution,
        other => panic!("{other:?}"),
    }
}

fn running(cache: &mut Cache, key: ReplayKey<u32>) -> Running {
    match cache.lookup(key) {
        Lookup::InProgress(running) => running,
        other => panic!("{other:?}"),
    }
}

fn bytes(reply: CachedReply<'_>) -> Vec<u8> {
    let bytes = reply.pieces().collect::<Vec<_>>().concat();
    assert_eq!((bytes.len(), bytes.is_empty()), (reply.len(), reply.is_empty()));
    bytes
}

fn done(cache: &mut Cache, key: ReplayKey<u32>) -> Vec<u8> {
    match cache.lookup(key) {
        Lookup::Done(reply) => bytes(reply),
        other => panic!("{other:?}"),
    }
}

fn run(cache: &mut Cache, key: ReplayKey<u32>, reply: &[u8]) {
    let execution = new(cache, key);
    assert_eq!(cache.finish(execution, reply).kept, Kept::Yes);
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251) as u8).collect()
}

#[test]
fn a_reply_comes_back_byte_for_byte_and_allocates_nothing() {
    let mut cache = cache(ReplayLimits::DEFAULT);
    for len in [0, 1, 3, 4, 255, 256, 257, 511, 512, 513, 8191, 8192] {
        let key = key(&cache, len as u32);
        let reply = pattern(len);
        run(&mut cache, key, &reply);
        assert_eq!(done(&mut cache, key), reply, "{len} bytes");
        if len % 4 == 0 {
            // Behind a record mark; warm, so that the vectors have grown.
            let (mut head, mut segments) = (Vec::with_capacity(20_000), Segments::new());
            let info = allocation_counter::measure(|| {
                let Lookup::Done(reply) = cache.lookup(key) else { panic!() };
                let mut e = Encoder::growable(&mut head, &mut segments);
                let mark = nfswire_rpc::RecordMark::reserve(&mut e).unwrap();
                reply.put(&mut e).unwrap();
                mark.close(&mut e).unwrap();
                e.finish();
            });
            assert_eq!(info.count_total, 0, "{len} bytes");
            let mut expected = (0x8000_0000 | len as u32).to_be_bytes().to_vec();
            expected.extend(&reply);
            assert_eq!(segments.view(&head).to_vec().unwrap(), expected);
        }
    }
    // The same reply in segments.
    let data = pattern(700);
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&7u32).unwrap();
    e.put(&Payload::from(&data[..])).unwrap();
    e.put(&8u32).unwrap();
    e.finish();
    let message = segments.view(&head);
    let key = key(&cache, 99_999);
    let execution = new(&mut cache, key);
    assert_eq!(cache.finish_message(execution, &message).kept, Kept::Yes);
    assert_eq!(done(&mut cache, key), message.to_vec().unwrap());
}

#[test]
fn the_whole_life_of_a_cache_allocates_only_at_its_beginning() {
    // 112 and 224 just fill the index, were it not larger than it must be.
    for max_calls in [1, 64, 112, 224] {
        live(max_calls);
    }
}

fn live(max_calls: u32) {
    let limits = ReplayLimits {
        max_calls,
        max_bytes: 65_536,
        max_reply: 1024,
        max_waiters: 8,
        max_age: 120,
    };
    let mut cache = cache(limits);
    let reply = pattern(1024);
    let info = allocation_counter::measure(|| {
        let mut next = 0u32;
        // Long enough for the index to clear up many times.
        for round in 0..20_000u32 {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = key(&cache, next >> 8);
            match cache.lookup(key) {
                Lookup::New(execution) if round % 5 == 0 => drop(cache.abort(execution)),
                Lookup::New(execution) => {
                    let len = (next % 1024) as usize / 4;
                    let waited = cache.wait(execution.running(), round).is_ok();
                    let Finished { waiters, .. } = cache.finish(execution, &reply[..len]);
                    assert_eq!(waiters.count(), usize::from(waited));
                }
                Lookup::Done(reply) => assert!(reply.pieces().count() <= 4),
                other => panic!("{other:?}"),
            }
        }
    });
    assert_eq!(info.count_total, 0);
    assert!(cache.len() <= max_calls as usize && cache.bytes() <= 65_536);
    assert!(cache.stats().evicted > 10_000, "{:?}", cache.stats());
}

#[test]
fn what_makes_a_call_another_one() {
    let mut cache = cache(ReplayLimits::DEFAULT);
    let args = pattern(300);
    let base = cache.key(1, &call(7), &args);
    run(&mut cache, base, b"reply");
    let header = call(7);
    let mut changed = vec![
        cache.key(2, &header, &args),
        cache.key(1, &CallHeader { xid: 8, ..header }, &args),
        cache.key(1, &CallHeader { program: 100_005, ..header }, &args),
        cache.key(1, &CallHeader { version: 4, ..header }, &args),
        cache.key(1, &CallHeader { procedure: 13, ..header }, &args),
        cache.key(1, &header, &args[..299]),
        cache.key(1, &header, &[&args[..], &[0]].concat()),
        cache.key(1, &header, &[]),
    ];
    // Every byte of the first 256 counts, those behind do not.
    for i in 0..300 {
        let mut other = args.clone();
        other[i] ^= 0x10;
        let key = cache.key(1, &header, &other);
        if i < 256 {
            changed.push(key);
        } else {
            assert_eq!(key, base, "byte {i}");
        }
    }
    for (i, key) in changed.into_iter().enumerate() {
        assert_ne!(key, base);
        assert!(matches!(cache.lookup(key), Lookup::New(_)), "change {i}");
    }
    // Credential and verifier are the caller's to judge: a retransmission may have others.
    let other = nfswire_xdr::Opaque::new(b"1234").unwrap();
    let verifier = OpaqueAuth { flavor: nfswire_rpc::AuthFlavor::GSS, body: other };
    assert_eq!(cache.key(1, &CallHeader { verifier, credential: verifier, ..header }, &args), base);
    // From the first bytes, with the rest still on the wire.
    assert_eq!(cache.key_of_head(1, &header, 300, &args[..256]), Some(base));
    assert_eq!(cache.key_of_head(1, &header, 300, &args), Some(base));
    assert_eq!(cache.key_of_head(1, &header, 300, &args[..255]), None);
    assert_eq!(cache.key_of_head(1, &header, 0, &[]), Some(cache.key(1, &header, &[])));
    assert_eq!((*base.client(), base.xid()), (1, 7));
    assert_eq!(done(&mut cache, base), b"reply");
}

#[test]
fn the_ends_of_long_arguments_count_if_that_is_asked_for() {
    let cache = cache(ReplayLimits::DEFAULT);
    for len in [0, 1, 255, 256, 257, 511, 512, 513, 1000, 70_000] {
        let args = pattern(len);
        let base = cache.key_of_ends(1, &call(7), &args);
        assert_eq!(base == cache.key(1, &call(7), &args), len <= 256, "{len} bytes");
        assert_ne!(base, cache.key_of_ends(1, &call(7), &pattern(len + 1)));
        for i in (0..len).filter(|i| i % 97 == 0 || i % 256 < 2 || (len - i) % 256 < 2) {
            let mut other = args.clone();
            other[i] ^= 0x10;
            let counts = i < 256 || len - i <= 256;
            let key = cache.key_of_ends(1, &call(7), &other);
            assert_eq!(key != base, counts, "byte {i} of {len}");
        }
    }
}

#[test]
fn what_is_old_or_known_to_have_arrived_is_new_again() {
    let mut cache = cache(ReplayLimits::DEFAULT);
    let keys: Vec<_> = (0..4).map(|xid| key(&cache, xid)).collect();
    cache.advance(1000);
    let runs = new(&mut cache, keys[0]);
    run(&mut cache, keys[1], b"1");
    run(&mut cache, keys[2], b"2");
    let long = new(&mut cache, keys[3]);
    assert!(!cache.forget(long.running()), "it runs");
    assert!(matches!(cache.finish(long, &pattern(9000)).kept, Kept::TooLong { .. }));
    cache.advance(1100);
    assert_eq!(done(&mut cache, keys[1]), b"1");
    // A clock that goes backwards stands still.
    cache.advance(3);
    cache.advance(1121);
    assert_eq!(done(&mut cache, keys[1]), b"1", "it was asked for 21 seconds ago");
    let second = new(&mut cache, keys[2]);
    let fourth = new(&mut cache, keys[3]);
    assert_eq!((cache.stats().expired, cache.bytes()), (2, 256));
    // What runs stays, and its age counts from its end.
    cache.advance(u64::MAX - 60);
    assert!(matches!(cache.lookup(keys[0]), Lookup::InProgress(_)));
    for (execution, reply) in [(runs, b"0"), (second, b"B"), (fourth, b"D")] {
        assert_eq!(cache.finish(execution, reply).kept, Kept::Yes);
    }
    cache.advance(u64::MAX);
    assert_eq!(done(&mut cache, keys[0]), b"0");

    // Forgotten by name, once, and not in the place of another.
    let Lookup::Done(reply) = cache.lookup(keys[2]) else { panic!("it was run") };
    let name = reply.call();
    assert!(name.place() < ReplayLimits::DEFAULT.max_calls);
    assert!(cache.forget(name) && !cache.forget(name));
    let again = new(&mut cache, keys[2]);
    assert_eq!(again.running().place(), name.place());
    assert!(!cache.forget(name));
    assert_eq!(cache.finish(again, b"b").kept, Kept::Yes);
    assert!(!cache.forget(name));
    assert_eq!(done(&mut cache, keys[2]), b"b");
    assert_eq!(cache.stats().evicted, 0);
}

#[test]
fn those_who_wait_are_told_when_it_is_over() {
    let limits = ReplayLimits { max_waiters: 3, ..ReplayLimits::DEFAULT };
    let mut cache = cache(limits);
    let (a, b) = (key(&cache, 1), key(&cache, 2));
    let (first, second) = (new(&mut cache, a), new(&mut cache, b));
    let (run_a, run_b) = (running(&mut cache, a), running(&mut cache, b));
    assert_eq!((run_a, run_b), (first.running(), second.running()));
    cache.wait(run_a, 10).unwrap();
    cache.wait(run_b, 20).unwrap();
    cache.wait(run_a, 11).unwrap();
    let error = cache.wait(run_b, 21).unwrap_err();
    assert_eq!(error.token, 21);
    let Finished { kept, waiters } = cache.finish(first, b"first");
    assert_eq!(kept, Kept::Yes);
    assert_eq!(waiters.collect::<Vec<_>>(), [10, 11]);
    // It does not run any more.
    assert_eq!(cache.wait(run_a, 12).unwrap_err().token, 12);
    // Places are free again; tokens that are not taken are dropped with the list.
    for token in 22..24 {
        cache.wait(run_b, token).unwrap();
    }
    let mut waiters = cache.abort(second);
    assert_eq!(waiters.next(), Some(20));
    drop(waiters);
    let again = new(&mut cache, b);
    assert!(cache.wait(run_b, 9).is_err(), "the name of an earlier run");
    for token in 0..3 {
        cache.wait(again.running(), token).unwrap();
    }
    assert!(cache.finish(again, b"").waiters.eq(0..3));
    assert_eq!(cache.running(), 0);
}

#[test]
fn an_abandoned_call_may_be_run_again() {
    let mut cache = cache(ReplayLimits::DEFAULT);
    let key = key(&cache, 1);
    // Given up by name.
    let execution = new(&mut cache, key);
    assert_eq!(cache.abort(execution).count(), 0);
    assert!(cache.is_empty());
    // By an early return, with somebody waiting.
    for token in [5, 6] {
        let execution = new(&mut cache, key);
        cache.wait(execution.running(), token).unwrap();
        drop(cache.guard(execution));
    }
    // By a panic.
    let execution = new(&mut cache, key);
    cache.wait(execution.running(), 7).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _guard = cache.guard(execution);
        panic!("the procedure failed");
    }));
    assert!(panicked.is_err());
    assert_eq!(cache.running(), 0);
    assert_eq!(
        [cache.orphan(), cache.orphan(), cache.orphan(), cache.orphan()],
        [Some(5), Some(6), Some(7), None]
    );
    // And then it is run to its end.
    let execution = new(&mut cache, key);
    cache.wait(execution.running(), 8).unwrap();
    let mut guard = cache.guard(execution);
    let Finished { kept, waiters } = guard.finish(b"done");
    assert!(kept == Kept::Yes && waiters.eq([8]));
    assert_eq!(guard.finish(b"twice").kept, Kept::Foreign);
    drop(guard);
    assert_eq!(done(&mut cache, key), b"done");
    assert_eq!(cache.orphan(), None);
}

#[test]
fn the_one_asked_for_least_recently_goes_and_those_that_run_stay() {
    let limits = ReplayLimits { max_calls: 4, ..ReplayLimits::DEFAULT };
    let mut cache = cache(limits);
    let keys: Vec<_> = (0..10).map(|xid| key(&cache, xid)).collect();
    let runs = new(&mut cache, keys[0]);
    for key in &keys[1..4] {
        run(&mut cache, *key, &[key.xid() as u8]);
    }
    assert_eq!(done(&mut cache, keys[1]), [1]);
    run(&mut cache, keys[4], &[4]); // 2 goes
    run(&mut cache, keys[5], &[5]); // 3 goes
    assert_eq!(done(&mut cache, keys[1]), [1]);
    assert_eq!(cache.stats().evicted, 2);
    // Now all run: nothing can go, and the outcome says so.
    let second = new(&mut cache, keys[2]);
    let third = new(&mut cache, keys[3]);
    let fourth = new(&mut cache, keys[6]);
    assert!(matches!(cache.lookup(keys[7]), Lookup::Full));
    assert_eq!((cache.running(), cache.len(), cache.stats().full), (4, 4, 1));
    for i in [0, 2, 3, 6] {
        assert!(matches!(cache.lookup(keys[i]), Lookup::InProgress(_)), "call {i}");
    }
    // One that ends makes room.
    assert_eq!(cache.finish(third, b"3").kept, Kept::Yes);
    let seventh = new(&mut cache, keys[7]);
    for (execution, reply) in [(runs, b"0"), (second, b"2"), (fourth, b"6"), (seventh, b"7")] {
        assert_eq!(cache.finish(execution, reply).kept, Kept::Yes);
    }
    for (i, reply) in [(0, b"0"), (2, b"2"), (6, b"6"), (7, b"7")] {
        assert_eq!(done(&mut cache, keys[i]), reply);
    }
}

#[test]
fn a_host_with_more_than_its_share_loses_its_own() {
    let limits = ReplayLimits { max_calls: 64, max_bytes: 64 << 8, ..ReplayLimits::DEFAULT };
    // Clients 10 to 19 are on host 1, and so on.
    let mut cache = cache(limits).with_hosts(|client| u64::from(client / 10));
    let few: Vec<_> = (0..8).map(|n| cache.key(10 + n, &call(n), b"")).collect();
    for (n, key) in few.iter().enumerate() {
        run(&mut cache, *key, &[n as u8]);
    }
    // Two hosts with many, of calls and of bytes, and one that all of its calls run.
    let held: Vec<_> = (0..10)
        .map(|n| {
            let key = cache.key(40, &call(n), b"");
            new(&mut cache, key)
        })
        .collect();
    for n in 0..3000 {
        let key = cache.key(20 + n % 20, &call(n), b"");
        run(&mut cache, key, &pattern(n as usize % 1000));
        assert_eq!(done(&mut cache, key).len(), n as usize % 1000);
    }
    for (n, key) in few.iter().enumerate() {
        assert_eq!(done(&mut cache, *key), [n as u8]);
    }
    for execution in held {
        assert_eq!(cache.finish(execution, b"").kept, Kept::Yes);
    }
    // Where all have little, the oldest of all goes.
    for n in 0..200 {
        let key = cache.key(1000 + 10 * n, &call(n), b"");
        run(&mut cache, key, b"r");
    }
    assert!(matches!(cache.lookup(few[0]), Lookup::New(_)));
    assert_eq!(cache.stats().full, 0);
}

/// What is reserved for the worst is not touched before it comes to that.
#[test]
fn room_that_is_not_needed_costs_addresses_only() {
    let limits = ReplayLimits { max_calls: 1 << 16, max_bytes: 512 << 20, ..ReplayLimits::DEFAULT };
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    let before = resident();
    let mut cache = cache(limits);
    let key = key(&cache, 1);
    run(&mut cache, key, &pattern(8000));
    if let (Some(before), Some(after)) = (before, resident()) {
        // The other tests of this process have far less than what was reserved.
        assert!(after.saturating_sub(before) < 256 << 10, "{before} KiB, then {after} KiB");
    }
    assert_eq!(done(&mut cache, key), pattern(8000));
}

#[test]
fn bytes_are_bounded_and_a_long_reply_is_an_outcome() {
    let limits = ReplayLimits {
        max_calls: 100,
        max_bytes: 2048,
        max_reply: 1024,
        max_waiters: 1,
        max_age: 120,
    };
    let mut cache = cache(limits);
    let keys: Vec<_> = (0..20).map(|xid| key(&cache, xid)).collect();
    let long = pattern(1025);
    let execution = new(&mut cache, keys[0]);
    let kept = cache.finish(execution, &long).kept;
    assert_eq!(kept, Kept::TooLong { len: 1025, limit: 1024 });
    assert_eq!(kept.to_string(), "a reply of 1025 bytes is not kept: the cache keeps at most 1024");
    // It was run, and is not run again.
    assert!(matches!(cache.lookup(keys[0]), Lookup::NotKept));
    assert_eq!((cache.bytes(), cache.len(), cache.stats().not_kept), (0, 1, 1));
    // Eight blocks: two of the longest replies, or eight short ones.
    for key in &keys[1..10] {
        run(&mut cache, *key, &long[..1024]);
        assert_eq!(done(&mut cache, *key), &long[..1024]);
        assert!(cache.bytes() <= 2048);
    }
    assert_eq!((cache.bytes(), cache.len()), (2048, 2));
    for i in 10..18 {
        run(&mut cache, keys[i], &long[..i]);
    }
    assert_eq!((cache.bytes(), cache.len()), (2048, 8));
    for i in 10..18 {
        assert_eq!(done(&mut cache, keys[i]), &long[..i]);
    }
    // A reply of no bytes takes none.
    run(&mut cache, keys[18], b"");
    assert_eq!((cache.len(), done(&mut cache, keys[18])), (9, vec![]));
    // A part of the reply is in a file.
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&Payload::from(FileRange { token: 1, offset: 0, len: 8 })).unwrap();
    e.finish();
    let execution = new(&mut cache, keys[19]);
    let finished = cache.finish_message(execution, &segments.view(&head));
    assert_eq!(finished.kept, Kept::NotInMemory);
    drop(finished);
    assert!(matches!(cache.lookup(keys[19]), Lookup::NotKept));
}

/// What a block held before belongs to another client: it never comes back in a later reply.
#[test]
fn a_reply_that_is_looked_at_with_another_head_is_not_kept() {
    let mut cache = cache(ReplayLimits { max_calls: 1, ..ReplayLimits::DEFAULT });
    let (first, second) = (key(&cache, 1), key(&cache, 2));
    run(&mut cache, first, &pattern(256));
    let data = pattern(8);
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&7u32).unwrap();
    e.put(&Payload::Borrowed(&data)).unwrap();
    e.finish();
    let execution = new(&mut cache, second);
    let kept = cache.finish_message(execution, &segments.view(&[])).kept;
    assert_eq!(kept, Kept::NotInMemory);
    assert!(matches!(cache.lookup(second), Lookup::NotKept));
}

/// A reply of several blocks is put whole or not at all. // E10
#[test]
fn a_reply_without_room_leaves_nothing() {
    let mut cache = cache(ReplayLimits::DEFAULT);
    let key = key(&cache, 1);
    run(&mut cache, key, &pattern(1000));
    let Lookup::Done(reply) = cache.lookup(key) else { panic!("it was run") };
    for room in [4, 8, 260, 264, 600, 1000, 1004] {
        let (mut head, mut segments) = (vec![0; room], Segments::new());
        let mut e = Encoder::fixed(&mut head, &mut segments);
        e.put(&7u32).unwrap();
        let missing = 1004u64.saturating_sub(room as u64);
        let expected = if missing > 0 { Err(EncodeError::NoSpace { missing }) } else { Ok(()) };
        assert_eq!(reply.put(&mut e), expected);
        assert_eq!(e.len(), if missing > 0 { 4 } else { 1004 });
    }
}

#[test]
fn an_execution_of_another_cache_changes_nothing() {
    let (mut a, mut b) = (
        cache(ReplayLimits::DEFAULT),
        ReplayCache::new(ReplayLimits::DEFAULT, *b"another secret..").unwrap(),
    );
    // In both, entry 0 runs as the first call of the cache.
    let (key_a, key_b) = (key(&a, 1), key(&b, 2));
    let (foreign, own) = (new(&mut a, key_a), new(&mut b, key_b));
    assert!(b.wait(foreign.running(), 1).is_err());
    assert_eq!(b.finish(foreign, b"x").kept, Kept::Foreign);
    assert_eq!(b.abort(own).count(), 0);
    run(&mut b, key_b, b"b");
    assert_eq!(done(&mut b, key_b), b"b");
    assert!(matches!(a.lookup(key_a), Lookup::InProgress(_)));
}

/// A client that counts how often it is compared, and whose hash is that of any other.
#[derive(Debug, Clone, Copy, Eq)]
struct Counted(u32);

thread_local!(static COMPARED: Cell<u64> = const { Cell::new(0) });

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        COMPARED.set(COMPARED.get() + 1);
        self.0 == other.0
    }
}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[test]
fn hostile_numbers_do_not_make_lookups_slow() {
    const CALLS: u32 = 4096;
    type Numbers = fn(u32) -> u32;
    let numbers: [Numbers; 5] =
        [|i| i, |i| i << 12, |i| i << 20, |i| i.wrapping_mul(0x0100_0193), |i| !i];
    for (n, number) in numbers.iter().enumerate() {
        let limits = ReplayLimits { max_calls: CALLS, ..ReplayLimits::DEFAULT };
        let mut cache = ReplayCache::<Counted, ()>::new(limits, [n as u8; 16]).unwrap();
        COMPARED.set(0);
        // Three times as many as there is room for, each looked up twice.
        for i in 0..3 * CALLS {
            let key = cache.key(Counted(1), &call(number(i)), b"");
            if let Lookup::New(execution) = cache.lookup(key) {
                drop(cache.finish(execution, b""));
            }
            assert!(matches!(cache.lookup(key), Lookup::Done(_)));
        }
        let each = COMPARED.get() as f64 / f64::from(6 * CALLS);
        assert!(each < 1.0, "pattern {n}: {each} comparisons a lookup");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Arrive { client: u32, xid: u32, args: u8 },
    Wait(usize),
    Finish(usize, usize),
    Abort(usize),
    Forget(usize),
    Advance(u64),
}

/// Client, xid, arguments.
type Id = (u32, u32, u8);

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0u32..2, 0u32..12, 0u8..2)
            .prop_map(|(client, xid, args)| Step::Arrive { client, xid, args }),
        2 => any::<usize>().prop_map(Step::Wait),
        3 => (any::<usize>(), 0usize..1500).prop_map(|(i, len)| Step::Finish(i, len)),
        1 => any::<usize>().prop_map(Step::Abort),
        1 => any::<usize>().prop_map(Step::Forget),
        1 => (0u64..8).prop_map(Step::Advance),
    ]
}

proptest! {
    /// Against a map and a list in the order of last use.
    #[test]
    fn agrees_with_a_map(steps in prop::collection::vec(step(), 0..300)) {
        const CALLS: usize = 6;
        const BLOCKS: usize = 8;
        const AGE: u64 = 9;
        let limits = ReplayLimits {
            max_calls: CALLS as u32,
            max_bytes: 2048,
            max_reply: 1024,
            max_waiters: 4,
            max_age: AGE as u32,
        };
        let mut cache = cache(limits);
        let mut running: Vec<(Id, Execution, Vec<u32>)> = vec![];
        let mut replies: HashMap<Id, Option<Vec<u8>>> = HashMap::new();
        // When it was asked for, and what it is called.
        let mut used: Vec<(Id, u64, Running)> = vec![];
        let (mut tokens, mut now) = (0, 0);
        for step in steps {
            match step {
                Step::Arrive { client, xid, args } => {
                    let id = (client, xid, args);
                    let key = cache.key(client, &call(xid), &[args; 5]);
                    match cache.lookup(key) {
                        Lookup::New(execution) => {
                            if let Some(i) = used.iter().position(|(other, ..)| *other == id) {
                                prop_assert!(now - used.remove(i).1 > AGE);
                                replies.remove(&id);
                            }
                            prop_assert!(!replies.contains_key(&id));
                            prop_assert!(running.iter().all(|(other, ..)| *other != id));
                            if running.len() + used.len() == CALLS {
                                replies.remove(&used.remove(0).0);
                            }
                            running.push((id, execution, vec![]));
                        }
                        Lookup::InProgress(name) => {
                            let run = running.iter().find(|(other, ..)| *other == id).unwrap();
                            prop_assert_eq!(run.1.running(), name);
                        }
                        Lookup::Done(reply) => {
                            let expected = replies[&id].clone();
                            prop_assert_eq!(Some(bytes(reply)), expected);
                            let i = used.iter().position(|(other, ..)| *other == id).unwrap();
                            let (_, at, name) = used.remove(i);
                            prop_assert!(now - at <= AGE && name == reply.call());
                            used.push((id, now, name));
                        }
                        Lookup::NotKept => {
                            prop_assert_eq!(&replies[&id], &None);
                            let i = used.iter().position(|(other, ..)| *other == id).unwrap();
                            let (_, at, name) = used.remove(i);
                            prop_assert!(now - at <= AGE);
                            used.push((id, now, name));
                        }
                        Lookup::Full => prop_assert_eq!(running.len(), CALLS),
                    }
                }
                Step::Wait(i) if !running.is_empty() => {
                    let waiting: usize = running.iter().map(|run| run.2.len()).sum();
                    let i = i % running.len();
                    let run = &mut running[i];
                    tokens += 1;
                    match cache.wait(run.1.running(), tokens) {
                        Ok(()) => run.2.push(tokens),
                        Err(error) => prop_assert_eq!((waiting, error.token), (4, tokens)),
                    }
                }
                Step::Finish(i, len) if !running.is_empty() => {
                    let (id, execution, waiters) = running.swap_remove(i % running.len());
                    let (reply, name) = (pattern(len), execution.running());
                    let Finished { kept, waiters: told } = cache.finish(execution, &reply);
                    let told: Vec<u32> = told.collect();
                    prop_assert_eq!((kept == Kept::Yes, told), (len <= 1024, waiters));
                    let blocks = |reply: &Option<Vec<u8>>| {
                        reply.as_ref().map_or(0, |reply| reply.len().div_ceil(256))
                    };
                    let reply = (len <= 1024).then_some(reply);
                    while replies.values().map(blocks).sum::<usize>() + blocks(&reply) > BLOCKS {
                        replies.remove(&used.remove(0).0);
                    }
                    replies.insert(id, reply);
                    used.push((id, now, name));
                    let total: usize = replies.values().map(blocks).sum();
                    prop_assert_eq!(cache.bytes(), total * 256);
                }
                Step::Abort(i) if !running.is_empty() => {
                    let (_, execution, waiters) = running.swap_remove(i % running.len());
                    prop_assert!(cache.abort(execution).eq(waiters));
                }
                Step::Forget(i) if !used.is_empty() => {
                    let (id, _, name) = used.remove(i % used.len());
                    replies.remove(&id);
                    prop_assert!(cache.forget(name) && !cache.forget(name));
                }
                Step::Advance(seconds) => {
                    now += seconds;
                    cache.advance(now);
                }
                _ => {}
            }
            prop_assert_eq!((cache.running(), cache.len()), (running.len(), running.len() + used.len()));
        }
    }
}
