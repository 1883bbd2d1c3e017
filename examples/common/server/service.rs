//! From a record to a reply: the RPC layer of the server.

use core::net::SocketAddr;
use std::time::Instant;

use nfswire_nfs3::procedures::Null;
use nfswire_nfs3::{FileHandle, Status, mount as mount_protocol, procedures as nfs_protocol};
use nfswire_rpc::{Answer, AuthStat, CallHeader, Procedure, ReplyHeader, args_error, parse_call};
use nfswire_xdr::{Cursor, EncodeError, Encoder, Limits, Segments};
use tracing::debug;

use super::cold::Warm;
use super::faulty::Faulty;
use super::identity::Identity;
use super::metrics::{Metrics, Note};
use super::mount::{self, Mounts};
use super::nfs;
use super::replays::{Replays, Ticket, Turn, is_remembered};
use super::reply::{Batch, Fault, Pages};
use super::trust::admits;
use super::zerocopy::Large;
use crate::exports::Exports;
use crate::told::{FAULTS, Told, tell};

/// Most elements of a list in a call. No call of the served programs has one beyond its header.
const MAX_ITEMS: u32 = 1024;

/// Most bytes of a WRITE call that are not data: header, credential and verifier of 400 bytes, arguments.
const AROUND_WRITE: u32 = 1 << 10;
const PAGE: u32 = 4 << 10;
/// Bytes of a record's mark.
const MARK: usize = 4;
/// Bytes of a mark and the header of a successful reply, whose last words are the length of the verifier and `SUCCESS`.
const HEADER: usize = MARK + 24;

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// It goes on.
    Continue,
    /// The peer does not speak RPC: close it when the replies so far have left.
    Close,
}

/// Where a call came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) peer: SocketAddr,
    /// Number of the connection.
    pub(super) connection: u64,
}

/// What all connections share: the programs and what they serve.
pub(super) struct Service {
    pub(super) exports: Exports,
    mounts: Mounts,
    /// Limits the lines of the log that clients and strangers cause.
    pub(super) told: Told,
    limits: Limits,
    max_write: u32,
    pub(super) faulty: Faulty,
    pub(super) warm: Warm,
    /// `None` when it was not wanted.
    pub(super) replays: Option<Replays>,
    /// `None` when nobody wants to know.
    pub(super) metrics: Option<Metrics>,
}

impl Service {
    pub(super) fn new(
        exports: Exports,
        max_record: u32,
        replays: Option<Replays>,
        metrics: Option<Metrics>,
    ) -> Self {
        let limits = Limits { max_payload: max_record, max_items: MAX_ITEMS, ..Limits::LENIENT };
        let max_write = max_record.saturating_sub(AROUND_WRITE);
        // Clients like whole pages.
        let max_write = if max_write < PAGE { max_write } else { max_write & !(PAGE - 1) };
        let (mounts, told) = (Mounts::default(), Told::new());
        let (faulty, warm) = (Faulty::default(), Warm::default());
        Self { exports, mounts, told, limits, max_write, faulty, warm, replays, metrics }
    }

    /// Serves one call: appends the reply, if there is one, to the batch.
    ///
    /// Works on nothing but its arguments and the file system, so that calls can be served from several threads.
    pub(super) fn call(&self, origin: Origin, record: &[u8], out: &mut Batch<'_, '_>) -> Then {
        let peer = origin.peer;
        let start = out.len();
        let mut c = Cursor::with(record, &self.limits);
        let answer = match parse_call(&mut c) {
            Ok(call) => self.answer(origin, &call, c, out),
            Err(error) => {
                debug!(%peer, "{error}");
                error.answer()
            }
        };
        if let (Some(metrics), Answer::Reply(header)) = (&self.metrics, &answer)
            && let Err(failure) = header.outcome()
        {
            metrics.failed(&failure);
        }
        let then = match answer {
            Answer::Drop => Then::Continue,
            Answer::Close => Then::Close,
            Answer::Reply(header) => match out.header(&header) {
                Ok(()) => Then::Continue,
                Err(error) => {
                    tell!(FAULTS, error, %peer, "cannot encode a reply header: {error}; closing the connection");
                    Then::Close
                }
            },
        };
        if out.len() > start {
            out.tally.replies = out.tally.replies.saturating_add(1);
        }
        then
    }

    /// Judges the header in the order of RFC 5531: caller, program, version, procedure, arguments. `Drop` when the
    /// reply is already in the batch.
    fn answer(
        &self,
        origin: Origin,
        call: &CallHeader<'_>,
        c: Cursor<'_>,
        out: &mut Batch<'_, '_>,
    ) -> Answer {
        let (xid, peer) = (call.xid, origin.peer);
        let identity = match Identity::of(&call.credential, &self.limits) {
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
        let served = if call.program == nfs_protocol::PROGRAM {
            let counted = self.metrics.as_ref().map(|metrics| (metrics, Instant::now()));
            let start = out.len();
            // Every procedure but NULL begins with the handle that the export is found by.
            let handle = { c }.decode::<FileHandle<'_>>().unwrap_or_default();
            let Some(export) = self.exports.of_handle(handle.as_bytes(), peer.ip()) else {
                return Answer::Reply(ReplyHeader::system_err(xid));
            };
            // NULL is for everybody: it is how clients find out that the server is there.
            if call.procedure != Null::NUMBER && !admits(&self.told, peer, export) {
                return Answer::Reply(ReplyHeader::auth_error(xid, AuthStat::TOO_WEAK));
            }
            let identity = identity.squashed(export.squash);
            let (fs, caller) = (&*export.fs, identity.caller());
            let results = |out: &mut Batch<'_, '_>| {
                nfs::serve(fs, &caller, self.max_write, call.procedure, c, out)
            };
            let served = match self.replays.as_ref().filter(|_| is_remembered(call.procedure)) {
                None => out.success(xid, results),
                Some(replays) => {
                    let client = replays.client(peer.ip(), &call.credential, &self.limits);
                    let e = &mut out.encoder;
                    match replays.begin(client, origin.connection, call, c.rest(), e) {
                        Turn::Run(ticket) => self.once(ticket, xid, results, out),
                        Turn::Replayed(name) => {
                            out.is_of_use = true;
                            out.tally.kept.push(name);
                            let copied = &mut out.tally.copied.reply;
                            *copied =
                                copied.saturating_add(out.encoder.len().saturating_sub(start));
                            return Answer::Drop;
                        }
                        Turn::Drop => return Answer::Drop,
                        Turn::Lost => return Answer::Reply(ReplyHeader::system_err(xid)),
                    }
                }
            };
            if let (Some((metrics, begun)), Ok(())) = (counted, &served) {
                metrics.served(call.procedure, begun.elapsed());
                out.tally.notes.push(Note { procedure: call.procedure, start });
            }
            out.is_of_use |= served.is_ok() && call.procedure != Null::NUMBER;
            served
        } else {
            let client = mount::Client { peer, identity, told: &self.told };
            out.success(xid, |out| {
                let (exports, mounts) = (&self.exports, &self.mounts);
                mount::serve(exports, mounts, &client, call.version, call.procedure, c, out)
            })
        };
        let Err(fault) = served else { return Answer::Drop };
        Answer::Reply(match fault {
            Fault::PutOff => {
                out.is_put_off = true;
                return Answer::Drop;
            }
            Fault::NoProcedure => ReplyHeader::proc_unavail(xid),
            Fault::Arguments(error) => {
                debug!(%peer, "arguments of a call cannot be decoded: {error}");
                args_error(xid, &error)
            }
            Fault::Reply(error) => {
                tell!(FAULTS, error, %peer, procedure = call.procedure, "cannot encode a reply: {error}");
                ReplyHeader::system_err(xid)
            }
        })
    }
}

impl Service {
    /// Serves a call whose reply is kept: it is encoded on its own, then copied to the batch.
    fn once(
        &self,
        ticket: Ticket<'_>,
        xid: u32,
        results: impl FnOnce(&mut Batch<'_, '_>) -> Result<(), Fault>,
        out: &mut Batch<'_, '_>,
    ) -> Result<(), Fault> {
        let (mut head, mut segments, mut files) = (Vec::new(), Segments::new(), Vec::new());
        let e = Encoder::growable(&mut head, &mut segments);
        let (pages, warm) = (Pages::new(&mut []), out.warm);
        let mut none = Large::default();
        let mut own = Batch::new(e, &mut files, pages, u32::MAX, &self.faulty, warm, &mut none);
        match own.success(xid, results) {
            Ok(()) => {}
            // Nothing was done.
            Err(fault @ (Fault::NoProcedure | Fault::Arguments(_) | Fault::PutOff)) => {
                return Err(fault);
            }
            Err(Fault::Reply(error)) => {
                tell!(FAULTS, error, "cannot encode a reply: {error}");
                own.header(&ReplyHeader::system_err(xid))?;
            }
        }
        own.finish();
        // Not reached: these replies have no file ranges.
        let reply = segments.view(&head).to_vec().map_err(|_| EncodeError::NotHere)?;
        let copied = &mut out.tally.copied.reply;
        *copied = copied.saturating_add(u64::try_from(reply.len()).unwrap_or(u64::MAX));
        let name = if fails_always(&reply) {
            drop(ticket);
            None
        } else {
            ticket.finish(reply.get(MARK..).unwrap_or_default())
        };
        out.encoder.copy(&reply)?;
        out.tally.kept.extend(name);
        Ok(())
    }
}

/// Whether a reply, with its mark, says that nothing was done and nothing ever will be: then it need not be kept, and
/// takes no room from others. Other failures are kept. Were a REMOVE that found no file run again, because it came late
/// on a connection that its client had given up, it could remove what the client has made since.
fn fails_always(reply: &[u8]) -> bool {
    let word = reply.get(HEADER..).and_then(<[u8]>::first_chunk);
    let status = word.map(|word| Status(u32::from_be_bytes(*word)));
    let is_result = reply.get(HEADER - 8..HEADER).is_some_and(|end| end == [0; 8]);
    is_result && matches!(status, Some(Status::BADHANDLE | Status::STALE | Status::ROFS))
}

/// What serving a call may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Hardly anything: attributes, names.
    Quick,
    /// A disk to read.
    Read,
    /// A disk to write: data.
    Write,
    /// A disk to write: everything that WRITEs have left.
    Commit,
    /// A disk to write: anything else.
    Change,
}

impl Kind {
    /// Looks at program and procedure only: quick is what is no NFS call.
    pub(super) fn of(record: &[u8]) -> Self {
        let word = |index: usize| {
            let bytes = record.get(index..).and_then(<[u8]>::first_chunk)?;
            Some(u32::from_be_bytes(*bytes))
        };
        if word(12) != Some(nfs_protocol::PROGRAM) {
            return Self::Quick;
        }
        word(20).map_or(Self::Quick, nfs::kind)
    }

    /// Whether a disk may have to write.
    pub(super) const fn is_slow(self) -> bool {
        matches!(self, Self::Write | Self::Commit | Self::Change)
    }

    /// Whether a disk has to write before the reply. That of a WRITE mostly has not: clients send them UNSTABLE.
    pub(super) const fn syncs(self) -> bool {
        matches!(self, Self::Commit | Self::Change)
    }

    /// Whether replies that are ready should not wait for this call. READs in a row are taken for quick ones: most are
    /// served from memory.
    pub(super) fn may_wait_after(self, last: Self) -> bool {
        self.is_slow() || self == Self::Read && last != Self::Read
    }
}
