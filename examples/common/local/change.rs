//! REMOVE, RMDIR, RENAME and LINK.

use std::os::fd::OwnedFd;

use nfswire_nfs3::{FileType, Status, WccData};
use rustix::fs::{AtFlags, RenameFlags, Statx, linkat, renameat_with, unlinkat};
use rustix::io::Errno;
use rustix::path::DecInt;

use super::node::Node;
use super::{LocalFs, attr, is_dot};
use crate::fs::{Caller, Failure, Linked, NO_WCC, NameIn, Renamed, Result, check_name};

impl LocalFs {
    /// REMOVE.
    pub(super) fn unlink(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<WccData> {
        self.take_away(caller, dir, name, |dir, stat| {
            if attr::file_type(stat) == FileType::Directory {
                return Err(Status::ISDIR.into());
            }
            Ok(unlinkat(&dir.path, name, AtFlags::empty())?)
        })
    }

    /// RMDIR.
    pub(super) fn remove_directory(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
    ) -> Result<WccData> {
        self.take_away(caller, dir, name, |dir, stat| match name {
            b"." => Err(Status::INVAL.into()),
            b".." => Err(Status::EXIST.into()),
            _ if attr::file_type(stat) != FileType::Directory => Err(Status::NOTDIR.into()),
            _ => match unlinkat(&dir.path, name, AtFlags::REMOVEDIR) {
                Err(Errno::EXIST) => Err(Status::NOTEMPTY.into()),
                other => Ok(other?),
            },
        })
    }

    fn take_away(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        take: impl FnOnce(&Node, &Statx) -> Result<()>,
    ) -> Result<WccData> {
        let dir = self.resolve_dir(dir)?;
        let (taken, wcc) = self.change(&dir, || {
            self.check_writable()?;
            check_name(name)?;
            let _as_caller = self.identity.assume(caller)?;
            // `..` could lead out of the export: it is refused before it is looked at.
            let looked_at = if name == b".." { b"." } else { name };
            let (fd, stat) = self.child(&dir, looked_at)?;
            take(&dir, &stat)?;
            Ok((fd, stat))
        })?;
        taken
            .and_then(|(fd, stat)| {
                self.lost_name(&fd, &stat, &dir, name);
                self.durable(&dir)
            })
            .map_err(|failure| failure.around(wcc))?;
        Ok(wcc)
    }

    /// A file has lost one of its names, perhaps the last.
    fn lost_name(&self, fd: &OwnedFd, was: &Statx, dir: &Node, name: &[u8]) {
        let key = self.numbering.key(was);
        match attr::stat(fd) {
            Ok(stat) if stat.stx_nlink == 0 => self.forget(key),
            _ => self.places.left(key.id, dir.key.id, name),
        }
    }

    /// RENAME.
    pub(super) fn move_name(
        &self,
        caller: &Caller<'_>,
        from: NameIn<'_>,
        to: NameIn<'_>,
    ) -> Result<Renamed> {
        let from_dir = self.resolve_dir(from.0)?;
        let to_dir = self.resolve_other_dir(to.0).map_err(|failure| {
            let source = WccData::only_after(self.attributes(&from_dir).ok());
            Failure::with_both(failure.status, source, failure.first())
        })?;
        let (names, dirs) = ((from.1, to.1), (&*from_dir, &*to_dir));
        // Always in the same order, so that two renames cannot wait for each other.
        let (done, from, to) = if from_dir.key == to_dir.key {
            let (done, wcc) =
                self.change(&from_dir, || self.rename_between(caller, dirs, names))?;
            (done, wcc, wcc)
        } else if from_dir.key.id < to_dir.key.id {
            let (inner, from) = self.change(&from_dir, || {
                self.change(&to_dir, || self.rename_between(caller, dirs, names))
            })?;
            let (done, to) = flatten(inner);
            (done, from, to)
        } else {
            let (inner, to) = self.change(&to_dir, || {
                self.change(&from_dir, || self.rename_between(caller, dirs, names))
            })?;
            let (done, from) = flatten(inner);
            (done, from, to)
        };
        done.and_then(|replaced| {
            // Not under the locks: a large file takes time to go.
            if let Some((fd, stat)) = replaced {
                self.lost_name(&fd, &stat, &to_dir, names.1);
            }
            self.durable(&to_dir)?;
            if from_dir.key == to_dir.key { Ok(()) } else { self.durable(&from_dir) }
        })
        .map_err(|failure| Failure::with_both(failure.status, from, to))?;
        Ok(Renamed { from, to })
    }

    /// Returns what had the new name before.
    fn rename_between(
        &self,
        caller: &Caller<'_>,
        (from_dir, to_dir): (&Node, &Node),
        (from, to): (&[u8], &[u8]),
    ) -> Result<Option<(OwnedFd, Statx)>> {
        self.check_writable()?;
        check_name(from)?;
        check_name(to)?;
        if is_dot(from) || is_dot(to) {
            return Err(Status::INVAL.into());
        }
        let _as_caller = self.identity.assume(caller)?;
        let (_, source) = self.child(from_dir, from)?;
        let target = match self.child(to_dir, to) {
            Ok(target) => Some(target),
            Err(failure) if failure.status == Status::NOENT => None,
            Err(failure) => return Err(failure),
        };
        let is_dir = |stat: &Statx| attr::file_type(stat) == FileType::Directory;
        if target.as_ref().is_some_and(|(_, target)| is_dir(target) != is_dir(&source)) {
            return Err(Status::EXIST.into());
        }
        match renameat_with(&from_dir.path, from, &to_dir.path, to, RenameFlags::empty()) {
            Ok(()) => {}
            // The same as above, by someone else's hand meanwhile.
            Err(Errno::ISDIR | Errno::NOTDIR) => return Err(Status::EXIST.into()),
            Err(Errno::EXIST) => return Err(Status::NOTEMPTY.into()),
            Err(error) => return Err(error.into()),
        }
        let key = self.numbering.key(&source);
        if target.as_ref().is_some_and(|(_, target)| self.numbering.key(target) == key) {
            // Two names of one file: nothing was changed.
            return Ok(None);
        }
        self.places.seen(key.id, to_dir.key.id, to);
        Ok(target)
    }

    /// LINK.
    pub(super) fn hard_link(
        &self,
        caller: &Caller<'_>,
        file: &[u8],
        dir: &[u8],
        name: &[u8],
    ) -> Result<Linked> {
        let node = self.resolve(file)?;
        let dir = self.resolve_other_dir(dir).map_err(|failure| {
            let file = WccData::only_after(self.attributes(&node).ok());
            Failure::with_both(failure.status, file, failure.first())
        })?;
        let (linked, wcc) = self.change(&dir, || {
            self.check_writable()?;
            check_name(name)?;
            if is_dot(name) {
                return Err(Status::EXIST.into());
            }
            if node.file_type == FileType::Directory {
                return Err(Status::INVAL.into());
            }
            self.fresh(&node)?;
            let _as_caller = self.identity.assume(caller)?;
            // By way of the descriptor: this very file, whatever has become of its name.
            let file = DecInt::from_fd(&node.path);
            Ok(linkat(&self.descriptors, file, &dir.path, name, AtFlags::SYMLINK_FOLLOW)?)
        })?;
        let linked = linked.and_then(|()| {
            self.places.seen(node.key.id, dir.key.id, name);
            self.durable(&node)?;
            self.durable(&dir)
        });
        let attributes = self.attributes(&node).ok();
        linked.map_err(|failure| {
            let file = WccData { before: None, after: attributes };
            Failure::with_both(failure.status, file, wcc)
        })?;
        Ok(Linked { attributes, dir: wcc })
    }
}

/// The inner of two nested changes; that it could not even look at its directory is its failure.
fn flatten<T>(inner: Result<(Result<T>, WccData)>) -> (Result<T>, WccData) {
    inner.unwrap_or_else(|failure| (Err(failure), NO_WCC))
}
