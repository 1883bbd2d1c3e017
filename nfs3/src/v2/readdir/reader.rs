//! Reading a page of a directory entry by entry, without checking the rest of it first.

use nfswire_xdr::{Cursor, DecodeError, Stream};

use super::{Entry, Status};

/// Reads the reply to READDIR one entry at a time.
///
/// Unlike [`ReaddirReply`](super::ReaddirReply), which walks the whole list before it hands out
/// anything, this looks at no byte twice. The price: a fault ends the entries like the end of the
/// page does, and only [`finish`](Self::finish) tells the two apart. The entries before it were good.
#[derive(Debug)]
#[must_use = "a damaged page looks like a short one until `finish`"]
pub struct EntryReader<'a> {
    entries: Stream<'a, Entry<'a>>,
}

impl<'a> EntryReader<'a> {
    /// Starts at the status word of the reply, where the cursor stands behind the RPC header.
    ///
    /// # Errors
    /// The outer error when the bytes in front of the list are wrong; the inner one, the status, when
    /// the server refused.
    pub fn open(mut cursor: Cursor<'a>) -> Result<Result<Self, Status>, DecodeError> {
        let status: Status = cursor.decode()?;
        if status != Status::OK {
            cursor.finish()?;
            return Ok(Err(status));
        }
        Ok(Ok(Self { entries: cursor.stream() }))
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
impl<'a> Iterator for EntryReader<'a> {
    type Item = Entry<'a>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'a>> {
        self.entries.next()
    }
}
