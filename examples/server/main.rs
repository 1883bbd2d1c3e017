//! Exports a directory over NFSv3.

extern crate alloc;

use alloc::sync::Arc;
use core::error::Error;
use core::net::SocketAddr;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use clap::{Parser, ValueEnum};
use nfswire_examples::local::{ExportOptions, LocalFs};
use nfswire_examples::sample::Sample;
use nfswire_examples::server::{Config, Server, Squash};
use nfswire_examples::state_dir::StateDir;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use tracing::level_filters::LevelFilter;
use tracing::{info, warn};

/// A file that is kept open has at most this many descriptors.
const DESCRIPTORS_PER_FILE: usize = 3;
/// Descriptors for everything else: the steps of path walks, standard streams, signals.
const OTHER_DESCRIPTORS: usize = 64;
/// Largest copy-break: no READ is longer.
const MAX_COPY_BREAK: u32 = 1 << 20;

/// Exports a directory over NFSv3, on this machine only.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Directory to export; without it, a sample directory that is made for the occasion
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// Where to keep the key for file handles, made if it is not there [default: /var/lib/nfswire for root, else
    /// $XDG_STATE_HOME/nfswire or ~/.local/state/nfswire; for the sample, a temporary directory]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Address to listen on; port 0 takes any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:20490")]
    listen: String,
    /// Whose requests are served as nobody's
    #[arg(long, value_enum, default_value = "root")]
    squash: SquashOption,
    /// READ data of more bytes than this leaves by sendfile
    #[arg(long, value_name = "BYTES", default_value_t = Config::default().copy_break)]
    #[arg(value_parser = copy_break)]
    copy_break: u32,
    /// Longest record that a client may send
    #[arg(long, value_name = "BYTES", default_value_t = Config::default().max_record)]
    #[arg(value_parser = clap::value_parser!(u32).range(8 << 10..1 << 31))]
    max_record: u32,
    /// Most connections at a time
    #[arg(long, value_name = "N", default_value_t = Config::default().max_connections)]
    #[arg(value_parser = max_connections)]
    max_connections: usize,
    /// What to log on stderr: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SquashOption {
    /// Requests of user 0
    Root,
    /// No requests
    None,
}

fn copy_break(text: &str) -> Result<u32, String> {
    let bytes = text.parse().map_err(|error| format!("{error}; give a number of bytes"))?;
    if bytes > MAX_COPY_BREAK {
        return Err(format!(
            "no READ is longer than {MAX_COPY_BREAK} bytes; give at most that, which turns sendfile off"
        ));
    }
    Ok(bytes)
}

fn max_connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("no client could connect; allow at least 1 connection".into()),
        Ok(most) => Ok(most),
        Err(error) => Err(format!("{error}; give a number of connections")),
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    tracing_subscriber::fmt()
        .with_max_level(options.log)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .init();
    match serve(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("server: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve(options: &Options) -> Result<(), Box<dyn Error>> {
    // First of all, so that a signal during start-up ends in an orderly way, too.
    // SIGXFSZ is taken so that a write beyond `ulimit -f` fails and does not end the process.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGXFSZ])?;
    if !ignores_hangup() {
        signals.add_signal(SIGHUP)?;
    }
    let mut sample = None;
    let directory = match &options.export {
        // What cannot be resolved is reported under the name that was given.
        Some(directory) => directory.canonicalize().unwrap_or_else(|_| directory.clone()),
        None => sample.insert(Sample::new()?).path().to_owned(),
    };
    let state = match (&options.state_dir, &sample) {
        (Some(named), _) => StateDir::open(named)?,
        (None, Some(sample)) => StateDir::open(&sample.state_dir())?,
        (None, None) => StateDir::open(&StateDir::usual_path()?)?,
    };
    if state.is_new() {
        let path = state.path().display();
        info!("made a new key for file handles in {path}: handles of earlier runs are not known");
    }
    let export = ExportOptions {
        key: Some(state.key().clone()),
        write_verifier: Some(state.write_verifier()),
        ..ExportOptions::default()
    };
    let max_connections = connections(options.max_connections, export.open_files);
    let fs = LocalFs::new(&directory, export)?;
    let switches_users = fs.switches_users();
    let config = Config {
        squash: match options.squash {
            SquashOption::Root => Squash::Root,
            SquashOption::None => Squash::None,
        },
        copy_break: options.copy_break,
        max_record: options.max_record,
        max_connections,
        ..Config::default()
    };
    let memory = format!(
        "memory: at most {} MiB for {max_connections} connections and replies that may be asked for again",
        config.memory_bound().div_ceil(1 << 20),
    );
    let server = Server::new(Arc::new(fs), config).bind(options.listen.as_str())?;
    let stop = server.stop_handle();
    thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().any(|signal| signal != SIGXFSZ) {
            stop.stop();
        }
    })?;
    announce(options, &directory, switches_users, &memory, server.local_addr())?;
    server.run()?;
    Ok(())
}

/// Whether whoever started this process wants it to outlive the terminal, as `nohup` does.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit is that of signal 1.
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 != 0)
}

/// Raises the limit of open descriptors as far as it goes, and says how many connections have room beside the files.
fn connections(wanted: usize, open_files: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    let limit = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let files = open_files.saturating_mul(DESCRIPTORS_PER_FILE).saturating_add(OTHER_DESCRIPTORS);
    let room = limit.saturating_sub(files).max(1);
    if room < wanted {
        warn!(
            "the limit of {limit} open files leaves room for {room} connections, not {wanted}: raise it with ulimit -n"
        );
    }
    room.min(wanted)
}

/// Says what is served, and how to mount it.
fn announce(
    options: &Options,
    directory: &Path,
    switches_users: bool,
    memory: &str,
    address: SocketAddr,
) -> io::Result<()> {
    let (host, port) = (address.ip(), address.port());
    let host = if address.is_ipv6() { format!("[{host}]") } else { host.to_string() };
    let proto = if address.is_ipv6() { "tcp6" } else { "tcp" };
    let mut out = io::stdout().lock();
    writeln!(out, "exporting {} as /", directory.display())?;
    match (switches_users, options.squash) {
        (true, SquashOption::Root) => {
            writeln!(out, "each request is served as the user it names; user 0 as nobody (65534)")?;
        }
        (true, SquashOption::None) => {
            writeln!(out, "each request is served as the user it names, user 0 included")?;
        }
        (false, _) => {
            let uid = rustix::process::geteuid().as_raw();
            writeln!(
                out,
                "every request is served as user {uid}, whoever it names: only root may switch users"
            )?;
        }
    }
    writeln!(out, "{memory}")?;
    writeln!(
        out,
        "mount -t nfs -o vers=3,proto={proto},port={port},mountport={port},nolock {host}:/ /mnt"
    )?;
    writeln!(out, "ready {address}")?;
    out.flush()
}
