//! The attributes that clients ask for with nearly every call.

use nfswire_xdr::{Cursor, Decode, Encode, EncodeError, Encoder, Wire, plan};

use super::{Attr, AttrError, AttrSet, AttrSource, AttrValue, Fattr};
use crate::{FileHandle, FileType, Fsid, Mode, SpecData, Status, TextMixed, Time};

macro_rules! standard {
    ($( $(#[$m:meta])* $attr:ident $v:ident $field:ident: $t:ty; )*) => {
        /// The attributes that clients ask for with nearly every call: `stat`'s, and those of directory
        /// entries.
        ///
        /// [`mask`](Self::mask) tells which of the fields count. Both ways take the shortest path for
        /// the set that the Linux client asks for, and a short one for any set of these attributes.
        ///
        /// ```
        /// use nfswire_nfs4::{FileType, attrs::{Attr, AttrSet, Fattr, StandardAttrs}};
        /// use nfswire_xdr::{Encoder, Segments, from_bytes};
        ///
        /// let file = StandardAttrs {
        ///     mask: AttrSet::of(&[Attr::TYPE, Attr::SIZE, Attr::MODE]),
        ///     file_type: FileType::Regular,
        ///     size: 5,
        ///     mode: 0o644,
        ///     ..StandardAttrs::default()
        /// };
        /// let (mut head, mut segments) = (Vec::new(), Segments::new());
        /// let mut e = Encoder::growable(&mut head, &mut segments);
        /// e.put(&file.select(&AttrSet::of(&[Attr::SIZE, Attr::MODE, Attr::ACL])))?;
        /// e.finish();
        ///
        /// let message = segments.view(&head).to_vec()?;
        /// let received = StandardAttrs::from_fattr(&from_bytes(&message)?).unwrap();
        /// assert_eq!(received.mask, AttrSet::of(&[Attr::SIZE, Attr::MODE]));
        /// assert_eq!(received.size, 5);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct StandardAttrs<'a> {
            /// Which of the fields mean something; other attributes in it mean nothing.
            pub mask: AttrSet<'static>,
            $( $(#[$m])* pub $field: $t, )*
        }

        impl StandardAttrs<'_> {
            /// All of these attributes.
            pub const ATTRS: AttrSet<'static> = AttrSet::of(&[$(Attr::$attr),*]);
        }

        impl<'a> StandardAttrs<'a> {
            /// Reads a list in which nothing else is.
            fn read(words: Words, raw: &'a [u8]) -> Option<Self> {
                let mut c = Cursor::new(raw);
                let mut all = Self { mask: words.set(), ..Self::default() };
                $( if words.has(Attr::$attr) {
                    all.$field = Decode::decode(&mut c)?;
                } )*
                (c.remaining() == 0).then_some(all)
            }

            /// Takes a value, if it is one of these attributes.
            fn take(&mut self, value: &AttrValue<'a>) -> bool {
                match *value {
                    $( AttrValue::$v(value) => self.$field = value, )*
                    _ => return false,
                }
                true
            }
        }

        impl AttrSource for StandardAttrs<'_> {
            fn attr(&self, attr: Attr) -> Option<AttrValue<'_>> {
                if !self.mask.contains(attr) {
                    return None;
                }
                match attr {
                    $( Attr::$attr => Some(AttrValue::$v(self.$field)), )*
                    _ => None,
                }
            }
        }

        impl StandardAttrs<'_> {
            /// Length of the values of any set, in bytes.
            #[inline(never)]
            fn sum(&self, words: Words) -> u64 {
                let mut sum = 0u64;
                $( if words.has(Attr::$attr) {
                    sum = sum.wrapping_add(self.$field.encoded_len());
                } )*
                sum
            }
        }

        impl StandardFattr<'_> {
            /// Writes any set.
            #[inline(never)]
            fn write_any<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                let w = self.words.set().write(w)?;
                let mut w = u32::try_from(self.len).ok()?.write(w)?;
                $( if self.words.has(Attr::$attr) {
                    w = self.attrs.$field.write(w)?;
                } )*
                Some(w)
            }

            /// Writes the values of any set across pages.
            fn append(&self, e: &mut Encoder<'_, '_>) -> Result<(), EncodeError> {
                $( if self.words.has(Attr::$attr) {
                    self.attrs.$field.encode(e)?;
                } )*
                Ok(())
            }
        }
    };
}

standard! {
    /// Kind of object.
    TYPE Type file_type: FileType;
    /// Changes whenever data or metadata do.
    CHANGE Change change: u64;
    /// Length, in bytes.
    SIZE Size size: u64;
    /// Which file system it is on.
    FSID Fsid fsid: Fsid;
    /// Why there are no attributes; in directory entries only.
    RDATTR_ERROR RdattrError rdattr_error: Status;
    /// Handle.
    FILEHANDLE Filehandle filehandle: FileHandle<'a>;
    /// Number within the file system.
    FILEID Fileid fileid: u64;
    /// Permission bits.
    MODE Mode mode: Mode;
    /// Hard links.
    NUMLINKS Numlinks numlinks: u32;
    /// Owner.
    OWNER Owner owner: TextMixed<'a>;
    /// Owning group.
    OWNER_GROUP OwnerGroup owner_group: TextMixed<'a>;
    /// Device number of a device file.
    RAWDEV Rawdev rawdev: SpecData;
    /// Bytes that it takes up.
    SPACE_USED SpaceUsed space_used: u64;
    /// Last access to the data.
    TIME_ACCESS TimeAccess time_access: Time;
    /// Creation.
    TIME_CREATE TimeCreate time_create: Time;
    /// Last change of the attributes.
    TIME_METADATA TimeMetadata time_metadata: Time;
    /// Last change of the data.
    TIME_MODIFY TimeModify time_modify: Time;
    /// Number of the directory that the file system is mounted on, else the same as `fileid`.
    MOUNTED_ON_FILEID MountedOnFileid mounted_on_fileid: u64;
}

/// The first two words of a mask: all that is here is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Words(u32, u32);

impl Words {
    const fn of(set: &AttrSet<'_>) -> Self {
        let [a, b, _] = set.words();
        Self(a, b)
    }

    const fn set(self) -> AttrSet<'static> {
        AttrSet::from_words([self.0, self.1, 0])
    }

    #[inline(always)]
    const fn has(self, attr: Attr) -> bool {
        let word = if attr.0 < 32 { self.0 } else { self.1 };
        word & (1 << (attr.0 & 31)) != 0
    }
}

/// What the Linux client asks for with GETATTR.
const USUAL: Words = Words::of(&AttrSet::of(&[
    Attr::TYPE,
    Attr::CHANGE,
    Attr::SIZE,
    Attr::FSID,
    Attr::FILEID,
    Attr::MODE,
    Attr::NUMLINKS,
    Attr::OWNER,
    Attr::OWNER_GROUP,
    Attr::RAWDEV,
    Attr::SPACE_USED,
    Attr::TIME_ACCESS,
    Attr::TIME_METADATA,
    Attr::TIME_MODIFY,
    Attr::MOUNTED_ON_FILEID,
]));

/// Bytes of its values before the owner, and behind the group.
const FRONT: usize = 4 + 8 + 8 + 16 + 8 + 4 + 4;
const BACK: usize = 8 + 8 + 12 + 12 + 12 + 8;
const ALL: Words = Words::of(&StandardAttrs::ATTRS);

impl Default for StandardAttrs<'_> {
    /// None of them.
    fn default() -> Self {
        Self {
            mask: AttrSet::EMPTY,
            file_type: FileType::Regular,
            change: 0,
            size: 0,
            fsid: Fsid::default(),
            rdattr_error: Status::OK,
            filehandle: FileHandle::default(),
            fileid: 0,
            mode: 0,
            numlinks: 0,
            owner: TextMixed::default(),
            owner_group: TextMixed::default(),
            rawdev: SpecData::default(),
            space_used: 0,
            time_access: Time::default(),
            time_create: Time::default(),
            time_metadata: Time::default(),
            time_modify: Time::default(),
            mounted_on_fileid: 0,
        }
    }
}

impl<'a> StandardAttrs<'a> {
    /// The standard ones among received attributes. Others are checked and left out of the mask.
    ///
    /// # Errors
    /// [`AttrError`] when the list cannot be read to its end; what else there is,
    /// [`Fattr::values`] yields up to there.
    #[inline]
    pub fn from_fattr(fattr: &Fattr<'a>) -> Result<Self, AttrError<'a>> {
        let words = Words::of(&fattr.mask);
        let raw = fattr.values.as_bytes();
        if words == USUAL
            && fattr.mask.len_words() == 2
            && let Some(all) = Self::read_usual(raw)
        {
            return Ok(all);
        }
        Self::from_any(fattr)
    }

    #[inline(always)]
    fn read_usual(raw: &'a [u8]) -> Option<Self> {
        let (front, rest) = raw.split_first_chunk::<FRONT>()?;
        let mut run = plan::Run(front);
        let all = Self {
            mask: const { USUAL.set() },
            file_type: run.block(false)?,
            change: run.block(false)?,
            size: run.block(false)?,
            fsid: run.block(false)?,
            fileid: run.block(false)?,
            mode: run.block(false)?,
            numlinks: run.block(false)?,
            ..Self::default()
        };
        let mut c = Cursor::new(rest);
        let (owner, owner_group) = (Decode::decode(&mut c)?, Decode::decode(&mut c)?);
        let back: &[u8; BACK] = c.rest().try_into().ok()?;
        let mut run = plan::Run(back);
        Some(Self {
            owner,
            owner_group,
            rawdev: run.block(false)?,
            space_used: run.block(false)?,
            time_access: run.block(false)?,
            time_metadata: run.block(false)?,
            time_modify: run.block(false)?,
            mounted_on_fileid: run.block(false)?,
            ..all
        })
    }

    #[inline(never)]
    fn from_any(fattr: &Fattr<'a>) -> Result<Self, AttrError<'a>> {
        if fattr.mask.is_subset(&Self::ATTRS)
            && let Some(all) = Self::read(Words::of(&fattr.mask), fattr.values.as_bytes())
        {
            return Ok(all);
        }
        let mut all = Self::default();
        let [mut a, mut b] = [0u32; 2];
        for value in fattr.values() {
            let value = value?;
            if all.take(&value) {
                let attr = value.attr().0;
                let word = if attr < 32 { &mut a } else { &mut b };
                *word |= 1 << (attr & 31);
            }
        }
        all.mask = Words(a, b).set();
        Ok(all)
    }

    /// Those of the attributes that are wanted: what is written as a [`Fattr`].
    #[inline]
    #[must_use]
    pub fn select<'s>(&'s self, wanted: &AttrSet<'_>) -> StandardFattr<'s> {
        let (Words(a, b), Words(x, y)) = (Words::of(wanted), Words::of(&self.mask));
        let words = Words(a & x & ALL.0, b & y & ALL.1);
        let (len, fixed) = if words == USUAL {
            let texts = self.owner.encoded_len().wrapping_add(self.owner_group.encoded_len());
            (texts.wrapping_add(const { (FRONT + BACK) as u64 }), 16)
        } else {
            (self.sum(words), u64::from(words.set().len_words()).wrapping_mul(4).wrapping_add(8))
        };
        StandardFattr { attrs: self, words, len, total: len.wrapping_add(fixed) }
    }
}

/// Some of the [`StandardAttrs`] of an object, written as a [`Fattr`]; made by
/// [`select`](StandardAttrs::select).
#[derive(Clone, Copy, Debug)]
pub struct StandardFattr<'s> {
    attrs: &'s StandardAttrs<'s>,
    words: Words,
    /// Length of the values, in bytes.
    len: u64,
    /// Length of mask, values and the two words before them.
    total: u64,
}

impl StandardFattr<'_> {
    /// Which attributes are written.
    #[must_use]
    pub const fn mask(&self) -> AttrSet<'static> {
        self.words.set()
    }

    /// The usual set, in two runs and two texts.
    #[inline(always)]
    fn write_usual<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let all = self.attrs;
        let len = u32::try_from(self.len).ok()?;
        let (front, w) = w.split_first_chunk_mut::<{ 16 + FRONT }>()?;
        let run = 2u32.write(front)?;
        let run = USUAL.0.write(run)?;
        let run = USUAL.1.write(run)?;
        let run = len.write(run)?;
        let run = all.file_type.write(run)?;
        let run = all.change.write(run)?;
        let run = all.size.write(run)?;
        let run = all.fsid.write(run)?;
        let run = all.fileid.write(run)?;
        let run = all.mode.write(run)?;
        all.numlinks.write(run)?;
        let w = write_name(&all.owner, w)?;
        let w = write_name(&all.owner_group, w)?;
        let (back, w) = w.split_first_chunk_mut::<BACK>()?;
        let run = all.rawdev.write(back)?;
        let run = all.space_used.write(run)?;
        let run = all.time_access.write(run)?;
        let run = all.time_metadata.write(run)?;
        let run = all.time_modify.write(run)?;
        all.mounted_on_fileid.write(run)?;
        Some(w)
    }
}

/// Writes a text that is mostly a number of a few digits: calling `memcpy` for it would cost more
/// than all the rest.
#[inline(always)]
fn write_name<'w>(name: &TextMixed<'_>, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
    let bytes = name.as_bytes();
    let (Some(first), Some(last), len @ 4..=8) =
        (bytes.first_chunk::<4>(), bytes.last_chunk::<4>(), name.len())
    else {
        return name.write(w);
    };
    if len == 4 {
        let (to, rest) = w.split_first_chunk_mut::<8>()?;
        first.write(len.write(to)?)?;
        return Some(rest);
    }
    let (to, rest) = w.split_first_chunk_mut::<12>()?;
    // Shifts the bytes that the first word has out of the last four, and zeros in behind them.
    let last = u32::from_le_bytes(*last).wrapping_shr(64u32.wrapping_sub(len.wrapping_mul(8)));
    last.to_le_bytes().write(first.write(len.write(to)?)?)?;
    Some(rest)
}

impl Wire for StandardFattr<'_> {
    const MIN_LEN: u32 = 8;
    const MAX_LEN: u32 = u32::MAX;
}

impl<'p> Encode<'p> for StandardFattr<'_> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        self.total
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        if self.words == USUAL { self.write_usual(w) } else { self.write_any(w) }
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        let too_long = EncodeError::TooLong { len: self.len, limit: u32::MAX.into() };
        self.words.set().encode(e)?;
        e.word(u32::try_from(self.len).map_err(|_| too_long)?)?;
        self.append(e)
    }
}
