//! CREATE, MKDIR, SYMLINK and MKNOD (RFC 1813, sections 3.3.8 to 3.3.11).
//!
//! The four replies look alike: handle and attributes of the new object, both optional, and the
//! directory before and after.
//!
//! ```
//! use nfswire_nfs3::{DirOpArgs, FileHandle, FileName, create::{CreateArgs, CreateHow}};
//!
//! let args = CreateArgs {
//!     location: DirOpArgs {
//!         dir: FileHandle::new(b"dir!").unwrap(),
//!         name: FileName::new(b"lock").unwrap(),
//!     },
//!     how: CreateHow::Exclusive(*b"verifier"),
//! };
//! assert_eq!(nfswire_xdr::Encode::encoded_len(&args), 8 + 8 + 4 + 8);
//! ```

use nfswire_xdr::{Payload, xdr_enum, xdr_struct, xdr_union};

use crate::{
    CreateVerifier, DirOpArgs, FileType, PostOpAttr, PostOpFh, SetAttributes, SpecData, Status,
    WccData,
};

//--- CREATE ---

xdr_enum! {
    /// What CREATE does about a file that exists (RFC 1813, section 3.3.8).
    "createmode3" => pub enum CreateMode {
        /// Takes the existing file.
        "UNCHECKED" Unchecked = 0,
        /// Fails with [`Status::EXIST`].
        "GUARDED" Guarded = 1,
        /// Fails with [`Status::EXIST`], unless the file was made with the same verifier.
        "EXCLUSIVE" Exclusive = 2,
    }
}

xdr_union! {
    /// How CREATE makes the file (RFC 1813, section 3.3.8).
    #[derive(Copy)]
    "createhow3" => pub enum CreateHow switch (mode: CreateMode) {
        /// Make it with these attributes, or take the existing file.
        case CreateMode::Unchecked => Unchecked(SetAttributes),
        /// Make it with these attributes, or fail with [`Status::EXIST`].
        case CreateMode::Guarded => Guarded(SetAttributes),
        /// Make it exactly once: a retry with the same verifier finds the file it made. Attributes
        /// follow by SETATTR.
        case CreateMode::Exclusive => Exclusive(CreateVerifier),
    }
}

xdr_struct! {
    /// Arguments of CREATE (RFC 1813, section 3.3.8).
    #[derive(Copy)]
    "CREATE3args" => pub struct CreateArgs<'a> {
        /// Directory and name of the new file.
        "where" => pub location: DirOpArgs<'a>,
        /// How to make it.
        pub how: CreateHow,
    }
}

xdr_struct! {
    /// Body of a successful CREATE (RFC 1813, section 3.3.8).
    #[derive(Copy)]
    "CREATE3resok" => pub struct CreateOk<'a> {
        /// Handle of the file.
        "obj" => pub object: PostOpFh<'a>,
        /// Attributes of the file.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// The directory before and after.
        pub dir_wcc: WccData,
    }
}

/// Body of a failed CREATE: the directory before and after (RFC 1813, section 3.3.8).
#[doc(alias = "CREATE3resfail")]
pub type CreateFail = WccData;

xdr_union! {
    /// Reply to CREATE (RFC 1813, section 3.3.8).
    #[derive(Copy)]
    "CREATE3res" => pub enum CreateReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(CreateOk<'a>),
        /// Failure.
        default => Fail(CreateFail),
    }
}

//--- MKDIR ---

xdr_struct! {
    /// Arguments of MKDIR (RFC 1813, section 3.3.9).
    #[derive(Copy)]
    "MKDIR3args" => pub struct MkdirArgs<'a> {
        /// Parent and name of the new directory.
        "where" => pub location: DirOpArgs<'a>,
        /// Its attributes.
        pub attributes: SetAttributes,
    }
}

xdr_struct! {
    /// Body of a successful MKDIR (RFC 1813, section 3.3.9).
    #[derive(Copy)]
    "MKDIR3resok" => pub struct MkdirOk<'a> {
        /// Handle of the new directory.
        "obj" => pub object: PostOpFh<'a>,
        /// Attributes of the new directory.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// The parent before and after.
        pub dir_wcc: WccData,
    }
}

/// Body of a failed MKDIR: the parent before and after (RFC 1813, section 3.3.9).
#[doc(alias = "MKDIR3resfail")]
pub type MkdirFail = WccData;

xdr_union! {
    /// Reply to MKDIR (RFC 1813, section 3.3.9).
    #[derive(Copy)]
    "MKDIR3res" => pub enum MkdirReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(MkdirOk<'a>),
        /// Failure.
        default => Fail(MkdirFail),
    }
}

//--- SYMLINK ---

xdr_struct! {
    /// A symbolic link to be made (RFC 1813, section 3.3.10).
    "symlinkdata3" => pub struct SymlinkData<'a> {
        /// Attributes of the link.
        "symlink_attributes" => pub attributes: SetAttributes,
        /// Text of the link, an `nfspath3`: bytes that the server does not interpret. A
        /// [`Payload`], because transports that place data directly may place it (RFC 8267).
        "symlink_data" => pub data: Payload<'a>,
    }
}

xdr_struct! {
    /// Arguments of SYMLINK (RFC 1813, section 3.3.10).
    "SYMLINK3args" => pub struct SymlinkArgs<'a> {
        /// Directory and name of the new link.
        "where" => pub location: DirOpArgs<'a>,
        /// Its attributes and text.
        pub symlink: SymlinkData<'a>,
    }
}

xdr_struct! {
    /// Body of a successful SYMLINK (RFC 1813, section 3.3.10).
    #[derive(Copy)]
    "SYMLINK3resok" => pub struct SymlinkOk<'a> {
        /// Handle of the new link.
        "obj" => pub object: PostOpFh<'a>,
        /// Attributes of the new link.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// The directory before and after.
        pub dir_wcc: WccData,
    }
}

/// Body of a failed SYMLINK: the directory before and after (RFC 1813, section 3.3.10).
#[doc(alias = "SYMLINK3resfail")]
pub type SymlinkFail = WccData;

xdr_union! {
    /// Reply to SYMLINK (RFC 1813, section 3.3.10).
    #[derive(Copy)]
    "SYMLINK3res" => pub enum SymlinkReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(SymlinkOk<'a>),
        /// Failure.
        default => Fail(SymlinkFail),
    }
}

//--- MKNOD ---

xdr_struct! {
    /// A device to be made (RFC 1813, section 3.3.11).
    #[derive(Copy)]
    "devicedata3" => pub struct DeviceData {
        /// Attributes of the device file.
        "dev_attributes" => pub attributes: SetAttributes,
        /// Device numbers.
        pub spec: SpecData,
    }
}

xdr_union! {
    /// Kind of special file, and what it needs (RFC 1813, section 3.3.11).
    ///
    /// The RFC gives the two devices one arm and the two others one; here each has its own variant,
    /// so that the type and its data cannot contradict each other.
    #[derive(Copy)]
    "mknoddata3" => pub enum MknodData switch (file_type: FileType) {
        /// Character special device file.
        case FileType::CharDevice => CharDevice(DeviceData),
        /// Block special device file.
        case FileType::BlockDevice => BlockDevice(DeviceData),
        /// Socket.
        case FileType::Socket => Socket(SetAttributes),
        /// Named pipe.
        case FileType::Fifo => Fifo(SetAttributes),
        /// A type that MKNOD does not make; the server answers [`Status::BADTYPE`].
        default => Other,
    }
}

xdr_struct! {
    /// Arguments of MKNOD (RFC 1813, section 3.3.11).
    #[derive(Copy)]
    "MKNOD3args" => pub struct MknodArgs<'a> {
        /// Directory and name of the new special file.
        "where" => pub location: DirOpArgs<'a>,
        /// What it is.
        pub what: MknodData,
    }
}

xdr_struct! {
    /// Body of a successful MKNOD (RFC 1813, section 3.3.11).
    #[derive(Copy)]
    "MKNOD3resok" => pub struct MknodOk<'a> {
        /// Handle of the new special file.
        "obj" => pub object: PostOpFh<'a>,
        /// Attributes of the new special file.
        "obj_attributes" => pub attributes: PostOpAttr,
        /// The directory before and after.
        pub dir_wcc: WccData,
    }
}

/// Body of a failed MKNOD: the directory before and after (RFC 1813, section 3.3.11).
#[doc(alias = "MKNOD3resfail")]
pub type MknodFail = WccData;

xdr_union! {
    /// Reply to MKNOD (RFC 1813, section 3.3.11).
    #[derive(Copy)]
    "MKNOD3res" => pub enum MknodReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(MknodOk<'a>),
        /// Failure; [`Status::BADTYPE`] for a type the server does not make.
        default => Fail(MknodFail),
    }
}
