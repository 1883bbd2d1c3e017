//! The page pool: partial success is progress, and waits are counted exactly. // F4, S12
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::std_instead_of_alloc
)]

use std::collections::VecDeque;

use allocation_counter::measure;
use nfswire_xdr::{Encoder, Opaque, PagePool, PageSource, Pages, Refill, Segments};
use proptest::{collection::vec, prelude::*};

type Page = [u8; 16];

/// A source that gives at most so many pages in each call, in turn; behind the last, none.
struct Source<I> {
    gives: I,
    calls: u64,
    asked: usize,
    made: u8,
}

impl<I: Iterator<Item = usize>> Source<I> {
    fn new(gives: impl IntoIterator<IntoIter = I>) -> Self {
        Self { gives: gives.into_iter(), calls: 0, asked: 0, made: 0 }
    }
}

impl<I: Iterator<Item = usize>> PageSource<Page> for Source<I> {
    fn fill(&mut self, slots: &mut [Option<Page>]) -> usize {
        self.calls += 1;
        self.asked += slots.len();
        let give = self.gives.next().unwrap_or(0).min(slots.len());
        for slot in &mut slots[..give] {
            assert!(slot.is_none(), "a page that is held was offered as a free slot");
            *slot = Some([self.made; 16]);
            self.made = self.made.wrapping_add(1);
        }
        give
    }
}

fn pool<const N: usize>() -> PagePool<Page, [Option<Page>; N]> {
    PagePool::new([None; N])
}

/// The numbers of the pages in order.
fn numbers(pages: &dyn Pages) -> Vec<u8> {
    (0..).map_while(|i| pages.page(i)).map(|page| page[0]).collect()
}

/// The bulk allocator of the regression: one page per call, a request of eight. It slept after every
/// partial success; here no round is a reason to.
#[test]
fn one_page_per_call_never_waits() {
    let (mut source, mut pool) = (Source::new(core::iter::repeat(1)), pool::<8>());
    let mut waits = 0;
    for missing in (0..8).rev() {
        let refill = pool.refill(8, &mut source);
        assert_eq!(refill, Refill { got: 1, missing });
        waits += u64::from(refill.is_stalled());
    }
    assert_eq!(waits, 0);
    assert_eq!(pool.refill(8, &mut source), Refill { got: 0, missing: 0 });
    assert_eq!((pool.stats().rounds, pool.stats().pages, pool.stats().stalled), (8, 8, 0));
    assert_eq!(source.calls, 8, "a full pool asked for more");
    assert_eq!(numbers(&pool), [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// Fails in every way: waits are the rounds without progress, no more and no fewer.
#[test]
fn waits_are_the_rounds_without_progress() {
    let gives = [0, 3, 0, 0, 1, 2, 0, 9];
    let (mut source, mut pool) = (Source::new(gives), pool::<8>());
    let mut waits = 0;
    let mut rounds = 0;
    loop {
        let refill = pool.refill(8, &mut source);
        rounds += 1;
        waits += u64::from(refill.is_stalled());
        if refill.missing == 0 {
            break;
        }
    }
    assert_eq!((rounds, waits), (8, 4));
    let stats = pool.stats();
    assert_eq!((stats.rounds, stats.stalled, stats.pages), (rounds, waits, 8));
}

/// A want above the slots is a want of all of them, and an empty pool asks for nothing.
#[test]
fn bounds() {
    let (mut source, mut some) = (Source::new(core::iter::repeat(100)), pool::<3>());
    assert_eq!(some.refill(usize::MAX, &mut source), Refill { got: 3, missing: 0 });
    assert_eq!(some.give([9; 16]), Err([9; 16]));
    assert_eq!((some.len(), some.capacity()), (3, 3));
    let mut none = pool::<0>();
    assert_eq!(none.refill(5, &mut source), Refill { got: 0, missing: 0 });
    assert!(!none.refill(5, &mut source).is_stalled());
    assert_eq!((none.take(), none.give([9; 16])), (None, Err([9; 16])));
    assert!(none.is_empty() && none.page(0).is_none() && none.page_mut(0).is_none());
    assert_eq!(some.move_to(&mut none, 1), 0);
    assert_eq!(none.move_to(&mut some, 1), 0);
    assert_eq!((source.calls, some.len()), (1, 3));

    let kept = PagePool::new(vec![None, Some([1u8; 4]), None, Some([2; 4])]);
    assert_eq!((kept.len(), numbers(&kept)), (2, vec![1, 2]));
}

/// A source that claims more than it gave.
#[test]
fn a_source_that_lies() {
    let mut pool = pool::<4>();
    let mut liar = |slots: &mut [Option<Page>]| {
        slots[0] = Some([1; 16]);
        slots[2] = Some([3; 16]);
        usize::MAX
    };
    assert_eq!(pool.refill(4, &mut liar), Refill { got: 1, missing: 3 });
    assert_eq!(numbers(&pool), [1]);
    assert_eq!(pool.refill(4, &mut |_: &mut [Option<Page>]| 7), Refill { got: 0, missing: 3 });
    assert_eq!((pool.stats().stalled, pool.len()), (1, 1));
    assert!(pool.page(1).is_none());
}

/// A server's life: encode into the pool's pages, hand the used ones to the sender, refill, take
/// pages back when they were sent. The source is asked for what was consumed, and nothing allocates.
#[test]
fn refill_work_is_what_was_consumed() {
    let data = [7; 1000];
    let mut source = Source::new(core::iter::repeat(usize::MAX));
    let (mut pool, mut segments) = (pool::<64>(), Segments::new());
    let _ = pool.refill(64, &mut source);
    assert_eq!(source.asked, 64);

    // Segment lists grow once.
    let mut warm = Encoder::pages(&mut pool, &mut segments);
    let long: Opaque<'_> = Opaque::new(&data[..400]).unwrap();
    warm.put(&long).unwrap();
    warm.finish();
    let mut sending = PagePool::new([None; 32]);
    pool.move_to(&mut sending, pool.used());
    sending.move_to(&mut pool, usize::MAX);

    let (mut consumed, mut asked) = (0, source.asked);
    for round in 0..1000 {
        let body: Opaque<'_> = Opaque::new(&data[..round % 400]).unwrap();
        let allocated = measure(|| {
            let mut e = Encoder::pages(&mut pool, &mut segments);
            e.put(&body).unwrap();
            let len = e.finish();
            assert_eq!(pool.used() as u64, len.div_ceil(16));
            consumed += pool.move_to(&mut sending, pool.used());
        });
        assert_eq!(allocated.count_total, 0);
        assert_eq!(pool.used(), 0);
        let message = segments.view(&sending as &dyn Pages);
        assert_eq!(message.to_vec().unwrap()[4..][..body.as_bytes().len()], *body.as_bytes());
        while sending.take().is_some() {}
        let refill = pool.refill(64, &mut source);
        assert_eq!(refill.missing, 0);
        asked += refill.got;
        assert_eq!(source.asked, asked, "asked for more than is missing");
    }
    assert_eq!(source.asked, 64 + consumed);
    assert_eq!(pool.stats().stalled, 0);
}

/// A message that is sent before the next one is encoded needs no other pages.
#[test]
fn pages_can_be_used_again() {
    let mut pool = PagePool::new([Some([0xff; 8]), Some([0xff; 8])]);
    for value in [1u64, 2] {
        let mut segments = Segments::new();
        let mut e = Encoder::pages(&mut pool, &mut segments);
        e.put(&value).unwrap();
        e.finish();
        assert_eq!(pool.used(), 1);
        let message = segments.view(&pool as &dyn Pages);
        assert_eq!(message.to_vec().unwrap(), value.to_be_bytes());
        pool.rewind();
        assert_eq!(pool.used(), 0);
    }
}

#[derive(Clone, Debug)]
enum Op {
    /// What is wanted, and what the source would give in each call of the round.
    Refill(usize, [usize; 2]),
    Take,
    Give,
    /// To another pool and back.
    Move(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (0usize..9, [0usize..9, 0usize..9]).prop_map(|(want, gives)| Op::Refill(want, gives)),
        2 => Just(Op::Take),
        1 => Just(Op::Give),
        1 => (0usize..9).prop_map(Op::Move),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any sequence of calls against a queue, around the ring's end.
    #[test]
    fn like_a_queue(ops in vec(op(), 0..80)) {
        let (mut pool, mut other) = (pool::<7>(), pool::<3>());
        let mut queue = VecDeque::new();
        let (mut made, mut rounds, mut stalled, mut got) = (0u8, 0, 0, 0);
        for op in ops {
            match op {
                Op::Refill(want, gives) => {
                    let missing = want.min(7).saturating_sub(queue.len());
                    let mut source = Source { made, ..Source::new(gives) };
                    let refill = pool.refill(want, &mut source);
                    prop_assert_eq!(refill.got + refill.missing, missing);
                    prop_assert!(source.asked <= missing);
                    prop_assert!(source.calls <= 2);
                    prop_assert_eq!(source.calls == 0, missing == 0);
                    if missing > 0 {
                        prop_assert_eq!(refill.is_stalled(), gives[0] == 0);
                        prop_assert!(refill.got >= gives[0].min(missing).min(1));
                        rounds += 1;
                    }
                    stalled += u64::from(missing > 0 && gives[0] == 0);
                    got += refill.got as u64;
                    queue.extend((made..).take(refill.got));
                    made = source.made;
                }
                Op::Take => prop_assert_eq!(pool.take().map(|page| page[0]), queue.pop_front()),
                Op::Give => {
                    let given = pool.give([made; 16]).is_ok();
                    prop_assert_eq!(given, queue.len() < 7);
                    if given {
                        queue.push_back(made);
                        made += 1;
                    }
                }
                Op::Move(count) => {
                    let moved = pool.move_to(&mut other, count);
                    prop_assert_eq!(moved, count.min(3).min(queue.len()));
                    queue.rotate_left(moved);
                    prop_assert_eq!(other.move_to(&mut pool, usize::MAX), moved);
                }
            }
            prop_assert_eq!(numbers(&pool), queue.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(pool.len(), queue.len());
            let stats = pool.stats();
            prop_assert_eq!((stats.rounds, stats.stalled, stats.pages), (rounds, stalled, got));
        }
    }
}
