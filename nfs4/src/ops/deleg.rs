//! Delegations: DELEGPURGE, DELEGRETURN (RFC 7530, sections 16.5 and 16.6), GET_DIR_DELEGATION and
//! WANT_DELEGATION (RFC 8881, sections 18.39 and 18.49). Those of OPEN are in [`open`](super::open).

use nfswire_xdr::{xdr_enum, xdr_struct, xdr_union};

use super::open::{OpenClaimType, OpenDelegation, OpenDelegationType, ShareAccess};
use crate::{
    Bitmap, ClientId, Stateid, Status, Time, Verifier, attrs::AttrSet, callback::notify::NotifyType,
};

//--- DELEGPURGE ---

xdr_struct! {
    /// Arguments of DELEGPURGE (RFC 7530, section 16.5).
    #[derive(Copy)]
    "DELEGPURGE4args" => pub struct DelegpurgeArgs {
        /// The client, which has reclaimed all delegations that it wants.
        pub clientid: ClientId,
    }
}

xdr_struct! {
    /// Reply to DELEGPURGE (RFC 7530, section 16.5).
    #[derive(Copy)]
    "DELEGPURGE4res" => pub struct DelegpurgeReply {
        /// How it ended.
        pub status: Status,
    }
}

//--- DELEGRETURN ---

xdr_struct! {
    /// Arguments of DELEGRETURN (RFC 7530, section 16.6), about the current object.
    #[derive(Copy)]
    "DELEGRETURN4args" => pub struct DelegreturnArgs {
        /// The delegation.
        "deleg_stateid" => pub stateid: Stateid,
    }
}

xdr_struct! {
    /// Reply to DELEGRETURN (RFC 7530, section 16.6).
    #[derive(Copy)]
    "DELEGRETURN4res" => pub struct DelegreturnReply {
        /// How it ended.
        pub status: Status,
    }
}

//--- GET_DIR_DELEGATION ---

/// How long a notification may wait; 0 means not at all (RFC 8881, section 18.39).
#[doc(alias = "attr_notice4")]
pub type AttrNotice = Time;

xdr_struct! {
    /// Arguments of GET_DIR_DELEGATION (RFC 8881, section 18.39), about the current directory.
    #[derive(Copy)]
    "GET_DIR_DELEGATION4args" => pub struct GetDirDelegationArgs<'a> {
        /// The client wants to be called back when a delegation becomes available.
        "gdda_signal_deleg_avail" => pub signal_deleg_avail: bool,
        /// Of which changes the client wants to be told.
        "gdda_notification_types" => pub notification_types: Bitmap<'a, NotifyType>,
        /// How long changes of entries' attributes may wait.
        "gdda_child_attr_delay" => pub child_attr_delay: AttrNotice,
        /// How long changes of the directory's attributes may wait.
        "gdda_dir_attr_delay" => pub dir_attr_delay: AttrNotice,
        /// Attributes of entries.
        "gdda_child_attributes" => pub child_attributes: AttrSet<'a>,
        /// Attributes of the directory.
        "gdda_dir_attributes" => pub dir_attributes: AttrSet<'a>,
    }
}

xdr_struct! {
    /// A delegation of a directory (RFC 8881, section 18.39).
    #[derive(Copy)]
    "GET_DIR_DELEGATION4resok" => pub struct GetDirDelegationOk<'a> {
        /// Verifier of the directory's cookies.
        "gddr_cookieverf" => pub cookie_verifier: Verifier,
        /// The delegation.
        "gddr_stateid" => pub stateid: Stateid,
        /// Of which changes the server will tell.
        "gddr_notification" => pub notification: Bitmap<'a, NotifyType>,
        /// Attributes of entries.
        "gddr_child_attributes" => pub child_attributes: AttrSet<'a>,
        /// Attributes of the directory.
        "gddr_dir_attributes" => pub dir_attributes: AttrSet<'a>,
    }
}

xdr_enum! {
    /// Whether there is a delegation (RFC 8881, section 18.39).
    "gddrnf4_status" => pub enum GetDirDelegationStatus {
        /// There is.
        "GDD4_OK" Ok = 0,
        /// There is none.
        "GDD4_UNAVAIL" Unavail = 1,
    }
}

xdr_union! {
    /// A delegation of a directory, or none (RFC 8881, section 18.39).
    #[derive(Copy)]
    "GET_DIR_DELEGATION4res_non_fatal" => pub enum GetDirDelegationNonFatal<'a>
    switch (status: GetDirDelegationStatus) {
        /// A delegation.
        case GetDirDelegationStatus::Ok => "gddrnf_resok4" Ok(GetDirDelegationOk<'a>),
        /// None now; whether the server will call back when it has one.
        case GetDirDelegationStatus::Unavail => "gddrnf_will_signal_deleg_avail" Unavail(bool),
    }
}

xdr_union! {
    /// Reply to GET_DIR_DELEGATION (RFC 8881, section 18.39).
    #[derive(Copy)]
    "GET_DIR_DELEGATION4res" => pub enum GetDirDelegationReply<'a> switch (status: Status) {
        /// Success, with or without a delegation.
        case Status::OK => "gddr_res_non_fatal4" Ok(GetDirDelegationNonFatal<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- WANT_DELEGATION ---

xdr_union! {
    /// On which ground a delegation is wanted (RFC 8881, section 18.49).
    #[derive(Copy)]
    "deleg_claim4" => pub enum DelegClaim switch (claim: OpenClaimType) {
        /// None in particular.
        case OpenClaimType::Fh => Fh,
        /// A delegation from before the client restarted.
        case OpenClaimType::DelegPrevFh => DelegPrevFh,
        /// A delegation of this type from before the server restarted.
        case OpenClaimType::Previous => "dc_delegate_type" Previous(OpenDelegationType),
    }
}

xdr_struct! {
    /// Arguments of WANT_DELEGATION (RFC 8881, section 18.49), about the current object.
    #[derive(Copy)]
    "WANT_DELEGATION4args" => pub struct WantDelegationArgs {
        /// Which delegation is wanted, and when: the `WANT_` constants.
        "wda_want" => pub want: ShareAccess,
        /// On which ground.
        "wda_claim" => pub claim: DelegClaim,
    }
}

xdr_union! {
    /// Reply to WANT_DELEGATION (RFC 8881, section 18.49).
    "WANT_DELEGATION4res" => pub enum WantDelegationReply<'a> switch (status: Status) {
        /// Success: the delegation, or why there is none.
        case Status::OK => "wdr_resok4" Ok(OpenDelegation<'a>),
        /// Failure.
        default => Fail,
    }
}
