//! `nfs_cb_opnum4`: the operations of CB_COMPOUND by number.

use nfswire_xdr::xdr_open_enum;

xdr_open_enum! {
    /// Number of a callback operation (RFC 7531, 5662 and 7863).
    ///
    /// Open: a number that stands for no operation survives.
    "nfs_cb_opnum4" => pub struct CbOpNum {
        /// CB_GETATTR (RFC 7530, section 18.1); since v4.0.
        "OP_CB_GETATTR" GETATTR = 3,
        /// CB_RECALL (RFC 7530, section 18.2); since v4.0.
        "OP_CB_RECALL" RECALL = 4,
        /// CB_LAYOUTRECALL (RFC 8881, section 20.3); since v4.1.
        "OP_CB_LAYOUTRECALL" LAYOUTRECALL = 5,
        /// CB_NOTIFY (RFC 8881, section 20.4); since v4.1.
        "OP_CB_NOTIFY" NOTIFY = 6,
        /// CB_PUSH_DELEG (RFC 8881, section 20.5); since v4.1.
        "OP_CB_PUSH_DELEG" PUSH_DELEG = 7,
        /// CB_RECALL_ANY (RFC 8881, section 20.6); since v4.1.
        "OP_CB_RECALL_ANY" RECALL_ANY = 8,
        /// CB_RECALLABLE_OBJ_AVAIL (RFC 8881, section 20.7); since v4.1.
        "OP_CB_RECALLABLE_OBJ_AVAIL" RECALLABLE_OBJ_AVAIL = 9,
        /// CB_RECALL_SLOT (RFC 8881, section 20.8); since v4.1.
        "OP_CB_RECALL_SLOT" RECALL_SLOT = 10,
        /// CB_SEQUENCE (RFC 8881, section 20.9); since v4.1.
        "OP_CB_SEQUENCE" SEQUENCE = 11,
        /// CB_WANTS_CANCELLED (RFC 8881, section 20.10); since v4.1.
        "OP_CB_WANTS_CANCELLED" WANTS_CANCELLED = 12,
        /// CB_NOTIFY_LOCK (RFC 8881, section 20.11); since v4.1.
        "OP_CB_NOTIFY_LOCK" NOTIFY_LOCK = 13,
        /// CB_NOTIFY_DEVICEID (RFC 8881, section 20.12); since v4.1.
        "OP_CB_NOTIFY_DEVICEID" NOTIFY_DEVICEID = 14,
        /// CB_OFFLOAD (RFC 7862, section 16.1); since v4.2.
        "OP_CB_OFFLOAD" OFFLOAD = 15,
        /// The answer to an operation that does not exist (RFC 7530, section 18.3); since v4.0.
        "OP_CB_ILLEGAL" ILLEGAL = 10044,
    }
}

impl CbOpNum {
    /// The first minor version that has the operation; `None` if none has.
    #[must_use]
    pub const fn since(self) -> Option<u32> {
        match self {
            Self::GETATTR | Self::RECALL | Self::ILLEGAL => Some(0),
            Self(5..=14) => Some(1),
            Self::OFFLOAD => Some(2),
            _ => None,
        }
    }
}
