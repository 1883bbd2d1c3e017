//! Types of attributes.

use nfswire_nfs4::attrs::*;

use super::types;

/// The value of an attribute, as the crate's table has it.
type Value<'a, K> = <K as Attribute>::Value<'a>;

types! { TYPES
    "nfs40" {
        declared "fs_location4" FsLocation<'_>;
        declared "fs_locations4" FsLocations<'_>;
        alias "acetype4" AceType;
        alias "aceflag4" AceFlag;
        alias "acemask4" AceMask;
        declared "nfsace4" Ace<'_>;
        alias "fattr4_supported_attrs" Value<'_, key::SupportedAttrs>;
        alias "fattr4_type" Value<'_, key::Type>;
        alias "fattr4_fh_expire_type" Value<'_, key::FhExpireType>;
        alias "fattr4_change" Value<'_, key::Change>;
        alias "fattr4_size" Value<'_, key::Size>;
        alias "fattr4_link_support" Value<'_, key::LinkSupport>;
        alias "fattr4_symlink_support" Value<'_, key::SymlinkSupport>;
        alias "fattr4_named_attr" Value<'_, key::NamedAttr>;
        declared "fattr4_fsid" Value<'_, key::Fsid>;
        alias "fattr4_unique_handles" Value<'_, key::UniqueHandles>;
        alias "fattr4_lease_time" Value<'_, key::LeaseTime>;
        alias "fattr4_rdattr_error" Value<'_, key::RdattrError>;
        alias "fattr4_acl" Value<'_, key::Acl>;
        alias "fattr4_aclsupport" Value<'_, key::Aclsupport>;
        alias "fattr4_archive" Value<'_, key::Archive>;
        alias "fattr4_cansettime" Value<'_, key::Cansettime>;
        alias "fattr4_case_insensitive" Value<'_, key::CaseInsensitive>;
        alias "fattr4_case_preserving" Value<'_, key::CasePreserving>;
        alias "fattr4_chown_restricted" Value<'_, key::ChownRestricted>;
        alias "fattr4_fileid" Value<'_, key::Fileid>;
        alias "fattr4_files_avail" Value<'_, key::FilesAvail>;
        alias "fattr4_filehandle" Value<'_, key::Filehandle>;
        alias "fattr4_files_free" Value<'_, key::FilesFree>;
        alias "fattr4_files_total" Value<'_, key::FilesTotal>;
        declared "fattr4_fs_locations" Value<'_, key::FsLocations>;
        alias "fattr4_hidden" Value<'_, key::Hidden>;
        alias "fattr4_homogeneous" Value<'_, key::Homogeneous>;
        alias "fattr4_maxfilesize" Value<'_, key::Maxfilesize>;
        alias "fattr4_maxlink" Value<'_, key::Maxlink>;
        alias "fattr4_maxname" Value<'_, key::Maxname>;
        alias "fattr4_maxread" Value<'_, key::Maxread>;
        alias "fattr4_maxwrite" Value<'_, key::Maxwrite>;
        alias "fattr4_mimetype" Value<'_, key::Mimetype>;
        alias "fattr4_mode" Value<'_, key::Mode>;
        alias "fattr4_mounted_on_fileid" Value<'_, key::MountedOnFileid>;
        alias "fattr4_no_trunc" Value<'_, key::NoTrunc>;
        alias "fattr4_numlinks" Value<'_, key::Numlinks>;
        alias "fattr4_owner" Value<'_, key::Owner>;
        alias "fattr4_owner_group" Value<'_, key::OwnerGroup>;
        alias "fattr4_quota_avail_hard" Value<'_, key::QuotaAvailHard>;
        alias "fattr4_quota_avail_soft" Value<'_, key::QuotaAvailSoft>;
        alias "fattr4_quota_used" Value<'_, key::QuotaUsed>;
        declared "fattr4_rawdev" Value<'_, key::Rawdev>;
        alias "fattr4_space_avail" Value<'_, key::SpaceAvail>;
        alias "fattr4_space_free" Value<'_, key::SpaceFree>;
        alias "fattr4_space_total" Value<'_, key::SpaceTotal>;
        alias "fattr4_space_used" Value<'_, key::SpaceUsed>;
        alias "fattr4_system" Value<'_, key::System>;
        declared "fattr4_time_access" Value<'_, key::TimeAccess>;
        declared "fattr4_time_access_set" Value<'_, key::TimeAccessSet>;
        declared "fattr4_time_backup" Value<'_, key::TimeBackup>;
        declared "fattr4_time_create" Value<'_, key::TimeCreate>;
        declared "fattr4_time_delta" Value<'_, key::TimeDelta>;
        declared "fattr4_time_metadata" Value<'_, key::TimeMetadata>;
        declared "fattr4_time_modify" Value<'_, key::TimeModify>;
        declared "fattr4_time_modify_set" Value<'_, key::TimeModifySet>;
        declared "fattr4" Fattr<'_>;
    }
    "nfs41" {
        declared "change_policy4" ChangePolicy;
        alias "aclflag4" AclFlag;
        declared "nfsacl41" Acl41<'_>;
        declared "mode_masked4" ModeMasked;
        alias "fs4_status_type" FsStatusType;
        declared "fs4_status" FsStatus<'_>;
        declared "retention_get4" RetentionGet;
        declared "retention_set4" RetentionSet;
        alias "fs_charset_cap4" FsCharsetCap;
        declared "fattr4_mode_set_masked" Value<'_, key::ModeSetMasked>;
        alias "fattr4_suppattr_exclcreat" Value<'_, key::SuppattrExclcreat>;
        declared "fattr4_dir_notif_delay" Value<'_, key::DirNotifDelay>;
        declared "fattr4_dirent_notif_delay" Value<'_, key::DirentNotifDelay>;
        alias "fattr4_fs_layout_types" Value<'_, key::FsLayoutTypes>;
        declared "fattr4_fs_status" Value<'_, key::FsStatus>;
        alias "fattr4_fs_charset_cap" Value<'_, key::FsCharsetCap>;
        alias "fattr4_layout_alignment" Value<'_, key::LayoutAlignment>;
        alias "fattr4_layout_blksize" Value<'_, key::LayoutBlksize>;
        declared "fattr4_layout_hint" Value<'_, key::LayoutHint>;
        alias "fattr4_layout_types" Value<'_, key::LayoutTypes>;
        declared "fattr4_mdsthreshold" Value<'_, key::Mdsthreshold>;
        declared "fattr4_retention_get" Value<'_, key::RetentionGet>;
        declared "fattr4_retention_set" Value<'_, key::RetentionSet>;
        declared "fattr4_retentevt_get" Value<'_, key::RetentevtGet>;
        declared "fattr4_retentevt_set" Value<'_, key::RetentevtSet>;
        alias "fattr4_retention_hold" Value<'_, key::RetentionHold>;
        declared "fattr4_dacl" Value<'_, key::Dacl>;
        declared "fattr4_sacl" Value<'_, key::Sacl>;
        declared "fattr4_change_policy" Value<'_, key::ChangePolicy>;
        declared "fs_locations_server4" FsLocationsServer<'_>;
        declared "fs_locations_item4" FsLocationsItem<'_>;
        declared "fs_locations_info4" FsLocationsInfo<'_>;
        declared "fattr4_fs_locations_info" Value<'_, key::FsLocationsInfo>;
    }
    "nfs42" {
        alias "policy4" Policy;
        alias "change_attr_type4" ChangeAttrType;
        declared "labelformat_spec4" LabelFormatSpec;
        declared "sec_label4" SecLabel<'_>;
        alias "fattr4_space_freed" Value<'_, key::SpaceFreed>;
        alias "fattr4_change_attr_type" Value<'_, key::ChangeAttrType>;
        declared "fattr4_sec_label" Value<'_, key::SecLabel>;
        alias "fattr4_clone_blksize" Value<'_, key::CloneBlksize>;
        declared "mode_umask4" ModeUmask;
        declared "fattr4_mode_umask" Value<'_, key::ModeUmask>;
        alias "fattr4_xattr_support" Value<'_, key::XattrSupport>;
        alias "fattr4_offline" Value<'_, key::Offline>;
        declared "open_arguments4" OpenArguments<'_>;
        alias "open_args_share_access4" OpenArgsShareAccess;
        alias "open_args_share_deny4" OpenArgsShareDeny;
        alias "open_args_share_access_want4" OpenArgsShareAccessWant;
        alias "open_args_open_claim4" OpenArgsOpenClaim;
        alias "open_args_createmode4" OpenArgsCreateMode;
        declared "fattr4_open_arguments" Value<'_, key::OpenArguments>;
        declared "fattr4_time_deleg_access" Value<'_, key::TimeDelegAccess>;
        declared "fattr4_time_deleg_modify" Value<'_, key::TimeDelegModify>;
    }
}

/// Types of the vectors that are still missing: taken from here once they are there.
pub(crate) const PENDING: &[(&str, &[&str])] = &[];
