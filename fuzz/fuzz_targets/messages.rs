//! Any bytes as the header of a call, of a reply, and of any message.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::messages(data));
