//! Appending values whatever they borrow from.
//!
//! `Encode<'p>` of what holds a list wants the value to outlive the message, as payloads must. No
//! attribute holds a payload: a server may keep an owner's name or an access control list in a
//! buffer that it uses for one reply. This is the slow path of their encoding, without that wish.

use nfswire_xdr::{Array, Decode, Encode, EncodeError, Encoder, Opaque, Text};

use super::{
    Ace, AceFlag, AceMask, AceType, Acl41, AclFlag, AclSupport, AttrSet, ChangeAttrType,
    ChangePolicy, FhExpireType, FsCharsetCap, FsLocation, FsLocations, FsLocationsInfo,
    FsLocationsItem, FsLocationsServer, FsStatus, ModeMasked, ModeUmask, OpenArguments,
    RetentionGet, RetentionSet, SecLabel,
};
use crate::{
    FileType, Fsid, LayoutType, SetTime, SpecData, Status, Time,
    ops::layout::{LayoutHint, MdsThreshold, ThresholdItem},
};

/// Part of an attribute's value.
pub(super) trait Free {
    /// Appends it, across pages if need be.
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError>;
}

macro_rules! plain {
    ($($t:ty),* $(,)?) => {$(
        impl Free for $t {
            fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
                self.encode(e)
            }
        }
    )*};
}

plain!(
    u32,
    u64,
    bool,
    AceFlag,
    AceMask,
    AceType,
    AclFlag,
    AclSupport,
    ChangeAttrType,
    ChangePolicy,
    FhExpireType,
    FileType,
    FsCharsetCap,
    Fsid,
    LayoutType,
    ModeMasked,
    ModeUmask,
    RetentionGet,
    RetentionSet,
    SetTime,
    SpecData,
    Status,
    Time,
    AttrSet<'_>,
);

impl<const MAX: u32> Free for Opaque<'_, MAX> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.encode(e)
    }
}

impl<const MAX: u32> Free for Text<'_, MAX> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.encode(e)
    }
}

impl<'a, T: Free + Decode<'a> + Clone> Free for Array<'a, T> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        e.word(self.len())?;
        self.iter().try_for_each(|item| item.append(e))
    }
}

macro_rules! fields {
    ($($t:ty { $($field:ident),* })*) => {$(
        impl Free for $t {
            fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
                let Self { $($field),* } = self;
                $( $field.append(e)?; )*
                Ok(())
            }
        }
    )*};
}

fields! {
    Ace<'_> { ace_type, flag, access_mask, who }
    Acl41<'_> { flag, aces }
    FsLocation<'_> { server, rootpath }
    FsLocations<'_> { fs_root, locations }
    FsLocationsItem<'_> { entries, rootpath }
}

impl Free for FsLocationsServer<'_> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        e.word(self.currency.cast_unsigned())?;
        self.info.append(e)?;
        self.server.append(e)
    }
}

impl Free for FsLocationsInfo<'_> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        e.word(self.flags.0)?;
        e.word(self.valid_for.cast_unsigned())?;
        self.fs_root.append(e)?;
        self.items.append(e)
    }
}

impl Free for FsStatus<'_> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.absent.append(e)?;
        self.status_type.encode(e)?;
        self.source.append(e)?;
        self.current.append(e)?;
        e.word(self.age.cast_unsigned())?;
        self.version.append(e)
    }
}

impl Free for LayoutHint<'_> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.layout_type.append(e)?;
        self.body.append(e)
    }
}

impl Free for ThresholdItem<'_> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.layout_type.append(e)?;
        self.set.encode(e)?;
        self.list.append(e)
    }
}

impl Free for MdsThreshold<'_> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.hints.append(e)
    }
}

impl Free for SecLabel<'_> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.format.encode(e)?;
        self.data.append(e)
    }
}

impl Free for OpenArguments<'_> {
    fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.share_access.encode(e)?;
        self.share_deny.encode(e)?;
        self.share_access_want.encode(e)?;
        self.open_claim.encode(e)?;
        self.create_mode.encode(e)
    }
}
