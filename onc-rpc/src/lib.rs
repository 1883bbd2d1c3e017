#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod auth;
mod error;
#[cfg(feature = "std")]
pub mod guide;
mod message;
pub mod portmap;
mod procedure;
mod record;
pub mod rpcbind;
#[cfg(feature = "alloc")]
mod transport;

pub use auth::*;
pub use error::*;
pub use message::*;
pub use procedure::Procedure;
pub use record::*;
#[cfg(feature = "alloc")]
pub use transport::*;
