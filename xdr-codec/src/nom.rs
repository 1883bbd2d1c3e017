//! Wire types as parsers of the crate `nom`, version 8 (feature `nom`).
//!
//! [`xdr`] makes a parser of any type, on the same leaves and at about the same cost as
//! [`Cursor::decode`]; it composes with all of nom's combinators, because a [`Cursor`] is an input of
//! nom's. A [`DecodeError`] keeps its offset and field on the way out; where a combinator itself
//! refuses, the kind is [`ErrorKind::Nom`]. Of the errors of several alternatives the one furthest
//! into the message is kept. The parsers are complete ones: too few bytes are an error, never
//! `Incomplete`. No feature of nom's own is needed; those that make vectors need its `alloc`.
//!
//! ```
//! use nfswire_xdr::{Cursor, Text, from_bytes, nom::xdr};
//! use nom::{Parser, combinator::all_consuming, multi::length_count};
//!
//! let message = [0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 1, b'a', 0, 0, 0, 0, 0, 0, 2, b'b', b'c', 0, 0];
//! let names = length_count(xdr::<u32>(), xdr::<Text<'_, 255>>());
//! let mut parser = all_consuming((xdr::<u32>(), names));
//! let (_, (id, names)) = parser.parse(Cursor::new(&message))?;
//! assert_eq!(id, 7);
//! assert_eq!(names.iter().map(|name| name.to_string()).collect::<Vec<_>>(), ["a", "bc"]);
//!
//! let Err(nom::Err::Error(error)) = parser.parse(Cursor::new(&message[..18])) else { panic!() };
//! assert_eq!(error.to_string(), "at byte 16: need 4 bytes, 2 left");
//! # Ok::<(), nom::Err<nfswire_xdr::DecodeError>>(())
//! ```

use core::{iter, marker::PhantomData, slice};

use ::nom::{
    AsBytes, Compare, CompareResult, Err, FindSubstring, FindToken, Input, Mode, Needed, Offset,
    OutputMode, PResult, Parser,
    error::{ContextError, ErrorKind as NomKind, FromExternalError, ParseError},
};

use crate::{
    cursor::{Cursor, fault, saturate},
    error::{DecodeError, ErrorKind},
    wire::Decode,
};

/// A parser of one value.
#[must_use]
pub fn xdr<'a, T: Decode<'a>>() -> impl Parser<Cursor<'a>, Output = T, Error = DecodeError> + Copy {
    Xdr(PhantomData)
}

struct Xdr<T>(PhantomData<fn() -> T>);

impl<T> Clone for Xdr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Xdr<T> {}

impl<'a, T: Decode<'a>> Parser<Cursor<'a>> for Xdr<T> {
    type Output = T;
    type Error = DecodeError;

    #[inline]
    fn process<OM: OutputMode>(
        &mut self,
        input: Cursor<'a>,
    ) -> PResult<OM, Cursor<'a>, T, DecodeError> {
        let mut c = input;
        match T::decode(&mut c) {
            Some(value) => Ok((c, OM::Output::bind(|| value))),
            // An error that the combinator drops is not looked for.
            None => Err(Err::Error(OM::Error::bind(|| fault::<T>(input)))),
        }
    }
}

/// Bytes at hand; a message of which only the head is here ends for nom where the head ends.
impl<'a> Input for Cursor<'a> {
    type Item = u8;
    type Iter = iter::Copied<slice::Iter<'a, u8>>;
    type IterIndices = iter::Enumerate<Self::Iter>;

    #[inline]
    fn input_len(&self) -> usize {
        self.rest().len()
    }

    /// The next `index` bytes, or all if there are fewer.
    #[inline]
    fn take(&self, index: usize) -> Self {
        self.take_split(index).1
    }

    /// What is behind the next `index` bytes, or nothing if there are fewer.
    #[inline]
    fn take_from(&self, index: usize) -> Self {
        self.take_split(index).0
    }

    #[inline]
    fn take_split(&self, index: usize) -> (Self, Self) {
        self.split(index)
    }

    #[inline]
    fn position<P: Fn(u8) -> bool>(&self, predicate: P) -> Option<usize> {
        self.rest().iter().position(|byte| predicate(*byte))
    }

    #[inline]
    fn iter_elements(&self) -> Self::Iter {
        self.rest().iter().copied()
    }

    #[inline]
    fn iter_indices(&self) -> Self::IterIndices {
        self.iter_elements().enumerate()
    }

    #[inline]
    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        match count.checked_sub(self.rest().len()) {
            None | Some(0) => Ok(count),
            Some(missing) => Err(Needed::new(missing)),
        }
    }
}

impl Offset for Cursor<'_> {
    fn offset(&self, second: &Self) -> usize {
        Cursor::position(second).saturating_sub(Cursor::position(self))
    }
}

impl AsBytes for Cursor<'_> {
    fn as_bytes(&self) -> &[u8] {
        self.rest()
    }
}

impl<'a, T> Compare<T> for Cursor<'a>
where
    &'a [u8]: Compare<T>,
{
    fn compare(&self, t: T) -> CompareResult {
        self.rest().compare(t)
    }

    fn compare_no_case(&self, t: T) -> CompareResult {
        self.rest().compare_no_case(t)
    }
}

impl<'a, T> FindSubstring<T> for Cursor<'a>
where
    &'a [u8]: FindSubstring<T>,
{
    fn find_substring(&self, substring: T) -> Option<usize> {
        self.rest().find_substring(substring)
    }
}

impl FindToken<u8> for Cursor<'_> {
    fn find_token(&self, token: u8) -> bool {
        self.rest().contains(&token)
    }
}

fn refused(input: &Cursor<'_>, kind: NomKind) -> DecodeError {
    let offset = saturate(Cursor::position(input));
    DecodeError { kind: ErrorKind::Nom(kind), offset, field: None }
}

impl<'a> ParseError<Cursor<'a>> for DecodeError {
    fn from_error_kind(input: Cursor<'a>, kind: NomKind) -> Self {
        refused(&input, kind)
    }

    fn append(_input: Cursor<'a>, _kind: NomKind, other: Self) -> Self {
        other
    }

    fn or(self, other: Self) -> Self {
        if self.offset > other.offset { self } else { other }
    }
}

/// The field says more than a context would; none is kept.
impl<'a> ContextError<Cursor<'a>> for DecodeError {}

impl<'a, E> FromExternalError<Cursor<'a>, E> for DecodeError {
    fn from_external_error(input: Cursor<'a>, kind: NomKind, _error: E) -> Self {
        refused(&input, kind)
    }
}
