//! Server core, transports and client shared by the example programs.
