//! Statuses as error numbers of the system.
//!
//! The numbers of RFC 1813 were error numbers once, of one system; those of others differ (ENOTEMPTY
//! is 39 on Linux, 66 in the RFC), so they are compared by name.

use libc::c_int;

use crate::Status;

/// From the number to the status, and back where the first number is the one that says it best.
macro_rules! errnos {
    ($($status:ident: $errno:ident $(, $more:ident)*;)+) => {
        impl Status {
            /// The status that says best what an error number of the system says; [`Status::OK`] for 0
            /// only.
            ///
            /// What NFSv3 has no number for is [`Status::SERVERFAULT`]: the caller can do nothing about
            /// it. What passes by itself, such as running out of descriptors or memory, is
            /// [`Status::JUKEBOX`], with which clients come back. What is busy for long (a mount point,
            /// a running program) is [`Status::ACCES`].
            #[must_use]
            pub const fn from_errno(errno: i32) -> Self {
                $(
                    if errno == libc::$errno $(|| errno == libc::$more)* {
                        return Self::$status;
                    }
                )+
                // Another name of EAGAIN and EOPNOTSUPP on some systems, a number of its own on
                // others.
                if errno == libc::EWOULDBLOCK {
                    return Self::JUKEBOX;
                }
                if errno == libc::ENOTSUP {
                    return Self::INVAL;
                }
                #[cfg(any(target_os = "linux", target_os = "android"))]
                if errno == libc::ENOMEDIUM {
                    return Self::IO;
                }
                if errno == 0 { Self::OK } else { Self::SERVERFAULT }
            }

            /// The error number of the system with which a program is told of a status: 0 for
            /// [`Status::OK`], `EIO` for numbers of no RFC.
            ///
            /// [`Status::from_errno`] leads back to the same status, except from what only NFS has
            /// (10001 to 10008, apart from [`Status::JUKEBOX`] and [`Status::NOTSUPP`]), from
            /// [`Status::REMOTE`] and from unknown numbers.
            #[must_use]
            pub const fn errno(self) -> i32 {
                const NUMBERS: &[(Status, c_int)] = &[$((Status::$status, libc::$errno)),+];
                let mut rest = NUMBERS;
                while let [(status, errno), tail @ ..] = rest {
                    if status.0 == self.0 {
                        return *errno;
                    }
                    rest = tail;
                }
                match self {
                    Self::OK => 0,
                    Self::REMOTE => libc::EREMOTE,
                    Self::BADHANDLE => libc::ESTALE,
                    Self::NOT_SYNC => libc::EBUSY,
                    Self::BAD_COOKIE | Self::TOOSMALL | Self::BADTYPE => libc::EINVAL,
                    _ => libc::EIO,
                }
            }
        }
    };
}

errnos! {
    PERM: EPERM;
    NOENT: ENOENT;
    IO: EIO, EFAULT;
    NXIO: ENXIO;
    ACCES: EACCES, ETXTBSY, EBUSY, ELOOP;
    EXIST: EEXIST;
    XDEV: EXDEV;
    NODEV: ENODEV;
    NOTDIR: ENOTDIR;
    ISDIR: EISDIR;
    INVAL: EINVAL, EOPNOTSUPP, EOVERFLOW;
    FBIG: EFBIG;
    NOSPC: ENOSPC;
    ROFS: EROFS;
    MLINK: EMLINK;
    NAMETOOLONG: ENAMETOOLONG;
    NOTEMPTY: ENOTEMPTY;
    DQUOT: EDQUOT;
    STALE: ESTALE;
    NOTSUPP: ENOSYS;
    JUKEBOX: EAGAIN, EINTR, EMFILE, ENFILE, ENOMEM, ENOBUFS, ETIMEDOUT;
}
