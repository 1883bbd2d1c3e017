//! Clients: SETCLIENTID, SETCLIENTID_CONFIRM and RENEW of NFSv4.0 (RFC 7530, sections 16.28, 16.33 and
//! 16.34); EXCHANGE_ID, DESTROY_CLIENTID and RECLAIM_COMPLETE of later versions (RFC 8881, sections
//! 18.35, 18.50 and 18.51).
//!
//! ```
//! use nfswire_nfs4::ops::client::{ClientOwner, ExchangeFlags, ExchangeIdArgs, StateProtectArgs};
//! use nfswire_xdr::{Encoder, Opaque, Segments, from_bytes};
//!
//! let args = ExchangeIdArgs {
//!     client_owner: ClientOwner { verifier: [7; 8], ownerid: Opaque::try_from(b"a client")? },
//!     flags: ExchangeFlags::SUPP_MOVED_REFER | ExchangeFlags::USE_PNFS_MDS,
//!     state_protect: StateProtectArgs::None,
//!     client_impl_id: None,
//! };
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! e.put(&args)?;
//! e.finish();
//!
//! let message = segments.view(&head).to_vec()?;
//! let received: ExchangeIdArgs<'_> = from_bytes(&message)?;
//! assert_eq!(received, args);
//! assert_eq!(
//!     format!("{:?}", received.flags),
//!     "{EXCHGID4_FLAG_SUPP_MOVED_REFER, EXCHGID4_FLAG_USE_PNFS_MDS}"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_xdr::{Array, Opaque, Text, xdr_enum, xdr_struct, xdr_union};

use crate::{
    Bitmap, ClientAddr, ClientId, NetAddr, OpNum, SecOid, SequenceId, Status, TextCis, Time,
    Verifier, flags::flags,
};

//--- SETCLIENTID ---

xdr_struct! {
    /// How a client names itself in NFSv4.0 (RFC 7530, section 9.1.1).
    #[derive(Copy)]
    "nfs_client_id4" => pub struct NfsClientId<'a> {
        /// Changes when the client restarts.
        pub verifier: Verifier,
        /// The client, the same at all times; at most [`OPAQUE_LIMIT`](crate::OPAQUE_LIMIT) bytes.
        pub id: Opaque<'a, 1024>,
    }
}

xdr_struct! {
    /// Where a client takes callbacks in NFSv4.0 (RFC 7530, section 2.2.11).
    #[derive(Copy)]
    "cb_client4" => pub struct CbClient<'a> {
        /// RPC program number of the callbacks.
        "cb_program" => pub program: u32,
        /// Address to call.
        "cb_location" => pub location: NetAddr<'a>,
    }
}

xdr_struct! {
    /// Arguments of SETCLIENTID (RFC 7530, section 16.33).
    #[derive(Copy)]
    "SETCLIENTID4args" => pub struct SetclientidArgs<'a> {
        /// The client.
        pub client: NfsClientId<'a>,
        /// Where it takes callbacks.
        pub callback: CbClient<'a>,
        /// What each callback says, to tell servers apart.
        pub callback_ident: u32,
    }
}

xdr_struct! {
    /// Body of a successful SETCLIENTID (RFC 7530, section 16.33).
    #[derive(Copy)]
    "SETCLIENTID4resok" => pub struct SetclientidOk {
        /// The client's short name from now on, once it is confirmed.
        pub clientid: ClientId,
        /// What SETCLIENTID_CONFIRM is to repeat.
        "setclientid_confirm" => pub confirm: Verifier,
    }
}

xdr_union! {
    /// Reply to SETCLIENTID (RFC 7530, section 16.33).
    #[derive(Copy)]
    "SETCLIENTID4res" => pub enum SetclientidReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(SetclientidOk),
        /// The name belongs to another principal, which has this address.
        case Status::CLID_INUSE => "client_using" InUse(ClientAddr<'a>),
        /// Any other failure.
        default => Fail,
    }
}

xdr_struct! {
    /// Arguments of SETCLIENTID_CONFIRM (RFC 7530, section 16.34).
    #[derive(Copy)]
    "SETCLIENTID_CONFIRM4args" => pub struct SetclientidConfirmArgs {
        /// What SETCLIENTID returned.
        pub clientid: ClientId,
        /// Likewise.
        "setclientid_confirm" => pub confirm: Verifier,
    }
}

xdr_struct! {
    /// Reply to SETCLIENTID_CONFIRM (RFC 7530, section 16.34).
    #[derive(Copy)]
    "SETCLIENTID_CONFIRM4res" => pub struct SetclientidConfirmReply {
        /// How it ended.
        pub status: Status,
    }
}

//--- RENEW ---

xdr_struct! {
    /// Arguments of RENEW (RFC 7530, section 16.28).
    #[derive(Copy)]
    "RENEW4args" => pub struct RenewArgs {
        /// Whose leases to renew.
        pub clientid: ClientId,
    }
}

xdr_struct! {
    /// Reply to RENEW (RFC 7530, section 16.28).
    #[derive(Copy)]
    "RENEW4res" => pub struct RenewReply {
        /// How it ended.
        pub status: Status,
    }
}

//--- EXCHANGE_ID ---

xdr_struct! {
    /// How a client names itself (RFC 8881, section 2.4).
    #[derive(Copy)]
    "client_owner4" => pub struct ClientOwner<'a> {
        /// Changes when the client restarts.
        "co_verifier" => pub verifier: Verifier,
        /// The client, the same at all times; at most [`OPAQUE_LIMIT`](crate::OPAQUE_LIMIT) bytes.
        "co_ownerid" => pub ownerid: Opaque<'a, 1024>,
    }
}

xdr_struct! {
    /// How a server names itself (RFC 8881, section 2.5): sessions can be shared between addresses
    /// where both parts are the same, clients' state where the major one is.
    #[derive(Copy)]
    "server_owner4" => pub struct ServerOwner<'a> {
        /// Tells apart what does not share sessions.
        "so_minor_id" => pub minor_id: u64,
        /// The server; at most [`OPAQUE_LIMIT`](crate::OPAQUE_LIMIT) bytes.
        "so_major_id" => pub major_id: Opaque<'a, 1024>,
    }
}

xdr_struct! {
    /// Who made a client or a server: for people, never to be acted upon (RFC 8881, section 3.3.21).
    #[derive(Copy)]
    "nfs_impl_id4" => pub struct NfsImplId<'a> {
        /// DNS domain of the maker.
        "nii_domain" => pub domain: TextCis<'a>,
        /// Product and version.
        "nii_name" => pub name: Text<'a>,
        /// When it was built or published.
        "nii_date" => pub date: Time,
    }
}

flags! {
    /// Flags of EXCHANGE_ID, of arguments and results (RFC 8881, section 18.35; RFC 7862, section 14.1).
    pub struct ExchangeFlags {
        /// The sender knows referrals.
        "EXCHGID4_FLAG_SUPP_MOVED_REFER" SUPP_MOVED_REFER = 0x0000_0001,
        /// The sender knows migration.
        "EXCHGID4_FLAG_SUPP_MOVED_MIGR" SUPP_MOVED_MIGR = 0x0000_0002,
        /// The server replies to a DESTROY_SESSION, or to what replaces a client's earlier record, only when
        /// that session's operations have ended (RFC 7862, section 14.1).
        "EXCHGID4_FLAG_SUPP_FENCE_OPS" SUPP_FENCE_OPS = 0x0000_0004,
        /// A stateid belongs to the principal that opened.
        "EXCHGID4_FLAG_BIND_PRINC_STATEID" BIND_PRINC_STATEID = 0x0000_0100,
        /// The server is no server of pNFS.
        "EXCHGID4_FLAG_USE_NON_PNFS" USE_NON_PNFS = 0x0001_0000,
        /// The server is a metadata server of pNFS.
        "EXCHGID4_FLAG_USE_PNFS_MDS" USE_PNFS_MDS = 0x0002_0000,
        /// The server is a data server of pNFS.
        "EXCHGID4_FLAG_USE_PNFS_DS" USE_PNFS_DS = 0x0004_0000,
        /// The three above.
        "EXCHGID4_FLAG_MASK_PNFS" MASK_PNFS = 0x0007_0000,
        /// Arguments: a confirmed record is to be changed.
        "EXCHGID4_FLAG_UPD_CONFIRMED_REC_A" UPD_CONFIRMED_REC_A = 0x4000_0000,
        /// Results: the client's record is confirmed.
        "EXCHGID4_FLAG_CONFIRMED_R" CONFIRMED_R = 0x8000_0000,
    }
}

xdr_enum! {
    /// How a client's state is protected from others (RFC 8881, section 18.35).
    "state_protect_how4" => pub enum StateProtectHow {
        /// Not at all.
        "SP4_NONE" None = 0,
        /// Some operations need the machine's credential.
        "SP4_MACH_CRED" MachCred = 1,
        /// Some operations need a secret shared by client and server.
        "SP4_SSV" Ssv = 2,
    }
}

xdr_struct! {
    /// Which operations are protected (RFC 8881, section 18.35).
    #[derive(Copy, Default)]
    "state_protect_ops4" => pub struct StateProtectOps<'a> {
        /// These need the machine's credential or the secret.
        "spo_must_enforce" => pub must_enforce: Bitmap<'a, OpNum>,
        /// These may be called with it, whoever owns the state.
        "spo_must_allow" => pub must_allow: Bitmap<'a, OpNum>,
    }
}

xdr_struct! {
    /// What a client offers for protection by a shared secret (RFC 8881, section 18.35).
    #[derive(Copy)]
    "ssv_sp_parms4" => pub struct SsvSpParms<'a> {
        /// Operations to protect.
        "ssp_ops" => pub ops: StateProtectOps<'a>,
        /// One-way hash algorithms, in order of preference.
        "ssp_hash_algs" => pub hash_algs: Array<'a, SecOid<'a>>,
        /// Encryption algorithms, in order of preference.
        "ssp_encr_algs" => pub encr_algs: Array<'a, SecOid<'a>>,
        /// Versions of the secret that the server should remember.
        "ssp_window" => pub window: u32,
        /// GSS handles that the server should make.
        "ssp_num_gss_handles" => pub num_gss_handles: u32,
    }
}

xdr_union! {
    /// Protection that a client asks for (RFC 8881, section 18.35).
    #[derive(Copy)]
    "state_protect4_a" => pub enum StateProtectArgs<'a> switch (how: StateProtectHow) {
        /// None.
        case StateProtectHow::None => None,
        /// By the machine's credential.
        case StateProtectHow::MachCred => "spa_mach_ops" MachCred(StateProtectOps<'a>),
        /// By a shared secret.
        case StateProtectHow::Ssv => "spa_ssv_parms" Ssv(SsvSpParms<'a>),
    }
}

xdr_struct! {
    /// Arguments of EXCHANGE_ID (RFC 8881, section 18.35).
    #[derive(Copy)]
    "EXCHANGE_ID4args" => pub struct ExchangeIdArgs<'a> {
        /// The client.
        "eia_clientowner" => pub client_owner: ClientOwner<'a>,
        /// What it is able to do, and wants.
        "eia_flags" => pub flags: ExchangeFlags,
        /// How its state is to be protected.
        "eia_state_protect" => pub state_protect: StateProtectArgs<'a>,
        /// Who made it: an array of at most one element.
        "eia_client_impl_id" => pub client_impl_id: Option<NfsImplId<'a>>,
    }
}

/// Handle of a GSS context (RFC 8881, section 18.33).
#[doc(alias = "gsshandle4_t")]
pub type GssHandle<'a> = Opaque<'a>;

xdr_struct! {
    /// What a server chose for protection by a shared secret (RFC 8881, section 18.35).
    #[derive(Copy)]
    "ssv_prot_info4" => pub struct SsvProtInfo<'a> {
        /// Operations that are protected.
        "spi_ops" => pub ops: StateProtectOps<'a>,
        /// Index of the hash algorithm in what the client offered.
        "spi_hash_alg" => pub hash_alg: u32,
        /// Index of the encryption algorithm.
        "spi_encr_alg" => pub encr_alg: u32,
        /// Length of the secret, in bytes.
        "spi_ssv_len" => pub ssv_len: u32,
        /// Versions of the secret that the server remembers.
        "spi_window" => pub window: u32,
        /// GSS handles for the client.
        "spi_handles" => pub handles: Array<'a, GssHandle<'a>>,
    }
}

xdr_union! {
    /// Protection that a server gives (RFC 8881, section 18.35).
    #[derive(Copy)]
    "state_protect4_r" => pub enum StateProtectReply<'a> switch (how: StateProtectHow) {
        /// None.
        case StateProtectHow::None => None,
        /// By the machine's credential.
        case StateProtectHow::MachCred => "spr_mach_ops" MachCred(StateProtectOps<'a>),
        /// By a shared secret.
        case StateProtectHow::Ssv => "spr_ssv_info" Ssv(SsvProtInfo<'a>),
    }
}

xdr_struct! {
    /// Body of a successful EXCHANGE_ID (RFC 8881, section 18.35).
    #[derive(Copy)]
    "EXCHANGE_ID4resok" => pub struct ExchangeIdOk<'a> {
        /// The client's short name from now on.
        "eir_clientid" => pub clientid: ClientId,
        /// What the first CREATE_SESSION is to say.
        "eir_sequenceid" => pub sequenceid: SequenceId,
        /// What the server is, and whether the client's record is confirmed.
        "eir_flags" => pub flags: ExchangeFlags,
        /// How the client's state is protected.
        "eir_state_protect" => pub state_protect: StateProtectReply<'a>,
        /// The server.
        "eir_server_owner" => pub server_owner: ServerOwner<'a>,
        /// Within which servers' names are unique; at most [`OPAQUE_LIMIT`](crate::OPAQUE_LIMIT) bytes.
        "eir_server_scope" => pub server_scope: Opaque<'a, 1024>,
        /// Who made the server: an array of at most one element.
        "eir_server_impl_id" => pub server_impl_id: Option<NfsImplId<'a>>,
    }
}

xdr_union! {
    /// Reply to EXCHANGE_ID (RFC 8881, section 18.35).
    #[derive(Copy)]
    "EXCHANGE_ID4res" => pub enum ExchangeIdReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "eir_resok4" Ok(ExchangeIdOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- Tokens under a shared secret ---

xdr_enum! {
    /// What a key is made of, beside the secret (RFC 8881, section 2.10.9). The initiator is the client.
    "ssv_subkey4" => pub enum SsvSubkey {
        /// Signatures of the initiator.
        "SSV4_SUBKEY_MIC_I2T" MicI2t = 1,
        /// Signatures of the target.
        "SSV4_SUBKEY_MIC_T2I" MicT2i = 2,
        /// Encryption by the initiator.
        "SSV4_SUBKEY_SEAL_I2T" SealI2t = 3,
        /// Encryption by the target.
        "SSV4_SUBKEY_SEAL_T2I" SealT2i = 4,
    }
}

xdr_struct! {
    /// What is signed (RFC 8881, section 2.10.9).
    #[derive(Copy)]
    "ssv_mic_plain_tkn4" => pub struct SsvMicPlainTkn<'a> {
        /// Version of the secret.
        "smpt_ssv_seq" => pub ssv_seq: u32,
        /// The message.
        "smpt_orig_plain" => pub orig_plain: Opaque<'a>,
    }
}

xdr_struct! {
    /// A signature, the `PerMsgToken` of the mechanism (RFC 8881, section 2.10.9).
    #[derive(Copy)]
    "ssv_mic_tkn4" => pub struct SsvMicTkn<'a> {
        /// Version of the secret; 0 is invalid.
        "smt_ssv_seq" => pub ssv_seq: u32,
        /// The code over [`SsvMicPlainTkn`].
        "smt_hmac" => pub hmac: Opaque<'a>,
    }
}

xdr_struct! {
    /// What is encrypted and signed (RFC 8881, section 2.10.9).
    #[derive(Copy)]
    "ssv_seal_plain_tkn4" => pub struct SsvSealPlainTkn<'a> {
        /// Random bytes.
        "sspt_confounder" => pub confounder: Opaque<'a>,
        /// Version of the secret.
        "sspt_ssv_seq" => pub ssv_seq: u32,
        /// The message.
        "sspt_orig_plain" => pub orig_plain: Opaque<'a>,
        /// Fills the last block of the cipher.
        "sspt_pad" => pub pad: Opaque<'a>,
    }
}

xdr_struct! {
    /// An encrypted message, the `SealedMessage` of the mechanism (RFC 8881, section 2.10.9).
    #[derive(Copy)]
    "ssv_seal_cipher_tkn4" => pub struct SsvSealCipherTkn<'a> {
        /// Version of the secret; 0 is invalid.
        "ssct_ssv_seq" => pub ssv_seq: u32,
        /// Initialization vector.
        "ssct_iv" => pub iv: Opaque<'a>,
        /// [`SsvSealPlainTkn`], encrypted.
        "ssct_encr_data" => pub encr_data: Opaque<'a>,
        /// The code over [`SsvSealPlainTkn`].
        "ssct_hmac" => pub hmac: Opaque<'a>,
    }
}

//--- DESTROY_CLIENTID ---

xdr_struct! {
    /// Arguments of DESTROY_CLIENTID (RFC 8881, section 18.50).
    #[derive(Copy)]
    "DESTROY_CLIENTID4args" => pub struct DestroyClientidArgs {
        /// The client, which has no session and no state left.
        "dca_clientid" => pub clientid: ClientId,
    }
}

xdr_struct! {
    /// Reply to DESTROY_CLIENTID (RFC 8881, section 18.50).
    #[derive(Copy)]
    "DESTROY_CLIENTID4res" => pub struct DestroyClientidReply {
        /// How it ended.
        "dcr_status" => pub status: Status,
    }
}

//--- RECLAIM_COMPLETE ---

xdr_struct! {
    /// Arguments of RECLAIM_COMPLETE (RFC 8881, section 18.51).
    #[derive(Copy)]
    "RECLAIM_COMPLETE4args" => pub struct ReclaimCompleteArgs {
        /// Only state in the current object's file system has been reclaimed; else all state.
        "rca_one_fs" => pub one_fs: bool,
    }
}

xdr_struct! {
    /// Reply to RECLAIM_COMPLETE (RFC 8881, section 18.51).
    #[derive(Copy)]
    "RECLAIM_COMPLETE4res" => pub struct ReclaimCompleteReply {
        /// How it ended.
        "rcr_status" => pub status: Status,
    }
}
