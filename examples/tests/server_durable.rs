//! What is on disk before a reply leaves: the program `server`, watched by strace, and killed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]
#![allow(clippy::arithmetic_side_effects)]

mod server_support;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nfswire_nfs3::attr::{GetattrArgs, SetattrArgs};
use nfswire_nfs3::create::{
    CreateArgs, CreateHow, CreateReply, MkdirArgs, MknodArgs, MknodData, SymlinkArgs, SymlinkData,
};
use nfswire_nfs3::io::{CommitArgs, CommitReply, ReadArgs, WriteArgs, WriteReply};
use nfswire_nfs3::lookup::{LookupArgs, LookupReply};
use nfswire_nfs3::procedures::*;
use nfswire_nfs3::remove::{LinkArgs, RemoveArgs, RenameArgs, RmdirArgs};
use nfswire_nfs3::{
    DirOpArgs, FileHandle, FileName, SetAttributes, SetTime, StableHow, Status, Time,
};
use nfswire_rpc::Procedure;
use nfswire_xdr::Payload;
use rustix::process::{Pid, Signal, kill_process};
use server_support::{Client, Reply, ready};

fn fh(handle: &[u8]) -> FileHandle<'_> {
    FileHandle::new(handle).unwrap()
}

fn op<'a>(dir: &'a [u8], name: &'a str) -> DirOpArgs<'a> {
    DirOpArgs { dir: fh(dir), name: FileName::new(name.as_bytes()).unwrap() }
}

/// The status, with which the results of every procedure begin.
fn status(reply: &Reply) -> Status {
    let results = &reply.0[reply.0.len() - reply.results_len()..];
    Status(u32::from_be_bytes(*results.first_chunk().unwrap()))
}

fn server(top: &Path, export: &str) -> Vec<String> {
    let export = format!("{}{export}", top.join("exported").display());
    let state = top.join("state").display().to_string();
    let words = ["--squash", "none", "--listen", "127.0.0.1:0", "--export"];
    let words = words.map(str::to_owned).into_iter();
    words.chain([export, "--state-dir".into(), state]).collect()
}

fn place() -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    std::fs::create_dir(top.path().join("exported")).unwrap();
    top
}

fn connect(address: SocketAddr) -> Client {
    let mut client = Client::to(address);
    client.user = Some((rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()));
    client
}

//--- Which fsyncs a reply waits for ---

/// A client that notes what is to be synced before each reply.
struct Watched {
    client: Client,
    /// Name of the call, and the syncs: `fsync .` is that of the exported directory.
    expected: Vec<(String, Vec<String>)>,
}

impl Watched {
    fn call<P: Procedure>(&mut self, what: &str, args: &P::Args<'_>, syncs: &[&str]) -> Reply {
        let reply = self.client.call::<P>(args);
        assert_eq!(status(&reply), Status::OK, "{what}");
        self.expected.push((what.into(), syncs.iter().map(|&sync| sync.into()).collect()));
        reply
    }

    fn fails<P: Procedure>(&mut self, what: &str, args: &P::Args<'_>, with: Status) {
        assert_eq!(status(&self.client.call::<P>(args)), with, "{what}");
        self.expected.push((what.into(), vec![]));
    }

    fn look(&mut self, dir: &[u8], name: &str) -> Vec<u8> {
        let reply = self.call::<Lookup>("LOOKUP", &LookupArgs { what: op(dir, name) }, &[]);
        let LookupReply::Ok(ok) = reply.results::<Lookup>() else { panic!("no {name}") };
        ok.object.as_bytes().to_vec()
    }

    fn create(&mut self, what: &str, dir: &[u8], name: &str, how: CreateHow, syncs: &[&str]) {
        let args = CreateArgs { location: op(dir, name), how };
        self.call::<Create>(&format!("CREATE {what}"), &args, syncs);
    }

    fn write(&mut self, file: &[u8], how: StableHow, syncs: &[&str]) {
        let args = WriteArgs::new(fh(file), 0, how, Payload::Borrowed(b"data"));
        self.call::<Write>(&format!("WRITE {how:?}"), &args, syncs);
    }

    fn commit(&mut self, file: &[u8], syncs: &[&str]) {
        let args = CommitArgs { file: fh(file), offset: 0, count: 0 };
        self.call::<Commit>("COMMIT", &args, syncs);
    }

    fn set(&mut self, what: &str, object: &[u8], new: SetAttributes, syncs: &[&str]) {
        let args = SetattrArgs { object: fh(object), new_attributes: new, guard: None };
        self.call::<Setattr>(&format!("SETATTR of {what}"), &args, syncs);
    }
}

/// All that changes something, and some calls that do not. With `names` off, what is relaxed by `async` syncs nothing.
fn work(client: Client, names: bool) -> Vec<(String, Vec<String>)> {
    let mut at = Watched { client, expected: vec![("MNT".into(), vec![])] };
    let root = at.client.mount("/");
    let new = SetAttributes { mode: Some(0o640), ..SetAttributes::default() };
    let on = |syncs: &'static [&'static str]| if names { syncs } else { &[] };

    at.create("unchecked", &root, "a", CreateHow::Unchecked(new), on(&["fsync a", "fsync ."]));
    at.create(
        "unchecked, there",
        &root,
        "a",
        CreateHow::Unchecked(new),
        on(&["fsync a", "fsync ."]),
    );
    at.create("guarded", &root, "b", CreateHow::Guarded(new), on(&["fsync b", "fsync ."]));
    let mine = CreateHow::Exclusive(*b"verifier");
    at.create("exclusive", &root, "c", mine, on(&["fsync c", "fsync ."]));
    at.create("exclusive, again", &root, "c", mine, on(&["fsync c", "fsync ."]));
    let again = CreateArgs { location: op(&root, "b"), how: CreateHow::Guarded(new) };
    at.fails::<Create>("CREATE guarded, again", &again, Status::EXIST);
    let location = op(&root, "dir");
    let mkdir = MkdirArgs { location, attributes: SetAttributes { mode: Some(0o755), ..new } };
    at.call::<Mkdir>("MKDIR", &mkdir, on(&["fsync dir", "fsync ."]));
    let dir = at.look(&root, "dir");
    let text = |attributes| SymlinkData { attributes, data: Payload::Borrowed(b"text") };
    let symlink = SymlinkArgs { location: op(&root, "link"), symlink: text(new) };
    at.call::<Symlink>("SYMLINK", &symlink, on(&["fsync ."]));
    // Its directory need not cover what is set afterwards, and nothing else can be opened.
    let mtime = SetTime::ClientTime(Time { seconds: 7, nanoseconds: 0 });
    let dated = SetAttributes { mtime, ..SetAttributes::default() };
    let symlink = SymlinkArgs { location: op(&root, "dated"), symlink: text(dated) };
    at.call::<Symlink>("SYMLINK with a time", &symlink, on(&["syncfs .", "fsync ."]));
    let mknod = MknodArgs { location: op(&dir, "fifo"), what: MknodData::Fifo(new) };
    at.call::<Mknod>("MKNOD", &mknod, on(&["fsync dir"]));
    let (a, b) = (at.look(&root, "a"), at.look(&root, "b"));
    let link = LinkArgs { file: fh(&a), link: op(&dir, "a2") };
    at.call::<Link>("LINK", &link, on(&["fsync a", "fsync dir"]));

    at.set("a file", &a, new, on(&["fsync a"]));
    let cut = SetAttributes { size: Some(3), ..SetAttributes::default() };
    at.set("a file's size", &a, cut, on(&["fsync a"]));
    at.set("a directory", &dir, SetAttributes { mode: Some(0o700), ..new }, on(&["fsync dir"]));
    let link = at.look(&root, "link");
    at.set("a symbolic link", &link, dated, on(&["syncfs ."]));

    at.write(&a, StableHow::Unstable, &[]);
    at.commit(&a, &["fsync a"]);
    at.write(&a, StableHow::DataSync, &["fdatasync a"]);
    at.write(&a, StableHow::FileSync, &["fsync a"]);
    at.write(&a, StableHow::Unstable, &[]);
    at.write(&b, StableHow::FileSync, &["fsync b"]);
    at.commit(&a, &["fsync a"]);
    // Never written by this server.
    let c = at.look(&root, "c");
    at.commit(&c, &["fsync c"]);
    at.call::<Getattr>("GETATTR", &GetattrArgs { object: fh(&a) }, &[]);
    at.call::<Read>("READ", &ReadArgs { file: fh(&a), offset: 0, count: 4 }, &[]);

    let rename = RenameArgs { from: op(&root, "b"), to: op(&root, "b2") };
    at.call::<Rename>("RENAME", &rename, on(&["fsync ."]));
    let rename = RenameArgs { from: op(&root, "b2"), to: op(&dir, "b3") };
    at.call::<Rename>("RENAME to another directory", &rename, on(&["fsync dir", "fsync ."]));
    let rename = RenameArgs { from: op(&root, "c"), to: op(&dir, "b3") };
    at.call::<Rename>("RENAME over a file", &rename, on(&["fsync dir", "fsync ."]));
    for name in ["a2", "b3", "fifo"] {
        let remove = RemoveArgs { object: op(&dir, name) };
        at.call::<Remove>("REMOVE", &remove, on(&["fsync dir"]));
    }
    // What was not committed need not be, of a file that nobody can ask for again.
    let how = CreateHow::Unchecked(new);
    for (name, syncs) in [("e", ["fsync dir/e", "fsync dir"]), ("f", ["fsync dir/f", "fsync dir"])]
    {
        at.create("unchecked", &dir, name, how, if names { &syncs } else { &[] });
        let file = at.look(&dir, name);
        at.write(&file, StableHow::Unstable, &[]);
    }
    let f = at.look(&dir, "f");
    let link = LinkArgs { file: fh(&f), link: op(&dir, "f2") };
    at.call::<Link>("LINK, uncommitted", &link, on(&["fsync dir/f", "fsync dir"]));
    at.write(&f, StableHow::Unstable, &[]);
    let rename = RenameArgs { from: op(&dir, "e"), to: op(&dir, "f") };
    at.call::<Rename>("RENAME over one of two names", &rename, on(&["fsync dir"]));
    // The descriptor goes by the name that it was opened by.
    at.commit(&f, &["fsync dir/f"]);
    at.write(&f, StableHow::Unstable, &[]);
    let rename = RenameArgs { from: op(&dir, "f"), to: op(&dir, "f2") };
    at.call::<Rename>("RENAME over an uncommitted file", &rename, on(&["fsync dir"]));
    let remove = RemoveArgs { object: op(&dir, "f2") };
    at.call::<Remove>("REMOVE of an uncommitted file", &remove, on(&["fsync dir"]));
    let gone = RemoveArgs { object: op(&dir, "b3") };
    at.fails::<Remove>("REMOVE of nothing", &gone, Status::NOENT);
    let rmdir = RmdirArgs { object: op(&root, "dir") };
    at.call::<Rmdir>("RMDIR", &rmdir, on(&["fsync ."]));
    at.expected
}

const SYNCS: [&str; 5] = ["fsync", "fdatasync", "sync", "syncfs", "sync_file_range"];
const SENDS: &str = "sendto,sendmsg,sendmmsg,write,writev,sendfile";

/// From a trace, the syncs below `export` that had returned when each send on a connection began.
fn syncs_before_sends(trace: &str, export: &str) -> Vec<Vec<String>> {
    let (mut sends, mut since) = (Vec::new(), Vec::new());
    let mut unfinished = HashMap::new();
    for line in trace.lines() {
        let (thread, rest) = line.split_once(' ').unwrap();
        let rest = rest.trim_start();
        if rest.starts_with("+++") || rest.starts_with("---") {
            continue;
        }
        let sync = if let Some(resumed) = rest.strip_prefix("<... ") {
            let name = resumed.split(' ').next().unwrap();
            if !SYNCS.contains(&name) {
                continue;
            }
            unfinished.remove(thread).expect("what is resumed was begun")
        } else {
            let (name, arguments) = rest.split_once('(').unwrap();
            let object = arguments.trim_start_matches(|c: char| c.is_ascii_digit());
            if !SYNCS.contains(&name) {
                if object.starts_with("<TCP:") {
                    sends.push(core::mem::take(&mut since));
                }
                continue;
            }
            let path = object.strip_prefix('<').and_then(|path| Some(path.split_once('>')?.0));
            let Some(path) = path.unwrap_or(export).strip_prefix(export) else { continue };
            let path = path.trim_start_matches('/');
            let sync = format!("{name} {}", if path.is_empty() { "." } else { path });
            if rest.ends_with("<unfinished ...>") {
                unfinished.insert(thread, sync);
                continue;
            }
            sync
        };
        assert!(rest.ends_with(" = 0"), "{line}");
        since.push(sync);
    }
    sends
}

#[test]
fn replies_leave_when_what_they_say_is_on_disk() {
    let probe = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        eprintln!("skipped: strace is not installed here, or may not trace");
        return;
    }
    for (export, names) in [("", true), (",async", false)] {
        let top = place();
        let log = top.path().join("trace");
        let mut strace = Command::new("strace");
        // -D: the server is our own child, not that of strace.
        strace.args(["-D", "-f", "-q", "-yy", "-s", "0", "-e"]);
        strace.arg(format!("trace={},{SENDS}", SYNCS.join(","))).arg("-o").arg(&log);
        strace.arg(env!("CARGO_BIN_EXE_server")).args(server(top.path(), export));
        let (mut child, address) = ready(strace);
        let expected = work(connect(address), names);
        let pid = Pid::from_child(&child);
        kill_process(pid, Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));

        let end = format!("{} +++ exited with 0 +++", pid.as_raw_nonzero());
        let whole = (0..500).find_map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            let trace = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned();
            // Short process numbers are padded.
            trace.lines().any(|line| line.split_whitespace().eq(end.split(' '))).then_some(trace)
        });
        let trace = whole.expect("strace ends with the server");
        let exported = top.path().canonicalize().unwrap().join("exported");
        let found = syncs_before_sends(&trace, exported.to_str().unwrap());
        assert_eq!(found.len(), expected.len(), "one send for each reply: {trace}");
        for ((what, syncs), found) in expected.iter().zip(&found) {
            assert_eq!(found, syncs, "{what}{export}");
        }
    }
}

#[test]
fn a_trace_is_read_in_the_order_of_returns_and_begins() {
    let trace = "\
7  fsync(3</x/state>) = 0
7  sendto(9<TCP:[127.0.0.1:1->127.0.0.1:2]>, \"\"..., 28, 0, NULL, 0) = 28
8  fsync(5</x/e/a> <unfinished ...>
7  sendto(9<TCP:[127.0.0.1:1->127.0.0.1:2]>, \"\"..., 28, 0, NULL, 0 <unfinished ...>
8  <... fsync resumed>)             = 0
7  <... sendto resumed>)            = 28
7  write(1<pipe:[5]>, \"\"..., 3) = 3
8  syncfs(4</x/e>) = 0
7  +++ exited with 0 +++
7  sendmsg(9<TCP:[127.0.0.1:1->127.0.0.1:2]>, {}, 0) = 28
";
    let expected: [&[&str]; 3] = [&[], &[], &["fsync a", "syncfs ."]];
    assert_eq!(syncs_before_sends(trace, "/x/e"), expected);
}

//--- What a killed server leaves ---

#[test]
fn a_server_that_was_killed_is_followed_by_one_that_knows_its_files() {
    let top = place();
    let (mut file, mut verifiers) = (None, Vec::new());
    let mine = CreateHow::Exclusive(*b"\xff\xfe\xfd\xfc\0\x01\x02\x03");
    for _ in 0..3 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(server(top.path(), ""));
        let (mut child, address) = ready(command);
        let client = &mut connect(address);
        let root = client.mount("/");
        let mut create = |name, how| {
            let reply = client.call::<Create>(&CreateArgs { location: op(&root, name), how });
            match reply.results::<Create>() {
                CreateReply::Ok(ok) => Ok(ok.object.unwrap().as_bytes().to_vec()),
                CreateReply::Fail(status, _) => Err(status),
            }
        };
        // The same call again, its reply lost with the server.
        let made = create("mine", mine).unwrap();
        assert_eq!(file.get_or_insert_with(|| made.clone()), &made);
        assert_eq!(create("mine", CreateHow::Exclusive([0; 8])), Err(Status::EXIST));
        let new = SetAttributes { mode: Some(0o600), ..SetAttributes::default() };
        assert_eq!(create("mine", CreateHow::Guarded(new)), Err(Status::EXIST));
        let other = create("other", CreateHow::Unchecked(new)).unwrap();

        let data = Payload::Borrowed(b"data");
        let args = WriteArgs::new(fh(&other), 0, StableHow::Unstable, data);
        let reply = client.call::<Write>(&args);
        let WriteReply::Ok(wrote) = reply.results::<Write>() else { panic!("not written") };
        let reply = client.call::<Commit>(&CommitArgs { file: fh(&other), offset: 0, count: 0 });
        let CommitReply::Ok(committed) = reply.results::<Commit>() else { panic!("no COMMIT") };
        assert_eq!(wrote.verifier, committed.verifier);
        assert!(!verifiers.contains(&wrote.verifier), "each start has its own");
        verifiers.push(wrote.verifier);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
