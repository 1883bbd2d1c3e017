//! Shows the RPC messages of NFS and its side protocols in a capture.
//!
//! [`capture`] reads pcap and pcapng, [`link`] takes frames apart, [`tcp`] puts streams together,
//! [`stream`] finds records in them, [`connections`] keeps them apart, [`rdma`] does all of that with
//! RPC-over-RDMA, whose chunks it puts back, [`messages`] decodes and
//! encodes again, by the table in [`programs`], [`nfs4`] does so with COMPOUND, whose callbacks
//! [`callbacks`] knows; [`print`](mod@print), [`stats`] and [`check`] write.

extern crate alloc;

mod callbacks;
mod capture;
mod check;
mod connections;
mod fields;
mod link;
mod messages;
mod nfs4;
mod nfs4_attrs;
mod nfs4_fields;
mod print;
mod programs;
mod rdma;
mod stats;
mod stream;
mod tcp;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::AutoStream;
use clap::{ColorChoice, Parser};

use capture::{Capture, CaptureError, End, Packet, Sink};
use check::Totals;
use connections::{Connections, Finder, Found, Place};
use link::Network;
use messages::{Dissector, Show};
use print::Printer;
use stats::Stats;

/// Shows the RPC messages of NFS and its side protocols in a capture (pcap or pcapng, also packed with
/// gzip), over TCP, UDP and RPC-over-RDMA (RoCEv2, iWARP).
///
/// Without --stats and --check, one line a message. What a protocol forbids is kept as it is, and
/// shown with the reason.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "From a live capture: tcpdump -U -w - port 2049 or udp port 4791 | dump -\n\
                  Ends with status 1 if --check finds a message that encodes to other bytes, 2 if the\n\
                  capture cannot be read to its end."
)]
struct Options {
    /// The capture, or - for the standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Messages, or the rows of --stats, as JSON, one object a line
    #[arg(long)]
    json: bool,
    /// Counts, bytes and latencies of each procedure and operation, instead of messages
    #[arg(long)]
    stats: bool,
    /// Encodes every message again, and says which do not give their own bytes
    #[arg(long)]
    check: bool,
    /// Longest record that is taken for one
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(64..1 << 31))]
    max_record: u32,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

/// Writes what was asked for.
struct Output<W: Write> {
    out: W,
    show: Show,
    /// Messages are written one by one.
    each: bool,
    stats: Option<Stats>,
    check: bool,
    totals: Totals,
    dissector: Dissector,
    printer: Printer,
}

impl<W: Write> Output<W> {
    fn new(options: &Options, out: W, width: Option<usize>) -> Self {
        let each = !options.stats && (options.json || !options.check);
        let show = match (each, options.json) {
            (true, true) => Show::Json,
            (true, false) => Show::Line,
            (false, _) if options.stats => Show::Line,
            (false, _) => Show::Nothing,
        };
        Self {
            out,
            show,
            each,
            stats: options.stats.then(Stats::default),
            check: options.check,
            totals: Totals::default(),
            dissector: Dissector::new(),
            printer: Printer::new(width),
        }
    }

    /// Writes what is known only now.
    fn end(&mut self, json: bool) -> io::Result<()> {
        if let Some(stats) = &self.stats {
            if json { stats.json(&mut self.out)? } else { stats.table(&mut self.out)? }
        }
        if self.check && !json {
            writeln!(self.out, "{}", self.totals)?;
        }
        self.out.flush()
    }
}

impl<W: Write> Finder for Output<W> {
    fn found(&mut self, place: &Place, found: Found<'_>) -> io::Result<()> {
        let json = self.show == Show::Json;
        let (bytes, absent) = match found {
            Found::Message(bytes) => (bytes, None),
            Found::Rebuilt { message, absent } => (message, Some(absent)),
            Found::Header(heading) => {
                self.totals.count_header(&heading.verdict);
                return match (self.each, json) {
                    (true, true) => print::json_header(&mut self.out, place, heading),
                    (true, false) => self.printer.header(&mut self.out, place, heading),
                    (false, _) if self.check => check::report_header(&mut self.out, place, heading),
                    (false, _) => Ok(()),
                };
            }
            Found::Management(datagram) => {
                return match (self.each, json) {
                    (true, true) => print::json_management(&mut self.out, place, datagram),
                    (true, false) => self.printer.management(&mut self.out, place, datagram),
                    (false, _) => Ok(()),
                };
            }
            Found::Mpa(start) => {
                return match (self.each, json) {
                    (true, true) => print::json_mpa(&mut self.out, place, start),
                    (true, false) => self.printer.mpa(&mut self.out, place, start),
                    (false, _) => Ok(()),
                };
            }
            _ => return self.note(place, &found, json),
        };
        let message = self.dissector.dissect(place, bytes, self.show);
        match absent {
            Some(absent) => self.totals.count_rebuilt(&message, absent),
            None => self.totals.count(&message.verdict),
        }
        if let Some(stats) = &mut self.stats {
            stats.count(&message);
        }
        match (self.each, json) {
            (true, true) => print::json(&mut self.out, place, &message, absent),
            (true, false) => {
                let absent = absent.unwrap_or(0);
                self.printer.message(&mut self.out, place, &message, absent)
            }
            (false, _) if self.check => check::report(&mut self.out, place, &message),
            (false, _) => Ok(()),
        }
    }
}

impl<W: Write> Output<W> {
    /// What is missing.
    fn note(&mut self, place: &Place, found: &Found<'_>, json: bool) -> io::Result<()> {
        if matches!(found, Found::Absent(_)) {
            self.totals.rdma.absent = self.totals.rdma.absent.saturating_add(1);
        }
        match (self.each, json) {
            (true, true) => print::json_note(&mut self.out, place, found),
            (true, false) => self.printer.note(&mut self.out, place, found),
            (false, _) if self.check => match print::note(found) {
                Some(note) => {
                    let (frame, word, text) = (place.frame, note.word, note.text);
                    writeln!(self.out, "frame {frame}: {word}: {text}")
                }
                None => Ok(()),
            },
            (false, _) => Ok(()),
        }
    }
}

/// The way of a packet.
struct Dump<W: Write> {
    network: Network,
    connections: Connections,
    output: Output<W>,
}

impl<W: Write> Sink for Dump<W> {
    fn packet(&mut self, packet: Packet<'_>) -> io::Result<()> {
        self.output.printer.packet(packet.time);
        let Some(segment) = self.network.segment(packet.link, packet.data) else { return Ok(()) };
        self.connections.segment(packet.number, packet.time, &segment, &mut self.output)
    }

    fn idle(&mut self) -> io::Result<()> {
        self.output.out.flush()
    }
}

/// What is to be said beside the output.
#[derive(Debug, Default)]
struct Outcome {
    totals: Totals,
    notes: Vec<String>,
    /// The input could not be read to its end.
    failed: bool,
}

/// Reads a capture and writes what was asked for.
///
/// # Errors
/// The output cannot be written.
fn run(
    options: &Options,
    input: impl Read + Send + 'static,
    out: impl Write,
    width: Option<usize>,
) -> io::Result<Outcome> {
    let mut dump = Dump {
        network: Network::new(),
        connections: Connections::new(options.max_record),
        output: Output::new(options, out, width),
    };
    let mut outcome = Outcome::default();
    let mut packets = 0;
    let end = Capture::open(input).and_then(|mut capture| {
        let end = capture.read(&mut dump);
        packets = capture.packets();
        end
    });
    match end {
        Ok(End::Clean) => {}
        Ok(End::Cut) => outcome.notes.push(format!(
            "it ends in the middle of the packet after packet {packets}: what is behind was not captured"
        )),
        Err(CaptureError::Output(error)) => return Err(error),
        Err(error) => {
            outcome.notes.push(error.to_string());
            outcome.failed = true;
        }
    }
    dump.connections.end(&mut dump.output)?;
    dump.output.end(options.json)?;
    if let Some((link, frames)) = dump.network.unknown() {
        outcome.notes.push(format!(
            "{frames} of {packets} packets have a link type that is not known here, such as {link}: they \
             were passed over; capture on Ethernet, cooked, loopback or raw IP interfaces"
        ));
    }
    outcome.totals = dump.output.totals;
    if options.check && options.json {
        outcome.notes.push(outcome.totals.to_string());
    }
    Ok(outcome)
}

fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        if io::stdin().is_terminal() {
            return Err(io::Error::other("it is a terminal: pipe a capture into it"));
        }
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path)?))
}

fn main() -> ExitCode {
    let options = Options::parse();
    let name = if options.input == Path::new("-") {
        "standard input".into()
    } else {
        options.input.display().to_string()
    };
    let choice = match options.color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    let stdout = io::stdout();
    // Lines are cut for a terminal only.
    let width = if stdout.is_terminal() {
        terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0))
    } else {
        None
    };
    let out = BufWriter::with_capacity(64 << 10, AutoStream::new(stdout.lock(), choice));
    let input = match open(&options.input) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("dump: {name}: it cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&options, input, out, width) {
        Ok(outcome) => {
            for note in &outcome.notes {
                eprintln!("dump: {name}: {note}");
            }
            if outcome.failed {
                ExitCode::from(2)
            } else {
                ExitCode::from(u8::from(options.check && outcome.totals.differ()))
            }
        }
        // Whoever read our output has enough of it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("dump: the output cannot be written: {error}");
            ExitCode::from(2)
        }
    }
}
