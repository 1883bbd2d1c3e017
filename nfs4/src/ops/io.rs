//! File data: READ, WRITE, COMMIT (RFC 7530, sections 16.23, 16.36 and 16.3), READ_PLUS, WRITE_SAME and
//! IO_ADVISE (RFC 7862, sections 15.10, 15.12 and 15.5), all about the current file.
//!
//! File bytes are a [`Payload`]: on encode they go out as segments of their own, never copied, also
//! those of READ_PLUS, of which one reply has many; on decode they stay where they were received.
//!
//! ```
//! use nfswire_nfs4::ops::io::{Data, DataInfo, ReadPlusContent, ReadPlusOk, ReadPlusReply};
//! use nfswire_xdr::{Array, Encoder, Payload, Segments};
//!
//! let file = vec![7; 8192];
//! let contents = [
//!     ReadPlusContent::Data(Data { offset: 0, data: Payload::Borrowed(&file[..4096]) }),
//!     ReadPlusContent::Hole(DataInfo { offset: 4096, length: 65536 }),
//!     ReadPlusContent::Data(Data { offset: 69632, data: Payload::Borrowed(&file[4096..]) }),
//! ];
//! let contents = Array::from_slice(&contents).unwrap();
//! let reply = ReadPlusReply::Ok(ReadPlusOk { eof: true, contents });
//!
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! e.put(&reply)?;
//! e.finish();
//! assert_eq!(segments.stats().copied, 0);
//!
//! let message = segments.view(&head).to_vec()?;
//! let ReadPlusReply::Ok(ok) = nfswire_xdr::from_bytes(&message)? else { panic!("failed") };
//! assert_eq!(ok.contents.iter().filter_map(|c| c.range()).last(), Some((69632, 4096)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nfswire_xdr::{Array, Opaque, Payload, xdr_open_enum, xdr_struct, xdr_union};

use crate::{Bitmap, Count, Length, Offset, StableHow, Stateid, Status, Verifier, bitmap::bits};

//--- READ ---

xdr_struct! {
    /// Arguments of READ (RFC 7530, section 16.23; RFC 8881, section 18.22).
    #[derive(Copy)]
    "READ4args" => pub struct ReadArgs {
        /// An open, a lock or a delegation, or one of the special ones.
        pub stateid: Stateid,
        /// First byte wanted.
        pub offset: Offset,
        /// Bytes wanted; a server may return fewer.
        pub count: Count,
    }
}

xdr_struct! {
    /// Body of a successful READ (RFC 7530, section 16.23; RFC 8881, section 18.22).
    "READ4resok" => pub struct ReadOk<'a> {
        /// The read ended at the end of the file.
        pub eof: bool,
        /// The bytes.
        pub data: Payload<'a>,
    }
}

xdr_union! {
    /// Reply to READ (RFC 7530, section 16.23; RFC 8881, section 18.22).
    "READ4res" => pub enum ReadReply<'a> switch (status: Status) {
        /// Success; no bytes and `eof` when the offset is at or behind the end.
        case Status::OK => "resok4" Ok(ReadOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- WRITE ---

xdr_struct! {
    /// Arguments of WRITE (RFC 7530, section 16.36; RFC 8881, section 18.32).
    "WRITE4args" => pub struct WriteArgs<'a> {
        /// An open, a lock or a delegation, or one of the special ones.
        pub stateid: Stateid,
        /// Where the first byte goes.
        pub offset: Offset,
        /// How stable the data must be before the server answers.
        pub stable: StableHow,
        /// The bytes; none succeeds and changes nothing.
        pub data: Payload<'a>,
    }
}

xdr_struct! {
    /// Body of a successful WRITE (RFC 7530, section 16.36; RFC 8881, section 18.32).
    #[derive(Copy)]
    "WRITE4resok" => pub struct WriteOk {
        /// Bytes written, which may be fewer than asked for.
        pub count: Count,
        /// How stable they are now: at least what was asked for.
        pub committed: StableHow,
        /// Changes when the server may have lost unstable data: compare it with the one of COMMIT.
        "writeverf" => pub verifier: Verifier,
    }
}

xdr_union! {
    /// Reply to WRITE (RFC 7530, section 16.36; RFC 8881, section 18.32).
    #[derive(Copy)]
    "WRITE4res" => pub enum WriteReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(WriteOk),
        /// Failure.
        default => Fail,
    }
}

//--- COMMIT ---

xdr_struct! {
    /// Arguments of COMMIT (RFC 7530, section 16.3; RFC 8881, section 18.3).
    #[derive(Copy)]
    "COMMIT4args" => pub struct CommitArgs {
        /// First byte of the range.
        pub offset: Offset,
        /// Length of the range, in bytes; 0 means to the end of the file.
        pub count: Count,
    }
}

xdr_struct! {
    /// Body of a successful COMMIT (RFC 7530, section 16.3; RFC 8881, section 18.3).
    #[derive(Copy)]
    "COMMIT4resok" => pub struct CommitOk {
        /// Write again what was written under another verifier than this.
        "writeverf" => pub verifier: Verifier,
    }
}

xdr_union! {
    /// Reply to COMMIT (RFC 7530, section 16.3; RFC 8881, section 18.3).
    #[derive(Copy)]
    "COMMIT4res" => pub enum CommitReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(CommitOk),
        /// Failure.
        default => Fail,
    }
}

//--- READ_PLUS ---

xdr_open_enum! {
    /// Kind of content (RFC 7862, sections 15.10 and 15.11). A server answers a kind that it does not
    /// know with [`Status::UNION_NOTSUPP`], so that others survive.
    "data_content4" => pub struct DataContent {
        /// Bytes.
        "NFS4_CONTENT_DATA" DATA = 0,
        /// A hole: it reads as zeros and takes no space.
        "NFS4_CONTENT_HOLE" HOLE = 1,
    }
}

xdr_struct! {
    /// Bytes of a file (RFC 7862, section 15.10).
    "data4" => pub struct Data<'a> {
        /// Where they begin.
        "d_offset" => pub offset: Offset,
        /// The bytes.
        "d_data" => pub data: Payload<'a>,
    }
}

xdr_struct! {
    /// A range of a file (RFC 7862, section 15.10).
    #[derive(Copy)]
    "data_info4" => pub struct DataInfo {
        /// First byte.
        "di_offset" => pub offset: Offset,
        /// Length in bytes.
        "di_length" => pub length: Length,
    }
}

xdr_union! {
    /// One content of a file (RFC 7862, section 15.10).
    "read_plus_content" => pub enum ReadPlusContent<'a> switch (content: DataContent) {
        /// Bytes.
        case DataContent::DATA => "rpc_data" Data(Data<'a>),
        /// A hole.
        case DataContent::HOLE => "rpc_hole" Hole(DataInfo),
        /// A kind that is not known.
        default => Other,
    }
}

impl ReadPlusContent<'_> {
    /// Offset and length in bytes; `None` for a kind that is not known.
    #[must_use]
    pub fn range(&self) -> Option<(Offset, Length)> {
        match self {
            Self::Data(data) => Some((data.offset, data.data.len().into())),
            Self::Hole(hole) => Some((hole.offset, hole.length)),
            Self::Other(_) => None,
        }
    }
}

xdr_struct! {
    /// Arguments of READ_PLUS (RFC 7862, section 15.10).
    #[derive(Copy)]
    "READ_PLUS4args" => pub struct ReadPlusArgs {
        /// An open, a lock or a delegation, or one of the special ones.
        "rpa_stateid" => pub stateid: Stateid,
        /// First byte wanted.
        "rpa_offset" => pub offset: Offset,
        /// Bytes wanted; a server may return fewer.
        "rpa_count" => pub count: Count,
    }
}

xdr_struct! {
    /// Body of a successful READ_PLUS (RFC 7862, section 15.10).
    "read_plus_res4" => pub struct ReadPlusOk<'a> {
        /// The read ended at the end of the file.
        "rpr_eof" => pub eof: bool,
        /// The contents, each where the one before it ends; holes may begin and end outside of what
        /// was asked for.
        "rpr_contents" => pub contents: Array<'a, ReadPlusContent<'a>>,
    }
}

xdr_union! {
    /// Reply to READ_PLUS (RFC 7862, section 15.10).
    "READ_PLUS4res" => pub enum ReadPlusReply<'a> switch (status: Status) {
        /// Success; no contents and `eof` when the offset is at or behind the end.
        case Status::OK => "rp_resok4" Ok(ReadPlusOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- WRITE_SAME ---

xdr_struct! {
    /// A pattern that is repeated, and where its copies are numbered (RFC 7862, section 8.1.1).
    #[derive(Copy)]
    "app_data_block4" => pub struct AppDataBlock<'a> {
        /// Where the first block goes.
        "adb_offset" => pub offset: Offset,
        /// Length of a block, in bytes.
        "adb_block_size" => pub block_size: Length,
        /// Number of blocks.
        "adb_block_count" => pub block_count: Length,
        /// Where in each block its number goes; all ones mean nowhere.
        "adb_reloff_blocknum" => pub reloff_blocknum: Length,
        /// Number of the first block.
        "adb_block_num" => pub block_num: Count,
        /// Where in each block the pattern goes; all ones mean nowhere.
        "adb_reloff_pattern" => pub reloff_pattern: Length,
        /// The pattern.
        "adb_pattern" => pub pattern: Opaque<'a>,
    }
}

xdr_struct! {
    /// Arguments of WRITE_SAME (RFC 7862, section 15.12).
    #[derive(Copy)]
    "WRITE_SAME4args" => pub struct WriteSameArgs<'a> {
        /// An open, a lock or a delegation, or one of the special ones.
        "wsa_stateid" => pub stateid: Stateid,
        /// How stable the data must be before the server answers.
        "wsa_stable" => pub stable: StableHow,
        /// What to write.
        "wsa_adb" => pub adb: AppDataBlock<'a>,
    }
}

xdr_struct! {
    /// What a server has written on its own (RFC 7862, section 15.2).
    #[derive(Copy)]
    "write_response4" => pub struct WriteResponse {
        /// Names the work if it goes on: an array of at most one element.
        "wr_callback_id" => pub callback_id: Option<Stateid>,
        /// Bytes written so far.
        "wr_count" => pub count: Length,
        /// How stable they are.
        "wr_committed" => pub committed: StableHow,
        /// Changes when the server may have lost unstable data: compare it with the one of COMMIT.
        "wr_writeverf" => pub verifier: Verifier,
    }
}

xdr_union! {
    /// Reply to WRITE_SAME (RFC 7862, section 15.12).
    #[derive(Copy)]
    "WRITE_SAME4res" => pub enum WriteSameReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(WriteResponse),
        /// Failure.
        default => Fail,
    }
}

//--- IO_ADVISE ---

xdr_open_enum! {
    /// How a client is going to use a file (RFC 7862, section 15.5).
    "IO_ADVISE_type4" => pub struct IoAdvise {
        /// Nothing to tell.
        "IO_ADVISE4_NORMAL" NORMAL = 0,
        /// From lower offsets to higher ones.
        "IO_ADVISE4_SEQUENTIAL" SEQUENTIAL = 1,
        /// From higher offsets to lower ones.
        "IO_ADVISE4_SEQUENTIAL_BACKWARDS" SEQUENTIAL_BACKWARDS = 2,
        /// In no order.
        "IO_ADVISE4_RANDOM" RANDOM = 3,
        /// Soon.
        "IO_ADVISE4_WILLNEED" WILLNEED = 4,
        /// Perhaps soon: worth the server's cache if it has room.
        "IO_ADVISE4_WILLNEED_OPPORTUNISTIC" WILLNEED_OPPORTUNISTIC = 5,
        /// Not soon.
        "IO_ADVISE4_DONTNEED" DONTNEED = 6,
        /// Once.
        "IO_ADVISE4_NOREUSE" NOREUSE = 7,
        /// For reading.
        "IO_ADVISE4_READ" READ = 8,
        /// For writing.
        "IO_ADVISE4_WRITE" WRITE = 9,
        /// What is written now is likely to be used from here.
        "IO_ADVISE4_INIT_PROXIMITY" INIT_PROXIMITY = 10,
    }
}

bits!(IoAdvise);

xdr_struct! {
    /// Arguments of IO_ADVISE (RFC 7862, section 15.5).
    #[derive(Copy)]
    "IO_ADVISE4args" => pub struct IoAdviseArgs<'a> {
        /// An open, a lock or a delegation.
        "iaa_stateid" => pub stateid: Stateid,
        /// First byte of the range.
        "iaa_offset" => pub offset: Offset,
        /// Its length, in bytes; 0 means to the end of the file.
        "iaa_count" => pub count: Length,
        /// What the client tells.
        "iaa_hints" => pub hints: Bitmap<'a, IoAdvise>,
    }
}

xdr_struct! {
    /// Body of a successful IO_ADVISE (RFC 7862, section 15.5).
    #[derive(Copy)]
    "IO_ADVISE4resok" => pub struct IoAdviseOk<'a> {
        /// What the server will act upon.
        "ior_hints" => pub hints: Bitmap<'a, IoAdvise>,
    }
}

xdr_union! {
    /// Reply to IO_ADVISE (RFC 7862, section 15.5).
    #[derive(Copy)]
    "IO_ADVISE4res" => pub enum IoAdviseReply<'a> switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(IoAdviseOk<'a>),
        /// Failure.
        default => Fail,
    }
}
