//! State that servers and clients keep, without I/O or clock: the caller gives instants and keys.

mod change;
mod open_seqid;
mod share;
mod stateid;

pub use change::{ChangeBefore, DirCache};
pub use open_seqid::{OwnerCall, OwnerCounter, OwnerSeqid, advances_seqid};
pub use share::{FileOpens, OwnerOpens, Share};
pub use stateid::{SeqIdRules, StateidKind, next_seqid};
