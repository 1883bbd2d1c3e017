//! Files in use: their descriptors, and the bounded cache of them.

use alloc::sync::Arc;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use lru::LruCache;
use nfswire_nfs3::{FileType, Status, Time};
use rustix::fs::{Mode, OFlags, fsync, openat};
use rustix::path::DecInt;

use super::handle::{FileId, Key};
use super::kernel::Hint;
use crate::fs::{Caller, Result};

/// Most callers whose rights to one file are remembered.
const REMEMBERED_CALLERS: usize = 8;

/// The value after which clients send uncommitted data again (`writeverf3`).
#[derive(Debug)]
pub(super) struct WriteVerifier(AtomicU64);

impl WriteVerifier {
    /// One that no earlier run of this server has used: without a number that is known to be such, the clock in ns.
    pub(super) fn new(first: Option<u64>) -> Self {
        if let Some(first) = first {
            return Self(AtomicU64::new(first));
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(AtomicU64::new(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)))
    }

    pub(super) fn get(&self) -> [u8; 8] {
        self.0.load(Ordering::SeqCst).to_be_bytes()
    }

    /// Uncommitted data may have been lost: the kernel counts pages as clean once it has failed to write them.
    pub(super) fn change(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

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
    /// and again after it: an fsync between the two may have come too early for the data.
    pub(super) fn wrote(&self) {
        self.uncommitted.store(true, Ordering::SeqCst);
    }

    /// Makes everything written so far durable.
    pub(super) fn sync(&self, fd: &OwnedFd) -> Result<()> {
        // Cleared first: what another thread writes meanwhile is uncommitted again.
        let was = self.uncommitted.swap(false, Ordering::SeqCst);
        fsync(fd).map_err(|error| {
            self.uncommitted.store(was, Ordering::SeqCst);
            self.verifier.change();
            tracing::error!(%error, "fsync failed: clients will send uncommitted data again");
            error.into()
        })
    }
}

impl Drop for Node {
    /// The last descriptor must not go while it could be the only one to hear of a failed write-back.
    fn drop(&mut self) {
        if !self.uncommitted.load(Ordering::SeqCst) {
            return;
        }
        let writer = lock(&self.writer).take();
        if let Some(writer) = writer {
            // The failure is in the log and in the verifier.
            drop(self.sync(&writer));
        }
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

    /// Forgets a file that is gone, so that its space is freed.
    pub(super) fn remove(&self, id: FileId) {
        let removed = self.cache().pop(&id);
        drop(removed);
    }

    /// Forgets half of the files, the longest unused, when descriptors run out.
    pub(super) fn shrink(&self) {
        let mut evicted = Vec::new();
        let mut cache = self.cache();
        for _ in 0..cache.len().div_ceil(2) {
            evicted.extend(cache.pop_lru());
        }
        drop(cache);
        drop(evicted);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

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
        // Not a file that can be synced.
        let (reader, _writer) = std::io::pipe().unwrap();
        assert!(node.sync(&reader.into()).is_err());
        assert_ne!(node.verifier.get(), before);
        assert!(node.uncommitted.load(Ordering::SeqCst));
    }
}
