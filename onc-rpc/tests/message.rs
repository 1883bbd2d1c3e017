//! Calls judged, replies made and read: cases B14 to B19, and every arm.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

mod common;

use common::case;
use nfswire_rpc::{
    AcceptStat, Answer, AuthFlavor, AuthStat, AuthSys, CallError, CallFailure, CallHeader,
    Credential, Groups, MessageBody, OpaqueAuth, Procedure, RecordBuffer, RecordMark, ReplyBody,
    ReplyError, ReplyHeader, RpcMessage, TooManyGroups, args_error, credential, parse_call,
    parse_reply,
};
use nfswire_xdr::{
    Cursor, DecodeError, Encode, Encoder, ErrorKind, Limits, Opaque, Segments, Text, from_bytes,
};
use proptest::prelude::*;

fn encode<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    e.finish();
    let bytes = segments.view(&head[..]).to_vec().unwrap();
    assert_eq!(bytes.len() as u64, value.encoded_len());
    assert!(bytes.len() as u64 >= T::MIN_LEN.into() && bytes.len() as u64 <= T::MAX_LEN.into());
    // The same word by word, over pages.
    let mut pages = vec![[0xeeu8; 4]; bytes.len() / 4 + 1];
    let mut refs: Vec<&mut [u8]> = pages.iter_mut().map(|page| &mut page[..]).collect();
    let mut e = Encoder::pages(&mut refs, &mut segments);
    e.put(value).unwrap();
    e.finish();
    assert_eq!(pages.concat()[..bytes.len()], bytes);
    bytes
}

fn record<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mark = RecordMark::reserve(&mut e).unwrap();
    e.put(value).unwrap();
    mark.close(&mut e).unwrap();
    e.finish();
    segments.view(&head[..]).to_vec().unwrap()
}

/// A server of program 100003 version 3 with a null procedure, over a stream: what it sends, and how
/// many calls it ran. `None` when it closes the connection.
fn serve(stream: &[u8]) -> (Option<Vec<u8>>, u32) {
    let mut receive = RecordBuffer::default();
    let (mut sent, mut ran) = (Vec::new(), 0);
    receive.spare()[..stream.len()].copy_from_slice(stream);
    receive.filled(stream.len()).unwrap();
    loop {
        let Ok(next) = receive.next_record() else { return (None, ran) };
        let Some(message) = next else { return (Some(sent), ran) };
        let reply = match parse_call(&mut Cursor::new(message)) {
            Ok(call) => match credential(&call.credential) {
                Err(stat) => ReplyHeader::auth_error(call.xid, stat),
                Ok(_) if call.program != 100_003 => ReplyHeader::prog_unavail(call.xid),
                Ok(_) if call.version != 3 => ReplyHeader::prog_mismatch(call.xid, 3, 3),
                Ok(_) if call.procedure != 0 => ReplyHeader::proc_unavail(call.xid),
                Ok(_) => {
                    ran += 1;
                    ReplyHeader::success(call.xid)
                }
            },
            Err(error) => match error.answer() {
                Answer::Reply(reply) => reply,
                Answer::Drop => continue,
                Answer::Close => return (None, ran),
            },
        };
        sent.extend(record(&reply));
    }
}

#[test]
fn b15_to_b18_calls_get_their_replies() {
    for (call, reply) in [
        ("B15a", "B15b"),
        ("B15c", "B15d"),
        ("B16a", "B16b"),
        ("B16c", "B16d"),
        ("B17b", "B17c"),
        ("B18a", "B18d"),
    ] {
        assert_eq!(serve(&case(call)), (Some(case(reply)), 0), "{call}");
    }
    // Cut credentials: the same reply as for one that is too long.
    for (call, xid) in [("B18b", 0x4e46_531c), ("B18c", 0x4e46_531d)] {
        let reply = record(&ReplyHeader::auth_error(xid, AuthStat::BAD_CRED));
        assert_eq!(serve(&case(call)), (Some(reply), 0), "{call}");
    }
}

#[test]
fn b14_a_reply_in_one_piece_and_behind_a_mark() {
    let stream = case("B14a");
    let mut receive = RecordBuffer::default();
    receive.spare()[..stream.len()].copy_from_slice(&stream);
    receive.filled(stream.len()).unwrap();
    let message = receive.next_record().unwrap().unwrap();
    let mut c = Cursor::new(message);
    let header = parse_reply(&mut c).unwrap();
    assert_eq!(header, ReplyHeader::success(0x4e46_5314));
    assert_eq!(header.outcome(), Ok(OpaqueAuth::NONE));
    let results = c.rest();

    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mark = RecordMark::reserve(&mut e).unwrap();
    e.put(&header).unwrap();
    // Everything up to the data's length word, then the data by reference.
    for word in results[..results.len() - 12].chunks(4) {
        e.put(&u32::from_be_bytes(*word.first_chunk().unwrap())).unwrap();
    }
    e.put(&nfswire_xdr::Payload::from(&results[results.len() - 8..])).unwrap();
    assert_eq!(mark.close(&mut e), Ok(52));
    assert_eq!(e.finish(), 56);
    assert_eq!(segments.view(&head[..]).to_vec().unwrap(), stream);
}

#[test]
fn records_follow_each_other_in_one_encoder() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    for xid in 1..=3 {
        let mark = RecordMark::reserve(&mut e).unwrap();
        e.put(&ReplyHeader::success(xid)).unwrap();
        assert_eq!(mark.close(&mut e), Ok(24));
    }
    // A record that was rolled back cannot be closed.
    let before = e.mark();
    let mark = RecordMark::reserve(&mut e).unwrap();
    e.rollback(before).unwrap();
    assert_eq!(mark.close(&mut e), Err(nfswire_xdr::EncodeError::Stale));
    e.finish();
    let expected: Vec<u8> = (1..=3).flat_map(|xid| record(&ReplyHeader::success(xid))).collect();
    assert_eq!(segments.view(&head[..]).to_vec().unwrap(), expected);
}

#[test]
fn a_record_too_long_for_its_mark_is_refused() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mark = RecordMark::reserve(&mut e).unwrap();
    let file = nfswire_xdr::FileRange { token: 1, offset: 0, len: 0x7fff_fffc };
    e.put(&nfswire_xdr::Payload::from(file)).unwrap();
    let error = nfswire_xdr::EncodeError::TooLong { len: 0x8000_0000, limit: 0x7fff_ffff };
    assert_eq!(mark.close(&mut e), Err(error));
}

#[test]
fn b19_a_stray_reply_is_dropped_and_the_call_behind_it_answered() {
    let reply = record(&ReplyHeader::success(0x4e46_5301));
    assert_eq!(serve(&case("B19a")), (Some(reply), 1));
}

#[test]
fn b15e_a_mismatch_without_its_range_is_short() {
    let message = case("B15e");
    let error = from_bytes::<RpcMessage<'_>>(&message).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Short { needed: 4, left: 0 }, 24));
    let error = parse_reply(&mut Cursor::new(&message)).unwrap_err();
    assert!(matches!(error, ReplyError::Malformed { xid: Some(0x4e46_5315), .. }), "{error}");
    assert!(!error.is_not_here());
}

#[test]
fn b17_sixteen_groups_and_no_more() {
    let call = case("B17a");
    let call = parse_call(&mut Cursor::new(&call[4..])).unwrap();
    let Ok(Credential::Sys(sys)) = credential(&call.credential) else {
        panic!("{:?}", call.credential)
    };
    assert_eq!(sys.machine_name.to_str(), Ok("client1"));
    assert_eq!((sys.stamp, sys.uid, sys.gid), (1, 1000, 1000));
    assert_eq!(sys.gids.as_slice(), (0x64..=0x73).collect::<Vec<u32>>());
    // Back again.
    let mut body = [0xee; AuthSys::MAX_BODY];
    assert_eq!(sys.to_auth(&mut body), call.credential);

    let many: Vec<u32> = (0..21).collect();
    let error = Groups::new(&many).unwrap_err();
    assert_eq!(error, TooManyGroups { groups: 21 });
    assert!(error.to_string().contains("21 supplementary groups"));
    assert_eq!(Groups::truncated(&many).as_slice(), &many[..16]);
    assert_eq!(Groups::new(&many[..16]), Ok(Groups::truncated(&many)));

    let call = case("B17b");
    let call = parse_call(&mut Cursor::new(&call[4..])).unwrap();
    let error = AuthSys::from_auth(&call.credential).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooMany { count: 17, limit: 16 });
    assert_eq!(error.to_string(), "authsys_parms.gids at byte 24: 17 elements, at most 16 allowed");
}

#[test]
fn the_longest_credential_fits() {
    let name = [b'n'; 255];
    let sys = AuthSys {
        stamp: u32::MAX,
        machine_name: Text::new(&name).unwrap(),
        uid: u32::MAX,
        gid: u32::MAX,
        gids: Groups::truncated(&[u32::MAX; 16]),
    };
    let mut body = [0; AuthSys::MAX_BODY];
    let auth = sys.to_auth(&mut body);
    assert_eq!(auth.body.as_bytes().len(), AuthSys::MAX_BODY);
    assert_eq!(credential(&auth), Ok(Credential::Sys(sys)));
    assert_eq!(encode(&sys), auth.body.as_bytes());
}

#[test]
fn a_credential_is_what_its_body_holds_and_nothing_else() {
    let call = case("B17a");
    let call = parse_call(&mut Cursor::new(&call[4..])).unwrap();
    let body = call.credential.body.as_bytes();
    let read = |flavor, body: &[u8]| {
        credential(&OpaqueAuth { flavor, body: Opaque::new(body).unwrap() }).map(drop)
    };
    assert_eq!(read(AuthFlavor::SYS, body), Ok(()));
    for len in 0..body.len() {
        assert_eq!(read(AuthFlavor::SYS, &body[..len]), Err(AuthStat::BAD_CRED), "{len} bytes");
    }
    for more in 1..9 {
        let longer = [body, &[0; 8][..more]].concat();
        assert_eq!(read(AuthFlavor::SYS, &longer), Err(AuthStat::BAD_CRED), "{more} bytes more");
    }
    assert_eq!(read(AuthFlavor::NONE, b""), Ok(()));
    assert_eq!(read(AuthFlavor::NONE, b"ignored"), Ok(()));
    for flavor in [2, 3, 4, 5, 6, 7, 8, 300_001, 390_003, u32::MAX] {
        assert_eq!(read(AuthFlavor(flavor), body), Err(AuthStat::BAD_CRED), "flavor {flavor}");
    }
}

/// Words as they travel.
fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[test]
fn calls_are_judged_in_order() {
    let call =
        |message: &[u32]| parse_call(&mut Cursor::new(&words(message))).map(drop).unwrap_err();
    let good = [7, 0, 2, 100_003, 3, 1, 0, 0, 0, 0];
    assert!(parse_call(&mut Cursor::new(&words(&good))).is_ok());
    // Nothing that could be answered.
    for len in 0..6 {
        let error = call(&good[..len]);
        assert!(matches!(error, CallError::Header(_)), "{len} words: {error}");
        assert_eq!(error.answer(), Answer::Close);
    }
    assert_eq!(call(&[7, 2]), CallError::MessageType { xid: 7, message_type: 2 });
    assert_eq!(call(&[7, 2]).answer(), Answer::Close);
    assert_eq!(call(&[7, 1]), CallError::Reply { xid: 7 });
    assert_eq!(call(&[7, 1, 0, 0, 0, 0]).answer(), Answer::Drop);
    // The version is judged before anything behind it, even before that is there.
    for more in [&[][..], &[100_003], &[9, 9, 9, 1, 401]] {
        let error = call(&[&[7, 0, 4], more].concat());
        assert_eq!(error, CallError::RpcVersion { xid: 7, rpc_version: 4 });
        assert_eq!(error.answer(), Answer::Reply(ReplyHeader::rpc_mismatch(7)));
    }
    // Credential before verifier.
    for message in
        [&good[..6], &good[..7], &[7, 0, 2, 1, 1, 1, 1, 401], &[7, 0, 2, 1, 1, 1, 1, 8, 0]]
    {
        let error = call(message);
        assert!(matches!(error, CallError::Credential { xid: 7, .. }), "{error}");
        let reply = ReplyHeader::auth_error(7, AuthStat::BAD_CRED);
        assert_eq!(error.answer(), Answer::Reply(reply));
    }
    for message in [
        &good[..8],
        &good[..9],
        &[7, 0, 2, 1, 1, 1, 0, 0, 0, 401],
        &[7, 0, 2, 1, 1, 1, 0, 0, 0, 1, 1],
    ] {
        let error = call(message);
        assert!(matches!(error, CallError::Verifier { xid: 7, .. }), "{error}");
        let reply = ReplyHeader::auth_error(7, AuthStat::BAD_VERF);
        assert_eq!(error.answer(), Answer::Reply(reply));
    }
    let error = call(&[7, 0, 2, 1, 1, 1, 1, 401]);
    let text = "the credential of call 0x00000007 is malformed: opaque_auth.body at byte 28: \
                401 bytes long, at most 400 allowed; answer AUTH_BADCRED";
    assert_eq!(error.to_string(), text);
}

/// Bytes that are still to come are not held against the client.
#[test]
fn calls_that_are_not_here_yet() {
    let message = words(&[7, 0, 2, 100_003, 3, 1, 1, 8, 1, 2, 0, 0]);
    let len = u32::try_from(message.len()).unwrap();
    for here in 0..message.len() {
        let mut c = Cursor::head(&message[..here], len, &Limits::STRICT);
        let error = parse_call(&mut c).unwrap_err();
        assert!(error.is_not_here(), "{here} bytes: {error}");
        let answer = match here {
            0..24 => Answer::Close,
            _ => Answer::Reply(ReplyHeader::system_err(7)),
        };
        assert_eq!(error.answer(), answer, "{here} bytes");
        let cut = parse_call(&mut Cursor::new(&message[..here])).unwrap_err();
        assert!(!cut.is_not_here());
    }
    assert!(parse_call(&mut Cursor::head(&message, len, &Limits::STRICT)).is_ok());
}

struct Write;

impl Procedure for Write {
    const PROGRAM: u32 = 100_003;
    const VERSION: u32 = 3;
    const NUMBER: u32 = 7;
    const NAME: &'static str = "NFSPROC3_WRITE";
    type Args<'a> = Opaque<'a, 8>;
    type Reply<'a> = u32;
}

#[test]
fn a_call_goes_out_and_comes_in() {
    let mut body = [0; AuthSys::MAX_BODY];
    let sys = AuthSys {
        stamp: 5,
        machine_name: Text::new(b"m").unwrap(),
        uid: 1,
        gid: 2,
        gids: Groups::default(),
    };
    let header = CallHeader::new::<Write>(77, sys.to_auth(&mut body));
    let mut bytes = encode(&header);
    let RpcMessage { xid, body: MessageBody::Call(call) } = from_bytes(&bytes).unwrap() else {
        panic!("not a call")
    };
    assert_eq!((xid, call.rpc_version, call.procedure), (77, 2, 7));
    assert_eq!((call.credential, call.verifier), (header.credential, header.verifier));
    bytes.extend([0, 0, 0, 2, b'h', b'i', 0, 0]);
    let mut c = Cursor::new(&bytes);
    assert_eq!(parse_call(&mut c), Ok(header));
    // The cursor stands at the arguments.
    let args: <Write as Procedure>::Args<'_> = c.decode().unwrap();
    assert_eq!(args.as_bytes(), b"hi");
    c.finish().unwrap();
}

#[test]
fn every_outcome_goes_out_and_comes_in() {
    type Outcome = Result<OpaqueAuth<'static>, CallFailure>;
    let other = AcceptStat(99);
    let cases: [(ReplyHeader<'_>, &[u32], Outcome); 9] = [
        (ReplyHeader::success(9), &[9, 1, 0, 0, 0, 0], Ok(OpaqueAuth::NONE)),
        (ReplyHeader::prog_unavail(9), &[9, 1, 0, 0, 0, 1], Err(CallFailure::ProgUnavail)),
        (
            ReplyHeader::prog_mismatch(9, 3, 4),
            &[9, 1, 0, 0, 0, 2, 3, 4],
            Err(CallFailure::ProgMismatch { low: 3, high: 4 }),
        ),
        (ReplyHeader::proc_unavail(9), &[9, 1, 0, 0, 0, 3], Err(CallFailure::ProcUnavail)),
        (ReplyHeader::garbage_args(9), &[9, 1, 0, 0, 0, 4], Err(CallFailure::GarbageArgs)),
        (ReplyHeader::system_err(9), &[9, 1, 0, 0, 0, 5], Err(CallFailure::SystemErr)),
        (
            ReplyHeader {
                xid: 9,
                body: ReplyBody::Accepted(nfswire_rpc::AcceptedReply {
                    verifier: OpaqueAuth::NONE,
                    data: nfswire_rpc::ReplyData::Other(other),
                }),
            },
            &[9, 1, 0, 0, 0, 99],
            Err(CallFailure::Other(other)),
        ),
        (
            ReplyHeader::rpc_mismatch(9),
            &[9, 1, 1, 0, 2, 2],
            Err(CallFailure::RpcMismatch { low: 2, high: 2 }),
        ),
        (
            ReplyHeader::auth_error(9, AuthStat::TOO_WEAK),
            &[9, 1, 1, 1, 5],
            Err(CallFailure::Auth(AuthStat::TOO_WEAK)),
        ),
    ];
    for (header, expected, outcome) in cases {
        let bytes = encode(&header);
        assert_eq!(bytes, words(expected));
        let longer = [&bytes[..], b"rest"].concat();
        let mut c = Cursor::new(&longer);
        assert_eq!(parse_reply(&mut c), Ok(header));
        assert_eq!(c.rest(), b"rest");
        assert_eq!(header.outcome(), outcome);
        let message = RpcMessage { xid: 9, body: MessageBody::Reply(header.body) };
        assert_eq!(from_bytes(&bytes), Ok(message));
        assert_eq!(encode(&message), bytes);
        for cut in 0..bytes.len() {
            let error = parse_reply(&mut Cursor::new(&bytes[..cut])).unwrap_err();
            assert!(matches!(error, ReplyError::Malformed { .. }) && !error.is_not_here());
            let len = u32::try_from(bytes.len()).unwrap();
            let mut head = Cursor::head(&bytes[..cut], len, &Limits::STRICT);
            assert!(parse_reply(&mut head).unwrap_err().is_not_here());
        }
        // A verifier stands in accepted replies only.
        let verifier = OpaqueAuth { flavor: AuthFlavor::GSS, body: Opaque::new(b"mic!").unwrap() };
        let with = header.with_verifier(verifier);
        assert_eq!(parse_reply(&mut Cursor::new(&encode(&with))), Ok(with));
        match with.body {
            ReplyBody::Accepted(reply) => assert_eq!(reply.verifier, verifier),
            ReplyBody::Denied(_) => assert_eq!(with, header),
        }
    }
}

#[test]
fn what_is_no_reply() {
    let error = parse_reply(&mut Cursor::new(&words(&[4, 0, 2]))).unwrap_err();
    assert_eq!(error, ReplyError::NotAReply { xid: 4, message_type: 0 });
    // Discriminants that select no arm.
    for message in [&[4, 1, 2][..], &[4, 1, 1, 2, 0]] {
        let error = parse_reply(&mut Cursor::new(&words(message))).unwrap_err();
        assert!(matches!(error, ReplyError::Malformed { xid: Some(4), .. }), "{error}");
    }
}

#[test]
fn wrong_arguments_are_garbage_and_missing_ones_our_fault() {
    let error = |kind| DecodeError { kind, offset: 40, field: None };
    for kind in [
        ErrorKind::Short { needed: 4, left: 0 },
        ErrorKind::TooLong { len: 9, limit: 8 },
        ErrorKind::TooMany { count: 9, limit: 8 },
        ErrorKind::Padding,
        ErrorKind::Bool(2),
        ErrorKind::Enum(2),
        ErrorKind::Union(2),
        ErrorKind::Trailing(4),
        ErrorKind::Contradiction,
    ] {
        assert_eq!(args_error(1, &error(kind)), ReplyHeader::garbage_args(1));
    }
    let early = error(ErrorKind::NotHere { needed: 4, here: 0 });
    assert_eq!(args_error(1, &early), ReplyHeader::system_err(1));
}

#[test]
fn lossless_for_versions_that_are_not_served() {
    let bytes = words(&[1, 0, 3, 4, 5, 6, 77, 0, 88, 0]);
    let message: RpcMessage<'_> = from_bytes(&bytes).unwrap();
    assert_eq!(encode(&message), bytes);
}

proptest! {
    #[test]
    fn any_bytes_are_judged_without_a_panic(
        head in prop::collection::vec(0u32..4, 0..12),
        noise in prop::collection::vec(any::<u8>(), 0..500),
    ) {
        let message = [words(&head), noise].concat();
        let mut c = Cursor::new(&message);
        match parse_call(&mut c) {
            Ok(call) => {
                let mut bytes = encode(&call);
                bytes.extend(c.rest());
                prop_assert_eq!(bytes, &message[..]);
                let _judged = credential(&call.credential);
            }
            Err(error) => {
                let _answer = error.answer();
                prop_assert!(!error.to_string().is_empty());
            }
        }
        let mut c = Cursor::new(&message);
        if let Ok(reply) = parse_reply(&mut c) {
            let mut bytes = encode(&reply);
            bytes.extend(c.rest());
            prop_assert_eq!(bytes, message);
        }
    }

    #[test]
    fn any_credential_survives(
        stamp: u32, uid: u32, gid: u32,
        name in prop::collection::vec(any::<u8>(), 0..=255),
        gids in prop::collection::vec(any::<u32>(), 0..=16),
    ) {
        let machine_name = Text::new(&name).unwrap();
        let sys = AuthSys { stamp, machine_name, uid, gid, gids: Groups::new(&gids).unwrap() };
        let mut body = [0xee; AuthSys::MAX_BODY];
        prop_assert_eq!(credential(&sys.to_auth(&mut body)), Ok(Credential::Sys(sys)));
    }
}
