//! Load: connections times calls in flight, reading one file or asking for its attributes.

use core::fmt;
use core::time::Duration;
use std::time::Instant;

use hdrhistogram::Histogram;
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply};
use nfswire_nfs3::io::{ReadArgs, ReadReply};
use nfswire_nfs3::procedures::{Getattr, Read};
use nfswire_nfs3::{FileHandle, FileType};
use nfswire_rpc::Procedure;
use nfswire_xdr::Cursor;

use super::connection::{Connection, Job, Outgoing, Place, results};
use super::{Client, Error, Follow, NfsUrl, Options, Result, read, wire};

/// What is called over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// READ of this many bytes, through the file and again from its start.
    Read(u32),
    /// GETATTR of the file.
    Getattr,
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
    /// The server's process, to report the processor time it takes.
    pub server_pid: Option<u32>,
}

/// What was measured. Its text is one line.
#[derive(Debug)]
pub struct Report {
    config: Config,
    depth: usize,
    /// Calls that were answered.
    pub calls: u64,
    /// Bytes of files that came.
    pub bytes: u64,
    /// Wall clock time.
    pub elapsed: Duration,
    /// Processor time of the server, if its process was given.
    pub server_cpu: Option<Duration>,
    /// Time from the encoding of a call to its reply, in nanoseconds.
    pub latency: Histogram<u64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        // Figures for people: what a float cannot hold exactly does not matter.
        #[allow(clippy::cast_precision_loss)]
        let (calls, gigabytes) = (self.calls as f64, self.bytes as f64 / 1e9);
        let seconds = self.elapsed.as_secs_f64();
        match self.config.load {
            Load::Read(size) => write!(f, "READ of {size} bytes")?,
            Load::Getattr => f.write_str("GETATTR")?,
        }
        write!(f, ", {} connections x depth {}: ", self.config.connections, self.depth)?;
        write!(f, "{:.0} calls/s", per(calls, seconds))?;
        if gigabytes > 0.0 {
            write!(f, ", {:.3} GB/s", per(gigabytes, seconds))?;
        }
        write!(f, " ({} calls in {seconds:.3} s); latency", self.calls)?;
        for (name, quantile) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)] {
            let at = Duration::from_nanos(self.latency.value_at_quantile(quantile));
            write!(f, " {name} {:.1}", at.as_secs_f64() * 1e6)?;
        }
        f.write_str(" us")?;
        if let Some(cpu) = self.server_cpu {
            let cpu = cpu.as_secs_f64();
            write!(f, "; server CPU {cpu:.2} s, {:.2} us/call", per(cpu * 1e6, calls))?;
            if gigabytes > 0.0 {
                write!(f, ", {:.4} s/GB", per(cpu, gigabytes))?;
            }
        }
        Ok(())
    }
}

/// Loads the server with calls on the file that the URL names.
///
/// # Errors
/// The file cannot be used, a call failed, or the server's process cannot be watched.
pub fn run(url: &NfsUrl, options: &Options, config: &Config) -> Result<Report> {
    let (mut client, path) = Client::mount(url, options.clone())?;
    let (file, attributes) = client.resolve(&path, Follow::All)?;
    if let Load::Read(size) = config.load {
        let useless =
            |what: &str| Err(Error::Path { path: client.full_path(&path), what: what.into() });
        if attributes.file_type != FileType::Regular || attributes.size == 0 {
            return useless("only a file with bytes in it can be read");
        }
        if size == 0 || size > 1 << 20 {
            return Err(Error::Usage("a READ has 1 to 1048576 bytes".into()));
        }
    }
    let mut jobs = Vec::new();
    let count = config.connections.max(1) as u64;
    for index in 0..count {
        let connection = Connection::connect(&url.host, url.port, options)?;
        // The first connections make the calls that do not divide.
        let share = config.calls.map(|calls| {
            let extra = u64::from(index < calls.checked_rem(count).unwrap_or(0));
            calls.checked_div(count).unwrap_or(0).saturating_add(extra)
        });
        let start = attributes.size.checked_div(count).unwrap_or(0).saturating_mul(index);
        jobs.push((connection, share, start));
    }
    let cpu_before = config.server_pid.map(cpu_time).transpose()?;
    let started = Instant::now();
    let deadline = config.time.and_then(|time| started.checked_add(time));
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = jobs
            .into_iter()
            .map(|(mut connection, left, start)| {
                let file = wire(&file);
                scope.spawn(move || {
                    let mut job = BenchJob::new(file, attributes.size, config.load, start)?;
                    (job.left, job.deadline) = (left, deadline);
                    connection.drive(&mut job, options.depth)?;
                    Ok(job.tally)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().unwrap_or(Err(Error::Broken)))
            .collect::<Vec<Result<Tally>>>()
    });
    let elapsed = started.elapsed();
    let cpu_after = config.server_pid.map(cpu_time).transpose()?;
    let mut total = Tally::new()?;
    for tally in results {
        let tally = tally?;
        total.calls = total.calls.saturating_add(tally.calls);
        total.bytes = total.bytes.saturating_add(tally.bytes);
        total.latency.add(&tally.latency).map_err(|e| Error::Usage(e.to_string()))?;
    }
    let server_cpu = cpu_before.zip(cpu_after).map(|(before, after)| after.saturating_sub(before));
    let Tally { calls, bytes, latency } = total;
    Ok(Report {
        config: config.clone(),
        depth: options.depth,
        calls,
        bytes,
        elapsed,
        server_cpu,
        latency,
    })
}

/// Processor time of a process so far, user and system, from the kernel's clock ticks (usually 10 ms).
fn cpu_time(pid: u32) -> Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let text = std::fs::read_to_string(&path)
        .map_err(|e| Error::local(format!("cannot read {path}"), e))?;
    // Fields are counted behind the name, which is in brackets and may hold anything (proc_pid_stat(5): 14 and 15).
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse::<u64>)
        .try_fold(0u64, |sum, n| n.map(|n| sum.saturating_add(n)));
    let ticks = ticks.map_err(|_| Error::Usage(format!("{path} has no times in it")))?;
    let nanos =
        ticks.saturating_mul(1_000_000_000).checked_div(rustix::param::clock_ticks_per_second());
    Ok(Duration::from_nanos(nanos.unwrap_or(0)))
}

/// What one connection counted.
struct Tally {
    calls: u64,
    bytes: u64,
    latency: Histogram<u64>,
}

impl Tally {
    fn new() -> Result<Self> {
        // 1 ns to 100 s, in steps of 1 %.
        let latency = Histogram::new_with_bounds(1, 100_000_000_000, 2)
            .map_err(|e| Error::Usage(e.to_string()))?;
        Ok(Self { calls: 0, bytes: 0, latency })
    }
}

/// A call in flight.
struct Slot {
    started: Instant,
    expected: u32,
}

struct BenchJob<'p> {
    file: FileHandle<'p>,
    size: u64,
    load: Load,
    /// All payloads of the connection go here, one behind the other.
    buffer: Vec<u8>,
    offset: u64,
    left: Option<u64>,
    deadline: Option<Instant>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    tally: Tally,
}

impl<'p> BenchJob<'p> {
    fn new(file: FileHandle<'p>, size: u64, load: Load, start: u64) -> Result<Self> {
        let (len, offset) = match load {
            // Whole READs from the start of the file on, also on connections that start in its middle.
            Load::Read(len) => {
                (len, start.saturating_sub(start.checked_rem(len.into()).unwrap_or(0)))
            }
            Load::Getattr => (0, 0),
        };
        let buffer = vec![0; len as usize];
        let (slots, free, tally) = (Vec::new(), Vec::new(), Tally::new()?);
        Ok(Self {
            file,
            size,
            load,
            buffer,
            offset,
            left: None,
            deadline: None,
            slots,
            free,
            tally,
        })
    }

    fn slot(&mut self, slot: Slot) -> Result<u32> {
        if let Some(tag) = self.free.pop() {
            *self.slots.get_mut(tag as usize).ok_or(Error::Broken)? = slot;
            return Ok(tag);
        }
        self.slots.push(slot);
        u32::try_from(self.slots.len().saturating_sub(1)).map_err(|_| Error::Broken)
    }
}

impl<'p> Job<'p> for BenchJob<'p> {
    fn next_call(&mut self, out: &mut Outgoing<'_, '_, 'p>) -> Result<Option<u32>> {
        let started = Instant::now();
        if self.left == Some(0) || self.deadline.is_some_and(|deadline| started >= deadline) {
            return Ok(None);
        }
        self.left = self.left.map(|left| left.saturating_sub(1));
        let file = self.file;
        let mut expected = 0;
        match self.load {
            Load::Read(count) => {
                let offset = if self.offset < self.size { self.offset } else { 0 };
                self.offset = offset.saturating_add(count.into());
                let rest = self.size.saturating_sub(offset);
                expected = count.min(u32::try_from(rest).unwrap_or(u32::MAX));
                out.put::<Read>(&ReadArgs { file, offset, count })?;
            }
            Load::Getattr => out.put::<Getattr>(&GetattrArgs { object: file })?,
        }
        self.slot(Slot { started, expected }).map(Some)
    }

    fn read_ahead(&self) -> usize {
        if self.load == Load::Getattr { usize::MAX } else { read::read_ahead(self.buffer.len()) }
    }

    fn place(&mut self, _tag: u32, c: &mut Cursor<'_>) -> Result<Option<Place>> {
        if self.load == Load::Getattr { Ok(None) } else { read::place(c, self.buffer.len()) }
    }

    fn destination(&mut self, _tag: u32) -> &mut [u8] {
        &mut self.buffer
    }

    fn reply(&mut self, tag: u32, c: &mut Cursor<'_>) -> Result<()> {
        let Some(&Slot { started, expected }) = self.slots.get(tag as usize) else {
            return Err(Error::Broken);
        };
        self.free.push(tag);
        match self.load {
            Load::Read(_) => match results::<Read>(c)? {
                ReadReply::Ok(ok) => {
                    read::judge(&ok, self.buffer.len())?;
                    if ok.count != expected {
                        let what =
                            format!("{} bytes came where {expected} were expected", ok.count);
                        return Err(Error::nonsense(Read::NAME, what));
                    }
                    if let Some(data) = ok.data.as_slice()
                        && let Some(to) = self.buffer.get_mut(..data.len())
                    {
                        to.copy_from_slice(data);
                    }
                    self.tally.bytes = self.tally.bytes.saturating_add(ok.count.into());
                }
                ReadReply::Fail(status, _) => return Err(Error::status(Read::NAME, status)),
            },
            Load::Getattr => match results::<Getattr>(c)? {
                GetattrReply::Ok(_) => {}
                GetattrReply::Fail(status) => return Err(Error::status(Getattr::NAME, status)),
            },
        }
        self.tally.calls = self.tally.calls.saturating_add(1);
        let nanos = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.tally.latency.saturating_record(nanos);
        Ok(())
    }
}
