//! Attributes: numbers, values, sets, readers and writers.
