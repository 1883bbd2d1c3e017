//! RPC-over-RDMA: [`pairs`] keeps connections of RoCEv2 apart, whose packets [`roce`] and
//! [`manager`] read and [`queue`] puts in order; [`exchange`] puts messages and their chunks
//! together, which [`memory`] keeps and [`payloads`] places; [`heading`] reads and shows headers.

mod exchange;
pub(crate) mod heading;
pub(crate) mod manager;
mod memory;
pub(crate) mod pairs;
mod payloads;
mod queue;
pub(crate) mod roce;
