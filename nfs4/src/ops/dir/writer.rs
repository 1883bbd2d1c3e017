//! Writing a page of a directory within the client's byte budgets, exact to the byte.

use nfswire_xdr::{Encode, EncodeError, Encoder, Mark, Slot, Wire};
use thiserror::Error;

use super::{Entry, FIRST_COOKIE, MIN_MAXCOUNT};
use crate::{Component, Cookie, Count, Status, Verifier};

/// Whether an entry went into the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Pushed {
    /// It is in the page.
    Yes,
    /// It is `.` or `..`, which are not sent. It left no trace; the next one may follow.
    Skipped,
    /// It does not fit and left no trace. Nothing fits any more: a smaller entry behind it would
    /// leave a gap.
    Full,
}

/// Whether the page is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Finished {
    /// A whole successful reply stands in the encoder, status included.
    Answered,
    /// There is no entry and it is not the end of the directory, or not even the empty page fits.
    /// The encoder is as it was before the page: write a failure, [`Status::TOOSMALL`] when an
    /// entry was refused.
    TooSmall,
}

/// Why an entry cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PushError {
    /// 0, 1 and 2 stand for other places in a directory.
    #[error("cookie {cookie} is reserved: an entry's cookie is 3 or more")]
    ReservedCookie {
        /// The cookie.
        cookie: Cookie,
    },
    /// An entry that was pushed without a cookie has not been given one.
    #[error("the entry before has no cookie: call set_cookie before the next entry or the end")]
    NoCookie,
    /// A cookie for an entry that is not there, or that has one.
    #[error("no entry waits for a cookie: push one without a cookie first")]
    NoEntry,
    /// The encoder's error.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// "No more entries" and `eof`.
const TAIL: u64 = 8;
/// The smallest page: verifier and tail.
const SMALLEST: u64 = 8 + TAIL;
const _: () = assert!(SMALLEST == MIN_MAXCOUNT as u64);
/// The status word, which no budget counts.
const STATUS: u64 = 4;
/// The smallest `fattr4`: no words, no values.
const MIN_ATTRS: u64 = 8;

/// The "value follows" word and an entry.
///
/// Spelled out by hand because an entry's own `Encode<'p>` wants its bytes to outlive the message
/// (it must, for payloads). Names and attributes are copied into the head, so any lifetime will do:
/// a server can reuse one buffer.
struct Link<'n>(&'n Entry<'n>);

impl Wire for Link<'_> {
    const MIN_LEN: u32 = 4 + Entry::MIN_LEN;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'p> Encode<'p> for Link<'_> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        self.0.encoded_len().saturating_add(4)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.0.write(true.write(w)?)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        true.encode(e)?;
        self.0.cookie.encode(e)?;
        self.0.name.encode(e)?;
        self.0.attributes.mask.encode(e)?;
        self.0.attributes.values.encode(e)
    }
}

/// Writes a successful reply to READDIR, status word included, within the request's `dircount` and
/// `maxcount`.
///
/// `maxcount` bounds the encoded [`ReaddirOk`](super::ReaddirOk): from the verifier through `eof`,
/// the status word excluded. `dircount` bounds the sum of cookie and name over all entries, in
/// bytes on the wire; it is a hint that never keeps the first entry out, and 0 means that there is
/// none (RFC 7530, section 16.24.4; RFC 8881, section 18.23.3). An encoder with less room than
/// `maxcount` bounds the page as well; so does a smaller `maxcount` than the client's, where the
/// session's largest reply leaves less.
///
/// Dropped before [`finish`](Self::finish), for example because reading the directory failed, it
/// takes back all that it wrote, and the encoder is ready for a failure; what it held before, such
/// as earlier results of the COMPOUND, stays.
#[derive(Debug)]
pub struct ReaddirWriter<'e, 'h, 'p> {
    e: &'e mut Encoder<'h, 'p>,
    start: Mark,
    cookie_verifier: Verifier,
    /// Bytes that the body may have: the client's budget, or what the encoder has room for.
    budget: u64,
    /// Bytes that the body has, the tail included once it is open.
    used: u64,
    dircount: u64,
    dir_used: u64,
    /// Where the cookie of the last entry goes that was pushed without one.
    late: Option<[Slot; 2]>,
    /// What stands before the list is written.
    open: bool,
    empty: bool,
    full: bool,
    finished: bool,
}

impl<'e, 'h, 'p> ReaddirWriter<'e, 'h, 'p> {
    /// Starts where the encoder stands, which is behind the operation's number.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] when the encoder has no room for the smallest reply (20 bytes).
    pub fn new(
        e: &'e mut Encoder<'h, 'p>,
        cookie_verifier: Verifier,
        dircount: Count,
        maxcount: Count,
    ) -> Result<Self, EncodeError> {
        let room = e.room();
        let missing = (STATUS + SMALLEST).saturating_sub(room);
        if missing > 0 {
            return Err(EncodeError::NoSpace { missing });
        }
        Ok(Self {
            start: e.mark(),
            e,
            cookie_verifier,
            budget: u64::from(maxcount).min(room.saturating_sub(STATUS)),
            used: 0,
            dircount: if dircount == 0 { u64::MAX } else { dircount.into() },
            dir_used: 0,
            late: None,
            open: false,
            empty: true,
            full: false,
            finished: false,
        })
    }

    /// Appends an entry if it fits. Its name and attributes are copied.
    ///
    /// # Errors
    /// [`PushError::ReservedCookie`] for a cookie below 3, [`PushError::NoCookie`] when the entry
    /// before waits for one, and those of [`Encoder::put`]; nothing of the entry is left.
    #[inline]
    pub fn try_push(&mut self, entry: &Entry<'_>) -> Result<Pushed, PushError> {
        if let Some(refused) = self.admit(Some(entry.cookie), &entry.name)? {
            return Ok(refused);
        }
        let link = Link(entry);
        let len = link.encoded_len();
        if !self.fits(len) {
            return Ok(self.refuse());
        }
        self.open()?;
        self.e.put(&link)?;
        self.count(len, &entry.name);
        Ok(Pushed::Yes)
    }

    /// Appends an entry if it fits, with the attributes that `attributes` writes to the encoder:
    /// one `fattr4`. They go straight into the page, and are taken back if they are too long for
    /// it.
    ///
    /// Without a cookie, which some file systems only know when they have read the next entry,
    /// [`set_cookie`](Self::set_cookie) must follow before the next entry or the end.
    ///
    /// ```
    /// # use nfswire_nfs4::{Component, attrs::Fattr, ops::dir::{Finished, Pushed, ReaddirWriter}};
    /// # use nfswire_xdr::{Encoder, Segments};
    /// # let (mut head, mut segments) = (Vec::new(), Segments::new());
    /// # let mut e = Encoder::growable(&mut head, &mut segments);
    /// let mut page = ReaddirWriter::new(&mut e, [0; 8], 0, 4096)?;
    /// let name = Component::new(b"file").unwrap();
    /// let pushed = page.try_push_with(None, name, |e| e.put(&Fattr::default()))?;
    /// assert_eq!(pushed, Pushed::Yes);
    /// page.set_cookie(1 << 40)?;
    /// assert_eq!(page.finish(true)?, Finished::Answered);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`try_push`](Self::try_push) and of `attributes`, and
    /// [`EncodeError::Contradiction`] when it wrote less than the smallest `fattr4`, or took back
    /// what others wrote; nothing of the entry is left, and the page is as it was.
    pub fn try_push_with(
        &mut self,
        cookie: Option<Cookie>,
        name: Component<'_>,
        attributes: impl FnOnce(&mut Encoder<'h, 'p>) -> Result<(), EncodeError>,
    ) -> Result<Pushed, PushError> {
        if let Some(refused) = self.admit(cookie, &name)? {
            return Ok(refused);
        }
        let front = dir_len(&name).saturating_add(4);
        if !self.fits(front.saturating_add(MIN_ATTRS)) {
            return Ok(self.refuse());
        }
        let (mark, was_open, used) = (self.e.mark(), self.open, self.used);
        match self.write_with(cookie, &name, front, attributes) {
            Ok((len, late)) if self.fits(len) => {
                self.count(len, &name);
                self.late = late;
                return Ok(Pushed::Yes);
            }
            // What the head has no room for is no more than what the budget has none for.
            Ok(_) | Err(EncodeError::NoSpace { .. }) => self.full = true,
            Err(error) => {
                (self.open, self.used) = (was_open, used);
                self.e.rollback(mark)?;
                return Err(error.into());
            }
        }
        (self.open, self.used) = (was_open, used);
        self.e.rollback(mark)?;
        Ok(Pushed::Full)
    }

    /// Writes an entry whose attributes write themselves; its length, and where its cookie goes.
    fn write_with(
        &mut self,
        cookie: Option<Cookie>,
        name: &Component<'_>,
        front: u64,
        attributes: impl FnOnce(&mut Encoder<'h, 'p>) -> Result<(), EncodeError>,
    ) -> Result<(u64, Option<[Slot; 2]>), EncodeError> {
        self.open()?;
        self.e.put(&true)?;
        let late = match cookie {
            Some(cookie) => {
                self.e.put(&cookie)?;
                None
            }
            None => Some([self.e.reserve()?, self.e.reserve()?]),
        };
        self.e.put(name)?;
        let before = self.e.len();
        attributes(self.e)?;
        match self.e.len().checked_sub(before) {
            Some(len @ MIN_ATTRS..) => Ok((front.saturating_add(len), late)),
            _ => Err(EncodeError::Contradiction),
        }
    }

    /// Gives the last entry its cookie, if it was pushed without one.
    ///
    /// # Errors
    /// [`PushError::ReservedCookie`] for a cookie below 3, [`PushError::NoEntry`] when no entry
    /// waits for one.
    pub fn set_cookie(&mut self, cookie: Cookie) -> Result<(), PushError> {
        if cookie < FIRST_COOKIE {
            return Err(PushError::ReservedCookie { cookie });
        }
        let [high, low] = self.late.ok_or(PushError::NoEntry)?;
        let [a, b, c, d, e, f, g, h] = cookie.to_be_bytes();
        self.e.patch(high, u32::from_be_bytes([a, b, c, d]))?;
        self.e.patch(low, u32::from_be_bytes([e, f, g, h]))?;
        self.late = None;
        Ok(())
    }

    /// Ends the page. `eof` says that the directory has no entry behind those pushed; it counts as
    /// false after [`Pushed::Full`].
    ///
    /// # Errors
    /// [`PushError::NoCookie`] when the last entry waits for one, and those of [`Encoder::put`];
    /// nothing of the page is left then.
    pub fn finish(mut self, eof: bool) -> Result<Finished, PushError> {
        if self.late.is_some() {
            return Err(PushError::NoCookie);
        }
        let eof = eof && !self.full;
        if self.empty && !(eof && self.fits(0)) {
            return Ok(Finished::TooSmall);
        }
        self.open()?;
        self.e.put(&false)?;
        self.e.put(&eof)?;
        self.finished = true;
        Ok(Finished::Answered)
    }

    /// What keeps an entry out before its attributes are looked at.
    #[inline]
    fn admit(
        &mut self,
        cookie: Option<Cookie>,
        name: &Component<'_>,
    ) -> Result<Option<Pushed>, PushError> {
        if matches!(name.as_bytes(), b"." | b"..") {
            return Ok(Some(Pushed::Skipped));
        }
        if let Some(cookie @ ..FIRST_COOKIE) = cookie {
            return Err(PushError::ReservedCookie { cookie });
        }
        if self.late.is_some() {
            return Err(PushError::NoCookie);
        }
        let dir_used = self.dir_used.saturating_add(dir_len(name));
        let refused = self.full || (!self.empty && dir_used > self.dircount);
        Ok(refused.then(|| self.refuse()))
    }

    #[inline]
    fn fits(&self, len: u64) -> bool {
        let used = if self.open { self.used } else { SMALLEST };
        used.saturating_add(len) <= self.budget
    }

    const fn refuse(&mut self) -> Pushed {
        self.full = true;
        Pushed::Full
    }

    /// Writes what stands before the list, with the first entry, when it is known that it fits.
    #[inline]
    fn open(&mut self) -> Result<(), EncodeError> {
        if !self.open {
            self.e.put(&Status::OK)?;
            self.e.put(&self.cookie_verifier)?;
            self.used = SMALLEST;
            self.open = true;
        }
        Ok(())
    }

    #[inline]
    fn count(&mut self, len: u64, name: &Component<'_>) {
        self.empty = false;
        self.used = self.used.saturating_add(len);
        self.dir_used = self.dir_used.saturating_add(dir_len(name));
    }
}

/// Bytes of cookie and name: what `dircount` counts.
#[inline]
fn dir_len(name: &Component<'_>) -> u64 {
    name.encoded_len().saturating_add(8)
}

/// A page that is not finished, also because of an error, leaves no trace.
impl Drop for ReaddirWriter<'_, '_, '_> {
    fn drop(&mut self) {
        if !self.finished {
            // Stale only if attributes that write themselves went back below the page: then there
            // is nothing left to take back.
            let _: Result<(), EncodeError> = self.e.rollback(self.start);
        }
    }
}
