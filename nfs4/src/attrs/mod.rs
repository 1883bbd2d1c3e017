//! Attributes: numbers, values, sets, readers and writers.
//!
//! ```
//! use nfswire_nfs4::attrs::{Attr, AttrSet};
//!
//! let wanted = AttrSet::from_numbers(&[Attr::TYPE.0, Attr::SIZE.0]).unwrap();
//! assert_eq!(format!("{wanted:?}"), "{TYPE, SIZE}");
//! ```

mod acl;
mod attr;
mod flags;
mod fs_locations;
mod label;
mod open_args;
mod values;

use nfswire_xdr::xdr_struct;

use crate::{AttrList, Bitmap};
pub use acl::*;
pub use attr::Attr;
pub use fs_locations::*;
pub use label::{LabelFormatSpec, Policy, SecLabel};
pub use open_args::*;
pub use values::*;

/// A set of attributes.
pub type AttrSet<'a> = Bitmap<'a, Attr>;

xdr_struct! {
    /// Attributes of an object: which they are, and their values (RFC 7530, section 2.2.8).
    #[derive(Copy, Default)]
    "fattr4" => pub struct Fattr<'a> {
        /// Which attributes have a value here.
        "attrmask" => pub mask: AttrSet<'a>,
        /// The values, in ascending order of their attributes' numbers.
        "attr_vals" => pub values: AttrList<'a>,
    }
}
