//! NFSv4: its types, and beside them the readers and writers that go operation by operation,
//! attribute by attribute and layout type by layout type, which must say the same.

use nfswire_nfs4::{
    LayoutType, Status,
    attrs::{AttrError, AttrValue, Fattr, Selected, StandardAttrs},
    callback::{self, CbCompoundArgs, CbCompoundReply, RequestReader, RequestWriter},
    compound::{
        Accepted, CompoundArgs, CompoundReader, CompoundReply, CompoundWriter, OpenError, Reason,
        ReplyLimits, Resop, WriteError,
    },
    layout::{ContentBody, DeviceAddrBody, HintBody, ReturnBody, StatsBody, UpdateBody, WccBody},
};
use nfswire_xdr::{
    Cursor, Decode, Encode, EncodeError, Encoder, Limits, Opaque, Segments, Text, from_bytes,
};

use crate::{input::Input, values::program};

/// What stands behind the choices of type and treatment.
fn bytes_of(data: &[u8]) -> &[u8] {
    data.get(3..).unwrap_or_default()
}

pub(crate) fn written<'p>(
    put: impl FnOnce(&mut Encoder<'_, 'p>) -> Result<(), EncodeError>,
) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    put(&mut e).expect("it was decoded");
    e.finish();
    segments.view(&head).to_vec().expect("it is in memory")
}

/// The value at the start of the bytes, and those it was decoded from.
pub(crate) fn front<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Option<(T, &'a [u8])> {
    let mut c = Cursor::new(bytes);
    let value = c.decode().ok()?;
    Some((value, &bytes[..c.position()]))
}

//--- COMPOUND ---

/// Arguments of COMPOUND: the reader gives the operations that the list has, up to one it refuses;
/// what cannot be decoded, it refuses. Answers keep to their limits.
pub fn compound_args(data: &[u8]) {
    program("compound_args", data);
    let bytes = bytes_of(data);
    let whole = Cursor::new(bytes).decode::<CompoundArgs<'_>>();
    let accepted = Accepted { max_ops: u32::MAX, ..Accepted::default() };
    let mut reader = match CompoundReader::open(Cursor::new(bytes), &accepted) {
        Ok(reader) => reader,
        Err(OpenError::MinorVersion { tag, minor_version }) => {
            assert!(minor_version > 2);
            if let Ok(args) = whole {
                assert_eq!((args.tag, args.minor_version), (tag, minor_version));
            }
            return;
        }
        Err(OpenError::Malformed(_)) => {
            assert!(whole.is_err());
            return;
        }
    };
    let ops: Vec<_> = reader.by_ref().collect();
    let refusal = reader.refusal().copied();
    match (&whole, &refusal) {
        (Ok(args), refusal) => {
            assert_eq!((args.tag, args.minor_version), (reader.tag(), reader.minor_version()));
            assert_eq!(args.ops.len(), reader.op_count());
            assert!(args.ops.iter().zip(&ops).all(|(listed, read)| listed == *read));
            assert!(ops.len() <= args.ops.len() as usize);
            assert_eq!(args.validate().err(), *refusal);
            match refusal {
                Some(refusal) => {
                    assert!(!matches!(refusal.reason, Reason::Malformed(_)), "{refusal}");
                    assert_eq!(refusal.index as usize, ops.len());
                }
                None => assert_eq!(ops.len(), args.ops.len() as usize),
            }
        }
        (Err(_), Some(_)) => {}
        (Err(error), None) => panic!("the reader read through bytes with {error}"),
    }

    // Numbers alone, arguments stepped over: the same operations.
    let mut numbers = CompoundReader::open(Cursor::new(bytes), &accepted).expect("it was opened");
    let mut count = 0;
    while let Some(op) = numbers.next_op() {
        assert_eq!(Some(op), ops.get(count).map(|op| op.op()).or(refusal.map(|_| op)));
        count += 1;
    }
    assert_eq!(numbers.refusal().copied(), refusal);

    // A server that does nothing: every operation fails, within any limit.
    let max = u64::from(Input(data.get(1..).unwrap_or_default()).byte()) * 2;
    for op in &ops {
        let status = Status(10_000 + max as u32 % 100);
        let results = [Resop::failure(op.op(), status)];
        assert_eq!(results[0].status(), status);
        answer(reader.tag(), &results, max);
    }
}

/// Replies to COMPOUND: written one result at a time within limits, they are the same bytes.
pub fn compound_results(data: &[u8]) {
    program("compound_results", data);
    let Some((reply, wire)) = front::<CompoundReply<'_>>(bytes_of(data)) else { return };
    let results: Vec<_> = reply.results.iter().collect();
    let mut choice = Input(data.get(1..).unwrap_or_default());
    answer(reply.tag, &results, u64::from(choice.byte()) * 5);
    let (taken, bytes) = answer(reply.tag, &results, wire.len() as u64);
    // A reply that ends with its first failure is what we write, if its status is right.
    if taken == results.len() {
        assert_eq!(bytes[4..], wire[4..]);
    }
}

/// Writes what has room; the number of results, and the reply.
fn answer(tag: Text<'_>, results: &[Resop<'_>], max: u64) -> (usize, Vec<u8>) {
    let limits = ReplyLimits::transport(1, max, 0);
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let Ok(mut writer) = CompoundWriter::new(&mut e, tag, limits) else {
        assert!(e.is_empty() && tag.encoded_len() + 8 > max);
        return (0, Vec::new());
    };
    let (mut taken, mut status) = (0, Status::OK);
    for result in results {
        let before = writer.len();
        let fits = before + result.encoded_len() <= max;
        assert_eq!(writer.fits(result.encoded_len(), None).is_ok(), fits);
        match writer.push(result) {
            Ok(()) => {
                assert!(fits && status == Status::OK);
                (taken, status) = (taken + 1, result.status());
            }
            Err(WriteError::Ended) => {
                assert!(status != Status::OK);
                break;
            }
            Err(WriteError::TooBig { len, .. }) => {
                assert!(!fits && len == before + result.encoded_len());
                assert_eq!(writer.len(), before, "half a result is left");
                break;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(writer.finish(), Ok(status));
    assert!(e.finish() <= max, "beyond the limit");
    let bytes = segments.view(&head).to_vec().expect("it is in memory");
    let reply: CompoundReply<'_> = from_bytes(&bytes).expect("a reply");
    assert_eq!((reply.status, reply.tag), (status, tag));
    assert_eq!(reply.results.len() as usize, taken);
    assert!(reply.results.iter().zip(results).all(|(read, put)| read == *put));
    (taken, bytes)
}

//--- Attributes ---

/// Lists of attributes: values as they are read, one by one and the usual ones at once, are the
/// bytes of the list, and what is written of them is the list.
pub fn attributes(data: &[u8]) {
    program("attributes", data);
    let Some((fattr, wire)) = front::<Fattr<'_>>(bytes_of(data)) else { return };
    let (mut values, mut fault) = (Vec::new(), None);
    let mut reader = fattr.values();
    for value in reader.by_ref() {
        match value {
            Ok(value) => values.push(value),
            Err(error) => fault = Some(error),
        }
    }
    assert_eq!(fattr.validate().err(), fault);
    // What was read and what was not are all of the list.
    let read: u64 = values.iter().map(Encode::encoded_len).sum();
    let raw = fattr.values.as_bytes();
    let (done, left) = raw.split_at(usize::try_from(read).expect("part of a list"));
    let again = written(|e| values.iter().try_for_each(|value| value.encode(e)));
    assert_eq!(again, done);
    match &fault {
        None => assert!(left.is_empty()),
        Some(AttrError::Unknown { rest, .. } | AttrError::Trailing { rest }) => {
            assert_eq!(*rest, left);
        }
        Some(AttrError::Value { error, .. }) => {
            assert!(error.offset as usize >= done.len() && error.offset as usize <= raw.len());
        }
        Some(other) => panic!("a fault that has no place: {other}"),
    }
    assert!(fattr.mask.iter().zip(&values).all(|(attr, value)| value.attr() == attr));

    let standard = StandardAttrs::from_fattr(&fattr);
    assert_eq!(standard.as_ref().err(), fault.as_ref());
    let Ok(standard) = standard else { return };
    let selected = Selected::new(&fattr.mask, values.as_slice());
    assert!(selected.mask().same(&fattr.mask));
    let list = written(|e| e.put(&selected));
    if fattr.mask.trimmed() == fattr.mask {
        assert_eq!(list, wire);
    }
    assert_eq!(standard.mask, fattr.mask.intersection(&StandardAttrs::ATTRS).trimmed());
    let usual: Vec<AttrValue<'_>> =
        values.into_iter().filter(|value| StandardAttrs::ATTRS.contains(value.attr())).collect();
    let expected = written(|e| e.put(&Selected::new(&standard.mask, usual.as_slice())));
    assert_eq!(written(|e| e.put(&standard.select(&fattr.mask))), expected);
}

//--- Callbacks ---

/// Messages of CB_COMPOUND: the reader gives the operations that the list has, and the writers write
/// what they are given.
pub fn callbacks(data: &[u8]) {
    program("callbacks", data);
    let bytes = bytes_of(data);
    let whole = front::<CbCompoundArgs<'_>>(bytes);
    if let Ok(mut reader) = RequestReader::open(Cursor::new(bytes)) {
        let (mut ops, mut fault) = (Vec::new(), None);
        for op in reader.by_ref() {
            match op {
                Ok(op) => ops.push(op),
                Err(error) => fault = Some(error),
            }
        }
        match (&whole, fault) {
            (Some((args, _)), fault) => {
                assert!(ops.iter().copied().eq(args.operations.iter().take(ops.len())));
                // Only the minor version can be against it.
                let illegal = matches!(fault, Some(callback::OpError::Illegal { .. }));
                assert!(illegal || (fault.is_none() && ops.len() as u32 == args.operations.len()));
            }
            (None, Some(error)) => assert_eq!(error.index() as usize, ops.len()),
            (None, None) => panic!("the reader read through what is no CB_COMPOUND"),
        }
    } else {
        assert!(whole.is_none());
    }
    if let Some((args, wire)) = whole {
        let again = written(|e| {
            let (minor, ident) = (args.minor_version, args.callback_ident);
            let mut writer = RequestWriter::new(e, args.tag, minor, ident)?;
            args.operations.iter().try_for_each(|op| writer.push(&op))?;
            writer.finish().map(drop)
        });
        assert_eq!(again, wire);
    }
    if let Some((reply, wire)) = front::<CbCompoundReply<'_>>(bytes) {
        let mut taken = 0;
        let again = written(|e| {
            let mut writer = callback::ReplyWriter::new(e, reply.tag)?;
            for result in reply.results.iter() {
                if writer.status() != Status::OK {
                    assert_eq!(writer.push(&result), Err(EncodeError::Contradiction));
                    break;
                }
                writer.push(&result)?;
                taken += 1;
            }
            writer.finish().map(drop)
        });
        if taken == reply.results.len() {
            assert_eq!(again[4..], wire[4..]);
        }
    }
}

//--- Layouts ---

/// Bodies of layouts: beside every layout type, all bytes or none.
pub fn layouts(data: &[u8]) {
    program("layouts", data);
    let mut choice = Input(data.get(1..).unwrap_or_default());
    let layout_type = LayoutType(u32::from(choice.byte()) % 7);
    let Some(body) = Opaque::new(bytes_of(data)) else { return };
    macro_rules! bodies {
        ($($body:ident)*) => {$(
            if let Ok(value) = $body::decode_with(layout_type, body, &Limits::STRICT) {
                assert_eq!(value.layout_type(), layout_type);
                let mut scratch = vec![0xff; body.len() as usize];
                match value.encode(&mut scratch) {
                    Ok(again) => {
                        assert!(again == body || matches!(value, $body::Empty(_)));
                        assert_eq!(value.encoded_len(), u64::from(again.len()));
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        )*};
    }
    bodies! { ContentBody DeviceAddrBody HintBody UpdateBody StatsBody ReturnBody WccBody }
}
