//! READs of data that is not in memory.
//!
//! `sendfile` waits for the disk in the middle of a reply, where no other reply of the connection can leave. So data that
//! may be cold is fetched before, while the call is served and others can be served beside it. To ask costs a system
//! call, which READs from memory are spared: what was in memory is taken to be there for some seconds, whichever
//! connection asks next. Where the kernel can tell, it is asked about a window of a file at once.

use core::hash::BuildHasher;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::hash_map::RandomState;
use std::os::fd::OwnedFd;
use std::time::Instant;

use crate::fs::{FileSystem, Result};

/// What is known is known of blocks of this size, of which a window has 64.
const BLOCK: u64 = 128 << 10;
const WINDOW: u64 = 64 * BLOCK;
/// Windows that something is known of: 32 GiB of files.
const MOST: usize = 4096;
/// Seconds for which that is believed.
const KEEP: u64 = 4;
/// Bits of a tag that say when.
const SECONDS: u64 = 0xffff;

/// What is known to be in memory.
#[derive(Debug)]
pub(super) struct Warm {
    /// Tells files and windows apart with random keys, so that nobody can choose those that share a place.
    random: RandomState,
    started: Instant,
    places: Box<[Place]>,
}

/// What is known of a window. Two that share a place push each other out; who reads while another writes may take a block
/// to be in memory that is not, and then waits for the disk as if nobody had asked.
#[derive(Debug, Default)]
struct Place {
    /// Hash of the file and the window, and the second in which the kernel was asked first.
    tag: AtomicU64,
    /// Blocks that were in memory, by number in the window.
    blocks: AtomicU64,
}

/// Blocks of a window.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    /// Hash of the file.
    file: u64,
    window: u64,
    mask: u64,
}

impl Blocks {
    /// What a tag of the window is like, but for the seconds.
    const fn hash(self) -> u64 {
        self.file.wrapping_add(self.window.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// What is to be done about a READ.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ready {
    /// It can be sent.
    Now,
    /// A disk may have to be waited for, which was not allowed.
    Later,
}

impl Default for Warm {
    fn default() -> Self {
        let places = (0..MOST).map(|_| Place::default()).collect();
        Self { random: RandomState::new(), started: Instant::now(), places }
    }
}

impl Warm {
    /// Has a range of a file brought into memory unless it is known to be there. `handle` names the file; without
    /// `may_wait`, no disk is waited for.
    pub(super) fn bring(
        &self,
        fs: &dyn FileSystem,
        (handle, file): (&[u8], &OwnedFd),
        (offset, len): (u64, u32),
        may_wait: bool,
    ) -> Result<Ready> {
        let second = self.started.elapsed().as_secs();
        self.bring_at(second, fs, (handle, file), (offset, len), may_wait)
    }

    fn bring_at(
        &self,
        second: u64,
        fs: &dyn FileSystem,
        (handle, file): (&[u8], &OwnedFd),
        (offset, len): (u64, u32),
        may_wait: bool,
    ) -> Result<Ready> {
        let Some(last) = u64::from(len).checked_sub(1) else { return Ok(Ready::Now) };
        let last = offset.saturating_add(last);
        let windows = || {
            (offset / WINDOW..=last / WINDOW)
                .map(|window| self.blocks(handle, window, offset, last))
        };
        let (mut known, mut can_tell) = (true, true);
        for blocks in windows() {
            let Some(place) = self.place(blocks) else { continue };
            if place.knows(blocks, second) {
                continue;
            }
            if !place.is_of(blocks, second) {
                // It can be told only of all that the file has there.
                let all = fs.is_in_memory(file, blocks.window.saturating_mul(WINDOW), WINDOW);
                can_tell &= all.is_some();
                place.begin(blocks, second, if all == Some(true) { u64::MAX } else { 0 });
                if all == Some(true) {
                    continue;
                }
            }
            known = false;
        }
        if known {
            return Ok(Ready::Now);
        }
        // A part of a window may be in memory that is not so as a whole.
        let is_there = !may_wait && fs.is_in_memory(file, offset, len.into()) == Some(true);
        if !may_wait && !is_there {
            return Ok(Ready::Later);
        }
        let was_cold = !is_there && fs.fetch(file, offset, len)?;
        for blocks in windows() {
            if let Some(place) = self.place(blocks) {
                // With nobody to tell more, what is around warm data is taken for warm.
                let mask = if can_tell || was_cold { blocks.mask } else { u64::MAX };
                place.add(blocks, mask);
            }
        }
        Ok(Ready::Now)
    }

    /// The blocks of a window between two bytes, the last one included.
    fn blocks(&self, handle: &[u8], window: u64, first: u64, last: u64) -> Blocks {
        let begin = window.saturating_mul(WINDOW);
        let first = first.saturating_sub(begin) / BLOCK;
        let last = (last.saturating_sub(begin) / BLOCK).min(63);
        let from =
            |block: u64| u64::MAX.checked_shl(u32::try_from(block).unwrap_or(64)).unwrap_or(0);
        let mask = from(first) & !from(last.saturating_add(1));
        Blocks { file: self.random.hash_one(handle), window, mask }
    }

    fn place(&self, blocks: Blocks) -> Option<&Place> {
        // Neighbours do not push each other out.
        let number = (blocks.file >> 32).wrapping_add(blocks.window);
        self.places.get(usize::try_from(number).ok()? % MOST)
    }
}

impl Place {
    /// Whether something is known of this window.
    fn is_of(&self, blocks: Blocks, second: u64) -> bool {
        let tag = self.tag.load(Ordering::Relaxed);
        let age = second.wrapping_sub(tag) & SECONDS;
        (tag ^ blocks.hash()) & !SECONDS == 0 && age <= KEEP
    }

    fn knows(&self, blocks: Blocks, second: u64) -> bool {
        self.is_of(blocks, second) && blocks.mask & !self.blocks.load(Ordering::Relaxed) == 0
    }

    fn begin(&self, blocks: Blocks, second: u64, known: u64) {
        // Never the old blocks under the new tag.
        self.blocks.store(0, Ordering::Relaxed);
        self.tag.store(blocks.hash() & !SECONDS | second & SECONDS, Ordering::Release);
        self.blocks.store(known, Ordering::Relaxed);
    }

    /// Blocks of the window are in memory now, unless another window has taken the place.
    fn add(&self, blocks: Blocks, mask: u64) {
        if (self.tag.load(Ordering::Relaxed) ^ blocks.hash()) & !SECONDS == 0 {
            self.blocks.fetch_or(mask, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::arithmetic_side_effects)]

    use std::sync::Mutex;

    use super::*;
    use crate::fs::{Attributes, Caller, Found, Handle, ReadData, Status};

    /// What was asked: about windows, and ranges to fetch.
    #[derive(Default)]
    struct Asked {
        /// What the kernel tells of windows.
        tells: Option<bool>,
        tells_of_parts: Option<bool>,
        is_cold: bool,
        windows: Mutex<Vec<u64>>,
        fetched: Mutex<Vec<u64>>,
    }

    impl FileSystem for Asked {
        fn root(&self) -> Handle {
            Handle::EMPTY
        }

        fn getattr(&self, _: &Caller<'_>, _: &[u8]) -> Result<Attributes> {
            Err(Status::STALE.into())
        }

        fn lookup(&self, _: &Caller<'_>, _: &[u8], _: &[u8]) -> Result<Found> {
            Err(Status::NOENT.into())
        }

        fn read(&self, _: &Caller<'_>, _: &[u8], _: u64, _: u32) -> Result<ReadData> {
            Err(Status::NOENT.into())
        }

        fn is_in_memory(&self, _: &OwnedFd, offset: u64, len: u64) -> Option<bool> {
            if len < WINDOW {
                return self.tells_of_parts;
            }
            assert_eq!((offset % WINDOW, len), (0, WINDOW));
            self.windows.lock().unwrap().push(offset / WINDOW);
            self.tells
        }

        fn fetch(&self, _: &OwnedFd, offset: u64, _: u32) -> Result<bool> {
            self.fetched.lock().unwrap().push(offset / BLOCK);
            Ok(self.is_cold)
        }
    }

    impl Asked {
        fn new(tells: Option<bool>, is_cold: bool) -> Self {
            Self { tells, is_cold, ..Self::default() }
        }

        /// READs of so many blocks each, one behind the other.
        fn read(
            &self,
            warm: &Warm,
            second: u64,
            handle: &[u8],
            blocks: core::ops::Range<u64>,
            each: u64,
        ) {
            let file = tempfile::tempfile().unwrap().into();
            let len = u32::try_from(each * BLOCK).unwrap();
            for block in blocks.step_by(usize::try_from(each).unwrap()) {
                let range = (block * BLOCK, len);
                let ready = warm.bring_at(second, self, (handle, &file), range, true);
                assert_eq!(ready.unwrap(), Ready::Now);
            }
        }

        /// Windows and ranges that were asked about since the last time.
        fn take(&self) -> (usize, usize) {
            let take = |asked: &Mutex<Vec<u64>>| core::mem::take(&mut *asked.lock().unwrap()).len();
            (take(&self.windows), take(&self.fetched))
        }
    }

    #[test]
    fn windows_in_memory_are_asked_about_once() {
        let (warm, asked) = (Warm::default(), Asked::new(Some(true), false));
        for second in [0xffff, 0x1_0000, 0x1_0003] {
            asked.read(&warm, second, b"a", 0..640, 1);
        }
        assert_eq!(asked.take(), (10, 0));
        asked.read(&warm, 0x1_0003, b"b", 3..4, 1);
        assert_eq!(asked.take(), (1, 0), "another file");
        // READs over the end of a window need both.
        asked.read(&warm, 0x1_0003, b"c", 60..68, 8);
        assert_eq!(asked.take(), (2, 0));
        // What is known grows old.
        asked.read(&warm, 0x1_0004, b"a", 0..640, 1);
        assert_eq!(asked.take(), (10, 0));
    }

    #[test]
    fn each_block_of_other_windows_is_asked_about_once() {
        for is_cold in [true, false] {
            let (warm, asked) = (Warm::default(), Asked::new(Some(false), is_cold));
            asked.read(&warm, 7, b"a", 0..64, 1);
            assert_eq!(asked.take(), (1, 64));
            asked.read(&warm, 8, b"a", 0..64, 8);
            assert_eq!(asked.take(), (0, 0));
            asked.read(&warm, 20, b"a", 0..64, 8);
            assert_eq!(asked.take(), (1, 8));
        }
    }

    #[test]
    fn where_nobody_can_tell_one_warm_block_speaks_for_its_window() {
        let (warm, asked) = (Warm::default(), Asked::new(None, false));
        asked.read(&warm, 0, b"a", 0..128, 2);
        assert_eq!(asked.take(), (2, 2));
        let (warm, asked) = (Warm::default(), Asked::new(None, true));
        asked.read(&warm, 0, b"a", 0..128, 2);
        assert_eq!(asked.take(), (2, 64));
    }

    #[test]
    fn who_may_not_wait_is_told_to_come_again() {
        let file = tempfile::tempfile().unwrap().into();
        for (tells, tells_of_parts, expected) in [
            (Some(true), None, Ready::Now),
            (Some(false), Some(true), Ready::Now),
            (Some(false), Some(false), Ready::Later),
            (None, None, Ready::Later),
        ] {
            let (warm, asked) =
                (Warm::default(), Asked { tells_of_parts, ..Asked::new(tells, true) });
            assert_eq!(warm.bring(&asked, (b"a", &file), (0, 9), false).unwrap(), expected);
            assert_eq!(warm.bring(&asked, (b"a", &file), (0, 9), true).unwrap(), Ready::Now);
            assert_eq!(
                warm.bring(&asked, (b"a", &file), (u64::MAX - 4, 9), true).unwrap(),
                Ready::Now
            );
            assert_eq!(warm.bring(&asked, (b"a", &file), (7, 0), false).unwrap(), Ready::Now);
        }
    }
}
