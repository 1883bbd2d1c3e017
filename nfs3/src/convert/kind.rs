//! Statuses as `std::io` has them.

use std::io;

use crate::Status;

/// The status that says best what an I/O error says; never [`Status::OK`].
///
/// What NFSv3 has no number for is [`Status::SERVERFAULT`]; what passes by itself is
/// [`Status::JUKEBOX`], with which clients come back. `From<&io::Error>` knows more of errors that
/// come from the system.
impl From<io::ErrorKind> for Status {
    fn from(kind: io::ErrorKind) -> Self {
        use io::ErrorKind as K;
        match kind {
            K::NotFound => Self::NOENT,
            K::PermissionDenied | K::ResourceBusy | K::ExecutableFileBusy => Self::ACCES,
            K::AlreadyExists => Self::EXIST,
            K::CrossesDevices => Self::XDEV,
            K::NotADirectory => Self::NOTDIR,
            K::IsADirectory => Self::ISDIR,
            K::InvalidInput | K::NotSeekable => Self::INVAL,
            K::FileTooLarge => Self::FBIG,
            K::StorageFull => Self::NOSPC,
            K::ReadOnlyFilesystem => Self::ROFS,
            K::TooManyLinks => Self::MLINK,
            K::InvalidFilename => Self::NAMETOOLONG,
            K::DirectoryNotEmpty => Self::NOTEMPTY,
            K::QuotaExceeded => Self::DQUOT,
            K::StaleNetworkFileHandle => Self::STALE,
            K::Unsupported => Self::NOTSUPP,
            K::InvalidData | K::UnexpectedEof | K::WriteZero | K::BrokenPipe => Self::IO,
            K::WouldBlock | K::TimedOut | K::Interrupted | K::OutOfMemory => Self::JUKEBOX,
            _ => Self::SERVERFAULT,
        }
    }
}

/// The kind of error that a status is to a program; [`io::ErrorKind::Other`] where there is none, for
/// unknown numbers and for [`Status::OK`].
impl From<Status> for io::ErrorKind {
    fn from(status: Status) -> Self {
        match status {
            Status::NOENT | Status::NXIO | Status::NODEV => Self::NotFound,
            Status::PERM | Status::ACCES => Self::PermissionDenied,
            Status::EXIST => Self::AlreadyExists,
            Status::XDEV => Self::CrossesDevices,
            Status::NOTDIR => Self::NotADirectory,
            Status::ISDIR => Self::IsADirectory,
            Status::INVAL | Status::BADTYPE | Status::BAD_COOKIE | Status::TOOSMALL => {
                Self::InvalidInput
            }
            Status::FBIG => Self::FileTooLarge,
            Status::NOSPC => Self::StorageFull,
            Status::ROFS => Self::ReadOnlyFilesystem,
            Status::MLINK => Self::TooManyLinks,
            Status::NAMETOOLONG => Self::InvalidFilename,
            Status::NOTEMPTY => Self::DirectoryNotEmpty,
            Status::DQUOT => Self::QuotaExceeded,
            Status::STALE | Status::BADHANDLE => Self::StaleNetworkFileHandle,
            Status::NOTSUPP => Self::Unsupported,
            Status::JUKEBOX => Self::WouldBlock,
            _ => Self::Other,
        }
    }
}

/// The status that says best what an I/O error says: by `errno` where the system gave one (on unix),
/// by kind otherwise.
impl From<&io::Error> for Status {
    fn from(error: &io::Error) -> Self {
        #[cfg(unix)]
        if let Some(errno) = error.raw_os_error() {
            return Self::from_errno(errno);
        }
        error.kind().into()
    }
}

/// An error of the kind that the status is, with its RFC name as text.
impl From<Status> for io::Error {
    fn from(status: Status) -> Self {
        Self::new(status.into(), alloc::format!("the server answered {status}"))
    }
}
