//! Sets of attributes.

use super::{ATTRIBUTES, Access, Attr, AttrInfo};
use crate::Bitmap;

/// A set of attributes.
///
/// ```
/// use nfswire_nfs4::attrs::{Attr, AttrSet};
///
/// // What a server of NFSv4.0 has, and what a client asks for.
/// const SUPPORTED: AttrSet<'_> = AttrSet::required(0);
/// let wanted = AttrSet::of(&[Attr::TYPE, Attr::SIZE, Attr::MODE]);
/// assert_eq!(format!("{:?}", wanted & SUPPORTED), "{TYPE, SIZE}");
/// assert_eq!(format!("{:?}", wanted - SUPPORTED), "{MODE}");
/// assert!(AttrSet::of(&[Attr::SIZE]).is_subset(&SUPPORTED));
/// ```
pub type AttrSet<'a> = Bitmap<'a, Attr>;

/// The three words of the attributes for which `with` says so.
macro_rules! words {
    (|$info:ident| $with:expr) => {{
        let [mut a, mut b, mut c] = [0u32; 3];
        let mut left = ATTRIBUTES;
        while let [$info, behind @ ..] = left {
            if $with {
                let bit = 1 << ($info.attr.0 & 31);
                match $info.attr.0 >> 5 {
                    0 => a |= bit,
                    1 => b |= bit,
                    _ => c |= bit,
                }
            }
            left = behind;
        }
        Self::from_words([a, b, c])
    }};
}

/// Extensions belong to the version that they extend.
impl AttrSet<'_> {
    /// The set of some attributes; numbers that stand for none, and are above all that do, are left
    /// out.
    #[must_use]
    pub const fn of(attrs: &[Attr]) -> Self {
        let [mut a, mut b, mut c] = [0u32; 3];
        let mut left = attrs;
        while let [attr, behind @ ..] = left {
            let bit = 1 << (attr.0 & 31);
            match attr.0 >> 5 {
                0 => a |= bit,
                1 => b |= bit,
                2 => c |= bit,
                _ => {}
            }
            left = behind;
        }
        Self::from_words([a, b, c])
    }

    /// Every attribute of a minor version, those of earlier ones included.
    #[must_use]
    pub const fn all(minor_version: u32) -> Self {
        words!(|info| info.since <= minor_version)
    }

    /// Those that every server of a minor version must have.
    #[must_use]
    pub const fn required(minor_version: u32) -> Self {
        words!(|info| info.since <= minor_version && info.required)
    }

    /// Those of a minor version that can be read, by GETATTR and READDIR.
    #[must_use]
    pub const fn readable(minor_version: u32) -> Self {
        words!(|info| info.since <= minor_version && can_read(info))
    }

    /// Those of a minor version that can be set, by SETATTR and by what creates objects.
    #[must_use]
    pub const fn writable(minor_version: u32) -> Self {
        words!(|info| info.since <= minor_version && can_write(info))
    }

    /// What a server that supports `self` can announce as
    /// [`SUPPATTR_EXCLCREAT`](Attr::SUPPATTR_EXCLCREAT): what can be set, but the two times, in which
    /// most servers keep the verifier of an exclusive OPEN (RFC 8881, section 18.16.3).
    #[must_use]
    pub fn exclusive_create(&self) -> Self {
        const TIMES: AttrSet<'_> = AttrSet::of(&[Attr::TIME_ACCESS_SET, Attr::TIME_MODIFY_SET]);
        const WRITABLE: AttrSet<'_> = AttrSet::writable(2);
        let set = self.intersection(&WRITABLE).difference(&TIMES);
        Self::from_words(set.words())
    }
}

const fn can_read(info: &AttrInfo) -> bool {
    !matches!(info.access, Access::Write)
}

const fn can_write(info: &AttrInfo) -> bool {
    !matches!(info.access, Access::Read)
}
