//! Exact counts and timings of the codecs.
