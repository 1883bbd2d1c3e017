//! `LAYOUT4_SCSI`: extents of SCSI logical units (RFC 8154).
//!
//! | opaque of the operation | type |
//! |---|---|
//! | `loc_body` of LAYOUTGET | [`Layout`] |
//! | `da_addr_body` of GETDEVICEINFO | [`DeviceAddr`] |
//! | `lou_body` of LAYOUTCOMMIT | [`LayoutUpdate`] |
//! | `lrf_body` of LAYOUTRETURN | empty |
//!
//! There is no hint: servers reject one (RFC 8154, section 2.4.9).

use nfswire_xdr::{Array, Opaque, xdr_enum, xdr_open_enum, xdr_struct, xdr_union};

use crate::{DeviceId, Length, Offset};

//--- Device ---

xdr_enum! {
    /// Kind of volume (RFC 8154, section 2.3.2).
    "pnfs_scsi_volume_type4" => pub enum VolumeType {
        /// A part of another volume.
        "PNFS_SCSI_VOLUME_SLICE" Slice = 1,
        /// Other volumes behind each other.
        "PNFS_SCSI_VOLUME_CONCAT" Concat = 2,
        /// Other volumes, striped.
        "PNFS_SCSI_VOLUME_STRIPE" Stripe = 3,
        /// A logical unit.
        "PNFS_SCSI_VOLUME_BASE" Base = 4,
    }
}

xdr_open_enum! {
    /// How a designator is written, a number of SPC-4 (RFC 8154, section 2.3.2).
    "pnfs_scsi_code_set" => pub struct CodeSet {
        /// Bytes.
        "PS_CODE_SET_BINARY" BINARY = 1,
        /// ASCII.
        "PS_CODE_SET_ASCII" ASCII = 2,
        /// UTF-8.
        "PS_CODE_SET_UTF8" UTF8 = 3,
    }
}

xdr_open_enum! {
    /// Kind of designator, a number of SPC-4, which has more of them (RFC 8154, section 2.3.2).
    "pnfs_scsi_designator_type" => pub struct DesignatorType {
        /// A vendor's name and an identifier.
        "PS_DESIGNATOR_T10" T10 = 1,
        /// EUI-64.
        "PS_DESIGNATOR_EUI64" EUI64 = 2,
        /// Network Address Authority.
        "PS_DESIGNATOR_NAA" NAA = 3,
        /// A SCSI name string.
        "PS_DESIGNATOR_NAME" NAME = 8,
    }
}

xdr_struct! {
    /// A logical unit, and the key with which the client registers there (RFC 8154, section 2.3.2).
    #[derive(Copy)]
    "pnfs_scsi_base_volume_info4" => pub struct BaseVolumeInfo<'a> {
        /// How the designator is written.
        "sbv_code_set" => pub code_set: CodeSet,
        /// Kind of designator.
        "sbv_designator_type" => pub designator_type: DesignatorType,
        /// Name of the unit, as in its page 83h.
        "sbv_designator" => pub designator: Opaque<'a>,
        /// Key of the persistent reservation.
        "sbv_pr_key" => pub pr_key: u64,
    }
}

xdr_struct! {
    /// A part of another volume (RFC 8154, section 2.3.2).
    #[derive(Copy, Default)]
    "pnfs_scsi_slice_volume_info4" => pub struct SliceVolumeInfo {
        /// First byte of the part.
        "ssv_start" => pub start: Offset,
        /// Its bytes.
        "ssv_length" => pub length: Length,
        /// Index of the other volume; lower than that of this one.
        "ssv_volume" => pub volume: u32,
    }
}

xdr_struct! {
    /// Volumes behind each other (RFC 8154, section 2.3.2).
    #[derive(Copy)]
    "pnfs_scsi_concat_volume_info4" => pub struct ConcatVolumeInfo<'a> {
        /// Their indices; each lower than that of this volume.
        "scv_volumes" => pub volumes: Array<'a, u32>,
    }
}

xdr_struct! {
    /// Volumes of the same size, striped (RFC 8154, section 2.3.2).
    #[derive(Copy)]
    "pnfs_scsi_stripe_volume_info4" => pub struct StripeVolumeInfo<'a> {
        /// Size of a stripe, in bytes.
        "ssv_stripe_unit" => pub stripe_unit: Length,
        /// Indices of the volumes; each lower than that of this volume.
        "ssv_volumes" => pub volumes: Array<'a, u32>,
    }
}

xdr_union! {
    /// A volume (RFC 8154, section 2.3.2).
    #[derive(Copy)]
    "pnfs_scsi_volume4" => pub enum Volume<'a> switch (volume_type: VolumeType) {
        /// A logical unit.
        case VolumeType::Base => "sv_simple_info" Base(BaseVolumeInfo<'a>),
        /// A part of another volume.
        case VolumeType::Slice => "sv_slice_info" Slice(SliceVolumeInfo),
        /// Other volumes behind each other.
        case VolumeType::Concat => "sv_concat_info" Concat(ConcatVolumeInfo<'a>),
        /// Other volumes, striped.
        case VolumeType::Stripe => "sv_stripe_info" Stripe(StripeVolumeInfo<'a>),
    }
}

xdr_struct! {
    /// Address of a device: volumes, of which the last is the device itself (RFC 8154, section
    /// 2.3.2).
    #[derive(Copy)]
    "pnfs_scsi_deviceaddr4" => pub struct DeviceAddr<'a> {
        /// The volumes. One that is made of others comes behind them; nothing here checks that.
        "sda_volumes" => pub volumes: Array<'a, Volume<'a>>,
    }
}

//--- Layout ---

xdr_enum! {
    /// What an extent is good for (RFC 8154, section 2.4).
    "pnfs_scsi_extent_state4" => pub enum ExtentState {
        /// The data is valid, for reading and writing.
        "PNFS_SCSI_READ_WRITE_DATA" ReadWriteData = 0,
        /// The data is valid, for reading only.
        "PNFS_SCSI_READ_DATA" ReadData = 1,
        /// There is space, but no data yet: reads as zeros, may be written.
        "PNFS_SCSI_INVALID_DATA" InvalidData = 2,
        /// A hole: there is no space.
        "PNFS_SCSI_NONE_DATA" NoneData = 3,
    }
}

xdr_struct! {
    /// A range of a file and where it is (RFC 8154, section 2.4).
    #[derive(Copy)]
    "pnfs_scsi_extent4" => pub struct Extent {
        /// The volume.
        "se_vol_id" => pub vol_id: DeviceId,
        /// First byte in the file.
        "se_file_offset" => pub file_offset: Offset,
        /// Bytes.
        "se_length" => pub length: Length,
        /// First byte on the volume; no meaning in a hole.
        "se_storage_offset" => pub storage_offset: Offset,
        /// What it is good for.
        "se_state" => pub state: ExtentState,
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
    /// Where a file's bytes are (RFC 8154, section 2.4).
    #[derive(Copy)]
    "pnfs_scsi_layout4" => pub struct Layout<'a> {
        /// The extents, by offset in the file, then by state.
        "sl_extents" => pub extents: Array<'a, Extent>,
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
    /// A range of a file (RFC 8154, section 2.4.2).
    #[derive(Copy, Default)]
    "pnfs_scsi_range4" => pub struct Range {
        /// First byte.
        "sr_file_offset" => pub file_offset: Offset,
        /// Bytes.
        "sr_length" => pub length: Length,
    }
}

xdr_struct! {
    /// What a client has written (RFC 8154, section 2.4.2).
    #[derive(Copy)]
    "pnfs_scsi_layoutupdate4" => pub struct LayoutUpdate<'a> {
        /// Ranges that hold valid data now, by offset and disjoint.
        "slu_commit_list" => pub commit_list: Array<'a, Range>,
    }
}
