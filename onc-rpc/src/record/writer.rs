//! The sending side of record marking.

use core::ops::Range;

use nfswire_xdr::{EncodeError, Encoder, Slot};

use super::FragmentHeader;

/// The mark of a record that is being encoded: the first word of the head, so that it leaves in the
/// same send as what follows.
///
/// ```
/// use nfswire_rpc::RecordMark;
/// use nfswire_xdr::{Encoder, Segments};
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// let mark = RecordMark::reserve(&mut e)?;
/// e.put(&7u32)?;                            // the message
/// mark.close(&mut e)?;
/// e.finish();
/// assert_eq!(segments.view(&head).to_vec()?, [0x80, 0, 0, 4, 0, 0, 0, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a record whose mark is not closed announces no bytes"]
pub struct RecordMark {
    slot: Slot,
    /// Bytes of the encoder that come before the record's first byte.
    before: u64,
}

impl RecordMark {
    /// Starts a record where the encoder stands. Several records may follow each other in one
    /// encoder.
    ///
    /// # Errors
    /// No room for four bytes.
    // By force, both: the encoder then stays in registers, as with `Encoder::put`.
    #[inline(always)]
    pub fn reserve(e: &mut Encoder<'_, '_>) -> Result<Self, EncodeError> {
        let slot = e.reserve()?;
        Ok(Self { slot, before: e.len() })
    }

    /// Ends the record where the encoder stands: everything since [`reserve`](Self::reserve) is one
    /// record of one fragment. Returns its length in bytes, the mark not counted.
    ///
    /// # Errors
    /// The record is longer than [`FragmentHeader::MAX_LEN`] (see [`Fragments`]), or was rolled
    /// back.
    #[inline(always)]
    pub fn close(self, e: &mut Encoder<'_, '_>) -> Result<u32, EncodeError> {
        let len = e.len().saturating_sub(self.before);
        let header = u32::try_from(len).ok().and_then(|len| FragmentHeader::new(true, len));
        let limit = u64::from(FragmentHeader::MAX_LEN);
        let header = header.ok_or(EncodeError::TooLong { len, limit })?;
        e.patch(self.slot, header.to_word())?;
        Ok(header.fragment_len())
    }
}

/// Cuts a record into fragments: yields each mark with the range of the record's bytes that follows
/// it.
///
/// The last fragment is marked as such; an empty record is one empty fragment.
///
/// ```
/// use nfswire_rpc::{FragmentHeader, Fragments};
/// let cut: Vec<_> = Fragments::new(10, 4).expect("fragments may have bytes").collect();
/// assert_eq!(cut[0], (FragmentHeader::new(false, 4).unwrap(), 0..4));
/// assert_eq!(cut[2], (FragmentHeader::new(true, 2).unwrap(), 8..10));
/// ```
#[derive(Debug, Clone)]
pub struct Fragments {
    at: u64,
    record_len: u64,
    max_fragment: u32,
    done: bool,
}

impl Fragments {
    /// Plans `record_len` bytes in fragments of at most `max_fragment`; longer ones than
    /// [`FragmentHeader::MAX_LEN`] are not made. `None` if `max_fragment` is 0.
    #[must_use]
    pub const fn new(record_len: u64, max_fragment: u32) -> Option<Self> {
        if max_fragment == 0 {
            return None;
        }
        let max_fragment = if max_fragment > FragmentHeader::MAX_LEN {
            FragmentHeader::MAX_LEN
        } else {
            max_fragment
        };
        Some(Self { at: 0, record_len, max_fragment, done: false })
    }
}

impl Iterator for Fragments {
    type Item = (FragmentHeader, Range<u64>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let left = self.record_len.saturating_sub(self.at);
        let len = u32::try_from(left).unwrap_or(u32::MAX).min(self.max_fragment);
        let range = self.at..self.at.saturating_add(u64::from(len));
        self.at = range.end;
        self.done = range.end == self.record_len;
        FragmentHeader::new(self.done, len).map(|mark| (mark, range))
    }
}
