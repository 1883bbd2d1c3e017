//! Layouts and devices: CB_LAYOUTRECALL and CB_NOTIFY_DEVICEID.

use nfswire_xdr::{Array, xdr_enum, xdr_struct, xdr_union};

use super::notify::NotifyDeviceid;
use crate::{FileHandle, Fsid, LayoutIomode, LayoutType, Length, Offset, Stateid, Status};

//--- CB_LAYOUTRECALL ---

xdr_enum! {
    /// How much is recalled (RFC 8881, section 20.3).
    "layoutrecall_type4" => pub enum LayoutRecallType {
        /// A range of a file.
        "LAYOUTRECALL4_FILE" File = 1,
        /// A file system.
        "LAYOUTRECALL4_FSID" Fsid = 2,
        /// Everything.
        "LAYOUTRECALL4_ALL" All = 3,
    }
}

xdr_struct! {
    /// A range of a file whose layouts are recalled (RFC 8881, section 20.3).
    #[derive(Copy)]
    "layoutrecall_file4" => pub struct LayoutRecallFile<'a> {
        /// The file.
        "lor_fh" => pub fh: FileHandle<'a>,
        /// First byte.
        "lor_offset" => pub offset: Offset,
        /// Bytes; all ones mean to the end, wherever that is.
        "lor_length" => pub length: Length,
        /// The layouts; its `seqid` is not 0.
        "lor_stateid" => pub stateid: Stateid,
    }
}

xdr_union! {
    /// What is recalled (RFC 8881, section 20.3).
    #[derive(Copy)]
    "layoutrecall4" => pub enum LayoutRecall<'a> switch (recall_type: LayoutRecallType) {
        /// A range of a file.
        case LayoutRecallType::File => "lor_layout" File(LayoutRecallFile<'a>),
        /// A file system, its devices included.
        case LayoutRecallType::Fsid => "lor_fsid" Fsid(Fsid),
        /// Everything, devices included.
        case LayoutRecallType::All => All,
    }
}

xdr_struct! {
    /// Arguments of CB_LAYOUTRECALL: asks for layouts back (RFC 8881, section 20.3).
    #[derive(Copy)]
    "CB_LAYOUTRECALL4args" => pub struct CbLayoutrecallArgs<'a> {
        /// Their type.
        "clora_type" => pub layout_type: LayoutType,
        /// What they are for.
        "clora_iomode" => pub iomode: LayoutIomode,
        /// The layout changes: data should be written through the metadata server instead.
        "clora_changed" => pub changed: bool,
        /// Which.
        "clora_recall" => pub recall: LayoutRecall<'a>,
    }
}

xdr_struct! {
    /// Reply to CB_LAYOUTRECALL, before layouts are returned (RFC 8881, section 20.3).
    #[derive(Copy)]
    "CB_LAYOUTRECALL4res" => pub struct CbLayoutrecallReply {
        /// How it ended; [`Status::NOMATCHING_LAYOUT`] if the client has none.
        "clorr_status" => pub status: Status,
    }
}

//--- CB_NOTIFY_DEVICEID ---

xdr_struct! {
    /// Arguments of CB_NOTIFY_DEVICEID: devices have changed or are gone (RFC 8881, section 20.12).
    #[derive(Copy)]
    "CB_NOTIFY_DEVICEID4args" => pub struct CbNotifyDeviceidArgs<'a> {
        /// What happened, in order.
        "cnda_changes" => pub changes: Array<'a, NotifyDeviceid<'a>>,
    }
}

xdr_struct! {
    /// Reply to CB_NOTIFY_DEVICEID (RFC 8881, section 20.12).
    #[derive(Copy)]
    "CB_NOTIFY_DEVICEID4res" => pub struct CbNotifyDeviceidReply {
        /// How it ended.
        "cndr_status" => pub status: Status,
    }
}
