//! What a client's `sattr3` asks for, as steps.

use crate::{SetAttributes, SetTime, Status, Time};

/// One step of a SETATTR, in terms of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Truncate or extend to this size, in bytes.
    Size(u64),
    /// Change owner or group; one of them at least is there.
    Owner {
        /// New owner.
        uid: Option<u32>,
        /// New group.
        gid: Option<u32>,
    },
    /// Change the mode to these bits, none of them outside `0o7777`.
    Mode(u32),
    /// Change the times, one of them at least.
    Times {
        /// New access time; its nanoseconds are less than a second.
        atime: SetTime,
        /// New modification time; its nanoseconds are less than a second.
        mtime: SetTime,
    },
}

impl SetAttributes {
    /// Whether it asks for nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The steps that this asks for, in the order in which they are to be done: the size, whose change
    /// clears set-user-id bits and touches times; owner and group, which clear those bits as well; the
    /// mode; the times, which everything before would change.
    ///
    /// # Errors
    /// [`Status::INVAL`] for what cannot be told to a system call: user or group 2^32 - 1, which means
    /// "leave it", and times with a second or more of nanoseconds, among which are the marks for "now"
    /// and "leave it". Nothing should be changed then.
    pub fn changes(&self) -> Result<impl Iterator<Item = Change> + Clone + use<>, Status> {
        const NOBODY: Option<u32> = Some(u32::MAX);
        let valid = |time: &SetTime| match time {
            SetTime::ClientTime(time) => time.nanoseconds <= Time::MAX.nanoseconds,
            SetTime::DontChange | SetTime::ServerTime => true,
        };
        let Self { mode, uid, gid, size, atime, mtime } = *self;
        if uid == NOBODY || gid == NOBODY || !valid(&atime) || !valid(&mtime) {
            return Err(Status::INVAL);
        }
        let owner = uid.or(gid).map(|_| Change::Owner { uid, gid });
        let same = (atime, mtime) == (SetTime::DontChange, SetTime::DontChange);
        let times = (!same).then_some(Change::Times { atime, mtime });
        let mode = mode.map(|mode| Change::Mode(mode & 0o7777));
        Ok([size.map(Change::Size), owner, mode, times].into_iter().flatten())
    }
}
