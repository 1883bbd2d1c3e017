#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "std")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod acl;
pub mod attr;
pub mod convert;
pub mod create;
pub mod fs;
pub mod io;
pub mod lookup;
pub mod mount;
pub mod nlm;
pub mod nsm;
pub mod procedures;
pub mod readdir;
pub mod remove;
mod status;
mod types;
#[cfg(feature = "v2")]
pub mod v2;

pub use status::Status;
pub use types::*;
