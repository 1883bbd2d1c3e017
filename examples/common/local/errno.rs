//! From a system call's error to the status of a reply (RFC 1813, section 2.6).

use nfswire_nfs3::Status;
use rustix::io::Errno;

use crate::fs::Failure;

/// The status that says best what the kernel said; total.
///
/// ELOOP, which is a symbolic link in the middle of a path that openat2 was told not to follow, is `ACCES`.
pub(super) fn status(errno: Errno) -> Status {
    Status::from_errno(errno.raw_os_error())
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        status(errno).into()
    }
}
