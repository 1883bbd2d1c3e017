//! What the fuzz targets do. Each function takes any bytes and panics if a promise is broken; the
//! targets hand them what libFuzzer makes, `tests/replay.rs` seeds and stored inputs.
#![forbid(unsafe_code)]

mod compound;
mod encoder;
mod gss;
mod input;
mod messages;
mod nfs4;
mod rdma;
mod records;
pub mod seeds;
mod types;
mod values;

pub use compound::compound_build;
pub use encoder::encoder_model;
pub use gss::gss;
pub use messages::messages;
pub use nfs4::{attributes, callbacks, compound_args, compound_results, layouts};
pub use rdma::{rdma_choose, rdma_chunks, rdma_header};
pub use records::records;
pub use values::{
    decode_any, mount, nfs2, nfs3, nfsacl, nlm, nsm, roundtrip, rpcbind, segments_vs_flat, split,
};

/// A target: its name and function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("decode_any", decode_any),
    ("roundtrip", roundtrip),
    ("split", split),
    ("segments_vs_flat", segments_vs_flat),
    ("encoder_model", encoder_model),
    ("records", records),
    ("gss", gss),
    ("messages", messages),
    ("rpcbind", rpcbind),
    ("mount", mount),
    ("nfs2", nfs2),
    ("nfs3", nfs3),
    ("compound_args", compound_args),
    ("compound_results", compound_results),
    ("compound_build", compound_build),
    ("attributes", attributes),
    ("callbacks", callbacks),
    ("layouts", layouts),
    ("nlm", nlm),
    ("nsm", nsm),
    ("nfsacl", nfsacl),
    ("rdma_header", rdma_header),
    ("rdma_chunks", rdma_chunks),
    ("rdma_choose", rdma_choose),
];
