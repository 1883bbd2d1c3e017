//! Exact counts and timings of the codecs, beside what others make of the same bytes.
//!
//! `counts`, `counts4` and `promises` (in `src/bin`) print tables that can be gated on: instructions,
//! allocations, bytes copied, segments. Each family of protocols has a program of its own: what the
//! compiler inlines depends on how many places use it, and a figure should not change with what
//! else is measured. `benches/codecs.rs` times the same messages with criterion.

// A measurement whose premise is broken must end, not go on; its sums are small.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects)]

pub mod measure;
mod nfs;
pub mod ops;
pub mod peers;
mod rpc;
pub mod samples;
pub mod table;
pub mod tirpc;
