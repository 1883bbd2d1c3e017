//! Writing the reply to COMPOUND result by result, as servers do.

use nfswire_xdr::{Encode, EncodeError, Encoder, Payload, Slot, Text, Wire};
use thiserror::Error;

use super::{OpReply, Refusal, Resop, bounds::failure_len};
use crate::{OpNum, Status, ops::session::ChannelAttrs};

/// How long a reply may become, in bytes of COMPOUND's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Most bytes.
    pub max: u64,
    /// Most bytes of a reply that must be kept for a retry; `u64::MAX` if this one need not be.
    pub max_cached: u64,
    /// What a result is answered with that would go beyond `max`.
    pub too_big: Status,
}

impl ReplyLimits {
    /// What a transport carries: the limit of NFSv4.0, and until SEQUENCE has said which session a
    /// request belongs to. `rpc_len` bytes of RPC's own stand around the results.
    #[inline]
    #[must_use]
    pub const fn transport(minor_version: u32, max: u64, rpc_len: u64) -> Self {
        let too_big = if minor_version == 0 { Status::RESOURCE } else { Status::REP_TOO_BIG };
        Self { max: max.saturating_sub(rpc_len), max_cached: u64::MAX, too_big }
    }

    /// What a session allows, `cache_this` being SEQUENCE's (RFC 8881, section 2.10.6.4).
    #[inline]
    #[must_use]
    pub const fn session(channel: &ChannelAttrs, cache_this: bool, rpc_len: u64) -> Self {
        let max_cached = if cache_this {
            (channel.maxresponsesize_cached as u64).saturating_sub(rpc_len)
        } else {
            u64::MAX
        };
        let max = (channel.maxresponsesize as u64).saturating_sub(rpc_len);
        Self { max, max_cached, too_big: Status::REP_TOO_BIG }
    }

    /// Whether a reply of `len` bytes keeps to them.
    #[inline(always)]
    pub(super) const fn admit(&self, len: u64) -> Result<(), Status> {
        if len > self.max {
            Err(self.too_big)
        } else if len > self.max_cached {
            Err(Status::REP_TOO_BIG_TO_CACHE)
        } else {
            Ok(())
        }
    }
}

/// Why a result was not written. Nothing of it is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It would make the reply longer than the limits: whoever asks
    /// [`fits`](CompoundWriter::fits) first does not get here.
    #[error("the result would make the reply {len} bytes long; answer {status} instead")]
    TooBig {
        /// What to answer.
        status: Status,
        /// Length that the reply would have.
        len: u64,
    },
    /// The result before it was a failure, behind which there is none.
    #[error("no result can follow one that failed")]
    Ended,
    /// The encoder's error.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// An operation's number, and its arguments or result.
pub(super) struct Numbered<'r, T>(pub(super) OpNum, pub(super) &'r T);

impl<T: Wire> Wire for Numbered<'_, T> {
    const MIN_LEN: u32 = T::MIN_LEN.saturating_add(4);
    const MAX_LEN: u32 = T::MAX_LEN.saturating_add(4);
}

impl<'p, T: Encode<'p>> Encode<'p> for Numbered<'_, T> {
    const INLINE: bool = T::INLINE;
    const TAIL: bool = T::TAIL;
    const LONG: bool = T::LONG;

    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        self.1.encoded_len().wrapping_add(4)
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.1.write(Encode::<'p>::write(&self.0, w)?)
    }

    #[inline(always)]
    fn tail(&self) -> Option<&Payload<'p>> {
        self.1.tail()
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        e.word(self.0.0)?;
        self.1.encode(e)
    }
}

/// The tag, which is copied: unlike a payload it need not outlive the message.
pub(super) struct Tag<'t>(pub(super) Text<'t>);

impl Wire for Tag<'_> {
    const MIN_LEN: u32 = 4;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'p> Encode<'p> for Tag<'_> {
    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        self.0.encoded_len()
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.0.write(w)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        e.word(self.0.len())?;
        e.copy(self.0.as_bytes())
    }
}

/// Writes the reply to COMPOUND one result at a time, within limits, payloads by reference.
///
/// Before an operation runs, [`fits`](Self::fits) says whether its result will have room, and room
/// will be left to say that the next one's has none: an operation that cannot be answered is not
/// done. A result that cannot be written leaves no trace. Status and number of results are filled in
/// by [`finish`](Self::finish), without which there is no reply.
///
/// ```
/// use nfswire_nfs4::{
///     OpNum, Status,
///     compound::{Argop, Bounds, CompoundReply, CompoundWriter, ReplyLimits},
///     ops::{filehandle::PutrootfhReply, io::ReadArgs},
/// };
/// use nfswire_xdr::{Encoder, Segments, Text, from_bytes};
///
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// let limits = ReplyLimits::transport(1, 1000, 24);
/// let mut reply = CompoundWriter::new(&mut e, Text::default(), limits)?;
/// reply.put(&PutrootfhReply { status: Status::OK })?;
///
/// // A READ of 4096 bytes is not done at all.
/// let read = Argop::Read(ReadArgs { stateid: Default::default(), offset: 0, count: 4096 });
/// let status = reply.fits(read.reply_bound(&Bounds::default()), None).unwrap_err();
/// assert_eq!(status, Status::REP_TOO_BIG);
/// reply.fail(read.op(), status)?;
/// assert_eq!(reply.finish()?, Status::REP_TOO_BIG);
/// e.finish();
///
/// let message = segments.view(&head).to_vec()?;
/// let reply: CompoundReply<'_> = from_bytes(&message)?;
/// assert_eq!((reply.status, reply.results.len()), (Status::REP_TOO_BIG, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a reply that is dropped without `finish` says that nothing was done"]
pub struct CompoundWriter<'e, 'h, 'p> {
    e: &'e mut Encoder<'h, 'p>,
    /// Length of the message before the reply.
    start: u64,
    status_slot: Slot,
    count_slot: Slot,
    count: u32,
    status: Status,
    limits: ReplyLimits,
}

impl<'e, 'h, 'p> CompoundWriter<'e, 'h, 'p> {
    /// Starts where the encoder stands, which is behind the RPC reply header.
    ///
    /// # Errors
    /// [`WriteError::TooBig`] if not even an empty reply keeps to the limits; the encoder's.
    #[inline(always)]
    pub fn new(
        e: &'e mut Encoder<'h, 'p>,
        tag: Text<'_>,
        limits: ReplyLimits,
    ) -> Result<Self, WriteError> {
        let start = e.len();
        let len = Encode::<'_>::encoded_len(&tag).wrapping_add(8);
        limits.admit(len).map_err(|status| WriteError::TooBig { status, len })?;
        let status_slot = e.reserve()?;
        e.put(&Tag(tag))?;
        let count_slot = e.reserve()?;
        Ok(Self { e, start, status_slot, count_slot, count: 0, status: Status::OK, limits })
    }

    /// Sets the limits of the session, once SEQUENCE has said which that is.
    #[inline]
    pub const fn set_limits(&mut self, limits: ReplyLimits) {
        self.limits = limits;
    }

    /// Bytes of the reply so far.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.e.len().wrapping_sub(self.start)
    }

    /// Whether there is no result yet.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes that a result may still take, its operation's number included.
    #[inline]
    #[must_use]
    pub const fn room(&self) -> u64 {
        let (max, cached) = (self.limits.max, self.limits.max_cached);
        let max = if max < cached { max } else { cached };
        max.saturating_sub(self.len())
    }

    /// Whether a result of at most `bound` bytes, its operation's number included, will have room.
    /// To be asked before the operation runs, with [`Argop::reply_bound`](super::Argop::reply_bound)
    /// or what the server knows better. `next` is the operation behind it: its failure must have
    /// room as well.
    ///
    /// # Errors
    /// What the operation is to be answered with, unchanged the file system:
    /// [`Status::REP_TOO_BIG`], [`Status::REP_TOO_BIG_TO_CACHE`], in NFSv4.0 [`Status::RESOURCE`].
    #[inline]
    pub fn fits(&self, bound: u64, next: Option<OpNum>) -> Result<(), Status> {
        let next = next.map_or(0, |op| failure_len(op).wrapping_add(4));
        self.limits.admit(self.len().saturating_add(bound).saturating_add(next))
    }

    /// Appends a result. That of SECINFO_NO_NAME needs [`push`](Self::push).
    ///
    /// # Errors
    /// [`WriteError`]; nothing of the result is left then.
    #[inline(always)]
    pub fn put<R: OpReply<'p>>(&mut self, result: &R) -> Result<(), WriteError> {
        self.append(&Numbered(R::OP, result), result.status())
    }

    /// Appends the result of any operation.
    ///
    /// # Errors
    /// See [`put`](Self::put).
    pub fn push(&mut self, result: &Resop<'p>) -> Result<(), WriteError> {
        self.append(result, result.status())
    }

    /// Appends the failure of an operation, which is the last result.
    ///
    /// # Errors
    /// See [`put`](Self::put).
    pub fn fail(&mut self, op: OpNum, status: Status) -> Result<(), WriteError> {
        self.push(&Resop::failure(op, status))
    }

    /// Answers an operation that was refused, which is the last result.
    ///
    /// # Errors
    /// See [`put`](Self::put).
    pub fn refuse(&mut self, refusal: &Refusal) -> Result<(), WriteError> {
        self.fail(refusal.op, refusal.status)
    }

    /// Appends a successful result that `f` writes, status word included, such as a page of READDIR.
    ///
    /// # Errors
    /// Those of `f`, and as for [`put`](Self::put); nothing of the result is left then.
    pub fn with<R, E: From<WriteError>>(
        &mut self,
        op: OpNum,
        f: impl FnOnce(&mut Encoder<'h, 'p>) -> Result<R, E>,
    ) -> Result<R, E> {
        if self.status != Status::OK {
            return Err(WriteError::Ended.into());
        }
        let (start, limits) = (self.start, self.limits);
        let value = self.e.attempt(|e| {
            e.word(op.0).map_err(WriteError::Encode)?;
            let value = f(e)?;
            let len = e.len().wrapping_sub(start);
            limits.admit(len).map_err(|status| WriteError::TooBig { status, len })?;
            Ok::<R, E>(value)
        })?;
        self.count = self.count.saturating_add(1);
        Ok(value)
    }

    #[inline(always)]
    fn append<T: Encode<'p>>(&mut self, result: &T, status: Status) -> Result<(), WriteError> {
        if self.status != Status::OK {
            return Err(WriteError::Ended);
        }
        let len = self.len().saturating_add(result.encoded_len());
        if let Err(status) = self.limits.admit(len) {
            return Err(WriteError::TooBig { status, len });
        }
        self.e.put(result)?;
        self.status = status;
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Ends the reply, and gives its status: that of the last result.
    ///
    /// # Errors
    /// [`EncodeError::Stale`] if the encoder was rolled back to before the reply.
    #[inline(always)]
    pub fn finish(self) -> Result<Status, EncodeError> {
        self.e.patch(self.status_slot, self.status.0)?;
        self.e.patch(self.count_slot, self.count)?;
        Ok(self.status)
    }
}
