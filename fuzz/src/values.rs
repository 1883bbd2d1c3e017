//! Decoding any bytes as any type, and sending what was decoded.

use core::fmt::{self, Debug, Write};
use std::io::IoSlice;

use bytes::Buf;
use nfswire_xdr::{
    Chunk, Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Limits, Message,
    Pages, Piece, Pieces, Policy, Position, Segments, explain,
};

use crate::{input::Input, types};

/// Bytes of the value that was decoded, encoded again, and the number of bytes it was decoded from.
type Through = Result<(Vec<u8>, usize), DecodeError>;

/// What can be done with a type.
pub(crate) struct Codec {
    pub(crate) name: &'static str,
    decode: fn(&[u8], usize),
    roundtrip: fn(&[u8], [u8; 2]),
    through: fn(&[u8], &Limits) -> Through,
    pieces: fn(&[Piece<'_>], &mut [u8], &Limits) -> Through,
    hollow: fn(&[Piece<'_>], &mut [u8], &Limits),
    consume: fn(&[u8], [u8; 2]),
}

/// The codec of a type; the closures give its lifetime.
macro_rules! codec {
    ($name:literal, $t:ty) => {
        $crate::values::Codec::new(
            $name,
            |bytes, cut| $crate::values::decode::<$t>(bytes, cut),
            |bytes, choice| $crate::values::round::<$t>(bytes, choice),
            |bytes, limits| $crate::values::through::<$t>(bytes, limits),
            |pieces, scratch, limits| $crate::values::pieces::<$t>(pieces, scratch, limits),
            |pieces, scratch, limits| $crate::values::hollow::<$t>(pieces, scratch, limits),
            |bytes, choice| $crate::values::consume::<$t>(bytes, choice),
        )
    };
}
pub(crate) use codec;

impl Codec {
    pub(crate) const fn new(
        name: &'static str,
        decode: fn(&[u8], usize),
        roundtrip: fn(&[u8], [u8; 2]),
        through: fn(&[u8], &Limits) -> Through,
        pieces: fn(&[Piece<'_>], &mut [u8], &Limits) -> Through,
        hollow: fn(&[Piece<'_>], &mut [u8], &Limits),
        consume: fn(&[u8], [u8; 2]),
    ) -> Self {
        Self { name, decode, roundtrip, through, pieces, hollow, consume }
    }
}

/// A type, how it is treated, and the bytes: the first byte chooses one of the types of a program,
/// the next two the treatment.
struct Case<'d> {
    codec: &'static Codec,
    choice: [u8; 2],
    bytes: &'d [u8],
}

impl<'d> Case<'d> {
    fn of(program: &str, data: &'d [u8]) -> Self {
        let mut input = Input(data);
        let codec = types::choose(program, input.byte());
        Self { codec, choice: [input.byte(), input.byte()], bytes: input.0 }
    }

    fn decode_any(&self) {
        (self.codec.decode)(self.bytes, usize::from(self.choice[0]).min(self.bytes.len()));
    }

    fn roundtrip(&self) {
        let through = self.codec.through;
        (self.codec.roundtrip)(self.bytes, self.choice);
        if let Ok((canonical, len)) = through(self.bytes, &Limits::LENIENT) {
            // A pad has one length, whatever it says.
            assert_eq!(canonical.len(), len);
            let again = through(&canonical, &Limits::STRICT);
            assert_eq!(again, Ok((canonical, len)), "the canonical form is not strict");
        }
    }

    fn split(&self) {
        let Self { codec, choice: [a, b], bytes } = *self;
        let parts = cut(bytes, [usize::from(a) % 9, 1 + usize::from(b) % 70]);
        let here: Vec<Piece<'_>> = parts.iter().map(|part| Piece::Here(part)).collect();
        let mut holes = here.clone();
        let hole = usize::from(a ^ b) % holes.len();
        holes[hole] = Piece::Elsewhere(u32::try_from(parts[hole].len()).expect("at most 70"));
        for limits in LIMITS {
            let whole = (codec.through)(bytes, limits);
            // Each byte is copied once at most.
            let mut scratch = vec![0xee; bytes.len()];
            assert_eq!((codec.pieces)(&here, &mut scratch, limits), whole);
            let mut scratch = vec![0xee; usize::from(b) % 16];
            match (codec.pieces)(&here, &mut scratch, limits) {
                Err(DecodeError { kind: ErrorKind::Scratch { needed: 1.. }, .. }) => {}
                scant => assert_eq!(scant, whole),
            }
            let mut scratch = vec![0xee; bytes.len()];
            (codec.hollow)(&holes, &mut scratch, limits);
        }
    }

    fn consume(&self) {
        (self.codec.consume)(self.bytes, self.choice);
    }
}

/// Values that make sense, or errors inside the bytes, which the slow reader confirms.
pub fn decode_any(data: &[u8]) {
    Case::of("", data).decode_any();
}

/// What decodes encodes to the same bytes; from lenient bytes, to their canonical form.
pub fn roundtrip(data: &[u8]) {
    Case::of("", data).roundtrip();
}

/// One slice and pieces of it: same value, same error.
pub fn split(data: &[u8]) {
    Case::of("", data).split();
}

/// Every consumer of a message gives the same bytes.
pub fn segments_vs_flat(data: &[u8]) {
    Case::of("", data).consume();
}

/// All of it, with the arguments and results of one program.
pub(crate) fn program(name: &str, data: &[u8]) {
    let case = Case::of(name, data);
    case.decode_any();
    case.roundtrip();
    case.split();
    case.consume();
}

macro_rules! programs {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            pub fn $name(data: &[u8]) {
                program(stringify!($name), data);
            }
        )*
    };
}

programs! {
    /// Messages of the port mapper and rpcbind.
    rpcbind
    /// Messages of MOUNT.
    mount
    /// Messages of NFSv2.
    nfs2
    /// Messages of NFSv3.
    nfs3
    /// Messages of NLM.
    nlm
    /// Messages of NSM.
    nsm
    /// Messages of NFS_ACL.
    nfsacl
}

const NARROW: Limits = Limits { policy: Policy::Strict, max_items: 3, max_payload: 8 };
const LIMITS: [&Limits; 3] = [&Limits::STRICT, &Limits::LENIENT, &NARROW];

struct Null;

impl Write for Null {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

fn print(value: &impl Debug) {
    write!(Null, "{value:?}").expect("a value can be printed");
}

pub(crate) fn decode<'a, T: Decode<'a> + Encode<'a> + PartialEq + Debug>(
    bytes: &'a [u8],
    cut: usize,
) {
    for limits in LIMITS {
        let mut c = Cursor::with(bytes, limits);
        let decoded = c.decode::<T>();
        let slow = explain::<T>(bytes, limits);
        match &decoded {
            Ok(value) => {
                assert_eq!(slow, None);
                let len = c.position();
                assert_eq!(len + c.remaining(), bytes.len());
                assert!(len >= T::MIN_LEN as usize);
                assert!(T::MAX_LEN == u32::MAX || len <= T::MAX_LEN as usize);
                assert!(!T::FIXED || len == T::MIN_LEN as usize);
                print(value);
            }
            Err(error) => {
                assert_eq!(c.position(), 0, "an error moved the position");
                assert_eq!(slow.map(|slow| slow.error), Some(*error));
                check_error(error, bytes);
                write!(Null, "{error} {}", slow.expect("compared")).expect("errors can be printed");
            }
        }
        head(bytes, cut, limits, &decoded);
    }
}

fn check_error(error: &DecodeError, bytes: &[u8]) {
    assert!(error.offset as usize <= bytes.len(), "{error} of {}", bytes.len());
    match error.kind {
        ErrorKind::Short { needed, left } => {
            assert!(left < needed, "{error}");
            assert_eq!(error.offset as usize + left as usize, bytes.len(), "{error}");
        }
        ErrorKind::TooLong { len, limit } => assert!(len > limit, "{error}"),
        ErrorKind::TooMany { count, limit } => assert!(count > limit, "{error}"),
        ErrorKind::Bool(value) => assert!(value > 1, "{error}"),
        ErrorKind::NotHere { .. } | ErrorKind::Scratch { .. } => {
            panic!("{error}, but all bytes are here")
        }
        _ => {}
    }
}

/// With the first bytes only: what is wrong then is that others are not here, or what is wrong with
/// all of them.
fn head<'a, T: Decode<'a> + Debug>(
    bytes: &'a [u8],
    cut: usize,
    limits: &'a Limits,
    whole: &Result<T, DecodeError>,
) {
    let Ok(len) = u32::try_from(bytes.len()) else { return };
    match (Cursor::head(&bytes[..cut], len, limits).decode::<T>(), whole) {
        (Ok(value), _) => print(&value),
        (Err(error), Ok(_)) => {
            assert!(matches!(error.kind, ErrorKind::NotHere { .. }), "{error}");
        }
        // The pad of a payload that is not here cannot be judged yet.
        (Err(_), Err(other))
            if other.kind == ErrorKind::Padding && other.offset as usize >= cut => {}
        (Err(error), Err(other)) => {
            assert!(
                error == *other || matches!(error.kind, ErrorKind::NotHere { .. }),
                "{error} with {cut} bytes, {other} with all"
            );
        }
    }
}

fn growable<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (vec![0xff; 8], Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).expect("it was decoded");
    assert_eq!(e.finish(), value.encoded_len());
    segments.view(&head).to_vec().expect("it is in memory")
}

fn fixed<'p, T: Encode<'p>>(value: &T, room: usize) -> Result<Vec<u8>, EncodeError> {
    let (mut head, mut segments) = (vec![0xff; room], Segments::new());
    let mut e = Encoder::fixed(&mut head, &mut segments);
    let put = e.put(value);
    if put.is_err() {
        assert!(e.is_empty(), "half a value is left");
    }
    e.finish();
    put.map(|()| segments.view(&head).to_vec().expect("it is in memory"))
}

fn paged<'p, T: Encode<'p>>(value: &T, sizes: [usize; 2]) -> Vec<u8> {
    let room = usize::try_from(value.encoded_len()).expect("it is in memory");
    let pages = 2 * (room / sizes.iter().sum::<usize>() + 2);
    let mut head: Vec<Vec<u8>> =
        sizes.into_iter().cycle().take(pages).map(|size| vec![0xff; size]).collect();
    let mut segments = Segments::new();
    let mut e = Encoder::pages(&mut head, &mut segments);
    e.put(value).expect("the pages suffice");
    assert_eq!(e.finish(), value.encoded_len());
    segments.view(&head as &dyn Pages).to_vec().expect("it is in memory")
}

pub(crate) fn round<'a, T: Decode<'a> + Encode<'a> + PartialEq + Debug>(
    bytes: &'a [u8],
    [a, b]: [u8; 2],
) {
    let mut c = Cursor::new(bytes);
    let strict = c.decode::<T>();
    let mut lenient = Cursor::with(bytes, &Limits::LENIENT);
    let forgiven = lenient.decode::<T>();
    if let Ok(value) = &strict {
        let wire = &bytes[..c.position()];
        assert_eq!(growable(value), wire);
        let sizes = [4 * (usize::from(a) % 17), 4 + 4 * (usize::from(b) % 17)];
        assert_eq!(paged(value, sizes), wire);
        assert_eq!(fixed(value, wire.len()).as_deref(), Ok(wire));
        let room = usize::from(a) % (wire.len() + 1);
        match fixed(value, room) {
            Ok(bytes) => assert_eq!(bytes, wire),
            Err(error) => {
                assert!(matches!(error, EncodeError::NoSpace { missing: 1.. }), "{error}")
            }
        }
        assert_eq!(forgiven.as_ref(), Ok(value), "lenient takes all that strict takes");
        assert_eq!(c.position(), lenient.position());
    }
}

/// Cuts the bytes by the sizes in turn; the second one is not zero.
fn cut(bytes: &[u8], sizes: [usize; 2]) -> Vec<&[u8]> {
    let (mut parts, mut rest) = (Vec::new(), bytes);
    for size in sizes.into_iter().cycle() {
        let (first, more) = rest.split_at(size.min(rest.len()));
        parts.push(first);
        rest = more;
        if rest.is_empty() {
            break;
        }
    }
    parts
}

pub(crate) fn through<'a, T: Decode<'a> + Encode<'a>>(
    bytes: &'a [u8],
    limits: &'a Limits,
) -> Through {
    let mut c = Cursor::with(bytes, limits);
    c.decode::<T>().map(|value| (growable(&value), c.position()))
}

pub(crate) fn pieces<'a, T: Decode<'a> + Encode<'a>>(
    pieces: &'a [Piece<'a>],
    scratch: &'a mut [u8],
    limits: &'a Limits,
) -> Through {
    let mut p = Pieces::with(pieces, scratch, limits);
    p.decode::<T>().map(|value| (growable(&value), p.position()))
}

/// With a hole: only payloads may lie in it. What it hides cannot be compared.
pub(crate) fn hollow<'a, T: Decode<'a> + Encode<'a> + Debug>(
    pieces: &'a [Piece<'a>],
    scratch: &'a mut [u8],
    limits: &'a Limits,
) {
    match Pieces::with(pieces, scratch, limits).decode::<T>() {
        Ok(value) => {
            print(&value);
            let (mut head, mut segments) = (Vec::new(), Segments::new());
            match Encoder::growable(&mut head, &mut segments).put(&value) {
                Ok(()) | Err(EncodeError::NotHere) => {}
                Err(error) => panic!("{error}"),
            }
        }
        Err(error) => print(&error),
    }
}

pub(crate) fn consume<'a, T: Decode<'a> + Encode<'a>>(bytes: &'a [u8], [a, b]: [u8; 2]) {
    let mut c = Cursor::new(bytes);
    let Ok(value) = c.decode::<T>() else { return };
    let wire = &bytes[..c.position()];
    let (copy_break, step) = (u32::from(a) % 40, 1 + usize::from(b) % 90);

    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments).copy_break(copy_break);
    e.put(&value).expect("it was decoded");
    e.finish();
    let stats = segments.stats();
    let sum = stats.head + stats.copied + stats.referenced;
    assert_eq!((sum, stats.segments), (wire.len() as u64, segments.count()));
    consumers(&segments.view(&head), wire, step);

    let front = [1, 2, 3, 4];
    let behind: Vec<u8> = [&front[..], wire].concat();
    consumers(&segments.view(&head).behind(&front), &behind, step);

    let mut pages = vec![[0xff; 12]; wire.len() / 12 + 2];
    let mut segments = Segments::new();
    let mut e = Encoder::pages(&mut pages, &mut segments).copy_break(copy_break);
    e.put(&value).expect("the pages suffice");
    e.finish();
    consumers(&segments.view(&pages as &dyn Pages), wire, step);
}

/// All ways to send a message, some bytes at a time.
fn consumers(message: &Message<'_, '_>, wire: &[u8], step: usize) {
    assert_eq!(message.len(), wire.len() as u64);
    assert_eq!(message.to_vec().as_deref(), Ok(wire));
    if let Some(slice) = message.as_single_slice() {
        assert_eq!(slice, wire);
    }

    let (mut at, mut sent) = (Position::START, Vec::new());
    while let Some(chunk) = message.chunk(at) {
        let Chunk::Bytes(bytes) = chunk else { panic!("no file was put") };
        let n = bytes.len().min(step);
        assert!(n > 0, "an empty segment");
        sent.extend_from_slice(&bytes[..n]);
        at = message.advance(at, n);
    }
    assert!(message.is_end(at));
    assert_eq!(sent, wire, "by chunks");

    let (mut at, mut sent) = (Position::START, Vec::<u8>::new());
    while !message.is_end(at) {
        let mut slices = [IoSlice::new(&[]); 3];
        let used = message.io_slices(at, &mut slices);
        assert!(used > 0);
        let before = sent.len();
        let all = slices[..used].iter().flat_map(|slice| slice.iter());
        sent.extend(all.copied().take(step));
        at = message.advance(at, sent.len() - before);
    }
    assert_eq!(sent, wire, "by vectors");

    let (mut buf, mut sent) = (message.buf().expect("it is in memory"), Vec::new());
    while buf.has_remaining() {
        assert_eq!(buf.remaining() + sent.len(), wire.len());
        let n = buf.chunk().len().min(step);
        sent.extend_from_slice(&buf.chunk()[..n]);
        buf.advance(n);
    }
    assert_eq!(sent, wire, "by a Buf");

    for placement in message.placements() {
        let start = usize::try_from(placement.position).expect("it is in memory");
        let mut placed = Vec::new();
        for chunk in message.placed(&placement) {
            let Chunk::Bytes(bytes) = chunk else { panic!("no file was put") };
            placed.extend_from_slice(bytes);
        }
        assert_eq!(placed, wire[start..start + placement.len as usize]);
    }
}
