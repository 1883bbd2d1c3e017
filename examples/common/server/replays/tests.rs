#![allow(clippy::unwrap_used, clippy::panic)]

use core::net::Ipv4Addr;
use std::thread;

use nfswire_rpc::{AuthSys, Groups};
use nfswire_xdr::{Segments, Text};

use super::*;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// What is to be done, and what is in the encoder then.
fn begin_of<'r, P: Procedure>(
    replays: &'r Replays,
    connection: u64,
    xid: u32,
    credential: &OpaqueAuth<'_>,
    args: &[u8],
) -> (Turn<'r>, Vec<u8>) {
    begin_from::<P>(replays, HERE, connection, xid, credential, args)
}

fn begin_from<'r, P: Procedure>(
    replays: &'r Replays,
    address: IpAddr,
    connection: u64,
    xid: u32,
    credential: &OpaqueAuth<'_>,
    args: &[u8],
) -> (Turn<'r>, Vec<u8>) {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let client = replays.client(address, credential, &Limits::LENIENT);
    let call = CallHeader::new::<P>(xid, *credential);
    let turn = replays.begin(client, connection, &call, args, &mut e);
    e.finish();
    (turn, segments.view(&head).to_vec().unwrap())
}

fn begin(replays: &Replays, connection: u64, xid: u32) -> (Turn<'_>, Vec<u8>) {
    begin_of::<Remove>(replays, connection, xid, &OpaqueAuth::NONE, b"args")
}

fn is_new((turn, _): &(Turn<'_>, Vec<u8>)) -> bool {
    matches!(turn, Turn::Run(_))
}

fn run(replays: &Replays, xid: u32) -> Ticket<'_> {
    match begin(replays, 0, xid) {
        (Turn::Run(ticket), out) if out.is_empty() => ticket,
        other => panic!("{other:?}"),
    }
}

// F3
#[test]
fn a_repetition_waits_for_the_call_that_runs() {
    let replays = Replays::new(16, 4096).unwrap();
    let ticket = run(&replays, 7);
    // The same connection gets one reply.
    assert!(matches!(begin(&replays, 0, 7).0, Turn::Drop));
    thread::scope(|scope| {
        let others: Vec<_> = (1..4)
            .map(|connection| {
                scope.spawn({
                    let replays = &replays;
                    move || begin(replays, connection, 7)
                })
            })
            .collect();
        while replays.stats().0.in_progress < 4 {
            thread::yield_now();
        }
        ticket.finish(b"reply of 7 x");
        for other in others {
            let (turn, out) = other.join().unwrap();
            assert!(matches!(turn, Turn::Replayed(_)));
            assert_eq!(out, b"\x80\0\0\x0creply of 7 x");
        }
    });
    assert_eq!(begin(&replays, 9, 7).1, b"\x80\0\0\x0creply of 7 x");
}

#[test]
fn what_did_not_run_may_be_tried_again_by_one_of_those_who_wait() {
    let replays = Replays::new(16, 4096).unwrap();
    let ticket = run(&replays, 7);
    thread::scope(|scope| {
        let other = scope.spawn(|| begin(&replays, 1, 7).0);
        while replays.stats().0.in_progress < 1 {
            thread::yield_now();
        }
        drop(ticket);
        assert!(matches!(other.join().unwrap(), Turn::Run(_)));
    });
    drop(run(&replays, 7));
    assert!(replays.lock().others.running.is_empty());
}

#[test]
fn patience_ends() {
    let mut replays = Replays::new(16, 4096).unwrap();
    replays.patience = Duration::from_millis(10);
    let _ticket = run(&replays, 7);
    assert!(matches!(begin(&replays, 1, 7).0, Turn::Drop));
}

#[test]
fn the_memory_is_what_was_said() {
    for (calls, bytes) in [(65_536, 32 << 20), (1, 256), (100_000, 4096)] {
        let said = memory(calls, bytes);
        let replays = Replays::new(calls, bytes).unwrap();
        for xid in 0..calls.min(2000) {
            run(&replays, xid).finish(b"repl");
        }
        let (stats, entries, kept) = replays.stats();
        assert_eq!(stats.full, 0);
        assert!(entries as u64 <= u64::from(calls) && kept as u64 <= u64::from(bytes));
        assert!(said >= u64::from(calls) * 150 + u64::from(bytes) * 5 / 4);
    }
}

// F3
#[test]
fn who_claims_to_be_another_is_another_client() {
    let replays = Replays::new(64, 1 << 14).unwrap();
    let mut bodies = [[0; AuthSys::MAX_BODY]; 6];
    let [a, b, c, d, stamp, again] = &mut bodies;
    let sys = |stamp, name: &'static [u8], uid, gid| AuthSys {
        stamp,
        machine_name: Text::new(name).unwrap(),
        uid,
        gid,
        gids: Groups::default(),
    };
    let clients = [
        OpaqueAuth::NONE,
        sys(1, b"host", 7, 8).to_auth(a),
        sys(1, b"host", 6, 8).to_auth(b),
        sys(1, b"host", 7, 9).to_auth(c),
        sys(1, b"pod", 7, 8).to_auth(d),
    ];
    for (number, client) in clients.iter().enumerate() {
        let (turn, out) = begin_of::<Remove>(&replays, 0, 7, client, b"args");
        let Turn::Run(ticket) = turn else { panic!("client {number}: {turn:?}") };
        assert!(out.is_empty());
        ticket.finish(&[u8::try_from(number).unwrap(); 4]);
    }
    for (number, client) in clients.iter().enumerate() {
        let (turn, out) = begin_of::<Remove>(&replays, 0, 7, client, b"args");
        assert!(matches!(turn, Turn::Replayed(_)));
        assert_eq!(out.last(), Some(&u8::try_from(number).unwrap()));
    }
    // A stamp is made anew when a client repeats a call.
    for (credential, reply) in
        [(sys(2, b"host", 7, 8).to_auth(stamp), 1), (sys(3, b"pod", 7, 8).to_auth(again), 4)]
    {
        let (_, out) = begin_of::<Remove>(&replays, 0, 7, &credential, b"args");
        assert_eq!(out.last(), Some(&reply));
    }
}

// F3
#[test]
fn what_was_answered_long_ago_is_new() {
    let mut replays = Replays::new(16, 4096).unwrap();
    run(&replays, 7).finish(b"repl");
    let earlier = |replays: &mut Replays, seconds| {
        replays.started = replays.started.checked_sub(Duration::from_secs(seconds)).unwrap();
    };
    earlier(&mut replays, 100);
    assert!(!is_new(&begin(&replays, 1, 7)));
    earlier(&mut replays, 122);
    assert!(is_new(&begin(&replays, 1, 7)));
    assert_eq!(replays.stats().0.expired, 1);
}

// F3
#[test]
fn writes_do_not_push_out_others() {
    let replays = Replays::new(4, 4096).unwrap();
    let write =
        |xid: u32, args: &[u8]| begin_of::<Write>(&replays, 0, xid, &OpaqueAuth::NONE, args);
    run(&replays, 7).finish(b"repl");
    let mut data = vec![7; 70_000];
    for xid in 0..100 {
        let Turn::Run(ticket) = write(xid, &data).0 else { panic!("{xid} is new") };
        ticket.finish(b"writ");
    }
    assert!(!is_new(&begin(&replays, 1, 7)));
    // They are told apart by the end of their data, too.
    assert!(!is_new(&write(99, &data)));
    *data.last_mut().unwrap() = 8;
    assert!(is_new(&write(99, &data)));
    let stats = replays.stats().0;
    assert_eq!((stats.replayed, stats.evicted), (2, 99));
}

// F3
#[test]
fn a_host_that_sends_many_calls_pushes_out_its_own() {
    let replays = Replays::new(64, 1 << 14).unwrap();
    let from = |address: IpAddr, xid: u32| {
        begin_from::<Remove>(&replays, address, 0, xid, &OpaqueAuth::NONE, b"args").0
    };
    // All addresses of a network of IPv6 are one host.
    let many = |n: u32| IpAddr::from([0xfd00, 0, 0, 7, 0, 0, 0, u16::try_from(n).unwrap()]);
    run(&replays, 7).finish(b"repl");
    for xid in 0..1000 {
        let Turn::Run(ticket) = from(many(xid), xid) else { panic!("{xid} is new") };
        ticket.finish(b"repl");
    }
    assert!(matches!(from(HERE, 7), Turn::Replayed(_)));
    assert!(matches!(from(many(999), 999), Turn::Replayed(_)));
    assert!(matches!(from(many(1), 1), Turn::Run(_)));
}

/// Connections of clients, and what the server has of them.
fn connect(replays: &Replays) -> [(TcpStream, Arc<TcpStream>, Arc<AtomicU64>); 3] {
    let listener = std::net::TcpListener::bind((HERE, 0)).unwrap();
    [0, 1, 2].map(|connection| {
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, came) = (Arc::new(listener.accept().unwrap().0), Arc::default());
        replays.opened(connection, &stream, &came);
        (client, stream, came)
    })
}

// F3
#[test]
fn what_a_client_went_on_behind_goes_with_its_connection() {
    let replays = Replays::new(16, 4096).unwrap();
    let [(_, _, came), ..] = connect(&replays);
    // One that was never sent, one that was before the last call, one behind it.
    run(&replays, 7).finish(b"repl");
    let early = run(&replays, 8).finish(b"repl");
    let late = run(&replays, 9).finish(b"repl");
    replays.sent(0, early.as_slice(), 1);
    replays.sent(0, late.as_slice(), 2);
    came.store(2, Ordering::Relaxed);
    replays.closed(0, true);
    assert!(!is_new(&begin(&replays, 3, 7)));
    assert!(is_new(&begin(&replays, 3, 8)));
    assert!(!is_new(&begin(&replays, 3, 9)));
    assert_eq!(replays.not_repeated(), 0);

    // It was broken, or a later connection has had the reply: then it is kept.
    let replays = Replays::new(16, 4096).unwrap();
    let [(_, _, first), (_, _, second), _] = connect(&replays);
    for xid in [7, 8] {
        let name = run(&replays, xid).finish(b"repl");
        replays.sent(0, name.as_slice(), 1);
    }
    first.store(2, Ordering::Relaxed);
    replays.closed(0, false);
    let (turn, _) = begin(&replays, 1, 7);
    let Turn::Replayed(name) = turn else { panic!("{turn:?}") };
    // Of another connection, which has nothing to say about it.
    replays.sent(2, &[name], 0);
    second.store(9, Ordering::Relaxed);
    replays.closed(1, true);
    assert!(!is_new(&begin(&replays, 2, 7)) && !is_new(&begin(&replays, 2, 8)));
}

// F3
#[test]
fn a_call_is_not_repeated_while_the_first_one_lives_and_has_its_reply() {
    let replays = Replays::new(16, 4096).unwrap();
    let [(client, server, came), ..] = connect(&replays);
    let finish = |xid| run(&replays, xid).finish(b"repl");
    let (before, behind, lives) = (finish(7), finish(8), finish(9));
    // Not sent yet.
    assert!(!is_new(&begin(&replays, 5, 9)));
    for (name, at) in [(before, 0), (behind, 1)] {
        replays.sent(0, name.as_slice(), at);
    }
    // The one that took it over is not known.
    replays.sent(5, lives.as_slice(), 0);
    came.store(1, Ordering::Relaxed);
    assert!(!is_new(&begin(&replays, 0, 8)), "on the same connection it is a repetition");
    replays.sent(0, behind.as_slice(), 1);
    let (ticket, _) = begin(&replays, 1, 8);
    let Turn::Run(ticket) = ticket else { panic!("{ticket:?}") };
    drop(ticket);
    assert_eq!(replays.not_repeated(), 1);

    // Ended in order, and the server has not yet noticed: what came before the last call has arrived.
    let last = run(&replays, 10).finish(b"repl");
    replays.sent(0, last.as_slice(), 1);
    client.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(std::io::Read::read(&mut &*server, &mut [0]).unwrap(), 0);
    assert!(!is_new(&begin(&replays, 1, 10)));
    assert!(is_new(&begin(&replays, 1, 7)));
    // A client that does not acknowledge has nothing.
    let [(client, server, came), ..] = connect(&replays);
    came.store(2, Ordering::Relaxed);
    let name = run(&replays, 11).finish(b"repl");
    server.set_nonblocking(true).unwrap();
    while std::io::Write::write(&mut &*server, &[7; 65_536]).is_ok() {}
    replays.sent(0, name.as_slice(), 1);
    assert!(!is_new(&begin(&replays, 1, 11)));
    drop(client);
    assert_eq!(replays.stats().0.expired, 0);
}
