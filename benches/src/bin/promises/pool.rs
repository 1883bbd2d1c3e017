//! S12: pages that come one at a time, or not at all.

use nfswire_xdr::PagePool;

use super::Table;

/// Fills a pool of 256 pages again and again, from a source that gives `each` pages a call and none
/// on every `fail`th call; the rounds, the waits, and the calls that gave none.
fn fill(each: usize, fail: u64) -> (u64, u64, u64) {
    let (mut calls, mut empty, mut waits) = (0u64, 0u64, 0u64);
    let mut source = |slots: &mut [Option<Box<[u8]>>]| {
        calls += 1;
        if fail > 0 && calls.is_multiple_of(fail) {
            empty += 1;
            return 0;
        }
        let given = slots.iter_mut().take(each);
        given.map(|slot| *slot = Some(vec![0; 64].into_boxed_slice())).count()
    };
    let mut pool = PagePool::new(Vec::from_iter((0..256).map(|_| None)));
    let mut sent = PagePool::new(Vec::from_iter((0..256).map(|_| None)));
    for _ in 0..20 {
        loop {
            let round = pool.refill(256, &mut source);
            if round.missing == 0 {
                break;
            }
            // Here a caller would wait.
            waits += u64::from(round.is_stalled());
        }
        // A reply of 1 MiB goes out with its pages.
        pool.move_to(&mut sent, usize::MAX);
        sent = PagePool::new(Vec::from_iter((0..256).map(|_| None)));
    }
    let stats = pool.stats();
    assert_eq!(stats.stalled, empty, "the pool counts the rounds that gave nothing");
    (stats.rounds, waits, empty)
}

/// Waits of a pool that is emptied and filled again.
pub(super) fn refills(table: &mut Table) {
    let (rounds, waits, _) = fill(1, 0);
    let is = format!("{waits} in {rounds} rounds");
    let what = "256 pages, 20 times over, one page a call: waits";
    table.row("S12", what, "0", &is, waits == 0);
    for fail in [3, 7] {
        let (rounds, waits, empty) = fill(13, fail);
        let what = format!("13 pages a call, none on every {fail}th: waits");
        let is = format!("{waits} in {rounds} rounds, {empty} of which gave none");
        table.row("S12", &what, "the rounds that gave none", &is, waits == empty && empty > 0);
    }
}
