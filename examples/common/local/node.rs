//! Files in use: their descriptors, and the bounded cache of them.

use alloc::sync::Arc;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use nfswire_nfs3::{FileType, Status, Time};
use rustix::fs::{Mode, OFlags, openat};
use rustix::path::DecInt;

use super::handle::{FileId, Key};
use super::kernel::Hint;
use super::sync::{Depth, Syncs, WriteVerifier, to_disk, told};
use crate::fs::{Caller, Result};
use crate::told::{FAULTS, tell};

/// How many files are made clean before one that is not is forgotten.
const SETTLED: u32 = 4;

/// Most callers whose rights to one file are remembered.
const REMEMBERED_CALLERS: usize = 32;

/// What the kernel lets a caller do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rights {
    pub(super) read: bool,
    pub(super) write: bool,
    pub(super) execute: bool,
}

/// Rights found earlier: they hold until the file's ctime moves.
#[derive(Debug)]
struct Remembered {
    uid: u32,
    gid: u32,
    gids: Box<[u32]>,
    ctime: Time,
    rights: Rights,
}

/// A file in use. Its `O_PATH` descriptor pins the inode: the number cannot pass to another file while this exists.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) key: Key,
    pub(super) file_type: FileType,
    /// What the kernel finds it by.
    pub(super) hint: Option<Hint>,
    /// `O_PATH`: grants nothing by itself.
    pub(super) path: OwnedFd,
    reader: Slot,
    writer: Slot,
    /// Held around a change and the looks at attributes before and after it.
    change: Mutex<()>,
    rights: Mutex<Vec<Remembered>>,
    /// Whether data was written that no fsync has covered.
    uncommitted: AtomicBool,
    /// Whether the last name is gone: nothing of it will be there after a power loss.
    gone: AtomicBool,
    /// Of a directory: when it was last known to be below the export, in ms; 0 for never.
    below: AtomicU64,
    syncs: Syncs,
    verifier: Arc<WriteVerifier>,
}

impl Node {
    pub(super) fn new(
        key: Key,
        file_type: FileType,
        path: OwnedFd,
        hint: Option<Hint>,
        verifier: Arc<WriteVerifier>,
    ) -> Self {
        Self {
            key,
            file_type,
            hint,
            path,
            reader: Slot::default(),
            writer: Slot::default(),
            change: Mutex::new(()),
            rights: Mutex::new(Vec::new()),
            uncommitted: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            below: AtomicU64::new(0),
            syncs: Syncs::default(),
            verifier,
        }
    }

    /// Keeps a descriptor, open for both, that CREATE got: later opens might fail by the file's new mode.
    pub(super) fn keep(&self, created: OwnedFd) {
        let created = Arc::new(created);
        *lock(&self.reader) = Some(Arc::clone(&created));
        *lock(&self.writer) = Some(created);
    }

    /// A descriptor for reading a regular file or listing a directory, kept for later.
    pub(super) fn reader(&self, descriptors: &OwnedFd) -> Result<Arc<OwnedFd>> {
        match self.file_type {
            FileType::Regular => self.kept(&self.reader, descriptors, OFlags::RDONLY),
            FileType::Directory => {
                self.kept(&self.reader, descriptors, OFlags::RDONLY | OFlags::DIRECTORY)
            }
            _ => Err(Status::INVAL.into()),
        }
    }

    /// A descriptor for writing a regular file, kept until [`Node::release`].
    pub(super) fn writer(&self, descriptors: &OwnedFd) -> Result<Arc<OwnedFd>> {
        match self.file_type {
            FileType::Regular => self.kept(&self.writer, descriptors, OFlags::WRONLY),
            FileType::Directory => Err(Status::ISDIR.into()),
            _ => Err(Status::INVAL.into()),
        }
    }

    fn kept(&self, slot: &Slot, descriptors: &OwnedFd, how: OFlags) -> Result<Arc<OwnedFd>> {
        let mut slot = lock(slot);
        if let Some(open) = &*slot {
            return Ok(Arc::clone(open));
        }
        let opened = Arc::new(reopen(&self.path, descriptors, how)?);
        *slot = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// Gives up what is open for writing, unless data waits to be committed: as long as it is open the kernel runs no
    /// program from this file.
    pub(super) fn release(&self) {
        // A write under way has the descriptor already, and says at its end only that there is data to commit.
        let _changing = self.changing();
        let mut writer = lock(&self.writer);
        if self.uncommitted.load(Ordering::SeqCst) {
            return;
        }
        let Some(released) = writer.take() else { return };
        let mut reader = lock(&self.reader);
        if reader.as_ref().is_some_and(|reader| Arc::ptr_eq(reader, &released)) {
            *reader = None;
        }
    }

    /// Serializes changes of this file made through this server.
    pub(super) fn changing(&self) -> MutexGuard<'_, ()> {
        lock(&self.change)
    }

    pub(super) fn remembered_rights(&self, caller: &Caller<'_>, ctime: Time) -> Option<Rights> {
        let list = lock(&self.rights);
        let found = list.iter().find(|one| one.is_for(caller) && one.ctime == ctime)?;
        Some(found.rights)
    }

    pub(super) fn remember_rights(&self, caller: &Caller<'_>, ctime: Time, rights: Rights) {
        let mut list = lock(&self.rights);
        list.retain(|one| one.ctime == ctime && !one.is_for(caller));
        if list.len() >= REMEMBERED_CALLERS {
            list.remove(0);
        }
        let (uid, gid, gids) = (caller.uid, caller.gid, caller.gids.into());
        list.push(Remembered { uid, gid, gids, ctime, rights });
    }

    /// Notes that data is or may have been written without fsync. Said before a write, so that the descriptor stays,
    /// and again after it, both while [`Node::changing`]: an fsync between the two may have come too early for the data.
    pub(super) fn wrote(&self) {
        self.uncommitted.store(true, Ordering::SeqCst);
    }

    /// Whether there is data to commit. Of a file without a name there is not: nobody can ask for it again.
    fn is_uncommitted(&self) -> bool {
        self.uncommitted.load(Ordering::SeqCst) && !self.gone.load(Ordering::SeqCst)
    }

    /// When it was last known to be below the export.
    pub(super) fn seen_below(&self) -> u64 {
        self.below.load(Ordering::Relaxed)
    }

    /// Notes that it was below the export at this time.
    pub(super) fn saw_below(&self, time: u64) {
        self.below.fetch_max(time, Ordering::Relaxed);
    }

    /// A descriptor to sync a regular file or a directory by: if there is data to commit, the one it was written
    /// through.
    pub(super) fn for_sync(&self, descriptors: &OwnedFd) -> Result<Arc<OwnedFd>> {
        let kept = lock(&self.writer).clone();
        if let Some(open) = kept.or_else(|| lock(&self.reader).clone()) {
            return Ok(open);
        }
        let reader = self.reader(descriptors);
        reader.or_else(|failure| self.writer(descriptors).map_err(|_| failure))
    }

    /// Makes everything durable that was done to the file before this call.
    pub(super) fn sync(&self, open: &OwnedFd, depth: Depth) -> Result<()> {
        let synced = self.syncs.join(depth, |depth| {
            // Only this description is sure to be told of what became of data written through it.
            let writer = lock(&self.writer).clone();
            let open = writer.as_deref().unwrap_or(open);
            // Cleared first: what another thread writes meanwhile is uncommitted again.
            let was = depth == Depth::Whole && self.uncommitted.swap(false, Ordering::SeqCst);
            let synced = self.verifier.watch(|| to_disk(open, depth));
            if let Err(error) = synced {
                self.uncommitted.fetch_or(was, Ordering::SeqCst);
                tell!(FAULTS, error, %error, "fsync failed: clients will send uncommitted data again");
            }
            synced
        });
        told(synced)
    }

    /// Commits what is not, so that the descriptor it was written through can be closed: there may be no other to hear
    /// of a failure. That one is then in the log and in the verifier.
    fn settle(&self) {
        if !self.is_uncommitted() {
            return;
        }
        let writer = lock(&self.writer).clone();
        match writer {
            Some(writer) => drop(self.sync(&writer, Depth::Whole)),
            None => self.verifier.change(),
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.settle();
    }
}

/// A place for a descriptor.
type Slot = Mutex<Option<Arc<OwnedFd>>>;

/// A panic elsewhere leaves nothing half-done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Remembered {
    fn is_for(&self, caller: &Caller<'_>) -> bool {
        self.uid == caller.uid && self.gid == caller.gid && *self.gids == *caller.gids
    }
}

/// Opens the file behind an `O_PATH` descriptor: this very file, whatever its names are now.
pub(super) fn reopen(path: &OwnedFd, descriptors: &OwnedFd, how: OFlags) -> Result<OwnedFd> {
    let how = how | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    Ok(openat(descriptors, DecInt::from_fd(path), how, Mode::empty())?)
}

//--- The cache ---

/// The files used last.
#[derive(Debug)]
pub(super) struct Nodes {
    cache: Mutex<LruCache<FileId, Arc<Node>>>,
}

impl Nodes {
    pub(super) fn new(capacity: NonZeroUsize) -> Self {
        Self { cache: Mutex::new(LruCache::new(capacity)) }
    }

    fn cache(&self) -> MutexGuard<'_, LruCache<FileId, Arc<Node>>> {
        lock(&self.cache)
    }

    /// The file, if it was used lately.
    pub(super) fn get(&self, id: FileId) -> Option<Arc<Node>> {
        self.cache().get(&id).map(Arc::clone)
    }

    /// Adds a file, unless it is there: then that one is returned, and is the only one with its lock and descriptors.
    pub(super) fn add(&self, node: Node) -> Arc<Node> {
        let node = Arc::new(node);
        self.settle_oldest();
        let mut cache = self.cache();
        if let Some(there) = cache.get(&node.key.id)
            && there.key == node.key
        {
            return Arc::clone(there);
        }
        let evicted = cache.push(node.key.id, Arc::clone(&node));
        drop(cache);
        // May fsync: not under the lock.
        drop(evicted);
        node
    }

    /// Commits what the next file to be forgotten has to commit while it is still here: whoever asks for that file
    /// meanwhile waits for this sync, and does not open the file anew, which might hide a failure from both.
    fn settle_oldest(&self) {
        for _ in 0..SETTLED {
            let oldest = {
                let cache = self.cache();
                if cache.len() < cache.cap().get() {
                    return;
                }
                cache.peek_lru().map(|(_, oldest)| Arc::clone(oldest))
            };
            match oldest {
                Some(oldest) if oldest.is_uncommitted() => oldest.settle(),
                _ => return,
            }
        }
    }

    /// Forgets a file whose last name is gone, so that its space is freed. What was written to it and not committed need
    /// not go to disk for that.
    pub(super) fn remove(&self, id: FileId) {
        let removed = self.cache().pop(&id);
        if let Some(node) = removed {
            node.gone.store(true, Ordering::SeqCst);
        }
    }

    /// Forgets half of the files, the longest unused, when descriptors run out.
    pub(super) fn shrink(&self) {
        let half = |cache: &LruCache<FileId, Arc<Node>>| cache.len().div_ceil(2);
        let oldest: Vec<_> = {
            let cache = self.cache();
            cache.iter().rev().take(half(&cache)).map(|(_, node)| Arc::clone(node)).collect()
        };
        for node in oldest {
            node.settle();
        }
        let mut evicted = Vec::new();
        let mut cache = self.cache();
        for _ in 0..half(&cache) {
            evicted.extend(cache.pop_lru());
        }
        drop(cache);
        drop(evicted);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rustix::io::Errno;

    use super::*;

    fn node() -> Node {
        let key = Key { id: FileId { device: 0, inode: 1 }, birth: 0 };
        let null = std::fs::File::open("/dev/null").unwrap().into();
        Node::new(key, FileType::Regular, null, None, Arc::new(WriteVerifier::new(None)))
    }

    const RIGHTS: Rights = Rights { read: true, write: false, execute: true };

    fn at(nanoseconds: u32) -> Time {
        Time { seconds: 9, nanoseconds }
    }

    #[test]
    fn rights_hold_for_one_caller_until_ctime_moves() {
        let node = node();
        let caller = Caller { uid: 1, gid: 2, gids: &[3] };
        node.remember_rights(&caller, at(5), RIGHTS);
        assert_eq!(node.remembered_rights(&caller, at(5)), Some(RIGHTS));
        assert_eq!(node.remembered_rights(&caller, at(6)), None);
        for other in [
            Caller { uid: 9, ..caller },
            Caller { gid: 9, ..caller },
            Caller { gids: &[], ..caller },
            Caller { gids: &[3, 4], ..caller },
        ] {
            assert_eq!(node.remembered_rights(&other, at(5)), None);
        }
        // What was found out at another ctime goes.
        node.remember_rights(&Caller::ANONYMOUS, at(6), RIGHTS);
        assert_eq!(node.remembered_rights(&caller, at(5)), None);
    }

    #[test]
    fn few_callers_are_remembered() {
        let node = node();
        for uid in 0..100 {
            node.remember_rights(&Caller { uid, gid: 0, gids: &[] }, at(5), RIGHTS);
        }
        assert_eq!(node.rights.lock().unwrap().len(), REMEMBERED_CALLERS);
        let last = Caller { uid: 99, gid: 0, gids: &[] };
        assert_eq!(node.remembered_rights(&last, at(5)), Some(RIGHTS));
    }

    #[test]
    fn a_failed_sync_changes_the_verifier_and_forgets_nothing() {
        let node = node();
        let before = node.verifier.get();
        node.wrote();
        let open = tempfile::tempfile().unwrap().into();
        node.verifier.fail_with(&[Errno::NOSPC]);
        assert_eq!(node.sync(&open, Depth::Whole).unwrap_err().status, Status::IO);
        assert_ne!(node.verifier.get(), before);
        assert!(node.is_uncommitted());
        node.sync(&open, Depth::Data).unwrap();
        assert!(node.is_uncommitted(), "attributes may still have to be written");
        node.sync(&open, Depth::Whole).unwrap();
        assert!(!node.is_uncommitted());
    }
}
