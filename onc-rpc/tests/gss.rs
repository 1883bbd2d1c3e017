//! RPCSEC_GSS without sockets: contexts made, used and destroyed; every refusal; every flip and cut.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

mod common;
#[path = "gss_toy/mod.rs"]
mod toy;

use std::collections::BTreeSet;

use common::encode;
use nfswire_rpc::{
    Answer, AuthFlavor, AuthStat, CallFailure, CallHeader, OpaqueAuth, ReplyHeader,
    gss::{
        self, Assertion, AssertionType, BindChannelReply, BindChannelVerifier, BodyError, Call,
        Context, ControlProcedure, CreateArgs, CreateReply, Credential, CredentialBody, Data,
        InitArgs, InitReply, IntegData, Label, LabelFormat, ListArgs, ListItem, ListReply,
        MAX_SEQUENCE, MajorStatus, MultiPrincipal, ProtectError, Protected, Protection, Qop,
        Refusal, ReplyVerifierError, SecurityContext, SecurityError, SequenceError,
        SequenceNumbers, SequenceWindow, Service, Version, gather, header_bytes, protect,
        sign_bind_channel, unprotect, verify_bind_channel_reply, verify_reply, verify_window,
    },
    parse_call, parse_reply,
};
use nfswire_xdr::{
    Array, Cursor, DecodeError, Encoder, ErrorKind, FileRange, Limits, Opaque, Payload, Piece,
    Scattered, Segments,
};
use proptest::prelude::*;
use toy::{
    Client, Entry, HASH, OID, PREFIX, ReadArgs, ReadReply, Server, Toy, decode, denied, failure,
    protected, verifier_flavor,
};

const SERVICES: [Service; 3] = [Service::NONE, Service::INTEGRITY, Service::PRIVACY];
const VERSIONS: [Version; 3] = [Version::V1, Version::V2, Version::V3];

fn garbage(reply: Option<Vec<u8>>) {
    let reply = reply.expect("a reply");
    assert_eq!(failure(&reply), CallFailure::GarbageArgs);
    // It belongs to a call that was verified.
    assert_eq!(verifier_flavor(&reply), Some(AuthFlavor::GSS));
}

#[test]
fn from_init_to_destroy() {
    for version in VERSIONS {
        let mut server = Server::new();
        let mut client = Client::connect(&mut server, version, 0x1234_5678_9abc_def0);
        for service in SERVICES {
            for _ in 0..3 {
                let ran = server.ran;
                let sent = client.read(service);
                let reply = server.serve(&sent.bytes).expect("a reply");
                assert_eq!(server.ran, ran + 1);
                let (eof, data) = client.take(&sent, &reply).unwrap();
                assert_eq!((eof, &data[..]), (false, &server.file[..600]));
                // In clear or not.
                let seen = reply.windows(600).any(|window| window == data);
                assert_eq!(seen, service != Service::PRIVACY);
                // A replay is met with silence.
                assert_eq!(server.serve(&sent.bytes), None);
                let refused = server.refused.unwrap();
                assert!(matches!(refused, Refusal::Sequence(SequenceError::Seen { .. })));
                assert_eq!(server.ran, ran + 1);
            }
        }
        let seq_num = client.numbers.next().unwrap();
        let destroy = ControlProcedure::Destroy;
        let sent = client.call(destroy, Service::INTEGRITY, seq_num, 0, &());
        let reply = server.serve(&sent.bytes).unwrap();
        let call = parse_call(&mut Cursor::new(&sent.bytes)).unwrap();
        let verifier = parse_reply(&mut Cursor::new(&reply)).unwrap().outcome().unwrap();
        assert_eq!(verify_reply(&call, &verifier, &client.security), Ok(client.qop));
        assert!(server.contexts.is_empty());
        let sent = client.read(Service::NONE);
        assert_eq!(denied(server.serve(&sent.bytes)), AuthStat::GSS_CREDPROBLEM);
    }
}

/// Every bit of a call counts: no damaged call runs, whatever the damage, and every one has an answer.
#[test]
fn a_damaged_call_does_not_run() {
    for version in VERSIONS {
        for service in [Service::INTEGRITY, Service::PRIVACY] {
            let mut server = Server::new();
            let mut client = Client::connect(&mut server, version, 77);
            let good = client.read(service).bytes;
            let mut refusals = BTreeSet::new();
            for at in 0..good.len() * 8 {
                let mut bad = good.clone();
                bad[at / 8] ^= 1 << (at % 8);
                let reply = server.serve(&bad);
                // The same call as another flavor is another caller: the null procedure's success.
                let header = parse_call(&mut Cursor::new(&bad));
                let other = header.is_ok_and(|header| header.credential.flavor != AuthFlavor::GSS);
                if let Some(reply) = reply.filter(|_| !other) {
                    let failure = failure(&reply);
                    refusals.insert(format!("{failure}"));
                }
                // A flip that only moves the sequence number must not have moved the window.
                assert_eq!(server.ran, 0, "{version} {service} bit {at}");
            }
            assert!(refusals.len() >= 4, "{refusals:?}");
            for cut in 0..good.len() {
                server.serve(&good[..cut]);
                assert_eq!(server.ran, 0, "{version} {service} cut at {cut}");
                let more = [&good[..cut], &[0; 4], &good[cut..]].concat();
                server.serve(&more);
                assert_eq!(server.ran, 0, "{version} {service} four bytes at {cut}");
            }
        }
    }
}

/// After all the damage, the window is where it was: a flip in the header does not get through.
#[test]
fn a_damaged_header_does_not_move_the_window() {
    let mut server = Server::new();
    let mut client = Client::connect(&mut server, Version::V1, 77);
    let good = client.read(Service::NONE).bytes;
    let header = parse_call(&mut Cursor::new(&good)).unwrap();
    let signed = header_bytes(&good, &header).unwrap().len();
    for at in 0..signed * 8 {
        let mut bad = good.clone();
        bad[at / 8] ^= 1 << (at % 8);
        server.serve(&bad);
        assert_eq!(server.only().context.window.highest(), None, "bit {at}");
    }
    assert!(server.serve(&good).is_some());
    assert_eq!(server.ran, 1);
}

/// A client never believes another result than the server's.
#[test]
fn a_damaged_reply_is_not_believed() {
    for version in VERSIONS {
        for service in [Service::INTEGRITY, Service::PRIVACY] {
            let mut server = Server::new();
            let mut client = Client::connect(&mut server, version, 0xfeed);
            let sent = client.read(service);
            let good = server.serve(&sent.bytes).unwrap();
            let right = client.take(&sent, &good).unwrap();
            let mut bad = good.clone();
            for at in 0..good.len() * 8 {
                bad[at / 8] ^= 1 << (at % 8);
                let taken = client.take(&sent, &bad);
                assert!(taken.is_err(), "{version} {service} bit {at}");
                bad[at / 8] ^= 1 << (at % 8);
            }
            assert_eq!(client.take(&sent, &bad), Ok(right));
            for cut in 0..good.len() {
                assert!(client.take(&sent, &good[..cut]).is_err());
            }
            // The reply to another call.
            let other = client.read(service);
            let reply = server.serve(&other.bytes).unwrap();
            let text = client.take(&sent, &reply).unwrap_err();
            assert_eq!(text, "another call's");
            let mut moved = reply.clone();
            moved[..4].copy_from_slice(&sent.bytes[..4]);
            assert!(client.take(&sent, &moved).is_err());
        }
    }
}

/// From version 3 on a reply is tied to the handle: one to the same number on another child is not
/// believed (RFC 7861, section 2.3). Before, it would have been.
#[test]
fn the_verifier_of_version_3_binds_the_handle() {
    for (version, bound) in [(Version::V2, false), (Version::V3, true)] {
        let mut server = Server::new();
        let mut client = Client::connect(&mut server, version, 5);
        let entry = server.only();
        let child = Entry {
            context: Context::new(version),
            security: entry.security.clone(),
            complete: true,
        };
        server.contexts.insert(b"child".to_vec(), child);
        let sent = client.read(Service::NONE);
        client.handle = b"child".to_vec();
        client.numbers = SequenceNumbers::from(1);
        let other = client.read(Service::NONE);
        let mut reply = server.serve(&other.bytes).unwrap();
        reply[..4].copy_from_slice(&sent.bytes[..4]);
        assert_eq!(client.take(&sent, &reply).is_err(), bound, "{version}");
    }
}

#[test]
fn a_body_of_another_call_is_garbage() {
    let mut server = Server::new();
    let mut client = Client::connect(&mut server, Version::V1, 9);
    for service in [Service::INTEGRITY, Service::PRIVACY] {
        // A body that is genuine, but of the call before.
        let old = client.read(service).bytes;
        let new = client.read(service).bytes;
        let body = |bytes: &[u8]| {
            let mut c = Cursor::new(bytes);
            parse_call(&mut c).unwrap();
            c.position()
        };
        let mixed = [&new[..body(&new)], &old[body(&old)..]].concat();
        garbage(server.serve(&mixed));
        let refused = server.refused.unwrap();
        let Refusal::Body(BodyError::SequenceNumber { body, credential }) = refused else {
            panic!("{refused}");
        };
        assert_eq!(body + 1, credential);
        assert_eq!(server.ran, 0);
        // The number is used up: the right body comes too late.
        assert_eq!(server.serve(&new), None);
    }
}

#[test]
fn protection_must_be_the_headers() {
    let mut server = Server::new();
    let mut client = Client::connect(&mut server, Version::V1, 9);
    for service in [Service::INTEGRITY, Service::PRIVACY] {
        // Header signed by one quality of protection, body by the next.
        let seq_num = client.numbers.next().unwrap();
        let good = client.read(service).bytes;
        let mut c = Cursor::new(&good);
        let header = parse_call(&mut c).unwrap();
        let mut body = [0; 400];
        let credential = client.credential(ControlProcedure::Data, service, seq_num);
        let credential = credential.to_auth(&mut body).unwrap();
        let header = CallHeader { credential, ..header };
        let mut verifier = [0; 400];
        let header = gss::sign(&header, client.qop, &client.security, &mut verifier).unwrap();
        let other = Toy { other_qop: true, ..client.security.clone() };
        let args = 7u32;
        let bytes = protected(&header, &args, (service, seq_num, client.qop), &other).unwrap();
        garbage(server.serve(&bytes));
        let refusal = Refusal::Body(BodyError::Qop { body: Qop(4), header: Qop(3) });
        assert_eq!(server.refused, Some(refusal));
    }
    // A token that was signed only.
    server.only().security.plain = true;
    let sent = client.read(Service::PRIVACY);
    garbage(server.serve(&sent.bytes));
    assert_eq!(server.refused, Some(Refusal::Body(BodyError::NotEncrypted)));
    server.only().security.plain = false;
    // Arguments that are genuine, and wrong: the procedure's own error.
    let seq_num = client.numbers.next().unwrap();
    let sent = client.call(ControlProcedure::Data, Service::PRIVACY, seq_num, 1, &9u32);
    garbage(server.serve(&sent.bytes));
    assert_eq!((server.refused, server.ran), (None, 0));
}

#[test]
fn lengths_that_nest_must_match() {
    let mut server = Server::new();
    let mut client = Client::connect(&mut server, Version::V1, 9);
    let body = |body: &[u8]| {
        let header = CallHeader {
            xid: 7,
            program: 7,
            version: 1,
            procedure: 0,
            credential: OpaqueAuth { flavor: AuthFlavor::GSS, body: Opaque::new(body).unwrap() },
            verifier: OpaqueAuth::NONE,
        };
        encode(&header)
    };
    let good = {
        let mut buffer = [0; 400];
        let credential = client.credential(ControlProcedure::Data, Service::NONE, 5);
        credential.to_auth(&mut buffer).unwrap().body.as_bytes().to_vec()
    };
    assert_eq!(good.len(), 28);
    // Every length of the body but the right one, every length of the handle within.
    for cut in 0..good.len() {
        assert_eq!(denied(server.serve(&body(&good[..cut]))), AuthStat::BAD_CRED, "{cut}");
    }
    for more in 1..9 {
        let longer = [&good[..], &[0; 8][..more]].concat();
        assert_eq!(denied(server.serve(&body(&longer))), AuthStat::BAD_CRED, "{more}");
    }
    for len in (0..64u32).chain([400, 0x7fff_ffff, 0xffff_fffc, 0xffff_ffff]) {
        let mut bad = good.clone();
        bad[16..20].copy_from_slice(&len.to_be_bytes());
        let stat = denied(server.serve(&body(&bad)));
        assert_eq!(stat, if len == 8 { AuthStat::BAD_VERF } else { AuthStat::BAD_CRED }, "{len}");
    }
    // The longest handle makes a body of 400 bytes; one byte more does not fit.
    let long = [1; Credential::MAX_HANDLE + 1];
    for (handle, fits) in [(&long[1..], true), (&long[..], false)] {
        client.handle = handle.to_vec();
        let credential = client.credential(ControlProcedure::Data, Service::NONE, 5);
        let mut buffer = [0; 400];
        assert_eq!(credential.to_auth(&mut buffer).is_some(), fits);
    }
    // 401 bytes on the wire: the field itself is malformed.
    let mut record = body(&[0; 400]);
    record[28..32].copy_from_slice(&401u32.to_be_bytes());
    record.splice(432..432, [0; 4]);
    assert_eq!(denied(server.serve(&record)), AuthStat::BAD_CRED);
    // The wrapped body: databody longer than the message, checksum missing, bytes behind.
    let good = client_body(&mut server);
    for at in [0, 4] {
        for len in [0u32, 3, 4, 5, 400, 0x7fff_ffff, 0xffff_ffff] {
            let mut client = Client::connect(&mut server, Version::V1, 9);
            let sent = client.read(Service::INTEGRITY);
            let mut bytes = sent.bytes.clone();
            let start = bytes.len() - good;
            bytes[start + at..start + at + 4].copy_from_slice(&len.to_be_bytes());
            garbage(server.serve(&bytes));
        }
    }
    assert_eq!(server.ran, 0);
}

/// Length of the wrapped body of a read with integrity.
fn client_body(server: &mut Server) -> usize {
    let mut client = Client::connect(server, Version::V1, 9);
    let sent = client.read(Service::INTEGRITY);
    let mut c = Cursor::new(&sent.bytes);
    parse_call(&mut c).unwrap();
    c.remaining()
}

/// Credentials and verifiers that do not go together, and what they are answered.
#[test]
fn forms_that_are_refused() {
    let null = OpaqueAuth::NONE;
    let mic = OpaqueAuth { flavor: AuthFlavor::GSS, body: Opaque::new(b"mic").unwrap() };
    let full = OpaqueAuth { body: mic.body, ..null };
    let sys = OpaqueAuth { flavor: AuthFlavor::SYS, ..mic };
    let judge = |version, procedure, service, handle: &'static [u8], number, verifier| {
        let handle = Opaque::new(handle).unwrap();
        let body = CredentialBody { procedure, seq_num: 1, service, handle };
        let credential = Credential { version, body };
        let mut buffer = [0; 400];
        let auth = credential.to_auth(&mut buffer).unwrap();
        let header = CallHeader {
            xid: 7,
            program: 7,
            version: 1,
            procedure: number,
            credential: auth,
            verifier,
        };
        let record = encode(&header);
        let header = parse_call(&mut Cursor::new(&record)).unwrap();
        Call::new(&record, header, credential).map(|call| call.procedure())
    };
    use ControlProcedure::{BindChannel, ContinueInit, Create, Data, Destroy, Init, List};
    use Version::{V1, V2, V3};
    let (none, integrity, privacy) = (Service::NONE, Service::INTEGRITY, Service::PRIVACY);
    let channel = Service::CHANNEL_PROT;
    for version in VERSIONS {
        // Creation: any service, no handle at first, procedure 0, no verifier.
        for service in [Service(0), none, Service(99)] {
            assert_eq!(judge(version, Init, service, b"", 0, null), Ok(Init));
            assert_eq!(judge(version, ContinueInit, service, b"h", 0, null), Ok(ContinueInit));
        }
        assert_eq!(judge(version, Init, none, b"h", 0, null), Err(Refusal::Handle));
        for verifier in [mic, full, sys] {
            let expected = Refusal::Verifier { expected: AuthFlavor::NONE };
            assert_eq!(judge(version, Init, none, b"", 0, verifier), Err(expected));
            assert_eq!(judge(version, ContinueInit, none, b"h", 0, verifier), Err(expected));
        }
        for procedure in [Init, ContinueInit, Destroy] {
            let refused = Refusal::NotNull { procedure: 1 };
            assert_eq!(judge(version, procedure, none, b"", 1, null), Err(refused));
        }
        // Data: the services there are, a verifier of the flavor.
        for service in [none, integrity, privacy] {
            assert_eq!(judge(version, Data, service, b"h", 1, mic), Ok(Data));
            for verifier in [null, full, sys] {
                let expected = Refusal::Verifier { expected: AuthFlavor::GSS };
                assert_eq!(judge(version, Data, service, b"h", 1, verifier), Err(expected));
                assert_eq!(judge(version, Destroy, service, b"h", 0, verifier), Err(expected));
            }
        }
        for service in [Service(0), Service(5), Service(u32::MAX)] {
            let refused = Refusal::Service { service };
            assert_eq!(judge(version, Data, service, b"h", 1, mic), Err(refused));
        }
        // What only some versions have.
        let refused = |procedure| Err(Refusal::Procedure { procedure });
        let has = |version| match version {
            V1 => (refused(BindChannel), refused(Create), refused(List)),
            V2 => (Ok(BindChannel), refused(Create), refused(List)),
            V3 => (Err(Refusal::BindChannel), Ok(Create), Ok(List)),
        };
        let (bind, create, list) = has(version);
        assert_eq!(judge(version, BindChannel, none, b"h", 0, mic), bind);
        assert_eq!(judge(version, Create, privacy, b"h", 0, mic), create);
        assert_eq!(judge(version, List, integrity, b"h", 0, mic), list);
        let protected = judge(version, Data, channel, b"h", 1, null);
        let service = Err(Refusal::Service { service: channel });
        assert_eq!(protected, if version == V1 { service } else { Ok(Data) });
    }
    let service = |service| Err(Refusal::Service { service });
    assert_eq!(judge(V2, BindChannel, integrity, b"h", 0, mic), service(integrity));
    assert_eq!(judge(V3, Create, none, b"h", 0, mic), service(none));
    assert_eq!(judge(V3, Create, channel, b"h", 0, null), service(channel));
    assert_eq!(judge(V3, List, none, b"h", 0, mic), service(none));
    assert_eq!(judge(V3, List, channel, b"h", 0, null), Ok(List));
    assert_eq!(
        judge(V2, Data, channel, b"h", 1, mic),
        Err(Refusal::Verifier { expected: AuthFlavor::NONE })
    );
}

/// Each refusal has the answer that the RFCs prescribe.
#[test]
fn answers() {
    let error = DecodeError { kind: ErrorKind::Padding, offset: 0, field: None };
    let missing = ErrorKind::NotHere { needed: 9, here: 1 };
    let missing = DecodeError { kind: missing, ..error };
    let failed = |major| SecurityError::Status(major);
    let no_space = SecurityError::NoSpace { needed: 9 };
    let bad = failed(MajorStatus::BAD_MIC);
    // With a calling error beside it, as a failing library gives it.
    let expired = failed(MajorStatus(MajorStatus::CONTEXT_EXPIRED.0 | 0x0100_0000));
    let denied = |stat| Some(ReplyHeader::auth_error(7, stat));
    let qop = BodyError::Qop { body: Qop(1), header: Qop(0) };
    let number = BodyError::SequenceNumber { body: 1, credential: 2 };
    let seen = SequenceError::Seen { seq_num: 1 };
    let below = SequenceError::BelowWindow { seq_num: 1, lowest: 2 };
    let above = SequenceError::AboveMaximum { seq_num: u32::MAX };
    let (garbage, fault) = (Some(ReplyHeader::garbage_args(7)), Some(ReplyHeader::system_err(7)));
    let procedure = ControlProcedure::List;
    let table = [
        (Refusal::Flavor { flavor: AuthFlavor::SYS }, denied(AuthStat::BAD_CRED)),
        (Refusal::Malformed(error), denied(AuthStat::BAD_CRED)),
        (Refusal::UnknownVersion { version: 4 }, denied(AuthStat::REJECTED_CRED)),
        (Refusal::OtherVersion { version: Version::V1 }, denied(AuthStat::BAD_CRED)),
        (Refusal::Procedure { procedure }, denied(AuthStat::BAD_CRED)),
        (Refusal::Service { service: Service(9) }, denied(AuthStat::BAD_CRED)),
        (Refusal::NotNull { procedure: 1 }, denied(AuthStat::BAD_CRED)),
        (Refusal::Handle, denied(AuthStat::BAD_CRED)),
        (Refusal::Verifier { expected: AuthFlavor::GSS }, denied(AuthStat::BAD_VERF)),
        (Refusal::NoContext, denied(AuthStat::GSS_CREDPROBLEM)),
        (Refusal::Header(bad), denied(AuthStat::GSS_CREDPROBLEM)),
        (Refusal::Header(expired), denied(AuthStat::GSS_CTXPROBLEM)),
        (Refusal::Header(failed(MajorStatus::NO_CONTEXT)), denied(AuthStat::GSS_CREDPROBLEM)),
        (Refusal::Header(no_space), fault),
        (Refusal::OtherMessage, fault),
        (Refusal::Sequence(above), denied(AuthStat::GSS_CTXPROBLEM)),
        (Refusal::Sequence(seen), None),
        (Refusal::Sequence(below), None),
        (Refusal::BindChannel, Some(ReplyHeader::proc_unavail(7))),
        (Refusal::Body(BodyError::Malformed(error)), garbage),
        (Refusal::Body(BodyError::Malformed(missing)), fault),
        (Refusal::Body(BodyError::Security(bad)), garbage),
        (Refusal::Body(BodyError::Security(expired)), garbage),
        (Refusal::Body(BodyError::Security(no_space)), fault),
        (Refusal::Body(number), garbage),
        (Refusal::Body(qop), garbage),
        (Refusal::Body(BodyError::NotEncrypted), garbage),
        (Refusal::ReplyVerifier(bad), denied(AuthStat::GSS_CTXPROBLEM)),
        (Refusal::ReplyBody(bad), None),
        (Refusal::InnerContext, denied(AuthStat(15))),
        (Refusal::Label, denied(AuthStat(16))),
        (Refusal::Privilege, denied(AuthStat(17))),
        (Refusal::UnknownMessage, denied(AuthStat(18))),
    ];
    for (refusal, expected) in table {
        let answer = expected.map_or(Answer::Drop, Answer::Reply);
        assert_eq!(refusal.answer(7), answer, "{refusal}");
        let stat = refusal.auth_stat().map(|stat| ReplyHeader::auth_error(7, stat));
        assert_eq!(stat.is_some(), stat == expected && stat.is_some(), "{refusal}");
        assert!(!refusal.to_string().is_empty());
    }
    let names: Vec<_> = (15..19).map(|value| AuthStat(value).name()).collect();
    let expected = [
        "RPCSEC_GSS_INNER_CREDPROBLEM",
        "RPCSEC_GSS_LABEL_PROBLEM",
        "RPCSEC_GSS_PRIVILEGE_PROBLEM",
        "RPCSEC_GSS_UNKNOWN_MESSAGE",
    ];
    assert_eq!(names, expected.map(Some));
}

#[test]
fn contexts_that_do_not_serve() {
    let mut server = Server::new();
    let mut client = Client::connect(&mut server, Version::V2, 9);
    // Another version than the context's.
    for version in [Version::V1, Version::V3] {
        client.version = version;
        let sent = client.read(Service::NONE);
        assert_eq!(denied(server.serve(&sent.bytes)), AuthStat::BAD_CRED);
        assert_eq!(server.refused, Some(Refusal::OtherVersion { version }));
    }
    client.version = Version::V2;
    // Another key: the handle was given to somebody else.
    let key = core::mem::replace(&mut client.security, Toy::new(8));
    let sent = client.read(Service::NONE);
    assert_eq!(denied(server.serve(&sent.bytes)), AuthStat::GSS_CREDPROBLEM);
    client.security = key;
    // A ticket that expired.
    server.only().security.fails = Some(MajorStatus::CREDENTIALS_EXPIRED);
    let sent = client.read(Service::NONE);
    assert_eq!(denied(server.serve(&sent.bytes)), AuthStat::GSS_CTXPROBLEM);
    server.only().security.fails = None;
    assert!(server.serve(&sent.bytes).is_some());
    // Numbers: the highest is served, those above are not, nor is what falls out of the window.
    client.numbers = SequenceNumbers::from(MAX_SEQUENCE - 1);
    for (seq_num, served) in [(MAX_SEQUENCE - 1, true), (MAX_SEQUENCE, true)] {
        let sent = client.call(ControlProcedure::Data, Service::NONE, seq_num, 0, &());
        assert_eq!(server.serve(&sent.bytes).is_some(), served);
    }
    for seq_num in [MAX_SEQUENCE + 1, u32::MAX] {
        let sent = client.call(ControlProcedure::Data, Service::NONE, seq_num, 0, &());
        assert_eq!(denied(server.serve(&sent.bytes)), AuthStat::GSS_CTXPROBLEM);
    }
    for (seq_num, served) in [(MAX_SEQUENCE - 127, true), (MAX_SEQUENCE - 128, false), (5, false)] {
        let sent = client.call(ControlProcedure::Data, Service::NONE, seq_num, 0, &());
        assert_eq!(server.serve(&sent.bytes).is_some(), served, "{seq_num}");
    }
    // A context that is not complete, and one that is not there, cannot be gone on with.
    client.handle = b"nobody".to_vec();
    let args = InitArgs { token: Opaque::new(b"1").unwrap() };
    let go_on = ControlProcedure::ContinueInit;
    let sent = client.call(go_on, Service::NONE, 0, 0, &args);
    let reply = server.serve(&sent.bytes).unwrap();
    let mut c = Cursor::new(&reply);
    assert_eq!(parse_reply(&mut c).unwrap().outcome(), Ok(OpaqueAuth::NONE));
    assert_eq!(decode(c), Ok(InitReply::failed(MajorStatus::NO_CONTEXT, 0)));
    // A creation request has nothing to verify.
    let header = parse_call(&mut Cursor::new(&sent.bytes)).unwrap();
    let credential = Credential::from_auth(&header.credential, &Limits::STRICT).unwrap();
    let call = Call::new(&sent.bytes, header, credential).unwrap();
    let verified = call.verify(&mut Context::<2>::new(Version::V2), &Toy::new(0));
    assert_eq!(verified.unwrap_err(), Refusal::Procedure { procedure: go_on });
    // A header from elsewhere.
    assert_eq!(Call::new(&sent.bytes[..40], header, credential), Err(Refusal::OtherMessage));
}

#[test]
fn versions_that_nobody_knows() {
    for version in [0u32, 4, 0x8000_0000, u32::MAX] {
        let body = [version, 1, 0, 1, 0].map(u32::to_be_bytes).concat();
        let credential = OpaqueAuth { flavor: AuthFlavor::GSS, body: Opaque::new(&body).unwrap() };
        let refusal = Credential::from_auth(&credential, &Limits::STRICT).unwrap_err();
        assert_eq!(refusal, Refusal::UnknownVersion { version });
        let header = CallHeader {
            xid: 7,
            program: 7,
            version: 1,
            procedure: 0,
            credential,
            verifier: OpaqueAuth::NONE,
        };
        assert_eq!(denied(Server::new().serve(&encode(&header))), AuthStat::REJECTED_CRED);
    }
    let refusal = Credential::from_auth(&OpaqueAuth::TLS, &Limits::STRICT).unwrap_err();
    assert_eq!(refusal, Refusal::Flavor { flavor: AuthFlavor::TLS });
}

/// Version 2: a binding, refused and made; then calls without checksums.
#[test]
fn a_channel_is_bound() {
    let mut server = Server::new();
    let mut client = Client::connect(&mut server, Version::V2, 9);
    let call = |client: &mut Client, prefix: &[u8], oid: &[u8], hash: &[u8]| {
        let seq_num = client.numbers.next().unwrap();
        let control = ControlProcedure::BindChannel;
        let sent = client.call(control, Service::NONE, seq_num, 0, &());
        let header = parse_call(&mut Cursor::new(&sent.bytes)).unwrap();
        let what = (Opaque::new(prefix).unwrap(), Opaque::new(oid).unwrap());
        let mut out = [0; 400];
        let hash = Opaque::new(hash).unwrap();
        let header =
            sign_bind_channel(&header, what, &hash, client.qop, &client.security, &mut out);
        encode(&header.unwrap())
    };
    let check = |client: &Client, sent: &[u8], reply: &[u8], hash: &'static [u8]| {
        let header = parse_call(&mut Cursor::new(sent)).unwrap();
        let verifier = parse_reply(&mut Cursor::new(reply)).unwrap().outcome().unwrap();
        let hash = |_: &BindChannelReply<'_>| Opaque::new(hash).unwrap();
        verify_bind_channel_reply(&header, &verifier, hash, &client.security).map(|reply| {
            match reply {
                BindChannelReply::Ok => Vec::new(),
                BindChannelReply::PrefixNotSupported(list)
                | BindChannelReply::HashNotSupported(list) => {
                    list.iter().map(|item| item.to_vec()).collect()
                }
            }
        })
    };
    // Not bound yet: the service is not there.
    let sent = client.read(Service::CHANNEL_PROT);
    assert_eq!(denied(server.serve(&sent.bytes)), AuthStat::BAD_CRED);
    // A prefix that is not supported: the reply says which is, and is signed.
    let sent = call(&mut client, b"ipsec", OID, HASH);
    let reply = server.serve(&sent).unwrap();
    assert_eq!(check(&client, &sent, &reply, HASH), Ok(vec![PREFIX.to_vec()]));
    assert!(check(&client, &sent, &reply, b"another").is_err());
    // The same for the hash.
    let sent = call(&mut client, PREFIX, b"md5", HASH);
    let reply = server.serve(&sent).unwrap();
    assert_eq!(check(&client, &sent, &reply, HASH), Ok(vec![OID.to_vec()]));
    assert!(!server.only().context.channel_bound);
    // Another channel than the server's.
    let sent = call(&mut client, PREFIX, OID, b"elsewhere");
    assert_eq!(denied(server.serve(&sent)), AuthStat::GSS_CREDPROBLEM);
    // Every bit of the call counts.
    let sent = call(&mut client, PREFIX, OID, HASH);
    for at in 0..sent.len() * 8 {
        let mut bad = sent.clone();
        bad[at / 8] ^= 1 << (at % 8);
        server.serve(&bad);
        assert!(!server.only().context.channel_bound, "bit {at}");
    }
    let reply = server.serve(&sent).unwrap();
    assert!(server.only().context.channel_bound);
    assert_eq!(check(&client, &sent, &reply, HASH), Ok(Vec::new()));
    for at in 0..reply.len() * 8 {
        let mut bad = reply.clone();
        bad[at / 8] ^= 1 << (at % 8);
        let header = parse_reply(&mut Cursor::new(&bad));
        if at >= 96 && header.is_ok_and(|header| header.outcome().is_ok()) {
            assert!(check(&client, &sent, &bad, HASH).is_err(), "bit {at}");
        }
    }
    let sent = client.read(Service::CHANNEL_PROT);
    let reply = server.serve(&sent.bytes).unwrap();
    assert_eq!(verifier_flavor(&reply), Some(AuthFlavor::NONE));
    assert!(client.take(&sent, &reply).is_ok());
    // The lists of a reply may be too long for a verifier.
    let many = [Opaque::new(PREFIX).unwrap(); 30];
    let reply = BindChannelReply::PrefixNotSupported(Array::from_slice(&many).unwrap());
    let sent = call(&mut client, PREFIX, OID, HASH);
    let header = parse_call(&mut Cursor::new(&sent)).unwrap();
    let credential = Credential::from_auth(&header.credential, &Limits::STRICT).unwrap();
    let call = Call::new(&sent, header, credential).unwrap();
    let hash = Opaque::new(HASH).unwrap();
    let mut out = [0; 400];
    let made = call.bind_channel_verifier(reply, &hash, Qop(0), &client.security, &mut out);
    assert_eq!(made.unwrap_err().auth_stat(), Some(AuthStat::GSS_CTXPROBLEM));
    // Malformed: the header is right, the verifier's body is not of its type.
    let asked: BindChannelVerifier<'_> = call.bind_channel(&Limits::STRICT).unwrap();
    assert_eq!(asked.prefix.as_bytes(), PREFIX);
    let verifier = OpaqueAuth { flavor: AuthFlavor::GSS, body: Opaque::new(b"xyz").unwrap() };
    let bad = encode(&CallHeader { verifier, ..header });
    assert_eq!(denied(server.serve(&bad)), AuthStat::BAD_VERF);
    // Version 3 has no such procedure.
    let mut server = Server::new();
    let mut client = Client::connect(&mut server, Version::V3, 9);
    let sent = client.call(ControlProcedure::BindChannel, Service::NONE, 1, 0, &());
    assert_eq!(failure(&server.serve(&sent.bytes).unwrap()), CallFailure::ProcUnavail);
}

/// A call that makes a child, with another context beside the host's: its checksum is over the header
/// that is sent.
fn with_user(
    host: &mut Client,
    (service, seq_num): (Service, u32),
    handle: &[u8],
    security: &Toy,
    args: CreateArgs<'_>,
) -> Vec<u8> {
    let sent = host.call(ControlProcedure::Create, service, seq_num, 0, &args);
    let header = parse_call(&mut Cursor::new(&sent.bytes)).unwrap();
    let signed = [Piece::Here(header_bytes(&sent.bytes, &header).unwrap())];
    let mut mic = [0; 64];
    let len = security.get_mic(Qop(0), &Scattered::new(&signed).unwrap(), &mut mic).unwrap();
    let inner = MultiPrincipal {
        inner_handle: Opaque::new(handle).unwrap(),
        header_mic: Opaque::new(&mic[..len]).unwrap(),
    };
    let args = CreateArgs { multi_principal: Some(inner), ..args };
    protected(&header, &args, (service, seq_num, host.qop), &host.security).unwrap()
}

/// Version 3: a child handle with assertions, of a user on a host.
#[test]
fn a_child_is_made() {
    let mut server = Server::new();
    let mut host = Client::connect(&mut server, Version::V3, 9);
    let user = Client::connect(&mut server, Version::V3, 10);
    let format = LabelFormat { format: 2, policy: 3 };
    let label = Label { format, label: Opaque::new(b"secret").unwrap() };
    let other = Opaque::new(b"what is this").unwrap();
    let assertions = [Assertion::Label(label), Assertion::Extension(AssertionType(70), other)];
    let assertions = Array::from_slice(&assertions).unwrap();
    let args = CreateArgs { multi_principal: None, channel_binding: None, assertions };
    let create = ControlProcedure::Create;

    let sent = host.call(create, Service::PRIVACY, 1, 0, &args);
    let reply = server.serve(&sent.bytes).unwrap();
    let mut c = Cursor::new(&reply);
    let verifier = parse_reply(&mut c).unwrap().outcome().unwrap();
    let header = parse_call(&mut Cursor::new(&sent.bytes)).unwrap();
    let qop = verify_reply(&header, &verifier, &host.security).unwrap();
    let mut scratch = vec![0; c.remaining()];
    let results = unprotect(Service::PRIVACY, 1, qop, c, &host.security, &mut scratch).unwrap();
    let results: CreateReply<'_> = decode(results).unwrap();
    assert_eq!(results.assertions, assertions);
    // The child signs as its parent does, and has numbers of its own.
    let parent = core::mem::replace(&mut host.handle, results.handle.to_vec());
    host.numbers = SequenceNumbers::from(1);
    let sent = host.read(Service::INTEGRITY);
    let reply = server.serve(&sent.bytes).unwrap();
    assert!(host.take(&sent, &reply).is_ok());
    host.handle = parent;

    // A user beside the host.
    let sent = with_user(&mut host, (Service::PRIVACY, 2), &user.handle, &user.security, args);
    let reply = server.serve(&sent).unwrap();
    assert!(parse_reply(&mut Cursor::new(&reply)).unwrap().outcome().is_ok());
    let sent = with_user(&mut host, (Service::INTEGRITY, 3), &user.handle, &user.security, args);
    assert_eq!(denied(server.serve(&sent)), AuthStat::BAD_CRED);
    let sent = with_user(&mut host, (Service::PRIVACY, 4), b"nobody", &user.security, args);
    assert_eq!(denied(server.serve(&sent)), AuthStat::GSS_INNER_CREDPROBLEM);
    let sent = with_user(&mut host, (Service::PRIVACY, 5), &user.handle, &Toy::new(11), args);
    assert_eq!(denied(server.serve(&sent)), AuthStat::GSS_INNER_CREDPROBLEM);

    // What can be asserted.
    let what = [ListItem::LABELS];
    let args = ListArgs { what: Array::from_slice(&what).unwrap() };
    let sent = host.call(ControlProcedure::List, Service::INTEGRITY, 50, 0, &args);
    let reply = server.serve(&sent.bytes).unwrap();
    let mut c = Cursor::new(&reply);
    parse_reply(&mut c).unwrap();
    let results = unprotect(Service::INTEGRITY, 50, host.qop, c, &host.security, &mut []).unwrap();
    let results: ListReply<'_> = decode(results).unwrap();
    assert_eq!(results.len(), 1);
}

/// Integrity leaves payloads where they are, on both sides.
#[test]
fn payloads_are_not_copied() {
    let security = Toy::new(3);
    let file = vec![0x5a; 1 << 20];
    let reply = ReadReply { eof: true, data: Payload::Borrowed(&file) };
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&Data { seq_num: 9, value: &reply }).unwrap();
    e.finish();
    let body = segments.view(&head[..]);
    let mut pieces = [Piece::Elsewhere(0); 4];
    let body = gather(&body, &mut pieces).unwrap();
    let mut mic = [0; 12];
    let wrapped = protect(Protection::Integrity, body, Qop(0), &security, &mut mic).unwrap();
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&wrapped).unwrap();
    e.finish();
    assert_eq!(segments.stats().copied, 0);
    let message = segments.view(&head[..]);
    let there = message.iter().any(|chunk| {
        matches!(chunk, nfswire_xdr::Chunk::Bytes(bytes) if bytes.as_ptr() == file.as_ptr())
    });
    assert!(there);
    let received = message.to_vec().unwrap();
    assert_eq!(received.len(), 4 + 12 + file.len() + 4 + 12);
    let c = Cursor::new(&received);
    let mut results = None;
    let counted = allocation_counter::measure(|| {
        results = Some(unprotect(Service::INTEGRITY, 9, Qop(0), c, &security, &mut []));
    });
    assert_eq!(counted.count_total, 0);
    let results: ReadReply<'_> = decode(results.unwrap().unwrap()).unwrap();
    let data = results.data.as_slice().unwrap();
    assert!(received.as_ptr_range().contains(&data.as_ptr()));
    assert_eq!(data, file);

    // While it is still on the wire it cannot be verified: that is nobody's fault.
    for here in [0, 4, 100, 1 << 20] {
        let len = u32::try_from(received.len()).unwrap();
        let c = Cursor::head(&received[..here], len, &Limits::STRICT);
        let error = unprotect(Service::INTEGRITY, 9, Qop(0), c, &security, &mut []).unwrap_err();
        assert!(error.is_ours(), "{error}");
    }
    let sealed = match protect(Protection::Privacy, body, Qop(0), &security, &mut [0; 9]) {
        Err(SecurityError::NoSpace { needed }) => {
            let mut out = vec![0; needed];
            match protect(Protection::Privacy, body, Qop(0), &security, &mut out).unwrap() {
                Protected::Privacy(data) => encode(&data),
                Protected::Integrity(_) => panic!("not asked for"),
            }
        }
        other => panic!("{other:?}"),
    };
    let len = u32::try_from(sealed.len()).unwrap();
    let c = Cursor::head(&sealed[..40], len, &Limits::STRICT);
    let mut scratch = vec![0; sealed.len()];
    let error = unprotect(Service::PRIVACY, 9, Qop(0), c, &security, &mut scratch).unwrap_err();
    assert!(error.is_ours(), "{error}");
    let c = Cursor::new(&sealed);
    let error = unprotect(Service::PRIVACY, 9, Qop(0), c, &security, &mut [0; 9]).unwrap_err();
    assert!(error.is_ours(), "{error}");
    let results = unprotect(Service::PRIVACY, 9, Qop(0), c, &security, &mut scratch).unwrap();
    assert_eq!(decode::<ReadReply<'_>>(results).unwrap(), reply);
}

/// D1: from a record to verified arguments and the reply's verifier without any memory of its own.
#[test]
fn nothing_is_allocated() {
    let mut server = Server::new();
    for version in VERSIONS {
        let mut client = Client::connect(&mut server, version, 9);
        for service in SERVICES {
            let record = client.read(service).bytes;
            let mut context = Context::<2>::new(version);
            let (mut scratch, mut verifier) = ([0; 200], [0; 400]);
            let mut read = None;
            let counted = allocation_counter::measure(|| {
                let mut c = Cursor::new(&record);
                let header = parse_call(&mut c).unwrap();
                let credential = toy::POLICY.credential(&header, &Limits::STRICT);
                let Ok(nfswire_rpc::Credential::Gss(credential)) = credential else { return };
                let call = Call::new(&record, header, credential).unwrap();
                let verified = call.verify(&mut context, &client.security).unwrap();
                let args = verified.arguments(c, &client.security, &mut scratch).unwrap();
                read = decode::<ReadArgs<'_>>(args).ok().map(|args| args.count);
                verified.reply_verifier(&client.security, &mut verifier).unwrap();
            });
            assert_eq!((counted.count_total, read), (0, Some(600)));
        }
    }
}

#[test]
fn what_cannot_be_protected() {
    let range = FileRange { token: 1, offset: 0, len: 8 };
    let reply = ReadReply { eof: true, data: Payload::File(range) };
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&Data { seq_num: 9, value: &reply }).unwrap();
    e.finish();
    let body = segments.view(&head[..]);
    let error = gather(&body, &mut [Piece::Elsewhere(0); 4]).unwrap_err();
    assert_eq!(error, ProtectError::File);
    let needed = body.count();
    let error = gather(&body, &mut vec![Piece::Elsewhere(0); needed - 1]).unwrap_err();
    assert_eq!(error, ProtectError::Pieces { needed });
    // A security context that claims more than there is room for.
    struct Liar;
    impl SecurityContext for Liar {
        fn verify_mic(&self, _: &Scattered<'_>, _: &[u8]) -> Result<Qop, SecurityError> {
            Ok(Qop(0))
        }
        fn get_mic(
            &self,
            _: Qop,
            _: &Scattered<'_>,
            out: &mut [u8],
        ) -> Result<usize, SecurityError> {
            Ok(out.len() + 1)
        }
        fn wrap(&self, _: Qop, _: &Scattered<'_>, _: &mut [u8]) -> Result<usize, SecurityError> {
            Ok(usize::MAX)
        }
        fn unwrap(&self, _: &[u8], _: &mut [u8]) -> Result<gss::Unwrapped, SecurityError> {
            Ok(gss::Unwrapped { len: usize::MAX, qop: Qop(0), encrypted: true })
        }
    }
    let pieces = [Piece::Here(b"body")];
    let body = Scattered::new(&pieces).unwrap();
    let failure = SecurityError::Status(MajorStatus::FAILURE);
    for protection in [Protection::Integrity, Protection::Privacy] {
        let mut out = [0; 64];
        let made = protect(protection, body, Qop(0), &Liar, &mut out);
        assert_eq!(made, Err(failure));
    }
    assert_eq!(gss::window_verifier(128, &Liar, &mut [0; 400]), Err(failure));
    let sealed = encode(&gss::PrivData { body: Payload::Borrowed(b"body") });
    let c = Cursor::new(&sealed);
    let error = unprotect(Service::PRIVACY, 1, Qop(0), c, &Liar, &mut [0; 64]).unwrap_err();
    assert_eq!(error, BodyError::Security(failure));
    // An empty body has no sequence number.
    let data = IntegData { body: Payload::default(), checksum: Opaque::default() };
    let bytes = encode(&data);
    let c = Cursor::new(&bytes);
    let error = unprotect(Service::INTEGRITY, 1, Qop(0), c, &Liar, &mut []).unwrap_err();
    assert!(matches!(error, BodyError::Malformed(_)));
}

#[test]
fn verifiers_of_creation_replies() {
    let security = Toy::new(3);
    let mut out = [0; 400];
    let right = gss::window_verifier(128, &security, &mut out).unwrap();
    let mut reply = InitReply::failed(MajorStatus::COMPLETE, 0);
    reply.seq_window = 128;
    assert_eq!(verify_window(&reply, &right, &security), Ok(()));
    let (flavor, expected) = (AuthFlavor::NONE, AuthFlavor::GSS);
    let error = ReplyVerifierError::Flavor { flavor, expected };
    assert_eq!(verify_window(&reply, &OpaqueAuth::NONE, &security), Err(error));
    reply.seq_window = 129;
    assert!(verify_window(&reply, &right, &security).is_err());
    for major in [MajorStatus::CONTINUE_NEEDED, MajorStatus::FAILURE] {
        let reply = InitReply { major, ..reply };
        assert_eq!(verify_window(&reply, &OpaqueAuth::NONE, &security), Ok(()));
        let error = ReplyVerifierError::Flavor { flavor: AuthFlavor::GSS, expected: flavor };
        assert_eq!(verify_window(&reply, &right, &security), Err(error));
        assert!(verify_window(&reply, &OpaqueAuth::STARTTLS, &security).is_err());
    }
    assert!(!MajorStatus::CONTINUE_NEEDED.is_error() && !MajorStatus(0x1f).is_error());
    assert!(MajorStatus::FAILURE.is_error() && MajorStatus(0x0100_0000).is_error());
}

/// The window against a set of all numbers that were accepted.
#[derive(Default)]
struct Model {
    seen: BTreeSet<u32>,
}

impl Model {
    fn accept(&mut self, seq_num: u32, size: u32) -> Result<(), SequenceError> {
        if seq_num > MAX_SEQUENCE {
            return Err(SequenceError::AboveMaximum { seq_num });
        }
        if let Some(highest) = self.seen.last() {
            let lowest = (highest + 1).saturating_sub(size);
            if seq_num < lowest {
                return Err(SequenceError::BelowWindow { seq_num, lowest });
            }
        }
        if !self.seen.insert(seq_num) {
            return Err(SequenceError::Seen { seq_num });
        }
        Ok(())
    }
}

fn compare<const WORDS: usize>(numbers: &[u32]) {
    let mut window = SequenceWindow::<WORDS>::default();
    let mut model = Model::default();
    for number in numbers {
        let size = window.size();
        assert_eq!(window.check(*number), window.clone().accept(*number));
        let before = window.clone();
        let expected = model.accept(*number, size);
        assert_eq!(window.accept(*number), expected, "{number} of {numbers:?}");
        if expected.is_err() {
            assert_eq!(window, before);
        }
        assert_eq!(window.highest(), model.seen.last().copied());
    }
}

proptest! {
    #[test]
    fn the_window_is_a_set(
        start in prop_oneof![0u32..300, MAX_SEQUENCE - 300..MAX_SEQUENCE + 2],
        steps in prop::collection::vec((0u32..300, prop::bool::ANY, 0u32..8), 1..200),
    ) {
        let mut at = start;
        let mut numbers = vec![start];
        for (step, up, far) in steps {
            let step = if far == 0 { step } else { step % 9 };
            at = if up { at.saturating_add(step) } else { at.saturating_sub(step) };
            numbers.push(at);
        }
        compare::<1>(&numbers);
        compare::<2>(&numbers);
        compare::<3>(&numbers);
    }

    #[test]
    fn any_body_is_unwrapped_or_refused(
        bytes in prop::collection::vec(prop_oneof![2 => Just(0), 1 => 0u8..20, 1 => any::<u8>()], 0..40),
        service in 0u32..6,
        version in 0usize..3,
    ) {
        // Behind a header that is genuine.
        let mut server = Server::new();
        let mut client = Client::connect(&mut server, VERSIONS[version], 9);
        let seq_num = client.numbers.next().unwrap();
        let call = client.call(ControlProcedure::Data, Service::NONE, seq_num, 1, &());
        let header = parse_call(&mut Cursor::new(&call.bytes)).unwrap();
        let mut body = [0; 400];
        let credential = client.credential(ControlProcedure::Data, Service(service), seq_num);
        let credential = credential.to_auth(&mut body).unwrap();
        let header = CallHeader { credential, ..header };
        let mut verifier = [0; 400];
        let header = gss::sign(&header, client.qop, &client.security, &mut verifier).unwrap();
        let record = [&encode(&header)[..], &bytes].concat();
        prop_assert!(server.serve(&record).is_some());
        let read = decode::<ReadArgs<'_>>(Cursor::new(&bytes)).is_ok();
        prop_assert_eq!(server.ran, u32::from(service == 1 && read));
    }
}
