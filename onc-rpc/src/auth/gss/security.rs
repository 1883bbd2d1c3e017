//! What the caller's GSS-API does.

use nfswire_xdr::{Opaque, Piece, Scattered};
use thiserror::Error;

use super::MajorStatus;
use crate::{AuthFlavor, OpaqueAuth};

/// Quality of protection: a number that only the mechanism explains. It never travels by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Qop(
    /// The mechanism's number.
    pub u32,
);

impl Qop {
    /// The mechanism's default.
    pub const DEFAULT: Self = Self(0);
}

/// Why a [`SecurityContext`] did not do what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SecurityError {
    /// The GSS-API call did not end with `GSS_S_COMPLETE`.
    #[error("the GSS-API answered {0}")]
    Status(MajorStatus),
    /// The memory lent is too short for the result.
    #[error("the result takes {needed} bytes: lend at least that many")]
    NoSpace {
        /// Bytes that the result takes.
        needed: usize,
    },
}

impl SecurityError {
    pub(super) const FAILURE: Self = Self::Status(MajorStatus::FAILURE);

    pub(super) const fn is_stale(self) -> bool {
        matches!(self, Self::Status(major) if major.is_stale())
    }
}

/// What `GSS_Unwrap` says of the bytes that it has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unwrapped {
    /// Bytes written.
    pub len: usize,
    /// Quality of protection that the token had.
    pub qop: Qop,
    /// Whether it was encrypted, not only signed (`conf_state`).
    pub encrypted: bool,
}

/// An established GSS-API security context (RFC 2743), as RPCSEC_GSS uses it.
///
/// Messages come as slices in order, so that nothing need be copied together. All methods take
/// `&self`: replay and sequence detection of the GSS-API are off for RPCSEC_GSS (RFC 2203, section
/// 5.2.2), so that calls may be signed and verified in any order, and in parallel.
pub trait SecurityContext {
    /// `GSS_VerifyMIC`: whether `mic` is the checksum of `message`, and with which quality of
    /// protection.
    ///
    /// # Errors
    /// It is not.
    fn verify_mic(&self, message: &Scattered<'_>, mic: &[u8]) -> Result<Qop, SecurityError>;

    /// `GSS_GetMIC`: writes the checksum of `message` to the start of `out` and returns its length.
    ///
    /// # Errors
    /// It cannot be made, or `out` is too short.
    fn get_mic(
        &self,
        qop: Qop,
        message: &Scattered<'_>,
        out: &mut [u8],
    ) -> Result<usize, SecurityError>;

    /// `GSS_Wrap` with `conf_req_flag` TRUE: writes `message`, encrypted, to the start of `out` and
    /// returns its length.
    ///
    /// # Errors
    /// It cannot be made, or `out` is too short.
    fn wrap(
        &self,
        qop: Qop,
        message: &Scattered<'_>,
        out: &mut [u8],
    ) -> Result<usize, SecurityError>;

    /// `GSS_Unwrap`: writes what `token` holds to the start of `out`.
    ///
    /// # Errors
    /// It holds nothing of this context, or `out` is too short.
    fn unwrap(&self, token: &[u8], out: &mut [u8]) -> Result<Unwrapped, SecurityError>;
}

impl<T: SecurityContext + ?Sized> SecurityContext for &T {
    fn verify_mic(&self, message: &Scattered<'_>, mic: &[u8]) -> Result<Qop, SecurityError> {
        T::verify_mic(self, message, mic)
    }

    fn get_mic(
        &self,
        qop: Qop,
        message: &Scattered<'_>,
        out: &mut [u8],
    ) -> Result<usize, SecurityError> {
        T::get_mic(self, qop, message, out)
    }

    fn wrap(
        &self,
        qop: Qop,
        message: &Scattered<'_>,
        out: &mut [u8],
    ) -> Result<usize, SecurityError> {
        T::wrap(self, qop, message, out)
    }

    fn unwrap(&self, token: &[u8], out: &mut [u8]) -> Result<Unwrapped, SecurityError> {
        T::unwrap(self, token, out)
    }
}

/// The checksum of `message`, in memory that `out` lends. A context that claims to have written more
/// than there was room for has failed.
pub(super) fn mic<'o>(
    message: &Scattered<'_>,
    qop: Qop,
    security: &(impl SecurityContext + ?Sized),
    out: &'o mut [u8],
) -> Result<&'o [u8], SecurityError> {
    let len = security.get_mic(qop, message, out)?;
    out.get(..len).ok_or(SecurityError::FAILURE)
}

/// A verifier that is the checksum of `pieces`.
pub(super) fn mic_auth<'o>(
    pieces: &[Piece<'_>],
    qop: Qop,
    security: &(impl SecurityContext + ?Sized),
    out: &'o mut [u8; OpaqueAuth::MAX_BODY],
) -> Result<OpaqueAuth<'o>, SecurityError> {
    let message = Scattered::new(pieces).ok_or(SecurityError::FAILURE)?;
    let body = Opaque::new(mic(&message, qop, security, out)?).ok_or(SecurityError::FAILURE)?;
    Ok(OpaqueAuth { flavor: AuthFlavor::GSS, body })
}

/// Checks that `mic` is the checksum of `pieces`.
pub(super) fn verify(
    pieces: &[Piece<'_>],
    mic: &[u8],
    security: &(impl SecurityContext + ?Sized),
) -> Result<Qop, SecurityError> {
    let message = Scattered::new(pieces).ok_or(SecurityError::FAILURE)?;
    security.verify_mic(&message, mic)
}

/// `AUTH_NONE` of zero length: what a field without a verifier must be.
pub(super) fn is_null(auth: &OpaqueAuth<'_>) -> bool {
    auth.flavor == AuthFlavor::NONE && auth.body.is_empty()
}
