//! Errors of decoding and encoding. Both are small, `Copy` and built without allocation.

use core::fmt;

/// Names a field of a wire type in the RFC's words: `READ3args.offset`. Where a declaration gives no
/// RFC name, the Rust name stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Type that the field belongs to, as the RFC spells it.
    pub type_name: &'static str,
    /// Field, union discriminant or arm.
    pub name: &'static str,
}

impl Field {
    /// A field of `type_name`.
    #[must_use]
    pub const fn new(type_name: &'static str, name: &'static str) -> Self {
        Self { type_name, name }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.type_name, self.name)
    }
}

/// What was wrong with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The message ends early: these bytes will never come.
    Short {
        /// Bytes that the item needs.
        needed: u32,
        /// Bytes that the message still has.
        left: u32,
    },
    /// The bytes belong to the message but are not at hand: still on the wire, or placed elsewhere.
    NotHere {
        /// Bytes that the item needs.
        needed: u32,
        /// Bytes at hand.
        here: u32,
    },
    /// An opaque or a string is longer than its maximum.
    TooLong {
        /// Length on the wire, in bytes.
        len: u32,
        /// Maximum of the type or of [`Limits`](crate::Limits).
        limit: u32,
    },
    /// An array or a list has more elements than its maximum.
    TooMany {
        /// Elements on the wire; for a linked list the first element beyond the maximum.
        count: u32,
        /// Maximum of the type or of [`Limits`](crate::Limits).
        limit: u32,
    },
    /// A pad byte is not zero (RFC 4506, section 3).
    Padding,
    /// A boolean or "value follows" word is neither 0 nor 1 (RFC 4506, sections 4.4 and 4.19).
    Bool(u32),
    /// The value is outside a closed enumeration (RFC 4506, section 4.3).
    Enum(u32),
    /// The discriminant selects no arm (RFC 4506, section 4.15).
    Union(u32),
    /// Bytes are left over behind the value.
    Trailing(u32),
    /// An item straddles pieces of the input, and the scratch that the caller lent is used up.
    Scratch {
        /// Bytes of scratch that were lacking.
        needed: u32,
    },
    /// Well-formed parts that contradict each other, such as nested lengths that do not match.
    Contradiction,
    /// A parser of the crate `nom` does not accept what is here.
    #[cfg(feature = "nom")]
    Nom(::nom::error::ErrorKind),
}

/// Why and where decoding failed.
///
/// `offset` counts bytes from the start of the message, the record marker excluded. The text reads
/// `READ3args.offset at byte 16: need 8 bytes, 0 left`.
///
/// | kind | the byte at `offset` |
/// |---|---|
/// | [`Short`](ErrorKind::Short), [`NotHere`](ErrorKind::NotHere), [`Scratch`](ErrorKind::Scratch) | first of the item that lacks bytes: of a word, of the data of an opaque (behind its length), of its pad, of the elements of an array (behind their count) |
/// | [`TooLong`](ErrorKind::TooLong) | first of the length word |
/// | [`TooMany`](ErrorKind::TooMany) | first of the count; in a linked list, of the word before the element that is one too many |
/// | [`Padding`](ErrorKind::Padding) | the first pad byte that is not zero |
/// | [`Bool`](ErrorKind::Bool), [`Enum`](ErrorKind::Enum), [`Union`](ErrorKind::Union) | first of the word |
/// | [`Trailing`](ErrorKind::Trailing) | first behind the value |
///
/// In a message of which a part is elsewhere the bytes of that part count too, a payload's pad
/// included, whether or not it was received or left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What was wrong.
    pub kind: ErrorKind,
    /// Where the offending item starts, in bytes from the start of the message; see above.
    pub offset: u32,
    /// Innermost field that was being read; `None` for a bare item.
    pub field: Option<&'static Field>,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Short { needed, left } => write!(f, "need {needed} bytes, {left} left"),
            Self::NotHere { needed, here } => {
                write!(f, "need {needed} bytes, only {here} of the message are here")
            }
            Self::TooLong { len, limit } => write!(f, "{len} bytes long, at most {limit} allowed"),
            Self::TooMany { count, limit } => {
                write!(f, "{count} elements, at most {limit} allowed")
            }
            Self::Padding => f.write_str("pad bytes are not zero"),
            Self::Bool(v) => write!(f, "{v} is not a boolean"),
            Self::Enum(v) => write!(f, "{} is not a value of this enumeration", v.cast_signed()),
            Self::Union(v) => write!(f, "discriminant {} selects no arm", v.cast_signed()),
            Self::Trailing(n) => write!(f, "{n} bytes left over"),
            Self::Scratch { needed } => {
                write!(f, "straddles pieces of the input; lend {needed} more bytes of scratch")
            }
            Self::Contradiction => f.write_str("parts of the value contradict each other"),
            #[cfg(feature = "nom")]
            Self::Nom(kind) => write!(f, "not accepted by a parser ({})", kind.description()),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.field {
            write!(f, "{field} ")?;
        }
        write!(f, "at byte {}: {}", self.offset, self.kind)
    }
}

impl core::error::Error for DecodeError {}

/// Fields passed on the way to an error, outermost first.
pub(crate) const PATH: usize = 8;

/// A [`DecodeError`] with the whole path of fields that led to it, from [`explain`](crate::explain).
///
/// The text reads `file.type > filetype.interpretor at byte 24: ...`, in the names that [`Field`]
/// has; for a value without fields, such as a number, it is that of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The error.
    pub error: DecodeError,
    pub(crate) path: [Option<&'static Field>; PATH],
}

impl Explanation {
    /// Fields from the outermost type to the failing one; at most eight are kept.
    pub fn path(&self) -> impl Iterator<Item = &'static Field> + '_ {
        self.path.iter().filter_map(|f| *f)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, field) in self.path().enumerate() {
            if i > 0 {
                f.write_str(" > ")?;
            }
            write!(f, "{field}")?;
        }
        if self.path().next().is_some() {
            f.write_str(" ")?;
        }
        write!(f, "at byte {}: {}", self.error.offset, self.error.kind)
    }
}

/// Why a value could not be encoded. Nothing of it is left in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The head is full.
    NoSpace {
        /// Bytes missing, at least.
        missing: u64,
    },
    /// No room for another payload segment; only without the `alloc` feature.
    TooManySegments,
    /// The mark or slot was made before a rollback that went below it.
    Stale,
    /// The message is longer than its framing can say.
    TooLong {
        /// Length in bytes.
        len: u64,
        /// Maximum in bytes.
        limit: u64,
    },
    /// The bytes of a payload are not in memory: it was decoded as lying elsewhere, or, where bytes
    /// are to be copied (`Owned::new`), it is a range of a file.
    NotHere,
    /// A union's carried discriminant belongs to another arm, or a hand-written type wrote another
    /// number of bytes than it announced.
    Contradiction,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoSpace { missing } => write!(f, "the head lacks {missing} bytes of room"),
            Self::TooManySegments => f.write_str("no room for another payload segment"),
            Self::Stale => f.write_str("the mark or slot was rolled back"),
            Self::TooLong { len, limit } => {
                write!(f, "the message has {len} bytes, at most {limit} are allowed")
            }
            Self::NotHere => f.write_str(
                "the bytes of a payload are not in memory: it lies elsewhere, or in a file",
            ),
            Self::Contradiction => {
                f.write_str("the value contradicts itself: wrong discriminant or length")
            }
        }
    }
}

impl core::error::Error for EncodeError {}

/// Data that is longer than the maximum of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError {
    /// Length in bytes.
    pub len: usize,
    /// Maximum in bytes.
    pub limit: u32,
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes long, at most {} allowed", self.len, self.limit)
    }
}

impl core::error::Error for LengthError {}
