//! Any recallable objects: CB_RECALL_ANY and CB_RECALLABLE_OBJ_AVAIL.

use nfswire_xdr::{xdr_open_enum, xdr_struct};

use crate::{
    Bitmap, Status,
    bitmap::bits,
    layout::{flexfiles, objects},
};

xdr_open_enum! {
    /// A kind of recallable objects, as the number of a bit (RFC 8881, section 20.6; RFC 8435,
    /// section 13.1).
    "RCA4_TYPE_MASK" => pub struct RecallAnyType {
        /// Delegations to read, of anything but directories.
        "RCA4_TYPE_MASK_RDATA_DLG" RDATA_DLG = 0,
        /// Delegations to write, of regular files.
        "RCA4_TYPE_MASK_WDATA_DLG" WDATA_DLG = 1,
        /// Delegations of directories.
        "RCA4_TYPE_MASK_DIR_DLG" DIR_DLG = 2,
        /// Layouts of files.
        "RCA4_TYPE_MASK_FILE_LAYOUT" FILE_LAYOUT = 3,
        /// Layouts of blocks (RFC 5663, section 2.5).
        "RCA4_TYPE_MASK_BLK_LAYOUT" BLK_LAYOUT = 4,
        /// Layouts of objects, the first: for reading (RFC 5664, section 11.1).
        "RCA4_TYPE_MASK_OBJ_LAYOUT_MIN" OBJ_LAYOUT_MIN = 8,
        /// Layouts of objects, the last: for reading and writing (RFC 5664, section 11.1).
        "RCA4_TYPE_MASK_OBJ_LAYOUT_MAX" OBJ_LAYOUT_MAX = 9,
        /// Layouts of experimental types, the first.
        "RCA4_TYPE_MASK_OTHER_LAYOUT_MIN" OTHER_LAYOUT_MIN = 12,
        /// Layouts of experimental types, the last.
        "RCA4_TYPE_MASK_OTHER_LAYOUT_MAX" OTHER_LAYOUT_MAX = 15,
        /// Layouts of flexible files, the first: for reading (RFC 8435, section 13.1).
        "RCA4_TYPE_MASK_FF_LAYOUT_MIN" FF_LAYOUT_MIN = 16,
        /// Layouts of flexible files, the last: for reading and writing (RFC 8435, section 13.1).
        "RCA4_TYPE_MASK_FF_LAYOUT_MAX" FF_LAYOUT_MAX = 17,
    }
}
bits!(RecallAnyType);

impl From<objects::RecallAnyMask> for RecallAnyType {
    fn from(mask: objects::RecallAnyMask) -> Self {
        Self(mask.value().cast_unsigned())
    }
}

impl From<flexfiles::RecallAnyMask> for RecallAnyType {
    fn from(mask: flexfiles::RecallAnyMask) -> Self {
        Self(mask.value().cast_unsigned())
    }
}

//--- CB_RECALL_ANY ---

xdr_struct! {
    /// Arguments of CB_RECALL_ANY: asks the client to keep no more than so many objects (RFC 8881,
    /// section 20.6).
    #[derive(Copy)]
    "CB_RECALL_ANY4args" => pub struct CbRecallAnyArgs<'a> {
        /// How many, of all these kinds together.
        #[doc(alias = "craa_layouts_to_keep")]
        "craa_objects_to_keep" => pub objects_to_keep: u32,
        /// The kinds. A bit that stands for none is answered with [`Status::INVAL`].
        "craa_type_mask" => pub type_mask: Bitmap<'a, RecallAnyType>,
    }
}

xdr_struct! {
    /// Reply to CB_RECALL_ANY, before objects are returned (RFC 8881, section 20.6).
    #[derive(Copy)]
    "CB_RECALL_ANY4res" => pub struct CbRecallAnyReply {
        /// How it ended.
        "crar_status" => pub status: Status,
    }
}

//--- CB_RECALLABLE_OBJ_AVAIL ---

/// Arguments of CB_RECALLABLE_OBJ_AVAIL: the client may have so many objects, those it has included
/// (RFC 8881, section 20.7).
#[doc(alias = "CB_RECALLABLE_OBJ_AVAIL4args")]
pub type CbRecallableObjAvailArgs<'a> = CbRecallAnyArgs<'a>;

xdr_struct! {
    /// Reply to CB_RECALLABLE_OBJ_AVAIL (RFC 8881, section 20.7).
    #[derive(Copy)]
    "CB_RECALLABLE_OBJ_AVAIL4res" => pub struct CbRecallableObjAvailReply {
        /// How it ended.
        "croa_status" => pub status: Status,
    }
}
