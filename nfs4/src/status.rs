//! `nfsstat4`: how an operation ended (RFC 7530, section 13; RFC 8881, section 15; RFC 7862, section
//! 11; RFC 8276, section 8.3).

use nfswire_xdr::xdr_open_enum;

xdr_open_enum! {
    /// How an operation, and the COMPOUND around it, ended.
    ///
    /// Open: a number outside the RFCs' lists decodes, keeps its value and encodes again.
    "nfsstat4" => pub struct Status {
        /// Success. (RFC 7530, section 13.2)
        "NFS4_OK" OK = 0,
        /// The caller is neither the owner nor privileged. (RFC 7530, section 13.1.6.2)
        "NFS4ERR_PERM" PERM = 1,
        /// No such file or directory. (RFC 7530, section 13.1.4.8)
        "NFS4ERR_NOENT" NOENT = 2,
        /// A hard error of the device. (RFC 7530, section 13.1.4.6)
        "NFS4ERR_IO" IO = 5,
        /// No such device or address. (RFC 7530, section 13.1.4.11)
        "NFS4ERR_NXIO" NXIO = 6,
        /// The caller lacks permission. (RFC 7530, section 13.1.6.1)
        "NFS4ERR_ACCESS" ACCESS = 13,
        /// The object to be made exists already. (RFC 7530, section 13.1.4.3)
        "NFS4ERR_EXIST" EXIST = 17,
        /// A link or rename across file systems. (RFC 7530, section 13.1.4.14)
        "NFS4ERR_XDEV" XDEV = 18,
        /// A directory was needed, something else was named. (RFC 7530, section 13.1.2.6)
        "NFS4ERR_NOTDIR" NOTDIR = 20,
        /// A directory was named where none is allowed. (RFC 7530, section 13.1.2.3)
        "NFS4ERR_ISDIR" ISDIR = 21,
        /// Invalid argument. (RFC 7530, section 13.1.1.4)
        "NFS4ERR_INVAL" INVAL = 22,
        /// The file would grow beyond the limit. (RFC 7530, section 13.1.4.4)
        "NFS4ERR_FBIG" FBIG = 27,
        /// No space left on the file system. (RFC 7530, section 13.1.4.9)
        "NFS4ERR_NOSPC" NOSPC = 28,
        /// A change was asked of a read-only file system. (RFC 7530, section 13.1.4.13)
        "NFS4ERR_ROFS" ROFS = 30,
        /// Too many hard links. (RFC 7530, section 13.1.4.7)
        "NFS4ERR_MLINK" MLINK = 31,
        /// A name is too long. (RFC 7530, section 13.1.7.3)
        "NFS4ERR_NAMETOOLONG" NAMETOOLONG = 63,
        /// A directory to be removed is not empty. (RFC 7530, section 13.1.4.10)
        "NFS4ERR_NOTEMPTY" NOTEMPTY = 66,
        /// The caller's quota is used up. (RFC 7530, section 13.1.4.2)
        "NFS4ERR_DQUOT" DQUOT = 69,
        /// The handle names an object that is gone. (RFC 7530, section 13.1.2.7)
        "NFS4ERR_STALE" STALE = 70,
        /// The handle is not one of this server's. (RFC 7530, section 13.1.2.1)
        "NFS4ERR_BADHANDLE" BADHANDLE = 10001,
        /// A READDIR cookie that cannot be placed. (RFC 7530, section 13.1.1.2)
        "NFS4ERR_BAD_COOKIE" BAD_COOKIE = 10003,
        /// The operation is not supported. (RFC 7530, section 13.1.1.5)
        "NFS4ERR_NOTSUPP" NOTSUPP = 10004,
        /// The byte budget of the request is too small for any answer. (RFC 7530, section 13.1.1.7)
        "NFS4ERR_TOOSMALL" TOOSMALL = 10005,
        /// The server failed in a way no other code describes. (RFC 7530, section 13.1.1.6)
        "NFS4ERR_SERVERFAULT" SERVERFAULT = 10006,
        /// The server cannot make objects of this type. (RFC 7530, section 13.1.4.1)
        "NFS4ERR_BADTYPE" BADTYPE = 10007,
        /// It cannot be done in time: try again later. (RFC 7530, section 13.1.1.3)
        "NFS4ERR_DELAY" DELAY = 10008,
        /// NVERIFY found the attributes equal. (RFC 7530, section 13.1.11.4)
        "NFS4ERR_SAME" SAME = 10009,
        /// A lock is held by someone else. (RFC 7530, section 13.1.8.4)
        "NFS4ERR_DENIED" DENIED = 10010,
        /// The lease has expired and the state is gone. (RFC 7530, section 13.1.5.3)
        "NFS4ERR_EXPIRED" EXPIRED = 10011,
        /// A READ or WRITE meets a lock. (RFC 7530, section 13.1.8.5)
        "NFS4ERR_LOCKED" LOCKED = 10012,
        /// The server is in its grace period: reclaims only. (RFC 7530, section 13.1.9.1)
        "NFS4ERR_GRACE" GRACE = 10013,
        /// A volatile handle has expired. (RFC 7530, section 13.1.2.2)
        "NFS4ERR_FHEXPIRED" FHEXPIRED = 10014,
        /// A share reservation is in the way. (RFC 7530, section 13.1.8.10)
        "NFS4ERR_SHARE_DENIED" SHARE_DENIED = 10015,
        /// The security mechanism is not allowed here: ask SECINFO. (RFC 7530, section 13.1.6.3)
        "NFS4ERR_WRONGSEC" WRONGSEC = 10016,
        /// The client id is in use by another. (RFC 7530, section 13.1.10.1)
        "NFS4ERR_CLID_INUSE" CLID_INUSE = 10017,
        /// The server is out of resources (NFSv4.0 only). (RFC 7530, section 13.1.3.4)
        "NFS4ERR_RESOURCE" RESOURCE = 10018,
        /// The file system is elsewhere: ask `fs_locations`. (RFC 7530, section 13.1.2.4)
        "NFS4ERR_MOVED" MOVED = 10019,
        /// There is no current handle. (RFC 7530, section 13.1.2.5)
        "NFS4ERR_NOFILEHANDLE" NOFILEHANDLE = 10020,
        /// The minor version is not supported. (RFC 7530, section 13.1.3.2)
        "NFS4ERR_MINOR_VERS_MISMATCH" MINOR_VERS_MISMATCH = 10021,
        /// The client id is of an earlier boot of the server. (RFC 7530, section 13.1.10.2)
        "NFS4ERR_STALE_CLIENTID" STALE_CLIENTID = 10022,
        /// The stateid is of an earlier boot of the server. (RFC 7530, section 13.1.5.6)
        "NFS4ERR_STALE_STATEID" STALE_STATEID = 10023,
        /// The sequence number of the stateid is not the latest. (RFC 7530, section 13.1.5.5)
        "NFS4ERR_OLD_STATEID" OLD_STATEID = 10024,
        /// The stateid is no current one. (RFC 7530, section 13.1.5.2)
        "NFS4ERR_BAD_STATEID" BAD_STATEID = 10025,
        /// The sequence number is neither the next nor the last. (RFC 7530, section 13.1.8.2)
        "NFS4ERR_BAD_SEQID" BAD_SEQID = 10026,
        /// VERIFY found the attributes different, or a verifier is not the current one. (RFC 7530, section 13.1.11.3)
        "NFS4ERR_NOT_SAME" NOT_SAME = 10027,
        /// The server does not lock sub-ranges of held locks. (RFC 7530, section 13.1.8.8)
        "NFS4ERR_LOCK_RANGE" LOCK_RANGE = 10028,
        /// A symbolic link was named where none is allowed. (RFC 7530, section 13.1.2.8)
        "NFS4ERR_SYMLINK" SYMLINK = 10029,
        /// There is no saved handle. (RFC 7530, section 13.1.4.12)
        "NFS4ERR_RESTOREFH" RESTOREFH = 10030,
        /// Some file system of the lease has moved. (RFC 7530, section 13.1.5.4)
        "NFS4ERR_LEASE_MOVED" LEASE_MOVED = 10031,
        /// An attribute to be set is not supported. (RFC 7530, section 13.1.11.1)
        "NFS4ERR_ATTRNOTSUPP" ATTRNOTSUPP = 10032,
        /// A reclaim outside the grace period, or one that cannot be proved. (RFC 7530, section 13.1.9.2)
        "NFS4ERR_NO_GRACE" NO_GRACE = 10033,
        /// The server knows that there was nothing to reclaim. (RFC 7530, section 13.1.9.3)
        "NFS4ERR_RECLAIM_BAD" RECLAIM_BAD = 10034,
        /// The reclaim conflicts with another. (RFC 7530, section 13.1.9.4)
        "NFS4ERR_RECLAIM_CONFLICT" RECLAIM_CONFLICT = 10035,
        /// The arguments cannot be decoded. (RFC 7530, section 13.1.1.1)
        "NFS4ERR_BADXDR" BADXDR = 10036,
        /// CLOSE while locks are held. (RFC 7530, section 13.1.8.6)
        "NFS4ERR_LOCKS_HELD" LOCKS_HELD = 10037,
        /// The open does not allow this access. (RFC 7530, section 13.1.8.9)
        "NFS4ERR_OPENMODE" OPENMODE = 10038,
        /// An owner that cannot be translated. (RFC 7530, section 13.1.11.2)
        "NFS4ERR_BADOWNER" BADOWNER = 10039,
        /// A character that the server does not support. (RFC 7530, section 13.1.7.1)
        "NFS4ERR_BADCHAR" BADCHAR = 10040,
        /// A name that the server does not support. (RFC 7530, section 13.1.7.2)
        "NFS4ERR_BADNAME" BADNAME = 10041,
        /// The range of a lock is not supported. (RFC 7530, section 13.1.8.1)
        "NFS4ERR_BAD_RANGE" BAD_RANGE = 10042,
        /// Upgrade or downgrade of the lock is not supported. (RFC 7530, section 13.1.8.7)
        "NFS4ERR_LOCK_NOTSUPP" LOCK_NOTSUPP = 10043,
        /// There is no such operation. (RFC 7530, section 13.1.3.3)
        "NFS4ERR_OP_ILLEGAL" OP_ILLEGAL = 10044,
        /// The lock would deadlock. (RFC 7530, section 13.1.8.3)
        "NFS4ERR_DEADLOCK" DEADLOCK = 10045,
        /// The file is open. (RFC 7530, section 13.1.4.5)
        "NFS4ERR_FILE_OPEN" FILE_OPEN = 10046,
        /// The state was revoked by an administrator. (RFC 7530, section 13.1.5.1)
        "NFS4ERR_ADMIN_REVOKED" ADMIN_REVOKED = 10047,
        /// The callback path is down while delegations are held. (RFC 7530, section 13.1.12.1)
        "NFS4ERR_CB_PATH_DOWN" CB_PATH_DOWN = 10048,
        /// The iomode of a layout is not allowed. (RFC 8881, section 15.1.10.1)
        "NFS4ERR_BADIOMODE" BADIOMODE = 10049,
        /// The layout is not valid. (RFC 8881, section 15.1.10.2)
        "NFS4ERR_BADLAYOUT" BADLAYOUT = 10050,
        /// The digest of SET_SSV's arguments is wrong. (RFC 8881, section 15.1.12.2)
        "NFS4ERR_BAD_SESSION_DIGEST" BAD_SESSION_DIGEST = 10051,
        /// There is no such session. (RFC 8881, section 15.1.11.1)
        "NFS4ERR_BADSESSION" BADSESSION = 10052,
        /// There is no such slot. (RFC 8881, section 15.1.11.2)
        "NFS4ERR_BADSLOT" BADSLOT = 10053,
        /// RECLAIM_COMPLETE was said before. (RFC 8881, section 15.1.9.1)
        "NFS4ERR_COMPLETE_ALREADY" COMPLETE_ALREADY = 10054,
        /// The connection is not bound to the session. (RFC 8881, section 15.1.11.6)
        "NFS4ERR_CONN_NOT_BOUND_TO_SESSION" CONN_NOT_BOUND_TO_SESSION = 10055,
        /// The delegation is already wanted. (RFC 8881, section 15.1.14.1)
        "NFS4ERR_DELEG_ALREADY_WANTED" DELEG_ALREADY_WANTED = 10056,
        /// The backchannel has outstanding requests. (RFC 8881, section 15.1.12.1)
        "NFS4ERR_BACK_CHAN_BUSY" BACK_CHAN_BUSY = 10057,
        /// No layout now: try later. (RFC 8881, section 15.1.10.3)
        "NFS4ERR_LAYOUTTRYLATER" LAYOUTTRYLATER = 10058,
        /// There is no layout for the file. (RFC 8881, section 15.1.10.4)
        "NFS4ERR_LAYOUTUNAVAILABLE" LAYOUTUNAVAILABLE = 10059,
        /// The client holds no such layout. (RFC 8881, section 15.1.10.5)
        "NFS4ERR_NOMATCHING_LAYOUT" NOMATCHING_LAYOUT = 10060,
        /// A recall of the same is outstanding. (RFC 8881, section 15.1.14.3)
        "NFS4ERR_RECALLCONFLICT" RECALLCONFLICT = 10061,
        /// The layout type is not supported. (RFC 8881, section 15.1.10.9)
        "NFS4ERR_UNKNOWN_LAYOUTTYPE" UNKNOWN_LAYOUTTYPE = 10062,
        /// The sequence id is neither the next nor the last. (RFC 8881, section 15.1.11.8)
        "NFS4ERR_SEQ_MISORDERED" SEQ_MISORDERED = 10063,
        /// SEQUENCE is not the first operation. (RFC 8881, section 15.1.3.10)
        "NFS4ERR_SEQUENCE_POS" SEQUENCE_POS = 10064,
        /// The request is larger than the session allows. (RFC 8881, section 15.1.3.8)
        "NFS4ERR_REQ_TOO_BIG" REQ_TOO_BIG = 10065,
        /// The reply would be larger than the session allows. (RFC 8881, section 15.1.3.6)
        "NFS4ERR_REP_TOO_BIG" REP_TOO_BIG = 10066,
        /// The reply would be too large to be cached. (RFC 8881, section 15.1.3.7)
        "NFS4ERR_REP_TOO_BIG_TO_CACHE" REP_TOO_BIG_TO_CACHE = 10067,
        /// A retry whose reply was not cached. (RFC 8881, section 15.1.3.9)
        "NFS4ERR_RETRY_UNCACHED_REP" RETRY_UNCACHED_REP = 10068,
        /// The operations would be unsafe together. (RFC 8881, section 15.1.3.12)
        "NFS4ERR_UNSAFE_COMPOUND" UNSAFE_COMPOUND = 10069,
        /// More operations than the session allows. (RFC 8881, section 15.1.3.11)
        "NFS4ERR_TOO_MANY_OPS" TOO_MANY_OPS = 10070,
        /// The operation needs SEQUENCE before it. (RFC 8881, section 15.1.3.5)
        "NFS4ERR_OP_NOT_IN_SESSION" OP_NOT_IN_SESSION = 10071,
        /// No hash algorithm in common. (RFC 8881, section 15.1.13.4)
        "NFS4ERR_HASH_ALG_UNSUPP" HASH_ALG_UNSUPP = 10072,
        /// The client still has state or sessions. (RFC 8881, section 15.1.13.1)
        "NFS4ERR_CLIENTID_BUSY" CLIENTID_BUSY = 10074,
        /// The data server meets a hole of a sparse layout. (RFC 8881, section 15.1.10.6)
        "NFS4ERR_PNFS_IO_HOLE" PNFS_IO_HOLE = 10075,
        /// A retry with other operations. (RFC 8881, section 15.1.11.7)
        "NFS4ERR_SEQ_FALSE_RETRY" SEQ_FALSE_RETRY = 10076,
        /// `sa_highest_slotid` is out of range. (RFC 8881, section 15.1.11.3)
        "NFS4ERR_BAD_HIGH_SLOT" BAD_HIGH_SLOT = 10077,
        /// The session persists but takes no new requests. (RFC 8881, section 15.1.11.5)
        "NFS4ERR_DEADSESSION" DEADSESSION = 10078,
        /// No encryption algorithm in common. (RFC 8881, section 15.1.13.3)
        "NFS4ERR_ENCR_ALG_UNSUPP" ENCR_ALG_UNSUPP = 10079,
        /// I/O to a data server without a layout. (RFC 8881, section 15.1.10.7)
        "NFS4ERR_PNFS_NO_LAYOUT" PNFS_NO_LAYOUT = 10080,
        /// An operation that must be alone is not. (RFC 8881, section 15.1.3.3)
        "NFS4ERR_NOT_ONLY_OP" NOT_ONLY_OP = 10081,
        /// The credential is not the one that the state needs. (RFC 8881, section 15.1.6.4)
        "NFS4ERR_WRONG_CRED" WRONG_CRED = 10082,
        /// The object is of the wrong type. (RFC 8881, section 15.1.2.9)
        "NFS4ERR_WRONG_TYPE" WRONG_TYPE = 10083,
        /// No directory delegation now. (RFC 8881, section 15.1.14.2)
        "NFS4ERR_DIRDELEG_UNAVAIL" DIRDELEG_UNAVAIL = 10084,
        /// The client rejects the delegation. (RFC 8881, section 15.1.14.4)
        "NFS4ERR_REJECT_DELEG" REJECT_DELEG = 10085,
        /// A return of the layout is outstanding. (RFC 8881, section 15.1.10.8)
        "NFS4ERR_RETURNCONFLICT" RETURNCONFLICT = 10086,
        /// The delegation was revoked. (RFC 8881, section 15.1.5.3)
        "NFS4ERR_DELEG_REVOKED" DELEG_REVOKED = 10087,
        /// The other server does not support the copy. (RFC 7862, section 11.1.2.4)
        "NFS4ERR_PARTNER_NOTSUPP" PARTNER_NOTSUPP = 10088,
        /// The other server does not accept the client. (RFC 7862, section 11.1.2.3)
        "NFS4ERR_PARTNER_NO_AUTH" PARTNER_NO_AUTH = 10089,
        /// An arm of a union is not supported. (RFC 7862, section 11.1.1.1)
        "NFS4ERR_UNION_NOTSUPP" UNION_NOTSUPP = 10090,
        /// The copy is not allowed. (RFC 7862, section 11.1.2.1)
        "NFS4ERR_OFFLOAD_DENIED" OFFLOAD_DENIED = 10091,
        /// The label format is not supported. (RFC 7862, section 11.1.3.2)
        "NFS4ERR_WRONG_LFS" WRONG_LFS = 10092,
        /// The label is not valid. (RFC 7862, section 11.1.3.1)
        "NFS4ERR_BADLABEL" BADLABEL = 10093,
        /// The server cannot copy as required. (RFC 7862, section 11.1.2.2)
        "NFS4ERR_OFFLOAD_NO_REQS" OFFLOAD_NO_REQS = 10094,
        /// There is no such extended attribute. (RFC 8276, section 8.3.1)
        "NFS4ERR_NOXATTR" NOXATTR = 10095,
        /// The extended attribute is too big. (RFC 8276, section 8.3.2)
        "NFS4ERR_XATTR2BIG" XATTR2BIG = 10096,
    }
}
