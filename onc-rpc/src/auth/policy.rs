//! Which credentials a server takes.

use nfswire_xdr::Limits;

use super::{AuthFlavor, AuthStat, AuthSys, Credential, OpaqueAuth, gss};
use crate::CallHeader;

/// The flavors that a server takes. The default takes `AUTH_NONE` and `AUTH_SYS`.
///
/// ```
/// use nfswire_rpc::{AuthFlavor, AuthPolicy, AuthStat, CallHeader, OpaqueAuth, gss};
/// use nfswire_xdr::Limits;
/// # let call = CallHeader { xid: 7, program: 100_003, version: 3, procedure: 1,
/// #     credential: OpaqueAuth::NONE, verifier: OpaqueAuth::NONE };
/// // Kerberos only, but TLS may come first.
/// let policy = AuthPolicy {
///     none: false,
///     sys: false,
///     gss: Some(gss::Version::V3),
///     tls: true,
///     ..AuthPolicy::default()
/// };
/// assert_eq!(policy.credential(&call, &Limits::STRICT), Err(AuthStat::TOO_WEAK));
/// let probe = CallHeader { procedure: 0, credential: OpaqueAuth::TLS, ..call };
/// assert!(policy.credential(&probe, &Limits::STRICT).is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made by update from the default")]
pub struct AuthPolicy {
    /// `AUTH_NONE`. Clients ping procedure 0 with it, whatever the server wants for the others.
    pub none: bool,
    /// `AUTH_SYS`.
    pub sys: bool,
    /// `AUTH_SHORT`: only for a server that gives out shorthands. One that it does not remember is
    /// [`AuthStat::REJECTED_CRED`] (RFC 5531, appendix A).
    pub short: bool,
    /// `AUTH_DH`, whose body the caller reads.
    pub dh: bool,
    /// RPCSEC_GSS, up to this version.
    pub gss: Option<gss::Version>,
    /// TLS is offered on this connection, which does not have it yet.
    pub tls: bool,
}

impl Default for AuthPolicy {
    fn default() -> Self {
        Self { none: true, sys: true, short: false, dh: false, gss: None, tls: false }
    }
}

impl AuthPolicy {
    /// Reads the credential of a call within `limits`, those of the cursor that the call was read
    /// with, and checks that the verifier is of the flavor that belongs to it. What a verifier of
    /// RPCSEC_GSS must be depends on more: [`gss::Call::new`] judges it.
    ///
    /// # Errors
    /// What goes into [`ReplyHeader::auth_error`](crate::ReplyHeader::auth_error); the connection
    /// stays open.
    ///
    /// | call | reason |
    /// |---|---|
    /// | a flavor that [`Credential`] does not list, a malformed body | [`AuthStat::BAD_CRED`] |
    /// | a flavor that it lists and that the policy does not take | [`AuthStat::TOO_WEAK`] |
    /// | `AUTH_TLS` on another procedure than 0, with a body, or where TLS is not offered (RFC 9289, section 4.1) | [`AuthStat::BAD_CRED`] |
    /// | a version of RPCSEC_GSS above the highest (RFC 2203, section 5.1) | [`AuthStat::REJECTED_CRED`] |
    /// | a verifier of the wrong flavor | [`AuthStat::BAD_VERF`] |
    #[inline]
    pub fn credential<'a>(
        &self,
        call: &CallHeader<'a>,
        limits: &'a Limits,
    ) -> Result<Credential<'a>, AuthStat> {
        let CallHeader { credential, verifier, .. } = call;
        let (taken, verified_by) = match credential.flavor {
            AuthFlavor::SYS => (self.sys, AuthFlavor::NONE),
            AuthFlavor::NONE => (self.none, AuthFlavor::NONE),
            AuthFlavor::SHORT => (self.short, AuthFlavor::NONE),
            AuthFlavor::DH => (self.dh, AuthFlavor::DH),
            AuthFlavor::GSS => return self.gss(credential, limits),
            AuthFlavor::TLS => return self.probe(call),
            _ => return Err(AuthStat::BAD_CRED),
        };
        if !taken {
            return Err(AuthStat::TOO_WEAK);
        }
        let read = match credential.flavor {
            AuthFlavor::SYS => AuthSys::from_auth_with(credential, limits)
                .map(Credential::Sys)
                .map_err(|_| AuthStat::BAD_CRED)?,
            AuthFlavor::SHORT => Credential::Short(credential.body),
            AuthFlavor::DH => Credential::Dh(credential.body),
            _ => Credential::None,
        };
        if verifier.flavor != verified_by {
            return Err(AuthStat::BAD_VERF);
        }
        Ok(read)
    }

    fn gss<'a>(
        &self,
        credential: &OpaqueAuth<'a>,
        limits: &'a Limits,
    ) -> Result<Credential<'a>, AuthStat> {
        let highest = self.gss.ok_or(AuthStat::TOO_WEAK)?;
        let credential = gss::Credential::from_auth(credential, limits)
            .map_err(|refusal| refusal.auth_stat().unwrap_or(AuthStat::BAD_CRED))?;
        if credential.version > highest {
            return Err(AuthStat::REJECTED_CRED);
        }
        Ok(Credential::Gss(credential))
    }

    fn probe<'a>(&self, call: &CallHeader<'_>) -> Result<Credential<'a>, AuthStat> {
        if !self.tls || call.procedure != 0 || !call.credential.body.is_empty() {
            return Err(AuthStat::BAD_CRED);
        }
        if call.verifier != OpaqueAuth::NONE {
            return Err(AuthStat::BAD_VERF);
        }
        Ok(Credential::Tls)
    }
}
