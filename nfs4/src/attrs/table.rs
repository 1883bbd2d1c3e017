//! The table of attributes: the one place that lists them all.

use nfswire_xdr::{Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, Wire, xdr_open_enum};

use super::{
    Acl, Acl41, AclSupport, AttrSet, ChangeAttrType, ChangePolicy, FhExpireType, FsCharsetCap,
    FsLocations, FsLocationsInfo, FsStatus, LayoutTypes, ModeMasked, ModeUmask, OpenArguments,
    RetentionGet, RetentionSet, SecLabel, free::Free,
};
use crate::{
    Bit, ChangeId, FileHandle, FileType, Fsid, LeaseTime, Mode, SetTime, SpecData, Status,
    TextAscii, TextMixed, Time,
    ops::layout::{LayoutHint, MdsThreshold},
};

/// Who may do what with an attribute (RFC 8881, section 5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is nothing else to do")]
pub enum Access {
    /// GETATTR, READDIR and VERIFY read it; SETATTR is answered NFS4ERR_INVAL.
    Read,
    /// SETATTR, and what creates objects, set it; GETATTR is answered NFS4ERR_INVAL. What the holder
    /// of a delegation sets ([`Attr::TIME_DELEG_ACCESS`]) the server reads with CB_GETATTR.
    Write,
    /// Both.
    ReadWrite,
}

/// What the RFCs say of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttrInfo {
    /// Its number.
    pub attr: Attr,
    /// Its name, as in `FATTR4_SIZE`.
    pub name: &'static str,
    /// What may be done with it.
    pub access: Access,
    /// Every server must have it.
    pub required: bool,
    /// First minor version that has it.
    pub since: u32,
    /// It came later, as an extension of that version.
    pub extension: bool,
    /// Fewest bytes that a value takes.
    pub min_len: u32,
    /// Most bytes that a value takes; `u32::MAX` when there is no bound.
    pub max_len: u32,
}

/// An attribute as a type, so that its value has a type: [`Fattr::get`](super::Fattr::get) takes one
/// of [`key`].
pub trait Attribute: Copy {
    /// Its number.
    const ATTR: Attr;
    /// Its value.
    type Value<'a>: Decode<'a> + Encode<'a> + Copy;

    /// The value as one of any attribute.
    fn value(value: Self::Value<'_>) -> AttrValue<'_>;

    /// The value, if it is one of this attribute.
    fn from_value<'a>(value: &AttrValue<'a>) -> Option<Self::Value<'a>>;
}

macro_rules! attributes {
    (
        <$lt:lifetime>
        $(
            $(#[$m:meta])*
            $number:literal $attr:ident $rfc:literal $alias:literal $v:ident($t:ty)
            $required:ident $access:ident $since:literal $extension:literal;
        )*
    ) => {
        xdr_open_enum! {
            /// Number of an attribute (RFC 7531, 5662, 7863, 8275, 8276 and 9754).
            ///
            /// Open: a number that stands for no attribute survives, but the values behind it cannot
            /// be read.
            pub struct Attr {
                $( $(#[$m])* $rfc $attr = $number, )*
            }
        }

        /// Value of an attribute.
        ///
        /// On the wire it is the bare value: which attribute it is of, the mask says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum AttrValue<$lt> {
            $( $(#[$m])* #[doc(alias = $alias)] $v($t), )*
        }

        /// Each attribute as a type: see [`Attribute`].
        pub mod key {
            $( $(#[$m])* #[doc(alias = $alias)] #[derive(Clone, Copy, Debug)] pub struct $v; )*
        }

        $(
            impl Attribute for key::$v {
                const ATTR: Attr = Attr::$attr;
                type Value<$lt> = $t;

                #[inline]
                fn value(value: Self::Value<'_>) -> AttrValue<'_> {
                    AttrValue::$v(value)
                }

                #[inline]
                fn from_value<$lt>(value: &AttrValue<$lt>) -> Option<Self::Value<$lt>> {
                    match value {
                        AttrValue::$v(value) => Some(*value),
                        _ => None,
                    }
                }
            }
        )*

        /// What the RFCs say of each attribute, by number.
        pub const ATTRIBUTES: &[AttrInfo] = &[$(
            AttrInfo {
                attr: Attr::$attr,
                name: $rfc,
                access: Access::$access,
                required: required::$required,
                since: $since,
                extension: $extension,
                min_len: <<key::$v as Attribute>::Value<'static> as Wire>::MIN_LEN,
                max_len: <<key::$v as Attribute>::Value<'static> as Wire>::MAX_LEN,
            },
        )*];

        impl<$lt> AttrValue<$lt> {
            /// Which attribute it is of.
            #[inline]
            #[must_use]
            pub const fn attr(&self) -> Attr {
                match self {
                    $( Self::$v(_) => Attr::$attr, )*
                }
            }

            /// Reads a value of `attr`; `None` if it is not known, or its value wrong.
            #[inline]
            pub(super) fn decode(attr: Attr, c: &mut Cursor<$lt>) -> Option<Self> {
                match attr {
                    $( Attr::$attr => <$t as Decode<$lt>>::decode(c).map(Self::$v), )*
                    _ => None,
                }
            }

            /// Why that gave none; `None` if `attr` is not known.
            #[cold]
            pub(super) fn fault(attr: Attr, mut c: Cursor<$lt>) -> Option<DecodeError> {
                match attr {
                    $( Attr::$attr => c.decode::<$t>().err(), )*
                    _ => None,
                }
            }
        }

        impl Wire for AttrValue<'_> {
            const MIN_LEN: u32 = 4;
            const MAX_LEN: u32 = u32::MAX;
        }

        impl<'p, $lt> Encode<'p> for AttrValue<$lt> {
            fn encoded_len(&self) -> u64 {
                match self {
                    $( Self::$v(value) => <$t as Encode<$lt>>::encoded_len(value), )*
                }
            }

            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                match self {
                    $( Self::$v(value) => <$t as Encode<$lt>>::write(value, w), )*
                }
            }

            fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
                match self {
                    $( Self::$v(value) => value.append(e), )*
                }
            }
        }
    };
}

#[expect(non_upper_case_globals, reason = "words of the table")]
mod required {
    pub(super) const Required: bool = true;
    pub(super) const Recommended: bool = false;
}

attributes! {
    <'a>
    /// Attributes that the server supports on this object (RFC 7530, section 5.8.1.1).
    0 SUPPORTED_ATTRS "FATTR4_SUPPORTED_ATTRS" "fattr4_supported_attrs" SupportedAttrs(AttrSet<'a>) Required Read 0 false;
    /// Kind of object (RFC 7530, section 5.8.1.2).
    1 TYPE "FATTR4_TYPE" "fattr4_type" Type(FileType) Required Read 0 false;
    /// Whether and when handles stop being valid (RFC 7530, section 5.8.1.3).
    2 FH_EXPIRE_TYPE "FATTR4_FH_EXPIRE_TYPE" "fattr4_fh_expire_type" FhExpireType(FhExpireType) Required Read 0 false;
    /// Changes whenever data or metadata do (RFC 7530, section 5.8.1.4).
    3 CHANGE "FATTR4_CHANGE" "fattr4_change" Change(ChangeId) Required Read 0 false;
    /// Length of the object, in bytes (RFC 7530, section 5.8.1.5).
    4 SIZE "FATTR4_SIZE" "fattr4_size" Size(u64) Required ReadWrite 0 false;
    /// Whether the file system has hard links (RFC 7530, section 5.8.1.6).
    5 LINK_SUPPORT "FATTR4_LINK_SUPPORT" "fattr4_link_support" LinkSupport(bool) Required Read 0 false;
    /// Whether the file system has symbolic links (RFC 7530, section 5.8.1.7).
    6 SYMLINK_SUPPORT "FATTR4_SYMLINK_SUPPORT" "fattr4_symlink_support" SymlinkSupport(bool) Required Read 0 false;
    /// Whether the object has named attributes (RFC 7530, section 5.8.1.8).
    7 NAMED_ATTR "FATTR4_NAMED_ATTR" "fattr4_named_attr" NamedAttr(bool) Required Read 0 false;
    /// Which file system the object is on (RFC 7530, section 5.8.1.9).
    8 FSID "FATTR4_FSID" "fattr4_fsid" Fsid(Fsid) Required Read 0 false;
    /// Whether two different handles always mean two different objects (RFC 7530, section
    /// 5.8.1.10).
    9 UNIQUE_HANDLES "FATTR4_UNIQUE_HANDLES" "fattr4_unique_handles" UniqueHandles(bool) Required Read 0 false;
    /// Length of a lease of the server, in seconds (RFC 7530, section 5.8.1.11).
    10 LEASE_TIME "FATTR4_LEASE_TIME" "fattr4_lease_time" LeaseTime(LeaseTime) Required Read 0 false;
    /// Why the attributes of a directory entry cannot be had: READDIR only (RFC 7530, section
    /// 5.8.1.12).
    11 RDATTR_ERROR "FATTR4_RDATTR_ERROR" "fattr4_rdattr_error" RdattrError(Status) Required Read 0 false;
    /// Access control list (RFC 7530, section 6.2.1).
    12 ACL "FATTR4_ACL" "fattr4_acl" Acl(Acl<'a>) Recommended ReadWrite 0 false;
    /// Kinds of access control entries that the file system knows (RFC 7530, section 6.2.1.2).
    13 ACLSUPPORT "FATTR4_ACLSUPPORT" "fattr4_aclsupport" Aclsupport(AclSupport) Recommended Read 0 false;
    /// Whether the file was archived since it was last changed (RFC 7530, section 5.8.2.1).
    14 ARCHIVE "FATTR4_ARCHIVE" "fattr4_archive" Archive(bool) Recommended ReadWrite 0 false;
    /// Whether times can be set (RFC 7530, section 5.8.2.2).
    15 CANSETTIME "FATTR4_CANSETTIME" "fattr4_cansettime" Cansettime(bool) Recommended Read 0 false;
    /// Whether names are compared without regard to case (RFC 7530, section 5.8.2.3).
    16 CASE_INSENSITIVE "FATTR4_CASE_INSENSITIVE" "fattr4_case_insensitive" CaseInsensitive(bool) Recommended Read 0 false;
    /// Whether names keep their case (RFC 7530, section 5.8.2.4).
    17 CASE_PRESERVING "FATTR4_CASE_PRESERVING" "fattr4_case_preserving" CasePreserving(bool) Recommended Read 0 false;
    /// Whether only a privileged user may give a file away (RFC 7530, section 5.8.2.5).
    18 CHOWN_RESTRICTED "FATTR4_CHOWN_RESTRICTED" "fattr4_chown_restricted" ChownRestricted(bool) Recommended Read 0 false;
    /// Handle of the object (RFC 7530, section 5.8.1.13).
    19 FILEHANDLE "FATTR4_FILEHANDLE" "fattr4_filehandle" Filehandle(FileHandle<'a>) Required Read 0 false;
    /// Number of the object within its file system (RFC 7530, section 5.8.2.6).
    20 FILEID "FATTR4_FILEID" "fattr4_fileid" Fileid(u64) Recommended Read 0 false;
    /// Files that this user can still create (RFC 7530, section 5.8.2.7).
    21 FILES_AVAIL "FATTR4_FILES_AVAIL" "fattr4_files_avail" FilesAvail(u64) Recommended Read 0 false;
    /// Files that the file system has room for (RFC 7530, section 5.8.2.8).
    22 FILES_FREE "FATTR4_FILES_FREE" "fattr4_files_free" FilesFree(u64) Recommended Read 0 false;
    /// Files that the file system has and has room for (RFC 7530, section 5.8.2.9).
    23 FILES_TOTAL "FATTR4_FILES_TOTAL" "fattr4_files_total" FilesTotal(u64) Recommended Read 0 false;
    /// Where else the file system is (RFC 7530, section 5.8.2.10).
    24 FS_LOCATIONS "FATTR4_FS_LOCATIONS" "fattr4_fs_locations" FsLocations(FsLocations<'a>) Recommended Read 0 false;
    /// Whether the file is hidden, for Windows (RFC 7530, section 5.8.2.11).
    25 HIDDEN "FATTR4_HIDDEN" "fattr4_hidden" Hidden(bool) Recommended ReadWrite 0 false;
    /// Whether the attributes of the file system are the same for all objects (RFC 7530, section
    /// 5.8.2.12).
    26 HOMOGENEOUS "FATTR4_HOMOGENEOUS" "fattr4_homogeneous" Homogeneous(bool) Recommended Read 0 false;
    /// Largest file that the file system takes, in bytes (RFC 7530, section 5.8.2.13).
    27 MAXFILESIZE "FATTR4_MAXFILESIZE" "fattr4_maxfilesize" Maxfilesize(u64) Recommended Read 0 false;
    /// Most hard links to one object (RFC 7530, section 5.8.2.14).
    28 MAXLINK "FATTR4_MAXLINK" "fattr4_maxlink" Maxlink(u32) Recommended Read 0 false;
    /// Longest name, in bytes (RFC 7530, section 5.8.2.15).
    29 MAXNAME "FATTR4_MAXNAME" "fattr4_maxname" Maxname(u32) Recommended Read 0 false;
    /// Most bytes that one READ returns (RFC 7530, section 5.8.2.16).
    30 MAXREAD "FATTR4_MAXREAD" "fattr4_maxread" Maxread(u64) Recommended Read 0 false;
    /// Most bytes that one WRITE should carry (RFC 7530, section 5.8.2.17).
    31 MAXWRITE "FATTR4_MAXWRITE" "fattr4_maxwrite" Maxwrite(u64) Recommended Read 0 false;
    /// MIME type of the object's content (RFC 7530, section 5.8.2.18).
    32 MIMETYPE "FATTR4_MIMETYPE" "fattr4_mimetype" Mimetype(TextAscii<'a>) Recommended ReadWrite 0 false;
    /// Permission bits (RFC 7530, section 6.2.2).
    33 MODE "FATTR4_MODE" "fattr4_mode" Mode(Mode) Recommended ReadWrite 0 false;
    /// Whether a name that is too long is an error, not cut (RFC 7530, section 5.8.2.20).
    34 NO_TRUNC "FATTR4_NO_TRUNC" "fattr4_no_trunc" NoTrunc(bool) Recommended Read 0 false;
    /// Hard links to the object (RFC 7530, section 5.8.2.21).
    35 NUMLINKS "FATTR4_NUMLINKS" "fattr4_numlinks" Numlinks(u32) Recommended Read 0 false;
    /// Owner, as `user@domain` or a decimal number (RFC 7530, section 5.8.2.22).
    36 OWNER "FATTR4_OWNER" "fattr4_owner" Owner(TextMixed<'a>) Recommended ReadWrite 0 false;
    /// Owning group, as `group@domain` or a decimal number (RFC 7530, section 5.8.2.23).
    37 OWNER_GROUP "FATTR4_OWNER_GROUP" "fattr4_owner_group" OwnerGroup(TextMixed<'a>) Recommended ReadWrite 0 false;
    /// Bytes until the hard limit of the quota (RFC 7530, section 5.8.2.24).
    38 QUOTA_AVAIL_HARD "FATTR4_QUOTA_AVAIL_HARD" "fattr4_quota_avail_hard" QuotaAvailHard(u64) Recommended Read 0 false;
    /// Bytes until the soft limit of the quota (RFC 7530, section 5.8.2.25).
    39 QUOTA_AVAIL_SOFT "FATTR4_QUOTA_AVAIL_SOFT" "fattr4_quota_avail_soft" QuotaAvailSoft(u64) Recommended Read 0 false;
    /// Bytes that count against the quota (RFC 7530, section 5.8.2.26).
    40 QUOTA_USED "FATTR4_QUOTA_USED" "fattr4_quota_used" QuotaUsed(u64) Recommended Read 0 false;
    /// Device number of a device file (RFC 7530, section 5.8.2.27).
    41 RAWDEV "FATTR4_RAWDEV" "fattr4_rawdev" Rawdev(SpecData) Recommended Read 0 false;
    /// Bytes that this user can still fill (RFC 7530, section 5.8.2.28).
    42 SPACE_AVAIL "FATTR4_SPACE_AVAIL" "fattr4_space_avail" SpaceAvail(u64) Recommended Read 0 false;
    /// Bytes free in the file system (RFC 7530, section 5.8.2.29).
    43 SPACE_FREE "FATTR4_SPACE_FREE" "fattr4_space_free" SpaceFree(u64) Recommended Read 0 false;
    /// Size of the file system, in bytes (RFC 7530, section 5.8.2.30).
    44 SPACE_TOTAL "FATTR4_SPACE_TOTAL" "fattr4_space_total" SpaceTotal(u64) Recommended Read 0 false;
    /// Bytes that the object takes up (RFC 7530, section 5.8.2.31).
    45 SPACE_USED "FATTR4_SPACE_USED" "fattr4_space_used" SpaceUsed(u64) Recommended Read 0 false;
    /// Whether it is a system file, for Windows (RFC 7530, section 5.8.2.32).
    46 SYSTEM "FATTR4_SYSTEM" "fattr4_system" System(bool) Recommended ReadWrite 0 false;
    /// Last access to the data (RFC 7530, section 5.8.2.33).
    47 TIME_ACCESS "FATTR4_TIME_ACCESS" "fattr4_time_access" TimeAccess(Time) Recommended Read 0 false;
    /// Sets the time of last access (RFC 7530, section 5.8.2.34).
    48 TIME_ACCESS_SET "FATTR4_TIME_ACCESS_SET" "fattr4_time_access_set" TimeAccessSet(SetTime) Recommended Write 0 false;
    /// Last backup (RFC 7530, section 5.8.2.35).
    49 TIME_BACKUP "FATTR4_TIME_BACKUP" "fattr4_time_backup" TimeBackup(Time) Recommended ReadWrite 0 false;
    /// Creation of the object (RFC 7530, section 5.8.2.36).
    50 TIME_CREATE "FATTR4_TIME_CREATE" "fattr4_time_create" TimeCreate(Time) Recommended ReadWrite 0 false;
    /// Finest step of the server's times (RFC 7530, section 5.8.2.37).
    51 TIME_DELTA "FATTR4_TIME_DELTA" "fattr4_time_delta" TimeDelta(Time) Recommended Read 0 false;
    /// Last change of the attributes (RFC 7530, section 5.8.2.38).
    52 TIME_METADATA "FATTR4_TIME_METADATA" "fattr4_time_metadata" TimeMetadata(Time) Recommended Read 0 false;
    /// Last change of the data (RFC 7530, section 5.8.2.39).
    53 TIME_MODIFY "FATTR4_TIME_MODIFY" "fattr4_time_modify" TimeModify(Time) Recommended Read 0 false;
    /// Sets the time of last change of the data (RFC 7530, section 5.8.2.40).
    54 TIME_MODIFY_SET "FATTR4_TIME_MODIFY_SET" "fattr4_time_modify_set" TimeModifySet(SetTime) Recommended Write 0 false;
    /// Number of the directory that the file system is mounted on (RFC 7530, section 5.8.2.19).
    55 MOUNTED_ON_FILEID "FATTR4_MOUNTED_ON_FILEID" "fattr4_mounted_on_fileid" MountedOnFileid(u64) Recommended Read 0 false;
    /// Longest delay of notices about the directory itself (RFC 8881, section 5.11.1).
    56 DIR_NOTIF_DELAY "FATTR4_DIR_NOTIF_DELAY" "fattr4_dir_notif_delay" DirNotifDelay(Time) Recommended Read 1 false;
    /// Longest delay of notices about entries of the directory (RFC 8881, section 5.11.2).
    57 DIRENT_NOTIF_DELAY "FATTR4_DIRENT_NOTIF_DELAY" "fattr4_dirent_notif_delay" DirentNotifDelay(Time) Recommended Read 1 false;
    /// Access control list with flags (RFC 8881, section 6.2.2).
    58 DACL "FATTR4_DACL" "fattr4_dacl" Dacl(Acl41<'a>) Recommended ReadWrite 1 false;
    /// Audit control list with flags (RFC 8881, section 6.2.3).
    59 SACL "FATTR4_SACL" "fattr4_sacl" Sacl(Acl41<'a>) Recommended ReadWrite 1 false;
    /// Changes whenever a policy of the file system does (RFC 8881, section 5.8.2.5).
    60 CHANGE_POLICY "FATTR4_CHANGE_POLICY" "fattr4_change_policy" ChangePolicy(ChangePolicy) Recommended Read 1 false;
    /// State of this copy of the file system (RFC 8881, section 5.8.2.14).
    61 FS_STATUS "FATTR4_FS_STATUS" "fattr4_fs_status" FsStatus(FsStatus<'a>) Recommended Read 1 false;
    /// Layout types that the file system can give out (RFC 8881, section 5.12.1).
    62 FS_LAYOUT_TYPES "FATTR4_FS_LAYOUT_TYPES" "fattr4_fs_layout_types" FsLayoutTypes(LayoutTypes<'a>) Recommended Read 1 false;
    /// Layout wanted for a new file (RFC 8881, section 5.12.4).
    63 LAYOUT_HINT "FATTR4_LAYOUT_HINT" "fattr4_layout_hint" LayoutHint(LayoutHint<'a>) Recommended Write 1 false;
    /// Layout types of this file (RFC 8881, section 5.12.5).
    64 LAYOUT_TYPES "FATTR4_LAYOUT_TYPES" "fattr4_layout_types" LayoutTypes(LayoutTypes<'a>) Recommended Read 1 false;
    /// Block size that suits the layout, in bytes (RFC 8881, section 5.12.3).
    65 LAYOUT_BLKSIZE "FATTR4_LAYOUT_BLKSIZE" "fattr4_layout_blksize" LayoutBlksize(u32) Recommended Read 1 false;
    /// Alignment that suits the layout, in bytes (RFC 8881, section 5.12.2).
    66 LAYOUT_ALIGNMENT "FATTR4_LAYOUT_ALIGNMENT" "fattr4_layout_alignment" LayoutAlignment(u32) Recommended Read 1 false;
    /// Where else the file system is, and what to prefer (RFC 8881, section 5.8.2.13).
    67 FS_LOCATIONS_INFO "FATTR4_FS_LOCATIONS_INFO" "fattr4_fs_locations_info" FsLocationsInfo(FsLocationsInfo<'a>) Recommended Read 1 false;
    /// From which sizes on I/O should go to the metadata server or through layouts (RFC 8881,
    /// section 5.12.6).
    68 MDSTHRESHOLD "FATTR4_MDSTHRESHOLD" "fattr4_mdsthreshold" Mdsthreshold(MdsThreshold<'a>) Recommended Read 1 false;
    /// Retention of the file as it is (RFC 8881, section 5.13.1).
    69 RETENTION_GET "FATTR4_RETENTION_GET" "fattr4_retention_get" RetentionGet(RetentionGet) Recommended Read 1 false;
    /// Sets retention of the file (RFC 8881, section 5.13.2).
    70 RETENTION_SET "FATTR4_RETENTION_SET" "fattr4_retention_set" RetentionSet(RetentionSet) Recommended Write 1 false;
    /// Event-based retention of the file as it is (RFC 8881, section 5.13.3).
    71 RETENTEVT_GET "FATTR4_RETENTEVT_GET" "fattr4_retentevt_get" RetentevtGet(RetentionGet) Recommended Read 1 false;
    /// Sets event-based retention of the file (RFC 8881, section 5.13.4).
    72 RETENTEVT_SET "FATTR4_RETENTEVT_SET" "fattr4_retentevt_set" RetentevtSet(RetentionSet) Recommended Write 1 false;
    /// Administrative holds on the file, one bit each (RFC 8881, section 5.13.5).
    73 RETENTION_HOLD "FATTR4_RETENTION_HOLD" "fattr4_retention_hold" RetentionHold(u64) Recommended ReadWrite 1 false;
    /// Sets some of the permission bits (RFC 8881, section 6.2.5).
    74 MODE_SET_MASKED "FATTR4_MODE_SET_MASKED" "fattr4_mode_set_masked" ModeSetMasked(ModeMasked) Recommended Write 1 false;
    /// Attributes that an exclusive OPEN can set (RFC 8881, section 5.8.1.14).
    75 SUPPATTR_EXCLCREAT "FATTR4_SUPPATTR_EXCLCREAT" "fattr4_suppattr_exclcreat" SuppattrExclcreat(AttrSet<'a>) Required Read 1 false;
    /// Character sets of names (RFC 8881, section 5.8.2.11).
    76 FS_CHARSET_CAP "FATTR4_FS_CHARSET_CAP" "fattr4_fs_charset_cap" FsCharsetCap(FsCharsetCap) Recommended Read 1 false;
    /// Block size to which ranges of CLONE are aligned, in bytes (RFC 7862, section 12.2.1).
    77 CLONE_BLKSIZE "FATTR4_CLONE_BLKSIZE" "fattr4_clone_blksize" CloneBlksize(u32) Recommended Read 2 false;
    /// Bytes that would become free if the file were removed (RFC 7862, section 12.2.2).
    78 SPACE_FREED "FATTR4_SPACE_FREED" "fattr4_space_freed" SpaceFreed(u64) Recommended Read 2 false;
    /// How the change attribute moves (RFC 7862, section 12.2.3).
    79 CHANGE_ATTR_TYPE "FATTR4_CHANGE_ATTR_TYPE" "fattr4_change_attr_type" ChangeAttrType(ChangeAttrType) Recommended Read 2 false;
    /// Security label of mandatory access control (RFC 7862, section 12.2.4).
    80 SEC_LABEL "FATTR4_SEC_LABEL" "fattr4_sec_label" SecLabel(SecLabel<'a>) Recommended ReadWrite 2 false;
    /// Permission bits and umask of a new object (RFC 8275, section 5).
    81 MODE_UMASK "FATTR4_MODE_UMASK" "fattr4_mode_umask" ModeUmask(ModeUmask) Recommended Write 2 true;
    /// Whether the object's file system has extended attributes (RFC 8276, section 8.2).
    82 XATTR_SUPPORT "FATTR4_XATTR_SUPPORT" "fattr4_xattr_support" XattrSupport(bool) Recommended Read 2 true;
    /// Whether the data must first be brought from slow storage (RFC 9754).
    83 OFFLINE "FATTR4_OFFLINE" "fattr4_offline" Offline(bool) Recommended Read 2 true;
    /// Time of last access, from the holder of a delegation (RFC 9754).
    84 TIME_DELEG_ACCESS "FATTR4_TIME_DELEG_ACCESS" "fattr4_time_deleg_access" TimeDelegAccess(Time) Recommended Write 2 true;
    /// Time of last change of the data, from the holder of a delegation (RFC 9754).
    85 TIME_DELEG_MODIFY "FATTR4_TIME_DELEG_MODIFY" "fattr4_time_deleg_modify" TimeDelegModify(Time) Recommended Write 2 true;
    /// What OPEN understands on this server (RFC 9754).
    86 OPEN_ARGUMENTS "FATTR4_OPEN_ARGUMENTS" "fattr4_open_arguments" OpenArguments(OpenArguments<'a>) Recommended Read 2 true;
}

impl Attr {
    /// What the RFCs say of it, if they know it.
    #[inline]
    #[must_use]
    pub const fn info(self) -> Option<&'static AttrInfo> {
        let Some((_, [info, ..])) = ATTRIBUTES.split_at_checked(self.0 as usize) else {
            return None;
        };
        Some(info)
    }

    /// Most bytes that a value takes, `u32::MAX` when there is no bound; `None` for a number that
    /// stands for no attribute.
    #[inline]
    #[must_use]
    pub const fn value_max_len(self) -> Option<u32> {
        match self.info() {
            Some(info) => Some(info.max_len),
            None => None,
        }
    }
}

impl Bit for Attr {
    fn from_number(number: u32) -> Self {
        Self(number)
    }

    fn number(self) -> u32 {
        self.0
    }

    fn name(self) -> Option<&'static str> {
        Self::name(self).map(|name| name.strip_prefix("FATTR4_").unwrap_or(name))
    }
}
