//! COMPOUND put together operation by operation and result by result, or all at once, and read so:
//! the same as the whole message encoded and decoded as one value.

use nfswire_nfs4::{
    OpNum, Status,
    compound::{
        Argop, Bounds, BuildError, CompoundArgs, CompoundBuilder, CompoundReply, CompoundWriter,
        OpArgs, OpReply, ReplyLimits, ReplyReader, Resop, Results, Standing, WriteError,
        put_results,
    },
    ops::{
        attr::{AccessReply, GetattrReply, SetattrReply},
        dir::{ReaddirReply, RemoveReply},
        filehandle::{GetfhReply, PutfhReply, PutrootfhReply, RestorefhReply, SavefhReply},
        io::{ReadPlusReply, ReadReply, WriteReply},
        lock::LockReply,
        lookup::{LookupReply, ReadlinkReply},
        open::OpenReply,
        session::SequenceReply,
    },
};
use nfswire_xdr::{
    Array, Cursor, Encode, EncodeError, Encoder, Pages, Piece, Pieces, Segments, Text, Wire,
    from_bytes,
};

use crate::{
    input::Input,
    nfs4::{front, written},
};

/// A reply of results of these types: all at once, and one by one, as a client reads it too.
macro_rules! shape {
    ($reply:ident: $($n:ident $t:ty),*) => {{
        $( let $n: $t = $reply.next(); )*
        let results = ($($n,)*);
        let ($($n,)*) = &results;
        let parts = [$( Part {
            status: OpReply::status($n),
            bytes: written(|e| {
                e.put(&<$t as OpReply<'_>>::OP)?;
                e.put($n)
            }),
        } ),*];
        $reply.check(&results, &parts);

        let limits = ReplyLimits { max: u64::MAX, max_cached: u64::MAX, ..$reply.limits };
        let mut status = Status::OK;
        let wire = written(|e| {
            let mut writer = CompoundWriter::new(e, $reply.tag, limits).expect("no limit");
            $(
                match writer.put($n) {
                    Ok(()) => status = OpReply::status($n),
                    Err(error) => assert!(error == WriteError::Ended && status != Status::OK),
                }
            )*
            writer.finish().map(drop)
        });
        let grows = Place { kind: 0, room: 0 };
        let (all, at_once) = grows.write(|e| put_results(e, $reply.tag, &limits, &results));
        let mut reader = ReplyReader::open(Cursor::new(&wire)).expect("a reply");
        let mut whole = reader.clone();
        if all.is_ok() {
            assert_eq!(wire, at_once);
            assert_eq!(whole.all().as_ref(), Some(&results));
            assert_eq!(whole.finish(), Ok(status));
        } else {
            assert!(!same_type(&results, whole.all()));
        }
        // With a result more there would have been more to read.
        let mut more = wire.clone();
        more[7 + $reply.tag.encoded_len() as usize] += 1;
        let mut longer = ReplyReader::open(Cursor::new(&more)).expect("a reply");
        assert!(!same_type(&results, longer.all()));
        let mut done = true;
        $(
            assert_eq!(reader.expect::<$t>().expect("a reply").as_ref(), done.then_some($n));
            done = done && OpReply::status($n) == Status::OK;
        )*
        assert_eq!((reader.finish(), done), (Ok(status), status == Status::OK));
    }};
}

fn same_type<R>(_: &R, read: Option<R>) -> bool {
    read.is_some()
}

/// Any operations and results within any limits, written and read in every way that there is.
pub fn compound_build(data: &[u8]) {
    let mut input = Input(data);
    let shape = input.byte();
    let place = Place { kind: input.below(4), room: usize::from(input.byte()) * 4 };
    let limit = u64::from(input.byte()) * 4;
    let tag = Text::try_from(&"a tag"[..input.below(6)]).expect("short");
    let max_cached = if shape & 0x80 > 0 { u64::from(input.byte()) * 4 } else { u64::MAX };
    let bytes = input.0;
    request(bytes, tag, limit, place);
    let limits =
        ReplyLimits { max_cached, ..ReplyLimits::transport(u32::from(shape) & 1, limit, 0) };
    let status = Status(10_000 + u32::from(shape));
    let mut reply = Reply { c: Cursor::new(bytes), status, tag, limits, place };
    let reply = &mut reply;
    match shape & 7 {
        0 => shape!(reply: a SequenceReply, b PutfhReply, c ReadReply<'_>),
        1 => {
            shape!(reply: a SequenceReply, b PutfhReply, c OpenReply<'_>, d GetfhReply<'_>, e GetattrReply<'_>)
        }
        2 => shape!(reply: a PutfhReply, b WriteReply, c GetattrReply<'_>),
        3 => shape!(reply: a ReadReply<'_>, b ReadReply<'_>, c ReadPlusReply<'_>, d ReadReply<'_>),
        4 => {
            shape!(reply: a PutrootfhReply, b SavefhReply, c LookupReply, d GetfhReply<'_>, e AccessReply, f GetattrReply<'_>, g RestorefhReply, h RemoveReply)
        }
        5 => shape!(reply: a PutfhReply, b ReaddirReply<'_>),
        6 => shape!(reply: a SetattrReply<'_>, b LockReply<'_>),
        _ => shape!(reply: a ReadlinkReply<'_>),
    }
    read(bytes, place.room);
}

/// The results of operations, by their seeds: types by the names that vectors give them.
pub(crate) const SHAPES: [&[&str]; 8] = [
    &["SEQUENCE4res", "PUTFH4res", "READ4res"],
    &["SEQUENCE4res", "PUTFH4res", "OPEN4res", "GETFH4res", "GETATTR4res"],
    &["PUTFH4res", "WRITE4res", "GETATTR4res"],
    &["READ4res", "READ4res", "READ_PLUS4res", "READ4res"],
    &[
        "PUTROOTFH4res",
        "SAVEFH4res",
        "LOOKUP4res",
        "GETFH4res",
        "ACCESS4res",
        "GETATTR4res",
        "RESTOREFH4res",
        "REMOVE4res",
    ],
    &["PUTFH4res", "READDIR4res"],
    &["SETATTR4res", "LOCK4res"],
    &["READLINK4res"],
];

/// Where a message is written: what precedes it, and how much room there is in a head that does not
/// grow.
#[derive(Clone, Copy)]
struct Place {
    kind: usize,
    room: usize,
}

/// The words that stand before.
const BEFORE: [u32; 2] = [0xdead_beef, 7];

impl Place {
    /// What `f` gives, and the bytes behind the words.
    fn write<'p, R>(self, f: impl FnOnce(&mut Encoder<'_, 'p>) -> R) -> (R, Vec<u8>) {
        let mut segments = Segments::new();
        let (value, bytes) = match self.kind {
            0 | 1 => {
                let mut head = Vec::new();
                let copy_break = (self.kind * self.room) as u32;
                let e = Encoder::growable(&mut head, &mut segments).copy_break(copy_break);
                let value = framed(e, f);
                (value, segments.view(&head).to_vec())
            }
            2 => {
                let mut head = vec![0xff; 8 + self.room];
                let value = framed(Encoder::fixed(&mut head, &mut segments), f);
                (value, segments.view(&head).to_vec())
            }
            _ => {
                let sizes = [8, 4 + self.room % 64, 60].into_iter().cycle();
                let mut head: Vec<Vec<u8>> = sizes.take(400).map(|n| vec![0xff; n]).collect();
                let value = framed(Encoder::pages(&mut head, &mut segments), f);
                (value, segments.view(&head as &dyn Pages).to_vec())
            }
        };
        let bytes = bytes.expect("it is in memory");
        assert_eq!(bytes[..8], BEFORE.map(u32::to_be_bytes).concat());
        (value, bytes[8..].to_vec())
    }

    /// Whether there can be too little room in the head.
    fn is_scarce(self) -> bool {
        self.kind > 1
    }

    fn scarce(self, error: &EncodeError) {
        assert!(
            matches!(error, EncodeError::NoSpace { missing: 1.. }) && self.is_scarce(),
            "{error}"
        );
    }
}

fn framed<'h, 'p, R>(mut e: Encoder<'h, 'p>, f: impl FnOnce(&mut Encoder<'h, 'p>) -> R) -> R {
    BEFORE.iter().for_each(|word| e.put(word).expect("there is room"));
    let value = f(&mut e);
    e.finish();
    value
}

//--- Requests ---

/// Operations within a limit: those that have room, as a list of them is encoded.
fn request(bytes: &[u8], tag: Text<'_>, limit: u64, place: Place) {
    let (tag, minor, ops) = match front::<CompoundArgs<'_>>(bytes) {
        Some((args, _)) => (args.tag, args.minor_version, args.ops.iter().collect()),
        None => {
            let mut c = Cursor::new(bytes);
            let ops: Vec<_> = core::iter::from_fn(|| c.decode().ok()).take(40).collect();
            (tag, 1, ops)
        }
    };
    let bounds = Bounds::default();
    let (taken, wire) = place.write(|e| {
        let mut builder = match CompoundBuilder::new(e, tag, minor, limit) {
            Ok(builder) => builder,
            Err(error) => {
                place.scarce(&error);
                return None;
            }
        };
        let mut taken: Vec<Argop<'_>> = Vec::new();
        let mut bound = tag.encoded_len() + 8;
        for (index, op) in ops.iter().enumerate() {
            let (before, len) = (builder.len(), op.encoded_len());
            // By its arguments, of which the types say how long a result may be.
            let added = if index % 2 == 0 { add(&mut builder, op) } else { None };
            let (result, most) =
                added.unwrap_or_else(|| (builder.push(op, &bounds), op.reply_bound(&bounds)));
            match result {
                Ok(()) => {
                    assert!(before + len <= limit && builder.len() == before + len);
                    taken.push(op.clone());
                    bound = bound.saturating_add(most);
                }
                Err(BuildError::TooBig { len: would, limit: most }) => {
                    assert!(would == before + len && would > limit && most == limit);
                }
                Err(BuildError::Encode(error)) => place.scarce(&error),
                Err(error) => panic!("{error}"),
            }
            if result.is_err() {
                assert_eq!(builder.len(), before, "half an operation is left");
            }
            assert_eq!(builder.reply_bound(), bound);
        }
        assert_eq!(builder.is_empty(), taken.is_empty());
        assert_eq!(builder.finish(), Ok(taken.len() as u32));
        Some(taken)
    });
    let Some(taken) = taken else { return };
    let args = CompoundArgs {
        tag,
        minor_version: minor,
        ops: Array::from_slice(&taken).expect("a short list"),
    };
    assert_eq!(wire, written(|e| e.put(&args)));
    // A failure is never longer than the bound of its operation.
    for op in &taken {
        let failure = Resop::failure(op.op(), Status::DELAY);
        assert!(failure.encoded_len() <= op.reply_bound(&bounds), "{op:?}");
    }
}

/// Adds an operation by its arguments; the longest result, its number included.
fn add<'p>(
    builder: &mut CompoundBuilder<'_, '_, 'p>,
    op: &Argop<'p>,
) -> Option<(Result<(), BuildError>, u64)> {
    fn one<'p, A: OpArgs<'p>>(
        builder: &mut CompoundBuilder<'_, '_, 'p>,
        args: &A,
    ) -> Option<(Result<(), BuildError>, u64)> {
        let most = match A::Reply::MAX_LEN {
            u32::MAX => u64::MAX,
            len => u64::from(len) + 4,
        };
        Some((builder.add(args), most))
    }
    macro_rules! typed {
        ($($op:ident)*) => {
            match op {
                $( Argop::$op(args) => one(builder, args), )*
                _ => None,
            }
        };
    }
    typed! {
        Access Close Commit Create Getattr Link Lock Lockt Locku Lookup Open OpenConfirm Putfh Read
        Readdir Remove Rename Setattr Verify Write ExchangeId CreateSession Sequence Layoutget
        TestStateid Copy Clone Allocate ReadPlus Getxattr Setxattr Listxattrs
    }
}

//--- Replies ---

/// A reply that is to be made, of results that are decoded from the front of `c`.
struct Reply<'a> {
    c: Cursor<'a>,
    /// Of results that cannot be decoded.
    status: Status,
    tag: Text<'a>,
    limits: ReplyLimits,
    place: Place,
}

/// A result by itself.
struct Part {
    status: Status,
    bytes: Vec<u8>,
}

impl<'a> Reply<'a> {
    /// The next result: its number, which is not looked at, and itself.
    fn next<R: OpReply<'a>>(&mut self) -> R {
        let number = self.c.decode::<u32>();
        number.and_then(|_| self.c.decode()).unwrap_or_else(|_| R::failure(self.status))
    }

    /// All results at once.
    fn check<R: Results<'a> + PartialEq + core::fmt::Debug>(&self, results: &R, parts: &[Part]) {
        assert_eq!(R::COUNT as usize, parts.len());
        let failed = parts.iter().position(|part| part.status != Status::OK);
        let ended = failed.is_some_and(|index| index + 1 < parts.len());
        let last = parts.last().expect("there is one").status;
        let sum: usize = parts.iter().map(|part| part.bytes.len()).sum();
        let len = self.tag.encoded_len() + 8 + sum as u64;
        assert_eq!(results.status(), (!ended).then_some(last));
        let (result, wire) = self.place.write(|e| put_results(e, self.tag, &self.limits, results));
        match result {
            Ok(status) => assert_eq!((status, ended), (last, false)),
            Err(WriteError::Ended) => assert!(ended),
            Err(WriteError::TooBig { status, len: would }) => {
                assert!(!ended && would == len);
                assert_eq!(self.beyond(len), Some(status));
            }
            Err(WriteError::Encode(error)) => {
                assert!(!ended && self.beyond(len).is_none());
                self.place.scarce(&error);
            }
            Err(error) => panic!("{error}"),
        }
        // Limits hold to the byte.
        for (max, max_cached) in [(len, len), (len - 1, len), (len, len - 1)] {
            let limits = ReplyLimits { max, max_cached, ..self.limits };
            let grows = Place { kind: 0, room: 0 };
            let (result, _) = grows.write(|e| put_results(e, self.tag, &limits, results));
            assert_eq!(result.is_ok(), !ended && len <= max.min(max_cached));
        }
        if result.is_err() {
            assert!(wire.is_empty(), "half a reply is left");
            return;
        }
        assert_eq!(self.beyond(len), None);
        let parts = parts.iter().map(|part| &part.bytes[..]);
        let expected = written(|e| {
            e.put(&last)?;
            e.put(&self.tag)?;
            e.put(&R::COUNT)
        });
        assert_eq!(wire, [&expected[..], &parts.collect::<Vec<_>>().concat()].concat());
    }

    /// The status of a reply of `len` bytes if that is too long.
    fn beyond(&self, len: u64) -> Option<Status> {
        let ReplyLimits { max, max_cached, too_big } = self.limits;
        match len {
            _ if len > max => Some(too_big),
            _ if len > max_cached => Some(Status::REP_TOO_BIG_TO_CACHE),
            _ => None,
        }
    }
}

//--- Reading replies ---

/// Any bytes, read result by result: what the whole message says, up to the first failure.
fn read(bytes: &[u8], step: usize) {
    let whole = from_bytes::<CompoundReply<'_>>(bytes);
    let Ok(mut reader) = ReplyReader::open(Cursor::new(bytes)) else {
        assert!(whole.is_err());
        return;
    };
    let (start, count) = (reader.clone(), reader.result_count());
    let (mut asked, mut results, mut fault) = (Vec::new(), Vec::new(), None);
    while fault.is_none() && asked.len() < count as usize {
        // Whatever comes was asked for, if anybody can ask for it.
        let number = reader.source().rest().first_chunk().map(|word| u32::from_be_bytes(*word));
        let known = number.map(OpNum).filter(|op| op.standing(2) != Standing::Illegal);
        let op = known.unwrap_or(OpNum::ILLEGAL);
        asked.push(op);
        match reader.next(op) {
            Ok(result) => results.push(result.expect("below the count")),
            Err(error) => fault = Some(error),
        }
    }
    if fault.is_none() {
        let more = reader.clone().next(OpNum::GETATTR);
        assert_eq!(more.ok(), (reader.status() != Status::OK).then_some(None));
    }
    let status = reader.status();
    let end = fault.map_or_else(|| reader.finish(), Err);
    assert!(end.is_err() || end == Ok(status));
    match &whole {
        Ok(reply) => {
            assert_eq!((reply.status, reply.tag), (start.status(), start.tag()));
            let list: Vec<_> = reply.results.iter().collect();
            let failed = list.iter().position(|result| result.status() != Status::OK);
            let done = failed.map_or(list.len(), |index| index + 1);
            assert_eq!(results, list[..done]);
            let last = list.last().map_or(status, Resop::status);
            assert_eq!(end.is_ok(), done == list.len() && last == status);
        }
        Err(error) => assert!(end.is_err(), "{error}, but the reader read through"),
    }

    // In pieces, and asked for something else.
    let parts: Vec<Piece<'_>> = bytes.chunks(1 + step).map(Piece::Here).collect();
    let mut scratch = vec![0; bytes.len()];
    let mut pieces = ReplyReader::open(Pieces::new(&parts, &mut scratch)).expect("it was opened");
    for (op, result) in asked.iter().zip(&results) {
        let piece = pieces.next(*op).expect("it was read").expect("it was there");
        assert_eq!(written(|e| e.put(&piece)), written(|e| e.put(result)));
    }
    if asked.len() == results.len() {
        assert_eq!(pieces.finish(), end);
    } else {
        assert!(pieces.next(asked[results.len()]).is_err());
    }
    if let (Some(op), Some(first)) = (asked.first(), results.first()) {
        let other = if *op == OpNum::GETFH { OpNum::PUTFH } else { OpNum::GETFH };
        let illegal = first.op() == OpNum::ILLEGAL;
        assert_eq!(start.clone().next(other).is_ok(), illegal);
    }
}
