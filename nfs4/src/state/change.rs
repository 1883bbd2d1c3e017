//! The change attribute of a directory around an operation.

use crate::{ChangeId, ChangeInfo};

/// What a client does with its copy of a directory after an operation of its own (RFC 8881, section
/// 10.8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DirCache {
    /// Only this operation changed the directory: make the same change to the copy, which then is
    /// that of this change attribute.
    Keep(ChangeId),
    /// Others may have changed it, too: drop the copy.
    Drop,
}

/// ```
/// use nfswire_nfs4::ChangeInfo;
/// use nfswire_nfs4::state::DirCache;
///
/// // The server: one value before, one after, nothing in between.
/// let reply = ChangeInfo::atomic(41, 42);
/// // The client, whose copy is that of 41:
/// assert_eq!(reply.effect_on(41), DirCache::Keep(42));
/// assert_eq!(reply.effect_on(40), DirCache::Drop);
/// ```
impl ChangeInfo {
    /// Both values belong to the operation: nobody else changed the directory between the two (RFC
    /// 8881, section 3.3.8).
    #[must_use]
    pub const fn atomic(before: ChangeId, after: ChangeId) -> Self {
        Self { atomic: true, before, after }
    }

    /// Values that were read apart from the operation: others may have come between.
    #[must_use]
    pub const fn loose(before: ChangeId, after: ChangeId) -> Self {
        Self { atomic: false, before, after }
    }

    /// The operation changed nothing, as an OPEN of a file that exists.
    #[must_use]
    pub const fn unchanged(now: ChangeId) -> Self {
        Self::atomic(now, now)
    }

    /// Begins with the value before the operation; [`ChangeBefore::after`] ends it.
    pub const fn before(before: ChangeId) -> ChangeBefore {
        ChangeBefore { before }
    }

    /// What the operation means for a client's copy of the directory that is the one of `cached`.
    #[must_use]
    pub const fn effect_on(self, cached: ChangeId) -> DirCache {
        if self.atomic && self.before == cached {
            DirCache::Keep(self.after)
        } else {
            DirCache::Drop
        }
    }
}

/// A directory's change attribute before an operation; made by [`ChangeInfo::before`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "the value after the operation is missing"]
pub struct ChangeBefore {
    before: ChangeId,
}

impl ChangeBefore {
    /// Ends with the value after the operation. `atomic`: the directory was locked from the one
    /// value to the other.
    #[must_use]
    pub const fn after(self, after: ChangeId, atomic: bool) -> ChangeInfo {
        ChangeInfo { atomic, before: self.before, after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_atomic_change_of_the_cached_value_keeps_the_copy() {
        for (info, cached, expected) in [
            (ChangeInfo::atomic(1, 2), 1, DirCache::Keep(2)),
            (ChangeInfo::atomic(1, 2), 2, DirCache::Drop),
            (ChangeInfo::loose(1, 2), 1, DirCache::Drop),
            (ChangeInfo::unchanged(1), 1, DirCache::Keep(1)),
            (ChangeInfo::before(u64::MAX).after(0, true), u64::MAX, DirCache::Keep(0)),
            (ChangeInfo::before(1).after(2, false), 1, DirCache::Drop),
        ] {
            assert_eq!(info.effect_on(cached), expected, "{info:?} on {cached}");
        }
    }
}
