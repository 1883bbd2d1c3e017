//! Payloads with a maximum.

use core::ops::Deref;

use crate::{
    cursor::{Source, padded},
    encoder::Encoder,
    error::{DecodeError, EncodeError, LengthError},
    payload::Payload,
    probe::Probe,
    wire::{Decode, Encode, Wire},
};

/// `opaque<MAX>` of bulk data: a [`Payload`] of at most `MAX` bytes.
///
/// The maximum is part of the type and holds in every policy, beside that of
/// [`Limits::max_payload`](crate::Limits::max_payload).
///
/// ```
/// use nfswire_xdr::{BoundedPayload, ErrorKind, Payload, from_bytes};
///
/// let data = BoundedPayload::<'_, 4>::new(&b"abcd"[..]).unwrap();
/// assert_eq!(data.as_slice(), Some(&b"abcd"[..]));
/// assert_eq!(BoundedPayload::<'_, 3>::new(Payload::Borrowed(b"abcd")), None);
///
/// let error = from_bytes::<BoundedPayload<'_, 3>>(b"\0\0\0\x04abcd").unwrap_err();
/// assert_eq!((error.kind, error.offset), (ErrorKind::TooLong { len: 4, limit: 3 }, 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoundedPayload<'a, const MAX: u32>(Payload<'a>);

impl<'a, const MAX: u32> BoundedPayload<'a, MAX> {
    /// Longest value in bytes.
    pub const MAX: u32 = MAX;

    /// The payload, or `None` if it has more than `MAX` bytes.
    #[inline]
    #[must_use]
    pub fn new(payload: impl Into<Payload<'a>>) -> Option<Self> {
        let payload = payload.into();
        (payload.len() <= MAX).then_some(Self(payload))
    }

    /// The payload.
    #[inline]
    #[must_use]
    pub const fn as_payload(&self) -> &Payload<'a> {
        &self.0
    }

    /// The payload, without the bound.
    #[inline]
    #[must_use]
    pub fn into_payload(self) -> Payload<'a> {
        self.0
    }
}

impl<'a, const MAX: u32> Deref for BoundedPayload<'a, MAX> {
    type Target = Payload<'a>;

    #[inline]
    fn deref(&self) -> &Payload<'a> {
        &self.0
    }
}

impl<'a, const MAX: u32> From<BoundedPayload<'a, MAX>> for Payload<'a> {
    fn from(bounded: BoundedPayload<'a, MAX>) -> Self {
        bounded.0
    }
}

impl<'a, const MAX: u32> TryFrom<Payload<'a>> for BoundedPayload<'a, MAX> {
    type Error = LengthError;

    fn try_from(payload: Payload<'a>) -> Result<Self, LengthError> {
        let len = usize::try_from(payload.len()).unwrap_or(usize::MAX);
        Self::new(payload).ok_or(LengthError { len, limit: MAX })
    }
}

impl<const MAX: u32> Wire for BoundedPayload<'_, MAX> {
    const MIN_LEN: u32 = 4;
    #[allow(clippy::cast_possible_truncation)] // compared first
    const MAX_LEN: u32 = {
        let len = padded(MAX);
        if len < u32::MAX as u64 { (len as u32).saturating_add(4) } else { u32::MAX }
    };
}

impl<'a, const MAX: u32> Decode<'a> for BoundedPayload<'a, MAX> {
    #[inline(always)]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        let len = c.word()?;
        if len > MAX {
            return None;
        }
        c.payload(len).map(Self)
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        p.payload_within(MAX)
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        crate::arbitrary::bytes(u, MAX).map(|bytes| Self(Payload::Borrowed(bytes)))
    }
}

impl<'p, const MAX: u32> Encode<'p> for BoundedPayload<'p, MAX> {
    const INLINE: bool = false;

    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        self.0.encoded_len()
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.0.write(w)
    }

    #[inline(always)]
    fn tail(&self) -> Option<&Payload<'p>> {
        Some(&self.0)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        self.0.encode_fields(e)
    }
}
