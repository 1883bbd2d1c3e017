//! Attributes: numbers, values, sets, readers and writers.
//!
//! | what | here |
//! | --- | --- |
//! | numbers, and what the RFCs say of each | [`Attr`], [`AttrInfo`], [`ATTRIBUTES`] |
//! | sets of attributes | [`AttrSet`] |
//! | a received list of values | [`Fattr`]: [`get`](Fattr::get) one, or go through the [`values`](Fattr::values) |
//! | values to be written | [`AttrSource`], [`Selected`] |
//! | the usual ones at once, in both directions | [`StandardAttrs`] |
//! | what SETATTR and the creation of objects ask for | [`SetAttrs`] |
//! | owners as numbers | [`DecimalId`], [`id_of`] |
//! | `std::fs::Metadata` | `MetadataAttrs` (unix) |
//!
//! ```
//! use nfswire_nfs4::attrs::{Access, Attr, AttrSet};
//!
//! let wanted = AttrSet::of(&[Attr::TYPE, Attr::SIZE]);
//! assert_eq!(format!("{wanted:?}"), "{TYPE, SIZE}");
//! assert_eq!(Attr::SIZE.info().map(|info| info.access), Some(Access::ReadWrite));
//! ```

mod acl;
mod convert;
mod fattr;
mod free;
mod fs_locations;
mod label;
#[cfg(all(feature = "std", unix))]
mod metadata;
mod open_args;
mod setattr;
mod sets;
mod source;
mod standard;
mod table;
mod values;

pub use acl::*;
pub use convert::{DecimalId, id_of};
pub use fattr::{AttrError, Fattr, Values};
pub use fs_locations::*;
pub use label::{LabelFormatSpec, Policy, SecLabel};
#[cfg(all(feature = "std", unix))]
pub use metadata::MetadataAttrs;
pub use open_args::*;
pub use setattr::SetAttrs;
pub use sets::AttrSet;
pub use source::{AttrSource, Selected};
pub use standard::{StandardAttrs, StandardFattr};
pub use table::{ATTRIBUTES, Access, Attr, AttrInfo, AttrValue, Attribute, key};
pub use values::*;
