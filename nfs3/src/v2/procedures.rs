//! The 18 procedures of NFSv2 (RFC 1094, section 2.2), by number and name.
//!
//! ```
//! use nfswire_nfs3::v2::procedures::{self, PROCEDURES};
//!
//! assert_eq!(PROCEDURES.len(), 18);
//! assert_eq!(procedures::name(16), Some("NFSPROC_READDIR"));
//! ```

use super::{attr, create, fs, io, lookup, readdir, remove};

pub use crate::procedures::PROGRAM;

/// RPC version of NFSv2 (RFC 1094, section 2.2).
#[doc(alias = "NFS_VERSION")]
pub const VERSION: u32 = 2;

nfswire_rpc::procedures! {
    PROGRAM, VERSION, "RFC 1094, section 2.2";

    /// Does nothing.
    0 "NFSPROC_NULL" => Null(()) -> ();
    /// Gets attributes.
    1 "NFSPROC_GETATTR" => Getattr(attr::GetattrArgs) -> attr::GetattrReply;
    /// Sets attributes.
    2 "NFSPROC_SETATTR" => Setattr(attr::SetattrArgs) -> attr::SetattrReply;
    /// Obsolete: the root comes from MNT.
    3 "NFSPROC_ROOT" => Root(()) -> ();
    /// Looks up a name.
    4 "NFSPROC_LOOKUP" => Lookup(lookup::LookupArgs<'a>) -> lookup::LookupReply;
    /// Reads a symbolic link.
    5 "NFSPROC_READLINK" => Readlink(lookup::ReadlinkArgs) -> lookup::ReadlinkReply<'a>;
    /// Reads from a file.
    6 "NFSPROC_READ" => Read(io::ReadArgs) -> io::ReadReply<'a>;
    /// Never used.
    7 "NFSPROC_WRITECACHE" => Writecache(()) -> ();
    /// Writes to a file.
    8 "NFSPROC_WRITE" => Write(io::WriteArgs<'a>) -> io::WriteReply;
    /// Makes a regular file.
    9 "NFSPROC_CREATE" => Create(create::CreateArgs<'a>) -> create::CreateReply;
    /// Removes a file.
    10 "NFSPROC_REMOVE" => Remove(remove::RemoveArgs<'a>) -> remove::RemoveReply;
    /// Renames a file or directory.
    11 "NFSPROC_RENAME" => Rename(remove::RenameArgs<'a>) -> remove::RenameReply;
    /// Makes a hard link.
    12 "NFSPROC_LINK" => Link(remove::LinkArgs<'a>) -> remove::LinkReply;
    /// Makes a symbolic link.
    13 "NFSPROC_SYMLINK" => Symlink(create::SymlinkArgs<'a>) -> create::SymlinkReply;
    /// Makes a directory.
    14 "NFSPROC_MKDIR" => Mkdir(create::MkdirArgs<'a>) -> create::MkdirReply;
    /// Removes a directory.
    15 "NFSPROC_RMDIR" => Rmdir(remove::RmdirArgs<'a>) -> remove::RmdirReply;
    /// Reads a directory.
    16 "NFSPROC_READDIR" => Readdir(readdir::ReaddirArgs) -> readdir::ReaddirReply<'a>;
    /// Gets what a file system holds.
    17 "NFSPROC_STATFS" => Statfs(fs::StatfsArgs) -> fs::StatfsReply;
}
