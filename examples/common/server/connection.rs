//! One connection: receive, serve all that has come, send the replies together.

use alloc::sync::Arc;
use core::net::SocketAddr;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use nfswire_rpc::{RecordBuffer, RecordError, RecordLimits};
use nfswire_xdr::{Encoder, Segments};
use rustix::net::sockopt::{
    Timeout, set_socket_keepalive, set_socket_timeout, set_tcp_keepidle, set_tcp_keepintvl,
    set_tcp_user_timeout,
};
use thiserror::Error;
use tracing::error;

use super::reply::{Batch, Pages};
use super::send::{SendError, Socket, send};
use super::service::{Origin, Service, Then, is_slow};
use crate::fs::MAX_TRANSFER;

/// Most replies that leave together.
const MAX_CALLS: usize = 64;
/// With this many bytes of replies a batch is sent, whatever else has come.
const MAX_BYTES: u64 = 128 << 10;
/// A reply waits at most this long for those behind it, and one call more.
const MAX_WAIT: Duration = Duration::from_millis(1);
/// Memory for file data that a connection gets when it reads: room for several small READs in one batch.
const PAGES: usize = 64 << 10;
/// Silence after which the client's system is asked whether it is still there, and how often.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// Stack that a thread comes to use.
const STACK_USED: u64 = 64 << 10;
/// Memory of a head that an idle connection keeps.
const IDLE_HEAD: usize = 4 << 10;

/// Limits of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) record: RecordLimits,
    pub(super) copy_break: u32,
    /// After this long without a byte from the client its memory is given back.
    pub(super) idle: Duration,
    /// After this long without room for a byte to the client the connection is closed.
    pub(super) send_timeout: Duration,
}

/// Bytes that a connection holds at most: its largest record, the replies of a batch, and data of small READs.
pub(super) fn memory(max_record: u32, copy_break: u32) -> u64 {
    let pages = u64::from(copy_break).max(PAGES as u64);
    let received = u64::from(max_record).saturating_add(RecordBuffer::FIRST_ROOM as u64);
    // The batch ends with the reply that reaches its limit.
    let replies = MAX_BYTES.saturating_add(MAX_TRANSFER.into());
    received.saturating_add(replies).saturating_add(pages).saturating_add(STACK_USED)
}

/// Why a connection ended, other than by the client's wish.
#[derive(Debug, Error)]
pub(super) enum End {
    #[error("cannot set up the connection: {0}")]
    Setup(io::Error),
    #[error("cannot receive: {0}")]
    Receive(io::Error),
    #[error("the client closed the connection in the middle of a record")]
    Cut,
    #[error(transparent)]
    Record(RecordError),
    #[error("a message is neither call nor reply, or cut off: the peer does not speak RPC")]
    NotRpc,
    #[error(transparent)]
    Send(SendError),
}

/// Memory that lives as long as the connection.
#[derive(Default)]
struct Memory {
    head: Vec<u8>,
    /// Files that the replies of the batch refer to.
    files: Vec<Arc<OwnedFd>>,
    pages: Vec<u8>,
}

impl Memory {
    fn shrink(&mut self) {
        self.head.truncate(IDLE_HEAD);
        self.head.shrink_to_fit();
        self.files = Vec::new();
        self.pages = Vec::new();
    }
}

/// Serves a connection until the client closes it, the server stops, or something is wrong.
pub(super) fn serve(
    service: &Service,
    stream: &TcpStream,
    origin: Origin,
    limits: &Limits,
    stopping: &AtomicBool,
) -> Result<(), End> {
    set_up(stream, limits).map_err(End::Setup)?;
    let mut incoming = RecordBuffer::new(limits.record);
    let mut memory = Memory::default();
    while receive(stream, &mut incoming, &mut memory)? {
        if serve_received(service, stream, origin, limits, &mut incoming, &mut memory)?
            == Then::Close
        {
            return Err(End::NotRpc);
        }
        if stopping.load(Ordering::Relaxed) && incoming.is_at_boundary() {
            break;
        }
    }
    Ok(())
}

fn set_up(stream: &TcpStream, limits: &Limits) -> io::Result<()> {
    // Replies are whole when they are sent: waiting for more would only delay them.
    stream.set_nodelay(true)?;
    // A client that is gone without a word is noticed within some minutes.
    set_socket_keepalive(stream, true)?;
    set_tcp_keepidle(stream, KEEPALIVE_IDLE)?;
    set_tcp_keepintvl(stream, KEEPALIVE_INTERVAL)?;
    set_socket_timeout(stream, Timeout::Recv, Some(limits.idle))?;
    set_socket_timeout(stream, Timeout::Send, Some(limits.send_timeout))?;
    // A send that was cut short by its timeout has sent something, and the next one waits anew; the system counts from
    // the last byte that the client took.
    let user_timeout = u32::try_from(limits.send_timeout.as_millis()).unwrap_or(u32::MAX);
    set_tcp_user_timeout(stream, user_timeout.max(1))?;
    Ok(())
}

/// Receives what there is; false at the end of the stream.
fn receive(
    mut stream: &TcpStream,
    incoming: &mut RecordBuffer,
    memory: &mut Memory,
) -> Result<bool, End> {
    loop {
        let room = incoming.spare();
        if room.is_empty() {
            // There is no memory, which the buffer reports.
            incoming.next_record().map_err(End::Record)?;
            return Err(End::Cut);
        }
        match stream.read(room) {
            Ok(0) if incoming.is_at_boundary() => return Ok(false),
            Ok(0) => return Err(End::Cut),
            Ok(received) => {
                incoming.filled(received).map_err(End::Record)?;
                return Ok(true);
            }
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::WouldBlock => {
                    memory.shrink();
                    incoming.shrink(RecordBuffer::FIRST_ROOM);
                }
                ErrorKind::ConnectionReset if incoming.is_at_boundary() => return Ok(false),
                _ => return Err(End::Receive(error)),
            },
        }
    }
}

/// Serves the calls that have come whole, batch by batch.
fn serve_received(
    service: &Service,
    stream: &TcpStream,
    origin: Origin,
    limits: &Limits,
    incoming: &mut RecordBuffer,
    memory: &mut Memory,
) -> Result<Then, End> {
    let mut next = incoming.next_record().map_err(End::Record)?;
    while let Some(first) = next {
        let Memory { head, files, pages } = memory;
        let mut segments = Segments::new();
        let encoder = Encoder::growable(head, &mut segments);
        let mut batch =
            Batch::new(encoder, files, Pages::new(pages), limits.copy_break, &service.faulty);
        let mut then = service.call(origin, first, &mut batch);
        let mut calls = 1;
        // The clock is read only when there is a second call.
        let mut begun = None;
        let mut fault = None;
        next = loop {
            if then == Then::Close || calls >= MAX_CALLS || batch.len() >= MAX_BYTES {
                break None;
            }
            let record = match incoming.next_record() {
                Ok(Some(record)) => record,
                Ok(None) => break None,
                Err(error) => {
                    // What came before the fault is answered all the same.
                    fault = Some(error);
                    break None;
                }
            };
            let late = begun.get_or_insert_with(Instant::now).elapsed() > MAX_WAIT;
            if late || is_slow(record) || batch.is_short_of_pages() {
                break Some(record);
            }
            then = service.call(origin, record, &mut batch);
            calls = calls.saturating_add(1);
        };
        let short_of_pages = batch.is_short_of_pages();
        batch.finish();
        let message = segments.view(&*head);
        send(&mut Socket(stream.as_fd()), &message, files)
            .inspect_err(|error| remember_faulty(service, origin.peer, files, error))
            .map_err(End::Send)?;
        drop(segments);
        files.clear();
        if short_of_pages {
            let copy_break = usize::try_from(limits.copy_break).unwrap_or(usize::MAX);
            *pages = vec![0; copy_break.max(PAGES)];
        }
        if let Some(error) = fault {
            return Err(End::Record(error));
        }
        if then == Then::Close {
            return Ok(then);
        }
        if next.is_none() {
            next = incoming.next_record().map_err(End::Record)?;
        }
    }
    Ok(Then::Continue)
}

/// Of a file that could not be read while it was being sent, the next READ is to be answered.
fn remember_faulty(service: &Service, peer: SocketAddr, files: &[Arc<OwnedFd>], error: &SendError) {
    let SendError::File { range, error } = error else { return };
    let file = usize::try_from(range.token).ok().and_then(|index| files.get(index));
    let inode = file.and_then(|file| service.faulty.remember(file)).unwrap_or(0);
    let (first, end) = (range.offset, range.offset.saturating_add(range.len.into()));
    error!(%peer, inode, "cannot read a file between bytes {first} and {end}: {error}; check its disk");
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

        let mut incoming = RecordBuffer::default();
        let mut memory = Memory { head: vec![1; 2 << 20], pages: vec![1; PAGES], files: vec![] };
        // A large record, then the first half of a mark.
        let sending = std::thread::spawn(move || {
            let mut stream = vec![0x80, 0x10, 0, 0];
            stream.resize((1 << 20) + 4, 7);
            stream.extend([0x80, 0]);
            client.write_all(&stream).unwrap();
            std::thread::sleep(Duration::from_millis(300));
            client.write_all(&[0, 1, 9]).unwrap();
            client
        });
        let mut received = 0;
        while received == 0 {
            assert!(receive(&server, &mut incoming, &mut memory).unwrap());
            while incoming.next_record().unwrap().is_some() {
                received += 1;
            }
        }
        assert!(incoming.capacity() >= 1 << 20);
        while incoming.next_record().unwrap().is_none() {
            assert!(receive(&server, &mut incoming, &mut memory).unwrap());
        }
        assert!(incoming.capacity() <= RecordBuffer::FIRST_ROOM);
        assert!(memory.head.capacity() <= IDLE_HEAD && memory.pages.capacity() == 0);
        drop(sending.join().unwrap());
    }
}
