//! Load: connections times calls in flight, on one file.
//!
//! [`run`] calls one procedure over and over and reports rates, latencies and, if it is told which process the server
//! is, what that takes. No two calls of a run have the same number: some servers drop a repeated one as a
//! retransmission.

mod job;
mod process;
mod report;

use core::time::Duration;
use std::time::Instant;

use hdrhistogram::Histogram;
use nfswire_nfs3::FileType;

use super::connection::{Connection, random_xid};
use super::{Client, Error, Follow, Handle, NfsUrl, Options, Result, walk};
use job::{BenchJob, Tally};

pub use report::{Report, Server};

/// Largest READ, in bytes.
pub const MAX_READ: u32 = 1 << 20;

/// What is called over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// READ of this many bytes, at most [`MAX_READ`], through the file and again from its start.
    Read(u32),
    /// GETATTR of the file.
    Getattr,
    /// LOOKUP of the file in its directory.
    Lookup,
}

/// What to do, and for how long: whichever of the two ends comes first.
#[derive(Debug, Clone)]
pub struct Config {
    /// What is called.
    pub load: Load,
    /// Connections, each with a thread of its own. The calls in flight on each are [`Options::depth`].
    pub connections: usize,
    /// Stop calling after this time.
    pub time: Option<Duration>,
    /// Stop after this many calls, over all connections.
    pub calls: Option<u64>,
    /// The server's process, to report the processor time and the memory that it takes.
    pub server_pid: Option<u32>,
}

/// What the calls are about.
struct Target {
    /// The file, or the directory that LOOKUP searches.
    object: Handle,
    /// What LOOKUP looks for.
    name: Vec<u8>,
    /// Bytes of the file, of which READ needs some.
    size: u64,
}

impl Target {
    fn find(client: &mut Client, path: &[Vec<u8>], load: Load) -> Result<Self> {
        let full = client.full_path(path);
        let useless = |what: &str| Error::Path { path: full.clone(), what: what.into() };
        if load == Load::Lookup {
            let nameless =
                || useless("LOOKUP needs a name; add that of a file in this directory to the URL");
            let (name, folder) = path.split_last().ok_or_else(nameless)?;
            let (object, _) = client.resolve(folder, Follow::All)?;
            client.lookup(&object, name).map_err(|error| walk::named(error, &full))?;
            return Ok(Self { object, name: name.clone(), size: 0 });
        }
        let (object, attributes) = client.resolve(path, Follow::All)?;
        if let Load::Read(size) = load {
            if attributes.file_type != FileType::Regular || attributes.size == 0 {
                return Err(useless("only a file with bytes in it can be read"));
            }
            if size == 0 || size > MAX_READ {
                return Err(Error::Usage(format!("a READ has 1 to {MAX_READ} bytes")));
            }
        }
        Ok(Self { object, name: Vec::new(), size: attributes.size })
    }
}

/// Loads the server with calls on the file that the URL names.
///
/// # Errors
/// The file cannot be used, a call failed, or the server's process cannot be watched.
pub fn run(url: &NfsUrl, options: &Options, config: &Config) -> Result<Report> {
    let (mut client, path) = Client::mount(url, options.clone())?;
    let target = Target::find(&mut client, &path, config.load)?;
    let count = config.connections.max(1) as u64;
    let first_xid = u64::from(random_xid());
    let xids = (1u64 << 32).checked_div(count).unwrap_or(0);
    let mut jobs = Vec::new();
    for index in 0..count {
        let mut connection = Connection::connect(&url.host, url.port, options)?;
        // Each has a range of its own.
        let first = first_xid.saturating_add(xids.saturating_mul(index)) & u64::from(u32::MAX);
        connection.number_from(u32::try_from(first).unwrap_or(0));
        // The first connections make the calls that do not divide.
        let share = config.calls.map(|calls| {
            let extra = u64::from(index < calls.checked_rem(count).unwrap_or(0));
            calls.checked_div(count).unwrap_or(0).saturating_add(extra)
        });
        let start = target.size.checked_div(count).unwrap_or(0).saturating_mul(index);
        jobs.push((connection, share, start));
    }
    let cpu_before = config.server_pid.map(process::cpu).transpose()?;
    let started = Instant::now();
    let deadline = config.time.and_then(|time| started.checked_add(time));
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = jobs
            .into_iter()
            .map(|(mut connection, left, start)| {
                let target = &target;
                scope.spawn(move || {
                    let mut job = BenchJob::new(target, config.load, start)?;
                    (job.left, job.deadline) = (left, deadline);
                    connection.drive(&mut job, options.depth)?;
                    Ok((connection, job.tally))
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().unwrap_or(Err(Error::Broken)))
            .collect::<Vec<Result<(Connection, Tally)>>>()
    });
    let elapsed = started.elapsed();
    let mut total = Tally::new()?;
    // What a server holds, it holds for connections: they are closed when that has been looked at.
    let mut connections = Vec::new();
    for result in results {
        let (connection, tally) = result?;
        connections.push(connection);
        total.calls = total.calls.saturating_add(tally.calls);
        total.bytes = total.bytes.saturating_add(tally.bytes);
        total.latency.add(&tally.latency).map_err(|e| Error::Usage(e.to_string()))?;
    }
    let server = match config.server_pid.zip(cpu_before) {
        None => None,
        Some((pid, before)) => {
            let cpu = process::cpu(pid)?.saturating_sub(before);
            let process::Memory { resident, peak } = process::memory(pid)?;
            Some(Server { cpu, resident, peak })
        }
    };
    drop(connections);
    let Tally { calls, bytes, latency } = total;
    Ok(Report {
        load: config.load,
        connections: config.connections.max(1),
        depth: options.depth,
        calls,
        bytes,
        elapsed,
        latency,
        server,
    })
}

/// A histogram of nanoseconds, 1 ns to 100 s, in steps of 0.1 %.
fn histogram() -> Result<Histogram<u64>> {
    Histogram::new_with_bounds(1, 100_000_000_000, 3).map_err(|e| Error::Usage(e.to_string()))
}
