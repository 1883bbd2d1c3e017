//! Transport headers: received and checked, or made to be sent.
//!
//! ```
//! use core::num::NonZeroU32;
//! use nfswire_rdma::{Budget, Direction, Endpoint, Header, Role, receive};
//!
//! // An RPC message that was encoded behind room for a header.
//! let mut buffer = [0; 64 + 40];
//! buffer[64..68].copy_from_slice(&5u32.to_be_bytes());
//! let start = Header::short(5, NonZeroU32::new(32).unwrap()).write_before(&mut buffer, 64)?;
//! assert_eq!(start, 64 - 28);
//!
//! let received = receive(&buffer[start..], Endpoint::new(Role::Responder), &Budget::DEFAULT)?;
//! assert_eq!((received.header().xid(), received.header_len()), (5, 28));
//! assert_eq!(received.direction(), Some(Direction::Call));
//! assert_eq!(received.inline().len(), 40);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::num::NonZeroU32;

use nfswire_xdr::{Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Wire};
use thiserror::Error;

use crate::{
    VERSION,
    chunk::{Budget, Chunks, Returned},
    error::HeaderError,
    types::{Body, ChunkLists, ErrorBody, Message, Procedure, VersionRange},
};

/// Length of the shortest header of RDMA_MSG, in bytes; shorter messages are dropped, but for
/// RDMA_ERROR, which can have 20 (RFC 8166, section 4.5).
pub const MIN_HEADER_LEN: usize = 28;

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

/// The four words that all versions of the transport begin with (RFC 8166, section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    /// That of the RPC message.
    pub xid: u32,
    /// Version of the transport.
    pub version: u32,
    /// Credits asked for or granted.
    pub credits: u32,
    /// Number of the [`Procedure`].
    pub procedure: u32,
}

impl Prefix {
    /// That of a message; `None` if it is too short to have one.
    #[inline]
    #[must_use]
    pub fn of(message: &[u8]) -> Option<Self> {
        let [xid, version, credits, procedure] = *message.first_chunk::<16>()?.as_chunks::<4>().0
        else {
            return None;
        };
        Some(Self {
            xid: u32::from_be_bytes(xid),
            version: u32::from_be_bytes(version),
            credits: u32::from_be_bytes(credits),
            procedure: u32::from_be_bytes(procedure),
        })
    }
}

//--- Headers ---

/// What a header says beside its xid and credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind<'a> {
    /// RDMA_MSG: the RPC message follows.
    Msg(Chunks<'a>),
    /// RDMA_NOMSG: the RPC message is in a chunk.
    Nomsg(Chunks<'a>),
    /// RDMA_ERROR: the call with this xid cannot be processed, ever.
    Error(ErrorBody),
}

/// A transport header that may be sent, or that was received and checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    xid: u32,
    version: u32,
    credits: u32,
    kind: Kind<'a>,
}

impl<'a> Header<'a> {
    /// RDMA_MSG without chunks.
    #[inline]
    #[must_use]
    pub fn short(xid: u32, credits: NonZeroU32) -> Self {
        Self::made(xid, credits, Kind::Msg(Chunks::default()))
    }

    /// RDMA_MSG with chunks, before `inline_len` bytes of the RPC message.
    ///
    /// # Errors
    /// [`HeaderError::Chunk`] if the chunks contradict each other or the length.
    #[inline]
    pub fn msg(
        xid: u32,
        credits: NonZeroU32,
        lists: ChunkLists<'a>,
        inline_len: u32,
    ) -> Result<Self, HeaderError> {
        let chunks = Chunks::of_msg(lists, inline_len.into(), &Budget::UNLIMITED)?;
        Ok(Self::made(xid, credits, Kind::Msg(chunks)))
    }

    /// RDMA_NOMSG: a call in a Read chunk of position zero.
    ///
    /// # Errors
    /// [`HeaderError::NoMessage`] if no chunk can hold the RPC message, [`HeaderError::Chunk`] if the
    /// chunks contradict each other.
    #[inline]
    pub fn nomsg(
        xid: u32,
        credits: NonZeroU32,
        lists: ChunkLists<'a>,
    ) -> Result<Self, HeaderError> {
        let chunks = Chunks::of_nomsg(lists, &Budget::UNLIMITED)?;
        Ok(Self::made(xid, credits, Kind::Nomsg(chunks)))
    }

    #[inline]
    const fn made(xid: u32, credits: NonZeroU32, kind: Kind<'a>) -> Self {
        Self { xid, version: VERSION, credits: credits.get(), kind }
    }

    /// The xid, which is that of the RPC message.
    #[inline]
    #[must_use]
    pub const fn xid(&self) -> u32 {
        self.xid
    }

    /// Version of the transport: 1, but in an error that answers another version it is that.
    #[inline]
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// Credits as sent: asked for in a call, granted in a reply. 0 must not be granted; see
    /// [`credits`](Self::credits).
    #[inline]
    #[must_use]
    pub const fn raw_credits(&self) -> u32 {
        self.credits
    }

    /// Credits, of which there is at least one: a peer that grants none would wait forever.
    #[inline]
    #[must_use]
    pub const fn credits(&self) -> NonZeroU32 {
        match NonZeroU32::new(self.credits) {
            Some(credits) => credits,
            None => NonZeroU32::MIN,
        }
    }

    /// What else it says.
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> &Kind<'a> {
        &self.kind
    }

    /// The chunks, of all but errors.
    #[inline]
    #[must_use]
    pub const fn chunks(&self) -> Option<&Chunks<'a>> {
        match &self.kind {
            Kind::Msg(chunks) | Kind::Nomsg(chunks) => Some(chunks),
            Kind::Error(_) => None,
        }
    }

    /// The header as RFC 8166 declares it.
    #[inline]
    #[must_use]
    pub const fn message(&self) -> Message<'a> {
        let body = match self.kind {
            Kind::Msg(chunks) => Body::Msg(*chunks.lists()),
            Kind::Nomsg(chunks) => Body::Nomsg(*chunks.lists()),
            Kind::Error(error) => Body::Error(error),
        };
        Message { xid: self.xid, version: self.version, credits: self.credits, body }
    }
}

impl Wire for Header<'_> {
    const MIN_LEN: u32 = Message::MIN_LEN;
    const MAX_LEN: u32 = Message::MAX_LEN;
}

/// Writes the four words that come first.
#[inline]
fn write_prefix(
    w: &mut [u8],
    xid: u32,
    version: u32,
    credits: u32,
    procedure: Procedure,
) -> Option<&mut [u8]> {
    let (to, rest) = w.split_first_chunk_mut::<16>()?;
    let words = [xid, version, credits, procedure.value().cast_unsigned()];
    for (to, word) in to.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *to = word.to_be_bytes();
    }
    Some(rest)
}

impl<'a> Encode<'a> for Header<'a> {
    const LONG: bool = true;

    #[inline]
    fn encoded_len(&self) -> u64 {
        let rest = match &self.kind {
            Kind::Msg(chunks) | Kind::Nomsg(chunks) => chunks.lists().encoded_len(),
            Kind::Error(error) => error.encoded_len(),
        };
        rest.saturating_add(16)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let Self { xid, version, credits, .. } = *self;
        match &self.kind {
            Kind::Msg(chunks) => {
                let w = write_prefix(w, xid, version, credits, Procedure::Msg)?;
                chunks.lists().write(w)
            }
            Kind::Nomsg(chunks) => {
                let w = write_prefix(w, xid, version, credits, Procedure::Nomsg)?;
                chunks.lists().write(w)
            }
            Kind::Error(error) => {
                error.write(write_prefix(w, xid, version, credits, Procedure::Error)?)
            }
        }
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'a>) -> Result<(), EncodeError> {
        self.message().encode_fields(e)
    }
}

/// The header of a reply that returns the chunks of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyHeader<'a> {
    xid: u32,
    credits: u32,
    procedure: Procedure,
    returned: Returned<'a>,
}

impl<'a> ReplyHeader<'a> {
    /// RDMA_MSG: the RPC message, or what Write chunks do not hold of it, follows.
    #[inline]
    #[must_use]
    pub const fn msg(xid: u32, credits: NonZeroU32, returned: Returned<'a>) -> Self {
        Self { xid, credits: credits.get(), procedure: Procedure::Msg, returned }
    }

    /// RDMA_NOMSG: the RPC message, or what Write chunks do not hold of it, is in the Reply chunk.
    ///
    /// # Errors
    /// [`HeaderError::NoMessage`] if nothing is in the Reply chunk.
    #[inline]
    pub const fn nomsg(
        xid: u32,
        credits: NonZeroU32,
        returned: Returned<'a>,
    ) -> Result<Self, HeaderError> {
        if returned.reply_used() == 0 {
            return Err(HeaderError::NoMessage);
        }
        Ok(Self { xid, credits: credits.get(), procedure: Procedure::Nomsg, returned })
    }
}

impl Wire for ReplyHeader<'_> {
    const MIN_LEN: u32 = 28;
    const MAX_LEN: u32 = Message::MAX_LEN;
}

impl<'p> Encode<'p> for ReplyHeader<'_> {
    const LONG: bool = true;

    #[inline]
    fn encoded_len(&self) -> u64 {
        self.returned.encoded_len().saturating_add(16)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.returned.write(write_prefix(w, self.xid, VERSION, self.credits, self.procedure)?)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        self.xid.encode(e)?;
        VERSION.encode(e)?;
        self.credits.encode(e)?;
        self.procedure.encode(e)?;
        self.returned.encode_fields(e)
    }
}

/// Writes `header` where `window`, given its length, is.
#[inline]
fn fill<'p, 'w>(
    header: &impl Encode<'p>,
    window: impl FnOnce(usize) -> Result<&'w mut [u8], u64>,
) -> Result<usize, EncodeError> {
    let len = header.encoded_len();
    let wanted = usize::try_from(len).map_err(|_| EncodeError::NoSpace { missing: len })?;
    let window = window(wanted).map_err(|missing| EncodeError::NoSpace { missing })?;
    match header.write(window) {
        Some([]) => Ok(wanted),
        _ => Err(EncodeError::Contradiction),
    }
}

/// Writing without an encoder, the same for all headers.
macro_rules! written {
    ($($name:ident)*) => {$(
        impl $name<'_> {
            /// Writes the header to the front of `head`; the number of bytes that it takes.
            ///
            /// # Errors
            /// [`EncodeError::NoSpace`], and nothing is written.
            #[inline]
            pub fn write_to(&self, head: &mut [u8]) -> Result<usize, EncodeError> {
                let room = head.len();
                fill(self, |len| head.get_mut(..len).ok_or(len.abs_diff(room) as u64))
            }

            /// Writes the header before byte `at` of `buffer`, where an RPC message starts that was
            /// encoded behind free room; the number of the header's first byte.
            ///
            /// # Errors
            /// [`EncodeError::NoSpace`] if there is less room than the header takes, and nothing is
            /// written.
            #[inline]
            pub fn write_before(&self, buffer: &mut [u8], at: usize) -> Result<usize, EncodeError> {
                let len = fill(self, |len| {
                    let start = at.checked_sub(len).ok_or(len.abs_diff(at) as u64)?;
                    let room = buffer.len();
                    buffer.get_mut(start..at).ok_or(at.abs_diff(room) as u64)
                })?;
                Ok(at.saturating_sub(len))
            }
        }
    )*};
}

written! { Header ReplyHeader }

//--- Receiving ---

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
            Kind::Nomsg(chunks) if chunks.lists().reads.is_empty() => Some(Direction::Reply),
            Kind::Nomsg(_) => Some(Direction::Call),
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
    parse(message, endpoint, budget).map_err(|(reason, direction)| {
        let answer = answer(message, endpoint.role, &reason, direction);
        Refusal { reason, answer }
    })
}

/// What is wrong, and the message's direction if that was found out before.
type Fault = (HeaderError, Option<Direction>);

#[inline]
fn parse<'a>(
    message: &'a [u8],
    endpoint: Endpoint,
    budget: &Budget,
) -> Result<Received<'a>, Fault> {
    let short = (HeaderError::TooShort { len: message.len() }, None);
    let (Some(prefix), Some(rest)) = (Prefix::of(message), message.get(16..)) else {
        return Err(short);
    };
    if message.len() < MIN_HEADER_LEN {
        if prefix.procedure == Procedure::Error as u32 && message.len() >= MIN_ERROR_LEN {
            return parse_error(message, prefix, endpoint);
        }
        return Err(short);
    }
    // RDMA_ERROR means the same in all versions.
    if prefix.version != VERSION && prefix.procedure != Procedure::Error as u32 {
        return Err((HeaderError::Version { version: prefix.version }, None));
    }
    match prefix.procedure {
        0 | 1 => {}
        4 => return parse_error(message, prefix, endpoint),
        2 => return Err((HeaderError::Msgp, None)),
        3 => return Err((HeaderError::Done, None)),
        _ => return Err((fault(message), None)),
    }
    let mut c = Cursor::new(rest);
    let Some(lists) = ChunkLists::decode(&mut c) else {
        return Err((fault(message), None));
    };
    let Prefix { xid, version, credits, .. } = prefix;
    let (inline, header_len) = (c.rest(), c.position().saturating_add(16));
    let received =
        |kind| Received { header: Header { xid, version, credits, kind }, header_len, inline };
    let received = if prefix.procedure == 0 {
        let direction = Direction::of(inline);
        let Some(first) = inline.first_chunk() else {
            return Err((HeaderError::NoMessage, direction));
        };
        let first = u32::from_be_bytes(*first);
        if first != xid {
            return Err((HeaderError::Xid { header: xid, message: first }, direction));
        }
        let chunks = Chunks::of_msg(lists, inline.len() as u64, budget)
            .map_err(|e| (e.into(), direction))?;
        received(Kind::Msg(chunks))
    } else {
        // Until the chunk is read, only the lists tell.
        let direction = match (lists.reads.is_empty(), lists.reply.is_some()) {
            (false, _) => Some(Direction::Call),
            (true, true) => Some(Direction::Reply),
            (true, false) => None,
        };
        if !inline.is_empty() {
            let left = u32::try_from(inline.len()).unwrap_or(u32::MAX);
            let offset = u32::try_from(header_len).unwrap_or(u32::MAX);
            let error = DecodeError { kind: ErrorKind::Trailing(left), offset, field: None };
            return Err((error.into(), direction));
        }
        let chunks = Chunks::of_nomsg(lists, budget).map_err(|e| (e, direction))?;
        received(Kind::Nomsg(chunks))
    };
    if lists.reads.is_empty() && endpoint.role == Role::Responder {
        return Ok(received);
    }
    check_direction(received, endpoint)
}

/// What calls and replies must not have.
#[inline(never)]
fn check_direction(received: Received<'_>, endpoint: Endpoint) -> Result<Received<'_>, Fault> {
    let direction = received.direction();
    let chunks = received.header.chunks().copied().unwrap_or_default();
    match direction {
        Some(Direction::Reply) if !chunks.lists().reads.is_empty() => {
            Err((HeaderError::ReadsInReply, direction))
        }
        Some(Direction::Call)
            if endpoint.role == Role::Requester
                && endpoint.reverse != Reverse::Chunks
                && !chunks.is_empty() =>
        {
            Err((HeaderError::ReverseChunks, direction))
        }
        _ => Ok(received),
    }
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
    role: Role,
    reason: &HeaderError,
    direction: Option<Direction>,
) -> Option<ErrorReply> {
    let Prefix { xid, version, procedure, .. } = Prefix::of(message)?;
    let may_be_call = match direction {
        Some(direction) => direction == Direction::Call,
        None => role == Role::Responder,
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
