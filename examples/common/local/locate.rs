//! From a handle, or a name, to a file in use.

use alloc::sync::Arc;
use core::time::Duration;
use std::os::fd::OwnedFd;
use std::time::Instant;

use nfswire_nfs3::{FileType, Status};
use rustix::fs::{Mode, OFlags, RawDir, Statx, openat2};

use super::attr::stat;
use super::handle::{FileId, Key, Refused};
use super::kernel::Sought;
use super::node::{Node, reopen};
use super::places::Way;
use super::{LOOK, LocalFs, below};
use crate::fs::{Caller, Failure, Found, Handle, Result, check_name};
use crate::told::{FAULTS, tell};

/// Names that one walk looks at before it gives up.
const WALK_NAMES: u32 = 4_000_000;

/// Time one walk may take.
const WALK_TIME: Duration = Duration::from_secs(10);

/// Share of time that walks in vain may take: one in so many.
const WALK_SHARE: u32 = 5;

/// Piece of a path that is opened at once; the kernel takes less than 4096 bytes.
const LONG_PATH: usize = 4000;

/// When the next walk may be made, and how many names it may look at.
#[derive(Debug)]
pub(super) struct Walks {
    not_before: Option<Instant>,
    pub(super) names: u32,
}

impl Default for Walks {
    fn default() -> Self {
        Self { not_before: None, names: WALK_NAMES }
    }
}

/// The path of the directory that a walk is in, from the root of the export.
#[derive(Debug, Default)]
struct WalkPath {
    bytes: Vec<u8>,
    /// Where each of its names ends.
    ends: Vec<usize>,
}

impl WalkPath {
    fn depth(&self) -> usize {
        self.ends.len()
    }

    /// Whether it is that of the root of the export.
    fn is_top(&self) -> bool {
        self.depth() == 1
    }

    /// Goes to this name in the directory that is so deep.
    fn enter(&mut self, depth: usize, name: &[u8]) {
        self.ends.truncate(depth);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
        if depth > 0 {
            self.bytes.push(b'/');
        }
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
    }
}

impl LocalFs {
    /// The file of a handle.
    ///
    /// # Errors
    /// `BADHANDLE` for what this export did not make, `STALE` for a file that is gone, `JUKEBOX` while it cannot be looked
    /// for, or not everywhere.
    pub(super) fn resolve(&self, handle: &[u8]) -> Result<Arc<Node>> {
        let (key, hint) = self.handles.parse(handle).map_err(|_| Status::BADHANDLE)?;
        if key.id == self.root.key.id {
            return if key == self.root.key {
                Ok(Arc::clone(&self.root))
            } else {
                Err(Status::STALE.into())
            };
        }
        if let Some(node) = self.nodes.get(key.id) {
            // An open file keeps its inode number: the handle is of an earlier or never of any file.
            return if node.key == key {
                self.check_below(&node)?;
                Ok(node)
            } else {
                Err(Status::STALE.into())
            };
        }
        let start = below::now();
        let sought = hint.map_or(Ok(Sought::Unknown), |hint| self.by_hint(key, &hint))?;
        let (fd, stat) = match sought {
            Sought::Found(fd, stat) => (fd, *stat),
            // A hint that was wrong from the start says nothing about a file whose place is known.
            Sought::Gone => self.by_place(key)?.ok_or(Status::STALE)?,
            Sought::Later => self.by_place(key)?.ok_or(Status::JUKEBOX)?,
            Sought::Unknown => match self.by_place(key)? {
                Some(found) => found,
                None => self.by_walk(key)?.ok_or(Status::STALE)?,
            },
        };
        let node = self.enter_unnamed(fd, &stat);
        node.saw_below(start);
        Ok(node)
    }

    /// The directory of the second handle of a call: one of another export is somewhere else, not nowhere.
    pub(super) fn resolve_other_dir(&self, handle: &[u8]) -> Result<Arc<Node>> {
        match self.handles.parse(handle) {
            Err(Refused::OtherExport) => Err(Status::XDEV.into()),
            _ => self.resolve_dir(handle),
        }
    }

    /// The directory of a handle.
    pub(super) fn resolve_dir(&self, handle: &[u8]) -> Result<Arc<Node>> {
        let node = self.resolve(handle)?;
        if node.file_type == FileType::Directory {
            Ok(node)
        } else {
            Err(Failure::with_attributes(Status::NOTDIR, self.attributes(&node).ok()))
        }
    }

    /// Follows the names under which the file was last seen.
    fn by_place(&self, key: Key) -> Result<Option<(OwnedFd, Statx)>> {
        let names = match self.places.way(key.id, key.birth) {
            Way::Path(names) => names,
            Way::Gone => return Err(Status::STALE.into()),
            Way::Unknown => return Ok(None),
        };
        let mut names = names.iter();
        let Some(first) = names.next() else { return Ok(None) };
        let mut at = self.step(&self.root.path, first);
        for name in names {
            at = at.and_then(|(dir, _)| self.step(&dir, name));
        }
        match at {
            Ok((fd, stat)) if self.numbering.key(&stat) == key => Ok(Some((fd, stat))),
            Err(failure) if failure.status == Status::JUKEBOX => Err(failure),
            // Someone else has moved things.
            _ => Ok(None),
        }
    }

    /// Looks for the file everywhere below the root, as after a restart or when a local process has moved it.
    ///
    /// One walk at a time, bounded in names and time; those in vain get a share of the time only, since anyone can send handles.
    fn by_walk(&self, key: Key) -> Result<Option<(OwnedFd, Statx)>> {
        let Ok(mut walks) = self.walks.try_lock() else {
            return Err(Status::JUKEBOX.into());
        };
        // The walk before this one may have passed it.
        if let Some(found) = self.by_place(key)? {
            return Ok(Some(found));
        }
        let start = Instant::now();
        if walks.not_before.is_some_and(|time| start < time) {
            return Err(Status::JUKEBOX.into());
        }
        let found = self.walk(key, start, walks.names);
        // Whoever sends handles that were real once may go on.
        if !matches!(found, Ok(Some(_))) {
            let pause = start.elapsed().saturating_mul(WALK_SHARE.saturating_sub(1));
            walks.not_before = Instant::now().checked_add(pause);
        }
        found
    }

    /// `Ok(None)` only when every directory was looked into: what was passed by may hold the file.
    fn walk(&self, key: Key, start: Instant, mut budget: u32) -> Result<Option<(OwnedFd, Statx)>> {
        let mut complete = true;
        let mut buffer = Vec::with_capacity(32 << 10);
        let mut path = WalkPath::default();
        // Directories still to be looked into: the depth of the one above, the name, and whether it surely is one. Depth
        // first, so the path of the one above is always the beginning of the present path.
        let mut pending = vec![(0usize, Box::<[u8]>::from(*b"."), true)];
        while let Some((depth, name, is_dir)) = pending.pop() {
            path.enter(depth, &name);
            let dir = match self.with_descriptors(|| self.open_below(&path.bytes)) {
                Ok(dir) => dir,
                // Another file system is mounted there, which is not exported.
                Err(failure) if failure.status == Status::XDEV => continue,
                // The entry did not say what it is.
                Err(failure) if !is_dir && failure.status == Status::NOTDIR => continue,
                // Unreadable for this process, renamed meanwhile, or no descriptor is left.
                Err(_) => {
                    complete = false;
                    continue;
                }
            };
            let Ok(dir_stat) = stat(&dir) else {
                complete = false;
                continue;
            };
            let dir_key = self.numbering.key(&dir_stat);
            if dir_key == key && !path.is_top() {
                // The top of a mounted file system, whose number is not that of its entry.
                let path =
                    self.with_descriptors(|| reopen(&dir, &self.descriptors, OFlags::PATH))?;
                return Ok(Some((path, dir_stat)));
            }
            let dir_id = dir_key.id;
            let mut entries = RawDir::new(&dir, buffer.spare_capacity_mut());
            while let Some(entry) = entries.next() {
                let Ok(entry) = entry else {
                    complete = false;
                    break;
                };
                budget = budget.saturating_sub(1);
                if budget == 0 || (budget & 0xfff == 0 && start.elapsed() > WALK_TIME) {
                    tell!(
                        FAULTS,
                        warn,
                        "a file was not found within the bounds of a walk: its client is to try again"
                    );
                    return Err(Status::JUKEBOX.into());
                }
                let name = entry.file_name().to_bytes();
                if super::is_dot(name) {
                    continue;
                }
                let kind = entry.file_type();
                let is_dir = kind == rustix::fs::FileType::Directory;
                let id = FileId { device: dir_id.device, inode: entry.ino() };
                self.places.passed(id, dir_id, name, is_dir);
                if entry.ino() == key.id.inode {
                    match self.step(&dir, name) {
                        Ok((fd, stat)) if self.numbering.key(&stat) == key => {
                            self.places.seen(key.id, dir_id, name);
                            return Ok(Some((fd, stat)));
                        }
                        Ok(_) => {}
                        Err(_) => complete = false,
                    }
                }
                if is_dir || kind == rustix::fs::FileType::Unknown {
                    pending.push((path.depth(), name.into(), is_dir));
                }
            }
            if start.elapsed() > WALK_TIME {
                complete = false;
                break;
            }
        }
        if complete {
            return Ok(None);
        }
        tracing::debug!("a walk could not look everywhere: its client is to try again");
        Err(Status::JUKEBOX.into())
    }

    /// Opens a directory below the root, in several steps where the kernel does not take a path so long.
    fn open_below(&self, path: &[u8]) -> Result<OwnedFd> {
        let look = LOOK.union(OFlags::DIRECTORY);
        let read = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (mut at, mut rest) = (None, path);
        while let Some(slash) =
            rest.get(..LONG_PATH).and_then(|part| part.iter().rposition(|&byte| byte == b'/'))
        {
            let (part, left) = rest.split_at_checked(slash).unwrap_or((rest, b""));
            let from = at.as_ref().unwrap_or(&self.root.path);
            at = Some(openat2(from, part, look, Mode::empty(), self.below)?);
            rest = left.strip_prefix(b"/").unwrap_or(left);
        }
        let from = at.as_ref().unwrap_or(&self.root.path);
        Ok(openat2(from, rest, read, Mode::empty(), self.below)?)
    }

    /// LOOKUP.
    pub(super) fn find(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<Found> {
        let dir = self.resolve_dir(dir)?;
        // Before the step: an answer may be newer than the directory's times that it comes with, never older, or the
        // client would keep it for as long as they stay the same.
        let stat = self.fresh(&dir)?;
        let dir_attributes = Some(self.numbering.attributes(&stat));
        let found = check_name(name).and_then(|name| self.find_in(caller, &dir, &stat, name));
        match found {
            Ok((object, attributes)) => {
                Ok(Found { object, attributes: Some(attributes), dir_attributes })
            }
            Err(failure) => Err(Failure::with_attributes(failure.status, dir_attributes)),
        }
    }

    fn find_in(
        &self,
        caller: &Caller<'_>,
        dir: &Arc<Node>,
        dir_stat: &Statx,
        name: &[u8],
    ) -> Result<(Handle, nfswire_nfs3::Attributes)> {
        if name == b".." {
            let parent = self.parent(caller, dir)?;
            return Ok((self.handle(&parent), self.attributes(&parent)?));
        }
        // Of `.` too: it takes the right to search the directory.
        let (fd, stat) = self.child_for(caller, dir, dir_stat, name)?;
        let attributes = self.numbering.attributes(&stat);
        let node = if name == b"." { Arc::clone(dir) } else { self.enter(fd, &stat, dir, name) };
        Ok((self.handle(&node), attributes))
    }

    /// Looks at a name in a directory for a caller. Where the kernel has said that he may search it, the step is made
    /// without switching users, which takes ten system calls.
    fn child_for(
        &self,
        caller: &Caller<'_>,
        dir: &Node,
        dir_stat: &Statx,
        name: &[u8],
    ) -> Result<(OwnedFd, Statx)> {
        if self.identity.switches() && self.may_surely_search(dir, dir_stat, caller)? {
            match self.child(dir, name) {
                // Some file systems let nobody in but one user, who need not be that of this process.
                Err(failure) if failure.status == Status::ACCES => {}
                done => return done,
            }
        }
        let _as_caller = self.identity.assume(caller)?;
        self.child(dir, name)
    }

    /// The directory above; that of the root is the root.
    pub(super) fn parent(&self, caller: &Caller<'_>, dir: &Arc<Node>) -> Result<Arc<Node>> {
        let (fd, found) = {
            let _as_caller = self.identity.assume(caller)?;
            if dir.key == self.root.key {
                self.child(dir, b".")?;
                return Ok(Arc::clone(dir));
            }
            self.up(&dir.path)?
        };
        // A local process may have moved the directory out of the export: the root must be above it.
        let key = self.numbering.key(&found);
        if self.is_below(&fd, key)? {
            Ok(self.enter_unnamed(fd, &found))
        } else {
            Err(Status::STALE.into())
        }
    }
}
