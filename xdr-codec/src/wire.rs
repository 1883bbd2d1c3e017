//! The three traits of a wire type, and the constant arithmetic of the declaration macros.

use crate::{
    cursor::Source,
    encoder::Encoder,
    error::{DecodeError, EncodeError},
    payload::Payload,
    probe::Probe,
};

/// Shape of one field, for planning runs of fixed-size fields.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    fixed: bool,
    len: u32,
}

impl Shape {
    #[must_use]
    pub const fn of<T: Wire + ?Sized>() -> Self {
        Self { fixed: T::FIXED, len: T::MIN_LEN }
    }
}

/// Sizes of a type on the wire, in bytes, known at compile time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of the wire",
    label = "not a wire type",
    note = "for `Vec<T>` or `&[T]` use `Array<'a, T, MAX>`; for `String` or `&str` use `Text<'a, MAX>`",
    note = "for `u8` use `u32`, or `[u8; N]`, `Opaque<'a, MAX>` or `Payload<'a>` for bytes; for `u16` use `u32`",
    note = "for `Box<T>` use `Option<T>`, or `Chain<'a, T>` for a linked list; for `usize` use `u32` or `u64`",
    note = "types of your own are declared with `xdr_struct!`, `xdr_enum!`, `xdr_open_enum!` or `xdr_union!`"
)]
pub trait Wire {
    /// Fewest bytes that a value takes.
    const MIN_LEN: u32;
    /// Most bytes that a value takes; `u32::MAX` when there is no bound.
    const MAX_LEN: u32;
    /// Every value takes [`MIN_LEN`](Self::MIN_LEN) bytes and holds nothing borrowed.
    const FIXED: bool = false;
    #[doc(hidden)]
    const SHAPES: &'static [Shape] = &[];
}

/// A type that can be read from a [`Source`].
///
/// Users call [`Cursor::decode`](crate::Cursor::decode). The methods here are for the declaration
/// macros and for hand-written types: `decode` is the hot path and says only *that* the bytes are
/// wrong; `check` walks the same bytes again, slowly, and says why and where. Both must agree.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be decoded",
    label = "not a type that can be decoded",
    note = "the wire types, and which of them stand for which XDR types, are listed in the crate's documentation"
)]
pub trait Decode<'a>: Wire + Sized {
    /// Reads a value, or `None` if the bytes are not one.
    ///
    /// A value of several parts is read within [`Source::with`], so that a contiguous source does not
    /// move if a later part is wrong: offsets of errors in a [`Stream`](crate::Stream) count on it.
    #[inline(always)]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        let lenient = c.lenient();
        Self::from_block(c.block(Self::MIN_LEN as usize)?, lenient)
    }

    /// Reads a [`FIXED`](Wire::FIXED) value from its [`MIN_LEN`](Wire::MIN_LEN) bytes.
    #[inline(always)]
    #[must_use]
    fn from_block(block: &[u8], lenient: bool) -> Option<Self> {
        let _ = (block, lenient);
        None
    }

    /// Makes a value of arbitrary bytes, for tests. Unless a type says otherwise the bytes must be
    /// those of a value.
    ///
    /// # Errors
    /// No value can be made of these bytes.
    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        crate::arbitrary::decode(u)
    }

    /// Finds the first fault in the bytes of a value and steps over them.
    ///
    /// # Errors
    /// Whatever made [`decode`](Self::decode) return `None`.
    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError>;
}

/// A type that can be written with an [`Encoder`].
///
/// Users call [`Encoder::put`]. The methods here are for the declaration macros and for
/// hand-written types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be encoded",
    label = "not a type that can be encoded",
    note = "the wire types, and which of them stand for which XDR types, are listed in the crate's documentation",
    note = "for `Vec<T>` or `&[T]` use `Array::from_slice`; for bytes `Opaque::new` or `Payload::Borrowed`; for `&str` `Text::try_from`",
    note = "a list of `T` can be encoded if `T` can be decoded as well"
)]
pub trait Encode<'p>: Wire {
    /// No value holds a payload.
    const INLINE: bool = true;
    /// A payload can only stand at the very end: `write` writes all that comes before it.
    const TAIL: bool = true;

    /// A value can be long, such as a list: it is not tried as one window of a page.
    const LONG: bool = false;

    /// Bytes that the value takes on the wire, payloads and padding included.
    fn encoded_len(&self) -> u64;

    /// Writes everything but a payload (its length word, bytes and pad) to the front of `w` and
    /// returns the rest, or `None` if `w` is too short.
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]>;

    /// The payload behind what [`write`](Self::write) writes.
    #[inline(always)]
    fn tail(&self) -> Option<&Payload<'p>> {
        None
    }

    /// Writes the value part by part: across pages, or with payloads in the middle.
    ///
    /// # Errors
    /// See [`Encoder::put`].
    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError>;

    /// Writes the value: in one window of the head if it fits, else part by part.
    ///
    /// # Errors
    /// See [`Encoder::put`].
    #[inline]
    fn encode(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        if e.put_whole(self) { Ok(()) } else { self.encode_fields(e) }
    }
}

impl<T: Wire + ?Sized> Wire for &T {
    const MIN_LEN: u32 = T::MIN_LEN;
    const MAX_LEN: u32 = T::MAX_LEN;
    const FIXED: bool = T::FIXED;
}

impl<'p, T: Encode<'p> + ?Sized> Encode<'p> for &T {
    const INLINE: bool = T::INLINE;
    const TAIL: bool = T::TAIL;
    const LONG: bool = T::LONG;
    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        T::encoded_len(self)
    }
    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        T::write(self, w)
    }
    #[inline(always)]
    fn tail(&self) -> Option<&Payload<'p>> {
        T::tail(self)
    }
    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        T::encode_fields(self, e)
    }
}

/// What the declaration macros expand to. Not part of the API.
#[doc(hidden)]
pub mod plan {
    use super::{Decode, Encode, Shape, Wire};
    use crate::{
        cursor::Source,
        error::{DecodeError, ErrorKind, Field},
        probe::Probe,
    };

    pub type CheckFn = fn(&mut Probe<'_>) -> Result<(), DecodeError>;

    #[must_use]
    pub const fn sum(parts: &[u32]) -> u32 {
        let mut total = 0u32;
        let mut rest = parts;
        while let [first, tail @ ..] = rest {
            total = total.saturating_add(*first);
            rest = tail;
        }
        total
    }

    #[must_use]
    pub const fn min(parts: &[u32]) -> u32 {
        let mut least = u32::MAX;
        let mut rest = parts;
        while let [first, tail @ ..] = rest {
            if *first < least {
                least = *first;
            }
            rest = tail;
        }
        least
    }

    #[must_use]
    pub const fn max(parts: &[u32]) -> u32 {
        let mut most = 0;
        let mut rest = parts;
        while let [first, tail @ ..] = rest {
            if *first > most {
                most = *first;
            }
            rest = tail;
        }
        most
    }

    #[must_use]
    pub const fn all(parts: &[bool]) -> bool {
        let mut rest = parts;
        while let [first, tail @ ..] = rest {
            if !*first {
                return false;
            }
            rest = tail;
        }
        true
    }

    #[must_use]
    pub const fn any(parts: &[bool]) -> bool {
        let mut rest = parts;
        while let [first, tail @ ..] = rest {
            if *first {
                return true;
            }
            rest = tail;
        }
        false
    }

    /// Every field but the last is inline, and the last has its payload at its end.
    #[must_use]
    pub const fn tail(inline: &[bool], tail: &[bool]) -> bool {
        match (inline, tail) {
            ([before @ .., _], [.., last]) => all(before) && *last,
            _ => true,
        }
    }

    /// Length of the run of fixed fields that starts at field `from`.
    #[must_use]
    pub const fn run(shapes: &[Shape], from: usize) -> usize {
        let mut total = 0usize;
        let Some((_, mut rest)) = shapes.split_at_checked(from) else { return 0 };
        while let [first, tail @ ..] = rest {
            if !first.fixed {
                break;
            }
            total = total.saturating_add(first.len as usize);
            rest = tail;
        }
        total
    }

    /// Reader of a struct's fields: one bounds check for each run of fixed-size ones.
    #[derive(Debug)]
    pub struct Run<'a>(pub &'a [u8]);

    impl<'a> Run<'a> {
        #[inline(always)]
        pub fn field<T: Decode<'a>, S: Source<'a>>(&mut self, c: &mut S, run: usize) -> Option<T> {
            if T::FIXED {
                if self.0.is_empty() {
                    self.0 = c.block(run)?;
                }
                self.block(c.lenient())
            } else {
                T::decode(c)
            }
        }
    }

    impl Run<'_> {
        #[inline(always)]
        pub fn block<'de, T: Decode<'de>>(&mut self, lenient: bool) -> Option<T> {
            let (block, rest) = self.0.split_at_checked(T::MIN_LEN as usize)?;
            self.0 = rest;
            T::from_block(block, lenient)
        }
    }

    /// Writer of a struct's fields, the mirror of [`Run`].
    #[derive(Debug)]
    pub struct Out<'w> {
        run: &'w mut [u8],
        rest: &'w mut [u8],
    }

    impl<'w> Out<'w> {
        #[inline(always)]
        #[must_use]
        pub const fn new(rest: &'w mut [u8]) -> Self {
            Self { run: &mut [], rest }
        }

        #[inline(always)]
        pub fn field<'p, T: Encode<'p>>(&mut self, value: &T, run: usize) -> Option<()> {
            if T::FIXED {
                if self.run.is_empty() {
                    let (run, rest) = core::mem::take(&mut self.rest).split_at_mut_checked(run)?;
                    self.run = run;
                    self.rest = rest;
                }
                self.run = value.write(core::mem::take(&mut self.run))?;
            } else {
                self.rest = value.write(core::mem::take(&mut self.rest))?;
            }
            Some(())
        }

        #[inline(always)]
        #[must_use]
        pub const fn finish(self) -> &'w mut [u8] {
            self.rest
        }
    }

    /// Checks the fields of a struct in order.
    ///
    /// # Errors
    /// The first fault.
    pub fn check_fields(
        p: &mut Probe<'_>,
        fields: &'static [(Field, CheckFn)],
    ) -> Result<(), DecodeError> {
        for (field, check) in fields {
            p.enter(field);
            check(p)?;
            p.leave();
        }
        Ok(())
    }

    /// Checks an enumeration.
    ///
    /// # Errors
    /// [`ErrorKind::Enum`].
    pub fn check_enum(p: &mut Probe<'_>, known: fn(i32) -> bool) -> Result<(), DecodeError> {
        let at = p.position();
        let word = p.word()?;
        if known(word.cast_signed()) {
            return Ok(());
        }
        Err(p.error_at(ErrorKind::Enum(word), at))
    }

    /// Sizes of a union: discriminant and arms.
    #[must_use]
    pub const fn union_min<D: Wire>(arms: &[u32]) -> u32 {
        D::MIN_LEN.saturating_add(min(arms))
    }

    #[must_use]
    pub const fn union_max<D: Wire>(arms: &[u32]) -> u32 {
        D::MAX_LEN.saturating_add(max(arms))
    }
}
