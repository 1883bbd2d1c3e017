//! Operations of COMPOUND: arguments and results, one family a file.

pub mod attr;
pub mod client;
pub mod copy;
pub mod deleg;
pub mod dir;
pub mod filehandle;
pub mod io;
pub mod layout;
pub mod lock;
pub mod lookup;
pub mod open;
pub mod secinfo;
pub mod session;
pub mod space;
pub mod xattr;
