//! PUTFH, PUTPUBFH, PUTROOTFH, GETFH, SAVEFH, RESTOREFH and ILLEGAL (RFC 7530, sections 16.8, 16.20
//! to 16.22, 16.29, 16.30 and 15.2.4; RFC 8881, sections 18.8, 18.19 to 18.21, 18.27, 18.28 and
//! 16.2.3).
//!
//! Nearly every operation works on the current file handle, which these set, read, save and
//! restore.

use nfswire_xdr::{xdr_struct, xdr_union};

use crate::{FileHandle, Status};

//--- PUTFH ---

xdr_struct! {
    /// Arguments of PUTFH (RFC 7530, section 16.20).
    #[derive(Copy)]
    "PUTFH4args" => pub struct PutfhArgs<'a> {
        /// Becomes the current file handle.
        pub object: FileHandle<'a>,
    }
}

xdr_struct! {
    /// Reply to PUTFH (RFC 7530, section 16.20).
    #[derive(Copy)]
    "PUTFH4res" => pub struct PutfhReply {
        /// [`Status::STALE`], [`Status::BADHANDLE`] or [`Status::FHEXPIRED`] when the handle names
        /// nothing.
        pub status: Status,
    }
}

//--- PUTPUBFH ---

xdr_struct! {
    /// Reply to PUTPUBFH, which has no arguments: the public file handle becomes the current one
    /// (RFC 7530, section 16.21).
    #[derive(Copy)]
    "PUTPUBFH4res" => pub struct PutpubfhReply {
        /// Whether it did.
        pub status: Status,
    }
}

//--- PUTROOTFH ---

xdr_struct! {
    /// Reply to PUTROOTFH, which has no arguments: the handle of the server's root becomes the
    /// current one (RFC 7530, section 16.22).
    #[derive(Copy)]
    "PUTROOTFH4res" => pub struct PutrootfhReply {
        /// Whether it did.
        pub status: Status,
    }
}

//--- GETFH ---

xdr_struct! {
    /// Body of a successful GETFH (RFC 7530, section 16.8).
    #[derive(Copy)]
    "GETFH4resok" => pub struct GetfhOk<'a> {
        /// The current file handle.
        pub object: FileHandle<'a>,
    }
}

xdr_union! {
    /// Reply to GETFH, which has no arguments (RFC 7530, section 16.8).
    #[derive(Copy)]
    "GETFH4res" => pub enum GetfhReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(GetfhOk<'a>),
        /// Failure; [`Status::NOFILEHANDLE`] when there is no current file handle.
        default => Fail,
    }
}

//--- SAVEFH ---

xdr_struct! {
    /// Reply to SAVEFH, which has no arguments: the current file handle becomes the saved one too
    /// (RFC 7530, section 16.30).
    #[derive(Copy)]
    "SAVEFH4res" => pub struct SavefhReply {
        /// [`Status::NOFILEHANDLE`] when there is no current file handle.
        pub status: Status,
    }
}

//--- RESTOREFH ---

xdr_struct! {
    /// Reply to RESTOREFH, which has no arguments: the saved file handle becomes the current one
    /// too (RFC 7530, section 16.29).
    #[derive(Copy)]
    "RESTOREFH4res" => pub struct RestorefhReply {
        /// [`Status::RESTOREFH`] (in NFSv4.1 [`Status::NOFILEHANDLE`]) when none was saved.
        pub status: Status,
    }
}

//--- ILLEGAL ---

xdr_struct! {
    /// Reply to an operation that does not exist, under the number
    /// [`OpNum::ILLEGAL`](crate::OpNum::ILLEGAL) (RFC 7530, section 15.2.4).
    #[derive(Copy)]
    "ILLEGAL4res" => pub struct IllegalReply {
        /// [`Status::OP_ILLEGAL`].
        pub status: Status,
    }
}

impl Default for IllegalReply {
    /// The only such reply.
    fn default() -> Self {
        Self { status: Status::OP_ILLEGAL }
    }
}
