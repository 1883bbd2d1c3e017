//! File systems of a test's own, on loop devices, and a client that says what it wants in one line.
//!
//! A test that mounts something runs in a process of its own, which has mounts of its own: all of it, loop devices too, is
//! gone when the process ends, however it ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use nfswire_examples::exports::{Export, Exports, loopback};
use nfswire_examples::local::{ExportOptions, LocalFs};
use nfswire_examples::server::{Config, Server, Squash};
use nfswire_examples::state_dir::MacKey;
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply};
use nfswire_nfs3::create::{CreateArgs, CreateHow, CreateReply, MkdirArgs, MkdirReply};
use nfswire_nfs3::fs::{FsstatArgs, FsstatOk, FsstatReply};
use nfswire_nfs3::io::{CommitArgs, CommitReply, ReadArgs, ReadReply, WriteArgs, WriteReply};
use nfswire_nfs3::lookup::{AccessArgs, AccessReply, LookupArgs, LookupReply};
use nfswire_nfs3::procedures::*;
use nfswire_nfs3::remove::{
    LinkArgs, LinkReply, RemoveArgs, RemoveReply, RenameArgs, RenameReply, RmdirArgs, RmdirReply,
};
use nfswire_nfs3::{Attributes, DirOpArgs, FileHandle, FileName, SetAttributes, StableHow, Status};
use nfswire_xdr::Payload;

use crate::server_support::{Client, Running};

/// Says to the process below where it may mount things.
const PLACE: &str = "NFSWIRE_DISKS";

//--- Where it runs ---

/// Runs a command; whatever it says is part of a failure.
pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    try_run(program, arguments).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn try_run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let done = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let done = done.map_err(|error| format!("{program}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if done.status.success() {
        return Ok(text(&done.stdout));
    }
    Err(format!("{program} {}: {}", arguments.join(" "), text(&done.stderr).trim()))
}

/// Runs the body of the test of this name where it may mount what it likes, or says in a line why it does not.
pub(crate) fn on_disks(test: &str, body: impl FnOnce(&Path)) {
    if let Some(place) = std::env::var_os(PLACE) {
        let place = Path::new(&place);
        run("mount", &["-t", "tmpfs", "-o", "size=1g", "none", text(place)]);
        return body(place);
    }
    let is_root = rustix::process::geteuid().is_root();
    let possible = if is_root { Ok(()) } else { Err("not root".into()) }
        .and_then(|()| try_run("unshare", &["-m", "losetup", "-f"]).map(drop))
        .and_then(|()| try_run("mkfs.ext4", &["-V"]).map(drop));
    if let Err(error) = possible {
        eprintln!("{test} is not run, it takes root, loop devices and e2fsprogs: {error}");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let mut child = Command::new("unshare");
    child.args(["-m", "--propagation", "private"]).arg(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(PLACE, place.path());
    let done = child.stdin(Stdio::null()).output().unwrap();
    let said = [&done.stdout[..], &done.stderr[..]].map(String::from_utf8_lossy).concat();
    assert!(done.status.success(), "{said}");
    assert!(said.contains("1 passed"), "there is a test of this name: {said}");
    for line in said.lines().filter(|line| line.contains("not run")) {
        eprintln!("{line}");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

//--- Disks ---

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ext4,
    Xfs,
    Btrfs,
}

/// Those that there are programs and a kernel for.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds = vec![Kind::Ext4];
    let known = std::fs::read_to_string("/proc/filesystems").unwrap();
    if known.contains("\txfs\n") && try_run("mkfs.xfs", &["-V"]).is_ok() {
        kinds.push(Kind::Xfs);
    } else {
        eprintln!("xfs is not run: this kernel has none, or xfsprogs is not installed");
    }
    kinds
}

/// A file system on an image.
pub(crate) struct Disk {
    pub(crate) image: PathBuf,
    /// Where it is mounted.
    pub(crate) path: PathBuf,
    options: &'static str,
}

impl Disk {
    /// A new one, mounted. All of it is everybody's.
    pub(crate) fn new(place: &Path, name: &str, kind: Kind, arguments: &[&str]) -> Self {
        Self::mounted(place, name, kind, arguments, "loop")
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same with options for the mount, which this kernel may not have.
    pub(crate) fn mounted(
        place: &Path,
        name: &str,
        kind: Kind,
        arguments: &[&str],
        options: &'static str,
    ) -> Result<Self, String> {
        let image = place.join(format!("{name}.img"));
        let (program, size, usual) = match kind {
            Kind::Ext4 => {
                ("mkfs.ext4", "64M", &["-q", "-F", "-m", "0", "-b", "4096", "-E", "nodiscard"][..])
            }
            // It makes none below 300 MB.
            Kind::Xfs => ("mkfs.xfs", "304M", &["-q"][..]),
            Kind::Btrfs => ("mkfs.btrfs", "256M", &["-q"][..]),
        };
        run("truncate", &["-s", size, text(&image)]);
        try_run(program, &[usual, arguments, &[text(&image)]].concat())?;
        let disk = Self { image, path: place.join(name), options };
        std::fs::create_dir(&disk.path).unwrap();
        disk.try_mount()?;
        run("chmod", &["0777", text(&disk.path)]);
        Ok(disk)
    }

    pub(crate) fn mount(&self) {
        self.try_mount().unwrap_or_else(|error| panic!("{error}"));
    }

    fn try_mount(&self) -> Result<(), String> {
        try_run("mount", &["-o", self.options, text(&self.image), text(&self.path)]).map(drop)
    }

    pub(crate) fn unmount(&self) {
        // Threads of a server that has ended may still be closing files.
        for _ in 0..500 {
            if try_run("umount", &[text(&self.path)]).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        run("umount", &[text(&self.path)]);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Where on the disk the data of a file lies: byte and length of each piece.
    pub(crate) fn pieces(&self, name: &str) -> Vec<(u64, u64)> {
        let listed = run("filefrag", &["-v", "-b4096", text(&self.path(name))]);
        let pieces = listed.lines().filter_map(|line| {
            let mut fields = line.split([' ', ':', '.']).filter(|field| !field.is_empty());
            let fields: Vec<u64> = fields.by_ref().map_while(|field| field.parse().ok()).collect();
            // Number, first and last block in the file, first and last on the disk, count.
            let [_, _, _, first, _, count] = fields[..] else { return None };
            Some((first * 4096, count * 4096))
        });
        let pieces: Vec<_> = pieces.collect();
        assert!(!pieces.is_empty(), "{listed}");
        pieces
    }
}

/// Bytes that are different everywhere.
pub(crate) fn pattern(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8 ^ (i >> 12) as u8 ^ (i >> 20) as u8 ^ seed).collect()
}

//--- A server of several directories ---

/// Serves directories under their last names, everybody as who he says he is. The key stays the same from start to start.
pub(crate) struct Served {
    exports: Vec<(PathBuf, ExportOptions)>,
    running: Option<Running>,
}

impl Served {
    pub(crate) fn new(directories: &[(&Path, bool)]) -> Self {
        let key = MacKey::random().unwrap();
        let options = |id, cross_mounts| ExportOptions {
            id,
            cross_mounts,
            key: Some(key.clone()),
            ..ExportOptions::default()
        };
        let exports = directories.iter().zip(0..);
        let exports = exports.map(|(&(path, crosses), id)| (path.to_owned(), options(id, crosses)));
        let mut new = Self { exports: exports.collect(), running: None };
        new.start();
        new
    }

    pub(crate) fn start(&mut self) {
        let squash = Squash::None;
        let exports = self.exports.iter().enumerate().map(|(i, (path, options))| Export {
            name: format!("/{i}").into(),
            fs: Arc::new(LocalFs::new(path, options.clone()).unwrap()),
            squash,
            allow: loopback(),
            secure: false,
        });
        let exports = Exports::new(exports.collect()).unwrap();
        let config = Config { squash, ..Config::default() };
        self.running = Some(Running::of(Server::with_exports(exports, config)));
    }

    /// Ends the server; every file of it is closed.
    pub(crate) fn stop(&mut self) {
        self.running = None;
    }

    pub(crate) fn connect(&self, export: usize, uid: u32) -> Nfs {
        Nfs::to(self.running.as_ref().unwrap().address, &format!("/{export}"), uid)
    }
}

//--- A client ---

static CONNECTIONS: AtomicU32 = AtomicU32::new(0);

/// A user at one connection.
pub(crate) struct Nfs {
    pub(crate) client: Client,
    pub(crate) root: Vec<u8>,
}

/// Bytes of one WRITE of [`Nfs::write_until`].
const PIECE: usize = 256 << 10;

pub(crate) fn fh(handle: &[u8]) -> FileHandle<'_> {
    FileHandle::new(handle).unwrap()
}

fn op<'a>(dir: &'a [u8], name: &'a str) -> DirOpArgs<'a> {
    DirOpArgs { dir: fh(dir), name: FileName::new(name.as_bytes()).unwrap() }
}

/// Sends a call and takes a part of its reply.
macro_rules! ask {
    ($nfs:expr, $procedure:ident, $args:expr, $reply:ident, $ok:pat => $take:expr) => {{
        let reply = $nfs.client.call::<$procedure>(&$args);
        match reply.results::<$procedure>() {
            $reply::Ok($ok) => Ok($take),
            $reply::Fail(status, ..) => Err(status),
        }
    }};
}

/// A handle, or the status of a failure.
pub(crate) type Handle = Result<Vec<u8>, Status>;

impl Nfs {
    pub(crate) fn to(address: SocketAddr, export: &str, uid: u32) -> Self {
        let mut new = Self::without_root(address, uid);
        new.root = new.client.mount(export);
        new
    }

    /// One that asks for nothing when it connects.
    pub(crate) fn without_root(address: SocketAddr, uid: u32) -> Self {
        let mut client = Client::to(address);
        client.user = Some((uid, uid));
        // No call is one that an earlier connection has sent.
        client.xid = CONNECTIONS.fetch_add(1 << 16, Ordering::SeqCst);
        Self { client, root: Vec::new() }
    }

    pub(crate) fn look(&mut self, dir: &[u8], name: &str) -> Handle {
        let args = LookupArgs { what: op(dir, name) };
        ask!(self, Lookup, args, LookupReply, ok => ok.object.as_bytes().to_vec())
    }

    /// A file at the top.
    pub(crate) fn file(&mut self, name: &str) -> Vec<u8> {
        let root = self.root.clone();
        self.look(&root, name).unwrap()
    }

    pub(crate) fn getattr(&mut self, object: &[u8]) -> Result<Attributes, Status> {
        let args = GetattrArgs { object: fh(object) };
        let reply = self.client.call::<Getattr>(&args);
        match reply.results::<Getattr>() {
            GetattrReply::Ok(ok) => Ok(ok.attributes),
            GetattrReply::Fail(status) => Err(status),
        }
    }

    pub(crate) fn access(&mut self, object: &[u8], access: u32) -> u32 {
        let args = AccessArgs { object: fh(object), access };
        let granted: Result<_, Status> = ask!(self, Access, args, AccessReply, ok => ok.access);
        granted.unwrap()
    }

    pub(crate) fn fsstat(&mut self, object: &[u8]) -> FsstatOk {
        let args = FsstatArgs { fsroot: fh(object) };
        let found: Result<_, Status> = ask!(self, Fsstat, args, FsstatReply, ok => ok);
        found.unwrap()
    }

    /// `None` if the server ends in the middle.
    pub(crate) fn try_create(&mut self, dir: &[u8], name: &str, how: CreateHow) -> Option<Handle> {
        let record = self.client.record::<Create>(&CreateArgs { location: op(dir, name), how });
        self.client.send(&record);
        let reply = self.client.try_receive()?;
        Some(match reply.results::<Create>() {
            CreateReply::Ok(ok) => Ok(ok.object.unwrap().as_bytes().to_vec()),
            CreateReply::Fail(status, _) => Err(status),
        })
    }

    pub(crate) fn create(&mut self, dir: &[u8], name: &str, how: CreateHow) -> Handle {
        self.try_create(dir, name, how).expect("the server keeps the connection open")
    }

    /// A new file of mode 0644 at the top.
    pub(crate) fn make(&mut self, name: &str) -> Handle {
        let new = SetAttributes { mode: Some(0o644), ..SetAttributes::default() };
        let root = self.root.clone();
        self.create(&root, name, CreateHow::Guarded(new))
    }

    pub(crate) fn mkdir(&mut self, dir: &[u8], name: &str) -> Handle {
        let attributes = SetAttributes { mode: Some(0o755), ..SetAttributes::default() };
        let args = MkdirArgs { location: op(dir, name), attributes };
        ask!(self, Mkdir, args, MkdirReply, ok => ok.object.unwrap().as_bytes().to_vec())
    }

    pub(crate) fn remove(&mut self, dir: &[u8], name: &str) -> Result<(), Status> {
        ask!(self, Remove, RemoveArgs { object: op(dir, name) }, RemoveReply, _ => ())
    }

    pub(crate) fn rmdir(&mut self, dir: &[u8], name: &str) -> Result<(), Status> {
        ask!(self, Rmdir, RmdirArgs { object: op(dir, name) }, RmdirReply, _ => ())
    }

    pub(crate) fn rename(&mut self, from: (&[u8], &str), to: (&[u8], &str)) -> Result<(), Status> {
        let args = RenameArgs { from: op(from.0, from.1), to: op(to.0, to.1) };
        ask!(self, Rename, args, RenameReply, _ => ())
    }

    pub(crate) fn link(&mut self, file: &[u8], dir: &[u8], name: &str) -> Result<(), Status> {
        ask!(self, Link, LinkArgs { file: fh(file), link: op(dir, name) }, LinkReply, _ => ())
    }

    /// Bytes written and the write verifier.
    pub(crate) fn write(
        &mut self,
        file: &[u8],
        offset: u64,
        data: &[u8],
        stable: StableHow,
    ) -> Result<(usize, [u8; 8]), Status> {
        let args = WriteArgs::new(fh(file), offset, stable, Payload::Borrowed(data));
        ask!(self, Write, args, WriteReply, ok => (ok.count as usize, ok.verifier))
    }

    /// Writes one piece behind the other until that fails, which it must; returns how many bytes were taken, and why no
    /// more.
    pub(crate) fn write_until(
        &mut self,
        file: &[u8],
        data: &[u8],
        stable: StableHow,
    ) -> (usize, Status) {
        let mut done = 0;
        loop {
            let end = data.len().min(done + PIECE);
            assert!(done < end, "the disk takes everything");
            match self.write(file, done as u64, &data[done..end], stable) {
                Ok((count, _)) => done += count,
                Err(status) => return (done, status),
            }
        }
    }

    /// Makes files until that fails, which it must; returns how many there are, and why no more.
    pub(crate) fn make_until(&mut self, prefix: &str) -> (usize, Status) {
        let mut made = 0;
        loop {
            match self.make(&format!("{prefix}{made}")) {
                Ok(_) => made += 1,
                Err(status) => return (made, status),
            }
        }
    }

    pub(crate) fn commit(&mut self, file: &[u8]) -> Result<[u8; 8], Status> {
        let args = CommitArgs { file: fh(file), offset: 0, count: 0 };
        ask!(self, Commit, args, CommitReply, ok => ok.verifier)
    }

    /// `None` if the server cuts the connection in the middle.
    pub(crate) fn try_read(
        &mut self,
        file: &[u8],
        offset: u64,
        count: u32,
    ) -> Option<Result<Vec<u8>, Status>> {
        let record = self.client.record::<Read>(&ReadArgs { file: fh(file), offset, count });
        self.client.send(&record);
        let reply = self.client.try_receive()?;
        Some(match reply.results::<Read>() {
            ReadReply::Ok(ok) => {
                ok.validate().unwrap();
                Ok(ok.bytes().unwrap().to_vec())
            }
            ReadReply::Fail(status, _) => Err(status),
        })
    }

    pub(crate) fn read(&mut self, file: &[u8], offset: u64, count: u32) -> Handle {
        self.try_read(file, offset, count).expect("the server keeps the connection open")
    }
}
