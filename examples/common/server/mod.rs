//! The NFSv3 server: MOUNT and NFS on one TCP port, for any [`FileSystem`].
//!
//! A thread per connection receives what has come, serves every whole call of it, and sends the replies together:
//! one receive and one send for a call that comes alone. A call that takes long is no obstacle to those behind it: another
//! thread receives and serves them ([`Config::threads`]), so that replies may leave in another order than their calls
//! came in; but a COMMIT waits for the WRITEs before it. File data above the copy-break goes from the page cache to the
//! socket by `sendfile`; smaller data leaves in the same send as its header.
//!
//! ```no_run
//! use std::sync::Arc;
//! use nfswire_examples::fs::FileSystem;
//! use nfswire_examples::server::{Config, Server};
//!
//! fn serve(fs: Arc<dyn FileSystem>) -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::new(fs, Config::default()).bind("127.0.0.1:20490")?;
//!     let stop = server.stop_handle();        // for a signal handler or another thread
//!     println!("serving on {}", server.local_addr());
//!     server.run()?;                          // until stop.stop()
//!     # drop(stop);
//!     Ok(())
//! }
//! ```
//!
//! Calls are decoded leniently ([`Policy::Lenient`](nfswire_xdr::Policy::Lenient)): pads need not be zero, and bytes behind
//! the arguments are ignored. What cannot be decoded is answered; only a peer that does not speak RPC is cut off.
//!
//! # Memory
//! A connection that sends small calls holds 16 KiB to receive into and the head of its replies; one that reads small
//! pieces 64 KiB more; one that writes grows its receive buffer to the largest record it has sent, at most
//! [`Config::max_record`]. Idle connections give back all but the first, to the allocator, which
//! passes it on to the system when it sees fit.

mod accept;
mod cold;
mod connection;
mod crew;
mod faulty;
mod held;
mod http;
mod identity;
mod listing;
mod metrics;
mod mount;
mod nfs;
mod replays;
mod reply;
mod send;
mod service;
mod table;
mod trust;
mod writes;
mod zerocopy;

use alloc::sync::{Arc, Weak};
use core::fmt;
use core::net::SocketAddr;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, ToSocketAddrs};
use std::thread::{self, JoinHandle};

use ipnet::IpNet;
use nfswire_rpc::{NoMemory, RecordLimits};
use rustix::net::{Shutdown, shutdown};
use thiserror::Error;
use tracing::{debug, warn};

pub use identity::Squash;
pub use zerocopy::ZeroCopy;

use crate::exports::{Exports, loopback};
use crate::fs::FileSystem;
use crew::Crew;
use metrics::Metrics;
use replays::Replays;
use service::Service;
use table::Table;

/// Connections that do not end by themselves are cut, and get this long to notice.
const CUT_TIME: Duration = Duration::from_secs(1);

/// How a server behaves.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which callers are served as nobody in particular. Exports given to [`Server::with_exports`] have their own.
    pub squash: Squash,
    /// Networks whose hosts are served. Exports given to [`Server::with_exports`] have their own. Default: this
    /// machine.
    pub allow: Vec<IpNet>,
    /// READ data of more bytes than this is sent by `sendfile`, the other is read and sent with its header. Default
    /// 16 KiB, about where the costs cross.
    pub copy_break: u32,
    /// Whether READ data in memory of 32 KiB and more is sent from there by MSG_ZEROCOPY: what the file system gives as
    /// bytes, and what is not sent by `sendfile`. It is given up for a connection on which the kernel copies all the
    /// same. Up to 2 MiB are held for each connection. Default off.
    pub zero_copy: ZeroCopy,
    /// Longest record in bytes that a client may send: its WRITE size and about 1 KiB around it. Default 1 MiB + 64 KiB.
    pub max_record: u32,
    /// Most fragments of a record. Clients send one. Default 1024.
    pub max_fragments: u32,
    /// Calls that are served beside the threads that receive, so that a slow one does not hold up those behind it on its
    /// connection; one connection gets half of them. 0 serves the calls of a connection one after the other. Default 4
    /// for each processor, at least 8.
    pub threads: usize,
    /// Most connections of the hosts that may use an export; others are closed at once. When there is one more, one ends
    /// that has called nothing but NULL and MOUNT so far, or was refused what it called; else the one that has been
    /// silent longest of the host that has the most of them, if that host has more than the newcomer's would have; or
    /// the one that has been silent longest of all, if for more than 30 seconds. Clients connect again when they need
    /// to. Where none is to give way the new one is closed: no connection ends that has a call served or a reply sent,
    /// unless its client has been slow to take that for more than 5 seconds. Addresses of IPv6 with the same first 64
    /// bits are one host. Default 1024.
    pub max_connections: usize,
    /// A connection without traffic for this long gives its memory back. Default 10 s.
    pub idle: Duration,
    /// A client that takes no byte of its replies for this long loses its connection, and so does one that sends the
    /// first part of a record and then, for this long and at least for `idle`, nothing. Default 60 s.
    pub send_timeout: Duration,
    /// After this much silence the client's system is asked whether it is still there, again each quarter of this time;
    /// one that does not answer for `send_timeout` loses its connection. Whole seconds, at least 1. Default 60 s.
    pub keep_alive: Duration,
    /// Calls that are remembered, so that one which comes again on a new connection is answered with its first reply
    /// and not run again: REMOVE, RENAME, CREATE and all others that change something, for at most 120 seconds. When there is
    /// no room, a host that has more than an eighth of it loses its own first. Half as many WRITEs are remembered beside
    /// them. Memory is taken as it is needed. 0 remembers none. Default 65,536.
    pub replay_calls: u32,
    /// Bytes of their replies that are kept, in blocks of 256, and a quarter as many for WRITEs. Default 32 MiB.
    pub replay_bytes: u32,
    /// Where to serve metrics as a Prometheus page, `http://ADDRESS/metrics`: a loopback address, port 0 for any free
    /// one. Default: nothing is counted.
    pub metrics: Option<SocketAddr>,
    /// How long [`StopHandle::stop`] waits for calls that are being served. Default 5 s.
    pub drain: Duration,
}

impl Default for Config {
    fn default() -> Self {
        let record = RecordLimits::DEFAULT;
        Self {
            squash: Squash::Root,
            allow: loopback(),
            copy_break: 16 << 10,
            zero_copy: ZeroCopy::Off,
            max_record: record.max_record,
            max_fragments: record.max_fragments,
            threads: thread::available_parallelism()
                .map_or(2, usize::from)
                .saturating_mul(4)
                .max(8),
            max_connections: 1024,
            idle: Duration::from_secs(10),
            send_timeout: Duration::from_secs(60),
            keep_alive: Duration::from_secs(60),
            replay_calls: 65_536,
            replay_bytes: 32 << 20,
            metrics: None,
            drain: Duration::from_secs(5),
        }
    }
}

impl Config {
    /// Bytes that the server holds at most for connections and replies, when every client does its worst; what the file
    /// system holds comes on top.
    #[must_use]
    pub fn memory_bound(&self) -> u64 {
        let threads = self.max_connections.saturating_add(self.threads);
        let threads = u64::try_from(threads).unwrap_or(u64::MAX);
        let replays = match self.replay_calls {
            0 => 0,
            calls => replays::memory(calls, self.replay_bytes),
        };
        // Of each connection that takes no replies, one thread more than it has a right to may wait to send.
        let senders = u64::try_from(self.max_connections).unwrap_or(u64::MAX);
        let sending = connection::memory_of_sending(self.copy_break, self.zero_copy);
        connection::memory(self.max_record, self.copy_break, self.zero_copy)
            .saturating_mul(threads)
            .saturating_add(sending.saturating_mul(senders))
            .saturating_add(replays)
    }
}

/// Why a server cannot listen.
#[derive(Debug, Error)]
pub enum BindError {
    /// The text is no address, or the name is unknown.
    #[error(
        "the listen address cannot be used: {0}; give it as HOST:PORT, for example 127.0.0.1:20490"
    )]
    Address(io::Error),
    /// Other machines could connect, and none of them may use anything.
    #[error(
        "{0} can be reached from other machines, and AUTH_SYS lets whoever connects claim to be any user: say with --allow \
         which networks you trust so far, or listen on a loopback address such as 127.0.0.1"
    )]
    NotLoopback(SocketAddr),
    /// Other machines could read the metrics.
    #[error(
        "{0} can be reached from other machines: serve metrics on a loopback address such as 127.0.0.1:9100"
    )]
    MetricsNotLoopback(SocketAddr),
    /// The system refused.
    #[error(
        "cannot listen on {address}: {error}; stop what uses the port, or choose another one (0 takes any free one)"
    )]
    Listen {
        /// Address asked for.
        address: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// There is no memory for replies that may be asked for again.
    #[error("cannot remember replies: {0}")]
    Replays(NoMemory),
}

/// Why a server ended although nobody stopped it.
#[derive(Debug, Error)]
pub enum RunError {
    /// The listening socket failed.
    #[error("cannot accept connections any more: {0}")]
    Accept(io::Error),
}

/// A server that does not listen yet.
pub struct Server {
    exports: Exports,
    config: Config,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Server {
    /// A server for one file system, exported as `/`.
    #[must_use]
    pub fn new(fs: Arc<dyn FileSystem>, config: Config) -> Self {
        let exports = Exports::single(fs, config.squash, config.allow.clone());
        Self::with_exports(exports, config)
    }

    /// A server for several file systems.
    #[must_use]
    pub const fn with_exports(exports: Exports, config: Config) -> Self {
        Self { exports, config }
    }

    /// Opens the listening socket; connections wait there until [`BoundServer::run`] takes them. Port 0 takes any free
    /// one.
    ///
    /// # Errors
    /// See [`BindError`]. Addresses other than loopback are taken only if other machines may use an export.
    pub fn bind(self, address: impl ToSocketAddrs) -> Result<BoundServer, BindError> {
        let no_address = || io::Error::new(ErrorKind::NotFound, "the name has no address");
        let mut addresses = address.to_socket_addrs().map_err(BindError::Address)?;
        let address = addresses.next().ok_or_else(|| BindError::Address(no_address()))?;
        let is_local = address.ip().to_canonical().is_loopback();
        if !is_local && self.exports.is_local_only() {
            return Err(BindError::NotLoopback(address));
        }
        let failed = |error| BindError::Listen { address, error };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let metrics = self.config.metrics.map(listen_for_metrics).transpose()?;
        let shared = Arc::new(Shared::new(self.exports, self.config).map_err(BindError::Replays)?);
        Ok(BoundServer { shared, listener: Arc::new(listener), address, metrics })
    }
}

fn listen_for_metrics(address: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    if !address.ip().to_canonical().is_loopback() {
        return Err(BindError::MetricsNotLoopback(address));
    }
    let failed = |error| BindError::Listen { address, error };
    let listener = TcpListener::bind(address).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// A server that listens.
pub struct BoundServer {
    shared: Arc<Shared>,
    listener: Arc<TcpListener>,
    address: SocketAddr,
    metrics: Option<(TcpListener, SocketAddr)>,
}

impl fmt::Debug for BoundServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl BoundServer {
    /// The address with the actual port.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Where metrics are served, with the actual port.
    #[must_use]
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(|(_, address)| *address)
    }

    /// Ends [`run`](Self::run) from another thread.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle { shared: Arc::clone(&self.shared), listener: Arc::downgrade(&self.listener) }
    }

    /// Serves until it is stopped, then lets the calls end that are being served.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run(mut self) -> Result<(), RunError> {
        let page = self.metrics.take().map(|(listener, _)| self.serve_metrics(listener));
        let shared = Arc::clone(&self.shared);
        let watching =
            thread::Builder::new().name("watch".into()).spawn(move || crew::watch(&shared));
        let accepted = accept::accept(&self.shared, &self.listener);
        // New clients are refused from here on.
        drop(self.listener);
        self.shared.drain();
        self.shared.crew.close();
        if let Some((listener, thread)) = page.and_then(Result::ok) {
            // Wakes the thread that waits in accept.
            if shutdown(&*listener, Shutdown::Read).is_ok() {
                drop(thread.join());
            }
        }
        match watching {
            Ok(watching) => drop(watching.join()),
            Err(error) => warn!("slow calls held up others: cannot start a thread: {error}"),
        }
        accepted
    }

    fn serve_metrics(
        &self,
        listener: TcpListener,
    ) -> io::Result<(Arc<TcpListener>, JoinHandle<()>)> {
        let listener = Arc::new(listener);
        let (theirs, shared) = (Arc::clone(&listener), Arc::clone(&self.shared));
        let serve = move || http::serve(&theirs, &shared);
        let spawned = thread::Builder::new().name("metrics".into()).spawn(serve);
        let thread = spawned
            .inspect_err(|error| warn!("metrics are not served: cannot start a thread: {error}"))?;
        Ok((listener, thread))
    }
}

/// Ends a server: see [`BoundServer::stop_handle`].
#[derive(Clone)]
pub struct StopHandle {
    shared: Arc<Shared>,
    listener: Weak<TcpListener>,
}

impl fmt::Debug for StopHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopHandle").finish_non_exhaustive()
    }
}

impl StopHandle {
    /// Makes [`BoundServer::run`] accept no further connection, answer the calls it has begun, and return. Returns
    /// at once; calling it again does nothing.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread that waits in accept.
        let Some(listener) = self.listener.upgrade() else { return };
        if let Err(error) = shutdown(&listener, Shutdown::Read) {
            debug!("the listening socket is already down: {error}");
        }
    }
}

struct Shared {
    config: Config,
    service: Service,
    limits: connection::Limits,
    crew: Crew,
    stopping: AtomicBool,
    /// Whether the log says that the kernel copies what it was to send without a copy.
    told_of_copies: AtomicBool,
    table: Table,
}

impl Shared {
    fn new(exports: Exports, config: Config) -> Result<Self, NoMemory> {
        let replays = match config.replay_calls {
            0 => None,
            calls => Some(Replays::new(calls, config.replay_bytes)?),
        };
        let metrics = config.metrics.map(|_| Metrics::default());
        let service = Service::new(exports, config.max_record, replays, metrics);
        let limits = connection::Limits {
            record: RecordLimits {
                max_record: config.max_record,
                max_fragments: config.max_fragments,
            },
            copy_break: config.copy_break,
            idle: config.idle,
            send_timeout: config.send_timeout,
            keep_alive: config.keep_alive,
        };
        let crew = Crew::new(config.threads);
        let table = Table::new(config.max_connections);
        Ok(Self {
            config,
            service,
            limits,
            crew,
            stopping: AtomicBool::new(false),
            told_of_copies: AtomicBool::new(false),
            table,
        })
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Lets connections end, and cuts those that do not.
    fn drain(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.table.shut_all(std::net::Shutdown::Read);
        if !self.table.wait(self.config.drain) {
            self.table.shut_all(std::net::Shutdown::Both);
            if !self.table.wait(CUT_TIME) {
                warn!("some calls are still being served; their clients get no reply");
            }
        }
    }
}
