//! Counts of NFSv4, see `table`.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects)] // as in the library

mod ops;
mod samples4;
#[allow(missing_docs, nonstandard_style, unused, deprecated, clippy::all, clippy::restriction)]
#[allow(clippy::nursery, clippy::pedantic)]
#[allow(unused_qualifications, trivial_numeric_casts, missing_debug_implementations, unreachable_pub)]
#[rustfmt::skip]
mod xdrgen4;

use std::process::ExitCode;

use nfswire_benches::table::{Table, run};

fn main() -> ExitCode {
    run(&Table {
        all: || ops::ops(None),
        one: |id| ops::ops(Some(id)).into_iter().find(|op| op.id == id),
        check_peers: ops::check_peers,
        peers: &["xdrgen", "embednfs", "nfs4"],
        rpcgen: Some("nfs4"),
    })
}
