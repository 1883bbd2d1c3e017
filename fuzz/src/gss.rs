//! RPCSEC_GSS: credentials, control messages and protected bodies.

use nfswire_rpc::{
    Answer, AuthPolicy, CallHeader, Credential,
    gss::{
        self, Call, Context, ControlProcedure, Protected, Qop, Refusal, SecurityContext,
        SecurityError, SequenceError, Service, Unwrapped, Verified, Version, protect, unprotect,
        verify_reply,
    },
    parse_call,
};
use nfswire_xdr::{Cursor, Encode, Encoder, Limits, Opaque, Piece, Scattered, Segments};

use crate::input::Input;

/// Takes every checksum that is not empty: what lies behind one is to be reached. The first byte is
/// the quality of protection.
struct Trusting;

impl SecurityContext for Trusting {
    fn verify_mic(&self, _: &Scattered<'_>, mic: &[u8]) -> Result<Qop, SecurityError> {
        let error = SecurityError::Status(gss::MajorStatus::BAD_MIC);
        mic.first().map(|qop| Qop(u32::from(*qop))).ok_or(error)
    }

    fn get_mic(&self, qop: Qop, _: &Scattered<'_>, out: &mut [u8]) -> Result<usize, SecurityError> {
        let first = out.first_mut().ok_or(SecurityError::NoSpace { needed: 1 })?;
        *first = u8::try_from(qop.0).expect("made of a byte");
        Ok(1)
    }

    fn wrap(
        &self,
        qop: Qop,
        message: &Scattered<'_>,
        out: &mut [u8],
    ) -> Result<usize, SecurityError> {
        let needed = message.len() as usize + 1;
        let out = out.get_mut(..needed).ok_or(SecurityError::NoSpace { needed })?;
        self.get_mic(qop, message, out)?;
        for (out, byte) in out[1..].iter_mut().zip(message.slices().flatten()) {
            *out = !byte;
        }
        Ok(needed)
    }

    fn unwrap(&self, token: &[u8], out: &mut [u8]) -> Result<Unwrapped, SecurityError> {
        let error = SecurityError::Status(gss::MajorStatus::DEFECTIVE_TOKEN);
        let (qop, hidden) = token.split_first().ok_or(error)?;
        let needed = hidden.len();
        let out = out.get_mut(..needed).ok_or(SecurityError::NoSpace { needed })?;
        for (out, byte) in out.iter_mut().zip(hidden) {
            *out = !byte;
        }
        Ok(Unwrapped { len: needed, qop: Qop(u32::from(*qop)), encrypted: true })
    }
}

fn encode<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).expect("there is room");
    e.finish();
    segments.view(&head).to_vec().expect("it is in memory")
}

/// What is served again comes back; what is refused is answered, and never by closing.
pub fn gss(data: &[u8]) {
    let mut input = Input(data);
    let versions = [Version::V1, Version::V2, Version::V3];
    let policy = AuthPolicy { gss: Some(versions[input.below(3)]), ..AuthPolicy::default() };
    let choices = input.byte();
    let mut context = Context::<1>::new(versions[usize::from(choices % 3)]);
    context.channel_bound = choices & 0x80 != 0;
    let (record, limits) = (input.0, Limits::STRICT);

    let mut c = Cursor::new(record);
    let Ok(header) = parse_call(&mut c) else { return };
    let Ok(Credential::Gss(credential)) = policy.credential(&header, &limits) else { return };
    let mut body = [0; 400];
    assert_eq!(credential.to_auth(&mut body).expect("it fitted"), header.credential);
    let mut scratch = vec![0; c.remaining()];
    let served = Call::new(record, header, credential)
        .and_then(|call| serve(&call, &mut context, c, &mut scratch));
    if let Err(refusal) = served {
        let answer = refusal.answer(header.xid);
        assert_ne!(answer, Answer::Close, "{refusal}");
        let denied = matches!(answer, Answer::Reply(reply)
            if matches!(reply.body, nfswire_rpc::ReplyBody::Denied(_)));
        assert_eq!(refusal.auth_stat().is_some(), denied, "{refusal}");
    }
}

fn serve(
    call: &Call<'_>,
    context: &mut Context<1>,
    c: Cursor<'_>,
    scratch: &mut [u8],
) -> Result<(), Refusal> {
    if call.is_creation() {
        return Ok(());
    }
    let seq_num = call.credential().body.seq_num;
    let hash = Opaque::new(b"hash").expect("short");
    let verify = |context: &mut Context<1>| {
        if call.procedure() == ControlProcedure::BindChannel {
            let verifier = call.bind_channel(&Limits::STRICT)?;
            return call.verify_bind_channel(&verifier, &hash, context, &Trusting);
        }
        call.verify(context, &Trusting)
    };
    let verified = verify(context)?;
    let again = Refusal::Sequence(SequenceError::Seen { seq_num });
    assert_eq!(verify(context), Err(again));
    assert_eq!(context.window.highest(), Some(seq_num));
    if call.procedure() != ControlProcedure::BindChannel {
        verifiers(call.header(), &verified);
    }
    let arguments = verified.arguments(c, &Trusting, scratch)?;
    body(&verified, arguments.rest());
    Ok(())
}

/// The client believes the server's verifier.
fn verifiers(header: &CallHeader<'_>, verified: &Verified<'_>) {
    let mut out = [0; 400];
    let verifier = verified.reply_verifier(&Trusting, &mut out).expect("it always signs");
    assert_eq!(verify_reply(header, &verifier, &Trusting), Ok(verified.qop()));
}

/// The same bytes, wrapped again, come out again; with fewer of them at hand, that is said.
fn body(verified: &Verified<'_>, arguments: &[u8]) {
    let (service, seq_num, qop) = (verified.service(), verified.seq_num(), verified.qop());
    let Some(protection) = verified.protection() else { return };
    let number = seq_num.to_be_bytes();
    let pieces = [Piece::Here(&number), Piece::Here(arguments)];
    let message = Scattered::new(&pieces).expect("all is here");
    let mut out = vec![0; arguments.len() + 16];
    let bytes = match protect(protection, message, qop, &Trusting, &mut out).expect("room") {
        Protected::Integrity(data) => encode(&data),
        Protected::Privacy(data) => encode(&data),
    };
    let mut scratch = vec![0; bytes.len()];
    let c = unprotect(service, seq_num, qop, Cursor::new(&bytes), &Trusting, &mut scratch);
    assert_eq!(c.expect("it was just wrapped").rest(), arguments);
    let (len, limits) = (u32::try_from(bytes.len()).expect("short"), Limits::STRICT);
    let head = Cursor::head(&bytes[..bytes.len() - 4], len, &limits);
    let missing = unprotect(service, seq_num, qop, head, &Trusting, &mut scratch);
    assert!(missing.expect_err("not all is here").is_ours());
    if service == Service::PRIVACY {
        let c = Cursor::new(&bytes);
        let short = unprotect(service, seq_num, qop, c, &Trusting, &mut scratch[..3]);
        assert!(short.expect_err("no room").is_ours());
    }
    let c = Cursor::new(&bytes);
    let other = unprotect(service, seq_num ^ 1, qop, c, &Trusting, &mut scratch);
    assert!(!other.expect_err("another call's").is_ours());
}
