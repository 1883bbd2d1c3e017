//! What the operations of a [`FileSystem`] return.

use alloc::sync::Arc;
use std::os::fd::OwnedFd;

use bytes::Bytes;
use nfswire_nfs3::{PostOpAttr, StableHow, WccData};

#[cfg(doc)]
use super::FileSystem;
use super::Handle;

/// Result of [`FileSystem::lookup`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Handle of the object found.
    pub object: Handle,
    /// Its attributes.
    pub attributes: PostOpAttr,
    /// Attributes of the directory.
    pub dir_attributes: PostOpAttr,
}

/// Result of [`FileSystem::access`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// Attributes of the object.
    pub attributes: PostOpAttr,
    /// Those of the `ACCESS_` bits asked for that the caller has.
    pub access: u32,
}

/// Result of [`FileSystem::readlink`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkText {
    /// Attributes of the symbolic link.
    pub attributes: PostOpAttr,
    /// The text, which is not interpreted.
    pub text: Bytes,
}

/// Result of [`FileSystem::read`].
#[derive(Clone, Debug)]
pub struct ReadData {
    /// Attributes of the file.
    pub attributes: PostOpAttr,
    /// The bytes, or where they are.
    pub data: FileData,
    /// Whether the data ends at (or behind) the end of the file.
    pub eof: bool,
}

/// Data of a READ, by value or by reference.
#[derive(Clone, Debug)]
pub enum FileData {
    /// The bytes themselves.
    Bytes(Bytes),
    /// A range of an open file which the core sends by sendfile or reads itself. The range was inside the file when it
    /// was made; a file that has shrunk since is the core's to notice (it gets fewer bytes than `len`).
    File {
        /// File, open for reading.
        file: Arc<OwnedFd>,
        /// First byte.
        offset: u64,
        /// Bytes.
        len: u32,
    },
}

impl FileData {
    /// Bytes of data: the `count` of the reply.
    #[must_use]
    pub fn len(&self) -> u32 {
        match self {
            Self::Bytes(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            Self::File { len, .. } => *len,
        }
    }

    /// Whether there is no data.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Result of [`FileSystem::write`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// State of the file around the write.
    pub wcc: WccData,
    /// Bytes written; may be fewer than were given.
    pub count: u32,
    /// How safe they are now; at least what was asked for.
    pub committed: StableHow,
    /// Changes when uncommitted data may have been lost.
    pub verifier: [u8; 8],
}

/// Result of [`FileSystem::commit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// State of the file.
    pub wcc: WccData,
    /// Changes when uncommitted data may have been lost.
    pub verifier: [u8; 8],
}

/// Result of CREATE, MKDIR, SYMLINK and MKNOD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Handle of the new object; `None` makes the client look it up.
    pub object: Option<Handle>,
    /// Its attributes.
    pub attributes: PostOpAttr,
    /// State of the directory around the change.
    pub dir: WccData,
}

/// Result of [`FileSystem::rename`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renamed {
    /// State of the directory the name left.
    pub from: WccData,
    /// State of the directory the name went to.
    pub to: WccData,
}

/// Result of [`FileSystem::link`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// Attributes of the file.
    pub attributes: PostOpAttr,
    /// State of the directory around the change.
    pub dir: WccData,
}
