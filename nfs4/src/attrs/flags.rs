//! Words whose bits have names.

/// Declares a word of flags: named bits, of which any may be set, unknown ones too.
macro_rules! flags {
    (
        $(#[$m:meta])* $rfc:literal => pub struct $name:ident {
            $( $(#[$fm:meta])* $frfc:literal $flag:ident = $value:expr, )*
        }
    ) => {
        $(#[$m])*
        #[doc(alias = $rfc)]
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(
            /// The word on the wire.
            pub u32,
        );

        impl $name {
            $(
                $(#[$fm])*
                #[doc(alias = $frfc)]
                pub const $flag: Self = Self($value);
            )*

            /// Every flag with its RFC name.
            pub const ALL: &'static [(&'static str, u32)] = &[$(($frfc, $value)),*];

            /// Whether every flag of `other` is set.
            #[inline]
            #[must_use]
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// The flags of both.
            #[inline]
            #[must_use]
            pub const fn union(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl core::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                self.union(other)
            }
        }

        impl core::ops::BitAnd for $name {
            type Output = Self;

            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl core::fmt::Debug for $name {
            /// The names of the flags that are set, and in hexadecimal those that have none.
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::attrs::flags::debug(f, stringify!($name), self.0, Self::ALL)
            }
        }

        impl nfswire_xdr::Wire for $name {
            const MIN_LEN: u32 = 4;
            const MAX_LEN: u32 = 4;
            const FIXED: bool = true;
        }

        impl<'a> nfswire_xdr::Decode<'a> for $name {
            #[inline]
            fn from_block(block: &[u8], lenient: bool) -> Option<Self> {
                <u32 as nfswire_xdr::Decode<'a>>::from_block(block, lenient).map(Self)
            }

            fn check(p: &mut nfswire_xdr::Probe<'_>) -> Result<(), nfswire_xdr::DecodeError> {
                <u32 as nfswire_xdr::Decode<'a>>::check(p)
            }

            #[cfg(feature = "arbitrary")]
            fn arbitrary_value(
                u: &mut nfswire_xdr::arbitrary::Unstructured<'a>,
            ) -> nfswire_xdr::arbitrary::Result<Self> {
                u.arbitrary().map(Self)
            }
        }

        impl<'p> nfswire_xdr::Encode<'p> for $name {
            #[inline]
            fn encoded_len(&self) -> u64 {
                4
            }

            #[inline]
            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                nfswire_xdr::Encode::<'p>::write(&self.0, w)
            }

            fn encode_fields(
                &self,
                e: &mut nfswire_xdr::Encoder<'_, 'p>,
            ) -> Result<(), nfswire_xdr::EncodeError> {
                e.word(self.0)
            }
        }

        #[cfg(feature = "alloc")]
        impl nfswire_xdr::Rebind for $name {
            type At<'at> = $name;
        }

        #[cfg(feature = "arbitrary")]
        impl<'a> nfswire_xdr::arbitrary::Arbitrary<'a> for $name {
            fn arbitrary(
                u: &mut nfswire_xdr::arbitrary::Unstructured<'a>,
            ) -> nfswire_xdr::arbitrary::Result<Self> {
                u.arbitrary().map(Self)
            }
        }

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

/// `Name(FLAG|OTHER|0x100)`.
pub(crate) fn debug(
    f: &mut core::fmt::Formatter<'_>,
    type_name: &str,
    word: u32,
    all: &[(&str, u32)],
) -> core::fmt::Result {
    write!(f, "{type_name}(")?;
    let (mut between, mut rest) = ("", word);
    for (name, bits) in all {
        if *bits != 0 && rest & bits == *bits {
            write!(f, "{between}{name}")?;
            (between, rest) = ("|", rest & !bits);
        }
    }
    if rest != 0 {
        write!(f, "{between}{rest:#x}")?;
    } else if word == 0 {
        f.write_str("0")?;
    }
    f.write_str(")")
}
