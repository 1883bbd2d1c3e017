//! FSSTAT, FSINFO and PATHCONF: what a file system holds, prefers and allows (RFC 1813, sections
//! 3.3.18 to 3.3.20).
//!
//! ```
//! use nfswire_nfs3::fs::{FSF_HOMOGENEOUS, FSF_LINK, FsinfoReply};
//!
//! let mut wire = [0u8; 4 + 4 + 7 * 4 + 8 + 8 + 4];
//! wire[55] = 0x09;
//! let FsinfoReply::Ok(info) = nfswire_xdr::from_bytes(&wire)? else { panic!("failed") };
//! assert_eq!(info.properties, FSF_LINK | FSF_HOMOGENEOUS);
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{xdr_struct, xdr_union};

use crate::{FileHandle, PostOpAttr, Size, Status, Time};

//--- FSSTAT ---

xdr_struct! {
    /// Arguments of FSSTAT (RFC 1813, section 3.3.18).
    #[derive(Copy)]
    "FSSTAT3args" => pub struct FsstatArgs<'a> {
        /// An object of the file system, normally its root.
        pub fsroot: FileHandle<'a>,
    }
}

xdr_struct! {
    /// Body of a successful FSSTAT: volatile state of a file system (RFC 1813, section 3.3.18).
    #[derive(Copy)]
    "FSSTAT3resok" => pub struct FsstatOk {
        /// Attributes of the object named in the call.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// Size of the file system, in bytes.
        pub tbytes: Size,
        /// Free space, in bytes.
        pub fbytes: Size,
        /// Free space that the caller may use, in bytes.
        pub abytes: Size,
        /// File slots in all.
        pub tfiles: Size,
        /// Free file slots.
        pub ffiles: Size,
        /// Free file slots that the caller may use.
        pub afiles: Size,
        /// Seconds during which nothing is expected to change; 0 when unknown.
        pub invarsec: u32,
    }
}

/// Body of a failed FSSTAT: attributes of the object named in the call (RFC 1813, section 3.3.18).
#[doc(alias = "FSSTAT3resfail")]
pub type FsstatFail = PostOpAttr;

xdr_union! {
    /// Reply to FSSTAT (RFC 1813, section 3.3.18).
    #[derive(Copy)]
    "FSSTAT3res" => pub enum FsstatReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(FsstatOk),
        /// Failure.
        default => Fail(FsstatFail),
    }
}

//--- FSINFO ---

/// The file system has hard links (RFC 1813, section 3.3.19).
#[doc(alias = "FSF3_LINK")]
pub const FSF_LINK: u32 = 0x01;
/// The file system has symbolic links (RFC 1813, section 3.3.19).
#[doc(alias = "FSF3_SYMLINK")]
pub const FSF_SYMLINK: u32 = 0x02;
/// PATHCONF answers the same for every object (RFC 1813, section 3.3.19).
#[doc(alias = "FSF3_HOMOGENEOUS")]
pub const FSF_HOMOGENEOUS: u32 = 0x08;
/// SETATTR can set times, to the precision of `time_delta` (RFC 1813, section 3.3.19).
#[doc(alias = "FSF3_CANSETTIME")]
pub const FSF_CANSETTIME: u32 = 0x10;

xdr_struct! {
    /// Arguments of FSINFO, printed once as `FSINFOargs` (RFC 1813, section 3.3.19).
    #[derive(Copy)]
    "FSINFO3args" => pub struct FsinfoArgs<'a> {
        /// An object of the file system, normally its root.
        pub fsroot: FileHandle<'a>,
    }
}

xdr_struct! {
    /// Body of a successful FSINFO: what does not change about a file system (RFC 1813, section
    /// 3.3.19).
    #[derive(Copy)]
    "FSINFO3resok" => pub struct FsinfoOk {
        /// Attributes of the object named in the call.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// Largest READ, in bytes.
        pub rtmax: u32,
        /// Preferred READ, in bytes.
        pub rtpref: u32,
        /// READ sizes should be a multiple of this, in bytes.
        pub rtmult: u32,
        /// Largest WRITE, in bytes.
        pub wtmax: u32,
        /// Preferred WRITE, in bytes.
        pub wtpref: u32,
        /// WRITE sizes should be a multiple of this, in bytes.
        pub wtmult: u32,
        /// Preferred budget of READDIR, in bytes.
        pub dtpref: u32,
        /// Largest file, in bytes.
        pub maxfilesize: Size,
        /// Resolution of the server's times.
        pub time_delta: Time,
        /// Mask of the `FSF_` constants.
        pub properties: u32,
    }
}

/// Body of a failed FSINFO: attributes of the object named in the call (RFC 1813, section 3.3.19).
#[doc(alias = "FSINFO3resfail")]
pub type FsinfoFail = PostOpAttr;

xdr_union! {
    /// Reply to FSINFO (RFC 1813, section 3.3.19).
    #[derive(Copy)]
    "FSINFO3res" => pub enum FsinfoReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(FsinfoOk),
        /// Failure.
        default => Fail(FsinfoFail),
    }
}

//--- PATHCONF ---

xdr_struct! {
    /// Arguments of PATHCONF (RFC 1813, section 3.3.20).
    #[derive(Copy)]
    "PATHCONF3args" => pub struct PathconfArgs<'a> {
        /// The object asked about.
        pub object: FileHandle<'a>,
    }
}

xdr_struct! {
    /// Body of a successful PATHCONF (RFC 1813, section 3.3.20).
    #[derive(Copy)]
    "PATHCONF3resok" => pub struct PathconfOk {
        /// Attributes of the object.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// Most hard links to one object.
        pub linkmax: u32,
        /// Longest name, in bytes.
        pub name_max: u32,
        /// Longer names fail with [`Status::NAMETOOLONG`] instead of being cut.
        pub no_trunc: bool,
        /// Only a privileged user may change an owner.
        pub chown_restricted: bool,
        /// Names that differ only in case are the same name.
        pub case_insensitive: bool,
        /// The case of a name is kept.
        pub case_preserving: bool,
    }
}

/// Body of a failed PATHCONF: attributes of the object (RFC 1813, section 3.3.20).
#[doc(alias = "PATHCONF3resfail")]
pub type PathconfFail = PostOpAttr;

xdr_union! {
    /// Reply to PATHCONF (RFC 1813, section 3.3.20).
    #[derive(Copy)]
    "PATHCONF3res" => pub enum PathconfReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(PathconfOk),
        /// Failure.
        default => Fail(PathconfFail),
    }
}
