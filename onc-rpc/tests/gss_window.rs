//! Sequence numbers of RPCSEC_GSS against a set of all that were accepted.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

use std::collections::BTreeSet;

use nfswire_rpc::gss::{MAX_SEQUENCE, SequenceError, SequenceWindow};
use proptest::prelude::*;

/// The window against a set of all numbers that were accepted.
#[derive(Default)]
struct Model {
    seen: BTreeSet<u32>,
}

impl Model {
    fn accept(&mut self, seq_num: u32, size: u32) -> Result<(), SequenceError> {
        if seq_num > MAX_SEQUENCE {
            return Err(SequenceError::AboveMaximum { seq_num });
        }
        if let Some(highest) = self.seen.last() {
            let lowest = (highest + 1).saturating_sub(size);
            if seq_num < lowest {
                return Err(SequenceError::BelowWindow { seq_num, lowest });
            }
        }
        if !self.seen.insert(seq_num) {
            return Err(SequenceError::Seen { seq_num });
        }
        Ok(())
    }
}

fn compare<const WORDS: usize>(numbers: &[u32]) {
    let mut window = SequenceWindow::<WORDS>::default();
    let mut model = Model::default();
    for number in numbers {
        let size = window.size();
        assert_eq!(window.check(*number), window.clone().accept(*number));
        let before = window.clone();
        let expected = model.accept(*number, size);
        assert_eq!(window.accept(*number), expected, "{number} of {numbers:?}");
        if expected.is_err() {
            assert_eq!(window, before);
        }
        assert_eq!(window.highest(), model.seen.last().copied());
    }
}

proptest! {
    #[test]
    fn the_window_is_a_set(
        start in prop_oneof![0u32..300, MAX_SEQUENCE - 300..MAX_SEQUENCE + 2],
        steps in prop::collection::vec((0u32..300, prop::bool::ANY, 0u32..8), 1..200),
    ) {
        let mut at = start;
        let mut numbers = vec![start];
        for (step, up, far) in steps {
            let step = if far == 0 { step } else { step % 9 };
            at = if up { at.saturating_add(step) } else { at.saturating_sub(step) };
            numbers.push(at);
        }
        compare::<1>(&numbers);
        compare::<2>(&numbers);
        compare::<3>(&numbers);
    }
}
