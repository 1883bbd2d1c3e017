//! MOUNT version 3, which goes with NFSv3 (RFC 1813, section 5).

use nfswire_xdr::{Array, xdr_open_enum, xdr_struct, xdr_union};

use super::{DirPath, Exports, MountList};
use crate::FileHandle;

/// RPC version (RFC 1813, section 5.1.2).
#[doc(alias = "MOUNT_V3")]
pub const VERSION: u32 = 3;
/// Largest file handle, in bytes: a handle of MOUNT version 3 is one of NFSv3 (RFC 1813, section
/// 5.1.4).
#[doc(alias = "FHSIZE3")]
pub const FHSIZE: u32 = crate::FHSIZE;

xdr_open_enum! {
    /// How MNT ended (RFC 1813, section 5.1.5).
    ///
    /// Open: a number outside the RFC's list decodes, keeps its value and encodes again.
    "mountstat3" => pub struct MountStatus {
        /// Success.
        "MNT3_OK" OK = 0,
        /// The caller is not the owner.
        "MNT3ERR_PERM" PERM = 1,
        /// No such file or directory.
        "MNT3ERR_NOENT" NOENT = 2,
        /// A hard error of the device.
        "MNT3ERR_IO" IO = 5,
        /// Permission denied.
        "MNT3ERR_ACCES" ACCES = 13,
        /// The path is no directory.
        "MNT3ERR_NOTDIR" NOTDIR = 20,
        /// Invalid argument.
        "MNT3ERR_INVAL" INVAL = 22,
        /// The path or a part of it is too long.
        "MNT3ERR_NAMETOOLONG" NAMETOOLONG = 63,
        /// The operation is not supported.
        "MNT3ERR_NOTSUPP" NOTSUPP = 10004,
        /// The server failed in a way no other code describes.
        "MNT3ERR_SERVERFAULT" SERVERFAULT = 10006,
    }
}

xdr_struct! {
    /// Body of a successful MNT (RFC 1813, section 5.2.1).
    "mountres3_ok" => pub struct MountOk<'a> {
        /// Handle of the directory, an `fhandle3`.
        #[doc(alias = "fhandle3")]
        "fhandle" => pub handle: FileHandle<'a>,
        /// RPC authentication flavors the server takes here, best first: a number of the registry
        /// of RFC 5531, such as 1 for AUTH_SYS. May be empty, and may hold unknown numbers.
        "auth_flavors" => pub flavors: Array<'a, u32>,
    }
}

xdr_union! {
    /// Reply to MNT (RFC 1813, section 5.2.1).
    "mountres3" => pub enum MountReply<'a> switch (status: MountStatus) {
        /// Success.
        case MountStatus::OK => Ok(MountOk<'a>),
        /// Failure.
        default => Fail,
    }
}

nfswire_rpc::procedures! {
    super::PROGRAM, VERSION, "RFC 1813, section 5.2";

    /// Does nothing.
    0 "MOUNTPROC3_NULL" => Null(()) -> ();
    /// Gives the file handle of a directory, and remembers the mount.
    1 "MOUNTPROC3_MNT" => Mnt(DirPath<'a>) -> MountReply<'a>;
    /// Lists remembered mounts.
    2 "MOUNTPROC3_DUMP" => Dump(()) -> MountList<'a>;
    /// Forgets one mount of the caller.
    3 "MOUNTPROC3_UMNT" => Umnt(DirPath<'a>) -> ();
    /// Forgets every mount of the caller.
    4 "MOUNTPROC3_UMNTALL" => Umntall(()) -> ();
    /// Lists exports.
    5 "MOUNTPROC3_EXPORT" => Export(()) -> Exports<'a>;
}
