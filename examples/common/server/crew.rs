//! The threads: one receives for each connection and serves what has come, and a bounded number of others serve calls
//! that would keep it from receiving.
//!
//! A call that comes alone is served by the thread that received it, without a word to any other thread. Two things
//! make a thread give the receiving to another one while it serves a call:
//!
//! * The call is a COMMIT or changes names or attributes, so it waits for a disk, and others have come behind it.
//! * The watcher has seen it serve the same call for a while, and something has come meanwhile. A READ from memory is
//!   over long before; a READ from a slow disk is not.
//!
//! The thread that was relieved serves its call to the end, sends the reply, and is free for another connection. A client
//! that takes no reply holds up its own threads only: one of each connection that has a reply to send is not counted
//! among those that help, and a connection's second one is not given the last places.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use core::time::Duration;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};

use tracing::debug;

use super::Shared;
use super::connection::{self, Connection, Inbox};

/// Stack of a thread; reserved, not used up.
const STACK: usize = 1 << 20;
/// A thread without work ends after this long.
const REST: Duration = Duration::from_secs(10);
/// The watcher looks this often. A call that it sees twice is slow: long enough that a thread which only waited for a
/// processor is rarely taken for one.
const TICK: Duration = Duration::from_millis(4);
/// After this many looks that found nothing slow, only every second look comes so soon, the other ones after
/// [`PAUSE`]: what is slow is still found by the shorter of the two.
const CALM_LOOKS: u32 = 64;
const PAUSE: Duration = Duration::from_millis(28);
/// When nothing was served for so long, the watcher sleeps until something is.
const QUIET: Duration = Duration::from_secs(1);

/// Receiving for a connection.
pub(super) struct Job {
    pub(super) connection: Arc<Connection>,
    pub(super) inbox: Box<Inbox>,
}

/// All threads of a server.
pub(super) struct Crew {
    /// Most calls that are served by threads that were relieved.
    threads: usize,
    state: Mutex<State>,
    /// Told when there is a job, or none will come any more.
    called: Condvar,
    /// The watcher sleeps.
    asleep: AtomicBool,
    watcher: OnceLock<Thread>,
}

/// Threads of a connection that were relieved. Written under the lock of the crew.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    all: AtomicUsize,
    /// Those that have served their call.
    sending: AtomicUsize,
}

impl Helpers {
    /// Whether a call is served, or its reply sent, by a thread that does not receive.
    pub(super) fn are_any(&self) -> bool {
        self.all.load(Ordering::Relaxed) > 0
    }

    /// Places that they take.
    fn counted(&self) -> usize {
        let sends = self.sending.load(Ordering::Relaxed) > 0;
        self.all.load(Ordering::Relaxed).saturating_sub(sends.into())
    }
}

#[derive(Default)]
struct State {
    /// Threads that were relieved and serve their call, and those that wait to send its reply behind another one of
    /// their connection.
    helping: usize,
    /// Threads that wait for a job; there are never more jobs than these.
    idle: usize,
    jobs: VecDeque<Job>,
    closed: bool,
}

impl Crew {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            state: Mutex::default(),
            called: Condvar::new(),
            asleep: AtomicBool::new(false),
            watcher: OnceLock::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one call more of a connection may be served beside its receiving thread. No connection gets all threads.
    pub(super) fn admit(&self, helpers: &Helpers) -> bool {
        let mut state = self.lock();
        let all = helpers.all.load(Ordering::Relaxed);
        let share = (self.threads / 2).max(1);
        // The others of a client that takes no replies count: some places are left to those who have none.
        let kept_free = if all == 0 { 0 } else { self.threads / 4 };
        let admitted = state.helping < self.threads.saturating_sub(kept_free) && all < share;
        if admitted {
            state.helping = state.helping.saturating_add(1);
            helpers.all.fetch_add(1, Ordering::Relaxed);
        }
        admitted
    }

    /// A call that was admitted has been served; its reply is to be sent.
    pub(super) fn begin_to_send(&self, helpers: &Helpers) {
        self.change(helpers, || {
            helpers.sending.fetch_add(1, Ordering::Relaxed);
        });
    }

    /// A call that was admitted is over.
    pub(super) fn dismiss(&self, helpers: &Helpers, has_begun_to_send: bool) {
        self.change(helpers, || {
            helpers.all.fetch_sub(1, Ordering::Relaxed);
            helpers.sending.fetch_sub(has_begun_to_send.into(), Ordering::Relaxed);
        });
    }

    fn change(&self, helpers: &Helpers, change: impl FnOnce()) {
        let mut state = self.lock();
        let others = state.helping.saturating_sub(helpers.counted());
        change();
        state.helping = others.saturating_add(helpers.counted());
    }

    /// Threads that were relieved and serve, threads that wait for a job, and the most that may be relieved.
    pub(super) fn counts(&self) -> (usize, usize, usize) {
        let state = self.lock();
        (state.helping, state.idle, self.threads)
    }

    /// Has a thread do a job; gives it back if there is none.
    pub(super) fn start(&self, job: Job) -> Result<(), (Option<Job>, io::Error)> {
        let mut state = self.lock();
        if state.idle > state.jobs.len() {
            state.jobs.push_back(job);
            self.called.notify_one();
            return Ok(());
        }
        drop(state);
        let cell = Arc::new(Mutex::new(Some(job)));
        let theirs = Arc::clone(&cell);
        let begin = move || {
            let job = take(&theirs);
            drop(theirs);
            job.map(work)
        };
        let spawned = thread::Builder::new().name("nfs".into()).stack_size(STACK).spawn(begin);
        spawned.map(drop).map_err(|error| (take(&cell), error))
    }

    /// The next job of a thread that has ended one; `None` if it is not needed.
    fn rest(&self) -> Option<Job> {
        let mut state = self.lock();
        if state.closed || state.idle >= self.threads {
            return None;
        }
        state.idle = state.idle.saturating_add(1);
        let waited = self
            .called
            .wait_timeout_while(state, REST, |state| state.jobs.is_empty() && !state.closed);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.idle = state.idle.saturating_sub(1);
        state.jobs.pop_front()
    }

    /// Lets idle threads and the watcher end.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.called.notify_all();
        self.wake();
    }

    /// A thread begins to serve a call.
    pub(super) fn stir(&self) {
        if self.asleep.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(watcher) = self.watcher.get() {
            watcher.unpark();
        }
    }
}

fn take(cell: &Mutex<Option<Job>>) -> Option<Job> {
    cell.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn work(mut job: Job) {
    loop {
        let shared = Arc::clone(job.connection.shared());
        connection::run(job);
        match shared.crew.rest() {
            Some(next) => job = next,
            None => return,
        }
    }
}

/// What the watcher does with a connection at last. If all others are done with it, its end may have to wait for the
/// kernel, and the watcher must not.
fn let_go(connection: Arc<Connection>) {
    if let Some(last) = Arc::into_inner(connection) {
        let end = thread::Builder::new().name("end".into()).stack_size(STACK);
        if let Err(error) = end.spawn(move || drop(last)) {
            debug!("cannot start a thread for the end of a connection: {error}");
        }
    }
}

/// Finds threads that are slow to serve a call, and has others receive in their place, until the crew is closed.
pub(super) fn watch(shared: &Shared) {
    let crew = &shared.crew;
    if crew.threads == 0 || crew.watcher.set(thread::current()).is_err() {
        return;
    }
    let (mut quiet, mut calm, mut paused) = (Duration::ZERO, 0u32, false);
    let mut slow = Vec::new();
    while !crew.lock().closed {
        paused = calm >= CALM_LOOKS && !paused;
        let pause = if paused { PAUSE } else { TICK };
        thread::park_timeout(pause);
        let stirred = shared.table.look(&mut slow);
        quiet = if stirred { Duration::ZERO } else { quiet.saturating_add(pause) };
        calm = if slow.is_empty() { calm.saturating_add(1) } else { 0 };
        for (connection, beat) in slow.drain(..) {
            connection.relieve(beat);
            let_go(connection);
        }
        if quiet > QUIET {
            // Who begins a call after the look below sees that this thread is asleep.
            crew.asleep.store(true, Ordering::SeqCst);
            if !shared.table.look(&mut slow) && slow.is_empty() && !crew.lock().closed {
                thread::park();
            }
            crew.asleep.store(false, Ordering::SeqCst);
            slow.drain(..).for_each(|(connection, _)| let_go(connection));
            quiet = Duration::ZERO;
        }
    }
}
