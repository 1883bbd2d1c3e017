//! REMOVE, RMDIR, RENAME and LINK (RFC 1813, sections 3.3.12 to 3.3.15).
//!
//! RENAME and LINK have the longest failures: two values behind the status.
//!
//! ```
//! use nfswire_nfs3::{Status, remove::{RenameFail, RenameReply}};
//! use nfswire_xdr::Encode;
//!
//! let reply = RenameReply::Fail(Status::NOENT, RenameFail::default());
//! assert_eq!(reply.encoded_len(), 20);
//! ```

use nfswire_xdr::{xdr_struct, xdr_union};

use crate::{DirOpArgs, FileHandle, PostOpAttr, Status, WccData};

//--- REMOVE ---

xdr_struct! {
    /// Arguments of REMOVE (RFC 1813, section 3.3.12).
    #[derive(Copy)]
    "REMOVE3args" => pub struct RemoveArgs<'a> {
        /// Directory and name of the entry to remove.
        pub object: DirOpArgs<'a>,
    }
}

xdr_struct! {
    /// Body of a successful REMOVE (RFC 1813, section 3.3.12).
    #[derive(Copy)]
    "REMOVE3resok" => pub struct RemoveOk {
        /// The directory before and after.
        pub dir_wcc: WccData,
    }
}

/// Body of a failed REMOVE: the directory before and after (RFC 1813, section 3.3.12).
#[doc(alias = "REMOVE3resfail")]
pub type RemoveFail = WccData;

xdr_union! {
    /// Reply to REMOVE (RFC 1813, section 3.3.12).
    #[derive(Copy)]
    "REMOVE3res" => pub enum RemoveReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(RemoveOk),
        /// Failure.
        default => Fail(RemoveFail),
    }
}

//--- RMDIR ---

xdr_struct! {
    /// Arguments of RMDIR (RFC 1813, section 3.3.13).
    #[derive(Copy)]
    "RMDIR3args" => pub struct RmdirArgs<'a> {
        /// Parent and name of the directory to remove.
        pub object: DirOpArgs<'a>,
    }
}

xdr_struct! {
    /// Body of a successful RMDIR (RFC 1813, section 3.3.13).
    #[derive(Copy)]
    "RMDIR3resok" => pub struct RmdirOk {
        /// The parent before and after.
        pub dir_wcc: WccData,
    }
}

/// Body of a failed RMDIR: the parent before and after (RFC 1813, section 3.3.13).
#[doc(alias = "RMDIR3resfail")]
pub type RmdirFail = WccData;

xdr_union! {
    /// Reply to RMDIR (RFC 1813, section 3.3.13).
    #[derive(Copy)]
    "RMDIR3res" => pub enum RmdirReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(RmdirOk),
        /// Failure; [`Status::NOTEMPTY`] when entries are left.
        default => Fail(RmdirFail),
    }
}

//--- RENAME ---

xdr_struct! {
    /// Arguments of RENAME (RFC 1813, section 3.3.14).
    #[derive(Copy)]
    "RENAME3args" => pub struct RenameArgs<'a> {
        /// Directory and name now.
        pub from: DirOpArgs<'a>,
        /// Directory and name to be; an object there is replaced when the types agree.
        pub to: DirOpArgs<'a>,
    }
}

xdr_struct! {
    /// Body of a successful RENAME (RFC 1813, section 3.3.14).
    #[derive(Copy)]
    "RENAME3resok" => pub struct RenameOk {
        /// The old directory before and after.
        "fromdir_wcc" => pub from_dir_wcc: WccData,
        /// The new directory before and after.
        "todir_wcc" => pub to_dir_wcc: WccData,
    }
}

xdr_struct! {
    /// Body of a failed RENAME (RFC 1813, section 3.3.14).
    #[derive(Copy, Default)]
    "RENAME3resfail" => pub struct RenameFail {
        /// The old directory before and after.
        "fromdir_wcc" => pub from_dir_wcc: WccData,
        /// The new directory before and after.
        "todir_wcc" => pub to_dir_wcc: WccData,
    }
}

xdr_union! {
    /// Reply to RENAME (RFC 1813, section 3.3.14).
    #[derive(Copy)]
    "RENAME3res" => pub enum RenameReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(RenameOk),
        /// Failure.
        default => Fail(RenameFail),
    }
}

//--- LINK ---

xdr_struct! {
    /// Arguments of LINK (RFC 1813, section 3.3.15).
    #[derive(Copy)]
    "LINK3args" => pub struct LinkArgs<'a> {
        /// Object that gets another name.
        pub file: FileHandle<'a>,
        /// Directory and name of the new link.
        pub link: DirOpArgs<'a>,
    }
}

xdr_struct! {
    /// Body of a successful LINK (RFC 1813, section 3.3.15).
    #[derive(Copy)]
    "LINK3resok" => pub struct LinkOk {
        /// Attributes of the object.
        "file_attributes" => pub attributes: PostOpAttr,
        /// The directory before and after.
        "linkdir_wcc" => pub link_dir_wcc: WccData,
    }
}

xdr_struct! {
    /// Body of a failed LINK (RFC 1813, section 3.3.15).
    #[derive(Copy, Default)]
    "LINK3resfail" => pub struct LinkFail {
        /// Attributes of the object.
        "file_attributes" => pub attributes: PostOpAttr,
        /// The directory before and after.
        "linkdir_wcc" => pub link_dir_wcc: WccData,
    }
}

xdr_union! {
    /// Reply to LINK (RFC 1813, section 3.3.15).
    #[derive(Copy)]
    "LINK3res" => pub enum LinkReply switch (status: Status) {
        /// Success.
        case Status::OK => Ok(LinkOk),
        /// Failure.
        default => Fail(LinkFail),
    }
}
