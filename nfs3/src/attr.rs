//! GETATTR and SETATTR (RFC 1813, sections 3.3.1 and 3.3.2).
//!
//! ```
//! use nfswire_nfs3::{SetAttributes, Time, attr::SetattrArgs};
//!
//! // Truncate a file, unless somebody changed it since we looked.
//! let args = SetattrArgs {
//!     object: nfswire_nfs3::FileHandle::new(b"handle").unwrap(),
//!     new_attributes: SetAttributes { size: Some(0), ..SetAttributes::default() },
//!     guard: Some(Time { seconds: 1, nanoseconds: 2 }),
//! };
//! assert_eq!(nfswire_xdr::Encode::encoded_len(&args), 12 + 32 + 12);
//! ```

use nfswire_xdr::{xdr_struct, xdr_union};

use crate::{Attributes, FileHandle, SetAttributes, Status, Time, WccData};

//--- GETATTR ---

xdr_struct! {
    /// Arguments of GETATTR (RFC 1813, section 3.3.1).
    #[derive(Copy)]
    "GETATTR3args" => pub struct GetattrArgs<'a> {
        /// Object whose attributes are wanted.
        pub object: FileHandle<'a>,
    }
}

xdr_struct! {
    /// Body of a successful GETATTR (RFC 1813, section 3.3.1).
    #[derive(Copy)]
    "GETATTR3resok" => pub struct GetattrOk {
        /// The attributes.
        "obj_attributes" => pub attributes: Attributes,
    }
}

xdr_union! {
    /// Reply to GETATTR: the only one whose failure carries nothing but the status (RFC 1813,
    /// section 3.3.1).
    #[derive(Copy)]
    "GETATTR3res" => pub enum GetattrReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(GetattrOk),
        /// Failure.
        default => Fail,
    }
}

//--- SETATTR ---

/// The object's ctime as the client knows it; SETATTR fails with [`Status::NOT_SYNC`] when it is
/// another one now (RFC 1813, section 3.3.2). `None`: do not check.
#[doc(alias = "sattrguard3")]
pub type SetattrGuard = Option<Time>;

xdr_struct! {
    /// Arguments of SETATTR (RFC 1813, section 3.3.2).
    #[derive(Copy)]
    "SETATTR3args" => pub struct SetattrArgs<'a> {
        /// Object to change.
        pub object: FileHandle<'a>,
        /// What to set.
        pub new_attributes: SetAttributes,
        /// Only when the object's ctime is this one.
        pub guard: SetattrGuard,
    }
}

xdr_struct! {
    /// Body of a successful SETATTR (RFC 1813, section 3.3.2).
    #[derive(Copy)]
    "SETATTR3resok" => pub struct SetattrOk {
        /// The object before and after.
        "obj_wcc" => pub wcc: WccData,
    }
}

/// Body of a failed SETATTR: the object before and after (RFC 1813, section 3.3.2).
#[doc(alias = "SETATTR3resfail")]
pub type SetattrFail = WccData;

xdr_union! {
    /// Reply to SETATTR (RFC 1813, section 3.3.2).
    #[derive(Copy)]
    "SETATTR3res" => pub enum SetattrReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(SetattrOk),
        /// Failure; nothing was changed when the guard failed.
        default => Fail(SetattrFail),
    }
}
