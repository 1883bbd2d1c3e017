//! READ and WRITE of real files, on both sides of the copy-break.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod server_support;

use std::collections::HashMap;
use std::fs::{File, read, write};
use std::io::IoSlice;
use std::sync::Arc;
use std::time::Duration;

use nfswire_examples::fs::{
    Caller, DirVisitor, FileData, FileSystem, Found, Handle, ReadData, Result,
};
use nfswire_examples::local::{ExportOptions, LocalFs};
use nfswire_examples::server::Config;
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply};
use nfswire_nfs3::io::{ReadArgs, ReadReply, WriteArgs, WriteReply};
use nfswire_nfs3::lookup::{LookupArgs, LookupReply};
use nfswire_nfs3::procedures::{Getattr, Lookup, Read, Write};
use nfswire_nfs3::{Attributes, DirOpArgs, FileHandle, FileName, StableHow, Status};
use nfswire_xdr::Payload;
use server_support::{Client, Running};
use socket2::{Domain, Socket, Type};
use tempfile::TempDir;

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 253) as u8 ^ (i >> 12) as u8).collect()
}

fn export(files: &[(&str, &[u8])], config: Config) -> (TempDir, Running) {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        write(dir.path().join(name), content).unwrap();
    }
    let fs = LocalFs::new(dir.path(), ExportOptions::default()).unwrap();
    (dir, Running::start(fs, config))
}

/// As the user of this process, who owns the files.
fn connect(server: &Running) -> Client {
    let mut client = server.connect();
    let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
    client.user = Some((uid.as_raw(), gid.as_raw()));
    client
}

fn no_squash() -> Config {
    Config { squash: nfswire_examples::server::Squash::None, ..Config::default() }
}

fn lookup(client: &mut Client, name: &str) -> Vec<u8> {
    let root = client.mount("/");
    let what = DirOpArgs {
        dir: FileHandle::new(&root).unwrap(),
        name: FileName::new(name.as_bytes()).unwrap(),
    };
    let reply = client.call::<Lookup>(&LookupArgs { what });
    let LookupReply::Ok(ok) = reply.results::<Lookup>() else { panic!("{name} is not there") };
    ok.object.as_bytes().to_vec()
}

fn args(file: &[u8], offset: u64, count: u32) -> ReadArgs<'_> {
    ReadArgs { file: FileHandle::new(file).unwrap(), offset, count }
}

// S3
#[test]
fn reads_are_exact_on_both_sides_of_the_copy_break() {
    let content = pattern(3_000_001);
    for copy_break in [0, 16 << 10, u32::MAX] {
        let config = Config { copy_break, ..no_squash() };
        let (_dir, server) = export(&[("file", &content)], config);
        let client = &mut connect(&server);
        let file = lookup(client, "file");
        for count in [0, 1, 3, 4096, 16383, 16384, 16385, 65537, 1 << 20, u32::MAX] {
            for offset in [0u64, 1, 4095, 2_999_000, 3_000_000, 3_000_001, 1 << 63, u64::MAX] {
                let reply = client.call::<Read>(&args(&file, offset, count));
                let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
                ok.validate().unwrap();
                let start = (offset.min(3_000_001)) as usize;
                let end = (start + count.min(1 << 20) as usize).min(content.len());
                assert_eq!(ok.bytes().unwrap(), &content[start..end], "{offset} {count}");
                assert_eq!(ok.eof, end == content.len(), "{offset} {count}");
                assert_eq!(ok.attributes.unwrap().size, 3_000_001);
            }
        }
    }
}

// E7
#[test]
fn pipelined_reads_of_all_sizes_come_whole() {
    let content = pattern(1 << 21);
    let (_dir, server) = export(&[("file", &content)], no_squash());
    let mut client = connect(&server);
    let file = lookup(&mut client, "file");
    let reads: Vec<(u64, u32)> = (0..400u32)
        .map(|i| (u64::from(i) * 3001, [10, 5000, 17_001, 0, 200_002][i as usize % 5]))
        .collect();
    let stream: Vec<u8> = (reads.iter())
        .flat_map(|(offset, count)| client.record::<Read>(&args(&file, *offset, *count)))
        .collect();
    let mut writer = Client { stream: client.stream.try_clone().unwrap(), xid: 0, user: None };
    let sending = std::thread::spawn(move || writer.send(&stream));
    let first = client.xid + 1 - reads.len() as u32;
    let mut left: HashMap<u32, (u64, u32)> = (first..).zip(reads).collect();
    while !left.is_empty() {
        // In any order.
        let reply = client.receive();
        let (offset, count) = left.remove(&reply.xid()).expect("a reply to each call");
        let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
        ok.validate().unwrap();
        let end = (offset as usize + count as usize).min(content.len());
        assert_eq!(ok.bytes().unwrap(), &content[offset as usize..end]);
    }
    sending.join().unwrap();
}

#[test]
fn writes_up_to_a_mebibyte_arrive() {
    let (dir, server) = export(&[("file", b"")], no_squash());
    let mut client = connect(&server);
    let file = lookup(&mut client, "file");
    let content = pattern(1 << 20);
    for (offset, data) in [(0, &content[..]), (1 << 20, &content[..4097]), (7, &content[..3])] {
        let file = FileHandle::new(&file).unwrap();
        let stable = StableHow::Unstable;
        let args = WriteArgs::new(file, offset, stable, Payload::Borrowed(data));
        let reply = client.call::<Write>(&args);
        let WriteReply::Ok(ok) = reply.results::<Write>() else { panic!("failed") };
        assert_eq!(ok.count as usize, data.len());
    }
    let mut expected = [&content[..], &content[..4097]].concat();
    expected[7..10].copy_from_slice(&content[..3]);
    assert!(read(dir.path().join("file")).unwrap() == expected);
}

// S5
#[test]
fn a_hundred_clients_with_narrow_sockets_read_one_file() {
    let content = pattern(1 << 20);
    let (_dir, server) = export(&[("file", &content)], no_squash());
    let file = lookup(&mut connect(&server), "file");
    let mut clients: Vec<_> = (0..100).map(|_| narrow(&server)).collect();
    for client in &mut clients {
        let call = client.record::<Read>(&args(&file, 0, 1 << 20));
        client.send(&call);
    }
    // All of them wait in the middle of their reply by now; one more is served at once.
    assert_eq!(lookup(&mut connect(&server), "file"), file);
    let readers =
        clients.into_iter().map(|mut client| std::thread::spawn(move || client.receive()));
    for reader in readers.collect::<Vec<_>>() {
        let reply = reader.join().unwrap();
        let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
        assert!(ok.bytes().unwrap() == content);
    }
}

/// A client with 16 KiB to receive into. Its segments are small, too: with those of the loopback interface, which are
/// larger than that, TCP would wait for a timer at every one.
fn narrow(server: &Running) -> Client {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    socket.set_tcp_mss(1400).unwrap();
    socket.connect(&server.address.into()).unwrap();
    Client { stream: socket.into(), ..connect(server) }
}

// S13
#[test]
fn a_client_that_takes_nothing_loses_its_connection_and_disturbs_nobody() {
    let content = pattern(1 << 20);
    let config = Config { send_timeout: Duration::from_millis(100), ..no_squash() };
    let (_dir, server) = export(&[("file", &content)], config);
    let file = lookup(&mut connect(&server), "file");
    let mut stalled = connect(&server);
    let calls: Vec<u8> =
        (0..64).flat_map(|_| stalled.record::<Read>(&args(&file, 0, 1 << 20))).collect();
    stalled.send(&calls);
    let mut other = connect(&server);
    for _ in 0..20 {
        let reply = other.call::<Read>(&args(&file, 0, 100));
        assert!(matches!(reply.results::<Read>(), ReadReply::Ok(_)));
        std::thread::sleep(Duration::from_millis(20));
    }
    // The timeout may begin anew some times, while the last bytes find room.
    std::thread::sleep(Duration::from_secs(2));
    // What fitted into the sockets is there, but not all of it: the server has given up.
    let whole = core::iter::from_fn(|| stalled.try_receive()).count();
    assert!(whole < 64, "{whole} replies");
}

/// Promises more of a file than there is, as if it had been cut since.
struct Cut {
    file: Arc<std::os::fd::OwnedFd>,
    attributes: Attributes,
}

impl FileSystem for Cut {
    fn root(&self) -> Handle {
        Handle::new(b"root").unwrap()
    }

    fn getattr(&self, _: &Caller<'_>, _: &[u8]) -> Result<Attributes> {
        Ok(self.attributes)
    }

    fn lookup(&self, _: &Caller<'_>, _: &[u8], _: &[u8]) -> Result<Found> {
        Err(Status::NOENT.into())
    }

    fn read(&self, _: &Caller<'_>, _: &[u8], offset: u64, count: u32) -> Result<ReadData> {
        let data = FileData::File { file: Arc::clone(&self.file), offset, len: count };
        Ok(ReadData { attributes: None, data, eof: false })
    }

    fn readdir(
        &self,
        _: &Caller<'_>,
        _: &[u8],
        _: u64,
        _: [u8; 8],
        _: &mut dyn DirVisitor,
    ) -> Result<bool> {
        // Never begins: the core must not take that for an empty directory.
        Ok(true)
    }

    fn write(
        &self,
        _: &Caller<'_>,
        _: &[u8],
        _: u64,
        _: &[IoSlice<'_>],
        _: StableHow,
    ) -> Result<nfswire_examples::fs::Written> {
        panic!("a file system with a fault")
    }
}

fn cut() -> Running {
    let file = tempfile::NamedTempFile::new().unwrap();
    write(file.path(), pattern(50_000)).unwrap();
    serve(File::open(file.path()).unwrap())
}

/// A server whose every file is this one.
fn serve(open: File) -> Running {
    let (_dir, server) = export(&[("file", b"x")], no_squash());
    let client = &mut connect(&server);
    let file = lookup(client, "file");
    let getattr = GetattrArgs { object: FileHandle::new(&file).unwrap() };
    let reply = client.call::<Getattr>(&getattr);
    let GetattrReply::Ok(ok) = reply.results::<Getattr>() else { panic!("no attributes") };

    let file = Arc::new(open.into());
    Running::start(Cut { file, attributes: ok.attributes }, Config::default())
}

#[test]
fn a_file_cut_under_a_large_read_ends_the_connection() {
    let server = cut();
    let mut client = server.connect();
    let call = client.record::<Read>(&args(b"root", 0, 100_000));
    client.send(&call);
    assert!(client.is_closed(), "no record of 100,000 bytes can be had from 50,000");
    // The next connection is served.
    let reply = server.connect().call::<Read>(&args(b"root", 0, 50_000));
    let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
    assert_eq!(ok.bytes().unwrap(), pattern(50_000));
}

#[test]
fn a_file_that_cannot_be_read_costs_one_connection_and_is_then_an_error() {
    // The kernel answers EIO: nothing is mapped at address 0.
    let server = serve(File::open("/proc/self/mem").unwrap());
    let mut client = server.connect();
    let call = client.record::<Read>(&args(b"root", 0, 100_000));
    client.send(&call);
    assert!(client.is_closed(), "the header had left already");
    let reply = server.connect().call::<Read>(&args(b"root", 0, 100_000));
    assert!(matches!(reply.results::<Read>(), ReadReply::Fail(Status::IO, _)));
}

#[test]
fn a_file_cut_under_a_small_read_gives_what_is_left() {
    let server = cut();
    let reply = server.connect().call::<Read>(&args(b"root", 49_000, 16_000));
    let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
    ok.validate().unwrap();
    assert_eq!(ok.bytes().unwrap(), &pattern(50_000)[49_000..]);
    assert!(ok.eof);
    assert_eq!(ok.attributes, None, "those of before are over, those of now newer than the bytes");
}

#[test]
fn faults_of_a_file_system_stay_in_their_call() {
    use nfswire_nfs3::procedures::Readdir;
    use nfswire_nfs3::readdir::ReaddirArgs;
    use nfswire_rpc::CallFailure;
    let server = cut();
    let mut client = server.connect();
    let dir = FileHandle::new(b"root").unwrap();
    let listing = ReaddirArgs { dir, cookie: 0, cookie_verifier: [0; 8], count: 4096 };
    assert_eq!(client.call::<Readdir>(&listing).failure(), CallFailure::SystemErr);
    // A panic costs its connection, not the server.
    let data = Payload::Borrowed(b"data");
    let call = client.record::<Write>(&WriteArgs::new(dir, 0, StableHow::Unstable, data));
    client.send(&call);
    assert!(client.is_closed());
    let reply = server.connect().call::<Getattr>(&GetattrArgs { object: dir });
    assert!(matches!(reply.results::<Getattr>(), GetattrReply::Ok(_)));
}
