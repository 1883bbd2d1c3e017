//! What a file system is told by the core, and what the core makes of odd answers.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![allow(clippy::panic, clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod server_support;

use std::io::IoSlice;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use nfswire_examples::fs::{
    Caller, DirEntry, DirVisitor, EntryDetails, FileData, FileSystem, Found, Handle, Pushed,
    ReadData, Result, Written,
};
use nfswire_examples::server::{Config, Squash};
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply};
use nfswire_nfs3::io::{ReadArgs, ReadReply, WriteArgs, WriteReply};
use nfswire_nfs3::lookup::{ACCESS_READ, AccessArgs, AccessReply};
use nfswire_nfs3::procedures::{Access, Getattr, Null, Read, Readdir, Readdirplus, Write};
use nfswire_nfs3::readdir::{ReaddirArgs, ReaddirReply, ReaddirplusArgs, ReaddirplusReply};
use nfswire_nfs3::{Attributes, FileHandle, StableHow, Status, WccData};
use nfswire_rpc::CallFailure;
use nfswire_xdr::Payload;
use server_support::Running;

/// What a call was told.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    caller: (u32, u32),
    handle: Vec<u8>,
    count: u32,
}

/// Notes what it is told, and answers with what nobody asked for.
struct Witness {
    told: Arc<Mutex<Vec<Told>>>,
    /// WRITE goes on when something comes.
    gate: Mutex<Receiver<()>>,
    /// Times that the core wanted to know more about an entry.
    details: Arc<AtomicU32>,
}

impl Witness {
    fn start(squash: Squash) -> (Running, Arc<Mutex<Vec<Told>>>, Sender<()>) {
        let told = Arc::default();
        let (open, gate) = channel();
        let details = Arc::default();
        let witness = Self { told: Arc::clone(&told), gate: Mutex::new(gate), details };
        (Running::start(witness, Config { squash, ..Config::default() }), told, open)
    }

    fn note(&self, caller: &Caller<'_>, handle: &[u8], count: u32) {
        let caller = (caller.uid, caller.gid);
        self.told.lock().unwrap().push(Told { caller, handle: handle.to_vec(), count });
    }
}

impl FileSystem for Witness {
    fn root(&self) -> Handle {
        Handle::EMPTY
    }

    fn getattr(&self, caller: &Caller<'_>, object: &[u8]) -> Result<Attributes> {
        self.note(caller, object, 0);
        Err(Status::STALE.into())
    }

    fn access(&self, _: &Caller<'_>, _: &[u8], _: u32) -> Result<nfswire_examples::fs::Granted> {
        Ok(nfswire_examples::fs::Granted { attributes: None, access: u32::MAX })
    }

    fn lookup(&self, _: &Caller<'_>, _: &[u8], _: &[u8]) -> Result<Found> {
        Err(Status::OK.into())
    }

    fn read(&self, caller: &Caller<'_>, file: &[u8], _: u64, count: u32) -> Result<ReadData> {
        self.note(caller, file, count);
        let data = FileData::Bytes(Bytes::from_static(&[7; 5000]));
        Ok(ReadData { attributes: None, data, eof: false })
    }

    fn write(
        &self,
        _: &Caller<'_>,
        _: &[u8],
        _: u64,
        _: &[IoSlice<'_>],
        committed: StableHow,
    ) -> Result<Written> {
        self.gate.lock().unwrap().recv_timeout(Duration::from_secs(10)).unwrap();
        Ok(Written { wcc: WccData::default(), count: 1 << 30, committed, verifier: [3; 8] })
    }

    fn readdir(
        &self,
        _: &Caller<'_>,
        _: &[u8],
        cookie: u64,
        _: [u8; 8],
        visitor: &mut dyn DirVisitor,
    ) -> Result<bool> {
        visitor.begin(None, [0; 8]);
        for cookie in cookie + 1.. {
            let entry = DirEntry { fileid: cookie, name: b"name", cookie };
            let mut details = || {
                self.details.fetch_add(1, Ordering::SeqCst);
                EntryDetails::default()
            };
            if visitor.entry(entry, &mut details) == Pushed::Full {
                break;
            }
        }
        Ok(true)
    }
}

fn file() -> FileHandle<'static> {
    FileHandle::new(b"any bytes").unwrap()
}

#[test]
fn a_file_system_sees_callers_as_the_policy_says() {
    let nobody = (65534, 65534);
    for (squash, root) in [(Squash::Root, nobody), (Squash::None, (0, 0))] {
        let (server, told, _open) = Witness::start(squash);
        let mut client = server.connect();
        for user in [None, Some((0, 0)), Some((1000, 100)), Some((u32::MAX, u32::MAX))] {
            client.user = user;
            let reply = client.call::<Getattr>(&GetattrArgs { object: file() });
            assert_eq!(reply.results::<Getattr>(), GetattrReply::Fail(Status::STALE));
        }
        let callers: Vec<_> = told.lock().unwrap().iter().map(|told| told.caller).collect();
        assert_eq!(callers, [nobody, root, (1000, 100), nobody]);
        assert_eq!(told.lock().unwrap()[0].handle, b"any bytes");
    }
}

#[test]
fn odd_answers_do_not_reach_the_client() {
    let (server, told, open) = Witness::start(Squash::Root);
    let mut client = server.connect();
    // More data than asked for; and asked for is no more than a mebibyte.
    for (count, told_count, data) in [(100, 100, 100), (u32::MAX, 1 << 20, 5000), (0, 0, 0)] {
        let reply = client.call::<Read>(&ReadArgs { file: file(), offset: 0, count });
        let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
        ok.validate().unwrap();
        assert_eq!(ok.count, data);
        assert_eq!(told.lock().unwrap().last().unwrap().count, told_count);
    }
    // Rights that were not asked for.
    let reply = client.call::<Access>(&AccessArgs { object: file(), access: ACCESS_READ });
    let AccessReply::Ok(ok) = reply.results::<Access>() else { panic!("failed") };
    assert_eq!(ok.access, ACCESS_READ);
    // More written than there was.
    open.send(()).unwrap();
    let data = Payload::Borrowed(b"data");
    let args = WriteArgs::new(file(), 0, StableHow::FileSync, data);
    let reply = client.call::<Write>(&args);
    let WriteReply::Ok(ok) = reply.results::<Write>() else { panic!("failed") };
    assert_eq!(ok.count, 4);
    // A failure with the status of success has no form on the wire.
    let what = nfswire_nfs3::DirOpArgs {
        dir: file(),
        name: nfswire_nfs3::FileName::new(b"name").unwrap(),
    };
    let reply =
        client.call::<nfswire_nfs3::procedures::Lookup>(&nfswire_nfs3::lookup::LookupArgs { what });
    assert_eq!(reply.failure(), CallFailure::SystemErr);
    client.call::<Null>(&()).results::<Null>();
}

#[test]
fn entries_that_cannot_fit_are_not_looked_at() {
    let (_open, gate) = channel();
    let witness = Witness { told: Arc::default(), gate: Mutex::new(gate), details: Arc::default() };
    let details = Arc::clone(&witness.details);
    let server = Running::start(witness, Config::default());
    let mut client = server.connect();
    let mut args = ReaddirArgs { dir: file(), cookie: 0, cookie_verifier: [0; 8], count: 1000 };
    let reply = client.call::<Readdir>(&args);
    let ReaddirReply::Ok(ok) = reply.results::<Readdir>() else { panic!("failed") };
    // 20 bytes around the list, 28 for an entry; the file system's "end" is not believed when it left some out.
    assert_eq!((ok.reply.entries.len(), ok.reply.eof), (35, false));
    assert_eq!(details.load(Ordering::SeqCst), 0, "READDIR needs no details");

    for (dircount, maxcount, taken) in
        [(0, 1000, 27), (1000, 1000, 27), (100, 1000, 4), (1, 1000, 1)]
    {
        let args =
            ReaddirplusArgs { dir: file(), cookie: 0, cookie_verifier: [0; 8], dircount, maxcount };
        let reply = client.call::<Readdirplus>(&args);
        let ReaddirplusReply::Ok(ok) = reply.results::<Readdirplus>() else { panic!("failed") };
        assert_eq!((ok.reply.entries.len(), ok.reply.eof), (taken, false));
        assert_eq!(details.swap(0, Ordering::SeqCst), taken);
    }
    // What does not fit at all is an answer of its own.
    args.count = 47;
    let reply = client.call::<Readdir>(&args);
    assert!(matches!(reply.results::<Readdir>(), ReaddirReply::Fail(Status::TOOSMALL, None)));
    args.count = 48;
    let reply = client.call::<Readdir>(&args);
    let ReaddirReply::Ok(ok) = reply.results::<Readdir>() else { panic!("failed") };
    assert_eq!(ok.reply.entries.len(), 1);
}

// S15
#[test]
fn replies_do_not_wait_for_a_slow_write_before_or_behind_them() {
    let (server, _told, open) = Witness::start(Squash::Root);
    let mut client = server.connect();
    let args = WriteArgs::new(file(), 0, StableHow::FileSync, Payload::Borrowed(b"data"));
    // All in one segment, so that the server has the WRITE at hand when it answers the others.
    let calls = [
        client.record::<Getattr>(&GetattrArgs { object: file() }),
        client.record::<Null>(&()),
        client.record::<Write>(&args),
        client.record::<Null>(&()),
    ];
    client.send(&calls.concat());
    client.receive().results::<Getattr>();
    client.receive().results::<Null>();
    client.receive().results::<Null>();
    // Only now may the WRITE go on.
    open.send(()).unwrap();
    client.receive().results::<Write>();
}
