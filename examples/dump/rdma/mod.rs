//! RPC-over-RDMA: [`pairs`] keeps connections of RoCEv2 apart, whose packets [`roce`] and
//! [`manager`] read and [`queue`] puts in order, and [`iwarp`] reads those in TCP; [`exchange`] puts messages and their chunks
//! together, which [`memory`] keeps and [`payloads`] places; [`heading`] reads and shows headers.

pub(crate) mod exchange;
pub(crate) mod heading;
pub(crate) mod iwarp;
pub(crate) mod manager;
mod memory;
pub(crate) mod pairs;
mod payloads;
mod queue;
pub(crate) mod roce;
