//! COMPOUND: bytes that broke other implementations (testdata/cases), and what must come of each.

use std::fs;

use crate::common::{encode, testdata, unhex};
use nfswire_nfs4::{
    OpNum, Status,
    attrs::Attr,
    compound::{
        Accepted, Argop, CompoundArgs, CompoundReader, CompoundReply, CompoundWriter, OpenError,
        ReplyLimits, ReplyReader, Resop,
    },
    ops::{
        filehandle::PutrootfhReply,
        open::{OpenDelegation, OpenNoneDelegation, OpenReply, WhyNoDelegation},
        session::{ChannelAttrs, SequenceArgs, SequenceReply},
    },
};
use nfswire_xdr::{Cursor, Encoder, ErrorKind, Segments, from_bytes};

fn case(name: &str) -> Vec<u8> {
    let text = fs::read_to_string(testdata(&format!("cases/{name}.hex"))).unwrap();
    let (head, hex) = text.split_once('\n').unwrap();
    assert!(head.starts_with(&format!("# {name} ")));
    unhex(hex)
}

fn args(bytes: &[u8]) -> CompoundArgs<'_> {
    let value: CompoundArgs<'_> = from_bytes(bytes).unwrap();
    assert_eq!(encode(&value), bytes);
    value
}

/// Answers a request as a server does whose PUTROOTFH works and that has nothing else.
fn answer(call: &[u8]) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    match CompoundReader::open(Cursor::new(call), &Accepted::default()) {
        Ok(mut ops) => {
            let limits = ReplyLimits::transport(ops.minor_version(), 1 << 20, 0);
            let mut reply = CompoundWriter::new(&mut e, ops.tag(), limits).unwrap();
            for op in ops.by_ref() {
                assert_eq!(op, Argop::Putrootfh);
                reply.put(&PutrootfhReply { status: Status::OK }).unwrap();
            }
            if let Some(refusal) = ops.refusal() {
                reply.refuse(refusal).unwrap();
            }
            reply.finish().unwrap();
        }
        Err(OpenError::MinorVersion { tag, .. }) => e.put(&CompoundReply::mismatch(tag)).unwrap(),
        Err(error) => panic!("{error}"),
    }
    e.finish();
    segments.view(&head).to_vec().unwrap()
}

//--- B30: unknown attributes and any number of words are asked for ---

#[test]
fn any_attribute_can_be_asked_for() {
    let wanted = |name| {
        let bytes = case(name);
        let mut ops = args(&bytes).ops.iter();
        assert_eq!(ops.next(), Some(Argop::Putrootfh));
        let Some(Argop::Getattr(args)) = ops.next() else { panic!("no GETATTR") };
        assert_eq!(ops.next(), None);
        (args.request.len_words(), args.request.iter().map(|attr| attr.0).collect::<Vec<_>>())
    };
    assert_eq!(wanted("B30a"), (3, vec![Attr::TYPE.0, 83]));
    assert_eq!(wanted("B30b"), (5, vec![Attr::TYPE.0, 159]));
    assert_eq!(wanted("B30c"), (0, vec![]));
}

#[test]
fn a_set_of_a_billion_words_costs_nothing() {
    let bytes = case("B30d");
    let mut outcome = None;
    let memory = allocation_counter::measure(|| {
        let mut ops = CompoundReader::open(Cursor::new(&bytes), &Accepted::default()).unwrap();
        let before = ops.by_ref().count();
        outcome = ops.refusal().map(|refusal| (before, *refusal));
    });
    assert_eq!(memory.count_total, 0);
    let (before, refusal) = outcome.unwrap();
    assert_eq!((before, refusal.op, refusal.status), (1, OpNum::GETATTR, Status::BADXDR));
    assert!(matches!(
        from_bytes::<CompoundArgs<'_>>(&bytes).unwrap_err().kind,
        ErrorKind::Short { .. } | ErrorKind::TooMany { .. }
    ));
}

//--- B32: what is not of the minor version ---

#[test]
fn minor_versions_and_illegal_operations() {
    for (call, reply) in [("B32a", "B32b"), ("B32c", "B32d"), ("B32e", "B32f")] {
        assert_eq!(answer(&case(call)), case(reply), "{call}");
    }
    // GET_DIR_DELEGATION, which 4.0 does not have; its arguments are not looked at.
    let mut with_tag = case("B32f");
    with_tag[8..10].copy_from_slice(b"t4");
    assert_eq!(answer(&case("B32g")), with_tag);
}

#[test]
fn replies_of_refusal_are_read() {
    let bytes = case("B32d");
    let mut reply = ReplyReader::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(reply.next(OpNum::PUTROOTFH).unwrap().unwrap().status(), Status::OK);
    let illegal = reply.next(OpNum(9999)).unwrap().unwrap();
    assert_eq!((illegal.op(), illegal.status()), (OpNum::ILLEGAL, Status::OP_ILLEGAL));
    assert_eq!(reply.finish(), Ok(Status::OP_ILLEGAL));
}

//--- B34: why there is no delegation ---

#[test]
fn delegations_that_are_declined() {
    let none = [
        ("B34a", OpenNoneDelegation::Contention(true)),
        ("B34b", OpenNoneDelegation::Resource(false)),
        ("B34c", OpenNoneDelegation::Other(WhyNoDelegation::NOT_SUPP_FTYPE)),
        ("B34d", OpenNoneDelegation::Other(WhyNoDelegation(99))),
    ];
    for (name, why) in none {
        let bytes = case(name);
        let reply: CompoundReply<'_> = from_bytes(&bytes).unwrap();
        assert_eq!(encode(&reply), bytes, "{name}");
        assert_eq!(reply.status, Status::OK);
        let open = reply.results.iter().find_map(|result| match result {
            Resop::Open(OpenReply::Ok(ok)) => Some(ok),
            _ => None,
        });
        assert_eq!(open.expect("an OPEN").delegation, OpenDelegation::NoneExt(why), "{name}");
    }
}

//--- B38: more operations than the session takes ---

#[test]
fn too_many_operations_fail_sequence() {
    let bytes = case("B38a");
    assert_eq!(args(&bytes).ops.len(), 5);
    let mut ops = CompoundReader::open(Cursor::new(&bytes), &Accepted::default()).unwrap();
    assert_eq!(ops.next_op(), Some(OpNum::SEQUENCE));
    let sequence: SequenceArgs = ops.args().unwrap();
    assert_eq!((sequence.slotid, sequence.sequenceid), (0, 2));
    let channel =
        ChannelAttrs { maxoperations: 4, maxrequestsize: 4096, ..ChannelAttrs::default() };
    let status = ops.check_session(&channel, bytes.len() as u64).unwrap_err();

    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let limits = ReplyLimits::session(&channel, sequence.cachethis, 24);
    // Limits of a session that allows nothing: those of the transport hold.
    assert!(CompoundWriter::new(&mut e, ops.tag(), limits).is_err());
    let limits = ReplyLimits::transport(1, 4096, 24);
    let mut reply = CompoundWriter::new(&mut e, ops.tag(), limits).unwrap();
    reply.fail(OpNum::SEQUENCE, status).unwrap();
    assert_eq!(reply.finish(), Ok(Status::TOO_MANY_OPS));
    e.finish();
    let message = segments.view(&head).to_vec().unwrap();
    let reply: CompoundReply<'_> = from_bytes(&message).unwrap();
    let results: Vec<_> = reply.results.iter().collect();
    assert_eq!(results, [Resop::Sequence(SequenceReply::Fail(Status::TOO_MANY_OPS))]);
}
