//! Bodies of objects layouts (RFC 5664).

use nfswire_nfs4::layout::objects;

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "pnfs_osd_objid4" => objects::ObjId,
    "pnfs_osd_version4" => objects::OsdVersion,
    "pnfs_osd_cap_key_sec4" => objects::CapKeySec,
    "pnfs_osd_object_cred4" => objects::ObjectCred<'_>,
    "pnfs_osd_raid_algorithm4" => objects::RaidAlgorithm,
    "pnfs_osd_targetid_type4" => objects::TargetIdType,
    "pnfs_osd_targetid4" => objects::TargetId<'_>,
    "pnfs_osd_targetaddr4" => objects::TargetAddr<'_>,
    "pnfs_osd_deviceaddr4" => objects::DeviceAddr<'_>,
    "pnfs_osd_data_map4" => objects::DataMap,
    "pnfs_osd_layout4" => objects::Layout<'_>,
    "pnfs_osd_deltaspaceused4" => objects::DeltaSpaceUsed,
    "pnfs_osd_layoutupdate4" => objects::LayoutUpdate,
    "pnfs_osd_errno4" => objects::Errno,
    "pnfs_osd_ioerr4" => objects::IoErr,
    "pnfs_osd_layoutreturn4" => objects::LayoutReturn<'_>,
    "pnfs_osd_max_comps_hint4" => objects::MaxCompsHint,
    "pnfs_osd_stripe_unit_hint4" => objects::StripeUnitHint,
    "pnfs_osd_group_width_hint4" => objects::GroupWidthHint,
    "pnfs_osd_group_depth_hint4" => objects::GroupDepthHint,
    "pnfs_osd_mirror_cnt_hint4" => objects::MirrorCntHint,
    "pnfs_osd_raid_algorithm_hint4" => objects::RaidAlgorithmHint,
    "pnfs_osd_layouthint4" => objects::LayoutHint,
    "pnfs_osd_cb_recall_any_mask" => objects::RecallAnyMask,
};
