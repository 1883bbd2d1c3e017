//! The RPC call that a message and its Read chunks make together, as a list of pieces that decoders
//! read ([`Pieces`](nfswire_xdr::Pieces)). Nothing is copied.
//!
//! ```
//! use core::num::NonZeroU32;
//! use nfswire_rdma::{
//!     Budget, ChunkSlices, Endpoint, Header, ReadSegment, Role, Segment, assemble, receive,
//! };
//! use nfswire_xdr::{Payload, Piece, Pieces};
//!
//! // Words 5, 3, then three bytes that are in a chunk, then word 9.
//! let target = Segment { handle: 1, length: 3, offset: 0x10000 };
//! let reads = [ReadSegment { position: 8, target }];
//! let lists = ChunkSlices { reads: &reads, ..ChunkSlices::NONE };
//! let mut message = [0; 52 + 12];
//! Header::msg(5, NonZeroU32::MIN, &lists, 12)?.write_to(&mut message)?;
//! message[52..].copy_from_slice(&[0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 9]);
//!
//! let received = receive(&message, Endpoint::new(Role::Responder), &Budget::DEFAULT)?;
//! let fetched = [Piece::Here(b"abc")];
//! let mut memory = [Piece::Here(&[]); 4];
//! let call = assemble::call(&received, &[&fetched], &mut memory)?;
//! assert_eq!(call.iter().map(Piece::len).sum::<usize>(), 4 + 4 + 3 + 1 + 4);
//!
//! let mut scratch = [0; 8];
//! let mut pieces = Pieces::new(call, &mut scratch);
//! assert_eq!(pieces.decode::<u32>()?, 5);
//! assert_eq!(pieces.decode::<Payload<'_>>()?, Payload::Borrowed(b"abc"));
//! assert_eq!(pieces.decode::<u32>()?, 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_xdr::Piece;
use thiserror::Error;

use crate::{Kind, Received};

/// Why a call cannot be put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AssembleError {
    /// The RPC message is not in the message or its Read chunks.
    #[error("the message has no RPC call: it is an error, or a reply that is in a Reply chunk")]
    NoCall,
    /// Another number of chunks was fetched than the message has.
    #[error("{fetched} Read chunks were fetched, the message has {chunks}")]
    Count {
        /// Chunks fetched.
        fetched: usize,
        /// Chunks of the message.
        chunks: usize,
    },
    /// A chunk was not fetched in full.
    #[error("of Read chunk {index} {fetched} bytes were fetched, it has {len}")]
    Length {
        /// Number of the chunk, from 0.
        index: usize,
        /// Bytes fetched.
        fetched: u64,
        /// Bytes of the chunk.
        len: u64,
    },
    /// More pieces are needed than the caller lent.
    #[error("the call has {needed} pieces, there is room for {room}; lend more")]
    Room {
        /// Pieces of the call.
        needed: usize,
        /// Pieces lent.
        room: usize,
    },
}

/// Pad bytes that a requester leaves out of its chunks.
static PAD: [u8; 4] = [0; 4];

/// Puts the chunks of a call back where they belong. `fetched[k]` has the bytes of Read chunk k, in
/// the order of [`Chunks::reads`](crate::Chunks::reads), in any number of pieces. They may lie
/// elsewhere too, if they were read straight to their place.
///
/// The padding of a chunk is supplied; for one that ends elsewhere it is left out, which decoders
/// expect. At most one piece more than all that are fetched, and two for each chunk, are needed.
///
/// # Errors
/// [`AssembleError`]; what was fetched does not fit the message, or `memory` is too short.
pub fn call<'a, 'm>(
    received: &Received<'a>,
    fetched: &[&[Piece<'a>]],
    memory: &'m mut [Piece<'a>],
) -> Result<&'m [Piece<'a>], AssembleError> {
    let inline = [Piece::Here(received.inline())];
    let (chunks, mut body, first) = match received.header().kind() {
        Kind::Msg(chunks) => (chunks, Body::new(&inline), 0usize),
        Kind::Nomsg(chunks) if chunks.has_reads() => {
            (chunks, Body::new(fetched.first().copied().unwrap_or_default()), 1)
        }
        Kind::Nomsg(_) | Kind::Error(_) => return Err(AssembleError::NoCall),
    };
    let count = chunks.reads().count();
    if count != fetched.len() {
        return Err(AssembleError::Count { fetched: fetched.len(), chunks: count });
    }
    for (index, (chunk, fetched)) in chunks.reads().zip(fetched).enumerate() {
        let len = chunk.len();
        let fetched = total(fetched);
        if fetched != len {
            return Err(AssembleError::Length { index, fetched, len });
        }
    }
    let mut out = Out { memory, count: 0 };
    // Where the next byte belongs in the call, chunks with their padding.
    let mut position = 0u64;
    for (chunk, fetched) in chunks.reads().zip(fetched).skip(first) {
        let at = u64::from(chunk.position());
        body.take(at.saturating_sub(position), &mut out);
        fetched.iter().for_each(|piece| out.push(*piece));
        let pad = chunk.padded_len().saturating_sub(chunk.len());
        let last = fetched.iter().rev().find(|piece| !piece.is_empty());
        if let (Some(Piece::Here(_)), Ok(pad)) = (last, usize::try_from(pad)) {
            out.push(Piece::Here(PAD.get(..pad).unwrap_or_default()));
        }
        position = at.saturating_add(chunk.padded_len());
    }
    body.take(u64::MAX, &mut out);
    out.finish()
}

/// Length of pieces, in bytes.
fn total(pieces: &[Piece<'_>]) -> u64 {
    pieces.iter().fold(0u64, |sum, piece| sum.saturating_add(piece.len() as u64))
}

/// What chunks are inserted into.
struct Body<'b, 'a> {
    /// The current piece, as far as it was not taken.
    current: Option<Piece<'a>>,
    behind: &'b [Piece<'a>],
}

impl<'b, 'a> Body<'b, 'a> {
    const fn new(pieces: &'b [Piece<'a>]) -> Self {
        Self { current: None, behind: pieces }
    }

    /// Takes `len` bytes, or all that are left.
    fn take(&mut self, len: u64, out: &mut Out<'_, 'a>) {
        let mut left = len;
        while left > 0 {
            let piece = match (self.current.take(), self.behind) {
                (Some(piece), _) => piece,
                (None, [first, behind @ ..]) => {
                    self.behind = behind;
                    *first
                }
                (None, []) => return,
            };
            let (front, back) = split(piece, left);
            left = left.saturating_sub(front.len() as u64);
            out.push(front);
            self.current = back;
        }
    }
}

/// The first `len` bytes of a piece, and the rest if it is longer.
fn split(piece: Piece<'_>, len: u64) -> (Piece<'_>, Option<Piece<'_>>) {
    let whole = (piece, None);
    match piece {
        Piece::Here(bytes) => {
            let Some((front, back)) =
                usize::try_from(len).ok().and_then(|n| bytes.split_at_checked(n))
            else {
                return whole;
            };
            (Piece::Here(front), (!back.is_empty()).then_some(Piece::Here(back)))
        }
        Piece::Elsewhere(all) => {
            let front = u32::try_from(len).unwrap_or(u32::MAX).min(all);
            let back = all.saturating_sub(front);
            (Piece::Elsewhere(front), (back > 0).then_some(Piece::Elsewhere(back)))
        }
    }
}

/// Pieces in the caller's memory; counted on when it is full.
struct Out<'m, 'a> {
    memory: &'m mut [Piece<'a>],
    count: usize,
}

impl<'m, 'a> Out<'m, 'a> {
    fn push(&mut self, piece: Piece<'a>) {
        if piece.is_empty() {
            return;
        }
        if let Some(slot) = self.memory.get_mut(self.count) {
            *slot = piece;
        }
        self.count = self.count.saturating_add(1);
    }

    fn finish(self) -> Result<&'m [Piece<'a>], AssembleError> {
        let Self { memory, count } = self;
        let room = memory.len();
        let memory: &[Piece<'a>] = memory;
        memory.get(..count).ok_or(AssembleError::Room { needed: count, room })
    }
}
