//! Bodies of block layouts (RFC 5663).

use nfswire_nfs4::layout::block;

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "pnfs_block_sig_component4" => block::SigComponent<'_>,
    "pnfs_block_volume_type4" => block::VolumeType,
    "pnfs_block_simple_volume_info4" => block::SimpleVolumeInfo<'_>,
    "pnfs_block_slice_volume_info4" => block::SliceVolumeInfo,
    "pnfs_block_concat_volume_info4" => block::ConcatVolumeInfo<'_>,
    "pnfs_block_stripe_volume_info4" => block::StripeVolumeInfo<'_>,
    "pnfs_block_volume4" => block::Volume<'_>,
    "pnfs_block_deviceaddr4" => block::DeviceAddr<'_>,
    "pnfs_block_extent_state4" => block::ExtentState,
    "pnfs_block_extent4" => block::Extent,
    "pnfs_block_layout4" => block::Layout<'_>,
    "pnfs_block_layoutupdate4" => block::LayoutUpdate<'_>,
    "pnfs_block_layouthint4" => block::LayoutHint,
};
