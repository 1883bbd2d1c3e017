//! `bitmap4`: sets of small numbers (RFC 7530, section 2.2; RFC 8881, section 3.3.7).

use core::{fmt, marker::PhantomData};

#[cfg(feature = "alloc")]
use nfswire_xdr::Rebind;
#[cfg(feature = "arbitrary")]
use nfswire_xdr::arbitrary::{self, Arbitrary, Unstructured};
#[cfg(feature = "serde")]
use nfswire_xdr::serde::{DeserializeXdr, Deserializer, Out, Serialize, SerializeXdr, Serializer};
use nfswire_xdr::{
    Decode, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Probe, Source, Wire,
};

/// Words that a set holds itself: enough for every attribute and operation that has a number.
const INLINE: usize = 3;

/// What the bits of a [`Bitmap`] stand for.
pub trait Bit: Copy {
    /// The meaning of bit `number`.
    fn from_number(number: u32) -> Self;
    /// The number of the bit.
    fn number(self) -> u32;
    /// Its name in the RFC, if it has one.
    fn name(self) -> Option<&'static str>;
}

impl Bit for u32 {
    fn from_number(number: u32) -> Self {
        number
    }

    fn number(self) -> u32 {
        self
    }

    fn name(self) -> Option<&'static str> {
        None
    }
}

/// Makes a registry of numbers the meaning of bits.
macro_rules! bits {
    ($($t:ty),*) => {$(
        impl $crate::Bit for $t {
            fn from_number(number: u32) -> Self {
                Self(number)
            }

            fn number(self) -> u32 {
                self.0
            }

            fn name(self) -> Option<&'static str> {
                Self::name(self)
            }
        }
    )*};
}
pub(crate) use bits;

/// `bitmap4`: a set of `B`, as counted words of 32 bits; bit `n` is in word `n / 32`, with the value
/// `1 << (n % 32)`.
///
/// Any number of words decodes and comes back as it was, trailing words of zero included: the first
/// three are held here, the others stay where they were received. Two sets are equal when their words
/// are; [`same`](Self::same) compares what is in them.
///
/// ```
/// use nfswire_nfs4::Bitmap;
/// use nfswire_xdr::from_bytes;
///
/// let set = Bitmap::<u32>::from_numbers(&[1, 33]).unwrap();
/// assert_eq!(set.iter().collect::<Vec<_>>(), [1, 33]);
/// let received: Bitmap<'_> = from_bytes(&[0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2])?;
/// assert_eq!(received, set);
/// # Ok::<(), nfswire_xdr::DecodeError>(())
/// ```
#[derive(Clone, Copy)]
#[doc(alias = "bitmap4")]
pub struct Bitmap<'a, B = u32> {
    /// Words on the wire.
    len: u32,
    words: [u32; INLINE],
    /// Words behind those, as on the wire.
    rest: &'a [u8],
    bits: PhantomData<B>,
}

impl<B> Bitmap<'_, B> {
    /// The empty set: no words.
    pub const EMPTY: Self = Self::from_words([0; INLINE]);

    /// The set of the bits of three words, with as few words on the wire as hold them.
    #[must_use]
    pub const fn from_words(words: [u32; INLINE]) -> Self {
        let len = match words {
            [0, 0, 0] => 0,
            [_, 0, 0] => 1,
            [_, _, 0] => 2,
            _ => 3,
        };
        Self { len, words, rest: &[], bits: PhantomData }
    }

    /// The set of some numbers below 96; `None` if one is not.
    #[must_use]
    pub const fn from_numbers(mut numbers: &[u32]) -> Option<Self> {
        let [mut a, mut b, mut c] = [0u32; INLINE];
        while let [number, behind @ ..] = numbers {
            match *number {
                n @ ..32 => a |= 1 << n,
                n @ 32..64 => b |= 1 << (n & 31),
                n @ 64..96 => c |= 1 << (n & 31),
                _ => return None,
            }
            numbers = behind;
        }
        Some(Self::from_words([a, b, c]))
    }

    /// Words on the wire.
    #[must_use]
    pub const fn len_words(&self) -> u32 {
        self.len
    }

    /// The first three words; those that are not on the wire are 0.
    #[must_use]
    pub const fn words(&self) -> [u32; INLINE] {
        self.words
    }

    /// Word `index`; 0 behind those on the wire.
    #[must_use]
    pub fn word(&self, index: usize) -> u32 {
        if let Some(word) = self.words.get(index) {
            return *word;
        }
        let words = self.rest.as_chunks().0;
        index.checked_sub(INLINE).and_then(|i| words.get(i)).map_or(0, |w| u32::from_be_bytes(*w))
    }

    /// Whether nothing is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words == [0; INLINE] && self.rest.iter().all(|byte| *byte == 0)
    }

    /// Whether the same is in both sets, however many words of zero follow.
    #[must_use]
    pub fn same(&self, other: &Bitmap<'_, B>) -> bool {
        let most = self.len.max(other.len);
        (0..most as usize).all(|i| self.word(i) == other.word(i))
    }
}

/// Set algebra. It allocates nothing, so numbers from 96 on are kept where one side has them, never
/// combined: no attribute, operation or callback has such a number, and a set that a program makes
/// holds none. Results have as few words as hold them.
impl<'a, B> Bitmap<'a, B> {
    /// The words behind the first three, without the words of zero at their end.
    fn beyond(&self) -> &'a [u8] {
        let mut rest = self.rest;
        while let Some((front, [0, 0, 0, 0])) = rest.split_last_chunk() {
            rest = front;
        }
        rest
    }

    /// The set of three words, and of those behind them.
    fn trimmed_from(words: [u32; INLINE], rest: &'a [u8]) -> Self {
        let set = Self::from_words(words);
        let Some(more) = u32::try_from(rest.len() / 4).ok().filter(|more| *more > 0) else {
            return set;
        };
        Self { len: more.saturating_add(3), rest, ..set }
    }

    /// The same set with as few words on the wire as hold it.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        Self::trimmed_from(self.words, self.beyond())
    }

    /// What is in both. Numbers from 96 on: those of both if they are the same, else none.
    #[must_use]
    pub fn intersection(&self, other: &Bitmap<'_, B>) -> Self {
        let ([a, b, c], [x, y, z]) = (self.words, other.words);
        let rest = self.beyond();
        let rest = if rest == other.beyond() { rest } else { &[] };
        Self::trimmed_from([a & x, b & y, c & z], rest)
    }

    /// What is in either. Numbers from 96 on: those of `self`, or of `other` if it has none.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.words, other.words);
        let mine = self.beyond();
        let rest = if mine.is_empty() { other.beyond() } else { mine };
        Self::trimmed_from([a | x, b | y, c | z], rest)
    }

    /// What is in `self` but not in `other`. Numbers from 96 on: those of `self`, unless `other` has
    /// the same.
    #[must_use]
    pub fn difference(&self, other: &Bitmap<'_, B>) -> Self {
        let ([a, b, c], [x, y, z]) = (self.words, other.words);
        let rest = self.beyond();
        let rest = if rest == other.beyond() { &[] } else { rest };
        Self::trimmed_from([a & !x, b & !y, c & !z], rest)
    }

    /// Whether all that is in `self` is in `other` too, whatever the numbers.
    #[must_use]
    pub fn is_subset(&self, other: &Bitmap<'_, B>) -> bool {
        (0..self.len as usize).all(|i| self.word(i) & !other.word(i) == 0)
    }
}

impl<B: Bit> Bitmap<'_, B> {
    /// The set with `bit` in it; `None` if its number is 96 or above and it is not there already.
    #[must_use]
    pub fn with(&self, bit: B) -> Option<Self> {
        if self.contains(bit) {
            return Some(*self);
        }
        let mut words = self.words;
        *words.get_mut((bit.number() >> 5) as usize)? |= 1 << (bit.number() & 31);
        Some(Self::trimmed_from(words, self.beyond()))
    }

    /// The set without `bit`; `None` if its number is 96 or above and it is there.
    #[must_use]
    pub fn without(&self, bit: B) -> Option<Self> {
        if !self.contains(bit) {
            return Some(*self);
        }
        let mut words = self.words;
        *words.get_mut((bit.number() >> 5) as usize)? &= !(1 << (bit.number() & 31));
        Some(Self::trimmed_from(words, self.beyond()))
    }
}

impl<'a, B> core::ops::BitAnd<Bitmap<'_, B>> for Bitmap<'a, B> {
    type Output = Self;

    /// [`intersection`](Self::intersection).
    fn bitand(self, other: Bitmap<'_, B>) -> Self {
        self.intersection(&other)
    }
}

impl<B> core::ops::BitOr for Bitmap<'_, B> {
    type Output = Self;

    /// [`union`](Self::union).
    fn bitor(self, other: Self) -> Self {
        self.union(&other)
    }
}

impl<'a, B> core::ops::Sub<Bitmap<'_, B>> for Bitmap<'a, B> {
    type Output = Self;

    /// [`difference`](Self::difference).
    fn sub(self, other: Bitmap<'_, B>) -> Self {
        self.difference(&other)
    }
}

impl<'a, B: Bit> Bitmap<'a, B> {
    /// Whether `bit` is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, bit: B) -> bool {
        let number = bit.number();
        self.word((number >> 5) as usize) & (1 << (number & 31)) != 0
    }

    /// What is in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = B> + use<'a, B> {
        let set = *self;
        (0..set.len).flat_map(move |index| {
            let mut word = set.word(index as usize);
            core::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                (bit < 32).then(|| B::from_number(index.wrapping_mul(32).wrapping_add(bit)))
            })
        })
    }
}

impl<B> Default for Bitmap<'_, B> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<B> PartialEq for Bitmap<'_, B> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.words == other.words && self.rest == other.rest
    }
}

impl<B> Eq for Bitmap<'_, B> {}

impl<B: Bit> fmt::Debug for Bitmap<'_, B> {
    /// `{TYPE, SIZE, 99}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut set = f.debug_set();
        for bit in self.iter() {
            match bit.name() {
                Some(name) => set.entry(&format_args!("{name}")),
                None => set.entry(&bit.number()),
            };
        }
        set.finish()
    }
}

impl<B> Wire for Bitmap<'_, B> {
    const MIN_LEN: u32 = 4;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'a, B> Decode<'a> for Bitmap<'a, B> {
    #[inline]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        c.with(|c| {
            let len = c.word()?;
            if len > c.limits().max_items {
                return None;
            }
            let raw = c.block(usize::try_from(u64::from(len).checked_mul(4)?).ok()?)?;
            let mut words = [0; INLINE];
            let (inline, rest) = raw.split_at(raw.len().min(INLINE.wrapping_mul(4)));
            for (word, bytes) in words.iter_mut().zip(inline.as_chunks().0) {
                *word = u32::from_be_bytes(*bytes);
            }
            Some(Self { len, words, rest, bits: PhantomData })
        })
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        let at = p.position();
        let limit = p.limits().max_items;
        let count = p.word()?;
        if count > limit {
            return Err(p.error_at(ErrorKind::TooMany { count, limit }, at));
        }
        p.skip(u64::from(count).wrapping_mul(4))
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let len = u.int_in_range(0..=4u32)?;
        let mut words = [0; INLINE];
        for word in words.iter_mut().take(len as usize) {
            *word = u.arbitrary()?;
        }
        let rest = u.bytes(if len > 3 { 4 } else { 0 })?;
        Ok(Self { len, words, rest, bits: PhantomData })
    }
}

impl<'p, B> Encode<'p> for Bitmap<'_, B> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        u64::from(self.len).wrapping_mul(4).wrapping_add(4)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let mut w = Encode::<'p>::write(&self.len, w)?;
        for word in self.words.iter().take(self.len as usize) {
            w = Encode::<'p>::write(word, w)?;
        }
        let (window, behind) = w.split_at_mut_checked(self.rest.len())?;
        window.copy_from_slice(self.rest);
        Some(behind)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        e.word(self.len)?;
        (0..self.len as usize).try_for_each(|i| e.word(self.word(i)))
    }
}

#[cfg(feature = "alloc")]
impl<B: Bit + 'static> Rebind for Bitmap<'_, B> {
    type At<'at> = Bitmap<'at, B>;
}

#[cfg(feature = "arbitrary")]
impl<'a, B> Arbitrary<'a> for Bitmap<'a, B> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::arbitrary_value(u)
    }
}

#[cfg(feature = "serde")]
impl<B> Serialize for Bitmap<'_, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_xdr(serializer)
    }
}

// Words, not names: trailing words of zero come back too.
#[cfg(feature = "serde")]
impl<B> SerializeXdr for Bitmap<'_, B> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.len as usize).map(|i| self.word(i)))
    }
}

#[cfg(feature = "serde")]
impl<B> DeserializeXdr for Bitmap<'_, B> {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        <nfswire_xdr::Array<'_, u32>>::deserialize_xdr(deserializer, out)
    }
}
