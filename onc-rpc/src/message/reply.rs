//! Replies: what a server writes and a client judges.

use nfswire_xdr::{Cursor, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Wire};
use thiserror::Error;

use super::{
    AcceptStat, AcceptedReply, MessageType, MismatchInfo, RPC_VERSION, RejectedReply, ReplyBody,
    ReplyData, ReplyStat,
};
use crate::{AuthStat, OpaqueAuth};

/// Header of a reply (RFC 5531, section 9). The results follow if it is a success.
#[doc(alias = "reply_body")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyHeader<'a> {
    /// Transaction number of the call.
    pub xid: u32,
    /// What became of the call.
    pub body: ReplyBody<'a>,
}

impl<'a> ReplyHeader<'a> {
    const fn accepted(xid: u32, data: ReplyData) -> Self {
        let reply = AcceptedReply { verifier: OpaqueAuth::NONE, data };
        Self { xid, body: ReplyBody::Accepted(reply) }
    }

    const fn denied(xid: u32, reply: RejectedReply) -> Self {
        Self { xid, body: ReplyBody::Denied(reply) }
    }

    /// The procedure ran: its results follow.
    #[must_use]
    pub const fn success(xid: u32) -> Self {
        Self::accepted(xid, ReplyData::Success)
    }

    /// The program is not served.
    #[must_use]
    pub const fn prog_unavail(xid: u32) -> Self {
        Self::accepted(xid, ReplyData::ProgUnavail)
    }

    /// The program is served, but only its versions `low` to `high`.
    #[must_use]
    pub const fn prog_mismatch(xid: u32, low: u32, high: u32) -> Self {
        Self::accepted(xid, ReplyData::ProgMismatch(MismatchInfo { low, high }))
    }

    /// The version has no such procedure.
    #[must_use]
    pub const fn proc_unavail(xid: u32) -> Self {
        Self::accepted(xid, ReplyData::ProcUnavail)
    }

    /// The arguments cannot be decoded: see [`args_error`](crate::args_error).
    #[must_use]
    pub const fn garbage_args(xid: u32) -> Self {
        Self::accepted(xid, ReplyData::GarbageArgs)
    }

    /// The server failed.
    #[must_use]
    pub const fn system_err(xid: u32) -> Self {
        Self::accepted(xid, ReplyData::SystemErr)
    }

    /// The call was of another RPC version than 2, the only one spoken.
    #[must_use]
    pub const fn rpc_mismatch(xid: u32) -> Self {
        let info = MismatchInfo { low: RPC_VERSION, high: RPC_VERSION };
        Self::denied(xid, RejectedReply::RpcMismatch(info))
    }

    /// The caller could not be authenticated.
    #[must_use]
    pub const fn auth_error(xid: u32, stat: AuthStat) -> Self {
        Self::denied(xid, RejectedReply::AuthError(stat))
    }

    /// The same reply with this verifier instead of `AUTH_NONE`. A denied reply has no verifier and
    /// stays as it is.
    #[must_use]
    pub const fn with_verifier<'v>(self, verifier: OpaqueAuth<'v>) -> ReplyHeader<'v>
    where
        'a: 'v,
    {
        match self.body {
            ReplyBody::Accepted(AcceptedReply { data, .. }) => {
                let reply = AcceptedReply { verifier, data };
                ReplyHeader { xid: self.xid, body: ReplyBody::Accepted(reply) }
            }
            ReplyBody::Denied(_) => self,
        }
    }

    /// Transaction number, message type, discriminant of the body.
    const fn words(&self) -> [u32; 3] {
        let stat = match self.body {
            ReplyBody::Accepted(_) => ReplyStat::Accepted,
            ReplyBody::Denied(_) => ReplyStat::Denied,
        };
        [self.xid, MessageType::Reply as u32, stat as u32]
    }

    /// The verifier of a success, or why there are no results.
    ///
    /// # Errors
    /// Every outcome that is not [`AcceptStat::OK`].
    pub const fn outcome(&self) -> Result<OpaqueAuth<'a>, CallFailure> {
        let failure = match self.body {
            ReplyBody::Accepted(AcceptedReply { verifier, data }) => match data {
                ReplyData::Success => return Ok(verifier),
                ReplyData::ProgUnavail => CallFailure::ProgUnavail,
                ReplyData::ProgMismatch(MismatchInfo { low, high }) => {
                    CallFailure::ProgMismatch { low, high }
                }
                ReplyData::ProcUnavail => CallFailure::ProcUnavail,
                ReplyData::GarbageArgs => CallFailure::GarbageArgs,
                ReplyData::SystemErr => CallFailure::SystemErr,
                ReplyData::Other(stat) => CallFailure::Other(stat),
            },
            ReplyBody::Denied(RejectedReply::RpcMismatch(MismatchInfo { low, high })) => {
                CallFailure::RpcMismatch { low, high }
            }
            ReplyBody::Denied(RejectedReply::AuthError(stat)) => CallFailure::Auth(stat),
        };
        Err(failure)
    }
}

impl Wire for ReplyHeader<'_> {
    const MIN_LEN: u32 = 8 + ReplyBody::MIN_LEN;
    const MAX_LEN: u32 = 8 + ReplyBody::MAX_LEN;
}

// By hand: the message type is not a field, and nothing of a header is referenced by the encoder,
// so that a verifier need not live as long as the payload.
impl<'p> Encode<'p> for ReplyHeader<'_> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        match &self.body {
            ReplyBody::Accepted(AcceptedReply { verifier, data }) => {
                verifier.body.encoded_len().saturating_add(data.encoded_len()).saturating_add(16)
            }
            ReplyBody::Denied(reply) => reply.encoded_len().saturating_add(12),
        }
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let (first, w) = w.split_first_chunk_mut::<12>()?;
        for (bytes, word) in first.as_chunks_mut().0.iter_mut().zip(self.words()) {
            *bytes = word.to_be_bytes();
        }
        match &self.body {
            ReplyBody::Accepted(AcceptedReply { verifier, data }) => {
                let w = verifier.flavor.write(w)?;
                let w = verifier.body.write(w)?;
                data.write(w)
            }
            ReplyBody::Denied(reply) => reply.write(w),
        }
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        self.words().encode(e)?;
        match &self.body {
            ReplyBody::Accepted(AcceptedReply { verifier, data }) => {
                verifier.flavor.encode(e)?;
                verifier.body.encode(e)?;
                data.encode(e)
            }
            ReplyBody::Denied(reply) => reply.encode(e),
        }
    }
}

/// Why a message is not a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReplyError {
    /// The header is cut off or malformed, or (from [`Cursor::head`]) not here yet:
    /// [`is_not_here`](Self::is_not_here).
    #[error("the reply header is malformed: {error}")]
    Malformed {
        /// Transaction number, if the message was long enough to have one.
        xid: Option<u32>,
        /// What is wrong.
        error: DecodeError,
    },
    /// The message is a call, or neither call nor reply.
    #[error("message {xid:#010x} is of type {message_type}, not a reply")]
    NotAReply {
        /// Transaction number.
        xid: u32,
        /// The type on the wire; 0 is a call, for a client that serves callbacks.
        message_type: u32,
    },
}

impl ReplyError {
    /// Whether nothing is wrong but that more of the message must be received first.
    #[must_use]
    pub const fn is_not_here(&self) -> bool {
        match self {
            Self::Malformed { error, .. } => matches!(error.kind, ErrorKind::NotHere { .. }),
            Self::NotAReply { .. } => false,
        }
    }
}

/// Why a call has no results: what the server's RPC layer said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallFailure {
    /// `PROG_UNAVAIL`.
    #[error("the server does not serve this program")]
    ProgUnavail,
    /// `PROG_MISMATCH`.
    #[error("the server serves only versions {low} to {high} of this program")]
    ProgMismatch {
        /// Lowest version served.
        low: u32,
        /// Highest version served.
        high: u32,
    },
    /// `PROC_UNAVAIL`.
    #[error("the server does not have this procedure")]
    ProcUnavail,
    /// `GARBAGE_ARGS`.
    #[error("the server could not decode the arguments")]
    GarbageArgs,
    /// `SYSTEM_ERR`.
    #[error("the server failed, for example for lack of memory; try again later")]
    SystemErr,
    /// An `accept_stat` that RFC 5531 does not list.
    #[error("the server answered with a status that RPC does not have: {0}")]
    Other(AcceptStat),
    /// `RPC_MISMATCH`.
    #[error("the server speaks only versions {low} to {high} of RPC, not version 2")]
    RpcMismatch {
        /// Lowest version spoken.
        low: u32,
        /// Highest version spoken.
        high: u32,
    },
    /// `AUTH_ERROR`.
    #[error("the server refused the credential or the verifier: {0}")]
    Auth(AuthStat),
}

/// Reads the header of a reply; after a success the cursor stands at the results.
///
/// The client finds the call by [`ReplyHeader::xid`] alone: replies come in any order, and one for
/// an xid that nothing waits for is dropped, with the connection left open.
///
/// # Errors
/// The message is no reply or its header is malformed.
pub fn parse_reply<'a>(c: &mut Cursor<'a>) -> Result<ReplyHeader<'a>, ReplyError> {
    let xid = c.decode().map_err(|error| ReplyError::Malformed { xid: None, error })?;
    let malformed = |error| ReplyError::Malformed { xid: Some(xid), error };
    let message_type = c.decode().map_err(malformed)?;
    if message_type != MessageType::Reply as u32 {
        return Err(ReplyError::NotAReply { xid, message_type });
    }
    let body = c.decode().map_err(malformed)?;
    Ok(ReplyHeader { xid, body })
}
