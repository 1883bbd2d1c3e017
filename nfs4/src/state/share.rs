//! Share reservations: what opens allow themselves and deny others.

use core::fmt;

use crate::{
    Status,
    ops::open::{ShareAccess, ShareDeny},
};

/// Access and deny bits of an open, checked: `read` is bit 0, `write` bit 1 of both (RFC 7530,
/// section 9.9; RFC 8881, section 9.7).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Share {
    access: u8,
    deny: u8,
}

/// Bits of [`ShareAccess`] that are wishes about delegations and no access.
const WANTS: ShareAccess = ShareAccess::WANT_DELEG_MASK
    .with(ShareAccess::WANT_SIGNAL_DELEG_WHEN_RESRC_AVAIL)
    .with(ShareAccess::WANT_PUSH_DELEG_WHEN_UNCONTENDED)
    .with(ShareAccess::WANT_DELEG_TIMESTAMPS)
    .with(ShareAccess::WANT_OPEN_XOR_DELEGATION);
const READ: u8 = 1;
const WRITE: u8 = 2;

impl Share {
    /// The bits of an OPEN or OPEN_DOWNGRADE of NFSv4.0.
    ///
    /// # Errors
    /// [`Status::INVAL`]: no access at all, or bits that are none.
    pub fn new(access: ShareAccess, deny: ShareDeny) -> Result<Self, Status> {
        match (u8::try_from(access.0), u8::try_from(deny.0)) {
            (Ok(access @ 1..=3), Ok(deny @ 0..=3)) => Ok(Self { access, deny }),
            _ => Err(Status::INVAL),
        }
    }

    /// The bits of an OPEN or OPEN_DOWNGRADE of NFSv4.1 on, where `access` may also hold wishes
    /// about delegations (`WANT_...`; RFC 8881, section 18.16.3; RFC 9754), which are left out.
    ///
    /// # Errors
    /// As those of [`new`](Self::new).
    pub fn with_wants(access: ShareAccess, deny: ShareDeny) -> Result<Self, Status> {
        Self::new(access.without(WANTS), deny)
    }

    /// What the open is for.
    #[must_use]
    pub fn access(self) -> ShareAccess {
        ShareAccess(u32::from(self.access))
    }

    /// Whom it keeps out.
    #[must_use]
    pub fn deny(self) -> ShareDeny {
        ShareDeny(u32::from(self.deny))
    }

    /// Whether the open is for reading.
    #[must_use]
    pub const fn reads(self) -> bool {
        self.access & READ != 0
    }

    /// Whether the open is for writing.
    #[must_use]
    pub const fn writes(self) -> bool {
        self.access & WRITE != 0
    }

    /// Whether either denies what the other is for.
    #[must_use]
    pub const fn conflicts(self, other: Self) -> bool {
        self.access & other.deny != 0 || self.deny & other.access != 0
    }

    /// Every bit of both: what an open-owner holds that opens the same file again.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self { access: self.access | other.access, deny: self.deny | other.deny }
    }

    /// Whether every bit of the other one is in this one.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.access & other.access == other.access && self.deny & other.deny == other.deny
    }

    /// Which of the twelve combinations this is.
    const fn bit(self) -> u16 {
        // Two bits each, so at most 15.
        1u16.wrapping_shl(((self.access & 3) as u32) << 2 | (self.deny & 3) as u32)
    }

    fn all() -> impl Iterator<Item = Self> {
        (1..=3).flat_map(|access| (0..=3).map(move |deny| Self { access, deny }))
    }
}

/// `read+write, denies write`
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["nothing", "read", "write", "read+write"];
        let name = |bits: u8| names.get(usize::from(bits)).copied().unwrap_or_default();
        write!(f, "{}, denies {}", name(self.access), name(self.deny))
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Every combination that one open-owner has opened one file with: what OPEN_DOWNGRADE may go back
/// to (RFC 7530, section 16.19.4; RFC 8881, section 18.18.3).
///
/// ```
/// use nfswire_nfs4::Status;
/// use nfswire_nfs4::ops::open::{ShareAccess, ShareDeny};
/// use nfswire_nfs4::state::{OwnerOpens, Share};
///
/// let share = |access| Share::new(access, ShareDeny::NONE);
/// let (read, both) = (share(ShareAccess::READ)?, share(ShareAccess::BOTH)?);
/// let mut opens = OwnerOpens::new(read);
/// opens.upgrade(both);
/// assert_eq!(opens.share(), both);
/// let write = share(ShareAccess::WRITE)?;
/// assert_eq!(opens.downgrade(write), Err(Status::INVAL));      // never opened so
/// opens.downgrade(read)?;
/// assert_eq!(opens.share(), read);
/// # Ok::<(), Status>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnerOpens {
    /// Bits of [`Share::bit`]; never none.
    opened: u16,
    share: Share,
}

impl OwnerOpens {
    /// The owner's first open of the file.
    #[must_use]
    pub const fn new(share: Share) -> Self {
        Self { opened: share.bit(), share }
    }

    /// What the owner has: the union of its opens.
    #[must_use]
    pub const fn share(self) -> Share {
        self.share
    }

    /// Adds an open of the same file. Ask [`FileOpens::check`] first.
    pub const fn upgrade(&mut self, share: Share) {
        self.opened |= share.bit();
        self.share = self.share.union(share);
    }

    /// Gives up every open that has a bit outside `to`.
    ///
    /// # Errors
    /// [`Status::INVAL`], and nothing changes: `to` is not the union of some of the opens.
    pub fn downgrade(&mut self, to: Share) -> Result<(), Status> {
        let mut kept = Share { access: 0, deny: 0 };
        let mut opened = 0;
        for share in Share::all().filter(|share| to.contains(*share)) {
            if self.opened & share.bit() != 0 {
                kept = kept.union(share);
                opened |= share.bit();
            }
        }
        if kept != to {
            return Err(Status::INVAL);
        }
        *self = Self { opened, share: to };
        Ok(())
    }
}

/// How many open-owners read, write and deny, for one file: decides about the next open without a
/// walk over all (RFC 8881, section 9.7).
///
/// Counts of more than 2^32 - 1 open-owners stay there, and are then too low after as many have
/// closed; a server bounds its opens below that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileOpens {
    reads: u32,
    writes: u32,
    deny_reads: u32,
    deny_writes: u32,
}

impl FileOpens {
    /// No opens.
    #[must_use]
    pub const fn new() -> Self {
        Self { reads: 0, writes: 0, deny_reads: 0, deny_writes: 0 }
    }

    /// Checks an open against all opens of the file, which includes those of the same open-owner.
    ///
    /// # Errors
    /// [`Status::SHARE_DENIED`].
    pub const fn check(&self, share: Share) -> Result<(), Status> {
        let denied = self.check_access(share.reads(), share.writes()).is_err()
            || (share.deny & READ != 0 && self.reads > 0)
            || (share.deny & WRITE != 0 && self.writes > 0);
        if denied { Err(Status::SHARE_DENIED) } else { Ok(()) }
    }

    /// Checks a READ or WRITE without an open, by an anonymous stateid (RFC 8881, section 9.1.2).
    ///
    /// # Errors
    /// [`Status::LOCKED`].
    pub const fn check_access(&self, reads: bool, writes: bool) -> Result<(), Status> {
        let denied = (reads && self.deny_reads > 0) || (writes && self.deny_writes > 0);
        if denied { Err(Status::LOCKED) } else { Ok(()) }
    }

    /// An open-owner opened the file.
    pub const fn add(&mut self, share: Share) {
        if share.reads() {
            self.reads = self.reads.saturating_add(1);
        }
        if share.writes() {
            self.writes = self.writes.saturating_add(1);
        }
        if share.deny & READ != 0 {
            self.deny_reads = self.deny_reads.saturating_add(1);
        }
        if share.deny & WRITE != 0 {
            self.deny_writes = self.deny_writes.saturating_add(1);
        }
    }

    /// An open-owner that had this closed the file.
    pub const fn remove(&mut self, share: Share) {
        if share.reads() {
            self.reads = self.reads.saturating_sub(1);
        }
        if share.writes() {
            self.writes = self.writes.saturating_sub(1);
        }
        if share.deny & READ != 0 {
            self.deny_reads = self.deny_reads.saturating_sub(1);
        }
        if share.deny & WRITE != 0 {
            self.deny_writes = self.deny_writes.saturating_sub(1);
        }
    }

    /// An open-owner's share changed: an upgrade or a downgrade.
    pub const fn replace(&mut self, old: Share, new: Share) {
        self.remove(old);
        self.add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(access: u32, deny: u32) -> Result<Share, Status> {
        Share::new(ShareAccess(access), ShareDeny(deny))
    }

    fn with_wants(access: u32, deny: u32) -> Result<Share, Status> {
        Share::with_wants(ShareAccess(access), ShareDeny(deny))
    }

    fn share(access: u32, deny: u32) -> Share {
        new(access, deny).unwrap()
    }

    #[test]
    fn only_twelve_combinations() {
        for access in 0..=5 {
            for deny in 0..=5 {
                let legal = (1..=3).contains(&access) && deny <= 3;
                assert_eq!(new(access, deny).is_ok(), legal, "{access} {deny}");
            }
        }
        assert_eq!(new(0x101, 0), Err(Status::INVAL));
        assert_eq!(new(1, 0x101), Err(Status::INVAL));
        assert_eq!(Share::all().count(), 12);
        let bits = Share::all().map(Share::bit);
        assert_eq!(bits.fold(0u16, |all, bit| all | bit).count_ones(), 12);
    }

    #[test]
    fn wishes_are_no_access() {
        for want in [0, 0x100, 0x400, 0xff00, 0x1_0000, 0x2_0000, 0x10_0000, 0x20_0000] {
            assert_eq!(with_wants(want | 3, 2), Ok(share(3, 2)), "{want:x}");
            assert_eq!(with_wants(want, 0), Err(Status::INVAL), "{want:x}");
        }
        for unknown in [4, 0x80, 0x4_0000, 0x40_0000, 1 << 31] {
            assert_eq!(with_wants(unknown | 1, 0), Err(Status::INVAL), "{unknown:x}");
        }
        assert_eq!(with_wants(1, 0x100), Err(Status::INVAL));
    }

    /// The RFC's pseudo-code, for every pair.
    #[test]
    fn conflicts_as_in_section_9_7() {
        for held in Share::all() {
            let mut file = FileOpens::new();
            file.add(held);
            for new in Share::all() {
                let denied = new.access & held.deny != 0 || new.deny & held.access != 0;
                assert_eq!(new.conflicts(held), denied, "{new} with {held}");
                assert_eq!(file.check(new).is_err(), denied, "{new} with {held}");
            }
            file.remove(held);
            assert_eq!(file, FileOpens::new());
        }
    }

    /// Counts against a walk over all opens, for every two opens and a third.
    #[test]
    fn counts_agree_with_a_walk() {
        for a in Share::all() {
            for b in Share::all() {
                let mut file = FileOpens::new();
                file.add(a);
                file.add(b);
                for new in Share::all() {
                    let denied = new.conflicts(a) || new.conflicts(b);
                    assert_eq!(file.check(new).is_err(), denied);
                }
                file.replace(a, b);
                file.remove(b);
                let mut only_b = FileOpens::new();
                only_b.add(b);
                assert_eq!(file, only_b);
            }
        }
    }

    /// Every set of opens and every target, against a try of all subsets.
    #[test]
    fn downgrade_is_to_a_union_of_opens() {
        let all: [Share; 12] = core::array::from_fn(|i| Share::all().nth(i).unwrap());
        for opened in 1u32..1 << 12 {
            let mut unions = 0u16;
            let mut subset = opened;
            while subset > 0 {
                let of = all.iter().enumerate().filter(|(i, _)| subset >> i & 1 != 0);
                unions |= of.map(|(_, s)| *s).reduce(Share::union).unwrap().bit();
                subset = (subset - 1) & opened;
            }
            let mut first = all.iter().enumerate().filter(|(i, _)| opened >> i & 1 != 0);
            let mut opens = OwnerOpens::new(*first.next().unwrap().1);
            first.for_each(|(_, s)| opens.upgrade(*s));
            for to in all {
                let mut after = opens;
                let expected = if unions & to.bit() != 0 { Ok(()) } else { Err(Status::INVAL) };
                assert_eq!(after.downgrade(to), expected, "{opened:b} to {to}");
                assert_eq!(after.share(), if expected.is_ok() { to } else { opens.share() });
            }
        }
    }

    #[test]
    fn a_downgrade_forgets_what_it_gave_up() {
        let mut opens = OwnerOpens::new(share(1, 0));
        opens.upgrade(share(2, 0));
        opens.upgrade(share(3, 2));
        assert_eq!(opens.downgrade(share(3, 0)), Ok(()));
        assert_eq!(opens.downgrade(share(3, 2)), Err(Status::INVAL));
        assert_eq!(opens.downgrade(share(2, 0)), Ok(()));
        assert_eq!(opens.downgrade(share(1, 0)), Err(Status::INVAL));
    }

    #[test]
    fn anonymous_access() {
        let mut file = FileOpens::new();
        file.add(share(1, 2));
        assert_eq!(file.check_access(true, false), Ok(()));
        assert_eq!(file.check_access(false, true), Err(Status::LOCKED));
    }
}
