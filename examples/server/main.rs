//! Exports directories over NFSv3.

extern crate alloc;

mod announce;
mod export;

use alloc::sync::Arc;
use core::error::Error;
use core::net::SocketAddr;
use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use announce::{Room, Share};
use clap::{Parser, ValueEnum};
use export::ExportOption;
use ipnet::IpNet;
use nfswire_examples::exports::{Export, Exports, RESERVED_PORTS, export_name, loopback};
use nfswire_examples::local::{ExportOptions, HandleMode, LocalFs};
use nfswire_examples::sample::Sample;
use nfswire_examples::server::{Config, Server, Squash, ZeroCopy};
use nfswire_examples::state_dir::StateDir;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use tracing::level_filters::LevelFilter;
use tracing::{info, warn};

/// What several exports share is divided, but each gets at least this.
const LEAST_OPEN_FILES: usize = 64;
const LEAST_KNOWN_PLACES: usize = 1 << 14;
/// A file that is kept open has at most this many descriptors.
const DESCRIPTORS_PER_FILE: usize = 3;
/// Descriptors for everything else: the steps of path walks, standard streams, signals.
const OTHER_DESCRIPTORS: usize = 64;
/// Largest copy-break: no READ is longer.
const MAX_COPY_BREAK: u32 = 1 << 20;
/// More threads than this wait for nothing but each other.
const MAX_THREADS: usize = 4096;

/// Exports directories over NFSv3: without options a sample, on this machine only.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Directory to export; several times for several [default: a sample directory, made for the occasion]
    ///
    /// NAME is what clients mount, / and the last component of DIR if none is given; with one export / works too, and
    /// directories below it always do. OPTION is one of
    ///
    /// ro: nothing is changed;
    ///
    /// async: changes of names and attributes are answered before they are on disk: a power failure may undo them;
    ///
    /// squash=root|all|none: as --squash, for this export;
    ///
    /// crossmnt: file systems mounted below DIR are exported too;
    ///
    /// secure: as --secure, for this export;
    ///
    /// allow=CIDR: as --allow, for this export.
    ///
    /// A comma in DIR or NAME is written \, and an = before a / is written \=.
    #[arg(long, value_name = "DIR[=/NAME][,OPTION]...", verbatim_doc_comment)]
    export: Vec<OsString>,
    /// Where to keep the key for file handles, made if it is not there [default: /var/lib/nfswire for root, else
    /// $XDG_STATE_HOME/nfswire or ~/.local/state/nfswire; for the sample, a temporary directory]
    ///
    /// A server needs one of its own, of mode 0700. With the same one handles survive a restart.
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// How files are found again after a restart
    #[arg(long, value_enum, default_value = "auto")]
    handles: HandlesOption,
    /// Address to listen on; port 0 takes any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:20490")]
    listen: String,
    /// Network whose hosts are served, or a host; several times for several [default: this machine]
    ///
    /// AUTH_SYS, which is all the proof that NFSv3 clients bring, is none: these hosts can claim to be any user.
    #[arg(long, value_name = "CIDR", value_parser = export::network)]
    allow: Vec<IpNet>,
    /// Serve clients at ports below 1024 only, as an administrator's mount uses them: without this every user of the
    /// hosts that are allowed can claim to be any other
    #[arg(long)]
    secure: bool,
    /// Whose requests are served as nobody's
    #[arg(long, value_enum, default_value = "root")]
    squash: SquashOption,
    /// READ data of more bytes than this leaves by sendfile
    #[arg(long, value_name = "BYTES", default_value_t = Config::default().copy_break)]
    #[arg(value_parser = copy_break)]
    copy_break: u32,
    /// Whether READ data leaves by sendfile: above --copy-break, all of it, or none
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    sendfile: SendfileOption,
    /// Whether READ data of 32 KiB and more that does not leave by sendfile is sent without a copy (MSG_ZEROCOPY), until
    /// the kernel says that it copies all the same
    #[arg(long, value_name = "WHEN", value_enum, default_value = "off")]
    zerocopy: ZeroCopyOption,
    /// Longest record that a client may send
    #[arg(long, value_name = "BYTES", default_value_t = Config::default().max_record)]
    #[arg(value_parser = clap::value_parser!(u32).range(8 << 10..1 << 31))]
    max_record: u32,
    /// Calls that are served beside the threads that receive, so that a slow one does not hold up those behind it on its
    /// connection; 0 serves the calls of a connection one after the other
    #[arg(long, value_name = "N", default_value_t = Config::default().threads)]
    #[arg(value_parser = threads)]
    threads: usize,
    /// Most connections at a time of hosts that are allowed
    ///
    /// When there is one more, one that has used no export yet is ended; else the host with the most of them loses the one
    /// that has been silent longest, if it has more than the newcomer's host would have; or whoever was silent for more
    /// than 30 seconds does. Else the new one is closed. As many as the limit of open files leaves room for, which the server says when it starts.
    #[arg(long, value_name = "N", default_value_t = Config::default().max_connections)]
    #[arg(value_parser = max_connections)]
    max_connections: usize,
    /// What to log on stderr: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,
    /// How to log: lines of text, or a JSON object in each line
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    log_format: LogFormat,
    /// Loopback address at which to serve metrics for Prometheus, as http://ADDR/metrics; port 0 takes any free one
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SendfileOption {
    /// All of it
    On,
    /// None
    Off,
    /// What is above the copy-break
    Auto,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ZeroCopyOption {
    /// To all clients
    On,
    /// Never
    Off,
    /// To clients on other machines
    Auto,
}

impl From<ZeroCopyOption> for ZeroCopy {
    fn from(option: ZeroCopyOption) -> Self {
        match option {
            ZeroCopyOption::On => Self::On,
            ZeroCopyOption::Off => Self::Off,
            ZeroCopyOption::Auto => Self::Auto,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SquashOption {
    /// Requests of user 0
    Root,
    /// All requests
    All,
    /// No requests
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HandlesOption {
    /// By the kernel if the file system and the rights of this process allow it, else as with identity
    Auto,
    /// By the kernel's handles, or not at all
    Kernel,
    /// By device, inode number and time of birth, with a walk where no place is known
    Identity,
}

impl From<HandlesOption> for HandleMode {
    fn from(option: HandlesOption) -> Self {
        match option {
            HandlesOption::Auto => Self::Auto,
            HandlesOption::Kernel => Self::Kernel,
            HandlesOption::Identity => Self::Identity,
        }
    }
}

impl From<SquashOption> for Squash {
    fn from(option: SquashOption) -> Self {
        match option {
            SquashOption::Root => Self::Root,
            SquashOption::All => Self::All,
            SquashOption::None => Self::None,
        }
    }
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

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads <= MAX_THREADS => Ok(threads),
        Ok(_) => Err(format!("give at most {MAX_THREADS} threads")),
        Err(error) => Err(format!("{error}; give a number of threads")),
    }
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
    let log = tracing_subscriber::fmt()
        .with_max_level(options.log)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        // Told on stderr, which panics where that is what is full.
        .log_internal_errors(false)
        .with_target(false);
    match options.log_format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
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
    let wanted = match &options.export[..] {
        [] => {
            let path = sample.insert(Sample::new()?).path().to_owned();
            vec![ExportOption::new(path, Some("/"))]
        }
        several => several
            .iter()
            .map(|text| {
                ExportOption::parse(text)
                    .map_err(|why| format!("--export {}: {why}", text.display()))
            })
            .collect::<Result<_, _>>()?,
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
    let shares = shares(options, wanted, &state)?;
    let open_files = shares.iter().map(|share| share.open_files).sum();
    let room = room(options.max_connections, open_files);
    let config = Config {
        copy_break: match options.sendfile {
            SendfileOption::On => 0,
            SendfileOption::Off => MAX_COPY_BREAK,
            SendfileOption::Auto => options.copy_break,
        },
        zero_copy: options.zerocopy.into(),
        max_record: options.max_record,
        threads: options.threads,
        metrics: options.metrics,
        max_connections: room.connections,
        ..Config::default()
    };
    if shares.iter().any(|share| share.export.secure) {
        look_at_ports();
    }
    keep_to_quotas();
    let exports = Exports::new(shares.iter().map(|share| share.export.clone()).collect())?;
    let server = Server::with_exports(exports, config.clone()).bind(options.listen.as_str())?;
    let stop = server.stop_handle();
    thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().any(|signal| signal != SIGXFSZ) {
            stop.stop();
        }
    })?;
    let mut out = io::stdout().lock();
    announce::shares(&mut out, &shares, &state)?;
    announce::room(&mut out, &room)?;
    announce::memory(&mut out, &config)?;
    if let Some(address) = server.metrics_addr() {
        writeln!(out, "metrics: http://{address}/metrics")?;
    }
    announce::mounts(&mut out, &shares, server.local_addr())?;
    out.flush()?;
    drop(out);
    server.run()?;
    Ok(())
}

/// Opens the directories.
fn shares(
    options: &Options,
    wanted: Vec<ExportOption>,
    state: &StateDir,
) -> Result<Vec<Share>, Box<dyn Error>> {
    let usual = ExportOptions::default();
    let part =
        |whole: usize, least: usize| whole.checked_div(wanted.len()).unwrap_or(whole).max(least);
    let open_files = part(usual.open_files, LEAST_OPEN_FILES);
    let known_places = part(usual.known_places, LEAST_KNOWN_PLACES);
    let allow = if options.allow.is_empty() { loopback() } else { options.allow.clone() };
    let mut shares: Vec<Share> = Vec::new();
    for one in wanted {
        // What cannot be resolved is reported under the name that was given.
        let directory = one.directory.canonicalize().unwrap_or_else(|_| one.directory.clone());
        let name = one.name.unwrap_or_else(|| {
            let last = directory.file_name().unwrap_or_default();
            [b"/", last.as_bytes()].concat()
        });
        let name = export_name(&name)?;
        // The same for the same name at each start, in whatever order they are given.
        let id = state.key().number("export", &name);
        let id = u32::try_from(id >> 33).unwrap_or(0);
        if let Some(same) = shares.iter().find(|share| share.id == id && share.export.name != name)
        {
            let (one, other) = (name.escape_ascii(), same.export.name.escape_ascii());
            return Err(format!(
                "by chance {one} and {other} get the same number in handles; give one another name with --export DIR=/NAME"
            ).into());
        }
        let fs = LocalFs::new(
            &directory,
            ExportOptions {
                id,
                key: Some(state.key().clone()),
                handles: options.handles.into(),
                write_verifier: Some(state.write_verifier()),
                read_only: one.read_only,
                durable: !one.is_async,
                cross_mounts: one.cross_mounts,
                open_files,
                known_places,
            },
        )?;
        shares.push(Share {
            directory,
            id,
            read_only: one.read_only,
            is_async: one.is_async,
            cross_mounts: one.cross_mounts,
            switches_users: fs.switches_users(),
            kernel_handles: fs.uses_kernel_handles(),
            open_files,
            export: Export {
                name,
                fs: Arc::new(fs),
                squash: one.squash.unwrap_or_else(|| options.squash.into()),
                allow: if one.allow.is_empty() { allow.clone() } else { one.allow },
                secure: one.secure || options.secure,
            },
        });
    }
    Ok(shares)
}

/// Says so if everybody on this machine gets the ports that `secure` takes for an administrator's, as in most containers.
fn look_at_ports() {
    let first = fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    let first = first.ok().and_then(|first| first.trim().parse::<u16>().ok());
    if let Some(first) = first.filter(|first| *first < RESERVED_PORTS) {
        warn!(
            "secure keeps nobody on this machine from claiming to be somebody else: every user gets ports from {first} on; \
             set the sysctl net.ipv4.ip_unprivileged_port_start to {RESERVED_PORTS}"
        );
    }
}

/// Whether whoever started this process wants it to outlive the terminal, as `nohup` does.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit is that of signal 1.
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 != 0)
}

/// Has quotas, and the blocks that a file system keeps back, hold for callers. Root may go beyond both, and so may a process
/// of root's that acts as another user. Threads take this over from the one that starts them.
fn keep_to_quotas() {
    let given_up = capabilities(None).and_then(|mut sets| {
        for set in [&mut sets.effective, &mut sets.permitted, &mut sets.inheritable] {
            set.remove(CapabilitySet::SYS_RESOURCE);
        }
        set_capabilities(None, sets)
    });
    if let Err(error) = given_up {
        warn!("CAP_SYS_RESOURCE cannot be given up ({error}): callers may go beyond their quotas");
    }
}

/// Raises the limit of open descriptors as far as it goes, and counts what has room beside the files that are kept open.
fn room(wanted: usize, open_files: usize) -> Room {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    let limit = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let files = open_files.saturating_mul(DESCRIPTORS_PER_FILE);
    let rest = limit.saturating_sub(files).saturating_sub(OTHER_DESCRIPTORS);
    // A call that finds no descriptor has files closed that are only kept open, so none is set aside for each call.
    let connections = rest.clamp(1, wanted.max(1));
    if connections < wanted {
        warn!(
            "the limit of {limit} open files leaves room for {connections} connections, not {wanted}: raise it with ulimit -n"
        );
    }
    Room { connections, wanted, files, limit }
}
