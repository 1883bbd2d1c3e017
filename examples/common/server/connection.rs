//! One connection: receive, serve all that has come, send the replies together.

use alloc::sync::Arc;
use core::mem;
use core::net::SocketAddr;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use nfswire_rpc::{RecordBuffer, RecordError, RecordLimits};
use nfswire_xdr::{Encoder, Message, Segments};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::{
    Timeout, set_socket_keepalive, set_socket_timeout, set_tcp_keepidle, set_tcp_keepintvl,
    set_tcp_user_timeout,
};
use thiserror::Error;
use tracing::debug;

use super::Shared;
use super::crew::Job;
use super::held::Share;
use super::reply::{Batch, Pages, Tally};
use super::send::{SendError, Socket, send};
use super::service::{Kind, Origin, Service, Then};
use super::table::Activity;
use super::writes::Writes;
use super::zerocopy::{self, Large, Sender, Worth, ZeroCopy};
use crate::fs::MAX_TRANSFER;
use crate::told::{FAULTS, tell};

/// Most replies that leave together.
const MAX_CALLS: usize = 64;
/// With this many bytes of replies a batch is sent, whatever else has come.
const MAX_BYTES: u64 = 128 << 10;
/// A reply waits at most this long for those behind it, and one call more.
const MAX_WAIT: Duration = Duration::from_millis(1);
/// Memory for file data that a connection gets when it reads: room for several small READs in one batch.
const PAGES: usize = 64 << 10;
/// Stack that a thread comes to use.
const STACK_USED: u64 = 64 << 10;
/// Memory of a head that an idle connection keeps.
const IDLE_HEAD: usize = 4 << 10;
/// Calls up to this length are copied out of the receive buffer, so that another thread can go on with it.
const SMALL_CALL: usize = 4 << 10;

/// Limits of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) record: RecordLimits,
    pub(super) copy_break: u32,
    /// After this long without a byte from the client its memory is given back.
    pub(super) idle: Duration,
    /// After this long without room for a byte to the client, or without a further byte of a record that has begun, the
    /// connection is closed.
    pub(super) send_timeout: Duration,
    /// After this long without a byte from the client its system is asked whether it is there.
    pub(super) keep_alive: Duration,
}

/// Bytes that a thread holds at most: its largest record, twice if it came in odd pieces, the replies of a batch, and
/// data of small READs, and of large ones until the kernel has sent them.
pub(super) fn memory(max_record: u32, copy_break: u32, zero_copy: ZeroCopy) -> u64 {
    let received = u64::from(max_record).saturating_mul(2);
    let room = RecordBuffer::FIRST_ROOM as u64;
    received.saturating_add(room).saturating_add(memory_of_sending(copy_break, zero_copy))
}

/// Those of a thread that only sends.
pub(super) fn memory_of_sending(copy_break: u32, zero_copy: ZeroCopy) -> u64 {
    let held = if zero_copy == ZeroCopy::Off { 0 } else { zerocopy::MOST_HELD as u64 };
    let pages = u64::from(copy_break).max(PAGES as u64);
    // The batch ends with the reply that reaches its limit.
    let replies = MAX_BYTES.saturating_add(MAX_TRANSFER.into());
    replies.saturating_add(pages).saturating_add(held).saturating_add(STACK_USED)
}

/// Why a connection ended, other than by the client's wish.
#[derive(Debug, Error)]
pub(super) enum End {
    #[error("cannot receive: {0}")]
    Receive(io::Error),
    #[error("the client closed the connection in the middle of a record")]
    Cut,
    #[error("the client sent a part of a record, and then nothing for {} s", .0.as_secs())]
    Stalled(Duration),
    #[error(transparent)]
    Record(RecordError),
    #[error("a message is neither call nor reply, or cut off: the peer does not speak RPC")]
    NotRpc,
    #[error(transparent)]
    Send(SendError),
}

/// What has been received and not served. Whoever has it is the one thread that receives.
#[derive(Debug)]
pub(super) struct Inbox {
    buffer: RecordBuffer,
}

/// Where replies leave.
#[derive(Debug, Default)]
struct Outgoing {
    /// A reply was cut short: nothing can follow it.
    cut: bool,
    sender: Sender,
}

/// A connection; it is closed, and leaves the list, when no thread works for it any more.
pub(super) struct Connection {
    shared: Arc<Shared>,
    stream: Arc<TcpStream>,
    origin: Origin,
    /// The client has ended its side of the connection, and not in the middle of a record.
    was_ended: AtomicBool,
    /// This side has ended it.
    was_shut: AtomicBool,
    /// How often something came behind the end of a record; written by whoever has the inbox.
    came: AtomicU64,
    /// What `came` was when the last record that is whole began to come.
    came_whole: Arc<AtomicU64>,
    /// Odd while the thread that receives serves a call; written by whoever has the inbox.
    beat: Arc<AtomicU64>,
    /// The inbox while a call is being served, for another thread to take.
    parked: Mutex<Option<Box<Inbox>>>,
    /// Held while replies are sent. Behind the stream, which is closed before the payloads are dropped.
    sending: Mutex<Outgoing>,
    /// Whether large payloads are sent from this process's memory.
    without_copy: AtomicBool,
    writes: Writes,
    activity: Arc<Activity>,
}

impl Connection {
    pub(super) fn new(shared: Arc<Shared>, stream: Arc<TcpStream>, origin: Origin) -> Self {
        let came_whole = Arc::default();
        if let Some(replays) = &shared.service.replays {
            replays.opened(origin.connection, &stream, &came_whole);
        }
        Self {
            shared,
            stream,
            origin,
            was_ended: AtomicBool::new(false),
            was_shut: AtomicBool::new(false),
            came: AtomicU64::new(0),
            came_whole,
            beat: Arc::default(),
            parked: Mutex::default(),
            sending: Mutex::default(),
            without_copy: AtomicBool::new(false),
            writes: Writes::default(),
            activity: Arc::new(Activity::new()),
        }
    }

    pub(super) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(super) const fn beat(&self) -> &Arc<AtomicU64> {
        &self.beat
    }

    pub(super) const fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    pub(super) const fn peer(&self) -> SocketAddr {
        self.origin.peer
    }

    pub(super) fn set_up(&self) -> io::Result<()> {
        set_up(&self.stream, &self.shared.limits)?;
        if self.shared.config.zero_copy.is_for(self.peer().ip()) {
            match nfswire_sys::allow_zero_copy(&*self.stream) {
                Ok(()) => self.without_copy.store(true, Ordering::Relaxed),
                Err(error) => debug!("the kernel does not send without a copy: {error}"),
            }
        }
        Ok(())
    }

    /// The job of receiving from the start.
    pub(super) fn job(self: Arc<Self>) -> Job {
        let buffer = RecordBuffer::new(self.shared.limits.record);
        Job { connection: self, inbox: Box::new(Inbox { buffer }) }
    }

    fn parked(&self) -> MutexGuard<'_, Option<Box<Inbox>>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) {
        let beat = self.beat.load(Ordering::Relaxed).wrapping_add(1);
        self.beat.store(beat, Ordering::SeqCst);
    }

    /// Leaves the inbox where the watcher can find it.
    fn park(&self, inbox: Box<Inbox>) {
        let mut parked = self.parked();
        self.count();
        *parked = Some(inbox);
        drop(parked);
        self.shared.crew.stir();
    }

    /// Takes the inbox back, unless another thread has it now.
    fn unpark(&self) -> Option<Box<Inbox>> {
        let inbox = self.parked().take()?;
        self.count();
        Some(inbox)
    }

    /// Has another thread receive; the inbox comes back if there is none.
    fn hand_over(self: &Arc<Self>, inbox: Box<Inbox>) -> Option<Box<Inbox>> {
        let crew = &self.shared.crew;
        if !crew.admit(&self.activity.helpers) {
            return Some(inbox);
        }
        match crew.start(Job { connection: Arc::clone(self), inbox }) {
            Ok(()) => None,
            Err((job, error)) => {
                crew.dismiss(&self.activity.helpers, false);
                debug!("cannot start a thread: {error}");
                job.map(|job| job.inbox)
            }
        }
    }

    /// Has another thread receive if this call is still being served and something has come meanwhile.
    pub(super) fn relieve(self: &Arc<Self>, beat: u64) {
        let mut parked = self.parked();
        if self.beat.load(Ordering::SeqCst) != beat {
            return;
        }
        let Some(inbox) = parked.take() else { return };
        if inbox.buffer.is_at_boundary() && !self.is_readable() {
            *parked = Some(inbox);
            return;
        }
        // Before another thread counts.
        self.count();
        if let Some(inbox) = self.hand_over(inbox) {
            self.beat.store(beat, Ordering::SeqCst);
            *parked = Some(inbox);
        }
    }

    fn is_readable(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut fds = [PollFd::new(&*self.stream, PollFlags::IN)];
        // What the kernel tells of sends counts as ready, too.
        let readable = PollFlags::IN | PollFlags::HUP;
        poll(&mut fds, Some(&now)).is_ok() && fds.iter().any(|fd| fd.revents().intersects(readable))
    }

    fn send(
        &self,
        message: &Message<'_, '_>,
        files: &[Arc<OwnedFd>],
        large: &Large,
        mut tally: Tally,
    ) -> Result<(), End> {
        let mut out = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        if out.cut {
            // Reported by whoever cut it.
            return Ok(());
        }
        // What waits to be received was sent by a client that had not got these replies.
        let waiting = !tally.kept.is_empty() && self.is_readable();
        let came = self.came.load(Ordering::Relaxed).saturating_add(waiting.into());
        let without_copy = Some((&mut out.sender, self.worth()));
        let mut socket = Socket::new(self.stream.as_fd(), without_copy);
        self.activity.begin_to_send();
        let sent = send(&mut socket, message, files, large);
        self.activity.end_to_send();
        let sends = socket.sends;
        let copied = sent.map_err(|error| {
            out.cut = true;
            // First, so that a client that comes back at once is answered.
            remember_faulty(&self.shared.service, self.peer(), files, &error);
            self.shut();
            End::Send(error)
        })?;
        drop(out);
        if let (Some(replays), false) = (&self.shared.service.replays, tally.kept.is_empty()) {
            replays.sent(self.origin.connection, &tally.kept, came);
        }
        if let Some(metrics) = &self.shared.service.metrics {
            metrics.sent(message, tally.replies, sends, &tally.notes);
            tally.copied.send = copied;
            metrics.copied(tally.copied);
        }
        Ok(())
    }

    fn is_cut(&self) -> bool {
        self.sending.lock().unwrap_or_else(PoisonError::into_inner).cut
    }

    /// Whether the client has ended the connection in order, and its system, or a proxy's, has acknowledged every byte. The
    /// last replies may not have been read all the same: not every system then resets the connection as Linux does.
    fn ended_in_order(&self) -> bool {
        let is_whole = || matches!(self.stream.take_error(), Ok(None));
        self.was_ended.load(Ordering::Relaxed)
            && nfswire_sys::unacknowledged(&*self.stream).is_ok_and(|bytes| bytes == 0)
            && is_whole()
    }

    fn worth(&self) -> Worth<'_> {
        Worth { here: &self.without_copy, told: &self.shared.told_of_copies }
    }

    /// Ends the connection for all of its threads.
    fn shut(&self) {
        self.was_shut.store(true, Ordering::Relaxed);
        if let Err(error) = self.stream.shutdown(std::net::Shutdown::Both) {
            debug!("a connection is already down: {error}");
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        debug!(peer = %self.peer(), "disconnected");
        let worth = Worth { here: &self.without_copy, told: &self.shared.told_of_copies };
        let out = self.sending.get_mut().unwrap_or_else(PoisonError::into_inner);
        // That may take some time, but nobody is refused for it: memory and place are free once this has given way.
        self.activity.end();
        out.sender.finish(&self.stream, worth, || self.activity.gave_way());
        let was_cut = out.cut;
        if let Some(replays) = &self.shared.service.replays {
            replays.closed(self.origin.connection, !was_cut && self.ended_in_order());
        }
        self.shared.table.remove(self.origin.connection);
    }
}

/// A call, where no other thread touches it.
#[derive(Default)]
struct Call {
    small: Vec<u8>,
    /// The receive buffer in which a large one came, if nothing else was in it.
    large: Option<RecordBuffer>,
    /// Bytes that were copied.
    copied: u64,
}

impl Call {
    /// The next call that has come whole.
    fn take(&mut self, inbox: &mut Inbox) -> Result<Option<Kind>, RecordError> {
        // A buffer that has grown is used again.
        if let Some(large) = self.large.take().filter(|_| inbox.buffer.capacity() == 0) {
            inbox.buffer = large;
        }
        let Some(record) = inbox.buffer.next_record()? else { return Ok(None) };
        let (kind, len) = (Kind::of(record), record.len());
        if len > SMALL_CALL && inbox.buffer.is_at_boundary() {
            let fresh = RecordBuffer::new(inbox.buffer.limits());
            self.large = Some(mem::replace(&mut inbox.buffer, fresh));
        } else {
            self.small.clear();
            let no_memory = |_| RecordError::NoMemory { bytes: len };
            self.small.try_reserve(len).map_err(no_memory)?;
            self.small.extend_from_slice(inbox.buffer.last_record());
            self.copied = self.copied.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
        }
        Ok(Some(kind))
    }

    fn bytes(&self) -> &[u8] {
        self.large.as_ref().map_or(&self.small, |large| large.last_record())
    }
}

/// Memory that lives as long as a thread works for the connection.
#[derive(Default)]
struct Memory {
    head: Vec<u8>,
    /// Files that the replies of the batch refer to.
    files: Vec<Arc<OwnedFd>>,
    large: Large,
    pages: Vec<u8>,
    call: Call,
    share: Share,
}

impl Memory {
    /// Has the page of metrics tell what this thread holds, beside the buffer that it receives into.
    fn note(&mut self, incoming: &RecordBuffer) {
        let call = self.call.large.as_ref().map_or(0, RecordBuffer::capacity);
        let received = call.saturating_add(incoming.capacity());
        self.share.note([received, self.head.capacity(), self.pages.capacity()]);
    }

    fn shrink(&mut self) {
        self.head.truncate(IDLE_HEAD);
        self.head.shrink_to_fit();
        self.files = Vec::new();
        self.large = Large::default();
        self.pages = Vec::new();
        self.call = Call::default();
    }
}

/// Receives and serves until the client closes the connection, the server stops, something is wrong, or another thread
/// receives.
pub(super) fn run(job: Job) {
    let Job { connection, inbox } = job;
    let driver =
        Driver { connection: &connection, inbox: Some(inbox), relieved: false, is_sending: false };
    if let Err(end) = driver.run() {
        let is_known =
            connection.activity.gave_way() || !matches!(end, End::Send(_)) && connection.is_cut();
        if !is_known {
            let told = &connection.shared.service.told;
            tell!(told, info, peer = %connection.peer(), "connection closed: {end}");
        }
    }
}

fn set_up(stream: &TcpStream, limits: &Limits) -> io::Result<()> {
    // Replies are whole when they are sent: waiting for more would only delay them.
    stream.set_nodelay(true)?;
    // A client that is gone without a word is noticed within some minutes.
    set_socket_keepalive(stream, true)?;
    // The system takes whole seconds from 1 to 32767.
    let second = Duration::from_secs(1);
    let keep_alive = limits.keep_alive.clamp(second, second.saturating_mul(32_767));
    set_tcp_keepidle(stream, keep_alive)?;
    let again = keep_alive.checked_div(4).unwrap_or(second);
    set_tcp_keepintvl(stream, again.max(second))?;
    set_socket_timeout(stream, Timeout::Recv, Some(limits.idle))?;
    set_socket_timeout(stream, Timeout::Send, Some(limits.send_timeout))?;
    // A send that was cut short by its timeout has sent something, and the next one waits anew; the system counts from
    // the last byte that the client took.
    let user_timeout = u32::try_from(limits.send_timeout.as_millis()).unwrap_or(u32::MAX);
    set_tcp_user_timeout(stream, user_timeout.max(1))?;
    Ok(())
}

/// A thread that works for a connection.
struct Driver<'c> {
    connection: &'c Arc<Connection>,
    /// `None` while it is parked, and for good when the thread was relieved.
    inbox: Option<Box<Inbox>>,
    relieved: bool,
    /// It was relieved, and the crew knows that it has served its call.
    is_sending: bool,
}

impl Driver<'_> {
    fn run(mut self) -> Result<(), End> {
        let connection = self.connection;
        let held = connection.shared.service.metrics.as_ref().map(|metrics| &metrics.held);
        let share = held.map(Share::new).unwrap_or_default();
        let mut memory = Memory { share, ..Memory::default() };
        loop {
            // First: another thread may have left calls.
            self.serve_received(&mut memory)?;
            let Some(inbox) = &mut self.inbox else { return Ok(()) };
            let is_to_end = connection.shared.is_stopping() || connection.activity.gave_way();
            if is_to_end && inbox.buffer.is_at_boundary() {
                return Ok(());
            }
            let begins = inbox.buffer.is_at_boundary();
            memory.note(&inbox.buffer);
            connection.activity.rest();
            let limits = &connection.shared.limits;
            let received = receive(&connection.stream, &mut inbox.buffer, &mut memory, limits)?;
            connection.activity.work();
            match received {
                Received::Bytes(received) => {
                    connection.came.fetch_add(begins.into(), Ordering::Relaxed);
                    if let Some(metrics) = &connection.shared.service.metrics {
                        metrics.received(received);
                    }
                }
                Received::End => {
                    // Unless it was this side that shut it.
                    let by_this_side = connection.activity.gave_way()
                        || connection.was_shut.load(Ordering::Relaxed)
                        || connection.shared.is_stopping();
                    connection.was_ended.store(!by_this_side, Ordering::Relaxed);
                    return Ok(());
                }
                Received::Reset => return Ok(()),
            }
        }
    }

    /// Serves the calls that have come whole, batch by batch, as long as this thread is the one to do so.
    fn serve_received(&mut self, memory: &mut Memory) -> Result<(), End> {
        let connection = self.connection;
        let (service, limits) = (&connection.shared.service, &connection.shared.limits);
        let Memory { head, files, large, pages, call, share } = memory;
        let mut next = None;
        loop {
            // What was put off is served whoever receives.
            if next.is_none() {
                let Some(inbox) = &mut self.inbox else { break };
                next = call.take(inbox).map_err(End::Record)?;
                let came = connection.came.load(Ordering::Relaxed);
                if next.is_some() {
                    connection.came_whole.store(came, Ordering::Relaxed);
                }
            }
            let Some(mut kind) = next.take() else { break };
            let mut segments = Segments::new();
            let encoder = Encoder::growable(head, &mut segments);
            large.clear(connection.without_copy.load(Ordering::Relaxed));
            let pages_held = pages.capacity();
            let pages_left = Pages::new(pages);
            let mut batch = Batch::new(
                encoder,
                files,
                pages_left,
                limits.copy_break,
                &service.faulty,
                &service.warm,
                large,
            );
            let mut calls = 0usize;
            // The clock is read only when there is a second call.
            let mut begun = None;
            let mut fault = None;
            let then = loop {
                let then = self.serve(call.bytes(), kind, &mut batch);
                if mem::take(&mut batch.is_put_off) {
                    // It has to wait for a disk: first those before it leave.
                    next = Some(kind);
                    break then;
                }
                calls = calls.saturating_add(1);
                let Some(inbox) = &mut self.inbox else { break then };
                if then == Then::Close || calls >= MAX_CALLS || batch.len() >= MAX_BYTES {
                    break then;
                }
                match call.take(inbox) {
                    Ok(Some(of_next)) => {
                        let late = begun.get_or_insert_with(Instant::now).elapsed() > MAX_WAIT;
                        if late || of_next.may_wait_after(kind) || batch.is_short_of_pages() {
                            next = Some(of_next);
                            break then;
                        }
                        kind = of_next;
                    }
                    Ok(None) => break then,
                    Err(error) => {
                        // What came before the fault is answered all the same.
                        fault = Some(error);
                        break then;
                    }
                }
            };
            let short_of_pages = batch.is_short_of_pages();
            let mut tally = batch.finish();
            tally.copied.call = mem::take(&mut call.copied);
            if self.relieved && next.is_none() {
                // Whoever receives now has such memory, too.
                *call = Call::default();
                share.note([0, head.capacity(), pages_held]);
                connection.shared.crew.begin_to_send(&connection.activity.helpers);
                self.is_sending = true;
            }
            connection.send(&segments.view(&*head), files, large, tally)?;
            drop(segments);
            files.clear();
            large.clear(false);
            if short_of_pages {
                let copy_break = usize::try_from(limits.copy_break).unwrap_or(usize::MAX);
                *pages = vec![0; copy_break.max(PAGES)];
            }
            if let Some(error) = fault {
                return Err(End::Record(error));
            }
            if then == Then::Close {
                if self.relieved {
                    connection.shut();
                }
                return Err(End::NotRpc);
            }
        }
        Ok(())
    }

    /// Serves a call, while another thread may come to receive.
    fn serve(&mut self, record: &[u8], kind: Kind, batch: &mut Batch<'_, '_>) -> Then {
        let connection = self.connection;
        let place = connection.writes.place(kind);
        if let Some(inbox) = self.inbox.take() {
            // What waits for a disk does not hold up the calls behind it.
            let hand_over = kind.syncs() && !inbox.buffer.is_at_boundary();
            match if hand_over { connection.hand_over(inbox) } else { Some(inbox) } {
                Some(inbox) => connection.park(inbox),
                None => self.relieved = true,
            }
        }
        if let Some(place) = &place {
            place.wait();
        }
        let then = connection.shared.service.call(connection.origin, record, batch);
        drop(place);
        if mem::take(&mut batch.is_of_use) {
            connection.activity.be_used();
        }
        if !self.relieved {
            self.inbox = connection.unpark();
            self.relieved = self.inbox.is_none();
        }
        then
    }
}

impl Drop for Driver<'_> {
    fn drop(&mut self) {
        if self.inbox.is_none() && !self.relieved {
            // A panic while a call was served.
            self.inbox = self.connection.unpark();
            self.relieved = self.inbox.is_none();
        }
        if self.relieved {
            self.connection.shared.crew.dismiss(&self.connection.activity.helpers, self.is_sending);
        }
        if thread::panicking() {
            self.connection.shut();
        }
    }
}

/// What came of receiving.
#[derive(Debug, PartialEq, Eq)]
enum Received {
    /// So many bytes, at least one.
    Bytes(usize),
    /// The client has ended the stream, behind a record.
    End,
    /// The client has broken the connection off, behind a record.
    Reset,
}

/// Receives what there is.
fn receive(
    mut stream: &TcpStream,
    incoming: &mut RecordBuffer,
    memory: &mut Memory,
    limits: &Limits,
) -> Result<Received, End> {
    let mut silence = Duration::ZERO;
    loop {
        let room = incoming.spare();
        if room.is_empty() {
            // There is no memory, which the buffer reports.
            incoming.next_record().map_err(End::Record)?;
            return Err(End::Cut);
        }
        match stream.read(room) {
            Ok(0) if incoming.is_at_boundary() => return Ok(Received::End),
            Ok(0) => return Err(End::Cut),
            Ok(received) => {
                incoming.filled(received).map_err(End::Record)?;
                return Ok(Received::Bytes(received));
            }
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::WouldBlock => {
                    memory.shrink();
                    incoming.shrink(RecordBuffer::FIRST_ROOM);
                    memory.note(incoming);
                    // What has come of a record cannot be given back otherwise.
                    silence = silence.saturating_add(limits.idle);
                    if silence >= limits.send_timeout && !incoming.is_at_boundary() {
                        return Err(End::Stalled(silence));
                    }
                }
                ErrorKind::ConnectionReset if incoming.is_at_boundary() => {
                    return Ok(Received::Reset);
                }
                _ => return Err(End::Receive(error)),
            },
        }
    }
}

/// Of a file that could not be read while it was being sent, the next READ is to be answered.
fn remember_faulty(service: &Service, peer: SocketAddr, files: &[Arc<OwnedFd>], error: &SendError) {
    let SendError::File { range, error } = error else { return };
    let file = usize::try_from(range.token).ok().and_then(|index| files.get(index));
    let inode = file.and_then(|file| service.faulty.remember(file)).unwrap_or(0);
    let (first, end) = (range.offset, range.offset.saturating_add(range.len.into()));
    tell!(FAULTS, error, %peer, inode, "cannot read a file between bytes {first} and {end}: {error}; check its disk");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::std_instead_of_core)]

    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_connection_that_falls_silent_gives_its_memory_back() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        set_socket_timeout(&server, Timeout::Recv, Some(Duration::from_millis(20))).unwrap();

        let limits = Limits {
            record: RecordLimits::DEFAULT,
            copy_break: 0,
            idle: Duration::from_millis(20),
            send_timeout: Duration::from_millis(600),
            keep_alive: Duration::from_secs(60),
        };
        let mut incoming = RecordBuffer::default();
        let mut memory =
            Memory { head: vec![1; 2 << 20], pages: vec![1; PAGES], ..Memory::default() };
        // A large record, then the first half of a mark.
        let sending = thread::spawn(move || {
            let mut stream = vec![0x80, 0x10, 0, 0];
            stream.resize((1 << 20) + 4, 7);
            stream.extend([0x80, 0]);
            client.write_all(&stream).unwrap();
            thread::sleep(Duration::from_millis(300));
            client.write_all(&[0, 1, 9]).unwrap();
            client
        });
        let mut received = 0;
        while received == 0 {
            let some = receive(&server, &mut incoming, &mut memory, &limits).unwrap();
            assert!(matches!(some, Received::Bytes(_)));
            while incoming.next_record().unwrap().is_some() {
                received += 1;
            }
        }
        assert!(incoming.capacity() >= 1 << 20);
        while incoming.next_record().unwrap().is_none() {
            let some = receive(&server, &mut incoming, &mut memory, &limits).unwrap();
            assert!(matches!(some, Received::Bytes(_)));
        }
        assert!(incoming.capacity() <= RecordBuffer::FIRST_ROOM);
        assert!(memory.head.capacity() <= IDLE_HEAD && memory.pages.capacity() == 0);
        drop(sending.join().unwrap());
    }
}
