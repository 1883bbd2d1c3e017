//! Variable-length opaque data and strings (RFC 4506, sections 4.10 and 4.11).

use core::{fmt, ops::Deref, str::Utf8Error};

use crate::{
    cursor::{Source, padded},
    encoder::Encoder,
    error::{DecodeError, EncodeError, LengthError},
    probe::Probe,
    wire::{Decode, Encode, Wire},
};

macro_rules! variable {
    ($(#[$m:meta])* $name:ident $any:ident) => {
        $(#[$m])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name<'a, const MAX: u32 = { u32::MAX }>(&'a [u8]);

        impl<'a, const MAX: u32> $name<'a, MAX> {
            /// Longest value in bytes.
            pub const MAX: u32 = MAX;

            /// Borrows `bytes`, or `None` if there are more than `MAX` of them.
            #[inline]
            #[must_use]
            pub const fn new(bytes: &'a [u8]) -> Option<Self> {
                if bytes.len() as u64 > MAX as u64 { None } else { Some(Self(bytes)) }
            }

            /// The bytes.
            #[inline]
            #[must_use]
            pub const fn as_bytes(&self) -> &'a [u8] {
                self.0
            }

            /// Length in bytes, without the pad.
            #[inline]
            #[must_use]
            #[allow(clippy::cast_possible_truncation)] // the constructors have bounded it
            pub const fn len(&self) -> u32 {
                self.0.len() as u32
            }

            /// Whether there are no bytes.
            #[inline]
            #[must_use]
            pub const fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl<const MAX: u32> Deref for $name<'_, MAX> {
            type Target = [u8];

            #[inline]
            fn deref(&self) -> &[u8] {
                self.0
            }
        }

        impl<const MAX: u32> AsRef<[u8]> for $name<'_, MAX> {
            fn as_ref(&self) -> &[u8] {
                self.0
            }
        }

        impl<'a, const MAX: u32> TryFrom<&'a [u8]> for $name<'a, MAX> {
            type Error = LengthError;

            fn try_from(bytes: &'a [u8]) -> Result<Self, LengthError> {
                Self::new(bytes).ok_or(LengthError { len: bytes.len(), limit: MAX })
            }
        }

        impl<'a, const MAX: u32, const N: usize> TryFrom<&'a [u8; N]> for $name<'a, MAX> {
            type Error = LengthError;

            fn try_from(bytes: &'a [u8; N]) -> Result<Self, LengthError> {
                Self::try_from(bytes.as_slice())
            }
        }

        impl<const MAX: u32> Wire for $name<'_, MAX> {
            const MIN_LEN: u32 = 4;
            #[allow(clippy::cast_possible_truncation)] // compared first
            const MAX_LEN: u32 = {
                let len = padded(MAX);
                if len < u32::MAX as u64 { (len as u32).saturating_add(4) } else { u32::MAX }
            };
        }

        impl<'a, const MAX: u32> Decode<'a> for $name<'a, MAX> {
            #[inline(always)]
            fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
                c.variable(MAX).map(Self)
            }

            fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
                p.variable(MAX)
            }

            #[cfg(feature = "arbitrary")]
            fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
                crate::arbitrary::$any(u, MAX).map(Self)
            }
        }

        impl<'p, const MAX: u32> Encode<'p> for $name<'_, MAX> {
            #[inline(always)]
            fn encoded_len(&self) -> u64 {
                padded(self.len()).wrapping_add(4)
            }

            #[inline(always)]
            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                let w = self.len().write(w)?;
                let (window, rest) =
                    w.split_at_mut_checked(usize::try_from(padded(self.len())).ok()?)?;
                // Zero the last word, then copy: no loop over the pad.
                if let Some(last) = window.last_chunk_mut() {
                    *last = [0; 4];
                    window.get_mut(..self.0.len())?.copy_from_slice(self.0);
                }
                Some(rest)
            }

            fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
                e.word(self.len())?;
                e.copy(self.0)
            }
        }
    };
}

variable! {
    /// `opaque<MAX>`: borrowed bytes, at most `MAX` of them.
    ///
    /// For bulk data there is [`Payload`](crate::Payload), and [`BoundedPayload`](crate::BoundedPayload) where it has
    /// a maximum.
    ///
    /// ```
    /// use nfswire_xdr::Opaque;
    ///
    /// let cookie = Opaque::<'_, 8>::new(b"12345678").unwrap();
    /// assert_eq!(Opaque::<'_, 8>::try_from(b"12345678"), Ok(cookie));
    /// let error = Opaque::<'_, 8>::try_from(b"123456789").unwrap_err();
    /// assert_eq!(error.to_string(), "9 bytes long, at most 8 allowed");
    /// ```
    Opaque bytes
}
variable! {
    /// `string<MAX>`: borrowed text, at most `MAX` bytes.
    ///
    /// RFC 4506 says ASCII, peers send any bytes: they are kept as they are and never cut at a NUL.
    ///
    /// ```
    /// use nfswire_xdr::Text;
    ///
    /// let name = Text::<'_, 255>::try_from("motd")?; // or `Text::new(b"motd")`, an `Option`
    /// assert_eq!((name.to_str(), name.as_bytes()), (Ok("motd"), &b"motd"[..]));
    /// assert!(Text::<'_, 3>::try_from("motd").is_err());
    /// # Ok::<(), nfswire_xdr::LengthError>(())
    /// ```
    Text text
}

impl<'a, const MAX: u32> TryFrom<&'a str> for Text<'a, MAX> {
    type Error = LengthError;

    fn try_from(text: &'a str) -> Result<Self, LengthError> {
        Self::try_from(text.as_bytes())
    }
}

impl<'a, const MAX: u32> Text<'a, MAX> {
    /// The text, if it is UTF-8.
    ///
    /// # Errors
    /// Where it stops being UTF-8.
    pub const fn to_str(&self) -> Result<&'a str, Utf8Error> {
        core::str::from_utf8(self.0)
    }
}

impl<const MAX: u32> fmt::Debug for Opaque<'_, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl<const MAX: u32> fmt::Debug for Text<'_, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl<const MAX: u32> fmt::Display for Text<'_, MAX> {
    /// The text as it is where it is UTF-8, replacement characters elsewhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            f.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                f.write_str("\u{fffd}")?;
            }
        }
        Ok(())
    }
}
