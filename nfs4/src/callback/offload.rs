//! Copies that go on by themselves: CB_OFFLOAD.

use nfswire_xdr::{xdr_struct, xdr_union};

use crate::{FileHandle, Length, Stateid, Status, ops::io::WriteResponse};

xdr_union! {
    /// How a copy ended (RFC 7862, section 16.1).
    #[derive(Copy)]
    "offload_info4" => pub enum OffloadInfo switch (coa_status: Status) {
        /// Success: what was written.
        case Status::OK => "coa_resok4" Ok(WriteResponse),
        /// Failure: bytes that were copied before.
        default => "coa_bytes_copied" Fail(Length),
    }
}

xdr_struct! {
    /// Arguments of CB_OFFLOAD: a copy has ended (RFC 7862, section 16.1).
    #[derive(Copy)]
    "CB_OFFLOAD4args" => pub struct CbOffloadArgs<'a> {
        /// The file that was written.
        "coa_fh" => pub fh: FileHandle<'a>,
        /// The copy, as the reply to COPY named it.
        "coa_stateid" => pub stateid: Stateid,
        /// How it ended.
        "coa_offload_info" => pub info: OffloadInfo,
    }
}

xdr_struct! {
    /// Reply to CB_OFFLOAD (RFC 7862, section 16.1).
    #[derive(Copy)]
    "CB_OFFLOAD4res" => pub struct CbOffloadReply {
        /// How it ended.
        "cor_status" => pub status: Status,
    }
}
