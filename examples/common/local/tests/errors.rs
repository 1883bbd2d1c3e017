//! Failures, procedure by procedure: what the kernel says, what the reply says, and what RFC 1813 lists (section 3.3).

use std::io::IoSlice;
use std::os::unix::fs::{PermissionsExt, symlink};

use nfswire_nfs3::{FileType, SpecData, StableHow, Status, Time};
use rustix::fs::{
    AtFlags, CWD, FileType as Kind, Mode, linkat, mkdirat, mknodat, readlinkat, renameat, statat,
    symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::*;

const ALICE: Caller<'static> = Caller { uid: 1001, gid: 2001, gids: &[] };
const NULL: SpecData = SpecData { major: 1, minor: 3 };
const LONG: &str = const {
    const BYTES: [u8; 256] = [b'x'; 256];
    match core::str::from_utf8(&BYTES) {
        Ok(name) => name,
        Err(_) => panic!(),
    }
};

/// What each procedure may fail with, from the RFC's lists, by the names of the statuses.
const LISTED: &[(&str, &[Status])] = {
    use Status as S;
    &[
        ("GETATTR", &[S::IO, S::STALE, S::BADHANDLE, S::SERVERFAULT]),
        (
            "SETATTR",
            &[
                S::PERM,
                S::IO,
                S::ACCES,
                S::INVAL,
                S::NOSPC,
                S::ROFS,
                S::DQUOT,
                S::NOT_SYNC,
                S::STALE,
                S::BADHANDLE,
                S::SERVERFAULT,
            ],
        ),
        (
            "LOOKUP",
            &[
                S::IO,
                S::NOENT,
                S::ACCES,
                S::NOTDIR,
                S::NAMETOOLONG,
                S::STALE,
                S::BADHANDLE,
                S::SERVERFAULT,
            ],
        ),
        ("ACCESS", &[S::IO, S::STALE, S::BADHANDLE, S::SERVERFAULT]),
        (
            "READLINK",
            &[S::IO, S::INVAL, S::ACCES, S::STALE, S::BADHANDLE, S::NOTSUPP, S::SERVERFAULT],
        ),
        ("READ", &[S::IO, S::NXIO, S::ACCES, S::INVAL, S::STALE, S::BADHANDLE, S::SERVERFAULT]),
        (
            "WRITE",
            &[
                S::IO,
                S::ACCES,
                S::FBIG,
                S::DQUOT,
                S::NOSPC,
                S::ROFS,
                S::INVAL,
                S::STALE,
                S::BADHANDLE,
                S::SERVERFAULT,
            ],
        ),
        ("CREATE", MAKING),
        ("MKDIR", MAKING),
        ("SYMLINK", MAKING),
        (
            "MKNOD",
            &[
                S::IO,
                S::ACCES,
                S::EXIST,
                S::NOTDIR,
                S::NOSPC,
                S::ROFS,
                S::NAMETOOLONG,
                S::DQUOT,
                S::STALE,
                S::BADHANDLE,
                S::NOTSUPP,
                S::SERVERFAULT,
                S::BADTYPE,
            ],
        ),
        (
            "REMOVE",
            &[
                S::NOENT,
                S::IO,
                S::ACCES,
                S::NOTDIR,
                S::NAMETOOLONG,
                S::ROFS,
                S::STALE,
                S::BADHANDLE,
                S::SERVERFAULT,
            ],
        ),
        (
            "RMDIR",
            &[
                S::NOENT,
                S::IO,
                S::ACCES,
                S::INVAL,
                S::EXIST,
                S::NOTDIR,
                S::NAMETOOLONG,
                S::ROFS,
                S::NOTEMPTY,
                S::STALE,
                S::BADHANDLE,
                S::NOTSUPP,
                S::SERVERFAULT,
            ],
        ),
        (
            "RENAME",
            &[
                S::NOENT,
                S::IO,
                S::ACCES,
                S::EXIST,
                S::XDEV,
                S::NOTDIR,
                S::ISDIR,
                S::INVAL,
                S::NOSPC,
                S::ROFS,
                S::MLINK,
                S::NAMETOOLONG,
                S::NOTEMPTY,
                S::DQUOT,
                S::STALE,
                S::BADHANDLE,
                S::NOTSUPP,
                S::SERVERFAULT,
            ],
        ),
        (
            "LINK",
            &[
                S::IO,
                S::ACCES,
                S::EXIST,
                S::XDEV,
                S::NOTDIR,
                S::INVAL,
                S::NOSPC,
                S::ROFS,
                S::MLINK,
                S::NAMETOOLONG,
                S::DQUOT,
                S::STALE,
                S::BADHANDLE,
                S::NOTSUPP,
                S::SERVERFAULT,
            ],
        ),
        ("READDIR", LISTING),
        ("READDIRPLUS", LISTING),
        ("FSSTAT", &[S::IO, S::STALE, S::BADHANDLE, S::SERVERFAULT]),
        ("FSINFO", &[S::STALE, S::BADHANDLE, S::SERVERFAULT]),
        ("PATHCONF", &[S::STALE, S::BADHANDLE, S::SERVERFAULT]),
        ("COMMIT", &[S::IO, S::STALE, S::BADHANDLE, S::SERVERFAULT]),
    ]
};
const MAKING: &[Status] = {
    use Status as S;
    &[
        S::IO,
        S::ACCES,
        S::EXIST,
        S::NOTDIR,
        S::NOSPC,
        S::ROFS,
        S::NAMETOOLONG,
        S::DQUOT,
        S::STALE,
        S::BADHANDLE,
        S::NOTSUPP,
        S::SERVERFAULT,
    ]
};
const LISTING: &[Status] = {
    use Status as S;
    &[
        S::IO,
        S::ACCES,
        S::NOTDIR,
        S::BAD_COOKIE,
        S::TOOSMALL,
        S::STALE,
        S::BADHANDLE,
        S::NOTSUPP,
        S::SERVERFAULT,
    ]
};

/// What the lists do not have, and clients know from the kernel's own server. The lists are no bound: section 3.3
/// calls them a guide.
const BEYOND: &[(&str, Status)] = &[
    ("REMOVE", Status::ISDIR), // what a client makes EISDIR of; Linux' server says so too
    ("REMOVE", Status::PERM),  // a sticky directory
    ("MKNOD", Status::PERM),   // a device, of a caller who is not root
];

/// What only a broken or full file system says, which goes through the same mapping whatever the procedure.
const OF_THE_SYSTEM: &[(Errno, Status)] = &[
    (Errno::IO, Status::IO),
    (Errno::NOSPC, Status::NOSPC),
    (Errno::DQUOT, Status::DQUOT),
    (Errno::NXIO, Status::NXIO),
    (Errno::MLINK, Status::MLINK),
    (Errno::FBIG, Status::FBIG),
    (Errno::XDEV, Status::XDEV),
    (Errno::ISDIR, Status::ISDIR),
    (Errno::INVAL, Status::INVAL),
    (Errno::ACCESS, Status::ACCES),
    (Errno::PERM, Status::PERM),
    (Errno::BADMSG, Status::SERVERFAULT), // and all that has no name in NFSv3
    (Errno::NOSYS, Status::NOTSUPP),
];

/// Found by the core, not by a file system: pages too small, and tests of them are with the core.
const OF_THE_CORE: &[Status] = &[Status::TOOSMALL];

/// A failure: what was tried, what the kernel says to the same (`None` where the server decides), and the reply.
struct Row {
    procedure: &'static str,
    what: &'static str,
    kernel: Option<Errno>,
    wanted: Status,
    got: Status,
}

fn status_of<T>(result: Result<T>) -> Status {
    result.map_or_else(|failure| failure.status, |_| Status::OK)
}

fn errno_of<T>(result: rustix::io::Result<T>) -> Option<Errno> {
    Some(result.err().expect("the kernel should have refused"))
}

struct Table(Vec<Row>);

impl Table {
    fn row<T>(
        &mut self,
        procedure: &'static str,
        what: &'static str,
        kernel: Option<Errno>,
        wanted: Status,
        got: Result<T>,
    ) {
        self.0.push(Row { procedure, what, kernel, wanted, got: status_of(got) });
    }
}

/// Every procedure on an object: by what handle, the status.
fn on_object(
    table: &mut Table,
    fs: &LocalFs,
    what: &'static str,
    at: &[u8],
    wanted: Status,
    kernel: Option<Errno>,
) {
    let root = fs.root();
    let (root, data) = (root.as_bytes(), [IoSlice::new(b"x")]);
    let mut page = Page { limit: 9, entries: Vec::new(), begun: false };
    let how = CreateHow::Unchecked(NOTHING);
    table.row("GETATTR", what, kernel, wanted, fs.getattr(&me(), at));
    table.row("SETATTR", what, kernel, wanted, fs.setattr(&me(), at, &mode(0o700), None));
    table.row("LOOKUP", what, kernel, wanted, fs.lookup(&me(), at, b"x"));
    table.row("ACCESS", what, kernel, wanted, fs.access(&me(), at, 0x3f));
    table.row("READLINK", what, kernel, wanted, fs.readlink(&me(), at));
    table.row("READ", what, kernel, wanted, fs.read(&me(), at, 0, 1));
    table.row("WRITE", what, kernel, wanted, fs.write(&me(), at, 0, &data, StableHow::FileSync));
    table.row("CREATE", what, kernel, wanted, fs.create(&me(), at, b"x", &how));
    table.row("MKDIR", what, kernel, wanted, fs.mkdir(&me(), at, b"x", &NOTHING));
    table.row("SYMLINK", what, kernel, wanted, fs.symlink(&me(), at, b"x", b"y", &NOTHING));
    let fifo = fs.mknod(&me(), at, b"x", FileType::Fifo, NULL, &NOTHING);
    table.row("MKNOD", what, kernel, wanted, fifo);
    table.row("REMOVE", what, kernel, wanted, fs.remove(&me(), at, b"x"));
    table.row("RMDIR", what, kernel, wanted, fs.rmdir(&me(), at, b"x"));
    table.row("RENAME", what, kernel, wanted, fs.rename(&me(), (at, b"x"), (root, b"y")));
    table.row("RENAME", what, kernel, wanted, fs.rename(&me(), (root, b"file"), (at, b"y")));
    table.row("LINK", what, kernel, wanted, fs.link(&me(), at, root, b"y"));
    for procedure in ["READDIR", "READDIRPLUS"] {
        table.row(procedure, what, kernel, wanted, fs.readdir(&me(), at, 0, [0; 8], &mut page));
    }
    table.row("FSSTAT", what, kernel, wanted, fs.fsstat(&me(), at));
    table.row("FSINFO", what, kernel, wanted, fs.fsinfo(&me(), at));
    table.row("PATHCONF", what, kernel, wanted, fs.pathconf(&me(), at));
    table.row("COMMIT", what, kernel, wanted, fs.commit(&me(), at, 0, 0));
}

/// Every procedure that makes a name or takes one.
fn on_name(
    table: &mut Table,
    fs: &LocalFs,
    what: &'static str,
    name: &str,
    file: &Handle,
    kernel: Option<Errno>,
    wanted: Status,
) {
    let root = fs.root();
    let (root, name) = (root.as_bytes(), name.as_bytes());
    let how = CreateHow::Guarded(NOTHING);
    table.row("LOOKUP", what, kernel, wanted, fs.lookup(&me(), root, name));
    table.row("CREATE", what, kernel, wanted, fs.create(&me(), root, name, &how));
    table.row("MKDIR", what, kernel, wanted, fs.mkdir(&me(), root, name, &NOTHING));
    table.row("SYMLINK", what, kernel, wanted, fs.symlink(&me(), root, name, b"y", &NOTHING));
    let fifo = fs.mknod(&me(), root, name, FileType::Fifo, NULL, &NOTHING);
    table.row("MKNOD", what, kernel, wanted, fifo);
    table.row("REMOVE", what, kernel, wanted, fs.remove(&me(), root, name));
    table.row("RMDIR", what, kernel, wanted, fs.rmdir(&me(), root, name));
    table.row("RENAME", what, kernel, wanted, fs.rename(&me(), (root, name), (root, b"y")));
    table.row("RENAME", what, kernel, wanted, fs.rename(&me(), (root, b"file"), (root, name)));
    table.row("LINK", what, kernel, wanted, fs.link(&me(), file.as_bytes(), root, name));
}

fn handles(table: &mut Table, export: &Export) {
    let gone = export.folder("gone");
    export.fs.rmdir(&me(), export.root().as_bytes(), b"gone").unwrap();
    on_object(table, &export.fs, "an object that is gone", gone.as_bytes(), Status::STALE, None);
    on_object(table, &export.fs, "a forged handle", b"forged", Status::BADHANDLE, None);
}

fn names(table: &mut Table, export: &Export, file: &Handle) {
    let (fs, path) = (&export.fs, |name: &str| export.path(name));
    let too_long = errno_of(statat(CWD, path(LONG), AtFlags::empty()));
    on_name(table, fs, "256 bytes", LONG, file, too_long, Status::NAMETOOLONG);
    on_name(table, fs, "no bytes", "", file, None, Status::ACCES);
    on_name(table, fs, "a slash", "a/b", file, None, Status::ACCES);
    on_name(table, fs, "a zero", "a\0b", file, None, Status::ACCES);
}

fn absent_and_present(table: &mut Table, export: &Export, file: &Handle) {
    let (fs, root) = (&export.fs, export.root());
    let (root, path) = (root.as_bytes(), |name: &str| export.path(name));
    let absent = errno_of(statat(CWD, path("absent"), AtFlags::empty()));
    let what = "an absent name";
    table.row("LOOKUP", what, absent, Status::NOENT, fs.lookup(&me(), root, b"absent"));
    table.row("REMOVE", what, absent, Status::NOENT, fs.remove(&me(), root, b"absent"));
    table.row("RMDIR", what, absent, Status::NOENT, fs.rmdir(&me(), root, b"absent"));
    let renamed = fs.rename(&me(), (root, b"absent"), (root, b"y"));
    table.row("RENAME", what, absent, Status::NOENT, renamed);

    let what = "a name that is taken";
    let exists = errno_of(mkdirat(CWD, path("file"), Mode::empty()));
    let how = CreateHow::Guarded(NOTHING);
    table.row("CREATE", what, exists, Status::EXIST, fs.create(&me(), root, b"file", &how));
    table.row("MKDIR", what, exists, Status::EXIST, fs.mkdir(&me(), root, b"file", &NOTHING));
    let exists = errno_of(symlinkat("y", CWD, path("file")));
    let made = fs.symlink(&me(), root, b"file", b"y", &NOTHING);
    table.row("SYMLINK", what, exists, Status::EXIST, made);
    let exists = errno_of(mknodat(CWD, path("file"), Kind::Fifo, Mode::empty(), 0));
    let made = fs.mknod(&me(), root, b"file", FileType::Fifo, NULL, &NOTHING);
    table.row("MKNOD", what, exists, Status::EXIST, made);
    let exists = errno_of(linkat(CWD, path("file"), CWD, path("other"), AtFlags::empty()));
    let linked = fs.link(&me(), file.as_bytes(), root, b"other");
    table.row("LINK", what, exists, Status::EXIST, linked);
}

fn wrong_kinds(table: &mut Table, export: &Export, file: &Handle, folder: &Handle) {
    let (fs, root) = (&export.fs, export.root());
    let (root, file, path) = (root.as_bytes(), file.as_bytes(), |name: &str| export.path(name));
    let what = "a file for a directory";
    let (no_dir, wanted) =
        (errno_of(statat(CWD, path("file/x"), AtFlags::empty())), Status::NOTDIR);
    let how = CreateHow::Unchecked(NOTHING);
    let mut page = Page { limit: 9, entries: Vec::new(), begun: false };
    table.row("LOOKUP", what, no_dir, wanted, fs.lookup(&me(), file, b"x"));
    table.row("CREATE", what, no_dir, wanted, fs.create(&me(), file, b"x", &how));
    table.row("MKDIR", what, no_dir, wanted, fs.mkdir(&me(), file, b"x", &NOTHING));
    table.row("SYMLINK", what, no_dir, wanted, fs.symlink(&me(), file, b"x", b"y", &NOTHING));
    let made = fs.mknod(&me(), file, b"x", FileType::Fifo, NULL, &NOTHING);
    table.row("MKNOD", what, no_dir, wanted, made);
    table.row("REMOVE", what, no_dir, wanted, fs.remove(&me(), file, b"x"));
    table.row("RMDIR", what, no_dir, wanted, fs.rmdir(&me(), file, b"x"));
    table.row("RENAME", what, no_dir, wanted, fs.rename(&me(), (file, b"x"), (root, b"y")));
    table.row("LINK", what, no_dir, wanted, fs.link(&me(), file, file, b"x"));
    for procedure in ["READDIR", "READDIRPLUS"] {
        table.row(procedure, what, no_dir, wanted, fs.readdir(&me(), file, 0, [0; 8], &mut page));
    }
    let kernel = errno_of(unlinkat(CWD, path("file"), AtFlags::REMOVEDIR));
    table.row("RMDIR", "a file", kernel, wanted, fs.rmdir(&me(), root, b"file"));
    let kernel = errno_of(renameat(CWD, path("folder"), CWD, path("file")));
    // The kernel finds a file where a directory must be; RFC 1813 has a status of its own for it.
    assert_eq!(kernel, Some(Errno::NOTDIR));
    let renamed = fs.rename(&me(), (root, b"folder"), (root, b"file"));
    table.row("RENAME", "a directory onto a file", None, Status::EXIST, renamed);
    let kernel = errno_of(renameat(CWD, path("file"), CWD, path("folder")));
    assert_eq!(kernel, Some(Errno::ISDIR));
    let renamed = fs.rename(&me(), (root, b"file"), (root, b"folder"));
    table.row("RENAME", "a file onto a directory", None, Status::EXIST, renamed);
    let kernel = errno_of(renameat(CWD, path("folder"), CWD, path("folder/x")));
    let renamed = fs.rename(&me(), (root, b"folder"), (folder.as_bytes(), b"x"));
    table.row("RENAME", "into itself", kernel, Status::INVAL, renamed);
    let full = errno_of(unlinkat(CWD, path("folder"), AtFlags::REMOVEDIR));
    table.row(
        "RMDIR",
        "what is not empty",
        full,
        Status::NOTEMPTY,
        fs.rmdir(&me(), root, b"folder"),
    );
    std::fs::create_dir(path("empty")).unwrap();
    let full = errno_of(renameat(CWD, path("empty"), CWD, path("folder")));
    let renamed = fs.rename(&me(), (root, b"empty"), (root, b"folder"));
    table.row("RENAME", "onto what is not empty", full, Status::NOTEMPTY, renamed);
    let kernel = errno_of(unlinkat(CWD, path("folder"), AtFlags::empty()));
    table.row("REMOVE", "a directory", kernel, Status::ISDIR, fs.remove(&me(), root, b"folder"));
    table.row("RMDIR", ".", None, Status::INVAL, fs.rmdir(&me(), root, b"."));
    table.row("RMDIR", "..", None, Status::EXIST, fs.rmdir(&me(), root, b".."));
    let kernel = errno_of(readlinkat(CWD, path("file"), Vec::new()));
    table.row("READLINK", "a file", kernel, Status::INVAL, fs.readlink(&me(), file));
    let linked = fs.link(&me(), folder.as_bytes(), root, b"y");
    table.row("LINK", "a directory", None, Status::INVAL, linked);
    for name in ["fifo", "link"] {
        let at = export.look(name);
        let read = fs.read(&me(), at.as_bytes(), 0, 1);
        table.row("READ", "what is no regular file", None, Status::INVAL, read);
        let data = [IoSlice::new(b"x")];
        let written = fs.write(&me(), at.as_bytes(), 0, &data, StableHow::Unstable);
        table.row("WRITE", "what is no regular file", None, Status::INVAL, written);
    }
    for kind in [FileType::Regular, FileType::Directory, FileType::Symlink] {
        let made = fs.mknod(&me(), root, b"x", kind, NULL, &NOTHING);
        table.row("MKNOD", "what other procedures make", None, Status::BADTYPE, made);
    }
}

fn numbers(table: &mut Table, export: &Export, file: &Handle) {
    let (fs, file) = (&export.fs, file.as_bytes());
    let data = [IoSlice::new(b"xy")];
    let written = fs.write(&me(), file, i64::MAX as u64, &data, StableHow::Unstable);
    table.row("WRITE", "behind the end of all files", None, Status::FBIG, written);
    let guard = Time { seconds: 1, nanoseconds: 2 };
    let set = fs.setattr(&me(), file, &mode(0o600), Some(guard));
    table.row("SETATTR", "a guard of another time", None, Status::NOT_SYNC, set);
    for procedure in ["READDIR", "READDIRPLUS"] {
        let mut page = Page { limit: 9, entries: Vec::new(), begun: false };
        let root = fs.root();
        let listed = fs.readdir(&me(), root.as_bytes(), u64::MAX, [0; 8], &mut page);
        table.row(procedure, "a cookie of nobody's", None, Status::BAD_COOKIE, listed);
    }
}

fn other_exports(table: &mut Table, export: &Export, file: &Handle) {
    let options = ExportOptions { id: 1, ..export.fs.options.clone() };
    let other = LocalFs::new(&export.path(""), options).unwrap();
    let (from, to) = (export.root(), other.root());
    let renamed = export.fs.rename(&me(), (from.as_bytes(), b"file"), (to.as_bytes(), b"y"));
    table.row("RENAME", "to another export", None, Status::XDEV, renamed);
    let linked = export.fs.link(&me(), file.as_bytes(), to.as_bytes(), b"y");
    table.row("LINK", "to another export", None, Status::XDEV, linked);

    let options = ExportOptions { read_only: true, ..export.fs.options.clone() };
    let fs = LocalFs::new(&export.path(""), options).unwrap();
    let (what, wanted, root) = ("a read-only export", Status::ROFS, fs.root());
    let (root, data) = (root.as_bytes(), [IoSlice::new(b"x")]);
    let file = fs.lookup(&me(), root, b"file").unwrap().object;
    let how = CreateHow::Unchecked(NOTHING);
    table.row("SETATTR", what, None, wanted, fs.setattr(&me(), file.as_bytes(), &mode(0), None));
    let written = fs.write(&me(), file.as_bytes(), 0, &data, StableHow::Unstable);
    table.row("WRITE", what, None, wanted, written);
    table.row("CREATE", what, None, wanted, fs.create(&me(), root, b"x", &how));
    table.row("MKDIR", what, None, wanted, fs.mkdir(&me(), root, b"x", &NOTHING));
    table.row("SYMLINK", what, None, wanted, fs.symlink(&me(), root, b"x", b"y", &NOTHING));
    let made = fs.mknod(&me(), root, b"x", FileType::Fifo, NULL, &NOTHING);
    table.row("MKNOD", what, None, wanted, made);
    table.row("REMOVE", what, None, wanted, fs.remove(&me(), root, b"file"));
    table.row("RMDIR", what, None, wanted, fs.rmdir(&me(), root, b"folder"));
    table.row("RENAME", what, None, wanted, fs.rename(&me(), (root, b"file"), (root, b"y")));
    table.row("LINK", what, None, wanted, fs.link(&me(), file.as_bytes(), root, b"y"));
}

/// What another user may not do. Only where users can be switched.
fn refusals(table: &mut Table, export: &Export, file: &Handle) {
    let fs = &export.fs;
    let set_mode = |name: &str, mode| {
        std::fs::set_permissions(export.path(name), PermissionsExt::from_mode(mode)).unwrap();
    };
    let (closed, secret) = (export.folder("closed"), export.file("secret", b"x"));
    export.file("closed/inside", b"");
    for (name, mode) in [("closed", 0o700), ("secret", 0o600), ("", 0o755)] {
        set_mode(name, mode);
    }
    let (at, root, secret) = (closed.as_bytes(), export.root(), secret.as_bytes());
    let (root, what, wanted) = (root.as_bytes(), "another user", Status::ACCES);
    let data = [IoSlice::new(b"x")];
    let how = CreateHow::Unchecked(NOTHING);
    let mut page = Page { limit: 9, entries: Vec::new(), begun: false };
    let set = fs.setattr(&ALICE, secret, &mode(0o777), None);
    table.row("SETATTR", what, None, Status::PERM, set);
    let cut = SetAttributes { size: Some(0), ..NOTHING };
    table.row("SETATTR", what, None, wanted, fs.setattr(&ALICE, secret, &cut, None));
    table.row("LOOKUP", what, None, wanted, fs.lookup(&ALICE, at, b"inside"));
    table.row("READ", what, None, wanted, fs.read(&ALICE, secret, 0, 1));
    table.row("WRITE", what, None, wanted, fs.write(&ALICE, secret, 0, &data, StableHow::Unstable));
    table.row("CREATE", what, None, wanted, fs.create(&ALICE, root, b"x", &how));
    table.row("MKDIR", what, None, wanted, fs.mkdir(&ALICE, root, b"x", &NOTHING));
    table.row("SYMLINK", what, None, wanted, fs.symlink(&ALICE, root, b"x", b"y", &NOTHING));
    let made = fs.mknod(&ALICE, root, b"x", FileType::Fifo, NULL, &NOTHING);
    table.row("MKNOD", what, None, wanted, made);
    table.row("REMOVE", what, None, wanted, fs.remove(&ALICE, root, b"file"));
    table.row("RMDIR", what, None, wanted, fs.rmdir(&ALICE, root, b"empty"));
    table.row("RENAME", what, None, wanted, fs.rename(&ALICE, (root, b"file"), (root, b"y")));
    table.row("LINK", what, None, wanted, fs.link(&ALICE, file.as_bytes(), root, b"y"));
    for procedure in ["READDIR", "READDIRPLUS"] {
        table.row(procedure, what, None, wanted, fs.readdir(&ALICE, at, 0, [0; 8], &mut page));
    }
    set_mode("", 0o1777);
    let made = fs.mknod(&ALICE, root, b"x", FileType::CharDevice, NULL, &NOTHING);
    table.row("MKNOD", "a device, by another user", None, Status::PERM, made);
    let removed = fs.remove(&ALICE, root, b"file");
    table.row("REMOVE", "a sticky directory", None, Status::PERM, removed);
}

#[test]
fn every_failure_is_told_as_the_rfc_has_it() {
    let export = Export::new();
    let (file, folder) = (export.file("file", b"abc"), export.folder("folder"));
    export.file("folder/inner", b"");
    export.file("other", b"");
    symlink("file", export.path("link")).unwrap();
    mknodat(CWD, export.path("fifo"), Kind::Fifo, Mode::RUSR, 0).unwrap();
    // The names that rows would make if they did not fail.
    let untouched = || {
        ["x", "y"].iter().all(|name| !export.path(name).exists())
            && std::fs::read(export.path("file")).unwrap() == b"abc"
            && export.path("folder/inner").exists()
            && export.path("link").is_symlink()
    };

    let mut table = Table(Vec::new());
    handles(&mut table, &export);
    names(&mut table, &export, &file);
    absent_and_present(&mut table, &export, &file);
    wrong_kinds(&mut table, &export, &file, &folder);
    numbers(&mut table, &export, &file);
    other_exports(&mut table, &export, &file);
    let switches = export.fs.switches_users();
    if switches {
        refusals(&mut table, &export, &file);
    } else {
        println!("without the rows of other users: switching users needs root");
    }

    let mut wrong = Vec::new();
    for Row { procedure, what, kernel, wanted, got } in &table.0 {
        if got != wanted {
            wrong.push(format!("{procedure} of {what}: {got:?}, not {wanted:?}"));
        }
        if kernel.is_some_and(|errno| super::super::errno::status(errno) != *wanted) {
            wrong.push(format!("{procedure} of {what}: {kernel:?} is not {wanted:?}"));
        }
        let (_, listed) = LISTED.iter().find(|(name, _)| name == procedure).unwrap();
        if !listed.contains(wanted) && !BEYOND.contains(&(procedure, *wanted)) {
            wrong.push(format!("{procedure} of {what}: {wanted:?} is not in the RFC's list"));
        }
    }
    for (errno, wanted) in OF_THE_SYSTEM {
        let got = super::super::errno::status(*errno);
        if got != *wanted {
            wrong.push(format!("{errno:?}: {got:?}, not {wanted:?}"));
        }
    }
    // Nothing of the lists is left out: it was made to happen, or is the system's or the core's to say.
    for (procedure, listed) in LISTED {
        for status in *listed {
            let made =
                table.0.iter().any(|row| row.procedure == *procedure && row.wanted == *status);
            let said = OF_THE_SYSTEM.iter().any(|(_, said)| said == status);
            if !made && !said && !OF_THE_CORE.contains(status) {
                wrong.push(format!("{procedure}: nothing leads to {status:?}"));
            }
        }
    }
    for (procedure, status) in BEYOND.iter().filter(|_| switches) {
        if !table.0.iter().any(|row| (row.procedure, row.wanted) == (*procedure, *status)) {
            wrong.push(format!("{procedure}: nothing leads to {status:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(table.0.len() > 150, "{} rows", table.0.len());
    assert!(untouched());
}
