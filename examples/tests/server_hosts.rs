//! Hosts and connections that do harm, and what others notice of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::arithmetic_side_effects)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, clippy::indexing_slicing)]

mod server_support;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use nfswire_examples::exports::{Export, Exports, loopback};
use nfswire_examples::fs::{Attributes, Caller, FileSystem, Found, Handle, ReadData, Result};
use nfswire_examples::server::{Config, Server, Squash};
use nfswire_nfs3::FileHandle;
use nfswire_nfs3::attr::GetattrArgs;
use nfswire_nfs3::io::ReadArgs;
use nfswire_nfs3::mount::MountStatus;
use nfswire_nfs3::procedures::{Getattr, Null, Read};
use nfswire_rpc::{AuthStat, CallFailure};
use server_support::embed::MemFs;
use server_support::{Client, Running};
use socket2::{Domain, SockFilter, SockRef, Socket, Type};

/// A client of another address of this machine.
fn from(address: &str, server: SocketAddr) -> Client {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&format!("{address}:0").parse::<SocketAddr>().unwrap().into()).unwrap();
    socket.connect(&server.into()).unwrap();
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    Client { stream, xid: 1, user: None }
}

fn works(client: &mut Client) {
    client.call::<Null>(&()).results::<Null>();
}

/// More than to say that one is there.
fn uses(client: &mut Client) {
    let root = client.mount("/");
    let object = FileHandle::new(&root).unwrap();
    client.call::<Getattr>(&GetattrArgs { object }).results::<Getattr>();
}

/// Whether a call on a connection is answered.
fn is_served(client: &mut Client) -> bool {
    let call = client.record::<Null>(&());
    client.stream.write_all(&call).is_ok() && client.try_receive().is_some()
}

/// A file system whose READ takes until it is let go, and whose other calls do not.
struct Gated {
    files: MemFs,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    /// READs that have begun, and whether they may end.
    state: Mutex<(usize, bool)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.1).unwrap());
    }

    fn until_begun(&self, reads: usize) {
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |state| state.0 < reads).unwrap());
    }

    fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }
}

impl FileSystem for Gated {
    fn root(&self) -> Handle {
        self.files.root()
    }

    fn getattr(&self, caller: &Caller<'_>, object: &[u8]) -> Result<Attributes> {
        self.files.getattr(caller, object)
    }

    fn lookup(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<Found> {
        self.files.lookup(caller, dir, name)
    }

    fn read(&self, caller: &Caller<'_>, file: &[u8], offset: u64, count: u32) -> Result<ReadData> {
        self.gate.pass();
        self.files.read(caller, file, offset, count)
    }
}

#[test]
fn a_host_that_takes_all_places_in_silence_keeps_nobody_out() {
    const MOST: usize = 12;
    let config = Config { max_connections: MOST, ..Config::default() };
    let server = Running::start(MemFs::default(), config);
    let mut first = server.connect();
    uses(&mut first);
    // One more than there are: the last one is refused, for it is of the host that has most.
    let mut silent: Vec<_> = (1..MOST).map(|_| from("127.0.0.2", server.address)).collect();
    silent.iter_mut().for_each(uses);
    assert!(!is_served(&mut from("127.0.0.2", server.address)));
    // Others get their share: half of them, here.
    let mut others: Vec<_> = (2..=MOST / 2)
        .map(|_| {
            let mut client = server.connect();
            uses(&mut client);
            client
        })
        .collect();
    others.iter_mut().for_each(works);
    works(&mut first);
    assert!(!is_served(&mut server.connect()), "each host has as many as the other");
    let served = silent.iter_mut().filter_map(|client| is_served(client).then_some(())).count();
    assert_eq!(served, MOST / 2);
}

/// A connection that is served: those that could give way may just be at work for a moment.
fn newcomer(server: &Running) -> Client {
    let tries = std::iter::repeat_with(|| {
        let mut client = server.connect();
        is_served(&mut client).then_some(client).ok_or_else(|| {
            std::thread::sleep(Duration::from_millis(20));
        })
    });
    tries.take(100).find_map(std::result::Result::ok).expect("nobody is kept out")
}

#[test]
fn connections_that_use_nothing_keep_nobody_out() {
    const MOST: usize = 6;
    let secure = |secure| {
        let fs: Arc<dyn FileSystem> = Arc::new(MemFs::default());
        let (name, squash, allow) = (b"/".to_vec(), Squash::Root, loopback());
        let exports = Exports::new(vec![Export { name, fs, squash, allow, secure }]).unwrap();
        let config = Config { max_connections: MOST, ..Config::default() };
        Running::of(Server::with_exports(exports, config))
    };
    let one_host = |_| "127.0.0.1".to_owned();
    let a_host_each = |number| format!("127.0.0.{number}");
    let null = |client: &mut Client| works(client);
    // What no export serves at this port is of no use, however much of it is called.
    let refused = |client: &mut Client| {
        assert_eq!(client.try_mount("/"), Err(MountStatus::ACCES));
        let object = FileHandle::new(b"any").unwrap();
        let reply = client.call::<Getattr>(&GetattrArgs { object });
        assert_eq!(reply.failure(), CallFailure::Auth(AuthStat::TOO_WEAK));
    };
    let mounts = |client: &mut Client| drop(client.mount("/"));
    type Does<'a> = &'a dyn Fn(&mut Client);
    type Where<'a> = &'a dyn Fn(usize) -> String;
    for (is_secure, address, does) in [
        (false, &one_host as Where<'_>, &null as Does<'_>),
        (false, &a_host_each, &null),
        (false, &one_host, &mounts),
        (true, &one_host, &refused),
    ] {
        let server = secure(is_secure);
        let mut idle: Vec<_> =
            (1..=MOST).map(|number| from(&address(number), server.address)).collect();
        idle.iter_mut().for_each(does);
        if is_secure {
            for _ in 0..2 * MOST {
                works(&mut newcomer(&server));
            }
            continue;
        }
        let mut users = Vec::new();
        for left in (0..MOST).rev() {
            let mut user = newcomer(&server);
            uses(&mut user);
            users.push(user);
            // The oldest of those that use nothing, of the host that has most of them; never one that is used.
            let served = idle.iter_mut().filter_map(|idle| is_served(idle).then_some(())).count();
            assert_eq!(served, left);
        }
        users.iter_mut().for_each(uses);
        assert!(!is_served(&mut server.connect()), "all are of use, and none has been silent");
    }
}

#[test]
fn clients_that_take_no_replies_make_room() {
    const MOST: usize = 4;
    let config = Config { max_connections: MOST, ..Config::default() };
    let server = Running::start(MemFs::default(), config);
    let mut stuck: Vec<_> = (0..MOST).map(|_| from("127.0.0.2", server.address)).collect();
    stuck.iter_mut().for_each(uses);
    let root = stuck[0].mount("/");
    let args = GetattrArgs { object: FileHandle::new(&root).unwrap() };
    let flooding: Vec<_> = stuck
        .into_iter()
        .map(|mut client| {
            let calls: Vec<u8> = (0..1000).flat_map(|_| client.record::<Getattr>(&args)).collect();
            std::thread::spawn(move || while client.stream.write_all(&calls).is_ok() {})
        })
        .collect();
    let begun = Instant::now();
    let mut others = 0;
    let mut kept = Vec::new();
    // Each of them is at work for all that the server can tell, until its send has lasted.
    while others < MOST / 2 {
        assert!(begun.elapsed() < Duration::from_secs(25), "{others} got a place");
        std::thread::sleep(Duration::from_millis(200));
        let mut client = server.connect();
        if is_served(&mut client) {
            uses(&mut client);
            kept.push(client);
            others += 1;
        }
    }
    kept.iter_mut().for_each(works);
    drop(server);
    for client in flooding {
        client.join().unwrap();
    }
}

#[test]
fn a_host_that_no_export_admits_takes_no_place() {
    let config = Config {
        max_connections: 1,
        allow: vec!["127.0.0.1/32".parse().unwrap()],
        metrics: Some(([127, 0, 0, 1], 0).into()),
        ..Config::default()
    };
    let server = Server::new(Arc::new(MemFs::default()), config).bind("127.0.0.1:0").unwrap();
    let (address, page, stop) =
        (server.local_addr(), server.metrics_addr().unwrap(), server.stop_handle());
    let running = std::thread::spawn(|| server.run());
    // They are kept open by their side.
    let mut strangers: Vec<_> = (0..20).map(|_| from("127.0.0.2", address)).collect();
    let mut client = Client::to(address);
    works(&mut client);
    for stranger in &mut strangers {
        assert!(!is_served(stranger));
    }
    works(&mut client);
    let mut request = TcpStream::connect(page).unwrap();
    request.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
    let mut metrics = String::new();
    request.read_to_string(&mut metrics).unwrap();
    for line in [
        "nfswire_connections 1",
        "nfswire_connections_accepted_total 1",
        "nfswire_connections_refused_total{reason=\"host\"} 20",
        "nfswire_connections_refused_total{reason=\"full\"} 0",
    ] {
        assert!(metrics.lines().any(|told| told == line), "{line}: {metrics}");
    }
    stop.stop();
    running.join().unwrap().unwrap();
}

#[test]
fn connections_at_work_do_not_give_way() {
    const MOST: usize = 4;
    let gate = Arc::new(Gate::default());
    let files = Gated { files: MemFs::default(), gate: Arc::clone(&gate) };
    // With and without threads that receive for those that serve.
    let config = Config { max_connections: MOST, threads: 4, ..Config::default() };
    let server = Running::start(files, config);
    let mut busy: Vec<_> = (0..MOST).map(|_| from("127.0.0.2", server.address)).collect();
    let root = busy[0].mount("/");
    let args = ReadArgs { file: FileHandle::new(&root).unwrap(), offset: 0, count: 1 };
    for client in &mut busy {
        let call = client.record::<Read>(&args);
        client.send(&call);
    }
    gate.until_begun(MOST);
    // Time for the watcher to have others receive: a call that is served beside is work, too.
    let getattr = busy[0].record::<Getattr>(&GetattrArgs { object: args.file });
    busy[0].send(&getattr);
    assert_eq!(busy[0].receive().xid(), busy[0].xid, "served beside");
    for _ in 0..3 {
        assert!(!is_served(&mut server.connect()), "all are at work");
    }
    gate.open();
    for client in &mut busy {
        client.receive();
        works(client);
    }
    // Now they are not.
    works(&mut server.connect());
}

#[test]
fn bytes_that_come_slowly_on_all_connections_hold_up_nobody() {
    const SLOW: usize = 64;
    let server =
        Running::start(MemFs::default(), Config { max_connections: SLOW + 1, ..Config::default() });
    let mut client = server.connect();
    let root = client.mount("/");
    let args = GetattrArgs { object: FileHandle::new(&root).unwrap() };
    let mut slow: Vec<_> = (0..SLOW)
        .map(|_| {
            let mut client = server.connect();
            let call = client.record::<Getattr>(&args);
            (client, call)
        })
        .collect();
    let len = slow[0].1.len();
    for at in 0..len {
        for (client, call) in &mut slow {
            client.send(&call[at..=at]);
        }
        // Between any two bytes.
        client.call::<Getattr>(&args).results::<Getattr>();
    }
    for (client, _) in &mut slow {
        client.receive().results::<Getattr>();
    }
}

#[test]
fn half_a_record_is_not_kept_for_ever() {
    let tick = Duration::from_millis(50);
    let config = Config { idle: tick, send_timeout: tick * 6, ..Config::default() };
    let server = Running::start(MemFs::default(), config);
    let mut whole = server.connect();
    works(&mut whole);
    let mut half = server.connect();
    // Half a mark; half a record that would be a large one.
    half.send(&[0x80]);
    let mut large = server.connect();
    large.send(&(0x8010_0000_u32).to_be_bytes());
    large.send(&vec![0; 512 << 10]);
    assert!(half.is_closed() && large.is_closed());
    // Silence between records is nothing wrong.
    works(&mut whole);
}

/// Nothing that comes from the other side is heard any more: no acknowledgement, no answer to a probe.
fn cut_the_wire(client: &Client) {
    const RETURN: u16 = 6;
    SockRef::from(&client.stream).attach_filter(&[SockFilter::new(RETURN, 0, 0, 0)]).unwrap();
}

#[test]
fn connections_whose_client_is_gone_without_a_word_end() {
    let second = Duration::from_secs(1);
    // Idle for so long that only the system can notice.
    let config = Config {
        max_connections: 2,
        idle: second * 60,
        send_timeout: second,
        keep_alive: second,
        ..Config::default()
    };
    let server = Running::start(MemFs::default(), config);
    let (mut silent, mut asking) = (server.connect(), server.connect());
    uses(&mut silent);
    uses(&mut asking);
    assert!(!is_served(&mut server.connect()), "all places are taken");
    cut_the_wire(&silent);
    // The reply will not be acknowledged.
    let call = asking.record::<Null>(&());
    cut_the_wire(&asking);
    asking.send(&call);
    let begun = Instant::now();
    let mut served = Vec::new();
    while served.len() < 2 {
        // After half a minute of silence it would give way.
        assert!(begun.elapsed() < second * 25, "{} places are free again", served.len());
        std::thread::sleep(second / 10);
        let mut client = server.connect();
        if is_served(&mut client) {
            uses(&mut client);
            served.push(client);
        }
    }
    served.iter_mut().for_each(works);
}
