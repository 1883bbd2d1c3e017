//! Any bytes as the reply to COMPOUND and as the result of every operation, written again within limits.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::compound_results(data));
