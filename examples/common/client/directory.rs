//! Listing directories: READDIRPLUS, or READDIR where the server has no other.

use nfswire_nfs3::procedures::{Readdir, Readdirplus};
use nfswire_nfs3::readdir::{ReaddirArgs, ReaddirReply, ReaddirplusArgs, ReaddirplusReply};
use nfswire_nfs3::{Attributes, Cookie, CookieVerifier, Status};
use nfswire_rpc::{CallFailure, Procedure};

use super::{Client, Error, Handle, Result, own, wire};

/// An entry of a directory.
#[derive(Debug, Clone)]
pub struct DirEntry {
    /// Name: any bytes but NUL and slash.
    pub name: Vec<u8>,
    /// Number of the file.
    pub fileid: u64,
    /// Attributes, if the server sent them.
    pub attributes: Option<Attributes>,
    /// Handle, if the server sent it.
    pub handle: Option<Handle>,
}

/// Where the next page starts.
#[derive(Clone, Copy, Default)]
struct Place {
    cookie: Cookie,
    verifier: CookieVerifier,
}

struct Page {
    next: Place,
    eof: bool,
}

impl Client {
    /// All entries of a directory but `.` and `..`, in the server's order.
    ///
    /// # Errors
    /// A call failed, or the server's pages lead nowhere.
    pub fn list(&mut self, directory: &Handle) -> Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        let mut place = Place::default();
        let mut plus = true;
        loop {
            let before = entries.len();
            let page = if plus {
                match self.page_plus(directory, place, &mut entries) {
                    Err(error) if place.cookie == 0 && lacks_plus(&error) => {
                        plus = false;
                        continue;
                    }
                    other => other?,
                }
            } else {
                self.page(directory, place, &mut entries)?
            };
            let procedure = if plus { Readdirplus::NAME } else { Readdir::NAME };
            if !page.eof && (entries.len() == before || page.next.cookie == place.cookie) {
                let what = format!("a page behind cookie {} leads nowhere", place.cookie);
                return Err(Error::nonsense(procedure, what));
            }
            if page.eof {
                entries.retain(|e: &DirEntry| !matches!(e.name.as_slice(), b"." | b".."));
                return Ok(entries);
            }
            place = page.next;
        }
    }

    /// Attributes of an entry, asked for if the listing did not bring them.
    ///
    /// # Errors
    /// A call failed, for example because the entry is gone.
    pub fn entry_attributes(&mut self, directory: &Handle, entry: &DirEntry) -> Result<Attributes> {
        if let Some(attributes) = entry.attributes {
            return Ok(attributes);
        }
        let (handle, attributes) = match entry.handle {
            Some(handle) => (handle, None),
            None => self.lookup(directory, &entry.name)?,
        };
        attributes.map_or_else(|| self.getattr(&handle), Ok)
    }

    fn page_plus(
        &mut self,
        dir: &Handle,
        place: Place,
        entries: &mut Vec<DirEntry>,
    ) -> Result<Page> {
        let maxcount = self.sizes().directory;
        let Place { cookie, verifier: cookie_verifier } = place;
        let args = ReaddirplusArgs {
            dir: wire(dir),
            cookie,
            cookie_verifier,
            dircount: maxcount,
            maxcount,
        };
        self.connection().call::<Readdirplus, _>(&args, |reply| match reply {
            ReaddirplusReply::Ok(ok) => {
                let mut next = Place { cookie, verifier: ok.cookie_verifier };
                for entry in &ok.reply.entries {
                    next.cookie = entry.cookie;
                    entries.push(DirEntry {
                        name: entry.name.to_vec(),
                        fileid: entry.fileid,
                        attributes: entry.name_attributes,
                        handle: entry.name_handle.map(own),
                    });
                }
                Ok(Page { next, eof: ok.reply.eof })
            }
            ReaddirplusReply::Fail(status, _) => Err(Error::status(Readdirplus::NAME, status)),
        })
    }

    fn page(&mut self, dir: &Handle, place: Place, entries: &mut Vec<DirEntry>) -> Result<Page> {
        let count = self.sizes().directory;
        let Place { cookie, verifier: cookie_verifier } = place;
        let args = ReaddirArgs { dir: wire(dir), cookie, cookie_verifier, count };
        self.connection().call::<Readdir, _>(&args, |reply| match reply {
            ReaddirReply::Ok(ok) => {
                let mut next = Place { cookie, verifier: ok.cookie_verifier };
                for entry in &ok.reply.entries {
                    next.cookie = entry.cookie;
                    let (name, fileid) = (entry.name.to_vec(), entry.fileid);
                    entries.push(DirEntry { name, fileid, attributes: None, handle: None });
                }
                Ok(Page { next, eof: ok.reply.eof })
            }
            ReaddirReply::Fail(status, _) => Err(Error::status(Readdir::NAME, status)),
        })
    }
}

/// Whether the server says that it has no READDIRPLUS.
fn lacks_plus(error: &Error) -> bool {
    error.nfs_status() == Some(Status::NOTSUPP)
        || matches!(error, Error::Call { failure: CallFailure::ProcUnavail, .. })
}
