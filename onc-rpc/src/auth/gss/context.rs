//! Context creation (RFC 2203, section 5.2): arguments and results of the overloaded procedure 0.

use nfswire_xdr::{Opaque, Piece, Scattered, xdr_open_enum, xdr_struct};

use super::{
    Qop, ReplyVerifierError, SecurityContext, SecurityError,
    security::{is_null, mic_auth},
};
use crate::{AuthFlavor, OpaqueAuth};

xdr_open_enum! {
    /// Major status of a GSS-API call, with the numbers of RFC 2203, appendix A: a calling error in
    /// the highest byte, a routine error in the next, supplementary bits in the rest.
    "gss_major" => pub struct MajorStatus {
        /// Done.
        "GSS_S_COMPLETE" COMPLETE = 0,
        /// Another token must be exchanged.
        "GSS_S_CONTINUE_NEEDED" CONTINUE_NEEDED = 1,
        /// Supplementary: the token was seen before.
        "GSS_S_DUPLICATE_TOKEN" DUPLICATE_TOKEN = 2,
        /// Supplementary: the token is too old to say.
        "GSS_S_OLD_TOKEN" OLD_TOKEN = 4,
        /// Supplementary: a later token came first.
        "GSS_S_UNSEQ_TOKEN" UNSEQ_TOKEN = 8,
        /// Supplementary: tokens before this one are missing.
        "GSS_S_GAP_TOKEN" GAP_TOKEN = 0x10,
        /// The mechanism is not supported.
        "GSS_S_BAD_MECH" BAD_MECH = 0x0001_0000,
        /// The name is invalid.
        "GSS_S_BAD_NAME" BAD_NAME = 0x0002_0000,
        /// The kind of name is not supported.
        "GSS_S_BAD_NAMETYPE" BAD_NAMETYPE = 0x0003_0000,
        /// The channel bindings are wrong.
        "GSS_S_BAD_BINDINGS" BAD_BINDINGS = 0x0004_0000,
        /// The status code is invalid.
        "GSS_S_BAD_STATUS" BAD_STATUS = 0x0005_0000,
        /// The checksum is wrong (also called `GSS_S_BAD_SIG`).
        "GSS_S_BAD_MIC" BAD_MIC = 0x0006_0000,
        /// There are no credentials.
        "GSS_S_NO_CRED" NO_CRED = 0x0007_0000,
        /// There is no context.
        "GSS_S_NO_CONTEXT" NO_CONTEXT = 0x0008_0000,
        /// The token is damaged.
        "GSS_S_DEFECTIVE_TOKEN" DEFECTIVE_TOKEN = 0x0009_0000,
        /// The credential is damaged.
        "GSS_S_DEFECTIVE_CREDENTIAL" DEFECTIVE_CREDENTIAL = 0x000a_0000,
        /// The credentials have expired.
        "GSS_S_CREDENTIALS_EXPIRED" CREDENTIALS_EXPIRED = 0x000b_0000,
        /// The context has expired.
        "GSS_S_CONTEXT_EXPIRED" CONTEXT_EXPIRED = 0x000c_0000,
        /// Another failure; the minor status says which.
        "GSS_S_FAILURE" FAILURE = 0x000d_0000,
        /// The quality of protection is not supported.
        "GSS_S_BAD_QOP" BAD_QOP = 0x000e_0000,
        /// The operation is not allowed.
        "GSS_S_UNAUTHORIZED" UNAUTHORIZED = 0x000f_0000,
        /// The operation is not available.
        "GSS_S_UNAVAILABLE" UNAVAILABLE = 0x0010_0000,
        /// The element is there already.
        "GSS_S_DUPLICATE_ELEMENT" DUPLICATE_ELEMENT = 0x0011_0000,
        /// The name has elements of several mechanisms.
        "GSS_S_NAME_NOT_MN" NAME_NOT_MN = 0x0012_0000,
        /// An argument could not be read.
        "GSS_S_CALL_INACCESSIBLE_READ" CALL_INACCESSIBLE_READ = 0x0100_0000,
        /// An argument could not be written.
        "GSS_S_CALL_INACCESSIBLE_WRITE" CALL_INACCESSIBLE_WRITE = 0x0200_0000,
        /// An argument was malformed.
        "GSS_S_CALL_BAD_STRUCTURE" CALL_BAD_STRUCTURE = 0x0300_0000,
    }
}

impl MajorStatus {
    /// Whether the GSS-API call failed: it has a calling error or a routine error.
    #[must_use]
    pub const fn is_error(self) -> bool {
        self.0 & 0xffff_0000 != 0
    }

    /// Whether context or credentials have expired: such failures have an `auth_stat` of their own
    /// (RFC 2203, section 5.3.3.3).
    #[must_use]
    pub const fn is_stale(self) -> bool {
        matches!(Self(self.0 & 0x00ff_0000), Self::CREDENTIALS_EXPIRED | Self::CONTEXT_EXPIRED)
    }
}

xdr_struct! {
    /// Arguments of [`Init`](super::ControlProcedure::Init) and
    /// [`ContinueInit`](super::ControlProcedure::ContinueInit) (RFC 2203, section 5.2.2).
    #[derive(Copy)]
    "rpc_gss_init_arg" => pub struct InitArgs<'a> {
        /// What `GSS_Init_sec_context` gave.
        "gss_token" => pub token: Opaque<'a>,
    }
}

xdr_struct! {
    /// Results of both (RFC 2203, section 5.2.3.1).
    #[derive(Copy)]
    "rpc_gss_init_res" => pub struct InitReply<'a> {
        /// The server's name for the context, the same in all replies; empty if it failed.
        pub handle: Opaque<'a>,
        /// What `GSS_Accept_sec_context` said.
        "gss_major" => pub major: MajorStatus,
        /// What the mechanism adds.
        "gss_minor" => pub minor: u32,
        /// Most calls that may be outstanding:
        /// [`SequenceWindow::size`](super::SequenceWindow::size).
        pub seq_window: u32,
        /// What `GSS_Accept_sec_context` gave; empty if it failed.
        "gss_token" => pub token: Opaque<'a>,
    }
}

impl InitReply<'_> {
    /// The context could not be made. Failures are results of an accepted call, whose verifier is
    /// `AUTH_NONE`: neither `RPCSEC_GSS_CREDPROBLEM` nor `RPCSEC_GSS_CTXPROBLEM` may answer a
    /// creation request (RFC 2203, section 5.2.3.2). A handle to go on with that is not known is
    /// [`MajorStatus::NO_CONTEXT`].
    #[must_use]
    pub fn failed(major: MajorStatus, minor: u32) -> Self {
        let none = Opaque::default();
        Self { handle: none, major, minor, seq_window: 0, token: none }
    }
}

/// Verifier of the reply that completes a context: the checksum of the window's size
/// (RFC 2203, section 5.2.3.1). While another token is needed, the verifier is `AUTH_NONE`.
///
/// # Errors
/// Those of [`SecurityContext::get_mic`].
pub fn window_verifier<'o>(
    seq_window: u32,
    security: &(impl SecurityContext + ?Sized),
    out: &'o mut [u8; OpaqueAuth::MAX_BODY],
) -> Result<OpaqueAuth<'o>, SecurityError> {
    mic_auth(&[Piece::Here(&seq_window.to_be_bytes())], Qop::DEFAULT, security, out)
}

/// Checks the verifier of a creation reply, as the client does.
///
/// # Errors
/// The verifier is not the one that the reply must have.
pub fn verify_window(
    reply: &InitReply<'_>,
    verifier: &OpaqueAuth<'_>,
    security: &(impl SecurityContext + ?Sized),
) -> Result<(), ReplyVerifierError> {
    let expected = if reply.major == MajorStatus::COMPLETE {
        AuthFlavor::GSS
    } else if is_null(verifier) {
        return Ok(());
    } else {
        AuthFlavor::NONE
    };
    if verifier.flavor != expected || expected == AuthFlavor::NONE {
        return Err(ReplyVerifierError::Flavor { flavor: verifier.flavor, expected });
    }
    let window = reply.seq_window.to_be_bytes();
    let pieces = [Piece::Here(&window)];
    let message = Scattered::new(&pieces).ok_or(SecurityError::FAILURE)?;
    security.verify_mic(&message, verifier.body.as_bytes())?;
    Ok(())
}
