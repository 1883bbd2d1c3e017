//! Calls: what a client writes and a server judges.

use nfswire_xdr::{Cursor, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Wire};
use thiserror::Error;

use super::{MessageType, RPC_VERSION, ReplyHeader};
use crate::{AuthStat, OpaqueAuth, Procedure};

const CALL: u32 = MessageType::Call as u32;
const REPLY: u32 = MessageType::Reply as u32;

/// Header of a call of RPC version 2 (RFC 5531, section 9). The arguments follow.
#[doc(alias = "call_body")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallHeader<'a> {
    /// Transaction number, repeated in the reply.
    pub xid: u32,
    /// Program number.
    pub program: u32,
    /// Version of the program.
    pub version: u32,
    /// Procedure of the version.
    pub procedure: u32,
    /// Who the caller is: see [`credential`](crate::credential).
    pub credential: OpaqueAuth<'a>,
    /// What proves it.
    pub verifier: OpaqueAuth<'a>,
}

impl<'a> CallHeader<'a> {
    /// A call of `P` with this credential and no verifier.
    #[must_use]
    pub const fn new<P: Procedure>(xid: u32, credential: OpaqueAuth<'a>) -> Self {
        Self {
            xid,
            program: P::PROGRAM,
            version: P::VERSION,
            procedure: P::NUMBER,
            credential,
            verifier: OpaqueAuth::NONE,
        }
    }

    /// The words in front of the credential.
    const fn words(&self) -> [u32; 6] {
        [self.xid, CALL, RPC_VERSION, self.program, self.version, self.procedure]
    }
}

impl Wire for CallHeader<'_> {
    const MIN_LEN: u32 = 24 + 2 * OpaqueAuth::MIN_LEN;
    const MAX_LEN: u32 = 24 + 2 * OpaqueAuth::MAX_LEN;
}

// By hand: the message type and the RPC version are not fields, and nothing of a header is
// referenced by the encoder, so that it need not live as long as the payload.
impl<'p> Encode<'p> for CallHeader<'_> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        24u64
            .saturating_add(self.credential.body.encoded_len())
            .saturating_add(self.verifier.body.encoded_len())
            .saturating_add(8)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let (first, w) = w.split_first_chunk_mut::<24>()?;
        for (bytes, word) in first.as_chunks_mut().0.iter_mut().zip(self.words()) {
            *bytes = word.to_be_bytes();
        }
        let w = self.credential.flavor.write(w)?;
        let w = self.credential.body.write(w)?;
        let w = self.verifier.flavor.write(w)?;
        self.verifier.body.write(w)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        self.words().encode(e)?;
        self.credential.flavor.encode(e)?;
        self.credential.body.encode(e)?;
        self.verifier.flavor.encode(e)?;
        self.verifier.body.encode(e)
    }
}

/// Why a message is not a call that can be served.
///
/// [`answer`](Self::answer) says what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The message ends within the words that every call has.
    #[error("the call header is cut off: {0}; close the connection")]
    Header(DecodeError),
    /// The message type is neither call nor reply.
    #[error(
        "message {xid:#010x} has type {message_type}, which RPC does not have; close the connection"
    )]
    MessageType {
        /// Transaction number.
        xid: u32,
        /// The type on the wire.
        message_type: u32,
    },
    /// A reply: nothing here waits for one.
    #[error("message {xid:#010x} is a reply, but nothing was called; drop it")]
    Reply {
        /// Transaction number.
        xid: u32,
    },
    /// The RPC version is not 2.
    #[error(
        "call {xid:#010x} is of RPC version {rpc_version}; answer that only version 2 is spoken"
    )]
    RpcVersion {
        /// Transaction number.
        xid: u32,
        /// The version on the wire.
        rpc_version: u32,
    },
    /// The credential is longer than 400 bytes, cut off or badly padded.
    #[error("the credential of call {xid:#010x} is malformed: {error}; answer AUTH_BADCRED")]
    Credential {
        /// Transaction number.
        xid: u32,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// The verifier is longer than 400 bytes, cut off or badly padded.
    #[error("the verifier of call {xid:#010x} is malformed: {error}; answer AUTH_BADVERF")]
    Verifier {
        /// Transaction number.
        xid: u32,
        /// What is wrong with it.
        error: DecodeError,
    },
}

/// What a server does about a message that is not a call that it can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a server must handle each")]
pub enum Answer {
    /// Send this; the connection stays open.
    Reply(ReplyHeader<'static>),
    /// Send nothing; the connection stays open.
    Drop,
    /// The peer does not speak RPC, or the stream is damaged: close the connection.
    Close,
}

impl CallError {
    /// Whether nothing is wrong but that more of the message must be received first: only from
    /// [`Cursor::head`], and to be asked before [`answer`](Self::answer).
    #[must_use]
    pub const fn is_not_here(&self) -> bool {
        match self {
            Self::Header(error) | Self::Credential { error, .. } | Self::Verifier { error, .. } => {
                matches!(error.kind, ErrorKind::NotHere { .. })
            }
            Self::MessageType { .. } | Self::Reply { .. } | Self::RpcVersion { .. } => false,
        }
    }

    /// What to do about it.
    ///
    /// A credential or verifier that is not here yet is no fault of the peer's but of the server,
    /// which answers too early: [`SYSTEM_ERR`](crate::AcceptStat::SYSTEM_ERROR), as from
    /// [`args_error`].
    #[must_use]
    pub const fn answer(&self) -> Answer {
        match *self {
            Self::Header(_) | Self::MessageType { .. } => Answer::Close,
            Self::Reply { .. } => Answer::Drop,
            Self::Credential { xid, .. } | Self::Verifier { xid, .. } if self.is_not_here() => {
                Answer::Reply(ReplyHeader::system_err(xid))
            }
            Self::RpcVersion { xid, .. } => Answer::Reply(ReplyHeader::rpc_mismatch(xid)),
            Self::Credential { xid, .. } => {
                Answer::Reply(ReplyHeader::auth_error(xid, AuthStat::BAD_CRED))
            }
            Self::Verifier { xid, .. } => {
                Answer::Reply(ReplyHeader::auth_error(xid, AuthStat::BAD_VERF))
            }
        }
    }
}

/// Reads the header of a call; the cursor then stands at the arguments.
///
/// Judged in the order of the message, as RFC 5531 (section 9) wants it: a wrong RPC version is
/// found before anything behind it is looked at. Program, version, procedure and the content of the
/// credential are left to the caller.
///
/// # Errors
/// The first thing wrong. [`CallError::answer`] says what to send.
///
/// ```
/// use nfswire_rpc::{Answer, parse_call};
/// use nfswire_xdr::Cursor;
/// let record = [0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 3]; // a call of RPC version 3
/// let error = parse_call(&mut Cursor::new(&record)).unwrap_err();
/// assert!(matches!(error.answer(), Answer::Reply(_)));
/// ```
pub fn parse_call<'a>(c: &mut Cursor<'a>) -> Result<CallHeader<'a>, CallError> {
    let start = *c;
    let Ok([xid, CALL, RPC_VERSION, program, version, procedure]) = c.decode().map(words_of) else {
        return Err(fault(start));
    };
    let credential = c.decode().map_err(|error| CallError::Credential { xid, error })?;
    let verifier = c.decode().map_err(|error| CallError::Verifier { xid, error })?;
    Ok(CallHeader { xid, program, version, procedure, credential, verifier })
}

/// Reads the words from one block: cheaper than one by one.
#[inline]
fn words_of(block: [u8; 24]) -> [u32; 6] {
    let mut words = [0; 6];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

/// Finds the first of the words that is missing or wrong.
#[cold]
fn fault(mut c: Cursor<'_>) -> CallError {
    match words(&mut c) {
        Ok(error) => error,
        Err(error) => CallError::Header(error),
    }
}

fn words(c: &mut Cursor<'_>) -> Result<CallError, DecodeError> {
    let xid = c.decode()?;
    match c.decode()? {
        CALL => {}
        REPLY => return Ok(CallError::Reply { xid }),
        message_type => return Ok(CallError::MessageType { xid, message_type }),
    }
    let rpc_version = c.decode()?;
    if rpc_version == RPC_VERSION {
        // What is left to be wrong is the length.
        let _: [u32; 3] = c.decode()?;
    }
    Ok(CallError::RpcVersion { xid, rpc_version })
}

/// The answer to a call whose arguments cannot be decoded.
///
/// Total: arguments that are wrong are [`GARBAGE_ARGS`](crate::AcceptStat::GARBAGE_ARGUMENTS).
/// Bytes that are not at hand are no fault of the peer's but of the server, which decoded too
/// early: [`SYSTEM_ERR`](crate::AcceptStat::SYSTEM_ERROR).
#[must_use]
pub const fn args_error(xid: u32, error: &DecodeError) -> ReplyHeader<'static> {
    match error.kind {
        ErrorKind::NotHere { .. } => ReplyHeader::system_err(xid),
        _ => ReplyHeader::garbage_args(xid),
    }
}
