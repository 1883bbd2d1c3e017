//! COMPOUND and its unions.

use nfswire_nfs4::compound::{Argop, CompoundArgs, CompoundReply, Resop};

use super::types;

types! { TYPES
    "nfs40" {
        declared "nfs_argop4" Argop<'_>;
        declared "nfs_resop4" Resop<'_>;
        declared "COMPOUND4args" CompoundArgs<'_>;
        declared "COMPOUND4res" CompoundReply<'_>;
    }
    "nfs41" {
        declared "nfs_argop4" Argop<'_>;
        declared "nfs_resop4" Resop<'_>;
        declared "COMPOUND4args" CompoundArgs<'_>;
        declared "COMPOUND4res" CompoundReply<'_>;
    }
    "nfs42" {
        declared "nfs_argop4" Argop<'_>;
        declared "nfs_resop4" Resop<'_>;
        declared "COMPOUND4args" CompoundArgs<'_>;
        declared "COMPOUND4res" CompoundReply<'_>;
    }
}

/// Types of the vectors that are still missing: taken from here once they are there.
pub(crate) const PENDING: &[(&str, &[&str])] = &[];
