#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

mod auth;
mod error;
mod message;
pub mod portmap;
mod procedure;
mod record;
pub mod rpcbind;

pub use auth::*;
pub use error::*;
pub use message::*;
pub use procedure::Procedure;
pub use record::*;
