//! Bodies by kind of layout.

use nfswire_xdr::{Cursor, DecodeError, Encode, EncodeError, Limits, Opaque};

use super::{block, files, flexfiles, objects, scsi};
use crate::{LayoutType, ops::layout};

/// Declares the enum of one kind of opaque: an arm for each layout type that puts something there,
/// and the types whose RFC says that it is empty.
macro_rules! bodies {
    ($(
        $(#[$doc:meta])* $field:literal => $name:ident {
            $( $(#[$arm_doc:meta])* $arm:ident($t:ty) = $type:ident, )+
        }
        empty [$($empty:ident),*];
    )*) => {$(
        $(#[$doc])*
        ///
        /// The bytes of a layout type that has no arm are kept.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "borrowed views, used once")]
        #[doc(alias = $field)]
        pub enum $name<'a> {
            $( $(#[$arm_doc])* $arm($t), )+
            /// The type puts nothing there.
            Empty(LayoutType),
            /// Any other layout type.
            Other(LayoutType, Opaque<'a>),
        }

        impl<'a> $name<'a> {
            /// Decodes the bytes beside `layout_type`, all of them.
            ///
            /// # Errors
            /// They are no body of that type. Offsets count from their start.
            pub fn decode(layout_type: LayoutType, body: Opaque<'a>) -> Result<Self, DecodeError> {
                Self::decode_with(layout_type, body, &Limits::STRICT)
            }

            /// The same with other limits.
            ///
            /// # Errors
            /// Those of [`decode`](Self::decode).
            pub fn decode_with(
                layout_type: LayoutType,
                body: Opaque<'a>,
                limits: &'a Limits,
            ) -> Result<Self, DecodeError> {
                let mut c = Cursor::with(body.as_bytes(), limits);
                let value = match layout_type {
                    $( LayoutType::$type => Self::$arm(c.decode()?), )+
                    $( LayoutType::$empty => Self::Empty(layout_type), )*
                    _ => return Ok(Self::Other(layout_type, body)),
                };
                c.finish()?;
                Ok(value)
            }

            /// The layout type that stands beside the body.
            #[must_use]
            pub const fn layout_type(&self) -> LayoutType {
                match self {
                    $( Self::$arm(_) => LayoutType::$type, )+
                    Self::Empty(layout_type) | Self::Other(layout_type, _) => *layout_type,
                }
            }

            /// Bytes that [`encode`](Self::encode) needs.
            #[must_use]
            pub fn encoded_len(&self) -> u64 {
                match self {
                    $( Self::$arm(value) => value.encoded_len(), )+
                    Self::Empty(_) => 0,
                    Self::Other(_, body) => u64::from(body.len()),
                }
            }

            /// Writes the body to the front of `scratch` and borrows it from there, for the field
            /// of the operation.
            ///
            /// # Errors
            /// [`EncodeError::NoSpace`] if it does not fit, [`EncodeError::Contradiction`] if a union
            /// in it names another arm.
            pub fn encode<'s>(&self, scratch: &'s mut [u8]) -> Result<Opaque<'s>, EncodeError> {
                match self {
                    $( Self::$arm(value) => written(value, scratch), )+
                    Self::Empty(_) => Ok(Opaque::default()),
                    Self::Other(_, body) => copied(body, scratch),
                }
            }
        }
    )*};
}

bodies! {
    /// A layout, as LAYOUTGET gives it: `loc_body` of `layout_content4` (RFC 8881, section 3.3.13).
    "loc_body" => ContentBody {
        /// Files on other NFS servers.
        Files(files::Layout<'a>) = NFSV4_1_FILES,
        /// Objects.
        Objects(objects::Layout<'a>) = OSD2_OBJECTS,
        /// Blocks of volumes.
        BlockVolume(block::Layout<'a>) = BLOCK_VOLUME,
        /// Files on other NFS servers, mirrored or not.
        FlexFiles(flexfiles::Layout<'a>) = FLEX_FILES,
        /// Blocks of SCSI logical units.
        Scsi(scsi::Layout<'a>) = SCSI,
    }
    empty [];

    /// Address of a device, as GETDEVICEINFO gives it: `da_addr_body` of `device_addr4` (RFC 8881,
    /// section 3.3.15).
    "da_addr_body" => DeviceAddrBody {
        /// Data servers.
        Files(files::DeviceAddr<'a>) = NFSV4_1_FILES,
        /// A device of objects.
        Objects(objects::DeviceAddr<'a>) = OSD2_OBJECTS,
        /// A volume.
        BlockVolume(block::DeviceAddr<'a>) = BLOCK_VOLUME,
        /// A storage device.
        FlexFiles(flexfiles::DeviceAddr<'a>) = FLEX_FILES,
        /// A SCSI volume.
        Scsi(scsi::DeviceAddr<'a>) = SCSI,
    }
    empty [];

    /// A hint for new files: `loh_body` of `layouthint4` (RFC 8881, section 3.3.19). SCSI layouts
    /// have none.
    "loh_body" => HintBody {
        /// Files on other NFS servers.
        Files(files::LayoutHint) = NFSV4_1_FILES,
        /// Objects.
        Objects(objects::LayoutHint) = OSD2_OBJECTS,
        /// Blocks of volumes.
        BlockVolume(block::LayoutHint) = BLOCK_VOLUME,
        /// Files on other NFS servers, mirrored or not.
        FlexFiles(flexfiles::LayoutHint) = FLEX_FILES,
    }
    empty [];

    /// What LAYOUTCOMMIT says of a layout: `lou_body` of `layoutupdate4` (RFC 8881, section 3.3.18).
    "lou_body" => UpdateBody {
        /// Objects.
        Objects(objects::LayoutUpdate) = OSD2_OBJECTS,
        /// Blocks of volumes.
        BlockVolume(block::LayoutUpdate<'a>) = BLOCK_VOLUME,
        /// Blocks of SCSI logical units.
        Scsi(scsi::LayoutUpdate<'a>) = SCSI,
    }
    empty [NFSV4_1_FILES, FLEX_FILES];

    /// What LAYOUTSTATS says of a layout: `lou_body` of `layoutupdate4` there (RFC 7862, section
    /// 15.7; RFC 8435, section 11).
    "lsa_layoutupdate" => StatsBody {
        /// Files on other NFS servers, mirrored or not.
        FlexFiles(flexfiles::LayoutUpdate<'a>) = FLEX_FILES,
    }
    empty [];

    /// What LAYOUTRETURN says of a layout: `lrf_body` of `layoutreturn_file4` (RFC 8881, section
    /// 18.44).
    "lrf_body" => ReturnBody {
        /// Objects.
        Objects(objects::LayoutReturn<'a>) = OSD2_OBJECTS,
        /// Files on other NFS servers, mirrored or not.
        FlexFiles(flexfiles::LayoutReturn<'a>) = FLEX_FILES,
    }
    empty [NFSV4_1_FILES, BLOCK_VOLUME, SCSI];

    /// What LAYOUT_WCC says of a layout: `lowa_body` (RFC 9766).
    "lowa_body" => WccBody {
        /// Files on other NFS servers, mirrored or not.
        FlexFiles(flexfiles::LayoutWcc<'a>) = FLEX_FILES,
    }
    empty [];
}

fn written<'p, 's, T: Encode<'p>>(
    value: &T,
    scratch: &'s mut [u8],
) -> Result<Opaque<'s>, EncodeError> {
    let len = value.encoded_len();
    let missing = len.saturating_sub(scratch.len() as u64);
    let no_space = EncodeError::NoSpace { missing };
    let window =
        usize::try_from(len).ok().and_then(|len| scratch.get_mut(..len)).ok_or(no_space)?;
    // No body holds a payload: `write` writes all of it.
    value.write(window).ok_or(EncodeError::Contradiction)?;
    Opaque::new(window).ok_or(EncodeError::NoSpace { missing: len })
}

fn copied<'s>(body: &[u8], scratch: &'s mut [u8]) -> Result<Opaque<'s>, EncodeError> {
    let missing = (body.len() as u64).saturating_sub(scratch.len() as u64);
    let no_space = EncodeError::NoSpace { missing };
    let window = scratch.get_mut(..body.len()).ok_or(no_space)?;
    window.copy_from_slice(body);
    Opaque::new(window).ok_or(no_space)
}

macro_rules! beside {
    ($($name:ident($t:ident);)*) => {$(
        impl<'a> TryFrom<layout::$t<'a>> for $name<'a> {
            type Error = DecodeError;

            fn try_from(of: layout::$t<'a>) -> Result<Self, DecodeError> {
                Self::decode(of.layout_type, of.body)
            }
        }
    )*};
}

beside! {
    ContentBody(LayoutContent);
    DeviceAddrBody(DeviceAddr);
    HintBody(LayoutHint);
    UpdateBody(LayoutUpdate);
    StatsBody(LayoutUpdate);
}
