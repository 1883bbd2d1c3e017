//! The server's RPC layer, seen from the wire.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod server_support;

use core::time::Duration;

use nfswire_examples::server::{BindError, Config, Server};
use nfswire_nfs3::mount::{DirPath, HostName, v1, v3};
use nfswire_nfs3::procedures::{Getattr, Null};
use nfswire_nfs3::{FileHandle, attr::GetattrArgs};
use nfswire_rpc::{AuthFlavor, AuthStat, CallFailure, CallHeader, OpaqueAuth, Procedure};
use nfswire_xdr::{Encoder, Opaque, Segments};
use server_support::embed::MemFs;
use server_support::{Client, Reply, Running, case};

const XID: u32 = 0x4e46_5301;

fn server() -> Running {
    Running::start(MemFs::default(), Config::default())
}

/// The reply to what the case's bytes are, mark included.
fn answer(client: &mut Client, name: &str) -> Vec<u8> {
    client.send(&case(name));
    let record = client.receive().0;
    let mark = (0x8000_0000 | record.len() as u32).to_be_bytes();
    [&mark[..], &record].concat()
}

/// The connection still works.
fn works(client: &mut Client) {
    client.call::<Null>(&()).results::<Null>();
}

#[test]
fn calls_that_cannot_be_served_get_the_exact_reply() {
    let server = server();
    let mut client = server.connect();
    // Unknown version, unknown program, RPC versions 3 and 1, 17 groups, a credential of 404 bytes.
    for (call, reply) in [
        ("B15a", "B15b"),
        ("B15c", "B15d"),
        ("B16a", "B16b"),
        ("B16c", "B16d"),
        ("B17b", "B17c"),
        ("B18a", "B18d"),
    ] {
        assert_eq!(answer(&mut client, call), case(reply), "{call}");
    }
    // 16 groups are fine.
    client.send(&case("B17a"));
    client.receive().results::<Null>();
    // A credential that ends behind the record, and one cut off.
    for call in ["B18b", "B18c"] {
        client.send(&case(call));
        let expected = CallFailure::Auth(AuthStat::BAD_CRED);
        assert_eq!(client.receive().failure(), expected, "{call}");
    }
    works(&mut client);
}

// F1
#[test]
fn records_arrive_in_any_pieces() {
    let server = server();
    for name in ["B10a", "B12a", "B12b", "B13a"] {
        let stream = case(name);
        let calls: u32 = if name == "B13a" { 2 } else { 1 };
        for step in 1..=stream.len() {
            let mut client = server.connect();
            for piece in stream.chunks(step) {
                client.send(piece);
                if step < 4 {
                    std::thread::sleep(Duration::from_micros(50));
                }
            }
            for call in 0..calls {
                let reply = client.receive();
                assert_eq!(reply.xid(), XID + call, "{name} in pieces of {step}");
                reply.results::<Null>();
            }
        }
    }
}

#[test]
fn a_stray_reply_is_dropped() {
    let server = server();
    let mut client = server.connect();
    client.send(&case("B19a"));
    assert_eq!(client.receive().xid(), XID);
    works(&mut client);
}

#[test]
fn flavors_that_are_not_served_are_refused_and_the_connection_stays() {
    let server = server();
    let mut client = server.connect();
    for flavor in [AuthFlavor::SHORT, AuthFlavor::GSS, AuthFlavor::TLS, AuthFlavor(4711)] {
        let auth = OpaqueAuth { flavor, body: Opaque::new(b"").unwrap() };
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let mark = nfswire_rpc::RecordMark::reserve(&mut e).unwrap();
        e.put(&CallHeader::new::<Null>(9, auth)).unwrap();
        mark.close(&mut e).unwrap();
        e.finish();
        client.send(&segments.view(&head).to_vec().unwrap());
        assert_eq!(client.receive().failure(), CallFailure::Auth(AuthStat::BAD_CRED));
    }
    works(&mut client);
}

/// A call of anything, with these bytes for arguments.
fn raw(client: &mut Client, program: u32, version: u32, procedure: u32, args: &[u8]) -> Reply {
    let words = [7, 0, 2, program, version, procedure, 0, 0, 0, 0];
    let mut record: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
    record.extend(args);
    client.send(&(0x8000_0000 | record.len() as u32).to_be_bytes());
    client.send(&record);
    client.receive()
}

#[test]
fn programs_versions_procedures_and_arguments_are_judged_in_this_order() {
    let server = server();
    let client = &mut server.connect();
    let mismatch = |low, high| CallFailure::ProgMismatch { low, high };
    // The kernel asks for NFSACL on the same port.
    assert_eq!(raw(client, 100_227, 3, 0, b"").failure(), CallFailure::ProgUnavail);
    assert_eq!(raw(client, 100_003, 2, 99, b"").failure(), mismatch(3, 3));
    assert_eq!(raw(client, 100_003, 4, 1, b"").failure(), mismatch(3, 3));
    assert_eq!(raw(client, 100_005, 4, 0, b"").failure(), mismatch(1, 3));
    assert_eq!(raw(client, 100_005, 0, 0, b"").failure(), mismatch(1, 3));
    assert_eq!(raw(client, 100_003, 3, 22, b"x").failure(), CallFailure::ProcUnavail);
    assert_eq!(raw(client, 100_005, 3, 6, b"").failure(), CallFailure::ProcUnavail);
    assert_eq!(raw(client, 100_005, 1, 7, b"").failure(), CallFailure::ProcUnavail);
    // A handle of 68 bytes, and one that is cut off.
    assert_eq!(raw(client, 100_003, 3, 1, &case("B27d")).failure(), CallFailure::GarbageArgs);
    let cut = [0, 0, 0, 8, 1, 2, 3, 4];
    assert_eq!(raw(client, 100_003, 3, 1, &cut).failure(), CallFailure::GarbageArgs);
    // Every procedure with arguments says so when they are missing.
    for procedure in 1..=21 {
        let failure = raw(client, 100_003, 3, procedure, b"").failure();
        assert_eq!(failure, CallFailure::GarbageArgs, "procedure {procedure}");
    }
    raw(client, 100_003, 3, 0, b"").results::<Null>();
}

#[test]
fn mount_lists_the_export_and_remembers_clients() {
    let server = server();
    let mut client = server.connect();
    let root = client.mount("/");
    assert_eq!(client.mount(""), root);
    assert_eq!(client.mount("//"), root);

    let reply = client.call::<v3::Export>(&());
    let exports: Vec<_> = reply.results::<v3::Export>().iter().collect();
    assert_eq!(exports.len(), 1);
    assert_eq!(exports[0].directory.as_bytes(), b"/");
    let groups: Vec<_> = exports[0].groups.iter().map(|group| group.name.as_bytes()).collect();
    assert_eq!(groups, [&b"127.0.0.0/8"[..], b"::1/128"]);

    let mounts = |client: &mut Client| {
        let reply = client.call::<v3::Dump>(&());
        let list = reply.results::<v3::Dump>();
        list.iter()
            .map(|mount| (mount.hostname.as_bytes().to_vec(), mount.directory.as_bytes().to_vec()))
            .collect::<Vec<_>>()
    };
    assert_eq!(mounts(&mut client), [(b"127.0.0.1".to_vec(), b"/".to_vec())]);
    client.call::<v3::Umnt>(&DirPath::new(b"/other").unwrap()).results::<v3::Umnt>();
    assert_eq!(mounts(&mut client).len(), 1);
    client.call::<v3::Umnt>(&DirPath::new(b"/").unwrap()).results::<v3::Umnt>();
    assert_eq!(mounts(&mut client), []);
    client.mount("/");
    client.call::<v3::Umntall>(&()).results::<v3::Umntall>();
    assert_eq!(mounts(&mut client), []);
    assert!(HostName::new(&[b'x'; 255]).is_some());

    // Version 1 has handles of 32 bytes: ours is filled up.
    let reply = client.call::<v1::Mnt>(&DirPath::new(b"/").unwrap());
    let v1::FhStatus::Ok(handle) = reply.results::<v1::Mnt>() else { panic!("refused") };
    assert!(handle.starts_with(&root));
    let reply = client.call::<v1::Mnt>(&DirPath::new(b"/no/such").unwrap());
    assert_eq!(reply.results::<v1::Mnt>(), v1::FhStatus::Fail(2));
    let reply = client.call::<v1::Exportall>(&());
    assert_eq!(reply.results::<v1::Exportall>().len(), 1);
}

#[test]
fn pipelined_calls_are_all_answered() {
    let server = server();
    let mut client = server.connect();
    let root = client.mount("/");
    let args = GetattrArgs { object: FileHandle::new(&root).unwrap() };
    // More than one batch holds.
    let calls = 1000;
    let first = client.xid + 1;
    let stream: Vec<u8> = (0..calls).flat_map(|_| client.record::<Getattr>(&args)).collect();
    let mut writer = Client { stream: client.stream.try_clone().unwrap(), xid: 0, user: None };
    let sending = std::thread::spawn(move || writer.send(&stream));
    let mut answered: Vec<u32> = (0..calls)
        .map(|_| {
            let reply = client.receive();
            reply.results::<Getattr>();
            reply.xid()
        })
        .collect();
    // In any order, but each once.
    answered.sort_unstable();
    assert!(answered.iter().copied().eq(first..first + calls));
    sending.join().unwrap();
}

#[test]
fn garbage_closes_its_own_connection_only() {
    let server = server();
    let mut other = server.connect();
    works(&mut other);
    // No RPC at all; a record too short for a call; a message type that does not exist.
    let short = [0x80, 0, 0, 4, 1, 2, 3, 4];
    let mut typed = case("B16a");
    typed[11] = 2;
    for garbage in [&b"GET / HTTP/1.0\r\n\r\n"[..], &short, &typed] {
        let mut client = server.connect();
        client.send(garbage);
        assert!(client.is_closed(), "{garbage:?}");
        works(&mut other);
    }
    // What came before the garbage is answered.
    let mut client = server.connect();
    let mut stream = client.record::<Null>(&());
    stream.extend([0xff; 64]);
    client.send(&stream);
    client.receive().results::<Null>();
    assert!(client.is_closed());
    works(&mut other);
}

#[test]
fn a_record_of_many_empty_fragments_is_refused() {
    let server =
        Running::start(MemFs::default(), Config { max_fragments: 16, ..Config::default() });
    let mut client = server.connect();
    client.send(&[0; 4 * 15]);
    let call = client.record::<Null>(&());
    client.send(&call);
    client.receive().results::<Null>();
    client.send(&[0; 4 * 17]);
    assert!(client.is_closed());
}

#[test]
fn connections_beyond_the_limit_are_closed_and_give_way_when_others_end() {
    let server =
        Running::start(MemFs::default(), Config { max_connections: 3, ..Config::default() });
    let mut open: Vec<_> = (0..3).map(|_| server.connect()).collect();
    // One that has only said that it is there would give way.
    for client in &mut open {
        let root = client.mount("/");
        let object = FileHandle::new(&root).unwrap();
        client.call::<Getattr>(&GetattrArgs { object }).results::<Getattr>();
    }
    assert!(server.connect().is_closed());
    open.iter_mut().for_each(works);
    drop(open.pop());
    let served = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        let mut client = server.connect();
        let call = client.record::<Null>(&());
        use std::io::Write;
        client.stream.write_all(&call).is_ok() && client.try_receive().is_some()
    });
    assert!(served, "the place of a closed connection is free again");
}

#[test]
fn a_client_that_reads_nothing_is_dropped_once_the_send_timeout_is_over() {
    let send_timeout = Duration::from_secs(2);
    let config = Config { max_connections: 1, send_timeout, ..Config::default() };
    let server = Running::start(MemFs::default(), config);
    let mut stalled = server.connect();
    let root = stalled.mount("/");
    let args = GetattrArgs { object: FileHandle::new(&root).unwrap() };
    let calls: Vec<u8> = (0..1000).flat_map(|_| stalled.record::<Getattr>(&args)).collect();
    // Until the buffers of both directions are full, and further until it is cut off.
    let begun = std::thread::spawn(move || {
        use std::io::Write;
        let mut begun = std::time::Instant::now();
        while stalled.stream.write_all(&calls).is_ok() {
            begun = std::time::Instant::now();
        }
        begun
    });
    let begun = begun.join().unwrap();
    // Three sends that were each cut short by the timeout would have taken thrice as long.
    assert!(begun.elapsed() < send_timeout * 2, "{:?}", begun.elapsed());
}

#[test]
fn stopping_answers_what_was_asked_and_ends() {
    let mut server = server();
    let mut client = server.connect();
    works(&mut client);
    let idle = server.connect();
    let call = client.record::<Null>(&());
    client.send(&call);
    client.receive().results::<Null>();
    let begun = std::time::Instant::now();
    server.end();
    assert!(begun.elapsed() < Duration::from_secs(4), "idle clients do not hold it up");
    assert!(client.is_closed());
    assert!(std::net::TcpStream::connect(server.address).is_err());
    drop(idle);
}

#[test]
fn addresses_that_others_can_reach_are_refused() {
    let bind = |address: &str| {
        let server = Server::new(std::sync::Arc::new(MemFs::default()), Config::default());
        server.bind(address)
    };
    assert!(matches!(bind("0.0.0.0:0"), Err(BindError::NotLoopback(_))));
    assert!(matches!(bind("[::]:0"), Err(BindError::NotLoopback(_))));
    assert!(matches!(bind("127.0.0.1"), Err(BindError::Address(_))));
    let first = bind("127.0.0.1:0").unwrap();
    let taken = bind(&first.local_addr().to_string()).unwrap_err();
    assert!(taken.to_string().contains("another"), "{taken}");
}

#[test]
fn every_cut_and_every_flipped_bit_leaves_the_server_up() {
    let server = server();
    for name in ["B10a", "B15a", "B17a", "B18b", "B19a"] {
        let stream = case(name);
        for at in 0..stream.len() {
            let mut cut = server.connect();
            cut.send(&stream[..at]);
            cut.stream.shutdown(std::net::Shutdown::Write).unwrap();
            while cut.try_receive().is_some() {}
        }
        // The first words are those that steer; each flip on a connection of its own.
        for bit in 0..stream.len().min(48) * 8 {
            let mut flipped = stream.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let mut client = server.connect();
            client.send(&flipped);
            client.stream.shutdown(std::net::Shutdown::Write).unwrap();
            while client.try_receive().is_some() {}
        }
    }
    works(&mut server.connect());
    assert_eq!(Null::NUMBER, 0);
}
