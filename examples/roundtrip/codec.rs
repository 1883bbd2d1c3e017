//! From bytes to a value and back, for any type.

use core::error::Error;

use nfswire_rpc::{FragmentHeader, Procedure, parse_call, parse_reply};
use nfswire_xdr::{Chunk, Cursor, Decode, Encode, EncodeError, Encoder, Limits, Pages, Segments};

/// How to decode and encode.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// Limits and policy of the decoder.
    pub(crate) limits: Limits,
    /// Compare all three kinds of head.
    pub(crate) heads: bool,
}

/// Why bytes are refused, as a sentence.
pub(crate) type Refused = Box<dyn Error>;

/// Decodes the bytes of a job and answers it.
pub(crate) type Codec = fn(&mut Job<'_>) -> Result<(), Refused>;

/// One request: bytes to decode, and memory for the answer.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    /// The whole encoding.
    pub(crate) bytes: &'a [u8],
    pub(crate) settings: &'a Settings,
    /// Head memory, used again from job to job.
    pub(crate) head: &'a mut Vec<u8>,
    /// The answer in hex is appended here.
    pub(crate) answer: &'a mut Vec<u8>,
}

impl<'a> Job<'a> {
    const fn cursor(&self) -> Cursor<'a> {
        Cursor::with(self.bytes, &self.settings.limits)
    }

    /// Encodes what `put` puts, which is `len` bytes, and answers with it.
    fn encode<'p>(
        &mut self,
        len: u64,
        put: impl Fn(&mut Encoder<'_, 'p>) -> Result<(), EncodeError>,
    ) -> Result<(), Refused> {
        let mut segments = Segments::new();
        let mut e = Encoder::growable(self.head, &mut segments);
        put(&mut e)?;
        let written = e.finish();
        if written != len {
            return Err(
                format!("encoded_len() says {len} bytes, but {written} were written").into()
            );
        }
        let message = segments.view(&self.head[..]);
        if self.settings.heads {
            let bytes = message.to_vec()?;
            if fixed(&put, bytes.len())? != bytes {
                return Err("a fixed head gives other bytes than a growable one".into());
            }
            if pages(&put, bytes.len())? != bytes {
                return Err("a head of 4-byte pages gives other bytes than a growable one".into());
            }
        }
        for chunk in message.iter() {
            let Chunk::Bytes(bytes) = chunk else {
                return Err("a decoded value refers to a file".into());
            };
            append_hex(bytes, self.answer)?;
        }
        Ok(())
    }
}

fn append_hex(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Refused> {
    let start = out.len();
    out.resize(start.saturating_add(bytes.len().saturating_mul(2)), 0);
    hex::encode_to_slice(bytes, out.get_mut(start..).unwrap_or_default())?;
    Ok(())
}

/// Encodes into a slice of exactly the right size, full of garbage.
fn fixed<'p>(
    put: impl Fn(&mut Encoder<'_, 'p>) -> Result<(), EncodeError>,
    len: usize,
) -> Result<Vec<u8>, Refused> {
    let (mut head, mut segments) = (vec![0xff; len], Segments::new());
    let mut e = Encoder::fixed(&mut head, &mut segments);
    put(&mut e)?;
    e.finish();
    Ok(segments.view(&head[..]).to_vec()?)
}

/// Encodes into pages of one word each, full of garbage.
fn pages<'p>(
    put: impl Fn(&mut Encoder<'_, 'p>) -> Result<(), EncodeError>,
    len: usize,
) -> Result<Vec<u8>, Refused> {
    let (mut head, mut segments) = (vec![[0xff; 4]; len.div_ceil(4)], Segments::new());
    let mut e = Encoder::pages(&mut head, &mut segments);
    put(&mut e)?;
    e.finish();
    Ok(segments.view(&head as &dyn Pages).to_vec()?)
}

/// A value that fills all of the bytes.
pub(crate) fn value<'a, T: Decode<'a> + Encode<'a>>(job: &mut Job<'a>) -> Result<(), Refused> {
    let mut c = job.cursor();
    let value: T = c.decode()?;
    c.finish()?;
    job.encode(value.encoded_len(), |e| e.put(&value))
}

/// A fragment of a record: a mark, and as many bytes as it announces. Not XDR.
pub(crate) fn fragment(job: &mut Job<'_>) -> Result<(), Refused> {
    let (mark, payload) = job.bytes.split_first_chunk().ok_or("the record mark is cut off")?;
    let mark = FragmentHeader::from_bytes(*mark);
    let announced = mark.fragment_len();
    if u32::try_from(payload.len()) != Ok(announced) {
        return Err(format!(
            "the record mark announces {announced} bytes, {} follow",
            payload.len()
        )
        .into());
    }
    append_hex(&mark.to_bytes(), job.answer)?;
    append_hex(payload, job.answer)
}

/// A complete call of `P`. The header must be of the same procedure.
pub(crate) fn call<P: Procedure>(job: &mut Job<'_>) -> Result<(), Refused> {
    call_of::<P>(job, |_| Ok(()))
}

/// The same with a look at the arguments.
pub(crate) fn call_of<'a, P: Procedure>(
    job: &mut Job<'a>,
    look: impl FnOnce(&P::Args<'a>) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let mut c = job.cursor();
    let header = parse_call(&mut c)?;
    if (header.program, header.version, header.procedure) != (P::PROGRAM, P::VERSION, P::NUMBER) {
        return Err(format!(
            "the header calls procedure {} of program {} version {}, not {}",
            header.procedure,
            header.program,
            header.version,
            P::NAME
        )
        .into());
    }
    let args: P::Args<'a> = c.decode()?;
    c.finish()?;
    look(&args)?;
    let len = header.encoded_len().saturating_add(args.encoded_len());
    job.encode(len, |e| {
        e.put(&header)?;
        e.put(&args)
    })
}

/// A complete reply to a call of `P`. Results follow only a success.
pub(crate) fn reply<'a, P: Procedure>(job: &mut Job<'a>) -> Result<(), Refused> {
    let mut c = job.cursor();
    let header = parse_reply(&mut c)?;
    let results: Option<P::Reply<'a>> = match header.outcome() {
        Ok(_) => Some(c.decode()?),
        Err(_) => None,
    };
    c.finish()?;
    let len = results.as_ref().map_or(0, Encode::encoded_len);
    job.encode(header.encoded_len().saturating_add(len), |e| {
        e.put(&header)?;
        results.as_ref().map_or(Ok(()), |results| e.put(results))
    })
}
