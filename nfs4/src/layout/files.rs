//! `LAYOUT4_NFSV4_1_FILES`: files striped over other NFS servers (RFC 8881, section 13).
//!
//! | opaque of the operation | type |
//! |---|---|
//! | `loc_body` of LAYOUTGET | [`Layout`] |
//! | `da_addr_body` of GETDEVICEINFO | [`DeviceAddr`] |
//! | `loh_body` of the attribute `layout_hint` | [`LayoutHint`] |
//! | `lou_body` of LAYOUTCOMMIT, `lrf_body` of LAYOUTRETURN | empty |
//!
//! [`Layout::locate`] says which server has a byte of the file, under which handle and where:
//!
//! ```
//! use nfswire_nfs4::{FileHandle, layout::files::{DeviceAddr, Layout, Util}};
//! use nfswire_xdr::Array;
//!
//! // Three data servers, a pattern of four units of 4096 bytes (RFC 8881, section 13.4.3).
//! let servers = [Array::default(); 3];
//! let device = DeviceAddr {
//!     stripe_indices: Array::from_slice(&[2, 0, 1, 0]).unwrap(),
//!     multipath_ds_list: Array::from_slice(&servers).unwrap(),
//! };
//! let handles = [b"\x67", b"\x37", b"\x87", b"\x36"].map(|h| FileHandle::try_from(h).unwrap());
//! let layout = Layout {
//!     deviceid: [0; 16],
//!     util: Util(4096) | Util::DENSE,
//!     first_stripe_index: 2,
//!     pattern_offset: 0,
//!     fh_list: Array::from_slice(&handles).unwrap(),
//! };
//! let place = layout.locate(&device, 4096 * 5 + 10)?;
//! assert_eq!((place.unit, place.server, place.fh), (5, 0, Some(handles[3])));
//! assert_eq!((place.offset, place.left), (4096 + 10, 4096 - 10));
//! # Ok::<(), nfswire_nfs4::layout::files::LocateError>(())
//! ```

use nfswire_xdr::{Array, xdr_open_enum, xdr_struct};
use thiserror::Error;

use crate::{Count, DeviceId, FileHandle, NetAddr, Offset, flags::flags};

//--- How a file is packed ---

flags! {
    /// How a file is packed, where to send COMMIT and IO_ADVISE, and the size of the stripe unit, in
    /// one word: flags, and a multiple of 64 (RFC 8881, section 13.3).
    #[doc(alias = "nfl_util4")]
    pub struct Util {
        /// Packed without holes, rather than every unit at its offset in the whole file (RFC 8881,
        /// section 13.4.4).
        "NFL4_UFLG_DENSE" DENSE = 0x1,
        /// COMMIT goes to the metadata server (RFC 8881, section 13.7).
        "NFL4_UFLG_COMMIT_THRU_MDS" COMMIT_THRU_MDS = 0x2,
        /// IO_ADVISE goes to the metadata server (RFC 7862, section 15.5.6).
        "NFL42_UFLG_IO_ADVISE_THRU_MDS" IO_ADVISE_THRU_MDS = 0x4,
    }
}

impl Util {
    /// The bits that are flags (RFC 8881, section 13.3).
    #[doc(alias = "NFL4_UFLG_MASK")]
    pub const FLAGS_MASK: u32 = 0x3f;
    /// The bits that are the size of the stripe unit (RFC 8881, section 13.3).
    #[doc(alias = "NFL4_UFLG_STRIPE_UNIT_SIZE_MASK")]
    pub const STRIPE_UNIT_SIZE_MASK: u32 = 0xffff_ffc0;

    /// Size of the stripe unit, in bytes: a multiple of 64.
    #[inline]
    #[must_use]
    pub const fn stripe_unit_size(self) -> u32 {
        self.0 & Self::STRIPE_UNIT_SIZE_MASK
    }
}

//--- Hint ---

xdr_open_enum! {
    /// What a client cares about in a [`LayoutHint`], as bits of a word (RFC 8881, section 13.3; RFC
    /// 7862, section 15.5.6).
    "filelayout_hint_care4" => pub struct HintCare {
        /// How the file is packed: [`Util::DENSE`].
        "NFLH4_CARE_DENSE" DENSE = 0x1,
        /// Where COMMIT goes: [`Util::COMMIT_THRU_MDS`].
        "NFLH4_CARE_COMMIT_THRU_MDS" COMMIT_THRU_MDS = 0x2,
        /// Where IO_ADVISE goes: [`Util::IO_ADVISE_THRU_MDS`].
        "NFL42_CARE_IO_ADVISE_THRU_MDS" IO_ADVISE_THRU_MDS = 0x4,
        /// The size of the stripe unit.
        "NFLH4_CARE_STRIPE_UNIT_SIZE" STRIPE_UNIT_SIZE = 0x40,
        /// The number of units in a stripe.
        "NFLH4_CARE_STRIPE_COUNT" STRIPE_COUNT = 0x80,
    }
}

xdr_struct! {
    /// The layout that a client would like a new file to have (RFC 8881, section 13.3).
    #[derive(Copy, Default)]
    "nfsv4_1_file_layouthint4" => pub struct LayoutHint {
        /// Which of the other fields count: bits of [`HintCare`].
        "nflh_care" => pub care: u32,
        /// Packing, COMMIT and the size of the stripe unit.
        "nflh_util" => pub util: Util,
        /// Units in a stripe.
        "nflh_stripe_count" => pub stripe_count: Count,
    }
}

impl LayoutHint {
    /// Whether the client cares about `what`.
    #[inline]
    #[must_use]
    pub const fn cares(&self, what: HintCare) -> bool {
        self.care & what.0 != 0
    }
}

//--- Device ---

/// Addresses that reach the same data server (RFC 8881, section 13.3).
#[doc(alias = "multipath_list4")]
pub type MultipathList<'a> = Array<'a, NetAddr<'a>>;

xdr_struct! {
    /// Address of a device: data servers, and the pattern in which units go to them (RFC 8881,
    /// section 13.3).
    #[derive(Copy)]
    "nfsv4_1_file_layout_ds_addr4" => pub struct DeviceAddr<'a> {
        /// For each unit of a stripe the index of its data server; each should be less than the
        /// number of servers.
        "nflda_stripe_indices" => pub stripe_indices: Array<'a, u32>,
        /// The data servers, each by the addresses that reach it.
        "nflda_multipath_ds_list" => pub multipath_ds_list: Array<'a, MultipathList<'a>>,
    }
}

//--- Layout ---

xdr_struct! {
    /// Where a file's bytes are (RFC 8881, section 13.3).
    #[derive(Copy)]
    "nfsv4_1_file_layout4" => pub struct Layout<'a> {
        /// The device, whose address is a [`DeviceAddr`].
        "nfl_deviceid" => pub deviceid: DeviceId,
        /// Packing, COMMIT and the size of the stripe unit.
        "nfl_util" => pub util: Util,
        /// Element of [`DeviceAddr::stripe_indices`] that unit 0 uses.
        "nfl_first_stripe_index" => pub first_stripe_index: u32,
        /// Byte of the file at which the pattern starts.
        "nfl_pattern_offset" => pub pattern_offset: Offset,
        /// Handles for the data servers: one for each unit of a stripe if packed densely; none, one,
        /// or one for each server if sparsely.
        "nfl_fh_list" => pub fh_list: Array<'a, FileHandle<'a>>,
    }
}

/// Where a byte of a file is, from [`Layout::locate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place<'a> {
    /// Number of the stripe unit, from the start of the pattern.
    pub unit: u64,
    /// Element of [`DeviceAddr::stripe_indices`] that the unit uses.
    pub stripe_index: u32,
    /// Element of [`DeviceAddr::multipath_ds_list`]: the data server.
    pub server: u32,
    /// The file's handle there; `None` means that of the metadata server.
    pub fh: Option<FileHandle<'a>>,
    /// Position in the data server's file, in bytes.
    pub offset: u64,
    /// Bytes from there to the end of the unit.
    pub left: u32,
}

/// Why [`Layout::locate`] finds no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LocateError {
    /// The layout does not cover this byte.
    #[error(
        "byte {offset} is before byte {pattern}, where the stripes start: ask for a layout there"
    )]
    BeforePattern {
        /// The byte that was looked for.
        offset: u64,
        /// `nfl_pattern_offset`.
        pattern: u64,
    },
    /// The size of the stripe unit is 0.
    #[error("the stripe unit of the layout has no bytes: return the layout")]
    NoStripeUnit,
    /// `nflda_stripe_indices` is empty.
    #[error("the device has no stripes: return the layout")]
    NoStripes,
    /// An element of `nflda_stripe_indices` names no server.
    #[error("a stripe is on server {index} of a device that has {servers}: return the layout")]
    NoServer {
        /// The element.
        index: u32,
        /// Elements of `nflda_multipath_ds_list`.
        servers: u32,
    },
    /// `nfl_fh_list` has a length that its packing does not allow.
    #[error(
        "{handles} handles fit neither {stripes} stripes (dense) nor {servers} servers (sparse): \
         return the layout"
    )]
    Handles {
        /// Elements of `nfl_fh_list`.
        handles: u32,
        /// Elements of `nflda_stripe_indices`.
        stripes: u32,
        /// Elements of `nflda_multipath_ds_list`.
        servers: u32,
    },
}

impl<'a> Layout<'a> {
    /// Where byte `offset` of the file is (RFC 8881, section 13.4). The work grows with the numbers
    /// of stripes and handles.
    ///
    /// # Errors
    /// The layout or the device is none of the kind, or begins behind `offset`.
    pub fn locate(&self, device: &DeviceAddr<'a>, offset: u64) -> Result<Place<'a>, LocateError> {
        let pattern = self.pattern_offset;
        let relative =
            offset.checked_sub(pattern).ok_or(LocateError::BeforePattern { offset, pattern })?;
        let size = self.util.stripe_unit_size();
        let bytes = u64::from(size);
        let unit = relative.checked_div(bytes).ok_or(LocateError::NoStripeUnit)?;
        let within = relative.checked_rem(bytes).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);

        let stripes = device.stripe_indices.len();
        let stripe_index = unit
            .saturating_add(u64::from(self.first_stripe_index)) // units are below 2^58
            .checked_rem(u64::from(stripes))
            .and_then(|n| u32::try_from(n).ok())
            .ok_or(LocateError::NoStripes)?;
        let servers = device.multipath_ds_list.len();
        let server = device.stripe_indices.iter().nth(stripe_index as usize);
        let server = server.ok_or(LocateError::NoStripes)?;
        if server >= servers {
            return Err(LocateError::NoServer { index: server, servers });
        }

        let handles = self.fh_list.len();
        let dense = self.util.contains(Util::DENSE);
        let index = match handles {
            n if dense && n == stripes => Some(stripe_index),
            n if !dense && n == servers => Some(server),
            1 if !dense => Some(0),
            0 if !dense => None,
            _ => return Err(LocateError::Handles { handles, stripes, servers }),
        };
        let fh = index.and_then(|i| self.fh_list.iter().nth(i as usize));

        let offset = if dense {
            // Less than the offset in the whole file.
            let stripe = unit.checked_div(u64::from(stripes)).unwrap_or(0);
            stripe.saturating_mul(bytes).saturating_add(u64::from(within))
        } else {
            offset
        };
        let left = size.saturating_sub(within);
        Ok(Place { unit, stripe_index, server, fh, offset, left })
    }
}
