//! From a system call's error to the status of a reply (RFC 1813, section 2.6).

use nfswire_nfs3::Status;
use rustix::io::Errno;

use crate::fs::Failure;

/// The status that says best what the kernel said; total.
///
/// What has no counterpart in NFSv3 is `SERVERFAULT`: the caller can do nothing about it. Running out of descriptors or
/// memory passes, so the client is told to come back (`JUKEBOX`).
pub(super) fn status(errno: Errno) -> Status {
    match errno {
        Errno::PERM => Status::PERM,
        Errno::NOENT => Status::NOENT,
        Errno::IO | Errno::FAULT | Errno::NOMEDIUM => Status::IO,
        Errno::NXIO => Status::NXIO,
        // Text busy and busy (a mount point, a swap file) last: no use in coming back.
        Errno::ACCESS | Errno::TXTBSY | Errno::BUSY => Status::ACCES,
        // A symbolic link in the middle of a path, which openat2 was told not to follow.
        Errno::LOOP => Status::ACCES,
        Errno::EXIST => Status::EXIST,
        Errno::XDEV => Status::XDEV,
        Errno::NODEV => Status::NODEV,
        Errno::NOTDIR => Status::NOTDIR,
        Errno::ISDIR => Status::ISDIR,
        Errno::INVAL | Errno::OPNOTSUPP | Errno::OVERFLOW => Status::INVAL,
        Errno::FBIG => Status::FBIG,
        Errno::NOSPC => Status::NOSPC,
        Errno::ROFS => Status::ROFS,
        Errno::MLINK => Status::MLINK,
        Errno::NAMETOOLONG => Status::NAMETOOLONG,
        Errno::NOTEMPTY => Status::NOTEMPTY,
        Errno::DQUOT => Status::DQUOT,
        Errno::STALE => Status::STALE,
        Errno::AGAIN
        | Errno::INTR
        | Errno::MFILE
        | Errno::NFILE
        | Errno::NOMEM
        | Errno::NOBUFS
        | Errno::TIMEDOUT => Status::JUKEBOX,
        Errno::NOSYS => Status::NOTSUPP,
        _ => Status::SERVERFAULT,
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        status(errno).into()
    }
}
