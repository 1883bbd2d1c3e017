//! RPC-over-RDMA version 1 (RFC 8166). Nothing is implemented yet: this crate only holds the name.
#![no_std]
