//! One TCP connection to an RPC server: several calls in flight, replies in any order.
//!
//! A [`Job`] says what to call next and takes the replies; [`Connection::drive`] does the sending and receiving. Calls
//! that are ready together leave in one `sendmsg`, payloads from where they lie. The payload of a reply is received
//! straight into the memory that the job gives, but for the bytes that came along with the reply's header.

use core::hash::{BuildHasher, Hasher};
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::hash_map::RandomState;
use std::io::{IoSlice, IoSliceMut};
use std::net::{TcpStream, ToSocketAddrs};

use nfswire_rpc::{
    Arriving, CallHeader, OpaqueAuth, Procedure, Record, RecordBuffer, RecordLimits, RecordMark,
    ReplyHeader, Want, parse_reply,
};
use nfswire_xdr::{Cursor, Encode, EncodeError, Encoder, Limits, Position, Segments};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags, recvmsg, sendmsg,
};
use socket2::{Domain, Protocol, Socket, Type};

use super::{Error, Identity, Result};

/// What replies may look like: servers that do not zero their pads are forgiven.
const LIMITS: &Limits = &Limits::LENIENT;
/// A batch of calls is sent when it has this many bytes.
const BATCH: u64 = 64 << 10;
/// A reply whose payload has no place when this many bytes are here will not get one.
const HEAD: usize = 512;
/// Pieces of memory that one send takes at most.
const PIECES: usize = 64;

/// How a connection is made.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who calls.
    pub identity: Identity,
    /// How long the server may send nothing while calls wait.
    pub timeout: Duration,
    /// Most calls in flight.
    pub depth: usize,
    /// Largest READ and WRITE, in bytes; the server may want smaller ones.
    pub transfer: u32,
    /// Congestion control of the sockets, for example `reno`; `None` is the system's.
    pub congestion: Option<String>,
    /// Size of the sockets' buffers, in bytes; `None` is the system's.
    pub socket_buffer: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            identity: Identity::of_process(),
            timeout: Duration::from_secs(60),
            depth: 8,
            transfer: 1 << 20,
            congestion: None,
            socket_buffer: None,
        }
    }
}

/// What is called on a connection, and what becomes of the replies. `'p` is the life of payloads that are sent.
pub trait Job<'p> {
    /// Encodes the next call with [`Outgoing::put`] and returns a tag by which the job knows its reply; `None` when
    /// there is nothing to call now. The job is done when nothing is in flight either.
    ///
    /// # Errors
    /// Ends the job; calls in flight are forgotten.
    fn next_call(&mut self, out: &mut Outgoing<'_, '_, 'p>) -> Result<Option<u32>>;

    /// Most bytes to receive in advance of what is needed; a job that expects large payloads keeps it small, since
    /// what comes in advance is copied.
    fn read_ahead(&self) -> usize {
        usize::MAX
    }

    /// Looks at results of which only the head has come, to receive the payload where it belongs. `None` waits for
    /// the whole reply.
    ///
    /// # Errors
    /// Ends the job.
    fn place(&mut self, tag: u32, results: &mut Cursor<'_>) -> Result<Option<Place>> {
        let _: (u32, &mut Cursor<'_>) = (tag, results);
        Ok(None)
    }

    /// Memory for the payload that [`place`](Self::place) found: at least as long as it said.
    fn destination(&mut self, tag: u32) -> &mut [u8] {
        let _: u32 = tag;
        &mut []
    }

    /// Takes the results of a call. A payload decodes as [`Elsewhere`](nfswire_xdr::Payload::Elsewhere) if it lies in
    /// [`destination`](Self::destination) already.
    ///
    /// # Errors
    /// Ends the job.
    fn reply(&mut self, tag: u32, results: &mut Cursor<'_>) -> Result<()>;
}

/// Where a payload is in its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Offset of its first byte.
    pub at: u32,
    /// Length in bytes.
    pub len: u32,
}

/// A call in the making.
#[derive(Debug)]
pub struct Outgoing<'e, 'h, 'p> {
    encoder: &'e mut Encoder<'h, 'p>,
    credential: OpaqueAuth<'e>,
    xid: u32,
    procedure: &'static str,
}

impl<'p> Outgoing<'_, '_, 'p> {
    /// Encodes a call of `P`.
    ///
    /// # Errors
    /// The arguments cannot be encoded.
    pub fn put<P: Procedure>(&mut self, args: &impl Encode<'p>) -> Result<()> {
        self.procedure = P::NAME;
        let header = CallHeader::new::<P>(self.xid, self.credential);
        self.encoder
            .attempt(|e| {
                let mark = RecordMark::reserve(e)?;
                e.put(&header)?;
                e.put(args)?;
                mark.close(e)
            })
            .map(drop)
            .map_err(|error| Error::Encode { procedure: P::NAME, error })
    }
}

#[derive(Debug)]
struct Waiting {
    xid: u32,
    tag: u32,
    procedure: &'static str,
}

/// A payload on its way to its destination.
#[derive(Debug)]
struct Placing {
    tag: u32,
    done: usize,
    len: usize,
}

/// Calls that leave together.
struct Batch<'p> {
    head: Vec<u8>,
    segments: Segments<'p>,
    at: Position,
    /// Nothing of it is left to be sent.
    sent: bool,
}

/// A connection to a server.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    buffer: RecordBuffer,
    identity: Identity,
    timeout: Duration,
    next_xid: u32,
    waiting: Vec<Waiting>,
    placing: Option<Placing>,
    head: Vec<u8>,
    dropped: u64,
    broken: bool,
}

impl Connection {
    /// Connects to the first address of the host that answers.
    ///
    /// # Errors
    /// [`Error::Connect`] with what the last address said.
    pub fn connect(host: &str, port: u16, options: &Options) -> Result<Self> {
        let server =
            if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let failed = |source| Error::Connect { server: server.clone(), source };
        let mut last = std::io::Error::new(std::io::ErrorKind::NotFound, "the host has no address");
        for address in (host, port).to_socket_addrs().map_err(failed)? {
            match open(address, options) {
                Ok(stream) => return Ok(Self::new(stream, options)),
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }

    fn new(stream: TcpStream, options: &Options) -> Self {
        Self {
            stream,
            buffer: RecordBuffer::new(RecordLimits::DEFAULT),
            identity: options.identity.clone(),
            timeout: options.timeout,
            next_xid: random_xid(),
            waiting: Vec::new(),
            placing: None,
            head: Vec::new(),
            dropped: 0,
            broken: false,
        }
    }

    /// Gives the next call this number, and those behind it the ones that follow.
    pub(super) const fn number_from(&mut self, xid: u32) {
        self.next_xid = xid;
    }

    /// Whether the server was reached over IPv6.
    pub(super) fn is_ipv6(&self) -> bool {
        self.stream.peer_addr().is_ok_and(|peer| peer.is_ipv6())
    }

    /// Messages that were dropped because no call waited for them.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Changes how long the server may send nothing while calls wait.
    ///
    /// # Errors
    /// The system refused; zero is no time.
    pub fn set_timeout(&mut self, timeout: Duration) -> Result<()> {
        self.stream
            .set_read_timeout(Some(timeout))
            .map_err(|source| Error::Connection { waiting: 0, source })?;
        self.timeout = timeout;
        Ok(())
    }

    /// Size of the receive buffer, in bytes: payloads that were received to their destination took none of it.
    #[must_use]
    pub const fn buffer_size(&self) -> usize {
        self.buffer.capacity()
    }

    /// Calls one procedure and waits for its results.
    ///
    /// # Errors
    /// The call failed, or `then` did.
    pub fn call<'p, P, R>(
        &mut self,
        args: &P::Args<'p>,
        then: impl FnOnce(P::Reply<'_>) -> Result<R>,
    ) -> Result<R>
    where
        P: Procedure,
    {
        let procedure = core::marker::PhantomData::<fn() -> P>;
        let mut job = Single { args: Some(args), then: Some(then), result: None, procedure };
        self.drive(&mut job, 1)?;
        job.result.ok_or(Error::Broken)
    }

    /// Does a job with at most `depth` calls in flight.
    ///
    /// # Errors
    /// The job's own, after which the connection can be used again if no call was cut in two, or a failure of the
    /// connection.
    pub fn drive<'p>(&mut self, job: &mut dyn Job<'p>, depth: usize) -> Result<()> {
        if self.broken {
            return Err(Error::Broken);
        }
        let head = core::mem::take(&mut self.head);
        let mut batch = Batch { head, segments: Segments::new(), at: Position::START, sent: true };
        // Until it is known better: an early return in the middle of a message leaves no boundary.
        self.broken = true;
        let result = self.run(job, depth.max(1), &mut batch);
        let cut = !batch.sent && batch.at != Position::START;
        self.broken = match &result {
            Ok(()) => false,
            Err(
                Error::Connection { .. }
                | Error::Closed { .. }
                | Error::TimedOut { .. }
                | Error::Record(_)
                | Error::Reply(_)
                | Error::Broken,
            ) => true,
            Err(_) => cut,
        };
        // Replies to forgotten calls are dropped when they come.
        self.waiting.clear();
        self.placing = None;
        self.head = batch.head;
        result
    }

    fn run<'p>(
        &mut self,
        job: &mut dyn Job<'p>,
        depth: usize,
        batch: &mut Batch<'p>,
    ) -> Result<()> {
        loop {
            if batch.sent {
                self.fill(job, depth, batch)?;
            }
            let flags = if batch.sent || self.send(batch)? {
                RecvFlags::empty()
            } else {
                self.wait()?;
                RecvFlags::DONTWAIT
            };
            if batch.sent && self.waiting.is_empty() {
                return Ok(());
            }
            self.receive(job, flags)?;
            self.deliver(job)?;
        }
    }

    /// Encodes as many calls as may be in flight.
    fn fill<'p>(
        &mut self,
        job: &mut dyn Job<'p>,
        depth: usize,
        batch: &mut Batch<'p>,
    ) -> Result<()> {
        let mut e = Encoder::growable(&mut batch.head, &mut batch.segments);
        while self.waiting.len() < depth && e.len() < BATCH {
            let xid = self.next_xid;
            let credential = self.identity.credential();
            let mut out = Outgoing { encoder: &mut e, credential, xid, procedure: "" };
            let Some(tag) = job.next_call(&mut out)? else { break };
            let procedure = out.procedure;
            self.next_xid = self.next_xid.wrapping_add(1);
            self.waiting.push(Waiting { xid, tag, procedure });
        }
        batch.sent = e.finish() == 0;
        batch.at = Position::START;
        Ok(())
    }

    /// Sends what the socket takes now; whether that was all.
    fn send(&self, batch: &mut Batch<'_>) -> Result<bool> {
        let message = batch.segments.view(&batch.head[..]);
        while !message.is_end(batch.at) {
            let mut pieces = [IoSlice::new(&[]); PIECES];
            let used = message.io_slices(batch.at, &mut pieces);
            let pieces = pieces.get(..used).filter(|pieces| !pieces.is_empty());
            let pieces =
                pieces.ok_or(Error::Encode { procedure: "", error: EncodeError::NotHere })?;
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match sendmsg(&self.stream, pieces, &mut SendAncillaryBuffer::default(), flags) {
                Ok(n) => batch.at = message.advance(batch.at, n),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(false),
                Err(error) => return Err(self.failed(error)),
            }
        }
        batch.sent = true;
        Ok(true)
    }

    /// Waits until bytes can be received or sent.
    fn wait(&self) -> Result<()> {
        let timeout = Timespec::try_from(self.timeout).ok();
        loop {
            let mut fds = [PollFd::new(&self.stream, PollFlags::IN | PollFlags::OUT)];
            match poll(&mut fds, timeout.as_ref()) {
                Ok(0) => return Err(self.timed_out()),
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    /// Receives once: the rest of a payload to its destination, what follows it to the buffer.
    fn receive(&mut self, job: &mut dyn Job<'_>, flags: RecvFlags) -> Result<()> {
        let ahead = if self.is_head_next() { job.read_ahead() } else { usize::MAX };
        let direct = match &self.placing {
            Some(p) => job.destination(p.tag).get_mut(p.done..p.len).unwrap_or_default(),
            None => &mut [],
        };
        let direct_len = direct.len();
        let spare = self.buffer.spare();
        let ahead = ahead.min(spare.len());
        let spare = spare.get_mut(..ahead).unwrap_or_default();
        if direct_len == 0 && spare.is_empty() {
            // No memory: the buffer says so.
            self.buffer.next_record()?;
            return Err(Error::Broken);
        }
        let mut both = [IoSliceMut::new(direct), IoSliceMut::new(spare)];
        let pieces = if direct_len == 0 { both.get_mut(1..) } else { Some(&mut both[..]) };
        let pieces = pieces.unwrap_or_default();
        let n = match recvmsg(&self.stream, pieces, &mut RecvAncillaryBuffer::default(), flags) {
            Ok(received) => received.bytes,
            Err(Errno::INTR) => return Ok(()),
            Err(Errno::AGAIN) if flags.contains(RecvFlags::DONTWAIT) => return Ok(()),
            Err(Errno::AGAIN) => return Err(self.timed_out()),
            Err(error) => return Err(self.failed(error)),
        };
        if n == 0 {
            return Err(self.closed());
        }
        let taken = n.min(direct_len);
        if let Some(p) = self.placing.as_mut()
            && taken > 0
        {
            self.buffer.take(u32::try_from(taken).unwrap_or(u32::MAX))?;
            p.done = p.done.saturating_add(taken);
            if p.done == p.len {
                self.placing = None;
            }
        }
        self.buffer.filled(n.saturating_sub(taken))?;
        Ok(())
    }

    /// Whether the head of a message comes next, or right behind what has a place already.
    fn is_head_next(&self) -> bool {
        let head_only = |a: Arriving<'_>| a.at_hand.len() < HEAD;
        self.placing.is_some()
            || matches!(self.buffer.want(), Want::Header(_))
            || self.buffer.arriving().is_some_and(head_only)
    }

    /// Hands whole replies to the job, and finds a place for the payload of the one that is arriving.
    fn deliver(&mut self, job: &mut dyn Job<'_>) -> Result<()> {
        while let Some(record) = self.buffer.next()? {
            let mut results = cursor(&record);
            let header = match parse_reply(&mut results) {
                Ok(header) => header,
                // A call by the server: nothing here serves it.
                Err(nfswire_rpc::ReplyError::NotAReply { .. }) => {
                    self.dropped = self.dropped.saturating_add(1);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let Some(index) = self.waiting.iter().position(|w| w.xid == header.xid) else {
                self.dropped = self.dropped.saturating_add(1);
                continue;
            };
            let Waiting { tag, procedure, .. } = self.waiting.swap_remove(index);
            check(&header, procedure)?;
            job.reply(tag, &mut results)?;
        }
        if self.placing.is_some() {
            return Ok(());
        }
        let Some(arriving) = self.buffer.arriving() else { return Ok(()) };
        let mut results = Cursor::head(arriving.at_hand, arriving.record_len, LIMITS);
        // What is wrong with the header is told when the whole record is here.
        let Ok(header) = parse_reply(&mut results) else { return Ok(()) };
        let Some(waiting) = self.waiting.iter().find(|w| w.xid == header.xid) else {
            return Ok(());
        };
        if header.outcome().is_err() {
            return Ok(());
        }
        let tag = waiting.tag;
        let Some(place) = job.place(tag, &mut results)? else { return Ok(()) };
        let destination = job.destination(tag).get_mut(..place.len as usize).unwrap_or_default();
        let here = arriving.at_hand.get(place.at as usize..).unwrap_or_default();
        let (len, done) = (destination.len(), here.len().min(destination.len()));
        if done < len
            && let (Some(to), Some(from)) = (destination.get_mut(..done), here.get(..done))
        {
            to.copy_from_slice(from);
            self.placing = Some(Placing { tag, done, len });
        }
        Ok(())
    }

    fn failed(&self, error: Errno) -> Error {
        match error {
            Errno::PIPE | Errno::CONNRESET => self.closed(),
            _ => Error::Connection { waiting: self.waiting.len(), source: error.into() },
        }
    }

    fn closed(&self) -> Error {
        Error::Closed { waiting: self.waiting.len(), inside: !self.buffer.is_at_boundary() }
    }

    fn timed_out(&self) -> Error {
        Error::TimedOut { waiting: self.waiting.len(), after: self.timeout }
    }
}

/// A number to begin with: servers take a repeated one for a retransmission.
pub(super) fn random_xid() -> u32 {
    u32::try_from(RandomState::new().build_hasher().finish() >> 32).unwrap_or(0)
}

fn open(address: SocketAddr, options: &Options) -> std::io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if let Some(name) = &options.congestion {
        socket.set_tcp_congestion(name.as_bytes())?;
    }
    if let Some(bytes) = options.socket_buffer {
        socket.set_recv_buffer_size(bytes)?;
        socket.set_send_buffer_size(bytes)?;
    }
    socket.set_tcp_nodelay(true)?;
    socket.connect_timeout(&address.into(), options.timeout)?;
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(options.timeout))?;
    Ok(stream)
}

/// Reads a record of which a payload may lie elsewhere. The pad behind such a payload is not looked at.
fn cursor<'b>(record: &Record<'b>) -> Cursor<'b> {
    match record.taken {
        None => Cursor::with(record.bytes, LIMITS),
        Some(taken) => {
            let here = record.bytes.get(..taken.at as usize).unwrap_or_default();
            let len = u32::try_from(record.bytes.len()).unwrap_or(u32::MAX);
            Cursor::head(here, len.saturating_add(taken.len), LIMITS)
        }
    }
}

fn check(header: &ReplyHeader<'_>, procedure: &'static str) -> Result<()> {
    header.outcome().map(drop).map_err(|failure| Error::Call { procedure, failure })
}

/// Decodes the results of `P`.
///
/// # Errors
/// They are malformed.
pub fn results<'a, P: Procedure>(c: &mut Cursor<'a>) -> Result<P::Reply<'a>> {
    c.decode().map_err(|error| Error::Results { procedure: P::NAME, error })
}

/// A job of one call.
struct Single<'x, A, F, R, P> {
    args: Option<&'x A>,
    then: Option<F>,
    result: Option<R>,
    procedure: core::marker::PhantomData<fn() -> P>,
}

impl<'p, A, F, R, P> Job<'p> for Single<'_, A, F, R, P>
where
    A: Encode<'p>,
    F: FnOnce(P::Reply<'_>) -> Result<R>,
    P: Procedure,
{
    fn next_call(&mut self, out: &mut Outgoing<'_, '_, 'p>) -> Result<Option<u32>> {
        let Some(args) = self.args.take() else { return Ok(None) };
        out.put::<P>(args)?;
        Ok(Some(0))
    }

    fn reply(&mut self, _tag: u32, c: &mut Cursor<'_>) -> Result<()> {
        let reply = results::<P>(c)?;
        if let Some(then) = self.then.take() {
            self.result = Some(then(reply)?);
        }
        Ok(())
    }
}
