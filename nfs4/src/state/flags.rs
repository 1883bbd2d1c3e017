//! Flags of EXCHANGE_ID and SEQUENCE: who may set which, and what follows from them.

use crate::{
    Status,
    ops::{client::ExchangeFlags, session::SequenceStatus},
};

//--- EXCHANGE_ID ---

/// The combinations of roles that a server may return, the higher ones first (RFC 8881, section
/// 13.1).
const ROLES: [ExchangeFlags; 5] = [
    ExchangeFlags::USE_PNFS_MDS.with(ExchangeFlags::USE_PNFS_DS),
    ExchangeFlags::USE_PNFS_MDS,
    ExchangeFlags::USE_PNFS_DS.with(ExchangeFlags::USE_NON_PNFS),
    ExchangeFlags::USE_PNFS_DS,
    ExchangeFlags::USE_NON_PNFS,
];

const CAPABILITIES: ExchangeFlags = ExchangeFlags::SUPP_MOVED_REFER
    .with(ExchangeFlags::SUPP_MOVED_MIGR)
    .with(ExchangeFlags::SUPP_FENCE_OPS)
    .with(ExchangeFlags::BIND_PRINC_STATEID);

/// Rules of RFC 8881, sections 13.1 and 18.35.3, and of RFC 7862, section 14.1.
///
/// ```
/// use nfswire_nfs4::ops::client::ExchangeFlags;
///
/// let server = ExchangeFlags::USE_PNFS_MDS | ExchangeFlags::USE_PNFS_DS;
/// let asked = ExchangeFlags::USE_PNFS_DS | ExchangeFlags::SUPP_MOVED_REFER;
/// asked.check_args(1).unwrap();
/// let reply = asked.reply(server, true, 1);
/// assert_eq!(reply, ExchangeFlags::USE_PNFS_DS | ExchangeFlags::CONFIRMED_R);
/// assert!(reply.has_legal_roles());
/// ```
impl ExchangeFlags {
    /// Every flag that a client may set in this minor version.
    #[must_use]
    pub const fn of_args(minor_version: u32) -> Self {
        Self::of_version(minor_version).with(Self::UPD_CONFIRMED_REC_A)
    }

    /// Every flag that a server may set in this minor version.
    #[must_use]
    pub const fn of_reply(minor_version: u32) -> Self {
        Self::of_version(minor_version).with(Self::CONFIRMED_R)
    }

    const fn of_version(minor_version: u32) -> Self {
        let all = CAPABILITIES.with(Self::MASK_PNFS);
        if minor_version >= 2 { all } else { all.without(Self::SUPP_FENCE_OPS) }
    }

    /// Checks `eia_flags`.
    ///
    /// # Errors
    /// [`Status::INVAL`]: bits that are not defined, or [`CONFIRMED_R`](Self::CONFIRMED_R), which
    /// is the server's.
    pub const fn check_args(self, minor_version: u32) -> Result<(), Status> {
        let foreign = self.without(Self::of_args(minor_version));
        if foreign.is_empty() { Ok(()) } else { Err(Status::INVAL) }
    }

    /// Whether the roles in a reply are among the five combinations that a server may return:
    /// metadata server, with or without data server; no pNFS, with or without data server; data
    /// server.
    #[must_use]
    pub fn has_legal_roles(self) -> bool {
        ROLES.contains(&(self & Self::MASK_PNFS))
    }

    /// `eir_flags` for the client that sent these `eia_flags`. `server` has the server's
    /// capabilities, and the roles that it serves with one client id; `confirmed` is what
    /// [`ExchangeId::is_confirmed`](super::ExchangeId::is_confirmed) says.
    ///
    /// The roles are those of the server's legal combinations that has most of those asked for, and
    /// fewest others; the highest one, if the client asks for none that the server has. No roles at
    /// all in `server` mean no pNFS.
    #[must_use]
    pub fn reply(self, server: Self, confirmed: bool, minor_version: u32) -> Self {
        let has = match server & Self::MASK_PNFS {
            Self::EMPTY => Self::USE_NON_PNFS,
            has => has,
        };
        let wanted = self & has;
        // Of equals `min_by_key` takes the first.
        let legal = ROLES.into_iter().filter(|roles| has.contains(*roles));
        let roles = legal.min_by_key(|roles| {
            let missing = wanted.without(*roles).0.count_ones();
            let others = if wanted.is_empty() { 0 } else { roles.without(wanted).0.count_ones() };
            (missing, others)
        });
        let confirmed = if confirmed { Self::CONFIRMED_R } else { Self::EMPTY };
        let capabilities = server & CAPABILITIES & Self::of_version(minor_version);
        capabilities | roles.unwrap_or(Self::USE_NON_PNFS) | confirmed
    }
}

//--- SEQUENCE ---

/// Why a server revoked state (RFC 8881, section 18.46.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RevokeReason {
    /// The lease expired, and all state went.
    LeaseAll,
    /// The lease expired, and what was in another client's way went.
    LeaseSome,
    /// An administrator wanted it.
    Admin,
    /// It was recalled, and not returned.
    Recall,
}

impl RevokeReason {
    /// The flag that tells.
    #[must_use]
    pub const fn flag(self) -> SequenceStatus {
        match self {
            Self::LeaseAll => SequenceStatus::EXPIRED_ALL_STATE_REVOKED,
            Self::LeaseSome => SequenceStatus::EXPIRED_SOME_STATE_REVOKED,
            Self::Admin => SequenceStatus::ADMIN_STATE_REVOKED,
            Self::Recall => SequenceStatus::RECALLABLE_STATE_REVOKED,
        }
    }

    /// What an operation with a stateid of such state fails with (RFC 8881, section 15.1.5).
    #[must_use]
    pub const fn status(self) -> Status {
        match self {
            Self::LeaseAll | Self::LeaseSome => Status::EXPIRED,
            Self::Admin => Status::ADMIN_REVOKED,
            Self::Recall => Status::DELEG_REVOKED,
        }
    }
}

/// How many revoked stateids of a client wait for FREE_STATEID: their flags stay until then (RFC
/// 8881, section 18.46.3).
///
/// ```
/// use nfswire_nfs4::ops::session::SequenceStatus;
/// use nfswire_nfs4::state::{RevokeReason, RevokedCounts};
///
/// let mut revoked = RevokedCounts::default();
/// revoked.revoked(RevokeReason::Recall);
/// assert_eq!(revoked.flags(), SequenceStatus::RECALLABLE_STATE_REVOKED);
/// revoked.freed(RevokeReason::Recall);
/// assert!(revoked.flags().is_empty());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RevokedCounts {
    lease_all: u32,
    lease_some: u32,
    admin: u32,
    recall: u32,
}

impl RevokedCounts {
    const fn of(&mut self, reason: RevokeReason) -> &mut u32 {
        match reason {
            RevokeReason::LeaseAll => &mut self.lease_all,
            RevokeReason::LeaseSome => &mut self.lease_some,
            RevokeReason::Admin => &mut self.admin,
            RevokeReason::Recall => &mut self.recall,
        }
    }

    /// A stateid's state was revoked.
    pub const fn revoked(&mut self, reason: RevokeReason) {
        let count = self.of(reason);
        *count = count.saturating_add(1);
    }

    /// The client freed such a stateid.
    pub const fn freed(&mut self, reason: RevokeReason) {
        let count = self.of(reason);
        *count = count.saturating_sub(1);
    }

    /// The flags that every SEQUENCE of the client returns.
    #[must_use]
    pub fn flags(&self) -> SequenceStatus {
        [
            (self.lease_all, RevokeReason::LeaseAll),
            (self.lease_some, RevokeReason::LeaseSome),
            (self.admin, RevokeReason::Admin),
            (self.recall, RevokeReason::Recall),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .fold(SequenceStatus::EMPTY, |flags, (_, reason)| flags | reason.flag())
    }
}

/// What a client does about flags of SEQUENCE (RFC 8881, section 18.46.3), the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SequenceAction {
    /// Send nothing more, wait for what is outstanding in both directions, and destroy the session.
    DestroySession,
    /// Reclaim all state, then say RECLAIM_COMPLETE.
    Reclaim,
    /// All locks are lost: tell the applications, and free every stateid, or begin anew with
    /// EXCHANGE_ID. The lease was not renewed.
    FreeAll,
    /// Some state is lost: find out which with TEST_STATEID, and free it with FREE_STATEID.
    TestStateids,
    /// Bind a connection to the backchannel with BIND_CONN_TO_SESSION, of this session if `session`,
    /// or else of any of the client's.
    BindBackchannel {
        /// This session's.
        session: bool,
    },
    /// Give the backchannel new GSS contexts, with BACKCHANNEL_CTL or new SSV handles.
    RenewContexts,
    /// State has moved to other servers: ask each file system for `fs_locations`.
    FindMoved,
    /// Device ids have changed or are gone: ask GETDEVICEINFO about those in use.
    CheckDevices,
}

impl SequenceStatus {
    /// The flags about revoked state, which stay until FREE_STATEID.
    pub const REVOKED: Self = Self::EXPIRED_ALL_STATE_REVOKED
        .with(Self::EXPIRED_SOME_STATE_REVOKED)
        .with(Self::ADMIN_STATE_REVOKED)
        .with(Self::RECALLABLE_STATE_REVOKED);

    /// Whether a SEQUENCE that succeeds with these flags renews the lease (RFC 8881, section
    /// 18.46.3).
    #[must_use]
    pub const fn renews_lease(self) -> bool {
        !self.contains(Self::EXPIRED_ALL_STATE_REVOKED)
    }

    /// What a client does, the most urgent first. Flags in a reply may be older than those in one
    /// that came before (section 2.10.6.1.1): what was done already may be asked for again.
    pub fn actions(self) -> impl Iterator<Item = SequenceAction> {
        let some = Self::REVOKED.without(Self::EXPIRED_ALL_STATE_REVOKED);
        let contexts = Self::CB_GSS_CONTEXTS_EXPIRING | Self::CB_GSS_CONTEXTS_EXPIRED;
        let devices = Self::DEVID_CHANGED | Self::DEVID_DELETED;
        let session = self.contains(Self::CB_PATH_DOWN_SESSION);
        [
            (Self::BACKCHANNEL_FAULT, SequenceAction::DestroySession),
            (Self::RESTART_RECLAIM_NEEDED, SequenceAction::Reclaim),
            (Self::EXPIRED_ALL_STATE_REVOKED, SequenceAction::FreeAll),
            (some, SequenceAction::TestStateids),
            (
                Self::CB_PATH_DOWN | Self::CB_PATH_DOWN_SESSION,
                SequenceAction::BindBackchannel { session },
            ),
            (contexts, SequenceAction::RenewContexts),
            (Self::LEASE_MOVED, SequenceAction::FindMoved),
            (devices, SequenceAction::CheckDevices),
        ]
        .into_iter()
        .filter(move |(flags, _)| self.intersects(*flags))
        .map(|(_, action)| action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NON: ExchangeFlags = ExchangeFlags::USE_NON_PNFS;
    const MDS: ExchangeFlags = ExchangeFlags::USE_PNFS_MDS;
    const DS: ExchangeFlags = ExchangeFlags::USE_PNFS_DS;
    const NONE: ExchangeFlags = ExchangeFlags::EMPTY;

    fn roles() -> impl Iterator<Item = ExchangeFlags> {
        (0..8).map(|bits| ExchangeFlags(bits << 16))
    }

    #[test]
    fn five_combinations_of_roles() {
        for roles in roles() {
            let legal = [MDS, MDS | DS, DS, NON, DS | NON].contains(&roles);
            assert_eq!(roles.has_legal_roles(), legal, "{roles:?}");
            let with_others = roles | ExchangeFlags::CONFIRMED_R | ExchangeFlags::SUPP_MOVED_MIGR;
            assert_eq!(with_others.has_legal_roles(), legal, "{roles:?}");
        }
    }

    #[test]
    fn each_bit_has_its_side() {
        let args = [0, 1, 8, 16, 17, 18, 30];
        let reply = [0, 1, 8, 16, 17, 18, 31];
        for bit in 0..32 {
            let flag = ExchangeFlags(1 << bit);
            for minor in [1, 2] {
                let fence = bit == 2 && minor == 2;
                assert_eq!(flag.check_args(minor).is_ok(), args.contains(&bit) || fence, "{bit}");
                let in_reply = ExchangeFlags::of_reply(minor).contains(flag);
                assert_eq!(in_reply, reply.contains(&bit) || fence, "{bit}");
            }
        }
        assert_eq!((NON | MDS | DS).check_args(1), Ok(()), "a client may contradict itself");
        assert_eq!((MDS | ExchangeFlags::CONFIRMED_R).check_args(2), Err(Status::INVAL));
    }

    #[test]
    fn roles_of_a_reply() {
        for (asked, server, expected) in [
            // The RFC's example.
            (NON | MDS | DS, MDS | DS, MDS | DS),
            (NONE, MDS | DS, MDS | DS),
            (MDS, MDS | DS, MDS),
            (DS, MDS | DS, DS),
            (NON, MDS | DS, MDS | DS),
            (NON, DS | NON, NON),
            (DS, DS | NON, DS),
            (MDS, DS | NON, DS | NON),
            (NONE, NONE, NON),
            (MDS, NONE, NON),
            (MDS | DS, NON, NON),
            (NON | MDS, NON | MDS | DS, MDS),
            (NON | DS, NON | MDS | DS, DS | NON),
            (NONE, NON | MDS, MDS),
        ] {
            assert_eq!(asked.reply(server, false, 1), expected, "{asked:?} of {server:?}");
        }
    }

    #[test]
    fn every_reply_is_legal() {
        for asked in roles() {
            for server in roles() {
                for minor in [1, 2] {
                    let all = ExchangeFlags(u32::MAX).without(ExchangeFlags::MASK_PNFS);
                    let reply = (asked | all).reply(server | all, asked.is_empty(), minor);
                    assert!(reply.has_legal_roles(), "{reply:?}");
                    assert!(ExchangeFlags::of_reply(minor).contains(reply), "{reply:?}");
                    let confirmed = reply.contains(ExchangeFlags::CONFIRMED_R);
                    assert_eq!(confirmed, asked.is_empty());
                    assert_eq!(reply.contains(ExchangeFlags::SUPP_FENCE_OPS), minor == 2);
                }
            }
        }
    }

    #[test]
    fn capabilities_are_the_server_s() {
        let server = NON | ExchangeFlags::SUPP_MOVED_REFER | ExchangeFlags::BIND_PRINC_STATEID;
        let asked = ExchangeFlags::SUPP_MOVED_MIGR | ExchangeFlags::UPD_CONFIRMED_REC_A;
        assert_eq!(asked.reply(server, true, 2), server | ExchangeFlags::CONFIRMED_R);
    }

    #[test]
    fn actions_of_each_flag() {
        use SequenceAction::*;
        for (bit, expected) in [
            (0, BindBackchannel { session: false }),
            (1, RenewContexts),
            (2, RenewContexts),
            (3, FreeAll),
            (4, TestStateids),
            (5, TestStateids),
            (6, TestStateids),
            (7, FindMoved),
            (8, Reclaim),
            (9, BindBackchannel { session: true }),
            (10, DestroySession),
            (11, CheckDevices),
            (12, CheckDevices),
        ] {
            let flags = SequenceStatus(1 << bit);
            assert!(flags.actions().eq([expected]), "{flags:?}");
            assert_eq!(flags.renews_lease(), bit != 3);
        }
        assert_eq!(SequenceStatus(!0x1fff).actions().count(), 0, "unknown flags ask for nothing");
        let all = SequenceStatus(u32::MAX);
        assert_eq!(all.actions().count(), 8);
        assert!(all.actions().is_sorted());
        assert!(!all.renews_lease() && SequenceStatus::EMPTY.renews_lease());
    }

    #[test]
    fn flags_stay_until_the_last_is_freed() {
        use RevokeReason::*;
        for reason in [LeaseAll, LeaseSome, Admin, Recall] {
            let mut counts = RevokedCounts::default();
            counts.revoked(reason);
            counts.revoked(reason);
            counts.freed(reason);
            assert_eq!(counts.flags(), reason.flag());
            assert!(SequenceStatus::REVOKED.contains(reason.flag()));
            counts.freed(reason);
            assert_eq!(counts.flags(), SequenceStatus::EMPTY);
            counts.freed(reason);
            assert_eq!(counts, RevokedCounts::default());
        }
        let mut counts = RevokedCounts::default();
        for reason in [LeaseAll, LeaseSome, Admin, Recall] {
            counts.revoked(reason);
        }
        assert_eq!(counts.flags(), SequenceStatus::REVOKED);
        let statuses = [LeaseAll, LeaseSome, Admin, Recall].map(RevokeReason::status);
        assert_eq!(statuses.map(|status| status.0), [10011, 10011, 10047, 10087]);
    }
}
