//! From the kernel's memory to the disk: fsync, and what follows when it fails.
//!
//! After a failed fsync the kernel counts the pages as clean, and tells of the failure once for each open file description:
//! the next fsync succeeds although the data is lost. So whoever asks for a sync of a file gets the outcome of one that
//! began after the question, also if another thread makes it; and a failure changes the write verifier before anybody
//! else can be told of a success.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::os::fd::AsFd;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use nfswire_nfs3::Status;
use rustix::fs::{fdatasync, fsync, syncfs};
use rustix::io::{Errno, retry_on_intr};

use crate::fs::Result;

/// What is to be on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// The data, and what is needed to read it.
    Data,
    /// All attributes, too.
    Whole,
}

/// Puts a file or directory on disk.
pub(super) fn to_disk(file: impl AsFd, depth: Depth) -> Result<(), Errno> {
    let synced = retry_on_intr(|| match depth {
        Depth::Data => fdatasync(&file),
        Depth::Whole => fsync(&file),
    });
    match synced {
        // Some file systems cannot do that for a directory alone.
        Err(Errno::INVAL) => retry_on_intr(|| syncfs(&file)),
        other => other,
    }
}

//--- The write verifier ---

/// The value after which clients send uncommitted data again (`writeverf3`, RFC 1813, section 3.3.7).
#[derive(Debug)]
pub(super) struct WriteVerifier {
    value: AtomicU64,
    #[cfg(test)]
    faults: Mutex<alloc::collections::VecDeque<Errno>>,
}

impl WriteVerifier {
    /// One that no earlier run of this server has used: without a number that is known to be such, the clock in ns.
    pub(super) fn new(first: Option<u64>) -> Self {
        let value = first.unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
        });
        Self {
            value: AtomicU64::new(value),
            #[cfg(test)]
            faults: Mutex::default(),
        }
    }

    pub(super) fn get(&self) -> [u8; 8] {
        self.value.load(Ordering::SeqCst).to_be_bytes()
    }

    /// Uncommitted data may have been lost.
    pub(super) fn change(&self) {
        self.value.fetch_add(1, Ordering::SeqCst);
    }

    /// Runs a sync and changes the verifier if it fails.
    pub(super) fn watch(&self, sync: impl FnOnce() -> Result<(), Errno>) -> Result<(), Errno> {
        let synced = sync();
        #[cfg(test)]
        let synced = lock(&self.faults).pop_front().map_or(synced, Err);
        if synced.is_err() {
            self.change();
        }
        synced
    }

    /// Lets the next syncs fail, one for each error.
    #[cfg(test)]
    pub(super) fn fail_with(&self, errors: &[Errno]) {
        lock(&self.faults).extend(errors);
    }

    /// How many of those have not happened yet.
    #[cfg(test)]
    pub(super) fn faults_left(&self) -> usize {
        lock(&self.faults).len()
    }
}

/// What a client is told of a failed sync: of all the kernel's errors RFC 1813 has this one in every procedure's list.
pub(super) fn told(synced: Result<(), Errno>) -> Result<()> {
    synced.map_err(|_| Status::IO.into())
}

//--- One after the other ---

/// The syncs of one file.
///
/// Of two at the same time the kernel would tell only one of a failure. So there is one at a time, and those who come
/// meanwhile share the next one.
#[derive(Debug, Default)]
pub(super) struct Syncs {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: bool,
    /// Not begun.
    next: Arc<Round>,
}

/// One sync, and all who wait for it.
#[derive(Debug, Default)]
struct Round {
    /// Whether anybody wants more than the data.
    whole: AtomicBool,
    outcome: OnceLock<Result<(), Errno>>,
}

/// Makes way for the next round, also after a panic.
struct Running<'s>(&'s Syncs);

impl Syncs {
    /// The outcome of a sync that begins after this call: of `sync`, called here, or of another thread's.
    pub(super) fn join(
        &self,
        depth: Depth,
        sync: impl FnOnce(Depth) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let mut state = lock(&self.state);
        let round = Arc::clone(&state.next);
        if depth == Depth::Whole {
            round.whole.store(true, Ordering::SeqCst);
        }
        while state.running {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            if let Some(outcome) = round.outcome.get() {
                return *outcome;
            }
        }
        // Nobody can join it any more: what they write from here on may come too late for it.
        state.running = true;
        state.next = Arc::default();
        drop(state);
        let _running = Running(self);
        let depth = if round.whole.load(Ordering::SeqCst) { Depth::Whole } else { Depth::Data };
        let outcome = sync(depth);
        *round.outcome.get_or_init(|| outcome)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).running = false;
        self.0.ended.notify_all();
    }
}

/// A panic elsewhere leaves nothing half-done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects)]

    use core::sync::atomic::AtomicUsize;
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn who_comes_during_a_sync_shares_the_next_one_and_its_outcome() {
        let (syncs, rounds, depths) = (Syncs::default(), AtomicUsize::new(0), Mutex::new(vec![]));
        let waiting = || Arc::strong_count(&lock(&syncs.state).next) - 1;
        let (begun, go) = (Barrier::new(2), Barrier::new(2));
        let sync = |outcome| {
            let (rounds, depths) = (&rounds, &depths);
            move |depth| {
                rounds.fetch_add(1, Ordering::SeqCst);
                lock(depths).push(depth);
                outcome
            }
        };
        thread::scope(|scope| {
            let first = scope.spawn(|| {
                syncs.join(Depth::Data, |depth| {
                    begun.wait();
                    go.wait();
                    sync(Err(Errno::IO))(depth)
                })
            });
            begun.wait();
            let later: Vec<_> = (0..8)
                .map(|i| {
                    let depth = if i == 3 { Depth::Whole } else { Depth::Data };
                    let sync = sync(Err(Errno::NOSPC));
                    let syncs = &syncs;
                    scope.spawn(move || syncs.join(depth, sync))
                })
                .collect();
            while waiting() < 8 {
                thread::yield_now();
            }
            go.wait();
            assert_eq!(first.join().unwrap(), Err(Errno::IO));
            for one in later {
                assert_eq!(one.join().unwrap(), Err(Errno::NOSPC), "not the first one's outcome");
            }
        });
        assert_eq!(*lock(&depths), [Depth::Data, Depth::Whole]);
        // What has failed once is over.
        assert_eq!(syncs.join(Depth::Data, sync(Ok(()))), Ok(()));
        assert_eq!(rounds.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn many_threads_get_the_outcome_of_a_sync_behind_their_write() {
        // Each write is a number; a sync covers those before its begin.
        let (syncs, written, durable) = (Syncs::default(), AtomicU64::new(0), AtomicU64::new(0));
        let running = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let mine = written.fetch_add(1, Ordering::SeqCst) + 1;
                        let synced = syncs.join(Depth::Whole, |_| {
                            assert!(!running.swap(true, Ordering::SeqCst), "two at a time");
                            let covered = written.load(Ordering::SeqCst);
                            thread::yield_now();
                            durable.fetch_max(covered, Ordering::SeqCst);
                            running.store(false, Ordering::SeqCst);
                            Ok(())
                        });
                        assert_eq!(synced, Ok(()));
                        assert!(durable.load(Ordering::SeqCst) >= mine);
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_in_a_sync_is_its_own() {
        let syncs = Syncs::default();
        let panics = || syncs.join(Depth::Data, |_| panic!("a fault"));
        assert!(std::panic::catch_unwind(core::panic::AssertUnwindSafe(panics)).is_err());
        assert_eq!(syncs.join(Depth::Data, |_| Ok(())), Ok(()));
    }

    #[test]
    fn a_failed_sync_changes_the_verifier() {
        let verifier = WriteVerifier::new(Some(u64::MAX));
        let first = verifier.get();
        assert_eq!(verifier.watch(|| Ok(())), Ok(()));
        assert_eq!(verifier.get(), first);
        assert_eq!(verifier.watch(|| Err(Errno::IO)), Err(Errno::IO));
        assert_ne!(verifier.get(), first);
        assert_eq!(told(Err(Errno::DQUOT)).unwrap_err().status, Status::IO);
    }
}
