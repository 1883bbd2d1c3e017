//! What the server counts, and the page that tells it: the text format of Prometheus, version 0.0.4.
//!
//! Nothing is counted, and no clock is read, unless somebody wants the page.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Mutex, PoisonError};

use nfswire_nfs3::{Status, procedures};
use nfswire_rpc::{CallFailure, ReplayStats};
use nfswire_xdr::{Chunk, Message};

use super::Shared;
use super::held::Held;

/// Procedures of NFSv3.
const PROCEDURES: usize = 22;
/// Upper ends of the latency buckets; one without an end follows.
const BUCKETS: [(u64, &str); 18] = [
    (10_000, "0.00001"),
    (25_000, "0.000025"),
    (50_000, "0.00005"),
    (100_000, "0.0001"),
    (250_000, "0.00025"),
    (500_000, "0.0005"),
    (1_000_000, "0.001"),
    (2_500_000, "0.0025"),
    (5_000_000, "0.005"),
    (10_000_000, "0.01"),
    (25_000_000, "0.025"),
    (50_000_000, "0.05"),
    (100_000_000, "0.1"),
    (250_000_000, "0.25"),
    (500_000_000, "0.5"),
    (1_000_000_000, "1"),
    (2_500_000_000, "2.5"),
    (10_000_000_000, "10"),
];
/// Pairs of procedure and status that are told apart. A file system that answers more of them is broken.
const MAX_ERRORS: usize = 1024;
/// Mark of the record and header of a successful reply.
const HEADER: u64 = 4 + 24;

/// Bytes that were copied, by why.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copied {
    /// A call was short, and made room for others.
    pub(super) call: u64,
    /// READ data up to the copy-break.
    pub(super) read: u64,
    /// The file cannot be sent from where it is.
    pub(super) send: u64,
    /// A reply was kept, or repeated.
    pub(super) reply: u64,
}

/// Where in a batch the reply to a call of NFS begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    pub(super) procedure: u32,
    pub(super) start: u64,
}

#[derive(Debug, Default)]
struct Latency {
    buckets: [AtomicU64; BUCKETS.len() + 1],
    nanoseconds: AtomicU64,
}

/// All counters.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    latencies: [Latency; PROCEDURES],
    errors: Mutex<BTreeMap<(u32, u32), u64>>,
    /// Calls that RPC denied or could not have served.
    failures: [AtomicU64; FAILURES.len()],
    received: AtomicU64,
    sent: AtomicU64,
    replies: AtomicU64,
    sends: AtomicU64,
    copied: [AtomicU64; 4],
    refused: [AtomicU64; REFUSALS.len()],
    gave_way: AtomicU64,
    pub(super) held: Arc<Held>,
}

/// Why a connection was closed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No export admits the host.
    Host,
    /// There are as many as there may be.
    Full,
    /// The system has no thread or memory for it.
    Failed,
}

const REFUSALS: [(Refusal, &str); 3] =
    [(Refusal::Host, "host"), (Refusal::Full, "full"), (Refusal::Failed, "failed")];

const FAILURES: [&str; 7] = [
    "prog_unavail",
    "prog_mismatch",
    "proc_unavail",
    "garbage_args",
    "rpc_mismatch",
    "auth_error",
    "system_err",
];

fn add(counter: &AtomicU64, more: u64) {
    // A counter that has gone round is what Prometheus takes for a restart.
    counter.fetch_add(more, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Metrics {
    /// A call of NFS was served.
    pub(super) fn served(&self, procedure: u32, took: Duration) {
        let Some(latency) = usize::try_from(procedure).ok().and_then(|p| self.latencies.get(p))
        else {
            return;
        };
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.partition_point(|(end, _)| *end < took);
        if let Some(bucket) = latency.buckets.get(bucket) {
            add(bucket, 1);
        }
        add(&latency.nanoseconds, took);
    }

    /// A call was answered with an error of RPC.
    pub(super) fn failed(&self, failure: &CallFailure) {
        let index = match failure {
            CallFailure::ProgUnavail => 0,
            CallFailure::ProgMismatch { .. } => 1,
            CallFailure::ProcUnavail => 2,
            CallFailure::GarbageArgs => 3,
            CallFailure::RpcMismatch { .. } => 4,
            CallFailure::Auth(_) => 5,
            _ => 6,
        };
        if let Some(counter) = self.failures.get(index) {
            add(counter, 1);
        }
    }

    /// A connection was closed at once.
    pub(super) fn refused(&self, why: Refusal) {
        for ((refusal, _), counter) in REFUSALS.iter().zip(&self.refused) {
            if *refusal == why {
                add(counter, 1);
            }
        }
    }

    /// A connection was ended for a new one.
    pub(super) fn gave_way(&self) {
        add(&self.gave_way, 1);
    }

    /// Bytes have come.
    pub(super) fn received(&self, bytes: usize) {
        add(&self.received, u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// A batch has left.
    pub(super) fn sent(&self, message: &Message<'_, '_>, replies: u64, sends: u64, notes: &[Note]) {
        add(&self.sent, message.len());
        add(&self.replies, replies);
        add(&self.sends, sends);
        self.statuses(message, notes);
    }

    /// Bytes were copied.
    pub(super) fn copied(&self, copied: Copied) {
        let Copied { call, read, send, reply } = copied;
        for (counter, bytes) in self.copied.iter().zip([call, read, send, reply]) {
            add(counter, bytes);
        }
    }

    /// Counts the replies that are no success by the status that their results begin with.
    fn statuses(&self, message: &Message<'_, '_>, notes: &[Note]) {
        let mut notes = notes.iter().filter(|note| note.procedure != 0).peekable();
        let mut end = 0u64;
        for chunk in message.iter() {
            let start = end;
            let bytes = match chunk {
                Chunk::Bytes(bytes) => bytes,
                Chunk::File(range) => {
                    end = end.saturating_add(range.len.into());
                    continue;
                }
            };
            end = end.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            // A header and the word behind it are in one piece: only data is apart.
            while let Some(note) =
                notes.next_if(|note| note.start.saturating_add(HEADER).saturating_add(4) <= end)
            {
                let at = note.start.saturating_add(HEADER).checked_sub(start);
                let at = at.and_then(|at| usize::try_from(at).ok());
                let word = at.and_then(|at| bytes.get(at..)).and_then(<[u8]>::first_chunk);
                let status = word.map_or(0, |word| u32::from_be_bytes(*word));
                if status != 0 {
                    self.error(note.procedure, status);
                }
            }
        }
    }

    fn error(&self, procedure: u32, status: u32) {
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if errors.len() < MAX_ERRORS || errors.contains_key(&(procedure, status)) {
            let count = errors.entry((procedure, status)).or_default();
            *count = count.wrapping_add(1);
        }
    }

    /// The page.
    pub(super) fn page(&self, shared: &Shared) -> String {
        let mut page = String::new();
        // Writing to a string does not fail.
        let written = self.write(&mut page, shared);
        debug_assert!(written.is_ok());
        page
    }

    fn write(&self, out: &mut String, shared: &Shared) -> fmt::Result {
        self.write_calls(out)?;
        head(out, "received_bytes_total", "counter", "Bytes received from clients.")?;
        writeln!(out, "nfswire_received_bytes_total {}", get(&self.received))?;
        head(out, "sent_bytes_total", "counter", "Bytes of replies sent.")?;
        writeln!(out, "nfswire_sent_bytes_total {}", get(&self.sent))?;
        head(out, "replies_total", "counter", "Replies sent.")?;
        writeln!(out, "nfswire_replies_total {}", get(&self.replies))?;
        head(out, "sends_total", "counter", "System calls that sent them: sendmsg and sendfile.")?;
        writeln!(out, "nfswire_sends_total {}", get(&self.sends))?;
        head(out, "copied_bytes_total", "counter", "Bytes copied, by cause.")?;
        for (cause, bytes) in ["call", "read", "send", "reply"].iter().zip(&self.copied) {
            writeln!(out, "nfswire_copied_bytes_total{{cause=\"{cause}\"}} {}", get(bytes))?;
        }
        self.write_connections(out, shared)?;
        head(out, "buffers", "gauge", "Buffers that connections hold, by what they are for.")?;
        for (kind, buffers, _) in self.held.counts() {
            writeln!(out, "nfswire_buffers{{kind=\"{kind}\"}} {buffers}")?;
        }
        head(out, "buffer_bytes", "gauge", "Their bytes.")?;
        for (kind, _, bytes) in self.held.counts() {
            writeln!(out, "nfswire_buffer_bytes{{kind=\"{kind}\"}} {bytes}")?;
        }
        let (beside, idle, most) = shared.crew.counts();
        head(out, "threads", "gauge", "Threads beside those that receive, by what they do.")?;
        writeln!(out, "nfswire_threads{{state=\"serving\"}} {beside}")?;
        writeln!(out, "nfswire_threads{{state=\"idle\"}} {idle}")?;
        head(out, "threads_limit", "gauge", "Most threads that serve beside those that receive.")?;
        writeln!(out, "nfswire_threads_limit {most}")?;
        let Some(replays) = &shared.service.replays else { return Ok(()) };
        let (stats, calls, bytes) = replays.stats();
        head(out, "replay_calls", "gauge", "Calls that are remembered.")?;
        writeln!(out, "nfswire_replay_calls {calls}")?;
        head(out, "replay_bytes", "gauge", "Bytes of their replies.")?;
        writeln!(out, "nfswire_replay_bytes {bytes}")?;
        head(out, "replay_evicted_total", "counter", "Calls that were forgotten to make room.")?;
        writeln!(out, "nfswire_replay_evicted_total {}", stats.evicted)?;
        let help = "Calls that were new again because they were remembered for too long.";
        head(out, "replay_expired_total", "counter", help)?;
        writeln!(out, "nfswire_replay_expired_total {}", stats.expired)?;
        let help = "Calls that looked repeated and were run: their client had the first reply.";
        head(out, "replay_not_repeated_total", "counter", help)?;
        writeln!(out, "nfswire_replay_not_repeated_total {}", replays.not_repeated())?;
        head(
            out,
            "replay_lookups_total",
            "counter",
            "Calls that change something, by what was known of them.",
        )?;
        let ReplayStats { new, in_progress, replayed, not_kept, full, .. } = stats;
        for (outcome, count) in [
            ("new", new),
            ("in_progress", in_progress),
            ("replayed", replayed),
            ("not_kept", not_kept),
            ("full", full),
        ] {
            writeln!(out, "nfswire_replay_lookups_total{{outcome=\"{outcome}\"}} {count}")?;
        }
        Ok(())
    }

    fn write_connections(&self, out: &mut String, shared: &Shared) -> fmt::Result {
        let (open, accepted) = shared.table.counts();
        head(out, "connections", "gauge", "Connections that are open.")?;
        writeln!(out, "nfswire_connections {open}")?;
        head(out, "connections_limit", "gauge", "Most connections that may be open.")?;
        writeln!(out, "nfswire_connections_limit {}", shared.config.max_connections)?;
        head(out, "connections_accepted_total", "counter", "Connections that were served.")?;
        writeln!(out, "nfswire_connections_accepted_total {accepted}")?;
        head(out, "connections_refused_total", "counter", "Connections closed at once, by why.")?;
        for ((_, reason), count) in REFUSALS.iter().zip(&self.refused) {
            let count = get(count);
            writeln!(out, "nfswire_connections_refused_total{{reason=\"{reason}\"}} {count}")?;
        }
        let help = "Connections that were ended to make room for others.";
        head(out, "connections_gave_way_total", "counter", help)?;
        writeln!(out, "nfswire_connections_gave_way_total {}", get(&self.gave_way))
    }

    fn write_calls(&self, out: &mut String) -> fmt::Result {
        let served: Vec<(&str, &Latency)> = (0..)
            .zip(&self.latencies)
            .filter_map(|(number, latency)| Some((name(number)?, latency)))
            .filter(|(_, latency)| latency.buckets.iter().any(|bucket| get(bucket) > 0))
            .collect();
        let count = |latency: &Latency| -> u64 {
            latency.buckets.iter().map(get).fold(0, u64::wrapping_add)
        };
        head(out, "calls_total", "counter", "Calls of NFS that were served.")?;
        for (name, latency) in &served {
            writeln!(out, "nfswire_calls_total{{procedure=\"{name}\"}} {}", count(latency))?;
        }
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone();
        head(out, "errors_total", "counter", "Replies of NFS that are no success.")?;
        for ((procedure, status), count) in errors {
            let procedure = name(procedure).unwrap_or_default();
            let status = Status(status);
            let known = status.name();
            let number = status.0.to_string();
            let status = known.unwrap_or(&number);
            writeln!(
                out,
                "nfswire_errors_total{{procedure=\"{procedure}\",status=\"{status}\"}} {count}"
            )?;
        }
        head(
            out,
            "rpc_errors_total",
            "counter",
            "Calls that RPC refused or that could not be served.",
        )?;
        for (reason, count) in FAILURES.iter().zip(&self.failures) {
            writeln!(out, "nfswire_rpc_errors_total{{reason=\"{reason}\"}} {}", get(count))?;
        }
        head(out, "call_duration_seconds", "histogram", "Time to serve a call, without sending.")?;
        for (name, latency) in &served {
            let mut below = 0u64;
            let ends = BUCKETS.iter().map(|(_, end)| *end).chain(["+Inf"]);
            for (bucket, end) in latency.buckets.iter().zip(ends) {
                below = below.wrapping_add(get(bucket));
                writeln!(
                    out,
                    "nfswire_call_duration_seconds_bucket{{procedure=\"{name}\",le=\"{end}\"}} {below}"
                )?;
            }
            let sum = Duration::from_nanos(get(&latency.nanoseconds)).as_secs_f64();
            writeln!(out, "nfswire_call_duration_seconds_sum{{procedure=\"{name}\"}} {sum}")?;
            writeln!(out, "nfswire_call_duration_seconds_count{{procedure=\"{name}\"}} {below}")?;
        }
        Ok(())
    }
}

/// Name of a procedure without the prefix that all have.
fn name(procedure: u32) -> Option<&'static str> {
    procedures::name(procedure)?.strip_prefix("NFSPROC3_")
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(out, "# HELP nfswire_{name} {help}\n# TYPE nfswire_{name} {kind}")
}
