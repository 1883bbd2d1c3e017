//! GETATTR, SETATTR, VERIFY, NVERIFY and ACCESS (RFC 7530, sections 16.7, 16.32, 16.35, 16.15 and
//! 16.1; RFC 8881, sections 18.7, 18.30, 18.31, 18.15 and 18.1).

use nfswire_xdr::{xdr_struct, xdr_union};

use crate::{
    Stateid, Status,
    attrs::{AttrSet, Fattr},
    flags::flags,
};

//--- GETATTR ---

xdr_struct! {
    /// Arguments of GETATTR (RFC 7530, section 16.7).
    #[derive(Copy, Default)]
    "GETATTR4args" => pub struct GetattrArgs<'a> {
        /// What the client asks for. A server skips what it does not support, or does not know.
        "attr_request" => pub request: AttrSet<'a>,
    }
}

xdr_struct! {
    /// Body of a successful GETATTR (RFC 7530, section 16.7).
    #[derive(Copy, Default)]
    "GETATTR4resok" => pub struct GetattrOk<'a> {
        /// Attributes of the object: a subset of those asked for.
        "obj_attributes" => pub attributes: Fattr<'a>,
    }
}

xdr_union! {
    /// Reply to GETATTR (RFC 7530, section 16.7).
    #[derive(Copy)]
    "GETATTR4res" => pub enum GetattrReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(GetattrOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- SETATTR ---

xdr_struct! {
    /// Arguments of SETATTR (RFC 7530, section 16.32).
    #[derive(Copy)]
    "SETATTR4args" => pub struct SetattrArgs<'a> {
        /// An open for writing, or a special stateid; counts only when the size is set.
        pub stateid: Stateid,
        /// What is to be set.
        "obj_attributes" => pub attributes: Fattr<'a>,
    }
}

xdr_struct! {
    /// Reply to SETATTR: a set in failures too (RFC 7530, section 16.32).
    #[derive(Copy)]
    "SETATTR4res" => pub struct SetattrReply<'a> {
        /// What came of it.
        pub status: Status,
        /// What was set, before a failure too.
        "attrsset" => pub set: AttrSet<'a>,
    }
}

impl SetattrReply<'_> {
    /// A failure that left the object as it was.
    #[inline]
    #[must_use]
    pub const fn fail(status: Status) -> Self {
        Self { status, set: AttrSet::EMPTY }
    }
}

//--- VERIFY ---

xdr_struct! {
    /// Arguments of VERIFY (RFC 7530, section 16.35).
    #[derive(Copy, Default)]
    "VERIFY4args" => pub struct VerifyArgs<'a> {
        /// What the object's attributes must be for the COMPOUND to go on.
        "obj_attributes" => pub attributes: Fattr<'a>,
    }
}

xdr_struct! {
    /// Reply to VERIFY (RFC 7530, section 16.35).
    #[derive(Copy)]
    "VERIFY4res" => pub struct VerifyReply {
        /// [`Status::OK`] when all are equal, [`Status::NOT_SAME`] when one is not.
        pub status: Status,
    }
}

//--- NVERIFY ---

xdr_struct! {
    /// Arguments of NVERIFY (RFC 7530, section 16.15).
    #[derive(Copy, Default)]
    "NVERIFY4args" => pub struct NverifyArgs<'a> {
        /// What the object's attributes must not all be for the COMPOUND to go on.
        "obj_attributes" => pub attributes: Fattr<'a>,
    }
}

xdr_struct! {
    /// Reply to NVERIFY (RFC 7530, section 16.15).
    #[derive(Copy)]
    "NVERIFY4res" => pub struct NverifyReply {
        /// [`Status::OK`] when one differs, [`Status::SAME`] when all are equal.
        pub status: Status,
    }
}

//--- ACCESS ---

flags! {
    /// Rights (RFC 7530, section 16.1; for extended attributes RFC 8276, section 8.6).
    pub struct Access {
        /// Read data from a file, or read a directory.
        "ACCESS4_READ" READ = 0x01,
        /// Look up a name in a directory.
        "ACCESS4_LOOKUP" LOOKUP = 0x02,
        /// Rewrite existing data, or change entries of a directory.
        "ACCESS4_MODIFY" MODIFY = 0x04,
        /// Write new data, or add directory entries.
        "ACCESS4_EXTEND" EXTEND = 0x08,
        /// Delete a directory entry.
        "ACCESS4_DELETE" DELETE = 0x10,
        /// Execute a file; means nothing for a directory.
        "ACCESS4_EXECUTE" EXECUTE = 0x20,
        /// Read extended attributes.
        "ACCESS4_XAREAD" XAREAD = 0x40,
        /// Set, change and remove extended attributes.
        "ACCESS4_XAWRITE" XAWRITE = 0x80,
        /// List the names of extended attributes.
        "ACCESS4_XALIST" XALIST = 0x100,
    }
}

xdr_struct! {
    /// Arguments of ACCESS (RFC 7530, section 16.1).
    #[derive(Copy)]
    "ACCESS4args" => pub struct AccessArgs {
        /// Rights to check.
        pub access: Access,
    }
}

xdr_struct! {
    /// Body of a successful ACCESS (RFC 7530, section 16.1).
    #[derive(Copy)]
    "ACCESS4resok" => pub struct AccessOk {
        /// Rights that the server could check: a subset of those asked for.
        pub supported: Access,
        /// Rights that the caller has: a subset of those checked.
        pub access: Access,
    }
}

xdr_union! {
    /// Reply to ACCESS (RFC 7530, section 16.1).
    #[derive(Copy)]
    "ACCESS4res" => pub enum AccessReply switch (status: Status) {
        /// Success: it says what is allowed, which may be nothing.
        case Status::OK => "resok4" Ok(AccessOk),
        /// Failure.
        default => Fail,
    }
}
