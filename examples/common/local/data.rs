//! READ, WRITE, COMMIT and SETATTR.

use alloc::borrow::Cow;
use std::io::IoSlice;
use std::os::fd::OwnedFd;

use bytes::Bytes;
use nfswire_nfs3::{FileType, SetAttributes, StableHow, Status, Time, WccData};
use rustix::fs::{Statx, ftruncate};
use rustix::io::{Errno, pwritev};

use super::node::Node;
use super::sync::Depth;
use super::{LocalFs, attr};
use crate::fs::{Caller, Committed, Failure, FileData, MAX_TRANSFER, ReadData, Result, Written};

/// Most pieces of one system call (`IOV_MAX`).
const MAX_PIECES: usize = 1024;

impl LocalFs {
    /// READ: by reference, the server core moves the bytes.
    pub(super) fn read_file(
        &self,
        caller: &Caller<'_>,
        file: &[u8],
        offset: u64,
        count: u32,
    ) -> Result<ReadData> {
        let node = self.resolve(file)?;
        let stat = self.fresh(&node)?;
        let attributes = Some(self.numbering.attributes(&stat));
        let fail = |failure: Failure| Failure::with_attributes(failure.status, attributes);
        if node.file_type != FileType::Regular {
            return Err(fail(Status::INVAL.into()));
        }
        self.may_read(&node, &stat, caller).map_err(fail)?;
        let left = stat.stx_size.saturating_sub(offset);
        let len = u32::try_from(left).unwrap_or(u32::MAX).min(count).min(MAX_TRANSFER);
        let data = if len == 0 {
            // Also of an offset that no system call takes.
            FileData::Bytes(Bytes::new())
        } else {
            let file = self.with_descriptors(|| node.reader(&self.descriptors)).map_err(fail)?;
            FileData::File { file, offset, len }
        };
        Ok(ReadData { attributes, data, eof: u64::from(len) == left })
    }

    /// The right to execute lets a client read, which it must to execute (RFC 1813, section 4.4).
    fn may_read(&self, node: &Node, stat: &Statx, caller: &Caller<'_>) -> Result<()> {
        if self.is_owner(stat, caller) {
            return Ok(());
        }
        let rights = self.rights(node, stat, caller)?;
        if rights.read || rights.execute { Ok(()) } else { Err(Status::ACCES.into()) }
    }

    fn may_write(&self, node: &Node, stat: &Statx, caller: &Caller<'_>) -> Result<()> {
        if self.is_owner(stat, caller) || self.rights(node, stat, caller)?.write {
            Ok(())
        } else {
            Err(Status::ACCES.into())
        }
    }

    /// WRITE.
    pub(super) fn write_file(
        &self,
        caller: &Caller<'_>,
        file: &[u8],
        offset: u64,
        data: &[IoSlice<'_>],
        stable: StableHow,
    ) -> Result<Written> {
        let node = self.resolve(file)?;
        // Read before the data is handed over: should an fsync fail from here on, the client must notice.
        let verifier = self.verifier.get();
        let changing = node.changing();
        let stat = self.fresh(&node)?;
        let before = Some(attr::before(&stat));
        let prepared = self.prepare_write(&node, &stat, caller, offset, data);
        let written = prepared.and_then(|writer| {
            // As the caller: quota, reserved space and set-user-id bits depend on who writes.
            let _as_caller = self.identity.assume(caller)?;
            node.wrote();
            let count = write_all(&writer, data, offset)?;
            node.wrote();
            Ok(count)
        });
        let wcc = self.wcc(&node, before);
        drop(changing);

        let count = written.map_err(|failure| failure.around(wcc))?;
        let synced = match stable {
            StableHow::Unstable => Ok(()),
            // Attributes may remain, which the next fsync covers.
            StableHow::DataSync => self.sync_data(&node, Depth::Data),
            StableHow::FileSync => self.sync_data(&node, Depth::Whole),
        };
        synced.map_err(|failure| failure.around(wcc))?;
        Ok(Written { wcc, count, committed: stable, verifier })
    }

    /// Puts a file on disk, and closes it for writing if it can be opened again whatever its mode.
    fn sync_data(&self, node: &Node, depth: Depth) -> Result<()> {
        self.sync_node(node, depth)?;
        if self.identity.switches() {
            node.release();
        }
        Ok(())
    }

    fn prepare_write(
        &self,
        node: &Node,
        stat: &Statx,
        caller: &Caller<'_>,
        offset: u64,
        data: &[IoSlice<'_>],
    ) -> Result<alloc::sync::Arc<OwnedFd>> {
        self.check_writable()?;
        if node.file_type != FileType::Regular {
            return Err(Status::INVAL.into());
        }
        self.may_write(node, stat, caller)?;
        let len = data.iter().fold(0u64, |sum, piece| {
            sum.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX))
        });
        // The kernel's offsets are signed.
        if offset.checked_add(len).is_none_or(|end| i64::try_from(end).is_err()) {
            return Err(Status::FBIG.into());
        }
        self.with_descriptors(|| node.writer(&self.descriptors))
    }

    /// COMMIT: always of the whole file, which includes the range.
    pub(super) fn commit_file(
        &self,
        caller: &Caller<'_>,
        file: &[u8],
        offset: u64,
        count: u32,
    ) -> Result<Committed> {
        let node = self.resolve(file)?;
        let stat = self.fresh(&node)?;
        let committed =
            if node.file_type != FileType::Regular || offset.checked_add(count.into()).is_none() {
                Err(Status::INVAL.into())
            } else {
                let may = self.may_write(&node, &stat, caller);
                may.and_then(|()| self.sync_data(&node, Depth::Whole))
            };
        // Read last: if an fsync of the same data has failed until now, the client must notice.
        let verifier = self.verifier.get();
        let wcc = self.wcc(&node, None);
        committed.map_err(|failure| failure.around(wcc))?;
        Ok(Committed { wcc, verifier })
    }

    /// SETATTR. The size comes first, while the caller's rights are still what they were.
    pub(super) fn set_attributes(
        &self,
        caller: &Caller<'_>,
        object: &[u8],
        new: &SetAttributes,
        guard: Option<Time>,
    ) -> Result<WccData> {
        let node = self.resolve(object)?;
        let changing = node.changing();
        let stat = self.fresh(&node)?;
        let before = Some(attr::before(&stat));
        let changed = self.check_writable().and_then(|()| {
            if guard.is_some_and(|guard| guard != attr::time(stat.stx_ctime)) {
                return Err(Status::NOT_SYNC.into());
            }
            new.changes().map(drop)?; // what cannot be done as a whole is not begun
            if let Some(size) = new.size {
                self.set_size(&node, &stat, caller, size)?;
            }
            let _as_caller = self.identity.assume(caller)?;
            attr::apply(&node.path, &self.descriptors, new)
        });
        let wcc = self.wcc(&node, before);
        drop(changing);
        let done = changed.and_then(|()| self.durable_attributes(&node));
        done.map_err(|failure| failure.around(wcc))?;
        Ok(wcc)
    }

    /// Cuts or extends a regular file.
    pub(super) fn set_size(
        &self,
        node: &Node,
        stat: &Statx,
        caller: &Caller<'_>,
        size: u64,
    ) -> Result<()> {
        if node.file_type != FileType::Regular {
            return Err(Status::INVAL.into());
        }
        self.may_write(node, stat, caller)?;
        if i64::try_from(size).is_err() {
            return Err(Status::FBIG.into());
        }
        let writer = self.with_descriptors(|| node.writer(&self.descriptors))?;
        let _as_caller = self.identity.assume(caller)?;
        Ok(ftruncate(&writer, size)?)
    }
}

/// Writes the pieces one behind the other; an error after the first bytes is left for the next call to meet.
fn write_all(file: &OwnedFd, data: &[IoSlice<'_>], offset: u64) -> Result<u32> {
    let mut done = 0u64;
    let mut left = Cow::Borrowed(data);
    loop {
        if left.iter().all(|piece| piece.is_empty()) {
            break;
        }
        let some = left.get(..left.len().min(MAX_PIECES)).unwrap_or(&[]);
        match pwritev(file, some, offset.saturating_add(done)) {
            Ok(0) => break,
            Ok(n) => {
                done = done.saturating_add(u64::try_from(n).unwrap_or(u64::MAX));
                left = Cow::Owned(skip(&left, n));
            }
            Err(Errno::INTR) => {}
            Err(_) if done > 0 => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(u32::try_from(done).unwrap_or(u32::MAX))
}

/// What remains of the pieces behind their first `n` bytes.
fn skip<'a>(data: &[IoSlice<'a>], mut n: usize) -> Vec<IoSlice<'a>> {
    let mut left = data.to_vec();
    left.retain_mut(|piece| {
        let taken = n.min(piece.len());
        piece.advance(taken);
        n = n.saturating_sub(taken);
        !piece.is_empty()
    });
    left
}
