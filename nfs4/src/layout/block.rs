//! `LAYOUT4_BLOCK_VOLUME`: extents of volumes that are found by their content (RFC 5663).
//!
//! | opaque of the operation | type |
//! |---|---|
//! | `loc_body` of LAYOUTGET | [`Layout`] |
//! | `da_addr_body` of GETDEVICEINFO | [`DeviceAddr`] |
//! | `loh_body` of the attribute `layout_hint` | [`LayoutHint`] |
//! | `lou_body` of LAYOUTCOMMIT | [`LayoutUpdate`] |
//! | `lrf_body` of LAYOUTRETURN | empty |

use nfswire_xdr::{Array, Opaque, xdr_enum, xdr_struct, xdr_union};

use crate::{DeviceId, Length, Offset};

/// Most components of a signature (RFC 5663, section 2.2.2).
#[doc(alias = "PNFS_BLOCK_MAX_SIG_COMP")]
pub const MAX_SIG_COMP: u32 = 16;

//--- Device ---

xdr_struct! {
    /// Bytes that a volume has at a certain place, by which it is recognised (RFC 5663, section
    /// 2.2.1).
    #[derive(Copy)]
    "pnfs_block_sig_component4" => pub struct SigComponent<'a> {
        /// Where, in bytes: from the start of the volume, or from its end if negative.
        "bsc_sig_offset" => pub sig_offset: i64,
        /// The bytes; zeros may be among them.
        "bsc_contents" => pub contents: Opaque<'a>,
    }
}

xdr_enum! {
    /// Kind of volume (RFC 5663, section 2.2.2).
    "pnfs_block_volume_type4" => pub enum VolumeType {
        /// A logical unit.
        "PNFS_BLOCK_VOLUME_SIMPLE" Simple = 0,
        /// A part of another volume.
        "PNFS_BLOCK_VOLUME_SLICE" Slice = 1,
        /// Other volumes behind each other.
        "PNFS_BLOCK_VOLUME_CONCAT" Concat = 2,
        /// Other volumes, striped.
        "PNFS_BLOCK_VOLUME_STRIPE" Stripe = 3,
    }
}

xdr_struct! {
    /// A logical unit (RFC 5663, section 2.2.2).
    #[derive(Copy)]
    "pnfs_block_simple_volume_info4" => pub struct SimpleVolumeInfo<'a> {
        /// Its signature: at most [`MAX_SIG_COMP`] components, all of which match.
        "bsv_ds" => pub signature: Array<'a, SigComponent<'a>, 16>,
    }
}

xdr_struct! {
    /// A part of another volume (RFC 5663, section 2.2.2).
    #[derive(Copy, Default)]
    "pnfs_block_slice_volume_info4" => pub struct SliceVolumeInfo {
        /// First byte of the part.
        "bsv_start" => pub start: Offset,
        /// Its bytes.
        "bsv_length" => pub length: Length,
        /// Index of the other volume; lower than that of this one.
        "bsv_volume" => pub volume: u32,
    }
}

xdr_struct! {
    /// Volumes behind each other (RFC 5663, section 2.2.2).
    #[derive(Copy)]
    "pnfs_block_concat_volume_info4" => pub struct ConcatVolumeInfo<'a> {
        /// Their indices; each lower than that of this volume.
        "bcv_volumes" => pub volumes: Array<'a, u32>,
    }
}

xdr_struct! {
    /// Volumes of the same size, striped (RFC 5663, section 2.2.2).
    #[derive(Copy)]
    "pnfs_block_stripe_volume_info4" => pub struct StripeVolumeInfo<'a> {
        /// Size of a stripe, in bytes.
        "bsv_stripe_unit" => pub stripe_unit: Length,
        /// Indices of the volumes; each lower than that of this volume.
        "bsv_volumes" => pub volumes: Array<'a, u32>,
    }
}

xdr_union! {
    /// A volume (RFC 5663, section 2.2.2).
    #[derive(Copy)]
    "pnfs_block_volume4" => pub enum Volume<'a> switch (volume_type: VolumeType) {
        /// A logical unit.
        case VolumeType::Simple => "bv_simple_info" Simple(SimpleVolumeInfo<'a>),
        /// A part of another volume.
        case VolumeType::Slice => "bv_slice_info" Slice(SliceVolumeInfo),
        /// Other volumes behind each other.
        case VolumeType::Concat => "bv_concat_info" Concat(ConcatVolumeInfo<'a>),
        /// Other volumes, striped.
        case VolumeType::Stripe => "bv_stripe_info" Stripe(StripeVolumeInfo<'a>),
    }
}

xdr_struct! {
    /// Address of a device: volumes, of which the last is the device itself (RFC 5663, section
    /// 2.2.2).
    #[derive(Copy)]
    "pnfs_block_deviceaddr4" => pub struct DeviceAddr<'a> {
        /// The volumes. One that is made of others comes behind them; nothing here checks that.
        "bda_volumes" => pub volumes: Array<'a, Volume<'a>>,
    }
}

//--- Layout ---

xdr_enum! {
    /// What an extent is good for (RFC 5663, section 2.3).
    "pnfs_block_extent_state4" => pub enum ExtentState {
        /// The data is valid, for reading and writing.
        "PNFS_BLOCK_READ_WRITE_DATA" ReadWriteData = 0,
        /// The data is valid, for reading only.
        "PNFS_BLOCK_READ_DATA" ReadData = 1,
        /// There is space, but no data yet: reads as zeros, may be written.
        "PNFS_BLOCK_INVALID_DATA" InvalidData = 2,
        /// A hole: there is no space.
        "PNFS_BLOCK_NONE_DATA" NoneData = 3,
    }
}

xdr_struct! {
    /// A range of a file and where it is (RFC 5663, section 2.3).
    #[derive(Copy)]
    "pnfs_block_extent4" => pub struct Extent {
        /// The volume.
        "bex_vol_id" => pub vol_id: DeviceId,
        /// First byte in the file.
        "bex_file_offset" => pub file_offset: Offset,
        /// Bytes.
        "bex_length" => pub length: Length,
        /// First byte on the volume; no meaning in a hole or in a [`LayoutUpdate`].
        "bex_storage_offset" => pub storage_offset: Offset,
        /// What it is good for.
        "bex_state" => pub state: ExtentState,
    }
}

impl Extent {
    /// Whether byte `offset` of the file is in the extent.
    #[inline]
    #[must_use]
    pub const fn contains(&self, offset: Offset) -> bool {
        matches!(offset.checked_sub(self.file_offset), Some(n) if n < self.length)
    }

    /// Where byte `offset` of the file is on the volume; `None` if the extent does not have it, is
    /// a hole, or goes beyond 2^64.
    #[inline]
    #[must_use]
    pub const fn locate(&self, offset: Offset) -> Option<Offset> {
        if !self.contains(offset) || matches!(self.state, ExtentState::NoneData) {
            return None;
        }
        self.storage_offset.checked_add(offset.wrapping_sub(self.file_offset))
    }
}

xdr_struct! {
    /// Where a file's bytes are (RFC 5663, section 2.3).
    #[derive(Copy)]
    "pnfs_block_layout4" => pub struct Layout<'a> {
        /// The extents, by offset in the file, then by state.
        "blo_extents" => pub extents: Array<'a, Extent>,
    }
}

impl<'a> Layout<'a> {
    /// The extents that byte `offset` of the file is in: one, or two where a file is copied on
    /// write (one to read from, one to write to). The work grows with the number of extents.
    pub fn at(&self, offset: Offset) -> impl Iterator<Item = Extent> + use<'a> {
        self.extents.iter().filter(move |extent| extent.contains(offset))
    }
}

xdr_struct! {
    /// What a client has written (RFC 5663, section 2.3.2).
    #[derive(Copy)]
    "pnfs_block_layoutupdate4" => pub struct LayoutUpdate<'a> {
        /// Extents that are [`ExtentState::ReadWriteData`] now, by offset in the file and disjoint.
        "blu_commit_list" => pub commit_list: Array<'a, Extent>,
    }
}

xdr_struct! {
    /// What a server should know before it gives out layouts (RFC 5663, section 2.3.7).
    #[derive(Copy, Default)]
    "pnfs_block_layouthint4" => pub struct LayoutHint {
        /// Seconds that I/O of the client takes at most.
        "blh_maximum_io_time" => pub maximum_io_time: u64,
    }
}
