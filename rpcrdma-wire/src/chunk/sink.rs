//! Where headers are written.

use core::mem;

use nfswire_xdr::{EncodeError, Encoder};

use crate::types::Segment;

/// Takes the parts of a header in order.
pub(crate) trait Sink {
    fn word(&mut self, word: u32) -> Option<()>;
    fn pair(&mut self, first: u32, second: u32) -> Option<()>;
    fn segment(&mut self, segment: Segment) -> Option<()>;
    /// Whole words as they are encoded.
    fn bytes(&mut self, bytes: &[u8]) -> Option<()>;
}

/// A slice that is filled from its front.
pub(crate) struct Window<'w>(pub(crate) &'w mut [u8]);

impl Sink for Window<'_> {
    #[inline]
    fn word(&mut self, word: u32) -> Option<()> {
        let (to, behind) = mem::take(&mut self.0).split_first_chunk_mut()?;
        *to = word.to_be_bytes();
        self.0 = behind;
        Some(())
    }

    #[inline]
    fn pair(&mut self, first: u32, second: u32) -> Option<()> {
        let (to, behind) = mem::take(&mut self.0).split_first_chunk_mut()?;
        *to = (u64::from(first) << 32 | u64::from(second)).to_be_bytes();
        self.0 = behind;
        Some(())
    }

    #[inline]
    fn segment(&mut self, segment: Segment) -> Option<()> {
        let (to, behind) = mem::take(&mut self.0).split_first_chunk_mut::<16>()?;
        let high = u64::from(segment.handle) << 32 | u64::from(segment.length);
        *to = (u128::from(high) << 64 | u128::from(segment.offset)).to_be_bytes();
        self.0 = behind;
        Some(())
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        let (to, behind) = mem::take(&mut self.0).split_at_mut_checked(bytes.len())?;
        to.copy_from_slice(bytes);
        self.0 = behind;
        Some(())
    }
}

/// An encoder whose head is in pages: word by word.
pub(crate) struct Parts<'e, 'h, 'p> {
    pub(crate) encoder: &'e mut Encoder<'h, 'p>,
    pub(crate) result: Result<(), EncodeError>,
}

impl Sink for Parts<'_, '_, '_> {
    fn word(&mut self, word: u32) -> Option<()> {
        self.result = self.encoder.put(&word);
        self.result.ok()
    }

    fn pair(&mut self, first: u32, second: u32) -> Option<()> {
        self.word(first)?;
        self.word(second)
    }

    fn segment(&mut self, segment: Segment) -> Option<()> {
        self.result = self.encoder.put(&segment);
        self.result.ok()
    }

    fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        bytes.as_chunks().0.iter().try_for_each(|word| self.word(u32::from_be_bytes(*word)))
    }
}
