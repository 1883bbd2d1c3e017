//! Any bytes as a message of RPC-over-RDMA, or as the private data of a connection: taken, answered or
//! dropped as RFC 8166 says.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::rdma_header(data));
