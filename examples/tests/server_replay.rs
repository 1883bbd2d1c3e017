//! Calls that come again on a new connection.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod server_support;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nfswire_examples::fs::{Caller, FileSystem, Found, Handle, ReadData, Result};
use nfswire_examples::server::Config;
use nfswire_nfs3::procedures::{Null, Remove};
use nfswire_nfs3::remove::{RemoveArgs, RemoveReply};
use nfswire_nfs3::{Attributes, DirOpArgs, FileHandle, FileName, Status, WccData};
use server_support::{Client, Running};
use socket2::{Domain, SockRef, Socket, Type};

/// Has one file: removing it succeeds once.
struct Single {
    removed: Arc<AtomicU32>,
    begun: Mutex<Sender<()>>,
    /// Removing goes on when something comes.
    gate: Mutex<Receiver<()>>,
}

fn start(config: Config) -> (Running, Arc<AtomicU32>, Receiver<()>, Sender<()>) {
    let removed = Arc::default();
    let ((begin, begun), (open, gate)) = (channel(), channel());
    let single =
        Single { removed: Arc::clone(&removed), begun: Mutex::new(begin), gate: Mutex::new(gate) };
    (Running::start(single, config), removed, begun, open)
}

impl FileSystem for Single {
    fn root(&self) -> Handle {
        Handle::EMPTY
    }

    fn getattr(&self, _: &Caller<'_>, _: &[u8]) -> Result<Attributes> {
        Err(Status::STALE.into())
    }

    fn lookup(&self, _: &Caller<'_>, _: &[u8], _: &[u8]) -> Result<Found> {
        Err(Status::NOENT.into())
    }

    fn read(&self, _: &Caller<'_>, _: &[u8], _: u64, _: u32) -> Result<ReadData> {
        Err(Status::NOENT.into())
    }

    fn remove(&self, _: &Caller<'_>, dir: &[u8], _: &[u8]) -> Result<WccData> {
        self.begun.lock().unwrap().send(()).unwrap();
        self.gate.lock().unwrap().recv_timeout(Duration::from_secs(10)).unwrap();
        match self.removed.fetch_add(1, Ordering::SeqCst) {
            _ if dir == b"old" => Err(Status::STALE.into()),
            0 => Ok(WccData::default()),
            _ => Err(Status::NOENT.into()),
        }
    }
}

fn remove(client: &mut Client) -> Vec<u8> {
    remove_from(client, b"dir")
}

fn remove_from(client: &mut Client, dir: &[u8]) -> Vec<u8> {
    let dir = FileHandle::new(dir).unwrap();
    let object = DirOpArgs { dir, name: FileName::new(b"file").unwrap() };
    client.record::<Remove>(&RemoveArgs { object })
}

/// Ends a connection as a client does that has given it up.
fn break_off(client: Client) {
    SockRef::from(&client.stream).set_linger(Some(Duration::ZERO)).unwrap();
    drop(client);
}

fn is_ok(reply: &server_support::Reply) -> bool {
    matches!(reply.results::<Remove>(), RemoveReply::Ok(_))
}

// F3
#[test]
fn a_call_repeated_on_a_new_connection_is_answered_alike_and_runs_once() {
    let (server, removed, _begun, open) = start(Config::default());
    let mut client = server.connect();
    let call = remove(&mut client);
    open.send(()).unwrap();
    client.send(&call);
    let first = client.receive();
    assert!(is_ok(&first));
    break_off(client);
    // On new connections, and twice on the same.
    for _ in 0..3 {
        let mut again = server.connect();
        for _ in 0..2 {
            again.send(&call);
            assert_eq!(again.receive().0, first.0, "byte for byte");
        }
        break_off(again);
    }
    assert_eq!(removed.load(Ordering::SeqCst), 1);

    // Other arguments, another xid, another user: calls of their own.
    let mut client = server.connect();
    client.xid = 0x4e46_0000;
    client.user = Some((1000, 1000));
    let by_another_user = remove(&mut client);
    client.user = None;
    let another_xid = remove(&mut client);
    let mut another_name = call.clone();
    *another_name.last_mut().unwrap() = b'x';
    for (times, other) in [by_another_user, another_xid, another_name].iter().enumerate() {
        open.send(()).unwrap();
        client.send(other);
        assert!(!is_ok(&client.receive()), "call {times} runs, and the file is gone");
    }
    assert_eq!(removed.load(Ordering::SeqCst), 4);
}

// F3
#[test]
fn the_same_xid_of_another_client_is_a_call_of_its_own() {
    let (server, removed, _begun, open) = start(Config::default());
    let mut client = server.connect();
    let call = remove(&mut client);
    open.send(()).unwrap();
    client.send(&call);
    assert!(is_ok(&client.receive()));

    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let elsewhere = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), 0));
    socket.bind(&elsewhere.into()).unwrap();
    socket.connect(&server.address.into()).unwrap();
    let mut other = Client { stream: socket.into(), xid: 0, user: None };
    open.send(()).unwrap();
    other.send(&call);
    assert!(!is_ok(&other.receive()), "it runs, and the file is gone");
    assert_eq!(removed.load(Ordering::SeqCst), 2);
}

// F3
#[test]
fn a_call_repeated_while_it_runs_waits_for_its_reply() {
    let (server, removed, begun, open) = start(Config::default());
    let (mut client, mut second) = (server.connect(), server.connect());
    let call = remove(&mut client);
    client.send(&call);
    begun.recv_timeout(Duration::from_secs(10)).unwrap();
    // The client gives the first connection up.
    drop(client);
    second.send(&call);
    // What waits does not hold up the calls behind it.
    let null = second.record::<Null>(&());
    second.send(&null);
    second.receive().results::<Null>();
    open.send(()).unwrap();
    assert!(is_ok(&second.receive()));
    assert_eq!(removed.load(Ordering::SeqCst), 1);
}

// F3
#[test]
fn a_program_that_is_run_twice_is_served_twice() {
    let (server, removed, _begun, open) = start(Config::default());
    for run in 0..50 {
        // Its numbers are those of the run before. The first connection may still be open where the second begins.
        let mut client = server.connect();
        let call = remove(&mut client);
        open.send(()).unwrap();
        client.send(&call);
        assert_eq!(is_ok(&client.receive()), run == 0, "run {run}");
        assert_eq!(removed.load(Ordering::SeqCst), run + 1);
        // What it does next shows that it has the reply.
        client.call::<Null>(&()).results::<Null>();
    }
}

// F3
#[test]
fn of_two_clients_with_the_same_name_and_numbers_each_is_served() {
    let (server, removed, _begun, open) = start(Config::default());
    let (mut first, mut second) = (server.connect(), server.connect());
    let call = remove(&mut first);
    open.send(()).unwrap();
    first.send(&call);
    assert!(is_ok(&first.receive()));
    first.call::<Null>(&()).results::<Null>();
    // Its system acknowledges at once, not some milliseconds later.
    rustix::net::sockopt::set_tcp_quickack(&first.stream, true).unwrap();
    open.send(()).unwrap();
    second.send(&call);
    assert!(!is_ok(&second.receive()), "it runs, and the file is gone");
    assert_eq!(removed.load(Ordering::SeqCst), 2);
    // On its own connection each gets its own reply.
    second.send(&call);
    assert!(!is_ok(&second.receive()));
    assert_eq!(removed.load(Ordering::SeqCst), 2);
}

// F3
#[test]
fn failures_are_kept_unless_they_are_for_ever() {
    for (dir, runs) in [(b"old", 2), (b"dir", 1)] {
        let (server, removed, _begun, open) = start(Config::default());
        // So that there is nothing to remove.
        removed.store(1, Ordering::SeqCst);
        let call = remove_from(&mut server.connect(), dir);
        let replies = [0, 1].map(|_| {
            let mut client = server.connect();
            open.send(()).unwrap();
            client.send(&call);
            let reply = client.receive();
            assert!(!is_ok(&reply));
            break_off(client);
            reply.0
        });
        assert_eq!(replies[0], replies[1]);
        assert_eq!(removed.load(Ordering::SeqCst), 1 + runs);
    }
}

// F3
#[test]
fn what_a_client_may_not_have_received_is_kept() {
    type End = fn(Client, &[u8], &Sender<()>);
    let ends: [(&str, End); 7] = [
        // By a proxy, say, whose client is gone, or by a system that ends so what has not been read.
        ("closed in order behind the reply", |mut client, _, open| {
            open.send(()).unwrap();
            client.receive();
        }),
        ("shut down before the reply", |mut client, _, open| {
            client.stream.shutdown(std::net::Shutdown::Write).unwrap();
            open.send(()).unwrap();
            client.receive();
        }),
        ("closed in order behind a call that was sent before the reply", |mut client, _, open| {
            let null = client.record::<Null>(&());
            client.send(&null);
            open.send(()).unwrap();
            client.receive();
            client.receive();
        }),
        ("broken off behind the reply", |mut client, _, open| {
            open.send(()).unwrap();
            client.receive();
            break_off(client);
        }),
        ("closed with the reply in the client's system", |client, _, open| {
            open.send(()).unwrap();
            client.stream.peek(&mut [0]).unwrap();
            drop(client);
        }),
        ("closed in the middle of a record", |mut client, call, open| {
            open.send(()).unwrap();
            client.receive();
            client.send(&call[..call.len() / 2]);
            drop(client);
        }),
        ("closed before the reply", |client, _, open| {
            drop(client);
            open.send(()).unwrap();
        }),
    ];
    for (how, end) in ends {
        let (server, removed, begun, open) = start(Config::default());
        let mut client = server.connect();
        let call = remove(&mut client);
        client.send(&call);
        begun.recv_timeout(Duration::from_secs(10)).unwrap();
        end(client, &call, &open);
        let mut again = server.connect();
        again.send(&call);
        assert!(is_ok(&again.receive()), "{how}");
        assert_eq!(removed.load(Ordering::SeqCst), 1, "{how}");
    }
}

#[test]
fn without_a_cache_each_call_runs() {
    let (server, removed, _begun, open) = start(Config { replay_calls: 0, ..Config::default() });
    let mut client = server.connect();
    let call = remove(&mut client);
    for times in 0..2 {
        open.send(()).unwrap();
        client.send(&call);
        assert_eq!(is_ok(&client.receive()), times == 0);
    }
    assert_eq!(removed.load(Ordering::SeqCst), 2);
}
