//! WRITE before COMMIT: requests of a connection may be served beside each other, but a COMMIT speaks of the WRITEs
//! that were sent before it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::service::Kind;

/// WRITEs of a connection that are being served.
#[derive(Debug, Default)]
pub(super) struct Writes {
    state: Mutex<State>,
    /// Told when a WRITE has ended.
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Number of the next WRITE.
    next: u64,
    running: Vec<u64>,
    /// COMMITs that wait.
    waiting: usize,
}

/// A call in its place among the WRITEs; its service ends when this is dropped.
#[derive(Debug)]
pub(super) struct Place<'w> {
    writes: &'w Writes,
    kind: Kind,
    /// Number of a WRITE; of a COMMIT, the number of the first WRITE behind it.
    number: u64,
}

impl Writes {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a call's place; to be called in the order of their arrival. Most calls have none.
    pub(super) fn place(&self, kind: Kind) -> Option<Place<'_>> {
        if !matches!(kind, Kind::Write | Kind::Commit) {
            return None;
        }
        let mut state = self.lock();
        let number = state.next;
        if kind == Kind::Write {
            state.next = number.wrapping_add(1);
            state.running.push(number);
        }
        Some(Place { writes: self, kind, number })
    }
}

impl Place<'_> {
    /// Waits until the call may be served: a COMMIT, until the WRITEs before it have been.
    pub(super) fn wait(&self) {
        if self.kind != Kind::Commit {
            return;
        }
        let mut state = self.writes.lock();
        state.waiting = state.waiting.saturating_add(1);
        let before = |state: &mut State| state.running.iter().any(|n| *n < self.number);
        let waited = self.writes.ended.wait_while(state, before);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting = state.waiting.saturating_sub(1);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.kind == Kind::Write {
            let mut state = self.writes.lock();
            state.running.retain(|n| *n != self.number);
            // To tell is a system call even if nobody waits.
            if state.waiting > 0 {
                self.writes.ended.notify_all();
            }
        }
    }
}
