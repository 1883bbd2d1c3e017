#![doc = include_str!("../README.md")]
#![no_std]
// Leaves and fixed reads are inlined by force: the figures of `benches` depend on it.
#![allow(clippy::inline_always)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
mod bounded;
#[cfg(feature = "bytes")]
mod buf;
mod cursor;
mod encoder;
mod error;
#[cfg(feature = "std")]
pub mod guide;
mod limits;
mod list;
mod macros;
#[cfg(feature = "nom")]
pub mod nom;
mod opaque;
#[cfg(feature = "alloc")]
mod owned;
mod page;
mod payload;
mod pieces;
mod pool;
mod primitive;
mod probe;
#[cfg(feature = "proptest")]
pub mod proptest;
mod segment;
#[cfg(feature = "serde")]
pub mod serde;
mod stamp;
mod wire;

pub use bounded::BoundedPayload;
#[cfg(feature = "bytes")]
pub use buf::{MessageBuf, retain};
pub use cursor::{Cursor, Source, Stream, explain, from_bytes};
pub use encoder::{Encoder, Mark, Slot};
pub use error::{DecodeError, EncodeError, ErrorKind, Explanation, Field, LengthError};
pub use limits::{Limits, Policy};
pub use list::{Array, Chain, Iter, List};
pub use opaque::{Opaque, Text};
#[cfg(feature = "alloc")]
pub use owned::{Owned, Rebind};
pub use page::{HeadRef, Pages};
pub use payload::{FileRange, Payload, Piece, Scattered};
pub use pieces::Pieces;
pub use pool::{PagePool, PageSource, PoolStats, Refill};
pub use primitive::{Double, Float};
pub use probe::Probe;
pub use segment::{Chunk, Message, NotInMemory, Placement, Position, Segments, Stats};
pub use wire::{Decode, Encode, Wire};
#[doc(hidden)]
pub use wire::{Shape, plan};
