//! Times.

use crate::Time;

impl Time {
    /// The earliest time of the wire.
    pub const MIN: Self = Self { seconds: 0, nanoseconds: 0 };
    /// The latest time of the wire, in the year 2106.
    pub const MAX: Self = Self { seconds: u32::MAX, nanoseconds: 999_999_999 };

    /// The time `nanoseconds` behind `seconds` since 1970. What lies outside the wire's range becomes
    /// [`Time::MIN`] or [`Time::MAX`].
    #[must_use]
    pub const fn saturating(seconds: i64, nanoseconds: u32) -> Self {
        if seconds < 0 {
            Self::MIN
        } else if seconds > u32::MAX as i64 {
            Self::MAX
        } else {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // compared before
            Self { seconds: seconds as u32, nanoseconds }
        }
    }
}

/// Times outside the wire's range become [`Time::MIN`] or [`Time::MAX`].
#[cfg(feature = "std")]
impl From<std::time::SystemTime> for Time {
    fn from(time: std::time::SystemTime) -> Self {
        match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => Self::saturating(
                i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
                since.subsec_nanos(),
            ),
            Err(_) => Self::MIN,
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
        if time.nanoseconds > Time::MAX.nanoseconds {
            return Err(time);
        }
        let since = core::time::Duration::new(time.seconds.into(), time.nanoseconds);
        std::time::UNIX_EPOCH.checked_add(since).ok_or(time)
    }
}
