//! READ data that is sent from the server's memory.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod server_support;

use core::net::SocketAddr;
use core::time::Duration;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use bytes::Bytes;
use nfswire_examples::fs::{Caller, FileData, FileSystem, Found, Handle, ReadData, Result};
use nfswire_examples::server::{Config, ZeroCopy};
use nfswire_nfs3::io::{ReadArgs, ReadReply};
use nfswire_nfs3::procedures::{Null, Read};
use nfswire_nfs3::{Attributes, FileHandle, Status};
use server_support::{Client, Running};
use socket2::{Domain, Socket, Type};

const LEN: usize = 4 << 20;
const NAMES: [&[u8]; 4] = [b"memory", b"file", b"memory", b"file"];

/// Two files of the same content, one in memory.
struct Twins {
    memory: Bytes,
    file: Arc<OwnedFd>,
}

impl Twins {
    fn new() -> Self {
        let memory: Bytes = (0..LEN).map(|n| ((n * 31) >> 5) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&memory).unwrap();
        Self { memory, file: Arc::new(File::into(file)) }
    }
}

impl FileSystem for Twins {
    fn root(&self) -> Handle {
        Handle::EMPTY
    }

    fn getattr(&self, _: &Caller<'_>, _: &[u8]) -> Result<Attributes> {
        Err(Status::STALE.into())
    }

    fn lookup(&self, _: &Caller<'_>, _: &[u8], _: &[u8]) -> Result<Found> {
        Err(Status::NOENT.into())
    }

    fn read(&self, _: &Caller<'_>, file: &[u8], offset: u64, count: u32) -> Result<ReadData> {
        let start = offset as usize;
        let data = match file {
            // A copy: only the kernel and this call have it.
            b"memory" => {
                let part = &self.memory[start..start + count as usize];
                FileData::Bytes(Bytes::copy_from_slice(part))
            }
            _ => FileData::File { file: Arc::clone(&self.file), offset, len: count },
        };
        Ok(ReadData { attributes: None, data, eof: false })
    }
}

// S4
#[test]
fn every_byte_is_right_whether_the_kernel_copies_or_not() {
    let twins = Twins::new();
    let content = twins.memory.clone();
    let config = Config { zero_copy: ZeroCopy::On, copy_break: 1 << 20, ..Config::default() };
    let mut server = Running::start(twins, config);
    std::thread::scope(|scope| {
        for (number, name) in NAMES.iter().enumerate() {
            let (mut client, content) = (server.connect(), content.clone());
            scope.spawn(move || {
                for round in 0..8 {
                    // Several at once, large and small, at odd places.
                    let reads: Vec<(u64, u32)> = (0..6)
                        .map(|n| {
                            let count = [100, 32 << 10, (32 << 10) + 1, 300_001, 1 << 20, 7][n];
                            ((number * 1000 + round * 999 + n * 77_777) as u64, count)
                        })
                        .collect();
                    check(&mut client, name, &reads, &content);
                }
                // And away, with replies under way.
                let file = FileHandle::new(name).unwrap();
                let args = ReadArgs { file, offset: 0, count: 1 << 20 };
                let calls: Vec<u8> = (0..4).flat_map(|_| client.record::<Read>(&args)).collect();
                client.send(&calls);
            });
        }
    });
    server.end();
}

/// A client of another address of this machine that has little room for replies.
fn narrow(address: &str, server: SocketAddr) -> Client {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.bind(&format!("{address}:0").parse::<SocketAddr>().unwrap().into()).unwrap();
    socket.connect(&server.into()).unwrap();
    Client { stream: socket.into(), xid: 1, user: None }
}

#[test]
fn what_the_kernel_still_holds_keeps_nobody_out() {
    for ends in [false, true] {
        let twins = Twins::new();
        let config = Config { zero_copy: ZeroCopy::On, max_connections: 2, ..Config::default() };
        let server = Running::start(twins, config);
        // More than the client has room for, and less than the kernel takes from the server.
        let file = FileHandle::new(b"memory").unwrap();
        let args = ReadArgs { file, offset: 0, count: 256 << 10 };
        let mut full: Vec<_> = (0..2).map(|_| narrow("127.0.0.2", server.address)).collect();
        for client in &mut full {
            let call = client.record::<Read>(&args);
            client.send(&call);
            client.stream.peek(&mut [0]).unwrap();
            if ends {
                client.stream.shutdown(std::net::Shutdown::Write).unwrap();
            }
        }
        // Less often than the end of a connection may wait for the kernel.
        let address = if ends { "127.0.0.2" } else { "127.0.0.1" };
        let is_served = (0..4).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            let mut client = narrow(address, server.address);
            let call = client.record::<Null>(&());
            client.stream.write_all(&call).is_ok() && client.try_receive().is_some()
        });
        assert!(is_served, "when the others have ended: {ends}");
    }
}

fn check(client: &mut Client, name: &[u8], reads: &[(u64, u32)], content: &[u8]) {
    let file = FileHandle::new(name).unwrap();
    let first = client.xid + 1;
    let mut calls = Vec::new();
    for &(offset, count) in reads {
        calls.extend(client.record::<Read>(&ReadArgs { file, offset, count }));
    }
    client.send(&calls);
    for _ in reads {
        let reply = client.receive();
        let (offset, count) = reads[(reply.xid() - first) as usize];
        let ReadReply::Ok(ok) = reply.results::<Read>() else { panic!("failed") };
        let data: Vec<u8> = ok.data.slices().unwrap().flatten().copied().collect();
        let start = offset as usize;
        assert!(data == content[start..start + count as usize], "{count} bytes at {offset}");
    }
}
