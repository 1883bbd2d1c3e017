//! NFS versions 4.0, 4.1 and 4.2. Nothing is implemented yet: this crate only holds the name.
#![no_std]
