//! `fattr4`: a mask, and the values it tells of.

use core::fmt;

#[cfg(feature = "alloc")]
use nfswire_xdr::Rebind;
#[cfg(feature = "arbitrary")]
use nfswire_xdr::arbitrary::{self, Arbitrary, Unstructured};
#[cfg(feature = "serde")]
use nfswire_xdr::serde::{
    Fields, Reader, Serialize, SerializeStruct, SerializeXdr, Serializer, Value,
};
use nfswire_xdr::{
    Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, Field, Limits, Probe, Source, Wire,
    plan,
};
use thiserror::Error;

use super::{Attr, AttrSet, AttrValue, Attribute};
use crate::{AttrList, Status};

/// Attributes of an object: which they are, and their values (RFC 7530, section 2.2.8).
///
/// Decoding looks at the two lengths only; the values are read, and found wrong, by
/// [`get`](Self::get), [`values`](Self::values) and [`validate`](Self::validate). So a message with an
/// attribute that nobody knows comes back as it was. [`StandardAttrs`](super::StandardAttrs) reads
/// the usual ones at once; what writes attributes is [`Selected`](super::Selected).
///
/// ```
/// use nfswire_nfs4::attrs::{AttrValue, Fattr, key};
/// use nfswire_xdr::from_bytes;
///
/// // SIZE, 5 bytes.
/// let bytes = [0, 0, 0, 1, 0, 0, 0, 0x10, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5];
/// let fattr: Fattr<'_> = from_bytes(&bytes)?;
/// assert_eq!(fattr.get(key::Size), Ok(Some(5)));
/// assert_eq!(fattr.get(key::Mode), Ok(None));
/// assert_eq!(fattr.values().collect::<Result<Vec<_>, _>>(), Ok(vec![AttrValue::Size(5)]));
/// # Ok::<(), nfswire_xdr::DecodeError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[doc(alias = "fattr4")]
pub struct Fattr<'a> {
    /// Which attributes have a value here.
    #[doc(alias = "attrmask")]
    pub mask: AttrSet<'a>,
    /// The values, in ascending order of their attributes' numbers.
    #[doc(alias = "attr_vals")]
    pub values: AttrList<'a>,
}

/// Why values of attributes cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AttrError<'a> {
    /// The mask tells of an attribute that has no type here. Where its value ends is not known, so
    /// the values behind it cannot be read either; those before it were.
    #[error(
        "attribute {} is not known here, so the {} bytes from its value on cannot be read",
        attr.0,
        rest.len()
    )]
    Unknown {
        /// The attribute.
        attr: Attr,
        /// Its value, and all that follow.
        rest: &'a [u8],
    },
    /// A value is wrong, or reaches beyond the end of the list.
    #[error("the value of {attr:?} is wrong, in the list of values {error}")]
    Value {
        /// Its attribute.
        attr: Attr,
        /// What is wrong; the offset counts from the start of the list.
        error: DecodeError,
    },
    /// Bytes are left over behind the value of the last attribute.
    #[error("{} bytes are left over behind the values that the mask tells of", rest.len())]
    Trailing {
        /// The bytes.
        rest: &'a [u8],
    },
}

impl AttrError<'_> {
    /// What a server answers when a client sent this.
    #[must_use]
    pub const fn status(&self) -> Status {
        match self {
            Self::Unknown { .. } => Status::ATTRNOTSUPP,
            Self::Value { .. } | Self::Trailing { .. } => Status::BADXDR,
        }
    }
}

impl<'a> Fattr<'a> {
    /// The value of one attribute; `None` if it is not in the mask.
    ///
    /// The values before it are stepped over, those behind it not looked at.
    ///
    /// # Errors
    /// [`AttrError`] when it, or one before it, cannot be read.
    pub fn get<K: Attribute>(&self, key: K) -> Result<Option<K::Value<'a>>, AttrError<'a>> {
        let _ = key;
        if !self.mask.contains(K::ATTR) {
            return Ok(None);
        }
        let mut c = Cursor::new(self.values.as_bytes());
        for attr in self.mask.iter() {
            if attr == K::ATTR {
                let value = c.decode();
                return value.map(Some).map_err(|error| AttrError::Value { attr, error });
            }
            skip(attr, &mut c)?;
        }
        Ok(None)
    }

    /// All values, in ascending order of their attributes, in strict policy.
    #[inline]
    #[must_use]
    pub const fn values(&self) -> Values<'a> {
        self.values_within(&Limits::STRICT)
    }

    /// All values within `limits`; in lenient policy bytes may be left over.
    #[must_use]
    pub const fn values_within(&self, limits: &'a Limits) -> Values<'a> {
        let cursor = Cursor::with(self.values.as_bytes(), limits);
        let [word, _, _] = self.mask.words();
        Values { mask: self.mask, index: 0, word, cursor, ended: false }
    }

    /// Checks that every value can be read and that they end where the list does.
    ///
    /// # Errors
    /// The first fault.
    pub fn validate(&self) -> Result<(), AttrError<'a>> {
        self.values().try_for_each(|value| value.map(drop))
    }
}

/// Steps over a value.
fn skip<'a>(attr: Attr, c: &mut Cursor<'a>) -> Result<(), AttrError<'a>> {
    if let Some(info) = attr.info()
        && info.min_len == info.max_len
        && c.block(info.min_len as usize).is_some()
    {
        return Ok(());
    }
    read(attr, c).map(drop)
}

#[inline]
fn read<'a>(attr: Attr, c: &mut Cursor<'a>) -> Result<AttrValue<'a>, AttrError<'a>> {
    let before = *c;
    AttrValue::decode(attr, c).ok_or_else(|| {
        *c = before;
        fault(attr, before)
    })
}

#[cold]
#[inline(never)]
fn fault<'a>(attr: Attr, c: Cursor<'a>) -> AttrError<'a> {
    match AttrValue::fault(attr, c) {
        Some(error) => AttrError::Value { attr, error },
        None => AttrError::Unknown { attr, rest: c.rest() },
    }
}

/// Values of a [`Fattr`], made by [`Fattr::values`]. It ends behind the first error.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    mask: AttrSet<'a>,
    /// Number of the mask's word whose bits are being read.
    index: u32,
    /// Its bits that are still to come.
    word: u32,
    cursor: Cursor<'a>,
    ended: bool,
}

impl<'a> Values<'a> {
    /// The next attribute of the mask.
    fn next_attr(&mut self) -> Option<Attr> {
        while self.word == 0 {
            self.index = self.index.saturating_add(1);
            if self.index >= self.mask.len_words() {
                return None;
            }
            self.word = self.mask.word(self.index as usize);
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word.wrapping_sub(1);
        Some(Attr(self.index.wrapping_mul(32).wrapping_add(bit)))
    }

    /// Bytes of the values that have not been read.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.cursor.rest()
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Result<AttrValue<'a>, AttrError<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let Some(attr) = self.next_attr() else {
            self.ended = true;
            let rest = self.cursor.rest();
            let whole = rest.is_empty() || self.cursor.limits().lenient();
            return (!whole).then_some(Err(AttrError::Trailing { rest }));
        };
        let value = read(attr, &mut self.cursor);
        self.ended = value.is_err();
        Some(value)
    }
}

impl core::iter::FusedIterator for Values<'_> {}

impl fmt::Debug for Fattr<'_> {
    /// The mask, and the values as far as they can be read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct List<'a>(Fattr<'a>);
        impl fmt::Debug for List<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut list = f.debug_list();
                for value in self.0.values() {
                    match value {
                        Ok(value) => list.entry(&value),
                        Err(error) => list.entry(&error),
                    };
                }
                list.finish()
            }
        }
        f.debug_struct("Fattr").field("mask", &self.mask).field("values", &List(*self)).finish()
    }
}

// By hand, because arbitrary values must be those that the mask tells of.

impl Wire for Fattr<'_> {
    const MIN_LEN: u32 = 8;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'a> Decode<'a> for Fattr<'a> {
    #[inline]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        c.with(|c| Some(Self { mask: AttrSet::decode(c)?, values: AttrList::decode(c)? }))
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        plan::check_fields(
            p,
            const {
                &[
                    (Field::new("fattr4", "attrmask"), <AttrSet<'a> as Decode<'a>>::check),
                    (Field::new("fattr4", "attr_vals"), <AttrList<'a> as Decode<'a>>::check),
                ]
            },
        )
    }

    /// Mostly values that can be read: each attribute that is tried is in the mask if the next bytes
    /// are a value of it.
    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        if u.ratio(1u8, 8u8)? {
            let mask = AttrSet::arbitrary_value(u)?;
            return Ok(Self { mask, values: AttrList::arbitrary_value(u)? });
        }
        let tried: [u32; 3] = u.arbitrary()?;
        let most = u.arbitrary_len::<u8>()?;
        let bytes = u.peek_bytes(most).unwrap_or_default();
        let (mut c, mut words) = (Cursor::new(bytes), [0u32; 3]);
        for attr in AttrSet::from_words(tried).iter() {
            let mut behind = c;
            if let (Some(_), Some(word)) =
                (AttrValue::decode(attr, &mut behind), words.get_mut((attr.0 >> 5) as usize))
            {
                c = behind;
                *word |= 1 << (attr.0 & 31);
            }
        }
        let values = AttrList::new(u.bytes(c.position())?);
        let values = values.ok_or(arbitrary::Error::IncorrectFormat)?;
        Ok(Self { mask: AttrSet::from_words(words), values })
    }
}

impl<'p> Encode<'p> for Fattr<'_> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        let mask = Encode::<'p>::encoded_len(&self.mask);
        mask.wrapping_add(Encode::<'p>::encoded_len(&self.values))
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        Encode::<'p>::write(&self.values, Encode::<'p>::write(&self.mask, w)?)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        self.mask.encode(e)?;
        self.values.encode(e)
    }
}

#[cfg(feature = "alloc")]
impl Rebind for Fattr<'_> {
    type At<'at> = Fattr<'at>;
}

#[cfg(feature = "arbitrary")]
impl<'a> Arbitrary<'a> for Fattr<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::arbitrary_value(u)
    }
}

#[cfg(feature = "serde")]
impl Serialize for Fattr<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_xdr(serializer)
    }
}

#[cfg(feature = "serde")]
impl SerializeXdr for Fattr<'_> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("fattr4", 2)?;
        fields.serialize_field("attrmask", &Value(&self.mask))?;
        fields.serialize_field("attr_vals", &Value(&self.values))?;
        fields.end()
    }
}

#[cfg(feature = "serde")]
impl Fields for Fattr<'_> {
    const NAME: &'static str = "fattr4";
    const FIELDS: &'static [&'static str] = &["attrmask", "attr_vals"];

    fn fields<'r, R: Reader<'r>>(reader: &mut R) -> Result<(), R::Error> {
        reader.field::<AttrSet<'_>>("attrmask")?;
        reader.field::<AttrList<'_>>("attr_vals")
    }
}
