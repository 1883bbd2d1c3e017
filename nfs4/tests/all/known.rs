//! Replies that are written and read in one go: the same as result by result.

use nfswire_nfs4::{
    Status,
    compound::{CompoundWriter, ReplyLimits, ReplyReader, Results, WriteError, put_results},
    ops::{
        filehandle::{GetfhReply, PutfhReply, PutrootfhReply},
        io::{ReadOk, ReadReply},
        session::{SequenceOk, SequenceReply, SequenceStatus},
    },
};
use nfswire_xdr::{Cursor, Encoder, Payload, Segments, Text};

const LIMITS: ReplyLimits = ReplyLimits::transport(1, 1 << 20, 24);

fn sequence() -> SequenceReply {
    SequenceReply::Ok(SequenceOk {
        sessionid: [7; 16],
        sequenceid: 9,
        slotid: 1,
        highest_slotid: 30,
        target_highest_slotid: 31,
        status_flags: SequenceStatus(0),
    })
}

fn read(data: &[u8]) -> (SequenceReply, PutfhReply, ReadReply<'_>) {
    let ok = ReadOk { eof: false, data: Payload::Borrowed(data) };
    (sequence(), PutfhReply { status: Status::OK }, ReadReply::Ok(ok))
}

fn at_once<'p, R: Results<'p>>(results: &R, limits: &ReplyLimits) -> Result<Vec<u8>, WriteError> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    put_results(&mut e, Text::try_from("tag").unwrap(), limits, results)?;
    e.finish();
    Ok(segments.view(&head).to_vec().unwrap())
}

#[test]
fn the_same_as_one_by_one() {
    for len in [0, 1, 3, 4, 1000, 4096] {
        let data = vec![0xa5; len];
        let results = read(&data);
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let mut writer =
            CompoundWriter::new(&mut e, Text::try_from("tag").unwrap(), LIMITS).unwrap();
        writer.put(&results.0).unwrap();
        writer.put(&results.1).unwrap();
        writer.put(&results.2).unwrap();
        assert_eq!(writer.finish(), Ok(Status::OK));
        e.finish();
        assert_eq!(segments.stats().copied, 0, "{len}");
        let message = segments.view(&head).to_vec().unwrap();
        assert_eq!(at_once(&results, &LIMITS).unwrap(), message, "{len}");

        let mut reader = ReplyReader::open(Cursor::new(&message)).unwrap();
        let back = reader.all::<(SequenceReply, PutfhReply, ReadReply<'_>)>().unwrap();
        assert_eq!(back, results);
        assert_eq!(reader.finish(), Ok(Status::OK));
        for cut in 0..message.len() {
            let Ok(mut reader) = ReplyReader::open(Cursor::new(&message[..cut])) else { continue };
            assert_eq!(reader.all::<(SequenceReply, PutfhReply, ReadReply<'_>)>(), None, "{cut}");
        }
    }
}

#[test]
fn across_pages() {
    let data = [1, 2, 3, 4, 5];
    let (mut pages, mut segments) = (vec![vec![0xff_u8; 8]; 40], Segments::new());
    let mut e = Encoder::pages(&mut pages, &mut segments);
    put_results(&mut e, Text::try_from("tag").unwrap(), &LIMITS, &read(&data)).unwrap();
    e.finish();
    let message = segments.view(&pages as &dyn nfswire_xdr::Pages).to_vec().unwrap();
    assert_eq!(message, at_once(&read(&data), &LIMITS).unwrap());
}

#[test]
fn nothing_follows_a_failure() {
    let ok = PutrootfhReply { status: Status::OK };
    let failed = PutrootfhReply { status: Status::WRONGSEC };
    assert_eq!(at_once(&(failed, ok), &LIMITS), Err(WriteError::Ended));
    let message = at_once(&(ok, failed), &LIMITS).unwrap();
    assert_eq!(message[..4], Status::WRONGSEC.0.to_be_bytes());

    let mut reader = ReplyReader::open(Cursor::new(&message)).unwrap();
    assert_eq!(reader.all::<(PutrootfhReply, PutrootfhReply)>(), Some((ok, failed)));
    assert_eq!(reader.finish(), Ok(Status::WRONGSEC));
}

#[test]
fn limits_hold_to_the_byte() {
    let results = read(&[0; 100]);
    let len = at_once(&results, &LIMITS).unwrap().len() as u64;
    let limits = |max, max_cached| ReplyLimits { max, max_cached, too_big: Status::REP_TOO_BIG };
    assert!(at_once(&results, &limits(len, len)).is_ok());
    let too_big = |status| Err(WriteError::TooBig { status, len });
    assert_eq!(at_once(&results, &limits(len - 1, len)), too_big(Status::REP_TOO_BIG));
    assert_eq!(at_once(&results, &limits(len, len - 1)), too_big(Status::REP_TOO_BIG_TO_CACHE));
}

#[test]
fn what_is_not_expected_is_left_to_be_read() {
    let message = at_once(&read(b"data"), &LIMITS).unwrap();
    let mut reader = ReplyReader::open(Cursor::new(&message)).unwrap();
    assert_eq!(reader.all::<(SequenceReply, PutfhReply)>(), None);
    assert_eq!(reader.all::<(SequenceReply, PutfhReply, GetfhReply<'_>)>(), None);
    assert_eq!(reader.expect::<SequenceReply>(), Ok(Some(sequence())));
    assert_eq!(reader.all::<(PutfhReply, ReadReply<'_>)>(), None);
    assert_eq!(reader.expect::<PutfhReply>(), Ok(Some(PutfhReply { status: Status::OK })));
}
