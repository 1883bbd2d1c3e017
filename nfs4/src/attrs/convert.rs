//! Between the types of the wire and those of a POSIX system.

use core::fmt;

use nfswire_xdr::Text;

use crate::{FileType, TextMixed, Time};

/// The bits of `st_mode` that hold the kind of file.
const TYPE: u32 = 0o170_000;

impl FileType {
    /// The kind of file that the type bits of `st_mode` name; `None` for bits that name none.
    #[must_use]
    pub const fn from_mode(mode: u32) -> Option<Self> {
        Some(match mode & TYPE {
            0o010_000 => Self::Fifo,
            0o020_000 => Self::CharDevice,
            0o040_000 => Self::Directory,
            0o060_000 => Self::BlockDevice,
            0o100_000 => Self::Regular,
            0o120_000 => Self::Symlink,
            0o140_000 => Self::Socket,
            _ => return None,
        })
    }

    /// The type bits of `st_mode` for this kind of file: of a named attribute those of a file, of the
    /// directory of named attributes those of a directory.
    #[must_use]
    pub const fn mode_bits(self) -> u32 {
        match self {
            Self::Fifo => 0o010_000,
            Self::CharDevice => 0o020_000,
            Self::Directory | Self::AttrDir => 0o040_000,
            Self::BlockDevice => 0o060_000,
            Self::Regular | Self::NamedAttr => 0o100_000,
            Self::Symlink => 0o120_000,
            Self::Socket => 0o140_000,
        }
    }

    /// Whether it is a block or character device.
    #[must_use]
    pub const fn is_device(self) -> bool {
        matches!(self, Self::BlockDevice | Self::CharDevice)
    }
}

//--- Times ---

impl Time {
    /// Whether the nanoseconds are less than a second, as they must be (RFC 7530, section 2.1).
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.nanoseconds < 1_000_000_000
    }
}

#[cfg(feature = "std")]
impl From<std::time::SystemTime> for Time {
    /// The point in time; one outside 64 bits of seconds becomes the nearest.
    fn from(time: std::time::SystemTime) -> Self {
        match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => Self {
                seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
                nanoseconds: since.subsec_nanos(),
            },
            Err(before) => {
                let before = before.duration();
                let seconds = i64::try_from(before.as_secs()).unwrap_or(i64::MAX).wrapping_neg();
                match before.subsec_nanos() {
                    0 => Self { seconds, nanoseconds: 0 },
                    nanoseconds => Self {
                        seconds: seconds.saturating_sub(1),
                        nanoseconds: 1_000_000_000u32.saturating_sub(nanoseconds),
                    },
                }
            }
        }
    }
}

#[cfg(feature = "std")]
impl TryFrom<Time> for std::time::SystemTime {
    type Error = Time;

    /// The point in time.
    ///
    /// # Errors
    /// The time itself when it has a second or more of nanoseconds, or when the system's clock does
    /// not reach as far.
    fn try_from(time: Time) -> Result<Self, Time> {
        if !time.is_valid() {
            return Err(time);
        }
        let seconds = core::time::Duration::from_secs(time.seconds.unsigned_abs());
        let whole = if time.seconds < 0 {
            std::time::UNIX_EPOCH.checked_sub(seconds)
        } else {
            std::time::UNIX_EPOCH.checked_add(seconds)
        };
        let nanoseconds = core::time::Duration::from_nanos(time.nanoseconds.into());
        whole.and_then(|whole| whole.checked_add(nanoseconds)).ok_or(time)
    }
}

//--- Owners as numbers ---

/// Number of a user or group as text: what an owner is where nobody translates numbers into names
/// (RFC 7530, section 5.9).
///
/// ```
/// use nfswire_nfs4::attrs::{DecimalId, id_of};
///
/// let owner = DecimalId::new(1000);
/// assert_eq!(owner.as_text().as_bytes(), b"1000");
/// assert_eq!(id_of(&owner.as_text()), Some(1000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecimalId {
    digits: [u8; 10],
    /// Index of the first of them.
    first: u8,
}

impl DecimalId {
    /// The decimal digits of `id`.
    #[must_use]
    pub fn new(id: u32) -> Self {
        let (mut digits, mut first, mut left) = ([b'0'; 10], 10u8, id);
        for digit in digits.iter_mut().rev() {
            #[allow(clippy::cast_possible_truncation, reason = "a digit")]
            {
                *digit = b'0'.wrapping_add((left % 10) as u8);
            }
            first = first.wrapping_sub(1);
            left /= 10;
            if left == 0 {
                break;
            }
        }
        Self { digits, first }
    }

    /// The text.
    #[must_use]
    pub fn as_text(&self) -> TextMixed<'_> {
        let digits = self.digits.get(self.first.into()..).unwrap_or_default();
        Text::new(digits).unwrap_or_default()
    }
}

impl fmt::Debug for DecimalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DecimalId({})", self.as_text())
    }
}

/// The number that an owner or group is, if it is one: decimal digits without a leading zero and
/// without a domain (RFC 7530, section 5.9). Of Kerberos users a server takes no numbers.
#[must_use]
pub fn id_of(owner: &TextMixed<'_>) -> Option<u32> {
    let digits = owner.as_bytes();
    match digits {
        [b'0'] => return Some(0),
        [b'1'..=b'9', ..] => {}
        _ => return None,
    }
    digits.iter().try_fold(0u32, |id, digit| {
        let value = digit.checked_sub(b'0').filter(|value| *value < 10)?;
        id.checked_mul(10)?.checked_add(value.into())
    })
}
