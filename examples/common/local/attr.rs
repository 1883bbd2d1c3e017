//! Attributes: from statx to `fattr3`, and SETATTR's changes back.

use std::os::fd::{AsFd, OwnedFd};

use nfswire_nfs3::convert::Change;
use nfswire_nfs3::{Attributes, FileType, SetAttributes, SetTime, SpecData, Time, WccAttr};
use rustix::fs::{
    AtFlags, Gid, Mode, Statx, StatxAttributes, StatxFlags, StatxTimestamp, Timespec, Timestamps,
    UTIME_NOW, UTIME_OMIT, Uid, chmodat, chownat, makedev, statx, utimensat,
};
use rustix::path::DecInt;

use super::handle::{FileId, Key};
use crate::fs::Result;

/// Attributes as the kernel has them now.
pub(super) fn stat(fd: impl AsFd) -> Result<Statx> {
    stat_at(fd, c"", AtFlags::EMPTY_PATH)
}

/// The same for a name in a directory; a symbolic link is not followed.
pub(super) fn stat_name(dir: impl AsFd, name: &core::ffi::CStr) -> Result<Statx> {
    stat_at(dir, name, AtFlags::SYMLINK_NOFOLLOW)
}

fn stat_at(fd: impl AsFd, path: &core::ffi::CStr, flags: AtFlags) -> Result<Statx> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    Ok(statx(fd, path, flags | AtFlags::NO_AUTOMOUNT, wanted)?)
}

/// How file systems of this export are numbered towards clients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    pub(super) export: u32,
    /// Device of the export's root.
    pub(super) root_device: u64,
}

impl Numbering {
    /// Device of a file as handles and fsid have it: 0 for the root's own.
    fn device(&self, stat: &Statx) -> u32 {
        let device = makedev(stat.stx_dev_major, stat.stx_dev_minor);
        if device == self.root_device {
            0
        } else {
            // The kernel's own 32-bit form: 12 bits of major, 20 of minor number.
            (stat.stx_dev_major << 20) | (stat.stx_dev_minor & 0xf_ffff)
        }
    }

    pub(super) fn key(&self, stat: &Statx) -> Key {
        let birth = if stat.stx_mask & StatxFlags::BTIME.bits() == 0 {
            0
        } else {
            let time = stat.stx_btime;
            let ns = time.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec.into());
            ns.cast_unsigned()
        };
        Key { id: FileId { device: self.device(stat), inode: stat.stx_ino }, birth }
    }

    pub(super) fn attributes(&self, stat: &Statx) -> Attributes {
        let export = u64::from(self.export).saturating_add(1);
        Attributes {
            file_type: file_type(stat),
            mode: u32::from(stat.stx_mode) & 0o7777,
            nlink: stat.stx_nlink,
            uid: stat.stx_uid,
            gid: stat.stx_gid,
            size: stat.stx_size,
            used: stat.stx_blocks.saturating_mul(512),
            rdev: SpecData { major: stat.stx_rdev_major, minor: stat.stx_rdev_minor },
            fsid: (export << 32) | u64::from(self.device(stat)),
            fileid: stat.stx_ino,
            atime: time(stat.stx_atime),
            mtime: time(stat.stx_mtime),
            ctime: time(stat.stx_ctime),
        }
    }
}

/// What `fattr3` calls the kind of file.
pub(super) fn file_type(stat: &Statx) -> FileType {
    FileType::from_mode(stat.stx_mode.into()).unwrap_or(FileType::Regular)
}

/// Whether a file system is mounted here, which is then not part of the export.
pub(super) fn is_mount_point(stat: &Statx) -> bool {
    stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)
}

/// What wcc data says about the state before a change.
pub(super) fn before(stat: &Statx) -> WccAttr {
    WccAttr { size: stat.stx_size, mtime: time(stat.stx_mtime), ctime: time(stat.stx_ctime) }
}

/// The wire has seconds from 1970 to 2106; times outside are moved to the nearest end.
pub(super) fn time(from: StatxTimestamp) -> Time {
    Time::saturating(from.tv_sec, from.tv_nsec)
}

/// Applies owner, group, mode and times. `size` is not looked at.
///
/// `path` is an `O_PATH` descriptor and `descriptors` that of `/proc/self/fd`, by which its mode can be set.
pub(super) fn apply(path: &OwnedFd, descriptors: &OwnedFd, new: &SetAttributes) -> Result<()> {
    for change in new.changes()? {
        match change {
            Change::Size(_) => {}
            Change::Owner { uid, gid } => {
                let (uid, gid) = (uid.map(Uid::from_raw), gid.map(Gid::from_raw));
                chownat(path, c"", uid, gid, AtFlags::EMPTY_PATH)?;
            }
            Change::Mode(mode) => {
                let mode = Mode::from_raw_mode(mode);
                chmodat(descriptors, DecInt::from_fd(path), mode, AtFlags::empty())?;
            }
            Change::Times { atime, mtime } => {
                let (last_access, last_modification) = (timespec(atime), timespec(mtime));
                let times = Timestamps { last_access, last_modification };
                utimensat(path, c"", &times, AtFlags::EMPTY_PATH)?;
            }
        }
    }
    Ok(())
}

fn timespec(from: SetTime) -> Timespec {
    match from {
        SetTime::DontChange => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        SetTime::ServerTime => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        SetTime::ClientTime(time) => {
            Timespec { tv_sec: time.seconds.into(), tv_nsec: time.nanoseconds.into() }
        }
    }
}
