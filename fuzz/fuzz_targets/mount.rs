//! Any bytes as the arguments and results of MOUNT: decoded, encoded, split, sent.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::mount(data));
