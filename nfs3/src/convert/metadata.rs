//! Attributes as `std` has them.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use crate::{Attributes, FileType, SpecData, Time};

/// `fsid` is the number of the device, which may change when the system starts anew; a server that
/// exports several file systems replaces it by a number of its own. Times outside the wire's range
/// become the nearest within, a link count above 32 bits the largest.
impl From<&Metadata> for Attributes {
    fn from(from: &Metadata) -> Self {
        let time = |seconds, nanoseconds: i64| {
            Time::saturating(seconds, u32::try_from(nanoseconds).unwrap_or(0))
        };
        let file_type = FileType::from_mode(from.mode()).unwrap_or(FileType::Regular);
        Self {
            file_type,
            mode: from.mode() & 0o7777,
            nlink: u32::try_from(from.nlink()).unwrap_or(u32::MAX),
            uid: from.uid(),
            gid: from.gid(),
            size: from.size(),
            // Blocks of `st_blocks` have 512 bytes, whatever those of the file system have.
            used: from.blocks().saturating_mul(512),
            rdev: if file_type.is_device() { device(from.rdev()) } else { SpecData::default() },
            fsid: from.dev(),
            fileid: from.ino(),
            atime: time(from.atime(), from.atime_nsec()),
            mtime: time(from.mtime(), from.mtime_nsec()),
            ctime: time(from.ctime(), from.ctime_nsec()),
        }
    }
}

/// Takes a device number apart, which each system does in its own way.
fn device(rdev: u64) -> SpecData {
    #[allow(clippy::useless_conversion, reason = "dev_t has 64 bits on some systems only")]
    let numbers = libc::dev_t::try_from(rdev).ok().and_then(|rdev| {
        let (major, minor) = (libc::major(rdev), libc::minor(rdev));
        Some(SpecData { major: major.try_into().ok()?, minor: minor.try_into().ok()? })
    });
    numbers.unwrap_or_default()
}
