//! Whole programs around this crate, without a socket.
//!
//! [`echo`]: a server and a client that talk over a pipe in memory.

#[doc = include_str!("../guide/echo.md")]
pub mod echo {}
