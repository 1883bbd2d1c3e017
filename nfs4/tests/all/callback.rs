//! Callbacks: notifications by type, requests read and written operation by operation, and what a
//! client answers when it cannot read one.

use std::collections::HashSet;

use crate::common::{encode, vectors};
use nfswire_nfs4::{
    Bit, Bitmap, Component, DeviceId, LayoutType, Status,
    attrs::Fattr,
    callback::{
        CbArgOp, CbCompoundArgs, CbCompoundReply, CbOpNum, CbResOp, OpError, ReplyWriter,
        RequestReader, RequestWriter,
        layout::CbNotifyDeviceidArgs,
        notify::{
            Change, DeviceidChange, Notification, Notify, NotifyDeviceid, NotifyDeviceidChange,
            NotifyDeviceidDelete, NotifyDeviceidType, NotifyEntry, NotifyList, NotifyRemove,
            NotifyType, NotifyVerifier, ReadError, WriteError,
        },
        offload::{CbOffloadArgs, OffloadInfo},
        recall::{CbRecallAnyArgs, RecallAnyType},
        session::CbRecallSlotArgs,
    },
    layout::{flexfiles, objects},
};
use nfswire_xdr::{
    Cursor, Encode, EncodeError, Encoder, ErrorKind, Limits, Segments, Text, from_bytes,
};

/// What the vectors of an area have of a type.
fn of_type(area: &str, name: &str) -> Vec<Vec<u8>> {
    let found: Vec<_> =
        vectors(area).into_iter().filter(|v| v.type_name == name).map(|v| v.bytes).collect();
    assert!(!found.is_empty(), "no vectors of {name}");
    found
}

/// What `f` writes.
fn written<R>(f: impl for<'p> FnOnce(&mut Encoder<'_, 'p>) -> R) -> (R, Vec<u8>) {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let result = f(&mut e);
    e.finish();
    (result, segments.view(&head).to_vec().unwrap())
}

//--- Notifications ---

/// Every list of the vectors has values of the types in its mask, and nothing else.
#[test]
fn notifications_of_a_directory_are_typed() {
    let mut seen = HashSet::new();
    for bytes in of_type("nfs4cb", "notify4") {
        let notify: Notify<'_> = from_bytes(&bytes).unwrap();
        let changes: Vec<_> = notify.changes().map(Result::unwrap).collect();
        let types: Vec<_> = changes.iter().map(Change::notify_type).collect();
        assert_eq!(types, notify.mask.iter().collect::<Vec<_>>());
        seen.extend(types);

        let mut scratch = vec![0xff; notify.values.len() as usize];
        let again = Notify::encode(&changes, &mut scratch).unwrap();
        assert_eq!(again.values, notify.values);
        assert!(again.mask.same(&notify.mask));
    }
    assert_eq!(seen.len(), NotifyType::ALL.len());
}

#[test]
fn notifications_of_devices_are_typed() {
    let mut seen = HashSet::new();
    for bytes in of_type("nfs4cb", "CB_NOTIFY_DEVICEID4args") {
        let args: CbNotifyDeviceidArgs<'_> = from_bytes(&bytes).unwrap();
        for notify in args.changes {
            let changes: Vec<_> = notify.changes().map(Result::unwrap).collect();
            let types: Vec<_> = changes.iter().map(DeviceidChange::notify_type).collect();
            assert_eq!(types, notify.mask.iter().collect::<Vec<_>>());
            seen.extend(types);

            let mut scratch = vec![0xff; notify.values.len() as usize];
            let again = NotifyDeviceid::encode(&changes, &mut scratch).unwrap();
            assert_eq!(again.values, notify.values);
        }
    }
    assert_eq!(seen.len(), NotifyDeviceidType::ALL.len());
}

fn verifier() -> Change<'static> {
    Change::CookieVerifier(NotifyVerifier { old_cookieverf: [1; 8], new_cookieverf: [2; 8] })
}

fn removed(cookie: u64) -> Change<'static> {
    let old_entry = NotifyEntry { file: Component::new(b"name").unwrap(), attrs: Fattr::default() };
    Change::RemoveEntry(NotifyRemove { old_entry, old_entry_cookie: cookie })
}

/// The values before one that cannot be read are given, then one error, then nothing.
#[test]
fn a_notification_list_ends_at_the_first_fault() {
    let mut scratch = [0; 64];
    let good = Notify::encode(&[removed(5), verifier()], &mut scratch).unwrap();
    let with = |mask: &[u32], values: &[u8], limits: &Limits| {
        let mask: Bitmap<'_, NotifyType> = Bitmap::from_numbers(mask).unwrap();
        let values = NotifyList::new(values).unwrap();
        Notify { mask, values }
            .changes_with(limits)
            .map(|change| change.map(|c| c.notify_type()))
            .collect::<Vec<_>>()
    };
    let strict = |mask: &[u32], values: &[u8]| with(mask, values, &Limits::STRICT);
    let (remove, cookie) = (Ok(NotifyType::REMOVE_ENTRY), Ok(NotifyType::CHANGE_COOKIE_VERIFIER));
    let bytes = good.values.as_bytes();
    assert_eq!(strict(&[2, 5], bytes), [remove, cookie]);

    // A type that has no RFC, in the first word and behind it.
    assert_eq!(strict(&[2, 5, 6], bytes), [remove, cookie, Err(ReadError::Unknown { number: 6 })]);
    assert_eq!(
        strict(&[2, 5, 70], bytes),
        [remove, cookie, Err(ReadError::Unknown { number: 70 })]
    );
    // Bytes that no bit announces, and a bit without bytes.
    let at = |kind, offset| {
        Err(ReadError::Damaged(nfswire_xdr::DecodeError { kind, offset, field: None }))
    };
    assert_eq!(strict(&[2], bytes), [remove, at(ErrorKind::Trailing(16), bytes.len() as u32 - 16)]);
    assert_eq!(with(&[2], bytes, &Limits::LENIENT), [remove]);
    let cut = strict(&[2, 5], &bytes[..bytes.len() - 1]);
    assert_eq!(cut.len(), 2);
    assert_eq!(cut[0], remove);
    let Err(ReadError::Damaged(error)) = cut[1] else { panic!("{cut:?}") };
    assert_eq!(
        error.to_string(),
        format!(
            "notify_verifier4.nv_new_cookieverf at byte {}: need 8 bytes, 7 left",
            bytes.len() - 8
        )
    );
    assert_eq!(strict(&[], &[]), []);
}

/// A mask of a million words of zero costs one step a word, and no more.
#[test]
fn an_empty_mask_may_be_long() {
    let mut bytes = vec![0; 4 + (1 << 20) * 4 + 4];
    bytes[..4].copy_from_slice(&(1u32 << 20).to_be_bytes());
    let notify: Notify<'_> = from_bytes(&bytes).unwrap();
    assert_eq!(notify.changes().count(), 0);
}

#[test]
fn notifications_are_written_in_the_order_of_their_types() {
    let mut scratch = [0; 256];
    let error = Notify::encode(&[verifier(), removed(1)], &mut scratch).unwrap_err();
    assert_eq!(error, WriteError::Order { number: 2, last: 5 });
    assert_eq!(
        error.to_string(),
        "notification type 2 does not come behind type 5: start another list"
    );
    let twice = Notify::encode(&[removed(1), removed(2)], &mut scratch);
    assert_eq!(twice, Err(WriteError::Order { number: 2, last: 2 }));

    let changes = [removed(1), verifier()];
    let len = changes.iter().map(Encode::encoded_len).sum::<u64>() as usize;
    for short in 0..len {
        let missing = (len - short) as u64;
        assert_eq!(
            Notify::encode(&changes, &mut scratch[..short]),
            Err(WriteError::Encode(EncodeError::NoSpace { missing }))
        );
    }
    assert!(Notify::encode(&changes, &mut scratch[..len]).is_ok());
    assert_eq!(Notify::encode(&[], &mut []), Ok(Notify::default()));
}

#[test]
fn devices_are_notified_with_their_own_numbers() {
    let deviceid: DeviceId = *b"0123456789abcdef";
    let layout_type = LayoutType::FLEX_FILES;
    let changes = [
        DeviceidChange::Change(NotifyDeviceidChange { layout_type, deviceid, immediate: true }),
        DeviceidChange::Delete(NotifyDeviceidDelete { layout_type, deviceid }),
    ];
    let mut scratch = [0; 44];
    let notify = NotifyDeviceid::encode(&changes, &mut scratch).unwrap();
    let expected = [
        &[0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 44, 0, 0, 0, 4][..],
        &deviceid,
        &[0, 0, 0, 1, 0, 0, 0, 4],
        &deviceid,
    ];
    assert_eq!(encode(&notify), expected.concat());
}

//--- Requests ---

#[test]
fn the_reader_gives_what_the_message_holds() {
    for bytes in of_type("nfs4cb", "CB_COMPOUND4args") {
        let args: CbCompoundArgs<'_> = from_bytes(&bytes).unwrap();
        // The vectors take any minor version; the reader refuses operations that it does not have.
        let mut newest = bytes.clone();
        let at = bytes.len() - (args.operations.encoded_len() as usize + 8);
        newest[at..at + 4].copy_from_slice(&2u32.to_be_bytes());

        let mut reader = RequestReader::open(Cursor::new(&newest)).unwrap();
        assert_eq!((reader.tag(), reader.callback_ident()), (args.tag, args.callback_ident));
        assert_eq!((reader.len(), reader.minor_version()), (args.operations.len(), 2));
        assert_eq!(reader.is_empty(), args.operations.is_empty());
        let ops: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
        assert_eq!(reader.finish(), Ok(()));
        assert!(args.operations.iter().eq(ops.iter().copied()));

        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let mut writer =
            RequestWriter::new(&mut e, args.tag, args.minor_version, args.callback_ident).unwrap();
        for op in &ops {
            writer.push(op).unwrap();
        }
        assert_eq!(writer.finish(), Ok(args.operations.len()));
        e.finish();
        assert_eq!(segments.view(&head).to_vec().unwrap(), bytes);
    }
}

/// A request in words, behind an empty tag.
fn request(minor_version: u32, count: u32, words: &[u32]) -> Vec<u8> {
    let head = [0, minor_version, 0xcb, count];
    head.iter().chain(words).flat_map(|word| word.to_be_bytes()).collect()
}

fn read(bytes: &[u8]) -> Vec<Result<CbOpNum, OpError>> {
    let reader = RequestReader::open(Cursor::new(bytes)).unwrap();
    reader.map(|op| op.map(|op| op.argop())).collect()
}

/// The operations before one that does not exist are given; its number is kept, its place known.
#[test]
fn an_operation_that_does_not_exist_ends_the_request() {
    let bytes = request(1, 3, &[10, 3, 16, 10, 3]);
    let error = OpError::Illegal { index: 1, op: CbOpNum(16), minor_version: 1 };
    assert_eq!(read(&bytes), [Ok(CbOpNum::RECALL_SLOT), Err(error)]);
    assert_eq!((error.index(), error.status()), (1, Status::OP_ILLEGAL));
    assert_eq!(encode(&error.answer()), [[0, 0, 0x27, 0x3c], [0, 0, 0x27, 0x3c]].concat());

    // The same in full decoding: an error at the number.
    let error = from_bytes::<CbCompoundArgs<'_>>(&bytes).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Union(16), 24));
}

#[test]
fn minor_versions_have_their_operations() {
    for (name, number) in CbOpNum::ALL {
        let op = CbOpNum(*number);
        let since = op.since().expect(name);
        for minor_version in 0..3 {
            let bytes = request(minor_version, 1, &[*number]);
            let illegal = OpError::Illegal { index: 0, op, minor_version };
            let refused = read(&bytes) == [Err(illegal)];
            assert_eq!(refused, minor_version < since, "{name} in NFSv4.{minor_version}");
        }
    }
    assert_eq!(CbOpNum(16).since(), None);
    assert_eq!(CbOpNum(0).since(), None);
    assert_eq!(CbOpNum(10043).since(), None);
}

#[test]
fn damaged_arguments_end_the_request() {
    // CB_WANTS_CANCELLED with a boolean of 2.
    let bytes = request(1, 2, &[12, 1, 2, 10, 3]);
    let ops = read(&bytes);
    let [Err(error)] = ops[..] else { panic!("{ops:?}") };
    assert_eq!(error.status(), Status::BADXDR);
    assert_eq!(
        error.to_string(),
        "operation 0: CB_WANTS_CANCELLED4args.cwca_resourced_wants_cancelled at byte 24: 2 is not \
         a boolean"
    );
    let answer = CbResOp::from_status(CbOpNum::WANTS_CANCELLED, Status::BADXDR).unwrap();
    assert_eq!(error.answer(), answer);

    // Fewer operations than announced: not even a number.
    let ops = read(&request(1, u32::MAX, &[10, 3]));
    let [Ok(CbOpNum::RECALL_SLOT), Err(error @ OpError::Damaged { index: 1, op, error: why })] =
        ops[..]
    else {
        panic!("{ops:?}")
    };
    assert_eq!((op, why.kind), (CbOpNum::ILLEGAL, ErrorKind::Short { needed: 4, left: 0 }));
    assert_eq!(error.answer().status(), Status::BADXDR);
}

#[test]
fn bytes_behind_the_last_operation_are_left_over() {
    let bytes = request(1, 1, &[10, 3, 7]);
    let mut reader = RequestReader::open(Cursor::new(&bytes)).unwrap();
    assert!(reader.next().unwrap().is_ok());
    assert_eq!(reader.next(), None);
    let error = reader.finish().unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Trailing(4), 24));

    // Whoever stops early does not ask what follows.
    let reader = RequestReader::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn a_request_is_refused_before_its_operations_are_read() {
    let check = |minor, count| {
        RequestReader::open(Cursor::new(&request(minor, count, &[]))).unwrap().check(1, 8)
    };
    assert_eq!(check(1, 8), Ok(()));
    assert_eq!(check(0, 8), Ok(()));
    assert_eq!(check(1, 9), Err(Status::TOO_MANY_OPS));
    assert_eq!(check(0, u32::MAX), Err(Status::RESOURCE));
    assert_eq!(check(2, 1), Err(Status::MINOR_VERS_MISMATCH));

    let error = RequestReader::open(Cursor::new(&[0; 10])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "CB_COMPOUND4args.callback_ident at byte 8: need 4 bytes, 2 left"
    );
}

#[test]
fn reading_a_request_does_not_allocate() {
    for bytes in of_type("nfs4cb", "CB_COMPOUND4args") {
        let count = allocation_counter::measure(|| {
            let reader = RequestReader::open(Cursor::new(&bytes)).unwrap();
            assert!(reader.count() < 100);
        });
        assert_eq!(count.count_total, 0);
    }
    let bytes = request(1, u32::MAX, &[10, 3]);
    let count = allocation_counter::measure(|| {
        assert_eq!(RequestReader::open(Cursor::new(&bytes)).unwrap().count(), 2);
    });
    assert_eq!(count.count_total, 0);
}

//--- Replies ---

#[test]
fn every_operation_has_an_answer_of_a_status_alone() {
    for (name, number) in CbOpNum::ALL {
        let op = CbOpNum(*number);
        let answer = CbResOp::from_status(op, Status::DELAY).unwrap();
        assert_eq!(answer.resop(), op, "{name}");
        let status = if op == CbOpNum::ILLEGAL { Status::OP_ILLEGAL } else { Status::DELAY };
        assert_eq!(answer.status(), status, "{name}");
        assert_eq!(encode(&answer), [number.to_be_bytes(), status.0.to_be_bytes()].concat());

        let says_more = matches!(op, CbOpNum::GETATTR | CbOpNum::SEQUENCE);
        assert_eq!(CbResOp::from_status(op, Status::OK).is_none(), says_more, "{name}");
    }
    let unknown = CbResOp::from_status(CbOpNum(77), Status::OK).unwrap();
    assert_eq!((unknown.resop(), unknown.status()), (CbOpNum::ILLEGAL, Status::OP_ILLEGAL));
}

#[test]
fn results_say_their_status() {
    for bytes in of_type("nfs4cb", "nfs_cb_resop4") {
        let result: CbResOp<'_> = from_bytes(&bytes).unwrap();
        assert_eq!(result.status().0.to_be_bytes(), bytes[4..8], "{result:?}");
    }
}

#[test]
fn a_reply_ends_with_its_first_failure() {
    let tag = Text::new(b"tag").unwrap();
    let ok = CbResOp::from_status(CbOpNum::RECALL, Status::OK).unwrap();
    let failure = CbResOp::from_status(CbOpNum::GETATTR, Status::BADHANDLE).unwrap();
    let (status, bytes) = written(|e| {
        let mut reply = ReplyWriter::new(e, tag).unwrap();
        reply.push(&ok).unwrap();
        assert_eq!(reply.status(), Status::OK);
        reply.push(&failure).unwrap();
        assert_eq!(reply.status(), Status::BADHANDLE);
        assert_eq!(reply.push(&ok), Err(EncodeError::Contradiction));
        reply.finish()
    });
    assert_eq!(status, Ok(Status::BADHANDLE));
    let reply: CbCompoundReply<'_> = from_bytes(&bytes).unwrap();
    assert_eq!((reply.status, reply.tag), (Status::BADHANDLE, tag));
    assert!(reply.results.iter().eq([ok, failure]));

    let (status, bytes) = written(|e| ReplyWriter::new(e, tag).unwrap().finish());
    assert_eq!(status, Ok(Status::OK));
    let reply: CbCompoundReply<'_> = from_bytes(&bytes).unwrap();
    assert_eq!((reply.status, reply.results.len()), (Status::OK, 0));
}

/// What does not fit leaves no trace, and what was there before is still a message (E4, E10).
#[test]
fn writers_leave_nothing_half_written() {
    let op = CbArgOp::RecallSlot(CbRecallSlotArgs { target_highest_slotid: 1 });
    let result = CbResOp::from_status(CbOpNum::RECALL, Status::OK).unwrap();
    let tag = Text::new(b"tag").unwrap();
    for room in (0..48usize).step_by(4) {
        let (mut head, mut segments) = ([0xff; 52], Segments::new());
        let mut e = Encoder::fixed(&mut head[..room + 4], &mut segments);
        e.put(&7u32).unwrap();
        match RequestWriter::new(&mut e, tag, 1, 0) {
            Ok(mut request) => {
                let mut pushed = 0;
                while request.push(&op).is_ok() {
                    pushed += 1;
                }
                assert_eq!(pushed, (room - 20) / 8);
                drop(request);
            }
            Err(error) => {
                assert!(room < 20 && matches!(error, EncodeError::NoSpace { .. }));
            }
        }
        assert_eq!(e.len(), 4);
        let answered = match ReplyWriter::new(&mut e, tag) {
            Ok(mut reply) => {
                let mut pushed = 0;
                while reply.push(&result).is_ok() {
                    pushed += 1;
                }
                assert_eq!(pushed, (room - 16) / 8);
                assert_eq!(reply.finish(), Ok(Status::OK));
                Some(pushed)
            }
            Err(error) => {
                assert!(room < 16 && matches!(error, EncodeError::NoSpace { .. }));
                None
            }
        };
        let Some(pushed) = answered else {
            assert_eq!(e.len(), 4);
            continue;
        };
        e.finish();
        let bytes = segments.view(&head[..]).to_vec().unwrap();
        let reply: CbCompoundReply<'_> = from_bytes(&bytes[4..]).unwrap();
        assert_eq!(reply.results.len() as usize, pushed);
    }
}

//--- Single operations ---

/// CB_OFFLOAD that failed still says how much was copied.
#[test]
fn a_failed_copy_says_how_far_it_came() {
    let words = [0, 1, 0, 0, 0, Status::NOSPC.0, 0, 4096];
    let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
    let args: CbOffloadArgs<'_> = from_bytes(&bytes).unwrap();
    assert_eq!(args.info, OffloadInfo::Fail(Status::NOSPC, 4096));
    assert_eq!(encode(&args), bytes);
}

#[test]
fn kinds_of_objects_are_bits() {
    let words = [10u32, 1, 0b11 << 16 | 0b11 << 8 | 0b11111 | 1 << 31];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let args: CbRecallAnyArgs<'_> = from_bytes(&bytes).unwrap();
    let kinds: Vec<_> = args.type_mask.iter().map(Bit::number).collect();
    assert_eq!(kinds, [0, 1, 2, 3, 4, 8, 9, 16, 17, 31]);
    for mask in [objects::RecallAnyMask::Read, objects::RecallAnyMask::ReadWrite] {
        assert!(args.type_mask.contains(mask.into()));
    }
    for mask in [flexfiles::RecallAnyMask::Read, flexfiles::RecallAnyMask::ReadWrite] {
        assert!(args.type_mask.contains(mask.into()));
    }
    assert!(!args.type_mask.contains(RecallAnyType::OTHER_LAYOUT_MIN));
}
