//! One direction of a TCP connection: segments in, in whatever order they were captured, and the
//! bytes of the stream out.

use alloc::collections::BTreeMap;

use crate::link::Tcp;

/// Bytes that wait for an earlier segment, at most. Larger than the windows in use, so that what
/// leaves here unfilled was not captured.
const MAX_WAITING: usize = 8 << 20;
/// What a waiting segment costs beside its bytes.
const OVERHEAD: usize = 128;
/// After so many acknowledgments of bytes that are not there they are given up: they arrived, so
/// nobody sends them again. Not at once, since frames can be captured out of order.
const PATIENCE: u32 = 8;
/// What an acknowledgment counts that comes with data: a reply tells that its call was received.
const WITH_DATA: u32 = 4;
/// A segment this far behind or ahead belongs to another connection, whose start was not captured.
const FAR: i64 = 1 << 28;

/// What comes out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'p> {
    /// The next bytes.
    Data(&'p [u8]),
    /// So many bytes were sent but not captured.
    Gap(u64),
}

#[derive(Debug)]
struct Waiting {
    bytes: Vec<u8>,
    /// Bytes behind them that were cut off by the capture.
    missing: u64,
}

/// The state of a direction.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    /// Sequence number of the next byte; `None` before the first segment.
    next: Option<u32>,
    /// Offset of the next byte in the stream.
    offset: u64,
    /// Segments behind a hole, by offset.
    waiting: BTreeMap<u64, Waiting>,
    held: usize,
    /// Acknowledgments seen while the hole was there, by weight.
    acknowledged_for: u32,
    /// Offset of the last byte of the stream.
    end: Option<u64>,
}

impl Assembler {
    /// A direction that begins at a SYN: the stream is seen from its first byte.
    pub(crate) fn from_syn(syn: u32) -> Self {
        Self { next: Some(syn.wrapping_add(1)), ..Self::default() }
    }

    /// Whether the stream seen so far may have begun at this SYN.
    pub(crate) fn began_at(&self, syn: u32) -> bool {
        let done = u32::try_from(self.offset & 0xffff_ffff).unwrap_or_default();
        self.next.is_some_and(|next| next.wrapping_sub(done) == syn.wrapping_add(1))
    }

    /// Whether anything was seen of this direction.
    pub(crate) const fn is_new(&self) -> bool {
        self.next.is_none()
    }

    /// Bytes of memory in use.
    pub(crate) const fn held(&self) -> usize {
        self.held
    }

    /// Whether the sender has ended the stream and everything is out.
    pub(crate) fn is_done(&self) -> bool {
        self.end.is_some_and(|end| self.offset >= end)
    }

    /// Takes a segment.
    pub(crate) fn segment<E>(
        &mut self,
        tcp: &Tcp,
        payload: &[u8],
        missing: usize,
        out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let seq = if tcp.syn { tcp.seq.wrapping_add(1) } else { tcp.seq };
        if self.next.is_none() {
            if payload.is_empty() && missing == 0 {
                // An acknowledgment says where the stream is, but a probe of an idle connection
                // counts one byte less.
                return Ok(());
            }
            self.next = Some(seq);
        }
        let mut ahead = self.ahead(seq);
        if ahead.abs() > FAR {
            self.flush(out)?;
            *self = Self { next: Some(seq), ..Self::default() };
            out(Piece::Gap(0))?;
            ahead = 0;
        }
        let missing = u64::try_from(missing).unwrap_or(u64::MAX);
        let len = length(payload.len()).saturating_add(missing);
        let start = i128::from(self.offset).saturating_add(i128::from(ahead));
        let end = start.saturating_add(i128::from(len));
        if tcp.fin {
            self.end = u64::try_from(end).ok();
        }
        let Ok(end) = u64::try_from(end) else { return Ok(()) };
        if end <= self.offset || len == 0 {
            return Ok(());
        }
        match u64::try_from(start) {
            Ok(start) if start > self.offset => {
                self.keep(start, payload, missing);
                if self.held > MAX_WAITING {
                    self.skip(out)?;
                }
                Ok(())
            }
            _ => {
                let known = i128::from(self.offset).saturating_sub(start);
                let known = usize::try_from(known).unwrap_or(usize::MAX);
                self.deliver(payload.get(known..).unwrap_or_default(), end, out)?;
                self.drain(out)
            }
        }
    }

    /// The other direction has acknowledged everything before `ack`, in a segment with or without
    /// data.
    pub(crate) fn acknowledged<E>(
        &mut self,
        ack: u32,
        with_data: bool,
        out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((first, _)) = self.waiting.first_key_value() else { return Ok(()) };
        let hole = i128::from(*first).saturating_sub(i128::from(self.offset));
        if i128::from(self.ahead(ack)) < hole {
            return Ok(());
        }
        let weight = if with_data { WITH_DATA } else { 1 };
        self.acknowledged_for = self.acknowledged_for.saturating_add(weight);
        if self.acknowledged_for > PATIENCE { self.skip(out) } else { Ok(()) }
    }

    /// Gives out everything that waits: nothing more will come.
    pub(crate) fn flush<E>(
        &mut self,
        out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while !self.waiting.is_empty() {
            self.skip(out)?;
        }
        Ok(())
    }

    /// How far a sequence number lies ahead of the next byte.
    fn ahead(&self, seq: u32) -> i64 {
        i64::from(seq.wrapping_sub(self.next.unwrap_or(seq)).cast_signed())
    }

    fn keep(&mut self, start: u64, payload: &[u8], missing: u64) {
        let old = self.waiting.get(&start).map_or(0, |it| it.bytes.len());
        if self.waiting.contains_key(&start) && old >= payload.len() {
            return;
        }
        self.held = self.held.saturating_add(payload.len()).saturating_add(OVERHEAD);
        let waiting = Waiting { bytes: payload.to_vec(), missing };
        if let Some(old) = self.waiting.insert(start, waiting) {
            self.release(&old);
        }
    }

    fn release(&mut self, waiting: &Waiting) {
        self.held = self.held.saturating_sub(waiting.bytes.len()).saturating_sub(OVERHEAD);
    }

    /// Gives out bytes that start at the current offset, and what is missing up to `end`.
    fn deliver<E>(
        &mut self,
        bytes: &[u8],
        end: u64,
        out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let len = end.saturating_sub(self.offset);
        let gap = len.saturating_sub(length(bytes.len()));
        self.advance(len);
        if !bytes.is_empty() {
            out(Piece::Data(bytes))?;
        }
        if gap > 0 { out(Piece::Gap(gap)) } else { Ok(()) }
    }

    fn advance(&mut self, len: u64) {
        let low = u32::try_from(len & 0xffff_ffff).unwrap_or_default();
        self.next = self.next.map(|next| next.wrapping_add(low));
        self.offset = self.offset.saturating_add(len);
        self.acknowledged_for = 0;
    }

    /// Gives out what waits for nothing any more.
    fn drain<E>(&mut self, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        while let Some(first) = self.waiting.first_entry() {
            let start = *first.key();
            if start > self.offset {
                break;
            }
            let waiting = first.remove();
            self.release(&waiting);
            let end =
                start.saturating_add(length(waiting.bytes.len())).saturating_add(waiting.missing);
            if end > self.offset {
                let known =
                    usize::try_from(self.offset.saturating_sub(start)).unwrap_or(usize::MAX);
                self.deliver(waiting.bytes.get(known..).unwrap_or_default(), end, out)?;
            }
        }
        Ok(())
    }

    /// Gives the hole up and goes on behind it.
    fn skip<E>(&mut self, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        if let Some((first, _)) = self.waiting.first_key_value() {
            let gap = first.saturating_sub(self.offset);
            self.advance(gap);
            if gap > 0 {
                out(Piece::Gap(gap))?;
            }
        }
        self.drain(out)
    }
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
    use core::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    /// What came out: the bytes, a `None` for each byte of a gap.
    #[derive(Default)]
    struct Out(Vec<Option<u8>>);

    impl Out {
        fn take(&mut self, piece: Piece<'_>) -> Result<(), Infallible> {
            match piece {
                Piece::Data(bytes) => self.0.extend(bytes.iter().copied().map(Some)),
                Piece::Gap(n) => self.0.extend(core::iter::repeat_n(None, n as usize)),
            }
            Ok(())
        }
    }

    fn at(seq: u32) -> Tcp {
        Tcp { seq, ..Tcp::default() }
    }

    /// Takes segments of a stream whose first byte has the number `first`.
    fn assemble(first: u32, segments: &[(u32, &[u8])]) -> Vec<Option<u8>> {
        let (mut assembler, mut out) = (Assembler::from_syn(first.wrapping_sub(1)), Out::default());
        for (offset, bytes) in segments {
            let tcp = at(first.wrapping_add(*offset));
            assembler.segment(&tcp, bytes, 0, &mut |piece| out.take(piece)).unwrap();
        }
        assembler.flush(&mut |piece| out.take(piece)).unwrap();
        assert_eq!(assembler.held(), 0);
        out.0
    }

    fn bytes(text: &[u8]) -> Vec<Option<u8>> {
        text.iter().map(|byte| (*byte != b'.').then_some(*byte)).collect()
    }

    #[test]
    fn order_overlap_and_gaps() {
        for first in [0, 1000, u32::MAX - 3] {
            let case = |segments: &[(u32, &[u8])]| assemble(first, segments);
            assert_eq!(case(&[(0, b"abc"), (3, b"def")]), bytes(b"abcdef"));
            assert_eq!(case(&[(3, b"def"), (0, b"abc")]), bytes(b"abcdef"), "out of order");
            assert_eq!(case(&[(0, b"abc"), (0, b"abc"), (3, b"d")]), bytes(b"abcd"), "again");
            assert_eq!(case(&[(0, b"abc"), (1, b"bcde")]), bytes(b"abcde"), "overlap");
            assert_eq!(case(&[(4, b"efg"), (2, b"cde"), (0, b"ab")]), bytes(b"abcdefg"));
            assert_eq!(case(&[(2, b"c"), (2, b"cde"), (0, b"ab")]), bytes(b"abcde"));
            assert_eq!(case(&[(0, b"ab"), (4, b"e")]), bytes(b"ab..e"), "lost");
            assert_eq!(case(&[(0, b"")]), bytes(b""));
        }
    }

    #[test]
    fn a_hole_is_given_up_when_it_was_acknowledged_for_long() {
        let (mut assembler, mut out) = (Assembler::from_syn(99), Out::default());
        assembler.segment(&at(102), b"cd", 0, &mut |piece| out.take(piece)).unwrap();
        for _ in 0..100 {
            assembler.acknowledged(101, true, &mut |piece| out.take(piece)).unwrap();
        }
        assert!(out.0.is_empty(), "only a part of the hole is acknowledged");
        for _ in 0..PATIENCE {
            assembler.acknowledged(104, false, &mut |piece| out.take(piece)).unwrap();
        }
        assert!(out.0.is_empty());
        assembler.acknowledged(104, false, &mut |piece| out.take(piece)).unwrap();
        assert_eq!(out.0, bytes(b"..cd"));
    }

    #[test]
    fn what_waits_is_bounded() {
        let (mut assembler, mut out) = (Assembler::from_syn(0), 0u64);
        let block = [7; 1000];
        for i in 1..20_000u32 {
            let tcp = at(i * 1001 + 1);
            assembler
                .segment(&tcp, &block, 0, &mut |piece| -> Result<(), Infallible> {
                    out += match piece {
                        Piece::Data(bytes) => bytes.len() as u64,
                        Piece::Gap(n) => n,
                    };
                    Ok(())
                })
                .unwrap();
            assert!(assembler.held() <= MAX_WAITING + 2 * block.len());
        }
        assert!(out > 10_000_000);
    }

    #[test]
    fn bytes_that_the_capture_cut_off_are_a_gap() {
        let (mut assembler, mut out) = (Assembler::from_syn(99), Out::default());
        assembler.segment(&at(104), b"ef", 2, &mut |piece| out.take(piece)).unwrap();
        assembler.segment(&at(100), b"ab", 2, &mut |piece| out.take(piece)).unwrap();
        assembler.segment(&at(108), b"i", 0, &mut |piece| out.take(piece)).unwrap();
        assert_eq!(out.0, bytes(b"ab..ef..i"));
    }

    #[test]
    fn the_syn_of_a_stream_is_known_again() {
        let (mut assembler, mut out) = (Assembler::from_syn(u32::MAX), Out::default());
        assembler.segment(&at(0), b"abc", 0, &mut |piece| out.take(piece)).unwrap();
        assert!(assembler.began_at(u32::MAX));
        assert!(!assembler.began_at(500));
        assert!(!Assembler::default().began_at(0));
    }

    proptest! {
        /// Whatever the order, as long as every byte comes, the stream comes out; and whatever is
        /// missing, no byte is invented or moved.
        #[test]
        fn any_order(
            first: u32,
            cuts in prop::collection::vec((0usize..500, 1usize..90), 1..40),
            all: bool,
        ) {
            let stream: Vec<u8> = (0..600u32).map(|i| (i * 7 % 251) as u8).collect();
            let mut segments: Vec<(u32, &[u8])> =
                cuts.iter().map(|(at, len)| (*at as u32, &stream[*at..at + len])).collect();
            if all {
                segments.extend(stream.chunks(50).enumerate().map(|(i, c)| (i as u32 * 50, c)));
            }
            let out = assemble(first, &segments);
            if all {
                prop_assert_eq!(out.len(), stream.len());
            }
            for (i, byte) in out.iter().enumerate() {
                prop_assert!(byte.is_none_or(|byte| byte == stream[i]));
                let sent = segments.iter().any(|(at, s)| {
                    (*at as usize..*at as usize + s.len()).contains(&i)
                });
                prop_assert_eq!(byte.is_some(), sent);
            }
        }
    }
}
