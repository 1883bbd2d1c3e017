//! ONC RPC version 2 (RFC 5531) without I/O.
#![no_std]

mod procedure;

pub use procedure::Procedure;
