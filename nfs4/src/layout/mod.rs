//! What is inside the opaque bodies of pNFS: a module for each kind of layout, and enums that decode
//! a body by the kind that stands beside it.
//!
//! A kind that has no RFC here keeps its bytes:
//!
//! ```
//! use nfswire_nfs4::{LayoutType, layout::{ContentBody, block}, ops::layout::LayoutContent};
//! use nfswire_xdr::Opaque;
//!
//! let content = LayoutContent {
//!     layout_type: LayoutType::BLOCK_VOLUME,
//!     body: Opaque::try_from(&[0, 0, 0, 0])?, // no extents
//! };
//! let body = ContentBody::try_from(content)?;
//! assert_eq!(body, ContentBody::BlockVolume(block::Layout { extents: Default::default() }));
//! assert_eq!(body.encode(&mut [0; 16])?, content.body);
//!
//! let other = LayoutContent { layout_type: LayoutType(77), ..content };
//! assert_eq!(ContentBody::try_from(other)?, ContentBody::Other(LayoutType(77), content.body));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

pub mod block;
mod body;
pub mod files;
pub mod flexfiles;
pub mod objects;
pub mod scsi;

pub use body::{ContentBody, DeviceAddrBody, HintBody, ReturnBody, StatsBody, UpdateBody, WccBody};
