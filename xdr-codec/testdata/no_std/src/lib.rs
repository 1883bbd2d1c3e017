//! One message of each crate, encoded and decoded in memory on the stack.
#![no_std]
#![forbid(unsafe_code)]

use nfswire_nfs3::{
    FileHandle, Status,
    io::{ReadArgs, ReadOk, ReadReply},
    procedures::Read,
};
use nfswire_nfs4::{
    Stateid,
    compound::{Argop, CompoundArgs},
    ops::{filehandle::PutfhArgs, io as io4, session::SequenceArgs},
    procedures::Compound,
};
// Its messages are not tried here; linking it is all there is to prove.
use nfswire_rdma as _;
use nfswire_rpc::{AuthSys, CallHeader, Groups, OpaqueAuth, RecordMark, ReplyHeader};
use nfswire_rpc::{parse_call, parse_reply};
use nfswire_xdr::{Array, Chunk, Cursor, Encoder, Message, Payload, Segments, Text, from_bytes};

/// A step that failed, by its line; a program's exit status.
pub type Step = Result<(), i32>;

/// The error of a step: its line here.
macro_rules! step {
    ($e:expr) => {
        $e.ok_or(line!().cast_signed())?
    };
}

/// A call as a server receives it: record mark, header, credential, arguments.
///
/// # Errors
/// The step that failed.
pub fn call(head: &mut [u8]) -> Step {
    let mut body = [0; AuthSys::MAX_BODY];
    let user = AuthSys {
        stamp: 1,
        machine_name: step!(Text::new(b"nowhere")),
        uid: 1000,
        gid: 100,
        gids: step!(Groups::new(&[4, 24]).ok()),
    };
    let credential = user.to_auth(&mut body);
    let header = CallHeader::new::<Read>(7, credential);
    let file: FileHandle<'_> = step!(FileHandle::new(b"a file handle"));
    let args = ReadArgs { file, offset: 1 << 40, count: 4096 };

    let mut segments = Segments::new();
    let mut e = Encoder::fixed(head, &mut segments);
    let mark = step!(RecordMark::reserve(&mut e).ok());
    step!(e.put(&header).ok());
    step!(e.put(&args).ok());
    step!(mark.close(&mut e).ok());
    e.finish();

    let mut flat = [0; 512];
    let bytes = step!(flatten(&segments.view(&*head), &mut flat));
    let mut c = Cursor::new(step!(bytes.get(4..)));
    let parsed = step!(parse_call(&mut c).ok());
    step!((parsed == header).then_some(()));
    step!((AuthSys::from_auth(&parsed.credential) == Ok(user)).then_some(()));
    step!((c.decode() == Ok(args)).then_some(()));
    step!(c.finish().ok());
    Ok(())
}

/// A reply with a payload, which stays where it is.
///
/// # Errors
/// The step that failed.
pub fn reply(head: &mut [u8]) -> Step {
    let data = *b"seventeen letters";
    let ok = ReadOk { attributes: None, count: 17, eof: true, data: Payload::Borrowed(&data) };
    let result = ReadReply::Ok(ok);
    let header = ReplyHeader::success(7).with_verifier(OpaqueAuth::NONE);

    let mut segments = Segments::new();
    let mut e = Encoder::fixed(head, &mut segments);
    step!(e.put(&header).ok());
    step!(e.put(&result).ok());
    e.finish();
    let message = segments.view(&*head);
    step!((message.count() == 3).then_some(()));

    let mut flat = [0; 128];
    let bytes = step!(flatten(&message, &mut flat));
    let mut c = Cursor::new(bytes);
    let parsed = step!(parse_reply(&mut c).ok());
    step!((parsed == header).then_some(()));
    step!((c.decode() == Ok(result)).then_some(()));
    step!(c.finish().ok());

    let error = step!(from_bytes::<ReadReply<'_>>(&[0, 0, 0, 0, 0, 0, 0, 9]).err());
    step!((error.offset == 4).then_some(()));
    step!((Status::NOENT.name() == Some("NFS3ERR_NOENT")).then_some(()));
    Ok(())
}

/// A COMPOUND of NFSv4.1, as a client sends it.
///
/// # Errors
/// The step that failed.
pub fn compound(head: &mut [u8]) -> Step {
    let object = step!(nfswire_nfs4::FileHandle::new(&[3; 40]));
    let ops = [
        Argop::Sequence(SequenceArgs {
            sessionid: [5; 16],
            sequenceid: 1,
            slotid: 0,
            highest_slotid: 0,
            cachethis: false,
        }),
        Argop::Putfh(PutfhArgs { object }),
        Argop::Read(io4::ReadArgs { stateid: Stateid::default(), offset: 1 << 40, count: 4096 }),
    ];
    let ops = step!(Array::from_slice(&ops));
    let args = CompoundArgs { tag: step!(Text::new(b"no std")), minor_version: 1, ops };
    let header = CallHeader::new::<Compound>(8, OpaqueAuth::NONE);

    let mut segments = Segments::new();
    let mut e = Encoder::fixed(head, &mut segments);
    step!(e.put(&header).ok());
    step!(e.put(&args).ok());
    e.finish();

    let mut flat = [0; 512];
    let mut c = Cursor::new(step!(flatten(&segments.view(&*head), &mut flat)));
    step!((parse_call(&mut c) == Ok(header)).then_some(()));
    step!((c.decode() == Ok(args)).then_some(()));
    step!(c.finish().ok());
    Ok(())
}

fn flatten<'f>(message: &Message<'_, '_>, flat: &'f mut [u8]) -> Option<&'f [u8]> {
    let mut len = 0usize;
    for chunk in message.iter() {
        let Chunk::Bytes(bytes) = chunk else { return None };
        let end = len.checked_add(bytes.len())?;
        flat.get_mut(len..end)?.copy_from_slice(bytes);
        len = end;
    }
    flat.get(..len)
}
