//! Whom a call is served as.

use nfswire_rpc::{AuthStat, Credential, Groups, OpaqueAuth, credential_with};
use nfswire_xdr::Limits;

use crate::fs::Caller;

/// Which callers are served as nobody in particular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Squash {
    /// User 0 and group 0 are anonymous: a client's administrator is not the server's.
    #[default]
    Root,
    /// Everybody is anonymous.
    All,
    /// Nobody: the file system sees user 0 as user 0.
    None,
}

/// `chown` and the like read this number as "leave as it is", so it is nobody's.
const NO_ID: u32 = u32::MAX;

/// A caller as the credential says, or with a policy applied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    uid: u32,
    gid: u32,
    groups: Groups,
}

impl Identity {
    /// Reads a credential; the error is the answer to the call.
    pub(super) fn of(auth: &OpaqueAuth<'_>, limits: &Limits) -> Result<Self, AuthStat> {
        let Credential::Sys(sys) = credential_with(auth, limits)? else {
            return Ok(Self::anonymous());
        };
        Ok(Self { uid: sys.uid, gid: sys.gid, groups: sys.gids })
    }

    /// Applies the policy of an export.
    pub(super) fn squashed(&self, squash: Squash) -> Self {
        if squash == Squash::All {
            return Self::anonymous();
        }
        let squashed = |id: u32, anonymous: u32| match id {
            NO_ID => anonymous,
            0 if squash == Squash::Root => anonymous,
            _ => id,
        };
        let group = |gid| squashed(gid, Caller::ANONYMOUS.gid);
        let mut groups = [0; Groups::MAX];
        for (group_out, gid) in groups.iter_mut().zip(self.groups.as_slice()) {
            *group_out = group(*gid);
        }
        let groups = groups.get(..self.groups.len()).unwrap_or_default();
        Self {
            uid: squashed(self.uid, Caller::ANONYMOUS.uid),
            gid: group(self.gid),
            groups: Groups::truncated(groups),
        }
    }

    fn anonymous() -> Self {
        let Caller { uid, gid, .. } = Caller::ANONYMOUS;
        Self { uid, gid, groups: Groups::default() }
    }

    pub(super) fn caller(&self) -> Caller<'_> {
        Caller { uid: self.uid, gid: self.gid, gids: self.groups.as_slice() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use nfswire_rpc::{AuthFlavor, AuthSys};
    use nfswire_xdr::{Opaque, Text};

    use super::*;

    fn seen(uid: u32, gid: u32, gids: &[u32], squash: Squash) -> (u32, u32, Vec<u32>) {
        let machine_name = Text::new(b"client").unwrap();
        let sys = AuthSys { stamp: 0, machine_name, uid, gid, gids: Groups::new(gids).unwrap() };
        let mut body = [0; AuthSys::MAX_BODY];
        let identity = Identity::of(&sys.to_auth(&mut body), &Limits::LENIENT).unwrap();
        let identity = identity.squashed(squash);
        let caller = identity.caller();
        (caller.uid, caller.gid, caller.gids.to_vec())
    }

    #[test]
    fn root_is_squashed_unless_told_otherwise() {
        assert_eq!(seen(0, 0, &[0, 5], Squash::Root), (65534, 65534, vec![65534, 5]));
        assert_eq!(seen(0, 0, &[0, 5], Squash::None), (0, 0, vec![0, 5]));
        assert_eq!(seen(1000, 100, &[], Squash::Root), (1000, 100, vec![]));
        assert_eq!(seen(1000, 100, &[5], Squash::All), (65534, 65534, vec![]));
    }

    #[test]
    fn the_number_that_means_no_change_is_nobody() {
        let no = u32::MAX;
        assert_eq!(seen(no, no, &[no], Squash::None), (65534, 65534, vec![65534]));
    }

    #[test]
    fn no_credential_is_anonymous_and_a_bad_one_is_refused() {
        let identity = Identity::of(&OpaqueAuth::NONE, &Limits::LENIENT).unwrap();
        for squash in [Squash::Root, Squash::All, Squash::None] {
            assert_eq!(identity.squashed(squash).caller(), Caller::ANONYMOUS);
        }
        for flavor in [AuthFlavor::SYS, AuthFlavor::SHORT, AuthFlavor::TLS, AuthFlavor(99)] {
            let auth = OpaqueAuth { flavor, body: Opaque::new(b"abcd").unwrap() };
            let refused = Identity::of(&auth, &Limits::LENIENT).unwrap_err();
            assert_eq!(refused, AuthStat::BAD_CRED);
        }
    }

    #[test]
    fn pads_and_the_end_of_a_credential_are_read_like_those_of_a_call() {
        let machine_name = Text::new(b"abcde").unwrap();
        let sys = AuthSys { stamp: 0, machine_name, uid: 7, gid: 8, gids: Groups::default() };
        let mut body = [0; AuthSys::MAX_BODY];
        let mut body = sys.to_auth(&mut body).body.as_bytes().to_vec();
        // Behind stamp, length and name.
        body[4 + 4 + 5] = 1;
        body.extend([0; 4]);
        let auth = OpaqueAuth { flavor: AuthFlavor::SYS, body: Opaque::new(&body).unwrap() };
        assert_eq!(Identity::of(&auth, &Limits::LENIENT).unwrap().uid, 7);
        assert!(Identity::of(&auth, &Limits::STRICT).is_err());
    }
}
