//! The client's side: building the arguments of COMPOUND, and reading its results one by one.

use nfswire_xdr::{Cursor, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Slot, Text, Wire};
use thiserror::Error;

use super::{
    Argop, Bounds, Input, OpArgs, OpReply, Resop,
    writer::{Numbered, Tag},
};
use crate::{OpNum, Status};

/// Why an operation was not put into a request. Nothing of it is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The request would be longer than the server takes.
    #[error("the request would be {len} bytes long, the server takes {limit}")]
    TooBig {
        /// Length that the request would have.
        len: u64,
        /// Most bytes.
        limit: u64,
    },
    /// The encoder's error.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Builds the arguments of COMPOUND one operation at a time, data of WRITE by reference.
///
/// ```
/// use nfswire_nfs4::{
///     FileHandle, attrs::{Attr, AttrSet},
///     compound::{Bounds, CompoundArgs, CompoundBuilder},
///     ops::{attr::GetattrArgs, filehandle::PutfhArgs},
/// };
/// use nfswire_xdr::{Encoder, Segments, Text, from_bytes};
///
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// let mut call = CompoundBuilder::new(&mut e, Text::default(), 0, u64::MAX)?;
/// call.add(&PutfhArgs { object: FileHandle::try_from(b"handle")? })?;
/// let request = AttrSet::of(&[Attr::TYPE, Attr::SIZE]);
/// call.push(&GetattrArgs { request }.into(), &Bounds::default())?;
/// assert_eq!(call.finish()?, 2);
/// e.finish();
///
/// let message = segments.view(&head).to_vec()?;
/// assert_eq!(from_bytes::<CompoundArgs<'_>>(&message)?.ops.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a request that is dropped without `finish` has no operations"]
pub struct CompoundBuilder<'e, 'h, 'p> {
    e: &'e mut Encoder<'h, 'p>,
    /// Length of the message before the arguments.
    start: u64,
    count_slot: Slot,
    count: u32,
    limit: u64,
    reply: u64,
}

impl<'e, 'h, 'p> CompoundBuilder<'e, 'h, 'p> {
    /// Starts where the encoder stands, which is behind the RPC call header. The arguments become at
    /// most `limit` bytes long: the session's `maxrequestsize` less the header.
    ///
    /// # Errors
    /// The encoder's.
    #[inline(always)]
    pub fn new(
        e: &'e mut Encoder<'h, 'p>,
        tag: Text<'_>,
        minor_version: u32,
        limit: u64,
    ) -> Result<Self, EncodeError> {
        let start = e.len();
        e.put(&Tag(tag))?;
        e.word(minor_version)?;
        let count_slot = e.reserve()?;
        let reply = u64::from(tag.len()).next_multiple_of(4).wrapping_add(12);
        Ok(Self { e, start, count_slot, count: 0, limit, reply })
    }

    /// Bytes of the arguments so far.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.e.len().wrapping_sub(self.start)
    }

    /// Whether there is no operation yet.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Most bytes that the results take on the wire, from a server that keeps to the bounds given
    /// with each operation: a receive buffer of this size, and of RPC's header, is enough. `u64::MAX`
    /// when there is no bound.
    #[inline]
    #[must_use]
    pub const fn reply_bound(&self) -> u64 {
        self.reply
    }

    /// Appends an operation, and counts its result.
    ///
    /// # Errors
    /// [`BuildError`]; nothing of the operation is left then.
    pub fn push(&mut self, op: &Argop<'p>, bounds: &Bounds) -> Result<(), BuildError> {
        self.append(op)?;
        self.reply = self.reply.saturating_add(op.reply_bound(bounds));
        Ok(())
    }

    /// Appends an operation by its arguments. Its result counts with the protocol's bound, if it has
    /// one.
    ///
    /// # Errors
    /// See [`push`](Self::push).
    #[inline(always)]
    pub fn add<A: OpArgs<'p>>(&mut self, args: &A) -> Result<(), BuildError> {
        self.append(&Numbered(A::OP, args))?;
        self.reply = match A::Reply::MAX_LEN {
            u32::MAX => u64::MAX,
            len => self.reply.saturating_add(u64::from(len).wrapping_add(4)),
        };
        Ok(())
    }

    #[inline(always)]
    fn append<T: Encode<'p>>(&mut self, op: &T) -> Result<(), BuildError> {
        let len = self.len().saturating_add(op.encoded_len());
        if len > self.limit {
            return Err(BuildError::TooBig { len, limit: self.limit });
        }
        self.e.put(op)?;
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Ends the arguments, and gives the number of operations.
    ///
    /// # Errors
    /// [`EncodeError::Stale`] if the encoder was rolled back to before the arguments.
    #[inline(always)]
    pub fn finish(self) -> Result<u32, EncodeError> {
        self.e.patch(self.count_slot, self.count)?;
        Ok(self.count)
    }
}

/// Why a reply makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReplyError {
    /// A result cannot be decoded.
    #[error("result {index} ({op}): {error}")]
    Malformed {
        /// Its place, from 0.
        index: u32,
        /// The operation that was asked for.
        op: OpNum,
        /// What is wrong.
        error: DecodeError,
    },
    /// A result is of another operation.
    #[error("result {index} is of {found}, {expected} was asked for")]
    OtherOp {
        /// Its place, from 0.
        index: u32,
        /// What was asked for.
        expected: OpNum,
        /// What it is of.
        found: OpNum,
    },
    /// There are results behind one that failed, or fewer than was asked for though none did.
    #[error("{count} results, though {reason}")]
    Count {
        /// How many there are.
        count: u32,
        /// Why there must be another number of them.
        reason: &'static str,
    },
    /// The reply's status is not that of its last result.
    #[error("the status of the reply is {status}, that of its last result {last}")]
    Status {
        /// Of the reply.
        status: Status,
        /// Of the last result.
        last: Status,
    },
    /// Bytes are left over.
    #[error(transparent)]
    Trailing(DecodeError),
}

/// Reads the results of COMPOUND one by one, each against the operation that was asked for.
///
/// ```
/// use nfswire_nfs4::{OpNum, Status, compound::ReplyReader};
/// use nfswire_nfs4::ops::filehandle::{GetfhReply, PutrootfhReply};
/// use nfswire_xdr::Cursor;
///
/// // NFS4ERR_SERVERFAULT: PUTROOTFH went well, GETFH did not.
/// let reply = [0, 0, 0x27, 0x16, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0x27, 0x16];
/// let mut reader = ReplyReader::open(Cursor::new(&reply))?;
/// let root: PutrootfhReply = reader.expect()?.unwrap();
/// assert_eq!(root.status, Status::OK);
/// let handle: GetfhReply<'_> = reader.expect()?.unwrap();
/// assert_eq!(handle, GetfhReply::Fail(Status::SERVERFAULT));
/// assert_eq!(reader.next(OpNum::GETATTR)?, None); // not done
/// assert_eq!(reader.finish()?, Status::SERVERFAULT);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "that the reply makes sense is only known by `finish`"]
pub struct ReplyReader<'a, S = Cursor<'a>> {
    pub(super) source: S,
    tag: Text<'a>,
    status: Status,
    /// Status of the result that was read last.
    pub(super) last: Status,
    pub(super) index: u32,
    pub(super) count: u32,
}

impl<'a, S: Input<'a>> ReplyReader<'a, S> {
    /// Reads what stands before the results.
    ///
    /// # Errors
    /// The first fault in it.
    #[inline(always)]
    pub fn open(mut source: S) -> Result<Self, DecodeError> {
        let status = source.take()?;
        let tag = source.take()?;
        let count = source.take()?;
        Ok(Self { source, tag, status, last: Status::OK, index: 0, count })
    }

    /// The status of the last operation that was done.
    #[inline]
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// The tag of the request.
    #[inline]
    #[must_use]
    pub const fn tag(&self) -> Text<'a> {
        self.tag
    }

    /// Number of results.
    #[inline]
    #[must_use]
    pub const fn result_count(&self) -> u32 {
        self.count
    }

    /// The result of `op`, the next operation that was asked for; `None` if it was not done, because
    /// one before it failed. An operation that the server does not know has a result under
    /// [`OpNum::ILLEGAL`].
    ///
    /// # Errors
    /// [`ReplyError`]; nothing behind it can be read.
    pub fn next(&mut self, op: OpNum) -> Result<Option<Resop<'a>>, ReplyError> {
        let Some(found) = self.number(op)? else { return Ok(None) };
        let mut fault = None;
        match Resop::read(found, &mut self.source, &mut fault) {
            Some(result) => {
                self.last = result.status();
                self.index = self.index.wrapping_add(1);
                Ok(Some(result))
            }
            None => Err(self.malformed(op, fault)),
        }
    }

    /// The result of the next operation that was asked for, by its type; `None` if it was not done.
    /// That of SECINFO_NO_NAME needs [`next`](Self::next).
    ///
    /// # Errors
    /// See [`next`](Self::next).
    #[inline(always)]
    pub fn expect<R: OpReply<'a>>(&mut self) -> Result<Option<R>, ReplyError> {
        let Some(found) = self.number(R::OP)? else { return Ok(None) };
        let result = if found == R::OP {
            self.source.take()
        } else {
            // The server does not know the operation.
            self.source.take().map(R::failure)
        };
        match result {
            Ok(result) => {
                self.last = R::status(&result);
                self.index = self.index.wrapping_add(1);
                Ok(Some(result))
            }
            Err(error) => {
                let index = self.index;
                Err(ReplyError::Malformed { index, op: R::OP, error })
            }
        }
    }

    /// Reads the number of the next result.
    #[inline(always)]
    fn number(&mut self, op: OpNum) -> Result<Option<OpNum>, ReplyError> {
        if self.index >= self.count {
            return ended(self.status, self.count).map(|()| None);
        }
        match self.source.take() {
            Ok(found) if self.last == Status::OK && (found == op || found == OpNum::ILLEGAL) => {
                Ok(Some(found))
            }
            found => Err(unexpected([self.index, self.count], self.last, op, found)),
        }
    }

    #[cold]
    fn malformed(&self, op: OpNum, error: Option<DecodeError>) -> ReplyError {
        let kind = ErrorKind::Contradiction;
        let error = error.unwrap_or(DecodeError { kind, offset: 0, field: None });
        ReplyError::Malformed { index: self.index, op, error }
    }

    /// Goes on with another source, where the message goes on: behind a READ whose data was still on
    /// the wire.
    pub fn go_on(&mut self, source: S) {
        self.source = source;
    }

    /// The source, which stands behind what was read last.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Ends the reply, and gives its status.
    ///
    /// # Errors
    /// [`ReplyError`]: results are left, the status is not that of the last one, or bytes are left
    /// over.
    #[inline]
    pub fn finish(self) -> Result<Status, ReplyError> {
        let Self { source, status, last, index, count, .. } = self;
        if index < count {
            let reason = "not as many operations were asked for";
            return Err(ReplyError::Count { count, reason });
        }
        // Without a result it is COMPOUND itself that failed.
        if status != last && index > 0 {
            return Err(ReplyError::Status { status, last });
        }
        source.end().map_err(ReplyError::Trailing)?;
        Ok(status)
    }
}

/// Why there is no such result.
#[cold]
fn unexpected(
    [index, count]: [u32; 2],
    last: Status,
    op: OpNum,
    found: Result<OpNum, DecodeError>,
) -> ReplyError {
    match found {
        _ if last != Status::OK => {
            let reason = "the one that was read last failed";
            ReplyError::Count { count, reason }
        }
        Ok(found) => ReplyError::OtherOp { index, expected: op, found },
        Err(error) => ReplyError::Malformed { index, op, error },
    }
}

/// Another operation was asked for, and there is no result.
#[cold]
fn ended(status: Status, count: u32) -> Result<(), ReplyError> {
    if status == Status::OK {
        let reason = "all operations were done: the reply's status is NFS4_OK";
        return Err(ReplyError::Count { count, reason });
    }
    Ok(())
}
