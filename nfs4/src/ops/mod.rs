//! Operations of COMPOUND: arguments and results, one family a file.

pub mod client;
pub mod layout;
