//! Transport headers that may be sent.
//!
//! ```
//! use core::num::NonZeroU32;
//! use nfswire_rdma::{ChunkSlices, Header, Segment};
//!
//! // A call that offers memory for a long reply, before an RPC message of 40 bytes that was encoded
//! // behind room for a header.
//! let reply = [Segment { handle: 1, length: 65536, offset: 0x10000 }];
//! let lists = ChunkSlices { reply: Some(&reply), ..ChunkSlices::NONE };
//! let header = Header::msg(5, NonZeroU32::new(32).unwrap(), &lists, 40)?;
//!
//! let mut buffer = [0; 64 + 40];
//! let start = header.write_before(&mut buffer, 64)?;
//! assert_eq!(start, 64 - 48);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::num::NonZeroU32;

use nfswire_xdr::{Encode, EncodeError, Encoder, Wire};

use crate::{
    VERSION,
    chunk::{ChunkSlices, Chunks, Parts, Returned, Sink, Window},
    error::HeaderError,
    types::{ErrorBody, Message, Procedure, Segment, VersionRange},
};

/// Length of the shortest header of RDMA_MSG, in bytes; shorter messages are dropped, but for
/// RDMA_ERROR, which can have 20 (RFC 8166, section 4.5).
pub const MIN_HEADER_LEN: usize = 28;

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
    pub(crate) xid: u32,
    pub(crate) version: u32,
    pub(crate) credits: u32,
    pub(crate) kind: Kind<'a>,
}

impl<'a> Header<'a> {
    /// RDMA_MSG without chunks.
    #[inline]
    #[must_use]
    pub const fn short(xid: u32, credits: NonZeroU32) -> Self {
        Self::made(xid, credits, Kind::Msg(Chunks::NONE))
    }

    /// RDMA_MSG with chunks, before `inline_len` bytes of the RPC message.
    ///
    /// # Errors
    /// [`HeaderError::Chunk`] if the chunks contradict each other or the length.
    #[inline]
    pub fn msg(
        xid: u32,
        credits: NonZeroU32,
        lists: &'a ChunkSlices<'a>,
        inline_len: u32,
    ) -> Result<Self, HeaderError> {
        Ok(Self::made(xid, credits, Kind::Msg(Chunks::for_msg(lists, inline_len)?)))
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
        lists: &'a ChunkSlices<'a>,
    ) -> Result<Self, HeaderError> {
        Ok(Self::made(xid, credits, Kind::Nomsg(Chunks::for_nomsg(lists)?)))
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

    /// Credits, of which there is at least one: with a peer that grants none all would wait forever.
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

    #[inline]
    fn len(&self) -> u64 {
        let rest = match &self.kind {
            Kind::Msg(chunks) | Kind::Nomsg(chunks) => chunks.encoded_len(),
            Kind::Error(error) => error.encoded_len(),
        };
        rest.saturating_add(16)
    }

    #[inline]
    fn put(&self, sink: &mut impl Sink) -> Option<()> {
        let Self { xid, version, credits, .. } = *self;
        match &self.kind {
            Kind::Msg(chunks) => {
                put_prefix([xid, version, credits], Procedure::Msg, sink)?;
                chunks.put(sink)
            }
            Kind::Nomsg(chunks) => {
                put_prefix([xid, version, credits], Procedure::Nomsg, sink)?;
                chunks.put(sink)
            }
            Kind::Error(error) => {
                put_prefix([xid, version, credits], Procedure::Error, sink)?;
                sink.word(error.err().value().cast_unsigned())?;
                match error {
                    ErrorBody::Version(VersionRange { low, high }) => sink.pair(*low, *high),
                    ErrorBody::Chunk => Some(()),
                }
            }
        }
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

    #[inline]
    fn len(&self) -> u64 {
        self.returned.encoded_len().saturating_add(16)
    }

    #[inline]
    fn put(&self, sink: &mut impl Sink) -> Option<()> {
        put_prefix([self.xid, VERSION, self.credits], self.procedure, sink)?;
        self.returned.put(sink)
    }
}

/// The four words that come first.
#[inline]
fn put_prefix(words: [u32; 3], procedure: Procedure, sink: &mut impl Sink) -> Option<()> {
    let [handle, length, credits] = words;
    let procedure = procedure.value().cast_unsigned();
    let offset = u64::from(credits) << 32 | u64::from(procedure);
    // As long as a segment, and laid out the same.
    sink.segment(Segment { handle, length, offset })
}

//--- Writing ---

/// Writes a header of `len` bytes, by `put`, where `window`, given its length, is.
#[inline]
fn fill<'w>(
    len: u64,
    put: impl FnOnce(&mut Window<'_>) -> Option<()>,
    window: impl FnOnce(usize) -> Result<&'w mut [u8], u64>,
) -> Result<usize, EncodeError> {
    let wanted = usize::try_from(len).map_err(|_| EncodeError::NoSpace { missing: len })?;
    let mut window = Window(window(wanted).map_err(|missing| EncodeError::NoSpace { missing })?);
    match put(&mut window) {
        Some(()) if window.0.is_empty() => Ok(wanted),
        _ => Err(EncodeError::Contradiction),
    }
}

/// The same for all headers: with an encoder, and without.
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
                fill(
                    self.len(),
                    |window| self.put(window),
                    |len| head.get_mut(..len).ok_or(len.abs_diff(room) as u64),
                )
            }

            /// Writes the header before byte `at` of `buffer`, where an RPC message starts that was
            /// encoded behind free room; the number of the header's first byte.
            ///
            /// # Errors
            /// [`EncodeError::NoSpace`] if there is less room than the header takes, and nothing is
            /// written.
            #[inline]
            pub fn write_before(&self, buffer: &mut [u8], at: usize) -> Result<usize, EncodeError> {
                let room = buffer.len();
                let len = fill(
                    self.len(),
                    |window| self.put(window),
                    |len| {
                        let start = at.checked_sub(len).ok_or(len.abs_diff(at) as u64)?;
                        buffer.get_mut(start..at).ok_or(at.abs_diff(room) as u64)
                    },
                )?;
                Ok(at.saturating_sub(len))
            }
        }

        impl Wire for $name<'_> {
            const MIN_LEN: u32 = Message::MIN_LEN;
            const MAX_LEN: u32 = Message::MAX_LEN;
        }

        impl<'p> Encode<'p> for $name<'_> {
            const LONG: bool = true;

            #[inline]
            fn encoded_len(&self) -> u64 {
                self.len()
            }

            #[inline]
            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                let mut window = Window(w);
                self.put(&mut window)?;
                Some(window.0)
            }

            fn encode_fields(&self, encoder: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
                let mut parts = Parts { encoder, result: Ok(()) };
                match self.put(&mut parts) {
                    Some(()) => Ok(()),
                    // A list longer than its count can say has no error of its own.
                    None => parts.result.and(Err(EncodeError::Contradiction)),
                }
            }
        }
    )*};
}

written! { Header ReplyHeader }
