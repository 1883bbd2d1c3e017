//! Taking back and filling in: marks, rollbacks and reserved words.

use super::{Encoder, State};
use crate::error::EncodeError;

/// A state to go back to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    state: State,
    segments: usize,
}

/// A place to roll back to, from [`Encoder::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    serial: u32,
    place: Place,
}

/// One word to be filled in later, from [`Encoder::reserve`].
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    serial: u32,
    page: u32,
    pos: u32,
    /// Length of the message behind the word.
    end: u64,
}

/// Rollbacks that make older marks and slots stale: a mark is stale if a later rollback went below
/// it. The entries rise in both parts; when there are too many, the oldest two merge into one that
/// refuses more than it must, never less.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Floors {
    entries: [(u32, u64); 4],
    used: usize,
}

impl Floors {
    pub(crate) const fn clear(&mut self) {
        self.used = 0;
    }

    #[inline]
    fn is_stale(&self, serial: u32, end: u64) -> bool {
        self.used > 0 && self.is_behind(serial, end)
    }

    fn is_behind(&self, serial: u32, end: u64) -> bool {
        self.entries.iter().take(self.used).any(|(at, floor)| *at > serial && *floor < end)
    }

    fn add(&mut self, serial: u32, floor: u64) {
        while let Some((_, last)) = self.used.checked_sub(1).and_then(|i| self.entries.get(i))
            && *last >= floor
        {
            self.used = self.used.saturating_sub(1);
        }
        if self.used == self.entries.len() {
            let [(_, lowest), (newer, _), c, d] = self.entries;
            self.entries = [(newer, lowest), c, d, (0, 0)];
            self.used = self.used.saturating_sub(1);
        }
        if let Some(entry) = self.entries.get_mut(self.used) {
            *entry = (serial, floor);
            self.used = self.used.saturating_add(1);
        }
    }
}

impl Mark {
    const fn end(&self) -> u64 {
        self.place.state.len()
    }
}

impl Encoder<'_, '_> {
    /// Runs `f`, and takes back all that it appended if it fails.
    ///
    /// ```
    /// # use nfswire_xdr::{EncodeError, Encoder, Segments};
    /// # let mut head = Vec::new();
    /// # let mut segments = Segments::new();
    /// # let mut e = Encoder::growable(&mut head, &mut segments);
    /// e.put(&1u32)?;
    /// let tried = e.attempt(|e| {
    ///     e.put(&2u32)?;
    ///     Err::<(), _>(EncodeError::NotHere)
    /// });
    /// assert!(tried.is_err());
    /// assert_eq!(e.len(), 4);
    /// # Ok::<(), EncodeError>(())
    /// ```
    ///
    /// # Errors
    /// Those of `f`.
    pub fn attempt<R, E>(&mut self, f: impl FnOnce(&mut Self) -> Result<R, E>) -> Result<R, E> {
        let here = self.place();
        let outer = core::mem::replace(&mut self.segments.lowest, here);
        let result = f(self);
        if result.is_err() {
            // Where `f` began, or the end of what its own rollbacks have left of that.
            self.roll(self.segments.lowest);
        }
        if outer.state.len() < self.segments.lowest.state.len() {
            self.segments.lowest = outer;
        }
        result
    }

    /// Marks the end of what has been encoded so far.
    ///
    /// A mark belongs to its encoder; used with another one it gives a wrong message, never a panic.
    #[inline]
    pub fn mark(&mut self) -> Mark {
        self.serial = self.serial.saturating_add(1);
        Mark { serial: self.serial, place: self.place() }
    }

    /// Takes back everything, payloads too, that was appended behind `mark`.
    ///
    /// # Errors
    /// [`EncodeError::Stale`] if an earlier rollback went below the mark.
    pub fn rollback(&mut self, mark: Mark) -> Result<(), EncodeError> {
        if self.segments.floors.is_stale(mark.serial, mark.end()) || mark.end() > self.len() {
            return Err(EncodeError::Stale);
        }
        self.roll(mark.place);
        Ok(())
    }

    fn roll(&mut self, place: Place) {
        self.restore(place);
        self.serial = self.serial.saturating_add(1);
        self.segments.floors.add(self.serial, self.len());
        if self.len() < self.segments.lowest.state.len() {
            self.segments.lowest = place;
        }
    }

    pub(super) fn restore(&mut self, place: Place) {
        self.segments.truncate(place.segments);
        self.state = place.state;
        self.segments.copied = self.state.copied;
    }

    pub(super) fn place(&self) -> Place {
        Place { state: self.state, segments: self.segments.listed() }
    }

    /// Appends a word of zero that [`patch`](Self::patch) fills in later.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] when the head is full.
    #[inline(always)]
    pub fn reserve(&mut self) -> Result<Slot, EncodeError> {
        self.put_word(0)?;
        self.serial = self.serial.saturating_add(1);
        // The word may have gone to a new page: count back from where the encoder stands.
        let pos = self.state.pos.saturating_sub(4);
        Ok(Slot { serial: self.serial, page: self.state.page, pos, end: self.len() })
    }

    /// Fills in a reserved word.
    ///
    /// # Errors
    /// [`EncodeError::Stale`] if the word was rolled back.
    #[inline(always)]
    pub fn patch(&mut self, slot: Slot, word: u32) -> Result<(), EncodeError> {
        if self.segments.floors.is_stale(slot.serial, slot.end) || slot.end > self.len() {
            return Err(EncodeError::Stale);
        }
        let bytes = self.page_mut(slot.page).and_then(|page| page.get_mut(slot.pos as usize..));
        let bytes = bytes.and_then(|b| b.first_chunk_mut()).ok_or(EncodeError::Stale)?;
        *bytes = word.to_be_bytes();
        Ok(())
    }
}
