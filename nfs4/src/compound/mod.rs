//! COMPOUND: many operations in one call (RFC 7530, section 15.2; RFC 8881, section 16.2).
//!
//! [`CompoundArgs`] and [`CompoundReply`] are the two messages as values. A server works on them in
//! pieces: [`CompoundReader`] gives the operations one by one, and judges them by the rules of the
//! minor version; [`CompoundWriter`] takes the results one by one, and says before an operation runs
//! whether its result will have room. A client has [`CompoundBuilder`] and [`ReplyReader`]. Where all
//! results are known together, [`put_results`] and [`ReplyReader::all`] are the short way.
//!
//! ```
//! use nfswire_nfs4::{
//!     OpNum, Status,
//!     compound::{Accepted, Argop, Bounds, CompoundReader, CompoundWriter, ReplyLimits, Resop},
//! };
//! use nfswire_xdr::{Cursor, Encoder, Segments};
//!
//! // PUTROOTFH, GETFH in NFSv4.0.
//! let call = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 24, 0, 0, 0, 10];
//! let mut ops = CompoundReader::open(Cursor::new(&call), &Accepted::default()).unwrap();
//!
//! let (mut head, mut segments) = (Vec::new(), Segments::new());
//! let mut e = Encoder::growable(&mut head, &mut segments);
//! let limits = ReplyLimits::transport(ops.minor_version(), 1 << 20, 24);
//! let mut reply = CompoundWriter::new(&mut e, ops.tag(), limits)?;
//! while let Some(op) = ops.next() {
//!     if let Err(status) = reply.fits(op.reply_bound(&Bounds::default()), ops.peek()) {
//!         reply.fail(op.op(), status)?;
//!         break;
//!     }
//!     let result = match op {
//!         Argop::Putrootfh => Resop::Putrootfh(nfswire_nfs4::ops::filehandle::PutrootfhReply {
//!             status: Status::OK,
//!         }),
//!         other => Resop::failure(other.op(), Status::NOTSUPP),
//!     };
//!     reply.push(&result)?;
//!     if result.status() != Status::OK {
//!         break;
//!     }
//! }
//! if let Some(refusal) = ops.refusal() {
//!     reply.refuse(refusal)?;
//! }
//! assert_eq!(reply.finish()?, Status::NOTSUPP);
//! e.finish();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod args;
mod bounds;
mod client;
mod known;
mod operation;
mod order;
mod reader;
mod reply;
mod table;
mod writer;

pub use args::CompoundArgs;
pub use bounds::Bounds;
pub use client::{BuildError, CompoundBuilder, ReplyError, ReplyReader};
pub use known::{Results, put_results};
pub use operation::{HIGHEST_MINOR, OpArgs, OpReply, Standing};
pub use order::{Reason, Refusal};
pub use reader::{Accepted, CompoundReader, Input, OpenError};
pub use reply::CompoundReply;
pub use table::{Argop, Resop};
pub use writer::{CompoundWriter, ReplyLimits, WriteError};
