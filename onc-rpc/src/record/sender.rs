//! Sending a record in several fragments.

use nfswire_xdr::{Chunk, FileRange, Message, Position};

use super::{FragmentHeader, Fragments};

/// Sends an encoded message as one record of fragments of at most so many bytes, as far as the
/// socket takes it, for peers or buffers that want small fragments.
///
/// The message has no mark in its head: the sender makes the marks. A message in one fragment is
/// sent with less work behind a [`RecordMark`](super::RecordMark), or behind a mark of its own
/// ([`Message::behind`]).
///
/// ```
/// use nfswire_rpc::RecordSender;
/// use nfswire_xdr::{Chunk, Encoder, Segments};
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// e.put(&[1u32, 2])?;
/// e.finish();
///
/// let mut sender = RecordSender::new(segments.view(&head), 6).expect("fragments have bytes");
/// let mut stream = Vec::new();
/// while let Some(Chunk::Bytes(bytes)) = sender.chunk() {
///     let took = bytes.len().min(3);                // a socket that takes three bytes at a time
///     stream.extend_from_slice(&bytes[..took]);
///     sender.sent(took);
/// }
/// assert_eq!(stream, b"\x00\x00\x00\x06\0\0\0\x01\0\0\x80\x00\x00\x02\0\x02");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RecordSender<'x, 'p> {
    message: Message<'x, 'p>,
    /// Those behind the current one.
    fragments: Fragments,
    mark: [u8; 4],
    /// Bytes of the mark that were sent.
    mark_sent: usize,
    /// First byte of the message that was not sent.
    at: Position,
    /// Bytes of the current fragment that were not sent, without those of its mark.
    left: u64,
}

impl<'x, 'p> RecordSender<'x, 'p> {
    /// Stands at the first byte of the first mark. `None` if `max_fragment` is 0; fragments longer
    /// than [`FragmentHeader::MAX_LEN`] are not made.
    #[must_use]
    pub fn new(message: Message<'x, 'p>, max_fragment: u32) -> Option<Self> {
        let fragments = Fragments::new(message.len(), max_fragment)?;
        let (mark, at, left) = ([0; 4], Position::START, 0);
        let mut sender = Self { message, fragments, mark, mark_sent: mark.len(), at, left };
        sender.next_fragment();
        Some(sender)
    }

    /// Goes to the next mark; false behind the last fragment.
    fn next_fragment(&mut self) -> bool {
        let Some((mark, range)) = self.fragments.next() else { return false };
        self.mark = mark.to_bytes();
        self.mark_sent = 0;
        self.left = range.end.saturating_sub(range.start);
        true
    }

    /// What is to be sent next: bytes of a mark or a piece of the message, within one fragment.
    /// `None` at the end of the record.
    #[must_use]
    pub fn chunk(&self) -> Option<Chunk<'_>> {
        match self.mark.get(self.mark_sent..) {
            Some(rest) if !rest.is_empty() => Some(Chunk::Bytes(rest)),
            _ => self.piece(self.at, self.left),
        }
    }

    /// A piece of the message from a position on, of at most `left` bytes.
    fn piece(&self, at: Position, left: u64) -> Option<Chunk<'x>> {
        if left == 0 {
            return None;
        }
        Some(match self.message.chunk(at)? {
            Chunk::Bytes(bytes) => {
                let len = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                Chunk::Bytes(bytes.get(..len).unwrap_or(bytes))
            }
            Chunk::File(range) => {
                let len = u32::try_from(left).unwrap_or(u32::MAX).min(range.len);
                Chunk::File(FileRange { len, ..range })
            }
        })
    }

    /// Fills `out` with the rest of the current fragment, its mark in front, up to the first file
    /// range, and returns how many it used. One fragment is one vectored send.
    #[cfg(feature = "std")]
    pub fn io_slices<'s>(&'s self, out: &mut [std::io::IoSlice<'s>]) -> usize {
        let mark = self.mark.get(self.mark_sent..).filter(|rest| !rest.is_empty());
        let (mut at, mut left, mut used) = (self.at, self.left, 0usize);
        let pieces = core::iter::from_fn(|| {
            let Some(Chunk::Bytes(bytes)) = self.piece(at, left) else { return None };
            at = self.message.advance(at, bytes.len());
            left = left.saturating_sub(bytes.len() as u64);
            Some(bytes)
        });
        for (slot, bytes) in out.iter_mut().zip(mark.into_iter().chain(pieces)) {
            *slot = std::io::IoSlice::new(bytes);
            used = used.saturating_add(1);
        }
        used
    }

    /// The socket took this many bytes more, at most to the end of the record.
    pub fn sent(&mut self, mut bytes: usize) {
        loop {
            let mark = self.mark.len().saturating_sub(self.mark_sent).min(bytes);
            self.mark_sent = self.mark_sent.saturating_add(mark);
            bytes = bytes.saturating_sub(mark);
            let body = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes);
            self.at = self.message.advance(self.at, body);
            self.left = self.left.saturating_sub(body as u64);
            bytes = bytes.saturating_sub(body);
            if self.left > 0 || self.mark_sent < self.mark.len() || !self.next_fragment() {
                return;
            }
        }
    }

    /// Bytes that a message of `len` bytes takes on the wire in fragments of at most `max_fragment`,
    /// marks counted. `None` if `max_fragment` is 0.
    #[must_use]
    pub fn wire_len(len: u64, max_fragment: u32) -> Option<u64> {
        let most = u64::from(max_fragment.min(FragmentHeader::MAX_LEN));
        let fragments = len.checked_add(most.checked_sub(1)?)?.checked_div(most)?.max(1);
        fragments.checked_mul(FragmentHeader::SIZE.into())?.checked_add(len)
    }

    /// Whether the record was sent whole: the stream is at a boundary.
    #[must_use]
    pub const fn is_end(&self) -> bool {
        self.left == 0 && self.mark_sent == self.mark.len()
    }
}
