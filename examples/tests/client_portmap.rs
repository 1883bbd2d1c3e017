//! The client asks a port mapper where MOUNT is.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

extern crate alloc;

mod client_support;

use core::net::SocketAddr;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use client_support::{Fake, options};
use nfswire_examples::client::{Client, Error, NfsUrl};
use nfswire_nfs3::mount;
use nfswire_rpc::portmap::{self, Mapping, Protocol};
use nfswire_rpc::rpcbind::{Netid, Rpcb, UniversalAddress, v4};
use nfswire_rpc::{Fragments, Procedure as _, RecordBuffer, RecordLimits, ReplyHeader, parse_call};
use nfswire_xdr::{Cursor, Encode, Encoder, Segments, Text};

/// What a port mapper knows and speaks.
#[derive(Clone, Copy)]
enum Mapper {
    /// rpcbind version 4, where MOUNT is at this port of any address.
    Rpcbind(u16),
    /// The port mapper of old, version 2 alone.
    Version2(u16),
    /// rpcbind, with a text that is no address.
    Nonsense,
}

fn framed<'p>(header: &ReplyHeader<'p>, results: Option<&dyn Fn(&mut Encoder<'_, 'p>)>) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(header).unwrap();
    if let Some(put) = results {
        put(&mut e);
    }
    e.finish();
    let reply = segments.view(&head[..]).to_vec().unwrap();
    let mut bytes = Vec::new();
    for (mark, range) in Fragments::new(reply.len() as u64, u32::MAX).unwrap() {
        bytes.extend(mark.to_bytes());
        bytes.extend(
            &reply[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()],
        );
    }
    bytes
}

fn success<'p>(xid: u32, results: &impl Encode<'p>) -> Vec<u8> {
    framed(&ReplyHeader::success(xid), Some(&|e| e.put(results).unwrap()))
}

impl Mapper {
    /// Its port.
    fn start(self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                self.serve(&mut stream.unwrap());
            }
        });
        port
    }

    fn serve(self, stream: &mut TcpStream) {
        let mut buffer = RecordBuffer::new(RecordLimits::DEFAULT);
        loop {
            match stream.read(buffer.spare()) {
                Ok(0) | Err(_) => return,
                Ok(n) => buffer.filled(n).unwrap(),
            }
            while let Some(record) = buffer.next_record().unwrap() {
                stream.write_all(&self.answer(record)).unwrap();
            }
        }
    }

    fn answer(self, record: &[u8]) -> Vec<u8> {
        let mut c = Cursor::new(record);
        let header = parse_call(&mut c).unwrap();
        assert_eq!(header.program, portmap::PROGRAM);
        let (xid, mount) = (header.xid, (mount::PROGRAM, mount::v3::VERSION));
        match (self, header.version, header.procedure) {
            (Self::Version2(port), portmap::VERSION, portmap::Getport::NUMBER) => {
                let mapping: Mapping = c.decode().unwrap();
                let asked = (mapping.program, mapping.version);
                assert_eq!((asked, mapping.protocol, mapping.port), (mount, Protocol::TCP, 0));
                success(xid, &u32::from(port))
            }
            (Self::Version2(_), ..) => framed(&ReplyHeader::prog_mismatch(xid, 2, 2), None),
            (_, v4::VERSION, v4::Getversaddr::NUMBER) => {
                let rpcb: Rpcb<'_> = c.decode().unwrap();
                assert_eq!(
                    (rpcb.program, rpcb.version, rpcb.netid),
                    (mount.0, mount.1, Netid::TCP)
                );
                let mut text = [0; UniversalAddress::MAX_INET_LEN];
                let text = match self {
                    Self::Rpcbind(0) => Text::default(),
                    Self::Rpcbind(port) => {
                        let address = SocketAddr::from(([0, 0, 0, 0], port));
                        UniversalAddress::from(address).write(&mut text).unwrap()
                    }
                    _ => Text::new(b"127.0.0.1:635").unwrap(),
                };
                success(xid, &text)
            }
            (_, version, procedure) => panic!("the client called {version}/{procedure}"),
        }
    }
}

fn url(nfs: &str, portmap: u16) -> NfsUrl {
    format!("{nfs}/?portmap={portmap}").parse().unwrap()
}

fn port_of(url: &str) -> u16 {
    url.rsplit_once(':').unwrap().1.parse().unwrap()
}

/// Not NFS's port, but the one that the port mapper tells, in the newest version that it speaks.
#[test]
fn mount_is_where_the_port_mapper_says() {
    for mapper in [Mapper::Rpcbind, Mapper::Version2] {
        let (nfs, mount) = (Fake::default().start(), Fake::default().start());
        let portmap = mapper(port_of(&mount.url)).start();
        let (client, path) = Client::mount(&url(&nfs.url, portmap), options(1)).unwrap();
        assert_eq!((client.root().as_bytes(), path.len()), (&b"/"[..], 0));
        assert_eq!(mount.seen.lock().unwrap().mounts, ["/"]);
        assert!(nfs.seen.lock().unwrap().mounts.is_empty());
    }
}

#[test]
fn what_is_not_registered_is_said() {
    for mapper in [Mapper::Rpcbind(0), Mapper::Version2(0)] {
        let (nfs, portmap) = (Fake::default().start(), mapper.start());
        let error = Client::mount(&url(&nfs.url, portmap), options(1)).unwrap_err();
        assert!(matches!(error, Error::NotRegistered { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            format!(
                "program 100005 version 3 is not registered over TCP with the port mapper of 127.0.0.1 at port \
                 {portmap}; start the service there, or write its port into the URL: mountport=N instead of portmap=N"
            )
        );
    }
}

#[test]
fn nonsense_is_named() {
    let (nfs, portmap) = (Fake::default().start(), Mapper::Nonsense.start());
    let error = Client::mount(&url(&nfs.url, portmap), options(1)).unwrap_err();
    assert!(
        error.to_string().starts_with(
            "the server's reply to RPCBPROC_GETVERSADDR makes no sense: byte 9 of the universal address does not fit"
        ),
        "{error}"
    );
}
