//! Which operation may stand where.

use thiserror::Error;

use super::{CompoundArgs, HIGHEST_MINOR, Standing};
use crate::{OpNum, Status};
use nfswire_xdr::DecodeError;

/// Why an operation is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Reason {
    /// The number stands for no operation of this minor version. Its arguments, if it has any,
    /// cannot be stepped over.
    #[error("there is no operation of number {0} in this minor version")]
    Illegal(u32),
    /// It was an operation of an earlier minor version only.
    #[error("it must not be implemented in this minor version")]
    Removed,
    /// The arguments cannot be decoded.
    #[error("{0}")]
    Malformed(DecodeError),
    /// There are more operations than the receiver takes.
    #[error("{count} operations, at most {limit} are taken")]
    TooManyOps {
        /// How many there are.
        count: u32,
        /// How many there may be.
        limit: u32,
    },
    /// The request does not begin with SEQUENCE.
    #[error("it needs SEQUENCE before it")]
    NotInSession,
    /// It must be the only operation.
    #[error("it must be the only operation")]
    NotOnlyOp,
    /// SEQUENCE stands behind another operation.
    #[error("SEQUENCE must be the first operation")]
    SequencePosition,
}

/// An operation that is not done: what to answer, and why. It is the last that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("operation {index} ({op}) is refused: {reason}")]
pub struct Refusal {
    /// Its place in the request, from 0.
    pub index: u32,
    /// What its result stands under: its number, or [`OpNum::ILLEGAL`].
    pub op: OpNum,
    /// The status of its result.
    pub status: Status,
    /// Why.
    pub reason: Reason,
}

/// Judges the operations of one request in order (RFC 8881, sections 2.10.6.1, 15.1.3 and 18.46.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// The operations that may stand behind the first one.
    allowed: &'static [bool; NUMBERS],
    pub(super) minor: u32,
    /// Operations before the next one.
    pub(super) index: u32,
    pub(super) count: u32,
}

/// One more than the highest number that an operation has.
const NUMBERS: usize = 128;

/// Operations of a minor version that may stand behind the first one.
const fn behind(minor: u32) -> [bool; NUMBERS] {
    let mut set = [false; NUMBERS];
    let mut rest: &mut [bool] = &mut set;
    let mut op = 0u32;
    while let Some((allowed, tail)) = rest.split_first_mut() {
        let place = minor > 0 && matches!(OpNum(op), OpNum::SEQUENCE | OpNum::BIND_CONN_TO_SESSION);
        *allowed = matches!(OpNum(op).standing(minor), Standing::Defined) && !place;
        rest = tail;
        op = op.wrapping_add(1);
    }
    set
}

static BEHIND: [[bool; NUMBERS]; HIGHEST_MINOR as usize + 1] = [behind(0), behind(1), behind(2)];
static NOTHING: [bool; NUMBERS] = [false; NUMBERS];

impl Order {
    #[inline]
    pub(super) fn new(minor: u32, count: u32) -> Self {
        let allowed = BEHIND.get(minor as usize).unwrap_or(&NOTHING);
        Self { allowed, minor, index: 0, count }
    }

    /// Steps over an operation, of which the receiver takes at most `limit`.
    #[inline(always)]
    pub(super) fn admit(self, op: OpNum, limit: u32) -> Result<Self, Refusal> {
        if self.index > 0 {
            if self.allowed.get(op.0 as usize) != Some(&true) {
                judge([self.minor, self.index, self.count], op, limit)?;
            }
        } else if self.minor == 0 || op != OpNum::SEQUENCE || self.count > limit {
            judge([self.minor, self.index, self.count], op, limit)?;
        }
        Ok(Self { index: self.index.wrapping_add(1), ..self })
    }
}

/// An operation that is not among those allowed, in a request of `count` operations.
#[cold]
#[inline(never)]
fn judge([minor, index, count]: [u32; 3], op: OpNum, limit: u32) -> Result<(), Refusal> {
    if index == 0 && count > limit {
        // The result of the first one says so.
        let status = if minor == 0 { Status::RESOURCE } else { Status::TOO_MANY_OPS };
        let reason = Reason::TooManyOps { count, limit };
        return Err(Refusal { index: 0, op, status, reason });
    }
    let (status, reason) = match op.standing(minor) {
        Standing::Illegal => {
            let (status, reason) = (Status::OP_ILLEGAL, Reason::Illegal(op.0));
            return Err(Refusal { index, op: OpNum::ILLEGAL, status, reason });
        }
        Standing::Removed => (Status::NOTSUPP, Reason::Removed),
        Standing::Defined if minor == 0 => return Ok(()),
        Standing::Defined if index > 0 => match op {
            OpNum::SEQUENCE => (Status::SEQUENCE_POS, Reason::SequencePosition),
            _ => (Status::NOT_ONLY_OP, Reason::NotOnlyOp),
        },
        Standing::Defined if !op.is_sessionless() => {
            (Status::OP_NOT_IN_SESSION, Reason::NotInSession)
        }
        Standing::Defined if count > 1 => (Status::NOT_ONLY_OP, Reason::NotOnlyOp),
        Standing::Defined => return Ok(()),
    };
    Err(Refusal { index, op, status, reason })
}

impl CompoundArgs<'_> {
    /// Checks what can be known without a session: that the operations are of the minor version,
    /// and that each may stand where it does.
    ///
    /// # Errors
    /// The first operation that a server would refuse. What a minor version that is not known would
    /// be refused with is [`Status::MINOR_VERS_MISMATCH`], without a result: not looked at here.
    pub fn validate(&self) -> Result<(), Refusal> {
        let order = Order::new(self.minor_version, self.ops.len());
        self.ops.iter().try_fold(order, |order, op| order.admit(op.op(), u32::MAX)).map(drop)
    }
}
