//! A server to test, and a client that sends one thing at a time.

#![allow(dead_code, reason = "each test crate uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

/// The example of an embedded server has the file system in memory that tests serve.
#[path = "../../embed/main.rs"]
pub(crate) mod embed;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use nfswire_examples::fs::FileSystem;
use nfswire_examples::server::{Config, RunError, Server, StopHandle};
use nfswire_nfs3::mount::{DirPath, MountReply, MountStatus, v3};
use nfswire_rpc::{
    AuthSys, CallFailure, CallHeader, Groups, OpaqueAuth, Procedure, RecordMark, parse_reply,
};
use nfswire_xdr::{Cursor, Encoder, Segments, Text};

/// A server that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stop: StopHandle,
    thread: Option<JoinHandle<Result<(), RunError>>>,
}

impl Running {
    pub(crate) fn start(fs: impl FileSystem + 'static, config: Config) -> Self {
        Self::of(Server::new(Arc::new(fs), config))
    }

    pub(crate) fn of(server: Server) -> Self {
        let server = server.bind("127.0.0.1:0").unwrap();
        let (address, stop) = (server.local_addr(), server.stop_handle());
        Self { address, stop, thread: Some(std::thread::spawn(|| server.run())) }
    }

    pub(crate) fn connect(&self) -> Client {
        Client::to(self.address)
    }

    /// Stops it and waits for its end.
    pub(crate) fn end(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server does not panic").unwrap();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end();
        }
    }
}

/// Starts the program `server` and reads up to the line that says it is ready.
pub(crate) fn ready(mut command: Command) -> (Child, SocketAddr) {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = out.find_map(|line| line.unwrap().strip_prefix("ready ").map(str::to_owned));
    (child, ready.expect("the server gets ready").parse().unwrap())
}

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    pub(crate) xid: u32,
    /// User and group for AUTH_SYS; AUTH_NONE without.
    pub(crate) user: Option<(u32, u32)>,
}

/// A reply's record; the results are decoded from it.
pub(crate) struct Reply(pub(crate) Vec<u8>);

impl Reply {
    pub(crate) fn xid(&self) -> u32 {
        u32::from_be_bytes(*self.0.first_chunk().unwrap())
    }

    /// The results, which must be all there is behind the header.
    pub(crate) fn results<P: Procedure>(&self) -> P::Reply<'_> {
        let mut c = Cursor::new(&self.0);
        parse_reply(&mut c).unwrap().outcome().unwrap();
        let results = c.decode().unwrap();
        c.finish().unwrap();
        results
    }

    pub(crate) fn failure(&self) -> CallFailure {
        let mut c = Cursor::new(&self.0);
        let failure = parse_reply(&mut c).unwrap().outcome().unwrap_err();
        c.finish().unwrap();
        failure
    }

    /// Bytes of the results.
    pub(crate) fn results_len(&self) -> usize {
        let mut c = Cursor::new(&self.0);
        parse_reply(&mut c).unwrap().outcome().unwrap();
        c.rest().len()
    }
}

impl Client {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        // A reply that does not come is a failure, not a hang.
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, xid: 0x4e46_0000, user: None }
    }

    /// The record of a call, mark included.
    pub(crate) fn record<P: Procedure>(&mut self, args: &P::Args<'_>) -> Vec<u8> {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut body = [0; AuthSys::MAX_BODY];
        let auth = match self.user {
            None => OpaqueAuth::NONE,
            Some((uid, gid)) => {
                let machine_name = Text::new(b"test").unwrap();
                AuthSys { stamp: 0, machine_name, uid, gid, gids: Groups::default() }
                    .to_auth(&mut body)
            }
        };
        self.xid += 1;
        let mut e = Encoder::growable(&mut head, &mut segments);
        let mark = RecordMark::reserve(&mut e).unwrap();
        e.put(&CallHeader::new::<P>(self.xid, auth)).unwrap();
        e.put(args).unwrap();
        mark.close(&mut e).unwrap();
        e.finish();
        segments.view(&head).to_vec().unwrap()
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next record; `None` when the server has closed the connection.
    pub(crate) fn try_receive(&mut self) -> Option<Reply> {
        let mut mark = [0; 4];
        if let Err(error) = self.stream.read_exact(&mut mark) {
            assert!(
                !matches!(error.kind(), std::io::ErrorKind::WouldBlock),
                "the server neither answers nor closes the connection"
            );
            return None;
        }
        let mark = u32::from_be_bytes(mark);
        assert!(mark >> 31 == 1, "the server sends records of one fragment");
        let mut record = vec![0; (mark & 0x7fff_ffff) as usize];
        self.stream.read_exact(&mut record).ok()?;
        Some(Reply(record))
    }

    pub(crate) fn receive(&mut self) -> Reply {
        self.try_receive().expect("the server keeps the connection open")
    }

    pub(crate) fn is_closed(&mut self) -> bool {
        self.try_receive().is_none()
    }

    pub(crate) fn call<P: Procedure>(&mut self, args: &P::Args<'_>) -> Reply {
        let record = self.record::<P>(args);
        self.send(&record);
        let reply = self.receive();
        assert_eq!(reply.xid(), self.xid);
        reply
    }

    /// The handle of a directory.
    pub(crate) fn mount(&mut self, path: &str) -> Vec<u8> {
        self.try_mount(path).expect("mounted")
    }

    pub(crate) fn try_mount(&mut self, path: &str) -> Result<Vec<u8>, MountStatus> {
        let reply = self.call::<v3::Mnt>(&DirPath::new(path.as_bytes()).unwrap());
        match reply.results::<v3::Mnt>() {
            MountReply::Ok(ok) => Ok(ok.handle.as_bytes().to_vec()),
            MountReply::Fail(status) => Err(status),
        }
    }
}

/// A file of testdata/cases.
pub(crate) fn case(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("testdata/cases/{name}.hex"));
    let text = fs::read_to_string(path).unwrap();
    let (head, hex) = text.split_once('\n').unwrap();
    assert!(head.starts_with(&format!("# {name} ")));
    hex::decode(hex.split_whitespace().collect::<String>()).unwrap()
}
