//! NFS_ACL version 3, which goes with NFSv3.
//!
//! ```
//! use nfswire_nfs3::{Status, acl::{self, v3}};
//!
//! let args: v3::GetaclArgs<'_> = nfswire_xdr::from_bytes(b"\0\0\0\x04root\0\0\0\x05")?;
//! assert_eq!((args.fh.as_bytes(), args.mask), (&b"root"[..], acl::ACL | acl::DFACL));
//! let reply: v3::GetaclReply<'_> = nfswire_xdr::from_bytes(b"\0\0\x27\x14\0\0\0\0")?;
//! assert_eq!(reply, v3::GetaclReply::Fail(Status::NOTSUPP, None));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

use nfswire_xdr::{xdr_struct, xdr_union};

use super::SecAttr;
use crate::{FileHandle, PostOpAttr, Status};

/// RPC version (Solaris and Linux practice).
#[doc(alias = "NFS_ACL_V3")]
pub const VERSION: u32 = 3;

//--- GETACL ---

xdr_struct! {
    /// Arguments of GETACL.
    #[derive(Copy)]
    "GETACL3args" => pub struct GetaclArgs<'a> {
        /// File whose ACL is wanted.
        pub fh: FileHandle<'a>,
        /// What is wanted of it: bits of [`acl::MASK`](super::MASK).
        pub mask: u32,
    }
}

xdr_struct! {
    /// Body of a successful GETACL.
    #[derive(Copy)]
    "GETACL3resok" => pub struct GetaclOk<'a> {
        /// Attributes of the file.
        "attr" => pub attributes: PostOpAttr,
        /// What was wanted of its ACL.
        pub acl: SecAttr<'a>,
    }
}

/// Body of a failed GETACL: attributes of the file.
#[doc(alias = "GETACL3resfail")]
pub type GetaclFail = PostOpAttr;

xdr_union! {
    /// Reply to GETACL.
    #[derive(Copy)]
    "GETACL3res" => pub enum GetaclReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(GetaclOk<'a>),
        /// Failure.
        default => Fail(GetaclFail),
    }
}

//--- SETACL ---

xdr_struct! {
    /// Arguments of SETACL.
    #[derive(Copy)]
    "SETACL3args" => pub struct SetaclArgs<'a> {
        /// File whose ACL is set.
        pub fh: FileHandle<'a>,
        /// What to set: the lists that the mask names. [`SecAttr::validate`] it.
        pub acl: SecAttr<'a>,
    }
}

xdr_struct! {
    /// Body of a successful SETACL.
    #[derive(Copy)]
    "SETACL3resok" => pub struct SetaclOk {
        /// Attributes of the file, after it.
        "attr" => pub attributes: PostOpAttr,
    }
}

/// Body of a failed SETACL: attributes of the file.
#[doc(alias = "SETACL3resfail")]
pub type SetaclFail = PostOpAttr;

xdr_union! {
    /// Reply to SETACL.
    #[derive(Copy)]
    "SETACL3res" => pub enum SetaclReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(SetaclOk),
        /// Failure.
        default => Fail(SetaclFail),
    }
}

//--- GETXATTRDIR ---

xdr_struct! {
    /// Arguments of GETXATTRDIR, of Solaris.
    #[derive(Copy)]
    "GETXATTRDIR3args" => pub struct GetxattrdirArgs<'a> {
        /// File with extended attributes.
        pub fh: FileHandle<'a>,
        /// Make the directory if there is none.
        pub create: bool,
    }
}

xdr_struct! {
    /// Body of a successful GETXATTRDIR.
    #[derive(Copy)]
    "GETXATTRDIR3resok" => pub struct GetxattrdirOk<'a> {
        /// Handle of the directory in which each file is an extended attribute.
        pub fh: FileHandle<'a>,
        /// Attributes of that directory.
        "attr" => pub attributes: PostOpAttr,
    }
}

xdr_union! {
    /// Reply to GETXATTRDIR. Its failure has no attributes, other than those of its sisters.
    #[derive(Copy)]
    "GETXATTRDIR3res" => pub enum GetxattrdirReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(GetxattrdirOk<'a>),
        /// Failure.
        default => Fail,
    }
}

nfswire_rpc::procedures! {
    super::PROGRAM, VERSION, "Solaris and Linux practice";

    /// Does nothing.
    0 "ACLPROC3_NULL" => Null(()) -> ();
    /// Gets the access control list of a file.
    1 "ACLPROC3_GETACL" => Getacl(GetaclArgs<'a>) -> GetaclReply<'a>;
    /// Sets the access control list of a file.
    2 "ACLPROC3_SETACL" => Setacl(SetaclArgs<'a>) -> SetaclReply;
    /// Gets the directory of the extended attributes of a file.
    3 "ACLPROC3_GETXATTRDIR" => Getxattrdir(GetxattrdirArgs<'a>) -> GetxattrdirReply<'a>;
}
