//! Who the client is: an AUTH_SYS credential (RFC 5531, appendix A).

use nfswire_rpc::{AuthSys, Groups, OpaqueAuth};
use nfswire_xdr::{Opaque, Text};

/// A credential, encoded once and used in every call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    body: Vec<u8>,
}

impl Identity {
    /// User and groups as given. Of more than 16 groups the first 16 count, which is all that the wire can carry.
    #[must_use]
    pub fn new(uid: u32, gid: u32, groups: &[u32]) -> Self {
        let name = rustix::system::uname();
        let name = name.nodename().to_bytes();
        let user = AuthSys {
            stamp: std::process::id(),
            machine_name: Text::new(name).unwrap_or_default(),
            uid,
            gid,
            gids: Groups::truncated(groups),
        };
        let mut buffer = [0; AuthSys::MAX_BODY];
        Self { body: user.to_auth(&mut buffer).body.to_vec() }
    }

    /// The user that runs this process.
    #[must_use]
    pub fn of_process() -> Self {
        let groups = rustix::process::getgroups().unwrap_or_default();
        let groups: Vec<u32> = groups.iter().map(|gid| gid.as_raw()).collect();
        Self::new(rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw(), &groups)
    }

    /// The credential of a call.
    #[must_use]
    pub fn credential(&self) -> OpaqueAuth<'_> {
        // At most AuthSys::MAX_BODY bytes, which is below the limit of an opaque_auth.
        let body = Opaque::new(&self.body).unwrap_or_default();
        OpaqueAuth { flavor: nfswire_rpc::AuthFlavor::SYS, body }
    }
}
