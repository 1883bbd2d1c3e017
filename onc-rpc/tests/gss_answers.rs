//! RPCSEC_GSS: every form that is refused, and what each refusal is answered with.
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

use common::encode;
use nfswire_rpc::{
    Answer, AuthFlavor, AuthStat, CallHeader, OpaqueAuth, ReplyHeader,
    gss::{
        BodyError, Call, Context, ControlProcedure, Credential, CredentialBody, InitArgs,
        InitReply, MAX_SEQUENCE, MajorStatus, Qop, Refusal, SecurityError, SequenceError,
        SequenceNumbers, Service, Version,
    },
    parse_call, parse_reply,
};
use nfswire_xdr::{Cursor, DecodeError, ErrorKind, Limits, Opaque};
use toy::{Client, Server, Toy, decode, denied};

const VERSIONS: [Version; 3] = [Version::V1, Version::V2, Version::V3];

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
