//! Acting as the caller: file system user, group and further groups of one thread, for the length of one operation.
//!
//! On Linux these belong to a thread. The C library's `setgroups` changes every thread of the process and is never used;
//! `set_thread_groups` is the bare system call. A user other than 0 also loses the capabilities that override file
//! permissions (capabilities(7)), so that the kernel itself judges what the caller may do.

use core::cell::Cell;
use core::marker::PhantomData;

use nfswire_nfs3::Status;
use nfswire_sys::thread_groups;
use nix::unistd::{setfsgid, setfsuid};
use rustix::process::{getegid, geteuid};
use rustix::thread::{Gid, set_thread_groups};

use crate::fs::{Caller, Failure};
use crate::told::{FAULTS, tell};

/// "No change" for the system calls, so never an identity.
const NOBODY_AT_ALL: u32 = u32::MAX;

std::thread_local! {
    /// Whether this thread acts as someone else.
    static ACTING: Cell<bool> = const { Cell::new(false) };
}

/// Who this process is, and whether it can be someone else.
#[derive(Debug)]
pub(super) struct Identity {
    switches: bool,
    uid: u32,
    gid: u32,
    /// Sorted, as the kernel keeps them.
    gids: Vec<u32>,
}

impl Identity {
    /// Finds out by trying.
    pub(super) fn of_this_process() -> Self {
        let uid = geteuid().as_raw();
        let mut own = Self { switches: uid == 0, uid, gid: getegid().as_raw(), gids: own_groups() };
        own.switches = own.switches && own.assume(&Caller::ANONYMOUS).is_ok();
        own
    }

    /// Whether operations are done as their callers; if not, all are done as this process.
    pub(super) fn switches(&self) -> bool {
        self.switches
    }

    /// As whom the kernel judges an operation of this caller.
    pub(super) fn effective<'a>(&'a self, caller: &Caller<'a>) -> Caller<'a> {
        if self.switches {
            *caller
        } else {
            Caller { uid: self.uid, gid: self.gid, gids: &self.gids }
        }
    }

    /// Makes this thread act as the caller until the guard is dropped.
    ///
    /// What was set is read back; if the kernel did not do as told the operation must not run.
    pub(super) fn assume(&self, caller: &Caller<'_>) -> Result<Assumed<'_>, Failure> {
        let mut assumed = Assumed { own: None, thread: PhantomData };
        if !self.switches {
            return Ok(assumed);
        }
        if ACTING.get() {
            // The inner guard would end the outer's effect too early.
            tracing::error!("an operation tried to switch users twice: refused");
            return Err(Status::SERVERFAULT.into());
        }
        if self.is(caller) {
            return Ok(assumed);
        }
        let ids = [caller.uid, caller.gid];
        if ids.iter().chain(caller.gids).any(|&id| id == NOBODY_AT_ALL) {
            return Err(Status::ACCES.into());
        }
        // From here on the guard restores whatever happens.
        assumed.own = Some(self);
        ACTING.set(true);
        if become_(caller.uid, caller.gid, caller.gids) {
            Ok(assumed)
        } else {
            tell!(FAULTS, error, caller.uid, caller.gid, "could not switch to the caller: refused");
            Err(Status::SERVERFAULT.into())
        }
    }

    /// Does something as the caller.
    pub(super) fn acting_as<T>(
        &self,
        caller: &Caller<'_>,
        act: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let _as_caller = self.assume(caller)?;
        act()
    }

    fn is(&self, caller: &Caller<'_>) -> bool {
        self.uid == caller.uid && self.gid == caller.gid && self.gids == caller.gids
    }
}

/// While this lives, its thread acts as the caller.
#[derive(Debug)]
#[must_use]
pub(super) struct Assumed<'a> {
    own: Option<&'a Identity>,
    /// The identity is the thread's: the guard must be dropped where it was made.
    thread: PhantomData<*const ()>,
}

impl Drop for Assumed<'_> {
    fn drop(&mut self) {
        let Some(own) = self.own else { return };
        ACTING.set(false);
        // The next operation sets and checks its own identity, so a thread that is stuck can only have too few rights:
        // a look at the user, on whom the capabilities hang, is enough.
        if !set(own.uid, own.gid, &own.gids) || current_user() != own.uid {
            tracing::error!("a thread could not take back the server's own identity");
        }
    }
}

/// Sets the three and reads them back.
fn become_(uid: u32, gid: u32, gids: &[u32]) -> bool {
    let mut wanted = gids.to_vec();
    wanted.sort_unstable();
    set(uid, gid, gids)
        && setfsgid(NOBODY_AT_ALL.into()).as_raw() == gid
        && current_user() == uid
        && has_groups(&wanted)
}

/// Sets the three, groups first; only for the groups does the kernel say whether it did.
fn set(uid: u32, gid: u32, gids: &[u32]) -> bool {
    let groups: Vec<Gid> = gids.iter().map(|&gid| Gid::from_raw(gid)).collect();
    let done = set_thread_groups(&groups).is_ok();
    setfsgid(gid.into());
    setfsuid(uid.into());
    done
}

/// The call returns the previous value, and asking for an impossible one changes nothing.
fn current_user() -> u32 {
    setfsuid(NOBODY_AT_ALL.into()).as_raw()
}

/// Whether this thread has just these groups, which are sorted.
fn has_groups(wanted: &[u32]) -> bool {
    // One more than wanted, so that one too many is seen.
    let mut groups = vec![0; wanted.len().saturating_add(1)];
    let Ok(count) = thread_groups(&mut groups) else { return false };
    groups.truncate(count);
    groups.sort_unstable();
    groups == wanted
}

fn own_groups() -> Vec<u32> {
    let groups = rustix::process::getgroups().unwrap_or_default();
    let mut groups: Vec<u32> = groups.into_iter().map(Gid::as_raw).collect();
    groups.sort_unstable();
    groups
}
