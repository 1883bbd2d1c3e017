//! Security labels (RFC 7862, section 12.2.4).

use nfswire_xdr::{Opaque, xdr_struct};

/// Number of a label format, or of a policy within one, in IANA's registry (RFC 7861, section 5).
#[doc(alias = "policy4")]
pub type Policy = u32;

xdr_struct! {
    /// Which labels these are (RFC 7862, section 12.2.4).
    #[derive(Copy, Default)]
    "labelformat_spec4" => pub struct LabelFormatSpec {
        /// Their format.
        "lfs_lfs" => pub format: Policy,
        /// The policy that gives them meaning; 0 if that does not matter.
        "lfs_pi" => pub policy: Policy,
    }
}

xdr_struct! {
    /// Label of mandatory access control (RFC 7862, section 12.2.4).
    #[derive(Copy, Default)]
    "sec_label4" => pub struct SecLabel<'a> {
        /// Which label it is.
        "slai_lfs" => pub format: LabelFormatSpec,
        /// The label; its format is that of the client's and server's system.
        "slai_data" => pub data: Opaque<'a>,
    }
}
