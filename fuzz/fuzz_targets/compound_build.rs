//! COMPOUND by its builder, writers and readers, within any limits: the same as the whole message.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::compound_build(data));
