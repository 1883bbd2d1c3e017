//! A directory, read-only, served by the crate nfsserve: `nfsserve DIR ADDR`.

use std::io;

use async_trait::async_trait;
use nfsserve::fs_util::metadata_to_fattr3;
use nfsserve::nfs::{fattr3, fileid3, filename3, nfspath3, nfsstat3, sattr3};
use nfsserve::tcp::{NFSTcp, NFSTcpListener};
use nfsserve::vfs::{NFSFileSystem, ReadDirResult, VFSCapabilities};
use nfswire_peer_servers::{ROOT, Tree, arguments};

type Result<T> = std::result::Result<T, nfsstat3>;

const READ_ONLY: nfsstat3 = nfsstat3::NFS3ERR_ROFS;

fn status(error: io::Error) -> nfsstat3 {
    match error.kind() {
        io::ErrorKind::NotFound => nfsstat3::NFS3ERR_NOENT,
        io::ErrorKind::PermissionDenied => nfsstat3::NFS3ERR_ACCES,
        io::ErrorKind::InvalidInput => nfsstat3::NFS3ERR_INVAL,
        _ => nfsstat3::NFS3ERR_IO,
    }
}

struct Exported(Tree);

#[async_trait]
impl NFSFileSystem for Exported {
    fn capabilities(&self) -> VFSCapabilities {
        VFSCapabilities::ReadOnly
    }

    fn root_dir(&self) -> fileid3 {
        ROOT
    }

    async fn lookup(&self, dir: fileid3, name: &filename3) -> Result<fileid3> {
        self.0.lookup(dir, name).map_err(status)
    }

    async fn getattr(&self, id: fileid3) -> Result<fattr3> {
        let meta = self.0.node(id).and_then(|node| node.stat()).map_err(status)?;
        Ok(metadata_to_fattr3(id, &meta))
    }

    async fn read(&self, id: fileid3, offset: u64, count: u32) -> Result<(Vec<u8>, bool)> {
        self.0.node(id).and_then(|node| node.read_vec(offset, count)).map_err(status)
    }

    async fn setattr(&self, _: fileid3, _: sattr3) -> Result<fattr3> {
        Err(READ_ONLY)
    }

    async fn write(&self, _: fileid3, _: u64, _: &[u8]) -> Result<fattr3> {
        Err(READ_ONLY)
    }

    async fn create(&self, _: fileid3, _: &filename3, _: sattr3) -> Result<(fileid3, fattr3)> {
        Err(READ_ONLY)
    }

    async fn create_exclusive(&self, _: fileid3, _: &filename3) -> Result<fileid3> {
        Err(READ_ONLY)
    }

    async fn mkdir(&self, _: fileid3, _: &filename3) -> Result<(fileid3, fattr3)> {
        Err(READ_ONLY)
    }

    async fn remove(&self, _: fileid3, _: &filename3) -> Result<()> {
        Err(READ_ONLY)
    }

    async fn rename(&self, _: fileid3, _: &filename3, _: fileid3, _: &filename3) -> Result<()> {
        Err(READ_ONLY)
    }

    async fn symlink(
        &self,
        _: fileid3,
        _: &filename3,
        _: &nfspath3,
        _: &sattr3,
    ) -> Result<(fileid3, fattr3)> {
        Err(READ_ONLY)
    }

    /// Directories are not listed: nothing measures it.
    async fn readdir(&self, _: fileid3, _: fileid3, _: usize) -> Result<ReadDirResult> {
        Err(nfsstat3::NFS3ERR_NOTSUPP)
    }

    async fn readlink(&self, _: fileid3) -> Result<nfspath3> {
        Err(nfsstat3::NFS3ERR_NOTSUPP)
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> std::result::Result<(), String> {
    let (tree, addr) = arguments()?;
    let listener = NFSTcpListener::bind(&addr, Exported(tree)).await;
    let listener = listener.map_err(|e| format!("cannot listen on {addr}: {e}"))?;
    println!("ready {}:{}", listener.get_listen_ip(), listener.get_listen_port());
    listener.handle_forever().await.map_err(|e| format!("cannot accept: {e}"))
}
