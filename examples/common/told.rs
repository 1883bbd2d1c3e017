//! Lines of the log that others can cause as often as they like: one of them a second is written.

use core::mem;
use core::time::Duration;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// One line is written in this time.
const PAUSE: Duration = Duration::from_secs(1);

/// What this machine fails to do, such as writing to a disk: each call that needs it fails again.
pub(crate) static FAULTS: Told = Told::new();

/// Says whose turn it is, for all lines that share it.
#[derive(Debug)]
pub(crate) struct Told {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    last: Option<Instant>,
    left_out: u64,
}

/// The right to write a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Lines that were not written since the last one, if there are any.
    pub(crate) left_out: Option<u64>,
}

impl Told {
    pub(crate) const fn new() -> Self {
        Self { state: Mutex::new(State { last: None, left_out: 0 }) }
    }

    /// `None` if the line is to be left out; then it is counted.
    pub(crate) fn turn(&self) -> Option<Turn> {
        self.turn_at(Instant::now())
    }

    fn turn_at(&self, now: Instant) -> Option<Turn> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.last.is_some_and(|last| now.saturating_duration_since(last) < PAUSE) {
            state.left_out = state.left_out.saturating_add(1);
            return None;
        }
        state.last = Some(now);
        let left_out = mem::take(&mut state.left_out);
        Some(Turn { left_out: (left_out > 0).then_some(left_out) })
    }
}

/// Writes a line at a level if it is its turn, with the number of those left out, else at the level debug.
macro_rules! tell {
    ($told:expr, $level:ident, $($line:tt)+) => {
        match $told.turn() {
            Some(turn) => tracing::$level!(left_out = turn.left_out, $($line)+),
            None => tracing::debug!($($line)+),
        }
    };
}
pub(crate) use tell;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn one_line_a_second_is_written_and_the_others_are_counted() {
        let told = Told::new();
        let start = Instant::now();
        let at = |ms| {
            let turn = told.turn_at(start.checked_add(Duration::from_millis(ms)).unwrap());
            turn.map(|turn| turn.left_out)
        };
        assert_eq!([at(0), at(1), at(999)], [Some(None), None, None]);
        assert_eq!([at(1000), at(1500), at(2500)], [Some(Some(2)), None, Some(Some(1))]);
    }
}
