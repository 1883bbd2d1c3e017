//! Record marking: how RPC messages are told apart on a byte stream (RFC 5531, section 11).
//!
//! A record is a run of fragments. Each fragment starts with one word, the [`FragmentHeader`]: top
//! bit "last fragment of this record", 31 bits of length, the mark itself not counted. Fragments
//! may be empty and may end at any byte.
//!
//! Nothing here does I/O. [`RecordReader`] is the state machine over memory of the caller,
//! [`RecordBuffer`] (feature `alloc`) owns the memory. [`RecordMark`], [`Fragments`] and
//! [`RecordSender`] are the sending side. [`Datagram`] is for UDP, which needs no marks.

#[cfg(feature = "alloc")]
mod buffer;
mod datagram;
mod reader;
mod sender;
mod writer;

#[cfg(feature = "alloc")]
pub use buffer::{Arriving, Record, RecordBuffer};
pub use datagram::{Datagram, DatagramError};
pub use reader::{RecordReader, Taken, Want};
pub use sender::RecordSender;
pub use writer::{Fragments, RecordMark};

/// The mark in front of a fragment.
#[doc(alias = "record_fragment")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentHeader {
    last: bool,
    len: u32,
}

impl FragmentHeader {
    /// Top bit of the mark: the fragment is the last of its record.
    pub const LAST: u32 = 0x8000_0000;
    /// Longest fragment, in bytes: 2^31 - 1.
    pub const MAX_LEN: u32 = 0x7fff_ffff;
    /// Bytes of a mark on the wire.
    pub const SIZE: u32 = 4;

    /// Makes a mark; `None` if `len` is above [`FragmentHeader::MAX_LEN`].
    #[must_use]
    pub const fn new(last: bool, len: u32) -> Option<Self> {
        if len > Self::MAX_LEN { None } else { Some(Self { last, len }) }
    }

    /// Reads a mark from its word. Every word is one.
    #[must_use]
    pub const fn from_word(word: u32) -> Self {
        Self { last: word & Self::LAST != 0, len: word & Self::MAX_LEN }
    }

    /// The word as it travels, before byte order.
    #[must_use]
    pub const fn to_word(self) -> u32 {
        if self.last { self.len | Self::LAST } else { self.len }
    }

    /// Reads a mark from its four bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 4]) -> Self {
        Self::from_word(u32::from_be_bytes(bytes))
    }

    /// The four bytes as they travel.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 4] {
        self.to_word().to_be_bytes()
    }

    /// Whether the fragment is the last of its record.
    #[must_use]
    pub const fn is_last(self) -> bool {
        self.last
    }

    /// Bytes of the fragment behind the mark.
    #[must_use]
    pub const fn fragment_len(self) -> u32 {
        self.len
    }
}

/// What a reader takes from its peer.
///
/// Checked when the fourth byte of a mark arrives, before any room is made for what it announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordLimits {
    /// Longest record, in bytes, all fragments together, marks not counted. Exactly this many are
    /// taken.
    pub max_record: u32,
    /// Most fragments of one record, empty ones counted. Bounds the work that a peer can cause
    /// without sending data.
    pub max_fragments: u32,
}

impl RecordLimits {
    /// 1 MiB of payload and 64 KiB for everything around it; 1024 fragments.
    pub const DEFAULT: Self = Self { max_record: 1_114_112, max_fragments: 1024 };
}

impl Default for RecordLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
