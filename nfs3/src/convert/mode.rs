//! Kinds of files as bits of `st_mode`.

use crate::FileType;

/// The bits of `st_mode` that hold the kind of file.
const TYPE: u32 = 0o170_000;

impl FileType {
    /// The kind of file that the type bits of a mode name; `None` for bits that name none.
    ///
    /// The values are those of RFC 1094, section 2.3.5, and of every POSIX system; a named pipe, which
    /// is not in the RFC, is `0o010000`.
    #[must_use]
    pub const fn from_mode(mode: u32) -> Option<Self> {
        Some(match mode & TYPE {
            0o010_000 => Self::Fifo,
            0o020_000 => Self::CharDevice,
            0o040_000 => Self::Directory,
            0o060_000 => Self::BlockDevice,
            0o100_000 => Self::Regular,
            0o120_000 => Self::Symlink,
            0o140_000 => Self::Socket,
            _ => return None,
        })
    }

    /// The type bits of `st_mode` for this kind of file. `attributes.mode | file_type.mode_bits()` is
    /// what `stat` shows.
    #[must_use]
    pub const fn mode_bits(self) -> u32 {
        match self {
            Self::Fifo => 0o010_000,
            Self::CharDevice => 0o020_000,
            Self::Directory => 0o040_000,
            Self::BlockDevice => 0o060_000,
            Self::Regular => 0o100_000,
            Self::Symlink => 0o120_000,
            Self::Socket => 0o140_000,
        }
    }

    /// Whether it is a block or character device.
    #[must_use]
    pub const fn is_device(self) -> bool {
        matches!(self, Self::BlockDevice | Self::CharDevice)
    }
}
