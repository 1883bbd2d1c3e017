//! Locks on ranges against a map of single bytes.
#![cfg(feature = "alloc")]

use nfswire_nfs4::{
    ops::lock::LockType,
    state::{LockRange, LockRefused, LockSet, TooManyLocks},
};
use proptest::prelude::*;

/// Bytes of the model, of which the last one stands for the rest of the file.
const BYTES: usize = 24;

/// Which owners have which kind of lock, byte by byte: true is exclusive.
#[derive(Clone, Default, PartialEq, Debug)]
struct Model {
    owners: [[Option<bool>; BYTES]; 3],
}

fn bytes(range: LockRange) -> impl Iterator<Item = usize> {
    (0..BYTES).filter(move |byte| {
        let byte = *byte as u64;
        range.first() <= byte && byte <= range.last()
    })
}

impl Model {
    fn conflicts(&self, owner: usize, range: LockRange, exclusive: bool) -> bool {
        let others = self.owners.iter().enumerate().filter(|(other, _)| *other != owner);
        others
            .flat_map(|(_, map)| bytes(range).filter_map(|b| map[b]))
            .any(|held| held || exclusive)
    }

    fn set(&mut self, owner: usize, range: LockRange, kind: Option<bool>) {
        bytes(range).for_each(|b| self.owners[owner][b] = kind);
    }

    /// Locks that there must be: runs of bytes of one kind.
    fn runs(&self) -> Vec<(usize, u64, u64, bool)> {
        let mut runs = Vec::new();
        for (owner, map) in self.owners.iter().enumerate() {
            let mut byte = 0;
            while byte < BYTES {
                let Some(kind) = map[byte] else {
                    byte += 1;
                    continue;
                };
                let run = map[byte..].iter().take_while(|held| **held == Some(kind)).count();
                let last = byte + run - 1;
                let last = if last == BYTES - 1 { u64::MAX } else { last as u64 };
                runs.push((owner, byte as u64, last, kind));
                byte += run;
            }
        }
        runs.sort_by_key(|run| (run.1, run.0));
        runs
    }
}

fn runs(locks: &LockSet<usize>) -> Vec<(usize, u64, u64, bool)> {
    let firsts: Vec<u64> = locks.iter().map(|lock| lock.range.first()).collect();
    assert!(firsts.is_sorted(), "in order: {locks:?}");
    let mut runs: Vec<_> =
        locks.iter().map(|l| (l.owner, l.range.first(), l.range.last(), l.exclusive)).collect();
    runs.sort_by_key(|run| (run.1, run.0));
    runs
}

#[derive(Debug, Clone)]
enum Step {
    Lock(usize, LockRange, LockType),
    Unlock(usize, LockRange),
    Release(usize),
}

fn range() -> impl Strategy<Value = LockRange> {
    (0..BYTES as u64, 1..=BYTES as u64).prop_map(|(first, length)| {
        // What reaches the last byte of the model reaches the end of the file.
        let to_end = first + length >= BYTES as u64;
        LockRange::new(first, if to_end { u64::MAX } else { length }).unwrap()
    })
}

fn step() -> impl Strategy<Value = Step> {
    let kinds = [LockType::Read, LockType::Write, LockType::ReadWait, LockType::WriteWait];
    prop_oneof![
        6 => (0..3usize, range(), 0..4usize).prop_map(move |(o, r, k)| Step::Lock(o, r, kinds[k])),
        3 => (0..3usize, range()).prop_map(|(o, r)| Step::Unlock(o, r)),
        1 => (0..3usize).prop_map(Step::Release),
    ]
}

fn run(steps: &[Step], limit: u32) {
    let mut locks = LockSet::new(limit).unwrap();
    let mut model = Model::default();
    for step in steps {
        let mut next = model.clone();
        let full = match *step {
            Step::Lock(owner, range, lock_type) => {
                let exclusive = lock_type.is_exclusive();
                let conflict = model.conflicts(owner, range, exclusive);
                let found = locks.test(&owner, range, lock_type).copied();
                assert_eq!(found.is_some(), conflict, "{step:?} on {locks:?}");
                match locks.lock(&owner, range, lock_type) {
                    Err(LockRefused::Denied(denied)) => {
                        assert!(conflict);
                        assert_eq!(found, Some(denied));
                        assert!(denied.owner != owner && denied.range.overlaps(range));
                        assert!(exclusive || denied.exclusive);
                        continue;
                    }
                    answer => {
                        assert!(!conflict, "{step:?} on {locks:?}");
                        next.set(owner, range, Some(exclusive));
                        answer.is_err()
                    }
                }
            }
            Step::Unlock(owner, range) => {
                next.set(owner, range, None);
                locks.unlock(&owner, range).is_err()
            }
            Step::Release(owner) => {
                let had = runs(&locks).iter().filter(|run| run.0 == owner).count();
                assert_eq!(locks.holds(&owner), had > 0);
                assert_eq!(locks.release(|o| *o == owner), had);
                next.set(owner, LockRange::ALL, None);
                false
            }
        };
        assert_eq!(full, next.runs().len() > limit as usize, "{step:?} on {locks:?}");
        if !full {
            model = next;
        }
        assert_eq!(runs(&locks), model.runs(), "after {step:?}");
        assert_eq!(locks.len(), model.runs().len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn locks_are_those_of_every_byte(steps in prop::collection::vec(step(), 1..60)) {
        run(&steps, 1000);
    }

    #[test]
    fn no_room_changes_nothing(steps in prop::collection::vec(step(), 1..60), limit in 0..8u32) {
        run(&steps, limit);
    }
}

fn at(offset: u64, length: u64) -> LockRange {
    LockRange::new(offset, length).unwrap()
}

#[test]
fn an_unlocked_middle_leaves_two() {
    let mut locks = LockSet::new(2).unwrap();
    locks.lock(&0, LockRange::ALL, LockType::Write).unwrap();
    locks.unlock(&0, at(10, 10)).unwrap();
    assert_eq!(runs(&locks), [(0, 0, 9, true), (0, 20, u64::MAX, true)]);
    assert_eq!(locks.unlock(&0, at(5, 1)), Err(TooManyLocks { limit: 2 }));
    assert_eq!(locks.len(), 2);
    locks.lock(&0, at(10, 10), LockType::Write).unwrap();
    assert_eq!(runs(&locks), [(0, 0, u64::MAX, true)]);
}

#[test]
fn upgrade_and_downgrade() {
    let mut locks = LockSet::new(8).unwrap();
    locks.lock(&0, at(0, 100), LockType::Read).unwrap();
    locks.lock(&1, at(50, 10), LockType::Read).unwrap();
    // Only where nobody else reads.
    let denied = locks.lock(&0, at(0, 100), LockType::Write).unwrap_err();
    assert!(matches!(denied, LockRefused::Denied(lock) if lock.owner == 1));
    locks.lock(&0, at(0, 50), LockType::Write).unwrap();
    let split = [(0, 0, 49, true), (0, 50, 99, false), (1, 50, 59, false)];
    assert_eq!(runs(&locks), split);
    locks.lock(&0, at(0, 50), LockType::ReadWait).unwrap();
    assert_eq!(runs(&locks), [(0, 0, 99, false), (1, 50, 59, false)]);
}

#[test]
fn the_last_bytes() {
    let mut locks = LockSet::new(4).unwrap();
    locks.lock(&0, at(u64::MAX, u64::MAX), LockType::Write).unwrap();
    locks.lock(&0, at(u64::MAX - 1, 1), LockType::Write).unwrap();
    assert_eq!(runs(&locks), [(0, u64::MAX - 1, u64::MAX, true)]);
    locks.unlock(&0, at(u64::MAX, u64::MAX)).unwrap();
    assert_eq!(runs(&locks), [(0, u64::MAX - 1, u64::MAX - 1, true)]);
}

#[test]
fn mandatory_locks() {
    let mut locks = LockSet::new(4).unwrap();
    locks.lock(&0, at(0, 10), LockType::Read).unwrap();
    assert!(locks.conflict(None, at(0, 1), false).is_none());
    assert!(locks.conflict(None, at(0, 1), true).is_some());
    assert!(locks.conflict(Some(&0), at(0, 1), true).is_none());
    assert!(locks.conflict(None, at(10, 1), true).is_none());
}

#[cfg(feature = "std")]
#[test]
fn nothing_allocates_after_new() {
    let mut locks = LockSet::new(100).unwrap();
    let info = allocation_counter::measure(|| {
        for i in 0..99u64 {
            locks.lock(&0u32, at(i * 10, 5), LockType::Write).unwrap();
        }
        locks.unlock(&0, at(1, 2)).unwrap();
        assert_eq!(locks.len(), 100);
        locks.lock(&0, at(0, 10_000), LockType::Read).unwrap();
    });
    assert_eq!((info.count_total, locks.len()), (0, 1));
}
