//! Any bytes as the bodies of layouts, devices, hints, updates and returns, of every layout type.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::layouts(data));
