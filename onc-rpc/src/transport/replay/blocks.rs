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
    blocks: Vec<[u8; LEN]>,
    /// The block behind each one, in a chain of stored bytes or of free blocks.
    next: Vec<u32>,
    free: u32,
    free_count: usize,
}

impl Blocks {
    /// Blocks for at most `bytes`, rounded down.
    pub(super) fn new(bytes: u32) -> Result<Self, NoMemory> {
        let count = index(bytes) / LEN;
        let (mut blocks, mut next) = (reserved(count)?, reserved(count)?);
        blocks.resize(count, [0; LEN]);
        next.extend((1u32..).take(count));
        if let Some(last) = next.last_mut() {
            *last = NIL;
        }
        let free = if count > 0 { 0 } else { NIL };
        Ok(Self { blocks, next, free, free_count: count })
    }

    /// Bytes that all blocks together have.
    pub(super) const fn capacity(&self) -> usize {
        self.blocks.len().saturating_mul(LEN)
    }

    /// Bytes in blocks that are in use.
    pub(super) const fn used(&self) -> usize {
        self.blocks.len().saturating_sub(self.free_count).saturating_mul(LEN)
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
