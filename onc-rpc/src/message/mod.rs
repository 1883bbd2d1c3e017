//! The RPC message (RFC 5531, section 9): every arm of call and reply, as it travels.
//!
//! [`RpcMessage`] decodes any header without loss, for proxies and tools. Servers use
//! [`parse_call`] and [`ReplyHeader`], which judge and answer in the order that the RFC prescribes;
//! clients use [`CallHeader`] and [`parse_reply`]. Arguments and results follow the header
//! directly.

mod call;
mod reply;

use nfswire_xdr::{xdr_enum, xdr_open_enum, xdr_struct, xdr_union};

pub use call::{Answer, CallError, CallHeader, args_error, parse_call};
pub use reply::{CallFailure, ReplyError, ReplyHeader, parse_reply};

use crate::{AuthStat, OpaqueAuth};

/// The version of the RPC protocol that RFC 5531 describes.
#[doc(alias = "RPC_VERS")]
pub const RPC_VERSION: u32 = 2;

xdr_enum! {
    /// Direction of a message.
    "msg_type" => pub enum MessageType {
        /// A request.
        "CALL" Call = 0,
        /// The answer to a request.
        "REPLY" Reply = 1,
    }
}

xdr_enum! {
    /// Whether a call got past the RPC layer.
    "reply_stat" => pub enum ReplyStat {
        /// It did; it may have failed all the same.
        "MSG_ACCEPTED" Accepted = 0,
        /// Wrong RPC version, or authentication failed.
        "MSG_DENIED" Denied = 1,
    }
}

xdr_open_enum! {
    /// What became of an accepted call. Unknown numbers survive: they select the void arm.
    "accept_stat" => pub struct AcceptStat {
        /// The procedure ran; its results follow.
        "SUCCESS" OK = 0,
        /// The server does not serve the program.
        "PROG_UNAVAIL" PROGRAM_UNAVAILABLE = 1,
        /// The server serves other versions of the program.
        "PROG_MISMATCH" PROGRAM_MISMATCH = 2,
        /// The version has no such procedure.
        "PROC_UNAVAIL" PROCEDURE_UNAVAILABLE = 3,
        /// The arguments cannot be decoded.
        "GARBAGE_ARGS" GARBAGE_ARGUMENTS = 4,
        /// The server failed, for example for lack of memory.
        "SYSTEM_ERR" SYSTEM_ERROR = 5,
    }
}

xdr_enum! {
    /// Why a call was denied.
    "reject_stat" => pub enum RejectStat {
        /// The RPC version is not 2.
        "RPC_MISMATCH" RpcMismatch = 0,
        /// The caller could not be authenticated.
        "AUTH_ERROR" AuthError = 1,
    }
}

xdr_struct! {
    /// Versions that a server supports (an anonymous struct in RFC 5531).
    #[derive(Copy)]
    "mismatch_info" => pub struct MismatchInfo {
        /// Lowest version.
        pub low: u32,
        /// Highest version.
        pub high: u32,
    }
}

xdr_struct! {
    /// Call header behind the message type. Any version is kept; [`parse_call`] judges it.
    #[derive(Copy)]
    "call_body" => pub struct CallBody<'a> {
        /// Version of the RPC protocol: [`RPC_VERSION`].
        "rpcvers" => pub rpc_version: u32,
        /// Program number.
        "prog" => pub program: u32,
        /// Version of the program.
        "vers" => pub version: u32,
        /// Procedure of the version.
        "proc" => pub procedure: u32,
        /// Who the caller is.
        "cred" => pub credential: OpaqueAuth<'a>,
        /// What proves it.
        "verf" => pub verifier: OpaqueAuth<'a>,
    }
}

xdr_union! {
    /// Outcome of an accepted call (the union `reply_data` of `accepted_reply`).
    #[derive(Copy)]
    "reply_data" => pub enum ReplyData switch (stat: AcceptStat) {
        /// The results follow the header.
        case AcceptStat::OK => Success,
        /// The program is not served.
        case AcceptStat::PROGRAM_UNAVAILABLE => ProgUnavail,
        /// The version is not served; these are.
        case AcceptStat::PROGRAM_MISMATCH => ProgMismatch(MismatchInfo),
        /// No such procedure.
        case AcceptStat::PROCEDURE_UNAVAILABLE => ProcUnavail,
        /// Arguments that cannot be decoded.
        case AcceptStat::GARBAGE_ARGUMENTS => GarbageArgs,
        /// The server failed.
        case AcceptStat::SYSTEM_ERROR => SystemErr,
        /// A status that RFC 5531 does not list.
        default => Other,
    }
}

xdr_struct! {
    /// Reply to a call that was accepted.
    #[derive(Copy)]
    "accepted_reply" => pub struct AcceptedReply<'a> {
        /// Proves the server to the client.
        "verf" => pub verifier: OpaqueAuth<'a>,
        /// What became of the call.
        "reply_data" => pub data: ReplyData,
    }
}

xdr_union! {
    /// Reply to a call that was denied.
    #[derive(Copy)]
    "rejected_reply" => pub enum RejectedReply switch (stat: RejectStat) {
        /// The server speaks these versions of RPC.
        case RejectStat::RpcMismatch => RpcMismatch(MismatchInfo),
        /// The caller could not be authenticated, for this reason.
        case RejectStat::AuthError => AuthError(AuthStat),
    }
}

xdr_union! {
    /// Reply header behind the message type.
    #[derive(Copy)]
    "reply_body" => pub enum ReplyBody<'a> switch (stat: ReplyStat) {
        /// The call got past the RPC layer.
        case ReplyStat::Accepted => Accepted(AcceptedReply<'a>),
        /// It did not.
        case ReplyStat::Denied => Denied(RejectedReply),
    }
}

xdr_union! {
    /// A message behind its xid (the union `body` of `rpc_msg`).
    #[derive(Copy)]
    "rpc_msg_body" => pub enum MessageBody<'a> switch (mtype: MessageType) {
        /// A call; its arguments follow.
        case MessageType::Call => Call(CallBody<'a>),
        /// A reply; its results follow if it is a success.
        case MessageType::Reply => Reply(ReplyBody<'a>),
    }
}

xdr_struct! {
    /// Header of any RPC message.
    ///
    /// Decoding takes the header only: the cursor then stands at the arguments or results.
    #[derive(Copy)]
    "rpc_msg" => pub struct RpcMessage<'a> {
        /// Transaction number: ties a reply to its call.
        pub xid: u32,
        /// Call or reply.
        pub body: MessageBody<'a>,
    }
}
