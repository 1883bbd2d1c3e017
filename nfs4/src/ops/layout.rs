//! Layouts and devices of pNFS: GETDEVICEINFO, GETDEVICELIST, LAYOUTGET, LAYOUTCOMMIT, LAYOUTRETURN
//! (RFC 8881, sections 18.40 to 18.44), LAYOUTERROR, LAYOUTSTATS (RFC 7862, sections 15.6 and 15.7) and
//! LAYOUT_WCC (RFC 9766).
//!
//! What is inside of the bodies depends on the layout type that stands beside them:
//! [`layout`](crate::layout) has it.

use nfswire_xdr::{Array, Opaque, xdr_enum, xdr_open_enum, xdr_struct, xdr_union};

use crate::{
    Bitmap, Cookie, Count, DeviceId, LayoutIomode, LayoutType, Length, Offset, OpNum, Stateid,
    Status, Time, Verifier, bitmap::bits, callback::notify::NotifyDeviceidType,
};

//--- Bodies with a type ---

xdr_struct! {
    /// What a client needs to know to reach the data (RFC 8881, section 3.3.16).
    #[derive(Copy)]
    "layout_content4" => pub struct LayoutContent<'a> {
        /// How to read the body.
        "loc_type" => pub layout_type: LayoutType,
        /// The layout, as its type defines it.
        "loc_body" => pub body: Opaque<'a>,
    }
}

xdr_struct! {
    /// What a client would like a new file's layout to be (RFC 8881, section 3.3.19).
    #[derive(Copy)]
    "layouthint4" => pub struct LayoutHint<'a> {
        /// How to read the body.
        "loh_type" => pub layout_type: LayoutType,
        /// The hint, as its type defines it.
        "loh_body" => pub body: Opaque<'a>,
    }
}

xdr_struct! {
    /// A range of a file and where its data is (RFC 8881, section 3.3.17).
    #[derive(Copy)]
    "layout4" => pub struct Layout<'a> {
        /// First byte of the range.
        "lo_offset" => pub offset: Offset,
        /// Length of the range, in bytes; all ones mean to the end of the file.
        "lo_length" => pub length: Length,
        /// What the layout may be used for; never [`LayoutIomode::Any`].
        "lo_iomode" => pub iomode: LayoutIomode,
        /// Where the data is.
        "lo_content" => pub content: LayoutContent<'a>,
    }
}

xdr_struct! {
    /// How to reach a device (RFC 8881, section 3.3.15).
    #[derive(Copy)]
    "device_addr4" => pub struct DeviceAddr<'a> {
        /// How to read the body.
        "da_layout_type" => pub layout_type: LayoutType,
        /// The address, as its type defines it.
        "da_addr_body" => pub body: Opaque<'a>,
    }
}

xdr_struct! {
    /// What a client has changed under a layout, or measured (RFC 8881, section 3.3.18).
    #[derive(Copy)]
    "layoutupdate4" => pub struct LayoutUpdate<'a> {
        /// How to read the body.
        "lou_type" => pub layout_type: LayoutType,
        /// The update, as its type and the operation define it.
        "lou_body" => pub body: Opaque<'a>,
    }
}

//--- Hints when to use a layout ---

xdr_open_enum! {
    /// A threshold of [`ThresholdItem`] (RFC 8881, section 3.3.22).
    pub struct ThresholdHint {
        /// Files below this length, in bytes, are better read through the metadata server.
        "TH4_READ_SIZE" READ_SIZE = 0,
        /// Files below this length, in bytes, are better written through it.
        "TH4_WRITE_SIZE" WRITE_SIZE = 1,
        /// Requests below this length, in bytes, are better read through it.
        "TH4_READ_IOSIZE" READ_IOSIZE = 2,
        /// Requests below this length, in bytes, are better written through it.
        "TH4_WRITE_IOSIZE" WRITE_IOSIZE = 3,
    }
}

bits!(ThresholdHint);

/// Value of [`ThresholdHint::READ_SIZE`], in bytes (RFC 8881, section 3.3.22).
#[doc(alias = "threshold4_read_size")]
pub type ThresholdReadSize = Length;

/// Value of [`ThresholdHint::WRITE_SIZE`], in bytes (RFC 8881, section 3.3.22).
#[doc(alias = "threshold4_write_size")]
pub type ThresholdWriteSize = Length;

/// Value of [`ThresholdHint::READ_IOSIZE`], in bytes (RFC 8881, section 3.3.22).
#[doc(alias = "threshold4_read_iosize")]
pub type ThresholdReadIosize = Length;

/// Value of [`ThresholdHint::WRITE_IOSIZE`], in bytes (RFC 8881, section 3.3.22).
#[doc(alias = "threshold4_write_iosize")]
pub type ThresholdWriteIosize = Length;

xdr_struct! {
    /// Thresholds for one layout type (RFC 8881, section 3.3.22).
    #[derive(Copy)]
    "threshold_item4" => pub struct ThresholdItem<'a> {
        /// The layout type.
        "thi_layout_type" => pub layout_type: LayoutType,
        /// Which thresholds there are.
        "thi_hintset" => pub set: Bitmap<'a, ThresholdHint>,
        /// Their values, eight bytes each, in ascending order of their numbers.
        "thi_hintlist" => pub list: Opaque<'a>,
    }
}

impl ThresholdItem<'_> {
    /// The value of a threshold, in bytes; `None` if it is not in the set, or missing in the list.
    ///
    /// ```
    /// use nfswire_nfs4::{Bitmap, LayoutType, ops::layout::{ThresholdHint, ThresholdItem}};
    /// use nfswire_xdr::Opaque;
    ///
    /// let item = ThresholdItem {
    ///     layout_type: LayoutType::FLEX_FILES,
    ///     set: Bitmap::from_numbers(&[ThresholdHint::READ_IOSIZE.0]).unwrap(),
    ///     list: Opaque::new(&[0, 0, 0, 0, 0, 0, 0x40, 0]).unwrap(),
    /// };
    /// assert_eq!(item.get(ThresholdHint::READ_IOSIZE), Some(0x4000));
    /// assert_eq!(item.get(ThresholdHint::READ_SIZE), None);
    /// ```
    #[must_use]
    pub fn get(&self, hint: ThresholdHint) -> Option<Length> {
        let index = self.set.iter().position(|h| h == hint)?;
        self.list.as_bytes().as_chunks().0.get(index).map(|value| u64::from_be_bytes(*value))
    }
}

xdr_struct! {
    /// When a layout is worth its cost, for each layout type (RFC 8881, section 3.3.23).
    #[derive(Copy)]
    "mdsthreshold4" => pub struct MdsThreshold<'a> {
        /// Thresholds, one item for each layout type.
        "mth_hints" => pub hints: Array<'a, ThresholdItem<'a>>,
    }
}

//--- GETDEVICEINFO ---

xdr_struct! {
    /// Arguments of GETDEVICEINFO (RFC 8881, section 18.40).
    #[derive(Copy)]
    "GETDEVICEINFO4args" => pub struct GetdeviceinfoArgs<'a> {
        /// The device.
        "gdia_device_id" => pub deviceid: DeviceId,
        /// The layout type that it is to be used with.
        "gdia_layout_type" => pub layout_type: LayoutType,
        /// Most bytes of the result's body that the client takes; 0 asks for notifications only.
        "gdia_maxcount" => pub maxcount: Count,
        /// Of which changes the client wants to be told.
        "gdia_notify_types" => pub notify_types: Bitmap<'a, NotifyDeviceidType>,
    }
}

xdr_struct! {
    /// Body of a successful GETDEVICEINFO (RFC 8881, section 18.40).
    #[derive(Copy)]
    "GETDEVICEINFO4resok" => pub struct GetdeviceinfoOk<'a> {
        /// Where the device is.
        "gdir_device_addr" => pub device_addr: DeviceAddr<'a>,
        /// Of which changes the server will tell.
        "gdir_notification" => pub notification: Bitmap<'a, NotifyDeviceidType>,
    }
}

xdr_union! {
    /// Reply to GETDEVICEINFO (RFC 8881, section 18.40).
    #[derive(Copy)]
    "GETDEVICEINFO4res" => pub enum GetdeviceinfoReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "gdir_resok4" Ok(GetdeviceinfoOk<'a>),
        /// The address is longer than the client takes: this many bytes are needed.
        case Status::TOOSMALL => "gdir_mincount" TooSmall(Count),
        /// Any other failure.
        default => Fail,
    }
}

//--- GETDEVICELIST ---

xdr_struct! {
    /// Arguments of GETDEVICELIST (RFC 8881, section 18.41); not in NFSv4.2.
    #[derive(Copy)]
    "GETDEVICELIST4args" => pub struct GetdevicelistArgs {
        /// Devices of this layout type.
        "gdla_layout_type" => pub layout_type: LayoutType,
        /// Most devices that the client takes.
        "gdla_maxdevices" => pub maxdevices: Count,
        /// Where to go on: 0 at first, then the cookie of the last reply.
        "gdla_cookie" => pub cookie: Cookie,
        /// Zeros at first, then the verifier of the last reply.
        "gdla_cookieverf" => pub cookie_verifier: Verifier,
    }
}

xdr_struct! {
    /// Body of a successful GETDEVICELIST (RFC 8881, section 18.41).
    #[derive(Copy)]
    "GETDEVICELIST4resok" => pub struct GetdevicelistOk<'a> {
        /// Where to go on.
        "gdlr_cookie" => pub cookie: Cookie,
        /// Which list the cookie belongs to.
        "gdlr_cookieverf" => pub cookie_verifier: Verifier,
        /// The devices.
        "gdlr_deviceid_list" => pub deviceid_list: Array<'a, DeviceId>,
        /// There are no more.
        "gdlr_eof" => pub eof: bool,
    }
}

xdr_union! {
    /// Reply to GETDEVICELIST (RFC 8881, section 18.41).
    #[derive(Copy)]
    "GETDEVICELIST4res" => pub enum GetdevicelistReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "gdlr_resok4" Ok(GetdevicelistOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- LAYOUTGET ---

xdr_struct! {
    /// Arguments of LAYOUTGET (RFC 8881, section 18.43), about the current file.
    #[derive(Copy)]
    "LAYOUTGET4args" => pub struct LayoutgetArgs {
        /// The client wants to be called back when a layout becomes available.
        "loga_signal_layout_avail" => pub signal_layout_avail: bool,
        /// Kind of layout.
        "loga_layout_type" => pub layout_type: LayoutType,
        /// What it is for.
        "loga_iomode" => pub iomode: LayoutIomode,
        /// First byte of the range.
        "loga_offset" => pub offset: Offset,
        /// Length that is wanted, in bytes; all ones mean to the end of the file.
        "loga_length" => pub length: Length,
        /// Least length that is of use, in bytes, from `offset` on.
        "loga_minlength" => pub minlength: Length,
        /// An open, a lock or a delegation at first, then the layout's own stateid.
        "loga_stateid" => pub stateid: Stateid,
        /// Most bytes of layouts that the client takes.
        "loga_maxcount" => pub maxcount: Count,
    }
}

xdr_struct! {
    /// Body of a successful LAYOUTGET (RFC 8881, section 18.43).
    #[derive(Copy)]
    "LAYOUTGET4resok" => pub struct LayoutgetOk<'a> {
        /// The layout is to be returned before the file's last CLOSE.
        "logr_return_on_close" => pub return_on_close: bool,
        /// Names the layouts of this file that the client holds.
        "logr_stateid" => pub stateid: Stateid,
        /// The layouts, in ascending order of their offsets.
        "logr_layout" => pub layouts: Array<'a, Layout<'a>>,
    }
}

xdr_union! {
    /// Reply to LAYOUTGET (RFC 8881, section 18.43).
    #[derive(Copy)]
    "LAYOUTGET4res" => pub enum LayoutgetReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "logr_resok4" Ok(LayoutgetOk<'a>),
        /// Later, perhaps: whether the server will call back.
        case Status::LAYOUTTRYLATER => "logr_will_signal_layout_avail" TryLater(bool),
        /// Any other failure.
        default => Fail,
    }
}

//--- LAYOUTCOMMIT ---

/// A new time of last modification, if there is one (RFC 8881, section 18.42).
#[doc(alias = "newtime4")]
#[doc(alias = "nt_time")]
pub type NewTime = Option<Time>;

/// Offset of the last byte written, if any was (RFC 8881, section 18.42).
#[doc(alias = "newoffset4")]
#[doc(alias = "no_offset")]
pub type NewOffset = Option<Offset>;

/// A file's new length in bytes, if it changed (RFC 8881, section 18.42).
#[doc(alias = "newsize4")]
#[doc(alias = "ns_size")]
pub type NewSize = Option<Length>;

xdr_struct! {
    /// Arguments of LAYOUTCOMMIT (RFC 8881, section 18.42), about the current file.
    #[derive(Copy)]
    "LAYOUTCOMMIT4args" => pub struct LayoutcommitArgs<'a> {
        /// First byte of the range written.
        "loca_offset" => pub offset: Offset,
        /// Its length, in bytes; all ones mean to the end of the file.
        "loca_length" => pub length: Length,
        /// The server has restarted since.
        "loca_reclaim" => pub reclaim: bool,
        /// The layout's stateid.
        "loca_stateid" => pub stateid: Stateid,
        /// Offset of the last byte written.
        "loca_last_write_offset" => pub last_write_offset: NewOffset,
        /// The client's idea of the time of modification.
        "loca_time_modify" => pub time_modify: NewTime,
        /// What was written, as the layout type defines it.
        "loca_layoutupdate" => pub layout_update: LayoutUpdate<'a>,
    }
}

xdr_struct! {
    /// Body of a successful LAYOUTCOMMIT (RFC 8881, section 18.42).
    #[derive(Copy)]
    "LAYOUTCOMMIT4resok" => pub struct LayoutcommitOk {
        /// The file's new length.
        "locr_newsize" => pub new_size: NewSize,
    }
}

xdr_union! {
    /// Reply to LAYOUTCOMMIT (RFC 8881, section 18.42).
    #[derive(Copy)]
    "LAYOUTCOMMIT4res" => pub enum LayoutcommitReply switch (status: Status) {
        /// Success.
        case Status::OK => "locr_resok4" Ok(LayoutcommitOk),
        /// Failure.
        default => Fail,
    }
}

//--- LAYOUTRETURN ---

/// Number of [`LayoutReturnType::File`], and of its like in recalls (RFC 8881, section 18.44).
#[doc(alias = "LAYOUT4_RET_REC_FILE")]
pub const RET_REC_FILE: i32 = 1;
/// Number of [`LayoutReturnType::Fsid`], and of its like in recalls (RFC 8881, section 18.44).
#[doc(alias = "LAYOUT4_RET_REC_FSID")]
pub const RET_REC_FSID: i32 = 2;
/// Number of [`LayoutReturnType::All`], and of its like in recalls (RFC 8881, section 18.44).
#[doc(alias = "LAYOUT4_RET_REC_ALL")]
pub const RET_REC_ALL: i32 = 3;

xdr_enum! {
    /// Which layouts are returned (RFC 8881, section 18.44).
    "layoutreturn_type4" => pub enum LayoutReturnType {
        /// A range of the current file.
        "LAYOUTRETURN4_FILE" File = RET_REC_FILE,
        /// All of the current file system.
        "LAYOUTRETURN4_FSID" Fsid = RET_REC_FSID,
        /// All of the client.
        "LAYOUTRETURN4_ALL" All = RET_REC_ALL,
    }
}

xdr_struct! {
    /// A range of a layout that is returned (RFC 8881, section 18.44).
    #[derive(Copy)]
    "layoutreturn_file4" => pub struct LayoutReturnFile<'a> {
        /// First byte of the range.
        "lrf_offset" => pub offset: Offset,
        /// Its length, in bytes; all ones mean to the end of the file.
        "lrf_length" => pub length: Length,
        /// The layout's stateid.
        "lrf_stateid" => pub stateid: Stateid,
        /// What the layout type adds, such as errors met.
        "lrf_body" => pub body: Opaque<'a>,
    }
}

xdr_union! {
    /// Which layouts are returned, and how (RFC 8881, section 18.44).
    #[derive(Copy)]
    "layoutreturn4" => pub enum LayoutReturn<'a> switch (return_type: LayoutReturnType) {
        /// A range of the current file.
        case LayoutReturnType::File => "lr_layout" File(LayoutReturnFile<'a>),
        /// All of the current file system.
        case LayoutReturnType::Fsid => Fsid,
        /// All of the client.
        case LayoutReturnType::All => All,
    }
}

xdr_struct! {
    /// Arguments of LAYOUTRETURN (RFC 8881, section 18.44).
    #[derive(Copy)]
    "LAYOUTRETURN4args" => pub struct LayoutreturnArgs<'a> {
        /// The server has restarted since.
        "lora_reclaim" => pub reclaim: bool,
        /// Kind of layout.
        "lora_layout_type" => pub layout_type: LayoutType,
        /// Layouts that are for this.
        "lora_iomode" => pub iomode: LayoutIomode,
        /// Which.
        "lora_layoutreturn" => pub layout_return: LayoutReturn<'a>,
    }
}

/// The layout's stateid, if the client still holds some of it (RFC 8881, section 18.44).
#[doc(alias = "layoutreturn_stateid")]
#[doc(alias = "lrs_stateid")]
pub type LayoutReturnStateid = Option<Stateid>;

xdr_union! {
    /// Reply to LAYOUTRETURN (RFC 8881, section 18.44).
    #[derive(Copy)]
    "LAYOUTRETURN4res" => pub enum LayoutreturnReply switch (status: Status) {
        /// Success.
        case Status::OK => "lorr_stateid" Ok(LayoutReturnStateid),
        /// Failure.
        default => Fail,
    }
}

//--- LAYOUTERROR ---

xdr_struct! {
    /// An error that a client met at a device (RFC 7862, section 15.6).
    #[derive(Copy)]
    "device_error4" => pub struct DeviceError {
        /// The device.
        "de_deviceid" => pub deviceid: DeviceId,
        /// The error.
        "de_status" => pub status: Status,
        /// The operation that met it.
        "de_opnum" => pub op: OpNum,
    }
}

xdr_struct! {
    /// Arguments of LAYOUTERROR (RFC 7862, section 15.6), about the current file.
    #[derive(Copy)]
    "LAYOUTERROR4args" => pub struct LayouterrorArgs<'a> {
        /// First byte of the range.
        "lea_offset" => pub offset: Offset,
        /// Its length, in bytes; all ones mean to the end of the file.
        "lea_length" => pub length: Length,
        /// The layout's stateid.
        "lea_stateid" => pub stateid: Stateid,
        /// The errors.
        "lea_errors" => pub errors: Array<'a, DeviceError>,
    }
}

xdr_struct! {
    /// Reply to LAYOUTERROR (RFC 7862, section 15.6).
    #[derive(Copy)]
    "LAYOUTERROR4res" => pub struct LayouterrorReply {
        /// How it ended.
        "ler_status" => pub status: Status,
    }
}

//--- LAYOUTSTATS ---

xdr_struct! {
    /// Counts of input or output (RFC 7862, section 15.7).
    #[derive(Copy, Default)]
    "io_info4" => pub struct IoInfo {
        /// Operations.
        "ii_count" => pub count: u64,
        /// Bytes.
        "ii_bytes" => pub bytes: u64,
    }
}

xdr_struct! {
    /// Arguments of LAYOUTSTATS (RFC 7862, section 15.7), about the current file.
    #[derive(Copy)]
    "LAYOUTSTATS4args" => pub struct LayoutstatsArgs<'a> {
        /// First byte of the range.
        "lsa_offset" => pub offset: Offset,
        /// Its length, in bytes; all ones mean to the end of the file.
        "lsa_length" => pub length: Length,
        /// The layout's stateid.
        "lsa_stateid" => pub stateid: Stateid,
        /// What was read.
        "lsa_read" => pub read: IoInfo,
        /// What was written.
        "lsa_write" => pub write: IoInfo,
        /// The device.
        "lsa_deviceid" => pub deviceid: DeviceId,
        /// What the layout type adds.
        "lsa_layoutupdate" => pub layout_update: LayoutUpdate<'a>,
    }
}

xdr_struct! {
    /// Reply to LAYOUTSTATS (RFC 7862, section 15.7).
    #[derive(Copy)]
    "LAYOUTSTATS4res" => pub struct LayoutstatsReply {
        /// How it ended.
        "lsr_status" => pub status: Status,
    }
}

//--- LAYOUT_WCC ---

xdr_struct! {
    /// Arguments of LAYOUT_WCC (RFC 9766), about the current file: attributes that data servers
    /// returned.
    #[derive(Copy)]
    "LAYOUT_WCC4args" => pub struct LayoutWccArgs<'a> {
        /// The layout's stateid.
        "lowa_stateid" => pub stateid: Stateid,
        /// How to read the body.
        "lowa_type" => pub layout_type: LayoutType,
        /// The attributes, as the layout type defines them.
        "lowa_body" => pub body: Opaque<'a>,
    }
}

xdr_struct! {
    /// Reply to LAYOUT_WCC (RFC 9766).
    #[derive(Copy)]
    "LAYOUT_WCC4res" => pub struct LayoutWccReply {
        /// How it ended.
        "lowr_status" => pub status: Status,
    }
}
