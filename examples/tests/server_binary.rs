//! The program `server`: what it prints, how it ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::arithmetic_side_effects)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, clippy::indexing_slicing)]

mod server_support;

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nfswire_nfs3::attr::GetattrArgs;
use nfswire_nfs3::create::{CreateArgs, CreateHow, CreateReply, MkdirArgs, MkdirReply};
use nfswire_nfs3::io::{ReadArgs, ReadReply, WriteArgs, WriteReply};
use nfswire_nfs3::lookup::{LookupArgs, LookupReply};
use nfswire_nfs3::mount::MountStatus;
use nfswire_nfs3::procedures::{Create, Getattr, Lookup, Mkdir, Null, Read, Write};
use nfswire_nfs3::{DirOpArgs, FileHandle, FileName, SetAttributes, SetTime, StableHow, Status};
use nfswire_xdr::Payload;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use server_support::Client;
use tempfile::TempDir;

/// A directory to export, and a state directory that is still to be made.
struct Place {
    _dir: TempDir,
    export: String,
    state: String,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = |name| dir.path().join(name).to_str().unwrap().to_owned();
        let (export, state) = (path("exported"), path("state"));
        std::fs::create_dir(&export).unwrap();
        Self { _dir: dir, export, state }
    }

    fn arguments(&self) -> [&str; 6] {
        ["--export", &self.export, "--state-dir", &self.state, "--listen", "127.0.0.1:0"]
    }

    /// In a shell, so that limits can be set before.
    fn in_shell(&self, limit: &str, rest: &str) -> Command {
        let script = format!("{limit} && exec \"$0\" \"$@\" {rest}");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_server")]).args(self.arguments());
        command
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Starts it and reads up to the line that says it is ready.
fn start(arguments: &[&str]) -> (Child, Vec<String>, SocketAddr) {
    let mut child = command(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let (lines, address) = ready(&mut child);
    (child, lines, address)
}

/// What it says up to the line that says it is ready.
fn ready(child: &mut Child) -> (Vec<String>, SocketAddr) {
    let out = BufReader::new(child.stdout.take().unwrap());
    let mut lines = Vec::new();
    for line in out.lines() {
        lines.push(line.unwrap());
        if let Some(address) = lines.last().unwrap().strip_prefix("ready ") {
            let address = address.parse().unwrap();
            return (lines, address);
        }
    }
    let status = child.wait().unwrap();
    panic!("it ended with {status} before it was ready: {lines:?}");
}

fn end(mut child: Child, signal: Signal) {
    kill_process(Pid::from_child(&child), signal).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_sample_is_served_until_a_signal_comes() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (child, lines, address) = start(&["--listen", "127.0.0.1:0"]);
        assert!(address.ip().is_loopback() && address.port() != 0);
        let port = address.port();
        let mount = format!(
            "mount -t nfs -o vers=3,proto=tcp,port={port},mountport={port},nolock 127.0.0.1:/ /mnt"
        );
        assert!(lines.contains(&mount), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("served as")), "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("memory: at most ")), "{lines:?}");
        let mut client = Client::to(address);
        assert!(!client.mount("/").is_empty());
        assert!(!client.mount("/folder/deeper").is_empty());
        let sample = lines.iter().find_map(|line| {
            line.strip_prefix("exporting ")?.strip_suffix(" as /").map(str::to_owned)
        });
        let sample = sample.expect("it says what it exports");
        assert!(Path::new(&sample).is_dir());
        end(child, signal);
        assert!(!Path::new(&sample).exists(), "the sample is gone");
    }
}

#[test]
fn no_thread_may_go_beyond_quotas() {
    const SYS_RESOURCE: u64 = 1 << 24;
    let (child, _, address) = start(&["--listen", "127.0.0.1:0"]);
    assert!(!Client::to(address).mount("/").is_empty());
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    let mut seen = 0;
    for task in tasks {
        let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        let sets = status.lines().filter_map(|line| {
            line.strip_prefix("CapEff:").or_else(|| line.strip_prefix("CapPrm:"))
        });
        for set in sets {
            let set = u64::from_str_radix(set.trim(), 16).unwrap();
            assert_eq!(set & SYS_RESOURCE, 0, "{status}");
            seen += 1;
        }
    }
    assert!(seen >= 4, "the main thread and others, two sets each");
    end(child, Signal::TERM);
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let (first, second) = (Place::new(), Place::new());
    let (child, _, address) = start(&first.arguments());
    let taken = address.to_string();
    let there = ["--export", &second.export, "--state-dir", &second.state];
    let with = |more: &[&'static str]| [&there[..], more].concat();
    let cases = [
        (
            vec!["--state-dir", &second.state, "--export", "/no/such/directory"],
            "/no/such/directory",
        ),
        ([&there[..], &["--listen", &taken]].concat(), "already in use"),
        (with(&["--listen", "0.0.0.0:0"]), "loopback"),
        (with(&["--listen", "0.0.0.0:0", "--allow", "127.3.0.0/16"]), "loopback"),
        // Of the documentation's network, so no address of this machine: it would be taken otherwise.
        (
            with(&["--listen", "192.0.2.1:0", "--allow", "192.0.2.0/24"]),
            "cannot listen on 192.0.2.1",
        ),
        (with(&["--allow", "everybody"]), "is no network"),
        (with(&["--handles", "kernel", "--export", "/proc/self"]), "the kernel's file handles"),
        (with(&["--export", "/tmp,rw"]), "--export /tmp,rw: \"rw\" is no option"),
        ([&there[..], &["--export", &second.export]].concat(), "two exports are named /exported"),
        (with(&["--export", "/tmp=/a/../b"]), "/a/../b cannot be the name of an export"),
        (with(&["--listen", "here"]), "HOST:PORT"),
        (first.arguments().to_vec(), "another server uses the state"),
        (vec!["--state-dir", &second.export], "chmod 0700"),
        (vec!["--copy-break", "many"], "--copy-break"),
        (vec!["--copy-break", "1048577"], "no READ is longer than 1048576 bytes"),
        (vec!["--metrics", "0.0.0.0:0"], "can be reached from other machines: serve metrics"),
        (vec!["--log-format", "xml"], "text, json"),
        (vec!["--threads", "4097"], "at most 4096 threads"),
        (vec!["--max-connections", "0"], "no client could connect"),
    ];
    std::fs::set_permissions(&second.export, PermissionsExt::from_mode(0o755)).unwrap();
    for (arguments, expected) in cases {
        let output = command(&arguments).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap().to_lowercase();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(&expected.to_lowercase()), "{arguments:?}: {text}");
    }
    end(child, Signal::TERM);
}

#[test]
fn a_relative_directory_is_named_in_full() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("exported")).unwrap();
    let mut child =
        command(&["--export", "exported", "--state-dir", "state", "--listen", "127.0.0.1:0"])
            .current_dir(dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let full = dir.path().canonicalize().unwrap().join("exported");
    assert_eq!(line, format!("exporting {} as /exported\n", full.display()));
    end(child, Signal::TERM);
}

#[test]
fn a_write_beyond_the_file_size_limit_fails_and_the_server_goes_on() {
    let place = Place::new();
    // Its log is full from the start.
    let log = Path::new(&place.state).with_file_name("log");
    std::fs::write(&log, [0; 16 << 10]).unwrap();
    let mut child = place
        .in_shell("ulimit -f 8", "--squash none")
        .stdin(Stdio::null())
        .stderr(std::fs::File::options().append(true).open(&log).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let address =
        out.find_map(|line| line.unwrap().strip_prefix("ready ").map(|a| a.parse().unwrap()));
    std::fs::write(Path::new(&place.export).join("file"), b"x").unwrap();
    let mut client = Client::to(address.unwrap());
    client.user = Some((rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()));
    let root = client.mount("/");
    let reply = client.call::<Lookup>(&LookupArgs {
        what: DirOpArgs {
            dir: FileHandle::new(&root).unwrap(),
            name: FileName::new(b"file").unwrap(),
        },
    });
    let LookupReply::Ok(found) = reply.results::<Lookup>() else { panic!("not found") };
    let data = Payload::Borrowed(b"data");
    let args = WriteArgs::new(found.object, 1 << 20, StableHow::Unstable, data);
    let reply = client.call::<Write>(&args);
    let WriteReply::Fail(status, _) = reply.results::<Write>() else { panic!("written") };
    assert_eq!(status, Status::FBIG);
    assert!(!client.mount("/").is_empty());
    end(child, Signal::TERM);
}

#[test]
fn refused_connections_do_not_fill_the_log() {
    let place = Place::new();
    let mut child = command(&place.arguments())
        .args(["--max-connections", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let address =
        out.find_map(|line| line.unwrap().strip_prefix("ready ").map(|a| a.parse().unwrap()));
    let address: SocketAddr = address.unwrap();
    let mut first = Client::to(address);
    let root = first.mount("/");
    // Else it would give way.
    let args = GetattrArgs { object: FileHandle::new(&root).unwrap() };
    first.call::<Getattr>(&args).results::<Getattr>();
    let begun = std::time::Instant::now();
    for _ in 0..30 {
        assert!(Client::to(address).is_closed());
    }
    let seconds = usize::try_from(begun.elapsed().as_secs()).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    let told = log.lines().filter(|line| line.contains("closing a connection")).count();
    assert!((1..=2 + seconds).contains(&told), "{told} lines: {log}");
}

#[test]
fn connections_leave_descriptors_for_files() {
    let place = Place::new();
    let mut child = place
        .in_shell("ulimit -n 900", "2>&1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let lines: Vec<_> =
        out.lines().map(Result::unwrap).take_while(|line| !line.starts_with("ready ")).collect();
    // 256 files of three descriptors, and 64.
    assert!(lines.iter().any(|line| line.contains("room for 68 connections")), "{lines:?}");
    let told = "connections: at most 68, not 1024: of 900 descriptors 768 are for files that are kept open";
    assert!(lines.iter().any(|line| line == told), "{lines:?}");
    end(child, Signal::TERM);
}

/// The entry of a name in the top directory, and its first bytes.
fn first_bytes(client: &mut Client, root: &[u8], name: &str) -> Option<Vec<u8>> {
    let dir = FileHandle::new(root).unwrap();
    let what = DirOpArgs { dir, name: FileName::new(name.as_bytes()).unwrap() };
    let found = client.call::<Lookup>(&LookupArgs { what });
    let LookupReply::Ok(found) = found.results::<Lookup>() else { return None };
    let read = client.call::<Read>(&ReadArgs { file: found.object, offset: 0, count: 100 });
    let ReadReply::Ok(read) = read.results::<Read>() else { return None };
    let Payload::Borrowed(data) = read.data else { panic!("data of a record is in one piece") };
    Some(data.to_vec())
}

#[test]
fn as_many_connections_as_the_descriptors_hold_work_and_no_more() {
    let place = Place::new();
    for number in 0..300 {
        let path = Path::new(&place.export).join(number.to_string());
        std::fs::write(path, number.to_string()).unwrap();
    }
    let mut child = place.in_shell("ulimit -n 900", "").stdout(Stdio::piped()).spawn().unwrap();
    let (lines, address) = ready(&mut child);
    let most = lines.iter().find_map(|line| line.strip_prefix("connections: at most "));
    let most: usize = most.unwrap().split_once(',').unwrap().0.parse().unwrap();
    let mut clients: Vec<_> = (0..most).map(|_| Client::to(address)).collect();
    let root = clients[0].mount("/");
    // More files than can be kept open.
    let all_work = |clients: &mut Vec<Client>| {
        for number in 0..300 {
            let (name, client) = (number.to_string(), number % clients.len());
            assert_eq!(first_bytes(&mut clients[client], &root, &name).unwrap(), name.as_bytes());
        }
    };
    all_work(&mut clients);
    for _ in 0..3 {
        assert!(Client::to(address).is_closed());
    }
    // Now there are no descriptors at all for the next ones: they wait, and nobody else notices.
    let none = Rlimit { current: Some(1), maximum: Some(900) };
    let pid = Pid::from_child(&child);
    prlimit(Some(pid), Resource::Nofile, none).unwrap();
    drop(clients.split_off(most / 2));
    let mut waiting: Vec<_> = (0..3).map(|_| Client::to(address)).collect();
    let calls: Vec<_> = waiting.iter_mut().map(|client| client.record::<Null>(&())).collect();
    waiting.iter_mut().zip(&calls).for_each(|(client, call)| client.send(call));
    for client in &mut clients {
        client.call::<Null>(&()).results::<Null>();
    }
    let plenty = Rlimit { current: Some(900), maximum: Some(900) };
    prlimit(Some(pid), Resource::Nofile, plenty).unwrap();
    for client in &mut waiting {
        client.receive().results::<Null>();
    }
    clients.append(&mut waiting);
    all_work(&mut clients);
    end(child, Signal::TERM);
}

#[test]
fn modes_arrive_as_asked_for_whatever_the_umask_was() {
    let place = Place::new();
    let mut child =
        place.in_shell("umask 077", "--squash none").stdout(Stdio::piped()).spawn().unwrap();
    let (_, address) = ready(&mut child);
    let mut client = Client::to(address);
    client.user = Some((rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()));
    let root = client.mount("/");
    let dir = FileHandle::new(&root).unwrap();
    let at = |name: &'static str| DirOpArgs { dir, name: FileName::new(name.as_bytes()).unwrap() };
    let attributes = SetAttributes {
        mode: Some(0o777),
        uid: None,
        gid: None,
        size: None,
        atime: SetTime::DontChange,
        mtime: SetTime::DontChange,
    };
    let made = client.call::<Mkdir>(&MkdirArgs { location: at("folder"), attributes });
    assert!(matches!(made.results::<Mkdir>(), MkdirReply::Ok(_)));
    let how = CreateHow::Unchecked(attributes);
    let made = client.call::<Create>(&CreateArgs { location: at("file"), how });
    assert!(matches!(made.results::<Create>(), CreateReply::Ok(_)));
    for name in ["folder", "file"] {
        let mode = std::fs::metadata(Path::new(&place.export).join(name)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o7777, 0o777, "{name}");
    }
    // The state directory is not the clients' business.
    let state = std::fs::metadata(&place.state).unwrap().permissions();
    assert_eq!(state.mode() & 0o7777, 0o700);
    end(child, Signal::TERM);
}

#[test]
fn the_readme_has_every_option() {
    let output = command(&["--help"]).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let mut options: Vec<&str> = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--"))
        .map(|option| option.split([' ', ']']).next().unwrap())
        .filter(|option| !["help", "version"].contains(option))
        .collect();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md"));
    let readme = readme.unwrap();
    let mut told: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `--"))
        .map(|row| row.split([' ', '`', '[']).next().unwrap())
        .collect();
    options.sort_unstable();
    told.sort_unstable();
    assert!(options.len() > 10, "{help}");
    assert_eq!(told, options);
}

#[test]
fn handles_and_nothing_else_survive_a_restart() {
    let place = Place::new();
    std::fs::create_dir(Path::new(&place.export).join("folder")).unwrap();
    let mut before = None;
    for _ in 0..2 {
        let (child, _, address) = start(&place.arguments());
        let mut client = Client::to(address);
        let now = (client.mount("/"), client.mount("/folder"));
        assert_eq!(before.get_or_insert_with(|| now.clone()), &now);
        end(child, Signal::TERM);
    }
    // A killed server leaves nothing locked.
    let (mut child, _, _) = start(&place.arguments());
    child.kill().unwrap();
    child.wait().unwrap();
    let (child, _, address) = start(&place.arguments());
    assert_eq!(Client::to(address).mount("/"), before.as_ref().unwrap().0);
    end(child, Signal::TERM);
    // Another key, other handles.
    std::fs::remove_dir_all(&place.state).unwrap();
    let (child, _, address) = start(&place.arguments());
    assert_ne!(Client::to(address).mount("/"), before.unwrap().0);
    end(child, Signal::TERM);
}

#[test]
fn a_damaged_state_is_never_replaced() {
    let place = Place::new();
    let (child, _, _) = start(&place.arguments());
    end(child, Signal::TERM);
    let file = Path::new(&place.state).join("state");
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(40).unwrap();
    let output = command(&place.arguments()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("is cut off: it has 40 of 72 bytes"), "{text}");
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 40);
}

#[test]
fn several_exports_are_announced_and_served() {
    let place = Place::new();
    let other = tempfile::tempdir().unwrap();
    std::fs::create_dir(other.path().join("two words")).unwrap();
    let second_export =
        format!("{}=/x,ro,async,squash=all,allow=127.0.0.0/8", other.path().display());
    let third = format!("{}/two words,allow=10.9.8.7", other.path().display());
    let more = ["--export", &second_export, "--export", &third];
    let arguments = [&place.arguments()[..], &more].concat();
    let (child, lines, address) = start(&arguments);
    let text = lines.join("\n");
    let port = address.port();
    for expected in [
        format!("exporting {} as /x (read-only, async: a power failure", other.path().display()),
        format!("port={port},mountport={port},nolock 127.0.0.1:/exported /mnt"),
        format!(
            "mount_nfs -o vers=3,proto=tcp,port={port},mountport={port},locallocks 127.0.0.1:/x "
        ),
        "127.0.0.1:'/two words' /mnt".into(),
        "/exported: for 127.0.0.0/8 and ::1/128 only, ".into(),
        "'/two words': for 10.9.8.7/32 only, ".into(),
        format!("survive a restart with the state in {}; files are found again by ", place.state),
        "memory: at most ".into(),
    ] {
        assert!(text.contains(&expected), "{expected}: {text}");
    }
    let mut client = Client::to(address);
    let (first, second) = (client.mount("/exported"), client.mount("/x"));
    assert_ne!(first, second);
    end(child, Signal::TERM);
    // The order on the command line is nothing that handles depend on.
    let turned =
        [&["--export", &third, "--export", &second_export], &place.arguments()[..]].concat();
    let (child, _, address) = start(&turned);
    let mut client = Client::to(address);
    assert_eq!((client.mount("/exported"), client.mount("/x")), (first, second));
    end(child, Signal::TERM);
}

#[test]
fn refused_hosts_do_not_fill_the_log() {
    let place = Place::new();
    let mut child = command(&place.arguments())
        .args(["--allow", "10.9.8.7"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let address =
        out.find_map(|line| line.unwrap().strip_prefix("ready ").map(|a| a.parse().unwrap()));
    let begun = std::time::Instant::now();
    for _ in 0..100 {
        assert!(Client::to(address.unwrap()).is_closed());
    }
    let seconds = usize::try_from(begun.elapsed().as_secs()).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let log = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    let told = log.lines().filter(|line| line.contains("no --allow of any export")).count();
    assert!((1..=2 + seconds).contains(&told), "{told} lines: {log}");
}

#[test]
fn strangers_do_not_fill_the_log() {
    let place = Place::new();
    let more = ["--secure", "--max-connections", "8"];
    let mut child = command(&place.arguments())
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (lines, address) = ready(&mut child);
    let mut client = Client::to(address);
    assert!(lines.iter().any(|line| line.contains("from ports below 1024 only")), "{lines:?}");
    let begun = std::time::Instant::now();
    // Garbage, connections that end in the middle of a record, and uses from a port that is not reserved: all together.
    while begun.elapsed() < Duration::from_secs(2) {
        let mut garbage = Client::to(address);
        garbage.send(b"GET / HTTP/1.0\r\n\r\n");
        assert!(garbage.is_closed());
        let mut cut = Client::to(address);
        cut.send(&[0x80, 0]);
        cut.stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(cut.is_closed());
        assert_eq!(client.try_mount("/"), Err(MountStatus::ACCES));
    }
    let seconds = usize::try_from(begun.elapsed().as_secs()).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let log = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    // The key that was made is told, too.
    assert!((3..=3 + seconds).contains(&log.lines().count()), "{log}");
    assert!(log.contains(" left_out="), "{log}");
}

#[test]
fn a_log_in_json_has_an_object_in_each_line_and_metrics_are_where_it_says() {
    let arguments =
        ["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log=debug", "--log-format=json"];
    let mut child =
        command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines: Vec<String> = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
        .take_while(|line| !line.starts_with("ready "))
        .collect();
    let page = lines.iter().find_map(|line| line.strip_prefix("metrics: http://"));
    let address = page.unwrap().strip_suffix("/metrics").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\nnfswire_connections 0\n"), "{answer}");

    let address = lines.iter().find_map(|line| line.split_once(",port=")?.1.split_once(','));
    let port: u16 = address.unwrap().0.parse().unwrap();
    let mut client = Client::to(([127, 0, 0, 1], port).into());
    assert!(!client.mount("/").is_empty());
    drop(client);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("\"message\":\"connected\""), "{log}");
    for line in log.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(event["level"].is_string() && event["timestamp"].is_string(), "{line}");
    }
}
