//! RPCSEC_GSS without sockets: contexts made, used, bound and destroyed; every flip and cut.
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
    AuthFlavor, AuthStat, CallFailure, CallHeader, OpaqueAuth,
    gss::{
        self, Assertion, AssertionType, BindChannelReply, BindChannelVerifier, BodyError, Call,
        Context, ControlProcedure, CreateArgs, CreateReply, Credential, Label, LabelFormat,
        ListArgs, ListItem, ListReply, MultiPrincipal, Qop, Refusal, SecurityContext,
        SequenceError, SequenceNumbers, SequenceWindow, Service, Version, header_bytes,
        sign_bind_channel, unprotect, verify_bind_channel_reply, verify_reply,
    },
    parse_call, parse_reply,
};
use nfswire_xdr::{Array, Cursor, Limits, Opaque, Piece, Scattered};
use proptest::prelude::*;
use toy::{
    Client, Entry, HASH, OID, PREFIX, ReadArgs, Server, Toy, decode, denied, failure, protected,
    verifier_flavor,
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
            // Each on a context of its own: a body that was refused has used its number up.
            let fresh = |server: &mut Server| {
                server.only().context.window = SequenceWindow::default();
            };
            for at in 0..good.len() * 8 {
                let mut bad = good.clone();
                bad[at / 8] ^= 1 << (at % 8);
                fresh(&mut server);
                let reply = server.serve(&bad);
                // The same call as another flavor is another caller: the null procedure's success.
                let header = parse_call(&mut Cursor::new(&bad));
                let other = header.is_ok_and(|header| header.credential.flavor != AuthFlavor::GSS);
                if let Some(reply) = reply.filter(|_| !other) {
                    let failure = failure(&reply);
                    refusals.insert(format!("{failure}"));
                }
                assert_eq!(server.ran, 0, "{version} {service} bit {at}");
            }
            assert!(refusals.len() >= 4, "{refusals:?}");
            for cut in 0..=good.len() {
                if cut < good.len() {
                    fresh(&mut server);
                    server.serve(&good[..cut]);
                    assert_eq!(server.ran, 0, "{version} {service} cut at {cut}");
                }
                let more = [&good[..cut], &[0; 4], &good[cut..]].concat();
                fresh(&mut server);
                server.serve(&more);
                assert_eq!(server.ran, 0, "{version} {service} four bytes at {cut}");
            }
            fresh(&mut server);
            assert!(server.serve(&good).is_some());
            assert_eq!(server.ran, 1);
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
        let Refusal::Body(BodyError::SequenceNumber { body: within, credential }) = refused else {
            panic!("{refused}");
        };
        assert_eq!(within + 1, credential);
        assert_eq!(server.ran, 0);
        // The number is used up: the right body comes too late.
        assert_eq!(server.serve(&new), None);
        // The same with the body of the call behind it.
        let next = client.read(service).bytes;
        let mixed = [&old[..body(&old)], &next[body(&next)..]].concat();
        garbage(server.serve(&mixed));
        assert_eq!(server.ran, 0);
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
    // A verifier where there must be none.
    let mut other = [0; 400];
    let other = gss::window_verifier(1, &client.security, &mut other).unwrap();
    let header = parse_call(&mut Cursor::new(&sent.bytes)).unwrap();
    for verifier in [other, OpaqueAuth::STARTTLS] {
        assert!(verify_reply(&header, &verifier, &client.security).is_err());
    }
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
    // Nor is one with something behind it.
    let longer = [header.verifier.body.as_bytes(), &[0; 4]].concat();
    let verifier = OpaqueAuth { body: Opaque::new(&longer).unwrap(), ..verifier };
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

proptest! {
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
