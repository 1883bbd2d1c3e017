#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod attrs;
mod bitmap;
pub mod callback;
pub mod compound;
mod flags;
pub mod layout;
mod opnum;
pub mod ops;
pub mod procedures;
pub mod state;
mod status;
mod types;

pub use bitmap::{Bit, Bitmap};
pub use opnum::OpNum;
pub use status::Status;
pub use types::*;
