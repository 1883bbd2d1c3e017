//! Payloads: bulk data that is referenced, never copied and never read.

#[cfg(feature = "bytes")]
use bytes::Bytes;

use crate::{
    cursor::{Source, padded, saturate},
    encoder::Encoder,
    error::{DecodeError, EncodeError},
    probe::Probe,
    wire::{Decode, Encode, Wire},
};

/// A range of a file, to be sent by `sendfile` or the like.
///
/// The file is named by a token of the caller's, who must keep it open until the segment is sent:
/// a descriptor that was closed and used again would send another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRange {
    /// The caller's name for the open file.
    pub token: u64,
    /// First byte of the range.
    pub offset: u64,
    /// Length in bytes.
    pub len: u32,
}

/// A piece of a message: bytes at hand, or bytes that lie elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Bytes at hand.
    Here(&'a [u8]),
    /// This many bytes that are still on the wire, or have been placed elsewhere. Only a payload
    /// may lie in them. One that ends with them has its pad there too, or left out (as RDMA leaves it
    /// out); the pad counts in positions and in the offsets of errors either way. Nobody checks it.
    Elsewhere(u32),
}

impl Piece<'_> {
    /// Length in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Here(bytes) => bytes.len(),
            Self::Elsewhere(len) => *len as usize,
        }
    }

    /// Whether there are no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Payload bytes that lie in several slices: part of a list of [`Piece::Here`].
#[derive(Clone, Copy, Debug)]
pub struct Scattered<'a> {
    pieces: &'a [Piece<'a>],
    skip: u32,
    len: u32,
}

impl<'a> Scattered<'a> {
    /// All bytes of `pieces`, or `None` if one lies elsewhere or if there are more than a length
    /// word can say.
    #[must_use]
    pub fn new(pieces: &'a [Piece<'a>]) -> Option<Self> {
        let mut len = 0u32;
        for piece in pieces {
            let Piece::Here(bytes) = piece else { return None };
            len = len.checked_add(u32::try_from(bytes.len()).ok()?)?;
        }
        Some(Self { pieces, skip: 0, len })
    }

    /// `len` bytes from `skip` bytes behind the start of `pieces`, which has them at hand.
    pub(crate) const fn part(pieces: &'a [Piece<'a>], skip: u32, len: u32) -> Self {
        Self { pieces, skip, len }
    }

    /// Length in bytes, without the pad.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slices in order, none of them empty.
    pub fn slices(&self) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a> {
        let (mut skip, mut left) = (self.skip as usize, self.len as usize);
        self.pieces
            .iter()
            .map_while(move |piece| {
                let Piece::Here(bytes) = piece else { return None };
                let bytes = bytes.get(skip.min(bytes.len())..)?;
                skip = skip.saturating_sub(piece.len());
                let bytes = bytes.get(..left.min(bytes.len()))?;
                left = left.saturating_sub(bytes.len());
                Some(bytes)
            })
            .filter(|bytes| !bytes.is_empty())
    }
}

impl PartialEq for Scattered<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.slices().flatten().eq(other.slices().flatten())
    }
}

impl Eq for Scattered<'_> {}

/// An `opaque<>` of bulk data: READ results, WRITE arguments, symbolic link text.
///
/// Encoding puts its length into the head and refers to its bytes as a segment of their own. It and
/// [`BoundedPayload`](crate::BoundedPayload), which has a maximum, are the only types that make such
/// segments.
///
/// Two payloads are equal if their bytes are, wherever in memory these lie. Those that are not in
/// memory are equal to none that is, and among themselves if the same range of the same file, or the
/// same part of a message, is meant.
///
/// ```
/// use nfswire_xdr::{Payload, Piece, Scattered};
///
/// let pieces = [Piece::Here(b"ab"), Piece::Here(b"c")];
/// let scattered = Payload::Scattered(Scattered::new(&pieces).unwrap());
/// assert_eq!(scattered, Payload::Borrowed(b"abc"));
/// assert_eq!(scattered.slices().unwrap().collect::<Vec<_>>(), [&b"ab"[..], b"c"]);
/// assert_eq!(Payload::Borrowed(b"abc").slices().unwrap().flatten().count(), 3);
/// assert_ne!(Payload::Elsewhere { at: 0, len: 3 }, scattered);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Payload<'a> {
    /// Bytes that the caller keeps.
    Borrowed(&'a [u8]),
    /// Shared bytes.
    #[cfg(feature = "bytes")]
    Bytes(Bytes),
    /// Bytes that the caller keeps in several slices.
    Scattered(Scattered<'a>),
    /// Bytes of a file.
    File(FileRange),
    /// Decoded from a message of which only the head is here
    /// ([`Cursor::head`](crate::Cursor::head)): some or all of the bytes are still to be received.
    /// It cannot be encoded.
    Elsewhere {
        /// Offset of the first byte from the start of the message.
        at: u32,
        /// Length in bytes, without the pad.
        len: u32,
    },
}

impl<'a> Payload<'a> {
    /// Borrows `data`, or `None` if it is longer than a length word can say.
    #[inline]
    #[must_use]
    pub const fn borrowed(data: &'a [u8]) -> Option<Self> {
        if data.len() as u64 > u32::MAX as u64 { None } else { Some(Self::Borrowed(data)) }
    }

    /// Length in bytes, without the pad. Data longer than a length word can say counts as
    /// `u32::MAX`, and cannot be encoded.
    #[inline]
    #[must_use]
    pub fn len(&self) -> u32 {
        match self {
            Self::Borrowed(data) => saturate(data.len()),
            #[cfg(feature = "bytes")]
            Self::Bytes(data) => saturate(data.len()),
            Self::Scattered(slices) => slices.len(),
            Self::File(range) => range.len,
            Self::Elsewhere { len, .. } => *len,
        }
    }

    /// Whether there are no bytes.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, if they are one slice in memory; [`slices`](Self::slices) gives them in any case.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> Option<&[u8]> {
        match self {
            Self::Borrowed(data) => Some(data),
            #[cfg(feature = "bytes")]
            Self::Bytes(data) => Some(data),
            Self::Scattered(_) | Self::File(_) | Self::Elsewhere { .. } => None,
        }
    }

    /// The bytes as slices in order, none of them empty; `None` if they are not in memory.
    #[must_use]
    pub fn slices(&self) -> Option<impl Iterator<Item = &[u8]> + Clone> {
        let (one, several) = match self {
            Self::Scattered(slices) => (None, Some(slices.slices())),
            Self::File(_) | Self::Elsewhere { .. } => return None,
            _ => (self.as_slice().filter(|bytes| !bytes.is_empty()), None),
        };
        Some(one.into_iter().chain(several.into_iter().flatten()))
    }

    /// Number of segments that the payload becomes.
    #[inline]
    pub(crate) fn segments(&self) -> usize {
        match self {
            Self::Scattered(slices) => slices.slices().count(),
            _ => 1,
        }
    }

    /// Length in bytes with the pad, without the length word.
    #[inline]
    #[must_use]
    pub fn padded_len(&self) -> u64 {
        padded(self.len())
    }
}

impl PartialEq for Payload<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(two)) => one == two,
            (Self::Elsewhere { at, len }, Self::Elsewhere { at: other_at, len: other_len }) => {
                (at, len) == (other_at, other_len)
            }
            _ => match (self.as_slice(), other.as_slice()) {
                (Some(one), Some(two)) => one == two,
                _ => match (self.slices(), other.slices()) {
                    (Some(one), Some(two)) => {
                        self.len() == other.len() && one.flatten().eq(two.flatten())
                    }
                    _ => false,
                },
            },
        }
    }
}

impl Eq for Payload<'_> {}

impl Default for Payload<'_> {
    fn default() -> Self {
        Self::Borrowed(&[])
    }
}

impl<'a> From<&'a [u8]> for Payload<'a> {
    fn from(data: &'a [u8]) -> Self {
        Self::Borrowed(data)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Payload<'a> {
    fn from(data: &'a [u8; N]) -> Self {
        Self::Borrowed(data)
    }
}

#[cfg(feature = "bytes")]
impl From<Bytes> for Payload<'_> {
    fn from(data: Bytes) -> Self {
        Self::Bytes(data)
    }
}

impl<'a> From<Scattered<'a>> for Payload<'a> {
    fn from(slices: Scattered<'a>) -> Self {
        Self::Scattered(slices)
    }
}

impl From<FileRange> for Payload<'_> {
    fn from(range: FileRange) -> Self {
        Self::File(range)
    }
}

impl Wire for Payload<'_> {
    const MIN_LEN: u32 = 4;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'a> Decode<'a> for Payload<'a> {
    #[inline(always)]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        let len = c.word()?;
        c.payload(len)
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        p.payload()
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
        crate::arbitrary::bytes(u, u32::MAX).map(Payload::Borrowed)
    }
}

impl<'p> Encode<'p> for Payload<'p> {
    const INLINE: bool = false;

    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        self.padded_len().wrapping_add(4)
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        Some(w)
    }

    #[inline(always)]
    fn tail(&self) -> Option<&Self> {
        Some(self)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        e.word(self.len())?;
        e.payload(self)
    }
}
