//! Notifications: CB_NOTIFY, and the lists of CB_NOTIFY and CB_NOTIFY_DEVICEID.
//!
//! A `notify4` is a mask and an opaque, which holds a value for each bit of the mask, in ascending
//! order and without lengths. [`Notify`] and [`NotifyDeviceid`] are the two kinds; each reads its
//! values lazily and writes them.
//!
//! ```
//! use nfswire_nfs4::{
//!     Component, attrs::Fattr,
//!     callback::notify::{Change, Notify, NotifyEntry, NotifyRemove, NotifyVerifier},
//! };
//!
//! let old_entry = NotifyEntry { file: Component::try_from("a")?, attrs: Fattr::default() };
//! let changes = [
//!     Change::RemoveEntry(NotifyRemove { old_entry, old_entry_cookie: 7 }),
//!     Change::CookieVerifier(NotifyVerifier { old_cookieverf: [0; 8], new_cookieverf: [1; 8] }),
//! ];
//! let mut scratch = [0; 64];
//! let notify = Notify::encode(&changes, &mut scratch)?;
//! assert_eq!(format!("{:?}", notify.mask), "{NOTIFY4_REMOVE_ENTRY, NOTIFY4_CHANGE_COOKIE_VERIFIER}");
//! assert_eq!(notify.changes().collect::<Result<Vec<_>, _>>()?, changes);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

use core::marker::PhantomData;

use nfswire_xdr::{
    Array, Cursor, DecodeError, Encode, EncodeError, Limits, Opaque, xdr_open_enum, xdr_struct,
};
use thiserror::Error;

use crate::{
    Bit, Bitmap, Component, Cookie, DeviceId, FileHandle, LayoutType, Stateid, Status, Verifier,
    attrs::Fattr, bitmap::bits,
};

//--- Changes of a directory ---

xdr_open_enum! {
    /// Kind of change of a directory (RFC 8881, section 20.4).
    "notify_type4" => pub struct NotifyType {
        /// Attributes of an entry have changed: [`NotifyAttr`].
        "NOTIFY4_CHANGE_CHILD_ATTRS" CHANGE_CHILD_ATTRS = 0,
        /// Attributes of the directory have changed: [`NotifyAttr`].
        "NOTIFY4_CHANGE_DIR_ATTRS" CHANGE_DIR_ATTRS = 1,
        /// An entry was removed: [`NotifyRemove`].
        "NOTIFY4_REMOVE_ENTRY" REMOVE_ENTRY = 2,
        /// An entry was added: [`NotifyAdd`].
        "NOTIFY4_ADD_ENTRY" ADD_ENTRY = 3,
        /// An entry has another name: [`NotifyRename`].
        "NOTIFY4_RENAME_ENTRY" RENAME_ENTRY = 4,
        /// Cookies are not valid any more: [`NotifyVerifier`].
        "NOTIFY4_CHANGE_COOKIE_VERIFIER" CHANGE_COOKIE_VERIFIER = 5,
    }
}
bits!(NotifyType);

xdr_struct! {
    /// An entry of a directory (RFC 8881, section 20.4).
    #[derive(Copy)]
    "notify_entry4" => pub struct NotifyEntry<'a> {
        /// Its name.
        "ne_file" => pub file: Component<'a>,
        /// Its attributes.
        "ne_attrs" => pub attrs: Fattr<'a>,
    }
}

xdr_struct! {
    /// The entry before another one (RFC 8881, section 20.4).
    #[derive(Copy)]
    "prev_entry4" => pub struct PrevEntry<'a> {
        /// The entry.
        "pe_prev_entry" => pub prev_entry: NotifyEntry<'a>,
        /// Its cookie, as READDIR gave it.
        "pe_prev_entry_cookie" => pub prev_entry_cookie: Cookie,
    }
}

xdr_struct! {
    /// An entry was removed (RFC 8881, section 20.4).
    #[derive(Copy)]
    "notify_remove4" => pub struct NotifyRemove<'a> {
        /// The entry.
        "nrm_old_entry" => pub old_entry: NotifyEntry<'a>,
        /// Its cookie.
        "nrm_old_entry_cookie" => pub old_entry_cookie: Cookie,
    }
}

xdr_struct! {
    /// An entry was added (RFC 8881, section 20.4).
    #[derive(Copy)]
    "notify_add4" => pub struct NotifyAdd<'a> {
        /// The entry that it replaced, by a rename.
        "nad_old_entry" => pub old_entry: Option<NotifyRemove<'a>>,
        /// The entry.
        "nad_new_entry" => pub new_entry: NotifyEntry<'a>,
        /// Its cookie, if known.
        "nad_new_entry_cookie" => pub new_entry_cookie: Option<Cookie>,
        /// The entry before it, unless it is the first.
        "nad_prev_entry" => pub prev_entry: Option<PrevEntry<'a>>,
        /// It is the last of the directory.
        "nad_last_entry" => pub last_entry: bool,
    }
}

xdr_struct! {
    /// Attributes have changed, of an entry or of the directory itself (RFC 8881, section 20.4).
    #[derive(Copy)]
    "notify_attr4" => pub struct NotifyAttr<'a> {
        /// The entry and its attributes that have changed.
        "na_changed_entry" => pub changed_entry: NotifyEntry<'a>,
    }
}

xdr_struct! {
    /// An entry has another name, in the same directory (RFC 8881, section 20.4).
    #[derive(Copy)]
    "notify_rename4" => pub struct NotifyRename<'a> {
        /// What it was.
        "nrn_old_entry" => pub old_entry: NotifyRemove<'a>,
        /// What it is.
        "nrn_new_entry" => pub new_entry: NotifyAdd<'a>,
    }
}

xdr_struct! {
    /// The verifier of the directory's cookies has changed (RFC 8881, section 20.4).
    #[derive(Copy, Default)]
    "notify_verifier4" => pub struct NotifyVerifier {
        /// What it was.
        "nv_old_cookieverf" => pub old_cookieverf: Verifier,
        /// What it is.
        "nv_new_cookieverf" => pub new_cookieverf: Verifier,
    }
}

//--- Changes of devices ---

xdr_open_enum! {
    /// Kind of change of a device (RFC 8881, section 20.12).
    "notify_deviceid_type4" => pub struct NotifyDeviceidType {
        /// Its address has changed: [`NotifyDeviceidChange`].
        "NOTIFY_DEVICEID4_CHANGE" CHANGE = 1,
        /// It is gone: [`NotifyDeviceidDelete`].
        "NOTIFY_DEVICEID4_DELETE" DELETE = 2,
    }
}
bits!(NotifyDeviceidType);

xdr_struct! {
    /// A device is gone (RFC 8881, section 20.12).
    #[derive(Copy)]
    "notify_deviceid_delete4" => pub struct NotifyDeviceidDelete {
        /// Type of its layouts: the same number may be another device in another type.
        "ndd_layouttype" => pub layout_type: LayoutType,
        /// The device.
        "ndd_deviceid" => pub deviceid: DeviceId,
    }
}

xdr_struct! {
    /// A device has another address (RFC 8881, section 20.12).
    #[derive(Copy)]
    "notify_deviceid_change4" => pub struct NotifyDeviceidChange {
        /// Type of its layouts: the same number may be another device in another type.
        "ndc_layouttype" => pub layout_type: LayoutType,
        /// The device.
        "ndc_deviceid" => pub deviceid: DeviceId,
        /// I/O to the old address may fail from now on.
        "ndc_immediate" => pub immediate: bool,
    }
}

//--- Lists ---

/// Values of notifications, in ascending order of their types, without lengths between them (RFC
/// 8881, section 20.4).
#[doc(alias = "notifylist4")]
pub type NotifyList<'a> = Opaque<'a>;

mod sealed {
    #[allow(unnameable_types, reason = "that seals it")]
    pub trait Sealed {}
}

/// A value of a notification list: [`Change`] or [`DeviceidChange`].
pub trait Notification<'a>: sealed::Sealed + Sized {
    /// The types that it comes from.
    type Type: Bit;

    /// Its type.
    fn notify_type(&self) -> Self::Type;

    /// The value of a type; `None` if the type is not known.
    #[doc(hidden)]
    fn read(of: Self::Type, c: &mut Cursor<'a>) -> Result<Option<Self>, DecodeError>;
}

/// Why the values of a notification list end early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A type without an RFC here. Nobody else knows the length of its value, so this and the ones
    /// behind it cannot be read.
    #[error("notification type {number} is not known: it and what follows it cannot be read")]
    Unknown {
        /// The type.
        number: u32,
    },
    /// The bytes are no value of their type, or bytes are left over. Offsets count from the start
    /// of the list.
    #[error("in the notification list: {0}")]
    Damaged(DecodeError),
}

/// Why a notification list cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Types must rise: one list says each thing once, in the order of the bits.
    #[error("notification type {number} does not come behind type {last}: start another list")]
    Order {
        /// The type.
        number: u32,
        /// The type before it.
        last: u32,
    },
    /// The scratch is too short.
    #[error("notification list: {0}")]
    Encode(EncodeError),
}

/// The values of a notification list, from [`Notify::changes`] and [`NotifyDeviceid::changes`]. Ends
/// behind the first error.
#[derive(Debug, Clone)]
pub struct Values<'a, C: Notification<'a>> {
    mask: Bitmap<'a, C::Type>,
    /// The word that is looked at, what is left of it, and words behind it.
    index: u32,
    word: u32,
    cursor: Cursor<'a>,
    done: bool,
    values: PhantomData<C>,
}

impl<'a, C: Notification<'a>> Values<'a, C> {
    fn new(mask: Bitmap<'a, C::Type>, list: NotifyList<'a>, limits: &'a Limits) -> Self {
        let cursor = Cursor::with(list.as_bytes(), limits);
        Self { mask, index: 0, word: mask.word(0), cursor, done: false, values: PhantomData }
    }

    /// The next bit of the mask.
    fn next_type(&mut self) -> Option<C::Type> {
        while self.word == 0 {
            self.index = self.index.checked_add(1).filter(|i| *i < self.mask.len_words())?;
            self.word = self.mask.word(self.index as usize);
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word.wrapping_sub(1);
        // Bits from 2^32 on cannot be received: the mask would have 512 MiB.
        Some(C::Type::from_number(self.index.wrapping_mul(32).wrapping_add(bit)))
    }

    fn read(&mut self) -> Result<Option<C>, ReadError> {
        let Some(of) = self.next_type() else {
            self.done = true;
            return self.cursor.finish().map(|()| None).map_err(ReadError::Damaged);
        };
        match C::read(of, &mut self.cursor) {
            Ok(Some(value)) => Ok(Some(value)),
            Ok(None) => Err(ReadError::Unknown { number: of.number() }),
            Err(error) => Err(ReadError::Damaged(error)),
        }
    }
}

impl<'a, C: Notification<'a>> Iterator for Values<'a, C> {
    type Item = Result<C, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let value = self.read();
        self.done |= value.is_err();
        value.transpose()
    }
}

/// Writes values to the front of `scratch`; the mask and the list.
fn encode<'s, 'p, C: Notification<'p> + Encode<'p>>(
    changes: &[C],
    scratch: &'s mut [u8],
) -> Result<(Bitmap<'s, C::Type>, NotifyList<'s>), WriteError> {
    let (mut word, mut len, mut last) = (0u32, 0u64, None);
    for change in changes {
        let number = change.notify_type().number(); // below 32, as all that are known
        if let Some(last) = last.filter(|last| *last >= number) {
            return Err(WriteError::Order { number, last });
        }
        last = Some(number);
        word |= 1u32.wrapping_shl(number);
        len = len.saturating_add(change.encoded_len());
    }
    let missing = len.saturating_sub(scratch.len() as u64);
    let no_space = WriteError::Encode(EncodeError::NoSpace { missing });
    let window =
        usize::try_from(len).ok().and_then(|len| scratch.get_mut(..len)).ok_or(no_space)?;
    let mut w = &mut *window;
    for change in changes {
        w = change.write(w).ok_or(WriteError::Encode(EncodeError::Contradiction))?;
    }
    let list = NotifyList::new(window).ok_or(no_space)?;
    Ok((Bitmap::from_words([word, 0, 0]), list))
}

/// One kind of list: its values as an enum, and a `notify4` of them.
macro_rules! notifications {
    (
        $(#[$doc:meta])* $change:ident [$($gen:tt)*] [$($any:tt)*] ($type:ty) {
            $( $(#[$arm_doc:meta])* $arm:ident($t:ty) = $number:ident, )+
        }
        $(#[$list_doc:meta])* $list:ident
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "borrowed views, used once")]
        pub enum $change $($gen)* {
            $( $(#[$arm_doc])* $arm($t), )+
        }

        impl sealed::Sealed for $change $($any)* {}

        impl<'a> Notification<'a> for $change $($gen)* {
            type Type = $type;

            fn notify_type(&self) -> $type {
                match self {
                    $( Self::$arm(_) => <$type>::$number, )+
                }
            }

            fn read(of: $type, c: &mut Cursor<'a>) -> Result<Option<Self>, DecodeError> {
                match of {
                    $( <$type>::$number => c.decode().map(Self::$arm).map(Some), )+
                    _ => Ok(None),
                }
            }
        }

        impl $($gen)* nfswire_xdr::Wire for $change $($gen)* {
            const MIN_LEN: u32 =
                nfswire_xdr::plan::min(&[$(<$t as nfswire_xdr::Wire>::MIN_LEN),+]);
            const MAX_LEN: u32 =
                nfswire_xdr::plan::max(&[$(<$t as nfswire_xdr::Wire>::MAX_LEN),+]);
        }

        /// The value alone, as it is in a list.
        impl<'a> Encode<'a> for $change $($gen)* {
            fn encoded_len(&self) -> u64 {
                match self {
                    $( Self::$arm(value) => value.encoded_len(), )+
                }
            }

            fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                match self {
                    $( Self::$arm(value) => value.write(w), )+
                }
            }

            fn encode_fields(
                &self,
                e: &mut nfswire_xdr::Encoder<'_, 'a>,
            ) -> Result<(), EncodeError> {
                match self {
                    $( Self::$arm(value) => value.encode_fields(e), )+
                }
            }
        }

        xdr_struct! {
            $(#[$list_doc])*
            #[derive(Copy, Default)]
            "notify4" => pub struct $list<'a> {
                /// What is notified.
                "notify_mask" => pub mask: Bitmap<'a, $type>,
                /// A value for each.
                "notify_vals" => pub values: NotifyList<'a>,
            }
        }

        impl<'a> $list<'a> {
            /// The values, decoded one by one.
            #[must_use]
            pub fn changes(&self) -> Values<'a, $change $($gen)*> {
                self.changes_with(&Limits::STRICT)
            }

            /// The same with other limits.
            #[must_use]
            pub fn changes_with(&self, limits: &'a Limits) -> Values<'a, $change $($gen)*> {
                Values::new(self.mask, self.values, limits)
            }

            /// Writes `changes`, whose types must rise, to the front of `scratch`, and borrows them
            /// from there. It needs the sum of their `encoded_len`.
            ///
            /// # Errors
            /// The types do not rise, or the scratch is too short.
            pub fn encode(
                changes: &[$change $($any)*],
                scratch: &'a mut [u8],
            ) -> Result<Self, WriteError> {
                let (mask, values) = encode(changes, scratch)?;
                Ok(Self { mask, values })
            }
        }
    };
}

notifications! {
    /// A change of a directory (RFC 8881, section 20.4).
    Change [<'a>] [<'_>] (NotifyType) {
        /// Attributes of an entry have changed.
        ChildAttrs(NotifyAttr<'a>) = CHANGE_CHILD_ATTRS,
        /// Attributes of the directory have changed.
        DirAttrs(NotifyAttr<'a>) = CHANGE_DIR_ATTRS,
        /// An entry was removed.
        RemoveEntry(NotifyRemove<'a>) = REMOVE_ENTRY,
        /// An entry was added.
        AddEntry(NotifyAdd<'a>) = ADD_ENTRY,
        /// An entry has another name.
        RenameEntry(NotifyRename<'a>) = RENAME_ENTRY,
        /// Cookies are not valid any more.
        CookieVerifier(NotifyVerifier) = CHANGE_COOKIE_VERIFIER,
    }
    /// Changes of a directory, at most one of each type (RFC 8881, section 20.4).
    Notify
}

notifications! {
    /// A change of a device (RFC 8881, section 20.12).
    DeviceidChange [] [] (NotifyDeviceidType) {
        /// Its address has changed.
        Change(NotifyDeviceidChange) = CHANGE,
        /// It is gone.
        Delete(NotifyDeviceidDelete) = DELETE,
    }
    /// Changes of devices, at most one of each type (RFC 8881, section 20.12).
    NotifyDeviceid
}

//--- CB_NOTIFY ---

xdr_struct! {
    /// Arguments of CB_NOTIFY: a directory of which the client holds a delegation has changed (RFC
    /// 8881, section 20.4).
    #[derive(Copy)]
    "CB_NOTIFY4args" => pub struct CbNotifyArgs<'a> {
        /// The delegation.
        "cna_stateid" => pub stateid: Stateid,
        /// The directory.
        "cna_fh" => pub fh: FileHandle<'a>,
        /// What happened, in order.
        "cna_changes" => pub changes: Array<'a, Notify<'a>>,
    }
}

xdr_struct! {
    /// Reply to CB_NOTIFY (RFC 8881, section 20.4).
    #[derive(Copy)]
    "CB_NOTIFY4res" => pub struct CbNotifyReply {
        /// How it ended.
        "cnr_status" => pub status: Status,
    }
}
