//! MOUNT version 1, which goes with NFSv2 (RFC 1094, appendix A).

use nfswire_xdr::xdr_union;

use super::{DirPath, Exports, MountList};

/// RPC version (RFC 1094, section A.5).
#[doc(alias = "MOUNTVERS")]
pub const VERSION: u32 = 1;
/// Size of an NFSv2 file handle, in bytes (RFC 1094, section A.3).
pub const FHSIZE: u32 = 32;

/// NFSv2 file handle: always [`FHSIZE`] bytes, without a length word (RFC 1094, section A.4.1).
#[doc(alias = "fhandle")]
pub type FileHandle = [u8; 32];

xdr_union! {
    /// Reply to MNT version 1 (RFC 1094, section A.4.2).
    #[derive(Copy)]
    "fhstatus" => pub enum FhStatus switch (status: u32) {
        /// Success: handle of the directory.
        case 0 => Ok(FileHandle),
        /// Failure: the status is a UNIX error number.
        default => Fail,
    }
}

nfswire_rpc::procedures! {
    super::PROGRAM, VERSION, "RFC 1094, section A.5";

    /// Does nothing.
    0 "MOUNTPROC_NULL" => Null(()) -> ();
    /// Gives the file handle of a directory, and remembers the mount.
    1 "MOUNTPROC_MNT" => Mnt(DirPath<'a>) -> FhStatus;
    /// Lists remembered mounts.
    2 "MOUNTPROC_DUMP" => Dump(()) -> MountList<'a>;
    /// Forgets one mount of the caller.
    3 "MOUNTPROC_UMNT" => Umnt(DirPath<'a>) -> ();
    /// Forgets every mount of the caller.
    4 "MOUNTPROC_UMNTALL" => Umntall(()) -> ();
    /// Lists exports.
    5 "MOUNTPROC_EXPORT" => Export(()) -> Exports<'a>;
    /// Lists exports. Not in the RFC: `rpcsvc/mount.x` and every server since give it the types of
    /// EXPORT.
    6 "MOUNTPROC_EXPORTALL" => Exportall(()) -> Exports<'a>;
}
