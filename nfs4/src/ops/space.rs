//! Space of files: ALLOCATE, DEALLOCATE and SEEK (RFC 7862, sections 15.1, 15.4 and 15.11), all about the
//! current file.

use nfswire_xdr::{xdr_struct, xdr_union};

use super::io::DataContent;
use crate::{Length, Offset, Stateid, Status};

//--- ALLOCATE ---

xdr_struct! {
    /// Arguments of ALLOCATE (RFC 7862, section 15.1).
    #[derive(Copy)]
    "ALLOCATE4args" => pub struct AllocateArgs {
        /// An open, a lock or a delegation, or one of the special ones.
        "aa_stateid" => pub stateid: Stateid,
        /// First byte to reserve space for; a shorter file grows.
        "aa_offset" => pub offset: Offset,
        /// Length of the range, in bytes.
        "aa_length" => pub length: Length,
    }
}

xdr_struct! {
    /// Reply to ALLOCATE (RFC 7862, section 15.1).
    #[derive(Copy)]
    "ALLOCATE4res" => pub struct AllocateReply {
        /// How it ended.
        "ar_status" => pub status: Status,
    }
}

//--- DEALLOCATE ---

xdr_struct! {
    /// Arguments of DEALLOCATE (RFC 7862, section 15.4).
    #[derive(Copy)]
    "DEALLOCATE4args" => pub struct DeallocateArgs {
        /// An open, a lock or a delegation, or one of the special ones.
        "da_stateid" => pub stateid: Stateid,
        /// First byte of what becomes a hole; the file's length does not change.
        "da_offset" => pub offset: Offset,
        /// Length of the range, in bytes.
        "da_length" => pub length: Length,
    }
}

xdr_struct! {
    /// Reply to DEALLOCATE (RFC 7862, section 15.4).
    #[derive(Copy)]
    "DEALLOCATE4res" => pub struct DeallocateReply {
        /// How it ended.
        "dr_status" => pub status: Status,
    }
}

//--- SEEK ---

xdr_struct! {
    /// Arguments of SEEK (RFC 7862, section 15.11).
    #[derive(Copy)]
    "SEEK4args" => pub struct SeekArgs {
        /// An open, a lock or a delegation, or one of the special ones.
        "sa_stateid" => pub stateid: Stateid,
        /// Where to begin.
        "sa_offset" => pub offset: Offset,
        /// What to look for.
        "sa_what" => pub what: DataContent,
    }
}

xdr_struct! {
    /// Body of a successful SEEK (RFC 7862, section 15.11).
    #[derive(Copy)]
    "seek_res4" => pub struct SeekOk {
        /// There is none before the end of the file, which counts as a hole.
        "sr_eof" => pub eof: bool,
        /// Where the next content of the kind begins.
        "sr_offset" => pub offset: Offset,
    }
}

xdr_union! {
    /// Reply to SEEK (RFC 7862, section 15.11).
    #[derive(Copy)]
    "SEEK4res" => pub enum SeekReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(SeekOk),
        /// Failure: [`Status::NXIO`] when the offset is behind the end,
        /// [`Status::UNION_NOTSUPP`] when the kind is not known.
        default => Fail,
    }
}
