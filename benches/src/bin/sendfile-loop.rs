//! The floor that servers are compared with: one file over NFSv3, by bare system calls.
//!
//! A thread for each connection receives what has come and answers it: READ by a header (with
//! `MSG_MORE`) and `sendfile`, or by `pread` and `writev`; small replies together in one send. Words are
//! read and written at fixed offsets, and nothing of our crates is used. It is no server to use: the
//! file is named by every handle and every name, its attributes are those of the start, and whoever
//! reaches the port may read it.

// Sums of lengths that were checked against a buffer's or a file's.
#![allow(clippy::arithmetic_side_effects)]

extern crate alloc;

use alloc::sync::Arc;
use core::net::SocketAddr;
use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use clap::{Parser, ValueEnum};
use rustix::io::{Errno, pread, writev};
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt};

/// Serves one file over NFSv3 (MNT, LOOKUP, FSINFO, GETATTR, READ) with as little work as there can be: a floor to compare
/// servers with, not a server to use
#[derive(Parser)]
struct Args {
    /// The file. Clients mount / and find it under any name.
    file: PathBuf,
    /// How data leaves.
    #[arg(long, value_enum, default_value = "sendfile")]
    mode: Mode,
    /// Address to listen on; port 0 takes any free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Congestion control of the sockets.
    #[arg(long, value_name = "NAME", default_value = "reno")]
    congestion: String,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// A header with MSG_MORE, then sendfile.
    Sendfile,
    /// pread, then header and data in one writev.
    Copy,
}

/// Largest READ and WRITE.
const TRANSFER: u32 = 1 << 20;
/// What is received at a time; a longer call ends the connection.
const BUFFER: usize = 64 << 10;
/// The only handle.
const HANDLE: [u8; 32] = *b"the file that the loop gives out";

const GETATTR_LEN: usize = 28 + 4 + 84;
const READ_LEN: usize = 28 + 4 + 4 + 84 + 12;

/// The file, and what is always answered.
struct Floor {
    file: File,
    size: u64,
    mode: Mode,
    /// Attributes, as XDR has them (RFC 1813, section 2.6).
    attributes: Vec<u8>,
    /// Reply to GETATTR, but for its xid.
    getattr: [u8; GETATTR_LEN],
    /// Reply to READ up to its data, but for xid, lengths and end of file.
    read: [u8; READ_LEN],
}

/// XDR that grows.
#[derive(Default)]
struct Words(Vec<u8>);

impl Words {
    fn u32(mut self, n: u32) -> Self {
        self.0.extend(n.to_be_bytes());
        self
    }

    fn u64(mut self, n: u64) -> Self {
        self.0.extend(n.to_be_bytes());
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    fn handle(self) -> Self {
        self.u32(32).bytes(&HANDLE)
    }

    /// Puts mark and header of a reply before results (RFC 5531, sections 9 and 11).
    fn reply(self, xid: u32, accept_status: u32) -> Vec<u8> {
        let len = u32::try_from(self.0.len()).unwrap_or(0) + 24;
        let header = Self::default().u32(1 << 31 | len).u32(xid).u32(1);
        header.u32(0).u32(0).u32(0).u32(accept_status).bytes(&self.0).0
    }
}

/// A call, taken apart as far as needed.
struct Call<'b> {
    xid: u32,
    program: u32,
    procedure: u32,
    args: &'b [u8],
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word))
}

impl<'b> Call<'b> {
    /// Header of a call (RFC 5531, section 9); whatever credential it has.
    fn parse(record: &'b [u8]) -> Option<Self> {
        let (xid, kind, rpc_version) = (word(record, 0)?, word(record, 4)?, word(record, 8)?);
        let (program, procedure) = (word(record, 12)?, word(record, 20)?);
        let mut args = record.get(24..)?;
        for _ in ["credential", "verifier"] {
            let len = word(args, 4)?.checked_next_multiple_of(4)?;
            args = args.get(8..)?.get(usize::try_from(len).ok()?..)?;
        }
        (kind == 0 && rpc_version == 2).then_some(Self { xid, program, procedure, args })
    }

    /// Offset and count of a READ (RFC 1813, section 3.3.6).
    fn read(&self) -> Option<(u64, u32)> {
        let handle = word(self.args, 0)?.checked_next_multiple_of(4)?;
        let rest = self.args.get(4..)?.get(usize::try_from(handle).ok()?..)?;
        Some((u64::from(word(rest, 0)?) << 32 | u64::from(word(rest, 4)?), word(rest, 8)?))
    }
}

impl Floor {
    fn new(file: File, mode: Mode) -> io::Result<Self> {
        let meta = file.metadata()?;
        let time = |seconds: i64, nanoseconds: i64| {
            let word = |n| u64::from(u32::try_from(n).unwrap_or(0));
            word(seconds) << 32 | word(nanoseconds)
        };
        let attributes = Words::default().u32(1).u32(0o644).u32(1).u32(0).u32(0);
        let attributes = attributes.u64(meta.len()).u64(meta.len()).u64(0).u64(1).u64(meta.ino());
        let attributes = attributes
            .u64(time(meta.atime(), meta.atime_nsec()))
            .u64(time(meta.mtime(), meta.mtime_nsec()))
            .u64(time(meta.ctime(), meta.ctime_nsec()))
            .0;
        let fixed = |_| io::Error::other("a reply has another length than it should have");
        let getattr = Words::default().u32(0).bytes(&attributes).reply(0, 0);
        let read =
            Words::default().u32(0).u32(1).bytes(&attributes).u32(0).u32(0).u32(0).reply(0, 0);
        let getattr = getattr.try_into().map_err(fixed)?;
        let read = read.try_into().map_err(fixed)?;
        Ok(Self { file, size: meta.len(), mode, attributes, getattr, read })
    }

    /// The results of everything that is not worth a fast path.
    fn other(&self, call: &Call<'_>) -> Vec<u8> {
        let words = Words::default();
        let results = match (call.program, call.procedure) {
            (100_003 | 100_005, 0) | (100_005, 3) => words,
            // MNT: the root is "/"; AUTH_SYS is what is asked for.
            (100_005, 1) if call.args == [0, 0, 0, 1, b'/', 0, 0, 0] => {
                words.u32(0).handle().u32(1).u32(1)
            }
            (100_005, 1) => words.u32(2),
            // LOOKUP
            (100_003, 3) => words.u32(0).handle().u32(1).bytes(&self.attributes).u32(0),
            // FSINFO
            (100_003, 19) => {
                let sizes = words.u32(0).u32(0).u32(TRANSFER).u32(TRANSFER).u32(1);
                let sizes = sizes.u32(TRANSFER).u32(TRANSFER).u32(1).u32(TRANSFER);
                sizes.u64(u64::MAX >> 1).u64(1).u32(0x1b)
            }
            // PROC_UNAVAIL
            _ => return words.reply(call.xid, 3),
        };
        results.reply(call.xid, 0)
    }

    /// Serves a connection to its end.
    fn serve(&self, stream: &TcpStream) -> Option<()> {
        let mut buffer = vec![0; BUFFER];
        let (mut filled, mut page, mut out) = (0, Vec::new(), Vec::new());
        loop {
            let received = recv(stream, buffer.get_mut(filled..)?, RecvFlags::empty());
            filled += match received {
                Ok((0, _)) => return Some(()),
                Ok((n, _)) => n,
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            };
            let mut rest = buffer.get(..filled)?;
            while let Some(mark) = word(rest, 0) {
                let len = usize::try_from(mark & !(1 << 31)).ok()?;
                if mark >> 31 == 0 || len > BUFFER - 4 {
                    return None;
                }
                let Some((record, behind)) = rest.get(4..)?.split_at_checked(len) else { break };
                let call = Call::parse(record)?;
                match (call.program, call.procedure) {
                    (100_003, 1) => {
                        let mut reply = self.getattr;
                        reply[4..8].copy_from_slice(&call.xid.to_be_bytes());
                        out.extend(reply);
                    }
                    (100_003, 6) => self.read(stream, &call, &mut out, &mut page)?,
                    _ => out.extend(self.other(&call)),
                }
                rest = behind;
            }
            let left = rest.len();
            buffer.copy_within(filled - left..filled, 0);
            filled = left;
            send_all(stream, &out, SendFlags::NOSIGNAL)?;
            out.clear();
        }
    }

    /// Answers a READ; what is in `out` goes before it, and its pad stays there.
    fn read(
        &self,
        stream: &TcpStream,
        call: &Call<'_>,
        out: &mut Vec<u8>,
        page: &mut Vec<u8>,
    ) -> Option<()> {
        let (mut offset, count) = call.read()?;
        let rest = self.size.saturating_sub(offset);
        let count = count.min(TRANSFER).min(u32::try_from(rest).unwrap_or(u32::MAX));
        let eof = u32::from(u64::from(count) == rest);
        let pad = count.next_multiple_of(4) - count;
        let record = u32::try_from(READ_LEN - 4).ok()? + count + pad;
        let mut head = self.read;
        head[..4].copy_from_slice(&(1 << 31 | record).to_be_bytes());
        head[4..8].copy_from_slice(&call.xid.to_be_bytes());
        for (place, n) in head[READ_LEN - 12..].chunks_exact_mut(4).zip([count, eof, count]) {
            place.copy_from_slice(&n.to_be_bytes());
        }
        out.extend(head);
        let mut left = usize::try_from(count).ok()?;
        let zeros = [0; 3];
        let pad = zeros.get(..usize::try_from(pad).ok()?)?;
        if self.mode == Mode::Copy {
            if page.len() < left {
                page.resize(left, 0);
            }
            let data = page.get_mut(..left)?;
            // A file that became shorter cannot be answered any more.
            if pread(&self.file, &mut *data, offset).ok()? != left {
                return None;
            }
            write_all(stream, &mut [IoSlice::new(out), IoSlice::new(data), IoSlice::new(pad)])?;
            out.clear();
            return Some(());
        }
        if left > 0 {
            send_all(stream, out, SendFlags::NOSIGNAL | SendFlags::MORE)?;
            out.clear();
        }
        while left > 0 {
            match rustix::fs::sendfile(stream, &self.file, Some(&mut offset), left) {
                Ok(0) => return None,
                Ok(sent) => left -= sent,
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        out.extend(pad);
        Some(())
    }
}

fn send_all(stream: &TcpStream, mut bytes: &[u8], flags: SendFlags) -> Option<()> {
    while !bytes.is_empty() {
        match send(stream, bytes, flags) {
            Ok(sent) => bytes = bytes.get(sent..)?,
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(())
}

fn write_all(stream: &TcpStream, mut pieces: &mut [IoSlice<'_>]) -> Option<()> {
    IoSlice::advance_slices(&mut pieces, 0);
    while !pieces.is_empty() {
        match writev(stream, pieces) {
            Ok(0) => return None,
            Ok(sent) => IoSlice::advance_slices(&mut pieces, sent),
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(())
}

fn run(args: Args) -> Result<(), String> {
    let name = args.file.display();
    let opened = File::open(&args.file).and_then(|file| Floor::new(file, args.mode));
    let floor = Arc::new(opened.map_err(|e| format!("cannot open {name}: {e}"))?);
    let listener = TcpListener::bind(args.listen)
        .map_err(|e| format!("cannot listen on {}: {e}", args.listen))?;
    // Those that are accepted have it from this one.
    sockopt::set_tcp_congestion(&listener, &args.congestion)
        .map_err(|e| format!("the kernel has no congestion control {:?}: {e}", args.congestion))?;
    let address = listener.local_addr().map_err(|e| format!("the socket has no address: {e}"))?;
    println!("ready {address}");
    io::stdout().flush().map_err(|e| format!("cannot write the address: {e}"))?;
    loop {
        let (stream, _) =
            listener.accept().map_err(|e| format!("cannot accept a connection: {e}"))?;
        stream.set_nodelay(true).map_err(|e| format!("cannot set up a connection: {e}"))?;
        let floor = Arc::clone(&floor);
        thread::spawn(move || floor.serve(&stream));
    }
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sendfile-loop: {error}");
            ExitCode::FAILURE
        }
    }
}
