//! F2: records in fragments on demand, partial sends, datagrams; case B14 on the sending side.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic
)]

mod common;

use std::io::IoSlice;

use common::case;
use nfswire_rpc::{
    Class, Datagram, DatagramError, FragmentHeader, Fragments, QueueLimits, RecordBuffer,
    RecordMark, RecordSender, ReplyHeader, SendQueue,
};
use nfswire_xdr::{Chunk, Encoder, FileRange, Message, Payload, Position, Segments};
use proptest::prelude::*;

/// The reply of B14: xid, no attributes, count 8, end of file, 8 bytes of data by reference.
fn read_reply<'p>(e: &mut Encoder<'_, 'p>, data: &'p [u8]) {
    e.put(&ReplyHeader::success(0x4e46_5314)).unwrap();
    e.put(&[0u32, 0, u32::try_from(data.len()).unwrap(), 1]).unwrap();
    e.put(&Payload::from(data)).unwrap();
}

/// A socket that takes `k` bytes of a vectored send, and nothing at every third one.
struct Socket {
    k: usize,
    calls: usize,
    /// Slices of the last send.
    slices: usize,
    stream: Vec<u8>,
}

impl Socket {
    fn new(k: usize) -> Self {
        Self { k, calls: 0, slices: 0, stream: vec![] }
    }

    fn writev(&mut self, slices: &[IoSlice<'_>]) -> usize {
        self.calls += 1;
        self.slices = slices.len();
        if self.calls.is_multiple_of(3) {
            return 0; // would block
        }
        let before = self.stream.len();
        let mut left = self.k;
        for slice in slices {
            let n = slice.len().min(left);
            self.stream.extend_from_slice(&slice[..n]);
            left -= n;
        }
        self.stream.len() - before
    }
}

fn send(message: &Message<'_, '_>, socket: &mut Socket) {
    let mut at = Position::START;
    while !message.is_end(at) {
        let mut slices = [IoSlice::new(&[]); 4];
        let used = message.io_slices(at, &mut slices);
        let n = socket.writev(&slices[..used]);
        at = message.advance(at, n);
    }
}

#[test]
fn b14_the_mark_goes_out_once_and_first_however_little_the_socket_takes() {
    let expected = case("B14a");
    let data = *b"DATADATA";
    for k in 1..=expected.len() {
        // The mark in the head.
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let mark = RecordMark::reserve(&mut e).unwrap();
        read_reply(&mut e, &data);
        mark.close(&mut e).unwrap();
        e.finish();
        let mut socket = Socket::new(k);
        send(&segments.view(&head), &mut socket);
        assert_eq!(socket.stream, expected, "{k} bytes at a time");

        // The mark apart.
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        read_reply(&mut e, &data);
        let len = u32::try_from(e.finish()).unwrap();
        let mark = FragmentHeader::new(true, len).unwrap().to_bytes();
        let mut socket = Socket::new(k);
        send(&segments.view(&head).behind(&mark), &mut socket);
        assert_eq!(socket.stream, expected, "{k} bytes at a time");

        // The mark made by the sender.
        let mut sender = RecordSender::new(segments.view(&head), u32::MAX).unwrap();
        let mut socket = Socket::new(k);
        while !sender.is_end() {
            let mut slices = [IoSlice::new(&[]); 4];
            let used = sender.io_slices(&mut slices);
            let n = socket.writev(&slices[..used]);
            sender.sent(n);
        }
        assert_eq!(socket.stream, expected, "{k} bytes at a time");
    }
}

#[test]
fn b14_after_an_error_the_sender_knows_whether_a_record_is_cut() {
    // A client: two calls queued as whole records.
    let record = case("B14a");
    for total in 0..=2 * record.len() {
        let mut queue = SendQueue::new(QueueLimits::DEFAULT).unwrap();
        for _ in 0..2 {
            queue.push(Class::Small, None, record.len() as u64, &record).unwrap();
        }
        queue.begin(u64::MAX);
        // The connection breaks after this many bytes.
        queue.sent(total as u64).unwrap();
        assert_eq!(queue.is_at_boundary(), total % record.len() == 0, "{total} bytes");
        while queue.pop_sent().is_some() {}
        // On the next connection whole records go out, the one that was cut from its mark on.
        queue.restart();
        let mut stream: Vec<u8> = vec![];
        for sending in queue.sending() {
            stream.extend(&sending.message[sending.sent as usize..]);
        }
        assert_eq!(stream, record.repeat(2 - total / record.len()));
    }
}

#[test]
fn one_vectored_send_a_reply_at_every_payload_size() {
    let data: Vec<u8> = (0..1 << 20).map(|i| i as u8).collect();
    // Around every length from which a payload might be treated otherwise.
    let around = (12..=20).flat_map(|shift| (1 << shift) - 3..=(1 << shift) + 3);
    for len in (0..2100).chain(around.filter(|len| *len <= data.len())) {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let mark = RecordMark::reserve(&mut e).unwrap();
        read_reply(&mut e, &data[..len]);
        mark.close(&mut e).unwrap();
        e.finish();
        // A socket that takes all needs one call, of a head, a payload and a pad.
        let mut in_head = Socket::new(usize::MAX);
        send(&segments.view(&head), &mut in_head);
        assert_eq!(in_head.calls, 1, "{len} bytes of payload");
        assert!(in_head.slices <= 3, "{} slices", in_head.slices);

        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        read_reply(&mut e, &data[..len]);
        let mark = FragmentHeader::new(true, u32::try_from(e.finish()).unwrap()).unwrap();
        let mut apart = Socket::new(usize::MAX);
        send(&segments.view(&head).behind(&mark.to_bytes()), &mut apart);
        assert_eq!(apart.calls, 1, "{len} bytes of payload, the mark apart");

        let mut by_sender = Socket::new(usize::MAX);
        let mut sender = RecordSender::new(segments.view(&head), u32::MAX).unwrap();
        while !sender.is_end() {
            let mut slices = [IoSlice::new(&[]); 4];
            let used = sender.io_slices(&mut slices);
            let n = by_sender.writev(&slices[..used]);
            sender.sent(n);
        }
        assert_eq!(by_sender.calls, 1, "{len} bytes of payload, the mark by the sender");
        assert!(apart.stream == in_head.stream && by_sender.stream == in_head.stream);
    }
}

#[test]
fn a_record_in_fragments_with_a_file_range_in_it() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&1u32).unwrap();
    e.put(&Payload::from(FileRange { token: 9, offset: 1000, len: 10 })).unwrap();
    e.put(&2u32).unwrap();
    e.finish();
    let mut sender = RecordSender::new(segments.view(&head), 7).unwrap();
    // Of the stream: bytes, and where bytes of the file stand.
    let (mut stream, mut file) = (vec![], vec![]);
    loop {
        let n = match sender.chunk() {
            Some(Chunk::Bytes(bytes)) => {
                let bytes = &bytes[..bytes.len().min(2)];
                stream.extend(bytes.iter().map(|byte| Some(*byte)));
                bytes.len()
            }
            Some(Chunk::File(range)) => {
                assert_eq!(range.token, 9);
                let n = range.len.min(3) as usize;
                file.extend(range.offset..range.offset + n as u64);
                stream.extend(vec![None; n]);
                n
            }
            None => break,
        };
        sender.sent(n);
    }
    assert_eq!(file, (1000..1010).collect::<Vec<u64>>());
    let plain: Vec<Option<u8>> = [0, 0, 0, 1, 0, 0, 0, 10]
        .map(Some)
        .into_iter()
        .chain([None; 10])
        .chain([0, 0, 0, 0, 0, 2].map(Some))
        .collect();
    let mut expected = vec![];
    for (mark, range) in Fragments::new(plain.len() as u64, 7).unwrap() {
        expected.extend(mark.to_bytes().map(Some));
        expected.extend(&plain[range.start as usize..range.end as usize]);
    }
    assert_eq!(stream, expected);
}

#[test]
fn lengths_on_the_wire() {
    let len = |len, max| RecordSender::wire_len(len, max);
    assert_eq!([len(0, 5), len(5, 5), len(6, 5), len(7, 0)], [Some(4), Some(9), Some(14), None]);
    assert_eq!(len(1 << 32, u32::MAX), Some((1 << 32) + 12));
    assert_eq!(len(u64::MAX, 1), None);
    assert!(RecordSender::new(Segments::new().view(&[][..]), 0).is_none());
}

proptest! {
    #[test]
    fn any_fragments_any_sends_the_same_record(
        words in prop::collection::vec(any::<u32>(), 0..20),
        data in prop::collection::vec(any::<u8>(), 0..200),
        max_fragment in 1u32..300,
        takes in prop::collection::vec(1usize..50, 1..10),
        room in 1usize..5,
    ) {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        for word in &words {
            e.put(word).unwrap();
        }
        e.put(&Payload::from(&data[..])).unwrap();
        e.put(&7u32).unwrap();
        e.finish();
        let message = segments.view(&head);
        let record = message.to_vec().unwrap();
        let mut takes = takes.iter().cycle();
        let mut stream = vec![];
        let mut sender = RecordSender::new(message, max_fragment).unwrap();
        while !sender.is_end() {
            let mut slices = vec![IoSlice::new(&[]); room];
            let used = sender.io_slices(&mut slices);
            prop_assert!(used > 0);
            // The first slice is what `chunk` shows.
            prop_assert_eq!(sender.chunk(), Some(Chunk::Bytes(&slices[0])));
            let before = stream.len();
            let take = *takes.next().unwrap();
            stream.extend(slices[..used].iter().flat_map(|slice| slice.iter()).take(take));
            let n = stream.len() - before;
            sender.sent(n);
        }
        prop_assert_eq!(sender.chunk(), None);
        let len = RecordSender::wire_len(record.len() as u64, max_fragment);
        prop_assert_eq!(len, Some(stream.len() as u64));
        let mut expected = vec![];
        for (mark, range) in Fragments::new(record.len() as u64, max_fragment).unwrap() {
            expected.extend(mark.to_bytes());
            expected.extend(&record[range.start as usize..range.end as usize]);
        }
        prop_assert_eq!(&stream, &expected);
        // And back.
        let mut receive = RecordBuffer::default();
        receive.spare()[..stream.len()].copy_from_slice(&stream);
        receive.filled(stream.len()).unwrap();
        prop_assert_eq!(receive.next_record(), Ok(Some(&record[..])));
    }
}

#[test]
fn datagrams_go_whole_or_not_at_all() {
    let buffer = [7; 100];
    assert_eq!(Datagram::received(&buffer, 100), Ok(&buffer[..]));
    assert_eq!(Datagram::received(&buffer, 1), Ok(&buffer[..1]));
    assert_eq!(Datagram::received(&buffer, 0), Err(DatagramError::Empty));
    let error = Datagram::received(&buffer, 101).unwrap_err();
    assert_eq!(error, DatagramError::CutOff { len: 101, room: 100 });
    assert!(error.to_string().contains("101 bytes was cut off by a receive buffer of 100"));

    let data = vec![0; 70_000];
    for (len, ok) in [(65_507 - 4 - 3, true), (65_500, true), (65_504, false), (70_000, false)] {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&Payload::from(&data[..len])).unwrap();
        e.finish();
        let message = segments.view(&head);
        let limit = Datagram::MAX_LEN;
        let expected =
            if ok { Ok(()) } else { Err(DatagramError::TooLong { len: message.len(), limit }) };
        assert_eq!(Datagram::check(&message), expected, "{len} bytes of payload");
    }
}
