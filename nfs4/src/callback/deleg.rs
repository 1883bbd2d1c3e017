//! Delegations: CB_GETATTR, CB_RECALL, CB_PUSH_DELEG and CB_WANTS_CANCELLED.

use nfswire_xdr::{xdr_struct, xdr_union};

use crate::{
    FileHandle, Stateid, Status,
    attrs::{AttrSet, Fattr},
    ops::open::OpenDelegation,
};

//--- CB_GETATTR ---

xdr_struct! {
    /// Arguments of CB_GETATTR: asks for the attributes of a file that the client may have changed
    /// (RFC 7530, section 18.1).
    #[derive(Copy)]
    "CB_GETATTR4args" => pub struct CbGetattrArgs<'a> {
        /// The file, for which the client holds a delegation to write.
        pub fh: FileHandle<'a>,
        /// Wanted: size and change, others are ignored.
        pub attr_request: AttrSet<'a>,
    }
}

xdr_struct! {
    /// Body of a successful CB_GETATTR (RFC 7530, section 18.1).
    #[derive(Copy)]
    "CB_GETATTR4resok" => pub struct CbGetattrOk<'a> {
        /// The attributes.
        pub obj_attributes: Fattr<'a>,
    }
}

xdr_union! {
    /// Reply to CB_GETATTR (RFC 7530, section 18.1).
    #[derive(Copy)]
    "CB_GETATTR4res" => pub enum CbGetattrReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(CbGetattrOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- CB_RECALL ---

xdr_struct! {
    /// Arguments of CB_RECALL: asks for a delegation back (RFC 7530, section 18.2).
    #[derive(Copy)]
    "CB_RECALL4args" => pub struct CbRecallArgs<'a> {
        /// The delegation.
        pub stateid: Stateid,
        /// The file is about to be truncated: its data need not be written back.
        pub truncate: bool,
        /// The file.
        pub fh: FileHandle<'a>,
    }
}

xdr_struct! {
    /// Reply to CB_RECALL, before the delegation is returned (RFC 7530, section 18.2).
    #[derive(Copy)]
    "CB_RECALL4res" => pub struct CbRecallReply {
        /// How it ended.
        pub status: Status,
    }
}

//--- CB_PUSH_DELEG ---

xdr_struct! {
    /// Arguments of CB_PUSH_DELEG: offers a delegation that the client wanted (RFC 8881, section
    /// 20.5).
    #[derive(Copy)]
    "CB_PUSH_DELEG4args" => pub struct CbPushDelegArgs<'a> {
        /// The file.
        "cpda_fh" => pub fh: FileHandle<'a>,
        /// The delegation.
        "cpda_delegation" => pub delegation: OpenDelegation<'a>,
    }
}

xdr_struct! {
    /// Reply to CB_PUSH_DELEG (RFC 8881, section 20.5).
    #[derive(Copy)]
    "CB_PUSH_DELEG4res" => pub struct CbPushDelegReply {
        /// [`Status::OK`] accepts, [`Status::DELAY`] asks for time, [`Status::REJECT_DELEG`] cancels
        /// what was wanted.
        "cpdr_status" => pub status: Status,
    }
}

//--- CB_WANTS_CANCELLED ---

xdr_struct! {
    /// Arguments of CB_WANTS_CANCELLED: delegations that were wanted will not come (RFC 8881, section
    /// 20.10).
    #[derive(Copy, Default)]
    "CB_WANTS_CANCELLED4args" => pub struct CbWantsCancelledArgs {
        /// Those that waited for others to give theirs up.
        "cwca_contended_wants_cancelled" => pub contended_wants_cancelled: bool,
        /// Those that waited for resources of the server.
        "cwca_resourced_wants_cancelled" => pub resourced_wants_cancelled: bool,
    }
}

xdr_struct! {
    /// Reply to CB_WANTS_CANCELLED (RFC 8881, section 20.10).
    #[derive(Copy)]
    "CB_WANTS_CANCELLED4res" => pub struct CbWantsCancelledReply {
        /// How it ended.
        "cwcr_status" => pub status: Status,
    }
}
