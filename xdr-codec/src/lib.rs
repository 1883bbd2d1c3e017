//! XDR (RFC 4506).
#![no_std]
