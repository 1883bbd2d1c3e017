//! Any stream cut in any way: the records that its marks say.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::records(data));
