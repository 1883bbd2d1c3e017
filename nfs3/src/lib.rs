#![doc = include_str!("../README.md")]
#![no_std]

pub mod attr;
pub mod create;
pub mod fs;
pub mod io;
pub mod lookup;
pub mod mount;
pub mod procedures;
pub mod readdir;
pub mod remove;
mod status;
mod types;

pub use status::Status;
pub use types::*;
