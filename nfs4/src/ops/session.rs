//! Sessions: CREATE_SESSION, DESTROY_SESSION, SEQUENCE, BIND_CONN_TO_SESSION, BACKCHANNEL_CTL, SET_SSV,
//! FREE_STATEID and TEST_STATEID (RFC 8881, sections 18.33, 18.34, 18.36 to 18.38 and 18.46 to 18.48).
//!
//! ```
//! use nfswire_nfs4::ops::session::{SequenceOk, SequenceReply, SequenceStatus};
//! use nfswire_xdr::{Encoder, Segments, from_bytes};
//!
//! let reply = SequenceReply::Ok(SequenceOk {
//!     sessionid: [1; 16],
//!     sequenceid: 8,
//!     slotid: 0,
//!     highest_slotid: 63,
//!     target_highest_slotid: 63,
//!     status_flags: SequenceStatus::LEASE_MOVED,
//! });
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! e.put(&reply)?;
//! assert_eq!(e.finish(), 40);
//!
//! let message = segments.view(&head).to_vec()?;
//! let SequenceReply::Ok(ok) = from_bytes(&message)? else { panic!("failed") };
//! assert_eq!(format!("{:?}", ok.status_flags), "{SEQ4_STATUS_LEASE_MOVED}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_rpc::{AuthFlavor, AuthSys};
use nfswire_xdr::{Array, Opaque, xdr_enum, xdr_struct, xdr_union};

use super::{client::GssHandle, secinfo::GssService};
use crate::{ClientId, Count, SequenceId, SessionId, SlotId, Stateid, Status, flags::flags};

//--- Credentials of callbacks ---

xdr_struct! {
    /// GSS contexts that a server may use for callbacks (RFC 8881, section 18.33).
    #[derive(Copy)]
    "gss_cb_handles4" => pub struct GssCbHandles<'a> {
        /// How callbacks are protected.
        "gcbp_service" => pub service: GssService,
        /// Handle that the server gave to the client.
        "gcbp_handle_from_server" => pub handle_from_server: GssHandle<'a>,
        /// Handle that the server is to use in callbacks.
        "gcbp_handle_from_client" => pub handle_from_client: GssHandle<'a>,
    }
}

xdr_union! {
    /// A credential that a server may use for callbacks (RFC 8881, section 18.33). Here it stands as
    /// it is, not in an opaque body as in the header of a call.
    #[derive(Copy)]
    "callback_sec_parms4" => pub enum CallbackSecParms<'a> switch (flavor: AuthFlavor) {
        /// None.
        case AuthFlavor::NONE => None,
        /// User and groups.
        case AuthFlavor::SYS => "cbsp_sys_cred" Sys(AuthSys<'a>),
        /// Contexts of RPCSEC_GSS.
        case AuthFlavor::GSS => "cbsp_gss_handles" Gss(GssCbHandles<'a>),
    }
}

//--- BACKCHANNEL_CTL ---

xdr_struct! {
    /// Arguments of BACKCHANNEL_CTL (RFC 8881, section 18.33).
    #[derive(Copy)]
    "BACKCHANNEL_CTL4args" => pub struct BackchannelCtlArgs<'a> {
        /// RPC program number of the callbacks from now on.
        "bca_cb_program" => pub cb_program: u32,
        /// Credentials for them, of which the server takes one.
        "bca_sec_parms" => pub sec_parms: Array<'a, CallbackSecParms<'a>>,
    }
}

xdr_struct! {
    /// Reply to BACKCHANNEL_CTL (RFC 8881, section 18.33).
    #[derive(Copy)]
    "BACKCHANNEL_CTL4res" => pub struct BackchannelCtlReply {
        /// How it ended.
        "bcr_status" => pub status: Status,
    }
}

//--- BIND_CONN_TO_SESSION ---

xdr_enum! {
    /// What a client wants a connection to be used for (RFC 8881, section 18.34).
    "channel_dir_from_client4" => pub enum ChannelDirFromClient {
        /// Calls.
        "CDFC4_FORE" Fore = 1,
        /// Callbacks.
        "CDFC4_BACK" Back = 2,
        /// Calls, or both.
        "CDFC4_FORE_OR_BOTH" ForeOrBoth = 3,
        /// Callbacks, or both.
        "CDFC4_BACK_OR_BOTH" BackOrBoth = 7,
    }
}

xdr_struct! {
    /// Arguments of BIND_CONN_TO_SESSION (RFC 8881, section 18.34), about the connection that they come by.
    #[derive(Copy)]
    "BIND_CONN_TO_SESSION4args" => pub struct BindConnToSessionArgs {
        /// The session.
        "bctsa_sessid" => pub sessionid: SessionId,
        /// What the connection is to be used for.
        "bctsa_dir" => pub dir: ChannelDirFromClient,
        /// The connection is to go over to RDMA.
        "bctsa_use_conn_in_rdma_mode" => pub use_conn_in_rdma_mode: bool,
    }
}

xdr_enum! {
    /// What a connection is used for (RFC 8881, section 18.34).
    "channel_dir_from_server4" => pub enum ChannelDirFromServer {
        /// Calls.
        "CDFS4_FORE" Fore = 1,
        /// Callbacks.
        "CDFS4_BACK" Back = 2,
        /// Both.
        "CDFS4_BOTH" Both = 3,
    }
}

xdr_struct! {
    /// Body of a successful BIND_CONN_TO_SESSION (RFC 8881, section 18.34).
    #[derive(Copy)]
    "BIND_CONN_TO_SESSION4resok" => pub struct BindConnToSessionOk {
        /// The session.
        "bctsr_sessid" => pub sessionid: SessionId,
        /// What the connection is used for.
        "bctsr_dir" => pub dir: ChannelDirFromServer,
        /// The connection goes over to RDMA.
        "bctsr_use_conn_in_rdma_mode" => pub use_conn_in_rdma_mode: bool,
    }
}

xdr_union! {
    /// Reply to BIND_CONN_TO_SESSION (RFC 8881, section 18.34).
    #[derive(Copy)]
    "BIND_CONN_TO_SESSION4res" => pub enum BindConnToSessionReply switch (status: Status) {
        /// Success.
        case Status::OK => "bctsr_resok4" Ok(BindConnToSessionOk),
        /// Failure.
        default => Fail,
    }
}

//--- CREATE_SESSION ---

xdr_struct! {
    /// Limits of one channel of a session, as offered or as granted (RFC 8881, section 18.36). Sizes are
    /// those of RPC messages, in bytes, headers included, record marks not.
    #[derive(Copy, Default)]
    "channel_attrs4" => pub struct ChannelAttrs {
        /// Bytes of padding that may stand before bulk data.
        "ca_headerpadsize" => pub headerpadsize: Count,
        /// Longest request.
        "ca_maxrequestsize" => pub maxrequestsize: Count,
        /// Longest reply.
        "ca_maxresponsesize" => pub maxresponsesize: Count,
        /// Longest reply that is kept for a retry.
        "ca_maxresponsesize_cached" => pub maxresponsesize_cached: Count,
        /// Most operations of one request, SEQUENCE included.
        "ca_maxoperations" => pub maxoperations: Count,
        /// Most requests at a time: the number of slots.
        "ca_maxrequests" => pub maxrequests: Count,
        /// Depth of RDMA's inbound read queue: an array of at most one element.
        "ca_rdma_ird" => pub rdma_ird: Option<u32>,
    }
}

flags! {
    /// Flags of CREATE_SESSION, of arguments and results (RFC 8881, section 18.36).
    pub struct CreateSessionFlags {
        /// Kept replies outlive a restart of the server.
        "CREATE_SESSION4_FLAG_PERSIST" PERSIST = 0x0000_0001,
        /// The connection carries callbacks too.
        "CREATE_SESSION4_FLAG_CONN_BACK_CHAN" CONN_BACK_CHAN = 0x0000_0002,
        /// The connection goes over to RDMA.
        "CREATE_SESSION4_FLAG_CONN_RDMA" CONN_RDMA = 0x0000_0004,
    }
}

xdr_struct! {
    /// Arguments of CREATE_SESSION (RFC 8881, section 18.36).
    #[derive(Copy)]
    "CREATE_SESSION4args" => pub struct CreateSessionArgs<'a> {
        /// The client.
        "csa_clientid" => pub clientid: ClientId,
        /// What EXCHANGE_ID returned, then one more each time.
        "csa_sequence" => pub sequence: SequenceId,
        /// What the client wants.
        "csa_flags" => pub flags: CreateSessionFlags,
        /// Limits for calls.
        "csa_fore_chan_attrs" => pub fore_chan_attrs: ChannelAttrs,
        /// Limits for callbacks.
        "csa_back_chan_attrs" => pub back_chan_attrs: ChannelAttrs,
        /// RPC program number of the callbacks.
        "csa_cb_program" => pub cb_program: u32,
        /// Credentials for them, of which the server takes one.
        "csa_sec_parms" => pub sec_parms: Array<'a, CallbackSecParms<'a>>,
    }
}

xdr_struct! {
    /// Body of a successful CREATE_SESSION (RFC 8881, section 18.36).
    #[derive(Copy)]
    "CREATE_SESSION4resok" => pub struct CreateSessionOk {
        /// The session.
        "csr_sessionid" => pub sessionid: SessionId,
        /// As in the arguments.
        "csr_sequence" => pub sequence: SequenceId,
        /// What the client gets of what it wants.
        "csr_flags" => pub flags: CreateSessionFlags,
        /// Limits for calls.
        "csr_fore_chan_attrs" => pub fore_chan_attrs: ChannelAttrs,
        /// Limits for callbacks.
        "csr_back_chan_attrs" => pub back_chan_attrs: ChannelAttrs,
    }
}

xdr_union! {
    /// Reply to CREATE_SESSION (RFC 8881, section 18.36).
    #[derive(Copy)]
    "CREATE_SESSION4res" => pub enum CreateSessionReply switch (status: Status) {
        /// Success.
        case Status::OK => "csr_resok4" Ok(CreateSessionOk),
        /// Failure.
        default => Fail,
    }
}

//--- DESTROY_SESSION ---

xdr_struct! {
    /// Arguments of DESTROY_SESSION (RFC 8881, section 18.37).
    #[derive(Copy)]
    "DESTROY_SESSION4args" => pub struct DestroySessionArgs {
        /// The session.
        "dsa_sessionid" => pub sessionid: SessionId,
    }
}

xdr_struct! {
    /// Reply to DESTROY_SESSION (RFC 8881, section 18.37).
    #[derive(Copy)]
    "DESTROY_SESSION4res" => pub struct DestroySessionReply {
        /// How it ended.
        "dsr_status" => pub status: Status,
    }
}

//--- SEQUENCE ---

xdr_struct! {
    /// Arguments of SEQUENCE, the first operation of most requests (RFC 8881, section 18.46).
    #[derive(Copy)]
    "SEQUENCE4args" => pub struct SequenceArgs {
        /// The session.
        "sa_sessionid" => pub sessionid: SessionId,
        /// One more than the slot's last; the same for a retry.
        "sa_sequenceid" => pub sequenceid: SequenceId,
        /// The slot.
        "sa_slotid" => pub slotid: SlotId,
        /// Highest slot that has a request outstanding.
        "sa_highest_slotid" => pub highest_slotid: SlotId,
        /// The reply is to be kept for a retry.
        "sa_cachethis" => pub cachethis: bool,
    }
}

flags! {
    /// What a server has to tell its client in each reply to SEQUENCE (RFC 8881, section 18.46).
    pub struct SequenceStatus {
        /// No connection of the client carries callbacks.
        "SEQ4_STATUS_CB_PATH_DOWN" CB_PATH_DOWN = 0x0000_0001,
        /// The GSS contexts for callbacks are about to expire.
        "SEQ4_STATUS_CB_GSS_CONTEXTS_EXPIRING" CB_GSS_CONTEXTS_EXPIRING = 0x0000_0002,
        /// They have expired.
        "SEQ4_STATUS_CB_GSS_CONTEXTS_EXPIRED" CB_GSS_CONTEXTS_EXPIRED = 0x0000_0004,
        /// The lease expired, and all state is revoked.
        "SEQ4_STATUS_EXPIRED_ALL_STATE_REVOKED" EXPIRED_ALL_STATE_REVOKED = 0x0000_0008,
        /// The lease expired, and some state is revoked.
        "SEQ4_STATUS_EXPIRED_SOME_STATE_REVOKED" EXPIRED_SOME_STATE_REVOKED = 0x0000_0010,
        /// An administrator has revoked state.
        "SEQ4_STATUS_ADMIN_STATE_REVOKED" ADMIN_STATE_REVOKED = 0x0000_0020,
        /// Recalled state was not returned, and is revoked.
        "SEQ4_STATUS_RECALLABLE_STATE_REVOKED" RECALLABLE_STATE_REVOKED = 0x0000_0040,
        /// A file system with state has moved.
        "SEQ4_STATUS_LEASE_MOVED" LEASE_MOVED = 0x0000_0080,
        /// The server has restarted: state is to be reclaimed.
        "SEQ4_STATUS_RESTART_RECLAIM_NEEDED" RESTART_RECLAIM_NEEDED = 0x0000_0100,
        /// No connection of this session carries callbacks.
        "SEQ4_STATUS_CB_PATH_DOWN_SESSION" CB_PATH_DOWN_SESSION = 0x0000_0200,
        /// The client's answers to callbacks make no sense.
        "SEQ4_STATUS_BACKCHANNEL_FAULT" BACKCHANNEL_FAULT = 0x0000_0400,
        /// The addresses of a device have changed.
        "SEQ4_STATUS_DEVID_CHANGED" DEVID_CHANGED = 0x0000_0800,
        /// A device is gone.
        "SEQ4_STATUS_DEVID_DELETED" DEVID_DELETED = 0x0000_1000,
    }
}

xdr_struct! {
    /// Body of a successful SEQUENCE (RFC 8881, section 18.46).
    #[derive(Copy)]
    "SEQUENCE4resok" => pub struct SequenceOk {
        /// The session.
        "sr_sessionid" => pub sessionid: SessionId,
        /// As in the arguments.
        "sr_sequenceid" => pub sequenceid: SequenceId,
        /// Likewise.
        "sr_slotid" => pub slotid: SlotId,
        /// Highest slot that the server takes.
        "sr_highest_slotid" => pub highest_slotid: SlotId,
        /// Highest slot that it would like the client to use.
        "sr_target_highest_slotid" => pub target_highest_slotid: SlotId,
        /// What the client should know.
        "sr_status_flags" => pub status_flags: SequenceStatus,
    }
}

xdr_union! {
    /// Reply to SEQUENCE (RFC 8881, section 18.46).
    #[derive(Copy)]
    "SEQUENCE4res" => pub enum SequenceReply switch (status: Status) {
        /// Success.
        case Status::OK => "sr_resok4" Ok(SequenceOk),
        /// Failure: no other operation was done.
        default => Fail,
    }
}

//--- SET_SSV ---

xdr_struct! {
    /// What the digest of SET_SSV's arguments is over (RFC 8881, section 18.47).
    #[derive(Copy)]
    "ssa_digest_input4" => pub struct SsaDigestInput {
        /// The arguments of the SEQUENCE before it.
        "sdi_seqargs" => pub sequence_args: SequenceArgs,
    }
}

xdr_struct! {
    /// Arguments of SET_SSV (RFC 8881, section 18.47).
    #[derive(Copy)]
    "SET_SSV4args" => pub struct SetSsvArgs<'a> {
        /// What the secret is combined with.
        "ssa_ssv" => pub ssv: Opaque<'a>,
        /// Code over [`SsaDigestInput`], made with the secret as it was.
        "ssa_digest" => pub digest: Opaque<'a>,
    }
}

xdr_struct! {
    /// What the digest of SET_SSV's result is over (RFC 8881, section 18.47).
    #[derive(Copy)]
    "ssr_digest_input4" => pub struct SsrDigestInput {
        /// The result of the SEQUENCE before it.
        "sdi_seqres" => pub sequence_reply: SequenceReply,
    }
}

xdr_struct! {
    /// Body of a successful SET_SSV (RFC 8881, section 18.47).
    #[derive(Copy)]
    "SET_SSV4resok" => pub struct SetSsvOk<'a> {
        /// Code over [`SsrDigestInput`], made with the secret as it is now.
        "ssr_digest" => pub digest: Opaque<'a>,
    }
}

xdr_union! {
    /// Reply to SET_SSV (RFC 8881, section 18.47).
    #[derive(Copy)]
    "SET_SSV4res" => pub enum SetSsvReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "ssr_resok4" Ok(SetSsvOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- FREE_STATEID ---

xdr_struct! {
    /// Arguments of FREE_STATEID (RFC 8881, section 18.38).
    #[derive(Copy)]
    "FREE_STATEID4args" => pub struct FreeStateidArgs {
        /// State that holds no locks, or is revoked.
        "fsa_stateid" => pub stateid: Stateid,
    }
}

xdr_struct! {
    /// Reply to FREE_STATEID (RFC 8881, section 18.38).
    #[derive(Copy)]
    "FREE_STATEID4res" => pub struct FreeStateidReply {
        /// How it ended.
        "fsr_status" => pub status: Status,
    }
}

//--- TEST_STATEID ---

xdr_struct! {
    /// Arguments of TEST_STATEID (RFC 8881, section 18.48).
    #[derive(Copy)]
    "TEST_STATEID4args" => pub struct TestStateidArgs<'a> {
        /// State that the client believes to hold.
        "ts_stateids" => pub stateids: Array<'a, Stateid>,
    }
}

xdr_struct! {
    /// Body of a successful TEST_STATEID (RFC 8881, section 18.48).
    #[derive(Copy)]
    "TEST_STATEID4resok" => pub struct TestStateidOk<'a> {
        /// One for each stateid, in the same order; [`Status::OK`] for state that is valid.
        "tsr_status_codes" => pub status_codes: Array<'a, Status>,
    }
}

xdr_union! {
    /// Reply to TEST_STATEID (RFC 8881, section 18.48).
    #[derive(Copy)]
    "TEST_STATEID4res" => pub enum TestStateidReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "tsr_resok4" Ok(TestStateidOk<'a>),
        /// Failure.
        default => Fail,
    }
}
