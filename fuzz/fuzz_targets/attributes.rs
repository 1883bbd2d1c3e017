//! Any bytes as attributes: sets, lists, values, and both readers.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::attributes(data));
