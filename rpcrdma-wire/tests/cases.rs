//! Bytes that broke other implementations (testdata/cases), and what else must be refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic)]

#[path = "common/wire.rs"]
mod wire;

use core::num::NonZeroU32;
use std::fs;

use nfswire_rdma::{
    Budget, ChunkError, ChunkSlices, Direction, Endpoint, Header, HeaderError, Kind, ReadSegment,
    Received, Refusal, Reverse, Role, Segment, receive,
};
use wire::{testdata, unhex};

const RESPONDER: Endpoint = Endpoint::new(Role::Responder);
const REQUESTER: Endpoint = Endpoint::new(Role::Requester);

fn case(name: &str) -> Vec<u8> {
    let text = fs::read_to_string(testdata(&format!("cases/{name}.hex"))).unwrap();
    let (head, hex) = text.split_once('\n').unwrap();
    assert!(head.starts_with(&format!("# {name} ")));
    unhex(hex)
}

fn received(message: &[u8], endpoint: Endpoint) -> Received<'_> {
    receive(message, endpoint, &Budget::DEFAULT).unwrap()
}

#[test]
fn b35_where_the_rpc_message_starts() {
    for (name, len) in [("B35a", 48), ("B35b", 28), ("B35c", 112)] {
        let message = case(name);
        let received = received(&message, RESPONDER);
        assert_eq!((received.header_len(), received.inline().len()), (len, 40), "{name}");
        assert_eq!(received.inline()[..4], received.header().xid().to_be_bytes());
        assert_eq!(received.direction(), Some(Direction::Call));
        let mut head = [0xff; 256];
        assert_eq!(received.header().write_to(&mut head), Ok(len));
        assert_eq!(head[..len], message[..len]);
    }
}

#[test]
fn b36_versions_and_credits() {
    let message = case("B36a");
    let refusal = receive(&message, RESPONDER, &Budget::DEFAULT).unwrap_err();
    assert_eq!(refusal.reason, HeaderError::Version { version: 2 });
    let mut answer = [0; 28];
    let header = refusal.answer.unwrap().header(NonZeroU32::new(32).unwrap());
    assert_eq!(header.write_to(&mut answer), Ok(28));
    assert_eq!(answer[..], case("B36b"));
    // The client gets it as what it is; a responder without calls of its own drops it.
    let error = received(&answer, REQUESTER);
    assert_eq!((error.header().version(), error.direction()), (2, None));
    assert!(matches!(error.header().kind(), Kind::Error(_)));
    let deaf = RESPONDER.reverse(Reverse::None);
    assert_eq!(receive(&answer, deaf, &Budget::DEFAULT).unwrap_err().answer, None);
    // A reply of another version is dropped.
    assert_eq!(receive(&message, REQUESTER, &Budget::DEFAULT).unwrap_err().answer, None);

    let (call, reply) = (case("B36c"), case("B36d"));
    for (message, endpoint) in [(&call, RESPONDER), (&reply, REQUESTER)] {
        let received = received(message, endpoint);
        let header = received.header();
        assert_eq!((header.raw_credits(), header.credits()), (0, NonZeroU32::MIN));
        let mut head = [0xff; 28];
        header.write_to(&mut head).unwrap();
        assert_eq!(head[..], message[..28]);
    }
}

/// A message of these words; the RPC message has xid 9.
fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn refused(message: &[u8], endpoint: Endpoint) -> Refusal {
    receive(message, endpoint, &Budget::DEFAULT).unwrap_err()
}

/// Who answers what (RFC 8166, sections 4.2.4, 4.5 and 4.6).
#[test]
fn answers_and_silence() {
    let chunk = |refusal: Refusal| {
        let mut bytes = [0; 28];
        let len = refusal.answer?.header(NonZeroU32::MIN).write_to(&mut bytes).unwrap();
        assert_eq!(bytes[..len], words(&[9, 1, 1, 4, 2]));
        Some(())
    };
    let loud: [(&str, &[u32]); 7] = [
        ("RDMA_MSGP", &[9, 1, 1, 2, 0, 0, 0, 0, 0, 9, 0]),
        ("procedure 9", &[9, 1, 1, 9, 0, 0, 0, 9, 0]),
        ("RDMA_NOMSG without chunks", &[9, 1, 1, 1, 0, 0, 0]),
        ("a list that is cut off", &[9, 1, 1, 0, 1, 8, 1, 4]),
        ("another xid", &[9, 1, 1, 0, 0, 0, 0, 8, 0]),
        ("no RPC message", &[9, 1, 1, 0, 0, 0, 0]),
        ("a flag of 2", &[9, 1, 1, 0, 2, 0, 0, 9, 0]),
    ];
    for (what, message) in loud {
        let message = words(message);
        let message = if message.len() < 28 { [message, vec![0; 4]].concat() } else { message };
        assert!(chunk(refused(&message, RESPONDER)).is_some(), "{what}");
        let requester = REQUESTER.reverse(Reverse::None);
        assert_eq!(refused(&message, requester).answer, None, "{what}");
    }
    let silent: [(&str, &[u32]); 4] = [
        ("RDMA_DONE", &[9, 1, 1, 3]),
        ("RDMA_DONE, padded", &[9, 1, 1, 3, 0, 0, 0]),
        ("shorter than any header", &[9, 1, 1, 0, 0, 0]),
        ("an error that is none", &[9, 1, 1, 4, 7, 0, 0]),
    ];
    for (what, message) in silent {
        assert_eq!(refused(&words(message), RESPONDER).answer, None, "{what}");
        assert_eq!(refused(&words(message), REQUESTER).answer, None, "{what}");
    }
    // A reply with Read chunks is dropped by everybody.
    let reply = words(&[9, 1, 1, 0, 1, 8, 1, 4, 0, 0, 0, 0, 0, 9, 1]);
    assert_eq!(
        refused(&reply, RESPONDER),
        Refusal { reason: HeaderError::ReadsInReply, answer: None }
    );
    // A callback with chunks is answered, unless chunks are supported there (RFC 8167).
    let callback = words(&[9, 1, 1, 0, 0, 0, 1, 1, 1, 4, 0, 0, 9, 0]);
    assert_eq!(refused(&callback, REQUESTER).reason, HeaderError::ReverseChunks);
    assert!(chunk(refused(&callback, REQUESTER)).is_some());
    received(&callback, REQUESTER.reverse(Reverse::Chunks));
}

fn check(reads: &[ReadSegment], inline: Option<u32>) -> Result<(), HeaderError> {
    let lists = ChunkSlices { reads, ..ChunkSlices::NONE };
    let credits = NonZeroU32::MIN;
    // The same when it is received.
    let mut message = vec![0; 4096];
    let made = match inline {
        Some(inline) => Header::msg(9, credits, &lists, inline),
        None => Header::nomsg(9, credits, &lists),
    };
    let mut raw = words(&[9, 1, 1, u32::from(inline.is_none())]);
    for ReadSegment { position, target: Segment { handle, length, offset } } in reads {
        raw.extend(words(&[1, *position, *handle, *length]));
        raw.extend(offset.to_be_bytes());
    }
    raw.extend([0; 12]);
    let mut body = vec![0; inline.unwrap_or(0) as usize];
    body.iter_mut().zip(9u32.to_be_bytes()).for_each(|(to, byte)| *to = byte);
    raw.extend(body);
    let got = receive(&raw, RESPONDER, &Budget::UNLIMITED);
    match (&made, &got) {
        (Ok(header), Ok(received)) => {
            assert_eq!(header, received.header());
            let len = header.write_to(&mut message).unwrap();
            assert_eq!(message[..len], raw[..len]);
        }
        (Err(made), Err(refusal)) => {
            assert_eq!(*made, refusal.reason);
            assert!(refusal.answer.is_some());
        }
        other => panic!("{other:?}"),
    }
    made.map(drop)
}

#[test]
fn read_chunks() {
    let at = |position, length| ReadSegment {
        position,
        target: Segment { handle: 1, length, offset: 0x1000 },
    };
    let error = |e: ChunkError| Err(HeaderError::Chunk(e));
    assert_eq!(check(&[at(8, 100)], Some(8)), Ok(()));
    assert_eq!(check(&[at(12, 100)], Some(8)), error(ChunkError::Outside { at: 12, len: 8 }));
    assert_eq!(check(&[at(6, 100)], Some(8)), error(ChunkError::Unaligned { position: 6 }));
    assert_eq!(check(&[at(0, 100)], Some(8)), error(ChunkError::TwoMessages));
    // Segments of one chunk; the pad of 97 bytes is not sent, but counts.
    assert_eq!(check(&[at(8, 90), at(8, 7), at(108, 4)], Some(8)), Ok(()));
    assert_eq!(
        check(&[at(8, 90), at(8, 7), at(104, 4)], Some(8)),
        error(ChunkError::Order { position: 104, end: 108 })
    );
    assert_eq!(
        check(&[at(8, 4), at(4, 4)], Some(8)),
        error(ChunkError::Order { position: 4, end: 12 })
    );
    assert_eq!(
        check(&[at(8, 97), at(112, 4)], Some(8)),
        error(ChunkError::Outside { at: 12, len: 8 })
    );
    // The call itself in a chunk, and a part of it in another.
    assert_eq!(check(&[at(0, 40), at(0, 60), at(100, 5000)], None), Ok(()));
    assert_eq!(
        check(&[at(0, 100), at(104, 5000)], None),
        error(ChunkError::Outside { at: 104, len: 100 })
    );
    assert_eq!(check(&[at(100, 5000)], None), Err(HeaderError::NoMessage));
    let far = Segment { handle: 1, length: 2, offset: u64::MAX - 1 };
    assert_eq!(
        check(&[ReadSegment { position: 8, target: far }], Some(8)),
        error(ChunkError::Wraps { offset: u64::MAX - 1, length: 2 })
    );
}

#[test]
fn budgets_and_empty_chunks() {
    let of = |write: &[u32], budget: Budget| {
        let mut message = vec![9, 1, 1, 0, 0];
        message.extend(write);
        message.extend([0, 0, 9, 0]);
        receive(&words(&message), RESPONDER, &budget).map(|_| ()).map_err(|e| e.reason)
    };
    let chunk = |e: ChunkError| Err(HeaderError::Chunk(e));
    let two = [1, 2, 1, 4096, 0, 0, 1, 4096, 0, 0];
    assert_eq!(of(&two, Budget::DEFAULT.bytes(0, 8192).segments(2)), Ok(()));
    assert_eq!(
        of(&two, Budget::DEFAULT.bytes(0, 8191)),
        chunk(ChunkError::TooManyBytes { bytes: 8192, limit: 8191 })
    );
    assert_eq!(
        of(&two, Budget::DEFAULT.segments(1)),
        chunk(ChunkError::TooManySegments { limit: 1 })
    );
    assert_eq!(of(&[1, 0], Budget::DEFAULT), chunk(ChunkError::NoSegments));
    assert_eq!(of(&[1, 0], Budget::DEFAULT.empty_write_chunks(true)), Ok(()));
    // A count that the message cannot hold.
    assert!(matches!(of(&[1, u32::MAX], Budget::UNLIMITED), Err(HeaderError::Xdr(_))));
}
