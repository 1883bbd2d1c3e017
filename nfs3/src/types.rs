//! Data types that several procedures share (RFC 1813, sections 2.4 to 2.6).

use nfswire_xdr::{Opaque, Text, xdr_enum, xdr_struct, xdr_union};

/// Largest file handle, in bytes (RFC 1813, section 2.4).
#[doc(alias = "NFS3_FHSIZE")]
pub const FHSIZE: u32 = 64;
/// Size of a cookie verifier, in bytes (RFC 1813, section 2.4).
#[doc(alias = "NFS3_COOKIEVERFSIZE")]
pub const COOKIEVERFSIZE: u32 = 8;
/// Size of the verifier of an exclusive CREATE, in bytes (RFC 1813, section 2.4).
#[doc(alias = "NFS3_CREATEVERFSIZE")]
pub const CREATEVERFSIZE: u32 = 8;
/// Size of a write verifier, in bytes (RFC 1813, section 2.4).
#[doc(alias = "NFS3_WRITEVERFSIZE")]
pub const WRITEVERFSIZE: u32 = 8;
/// The well-known port (RFC 1813, section 2.3).
pub const PORT: u16 = 2049;

/// File handle: at most [`FHSIZE`] bytes that only the server can read (RFC 1813, section 2.6).
///
/// Zero bytes are legal on the wire. Clients may compare two handles of one server for equality and
/// nothing else.
#[doc(alias = "nfs_fh3")]
pub type FileHandle<'a> = Opaque<'a, 64>;

/// Name of one directory entry: bytes, of no known encoding (RFC 1813, sections 2.5 and 3.2).
///
/// The wire sets no limit; the empty name decodes and is the server's to refuse.
#[doc(alias = "filename3")]
pub type FileName<'a> = Text<'a>;

/// Path in a symbolic link: bytes, not interpreted by the server (RFC 1813, section 2.5).
#[doc(alias = "nfspath3")]
pub type PathName<'a> = Text<'a>;

/// Number of a file within its file system (RFC 1813, section 2.5).
#[doc(alias = "fileid3")]
pub type FileId = u64;

/// Position behind a directory entry; 0 is the start (RFC 1813, section 2.5).
#[doc(alias = "cookie3")]
pub type Cookie = u64;

/// Tells a server whether a [`Cookie`] is still good; zero in the first call (RFC 1813, section
/// 2.5).
#[doc(alias = "cookieverf3")]
pub type CookieVerifier = [u8; 8];

/// Chosen by the client of an exclusive CREATE, so that a retry is recognized (RFC 1813, section
/// 2.5).
#[doc(alias = "createverf3")]
pub type CreateVerifier = [u8; 8];

/// Changes when a server may have lost unstable writes (RFC 1813, section 2.5).
#[doc(alias = "writeverf3")]
pub type WriteVerifier = [u8; 8];

/// Size of a file, in bytes (RFC 1813, section 2.5).
#[doc(alias = "size3")]
pub type Size = u64;

/// Position in a file, in bytes (RFC 1813, section 2.5).
#[doc(alias = "offset3")]
pub type Offset = u64;

/// Number of bytes in a request or reply (RFC 1813, section 2.5).
#[doc(alias = "count3")]
pub type Count = u32;

/// Permission bits; the kind of object is not among them (RFC 1813, section 2.5).
#[doc(alias = "mode3")]
pub type Mode = u32;

/// User id (RFC 1813, section 2.5).
#[doc(alias = "uid3")]
pub type Uid = u32;

/// Group id (RFC 1813, section 2.5).
#[doc(alias = "gid3")]
pub type Gid = u32;

xdr_enum! {
    /// Kind of file system object (RFC 1813, section 2.6).
    "ftype3" => pub enum FileType {
        /// Regular file.
        "NF3REG" Regular = 1,
        /// Directory.
        "NF3DIR" Directory = 2,
        /// Block special device file.
        "NF3BLK" BlockDevice = 3,
        /// Character special device file.
        "NF3CHR" CharDevice = 4,
        /// Symbolic link.
        "NF3LNK" Symlink = 5,
        /// Socket.
        "NF3SOCK" Socket = 6,
        /// Named pipe.
        "NF3FIFO" Fifo = 7,
    }
}

xdr_struct! {
    /// Device numbers; zero for anything but a device (RFC 1813, section 2.6).
    #[derive(Copy, Default)]
    "specdata3" => pub struct SpecData {
        /// Major device number.
        "specdata1" => pub major: u32,
        /// Minor device number.
        "specdata2" => pub minor: u32,
    }
}

xdr_struct! {
    /// Time since midnight, 1 January 1970 UTC (RFC 1813, section 2.6).
    #[derive(Copy, Default, PartialOrd, Ord, Hash)]
    "nfstime3" => pub struct Time {
        /// Whole seconds.
        pub seconds: u32,
        /// Nanoseconds within the second; the wire does not limit them to 999,999,999.
        "nseconds" => pub nanoseconds: u32,
    }
}

xdr_struct! {
    /// Attributes of a file system object: always 84 bytes (RFC 1813, section 2.6).
    #[derive(Copy)]
    "fattr3" => pub struct Attributes {
        /// Kind of object.
        "type" => pub file_type: FileType,
        /// Permission bits.
        pub mode: Mode,
        /// Number of hard links.
        pub nlink: u32,
        /// Owner.
        pub uid: Uid,
        /// Group.
        pub gid: Gid,
        /// Size of the file, in bytes.
        pub size: Size,
        /// Bytes of disk space the file really takes.
        pub used: Size,
        /// Device numbers, of a device.
        pub rdev: SpecData,
        /// Identifies the file system.
        pub fsid: u64,
        /// Identifies the file within its file system.
        pub fileid: FileId,
        /// Last access to the data.
        pub atime: Time,
        /// Last change of the data.
        pub mtime: Time,
        /// Last change of the attributes, writes included.
        pub ctime: Time,
    }
}

/// Attributes after an operation, when the server could get them (RFC 1813, section 2.6).
#[doc(alias = "post_op_attr")]
pub type PostOpAttr = Option<Attributes>;

/// Handle of the object an operation made or found, when the server could make one (RFC 1813,
/// section 2.6).
#[doc(alias = "post_op_fh3")]
pub type PostOpFh<'a> = Option<FileHandle<'a>>;

xdr_struct! {
    /// What a client needs to see whether its cache was current before an operation (RFC 1813,
    /// section 2.6).
    #[derive(Copy)]
    "wcc_attr" => pub struct WccAttr {
        /// Size before the operation, in bytes.
        pub size: Size,
        /// Last change of the data before the operation.
        pub mtime: Time,
        /// Last change of the attributes before the operation.
        pub ctime: Time,
    }
}

impl From<&Attributes> for WccAttr {
    #[inline]
    fn from(attributes: &Attributes) -> Self {
        Self { size: attributes.size, mtime: attributes.mtime, ctime: attributes.ctime }
    }
}

/// Attributes before an operation, when the server could get them atomically (RFC 1813, section
/// 2.6).
#[doc(alias = "pre_op_attr")]
pub type PreOpAttr = Option<WccAttr>;

xdr_struct! {
    /// Weak cache consistency: an object before and after an operation that changes it (RFC 1813,
    /// section 2.6).
    #[derive(Copy, Default)]
    "wcc_data" => pub struct WccData {
        /// Before the operation.
        pub before: PreOpAttr,
        /// After the operation, also when it failed.
        pub after: PostOpAttr,
    }
}

xdr_enum! {
    /// Where a new time comes from (RFC 1813, section 2.6).
    "time_how" => pub enum TimeHow {
        /// The time stays as it is.
        "DONT_CHANGE" DontChange = 0,
        /// The server's clock.
        "SET_TO_SERVER_TIME" ServerTime = 1,
        /// A time given by the client.
        "SET_TO_CLIENT_TIME" ClientTime = 2,
    }
}

xdr_union! {
    /// New value of `atime` or `mtime` (RFC 1813, section 2.6).
    #[derive(Copy)]
    #[doc(alias = "set_mtime")]
    "set_atime" => pub enum SetTime switch (set_it: TimeHow) {
        /// Leave the time as it is.
        case TimeHow::DontChange => DontChange,
        /// Set it to the server's clock.
        case TimeHow::ServerTime => ServerTime,
        /// Set it to this time.
        case TimeHow::ClientTime => ClientTime(Time),
    }
}

impl Default for SetTime {
    #[inline]
    fn default() -> Self {
        Self::DontChange
    }
}

xdr_struct! {
    /// Attributes that a client sets; the default changes nothing (RFC 1813, section 2.6).
    #[derive(Copy, Default)]
    #[doc(alias = "set_mode3")]
    #[doc(alias = "set_uid3")]
    #[doc(alias = "set_gid3")]
    #[doc(alias = "set_size3")]
    "sattr3" => pub struct SetAttributes {
        /// New permission bits.
        pub mode: Option<Mode>,
        /// New owner.
        pub uid: Option<Uid>,
        /// New group.
        pub gid: Option<Gid>,
        /// New size, in bytes: truncates or extends.
        pub size: Option<Size>,
        /// New access time.
        pub atime: SetTime,
        /// New modification time.
        pub mtime: SetTime,
    }
}

xdr_struct! {
    /// An entry of a directory, by name (RFC 1813, section 2.6).
    #[derive(Copy)]
    "diropargs3" => pub struct DirOpArgs<'a> {
        /// The directory.
        pub dir: FileHandle<'a>,
        /// The name within it.
        pub name: FileName<'a>,
    }
}

xdr_enum! {
    /// How stable written data must be, or is (RFC 1813, section 3.3.7). Ordered from least to
    /// most.
    "stable_how" => pub enum StableHow {
        /// May sit in memory until COMMIT.
        "UNSTABLE" Unstable = 0,
        /// Data, and what is needed to get it back, is on stable storage.
        "DATA_SYNC" DataSync = 1,
        /// Data and all metadata are on stable storage.
        "FILE_SYNC" FileSync = 2,
    }
}
