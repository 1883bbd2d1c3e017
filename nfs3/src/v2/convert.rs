//! Between the types of versions 2 and 3, for servers and clients that do their work in those of
//! version 3.

use super::{Attributes, FileType, SetAttributes, Status, Time, UNCHANGED};
use crate::{self as v3, FileType as Kind, SetTime, SpecData};

/// Blocks that servers count in, in bytes.
const BLOCK: u64 = 512;
/// What servers announce as the size of a block, which version 3 does not know, in bytes.
const BLOCK_SIZE: u32 = 4096;

/// Microseconds that mean "the server's clock" in a SETATTR: a convention of Sun's clients.
const SERVER_TIME: u32 = 1_000_000;

/// Half as long, the same for numbers that fit, and otherwise of both halves.
const fn fold(number: u64) -> u32 {
    #[allow(clippy::cast_possible_truncation)] // both halves are in it
    {
        (number >> 32) as u32 ^ number as u32
    }
}

/// What version 2 has no number for becomes the one that comes closest; numbers of no RFC are kept.
impl From<v3::Status> for Status {
    fn from(status: v3::Status) -> Self {
        use v3::Status as From;
        match status {
            From::BADHANDLE | From::REMOTE => Self::STALE,
            From::MLINK => Self::NOSPC,
            // Also INVAL: version 2 has no "invalid argument".
            From::XDEV
            | From::INVAL
            | From::NOT_SYNC
            | From::BAD_COOKIE
            | From::NOTSUPP
            | From::TOOSMALL
            | From::SERVERFAULT
            | From::BADTYPE
            | From::JUKEBOX => Self::IO,
            From(number) => Self(number),
        }
    }
}

/// [`Status::WFLUSH`] is version 3's [`IO`](crate::Status::IO); all other numbers are the same.
impl From<Status> for v3::Status {
    fn from(status: Status) -> Self {
        match status {
            Status::WFLUSH => Self::IO,
            Status(number) => Self(number),
        }
    }
}

impl From<v3::Time> for Time {
    fn from(time: v3::Time) -> Self {
        Self { seconds: time.seconds, microseconds: time.nanoseconds / 1000 }
    }
}

/// Microseconds beyond what nanoseconds can say become the most that they can.
impl From<Time> for v3::Time {
    fn from(time: Time) -> Self {
        Self { seconds: time.seconds, nanoseconds: time.microseconds.saturating_mul(1000) }
    }
}

/// Sizes and counts above 32 bits become the largest that 32 bits hold; `fileid` and `fsid` are folded
/// to 32 bits, where two of them may become equal. A device's number is Linux's 32-bit form, and
/// `blocksize` is 4096.
impl From<&v3::Attributes> for Attributes {
    fn from(from: &v3::Attributes) -> Self {
        let clamp = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let SpecData { major, minor } = from.rdev;
        let rdev = (minor & 0xff) | (major & 0xfff) << 8 | (minor & 0xf_ff00) << 12;
        Self {
            file_type: match from.file_type {
                Kind::Regular => FileType::Regular,
                Kind::Directory => FileType::Directory,
                Kind::BlockDevice => FileType::BlockDevice,
                Kind::CharDevice => FileType::CharDevice,
                Kind::Symlink => FileType::Symlink,
                Kind::Socket | Kind::Fifo => FileType::NonFile,
            },
            mode: from.mode & 0o7777 | from.file_type.mode_bits(),
            nlink: from.nlink,
            uid: from.uid,
            gid: from.gid,
            size: clamp(from.size),
            blocksize: BLOCK_SIZE,
            rdev: if from.file_type.is_device() { rdev } else { 0 },
            blocks: clamp(from.used.div_ceil(BLOCK)),
            fsid: fold(from.fsid),
            fileid: fold(from.fileid),
            atime: from.atime.into(),
            mtime: from.mtime.into(),
            ctime: from.ctime.into(),
        }
    }
}

impl Attributes {
    /// The attributes as version 3 has them; `None` when neither the type nor the type bits of the
    /// mode say what it is.
    ///
    /// Device numbers are taken apart as Linux does, and blocks have 512 bytes.
    #[must_use]
    pub fn to_v3(&self) -> Option<v3::Attributes> {
        let file_type = match self.file_type {
            FileType::Regular => Kind::Regular,
            FileType::Directory => Kind::Directory,
            FileType::BlockDevice => Kind::BlockDevice,
            FileType::CharDevice => Kind::CharDevice,
            FileType::Symlink => Kind::Symlink,
            FileType::NonFile => Kind::from_mode(self.mode)?,
        };
        let numbers = SpecData {
            major: self.rdev >> 8 & 0xfff,
            minor: self.rdev & 0xff | self.rdev >> 12 & 0xf_ff00,
        };
        Some(v3::Attributes {
            file_type,
            mode: self.mode & 0o7777,
            nlink: self.nlink,
            uid: self.uid,
            gid: self.gid,
            size: self.size.into(),
            used: u64::from(self.blocks).saturating_mul(BLOCK),
            rdev: if file_type.is_device() { numbers } else { SpecData::default() },
            fsid: self.fsid.into(),
            fileid: self.fileid.into(),
            atime: self.atime.into(),
            mtime: self.mtime.into(),
            ctime: self.ctime.into(),
        })
    }
}

/// [`UNCHANGED`] becomes `None`; so does a mode of 0xffff, which some clients send for it. A time is
/// left as it is when either part says so, and 1,000,000 microseconds of `mtime` set both times to the
/// server's clock, by a convention of Sun's.
impl From<&SetAttributes> for v3::SetAttributes {
    fn from(from: &SetAttributes) -> Self {
        let value = |word: u32| (word != UNCHANGED).then_some(word);
        let time = |time: Time| {
            if time.seconds == UNCHANGED || time.microseconds == UNCHANGED {
                SetTime::DontChange
            } else if from.mtime.microseconds == SERVER_TIME {
                SetTime::ServerTime
            } else {
                SetTime::ClientTime(time.into())
            }
        };
        Self {
            mode: value(from.mode).filter(|mode| *mode != 0xffff),
            uid: value(from.uid),
            gid: value(from.gid),
            size: value(from.size).map(u64::from),
            atime: time(from.atime),
            mtime: time(from.mtime),
        }
    }
}
