//! The memory that connections hold, as the page of metrics tells it.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicU64, Ordering};

/// What buffers are for, in the order of the numbers below.
pub(super) const KINDS: [&str; 3] = ["receive", "reply", "page"];

/// Buffers of all connections, and their bytes, by kind.
#[derive(Debug, Default)]
pub(super) struct Held {
    buffers: [AtomicU64; KINDS.len()],
    bytes: [AtomicU64; KINDS.len()],
}

impl Held {
    /// Kind, buffers, and bytes.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counters = self.buffers.iter().zip(&self.bytes);
        KINDS
            .iter()
            .zip(counters)
            .map(move |(kind, (buffers, bytes))| (*kind, get(buffers), get(bytes)))
    }
}

/// What one thread holds; given back with it. Nothing is counted by default.
#[derive(Debug, Default)]
pub(super) struct Share {
    of: Option<Arc<Held>>,
    noted: [usize; KINDS.len()],
}

impl Share {
    pub(super) fn new(of: &Arc<Held>) -> Self {
        Self { of: Some(Arc::clone(of)), noted: [0; KINDS.len()] }
    }

    /// This is what there is now, in bytes by kind; 0 is no buffer.
    pub(super) fn note(&mut self, now: [usize; KINDS.len()]) {
        let Some(of) = &self.of else { return };
        let counters = of.buffers.iter().zip(&of.bytes);
        for ((noted, now), (buffers, bytes)) in self.noted.iter_mut().zip(now).zip(counters) {
            if *noted == now {
                continue;
            }
            change(bytes, *noted, now);
            change(buffers, (*noted > 0).into(), (now > 0).into());
            *noted = now;
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.note([0; KINDS.len()]);
    }
}

fn change(counter: &AtomicU64, from: usize, to: usize) {
    let more = u64::try_from(to.saturating_sub(from)).unwrap_or(u64::MAX);
    let less = u64::try_from(from.saturating_sub(to)).unwrap_or(u64::MAX);
    counter.fetch_add(more.wrapping_sub(less), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_counted_as_long_as_they_are_there() {
        let held = Arc::new(Held::default());
        let (mut one, mut other) = (Share::new(&held), Share::new(&held));
        one.note([10, 0, 5]);
        other.note([7, 0, 0]);
        one.note([3, 20, 0]);
        let now: Vec<_> = held.counts().collect();
        assert_eq!(now, [("receive", 2, 10), ("reply", 1, 20), ("page", 0, 0)]);
        drop(one);
        let now: Vec<_> = held.counts().collect();
        assert_eq!(now, [("receive", 1, 7), ("reply", 0, 0), ("page", 0, 0)]);
    }
}
