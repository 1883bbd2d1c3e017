//! Calls of one connection that are served beside each other.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![allow(clippy::panic, clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod server_support;

use std::io::{IoSlice, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use bytes::Bytes;
use nfswire_examples::fs::{
    Caller, Committed, FileData, FileSystem, Found, Handle, MAX_TRANSFER, ReadData, Result, Written,
};
use nfswire_examples::server::Config;
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply};
use nfswire_nfs3::io::{CommitArgs, CommitReply, ReadArgs, ReadReply, WriteArgs, WriteReply};
use nfswire_nfs3::procedures::{Commit, Getattr, Read, Write};
use nfswire_nfs3::{Attributes, FileHandle, StableHow, Status, WccData};
use nfswire_xdr::Payload;
use server_support::{Client, Running};
use socket2::{Domain, Socket, Type};

const SLOW: &[u8] = b"slow";
/// Somewhat slow to read, and more than sockets hold.
const HUGE: &[u8] = b"huge";
/// Data that is sent by reference.
const LARGE: u32 = 32 << 10;
/// Offsets from which on data is not in memory, and cannot be read.
const COLD: u64 = 1 << 20;
const UNREADABLE: u64 = 2 << 20;

/// A disk that does nothing before it is told to.
#[derive(Default)]
struct Disk {
    open: Mutex<bool>,
    opened: Condvar,
    /// Calls that have come to wait, and that wait now.
    begun: AtomicUsize,
    waiting: AtomicUsize,
    most_waiting: AtomicUsize,
    written: AtomicUsize,
    committed_early: AtomicBool,
    /// WRITEs that have ended, by connection.
    written_by: [AtomicUsize; 8],
    /// Of which all READs are, if there is one.
    file: Option<Arc<OwnedFd>>,
    /// How often it was asked whether data is in memory.
    fetched: AtomicUsize,
}

impl Disk {
    fn wait(&self) {
        let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_waiting.fetch_max(waiting, Ordering::SeqCst);
        self.begun.fetch_add(1, Ordering::SeqCst);
        let open = self.open.lock().unwrap();
        let limit = Duration::from_secs(15);
        let (open, timeout) = self.opened.wait_timeout_while(open, limit, |open| !*open).unwrap();
        assert!(*open && !timeout.timed_out(), "nobody opens the disk");
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// One call in thirteen is slow.
    fn sometimes(number: u64) {
        if number % 13 == 12 {
            std::thread::sleep(Duration::from_millis(12));
        }
    }

    fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    /// Waits until this many calls have come to wait.
    fn until_begun(&self, calls: usize) {
        let begun = (0..10_000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            self.begun.load(Ordering::SeqCst) >= calls
        });
        assert!(begun, "{calls} calls were sent");
    }
}

struct SlowFs(Arc<Disk>);

impl FileSystem for SlowFs {
    fn root(&self) -> Handle {
        Handle::EMPTY
    }

    fn getattr(&self, _: &Caller<'_>, _: &[u8]) -> Result<Attributes> {
        Err(Status::STALE.into())
    }

    fn lookup(&self, _: &Caller<'_>, _: &[u8], _: &[u8]) -> Result<Found> {
        Err(Status::NOENT.into())
    }

    fn read(&self, _: &Caller<'_>, file: &[u8], offset: u64, _: u32) -> Result<ReadData> {
        Disk::sometimes(offset);
        if file == SLOW {
            self.0.wait();
        }
        if file == HUGE {
            std::thread::sleep(Duration::from_millis(20));
            let data = FileData::Bytes(vec![7; MAX_TRANSFER as usize].into());
            return Ok(ReadData { attributes: None, data, eof: true });
        }
        assert_ne!(file, b"fault", "this file system has a fault");
        let data = match &self.0.file {
            Some(file) => FileData::File { file: Arc::clone(file), offset, len: LARGE },
            None => FileData::Bytes(Bytes::from_static(b"data")),
        };
        Ok(ReadData { attributes: None, data, eof: true })
    }

    fn fetch(&self, _: &OwnedFd, offset: u64, _: u32) -> Result<bool> {
        self.0.fetched.fetch_add(1, Ordering::SeqCst);
        match offset {
            ..COLD => return Ok(false),
            COLD..UNREADABLE => self.0.wait(),
            UNREADABLE.. => return Err(Status::IO.into()),
        }
        Ok(true)
    }

    fn is_in_memory(&self, _: &OwnedFd, _: u64, _: u64) -> Option<bool> {
        Some(false)
    }

    fn write(
        &self,
        _: &Caller<'_>,
        file: &[u8],
        offset: u64,
        data: &[IoSlice<'_>],
        committed: StableHow,
    ) -> Result<Written> {
        if file == SLOW {
            self.0.wait();
        }
        if let [b'c', connection] = *file {
            Disk::sometimes(offset);
            self.0.written_by[usize::from(connection)].fetch_add(1, Ordering::SeqCst);
        }
        self.0.written.fetch_add(1, Ordering::SeqCst);
        let count = data.iter().map(|piece| piece.len()).sum::<usize>().try_into().unwrap();
        Ok(Written { wcc: WccData::default(), count, committed, verifier: [3; 8] })
    }

    fn commit(&self, _: &Caller<'_>, file: &[u8], offset: u64, _: u32) -> Result<Committed> {
        if let [b'c', connection] = *file {
            // The offset says how many WRITEs came before.
            let written = self.0.written_by[usize::from(connection)].load(Ordering::SeqCst);
            if (written as u64) < offset {
                self.0.committed_early.store(true, Ordering::SeqCst);
            }
            Disk::sometimes(offset);
            return Ok(Committed { wcc: WccData::default(), verifier: [3; 8] });
        }
        if self.0.written.load(Ordering::SeqCst) < 2 {
            self.0.committed_early.store(true, Ordering::SeqCst);
        }
        Ok(Committed { wcc: WccData::default(), verifier: [3; 8] })
    }
}

fn start(threads: usize) -> (Running, Arc<Disk>) {
    let disk = Arc::<Disk>::default();
    let config = Config { threads, ..Config::default() };
    (Running::start(SlowFs(Arc::clone(&disk)), config), disk)
}

fn getattr(client: &mut Client) -> Vec<u8> {
    client.record::<Getattr>(&GetattrArgs { object: FileHandle::new(b"any").unwrap() })
}

fn read(client: &mut Client, file: &[u8]) -> Vec<u8> {
    let file = FileHandle::new(file).unwrap();
    client.record::<Read>(&ReadArgs { file, offset: 0, count: 4 })
}

fn expect_attributes(client: &mut Client) {
    let reply = client.receive();
    assert_eq!(reply.results::<Getattr>(), GetattrReply::Fail(Status::STALE));
}

fn expect_data(client: &mut Client) {
    let reply = client.receive();
    let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
    assert_eq!(ok.count, 4);
}

// S13
#[test]
fn calls_behind_a_slow_read_are_answered() {
    let (server, disk) = start(8);
    // The others come when it is being served already.
    let mut client = server.connect();
    let call = read(&mut client, SLOW);
    client.send(&call);
    disk.until_begun(1);
    for _ in 0..3 {
        let call = getattr(&mut client);
        client.send(&call);
        expect_attributes(&mut client);
    }
    // A second one, and others that come together with it, before and behind.
    let calls = [getattr(&mut client), read(&mut client, SLOW), getattr(&mut client)];
    client.send(&calls.concat());
    expect_attributes(&mut client);
    expect_attributes(&mut client);
    disk.until_begun(2);
    disk.open();
    expect_data(&mut client);
    expect_data(&mut client);
    let call = getattr(&mut client);
    client.send(&call);
    expect_attributes(&mut client);
}

/// A server of a file of which the second half is on a slow disk.
fn start_half_cold() -> (Running, Arc<Disk>) {
    let file = tempfile::tempfile().unwrap();
    file.set_len(UNREADABLE).unwrap();
    let disk = Arc::new(Disk { file: Some(Arc::new(file.into())), ..Disk::default() });
    (Running::start(SlowFs(Arc::clone(&disk)), Config::default()), disk)
}

fn read_at(client: &mut Client, file: &[u8], offset: u64) -> Vec<u8> {
    let file = FileHandle::new(file).unwrap();
    client.record::<Read>(&ReadArgs { file, offset, count: LARGE })
}

fn expect_much(client: &mut Client) {
    let reply = client.receive();
    let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
    assert_eq!(ok.count, LARGE);
}

// S13
#[test]
fn calls_behind_a_read_from_a_disk_are_answered_before_sendfile_would_wait() {
    let (server, disk) = start_half_cold();
    let mut client = server.connect();
    for cold in 1..=3 {
        // What comes from memory says nothing of what comes from the disk.
        let calls = [read_at(&mut client, b"file", 0), read_at(&mut client, b"file", 0)];
        client.send(&calls.concat());
        expect_much(&mut client);
        expect_much(&mut client);
        let call = read_at(&mut client, b"file", COLD + (cold as u64 - 1) * 131_072);
        client.send(&call);
        disk.until_begun(cold);
        for _ in 0..3 {
            let call = getattr(&mut client);
            client.send(&call);
            expect_attributes(&mut client);
        }
        disk.open();
        expect_much(&mut client);
        *disk.open.lock().unwrap() = false;
    }
    // There is still time for an answer.
    let call = read_at(&mut client, b"file", UNREADABLE);
    client.send(&call);
    let reply = client.receive();
    assert!(matches!(reply.results::<Read>(), ReadReply::Fail(Status::IO, _)));
    // A file that is read from memory is left alone.
    let (mut client, before) = (server.connect(), disk.fetched.load(Ordering::SeqCst));
    for _ in 0..200 {
        let call = read_at(&mut client, b"other", 0);
        client.send(&call);
        expect_much(&mut client);
    }
    let asked = disk.fetched.load(Ordering::SeqCst) - before;
    assert!((1..20).contains(&asked), "asked {asked} times in 200 READs");
}

// S13
#[test]
fn replies_that_are_ready_leave_before_a_read_from_a_disk() {
    let (server, disk) = start_half_cold();
    let mut client = server.connect();
    for round in 1..=3 {
        let cold = COLD + (round as u64 - 1) * 262_144;
        let calls = [
            read_at(&mut client, b"file", 0),
            read_at(&mut client, b"file", cold),
            getattr(&mut client),
            read_at(&mut client, b"file", cold + 131_072),
            getattr(&mut client),
        ];
        let (first, last) = (client.xid - 4, client.xid);
        client.send(&calls.concat());
        let reply = client.receive();
        assert_eq!(reply.xid(), first, "it does not wait for the disk");
        let ReadReply::Ok(_) = reply.results::<Read>() else { panic!("failed") };
        disk.until_begun(2 * round);
        disk.open();
        let mut xids: Vec<u32> = (0..4).map(|_| client.receive().xid()).collect();
        xids.sort_unstable();
        assert!(xids.into_iter().eq(first + 1..=last), "each is answered once");
        *disk.open.lock().unwrap() = false;
    }
}

#[test]
fn slow_calls_of_a_connection_are_bounded_and_all_are_answered() {
    for (threads, most) in [(0, 1), (1, 2), (4, 3)] {
        let (server, disk) = start(threads);
        let mut client = server.connect();
        let calls: Vec<u8> = (0..6).flat_map(|_| read(&mut client, SLOW)).collect();
        client.send(&calls);
        disk.until_begun(most);
        // Others are not held up.
        let mut other = server.connect();
        let call = getattr(&mut other);
        other.send(&call);
        expect_attributes(&mut other);
        disk.open();
        for _ in 0..6 {
            expect_data(&mut client);
        }
        assert_eq!(disk.most_waiting.load(Ordering::SeqCst), most, "{threads} threads");
    }
}

// S15
#[test]
fn a_commit_waits_for_the_writes_before_it_and_holds_up_nothing_else() {
    let (server, disk) = start(8);
    let mut client = server.connect();
    let write = |client: &mut Client, file: &[u8]| {
        let file = FileHandle::new(file).unwrap();
        let data = Payload::Borrowed(b"data");
        client.record::<Write>(&WriteArgs::new(file, 0, StableHow::Unstable, data))
    };
    let calls = [write(&mut client, SLOW), write(&mut client, SLOW)];
    for call in &calls {
        client.send(call);
    }
    disk.until_begun(2);
    let file = FileHandle::new(SLOW).unwrap();
    let commit = client.record::<Commit>(&CommitArgs { file, offset: 0, count: 0 });
    client.send(&commit);
    // A WRITE behind the COMMIT is none that it waits for.
    let call = write(&mut client, b"quick");
    client.send(&call);
    let WriteReply::Ok(_) = client.receive().results::<Write>() else { panic!("failed") };
    let call = getattr(&mut client);
    client.send(&call);
    expect_attributes(&mut client);
    disk.written.store(0, Ordering::SeqCst);
    disk.open();
    let commit = client.xid - 2;
    let mut committed = false;
    for _ in 0..3 {
        let reply = client.receive();
        if reply.xid() == commit {
            let CommitReply::Ok(_) = reply.results::<Commit>() else { panic!("failed") };
            committed = true;
        } else {
            let WriteReply::Ok(_) = reply.results::<Write>() else { panic!("failed") };
        }
    }
    assert!(committed && !disk.committed_early.load(Ordering::SeqCst));
}

// S15
#[test]
fn calls_of_many_connections_are_each_answered_once() {
    let (server, disk) = start(6);
    std::thread::scope(|scope| {
        for connection in 0..8 {
            let mut client = server.connect();
            scope.spawn(move || {
                let name = [b'c', connection];
                let file = FileHandle::new(&name).unwrap();
                let (first, mut stream, mut writes) = (client.xid + 1, Vec::new(), 0);
                for number in 0..300u64 {
                    stream.extend(match number * 7 % 10 {
                        0..3 => getattr(&mut client),
                        3..6 => client.record::<Read>(&ReadArgs { file, offset: number, count: 4 }),
                        6..9 => {
                            writes += 1;
                            let data = Payload::Borrowed(&[7; 6000]);
                            let how = StableHow::Unstable;
                            client.record::<Write>(&WriteArgs::new(file, number, how, data))
                        }
                        _ => {
                            client.record::<Commit>(&CommitArgs { file, offset: writes, count: 0 })
                        }
                    });
                }
                let last = client.xid;
                let mut writer =
                    Client { stream: client.stream.try_clone().unwrap(), xid: 0, user: None };
                let sending = std::thread::spawn(move || writer.send(&stream));
                let mut answered: Vec<u32> =
                    (first..=last).map(|_| client.receive().xid()).collect();
                answered.sort_unstable();
                assert!(answered.iter().copied().eq(first..=last));
                sending.join().unwrap();
            });
        }
    });
    assert!(!disk.committed_early.load(Ordering::SeqCst));
    assert_eq!(disk.written.load(Ordering::SeqCst), 8 * 90);
}

#[test]
fn replies_of_slow_calls_leave_although_nothing_more_is_received() {
    for garbage in [false, true] {
        let (server, disk) = start(8);
        let mut client = server.connect();
        let calls = [read(&mut client, SLOW), getattr(&mut client)];
        client.send(&calls.concat());
        expect_attributes(&mut client);
        if garbage {
            client.send(&[0xff; 64]);
        } else {
            client.stream.shutdown(Shutdown::Write).unwrap();
        }
        disk.open();
        expect_data(&mut client);
        assert!(client.is_closed());
    }
}

#[test]
fn clients_that_read_nothing_hold_no_thread_for_ever() {
    let disk = Arc::<Disk>::default();
    let send_timeout = Duration::from_secs(1);
    let config = Config { threads: 2, send_timeout, ..Config::default() };
    let server = Running::start(SlowFs(Arc::clone(&disk)), config);
    let mut stalled: Vec<Client> = (0..2).map(|_| server.connect()).collect();
    for client in &mut stalled {
        let call = read(client, SLOW);
        client.send(&call);
        client.stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
        let calls: Vec<u8> = (0..1000).flat_map(|_| getattr(client)).collect();
        while client.stream.write_all(&calls).is_ok() {}
    }
    disk.until_begun(2);
    // Both threads have a reply now that nobody takes. Others are served all the same.
    disk.open();
    let mut other = server.connect();
    let calls = [read(&mut other, SLOW), getattr(&mut other)];
    other.send(&calls.concat());
    expect_data(&mut other);
    expect_attributes(&mut other);
    // When the stalled clients have been dropped, the threads are free again.
    for client in &mut stalled {
        let waits = |error: &std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
        while client.stream.write(&[0]).as_ref().err().is_none_or(waits) {}
    }
    *disk.open.lock().unwrap() = false;
    other.send(&calls.concat());
    expect_attributes(&mut other);
    disk.open();
    expect_data(&mut other);
}

/// Connects with a small buffer to receive into, and asks for more than sockets hold.
fn take_nothing(server: &Running) -> Client {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    socket.connect(&server.address.into()).unwrap();
    let mut client = Client { stream: socket.into(), xid: 0, user: None };
    let file = FileHandle::new(HUGE).unwrap();
    let args = ReadArgs { file, offset: 0, count: MAX_TRANSFER };
    let calls: Vec<u8> = (0..16).flat_map(|_| client.record::<Read>(&args)).collect();
    client.send(&calls);
    client
}

// S15
#[test]
fn clients_that_take_no_replies_leave_threads_to_others() {
    for (threads, others) in [(2, 2), (4, 1), (8, 2)] {
        let (server, disk) = start(threads);
        let stuck: Vec<Client> = (0..2 * threads).map(|_| take_nothing(&server)).collect();
        for client in &stuck {
            client.stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            client.stream.peek(&mut [0]).unwrap();
        }
        // Time for all that can be held up to be so.
        std::thread::sleep(Duration::from_millis(300));
        for round in 1..=3 {
            let mut others: Vec<Client> = (0..others).map(|_| server.connect()).collect();
            for other in &mut others {
                let calls = [read(other, SLOW), getattr(other)];
                other.send(&calls.concat());
            }
            for other in &mut others {
                expect_attributes(other);
            }
            disk.until_begun(round * others.len());
            disk.open();
            for other in &mut others {
                expect_data(other);
            }
            *disk.open.lock().unwrap() = false;
        }
    }
}

#[test]
fn stopping_waits_for_calls_that_are_served_beside() {
    let (mut server, disk) = start(8);
    let mut client = server.connect();
    let calls = [read(&mut client, SLOW), getattr(&mut client)];
    client.send(&calls.concat());
    expect_attributes(&mut client);
    server.stop.stop();
    disk.open();
    expect_data(&mut client);
    assert!(client.is_closed());
    server.end();
}

#[test]
fn a_fault_of_a_file_system_ends_its_connection_only() {
    let (server, disk) = start(2);
    for beside in [false, true] {
        let mut client = server.connect();
        if beside {
            let calls = [read(&mut client, SLOW), getattr(&mut client)];
            client.send(&calls.concat());
            expect_attributes(&mut client);
        }
        let call = read(&mut client, b"fault");
        client.send(&call);
        if beside {
            disk.open();
        }
        while client.try_receive().is_some() {}
    }
    // Nobody is missing.
    *disk.open.lock().unwrap() = false;
    let mut client = server.connect();
    let calls = [read(&mut client, SLOW), getattr(&mut client)];
    client.send(&calls.concat());
    expect_attributes(&mut client);
    disk.open();
    expect_data(&mut client);
}
