//! Bodies of SCSI layouts (RFC 8154).

use nfswire_nfs4::layout::scsi;

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "pnfs_scsi_volume_type4" => scsi::VolumeType,
    "pnfs_scsi_code_set" => scsi::CodeSet,
    "pnfs_scsi_designator_type" => scsi::DesignatorType,
    "pnfs_scsi_base_volume_info4" => scsi::BaseVolumeInfo<'_>,
    "pnfs_scsi_slice_volume_info4" => scsi::SliceVolumeInfo,
    "pnfs_scsi_concat_volume_info4" => scsi::ConcatVolumeInfo<'_>,
    "pnfs_scsi_stripe_volume_info4" => scsi::StripeVolumeInfo<'_>,
    "pnfs_scsi_volume4" => scsi::Volume<'_>,
    "pnfs_scsi_deviceaddr4" => scsi::DeviceAddr<'_>,
    "pnfs_scsi_extent_state4" => scsi::ExtentState,
    "pnfs_scsi_extent4" => scsi::Extent,
    "pnfs_scsi_layout4" => scsi::Layout<'_>,
    "pnfs_scsi_range4" => scsi::Range,
    "pnfs_scsi_layoutupdate4" => scsi::LayoutUpdate<'_>,
};
