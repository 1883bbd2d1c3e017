//! Where else a file system is, and the state of a copy (RFC 8881, section 11).

use nfswire_xdr::{Array, Opaque, xdr_enum, xdr_struct};

use crate::{Component, PathName, TextCis, Time, flags::flags};

//--- fs_locations ---

xdr_struct! {
    /// Servers that have a file system at one path (RFC 7530, section 2.2.6).
    #[derive(Copy)]
    "fs_location4" => pub struct FsLocation<'a> {
        /// Names or addresses of the servers.
        pub server: Array<'a, TextCis<'a>>,
        /// The path from the root of each of them.
        pub rootpath: PathName<'a>,
    }
}

xdr_struct! {
    /// Where a file system is (RFC 7530, section 8.6).
    #[derive(Copy)]
    "fs_locations4" => pub struct FsLocations<'a> {
        /// The path on the server that is asked.
        pub fs_root: PathName<'a>,
        /// Where else it is.
        pub locations: Array<'a, FsLocation<'a>>,
    }
}

//--- fs_locations_info ---

xdr_struct! {
    /// One server that has a file system (RFC 8881, section 11.17.1).
    #[derive(Copy)]
    "fs_locations_server4" => pub struct FsLocationsServer<'a> {
        /// How far behind the copy may be, in seconds; negative when it is frozen.
        "fls_currency" => pub currency: i32,
        /// One byte for each of [`fsli`]'s indices; more, and fewer, are allowed.
        "fls_info" => pub info: Opaque<'a>,
        /// Name or address of the server.
        "fls_server" => pub server: TextCis<'a>,
    }
}

impl FsLocationsServer<'_> {
    /// Byte `index`, one of [`fsli`]'s; 0, the default of all of them, where the list is shorter.
    #[must_use]
    pub fn info_byte(&self, index: usize) -> u8 {
        self.info.as_bytes().get(index).copied().unwrap_or(0)
    }
}

/// Indices into [`FsLocationsServer::info`], and the bits of its two bytes of flags (RFC 8881,
/// section 11.17.1).
pub mod fsli {
    /// Index of the general flags.
    #[doc(alias = "FSLI4BX_GFLAGS")]
    pub const GFLAGS: usize = 0;
    /// Index of the transport's flags.
    #[doc(alias = "FSLI4BX_TFLAGS")]
    pub const TFLAGS: usize = 1;
    /// Index of the class of copies that can be used at the same time.
    #[doc(alias = "FSLI4BX_CLSIMUL")]
    pub const CLSIMUL: usize = 2;
    /// Index of the class of copies that share file handles.
    #[doc(alias = "FSLI4BX_CLHANDLE")]
    pub const CLHANDLE: usize = 3;
    /// Index of the class of copies that share file ids.
    #[doc(alias = "FSLI4BX_CLFILEID")]
    pub const CLFILEID: usize = 4;
    /// Index of the class of copies that share write verifiers.
    #[doc(alias = "FSLI4BX_CLWRITEVER")]
    pub const CLWRITEVER: usize = 5;
    /// Index of the class of copies that share change attributes.
    #[doc(alias = "FSLI4BX_CLCHANGE")]
    pub const CLCHANGE: usize = 6;
    /// Index of the class of copies that share cookies and verifiers of directories.
    #[doc(alias = "FSLI4BX_CLREADDIR")]
    pub const CLREADDIR: usize = 7;
    /// Index of the rank for reading; lower is better.
    #[doc(alias = "FSLI4BX_READRANK")]
    pub const READRANK: usize = 8;
    /// Index of the rank for writing; lower is better.
    #[doc(alias = "FSLI4BX_WRITERANK")]
    pub const WRITERANK: usize = 9;
    /// Index of the order for reading, among those of one rank.
    #[doc(alias = "FSLI4BX_READORDER")]
    pub const READORDER: usize = 10;
    /// Index of the order for writing, among those of one rank.
    #[doc(alias = "FSLI4BX_WRITEORDER")]
    pub const WRITEORDER: usize = 11;

    /// General flag: the copy can be written.
    #[doc(alias = "FSLI4GF_WRITABLE")]
    pub const GF_WRITABLE: u8 = 0x01;
    /// General flag: the copy is what the client uses now.
    #[doc(alias = "FSLI4GF_CUR_REQ")]
    pub const GF_CUR_REQ: u8 = 0x02;
    /// General flag: the copy is not there any more.
    #[doc(alias = "FSLI4GF_ABSENT")]
    pub const GF_ABSENT: u8 = 0x04;
    /// General flag: the copy will go away.
    #[doc(alias = "FSLI4GF_GOING")]
    pub const GF_GOING: u8 = 0x08;
    /// General flag: the file system is split over several servers.
    #[doc(alias = "FSLI4GF_SPLIT")]
    pub const GF_SPLIT: u8 = 0x10;

    /// Flag of the transport: RDMA can be used.
    #[doc(alias = "FSLI4TF_RDMA")]
    pub const TF_RDMA: u8 = 0x01;
}

xdr_struct! {
    /// Servers that have a file system at one path (RFC 8881, section 11.17.2).
    #[derive(Copy)]
    "fs_locations_item4" => pub struct FsLocationsItem<'a> {
        /// The servers.
        "fli_entries" => pub entries: Array<'a, FsLocationsServer<'a>>,
        /// The path from the root of each of them.
        "fli_rootpath" => pub rootpath: PathName<'a>,
    }
}

flags! {
    /// Flags of [`FsLocationsInfo`] (RFC 8881, section 11.17.2).
    #[doc(alias = "fli_flags")]
    pub struct FsLocationsFlags {
        /// Paths contain variables for the client to fill in.
        "FSLI4IF_VAR_SUB" VAR_SUB = 0x1,
    }
}

xdr_struct! {
    /// Where a file system is, and what to prefer (RFC 8881, section 11.17).
    #[derive(Copy)]
    "fs_locations_info4" => pub struct FsLocationsInfo<'a> {
        /// Whether there is something to fill in.
        "fli_flags" => pub flags: FsLocationsFlags,
        /// Seconds after which to ask again.
        "fli_valid_for" => pub valid_for: i32,
        /// The path on the server that is asked.
        "fli_fs_root" => pub fs_root: PathName<'a>,
        /// Where it is.
        "fli_items" => pub items: Array<'a, FsLocationsItem<'a>>,
    }
}

//--- fs_status ---

xdr_enum! {
    /// How a copy of a file system changes (RFC 8881, section 11.18).
    "fs4_status_type" => pub enum FsStatusType {
        /// Not at all.
        "STATUS4_FIXED" Fixed = 1,
        /// From elsewhere, now and then.
        "STATUS4_UPDATED" Updated = 2,
        /// From elsewhere, each time as a whole.
        "STATUS4_VERSIONED" Versioned = 3,
        /// By clients.
        "STATUS4_WRITABLE" Writable = 4,
        /// It was never here.
        "STATUS4_REFERRAL" Referral = 5,
    }
}

xdr_struct! {
    /// State of a copy of a file system (RFC 8881, section 11.18).
    #[derive(Copy)]
    "fs4_status" => pub struct FsStatus<'a> {
        /// It is not here.
        "fss_absent" => pub absent: bool,
        /// How it changes.
        "fss_type" => pub status_type: FsStatusType,
        /// What it is a copy of.
        "fss_source" => pub source: Component<'a>,
        /// Which version of that it is.
        "fss_current" => pub current: Component<'a>,
        /// Seconds since it was the same as its source; negative when not known.
        "fss_age" => pub age: i32,
        /// When that version was made.
        "fss_version" => pub version: Time,
    }
}
