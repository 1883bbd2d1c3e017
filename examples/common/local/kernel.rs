//! Files found again by the kernel: `open_by_handle_at`.
//!
//! The file system's own handle leads to a file at once, wherever it was moved while no server ran, and says for sure that
//! a file is gone. It takes a file system that has such handles and the capability `CAP_DAC_READ_SEARCH`; where either is
//! missing, files are looked for by name (`places`) and then by a walk.

use core::time::Duration;
use std::os::fd::OwnedFd;

use nfswire_nfs3::{FileType, Status};
use nfswire_sys::{KernelHandle, handle_at, handle_of, open_by_handle};
use rustix::fs::{OFlags, Statx, StatxAttributes};
use rustix::io::Errno;

use super::attr::{file_type, stat};
use super::handle::Key;
use super::node::reopen;
use super::{LocalFs, errno};
use crate::fs::Result;

/// Which handles a directory is exported with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HandleMode {
    /// With the kernel's if the file system and the rights of this process allow that.
    #[default]
    Auto,
    /// With the kernel's, or not at all.
    Kernel,
    /// Without the kernel's.
    Identity,
}

/// How often the kernel is asked again, and after which pause.
const ROUNDS: u32 = 5;
const PAUSE: Duration = Duration::from_micros(200);

/// Bytes of a kernel's handle that a handle has room for.
pub(super) const ROOM: usize = 21;

/// A kernel's handle that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    kind: u8,
    len: u8,
    /// Zero behind `len`.
    bytes: [u8; ROOM],
}

impl Hint {
    /// `None` if there are too many bytes.
    pub(super) fn new(kind: u8, from: &[u8]) -> Option<Self> {
        let mut bytes = [0; ROOM];
        bytes.get_mut(..from.len())?.copy_from_slice(from);
        Some(Self { kind, len: u8::try_from(from.len()).ok()?, bytes })
    }

    fn from_kernel(handle: &KernelHandle) -> Option<Self> {
        Self::new(u8::try_from(handle.kind()).ok()?, handle.as_bytes())
    }

    fn to_kernel(self) -> Option<KernelHandle> {
        KernelHandle::new(self.kind.into(), self.as_bytes())
    }

    pub(super) const fn kind(&self) -> u8 {
        self.kind
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

/// What the kernel finds an open file by.
pub(super) fn hint_of(path: &OwnedFd) -> Option<Hint> {
    Hint::from_kernel(&handle_of(path).ok()?.0)
}

/// What the kernel says to a handle.
pub(super) enum Sought {
    /// Here it is, and it is below the export.
    Found(OwnedFd, Box<Statx>),
    /// It is gone, or no longer below the export.
    Gone,
    /// It could not say just now.
    Later,
    /// Look for it by other means.
    Unknown,
}

/// How the kernel is asked.
#[derive(Debug)]
pub(super) struct Kernel {
    /// A directory of the export's file system, open for reading.
    mount: OwnedFd,
    /// The export is the whole file system, so that no file of it lies elsewhere.
    pub(super) is_whole: bool,
}

impl Kernel {
    /// Finds out by trying on the root of the export.
    pub(super) fn new(root: &OwnedFd, descriptors: &OwnedFd) -> Result<Self, Errno> {
        let mount = reopen(root, descriptors, OFlags::RDONLY | OFlags::DIRECTORY)
            .map_err(|_| Errno::ACCESS)?;
        let (handle, mount_id) = handle_of(root).map_err(errno_of)?;
        Hint::from_kernel(&handle).ok_or(Errno::OVERFLOW)?;
        open_by_handle(&mount, &handle).map_err(errno_of)?;
        let is_mounted =
            stat(root).is_ok_and(|stat| stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT));
        Ok(Self { mount, is_whole: is_mounted && shows_top(mount_id) })
    }

    fn open(&self, handle: &KernelHandle) -> Result<OwnedFd, Errno> {
        let mut rounds = 0u32;
        loop {
            match open_by_handle(&self.mount, handle).map_err(errno_of) {
                // Seldom for lack of memory: the kernel also says so while the inode number is being given to a new file.
                Err(Errno::NOMEM) if rounds < ROUNDS => {
                    rounds = rounds.saturating_add(1);
                    std::thread::sleep(PAUSE);
                }
                other => return other,
            }
        }
    }
}

fn errno_of(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

/// Whether this mount shows its file system from the top, not from a directory of it.
fn shows_top(mount: i32) -> bool {
    let Ok(table) = std::fs::read_to_string("/proc/self/mountinfo") else { return false };
    let mount = mount.to_string();
    // Number, parent, device, top within the file system, ...
    table.lines().any(|line| {
        let mut fields = line.split(' ');
        fields.next() == Some(&mount) && fields.nth(2) == Some("/")
    })
}

impl LocalFs {
    /// Whether handles carry what the kernel finds files by.
    #[must_use]
    pub fn uses_kernel_handles(&self) -> bool {
        self.kernel.is_some()
    }

    /// What the kernel finds an open file by. File systems mounted below the export are reached by name only.
    pub(super) fn hint(&self, key: Key, path: &OwnedFd) -> Option<Hint> {
        self.kernel.as_ref().filter(|_| key.id.device == 0)?;
        hint_of(path)
    }

    /// The same for a name that was just looked at. If it passes to another file meanwhile the hint is wrong, which the
    /// key tells when it is used.
    pub(super) fn hint_at(&self, key: Key, dir: &OwnedFd, name: &core::ffi::CStr) -> Option<Hint> {
        self.kernel.as_ref().filter(|_| key.id.device == 0)?;
        if let Some(node) = self.nodes.get(key.id).filter(|node| node.key == key) {
            return node.hint;
        }
        Hint::from_kernel(&handle_at(dir, name).ok()?.0)
    }

    /// Asks the kernel for a file.
    pub(super) fn by_hint(&self, key: Key, hint: &Hint) -> Result<Sought> {
        let Some(kernel) = self.kernel.as_ref().filter(|_| key.id.device == 0) else {
            return Ok(Sought::Unknown);
        };
        let Some(handle) = hint.to_kernel() else { return Ok(Sought::Unknown) };
        let opened = self
            .with_descriptors(|| kernel.open(&handle).map_err(|error| errno::status(error).into()));
        let fd = match opened {
            Ok(fd) => fd,
            Err(failure) if failure.status == Status::STALE => return Ok(Sought::Gone),
            Err(failure) if failure.status == Status::JUKEBOX => return Ok(Sought::Later),
            // The right to ask is gone, or the file system is.
            Err(_) => return Ok(Sought::Unknown),
        };
        let found = stat(&fd)?;
        if self.numbering.key(&found) != key {
            return Ok(Sought::Unknown);
        }
        if found.stx_nlink == 0 {
            return Ok(Sought::Gone);
        }
        if kernel.is_whole {
            return Ok(Sought::Found(fd, found.into()));
        }
        if file_type(&found) == FileType::Directory {
            let below = self.is_below(&fd, key)?;
            return Ok(if below { Sought::Found(fd, found.into()) } else { Sought::Gone });
        }
        // Its name, if the kernel has one at hand, must lead to it from the root of the export.
        let Some(rest) = self.name_below(&fd) else { return Ok(Sought::Unknown) };
        Ok(match self.step(&self.root.path, &rest) {
            Ok((fd, found)) if self.numbering.key(&found) == key => Sought::Found(fd, found.into()),
            _ => Sought::Unknown,
        })
    }
}
