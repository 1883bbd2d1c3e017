//! Operations of COMPOUND: arguments and results, one family a file.
