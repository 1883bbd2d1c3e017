//! Ranges of bytes, as a server's table of locks wants them.

use core::fmt;

use thiserror::Error;

/// A range of bytes of a file, from its first to its last byte, both included.
///
/// On the wire a range is an offset and a length, and length 0 means "to the end of the file",
/// wherever that will be (RFC 1813, section 6.1.4). Here the end of the file is [`ByteRange::MAX`],
/// so that ranges can be compared without special cases. A range is never empty.
///
/// ```
/// use nfswire_nfs3::nlm::ByteRange;
///
/// let head = ByteRange::new(0, 100)?;
/// let rest = ByteRange::new(100, 0)?;
/// assert!(!head.overlaps(rest) && rest.overlaps(ByteRange::new(5000, 1)?));
/// assert_eq!((rest.offset(), rest.len()), (100, 0));
/// assert!(ByteRange::new(1, i64::MAX as u64).is_ok(), "the last byte is at 2^63 - 1");
/// assert!(ByteRange::new(2, i64::MAX as u64).is_err());
/// # Ok::<(), nfswire_nfs3::nlm::RangeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteRange {
    first: u64,
    last: u64,
}

impl ByteRange {
    /// Last byte that a range can have, 2^63 - 1: offsets of files are signed numbers of 64 bits in
    /// every system that has NFS.
    pub const MAX: u64 = i64::MAX.cast_unsigned();

    /// Every byte of a file.
    pub const ALL: Self = Self { first: 0, last: Self::MAX };

    /// The range of an offset and a length in bytes, where 0 means to the end of the file.
    ///
    /// # Errors
    /// [`RangeError`] if a byte of it lies behind [`ByteRange::MAX`]. A server answers
    /// [`FBIG`](super::v4::Status::FBIG).
    #[inline]
    pub const fn new(offset: u64, len: u64) -> Result<Self, RangeError> {
        let last = match len.checked_sub(1) {
            None if offset <= Self::MAX => Some(Self::MAX),
            None => None,
            Some(more) => offset.checked_add(more),
        };
        match last {
            Some(last) if last <= Self::MAX => Ok(Self { first: offset, last }),
            _ => Err(RangeError { offset, len }),
        }
    }

    /// The range of an offset and a length of versions 1 and 3, where 0 means to the end of the
    /// file. Numbers of 32 bits are never out of range.
    #[inline]
    #[must_use]
    pub const fn from_u32(offset: u32, len: u32) -> Self {
        let first = offset as u64;
        let last = match len.checked_sub(1) {
            None => Self::MAX,
            Some(more) => first.saturating_add(more as u64),
        };
        Self { first, last }
    }

    /// The range from a first to a last byte; `None` if the last one lies before the first or
    /// behind [`ByteRange::MAX`].
    #[inline]
    #[must_use]
    pub const fn from_bounds(first: u64, last: u64) -> Option<Self> {
        if first <= last && last <= Self::MAX { Some(Self { first, last }) } else { None }
    }

    /// The first byte.
    #[inline]
    #[must_use]
    pub const fn first(self) -> u64 {
        self.first
    }

    /// The last byte; [`ByteRange::MAX`] if the range reaches to the end of the file.
    #[inline]
    #[must_use]
    pub const fn last(self) -> u64 {
        self.last
    }

    /// Whether the range reaches to the end of the file, however long it becomes.
    #[inline]
    #[must_use]
    pub const fn to_end(self) -> bool {
        self.last == Self::MAX
    }

    /// The offset on the wire (`l_offset`).
    #[doc(alias = "l_offset")]
    #[inline]
    #[must_use]
    pub const fn offset(self) -> u64 {
        self.first
    }

    /// The length on the wire (`l_len`), in bytes: 0 if the range reaches to the end of the file.
    #[doc(alias = "l_len")]
    #[allow(clippy::len_without_is_empty, reason = "a range is never empty")]
    #[inline]
    #[must_use]
    pub const fn len(self) -> u64 {
        // The last byte is neither before the first nor the last number.
        if self.to_end() { 0 } else { self.last.wrapping_sub(self.first).wrapping_add(1) }
    }

    /// Offset and length for versions 1 and 3, whose numbers have 32 bits; `None` if the range does
    /// not fit.
    #[inline]
    #[must_use]
    pub fn to_u32(self) -> Option<(u32, u32)> {
        let (offset, len) = (u32::try_from(self.offset()).ok()?, u32::try_from(self.len()).ok()?);
        Some((offset, len))
    }

    /// Whether a byte is in both ranges.
    #[inline]
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Whether every byte of the other range is in this one.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

impl fmt::Debug for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// `4096..=8191`, or `4096..` if the range reaches to the end of the file.
impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.to_end() {
            write!(f, "{}..", self.first)
        } else {
            write!(f, "{}..={}", self.first, self.last)
        }
    }
}

/// A range has a byte that no file can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "{len} bytes from offset {offset} (0 bytes: to the end of the file) go beyond the last byte of a \
     file, which is at 2^63 - 1: the answer is NLM4_FBIG"
)]
pub struct RangeError {
    /// The first byte asked for.
    pub offset: u64,
    /// The length asked for, in bytes; 0 means to the end of the file.
    pub len: u64,
}
