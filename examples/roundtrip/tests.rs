//! The program as a checker sees it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

use alloc::rc::Rc;
use core::cell::RefCell;
use std::{
    collections::HashSet,
    fs,
    io::{self, Read, Write},
    path::Path,
};

use nfswire_nfs3::{acl, mount, nlm, nsm, procedures, v2};
use nfswire_rpc::{portmap, rpcbind};
use nfswire_xdr::Limits;

use crate::{codec::Settings, protocol::serve, tables};

fn answers_with(requests: &[u8], settings: &Settings) -> Vec<String> {
    let mut output = Vec::new();
    serve(requests, &mut output, settings).unwrap();
    assert!(output.is_empty() || output.ends_with(b"\n"));
    String::from_utf8(output).unwrap().lines().map(ToOwned::to_owned).collect()
}

fn answers(requests: &[u8]) -> Vec<String> {
    answers_with(requests, &Settings::default())
}

/// Type and hex of each line of a vector file, as requests.
fn vectors(file: &str) -> (String, Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let area = path.file_stem().unwrap().to_str().unwrap();
    let parse = |line| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let (name, hex) = (json["type"].as_str().unwrap(), json["hex"].as_str().unwrap());
        (format!("{area}.{name} {hex}\n"), hex.to_owned())
    };
    text.lines().map(parse).unzip()
}

const FILES: [&str; 23] = [
    "../xdr-codec/testdata/vectors/xdr.jsonl",
    "../onc-rpc/testdata/vectors/portmap.jsonl",
    "../onc-rpc/testdata/vectors/rpc.jsonl",
    "../onc-rpc/testdata/vectors/rpcbind.jsonl",
    "../onc-rpc/testdata/vectors/rpcsec_gss.jsonl",
    "../nfs3/testdata/vectors/mount.jsonl",
    "../nfs3/testdata/vectors/nfs2.jsonl",
    "../nfs3/testdata/vectors/nfs3.jsonl",
    "../nfs3/testdata/vectors/nfsacl.jsonl",
    "../nfs3/testdata/vectors/nlm.jsonl",
    "../nfs3/testdata/vectors/nsm.jsonl",
    "../nfs4/testdata/vectors/layout-block.jsonl",
    "../nfs4/testdata/vectors/layout-files.jsonl",
    "../nfs4/testdata/vectors/layout-flexfiles.jsonl",
    "../nfs4/testdata/vectors/layout-objects.jsonl",
    "../nfs4/testdata/vectors/layout-scsi.jsonl",
    "../nfs4/testdata/vectors/nfs40.jsonl",
    "../nfs4/testdata/vectors/nfs41.jsonl",
    "../nfs4/testdata/vectors/nfs42.jsonl",
    "../nfs4/testdata/vectors/nfs4cb.jsonl",
    "../rpcrdma-wire/testdata/vectors/rpcrdma.jsonl",
    "../rpcrdma-wire/testdata/vectors/rpcrdma-cm.jsonl",
    "roundtrip/testdata/vectors/messages.jsonl",
];

/// Every vector of every area comes back, from each kind of head and in both policies (D3, E1, E3).
#[test]
fn vectors_come_back() {
    for file in FILES {
        let (requests, expected) = vectors(file);
        assert!(expected.len() >= 8, "{file}");
        for limits in [Limits::STRICT, Limits::LENIENT] {
            let found = answers_with(requests.as_bytes(), &Settings { limits, heads: true });
            assert_eq!(found.len(), expected.len(), "{file}");
            for ((request, found), expected) in requests.lines().zip(&found).zip(&expected) {
                assert_eq!(found, expected, "{request}");
            }
        }
    }
}

/// Procedures that the text of the RFC lacks: no vector tests them.
const NOT_IN_THE_RFC: [&str; 8] = [
    "messages.call/100000/3/RPCBPROC_NULL",
    "messages.call/100000/4/RPCBPROC_NULL",
    "messages.call/100005/1/MOUNTPROC_EXPORTALL",
    "messages.call/100021/1/NLM_NULL",
    "messages.reply/100000/3/RPCBPROC_NULL",
    "messages.reply/100000/4/RPCBPROC_NULL",
    "messages.reply/100005/1/MOUNTPROC_EXPORTALL",
    "messages.reply/100021/1/NLM_NULL",
];

/// A procedure of version 3 of NLM that is one of version 1, under which the vectors have it.
fn is_of_nlm_1(name: &str) -> bool {
    let procedure = name.split_once("/100021/3/").map(|(_, procedure)| procedure);
    nlm::v1::procedures::PROCEDURES.iter().any(|(_, known)| Some(*known) == procedure)
}

/// No table has a type that no vector tests.
#[test]
fn types_have_vectors() {
    let mut names = Vec::new();
    tables::list(&mut names).unwrap();
    let names = String::from_utf8(names).unwrap();
    let tested: HashSet<String> = FILES
        .iter()
        .flat_map(|file| vectors(file).0.lines().map(ToOwned::to_owned).collect::<Vec<_>>())
        .map(|line| line.split(' ').next().unwrap().split("/OP_").next().unwrap().to_owned())
        .collect();
    let mut seen = HashSet::new();
    for name in names.lines() {
        assert!(seen.insert(name), "{name} is listed twice");
        let untested = NOT_IN_THE_RFC.contains(&name) || is_of_nlm_1(name);
        assert!(tested.contains(name) != untested, "{name}");
    }
    assert_eq!(seen.len(), tested.len() + NOT_IN_THE_RFC.len() + 2 * 16);
}

#[test]
fn every_procedure_is_known() {
    let tables = [
        (portmap::PROGRAM, portmap::VERSION, portmap::PROCEDURES),
        (rpcbind::PROGRAM, rpcbind::v3::VERSION, rpcbind::v3::PROCEDURES),
        (rpcbind::PROGRAM, rpcbind::v4::VERSION, rpcbind::v4::PROCEDURES),
        (v2::procedures::PROGRAM, v2::procedures::VERSION, v2::procedures::PROCEDURES),
        (procedures::PROGRAM, procedures::VERSION, procedures::PROCEDURES),
        (mount::PROGRAM, mount::v1::VERSION, mount::v1::PROCEDURES),
        (mount::PROGRAM, mount::v3::VERSION, mount::v3::PROCEDURES),
        (nlm::PROGRAM, nlm::v1::VERSION, nlm::v1::procedures::PROCEDURES),
        (nlm::PROGRAM, nlm::v3::VERSION, nlm::v3::procedures::PROCEDURES),
        (nlm::PROGRAM, nlm::v4::VERSION, nlm::v4::procedures::PROCEDURES),
        (nsm::PROGRAM, nsm::VERSION, nsm::PROCEDURES),
        (acl::PROGRAM, acl::v2::VERSION, acl::v2::PROCEDURES),
        (acl::PROGRAM, acl::v3::VERSION, acl::v3::PROCEDURES),
    ];
    for (program, version, procedures) in tables {
        for (_, name) in procedures {
            for direction in ["call", "reply"] {
                let name = format!("{direction}/{program}/{version}/{name}");
                assert!(tables::find(b"messages", name.as_bytes()).is_some(), "{name}");
            }
        }
    }
}

#[test]
fn answers_to_good_and_bad_lines() {
    let cases = [
        ("nfs3.uint32 00000007", "00000007"),
        ("nfs3.uint32 0000000", "ERR Odd number of digits"),
        ("nfs3.uint32 0000000g", "ERR Invalid character 'g' at position 7"),
        ("nfs3.uint32 000000", "ERR at byte 0: need 4 bytes, 3 left"),
        ("nfs3.uint32", "ERR at byte 0: need 4 bytes, 0 left"),
        ("nfs3.uint32 ", "ERR at byte 0: need 4 bytes, 0 left"),
        ("nfs3.uint32 0000000700000000", "ERR at byte 4: 4 bytes left over"),
        ("xdr.xdr_bool 00000002", "ERR at byte 0: 2 is not a boolean"),
        (
            "nfs3.READ3args 00000000000000000000",
            "ERR READ3args.offset at byte 4: need 8 bytes, 6 left",
        ),
        ("nfs3.no_such_type 00", "UNKNOWN"),
        ("nfs9.uint32 00000007", "UNKNOWN"),
        ("messages.call/100003/3/NFSPROC3_NULL/x 00", "UNKNOWN"),
        ("messages.call/100003/4/NFSPROC3_NULL 00", "UNKNOWN"),
        ("messages.call/100003/4/NFSPROC4_NULL 00", "UNKNOWN"),
        ("messages.call/100003/4.3/NFSPROC4_NULL 00", "UNKNOWN"),
        ("messages.call/100003/cb4.0/NFSPROC4_NULL 00", "UNKNOWN"),
        ("messages.call/100003/4.0/NFSPROC4_NULL/OP_READ 00", "UNKNOWN"),
        ("messages.call/100003/4.0/NFSPROC4_COMPOUND/OP_SEQUENCE 00", "UNKNOWN"),
        ("messages.call/100003/4.1/NFSPROC4_COMPOUND/OP_RENEW 00", "UNKNOWN"),
        ("messages.call/1073741824/cb4.1/CB_COMPOUND/OP_CB_OFFLOAD 00", "UNKNOWN"),
        ("messages.call/1073741824/cb4.1/CB_COMPOUND/OP_CB_ILLEGAL/x 00", "UNKNOWN"),
        ("messages.neither/100003/3/NFSPROC3_NULL 00", "UNKNOWN"),
        ("nonsense", "ERR a request is AREA.TYPE HEX"),
        ("", "ERR a request is AREA.TYPE HEX"),
        ("rpc.record_fragment 80000003010203", "80000003010203"),
        ("rpc.record_fragment 00000000", "00000000"),
        ("rpc.record_fragment 8000000301", "ERR the record mark announces 3 bytes, 1 follow"),
        (
            "rpc.record_fragment ffffffff",
            "ERR the record mark announces 2147483647 bytes, 0 follow",
        ),
        ("rpc.record_fragment 8000", "ERR the record mark is cut off"),
    ];
    let requests: String = cases.iter().map(|(request, _)| format!("{request}\n")).collect();
    let found = answers(requests.as_bytes());
    for (i, (request, expected)) in cases.iter().enumerate() {
        assert_eq!(found[i], *expected, "{request}");
    }
    assert_eq!(found.len(), cases.len());
    assert_eq!(answers(b"\xff\xfe\x00.x 00\nxdr.xdr_int 00000001"), ["UNKNOWN", "00000001"]);
    assert_eq!(answers(b""), [""; 0]);
}

/// A header that belongs to another procedure than the type is refused; an unsuccessful reply has no
/// results.
#[test]
fn messages_follow_their_header() {
    let call =
        "0000000700000000 0000000200 0186a3 00000003 00000006 0000000000000000 0000000000000000";
    let call = call.replace(' ', "");
    let request = format!("messages.call/100003/3/NFSPROC3_NULL {call}\n");
    assert_eq!(
        answers(request.as_bytes()),
        ["ERR the header calls procedure 6 of program 100003 version 3, not NFSPROC3_NULL"]
    );
    // A COMPOUND of version 4.1, without operations.
    let call =
        "0000000700000000 00000002000186a3 0000000400000001 0000000000000000 0000000000000000 \
        000000000000000100000000"
            .replace(' ', "");
    let request = |minor| format!("messages.call/100003/{minor}/NFSPROC4_COMPOUND {call}\n");
    assert_eq!(answers(request("4.1").as_bytes()), [call.as_str()]);
    assert_eq!(answers(request("4.2").as_bytes()), ["ERR the call is of minor version 1, not 2"]);
    // PROG_MISMATCH, versions 3 to 4.
    let reply =
        "000000070000000100000000 0000000000000000 00000002 00000003 00000004".replace(' ', "");
    let request = format!("messages.reply/100003/3/NFSPROC3_READ {reply}\n");
    assert_eq!(answers(request.as_bytes()), [reply.as_str()]);
    // A success must have results.
    let reply = "000000070000000100000000 0000000000000000 00000000".replace(' ', "");
    let request = format!("messages.reply/100003/3/NFSPROC3_READ {reply}\n");
    assert_eq!(
        answers(request.as_bytes()),
        ["ERR READ3res.status at byte 24: need 4 bytes, 0 left"]
    );
}

/// Lenient policy answers with the canonical form, inside lists too.
#[test]
fn lenient_answers_are_canonical() {
    let settings = Settings { limits: Limits::LENIENT, heads: true };
    let cases = [
        ("xdr.xdr_opaque_max5 00000001aabbccdd", "00000001aa000000"),
        ("xdr.xdr_bool 0000000000000000", "00000000"),
        (
            "xdr.xdr_array_of_opaque7 00000002 000102030405060700010203040506ff",
            "00000002 00010203040506000001020304050600",
        ),
    ];
    for (request, expected) in cases {
        let (name, hex) = request.split_once(' ').unwrap();
        let line = format!("{name} {}\n", hex.replace(' ', ""));
        assert_eq!(
            answers_with(line.as_bytes(), &settings),
            [expected.replace(' ', "")],
            "{request}"
        );
        let strict = answers(line.as_bytes());
        assert!(strict[0].starts_with("ERR "), "{request}: {strict:?}");
    }
    let not_boolean = answers_with(b"xdr.xdr_bool 000000ff\n", &settings);
    assert_eq!(not_boolean, ["ERR at byte 0: 255 is not a boolean"]);
}

/// Lists of 200,000 elements come back; one element more than the limit does not.
#[test]
fn long_lists() {
    let list = |n: usize| format!("xdr.xdr_list_ptr {}00000000\n", "0000000100000007".repeat(n));
    let request = list(200_000);
    let found = answers(request.as_bytes());
    assert!(found == [request.trim_end().split_once(' ').unwrap().1]);
    let settings = Settings { limits: Limits { max_items: 3, ..Limits::STRICT }, heads: false };
    assert_eq!(answers_with(list(3).as_bytes(), &settings)[0].len(), 3 * 16 + 8);
    assert_eq!(
        answers_with(list(4).as_bytes(), &settings),
        ["ERR at byte 24: 4 elements, at most 3 allowed"]
    );
}

/// What has been written and flushed.
#[derive(Default)]
struct Pipe {
    written: Vec<u8>,
    flushed: usize,
    flushes: usize,
}

struct Output(Rc<RefCell<Pipe>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut pipe = self.0.borrow_mut();
        pipe.flushed = pipe.written.len();
        pipe.flushes += 1;
        Ok(())
    }
}

/// Gives a piece of input at a time, and fails unless every answer that is due has been flushed.
struct Input {
    pieces: Vec<&'static [u8]>,
    lines: usize,
    pipe: Rc<RefCell<Pipe>>,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let pipe = self.pipe.borrow();
        let answered = pipe.written[..pipe.flushed].iter().filter(|b| **b == b'\n').count();
        assert_eq!(answered, self.lines, "a request is awaited before answers are flushed");
        let Some(piece) = self.pieces.pop() else { return Ok(0) };
        self.lines += piece.iter().filter(|b| **b == b'\n').count();
        buffer[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

#[test]
fn answers_are_flushed_before_the_next_request_is_awaited() {
    let mut pieces: Vec<&'static [u8]> = vec![
        b"xdr.xdr_int 00000001\n",
        b"xdr.xdr_int 00000002\nxdr.xdr_int 00000003\nxdr.xdr_int 00",
        b"000004",
        b"\nxdr.xdr_int 00000005",
        b"\n",
    ];
    pieces.reverse();
    let pipe = Rc::new(RefCell::new(Pipe::default()));
    let input = Input { pieces, lines: 0, pipe: Rc::clone(&pipe) };
    serve(input, Output(Rc::clone(&pipe)), &Settings::default()).unwrap();
    let pipe = pipe.borrow();
    let expected: String = (1..=5).map(|i| format!("0000000{i}\n")).collect();
    assert_eq!(String::from_utf8_lossy(&pipe.written), expected);
    assert_eq!(
        pipe.flushes, 5,
        "one flush for each time that input is awaited, and one at the end"
    );
}
