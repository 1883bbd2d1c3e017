//! Bytes kept in chains of small blocks: room is given back and taken again without holes.

use alloc::vec::Vec;

use crate::transport::{NoMemory, reserved};

/// No block, no entry.
pub(super) const NIL: u32 = u32::MAX;

/// An index from a chain; [`NIL`] finds nothing.
pub(super) fn index(i: u32) -> usize {
    usize::try_from(i).unwrap_or(usize::MAX)
}

const LEN: usize = 256;

#[derive(Debug)]
pub(super) struct Blocks {
    /// Those that were used so far. The room for the others is reserved and not touched, so that
    /// it costs addresses only.
    blocks: Vec<[u8; LEN]>,
    /// The block behind each one, in a chain of stored bytes or of free blocks.
    next: Vec<u32>,
    /// Most blocks.
    limit: usize,
    free: u32,
    free_count: usize,
}

impl Blocks {
    /// Blocks for at most `bytes`, rounded down.
    pub(super) fn new(bytes: u32) -> Result<Self, NoMemory> {
        // Fewer than 2^24.
        let limit = index(bytes) / LEN;
        let (blocks, next) = (reserved(limit)?, reserved(limit)?);
        Ok(Self { blocks, next, limit, free: NIL, free_count: limit })
    }

    /// Blocks that bytes take.
    pub(super) fn needed(len: usize) -> u32 {
        u32::try_from(len.div_ceil(LEN)).unwrap_or(u32::MAX)
    }

    /// Bytes that all blocks together have.
    pub(super) const fn capacity(&self) -> usize {
        self.limit.saturating_mul(LEN)
    }

    /// Bytes in blocks that are in use.
    pub(super) const fn used(&self) -> usize {
        self.limit.saturating_sub(self.free_count).saturating_mul(LEN)
    }

    /// Whether this many bytes can be stored now.
    pub(super) const fn have_room_for(&self, len: usize) -> bool {
        len.div_ceil(LEN) <= self.free_count
    }

    /// Stores bytes, for which there is room, and returns the first block of their chain.
    pub(super) fn store<'a>(&mut self, pieces: impl Iterator<Item = &'a [u8]>) -> u32 {
        let (mut first, mut last, mut filled) = (NIL, NIL, LEN);
        for mut piece in pieces {
            while !piece.is_empty() {
                if filled == LEN {
                    let Some(block) = self.take() else { return first };
                    match self.next.get_mut(index(last)) {
                        Some(next) => *next = block,
                        None => first = block,
                    }
                    (last, filled) = (block, 0);
                }
                let room = self.blocks.get_mut(index(last)).and_then(|b| b.get_mut(filled..));
                let room = room.unwrap_or_default();
                let n = room.len().min(piece.len());
                let (now, later) = piece.split_at(n);
                if let Some(room) = room.get_mut(..n) {
                    room.copy_from_slice(now);
                }
                filled = filled.saturating_add(n);
                piece = later;
            }
        }
        first
    }

    fn take(&mut self) -> Option<u32> {
        if self.free == NIL && self.blocks.len() < self.limit {
            let block = u32::try_from(self.blocks.len()).ok()?;
            self.blocks.push([0; LEN]);
            self.next.push(NIL);
            self.free_count = self.free_count.saturating_sub(1);
            return Some(block);
        }
        let block = self.free;
        let next = self.next.get_mut(index(block))?;
        self.free = *next;
        *next = NIL;
        self.free_count = self.free_count.saturating_sub(1);
        Some(block)
    }

    /// Gives a chain back.
    pub(super) fn release(&mut self, mut first: u32) {
        while let Some(next) = self.next.get_mut(index(first)) {
            let block = first;
            first = *next;
            *next = self.free;
            self.free = block;
            self.free_count = self.free_count.saturating_add(1);
        }
    }

    /// The bytes of a chain of `len`.
    pub(super) fn pieces(&self, first: u32, len: usize) -> impl Iterator<Item = &[u8]> + Clone {
        let (mut block, mut left) = (first, len);
        core::iter::from_fn(move || {
            let bytes = self.blocks.get(index(block))?.get(..left.min(LEN))?;
            block = *self.next.get(index(block))?;
            left = left.saturating_sub(bytes.len());
            (!bytes.is_empty()).then_some(bytes)
        })
    }
}
