//! The reply to COMPOUND.

use nfswire_xdr::{Array, Text, xdr_struct};

use super::Resop;
use crate::Status;

xdr_struct! {
    /// Reply to COMPOUND (RFC 7530, section 15.2.2; RFC 8881, section 16.2.2).
    #[derive(Copy)]
    "COMPOUND4res" => pub struct CompoundReply<'a> {
        /// The status of the last operation that was done.
        pub status: Status,
        /// As in the arguments.
        pub tag: Text<'a>,
        /// The results, one for each operation up to the first that failed.
        "resarray" => pub results: Array<'a, Resop<'a>>,
    }
}

impl<'a> CompoundReply<'a> {
    /// The answer to a minor version that is not taken: no results.
    #[must_use]
    pub fn mismatch(tag: Text<'a>) -> Self {
        Self { status: Status::MINOR_VERS_MISMATCH, tag, results: Array::default() }
    }
}
