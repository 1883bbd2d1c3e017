//! COMPOUND and CB_COMPOUND, operation by operation: what comes before a fault is shown, and what
//! begins with it is kept as it is.

use nfswire_nfs4::callback::{CbArgOp, CbOpNum, CbResOp};
use nfswire_nfs4::compound::{Argop, HIGHEST_MINOR, Resop, Standing};
use nfswire_nfs4::{OpNum, Status};
use nfswire_xdr::serde::{Serialize, SerializeXdr};
use nfswire_xdr::{Cursor, Decode, Encode, Text, xdr_struct};
use serde_json::value::{RawValue, to_raw_value};

use crate::callbacks::Told;
use crate::messages::{Show, Verdict};
use crate::nfs4_attrs::Attributes;
use crate::nfs4_fields::{self, OpFields};
use crate::programs::{Shown, encodes_to};

/// Operations of a message that are written one by one, at most.
const MAX_SHOWN: usize = 4096;

xdr_struct! {
    /// What stands before the operations of a call: their number too.
    #[derive(Copy)]
    "COMPOUND4args" => struct ArgsHead<'a> {
        tag: Text<'a>,
        minorversion: u32,
        "argarray" => count: u32,
    }
}

xdr_struct! {
    /// The same of a callback.
    #[derive(Copy)]
    "CB_COMPOUND4args" => struct CbArgsHead<'a> {
        tag: Text<'a>,
        minorversion: u32,
        callback_ident: u32,
        "argarray" => count: u32,
    }
}

xdr_struct! {
    /// The same of a reply, be it to a call or to a callback.
    #[derive(Copy)]
    "COMPOUND4res" => struct ReplyHead<'a> {
        status: Status,
        tag: Text<'a>,
        "resarray" => count: u32,
    }
}

/// Which of the four messages it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Which {
    pub(crate) callback: bool,
    pub(crate) reply: bool,
}

/// An operation of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) number: u32,
    /// Bytes, with its number; of one that is refused, all that are left.
    pub(crate) len: usize,
    /// Of a result that can be read.
    pub(crate) status: Option<Status>,
}

/// An operation as JSON says what the value itself does not.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Detail {
    name: String,
    at: usize,
    length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// The values of each `fattr4`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attributes: Vec<Attributes>,
}

/// A message taken apart, as far as it can be read.
#[derive(Debug, Default)]
pub(crate) struct Compound {
    callback: bool,
    pub(crate) tag: String,
    pub(crate) minor: Option<u32>,
    pub(crate) ident: Option<u32>,
    /// Operations that the message announces.
    pub(crate) count: u32,
    /// Of a reply.
    pub(crate) status: Option<Status>,
    pub(crate) operations: Vec<Operation>,
    /// What a line says of each operation, of the first ones.
    pub(crate) lines: Vec<String>,
    /// What JSON says of each operation, of the first ones.
    pub(crate) details: Vec<Detail>,
    /// The message as JSON.
    pub(crate) json: Option<Box<RawValue>>,
    /// Where a client takes callbacks.
    pub(crate) told: Vec<Told>,
}

impl Compound {
    /// Name of an operation of the message.
    pub(crate) fn name(&self, number: u32) -> String {
        name(self.callback, number)
    }
}

/// Name of an operation, or its number.
pub(crate) fn name(callback: bool, number: u32) -> String {
    if !callback {
        return nfs4_fields::operation(number);
    }
    let name = CbOpNum(number).name().and_then(|name| name.strip_prefix("OP_"));
    name.map_or_else(|| format!("cb-op-{number}"), Into::into)
}

/// Name of a status, or its number.
pub(crate) fn status_name(status: Status) -> String {
    status.name().map_or_else(|| format!("status {}", status.0), Into::into)
}

/// What the four unions of operations have in common.
trait Union<'a>: Decode<'a> + Encode<'a> + SerializeXdr {
    /// How it ended.
    fn status(&self) -> Option<Status> {
        None
    }

    /// Where the client takes callbacks.
    fn told(&self) -> Option<Told> {
        None
    }
}

impl<'a> Union<'a> for Argop<'a> {
    fn told(&self) -> Option<Told> {
        let by_session = |program| Told { program, address: None };
        match self {
            Self::Setclientid(args) => {
                Some(Told::at(args.callback.program, &args.callback.location))
            }
            Self::CreateSession(args) => Some(by_session(args.cb_program)),
            Self::BackchannelCtl(args) => Some(by_session(args.cb_program)),
            _ => None,
        }
    }
}

impl<'a> Union<'a> for Resop<'a> {
    fn status(&self) -> Option<Status> {
        Some(Resop::status(self))
    }
}

impl<'a> Union<'a> for CbArgOp<'a> {}

impl<'a> Union<'a> for CbResOp<'a> {
    fn status(&self) -> Option<Status> {
        Some(CbResOp::status(self))
    }
}

/// What became of a message: what was read of it, and why not the rest.
type Outcome = (Compound, Result<(), (Verdict, usize)>);

/// Reads a message from behind its RPC header. `minor` is the minor version of the call, if it is a
/// reply.
pub(crate) fn read(which: Which, c: Cursor<'_>, minor: Option<u32>, show: Show) -> Outcome {
    let mut reader = Reader {
        which,
        c,
        show,
        compound: Compound { callback: which.callback, minor, ..Compound::default() },
        values: Vec::new(),
        same: true,
    };
    let mut end = reader.read();
    // A fault of the codecs counts for more than one of the sender.
    if !reader.same {
        end = Err((Verdict::Different, reader.c.position().saturating_add(reader.c.rest().len())));
    }
    (reader.compound, end)
}

struct Reader<'a> {
    which: Which,
    c: Cursor<'a>,
    show: Show,
    compound: Compound,
    /// The operations as JSON.
    values: Vec<Box<RawValue>>,
    /// Everything so far came out as it went in.
    same: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), (Verdict, usize)> {
        let at = self.c.position();
        let refuse = |error: nfswire_xdr::DecodeError| (Verdict::Refused(error.to_string()), at);
        if self.which.reply {
            let head: ReplyHead<'_> = self.head().map_err(refuse)?;
            (self.compound.status, self.compound.count) = (Some(head.status), head.count);
            let end = self.operations(&head.tag);
            self.compound.json = self.json(&Results {
                status: Shown(&head.status),
                tag: Shown(&head.tag),
                resarray: &self.values,
            });
            return end;
        }
        let (tag, minorversion) = if self.which.callback {
            let head: CbArgsHead<'_> = self.head().map_err(refuse)?;
            self.compound.ident = Some(head.callback_ident);
            self.compound.count = head.count;
            (head.tag, head.minorversion)
        } else {
            let head: ArgsHead<'_> = self.head().map_err(refuse)?;
            self.compound.count = head.count;
            (head.tag, head.minorversion)
        };
        self.compound.minor = Some(minorversion);
        let end = self.operations(&tag);
        let callback_ident = self.compound.ident;
        let argarray = &self.values;
        self.compound.json =
            self.json(&Args { tag: Shown(&tag), minorversion, callback_ident, argarray });
        end
    }

    fn json(&self, value: &impl Serialize) -> Option<Box<RawValue>> {
        if self.show == Show::Json { to_raw_value(value).ok() } else { None }
    }

    fn head<T: Decode<'a> + Encode<'a>>(&mut self) -> Result<T, nfswire_xdr::DecodeError> {
        let bytes = self.c.rest();
        let start = self.c.position();
        let head = self.c.decode()?;
        let len = self.c.position().saturating_sub(start);
        self.same &= encodes_to(&head, bytes.get(..len).unwrap_or_default());
        Ok(head)
    }

    fn operations(&mut self, tag: &Text<'_>) -> Result<(), (Verdict, usize)> {
        self.compound.tag = tag.to_string();
        for index in 0..self.compound.count {
            let at = self.c.position();
            let len = self.c.rest().len();
            let end = match self.which {
                Which { callback: false, reply: false } => self.operation::<Argop<'_>>(index),
                Which { callback: false, reply: true } => self.operation::<Resop<'_>>(index),
                Which { callback: true, reply: false } => self.operation::<CbArgOp<'_>>(index),
                Which { callback: true, reply: true } => self.operation::<CbResOp<'_>>(index),
            };
            if let Err(reason) = end {
                if let Some(number) = self.number() {
                    self.push(Operation { number, len, status: None }, at, None);
                }
                return Err((Verdict::Refused(reason), at));
            }
        }
        let at = self.c.position();
        self.c.finish().map_err(|error| (Verdict::Refused(error.to_string()), at))
    }

    /// The number of the next operation.
    fn number(&self) -> Option<u32> {
        self.c.rest().first_chunk().map(|number| u32::from_be_bytes(*number))
    }

    fn operation<T: Union<'a>>(&mut self, index: u32) -> Result<(), String> {
        if let Some(number) = self.number() {
            self.exists(number).map_err(|reason| format!("operation {index}: {reason}"))?;
        }
        let (at, bytes) = (self.c.position(), self.c.rest());
        let value: T = self.c.decode().map_err(|error| match self.number() {
            Some(number) => {
                format!("operation {index}, {}: {error}", self.compound.name(number))
            }
            None => format!("operation {index}: {error}"),
        })?;
        let len = self.c.position().saturating_sub(at);
        let mut fields = OpFields::new(self.show);
        // The end of the line is no fault.
        let _full = Shown(&value).serialize(&mut fields);
        self.same &= fields.same && encodes_to(&value, bytes.get(..len).unwrap_or_default());
        if let Some(json) = self.json(&Shown(&value)) {
            self.values.push(json);
        }
        self.compound.told.extend(value.told());
        let number = bytes.first_chunk().map_or(0, |number| u32::from_be_bytes(*number));
        self.push(Operation { number, len, status: value.status() }, at, Some(fields));
        Ok(())
    }

    /// Whether the minor version has such an operation.
    fn exists(&self, number: u32) -> Result<(), String> {
        let Some(minor) = self.compound.minor else {
            return Err("its call cannot be read, so its minor version is not known".into());
        };
        if minor > HIGHEST_MINOR {
            return Err(format!("there is no NFSv4.{minor}"));
        }
        let op = OpNum(number);
        let (kind, exists) = if self.which.callback {
            let since = CbOpNum(number).since();
            ("callback", since.is_some_and(|since| since <= minor))
        } else {
            // An operation that was removed may not be done, but can be read.
            let exists = op == OpNum::ILLEGAL || op.standing(minor) != Standing::Illegal;
            ("operation", exists)
        };
        if exists { Ok(()) } else { Err(format!("NFSv4.{minor} has no {kind} {number}")) }
    }

    fn push(&mut self, operation: Operation, at: usize, fields: Option<OpFields>) {
        let Operation { number, len, status } = operation;
        self.compound.operations.push(operation);
        match self.show {
            Show::Line if self.compound.lines.len() < MAX_SHOWN => {
                let fields = fields.map_or_else(|| ", not read".into(), |it| it.to_string());
                self.compound.lines.push(fields);
            }
            Show::Json if self.compound.details.len() < MAX_SHOWN => {
                let detail = Detail {
                    name: self.compound.name(number),
                    at,
                    length: len,
                    status: status.map(status_name),
                    attributes: fields.map(|it| it.attributes).unwrap_or_default(),
                };
                self.compound.details.push(detail);
            }
            _ => {}
        }
    }
}

/// The names of the RFC's fields, and the operations that were read.
#[derive(serde::Serialize)]
struct Args<'v> {
    tag: Shown<'v, Text<'v>>,
    minorversion: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    callback_ident: Option<u32>,
    argarray: &'v [Box<RawValue>],
}

#[derive(serde::Serialize)]
struct Results<'v> {
    status: Shown<'v, Status>,
    tag: Shown<'v, Text<'v>>,
    resarray: &'v [Box<RawValue>],
}
