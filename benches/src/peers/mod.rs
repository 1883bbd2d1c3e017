//! What two generators make of the same messages: the code is theirs, and so is its style. And
//! those messages of nfsserve that it keeps to itself.

#[allow(missing_docs, nonstandard_style, unused, deprecated, clippy::all, clippy::restriction)]
#[allow(clippy::nursery, clippy::pedantic)]
#[allow(unused_qualifications, trivial_numeric_casts, missing_debug_implementations)]
#[rustfmt::skip]
pub mod fastxdr;
pub mod nfsserve;
#[allow(missing_docs, nonstandard_style, unused, deprecated, clippy::all, clippy::restriction)]
#[allow(clippy::nursery, clippy::pedantic)]
#[allow(unused_qualifications, trivial_numeric_casts, missing_debug_implementations)]
#[rustfmt::skip]
pub mod xdrgen;
