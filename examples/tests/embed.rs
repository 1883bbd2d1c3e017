//! The example of an embedded server: our client on the program, and what its file system answers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

extern crate alloc;

mod client_support;
mod server_support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use client_support::{noise, options};
use nfswire_examples::client::Client;
use nfswire_examples::fs::{
    Attributes, Caller, FileData, FileSystem, FileType, Handle, PostOpAttr, Result, SetAttributes,
    StableHow, Status, Time,
};
use nfswire_nfs3::create::{
    CreateHow, MkdirArgs, MkdirReply, SymlinkArgs, SymlinkData, SymlinkReply,
};
use nfswire_nfs3::procedures::{Mkdir, Remove, Rename, Symlink};
use nfswire_nfs3::remove::{RemoveArgs, RemoveReply, RenameArgs, RenameReply};
use nfswire_nfs3::{DirOpArgs, FileHandle, FileName, SetTime, SpecData};
use nfswire_xdr::Payload;
use server_support::embed::MemFs;

/// The program, until it is dropped.
struct Program {
    child: Child,
    url: String,
}

impl Program {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_embed"));
        let mut child = command.arg("127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
        let lines =
            BufReader::new(child.stdout.take().unwrap()).lines().map_while(std::result::Result::ok);
        let ready =
            lines.into_iter().find_map(|line| Some(line.strip_prefix("ready ")?.to_owned()));
        Self { url: format!("nfs://{}", ready.expect("the program gets ready")), child }
    }

    fn client(&self, depth: usize) -> Client {
        Client::mount(&format!("{}/", self.url).parse().unwrap(), options(depth)).unwrap().0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn at<'a>(dir: &'a Handle, name: &'a [u8]) -> DirOpArgs<'a> {
    DirOpArgs { dir: FileHandle::new(dir.as_bytes()).unwrap(), name: FileName::new(name).unwrap() }
}

fn rename(client: &mut Client, from: DirOpArgs<'_>, to: DirOpArgs<'_>) {
    let renamed = client.connection().call::<Rename, _>(&RenameArgs { from, to }, |reply| {
        Ok(matches!(reply, RenameReply::Ok(_)))
    });
    assert!(renamed.unwrap());
}

fn names(client: &mut Client, dir: &Handle) -> Vec<String> {
    let list = client.list(dir).unwrap();
    list.into_iter().map(|entry| String::from_utf8(entry.name).unwrap()).collect()
}

fn content(client: &mut Client, file: &Handle, len: usize) -> Vec<u8> {
    let mut buffer = vec![0; len + 1];
    let got = client.read(file, 0, &mut buffer).unwrap();
    assert_eq!((got.len, got.eof), (len, true));
    buffer.truncate(len);
    buffer
}

#[test]
fn the_program_keeps_files_and_names() {
    let program = Program::start();
    let client = &mut program.client(8);
    let root = *client.root();
    let new = SetAttributes::default();

    let args = MkdirArgs { location: at(&root, b"dir"), attributes: new };
    let made =
        client.connection().call::<Mkdir, _>(&args, |reply| Ok(matches!(reply, MkdirReply::Ok(_))));
    assert!(made.unwrap());
    let (dir, attributes) = client.lookup(&root, b"dir").unwrap();
    assert_eq!(attributes.unwrap().file_type, FileType::Directory);

    for size in [0, 1, 4097, (1 << 20) + 3, 5 << 20] {
        let (data, name) = (noise(size), format!("size {size}"));
        let file = client.create(&dir, name.as_bytes(), 0o640).unwrap();
        client.write(&file, 0, &data).unwrap();
        let a = client.getattr(&file).unwrap();
        assert_eq!((a.size, a.mode, a.file_type), (size as u64, 0o640, FileType::Regular));
        assert!(content(client, &file, size) == data, "{size} bytes");
    }
    // Anew: the old content is gone. In the middle, behind the end, shorter.
    let file = client.create(&dir, b"size 4097", 0o600).unwrap();
    assert_eq!(client.getattr(&file).unwrap().size, 0);
    client.write(&file, 10, b"behind").unwrap();
    client.write(&file, 2, b"front").unwrap();
    assert_eq!(content(client, &file, 16), b"\0\0front\0\0\0behind");
    client.set_size(&file, 4).unwrap();
    client.set_size(&file, 6).unwrap();
    assert_eq!(content(client, &file, 6), b"\0\0fr\0\0");

    let data = Payload::Borrowed(b"dir/size 4097");
    let args = SymlinkArgs {
        location: at(&root, b"link"),
        symlink: SymlinkData { attributes: new, data },
    };
    let made = client
        .connection()
        .call::<Symlink, _>(&args, |reply| Ok(matches!(reply, SymlinkReply::Ok(_))));
    assert!(made.unwrap());
    let (link, _) = client.lookup(&root, b"link").unwrap();
    assert_eq!(client.readlink(&link).unwrap(), b"dir/size 4097");

    // The handle follows the file, and is stale when it is gone.
    rename(client, at(&dir, b"size 4097"), at(&root, b"moved"));
    assert_eq!(names(client, &dir), ["size 0", "size 1", "size 1048579", "size 5242880"]);
    assert_eq!(content(client, &file, 6), b"\0\0fr\0\0");
    rename(client, at(&root, b"moved"), at(&dir, b"size 1"));
    assert_eq!(names(client, &root), ["dir", "link"]);
    assert_eq!(client.lookup(&dir, b"size 1").unwrap().0, file);
    let args = RemoveArgs { object: at(&dir, b"size 1") };
    let removed = client
        .connection()
        .call::<Remove, _>(&args, |reply| Ok(matches!(reply, RemoveReply::Ok(_))));
    assert!(removed.unwrap());
    let status = client.lookup(&dir, b"size 1").unwrap_err().nfs_status();
    assert_eq!(status, Some(Status::NOENT));
    assert_eq!(client.getattr(&file).unwrap_err().nfs_status(), Some(Status::STALE));
    assert_eq!(client.lookup(&dir, b"..").unwrap().0, root);

    // Another process has other handles, even for the top.
    let other = Program::start();
    let status = other.client(1).getattr(&root).unwrap_err().nfs_status();
    assert_eq!(status, Some(Status::STALE));
}

#[test]
fn eight_clients_write_at_once() {
    const FILES: usize = 40;
    const PART: usize = 100_003;
    let program = Program::start();
    let shared = {
        let client = &mut program.client(1);
        let root = *client.root();
        client.create(&root, b"shared", 0o644).unwrap()
    };
    let all = noise(8 * PART);
    std::thread::scope(|scope| {
        for (number, part) in all.chunks(PART).enumerate() {
            let (program, all) = (&program, &all);
            scope.spawn(move || {
                let client = &mut program.client(4);
                let root = *client.root();
                client.write(&shared, (number * PART) as u64, part).unwrap();
                for file in 0..FILES {
                    let (first, name) =
                        (format!("new-{number}-{file}"), format!("{number}-{file}"));
                    let handle = client.create(&root, first.as_bytes(), 0o644).unwrap();
                    client.write(&handle, 0, &all[file..file + 1000 * number]).unwrap();
                    rename(client, at(&root, first.as_bytes()), at(&root, name.as_bytes()));
                }
            });
        }
    });
    let client = &mut program.client(8);
    assert!(content(client, &shared, all.len()) == all);
    let root = *client.root();
    let listed = names(client, &root);
    let expected = (0..8).flat_map(|number| (0..FILES).map(move |file| format!("{number}-{file}")));
    let expected: BTreeSet<String> = expected.chain(["shared".to_owned()]).collect();
    assert_eq!(listed.len(), expected.len());
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), expected);
    for number in 0..8 {
        for file in 0..FILES {
            let (handle, _) = client.lookup(&root, format!("{number}-{file}").as_bytes()).unwrap();
            assert!(content(client, &handle, 1000 * number) == all[file..file + 1000 * number]);
        }
    }
}

//--- The file system alone ---

const ROOT: Caller<'static> = Caller { uid: 0, gid: 0, gids: &[] };
const ALICE: Caller<'static> = Caller { uid: 1001, gid: 1001, gids: &[1002] };
const BOB: Caller<'static> = Caller { uid: 1003, gid: 1002, gids: &[] };

fn set() -> SetAttributes {
    SetAttributes::default()
}

fn status<T>(result: Result<T>) -> Status {
    result.err().map_or(Status::OK, |failure| failure.status)
}

/// A tree of alice's: `file` (0640), `full/inside`, `empty`, `link`.
struct Tree {
    fs: MemFs,
    top: Handle,
}

impl Tree {
    fn new() -> Self {
        let fs = MemFs::default();
        let tree = Self { top: fs.root(), fs };
        let (fs, top) = (&tree.fs, tree.top.as_bytes());
        let how = CreateHow::Guarded(SetAttributes { mode: Some(0o640), ..set() });
        fs.create(&ALICE, top, b"file", &how).unwrap();
        let private = SetAttributes { mode: Some(0o750), ..set() };
        fs.mkdir(&ALICE, top, b"full", &private).unwrap();
        fs.mkdir(&ALICE, tree.find(b"full").as_bytes(), b"inside", &set()).unwrap();
        fs.mkdir(&ALICE, top, b"empty", &private).unwrap();
        fs.symlink(&ALICE, top, b"link", b"text", &set()).unwrap();
        tree
    }

    fn find(&self, name: &[u8]) -> Handle {
        self.fs.lookup(&ROOT, self.top.as_bytes(), name).unwrap().object
    }

    fn attributes(&self, name: &[u8]) -> Attributes {
        self.fs.getattr(&ROOT, self.find(name).as_bytes()).unwrap()
    }

    fn set(&self, who: &Caller<'_>, name: &[u8], new: SetAttributes) -> Status {
        status(self.fs.setattr(who, self.find(name).as_bytes(), &new, None))
    }

    fn write(&self, who: &Caller<'_>, name: &[u8], offset: u64) -> Status {
        let data =
            [std::io::IoSlice::new(b"ab"), std::io::IoSlice::new(b""), std::io::IoSlice::new(b"c")];
        status(self.fs.write(who, self.find(name).as_bytes(), offset, &data, StableHow::Unstable))
    }
}

#[test]
fn failures_have_their_status() {
    let tree = Tree::new();
    let (fs, top) = (&tree.fs, tree.top.as_bytes());
    let (file, full, empty) = (tree.find(b"file"), tree.find(b"full"), tree.find(b"empty"));
    let (file, full, empty) = (file.as_bytes(), full.as_bytes(), empty.as_bytes());
    let long = [b'x'; 256];
    let guarded = CreateHow::Guarded(set());
    let lookup = |dir, name| status(fs.lookup(&ALICE, dir, name));
    let mkdir = |dir, name| status(fs.mkdir(&ALICE, dir, name, &set()));
    let create = |dir, name, how| status(fs.create(&ALICE, dir, name, how));
    let remove = |dir, name| status(fs.remove(&ALICE, dir, name));
    let rmdir = |dir, name| status(fs.rmdir(&ALICE, dir, name));
    let rename = |from, to| status(fs.rename(&ALICE, from, to));
    let inside = fs.lookup(&ALICE, full, b"inside").unwrap().object;
    let cases = [
        ("lookup in a file", lookup(file, b"x"), Status::NOTDIR),
        ("lookup of nothing", lookup(top, b"x"), Status::NOENT),
        ("lookup of no name", lookup(top, b""), Status::ACCES),
        ("lookup of a long name", lookup(top, &long), Status::NAMETOOLONG),
        ("a forged handle", lookup(b"x", b"x"), Status::BADHANDLE),
        ("mkdir of a path", mkdir(top, b"a/b"), Status::ACCES),
        ("mkdir with NUL", mkdir(top, b"a\0"), Status::ACCES),
        ("mkdir of a long name", mkdir(top, &long), Status::NAMETOOLONG),
        ("mkdir of ..", mkdir(full, b".."), Status::EXIST),
        ("mkdir of a file", mkdir(top, b"file"), Status::EXIST),
        ("create of a file", create(top, b"file", &guarded), Status::EXIST),
        ("create of a folder", create(top, b"full", &CreateHow::Unchecked(set())), Status::EXIST),
        ("create of .", create(top, b".", &guarded), Status::EXIST),
        ("create in a file", create(file, b"x", &guarded), Status::NOTDIR),
        ("remove of nothing", remove(top, b"x"), Status::NOENT),
        ("remove of a folder", remove(top, b"empty"), Status::ISDIR),
        ("rmdir of a file", rmdir(top, b"file"), Status::NOTDIR),
        ("rmdir of a full folder", rmdir(top, b"full"), Status::NOTEMPTY),
        ("rmdir of .", rmdir(full, b"."), Status::INVAL),
        ("rmdir of ..", rmdir(full, b".."), Status::EXIST),
        ("rename of nothing", rename((top, b"x"), (top, b"y")), Status::NOENT),
        ("rename of .", rename((full, b"."), (top, b"y")), Status::EXIST),
        ("rename over a full folder", rename((top, b"empty"), (top, b"full")), Status::NOTEMPTY),
        ("file over folder", rename((top, b"file"), (top, b"empty")), Status::ISDIR),
        ("folder over file", rename((top, b"empty"), (top, b"file")), Status::NOTDIR),
        ("into itself", rename((top, b"full"), (full, b"x")), Status::INVAL),
        ("below itself", rename((top, b"full"), (inside.as_bytes(), b"x")), Status::INVAL),
        ("onto itself", rename((top, b"full"), (top, b"full")), Status::OK),
        ("write to a folder", tree.write(&ALICE, b"full", 0), Status::ISDIR),
        ("write to a link", tree.write(&ALICE, b"link", 0), Status::INVAL),
        ("write at the end of all", tree.write(&ALICE, b"file", u64::MAX), Status::NOSPC),
        ("read of a folder", status(fs.read(&ALICE, full, 0, 1)), Status::ISDIR),
        ("readlink of a file", status(fs.readlink(&ALICE, file)), Status::INVAL),
        ("link", status(fs.link(&ALICE, file, top, b"second")), Status::NOTSUPP),
        ("folder over empty folder", rename((full, b"inside"), (top, b"empty")), Status::OK),
        ("its old handle", lookup(empty, b"."), Status::STALE),
        ("the folder left", rmdir(top, b"full"), Status::OK),
    ];
    for (what, answer, expected) in cases {
        assert_eq!(answer, expected, "{what}");
    }
    // None of the failures has changed anything.
    let mut listed = fs.list(&ALICE, top).unwrap().entries;
    listed.sort_unstable_by(|a, b| a.1.cmp(&b.1));
    let listed: Vec<_> = listed.iter().map(|(_, name, _)| &name[..]).collect();
    assert_eq!(listed, [&b"empty"[..], b"file", b"link"]);
    assert_eq!(tree.attributes(b"file").size, 0);
    let parent = fs.lookup(&ALICE, inside.as_bytes(), b"..").unwrap().object;
    assert_eq!(parent, tree.top, "the folder that moved knows where it is");
}

#[test]
fn rights_are_those_of_the_mode_bits() {
    let tree = Tree::new();
    let (fs, top, full) = (&tree.fs, tree.top.as_bytes(), tree.find(b"full"));
    let mode = |mode| SetAttributes { mode: Some(mode), ..set() };
    let owner = |uid, gid| SetAttributes { uid, gid, ..set() };
    let at_time = |mtime| SetAttributes { mtime, ..set() };
    let size = |size| SetAttributes { size: Some(size), ..set() };
    let old = SetTime::ClientTime(Time { seconds: 1, nanoseconds: 2 });
    let bad = SetTime::ClientTime(Time { seconds: 1, nanoseconds: 1 << 30 });
    let read = |who| status(fs.read(who, tree.find(b"file").as_bytes(), 0, 1));
    let sees = |who| status(fs.lookup(who, full.as_bytes(), b"inside"));
    let lists = |who| status(fs.list(who, full.as_bytes()));
    let makes = |who| status(fs.mkdir(who, full.as_bytes(), b"new", &set()));
    assert_eq!((read(&BOB), tree.write(&BOB, b"file", 0)), (Status::ACCES, Status::ACCES));
    assert_eq!(
        (sees(&BOB), lists(&BOB), makes(&BOB)),
        (Status::ACCES, Status::ACCES, Status::ACCES)
    );
    let cases = [
        ("chmod", tree.set(&BOB, b"file", mode(0o666)), Status::PERM),
        ("chown", tree.set(&BOB, b"file", owner(Some(1003), None)), Status::PERM),
        ("truncate", tree.set(&BOB, b"file", size(0)), Status::ACCES),
        ("touch", tree.set(&BOB, b"file", at_time(SetTime::ServerTime)), Status::ACCES),
        ("backdate", tree.set(&BOB, b"file", at_time(old)), Status::PERM),
        ("gives away", tree.set(&ALICE, b"file", owner(Some(1003), None)), Status::PERM),
        ("to a group of others", tree.set(&ALICE, b"file", owner(None, Some(1004))), Status::PERM),
        ("to a group of hers", tree.set(&ALICE, b"file", owner(None, Some(1002))), Status::OK),
        ("to herself", tree.set(&ALICE, b"file", owner(Some(1001), None)), Status::OK),
        ("to nobody", tree.set(&ROOT, b"file", owner(Some(u32::MAX), None)), Status::INVAL),
        ("her backdate", tree.set(&ALICE, b"file", at_time(old)), Status::OK),
        ("no time", tree.set(&ALICE, b"file", at_time(bad)), Status::INVAL),
        ("truncates a folder", tree.set(&ALICE, b"full", size(0)), Status::ISDIR),
        ("truncates a link", tree.set(&ALICE, b"link", size(0)), Status::INVAL),
        ("of the group", read(&BOB), Status::OK),
        ("but not more", tree.write(&BOB, b"file", 0), Status::ACCES),
    ];
    for (what, answer, expected) in cases {
        assert_eq!(answer, expected, "{what}");
    }
    assert_eq!(tree.attributes(b"file").mtime, Time { seconds: 1, nanoseconds: 2 });
    // An owner may do without bits, and who may execute may read.
    assert_eq!(tree.set(&ALICE, b"file", mode(0o011)), Status::OK);
    assert_eq!((read(&ALICE), tree.write(&ALICE, b"file", 0)), (Status::OK, Status::OK));
    assert_eq!((read(&BOB), tree.write(&BOB, b"file", 0)), (Status::OK, Status::ACCES));
    // A write takes set-user-id away.
    assert_eq!(tree.set(&ALICE, b"file", mode(0o4722)), Status::OK);
    assert_eq!(tree.write(&BOB, b"file", 3), Status::OK);
    let a = tree.attributes(b"file");
    assert_eq!((a.mode, a.size, a.uid, a.gid), (0o722, 6, 1001, 1002));
    assert!(a.mtime.seconds > 1 && a.mtime == a.ctime);
    let read = fs.read(&ALICE, tree.find(b"file").as_bytes(), 1, 9).unwrap();
    assert!(matches!(read.data, FileData::Bytes(data) if data == "bcabc"));
    // New objects belong to who made them; devices keep their numbers.
    let device = SpecData { major: 7, minor: 200 };
    fs.mknod(&BOB, top, b"device", FileType::BlockDevice, device, &mode(0o600)).unwrap();
    let a = tree.attributes(b"device");
    assert_eq!((a.rdev, a.uid, a.gid, a.mode), (device, 1003, 1002, 0o600));
    assert_eq!(status(fs.mkdir(&BOB, top, b"gift", &owner(Some(0), None))), Status::PERM);
    assert_eq!(status(fs.lookup(&ROOT, top, b"gift")), Status::NOENT);
}

#[test]
fn create_is_done_once() {
    let tree = Tree::new();
    let (fs, top) = (&tree.fs, tree.top.as_bytes());
    let create = |who, name: &[u8], how: &CreateHow| fs.create(who, top, name, how);
    let [one, other] = [*b"\0\x01\x02\x03\xff\xfe\xfd\xfc", *b"verifier"].map(CreateHow::Exclusive);
    let made = create(&ALICE, b"once", &one).unwrap();
    assert_eq!(create(&ALICE, b"once", &one).unwrap().object, made.object);
    assert_eq!(status(create(&ALICE, b"once", &other)), Status::EXIST);
    assert_eq!(status(create(&ALICE, b"full", &one)), Status::EXIST);
    // Unchecked: the size is set, and nothing else of a file that exists.
    let size = |size: PostOpAttr| size.map(|a| (a.size, a.mode));
    let how = |bytes| {
        CreateHow::Unchecked(SetAttributes { size: Some(bytes), mode: Some(0o600), ..set() })
    };
    assert_eq!(size(create(&ALICE, b"new", &how(5)).unwrap().attributes), Some((5, 0o600)));
    tree.set(&ALICE, b"new", SetAttributes { mode: Some(0o640), ..set() });
    assert_eq!(size(create(&ALICE, b"new", &how(3)).unwrap().attributes), Some((3, 0o640)));
    assert_eq!(status(create(&BOB, b"new", &how(0))), Status::ACCES);
}

#[test]
fn memory_has_a_bound_and_comes_back() {
    let tree = Tree::new();
    let (fs, top) = (&tree.fs, tree.top.as_bytes());
    let size = |name: &[u8], mib: u64| {
        tree.set(&ALICE, name, SetAttributes { size: Some(mib << 20), ..set() })
    };
    // Links and names count as files do.
    let name = |number: u32| format!("name {number}").into_bytes();
    let link = |number: u32| fs.symlink(&ALICE, top, &name(number), &[b'x'; 1 << 16], &set());
    let remove = |number: u32| fs.remove(&ALICE, top, &name(number)).unwrap();
    let fill = || (0..).find(|number| link(*number).is_err()).unwrap();
    let count = fill();
    assert!((900..1024).contains(&count), "{count}");
    assert_eq!(size(b"file", 1), Status::NOSPC);
    (0..40).for_each(|number| assert!(remove(number).after.is_some()));
    assert_eq!((tree.attributes(b"file").size, size(b"file", 2)), (0, Status::OK));
    assert_eq!((size(b"file", 3), size(b"file", 64 << 20)), (Status::NOSPC, Status::NOSPC));
    assert_eq!(tree.write(&ALICE, b"file", 1 << 40), Status::NOSPC);
    // What is replaced, cut or removed makes room again.
    fs.rename(&ALICE, (top, b"link"), (top, b"file")).unwrap();
    (0..32).for_each(|number| assert!(link(number).is_ok()));
    (0..32).chain(40..count).for_each(|number| assert!(remove(number).after.is_some()));
    fs.create(&ALICE, top, b"link", &CreateHow::Guarded(set())).unwrap();
    assert_eq!((size(b"link", 1), size(b"link", 0)), (Status::OK, Status::OK));
    assert_eq!(fill(), count);
}
