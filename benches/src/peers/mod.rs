//! What two generators make of the same messages: the code is theirs, and so is its style.

#[allow(missing_docs, nonstandard_style, unused, deprecated, clippy::all, clippy::restriction)]
#[allow(clippy::nursery, clippy::pedantic)]
#[allow(unused_qualifications, trivial_numeric_casts, missing_debug_implementations)]
#[rustfmt::skip]
pub mod fastxdr;
#[allow(missing_docs, nonstandard_style, unused, deprecated, clippy::all, clippy::restriction)]
#[allow(clippy::nursery, clippy::pedantic)]
#[allow(unused_qualifications, trivial_numeric_casts, missing_debug_implementations)]
#[rustfmt::skip]
pub mod xdrgen;
