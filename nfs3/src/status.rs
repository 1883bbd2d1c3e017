//! `nfsstat3`: how a procedure ended (RFC 1813, section 2.6).

use nfswire_xdr::xdr_open_enum;

xdr_open_enum! {
    /// How an NFSv3 procedure ended (RFC 1813, sections 2.5 and 2.6).
    ///
    /// Open: a number outside the RFC's list decodes, keeps its value and encodes again.
    "nfsstat3" => pub struct Status {
        /// Success.
        "NFS3_OK" OK = 0,
        /// The caller is neither the owner nor privileged.
        "NFS3ERR_PERM" PERM = 1,
        /// No such file or directory.
        "NFS3ERR_NOENT" NOENT = 2,
        /// A hard error of the device, such as a disk error.
        "NFS3ERR_IO" IO = 5,
        /// No such device or address.
        "NFS3ERR_NXIO" NXIO = 6,
        /// The caller lacks permission; also the answer to an empty name.
        "NFS3ERR_ACCES" ACCES = 13,
        /// The object to be made exists already.
        "NFS3ERR_EXIST" EXIST = 17,
        /// A hard link or rename across file systems.
        "NFS3ERR_XDEV" XDEV = 18,
        /// No such device.
        "NFS3ERR_NODEV" NODEV = 19,
        /// A directory was needed, something else was named.
        "NFS3ERR_NOTDIR" NOTDIR = 20,
        /// A directory was named where none is allowed.
        "NFS3ERR_ISDIR" ISDIR = 21,
        /// Invalid or unsupported argument, such as READLINK on a file.
        "NFS3ERR_INVAL" INVAL = 22,
        /// The file would grow beyond the server's limit.
        "NFS3ERR_FBIG" FBIG = 27,
        /// No space left on the file system.
        "NFS3ERR_NOSPC" NOSPC = 28,
        /// A change was asked of a read-only file system.
        "NFS3ERR_ROFS" ROFS = 30,
        /// Too many hard links.
        "NFS3ERR_MLINK" MLINK = 31,
        /// A name is too long for the file system.
        "NFS3ERR_NAMETOOLONG" NAMETOOLONG = 63,
        /// A directory to be removed is not empty.
        "NFS3ERR_NOTEMPTY" NOTEMPTY = 66,
        /// The caller's quota is used up.
        "NFS3ERR_DQUOT" DQUOT = 69,
        /// The handle names an object that is gone or no longer exported.
        "NFS3ERR_STALE" STALE = 70,
        /// Too many levels of remote in the path.
        "NFS3ERR_REMOTE" REMOTE = 71,
        /// The handle is not one of this server's.
        "NFS3ERR_BADHANDLE" BADHANDLE = 10001,
        /// The guard of SETATTR differs from the object's ctime.
        "NFS3ERR_NOT_SYNC" NOT_SYNC = 10002,
        /// A READDIR or READDIRPLUS cookie can no longer be placed.
        "NFS3ERR_BAD_COOKIE" BAD_COOKIE = 10003,
        /// The operation is not supported.
        "NFS3ERR_NOTSUPP" NOTSUPP = 10004,
        /// The byte budget of the request is too small for any answer.
        "NFS3ERR_TOOSMALL" TOOSMALL = 10005,
        /// The server failed in a way no other code describes.
        "NFS3ERR_SERVERFAULT" SERVERFAULT = 10006,
        /// The server cannot make objects of this type.
        "NFS3ERR_BADTYPE" BADTYPE = 10007,
        /// The request was accepted but cannot be done in time: try again later with a new xid.
        "NFS3ERR_JUKEBOX" JUKEBOX = 10008,
    }
}
