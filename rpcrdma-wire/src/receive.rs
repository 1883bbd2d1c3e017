//! Received messages: the transport header is checked, or refused with the answer that RFC 8166 asks
//! for.
//!
//! ```
//! use core::num::NonZeroU32;
//! use nfswire_rdma::{Budget, Direction, Endpoint, Header, Role, receive};
//!
//! let mut message = [0; 28 + 40];
//! Header::short(5, NonZeroU32::new(32).unwrap()).write_to(&mut message)?;
//! message[28..32].copy_from_slice(&5u32.to_be_bytes()); // the RPC message, from its xid on
//!
//! let received = receive(&message, Endpoint::new(Role::Responder), &Budget::DEFAULT)?;
//! assert_eq!((received.header().xid(), received.header_len()), (5, 28));
//! assert_eq!(received.direction(), Some(Direction::Call));
//! assert_eq!(received.inline().len(), 40);
//!
//! // Version 2 is answered with the versions that are supported, in a header of version 2.
//! message[7] = 2;
//! let refusal = receive(&message, Endpoint::new(Role::Responder), &Budget::DEFAULT).unwrap_err();
//! let answer = refusal.answer.unwrap().header(NonZeroU32::new(64).unwrap());
//! assert_eq!(answer.version(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::num::NonZeroU32;

use nfswire_xdr::{Cursor, DecodeError, ErrorKind};
use thiserror::Error;

use crate::{
    VERSION,
    chunk::{Budget, Chunks, WireLists},
    error::HeaderError,
    header::{Header, Kind, MIN_HEADER_LEN, Prefix},
    types::{Body, ErrorBody, Message, Procedure, VersionRange},
};

/// Length of RDMA_ERROR with ERR_CHUNK, in bytes.
const MIN_ERROR_LEN: usize = 20;

/// What an endpoint does in the forward direction: the client is the requester.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Sends calls.
    Requester,
    /// Sends replies.
    Responder,
}

/// What an endpoint can do in the reverse direction (RFC 8167).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reverse {
    /// Nothing.
    None,
    /// Calls and replies without chunks (RFC 8167, section 5.3), which is what callbacks of NFS need.
    #[default]
    Short,
    /// Calls and replies with chunks.
    Chunks,
}

/// Who receives a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endpoint {
    /// What it does in the forward direction.
    pub role: Role,
    /// What it can do in the reverse direction.
    pub reverse: Reverse,
}

impl Endpoint {
    /// An endpoint that has messages without chunks in the reverse direction.
    #[must_use]
    pub const fn new(role: Role) -> Self {
        Self { role, reverse: Reverse::Short }
    }

    /// The same with another ability in the reverse direction.
    #[must_use]
    pub const fn reverse(self, reverse: Reverse) -> Self {
        Self { reverse, ..self }
    }

    /// Whether calls to this endpoint must not have chunks.
    const fn refuses_chunks(self) -> bool {
        matches!(self.role, Role::Requester) && !matches!(self.reverse, Reverse::Chunks)
    }
}

/// Direction of an RPC message, which its second word tells (RFC 8167, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A call; the header's credits are asked for.
    Call,
    /// A reply; the header's credits are granted.
    Reply,
}

impl Direction {
    fn of(inline: &[u8]) -> Option<Self> {
        match *inline.get(4..)?.first_chunk()? {
            [0, 0, 0, 0] => Some(Self::Call),
            [0, 0, 0, 1] => Some(Self::Reply),
            _ => None,
        }
    }
}

//--- Messages ---

/// A message that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received<'a> {
    header: Header<'a>,
    header_len: usize,
    inline: &'a [u8],
}

impl<'a> Received<'a> {
    /// Its transport header.
    #[inline]
    #[must_use]
    pub const fn header(&self) -> &Header<'a> {
        &self.header
    }

    /// Length of the transport header in bytes: where [`inline`](Self::inline) starts.
    #[inline]
    #[must_use]
    pub const fn header_len(&self) -> usize {
        self.header_len
    }

    /// What follows the transport header: the RPC message without what chunks hold of it. Empty in
    /// RDMA_NOMSG.
    #[inline]
    #[must_use]
    pub const fn inline(&self) -> &'a [u8] {
        self.inline
    }

    /// Whether the RPC message is a call or a reply. RDMA_NOMSG is a call if it has a Read chunk, as
    /// replies have none. `None` for RDMA_ERROR, which is no RPC message, and for an RPC message that
    /// says neither: the credits of that are to be ignored (RFC 8167, section 4.1).
    #[inline]
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        match &self.header.kind {
            Kind::Msg(_) => Direction::of(self.inline),
            Kind::Nomsg(chunks) if chunks.has_reads() => Some(Direction::Call),
            Kind::Nomsg(_) => Some(Direction::Reply),
            Kind::Error(_) => None,
        }
    }
}

/// The answer to a message that cannot be processed (RFC 8166, section 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorReply {
    xid: u32,
    version: u32,
    error: ErrorBody,
}

impl ErrorReply {
    /// ERR_CHUNK for a call of version 1 that was received, but that no reply can be sent to: the
    /// reply is too long for its Reply chunk, or reading or writing chunks has failed (RFC 8166,
    /// section 4.5.3).
    #[must_use]
    pub const fn chunk(xid: u32) -> Self {
        Self { xid, version: VERSION, error: ErrorBody::Chunk }
    }

    /// What is wrong.
    #[must_use]
    pub const fn error(&self) -> ErrorBody {
        self.error
    }

    /// The header to be sent, which is the whole message.
    #[must_use]
    pub const fn header(&self, credits: NonZeroU32) -> Header<'static> {
        let Self { xid, version, error } = *self;
        Header { xid, version, credits: credits.get(), kind: Kind::Error(error) }
    }
}

/// A message that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct Refusal {
    /// Why.
    pub reason: HeaderError,
    /// What RFC 8166 asks to be answered; `None` if the message is to be dropped in silence.
    pub answer: Option<ErrorReply>,
}

/// Takes a received message apart and checks the transport header, within `budget`.
///
/// # Errors
/// What is wrong, and the answer to it. The answer depends on who received the message: only a
/// message that is or may be a call is answered (RFC 8166, section 4.5).
#[inline]
pub fn receive<'a>(
    message: &'a [u8],
    endpoint: Endpoint,
    budget: &Budget,
) -> Result<Received<'a>, Refusal> {
    let fail = |fault| Err(refuse(message, endpoint, fault));
    let short = (HeaderError::TooShort { len: message.len() }, None);
    let (Some(prefix), Some(rest)) = (Prefix::of(message), message.get(16..)) else {
        return fail(short);
    };
    if message.len() < MIN_HEADER_LEN {
        if prefix.procedure == Procedure::Error as u32 && message.len() >= MIN_ERROR_LEN {
            return parse_error(message, prefix, endpoint).or_else(fail);
        }
        return fail(short);
    }
    // RDMA_ERROR means the same in all versions.
    if prefix.version != VERSION && prefix.procedure != Procedure::Error as u32 {
        return fail((HeaderError::Version { version: prefix.version }, None));
    }
    match prefix.procedure {
        0 | 1 => {}
        4 => return parse_error(message, prefix, endpoint).or_else(fail),
        2 => return fail((HeaderError::Msgp, None)),
        3 => return fail((HeaderError::Done, None)),
        _ => return fail((fault(message), None)),
    }
    let (lists, inline) = match WireLists::parse(rest, budget) {
        Ok(parsed) => parsed,
        Err(Some(error)) => return fail((error.into(), direction_of(message))),
        Err(None) => return fail((fault(message), None)),
    };
    let Prefix { xid, version, credits, .. } = prefix;
    let (kind, direction) = if prefix.procedure == Procedure::Msg as u32 {
        let direction = Direction::of(inline);
        let Some(first) = inline.first_chunk() else {
            return fail((HeaderError::NoMessage, direction));
        };
        let first = u32::from_be_bytes(*first);
        if first != xid {
            return fail((HeaderError::Xid { header: xid, message: first }, direction));
        }
        match Chunks::of_msg(lists, inline.len(), budget) {
            Ok(chunks) => (Kind::Msg(chunks), direction),
            Err(error) => return fail((error.into(), direction)),
        }
    } else {
        let direction = lists.direction();
        if !inline.is_empty() {
            return fail((left_over(message, inline), direction));
        }
        match Chunks::of_nomsg(lists, budget) {
            Ok(chunks) => (Kind::Nomsg(chunks), direction),
            Err(error) => return fail((error, direction)),
        }
    };
    match direction {
        Some(Direction::Reply) if lists.has_reads() => {
            return fail((HeaderError::ReadsInReply, direction));
        }
        Some(Direction::Call) if endpoint.refuses_chunks() && !lists.is_empty() => {
            return fail((HeaderError::ReverseChunks, direction));
        }
        _ => {}
    }
    let header_len = message.len().saturating_sub(inline.len());
    Ok(Received { header: Header { xid, version, credits, kind }, header_len, inline })
}

/// What is wrong, and the message's direction if that was found out before.
type Fault = (HeaderError, Option<Direction>);

#[cold]
fn refuse(message: &[u8], endpoint: Endpoint, (reason, direction): Fault) -> Refusal {
    let answer = answer(message, endpoint, &reason, direction);
    Refusal { reason, answer }
}

/// Direction of a message whose chunks do not do.
#[cold]
fn direction_of(message: &[u8]) -> Option<Direction> {
    let mut c = Cursor::new(message);
    match c.decode::<Message<'_>>().ok()?.body {
        Body::Msg(_) => Direction::of(c.rest()),
        Body::Nomsg(lists) if !lists.reads.is_empty() => Some(Direction::Call),
        Body::Nomsg(lists) => lists.reply.map(|_| Direction::Reply),
        _ => None,
    }
}

/// Bytes behind the lists of RDMA_NOMSG.
#[cold]
fn left_over(message: &[u8], inline: &[u8]) -> HeaderError {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let offset = count(message.len().saturating_sub(inline.len()));
    let kind = ErrorKind::Trailing(count(inline.len()));
    DecodeError { kind, offset, field: None }.into()
}

/// RDMA_ERROR. Bytes behind it are kept: some fill it up to the 28 bytes of other headers.
#[cold]
fn parse_error(message: &[u8], prefix: Prefix, endpoint: Endpoint) -> Result<Received<'_>, Fault> {
    if endpoint.role == Role::Responder && endpoint.reverse == Reverse::None {
        return Err((HeaderError::UnexpectedError, None));
    }
    let mut c = Cursor::new(message);
    let Message { body: Body::Error(error), .. } =
        c.decode().map_err(|e| (HeaderError::Xdr(e), None))?
    else {
        return Err((fault(message), None));
    };
    let Prefix { xid, version, credits, .. } = prefix;
    if version != VERSION && error == ErrorBody::Chunk {
        return Err((HeaderError::Version { version }, None));
    }
    let header = Header { xid, version, credits, kind: Kind::Error(error) };
    Ok(Received { header, header_len: c.position(), inline: c.rest() })
}

/// Why the encoding of a header is wrong.
#[cold]
fn fault(message: &[u8]) -> HeaderError {
    let contradiction = DecodeError { kind: ErrorKind::Contradiction, offset: 0, field: None };
    HeaderError::Xdr(Cursor::new(message).decode::<Message<'_>>().err().unwrap_or(contradiction))
}

/// What RFC 8166 asks to be answered to a message that cannot be processed.
#[cold]
fn answer(
    message: &[u8],
    endpoint: Endpoint,
    reason: &HeaderError,
    direction: Option<Direction>,
) -> Option<ErrorReply> {
    let Prefix { xid, version, procedure, .. } = Prefix::of(message)?;
    // Where nothing tells, it is what comes in the forward direction.
    let may_be_call = match (direction, endpoint.role) {
        (Some(Direction::Reply), _) | (None, Role::Requester) => false,
        (_, Role::Responder) => true,
        (Some(Direction::Call), Role::Requester) => endpoint.reverse != Reverse::None,
    };
    if message.len() < MIN_HEADER_LEN || procedure == Procedure::Error as u32 || !may_be_call {
        return None;
    }
    let error = match reason {
        HeaderError::TooShort { .. } | HeaderError::Done | HeaderError::UnexpectedError => {
            return None;
        }
        HeaderError::Version { .. } => {
            ErrorBody::Version(VersionRange { low: VERSION, high: VERSION })
        }
        _ => ErrorBody::Chunk,
    };
    Some(ErrorReply { xid, version, error })
}
