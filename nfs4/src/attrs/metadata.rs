//! Attributes as `std` has them.

use std::{fs::Metadata, os::unix::fs::MetadataExt};

use super::{Attr, AttrSet, AttrSource, AttrValue, DecimalId, StandardAttrs};
use crate::{FileType, Fsid, SpecData, Time};

/// The [`StandardAttrs`] of a file that the system told of, and the texts of its owners.
///
/// Owners are numbers. What the system does not tell is left out: the handle, errors, on some systems
/// the time of creation. `change` is the time of the last change of the attributes, in nanoseconds (of
/// which a second has 2^30): a server whose file system counts changes replaces it. `fsid` is the
/// number of the device, which may change when the system starts anew: a server of several file
/// systems replaces it too, and `mounted_on_fileid` where something is mounted.
///
/// ```
/// use nfswire_nfs4::{FileType, attrs::{Attr, AttrSet, MetadataAttrs}};
///
/// let attrs = MetadataAttrs::from(&std::fs::metadata(".")?);
/// let standard = attrs.standard();
/// assert_eq!(standard.file_type, FileType::Directory);
/// let fattr = standard.select(&AttrSet::of(&[Attr::TYPE, Attr::OWNER, Attr::ACL]));
/// assert_eq!(fattr.mask(), AttrSet::of(&[Attr::TYPE, Attr::OWNER]));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MetadataAttrs {
    /// Without owners.
    attrs: StandardAttrs<'static>,
    uid: DecimalId,
    gid: DecimalId,
}

impl MetadataAttrs {
    /// The attributes.
    #[must_use]
    pub fn standard(&self) -> StandardAttrs<'_> {
        StandardAttrs { owner: self.uid.as_text(), owner_group: self.gid.as_text(), ..self.attrs }
    }
}

impl From<&Metadata> for MetadataAttrs {
    fn from(from: &Metadata) -> Self {
        const NOT_TOLD: AttrSet<'_> =
            AttrSet::of(&[Attr::RDATTR_ERROR, Attr::FILEHANDLE, Attr::TIME_CREATE]);
        const CREATED: AttrSet<'_> = AttrSet::of(&[Attr::TIME_CREATE]);
        let time = |seconds, nanoseconds: i64| Time {
            seconds,
            nanoseconds: u32::try_from(nanoseconds).unwrap_or(0),
        };
        let file_type = FileType::from_mode(from.mode()).unwrap_or(FileType::Regular);
        let metadata = time(from.ctime(), from.ctime_nsec());
        let told = StandardAttrs::ATTRS.difference(&NOT_TOLD);
        let created = from.created().ok().map(Time::from);
        let attrs = StandardAttrs {
            mask: if created.is_some() { told.union(&CREATED) } else { told },
            file_type,
            change: metadata
                .seconds
                .cast_unsigned()
                .wrapping_shl(30)
                .wrapping_add(metadata.nanoseconds.into()),
            size: from.size(),
            fsid: Fsid { major: from.dev(), minor: 0 },
            fileid: from.ino(),
            mode: from.mode() & 0o7777,
            numlinks: u32::try_from(from.nlink()).unwrap_or(u32::MAX),
            rawdev: if file_type.is_device() { device(from.rdev()) } else { SpecData::default() },
            // Blocks of `st_blocks` have 512 bytes, whatever those of the file system have.
            space_used: from.blocks().saturating_mul(512),
            time_access: time(from.atime(), from.atime_nsec()),
            time_create: created.unwrap_or_default(),
            time_metadata: metadata,
            time_modify: time(from.mtime(), from.mtime_nsec()),
            mounted_on_fileid: from.ino(),
            ..StandardAttrs::default()
        };
        Self { attrs, uid: DecimalId::new(from.uid()), gid: DecimalId::new(from.gid()) }
    }
}

impl AttrSource for MetadataAttrs {
    fn attr(&self, attr: Attr) -> Option<AttrValue<'_>> {
        match attr {
            Attr::OWNER => Some(AttrValue::Owner(self.uid.as_text())),
            Attr::OWNER_GROUP => Some(AttrValue::OwnerGroup(self.gid.as_text())),
            _ => self.attrs.attr(attr),
        }
    }
}

/// Takes a device number apart, which each system does in its own way.
fn device(rdev: u64) -> SpecData {
    #[allow(clippy::useless_conversion, reason = "dev_t has 64 bits on some systems only")]
    let numbers = libc::dev_t::try_from(rdev).ok().and_then(|rdev| {
        let (major, minor) = (libc::major(rdev), libc::minor(rdev));
        Some(SpecData { major: major.try_into().ok()?, minor: minor.try_into().ok()? })
    });
    numbers.unwrap_or_default()
}
