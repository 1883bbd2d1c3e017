//! Access masks (RFC 1813, section 3.3.4).

use core::fmt;

use crate::{
    Attributes, FileType,
    lookup::{
        ACCESS_DELETE, ACCESS_EXECUTE, ACCESS_EXTEND, ACCESS_LOOKUP, ACCESS_MODIFY, ACCESS_READ,
    },
};

/// A mask of the `ACCESS_` constants of [`lookup`](crate::lookup), with names: the word of ACCESS's
/// arguments and reply.
///
/// ```
/// use nfswire_nfs3::convert::AccessMask;
///
/// assert_eq!(AccessMask(0x1f).to_string(), "READ|LOOKUP|MODIFY|EXTEND|DELETE");
/// assert_eq!(format!("{:?} {}", AccessMask(0x101), AccessMask(0)), "AccessMask(READ|0x100) none");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AccessMask(
    /// The word on the wire.
    pub u32,
);

impl AccessMask {
    /// Each bit of the RFC with its name, without the RFC's `ACCESS3_`.
    pub const NAMES: &'static [(&'static str, u32)] = &[
        ("READ", ACCESS_READ),
        ("LOOKUP", ACCESS_LOOKUP),
        ("MODIFY", ACCESS_MODIFY),
        ("EXTEND", ACCESS_EXTEND),
        ("DELETE", ACCESS_DELETE),
        ("EXECUTE", ACCESS_EXECUTE),
    ];

    /// Names of the bits that are set, in order, and the bits that have none.
    pub fn names(self) -> (impl Iterator<Item = &'static str> + Clone, u32) {
        let known = Self::NAMES.iter().fold(0, |known, (_, bit)| known | bit);
        let set = Self::NAMES.iter().filter(move |(_, bit)| self.0 & bit != 0);
        (set.map(|(name, _)| *name), self.0 & !known)
    }

    /// The bits that read, write and execute permission stand for. For a directory, execute is the
    /// right to search, without which nothing in it can be changed either; the right to delete is
    /// that of its entries.
    #[must_use]
    pub const fn granted(file_type: FileType, read: bool, write: bool, execute: bool) -> Self {
        const fn bits(granted: bool, bits: u32) -> u32 {
            if granted { bits } else { 0 }
        }
        Self(if matches!(file_type, FileType::Directory) {
            bits(read, ACCESS_READ)
                | bits(execute, ACCESS_LOOKUP)
                | bits(write && execute, ACCESS_MODIFY | ACCESS_EXTEND | ACCESS_DELETE)
        } else {
            bits(read, ACCESS_READ)
                | bits(write, ACCESS_MODIFY | ACCESS_EXTEND)
                | bits(execute, ACCESS_EXECUTE)
        })
    }

    /// The bits that owner, group and mode grant to a user, of whom `is_member` knows the groups.
    /// User 0 has all that make sense.
    #[must_use]
    pub fn by_mode(attributes: &Attributes, uid: u32, is_member: impl FnOnce(u32) -> bool) -> Self {
        let (file_type, mode) = (attributes.file_type, attributes.mode);
        if uid == 0 {
            let execute = file_type == FileType::Directory || mode & 0o111 != 0;
            return Self::granted(file_type, true, true, execute);
        }
        let bits = if uid == attributes.uid {
            mode >> 6
        } else if is_member(attributes.gid) {
            mode >> 3
        } else {
            mode
        };
        Self::granted(file_type, bits & 4 != 0, bits & 2 != 0, bits & 1 != 0)
    }
}

impl fmt::Display for AccessMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, unknown) = self.names();
        let mut between = "";
        for name in names {
            write!(f, "{between}{name}")?;
            between = "|";
        }
        match (unknown, self.0) {
            (0, 0) => f.write_str("none"),
            (0, _) => Ok(()),
            (unknown, _) => write!(f, "{between}{unknown:#x}"),
        }
    }
}

impl fmt::Debug for AccessMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AccessMask({self})")
    }
}
