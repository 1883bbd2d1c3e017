//! Any bytes as the arguments and results of the port mapper and rpcbind: decoded, encoded, split, sent.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nfswire_fuzz::rpcbind(data));
