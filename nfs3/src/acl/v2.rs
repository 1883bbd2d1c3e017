//! NFS_ACL version 2, which goes with NFSv2. Replies carry attributes, so that a client need not ask
//! twice; GETATTR and ACCESS are here because NFSv2 has no ACCESS and its GETATTR knows no ACL.
//!
//! ```
//! use nfswire_nfs3::{acl::v2::{ACCESS_READ, AccessArgs, AccessReply}, v2::Status};
//!
//! let args = AccessArgs { fh: [7; 32], access: ACCESS_READ };
//! assert_eq!(nfswire_xdr::Encode::encoded_len(&args), 36);
//! let reply: AccessReply = nfswire_xdr::from_bytes(&[0, 0, 0, 70])?;
//! assert_eq!(reply, AccessReply::Fail(Status::STALE));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{xdr_struct, xdr_union};

use super::SecAttr;
use crate::v2::{Attributes, FileHandle, Status};

/// RPC version (Solaris and Linux practice).
#[doc(alias = "NFS_ACL_V2")]
pub const VERSION: u32 = 2;

//--- GETACL ---

xdr_struct! {
    /// Arguments of GETACL.
    #[derive(Copy)]
    "GETACL2args" => pub struct GetaclArgs {
        /// File whose ACL is wanted.
        pub fh: FileHandle,
        /// What is wanted of it: bits of [`acl::MASK`](super::MASK).
        pub mask: u32,
    }
}

xdr_struct! {
    /// Body of a successful GETACL.
    #[derive(Copy)]
    "GETACL2resok" => pub struct GetaclOk<'a> {
        /// Attributes of the file.
        "attr" => pub attributes: Attributes,
        /// What was wanted of its ACL.
        pub acl: SecAttr<'a>,
    }
}

xdr_union! {
    /// Reply to GETACL.
    #[derive(Copy)]
    "GETACL2res" => pub enum GetaclReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(GetaclOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- SETACL ---

xdr_struct! {
    /// Arguments of SETACL.
    #[derive(Copy)]
    "SETACL2args" => pub struct SetaclArgs<'a> {
        /// File whose ACL is set.
        pub fh: FileHandle,
        /// What to set: the lists that the mask names. [`SecAttr::validate`] it.
        pub acl: SecAttr<'a>,
    }
}

xdr_struct! {
    /// Body of a successful SETACL.
    #[derive(Copy)]
    "SETACL2resok" => pub struct SetaclOk {
        /// Attributes of the file, after it.
        "attr" => pub attributes: Attributes,
    }
}

xdr_union! {
    /// Reply to SETACL.
    #[derive(Copy)]
    "SETACL2res" => pub enum SetaclReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(SetaclOk),
        /// Failure.
        default => Fail,
    }
}

//--- GETATTR ---

xdr_struct! {
    /// Arguments of GETATTR.
    #[derive(Copy)]
    "GETATTR2args" => pub struct GetattrArgs {
        /// File whose attributes are wanted.
        pub fh: FileHandle,
    }
}

xdr_struct! {
    /// Body of a successful GETATTR.
    #[derive(Copy)]
    "GETATTR2resok" => pub struct GetattrOk {
        /// Attributes of the file.
        "attr" => pub attributes: Attributes,
    }
}

xdr_union! {
    /// Reply to GETATTR.
    #[derive(Copy)]
    "GETATTR2res" => pub enum GetattrReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(GetattrOk),
        /// Failure.
        default => Fail,
    }
}

//--- ACCESS ---

/// Read data from a file, or read a directory.
#[doc(alias = "ACCESS2_READ")]
pub const ACCESS_READ: u32 = 0x01;
/// Look up a name in a directory.
#[doc(alias = "ACCESS2_LOOKUP")]
pub const ACCESS_LOOKUP: u32 = 0x02;
/// Rewrite existing data, or change entries of a directory.
#[doc(alias = "ACCESS2_MODIFY")]
pub const ACCESS_MODIFY: u32 = 0x04;
/// Write new data, or add directory entries.
#[doc(alias = "ACCESS2_EXTEND")]
pub const ACCESS_EXTEND: u32 = 0x08;
/// Delete a directory entry.
#[doc(alias = "ACCESS2_DELETE")]
pub const ACCESS_DELETE: u32 = 0x10;
/// Execute a file; means nothing for a directory.
#[doc(alias = "ACCESS2_EXECUTE")]
pub const ACCESS_EXECUTE: u32 = 0x20;

xdr_struct! {
    /// Arguments of ACCESS.
    #[derive(Copy)]
    "ACCESS2args" => pub struct AccessArgs {
        /// Object the caller wants to use.
        pub fh: FileHandle,
        /// Rights it asks for: the bits `ACCESS_READ` and so on.
        pub access: u32,
    }
}

xdr_struct! {
    /// Body of a successful ACCESS.
    #[derive(Copy)]
    "ACCESS2resok" => pub struct AccessOk {
        /// Attributes of the object.
        "attr" => pub attributes: Attributes,
        /// Those of the rights asked for that the caller has.
        pub access: u32,
    }
}

xdr_union! {
    /// Reply to ACCESS.
    #[derive(Copy)]
    "ACCESS2res" => pub enum AccessReply switch (status: Status) {
        /// Success, also if the caller has none of the rights.
        case Status::OK => Ok(AccessOk),
        /// Failure.
        default => Fail,
    }
}

//--- GETXATTRDIR ---

xdr_struct! {
    /// Arguments of GETXATTRDIR, of Solaris.
    #[derive(Copy)]
    "GETXATTRDIR2args" => pub struct GetxattrdirArgs {
        /// File with extended attributes.
        pub fh: FileHandle,
        /// Make the directory if there is none.
        pub create: bool,
    }
}

xdr_struct! {
    /// Body of a successful GETXATTRDIR.
    #[derive(Copy)]
    "GETXATTRDIR2resok" => pub struct GetxattrdirOk {
        /// Handle of the directory in which each file is an extended attribute.
        pub fh: FileHandle,
        /// Attributes of that directory.
        "attr" => pub attributes: Attributes,
    }
}

xdr_union! {
    /// Reply to GETXATTRDIR.
    #[derive(Copy)]
    "GETXATTRDIR2res" => pub enum GetxattrdirReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(GetxattrdirOk),
        /// Failure.
        default => Fail,
    }
}

nfswire_rpc::procedures! {
    super::PROGRAM, VERSION, "Solaris and Linux practice";

    /// Does nothing.
    0 "ACLPROC2_NULL" => Null(()) -> ();
    /// Gets the access control list of a file.
    1 "ACLPROC2_GETACL" => Getacl(GetaclArgs) -> GetaclReply<'a>;
    /// Sets the access control list of a file.
    2 "ACLPROC2_SETACL" => Setacl(SetaclArgs<'a>) -> SetaclReply;
    /// Gets attributes.
    3 "ACLPROC2_GETATTR" => Getattr(GetattrArgs) -> GetattrReply;
    /// Checks access rights.
    4 "ACLPROC2_ACCESS" => Access(AccessArgs) -> AccessReply;
    /// Gets the directory of the extended attributes of a file.
    5 "ACLPROC2_GETXATTRDIR" => Getxattrdir(GetxattrdirArgs) -> GetxattrdirReply;
}
