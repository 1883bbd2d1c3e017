//! Counts, bytes and latencies of each procedure, and of each operation of a COMPOUND.

use alloc::collections::BTreeMap;
use core::time::Duration;
use std::io::{self, Write};

use hdrhistogram::Histogram;
use nfswire_nfs4::Status;
use serde::Serialize;

use crate::messages::{Kind, Message};
use crate::nfs4;
use crate::programs::{Called, procedure_name, program_name};

/// Procedures that are told apart; calls of further ones are counted together.
const MAX_ROWS: usize = 1024;
/// Longest latency that is told apart: an hour, in nanoseconds.
const MAX_LATENCY: u64 = 3_600_000_000_000;
/// Where calls beyond that are counted.
const BEYOND: Called =
    Called { program: u32::MAX, version: u32::MAX, procedure: u32::MAX, callback: false };

/// A procedure, or an operation of it.
type Key = (Called, Option<u32>);

/// What is known of a procedure or operation.
#[derive(Debug, Default)]
struct Row {
    calls: u64,
    call_bytes: u64,
    replies: u64,
    reply_bytes: u64,
    /// Replies that are no success: of the RPC layer, or by a status.
    failures: u64,
    /// Nanoseconds, within one in a hundred.
    latency: Option<Histogram<u64>>,
}

/// A message or operation to be counted.
#[derive(Debug, Clone, Copy)]
struct Counted {
    reply: bool,
    bytes: usize,
    failed: bool,
    latency: Option<u64>,
}

impl Row {
    fn count(&mut self, counted: Counted) {
        let bytes = u64::try_from(counted.bytes).unwrap_or(u64::MAX);
        if !counted.reply {
            self.calls = self.calls.saturating_add(1);
            self.call_bytes = self.call_bytes.saturating_add(bytes);
            return;
        }
        self.replies = self.replies.saturating_add(1);
        self.reply_bytes = self.reply_bytes.saturating_add(bytes);
        self.failures = self.failures.saturating_add(u64::from(counted.failed));
        if let Some(latency) = counted.latency {
            if self.latency.is_none() {
                self.latency = Histogram::new_with_bounds(1, MAX_LATENCY, 2).ok();
            }
            if let Some(histogram) = &mut self.latency {
                histogram.saturating_record(latency);
            }
        }
    }
}

/// A row as it is written.
#[derive(Debug, Serialize)]
struct Written {
    program: u32,
    version: u32,
    procedure: u32,
    /// Of a COMPOUND; the procedure itself has a row without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<u32>,
    program_name: &'static str,
    name: String,
    calls: u64,
    call_bytes: u64,
    replies: u64,
    reply_bytes: u64,
    failures: u64,
    /// Nanoseconds at these percentiles: 50, 90, 99, 100.
    latency_ns: Option<[u64; 4]>,
}

/// The table.
#[derive(Debug, Default)]
pub(crate) struct Stats {
    rows: BTreeMap<Key, Row>,
}

impl Stats {
    /// Counts a message, and its operations. Replies whose call was not seen count nowhere.
    pub(crate) fn count(&mut self, message: &Message<'_>) {
        let Some(called) = message.called else { return };
        let first = message.answers.filter(|answers| !answers.again);
        let counted = Counted {
            reply: message.kind != Kind::Call,
            bytes: message.bytes.len(),
            failed: message.failure.is_some() || message.fields.failed().is_some(),
            latency: first.and_then(|answers| answers.latency),
        };
        self.row((called, None)).count(counted);
        for operation in message.compound.iter().flat_map(|it| &it.operations) {
            let failed = operation.status.is_some_and(|status| status != Status::OK);
            let row = self.row((called, Some(operation.number)));
            row.count(Counted { bytes: operation.len, failed, ..counted });
        }
    }

    fn row(&mut self, mut key: Key) -> &mut Row {
        if self.rows.len() >= MAX_ROWS && !self.rows.contains_key(&key) {
            key = (BEYOND, None);
        }
        self.rows.entry(key).or_default()
    }

    fn written(&self) -> impl Iterator<Item = Written> + '_ {
        self.rows.iter().map(|((called, operation), row)| {
            let Called { program, version, procedure, callback } = *called;
            let latency_ns = row.latency.as_ref().map(|histogram| {
                [0.5, 0.9, 0.99, 1.0].map(|quantile| histogram.value_at_quantile(quantile))
            });
            Written {
                program,
                version,
                procedure,
                program_name: if *called == BEYOND {
                    "others"
                } else {
                    program_name(*called).unwrap_or("?")
                },
                operation: *operation,
                name: match operation {
                    Some(number) => nfs4::name(callback, *number),
                    None => procedure_name(*called),
                },
                calls: row.calls,
                call_bytes: row.call_bytes,
                replies: row.replies,
                reply_bytes: row.reply_bytes,
                failures: row.failures,
                latency_ns,
            }
        })
    }

    /// Writes a line for each procedure, as JSON.
    pub(crate) fn json(&self, out: &mut impl Write) -> io::Result<()> {
        for row in self.written() {
            serde_json::to_writer(&mut *out, &row)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes a table.
    pub(crate) fn table(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{:<10} {:>2} {:<22} {:>9} {:>12} {:>9} {:>12} {:>8} {:>9} {:>9} {:>9} {:>9}",
            "program",
            "v",
            "procedure",
            "calls",
            "bytes",
            "replies",
            "bytes",
            "failed",
            "p50",
            "p90",
            "p99",
            "max"
        )?;
        for row in self.written() {
            let [p50, p90, p99, max] = row
                .latency_ns
                .map_or_else(|| core::array::from_fn(|_| "-".into()), |it| it.map(duration));
            let program = if row.program_name == "?" {
                row.program.to_string()
            } else {
                row.program_name.into()
            };
            let indent = if row.operation.is_some() { "  " } else { "" };
            let name = format!("{indent}{}", row.name);
            writeln!(
                out,
                "{program:<10} {:>2} {:<22} {:>9} {:>12} {:>9} {:>12} {:>8} {p50:>9} {p90:>9} {p99:>9} {max:>9}",
                row.version,
                name,
                row.calls,
                row.call_bytes,
                row.replies,
                row.reply_bytes,
                row.failures,
            )?;
        }
        Ok(())
    }
}

/// Three digits and a unit.
fn duration(nanos: u64) -> String {
    format!("{:.1?}", Duration::from_nanos(nanos))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects)]
    use core::net::SocketAddr;

    use super::*;
    use crate::connections::{Place, Transport};
    use crate::messages::{Dissector, Show};

    #[test]
    fn counts_and_percentiles() {
        let (mut stats, mut dissector) = (Stats::default(), Dissector::new());
        let (a, b): (SocketAddr, SocketAddr) =
            ("1.1.1.1:1".parse().unwrap(), "2.2.2.2:2".parse().unwrap());
        for xid in 1..=100u32 {
            let call = [xid, 0, 2, 100_003, 3, 0, 0, 0, 0, 0];
            let reply = [xid, 1, 0, 0, 0, 0];
            let mut count = |words: &[u32], src, dst, time| {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
                let place = Place {
                    frame: 1,
                    time: Some(time),
                    src,
                    dst,
                    connection: 1,
                    transport: Transport::Tcp,
                };
                stats.count(&dissector.dissect(&place, &bytes, Show::Nothing));
            };
            count(&call, a, b, 0);
            count(&reply, b, a, i64::from(xid) * 1000);
            count(&reply, b, a, i64::MAX);
        }
        let rows: Vec<_> = stats.written().collect();
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.program_name, row.name.as_str()), ("NFS", "NULL"));
        assert_eq!((row.calls, row.call_bytes), (100, 4000));
        assert_eq!((row.replies, row.reply_bytes), (200, 4800));
        let [p50, p90, p99, max] = row.latency_ns.unwrap();
        for (is, should) in [(p50, 50_000), (p90, 90_000), (p99, 99_000), (max, 100_000)] {
            assert!(is >= should && is <= should + should / 100, "{is} {should}");
        }
        let mut table = Vec::new();
        stats.table(&mut table).unwrap();
        assert_eq!(table.iter().filter(|byte| **byte == b'\n').count(), 2);
    }
}
