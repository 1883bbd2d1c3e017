//! Results that are known all together: the short way for the replies that make up most traffic.

use nfswire_xdr::{Cursor, Decode, Encode, EncodeError, Encoder, Payload, Text, Wire, plan};

use super::{
    OpReply, ReplyLimits, ReplyReader, WriteError,
    writer::{Numbered, Tag},
};
use crate::Status;

/// The results of operations that are known when the program is written: a tuple of up to eight, such
/// as `(SequenceReply, PutfhReply, ReadReply<'_>)`.
#[allow(clippy::len_without_is_empty, reason = "the length of an encoding, which is never empty")]
pub trait Results<'a>: Sized {
    /// Number of results.
    const COUNT: u32;
    #[doc(hidden)]
    const INLINE: bool;
    #[doc(hidden)]
    const TAIL: bool;
    #[doc(hidden)]
    const LONG: bool;

    /// Status of the last result; `None` if one before it failed, behind which there is none.
    fn status(&self) -> Option<Status>;

    #[doc(hidden)]
    fn last(&self) -> Status;
    #[doc(hidden)]
    fn len(&self) -> u64;
    #[doc(hidden)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]>;
    #[doc(hidden)]
    fn tail(&self) -> Option<&Payload<'a>>;
    #[doc(hidden)]
    fn encode_fields(&self, e: &mut Encoder<'_, 'a>) -> Result<(), EncodeError>;
    #[doc(hidden)]
    fn read(c: &mut Cursor<'a>) -> Option<Self>;
}

macro_rules! results {
    ($count:literal: [$($i:tt $t:ident)*] $n:tt $l:ident) => {
        impl<'a, $($t: OpReply<'a>,)* $l: OpReply<'a>> Results<'a> for ($($t,)* $l,) {
            const COUNT: u32 = $count;
            const INLINE: bool = plan::all(&[$($t::INLINE,)* $l::INLINE]);
            const TAIL: bool = plan::tail(&[$($t::INLINE,)* $l::INLINE], &[$($t::TAIL,)* $l::TAIL]);
            const LONG: bool = plan::any(&[$($t::LONG,)* $l::LONG]);

            #[inline(always)]
            fn status(&self) -> Option<Status> {
                $(
                    if OpReply::status(&self.$i) != Status::OK {
                        return None;
                    }
                )*
                Some(self.last())
            }

            #[inline(always)]
            fn last(&self) -> Status {
                OpReply::status(&self.$n)
            }

            // All but the last must have succeeded. So much is checked where they are written, and
            // once: then most lengths are known when the program is compiled.
            #[inline(always)]
            fn len(&self) -> u64 {
                Numbered($l::OP, &self.$n).encoded_len()
                    $(.wrapping_add(4).wrapping_add(OpReply::success_len(&self.$i)))*
            }

            #[inline(always)]
            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                $( let w = self.$i.write_success(Encode::<'a>::write(&$t::OP, w)?)?; )*
                Numbered($l::OP, &self.$n).write(w)
            }

            #[inline(always)]
            fn tail(&self) -> Option<&Payload<'a>> {
                None $(.or($t::tail(&self.$i)))* .or($l::tail(&self.$n))
            }

            fn encode_fields(&self, e: &mut Encoder<'_, 'a>) -> Result<(), EncodeError> {
                $( Numbered($t::OP, &self.$i).encode(e)?; )*
                Numbered($l::OP, &self.$n).encode(e)
            }

            #[inline(always)]
            fn read(c: &mut Cursor<'a>) -> Option<Self> {
                Some(($( result::<$t>(c)?, )* result::<$l>(c)?,))
            }
        }
    };
}
results!(1: [] 0 A);
results!(2: [0 A] 1 B);
results!(3: [0 A 1 B] 2 C);
results!(4: [0 A 1 B 2 C] 3 D);
results!(5: [0 A 1 B 2 C 3 D] 4 E);
results!(6: [0 A 1 B 2 C 3 D 4 E] 5 F);
results!(7: [0 A 1 B 2 C 3 D 4 E 5 F] 6 G);
results!(8: [0 A 1 B 2 C 3 D 4 E 5 F 6 G] 7 H);

/// Reads the result that must come next.
#[inline(always)]
fn result<'a, T: OpReply<'a>>(c: &mut Cursor<'a>) -> Option<T> {
    if u32::decode(c)? == T::OP.0 { T::decode(c) } else { None }
}

/// A whole reply.
struct Whole<'r, R> {
    status: Status,
    tag: Text<'r>,
    results: &'r R,
}

impl<'a, R: Results<'a>> Wire for Whole<'_, R> {
    const MIN_LEN: u32 = 12;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'a, R: Results<'a>> Encode<'a> for Whole<'_, R> {
    const INLINE: bool = R::INLINE;
    const TAIL: bool = R::TAIL;
    const LONG: bool = R::LONG;

    #[inline(always)]
    fn encoded_len(&self) -> u64 {
        Tag(self.tag).encoded_len().wrapping_add(8).wrapping_add(self.results.len())
    }

    #[inline(always)]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let w = Encode::<'a>::write(&self.status, w)?;
        let w = Tag(self.tag).write(w)?;
        self.results.write(Encode::<'a>::write(&R::COUNT, w)?)
    }

    #[inline(always)]
    fn tail(&self) -> Option<&Payload<'a>> {
        self.results.tail()
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'a>) -> Result<(), EncodeError> {
        if self.results.status().is_none() {
            return Err(EncodeError::Contradiction);
        }
        e.word(self.status.0)?;
        Tag(self.tag).encode(e)?;
        e.word(R::COUNT)?;
        self.results.encode_fields(e)
    }
}

/// Writes a reply whose results are all known, within limits: what
/// [`CompoundWriter`](super::CompoundWriter) writes too, in a third of the time. Gives its status.
///
/// Whether an operation's result will have room must be known before it runs, here too: ask
/// [`CompoundWriter::fits`](super::CompoundWriter::fits), or have requests of a known shape whose
/// longest reply is within the session's limits.
///
/// ```
/// use nfswire_nfs4::{Status, compound::{ReplyLimits, put_results}};
/// use nfswire_nfs4::ops::{filehandle::PutrootfhReply, io::{ReadOk, ReadReply}};
/// use nfswire_xdr::{Encoder, Payload, Segments, Text};
///
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// let read = ReadOk { eof: true, data: Payload::Borrowed(b"data") };
/// let results = (PutrootfhReply { status: Status::OK }, ReadReply::Ok(read));
/// let limits = ReplyLimits::transport(0, 1000, 24);
/// assert_eq!(put_results(&mut e, Text::default(), &limits, &results)?, Status::OK);
/// assert_eq!(e.finish(), 12 + 8 + 20);
/// # Ok::<(), nfswire_nfs4::compound::WriteError>(())
/// ```
///
/// # Errors
/// As for [`CompoundWriter::put`](super::CompoundWriter::put), of which
/// [`WriteError::Ended`] is for results behind a failed one; nothing of the reply is left then.
#[inline(always)]
pub fn put_results<'p, R: Results<'p>>(
    e: &mut Encoder<'_, 'p>,
    tag: Text<'_>,
    limits: &ReplyLimits,
    results: &R,
) -> Result<Status, WriteError> {
    let status = results.last();
    let whole = Whole { status, tag, results };
    let len = whole.encoded_len();
    let put = match limits.admit(len) {
        Ok(()) => e.put(&whole).map_err(WriteError::Encode),
        Err(status) => Err(WriteError::TooBig { status, len }),
    };
    // Neither the length nor what is written is right if a result before the last failed.
    put.map_err(|error| results.status().map_or(WriteError::Ended, |_| error))?;
    Ok(status)
}

impl<'a> ReplyReader<'a, Cursor<'a>> {
    /// All results at once, if all operations were done and the results are of the types that are
    /// expected, from the first on. Otherwise nothing is read: go through them one by one, which also
    /// tells what is wrong.
    ///
    /// ```
    /// use nfswire_nfs4::{Status, compound::ReplyReader};
    /// use nfswire_nfs4::ops::filehandle::{GetfhReply, PutrootfhReply};
    /// use nfswire_xdr::Cursor;
    ///
    /// let reply = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 0];
    /// let mut reader = ReplyReader::open(Cursor::new(&reply))?;
    /// assert_eq!(reader.all::<(PutrootfhReply, GetfhReply<'_>)>(), None); // GETFH was not done
    /// let (root,) = reader.all::<(PutrootfhReply,)>().unwrap();
    /// assert_eq!((root.status, reader.finish()?), (Status::OK, Status::OK));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)]
    pub fn all<R: Results<'a>>(&mut self) -> Option<R> {
        if self.index != 0 || self.count != R::COUNT {
            return None;
        }
        let mut c = self.source;
        let results = R::read(&mut c)?;
        self.last = results.status()?;
        self.source = c;
        self.index = self.count;
        Some(results)
    }
}
