//! SECINFO and SECINFO_NO_NAME (RFC 7530, section 16.31; RFC 8881, sections 18.29 and 18.45).
//!
//! ```
//! use nfswire_nfs4::ops::secinfo::{SecInfo, SecinfoOk};
//! use nfswire_rpc::AuthFlavor;
//!
//! let flavors = [SecInfo::Other(AuthFlavor::SYS), SecInfo::Other(AuthFlavor::NONE)];
//! let ok = SecinfoOk::from_slice(&flavors).expect("fewer than 2^32");
//! assert_eq!(ok.iter().next().map(|flavor| flavor.flavor()), Some(AuthFlavor::SYS));
//! ```

use nfswire_rpc::AuthFlavor;
use nfswire_xdr::{Array, xdr_enum, xdr_struct, xdr_union};

use crate::{Component, Qop, SecOid, Status};

xdr_enum! {
    /// What RPCSEC_GSS does for a call beyond saying who makes it (RFC 7530, section 16.31).
    "rpc_gss_svc_t" => pub enum GssService {
        /// Nothing more.
        "RPC_GSS_SVC_NONE" None = 1,
        /// Arguments and results cannot be changed on the way.
        "RPC_GSS_SVC_INTEGRITY" Integrity = 2,
        /// They cannot be read either.
        "RPC_GSS_SVC_PRIVACY" Privacy = 3,
    }
}

xdr_struct! {
    /// A way to use RPCSEC_GSS (RFC 7530, section 16.31).
    #[derive(Copy)]
    "rpcsec_gss_info" => pub struct GssInfo<'a> {
        /// The mechanism.
        pub oid: SecOid<'a>,
        /// Its quality of protection; 0 is its default.
        pub qop: Qop,
        /// What it does for a call.
        pub service: GssService,
    }
}

xdr_union! {
    /// A flavor of authentication that the server takes; those without parameters are kept whatever
    /// their number (RFC 7530, section 16.31).
    #[derive(Copy)]
    "secinfo4" => pub enum SecInfo<'a> switch (flavor: AuthFlavor) {
        /// RPCSEC_GSS.
        case AuthFlavor::GSS => "flavor_info" Gss(GssInfo<'a>),
        /// Another flavor.
        default => Other,
    }
}

//--- SECINFO ---

xdr_struct! {
    /// Arguments of SECINFO (RFC 7530, section 16.31).
    #[derive(Copy)]
    "SECINFO4args" => pub struct SecinfoArgs<'a> {
        /// Name in the current directory.
        pub name: Component<'a>,
    }
}

/// Body of a successful SECINFO: the flavors, the server's favorite first (RFC 7530, section
/// 16.31).
#[doc(alias = "SECINFO4resok")]
pub type SecinfoOk<'a> = Array<'a, SecInfo<'a>>;

xdr_union! {
    /// Reply to SECINFO (RFC 7530, section 16.31). In NFSv4.1 there is no current file handle after
    /// a success.
    "SECINFO4res" => pub enum SecinfoReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(SecinfoOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- SECINFO_NO_NAME ---

xdr_enum! {
    /// Which object is meant (RFC 8881, section 18.45).
    "secinfo_style4" => pub enum SecinfoStyle {
        /// The current file handle.
        "SECINFO_STYLE4_CURRENT_FH" CurrentFh = 0,
        /// Its parent directory.
        "SECINFO_STYLE4_PARENT" Parent = 1,
    }
}

/// Arguments of SECINFO_NO_NAME (RFC 8881, section 18.45).
#[doc(alias = "SECINFO_NO_NAME4args")]
pub type SecinfoNoNameArgs = SecinfoStyle;

/// Reply to SECINFO_NO_NAME (RFC 8881, section 18.45).
#[doc(alias = "SECINFO_NO_NAME4res")]
pub type SecinfoNoNameReply<'a> = SecinfoReply<'a>;
