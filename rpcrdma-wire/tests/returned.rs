//! What a requester believes of the chunks that come back (R4), and puts together of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

use core::num::NonZeroU32;

use nfswire_rdma::{
    ChunkSlices, ErrorReply, Header, ReadSegment, Segment,
    placement::{Offer, Reduce, Room, SendLimits, Stream, choose, fill},
    requester::{
        Arguments, BadReturn, Expected, Limits, NoPlan, check_chunk, check_invalidated,
        check_reply, check_returned, check_writes, plan, rejoin,
    },
};
use proptest::prelude::*;

const fn segment(handle: u32, length: u32, offset: u64) -> Segment {
    Segment { handle, length, offset }
}

const OFFERED: [Segment; 3] = [segment(1, 100, 7), segment(2, 50, 0), segment(3, 4, u64::MAX - 4)];

fn with_lengths(lengths: [u32; 3]) -> impl Iterator<Item = Segment> {
    OFFERED.into_iter().zip(lengths).map(|(segment, length)| Segment { length, ..segment })
}

#[test]
fn honest_chunks() {
    for (lengths, total) in [
        ([0, 0, 0], 0),
        ([1, 0, 0], 1),
        ([100, 0, 0], 100),
        ([100, 50, 0], 150),
        ([100, 20, 0], 120),
        ([100, 50, 4], 154),
    ] {
        assert_eq!(check_chunk(OFFERED, with_lengths(lengths)), Ok(total));
    }
    // A segment offered with no room is full.
    let offered = [segment(1, 0, 0), segment(2, 8, 0)];
    assert_eq!(check_chunk(offered, offered), Ok(8));
}

#[test]
fn chunks_that_claim_too_much() {
    let check = |returned: &[Segment]| check_chunk(OFFERED, returned.iter().copied());
    let lengths = |lengths| check_chunk(OFFERED, with_lengths(lengths));
    assert_eq!(
        lengths([101, 0, 0]),
        Err(BadReturn::TooLong { segment: 0, offered: 100, claimed: 101 })
    );
    assert_eq!(
        lengths([100, u32::MAX, 0]),
        Err(BadReturn::TooLong { segment: 1, offered: 50, claimed: u32::MAX })
    );
    assert_eq!(lengths([99, 1, 0]), Err(BadReturn::Gap { segment: 1 }));
    assert_eq!(lengths([100, 0, 1]), Err(BadReturn::Gap { segment: 2 }));
    assert_eq!(check(&OFFERED[..2]), Err(BadReturn::Segments { offered: 3, returned: 2 }));
    assert_eq!(check(&[]), Err(BadReturn::Segments { offered: 3, returned: 0 }));
    let more = [OFFERED, OFFERED].concat();
    assert_eq!(check(&more), Err(BadReturn::Segments { offered: 3, returned: 6 }));
    let mut elsewhere = OFFERED;
    elsewhere[2].handle = 9;
    assert_eq!(check(&elsewhere), Err(BadReturn::Elsewhere { segment: 2 }));
    elsewhere = OFFERED;
    elsewhere[0].offset += 1;
    assert_eq!(check(&elsewhere), Err(BadReturn::Elsewhere { segment: 0 }));
}

#[test]
fn lists() {
    let mut lengths = [9; 3];
    assert_eq!(check_writes([OFFERED], [with_lengths([100, 1, 0])], &mut lengths), Ok(()));
    assert_eq!(lengths, [101, 0, 0]);
    // A list that ends early is of chunks that were not used.
    let none: [[Segment; 3]; 0] = [];
    assert_eq!(check_writes([OFFERED], none, &mut lengths), Ok(()));
    assert_eq!(lengths, [0; 3]);
    assert_eq!(
        check_writes([OFFERED], [OFFERED, OFFERED], &mut lengths),
        Err(BadReturn::Chunks { offered: 1 })
    );
    assert_eq!(check_reply(Some(OFFERED), Some(OFFERED)), Ok(154));
    assert_eq!(check_reply(Some(OFFERED), None::<[Segment; 3]>), Ok(0));
    assert_eq!(check_reply(None::<[Segment; 3]>, Some(OFFERED)), Err(BadReturn::ReplyChunk));
    assert_eq!(check_reply(None::<[Segment; 3]>, None::<[Segment; 3]>), Ok(0));
}

#[test]
fn replies() {
    const FULL: &[Segment] = &[segment(5, 64, 0), segment(6, 64, 64)];
    const EMPTY: &[Segment] = &[segment(5, 0, 0), segment(6, 0, 64)];
    const SOME: &[Segment] = &[segment(1, 28, 7), segment(2, 0, 0), segment(3, 0, u64::MAX - 4)];
    const NONE: &[Segment] = &[segment(1, 0, 7), segment(2, 0, 0), segment(3, 0, u64::MAX - 4)];
    let credits = NonZeroU32::MIN;
    let offered = ChunkSlices { reads: &[], writes: &[FULL], reply: Some(&OFFERED) };
    let call = Header::msg(1, credits, &offered, 24).unwrap();
    let call = call.chunks().unwrap();
    let check = |inline: bool, writes: &[&[Segment]], reply| {
        let lists = ChunkSlices { reads: &[], writes, reply };
        let reply = match inline {
            true => Header::msg(1, credits, &lists, 24).unwrap(),
            false => Header::nomsg(1, credits, &lists).unwrap(),
        };
        let mut lengths = [9; 2];
        check_returned(call, &reply, &mut lengths).map(|length| (length, lengths))
    };
    assert_eq!(check(true, &[EMPTY], Some(NONE)), Ok((0, [0, 0])));
    assert_eq!(check(true, &[FULL], Some(NONE)), Ok((0, [128, 0])));
    // Servers leave chunks out that they did not use.
    assert_eq!(check(true, &[], None), Ok((0, [0, 0])));
    assert_eq!(check(false, &[EMPTY], Some(SOME)), Ok((28, [0, 0])));
    let twice = Err(BadReturn::TwoReplies { claimed: 28 });
    assert_eq!(check(true, &[EMPTY], Some(SOME)), twice);
    assert_eq!(check(false, &[EMPTY], Some(NONE)), Err(BadReturn::NoReply));
    let error = ErrorReply::chunk(1).header(credits);
    assert_eq!(check_returned(call, &error, &mut []), Err(BadReturn::Error));

    for handle in [5, 6, 1, 2, 3] {
        assert_eq!(check_invalidated(call, handle), Ok(()));
    }
    assert_eq!(check_invalidated(call, 4), Err(BadReturn::Invalidated { handle: 4 }));
    // A Read chunk's handle is the call's too.
    let reads = [ReadSegment { position: 4, target: segment(8, 4, 0) }];
    let lists = ChunkSlices { reads: &reads, ..ChunkSlices::NONE };
    let call = Header::msg(1, credits, &lists, 24).unwrap();
    assert_eq!(check_invalidated(call.chunks().unwrap(), 8), Ok(()));
}

fn any_segment() -> impl Strategy<Value = Segment> {
    (0..3u32, prop_oneof![0..9u32, any::<u32>()], 0..3u64)
        .prop_map(|(handle, length, offset)| segment(handle, length, offset))
}

proptest! {
    // Whatever comes back: what is believed is within what was offered, and is what an honest
    // responder sends for that many bytes.
    #[test]
    fn never_more_than_offered(
        offered in proptest::collection::vec(any_segment(), 0..5),
        returned in proptest::collection::vec(any_segment(), 0..5),
    ) {
        if let Ok(total) = check_chunk(offered.iter().copied(), returned.iter().copied()) {
            prop_assert!(total <= Room::of(offered.iter().copied()).length);
            prop_assert!(fill(offered.iter().copied(), total).eq(returned));
        }
    }

    #[test]
    fn what_is_filled_is_believed(
        offered in proptest::collection::vec(any_segment(), 0..6),
        length in prop_oneof![0..40u64, any::<u64>()],
    ) {
        let room = Room::of(offered.iter().copied()).length;
        let filled = fill(offered.iter().copied(), length);
        prop_assert_eq!(check_chunk(offered.iter().copied(), filled), Ok(length.min(room)));
    }

    // Places that make no sense: everything there is comes out, in order, and it ends.
    #[test]
    fn rejoining_anything(
        body in proptest::collection::vec(any::<u8>(), 0..60),
        placed in proptest::collection::vec(
            (prop_oneof![0..80u64, any::<u64>()], proptest::collection::vec(1..9u8, 0..9)), 0..6),
    ) {
        let parts = placed.iter().map(|(at, bytes)| (*at, &bytes[..]));
        let pieces: Vec<&[u8]> = rejoin(&body, parts).collect();
        let total: usize = body.len() + placed.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        let joined = pieces.concat();
        prop_assert!(joined.len() >= total && joined.len() <= total + 3 * placed.len());
        prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
    }
}

#[test]
fn plans_that_cannot_be() {
    let mut limits = Limits::new(1024);
    let call = Arguments::inline(&Stream::plain(100));
    let reply = Expected { length: 5000, results: &[], segments: 17 };
    assert_eq!(plan(&call, &reply, &limits), Err(NoPlan::Segments { needed: 17, most: 16 }));
    // A Write chunk of too many segments is not offered; the Reply chunk has to do.
    let results = [Room { length: 4800, segments: 17 }];
    let reply = Expected { length: 5000, results: &results, segments: 16 };
    let planned = plan(&call, &reply, &limits).unwrap();
    assert_eq!((planned.writes, planned.reply), (0, Some(5000)));
    limits.segments = 17;
    let planned = plan(&call, &reply, &limits).unwrap();
    assert_eq!((planned.writes, planned.reply), (1, None));
    limits.segments = 100;
    let reply = Expected { results: &[], segments: 63, ..reply };
    assert_eq!(
        plan(&call, &reply, &limits),
        Err(NoPlan::ReplyHeader { needed: 28 + 4 + 63 * 16, inline: 1024 })
    );
    let call = Arguments { whole: 42, ..Arguments::inline(&Stream::plain(5000)) };
    let needed = 28 + 42 * 24;
    let error = NoPlan::CallHeader { needed, inline: 1024 };
    assert_eq!(plan(&call, &Expected::inline(100), &limits), Err(error));
}

// D1, S7: no decision allocates.
#[test]
fn decisions_allocate_nothing() {
    let rooms = [Room { length: 4096, segments: 2 }; 3];
    let offer = Offer { writes: &rooms, reply: Some(rooms[0]), handle: Some(1) };
    let limits = SendLimits::new(Reduce::Offered);
    let call = Arguments::inline(&Stream::plain(5000));
    let reply = Expected { length: 9000, results: &rooms, segments: 3 };
    let info = allocation_counter::measure(|| {
        choose(&Stream::plain(2000), &offer, &limits).unwrap();
        choose(&Stream::plain(20_000), &offer, &limits).unwrap_err();
        plan(&call, &reply, &Limits::new(1024)).unwrap();
        check_chunk(OFFERED, OFFERED).unwrap();
    });
    assert_eq!(info.count_total, 0);
}
