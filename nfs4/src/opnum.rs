//! `nfs_opnum4`: the operations of COMPOUND by number.

use nfswire_xdr::xdr_open_enum;

use crate::bitmap::bits;

xdr_open_enum! {
    /// Number of an operation (RFC 7531, 5662, 7863, 8276 and 9766).
    ///
    /// Open: a number that stands for no operation survives.
    "nfs_opnum4" => pub struct OpNum {
        /// ACCESS (RFC 7530, section 16.1); since v4.0.
        "OP_ACCESS" ACCESS = 3,
        /// CLOSE (RFC 7530, section 16.2); since v4.0.
        "OP_CLOSE" CLOSE = 4,
        /// COMMIT (RFC 7530, section 16.3); since v4.0.
        "OP_COMMIT" COMMIT = 5,
        /// CREATE (RFC 7530, section 16.4); since v4.0.
        "OP_CREATE" CREATE = 6,
        /// DELEGPURGE (RFC 7530, section 16.5); since v4.0.
        "OP_DELEGPURGE" DELEGPURGE = 7,
        /// DELEGRETURN (RFC 7530, section 16.6); since v4.0.
        "OP_DELEGRETURN" DELEGRETURN = 8,
        /// GETATTR (RFC 7530, section 16.7); since v4.0.
        "OP_GETATTR" GETATTR = 9,
        /// GETFH (RFC 7530, section 16.8); since v4.0.
        "OP_GETFH" GETFH = 10,
        /// LINK (RFC 7530, section 16.9); since v4.0.
        "OP_LINK" LINK = 11,
        /// LOCK (RFC 7530, section 16.10); since v4.0.
        "OP_LOCK" LOCK = 12,
        /// LOCKT (RFC 7530, section 16.11); since v4.0.
        "OP_LOCKT" LOCKT = 13,
        /// LOCKU (RFC 7530, section 16.12); since v4.0.
        "OP_LOCKU" LOCKU = 14,
        /// LOOKUP (RFC 7530, section 16.13); since v4.0.
        "OP_LOOKUP" LOOKUP = 15,
        /// LOOKUPP (RFC 7530, section 16.14); since v4.0.
        "OP_LOOKUPP" LOOKUPP = 16,
        /// NVERIFY (RFC 7530, section 16.15); since v4.0.
        "OP_NVERIFY" NVERIFY = 17,
        /// OPEN (RFC 7530, section 16.16); since v4.0.
        "OP_OPEN" OPEN = 18,
        /// OPENATTR (RFC 7530, section 16.17); since v4.0.
        "OP_OPENATTR" OPENATTR = 19,
        /// OPEN_CONFIRM (RFC 7530, section 16.18); since v4.0.
        "OP_OPEN_CONFIRM" OPEN_CONFIRM = 20,
        /// OPEN_DOWNGRADE (RFC 7530, section 16.19); since v4.0.
        "OP_OPEN_DOWNGRADE" OPEN_DOWNGRADE = 21,
        /// PUTFH (RFC 7530, section 16.20); since v4.0.
        "OP_PUTFH" PUTFH = 22,
        /// PUTPUBFH (RFC 7530, section 16.21); since v4.0.
        "OP_PUTPUBFH" PUTPUBFH = 23,
        /// PUTROOTFH (RFC 7530, section 16.22); since v4.0.
        "OP_PUTROOTFH" PUTROOTFH = 24,
        /// READ (RFC 7530, section 16.23); since v4.0.
        "OP_READ" READ = 25,
        /// READDIR (RFC 7530, section 16.24); since v4.0.
        "OP_READDIR" READDIR = 26,
        /// READLINK (RFC 7530, section 16.25); since v4.0.
        "OP_READLINK" READLINK = 27,
        /// REMOVE (RFC 7530, section 16.26); since v4.0.
        "OP_REMOVE" REMOVE = 28,
        /// RENAME (RFC 7530, section 16.27); since v4.0.
        "OP_RENAME" RENAME = 29,
        /// RENEW (RFC 7530, section 16.28); since v4.0.
        "OP_RENEW" RENEW = 30,
        /// RESTOREFH (RFC 7530, section 16.29); since v4.0.
        "OP_RESTOREFH" RESTOREFH = 31,
        /// SAVEFH (RFC 7530, section 16.30); since v4.0.
        "OP_SAVEFH" SAVEFH = 32,
        /// SECINFO (RFC 7530, section 16.31); since v4.0.
        "OP_SECINFO" SECINFO = 33,
        /// SETATTR (RFC 7530, section 16.32); since v4.0.
        "OP_SETATTR" SETATTR = 34,
        /// SETCLIENTID (RFC 7530, section 16.33); since v4.0.
        "OP_SETCLIENTID" SETCLIENTID = 35,
        /// SETCLIENTID_CONFIRM (RFC 7530, section 16.34); since v4.0.
        "OP_SETCLIENTID_CONFIRM" SETCLIENTID_CONFIRM = 36,
        /// VERIFY (RFC 7530, section 16.35); since v4.0.
        "OP_VERIFY" VERIFY = 37,
        /// WRITE (RFC 7530, section 16.36); since v4.0.
        "OP_WRITE" WRITE = 38,
        /// RELEASE_LOCKOWNER (RFC 7530, section 16.37); since v4.0.
        "OP_RELEASE_LOCKOWNER" RELEASE_LOCKOWNER = 39,
        /// BACKCHANNEL_CTL (RFC 8881, section 18.33); since v4.1.
        "OP_BACKCHANNEL_CTL" BACKCHANNEL_CTL = 40,
        /// BIND_CONN_TO_SESSION (RFC 8881, section 18.34); since v4.1.
        "OP_BIND_CONN_TO_SESSION" BIND_CONN_TO_SESSION = 41,
        /// EXCHANGE_ID (RFC 8881, section 18.35); since v4.1.
        "OP_EXCHANGE_ID" EXCHANGE_ID = 42,
        /// CREATE_SESSION (RFC 8881, section 18.36); since v4.1.
        "OP_CREATE_SESSION" CREATE_SESSION = 43,
        /// DESTROY_SESSION (RFC 8881, section 18.37); since v4.1.
        "OP_DESTROY_SESSION" DESTROY_SESSION = 44,
        /// FREE_STATEID (RFC 8881, section 18.38); since v4.1.
        "OP_FREE_STATEID" FREE_STATEID = 45,
        /// GET_DIR_DELEGATION (RFC 8881, section 18.39); since v4.1.
        "OP_GET_DIR_DELEGATION" GET_DIR_DELEGATION = 46,
        /// GETDEVICEINFO (RFC 8881, section 18.40); since v4.1.
        "OP_GETDEVICEINFO" GETDEVICEINFO = 47,
        /// GETDEVICELIST (RFC 8881, section 18.41); since v4.1.
        "OP_GETDEVICELIST" GETDEVICELIST = 48,
        /// LAYOUTCOMMIT (RFC 8881, section 18.42); since v4.1.
        "OP_LAYOUTCOMMIT" LAYOUTCOMMIT = 49,
        /// LAYOUTGET (RFC 8881, section 18.43); since v4.1.
        "OP_LAYOUTGET" LAYOUTGET = 50,
        /// LAYOUTRETURN (RFC 8881, section 18.44); since v4.1.
        "OP_LAYOUTRETURN" LAYOUTRETURN = 51,
        /// SECINFO_NO_NAME (RFC 8881, section 18.45); since v4.1.
        "OP_SECINFO_NO_NAME" SECINFO_NO_NAME = 52,
        /// SEQUENCE (RFC 8881, section 18.46); since v4.1.
        "OP_SEQUENCE" SEQUENCE = 53,
        /// SET_SSV (RFC 8881, section 18.47); since v4.1.
        "OP_SET_SSV" SET_SSV = 54,
        /// TEST_STATEID (RFC 8881, section 18.48); since v4.1.
        "OP_TEST_STATEID" TEST_STATEID = 55,
        /// WANT_DELEGATION (RFC 8881, section 18.49); since v4.1.
        "OP_WANT_DELEGATION" WANT_DELEGATION = 56,
        /// DESTROY_CLIENTID (RFC 8881, section 18.50); since v4.1.
        "OP_DESTROY_CLIENTID" DESTROY_CLIENTID = 57,
        /// RECLAIM_COMPLETE (RFC 8881, section 18.51); since v4.1.
        "OP_RECLAIM_COMPLETE" RECLAIM_COMPLETE = 58,
        /// ALLOCATE (RFC 7862, section 15.1); since v4.2.
        "OP_ALLOCATE" ALLOCATE = 59,
        /// COPY (RFC 7862, section 15.2); since v4.2.
        "OP_COPY" COPY = 60,
        /// COPY_NOTIFY (RFC 7862, section 15.3); since v4.2.
        "OP_COPY_NOTIFY" COPY_NOTIFY = 61,
        /// DEALLOCATE (RFC 7862, section 15.4); since v4.2.
        "OP_DEALLOCATE" DEALLOCATE = 62,
        /// IO_ADVISE (RFC 7862, section 15.5); since v4.2.
        "OP_IO_ADVISE" IO_ADVISE = 63,
        /// LAYOUTERROR (RFC 7862, section 15.6); since v4.2.
        "OP_LAYOUTERROR" LAYOUTERROR = 64,
        /// LAYOUTSTATS (RFC 7862, section 15.7); since v4.2.
        "OP_LAYOUTSTATS" LAYOUTSTATS = 65,
        /// OFFLOAD_CANCEL (RFC 7862, section 15.8); since v4.2.
        "OP_OFFLOAD_CANCEL" OFFLOAD_CANCEL = 66,
        /// OFFLOAD_STATUS (RFC 7862, section 15.9); since v4.2.
        "OP_OFFLOAD_STATUS" OFFLOAD_STATUS = 67,
        /// READ_PLUS (RFC 7862, section 15.10); since v4.2.
        "OP_READ_PLUS" READ_PLUS = 68,
        /// SEEK (RFC 7862, section 15.11); since v4.2.
        "OP_SEEK" SEEK = 69,
        /// WRITE_SAME (RFC 7862, section 15.12); since v4.2.
        "OP_WRITE_SAME" WRITE_SAME = 70,
        /// CLONE (RFC 7862, section 15.13); since v4.2.
        "OP_CLONE" CLONE = 71,
        /// GETXATTR (RFC 8276, section 8.6); since ext.
        "OP_GETXATTR" GETXATTR = 72,
        /// SETXATTR (RFC 8276, section 8.6); since ext.
        "OP_SETXATTR" SETXATTR = 73,
        /// LISTXATTRS (RFC 8276, section 8.6); since ext.
        "OP_LISTXATTRS" LISTXATTRS = 74,
        /// REMOVEXATTR (RFC 8276, section 8.6); since ext.
        "OP_REMOVEXATTR" REMOVEXATTR = 75,
        /// LAYOUT_WCC (RFC 9766).
        "OP_LAYOUT_WCC" LAYOUT_WCC = 77,
        /// ILLEGAL (RFC 7530, section 16.38); since v4.0.
        "OP_ILLEGAL" ILLEGAL = 10044,
    }
}

bits!(OpNum);
