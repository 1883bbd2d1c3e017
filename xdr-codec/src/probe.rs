//! The slow reader that finds errors.

use crate::{
    cursor::{padded, saturate},
    error::{DecodeError, ErrorKind, Field, PATH},
    limits::Limits,
    payload::Piece,
    wire::Decode,
};

/// The slow reader behind [`Decode::check`]: steps over bytes, wherever they lie, and reports the
/// first fault with its offset and field.
#[derive(Clone, Debug)]
pub struct Probe<'x> {
    /// Bytes at hand.
    rest: &'x [u8],
    /// Bytes behind `rest` that are not at hand.
    hole: usize,
    /// What comes behind the hole.
    pieces: &'x [Piece<'x>],
    /// Offset of the end of the message.
    end: usize,
    /// Bytes that the message still has.
    left: usize,
    /// A payload that ends with a hole may have its pad left out of the pieces.
    pads_left_out: bool,
    /// Payloads must be at hand, too.
    in_list: bool,
    limits: &'x Limits,
    path: [Option<&'static Field>; PATH],
    depth: usize,
    /// Offset at which the fast reader ran out of scratch, and what it lacked.
    scratch: Option<(usize, u32)>,
}

impl<'x> Probe<'x> {
    pub(crate) const fn new(
        rest: &'x [u8],
        pieces: &'x [Piece<'x>],
        hole: usize,
        end: usize,
        limits: &'x Limits,
    ) -> Self {
        let mut left = rest.len().saturating_add(hole);
        let mut more = pieces;
        while let [first, tail @ ..] = more {
            left = left.saturating_add(first.len());
            more = tail;
        }
        Self {
            rest,
            hole,
            pieces,
            end,
            left,
            pads_left_out: false,
            in_list: false,
            limits,
            path: [None; PATH],
            depth: 0,
            scratch: None,
        }
    }

    /// Reads pieces from which pads may be left out; in a message cut off at its head, none are.
    pub(crate) const fn with_pads_left_out(mut self) -> Self {
        self.pads_left_out = true;
        self
    }

    /// Runs `f` on the elements of a list, in which no payload may lie elsewhere: it borrows its bytes
    /// in one slice.
    pub(crate) fn list<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = core::mem::replace(&mut self.in_list, true);
        let result = f(self);
        self.in_list = outer;
        result
    }

    /// Reports [`ErrorKind::Scratch`] when it comes to `offset`.
    pub(crate) const fn with_scratch(mut self, short: Option<(usize, u32)>) -> Self {
        self.scratch = short;
        self
    }

    pub(crate) const fn path(&self) -> [Option<&'static Field>; PATH] {
        self.path
    }

    /// Enters a field: errors name the innermost one.
    pub fn enter(&mut self, field: &'static Field) {
        if let Some(slot) = self.path.get_mut(self.depth) {
            *slot = Some(field);
        }
        self.depth = self.depth.saturating_add(1);
    }

    /// Leaves the field entered last.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if let Some(slot) = self.path.get_mut(self.depth) {
            *slot = None;
        }
    }

    /// The limits in force.
    #[must_use]
    pub const fn limits(&self) -> &'x Limits {
        self.limits
    }

    /// Offset of the next byte from the start of the message.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.end.saturating_sub(self.left)
    }

    /// Bytes that the message still has, at hand or not.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.left
    }

    /// An error at the next byte.
    #[must_use]
    pub fn error(&self, kind: ErrorKind) -> DecodeError {
        self.error_at(kind, self.position())
    }

    /// An error at `offset`.
    #[must_use]
    pub fn error_at(&self, kind: ErrorKind, offset: usize) -> DecodeError {
        let field = self.path.iter().rev().find_map(|f| *f);
        DecodeError { kind, offset: saturate(offset), field }
    }

    /// Goes on to the next piece that is not empty, once `rest` is used up.
    fn settle(&mut self) {
        while self.rest.is_empty() && self.hole == 0 {
            let [first, more @ ..] = self.pieces else { return };
            self.pieces = more;
            match first {
                Piece::Here(bytes) => self.rest = bytes,
                Piece::Elsewhere(len) => self.hole = *len as usize,
            }
        }
    }

    /// Hands the next `len` bytes to `f`, piece by piece. They are there and at hand.
    fn feed(&mut self, mut len: usize, mut f: impl FnMut(&[u8])) {
        self.left = self.left.saturating_sub(len);
        while len > 0 {
            self.settle();
            let here = self.rest.len().min(len);
            let Some((first, rest)) = self.rest.split_at_checked(here).filter(|_| here > 0) else {
                return;
            };
            f(first);
            self.rest = rest;
            len = len.saturating_sub(here);
        }
    }

    /// Bytes at hand in one run, up to a hole or the end; at most `most`.
    fn here(&self, most: usize) -> usize {
        let mut here = self.rest.len();
        if self.hole == 0 {
            for piece in self.pieces {
                match piece {
                    Piece::Here(bytes) => here = here.saturating_add(bytes.len()),
                    Piece::Elsewhere(0) => {}
                    Piece::Elsewhere(_) => break,
                }
                if here >= most {
                    break;
                }
            }
        }
        here
    }

    /// Checks that the next `len` bytes are there and at hand.
    fn need(&self, len: u64) -> Result<usize, DecodeError> {
        let needed = u32::try_from(len).unwrap_or(u32::MAX);
        let Some(len) = usize::try_from(len).ok().filter(|len| *len <= self.left) else {
            return Err(self.error(ErrorKind::Short { needed, left: saturate(self.left) }));
        };
        if let Some((offset, lacking)) = self.scratch
            && offset < self.position().saturating_add(len)
        {
            return Err(self.error(ErrorKind::Scratch { needed: lacking }));
        }
        let here = self.here(len);
        if len > here {
            return Err(self.error(ErrorKind::NotHere { needed, here: saturate(here) }));
        }
        Ok(len)
    }

    /// Steps over the next `len` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Short`] or [`ErrorKind::NotHere`].
    pub fn skip(&mut self, len: u64) -> Result<(), DecodeError> {
        let len = self.need(len)?;
        self.feed(len, |_| {});
        Ok(())
    }

    /// Takes the next `N` bytes.
    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let len = self.need(N as u64)?;
        let mut out = [0; N];
        let mut at = 0usize;
        self.feed(len, |bytes| {
            let end = at.saturating_add(bytes.len());
            if let Some(to) = out.get_mut(at..end) {
                to.copy_from_slice(bytes);
            }
            at = end;
        });
        Ok(out)
    }

    /// Takes one word.
    ///
    /// # Errors
    /// See [`skip`](Self::skip).
    pub fn word(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    /// Takes a boolean or "value follows" word.
    ///
    /// # Errors
    /// [`ErrorKind::Bool`].
    pub fn boolean(&mut self) -> Result<bool, DecodeError> {
        let at = self.position();
        match self.word()? {
            0 => Ok(false),
            1 => Ok(true),
            v => Err(self.error_at(ErrorKind::Bool(v), at)),
        }
    }

    /// Steps over `len` bytes of opaque data and its pad.
    ///
    /// # Errors
    /// [`ErrorKind::Padding`] in strict policy, at the first pad byte that is not zero.
    pub fn opaque(&mut self, len: u32) -> Result<(), DecodeError> {
        self.skip(len.into())?;
        self.pad(len)
    }

    /// Steps over the pad of `len` bytes.
    fn pad(&mut self, len: u32) -> Result<(), DecodeError> {
        let at = self.position();
        let pad = self.need(padded(len).saturating_sub(len.into()))?;
        let mut bytes = [0u8; 4];
        let mut filled = 0usize;
        self.feed(pad, |part| {
            for byte in part {
                if let Some(to) = bytes.get_mut(filled) {
                    *to = *byte;
                }
                filled = filled.saturating_add(1);
            }
        });
        match bytes.iter().position(|b| *b != 0) {
            Some(i) if !self.limits.lenient() => {
                Err(self.error_at(ErrorKind::Padding, at.saturating_add(i)))
            }
            _ => Ok(()),
        }
    }

    /// Takes the length of an opaque or string of at most `limit` bytes, and steps over its data
    /// and pad.
    ///
    /// # Errors
    /// [`ErrorKind::TooLong`], at the length word.
    pub fn variable(&mut self, limit: u32) -> Result<(), DecodeError> {
        let at = self.position();
        let len = self.word()?;
        if len > limit {
            return Err(self.error_at(ErrorKind::TooLong { len, limit }, at));
        }
        self.opaque(len)
    }

    /// Steps over a payload, which may lie elsewhere.
    ///
    /// # Errors
    /// [`ErrorKind::TooLong`], [`ErrorKind::Short`], [`ErrorKind::Padding`].
    pub fn payload(&mut self) -> Result<(), DecodeError> {
        self.payload_within(u32::MAX)
    }

    /// Steps over a payload of at most `limit` bytes, which may lie elsewhere unless it is in a list.
    ///
    /// # Errors
    /// [`ErrorKind::TooLong`], [`ErrorKind::Short`], [`ErrorKind::NotHere`], [`ErrorKind::Padding`].
    pub fn payload_within(&mut self, limit: u32) -> Result<(), DecodeError> {
        let at = self.position();
        let len = self.word()?;
        let limit = self.limits.max_payload.min(limit);
        if len > limit {
            return Err(self.error_at(ErrorKind::TooLong { len, limit }, at));
        }
        if self.in_list {
            return self.opaque(len);
        }
        let short =
            |p: &Self, needed| p.error(ErrorKind::Short { needed, left: saturate(p.remaining()) });
        let mut wanted = usize::try_from(len)
            .ok()
            .filter(|len| *len <= self.left)
            .ok_or_else(|| short(self, len))?;
        let mut in_hole = false;
        while wanted > 0 {
            self.settle();
            let step = if self.rest.is_empty() { self.hole } else { self.rest.len() }.min(wanted);
            in_hole = self.rest.is_empty();
            match self.rest.split_at_checked(step).filter(|_| !in_hole) {
                Some((_, rest)) => self.rest = rest,
                None => self.hole = self.hole.saturating_sub(step),
            }
            if step == 0 {
                return Err(short(self, len));
            }
            wanted = wanted.saturating_sub(step);
            self.left = self.left.saturating_sub(step);
        }
        let pad = usize::try_from(padded(len).saturating_sub(len.into())).unwrap_or(0);
        if !in_hole || (self.hole == 0 && !self.pads_left_out) {
            return self.pad(len);
        }
        // The pad lies with the payload, or was left out with it.
        if self.hole == 0 {
            self.end = self.end.saturating_add(pad);
        } else if self.hole < pad {
            let left = saturate(self.hole);
            return Err(self.error(ErrorKind::Short { needed: saturate(pad), left }));
        } else {
            self.hole = self.hole.saturating_sub(pad);
            self.left = self.left.saturating_sub(pad);
        }
        Ok(())
    }

    /// Reads a value of at most 16 bytes, such as a discriminant.
    ///
    /// # Errors
    /// Those of the value's own check.
    pub fn value<'a, T: Decode<'a>>(&mut self) -> Result<T, DecodeError> {
        let before = self.clone();
        T::check(self)?;
        let mut bytes = before.clone();
        let mut block = [0u8; 16];
        for byte in block.iter_mut().take(T::MIN_LEN as usize) {
            *byte = bytes.array::<1>()?[0];
        }
        block
            .get(..T::MIN_LEN as usize)
            .and_then(|block| T::from_block(block, self.limits.lenient()))
            .ok_or_else(|| before.error(ErrorKind::Contradiction))
    }
}
