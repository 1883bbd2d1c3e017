//! What a server announces about itself (RFC 1813, sections 3.3.19 and 3.3.20).

use crate::{
    PostOpAttr, Time,
    fs::{FSF_CANSETTIME, FSF_HOMOGENEOUS, FSF_LINK, FSF_SYMLINK, FsinfoOk, PathconfOk},
};

impl FsinfoOk {
    /// READ and WRITE that clients need few of for much data: 1 MiB.
    pub const RECOMMENDED_TRANSFER: u32 = 1 << 20;

    /// An answer with which clients perform well, for a file system without limits of its own.
    ///
    /// READ and WRITE to 1 MiB, in multiples of a page of 4096 bytes; pages of directories of 64 KiB;
    /// files to 2^63 - 1 bytes; times to the nanosecond, which clients can set; hard and symbolic
    /// links; PATHCONF the same everywhere. Change what does not hold:
    ///
    /// ```
    /// use nfswire_nfs3::fs::{FSF_LINK, FsinfoOk};
    ///
    /// let all = FsinfoOk::recommended(None);
    /// let no_links = FsinfoOk { properties: all.properties & !FSF_LINK, ..all };
    /// assert_eq!((no_links.rtmax, no_links.rtmult, no_links.properties), (1 << 20, 4096, 0x1a));
    /// ```
    #[must_use]
    pub const fn recommended(attributes: PostOpAttr) -> Self {
        Self {
            attributes,
            rtmax: Self::RECOMMENDED_TRANSFER,
            rtpref: Self::RECOMMENDED_TRANSFER,
            rtmult: 4096,
            wtmax: Self::RECOMMENDED_TRANSFER,
            wtpref: Self::RECOMMENDED_TRANSFER,
            wtmult: 4096,
            dtpref: 64 << 10,
            maxfilesize: i64::MAX.cast_unsigned(),
            time_delta: Time { seconds: 0, nanoseconds: 1 },
            properties: FSF_LINK | FSF_SYMLINK | FSF_HOMOGENEOUS | FSF_CANSETTIME,
        }
    }
}

impl PathconfOk {
    /// The usual limits of a POSIX file system: names to 255 bytes, longer ones refused, case matters
    /// and is kept, only a privileged user gives files away, 32,000 hard links.
    #[must_use]
    pub const fn posix(attributes: PostOpAttr) -> Self {
        Self {
            attributes,
            linkmax: 32_000,
            name_max: 255,
            no_trunc: true,
            chown_restricted: true,
            case_insensitive: false,
            case_preserving: true,
        }
    }
}
