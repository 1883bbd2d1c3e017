//! One direction of a reliable connection: packets in, in whatever order they were captured, and the
//! packets in the order of their numbers out, each of them once.

use alloc::collections::{BTreeMap, VecDeque};

use super::roce::{LEAST_MTU, Operation, PSN_MASK, Packet, Part, Target};
use crate::connections::Place;

/// Bytes that wait for an earlier packet, at most.
const MAX_WAITING: usize = 8 << 20;
/// What a waiting packet costs beside its bytes.
const OVERHEAD: usize = 256;
/// After so many acknowledgments of packets that are not there they are given up: they arrived, so
/// nobody sends them again. Not at once, since packets can be captured out of order.
const PATIENCE: u32 = 8;
/// A packet this far behind or ahead belongs to another connection, whose start was not captured.
const FAR: i64 = 1 << 19;
/// Reads whose responses are waited for, at most; adapters have 128 or fewer under way.
const MAX_READS: usize = 512;

/// What comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event<'p> {
    /// The next packet of a SEND or an RDMA WRITE, with its payload and how much of that was not
    /// captured.
    Packet(&'p Place, Operation, &'p [u8], usize),
    /// So many packets were sent but not captured; 0 if that is not known.
    Lost(u64),
}

#[derive(Debug)]
struct Waiting {
    place: Place,
    operation: Operation,
    payload: Vec<u8>,
    missing: usize,
}

impl Waiting {
    const fn cost(&self) -> usize {
        self.payload.len().saturating_add(OVERHEAD)
    }
}

/// An RDMA READ whose responses are waited for.
#[derive(Debug, Clone, Copy)]
struct Read {
    psn: u32,
    /// Numbers that its responses take, at most.
    count: u32,
    target: Target,
}

/// The state of a direction.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// Number of the next packet; `None` before the first.
    next: Option<u32>,
    /// Packets so far.
    offset: u64,
    /// The next packet's number may be as much higher: the last one was a READ, whose responses take
    /// numbers, and the size of packets is not known.
    slack: u32,
    /// Packets behind a hole, by offset.
    waiting: BTreeMap<u64, Waiting>,
    held: usize,
    acknowledged_for: u32,
    reads: VecDeque<Read>,
}

/// How far a number lies ahead of another, in 24 bits.
const fn distance(from: u32, to: u32) -> i64 {
    // The sign of 24 bits becomes that of 32.
    let up = to.wrapping_sub(from).wrapping_shl(8).cast_signed();
    (up >> 8) as i64
}

const fn plus(psn: u32, count: u32) -> u32 {
    psn.wrapping_add(count) & PSN_MASK
}

impl Queue {
    /// A direction whose first packet has this number.
    pub(crate) fn from_start(psn: u32) -> Self {
        Self { next: Some(psn & PSN_MASK), ..Self::default() }
    }

    /// Bytes of memory in use.
    pub(crate) const fn held(&self) -> usize {
        self.held
    }

    /// Whether a response or acknowledgment with this number may be to a packet of this direction,
    /// as far as was seen.
    pub(crate) fn may_answer(&self, psn: u32) -> bool {
        let behind = self.next.map(|next| distance(psn, next));
        let read = |read: &Read| (0..i64::from(read.count)).contains(&distance(read.psn, psn));
        behind.is_some_and(|behind| (1..=256).contains(&behind)) || self.reads.iter().any(read)
    }

    /// Takes a packet of the requester.
    pub(crate) fn packet<E>(
        &mut self,
        place: &Place,
        packet: &Packet<'_>,
        mtu: Option<u32>,
        out: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Operation::ReadRequest(target) = packet.operation {
            self.read(packet.psn, target, mtu);
        }
        let mut ahead = distance(*self.next.get_or_insert(packet.psn), packet.psn);
        if ahead.abs() > FAR {
            self.flush(mtu, out)?;
            let reads = core::mem::take(&mut self.reads);
            *self = Self { reads, ..Self::from_start(packet.psn) };
            out(Event::Lost(0))?;
            ahead = 0;
        }
        if ahead > 0 && ahead <= i64::from(self.slack) {
            self.advance(u64::try_from(ahead).unwrap_or(0));
            ahead = 0;
        }
        let Ok(ahead) = u64::try_from(ahead) else { return Ok(()) };
        if ahead == 0 {
            self.deliver(place, packet.operation, packet.payload, packet.missing, mtu, out)?;
            return self.drain(mtu, out);
        }
        let at = self.offset.saturating_add(ahead);
        if !self.waiting.contains_key(&at) {
            let Packet { operation, payload, missing, .. } = *packet;
            let waiting = Waiting { place: *place, operation, payload: payload.to_vec(), missing };
            self.held = self.held.saturating_add(waiting.cost());
            self.waiting.insert(at, waiting);
        }
        if self.held > MAX_WAITING { self.skip(mtu, out) } else { Ok(()) }
    }

    /// The other side has received everything up to this number.
    pub(crate) fn acknowledged<E>(
        &mut self,
        psn: u32,
        mtu: Option<u32>,
        out: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (Some(next), Some((first, _))) = (self.next, self.waiting.first_key_value()) else {
            return Ok(());
        };
        let hole = i128::from(first.saturating_sub(self.offset));
        if i128::from(distance(next, psn)).saturating_add(1) < hole {
            return Ok(());
        }
        self.acknowledged_for = self.acknowledged_for.saturating_add(1);
        if self.acknowledged_for > PATIENCE { self.skip(mtu, out) } else { Ok(()) }
    }

    /// The last response of a READ has this number, so the next request has a higher one.
    pub(crate) fn answered(&mut self, psn: u32) {
        let ahead = self.next.map_or(0, |next| distance(next, plus(psn, 1)));
        if ahead > 0 && ahead <= i64::from(self.slack) {
            self.advance(u64::try_from(ahead).unwrap_or(0));
        }
    }

    /// Gives out everything that waits: nothing more will come.
    pub(crate) fn flush<E>(
        &mut self,
        mtu: Option<u32>,
        out: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while !self.waiting.is_empty() {
            self.skip(mtu, out)?;
        }
        Ok(())
    }

    fn read(&mut self, psn: u32, target: Target, mtu: Option<u32>) {
        if self.reads.len() >= MAX_READS {
            self.reads.pop_front();
        }
        let count = target.len.div_ceil(mtu.unwrap_or(LEAST_MTU).max(1)).max(1);
        self.reads.push_back(Read { psn, count, target });
    }

    /// The READ that a response belongs to, with the memory that the response's bytes are from.
    pub(crate) fn response(&self, psn: u32, part: Part, len: usize) -> Option<Target> {
        let len = u32::try_from(len).ok()?;
        let of = |read: &&Read| (0..i64::from(read.count)).contains(&distance(read.psn, psn));
        let Read { psn: first, target, .. } = *self.reads.iter().rev().find(of)?;
        let number = u64::try_from(distance(first, psn)).ok()?;
        let offset = match part {
            Part::First | Part::Only if number > 0 => return None,
            Part::First | Part::Only => 0,
            // All packets but the last one are full.
            Part::Middle => number.checked_mul(len.into())?,
            Part::Last => u64::from(target.len.checked_sub(len)?),
        };
        if offset.checked_add(len.into())? > u64::from(target.len) {
            return None;
        }
        Some(Target { address: target.address.checked_add(offset)?, key: target.key, len })
    }

    fn advance(&mut self, count: u64) {
        let low = u32::try_from(count & u64::from(PSN_MASK)).unwrap_or(0);
        self.next = self.next.map(|next| plus(next, low));
        self.offset = self.offset.saturating_add(count);
        self.slack = 0;
        self.acknowledged_for = 0;
    }

    /// Gives out the packet with the next number.
    fn deliver<E>(
        &mut self,
        place: &Place,
        operation: Operation,
        payload: &[u8],
        missing: usize,
        mtu: Option<u32>,
        out: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Operation::ReadRequest(target) = operation else {
            self.advance(1);
            return out(Event::Packet(place, operation, payload, missing));
        };
        // Each response takes a number.
        match mtu {
            Some(mtu) => self.advance(target.len.div_ceil(mtu.max(1)).max(1).into()),
            None => {
                self.advance(1);
                self.slack = target.len.div_ceil(LEAST_MTU).max(1).saturating_sub(1);
            }
        }
        Ok(())
    }

    /// Gives out what waits for nothing any more.
    fn drain<E>(
        &mut self,
        mtu: Option<u32>,
        out: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(first) = self.waiting.first_entry() {
            let at = *first.key();
            let reach = self.offset.saturating_add(self.slack.into());
            if at > reach {
                break;
            }
            let waiting = first.remove();
            self.held = self.held.saturating_sub(waiting.cost());
            if at >= self.offset {
                self.advance(at.saturating_sub(self.offset));
                let Waiting { place, operation, payload, missing } = &waiting;
                self.deliver(place, *operation, payload, *missing, mtu, out)?;
            }
        }
        Ok(())
    }

    /// Gives the hole up and goes on behind it.
    fn skip<E>(
        &mut self,
        mtu: Option<u32>,
        out: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some((first, _)) = self.waiting.first_key_value() {
            let ahead = first.saturating_sub(self.offset);
            // As many numbers as responses may have taken are no loss.
            let lost = ahead.saturating_sub(self.slack.into());
            self.advance(ahead);
            if lost > 0 {
                out(Event::Lost(lost))?;
            }
        }
        self.drain(mtu, out)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
    use core::convert::Infallible;

    use proptest::prelude::*;

    use super::*;
    use crate::connections::Transport;

    fn place() -> Place {
        let at = "10.0.0.1:4791".parse().unwrap();
        Place { frame: 1, time: None, src: at, dst: at, connection: 1, transport: Transport::Roce }
    }

    /// Packets by their payload, a `None` for each one of a hole.
    #[derive(Default)]
    struct Out(Vec<Option<u8>>);

    impl Out {
        fn take(&mut self, event: Event<'_>) -> Result<(), Infallible> {
            match event {
                Event::Packet(_, _, payload, _) => self.0.push(payload.first().copied()),
                Event::Lost(n) => self.0.extend(core::iter::repeat_n(None, n as usize)),
            }
            Ok(())
        }
    }

    fn send(queue: &mut Queue, psn: u32, payload: &[u8], out: &mut Out) {
        let operation = Operation::Send(Part::Only, None);
        let packet = Packet { pair: 1, psn: psn & PSN_MASK, operation, payload, missing: 0 };
        queue.packet(&place(), &packet, None, &mut |event| out.take(event)).unwrap();
    }

    fn ask(queue: &mut Queue, psn: u32, len: u32, mtu: Option<u32>, out: &mut Out) {
        let target = Target { address: 1000, key: 5, len };
        let operation = Operation::ReadRequest(target);
        let packet = Packet { pair: 1, psn: psn & PSN_MASK, operation, payload: &[], missing: 0 };
        queue.packet(&place(), &packet, mtu, &mut |event| out.take(event)).unwrap();
    }

    #[test]
    fn order_repetition_and_holes() {
        for first in [0, 77, PSN_MASK - 1, PSN_MASK - 3] {
            let case = |psns: &[u32]| {
                let (mut queue, mut out) = (Queue::from_start(first), Out::default());
                for psn in psns {
                    send(&mut queue, first + psn, &[*psn as u8], &mut out);
                }
                queue.flush(None, &mut |event| out.take(event)).unwrap();
                assert_eq!(queue.held(), 0);
                out.0
            };
            let all = |n| (0..n).map(Some).collect::<Vec<_>>();
            assert_eq!(case(&[0, 1, 2, 3, 4, 5]), all(6));
            assert_eq!(case(&[0, 1, 1, 0, 2, 1]), all(3), "again");
            assert_eq!(case(&[0, 3, 2, 1, 4]), all(5), "out of order");
            assert_eq!(case(&[0, 2, 3, 1, 2, 3, 4]), all(5), "sent again from a lost one on");
            assert_eq!(case(&[0, 3, 4]), [Some(0), None, None, Some(3), Some(4)], "lost");
            assert_eq!(case(&[2]), [None, None, Some(2)], "the start lost");
        }
    }

    #[test]
    fn a_hole_is_given_up_when_it_was_acknowledged_for_long() {
        let (mut queue, mut out) = (Queue::from_start(PSN_MASK), Out::default());
        send(&mut queue, PSN_MASK + 3, &[3], &mut out);
        for _ in 0..100 {
            queue.acknowledged(0, None, &mut |event| out.take(event)).unwrap();
        }
        assert!(out.0.is_empty(), "only a part of the hole is acknowledged");
        for _ in 0..=PATIENCE {
            assert!(out.0.is_empty());
            queue.acknowledged(1, None, &mut |event| out.take(event)).unwrap();
        }
        assert_eq!(out.0, [None, None, None, Some(3)]);
    }

    #[test]
    fn responses_of_a_read_take_numbers() {
        for first in [5, PSN_MASK - 1] {
            // With a known size of packets exactly so many, else up to as many as may be.
            for (mtu, next, lost) in [
                (Some(1024), 3, 0),
                (Some(1024), 4, 1),
                (None, 1, 0),
                (None, 9, 0),
                (None, 10, 0),
                (None, 11, 1),
            ] {
                let (mut queue, mut out) = (Queue::from_start(first), Out::default());
                ask(&mut queue, first, 2500, mtu, &mut out);
                send(&mut queue, first + next, &[9], &mut out);
                queue.flush(mtu, &mut |event| out.take(event)).unwrap();
                let expected = [vec![None; lost], vec![Some(9)]].concat();
                assert_eq!(out.0, expected, "{mtu:?} {next}");
            }
            let (mut queue, mut out) = (Queue::from_start(first), Out::default());
            ask(&mut queue, first, 2500, None, &mut out);
            let psn = |n| (first + n) & PSN_MASK;
            let at = |n, part, len| queue.response(psn(n), part, len).map(|it| it.address);
            assert_eq!(at(0, Part::First, 1024), Some(1000));
            assert_eq!(at(1, Part::Middle, 1024), Some(2024));
            assert_eq!(at(2, Part::Last, 452), Some(3048));
            assert_eq!(at(0, Part::Only, 2500), Some(1000));
            for (n, part, len) in [
                (1, Part::First, 9),
                (3, Part::Middle, 1024),
                (2, Part::Last, 2501),
                (10, Part::Last, 1),
            ] {
                assert_eq!(at(n, part, len), None, "{n} {part:?}");
            }
            queue.answered(psn(2));
            send(&mut queue, first + 4, &[9], &mut out);
            queue.flush(None, &mut |event| out.take(event)).unwrap();
            assert_eq!(out.0, [None, Some(9)]);
        }
    }

    proptest! {
        /// Whatever the order: each packet comes out once, in order, and nothing else; and what
        /// waits is bounded.
        #[test]
        fn any_order(first in 0..=PSN_MASK, psns in prop::collection::vec(0u32..200, 1..300)) {
            let (mut queue, mut out) = (Queue::from_start(first), Out::default());
            for psn in &psns {
                send(&mut queue, first + psn, &[*psn as u8], &mut out);
                prop_assert!(queue.held() <= MAX_WAITING + OVERHEAD);
            }
            queue.flush(None, &mut |event| out.take(event)).unwrap();
            let last = *psns.iter().max().unwrap();
            let expected: Vec<_> =
                (0..=last).map(|n| psns.contains(&n).then_some(n as u8)).collect();
            prop_assert_eq!(out.0, expected);
        }
    }
}
