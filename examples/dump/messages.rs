//! A message taken apart: its header, whose call it answers, and whether its bytes come out again.

use core::net::SocketAddr;
use core::num::NonZeroUsize;

use lru::LruCache;
use nfswire_nfs4::Status;
use nfswire_rpc::{
    AuthFlavor, AuthSys, CallBody, MessageBody, OpaqueAuth, RPC_VERSION, ReplyHeader, RpcMessage,
    gss,
};
use nfswire_xdr::{Cursor, DecodeError, Limits, from_bytes};
use serde_json::value::{RawValue, to_raw_value};

use crate::callbacks::Callbacks;
use crate::connections::Place;
use crate::fields::{Fields, escaped};
use crate::nfs4::{self, Compound};
use crate::programs::{
    self, Body, Called, Entry, GSS_INIT_ARGS, GSS_INIT_RESULTS, GSS_INTEGRITY, GSS_PRIVACY, Known,
    Shown, View, encodes_to,
};

/// Calls whose replies are waited for, or may come again.
const MAX_CALLS: NonZeroUsize = NonZeroUsize::MIN.saturating_add((1 << 16) - 1);
/// Strict, and without limits beside those of the types: what is here was paid for by the capture.
const LIMITS: Limits = Limits { max_payload: u32::MAX, max_items: u32::MAX, ..Limits::STRICT };

/// What is to be shown of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    Nothing,
    Line,
    Json,
}

/// What became of the bytes of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All of it was decoded, and encodes to the same bytes.
    Identical,
    /// What was decoded encodes to other bytes: a fault of the codec.
    Different,
    /// The protocol forbids what follows the offset, for this reason. It is kept as it is.
    Refused(String),
    /// Arguments or results of a program that is not decoded here. They are kept as they are.
    Other,
}

/// Call or reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Call,
    Reply,
    /// The header cannot be read.
    Neither,
}

/// The call that a reply answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answers {
    /// The frame of the call.
    pub(crate) frame: u64,
    /// Nanoseconds from the call to its first reply.
    pub(crate) latency: Option<u64>,
    /// A reply was seen before.
    pub(crate) again: bool,
}

/// A message taken apart.
#[derive(Debug)]
pub(crate) struct Message<'m> {
    pub(crate) bytes: &'m [u8],
    pub(crate) kind: Kind,
    pub(crate) xid: Option<u32>,
    /// What is called, or was called by the call that is answered.
    pub(crate) called: Option<Called>,
    pub(crate) entry: Option<&'static Entry>,
    pub(crate) answers: Option<Answers>,
    /// Why a reply has no results, in the words of the RPC layer.
    pub(crate) failure: Option<String>,
    pub(crate) verdict: Verdict,
    /// Bytes from here on were not decoded.
    pub(crate) raw_from: usize,
    pub(crate) fields: Fields,
    pub(crate) body: Option<Box<RawValue>>,
    /// Its operations, if it is a COMPOUND.
    pub(crate) compound: Option<Compound>,
    pub(crate) credential: Option<Box<RawValue>>,
}

impl Message<'_> {
    /// What was not decoded.
    pub(crate) fn raw(&self) -> &[u8] {
        self.bytes.get(self.raw_from..).unwrap_or_default()
    }
}

/// Names a call: the connection, the caller, who tells calls from callbacks on the same connection,
/// and the number that the caller gave it. Over UDP a reply may come from another address than the
/// call went to, as after a broadcast.
type CallId = (u64, SocketAddr, u32);

struct Pending {
    called: Called,
    entry: Option<&'static Entry>,
    results: Option<Body>,
    /// Of a COMPOUND that can be read.
    minor: Option<u32>,
    frame: u64,
    time: Option<i64>,
    answered: bool,
}

/// Takes messages apart, and knows the calls that were seen.
pub(crate) struct Dissector {
    calls: LruCache<CallId, Pending>,
    callbacks: Callbacks,
}

/// What is wrong: the reason, and from where on bytes are kept.
type Wrong = (Verdict, usize);

impl Dissector {
    pub(crate) fn new() -> Self {
        Self { calls: LruCache::new(MAX_CALLS), callbacks: Callbacks::new() }
    }

    /// Takes a message apart.
    pub(crate) fn dissect<'m>(
        &mut self,
        place: &Place,
        bytes: &'m [u8],
        show: Show,
    ) -> Message<'m> {
        let mut message = Message {
            bytes,
            kind: Kind::Neither,
            xid: bytes.first_chunk().map(|xid| u32::from_be_bytes(*xid)),
            called: None,
            entry: None,
            answers: None,
            failure: None,
            verdict: Verdict::Identical,
            raw_from: bytes.len(),
            fields: Fields::default(),
            body: None,
            compound: None,
            credential: None,
        };
        let mut c = Cursor::with(bytes, &LIMITS);
        let header: RpcMessage<'_> = match c.decode() {
            Ok(header) => header,
            Err(error) => {
                let reason = format!("the header is not that of an RPC message: {error}");
                (message.verdict, message.raw_from) = (Verdict::Refused(reason), 0);
                return message;
            }
        };
        let result = match header.body {
            MessageBody::Call(call) => self.call(place, header.xid, &call, c, show, &mut message),
            MessageBody::Reply(body) => {
                let header = ReplyHeader { xid: header.xid, body };
                self.reply(place, &header, c, show, &mut message)
            }
        };
        if let Err((verdict, raw_from)) = result {
            (message.verdict, message.raw_from) = (verdict, raw_from);
        }
        let len = c.position();
        if !encodes_to(&header, bytes.get(..len).unwrap_or_default()) {
            message.verdict = Verdict::Different;
        }
        message
    }

    fn call(
        &mut self,
        place: &Place,
        xid: u32,
        call: &CallBody<'_>,
        c: Cursor<'_>,
        show: Show,
        message: &mut Message<'_>,
    ) -> Result<(), Wrong> {
        let CallBody { program, version, procedure, .. } = *call;
        let callback = self.callbacks.is_one(place.dst.ip(), program);
        let called = Called { program, version, procedure, callback };
        (message.kind, message.called) = (Kind::Call, Some(called));
        let id = (place.connection, place.src, xid);
        let known = programs::find(called);
        let entry = match known {
            Known::Version(version) => version.procedure(procedure),
            Known::NoVersion(_) | Known::Other => None,
        };
        message.entry = entry;
        let bodies = bodies(&call.credential, entry);
        let pending = Pending {
            called,
            entry,
            results: bodies.as_ref().ok().copied().flatten().map(|it| it.1),
            minor: None,
            frame: place.frame,
            time: place.time,
            answered: false,
        };
        // Of a call that is sent again, the first one counts.
        if self.calls.get(&id).is_none_or(|old| old.answered || old.called != called) {
            self.calls.put(id, pending);
        }

        let at = c.position();
        let refuse = |reason: String| Err((Verdict::Refused(reason), at));
        if call.rpc_version != RPC_VERSION {
            return refuse(format!("the RPC version is {}, and must be 2", call.rpc_version));
        }
        credential(&call.credential, show, message).map_err(|verdict| (verdict, at))?;
        let args = match (known, bodies) {
            (Known::Other, _) => return Err((Verdict::Other, at)),
            (Known::NoVersion(name), _) => {
                return refuse(format!("{name} has no version {version}"));
            }
            (_, Err(error)) => return refuse(format!("the credential is malformed: {error}")),
            (Known::Version(version), Ok(None)) => {
                let (name, version) = (version.name, version.version);
                return refuse(format!("{name} version {version} has no procedure {procedure}"));
            }
            (Known::Version(_), Ok(Some((args, _)))) => args,
        };
        let result = read(args, c, None, show, message);
        if let Some(compound) = &message.compound {
            for told in &compound.told {
                self.callbacks.learn(place.src.ip(), *told);
            }
            if let Some(call) = self.calls.peek_mut(&id) {
                call.minor = compound.minor;
            }
        }
        result
    }

    fn reply(
        &mut self,
        place: &Place,
        header: &ReplyHeader<'_>,
        c: Cursor<'_>,
        show: Show,
        message: &mut Message<'_>,
    ) -> Result<(), Wrong> {
        message.kind = Kind::Reply;
        let id = (place.connection, place.dst, header.xid);
        let (mut results, mut minor) = (None, None);
        if let Some(call) = self.calls.get_mut(&id) {
            let latency = place
                .time
                .zip(call.time)
                .and_then(|(reply, call)| u64::try_from(reply.saturating_sub(call)).ok());
            let again = core::mem::replace(&mut call.answered, true);
            message.answers = Some(Answers { frame: call.frame, latency, again });
            (message.called, message.entry) = (Some(call.called), call.entry);
            (results, minor) = (call.results, call.minor);
        }
        let at = c.position();
        let other =
            message.called.is_some_and(|called| matches!(programs::find(called), Known::Other));
        if let Err(failure) = header.outcome() {
            message.failure = Some(failure.to_string());
            if other {
                return Err((Verdict::Other, at));
            }
            let left = |error: DecodeError| (Verdict::Refused(error.to_string()), at);
            return c.finish().map_err(left);
        }
        if other {
            return Err((Verdict::Other, at));
        }
        match (results, message.called) {
            (Some(results), _) => read(results, c, minor, show, message),
            (None, Some(_)) => {
                let reason = "its call was refused, so its results cannot be read";
                Err((Verdict::Refused(reason.into()), at))
            }
            (None, None) => {
                let reason = "its call is not in the capture, so its results cannot be read";
                Err((Verdict::Refused(reason.into()), at))
            }
        }
    }
}

/// Reads arguments or results; of a reply `minor` is the minor version of its call.
fn read(
    body: Body,
    c: Cursor<'_>,
    minor: Option<u32>,
    show: Show,
    message: &mut Message<'_>,
) -> Result<(), Wrong> {
    let body = match body {
        Body::Value(body) => body,
        Body::Compound(which) => {
            let (mut compound, result) = nfs4::read(which, c, minor, show);
            message.body = compound.json.take();
            headline(&compound, &mut message.fields);
            message.compound = Some(compound);
            return result;
        }
    };
    let view = match show {
        Show::Nothing => View::None,
        Show::Line => View::Line(&mut message.fields),
        Show::Json => View::Json(&mut message.body),
    };
    match body(c, view) {
        Ok(true) => Ok(()),
        Ok(false) => Err((Verdict::Different, message.bytes.len())),
        Err(error) => Err((Verdict::Refused(error.to_string()), c.position())),
    }
}

/// What the line of a COMPOUND says; each operation has a line of its own.
fn headline(compound: &Compound, fields: &mut Fields) {
    if !compound.tag.is_empty() {
        fields.add("tag", format!("\"{}\"", escaped(&compound.tag)));
    }
    if let Some(minor) = compound.minor {
        fields.add("minor", minor.to_string());
    }
    if let Some(ident) = compound.ident.filter(|ident| *ident != 0) {
        fields.add("ident", format!("{ident:#x}"));
    }
    let plural = if compound.count == 1 { "" } else { "s" };
    let noun = if compound.status.is_some() { "result" } else { "operation" };
    fields.add("", format!("{} {noun}{plural}", compound.count));
    if let Some(status) = compound.status.filter(|status| *status != Status::OK) {
        fields.fail(nfs4::status_name(status));
    }
}

/// Reads a credential of a flavor that is known here.
fn credential(auth: &OpaqueAuth<'_>, show: Show, message: &mut Message<'_>) -> Result<(), Verdict> {
    let json = &mut message.credential;
    let refuse =
        |error: &DecodeError| Verdict::Refused(format!("the credential is malformed: {error}"));
    let same = match auth.flavor {
        AuthFlavor::SYS => {
            let sys: AuthSys<'_> = from_bytes(&auth.body).map_err(|error| refuse(&error))?;
            if show == Show::Json {
                *json = to_raw_value(&Shown(&sys)).ok();
            }
            encodes_to(&sys, &auth.body)
        }
        AuthFlavor::GSS => {
            let gss: gss::Credential<'_> =
                from_bytes(&auth.body).map_err(|error| refuse(&error))?;
            if show == Show::Json {
                *json = to_raw_value(&Shown(&gss)).ok();
            }
            encodes_to(&gss, &auth.body)
        }
        _ => true,
    };
    if same { Ok(()) } else { Err(Verdict::Different) }
}

/// How arguments and results are read: as the procedure's, unless RPCSEC_GSS has wrapped them.
fn bodies(
    auth: &OpaqueAuth<'_>,
    entry: Option<&'static Entry>,
) -> Result<Option<(Body, Body)>, DecodeError> {
    let Some(entry) = entry else { return Ok(None) };
    let plain = (entry.args, entry.results);
    if auth.flavor != AuthFlavor::GSS {
        return Ok(Some(plain));
    }
    let gss: gss::Credential<'_> = from_bytes(&auth.body)?;
    Ok(Some(match (gss.body.procedure, gss.body.service) {
        (gss::ControlProcedure::Init | gss::ControlProcedure::ContinueInit, _) => {
            (GSS_INIT_ARGS, GSS_INIT_RESULTS)
        }
        (_, gss::Service::INTEGRITY) => (GSS_INTEGRITY, GSS_INTEGRITY),
        (_, gss::Service::PRIVACY) => (GSS_PRIVACY, GSS_PRIVACY),
        _ => plain,
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects)]
    use nfswire_nfs3::attr::GetattrArgs;
    use nfswire_nfs3::procedures::{Getattr, Null};
    use nfswire_nfs3::{FileHandle, Status};
    use nfswire_rpc::CallHeader;
    use nfswire_xdr::{Encode, Encoder, Segments};

    use super::*;
    use crate::connections::Transport;

    fn encoded(values: &[&dyn Fn(&mut Encoder<'_, '_>)]) -> Vec<u8> {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments).copy_break(u32::MAX);
        values.iter().for_each(|put| put(&mut e));
        e.finish();
        segments.view(&head).to_vec().unwrap()
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    fn place(frame: u64, call: bool) -> Place {
        let (client, server) = ("10.0.0.1:700".parse().unwrap(), "10.0.0.2:9".parse().unwrap());
        let (src, dst) = if call { (client, server) } else { (server, client) };
        let time = Some(i64::try_from(frame).unwrap() * 1000);
        Place { frame, time, src, dst, connection: 1, transport: Transport::Tcp }
    }

    fn call() -> Vec<u8> {
        let file = FileHandle::new(b"1234").unwrap();
        encoded(&[&|e| e.put(&CallHeader::new::<Getattr>(7, OpaqueAuth::NONE)).unwrap(), &|e| {
            GetattrArgs { object: file }.encode(e).unwrap()
        }])
    }

    fn reply(status: Status) -> Vec<u8> {
        encoded(&[&|e| e.put(&ReplyHeader::success(7)).unwrap(), &|e| e.put(&status).unwrap()])
    }

    #[test]
    fn a_reply_is_read_by_its_call() {
        let mut dissector = Dissector::new();
        let bytes = call();
        let message = dissector.dissect(&place(3, true), &bytes, Show::Line);
        assert_eq!((message.kind, &message.verdict), (Kind::Call, &Verdict::Identical));
        assert_eq!((message.xid, message.raw()), (Some(7), &[][..]));

        let bytes = reply(Status::STALE);
        for again in [false, true] {
            let message = dissector.dissect(&place(5, false), &bytes, Show::Line);
            assert_eq!((message.kind, &message.verdict), (Kind::Reply, &Verdict::Identical));
            let answers = Answers { frame: 3, latency: Some(2000), again };
            assert_eq!(message.answers, Some(answers));
            assert_eq!(message.fields.failed(), Some("NFS3ERR_STALE"));
        }
        // From the other side it is no answer.
        let message = dissector.dissect(&place(5, true), &bytes, Show::Nothing);
        assert_eq!(message.answers, None);
        assert!(matches!(message.verdict, Verdict::Refused(_)));
        assert_eq!(message.raw(), Status::STALE.0.to_be_bytes());
    }

    #[test]
    fn a_broadcast_is_answered_from_elsewhere() {
        let mut dissector = Dissector::new();
        let bytes = call();
        let udp = |place: Place| Place { connection: 0, transport: Transport::Udp, ..place };
        dissector.dissect(&udp(place(1, true)), &bytes, Show::Nothing);
        let bytes = reply(Status::STALE);
        let from = Place { src: "10.9.9.9:1111".parse().unwrap(), ..udp(place(2, false)) };
        let message = dissector.dissect(&from, &bytes, Show::Nothing);
        assert_eq!(message.verdict, Verdict::Identical);
    }

    #[track_caller]
    fn refused(bytes: &[u8], reason: &str, raw_from: usize) {
        let message = Dissector::new().dissect(&place(1, true), bytes, Show::Nothing).verdict;
        let Verdict::Refused(said) = message else { panic!("{message:?}") };
        assert!(said.contains(reason), "{said}");
        let message = Dissector::new().dissect(&place(1, true), bytes, Show::Json);
        assert_eq!(message.raw_from, raw_from);
    }

    #[test]
    fn what_the_protocol_forbids_is_kept_from_where_it_begins() {
        refused(&[], "need 4 bytes", 0);
        refused(&[1, 2, 3], "need 4 bytes", 0);
        refused(&words(&[1, 2]), "2 is not", 0);
        refused(&words(&[1, 0, 3, 100_003, 3, 0, 0, 0, 0, 0]), "RPC version is 3", 40);
        refused(&words(&[1, 0, 2, 100_003, 7, 0, 0, 0, 0, 0]), "NFS has no version 7", 40);
        let reason = "NFS version 3 has no procedure 22";
        refused(&words(&[1, 0, 2, 100_003, 3, 22, 0, 0, 0, 0, 9]), reason, 40);
        refused(&words(&[1, 0, 2, 100_003, 3, 1, 0, 0, 0, 0, 65]), "at most 64", 40);
        refused(&words(&[1, 0, 2, 100_003, 3, 0, 0, 0, 0, 0, 0]), "4 bytes left over", 40);
        refused(&words(&[1, 0, 2, 100_003, 3, 0, 1, 4, 0, 0, 0]), "credential", 44);
    }

    #[test]
    fn other_programs_are_kept_whole() {
        for (program, version) in [(100_011, 1), (4711, 1)] {
            let bytes = words(&[1, 0, 2, program, version, 1, 0, 0, 0, 0, 5, 6]);
            let mut dissector = Dissector::new();
            let message = dissector.dissect(&place(1, true), &bytes, Show::Json);
            assert_eq!((&message.verdict, message.raw_from), (&Verdict::Other, 40));
            let bytes = words(&[1, 1, 0, 0, 0, 0, 9, 9]);
            let message = dissector.dissect(&place(2, false), &bytes, Show::Json);
            assert_eq!((&message.verdict, message.raw_from), (&Verdict::Other, 24));
        }
    }

    /// With a checksum or encrypted, what wraps the arguments is decoded, by call and by reply.
    #[test]
    fn rpcsec_gss_wraps_bodies() {
        for (service, body) in [(2, &[4, 0x0101_0101, 3, 0x0909_0900][..]), (3, &[4, 7])] {
            let credential = words(&[1, 0, 5, service, 4, 0xabab_abab]);
            let header = words(&[7, 0, 2, 100_003, 3, 1, 6, 24]);
            let call = [header, credential, words(&[0, 0]), words(body)].concat();
            let mut dissector = Dissector::new();
            let message = dissector.dissect(&place(1, true), &call, Show::Json);
            assert_eq!(message.verdict, Verdict::Identical);
            assert!(message.credential.unwrap().get().contains("rgc_cred_v1"));
            let reply = [words(&[7, 1, 0, 6, 4, 0xcdcd_cdcd, 0]), words(body)].concat();
            let message = dissector.dissect(&place(2, false), &reply, Show::Json);
            assert_eq!(message.verdict, Verdict::Identical);
        }
        // A context is made by calls of procedure 0.
        let credential = words(&[1, 1, 0, 1, 0]);
        let header = words(&[7, 0, 2, 100_003, 3, 0, 6, 20]);
        let call = [header, credential, words(&[0, 0, 4, 0x0808_0808])].concat();
        let mut dissector = Dissector::new();
        let verdict = dissector.dissect(&place(1, true), &call, Show::Line).verdict;
        assert_eq!(verdict, Verdict::Identical);
        let results = words(&[7, 1, 0, 0, 0, 0, 4, 0x0a0a_0a0a, 0, 0, 128, 0]);
        let verdict = dissector.dissect(&place(2, false), &results, Show::Line).verdict;
        assert_eq!(verdict, Verdict::Identical);
    }

    /// Every prefix and every flipped bit of a message: no panic, and nothing is lost.
    #[test]
    fn damage_is_an_answer() {
        let bytes = call();
        for len in 0..bytes.len() {
            let message =
                Dissector::new().dissect(&place(1, true), &bytes[..len], Show::Json).verdict;
            assert!(matches!(message, Verdict::Refused(_)), "{len}: {message:?}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let verdict = Dissector::new().dissect(&place(1, true), &bytes, Show::Line).verdict;
            assert_ne!(verdict, Verdict::Different, "bit {bit}");
        }
    }

    #[test]
    fn a_failure_of_the_rpc_layer_needs_no_procedure() {
        let mut dissector = Dissector::new();
        let bytes = encoded(&[&|e| e.put(&CallHeader::new::<Null>(7, OpaqueAuth::NONE)).unwrap()]);
        dissector.dissect(&place(1, true), &bytes, Show::Nothing);
        let bytes = encoded(&[&|e| e.put(&ReplyHeader::proc_unavail(7)).unwrap()]);
        let message = dissector.dissect(&place(2, false), &bytes, Show::Nothing);
        assert_eq!(message.verdict, Verdict::Identical);
        assert_eq!(message.failure.as_deref(), Some("the server does not have this procedure"));
    }
}
