//! Callbacks: what servers ask of clients (RFC 7530, section 18; RFC 8881, section 20; RFC 7862,
//! section 16).
//!
//! A client reads requests with [`RequestReader`] and answers with [`ReplyWriter`]; a server writes
//! them with [`RequestWriter`] and decodes [`CbCompoundReply`].
//!
//! ```
//! use nfswire_nfs4::{Stateid, Status, callback::{
//!     CbArgOp, CbCompoundReply, CbResOp, ReplyWriter, RequestReader, RequestWriter,
//!     deleg::{CbRecallArgs, CbRecallReply},
//! }};
//! use nfswire_xdr::{Cursor, Encoder, Opaque, Segments, Text, from_bytes};
//!
//! // The server asks for a delegation back.
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! let mut request = RequestWriter::new(&mut e, Text::try_from("recall")?, 0, 17)?;
//! let fh = Opaque::try_from(b"handle")?;
//! request.push(&CbArgOp::Recall(CbRecallArgs { stateid: Stateid::default(), truncate: false, fh }))?;
//! request.finish()?;
//! e.finish();
//! let message = segments.view(&head).to_vec()?;
//!
//! // The client will give it.
//! let mut request = RequestReader::open(Cursor::new(&message))?;
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! let mut reply = ReplyWriter::new(&mut e, request.tag())?;
//! for op in &mut request {
//!     let result = match op {
//!         Ok(CbArgOp::Recall(_)) => CbResOp::Recall(CbRecallReply { status: Status::OK }),
//!         Ok(op) => CbResOp::from_status(op.argop(), Status::NOTSUPP).unwrap(),
//!         Err(error) => error.answer(),
//!     };
//!     reply.push(&result)?;
//!     if reply.status() != Status::OK {
//!         break;
//!     }
//! }
//! assert_eq!(reply.finish()?, Status::OK);
//! e.finish();
//! let message = segments.view(&head).to_vec()?;
//! let reply: CbCompoundReply<'_> = from_bytes(&message)?;
//! assert_eq!((reply.status, reply.tag.to_str(), reply.results.len()), (Status::OK, Ok("recall"), 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compound;
pub mod deleg;
pub mod layout;
pub mod lock;
pub mod notify;
pub mod offload;
mod op;
mod opnum;
pub mod procedures;
pub mod recall;
pub mod session;

pub use compound::{
    CbCompoundArgs, CbCompoundReply, OpError, ReplyWriter, RequestReader, RequestWriter,
};
pub use op::{CbArgOp, CbIllegalReply, CbResOp};
pub use opnum::CbOpNum;
