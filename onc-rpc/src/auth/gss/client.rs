//! What a client does: sign its calls and check the verifiers of replies.

use nfswire_xdr::{DecodeError, Encode, Limits, Opaque, Piece};
use thiserror::Error;

use super::{
    BindChannelReply, BindChannelVerifier, BindChannelVerifierReply, ChannelPrefix,
    ControlProcedure, Credential, MajorStatus, Oid, Qop, SecurityContext, SecurityError, Service,
    security::{is_null, mic_auth, verify},
    server::{header_bytes, opaque_pieces, with_bind_reply, with_reply_bytes},
};
use crate::{AuthFlavor, CallHeader, OpaqueAuth};

/// Longest header up to and including the credential, and an empty verifier.
const MAX_HEADER: usize = 24 + 8 + OpaqueAuth::MAX_BODY + 8;

/// Why the verifier of a reply proves nothing. The reply must not be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReplyVerifierError {
    /// It is of the wrong flavor.
    #[error("the reply's verifier is of flavor {flavor} instead of {expected}: drop the reply")]
    Flavor {
        /// Its flavor.
        flavor: AuthFlavor,
        /// The flavor that it must have, with an empty body if that is `AUTH_NONE`.
        expected: AuthFlavor,
    },
    /// Its body is malformed.
    #[error("the reply's verifier is malformed: {0}; drop the reply")]
    Malformed(#[from] DecodeError),
    /// The checksum is wrong.
    #[error("the reply could not be verified: {0}; drop the reply")]
    Security(#[from] SecurityError),
}

/// The credential of a call of one's own.
fn credential<'a>(call: &CallHeader<'a>) -> Result<Credential<'a>, SecurityError> {
    Credential::from_auth(&call.credential, &Limits::STRICT)
        .map_err(|_| SecurityError::Status(MajorStatus::DEFECTIVE_CREDENTIAL))
}

/// Hands `f` the bytes of a call up to and including its credential.
fn with_header<R>(
    call: &CallHeader<'_>,
    f: impl FnOnce(&[u8]) -> Result<R, SecurityError>,
) -> Result<R, SecurityError> {
    let mut bytes = [0; MAX_HEADER];
    let unsigned = CallHeader { verifier: OpaqueAuth::NONE, ..*call };
    unsigned.write(&mut bytes).ok_or(SecurityError::FAILURE)?;
    f(header_bytes(&bytes, call).ok_or(SecurityError::FAILURE)?)
}

/// Gives a call its verifier: the checksum of its header (RFC 2203, section 5.3.1), or `AUTH_NONE` in
/// creation requests and for [`Service::CHANNEL_PROT`].
///
/// # Errors
/// Those of [`SecurityContext::get_mic`]; [`MajorStatus::DEFECTIVE_CREDENTIAL`] if the call's
/// credential is not one of RPCSEC_GSS.
pub fn sign<'o>(
    call: &CallHeader<'o>,
    qop: Qop,
    security: &(impl SecurityContext + ?Sized),
    out: &'o mut [u8; OpaqueAuth::MAX_BODY],
) -> Result<CallHeader<'o>, SecurityError> {
    let body = credential(call)?.body;
    let creation =
        matches!(body.procedure, ControlProcedure::Init | ControlProcedure::ContinueInit);
    let verifier = if creation || body.service == Service::CHANNEL_PROT {
        OpaqueAuth::NONE
    } else {
        with_header(call, |header| mic_auth(&[Piece::Here(header)], qop, security, out))?
    };
    Ok(CallHeader { verifier, ..*call })
}

/// Gives a call of [`BindChannel`](ControlProcedure::BindChannel) its verifier (RFC 5403, section
/// 3.3). `hash` is that of the channel bindings, by the algorithm `hash_oid`.
///
/// # Errors
/// Those of [`SecurityContext::get_mic`]; [`SecurityError::NoSpace`] if all of it together is too
/// long for a verifier.
pub fn sign_bind_channel<'o>(
    call: &CallHeader<'o>,
    (prefix, hash_oid): (ChannelPrefix<'_>, Oid<'_>),
    hash: &Opaque<'_>,
    qop: Qop,
    security: &(impl SecurityContext + ?Sized),
    out: &'o mut [u8; OpaqueAuth::MAX_BODY],
) -> Result<CallHeader<'o>, SecurityError> {
    let mut mic = [0; OpaqueAuth::MAX_BODY];
    let len = hash.len().to_be_bytes();
    let mic = with_header(call, |header| {
        let [len, hash, pad] = opaque_pieces(&len, hash);
        mic_auth(&[Piece::Here(header), len, hash, pad], qop, security, &mut mic)
    })?;
    let mic = Opaque::new(mic.body.as_bytes()).unwrap_or_default();
    let verifier = BindChannelVerifier { prefix, hash_oid, mic };
    let needed = usize::try_from(verifier.encoded_len()).unwrap_or(usize::MAX);
    let verifier = verifier.to_auth(out).ok_or(SecurityError::NoSpace { needed })?;
    Ok(CallHeader { verifier, ..*call })
}

/// Checks the verifier of a reply that is accepted: of
/// [`ReplyHeader::outcome`](crate::ReplyHeader::outcome), or of a failure behind the RPC layer.
/// Returns the quality of protection that results must have too.
///
/// It is for calls that were [signed](sign), other than creation requests
/// ([`verify_window`](super::verify_window) is for these). A client that has sent a call again, with
/// another sequence number, tries the reply with each of its headers.
///
/// # Errors
/// The reply must not be believed.
pub fn verify_reply(
    call: &CallHeader<'_>,
    verifier: &OpaqueAuth<'_>,
    security: &(impl SecurityContext + ?Sized),
) -> Result<Qop, ReplyVerifierError> {
    let Credential { version, body } = credential(call)?;
    let flavor = verifier.flavor;
    if body.service == Service::CHANNEL_PROT {
        if is_null(verifier) {
            return Ok(Qop::DEFAULT);
        }
        return Err(ReplyVerifierError::Flavor { flavor, expected: AuthFlavor::NONE });
    }
    if flavor != AuthFlavor::GSS {
        return Err(ReplyVerifierError::Flavor { flavor, expected: AuthFlavor::GSS });
    }
    Ok(with_header(call, |header| {
        with_reply_bytes(version, body.seq_num, header, |pieces| {
            verify(pieces, verifier.body.as_bytes(), security)
        })
    })?)
}

/// Checks the verifier of a reply to [`BindChannel`](ControlProcedure::BindChannel), and says what
/// became of the binding. `hash` gives the client's hash of the channel bindings for an outcome: by
/// the call's algorithm, or by the first of the list if that is not supported.
///
/// # Errors
/// The reply must not be believed.
pub fn verify_bind_channel_reply<'a, 'h>(
    call: &CallHeader<'_>,
    verifier: &OpaqueAuth<'a>,
    hash: impl FnOnce(&BindChannelReply<'a>) -> Opaque<'h>,
    security: &(impl SecurityContext + ?Sized),
) -> Result<BindChannelReply<'a>, ReplyVerifierError> {
    let seq_num = credential(call)?.body.seq_num;
    if verifier.flavor != AuthFlavor::GSS {
        let (flavor, expected) = (verifier.flavor, AuthFlavor::GSS);
        return Err(ReplyVerifierError::Flavor { flavor, expected });
    }
    let BindChannelVerifierReply { reply, mic } =
        BindChannelVerifierReply::from_auth(verifier, &Limits::STRICT)?;
    let hash = hash(&reply);
    with_bind_reply(seq_num, &reply, &hash, |pieces| verify(pieces, mic.as_bytes(), security))?;
    Ok(reply)
}
