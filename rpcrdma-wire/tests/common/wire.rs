//! The wire types by their RFC names, test data, and encoding.
#![allow(dead_code)] // not every test uses all of it

use std::{fs, path::PathBuf};

use nfswire_rdma::{
    cm::PrivateData,
    types::{
        Body, ChunkLists, ErrorBody, ErrorCode, Message, NomsgLists, PaddedLists, Procedure,
        ReadSegment, Segment, VersionRange, WriteChunk,
    },
};
use nfswire_xdr::{Chain, Cursor, Decode, DecodeError, Encode, Encoder, Segments};

pub(crate) fn testdata(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "testdata", path].iter().collect()
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte");
    let digit = |d: u8| u8::try_from(char::from(d).to_digit(16).expect("a hex digit")).unwrap();
    digits.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// A line of a vector file.
pub(crate) struct Vector {
    pub(crate) type_name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) json: serde_json::Value,
}

pub(crate) fn vectors() -> Vec<Vector> {
    let files = ["vectors/rpcrdma.jsonl", "vectors/rpcrdma-cm.jsonl"];
    let texts = files.map(|file| fs::read_to_string(testdata(file)).unwrap());
    let parse = |line: &str| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| json[key].as_str().expect("a string").to_owned();
        Vector { type_name: text("type"), bytes: unhex(&text("hex")), json: json["value"].clone() }
    };
    texts.iter().flat_map(|text| text.lines().map(parse)).collect()
}

/// Decodes all of the bytes and encodes the value into `head`; the length of that.
pub(crate) type Reencode = fn(&[u8], &mut Vec<u8>) -> Result<usize, DecodeError>;

fn encode<'a>(value: &impl Encode<'a>, head: &mut Vec<u8>) -> usize {
    let mut segments = Segments::new();
    let mut e = Encoder::growable(head, &mut segments);
    e.put(value).unwrap();
    let len = usize::try_from(e.finish()).unwrap();
    assert_eq!(len as u64, value.encoded_len(), "encoded_len");
    len
}

fn plain<'a, T: Decode<'a> + Encode<'a>>(
    bytes: &'a [u8],
    head: &mut Vec<u8>,
) -> Result<usize, DecodeError> {
    let mut c = Cursor::new(bytes);
    let value = c.decode::<T>()?;
    c.finish()?;
    Ok(encode(&value, head))
}

/// A list node of the RFC: our item, and the list that hangs on its `next` pointer.
fn node<'a, T: Decode<'a> + Encode<'a> + 'a>(
    bytes: &'a [u8],
    head: &mut Vec<u8>,
) -> Result<usize, DecodeError> {
    let mut c = Cursor::new(bytes);
    let (item, rest) = (c.decode::<T>()?, c.decode::<Chain<'_, T>>()?);
    c.finish()?;
    let mut segments = Segments::new();
    let mut e = Encoder::growable(head, &mut segments);
    e.put(&item).unwrap();
    e.put(&rest).unwrap();
    Ok(usize::try_from(e.finish()).unwrap())
}

pub(crate) const TYPES: &[(&str, Reencode)] = &[
    ("xdr_rdma_segment", |b, h| plain::<Segment>(b, h)),
    ("xdr_read_chunk", |b, h| plain::<ReadSegment>(b, h)),
    ("xdr_read_list", |b, h| node::<ReadSegment>(b, h)),
    ("xdr_write_chunk", |b, h| plain::<WriteChunk<'_>>(b, h)),
    ("xdr_write_list", |b, h| node::<WriteChunk<'_>>(b, h)),
    ("rpc_rdma_header", |b, h| plain::<ChunkLists<'_>>(b, h)),
    ("rpc_rdma_header_nomsg", |b, h| plain::<NomsgLists<'_>>(b, h)),
    ("rpc_rdma_header_padded", |b, h| plain::<PaddedLists<'_>>(b, h)),
    ("rpc_rdma_errcode", |b, h| plain::<ErrorCode>(b, h)),
    ("rpc_rdma_errvers", |b, h| plain::<VersionRange>(b, h)),
    ("rpc_rdma_error", |b, h| plain::<ErrorBody>(b, h)),
    ("rdma_proc", |b, h| plain::<Procedure>(b, h)),
    ("rdma_body", |b, h| plain::<Body<'_>>(b, h)),
    ("rdma_msg", |b, h| plain::<Message<'_>>(b, h)),
    ("rpcrdma_cm_private_data", |b, h| plain::<PrivateData>(b, h)),
];

pub(crate) fn find(name: &str) -> Reencode {
    TYPES.iter().find(|(known, _)| *known == name).expect("a type").1
}
