//! LOOKUP, LOOKUPP, READLINK and OPENATTR (RFC 7530, sections 16.13, 16.14, 16.25 and 16.17; RFC
//! 8881, sections 18.13, 18.14, 18.24 and 18.17).

use nfswire_xdr::{xdr_struct, xdr_union};

use crate::{Component, LinkText, Status};

//--- LOOKUP ---

xdr_struct! {
    /// Arguments of LOOKUP (RFC 7530, section 16.13).
    #[derive(Copy)]
    "LOOKUP4args" => pub struct LookupArgs<'a> {
        /// Name in the current directory.
        "objname" => pub name: Component<'a>,
    }
}

xdr_struct! {
    /// Reply to LOOKUP (RFC 7530, section 16.13).
    #[derive(Copy)]
    "LOOKUP4res" => pub struct LookupReply {
        /// When it is [`Status::OK`] the object is the current file handle.
        pub status: Status,
    }
}

//--- LOOKUPP ---

xdr_struct! {
    /// Reply to LOOKUPP, which has no arguments (RFC 7530, section 16.14).
    #[derive(Copy)]
    "LOOKUPP4res" => pub struct LookuppReply {
        /// When it is [`Status::OK`] the parent directory is the current file handle; at the root
        /// it is [`Status::NOENT`].
        pub status: Status,
    }
}

//--- READLINK ---

xdr_struct! {
    /// Body of a successful READLINK (RFC 7530, section 16.25).
    #[derive(Copy)]
    "READLINK4resok" => pub struct ReadlinkOk<'a> {
        /// What is in the symbolic link; the client interprets it.
        pub link: LinkText<'a>,
    }
}

xdr_union! {
    /// Reply to READLINK, which has no arguments (RFC 7530, section 16.25).
    #[derive(Copy)]
    "READLINK4res" => pub enum ReadlinkReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(ReadlinkOk<'a>),
        /// Failure; [`Status::INVAL`] (in NFSv4.1 [`Status::WRONG_TYPE`]) when it is no symbolic
        /// link.
        default => Fail,
    }
}

//--- OPENATTR ---

xdr_struct! {
    /// Arguments of OPENATTR (RFC 7530, section 16.17).
    #[derive(Copy)]
    "OPENATTR4args" => pub struct OpenattrArgs {
        /// Whether to make the directory of named attributes if there is none.
        "createdir" => pub create_dir: bool,
    }
}

xdr_struct! {
    /// Reply to OPENATTR (RFC 7530, section 16.17).
    #[derive(Copy)]
    "OPENATTR4res" => pub struct OpenattrReply {
        /// When it is [`Status::OK`] the directory of named attributes is the current file handle.
        pub status: Status,
    }
}
