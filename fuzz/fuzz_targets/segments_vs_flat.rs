//! Every consumer of a message gives the same bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::segments_vs_flat(data));
