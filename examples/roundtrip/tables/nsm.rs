//! NSM (X/Open XNFS).

use nfswire_nfs3::nsm::{
    CallbackArgs, MonArgs, MonId, MyId, NotifyArgs, Res, StatArgs, StatReply, UnmonReply,
};

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "sm_name" => StatArgs<'_>,
    "my_id" => MyId<'_>,
    "mon_id" => MonId<'_>,
    "mon" => MonArgs<'_>,
    "sm_stat" => UnmonReply,
    "res" => Res,
    "sm_stat_res" => StatReply,
    "status" => CallbackArgs<'_>,
    "stat_chge" => NotifyArgs<'_>,
};
