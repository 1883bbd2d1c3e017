//! A server in the test: one file, scripted faults. It shares the codecs with the client and nothing else.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    dead_code,
    unreachable_pub,
    missing_docs
)]

use alloc::sync::Arc;
use core::time::Duration;
use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;

use nfswire_examples::client::{Client, NfsUrl, Options};
use nfswire_nfs3::attr::{
    GetattrArgs, GetattrOk, GetattrReply, SetattrArgs, SetattrOk, SetattrReply,
};
use nfswire_nfs3::create::{CreateArgs, CreateOk, CreateReply};
use nfswire_nfs3::fs::{FsinfoOk, FsinfoReply};
use nfswire_nfs3::io::{
    CommitOk, CommitReply, ReadArgs, ReadOk, ReadReply, WriteArgs, WriteOk, WriteReply,
};
use nfswire_nfs3::lookup::{
    LookupArgs, LookupOk, LookupReply, ReadlinkArgs, ReadlinkOk, ReadlinkReply,
};
use nfswire_nfs3::mount::{self, DirPath, Export, Exports, MountOk, MountReply, MountStatus};
use nfswire_nfs3::readdir::{
    DirList, DirListPlus, Entry, EntryPlus, ReaddirArgs, ReaddirOk, ReaddirReply, ReaddirplusArgs,
    ReaddirplusOk, ReaddirplusReply,
};
use nfswire_nfs3::{
    Attributes, FileHandle, FileName, FileType, SpecData, StableHow, Status, Time, WccData,
};
use nfswire_rpc::{
    AuthStat, CallHeader, FragmentHeader, Fragments, RecordBuffer, ReplyHeader, parse_call,
};
use nfswire_xdr::{Array, Chain, Cursor, Encode, Encoder, Opaque, Payload, Segments};

/// How a reply is put on the stream.
#[derive(Clone, Copy)]
pub enum Split {
    Whole,
    /// A write and a pause-free flush for every byte.
    Bytes,
    /// Fragments of this many bytes, an empty one between any two.
    Fragments(u32),
}

/// When the connection ends.
#[derive(Clone, Copy)]
pub enum Cut {
    Never,
    /// In front of the reply to the n-th READ (from 0), or this many bytes into it.
    Read(u32, usize),
    /// The reply to the n-th READ never comes.
    Silence(u32),
}

/// What READ does wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    None,
    /// The count word is one less than the length.
    Count,
    /// One byte more than asked for.
    TooMuch,
    /// No bytes, and not the end.
    Nothing,
    /// A message of four bytes.
    Stub,
    /// A record of 1 GiB is announced.
    Gigabyte,
    /// AUTH_ERROR.
    Denied,
    /// NFS3ERR_IO, once.
    IoOnce,
    /// Anything, and then the end.
    Noise(usize),
    /// A byte of the reply, mark included, has these bits changed.
    Flip(usize, u8),
}

pub struct Fake {
    pub data: Vec<u8>,
    pub transfer: u32,
    /// Replies to hold back and send in reverse order.
    pub hold: usize,
    pub split: Split,
    /// A reply to nobody and a call of the server's before every reply.
    pub stray: bool,
    pub max_read: u32,
    pub max_write: u32,
    pub cut: Cut,
    pub lie: Lie,
    /// Unstable data is lost, and the verifier changes, at these COMMITs (from 0).
    pub crashes: Vec<u32>,
    pub exports: Option<Vec<&'static str>>,
    /// What MNT knows; others are NOENT.
    pub mountable: Vec<&'static str>,
    pub links: HashMap<&'static str, &'static str>,
    /// Directory entries; READDIRPLUS is there or not.
    pub names: u32,
    pub plus: bool,
    /// Attributes go with replies that may have them.
    pub attributes: bool,
    /// READDIR pages have the same cookie over and over.
    pub circle: bool,
    /// Bytes a second read from the client, roughly; 0 is unlimited.
    pub slow: bool,
}

impl Default for Fake {
    fn default() -> Self {
        Self {
            data: Vec::new(),
            transfer: 4096,
            hold: 1,
            split: Split::Whole,
            stray: false,
            max_read: u32::MAX,
            max_write: u32::MAX,
            cut: Cut::Never,
            lie: Lie::None,
            crashes: Vec::new(),
            exports: Some(vec!["/"]),
            mountable: vec!["/"],
            links: HashMap::new(),
            names: 0,
            plus: true,
            attributes: true,
            circle: false,
            slow: false,
        }
    }
}

/// What a test looks at afterwards.
#[derive(Default)]
pub struct Seen {
    pub data: Vec<u8>,
    pub reads: u32,
    pub writes: u32,
    pub commits: u32,
    pub mounts: Vec<String>,
    pub unmounts: u32,
    /// Most calls that were there at once.
    pub together: usize,
    /// File content that a crash leaves.
    stable: Vec<u8>,
    epoch: u64,
    xids: Vec<u32>,
}

pub struct Running {
    pub url: String,
    pub seen: Arc<Mutex<Seen>>,
}

impl Running {
    pub fn url(&self, path: &str) -> NfsUrl {
        format!("{}{path}", self.url).parse().unwrap()
    }

    pub fn client(&self, path: &str, depth: usize) -> (Client, Vec<Vec<u8>>) {
        Client::mount(&self.url(path), options(depth)).unwrap()
    }
}

pub fn options(depth: usize) -> Options {
    Options { depth, timeout: Duration::from_secs(10), ..Options::default() }
}

/// Bytes without a period that transfer sizes could hide.
pub fn noise(len: usize) -> Vec<u8> {
    let mut x = 0x2545_f491_4f6c_dd1d_u64;
    (0..len)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x >> 24) as u8
        })
        .collect()
}

impl Fake {
    pub fn start(self) -> Running {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("nfs://{}", listener.local_addr().unwrap());
        let (data, stable) = (self.data.clone(), self.data.clone());
        let seen = Arc::new(Mutex::new(Seen { data, stable, ..Seen::default() }));
        let shared = Arc::clone(&seen);
        let fake = Arc::new(self);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut state = State {
                    fake: Arc::clone(&fake),
                    seen: Arc::clone(&shared),
                    pending: Vec::new(),
                };
                // A connection that the script or the client ends is no fault.
                std::thread::spawn(move || drop(state.serve(stream.unwrap())));
            }
        });
        Running { url, seen }
    }
}

struct State {
    fake: Arc<Fake>,
    seen: Arc<Mutex<Seen>>,
    pending: Vec<Vec<u8>>,
}

fn message<'p>(xid: u32, results: &impl Encode<'p>) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&ReplyHeader::success(xid)).unwrap();
    e.put(results).unwrap();
    e.finish();
    segments.view(&head[..]).to_vec().unwrap()
}

fn bare(header: &ReplyHeader<'_>) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(header).unwrap();
    e.finish();
    segments.view(&head[..]).to_vec().unwrap()
}

fn attributes(file_type: FileType, size: u64) -> Attributes {
    let t = Time { seconds: 1, nanoseconds: 2 };
    Attributes {
        file_type,
        mode: 0o644,
        nlink: 1,
        uid: 0,
        gid: 0,
        size,
        used: size,
        rdev: SpecData { major: 0, minor: 0 },
        fsid: 1,
        fileid: 2,
        atime: t,
        mtime: t,
        ctime: t,
    }
}

/// Why the connection ends.
struct End;

impl State {
    fn serve(&mut self, mut stream: TcpStream) -> Result<(), End> {
        stream.set_nodelay(true).unwrap();
        // When the client has nothing more to say, what is held back is sent.
        stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let mut buffer = RecordBuffer::new(nfswire_rpc::RecordLimits::DEFAULT);
        loop {
            if self.fake.slow {
                std::thread::sleep(Duration::from_millis(1));
            }
            match stream.read(buffer.spare()) {
                Ok(0) => return Ok(()),
                Ok(n) => buffer.filled(n).unwrap(),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => self.flush(&mut stream)?,
                Err(_) => return Err(End),
            }
            let mut calls = Vec::new();
            while let Some(record) = buffer.next_record().unwrap() {
                calls.push(record.to_vec());
            }
            self.note(|seen| seen.together = seen.together.max(calls.len()));
            for call in calls {
                let mut c = Cursor::new(&call);
                let header = parse_call(&mut c).unwrap();
                self.note(|seen| {
                    assert!(!seen.xids.contains(&header.xid), "xid used twice");
                    seen.xids.push(header.xid);
                });
                let reply = self.answer(&header, &mut c, &mut stream)?;
                c.finish().unwrap();
                if let Some(reply) = reply {
                    if self.fake.stray {
                        self.pending.push(message(header.xid ^ 0x8000_0000, &7u32));
                        let call = CallHeader::new::<nfswire_nfs3::procedures::Null>(
                            1,
                            Default::default(),
                        );
                        let (mut head, mut segments) = (Vec::new(), Segments::new());
                        let mut e = Encoder::growable(&mut head, &mut segments);
                        e.put(&call).unwrap();
                        e.finish();
                        self.pending.push(segments.view(&head[..]).to_vec().unwrap());
                    }
                    self.pending.push(reply);
                }
                if self.pending.len() >= self.fake.hold {
                    self.flush(&mut stream)?;
                }
            }
        }
    }

    fn note(&self, f: impl FnOnce(&mut Seen)) {
        f(&mut self.seen.lock().unwrap());
    }

    fn flush(&mut self, stream: &mut TcpStream) -> Result<(), End> {
        if self.fake.hold > 1 {
            self.pending.reverse();
        }
        for reply in core::mem::take(&mut self.pending) {
            let bytes = self.framed(&reply);
            match self.fake.split {
                Split::Bytes => bytes.iter().try_for_each(|b| stream.write_all(&[*b])),
                _ => stream.write_all(&bytes),
            }
            .map_err(|_| End)?;
        }
        Ok(())
    }

    fn framed(&self, reply: &[u8]) -> Vec<u8> {
        let size = match self.fake.split {
            Split::Fragments(size) => size,
            _ => u32::MAX,
        };
        let mut bytes = Vec::new();
        for (mark, range) in Fragments::new(reply.len() as u64, size).unwrap() {
            if range.start > 0 {
                bytes.extend(FragmentHeader::new(false, 0).unwrap().to_bytes());
            }
            bytes.extend(mark.to_bytes());
            bytes.extend(&reply[range.start as usize..range.end as usize]);
        }
        bytes
    }

    fn answer(
        &mut self,
        header: &CallHeader<'_>,
        c: &mut Cursor<'_>,
        stream: &mut TcpStream,
    ) -> Result<Option<Vec<u8>>, End> {
        let xid = header.xid;
        let reply = match (header.program, header.procedure) {
            (mount::PROGRAM, 5) => match &self.fake.exports {
                None => bare(&ReplyHeader::proc_unavail(xid)),
                Some(list) => {
                    let list: Vec<_> = list
                        .iter()
                        .map(|path| Export {
                            directory: DirPath::new(path.as_bytes()).unwrap(),
                            groups: Chain::default(),
                        })
                        .collect();
                    message(xid, &Exports::from_slice(&list))
                }
            },
            (mount::PROGRAM, 1) => {
                let path: DirPath<'_> = c.decode().unwrap();
                let path = path.to_str().unwrap();
                self.note(|seen| seen.mounts.push(path.into()));
                let known = self.fake.mountable.contains(&path);
                message(
                    xid,
                    &if known {
                        MountReply::Ok(MountOk {
                            handle: Opaque::new(b"/").unwrap(),
                            flavors: Array::default(),
                        })
                    } else if path.ends_with("secret") {
                        MountReply::Fail(MountStatus::ACCES)
                    } else {
                        MountReply::Fail(MountStatus::NOENT)
                    },
                )
            }
            (mount::PROGRAM, 3) => {
                let _: DirPath<'_> = c.decode().unwrap();
                self.note(|seen| seen.unmounts += 1);
                message(xid, &())
            }
            (100_003, 6) => return self.read(xid, &c.decode().unwrap(), stream),
            (100_003, procedure) => self.nfs(xid, procedure, c),
            other => panic!("the client called {other:?}"),
        };
        Ok(Some(reply))
    }

    fn size(&self) -> u64 {
        self.seen.lock().unwrap().data.len() as u64
    }

    fn object(&self, handle: &[u8]) -> Attributes {
        match handle {
            b"/" => attributes(FileType::Directory, 0),
            b"file" | b"f" => attributes(FileType::Regular, self.size()),
            link if link.starts_with(b"l") => attributes(FileType::Symlink, 5),
            other => panic!("the client made up the handle {:?}", other.escape_ascii()),
        }
    }

    fn post(&self, handle: &[u8]) -> Option<Attributes> {
        self.fake.attributes.then(|| self.object(handle))
    }

    fn nfs(&self, xid: u32, procedure: u32, c: &mut Cursor<'_>) -> Vec<u8> {
        let none = WccData::default();
        match procedure {
            1 => {
                let args: GetattrArgs<'_> = c.decode().unwrap();
                let attributes = self.object(&args.object);
                message(xid, &GetattrReply::Ok(GetattrOk { attributes }))
            }
            2 => {
                let args: SetattrArgs<'_> = c.decode().unwrap();
                let size = args.new_attributes.size.unwrap();
                self.note(|seen| seen.data.resize(size as usize, 0));
                message(xid, &SetattrReply::Ok(SetattrOk { wcc: none }))
            }
            3 => {
                let args: LookupArgs<'_> = c.decode().unwrap();
                let name = args.what.name.to_str().unwrap();
                let link = format!("l{name}");
                let handle: &[u8] = match name {
                    "file" => b"file",
                    "dir" => b"/",
                    _ if self.fake.links.contains_key(name) => link.as_bytes(),
                    _ if name.starts_with("entry") => b"f",
                    _ => return message(xid, &LookupReply::Fail(Status::NOENT, None)),
                };
                let (object, attributes) = (FileHandle::new(handle).unwrap(), self.post(handle));
                message(
                    xid,
                    &LookupReply::Ok(LookupOk { object, attributes, dir_attributes: None }),
                )
            }
            5 => {
                let args: ReadlinkArgs<'_> = c.decode().unwrap();
                let name = core::str::from_utf8(&args.symlink[1..]).unwrap();
                let data = Payload::Borrowed(self.fake.links[name].as_bytes());
                message(xid, &ReadlinkReply::Ok(ReadlinkOk { attributes: None, data }))
            }
            7 => self.write(xid, &c.decode().unwrap()),
            8 => {
                let args: CreateArgs<'_> = c.decode().unwrap();
                assert_eq!(&*args.location.name, b"file");
                // As if it had existed and the server did not care for the size.
                let object = self.fake.attributes.then(|| FileHandle::new(b"file").unwrap());
                let attributes = self.post(b"file");
                message(xid, &CreateReply::Ok(CreateOk { object, attributes, dir_wcc: none }))
            }
            16 | 17 => self.readdir(xid, procedure == 17, c),
            19 => {
                let _: FileHandle<'_> = c.decode().unwrap();
                let t = self.fake.transfer;
                message(
                    xid,
                    &FsinfoReply::Ok(FsinfoOk {
                        attributes: None,
                        rtmax: t,
                        rtpref: t,
                        rtmult: 1,
                        wtmax: t,
                        wtpref: t,
                        wtmult: 1,
                        dtpref: 8192,
                        maxfilesize: u64::MAX,
                        time_delta: Time { seconds: 0, nanoseconds: 1 },
                        properties: 0,
                    }),
                )
            }
            21 => {
                let _: nfswire_nfs3::io::CommitArgs<'_> = c.decode().unwrap();
                let mut number = 0;
                self.note(|seen| {
                    number = seen.commits;
                    seen.commits += 1;
                });
                let mut seen = self.seen.lock().unwrap();
                if self.fake.crashes.contains(&number) {
                    seen.epoch += 1;
                    seen.data = seen.stable.clone();
                } else {
                    seen.stable = seen.data.clone();
                }
                let verifier = seen.epoch.to_be_bytes();
                message(xid, &CommitReply::Ok(CommitOk { wcc: none, verifier }))
            }
            other => panic!("the client called procedure {other}"),
        }
    }

    fn read(
        &mut self,
        xid: u32,
        args: &ReadArgs<'_>,
        stream: &mut TcpStream,
    ) -> Result<Option<Vec<u8>>, End> {
        let mut number = 0;
        self.note(|seen| {
            number = seen.reads;
            seen.reads += 1;
        });
        let data = self.seen.lock().unwrap().data.clone();
        let start = (args.offset as usize).min(data.len());
        let len = (args.count.min(self.fake.max_read) as usize).min(data.len() - start);
        let mut bytes = data[start..start + len].to_vec();
        let mut eof = start + len == data.len();
        match self.fake.lie {
            Lie::TooMuch => bytes.resize(args.count as usize + 1, 0),
            Lie::Nothing => (bytes, eof) = (Vec::new(), false),
            Lie::Denied => {
                return Ok(Some(bare(&ReplyHeader::auth_error(xid, AuthStat::TOO_WEAK))));
            }
            Lie::IoOnce if number == 1 => {
                return Ok(Some(message(xid, &ReadReply::Fail(Status::IO, None))));
            }
            Lie::Gigabyte => {
                stream.write_all(&0xc000_0000u32.to_be_bytes()).unwrap();
                return Ok(None);
            }
            Lie::Noise(seed) => {
                stream.write_all(&noise(seed * 100)[seed * 50..]).unwrap();
                return Err(End);
            }
            Lie::Stub => return Ok(Some(xid.to_be_bytes().to_vec())),
            _ => {}
        }
        let mut ok = ReadOk::new(self.post(b"file"), eof, Payload::Borrowed(&bytes));
        if self.fake.lie == Lie::Count {
            ok.count -= 1;
        }
        let reply = message(xid, &ReadReply::Ok(ok));
        if let Lie::Flip(at, bits) = self.fake.lie {
            let mut bytes = self.framed(&reply);
            bytes[at] ^= bits;
            stream.write_all(&bytes).map_err(|_| End)?;
            return Ok(None);
        }
        match self.fake.cut {
            Cut::Read(n, at) if n == number => {
                self.flush(stream)?;
                stream.write_all(&self.framed(&reply)[..at]).unwrap();
                Err(End)
            }
            Cut::Silence(n) if n == number => Ok(None),
            _ => Ok(Some(reply)),
        }
    }

    fn write(&self, xid: u32, args: &WriteArgs<'_>) -> Vec<u8> {
        args.validate().unwrap();
        let len = args.count.min(self.fake.max_write) as usize;
        let bytes = &args.bytes().unwrap()[..len];
        let (start, end) = (args.offset as usize, args.offset as usize + len);
        let mut seen = self.seen.lock().unwrap();
        seen.writes += 1;
        if seen.data.len() < end {
            seen.data.resize(end, 0);
        }
        seen.data[start..end].copy_from_slice(bytes);
        if args.stable != StableHow::Unstable {
            seen.stable = seen.data.clone();
        }
        let verifier = seen.epoch.to_be_bytes();
        message(
            xid,
            &WriteReply::Ok(WriteOk {
                wcc: WccData::default(),
                count: len as u32,
                committed: args.stable,
                verifier,
            }),
        )
    }

    fn readdir(&self, xid: u32, plus: bool, c: &mut Cursor<'_>) -> Vec<u8> {
        const PAGE: u32 = 60;
        let cookie = if plus {
            c.decode::<ReaddirplusArgs<'_>>().unwrap().cookie
        } else {
            c.decode::<ReaddirArgs<'_>>().unwrap().cookie
        } as u32;
        let end = (cookie + PAGE).min(self.fake.names);
        let names: Vec<String> = (cookie..end).map(|i| format!("entry-{i:04}")).collect();
        let eof = end == self.fake.names && !self.fake.circle;
        let cookies =
            |i: usize| if self.fake.circle { 0 } else { u64::from(cookie) + i as u64 + 1 };
        let cookie_verifier = [7; 8];
        let name = |i: usize| FileName::new(names[i].as_bytes()).unwrap();
        if plus && !self.fake.plus {
            return message(xid, &ReaddirplusReply::Fail(Status::NOTSUPP, None));
        }
        if plus {
            let list: Vec<_> = (0..names.len())
                .map(|i| EntryPlus {
                    fileid: 5,
                    name: name(i),
                    cookie: cookies(i),
                    name_attributes: self.post(b"f"),
                    name_handle: self.fake.attributes.then(|| FileHandle::new(b"f").unwrap()),
                })
                .collect();
            let reply = DirListPlus { entries: Chain::from_slice(&list), eof };
            let ok = ReaddirplusOk { dir_attributes: None, cookie_verifier, reply };
            return message(xid, &ReaddirplusReply::Ok(ok));
        }
        let list: Vec<_> = (0..names.len())
            .map(|i| Entry { fileid: 5, name: name(i), cookie: cookies(i) })
            .collect();
        let reply = DirList { entries: Chain::from_slice(&list), eof };
        message(xid, &ReaddirReply::Ok(ReaddirOk { dir_attributes: None, cookie_verifier, reply }))
    }
}
