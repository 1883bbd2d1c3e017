//! Integers, booleans, floating point numbers and fixed-size arrays (RFC 4506, section 4).

use crate::{
    cursor::{Source, padded},
    encoder::Encoder,
    error::{DecodeError, EncodeError},
    probe::Probe,
    wire::{Decode, Encode, Wire},
};

macro_rules! number {
    ($($t:ty, $len:literal;)*) => {$(
        impl Wire for $t {
            const MIN_LEN: u32 = $len;
            const MAX_LEN: u32 = $len;
            const FIXED: bool = true;
        }

        impl<'a> Decode<'a> for $t {
            #[inline(always)]
            fn from_block(block: &[u8], _lenient: bool) -> Option<Self> {
                Some(Self::from_be_bytes(*block.first_chunk()?))
            }

            fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
                p.skip($len)
            }

            #[cfg(feature = "arbitrary")]
            fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
                ::arbitrary::Arbitrary::arbitrary(u)
            }
        }

        impl<'p> Encode<'p> for $t {
            #[inline(always)]
            fn encoded_len(&self) -> u64 {
                $len
            }

            #[inline(always)]
            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                let (first, rest) = w.split_first_chunk_mut()?;
                *first = self.to_be_bytes();
                Some(rest)
            }

            fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
                e.copy(&self.to_be_bytes())
            }
        }
    )*};
}

number! {
    u32, 4;
    i32, 4;
    u64, 8;
    i64, 8;
    f32, 4;
    f64, 8;
}

macro_rules! bits {
    ($(#[$m:meta])* $name:ident, $bits:ty, $float:ty) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub $bits);

        impl $name {
            /// The number.
            #[must_use]
            pub const fn get(self) -> $float {
                <$float>::from_bits(self.0)
            }
        }

        impl From<$float> for $name {
            fn from(value: $float) -> Self {
                Self(value.to_bits())
            }
        }

        impl Wire for $name {
            const MIN_LEN: u32 = <$bits>::MIN_LEN;
            const MAX_LEN: u32 = <$bits>::MAX_LEN;
            const FIXED: bool = true;
        }

        impl<'a> Decode<'a> for $name {
            #[inline(always)]
            fn from_block(block: &[u8], lenient: bool) -> Option<Self> {
                <$bits>::from_block(block, lenient).map(Self)
            }

            fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
                <$bits>::check(p)
            }

            #[cfg(feature = "arbitrary")]
            fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
                <$bits>::arbitrary_value(u).map(Self)
            }
        }

        impl<'p> Encode<'p> for $name {
            #[inline(always)]
            fn encoded_len(&self) -> u64 {
                self.0.encoded_len()
            }

            #[inline(always)]
            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                self.0.write(w)
            }

            fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
                self.0.encode_fields(e)
            }
        }
    };
}

bits! {
    /// A single-precision number (RFC 4506, section 4.6), compared and kept by its bits, so that
    /// every NaN survives. `f32` works too where its comparison is wanted.
    Float, u32, f32
}
bits! {
    /// A double-precision number (RFC 4506, section 4.7), compared and kept by its bits, so that
    /// every NaN survives. `f64` works too where its comparison is wanted.
    Double, u64, f64
}

impl Wire for bool {
    const MIN_LEN: u32 = 4;
    const MAX_LEN: u32 = 4;
    const FIXED: Self = true;
}

impl<'a> Decode<'a> for bool {
    #[inline(always)]
    fn from_block(block: &[u8], _lenient: bool) -> Option<Self> {
        let word = u32::from_be_bytes(*block.first_chunk()?);
        (word <= 1).then_some(word == 1)
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        p.boolean().map(drop)
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        ::arbitrary::Arbitrary::arbitrary(u)
    }
}

impl<'p> Encode<'p> for bool {
    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        4
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        u32::from(*self).write(w)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        e.word(u32::from(*self))
    }
}

/// `void`: no bytes (RFC 4506, section 4.16).
impl Wire for () {
    const MIN_LEN: u32 = 0;
    const MAX_LEN: u32 = 0;
    const FIXED: bool = true;
}

impl<'a> Decode<'a> for () {
    #[inline(always)]
    fn from_block(_block: &[u8], _lenient: bool) -> Option<Self> {
        Some(())
    }

    fn check(_p: &mut Probe<'_>) -> Result<(), DecodeError> {
        Ok(())
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        let _ = u;
        Ok(())
    }
}

impl<'p> Encode<'p> for () {
    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        0
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        Some(w)
    }

    fn encode_fields(&self, _e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        Ok(())
    }
}

#[allow(clippy::cast_possible_truncation)] // array lengths of wire types are small; checked here
const fn len32(n: usize) -> u32 {
    assert!(n as u64 <= u32::MAX as u64, "array too long for the wire");
    n as u32
}

/// `opaque[N]`: fixed-length opaque data, padded to a multiple of four (RFC 4506, section 4.9).
impl<const N: usize> Wire for [u8; N] {
    #[allow(clippy::cast_possible_truncation)]
    const MIN_LEN: u32 = padded(len32(N)) as u32;
    const MAX_LEN: u32 = Self::MIN_LEN;
    const FIXED: bool = true;
}

impl<'a, const N: usize> Decode<'a> for [u8; N] {
    #[inline(always)]
    fn from_block(block: &[u8], lenient: bool) -> Option<Self> {
        let (data, pad) = block.split_first_chunk()?;
        if !lenient && pad.iter().any(|b| *b != 0) {
            return None;
        }
        Some(*data)
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        p.opaque(const { len32(N) })
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        ::arbitrary::Arbitrary::arbitrary(u)
    }
}

impl<'p, const N: usize> Encode<'p> for [u8; N] {
    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        Self::MIN_LEN.into()
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let (data, rest) = w.split_first_chunk_mut()?;
        *data = *self;
        let (pad, rest) = rest.split_at_mut_checked((Self::MIN_LEN as usize).wrapping_sub(N))?;
        pad.fill(0);
        Some(rest)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        e.copy(self)
    }
}

/// `T[N]`: a fixed-length array (RFC 4506, section 4.12) of fixed-size elements.
impl<T: Wire, const N: usize> Wire for [T; N] {
    const MIN_LEN: u32 = {
        assert!(T::FIXED, "elements of a fixed-length array must have a fixed size");
        T::MIN_LEN.saturating_mul(len32(N))
    };
    const MAX_LEN: u32 = Self::MIN_LEN;
    const FIXED: bool = true;
}

impl<'a, T: Decode<'a> + Copy + Default, const N: usize> Decode<'a> for [T; N] {
    #[inline(always)]
    fn from_block(mut block: &[u8], lenient: bool) -> Option<Self> {
        let mut items = [T::default(); N];
        for item in &mut items {
            let (one, rest) = block.split_at_checked(T::MIN_LEN as usize)?;
            *item = T::from_block(one, lenient)?;
            block = rest;
        }
        Some(items)
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        (0..N).try_for_each(|_| T::check(p))
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        let mut items = [T::default(); N];
        for item in &mut items {
            *item = T::arbitrary_value(u)?;
        }
        Ok(items)
    }
}

impl<'p, T: Encode<'p>, const N: usize> Encode<'p> for [T; N] {
    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        Self::MIN_LEN.into()
    }

    #[inline(always)]
    fn write<'w>(&self, mut w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        for item in self {
            w = item.write(w)?;
        }
        Some(w)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        self.iter().try_for_each(|item| item.encode(e))
    }
}

/// Optional data, also a union of a boolean whose FALSE arm is void (RFC 4506, section 4.19).
impl<T: Wire> Wire for Option<T> {
    const MIN_LEN: u32 = 4;
    const MAX_LEN: u32 = T::MAX_LEN.saturating_add(4);
}

impl<'a, T: Decode<'a>> Decode<'a> for Option<T> {
    #[inline(always)]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        if c.boolean()? { T::decode(c).map(Some) } else { Some(None) }
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        if p.boolean()? { T::check(p) } else { Ok(()) }
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        if <bool as Decode<'_>>::arbitrary_value(u)? {
            T::arbitrary_value(u).map(Some)
        } else {
            Ok(None)
        }
    }
}

impl<'p, T: Encode<'p>> Encode<'p> for Option<T> {
    const INLINE: bool = T::INLINE;
    const TAIL: bool = T::TAIL;
    const LONG: bool = T::LONG;

    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        self.as_ref().map_or(0, T::encoded_len).wrapping_add(4)
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        match self {
            // One check for the word and the value.
            Some(value) if T::FIXED => {
                let (both, rest) = w.split_at_mut_checked(Self::MAX_LEN as usize)?;
                value.write(1u32.write(both)?)?;
                Some(rest)
            }
            Some(value) => value.write(1u32.write(w)?),
            None => 0u32.write(w),
        }
    }

    #[inline(always)]
    fn tail(&self) -> Option<&crate::Payload<'p>> {
        self.as_ref().and_then(T::tail)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        e.word(self.is_some().into())?;
        self.as_ref().map_or(Ok(()), |value| value.encode(e))
    }
}
