//! READDIR and READDIRPLUS: entries go from the file system straight into the reply.

use nfswire_nfs3::readdir::{
    Entry, EntryPlus, Finished, Pushed as Push, ReaddirArgs, ReaddirReply, ReaddirWriter,
    ReaddirplusArgs, ReaddirplusReply, ReaddirplusWriter,
};
use nfswire_nfs3::{FileHandle, FileName, PostOpAttr, Status};
use nfswire_xdr::{Encode, EncodeError, Encoder};

use super::reply::{Batch, Fault};
use crate::fs::{Caller, DirEntry, DirVisitor, EntryDetails, FileSystem, MAX_TRANSFER, Pushed};

/// Verifier, absent attributes, end of the list: what a page has at least.
const SMALLEST_PAGE: u64 = 20;
/// "Value follows", absent attributes, absent handle: what READDIRPLUS adds to an entry at least.
const SMALLEST_DETAILS: u64 = 12;

/// READDIR.
pub(super) fn names(
    fs: &dyn FileSystem,
    caller: &Caller<'_>,
    a: &ReaddirArgs<'_>,
    out: &mut Batch<'_, '_>,
) -> Result<(), Fault> {
    let page = Page::Names { count: a.count.min(MAX_TRANSFER) };
    let mut listing = Listing::new(&mut out.encoder, page);
    let listed = fs.readdir(caller, &a.dir, a.cookie, a.cookie_verifier, &mut listing);
    let Some((status, attributes)) = listing.finish(listed)? else { return Ok(()) };
    out.put(&ReaddirReply::Fail(status, attributes))
}

/// READDIRPLUS.
pub(super) fn details(
    fs: &dyn FileSystem,
    caller: &Caller<'_>,
    a: &ReaddirplusArgs<'_>,
    out: &mut Batch<'_, '_>,
) -> Result<(), Fault> {
    let maxcount = a.maxcount.min(MAX_TRANSFER);
    let page = Page::Details { dircount: a.dircount, maxcount };
    let mut listing = Listing::new(&mut out.encoder, page);
    let listed = fs.readdir(caller, &a.dir, a.cookie, a.cookie_verifier, &mut listing);
    let Some((status, attributes)) = listing.finish(listed)? else { return Ok(()) };
    out.put(&ReaddirplusReply::Fail(status, attributes))
}

/// What the client asked for.
#[derive(Clone, Copy)]
enum Page {
    Names { count: u32 },
    Details { dircount: u32, maxcount: u32 },
}

enum Writer<'e, 'h, 'p> {
    /// Before the file system has begun.
    Waiting(&'e mut Encoder<'h, 'p>),
    Names(ReaddirWriter<'e, 'h, 'p>),
    Details(ReaddirplusWriter<'e, 'h, 'p>),
    Failed(EncodeError),
}

/// The page that is being written. Dropped before it is finished it takes back what it wrote.
struct Listing<'e, 'h, 'p> {
    page: Page,
    writer: Writer<'e, 'h, 'p>,
    attributes: PostOpAttr,
    full: bool,
    /// Bytes of the page, at least.
    used: u64,
    /// Bytes that `dircount` counts.
    dir_used: u64,
}

impl<'e, 'h, 'p> Listing<'e, 'h, 'p> {
    const fn new(encoder: &'e mut Encoder<'h, 'p>, page: Page) -> Self {
        Self {
            page,
            writer: Writer::Waiting(encoder),
            attributes: None,
            full: false,
            used: SMALLEST_PAGE,
            dir_used: 0,
        }
    }

    /// `None` when the reply is written; else the failure to be written.
    fn finish(
        self,
        listed: crate::fs::Result<bool>,
    ) -> Result<Option<(Status, PostOpAttr)>, Fault> {
        let ended = match listed {
            Ok(ended) => ended && !self.full,
            Err(failure) => return Ok(Some((failure.status, failure.first().after))),
        };
        let finished = match self.writer {
            // A file system that never began has said nothing.
            Writer::Waiting(_) => return Err(EncodeError::Contradiction.into()),
            Writer::Failed(error) => return Err(error.into()),
            Writer::Names(writer) => writer.finish(ended)?,
            Writer::Details(writer) => writer.finish(ended)?,
        };
        Ok(match finished {
            Finished::Answered => None,
            Finished::TooSmall => Some((Status::TOOSMALL, self.attributes)),
        })
    }

    fn took(&mut self, pushed: Result<Push, EncodeError>) -> Pushed {
        match pushed {
            Ok(Push::Yes) => return Pushed::Taken,
            Ok(Push::Full) => {}
            Err(error) => self.writer = Writer::Failed(error),
        }
        self.full = true;
        Pushed::Full
    }

    /// Whether a further entry can fit, before its details are known.
    fn may_fit(&self, names: u64) -> bool {
        let Page::Details { dircount, maxcount } = self.page else { return true };
        let used = self.used.saturating_add(names).saturating_add(SMALLEST_DETAILS);
        let dir_used = self.dir_used.saturating_add(names);
        let first = self.dir_used == 0;
        used <= maxcount.into() && (first || dircount == 0 || dir_used <= dircount.into())
    }
}

impl DirVisitor for Listing<'_, '_, '_> {
    fn begin(&mut self, attributes: PostOpAttr, verifier: [u8; 8]) {
        self.attributes = attributes;
        let failed = Writer::Failed(EncodeError::Contradiction);
        let Writer::Waiting(encoder) = core::mem::replace(&mut self.writer, failed) else {
            return;
        };
        let writer = match self.page {
            Page::Names { count } => {
                ReaddirWriter::new(encoder, attributes, verifier, count).map(Writer::Names)
            }
            Page::Details { dircount, maxcount } => {
                ReaddirplusWriter::new(encoder, attributes, verifier, dircount, maxcount)
                    .map(Writer::Details)
            }
        };
        self.writer = writer.unwrap_or_else(Writer::Failed);
    }

    fn entry(&mut self, entry: DirEntry<'_>, details: &mut dyn FnMut() -> EntryDetails) -> Pushed {
        let DirEntry { fileid, name, cookie } = entry;
        let Some(name) = FileName::new(name).filter(|_| !self.full) else {
            self.full = true;
            return Pushed::Full;
        };
        let entry = Entry { fileid, name, cookie };
        let names = entry.encoded_len();
        if !self.may_fit(names) {
            self.full = true;
            return Pushed::Full;
        }
        let pushed = match &mut self.writer {
            Writer::Names(writer) => writer.try_push(&entry),
            Writer::Details(writer) => {
                let details = details();
                let name_handle =
                    details.handle.as_ref().and_then(|handle| FileHandle::new(handle.as_bytes()));
                let name_attributes = details.attributes;
                let entry = EntryPlus { fileid, name, cookie, name_attributes, name_handle };
                self.used = self.used.saturating_add(entry.encoded_len()).saturating_add(4);
                self.dir_used = self.dir_used.saturating_add(names);
                writer.try_push(&entry)
            }
            Writer::Waiting(_) => Err(EncodeError::Contradiction),
            Writer::Failed(error) => Err(*error),
        };
        self.took(pushed)
    }
}
