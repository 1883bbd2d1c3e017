//! Special stateids, and which instance of its state a stateid means.

use core::cmp::Ordering;

use crate::{SeqId, Stateid, Status};

/// What the two fields of a stateid say before any table is asked (RFC 7530, section 9.1.4.3; RFC
/// 8881, section 8.2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateidKind {
    /// Names state: to be looked up.
    State,
    /// No open: what opens deny to others is denied.
    Anonymous,
    /// No open either, but a server may let a READ pass what opens deny. For WRITE and SETATTR it
    /// means the same as [`Anonymous`](Self::Anonymous).
    ReadBypass,
    /// The stateid that an earlier operation of the COMPOUND returned; not in NFSv4.0.
    Current,
    /// Reserved, and never valid: [`Status::BAD_STATEID`].
    Invalid,
}

/// How instances of a state are compared: the minor versions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SeqIdRules {
    /// NFSv4.0: the nearer way round decides, and zero is no instance (RFC 7530, sections 9.1.3
    /// and 9.1.4.4).
    Half,
    /// NFSv4.1 on: numbers have wrapped only within `slots` of the ends, and zero means the latest
    /// instance (RFC 8881, section 8.2.2).
    Slots {
        /// Slots of all sessions of the client together.
        slots: u32,
    },
}

impl SeqIdRules {
    /// Which of two instances is the later one: `Greater` if `a` is.
    ///
    /// RFC 8881, section 8.2.2, says of a number near zero beside one near the top that the former
    /// "is to be treated as lower"; it then would not have wrapped. Here it is the later one.
    ///
    /// ```
    /// use core::cmp::Ordering::{Greater, Less};
    /// use nfswire_nfs4::state::SeqIdRules;
    ///
    /// let wrapped = (2, u32::MAX - 1);
    /// assert_eq!(SeqIdRules::Half.compare(wrapped.0, wrapped.1), Greater);
    /// assert_eq!(SeqIdRules::Slots { slots: 64 }.compare(wrapped.0, wrapped.1), Greater);
    /// assert_eq!(SeqIdRules::Slots { slots: 1 }.compare(wrapped.0, wrapped.1), Less);
    /// ```
    #[must_use]
    pub fn compare(self, a: SeqId, b: SeqId) -> Ordering {
        let (low, high) = (a.min(b), a.max(b));
        let wrapped = match self {
            // `low` is at most `high`: nothing wraps in this subtraction.
            Self::Half => high.wrapping_sub(low) >= 1 << 31,
            Self::Slots { slots } => low < slots && high > u32::MAX.saturating_sub(slots),
        };
        if wrapped { b.cmp(&a) } else { a.cmp(&b) }
    }
}

/// The number after this one: one after the last, never zero (RFC 7530, section 9.1.3; RFC 8881,
/// section 8.2.2). For stateids, and for open-owners and lock-owners of NFSv4.0.
///
/// ```
/// use nfswire_nfs4::state::next_seqid;
///
/// assert_eq!((next_seqid(0), next_seqid(7), next_seqid(u32::MAX)), (1, 8, 1));
/// ```
#[must_use]
pub const fn next_seqid(seqid: SeqId) -> SeqId {
    match seqid.checked_add(1) {
        Some(next) => next,
        None => 1,
    }
}

/// Special stateids and instances (RFC 7530, section 9.1.4; RFC 8881, section 8.2).
///
/// ```
/// use nfswire_nfs4::{Stateid, Status};
/// use nfswire_nfs4::state::{SeqIdRules, StateidKind};
///
/// let opened = Stateid::first([7; 12]);
/// let upgraded = opened.next();
/// assert_eq!((opened.seqid, upgraded.seqid), (1, 2));
///
/// let rules = SeqIdRules::Slots { slots: 64 };
/// assert_eq!(upgraded.check(opened.seqid, rules), Err(Status::OLD_STATEID));
/// assert_eq!(upgraded.check(0, rules), Ok(()));                // the latest, whichever that is
/// assert_eq!(Stateid::ANONYMOUS.kind(), StateidKind::Anonymous);
/// ```
impl Stateid {
    /// No open: for READ, WRITE and SETATTR (RFC 8881, section 8.2.3).
    pub const ANONYMOUS: Self = Self { seqid: 0, other: [0; 12] };
    /// A READ that what opens deny may not stop (RFC 8881, section 8.2.3).
    pub const READ_BYPASS: Self = Self { seqid: u32::MAX, other: [0xff; 12] };
    /// What an earlier operation of the COMPOUND returned (RFC 8881, section 8.2.3).
    pub const CURRENT: Self = Self { seqid: 1, other: [0; 12] };
    /// Never valid (RFC 8881, section 8.2.3).
    pub const INVALID: Self = Self { seqid: u32::MAX, other: [0; 12] };

    /// The first instance of new state. `other` is neither all zeros nor all ones: these are
    /// reserved.
    #[must_use]
    pub const fn first(other: [u8; 12]) -> Self {
        Self { seqid: 1, other }
    }

    /// The instance after this one: what a server returns when the state changed.
    #[must_use]
    pub const fn next(self) -> Self {
        Self { seqid: next_seqid(self.seqid), other: self.other }
    }

    /// What the fields say, in NFSv4.1 on.
    #[must_use]
    pub fn kind(self) -> StateidKind {
        match (self.other, self.seqid) {
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0) => StateidKind::Anonymous,
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1) => StateidKind::Current,
            (other, u32::MAX) if other == [0xff; 12] => StateidKind::ReadBypass,
            (other, _) if other == [0; 12] || other == [0xff; 12] => StateidKind::Invalid,
            _ => StateidKind::State,
        }
    }

    /// What the fields say in NFSv4.0, which has no current stateid.
    #[must_use]
    pub fn kind_v40(self) -> StateidKind {
        match self.kind() {
            StateidKind::Current => StateidKind::Invalid,
            kind => kind,
        }
    }

    /// Puts the current stateid of a COMPOUND, if it has one, in the place of
    /// [`CURRENT`](Self::CURRENT); other stateids stay what they are. The seqid becomes zero (the
    /// latest) unless `keep_seqid`, which CLOSE and OPEN_DOWNGRADE ask for (RFC 8881, sections
    /// 8.2.3 and 16.2.3.1.2).
    ///
    /// # Errors
    /// [`Status::BAD_STATEID`]: there is no current stateid, or it is a special one, or this one is
    /// reserved.
    pub fn resolve(self, current: Option<Self>, keep_seqid: bool) -> Result<Self, Status> {
        match self.kind() {
            StateidKind::Invalid => Err(Status::BAD_STATEID),
            StateidKind::Current => match current {
                Some(state) if state.kind() == StateidKind::State => {
                    Ok(if keep_seqid { state } else { Self { seqid: 0, ..state } })
                }
                _ => Err(Status::BAD_STATEID),
            },
            _ => Ok(self),
        }
    }

    /// Checks the instance that a client named, where this stateid is the server's latest one. Not
    /// for layouts, whose stateids have rules of their own (RFC 8881, section 12.5.3).
    ///
    /// # Errors
    /// [`Status::OLD_STATEID`]: the state has changed since; zero, too, in NFSv4.0, where it is no
    /// instance. [`Status::BAD_STATEID`]: there is no such instance yet.
    pub fn check(self, seqid: SeqId, rules: SeqIdRules) -> Result<(), Status> {
        match (seqid, rules) {
            (0, SeqIdRules::Slots { .. }) => Ok(()),
            (0, SeqIdRules::Half) => Err(Status::OLD_STATEID),
            _ => match rules.compare(seqid, self.seqid) {
                Ordering::Less => Err(Status::OLD_STATEID),
                Ordering::Equal => Ok(()),
                Ordering::Greater => Err(Status::BAD_STATEID),
            },
        }
    }

    /// Checks a stateid in a callback of NFSv4.1 on, whose seqid is zero unless the callback says
    /// otherwise, as CB_LAYOUTRECALL does (RFC 8881, section 8.2.2).
    ///
    /// # Errors
    /// [`Status::BAD_STATEID`].
    pub const fn check_in_callback(self) -> Result<(), Status> {
        if self.seqid == 0 { Ok(()) } else { Err(Status::BAD_STATEID) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: SeqIdRules = SeqIdRules::Half;
    const SLOTS: SeqIdRules = SeqIdRules::Slots { slots: 10 };

    fn state(seqid: u32) -> Stateid {
        Stateid { seqid, other: *b"twelve bytes" }
    }

    #[test]
    fn reserved_combinations() {
        let mut one_off = [0; 12];
        one_off[11] = 1;
        for (other, seqid, v41, v40) in [
            ([0; 12], 0, StateidKind::Anonymous, StateidKind::Anonymous),
            ([0; 12], 1, StateidKind::Current, StateidKind::Invalid),
            ([0; 12], 2, StateidKind::Invalid, StateidKind::Invalid),
            ([0; 12], u32::MAX, StateidKind::Invalid, StateidKind::Invalid),
            ([0xff; 12], u32::MAX, StateidKind::ReadBypass, StateidKind::ReadBypass),
            ([0xff; 12], 0, StateidKind::Invalid, StateidKind::Invalid),
            ([0xff; 12], 1, StateidKind::Invalid, StateidKind::Invalid),
            (one_off, 0, StateidKind::State, StateidKind::State),
            (one_off, u32::MAX, StateidKind::State, StateidKind::State),
        ] {
            let stateid = Stateid { seqid, other };
            assert_eq!((stateid.kind(), stateid.kind_v40()), (v41, v40), "{stateid:?}");
        }
        assert_eq!(Stateid::INVALID.kind(), StateidKind::Invalid);
        assert_eq!(Stateid::READ_BYPASS.kind(), StateidKind::ReadBypass);
        assert_eq!(Stateid::CURRENT.kind(), StateidKind::Current);
    }

    #[test]
    fn instances_of_version_0() {
        let (old, bad) = (Err(Status::OLD_STATEID), Err(Status::BAD_STATEID));
        for (latest, named, expected) in [
            (5, 5, Ok(())),
            (5, 4, old),
            (5, 6, bad),
            (5, 0, old),
            (0x9000_0000, 0, old),
            (1, u32::MAX, old),
            (u32::MAX, 1, bad),
            (1 << 31, 1, old),
            (1, 1 << 31, bad),
            (1, (1 << 31) + 1, old),
            ((1 << 31) + 1, 1, bad),
        ] {
            assert_eq!(state(latest).check(named, HALF), expected, "{named} for {latest}");
        }
    }

    #[test]
    fn instances_of_version_1() {
        let (old, bad) = (Err(Status::OLD_STATEID), Err(Status::BAD_STATEID));
        for (latest, named, expected) in [
            (5, 5, Ok(())),
            (5, 0, Ok(())),
            (5, 4, old),
            (5, 6, bad),
            (3, u32::MAX, old),
            (u32::MAX, 3, bad),
            (9, u32::MAX - 9, old),
            // One more than the slots: no wrap.
            (10, u32::MAX, bad),
            (9, u32::MAX - 10, bad),
            (u32::MAX, 10, old),
        ] {
            assert_eq!(state(latest).check(named, SLOTS), expected, "{named} for {latest}");
        }
    }

    #[test]
    fn order_is_antisymmetric() {
        let samples = [0, 1, 2, 9, 10, 11, (1 << 31) - 1, 1 << 31, u32::MAX - 10, u32::MAX];
        for rules in [HALF, SLOTS, SeqIdRules::Slots { slots: u32::MAX }] {
            for a in samples {
                for b in samples {
                    assert_eq!(rules.compare(a, b), rules.compare(b, a).reverse(), "{a} {b}");
                }
                assert_eq!(rules.compare(a, a), Ordering::Equal);
            }
        }
    }

    #[test]
    fn the_current_stateid() {
        let bad = Err(Status::BAD_STATEID);
        let latest = Ok(Stateid { seqid: 0, ..state(4) });
        assert_eq!(Stateid::CURRENT.resolve(Some(state(4)), false), latest);
        assert_eq!(Stateid::CURRENT.resolve(Some(state(4)), true), Ok(state(4)));
        assert_eq!(Stateid::CURRENT.resolve(None, false), bad);
        for special in [Stateid::ANONYMOUS, Stateid::CURRENT, Stateid::READ_BYPASS] {
            assert_eq!(Stateid::CURRENT.resolve(Some(special), true), bad, "{special:?}");
        }
        assert_eq!(Stateid::INVALID.resolve(Some(state(4)), false), bad);
        assert_eq!(state(2).resolve(Some(state(4)), false), Ok(state(2)));
        assert_eq!(Stateid::ANONYMOUS.resolve(None, false), Ok(Stateid::ANONYMOUS));
    }

    #[test]
    fn callbacks_name_no_instance() {
        assert_eq!(state(0).check_in_callback(), Ok(()));
        assert_eq!(state(1).check_in_callback(), Err(Status::BAD_STATEID));
    }
}
