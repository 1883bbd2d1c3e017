//! State that servers and clients keep, without I/O or clock.
