//! NFS_ACL, the access control lists of POSIX beside NFS: versions 2 (with NFSv2, feature `v2`) and
//! 3 (with NFSv3). No RFC describes it; this is what Solaris and Linux do.
//!
//! Both versions share [`SecAttr`], a mask and two lists, which is here; [`v3`] and, with feature
//! `v2`, `v2` have the procedures.
//!
//! ```
//! use nfswire_nfs3::acl::{self, Entry, SecAttr, Who};
//! use nfswire_xdr::Array;
//!
//! let entries = [
//!     Entry::new(Who::UserObj, acl::READ | acl::WRITE),
//!     Entry::new(Who::User(1000), acl::READ),
//!     Entry::new(Who::GroupObj, acl::READ),
//!     Entry::new(Who::ClassObj, acl::READ),
//!     Entry::new(Who::OtherObj, 0),
//! ];
//! let acl = SecAttr::new(Array::from_slice(&entries), None);
//! assert_eq!((acl.mask, acl.count), (acl::ACL | acl::ACLCNT, 5));
//! assert_eq!(acl.validate(), Ok(()));
//! assert!(acl.typed().any(|entry| entry.is_ok_and(|e| e.who == Who::User(1000))));
//! ```

use nfswire_xdr::{Array, xdr_struct};
use thiserror::Error;

mod typed;
#[cfg(feature = "v2")]
pub mod v2;
pub mod v3;

pub use typed::{TypedEntries, TypedEntry, Who};

/// RPC program number (Solaris and Linux practice).
#[doc(alias = "NFS_ACL_PROGRAM")]
pub const PROGRAM: u32 = 100_227;
/// The port: that of NFS (Solaris and Linux practice).
#[doc(alias = "NFS_ACL_PORT")]
pub const PORT: u16 = crate::PORT;
/// Most entries of a list.
#[doc(alias = "NFS_ACL_MAX_ENTRIES")]
pub const MAX_ENTRIES: u32 = 1024;

//--- the mask of an ACL ---

/// The list of access entries.
#[doc(alias = "NA_ACL")]
pub const ACL: u32 = 0x1;
/// The number of access entries.
#[doc(alias = "NA_ACLCNT")]
pub const ACLCNT: u32 = 0x2;
/// The list of default entries, which a directory gives to what is made in it.
#[doc(alias = "NA_DFACL")]
pub const DFACL: u32 = 0x4;
/// The number of default entries.
#[doc(alias = "NA_DFACLCNT")]
pub const DFACLCNT: u32 = 0x8;
/// Every bit that a mask can have.
pub const MASK: u32 = ACL | ACLCNT | DFACL | DFACLCNT;

//--- the type of an entry ---

/// The owner of the file.
#[doc(alias = "NA_USER_OBJ")]
pub const USER_OBJ: u32 = 0x1;
/// A user.
#[doc(alias = "NA_USER")]
pub const USER: u32 = 0x2;
/// The group of the file.
#[doc(alias = "NA_GROUP_OBJ")]
pub const GROUP_OBJ: u32 = 0x4;
/// A group.
#[doc(alias = "NA_GROUP")]
pub const GROUP: u32 = 0x8;
/// The most that [`USER`], [`GROUP_OBJ`] and [`GROUP`] may give: the mask of POSIX.
#[doc(alias = "NA_CLASS_OBJ")]
pub const CLASS_OBJ: u32 = 0x10;
/// Everybody else.
#[doc(alias = "NA_OTHER_OBJ")]
pub const OTHER_OBJ: u32 = 0x20;
/// Added to the type of a default entry.
#[doc(alias = "NA_ACL_DEFAULT")]
pub const ACL_DEFAULT: u32 = 0x1000;

//--- the permissions of an entry ---

/// May read.
#[doc(alias = "NA_READ")]
pub const READ: u32 = 0x4;
/// May write.
#[doc(alias = "NA_WRITE")]
pub const WRITE: u32 = 0x2;
/// May execute, or search a directory.
#[doc(alias = "NA_EXEC")]
pub const EXEC: u32 = 0x1;

xdr_struct! {
    /// One entry of an access control list, as it is on the wire. [`Entry::typed`] reads it.
    #[derive(Copy, Hash)]
    "aclent" => pub struct Entry {
        /// One of [`USER_OBJ`] to [`OTHER_OBJ`], in a default list with [`ACL_DEFAULT`].
        "type" => pub entry_type: u32,
        /// Number of the user or group; of the owner and the group of the file too, but nobody
        /// needs it there. A signed number in the declaration; here as ids are everywhere.
        pub id: u32,
        /// [`READ`], [`WRITE`] and [`EXEC`].
        pub perm: u32,
    }
}

/// List of entries: at most [`MAX_ENTRIES`].
pub type Entries<'a> = Array<'a, Entry, 1024>;

xdr_struct! {
    /// The access control list of a file, or parts of it.
    ///
    /// Every length is on the wire twice. They agree if the list is there; if only its number was
    /// asked for, the list is empty and the number is not. [`SecAttr::new`] keeps both right,
    /// [`SecAttr::validate`] checks them.
    #[derive(Copy)]
    "secattr" => pub struct SecAttr<'a> {
        /// What is meant: [`ACL`], [`ACLCNT`], [`DFACL`], [`DFACLCNT`].
        pub mask: u32,
        /// Number of access entries.
        "aclcnt" => pub count: u32,
        /// Access entries.
        "aclent" => pub entries: Entries<'a>,
        /// Number of default entries.
        "dfaclcnt" => pub default_count: u32,
        /// Default entries.
        "dfaclent" => pub default_entries: Entries<'a>,
    }
}

impl<'a> SecAttr<'a> {
    /// The lists that are given, their numbers, and the mask that says which there are.
    #[inline]
    #[must_use]
    pub fn new(access: Option<Entries<'a>>, default: Option<Entries<'a>>) -> Self {
        let bits = |list: &Option<Entries<'_>>, bits| if list.is_some() { bits } else { 0 };
        let mask = bits(&access, ACL | ACLCNT) | bits(&default, DFACL | DFACLCNT);
        let (entries, default_entries) = (access.unwrap_or_default(), default.unwrap_or_default());
        let (count, default_count) = (entries.len(), default_entries.len());
        Self { mask, count, entries, default_count, default_entries }
    }

    /// The access entries, then the default entries, by what they mean.
    #[inline]
    #[must_use]
    pub fn typed(&self) -> TypedEntries<'a> {
        TypedEntries::new(self.entries, self.default_entries)
    }

    /// Checks that mask, numbers and lists say the same, and that every entry means something.
    ///
    /// Whether the entries are a whole access control list (an owner, a group, ...) is for the file
    /// system to say.
    ///
    /// # Errors
    /// [`AclError`], the first one found; a server answers `INVAL`.
    pub fn validate(&self) -> Result<(), AclError> {
        if self.mask & !MASK != 0 {
            return Err(AclError::Mask(self.mask));
        }
        let lists = [
            (List::Access, ACL, self.count, self.entries),
            (List::Default, DFACL, self.default_count, self.default_entries),
        ];
        for (list, bit, count, entries) in lists {
            if self.mask & bit == 0 && !entries.is_empty() {
                return Err(AclError::NotInMask { list, entries: entries.len() });
            }
            if count > MAX_ENTRIES || (self.mask & bit != 0 && count != entries.len()) {
                return Err(AclError::Count { list, count, entries: entries.len() });
            }
            for (i, entry) in (0..).zip(entries.iter()) {
                entry.check(list == List::Default).map_err(|why| match why {
                    Unfit::Type(entry_type) => AclError::Type { list, at: i, entry_type },
                    Unfit::Permissions(perm) => AclError::Permissions { list, at: i, perm },
                })?;
            }
        }
        Ok(())
    }
}

/// What is wrong with an entry.
enum Unfit {
    Type(u32),
    Permissions(u32),
}

impl Entry {
    /// An access entry.
    #[inline]
    #[must_use]
    pub const fn new(who: Who, perm: u32) -> Self {
        let (entry_type, id) = who.to_wire();
        Self { entry_type, id, perm }
    }

    /// A default entry.
    #[inline]
    #[must_use]
    pub const fn new_default(who: Who, perm: u32) -> Self {
        let (entry_type, id) = who.to_wire();
        Self { entry_type: entry_type | ACL_DEFAULT, id, perm }
    }

    /// Whether this is a default entry.
    #[inline]
    #[must_use]
    pub const fn is_default(&self) -> bool {
        self.entry_type & ACL_DEFAULT != 0
    }

    /// What the entry means; `None` if its type has no meaning.
    ///
    /// Solaris sends [`CLASS_OBJ`] with bits beyond the three permissions: they are left out.
    #[inline]
    #[must_use]
    pub const fn typed(&self) -> Option<TypedEntry> {
        let Some(who) = Who::from_wire(self.entry_type & !ACL_DEFAULT, self.id) else {
            return None;
        };
        let perm = match who {
            Who::ClassObj => self.perm & (READ | WRITE | EXEC),
            _ => self.perm,
        };
        Some(TypedEntry { default: self.is_default(), who, perm })
    }

    const fn check(&self, default: bool) -> Result<(), Unfit> {
        match self.typed() {
            Some(typed) if typed.perm & !(READ | WRITE | EXEC) != 0 => {
                Err(Unfit::Permissions(self.perm))
            }
            Some(typed) if typed.default == default => Ok(()),
            _ => Err(Unfit::Type(self.entry_type)),
        }
    }
}

/// One of the two lists of [`SecAttr`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// The access entries.
    Access,
    /// The default entries.
    Default,
}

impl core::fmt::Display for List {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Access => "access",
            Self::Default => "default",
        })
    }
}

/// What is wrong with an access control list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AclError {
    /// The mask has a bit that has no meaning.
    #[error("the mask {0:#x} of the ACL has other bits than 0xf: the sender's encoder is wrong")]
    Mask(u32),
    /// There are entries of a list that the mask says is not there.
    #[error("the ACL has {entries} {list} entries, which its mask leaves out")]
    NotInMask {
        /// The list.
        list: List,
        /// Length of the list.
        entries: u32,
    },
    /// The number of entries is not the length of the list, or more than [`MAX_ENTRIES`].
    #[error("the ACL says it has {count} {list} entries, at most 1024 allowed, and has {entries}")]
    Count {
        /// The list.
        list: List,
        /// The number that is said.
        count: u32,
        /// Length of the list.
        entries: u32,
    },
    /// The type of an entry has no meaning, or none in its list.
    #[error("{list} entry {at} of the ACL has type {entry_type:#x}, which is none of that list")]
    Type {
        /// The list.
        list: List,
        /// Place of the entry in the list, from 0.
        at: u32,
        /// Its type.
        entry_type: u32,
    },
    /// An entry gives a permission that has no meaning.
    #[error("{list} entry {at} of the ACL has permissions {perm:#x}, other bits than 0x7")]
    Permissions {
        /// The list.
        list: List,
        /// Place of the entry in the list, from 0.
        at: u32,
        /// Its permissions.
        perm: u32,
    },
}
