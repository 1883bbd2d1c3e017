//! Extended attributes: GETXATTR, SETXATTR, LISTXATTRS and REMOVEXATTR (RFC 8276), all about the current
//! object.
//!
//! Names are those of the `user` namespace, without its prefix.

use nfswire_xdr::{Array, xdr_enum, xdr_struct, xdr_union};

use crate::{ChangeInfo, Cookie, Count, Status, XattrKey, XattrValue};

//--- GETXATTR ---

xdr_struct! {
    /// Arguments of GETXATTR (RFC 8276, section 8.4.1).
    #[derive(Copy)]
    "GETXATTR4args" => pub struct GetxattrArgs<'a> {
        /// Name of the attribute.
        "gxa_name" => pub name: XattrKey<'a>,
    }
}

xdr_union! {
    /// Reply to GETXATTR (RFC 8276, section 8.4.1).
    #[derive(Copy)]
    "GETXATTR4res" => pub enum GetxattrReply<'a> switch (status: Status) {
        /// Success: the value.
        case Status::OK => "gxr_value" Ok(XattrValue<'a>),
        /// Failure; [`Status::NOXATTR`] when there is no such attribute.
        default => Fail,
    }
}

//--- SETXATTR ---

xdr_enum! {
    /// What may be there before (RFC 8276, section 8.4.2).
    "setxattr_option4" => pub enum SetxattrOption {
        /// Either an attribute of this name or none.
        "SETXATTR4_EITHER" Either = 0,
        /// None: else [`Status::EXIST`].
        "SETXATTR4_CREATE" Create = 1,
        /// One: else [`Status::NOXATTR`].
        "SETXATTR4_REPLACE" Replace = 2,
    }
}

xdr_struct! {
    /// Arguments of SETXATTR (RFC 8276, section 8.4.2).
    #[derive(Copy)]
    "SETXATTR4args" => pub struct SetxattrArgs<'a> {
        /// What may be there before.
        "sxa_option" => pub option: SetxattrOption,
        /// Name of the attribute.
        "sxa_key" => pub key: XattrKey<'a>,
        /// Its value from now on.
        "sxa_value" => pub value: XattrValue<'a>,
    }
}

xdr_union! {
    /// Reply to SETXATTR (RFC 8276, section 8.4.2).
    #[derive(Copy)]
    "SETXATTR4res" => pub enum SetxattrReply switch (status: Status) {
        /// Success: the object's change attribute around it.
        case Status::OK => "sxr_info" Ok(ChangeInfo),
        /// Failure; [`Status::XATTR2BIG`] when the value is too long.
        default => Fail,
    }
}

//--- LISTXATTRS ---

xdr_struct! {
    /// Arguments of LISTXATTRS (RFC 8276, section 8.4.3).
    #[derive(Copy)]
    "LISTXATTRS4args" => pub struct ListxattrsArgs {
        /// Where to go on: 0 at first, then the cookie of the last reply.
        "lxa_cookie" => pub cookie: Cookie,
        /// Most bytes that the body of the result may take.
        "lxa_maxcount" => pub maxcount: Count,
    }
}

xdr_struct! {
    /// Body of a successful LISTXATTRS (RFC 8276, section 8.4.3).
    #[derive(Copy)]
    "LISTXATTRS4resok" => pub struct ListxattrsOk<'a> {
        /// Where to go on.
        "lxr_cookie" => pub cookie: Cookie,
        /// The names.
        "lxr_names" => pub names: Array<'a, XattrKey<'a>>,
        /// There are no more.
        "lxr_eof" => pub eof: bool,
    }
}

xdr_union! {
    /// Reply to LISTXATTRS (RFC 8276, section 8.4.3).
    #[derive(Copy)]
    "LISTXATTRS4res" => pub enum ListxattrsReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "lxr_value" Ok(ListxattrsOk<'a>),
        /// Failure; [`Status::TOOSMALL`] when not one name fits.
        default => Fail,
    }
}

//--- REMOVEXATTR ---

xdr_struct! {
    /// Arguments of REMOVEXATTR (RFC 8276, section 8.4.4).
    #[derive(Copy)]
    "REMOVEXATTR4args" => pub struct RemovexattrArgs<'a> {
        /// Name of the attribute.
        "rxa_name" => pub name: XattrKey<'a>,
    }
}

xdr_union! {
    /// Reply to REMOVEXATTR (RFC 8276, section 8.4.4).
    #[derive(Copy)]
    "REMOVEXATTR4res" => pub enum RemovexattrReply switch (status: Status) {
        /// Success: the object's change attribute around it.
        case Status::OK => "rxr_info" Ok(ChangeInfo),
        /// Failure; [`Status::NOXATTR`] when there is no such attribute.
        default => Fail,
    }
}
