//! COMPOUND and its unions.

use super::types;

types! { TYPES }

/// Types of the vectors that are still missing: taken from here once they are there.
pub(crate) const PENDING: &[(&str, &[&str])] = &[
    ("nfs40", &["nfs_argop4", "nfs_resop4", "COMPOUND4args", "COMPOUND4res"]),
    ("nfs41", &["nfs_argop4", "nfs_resop4", "COMPOUND4args", "COMPOUND4res"]),
    ("nfs42", &["nfs_argop4", "nfs_resop4", "COMPOUND4args", "COMPOUND4res"]),
];
