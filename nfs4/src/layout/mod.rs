//! What is inside the opaque bodies of pNFS, by kind of layout.

pub mod block;
pub mod files;
pub mod objects;
pub mod scsi;
