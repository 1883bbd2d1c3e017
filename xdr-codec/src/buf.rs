//! Messages and receive buffers as [`bytes`] knows them.

#[cfg(feature = "std")]
use std::io::IoSlice;

use bytes::{Buf, Bytes};

use crate::segment::{Chunk, Message, NotInMemory, Position};

/// A [`Message`] that is all in memory, as a [`Buf`] with vectored chunks.
#[derive(Clone, Debug)]
pub struct MessageBuf<'x, 'p> {
    message: Message<'x, 'p>,
    at: Position,
    left: usize,
}

impl<'x, 'p> Message<'x, 'p> {
    /// The message as a [`Buf`].
    ///
    /// # Errors
    /// [`NotInMemory`] if there is a file range, or if the head is too short to be the message's own.
    pub fn buf(&self) -> Result<MessageBuf<'x, 'p>, NotInMemory> {
        let in_memory = self.iter().try_fold(0u64, |sum, chunk| match chunk {
            Chunk::Bytes(bytes) => Some(sum.saturating_add(bytes.len() as u64)),
            Chunk::File(_) => None,
        });
        let all = in_memory.filter(|sum| *sum == self.len()).ok_or(NotInMemory)?;
        let left = usize::try_from(all).map_err(|_| NotInMemory)?;
        Ok(MessageBuf { message: *self, at: Position::START, left })
    }
}

impl Buf for MessageBuf<'_, '_> {
    fn remaining(&self) -> usize {
        self.left
    }

    fn chunk(&self) -> &[u8] {
        match self.message.chunk(self.at) {
            Some(Chunk::Bytes(bytes)) => bytes,
            _ => &[],
        }
    }

    /// Goes `count` bytes on; beyond the end it stays there.
    fn advance(&mut self, count: usize) {
        self.at = self.message.advance(self.at, count);
        self.left = self.left.saturating_sub(count);
    }

    #[cfg(feature = "std")]
    fn chunks_vectored<'a>(&'a self, out: &mut [IoSlice<'a>]) -> usize {
        self.message.io_slices(self.at, out)
    }
}

/// Keeps `part` of a receive buffer beyond the life of the buffer: a copy if it is at most
/// `copy_break` bytes long, else a share in the buffer, all of which then stays in memory.
///
/// A name of 20 bytes that shares in a buffer of 64 KiB keeps 64 KiB busy; a copy costs less from
/// some hundred bytes down. What is not part of `buffer` is copied.
#[must_use]
pub fn retain(buffer: &Bytes, part: &[u8], copy_break: u32) -> Bytes {
    let start = (part.as_ptr() as usize).checked_sub(buffer.as_ptr() as usize);
    let within = start.and_then(|start| {
        let end = start.checked_add(part.len())?;
        (end <= buffer.len()).then_some(start..end)
    });
    match within {
        Some(range) if part.len() as u64 > u64::from(copy_break) => buffer.slice(range),
        _ => Bytes::copy_from_slice(part),
    }
}
