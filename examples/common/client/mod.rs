//! An NFSv3 client over TCP: blocking, one thread a connection, several calls in flight.
//!
//! [`Client`] mounts what a [`NfsUrl`] names and works on file handles. READ data is received straight into the
//! caller's memory, WRITE data is sent from it. [`transfer`] copies whole files, [`mod@bench`] loads a server.
//!
//! ```no_run
//! use nfswire_examples::client::{Client, Follow, Options};
//! let url = "nfs://127.0.0.1:20490/docs/readme".parse()?;
//! let (mut client, path) = Client::mount(&url, Options::default())?;
//! let (file, attributes) = client.resolve(&path, Follow::All)?;
//! let mut buffer = vec![0; usize::try_from(attributes.size)?];
//! let got = client.read(&file, 0, &mut buffer)?;
//! println!("{} bytes, end of file: {}", got.len, got.eof);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

pub mod bench;
mod connection;
mod directory;
mod error;
mod identity;
mod mount;
mod portmap;
mod read;
pub mod show;
pub mod transfer;
mod url;
mod walk;
mod write;

use nfswire_nfs3::attr::{GetattrArgs, GetattrReply, SetattrArgs, SetattrReply};
use nfswire_nfs3::create::{CreateArgs, CreateHow, CreateReply};
use nfswire_nfs3::fs::{FsinfoArgs, FsinfoOk, FsinfoReply};
use nfswire_nfs3::lookup::{LookupArgs, LookupReply, ReadlinkArgs, ReadlinkReply};
use nfswire_nfs3::procedures::{Create, Fsinfo, Getattr, Lookup, Readlink, Setattr};
use nfswire_nfs3::{Attributes, DirOpArgs, FileHandle, FileName, SetAttributes};
use nfswire_rpc::Procedure;

pub use crate::fs::Handle;
pub use connection::{Connection, Job, Options, Outgoing, Place, results};
pub use directory::DirEntry;
pub use error::{Error, Result};
pub use identity::Identity;
pub use read::Got;
pub use url::{NfsUrl, UrlError};
pub use walk::Follow;

/// Transfer sizes that the client asks for, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Of a READ.
    pub read: u32,
    /// Of a WRITE.
    pub write: u32,
    /// Of a reply to READDIR.
    pub directory: u32,
}

impl Sizes {
    const DIRECTORY: u32 = 64 << 10;
    const SMALLEST: u32 = 512;

    /// What the server prefers and allows, at most `largest`.
    fn new(info: &FsinfoOk, largest: u32) -> Self {
        let choose = |preferred: u32, most: u32| {
            let most = if most == 0 { u32::MAX } else { most };
            let preferred = if preferred == 0 { most } else { preferred.min(most) };
            preferred.min(largest).clamp(Self::SMALLEST, 1 << 20)
        };
        Self {
            read: choose(info.rtpref, info.rtmax),
            write: choose(info.wtpref, info.wtmax),
            directory: if info.dtpref == 0 {
                Self::DIRECTORY
            } else {
                info.dtpref.clamp(8 << 10, Self::DIRECTORY)
            },
        }
    }
}

/// A mounted NFSv3 file system.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    root: Handle,
    /// Names that lead to the root on the server.
    prefix: Vec<Vec<u8>>,
    sizes: Sizes,
    depth: usize,
}

impl Client {
    /// Connects, mounts the export that holds the URL's path, and asks for the server's transfer sizes.
    ///
    /// Beside the client, the names that lead from its root to what the URL means.
    ///
    /// # Errors
    /// The server cannot be reached, or lets nobody mount a directory on the path.
    pub fn mount(url: &NfsUrl, options: Options) -> Result<(Self, Vec<Vec<u8>>)> {
        let mut connection = Connection::connect(&url.host, url.port, &options)?;
        let mount_port = match url.portmap {
            Some(port) => portmap::mount_port(&url.host, port, &options)?,
            None => url.mount_port,
        };
        let (root, len) = if mount_port == url.port {
            mount::mount(&mut connection, &url.path)?
        } else {
            mount::mount(&mut Connection::connect(&url.host, mount_port, &options)?, &url.path)?
        };
        let info =
            connection.call::<Fsinfo, _>(
                &FsinfoArgs { fsroot: wire(&root) },
                |reply| match reply {
                    FsinfoReply::Ok(info) => Ok(info),
                    FsinfoReply::Fail(status, _) => {
                        Err(Error::status(Fsinfo::NAME, status).at(b"/"))
                    }
                },
            )?;
        let sizes = Sizes::new(&info, options.transfer);
        let (prefix, path) = url.path.split_at_checked(len).unwrap_or((&url.path, &[]));
        let client =
            Self { connection, root, prefix: prefix.to_vec(), sizes, depth: options.depth };
        Ok((client, path.to_vec()))
    }

    /// The directory that was mounted.
    #[must_use]
    pub const fn root(&self) -> &Handle {
        &self.root
    }

    /// Path on the server of what `path` names within the mount.
    #[must_use]
    pub fn full_path(&self, path: &[Vec<u8>]) -> Vec<u8> {
        url::join(&[&self.prefix, path].concat())
    }

    /// Calls in flight at most.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// Transfer sizes in use.
    #[must_use]
    pub const fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The connection, for calls that have no method here.
    pub const fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Attributes of an object.
    ///
    /// # Errors
    /// The call failed.
    pub fn getattr(&mut self, object: &Handle) -> Result<Attributes> {
        self.connection.call::<Getattr, _>(&GetattrArgs { object: wire(object) }, |reply| {
            match reply {
                GetattrReply::Ok(ok) => Ok(ok.attributes),
                GetattrReply::Fail(status) => Err(Error::status(Getattr::NAME, status)),
            }
        })
    }

    /// Sets the size of a file, in bytes.
    ///
    /// # Errors
    /// The call failed.
    pub fn set_size(&mut self, file: &Handle, size: u64) -> Result<()> {
        let new_attributes = SetAttributes { size: Some(size), ..SetAttributes::default() };
        let args = SetattrArgs { object: wire(file), new_attributes, guard: None };
        self.connection.call::<Setattr, _>(&args, |reply| match reply {
            SetattrReply::Ok(_) => Ok(()),
            SetattrReply::Fail(status, _) => Err(Error::status(Setattr::NAME, status)),
        })
    }

    /// Finds a name in a directory. Attributes too, if the server sent them.
    ///
    /// # Errors
    /// The call failed.
    pub fn lookup(
        &mut self,
        directory: &Handle,
        name: &[u8],
    ) -> Result<(Handle, Option<Attributes>)> {
        let what = DirOpArgs { dir: wire(directory), name: file_name(name)? };
        let found = self.connection.call::<Lookup, _>(&LookupArgs { what }, |reply| match reply {
            LookupReply::Ok(ok) => Ok((own(ok.object), ok.attributes)),
            LookupReply::Fail(status, _) => Err(Error::status(Lookup::NAME, status)),
        });
        found.map_err(|e| e.at(name))
    }

    /// Target of a symbolic link.
    ///
    /// # Errors
    /// The call failed.
    pub fn readlink(&mut self, link: &Handle) -> Result<Vec<u8>> {
        self.connection.call::<Readlink, _>(&ReadlinkArgs { symlink: wire(link) }, |reply| {
            match reply {
                ReadlinkReply::Ok(ok) => Ok(ok.data.as_slice().unwrap_or_default().to_vec()),
                ReadlinkReply::Fail(status, _) => Err(Error::status(Readlink::NAME, status)),
            }
        })
    }

    /// Makes a file, or takes the one that exists, and makes it empty. `mode` is that of a new file.
    ///
    /// # Errors
    /// A call failed.
    pub fn create(&mut self, directory: &Handle, name: &[u8], mode: u32) -> Result<Handle> {
        let attributes =
            SetAttributes { mode: Some(mode), size: Some(0), ..SetAttributes::default() };
        let location = DirOpArgs { dir: wire(directory), name: file_name(name)? };
        let args = CreateArgs { location, how: CreateHow::Unchecked(attributes) };
        let made = self.connection.call::<Create, _>(&args, |reply| match reply {
            CreateReply::Ok(ok) => Ok((ok.object.map(own), ok.attributes)),
            CreateReply::Fail(status, _) => Err(Error::status(Create::NAME, status)),
        });
        let (handle, attributes) = match made.map_err(|e| e.at(name))? {
            (Some(handle), attributes) => (handle, attributes),
            (None, _) => self.lookup(directory, name)?,
        };
        // Not every server applies the size to a file that exists.
        if attributes.is_none_or(|a| a.size != 0) {
            self.set_size(&handle, 0).map_err(|e| e.at(name))?;
        }
        Ok(handle)
    }

    /// Fills `buffer` from `offset` on, with several calls in flight; less only at the end of the file.
    ///
    /// # Errors
    /// A call failed. The buffer may be changed then.
    pub fn read(&mut self, file: &Handle, offset: u64, buffer: &mut [u8]) -> Result<Got> {
        let mut job = read::ReadJob::new(wire(file), offset, buffer, self.sizes.read);
        self.connection.drive(&mut job, self.depth)?;
        Ok(job.got())
    }

    /// Writes `data` at `offset`, with several calls in flight, and returns when it is on stable storage.
    ///
    /// # Errors
    /// A call failed, and a part of the data may be written; or the server keeps losing it.
    pub fn write(&mut self, file: &Handle, offset: u64, data: &[u8]) -> Result<()> {
        write::write(&mut self.connection, self.depth, self.sizes.write, wire(file), offset, data)
    }
}

/// A handle as it travels.
pub(crate) fn wire(handle: &Handle) -> FileHandle<'_> {
    // Both hold at most 64 bytes.
    FileHandle::new(handle.as_bytes()).unwrap_or_default()
}

/// A handle of our own.
pub(crate) fn own(handle: FileHandle<'_>) -> Handle {
    Handle::new(handle.as_bytes()).unwrap_or(Handle::EMPTY)
}

fn file_name(name: &[u8]) -> Result<FileName<'_>> {
    FileName::new(name)
        .ok_or_else(|| Error::Usage("a name of more than 4 GiB cannot be sent".into()))
}
