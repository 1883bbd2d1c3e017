//! Data types that several operations share (RFC 7531 and 5662, section 2 on).

use nfswire_xdr::{Array, Opaque, Text, xdr_enum, xdr_open_enum, xdr_struct, xdr_union};

/// Largest file handle, in bytes (RFC 7531).
#[doc(alias = "NFS4_FHSIZE")]
pub const FHSIZE: u32 = 128;
/// Size of a verifier, in bytes (RFC 7531).
#[doc(alias = "NFS4_VERIFIER_SIZE")]
pub const VERIFIER_SIZE: u32 = 8;
/// Longest opaque of an owner or client, in bytes (RFC 7531).
#[doc(alias = "NFS4_OPAQUE_LIMIT")]
pub const OPAQUE_LIMIT: u32 = 1024;
/// Size of a stateid behind its sequence number, in bytes (RFC 7531).
#[doc(alias = "NFS4_OTHER_SIZE")]
pub const OTHER_SIZE: u32 = 12;
/// The largest [`i32`], by the RFC's name (RFC 7531).
#[doc(alias = "NFS4_INT32_MAX")]
pub const INT32_MAX: i32 = i32::MAX;
/// The largest [`u32`], by the RFC's name (RFC 7531).
#[doc(alias = "NFS4_UINT32_MAX")]
pub const UINT32_MAX: u32 = u32::MAX;
/// The largest [`i64`], by the RFC's name (RFC 7531).
#[doc(alias = "NFS4_INT64_MAX")]
pub const INT64_MAX: i64 = i64::MAX;
/// The largest [`u64`], by the RFC's name (RFC 7531).
#[doc(alias = "NFS4_UINT64_MAX")]
pub const UINT64_MAX: u64 = u64::MAX;
/// Length that means "to the end of the file", whatever that is (RFC 5662).
#[doc(alias = "NFS4_MAXFILELEN")]
pub const MAXFILELEN: Length = u64::MAX;
/// The largest offset of a byte (RFC 5662).
#[doc(alias = "NFS4_MAXFILEOFF")]
pub const MAXFILEOFF: Offset = u64::MAX - 1;
/// Size of a session id, in bytes (RFC 5662).
#[doc(alias = "NFS4_SESSIONID_SIZE")]
pub const SESSIONID_SIZE: u32 = 16;
/// Size of a device id, in bytes (RFC 5662).
#[doc(alias = "NFS4_DEVICEID4_SIZE")]
pub const DEVICEID_SIZE: u32 = 16;
/// The well-known port (RFC 7530, section 3.1).
pub const PORT: u16 = 2049;

//--- Names and numbers ---

/// File handle: at most [`FHSIZE`] bytes that only the server can read (RFC 7530, section 4).
#[doc(alias = "nfs_fh4")]
pub type FileHandle<'a> = Opaque<'a, 128>;

/// Name of one directory entry: bytes, UTF-8 by the RFC, never checked here (RFC 7530, section 2.1).
#[doc(alias = "component4")]
#[doc(alias = "utf8string")]
#[doc(alias = "utf8str_cs")]
pub type Component<'a> = Text<'a>;

/// Text that is compared without regard to case (RFC 7530, section 2.1).
#[doc(alias = "utf8str_cis")]
pub type TextCis<'a> = Text<'a>;

/// Text of which parts are compared without regard to case, such as `user@domain` (RFC 7530, section
/// 2.1).
#[doc(alias = "utf8str_mixed")]
pub type TextMixed<'a> = Text<'a>;

/// Text in ASCII, such as the name of a mime type (RFC 7530, section 2.1).
#[doc(alias = "ascii_REQUIRED4")]
pub type TextAscii<'a> = Text<'a>;

/// Path in a symbolic link: bytes, not interpreted by the server (RFC 7530, section 2.1).
#[doc(alias = "linktext4")]
pub type LinkText<'a> = Text<'a>;

/// A path as its components (RFC 7530, section 2.1).
#[doc(alias = "pathname4")]
pub type PathName<'a> = Array<'a, Component<'a>>;

/// Values of attributes, in ascending order of their numbers, without lengths between them (RFC
/// 7530, section 2.2).
#[doc(alias = "attrlist4")]
pub type AttrList<'a> = Opaque<'a>;

/// Changes whenever the object does (RFC 7530, section 2.1).
#[doc(alias = "changeid4")]
pub type ChangeId = u64;

/// Short name of a client, given by the server (RFC 7530, section 9.1.1).
#[doc(alias = "clientid4")]
pub type ClientId = u64;

/// Number of bytes, of entries, or of anything else (RFC 7530, section 2.1).
#[doc(alias = "count4")]
pub type Count = u32;

/// Length of a range, in bytes; all ones mean to the end of the file where locks are concerned (RFC
/// 7530, section 2.1).
#[doc(alias = "length4")]
pub type Length = u64;

/// Permission bits (RFC 7530, section 2.1).
#[doc(alias = "mode4")]
pub type Mode = u32;

/// Position behind a directory entry; 0 is the start, 1 and 2 are reserved (RFC 7530, section
/// 16.24.4).
#[doc(alias = "nfs_cookie4")]
pub type Cookie = u64;

/// Seconds of a lease (RFC 7530, section 2.1).
#[doc(alias = "nfs_lease4")]
pub type LeaseTime = u32;

/// Position in a file, in bytes (RFC 7530, section 2.1).
#[doc(alias = "offset4")]
pub type Offset = u64;

/// Sequence number of the state of an owner or a stateid (RFC 7530, section 2.1).
#[doc(alias = "seqid4")]
pub type SeqId = u32;

/// Quality of protection of a GSS mechanism (RFC 7530, section 2.1).
#[doc(alias = "qop4")]
pub type Qop = u32;

/// Object identifier of a GSS mechanism, in DER (RFC 7530, section 2.1).
#[doc(alias = "sec_oid4")]
pub type SecOid<'a> = Opaque<'a>;

/// Eight bytes that tell instances apart (RFC 7530, section 2.1).
#[doc(alias = "verifier4")]
pub type Verifier = [u8; 8];

/// Sequence number of a slot (RFC 8881, section 2.10.6.1).
#[doc(alias = "sequenceid4")]
pub type SequenceId = u32;

/// Name of a session, given by the server (RFC 8881, section 3.2).
#[doc(alias = "sessionid4")]
pub type SessionId = [u8; 16];

/// Number of a slot of a session (RFC 8881, section 2.10.6.1).
#[doc(alias = "slotid4")]
pub type SlotId = u32;

/// Name of a storage device, given by the server (RFC 8881, section 3.3.14).
#[doc(alias = "deviceid4")]
pub type DeviceId = [u8; 16];

/// Value of an extended attribute (RFC 8276, section 8.1).
#[doc(alias = "xattrvalue4")]
pub type XattrValue<'a> = Opaque<'a>;

/// Name of an extended attribute (RFC 8276, section 8.1).
#[doc(alias = "xattrkey4")]
pub type XattrKey<'a> = Component<'a>;

//--- Objects ---

xdr_enum! {
    /// Kind of file system object (RFC 7530, section 2.1).
    "nfs_ftype4" => pub enum FileType {
        /// Regular file.
        "NF4REG" Regular = 1,
        /// Directory.
        "NF4DIR" Directory = 2,
        /// Block special device file.
        "NF4BLK" BlockDevice = 3,
        /// Character special device file.
        "NF4CHR" CharDevice = 4,
        /// Symbolic link.
        "NF4LNK" Symlink = 5,
        /// Socket.
        "NF4SOCK" Socket = 6,
        /// Named pipe.
        "NF4FIFO" Fifo = 7,
        /// Directory of named attributes.
        "NF4ATTRDIR" AttrDir = 8,
        /// Named attribute.
        "NF4NAMEDATTR" NamedAttr = 9,
    }
}

xdr_struct! {
    /// Time since midnight, 1 January 1970 UTC (RFC 7530, section 2.1).
    #[derive(Copy, Default, PartialOrd, Ord, Hash)]
    "nfstime4" => pub struct Time {
        /// Whole seconds; negative before 1970.
        pub seconds: i64,
        /// Nanoseconds within the second; the wire does not limit them to 999,999,999.
        "nseconds" => pub nanoseconds: u32,
    }
}

xdr_enum! {
    /// Where a time to be set comes from (RFC 7530, section 2.1).
    "time_how4" => pub enum TimeHow {
        /// The server's clock.
        "SET_TO_SERVER_TIME4" Server = 0,
        /// The client.
        "SET_TO_CLIENT_TIME4" Client = 1,
    }
}

xdr_union! {
    /// A time to be set (RFC 7530, section 2.1).
    #[derive(Copy)]
    "settime4" => pub enum SetTime switch (set_it: TimeHow) {
        /// To the client's time.
        case TimeHow::Client => "time" Client(Time),
        /// To the server's.
        case TimeHow::Server => Server,
    }
}

xdr_struct! {
    /// Name of a file system on its server (RFC 7530, section 2.1).
    #[derive(Copy, Default, PartialOrd, Ord, Hash)]
    "fsid4" => pub struct Fsid {
        /// First half.
        pub major: u64,
        /// Second half.
        pub minor: u64,
    }
}

xdr_struct! {
    /// Device numbers (RFC 7530, section 2.1).
    #[derive(Copy, Default)]
    "specdata4" => pub struct SpecData {
        /// Major device number.
        "specdata1" => pub major: u32,
        /// Minor device number.
        "specdata2" => pub minor: u32,
    }
}

xdr_struct! {
    /// A directory's change attribute around an operation that changed it (RFC 7530, section 2.2).
    #[derive(Copy, Default)]
    "change_info4" => pub struct ChangeInfo {
        /// Both were taken with nothing in between.
        pub atomic: bool,
        /// Before the operation.
        pub before: ChangeId,
        /// After it.
        pub after: ChangeId,
    }
}

//--- Clients and state ---

xdr_struct! {
    /// Names state that the server holds for a client (RFC 7530, section 9.1.4).
    #[derive(Copy, Default, Hash)]
    "stateid4" => pub struct Stateid {
        /// Counts the changes of the state.
        pub seqid: SeqId,
        /// Names it.
        pub other: [u8; 12],
    }
}

xdr_struct! {
    /// A transport's name and an address of it (RFC 7530, section 2.2; RFC 8881, section 3.3.9).
    #[derive(Copy)]
    "netaddr4" => pub struct NetAddr<'a> {
        /// Name of the transport, such as `tcp`.
        #[doc(alias = "r_netid")]
        "na_r_netid" => pub netid: Text<'a>,
        /// Universal address.
        #[doc(alias = "r_addr")]
        "na_r_addr" => pub addr: Text<'a>,
    }
}

/// Address of a client, in NFSv4.0 (RFC 7530, section 2.2).
#[doc(alias = "clientaddr4")]
pub type ClientAddr<'a> = NetAddr<'a>;

xdr_struct! {
    /// Who holds opens or locks: a client and bytes of its own choice (RFC 7530, section 2.2; RFC
    /// 8881, section 3.3.10).
    #[derive(Copy)]
    "state_owner4" => pub struct StateOwner<'a> {
        /// The client; ignored in sessions.
        pub clientid: ClientId,
        /// The owner within the client.
        pub owner: Opaque<'a, 1024>,
    }
}

/// Who holds opens (RFC 7530, section 2.2).
#[doc(alias = "open_owner4")]
pub type OpenOwner<'a> = StateOwner<'a>;

/// Who holds locks (RFC 7530, section 2.2).
#[doc(alias = "lock_owner4")]
pub type LockOwner<'a> = StateOwner<'a>;

xdr_open_enum! {
    /// Kind of pNFS layout (RFC 8881, section 3.3.13; RFC 8154, section 3; RFC 8435, section 9).
    "layouttype4" => pub struct LayoutType {
        /// Files on other NFS servers (RFC 8881, section 13).
        "LAYOUT4_NFSV4_1_FILES" NFSV4_1_FILES = 1,
        /// Objects (RFC 5664).
        "LAYOUT4_OSD2_OBJECTS" OSD2_OBJECTS = 2,
        /// Blocks of volumes (RFC 5663).
        "LAYOUT4_BLOCK_VOLUME" BLOCK_VOLUME = 3,
        /// Files on other NFS servers, mirrored or not (RFC 8435).
        "LAYOUT4_FLEX_FILES" FLEX_FILES = 4,
        /// Blocks of SCSI logical units (RFC 8154).
        "LAYOUT4_SCSI" SCSI = 5,
    }
}

xdr_enum! {
    /// What a layout is for (RFC 8881, section 3.3.20).
    "layoutiomode4" => pub enum LayoutIomode {
        /// Reading.
        "LAYOUTIOMODE4_READ" Read = 1,
        /// Reading and writing.
        "LAYOUTIOMODE4_RW" ReadWrite = 2,
        /// Either: in returns and recalls only.
        "LAYOUTIOMODE4_ANY" Any = 3,
    }
}

xdr_enum! {
    /// How stable written data must be, or is (RFC 7530, section 16.36).
    "stable_how4" => pub enum StableHow {
        /// Not yet: COMMIT follows.
        "UNSTABLE4" Unstable = 0,
        /// The data, and what is needed to read it.
        "DATA_SYNC4" DataSync = 1,
        /// Data and all attributes.
        "FILE_SYNC4" FileSync = 2,
    }
}
