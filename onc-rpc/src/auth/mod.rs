//! Authentication fields of calls and replies (RFC 5531, section 8).

pub mod gss;
mod policy;
mod sys;
mod tls;

use nfswire_xdr::{Limits, Opaque, xdr_open_enum, xdr_struct};

pub use policy::AuthPolicy;
pub use sys::{AuthSys, Groups, TooManyGroups};

xdr_open_enum! {
    /// How the body of an [`OpaqueAuth`] is to be read (RFC 5531, sections 8.2 and 14, and the
    /// registry "RPC Authentication Flavor Numbers"). Unknown numbers survive.
    "auth_flavor" => pub struct AuthFlavor {
        /// No authentication.
        "AUTH_NONE" NONE = 0,
        /// User and group numbers, unproven: [`AuthSys`].
        "AUTH_SYS" SYS = 1,
        /// Shorthand that a server gave out in a reply's verifier.
        "AUTH_SHORT" SHORT = 2,
        /// Diffie-Hellman (RFC 2695); insecure.
        "AUTH_DH" DH = 3,
        /// Kerberos version 4 (RFC 2695).
        "AUTH_KERB" KERB = 4,
        /// Registered without a description.
        "AUTH_RSA" RSA = 5,
        /// GSS-API (RFC 2203, 5403, 7861).
        "RPCSEC_GSS" GSS = 6,
        /// Asks whether the peer speaks TLS (RFC 9289, section 4.1).
        "AUTH_TLS" TLS = 7,
        /// Registered without a description.
        "AUTH_NW" NW = 30001,
        /// Registered without a description.
        "AUTH_SEC" SEC = 200_000,
        /// Registered without a description.
        "AUTH_ESV" ESV = 200_004,
        /// Registered without a description.
        "AUTH_NQNFS" NQNFS = 300_000,
        /// Registered without a description.
        "AUTH_GSSAPI" GSSAPI = 300_001,
        /// Registered without a description.
        "AUTH_ILU_UGEN" ILU_UGEN = 300_002,
        /// Registered without a description.
        "AUTH_SPNEGO" SPNEGO = 390_000,
        /// Pseudo-flavor: RPCSEC_GSS with Kerberos V5, no protection of the data (RFC 2623).
        "RPC_GSS_KRB5" GSS_KRB5 = 390_003,
        /// Pseudo-flavor: RPCSEC_GSS with Kerberos V5 and integrity (RFC 2623).
        "RPC_GSS_KRB5I" GSS_KRB5I = 390_004,
        /// Pseudo-flavor: RPCSEC_GSS with Kerberos V5 and privacy (RFC 2623).
        "RPC_GSS_KRB5P" GSS_KRB5P = 390_005,
    }
}

xdr_open_enum! {
    /// Why authentication failed (RFC 5531, section 9).
    "auth_stat" => pub struct AuthStat {
        /// No failure.
        "AUTH_OK" OK = 0,
        /// Bad credential: seal broken, malformed, or of a flavor that is not served.
        "AUTH_BADCRED" BAD_CRED = 1,
        /// The client must begin a new session.
        "AUTH_REJECTEDCRED" REJECTED_CRED = 2,
        /// Bad verifier: seal broken or malformed.
        "AUTH_BADVERF" BAD_VERF = 3,
        /// Verifier expired or replayed.
        "AUTH_REJECTEDVERF" REJECTED_VERF = 4,
        /// Rejected for security reasons.
        "AUTH_TOOWEAK" TOO_WEAK = 5,
        /// Bogus response verifier (found by the client).
        "AUTH_INVALIDRESP" INVALID_RESP = 6,
        /// Reason unknown (found by the client).
        "AUTH_FAILED" FAILED = 7,
        /// Kerberos version 4: generic error.
        "AUTH_KERB_GENERIC" KERB_GENERIC = 8,
        /// Kerberos version 4: credential expired.
        "AUTH_TIMEEXPIRE" TIME_EXPIRE = 9,
        /// Kerberos version 4: problem with the ticket file.
        "AUTH_TKT_FILE" TKT_FILE = 10,
        /// Kerberos version 4: authenticator cannot be decoded.
        "AUTH_DECODE" DECODE = 11,
        /// Kerberos version 4: wrong network address in the ticket.
        "AUTH_NET_ADDR" NET_ADDR = 12,
        /// RPCSEC_GSS: no credentials for the user (RFC 2203).
        "RPCSEC_GSS_CREDPROBLEM" GSS_CREDPROBLEM = 13,
        /// RPCSEC_GSS: problem with the context (RFC 2203).
        "RPCSEC_GSS_CTXPROBLEM" GSS_CTXPROBLEM = 14,
        /// RPCSEC_GSS version 3: problem with the inner context (RFC 7861, section 2.7.1.1).
        "RPCSEC_GSS_INNER_CREDPROBLEM" GSS_INNER_CREDPROBLEM = 15,
        /// RPCSEC_GSS version 3: label not supported (RFC 7861, section 2.7.1.3).
        "RPCSEC_GSS_LABEL_PROBLEM" GSS_LABEL_PROBLEM = 16,
        /// RPCSEC_GSS version 3: privilege not supported (RFC 7861, section 2.7.1.4).
        "RPCSEC_GSS_PRIVILEGE_PROBLEM" GSS_PRIVILEGE_PROBLEM = 17,
        /// RPCSEC_GSS version 3: assertion not recognized (RFC 7861, section 2.7.1.4).
        "RPCSEC_GSS_UNKNOWN_MESSAGE" GSS_UNKNOWN_MESSAGE = 18,
    }
}

xdr_struct! {
    /// Credential or verifier: a flavor and a body of at most 400 bytes that the flavor explains
    /// (RFC 5531, section 8.2).
    #[derive(Copy)]
    "opaque_auth" => pub struct OpaqueAuth<'a> {
        /// How to read the body.
        pub flavor: AuthFlavor,
        /// At most 400 bytes; kept as they are.
        pub body: Opaque<'a, 400>,
    }
}

impl OpaqueAuth<'_> {
    /// Longest body, in bytes.
    pub const MAX_BODY: usize = 400;

    /// `AUTH_NONE` with an empty body.
    pub const NONE: OpaqueAuth<'static> = OpaqueAuth {
        flavor: AuthFlavor::NONE,
        body: match Opaque::new(&[]) {
            Some(body) => body,
            None => unreachable!(),
        },
    };
}

impl Default for OpaqueAuth<'_> {
    fn default() -> Self {
        OpaqueAuth::NONE
    }
}

/// Who a call says its caller is, in the flavors that this crate reads itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential<'a> {
    /// `AUTH_NONE`: nobody.
    None,
    /// `AUTH_SYS`: user and groups, as the client says.
    Sys(AuthSys<'a>),
    /// `AUTH_SHORT`: what the server gave out in a reply's verifier.
    Short(Opaque<'a, 400>),
    /// `AUTH_DH`: the body as it is.
    Dh(Opaque<'a, 400>),
    /// RPCSEC_GSS: to be judged by [`gss::Call::new`].
    Gss(gss::Credential<'a>),
    /// `AUTH_TLS`: the client asks for TLS. Answer with [`ReplyHeader::starttls`], send nothing
    /// more, and begin the handshake.
    ///
    /// [`ReplyHeader::starttls`]: crate::ReplyHeader::starttls
    Tls,
}

/// Reads a call's credential, of one of the flavors `AUTH_NONE` and `AUTH_SYS`. A server that takes
/// more of them, or fewer, has an [`AuthPolicy`].
///
/// A body of `AUTH_NONE` is ignored: RFC 5531 (section 10.1) recommends, but does not demand, that
/// it is empty.
///
/// # Errors
/// [`AuthStat::BAD_CRED`] if the body is not what its flavor prescribes, and for every other flavor.
/// It goes into [`ReplyHeader::auth_error`](crate::ReplyHeader::auth_error); the connection stays
/// open.
#[inline]
pub fn credential<'a>(auth: &OpaqueAuth<'a>) -> Result<Credential<'a>, AuthStat> {
    credential_with(auth, &Limits::STRICT)
}

/// Reads a call's credential as leniently as `limits` say: those of the cursor that the call was
/// read with.
///
/// # Errors
/// Those of [`credential`].
#[inline]
pub fn credential_with<'a>(
    auth: &OpaqueAuth<'a>,
    limits: &'a Limits,
) -> Result<Credential<'a>, AuthStat> {
    match auth.flavor {
        AuthFlavor::NONE => Ok(Credential::None),
        AuthFlavor::SYS => AuthSys::from_auth_with(auth, limits)
            .map(Credential::Sys)
            .map_err(|_| AuthStat::BAD_CRED),
        _ => Err(AuthStat::BAD_CRED),
    }
}
