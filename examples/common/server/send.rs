//! Sending what was encoded: bytes by `sendmsg`, file ranges by `sendfile`.

use alloc::sync::Arc;
use std::io::IoSlice;
use std::os::fd::{BorrowedFd, OwnedFd};

use bytes::Bytes;
use nfswire_xdr::{Chunk, FileRange, Message, Position};
use rustix::io::{Errno, pread};
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};
use thiserror::Error;

use super::zerocopy::{Large, Sender, Worth};

/// Pieces of one system call.
const PIECES: usize = 64;
/// Memory of the copying way round `sendfile`.
const COPY: usize = 64 << 10;

/// Why a reply did not leave whole. The stream is cut in the middle of a record then: the connection must be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum SendError {
    #[error("cannot send to the client: {0}")]
    Socket(Errno),
    #[error("the client took no byte for the whole send timeout")]
    Stalled,
    #[error(
        "a file became shorter while it was being sent; the connection is dropped so that the client asks again"
    )]
    Shrunk,
    #[error(
        "cannot read a file that is being sent: {error}; the connection is dropped so that the client asks again"
    )]
    File { range: FileRange, error: Errno },
}

/// Where replies go. The seam lets tests force short writes.
pub(super) trait Sink {
    /// Sends some of the pieces. `more` says that bytes follow at once, which should share a packet with these.
    fn send(&mut self, pieces: &[IoSlice<'_>], more: bool) -> Result<usize, Errno>;

    /// Sends some of a large payload, of which the sink may keep a share until it has left.
    fn send_shared(&mut self, payload: &Bytes, more: bool) -> Result<usize, Errno> {
        self.send(&[IoSlice::new(payload)], more)
    }

    /// Sends some bytes of a file; 0 at the end of the file.
    fn send_file(&mut self, file: &OwnedFd, offset: u64, len: usize) -> Result<usize, Errno>;
}

/// A connected stream socket in blocking mode.
pub(super) struct Socket<'s> {
    fd: BorrowedFd<'s>,
    /// System calls that were made to send.
    pub(super) sends: u64,
    without_copy: Option<(&'s mut Sender, Worth<'s>)>,
}

impl<'s> Socket<'s> {
    /// With a sender, payloads that are large are sent without a copy as long as that is worth while.
    pub(super) const fn new(
        fd: BorrowedFd<'s>,
        without_copy: Option<(&'s mut Sender, Worth<'s>)>,
    ) -> Self {
        Self { fd, sends: 0, without_copy }
    }
}

impl Sink for Socket<'_> {
    fn send(&mut self, pieces: &[IoSlice<'_>], more: bool) -> Result<usize, Errno> {
        self.sends = self.sends.saturating_add(1);
        let mut flags = SendFlags::NOSIGNAL;
        flags.set(SendFlags::MORE, more);
        sendmsg(self.fd, pieces, &mut SendAncillaryBuffer::default(), flags)
    }

    fn send_shared(&mut self, payload: &Bytes, more: bool) -> Result<usize, Errno> {
        if let Some((sender, worth)) = &mut self.without_copy
            && let Some(sent) = sender.send(self.fd, payload, more, *worth)
        {
            self.sends = self.sends.saturating_add(1);
            return sent;
        }
        self.send(&[IoSlice::new(payload)], more)
    }

    fn send_file(&mut self, file: &OwnedFd, mut offset: u64, len: usize) -> Result<usize, Errno> {
        self.sends = self.sends.saturating_add(1);
        rustix::fs::sendfile(self.fd, file, Some(&mut offset), len)
    }
}

/// Sends a message to its end. Returns how many bytes of files had to be copied.
pub(super) fn send(
    sink: &mut impl Sink,
    message: &Message<'_, '_>,
    files: &[Arc<OwnedFd>],
    large: &Large,
) -> Result<u64, SendError> {
    let mut copied = 0u64;
    let mut at = Position::START;
    while let Some(chunk) = message.chunk(at) {
        let sent = match chunk {
            Chunk::Bytes(_) => {
                let mut pieces = [IoSlice::new(&[]); PIECES];
                let used = message.io_slices(at, &mut pieces);
                let pieces = pieces.get(..used).unwrap_or_default();
                let more = |len| !message.is_end(message.advance(at, len));
                if let Some(payload) = pieces.first().and_then(|piece| large.owner(piece)) {
                    let more = more(payload.len());
                    retry(|| sink.send_shared(&payload, more))?
                } else {
                    // Up to the next large one.
                    let others = pieces.iter().take_while(|piece| large.owner(piece).is_none());
                    let pieces = pieces.get(..others.count()).unwrap_or_default();
                    let len =
                        pieces.iter().fold(0usize, |sum, piece| sum.saturating_add(piece.len()));
                    send_bytes(sink, pieces, more(len))?
                }
            }
            Chunk::File(range) => {
                let index = usize::try_from(range.token).ok();
                let file = index.and_then(|index| files.get(index));
                let file = file.ok_or(SendError::File { range, error: Errno::BADF })?;
                send_file(sink, file, range, &mut copied)?
            }
        };
        at = message.advance(at, sent);
    }
    Ok(copied)
}

/// One `send` that was not interrupted.
fn send_bytes(
    sink: &mut impl Sink,
    pieces: &[IoSlice<'_>],
    more: bool,
) -> Result<usize, SendError> {
    retry(|| sink.send(pieces, more))
}

fn retry(mut send: impl FnMut() -> Result<usize, Errno>) -> Result<usize, SendError> {
    loop {
        match send() {
            // No piece is empty.
            Ok(0) => return Err(SendError::Socket(Errno::PIPE)),
            Ok(sent) => return Ok(sent),
            Err(Errno::INTR) => {}
            Err(error) => return Err(socket_error(error)),
        }
    }
}

/// One `sendfile` that was not interrupted, or its replacement for files that cannot be spliced.
fn send_file(
    sink: &mut impl Sink,
    file: &OwnedFd,
    range: FileRange,
    copied: &mut u64,
) -> Result<usize, SendError> {
    let len = usize::try_from(range.len).unwrap_or(usize::MAX);
    loop {
        match sink.send_file(file, range.offset, len) {
            Ok(0) => return Err(SendError::Shrunk),
            Ok(sent) => return Ok(sent),
            Err(Errno::INTR) => {}
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                let sent = copy_file(sink, file, range)?;
                *copied = copied.saturating_add(u64::try_from(sent).unwrap_or(u64::MAX));
                return Ok(sent);
            }
            Err(error @ Errno::IO) => return Err(SendError::File { range, error }),
            Err(error) => return Err(socket_error(error)),
        }
    }
}

/// Reads and sends one piece of a range.
fn copy_file(sink: &mut impl Sink, file: &OwnedFd, range: FileRange) -> Result<usize, SendError> {
    let len = usize::try_from(range.len).unwrap_or(usize::MAX);
    let mut page = vec![0; len.min(COPY)];
    let read = loop {
        match pread(file, &mut page, range.offset) {
            Ok(0) => return Err(SendError::Shrunk),
            Ok(read) => break read,
            Err(Errno::INTR) => {}
            Err(error) => return Err(SendError::File { range, error }),
        }
    };
    let mut rest = page.get(..read).unwrap_or_default();
    while !rest.is_empty() {
        let sent = send_bytes(sink, &[IoSlice::new(rest)], read < len)?;
        rest = rest.get(sent..).unwrap_or_default();
    }
    Ok(read)
}

fn socket_error(error: Errno) -> SendError {
    match error {
        Errno::AGAIN | Errno::TIMEDOUT => SendError::Stalled,
        error => SendError::Socket(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

    use std::io::Write;

    use nfswire_xdr::{Encoder, Payload, Segments};

    use super::super::zerocopy::LEAST;
    use super::*;

    /// Takes at most `step` bytes at a time, and is interrupted before each.
    struct Narrow {
        got: Vec<u8>,
        step: usize,
        interrupted: bool,
        splice: bool,
    }

    impl Narrow {
        fn new(step: usize, splice: bool) -> Self {
            Self { got: Vec::new(), step, interrupted: false, splice }
        }

        fn interrupt(&mut self) -> Result<(), Errno> {
            self.interrupted = !self.interrupted;
            if self.interrupted { Err(Errno::INTR) } else { Ok(()) }
        }
    }

    impl Sink for Narrow {
        fn send(&mut self, pieces: &[IoSlice<'_>], _: bool) -> Result<usize, Errno> {
            self.interrupt()?;
            let all: Vec<u8> = pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
            let sent = all.len().min(self.step);
            self.got.extend(&all[..sent]);
            Ok(sent)
        }

        fn send_file(&mut self, file: &OwnedFd, offset: u64, len: usize) -> Result<usize, Errno> {
            self.interrupt()?;
            if !self.splice {
                return Err(Errno::INVAL);
            }
            let mut page = vec![0; len.min(self.step)];
            let read = pread(file, &mut page, offset)?;
            self.got.extend(&page[..read]);
            Ok(read)
        }
    }

    fn file(content: &[u8]) -> Vec<Arc<OwnedFd>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        vec![Arc::new(file.into())]
    }

    fn encode<'p>(head: &mut Vec<u8>, segments: &mut Segments<'p>, len: u32, bytes: &'p [u8]) {
        let mut e = Encoder::growable(head, segments);
        e.put(&7u32).unwrap();
        e.put(&Payload::File(FileRange { token: 0, offset: 3, len })).unwrap();
        e.put(&Payload::Borrowed(bytes)).unwrap();
        e.put(&9u64).unwrap();
        e.finish();
    }

    // F2, S3
    #[test]
    fn every_short_write_gives_the_same_stream() {
        let files = file(b"abcdefghijklmnopqrstuvwxyz");
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        encode(&mut head, &mut segments, 22, b"12345");
        let expected = b"\0\0\0\x07\0\0\0\x16defghijklmnopqrstuvwxy\0\0\0\0\0\x0512345\0\0\0\0\0\0\0\0\0\0\x09";
        for splice in [true, false] {
            for step in 1..=expected.len() {
                let mut sink = Narrow::new(step, splice);
                send(&mut sink, &segments.view(&head), &files, &Large::default()).unwrap();
                assert_eq!(sink.got, expected, "{step} bytes at a time");
            }
        }
    }

    // S4
    #[test]
    fn large_payloads_leave_apart_whatever_is_short() {
        /// Says what was sent how.
        struct Apart(Narrow, Vec<bool>);
        impl Sink for Apart {
            fn send(&mut self, pieces: &[IoSlice<'_>], more: bool) -> Result<usize, Errno> {
                let sent = self.0.send(pieces, more)?;
                self.1.extend(vec![false; sent]);
                Ok(sent)
            }
            fn send_shared(&mut self, payload: &Bytes, more: bool) -> Result<usize, Errno> {
                let sent = self.0.send(&[IoSlice::new(payload)], more)?;
                self.1.extend(vec![true; sent]);
                Ok(sent)
            }
            fn send_file(&mut self, _: &OwnedFd, _: u64, _: usize) -> Result<usize, Errno> {
                Err(Errno::INVAL)
            }
        }
        let payload = Bytes::from(vec![7; LEAST + 1]);
        let (mut head, mut segments, mut large) = (Vec::new(), Segments::new(), Large::default());
        large.clear(true);
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&1u32).unwrap();
        for payload in [payload.clone(), Bytes::from_static(b"12345"), payload] {
            large.add(&payload);
            e.put(&Payload::Bytes(payload)).unwrap();
        }
        e.finish();
        let expected = segments.view(&head).to_vec().unwrap();
        let is_large: Vec<bool> = expected.iter().map(|byte| *byte == 7).collect();
        let around = (LEAST - 4..LEAST + 24).chain([997, 5000, expected.len()]);
        for step in around {
            let mut sink = Apart(Narrow::new(step, false), Vec::new());
            send(&mut sink, &segments.view(&head), &[], &large).unwrap();
            assert!(sink.0.got == expected && sink.1 == is_large, "{step} bytes at a time");
        }
    }

    #[test]
    fn a_file_that_shrank_ends_the_stream() {
        let files = file(b"abcdefgh");
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        encode(&mut head, &mut segments, 22, b"");
        for splice in [true, false] {
            let mut sink = Narrow::new(4, splice);
            assert_eq!(
                send(&mut sink, &segments.view(&head), &files, &Large::default()),
                Err(SendError::Shrunk)
            );
            assert_eq!(sink.got, b"\0\0\0\x07\0\0\0\x16defgh", "nothing is made up");
        }
    }

    #[test]
    fn bytes_before_more_bytes_say_so() {
        struct Flags(Vec<bool>);
        impl Sink for Flags {
            fn send(&mut self, pieces: &[IoSlice<'_>], more: bool) -> Result<usize, Errno> {
                self.0.push(more);
                Ok(pieces.iter().map(|piece| piece.len()).sum())
            }
            fn send_file(&mut self, _: &OwnedFd, _: u64, len: usize) -> Result<usize, Errno> {
                Ok(len)
            }
        }
        let files = file(b"");
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        encode(&mut head, &mut segments, 22, b"12345");
        let mut sink = Flags(Vec::new());
        send(&mut sink, &segments.view(&head), &files, &Large::default()).unwrap();
        // Header, then pad, payload and tail in one.
        assert_eq!(sink.0, [true, false]);
    }
}
