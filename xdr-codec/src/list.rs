//! Lists: counted arrays and linked lists, read lazily from the message.

use core::fmt;

use crate::{
    cursor::{Cursor, Source},
    encoder::Encoder,
    error::{DecodeError, EncodeError, ErrorKind},
    limits::Limits,
    probe::Probe,
    wire::{Decode, Encode, Wire},
};

/// `T<MAX>`: a counted array (RFC 4506, section 4.13).
pub type Array<'a, T, const MAX: u32 = { u32::MAX }> = List<'a, T, false, MAX>;

/// A linked list, `struct node { T item; node *next; }` behind a `node *` (RFC 4506, section 4.19):
/// each element follows a TRUE, the end is a FALSE.
pub type Chain<'a, T> = List<'a, T, true, { u32::MAX }>;

/// A list of `T`, counted ([`Array`]) or linked ([`Chain`]).
///
/// A decoded list has been walked and checked, but not built: it borrows the bytes of the message
/// and decodes each element again when it is iterated. A list to encode borrows a slice of values.
/// Nothing recurses, whatever the length.
///
/// A list borrows its bytes in one slice, payloads in it included: the one place where a payload may
/// be copied, or must be at hand. Of a list that straddles [`Pieces`](crate::Pieces) all bytes go into
/// the scratch, and a payload in a list that is not at hand is an error
/// ([`ErrorKind::NotHere`]), with [`Cursor::head`] too. A payload in a list that
/// was decoded is always [`Payload::Borrowed`](crate::Payload::Borrowed), therefore.
pub struct List<'a, T, const LINKED: bool, const MAX: u32> {
    repr: Repr<'a, T>,
}

enum Repr<'a, T> {
    /// Elements as on the wire; in a linked list with the word before each, without the last one.
    Wire {
        raw: &'a [u8],
        count: u32,
        lenient: bool,
    },
    Items {
        items: &'a [T],
        count: u32,
    },
    /// Elements to be made of arbitrary bytes.
    #[cfg(feature = "arbitrary")]
    Made {
        noise: &'a [u8],
        count: u32,
    },
}

impl<T> Clone for Repr<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Repr<'_, T> {}

impl<T, const LINKED: bool, const MAX: u32> Clone for List<'_, T, LINKED, MAX> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const LINKED: bool, const MAX: u32> Copy for List<'_, T, LINKED, MAX> {}

impl<T, const LINKED: bool, const MAX: u32> Default for List<'_, T, LINKED, MAX> {
    fn default() -> Self {
        Self { repr: Repr::Items { items: &[], count: 0 } }
    }
}

impl<'a, T, const MAX: u32> List<'a, T, false, MAX> {
    /// Borrows `items`, or `None` if there are more than `MAX` of them.
    #[inline]
    #[must_use]
    pub fn from_slice(items: &'a [T]) -> Option<Self> {
        let count = u32::try_from(items.len()).ok().filter(|n| *n <= MAX)?;
        Some(Self { repr: Repr::Items { items, count } })
    }
}

impl<'a, T, const MAX: u32> List<'a, T, true, MAX> {
    /// Borrows `items`.
    #[inline]
    #[must_use]
    pub fn from_slice(items: &'a [T]) -> Self {
        let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
        Self { repr: Repr::Items { items, count } }
    }
}

impl<'a, T, const LINKED: bool, const MAX: u32> List<'a, T, LINKED, MAX> {
    /// Number of elements.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u32 {
        match self.repr {
            Repr::Wire { count, .. } | Repr::Items { count, .. } => count,
            #[cfg(feature = "arbitrary")]
            Repr::Made { count, .. } => count,
        }
    }

    /// Whether there are no elements.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in order.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T, LINKED> {
        match self.repr {
            Repr::Wire { raw, count, lenient } => {
                let limits = if lenient { &Limits::CHECKED_LENIENT } else { &Limits::CHECKED };
                Iter { wire: Cursor::with(raw, limits), left: count, ..Iter::new(&[]) }
            }
            Repr::Items { items, .. } => Iter::new(items),
            #[cfg(feature = "arbitrary")]
            Repr::Made { noise, count } => {
                Iter { noise: Some(noise), left: count, ..Iter::new(&[]) }
            }
        }
    }

    pub(crate) fn for_each<E>(&self, mut f: impl FnMut(&T) -> Result<(), E>) -> Result<(), E>
    where
        T: Decode<'a>,
    {
        match self.repr {
            Repr::Items { items, .. } => items.iter().try_for_each(f),
            _ => {
                let mut iter = self.iter();
                while let Some(item) = iter.decode_next() {
                    f(&item)?;
                }
                Ok(())
            }
        }
    }
}

impl<'a, T: Decode<'a> + Clone, const LINKED: bool, const MAX: u32> IntoIterator
    for List<'a, T, LINKED, MAX>
{
    type Item = T;
    type IntoIter = Iter<'a, T, LINKED>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Decode<'a> + Clone, const LINKED: bool, const MAX: u32> IntoIterator
    for &List<'a, T, LINKED, MAX>
{
    type Item = T;
    type IntoIter = Iter<'a, T, LINKED>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Elements of a [`List`], by value.
pub struct Iter<'a, T, const LINKED: bool> {
    wire: Cursor<'a>,
    items: &'a [T],
    /// Elements to come, where no bytes tell: they have none, or are to be made of `noise`.
    left: u32,
    #[cfg(feature = "arbitrary")]
    noise: Option<&'a [u8]>,
}

impl<'a, T, const LINKED: bool> Iter<'a, T, LINKED> {
    #[inline(always)]
    const fn new(items: &'a [T]) -> Self {
        Self {
            wire: Cursor::new(&[]),
            items,
            left: 0,
            #[cfg(feature = "arbitrary")]
            noise: None,
        }
    }
}

impl<T, const LINKED: bool> fmt::Debug for Iter<'_, T, LINKED> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").finish_non_exhaustive()
    }
}

impl<'a, T: Decode<'a>, const LINKED: bool> Iter<'a, T, LINKED> {
    /// The next element of a list read from the wire: its bytes were checked when it was decoded.
    #[inline(always)]
    fn decode_next(&mut self) -> Option<T> {
        #[cfg(feature = "arbitrary")]
        if let Some(noise) = self.noise {
            return self.make_next(noise);
        }
        if T::MAX_LEN == 0 && !LINKED {
            self.left = self.left.checked_sub(1)?;
            return T::decode(&mut self.wire);
        }
        self.wire.with(|c| {
            if LINKED {
                c.word()?;
            } else if c.remaining() == 0 {
                return None;
            }
            T::decode(c)
        })
    }

    #[cfg(feature = "arbitrary")]
    fn make_next(&mut self, noise: &'a [u8]) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        let mut u = ::arbitrary::Unstructured::new(noise);
        let item = T::arbitrary_value(&mut u).ok()?;
        self.noise = Some(u.take_rest());
        Some(item)
    }
}

#[cfg(feature = "arbitrary")]
impl<'a, T: Decode<'a>, const LINKED: bool, const MAX: u32> List<'a, T, LINKED, MAX> {
    /// As many elements as can be made of a share of the bytes.
    fn made(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        let noise = crate::arbitrary::bytes(u, u32::MAX)?;
        let mut rest = ::arbitrary::Unstructured::new(noise);
        let mut count = 0u32;
        while count < MAX && !rest.is_empty() {
            let before = rest.len();
            if T::arbitrary_value(&mut rest).is_err() {
                break;
            }
            count = count.saturating_add(1);
            // An element made of nothing could be repeated without end.
            if rest.len() == before {
                break;
            }
        }
        Ok(Self { repr: Repr::Made { noise, count } })
    }
}

impl<'a, T: Decode<'a> + Clone, const LINKED: bool> Iterator for Iter<'a, T, LINKED> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if let [first, rest @ ..] = self.items {
            self.items = rest;
            return Some(first.clone());
        }
        self.decode_next()
    }
}

impl<'a, T, const LINKED: bool, const MAX: u32> PartialEq for List<'a, T, LINKED, MAX>
where
    T: Decode<'a> + Clone + PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<'a, T, const LINKED: bool, const MAX: u32> Eq for List<'a, T, LINKED, MAX> where
    T: Decode<'a> + Clone + Eq
{
}

impl<'a, T, const LINKED: bool, const MAX: u32> fmt::Debug for List<'a, T, LINKED, MAX>
where
    T: Decode<'a> + Clone + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Wire, const LINKED: bool, const MAX: u32> Wire for List<'_, T, LINKED, MAX> {
    const MIN_LEN: u32 = 4;
    const MAX_LEN: u32 = {
        let word = if LINKED { 4 } else { 0 };
        T::MAX_LEN.saturating_add(word).saturating_mul(MAX).saturating_add(4)
    };
}

/// Steps over one element of a linked list and the word before it, as element number `seen`; false
/// at the end of the list.
pub(crate) fn check_link<'a, T: Decode<'a>>(
    p: &mut Probe<'_>,
    seen: u32,
    limit: u32,
) -> Result<bool, DecodeError> {
    let at = p.position();
    if !p.boolean()? {
        return Ok(false);
    }
    if seen >= limit {
        return Err(p.error_at(ErrorKind::TooMany { count: limit.saturating_add(1), limit }, at));
    }
    T::check(p)?;
    Ok(true)
}

impl<'a, T: Decode<'a>, const LINKED: bool, const MAX: u32> Decode<'a>
    for List<'a, T, LINKED, MAX>
{
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        let limit = c.limits().max_items.min(MAX);
        let lenient = c.lenient();
        let count = if LINKED {
            None
        } else {
            let count = c.word()?;
            // An element of no bytes costs the sender nothing: then only the limits bound the count.
            let most = c.remaining().checked_div(T::MIN_LEN as usize).unwrap_or(usize::MAX);
            if count > limit || count as usize > most {
                return None;
            }
            Some(count)
        };
        let (raw, count) = c.list::<T>(count, limit)?;
        Some(Self { repr: Repr::Wire { raw, count, lenient } })
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        let at = p.position();
        let limit = p.limits().max_items.min(MAX);
        if LINKED {
            return p.list(|p| {
                let mut seen = 0u32;
                while check_link::<T>(p, seen, limit)? {
                    seen = seen.saturating_add(1);
                }
                Ok(())
            });
        }
        let count = p.word()?;
        if count > limit {
            return Err(p.error_at(ErrorKind::TooMany { count, limit }, at));
        }
        let needed = u64::from(count).saturating_mul(T::MIN_LEN.into());
        if needed > p.remaining() as u64 {
            let needed = u32::try_from(needed).unwrap_or(u32::MAX);
            let left = u32::try_from(p.remaining()).unwrap_or(u32::MAX);
            return Err(p.error(ErrorKind::Short { needed, left }));
        }
        p.list(|p| (0..count).try_for_each(|_| T::check(p)))
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        List::made(u)
    }
}

impl<'a, T, const LINKED: bool, const MAX: u32> Encode<'a> for List<'a, T, LINKED, MAX>
where
    T: Decode<'a> + Encode<'a>,
{
    const INLINE: bool = T::INLINE;
    const TAIL: bool = T::INLINE;
    const LONG: bool = true;

    fn encoded_len(&self) -> u64 {
        let items = match self.repr {
            Repr::Wire { raw, .. } => raw.len() as u64,
            Repr::Items { items, count } => {
                let words = if LINKED { u64::from(count).wrapping_mul(4) } else { 0 };
                if T::FIXED {
                    u64::from(count).wrapping_mul(T::MIN_LEN.into()).wrapping_add(words)
                } else {
                    items.iter().fold(words, |sum, item| sum.wrapping_add(item.encoded_len()))
                }
            }
            #[cfg(feature = "arbitrary")]
            Repr::Made { .. } => {
                let word = if LINKED { 4u64 } else { 0 };
                let mut sum = 0u64;
                let _: Result<(), ()> = self.for_each(|item| {
                    sum = sum.saturating_add(word).saturating_add(item.encoded_len());
                    Ok(())
                });
                sum
            }
        };
        items.wrapping_add(4)
    }

    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let mut w = if LINKED { w } else { self.len().write(w)? };
        match self.repr {
            Repr::Wire { raw, lenient: false, .. } => {
                let (window, rest) = w.split_at_mut_checked(raw.len())?;
                window.copy_from_slice(raw);
                w = rest;
            }
            _ => self
                .for_each(|item| {
                    let mut rest = core::mem::take(&mut w);
                    if LINKED {
                        rest = true.write(rest).ok_or(())?;
                    }
                    w = item.write(rest).ok_or(())?;
                    Ok::<(), ()>(())
                })
                .ok()?,
        }
        if LINKED { false.write(w) } else { Some(w) }
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'a>) -> Result<(), EncodeError> {
        if !LINKED {
            e.word(self.len())?;
        }
        let one = |item: &T, e: &mut Encoder<'_, 'a>| {
            if LINKED {
                e.word(1)?;
            }
            item.encode(e)
        };
        match self.repr {
            Repr::Items { mut items, .. } if T::INLINE => {
                // As many as a page takes in one go, then the one that straddles.
                e.fill(|w| fill::<T, LINKED>(&mut items, w));
                while let [first, behind @ ..] = items {
                    one(first, e)?;
                    items = behind;
                    e.fill(|w| fill::<T, LINKED>(&mut items, w));
                }
            }
            _ => self.for_each(|item| one(item, e))?,
        }
        if LINKED { e.word(0) } else { Ok(()) }
    }
}

/// Writes the first of `items`, as many as `w` has room for; the bytes they took.
fn fill<'p, T: Encode<'p>, const LINKED: bool>(items: &mut &[T], w: &mut [u8]) -> usize {
    let all = w.len();
    let (mut w, mut left) = (w, all);
    while let [first, behind @ ..] = *items {
        let item = if LINKED { true.write(w) } else { Some(w) };
        let Some(rest) = item.and_then(|w| first.write(w)) else { break };
        left = rest.len();
        w = rest;
        *items = behind;
    }
    all.saturating_sub(left)
}

// `List` must stay as cheap to hand around as a slice.
const _: () = assert!(size_of::<Array<'_, u32>>() <= 32);
