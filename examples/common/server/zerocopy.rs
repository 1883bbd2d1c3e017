//! MSG_ZEROCOPY: the kernel sends from this process's memory, and tells on the socket's error queue when it has finished
//! with it (`Documentation/networking/msg_zerocopy.rst` of Linux).
//!
//! Only payloads are sent that way, since they are shared bytes that can be kept; heads are copied, which costs less
//! than keeping them would.

use alloc::collections::VecDeque;
use core::net::IpAddr;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{IoSlice, IoSliceMut};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::thread;
use std::time::Instant;

use bytes::Bytes;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use rustix::io::Errno;
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};
use thiserror::Error;
use tracing::{debug, error, info};

/// Shorter payloads are cheaper to copy than to keep book of.
pub(super) const LEAST: usize = 32 << 10;
/// Bytes that the kernel may hold for one connection, and in how many sends; what comes above is copied.
pub(super) const MOST_HELD: usize = 2 << 20;
const MOST_SENDS: usize = 1024;
/// How long the end of a connection waits for the kernel to finish.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_STEP: Duration = Duration::from_millis(2);
/// `MSG_ZEROCOPY`.
const WITHOUT_COPY: SendFlags = SendFlags::from_bits_retain(0x0400_0000);
/// `SO_EE_ORIGIN_ZEROCOPY` and `SO_EE_CODE_ZEROCOPY_COPIED`.
const ORIGIN: u8 = 5;
const COPIED: u8 = 1;

/// When replies are sent without a copy from memory of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroCopy {
    /// To every client.
    On,
    /// Never.
    #[default]
    Off,
    /// To other machines: within one the kernel copies all the same.
    Auto,
}

impl ZeroCopy {
    pub(super) fn is_for(self, peer: IpAddr) -> bool {
        match self {
            Self::On => true,
            Self::Off => false,
            Self::Auto => !peer.to_canonical().is_loopback(),
        }
    }
}

/// The large payloads of a batch.
#[derive(Debug, Default)]
pub(super) struct Large {
    /// Whether they are collected.
    wanted: bool,
    payloads: Vec<Bytes>,
}

impl Large {
    /// Begins a new batch.
    pub(super) fn clear(&mut self, wanted: bool) {
        self.wanted = wanted;
        self.payloads.clear();
    }

    /// Whether a payload of so many bytes must be shared bytes.
    pub(super) const fn wants(&self, len: usize) -> bool {
        self.wanted && len >= LEAST
    }

    pub(super) fn add(&mut self, payload: &Bytes) {
        if self.wants(payload.len()) {
            self.payloads.push(payload.clone());
        }
    }

    /// The payload of which these bytes are a part.
    pub(super) fn owner(&self, part: &[u8]) -> Option<Bytes> {
        self.payloads.iter().find_map(|payload| {
            let start = part.as_ptr().addr().checked_sub(payload.as_ptr().addr())?;
            let end = start.checked_add(part.len())?;
            (!part.is_empty() && end <= payload.len()).then(|| payload.slice(start..end))
        })
    }
}

/// The kernel reports a send that was never made, or has been finished with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the kernel has finished with sends {first} to {last}, which it was not given")]
pub(super) struct NotSent {
    first: u32,
    last: u32,
}

/// Sends that the kernel has not finished with, and the bytes that must stay as they are until then.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Number of the oldest. The kernel counts the sends of a socket from 0, in 32 bits.
    first: u32,
    /// `None`: finished, behind one that is not.
    sends: VecDeque<Option<Bytes>>,
    held: usize,
}

impl Ledger {
    pub(super) fn is_empty(&self) -> bool {
        self.sends.is_empty()
    }

    fn has_room(&self, len: usize) -> bool {
        self.sends.len() < MOST_SENDS
            && self.held.checked_add(len).is_some_and(|held| held <= MOST_HELD)
    }

    /// A send was made.
    fn sent(&mut self, bytes: Bytes) {
        self.held = self.held.saturating_add(bytes.len());
        self.sends.push_back(Some(bytes));
    }

    /// The kernel has finished with sends, the last one included. They may come in any order, and numbers wrap.
    fn finished(&mut self, first: u32, last: u32) -> Result<(), NotSent> {
        let not_sent = NotSent { first, last };
        let at = |number: u32| usize::try_from(number.wrapping_sub(self.first)).ok();
        let (from, to) = at(first).zip(at(last)).ok_or(not_sent)?;
        if from > to || to >= self.sends.len() || self.sends.range(from..=to).any(Option::is_none) {
            return Err(not_sent);
        }
        for bytes in self.sends.range_mut(from..=to).filter_map(Option::take) {
            self.held = self.held.saturating_sub(bytes.len());
        }
        while let Some(None) = self.sends.front() {
            self.sends.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        Ok(())
    }
}

/// What the kernel says about sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Completion {
    first: u32,
    last: u32,
    copied: bool,
}

/// The next word of the kernel, if there is one.
fn completion(socket: BorrowedFd<'_>) -> Result<Option<Completion>, Errno> {
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let mut room = vec![0; 128];
    loop {
        let (fd, mut data) = (socket.as_raw_fd(), [0; 1]);
        let mut data = [IoSliceMut::new(&mut data)];
        let told = match recvmsg::<()>(fd, &mut data, Some(&mut room), flags) {
            Ok(told) => told,
            Err(nix::errno::Errno::EAGAIN) => return Ok(None),
            Err(nix::errno::Errno::EINTR) => continue,
            Err(error) => return Err(errno(error)),
        };
        for message in told.cmsgs().map_err(errno)? {
            let error = match message {
                ControlMessageOwned::Ipv4RecvErr(error, _) => error,
                ControlMessageOwned::Ipv6RecvErr(error, _) => error,
                _ => continue,
            };
            if error.ee_origin == ORIGIN && error.ee_errno == 0 {
                let copied = error.ee_code & COPIED != 0;
                return Ok(Some(Completion { first: error.ee_info, last: error.ee_data, copied }));
            }
        }
        // Something else, such as a host that cannot be reached: the next send fails if that lasts.
    }
}

fn errno(error: nix::errno::Errno) -> Errno {
    Errno::from_raw_os_error(error as i32)
}

/// Where it is said whether it is worth while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth<'s> {
    /// On this connection.
    pub(super) here: &'s AtomicBool,
    /// Whether the log says already that it is not, on some connection.
    pub(super) told: &'s AtomicBool,
}

/// Sends of one connection; whoever sends has it.
#[derive(Debug, Default)]
pub(super) struct Sender {
    ledger: Ledger,
}

impl Sender {
    /// Sends some of a payload; `None` if it is to be copied.
    pub(super) fn send(
        &mut self,
        socket: BorrowedFd<'_>,
        payload: &Bytes,
        more: bool,
        worth: Worth<'_>,
    ) -> Option<Result<usize, Errno>> {
        self.reap(socket, worth);
        if !worth.here.load(Ordering::Relaxed) || !self.ledger.has_room(payload.len()) {
            return None;
        }
        let mut flags = SendFlags::NOSIGNAL | WITHOUT_COPY;
        flags.set(SendFlags::MORE, more);
        let pieces = [IoSlice::new(payload)];
        let sent = sendmsg(socket, &pieces, &mut SendAncillaryBuffer::default(), flags);
        match sent {
            // The kernel has no room for telling of one more (optmem_max), or too much is locked (RLIMIT_MEMLOCK).
            Err(Errno::NOBUFS) => return None,
            // Only a send of something is counted.
            Ok(sent) if sent > 0 => self.ledger.sent(payload.slice(..sent.min(payload.len()))),
            _ => {}
        }
        Some(sent)
    }

    /// Takes what the kernel has said so far.
    fn reap(&mut self, socket: BorrowedFd<'_>, worth: Worth<'_>) {
        while !self.ledger.is_empty() {
            match completion(socket) {
                Ok(Some(done)) => self.note(done, worth),
                Ok(None) => return,
                Err(error) => {
                    debug!("cannot hear what was sent without a copy: {error}");
                    worth.here.store(false, Ordering::Relaxed);
                    return;
                }
            }
        }
    }

    fn note(&mut self, done: Completion, worth: Worth<'_>) {
        if let Err(error) = self.ledger.finished(done.first, done.last) {
            error!("{error}: replies are copied from here on");
            worth.here.store(false, Ordering::Relaxed);
        }
        let turned_off = done.copied && worth.here.swap(false, Ordering::Relaxed);
        if turned_off && !worth.told.swap(true, Ordering::Relaxed) {
            info!(
                "the kernel copies what it was to send without a copy, as it does within one machine: not tried again on \
                 such connections"
            );
        }
    }

    /// Before the socket is closed and the payloads are dropped: waits until the kernel has finished with them. If that
    /// takes too long, or longer than it may, the connection will be reset, because their memory must not be sent when it
    /// is something else's.
    pub(super) fn finish(
        &mut self,
        stream: &TcpStream,
        worth: Worth<'_>,
        is_over: impl Fn() -> bool,
    ) {
        let begun = Instant::now();
        loop {
            self.reap(stream.as_fd(), worth);
            if self.ledger.is_empty() {
                return;
            }
            if is_over() || begun.elapsed() > LINGER {
                break;
            }
            // Not poll, which says at once that the peer has gone.
            thread::sleep(LINGER_STEP);
        }
        if let Err(error) = set_socket_linger(stream, Some(Duration::ZERO)) {
            debug!("cannot have a connection reset: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
    #![allow(clippy::cast_possible_truncation)]

    use std::io::Read;
    use std::net::TcpListener;

    use proptest::prelude::*;

    use super::*;

    fn ledger(first: u32, sends: usize) -> Ledger {
        let mut ledger = Ledger { first, ..Ledger::default() };
        for _ in 0..sends {
            ledger.sent(Bytes::from_static(b"12345"));
        }
        ledger
    }

    #[test]
    fn sends_end_in_any_order_and_across_the_wrap() {
        let mut ledger = ledger(u32::MAX - 1, 6);
        let end = |ledger: &mut Ledger, first, last| {
            let ended = ledger.finished(first, last).is_ok();
            (ended, ledger.sends.len(), ledger.held)
        };
        assert_eq!(end(&mut ledger, 1, 1), (true, 6, 25));
        assert_eq!(end(&mut ledger, u32::MAX, 0), (true, 6, 15));
        // Twice, partly twice, before the first, behind the last, and backwards.
        for (first, last) in [(1, 1), (0, 2), (u32::MAX - 2, 0), (2, 4), (4, 4), (3, 2), (2, 1)] {
            assert_eq!(end(&mut ledger, first, last), (false, 6, 15), "{first} to {last}");
        }
        assert_eq!(end(&mut ledger, u32::MAX - 1, u32::MAX - 1), (true, 2, 10));
        assert_eq!(end(&mut ledger, 2, 3), (true, 0, 0));
        assert!(ledger.is_empty() && ledger.first == 4);
    }

    proptest! {
        // S4
        #[test]
        fn each_send_is_kept_until_its_end(
            first in prop_oneof![Just(0), Just(u32::MAX - 20), any::<u32>()],
            order in Just((0..40u32).collect::<Vec<_>>()).prop_shuffle(),
            ahead in 1..40usize,
        ) {
            // The kernel is `ahead` sends behind and ends them in an order of its own, in ranges where it can.
            let mut ledger = Ledger { first, ..Ledger::default() };
            let mut open: Vec<u32> = Vec::new();
            let mut sent = 0u32;
            for number in order {
                while sent <= number || (open.len() < ahead && sent < 40) {
                    ledger.sent(Bytes::from(vec![0; 10]));
                    open.push(sent);
                    sent += 1;
                }
                let Some(at) = open.iter().position(|n| *n == number) else { continue };
                let run = open[at..].iter().zip(number..).take_while(|(n, m)| **n == *m).count();
                let run = run.min(1 + ahead % 3);
                let last = first.wrapping_add(number + run as u32 - 1);
                prop_assert_eq!(ledger.finished(first.wrapping_add(number), last), Ok(()));
                prop_assert!(ledger.finished(first.wrapping_add(number), last).is_err());
                open.drain(at..at + run);
                prop_assert_eq!(ledger.held, 10 * open.len());
                let oldest = open.first().map_or(sent, |n| *n);
                prop_assert_eq!(ledger.first, first.wrapping_add(oldest));
            }
            prop_assert!(ledger.is_empty());
        }
    }

    #[test]
    fn what_is_held_is_bounded() {
        let mut ledger = Ledger::default();
        let payload = Bytes::from(vec![0; LEAST]);
        while ledger.has_room(payload.len()) {
            ledger.sent(payload.clone());
        }
        assert_eq!(ledger.held, MOST_HELD);
        assert!(!ledger.has_room(1) && !ledger.has_room(usize::MAX));
        let mut ledger = self::ledger(0, MOST_SENDS);
        assert!(!ledger.has_room(1));
        ledger.finished(0, 0).unwrap();
        assert!(ledger.has_room(1));
    }

    #[test]
    fn a_part_finds_its_payload_and_nothing_else() {
        let payload = Bytes::from(vec![7; 2 * LEAST]);
        let mut large = Large { wanted: true, ..Large::default() };
        large.add(&Bytes::from(vec![1; LEAST - 1]));
        assert!(large.payloads.is_empty(), "too short");
        large.add(&payload.slice(..LEAST));
        assert_eq!(large.owner(&payload[..LEAST]).unwrap(), payload[..LEAST]);
        assert_eq!(large.owner(&payload[5..9]).unwrap(), payload[5..9]);
        for other in [&payload[LEAST - 1..=LEAST], &payload[LEAST..], &[1, 2][..], &[]] {
            assert!(large.owner(other).is_none());
        }
    }

    // S4
    #[test]
    fn within_one_machine_the_kernel_copies_and_it_is_not_tried_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        nfswire_sys::allow_zero_copy(&server).unwrap();
        let (here, told) = (AtomicBool::new(true), AtomicBool::new(false));
        let worth = Worth { here: &here, told: &told };
        let mut sender = Sender::default();
        let payload = Bytes::from((0..LEAST).map(|n| n as u8).collect::<Vec<_>>());
        let mut sent = 0;
        while sent < payload.len() {
            let rest = payload.slice(sent..);
            match sender.send(server.as_fd(), &rest, false, worth) {
                Some(some) => sent += some.unwrap(),
                None => break,
            }
        }
        let mut got = vec![0; sent];
        client.read_exact(&mut got).unwrap();
        assert!(sent > 0 && payload[..sent] == got);
        sender.finish(&server, worth, || false);
        assert!(sender.ledger.is_empty());
        assert!(!here.load(Ordering::Relaxed) && told.load(Ordering::Relaxed));
        assert!(sender.send(server.as_fd(), &payload, false, worth).is_none());
    }
}
