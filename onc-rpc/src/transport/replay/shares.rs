//! Who has how much of the room for finished calls.

use alloc::vec::Vec;

use crate::transport::{NoMemory, reserved};

/// Hosts are counted in so many groups, by a keyed hash: nobody can choose whom to share one with.
const GROUPS: usize = 1024;
const LAST_GROUP: u64 = 1023;
/// More than this part of the room is too much for one host.
const PART: u32 = 8;

/// Counts what finished calls take, by host: each its blocks, and at least 1.
#[derive(Debug)]
pub(super) struct Shares {
    counts: Vec<u32>,
    /// What each host may have.
    fair: u32,
    /// Groups that have more.
    above: u32,
}

impl Shares {
    pub(super) fn new(max_calls: u32, max_blocks: u32) -> Result<Self, NoMemory> {
        let mut counts = reserved(GROUPS)?;
        counts.resize(GROUPS, 0);
        Ok(Self { counts, fair: max_calls.min(max_blocks) / PART, above: 0 })
    }

    /// The group that a hash belongs to.
    pub(super) fn group(hash: u64) -> u16 {
        u16::try_from(hash & LAST_GROUP).unwrap_or(0)
    }

    pub(super) fn add(&mut self, group: u16, taken: u32) {
        let was_above = self.is_above(group);
        if let Some(count) = self.counts.get_mut(usize::from(group)) {
            *count = count.saturating_add(taken);
        }
        if !was_above && self.is_above(group) {
            self.above = self.above.saturating_add(1);
        }
    }

    pub(super) fn remove(&mut self, group: u16, taken: u32) {
        let was_above = self.is_above(group);
        if let Some(count) = self.counts.get_mut(usize::from(group)) {
            *count = count.saturating_sub(taken);
        }
        if was_above && !self.is_above(group) {
            self.above = self.above.saturating_sub(1);
        }
    }

    /// Whether a group has more than its share.
    pub(super) fn is_above(&self, group: u16) -> bool {
        self.counts.get(usize::from(group)).is_some_and(|count| *count > self.fair)
    }

    /// Whether any group has.
    pub(super) const fn is_any_above(&self) -> bool {
        self.above > 0
    }
}
