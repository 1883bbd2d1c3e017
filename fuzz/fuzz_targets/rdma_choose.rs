//! Any reply and offer, any call and expected reply: nothing is lost, no limit exceeded.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::rdma_choose(data));
