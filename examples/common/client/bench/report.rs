//! What was measured, as a line of a table or as JSON.

use core::fmt;
use core::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::Load;

const QUANTILES: [(&str, f64); 5] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

/// What was measured. Its text is a line of the table that [`Report::heading`] begins.
#[derive(Debug)]
pub struct Report {
    /// What was called.
    pub load: Load,
    /// Connections.
    pub connections: usize,
    /// Calls in flight on each.
    pub depth: usize,
    /// Calls that were answered.
    pub calls: u64,
    /// Bytes of files that came.
    pub bytes: u64,
    /// Wall clock time.
    pub elapsed: Duration,
    /// Time from the encoding of a call to its reply, in nanoseconds.
    pub latency: Histogram<u64>,
    /// What the server took, if its process was given.
    pub server: Option<Server>,
}

/// What a server took for a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Server {
    /// Processor time, user and system; the kernel counts it in steps of usually 10 ms.
    pub cpu: Duration,
    /// Memory at the end, while the connections were open, in bytes.
    pub resident: u64,
    /// The most memory that the process ever had, in bytes.
    pub peak: u64,
}

/// The JSON form. Times are seconds where the name says nothing else, a gigabyte is 10^9 bytes.
#[derive(Serialize)]
struct Json {
    call: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u32>,
    connections: usize,
    depth: usize,
    calls: u64,
    bytes: u64,
    seconds: f64,
    calls_per_second: f64,
    gigabytes_per_second: f64,
    latency_us: Latency,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<JsonServer>,
}

#[derive(Serialize)]
struct Latency {
    mean: f64,
    p50: f64,
    p90: f64,
    p99: f64,
    #[serde(rename = "p99.9")]
    p999: f64,
    max: f64,
}

#[derive(Serialize)]
struct JsonServer {
    cpu_seconds: f64,
    cpu_us_per_call: f64,
    /// Absent where no data came.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_seconds_per_gigabyte: Option<f64>,
    resident_bytes: u64,
    peak_resident_bytes: u64,
}

impl Report {
    /// The first line of the table; `server` says whether the lines have what the server took.
    #[must_use]
    pub fn heading(server: bool) -> String {
        let mut line = format!(
            "{:<7} {:>8} {:>6} {:>5} {:>9} {:>9} {:>7}",
            "call", "size", "conns", "depth", "calls", "calls/s", "GB/s"
        );
        for (name, _) in QUANTILES {
            line.push_str(&format!(" {:>9}", format!("{name} us")));
        }
        if server {
            line.push_str(&format!(
                " {:>11} {:>8} {:>8} {:>8}",
                "CPU us/call", "CPU s/GB", "RSS MiB", "peak MiB"
            ));
        }
        line
    }

    /// The report as one line of JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let at = |quantile| micros(self.latency.value_at_quantile(quantile));
        let (call, size) = self.call();
        let json = Json {
            call,
            size,
            connections: self.connections,
            depth: self.depth,
            calls: self.calls,
            bytes: self.bytes,
            seconds: self.elapsed.as_secs_f64(),
            calls_per_second: per(float(self.calls), self.elapsed.as_secs_f64()),
            gigabytes_per_second: per(self.gigabytes(), self.elapsed.as_secs_f64()),
            latency_us: Latency {
                mean: self.latency.mean() / 1e3,
                p50: at(0.5),
                p90: at(0.9),
                p99: at(0.99),
                p999: at(0.999),
                max: at(1.0),
            },
            server: self.server.map(|server| JsonServer {
                cpu_seconds: server.cpu.as_secs_f64(),
                cpu_us_per_call: self.cpu_per_call(server),
                cpu_seconds_per_gigabyte: self.cpu_per_gigabyte(server),
                resident_bytes: server.resident,
                peak_resident_bytes: server.peak,
            }),
        };
        // Numbers and fixed texts always have a JSON form.
        serde_json::to_string(&json).unwrap_or_default()
    }

    const fn call(&self) -> (&'static str, Option<u32>) {
        match self.load {
            Load::Read(size) => ("READ", Some(size)),
            Load::Getattr => ("GETATTR", None),
            Load::Lookup => ("LOOKUP", None),
        }
    }

    fn gigabytes(&self) -> f64 {
        float(self.bytes) / 1e9
    }

    fn cpu_per_call(&self, server: Server) -> f64 {
        per(server.cpu.as_secs_f64() * 1e6, float(self.calls))
    }

    fn cpu_per_gigabyte(&self, server: Server) -> Option<f64> {
        (self.bytes > 0).then(|| per(server.cpu.as_secs_f64(), self.gigabytes()))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (call, size) = self.call();
        let size = size.map_or_else(|| "-".into(), bytes);
        let seconds = self.elapsed.as_secs_f64();
        let rate = if self.bytes > 0 {
            format!("{:.3}", per(self.gigabytes(), seconds))
        } else {
            "-".into()
        };
        let (conns, depth) = (self.connections, self.depth);
        write!(f, "{call:<7} {size:>8} {conns:>6} {depth:>5} {:>9}", self.calls)?;
        write!(f, " {:>9.0} {rate:>7}", per(float(self.calls), seconds))?;
        for (_, quantile) in QUANTILES {
            write!(f, " {:>9.1}", micros(self.latency.value_at_quantile(quantile)))?;
        }
        if let Some(server) = self.server {
            let per_gigabyte =
                self.cpu_per_gigabyte(server).map_or_else(|| "-".into(), |s| format!("{s:.4}"));
            write!(f, " {:>11.2} {per_gigabyte:>8}", self.cpu_per_call(server))?;
            let mebibytes = |bytes| float(bytes) / 1024.0 / 1024.0;
            write!(f, " {:>8.1} {:>8.1}", mebibytes(server.resident), mebibytes(server.peak))?;
        }
        Ok(())
    }
}

/// Figures for people: what a float cannot hold exactly does not matter.
#[allow(clippy::cast_precision_loss)]
const fn float(n: u64) -> f64 {
    n as f64
}

fn micros(nanoseconds: u64) -> f64 {
    float(nanoseconds) / 1e3
}

/// A quotient, zero where there is nothing to divide by.
fn per(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// A size in the largest unit in which it is whole.
fn bytes(size: u32) -> String {
    for (unit, name) in [(1 << 20, "MiB"), (1 << 10, "KiB")] {
        if let (Some(whole @ 1..), Some(0)) = (size.checked_div(unit), size.checked_rem(unit)) {
            return format!("{whole} {name}");
        }
    }
    format!("{size} B")
}
