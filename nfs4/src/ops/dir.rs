//! CREATE, REMOVE, RENAME, LINK and READDIR (RFC 7530, sections 16.4, 16.26, 16.27, 16.9 and 16.24;
//! RFC 8881, sections 18.4, 18.25, 18.26, 18.9 and 18.23).
//!
//! A server writes a page of a directory with [`ReaddirWriter`], which keeps the client's byte
//! budgets to the byte; a client reads one with [`EntryReader`], entry by entry.
//!
//! ```
//! use nfswire_nfs4::{
//!     Component, OpNum,
//!     attrs::Fattr,
//!     ops::dir::{Entry, EntryReader, Finished, Pushed, ReaddirWriter},
//! };
//! use nfswire_xdr::{Cursor, Encoder, Segments};
//!
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! e.put(&OpNum::READDIR)?;
//! let mut page = ReaddirWriter::new(&mut e, [0; 8], 0, 50)?;
//! let mut pushed = Vec::new();
//! for (cookie, name) in (3..).zip(["a", "b"]) {
//!     let name = Component::new(name.as_bytes()).unwrap();
//!     pushed.push(page.try_push(&Entry { cookie, name, attributes: Fattr::default() })?);
//! }
//! assert_eq!(pushed, [Pushed::Yes, Pushed::Full]); // 16 bytes around the list, 28 for each entry
//! assert_eq!(page.finish(true)?, Finished::Answered);
//! e.finish();
//! let message = segments.view(&head).to_vec()?;
//!
//! let mut reader = EntryReader::open(Cursor::new(&message[4..]))?.expect("an answer");
//! assert_eq!(reader.next().map(|entry| entry.cookie), Some(3));
//! let (eof, behind) = reader.finish()?;
//! assert!(!eof, "there is more to read");
//! behind.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_xdr::{Chain, xdr_struct, xdr_union};

use crate::{
    ChangeInfo, Component, Cookie, Count, FileType, LinkText, SpecData, Status, Verifier,
    attrs::{AttrSet, Fattr},
};

mod reader;
mod writer;

pub use reader::EntryReader;
pub use writer::{Finished, PushError, Pushed, ReaddirWriter};

//--- CREATE ---

xdr_union! {
    /// Kind of an object that is no regular file (RFC 7530, section 16.4).
    #[derive(Copy)]
    "createtype4" => pub enum CreateType<'a> switch (file_type: FileType) {
        /// A symbolic link, and what is in it.
        case FileType::Symlink => "linkdata" Symlink(LinkText<'a>),
        /// A block device.
        case FileType::BlockDevice => "devdata" BlockDevice(SpecData),
        /// A character device.
        case FileType::CharDevice => "devdata" CharDevice(SpecData),
        /// A socket.
        case FileType::Socket => Socket,
        /// A named pipe.
        case FileType::Fifo => Fifo,
        /// A directory.
        case FileType::Directory => Directory,
        /// What CREATE does not make: a server answers [`Status::BADTYPE`].
        default => Other,
    }
}

xdr_struct! {
    /// Arguments of CREATE, which makes anything but regular files (RFC 7530, section 16.4).
    #[derive(Copy)]
    "CREATE4args" => pub struct CreateArgs<'a> {
        /// What is made.
        "objtype" => pub kind: CreateType<'a>,
        /// Its name in the current directory.
        "objname" => pub name: Component<'a>,
        /// Its attributes.
        "createattrs" => pub attributes: Fattr<'a>,
    }
}

xdr_struct! {
    /// Body of a successful CREATE (RFC 7530, section 16.4).
    #[derive(Copy)]
    "CREATE4resok" => pub struct CreateOk<'a> {
        /// The directory before and after.
        "cinfo" => pub change: ChangeInfo,
        /// Attributes that were set.
        "attrset" => pub set: AttrSet<'a>,
    }
}

xdr_union! {
    /// Reply to CREATE (RFC 7530, section 16.4).
    #[derive(Copy)]
    "CREATE4res" => pub enum CreateReply<'a> switch (status: Status) {
        /// Success: the object is the current file handle.
        case Status::OK => "resok4" Ok(CreateOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- REMOVE ---

xdr_struct! {
    /// Arguments of REMOVE (RFC 7530, section 16.26).
    #[derive(Copy)]
    "REMOVE4args" => pub struct RemoveArgs<'a> {
        /// Name in the current directory: of a file, or of an empty directory.
        pub target: Component<'a>,
    }
}

xdr_struct! {
    /// Body of a successful REMOVE (RFC 7530, section 16.26).
    #[derive(Copy)]
    "REMOVE4resok" => pub struct RemoveOk {
        /// The directory before and after.
        "cinfo" => pub change: ChangeInfo,
    }
}

xdr_union! {
    /// Reply to REMOVE (RFC 7530, section 16.26).
    #[derive(Copy)]
    "REMOVE4res" => pub enum RemoveReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(RemoveOk),
        /// Failure.
        default => Fail,
    }
}

//--- RENAME ---

xdr_struct! {
    /// Arguments of RENAME (RFC 7530, section 16.27).
    #[derive(Copy)]
    "RENAME4args" => pub struct RenameArgs<'a> {
        /// Name in the saved directory.
        "oldname" => pub old_name: Component<'a>,
        /// Name that it gets in the current directory.
        "newname" => pub new_name: Component<'a>,
    }
}

xdr_struct! {
    /// Body of a successful RENAME (RFC 7530, section 16.27).
    #[derive(Copy)]
    "RENAME4resok" => pub struct RenameOk {
        /// The saved directory before and after.
        "source_cinfo" => pub source_change: ChangeInfo,
        /// The current directory before and after.
        "target_cinfo" => pub target_change: ChangeInfo,
    }
}

xdr_union! {
    /// Reply to RENAME (RFC 7530, section 16.27).
    #[derive(Copy)]
    "RENAME4res" => pub enum RenameReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(RenameOk),
        /// Failure.
        default => Fail,
    }
}

//--- LINK ---

xdr_struct! {
    /// Arguments of LINK: the saved file handle gets another name (RFC 7530, section 16.9).
    #[derive(Copy)]
    "LINK4args" => pub struct LinkArgs<'a> {
        /// Name in the current directory.
        "newname" => pub new_name: Component<'a>,
    }
}

xdr_struct! {
    /// Body of a successful LINK (RFC 7530, section 16.9).
    #[derive(Copy)]
    "LINK4resok" => pub struct LinkOk {
        /// The directory before and after.
        "cinfo" => pub change: ChangeInfo,
    }
}

xdr_union! {
    /// Reply to LINK (RFC 7530, section 16.9).
    #[derive(Copy)]
    "LINK4res" => pub enum LinkReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(LinkOk),
        /// Failure.
        default => Fail,
    }
}

//--- READDIR ---

/// The smallest cookie of an entry: 0 stands for the start of the directory, 1 and 2 for the
/// entries `.` and `..` that clients make up (RFC 7530, section 16.24.4).
pub const FIRST_COOKIE: Cookie = 3;

/// The smallest [`ReaddirOk`], in bytes: one without entries.
pub const MIN_MAXCOUNT: Count = 16;

xdr_struct! {
    /// Arguments of READDIR (RFC 7530, section 16.24).
    #[derive(Copy)]
    "READDIR4args" => pub struct ReaddirArgs<'a> {
        /// Cookie of the last entry that the client has; 0 to start.
        pub cookie: Cookie,
        /// Verifier of the page that the cookie came from; zero to start.
        "cookieverf" => pub cookie_verifier: Verifier,
        /// A hint: largest sum over all entries of name and cookie, in bytes on the wire; 0 for
        /// none.
        pub dircount: Count,
        /// Largest [`ReaddirOk`], in bytes.
        pub maxcount: Count,
        /// Attributes of each entry that the client asks for.
        "attr_request" => pub request: AttrSet<'a>,
    }
}

impl<'a> ReaddirArgs<'a> {
    /// Asks for the first page of a directory: at most `maxcount` bytes of [`ReaddirOk`], without a
    /// hint.
    #[inline]
    #[must_use]
    pub const fn first(maxcount: Count, request: AttrSet<'a>) -> Self {
        Self { cookie: 0, cookie_verifier: [0; 8], dircount: 0, maxcount, request }
    }

    /// Asks for the page behind the entry of this cookie, which came with this verifier.
    #[inline]
    #[must_use]
    pub const fn behind(self, cookie: Cookie, cookie_verifier: Verifier) -> Self {
        Self { cookie, cookie_verifier, ..self }
    }

    /// Checks what can be known without the directory.
    ///
    /// # Errors
    /// The status to answer: [`Status::BAD_COOKIE`] for a cookie that no server gave out,
    /// [`Status::TOOSMALL`] for a `maxcount` that not even an empty page keeps.
    #[inline]
    pub const fn validate(&self) -> Result<(), Status> {
        if self.cookie != 0 && self.cookie < FIRST_COOKIE {
            Err(Status::BAD_COOKIE)
        } else if self.maxcount < MIN_MAXCOUNT {
            Err(Status::TOOSMALL)
        } else {
            Ok(())
        }
    }
}

xdr_struct! {
    /// A directory entry, one node of a linked list (RFC 7530, section 16.24).
    #[derive(Copy)]
    "entry4" => pub struct Entry<'a> {
        /// Resumes behind this entry; not below [`FIRST_COOKIE`].
        pub cookie: Cookie,
        /// Name in the directory; never `.` or `..`.
        pub name: Component<'a>,
        /// Attributes of the object: a subset of those asked for, or `rdattr_error` alone.
        "attrs" => pub attributes: Fattr<'a>,
    }
}

xdr_struct! {
    /// Entries, and whether they are the last (RFC 7530, section 16.24).
    "dirlist4" => pub struct DirList<'a> {
        /// The entries.
        pub entries: Chain<'a, Entry<'a>>,
        /// The directory has no more of them.
        pub eof: bool,
    }
}

xdr_struct! {
    /// Body of a successful READDIR (RFC 7530, section 16.24).
    "READDIR4resok" => pub struct ReaddirOk<'a> {
        /// Goes back to the server with any cookie of this page.
        "cookieverf" => pub cookie_verifier: Verifier,
        /// The entries.
        pub reply: DirList<'a>,
    }
}

xdr_union! {
    /// Reply to READDIR (RFC 7530, section 16.24).
    "READDIR4res" => pub enum ReaddirReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(ReaddirOk<'a>),
        /// Failure; [`Status::TOOSMALL`] when not one entry fits.
        default => Fail,
    }
}
