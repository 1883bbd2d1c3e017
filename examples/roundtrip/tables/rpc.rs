//! RPC messages without arguments and results, authentication, record marking (RFC 5531).

use nfswire_rpc::{
    AcceptStat, AcceptedReply, AuthFlavor, AuthStat, AuthSys, CallBody, MessageType, OpaqueAuth,
    RejectStat, RejectedReply, ReplyBody, ReplyStat, RpcMessage,
};

use super::{Table, types};
use crate::codec::fragment;

pub(super) const TYPES: Table = types! {
    "auth_flavor" => AuthFlavor,
    "msg_type" => MessageType,
    "reply_stat" => ReplyStat,
    "accept_stat" => AcceptStat,
    "reject_stat" => RejectStat,
    "auth_stat" => AuthStat,
    "opaque_auth" => OpaqueAuth<'_>,
    "authsys_parms" => AuthSys<'_>,
    "call_body" => CallBody<'_>,
    "rejected_reply" => RejectedReply,
    "accepted_reply" => AcceptedReply<'_>,
    "reply_body" => ReplyBody<'_>,
    "rpc_msg" => RpcMessage<'_>,
};

/// What is not XDR.
pub(super) const OTHERS: Table = &[("record_fragment", fragment)];
