//! READDIR (RFC 1094, section 2.2.17).
//!
//! A server writes a page with [`ReaddirWriter`], which keeps the client's byte budget; a client
//! reads one with [`EntryReader`], entry by entry.
//!
//! ```
//! use nfswire_nfs3::v2::{FileName, readdir::{Entry, EntryReader, Finished, Pushed, ReaddirWriter}};
//! use nfswire_xdr::{Cursor, Encoder, Segments};
//!
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! let mut page = ReaddirWriter::new(&mut e, 50)?;
//! let mut pushed = Vec::new();
//! for (i, name) in (1u32..).zip([b"a", b"b", b"c"]) {
//!     let name = FileName::try_from(name)?;
//!     pushed.push(page.try_push(&Entry { fileid: i, name, cookie: i.to_be_bytes() })?);
//! }
//! assert_eq!(pushed, [Pushed::Yes, Pushed::Yes, Pushed::Full]); // 8 bytes behind the list, 20 for each entry
//! assert_eq!(page.finish(true)?, Finished::Answered);
//! e.finish();
//! let message = segments.view(&head).to_vec()?;
//!
//! let mut reader = EntryReader::open(Cursor::new(&message))?.expect("an answer");
//! assert_eq!(reader.next().map(|entry| entry.fileid), Some(1));
//! assert_eq!(reader.finish()?, false, "there is more to read");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_xdr::{Chain, xdr_struct, xdr_union};

use super::{Cookie, FileHandle, FileName, Status};

mod reader;
mod writer;

pub use crate::readdir::{Finished, Pushed};
pub use reader::EntryReader;
pub use writer::ReaddirWriter;

xdr_struct! {
    /// Arguments of READDIR (RFC 1094, section 2.2.17).
    #[derive(Copy)]
    "readdirargs" => pub struct ReaddirArgs {
        /// The directory.
        pub dir: FileHandle,
        /// Cookie of the last entry the client has; zero to start.
        pub cookie: Cookie,
        /// Largest answer, in bytes.
        pub count: u32,
    }
}

xdr_struct! {
    /// A directory entry, one node of a linked list (RFC 1094, section 2.2.17).
    #[derive(Copy)]
    "entry" => pub struct Entry<'a> {
        /// Number of the file.
        pub fileid: u32,
        /// Name in the directory.
        pub name: FileName<'a>,
        /// Resumes behind this entry.
        pub cookie: Cookie,
    }
}

xdr_struct! {
    /// Body of a successful READDIR (RFC 1094, section 2.2.17).
    "readdirok" => pub struct ReaddirOk<'a> {
        /// The entries.
        pub entries: Chain<'a, Entry<'a>>,
        /// The directory has no more of them.
        pub eof: bool,
    }
}

xdr_union! {
    /// Reply to READDIR (RFC 1094, section 2.2.17).
    "readdirres" => pub enum ReaddirReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "readdirok" Ok(ReaddirOk<'a>),
        /// Failure.
        default => Fail,
    }
}
