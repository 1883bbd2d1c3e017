//! Sequence numbers (RFC 2203, section 5.3.3.1): what keeps a replayed call from running twice.

use thiserror::Error;

/// Highest sequence number of a context. When it is used up, the client sets up a new context.
#[doc(alias = "MAXSEQ")]
pub const MAX_SEQUENCE: u32 = 0x8000_0000;

/// Why a sequence number is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[expect(clippy::exhaustive_enums, reason = "there are no more cases")]
pub enum SequenceError {
    /// Above [`MAX_SEQUENCE`]: the context is used up.
    #[error(
        "sequence number {seq_num:#x} is above {MAX_SEQUENCE:#x}: the client must set up a new \
         context"
    )]
    AboveMaximum {
        /// The number.
        seq_num: u32,
    },
    /// Too old to tell whether it was seen.
    #[error(
        "sequence number {seq_num} is below the window, which starts at {lowest}: drop the call"
    )]
    BelowWindow {
        /// The number.
        seq_num: u32,
        /// Lowest number that is still accepted.
        lowest: u32,
    },
    /// Seen before: a replay, or a duplicate.
    #[error("sequence number {seq_num} was seen before: drop the call")]
    Seen {
        /// The number.
        seq_num: u32,
    },
}

/// The numbers that a server has seen of a context: a window of `64 * WORDS` of them that ends with
/// the highest. It has a fixed size, and a number costs at most one step for each bit of it.
///
/// A number is to be [accepted](Self::accept) only once the checksum of its header was found right:
/// otherwise anyone could push the window beyond the client's numbers. [`check`](Self::check) spares
/// the checksum for numbers that would be refused (section 7.2.2).
///
/// ```
/// use nfswire_rpc::gss::{SequenceError, SequenceWindow};
/// let mut window = SequenceWindow::<2>::default();
/// assert_eq!(window.size(), 128);
/// window.accept(500)?;
/// window.accept(400)?; // late, within the window
/// assert_eq!(window.accept(500), Err(SequenceError::Seen { seq_num: 500 }));
/// let below = SequenceError::BelowWindow { seq_num: 372, lowest: 373 };
/// assert_eq!(window.check(372), Err(below));
/// # Ok::<(), SequenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceWindow<const WORDS: usize = 2> {
    /// Highest number seen.
    highest: Option<u32>,
    /// Bit `n` modulo the size says whether number `n` of the window was seen.
    seen: [u64; WORDS],
}

impl<const WORDS: usize> Default for SequenceWindow<WORDS> {
    fn default() -> Self {
        Self { highest: None, seen: [0; WORDS] }
    }
}

impl<const WORDS: usize> SequenceWindow<WORDS> {
    #[allow(clippy::cast_possible_truncation)] // compared first
    const SIZE: u32 = {
        assert!(WORDS > 0 && WORDS <= 1 << 20, "a window has 64 to 2^26 numbers");
        (WORDS as u32).saturating_mul(64)
    };

    /// How many numbers the window spans: the
    /// [`seq_window`](super::InitReply::seq_window) of the reply that completes the context.
    #[must_use]
    pub const fn size(&self) -> u32 {
        Self::SIZE
    }

    /// Highest number seen.
    #[must_use]
    pub const fn highest(&self) -> Option<u32> {
        self.highest
    }

    /// Word and mask of a number's bit.
    fn bit(&mut self, seq_num: u32) -> Option<(&mut u64, u64)> {
        let at = seq_num.checked_rem(Self::SIZE)?;
        let word = self.seen.get_mut(usize::try_from(at / 64).ok()?)?;
        Some((word, 1u64.wrapping_shl(at % 64)))
    }

    fn is_seen(&self, seq_num: u32) -> bool {
        let at = seq_num.checked_rem(Self::SIZE).unwrap_or(0);
        let word = usize::try_from(at / 64).ok().and_then(|word| self.seen.get(word));
        word.is_some_and(|word| word & 1u64.wrapping_shl(at % 64) != 0)
    }

    /// Whether the number could be accepted.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, seq_num: u32) -> Result<(), SequenceError> {
        if seq_num > MAX_SEQUENCE {
            return Err(SequenceError::AboveMaximum { seq_num });
        }
        let Some(highest) = self.highest else { return Ok(()) };
        let lowest = highest.saturating_sub(Self::SIZE.saturating_sub(1));
        if seq_num < lowest {
            return Err(SequenceError::BelowWindow { seq_num, lowest });
        }
        if seq_num <= highest && self.is_seen(seq_num) {
            return Err(SequenceError::Seen { seq_num });
        }
        Ok(())
    }

    /// Accepts a number whose header was verified, and remembers it.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    pub fn accept(&mut self, seq_num: u32) -> Result<(), SequenceError> {
        self.check(seq_num)?;
        match self.highest {
            Some(highest) if seq_num <= highest => {}
            Some(highest) if seq_num.saturating_sub(highest) < Self::SIZE => {
                // The numbers that come into the window take the bits of those that leave it.
                for number in highest.saturating_add(1)..=seq_num {
                    if let Some((word, mask)) = self.bit(number) {
                        *word &= !mask;
                    }
                }
                self.highest = Some(seq_num);
            }
            _ => {
                self.seen = [0; WORDS];
                self.highest = Some(seq_num);
            }
        }
        if let Some((word, mask)) = self.bit(seq_num) {
            *word |= mask;
        }
        Ok(())
    }
}

/// The numbers that a client gives its calls, retransmissions included: each number once, ascending,
/// below [`MAX_SEQUENCE`]. At the end of the iterator the client must set up a new context.
///
/// ```
/// use nfswire_rpc::gss::{MAX_SEQUENCE, SequenceNumbers};
/// let mut numbers = SequenceNumbers::from(MAX_SEQUENCE - 2);
/// assert_eq!(numbers.next(), Some(MAX_SEQUENCE - 2));
/// assert_eq!(numbers.next(), Some(MAX_SEQUENCE - 1));
/// assert_eq!(numbers.next(), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SequenceNumbers {
    next: u32,
}

impl From<u32> for SequenceNumbers {
    /// Starts with `first`.
    fn from(first: u32) -> Self {
        Self { next: first }
    }
}

impl Iterator for SequenceNumbers {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let number = Some(self.next).filter(|next| *next < MAX_SEQUENCE)?;
        self.next = number.saturating_add(1);
        Some(number)
    }
}
