//! Writing attributes.

use nfswire_xdr::{Encode, EncodeError, Encoder, Wire};

use super::{Attr, AttrSet, AttrValue};

/// Attributes to be written: an object of a server, or what a client wants to set.
///
/// A slice of values, in any order, is one. [`StandardAttrs`](super::StandardAttrs) is another: an
/// object that has more than those answers for them itself and hands the others on.
pub trait AttrSource {
    /// The value of `attr`; `None` if there is none, for unknown attributes too. It is asked twice for
    /// each, for the length and for the bytes, and answers the same.
    fn attr(&self, attr: Attr) -> Option<AttrValue<'_>>;
}

impl<S: AttrSource + ?Sized> AttrSource for &S {
    fn attr(&self, attr: Attr) -> Option<AttrValue<'_>> {
        S::attr(self, attr)
    }
}

impl AttrSource for [AttrValue<'_>] {
    fn attr(&self, attr: Attr) -> Option<AttrValue<'_>> {
        self.iter().find(|value| value.attr() == attr).copied()
    }
}

impl<const N: usize> AttrSource for [AttrValue<'_>; N] {
    fn attr(&self, attr: Attr) -> Option<AttrValue<'_>> {
        self.as_slice().attr(attr)
    }
}

/// Some attributes of a source: what is written as a [`Fattr`](super::Fattr).
///
/// The mask holds the attributes that are wanted and that the source has, with as few words as hold
/// them; the values follow in ascending order, straight into the head of the message. What is wanted
/// but not known, in further words too, is left out: to a server that is no error in GETATTR and
/// READDIR (RFC 7530, section 16.7.4).
///
/// ```
/// use nfswire_nfs4::attrs::{Attr, AttrSet, AttrValue, Fattr, Selected, key};
/// use nfswire_xdr::{Encoder, Segments, from_bytes};
///
/// let file = [AttrValue::Mode(0o644), AttrValue::Size(5)];
/// let wanted = AttrSet::of(&[Attr::SIZE, Attr::MODE, Attr::ACL]);
///
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// e.put(&Selected::new(&wanted, &file))?;
/// e.finish();
/// let message = segments.view(&head).to_vec()?;
/// let fattr: Fattr<'_> = from_bytes(&message)?;
/// assert_eq!(fattr.mask, AttrSet::of(&[Attr::SIZE, Attr::MODE]));
/// assert_eq!(fattr.get(key::Mode), Ok(Some(0o644)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Selected<'s, S: ?Sized> {
    mask: AttrSet<'static>,
    /// Length of the values, in bytes.
    len: u64,
    source: &'s S,
}

impl<S: ?Sized> Clone for Selected<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ?Sized> Copy for Selected<'_, S> {}

impl<'s, S: AttrSource + ?Sized> Selected<'s, S> {
    /// Those of `wanted` that `source` has.
    #[must_use]
    pub fn new(wanted: &AttrSet<'_>, source: &'s S) -> Self {
        let (mut words, mut len) = ([0u32; 3], 0u64);
        let mut first = 0u32;
        for (word, mut left) in words.iter_mut().zip(wanted.words()) {
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                // By reference: a value is large, and would be moved.
                if let Some(value) = &source.attr(Attr(first.wrapping_add(bit))) {
                    *word |= 1 << bit;
                    len = len.saturating_add(value.encoded_len());
                }
            }
            first = first.wrapping_add(32);
        }
        Self { mask: AttrSet::from_words(words), len, source }
    }

    /// Which attributes are written.
    #[must_use]
    pub const fn mask(&self) -> AttrSet<'static> {
        self.mask
    }

    /// The values, in ascending order of their attributes.
    pub fn values(&self) -> impl Iterator<Item = AttrValue<'s>> + use<'s, S> {
        let source = self.source;
        self.mask.iter().filter_map(|attr| source.attr(attr))
    }
}

impl<S: ?Sized> Wire for Selected<'_, S> {
    const MIN_LEN: u32 = 8;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'p, S: AttrSource + ?Sized> Encode<'p> for Selected<'_, S> {
    fn encoded_len(&self) -> u64 {
        let mask = Encode::<'p>::encoded_len(&self.mask);
        mask.saturating_add(4).saturating_add(self.len)
    }

    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let w = Encode::<'p>::write(&self.mask, w)?;
        let mut w = Encode::<'p>::write(&u32::try_from(self.len).ok()?, w)?;
        let mut first = 0u32;
        for mut left in self.mask.words() {
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                let value = &self.source.attr(Attr(first.wrapping_add(bit)));
                w = Encode::<'p>::write(value.as_ref()?, w)?;
            }
            first = first.wrapping_add(32);
        }
        Some(w)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        let too_long = EncodeError::TooLong { len: self.len, limit: u32::MAX.into() };
        self.mask.encode(e)?;
        e.word(u32::try_from(self.len).map_err(|_| too_long)?)?;
        let before = e.len();
        self.values().try_for_each(|value| value.encode(e))?;
        // A source that changed its mind would leave a list of another length than announced.
        if e.len().checked_sub(before) == Some(self.len) {
            Ok(())
        } else {
            Err(EncodeError::Contradiction)
        }
    }
}
