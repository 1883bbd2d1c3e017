//! NFSv3 over a file system in memory: every reply is decoded by the codecs, and bad calls get their RFC 1813 answer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]

mod server_support;

use nfswire_examples::server::Config;
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply, SetattrArgs, SetattrReply};
use nfswire_nfs3::create::{
    CreateArgs, CreateHow, CreateReply, MkdirArgs, MkdirReply, MknodArgs, MknodData, MknodReply,
    SymlinkArgs, SymlinkData, SymlinkReply,
};
use nfswire_nfs3::fs::{
    FsinfoArgs, FsinfoReply, FsstatArgs, FsstatReply, PathconfArgs, PathconfReply,
};
use nfswire_nfs3::io::{
    CommitArgs, CommitReply, ReadArgs, ReadReply, WriteArgs, WriteOk, WriteReply,
};
use nfswire_nfs3::lookup::{
    ACCESS_LOOKUP, ACCESS_READ, AccessArgs, AccessReply, LookupArgs, LookupReply, ReadlinkArgs,
    ReadlinkReply,
};
use nfswire_nfs3::procedures::*;
use nfswire_nfs3::readdir::{ReaddirArgs, ReaddirReply, ReaddirplusArgs, ReaddirplusReply};
use nfswire_nfs3::remove::{
    LinkArgs, LinkReply, RemoveArgs, RemoveReply, RenameArgs, RenameReply, RmdirArgs, RmdirReply,
};
use nfswire_nfs3::{
    DirOpArgs, FileHandle, FileName, FileType, SetAttributes, StableHow, Status, Time,
};
use nfswire_xdr::{Payload, from_bytes};
use server_support::embed::MemFs;
use server_support::{Client, Running, case};

fn server() -> Running {
    Running::start(MemFs::default(), Config::default())
}

fn fh(handle: &[u8]) -> FileHandle<'_> {
    FileHandle::new(handle).unwrap()
}

fn op<'a>(dir: &'a [u8], name: &'a [u8]) -> DirOpArgs<'a> {
    DirOpArgs { dir: fh(dir), name: FileName::new(name).unwrap() }
}

fn create(client: &mut Client, dir: &[u8], name: &[u8]) -> Vec<u8> {
    let how = CreateHow::Unchecked(SetAttributes::default());
    let reply = client.call::<Create>(&CreateArgs { location: op(dir, name), how });
    let CreateReply::Ok(ok) = reply.results::<Create>() else { panic!("not created") };
    ok.object.unwrap().as_bytes().to_vec()
}

fn write(client: &mut Client, file: &[u8], offset: u64, data: &[u8]) -> WriteOk {
    let args = WriteArgs::new(fh(file), offset, StableHow::Unstable, Payload::Borrowed(data));
    match client.call::<Write>(&args).results::<Write>() {
        WriteReply::Ok(ok) => ok,
        WriteReply::Fail(status, _) => panic!("{status:?}"),
    }
}

fn read(client: &mut Client, file: &[u8], offset: u64, count: u32) -> (Vec<u8>, bool) {
    let reply = client.call::<Read>(&ReadArgs { file: fh(file), offset, count });
    let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("not read") };
    ok.validate().unwrap();
    (ok.bytes().unwrap().to_vec(), ok.eof)
}

fn size(client: &mut Client, file: &[u8]) -> (u64, Time) {
    let reply = client.call::<Getattr>(&GetattrArgs { object: fh(file) });
    let GetattrReply::Ok(ok) = reply.results::<Getattr>() else { panic!("no attributes") };
    (ok.attributes.size, ok.attributes.mtime)
}

#[test]
fn files_are_made_written_and_read() {
    let server = server();
    let client = &mut server.connect();
    let root = client.mount("/");
    let file = create(client, &root, b"file");
    let data: Vec<u8> = (0..100_003u32).map(|i| (i % 251) as u8).collect();
    let wrote = write(client, &file, 5, &data);
    assert_eq!(wrote.count as usize, data.len());
    assert_eq!(wrote.wcc.before.unwrap().size, 0);
    assert_eq!(wrote.wcc.after.unwrap().size, data.len() as u64 + 5);
    // Every length of a pad.
    for count in [0, 1, 2, 3, 4, 5, 4096, 65536] {
        let (bytes, eof) = read(client, &file, 5, count);
        assert_eq!((bytes, eof), (data[..count as usize].to_vec(), false));
    }
    assert_eq!(read(client, &file, 100_000, 100), (data[99_995..].to_vec(), true));
    assert_eq!(read(client, &file, 1 << 40, 100), (vec![], true));
    assert_eq!(read(client, &file, u64::MAX, u32::MAX), (vec![], true));

    let reply = client.call::<Lookup>(&LookupArgs { what: op(&root, b"file") });
    let LookupReply::Ok(ok) = reply.results::<Lookup>() else { panic!("not found") };
    assert_eq!(ok.object.as_bytes(), file);
    let args = AccessArgs { object: fh(&root), access: ACCESS_READ | ACCESS_LOOKUP };
    let AccessReply::Ok(ok) = client.call::<Access>(&args).results::<Access>() else {
        panic!("no access")
    };
    assert_eq!(ok.access, ACCESS_READ | ACCESS_LOOKUP);
    let args = CommitArgs { file: fh(&file), offset: 0, count: 0 };
    assert!(matches!(client.call::<Commit>(&args).results::<Commit>(), CommitReply::Ok(_)));
}

#[test]
fn every_procedure_answers_in_its_own_form() {
    let server = server();
    let client = &mut server.connect();
    let root = client.mount("/");
    let new = SetAttributes::default();
    macro_rules! ok {
        ($p:ident, $args:expr, $reply:ident) => {
            assert!(matches!(client.call::<$p>(&$args).results::<$p>(), $reply::Ok(_)))
        };
    }
    macro_rules! fails {
        ($p:ident, $args:expr, $reply:ident, $status:ident) => {
            let reply = client.call::<$p>(&$args);
            let $reply::Fail(status, ..) = reply.results::<$p>() else { panic!("did not fail") };
            assert_eq!(status, Status::$status);
        };
    }
    ok!(Fsinfo, FsinfoArgs { fsroot: fh(&root) }, FsinfoReply);
    ok!(Fsstat, FsstatArgs { fsroot: fh(&root) }, FsstatReply);
    ok!(Pathconf, PathconfArgs { object: fh(&root) }, PathconfReply);
    fails!(Readlink, ReadlinkArgs { symlink: fh(&root) }, ReadlinkReply, INVAL);
    let mkdir = MkdirArgs { location: op(&root, b"d"), attributes: new };
    ok!(Mkdir, mkdir, MkdirReply);
    fails!(Mkdir, mkdir, MkdirReply, EXIST);
    let data = SymlinkData { attributes: new, data: Payload::Borrowed(b"text") };
    let symlink = SymlinkArgs { location: op(&root, b"l"), symlink: data.clone() };
    ok!(Symlink, symlink, SymlinkReply);
    let symlink = SymlinkArgs { location: op(&root, b"l"), symlink: data };
    fails!(Symlink, symlink, SymlinkReply, EXIST);
    let reply = client.call::<Lookup>(&LookupArgs { what: op(&root, b"l") });
    let LookupReply::Ok(link) = reply.results::<Lookup>() else { panic!("not found") };
    let reply = client.call::<Readlink>(&ReadlinkArgs { symlink: link.object });
    let ReadlinkReply::Ok(read) = reply.results::<Readlink>() else { panic!("not read") };
    assert_eq!(read.data.as_slice(), Some(&b"text"[..]));
    let fifo = MknodArgs { location: op(&root, b"f"), what: MknodData::Fifo(new) };
    ok!(Mknod, fifo, MknodReply);
    fails!(Mknod, fifo, MknodReply, EXIST);
    let regular = MknodData::Other(FileType::Regular);
    fails!(Mknod, MknodArgs { location: op(&root, b"f"), what: regular }, MknodReply, BADTYPE);
    fails!(Rmdir, RmdirArgs { object: op(&root, b"f") }, RmdirReply, NOTDIR);
    let rename = RenameArgs { from: op(&root, b"f"), to: op(&root, b"b") };
    ok!(Rename, rename, RenameReply);
    fails!(Rename, rename, RenameReply, NOENT);
    ok!(Remove, RemoveArgs { object: op(&root, b"b") }, RemoveReply);
    fails!(Remove, RemoveArgs { object: op(&root, b"d") }, RemoveReply, ISDIR);
    ok!(Rmdir, RmdirArgs { object: op(&root, b"d") }, RmdirReply);
    // What the file system leaves out.
    fails!(Link, LinkArgs { file: fh(&root), link: op(&root, b"b") }, LinkReply, NOTSUPP);
    fails!(Lookup, LookupArgs { what: op(&root, b"nothing") }, LookupReply, NOENT);
    fails!(Read, ReadArgs { file: fh(&root), offset: 0, count: 1 }, ReadReply, ISDIR);
    let commit = CommitArgs { file: fh(b"forged"), offset: 0, count: 0 };
    fails!(Commit, commit, CommitReply, BADHANDLE);
    fails!(Access, AccessArgs { object: fh(b"forged"), access: 1 }, AccessReply, BADHANDLE);
}

#[test]
fn forged_handles_are_told_from_stale_ones() {
    let server = server();
    let client = &mut server.connect();
    let mut status = |handle: &[u8]| {
        let reply = client.call::<Getattr>(&GetattrArgs { object: fh(handle) });
        match reply.results::<Getattr>() {
            GetattrReply::Ok(_) => Status::OK,
            GetattrReply::Fail(status) => status,
        }
    };
    // B27: no bytes, 10 bytes, 64 bytes
    for name in ["B27a", "B27b", "B27c"] {
        let args = case(name);
        let args: GetattrArgs<'_> = from_bytes(&args).unwrap();
        assert_eq!(status(&args.object), Status::BADHANDLE, "{name}");
    }
    let root = server.connect().mount("/");
    assert_eq!(status(&root), Status::OK);
    for at in 0..root.len() {
        let mut forged = root.clone();
        forged[at] ^= 0x10;
        assert!(matches!(status(&forged), Status::BADHANDLE | Status::STALE));
        assert_eq!(status(&root[..at]), Status::BADHANDLE);
    }
}

#[test]
fn announced_limits_are_those_that_the_server_carries() {
    let announced = |max_record| {
        let server = Running::start(MemFs::default(), Config { max_record, ..Config::default() });
        let client = &mut server.connect();
        let root = client.mount("/");
        let reply = client.call::<Fsinfo>(&FsinfoArgs { fsroot: fh(&root) });
        let FsinfoReply::Ok(ok) = reply.results::<Fsinfo>() else { panic!("failed") };
        assert_eq!(ok.rtmax, 1 << 20);
        assert!(ok.wtpref <= ok.wtmax);
        // One that long is taken, whatever the credential.
        let file = create(client, &root, b"file");
        client.user = Some((1, 1));
        let data = vec![7; ok.wtmax as usize];
        assert_eq!(write(client, &file, 0, &data).count, ok.wtmax);
        ok.wtmax
    };
    assert_eq!(announced(Config::default().max_record), 1 << 20);
    assert_eq!(announced(64 << 10), 60 << 10);
    assert_eq!(announced(8 << 10), 4 << 10);
}

// B20
#[test]
fn a_guard_that_fails_changes_nothing_and_gets_one_reply() {
    let server = server();
    let client = &mut server.connect();
    let root = client.mount("/");
    let file = create(client, &root, b"file");
    write(client, &file, 0, b"content");
    let bytes = case("B20a");
    let mut args: SetattrArgs<'_> = from_bytes(&bytes).unwrap();
    args.object = fh(&file);
    let reply = client.call::<Setattr>(&args);
    let SetattrReply::Fail(status, _) = reply.results::<Setattr>() else { panic!("changed") };
    assert_eq!(status, Status::NOT_SYNC);
    // Were there a second reply, it would come now.
    assert_eq!(size(client, &file).0, 7);
    args.guard = None;
    let reply = client.call::<Setattr>(&args);
    assert!(matches!(reply.results::<Setattr>(), SetattrReply::Ok(_)));
    assert_eq!(size(client, &file).0, 0);
}

// B21
#[test]
fn a_write_with_two_lengths_writes_nothing() {
    let server = server();
    let client = &mut server.connect();
    let root = client.mount("/");
    let file = create(client, &root, b"file");
    for name in ["B21a", "B21b"] {
        let bytes = case(name);
        let mut args: WriteArgs<'_> = from_bytes(&bytes).unwrap();
        args.file = fh(&file);
        let reply = client.call::<Write>(&args);
        let WriteReply::Fail(status, _) = reply.results::<Write>() else { panic!("written") };
        assert_eq!(status, Status::INVAL, "{name}");
        assert_eq!(size(client, &file).0, 0);
    }
    // No data: success, and nothing changes.
    let before = size(client, &file);
    let bytes = case("B21c");
    let mut args: WriteArgs<'_> = from_bytes(&bytes).unwrap();
    args.file = fh(&file);
    let reply = client.call::<Write>(&args);
    let WriteReply::Ok(ok) = reply.results::<Write>() else { panic!("refused") };
    assert_eq!(ok.count, 0);
    assert_eq!(size(client, &file), before);
}

// B28
#[test]
fn names_are_bytes() {
    let server = server();
    let client = &mut server.connect();
    let root = client.mount("/");
    for name in ["B28a", "B28b"] {
        let bytes = case(name);
        let args: LookupArgs<'_> = from_bytes(&bytes).unwrap();
        let file = create(client, &root, &args.what.name);
        let reply = client.call::<Lookup>(&LookupArgs { what: op(&root, &args.what.name) });
        let LookupReply::Ok(ok) = reply.results::<Lookup>() else { panic!("not found") };
        assert_eq!(ok.object.as_bytes(), file);
    }
    let bytes = case("B28c");
    let args: LookupArgs<'_> = from_bytes(&bytes).unwrap();
    let reply = client.call::<Lookup>(&LookupArgs { what: op(&root, &args.what.name) });
    let LookupReply::Fail(status, _) = reply.results::<Lookup>() else { panic!("found") };
    assert_eq!(status, Status::ACCES);
}

/// Makes files with names of 1 to 12 bytes.
fn fill(client: &mut Client, root: &[u8], count: usize) -> Vec<Vec<u8>> {
    let names: Vec<_> =
        (0..count).map(|i| format!("{i:0width$}", width = 3 + i % 10).into_bytes()).collect();
    for name in &names {
        create(client, root, name);
    }
    names
}

// B24
#[test]
fn pages_keep_to_the_byte_and_give_each_name_once() {
    let server = server();
    let client = &mut server.connect();
    let root = client.mount("/");
    let expected = fill(client, &root, 300);
    let bytes = case("B24a");
    let mut args: ReaddirArgs<'_> = from_bytes(&bytes).unwrap();
    args.dir = fh(&root);
    for count in [136, 137, 200, 512, args.count, 65536, u32::MAX] {
        args.count = count;
        (args.cookie, args.cookie_verifier) = (0, [0; 8]);
        let mut names = Vec::new();
        loop {
            let reply = client.call::<Readdir>(&args);
            // The status word is not counted.
            assert!(reply.results_len() as u64 <= u64::from(count) + 4);
            let ReaddirReply::Ok(ok) = reply.results::<Readdir>() else { panic!("failed") };
            assert!(!ok.reply.entries.is_empty() || ok.reply.eof);
            for entry in ok.reply.entries.iter() {
                names.push(entry.name.as_bytes().to_vec());
                args.cookie = entry.cookie;
            }
            args.cookie_verifier = ok.cookie_verifier;
            if ok.reply.eof {
                break;
            }
        }
        assert_eq!(names, expected, "count {count}");
    }
    // Resumes behind a cookie whose entry does not exist, with a verifier that was never given out.
    let bytes = case("B24b");
    let mut args: ReaddirArgs<'_> = from_bytes(&bytes).unwrap();
    args.dir = fh(&root);
    let reply = client.call::<Readdir>(&args);
    let ReaddirReply::Ok(ok) = reply.results::<Readdir>() else { panic!("failed") };
    assert!(ok.reply.entries.is_empty() && ok.reply.eof);
    // B26b: continues behind cookie 3, which is that of the second.
    let bytes = case("B26b");
    let mut args: ReaddirArgs<'_> = from_bytes(&bytes).unwrap();
    args.dir = fh(&root);
    let reply = client.call::<Readdir>(&args);
    let ReaddirReply::Ok(ok) = reply.results::<Readdir>() else { panic!("failed") };
    assert_eq!(ok.reply.entries.iter().next().unwrap().name.as_bytes(), expected[2]);
}

// B25, B26
#[test]
fn detailed_pages_keep_to_the_byte() {
    let server = server();
    let client = &mut server.connect();
    let root = client.mount("/");
    let expected = fill(client, &root, 300);
    for name in ["B25a", "B26a"] {
        let bytes = case(name);
        let mut args: ReaddirplusArgs<'_> = from_bytes(&bytes).unwrap();
        args.dir = fh(&root);
        let mut names = Vec::new();
        loop {
            let reply = client.call::<Readdirplus>(&args);
            assert!(reply.results_len() as u64 <= u64::from(args.maxcount) + 4);
            let ReaddirplusReply::Ok(ok) = reply.results::<Readdirplus>() else { panic!("{name}") };
            let listed: u64 = (ok.reply.entries.iter())
                .map(|e| 20 + u64::from(e.name.len().next_multiple_of(4)))
                .sum();
            assert!(listed <= u64::from(args.dircount));
            for entry in ok.reply.entries.iter() {
                let attributes = entry.name_attributes.unwrap();
                assert_eq!(attributes.fileid, entry.fileid);
                let reply = Client { stream: client.stream.try_clone().unwrap(), ..*client }
                    .call::<Lookup>(&LookupArgs { what: op(&root, &entry.name) });
                let LookupReply::Ok(found) = reply.results::<Lookup>() else { panic!("gone") };
                assert_eq!(found.object.as_bytes(), entry.name_handle.unwrap().as_bytes());
                names.push(entry.name.as_bytes().to_vec());
                args.cookie = entry.cookie;
            }
            args.cookie_verifier = ok.cookie_verifier;
            if ok.reply.eof {
                break;
            }
        }
        assert_eq!(names, expected, "{name}");
    }
    let bytes = case("B25b");
    let mut args: ReaddirplusArgs<'_> = from_bytes(&bytes).unwrap();
    args.dir = fh(&root);
    let reply = client.call::<Readdirplus>(&args);
    let ReaddirplusReply::Fail(status, attributes) = reply.results::<Readdirplus>() else {
        panic!("64 bytes are not enough")
    };
    assert_eq!(status, Status::TOOSMALL);
    assert_eq!(attributes.unwrap().file_type, FileType::Directory);
}

// D2
#[test]
fn arguments_with_flipped_bits_leave_the_server_up() {
    let server = server();
    let client = &mut server.connect();
    let root = client.mount("/");
    let file = create(client, &root, b"file");
    let args = WriteArgs::new(fh(&file), 0, StableHow::FileSync, Payload::Borrowed(b"12345"));
    let good = client.record::<Write>(&args);
    // Behind the mark and the header.
    for bit in 44 * 8..good.len() * 8 {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        client.send(&bad);
        client.receive();
    }
    assert!(size(client, &file).0 <= 64 << 20);
}
