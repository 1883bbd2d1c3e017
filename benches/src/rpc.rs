//! The operations of the RPC layer.

use core::hint::black_box;
use std::io::Cursor as TheirCursor;

use nfs3_types::{
    rpc,
    xdr_codec::{Pack, Unpack},
};
use nfswire_nfs3::{DirOpArgs, FileName, remove::RemoveArgs};
use nfswire_rpc::{
    AuthSys, CallHeader, FragmentHeader, Lookup, RecordLimits, RecordMark, RecordReader,
    ReplayCache, ReplayLimits, parse_call, parse_reply,
};
use nfswire_xdr::{Cursor, Encode, Encoder, Segments};
use onc_rpc_peer::expected_message_len;

use crate::{
    measure::Loop,
    ops::{Op, pack, put},
    samples::{self, Onc},
};

/// Records in the stream that is read.
const RECORDS: u64 = 20;

/// Encodes a value behind its mark, again and again.
fn put_record<T: Encode<'static> + 'static>(value: T) -> Loop {
    let (mut head, mut segments) = (vec![0; 4096], Segments::new());
    Box::new(move |n| {
        for _ in 0..n {
            let value = black_box(&value);
            let mut e = Encoder::growable(&mut head, &mut segments);
            let mark = RecordMark::reserve(&mut e).expect("room for a mark");
            e.put(value).expect("a sample encodes");
            mark.close(&mut e).expect("an open record");
            black_box(e.finish());
        }
    })
}

/// The same with the mark apart, as a sender puts it in front.
fn put_apart<T: Encode<'static> + 'static>(value: T) -> Loop {
    let (mut head, mut segments) = (vec![0; 4096], Segments::new());
    Box::new(move |n| {
        for _ in 0..n {
            let mut e = Encoder::growable(&mut head, &mut segments);
            e.put(black_box(&value)).expect("a sample encodes");
            let len = u32::try_from(e.finish()).expect("a short record");
            black_box(FragmentHeader::new(true, len).expect("a short record").to_bytes());
        }
    })
}

/// The same by nfs3_types.
fn pack_record(message: rpc::rpc_msg<'static, 'static>) -> Loop {
    let mut out = Vec::with_capacity(4096);
    Box::new(move |n| {
        for _ in 0..n {
            samples::their_record(black_box(&message), &mut out);
            black_box(&mut out);
        }
    })
}

/// The same by onc-rpc, which writes no message without its mark.
fn serialise(message: Onc) -> Loop {
    let mut out = Vec::with_capacity(4096);
    Box::new(move |n| {
        for _ in 0..n {
            out.clear();
            black_box(&message).serialise_into(&mut out).expect("onc-rpc writes the sample");
            black_box(&mut out);
        }
    })
}

/// Reads a message with its mark by onc-rpc, which reads none without.
fn deserialise(record: Vec<u8>) -> Loop {
    Box::new(move |n| {
        for _ in 0..n {
            black_box(onc_rpc_peer::RpcMessage::try_from(black_box(&record[..])))
                .expect("onc-rpc reads the sample");
        }
    })
}

/// A user's call.
fn calls() -> Vec<Op> {
    let call = samples::bytes_of(&samples::call());
    let bytes = call.clone();
    let ours: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut c = Cursor::new(black_box(&bytes));
            let header = parse_call(&mut c).expect("the sample is a call");
            black_box(AuthSys::from_auth(&header.credential).expect("of a user"));
            black_box(&header);
        }
    });
    let bytes = call;
    let theirs: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut from = TheirCursor::new(black_box(&bytes[..]));
            let message = rpc::rpc_msg::unpack(&mut from).expect("nfs3_types reads the call").0;
            if let rpc::msg_body::CALL(call) = &message.body {
                let mut from = TheirCursor::new(&call.cred.body[..]);
                black_box(rpc::auth_unix::unpack(&mut from).expect("of a user"));
            }
            black_box(&message);
        }
    });
    let decode = Op::new("C1", "call header and AUTH_SYS decode", (330, 0.40), ours, Some(theirs));
    let (ours, theirs) = (put(samples::call()), pack(samples::their_call()));
    let encode = Op::new("C2", "call header encode", (130, 0.7), ours, theirs);
    let (ours, theirs) = (put_record(samples::call()), pack_record(samples::their_call()));
    let marked = Op::new("C2m", "the same behind its mark", (0, 0.0), ours, Some(theirs));
    vec![
        decode.beside("onc-rpc", deserialise(samples::record_of(&samples::call()))),
        encode
            .beside("onc-rpc", serialise(samples::onc_call_of_bytes()))
            .with_stats(&samples::call()),
        marked.beside("onc-rpc", serialise(samples::onc_call_of_bytes())),
    ]
}

/// A success.
fn replies() -> Vec<Op> {
    let reply = samples::bytes_of(&samples::reply());
    let bytes = reply.clone();
    let ours: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut c = Cursor::new(black_box(&bytes));
            black_box(parse_reply(&mut c).expect("the sample is a reply"));
        }
    });
    let theirs: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut from = TheirCursor::new(black_box(&reply[..]));
            black_box(rpc::rpc_msg::unpack(&mut from).expect("nfs3_types reads the reply"));
        }
    });
    let decode = Op::new("reply-d", "reply header decode", (0, 0.0), ours, Some(theirs));
    let (ours, theirs) = (put_record(samples::reply()), pack_record(samples::their_reply()));
    let encode =
        Op::new("reply-e", "reply header encode behind its mark", (0, 0.0), ours, Some(theirs));
    let (ours, theirs) = (put_apart(samples::reply()), pack_record(samples::their_reply()));
    let apart = Op::new("reply-a", "the same, the mark apart", (0, 0.0), ours, Some(theirs));
    vec![
        decode.beside("onc-rpc", deserialise(samples::record_of(&samples::reply()))),
        encode.beside("onc-rpc", serialise(samples::onc_reply())),
        apart.beside("onc-rpc", serialise(samples::onc_reply())),
    ]
}

/// Records of a stream, of one fragment each, found where they were received. The peers read marks
/// and no more: neither joins fragments, remembers where it was, or has limits.
fn records() -> Op {
    let record = samples::record_of(&samples::call());
    let stream: Vec<u8> = (0..RECORDS).flat_map(|_| record.clone()).collect();
    let mut bytes = stream.clone();
    let mut reader = RecordReader::new(RecordLimits::DEFAULT);
    let ours: Loop = Box::new(move |n| {
        for _ in 0..n {
            let found = loop {
                match reader.advance(black_box(&mut bytes)).expect("a sound stream") {
                    Some(place) => break bytes.get(place),
                    None => reader = RecordReader::new(RecordLimits::DEFAULT),
                }
            };
            black_box(found.expect("it is there"));
        }
    });
    let (bytes, mut at) = (stream.clone(), 0);
    let theirs: Loop = Box::new(move |n| {
        for _ in 0..n {
            let rest = black_box(&bytes).get(at..).unwrap_or_default();
            let (mark, rest) = rest.split_first_chunk::<4>().expect("a mark");
            let mark = rpc::fragment_header::from(*mark);
            assert!(mark.eof(), "nfs3_types does not join fragments");
            let len = usize::try_from(mark.fragment_length()).expect("short");
            black_box(rest.get(..len).expect("a whole record"));
            at = if rest.len() == len { 0 } else { at + 4 + len };
        }
    });
    let (bytes, mut at) = (stream, 0);
    let onc: Loop = Box::new(move |n| {
        for _ in 0..n {
            let rest = black_box(&bytes).get(at..).unwrap_or_default();
            let len = expected_message_len(rest).expect("a mark");
            let len = usize::try_from(len).expect("short");
            black_box(rest.get(4..len).expect("a whole record"));
            at = if rest.len() == len { 0 } else { at + len };
        }
    });
    let name = "record found in a stream, of one fragment";
    Op::new("record", name, (0, 0.0), ours, Some(theirs)).beside("onc-rpc", onc)
}

/// A REMOVE that comes again: its key, the lookup, and the reply behind its mark.
fn replay() -> Op {
    let name = FileName::new(b"file-number-000001").expect("a short name");
    let args = RemoveArgs { object: DirOpArgs { dir: samples::handle(), name } };
    let args = samples::bytes_of(&args);
    let reply = [samples::bytes_of(&samples::reply()), vec![0; 100]].concat();
    let mut cache =
        ReplayCache::<u64, ()>::new(ReplayLimits::DEFAULT, [7; 16]).expect("room for a cache");
    // Other calls beside it, as in a server that has run for a while.
    for xid in 0..1000 {
        let call = CallHeader { xid, ..samples::call() };
        let key = cache.key(1, &call, &args);
        let Lookup::New(execution) = cache.lookup(key) else { unreachable!("it is new") };
        drop(cache.finish(execution, &reply));
    }
    let call = CallHeader { xid: 500, ..samples::call() };
    let (mut head, mut segments) = (vec![0; 4096], Segments::new());
    let ours: Loop = Box::new(move |n| {
        for _ in 0..n {
            let key = cache.key(1, black_box(&call), black_box(&args));
            let Lookup::Done(reply) = cache.lookup(key) else { unreachable!("it was run") };
            let mut e = Encoder::growable(&mut head, &mut segments);
            let mark = RecordMark::reserve(&mut e).expect("room for a mark");
            reply.put(&mut e).expect("room for a reply");
            mark.close(&mut e).expect("an open record");
            black_box(e.finish());
        }
    });
    Op::new(
        "replay",
        "call that is replayed: key, lookup, reply of 124 bytes",
        (0, 0.0),
        ours,
        None,
    )
}

/// All of them.
pub(crate) fn ops() -> Vec<Op> {
    let mut ops = calls();
    ops.append(&mut replies());
    let (mut head, mut segments) = (vec![0; 4096], Segments::new());
    let mark: Loop = Box::new(move |n| {
        for _ in 0..n {
            let mut e = Encoder::growable(&mut head, &mut segments);
            let mark = RecordMark::reserve(&mut e).expect("room for a mark");
            e.put(black_box(&7u32)).expect("room for a word");
            black_box(mark.close(&mut e).expect("an open record"));
            black_box(e.finish());
        }
    });
    let name = "record mark reserve, a word, close";
    ops.extend([Op::new("mark", name, (0, 0.0), mark, None), records(), replay()]);
    ops
}

/// That the peers read and write the same bytes as we do.
pub(crate) fn check_peers() {
    let (call, reply) =
        (samples::record_of(&samples::call()), samples::record_of(&samples::reply()));
    for (record, theirs) in [(&call, samples::their_call()), (&reply, samples::their_reply())] {
        let mut out = Vec::new();
        samples::their_record(&theirs, &mut out);
        assert_eq!(record, &out, "nfs3_types packs something else");
        let mut from = TheirCursor::new(record.get(4..).unwrap_or_default());
        let (again, len) = rpc::rpc_msg::unpack(&mut from).expect("nfs3_types reads it");
        assert_eq!(len, again.packed_size());
    }
    let onc = [
        (&call, samples::onc_call()),
        (&call, samples::onc_call_of_bytes()),
        (&reply, samples::onc_reply()),
    ];
    for (record, theirs) in onc {
        let bytes = theirs.serialise().expect("onc-rpc writes the sample");
        assert_eq!(record, &bytes, "onc-rpc writes something else");
    }
    let read = Onc::try_from(samples::keep(call).as_slice()).expect("onc-rpc reads the call");
    assert_eq!(read, samples::onc_call(), "onc-rpc reads another call");
    let read = Onc::try_from(samples::keep(reply).as_slice()).expect("onc-rpc reads the reply");
    assert_eq!(read, samples::onc_reply(), "onc-rpc reads another reply");
}
