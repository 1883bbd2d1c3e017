//! CREATE, MKDIR, SYMLINK and MKNOD.

use alloc::ffi::CString;
use alloc::sync::Arc;
use std::os::fd::OwnedFd;

use nfswire_nfs3::create::CreateHow;
use nfswire_nfs3::{FileType, SetAttributes, SetTime, SpecData, Status, Time};
use rustix::fs::{
    AtFlags, Mode, OFlags, Statx, ftruncate, linkat, makedev, mkdirat, mknodat, openat2, symlinkat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::path::DecInt;

use super::node::Node;
use super::{LocalFs, attr, is_dot};
use crate::fs::{Caller, Made, Result, check_name, ensure};
use crate::told::{FAULTS, tell};

/// Mode of a file whose creator named none: RFC 1813 leaves it to the server.
const DEFAULT_MODE: u32 = 0o600;

/// Mode of a directory whose creator named none.
const DEFAULT_DIR_MODE: u32 = 0o700;

/// Device numbers end here on Linux; the system call drops the bits above.
const MAX_MAJOR: u32 = 0xfff;
const MAX_MINOR: u32 = 0xf_ffff;

/// Rounds against a local process that makes and removes the same name.
const ROUNDS: u32 = 8;

/// What was made.
struct New {
    node: Arc<Node>,
    /// Whether it got attributes after it had got its name.
    dressed: bool,
}

/// What is to be made.
#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    File(&'a CreateHow),
    Directory(&'a SetAttributes),
    Symlink(&'a [u8], &'a SetAttributes),
    Special(FileType, SpecData, &'a SetAttributes),
}

impl LocalFs {
    /// Makes something under a name.
    pub(super) fn make(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        what: What<'_>,
    ) -> Result<Made> {
        let dir = self.resolve_dir(dir)?;
        let (made, wcc) = self.change(&dir, || {
            self.check_writable()?;
            check_name(name)?;
            if is_dot(name) {
                return Err(Status::EXIST.into());
            }
            check_new(&what)?;
            match what {
                What::File(how) => {
                    let node = self.make_file(caller, &dir, name, how)?;
                    Ok(New { node, dressed: true })
                }
                _ => self.make_other(caller, &dir, name, what),
            }
        })?;
        let made = made.and_then(|New { node, dressed }| {
            if dressed {
                self.durable_attributes(&node)?;
            } else {
                self.durable(&node)?;
            }
            self.durable(&dir)?;
            Ok(node)
        });
        let node = made.map_err(|failure| failure.around(wcc))?;
        Ok(Made {
            object: Some(self.handle(&node)),
            attributes: self.attributes(&node).ok(),
            dir: wcc,
        })
    }

    fn make_file(
        &self,
        caller: &Caller<'_>,
        dir: &Node,
        name: &[u8],
        how: &CreateHow,
    ) -> Result<Arc<Node>> {
        let wanted = match how {
            CreateHow::Unchecked(new) | CreateHow::Guarded(new) => *new,
            CreateHow::Exclusive(verifier) => exclusive(*verifier),
        };
        // Matters only if the file is not there yet.
        let owner = self.check_owner(caller, &wanted);
        for _ in 0..ROUNDS {
            // Each step on its own as the caller: what comes between needs the server's own rights.
            let open_new = || match how {
                CreateHow::Exclusive(_) => self.open_exclusive(dir, name, &wanted),
                _ => self.open_new(dir, name, wanted.mode.unwrap_or(DEFAULT_MODE)),
            };
            let opened = match owner {
                Ok(()) => self.identity.acting_as(caller, open_new),
                Err(_) => Err(Status::EXIST.into()),
            };
            match opened {
                Ok(fd) => {
                    let is_exclusive = matches!(how, CreateHow::Exclusive(_));
                    return self.finish_file(caller, dir, name, fd, &wanted, is_exclusive);
                }
                Err(failure) if failure.status == Status::EXIST => {}
                Err(failure) => return Err(failure),
            }
            let (fd, stat) = match self.identity.acting_as(caller, || self.child(dir, name)) {
                Ok(found) => found,
                Err(failure) if failure.status == Status::NOENT => {
                    owner?;
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if attr::file_type(&stat) != FileType::Regular {
                return Err(Status::EXIST.into());
            }
            return match how {
                CreateHow::Guarded(_) => Err(Status::EXIST.into()),
                // The same call again, its first reply lost.
                CreateHow::Exclusive(_) if is_from(&stat, &wanted) => {
                    Ok(self.enter(fd, &stat, dir, name))
                }
                CreateHow::Exclusive(_) => Err(Status::EXIST.into()),
                CreateHow::Unchecked(new) => {
                    let node = self.enter(fd, &stat, dir, name);
                    if let Some(size) = new.size {
                        // A WRITE of another client must not take this change for its own.
                        let _changing = node.changing();
                        self.set_size(&node, &stat, caller, size)?;
                    }
                    Ok(node)
                }
            };
        }
        Err(Status::JUKEBOX.into())
    }

    /// Takes up a file just made, and gives it the rest of its attributes.
    fn finish_file(
        &self,
        caller: &Caller<'_>,
        dir: &Node,
        name: &[u8],
        fd: OwnedFd,
        wanted: &SetAttributes,
        is_exclusive: bool,
    ) -> Result<Arc<Node>> {
        let stat = attr::stat(&fd)?;
        let finish = || -> Result<Arc<Node>> {
            let reopen = || super::reopen(&fd, &self.descriptors, OFlags::PATH);
            let node = self.enter(self.with_descriptors(reopen)?, &stat, dir, name);
            self.identity.acting_as(caller, || {
                if let Some(size) = wanted.size.filter(|&size| size > 0) {
                    ftruncate(&fd, size)?;
                }
                self.dress(&node, &stat, wanted, 0o7777)
            })?;
            // A file system that does not keep the verifier would not know the same call again.
            if is_exclusive && !is_from(&attr::stat(&node.path)?, wanted) {
                return Err(Status::NOTSUPP.into());
            }
            Ok(node)
        };
        let node = finish().inspect_err(|_| self.undo(dir, name, &stat))?;
        node.keep(fd);
        Ok(node)
    }

    /// Takes away what was just made, since the call fails: the client would meet it as `EXIST` when it tries again. The
    /// directory is still locked; a local process may have put something else under the name.
    fn undo(&self, dir: &Node, name: &[u8], made: &Statx) {
        let key = self.numbering.key(made);
        let flags = match attr::file_type(made) {
            FileType::Directory => AtFlags::REMOVEDIR,
            _ => AtFlags::empty(),
        };
        match self.stat_in(dir, name) {
            Ok(now) if self.numbering.key(&now) == key => {}
            _ => return,
        }
        match unlinkat(&dir.path, name, flags) {
            Ok(()) => self.forget(key),
            Err(error) => {
                tell!(FAULTS, warn, %error, "what a failed call had made could not be removed again");
            }
        }
    }

    /// Attributes of a name in a directory; takes no descriptor.
    fn stat_in(&self, dir: &Node, name: &[u8]) -> Result<Statx> {
        let name = CString::new(name).map_err(|_| Status::ACCES)?;
        attr::stat_name(&dir.path, &name)
    }

    /// Whether the caller may give a new object to this owner. Of the group only the kernel can judge, whose answer
    /// depends on the directory.
    fn check_owner(&self, caller: &Caller<'_>, new: &SetAttributes) -> Result<(), Status> {
        let own = self.identity.effective(caller).uid;
        if own == 0 || new.uid.is_none_or(|uid| uid == own) { Ok(()) } else { Err(Status::PERM) }
    }

    /// Makes a regular file that was not there, open for reading and writing whatever its mode.
    fn open_new(&self, dir: &Node, name: &[u8], mode: u32) -> Result<OwnedFd> {
        let how = OFlags::RDWR
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::CLOEXEC
            | OFlags::NOCTTY;
        let mode = Mode::from_raw_mode(mode & 0o7777);
        self.with_descriptors(|| match openat2(&dir.path, name, how, mode, self.below) {
            // Another file system is mounted there, which is not exported.
            Err(Errno::XDEV) => Err(Status::ACCES.into()),
            opened => Ok(opened?),
        })
    }

    /// The same for EXCLUSIVE: the file gets its verifier before its name. Otherwise a server that dies in between would
    /// leave a file that its creator, who tries again, takes for somebody else's.
    fn open_exclusive(&self, dir: &Node, name: &[u8], wanted: &SetAttributes) -> Result<OwnedFd> {
        // First: of a name that is taken no other error may be told, as of a full disk.
        match self.child(dir, name) {
            Ok(_) => return Err(Status::EXIST.into()),
            Err(failure) if failure.status == Status::NOENT => {}
            Err(failure) => return Err(failure),
        }
        let mode = wanted.mode.unwrap_or(DEFAULT_MODE);
        let how = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let opened = self.with_descriptors(|| {
            match openat2(&dir.path, ".", how, Mode::from_raw_mode(mode & 0o7777), self.below) {
                // The file system has no files without names.
                Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
                opened => Ok(Some(opened?)),
            }
        })?;
        let Some(fd) = opened else { return self.open_new(dir, name, mode) };
        attr::apply(&fd, &self.descriptors, &SetAttributes { mode: None, ..*wanted })?;
        let unnamed = DecInt::from_fd(&fd);
        linkat(&self.descriptors, unnamed, &dir.path, name, AtFlags::SYMLINK_FOLLOW)?;
        // The kernel goes on to show the first descriptor's file as one without a name.
        let named = self.child(dir, name).and_then(|(path, stat)| {
            ensure(
                self.numbering.key(&stat) == self.numbering.key(&attr::stat(&fd)?),
                Status::STALE,
            )?;
            super::reopen(&path, &self.descriptors, OFlags::RDWR)
        });
        Ok(named.unwrap_or(fd))
    }

    fn make_other(
        &self,
        caller: &Caller<'_>,
        dir: &Node,
        name: &[u8],
        what: What<'_>,
    ) -> Result<New> {
        let new = match what {
            What::File(_) => return Err(Status::SERVERFAULT.into()),
            What::Directory(new) | What::Symlink(_, new) | What::Special(_, _, new) => new,
        };
        let mode = |otherwise, bits| Mode::from_raw_mode(new.mode.unwrap_or(otherwise) & bits);
        if let Err(status) = self.check_owner(caller, new) {
            // That the name is taken says more.
            let there = self.identity.acting_as(caller, || self.child(dir, name)).is_ok();
            return Err(if there { Status::EXIST } else { status }.into());
        }
        // Which bits of the mode the system call has set.
        let given = self.identity.acting_as(caller, || match what {
            What::File(_) => Err(Status::SERVERFAULT.into()),
            What::Directory(_) => {
                mkdirat(&dir.path, name, mode(DEFAULT_DIR_MODE, 0o1777))?;
                Ok(0o1777)
            }
            What::Symlink(text, _) => match symlinkat(text, &dir.path, name) {
                // Of an empty text or one with a zero byte.
                Err(Errno::NOENT) if text.is_empty() => Err(Status::INVAL.into()),
                // Linux keeps no mode for symbolic links.
                made => Ok(made.map(|()| 0o7777)?),
            },
            What::Special(file_type, device, _) => {
                let (file_type, device) =
                    (special(file_type)?, makedev(device.major, device.minor));
                mknodat(&dir.path, name, file_type, mode(DEFAULT_MODE, 0o7777), device)?;
                Ok(0o7777)
            }
        })?;
        let made = self.stat_in(dir, name)?;
        let finish = || {
            let (fd, stat) = self.identity.acting_as(caller, || self.child(dir, name))?;
            let node = self.enter(fd, &stat, dir, name);
            let dress = || self.dress(&node, &stat, new, given);
            let dressed = self.identity.acting_as(caller, dress)?;
            Ok(New { node, dressed })
        };
        finish().inspect_err(|_| self.undo(dir, name, &made))
    }

    /// Gives a new object the attributes that making it has not: owner and group if they differ, times, and those bits of
    /// the mode which are not in `given`. Returns whether there were any.
    fn dress(&self, node: &Node, stat: &Statx, new: &SetAttributes, given: u32) -> Result<bool> {
        let rest = SetAttributes {
            mode: new.mode.filter(|mode| mode & !given & 0o7777 != 0),
            uid: new.uid.filter(|&uid| uid != stat.stx_uid),
            gid: new.gid.filter(|&gid| gid != stat.stx_gid),
            size: None,
            ..*new
        };
        attr::apply(&node.path, &self.descriptors, &rest)?;
        Ok(rest.changes()?.next().is_some())
    }
}

/// Refuses what would fail when the object is there already.
fn check_new(what: &What<'_>) -> Result<()> {
    let new = match what {
        What::File(CreateHow::Exclusive(_)) => return Ok(()),
        What::File(CreateHow::Unchecked(new) | CreateHow::Guarded(new)) => {
            // The kernel's sizes are signed.
            if new.size.is_some_and(|size| i64::try_from(size).is_err()) {
                return Err(Status::FBIG.into());
            }
            new
        }
        What::Directory(new) | What::Symlink(_, new) => *new,
        What::Special(file_type, device, new) => {
            special(*file_type)?;
            if file_type.is_device() && (device.major > MAX_MAJOR || device.minor > MAX_MINOR) {
                return Err(Status::INVAL.into());
            }
            *new
        }
    };
    Ok(new.changes().map(drop)?)
}

fn special(file_type: FileType) -> Result<rustix::fs::FileType> {
    match file_type {
        FileType::BlockDevice => Ok(rustix::fs::FileType::BlockDevice),
        FileType::CharDevice => Ok(rustix::fs::FileType::CharacterDevice),
        FileType::Socket => Ok(rustix::fs::FileType::Socket),
        FileType::Fifo => Ok(rustix::fs::FileType::Fifo),
        FileType::Regular | FileType::Directory | FileType::Symlink => Err(Status::BADTYPE.into()),
    }
}

/// What a file of an EXCLUSIVE create looks like until its creator sets its attributes: the verifier stands in the
/// seconds of atime and mtime, without the top bits, which some file systems do not keep.
fn exclusive(verifier: [u8; 8]) -> SetAttributes {
    let number = u64::from_be_bytes(verifier);
    let seconds = |bits: u64| Time {
        seconds: u32::try_from(bits & 0x7fff_ffff).unwrap_or(0),
        nanoseconds: 0,
    };
    SetAttributes {
        mode: Some(DEFAULT_MODE),
        uid: None,
        gid: None,
        size: None,
        atime: SetTime::ClientTime(seconds(number >> 32)),
        mtime: SetTime::ClientTime(seconds(number)),
    }
}

fn is_from(stat: &Statx, wanted: &SetAttributes) -> bool {
    stat.stx_size == 0
        && wanted.atime == SetTime::ClientTime(attr::time(stat.stx_atime))
        && wanted.mtime == SetTime::ClientTime(attr::time(stat.stx_mtime))
}
