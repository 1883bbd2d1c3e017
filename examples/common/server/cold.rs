//! READs of data that is not in memory.
//!
//! `sendfile` waits for the disk in the middle of a reply, where no other reply of the connection can leave. So data that
//! is likely to be cold is fetched before, while the call is served and others can be served beside it. To ask costs a
//! system call, which READs from memory are spared: it is asked at the first READ of a connection, and where sending
//! has been slow. A slow client looks the same, so each time it was not the disk the next slow sends count for less.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Sending that takes longer may have waited for a disk.
pub(super) const SLOW: Duration = Duration::from_millis(8);
/// READs that are asked about after one was cold.
const AFTER_COLD: u32 = 64;
/// READs that are asked about after sending was slow.
const AFTER_SLOW: u32 = 2;
/// Most slow sends that count for nothing after one that was not the disk's fault.
const MOST_PASSED: u32 = 1 << 12;

/// What is known of a connection's READs.
#[derive(Debug)]
pub(super) struct Suspicion {
    /// Whether to ask at all: all that READs from memory look at.
    asks: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, PartialEq, Eq)]
struct State {
    /// READs that are still to be asked about.
    ask: u32,
    /// Slow sends that still count for nothing.
    pass: u32,
    /// The same, after the next one that counts in vain.
    next_pass: u32,
}

impl Default for Suspicion {
    fn default() -> Self {
        Self { asks: AtomicBool::new(true), state: Mutex::new(State::NEW) }
    }
}

impl Suspicion {
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state: MutexGuard<'_, State> =
            self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        self.asks.store(state.ask > 0, Ordering::Relaxed);
    }

    /// Whether the next READ is to be asked about.
    pub(super) fn asks(&self) -> bool {
        self.asks.load(Ordering::Relaxed)
    }

    /// It was asked whether data was in memory.
    pub(super) fn asked(&self, was_cold: bool) {
        self.change(|state| state.asked(was_cold));
    }

    /// Sending file data has taken longer than [`SLOW`].
    pub(super) fn sent_slowly(&self) {
        self.change(State::sent_slowly);
    }
}

impl State {
    const NEW: Self = Self { ask: 1, pass: 0, next_pass: 4 };

    fn asked(&mut self, was_cold: bool) {
        if was_cold {
            *self = Self { ask: AFTER_COLD, ..Self::NEW };
        } else {
            self.ask = self.ask.saturating_sub(1);
        }
    }

    fn sent_slowly(&mut self) {
        if self.ask > 0 {
            return;
        }
        if self.pass > 0 {
            self.pass = self.pass.saturating_sub(1);
            return;
        }
        self.ask = AFTER_SLOW;
        self.pass = self.next_pass;
        self.next_pass = self.next_pass.saturating_mul(4).min(MOST_PASSED);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects)]

    use super::*;

    /// READs that are asked about, of so many.
    fn asked(state: &mut State, reads: u32, is_cold: bool, is_slow: bool) -> u32 {
        let mut asked = 0;
        for _ in 0..reads {
            if state.ask > 0 {
                state.asked(is_cold);
                asked += 1;
            }
            if is_slow {
                state.sent_slowly();
            }
        }
        asked
    }

    #[test]
    fn reads_from_memory_are_asked_about_once() {
        let mut state = State::NEW;
        assert_eq!(asked(&mut state, 10_000, false, false), 1);
    }

    #[test]
    fn reads_from_a_disk_are_asked_about_each_time() {
        let mut state = State::NEW;
        assert_eq!(asked(&mut state, 1, false, false), 1);
        // Nobody knows before the first one.
        assert_eq!(asked(&mut state, 1, true, true), 0);
        assert_eq!(asked(&mut state, 1000, true, false), 1000);
        // And a while longer.
        assert_eq!(asked(&mut state, 1000, false, false), AFTER_COLD);
    }

    #[test]
    fn slow_clients_that_read_from_memory_are_asked_about_less_and_less() {
        let mut state = State::NEW;
        let in_100 = asked(&mut state, 100, false, true);
        assert!((4..=10).contains(&in_100), "{in_100}");
        assert!(asked(&mut state, 100_000, false, true) < 80);
        // Until one is cold.
        state.asked(true);
        assert_eq!(asked(&mut state, 1000, false, false), AFTER_COLD);
        assert_eq!((state.pass, state.next_pass), (0, 4));
    }
}
