//! Files in use: their descriptors, and the bounded cache of them.

use alloc::sync::Arc;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use lru::LruCache;
use nfswire_nfs3::{FileType, Status, Time};
use rustix::fs::{Mode, OFlags, fsync, openat};
use rustix::path::DecInt;

use super::handle::{FileId, Key};
use crate::fs::{Caller, Result};

/// Most callers whose rights to one file are remembered.
const REMEMBERED_CALLERS: usize = 8;

/// The value after which clients send uncommitted data again (`writeverf3`).
#[derive(Debug)]
pub(super) struct WriteVerifier(AtomicU64);

impl WriteVerifier {
    /// One that no earlier run of this server has used: the clock, in ns.
    pub(super) fn new() -> Self {
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
    /// `O_PATH`: grants nothing by itself.
    pub(super) path: OwnedFd,
    reader: OnceLock<Arc<OwnedFd>>,
    writer: OnceLock<Arc<OwnedFd>>,
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
        verifier: Arc<WriteVerifier>,
    ) -> Self {
        Self {
            key,
            file_type,
            path,
            reader: OnceLock::new(),
            writer: OnceLock::new(),
            change: Mutex::new(()),
            rights: Mutex::new(Vec::new()),
            uncommitted: AtomicBool::new(false),
            verifier,
        }
    }

    /// Keeps a descriptor, open for both, that CREATE got: later opens might fail by the file's new mode.
    pub(super) fn keep(&self, created: OwnedFd) {
        let created = Arc::new(created);
        // One that is there already serves as well.
        drop(self.reader.set(Arc::clone(&created)));
        drop(self.writer.set(created));
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

    /// A descriptor for writing a regular file, kept for later.
    pub(super) fn writer(&self, descriptors: &OwnedFd) -> Result<Arc<OwnedFd>> {
        match self.file_type {
            FileType::Regular => self.kept(&self.writer, descriptors, OFlags::WRONLY),
            FileType::Directory => Err(Status::ISDIR.into()),
            _ => Err(Status::INVAL.into()),
        }
    }

    fn kept(
        &self,
        slot: &OnceLock<Arc<OwnedFd>>,
        descriptors: &OwnedFd,
        how: OFlags,
    ) -> Result<Arc<OwnedFd>> {
        if let Some(open) = slot.get() {
            return Ok(Arc::clone(open));
        }
        let opened = Arc::new(reopen(&self.path, descriptors, how)?);
        Ok(Arc::clone(slot.get_or_init(|| opened)))
    }

    /// Serializes changes of this file made through this server.
    pub(super) fn changing(&self) -> MutexGuard<'_, ()> {
        self.change.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn remembered_rights(&self, caller: &Caller<'_>, ctime: Time) -> Option<Rights> {
        let list = self.rights.lock().unwrap_or_else(PoisonError::into_inner);
        let found = list.iter().find(|one| one.is_for(caller) && one.ctime == ctime)?;
        Some(found.rights)
    }

    pub(super) fn remember_rights(&self, caller: &Caller<'_>, ctime: Time, rights: Rights) {
        let mut list = self.rights.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|one| one.ctime == ctime && !one.is_for(caller));
        if list.len() >= REMEMBERED_CALLERS {
            list.remove(0);
        }
        let (uid, gid, gids) = (caller.uid, caller.gid, caller.gids.into());
        list.push(Remembered { uid, gid, gids, ctime, rights });
    }

    /// Notes that data was written without fsync.
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
        if let Some(writer) = self.writer.take() {
            // The failure is in the log and in the verifier.
            drop(self.sync(&writer));
        }
    }
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
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
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
