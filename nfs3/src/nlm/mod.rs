//! NLM, the network lock manager: versions 1 and 3 (X/Open XNFS), which go with NFSv2, and 4
//! (RFC 1813, section 6), which goes with NFSv3.
//!
//! What all versions share is here. [`v1`] has the types of versions 1 and 3 and the procedures of
//! version 1, [`v3`] those of version 3, which adds file sharing, and [`v4`] has everything again
//! with offsets of 64 bits.
//!
//! # Calls, messages and callbacks
//!
//! LOCK and the others exist twice: as a procedure with a reply, and as a pair of messages (`_MSG`
//! and `_RES`), where the result comes as the *arguments* of a call in the other direction, matched
//! by its cookie. To a message there is no reply, not even an empty one (RFC 1813, section 6.2);
//! Linux sends the empty one all the same, which the sender of the message has to bear.
//!
//! GRANTED is a callback: the server calls the client when a lock that was
//! [`BLOCKED`](v4::Status::BLOCKED) has become free.
//!
//! ```
//! use nfswire_nfs3::nlm::{ByteRange, v4};
//!
//! let lock = v4::Lock {
//!     caller_name: "client".try_into()?,
//!     fh: b"handle".as_slice().try_into()?,
//!     oh: b"12@client".as_slice().try_into()?,
//!     svid: 12,
//!     l_offset: 4096,
//!     l_len: 0,
//! };
//! let range = lock.range()?; // if this fails, a server answers v4::Status::FBIG
//! assert_eq!((range.first(), range.last()), (4096, ByteRange::MAX));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

use nfswire_xdr::{Opaque, Text, xdr_enum, xdr_struct};

mod range;
pub mod v1;
pub mod v3;
pub mod v4;

pub use range::{ByteRange, RangeError};

/// RPC program number (RFC 1813, section 6.1.2).
#[doc(alias = "NLM_PROG")]
pub const PROGRAM: u32 = 100_021;
/// Longest name of a caller, in bytes (X/Open XNFS).
#[doc(alias = "LM_MAXSTRLEN")]
pub const MAXSTRLEN: u32 = 1024;
/// Longest name in FREE_ALL, in bytes (X/Open XNFS).
#[doc(alias = "LM_MAXNAMELEN")]
pub const MAXNAMELEN: u32 = 1025;
/// Longest [`NetObj`], in bytes (X/Open XNFS).
#[doc(alias = "MAXNETOBJ_SZ")]
pub const MAX_NETOBJ_SIZE: u32 = 1024;

/// Bytes that only their maker can read: cookies, owners and file handles. At most
/// [`MAX_NETOBJ_SIZE`] of them, and none is legal (X/Open XNFS).
#[doc(alias = "netobj")]
pub type NetObj<'a> = Opaque<'a, 1024>;

/// Name of the host that wants a lock: at most [`MAXSTRLEN`] bytes, of no known encoding (RFC 1813,
/// section 6.1.4).
///
/// It is the name under which the host's state is monitored, see [`nsm`](crate::nsm).
pub type CallerName<'a> = Text<'a, 1024>;

xdr_enum! {
    /// What others may not do while a file is shared (X/Open XNFS). A set of two bits.
    #[doc(alias = "fsh4_mode")]
    "fsh_mode" => pub enum ShareMode {
        /// Others may read and write.
        "fsm_DN" DenyNone = 0,
        /// Others may not read.
        "fsm_DR" DenyRead = 1,
        /// Others may not write.
        "fsm_DW" DenyWrite = 2,
        /// Others may neither read nor write.
        "fsm_DRW" DenyReadWrite = 3,
    }
}

xdr_enum! {
    /// What the caller wants to do with a file it shares (X/Open XNFS). A set of two bits.
    #[doc(alias = "fsh4_access")]
    "fsh_access" => pub enum ShareAccess {
        /// Nothing.
        "fsa_NONE" None = 0,
        /// Read.
        "fsa_R" Read = 1,
        /// Write.
        "fsa_W" Write = 2,
        /// Read and write.
        "fsa_RW" ReadWrite = 3,
    }
}

impl ShareMode {
    /// Whether a share of this mode keeps `access` from others.
    ///
    /// Two shares of a file can both be held if neither denies what the other one wants.
    #[inline]
    #[must_use]
    pub const fn denies(self, access: ShareAccess) -> bool {
        self.value() & access.value() != 0
    }
}

xdr_struct! {
    /// Arguments of FREE_ALL: a host has restarted, and holds no lock and no share any more (X/Open
    /// XNFS).
    #[derive(Copy)]
    #[doc(alias = "nlm4_notify")]
    "nlm_notify" => pub struct FreeAllArgs<'a> {
        /// The host: at most [`MAXNAMELEN`] bytes.
        pub name: Text<'a, 1025>,
        /// Its new state. Not used.
        pub state: i32,
    }
}
