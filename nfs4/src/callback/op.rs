//! The unions of CB_COMPOUND: `nfs_cb_argop4` and `nfs_cb_resop4`.

use nfswire_xdr::{xdr_struct, xdr_union};

use super::{
    CbOpNum,
    deleg::{
        CbGetattrArgs, CbGetattrReply, CbPushDelegArgs, CbPushDelegReply, CbRecallArgs,
        CbRecallReply, CbWantsCancelledArgs, CbWantsCancelledReply,
    },
    layout::{
        CbLayoutrecallArgs, CbLayoutrecallReply, CbNotifyDeviceidArgs, CbNotifyDeviceidReply,
    },
    lock::{CbNotifyLockArgs, CbNotifyLockReply},
    notify::{CbNotifyArgs, CbNotifyReply},
    offload::{CbOffloadArgs, CbOffloadReply},
    recall::{
        CbRecallAnyArgs, CbRecallAnyReply, CbRecallableObjAvailArgs, CbRecallableObjAvailReply,
    },
    session::{CbRecallSlotArgs, CbRecallSlotReply, CbSequenceArgs, CbSequenceReply},
};
use crate::Status;

xdr_struct! {
    /// The answer to an operation that does not exist (RFC 7530, section 18.3).
    #[derive(Copy)]
    "CB_ILLEGAL4res" => pub struct CbIllegalReply {
        /// [`Status::OP_ILLEGAL`].
        pub status: Status,
    }
}

xdr_union! {
    /// An operation of a request and its arguments (RFC 7530, section 17.2.2; RFC 8881, section
    /// 19.2; RFC 7863).
    ///
    /// A number that stands for no operation is an error: nobody knows where the next one starts.
    /// [`RequestReader`](super::RequestReader) gives the operations before it.
    #[derive(Copy)]
    #[allow(clippy::large_enum_variant, reason = "borrowed views, used once")]
    "nfs_cb_argop4" => pub enum CbArgOp<'a> switch (argop: CbOpNum) {
        /// Asks for attributes that the client may have changed.
        case CbOpNum::GETATTR => "opcbgetattr" Getattr(CbGetattrArgs<'a>),
        /// Asks for a delegation back.
        case CbOpNum::RECALL => "opcbrecall" Recall(CbRecallArgs<'a>),
        /// Asks for layouts back.
        case CbOpNum::LAYOUTRECALL => "opcblayoutrecall" Layoutrecall(CbLayoutrecallArgs<'a>),
        /// A directory has changed.
        case CbOpNum::NOTIFY => "opcbnotify" Notify(CbNotifyArgs<'a>),
        /// Offers a delegation.
        case CbOpNum::PUSH_DELEG => "opcbpush_deleg" PushDeleg(CbPushDelegArgs<'a>),
        /// Asks for objects of any kind back.
        case CbOpNum::RECALL_ANY => "opcbrecall_any" RecallAny(CbRecallAnyArgs<'a>),
        /// Says how many objects the client may have.
        case CbOpNum::RECALLABLE_OBJ_AVAIL
            => "opcbrecallable_obj_avail" RecallableObjAvail(CbRecallableObjAvailArgs<'a>),
        /// Asks the client to use fewer slots.
        case CbOpNum::RECALL_SLOT => "opcbrecall_slot" RecallSlot(CbRecallSlotArgs),
        /// Comes first in sessions.
        case CbOpNum::SEQUENCE => "opcbsequence" Sequence(CbSequenceArgs<'a>),
        /// Delegations that were wanted will not come.
        case CbOpNum::WANTS_CANCELLED => "opcbwants_cancelled" WantsCancelled(CbWantsCancelledArgs),
        /// A lock may be free.
        case CbOpNum::NOTIFY_LOCK => "opcbnotify_lock" NotifyLock(CbNotifyLockArgs<'a>),
        /// Devices have changed.
        case CbOpNum::NOTIFY_DEVICEID
            => "opcbnotify_deviceid" NotifyDeviceid(CbNotifyDeviceidArgs<'a>),
        /// A copy has ended.
        case CbOpNum::OFFLOAD => "opcboffload" Offload(CbOffloadArgs<'a>),
        /// Not to be sent.
        case CbOpNum::ILLEGAL => Illegal,
    }
}

xdr_union! {
    /// An operation of a reply and its result (RFC 7530, section 17.2.3; RFC 8881, section 19.2; RFC
    /// 7863).
    #[derive(Copy)]
    "nfs_cb_resop4" => pub enum CbResOp<'a> switch (resop: CbOpNum) {
        /// Attributes.
        case CbOpNum::GETATTR => "opcbgetattr" Getattr(CbGetattrReply<'a>),
        /// The delegation will be returned.
        case CbOpNum::RECALL => "opcbrecall" Recall(CbRecallReply),
        /// Layouts will be returned.
        case CbOpNum::LAYOUTRECALL => "opcblayoutrecall" Layoutrecall(CbLayoutrecallReply),
        /// Changes of a directory are known.
        case CbOpNum::NOTIFY => "opcbnotify" Notify(CbNotifyReply),
        /// A delegation is taken or not.
        case CbOpNum::PUSH_DELEG => "opcbpush_deleg" PushDeleg(CbPushDelegReply),
        /// Objects will be returned.
        case CbOpNum::RECALL_ANY => "opcbrecall_any" RecallAny(CbRecallAnyReply),
        /// It is known how many objects there may be.
        case CbOpNum::RECALLABLE_OBJ_AVAIL
            => "opcbrecallable_obj_avail" RecallableObjAvail(CbRecallableObjAvailReply),
        /// Fewer slots will be used.
        case CbOpNum::RECALL_SLOT => "opcbrecall_slot" RecallSlot(CbRecallSlotReply),
        /// Comes first in sessions.
        case CbOpNum::SEQUENCE => "opcbsequence" Sequence(CbSequenceReply),
        /// It is known which delegations will not come.
        case CbOpNum::WANTS_CANCELLED => "opcbwants_cancelled" WantsCancelled(CbWantsCancelledReply),
        /// It is known that a lock may be free.
        case CbOpNum::NOTIFY_LOCK => "opcbnotify_lock" NotifyLock(CbNotifyLockReply),
        /// Changes of devices are known.
        case CbOpNum::NOTIFY_DEVICEID => "opcbnotify_deviceid" NotifyDeviceid(CbNotifyDeviceidReply),
        /// The end of a copy is known.
        case CbOpNum::OFFLOAD => "opcboffload" Offload(CbOffloadReply),
        /// There is no such operation.
        case CbOpNum::ILLEGAL => "opcbillegal" Illegal(CbIllegalReply),
    }
}

impl CbResOp<'_> {
    /// How the operation ended.
    #[must_use]
    pub const fn status(&self) -> Status {
        match self {
            Self::Getattr(CbGetattrReply::Ok(_)) | Self::Sequence(CbSequenceReply::Ok(_)) => {
                Status::OK
            }
            Self::Getattr(CbGetattrReply::Fail(status))
            | Self::Sequence(CbSequenceReply::Fail(status))
            | Self::Recall(CbRecallReply { status })
            | Self::Layoutrecall(CbLayoutrecallReply { status })
            | Self::Notify(CbNotifyReply { status })
            | Self::PushDeleg(CbPushDelegReply { status })
            | Self::RecallAny(CbRecallAnyReply { status })
            | Self::RecallableObjAvail(CbRecallableObjAvailReply { status })
            | Self::RecallSlot(CbRecallSlotReply { status })
            | Self::WantsCancelled(CbWantsCancelledReply { status })
            | Self::NotifyLock(CbNotifyLockReply { status })
            | Self::NotifyDeviceid(CbNotifyDeviceidReply { status })
            | Self::Offload(CbOffloadReply { status })
            | Self::Illegal(CbIllegalReply { status }) => *status,
        }
    }

    /// The answer to an operation that ended with `status` and has nothing else to say. A number
    /// that stands for no operation is answered as `OP_CB_ILLEGAL`, always with
    /// [`Status::OP_ILLEGAL`].
    ///
    /// `None` for success of CB_GETATTR and CB_SEQUENCE, which say more.
    #[must_use]
    pub fn from_status(op: CbOpNum, status: Status) -> Option<Self> {
        let ok = status == Status::OK;
        Some(match op {
            CbOpNum::GETATTR | CbOpNum::SEQUENCE if ok => return None,
            CbOpNum::GETATTR => Self::Getattr(CbGetattrReply::Fail(status)),
            CbOpNum::SEQUENCE => Self::Sequence(CbSequenceReply::Fail(status)),
            CbOpNum::RECALL => Self::Recall(CbRecallReply { status }),
            CbOpNum::LAYOUTRECALL => Self::Layoutrecall(CbLayoutrecallReply { status }),
            CbOpNum::NOTIFY => Self::Notify(CbNotifyReply { status }),
            CbOpNum::PUSH_DELEG => Self::PushDeleg(CbPushDelegReply { status }),
            CbOpNum::RECALL_ANY => Self::RecallAny(CbRecallAnyReply { status }),
            CbOpNum::RECALLABLE_OBJ_AVAIL => {
                Self::RecallableObjAvail(CbRecallableObjAvailReply { status })
            }
            CbOpNum::RECALL_SLOT => Self::RecallSlot(CbRecallSlotReply { status }),
            CbOpNum::WANTS_CANCELLED => Self::WantsCancelled(CbWantsCancelledReply { status }),
            CbOpNum::NOTIFY_LOCK => Self::NotifyLock(CbNotifyLockReply { status }),
            CbOpNum::NOTIFY_DEVICEID => Self::NotifyDeviceid(CbNotifyDeviceidReply { status }),
            CbOpNum::OFFLOAD => Self::Offload(CbOffloadReply { status }),
            _ => Self::Illegal(CbIllegalReply { status: Status::OP_ILLEGAL }),
        })
    }
}
