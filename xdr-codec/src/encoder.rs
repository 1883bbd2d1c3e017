//! Writing: headers into the caller's memory, payloads by reference.

mod marks;

use crate::{
    cursor::{padded, saturate},
    error::EncodeError,
    page::Pages,
    payload::Payload,
    segment::{Part, Segment, Segments},
    wire::Encode,
};

pub(crate) use marks::{Floors, Place};
pub use marks::{Mark, Slot};

/// The caller's memory for a message's head.
enum Store<'h> {
    #[cfg(feature = "alloc")]
    Growable(&'h mut alloc::vec::Vec<u8>),
    Fixed(&'h mut [u8]),
    Pages(&'h mut dyn Pages),
}

/// Where the encoder stands. Sums of lengths are of 64 bits and cannot wrap.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    page: u32,
    /// Next byte in the current page.
    pos: u32,
    /// Start of the head segment that is being written, in the current page; never behind `pos`.
    open: u32,
    /// Message bytes in the segments before it.
    closed: u64,
    /// Payload bytes copied into the head.
    copied: u64,
}

/// Encodes one message: all that is not payload into a head that the caller owns, payloads by
/// reference into a list of [`Segments`].
///
/// The head is a growable vector, a fixed slice or a page vector; all three give the same bytes.
/// The encoder itself is a few words and is made anew for each message; the head and the list are
/// kept and used again, and then nothing is allocated. [`finish`](Self::finish) ends the message:
/// after an encoder that was dropped without it `segments` holds none, whatever its view shows, and
/// the next encoder starts anew.
///
/// ```
/// use nfswire_xdr::{Encoder, Opaque, Payload, Segments};
///
/// let (mut head, data) = (Vec::new(), [7u8; 9]);
/// let mut segments = Segments::new();
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// e.put(&42u32)?;
/// e.put(&Payload::Borrowed(&data))?;
/// assert_eq!(e.finish(), 4 + 4 + 9 + 3);
/// let message = segments.view(&head);
/// assert_eq!(message.iter().count(), 3); // head, payload where it lies, pad
/// # Ok::<(), nfswire_xdr::EncodeError>(())
/// ```
///
/// In a loop whose payloads live for one turn only, the list would outlive what it borrows.
/// [`Segments::recycle`] hands its memory from turn to turn:
///
/// ```
/// use nfswire_xdr::{Encoder, Payload, Segments};
///
/// let (mut head, mut spare) = (Vec::new(), Segments::new());
/// for turn in 0..2 {
///     let data = vec![turn; 5];
///     let mut segments = spare.recycle();
///     let mut e = Encoder::growable(&mut head, &mut segments);
///     e.put(&Payload::Borrowed(&data))?;
///     e.finish();
///     let sent = segments.view(&head).to_vec()?;
///     assert_eq!(sent, [0, 0, 0, 5, turn, turn, turn, turn, turn, 0, 0, 0]);
///     spare = segments.recycle();
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "an encoder that is dropped without `finish` leaves no message"]
pub struct Encoder<'h, 'p> {
    store: Store<'h>,
    segments: &'h mut Segments<'p>,
    state: State,
    serial: u32,
    copy_break: u32,
}

impl core::fmt::Debug for Encoder<'_, '_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Encoder").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<'h, 'p> Encoder<'h, 'p> {
    /// Encodes into a vector that grows. Its length is its room: it never shrinks, and bytes beyond
    /// the message are left over from earlier ones. Like all encoders, it starts by clearing
    /// `segments`.
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn growable(head: &'h mut alloc::vec::Vec<u8>, segments: &'h mut Segments<'p>) -> Self {
        Self::start(Store::Growable(head), segments)
    }

    /// Encodes into a slice. It starts by clearing `segments`.
    #[inline]
    pub fn fixed(head: &'h mut [u8], segments: &'h mut Segments<'p>) -> Self {
        Self::start(Store::Fixed(head), segments)
    }

    /// Encodes into a page vector, spilling from one page to the next. It starts at the first page,
    /// and by clearing `segments`.
    #[inline]
    pub fn pages(head: &'h mut dyn Pages, segments: &'h mut Segments<'p>) -> Self {
        Self::start(Store::Pages(head), segments)
    }

    #[inline]
    fn start(store: Store<'h>, segments: &'h mut Segments<'p>) -> Self {
        segments.clear();
        Self { store, segments, state: State::default(), serial: 0, copy_break: 0 }
    }

    /// Copies payloads of up to `len` bytes into the head instead of referring to them, if they are
    /// one slice in memory: a small message is then one segment, and nothing of the caller's is kept
    /// busy. 0, the default, copies none.
    #[inline]
    pub const fn copy_break(self, len: u32) -> Self {
        Self { copy_break: len, ..self }
    }

    /// Length of the message so far, in bytes, payloads and pads included.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.state.len()
    }

    /// Whether nothing has been encoded.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Head bytes that are still free; what a growable head could still address.
    #[must_use]
    pub fn room(&self) -> u64 {
        let here = self.page().map_or(0, |page| whole_words(page.len()));
        let mut room = here.saturating_sub(self.state.pos as usize) as u64;
        match &self.store {
            #[cfg(feature = "alloc")]
            Store::Growable(_) => {
                room = u32::MAX.saturating_sub(self.state.pos).into();
            }
            Store::Fixed(_) => {}
            Store::Pages(pages) => {
                let mut index = self.state.page as usize;
                while let Some(page) = index.checked_add(1).and_then(|i| pages.page(i)) {
                    room = room.saturating_add(whole_words(page.len()) as u64);
                    index = index.saturating_add(1);
                }
            }
        }
        room
    }

    /// Appends a value: all of it, or on an error nothing.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] when the head is full, [`EncodeError::NotHere`] for a payload whose
    /// bytes are elsewhere, [`EncodeError::Contradiction`] for a union whose carried discriminant
    /// belongs to another arm.
    // By force: in a caller that makes the encoder, its words then stay in registers.
    #[inline(always)]
    pub fn put<T: Encode<'p> + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        if self.try_whole(value) { Ok(()) } else { self.apart(|e| e.put_parts(value)) }
    }

    /// Runs `f` on a copy. Where the encoder is handed to code that is not inlined, only the copy
    /// has to be in memory.
    #[inline(always)]
    fn apart<R>(&mut self, f: impl FnOnce(&mut Encoder<'_, 'p>) -> R) -> R {
        let store = match &mut self.store {
            #[cfg(feature = "alloc")]
            Store::Growable(vec) => Store::Growable(vec),
            Store::Fixed(slice) => Store::Fixed(slice),
            Store::Pages(pages) => Store::Pages(*pages),
        };
        let Self { state, serial, copy_break, .. } = *self;
        let mut e = Encoder { store, segments: self.segments, state, serial, copy_break };
        let result = f(&mut e);
        (self.state, self.serial) = (e.state, e.serial);
        result
    }

    /// The same as [`try_whole`](Self::try_whole), for fields.
    #[inline]
    pub(crate) fn put_whole<T: Encode<'p> + ?Sized>(&mut self, value: &T) -> bool {
        self.try_whole(value)
    }

    /// The fast path: the value, and the pad of its payload, in one window of the current page.
    /// False leaves everything as it was.
    #[inline(always)]
    fn try_whole<T: Encode<'p> + ?Sized>(&mut self, value: &T) -> bool {
        if !T::TAIL || (T::LONG && matches!(self.store, Store::Pages(_))) {
            return false;
        }
        if !T::INLINE {
            return match value.tail() {
                Some(Payload::Borrowed(data)) => self.put_slice(value, data).is_some(),
                _ => self.apart(|e| e.put_tail(value)).is_some(),
            };
        }
        let Some((end, window)) = self.space(value.encoded_len()) else { return false };
        let whole = matches!(value.write(window), Some([]));
        if whole {
            self.state.pos = end;
        }
        whole
    }

    /// A value that ends with the bytes of `data`: what [`put_tail`](Self::put_tail) does too, but
    /// for one slice, which is most payloads.
    #[inline(always)]
    fn put_slice<T: Encode<'p> + ?Sized>(&mut self, value: &T, data: &'p [u8]) -> Option<()> {
        let len = u32::try_from(data.len()).ok()?;
        if len <= self.copy_break || len % 4 > 0 {
            return self.apart(|e| e.put_tail(value));
        }
        let (end, window) = self.space(value.encoded_len().wrapping_sub(padded(len)))?;
        match value.write(window)? {
            [a, b, c, d] => [*a, *b, *c, *d] = len.to_be_bytes(),
            _ => return None,
        }
        let State { page, open: start, .. } = self.state;
        let head = Part { page, start, len: end.wrapping_sub(start) };
        if self.segments.begin(head, data) {
            self.state.closed = u64::from(head.len).wrapping_add(len.into());
            self.state.open = end;
        } else {
            self.segments.reserve(2).ok()?;
            self.refer(end, len, |segments| {
                segments.push(Segment::Payload(Payload::Borrowed(data)));
            });
        }
        self.state.pos = end;
        Some(())
    }

    /// A value that ends with a payload, or has none.
    #[cold]
    #[inline(never)]
    fn put_tail<T: Encode<'p> + ?Sized>(&mut self, value: &T) -> Option<()> {
        let Some(payload) = value.tail() else {
            let (end, window) = self.space(value.encoded_len())?;
            value.write(window)?.is_empty().then_some(())?;
            self.state.pos = end;
            return Some(());
        };
        let len = payload.len();
        let inline = value.encoded_len().wrapping_sub(padded(len));
        if len <= self.copy_break
            && let Some(data) = payload.as_slice()
        {
            return self.put_copied(value, inline, data);
        }
        // One that lies elsewhere is refused even if it is empty, as by the slow path.
        check_payload(payload).ok()?;
        let end = self.put_inline(value, inline, len)?;
        if len > 0 {
            self.segments.reserve(payload.segments().wrapping_add(1)).ok()?;
            self.refer(end, len, |segments| push_payload(segments, payload));
        }
        self.state.pos = end;
        Some(())
    }

    /// Writes what is not payload, `inline` bytes, and a word for the pad of a payload of `len`
    /// bytes if it has one. Where that ends; the encoder stays where it is.
    #[inline(always)]
    fn put_inline<T: Encode<'p> + ?Sized>(
        &mut self,
        value: &T,
        inline: u64,
        len: u32,
    ) -> Option<u32> {
        let odd = !len.is_multiple_of(4);
        let (end, window) = self.space(inline.wrapping_add(if odd { 4 } else { 0 }))?;
        match value.write(window)? {
            [a, b, c, d] if !odd => [*a, *b, *c, *d] = len.to_be_bytes(),
            [a, b, c, d, pad @ ..] if odd && pad.len() == 4 => {
                [*a, *b, *c, *d] = len.to_be_bytes();
                pad.fill(0);
            }
            _ => return None,
        }
        Some(end)
    }

    /// Puts a payload of `len` bytes behind the head segment that is being written, before the word
    /// of its pad, which ends at `end`. There is room for the segments.
    #[inline(always)]
    fn refer(&mut self, end: u32, len: u32, push: impl FnOnce(&mut Segments<'p>)) {
        let before = before_pad(end, len);
        self.close(before);
        push(self.segments);
        self.state.closed = self.state.closed.wrapping_add(len.into());
        // The payload's odd bytes are skipped in the head; see `payload`.
        self.state.open = before.wrapping_add(len % 4);
    }

    /// The value and a copy of its payload.
    #[inline(never)]
    fn put_copied<T: Encode<'p> + ?Sized>(
        &mut self,
        value: &T,
        inline: u64,
        data: &[u8],
    ) -> Option<()> {
        let len = u32::try_from(data.len()).ok()?;
        let (end, window) = self.space(inline.wrapping_add(padded(len)))?;
        let whole = value.write(window).and_then(<[u8]>::split_first_chunk_mut).is_some_and(
            |(word, rest)| {
                *word = len.to_be_bytes();
                let fits = rest.len() as u64 == padded(len);
                if let Some(last) = rest.last_chunk_mut() {
                    *last = [0; 4];
                }
                match rest.get_mut(..data.len()) {
                    Some(to) if fits => {
                        to.copy_from_slice(data);
                        true
                    }
                    _ => false,
                }
            },
        );
        if !whole {
            return None;
        }
        self.state.pos = end;
        self.count_copied(data.len() as u64);
        Some(())
    }

    /// The slow path: field by field.
    #[cold]
    #[inline(never)]
    fn put_parts<T: Encode<'p> + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        let before = self.place();
        value
            .encode_fields(self)
            .map_err(|error| self.refuse(before, head_len(value, self.copy_break), error))
    }

    #[cold]
    fn refuse(&mut self, before: Place, len: u64, error: EncodeError) -> EncodeError {
        self.restore(before);
        match error {
            EncodeError::NoSpace { missing } => {
                EncodeError::NoSpace { missing: len.saturating_sub(self.room()).max(missing) }
            }
            other => other,
        }
    }

    /// Ends the message and returns its length in bytes. Only now do the segments and the head make
    /// up a message.
    #[inline]
    #[allow(clippy::must_use_candidate)]
    pub fn finish(self) -> u64 {
        let total = self.len();
        let State { page, pos, open: start, .. } = self.state;
        self.segments.end(Part { page, start, len: pos.wrapping_sub(start) }, total);
        total
    }

    /// Kept in the list at once: few messages copy anything.
    const fn count_copied(&mut self, bytes: u64) {
        self.state.copied = self.state.copied.wrapping_add(bytes);
        self.segments.copied = self.state.copied;
    }

    /// The next `len` bytes of the head and where they end, or `None` if the current page has no
    /// such room. The encoder stays where it is.
    #[inline(always)]
    fn space(&mut self, len: u64) -> Option<(u32, &mut [u8])> {
        space(&mut self.store, &self.state, len)
    }

    /// A window of `len` bytes at the end of the head, or `None` if the current page has no such
    /// room. What is not written to it is undefined, so write all of it.
    #[inline]
    pub(crate) fn window(&mut self, len: u64) -> Option<&mut [u8]> {
        let (end, window) = space(&mut self.store, &self.state, len)?;
        self.state.pos = end;
        Some(window)
    }

    /// Lets `f` write into what is left of the current page, from its start on; it returns how many
    /// bytes it wrote, whole words.
    #[inline]
    pub(crate) fn fill(&mut self, f: impl FnOnce(&mut [u8]) -> usize) {
        let pos = self.state.pos as usize;
        let end = |page: &[u8]| whole_words(page.len().min(u32::MAX as usize));
        let page = self.page_mut(self.state.page);
        if let Some(window) = page.and_then(|page| page.get_mut(pos..end(page))) {
            let wrote = f(window);
            self.state.pos = saturate(pos.saturating_add(wrote));
        }
    }

    fn page(&self) -> Option<&[u8]> {
        match &self.store {
            #[cfg(feature = "alloc")]
            Store::Growable(vec) => Some(vec),
            Store::Fixed(slice) => Some(slice),
            Store::Pages(pages) => pages.page(self.state.page as usize),
        }
    }

    fn page_mut(&mut self, index: u32) -> Option<&mut [u8]> {
        match &mut self.store {
            #[cfg(feature = "alloc")]
            Store::Growable(vec) => Some(vec),
            Store::Fixed(slice) => Some(slice),
            Store::Pages(pages) => pages.page_mut(index as usize),
        }
    }

    /// Closes the head segment that is being written, before `end`. There is room for it.
    #[inline]
    fn close(&mut self, end: u32) {
        let State { page, open: start, .. } = self.state;
        if end > start {
            let len = end.wrapping_sub(start);
            self.segments.push(Segment::Head(Part { page, start, len }));
            self.state.closed = self.state.closed.wrapping_add(len.into());
        }
    }

    /// Goes to the next page that has room for a word.
    #[cold]
    fn turn_page(&mut self) -> Result<(), EncodeError> {
        let full = EncodeError::NoSpace { missing: 4 };
        let Store::Pages(pages) = &self.store else { return Err(full) };
        let mut next = self.state.page;
        loop {
            next = next.checked_add(1).ok_or(full)?;
            if whole_words(pages.page(next as usize).ok_or(full)?.len()) > 0 {
                break;
            }
        }
        // Nothing has changed so far: two states of one length would be one place to a mark.
        self.segments.reserve(1)?;
        self.close(self.state.pos);
        self.state.page = next;
        self.state.pos = 0;
        self.state.open = 0;
        Ok(())
    }

    /// Appends one word.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] when the head is full.
    #[inline]
    pub fn word(&mut self, word: u32) -> Result<(), EncodeError> {
        self.put_word(word)
    }

    #[inline(always)]
    fn put_word(&mut self, word: u32) -> Result<(), EncodeError> {
        match self.window(4).and_then(|w| w.first_chunk_mut()) {
            Some(window) => {
                *window = word.to_be_bytes();
                Ok(())
            }
            None => self.apart(|e| e.copy(&word.to_be_bytes())),
        }
    }

    /// Appends bytes and their pad, across pages.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] when the head is full; some of the bytes may then be there.
    pub fn copy(&mut self, mut data: &[u8]) -> Result<(), EncodeError> {
        while !data.is_empty() {
            let len = padded(u32::try_from(data.len()).unwrap_or(u32::MAX));
            if let Some(window) = self.window(len) {
                if let Some(last) = window.last_chunk_mut() {
                    *last = [0; 4];
                }
                window
                    .get_mut(..data.len())
                    .ok_or(EncodeError::Contradiction)?
                    .copy_from_slice(data);
                return Ok(());
            }
            // Fill the page; its room is whole words, so the pad stays with the last bytes.
            let room = self.page().map_or(0, |page| whole_words(page.len()));
            let here = room.saturating_sub(self.state.pos as usize).min(data.len());
            if let (Some((first, rest)), Some(window)) =
                (data.split_at_checked(here), self.window(here as u64))
            {
                window.copy_from_slice(first);
                data = rest;
            }
            self.turn_page()?;
        }
        Ok(())
    }

    /// Appends the bytes and pad of a payload whose length word stands at the end of the head.
    ///
    /// # Errors
    /// [`EncodeError::NotHere`] if it has no bytes, [`EncodeError::NoSpace`] if the pad does not fit.
    pub(crate) fn payload(&mut self, payload: &Payload<'p>) -> Result<(), EncodeError> {
        let len = payload.len();
        check_payload(payload)?;
        if len == 0 {
            return Ok(());
        }
        if len <= self.copy_break
            && let Some(data) = payload.as_slice()
        {
            self.count_copied(len.into());
            return self.copy(data);
        }
        self.segments.reserve(payload.segments().saturating_add(1))?;
        self.close(self.state.pos);
        self.state.open = self.state.pos;
        push_payload(self.segments, payload);
        self.state.closed = self.state.closed.wrapping_add(len.into());
        let tail = len % 4;
        if tail > 0 {
            if self.window(4).is_none() {
                self.turn_page()?;
                self.window(4).ok_or(EncodeError::NoSpace { missing: 4 })?;
            }
            // Slack: the payload's odd bytes are skipped in the head, so that its words stay on
            // words and the pad shares a segment with what follows.
            let start = self.state.pos.saturating_sub(4);
            self.state.open = start.saturating_add(tail);
            let page = self.state.page;
            if let Some(word) =
                self.page_mut(page).and_then(|p| p.get_mut(start as usize..)?.first_chunk_mut())
            {
                *word = [0; 4];
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn space<'x>(store: &'x mut Store<'_>, state: &State, len: u64) -> Option<(u32, &'x mut [u8])> {
    // Head segments are addressed with 32 bits. Every value's length is a multiple of four.
    let wide = u64::from(state.pos).checked_add(len)?;
    let end = u32::try_from(wide).ok()?;
    let range = state.pos as usize..usize::try_from(wide).ok()?;
    let window = match store {
        #[cfg(feature = "alloc")]
        Store::Growable(vec) => {
            if range.end > vec.len() {
                grow(vec, range.end)?;
            }
            vec.get_mut(range)?
        }
        Store::Fixed(slice) => slice.get_mut(range)?,
        Store::Pages(pages) => pages.page_mut(state.page as usize)?.get_mut(range)?,
    };
    Some((end, window))
}

/// Where the head segment before a payload of `len` bytes ends, when the word of its pad ends at
/// `end`.
#[inline(always)]
const fn before_pad(end: u32, len: u32) -> u32 {
    if len.is_multiple_of(4) { end } else { end.wrapping_sub(4) }
}

/// Appends the segments of a payload, for which there is room.
fn push_payload<'p>(segments: &mut Segments<'p>, payload: &Payload<'p>) {
    if let Payload::Scattered(slices) = payload {
        for (i, slice) in slices.slices().enumerate() {
            segments.push(match i {
                0 => Segment::Payload(Payload::Borrowed(slice)),
                _ => Segment::More(slice),
            });
        }
    } else {
        segments.push(Segment::Payload(payload.clone()));
    }
}

/// Whether a payload has bytes, and as many as its length word can say.
#[inline]
fn check_payload(payload: &Payload<'_>) -> Result<(), EncodeError> {
    if matches!(payload, Payload::Elsewhere { .. }) {
        return Err(EncodeError::NotHere);
    }
    match payload.as_slice() {
        Some(data) if data.len() as u64 > u64::from(u32::MAX) => {
            Err(EncodeError::TooLong { len: data.len() as u64, limit: u32::MAX.into() })
        }
        _ => Ok(()),
    }
}

impl State {
    /// Length of the message so far.
    #[inline]
    const fn len(&self) -> u64 {
        self.closed.wrapping_add(self.pos.wrapping_sub(self.open) as u64)
    }
}

/// Head bytes that a value takes, at least: a payload that is not copied takes none but for its pad.
fn head_len<'p, T: Encode<'p> + ?Sized>(value: &T, copy_break: u32) -> u64 {
    if !T::TAIL {
        return 0;
    }
    let total = value.encoded_len();
    let payload = if T::INLINE { None } else { value.tail() };
    match payload.map(|p| (p.len(), p.as_slice())) {
        Some((len, data)) if data.is_none() || len > copy_break => {
            let slack = if len % 4 > 0 { 4 } else { 0 };
            total.saturating_sub(padded(len)).saturating_add(slack)
        }
        _ => total,
    }
}

const fn whole_words(len: usize) -> usize {
    len & !3
}

/// Makes a growable head longer, at least doubling it; `None` if there is no memory.
#[cfg(feature = "alloc")]
#[cold]
fn grow(vec: &mut alloc::vec::Vec<u8>, end: usize) -> Option<()> {
    let len = end.max(vec.len().saturating_mul(2)).max(256).checked_next_multiple_of(4)?;
    vec.try_reserve_exact(len.checked_sub(vec.len())?).ok()?;
    vec.resize(len, 0);
    Some(())
}
