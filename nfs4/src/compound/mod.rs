//! COMPOUND: many operations in one call.
