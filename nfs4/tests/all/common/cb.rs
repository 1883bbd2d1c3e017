//! Types of callbacks and of layout bodies.

use nfswire_nfs4::{
    callback,
    layout::{block, files, flexfiles, objects, scsi},
};

use super::types;

types! { TYPES
    "nfs4cb" {
        declared "CB_GETATTR4args" callback::deleg::CbGetattrArgs<'_>;
        declared "CB_GETATTR4resok" callback::deleg::CbGetattrOk<'_>;
        declared "CB_GETATTR4res" callback::deleg::CbGetattrReply<'_>;
        declared "CB_RECALL4args" callback::deleg::CbRecallArgs<'_>;
        declared "CB_RECALL4res" callback::deleg::CbRecallReply;
        declared "CB_ILLEGAL4res" callback::CbIllegalReply;
        alias "layoutrecall_type4" callback::layout::LayoutRecallType;
        declared "layoutrecall_file4" callback::layout::LayoutRecallFile<'_>;
        declared "layoutrecall4" callback::layout::LayoutRecall<'_>;
        declared "CB_LAYOUTRECALL4args" callback::layout::CbLayoutrecallArgs<'_>;
        declared "CB_LAYOUTRECALL4res" callback::layout::CbLayoutrecallReply;
        alias "notify_type4" callback::notify::NotifyType;
        declared "notify_entry4" callback::notify::NotifyEntry<'_>;
        declared "prev_entry4" callback::notify::PrevEntry<'_>;
        declared "notify_remove4" callback::notify::NotifyRemove<'_>;
        declared "notify_add4" callback::notify::NotifyAdd<'_>;
        declared "notify_attr4" callback::notify::NotifyAttr<'_>;
        declared "notify_rename4" callback::notify::NotifyRename<'_>;
        declared "notify_verifier4" callback::notify::NotifyVerifier;
        alias "notifylist4" callback::notify::NotifyList<'_>;
        declared "notify4" callback::notify::Notify<'_>;
        declared "CB_NOTIFY4args" callback::notify::CbNotifyArgs<'_>;
        declared "CB_NOTIFY4res" callback::notify::CbNotifyReply;
        declared "CB_PUSH_DELEG4args" callback::deleg::CbPushDelegArgs<'_>;
        declared "CB_PUSH_DELEG4res" callback::deleg::CbPushDelegReply;
        declared "CB_RECALL_ANY4args" callback::recall::CbRecallAnyArgs<'_>;
        declared "CB_RECALL_ANY4res" callback::recall::CbRecallAnyReply;
        declared "CB_RECALLABLE_OBJ_AVAIL4args" callback::recall::CbRecallableObjAvailArgs<'_>;
        declared "CB_RECALLABLE_OBJ_AVAIL4res" callback::recall::CbRecallableObjAvailReply;
        declared "CB_RECALL_SLOT4args" callback::session::CbRecallSlotArgs;
        declared "CB_RECALL_SLOT4res" callback::session::CbRecallSlotReply;
        declared "referring_call4" callback::session::ReferringCall;
        declared "referring_call_list4" callback::session::ReferringCallList<'_>;
        declared "CB_SEQUENCE4args" callback::session::CbSequenceArgs<'_>;
        declared "CB_SEQUENCE4resok" callback::session::CbSequenceOk;
        declared "CB_SEQUENCE4res" callback::session::CbSequenceReply;
        declared "CB_WANTS_CANCELLED4args" callback::deleg::CbWantsCancelledArgs;
        declared "CB_WANTS_CANCELLED4res" callback::deleg::CbWantsCancelledReply;
        declared "CB_NOTIFY_LOCK4args" callback::lock::CbNotifyLockArgs<'_>;
        declared "CB_NOTIFY_LOCK4res" callback::lock::CbNotifyLockReply;
        alias "notify_deviceid_type4" callback::notify::NotifyDeviceidType;
        declared "notify_deviceid_delete4" callback::notify::NotifyDeviceidDelete;
        declared "notify_deviceid_change4" callback::notify::NotifyDeviceidChange;
        declared "CB_NOTIFY_DEVICEID4args" callback::layout::CbNotifyDeviceidArgs<'_>;
        declared "CB_NOTIFY_DEVICEID4res" callback::layout::CbNotifyDeviceidReply;
        declared "offload_info4" callback::offload::OffloadInfo;
        declared "CB_OFFLOAD4args" callback::offload::CbOffloadArgs<'_>;
        declared "CB_OFFLOAD4res" callback::offload::CbOffloadReply;
        alias "nfs_cb_opnum4" callback::CbOpNum;
        declared "nfs_cb_argop4" callback::CbArgOp<'_>;
        declared "nfs_cb_resop4" callback::CbResOp<'_>;
        declared "CB_COMPOUND4args" callback::CbCompoundArgs<'_>;
        declared "CB_COMPOUND4res" callback::CbCompoundReply<'_>;
    }
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
        alias "ff_mirrors_hint" flexfiles::MirrorsHint;
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
        alias "pnfs_osd_targetaddr4" objects::TargetAddr<'_>;
        declared "pnfs_osd_deviceaddr4" objects::DeviceAddr<'_>;
        declared "pnfs_osd_data_map4" objects::DataMap;
        declared "pnfs_osd_layout4" objects::Layout<'_>;
        alias "pnfs_osd_deltaspaceused4" objects::DeltaSpaceUsed;
        declared "pnfs_osd_layoutupdate4" objects::LayoutUpdate;
        alias "pnfs_osd_errno4" objects::Errno;
        declared "pnfs_osd_ioerr4" objects::IoErr;
        declared "pnfs_osd_layoutreturn4" objects::LayoutReturn<'_>;
        alias "pnfs_osd_max_comps_hint4" objects::MaxCompsHint;
        alias "pnfs_osd_stripe_unit_hint4" objects::StripeUnitHint;
        alias "pnfs_osd_group_width_hint4" objects::GroupWidthHint;
        alias "pnfs_osd_group_depth_hint4" objects::GroupDepthHint;
        alias "pnfs_osd_mirror_cnt_hint4" objects::MirrorCntHint;
        alias "pnfs_osd_raid_algorithm_hint4" objects::RaidAlgorithmHint;
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

/// Types of the vectors that are still missing: none.
pub(crate) const PENDING: &[(&str, &[&str])] = &[];
