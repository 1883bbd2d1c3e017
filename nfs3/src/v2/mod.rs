//! NFS version 2 (RFC 1094): the 18 procedures, arguments and results, both directions. Feature
//! `v2`.
//!
//! The first file handle comes from [`mount::v1`](crate::mount::v1). Sizes and offsets have 32 bits,
//! handles always [`FHSIZE`] bytes, and one READ or WRITE moves at most [`MAXDATA`]. Failures carry
//! nothing but the status. A server that speaks both versions can do the work once, in the types of
//! version 3, and convert: see [`Attributes`], [`SetAttributes`] and [`Status`].
//!
//! ```
//! use nfswire_nfs3::v2::{Status, io::ReadReply, procedures::Read};
//! use nfswire_rpc::Procedure;
//!
//! let reply: <Read as Procedure>::Reply<'_> = nfswire_xdr::from_bytes(&[0, 0, 0, 70])?;
//! assert_eq!(reply, ReadReply::Fail(Status::STALE));
//! assert_eq!((Read::PROGRAM, Read::VERSION, Read::NUMBER), (100_003, 2, 6));
//! # Ok::<(), nfswire_xdr::DecodeError>(())
//! ```

pub mod attr;
mod convert;
pub mod create;
pub mod fs;
pub mod io;
pub mod lookup;
pub mod procedures;
pub mod readdir;
pub mod remove;
mod status;
mod types;

pub use status::Status;
pub use types::*;
