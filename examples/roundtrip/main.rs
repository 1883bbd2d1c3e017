//! roundtrip
fn main() {}
