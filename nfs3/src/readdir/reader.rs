//! Reading a page of a directory entry by entry, without checking the rest of it first.

use nfswire_xdr::{Cursor, Decode, DecodeError, Stream};

use crate::{CookieVerifier, PostOpAttr, Status};

/// Why the server sent no entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadFailure {
    /// What went wrong.
    pub status: Status,
    /// Attributes of the directory.
    pub dir_attributes: PostOpAttr,
}

/// Reads the reply to READDIR (`T` is [`Entry`](super::Entry)) or READDIRPLUS
/// ([`EntryPlus`](super::EntryPlus)) one entry at a time.
///
/// Unlike [`ReaddirReply`](super::ReaddirReply), which walks the whole list before it hands out
/// anything, this looks at no byte twice. The price: a fault ends the entries like the end of the
/// page does, and only [`finish`](Self::finish) tells the two apart. The entries before it were good.
#[derive(Debug)]
#[must_use = "a damaged page looks like a short one until `finish`"]
pub struct EntryReader<'a, T> {
    dir_attributes: PostOpAttr,
    cookie_verifier: CookieVerifier,
    entries: Stream<'a, T>,
}

impl<'a, T: Decode<'a>> EntryReader<'a, T> {
    /// Starts at the status word of the reply, where the cursor stands behind the RPC header.
    ///
    /// # Errors
    /// The outer error when the bytes in front of the list are wrong; the inner one when the server
    /// refused.
    pub fn open(mut cursor: Cursor<'a>) -> Result<Result<Self, ReadFailure>, DecodeError> {
        let status: Status = cursor.decode()?;
        let dir_attributes: PostOpAttr = cursor.decode()?;
        if status != Status::OK {
            cursor.finish()?;
            return Ok(Err(ReadFailure { status, dir_attributes }));
        }
        let cookie_verifier = cursor.decode()?;
        Ok(Ok(Self { dir_attributes, cookie_verifier, entries: cursor.stream() }))
    }

    /// Attributes of the directory.
    #[inline]
    #[must_use]
    pub const fn dir_attributes(&self) -> &PostOpAttr {
        &self.dir_attributes
    }

    /// Goes back to the server with any cookie of this page.
    #[inline]
    #[must_use]
    pub const fn cookie_verifier(&self) -> CookieVerifier {
        self.cookie_verifier
    }

    /// Reads what is left of the page, to the end of the message, and says whether it was the last
    /// page of the directory.
    ///
    /// # Errors
    /// The first fault of the page, also when its entries ended there.
    pub fn finish(self) -> Result<bool, DecodeError> {
        let mut cursor = self.entries.finish()?;
        let eof = cursor.decode()?;
        cursor.finish()?;
        Ok(eof)
    }
}

/// Ends at the end of the page, or at the first fault.
impl<'a, T: Decode<'a>> Iterator for EntryReader<'a, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.entries.next()
    }
}
