//! Transport headers of RPC-over-RDMA: decoded, encoded again, and what is said of them.

use core::fmt::{self, Write as _};

use nfswire_rdma::types::{Body, ChunkLists, ErrorBody, Message, PaddedLists, Procedure};
use nfswire_rdma::{
    Budget, Endpoint, Prefix, Received, Refusal, Reverse, Role, Segment, WriteChunk, receive,
};
use nfswire_xdr::{Cursor, Encode, Limits};
use serde::Serialize;

use super::exchange::Sender;

/// What is here was paid for by the capture.
const LIMITS: Limits = Limits { max_items: u32::MAX, ..Limits::STRICT };
/// Segments that a line names, at most.
const MAX_SHOWN: usize = 16;

/// What became of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Identical,
    /// What was decoded encodes to other bytes: a fault of the codec.
    Different,
    /// The protocol forbids it, for this reason.
    Refused(String),
}

/// A transport header, and how the message with it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading<'m> {
    /// The whole message.
    pub(crate) bytes: &'m [u8],
    /// Who sent it, if that is known.
    pub(crate) sender: Option<Sender>,
    /// Number of the queue pair that it was sent to.
    pub(crate) pair: Option<u32>,
    /// The key that it invalidates.
    pub(crate) invalidate: Option<u32>,
    /// The words that all versions have.
    pub(crate) prefix: Option<Prefix>,
    /// The header, if its encoding is right.
    pub(crate) message: Option<Message<'m>>,
    pub(crate) verdict: Verdict,
}

impl<'m> Heading<'m> {
    /// Reads the header of a message, which is returned too if it may be used.
    pub(crate) fn read(bytes: &'m [u8]) -> (Self, Option<Received<'m>>) {
        let received = received(bytes);
        // Another version's messages may be anything, but for errors.
        let message = Cursor::with(bytes, &LIMITS).decode().ok().filter(|message: &Message<'m>| {
            message.version == nfswire_rdma::VERSION || matches!(message.body, Body::Error(_))
        });
        let verdict = match &received {
            Ok(received) if comes_out(received, message.as_ref(), bytes) => Verdict::Identical,
            Ok(_) => Verdict::Different,
            Err(refusal) => Verdict::Refused(refusal.reason.to_string()),
        };
        let prefix = Prefix::of(bytes);
        let heading =
            Self { bytes, sender: None, pair: None, invalidate: None, prefix, message, verdict };
        (heading, received.ok())
    }

    /// The kind of message by the name of the RFC.
    pub(crate) fn name(&self) -> String {
        match self.prefix {
            Some(Prefix { procedure, .. }) => i32::try_from(procedure)
                .ok()
                .and_then(Procedure::from_value)
                .map_or_else(|| format!("procedure {procedure}"), |it| it.name().into()),
            None => "no header".into(),
        }
    }

    /// What the message is made of beside an RPC message: its chunk lists.
    fn lists(&self) -> Option<ChunkLists<'m>> {
        match self.message?.body {
            Body::Msg(lists) | Body::Nomsg(lists) => Some(lists),
            Body::Msgp(PaddedLists { reads, writes, reply, .. }) => {
                Some(ChunkLists { reads, writes, reply })
            }
            Body::Done | Body::Error(_) => None,
        }
    }

    fn error(&self) -> Option<ErrorBody> {
        match self.message?.body {
            Body::Error(error) => Some(error),
            _ => None,
        }
    }
}

/// Takes a message apart. A tool allows whatever the protocol does.
pub(crate) fn received(bytes: &[u8]) -> Result<Received<'_>, Refusal> {
    let endpoint = Endpoint::new(Role::Responder).reverse(Reverse::Chunks);
    receive(bytes, endpoint, &Budget::UNLIMITED)
}

/// Whether both views of a header encode to its bytes.
fn comes_out(received: &Received<'_>, message: Option<&Message<'_>>, bytes: &[u8]) -> bool {
    let Some(header) = bytes.get(..received.header_len()) else { return false };
    let mut head = vec![0; header.len()];
    let written = received.header().write_to(&mut head).ok();
    let plain = message.is_some_and(|message| {
        message.encoded_len() == u64::try_from(header.len()).unwrap_or(u64::MAX)
            && crate::programs::encodes_to(message, header)
    });
    plain && written == Some(header.len()) && head == header
}

impl fmt::Display for Heading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(prefix) = self.prefix {
            write!(f, ", xid: {:#010x}", prefix.xid)?;
            if prefix.version != nfswire_rdma::VERSION {
                write!(f, ", version: {}", prefix.version)?;
            }
            write!(f, ", credits: {}", prefix.credits)?;
        }
        if let Some(lists) = self.lists() {
            let reads = lists.reads.iter().map(|read| (Some(read.position), read.target));
            segments(f, "reads", reads)?;
            for chunk in lists.writes.iter() {
                chunk_of(f, "write", &chunk)?;
            }
            if let Some(chunk) = lists.reply {
                chunk_of(f, "reply", &chunk)?;
            }
        }
        match self.error() {
            Some(ErrorBody::Version(range)) => {
                write!(f, ", ERR_VERS, versions {} to {}", range.low, range.high)?;
            }
            Some(ErrorBody::Chunk) => f.write_str(", ERR_CHUNK")?,
            None => {}
        }
        if let Some(key) = self.invalidate {
            write!(f, ", invalidates: {key:#x}")?;
        }
        Ok(())
    }
}

fn chunk_of(f: &mut fmt::Formatter<'_>, name: &str, chunk: &WriteChunk<'_>) -> fmt::Result {
    let mut any = false;
    let all = chunk.segments.iter().inspect(|_| any = true).map(|segment| (None, segment));
    segments(f, name, all)?;
    if any { Ok(()) } else { write!(f, ", {name}: []") }
}

/// Segments of a line, each as its length and its key; Read chunks with their position.
fn segments(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    segments: impl Iterator<Item = (Option<u32>, Segment)>,
) -> fmt::Result {
    let (mut count, mut bytes) = (0usize, 0u64);
    for (position, Segment { handle, length, .. }) in segments {
        bytes = bytes.saturating_add(length.into());
        if count == 0 {
            write!(f, ", {name}: [")?;
        } else if count < MAX_SHOWN {
            f.write_char(' ')?;
        }
        if count < MAX_SHOWN {
            if let Some(position) = position {
                write!(f, "{position}:")?;
            }
            write!(f, "{length}@{handle:#x}")?;
        }
        count = count.saturating_add(1);
    }
    let more = count.saturating_sub(MAX_SHOWN);
    if more > 0 {
        write!(f, " and {more} more, {bytes} bytes in all")?;
    }
    if count > 0 { f.write_char(']') } else { Ok(()) }
}

//--- JSON ---

#[derive(Debug, Serialize)]
struct JsonSegment {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<u32>,
    handle: u32,
    length: u32,
    offset: u64,
}

impl JsonSegment {
    const fn of(position: Option<u32>, segment: Segment) -> Self {
        let Segment { handle, length, offset } = segment;
        Self { position, handle, length, offset }
    }
}

/// A header as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Json {
    length: usize,
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_pair: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invalidate: Option<u32>,
    #[serde(flatten)]
    prefix: Option<JsonPrefix>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header_length: Option<u64>,
    #[serde(flatten)]
    lists: Option<JsonLists>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<[u32; 2]>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The whole message, if it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
}

#[derive(Debug, Serialize)]
struct JsonPrefix {
    xid: u32,
    version: u32,
    credits: u32,
    procedure: u32,
}

#[derive(Debug, Serialize)]
struct JsonLists {
    reads: Vec<JsonSegment>,
    writes: Vec<Vec<JsonSegment>>,
    reply: Option<Vec<JsonSegment>>,
}

impl Json {
    pub(crate) fn of(heading: &Heading<'_>) -> Self {
        let chunk = |chunk: WriteChunk<'_>| -> Vec<JsonSegment> {
            chunk.segments.iter().map(|segment| JsonSegment::of(None, segment)).collect()
        };
        let (verdict, reason) = match &heading.verdict {
            Verdict::Identical => ("identical", None),
            Verdict::Different => ("different", None),
            Verdict::Refused(reason) => ("refused", Some(reason.clone())),
        };
        Self {
            length: heading.bytes.len(),
            kind: "header",
            name: heading.name(),
            sender: heading.sender.map(Sender::name),
            queue_pair: heading.pair,
            invalidate: heading.invalidate,
            prefix: heading.prefix.map(|Prefix { xid, version, credits, procedure }| JsonPrefix {
                xid,
                version,
                credits,
                procedure,
            }),
            header_length: heading.message.map(|message| message.encoded_len()),
            lists: heading.lists().map(|lists| JsonLists {
                reads: lists
                    .reads
                    .iter()
                    .map(|read| JsonSegment::of(Some(read.position), read.target))
                    .collect(),
                writes: lists.writes.iter().map(chunk).collect(),
                reply: lists.reply.map(chunk),
            }),
            error: heading.error().map(|error| match error {
                ErrorBody::Version(_) => "ERR_VERS",
                ErrorBody::Chunk => "ERR_CHUNK",
            }),
            versions: match heading.error() {
                Some(ErrorBody::Version(range)) => Some([range.low, range.high]),
                _ => None,
            },
            verdict,
            raw: reason.as_ref().map(|_| hex::encode(heading.bytes)),
            reason,
        }
    }
}
