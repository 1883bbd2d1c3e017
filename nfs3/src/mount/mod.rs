//! MOUNT, the protocol that gives out the first file handle: versions 1 (RFC 1094, appendix A) and
//! 3 (RFC 1813, appendix I, section 5).
//!
//! Both versions share names, paths and lists, which are here; [`v1`] and [`v3`] hold what differs
//! and the procedures.
//!
//! ```
//! use nfswire_nfs3::mount::{DirPath, MountReply, MountStatus};
//!
//! assert!(DirPath::new(&[b'/'; 1025]).is_none(), "longer than MNTPATHLEN");
//! let reply: MountReply = nfswire_xdr::from_bytes(&[0, 0, 0, 13])?;
//! assert_eq!(reply, MountReply::Fail(MountStatus::ACCES));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{Chain, Text, xdr_struct};

pub mod v1;
pub mod v3;

pub use v3::{MountOk, MountReply, MountStatus};

/// RPC program number of MOUNT (RFC 1813, section 5.1.2).
#[doc(alias = "MOUNT_PROGRAM")]
#[doc(alias = "MOUNTPROG")]
pub const PROGRAM: u32 = 100_005;
/// Longest path, in bytes (RFC 1813, section 5.1.4; RFC 1094, section A.3).
pub const MNTPATHLEN: u32 = 1024;
/// Longest name of a host or group, in bytes (RFC 1813, section 5.1.4; RFC 1094, section A.3).
pub const MNTNAMLEN: u32 = 255;

/// Path of a directory on the server: at most [`MNTPATHLEN`] bytes (RFC 1813, section 5.1.5).
#[doc(alias = "dirpath")]
pub type DirPath<'a> = Text<'a, 1024>;

/// Name of a host or group: at most [`MNTNAMLEN`] bytes (RFC 1813, section 5.1.5).
#[doc(alias = "name")]
pub type HostName<'a> = Text<'a, 255>;

xdr_struct! {
    /// A mount that the server remembers, one node of [`MountList`] (RFC 1813, section 5.2.2).
    #[derive(Copy)]
    "mountbody" => pub struct MountEntry<'a> {
        /// Client.
        "ml_hostname" => pub hostname: HostName<'a>,
        /// Directory it mounted.
        "ml_directory" => pub directory: DirPath<'a>,
    }
}

/// Answer of DUMP: every remembered mount (RFC 1813, section 5.2.2).
#[doc(alias = "mountlist")]
pub type MountList<'a> = Chain<'a, MountEntry<'a>>;

xdr_struct! {
    /// A host or netgroup that may mount, one node of [`Groups`] (RFC 1813, section 5.2.5).
    #[derive(Copy)]
    "groupnode" => pub struct Group<'a> {
        /// Its name.
        "gr_name" => pub name: HostName<'a>,
    }
}

/// Who may mount an export; an empty list means everybody (RFC 1813, section 5.2.5).
#[doc(alias = "groups")]
pub type Groups<'a> = Chain<'a, Group<'a>>;

xdr_struct! {
    /// An exported directory, one node of [`Exports`] (RFC 1813, section 5.2.5).
    "exportnode" => pub struct Export<'a> {
        /// The directory.
        "ex_dir" => pub directory: DirPath<'a>,
        /// Who may mount it.
        "ex_groups" => pub groups: Groups<'a>,
    }
}

/// Answer of EXPORT: every exported directory (RFC 1813, section 5.2.5; RFC 1094, section A.5.6).
#[doc(alias = "exports")]
#[doc(alias = "exportlist")]
pub type Exports<'a> = Chain<'a, Export<'a>>;
