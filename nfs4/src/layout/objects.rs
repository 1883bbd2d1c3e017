//! `LAYOUT4_OSD2_OBJECTS`: objects of object-based storage devices (RFC 5664).
//!
//! | opaque of the operation | type |
//! |---|---|
//! | `loc_body` of LAYOUTGET | [`Layout`] |
//! | `da_addr_body` of GETDEVICEINFO | [`DeviceAddr`] |
//! | `loh_body` of the attribute `layout_hint` | [`LayoutHint`] |
//! | `lou_body` of LAYOUTCOMMIT | [`LayoutUpdate`] |
//! | `lrf_body` of LAYOUTRETURN | [`LayoutReturn`] |

use nfswire_xdr::{Array, Opaque, Text, xdr_enum, xdr_open_enum, xdr_struct, xdr_union};

use crate::{DeviceId, Length, NetAddr};

//--- Objects ---

xdr_struct! {
    /// Names an object (RFC 5664, section 3.1).
    #[derive(Copy, Default, Hash)]
    "pnfs_osd_objid4" => pub struct ObjId {
        /// Its device.
        "oid_device_id" => pub device_id: DeviceId,
        /// Its partition of the device.
        "oid_partition_id" => pub partition_id: u64,
        /// The object within the partition.
        "oid_object_id" => pub object_id: u64,
    }
}

xdr_enum! {
    /// Version of the protocol of an object, or that it is missing (RFC 5664, section 3.2).
    "pnfs_osd_version4" => pub enum OsdVersion {
        /// The object is missing.
        "PNFS_OSD_MISSING" Missing = 0,
        /// Version 1.
        "PNFS_OSD_VERSION_1" Version1 = 1,
        /// Version 2.
        "PNFS_OSD_VERSION_2" Version2 = 2,
    }
}

xdr_enum! {
    /// How the key of a capability is protected (RFC 5664, section 3.3).
    "pnfs_osd_cap_key_sec4" => pub enum CapKeySec {
        /// Not: the transport must do that.
        "PNFS_OSD_CAP_KEY_SEC_NONE" None = 0,
        /// Encrypted with the client's secret state verifier.
        "PNFS_OSD_CAP_KEY_SEC_SSV" Ssv = 1,
    }
}

xdr_struct! {
    /// An object and what grants access to it (RFC 5664, section 3.3).
    #[derive(Copy)]
    "pnfs_osd_object_cred4" => pub struct ObjectCred<'a> {
        /// The object.
        "oc_object_id" => pub object_id: ObjId,
        /// Version of its protocol.
        "oc_osd_version" => pub osd_version: OsdVersion,
        /// How the key is protected.
        "oc_cap_key_sec" => pub cap_key_sec: CapKeySec,
        /// The key.
        "oc_capability_key" => pub capability_key: Opaque<'a>,
        /// The capability.
        "oc_capability" => pub capability: Opaque<'a>,
    }
}

xdr_enum! {
    /// How data is protected against loss (RFC 5664, section 3.4).
    "pnfs_osd_raid_algorithm4" => pub enum RaidAlgorithm {
        /// Not: only striped.
        "PNFS_OSD_RAID_0" Raid0 = 1,
        /// Parity on the last component.
        "PNFS_OSD_RAID_4" Raid4 = 2,
        /// Parity that rotates.
        "PNFS_OSD_RAID_5" Raid5 = 3,
        /// Reed-Solomon P+Q.
        "PNFS_OSD_RAID_PQ" RaidPq = 4,
    }
}

//--- Device ---

xdr_open_enum! {
    /// How a SCSI target is named (RFC 5664, section 4.1).
    "pnfs_osd_targetid_type4" => pub struct TargetIdType {
        /// It is not.
        "OBJ_TARGET_ANON" ANON = 1,
        /// By an iSCSI name.
        "OBJ_TARGET_SCSI_NAME" SCSI_NAME = 2,
        /// By a SCSI device identifier.
        "OBJ_TARGET_SCSI_DEVICE_ID" SCSI_DEVICE_ID = 3,
    }
}

xdr_union! {
    /// Name of a SCSI target (RFC 5664, section 4.2).
    #[derive(Copy)]
    "pnfs_osd_targetid4" => pub enum TargetId<'a> switch (oti_type: TargetIdType) {
        /// iSCSI name.
        case TargetIdType::SCSI_NAME => "oti_scsi_name" ScsiName(Text<'a>),
        /// SCSI device identifier, as in page 83h; empty if it is the system id.
        case TargetIdType::SCSI_DEVICE_ID => "oti_scsi_device_id" ScsiDeviceId(Opaque<'a>),
        /// None.
        default => Other,
    }
}

/// Network address of a device, as a hint (RFC 5664, section 4.2).
#[doc(alias = "pnfs_osd_targetaddr4")]
#[doc(alias = "ota_netaddr")]
pub type TargetAddr<'a> = Option<NetAddr<'a>>;

xdr_struct! {
    /// Address of a device (RFC 5664, section 4.2).
    #[derive(Copy)]
    "pnfs_osd_deviceaddr4" => pub struct DeviceAddr<'a> {
        /// Its SCSI target.
        "oda_targetid" => pub targetid: TargetId<'a>,
        /// Its network address.
        "oda_targetaddr" => pub targetaddr: TargetAddr<'a>,
        /// Its logical unit number, as in SAM-3.
        "oda_lun" => pub lun: [u8; 8],
        /// Its OSD system id.
        "oda_systemid" => pub systemid: Opaque<'a>,
        /// Grants access to its root object.
        "oda_root_obj_cred" => pub root_obj_cred: ObjectCred<'a>,
        /// Its OSD name; empty if unknown.
        "oda_osdname" => pub osdname: Opaque<'a>,
    }
}

//--- Layout ---

xdr_struct! {
    /// How a file is spread over objects (RFC 5664, section 5.1).
    #[derive(Copy)]
    "pnfs_osd_data_map4" => pub struct DataMap {
        /// Objects of the whole file.
        "odm_num_comps" => pub num_comps: u32,
        /// Bytes on one object before the next one follows.
        "odm_stripe_unit" => pub stripe_unit: Length,
        /// Objects of a group; 0 if there are no groups.
        "odm_group_width" => pub group_width: u32,
        /// Stripes in a group before the next one follows; 0 if there are no groups.
        "odm_group_depth" => pub group_depth: u32,
        /// Copies of each object, without the first.
        "odm_mirror_cnt" => pub mirror_cnt: u32,
        /// How the data is protected.
        "odm_raid_algorithm" => pub raid_algorithm: RaidAlgorithm,
    }
}

xdr_struct! {
    /// Where a file's bytes are (RFC 5664, section 5.2).
    #[derive(Copy)]
    "pnfs_osd_layout4" => pub struct Layout<'a> {
        /// How the file is spread over its objects.
        "olo_map" => pub map: DataMap,
        /// Number of the first object below among all of the file.
        "olo_comps_index" => pub comps_index: u32,
        /// Objects: all, or those that the range needs.
        "olo_components" => pub components: Array<'a, ObjectCred<'a>>,
    }
}

//--- Update and return ---

/// How many more bytes of space a file takes, negative if fewer; `None` if unknown (RFC 5664, section
/// 6.1).
#[doc(alias = "pnfs_osd_deltaspaceused4")]
#[doc(alias = "dsu_delta")]
pub type DeltaSpaceUsed = Option<i64>;

xdr_struct! {
    /// What came of a client's writes (RFC 5664, section 6.2).
    #[derive(Copy, Default)]
    "pnfs_osd_layoutupdate4" => pub struct LayoutUpdate {
        /// Space that they took.
        "olu_delta_space_used" => pub delta_space_used: DeltaSpaceUsed,
        /// Some failed; a [`LayoutReturn`] tells which.
        "olu_ioerr_flag" => pub ioerr_flag: bool,
    }
}

xdr_open_enum! {
    /// What went wrong with an object, as a hint (RFC 5664, section 8.1).
    "pnfs_osd_errno4" => pub struct Errno {
        /// The device failed.
        "PNFS_OSD_ERR_EIO" EIO = 1,
        /// There is no such object.
        "PNFS_OSD_ERR_NOT_FOUND" NOT_FOUND = 2,
        /// The device is full.
        "PNFS_OSD_ERR_NO_SPACE" NO_SPACE = 3,
        /// The capability is not valid, or not any more.
        "PNFS_OSD_ERR_BAD_CRED" BAD_CRED = 4,
        /// The capability does not allow it.
        "PNFS_OSD_ERR_NO_ACCESS" NO_ACCESS = 5,
        /// The device could not be reached; whether it did anything is unknown.
        "PNFS_OSD_ERR_UNREACHABLE" UNREACHABLE = 6,
        /// The client could not try.
        "PNFS_OSD_ERR_RESOURCE" RESOURCE = 7,
    }
}

xdr_struct! {
    /// A failure of an object (RFC 5664, section 8.2).
    #[derive(Copy)]
    "pnfs_osd_ioerr4" => pub struct IoErr {
        /// The object.
        "oer_component" => pub component: ObjId,
        /// First byte of the range in it that is affected.
        "oer_comp_offset" => pub comp_offset: Length,
        /// Bytes of the range.
        "oer_comp_length" => pub comp_length: Length,
        /// It was a write, or anything else that changes data.
        "oer_iswrite" => pub is_write: bool,
        /// What went wrong.
        "oer_errno" => pub errno: Errno,
    }
}

xdr_struct! {
    /// What a client reports when it returns a layout (RFC 5664, section 8.3).
    #[derive(Copy)]
    "pnfs_osd_layoutreturn4" => pub struct LayoutReturn<'a> {
        /// Failures.
        "olr_ioerr_report" => pub ioerr_report: Array<'a, IoErr>,
    }
}

//--- Hint ---

/// Most objects of the file, if the client cares (RFC 5664, section 9.1).
#[doc(alias = "pnfs_osd_max_comps_hint4")]
#[doc(alias = "omx_max_comps")]
pub type MaxCompsHint = Option<u32>;

/// Bytes on one object before the next one follows, if the client cares (RFC 5664, section 9.1).
#[doc(alias = "pnfs_osd_stripe_unit_hint4")]
#[doc(alias = "osu_stripe_unit")]
pub type StripeUnitHint = Option<Length>;

/// Objects of a group, if the client cares (RFC 5664, section 9.1).
#[doc(alias = "pnfs_osd_group_width_hint4")]
#[doc(alias = "ogw_group_width")]
pub type GroupWidthHint = Option<u32>;

/// Stripes in a group before the next one follows, if the client cares (RFC 5664, section 9.1).
#[doc(alias = "pnfs_osd_group_depth_hint4")]
#[doc(alias = "ogd_group_depth")]
pub type GroupDepthHint = Option<u32>;

/// Copies of each object, without the first, if the client cares (RFC 5664, section 9.1).
#[doc(alias = "pnfs_osd_mirror_cnt_hint4")]
#[doc(alias = "omc_mirror_cnt")]
pub type MirrorCntHint = Option<u32>;

/// How data is protected against loss, if the client cares (RFC 5664, section 9.1).
#[doc(alias = "pnfs_osd_raid_algorithm_hint4")]
#[doc(alias = "ora_raid_algorithm")]
pub type RaidAlgorithmHint = Option<RaidAlgorithm>;

xdr_struct! {
    /// The layout that a client would like a new file to have (RFC 5664, section 9.1).
    #[derive(Copy, Default)]
    "pnfs_osd_layouthint4" => pub struct LayoutHint {
        /// Most objects.
        "olh_max_comps_hint" => pub max_comps: MaxCompsHint,
        /// Bytes on one object before the next one follows.
        "olh_stripe_unit_hint" => pub stripe_unit: StripeUnitHint,
        /// Objects of a group.
        "olh_group_width_hint" => pub group_width: GroupWidthHint,
        /// Stripes in a group before the next one follows.
        "olh_group_depth_hint" => pub group_depth: GroupDepthHint,
        /// Copies of each object, without the first.
        "olh_mirror_cnt_hint" => pub mirror_cnt: MirrorCntHint,
        /// How data is protected against loss.
        "olh_raid_algorithm_hint" => pub raid_algorithm: RaidAlgorithmHint,
    }
}

//--- CB_RECALL_ANY ---

xdr_enum! {
    /// The layouts to be returned, as bits of CB_RECALL_ANY's mask (RFC 5664, section 11.1).
    "pnfs_osd_cb_recall_any_mask" => pub enum RecallAnyMask {
        /// Those for reading.
        "PNFS_OSD_RCA4_TYPE_MASK_READ" Read = 8,
        /// Those for reading and writing.
        "PNFS_OSD_RCA4_TYPE_MASK_RW" ReadWrite = 9,
    }
}
