//! What the server tells Prometheus.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod server_support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use nfswire_examples::server::{BindError, Config, Server};
use nfswire_nfs3::attr::GetattrArgs;
use nfswire_nfs3::lookup::{LookupArgs, LookupReply};
use nfswire_nfs3::procedures::{Getattr, Lookup, Null, Remove};
use nfswire_nfs3::remove::RemoveArgs;
use nfswire_nfs3::{DirOpArgs, FileHandle, FileName, Status};
use server_support::Client;
use server_support::embed::MemFs;

/// The answer to a request: the first line, and what follows the head.
fn ask(address: SocketAddr, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{head}");
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

/// The samples of the page, by name and labels; the form of the page is checked.
fn samples(address: SocketAddr) -> BTreeMap<String, f64> {
    let (status, page) = ask(address, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
    assert_eq!(status, "HTTP/1.0 200 OK");
    assert!(page.ends_with('\n'));
    let (mut samples, mut told, mut kind) = (BTreeMap::new(), BTreeSet::new(), "");
    for line in page.lines() {
        if let Some(about) = line.strip_prefix("# TYPE ") {
            kind = about.split_once(' ').unwrap().0;
            assert!(told.insert(kind), "{kind} is told once");
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with(kind), "{line} belongs to {kind}");
            assert!(samples.insert(name.to_owned(), value.parse().unwrap()).is_none(), "{line}");
        }
    }
    samples
}

#[test]
fn the_page_has_what_was_done() {
    let config = Config { metrics: Some(([127, 0, 0, 1], 0).into()), ..Config::default() };
    let server = Server::new(Arc::new(MemFs::default()), config).bind("127.0.0.1:0").unwrap();
    let (address, page, stop) =
        (server.local_addr(), server.metrics_addr().unwrap(), server.stop_handle());
    let running = std::thread::spawn(|| server.run());

    let mut client = Client::to(address);
    let root = client.mount("/");
    let dir = FileHandle::new(&root).unwrap();
    for _ in 0..3 {
        client.call::<Getattr>(&GetattrArgs { object: dir }).results::<Getattr>();
    }
    let missing = DirOpArgs { dir, name: FileName::new(b"missing").unwrap() };
    let calls = [
        client.record::<Null>(&()),
        client.record::<Getattr>(&GetattrArgs { object: dir }),
        client.record::<Lookup>(&LookupArgs { what: missing }),
        client.record::<Lookup>(&LookupArgs { what: missing }),
    ];
    client.send(&calls.concat());
    client.receive().results::<Null>();
    client.receive().results::<Getattr>();
    for _ in 0..2 {
        let reply = client.receive();
        assert!(matches!(reply.results::<Lookup>(), LookupReply::Fail(Status::NOENT, _)));
    }
    let remove = client.record::<Remove>(&RemoveArgs { object: missing });
    for _ in 0..2 {
        client.send(&remove);
        client.receive().results::<Remove>();
    }
    // Half a record: what it takes is held.
    let mut half = Client::to(address);
    half.send(&0x8008_0000_u32.to_be_bytes());
    half.send(&[0; 200 << 10]);
    let begun = std::time::Instant::now();
    while samples(page)["nfswire_buffer_bytes{kind=\"receive\"}"] < f64::from(200 << 10) {
        assert!(begun.elapsed().as_secs() < 20, "{:?}", samples(page));
    }
    drop(half);
    while samples(page)["nfswire_connections"] > 1.0 {
        assert!(begun.elapsed().as_secs() < 20, "{:?}", samples(page));
    }
    // RPC version 3.
    client.send(&server_support::case("B16a"));
    drop(client.receive());

    // A reply is counted once it has left.
    while samples(page)["nfswire_replies_total"] < 11.0 {
        assert!(begun.elapsed().as_secs() < 60, "{:?}", samples(page));
    }
    let samples = samples(page);
    let get = |name: &str| samples.get(&format!("nfswire_{name}")).copied();
    assert_eq!(get("calls_total{procedure=\"GETATTR\"}"), Some(4.0));
    assert_eq!(get("calls_total{procedure=\"LOOKUP\"}"), Some(2.0));
    assert_eq!(get("calls_total{procedure=\"REMOVE\"}"), Some(1.0), "the other was repeated");
    assert_eq!(get("errors_total{procedure=\"LOOKUP\",status=\"NFS3ERR_NOENT\"}"), Some(2.0));
    let errors: f64 =
        samples.iter().filter(|(name, _)| name.contains("_errors_total{proc")).map(|s| s.1).sum();
    assert!((errors - 3.0).abs() < 0.1, "REMOVE failed, too: {samples:?}");
    assert_eq!(get("rpc_errors_total{reason=\"rpc_mismatch\"}"), Some(1.0));
    assert_eq!(get("replay_lookups_total{outcome=\"replayed\"}"), Some(1.0));
    assert_eq!(get("replay_expired_total"), Some(0.0));
    assert_eq!(get("replay_not_repeated_total"), Some(0.0));
    assert_eq!(get("connections"), Some(1.0));
    assert_eq!(get("connections_accepted_total"), Some(2.0));
    for reason in ["host", "full", "failed"] {
        assert_eq!(get(&format!("connections_refused_total{{reason=\"{reason}\"}}")), Some(0.0));
    }
    assert_eq!(get("connections_gave_way_total"), Some(0.0));
    // One that receives, small again, and one with the head of replies.
    assert_eq!(get("buffers{kind=\"receive\"}"), Some(1.0));
    assert!(get("buffer_bytes{kind=\"receive\"}").unwrap() < 64e3, "{samples:?}");
    assert_eq!(get("buffers{kind=\"reply\"}"), Some(1.0));
    // MNT, 3 + 4, REMOVE twice, and the error; those that came together may have left together.
    let (replies, sends) = (get("replies_total").unwrap(), get("sends_total").unwrap());
    assert!((replies - 11.0).abs() < 0.1 && (8.0..=11.0).contains(&sends), "{replies}, {sends}");
    assert!(
        get("received_bytes_total").unwrap() > 500.0 && get("sent_bytes_total").unwrap() > 500.0
    );
    assert!(get("copied_bytes_total{cause=\"reply\"}").unwrap() > 0.0);
    // A bucket counts what is in those before it, too.
    let prefix = "nfswire_call_duration_seconds_bucket{procedure=\"GETATTR\",le=\"";
    let mut buckets: Vec<(f64, f64)> = samples
        .iter()
        .filter_map(|(name, count)| {
            let end = name.strip_prefix(prefix)?.strip_suffix("\"}")?;
            Some((end.trim_start_matches('+').parse().unwrap(), *count))
        })
        .collect();
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(buckets.len() > 10 && buckets.is_sorted_by(|a, b| a.1 <= b.1), "{buckets:?}");
    assert_eq!(buckets.last(), Some(&(f64::INFINITY, 4.0)));
    assert_eq!(get("call_duration_seconds_count{procedure=\"GETATTR\"}"), Some(4.0));

    assert_eq!(ask(page, "GET /other HTTP/1.0\r\n\r\n").0, "HTTP/1.0 404 Not Found");
    assert_eq!(ask(page, "POST /metrics HTTP/1.0\r\n\r\n").0, "HTTP/1.0 405 Method Not Allowed");
    assert_eq!(ask(page, "\r\n\r\n").0, "HTTP/1.0 405 Method Not Allowed");

    stop.stop();
    running.join().unwrap().unwrap();
    assert!(TcpStream::connect(page).is_err());
}

#[test]
fn other_machines_do_not_see_it() {
    let config = Config { metrics: Some(([0, 0, 0, 0], 0).into()), ..Config::default() };
    let bound = Server::new(Arc::new(MemFs::default()), config).bind("127.0.0.1:0");
    assert!(matches!(bound, Err(BindError::MetricsNotLoopback(_))));
}
