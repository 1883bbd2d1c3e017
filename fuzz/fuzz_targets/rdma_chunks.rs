//! Any chunk lists: taken and made if and only if nothing is wrong with them.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::rdma_chunks(data));
