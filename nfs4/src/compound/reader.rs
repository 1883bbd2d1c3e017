//! Reading COMPOUND operation by operation, as servers do.

use core::iter::FusedIterator;

use nfswire_xdr::{Cursor, Decode, DecodeError, ErrorKind, Field, Pieces, Source, Text};
use thiserror::Error;

use super::{
    Argop, HIGHEST_MINOR, OpArgs,
    order::{Order, Reason, Refusal},
};
use crate::{OpNum, Status, ops::session::ChannelAttrs};

/// What COMPOUND is read from: a [`Cursor`], or [`Pieces`].
pub trait Input<'a>: Source<'a> {
    /// Reads a value.
    ///
    /// # Errors
    /// The first fault in the bytes.
    fn take<T: Decode<'a>>(&mut self) -> Result<T, DecodeError>;

    /// Runs `f` on a copy where there can be one, which alone has to be in memory then.
    #[doc(hidden)]
    fn apart<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R;

    /// Offset of the next byte from the start of the message.
    fn at(&self) -> usize;

    /// Whether bytes are left over that must not be.
    ///
    /// # Errors
    /// [`Trailing`](nfswire_xdr::ErrorKind::Trailing).
    fn end(self) -> Result<(), DecodeError>;
}

macro_rules! input {
    ($($t:ident { $($apart:tt)* })*) => {$(
        impl<'a> Input<'a> for $t<'a> {
            #[inline(always)]
            fn take<T: Decode<'a>>(&mut self) -> Result<T, DecodeError> {
                self.decode()
            }

            $($apart)*

            #[inline]
            fn at(&self) -> usize {
                self.position()
            }

            fn end(self) -> Result<(), DecodeError> {
                self.finish()
            }
        }
    )*};
}
input! {
    Cursor {
        #[inline(always)]
        fn apart<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
            let mut c = *self;
            let result = f(&mut c);
            *self = c;
            result
        }
    }
    Pieces {
        fn apart<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
            f(self)
        }
    }
}

/// What a server takes, whatever the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The lowest minor version.
    pub lowest_minor: u32,
    /// The highest; nothing above [`HIGHEST_MINOR`] is taken.
    pub highest_minor: u32,
    /// Most operations of one request. A client that sends more is told so at the first one.
    pub max_ops: u32,
}

impl Default for Accepted {
    /// All minor versions, and 256 operations.
    fn default() -> Self {
        Self { lowest_minor: 0, highest_minor: HIGHEST_MINOR, max_ops: 256 }
    }
}

/// Why a request has no operations to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OpenError<'a> {
    /// The minor version is not taken. This outranks all that may be wrong behind it; the answer is
    /// [`CompoundReply::mismatch`](super::CompoundReply::mismatch).
    #[error("minor version {minor_version} is not taken here")]
    MinorVersion {
        /// For the answer.
        tag: Text<'a>,
        /// What the client wants to speak.
        minor_version: u32,
    },
    /// What stands before the operations cannot be decoded, or there cannot be as many operations as
    /// it says. The answer is RPC's `GARBAGE_ARGS`.
    #[error("the call is no COMPOUND: {0}")]
    Malformed(#[from] DecodeError),
}

/// Reads the arguments of COMPOUND one operation at a time: a server does each before it looks at
/// the next, so what cannot be decoded does not keep it from answering what came before.
///
/// It allocates nothing and holds one operation at a time. It ends behind the last operation, or at
/// one that must be refused: by the rules of the minor version, or because its arguments cannot be
/// decoded. [`refusal`](Self::refusal) tells which. WRITE's data may still be on the wire
/// ([`Cursor::head`]): what follows it is read when the reader has been given its bytes with
/// [`go_on`](Self::go_on).
///
/// ```
/// use nfswire_nfs4::{OpNum, Status, compound::{Accepted, Argop, CompoundReader}};
/// use nfswire_xdr::Cursor;
///
/// // tag "", minor version 0, two operations: PUTROOTFH, and a number that stands for none.
/// let call = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 24, 0, 0, 0x27, 0x0f];
/// let mut reader = CompoundReader::open(Cursor::new(&call), &Accepted::default()).unwrap();
/// assert_eq!(reader.by_ref().collect::<Vec<_>>(), [Argop::Putrootfh]);
/// let refusal = reader.refusal().unwrap();
/// assert_eq!((refusal.op, refusal.status), (OpNum::ILLEGAL, Status::OP_ILLEGAL));
/// ```
///
/// A server that has much to do reads numbers and arguments apart, so that no value that could be any
/// operation is made:
///
/// ```
/// # use nfswire_nfs4::{OpNum, compound::{Accepted, CompoundReader}};
/// # use nfswire_xdr::Cursor;
/// use nfswire_nfs4::ops::filehandle::PutfhArgs;
///
/// # let call = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 22, 0, 0, 0, 4, 1, 2, 3, 4];
/// # let mut reader = CompoundReader::open(Cursor::new(&call), &Accepted::default()).unwrap();
/// while let Some(op) = reader.next_op() {
///     match op {
///         OpNum::PUTFH => {
///             let Some(args) = reader.args::<PutfhArgs<'_>>() else { break };
///             assert_eq!(args.object.as_bytes(), [1, 2, 3, 4]);
///         }
///         // ...
/// #       _ => break,
///     }
/// }
/// # assert_eq!(reader.index(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a refused operation is only seen by `refusal`"]
pub struct CompoundReader<'a, S = Cursor<'a>> {
    source: S,
    order: Order,
    /// The operation whose arguments have not been read; 0 if there is none.
    pending: OpNum,
    tag: Text<'a>,
    max_ops: u32,
    refusal: Option<Refusal>,
}

const NONE: OpNum = OpNum(0);

impl<'a, S: Input<'a>> CompoundReader<'a, S> {
    /// Reads what stands before the operations.
    ///
    /// # Errors
    /// [`OpenError`].
    #[inline(always)]
    pub fn open(mut source: S, accepted: &Accepted) -> Result<Self, OpenError<'a>> {
        let tag = source.take()?;
        let minor_version: u32 = source.take()?;
        let highest = accepted.highest_minor.min(HIGHEST_MINOR);
        if minor_version < accepted.lowest_minor || minor_version > highest {
            return Err(OpenError::MinorVersion { tag, minor_version });
        }
        let count: u32 = source.take()?;
        // Each operation has at least a number.
        if count as usize > source.remaining() >> 2 {
            return Err(OpenError::Malformed(lacking(source.remaining(), source.at(), count)));
        }
        let (order, max_ops) = (Order::new(minor_version, count), accepted.max_ops);
        Ok(Self { source, order, pending: NONE, tag, max_ops, refusal: None })
    }

    /// The tag, for the reply.
    #[inline]
    #[must_use]
    pub const fn tag(&self) -> Text<'a> {
        self.tag
    }

    /// The minor version.
    #[inline]
    #[must_use]
    pub const fn minor_version(&self) -> u32 {
        self.order.minor
    }

    /// Operations of the request, those that were read and those that were not.
    #[inline]
    #[must_use]
    pub const fn op_count(&self) -> u32 {
        self.order.count
    }

    /// Operations that have been read: the place of the next one.
    #[inline]
    #[must_use]
    pub const fn index(&self) -> u32 {
        self.order.index
    }

    /// Whether no operation is left.
    #[inline]
    #[must_use]
    pub const fn is_last(&self) -> bool {
        self.order.index >= self.order.count
    }

    /// The operation that is refused. It is the last that is answered.
    #[inline]
    #[must_use]
    pub const fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// Checks the request against what its session allows, once SEQUENCE has said which that is:
    /// the status of SEQUENCE's result if it does not. The slot then stays as it was.
    ///
    /// `request_len` is the length of the RPC message.
    ///
    /// # Errors
    /// [`Status::TOO_MANY_OPS`], [`Status::REQ_TOO_BIG`].
    pub const fn check_session(
        &self,
        channel: &ChannelAttrs,
        request_len: u64,
    ) -> Result<(), Status> {
        if self.op_count() > channel.maxoperations {
            Err(Status::TOO_MANY_OPS)
        } else if request_len > channel.maxrequestsize as u64 {
            Err(Status::REQ_TOO_BIG)
        } else {
            Ok(())
        }
    }

    /// The number of the next operation, to be followed by [`args`](Self::args) if it has any:
    /// arguments that are not asked for are stepped over.
    #[inline(always)]
    pub fn next_op(&mut self) -> Option<OpNum> {
        if self.pending != NONE {
            self.skip()?;
        }
        if self.is_last() || self.refusal.is_some() {
            return None;
        }
        let op = match self.source.take() {
            Ok(number) => OpNum(number),
            Err(error) => {
                self.refusal = Some(malformed_number(self.order, error));
                return None;
            }
        };
        match self.order.admit(op, self.max_ops) {
            Ok(order) => self.order = order,
            Err(refusal) => {
                self.refusal = Some(refusal);
                return None;
            }
        }
        self.pending = op;
        Some(op)
    }

    /// The arguments of the operation that [`next_op`](Self::next_op) has announced; `None` if they
    /// cannot be decoded, which ends the request, or are not of this type.
    #[inline(always)]
    pub fn args<A: OpArgs<'a>>(&mut self) -> Option<A> {
        if self.pending != A::OP {
            return None;
        }
        self.pending = NONE;
        match self.source.take() {
            Ok(args) => Some(args),
            Err(error) => {
                self.refusal = Some(malformed(self.order, A::OP, error));
                None
            }
        }
    }

    /// Goes on with another source, where the message goes on: behind a WRITE whose data was still
    /// on the wire.
    pub fn go_on(&mut self, source: S) {
        self.source = source;
    }

    /// The source, which stands behind what was read last.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Ends the request.
    ///
    /// # Errors
    /// Bytes are left over behind the last operation (in strict policy). They are not looked at if
    /// operations are left, or if one was refused.
    #[inline]
    pub fn finish(mut self) -> Result<(), DecodeError> {
        if self.next_op().is_some() || self.refusal.is_some() {
            return Ok(());
        }
        self.source.end()
    }

    /// Steps over arguments that nobody asked for.
    #[inline(always)]
    fn skip(&mut self) -> Option<()> {
        let op = core::mem::replace(&mut self.pending, NONE);
        // The usual ones have none.
        if !matches!(op, OpNum::GETFH | OpNum::SAVEFH | OpNum::RESTOREFH | OpNum::PUTROOTFH) {
            self.read(op)?;
        }
        Some(())
    }

    #[inline(always)]
    fn read(&mut self, op: OpNum) -> Option<Argop<'a>> {
        let mut fault = None;
        let args = self.source.apart(|c| Argop::read(op, c, &mut fault));
        if let Some(error) = fault {
            self.refusal = Some(malformed(self.order, op, error));
        }
        args
    }
}

impl<'a, S: Input<'a>> Iterator for CompoundReader<'a, S> {
    type Item = Argop<'a>;

    #[inline]
    fn next(&mut self) -> Option<Argop<'a>> {
        let op = self.next_op()?;
        self.pending = NONE;
        self.read(op)
    }
}

impl<'a, S: Input<'a>> FusedIterator for CompoundReader<'a, S> {}

impl<'a> CompoundReader<'a> {
    /// The number of the operation behind the one that was read last, if there is one and its number
    /// is at hand. Whether it may stand there is not looked at.
    #[must_use]
    pub fn peek(&self) -> Option<OpNum> {
        let mut c = self.source;
        if self.pending != NONE {
            Argop::read(self.pending, &mut c, &mut None)?;
        }
        if self.is_last() { None } else { c.decode().ok() }
    }

    /// Whether the operation that was read last, `op`, changes something and sets the current file
    /// handle, and no GETFH follows that would tell the client which: a server may refuse it with
    /// [`Status::UNSAFE_COMPOUND`], and should if it cannot say whether the reply will fit (RFC 8881,
    /// section 2.10.6.4).
    #[must_use]
    pub fn is_unsafe(&self, op: OpNum) -> bool {
        op.changes() && op.moves() && self.peek() != Some(OpNum::GETFH)
    }
}

/// There are fewer bytes than so many operations take.
#[cold]
fn lacking(left: usize, at: usize, count: u32) -> DecodeError {
    let left = u32::try_from(left).unwrap_or(u32::MAX);
    let kind = ErrorKind::Short { needed: count.saturating_mul(4), left };
    let field = Some(const { &Field::new("COMPOUND4args", "argarray") });
    DecodeError { kind, offset: u32::try_from(at).unwrap_or(u32::MAX), field }
}

/// The arguments of the operation that was read last cannot be decoded.
#[cold]
fn malformed(order: Order, op: OpNum, error: DecodeError) -> Refusal {
    let (index, reason) = (order.index.saturating_sub(1), Reason::Malformed(error));
    Refusal { index, op, status: Status::BADXDR, reason }
}

/// Nor can a number: which operation it would have been is not known.
#[cold]
fn malformed_number(order: Order, error: DecodeError) -> Refusal {
    let reason = Reason::Malformed(error);
    Refusal { index: order.index, op: OpNum::ILLEGAL, status: Status::BADXDR, reason }
}
