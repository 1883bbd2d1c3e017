//! Server core, transports and client shared by the example programs.

extern crate alloc;

pub mod fs;
