//! Ranges of bytes of a file, as locks have them.

use core::fmt;

use crate::{Length, Offset, Status};

/// A range of bytes, from its first to its last one, both included; never empty.
///
/// On the wire a range is an offset and a length, and a length of all ones means to the end of the
/// file, however long it becomes (RFC 7530, section 16.10.4; RFC 8881, section 18.10.3). Here that
/// end is 2^64 - 1, which no other length reaches, so that ranges compare without special cases.
///
/// ```
/// use nfswire_nfs4::{Status, state::LockRange};
///
/// let rest = LockRange::new(100, u64::MAX)?;
/// assert!(rest.to_end() && rest.overlaps(LockRange::new(u64::MAX - 1, 1)?));
/// assert_eq!((rest.offset(), rest.len()), (100, u64::MAX));
/// assert_eq!(LockRange::new(100, 0), Err(Status::INVAL));
/// assert_eq!(LockRange::new(100, u64::MAX - 99), Err(Status::INVAL));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockRange {
    first: u64,
    last: u64,
}

impl LockRange {
    /// Every byte of a file.
    pub const ALL: Self = Self { first: 0, last: u64::MAX };

    /// The range of an offset and a length in bytes.
    ///
    /// # Errors
    /// [`Status::INVAL`]: the length is zero, or offset and length together are more than 2^64 - 1
    /// and the length is not that number itself.
    pub const fn new(offset: Offset, length: Length) -> Result<Self, Status> {
        if length == u64::MAX {
            return Ok(Self { first: offset, last: u64::MAX });
        }
        match (offset.checked_add(length), length) {
            (None, _) | (_, 0) => Err(Status::INVAL),
            // At least one, as the length is.
            (Some(end), _) => Ok(Self { first: offset, last: end.wrapping_sub(1) }),
        }
    }

    /// This range, for a server that has no locks behind byte `last`, such as 2^32 - 1 or 2^63 - 1.
    ///
    /// # Errors
    /// [`Status::BAD_RANGE`]: the range goes beyond that byte, and not to the end of the file.
    pub const fn within(self, last: u64) -> Result<Self, Status> {
        if self.last <= last || self.to_end() { Ok(self) } else { Err(Status::BAD_RANGE) }
    }

    /// The first byte.
    #[must_use]
    pub const fn first(self) -> u64 {
        self.first
    }

    /// The last byte; 2^64 - 1 if the range reaches to the end of the file.
    #[must_use]
    pub const fn last(self) -> u64 {
        self.last
    }

    /// Whether the range reaches to the end of the file, however long it becomes.
    #[must_use]
    pub const fn to_end(self) -> bool {
        self.last == u64::MAX
    }

    /// The offset on the wire.
    #[must_use]
    pub const fn offset(self) -> Offset {
        self.first
    }

    /// The length on the wire, in bytes: all ones if the range reaches to the end of the file.
    #[allow(clippy::len_without_is_empty, reason = "a range is never empty")]
    #[must_use]
    pub const fn len(self) -> Length {
        // The last byte is neither before the first nor the last number.
        if self.to_end() { u64::MAX } else { self.last.wrapping_sub(self.first).wrapping_add(1) }
    }

    /// Whether a byte is in both ranges.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Whether both together are one range: they overlap, or one begins where the other ends.
    #[must_use]
    pub const fn touches(self, other: Self) -> bool {
        self.first <= other.last.saturating_add(1) && other.first <= self.last.saturating_add(1)
    }

    /// Whether every byte of the other range is in this one.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// The smallest range that has every byte of both.
    #[must_use]
    pub fn span(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// What lies in front of the other range, and what behind it.
    #[must_use]
    pub fn without(self, other: Self) -> (Option<Self>, Option<Self>) {
        let front = other.first.checked_sub(1).filter(|last| *last >= self.first);
        let back = other.last.checked_add(1).filter(|first| *first <= self.last);
        (
            front.map(|last| Self { last: last.min(self.last), ..self }),
            back.map(|first| Self { first: first.max(self.first), ..self }),
        )
    }
}

/// `4096..=8191`, or `4096..` if the range reaches to the end of the file.
impl fmt::Display for LockRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.to_end() {
            write!(f, "{}..", self.first)
        } else {
            write!(f, "{}..={}", self.first, self.last)
        }
    }
}

impl fmt::Debug for LockRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: u64 = u64::MAX;

    #[test]
    fn offsets_and_lengths() {
        for (offset, length, expected) in [
            (0, 1, Some((0, 0))),
            (0, 0, None),
            (7, 0, None),
            (MAX, 0, None),
            (0, MAX, Some((0, MAX))),
            (MAX, MAX, Some((MAX, MAX))),
            (0, MAX - 1, Some((0, MAX - 2))),
            (1, MAX - 1, Some((1, MAX - 1))),
            (2, MAX - 1, None),
            (MAX, 1, None),
            (MAX - 1, 1, Some((MAX - 1, MAX - 1))),
            (MAX - 1, 2, None),
        ] {
            let range = LockRange::new(offset, length);
            let bounds = range.ok().map(|r| (r.first(), r.last()));
            assert_eq!(bounds, expected, "{offset} {length}");
            if let Ok(range) = range {
                assert_eq!((range.offset(), range.len()), (offset, length));
            }
        }
    }

    #[test]
    fn servers_with_shorter_files() {
        let last = u64::from(u32::MAX);
        for (offset, length, expected) in [
            (0, last + 1, true),
            (last, 1, true),
            (last, 2, false),
            (last + 1, 1, false),
            (last + 1, MAX, true),
            (0, MAX, true),
            (0, MAX - 1, false),
        ] {
            let range = LockRange::new(offset, length).unwrap();
            let bad = Err(Status::BAD_RANGE);
            assert_eq!(range.within(last), if expected { Ok(range) } else { bad }, "{range}");
        }
    }

    /// Every pair of ranges over seven bytes and the rest of the file, byte by byte.
    #[test]
    fn relations() {
        let range = |first: u64, last: u64| LockRange { first, last };
        let points = [0, 1, 2, 3, MAX - 3, MAX - 2, MAX - 1, MAX];
        let all = || {
            points.iter().flat_map(|a| points.iter().filter(move |b| a <= b).map(|b| range(*a, *b)))
        };
        let has = |r: LockRange, byte: u64| r.first <= byte && byte <= r.last;
        for a in all() {
            for b in all() {
                let both = points.iter().any(|p| has(a, *p) && has(b, *p));
                assert_eq!(a.overlaps(b), both, "{a} {b}");
                assert_eq!(a.contains(b), points.iter().all(|p| !has(b, *p) || has(a, *p)));
                let adjacent = (a.last < b.first && b.first - a.last == 1)
                    || (b.last < a.first && a.first - b.last == 1);
                assert_eq!(a.touches(b), both || adjacent, "{a} {b}");
                let (front, back) = a.without(b);
                for p in points {
                    let left = front.is_some_and(|r| has(r, p)) || back.is_some_and(|r| has(r, p));
                    assert_eq!(left, has(a, p) && !has(b, p), "{p} of {a} without {b}");
                    let spanned = has(a.span(b), p);
                    assert!(spanned || !(has(a, p) || has(b, p)));
                }
                assert_eq!(a.span(b).first.min(a.first), b.first.min(a.first));
            }
        }
    }
}
