//! A directory of this machine as a [`FileSystem`].
//!
//! Every step from one name to the next is an `openat2` below the export that follows no symbolic link and enters no
//! other mounted file system, so no race of a local process leads out of the export; a directory that one moves out is no
//! longer served a second later (`below`). Special files are looked at (`O_PATH`) and never opened. When this process may
//! switch users, each operation runs as its caller and the kernel judges it; otherwise everything runs as this process.
//!
//! State lives in three bounded tables: open files (`node`), last known places of files (`places`) and rights
//! found earlier, per open file. Attributes are never cached.

mod attr;
mod below;
mod change;
mod data;
mod errno;
mod handle;
mod identity;
mod kernel;
mod list;
mod locate;
mod make;
mod node;
mod places;
mod sync;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use core::num::NonZeroUsize;
use std::io::IoSlice;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nfswire_nfs3::convert::AccessMask;
use nfswire_nfs3::create::CreateHow;
use nfswire_nfs3::fs::{FsinfoOk, FsstatOk, PathconfOk};
use nfswire_nfs3::{
    Attributes, FileType, SetAttributes, SpecData, StableHow, Status, Time, WccAttr, WccData,
};
use rustix::fs::{
    Access, AtFlags, Mode, OFlags, ResolveFlags, Statx, accessat, fstatfs, fstatvfs, open, openat2,
    readlinkat, syncfs,
};
use rustix::io::{Errno, retry_on_intr};
use rustix::path::DecInt;

use crate::fs::{
    Caller, Committed, DirVisitor, Failure, FileSystem, Found, Granted, Handle, LinkText, Linked,
    Made, NameIn, ReadData, Renamed, Result, Written, default_fsinfo, default_pathconf,
};
use attr::{Numbering, stat};
use handle::Handles;
use identity::Identity;
pub use kernel::HandleMode;
use kernel::Kernel;
use locate::Walks;
use node::{Node, Nodes, Rights, reopen};
use places::Places;
use sync::{Depth, WriteVerifier};

use crate::state_dir::MacKey;
use crate::told::{FAULTS, tell};

/// How every path step is made, wherever mounts may be crossed.
const BELOW: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// A look at a file that opens nothing.
const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How old a file's last change must be before what depends on it is remembered: the kernel's clock for file times moves
/// in steps of some ms, so a file may change twice at one ctime.
const SETTLED_SECONDS: i64 = 2;

/// How a directory is exported.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// Distinguishes the exports of one server; part of every handle and of `fsid`. At most 2^31 - 1.
    pub id: u32,
    /// Under which key handles are sealed. Without one they are good for this process only.
    pub key: Option<MacKey>,
    /// How files are found again.
    pub handles: HandleMode,
    /// First write verifier: one that no earlier run has used. The clock without it.
    pub write_verifier: Option<u64>,
    /// Serve file systems that are mounted below the directory, too. Their handles hold the device number, which may
    /// be another's after the machine has restarted.
    pub cross_mounts: bool,
    /// Answer every change with `ROFS`.
    pub read_only: bool,
    /// Names and attributes are on disk before the reply says so (fsync of objects and directories). Without it a power
    /// loss may undo acknowledged CREATEs, RENAMEs, SETATTRs and the like; WRITE and COMMIT keep their word either way.
    pub durable: bool,
    /// Files kept open; each needs up to three descriptors.
    pub open_files: usize,
    /// Files whose last place is remembered, about 150 bytes each.
    pub known_places: usize,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            id: 0,
            key: None,
            handles: HandleMode::Auto,
            write_verifier: None,
            cross_mounts: false,
            read_only: false,
            durable: true,
            open_files: 256,
            known_places: 1 << 17,
        }
    }
}

/// Why a directory cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The directory cannot be opened.
    #[error("cannot export {}: {error}; name a directory that this user may read", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The kernel's answer.
        error: Errno,
    },
    /// `/proc` is not there.
    #[error("cannot open /proc/self/fd: {0}; mount /proc, which is how open files are reopened")]
    Proc(Errno),
    /// Linux is too old, or a sandbox hides its system calls.
    #[error(
        "cannot use {call}: {error}; Linux 5.8 or newer is needed, outside of a sandbox that forbids it"
    )]
    Kernel {
        /// The system call.
        call: &'static str,
        /// The kernel's answer.
        error: Errno,
    },
    /// The kernel's handles were asked for.
    #[error(
        "cannot use the kernel's file handles for {}: {error}; that takes a file system which can be exported and the \
         capability CAP_DAC_READ_SEARCH: run as root, or do without them",
        path.display()
    )]
    KernelHandles {
        /// The directory.
        path: PathBuf,
        /// The kernel's answer.
        error: Errno,
    },
    /// No random numbers for a key.
    #[error(
        "cannot make a key for file handles: getrandom: {0}; run outside of a sandbox that forbids it"
    )]
    Random(Errno),
}

/// A directory of this machine, served with everything below it.
#[derive(Debug)]
pub struct LocalFs {
    options: ExportOptions,
    handles: Handles,
    kernel: Option<Kernel>,
    /// How every path step is made.
    below: ResolveFlags,
    numbering: Numbering,
    identity: Identity,
    /// `/proc/self/fd`.
    descriptors: OwnedFd,
    root: Arc<Node>,
    nodes: Nodes,
    places: Places,
    walks: Mutex<Walks>,
    verifier: Arc<WriteVerifier>,
}

impl LocalFs {
    /// Exports a directory. Sets the umask of the process to 0, because modes are the clients' business.
    ///
    /// # Errors
    /// The directory cannot be opened, or the kernel lacks what safe path steps need.
    pub fn new(directory: &Path, mut options: ExportOptions) -> Result<Self, ExportError> {
        let look = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(directory, look, Mode::empty())
            .map_err(|error| ExportError::Directory { path: directory.into(), error })?;
        let descriptors = open("/proc/self/fd", look, Mode::empty()).map_err(ExportError::Proc)?;
        let below = if options.cross_mounts { BELOW } else { BELOW.union(ResolveFlags::NO_XDEV) };
        openat2(&root, ".", LOOK, Mode::empty(), below)
            .map_err(|error| ExportError::Kernel { call: "openat2", error })?;
        // With just EACCESS a missing system call would be replaced by one that asks for another user.
        let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
        if let Err(error @ Errno::NOSYS) = accessat(&root, ".", Access::EXISTS, flags) {
            return Err(ExportError::Kernel { call: "faccessat2", error });
        }
        let found = rustix::fs::statx(&root, c"", AtFlags::EMPTY_PATH, rustix::fs::StatxFlags::ALL)
            .map_err(|error| ExportError::Kernel { call: "statx", error })?;
        rustix::process::umask(Mode::empty());

        let root_device = rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor);
        let numbering = Numbering { export: options.id, root_device };
        let key = numbering.key(&found);
        let kernel = match (options.handles, Kernel::new(&root, &descriptors)) {
            (HandleMode::Identity, _) => None,
            (_, Ok(kernel)) => Some(kernel),
            (HandleMode::Auto, Err(_)) => None,
            (HandleMode::Kernel, Err(error)) => {
                return Err(ExportError::KernelHandles { path: directory.into(), error });
            }
        };
        let hint = kernel.as_ref().and_then(|_| kernel::hint_of(&root));
        let verifier = Arc::new(WriteVerifier::new(options.write_verifier));
        let secret = match &options.key {
            Some(secret) => secret.clone(),
            None => options.key.insert(MacKey::random().map_err(ExportError::Random)?).clone(),
        };
        let at_least_16 =
            |wanted: usize| NonZeroUsize::new(wanted.max(16)).unwrap_or(NonZeroUsize::MIN);
        Ok(Self {
            nodes: Nodes::new(at_least_16(options.open_files)),
            places: Places::new(key.id, at_least_16(options.known_places)),
            walks: Mutex::new(Walks::default()),
            root: Arc::new(Node::new(key, FileType::Directory, root, hint, Arc::clone(&verifier))),
            handles: Handles::new(options.id, secret),
            options,
            kernel,
            below,
            numbering,
            identity: Identity::of_this_process(),
            descriptors,
            verifier,
        })
    }

    /// Whether operations are done as the users that ask for them; if not, all are done as the user of this process.
    #[must_use]
    pub fn switches_users(&self) -> bool {
        self.identity.switches()
    }

    //--- Steps that several operations share ---

    /// Attributes now; a file that has lost its last name is gone for clients.
    fn fresh(&self, node: &Node) -> Result<Statx> {
        let stat = stat(&node.path)?;
        if stat.stx_nlink == 0 {
            self.forget(node.key);
            return Err(Status::STALE.into());
        }
        Ok(stat)
    }

    fn attributes(&self, node: &Node) -> Result<Attributes> {
        Ok(self.numbering.attributes(&self.fresh(node)?))
    }

    fn wcc(&self, node: &Node, before: Option<WccAttr>) -> WccData {
        WccData { before, after: self.attributes(node).ok() }
    }

    fn handle(&self, node: &Node) -> Handle {
        self.handles.make(node.key, node.hint.as_ref())
    }

    fn forget(&self, key: handle::Key) {
        self.nodes.remove(key.id);
        self.places.gone(key.id, key.birth);
    }

    /// Does something that takes a descriptor; when they have run out, gives half of the kept ones back and tries again.
    fn with_descriptors<T>(&self, attempt: impl Fn() -> Result<T>) -> Result<T> {
        match attempt() {
            Err(failure) if failure.status == Status::JUKEBOX => {
                self.nodes.shrink();
                attempt()
            }
            result => result,
        }
    }

    /// Looks at a name in a directory.
    fn child(&self, dir: &Node, name: &[u8]) -> Result<(OwnedFd, Statx)> {
        self.step(&dir.path, name)
    }

    fn step(&self, dir: &OwnedFd, path: &[u8]) -> Result<(OwnedFd, Statx)> {
        let fd =
            self.with_descriptors(|| match openat2(dir, path, LOOK, Mode::empty(), self.below) {
                // Another file system is mounted there, which is not exported.
                Err(Errno::XDEV) => Err(Status::ACCES.into()),
                other => Ok(other?),
            })?;
        let stat = stat(&fd)?;
        Ok((fd, stat))
    }

    /// The file in use for a descriptor just got, seen under this name.
    fn enter(&self, fd: OwnedFd, stat: &Statx, dir: &Node, name: &[u8]) -> Arc<Node> {
        let node = self.enter_unnamed(fd, stat);
        node.saw_below(dir.seen_below());
        self.places.seen(node.key.id, dir.key.id, name);
        node
    }

    fn enter_unnamed(&self, fd: OwnedFd, stat: &Statx) -> Arc<Node> {
        let key = self.numbering.key(stat);
        if key == self.root.key {
            return Arc::clone(&self.root);
        }
        if let Some(node) = self.nodes.get(key.id).filter(|node| node.key == key) {
            return node;
        }
        let hint = self.hint(key, &fd);
        let verifier = Arc::clone(&self.verifier);
        self.nodes.add(Node::new(key, attr::file_type(stat), fd, hint, verifier))
    }

    /// What the kernel lets the caller do; asked again whenever the file's ctime has moved.
    fn rights(&self, node: &Node, stat: &Statx, caller: &Caller<'_>) -> Result<Rights> {
        let ctime = attr::time(stat.stx_ctime);
        if let Some(rights) = node.remembered_rights(caller, ctime) {
            return Ok(rights);
        }
        let _as_caller = self.identity.assume(caller)?;
        let may = |what| {
            let file = DecInt::from_fd(&node.path);
            accessat(&self.descriptors, file, what, AtFlags::EACCESS).is_ok()
        };
        let rights = Rights {
            read: may(Access::READ_OK),
            write: may(Access::WRITE_OK),
            execute: may(Access::EXEC_OK),
        };
        if is_settled(stat) {
            node.remember_rights(caller, ctime, rights);
        }
        Ok(rights)
    }

    /// Whether the caller may search a directory, where that is or can be remembered; false where it has to be asked
    /// anew each time.
    fn may_surely_search(&self, dir: &Node, stat: &Statx, caller: &Caller<'_>) -> Result<bool> {
        Ok(is_settled(stat) && self.rights(dir, stat, caller)?.execute)
    }

    /// Whether the caller owns the file, or is the user who may do everything: RFC 1813, section 4.4, lets owners read and
    /// write whatever the mode says, because a client that has opened a file goes on using it.
    fn is_owner(&self, stat: &Statx, caller: &Caller<'_>) -> bool {
        let uid = self.identity.effective(caller).uid;
        uid == 0 || uid == stat.stx_uid
    }

    /// Runs a change of a directory with the directory's state before and after it.
    fn change<T>(
        &self,
        dir: &Node,
        change: impl FnOnce() -> Result<T>,
    ) -> Result<(Result<T>, WccData)> {
        let _changing = dir.changing();
        let before = attr::before(&self.fresh(dir)?);
        let result = change();
        Ok((result, self.wcc(dir, Some(before))))
    }

    /// Puts a new or newly linked file, or a directory and its names, on disk. What is never opened comes to be in one
    /// step with its name: its directory covers it.
    fn durable(&self, node: &Node) -> Result<()> {
        let is_opened = matches!(node.file_type, FileType::Regular | FileType::Directory);
        if self.options.durable && is_opened { self.sync_node(node, Depth::Whole) } else { Ok(()) }
    }

    /// Puts attributes on disk that were set in a step of their own.
    fn durable_attributes(&self, node: &Node) -> Result<()> {
        match node.file_type {
            FileType::Regular | FileType::Directory => self.durable(node),
            _ if self.options.durable => self.sync_file_system(node),
            _ => Ok(()),
        }
    }

    /// Puts a regular file or a directory on disk.
    fn sync_node(&self, node: &Node, depth: Depth) -> Result<()> {
        match self.with_descriptors(|| node.for_sync(&self.descriptors)) {
            Ok(open) => node.sync(&open, depth),
            // This process may change it but not open it, or not now.
            Err(failure) if matches!(failure.status, Status::ACCES | Status::JUKEBOX) => {
                self.sync_file_system(node)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Puts everything on disk that the file system of this file has.
    fn sync_file_system(&self, node: &Node) -> Result<()> {
        let is_roots = node.key.id.device == 0;
        match self.root.reader(&self.descriptors) {
            Ok(root) if is_roots => {
                let synced = self.verifier.watch(|| retry_on_intr(|| syncfs(&root)));
                sync::told(
                    synced.inspect_err(|error| tell!(FAULTS, error, %error, "syncfs failed")),
                )
            }
            // Nothing of it is open: all file systems, then. The kernel does not say whether that failed.
            _ => {
                rustix::fs::sync();
                Ok(())
            }
        }
    }

    fn check_writable(&self) -> Result<()> {
        if self.options.read_only { Err(Status::ROFS.into()) } else { Ok(()) }
    }
}

/// Whether the last change is so old that the next one will move the ctime.
fn is_settled(stat: &Statx) -> bool {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec;
    stat.stx_ctime.tv_sec.saturating_add(SETTLED_SECONDS) < now
}

/// A name as RFC 1813, section 3.2, wants it; `.` and `..` are left to the caller.
fn is_dot(name: &[u8]) -> bool {
    name == b"." || name == b".."
}

impl FileSystem for LocalFs {
    fn root(&self) -> Handle {
        self.handle(&self.root)
    }

    fn owns(&self, handle: &[u8]) -> bool {
        self.handles.claims(handle)
    }

    fn getattr(&self, _: &Caller<'_>, object: &[u8]) -> Result<Attributes> {
        self.attributes(&*self.resolve(object)?)
    }

    fn setattr(
        &self,
        caller: &Caller<'_>,
        object: &[u8],
        new: &SetAttributes,
        guard: Option<Time>,
    ) -> Result<WccData> {
        self.set_attributes(caller, object, new, guard)
    }

    fn lookup(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<Found> {
        self.find(caller, dir, name)
    }

    fn access(&self, caller: &Caller<'_>, object: &[u8], wanted: u32) -> Result<Granted> {
        let node = self.resolve(object)?;
        let stat = self.fresh(&node)?;
        let mut rights = self.rights(&node, &stat, caller)?;
        rights.write &= !self.options.read_only;
        let granted =
            AccessMask::granted(node.file_type, rights.read, rights.write, rights.execute);
        let access = granted.0 & wanted;
        Ok(Granted { attributes: Some(self.numbering.attributes(&stat)), access })
    }

    fn readlink(&self, _: &Caller<'_>, object: &[u8]) -> Result<LinkText> {
        let node = self.resolve(object)?;
        let attributes = Some(self.attributes(&node)?);
        if node.file_type != FileType::Symlink {
            return Err(Failure::with_attributes(Status::INVAL, attributes));
        }
        let text = readlinkat(&node.path, c"", Vec::new())
            .map_err(|error| Failure::with_attributes(errno::status(error), attributes))?;
        Ok(LinkText { attributes, text: text.into_bytes().into() })
    }

    fn read(&self, caller: &Caller<'_>, file: &[u8], offset: u64, count: u32) -> Result<ReadData> {
        self.read_file(caller, file, offset, count)
    }

    fn write(
        &self,
        caller: &Caller<'_>,
        file: &[u8],
        offset: u64,
        data: &[IoSlice<'_>],
        stable: StableHow,
    ) -> Result<Written> {
        self.write_file(caller, file, offset, data, stable)
    }

    fn create(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        how: &CreateHow,
    ) -> Result<Made> {
        self.make(caller, dir, name, make::What::File(how))
    }

    fn mkdir(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        new: &SetAttributes,
    ) -> Result<Made> {
        self.make(caller, dir, name, make::What::Directory(new))
    }

    fn symlink(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        text: &[u8],
        new: &SetAttributes,
    ) -> Result<Made> {
        self.make(caller, dir, name, make::What::Symlink(text, new))
    }

    fn mknod(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        file_type: FileType,
        device: SpecData,
        new: &SetAttributes,
    ) -> Result<Made> {
        self.make(caller, dir, name, make::What::Special(file_type, device, new))
    }

    fn remove(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<WccData> {
        self.unlink(caller, dir, name)
    }

    fn rmdir(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<WccData> {
        self.remove_directory(caller, dir, name)
    }

    fn rename(&self, caller: &Caller<'_>, from: NameIn<'_>, to: NameIn<'_>) -> Result<Renamed> {
        self.move_name(caller, from, to)
    }

    fn link(&self, caller: &Caller<'_>, file: &[u8], dir: &[u8], name: &[u8]) -> Result<Linked> {
        self.hard_link(caller, file, dir, name)
    }

    fn readdir(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        cookie: u64,
        _: [u8; 8],
        visitor: &mut dyn DirVisitor,
    ) -> Result<bool> {
        self.list(caller, dir, cookie, visitor)
    }

    fn fsstat(&self, _: &Caller<'_>, object: &[u8]) -> Result<FsstatOk> {
        let node = self.resolve(object)?;
        let attributes = Some(self.attributes(&node)?);
        let space = fstatvfs(&node.path)
            .map_err(|error| Failure::with_attributes(errno::status(error), attributes))?;
        Ok(FsstatOk {
            attributes,
            tbytes: space.f_blocks.saturating_mul(space.f_frsize),
            fbytes: space.f_bfree.saturating_mul(space.f_frsize),
            abytes: space.f_bavail.saturating_mul(space.f_frsize),
            tfiles: space.f_files,
            ffiles: space.f_ffree,
            afiles: space.f_favail,
            invarsec: 0,
        })
    }

    fn fsinfo(&self, _: &Caller<'_>, object: &[u8]) -> Result<FsinfoOk> {
        let node = self.resolve(object)?;
        let mut limits = default_fsinfo(Some(self.attributes(&node)?));
        if let Ok(file_system) = fstatfs(&node.path)
            && file_system.f_type == EXT4
            && let Ok(block) = u64::try_from(file_system.f_bsize)
        {
            // It numbers the blocks of a file with 32 bits.
            limits.maxfilesize = block.saturating_mul(u32::MAX.into());
        }
        Ok(limits)
    }

    fn pathconf(&self, _: &Caller<'_>, object: &[u8]) -> Result<PathconfOk> {
        let node = self.resolve(object)?;
        let mut limits = default_pathconf(Some(self.attributes(&node)?));
        if let Ok(space) = fstatvfs(&node.path) {
            limits.name_max = u32::try_from(space.f_namemax).unwrap_or(255).min(255);
        }
        if let Ok(file_system) = fstatfs(&node.path) {
            limits.linkmax = link_max(file_system.f_type);
        }
        Ok(limits)
    }

    fn commit(
        &self,
        caller: &Caller<'_>,
        file: &[u8],
        offset: u64,
        count: u32,
    ) -> Result<Committed> {
        self.commit_file(caller, file, offset, count)
    }
}

/// The kernel's number for ext2, ext3 and ext4.
const EXT4: i64 = 0xef53;

/// Most names of one file. The kernel has no call for it; the C library's pathconf keeps such a table too.
fn link_max(file_system: i64) -> u32 {
    match file_system {
        EXT4 => 65_000,                          // ext4
        0x5846_5342 => i32::MAX.cast_unsigned(), // xfs
        0x9123_683e => 65_535,                   // btrfs, in all; fewer in one directory
        _ => 127,
    }
}
