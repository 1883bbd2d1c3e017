//! Values of attributes that are more than a number or a text of the shared types.

use nfswire_xdr::{Array, xdr_enum, xdr_struct};

use crate::{LayoutType, Mode, Time, flags::flags};

flags! {
    /// Whether and when handles stop being valid (RFC 7530, section 4.2.3). 0 is persistent: never.
    #[doc(alias = "fattr4_fh_expire_type")]
    pub struct FhExpireType {
        /// Not while the file is open.
        "FH4_NOEXPIRE_WITH_OPEN" NOEXPIRE_WITH_OPEN = 0x1,
        /// At any time.
        "FH4_VOLATILE_ANY" VOLATILE_ANY = 0x2,
        /// When the file system moves.
        "FH4_VOL_MIGRATION" VOL_MIGRATION = 0x4,
        /// When the object is renamed.
        "FH4_VOL_RENAME" VOL_RENAME = 0x8,
    }
}

impl FhExpireType {
    /// Handles stay valid as long as their objects exist.
    #[doc(alias = "FH4_PERSISTENT")]
    pub const PERSISTENT: Self = Self(0);
}

/// Permission bits of a [`Mode`] (RFC 7530, section 6.2.4).
pub mod mode {
    /// Set user id on execution.
    #[doc(alias = "MODE4_SUID")]
    pub const SUID: u32 = 0x800;
    /// Set group id on execution.
    #[doc(alias = "MODE4_SGID")]
    pub const SGID: u32 = 0x400;
    /// Save text even after use; in a directory, only owners remove entries.
    #[doc(alias = "MODE4_SVTX")]
    pub const SVTX: u32 = 0x200;
    /// The owner may read.
    #[doc(alias = "MODE4_RUSR")]
    pub const RUSR: u32 = 0x100;
    /// The owner may write.
    #[doc(alias = "MODE4_WUSR")]
    pub const WUSR: u32 = 0x080;
    /// The owner may execute or search.
    #[doc(alias = "MODE4_XUSR")]
    pub const XUSR: u32 = 0x040;
    /// The group may read.
    #[doc(alias = "MODE4_RGRP")]
    pub const RGRP: u32 = 0x020;
    /// The group may write.
    #[doc(alias = "MODE4_WGRP")]
    pub const WGRP: u32 = 0x010;
    /// The group may execute or search.
    #[doc(alias = "MODE4_XGRP")]
    pub const XGRP: u32 = 0x008;
    /// Others may read.
    #[doc(alias = "MODE4_ROTH")]
    pub const ROTH: u32 = 0x004;
    /// Others may write.
    #[doc(alias = "MODE4_WOTH")]
    pub const WOTH: u32 = 0x002;
    /// Others may execute or search.
    #[doc(alias = "MODE4_XOTH")]
    pub const XOTH: u32 = 0x001;
    /// All of them.
    pub const ALL: u32 = 0xfff;
}

xdr_struct! {
    /// Some permission bits to be set (RFC 8881, section 6.2.5).
    #[derive(Copy, Default)]
    "mode_masked4" => pub struct ModeMasked {
        /// Their values; bits outside the mask are ignored.
        "mm_value_to_set" => pub value: Mode,
        /// Which bits are set.
        "mm_mask_bits" => pub mask: Mode,
    }
}

impl ModeMasked {
    /// The mode that `old` becomes.
    #[must_use]
    pub const fn apply(self, old: Mode) -> Mode {
        (old & !self.mask) | (self.value & self.mask)
    }
}

xdr_struct! {
    /// Permission bits for a new object, and the creator's umask, which does not count where the
    /// directory has inheritable access control entries (RFC 8275, section 5).
    #[derive(Copy, Default)]
    "mode_umask4" => pub struct ModeUmask {
        /// The bits as the program gave them.
        "mu_mode" => pub mode: Mode,
        /// The bits to take away.
        "mu_umask" => pub umask: Mode,
    }
}

impl ModeUmask {
    /// The mode of a new object; `inherits` when its directory has inheritable entries.
    #[must_use]
    pub const fn apply(self, inherits: bool) -> Mode {
        if inherits { self.mode } else { self.mode & !self.umask }
    }
}

xdr_struct! {
    /// Version of the policies of a file system (RFC 8881, section 5.8.2.5).
    #[derive(Copy, Default)]
    "change_policy4" => pub struct ChangePolicy {
        /// First half.
        "cp_major" => pub major: u64,
        /// Second half.
        "cp_minor" => pub minor: u64,
    }
}

/// A retention without end (RFC 8881, section 5.13).
#[doc(alias = "RET4_DURATION_INFINITE")]
pub const RETENTION_INFINITE: u64 = u64::MAX;

xdr_struct! {
    /// Retention as it is (RFC 8881, section 5.13.1).
    #[derive(Copy, Default)]
    "retention_get4" => pub struct RetentionGet {
        /// Its length, in seconds; see [`RETENTION_INFINITE`].
        "rg_duration" => pub duration: u64,
        /// When it began, if it did.
        "rg_begin_time" => pub begin_time: Option<Time>,
    }
}

xdr_struct! {
    /// Retention to be set (RFC 8881, section 5.13.2).
    #[derive(Copy, Default)]
    "retention_set4" => pub struct RetentionSet {
        /// It begins now.
        "rs_enable" => pub enable: bool,
        /// Its length, in seconds; without it, as long as was set before.
        "rs_duration" => pub duration: Option<u64>,
    }
}

flags! {
    /// What names a file system takes (RFC 8881, section 14.4).
    #[doc(alias = "fs_charset_cap4")]
    pub struct FsCharsetCap {
        /// It holds some that are not UTF-8.
        "FSCHARSET_CAP4_CONTAINS_NON_UTF8" CONTAINS_NON_UTF8 = 0x1,
        /// It takes none that are not UTF-8.
        "FSCHARSET_CAP4_ALLOWS_ONLY_UTF8" ALLOWS_ONLY_UTF8 = 0x2,
    }
}

xdr_enum! {
    /// How the change attribute moves (RFC 7862, section 12.2.3).
    "change_attr_type4" => pub enum ChangeAttrType {
        /// Up with each change.
        "NFS4_CHANGE_TYPE_IS_MONOTONIC_INCR" MonotonicIncr = 0,
        /// By one with each change.
        "NFS4_CHANGE_TYPE_IS_VERSION_COUNTER" VersionCounter = 1,
        /// By one with each change that does not go through pNFS.
        "NFS4_CHANGE_TYPE_IS_VERSION_COUNTER_NOPNFS" VersionCounterNopnfs = 2,
        /// With the time of the last change of metadata.
        "NFS4_CHANGE_TYPE_IS_TIME_METADATA" TimeMetadata = 3,
        /// In none of these ways.
        "NFS4_CHANGE_TYPE_IS_UNDEFINED" Undefined = 4,
    }
}

/// Kinds of layouts, the preferred ones first (RFC 8881, section 5.12.1).
#[doc(alias = "fattr4_fs_layout_types")]
#[doc(alias = "fattr4_layout_types")]
pub type LayoutTypes<'a> = Array<'a, LayoutType>;
