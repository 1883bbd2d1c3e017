//! Writing a page of a directory within the client's byte budget.

use nfswire_xdr::{Encode, EncodeError, Encoder, Mark};

use super::{Entry, Finished, Pushed, Status};
use crate::readdir::{Link, Node};

/// "No more entries" and `eof`: the smallest page.
const TAIL: u64 = 8;
/// The status word, which the budget does not count.
const STATUS: u64 = 4;

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

/// Writes a successful reply to READDIR, status word included, within the request's `count`.
///
/// RFC 1094 says "a total size of up to `count` bytes" and not of what; here it bounds all that
/// follows the status: entries, the words between them and `eof`, which no reading of the sentence
/// exceeds. An encoder with less room than `count` bounds the page as well.
///
/// Dropped before [`finish`](Self::finish), for example because reading the directory failed, it
/// takes back all that it wrote, and the encoder is ready for a failure reply. Version 2 has no
/// status for a `count` that is too small for any entry ([`Finished::TooSmall`]); [`Status::IO`] ends
/// the client's attempts.
#[derive(Debug)]
pub struct ReaddirWriter<'e, 'h, 'p> {
    e: &'e mut Encoder<'h, 'p>,
    start: Mark,
    budget: u64,
    /// Bytes behind the status, those of the tail included.
    used: u64,
    empty: bool,
    full: bool,
    finished: bool,
}

impl<'e, 'h, 'p> ReaddirWriter<'e, 'h, 'p> {
    /// Starts where the encoder stands, which is behind the RPC reply header.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] when the encoder has no room for the smallest reply (12 bytes).
    pub fn new(e: &'e mut Encoder<'h, 'p>, count: u32) -> Result<Self, EncodeError> {
        let room = e.room();
        let missing = (STATUS + TAIL).saturating_sub(room);
        if missing > 0 {
            return Err(EncodeError::NoSpace { missing });
        }
        let start = e.mark();
        e.put(&Status::OK)?;
        let budget = u64::from(count).min(room.saturating_sub(STATUS));
        Ok(Self { e, start, budget, used: TAIL, empty: true, full: false, finished: false })
    }

    /// Appends an entry if it fits. Its name is copied.
    ///
    /// # Errors
    /// Those of [`Encoder::put`]; the page should then be dropped.
    pub fn try_push(&mut self, entry: &Entry<'_>) -> Result<Pushed, EncodeError> {
        let link = Link(entry);
        let used = self.used.saturating_add(link.encoded_len());
        self.full = self.full || used > self.budget;
        if self.full {
            return Ok(Pushed::Full);
        }
        self.e.put(&link)?;
        self.used = used;
        self.empty = false;
        Ok(Pushed::Yes)
    }

    /// Ends the page. `eof` says that the directory has no entry behind those pushed; it counts as
    /// false after [`Pushed::Full`].
    ///
    /// # Errors
    /// Those of [`Encoder::put`]; nothing of the page is left then.
    pub fn finish(mut self, eof: bool) -> Result<Finished, EncodeError> {
        let eof = eof && !self.full;
        if self.used > self.budget || (self.empty && !eof) {
            return Ok(Finished::TooSmall);
        }
        self.e.put(&false)?;
        self.e.put(&eof)?;
        self.finished = true;
        Ok(Finished::Answered)
    }
}

/// A page that is not finished, also because of an error, leaves no trace.
impl Drop for ReaddirWriter<'_, '_, '_> {
    fn drop(&mut self) {
        if !self.finished {
            // Cannot be stale: only the page itself writes to the encoder while it lives, and it
            // goes back no further than to this mark.
            let _: Result<(), EncodeError> = self.e.rollback(self.start);
        }
    }
}
