//! Messages as lines for people, in the style of tshark, and as JSON for programs.

use core::fmt;
use core::net::SocketAddr;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use nfswire_nfs4::Status;
use nfswire_rdma::cm::PrivateData;
use serde::Serialize;
use serde_json::value::RawValue;
use unicode_width::UnicodeWidthChar;

use crate::connections::{Found, Place};
use crate::messages::{Kind, Message, Verdict};
use crate::nfs4::{self, Compound, Detail};
use crate::programs::{procedure_name, program_name};
use crate::rdma::heading::{self, Heading};
use crate::rdma::iwarp::Start;
use crate::rdma::manager::Datagram;

const PLAIN: Style = Style::new();
const DIM: Style = Style::new().dimmed();
const CALL: Style = AnsiColor::Cyan.on_default();
const REPLY: Style = AnsiColor::Green.on_default();
const FAILED: Style = AnsiColor::Yellow.on_default();
const WRONG: Style = AnsiColor::Red.on_default().bold();

/// Before an operation of a COMPOUND.
const INDENT: &str = "                    ";

/// Writes lines. Columns are never cut unless the width of a terminal is given.
#[derive(Debug)]
pub(crate) struct Printer {
    /// When the first packet was captured.
    start: Option<i64>,
    width: Option<usize>,
    spans: Vec<(Style, String)>,
}

impl Printer {
    pub(crate) const fn new(width: Option<usize>) -> Self {
        Self { start: None, width, spans: Vec::new() }
    }

    /// Sees a packet: times count from the first one.
    pub(crate) fn packet(&mut self, time: Option<i64>) {
        self.start = self.start.or(time);
    }

    fn span(&mut self, style: Style, text: impl fmt::Display) {
        self.spans.push((style, text.to_string()));
    }

    fn place(&mut self, place: &Place) {
        let since = place.time.zip(self.start).map(|(time, start)| time.saturating_sub(start));
        let seconds = since.map_or_else(|| "-".into(), Seconds::relative);
        self.span(DIM, format_args!("{:>6} {seconds:>11} ", place.frame));
        let (src, dst) = (place.src.ip(), place.dst.ip());
        self.span(PLAIN, format_args!("{src:>13} -> {dst:<13} "));
    }

    /// Writes a message. `absent` bytes of it were not captured.
    pub(crate) fn message(
        &mut self,
        out: &mut impl Write,
        place: &Place,
        message: &Message<'_>,
        absent: u64,
    ) -> io::Result<()> {
        self.place(place);
        let called = message.called;
        let program = called.map(|it| (program_name(it), it));
        let program = match program {
            Some((Some(name), _)) => name.to_owned(),
            Some((None, called)) => called.program.to_string(),
            None => "RPC".into(),
        };
        self.span(PLAIN, format_args!("{program:<8} {:>6} ", message.bytes.len()));
        let style = if message.kind == Kind::Call { CALL } else { REPLY };
        if let Some(it) = called {
            let name = procedure_name(it);
            self.span(style, format_args!("V{} {name} ", it.version));
        }
        match message.kind {
            Kind::Call => self.span(style, "Call"),
            Kind::Reply => self.span(style, "Reply"),
            Kind::Neither => self.span(PLAIN, "no RPC message"),
        }
        match message.answers {
            Some(answers) => {
                self.span(DIM, format_args!(" (Call In {})", answers.frame));
                if answers.again {
                    self.span(DIM, " (repeated)");
                }
            }
            None if message.kind == Kind::Reply => {
                self.span(DIM, format_args!(" (xid {:#010x})", message.xid.unwrap_or_default()));
            }
            None => {}
        }
        self.span(PLAIN, &message.fields);
        if let Some(status) = message.fields.failed() {
            let status = format!(" Error: {status}");
            self.span(FAILED, status);
        }
        if let Some(failure) = &message.failure {
            self.span(FAILED, format_args!(" Error: {failure}"));
        }
        match &message.verdict {
            Verdict::Identical | Verdict::Other => {}
            Verdict::Different => self.span(WRONG, " [encodes to other bytes]"),
            Verdict::Refused(reason) => self.span(WRONG, format_args!(" [refused: {reason}]")),
        }
        if absent > 0 {
            self.span(WRONG, format_args!(" [{absent} bytes of chunks are not in the capture]"));
        }
        self.write(out)?;
        message.compound.as_ref().map_or(Ok(()), |it| self.operations(out, it, style))
    }

    /// Writes the operations of a COMPOUND, a line each.
    fn operations(
        &mut self,
        out: &mut impl Write,
        compound: &Compound,
        style: Style,
    ) -> io::Result<()> {
        for (operation, fields) in compound.operations.iter().zip(&compound.lines) {
            self.span(style, format_args!("{INDENT}{}", compound.name(operation.number)));
            self.span(PLAIN, fields);
            if let Some(status) = operation.status.filter(|status| *status != Status::OK) {
                self.span(FAILED, format_args!(" Error: {}", nfs4::status_name(status)));
            }
            self.write(out)?;
        }
        let more = compound.operations.len().saturating_sub(compound.lines.len());
        if more > 0 {
            self.span(DIM, format_args!("{INDENT}and {more} more"));
            self.write(out)?;
        }
        Ok(())
    }

    /// Writes the transport header of a message.
    pub(crate) fn header(
        &mut self,
        out: &mut impl Write,
        place: &Place,
        heading: &Heading<'_>,
    ) -> io::Result<()> {
        self.place(place);
        self.span(PLAIN, format_args!("{:<8} {:>6} ", "RDMA", heading.bytes.len()));
        self.span(DIM, format_args!("{}{heading}", heading.name()));
        match &heading.verdict {
            heading::Verdict::Identical => {}
            heading::Verdict::Different => self.span(WRONG, " [encodes to other bytes]"),
            heading::Verdict::Refused(reason) => {
                self.span(WRONG, format_args!(" [refused: {reason}]"));
            }
        }
        self.write(out)
    }

    /// Writes a datagram of the connection manager.
    pub(crate) fn management(
        &mut self,
        out: &mut impl Write,
        place: &Place,
        datagram: &Datagram<'_>,
    ) -> io::Result<()> {
        self.place(place);
        self.span(PLAIN, format_args!("{:<8} {:>6} ", "CM", datagram.private_data.len()));
        self.span(DIM, datagram.attribute.name());
        if let Some(start) = datagram.start {
            let (pair, psn) = (start.pair, start.psn);
            self.span(DIM, format_args!(", queue pair: {pair:#x}, peer's first PSN: {psn}"));
        }
        if let Some(port) = datagram.service {
            self.span(DIM, format_args!(", port: {port}"));
        }
        if let Some(reason) = datagram.reason {
            self.span(FAILED, format_args!(", reason: {reason}"));
        }
        self.private_data(datagram.says());
        self.write(out)
    }

    /// Writes how an iWARP connection begins.
    pub(crate) fn mpa(
        &mut self,
        out: &mut impl Write,
        place: &Place,
        start: &Start<'_>,
    ) -> io::Result<()> {
        self.place(place);
        self.span(PLAIN, format_args!("{:<8} {:>6} ", "MPA", start.private_data.len()));
        let name = if start.request { "Request" } else { "Reply" };
        self.span(DIM, format_args!("{name}, revision: {}", start.revision));
        for (is, text) in [(start.markers, ", markers"), (start.checksums, ", CRC")] {
            self.span(DIM, if is { text } else { "" });
        }
        if start.rejected {
            self.span(FAILED, ", rejected");
        }
        self.private_data(start.says());
        self.write(out)
    }

    /// Says what RPC-over-RDMA does in private data.
    fn private_data(&mut self, says: Option<PrivateData>) {
        if let Some(says) = says {
            let (send, receive) = (says.send_size(), says.receive_size());
            let may = if says.remote_invalidation() { ", remote invalidation" } else { "" };
            self.span(PLAIN, format_args!(", sends {send} bytes, receives {receive}{may}"));
        }
    }

    /// Writes what is missing.
    pub(crate) fn note(
        &mut self,
        out: &mut impl Write,
        place: &Place,
        found: &Found<'_>,
    ) -> io::Result<()> {
        let Some(Note { text, .. }) = note(found) else { return Ok(()) };
        self.place(place);
        self.span(WRONG, format_args!("[{text}]"));
        self.write(out)
    }

    fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        let mut room = self.width;
        for (style, text) in self.spans.drain(..) {
            let part = match &mut room {
                Some(room) => cut(&text, room),
                None => &text,
            };
            if style == PLAIN {
                write!(out, "{part}")?;
            } else {
                write!(out, "{style}{part}{style:#}")?;
            }
        }
        writeln!(out)
    }
}

/// As much of a text as fits into columns, of which so many are left then.
fn cut<'t>(text: &'t str, room: &mut usize) -> &'t str {
    for (at, c) in text.char_indices() {
        match room.checked_sub(c.width().unwrap_or(0)) {
            Some(left) => *room = left,
            None => {
                *room = 0;
                return text.get(..at).unwrap_or(text);
            }
        }
    }
    text
}

/// What is missing.
#[derive(Debug, Serialize)]
pub(crate) struct Note {
    /// In a word.
    #[serde(rename = "note")]
    pub(crate) word: &'static str,
    pub(crate) bytes: u64,
    /// In a sentence.
    pub(crate) text: String,
}

/// What is missing or wrong; `None` for a message.
pub(crate) fn note(found: &Found<'_>) -> Option<Note> {
    let (word, bytes, text) = match found {
        Found::Message(_)
        | Found::Rebuilt { .. }
        | Found::Header(_)
        | Found::Management(_)
        | Found::Mpa(_) => {
            return None;
        }
        Found::Gap(n) => ("gap", *n, format!("{n} bytes of the stream are not in the capture")),
        Found::Skipped(n) => ("skipped", *n, format!("{n} bytes are not part of a whole record")),
        Found::Cut(n) => ("cut", *n, format!("the capture lacks the last {n} bytes of a datagram")),
        Found::Lost(n) => {
            ("lost", *n, format!("{n} packets of the connection are not in the capture"))
        }
        Found::Absent(n) => (
            "absent",
            *n,
            format!("{n} bytes of chunks, which the message is in, are not in the capture"),
        ),
        Found::Returned(wrong) => ("returned", 0, wrong.clone()),
        Found::Malformed(len, fault) => {
            ("malformed", u64::try_from(*len).unwrap_or(u64::MAX), fault.clone())
        }
    };
    Some(Note { word, bytes, text })
}

/// Nanoseconds as seconds.
struct Seconds;

impl Seconds {
    /// To the microsecond.
    fn relative(nanos: i64) -> String {
        let sign = if nanos < 0 { "-" } else { "" };
        let micros = nanos.unsigned_abs() / 1000;
        format!("{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)
    }

    /// In full.
    fn absolute(nanos: i64) -> String {
        let (seconds, rest) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
        format!("{seconds}.{rest:09}")
    }
}

//--- JSON ---

/// A line of JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    frame: u64,
    /// Seconds since 1970, a string: digits are not to be lost.
    time: Option<String>,
    transport: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection: Option<u64>,
    src: SocketAddr,
    dst: SocketAddr,
    #[serde(flatten)]
    what: What<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum What<'a> {
    Message(Box<Fields<'a>>),
    Header(Box<heading::Json>),
    Management(Box<Management>),
    Note(Note),
}

#[derive(Debug, Default, Serialize)]
struct Fields<'a> {
    length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    xid: Option<u32>,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    procedure: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_frame: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ns: Option<u64>,
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    repeated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    operations: &'a [Detail],
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_from: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    /// The message was put together from chunks; zeros stand for so many bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    chunk_bytes_absent: Option<u64>,
}

fn line<'a>(place: &Place, what: What<'a>) -> Line<'a> {
    Line {
        frame: place.frame,
        time: place.time.map(Seconds::absolute),
        transport: place.transport.name(),
        connection: (place.connection > 0).then_some(place.connection),
        src: place.src,
        dst: place.dst,
        what,
    }
}

/// Writes a message as one line of JSON.
pub(crate) fn json(
    out: &mut impl Write,
    place: &Place,
    message: &Message<'_>,
    absent: Option<u64>,
) -> io::Result<()> {
    let (verdict, reason) = match &message.verdict {
        Verdict::Identical => ("identical", None),
        Verdict::Different => ("different", None),
        Verdict::Refused(reason) => ("refused", Some(reason.as_str())),
        Verdict::Other => ("other", None),
    };
    let body = message.body.as_deref();
    let raw = message.raw();
    let is_raw = !raw.is_empty() || reason.is_some();
    let fields = Fields {
        length: message.bytes.len(),
        xid: message.xid,
        kind: match message.kind {
            Kind::Call => "call",
            Kind::Reply => "reply",
            Kind::Neither => "none",
        },
        program: message.called.map(|it| it.program),
        version: message.called.map(|it| it.version),
        procedure: message.called.map(|it| it.procedure),
        name: message.entry.map(|entry| entry.rfc_name),
        credential: message.credential.as_deref(),
        call_frame: message.answers.map(|it| it.frame),
        latency_ns: message.answers.and_then(|it| it.latency),
        repeated: message.answers.is_some_and(|it| it.again),
        failure: message.failure.as_deref(),
        args: body.filter(|_| message.kind == Kind::Call),
        results: body.filter(|_| message.kind == Kind::Reply),
        operations: message.compound.as_ref().map_or(&[], |it| &it.details),
        verdict,
        reason,
        raw_from: is_raw.then_some(message.raw_from),
        raw: is_raw.then(|| hex::encode(raw)),
        chunk_bytes_absent: absent,
    };
    serde_json::to_writer(&mut *out, &line(place, What::Message(Box::new(fields))))?;
    writeln!(out)
}

/// Writes a transport header as one line of JSON.
pub(crate) fn json_header(
    out: &mut impl Write,
    place: &Place,
    heading: &Heading<'_>,
) -> io::Result<()> {
    let what = What::Header(Box::new(heading::Json::of(heading)));
    serde_json::to_writer(&mut *out, &line(place, what))?;
    writeln!(out)
}

/// How a connection begins: a datagram of the connection manager, or a frame of MPA.
#[derive(Debug, Default, Serialize)]
struct Management {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_pair: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    starting_psn: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reject_reason: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    markers: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksums: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<bool>,
    private_data: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    send_size: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receive_size: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote_invalidation: Option<bool>,
}

impl Management {
    fn with(self, private_data: &[u8], says: Option<PrivateData>) -> Box<Self> {
        Box::new(Self {
            private_data: hex::encode(private_data),
            send_size: says.map(|says| says.send_size()),
            receive_size: says.map(|says| says.receive_size()),
            remote_invalidation: says.map(|says| says.remote_invalidation()),
            ..self
        })
    }
}

/// Writes a datagram of the connection manager as one line of JSON.
pub(crate) fn json_management(
    out: &mut impl Write,
    place: &Place,
    datagram: &Datagram<'_>,
) -> io::Result<()> {
    let management = Management {
        kind: "cm",
        name: datagram.attribute.name(),
        queue_pair: datagram.start.map(|start| start.pair),
        starting_psn: datagram.start.map(|start| start.psn),
        port: datagram.service,
        reject_reason: datagram.reason,
        ..Management::default()
    };
    let what = What::Management(management.with(datagram.private_data, datagram.says()));
    serde_json::to_writer(&mut *out, &line(place, what))?;
    writeln!(out)
}

/// Writes how an iWARP connection begins as one line of JSON.
pub(crate) fn json_mpa(out: &mut impl Write, place: &Place, start: &Start<'_>) -> io::Result<()> {
    let management = Management {
        kind: "mpa",
        name: if start.request { "Request" } else { "Reply" }.into(),
        revision: Some(start.revision),
        markers: Some(start.markers),
        checksums: Some(start.checksums),
        rejected: Some(start.rejected),
        ..Management::default()
    };
    let what = What::Management(management.with(start.private_data, start.says()));
    serde_json::to_writer(&mut *out, &line(place, what))?;
    writeln!(out)
}

/// Writes what is missing as one line of JSON.
pub(crate) fn json_note(out: &mut impl Write, place: &Place, found: &Found<'_>) -> io::Result<()> {
    let Some(note) = note(found) else { return Ok(()) };
    serde_json::to_writer(&mut *out, &line(place, What::Note(note)))?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::Transport;
    use crate::messages::{Dissector, Show};

    fn place() -> Place {
        Place {
            frame: 12,
            time: Some(1_500_000_000),
            src: "10.0.0.1:700".parse().unwrap(),
            dst: "10.0.0.2:2049".parse().unwrap(),
            connection: 3,
            transport: Transport::Tcp,
        }
    }

    fn call() -> Vec<u8> {
        let words = [1u32, 0, 2, 100_003, 3, 1, 0, 0, 0, 0, 4, 0x3132_3334];
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    fn printed(width: Option<usize>) -> String {
        let (mut printer, mut out) = (Printer::new(width), Vec::new());
        printer.packet(Some(0));
        let bytes = call();
        let message = Dissector::new().dissect(&place(), &bytes, Show::Line);
        printer.message(&mut out, &place(), &message, 0).unwrap();
        printer.note(&mut out, &place(), &Found::Gap(5)).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn lines_for_people() {
        let text = printed(None);
        let mut lines = text.lines();
        assert_eq!(
            lines.next().unwrap(),
            "    12    1.500000      10.0.0.1 -> 10.0.0.2      NFS          48 V3 GETATTR Call, FH: 0x9be3e0a3"
        );
        assert!(lines.next().unwrap().ends_with("[5 bytes of the stream are not in the capture]"));
        for width in [0, 1, 30, 70] {
            assert!(printed(Some(width)).lines().all(|line| line.len() <= width));
        }
    }

    #[test]
    fn lines_for_programs() {
        let mut out = Vec::new();
        let bytes = call();
        let message = Dissector::new().dissect(&place(), &bytes, Show::Json);
        json(&mut out, &place(), &message, None).unwrap();
        json_note(&mut out, &place(), &Found::Cut(5)).unwrap();
        let lines: Vec<serde_json::Value> =
            out.split(|b| *b == b'\n').filter_map(|it| serde_json::from_slice(it).ok()).collect();
        let [message, note] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(message["name"], "NFSPROC3_GETATTR");
        assert_eq!(message["args"]["object"], "31323334");
        assert_eq!(message["time"], "1.500000000");
        assert_eq!(message["verdict"], "identical");
        assert_eq!((&note["note"], &note["bytes"]), (&"cut".into(), &5.into()));
    }

    #[test]
    fn times() {
        assert_eq!(Seconds::relative(-1_500), "-0.000001");
        assert_eq!(Seconds::absolute(-1), "-1.999999999");
    }
}
