//! A directory, read-only, served by the crate nfs-mamont: `nfs-mamont DIR ADDR`.

use std::fs::Metadata;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use nfs_mamont::auth::Credential;
use nfs_mamont::mount::ExportEntry;
use nfs_mamont::service::mount::{ExportEntryWrapper, MountService};
use nfs_mamont::service::nlm::NlmService;
use nfs_mamont::vfs::file::{Attr, Device, Handle, PAYLOAD_SIZE, Path, Time, Type};
use nfs_mamont::vfs::{self, Error, WccData, fs_info, get_attr, lookup, read};
use nfs_mamont::{Buffer, Impl, ServerContext};
use nfswire_peer_servers::{ROOT, Tree, arguments};
use tokio::net::TcpListener;

/// The number of the only export.
const BACKEND: u8 = 0;
/// Its pool: 64 MiB in buffers of 1 MiB, so that each READ is one `pread`.
const BUFFERS: (usize, usize) = (1 << 20, 64);
/// Calls that it works on at a time, as the example in its documentation has it.
const CONCURRENCY: usize = 64;

const NO_WCC: WccData = WccData { before: None, after: None };

fn error(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::NoEntry,
        io::ErrorKind::PermissionDenied => Error::Access,
        io::ErrorKind::InvalidInput => Error::InvalidArgument,
        _ => Error::IO,
    }
}

fn handle(id: u64) -> Handle {
    let mut payload = [0; PAYLOAD_SIZE];
    if let Some(first) = payload.first_chunk_mut() {
        *first = id.to_be_bytes();
    }
    Handle::new(BACKEND, payload)
}

fn id(handle: &Handle) -> u64 {
    handle.payload().first_chunk().copied().map_or(0, u64::from_be_bytes)
}

fn attributes(meta: &Metadata) -> Attr {
    let time = |seconds: i64, nanos: i64| Time {
        seconds: u32::try_from(seconds).unwrap_or_default(),
        nanos: u32::try_from(nanos).unwrap_or_default(),
    };
    Attr {
        file_type: match meta.file_type() {
            kind if kind.is_dir() => Type::Directory,
            kind if kind.is_symlink() => Type::Symlink,
            _ => Type::Regular,
        },
        mode: meta.mode() & 0o7777,
        nlink: u32::try_from(meta.nlink()).unwrap_or(u32::MAX),
        uid: meta.uid(),
        gid: meta.gid(),
        size: meta.size(),
        used: meta.blocks().saturating_mul(512),
        device: Device { major: 0, minor: 0 },
        fs_id: meta.dev(),
        file_id: meta.ino(),
        atime: time(meta.atime(), meta.atime_nsec()),
        mtime: time(meta.mtime(), meta.mtime_nsec()),
        ctime: time(meta.ctime(), meta.ctime_nsec()),
    }
}

struct Exported(Tree);

impl Exported {
    fn stat(&self, file: &Handle) -> Result<Attr, Error> {
        self.0
            .node(id(file))
            .and_then(|node| node.stat())
            .map(|meta| attributes(&meta))
            .map_err(error)
    }
}

impl get_attr::GetAttr for Exported {
    async fn get_attr(
        &self,
        args: get_attr::Args,
        _: &Credential,
    ) -> Result<get_attr::Success, get_attr::Fail> {
        let object = self.stat(&args.file).map_err(|error| get_attr::Fail { error })?;
        Ok(get_attr::Success { object })
    }
}

impl lookup::Lookup for Exported {
    async fn lookup(
        &self,
        args: lookup::Args,
        _: &Credential,
    ) -> Result<lookup::Success, lookup::Fail> {
        let fail = |error| lookup::Fail { error, dir_attr: None };
        let file = self
            .0
            .lookup(id(&args.parent), args.name.as_str().as_bytes())
            .map_err(|e| fail(error(e)))?;
        let file = handle(file);
        Ok(lookup::Success {
            file_attr: self.stat(&file).ok(),
            dir_attr: self.stat(&args.parent).ok(),
            file,
        })
    }
}

impl<B: Buffer> read::Read<B> for Exported {
    async fn read(
        &self,
        args: read::Args,
        mut data: B,
        _: &Credential,
    ) -> Result<read::Success<B>, read::Fail> {
        let fail = |error| read::Fail { error, file_attr: None };
        let node = self.0.node(id(&args.file)).map_err(|e| fail(error(e)))?;
        let attr = node.stat().map(|meta| attributes(&meta)).map_err(|e| fail(error(e)))?;
        let (mut at, end) =
            (args.offset, args.offset.saturating_add(args.count.into()).min(attr.size));
        for chunk in data.chunks_mut() {
            let wanted =
                usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX).min(chunk.len());
            let Some(chunk) = chunk.get_mut(..wanted).filter(|chunk| !chunk.is_empty()) else {
                break;
            };
            let got = node.read(at, chunk).map_err(|e| fail(error(e)))?;
            at = at.saturating_add(got as u64);
            if got < wanted {
                break;
            }
        }
        let count = u32::try_from(at.saturating_sub(args.offset)).unwrap_or(u32::MAX);
        let head = read::SuccessHeader { eof: at >= attr.size, file_attr: Some(attr), count };
        Ok(read::Success { head, data })
    }
}

impl fs_info::FsInfo for Exported {
    async fn fs_info(
        &self,
        args: fs_info::Args,
        _: &Credential,
    ) -> Result<fs_info::Success, fs_info::Fail> {
        Ok(fs_info::Success {
            root_attr: self.stat(&args.root).ok(),
            read_max: 1 << 20,
            read_pref: 1 << 20,
            read_mult: 4096,
            write_max: 1 << 20,
            write_pref: 1 << 20,
            write_mult: 4096,
            read_dir_pref: 64 << 10,
            max_file_size: i64::MAX.unsigned_abs(),
            time_delta: Time { seconds: 0, nanos: 1 },
            properties: fs_info::Properties::from_wire(fs_info::Properties::HOMOGENEOUS),
        })
    }
}

/// The other procedures, of which nothing is measured: its trait wants all of them.
macro_rules! refused {
    ($($module:ident::$Trait:ident.$method:ident -> $error:ident { $($field:ident: $value:expr),* };)*) => {$(
        impl vfs::$module::$Trait for Exported {
            async fn $method(&self, _: vfs::$module::Args, _: &Credential) -> Result<vfs::$module::Success, vfs::$module::Fail> {
                Err(vfs::$module::Fail { error: Error::$error, $($field: $value),* })
            }
        }
    )*};
}

refused! {
    access::Access.access -> NotSupported { object_attr: None };
    commit::Commit.commit -> ReadOnlyFs { file_wcc: NO_WCC };
    create::Create.create -> ReadOnlyFs { wcc_data: NO_WCC };
    fs_stat::FsStat.fs_stat -> NotSupported { root_attr: None };
    link::Link.link -> ReadOnlyFs { file_attr: None, dir_wcc: NO_WCC };
    mk_dir::MkDir.mk_dir -> ReadOnlyFs { dir_wcc: NO_WCC };
    mk_node::MkNode.mk_node -> ReadOnlyFs { dir_wcc: NO_WCC };
    path_conf::PathConf.path_conf -> NotSupported { file_attr: None };
    read_dir::ReadDir.read_dir -> NotSupported { dir_attr: None };
    read_dir_plus::ReadDirPlus.read_dir_plus -> NotSupported { dir_attr: None };
    read_link::ReadLink.read_link -> NotSupported { symlink_attr: None };
    remove::Remove.remove -> ReadOnlyFs { dir_wcc: NO_WCC };
    rename::Rename.rename -> ReadOnlyFs { from_dir_wcc: NO_WCC, to_dir_wcc: NO_WCC };
    rm_dir::RmDir.rm_dir -> ReadOnlyFs { dir_wcc: NO_WCC };
    set_attr::SetAttr.set_attr -> ReadOnlyFs { wcc_data: NO_WCC };
    symlink::Symlink.symlink -> ReadOnlyFs { dir_wcc: NO_WCC };
}

impl<B: Buffer> vfs::write::Write<B> for Exported {
    async fn write(
        &self,
        _: vfs::write::Args<B>,
        _: &Credential,
    ) -> Result<vfs::write::Success, vfs::write::Fail> {
        Err(vfs::write::Fail { error: Error::ReadOnlyFs, wcc_data: NO_WCC })
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), String> {
    let (tree, addr) = arguments()?;
    let size = |n| NonZeroUsize::new(n).ok_or("a size is 0");
    let pool = Arc::new(Impl::new(size(BUFFERS.0)?, size(BUFFERS.1)?));
    let context = ServerContext::new(pool, size(CONCURRENCY)?);
    if context.add_backend(Arc::new(Exported(tree))) != Some(BACKEND) {
        return Err("the first export has another number than 0".into());
    }
    let directory = Path::new("/".into()).map_err(|e| e.to_string())?;
    let export = ExportEntryWrapper {
        export: ExportEntry { directory, names: Vec::new() },
        root_handle: handle(ROOT),
    };
    let listener =
        TcpListener::bind(&addr).await.map_err(|e| format!("cannot listen on {addr}: {e}"))?;
    println!("ready {}", listener.local_addr().map_err(|e| e.to_string())?);
    let (mount, locks) =
        (Arc::new(MountService::with_exports(vec![export])), Arc::new(NlmService::new()));
    nfs_mamont::handle_forever(listener, context, mount, locks)
        .await
        .map_err(|e| format!("cannot accept: {e}"))
}
