//! Where the payloads of a reply belong that Write chunks brought: behind their lengths, which came
//! with the rest of the reply (RFC 8267, sections 3 and 6).

use nfswire_nfs4::compound::Resop;
use nfswire_nfs4::{OpNum, Status};
use nfswire_rpc::{MessageBody, ReplyHeader, RpcMessage};
use nfswire_xdr::{Cursor, Limits, Text};

/// What is here was paid for by the capture.
const LIMITS: Limits = Limits { max_payload: u32::MAX, max_items: u32::MAX, ..Limits::STRICT };
/// NFS.
const PROGRAM: u32 = 100_003;

/// The procedure of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) program: u32,
    pub(crate) version: u32,
    pub(crate) procedure: u32,
}

impl Called {
    /// What a call is of.
    pub(crate) fn of(call: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u32::from_be_bytes(*call.get(at..)?.first_chunk()?));
        Some(Self { program: word(12)?, version: word(16)?, procedure: word(20)? })
    }
}

/// Where in a reply's `body` each payload belongs whose bytes are in a Write chunk; `lengths` are
/// those of the chunks. A chunk of no bytes stands for a payload that came with the body. `None` if
/// the body does not say so.
pub(crate) fn places(called: Called, body: &[u8], lengths: &[u64]) -> Option<Vec<(usize, usize)>> {
    if called.program != PROGRAM {
        return None;
    }
    let mut c = Cursor::with(body, &LIMITS);
    let RpcMessage { xid, body: MessageBody::Reply(reply) } = c.decode().ok()? else {
        return None;
    };
    ReplyHeader { xid, body: reply }.outcome().ok()?;
    let start = c.position();
    match (called.version, called.procedure) {
        (4, 1) => compound(body, start, lengths),
        // READ and READLINK: their one payload is the end of the reply.
        (2 | 3, 5 | 6) => {
            let (first, others) = lengths.split_first()?;
            let length = u64::from(u32::from_be_bytes(*body.get(start..)?.last_chunk()?));
            let fits = length == *first && others.iter().all(|length| *length == 0);
            fits.then(|| vec![(body.len(), 0)])
        }
        _ => None,
    }
}

/// The same of COMPOUND, whose operations follow each other as if there were no payload.
fn compound(body: &[u8], start: usize, lengths: &[u64]) -> Option<Vec<(usize, usize)>> {
    let at = |at: usize| Cursor::with(body.get(at..).unwrap_or_default(), &LIMITS);
    let mut c = at(start);
    let (_status, _tag, count): (Status, Text<'_>, u32) =
        (c.decode().ok()?, c.decode().ok()?, c.decode().ok()?);
    let mut next = start.checked_add(c.position())?;
    let (mut places, mut chunk) = (Vec::new(), 0usize);
    for _ in 0..count {
        let mut c = at(next);
        let (number, status): (OpNum, Status) = (c.decode().ok()?, c.decode().ok()?);
        let has_payload = status == Status::OK
            && match number {
                OpNum::READ => c.decode::<bool>().is_ok(),
                OpNum::READLINK => true,
                _ => false,
            };
        if has_payload {
            let length = lengths.get(chunk).copied().unwrap_or(0);
            if length > 0 {
                if u64::from(c.decode::<u32>().ok()?) != length {
                    return None;
                }
                next = next.checked_add(c.position())?;
                places.push((next, chunk));
                chunk = chunk.saturating_add(1);
                continue;
            }
            chunk = chunk.saturating_add(1);
        }
        let mut c = at(next);
        c.decode::<Resop<'_>>().ok()?;
        next = next.checked_add(c.position())?;
    }
    // Every chunk with bytes has its payload.
    lengths.get(chunk..).unwrap_or_default().iter().all(|length| *length == 0).then_some(places)
}
