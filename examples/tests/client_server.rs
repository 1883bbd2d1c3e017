//! Our client against our server, on a directory of its own.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

extern crate alloc;

mod client_support;

use alloc::sync::Arc;
use std::path::Path;
use std::process::Command;
use std::thread::JoinHandle;

use client_support::{noise, options};
use nfswire_examples::client::{Client, Follow, Options, bench, transfer};
use nfswire_examples::local::{ExportOptions, LocalFs};
use nfswire_examples::server::{Config, Server, Squash, StopHandle};
use tempfile::TempDir;

struct Export {
    directory: TempDir,
    url: String,
    stop: StopHandle,
    thread: Option<JoinHandle<()>>,
}

impl Export {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let fs = LocalFs::new(directory.path(), ExportOptions::default()).unwrap();
        let config = Config { squash: Squash::None, ..Config::default() };
        let server = Server::new(Arc::new(fs), config).bind("127.0.0.1:0").unwrap();
        let url = format!("nfs://{}", server.local_addr());
        let stop = server.stop_handle();
        let thread = std::thread::spawn(move || server.run().unwrap());
        Self { directory, url, stop, thread: Some(thread) }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    fn client(&self, path: &str, options: Options) -> (Client, Vec<Vec<u8>>) {
        Client::mount(&format!("{}{path}", self.url).parse().unwrap(), options).unwrap()
    }

    fn get(&self, path: &str, local: &Path, options: Options) {
        let (mut client, path) = self.client(path, options);
        let (file, attributes) = client.resolve(&path, Follow::All).unwrap();
        transfer::get(&mut client, &path, &file, &attributes, local).unwrap();
    }

    fn put(&self, local: &Path, path: &str, options: Options) {
        let (mut client, path) = self.client(path, options);
        transfer::put(&mut client, local, &path).unwrap();
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

const SIZES: [usize; 6] = [0, 1, 3, 4095, (1 << 20) + 1, 33 << 20];

#[test]
fn files_come_and_go_unchanged() {
    let export = Export::new();
    let here = tempfile::tempdir().unwrap();
    std::fs::create_dir(export.path("folder")).unwrap();
    for size in SIZES {
        let data = noise(size);
        let (from, to) = (here.path().join("from"), here.path().join("to"));
        std::fs::write(&from, &data).unwrap();
        let path = format!("/folder/s%70a{size}");
        export.put(&from, &path, options(8));
        let served = std::fs::read(export.path(&format!("folder/spa{size}"))).unwrap();
        assert!(served == data, "put of {size} bytes");
        export.get(&path, &to, options(8));
        assert!(std::fs::read(&to).unwrap() == data, "get of {size} bytes");
    }
}

#[test]
fn any_transfer_size_and_depth_works() {
    let export = Export::new();
    let here = tempfile::tempdir().unwrap();
    let data = noise(300_001);
    let (from, to) = (here.path().join("from"), here.path().join("to"));
    std::fs::write(&from, &data).unwrap();
    for (transfer, depth) in [(512, 64), (4096, 1), (16_385, 3), (65_537, 8)] {
        let options = Options { transfer, ..options(depth) };
        export.put(&from, "/file", options.clone());
        assert!(std::fs::read(export.path("file")).unwrap() == data, "put {transfer} x {depth}");
        export.get("/file", &to, options);
        assert!(std::fs::read(&to).unwrap() == data, "get {transfer} x {depth}");
    }
}

#[test]
fn put_over_a_longer_file_truncates_it() {
    let export = Export::new();
    let from = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(export.path("file"), noise(3 << 20)).unwrap();
    for len in [2_000_000, 5, 0] {
        std::fs::write(from.path(), noise(len)).unwrap();
        export.put(from.path(), "/file", options(4));
        assert!(std::fs::read(export.path("file")).unwrap() == noise(len), "{len} bytes");
    }
}

#[test]
fn a_large_directory_is_listed_once() {
    let export = Export::new();
    std::fs::create_dir(export.path("many")).unwrap();
    let mut names: Vec<Vec<u8>> = (0..5000).map(|i| format!("entry {i:05}").into_bytes()).collect();
    for name in &names {
        std::fs::write(export.path("many").join(core::str::from_utf8(name).unwrap()), b"x")
            .unwrap();
    }
    let (mut client, path) = export.client("/many", options(1));
    let (directory, _) = client.resolve(&path, Follow::All).unwrap();
    let list = client.list(&directory).unwrap();
    assert!(list.iter().all(|e| e.attributes.is_some_and(|a| a.size == 1 && a.fileid == e.fileid)));
    let mut listed: Vec<Vec<u8>> = list.into_iter().map(|e| e.name).collect();
    listed.sort_unstable();
    names.sort_unstable();
    assert!(listed == names, "{} entries listed", listed.len());
}

#[test]
fn the_program_works_on_a_real_tree() {
    let export = Export::new();
    std::fs::create_dir(export.path("dir")).unwrap();
    std::fs::write(export.path("dir/a b"), noise(70_000)).unwrap();
    std::os::unix::fs::symlink("dir/a b", export.path("link")).unwrap();
    let program = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_client")).args(args).output().unwrap();
        (out.status.code(), out.stdout, String::from_utf8(out.stderr).unwrap())
    };
    let url = |path: &str| format!("{}{path}", export.url);
    assert_eq!(program(&["cat", &url("/link")]), (Some(0), noise(70_000), String::new()));
    assert_eq!(program(&["ls", &url("/")]).1, b"dir\nlink\n");
    let (status, text, _) = program(&["ls", "-l", &url("/dir/")]);
    let text = String::from_utf8(text).unwrap();
    assert_eq!(status, Some(0));
    assert!(
        text.starts_with("-rw") && text.contains(" 70000 ") && text.ends_with("Z a b\n"),
        "{text}"
    );
    let (_, text, _) = program(&["stat", &url("/link")]);
    assert!(String::from_utf8(text).unwrap().contains("type: symbolic link\n"));
    let (status, _, error) = program(&["put", "/etc/hostname", &url("/dir/a%20b/below")]);
    assert_eq!(status, Some(1));
    assert!(error.contains("/dir/a b/below: not a directory (NFS3ERR_NOTDIR"), "{error}");
    let (status, _, error) = program(&["put", "/etc/hostname", &url("/dir")]);
    assert_eq!(status, Some(1), "{error}");
}

#[test]
fn get_needs_no_local_name_and_shows_none_of_its_own() {
    let export = Export::new();
    let here = tempfile::tempdir().unwrap();
    std::fs::write(export.path("a b"), noise(70_000)).unwrap();
    let program = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_client"));
        command.arg("get").arg(format!("{}/a%20b", export.url)).args(args);
        command.current_dir(here.path()).output().unwrap()
    };
    let out = program(&[]);
    assert_eq!((out.status.code(), out.stdout.len(), out.stderr.len()), (Some(0), 0, 0));
    assert!(std::fs::read(here.path().join("a b")).unwrap() == noise(70_000));
    let out = program(&["absent/file"]);
    let error = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(error.contains("cannot write absent/file") && !error.contains(".tmp"), "{error}");
}

#[test]
fn load_is_counted_exactly() {
    let export = Export::new();
    std::fs::write(export.path("file"), noise(1_000_003)).unwrap();
    let url = format!("{}/file", export.url).parse().unwrap();
    let config = bench::Config {
        load: bench::Load::Read(65_536),
        connections: 3,
        time: None,
        calls: Some(100),
        server_pid: Some(std::process::id()),
    };
    let options =
        Options { congestion: Some("reno".into()), socket_buffer: Some(4096), ..options(4) };
    let report = bench::run(&url, &options, &config).unwrap();
    assert_eq!((report.calls, report.latency.len()), (100, 100));
    // No connection gets to the shorter last READ more than three times.
    assert!(report.bytes > 90 * 65_536 && report.bytes <= 100 * 65_536, "{}", report.bytes);
    let server = report.server.unwrap();
    assert!(server.resident > 0 && server.peak >= server.resident);
    for load in [bench::Load::Getattr, bench::Load::Lookup] {
        let config = bench::Config { load, server_pid: None, ..config.clone() };
        let report = bench::run(&url, &options, &config).unwrap();
        assert_eq!((report.calls, report.bytes, report.latency.len()), (100, 0, 100));
        assert!(report.server.is_none());
    }
}
