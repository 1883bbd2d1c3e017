//! A mechanism that protects nobody, a server and a client that use it.
#![allow(dead_code)]

use std::collections::HashMap;

use nfswire_rpc::{
    Answer, AuthFlavor, AuthPolicy, AuthStat, CallFailure, CallHeader, Credential, OpaqueAuth,
    ReplyHeader, args_error,
    gss::{
        self, BindChannelReply, Call, Context, ControlProcedure, CreateArgs, CreateReply, Data,
        InitArgs, InitReply, Label, LabelFormat, ListArgs, ListItem, ListReply, ListedItem,
        MajorStatus, Qop, Refusal, SecurityContext, SecurityError, SequenceNumbers, Service,
        Unwrapped, Verified, Version, gather, protect, unprotect, verify_reply, verify_window,
        window_verifier,
    },
    parse_call, parse_reply,
};
use nfswire_xdr::{
    Array, Cursor, Decode, Encode, Encoder, Limits, Opaque, Payload, Piece, Scattered, Segments,
    xdr_struct,
};

xdr_struct! {
    /// Arguments of the server's only procedure beside the null procedure.
    "readargs" => pub(crate) struct ReadArgs<'a> {
        /// Whose bytes.
        pub(crate) name: Opaque<'a, 16>,
        /// How many.
        pub(crate) count: u32,
    }
}

xdr_struct! {
    /// Its results.
    "readres" => pub(crate) struct ReadReply<'a> {
        /// All there are.
        pub(crate) eof: bool,
        /// The bytes.
        pub(crate) data: Payload<'a>,
    }
}

/// Keyed sum of all bytes (FNV-1a): good enough to notice any flip.
#[derive(Clone, Debug)]
pub(crate) struct Toy {
    pub(crate) key: u64,
    /// What to answer instead of working.
    pub(crate) fails: Option<MajorStatus>,
    /// Signs and encrypts with the next higher quality of protection.
    pub(crate) other_qop: bool,
    /// Claims to have encrypted nothing.
    pub(crate) plain: bool,
}

impl Toy {
    pub(crate) fn new(key: u64) -> Self {
        Self { key, fails: None, other_qop: false, plain: false }
    }

    fn sum(&self, qop: Qop, message: &Scattered<'_>) -> [u8; 8] {
        let start = self.key ^ 0xcbf2_9ce4_8422_2325 ^ u64::from(qop.0) << 32;
        let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        message.slices().flatten().fold(start, step).to_be_bytes()
    }

    fn works(&self) -> Result<(), SecurityError> {
        self.fails.map_or(Ok(()), |major| Err(SecurityError::Status(major)))
    }

    fn hide(&self, byte: u8, i: usize) -> u8 {
        byte ^ self.key.to_be_bytes()[i % 8]
    }
}

impl SecurityContext for Toy {
    fn verify_mic(&self, message: &Scattered<'_>, mic: &[u8]) -> Result<Qop, SecurityError> {
        self.works()?;
        let (qop, sum) =
            mic.split_first_chunk().ok_or(SecurityError::Status(MajorStatus::BAD_MIC))?;
        let qop = Qop(u32::from_be_bytes(*qop));
        if sum != self.sum(qop, message) {
            return Err(SecurityError::Status(MajorStatus::BAD_MIC));
        }
        Ok(qop)
    }

    fn get_mic(
        &self,
        qop: Qop,
        message: &Scattered<'_>,
        out: &mut [u8],
    ) -> Result<usize, SecurityError> {
        self.works()?;
        let qop = Qop(qop.0 + u32::from(self.other_qop));
        let out = out.get_mut(..12).ok_or(SecurityError::NoSpace { needed: 12 })?;
        out[..4].copy_from_slice(&qop.0.to_be_bytes());
        out[4..].copy_from_slice(&self.sum(qop, message));
        Ok(12)
    }

    fn wrap(
        &self,
        qop: Qop,
        message: &Scattered<'_>,
        out: &mut [u8],
    ) -> Result<usize, SecurityError> {
        let needed = 12 + usize::try_from(message.len()).unwrap();
        if out.len() < needed {
            return Err(SecurityError::NoSpace { needed });
        }
        let head = self.get_mic(qop, message, out)?;
        for (i, (byte, out)) in message.slices().flatten().zip(&mut out[head..]).enumerate() {
            *out = self.hide(*byte, i);
        }
        Ok(needed)
    }

    fn unwrap(&self, token: &[u8], out: &mut [u8]) -> Result<Unwrapped, SecurityError> {
        self.works()?;
        let (mic, hidden) = token
            .split_at_checked(12)
            .ok_or(SecurityError::Status(MajorStatus::DEFECTIVE_TOKEN))?;
        let out =
            out.get_mut(..hidden.len()).ok_or(SecurityError::NoSpace { needed: hidden.len() })?;
        for (i, (byte, out)) in hidden.iter().zip(&mut *out).enumerate() {
            *out = self.hide(*byte, i);
        }
        let pieces = [Piece::Here(out)];
        let qop = self.verify_mic(&Scattered::new(&pieces).unwrap(), mic)?;
        Ok(Unwrapped { len: hidden.len(), qop, encrypted: !self.plain })
    }
}

/// `value` behind `header`, protected as `service` says.
pub(crate) fn protected<'v, H, T>(
    header: &H,
    value: &'v T,
    (service, seq_num, qop): (Service, u32, Qop),
    security: &Toy,
) -> Result<Vec<u8>, SecurityError>
where
    H: for<'p> Encode<'p>,
    T: Encode<'v>,
{
    let Some(protection) = service.protection() else {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(header).unwrap();
        e.put(value).unwrap();
        e.finish();
        return Ok(segments.view(&head[..]).to_vec().unwrap());
    };
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&Data { seq_num, value }).unwrap();
    e.finish();
    let body = segments.view(&head[..]);
    let mut pieces = vec![Piece::Elsewhere(0); body.count()];
    let body = gather(&body, &mut pieces).unwrap();
    let mut out = vec![0; usize::try_from(body.len()).unwrap() + 64];
    let body = protect(protection, body, qop, security, &mut out)?;
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(header).unwrap();
    e.put(&body).unwrap();
    e.finish();
    Ok(segments.view(&head[..]).to_vec().unwrap())
}

/// What the server knows of a handle.
pub(crate) struct Entry {
    pub(crate) context: Context,
    pub(crate) security: Toy,
    pub(crate) complete: bool,
}

/// A server of program 7, version 1: procedure 0, and 1 which is [`ReadArgs`].
pub(crate) struct Server {
    pub(crate) contexts: HashMap<Vec<u8>, Entry>,
    pub(crate) file: Vec<u8>,
    /// Calls of procedure 1 that ran.
    pub(crate) ran: u32,
    pub(crate) refused: Option<Refusal>,
    next: u64,
}

pub(crate) const POLICY: AuthPolicy = AuthPolicy {
    none: true,
    sys: true,
    short: false,
    dh: false,
    gss: Some(Version::V3),
    tls: false,
};

impl Server {
    pub(crate) fn new() -> Self {
        let file = (0..1000u32).map(|i| i.to_be_bytes()[3]).collect();
        Self { contexts: HashMap::new(), file, ran: 0, refused: None, next: 100 }
    }

    pub(crate) fn only(&mut self) -> &mut Entry {
        assert_eq!(self.contexts.len(), 1);
        self.contexts.values_mut().next().unwrap()
    }

    /// The reply to a record; `None` if there is none, or the connection is to be closed.
    pub(crate) fn serve(&mut self, record: &[u8]) -> Option<Vec<u8>> {
        self.refused = None;
        let mut c = Cursor::new(record);
        let header = match parse_call(&mut c) {
            Ok(header) => header,
            Err(error) => {
                let Answer::Reply(reply) = error.answer() else { return None };
                return Some(super::common::encode(&reply));
            }
        };
        let xid = header.xid;
        let credential = match POLICY.credential(&header, &Limits::STRICT) {
            Ok(Credential::Gss(credential)) => credential,
            Ok(_) => return Some(super::common::encode(&ReplyHeader::success(xid))),
            Err(stat) => {
                return Some(super::common::encode(&ReplyHeader::auth_error(xid, stat)));
            }
        };
        match Call::new(record, header, credential).and_then(|call| self.judged(&call, c)) {
            Ok(reply) => Some(reply),
            Err(refusal) => {
                self.refused = Some(refusal);
                match refusal.answer(xid) {
                    Answer::Reply(reply) => Some(super::common::encode(&reply)),
                    Answer::Drop => None,
                    Answer::Close => panic!("the connection stays open: {refusal}"),
                }
            }
        }
    }

    fn judged(&mut self, call: &Call<'_>, c: Cursor<'_>) -> Result<Vec<u8>, Refusal> {
        if call.is_creation() {
            return Ok(self.create(call, c));
        }
        let handle = call.credential().body.handle.to_vec();
        let Entry { context, security, complete: true } =
            self.contexts.get_mut(&handle).ok_or(Refusal::NoContext)?
        else {
            return Err(Refusal::NoContext);
        };
        let (xid, mut verifier) = (call.header().xid, [0; 400]);
        if call.procedure() == ControlProcedure::BindChannel {
            return bind(call, context, security);
        }
        let verified = call.verify(context, security)?;
        let security = security.clone();
        let verifier = verified.reply_verifier(&security, &mut verifier)?;
        let success = ReplyHeader::success(xid).with_verifier(verifier);
        let mut scratch = vec![0; c.remaining()];
        let args = match verified.arguments(c, &security, &mut scratch) {
            Ok(args) => args,
            // Accepted, so it has a verifier.
            Err(refusal) => {
                self.refused = Some(refusal);
                let Answer::Reply(reply) = refusal.answer(xid) else { panic!("{refusal}") };
                return Ok(super::common::encode(&reply.with_verifier(verifier)));
            }
        };
        match call.procedure() {
            ControlProcedure::Create => return self.child(call, &verified, args, &success),
            ControlProcedure::List => {
                let Ok(args) = decode::<ListArgs<'_>>(args) else { panic!("not verified?") };
                assert!(args.what.iter().eq([ListItem::LABELS]));
                let format = LabelFormat { format: 1, policy: 0 };
                let labels = [Label { format, label: Opaque::default() }];
                let items = [ListedItem::Labels(Array::from_slice(&labels).unwrap())];
                let reply: ListReply<'_> = Array::from_slice(&items).unwrap();
                return wrap(&success, &reply, &verified, &security);
            }
            ControlProcedure::Destroy => {
                self.contexts.remove(&handle);
                return wrap(&success, &(), &verified, &security);
            }
            _ => {}
        }
        match call.header().procedure {
            0 => wrap(&success, &(), &verified, &security),
            1 => match decode::<ReadArgs<'_>>(args) {
                Ok(args) => {
                    self.ran += 1;
                    let count = usize::try_from(args.count).unwrap().min(self.file.len());
                    let data = Payload::Borrowed(&self.file[..count]);
                    let reply = ReadReply { eof: count == self.file.len(), data };
                    wrap(&success, &reply, &verified, &security)
                }
                Err(error) => {
                    let reply = args_error(xid, &error).with_verifier(verifier);
                    Ok(super::common::encode(&reply))
                }
            },
            _ => {
                let reply = ReplyHeader::proc_unavail(xid).with_verifier(verifier);
                Ok(super::common::encode(&reply))
            }
        }
    }

    /// Creation in two legs: the tokens are `hello`, then the key in hexadecimal.
    fn create(&mut self, call: &Call<'_>, c: Cursor<'_>) -> Vec<u8> {
        let xid = call.header().xid;
        let body = call.credential().body;
        let args = match decode::<InitArgs<'_>>(c) {
            Ok(args) => args,
            Err(error) => return super::common::encode(&args_error(xid, &error)),
        };
        let mut handle = body.handle.to_vec();
        let mut out = [0; 400];
        let (mut verifier, mut reply) =
            (OpaqueAuth::NONE, InitReply::failed(MajorStatus::DEFECTIVE_TOKEN, 7));
        if body.procedure == ControlProcedure::Init {
            if args.token.as_bytes() == b"hello" {
                handle = self.next.to_be_bytes().to_vec();
                self.next += 1;
                let context = Context::new(call.credential().version);
                let entry = Entry { context, security: Toy::new(0), complete: false };
                self.contexts.insert(handle.clone(), entry);
                reply = InitReply {
                    handle: Opaque::new(&handle).unwrap(),
                    major: MajorStatus::CONTINUE_NEEDED,
                    minor: 0,
                    seq_window: 128,
                    token: Opaque::new(b"go on").unwrap(),
                };
            }
        } else if let Some(entry) = self.contexts.get_mut(&handle).filter(|entry| !entry.complete) {
            let text = str::from_utf8(&args.token).unwrap_or_default();
            if let Ok(key) = u64::from_str_radix(text, 16) {
                entry.security = Toy::new(key);
                entry.complete = true;
                let seq_window = entry.context.window.size();
                verifier = window_verifier(seq_window, &entry.security, &mut out).unwrap();
                reply = InitReply {
                    handle: Opaque::new(&handle).unwrap(),
                    major: MajorStatus::COMPLETE,
                    minor: 0,
                    seq_window,
                    token: Opaque::default(),
                };
            }
        } else {
            reply = InitReply::failed(MajorStatus::NO_CONTEXT, 0);
        }
        let header = ReplyHeader::success(xid).with_verifier(verifier);
        let none = (Service::NONE, 0, Qop::DEFAULT);
        protected(&header, &reply, none, &Toy::new(0)).unwrap()
    }

    /// A child of the context, if its inner context is known and signs.
    fn child(
        &mut self,
        call: &Call<'_>,
        verified: &Verified<'_>,
        args: Cursor<'_>,
        success: &ReplyHeader<'_>,
    ) -> Result<Vec<u8>, Refusal> {
        let args = decode::<CreateArgs<'_>>(args).map_err(|e| Refusal::Body(e.into()))?;
        args.check_service(verified.service())?;
        if let Some(inner) = &args.multi_principal {
            let entry = self.contexts.get(&inner.inner_handle[..]).ok_or(Refusal::InnerContext)?;
            let pieces = [Piece::Here(call.header_bytes())];
            entry
                .security
                .verify_mic(&Scattered::new(&pieces).unwrap(), &inner.header_mic)
                .map_err(|_| Refusal::InnerContext)?;
        }
        let parent = &self.contexts[&call.credential().body.handle.to_vec()];
        let security = parent.security.clone();
        let handle = self.next.to_be_bytes().to_vec();
        self.next += 1;
        let reply = CreateReply {
            handle: Opaque::new(&handle).unwrap(),
            multi_principal: None,
            channel_binding: None,
            assertions: args.assertions,
        };
        let sent = wrap(success, &reply, verified, &security);
        let entry = Entry { context: Context::new(Version::V3), security, complete: true };
        self.contexts.insert(handle, entry);
        sent
    }
}

pub(crate) const PREFIX: &[u8] = b"tls-exporter";
pub(crate) const OID: &[u8] = b"\x60\x86";
pub(crate) const HASH: &[u8] = b"seven!!";

fn bind(call: &Call<'_>, context: &mut Context, security: &Toy) -> Result<Vec<u8>, Refusal> {
    let asked = call.bind_channel(&Limits::STRICT)?;
    let hash = Opaque::new(HASH).unwrap();
    let (prefixes, oids) = ([Opaque::new(PREFIX).unwrap()], [Opaque::new(OID).unwrap()]);
    let (reply, qop) = if asked.prefix.as_bytes() != PREFIX {
        call.check(context)?;
        let prefixes = Array::from_slice(&prefixes).unwrap();
        (BindChannelReply::PrefixNotSupported(prefixes), Qop::DEFAULT)
    } else if asked.hash_oid.as_bytes() != OID {
        call.check(context)?;
        let oids = Array::from_slice(&oids).unwrap();
        (BindChannelReply::HashNotSupported(oids), Qop::DEFAULT)
    } else {
        let verified = call.verify_bind_channel(&asked, &hash, context, security)?;
        context.channel_bound = true;
        (BindChannelReply::Ok, verified.qop())
    };
    let mut out = [0; 400];
    let verifier = call.bind_channel_verifier(reply, &hash, qop, security, &mut out)?;
    let reply = ReplyHeader::success(call.header().xid).with_verifier(verifier);
    Ok(super::common::encode(&reply))
}

fn wrap<'v, T: Encode<'v>>(
    header: &ReplyHeader<'_>,
    value: &'v T,
    verified: &Verified<'_>,
    security: &Toy,
) -> Result<Vec<u8>, Refusal> {
    let how = (verified.service(), verified.seq_num(), verified.qop());
    protected(header, value, how, security).map_err(Refusal::ReplyBody)
}

pub(crate) fn decode<'a, T: Decode<'a>>(mut c: Cursor<'a>) -> Result<T, nfswire_xdr::DecodeError> {
    let value = c.decode()?;
    c.finish()?;
    Ok(value)
}

/// A client with one context.
pub(crate) struct Client {
    pub(crate) version: Version,
    pub(crate) handle: Vec<u8>,
    pub(crate) security: Toy,
    pub(crate) numbers: SequenceNumbers,
    pub(crate) qop: Qop,
    xid: u32,
}

/// A call that was sent.
pub(crate) struct Sent {
    pub(crate) bytes: Vec<u8>,
    service: Service,
    seq_num: u32,
    version: Version,
}

impl Client {
    pub(crate) fn connect(server: &mut Server, version: Version, key: u64) -> Self {
        let numbers = SequenceNumbers::from(1);
        let security = Toy::new(key);
        let qop = Qop(3);
        let mut client = Self { version, handle: Vec::new(), security, numbers, qop, xid: 0x100 };
        let text = format!("{key:x}");
        let steps = [
            (ControlProcedure::Init, &b"hello"[..], MajorStatus::CONTINUE_NEEDED),
            (ControlProcedure::ContinueInit, text.as_bytes(), MajorStatus::COMPLETE),
        ];
        for (procedure, token, major) in steps {
            let args = InitArgs { token: Opaque::new(token).unwrap() };
            // Sequence number and service are ignored.
            let call = client.call(procedure, Service(0), 77, 0, &args);
            let reply = server.serve(&call.bytes).unwrap();
            let mut c = Cursor::new(&reply);
            let verifier = parse_reply(&mut c).unwrap().outcome().unwrap();
            let reply: InitReply<'_> = decode(c).unwrap();
            assert_eq!((reply.major, reply.seq_window), (major, 128));
            verify_window(&reply, &verifier, &client.security).unwrap();
            client.handle = reply.handle.to_vec();
        }
        client
    }

    /// A call of `procedure`, with `args`.
    pub(crate) fn call<'v, T: Encode<'v>>(
        &mut self,
        control: ControlProcedure,
        service: Service,
        seq_num: u32,
        procedure: u32,
        args: &'v T,
    ) -> Sent {
        self.xid += 1;
        let mut body = [0; 400];
        let credential = self.credential(control, service, seq_num).to_auth(&mut body).unwrap();
        let header = CallHeader {
            xid: self.xid,
            program: 7,
            version: 1,
            procedure,
            credential,
            verifier: OpaqueAuth::NONE,
        };
        let mut verifier = [0; 400];
        let header = gss::sign(&header, self.qop, &self.security, &mut verifier).unwrap();
        let bytes = protected(&header, args, (service, seq_num, self.qop), &self.security).unwrap();
        Sent { bytes, service, seq_num, version: self.version }
    }

    pub(crate) fn credential(
        &self,
        procedure: ControlProcedure,
        service: Service,
        seq_num: u32,
    ) -> gss::Credential<'_> {
        let handle = Opaque::new(&self.handle).unwrap();
        let body = gss::CredentialBody { procedure, seq_num, service, handle };
        gss::Credential { version: self.version, body }
    }

    pub(crate) fn read(&mut self, service: Service) -> Sent {
        let seq_num = self.numbers.next().unwrap();
        let args = ReadArgs { name: Opaque::new(b"motd!").unwrap(), count: 600 };
        self.call(ControlProcedure::Data, service, seq_num, 1, &args)
    }

    /// What a reply says, or why it is not believed.
    pub(crate) fn take(&self, sent: &Sent, reply: &[u8]) -> Result<(bool, Vec<u8>), String> {
        let text = |error: &dyn core::fmt::Display| error.to_string();
        let call = parse_call(&mut Cursor::new(&sent.bytes)).unwrap();
        let mut c = Cursor::new(reply);
        let header = parse_reply(&mut c).map_err(|e| text(&e))?;
        if header.xid != call.xid {
            return Err("another call's".to_owned());
        }
        let verifier = header.outcome().map_err(|e| text(&e))?;
        let qop = verify_reply(&call, &verifier, &self.security).map_err(|e| text(&e))?;
        let mut scratch = vec![0; c.remaining()];
        let results = unprotect(sent.service, sent.seq_num, qop, c, &self.security, &mut scratch)
            .map_err(|e| text(&e))?;
        let reply: ReadReply<'_> = decode(results).map_err(|e| text(&e))?;
        assert_eq!(sent.version, self.version);
        Ok((reply.eof, reply.data.as_slice().unwrap().to_vec()))
    }
}

/// Why a call was not served, as the client sees it.
pub(crate) fn failure(reply: &[u8]) -> CallFailure {
    parse_reply(&mut Cursor::new(reply)).unwrap().outcome().unwrap_err()
}

/// The flavor of an accepted reply's verifier.
pub(crate) fn verifier_flavor(reply: &[u8]) -> Option<AuthFlavor> {
    match parse_reply(&mut Cursor::new(reply)).unwrap().body {
        nfswire_rpc::ReplyBody::Accepted(accepted) => Some(accepted.verifier.flavor),
        nfswire_rpc::ReplyBody::Denied(_) => None,
    }
}

/// The answer to a denied call.
pub(crate) fn denied(reply: Option<Vec<u8>>) -> AuthStat {
    match failure(&reply.expect("a reply")) {
        CallFailure::Auth(stat) => stat,
        other => panic!("{other}"),
    }
}
