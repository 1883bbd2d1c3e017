//! Any sequence of encoder calls against a vector of bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::encoder_model(data));
