//! All tests of the crate in one program: the table of its types, which most of them use, takes as
//! long to build as all the rest.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod common;

mod allocations;
mod attr_cases;
mod attr_convert;
mod budgets;
mod callback;
mod cases;
mod compound;
mod features;
mod fields;
mod known;
mod layout;
mod limits;
mod ops_cases;
mod readdir;
mod spec;
mod state_locks;
mod state_slots;
mod truncation;
mod vectors;
