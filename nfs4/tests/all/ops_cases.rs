//! Clients, sessions, data, layouts and copies: bytes that broke other implementations
//! (testdata/cases), and what the RFCs leave open or bound.

use std::fs;

use crate::common::{encode, testdata, unhex};
use nfswire_nfs4::{
    Bitmap, OpNum, Stateid, Status,
    ops::{
        client::{
            ClientOwner, ExchangeFlags, ExchangeIdArgs, ExchangeIdOk, ServerOwner,
            StateProtectArgs, StateProtectOps,
        },
        copy::{Netloc, OffloadStatusOk},
        io::{DataContent, IoAdvise, ReadPlusContent, WriteResponse},
        layout::{GetdeviceinfoReply, LayoutgetReply, ThresholdHint, ThresholdItem},
        open::ShareAccess,
        secinfo::GssService,
        session::{
            CallbackSecParms, ChannelAttrs, CreateSessionArgs, CreateSessionFlags, SequenceStatus,
        },
        space::SeekArgs,
    },
};
use nfswire_xdr::{
    Decode, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Segments, from_bytes,
};

fn case(name: &str) -> Vec<u8> {
    let text = fs::read_to_string(testdata(&format!("cases/{name}.hex"))).unwrap();
    let (head, hex) = text.split_once('\n').unwrap();
    assert!(head.starts_with(&format!("# {name} ")));
    unhex(hex)
}

/// Decodes, and checks that the value encodes to the same bytes.
fn kept<'a, T: Decode<'a> + Encode<'a>>(bytes: &'a [u8]) -> T {
    let value = from_bytes::<T>(bytes).unwrap();
    assert_eq!(encode(&value), bytes);
    value
}

fn refused<'a, T: Decode<'a> + core::fmt::Debug>(bytes: &'a [u8]) -> DecodeError {
    from_bytes::<T>(bytes).unwrap_err()
}

fn field(error: &DecodeError) -> String {
    let field = error.field.expect("a field");
    format!("{}.{}", field.type_name, field.name)
}

/// A COMPOUND without a tag, of one operation, to its arguments.
fn single_op(message: &[u8], op: OpNum) -> &[u8] {
    let (head, args) = message.split_at(16);
    assert_eq!(head, [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1], op.0.to_be_bytes()].concat());
    args
}

//--- B33: two handles of callbacks, not one opaque ---

#[test]
fn gss_handles_of_callbacks_are_two() {
    let message = case("B33a");
    let args: CreateSessionArgs<'_> = kept(single_op(&message, OpNum::CREATE_SESSION));
    assert_eq!((args.clientid, args.sequence), (0x1122_3344_5566_7788, 1));
    assert_eq!(args.flags, CreateSessionFlags::PERSIST | CreateSessionFlags::CONN_BACK_CHAN);
    assert_eq!(
        args.fore_chan_attrs,
        ChannelAttrs {
            headerpadsize: 0,
            maxrequestsize: 0x0010_0414,
            maxresponsesize: 0x0010_0388,
            maxresponsesize_cached: 7584,
            maxoperations: 16,
            maxrequests: 64,
            rdma_ird: None,
        }
    );
    assert_eq!((args.back_chan_attrs.maxoperations, args.cb_program), (2, 0x4000_0000));
    let parms: Vec<_> = args.sec_parms.iter().collect();
    let [CallbackSecParms::Gss(gss), CallbackSecParms::None] = parms[..] else {
        panic!("{parms:?}");
    };
    assert_eq!(gss.service, GssService::None);
    assert_eq!(&*gss.handle_from_server, b"HSRV");
    assert_eq!(&*gss.handle_from_client, b"HCLNT");

    let message = case("B33b");
    let args: CreateSessionArgs<'_> = kept(single_op(&message, OpNum::CREATE_SESSION));
    let parms: Vec<_> = args.sec_parms.iter().collect();
    let [CallbackSecParms::Sys(sys), CallbackSecParms::Gss(second)] = parms[..] else {
        panic!("{parms:?}");
    };
    assert_eq!((&*sys.machine_name, sys.stamp, sys.gids.len()), (&b"cb"[..], 1, 0));
    assert_eq!(second, gss);
}

/// A flavor that the union has no arm for cannot be skipped: nothing says how long it is.
#[test]
fn other_flavors_of_callbacks_are_refused() {
    let error = refused::<CallbackSecParms<'_>>(&[0, 0, 0, 2, 0, 0, 0, 0]);
    assert_eq!((error.kind, error.offset), (ErrorKind::Union(2), 0));
    assert_eq!(field(&error), "callback_sec_parms4.flavor");
}

//--- Arrays of at most one element ---

#[test]
fn at_most_one() {
    let attrs = |count: u32, words: usize| {
        let mut bytes = vec![0; 24];
        bytes.extend(count.to_be_bytes());
        bytes.resize(28 + 4 * words, 5);
        bytes
    };
    assert_eq!(kept::<ChannelAttrs>(&attrs(0, 0)).rdma_ird, None);
    assert_eq!(kept::<ChannelAttrs>(&attrs(1, 1)).rdma_ird, Some(0x0505_0505));
    let error = refused::<ChannelAttrs>(&attrs(2, 2));
    assert_eq!((field(&error), error.offset), ("channel_attrs4.ca_rdma_ird".to_owned(), 24));

    let one = [&[0, 0, 0, 1][..], &[7; 16], &[0; 20]].concat();
    assert_eq!(
        kept::<WriteResponse>(&one).callback_id,
        Some(Stateid { seqid: 0x0707_0707, other: [7; 12] })
    );
    let two = [&[0, 0, 0, 2][..], &[7; 32], &[0; 20]].concat();
    assert_eq!(field(&refused::<WriteResponse>(&two)), "write_response4.wr_callback_id");

    // The status of finished work may be one that nobody knows.
    let done = [&[0; 8][..], &[0, 0, 0, 1], &[0, 0, 0x30, 0]].concat();
    assert_eq!(kept::<OffloadStatusOk>(&done).complete, Some(Status(0x3000)));
}

//--- Maxima ---

/// Names of clients and servers: 1024 bytes and no more.
#[test]
fn names_are_bounded() {
    let opaque = |len: u32| {
        let mut bytes = len.to_be_bytes().to_vec();
        bytes.resize(4 + len.next_multiple_of(4) as usize, 0);
        bytes
    };
    let client = |len| [&[0; 8][..], &opaque(len)].concat();
    assert_eq!(kept::<ClientOwner<'_>>(&client(1024)).ownerid.len(), 1024);
    let error = refused::<ClientOwner<'_>>(&client(1025));
    assert_eq!(error.kind, ErrorKind::TooLong { len: 1025, limit: 1024 });
    assert_eq!(field(&error), "client_owner4.co_ownerid");
    assert!(from_bytes::<ServerOwner<'_>>(&client(1024)).is_ok());
    assert_eq!(field(&refused::<ServerOwner<'_>>(&client(1025))), "server_owner4.so_major_id");

    let ok = |len| {
        let none = [0; 4];
        [&[0; 8][..], &[0; 4], &[0; 4], &none, &[0; 8], &none, &opaque(len), &none].concat()
    };
    assert_eq!(kept::<ExchangeIdOk<'_>>(&ok(1024)).server_scope.len(), 1024);
    assert_eq!(
        field(&refused::<ExchangeIdOk<'_>>(&ok(1025))),
        "EXCHANGE_ID4resok.eir_server_scope"
    );
}

//--- What is open ---

/// A server must be able to answer UNION_NOTSUPP; a client skips what it does not know.
#[test]
fn other_contents_survive() {
    let seek = [&[0; 24][..], &[0, 0, 0, 9]].concat();
    let args: SeekArgs = kept(&seek);
    assert_eq!(args.what, DataContent(9));
    let content: ReadPlusContent<'_> = kept(&[0, 0, 0, 9]);
    assert_eq!(content, ReadPlusContent::Other(DataContent(9)));
    assert_eq!(content.range(), None);

    // One that has an arm cannot pass for another.
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let wrong = ReadPlusContent::Other(DataContent::HOLE);
    assert_eq!(e.put(&wrong), Err(EncodeError::Contradiction));
}

#[test]
fn other_servers_are_refused() {
    let error = refused::<Netloc<'_>>(&[0, 0, 0, 4, 0, 0, 0, 0]);
    assert_eq!((error.kind, error.offset), (ErrorKind::Enum(4), 0));
}

#[test]
fn hints_have_names() {
    let hints = Bitmap::<IoAdvise>::from_numbers(&[IoAdvise::WILLNEED.0, 11]).unwrap();
    assert_eq!(format!("{hints:?}"), "{IO_ADVISE4_WILLNEED, 11}");
}

/// Failures that carry something.
#[test]
fn failures_with_a_body() {
    let small = [10005u32.to_be_bytes(), [0, 0, 2, 0]].concat();
    assert_eq!(kept::<GetdeviceinfoReply<'_>>(&small), GetdeviceinfoReply::TooSmall(512));
    let later = [10058u32.to_be_bytes(), [0, 0, 0, 1]].concat();
    assert_eq!(kept::<LayoutgetReply<'_>>(&later), LayoutgetReply::TryLater(true));
    let unavailable = 10059u32.to_be_bytes();
    assert_eq!(
        kept::<LayoutgetReply<'_>>(&unavailable),
        LayoutgetReply::Fail(Status::LAYOUTUNAVAILABLE)
    );
}

/// Values of thresholds stand in the order of their bits, and a list that is too short has no more.
#[test]
fn thresholds() {
    let bytes = [
        &[0, 0, 0, 4][..],
        &[0, 0, 0, 1, 0, 0, 0, 0b1101],
        &[0, 0, 0, 16],
        &1000u64.to_be_bytes(),
        &2000u64.to_be_bytes(),
    ]
    .concat();
    let item: ThresholdItem<'_> = kept(&bytes);
    let all = [
        ThresholdHint::READ_SIZE,
        ThresholdHint::WRITE_SIZE,
        ThresholdHint::READ_IOSIZE,
        ThresholdHint::WRITE_IOSIZE,
    ];
    assert_eq!(all.map(|hint| item.get(hint)), [Some(1000), None, Some(2000), None]);
}

//--- Flags ---

#[test]
fn flags_have_names_and_all_bits() {
    assert_eq!(format!("{:?}", SequenceStatus::EMPTY), "{}");
    assert_eq!(
        format!("{:?}", SequenceStatus(0x8000_0281)),
        "{SEQ4_STATUS_CB_PATH_DOWN, SEQ4_STATUS_LEASE_MOVED, SEQ4_STATUS_CB_PATH_DOWN_SESSION, \
         0x80000000}"
    );
    // A number among flags is not said bit by bit.
    assert_eq!(
        format!("{:?}", ShareAccess::READ | ShareAccess::WANT_CANCEL),
        "{OPEN4_SHARE_ACCESS_WANT_CANCEL, OPEN4_SHARE_ACCESS_READ}"
    );
    assert_eq!(kept::<SequenceStatus>(&[0xff, 0xff, 0xff, 0xff]).0, u32::MAX);

    let both = ExchangeFlags::USE_PNFS_DS | ExchangeFlags::USE_NON_PNFS;
    assert!(both.contains(ExchangeFlags::USE_PNFS_DS) && both.contains(ExchangeFlags::EMPTY));
    assert!(!both.contains(ExchangeFlags::MASK_PNFS) && both.intersects(ExchangeFlags::MASK_PNFS));
    assert!(!both.intersects(ExchangeFlags::EMPTY));
    assert_eq!(both.without(ExchangeFlags::USE_NON_PNFS), ExchangeFlags::USE_PNFS_DS);
    assert_eq!(both & ExchangeFlags::USE_PNFS_DS, ExchangeFlags::USE_PNFS_DS);
    assert!((both & ExchangeFlags::CONFIRMED_R).is_empty());
    let mut word = ExchangeFlags(0x8);
    word |= both;
    assert_eq!(word.0, 0x5_0008);
}

//--- Protection of state ---

#[test]
fn operations_to_protect_are_named() {
    let ops = |numbers: &[u32]| Bitmap::<OpNum>::from_numbers(numbers).unwrap();
    let args = ExchangeIdArgs {
        client_owner: ClientOwner { verifier: [1; 8], ownerid: b"linux".try_into().unwrap() },
        flags: ExchangeFlags::BIND_PRINC_STATEID,
        state_protect: StateProtectArgs::MachCred(StateProtectOps {
            must_enforce: ops(&[OpNum::EXCHANGE_ID.0, OpNum::DESTROY_SESSION.0]),
            must_allow: ops(&[OpNum::CLOSE.0, OpNum::LOCKU.0]),
        }),
        client_impl_id: None,
    };
    let bytes = encode(&args);
    let received: ExchangeIdArgs<'_> = kept(&bytes);
    assert_eq!(received, args);
    let StateProtectArgs::MachCred(ops) = received.state_protect else { panic!("another arm") };
    assert!(ops.must_enforce.contains(OpNum::DESTROY_SESSION));
    assert_eq!(format!("{:?}", ops.must_allow), "{OP_CLOSE, OP_LOCKU}");
}
