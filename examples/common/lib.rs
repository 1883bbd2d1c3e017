//! Server core, transports and client shared by the example programs.

extern crate alloc;

pub mod client;
pub mod exports;
pub mod fs;
pub mod local;
pub mod page_cache;
pub mod sample;
pub mod server;
mod simple;
pub mod state_dir;
mod told;

/// The codec example of the project's README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
