//! `LAYOUT4_FLEX_FILES`: files on other NFS servers of any version, mirrored or not (RFC 8435; RFC
//! 9766 for attributes).
//!
//! | opaque of the operation | type |
//! |---|---|
//! | `loc_body` of LAYOUTGET | [`Layout`] |
//! | `da_addr_body` of GETDEVICEINFO | [`DeviceAddr`] |
//! | `loh_body` of the attribute `layout_hint` | [`LayoutHint`] |
//! | `lou_body` of LAYOUTCOMMIT | empty |
//! | `lou_body` of LAYOUTSTATS | [`LayoutUpdate`] |
//! | `lrf_body` of LAYOUTRETURN | [`LayoutReturn`] |
//! | `lowa_body` of LAYOUT_WCC | [`LayoutWcc`] |

use nfswire_xdr::{Array, xdr_enum, xdr_struct};

use super::files::MultipathList;
use crate::{
    DeviceId, FileHandle, Length, NetAddr, Offset, Stateid, TextMixed, Time,
    attrs::Fattr,
    flags::flags,
    ops::layout::{DeviceError, IoInfo},
};

//--- Device ---

xdr_struct! {
    /// A version of NFS that a storage device speaks (RFC 8435, section 4.1).
    #[derive(Copy, Default)]
    "ff_device_versions4" => pub struct DeviceVersions {
        /// Version: 3 or 4.
        "ffdv_version" => pub version: u32,
        /// Minor version; 0 with version 3.
        "ffdv_minorversion" => pub minor_version: u32,
        /// Most bytes of a READ.
        "ffdv_rsize" => pub rsize: u32,
        /// Most bytes of a WRITE.
        "ffdv_wsize" => pub wsize: u32,
        /// The device knows the state of the metadata server; never with version 3.
        "ffdv_tightly_coupled" => pub tightly_coupled: bool,
    }
}

xdr_struct! {
    /// Address of a storage device (RFC 8435, section 4.1).
    #[derive(Copy)]
    "ff_device_addr4" => pub struct DeviceAddr<'a> {
        /// Addresses that reach it.
        "ffda_netaddrs" => pub netaddrs: MultipathList<'a>,
        /// Versions of NFS that it speaks.
        "ffda_versions" => pub versions: Array<'a, DeviceVersions>,
    }
}

//--- Layout ---

flags! {
    /// What a client need not or must not do (RFC 8435, section 5.1).
    #[doc(alias = "ff_flags4")]
    pub struct Flags {
        /// LAYOUTCOMMIT is not needed.
        "FF_FLAGS_NO_LAYOUTCOMMIT" NO_LAYOUTCOMMIT = 0x1,
        /// I/O must not go to the metadata server, not even when a device is out of reach.
        "FF_FLAGS_NO_IO_THRU_MDS" NO_IO_THRU_MDS = 0x2,
        /// A layout for writing must not be used to read.
        "FF_FLAGS_NO_READ_IO" NO_READ_IO = 0x4,
        /// It is enough to write to one mirror.
        "FF_FLAGS_WRITE_ONE_MIRROR" WRITE_ONE_MIRROR = 0x8,
    }
}

xdr_struct! {
    /// One stripe of a mirror (RFC 8435, section 5.1).
    #[derive(Copy)]
    "ff_data_server4" => pub struct DataServer<'a> {
        /// The device, whose address is a [`DeviceAddr`].
        "ffds_deviceid" => pub deviceid: DeviceId,
        /// How well it does; more is better.
        "ffds_efficiency" => pub efficiency: u32,
        /// For I/O there; the anonymous one if loosely coupled.
        "ffds_stateid" => pub stateid: Stateid,
        /// Handles of the file, one for each of [`DeviceAddr::versions`].
        "ffds_fh_vers" => pub fh_versions: Array<'a, FileHandle<'a>>,
        /// User for I/O there, a name or a number; ignored if tightly coupled.
        "ffds_user" => pub user: TextMixed<'a>,
        /// Group, likewise.
        "ffds_group" => pub group: TextMixed<'a>,
    }
}

xdr_struct! {
    /// One copy of the file (RFC 8435, section 5.1).
    #[derive(Copy)]
    "ff_mirror4" => pub struct Mirror<'a> {
        /// Its stripes; every mirror has as many.
        "ffm_data_servers" => pub data_servers: Array<'a, DataServer<'a>>,
    }
}

xdr_struct! {
    /// Where a file's bytes are (RFC 8435, section 5.1). Striped files are always packed sparsely:
    /// each byte has the same offset everywhere.
    #[derive(Copy)]
    "ff_layout4" => pub struct Layout<'a> {
        /// Size of the stripe unit, in bytes; 0 if there is one stripe.
        "ffl_stripe_unit" => pub stripe_unit: Length,
        /// The copies.
        "ffl_mirrors" => pub mirrors: Array<'a, Mirror<'a>>,
        /// What the client need not or must not do.
        "ffl_flags" => pub flags: Flags,
        /// Seconds between LAYOUTSTATS, as a hint.
        "ffl_stats_collect_hint" => pub stats_collect_hint: u32,
    }
}

//--- Errors and statistics ---

xdr_struct! {
    /// A failure of a range, on one or more devices (RFC 8435, section 9.1.1).
    #[derive(Copy)]
    "ff_ioerr4" => pub struct IoErr<'a> {
        /// First byte of the range.
        "ffie_offset" => pub offset: Offset,
        /// Its bytes.
        "ffie_length" => pub length: Length,
        /// The layout.
        "ffie_stateid" => pub stateid: Stateid,
        /// What went wrong, and where.
        "ffie_errors" => pub errors: Array<'a, DeviceError>,
    }
}

xdr_struct! {
    /// How much I/O there was and how long it took, since the layout was got (RFC 8435, section
    /// 9.2.1).
    #[derive(Copy, Default)]
    "ff_io_latency4" => pub struct IoLatency {
        /// Operations begun.
        "ffil_ops_requested" => pub ops_requested: u64,
        /// Bytes asked for.
        "ffil_bytes_requested" => pub bytes_requested: u64,
        /// Operations done.
        "ffil_ops_completed" => pub ops_completed: u64,
        /// Bytes transferred.
        "ffil_bytes_completed" => pub bytes_completed: u64,
        /// Bytes that came not, because of errors.
        "ffil_bytes_not_delivered" => pub bytes_not_delivered: u64,
        /// How long calls were outstanding.
        "ffil_total_busy_time" => pub total_busy_time: Time,
        /// Sum of the times of all calls.
        "ffil_aggregate_completion_time" => pub aggregate_completion_time: Time,
    }
}

xdr_struct! {
    /// Statistics of a device, the body of LAYOUTSTATS (RFC 8435, sections 9.2.2 and 11).
    #[derive(Copy)]
    "ff_layoutupdate4" => pub struct LayoutUpdate<'a> {
        /// Address of the device that the client uses.
        "ffl_addr" => pub addr: NetAddr<'a>,
        /// Handle of the file there.
        "ffl_fhandle" => pub fh: FileHandle<'a>,
        /// READ.
        "ffl_read" => pub read: IoLatency,
        /// WRITE and COMMIT.
        "ffl_write" => pub write: IoLatency,
        /// How long the statistics were taken.
        "ffl_duration" => pub duration: Time,
        /// The client served this from its cache.
        "ffl_local" => pub local: bool,
    }
}

xdr_struct! {
    /// Statistics of a range (RFC 8435, section 9.2.3).
    #[derive(Copy)]
    "ff_iostats4" => pub struct IoStats<'a> {
        /// First byte of the range.
        "ffis_offset" => pub offset: Offset,
        /// Its bytes.
        "ffis_length" => pub length: Length,
        /// The layout.
        "ffis_stateid" => pub stateid: Stateid,
        /// READ.
        "ffis_read" => pub read: IoInfo,
        /// WRITE.
        "ffis_write" => pub write: IoInfo,
        /// The device.
        "ffis_deviceid" => pub deviceid: DeviceId,
        /// Statistics of the device.
        "ffis_layoutupdate" => pub layout_update: LayoutUpdate<'a>,
    }
}

xdr_struct! {
    /// What a client reports when it returns a layout (RFC 8435, section 9.3).
    #[derive(Copy)]
    "ff_layoutreturn4" => pub struct LayoutReturn<'a> {
        /// Failures.
        "fflr_ioerr_report" => pub ioerr_report: Array<'a, IoErr<'a>>,
        /// Statistics.
        "fflr_iostats_report" => pub iostats_report: Array<'a, IoStats<'a>>,
    }
}

//--- Hint ---

/// How many copies a client would like, if it cares (RFC 8435, section 12.1).
#[doc(alias = "ff_mirrors_hint")]
#[doc(alias = "ffmc_mirrors")]
pub type MirrorsHint = Option<u32>;

xdr_struct! {
    /// The layout that a client would like a new file to have (RFC 8435, section 12.1).
    #[derive(Copy, Default)]
    "ff_layouthint4" => pub struct LayoutHint {
        /// How many copies.
        "fflh_mirrors_hint" => pub mirrors: MirrorsHint,
    }
}

//--- CB_RECALL_ANY ---

xdr_enum! {
    /// The layouts to be returned, as bits of CB_RECALL_ANY's mask (RFC 8435, section 13.1).
    "ff_cb_recall_any_mask" => pub enum RecallAnyMask {
        /// Those for reading.
        "PNFS_FF_RCA4_TYPE_MASK_READ" Read = 16,
        /// Those for reading and writing.
        "PNFS_FF_RCA4_TYPE_MASK_RW" ReadWrite = 17,
    }
}

//--- LAYOUT_WCC ---

xdr_struct! {
    /// Attributes of a file on a data server after writes there (RFC 9766).
    #[derive(Copy)]
    "ff_data_server_wcc4" => pub struct DataServerWcc<'a> {
        /// The device.
        "ffdsw_deviceid" => pub deviceid: DeviceId,
        /// The stateid that was used there.
        "ffdsw_stateid" => pub stateid: Stateid,
        /// Handles of the file there.
        "ffdsw_fh_vers" => pub fh_versions: Array<'a, FileHandle<'a>>,
        /// The attributes.
        "ffdsw_attributes" => pub attributes: Fattr<'a>,
    }
}

xdr_struct! {
    /// Attributes of one copy of a file (RFC 9766).
    #[derive(Copy)]
    "ff_mirror_wcc4" => pub struct MirrorWcc<'a> {
        /// Those of its stripes.
        "ffmw_data_servers" => pub data_servers: Array<'a, DataServerWcc<'a>>,
    }
}

xdr_struct! {
    /// Attributes of a file's copies, the body of LAYOUT_WCC (RFC 9766).
    #[derive(Copy)]
    "ff_layout_wcc4" => pub struct LayoutWcc<'a> {
        /// Those of each copy.
        "fflw_mirrors" => pub mirrors: Array<'a, MirrorWcc<'a>>,
    }
}
