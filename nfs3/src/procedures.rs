//! The 22 procedures of NFSv3 (RFC 1813, section 3), by number and name.
//!
//! Each is a type without values that ties the numbers of a call to the types of its arguments and
//! reply.
//!
//! ```
//! use nfswire_nfs3::{io::ReadArgs, procedures::{self, Read}};
//! use nfswire_rpc::Procedure;
//!
//! fn arguments<P: Procedure>(wire: &[u8]) -> Result<P::Args<'_>, nfswire_xdr::DecodeError> {
//!     nfswire_xdr::from_bytes(wire)
//! }
//! let args: ReadArgs<'_> = arguments::<Read>(&[0; 16])?;
//! assert_eq!((Read::PROGRAM, Read::VERSION, Read::NUMBER), (100_003, 3, 6));
//! assert_eq!(procedures::name(6), Some("NFSPROC3_READ"));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use crate::{attr, create, fs, io, lookup, readdir, remove};

/// RPC program number of NFS (RFC 1813, section 2.2).
#[doc(alias = "NFS_PROGRAM")]
pub const PROGRAM: u32 = 100_003;
/// RPC version of NFSv3 (RFC 1813, section 2.2).
#[doc(alias = "NFS_V3")]
pub const VERSION: u32 = 3;

nfswire_rpc::procedures! {
    PROGRAM, VERSION, "RFC 1813, section 3.3";

    /// Does nothing.
    0 "NFSPROC3_NULL" => Null(()) -> ();
    /// Gets attributes.
    1 "NFSPROC3_GETATTR" => Getattr(attr::GetattrArgs<'a>) -> attr::GetattrReply;
    /// Sets attributes.
    2 "NFSPROC3_SETATTR" => Setattr(attr::SetattrArgs<'a>) -> attr::SetattrReply;
    /// Looks up a name.
    3 "NFSPROC3_LOOKUP" => Lookup(lookup::LookupArgs<'a>) -> lookup::LookupReply<'a>;
    /// Checks access rights.
    4 "NFSPROC3_ACCESS" => Access(lookup::AccessArgs<'a>) -> lookup::AccessReply;
    /// Reads a symbolic link.
    5 "NFSPROC3_READLINK" => Readlink(lookup::ReadlinkArgs<'a>) -> lookup::ReadlinkReply<'a>;
    /// Reads from a file.
    6 "NFSPROC3_READ" => Read(io::ReadArgs<'a>) -> io::ReadReply<'a>;
    /// Writes to a file.
    7 "NFSPROC3_WRITE" => Write(io::WriteArgs<'a>) -> io::WriteReply;
    /// Makes a regular file.
    8 "NFSPROC3_CREATE" => Create(create::CreateArgs<'a>) -> create::CreateReply<'a>;
    /// Makes a directory.
    9 "NFSPROC3_MKDIR" => Mkdir(create::MkdirArgs<'a>) -> create::MkdirReply<'a>;
    /// Makes a symbolic link.
    10 "NFSPROC3_SYMLINK" => Symlink(create::SymlinkArgs<'a>) -> create::SymlinkReply<'a>;
    /// Makes a special file.
    11 "NFSPROC3_MKNOD" => Mknod(create::MknodArgs<'a>) -> create::MknodReply<'a>;
    /// Removes a file.
    12 "NFSPROC3_REMOVE" => Remove(remove::RemoveArgs<'a>) -> remove::RemoveReply;
    /// Removes a directory.
    13 "NFSPROC3_RMDIR" => Rmdir(remove::RmdirArgs<'a>) -> remove::RmdirReply;
    /// Renames a file or directory.
    14 "NFSPROC3_RENAME" => Rename(remove::RenameArgs<'a>) -> remove::RenameReply;
    /// Makes a hard link.
    15 "NFSPROC3_LINK" => Link(remove::LinkArgs<'a>) -> remove::LinkReply;
    /// Reads a directory: names.
    16 "NFSPROC3_READDIR" => Readdir(readdir::ReaddirArgs<'a>) -> readdir::ReaddirReply<'a>;
    /// Reads a directory: names, attributes and handles.
    17 "NFSPROC3_READDIRPLUS"
        => Readdirplus(readdir::ReaddirplusArgs<'a>) -> readdir::ReaddirplusReply<'a>;
    /// Gets what changes about a file system.
    18 "NFSPROC3_FSSTAT" => Fsstat(fs::FsstatArgs<'a>) -> fs::FsstatReply;
    /// Gets what does not change about a file system.
    19 "NFSPROC3_FSINFO" => Fsinfo(fs::FsinfoArgs<'a>) -> fs::FsinfoReply;
    /// Gets the limits of names and links.
    20 "NFSPROC3_PATHCONF" => Pathconf(fs::PathconfArgs<'a>) -> fs::PathconfReply;
    /// Forces written data to stable storage.
    21 "NFSPROC3_COMMIT" => Commit(io::CommitArgs<'a>) -> io::CommitReply;
}
