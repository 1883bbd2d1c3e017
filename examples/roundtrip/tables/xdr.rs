//! One type for each construct of the XDR language (RFC 4506). The declarations are those that the tests of the codec
//! crate use.

#[path = "../../../xdr-codec/tests/common/types.rs"]
mod declared;

pub(super) use declared::Node;
use declared::*;

use super::{Table, types};

pub(super) const TYPES: Table = with_xdr_types!(types);
