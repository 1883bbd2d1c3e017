//! Copies made by servers: COPY, COPY_NOTIFY, OFFLOAD_CANCEL, OFFLOAD_STATUS and CLONE (RFC 7862, sections
//! 15.2, 15.3, 15.8, 15.9 and 15.13), and what authorizes copies between servers (section 4.9.1.1).
//!
//! ```
//! use nfswire_nfs4::{StableHow, Stateid};
//! use nfswire_nfs4::ops::{copy::{CopyOk, CopyReply, CopyRequirements}, io::WriteResponse};
//! use nfswire_xdr::{Encoder, Segments};
//!
//! // The server copies behind the client's back and says when it is done.
//! let reply = CopyReply::Ok(CopyOk {
//!     response: WriteResponse {
//!         callback_id: Some(Stateid { seqid: 1, other: [9; 12] }),
//!         count: 0,
//!         committed: StableHow::Unstable,
//!         verifier: [5; 8],
//!     },
//!     requirements: CopyRequirements { consecutive: true, synchronous: false },
//! });
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! e.put(&reply)?;
//! assert_eq!(e.finish(), 4 + (4 + 16) + 8 + 4 + 8 + 8);
//! # Ok::<(), nfswire_xdr::EncodeError>(())
//! ```

use nfswire_xdr::{Array, Opaque, Text, xdr_enum, xdr_struct, xdr_union};

use super::io::WriteResponse;
use crate::{Length, NetAddr, Offset, Stateid, Status, TextCis, TextMixed, Time};

//--- Servers ---

xdr_enum! {
    /// How a server is named (RFC 7862, section 4.7).
    "netloc_type4" => pub enum NetlocType {
        /// By a name.
        "NL4_NAME" Name = 1,
        /// By a URL.
        "NL4_URL" Url = 2,
        /// By an address.
        "NL4_NETADDR" Netaddr = 3,
    }
}

xdr_union! {
    /// A server of a copy (RFC 7862, section 4.7).
    #[derive(Copy)]
    "netloc4" => pub enum Netloc<'a> switch (netloc_type: NetlocType) {
        /// Its name.
        case NetlocType::Name => "nl_name" Name(TextCis<'a>),
        /// A URL, which also says how to copy.
        case NetlocType::Url => "nl_url" Url(TextCis<'a>),
        /// Its address.
        case NetlocType::Netaddr => "nl_addr" Netaddr(NetAddr<'a>),
    }
}

//--- COPY ---

xdr_struct! {
    /// Arguments of COPY (RFC 7862, section 15.2): from the saved file to the current one.
    #[derive(Copy)]
    "COPY4args" => pub struct CopyArgs<'a> {
        /// An open, a lock or a delegation for reading; between servers, what COPY_NOTIFY returned.
        "ca_src_stateid" => pub src_stateid: Stateid,
        /// An open, a lock or a delegation for writing.
        "ca_dst_stateid" => pub dst_stateid: Stateid,
        /// First byte to read.
        "ca_src_offset" => pub src_offset: Offset,
        /// Where it goes.
        "ca_dst_offset" => pub dst_offset: Offset,
        /// Bytes to copy; 0 means to the end of the file.
        "ca_count" => pub count: Length,
        /// Lower offsets must be copied before higher ones.
        "ca_consecutive" => pub consecutive: bool,
        /// The copy must be finished when the server answers.
        "ca_synchronous" => pub synchronous: bool,
        /// Where the saved file is, as COPY_NOTIFY said; none if it is here.
        "ca_source_server" => pub source_server: Array<'a, Netloc<'a>>,
    }
}

xdr_struct! {
    /// What a server can promise of a copy (RFC 7862, section 15.2).
    #[derive(Copy, Default)]
    "copy_requirements4" => pub struct CopyRequirements {
        /// Lower offsets are copied before higher ones.
        "cr_consecutive" => pub consecutive: bool,
        /// The copy is finished when the server answers.
        "cr_synchronous" => pub synchronous: bool,
    }
}

xdr_struct! {
    /// Body of a successful COPY (RFC 7862, section 15.2).
    #[derive(Copy)]
    "COPY4resok" => pub struct CopyOk {
        /// What was copied. With a `callback_id` the copy goes on, and CB_OFFLOAD says how it ends.
        "cr_response" => pub response: WriteResponse,
        /// What held, or holds, of this copy.
        "cr_requirements" => pub requirements: CopyRequirements,
    }
}

xdr_union! {
    /// Reply to COPY (RFC 7862, section 15.2).
    #[derive(Copy)]
    "COPY4res" => pub enum CopyReply switch (status: Status) {
        /// Success.
        case Status::OK => "cr_resok4" Ok(CopyOk),
        /// The server cannot do what was required, but this.
        case Status::OFFLOAD_NO_REQS => "cr_requirements" NoReqs(CopyRequirements),
        /// Any other failure.
        default => Fail,
    }
}

//--- COPY_NOTIFY ---

xdr_struct! {
    /// Arguments of COPY_NOTIFY (RFC 7862, section 15.3): the current file is about to be copied.
    #[derive(Copy)]
    "COPY_NOTIFY4args" => pub struct CopyNotifyArgs<'a> {
        /// An open, a lock or a delegation for reading.
        "cna_src_stateid" => pub src_stateid: Stateid,
        /// Who is going to read the file.
        "cna_destination_server" => pub destination_server: Netloc<'a>,
    }
}

xdr_struct! {
    /// Body of a successful COPY_NOTIFY (RFC 7862, section 15.3).
    #[derive(Copy)]
    "COPY_NOTIFY4resok" => pub struct CopyNotifyOk<'a> {
        /// How long the copy may take to begin.
        "cnr_lease_time" => pub lease_time: Time,
        /// What COPY is to use as the source's stateid.
        "cnr_stateid" => pub stateid: Stateid,
        /// Where the destination can reach the file.
        "cnr_source_server" => pub source_server: Array<'a, Netloc<'a>>,
    }
}

xdr_union! {
    /// Reply to COPY_NOTIFY (RFC 7862, section 15.3).
    #[derive(Copy)]
    "COPY_NOTIFY4res" => pub enum CopyNotifyReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(CopyNotifyOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- OFFLOAD_CANCEL ---

xdr_struct! {
    /// Arguments of OFFLOAD_CANCEL (RFC 7862, section 15.8).
    #[derive(Copy)]
    "OFFLOAD_CANCEL4args" => pub struct OffloadCancelArgs {
        /// The work, by its callback id; at the source of a copy, by what COPY_NOTIFY returned.
        "oca_stateid" => pub stateid: Stateid,
    }
}

xdr_struct! {
    /// Reply to OFFLOAD_CANCEL (RFC 7862, section 15.8).
    #[derive(Copy)]
    "OFFLOAD_CANCEL4res" => pub struct OffloadCancelReply {
        /// How it ended.
        "ocr_status" => pub status: Status,
    }
}

//--- OFFLOAD_STATUS ---

xdr_struct! {
    /// Arguments of OFFLOAD_STATUS (RFC 7862, section 15.9).
    #[derive(Copy)]
    "OFFLOAD_STATUS4args" => pub struct OffloadStatusArgs {
        /// The work, by its callback id.
        "osa_stateid" => pub stateid: Stateid,
    }
}

xdr_struct! {
    /// Body of a successful OFFLOAD_STATUS (RFC 7862, section 15.9).
    #[derive(Copy)]
    "OFFLOAD_STATUS4resok" => pub struct OffloadStatusOk {
        /// Bytes copied so far.
        "osr_count" => pub count: Length,
        /// How the work ended, if it did: an array of at most one element.
        "osr_complete" => pub complete: Option<Status>,
    }
}

xdr_union! {
    /// Reply to OFFLOAD_STATUS (RFC 7862, section 15.9).
    #[derive(Copy)]
    "OFFLOAD_STATUS4res" => pub enum OffloadStatusReply switch (status: Status) {
        /// Success.
        case Status::OK => "osr_resok4" Ok(OffloadStatusOk),
        /// Failure.
        default => Fail,
    }
}

//--- CLONE ---

xdr_struct! {
    /// Arguments of CLONE (RFC 7862, section 15.13): from the saved file to the current one, which then
    /// share the space.
    #[derive(Copy)]
    "CLONE4args" => pub struct CloneArgs {
        /// An open, a lock or a delegation for reading.
        "cl_src_stateid" => pub src_stateid: Stateid,
        /// An open, a lock or a delegation for writing.
        "cl_dst_stateid" => pub dst_stateid: Stateid,
        /// First byte of the source, a multiple of the attribute `clone_blksize`.
        "cl_src_offset" => pub src_offset: Offset,
        /// Where it goes, likewise.
        "cl_dst_offset" => pub dst_offset: Offset,
        /// Length in bytes; 0 means to the end of the file.
        "cl_count" => pub count: Length,
    }
}

xdr_struct! {
    /// Reply to CLONE (RFC 7862, section 15.13).
    #[derive(Copy)]
    "CLONE4res" => pub struct CloneReply {
        /// How it ended.
        "cl_status" => pub status: Status,
    }
}

//--- Privileges of RPCSEC_GSS version 3 ---

/// A random secret (RFC 7862, section 4.9.1.1).
#[doc(alias = "secret4")]
pub type Secret<'a> = Text<'a>;

xdr_struct! {
    /// The privilege `copy_from_auth`: a user lets the source hand a file to the destination (RFC 7862,
    /// section 4.9.1.1).
    #[derive(Copy)]
    "copy_from_auth_priv" => pub struct CopyFromAuthPriv<'a> {
        /// Shared with the destination.
        "cfap_shared_secret" => pub shared_secret: Secret<'a>,
        /// The destination.
        "cfap_destination" => pub destination: Netloc<'a>,
        /// The user, as NFS names it.
        "cfap_username" => pub user_name: TextMixed<'a>,
    }
}

xdr_struct! {
    /// The privilege `copy_to_auth`: a user lets the destination take a file from the source (RFC 7862,
    /// section 4.9.1.1).
    #[derive(Copy)]
    "copy_to_auth_priv" => pub struct CopyToAuthPriv<'a> {
        /// Shared with the source.
        "ctap_shared_secret" => pub shared_secret: Secret<'a>,
        /// The source.
        "ctap_source" => pub source: Array<'a, Netloc<'a>>,
        /// The user, as NFS names it.
        "ctap_username" => pub user_name: TextMixed<'a>,
    }
}

xdr_struct! {
    /// The privilege `copy_confirm_auth`: the destination shows the source that it knows the secret (RFC
    /// 7862, section 4.9.1.1).
    #[derive(Copy)]
    "copy_confirm_auth_priv" => pub struct CopyConfirmAuthPriv<'a> {
        /// Checksum over the secret, made by `GSS_GetMIC`.
        "ccap_shared_secret_mic" => pub shared_secret_mic: Opaque<'a>,
        /// The user, as NFS names it.
        "ccap_username" => pub user_name: TextMixed<'a>,
    }
}
