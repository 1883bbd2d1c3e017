//! The arguments of COMPOUND.

use nfswire_xdr::{Array, Text, xdr_struct};

use super::Argop;

xdr_struct! {
    /// Arguments of COMPOUND (RFC 7530, section 15.2.1; RFC 8881, section 16.2.1).
    #[derive(Copy)]
    "COMPOUND4args" => pub struct CompoundArgs<'a> {
        /// Comes back in the reply; for people who look at the wire.
        pub tag: Text<'a>,
        /// 0, 1 or 2.
        "minorversion" => pub minor_version: u32,
        /// The operations, done in order until one fails.
        "argarray" => pub ops: Array<'a, Argop<'a>>,
    }
}
