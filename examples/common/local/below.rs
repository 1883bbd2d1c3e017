//! Directories that a local process moves out of the export.
//!
//! An open directory stays open wherever it is moved, and what is served by its handle with it. So a directory counts as
//! below the export for a second after it was seen there; then it is looked for again, by the path that the kernel shows. One
//! that was moved out answers `STALE` after that second at the latest, and so do steps from it to what is in it. It is served
//! again when it comes back. If the export is a whole file system nothing can leave it, and nothing is looked for.
//!
//! Regular files are not followed that way: a file that was moved out, alone or with its directory, is served to those who
//! have its handle for as long as it is in use, as the kernel's server does without `subtree_check`.

use std::os::fd::OwnedFd;

use nfswire_nfs3::{FileType, Status};
use rustix::fs::{Mode, Statx, openat, readlinkat};
use rustix::path::DecInt;
use rustix::time::{ClockId, clock_gettime};

use super::attr::stat;
use super::handle::Key;
use super::node::Node;
use super::{LOOK, LocalFs};
use crate::fs::Result;

/// How long a directory counts as being where it was seen, in ms.
const GOOD_FOR: u64 = 1000;

/// Steps up that a directory may be away from the root of the export.
const MAX_DEPTH: u32 = 4096;

/// A clock in ms that never goes back; reading it takes no system call.
pub(super) fn now() -> u64 {
    let now = clock_gettime(ClockId::MonotonicCoarse);
    let seconds = now.tv_sec.cast_unsigned();
    seconds.saturating_mul(1000).saturating_add(now.tv_nsec.cast_unsigned().div_euclid(1_000_000))
}

impl LocalFs {
    /// Refuses a directory in use that is no longer below the export.
    pub(super) fn check_below(&self, node: &Node) -> Result<()> {
        if node.file_type != FileType::Directory || self.cannot_leave(node.key) {
            return Ok(());
        }
        let now = now();
        let seen = node.seen_below();
        if seen != 0 && now.saturating_sub(seen) < GOOD_FOR {
            return Ok(());
        }
        // By its path, or, if that is too long or the export was being moved itself, by the way up.
        if self.is_at_its_path(node) || self.is_below(&node.path, node.key)? {
            node.saw_below(now);
            return Ok(());
        }
        Err(Status::STALE.into())
    }

    /// Whether the path that is shown for a directory leads to it, from the root of the export down.
    fn is_at_its_path(&self, dir: &Node) -> bool {
        let there = |path: Vec<u8>| self.step(&self.root.path, &path).ok();
        let found = self.name_below(&dir.path).and_then(there);
        found.is_some_and(|(_, stat)| self.numbering.key(&stat) == dir.key)
    }

    fn cannot_leave(&self, key: Key) -> bool {
        key.id.device == 0 && self.kernel.as_ref().is_some_and(|kernel| kernel.is_whole)
    }

    pub(super) fn up(&self, from: &OwnedFd) -> Result<(OwnedFd, Statx)> {
        let fd = self.with_descriptors(|| Ok(openat(from, "..", LOOK, Mode::empty())?))?;
        let stat = stat(&fd)?;
        Ok((fd, stat))
    }

    /// Whether a directory is the root of the export, or below it.
    pub(super) fn is_below(&self, dir: &OwnedFd, key: Key) -> Result<bool> {
        let (mut at, mut at_key) = (dir.try_clone().map_err(|_| Status::JUKEBOX)?, key);
        for _ in 0..MAX_DEPTH {
            if at_key == self.root.key {
                return Ok(true);
            }
            let (above, above_stat) = match self.up(&at) {
                Ok(above) => above,
                // It has left the part of a file system that is mounted here: there is no way up from it.
                Err(failure) if failure.status == Status::NOENT => break,
                Err(failure) => return Err(failure),
            };
            let above_key = self.numbering.key(&above_stat);
            if above_key == at_key {
                break;
            }
            (at, at_key) = (above, above_key);
        }
        Ok(false)
    }

    /// The path that the kernel shows for an open file, as seen from the root of the export. May be anything: it is to be
    /// tried.
    pub(super) fn name_below(&self, fd: &OwnedFd) -> Option<Vec<u8>> {
        let path = |fd: &OwnedFd| {
            readlinkat(&self.descriptors, DecInt::from_fd(fd), Vec::new())
                .ok()
                .map(alloc::ffi::CString::into_bytes)
        };
        let (root, full) = (path(&self.root.path)?, path(fd)?);
        let root = root.strip_suffix(b"/").unwrap_or(&root);
        Some(full.strip_prefix(root)?.strip_prefix(b"/")?.to_vec())
    }
}
