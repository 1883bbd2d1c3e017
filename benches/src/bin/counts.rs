//! Counts of RPC's headers and of NFSv3, see `table`.

use std::process::ExitCode;

use nfswire_benches::{
    ops,
    table::{Table, run},
};

fn main() -> ExitCode {
    run(&Table {
        all: ops::all,
        one: ops::one,
        check_peers: ops::check_peers,
        peers: &["nfs3_types", "nfsserve", "onc-rpc"],
        rpcgen: Some("nfs3"),
    })
}
