//! What a client wants to set, in terms of a POSIX system.

use super::{Access, Attr, AttrSource, AttrValue, Fattr, ModeMasked, ModeUmask, mode};
use crate::{Mode, SetTime, Status, TextMixed, Time};

/// What SETATTR, CREATE and OPEN ask for, as far as a POSIX system can do it. Clients write one as an
/// [`AttrSource`], servers read it from what they received.
///
/// ```
/// use nfswire_nfs4::{SetTime, attrs::{AttrSet, Fattr, Selected, SetAttrs}};
/// use nfswire_xdr::{Encoder, Segments, from_bytes};
///
/// let set = SetAttrs { size: Some(0), time_modify: Some(SetTime::Server), ..SetAttrs::default() };
/// let (mut head, mut segments) = (Vec::new(), Segments::new());
/// let mut e = Encoder::growable(&mut head, &mut segments);
/// e.put(&Selected::new(&AttrSet::all(2), &set))?;
/// e.finish();
/// let message = segments.view(&head).to_vec()?;
/// let fattr: Fattr<'_> = from_bytes(&message)?;
/// assert_eq!(SetAttrs::from_fattr(&fattr), Ok(set));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAttrs<'a> {
    /// New length, in bytes.
    pub size: Option<u64>,
    /// New permission bits.
    pub mode: Option<Mode>,
    /// New values of some permission bits; since v4.1, and not beside `mode`.
    pub mode_masked: Option<ModeMasked>,
    /// Permission bits and umask of a new object; an extension of v4.2, and not beside `mode`.
    pub mode_umask: Option<ModeUmask>,
    /// New owner; see [`id_of`](super::id_of).
    pub owner: Option<TextMixed<'a>>,
    /// New group.
    pub owner_group: Option<TextMixed<'a>>,
    /// New time of last access.
    pub time_access: Option<SetTime>,
    /// New time of last change of the data.
    pub time_modify: Option<SetTime>,
    /// New time of creation.
    pub time_create: Option<Time>,
}

impl<'a> SetAttrs<'a> {
    /// What a received list asks for.
    ///
    /// # Errors
    /// The status that a server answers: [`Status::ATTRNOTSUPP`] for an attribute that is none of
    /// these or not known, [`Status::INVAL`] for one that can only be read, for times with a second or
    /// more of nanoseconds, for modes with other bits than those of [`mode`], and for modes said in
    /// two ways; [`Status::BADXDR`] for a list that cannot be read. Nothing should be changed then.
    pub fn from_fattr(fattr: &Fattr<'a>) -> Result<Self, Status> {
        let mut set = Self::default();
        for value in fattr.values() {
            match value.map_err(|error| error.status())? {
                AttrValue::Size(size) => set.size = Some(size),
                AttrValue::Mode(mode) => set.mode = Some(mode),
                AttrValue::ModeSetMasked(masked) => set.mode_masked = Some(masked),
                AttrValue::ModeUmask(umask) => set.mode_umask = Some(umask),
                AttrValue::Owner(owner) => set.owner = Some(owner),
                AttrValue::OwnerGroup(group) => set.owner_group = Some(group),
                AttrValue::TimeAccessSet(time) => set.time_access = Some(time),
                AttrValue::TimeModifySet(time) => set.time_modify = Some(time),
                AttrValue::TimeCreate(time) => set.time_create = Some(time),
                other => {
                    let access = other.attr().info().map(|info| info.access);
                    let read_only = access == Some(Access::Read);
                    return Err(if read_only { Status::INVAL } else { Status::ATTRNOTSUPP });
                }
            }
        }
        if set.is_valid() { Ok(set) } else { Err(Status::INVAL) }
    }

    fn is_valid(&self) -> bool {
        let times = [self.time_access, self.time_modify, self.time_create.map(SetTime::Client)];
        let times_are_valid = times.iter().all(|time| match time {
            Some(SetTime::Client(time)) => time.is_valid(),
            Some(SetTime::Server) | None => true,
        });
        let masked = self.mode_masked.map_or(0, |masked| masked.mask);
        let umask = self.mode_umask.map_or(0, |umask| umask.mode | umask.umask);
        let ways = [self.mode.is_some(), self.mode_masked.is_some(), self.mode_umask.is_some()];
        times_are_valid
            && (self.mode.unwrap_or(0) | masked | umask) & !mode::ALL == 0
            && ways.iter().filter(|said| **said).count() <= 1
    }

    /// Whether it asks for nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl AttrSource for SetAttrs<'_> {
    fn attr(&self, attr: Attr) -> Option<AttrValue<'_>> {
        match attr {
            Attr::SIZE => self.size.map(AttrValue::Size),
            Attr::MODE => self.mode.map(AttrValue::Mode),
            Attr::MODE_SET_MASKED => self.mode_masked.map(AttrValue::ModeSetMasked),
            Attr::MODE_UMASK => self.mode_umask.map(AttrValue::ModeUmask),
            Attr::OWNER => self.owner.map(AttrValue::Owner),
            Attr::OWNER_GROUP => self.owner_group.map(AttrValue::OwnerGroup),
            Attr::TIME_ACCESS_SET => self.time_access.map(AttrValue::TimeAccessSet),
            Attr::TIME_MODIFY_SET => self.time_modify.map(AttrValue::TimeModifySet),
            Attr::TIME_CREATE => self.time_create.map(AttrValue::TimeCreate),
            _ => None,
        }
    }
}
