//! What decodes encodes to the same bytes, in every kind of head.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::roundtrip(data));
