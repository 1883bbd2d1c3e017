//! Sessions: CB_SEQUENCE and CB_RECALL_SLOT.

use nfswire_xdr::{Array, xdr_struct, xdr_union};

use crate::{SequenceId, SessionId, SlotId, Status};

//--- CB_RECALL_SLOT ---

xdr_struct! {
    /// Arguments of CB_RECALL_SLOT: asks the client to use fewer slots (RFC 8881, section 20.8).
    #[derive(Copy, Default)]
    "CB_RECALL_SLOT4args" => pub struct CbRecallSlotArgs {
        /// Highest slot that it may use.
        "rsa_target_highest_slotid" => pub target_highest_slotid: SlotId,
    }
}

xdr_struct! {
    /// Reply to CB_RECALL_SLOT (RFC 8881, section 20.8).
    #[derive(Copy)]
    "CB_RECALL_SLOT4res" => pub struct CbRecallSlotReply {
        /// How it ended.
        "rsr_status" => pub status: Status,
    }
}

//--- CB_SEQUENCE ---

xdr_struct! {
    /// A request of the client (RFC 8881, section 20.9).
    #[derive(Copy, Default)]
    "referring_call4" => pub struct ReferringCall {
        /// Sequence number of its slot.
        "rc_sequenceid" => pub sequenceid: SequenceId,
        /// Its slot.
        "rc_slotid" => pub slotid: SlotId,
    }
}

xdr_struct! {
    /// Requests of the client, in one session, that the callback is about: their replies may come
    /// behind it (RFC 8881, section 20.9).
    #[derive(Copy)]
    "referring_call_list4" => pub struct ReferringCallList<'a> {
        /// The session.
        "rcl_sessionid" => pub sessionid: SessionId,
        /// The requests.
        "rcl_referring_calls" => pub referring_calls: Array<'a, ReferringCall>,
    }
}

xdr_struct! {
    /// Arguments of CB_SEQUENCE, which comes first in every CB_COMPOUND of a session (RFC 8881,
    /// section 20.9).
    #[derive(Copy)]
    "CB_SEQUENCE4args" => pub struct CbSequenceArgs<'a> {
        /// The session.
        "csa_sessionid" => pub sessionid: SessionId,
        /// Sequence number of the slot.
        "csa_sequenceid" => pub sequenceid: SequenceId,
        /// The slot.
        "csa_slotid" => pub slotid: SlotId,
        /// Highest slot in use.
        "csa_highest_slotid" => pub highest_slotid: SlotId,
        /// The reply should be kept for a replay.
        "csa_cachethis" => pub cachethis: bool,
        /// Requests of the client that the callback is about.
        "csa_referring_call_lists" => pub referring_call_lists: Array<'a, ReferringCallList<'a>>,
    }
}

xdr_struct! {
    /// Body of a successful CB_SEQUENCE (RFC 8881, section 20.9).
    #[derive(Copy, Default)]
    "CB_SEQUENCE4resok" => pub struct CbSequenceOk {
        /// The session.
        "csr_sessionid" => pub sessionid: SessionId,
        /// Sequence number of the slot.
        "csr_sequenceid" => pub sequenceid: SequenceId,
        /// The slot.
        "csr_slotid" => pub slotid: SlotId,
        /// Highest slot that the client takes requests on.
        "csr_highest_slotid" => pub highest_slotid: SlotId,
        /// Highest slot that it would like to be used.
        "csr_target_highest_slotid" => pub target_highest_slotid: SlotId,
    }
}

xdr_union! {
    /// Reply to CB_SEQUENCE (RFC 8881, section 20.9).
    #[derive(Copy)]
    "CB_SEQUENCE4res" => pub enum CbSequenceReply switch (csr_status: Status) {
        /// Success.
        case Status::OK => "csr_resok4" Ok(CbSequenceOk),
        /// Failure.
        default => Fail,
    }
}
