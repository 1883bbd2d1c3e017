//! Entries by what they mean.

use core::iter::Chain;

use nfswire_xdr::Iter;

use super::{CLASS_OBJ, Entries, Entry, GROUP, GROUP_OBJ, OTHER_OBJ, USER, USER_OBJ};
use crate::{Gid, Uid};

/// Whom an entry is about: the tag of POSIX, and its qualifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// The owner of the file.
    UserObj,
    /// A user.
    User(Uid),
    /// The group of the file.
    GroupObj,
    /// A group.
    Group(Gid),
    /// The most that [`Who::User`], [`Who::GroupObj`] and [`Who::Group`] may get.
    #[doc(alias = "mask")]
    ClassObj,
    /// Everybody else.
    #[doc(alias = "other")]
    OtherObj,
}

impl Who {
    /// Type and id of an access entry. The id is 0 where none is needed.
    pub(super) const fn to_wire(self) -> (u32, u32) {
        match self {
            Self::UserObj => (USER_OBJ, 0),
            Self::User(uid) => (USER, uid),
            Self::GroupObj => (GROUP_OBJ, 0),
            Self::Group(gid) => (GROUP, gid),
            Self::ClassObj => (CLASS_OBJ, 0),
            Self::OtherObj => (OTHER_OBJ, 0),
        }
    }

    /// The type is that of an access entry.
    pub(super) const fn from_wire(entry_type: u32, id: u32) -> Option<Self> {
        Some(match entry_type {
            USER_OBJ => Self::UserObj,
            USER => Self::User(id),
            GROUP_OBJ => Self::GroupObj,
            GROUP => Self::Group(id),
            CLASS_OBJ => Self::ClassObj,
            OTHER_OBJ => Self::OtherObj,
            _ => return None,
        })
    }
}

/// An [`Entry`] by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypedEntry {
    /// For what is made in the directory, not for the directory itself.
    pub default: bool,
    /// Whom it is about.
    pub who: Who,
    /// What they may do: [`READ`](super::READ), [`WRITE`](super::WRITE) and [`EXEC`](super::EXEC).
    pub perm: u32,
}

impl From<TypedEntry> for Entry {
    #[inline]
    fn from(typed: TypedEntry) -> Self {
        if typed.default {
            Self::new_default(typed.who, typed.perm)
        } else {
            Self::new(typed.who, typed.perm)
        }
    }
}

/// The entries of an access control list by what they mean, made by
/// [`SecAttr::typed`](super::SecAttr::typed). An entry whose type has no meaning is an error, which
/// is the entry; the iterator goes on behind it.
#[derive(Debug)]
pub struct TypedEntries<'a>(Chain<Iter<'a, Entry, false>, Iter<'a, Entry, false>>);

impl<'a> TypedEntries<'a> {
    pub(super) fn new(entries: Entries<'a>, default_entries: Entries<'a>) -> Self {
        Self(entries.iter().chain(default_entries.iter()))
    }
}

impl Iterator for TypedEntries<'_> {
    type Item = Result<TypedEntry, Entry>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| entry.typed().ok_or(entry))
    }
}
