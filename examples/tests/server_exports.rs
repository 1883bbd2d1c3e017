//! Several exports of one server: names, who may use them, as whom, and that nothing passes between them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod server_support;

use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use ipnet::IpNet;
use nfswire_examples::exports::{Export, Exports, loopback};
use nfswire_examples::local::{ExportOptions, LocalFs};
use nfswire_examples::server::{Config, Server, Squash};
use nfswire_examples::state_dir::MacKey;
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply};
use nfswire_nfs3::create::{MkdirArgs, MkdirReply};
use nfswire_nfs3::mount::{MountStatus, v3};
use nfswire_nfs3::procedures::{Getattr, Link, Mkdir, Null, Rename};
use nfswire_nfs3::remove::{LinkArgs, LinkFail, LinkReply, RenameArgs, RenameFail, RenameReply};
use nfswire_nfs3::{DirOpArgs, FileHandle, FileName, SetAttributes, SetTime, Status};
use nfswire_rpc::{AuthStat, CallFailure};
use server_support::{Client, Running};
use socket2::{Domain, Socket, Type};
use tempfile::TempDir;

/// Directories `a` and `b` of a new directory, served by one server.
struct Two {
    dir: TempDir,
    server: Running,
}

impl Two {
    fn new(squash: [Squash; 2], allow: [Vec<IpNet>; 2]) -> Self {
        Self::with(squash, allow, [false; 2])
    }

    fn with(squash: [Squash; 2], allow: [Vec<IpNet>; 2], secure: [bool; 2]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let key = MacKey::random().unwrap();
        let exports = ["a", "b"].into_iter().zip(squash).zip(allow).zip(secure).zip(0..).map(
            |((((name, squash), allow), secure), id)| {
                let path = dir.path().join(name);
                std::fs::create_dir_all(path.join("folder/deep")).unwrap();
                std::fs::write(path.join("file"), name).unwrap();
                for place in [&path, &path.join("folder")] {
                    std::fs::set_permissions(place, PermissionsExt::from_mode(0o777)).unwrap();
                }
                let options =
                    ExportOptions { id, key: Some(key.clone()), ..ExportOptions::default() };
                let fs = LocalFs::new(&path, options).unwrap();
                Export { name: format!("/{name}").into(), fs: Arc::new(fs), squash, allow, secure }
            },
        );
        let exports = Exports::new(exports.collect()).unwrap();
        let server = Running::of(Server::with_exports(exports, Config::default()));
        Self { dir, server }
    }

    fn open() -> Self {
        Self::new([Squash::Root; 2], [loopback(), loopback()])
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.dir.path().join(path)
    }
}

fn getattr(client: &mut Client, object: &[u8]) -> Result<u64, Status> {
    let reply = client.call::<Getattr>(&GetattrArgs { object: FileHandle::new(object).unwrap() });
    match reply.results::<Getattr>() {
        GetattrReply::Ok(ok) => Ok(ok.attributes.fsid),
        GetattrReply::Fail(status) => Err(status),
    }
}

fn entry<'a>(dir: &'a [u8], name: &'a str) -> DirOpArgs<'a> {
    DirOpArgs { dir: FileHandle::new(dir).unwrap(), name: FileName::new(name.as_bytes()).unwrap() }
}

fn mkdir(client: &mut Client, dir: &[u8], name: &str) {
    let attributes = SetAttributes {
        mode: Some(0o700),
        uid: None,
        gid: None,
        size: None,
        atime: SetTime::DontChange,
        mtime: SetTime::DontChange,
    };
    let reply = client.call::<Mkdir>(&MkdirArgs { location: entry(dir, name), attributes });
    assert!(matches!(reply.results::<Mkdir>(), MkdirReply::Ok(_)));
}

#[test]
fn names_and_directories_below_them_are_mounted() {
    let two = Two::open();
    symlink("folder", two.path("a/link")).unwrap();
    symlink(two.path("b"), two.path("a/out")).unwrap();
    let mut client = two.server.connect();
    let (a, b) = (client.mount("/a"), client.mount("//b/"));
    let deep = client.mount("/a/folder/deep");
    assert_ne!(getattr(&mut client, &a).unwrap(), getattr(&mut client, &b).unwrap());
    assert_eq!(getattr(&mut client, &a), getattr(&mut client, &deep));
    for (path, status) in [
        ("/", MountStatus::NOENT),
        ("/c", MountStatus::NOENT),
        ("/a/none", MountStatus::NOENT),
        ("/a/file", MountStatus::NOTDIR),
        ("/a/file/x", MountStatus::NOTDIR),
        ("/a/link", MountStatus::NOTDIR),
        ("/a/link/deep", MountStatus::NOTDIR),
        ("/a/out", MountStatus::NOTDIR),
    ] {
        assert_eq!(client.try_mount(path), Err(status), "{path}");
    }
    // The way up ends at the top of the export.
    assert_eq!(client.mount("/a/../.."), a);

    let reply = client.call::<v3::Export>(&());
    let listed: Vec<_> = (reply.results::<v3::Export>().iter())
        .map(|export| (export.directory.as_bytes().to_vec(), export.groups.len()))
        .collect();
    assert_eq!(listed, [(b"/a".to_vec(), 2), (b"/b".to_vec(), 2)]);
    let reply = client.call::<v3::Dump>(&());
    let mounted: Vec<_> = (reply.results::<v3::Dump>().iter())
        .map(|mount| String::from_utf8(mount.directory.as_bytes().to_vec()).unwrap())
        .collect();
    assert_eq!(mounted, ["/a", "/b", "/a/folder/deep", "/a/../.."]);
}

#[test]
fn handles_lead_to_their_own_export_only() {
    let two = Two::open();
    let mut client = two.server.connect();
    let (a, b) = (client.mount("/a"), client.mount("/b"));
    // Whatever is changed, and also what is swapped.
    for bit in 0..a.len() * 8 {
        let mut forged = a.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(getattr(&mut client, &forged), Err(Status::BADHANDLE), "bit {bit}");
    }
    let mut swapped = a.clone();
    swapped[..6].copy_from_slice(&b[..6]);
    assert_eq!(getattr(&mut client, &swapped), Err(Status::BADHANDLE));
    assert_eq!(getattr(&mut client, b""), Err(Status::BADHANDLE));

    let across = RenameArgs { from: entry(&a, "file"), to: entry(&b, "moved") };
    let reply = client.call::<Rename>(&across);
    let RenameReply::Fail(status, RenameFail { .. }) = reply.results::<Rename>() else {
        panic!("renamed")
    };
    assert_eq!(status, Status::XDEV);
    let file = FileHandle::new(&a).unwrap();
    let reply = client.call::<Link>(&LinkArgs { file, link: entry(&b, "second") });
    let LinkReply::Fail(status, LinkFail { .. }) = reply.results::<Link>() else {
        panic!("linked")
    };
    assert_eq!(status, Status::XDEV);
    assert_eq!(std::fs::read(two.path("a/file")).unwrap(), b"a");
    assert!(!two.path("b/moved").exists() && !two.path("b/second").exists());
}

#[test]
fn each_export_has_its_own_squash() {
    if !rustix::process::geteuid().is_root() {
        println!("not root: every call is this user's");
        return;
    }
    let owner = |path: &Path| std::fs::metadata(path).unwrap().uid();
    for (squash, root, user) in
        [(Squash::Root, 65534, 1001), (Squash::All, 65534, 65534), (Squash::None, 0, 1001)]
    {
        // The other export's policy has no effect.
        let two = Two::new([squash, Squash::None], [loopback(), loopback()]);
        let mut client = two.server.connect();
        let (a, b) = (client.mount("/a"), client.mount("/b"));
        for (dir, name, uid, expected) in [
            (&a, "a/root", 0, root),
            (&b, "b/root", 0, 0),
            (&a, "a/user", 1001, user),
            (&b, "b/user", 1001, 1001),
        ] {
            client.user = Some((uid, uid));
            mkdir(&mut client, dir, &name[2..]);
            assert_eq!(owner(&two.path(name)), expected, "{squash:?} {name}");
        }
        client.user = None;
        mkdir(&mut client, &b, "anonymous");
        assert_eq!(owner(&two.path("b/anonymous")), 65534);
    }
}

/// A client of another address of this machine.
fn from(address: &str, server: SocketAddr) -> Client {
    connected(bound(address, 0).unwrap(), server)
}

fn bound(address: &str, port: u16) -> std::io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.bind(&format!("{address}:{port}").parse::<SocketAddr>().unwrap().into())?;
    Ok(socket)
}

fn connected(socket: Socket, server: SocketAddr) -> Client {
    socket.connect(&server.into()).unwrap();
    Client { stream: TcpStream::from(socket), xid: 1, user: None }
}

#[test]
fn each_export_has_its_own_clients() {
    let only = |host: &str| vec![host.parse().unwrap()];
    let two = Two::new([Squash::Root; 2], [only("127.0.0.1/32"), only("127.0.0.2/31")]);
    let mut first = two.server.connect();
    let connect = |address| from(address, two.server.address);
    let mut second = connect("127.0.0.2");
    let (a, b) = (first.mount("/a"), second.mount("/b"));
    for (client, path, handle) in [(&mut first, "/b", &b), (&mut second, "/a", &a)] {
        assert_eq!(client.try_mount(path), Err(MountStatus::ACCES));
        // A handle that was overheard is of no use either.
        let args = GetattrArgs { object: FileHandle::new(handle).unwrap() };
        let failure = client.call::<Getattr>(&args).failure();
        assert_eq!(failure, CallFailure::Auth(AuthStat::TOO_WEAK));
        // Whether there is a server is no secret.
        client.call::<Null>(&()).results::<Null>();
    }
    getattr(&mut first, &a).unwrap();
    getattr(&mut second, &b).unwrap();
    // Nobody's handle is told from somebody else's only by those who may have one.
    assert_eq!(getattr(&mut second, b"x"), Err(Status::BADHANDLE));
    // Hosts that may use none get no connection.
    for stranger in ["127.0.0.4", "127.1.0.2"] {
        assert!(connect(stranger).is_closed(), "{stranger}");
    }
    getattr(&mut first, &a).unwrap();
}

#[test]
fn a_secure_export_is_for_clients_at_reserved_ports() {
    let two = Two::with([Squash::Root; 2], [loopback(), loopback()], [false, true]);
    let mut anybody = two.server.connect();
    let open = anybody.mount("/a");
    assert_eq!(anybody.try_mount("/b"), Err(MountStatus::ACCES));
    let bound = (600..1024).find_map(|port| bound("127.0.0.1", port).ok());
    let Some(socket) = bound else {
        assert!(!rustix::process::geteuid().is_root(), "root gets reserved ports");
        println!("not root: no client with a reserved port");
        return;
    };
    let mut trusted = connected(socket, two.server.address);
    let secure = trusted.mount("/b");
    for handle in [&open, &secure] {
        getattr(&mut trusted, handle).unwrap();
    }
    // A handle that was overheard is of no use elsewhere.
    getattr(&mut anybody, &open).unwrap();
    let args = GetattrArgs { object: FileHandle::new(&secure).unwrap() };
    let failure = anybody.call::<Getattr>(&args).failure();
    assert_eq!(failure, CallFailure::Auth(AuthStat::TOO_WEAK));
}
