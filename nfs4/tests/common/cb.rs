//! Types of callbacks and of layout bodies.

use nfswire_nfs4::layout::{block, files, flexfiles, objects, scsi};

use super::types;

types! { TYPES
    "layout-block" {
        declared "pnfs_block_sig_component4" block::SigComponent<'_>;
        alias "pnfs_block_volume_type4" block::VolumeType;
        declared "pnfs_block_simple_volume_info4" block::SimpleVolumeInfo<'_>;
        declared "pnfs_block_slice_volume_info4" block::SliceVolumeInfo;
        declared "pnfs_block_concat_volume_info4" block::ConcatVolumeInfo<'_>;
        declared "pnfs_block_stripe_volume_info4" block::StripeVolumeInfo<'_>;
        declared "pnfs_block_volume4" block::Volume<'_>;
        declared "pnfs_block_deviceaddr4" block::DeviceAddr<'_>;
        alias "pnfs_block_extent_state4" block::ExtentState;
        declared "pnfs_block_extent4" block::Extent;
        declared "pnfs_block_layout4" block::Layout<'_>;
        declared "pnfs_block_layoutupdate4" block::LayoutUpdate<'_>;
        declared "pnfs_block_layouthint4" block::LayoutHint;
    }
    "layout-files" {
        alias "nfl_util4" files::Util;
        alias "filelayout_hint_care4" files::HintCare;
        declared "nfsv4_1_file_layouthint4" files::LayoutHint;
        alias "multipath_list4" files::MultipathList<'_>;
        declared "nfsv4_1_file_layout_ds_addr4" files::DeviceAddr<'_>;
        declared "nfsv4_1_file_layout4" files::Layout<'_>;
    }
    "layout-flexfiles" {
        declared "ff_device_versions4" flexfiles::DeviceVersions;
        declared "ff_device_addr4" flexfiles::DeviceAddr<'_>;
        alias "ff_flags4" flexfiles::Flags;
        declared "ff_data_server4" flexfiles::DataServer<'_>;
        declared "ff_mirror4" flexfiles::Mirror<'_>;
        declared "ff_layout4" flexfiles::Layout<'_>;
        declared "ff_ioerr4" flexfiles::IoErr<'_>;
        declared "ff_io_latency4" flexfiles::IoLatency;
        declared "ff_layoutupdate4" flexfiles::LayoutUpdate<'_>;
        declared "ff_iostats4" flexfiles::IoStats<'_>;
        declared "ff_layoutreturn4" flexfiles::LayoutReturn<'_>;
        declared "ff_mirrors_hint" flexfiles::MirrorsHint;
        declared "ff_layouthint4" flexfiles::LayoutHint;
        alias "ff_cb_recall_any_mask" flexfiles::RecallAnyMask;
        declared "ff_data_server_wcc4" flexfiles::DataServerWcc<'_>;
        declared "ff_mirror_wcc4" flexfiles::MirrorWcc<'_>;
        declared "ff_layout_wcc4" flexfiles::LayoutWcc<'_>;
    }
    "layout-objects" {
        declared "pnfs_osd_objid4" objects::ObjId;
        alias "pnfs_osd_version4" objects::OsdVersion;
        alias "pnfs_osd_cap_key_sec4" objects::CapKeySec;
        declared "pnfs_osd_object_cred4" objects::ObjectCred<'_>;
        alias "pnfs_osd_raid_algorithm4" objects::RaidAlgorithm;
        alias "pnfs_osd_targetid_type4" objects::TargetIdType;
        declared "pnfs_osd_targetid4" objects::TargetId<'_>;
        declared "pnfs_osd_targetaddr4" objects::TargetAddr<'_>;
        declared "pnfs_osd_deviceaddr4" objects::DeviceAddr<'_>;
        declared "pnfs_osd_data_map4" objects::DataMap;
        declared "pnfs_osd_layout4" objects::Layout<'_>;
        declared "pnfs_osd_deltaspaceused4" objects::DeltaSpaceUsed;
        declared "pnfs_osd_layoutupdate4" objects::LayoutUpdate;
        alias "pnfs_osd_errno4" objects::Errno;
        declared "pnfs_osd_ioerr4" objects::IoErr;
        declared "pnfs_osd_layoutreturn4" objects::LayoutReturn<'_>;
        declared "pnfs_osd_max_comps_hint4" objects::MaxCompsHint;
        declared "pnfs_osd_stripe_unit_hint4" objects::StripeUnitHint;
        declared "pnfs_osd_group_width_hint4" objects::GroupWidthHint;
        declared "pnfs_osd_group_depth_hint4" objects::GroupDepthHint;
        declared "pnfs_osd_mirror_cnt_hint4" objects::MirrorCntHint;
        declared "pnfs_osd_raid_algorithm_hint4" objects::RaidAlgorithmHint;
        declared "pnfs_osd_layouthint4" objects::LayoutHint;
        alias "pnfs_osd_cb_recall_any_mask" objects::RecallAnyMask;
    }
    "layout-scsi" {
        alias "pnfs_scsi_volume_type4" scsi::VolumeType;
        alias "pnfs_scsi_code_set" scsi::CodeSet;
        alias "pnfs_scsi_designator_type" scsi::DesignatorType;
        declared "pnfs_scsi_base_volume_info4" scsi::BaseVolumeInfo<'_>;
        declared "pnfs_scsi_slice_volume_info4" scsi::SliceVolumeInfo;
        declared "pnfs_scsi_concat_volume_info4" scsi::ConcatVolumeInfo<'_>;
        declared "pnfs_scsi_stripe_volume_info4" scsi::StripeVolumeInfo<'_>;
        declared "pnfs_scsi_volume4" scsi::Volume<'_>;
        declared "pnfs_scsi_deviceaddr4" scsi::DeviceAddr<'_>;
        alias "pnfs_scsi_extent_state4" scsi::ExtentState;
        declared "pnfs_scsi_extent4" scsi::Extent;
        declared "pnfs_scsi_layout4" scsi::Layout<'_>;
        declared "pnfs_scsi_range4" scsi::Range;
        declared "pnfs_scsi_layoutupdate4" scsi::LayoutUpdate<'_>;
    }
}

/// Types of the vectors that are still missing: taken from here once they are there.
pub(crate) const PENDING: &[(&str, &[&str])] = &[(
    "nfs4cb",
    &[
        "CB_GETATTR4args",
        "CB_GETATTR4resok",
        "CB_GETATTR4res",
        "CB_RECALL4args",
        "CB_RECALL4res",
        "CB_ILLEGAL4res",
        "layoutrecall_type4",
        "layoutrecall_file4",
        "layoutrecall4",
        "CB_LAYOUTRECALL4args",
        "CB_LAYOUTRECALL4res",
        "notify_type4",
        "notify_entry4",
        "prev_entry4",
        "notify_remove4",
        "notify_add4",
        "notify_attr4",
        "notify_rename4",
        "notify_verifier4",
        "notifylist4",
        "notify4",
        "CB_NOTIFY4args",
        "CB_NOTIFY4res",
        "CB_PUSH_DELEG4args",
        "CB_PUSH_DELEG4res",
        "CB_RECALL_ANY4args",
        "CB_RECALL_ANY4res",
        "CB_RECALLABLE_OBJ_AVAIL4args",
        "CB_RECALLABLE_OBJ_AVAIL4res",
        "CB_RECALL_SLOT4args",
        "CB_RECALL_SLOT4res",
        "referring_call4",
        "referring_call_list4",
        "CB_SEQUENCE4args",
        "CB_SEQUENCE4resok",
        "CB_SEQUENCE4res",
        "CB_WANTS_CANCELLED4args",
        "CB_WANTS_CANCELLED4res",
        "CB_NOTIFY_LOCK4args",
        "CB_NOTIFY_LOCK4res",
        "notify_deviceid_type4",
        "notify_deviceid_delete4",
        "notify_deviceid_change4",
        "CB_NOTIFY_DEVICEID4args",
        "CB_NOTIFY_DEVICEID4res",
        "offload_info4",
        "CB_OFFLOAD4args",
        "CB_OFFLOAD4res",
        "nfs_cb_opnum4",
        "nfs_cb_argop4",
        "nfs_cb_resop4",
        "CB_COMPOUND4args",
        "CB_COMPOUND4res",
    ],
)];
