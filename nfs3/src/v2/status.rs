//! `stat`: how a procedure of NFSv2 ended (RFC 1094, section 2.3.1).

use nfswire_xdr::xdr_open_enum;

xdr_open_enum! {
    /// How an NFSv2 procedure ended (RFC 1094, section 2.3.1).
    ///
    /// Open: a number outside the RFC's list decodes, keeps its value and encodes again. Converts
    /// from [`crate::Status`]: what version 2 has no number for becomes the one that comes closest.
    "stat" => pub struct Status {
        /// Success.
        "NFS_OK" OK = 0,
        /// The caller does not own the object.
        "NFSERR_PERM" PERM = 1,
        /// No such file or directory.
        "NFSERR_NOENT" NOENT = 2,
        /// A hard error, such as a disk error.
        "NFSERR_IO" IO = 5,
        /// No such device or address.
        "NFSERR_NXIO" NXIO = 6,
        /// The caller lacks permission.
        "NFSERR_ACCES" ACCES = 13,
        /// The file exists already.
        "NFSERR_EXIST" EXIST = 17,
        /// No such device.
        "NFSERR_NODEV" NODEV = 19,
        /// A directory was needed, something else was named.
        "NFSERR_NOTDIR" NOTDIR = 20,
        /// A directory was named where none is allowed.
        "NFSERR_ISDIR" ISDIR = 21,
        /// The file would grow beyond the server's limit.
        "NFSERR_FBIG" FBIG = 27,
        /// No space left on the file system.
        "NFSERR_NOSPC" NOSPC = 28,
        /// A write was tried on a read-only file system.
        "NFSERR_ROFS" ROFS = 30,
        /// The name is too long.
        "NFSERR_NAMETOOLONG" NAMETOOLONG = 63,
        /// A directory to be removed is not empty.
        "NFSERR_NOTEMPTY" NOTEMPTY = 66,
        /// The caller's quota is used up.
        "NFSERR_DQUOT" DQUOT = 69,
        /// The handle names a file that is gone, or that the caller may no longer use.
        "NFSERR_STALE" STALE = 70,
        /// The server's write cache of WRITECACHE was flushed to disk.
        "NFSERR_WFLUSH" WFLUSH = 99,
    }
}
