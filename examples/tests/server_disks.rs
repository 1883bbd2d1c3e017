//! The server on disks that are large, full, broken, and that others change: real file systems on loop devices.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod disk_support;
mod server_support;

use std::collections::HashSet;
use std::fs::{self, File, hard_link};
use std::io::{BufRead, BufReader, Lines};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use disk_support::{Disk, Kind, Nfs, Served, fh, kinds, on_disks, pattern, run, try_run};
use nfswire_nfs3::create::CreateHow;
use nfswire_nfs3::lookup::{ACCESS_LOOKUP, ACCESS_MODIFY, ACCESS_READ};
use nfswire_nfs3::procedures::{Readdir, Readdirplus};
use nfswire_nfs3::readdir::{ReaddirArgs, ReaddirReply, ReaddirplusArgs, ReaddirplusReply};
use nfswire_nfs3::{StableHow, Status};
use server_support::ready;

/// A user that owns nothing, and one more.
const USER: u32 = 1001;
const OTHER: u32 = 1002;

const PAGE: usize = 4096;

/// READ data of more bytes leaves by `sendfile`.
const COPY_BREAK: u32 = 16 << 10;

//--- Large directories ---

const LASTING: usize = 100_000;
const GOING: usize = 10_000;

/// Names of 6 to 45 bytes, and some of 200.
fn name_of(kind: &str, i: usize) -> String {
    let width = if i.is_multiple_of(97) { 200 } else { 6 + i % 40 } - kind.len();
    format!("{kind}{i:0width$}")
}

/// One page behind a cookie: names with cookies, and whether it is the last.
type Page = (Vec<(Vec<u8>, u64)>, bool);

type List = fn(&mut Nfs, &[u8], u64, u32) -> Page;

fn page(nfs: &mut Nfs, dir: &[u8], cookie: u64, count: u32) -> Page {
    let args = ReaddirArgs { dir: fh(dir), cookie, cookie_verifier: [0; 8], count };
    let reply = nfs.client.call::<Readdir>(&args);
    let ReaddirReply::Ok(ok) = reply.results::<Readdir>() else { panic!("no page") };
    let entries = ok.reply.entries.iter();
    (entries.map(|entry| (entry.name.as_bytes().to_vec(), entry.cookie)).collect(), ok.reply.eof)
}

fn detailed_page(nfs: &mut Nfs, dir: &[u8], cookie: u64, count: u32) -> Page {
    let args = ReaddirplusArgs {
        dir: fh(dir),
        cookie,
        cookie_verifier: [0; 8],
        dircount: count,
        maxcount: count * 4,
    };
    let reply = nfs.client.call::<Readdirplus>(&args);
    let ReaddirplusReply::Ok(ok) = reply.results::<Readdirplus>() else { panic!("no page") };
    let entries = ok.reply.entries.iter().map(|entry| {
        // What has just gone has no details; what has some is what was listed.
        if let Some(attributes) = entry.name_attributes {
            assert!(attributes.fileid == entry.fileid && entry.name_handle.is_some());
        } else {
            assert!(!entry.name.as_bytes().starts_with(b"s"), "a lasting name is there");
        }
        (entry.name.as_bytes().to_vec(), entry.cookie)
    });
    (entries.collect(), ok.reply.eof)
}

#[test]
fn a_hundred_thousand_names_are_listed_once_while_others_come_and_go() {
    on_disks("a_hundred_thousand_names_are_listed_once_while_others_come_and_go", |place| {
        std::thread::scope(|scope| {
            for kind in kinds() {
                scope.spawn(move || list_many(place, kind));
            }
        });
    });
}

fn list_many(place: &Path, kind: Kind) {
    let disk = Disk::new(place, &format!("{kind:?}"), kind, &[]);
    let dir = disk.path("dir");
    fs::create_dir(&dir).unwrap();
    // Links are made fast; a file of ext4 has at most 65,000.
    let targets = ["one", "two", "three", "four"].map(|name| disk.path(name));
    for target in &targets {
        File::create(target).unwrap();
    }
    let make = |name: &str, i: usize| hard_link(&targets[i % 4], dir.join(name)).unwrap();
    for i in 0..LASTING {
        make(&name_of("s", i), i);
        if i < GOING {
            make(&name_of("g", i), i);
        }
    }
    let served = Served::new(&[(&disk.path, false)]);
    let nfs = &mut served.connect(0, 0);
    let handle = nfs.file("dir");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let changes = scope.spawn(|| {
            let mut i = 0;
            while !done.load(Ordering::SeqCst) {
                // Each name is there once only: one that comes again would be listed again.
                make(&name_of("c", i), i);
                if i < GOING {
                    fs::remove_file(dir.join(name_of("g", i))).unwrap();
                } else if i >= 2 * GOING {
                    fs::remove_file(dir.join(name_of("c", i - GOING))).unwrap();
                }
                i += 1;
            }
            i
        });
        for list in [page as List, detailed_page] {
            let (mut names, mut cookie) = (HashSet::new(), 0);
            for count in [512, 1024, 4096, 8192, 700].into_iter().cycle() {
                let (entries, ended) = list(nfs, &handle, cookie, count);
                assert!(ended || !entries.is_empty());
                for (name, next) in entries {
                    cookie = next;
                    let shown = String::from_utf8_lossy(&name).into_owned();
                    assert!(names.insert(name), "{kind:?}: {shown} came twice");
                }
                if ended {
                    break;
                }
            }
            for i in 0..LASTING {
                let name = name_of("s", i);
                assert!(names.contains(name.as_bytes()), "{kind:?}: {name} was not listed");
            }
        }
        done.store(true, Ordering::SeqCst);
        assert!(changes.join().unwrap() > 100, "the directory changed meanwhile");
    });
}

//--- Full disks ---

#[test]
fn a_full_disk_is_said_and_what_was_acknowledged_stays() {
    on_disks("a_full_disk_is_said_and_what_was_acknowledged_stays", |place| {
        for kind in kinds() {
            // Few inodes, where their number is fixed.
            let arguments: &[&str] = if kind == Kind::Ext4 { &["-N", "64"] } else { &[] };
            fill(&Disk::new(place, &format!("{kind:?}"), kind, arguments));
        }
    });
}

fn fill(disk: &Disk) {
    // What is left is for the server to fill.
    let ballast = disk.path("ballast");
    let room = || rustix::fs::statvfs(&disk.path).unwrap();
    let left = room().f_bavail * room().f_frsize;
    let taken = left.saturating_sub(24 << 20).to_string();
    run("fallocate", &["-l", &taken, ballast.to_str().unwrap()]);

    let mut served = Served::new(&[(&disk.path, false)]);
    let mut nfs = served.connect(0, USER);
    let (safe_data, big_data) = (pattern(1 << 20, 1), pattern(48 << 20, 2));
    let [safe, big, small] = ["safe", "big", "small"].map(|name| nfs.make(name).unwrap());
    nfs.write(&safe, 0, &safe_data, StableHow::FileSync).unwrap();
    let verifier = nfs.write(&big, 0, &big_data[..1], StableHow::Unstable).unwrap().1;
    let (taken, why) = nfs.write_until(&big, &big_data, StableHow::Unstable);
    assert!(taken > 8 << 20 && why == Status::NOSPC, "{taken} {why}");
    // The disk has room for what it took.
    assert_eq!(nfs.commit(&big), Ok(verifier));
    let (few, why) = nfs.write_until(&small, &big_data, StableHow::FileSync);
    assert!(few < 1 << 20 && why == Status::NOSPC, "{few} {why}");

    // Names: until there is no inode, or no block for a directory.
    let root = nfs.root.clone();
    let mine = CreateHow::Exclusive(*b"verifier");
    let exclusive = nfs.create(&root, "exclusive", mine);
    let (made, why) = nfs.make_until("file");
    assert_eq!(why, Status::NOSPC);
    assert_eq!(nfs.mkdir(&root, "directory"), Err(Status::NOSPC));
    assert_eq!(nfs.make("safe"), Err(Status::EXIST));
    // The same call again, its reply lost: that the disk is full is not the answer.
    assert_eq!(nfs.create(&root, "exclusive", mine), exclusive);
    assert_eq!(nfs.look(&root, "directory"), Err(Status::NOENT));
    assert_eq!(nfs.look(&root, &format!("file{made}")), Err(Status::NOENT));

    // All of it is on disk, and the server after this one knows it.
    served.stop();
    disk.unmount();
    disk.mount();
    assert!(fs::read(disk.path("safe")).unwrap() == safe_data);
    let found = fs::read(disk.path("big")).unwrap();
    assert!(found[..taken] == big_data[..taken], "what was committed is there");
    assert!(fs::read(disk.path("small")).unwrap()[..few] == big_data[..few]);
    served.start();
    nfs = served.connect(0, USER);
    assert_eq!(nfs.getattr(&big).unwrap().size, found.len() as u64);

    // Also what was written a moment ago and never committed gives its room back.
    nfs.write(&big, 0, &big_data[..1 << 20], StableHow::Unstable).unwrap();
    let before = nfs.fsstat(&root).abytes;
    nfs.remove(&root, "big").unwrap();
    assert_eq!(nfs.getattr(&big), Err(Status::STALE));
    // xfs frees blocks behind the call.
    let freed = (0..200).any(|_| {
        let after = nfs.fsstat(&root).abytes;
        after >= before + taken as u64 / 2 || {
            std::thread::sleep(Duration::from_millis(20));
            false
        }
    });
    assert!(freed, "{before} bytes, {taken} of a file that was removed");
    let at = few as u64;
    assert_eq!(nfs.write(&small, at, &safe_data, StableHow::FileSync).unwrap().0, safe_data.len());
    assert!(nfs.read(&small, at, 1 << 20).unwrap() == safe_data);
    assert!(nfs.read(&safe, 0, 1 << 20).unwrap() == safe_data);
    if disk.path("file0").exists() {
        nfs.remove(&root, "file0").unwrap();
    }
    nfs.mkdir(&root, "directory").unwrap();
}

//--- Quotas ---

/// The program, which gives up the right to go beyond quotas, with directories as `/0`, `/1` and so on.
struct Program(Child, SocketAddr);

impl Program {
    fn new(state: &Path, exports: &[&Path]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(["--squash", "none", "--listen", "127.0.0.1:0", "--state-dir"]).arg(state);
        for (i, path) in exports.iter().enumerate() {
            command.arg("--export").arg(format!("{}=/{i}", path.display()));
        }
        let (child, address) = ready(command);
        Self(child, address)
    }

    fn connect(&self, export: usize, uid: u32) -> Nfs {
        Nfs::to(self.1, &format!("/{export}"), uid)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_quota_holds_for_its_user_alone() {
    on_disks("a_quota_holds_for_its_user_alone", |place| {
        for (kind, arguments, options) in
            [(Kind::Ext4, &["-O", "quota"][..], "loop,usrquota"), (Kind::Xfs, &[], "loop,uquota")]
        {
            let disk = Disk::mounted(place, &format!("{kind:?}"), kind, arguments, options);
            let limited = disk.and_then(|disk| {
                let path = disk.path.to_str().unwrap();
                // KiB and files, soft and hard.
                let limits = ["0", "4096", "0", "8"];
                let user = USER.to_string();
                try_run("setquota", &[&["-u", &user][..], &limits, &[path]].concat())?;
                Ok(disk)
            });
            match limited {
                Ok(disk) => go_beyond(&place.join(format!("{kind:?}.state")), &disk),
                Err(error) => eprintln!("quotas of {kind:?} are not run: {error}"),
            }
        }
    });
}

fn go_beyond(state: &Path, disk: &Disk) {
    let server = Program::new(state, &[&disk.path]);
    let (mut user, mut other) = (server.connect(0, USER), server.connect(0, OTHER));
    let data = pattern(8 << 20, 5);
    let root = user.root.clone();
    let [mine, second] = ["mine", "second"].map(|name| user.make(name).unwrap());
    user.write(&mine, 0, &data[..PAGE], StableHow::FileSync).unwrap();
    let (taken, why) = user.write_until(&second, &data, StableHow::Unstable);
    assert!(taken > 2 << 20 && taken < 4 << 20 && why == Status::DQUOT, "{taken} {why}");
    user.commit(&second).unwrap();
    let (few, why) = user.write_until(&mine, &data, StableHow::FileSync);
    assert!(few < 1 << 20 && why == Status::DQUOT, "{few} {why}");
    let theirs = other.make("theirs").unwrap();
    assert_eq!(other.write(&theirs, 0, &data[..1 << 20], StableHow::FileSync).unwrap().0, 1 << 20);

    let (made, why) = user.make_until("file");
    assert!(made < 8 && why == Status::DQUOT, "{made} {why}");
    assert_eq!(user.mkdir(&root, "directory"), Err(Status::DQUOT));
    other.mkdir(&root, "directory").unwrap();
    user.remove(&root, "second").unwrap();
    user.make("once more").unwrap();
    assert_eq!(user.write(&mine, 0, &data[..1 << 20], StableHow::FileSync).unwrap().0, 1 << 20);
    assert!(user.read(&mine, 0, 1 << 20).unwrap() == data[..1 << 20]);
}

/// Of a part of the disk, where the kernel has no quotas of users.
#[test]
fn a_quota_of_a_subvolume_is_told() {
    on_disks("a_quota_of_a_subvolume_is_told", |place| {
        let disk = match Disk::mounted(place, "disk", Kind::Btrfs, &[], "loop") {
            Ok(disk) => disk,
            Err(error) => return eprintln!("quotas of btrfs are not run: {error}"),
        };
        let [narrow, wide] = ["narrow", "wide"].map(|name| disk.path(name));
        run("btrfs", &["quota", "enable", disk.path.to_str().unwrap()]);
        for path in [&narrow, &wide] {
            run("btrfs", &["subvolume", "create", path.to_str().unwrap()]);
            run("chmod", &["0777", path.to_str().unwrap()]);
        }
        let limit = |size| run("btrfs", &["qgroup", "limit", size, narrow.to_str().unwrap()]);
        limit("8M");
        let server = Program::new(&place.join("state"), &[&narrow, &wide]);
        let (mut nfs, mut other) = (server.connect(0, USER), server.connect(1, USER));
        let data = pattern(16 << 20, 6);
        let [file, there] = [&mut nfs, &mut other].map(|nfs| nfs.make("file").unwrap());
        let (taken, why) = nfs.write_until(&file, &data, StableHow::Unstable);
        assert!(taken > 2 << 20 && why == Status::DQUOT, "{taken} {why}");
        nfs.commit(&file).unwrap();
        let (made, why) = nfs.make_until("file");
        assert!(why == Status::DQUOT, "{made} {why}");
        let root = nfs.root.clone();
        assert_eq!(nfs.mkdir(&root, "directory"), Err(Status::DQUOT));
        let (len, piece) = (1 << 20, &data[..1 << 20]);
        assert_eq!(other.write(&there, 0, piece, StableHow::FileSync).unwrap().0, len);
        limit("64M");
        assert_eq!(nfs.write(&file, 0, piece, StableHow::FileSync).unwrap().0, len);
        assert!(nfs.read(&file, 0, 1 << 20).unwrap() == piece);
        nfs.mkdir(&root, "directory").unwrap();
    });
}

//--- Broken disks ---

/// Makes a part of a disk one that cannot be written: its image has no room for it.
fn break_writes(disk: &Disk, name: &str) {
    let image = disk.image.to_str().unwrap();
    let size = fs::metadata(image).unwrap().len().to_string();
    run("fallocate", &["-l", &size, image]);
    for (start, len) in disk.pieces(name) {
        run("fallocate", &["-p", "-o", &start.to_string(), "-l", &len.to_string(), image]);
    }
    let ballast = disk.image.with_file_name("ballast");
    let filled = try_run("dd", &["if=/dev/zero", &format!("of={}", ballast.display()), "bs=64k"]);
    assert!(filled.unwrap_err().contains("No space"));
}

#[test]
fn a_write_that_does_not_reach_the_disk_is_told_once() {
    on_disks("a_write_that_does_not_reach_the_disk_is_told_once", |place| {
        for kind in kinds() {
            // Room for all of the image, and a little more.
            let room = if kind == Kind::Ext4 { "size=72m" } else { "size=312m" };
            let small = place.join(format!("{kind:?}"));
            fs::create_dir(&small).unwrap();
            run("mount", &["-t", "tmpfs", "-o", room, "none", small.to_str().unwrap()]);
            lose_writes(&Disk::new(&small, "disk", kind, &[]));
        }
    });
}

fn lose_writes(disk: &Disk) {
    let (old, new) = (pattern(4 << 20, 3), pattern(1 << 20, 4));
    for name in ["victim", "sound"] {
        fs::write(disk.path(name), &old).unwrap();
    }
    run("sync", &["-f", disk.path.to_str().unwrap()]);
    break_writes(disk, "victim");

    let mut served = Served::new(&[(&disk.path, false)]);
    let nfs = &mut served.connect(0, 0);
    let [victim, sound] = ["victim", "sound"].map(|name| nfs.file(name));
    let (_, first) = nfs.write(&sound, 0, &new, StableHow::Unstable).unwrap();
    assert_eq!(nfs.write(&victim, 0, &new, StableHow::Unstable).unwrap().1, first);
    assert_eq!(nfs.commit(&victim), Err(Status::IO));
    // Whoever has uncommitted data sends it again, for whatever file; that of this one is known to be lost.
    let second = nfs.commit(&sound).unwrap();
    assert_ne!(second, first);
    assert_eq!(nfs.commit(&victim), Ok(second), "a failure is told once");
    assert_eq!(nfs.write(&victim, 0, &new, StableHow::FileSync), Err(Status::IO));
    assert_eq!(nfs.write(&victim, 0, &new, StableHow::DataSync), Err(Status::IO));
    let (_, third) = nfs.write(&sound, 1 << 20, &new, StableHow::FileSync).unwrap();
    assert_ne!(third, second);

    // Nothing else has suffered.
    let root = nfs.root.clone();
    let made = nfs.make("made").unwrap();
    nfs.write(&made, 0, b"data", StableHow::FileSync).unwrap();
    nfs.rename((&root, "made"), (&root, "moved")).unwrap();
    // A disk that has room again takes what comes again.
    fs::remove_file(disk.image.with_file_name("ballast")).unwrap();
    nfs.write(&victim, 0, &new, StableHow::Unstable).unwrap();
    assert_eq!(nfs.commit(&victim), Ok(third));
    served.stop();
    disk.unmount();
    disk.mount();
    assert!(fs::read(disk.path("victim")).unwrap()[..new.len()] == new);
    assert!(fs::read(disk.path("sound")).unwrap()[..2 << 20] == [&new[..], &new].concat());
    assert_eq!(fs::read(disk.path("moved")).unwrap(), b"data");
}

#[test]
fn data_that_cannot_be_read_is_an_error_and_never_zeros() {
    on_disks("data_that_cannot_be_read_is_an_error_and_never_zeros", |place| {
        lose_reads(&Disk::new(place, "disk", Kind::Ext4, &[]));
    });
}

fn lose_reads(disk: &Disk) {
    const LEN: usize = 4 << 20;
    let names: Vec<String> = (0..8).map(|i| format!("file{i}")).collect();
    for (name, seed) in names.iter().zip(0..) {
        fs::write(disk.path(name), pattern(LEN, seed)).unwrap();
        // So that each of them lies in one piece.
        run("sync", &["-f", disk.path.to_str().unwrap()]);
    }
    let (start, last) =
        (names.iter().zip(0u8..)).map(|(name, seed)| (disk.pieces(name)[0].0, seed)).max().unwrap();
    // Nothing of it is in memory, and its second half is no longer there.
    disk.unmount();
    disk.mount();
    let image = File::options().write(true).open(&disk.image).unwrap();
    let half = LEN as u64 / 2;
    image.set_len(start + half).unwrap();

    let served = Served::new(&[(&disk.path, false)]);
    let content = pattern(LEN, last);
    let file = served.connect(0, 0).file(&names[usize::from(last)]);
    let mut cuts = 0;
    // Small and large, all lost, lost from the middle on, and sound; each at a new connection and at one that has read.
    for count in [1000, COPY_BREAK, COPY_BREAK + 1, 100_000, 1 << 20] {
        for offset in [half, half - 600, LEN as u64 - 10, 0, half + 70_001] {
            let mut nfs = served.connect(0, 0);
            for _ in 0..2 {
                let sound = offset == 0;
                match nfs.try_read(&file, offset, count) {
                    // Short at most: in front of what is lost.
                    Some(Ok(data)) => {
                        let at = offset as usize;
                        assert!(!data.is_empty() && data == content[at..at + data.len()]);
                        let end = if sound { u64::from(count) } else { half };
                        assert!((at + data.len()) as u64 <= end, "{offset} {count}");
                    }
                    Some(Err(status)) => assert!(status == Status::IO && !sound),
                    None => {
                        assert!(!sound && count > COPY_BREAK, "there was time for an answer");
                        cuts += 1;
                        nfs = served.connect(0, 0);
                    }
                }
            }
        }
    }
    // A file that has failed is known, so that connections are not cut for ever.
    assert!(cuts < 2, "{cuts}");
    let nfs = &mut served.connect(0, 0);
    assert_eq!(nfs.read(&file, half, 1 << 20), Err(Status::IO));
    for (name, seed) in names.iter().zip(0..).filter(|(_, seed)| *seed != last) {
        let sound = nfs.file(name);
        assert!(
            nfs.read(&sound, 1 << 20, 1 << 20).unwrap() == pattern(LEN, seed)[1 << 20..2 << 20]
        );
    }
    assert_eq!(nfs.getattr(&file).unwrap().size, LEN as u64);
}

//--- Access lists ---

#[test]
fn access_lists_count_from_the_moment_they_are_set() {
    if let Err(error) = try_run("setfacl", &["--version"]) {
        return eprintln!("access lists are not run: {error}");
    }
    on_disks("access_lists_count_from_the_moment_they_are_set", |place| {
        let disks: Vec<Disk> =
            kinds().iter().map(|&kind| Disk::new(place, &format!("{kind:?}"), kind, &[])).collect();
        for disk in &disks {
            fs::create_dir(disk.path("dir")).unwrap();
            for name in ["dir/inner", "read", "written"] {
                fs::write(disk.path(name), "some data").unwrap();
                run("chmod", &["0600", disk.path(name).to_str().unwrap()]);
            }
            run("chmod", &["0700", disk.path("dir").to_str().unwrap()]);
        }
        let paths: Vec<_> = disks.iter().map(|disk| (&*disk.path, false)).collect();
        let served = Served::new(&paths);
        let mut users: Vec<Nfs> = (0..disks.len()).map(|i| served.connect(i, USER)).collect();
        let set = |disk: &Disk, arguments: &[&str]| {
            let paths = ["dir", "read", "written"].map(|name| disk.path(name));
            let paths: Vec<_> = paths.iter().map(|path| path.to_str().unwrap()).collect();
            run("setfacl", &[arguments, &paths].concat());
        };
        // Rights are remembered once they are some seconds old.
        let settle = || std::thread::sleep(Duration::from_millis(3200));

        settle();
        for (nfs, disk) in users.iter_mut().zip(&disks) {
            ask_all(nfs, false);
            ask_all(nfs, false);
            // Somebody else's entry is none of his.
            set(disk, &["-m", &format!("u:{OTHER}:rwx")]);
            ask_all(nfs, false);
            set(disk, &["-m", &format!("u:{USER}:rwx")]);
            ask_all(nfs, true);
        }
        settle();
        for (nfs, disk) in users.iter_mut().zip(&disks) {
            // The last thing that is asked changes a file, so it is asked once.
            ask_rights(nfs, true);
            ask_rights(nfs, true);
            set(disk, &["-x", &format!("u:{USER}")]);
            ask_all(nfs, false);
            set(disk, &["-m", &format!("u:{USER}:rwx")]);
            ask_all(nfs, true);
            // The mask takes away what the entry gives.
            set(disk, &["-n", "-m", "m::-"]);
            ask_all(nfs, false);
        }
    });
}

fn ask_rights(nfs: &mut Nfs, may: bool) {
    for (name, right) in [("dir", ACCESS_LOOKUP), ("read", ACCESS_READ), ("written", ACCESS_MODIFY)]
    {
        let file = nfs.file(name);
        assert_eq!(nfs.access(&file, right), if may { right } else { 0 }, "{name}");
    }
}

fn ask_all(nfs: &mut Nfs, may: bool) {
    let denied = |status| if may { Ok(()) } else { Err(status) };
    let [dir, read, written] = ["dir", "read", "written"].map(|name| nfs.file(name));
    assert_eq!(nfs.look(&dir, "inner").map(drop), denied(Status::ACCES));
    assert_eq!(nfs.read(&read, 0, 4).map(drop), denied(Status::ACCES));
    ask_rights(nfs, may);
    assert_eq!(
        nfs.write(&written, 0, b"mine", StableHow::FileSync).map(drop),
        denied(Status::ACCES)
    );
}

//--- File systems below an export ---

#[test]
fn a_file_system_mounted_below_is_entered_only_where_that_is_wanted() {
    on_disks("a_file_system_mounted_below_is_entered_only_where_that_is_wanted", |place| {
        let outer = Disk::new(place, "outer", Kind::Ext4, &[]);
        let inner = Disk::new(place, "inner", *kinds().last().unwrap(), &[]);
        fs::write(outer.path("file"), "outer").unwrap();
        fs::write(inner.path("file"), "inner").unwrap();
        fs::create_dir(outer.path("below")).unwrap();
        fs::write(outer.path("below/covered"), "covered").unwrap();
        run(
            "mount",
            &["--move", inner.path.to_str().unwrap(), outer.path("below").to_str().unwrap()],
        );
        let mut served = Served::new(&[(&outer.path, false), (&outer.path, true)]);

        // Not entered: it can be seen that there is something, and nothing can be done to it.
        let mut nfs = served.connect(0, 0);
        let root = nfs.root.clone();
        let listed = page(&mut nfs, &root, 0, 8192).0;
        assert!(listed.iter().any(|(name, _)| name == b"below"));
        assert_eq!(nfs.look(&root, "below"), Err(Status::ACCES));
        assert_eq!(nfs.make("below"), Err(Status::ACCES));
        assert_eq!(nfs.mkdir(&root, "below"), Err(Status::EXIST));
        assert_eq!(nfs.rmdir(&root, "below"), Err(Status::ACCES));
        assert_eq!(nfs.rename((&root, "below"), (&root, "moved")), Err(Status::ACCES));
        assert_eq!(nfs.rename((&root, "file"), (&root, "below")), Err(Status::ACCES));
        assert!(nfs.client.try_mount("/0/below").is_err());

        let mut nfs = served.connect(1, 0);
        let root = nfs.root.clone();
        let below = nfs.look(&root, "below").unwrap();
        assert_eq!(nfs.client.mount("/1/below"), below);
        let [outer_file, inner_file] = [&root, &below].map(|dir| nfs.look(dir, "file").unwrap());
        let [here, there] = [&root, &below].map(|dir| nfs.getattr(dir).unwrap().fsid);
        assert_ne!(here, there);
        assert_eq!(nfs.getattr(&inner_file).unwrap().fsid, there);
        let [here, there] = [&root, &below].map(|dir| nfs.fsstat(dir));
        assert!(here.tbytes != there.tbytes && here.tfiles != there.tfiles);
        assert_eq!(nfs.look(&below, ".."), Ok(root.clone()));
        assert_eq!(nfs.look(&below, "covered"), Err(Status::NOENT));
        // Nothing passes from one to the other.
        assert_eq!(nfs.rename((&root, "file"), (&below, "moved")), Err(Status::XDEV));
        assert_eq!(nfs.rename((&below, "file"), (&root, "moved")), Err(Status::XDEV));
        assert_eq!(nfs.link(&inner_file, &root, "linked"), Err(Status::XDEV));
        assert_eq!(nfs.link(&outer_file, &below, "linked"), Err(Status::XDEV));
        // Changes work on both sides, and are durable on both.
        for (dir, file) in [(&root, &outer_file), (&below, &inner_file)] {
            nfs.write(file, 5, b" and more", StableHow::FileSync).unwrap();
            let made = nfs.mkdir(dir, "made").unwrap();
            nfs.link(file, &made, "linked").unwrap();
            nfs.rename((&made, "linked"), (dir, "renamed")).unwrap();
            nfs.rmdir(dir, "made").unwrap();
        }

        served.stop();
        served.start();
        let mut nfs = served.connect(1, 0);
        for (file, content) in [(&outer_file, "outer and more"), (&inner_file, "inner and more")] {
            assert_eq!(nfs.read(file, 0, 99).unwrap(), content.as_bytes());
            nfs.write(file, 0, b"O", StableHow::FileSync).unwrap();
        }
        assert_eq!(nfs.look(&below, "renamed"), Ok(inner_file.clone()));
        // A handle of what is below is of no use when that is no longer there.
        served.stop();
        run("umount", &[outer.path("below").to_str().unwrap()]);
        served.start();
        let mut nfs = served.connect(1, 0);
        for handle in [&below, &inner_file] {
            assert!(matches!(nfs.getattr(handle), Err(Status::STALE | Status::JUKEBOX)));
        }
        assert_eq!(nfs.read(&outer_file, 0, 5).unwrap(), b"Outer");
        let below = nfs.look(&root, "below").unwrap();
        nfs.look(&below, "covered").unwrap();
    });
}

#[test]
fn a_directory_moved_out_of_a_part_that_is_mounted_is_stale() {
    on_disks("a_directory_moved_out_of_a_part_that_is_mounted_is_stale", |place| {
        // As a container has it: a directory of a file system is mounted, and exported from there.
        let disk = Disk::new(place, "disk", Kind::Ext4, &[]);
        fs::create_dir_all(disk.path("data/folder/deep")).unwrap();
        let part = place.join("part");
        fs::create_dir(&part).unwrap();
        let [from, to] = [&disk.path("data"), &part].map(|path| path.to_str().unwrap().to_owned());
        run("mount", &["--bind", &from, &to]);
        let served = Served::new(&[(&part, false), (&disk.path("data"), false)]);
        for export in 0..2 {
            let mut nfs = served.connect(export, 0);
            let root = nfs.root.clone();
            let folder = nfs.look(&root, "folder").unwrap();
            let deep = nfs.look(&folder, "deep").unwrap();
            fs::rename(disk.path("data/folder"), disk.path("moved")).unwrap();
            std::thread::sleep(Duration::from_millis(1100));
            for dir in [&folder, &deep] {
                assert_eq!(nfs.getattr(dir).map(drop), Err(Status::STALE));
                assert_eq!(nfs.look(dir, ".."), Err(Status::STALE));
                assert_eq!(nfs.mkdir(dir, "made"), Err(Status::STALE));
            }
            fs::rename(disk.path("moved"), disk.path("data/folder")).unwrap();
            assert_eq!(nfs.look(&deep, ".."), Ok(folder));
        }
        drop(served);
        run("umount", &[&to]);
    });
}

//--- EXCLUSIVE ---

#[test]
fn an_exclusive_create_is_known_again_on_every_file_system() {
    on_disks("an_exclusive_create_is_known_again_on_every_file_system", |place| {
        for kind in kinds() {
            let disk = Disk::new(place, &format!("{kind:?}"), kind, &[]);
            let mut served = Served::new(&[(&disk.path, false)]);
            let root = served.connect(0, USER).root;
            // Whatever the client takes for its verifier.
            let verifiers: [u64; 6] =
                [0, 1, u64::MAX, 1 << 63 | 1 << 31, 0x7fff_ffff_7fff_ffff, 0xffff_fffe_0000_0001];
            let create = |served: &Served, i: usize, verifier: u64| {
                let how = CreateHow::Exclusive(verifier.to_be_bytes());
                served.connect(0, USER).create(&root, &format!("file{i}"), how)
            };
            let made: Vec<_> =
                (verifiers.iter().enumerate()).map(|(i, &one)| create(&served, i, one)).collect();
            for after_restart in [false, true] {
                if after_restart {
                    served.stop();
                    disk.unmount();
                    disk.mount();
                    served.start();
                }
                for (i, &verifier) in verifiers.iter().enumerate() {
                    assert!(made[i].is_ok(), "{kind:?} {verifier:x}");
                    assert_eq!(create(&served, i, verifier), made[i], "{kind:?} {verifier:x}");
                    let other = verifier ^ 0x100;
                    assert_eq!(create(&served, i, other), Err(Status::EXIST));
                }
            }
            // From the first byte on it is a file like others.
            let file = made[1].clone().unwrap();
            let nfs = &mut served.connect(0, USER);
            nfs.write(&file, 0, b"x", StableHow::FileSync).unwrap();
            assert_eq!(create(&served, 1, verifiers[1]), Err(Status::EXIST));
            assert_eq!(nfs.getattr(&file).unwrap().mode, 0o600);
        }
    });
}

/// Kills a server when a thread makes so many system calls of this kind, from now on.
struct Trap {
    strace: Child,
    /// It writes more than is read here, and would end if it could not.
    _said: Lines<BufReader<ChildStderr>>,
}

impl Trap {
    fn new(server: &Program, call: &str, number: usize) -> Self {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}")]);
        strace.args(["-e", &format!("inject={call}:signal=SIGKILL:when={number}"), "-p"]);
        strace.arg(server.0.id().to_string()).stderr(Stdio::piped());
        let mut child = strace.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("attached")), "it may be traced");
        Self { strace: child, _said: lines }
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        drop(self.strace.kill());
        drop(self.strace.wait());
    }
}

#[test]
fn an_exclusive_create_cut_anywhere_can_be_made_again() {
    if let Err(error) = try_run("strace", &["-f", "-o", "/dev/null", "true"]) {
        return eprintln!("cut creates are not run: {error}");
    }
    on_disks("an_exclusive_create_cut_anywhere_can_be_made_again", |place| {
        for kind in kinds() {
            let disk = Disk::new(place, &format!("{kind:?}"), kind, &[]);
            let state = place.join(format!("{kind:?}.state"));
            // Handles outlive the server.
            let root = Program::new(&state, &[&disk.path]).connect(0, USER).root;
            for call in ["openat2", "utimensat", "linkat", "fsync"] {
                let mut number = 1;
                loop {
                    let server = Program::new(&state, &[&disk.path]);
                    let trap = Trap::new(&server, call, number);
                    let name = format!("{call}{number}");
                    let how = CreateHow::Exclusive(*b"verifier");
                    let mut first = Nfs::without_root(server.1, USER);
                    let made = first.try_create(&root, &name, how);
                    drop((server, trap));
                    let server = Program::new(&state, &[&disk.path]);
                    let mut retry = server.connect(0, USER);
                    let again = retry.create(&root, &name, how);
                    assert!(again.is_ok(), "{kind:?}: {again:?} after the end at {name}");
                    assert_eq!(
                        retry.create(&root, &name, CreateHow::Exclusive(*b"other\0\0\0")),
                        Err(Status::EXIST)
                    );
                    if let Some(made) = made {
                        assert_eq!(made, again);
                        break;
                    }
                    number += 1;
                }
                assert!(number > 1, "{kind:?}: a create takes {call}");
            }
        }
    });
}
