//! Bytes that were moved to or from an end's memory, until it is known what they are.

use alloc::collections::BTreeMap;

use lru::LruCache;
use nfswire_rdma::Segment;

/// Bytes that are kept for an end, at most; what was moved longest ago makes room.
const MAX_BYTES: usize = 64 << 20;
/// Runs of bytes behind a key, at most. Packets mostly follow each other, and a message is one run.
const MAX_RUNS: usize = 1 << 14;
/// What a run of bytes costs beside them.
const OVERHEAD: usize = 96;

/// Memory behind a key.
#[derive(Debug, Default)]
struct Region {
    /// Runs of bytes by their address, none of which overlap.
    runs: BTreeMap<u64, Vec<u8>>,
    held: usize,
}

/// Memory of an end of a connection, as far as bytes of it were seen.
#[derive(Debug)]
pub(crate) struct Memory {
    regions: LruCache<u32, Region>,
    held: usize,
}

impl Memory {
    pub(crate) fn new() -> Self {
        // Without memory for entries that may never come.
        Self { regions: LruCache::unbounded(), held: 0 }
    }

    /// Bytes of memory in use.
    pub(crate) const fn held(&self) -> usize {
        self.held
    }

    /// Bytes were moved; later ones count.
    pub(crate) fn put(&mut self, key: u32, address: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let before = self.regions.peek(&key).map_or(0, |region| region.held);
        let region =
            self.regions.get_or_insert_mut(key, || Region { held: OVERHEAD, ..Region::default() });
        if region.runs.len() >= MAX_RUNS {
            *region = Region { held: OVERHEAD, ..Region::default() };
        }
        region.put(address, bytes);
        self.held = self.held.saturating_sub(before).saturating_add(region.held);
        while self.held > MAX_BYTES {
            let Some((_, region)) = self.regions.pop_lru() else { break };
            self.held = self.held.saturating_sub(region.held);
        }
    }

    /// What was seen of a segment is of no use any more.
    pub(crate) fn forget(&mut self, segment: Segment) {
        let Some(region) = self.regions.peek_mut(&segment.handle) else { return };
        let before = region.held;
        region.cut(segment.offset, segment.offset.saturating_add(segment.length.into()));
        self.held = self.held.saturating_sub(before).saturating_add(region.held);
        if region.runs.is_empty()
            && let Some(region) = self.regions.pop(&segment.handle)
        {
            self.held = self.held.saturating_sub(region.held);
        }
    }

    /// Whether all bytes of a segment were seen.
    pub(crate) fn has(&self, segment: Segment) -> bool {
        let end = segment.offset.saturating_add(segment.length.into());
        let mut at = segment.offset;
        let Some(region) = self.regions.peek(&segment.handle) else { return at >= end };
        while at < end {
            let Some((start, bytes)) = region.runs.range(..=at).next_back() else { return false };
            let run_end = start.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            if run_end <= at {
                return false;
            }
            at = run_end;
        }
        true
    }

    /// The bytes of a segment in order: those that were seen, and how many were not.
    pub(crate) fn bytes(&self, segment: Segment) -> Vec<Run<'_>> {
        let end = segment.offset.saturating_add(segment.length.into());
        let (mut at, mut found) = (segment.offset, Vec::new());
        let region = self.regions.peek(&segment.handle);
        let runs = region.map(|region| {
            let first = region.runs.range(..=at).next_back().map_or(at, |(start, _)| *start);
            region.runs.range(first..end)
        });
        for (start, bytes) in runs.into_iter().flatten() {
            let skip = usize::try_from(at.saturating_sub(*start)).unwrap_or(usize::MAX);
            let Some(bytes) = bytes.get(skip..).filter(|bytes| !bytes.is_empty()) else { continue };
            if *start > at {
                found.push(Run::Absent(start.saturating_sub(at)));
                at = *start;
            }
            let room = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
            let bytes = bytes.get(..room).unwrap_or(bytes);
            at = at.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            found.push(Run::Seen(bytes));
        }
        if at < end {
            found.push(Run::Absent(end.saturating_sub(at)));
        }
        found
    }
}

/// A part of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run<'r> {
    Seen(&'r [u8]),
    /// So many bytes were not seen.
    Absent(u64),
}

impl Region {
    fn put(&mut self, start: u64, bytes: &[u8]) {
        let len = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let Some(end) = start.checked_add(len) else { return };
        self.cut(start, end);
        self.held = self.held.saturating_add(bytes.len());
        // Packets of a message mostly follow each other.
        if let Some((at, run)) = self.runs.range_mut(..start).next_back()
            && at.checked_add(u64::try_from(run.len()).unwrap_or(u64::MAX)) == Some(start)
        {
            run.extend_from_slice(bytes);
            return;
        }
        self.held = self.held.saturating_add(OVERHEAD);
        self.runs.insert(start, bytes.to_vec());
    }

    /// Takes out what lies between two addresses.
    fn cut(&mut self, start: u64, end: u64) {
        let before = self.runs.range(..start).next_back().map(|(at, _)| *at);
        let within = self.runs.range(start..end).map(|(at, _)| *at);
        let touched: Vec<u64> = before.into_iter().chain(within).collect();
        for at in touched {
            let Some(run) = self.runs.get_mut(&at) else { continue };
            let run_end = at.saturating_add(u64::try_from(run.len()).unwrap_or(u64::MAX));
            if run_end <= start {
                continue;
            }
            let offset =
                |address: u64| usize::try_from(address.saturating_sub(at)).unwrap_or(usize::MAX);
            let tail =
                if run_end > end { run.get(offset(end)..).map(<[u8]>::to_vec) } else { None };
            let kept = offset(start).min(run.len());
            self.held = self.held.saturating_sub(run.len().saturating_sub(kept));
            run.truncate(kept);
            if kept == 0 {
                self.runs.remove(&at);
                self.held = self.held.saturating_sub(OVERHEAD);
            }
            if let Some(tail) = tail {
                self.held = self.held.saturating_add(tail.len()).saturating_add(OVERHEAD);
                self.runs.insert(end, tail);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As an array would have it, whatever is written over what; and memory is counted right.
        #[test]
        fn like_memory(
            base in prop_oneof![Just(0u64), Just(1 << 40), Just(u64::MAX - 200)],
            writes in prop::collection::vec((0usize..150, 0usize..50), 0..30),
            from in 0usize..150, len in 0usize..50,
        ) {
            let (mut memory, mut model) = (Memory::new(), vec![None; 200]);
            for (i, (at, len)) in writes.iter().enumerate() {
                let bytes = vec![i as u8; *len];
                memory.put(7, base + *at as u64, &bytes);
                model[*at..at + len].fill(Some(i as u8));
            }
            let segment = Segment { handle: 7, length: len as u32, offset: base + from as u64 };
            let mut found: Vec<Option<u8>> = Vec::new();
            for run in memory.bytes(segment) {
                match run {
                    Run::Seen(bytes) => found.extend(bytes.iter().copied().map(Some)),
                    Run::Absent(n) => found.extend(core::iter::repeat_n(None, n as usize)),
                }
            }
            prop_assert_eq!(&found, &model[from..from + len]);
            prop_assert_eq!(memory.has(segment), found.iter().all(Option::is_some));
            let seen = model.iter().flatten().count();
            prop_assert!(memory.held() >= seen && memory.held() <= seen + 62 * OVERHEAD);
            memory.forget(Segment { length: 200, offset: base, ..segment });
            prop_assert_eq!(memory.held(), 0);
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut memory = Memory::new();
        let block = vec![1; 1 << 20];
        for key in 0..200 {
            memory.put(key, 0, &block);
            assert!(memory.held() <= MAX_BYTES);
        }
        let last = memory.bytes(Segment { handle: 199, length: 1 << 20, offset: 0 });
        assert_eq!(last, [Run::Seen(&block[..])]);
        let first = memory.bytes(Segment { handle: 0, length: 8, offset: 0 });
        assert_eq!(first, [Run::Absent(8)]);
        let mut memory = Memory::new();
        for run in 0..3 * MAX_RUNS as u64 {
            memory.put(1, run * 2, &[1]);
            assert!(memory.held() <= (MAX_RUNS + 1) * (OVERHEAD + 1));
        }
    }
}
