//! Reading a page of a directory entry by entry, without checking the rest of it first.

use nfswire_xdr::{Cursor, DecodeError, Stream};

use super::Entry;
use crate::{Status, Verifier};

/// Reads the reply to READDIR one entry at a time.
///
/// Unlike [`ReaddirReply`](super::ReaddirReply), which walks the whole list before it hands out
/// anything, this looks at no byte twice. The price: a fault ends the entries like the end of the
/// page does, and only [`finish`](Self::finish) tells the two apart. The entries before it were
/// good.
#[derive(Debug)]
#[must_use = "a damaged page looks like a short one until `finish`"]
pub struct EntryReader<'a> {
    cookie_verifier: Verifier,
    entries: Stream<'a, Entry<'a>>,
}

impl<'a> EntryReader<'a> {
    /// Starts at the status word of the reply, where the cursor stands behind the operation's
    /// number.
    ///
    /// # Errors
    /// The outer error when the bytes in front of the list are wrong; the inner one when the server
    /// refused, which ends the COMPOUND.
    pub fn open(mut cursor: Cursor<'a>) -> Result<Result<Self, Status>, DecodeError> {
        let status: Status = cursor.decode()?;
        if status != Status::OK {
            return Ok(Err(status));
        }
        let cookie_verifier = cursor.decode()?;
        Ok(Ok(Self { cookie_verifier, entries: cursor.stream() }))
    }

    /// Goes back to the server with any cookie of this page.
    #[inline]
    #[must_use]
    pub const fn cookie_verifier(&self) -> Verifier {
        self.cookie_verifier
    }

    /// Reads what is left of the page, and says whether it was the last page of the directory. The
    /// cursor stands behind the reply, at the next result of the COMPOUND.
    ///
    /// # Errors
    /// The first fault of the page, also when its entries ended there.
    pub fn finish(self) -> Result<(bool, Cursor<'a>), DecodeError> {
        let mut cursor = self.entries.finish()?;
        let eof = cursor.decode()?;
        Ok((eof, cursor))
    }
}

/// Ends at the end of the page, or at the first fault.
impl<'a> Iterator for EntryReader<'a> {
    type Item = Entry<'a>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'a>> {
        self.entries.next()
    }
}
