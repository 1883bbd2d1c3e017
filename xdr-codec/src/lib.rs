#![doc = include_str!("../README.md")]
#![no_std]
// Leaves and fixed reads are inlined by force: the figures of `benches` depend on it.
#![allow(clippy::inline_always)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

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
mod opaque;
mod page;
mod payload;
mod pieces;
mod pool;
mod primitive;
mod probe;
mod segment;
mod wire;

#[cfg(feature = "bytes")]
pub use buf::{MessageBuf, retain};
pub use cursor::{Cursor, Source, Stream, explain, from_bytes};
pub use encoder::{Encoder, Mark, Slot};
pub use error::{DecodeError, EncodeError, ErrorKind, Explanation, Field};
pub use limits::{Limits, Policy};
pub use list::{Array, Chain, Iter, List};
pub use opaque::{Opaque, Text};
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
