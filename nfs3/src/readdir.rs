//! READDIR and READDIRPLUS (RFC 1813, sections 3.3.16 and 3.3.17).
//!
//! A server writes a page with [`ReaddirWriter`] or [`ReaddirplusWriter`], which keep the client's
//! byte budgets to the byte; a client reads one with [`EntryReader`], entry by entry.
//!
//! ```
//! use nfswire_nfs3::{FileName, readdir::{Entry, EntryReader, Finished, Pushed, ReaddirWriter}};
//! use nfswire_xdr::{Cursor, Encoder, Segments};
//!
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! let mut page = ReaddirWriter::new(&mut e, None, [0; 8], 60)?;
//! let mut pushed = Vec::new();
//! for (i, name) in (1..).zip(["a", "b"]) {
//!     let name = FileName::new(name.as_bytes()).unwrap();
//!     pushed.push(page.try_push(&Entry { fileid: i, name, cookie: i })?);
//! }
//! assert_eq!(pushed, [Pushed::Yes, Pushed::Full]); // 20 bytes around the list, 28 for each entry
//! assert_eq!(page.finish(true)?, Finished::Answered);
//! e.finish();
//! let message = segments.view(&head).to_vec()?;
//!
//! let mut reader = EntryReader::<Entry<'_>>::open(Cursor::new(&message))?.expect("an answer");
//! assert_eq!(reader.next().map(|entry| entry.fileid), Some(1));
//! assert_eq!(reader.finish()?, false, "there is more to read");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_xdr::{Chain, xdr_struct, xdr_union};

use crate::{
    Cookie, CookieVerifier, Count, FileHandle, FileId, FileName, PostOpAttr, PostOpFh, Status,
};

mod reader;
mod writer;

pub use reader::{EntryReader, ReadFailure};
pub use writer::{Finished, Pushed, ReaddirWriter, ReaddirplusWriter};
#[cfg(feature = "v2")]
pub(crate) use writer::{Link, Node};

//--- READDIR ---

xdr_struct! {
    /// Arguments of READDIR (RFC 1813, section 3.3.16).
    #[derive(Copy)]
    "READDIR3args" => pub struct ReaddirArgs<'a> {
        /// The directory.
        pub dir: FileHandle<'a>,
        /// Cookie of the last entry the client has; 0 to start.
        pub cookie: Cookie,
        /// Verifier of the page the cookie came from; zero to start, when servers ignore it.
        "cookieverf" => pub cookie_verifier: CookieVerifier,
        /// Largest [`ReaddirOk`], in bytes.
        pub count: Count,
    }
}

xdr_struct! {
    /// A directory entry, one node of a linked list (RFC 1813, section 3.3.16).
    #[derive(Copy)]
    "entry3" => pub struct Entry<'a> {
        /// Number of the file; servers avoid 0.
        pub fileid: FileId,
        /// Name in the directory.
        pub name: FileName<'a>,
        /// Resumes behind this entry; never 0.
        pub cookie: Cookie,
    }
}

xdr_struct! {
    /// Entries, and whether they are the last (RFC 1813, section 3.3.16).
    "dirlist3" => pub struct DirList<'a> {
        /// The entries.
        pub entries: Chain<'a, Entry<'a>>,
        /// The directory has no more of them.
        pub eof: bool,
    }
}

xdr_struct! {
    /// Body of a successful READDIR (RFC 1813, section 3.3.16).
    "READDIR3resok" => pub struct ReaddirOk<'a> {
        /// Attributes of the directory.
        pub dir_attributes: PostOpAttr,
        /// Goes back to the server with any cookie of this page.
        "cookieverf" => pub cookie_verifier: CookieVerifier,
        /// The entries.
        pub reply: DirList<'a>,
    }
}

/// Body of a failed READDIR: attributes of the directory (RFC 1813, section 3.3.16).
#[doc(alias = "READDIR3resfail")]
pub type ReaddirFail = PostOpAttr;

xdr_union! {
    /// Reply to READDIR (RFC 1813, section 3.3.16).
    "READDIR3res" => pub enum ReaddirReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(ReaddirOk<'a>),
        /// Failure; [`Status::TOOSMALL`] when not one entry fits.
        default => Fail(ReaddirFail),
    }
}

//--- READDIRPLUS ---

xdr_struct! {
    /// Arguments of READDIRPLUS (RFC 1813, section 3.3.17).
    #[derive(Copy)]
    "READDIRPLUS3args" => pub struct ReaddirplusArgs<'a> {
        /// The directory.
        pub dir: FileHandle<'a>,
        /// Cookie of the last entry the client has; 0 to start.
        pub cookie: Cookie,
        /// Verifier of the page the cookie came from; zero to start, when servers ignore it.
        "cookieverf" => pub cookie_verifier: CookieVerifier,
        /// Largest sum over all entries of fileid, name and cookie, in bytes on the wire.
        pub dircount: Count,
        /// Largest [`ReaddirplusOk`], in bytes.
        pub maxcount: Count,
    }
}

xdr_struct! {
    /// A directory entry with attributes and handle, one node of a linked list (RFC 1813, section
    /// 3.3.17).
    #[derive(Copy)]
    "entryplus3" => pub struct EntryPlus<'a> {
        /// Number of the file; servers avoid 0.
        pub fileid: FileId,
        /// Name in the directory.
        pub name: FileName<'a>,
        /// Resumes behind this entry; never 0.
        pub cookie: Cookie,
        /// Attributes of the object.
        pub name_attributes: PostOpAttr,
        /// Handle of the object.
        pub name_handle: PostOpFh<'a>,
    }
}

xdr_struct! {
    /// Entries with attributes and handles, and whether they are the last (RFC 1813, section
    /// 3.3.17).
    "dirlistplus3" => pub struct DirListPlus<'a> {
        /// The entries.
        pub entries: Chain<'a, EntryPlus<'a>>,
        /// The directory has no more of them.
        pub eof: bool,
    }
}

xdr_struct! {
    /// Body of a successful READDIRPLUS (RFC 1813, section 3.3.17).
    "READDIRPLUS3resok" => pub struct ReaddirplusOk<'a> {
        /// Attributes of the directory.
        pub dir_attributes: PostOpAttr,
        /// Goes back to the server with any cookie of this page.
        "cookieverf" => pub cookie_verifier: CookieVerifier,
        /// The entries.
        pub reply: DirListPlus<'a>,
    }
}

/// Body of a failed READDIRPLUS: attributes of the directory (RFC 1813, section 3.3.17).
#[doc(alias = "READDIRPLUS3resfail")]
pub type ReaddirplusFail = PostOpAttr;

xdr_union! {
    /// Reply to READDIRPLUS (RFC 1813, section 3.3.17).
    "READDIRPLUS3res" => pub enum ReaddirplusReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => Ok(ReaddirplusOk<'a>),
        /// Failure; [`Status::TOOSMALL`] when not one entry fits.
        default => Fail(ReaddirplusFail),
    }
}
