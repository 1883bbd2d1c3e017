//! Any call with a credential of RPCSEC_GSS: served as its header says, or answered.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::gss(data));
