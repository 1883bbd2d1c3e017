//! Words of flags.

use core::fmt;

/// Declares a word of flags: a newtype with a constant for each flag. Bits without a name survive.
///
/// The RFC's spelling stands before each constant; the documentation finds it, and `Debug` says it.
macro_rules! flags {
    (
        $(#[$m:meta])* $vis:vis struct $name:ident {
            $( $(#[$vm:meta])* $rfc:literal $v:ident = $value:expr ),* $(,)?
        }
    ) => {
        $(#[$m])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        $vis struct $name(
            /// The word on the wire.
            pub u32,
        );

        impl $name {
            /// No flag.
            pub const EMPTY: Self = Self(0);

            $( $(#[$vm])* #[doc(alias = $rfc)] pub const $v: Self = Self($value); )*

            /// Every constant with its RFC name.
            pub const ALL: &'static [(&'static str, u32)] = &[$(($rfc, $value)),*];

            /// Whether no bit is set.
            #[inline]
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Whether all of `other` is set here.
            #[inline]
            #[must_use]
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// Whether any of `other` is set here.
            #[inline]
            #[must_use]
            pub const fn intersects(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// What is set here or in `other`.
            #[inline]
            #[must_use]
            pub const fn with(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            /// What is set here but not in `other`.
            #[inline]
            #[must_use]
            pub const fn without(self, other: Self) -> Self {
                Self(self.0 & !other.0)
            }
        }

        impl core::ops::BitOr for $name {
            type Output = Self;

            #[inline]
            fn bitor(self, other: Self) -> Self {
                self.with(other)
            }
        }

        impl core::ops::BitOrAssign for $name {
            #[inline]
            fn bitor_assign(&mut self, other: Self) {
                *self = self.with(other);
            }
        }

        impl core::ops::BitAnd for $name {
            type Output = Self;

            #[inline]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl core::fmt::Debug for $name {
            /// `{NAME, OTHER_NAME, 0x8000}`.
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::flags::debug(self.0, Self::ALL, f)
            }
        }

        impl nfswire_xdr::Wire for $name {
            const MIN_LEN: u32 = 4;
            const MAX_LEN: u32 = 4;
            const FIXED: bool = true;
        }

        impl<'de> nfswire_xdr::Decode<'de> for $name {
            #[inline]
            fn from_block(block: &[u8], lenient: bool) -> Option<Self> {
                <u32 as nfswire_xdr::Decode<'de>>::from_block(block, lenient).map(Self)
            }

            fn check(p: &mut nfswire_xdr::Probe<'_>) -> Result<(), nfswire_xdr::DecodeError> {
                <u32 as nfswire_xdr::Decode<'de>>::check(p)
            }
        }

        impl<'p> nfswire_xdr::Encode<'p> for $name {
            #[inline]
            fn encoded_len(&self) -> u64 {
                4
            }

            #[inline]
            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                <u32 as nfswire_xdr::Encode<'p>>::write(&self.0, w)
            }

            fn encode_fields(
                &self,
                e: &mut nfswire_xdr::Encoder<'_, 'p>,
            ) -> Result<(), nfswire_xdr::EncodeError> {
                <u32 as nfswire_xdr::Encode<'p>>::encode_fields(&self.0, e)
            }
        }

        #[cfg(feature = "alloc")]
        impl nfswire_xdr::Rebind for $name {
            type At<'at> = Self;
        }

        #[cfg(feature = "arbitrary")]
        impl<'a> nfswire_xdr::arbitrary::Arbitrary<'a> for $name {
            fn arbitrary(
                u: &mut nfswire_xdr::arbitrary::Unstructured<'a>,
            ) -> nfswire_xdr::arbitrary::Result<Self> {
                u.arbitrary().map(Self)
            }
        }

        // The number: a word of several flags has no one name.
        #[cfg(feature = "serde")]
        impl nfswire_xdr::serde::Serialize for $name {
            fn serialize<S: nfswire_xdr::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.0)
            }
        }

        #[cfg(feature = "serde")]
        impl nfswire_xdr::serde::SerializeXdr for $name {
            fn serialize_xdr<S: nfswire_xdr::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.0)
            }
        }

        #[cfg(feature = "serde")]
        impl nfswire_xdr::serde::DeserializeXdr for $name {
            fn deserialize_xdr<'r, D: nfswire_xdr::serde::Deserializer<'r>>(
                deserializer: D,
                out: &mut nfswire_xdr::serde::Out<'_>,
            ) -> Result<(), D::Error> {
                <u32 as nfswire_xdr::serde::DeserializeXdr>::deserialize_xdr(deserializer, out)
            }
        }
    };
}
pub(crate) use flags;

/// The names of what is set, those of most bits first, and what has no name as one number.
pub(crate) fn debug(
    word: u32,
    names: &[(&'static str, u32)],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut set = f.debug_set();
    let mut left = word;
    let within =
        |left: u32| names.iter().filter(move |(_, bits)| *bits != 0 && left & bits == *bits);
    // Of several that are greatest `max_by_key` takes the last; from the end that is the first.
    while let Some((name, bits)) = within(left).rev().max_by_key(|(_, bits)| bits.count_ones()) {
        set.entry(&format_args!("{name}"));
        left &= !bits;
    }
    if left != 0 {
        set.entry(&format_args!("{left:#x}"));
    }
    set.finish()
}
