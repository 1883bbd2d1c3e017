//! The callback program: what a server asks of its clients.
