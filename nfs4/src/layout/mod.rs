//! Bodies of pNFS layouts, devices, hints and returns, by layout type.
