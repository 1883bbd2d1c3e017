//! Any bytes as the arguments of COMPOUND and of every operation, and read one operation at a time.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::compound_args(data));
