//! COMPOUND: many operations in one call.

mod args;
mod operation;
mod reply;
mod table;

pub use args::CompoundArgs;
pub use operation::{HIGHEST_MINOR, OpArgs, OpReply, Standing};
pub use reply::CompoundReply;
pub use table::{Argop, Resop};
