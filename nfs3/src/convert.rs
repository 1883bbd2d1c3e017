//! What servers and clients write again and again: between the types of the wire and those of a
//! POSIX system.
//!
//! | from, to | here |
//! | --- | --- |
//! | type bits of `st_mode`, [`FileType`](crate::FileType) | [`FileType::from_mode`](crate::FileType::from_mode), [`FileType::mode_bits`](crate::FileType::mode_bits) |
//! | seconds and nanoseconds, `SystemTime`, [`Time`](crate::Time) | [`Time::saturating`](crate::Time::saturating), `From` |
//! | `std::fs::Metadata`, [`Attributes`](crate::Attributes) | `From` (unix) |
//! | [`SetAttributes`](crate::SetAttributes), system calls | [`SetAttributes::changes`](crate::SetAttributes::changes), [`Change`] |
//! | state before and after, [`WccData`](crate::WccData) | [`WccData::starting`](crate::WccData::starting), [`WccData::ending`](crate::WccData::ending) |
//! | permissions, names, access masks | [`AccessMask`] |
//! | `errno`, `io::Error`, `io::ErrorKind`, [`Status`](crate::Status) | `Status::from_errno`, `Status::errno` (unix), `From` |
//! | what a server should announce | [`FsinfoOk::recommended`](crate::fs::FsinfoOk::recommended), [`PathconfOk::posix`](crate::fs::PathconfOk::posix) |
//!
//! Nothing here asks the system anything. What names a type of `std` needs the feature `std`.
//!
//! ```
//! use nfswire_nfs3::{FileType, SetAttributes, Status, convert::{AccessMask, Change}};
//!
//! assert_eq!(FileType::from_mode(0o100644), Some(FileType::Regular));
//! assert_eq!(AccessMask(0x21).to_string(), "READ|EXECUTE");
//!
//! let new = SetAttributes { mode: Some(0o640), uid: Some(7), ..SetAttributes::default() };
//! let changes: Vec<Change> = new.changes()?.collect();
//! assert_eq!(changes, [Change::Owner { uid: Some(7), gid: None }, Change::Mode(0o640)]);
//! # Ok::<(), Status>(())
//! ```

mod access;
mod announce;
#[cfg(all(feature = "std", unix))]
mod errno;
#[cfg(feature = "std")]
mod kind;
#[cfg(all(feature = "std", unix))]
mod metadata;
mod mode;
mod set;
mod time;
mod wcc;

pub use access::AccessMask;
pub use set::Change;
