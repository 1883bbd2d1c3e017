//! Reading a message that lies in several pieces.

use core::mem;

use crate::{
    cursor::{Cursor, Source, padded, saturate, sealed},
    error::{DecodeError, ErrorKind},
    limits::Limits,
    list::check_link,
    payload::{Payload, Piece, Scattered},
    probe::Probe,
    wire::Decode,
};

/// A position in a message that lies in several pieces, some of which may be elsewhere: pages of a
/// receive buffer, a message of which only the head is here, what RDMA placed.
///
/// It decodes the same values as a [`Cursor`] over the same bytes in one slice. A payload that
/// straddles pieces is [`Payload::Scattered`], one that lies elsewhere [`Payload::Elsewhere`].
/// Anything else that straddles, a name or a run of fixed-size fields, is copied into `scratch`,
/// which the caller lends for as long as the values live; too little of it is
/// [`ErrorKind::Scratch`], which says how much is lacking. As much as the message is long without its
/// payloads always suffices; payloads in lists, which may not lie elsewhere, count as bytes of the
/// list (see [`List`](crate::List)).
///
/// ```
/// use nfswire_xdr::{Opaque, Piece, Pieces};
///
/// let pieces = [Piece::Here(&[0, 0, 0]), Piece::Here(&[7, 0, 0, 0, 2, b'h']), Piece::Here(b"i\0\0")];
/// let mut scratch = [0; 16];
/// let mut p = Pieces::new(&pieces, &mut scratch);
/// assert_eq!(p.decode::<u32>()?, 7);
/// assert_eq!(p.decode::<Opaque<'_>>()?.as_bytes(), b"hi");
/// p.finish()?;
/// # Ok::<(), nfswire_xdr::DecodeError>(())
/// ```
#[derive(Debug)]
pub struct Pieces<'a> {
    /// Bytes of the current piece that have not been read.
    here: &'a [u8],
    /// Bytes of the current piece that lie elsewhere; `here` is empty then.
    hole: usize,
    /// The current piece and those behind it.
    from: &'a [Piece<'a>],
    /// Bytes of the pieces behind the current one.
    behind: usize,
    /// Length of the message.
    total: usize,
    scratch: &'a mut [u8],
    /// Where scratch ran out, and how many bytes were lacking.
    short: Option<(usize, u32)>,
    limits: &'a Limits,
}

impl<'a> Pieces<'a> {
    /// Reads a whole message in strict policy.
    #[must_use]
    pub fn new(pieces: &'a [Piece<'a>], scratch: &'a mut [u8]) -> Self {
        Self::with(pieces, scratch, &Limits::STRICT)
    }

    /// Reads a whole message within `limits`.
    #[must_use]
    pub fn with(pieces: &'a [Piece<'a>], scratch: &'a mut [u8], limits: &'a Limits) -> Self {
        let total = pieces.iter().fold(0usize, |sum, piece| sum.saturating_add(piece.len()));
        let mut this = Self {
            here: &[],
            hole: 0,
            from: pieces,
            behind: total,
            total,
            scratch,
            short: None,
            limits,
        };
        if let [first, ..] = pieces {
            this.enter(first);
        }
        this
    }

    /// Offset of the next byte from the start of the message.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.total.saturating_sub(self.remaining())
    }

    /// Bytes that the message still has, at hand or not.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.here.len().saturating_add(self.hole).saturating_add(self.behind)
    }

    /// Bytes of scratch that have not been used.
    #[must_use]
    pub const fn scratch_left(&self) -> usize {
        self.scratch.len()
    }

    /// Reads one value. After an error the position is undefined.
    ///
    /// # Errors
    /// The first fault in the bytes, found by a second pass over the value.
    #[inline]
    pub fn decode<T: Decode<'a>>(&mut self) -> Result<T, DecodeError> {
        // Most values lie within one piece, and there a cursor is twice as fast.
        let mut c = Cursor::with(self.here, self.limits);
        if let Some(value) = T::decode(&mut c) {
            self.here = c.rest();
            return Ok(value);
        }
        let start = self.probe();
        T::decode(self).ok_or_else(|| self.fault::<T>(start))
    }

    #[cold]
    fn fault<T: Decode<'a>>(&self, start: Probe<'a>) -> DecodeError {
        let mut p = start.with_scratch(self.short);
        match T::check(&mut p) {
            Err(e) => e,
            Ok(()) => p.error(ErrorKind::Contradiction),
        }
    }

    /// Ends the message.
    ///
    /// # Errors
    /// [`ErrorKind::Trailing`] in strict policy if bytes are left over.
    pub fn finish(self) -> Result<(), DecodeError> {
        match self.remaining() {
            left if left > 0 && !self.limits.lenient() => {
                Err(self.probe().error(ErrorKind::Trailing(saturate(left))))
            }
            _ => Ok(()),
        }
    }

    fn probe(&self) -> Probe<'a> {
        let behind = self.from.split_first().map_or(&[][..], |(_, behind)| behind);
        Probe::new(self.here, behind, self.hole, self.total, self.limits).with_pads_left_out()
    }

    fn enter(&mut self, piece: &'a Piece<'a>) {
        self.behind = self.behind.saturating_sub(piece.len());
        match piece {
            Piece::Here(bytes) => self.here = bytes,
            Piece::Elsewhere(len) => self.hole = *len as usize,
        }
    }

    /// Goes on to the next piece with bytes, once the current one is used up. False at the end.
    fn settle(&mut self) -> bool {
        while self.here.is_empty() && self.hole == 0 {
            let [_, behind @ ..] = self.from else { return false };
            self.from = behind;
            let [next, ..] = behind else { return false };
            self.enter(next);
        }
        true
    }

    /// The next `len` bytes, which are not within the current piece: within the next one, or copied
    /// into scratch.
    #[cold]
    #[inline(never)]
    fn gather(&mut self, len: usize) -> Option<&'a [u8]> {
        if len > self.remaining() {
            return None;
        }
        if self.here.is_empty()
            && self.settle()
            && let Some((block, rest)) = self.here.split_at_checked(len)
        {
            self.here = rest;
            return Some(block);
        }
        let scratch = mem::take(&mut self.scratch);
        if len > scratch.len() {
            let lacking = len.saturating_sub(scratch.len());
            self.scratch = scratch;
            let short = (self.position(), saturate(lacking));
            self.short.get_or_insert(short);
            return None;
        }
        let (block, scratch) = scratch.split_at_mut_checked(len)?;
        self.scratch = scratch;
        let mut to = &mut *block;
        while !to.is_empty() {
            if !self.settle() || self.hole > 0 {
                return None;
            }
            let (part, rest) = self.here.split_at_checked(self.here.len().min(to.len()))?;
            let (first, more) = to.split_at_mut_checked(part.len())?;
            first.copy_from_slice(part);
            self.here = rest;
            to = more;
        }
        Some(block)
    }

    /// A payload that is not within the current piece.
    #[cold]
    #[inline(never)]
    fn spread(&mut self, len: u32) -> Option<Payload<'a>> {
        let mut left = len as usize;
        if left > self.remaining() {
            return None;
        }
        let at = self.position();
        self.settle();
        let pieces = self.from;
        // Offsets in payloads are of 32 bits: behind 4 GiB they would name other bytes.
        let skip = u32::try_from(pieces.first()?.len().checked_sub(self.here.len())?).ok()?;
        let (mut whole, mut in_hole) = (true, false);
        while left > 0 {
            if !self.settle() {
                return None;
            }
            in_hole = self.hole > 0;
            let step = if in_hole { self.hole } else { self.here.len() }.min(left);
            if in_hole {
                whole = false;
                self.hole = self.hole.checked_sub(step)?;
            } else {
                self.here = self.here.get(step..)?;
            }
            left = left.checked_sub(step)?;
        }
        let pad = usize::try_from(padded(len)).ok()?.checked_sub(len as usize)?;
        if !in_hole {
            // A few bytes: no scratch for them.
            for _ in 0..pad {
                if !self.settle() || self.hole > 0 {
                    return None;
                }
                let (byte, rest) = self.here.split_first()?;
                if *byte != 0 && !self.lenient() {
                    return None;
                }
                self.here = rest;
            }
        } else if self.hole > 0 {
            self.hole = self.hole.checked_sub(pad)?;
        } else {
            // The pad was left out with the payload; the message counts it all the same.
            self.total = self.total.saturating_add(pad);
        }
        Some(match whole {
            true => Payload::Scattered(Scattered::part(pieces, skip, len)),
            false => Payload::Elsewhere { at: u32::try_from(at).ok()?, len },
        })
    }
}

impl sealed::Sealed for Pieces<'_> {}

impl<'a> Source<'a> for Pieces<'a> {
    #[inline(always)]
    fn lenient(&self) -> bool {
        self.limits.lenient()
    }

    #[inline(always)]
    fn limits(&self) -> &'a Limits {
        self.limits
    }

    #[inline]
    fn remaining(&self) -> usize {
        Pieces::remaining(self)
    }

    #[inline(always)]
    fn block(&mut self, len: usize) -> Option<&'a [u8]> {
        if let Some((block, rest)) = self.here.split_at_checked(len) {
            self.here = rest;
            return Some(block);
        }
        self.gather(len)
    }

    #[inline]
    fn payload(&mut self, len: u32) -> Option<Payload<'a>> {
        if len > self.limits.max_payload {
            return None;
        }
        if padded(len) <= self.here.len() as u64 {
            return self.opaque(len).map(Payload::Borrowed);
        }
        self.spread(len)
    }

    #[inline(always)]
    fn with<R>(&mut self, f: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        f(self)
    }

    fn list<T: Decode<'a>>(&mut self, count: Option<u32>, limit: u32) -> Option<(&'a [u8], u32)> {
        // Most lists are within the current piece.
        let mut c = Cursor::with(self.here, self.limits);
        if let Some(found) = c.list::<T>(count, limit) {
            self.here = c.rest();
            return Some(found);
        }
        // Else the slow reader says how long it is, and scratch makes it contiguous.
        let mut p = self.probe();
        let start = p.position();
        p.list(|p| {
            match count {
                Some(count) => (0..count).try_for_each(|_| T::check(p)).ok()?,
                None => {
                    let mut seen = 0u32;
                    while check_link::<T>(p, seen, limit).ok()? {
                        seen = seen.saturating_add(1);
                    }
                }
            }
            Some(())
        })?;
        let raw = self.gather(p.position().checked_sub(start)?)?;
        Cursor::with(raw, self.limits).list::<T>(count, limit)
    }
}
