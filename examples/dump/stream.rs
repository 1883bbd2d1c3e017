//! From the bytes of a stream to its records, also where the stream is seen from the middle.

use core::mem;

use nfswire_rpc::{FragmentHeader, MessageType, RPC_VERSION, RecordLimits, RecordReader};

/// Bytes that are looked at to tell whether a record starts here: a mark, and the words of a call up
/// to the length of its credential.
const LOOK: usize = 36;
/// Bytes of a mark.
const MARK: usize = 4;
/// Memory that a direction keeps between records.
const KEEP: usize = 64 << 10;
/// Longest body of a credential or verifier (RFC 5531, section 8.2).
const MAX_AUTH: u32 = 400;

/// What comes out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Item<'b> {
    /// A whole record, without its marks.
    Record(&'b [u8]),
    /// So many bytes were passed over to find a record, or belonged to one that is not whole.
    Skipped(u64),
}

/// One direction of a connection.
#[derive(Debug)]
pub(crate) struct Records {
    limits: RecordLimits,
    state: State,
    /// A record was found in this stream.
    spoke: bool,
}

#[derive(Debug)]
enum State {
    /// It is not known where records start.
    Lost { tail: Vec<u8>, skipped: u64 },
    /// A record starts where the last one ended.
    Found { reader: RecordReader, buffer: Vec<u8> },
}

impl State {
    const LOST: Self = Self::Lost { tail: Vec::new(), skipped: 0 };

    const fn found(limits: RecordLimits) -> Self {
        Self::Found { reader: RecordReader::new(limits), buffer: Vec::new() }
    }
}

impl Records {
    /// A stream whose first byte starts a record, or one that is seen from the middle.
    pub(crate) const fn new(max_record: u32, from_start: bool) -> Self {
        let limits = RecordLimits { max_record, ..RecordLimits::DEFAULT };
        let state = if from_start { State::found(limits) } else { State::LOST };
        Self { limits, state, spoke: false }
    }

    /// Whether a record was found in this stream.
    pub(crate) const fn spoke(&self) -> bool {
        self.spoke
    }

    /// Bytes of memory in use.
    pub(crate) const fn held(&self) -> usize {
        match &self.state {
            State::Lost { tail, .. } => tail.capacity(),
            State::Found { buffer, .. } => buffer.capacity(),
        }
    }

    /// Takes the next bytes.
    pub(crate) fn data<E>(
        &mut self,
        bytes: &[u8],
        out: &mut impl FnMut(Item<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.state {
            State::Lost { tail, .. } => tail.extend_from_slice(bytes),
            State::Found { buffer, .. } => buffer.extend_from_slice(bytes),
        }
        loop {
            match &mut self.state {
                State::Lost { tail, skipped } => {
                    let found = find(tail, self.limits.max_record);
                    let passed =
                        found.unwrap_or_else(|| tail.len().saturating_sub(LOOK.saturating_sub(1)));
                    *skipped = skipped.saturating_add(length(passed));
                    tail.drain(..passed);
                    if found.is_none() {
                        return Ok(());
                    }
                    if *skipped > 0 {
                        out(Item::Skipped(*skipped))?;
                    }
                    let buffer = mem::take(tail);
                    self.state = State::Found { reader: RecordReader::new(self.limits), buffer };
                }
                State::Found { reader, buffer } => {
                    // A mark is looked at when it is whole, so that a bad one can be looked at again.
                    let at_hand = buffer.len().saturating_sub(reader.place());
                    let found = if reader.is_at_boundary() && at_hand < MARK {
                        Ok(None)
                    } else {
                        reader.advance(buffer)
                    };
                    match found {
                        Ok(Some(record)) => {
                            self.spoke = true;
                            out(Item::Record(buffer.get(record).unwrap_or_default()))?;
                        }
                        Ok(None) => {
                            if !reader.is_at_boundary() {
                                buffer.truncate(reader.place());
                            }
                            let used = reader.base();
                            if reader.rebase(used).is_ok() {
                                buffer.drain(..used);
                            }
                            if buffer.is_empty() && buffer.capacity() > KEEP {
                                buffer.shrink_to(KEEP);
                            }
                            return Ok(());
                        }
                        // A mark that cannot be one: a record may start at the next byte.
                        Err(_) => {
                            let used = reader.base().saturating_add(1).min(buffer.len());
                            buffer.drain(..used);
                            self.state = State::Lost { tail: mem::take(buffer), skipped: 1 };
                        }
                    }
                }
            }
        }
    }

    /// Bytes are missing here, or the stream ends: what was begun is not finished.
    pub(crate) fn gap<E>(
        &mut self,
        out: &mut impl FnMut(Item<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let skipped = match mem::replace(&mut self.state, State::LOST) {
            State::Lost { tail, skipped } => skipped.saturating_add(length(tail.len())),
            State::Found { reader, buffer } if reader.is_at_boundary() => length(buffer.len()),
            State::Found { reader, .. } => {
                u64::from(FragmentHeader::SIZE).saturating_add(reader.received().into())
            }
        };
        if skipped > 0 { out(Item::Skipped(skipped)) } else { Ok(()) }
    }
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// The first place at which a record seems to start.
fn find(bytes: &[u8], max_record: u32) -> Option<usize> {
    bytes.windows(LOOK).position(|window| starts_record(window, max_record)).or_else(|| {
        // A short reply can be all that is there.
        let end = bytes.len().saturating_sub(LOOK.saturating_sub(1));
        (end..bytes.len()).find(|at| {
            bytes.get(*at..).is_some_and(|rest| starts_record(rest, max_record) && whole(rest))
        })
    })
}

/// Whether one record of one fragment fills the bytes.
fn whole(bytes: &[u8]) -> bool {
    bytes.split_first_chunk().is_some_and(|(mark, rest)| {
        u32::try_from(rest.len()) == Ok(FragmentHeader::from_bytes(*mark).fragment_len())
    })
}

/// Whether a mark of a whole record, and then the header of an RPC message.
fn starts_record(bytes: &[u8], max_record: u32) -> bool {
    let Some((mark, message)) = bytes.split_first_chunk() else { return false };
    let mark = FragmentHeader::from_bytes(*mark);
    let len = mark.fragment_len();
    mark.is_last() && len.is_multiple_of(4) && len <= max_record && plausible(message, len)
}

/// Whether bytes look like the start of an RPC message of `len` bytes.
pub(crate) fn plausible(message: &[u8], len: u32) -> bool {
    let mut words = message.as_chunks().0.iter().map(|bytes| u32::from_be_bytes(*bytes));
    let mut word = || words.next();
    let (Some(_xid), Some(kind)) = (word(), word()) else { return false };
    if kind == MessageType::Call as u32 {
        let (Some(rpc), Some(program), Some(version), Some(procedure)) =
            (word(), word(), word(), word())
        else {
            return false;
        };
        let (Some(flavor), Some(auth)) = (word(), word()) else { return false };
        len >= 40
            && rpc == RPC_VERSION
            && program > 0
            && program < 0x8000_0000
            && version < 0x1_0000
            && procedure < 0x1_0000
            && known_flavor(flavor)
            && auth <= MAX_AUTH
            && auth.is_multiple_of(4)
    } else if kind == MessageType::Reply as u32 {
        let (Some(stat), Some(second), Some(third)) = (word(), word(), word()) else {
            return false;
        };
        match stat {
            // A verifier, then how it went.
            0 => {
                let stat_is_one = third != 0 || word().is_some_and(|stat| stat <= 5);
                len >= 24 && known_flavor(second) && third <= MAX_AUTH && stat_is_one
            }
            // Versions, or why authentication failed.
            1 => (second == 0 && len == 24) || (second == 1 && len == 20),
            _ => false,
        }
    } else {
        false
    }
}

/// Flavors that are in use (the registry of RFC 5531, section 14).
const fn known_flavor(flavor: u32) -> bool {
    flavor <= 7
        || matches!(flavor, 30_001 | 200_000 | 200_004 | 300_000..=300_002 | 390_000..=390_011)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
    use core::convert::Infallible;

    use super::*;

    fn call(xid: u32, args: usize) -> Vec<u8> {
        let words = [xid, 0, 2, 100_003, 3, 6, 0, 0, 0, 0];
        let mut message: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        message.resize(40 + args, 0xee);
        message
    }

    fn marked(message: &[u8]) -> Vec<u8> {
        let mark = FragmentHeader::new(true, message.len() as u32).unwrap();
        [&mark.to_bytes()[..], message].concat()
    }

    /// The records that come out, and how many bytes were skipped before each and at the end.
    fn run(records: &mut Records, stream: &[u8], step: usize) -> (Vec<Vec<u8>>, Vec<u64>) {
        let (mut found, mut skipped) = (Vec::new(), Vec::new());
        let mut out = |item: Item<'_>| -> Result<(), Infallible> {
            match item {
                Item::Record(record) => found.push(record.to_vec()),
                Item::Skipped(n) => skipped.push(n),
            }
            Ok(())
        };
        for bytes in stream.chunks(step) {
            records.data(bytes, &mut out).unwrap();
        }
        records.gap(&mut out).unwrap();
        (found, skipped)
    }

    #[test]
    fn records_from_the_start_and_from_the_middle() {
        let (one, two) = (call(1, 60), call(2, 0));
        let stream = [marked(&one), marked(&two)].concat();
        for step in [1, 3, 50, 1000] {
            let mut records = Records::new(1 << 20, true);
            assert_eq!(run(&mut records, &stream, step), (vec![one.clone(), two.clone()], vec![]));
            // The middle: the second record is found, at every byte.
            for cut in 1..stream.len() - two.len() - 4 {
                let mut records = Records::new(1 << 20, false);
                let (found, skipped) = run(&mut records, &stream[cut..], step);
                assert_eq!(found, [two.as_slice()], "cut at {cut}");
                assert_eq!(skipped, [(stream.len() - two.len() - 4 - cut) as u64]);
            }
        }
    }

    #[test]
    fn a_reply_at_the_end_of_what_is_there_is_found() {
        let words = [7, 1, 0, 0, 0, 0];
        let reply: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
        let stream = [&[0xaa; 9][..], &marked(&reply)].concat();
        let mut records = Records::new(1 << 20, false);
        assert_eq!(run(&mut records, &stream, 1000), (vec![reply], vec![9]));
    }

    #[test]
    fn garbage_between_records_is_passed_over() {
        let (one, two) = (call(1, 8), call(2, 12));
        let garbage = *b"GET / HTTP/1.1\r\nHost: example\r\n\r\n";
        let stream = [marked(&one), garbage.to_vec(), marked(&two)].concat();
        for step in [1, 7, 1000] {
            let mut records = Records::new(1 << 20, true);
            let (found, skipped) = run(&mut records, &stream, step);
            assert_eq!(found.first(), Some(&one), "step {step}");
            assert_eq!(skipped, [garbage.len() as u64], "step {step}");
            assert_eq!(found.last(), Some(&two), "step {step}");
        }
    }

    #[test]
    fn a_record_that_does_not_end_is_told() {
        let stream = marked(&call(1, 100));
        let mut records = Records::new(1 << 20, true);
        let (found, skipped) = run(&mut records, &stream[..stream.len() - 1], 1000);
        assert_eq!((found.len(), skipped), (0, vec![stream.len() as u64 - 1]));
    }

    #[test]
    fn a_hostile_mark_costs_no_memory() {
        let mut records = Records::new(0x7fff_ffff, true);
        let stream = [0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4];
        records.data(&stream, &mut |_| -> Result<(), Infallible> { Ok(()) }).unwrap();
        assert!(records.held() <= 64 << 10);
    }
}
