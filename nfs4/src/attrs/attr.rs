//! Numbers of attributes.

use nfswire_xdr::xdr_open_enum;

use crate::Bit;

xdr_open_enum! {
    /// Number of an attribute (RFC 7531, 5662, 7863, 8275, 8276 and 9754).
    ///
    /// Open: a number that stands for no attribute survives, but the values behind it cannot be read.
    pub struct Attr {
        /// Attributes that the server supports on this object (RFC 7530, section 5.8.1.1); since
        /// v4.0.
        "FATTR4_SUPPORTED_ATTRS" SUPPORTED_ATTRS = 0,
        /// Kind of object (RFC 7530, section 5.8.1.2); since v4.0.
        "FATTR4_TYPE" TYPE = 1,
        /// Whether and when handles stop being valid (RFC 7530, section 5.8.1.3); since v4.0.
        "FATTR4_FH_EXPIRE_TYPE" FH_EXPIRE_TYPE = 2,
        /// Changes whenever data or metadata do (RFC 7530, section 5.8.1.4); since v4.0.
        "FATTR4_CHANGE" CHANGE = 3,
        /// Length of the object, in bytes (RFC 7530, section 5.8.1.5); since v4.0.
        "FATTR4_SIZE" SIZE = 4,
        /// Whether the file system has hard links (RFC 7530, section 5.8.1.6); since v4.0.
        "FATTR4_LINK_SUPPORT" LINK_SUPPORT = 5,
        /// Whether the file system has symbolic links (RFC 7530, section 5.8.1.7); since v4.0.
        "FATTR4_SYMLINK_SUPPORT" SYMLINK_SUPPORT = 6,
        /// Whether the object has named attributes (RFC 7530, section 5.8.1.8); since v4.0.
        "FATTR4_NAMED_ATTR" NAMED_ATTR = 7,
        /// Which file system the object is on (RFC 7530, section 5.8.1.9); since v4.0.
        "FATTR4_FSID" FSID = 8,
        /// Whether two different handles always mean two different objects (RFC 7530, section
        /// 5.8.1.10); since v4.0.
        "FATTR4_UNIQUE_HANDLES" UNIQUE_HANDLES = 9,
        /// Length of a lease of the server, in seconds (RFC 7530, section 5.8.1.11); since v4.0.
        "FATTR4_LEASE_TIME" LEASE_TIME = 10,
        /// Why the attributes of a directory entry cannot be had: READDIR only (RFC 7530, section
        /// 5.8.1.12); since v4.0.
        "FATTR4_RDATTR_ERROR" RDATTR_ERROR = 11,
        /// Access control list (RFC 7530, section 6.2.1); since v4.0.
        "FATTR4_ACL" ACL = 12,
        /// Kinds of access control entries that the file system knows (RFC 7530, section 6.2.1.2);
        /// since v4.0.
        "FATTR4_ACLSUPPORT" ACLSUPPORT = 13,
        /// Whether the file was archived since it was last changed (RFC 7530, section 5.8.2.1);
        /// since v4.0.
        "FATTR4_ARCHIVE" ARCHIVE = 14,
        /// Whether times can be set (RFC 7530, section 5.8.2.2); since v4.0.
        "FATTR4_CANSETTIME" CANSETTIME = 15,
        /// Whether names are compared without regard to case (RFC 7530, section 5.8.2.3); since
        /// v4.0.
        "FATTR4_CASE_INSENSITIVE" CASE_INSENSITIVE = 16,
        /// Whether names keep their case (RFC 7530, section 5.8.2.4); since v4.0.
        "FATTR4_CASE_PRESERVING" CASE_PRESERVING = 17,
        /// Whether only a privileged user may give a file away (RFC 7530, section 5.8.2.5); since
        /// v4.0.
        "FATTR4_CHOWN_RESTRICTED" CHOWN_RESTRICTED = 18,
        /// Handle of the object (RFC 7530, section 5.8.1.13); since v4.0.
        "FATTR4_FILEHANDLE" FILEHANDLE = 19,
        /// Number of the object within its file system (RFC 7530, section 5.8.2.6); since v4.0.
        "FATTR4_FILEID" FILEID = 20,
        /// Files that this user can still create (RFC 7530, section 5.8.2.7); since v4.0.
        "FATTR4_FILES_AVAIL" FILES_AVAIL = 21,
        /// Files that the file system has room for (RFC 7530, section 5.8.2.8); since v4.0.
        "FATTR4_FILES_FREE" FILES_FREE = 22,
        /// Files that the file system has and has room for (RFC 7530, section 5.8.2.9); since v4.0.
        "FATTR4_FILES_TOTAL" FILES_TOTAL = 23,
        /// Where else the file system is (RFC 7530, section 5.8.2.10); since v4.0.
        "FATTR4_FS_LOCATIONS" FS_LOCATIONS = 24,
        /// Whether the file is hidden, for Windows (RFC 7530, section 5.8.2.11); since v4.0.
        "FATTR4_HIDDEN" HIDDEN = 25,
        /// Whether the attributes of the file system are the same for all objects (RFC 7530,
        /// section 5.8.2.12); since v4.0.
        "FATTR4_HOMOGENEOUS" HOMOGENEOUS = 26,
        /// Largest file that the file system takes, in bytes (RFC 7530, section 5.8.2.13); since
        /// v4.0.
        "FATTR4_MAXFILESIZE" MAXFILESIZE = 27,
        /// Most hard links to one object (RFC 7530, section 5.8.2.14); since v4.0.
        "FATTR4_MAXLINK" MAXLINK = 28,
        /// Longest name, in bytes (RFC 7530, section 5.8.2.15); since v4.0.
        "FATTR4_MAXNAME" MAXNAME = 29,
        /// Most bytes that one READ returns (RFC 7530, section 5.8.2.16); since v4.0.
        "FATTR4_MAXREAD" MAXREAD = 30,
        /// Most bytes that one WRITE should carry (RFC 7530, section 5.8.2.17); since v4.0.
        "FATTR4_MAXWRITE" MAXWRITE = 31,
        /// MIME type of the object's content (RFC 7530, section 5.8.2.18); since v4.0.
        "FATTR4_MIMETYPE" MIMETYPE = 32,
        /// Permission bits (RFC 7530, section 6.2.2); since v4.0.
        "FATTR4_MODE" MODE = 33,
        /// Whether a name that is too long is an error, not cut (RFC 7530, section 5.8.2.20); since
        /// v4.0.
        "FATTR4_NO_TRUNC" NO_TRUNC = 34,
        /// Hard links to the object (RFC 7530, section 5.8.2.21); since v4.0.
        "FATTR4_NUMLINKS" NUMLINKS = 35,
        /// Owner, as `user@domain` or a decimal number (RFC 7530, section 5.8.2.22); since v4.0.
        "FATTR4_OWNER" OWNER = 36,
        /// Owning group, as `group@domain` or a decimal number (RFC 7530, section 5.8.2.23); since
        /// v4.0.
        "FATTR4_OWNER_GROUP" OWNER_GROUP = 37,
        /// Bytes until the hard limit of the quota (RFC 7530, section 5.8.2.24); since v4.0.
        "FATTR4_QUOTA_AVAIL_HARD" QUOTA_AVAIL_HARD = 38,
        /// Bytes until the soft limit of the quota (RFC 7530, section 5.8.2.25); since v4.0.
        "FATTR4_QUOTA_AVAIL_SOFT" QUOTA_AVAIL_SOFT = 39,
        /// Bytes that count against the quota (RFC 7530, section 5.8.2.26); since v4.0.
        "FATTR4_QUOTA_USED" QUOTA_USED = 40,
        /// Device number of a device file (RFC 7530, section 5.8.2.27); since v4.0.
        "FATTR4_RAWDEV" RAWDEV = 41,
        /// Bytes that this user can still fill (RFC 7530, section 5.8.2.28); since v4.0.
        "FATTR4_SPACE_AVAIL" SPACE_AVAIL = 42,
        /// Bytes free in the file system (RFC 7530, section 5.8.2.29); since v4.0.
        "FATTR4_SPACE_FREE" SPACE_FREE = 43,
        /// Size of the file system, in bytes (RFC 7530, section 5.8.2.30); since v4.0.
        "FATTR4_SPACE_TOTAL" SPACE_TOTAL = 44,
        /// Bytes that the object takes up (RFC 7530, section 5.8.2.31); since v4.0.
        "FATTR4_SPACE_USED" SPACE_USED = 45,
        /// Whether it is a system file, for Windows (RFC 7530, section 5.8.2.32); since v4.0.
        "FATTR4_SYSTEM" SYSTEM = 46,
        /// Last access to the data (RFC 7530, section 5.8.2.33); since v4.0.
        "FATTR4_TIME_ACCESS" TIME_ACCESS = 47,
        /// Sets the time of last access (RFC 7530, section 5.8.2.34); since v4.0.
        "FATTR4_TIME_ACCESS_SET" TIME_ACCESS_SET = 48,
        /// Last backup (RFC 7530, section 5.8.2.35); since v4.0.
        "FATTR4_TIME_BACKUP" TIME_BACKUP = 49,
        /// Creation of the object (RFC 7530, section 5.8.2.36); since v4.0.
        "FATTR4_TIME_CREATE" TIME_CREATE = 50,
        /// Finest step of the server's times (RFC 7530, section 5.8.2.37); since v4.0.
        "FATTR4_TIME_DELTA" TIME_DELTA = 51,
        /// Last change of the attributes (RFC 7530, section 5.8.2.38); since v4.0.
        "FATTR4_TIME_METADATA" TIME_METADATA = 52,
        /// Last change of the data (RFC 7530, section 5.8.2.39); since v4.0.
        "FATTR4_TIME_MODIFY" TIME_MODIFY = 53,
        /// Sets the time of last change of the data (RFC 7530, section 5.8.2.40); since v4.0.
        "FATTR4_TIME_MODIFY_SET" TIME_MODIFY_SET = 54,
        /// Number of the directory that the file system is mounted on (RFC 7530, section 5.8.2.19);
        /// since v4.0.
        "FATTR4_MOUNTED_ON_FILEID" MOUNTED_ON_FILEID = 55,
        /// Longest delay of notices about the directory itself (RFC 8881, section 5.11.1); since
        /// v4.1.
        "FATTR4_DIR_NOTIF_DELAY" DIR_NOTIF_DELAY = 56,
        /// Longest delay of notices about entries of the directory (RFC 8881, section 5.11.2);
        /// since v4.1.
        "FATTR4_DIRENT_NOTIF_DELAY" DIRENT_NOTIF_DELAY = 57,
        /// Access control list with flags (RFC 8881, section 6.2.2); since v4.1.
        "FATTR4_DACL" DACL = 58,
        /// Audit control list with flags (RFC 8881, section 6.2.3); since v4.1.
        "FATTR4_SACL" SACL = 59,
        /// Changes whenever a policy of the file system does (RFC 8881, section 5.8.2.5); since
        /// v4.1.
        "FATTR4_CHANGE_POLICY" CHANGE_POLICY = 60,
        /// State of this copy of the file system (RFC 8881, section 5.8.2.14); since v4.1.
        "FATTR4_FS_STATUS" FS_STATUS = 61,
        /// Layout types that the file system can give out (RFC 8881, section 5.12.1); since v4.1.
        "FATTR4_FS_LAYOUT_TYPES" FS_LAYOUT_TYPES = 62,
        /// Layout wanted for a new file (RFC 8881, section 5.12.4); since v4.1.
        "FATTR4_LAYOUT_HINT" LAYOUT_HINT = 63,
        /// Layout types of this file (RFC 8881, section 5.12.5); since v4.1.
        "FATTR4_LAYOUT_TYPES" LAYOUT_TYPES = 64,
        /// Block size that suits the layout, in bytes (RFC 8881, section 5.12.3); since v4.1.
        "FATTR4_LAYOUT_BLKSIZE" LAYOUT_BLKSIZE = 65,
        /// Alignment that suits the layout, in bytes (RFC 8881, section 5.12.2); since v4.1.
        "FATTR4_LAYOUT_ALIGNMENT" LAYOUT_ALIGNMENT = 66,
        /// Where else the file system is, and what to prefer (RFC 8881, section 5.8.2.13); since
        /// v4.1.
        "FATTR4_FS_LOCATIONS_INFO" FS_LOCATIONS_INFO = 67,
        /// From which sizes on I/O should go to the metadata server or through layouts (RFC 8881,
        /// section 5.12.6); since v4.1.
        "FATTR4_MDSTHRESHOLD" MDSTHRESHOLD = 68,
        /// Retention of the file as it is (RFC 8881, section 5.13.1); since v4.1.
        "FATTR4_RETENTION_GET" RETENTION_GET = 69,
        /// Sets retention of the file (RFC 8881, section 5.13.2); since v4.1.
        "FATTR4_RETENTION_SET" RETENTION_SET = 70,
        /// Event-based retention of the file as it is (RFC 8881, section 5.13.3); since v4.1.
        "FATTR4_RETENTEVT_GET" RETENTEVT_GET = 71,
        /// Sets event-based retention of the file (RFC 8881, section 5.13.4); since v4.1.
        "FATTR4_RETENTEVT_SET" RETENTEVT_SET = 72,
        /// Administrative holds on the file, one bit each (RFC 8881, section 5.13.5); since v4.1.
        "FATTR4_RETENTION_HOLD" RETENTION_HOLD = 73,
        /// Sets some of the permission bits (RFC 8881, section 6.2.5); since v4.1.
        "FATTR4_MODE_SET_MASKED" MODE_SET_MASKED = 74,
        /// Attributes that an exclusive OPEN can set (RFC 8881, section 5.8.1.14); since v4.1.
        "FATTR4_SUPPATTR_EXCLCREAT" SUPPATTR_EXCLCREAT = 75,
        /// Character sets of names (RFC 8881, section 5.8.2.11); since v4.1.
        "FATTR4_FS_CHARSET_CAP" FS_CHARSET_CAP = 76,
        /// Block size to which ranges of CLONE are aligned, in bytes (RFC 7862, section 12.2.1);
        /// since v4.2.
        "FATTR4_CLONE_BLKSIZE" CLONE_BLKSIZE = 77,
        /// Bytes that would become free if the file were removed (RFC 7862, section 12.2.2); since
        /// v4.2.
        "FATTR4_SPACE_FREED" SPACE_FREED = 78,
        /// How the change attribute moves (RFC 7862, section 12.2.3); since v4.2.
        "FATTR4_CHANGE_ATTR_TYPE" CHANGE_ATTR_TYPE = 79,
        /// Security label of mandatory access control (RFC 7862, section 12.2.4); since v4.2.
        "FATTR4_SEC_LABEL" SEC_LABEL = 80,
        /// Permission bits and umask of a new object (RFC 8275, section 5); an extension of v4.2.
        "FATTR4_MODE_UMASK" MODE_UMASK = 81,
        /// Whether the object's file system has extended attributes (RFC 8276, section 8.2); an
        /// extension of v4.2.
        "FATTR4_XATTR_SUPPORT" XATTR_SUPPORT = 82,
        /// Whether the data must first be brought from slow storage (RFC 9754); an extension of
        /// v4.2.
        "FATTR4_OFFLINE" OFFLINE = 83,
        /// Time of last access, from the holder of a delegation (RFC 9754); an extension of v4.2.
        "FATTR4_TIME_DELEG_ACCESS" TIME_DELEG_ACCESS = 84,
        /// Time of last change of the data, from the holder of a delegation (RFC 9754); an
        /// extension of v4.2.
        "FATTR4_TIME_DELEG_MODIFY" TIME_DELEG_MODIFY = 85,
        /// What OPEN understands on this server (RFC 9754); an extension of v4.2.
        "FATTR4_OPEN_ARGUMENTS" OPEN_ARGUMENTS = 86,
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
