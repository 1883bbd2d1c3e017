//! Data types that several procedures share (RFC 1094, sections 2.3 and 3.5).

use nfswire_xdr::{Text, xdr_enum, xdr_struct, xdr_union};

use super::Status;

/// Most bytes that a READ or WRITE carries (RFC 1094, section 3.5).
pub const MAXDATA: u32 = 8192;
/// Longest path, in bytes (RFC 1094, section 3.5).
pub const MAXPATHLEN: u32 = 1024;
/// Longest name, in bytes (RFC 1094, section 3.5).
pub const MAXNAMLEN: u32 = 255;
/// Size of a cookie of READDIR, in bytes (RFC 1094, section 3.5).
pub const COOKIESIZE: u32 = 4;
/// Size of a file handle, in bytes (RFC 1094, section 3.5).
pub const FHSIZE: u32 = 32;
/// In a field of [`SetAttributes`], in both parts of a time too: leave it as it is (RFC 1094, section
/// 2.3.6).
pub const UNCHANGED: u32 = u32::MAX;

/// File handle: always [`FHSIZE`] bytes that only the server can read, without a length word (RFC
/// 1094, section 2.3.3).
#[doc(alias = "fhandle")]
pub type FileHandle = [u8; 32];

/// Name of a directory entry: at most [`MAXNAMLEN`] bytes, of no known encoding (RFC 1094, section
/// 2.3.7).
#[doc(alias = "filename")]
pub type FileName<'a> = Text<'a, 255>;

/// Path in a symbolic link: at most [`MAXPATHLEN`] bytes, not interpreted by the server (RFC 1094,
/// section 2.3.8).
///
/// Where a link's text travels, in READLINK and SYMLINK, it is a
/// [`BoundedPayload`](nfswire_xdr::BoundedPayload) of the same form.
#[doc(alias = "path")]
pub type PathName<'a> = Text<'a, 1024>;

/// Position behind a directory entry, opaque to clients; zero bytes are the start (RFC 1094, section
/// 2.2.17).
#[doc(alias = "nfscookie")]
pub type Cookie = [u8; 4];

xdr_enum! {
    /// Kind of file (RFC 1094, section 2.3.2).
    "ftype" => pub enum FileType {
        /// No file; a socket, and by custom a named pipe: the type bits of
        /// [`Attributes::mode`] tell which.
        "NFNON" NonFile = 0,
        /// Regular file.
        "NFREG" Regular = 1,
        /// Directory.
        "NFDIR" Directory = 2,
        /// Block special device file.
        "NFBLK" BlockDevice = 3,
        /// Character special device file.
        "NFCHR" CharDevice = 4,
        /// Symbolic link.
        "NFLNK" Symlink = 5,
    }
}

xdr_struct! {
    /// Time since midnight, 1 January 1970 UTC (RFC 1094, section 2.3.4).
    #[derive(Copy, Default, PartialOrd, Ord, Hash)]
    "timeval" => pub struct Time {
        /// Whole seconds.
        pub seconds: u32,
        /// Microseconds within the second; the wire does not limit them to 999,999.
        "useconds" => pub microseconds: u32,
    }
}

xdr_struct! {
    /// Attributes of a file: always 68 bytes (RFC 1094, section 2.3.5).
    ///
    /// Converts from and to [`crate::Attributes`].
    #[derive(Copy)]
    "fattr" => pub struct Attributes {
        /// Kind of file.
        "type" => pub file_type: FileType,
        /// Permission bits, and the kind of file once more: the bits of `st_mode`.
        pub mode: u32,
        /// Number of hard links.
        pub nlink: u32,
        /// Owner.
        pub uid: u32,
        /// Group.
        pub gid: u32,
        /// Size of the file, in bytes.
        pub size: u32,
        /// Size of a block of the file system, in bytes.
        pub blocksize: u32,
        /// Device number, of a device, in the server's own form.
        pub rdev: u32,
        /// Blocks that the file takes on disk; by custom of 512 bytes, whatever `blocksize` says.
        pub blocks: u32,
        /// Identifies the file system.
        pub fsid: u32,
        /// Identifies the file within its file system.
        pub fileid: u32,
        /// Last access.
        pub atime: Time,
        /// Last change of the data.
        pub mtime: Time,
        /// Last change of the attributes.
        pub ctime: Time,
    }
}

xdr_struct! {
    /// Attributes that a client sets; the default changes nothing (RFC 1094, section 2.3.6).
    ///
    /// Fields are the words of the wire, where [`UNCHANGED`] leaves the attribute as it is.
    /// [`crate::SetAttributes::from`] gives the same with options instead.
    #[derive(Copy)]
    "sattr" => pub struct SetAttributes {
        /// New permission bits.
        pub mode: u32,
        /// New owner.
        pub uid: u32,
        /// New group.
        pub gid: u32,
        /// New size, in bytes; 0 empties the file.
        pub size: u32,
        /// New access time.
        pub atime: Time,
        /// New modification time.
        pub mtime: Time,
    }
}

impl SetAttributes {
    /// Changes nothing.
    pub const UNCHANGED: Self = Self {
        mode: UNCHANGED,
        uid: UNCHANGED,
        gid: UNCHANGED,
        size: UNCHANGED,
        atime: Time { seconds: UNCHANGED, microseconds: UNCHANGED },
        mtime: Time { seconds: UNCHANGED, microseconds: UNCHANGED },
    };
}

impl Default for SetAttributes {
    #[inline]
    fn default() -> Self {
        Self::UNCHANGED
    }
}

xdr_struct! {
    /// An entry of a directory, by name (RFC 1094, section 2.3.10).
    #[derive(Copy)]
    "diropargs" => pub struct DirOpArgs<'a> {
        /// The directory.
        pub dir: FileHandle,
        /// The name within it.
        pub name: FileName<'a>,
    }
}

xdr_union! {
    /// Reply to GETATTR, SETATTR and WRITE (RFC 1094, section 2.3.9).
    #[derive(Copy)]
    "attrstat" => pub enum AttrReply switch (status: Status) {
        /// Success: attributes of the file after the operation.
        case Status::OK => "attributes" Ok(Attributes),
        /// Failure.
        default => Fail,
    }
}

xdr_struct! {
    /// A file that an operation found or made (RFC 1094, section 2.3.11).
    #[derive(Copy)]
    "diropok" => pub struct DirOpOk {
        /// Its handle.
        pub file: FileHandle,
        /// Its attributes.
        pub attributes: Attributes,
    }
}

xdr_union! {
    /// Reply to LOOKUP, CREATE and MKDIR (RFC 1094, section 2.3.11).
    #[derive(Copy)]
    "diropres" => pub enum DirOpReply switch (status: Status) {
        /// Success.
        case Status::OK => "diropok" Ok(DirOpOk),
        /// Failure.
        default => Fail,
    }
}
