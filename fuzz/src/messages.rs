//! Message headers: calls judged and answered, replies read.

use nfswire_rpc::{
    Answer, AuthPolicy, AuthStat, AuthSys, CallFailure, CallHeader, Credential, MessageBody,
    MessageType, RPC_VERSION, ReplyError, ReplyHeader, RpcMessage, gss, parse_call, parse_reply,
};
use nfswire_xdr::{Cursor, Encode, Encoder, Limits, Segments, Wire};

use crate::input::Input;

const CALL: u32 = MessageType::Call as u32;
const REPLY: u32 = MessageType::Reply as u32;

fn encode<'p, T: Encode<'p> + Wire>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).expect("there is room");
    assert_eq!(e.finish(), value.encoded_len());
    let bytes = segments.view(&head).to_vec().expect("it is in memory");
    assert!((T::MIN_LEN as usize..=T::MAX_LEN as usize).contains(&bytes.len()));
    bytes
}

/// What a message deserves as a call, and the length of its header, in the plainest way.
fn judge(message: &[u8]) -> (Option<Answer>, usize) {
    let word = |at: usize| {
        let bytes = message.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().expect("four bytes")))
    };
    /// The end of a credential or verifier that begins at `at`.
    fn end(message: &[u8], at: usize, len: Option<u32>) -> Option<usize> {
        let len = usize::try_from(len.filter(|len| *len <= 400)?).expect("short");
        let pad = message.get(at + 8 + len..at + 8 + len.next_multiple_of(4))?;
        pad.iter().all(|byte| *byte == 0).then_some(at + 8 + len.next_multiple_of(4))
    }
    let close = (Some(Answer::Close), 0);
    let reply = |reply| (Some(Answer::Reply(reply)), 0);
    let (Some(xid), Some(message_type)) = (word(0), word(4)) else { return close };
    match (message_type, word(8)) {
        (REPLY, _) => return (Some(Answer::Drop), 0),
        (CALL, Some(RPC_VERSION)) if message.len() >= 24 => {}
        (CALL, Some(version)) if version != RPC_VERSION => {
            return reply(ReplyHeader::rpc_mismatch(xid));
        }
        _ => return close,
    }
    let Some(verifier) = end(message, 24, word(28)) else {
        return reply(ReplyHeader::auth_error(xid, AuthStat::BAD_CRED));
    };
    let Some(arguments) = end(message, verifier, word(verifier + 4)) else {
        return reply(ReplyHeader::auth_error(xid, AuthStat::BAD_VERF));
    };
    (None, arguments)
}

/// A reply that is written is read back, and says the same.
fn answered(reply: &ReplyHeader<'_>) -> Result<(), CallFailure> {
    let bytes = encode(reply);
    let mut c = Cursor::new(&bytes);
    assert_eq!(parse_reply(&mut c).as_ref(), Ok(reply));
    assert_eq!(c.remaining(), 0);
    reply.outcome().map(|_| ())
}

fn call(message: &[u8]) {
    let (answer, len) = judge(message);
    let mut c = Cursor::new(message);
    match (parse_call(&mut c), answer) {
        (Err(error), Some(answer)) => {
            assert_eq!(error.answer(), answer, "{error}");
            if let Answer::Reply(reply) = answer {
                assert!(answered(&reply).is_err());
            }
        }
        (Ok(header), None) => {
            assert_eq!(encode(&header), message[..len]);
            assert_eq!(c.rest(), &message[len..]);
            let lenient = parse_call(&mut Cursor::with(message, &Limits::LENIENT));
            assert_eq!(lenient, Ok(header));
            caller(&header);
        }
        (judged, answer) => panic!("{judged:?} where {answer:?} was due"),
    }
}

/// Who calls: read and written again, or refused with a reason that goes back to the client.
fn caller(header: &CallHeader<'_>) {
    let all = AuthPolicy {
        short: true,
        dh: true,
        gss: Some(gss::Version::V3),
        tls: true,
        ..AuthPolicy::default()
    };
    for policy in [AuthPolicy::default(), all] {
        match policy.credential(header, &Limits::STRICT) {
            Err(stat) => {
                assert_ne!(stat, AuthStat::OK);
                let failure = answered(&ReplyHeader::auth_error(header.xid, stat));
                assert_eq!(failure, Err(CallFailure::Auth(stat)));
            }
            Ok(Credential::Sys(user)) => {
                let mut body = [0; AuthSys::MAX_BODY];
                assert_eq!(user.to_auth(&mut body), header.credential);
            }
            Ok(_) => {}
        }
    }
}

fn reply(message: &[u8], at_hand: usize) {
    let mut c = Cursor::new(message);
    let read = parse_reply(&mut c);
    match read {
        Ok(header) => {
            let len = message.len() - c.remaining();
            assert_eq!(encode(&header), message[..len]);
            assert_eq!(answered(&header).is_ok(), header.outcome().is_ok());
        }
        Err(ReplyError::NotAReply { message_type, .. }) => {
            assert_eq!(message[4..8], message_type.to_be_bytes());
            assert_ne!(message_type, REPLY);
        }
        Err(_) => assert!(message.len() < 8 || message[4..8] == REPLY.to_be_bytes()),
    }
    // A client may have to judge it before all of it is here.
    let len = u32::try_from(message.len()).expect("short");
    let limits = Limits::STRICT;
    let early = parse_reply(&mut Cursor::head(&message[..at_hand], len, &limits));
    if !early.is_err_and(|error| error.is_not_here()) {
        assert_eq!(early, read);
    }
}

/// Any bytes as a call and as a reply, each judged as RFC 5531 has it, and as a message of any kind
/// without loss.
pub fn messages(data: &[u8]) {
    let mut input = Input(data);
    let at_hand = usize::from(input.byte());
    let message = input.0;
    call(message);
    reply(message, at_hand.min(message.len()));

    let mut c = Cursor::new(message);
    let any = c.decode::<RpcMessage<'_>>();
    if let Ok(any) = any {
        assert_eq!(encode(&any), message[..message.len() - c.remaining()]);
    }
    // The lossless reader takes what the judges take, and calls of other RPC versions too.
    let called = parse_call(&mut Cursor::new(message));
    let replied = parse_reply(&mut Cursor::new(message));
    match any.map(|any| (any.xid, any.body)) {
        Ok((xid, MessageBody::Call(body))) if body.rpc_version == RPC_VERSION => {
            let header = called.expect("it is a call of this version");
            assert_eq!((header.xid, header.procedure), (xid, body.procedure));
            assert_eq!((header.program, header.version), (body.program, body.version));
            assert_eq!((header.credential, header.verifier), (body.credential, body.verifier));
        }
        Ok((_, MessageBody::Call(_))) => assert!(called.is_err()),
        Ok((xid, MessageBody::Reply(body))) => assert_eq!(replied, Ok(ReplyHeader { xid, body })),
        Err(_) => assert!(called.is_err() && replied.is_err()),
    }
}
