//! File handles of a local directory: which file, not where it is.
//!
//! A handle holds what identifies a file for as long as it exists: device, inode number and birth time (which tells an
//! inode number that is used again from its earlier owner, unless both
//! were made within one tick of the kernel's clock, some ms). It holds no path and no parent, so it is the same under
//! every name, and renaming changes nothing. A seal over all of it, under a key that only the server has, makes it
//! impossible to guess one. Layout, 42 to 64 bytes, numbers big-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0 | version of this layout: 2 |
//! | 1 | how the file is found: 1, by (device, inode, birth time); 2, also by the kernel |
//! | 2..6 | export |
//! | 6..10 | device, 0 for that of the export's root (device numbers may change when a machine restarts) |
//! | 10..18 | inode number |
//! | 18..26 | birth time in ns since 1970 modulo 2^64, 0 if the file system keeps none |
//! | 26 | found by the kernel only: form of the kernel's handle |
//! | 27.. | found by the kernel only: the kernel's handle, at most 21 bytes |
//! | the last 16 | SipHash-2-4-128 of everything before |

use nfswire_nfs3::FHSIZE;
use subtle::ConstantTimeEq;

use super::kernel::{Hint, ROOM};
use crate::fs::Handle;
use crate::state_dir::{MacKey, SEAL_LEN};

const VERSION: u8 = 2;
const FOUND_BY_IDENTITY: u8 = 1;
const FOUND_BY_KERNEL: u8 = 2;

/// Bytes before those that only a handle found by the kernel has.
const IDENTITY_LEN: usize = 26;

const _: () = assert!(IDENTITY_LEN + 1 + ROOM + SEAL_LEN <= FHSIZE as usize);

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

/// Why a handle names no file of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// No server with this key has made it.
    Forged,
    /// It is one of another export of this server.
    OtherExport,
}

/// Makes and reads the handles of one export.
#[derive(Debug)]
pub(super) struct Handles {
    export: u32,
    key: MacKey,
}

impl Handles {
    pub(super) const fn new(export: u32, key: MacKey) -> Self {
        Self { export, key }
    }

    /// The handle of this file.
    pub(super) fn make(&self, file: Key, hint: Option<&Hint>) -> Handle {
        let mut bytes = Vec::with_capacity(FHSIZE as usize);
        let kind = if hint.is_some() { FOUND_BY_KERNEL } else { FOUND_BY_IDENTITY };
        bytes.extend_from_slice(&[VERSION, kind]);
        bytes.extend_from_slice(&self.export.to_be_bytes());
        bytes.extend_from_slice(&file.id.device.to_be_bytes());
        bytes.extend_from_slice(&file.id.inode.to_be_bytes());
        bytes.extend_from_slice(&file.birth.to_be_bytes());
        if let Some(hint) = hint {
            bytes.push(hint.kind());
            bytes.extend_from_slice(hint.as_bytes());
        }
        let seal = self.key.seal(&bytes);
        bytes.extend_from_slice(&seal);
        Handle::new(&bytes).unwrap_or(Handle::EMPTY)
    }

    /// Reads a handle. The seal comes first: nothing is said about bytes that nobody has sealed.
    pub(super) fn parse(&self, handle: &[u8]) -> Result<(Key, Option<Hint>), Refused> {
        let (sealed, seal) = handle.split_last_chunk::<SEAL_LEN>().ok_or(Refused::Forged)?;
        if !bool::from(self.key.seal(sealed).ct_eq(seal)) {
            return Err(Refused::Forged);
        }
        // What is sealed has one of these forms, unless another version of this program has used the key.
        let (head, export, rest) = split(sealed).ok_or(Refused::Forged)?;
        let (key, hint) = identity(rest).ok_or(Refused::Forged)?;
        let hint = match (head, hint) {
            ([VERSION, FOUND_BY_IDENTITY], []) => None,
            ([VERSION, FOUND_BY_KERNEL], [kind, bytes @ ..]) => {
                Some(Hint::new(*kind, bytes).ok_or(Refused::Forged)?)
            }
            _ => return Err(Refused::Forged),
        };
        if export == self.export { Ok((key, hint)) } else { Err(Refused::OtherExport) }
    }

    /// Whether a handle says that it is of this export, true or not.
    pub(super) fn claims(&self, handle: &[u8]) -> bool {
        split(handle).is_some_and(|(_, export, _)| export == self.export)
    }
}

/// Version and kind, export, and the rest.
fn split(handle: &[u8]) -> Option<([u8; 2], u32, &[u8])> {
    let (head, rest) = handle.split_first_chunk::<2>()?;
    let (export, rest) = rest.split_first_chunk::<4>()?;
    Some((*head, u32::from_be_bytes(*export), rest))
}

/// The file, and the rest.
fn identity(bytes: &[u8]) -> Option<(Key, &[u8])> {
    let (device, rest) = bytes.split_first_chunk::<4>()?;
    let (inode, rest) = rest.split_first_chunk::<8>()?;
    let (birth, rest) = rest.split_first_chunk::<8>()?;
    let id = FileId { device: u32::from_be_bytes(*device), inode: u64::from_be_bytes(*inode) };
    Some((Key { id, birth: u64::from_be_bytes(*birth) }, rest))
}
