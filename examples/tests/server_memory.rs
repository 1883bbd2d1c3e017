//! What a connection costs in memory. A process of its own: other tests would show in the figures.

#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects, clippy::panic)]

mod server_support;

use core::time::Duration;

use nfswire_examples::server::Config;
use nfswire_nfs3::procedures::Null;
use server_support::embed::MemFs;
use server_support::{Client, Running};

/// Memory of this process that is in use, in KiB.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn works(client: &mut Client) {
    client.call::<Null>(&()).results::<Null>();
}

// F1
#[test]
fn announcing_a_gigabyte_costs_nothing() {
    let mark = (0x8000_0000_u32 | 1 << 30).to_be_bytes();
    // Above the limit: closed at once.
    let server = Running::start(MemFs::default(), Config::default());
    let mut client = server.connect();
    client.send(&mark);
    assert!(client.is_closed());
    drop(server);

    // Within the limit: waited for, and nothing is set aside for it.
    let config = Config { max_record: 1 << 30, ..Config::default() };
    let server = Running::start(MemFs::default(), config);
    let connect = |mark: &[u8]| {
        let mut client = server.connect();
        works(&mut client);
        client.send(mark);
        client
    };
    let warm: Vec<_> = (0..8).map(|_| connect(b"")).collect();
    let before = resident();
    let held: Vec<_> = (0..100).map(|_| connect(&mark)).collect();
    std::thread::sleep(Duration::from_millis(300));
    let each = (resident() - before) / 100;
    println!("{each} KiB a connection");
    assert!(each < 64, "{each} KiB a connection, thread included");
    works(&mut server.connect());
    drop((warm, held));
}
