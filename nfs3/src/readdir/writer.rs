//! Writing a page of a directory within the client's byte budgets, exact to the byte.

use nfswire_xdr::{Encode, EncodeError, Encoder, Mark, Wire};

use super::{Entry, EntryPlus};
use crate::{CookieVerifier, Count, PostOpAttr, Status};

/// Whether an entry went into the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Pushed {
    /// It is in the page.
    Yes,
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

/// "No more entries" and `eof`.
const TAIL: u64 = 8;
/// The smallest page: absent attributes, verifier, tail.
const SMALLEST: u64 = 4 + 8 + TAIL;
/// The status word, which no budget counts.
const STATUS: u64 = 4;

/// A node of one of the two lists.
///
/// Spelled out by hand because an entry's own `Encode<'p>` wants its bytes to outlive the message
/// (it must, for payloads). Names are copied into the head, so any lifetime will do: a server can
/// reuse one name buffer.
pub(crate) trait Node {
    /// Bytes of the entry, without the "value follows" word.
    fn entry_len(&self) -> u64;
    /// Bytes of fileid, name and cookie: what `dircount` counts.
    fn dir_len(&self) -> u64;
    fn write_entry<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]>;
    fn encode_entry(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError>;
}

impl Node for Entry<'_> {
    #[inline]
    fn entry_len(&self) -> u64 {
        self.encoded_len()
    }

    #[inline]
    fn dir_len(&self) -> u64 {
        self.encoded_len()
    }

    #[inline]
    fn write_entry<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.write(w)
    }

    fn encode_entry(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.fileid.encode(e)?;
        self.name.encode(e)?;
        self.cookie.encode(e)
    }
}

impl Node for EntryPlus<'_> {
    #[inline]
    fn entry_len(&self) -> u64 {
        self.encoded_len()
    }

    #[inline]
    fn dir_len(&self) -> u64 {
        Entry { fileid: self.fileid, name: self.name, cookie: self.cookie }.encoded_len()
    }

    #[inline]
    fn write_entry<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.write(w)
    }

    fn encode_entry(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
        self.fileid.encode(e)?;
        self.name.encode(e)?;
        self.cookie.encode(e)?;
        self.name_attributes.encode(e)?;
        self.name_handle.encode(e)
    }
}

/// The "value follows" word and a node.
pub(crate) struct Link<'n, T>(pub(crate) &'n T);

impl<T> Wire for Link<'_, T> {
    const MIN_LEN: u32 = 4;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'p, T: Node> Encode<'p> for Link<'_, T> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        self.0.entry_len().saturating_add(4)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.0.write_entry(true.write(w)?)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        true.encode(e)?;
        self.0.encode_entry(e)
    }
}

/// What both writers share. The front of the page is written with the first entry, when it is known
/// whether the directory's attributes have room.
#[derive(Debug)]
struct Page<'e, 'h, 'p> {
    e: &'e mut Encoder<'h, 'p>,
    start: Mark,
    dir_attributes: PostOpAttr,
    cookie_verifier: CookieVerifier,
    /// Bytes that the body may have: the client's budget, or what the encoder has room for.
    budget: u64,
    /// Bytes that the body has, the tail included once it is open.
    used: u64,
    open: bool,
    full: bool,
    finished: bool,
}

impl<'e, 'h, 'p> Page<'e, 'h, 'p> {
    fn new(
        e: &'e mut Encoder<'h, 'p>,
        dir_attributes: PostOpAttr,
        cookie_verifier: CookieVerifier,
        budget: Count,
    ) -> Result<Self, EncodeError> {
        let room = e.room();
        let missing = (STATUS + SMALLEST).saturating_sub(room);
        if missing > 0 {
            return Err(EncodeError::NoSpace { missing });
        }
        let budget = u64::from(budget).min(room.saturating_sub(STATUS));
        let start = e.mark();
        let (used, open, full, finished) = (0, false, false, false);
        Ok(Self { e, start, dir_attributes, cookie_verifier, budget, used, open, full, finished })
    }

    fn fits(&self, len: u64) -> bool {
        self.used.saturating_add(len) <= self.budget
    }

    /// Writes what stands before the list, if `len` bytes of entries fit behind it, without the
    /// directory's attributes if need be.
    fn open(&mut self, len: u64) -> Result<bool, EncodeError> {
        let attributes = self.dir_attributes.encoded_len().saturating_sub(4);
        if self.fits(SMALLEST.saturating_add(attributes).saturating_add(len)) {
            self.used = SMALLEST.saturating_add(attributes);
        } else if self.fits(SMALLEST.saturating_add(len)) {
            self.used = SMALLEST;
            self.dir_attributes = None;
        } else {
            return Ok(false);
        }
        self.e.put(&Status::OK)?;
        self.e.put(&self.dir_attributes)?;
        self.e.put(&self.cookie_verifier)?;
        self.open = true;
        Ok(true)
    }

    fn push<T: Node>(&mut self, node: &T) -> Result<Pushed, EncodeError> {
        let link = Link(node);
        let len = link.encoded_len();
        self.full = self.full || !(if self.open { self.fits(len) } else { self.open(len)? });
        if self.full {
            return Ok(Pushed::Full);
        }
        self.e.put(&link)?;
        self.used = self.used.saturating_add(len);
        Ok(Pushed::Yes)
    }

    fn finish(mut self, eof: bool) -> Result<Finished, EncodeError> {
        let eof = eof && !self.full;
        let answer = self.open || (eof && self.open(0)?);
        if !answer {
            return Ok(Finished::TooSmall);
        }
        self.e.put(&false)?;
        self.e.put(&eof)?;
        self.finished = true;
        Ok(Finished::Answered)
    }
}

/// A page that is not finished, also because of an error, leaves no trace.
impl Drop for Page<'_, '_, '_> {
    fn drop(&mut self) {
        if !self.finished {
            // Cannot be stale: only the page itself writes to the encoder while it lives, and it
            // goes back no further than to this mark.
            let _: Result<(), EncodeError> = self.e.rollback(self.start);
        }
    }
}

/// Writes a successful reply to READDIR, status word included, within the request's `count`.
///
/// `count` bounds the encoded [`ReaddirOk`](super::ReaddirOk): from the directory's attributes
/// through `eof`, the status word excluded (RFC 1813, section 3.3.16). The attributes are left out
/// when the first entry would not fit beside them. An encoder with less room than `count` bounds
/// the page as well.
///
/// Dropped before [`finish`](Self::finish), for example because reading the directory failed, it
/// takes back all that it wrote, and the encoder is ready for a failure reply.
#[derive(Debug)]
pub struct ReaddirWriter<'e, 'h, 'p> {
    page: Page<'e, 'h, 'p>,
}

impl<'e, 'h, 'p> ReaddirWriter<'e, 'h, 'p> {
    /// Starts where the encoder stands, which is behind the RPC reply header.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] when the encoder has no room for the smallest reply (24 bytes).
    pub fn new(
        e: &'e mut Encoder<'h, 'p>,
        dir_attributes: PostOpAttr,
        cookie_verifier: CookieVerifier,
        count: Count,
    ) -> Result<Self, EncodeError> {
        Ok(Self { page: Page::new(e, dir_attributes, cookie_verifier, count)? })
    }

    /// Appends an entry if it fits. Its name is copied.
    ///
    /// # Errors
    /// Those of [`Encoder::put`]; the page should then be dropped.
    #[inline]
    pub fn try_push(&mut self, entry: &Entry<'_>) -> Result<Pushed, EncodeError> {
        self.page.push(entry)
    }

    /// Ends the page. `eof` says that the directory has no entry behind those pushed; it counts as
    /// false after [`Pushed::Full`].
    ///
    /// # Errors
    /// Those of [`Encoder::put`]; nothing of the page is left then.
    pub fn finish(self, eof: bool) -> Result<Finished, EncodeError> {
        self.page.finish(eof)
    }
}

/// Writes a successful reply to READDIRPLUS, status word included, within the request's `dircount`
/// and `maxcount`.
///
/// `maxcount` bounds the encoded [`ReaddirplusOk`](super::ReaddirplusOk): from the directory's
/// attributes through `eof`, the status word excluded. `dircount` bounds the sum of fileid, name
/// and cookie over all entries, in bytes on the wire; it is a hint that never keeps the first entry
/// out, and 0 means that there is none (RFC 1813, section 3.3.17). In all else it is a
/// [`ReaddirWriter`].
#[derive(Debug)]
pub struct ReaddirplusWriter<'e, 'h, 'p> {
    page: Page<'e, 'h, 'p>,
    dircount: u64,
    dir_used: u64,
}

impl<'e, 'h, 'p> ReaddirplusWriter<'e, 'h, 'p> {
    /// Starts where the encoder stands, which is behind the RPC reply header.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] when the encoder has no room for the smallest reply (24 bytes).
    pub fn new(
        e: &'e mut Encoder<'h, 'p>,
        dir_attributes: PostOpAttr,
        cookie_verifier: CookieVerifier,
        dircount: Count,
        maxcount: Count,
    ) -> Result<Self, EncodeError> {
        let dircount = if dircount == 0 { u64::MAX } else { dircount.into() };
        let page = Page::new(e, dir_attributes, cookie_verifier, maxcount)?;
        Ok(Self { page, dircount, dir_used: 0 })
    }

    /// Appends an entry if it fits. Its name and handle are copied.
    ///
    /// # Errors
    /// Those of [`Encoder::put`]; the page should then be dropped.
    #[inline]
    pub fn try_push(&mut self, entry: &EntryPlus<'_>) -> Result<Pushed, EncodeError> {
        let dir_used = self.dir_used.saturating_add(entry.dir_len());
        if self.page.open && dir_used > self.dircount {
            self.page.full = true;
            return Ok(Pushed::Full);
        }
        let pushed = self.page.push(entry)?;
        if pushed == Pushed::Yes {
            self.dir_used = dir_used;
        }
        Ok(pushed)
    }

    /// Ends the page. `eof` says that the directory has no entry behind those pushed; it counts as
    /// false after [`Pushed::Full`].
    ///
    /// # Errors
    /// Those of [`Encoder::put`]; nothing of the page is left then.
    pub fn finish(self, eof: bool) -> Result<Finished, EncodeError> {
        self.page.finish(eof)
    }
}
