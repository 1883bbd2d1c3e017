//! File handles of a local directory: which file, not where it is.
//!
//! A handle holds what identifies a file for as long as it exists: device, inode number and birth time (which tells an
//! inode number that is used again from its earlier owner, unless both
//! were made within one tick of the kernel's clock, some ms). It holds no path and no parent, so it is the same under
//! every name, and renaming changes nothing. Layout, 24 bytes, numbers big-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0 | version of this layout: 1 |
//! | 1 | how the file is found: 1, by (device, inode, birth time) |
//! | 2..4 | export |
//! | 4..8 | device, 0 for that of the export's root (device numbers may change when a machine restarts) |
//! | 8..16 | inode number |
//! | 16..24 | birth time in ns since 1970 modulo 2^64, 0 if the file system keeps none |

use crate::fs::Handle;

const VERSION: u8 = 1;
const FOUND_BY_IDENTITY: u8 = 1;

/// Bytes of a handle.
pub(super) const HANDLE_LEN: usize = 24;

/// A file while it exists: device and inode number. Device 0 stands for that of the export's root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileId {
    pub(super) device: u32,
    pub(super) inode: u64,
}

/// A file for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) id: FileId,
    pub(super) birth: u64,
}

impl Key {
    /// The handle of this file in this export.
    pub(super) fn handle(self, export: u16) -> Handle {
        let mut bytes = Vec::with_capacity(HANDLE_LEN);
        bytes.extend_from_slice(&[VERSION, FOUND_BY_IDENTITY]);
        bytes.extend_from_slice(&export.to_be_bytes());
        bytes.extend_from_slice(&self.id.device.to_be_bytes());
        bytes.extend_from_slice(&self.id.inode.to_be_bytes());
        bytes.extend_from_slice(&self.birth.to_be_bytes());
        Handle::new(&bytes).unwrap_or(Handle::EMPTY)
    }

    /// Reads a handle; `None` if this export cannot have made it.
    pub(super) fn parse(handle: &[u8], export: u16) -> Option<Self> {
        let handle: &[u8; HANDLE_LEN] = handle.try_into().ok()?;
        let (head, rest) = handle.split_first_chunk::<4>()?;
        let [export_high, export_low] = export.to_be_bytes();
        if *head != [VERSION, FOUND_BY_IDENTITY, export_high, export_low] {
            return None;
        }
        let (device, rest) = rest.split_first_chunk::<4>()?;
        let (inode, rest) = rest.split_first_chunk::<8>()?;
        let (birth, _) = rest.split_first_chunk::<8>()?;
        Some(Self {
            id: FileId { device: u32::from_be_bytes(*device), inode: u64::from_be_bytes(*inode) },
            birth: u64::from_be_bytes(*birth),
        })
    }
}
