//! NFSv3 client: lists, shows, reads, writes and loads files of a server, without mounting it.

use core::time::Duration;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use nfswire_examples::client::{
    Client, Error, Follow, NfsUrl, Options, Result, bench, bench::Load, show, transfer,
};
use nfswire_nfs3::FileType;

/// Works on files of an NFSv3 server, over TCP
#[derive(Parser)]
#[command(
    version,
    after_help = "URLs: nfs://host[:port]/path[?mountport=N|?portmap=N], with port 2049, and mountport as port, by default;\n\
                  portmap=111 asks the server's port mapper for the mountport.\n\
                  Bytes that mean something in a URL are written %XX."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    /// Calls in flight.
    #[arg(long, global = true, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    depth: u16,
    /// Largest READ and WRITE; the server may want smaller ones.
    #[arg(long, global = true, default_value_t = 1 << 20, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(512..=1 << 20))]
    transfer: u32,
    /// How long to wait for a silent server.
    #[arg(long, global = true, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

#[derive(Subcommand)]
enum Command {
    /// Lists a directory.
    Ls {
        /// Kind, permissions, links, owner, group, size and time (UTC) too.
        #[arg(short, long)]
        long: bool,
        /// The directory.
        url: NfsUrl,
    },
    /// Shows the attributes of a file, directory or symbolic link.
    Stat {
        /// The object.
        url: NfsUrl,
    },
    /// Writes a file to the standard output.
    Cat {
        /// The file.
        url: NfsUrl,
    },
    /// Copies a file of the server.
    Get {
        /// The file.
        url: NfsUrl,
        /// Local file, directory, or - for the standard output.
        #[arg(default_value = ".")]
        local: PathBuf,
    },
    /// Copies a file to the server; it is on stable storage when the command ends.
    Put {
        /// Local file, or - for the standard input.
        local: PathBuf,
        /// The file to make or to replace.
        url: NfsUrl,
    },
    /// Loads the server with calls and prints rates.
    Bench(Bench),
}

#[derive(Args)]
struct Bench {
    /// The file to read or to ask about.
    url: NfsUrl,
    /// READ calls of this many bytes, through the file over and over; 64k and 1m are understood.
    #[arg(long, value_name = "BYTES[,BYTES]...", value_delimiter = ',', value_parser = read_size)]
    read: Vec<u32>,
    /// GETATTR calls (the default).
    #[arg(long)]
    getattr: bool,
    /// LOOKUP calls, of the file in its directory.
    #[arg(long)]
    lookup: bool,
    /// Connections; --depth is the number of calls in flight on each. Several numbers are measured one after the other.
    #[arg(long, default_value = "1", value_name = "N[,N]...", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=4096))]
    connections: Vec<u16>,
    /// Stop each measurement after this time; 5 s if --calls is not given.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: Option<u64>,
    /// Stop each measurement after this many calls, at most 3600 s.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    calls: Option<u64>,
    /// The server's process, to print the processor time and the memory that it takes.
    #[arg(long, value_name = "PID")]
    server_pid: Option<u32>,
    /// A JSON object in each line instead of a table.
    #[arg(long)]
    json: bool,
    /// Congestion control of our sockets. The server's decides how fast READ data comes.
    #[arg(long, default_value = "reno", value_name = "NAME")]
    congestion: String,
    /// Size of our sockets' buffers; by default the system's.
    #[arg(long, value_name = "BYTES")]
    socket_buffer: Option<usize>,
}

/// Bytes, with `k` or `m` for their 1024- and 1048576-fold.
fn read_size(text: &str) -> core::result::Result<u32, String> {
    let with = |letters: [char; 2], unit: u32| Some((text.strip_suffix(letters)?, unit));
    let scaled = with(['k', 'K'], 1 << 10).or_else(|| with(['m', 'M'], 1 << 20));
    let (digits, unit) = scaled.unwrap_or((text, 1));
    let bytes = digits.parse::<u32>().ok().and_then(|n| n.checked_mul(unit));
    bytes.filter(|bytes| (1..=bench::MAX_READ).contains(bytes)).ok_or_else(|| {
        format!("a READ has 1 to {} bytes; give a number like 8192, 64k or 1m", bench::MAX_READ)
    })
}

fn main() -> ExitCode {
    let Cli { command, common } = Cli::parse();
    match run(command, &common) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has enough of it.
        Err(Error::Local { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("client: {error}");
            ExitCode::from(if matches!(error, Error::Usage(_)) { 2 } else { 1 })
        }
    }
}

fn run(command: Command, common: &Common) -> Result<()> {
    let options = Options {
        depth: common.depth.into(),
        transfer: common.transfer,
        timeout: Duration::from_secs(common.timeout),
        ..Options::default()
    };
    match command {
        Command::Ls { url, long } => ls(&url, options, long),
        Command::Stat { url } => {
            let (mut client, path) = Client::mount(&url, options)?;
            let follow = if url.directory { Follow::All } else { Follow::Parents };
            let (_, attributes) = client.resolve(&path, follow)?;
            print(show::stat(&attributes).as_bytes())
        }
        Command::Cat { url } => get(&url, options, PathBuf::from("-")).map(drop),
        Command::Get { url, local } => get(&url, options, local).map(drop),
        Command::Put { local, url } => {
            let (mut client, path) = Client::mount(&url, options)?;
            transfer::put(&mut client, &local, &path).map(drop)
        }
        Command::Bench(args) => load(args, options),
    }
}

fn get(url: &NfsUrl, options: Options, local: PathBuf) -> Result<u64> {
    let (mut client, path) = Client::mount(url, options)?;
    let (file, attributes) = client.resolve(&path, Follow::All)?;
    transfer::get(&mut client, &path, &file, &attributes, &local)
}

fn ls(url: &NfsUrl, options: Options, long: bool) -> Result<()> {
    let (mut client, path) = Client::mount(url, options)?;
    let (object, attributes) = client.resolve(&path, Follow::All)?;
    let mut lines = Vec::new();
    let terminal = io::stdout().is_terminal();
    let mut line = |name: &[u8], attributes: Option<String>| {
        lines.extend_from_slice(attributes.unwrap_or_default().as_bytes());
        if terminal {
            lines.extend_from_slice(show::printable(name).as_bytes());
        } else {
            lines.extend_from_slice(name);
        }
        lines.push(b'\n');
    };
    if attributes.file_type == FileType::Directory {
        let full = client.full_path(&path);
        let mut entries = client.list(&object).map_err(|e| e.at(&full))?;
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for entry in entries {
            let text = long.then(|| {
                let attributes = client.entry_attributes(&object, &entry);
                attributes.map_or_else(|_| show::UNKNOWN.into(), |a| show::long(&a))
            });
            line(&entry.name, text);
        }
    } else {
        let name = path.last().map(Vec::as_slice).unwrap_or_default();
        line(name, long.then(|| show::long(&attributes)));
    }
    print(&lines)
}

fn load(args: Bench, options: Options) -> Result<()> {
    let options =
        Options { congestion: Some(args.congestion), socket_buffer: args.socket_buffer, ..options };
    let otherwise = if args.calls.is_some() { 3600 } else { 5 };
    let seconds = args.seconds.unwrap_or(otherwise);
    let mut loads: Vec<Load> = args.read.into_iter().map(Load::Read).collect();
    if args.lookup {
        loads.push(Load::Lookup);
    }
    if args.getattr || loads.is_empty() {
        loads.push(Load::Getattr);
    }
    let mut heading = (!args.json).then(|| bench::Report::heading(args.server_pid.is_some()));
    for load in loads {
        for connections in &args.connections {
            let config = bench::Config {
                load,
                connections: (*connections).into(),
                time: Some(Duration::from_secs(seconds)),
                calls: args.calls,
                server_pid: args.server_pid,
            };
            let report = bench::run(&args.url, &options, &config)?;
            if let Some(heading) = heading.take() {
                print(format!("{heading}\n").as_bytes())?;
            }
            let line = if args.json { report.json() } else { report.to_string() };
            print(format!("{line}\n").as_bytes())?;
        }
    }
    Ok(())
}

fn print(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|e| Error::local("cannot write the output", e))
}
