//! The same bytes in one slice and in pieces: same value, same error.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::split(data));
