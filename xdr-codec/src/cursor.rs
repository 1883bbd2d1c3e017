//! Reading: the [`Source`] trait and the contiguous [`Cursor`].

use core::marker::PhantomData;

use crate::{
    error::{DecodeError, ErrorKind, Explanation},
    limits::Limits,
    list::check_link,
    payload::Payload,
    probe::Probe,
    wire::{Decode, plan::Run},
};

#[allow(unnameable_types)] // that is the point of sealing
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Number of bytes that `len` bytes of opaque data take with their pad (RFC 4506, section 4.10).
#[inline(always)]
pub(crate) const fn padded(len: u32) -> u64 {
    (len as u64).wrapping_add(3) & !3
}

/// Bytes that a decoder reads from. A type parameter rather than a branch, so that the contiguous
/// case stays in registers.
pub trait Source<'a>: sealed::Sealed + Sized {
    /// Whether the policy is lenient.
    fn lenient(&self) -> bool;

    /// The limits in force.
    fn limits(&self) -> &'a Limits;

    /// Bytes that the message still has, at hand or not.
    fn remaining(&self) -> usize;

    /// Takes the next `len` bytes, contiguous.
    fn block(&mut self, len: usize) -> Option<&'a [u8]>;

    /// Takes a payload of `len` bytes and its pad. Only a payload may lie beyond the bytes at hand.
    fn payload(&mut self, len: u32) -> Option<Payload<'a>>;

    /// Runs `f` on a local copy of the source, which the compiler can keep in registers.
    fn with<R>(&mut self, f: impl FnOnce(&mut Self) -> Option<R>) -> Option<R>;

    /// Walks a list: `count` elements, or for `None` a linked list of at most `limit`. Returns the
    /// bytes of the elements, contiguous, and their number. The words between the elements of a
    /// linked list are among the bytes, the last one is not.
    fn list<T: Decode<'a>>(&mut self, count: Option<u32>, limit: u32) -> Option<(&'a [u8], u32)>;

    /// Takes one word.
    #[inline(always)]
    fn word(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(*self.block(4)?.first_chunk()?))
    }

    /// Takes `len` bytes of opaque data and its pad, which must be zero in strict policy.
    #[inline(always)]
    fn opaque(&mut self, len: u32) -> Option<&'a [u8]> {
        let padded = usize::try_from(padded(len)).ok()?;
        let block = self.block(padded)?;
        if !pad_is_zero(block, len) && !self.lenient() {
            return None;
        }
        block.get(..len as usize)
    }

    /// Takes the length of an opaque or string of at most `limit` bytes, its data and its pad.
    #[inline(always)]
    fn variable(&mut self, limit: u32) -> Option<&'a [u8]> {
        let len = self.word()?;
        if len > limit {
            return None;
        }
        self.opaque(len)
    }

    /// Takes a boolean or "value follows" word.
    #[inline(always)]
    fn boolean(&mut self) -> Option<bool> {
        let word = self.word()?;
        (word <= 1).then_some(word == 1)
    }
}

/// `block` is `len` bytes of data with their pad: shifts the data out of the last word instead of
/// looping over the pad.
#[inline(always)]
fn pad_is_zero(block: &[u8], len: u32) -> bool {
    let last = block.last_chunk().map_or(0, |w| u32::from_le_bytes(*w));
    len & 3 == 0 || last.wrapping_shr(len.wrapping_mul(8)) == 0
}

/// A position in one contiguous slice of bytes: the ordinary way to decode.
///
/// ```
/// use nfswire_xdr::{Cursor, Opaque};
///
/// let bytes = [0, 0, 0, 7, 0, 0, 0, 2, b'h', b'i', 0, 0];
/// let mut c = Cursor::new(&bytes);
/// let number: u32 = c.decode()?;
/// let data: Opaque<'_, 16> = c.decode()?;
/// c.finish()?;
/// assert_eq!((number, data.as_bytes()), (7, &b"hi"[..]));
/// # Ok::<(), nfswire_xdr::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    /// Offset of the end of `rest` from the start of the message.
    end: usize,
    /// Bytes of the message behind `rest` that are not at hand.
    beyond: usize,
    limits: &'a Limits,
}

impl<'a> Cursor<'a> {
    /// Reads a whole message in strict policy.
    #[inline]
    #[must_use]
    pub const fn new(message: &'a [u8]) -> Self {
        Self::with(message, &Limits::STRICT)
    }

    /// Reads a whole message within `limits`.
    #[inline]
    #[must_use]
    pub const fn with(message: &'a [u8], limits: &'a Limits) -> Self {
        Self { rest: message, end: message.len(), beyond: 0, limits }
    }

    /// Reads a message of `message_len` bytes of which only the first, `here`, have been received.
    /// If more than the message was received, leave what follows out of `here`: it would be read too.
    ///
    /// A payload that reaches beyond them decodes as [`Payload::Elsewhere`], which says where its
    /// bytes start, so that the caller can read them straight to their place. Anything else that
    /// reaches beyond is [`ErrorKind::NotHere`]. Counts are checked against `message_len`.
    ///
    /// The pad counts as part of the payload: it is yours to read
    /// ([`padded_len`](Payload::padded_len) bytes in all, the pad `padded_len - len` of them) and to
    /// check. The cursor goes on behind it, where nothing is at hand; the guide's page "head first"
    /// shows how fields that follow are read.
    #[inline]
    #[must_use]
    pub const fn head(here: &'a [u8], message_len: u32, limits: &'a Limits) -> Self {
        let beyond = (message_len as usize).saturating_sub(here.len());
        Self { rest: here, end: here.len(), beyond, limits }
    }

    /// Offset of the next byte from the start of the message.
    #[inline]
    #[must_use]
    pub const fn position(&self) -> usize {
        self.end.saturating_sub(self.rest.len())
    }

    /// Bytes that the message still has, at hand or not.
    #[inline]
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.rest.len().saturating_add(self.beyond)
    }

    /// Bytes at hand that have not been read.
    #[inline]
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The limits in force.
    #[inline]
    #[must_use]
    pub const fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Reads one value. On an error the position does not move.
    ///
    /// # Errors
    /// The first fault in the bytes, found by a second pass over the value.
    #[inline]
    pub fn decode<T: Decode<'a>>(&mut self) -> Result<T, DecodeError> {
        let mut c = *self;
        if let Some(value) = T::decode(&mut c) {
            *self = c;
            Ok(value)
        } else {
            Err(fault::<T>(*self))
        }
    }

    /// Ends the message.
    ///
    /// # Errors
    /// [`ErrorKind::Trailing`] in strict policy if bytes are left over.
    #[inline]
    pub fn finish(self) -> Result<(), DecodeError> {
        let left = self.remaining();
        if left == 0 || self.limits.lenient() {
            return Ok(());
        }
        let kind = ErrorKind::Trailing(saturate(left));
        Err(DecodeError { kind, offset: saturate(self.position()), field: None })
    }

    /// Reads a linked list element by element, without checking the rest of it beforehand: the fast
    /// way through a long list at the end of a message. [`Stream::finish`] gives the cursor behind
    /// the list.
    #[inline]
    pub const fn stream<T: Decode<'a>>(self) -> Stream<'a, T> {
        Stream { cursor: self, left: self.limits.max_items, end: None, _item: PhantomData }
    }

    /// What is behind the next `len` bytes, and these bytes; all of them if there are fewer.
    #[cfg(feature = "nom")]
    pub(crate) fn split(&self, len: usize) -> (Self, Self) {
        let (front, back) = self.rest.split_at(len.min(self.rest.len()));
        let end = self.position().saturating_add(front.len());
        (Self { rest: back, ..*self }, Self { rest: front, end, beyond: 0, ..*self })
    }

    fn probe(&self) -> Probe<'a> {
        Probe::new(self.rest, &[], self.beyond, self.end.saturating_add(self.beyond), self.limits)
    }
}

impl sealed::Sealed for Cursor<'_> {}

impl<'a> Source<'a> for Cursor<'a> {
    #[inline(always)]
    fn lenient(&self) -> bool {
        self.limits.lenient()
    }

    #[inline(always)]
    fn limits(&self) -> &'a Limits {
        self.limits
    }

    #[inline(always)]
    fn remaining(&self) -> usize {
        self.rest.len().saturating_add(self.beyond)
    }

    #[inline(always)]
    fn block(&mut self, len: usize) -> Option<&'a [u8]> {
        let (block, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(block)
    }

    /// The length word, the data and the pad as one block: one check fewer, and the last word
    /// always exists.
    #[inline(always)]
    fn variable(&mut self, limit: u32) -> Option<&'a [u8]> {
        let (len, body) = self.rest.split_first_chunk()?;
        let len = u32::from_be_bytes(*len);
        if len > limit {
            return None;
        }
        let n = usize::try_from(len).ok()?;
        if n & 3 == 0 {
            let (data, rest) = body.split_at_checked(n)?;
            self.rest = rest;
            return Some(data);
        }
        let (block, rest) = body.split_at_checked((n | 3).wrapping_add(1))?;
        let last = u32::from_le_bytes(*block.last_chunk()?);
        if last.wrapping_shr(len.wrapping_mul(8)) != 0 && !self.lenient() {
            return None;
        }
        self.rest = rest;
        block.split_last()?.1.get(..n)
    }

    #[inline(always)]
    fn payload(&mut self, len: u32) -> Option<Payload<'a>> {
        if len > self.limits.max_payload {
            return None;
        }
        let padded = usize::try_from(padded(len)).ok()?;
        let Some(beyond) = padded.checked_sub(self.rest.len()).filter(|n| *n > 0) else {
            return self.opaque(len).map(Payload::Borrowed);
        };
        let at = u32::try_from(self.position()).ok()?;
        self.beyond = self.beyond.checked_sub(beyond)?;
        self.end = self.end.saturating_add(beyond);
        self.rest = &[];
        Some(Payload::Elsewhere { at, len })
    }

    #[inline(always)]
    fn with<R>(&mut self, f: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        let mut local = *self;
        let value = f(&mut local)?;
        *self = local;
        Some(value)
    }

    fn list<T: Decode<'a>>(&mut self, count: Option<u32>, limit: u32) -> Option<(&'a [u8], u32)> {
        let start = self.rest;
        let mut c = *self;
        let count = match count {
            Some(count) => {
                if T::FIXED {
                    let len = usize::try_from(count).ok()?.checked_mul(T::MIN_LEN as usize)?;
                    let mut run = Run(c.block(len)?);
                    let lenient = c.lenient();
                    (0..count).try_for_each(|_| run.block::<T>(lenient).map(drop))?;
                } else {
                    (0..count).try_for_each(|_| T::decode(&mut c).map(drop))?;
                }
                count
            }
            None => {
                let mut count = 0u32;
                loop {
                    let before = c.rest;
                    if !c.boolean()? {
                        if c.end != self.end {
                            return None;
                        }
                        // The last word is not kept.
                        let len = start.len().checked_sub(before.len())?;
                        *self = c;
                        return Some((start.get(..len)?, count));
                    }
                    if count >= limit {
                        return None;
                    }
                    count = count.wrapping_add(1);
                    T::decode(&mut c)?;
                }
            }
        };
        // A payload that lies elsewhere has no bytes to hand out.
        if c.end != self.end {
            return None;
        }
        let len = start.len().checked_sub(c.rest.len())?;
        *self = c;
        Some((start.get(..len)?, count))
    }
}

/// Reads the elements of a linked list one at a time; see [`Cursor::stream`].
///
/// It ends at the end of the list or at a fault; [`finish`](Self::finish) tells which.
///
/// ```
/// use nfswire_xdr::Cursor;
///
/// let bytes = [0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1];
/// let mut list = Cursor::new(&bytes).stream::<u32>();
/// assert_eq!(list.by_ref().collect::<Vec<_>>(), [7, 9]);
/// let mut c = list.finish()?;
/// assert!(c.decode::<bool>()?);
/// # Ok::<(), nfswire_xdr::DecodeError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "errors are only seen by `finish`"]
pub struct Stream<'a, T> {
    /// Without bytes once the end is known, so that `next` need not ask for it.
    cursor: Cursor<'a>,
    /// Elements that the limits still allow.
    left: u32,
    end: Option<End<'a>>,
    _item: PhantomData<fn() -> T>,
}

#[derive(Clone, Copy, Debug)]
enum End<'a> {
    /// What is behind the list.
    Reached(&'a [u8]),
    /// What starts with the word before the element.
    Fault(&'a [u8]),
}

impl<'a, T: Decode<'a>> Stream<'a, T> {
    /// Steps over what is left of the list and gives the cursor behind it.
    ///
    /// # Errors
    /// The first fault in the list.
    #[inline]
    pub fn finish(mut self) -> Result<Cursor<'a>, DecodeError> {
        while self.next().is_some() {}
        match self.end {
            Some(End::Reached(rest)) => Ok(Cursor { rest, ..self.cursor }),
            Some(End::Fault(rest)) => {
                Err(stream_fault::<T>(Cursor { rest, ..self.cursor }, self.left))
            }
            None => Err(stream_fault::<T>(self.cursor, self.left)),
        }
    }

    #[inline]
    fn end(&mut self, end: End<'a>) {
        self.cursor.rest = &[];
        self.end.get_or_insert(end);
    }
}

impl<'a, T: Decode<'a>> Iterator for Stream<'a, T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        let before = self.cursor.rest;
        match self.cursor.boolean() {
            Some(true) => {
                if let Some(left) = self.left.checked_sub(1)
                    && let Some(item) = T::decode(&mut self.cursor)
                {
                    self.left = left;
                    return Some(item);
                }
            }
            Some(false) => {
                self.end(End::Reached(self.cursor.rest));
                return None;
            }
            None => {}
        }
        self.end(End::Fault(before));
        None
    }
}

#[cold]
#[inline(never)]
fn stream_fault<'a, T: Decode<'a>>(c: Cursor<'a>, left: u32) -> DecodeError {
    let mut p = c.probe();
    let limit = c.limits.max_items;
    let items = limit.saturating_sub(left);
    match check_link::<T>(&mut p, items, limit) {
        Err(e) => e,
        Ok(_) => p.error(ErrorKind::Contradiction),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn fault<'a, T: Decode<'a>>(c: Cursor<'a>) -> DecodeError {
    let mut p = c.probe();
    match T::check(&mut p) {
        Err(e) => e,
        Ok(()) => p.error(ErrorKind::Contradiction),
    }
}

/// Decodes one value that fills all of `bytes`, in strict policy.
///
/// # Errors
/// The first fault in the bytes, or [`ErrorKind::Trailing`].
#[inline]
pub fn from_bytes<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Result<T, DecodeError> {
    let mut c = Cursor::new(bytes);
    // One result, returned where it was made: `?` would move the value out of it and into another.
    let mut result = c.decode();
    if result.is_ok()
        && let Err(error) = c.finish()
    {
        result = Err(error);
    }
    result
}

/// Decodes a value once more, slowly, and says along which fields the first fault lies.
///
/// `bytes` start where the value starts and go to the end of the message, and `limits` are those of
/// the cursor that failed: then the error is the same, but that its offset counts from the start of
/// `bytes`. That is [`Cursor::rest`] of a cursor whose `decode` has failed, since it does not move.
/// Only a message that is all in one slice can be explained.
///
/// `None` if the bytes start with a value of the type: bytes left over behind it are not looked at.
///
/// ```
/// use nfswire_xdr::{Cursor, Limits, explain};
///
/// let mut c = Cursor::new(&[0, 0, 0, 7, 0, 0, 0, 2]);
/// c.decode::<u32>()?;
/// let error = c.decode::<bool>().unwrap_err();
/// assert_eq!(error.to_string(), "at byte 4: 2 is not a boolean");
/// let explanation = explain::<bool>(c.rest(), &Limits::STRICT).unwrap();
/// assert_eq!(explanation.to_string(), "at byte 0: 2 is not a boolean");
/// # Ok::<(), nfswire_xdr::DecodeError>(())
/// ```
#[must_use]
pub fn explain<'a, T: Decode<'a>>(bytes: &'a [u8], limits: &'a Limits) -> Option<Explanation> {
    let mut p = Cursor::with(bytes, limits).probe();
    let error = T::check(&mut p).err()?;
    Some(Explanation { error, path: p.path() })
}

pub(crate) fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
