//! CB_COMPOUND itself: both messages, a reader and two writers.

use nfswire_xdr::{Array, Cursor, DecodeError, EncodeError, Encoder, Mark, Slot, xdr_struct};
use thiserror::Error;

use super::{CbArgOp, CbOpNum, CbResOp};
use crate::{Component, Status};

xdr_struct! {
    /// Arguments of CB_COMPOUND: all operations, each of which must be one that exists (RFC 7530,
    /// section 17.2; RFC 8881, section 19.2).
    ///
    /// A client reads them with [`RequestReader`] instead, which gives the operations before one
    /// that it cannot read.
    #[derive(Copy)]
    "CB_COMPOUND4args" => pub struct CbCompoundArgs<'a> {
        /// Anything; comes back in the reply.
        pub tag: Component<'a>,
        /// Minor version.
        "minorversion" => pub minor_version: u32,
        /// The client's number for its callbacks, from SETCLIENTID; 0 and ignored in sessions.
        pub callback_ident: u32,
        /// The operations.
        "argarray" => pub operations: Array<'a, CbArgOp<'a>>,
    }
}

xdr_struct! {
    /// Reply to CB_COMPOUND (RFC 7530, section 17.2; RFC 8881, section 19.2).
    #[derive(Copy)]
    "CB_COMPOUND4res" => pub struct CbCompoundReply<'a> {
        /// How the last operation ended.
        pub status: Status,
        /// That of the request.
        pub tag: Component<'a>,
        /// Results up to the first failure.
        "resarray" => pub results: Array<'a, CbResOp<'a>>,
    }
}

xdr_struct! {
    /// What stands before the operations: the count too.
    #[derive(Copy)]
    "CB_COMPOUND4args" => struct Head<'a> {
        tag: Component<'a>,
        "minorversion" => minor_version: u32,
        callback_ident: u32,
        "argarray" => count: u32,
    }
}

//--- Reading a request ---

/// Why an operation of a request cannot be read. [`answer`](Self::answer) is what to reply; the
/// request ends here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpError {
    /// The minor version has no such operation.
    #[error("operation {index}: NFSv4.{minor_version} has no callback number {}", op.0)]
    Illegal {
        /// Place of the operation, from 0.
        index: u32,
        /// Its number.
        op: CbOpNum,
        /// The request's minor version.
        minor_version: u32,
    },
    /// The bytes are no arguments of the operation.
    #[error("operation {index}: {error}")]
    Damaged {
        /// Place of the operation, from 0.
        index: u32,
        /// Its number; `OP_CB_ILLEGAL` if not even that was there.
        op: CbOpNum,
        /// What was wrong.
        error: DecodeError,
    },
}

impl OpError {
    /// Place of the operation in the request, from 0.
    #[must_use]
    pub const fn index(&self) -> u32 {
        match self {
            Self::Illegal { index, .. } | Self::Damaged { index, .. } => *index,
        }
    }

    /// [`Status::OP_ILLEGAL`] or [`Status::BADXDR`].
    #[must_use]
    pub const fn status(&self) -> Status {
        match self {
            Self::Illegal { .. } => Status::OP_ILLEGAL,
            Self::Damaged { .. } => Status::BADXDR,
        }
    }

    /// The result that stands for the operation, the last one of the reply.
    #[must_use]
    pub fn answer(&self) -> CbResOp<'static> {
        let op = match self {
            Self::Illegal { .. } => CbOpNum::ILLEGAL,
            Self::Damaged { op, .. } => *op,
        };
        let illegal = super::CbIllegalReply { status: self.status() };
        match op {
            CbOpNum::ILLEGAL => CbResOp::Illegal(illegal),
            op => CbResOp::from_status(op, self.status()).unwrap_or(CbResOp::Illegal(illegal)),
        }
    }
}

/// Reads the arguments of CB_COMPOUND one operation at a time, without storing any.
///
/// An operation that cannot be read ends the request: an [`OpError`], then nothing.
///
/// ```
/// use nfswire_nfs4::{Status, callback::{CbArgOp, RequestReader}};
/// use nfswire_xdr::Cursor;
///
/// // NFSv4.1, tag "", two operations: CB_RECALL_SLOT, and number 99.
/// let bytes = [[0; 4], [0, 0, 0, 1], [0; 4], [0, 0, 0, 2], [0, 0, 0, 10], [0; 4], [0, 0, 0, 99]];
/// let mut request = RequestReader::open(Cursor::new(bytes.as_flattened()))?;
/// assert_eq!(request.check(1, 16), Ok(()));
/// assert!(matches!(request.next(), Some(Ok(CbArgOp::RecallSlot(_)))));
/// let error = request.next().unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "operation 1: NFSv4.1 has no callback number 99");
/// assert_eq!(error.answer().status(), Status::OP_ILLEGAL);
/// assert_eq!(request.next(), None);
/// # Ok::<(), nfswire_xdr::DecodeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RequestReader<'a> {
    head: Head<'a>,
    cursor: Cursor<'a>,
    index: u32,
    failed: bool,
}

impl<'a> RequestReader<'a> {
    /// Starts at the tag, where the cursor stands behind the RPC header.
    ///
    /// # Errors
    /// The bytes before the operations are wrong: the RPC reply is `GARBAGE_ARGS`.
    pub fn open(mut cursor: Cursor<'a>) -> Result<Self, DecodeError> {
        let head = cursor.decode()?;
        Ok(Self { head, cursor, index: 0, failed: false })
    }

    /// The tag, for the reply.
    #[must_use]
    pub const fn tag(&self) -> Component<'a> {
        self.head.tag
    }

    /// Minor version of the request.
    #[must_use]
    pub const fn minor_version(&self) -> u32 {
        self.head.minor_version
    }

    /// The client's number for its callbacks, from SETCLIENTID.
    #[must_use]
    pub const fn callback_ident(&self) -> u32 {
        self.head.callback_ident
    }

    /// Operations that the request announces; no byte of them has been looked at.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.head.count
    }

    /// Whether the request announces no operation.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.head.count == 0
    }

    /// Whether to look at the operations at all: minor versions up to `max_minor_version` and
    /// `max_ops` operations are accepted.
    ///
    /// # Errors
    /// The status of a reply without results: [`Status::MINOR_VERS_MISMATCH`],
    /// [`Status::TOO_MANY_OPS`], or in NFSv4.0, which does not know that, [`Status::RESOURCE`].
    pub const fn check(&self, max_minor_version: u32, max_ops: u32) -> Result<(), Status> {
        match self.head {
            Head { minor_version, .. } if minor_version > max_minor_version => {
                Err(Status::MINOR_VERS_MISMATCH)
            }
            Head { minor_version, count, .. } if count > max_ops => {
                Err(if minor_version == 0 { Status::RESOURCE } else { Status::TOO_MANY_OPS })
            }
            _ => Ok(()),
        }
    }

    /// Ends reading, and checks that nothing is left over if all operations were read.
    ///
    /// # Errors
    /// Bytes are left over behind the last operation.
    pub fn finish(self) -> Result<(), DecodeError> {
        if self.failed || self.index < self.head.count {
            return Ok(());
        }
        self.cursor.finish()
    }

    fn read(&mut self, index: u32) -> Result<CbArgOp<'a>, OpError> {
        let minor_version = self.head.minor_version;
        let mut ahead = self.cursor;
        let op = ahead.decode::<CbOpNum>().map_err(|error| OpError::Damaged {
            index,
            op: CbOpNum::ILLEGAL,
            error,
        })?;
        if op.since().is_none_or(|since| since > minor_version) {
            return Err(OpError::Illegal { index, op, minor_version });
        }
        self.cursor.decode().map_err(|error| OpError::Damaged { index, op, error })
    }
}

impl<'a> Iterator for RequestReader<'a> {
    type Item = Result<CbArgOp<'a>, OpError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.index >= self.head.count {
            return None;
        }
        let op = self.read(self.index);
        self.index = self.index.saturating_add(1);
        self.failed = op.is_err();
        Some(op)
    }
}

//--- Writing ---

/// Operations behind a count that is filled in last. Dropped before that, it takes all back.
#[derive(Debug)]
struct Counted<'e, 'h, 'p> {
    e: &'e mut Encoder<'h, 'p>,
    start: Mark,
    slot: Slot,
    count: u32,
    finished: bool,
}

impl Counted<'_, '_, '_> {
    fn finish(&mut self) -> Result<u32, EncodeError> {
        self.e.patch(self.slot, self.count)?;
        self.finished = true;
        Ok(self.count)
    }
}

impl Drop for Counted<'_, '_, '_> {
    fn drop(&mut self) {
        if !self.finished {
            // Cannot be stale: only this writes to the encoder while it lives, and it goes back no
            // further than to this mark.
            let _: Result<(), EncodeError> = self.e.rollback(self.start);
        }
    }
}

/// Writes the arguments of CB_COMPOUND operation by operation. Dropped before
/// [`finish`](Self::finish) it takes back all that it wrote.
///
/// ```
/// use nfswire_nfs4::callback::{CbArgOp, CbCompoundArgs, RequestWriter, session::CbRecallSlotArgs};
/// use nfswire_xdr::{Encoder, Segments, Text, from_bytes};
///
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// let mut request = RequestWriter::new(&mut e, Text::default(), 1, 0)?;
/// request.push(&CbArgOp::RecallSlot(CbRecallSlotArgs { target_highest_slotid: 3 }))?;
/// assert_eq!(request.finish()?, 1);
/// e.finish();
/// let message = segments.view(&head).to_vec()?;
/// assert_eq!(from_bytes::<CbCompoundArgs<'_>>(&message)?.operations.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "without `finish` nothing is written"]
pub struct RequestWriter<'e, 'h, 'p> {
    operations: Counted<'e, 'h, 'p>,
}

impl<'e, 'h, 'p> RequestWriter<'e, 'h, 'p> {
    /// Starts where the encoder stands, which is behind the RPC header.
    ///
    /// # Errors
    /// Those of [`Encoder::put`].
    pub fn new(
        e: &'e mut Encoder<'h, 'p>,
        tag: Component<'_>,
        minor_version: u32,
        callback_ident: u32,
    ) -> Result<Self, EncodeError> {
        let start = e.mark();
        let slot = e.attempt(|e| {
            e.put(&tag)?;
            e.put(&minor_version)?;
            e.put(&callback_ident)?;
            e.reserve()
        })?;
        Ok(Self { operations: Counted { e, start, slot, count: 0, finished: false } })
    }

    /// Appends an operation.
    ///
    /// # Errors
    /// Those of [`Encoder::put`]; nothing of the operation is left then.
    pub fn push(&mut self, operation: &CbArgOp<'p>) -> Result<(), EncodeError> {
        self.operations.e.put(operation)?;
        self.operations.count = self.operations.count.saturating_add(1);
        Ok(())
    }

    /// Fills in the number of operations, and returns it.
    ///
    /// # Errors
    /// None in an encoder that nothing else went wrong with.
    pub fn finish(mut self) -> Result<u32, EncodeError> {
        self.operations.finish()
    }
}

/// Writes the reply to CB_COMPOUND result by result. Dropped before [`finish`](Self::finish) it
/// takes back all that it wrote.
///
/// A reply without results, when [`RequestReader::check`] refuses, is a [`CbCompoundReply`] with an
/// empty list.
#[derive(Debug)]
#[must_use = "without `finish` nothing is written"]
pub struct ReplyWriter<'e, 'h, 'p> {
    results: Counted<'e, 'h, 'p>,
    status_slot: Slot,
    status: Status,
}

impl<'e, 'h, 'p> ReplyWriter<'e, 'h, 'p> {
    /// Starts where the encoder stands, which is behind the RPC header. `tag` is that of the
    /// request.
    ///
    /// # Errors
    /// Those of [`Encoder::put`].
    pub fn new(e: &'e mut Encoder<'h, 'p>, tag: Component<'_>) -> Result<Self, EncodeError> {
        let start = e.mark();
        let (status_slot, slot) = e.attempt(|e| {
            let status = e.reserve()?;
            e.put(&tag)?;
            Ok::<_, EncodeError>((status, e.reserve()?))
        })?;
        let results = Counted { e, start, slot, count: 0, finished: false };
        Ok(Self { results, status_slot, status: Status::OK })
    }

    /// How the last operation ended: after a failure no further one is to be carried out.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Appends a result.
    ///
    /// # Errors
    /// Those of [`Encoder::put`], when nothing of the result is left; [`EncodeError::Contradiction`]
    /// behind a failure, which ends the reply.
    pub fn push(&mut self, result: &CbResOp<'p>) -> Result<(), EncodeError> {
        if self.status != Status::OK {
            return Err(EncodeError::Contradiction);
        }
        self.results.e.put(result)?;
        self.results.count = self.results.count.saturating_add(1);
        self.status = result.status();
        Ok(())
    }

    /// Fills in the status and the number of results, and returns the status.
    ///
    /// # Errors
    /// None in an encoder that nothing else went wrong with.
    pub fn finish(mut self) -> Result<Status, EncodeError> {
        self.results.e.patch(self.status_slot, self.status.0)?;
        self.results.finish()?;
        Ok(self.status)
    }
}
