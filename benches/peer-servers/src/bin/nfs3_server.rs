//! A directory, read-only, served by the crate nfs3_server: `nfs3_server DIR ADDR`.

use std::io;

use nfs3_server::fs_util::metadata_to_fattr3;
use nfs3_server::nfs3_types::nfs3::{fattr3, filename3, nfspath3, nfsstat3};
use nfs3_server::tcp::{NFSTcp, NFSTcpListener};
use nfs3_server::vfs::{
    DirEntryPlus, FileHandleU64, NextResult, NfsReadFileSystem, ReadDirPlusIterator,
};
use nfswire_peer_servers::{ROOT, Tree, arguments};

type Result<T> = std::result::Result<T, nfsstat3>;

fn status(error: io::Error) -> nfsstat3 {
    match error.kind() {
        io::ErrorKind::NotFound => nfsstat3::NFS3ERR_NOENT,
        io::ErrorKind::PermissionDenied => nfsstat3::NFS3ERR_ACCES,
        io::ErrorKind::InvalidInput => nfsstat3::NFS3ERR_INVAL,
        _ => nfsstat3::NFS3ERR_IO,
    }
}

struct Exported(Tree);

/// Directories are not listed: nothing measures it.
enum NoListing {}

impl ReadDirPlusIterator<FileHandleU64> for NoListing {
    async fn next(&mut self) -> NextResult<DirEntryPlus<FileHandleU64>> {
        match *self {}
    }
}

impl NfsReadFileSystem for Exported {
    type Handle = FileHandleU64;

    fn root_dir(&self) -> FileHandleU64 {
        FileHandleU64::new(ROOT)
    }

    async fn lookup(&self, dir: &FileHandleU64, name: &filename3<'_>) -> Result<FileHandleU64> {
        self.0.lookup(dir.as_u64(), name.as_ref()).map(FileHandleU64::new).map_err(status)
    }

    async fn getattr(&self, id: &FileHandleU64) -> Result<fattr3> {
        let meta = self.0.node(id.as_u64()).and_then(|node| node.stat()).map_err(status)?;
        Ok(metadata_to_fattr3(id.as_u64(), &meta))
    }

    async fn read(&self, id: &FileHandleU64, offset: u64, count: u32) -> Result<(Vec<u8>, bool)> {
        self.0.node(id.as_u64()).and_then(|node| node.read_vec(offset, count)).map_err(status)
    }

    async fn readdirplus(
        &self,
        _: &FileHandleU64,
        _: u64,
    ) -> Result<impl ReadDirPlusIterator<FileHandleU64>> {
        Err::<NoListing, _>(nfsstat3::NFS3ERR_NOTSUPP)
    }

    async fn readlink(&self, _: &FileHandleU64) -> Result<nfspath3<'_>> {
        Err(nfsstat3::NFS3ERR_NOTSUPP)
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> std::result::Result<(), String> {
    let (tree, addr) = arguments()?;
    let listener = NFSTcpListener::bind_ro(&addr, Exported(tree)).await;
    let listener = listener.map_err(|e| format!("cannot listen on {addr}: {e}"))?;
    println!("ready {}:{}", listener.get_listen_ip(), listener.get_listen_port());
    listener.handle_forever().await.map_err(|e| format!("cannot accept: {e}"))
}
