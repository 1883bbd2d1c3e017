//! Any bytes as the messages of CB_COMPOUND, its operations and notifications, in one and one by one.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::callbacks(data));
