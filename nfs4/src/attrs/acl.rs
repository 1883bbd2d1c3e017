//! Access control lists (RFC 7530, section 6; RFC 8881, section 6).
//!
//! ```
//! use nfswire_nfs4::attrs::{Ace, AceFlag, AceMask, AceType, Acl, who};
//! use nfswire_xdr::Text;
//!
//! let aces = [Ace {
//!     ace_type: AceType::ACCESS_ALLOWED,
//!     flag: AceFlag::default(),
//!     access_mask: AceMask::READ_DATA | AceMask::READ_ATTRIBUTES,
//!     who: Text::try_from(who::EVERYONE)?,
//! }];
//! let acl: Acl<'_> = Acl::from_slice(&aces).ok_or("too many entries")?;
//! assert!(acl.iter().any(|ace| ace.access_mask.contains(AceMask::READ_DATA)));
//! assert_eq!(
//!     format!("{:?}", aces[0].access_mask),
//!     "{ACE4_READ_DATA, ACE4_READ_ATTRIBUTES}",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_xdr::{Array, xdr_open_enum, xdr_struct};

use crate::{TextMixed, flags::flags};

//--- Entries ---

xdr_open_enum! {
    /// What an entry does (RFC 7530, section 6.2.1.1). Open: others may be added.
    "acetype4" => pub struct AceType {
        /// Grants access.
        "ACE4_ACCESS_ALLOWED_ACE_TYPE" ACCESS_ALLOWED = 0,
        /// Denies access.
        "ACE4_ACCESS_DENIED_ACE_TYPE" ACCESS_DENIED = 1,
        /// Logs access.
        "ACE4_SYSTEM_AUDIT_ACE_TYPE" SYSTEM_AUDIT = 2,
        /// Raises an alarm on access.
        "ACE4_SYSTEM_ALARM_ACE_TYPE" SYSTEM_ALARM = 3,
    }
}

flags! {
    /// How an entry is inherited, and what it is about (RFC 7530, section 6.2.1.4; RFC 8881, section
    /// 6.2.1.4).
    #[doc(alias = "aceflag4")]
    pub struct AceFlag {
        /// New files get the entry.
        "ACE4_FILE_INHERIT_ACE" FILE_INHERIT = 0x01,
        /// New directories get the entry.
        "ACE4_DIRECTORY_INHERIT_ACE" DIRECTORY_INHERIT = 0x02,
        /// What inherits the entry does not pass it on.
        "ACE4_NO_PROPAGATE_INHERIT_ACE" NO_PROPAGATE_INHERIT = 0x04,
        /// The entry is for new objects only, not for the directory itself.
        "ACE4_INHERIT_ONLY_ACE" INHERIT_ONLY = 0x08,
        /// Audit or alarm when access succeeds.
        "ACE4_SUCCESSFUL_ACCESS_ACE_FLAG" SUCCESSFUL_ACCESS = 0x10,
        /// Audit or alarm when access fails.
        "ACE4_FAILED_ACCESS_ACE_FLAG" FAILED_ACCESS = 0x20,
        /// `who` is a group.
        "ACE4_IDENTIFIER_GROUP" IDENTIFIER_GROUP = 0x40,
        /// The entry was inherited; since v4.1.
        "ACE4_INHERITED_ACE" INHERITED = 0x80,
    }
}

flags! {
    /// What an entry grants or denies (RFC 7530, section 6.2.1.3; RFC 8881, section 6.2.1.3).
    #[doc(alias = "acemask4")]
    pub struct AceMask {
        /// Read a file's data. Of a directory: [`LIST_DIRECTORY`](Self::LIST_DIRECTORY).
        "ACE4_READ_DATA" READ_DATA = 0x0000_0001,
        /// Change a file's data. Of a directory: [`ADD_FILE`](Self::ADD_FILE).
        "ACE4_WRITE_DATA" WRITE_DATA = 0x0000_0002,
        /// Write behind the end of a file. Of a directory: [`ADD_SUBDIRECTORY`](Self::ADD_SUBDIRECTORY).
        "ACE4_APPEND_DATA" APPEND_DATA = 0x0000_0004,
        /// Read named attributes, or look them up.
        "ACE4_READ_NAMED_ATTRS" READ_NAMED_ATTRS = 0x0000_0008,
        /// Write named attributes.
        "ACE4_WRITE_NAMED_ATTRS" WRITE_NAMED_ATTRS = 0x0000_0010,
        /// Execute a file, or go through a directory.
        "ACE4_EXECUTE" EXECUTE = 0x0000_0020,
        /// Remove entries of a directory.
        "ACE4_DELETE_CHILD" DELETE_CHILD = 0x0000_0040,
        /// Read attributes that are no access control lists.
        "ACE4_READ_ATTRIBUTES" READ_ATTRIBUTES = 0x0000_0080,
        /// Set times, and what is for Windows.
        "ACE4_WRITE_ATTRIBUTES" WRITE_ATTRIBUTES = 0x0000_0100,
        /// Set retention; since v4.1.
        "ACE4_WRITE_RETENTION" WRITE_RETENTION = 0x0000_0200,
        /// Set administrative holds; since v4.1.
        "ACE4_WRITE_RETENTION_HOLD" WRITE_RETENTION_HOLD = 0x0000_0400,
        /// Remove the object.
        "ACE4_DELETE" DELETE = 0x0001_0000,
        /// Read access control lists.
        "ACE4_READ_ACL" READ_ACL = 0x0002_0000,
        /// Write access control lists and the mode.
        "ACE4_WRITE_ACL" WRITE_ACL = 0x0004_0000,
        /// Change owner and group.
        "ACE4_WRITE_OWNER" WRITE_OWNER = 0x0008_0000,
        /// Use the object for synchronization, on Windows.
        "ACE4_SYNCHRONIZE" SYNCHRONIZE = 0x0010_0000,
    }
}

impl AceMask {
    /// List a directory: the bit of [`READ_DATA`](Self::READ_DATA).
    #[doc(alias = "ACE4_LIST_DIRECTORY")]
    pub const LIST_DIRECTORY: Self = Self::READ_DATA;
    /// Make a file in a directory: the bit of [`WRITE_DATA`](Self::WRITE_DATA).
    #[doc(alias = "ACE4_ADD_FILE")]
    pub const ADD_FILE: Self = Self::WRITE_DATA;
    /// Make a directory in a directory: the bit of [`APPEND_DATA`](Self::APPEND_DATA).
    #[doc(alias = "ACE4_ADD_SUBDIRECTORY")]
    pub const ADD_SUBDIRECTORY: Self = Self::APPEND_DATA;
    /// All that reading takes.
    #[doc(alias = "ACE4_GENERIC_READ")]
    pub const GENERIC_READ: Self = Self(0x0012_0081);
    /// All that writing takes.
    #[doc(alias = "ACE4_GENERIC_WRITE")]
    pub const GENERIC_WRITE: Self = Self(0x0016_0106);
    /// All that executing takes.
    #[doc(alias = "ACE4_GENERIC_EXECUTE")]
    pub const GENERIC_EXECUTE: Self = Self(0x0012_00a0);
}

/// Names in [`Ace::who`] that stand for no account (RFC 7530, section 6.2.1.5).
pub mod who {
    /// The owner of the object.
    pub const OWNER: &str = "OWNER@";
    /// The group of the object.
    pub const GROUP: &str = "GROUP@";
    /// Everyone, owner and group included.
    pub const EVERYONE: &str = "EVERYONE@";
    /// Whoever sits at a terminal.
    pub const INTERACTIVE: &str = "INTERACTIVE@";
    /// Whoever comes from the network.
    pub const NETWORK: &str = "NETWORK@";
    /// Whoever comes from a dial-up line.
    pub const DIALUP: &str = "DIALUP@";
    /// Batch jobs.
    pub const BATCH: &str = "BATCH@";
    /// Whoever is not authenticated.
    pub const ANONYMOUS: &str = "ANONYMOUS@";
    /// Whoever is.
    pub const AUTHENTICATED: &str = "AUTHENTICATED@";
    /// System services.
    pub const SERVICE: &str = "SERVICE@";
}

xdr_struct! {
    /// Entry of an access control list (RFC 7530, section 6.2.1).
    #[derive(Copy)]
    "nfsace4" => pub struct Ace<'a> {
        /// What it does.
        "type" => pub ace_type: AceType,
        /// How it is inherited, and what it is about.
        pub flag: AceFlag,
        /// What it grants or denies.
        pub access_mask: AceMask,
        /// For whom: `user@domain`, a number, or one of [`who`].
        pub who: TextMixed<'a>,
    }
}

/// Access control list: the entries in the order in which they are evaluated (RFC 7530, section
/// 6.2.1).
#[doc(alias = "fattr4_acl")]
pub type Acl<'a> = Array<'a, Ace<'a>>;

//--- Lists of v4.1 ---

flags! {
    /// How a list came about (RFC 8881, section 6.4.2).
    #[doc(alias = "aclflag4")]
    pub struct AclFlag {
        /// The list follows changes of the parent's.
        "ACL4_AUTO_INHERIT" AUTO_INHERIT = 0x1,
        /// The list does not change when the parent's does.
        "ACL4_PROTECTED" PROTECTED = 0x2,
        /// The server made the list; nobody asked for it.
        "ACL4_DEFAULTED" DEFAULTED = 0x4,
    }
}

xdr_struct! {
    /// Access control list with flags, for one purpose: access or audit (RFC 8881, section 6.2.2).
    #[derive(Copy)]
    "nfsacl41" => pub struct Acl41<'a> {
        /// How it came about.
        "na41_flag" => pub flag: AclFlag,
        /// The entries.
        "na41_aces" => pub aces: Acl<'a>,
    }
}

flags! {
    /// Kinds of entries that a file system knows (RFC 7530, section 6.2.1.2).
    #[doc(alias = "fattr4_aclsupport")]
    pub struct AclSupport {
        /// Those that grant.
        "ACL4_SUPPORT_ALLOW_ACL" ALLOW = 0x1,
        /// Those that deny.
        "ACL4_SUPPORT_DENY_ACL" DENY = 0x2,
        /// Those that log.
        "ACL4_SUPPORT_AUDIT_ACL" AUDIT = 0x4,
        /// Those that raise an alarm.
        "ACL4_SUPPORT_ALARM_ACL" ALARM = 0x8,
    }
}
