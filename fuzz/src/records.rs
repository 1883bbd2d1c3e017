//! Record marking.

use nfswire_rpc::{FragmentHeader, RecordBuffer, RecordError, RecordLimits};

use crate::input::Input;

/// The records of a stream, and what is wrong with it: all of it at hand, in the plainest way.
fn plain(mut stream: &[u8], limits: RecordLimits) -> (Vec<Vec<u8>>, Option<RecordError>) {
    let (mut records, mut record, mut fragments) = (Vec::new(), Vec::new(), 0);
    while let Some((mark, rest)) = stream.split_first_chunk() {
        let mark = FragmentHeader::from_bytes(*mark);
        let (announced, limit) = (mark.fragment_len(), limits.max_record);
        let received = u32::try_from(record.len()).expect("below the limit");
        if u64::from(announced) + u64::from(received) > limit.into() {
            return (records, Some(RecordError::TooLarge { announced, received, limit }));
        }
        if fragments == limits.max_fragments {
            let limit = limits.max_fragments;
            return (records, Some(RecordError::TooManyFragments { limit }));
        }
        fragments += 1;
        let Some((body, rest)) = rest.split_at_checked(announced as usize) else { break };
        record.extend_from_slice(body);
        stream = rest;
        if mark.is_last() {
            fragments = 0;
            if !record.is_empty() {
                records.push(core::mem::take(&mut record));
            }
        }
    }
    (records, None)
}

/// The same in reads of any length, some of them past the buffer.
fn cut(
    mut stream: &[u8],
    limits: RecordLimits,
    choices: &mut Input<'_>,
    expected: &[Vec<u8>],
) -> (usize, Option<RecordError>) {
    let mut buffer = RecordBuffer::new(limits);
    let (mut found, mut received) = (0, 0);
    loop {
        loop {
            match buffer.next() {
                Err(error) => return (found, Some(error)),
                Ok(None) => break,
                Ok(Some(record)) => {
                    let whole = expected.get(found).expect("no more records than there are");
                    match record.taken {
                        None => assert_eq!(record.bytes, whole),
                        Some(taken) => {
                            let (at, end) = (taken.at as usize, (taken.at + taken.len) as usize);
                            assert_eq!(record.bytes, [&whole[..at], &whole[end..]].concat());
                        }
                    }
                    found += 1;
                }
            }
        }
        assert!(buffer.capacity() <= RecordBuffer::FIRST_ROOM + 2 * received);
        if stream.is_empty() {
            return (found, None);
        }
        let takable = buffer.takable() as usize;
        let choice = choices.byte();
        let most = (1 + usize::from(choice >> 1)).min(stream.len());
        if choice & 1 == 1 && takable > 0 {
            let n = most.min(takable);
            buffer.take(u32::try_from(n).expect("short")).expect("it is takable");
            stream = &stream[n..];
        } else {
            let spare = buffer.spare();
            let n = most.min(spare.len());
            assert!(n > 0, "no room although every record was taken");
            spare[..n].copy_from_slice(&stream[..n]);
            buffer.filled(n).expect("there was room");
            stream = &stream[n..];
            received += n;
        }
    }
}

/// Any stream cut in any way: the records that its marks say.
pub fn records(data: &[u8]) {
    let mut input = Input(data);
    let limits = RecordLimits {
        max_record: 1 + input.word() % 70_000,
        max_fragments: 1 + u32::from(input.byte()) % 20,
    };
    let mut choices = Input(input.bytes(60));
    let stream = input.0;
    let (records, error) = plain(stream, limits);
    let (found, failed) = cut(stream, limits, &mut choices, &records);
    assert_eq!((found, failed), (records.len(), error));
}
