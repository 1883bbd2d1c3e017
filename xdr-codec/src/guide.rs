//! The ideas, one page each. Read them in this order.
//!
//! 1. [`borrowing`]: what a decoded value is
//! 2. [`limits`]: what is accepted, and how errors read
//! 3. [`segments`]: what an encoded message is, and how to send it
//! 4. [`pages`]: where the head goes
//! 5. [`marks`]: filling in later, taking back
//! 6. [`head_first`]: decoding before everything is here, and from pieces

#[doc = include_str!("../guide/borrowing.md")]
pub mod borrowing {}
#[doc = include_str!("../guide/limits.md")]
pub mod limits {}
#[doc = include_str!("../guide/segments.md")]
pub mod segments {}
#[doc = include_str!("../guide/pages.md")]
pub mod pages {}
#[doc = include_str!("../guide/marks.md")]
pub mod marks {}
#[doc = include_str!("../guide/head_first.md")]
pub mod head_first {}
