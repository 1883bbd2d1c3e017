//! From a record to a reply: the RPC layer of the server.

use alloc::sync::Arc;
use core::net::SocketAddr;

use nfswire_nfs3::{mount as mount_protocol, procedures as nfs_protocol};
use nfswire_rpc::{Answer, CallHeader, ReplyHeader, args_error, parse_call};
use nfswire_xdr::{Cursor, Limits};
use tracing::{debug, error};

use super::faulty::Faulty;
use super::identity::{Identity, Squash};
use super::mount::{self, Mounts};
use super::nfs;
use super::reply::{Batch, Fault};
use crate::fs::FileSystem;

/// Most elements of a list in a call. No call of the served programs has one beyond its header.
const MAX_ITEMS: u32 = 1024;

/// Most bytes of a WRITE call that are not data: header, credential and verifier of 400 bytes, arguments.
const AROUND_WRITE: u32 = 1 << 10;
const PAGE: u32 = 4 << 10;

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// It goes on.
    Continue,
    /// The peer does not speak RPC: close it when the replies so far have left.
    Close,
}

/// What all connections share: the programs and what they serve.
pub(super) struct Service {
    fs: Arc<dyn FileSystem>,
    mounts: Mounts,
    squash: Squash,
    limits: Limits,
    max_write: u32,
    pub(super) faulty: Faulty,
}

impl Service {
    pub(super) fn new(fs: Arc<dyn FileSystem>, squash: Squash, max_record: u32) -> Self {
        let limits = Limits { max_payload: max_record, max_items: MAX_ITEMS, ..Limits::LENIENT };
        let max_write = max_record.saturating_sub(AROUND_WRITE);
        // Clients like whole pages.
        let max_write = if max_write < PAGE { max_write } else { max_write & !(PAGE - 1) };
        Self { fs, mounts: Mounts::default(), squash, limits, max_write, faulty: Faulty::default() }
    }

    /// Serves one call: appends the reply, if there is one, to the batch.
    ///
    /// Works on nothing but its arguments and the file system, so that calls can be served from several threads.
    pub(super) fn call(&self, peer: SocketAddr, record: &[u8], out: &mut Batch<'_, '_>) -> Then {
        let mut c = Cursor::with(record, &self.limits);
        let answer = match parse_call(&mut c) {
            Ok(call) => self.answer(peer, &call, c, out),
            Err(error) => {
                debug!(%peer, "{error}");
                error.answer()
            }
        };
        match answer {
            Answer::Drop => Then::Continue,
            Answer::Close => Then::Close,
            Answer::Reply(header) => match out.header(&header) {
                Ok(()) => Then::Continue,
                Err(error) => {
                    error!(%peer, "cannot encode a reply header: {error}; closing the connection");
                    Then::Close
                }
            },
        }
    }

    /// Judges the header in the order of RFC 5531: caller, program, version, procedure, arguments. `Drop` when the
    /// reply is already in the batch.
    fn answer(
        &self,
        peer: SocketAddr,
        call: &CallHeader<'_>,
        c: Cursor<'_>,
        out: &mut Batch<'_, '_>,
    ) -> Answer {
        let xid = call.xid;
        let identity = match Identity::of(&call.credential, &self.limits, self.squash) {
            Ok(identity) => identity,
            Err(stat) => {
                debug!(%peer, flavor = call.credential.flavor.0, "a credential is refused");
                return Answer::Reply(ReplyHeader::auth_error(xid, stat));
            }
        };
        let (low, high) = match call.program {
            nfs_protocol::PROGRAM => (nfs_protocol::VERSION, nfs_protocol::VERSION),
            mount_protocol::PROGRAM => mount::VERSIONS,
            _ => return Answer::Reply(ReplyHeader::prog_unavail(xid)),
        };
        if !(low..=high).contains(&call.version) {
            return Answer::Reply(ReplyHeader::prog_mismatch(xid, low, high));
        }
        let caller = identity.caller();
        let fs = &*self.fs;
        let served = out.success(xid, |out| {
            if call.program == nfs_protocol::PROGRAM {
                return nfs::serve(fs, &caller, self.max_write, call.procedure, c, out);
            }
            let client = mount::Client { address: peer.ip(), caller };
            mount::serve(fs, &self.mounts, &client, call.version, call.procedure, c, out)
        });
        let Err(fault) = served else { return Answer::Drop };
        Answer::Reply(match fault {
            Fault::NoProcedure => ReplyHeader::proc_unavail(xid),
            Fault::Arguments(error) => {
                debug!(%peer, "arguments of a call cannot be decoded: {error}");
                args_error(xid, &error)
            }
            Fault::Reply(error) => {
                error!(%peer, procedure = call.procedure, "cannot encode a reply: {error}");
                ReplyHeader::system_err(xid)
            }
        })
    }
}

/// Whether serving the call may wait for a disk to write; false for what is no NFS call.
pub(super) fn is_slow(record: &[u8]) -> bool {
    let word = |index: usize| {
        let bytes = record.get(index..).and_then(<[u8]>::first_chunk)?;
        Some(u32::from_be_bytes(*bytes))
    };
    word(12) == Some(nfs_protocol::PROGRAM) && word(20).is_some_and(nfs::is_slow)
}
