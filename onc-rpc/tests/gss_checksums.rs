//! RPCSEC_GSS: what checksums are over, and bodies that are wrapped and unwrapped where they lie.
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
    AuthFlavor, CallHeader, OpaqueAuth,
    gss::{
        self, BindChannelReply, BodyError, Call, Context, ControlProcedure, Credential,
        CredentialBody, Data, InitReply, IntegData, MajorStatus, ProtectError, Protected,
        Protection, Qop, ReplyVerifierError, SecurityContext, SecurityError, Service, Version,
        gather, protect, sign_bind_channel, unprotect, verify_bind_channel_reply, verify_reply,
        verify_window,
    },
    parse_call,
};
use nfswire_xdr::{
    Cursor, Encoder, FileRange, Limits, Opaque, Payload, Piece, Scattered, Segments,
};
use toy::{Client, OID, PREFIX, ReadArgs, ReadReply, Server, Toy, decode};

const SERVICES: [Service; 3] = [Service::NONE, Service::INTEGRITY, Service::PRIVACY];
const VERSIONS: [Version; 3] = [Version::V1, Version::V2, Version::V3];

/// Writes down what it is asked to sign and to verify.
#[derive(Default)]
struct Recorder(core::cell::RefCell<Vec<Vec<u8>>>);

impl SecurityContext for Recorder {
    fn verify_mic(&self, message: &Scattered<'_>, _: &[u8]) -> Result<Qop, SecurityError> {
        self.0.borrow_mut().push(message.slices().flatten().copied().collect());
        Ok(Qop(0))
    }
    fn get_mic(
        &self,
        _: Qop,
        message: &Scattered<'_>,
        _: &mut [u8],
    ) -> Result<usize, SecurityError> {
        self.verify_mic(message, b"").map(|_| 0)
    }
    fn wrap(&self, _: Qop, message: &Scattered<'_>, _: &mut [u8]) -> Result<usize, SecurityError> {
        self.verify_mic(message, b"").map(|_| 0)
    }
    fn unwrap(&self, _: &[u8], _: &mut [u8]) -> Result<gss::Unwrapped, SecurityError> {
        Err(SecurityError::Status(MajorStatus::DEFECTIVE_TOKEN))
    }
}

/// The bytes under each checksum, put together by hand from the texts: a fault that both ends share
/// would not be seen otherwise.
#[test]
fn what_checksums_are_over() {
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
    for version in VERSIONS {
        for control in [ControlProcedure::Data, ControlProcedure::BindChannel] {
            if control == ControlProcedure::BindChannel && version != Version::V2 {
                continue;
            }
            // A handle of five bytes, so that there is a pad within the body.
            let body = CredentialBody {
                procedure: control,
                seq_num: 0x0102_0304,
                service: Service::NONE,
                handle: Opaque::new(b"ctx-5").unwrap(),
            };
            let credential = Credential { version, body };
            let mut buffer = [0; 400];
            let call = CallHeader {
                xid: 0x4e46_5301,
                program: 100_003,
                version: 4,
                procedure: 0,
                credential: credential.to_auth(&mut buffer).unwrap(),
                verifier: OpaqueAuth::NONE,
            };
            let number = version.value().cast_unsigned();
            let start = [0x4e46_5301, 0, 2, 100_003, 4, 0, 6, 28];
            let inner = [number, control.value().cast_unsigned(), 0x0102_0304, 1, 5];
            let header = [words(&start), words(&inner), b"ctx-5\0\0\0".to_vec()].concat();

            if control == ControlProcedure::BindChannel {
                for len in 0..9usize {
                    let recorder = Recorder::default();
                    let hash = &b"12345678"[..len];
                    let opaque = Opaque::new(hash).unwrap();
                    let what = (Opaque::new(PREFIX).unwrap(), Opaque::new(OID).unwrap());
                    let mut out = [0; 400];
                    let sent = sign_bind_channel(&call, what, &opaque, Qop(0), &recorder, &mut out);
                    let record = encode(&sent.unwrap());
                    let sent = parse_call(&mut Cursor::new(&record)).unwrap();
                    let judged = Call::new(&record, sent, credential).unwrap();
                    let verifier = judged.bind_channel(&Limits::STRICT).unwrap();
                    let mut context = Context::<2>::new(version);
                    let verified =
                        judged.verify_bind_channel(&verifier, &opaque, &mut context, &recorder);
                    assert!(verified.is_ok());
                    let mut out = [0; 400];
                    let (reply, qop) = (BindChannelReply::Ok, Qop(0));
                    let made =
                        judged.bind_channel_verifier(reply, &opaque, qop, &recorder, &mut out);
                    let hash_of = |_: &BindChannelReply<'_>| opaque;
                    let made = made.unwrap();
                    verify_bind_channel_reply(&sent, &made, hash_of, &recorder).unwrap();

                    let mut padded = hash.to_vec();
                    padded.resize(len.next_multiple_of(4), 0);
                    let hash = [words(&[u32::try_from(len).unwrap()]), padded].concat();
                    let asked = [&header[..], &hash].concat();
                    let replied = [words(&[0x0102_0304]), hash, words(&[0])].concat();
                    let expected = [asked.clone(), asked, replied.clone(), replied];
                    assert_eq!(*recorder.0.borrow(), expected, "{len}");
                }
                continue;
            }

            let recorder = Recorder::default();
            let mut out = [0; 400];
            let sent = gss::sign(&call, Qop(0), &recorder, &mut out).unwrap();
            let record = encode(&sent);
            let sent = parse_call(&mut Cursor::new(&record)).unwrap();
            let judged = Call::new(&record, sent, credential).unwrap();
            assert_eq!(judged.header_bytes(), header);
            let verified = judged.verify(&mut Context::<2>::new(version), &recorder).unwrap();
            let mut out = [0; 400];
            let verifier = verified.reply_verifier(&recorder, &mut out).unwrap();
            verify_reply(&sent, &verifier, &recorder).unwrap();
            let replied = match version {
                Version::V1 | Version::V2 => words(&[0x0102_0304]),
                // The message type is REPLY.
                Version::V3 => [&header[..4], &words(&[1]), &header[8..]].concat(),
            };
            let expected = [header.clone(), header, replied.clone(), replied];
            assert_eq!(*recorder.0.borrow(), expected);
        }
    }
    let recorder = Recorder::default();
    gss::window_verifier(128, &recorder, &mut [0; 400]).unwrap();
    let pieces = [Piece::Here(&[0, 0, 0, 9]), Piece::Here(b"args")];
    let body = Scattered::new(&pieces).unwrap();
    let mut out = [];
    let wrapped = protect(Protection::Integrity, body, Qop(0), &recorder, &mut out).unwrap();
    let Protected::Integrity(data) = wrapped else { panic!("not asked for") };
    let bytes = encode(&data);
    // Length, sequence number, arguments, length of the checksum.
    assert_eq!(bytes, [words(&[8, 9]), b"args".to_vec(), words(&[0])].concat());
    let c = Cursor::new(&bytes);
    unprotect(Service::INTEGRITY, 9, Qop(0), c, &recorder, &mut []).unwrap();
    let body = [&words(&[9])[..], b"args"].concat();
    assert_eq!(*recorder.0.borrow(), [words(&[128]), body.clone(), body]);
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
