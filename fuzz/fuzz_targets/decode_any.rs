//! Any bytes as any type: values that make sense, or errors inside the bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::decode_any(data));
