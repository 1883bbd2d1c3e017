//! A pool of pages that is refilled as far as pages can be had.

use core::{fmt, marker::PhantomData};

use crate::page::Pages;

/// Where the pages of a [`PagePool`] come from: an allocator, a free list, registered memory.
///
/// Implemented for closures.
pub trait PageSource<P> {
    /// Puts pages into the first of `slots` and returns how many.
    ///
    /// Fewer than there are slots is normal, and says: no more now. It must not wait; whoever called
    /// [`PagePool::refill`] decides about that.
    fn fill(&mut self, slots: &mut [Option<P>]) -> usize;
}

impl<P, F: FnMut(&mut [Option<P>]) -> usize> PageSource<P> for F {
    fn fill(&mut self, slots: &mut [Option<P>]) -> usize {
        self(slots)
    }
}

/// What one round of [`PagePool::refill`] brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a round that brought nothing is the only reason to wait"]
pub struct Refill {
    /// Pages that the source gave.
    pub got: usize,
    /// Pages that are still missing.
    pub missing: usize,
}

impl Refill {
    /// Pages are missing and the source gave none: the only case in which waiting makes sense.
    /// Anything else is progress.
    #[must_use]
    pub const fn is_stalled(&self) -> bool {
        self.got == 0 && self.missing > 0
    }
}

/// What the rounds of a pool brought, from [`PagePool::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Rounds in which pages were missing, so that the source was asked.
    pub rounds: u64,
    /// Pages that the source gave.
    pub pages: u64,
    /// Rounds in which it gave none.
    pub stalled: u64,
}

/// Pages ready for use, in order: memory for the heads of messages, or to receive into.
///
/// The pool keeps its pages in slots that the caller gives it (an array, a vector, a borrowed
/// slice), which bound it; it allocates nothing, starts no thread and looks at no clock. It is a
/// page vector for [`Encoder::pages`](crate::Encoder::pages). The pages that a message used go with
/// the message, to a second pool or one by one, and only they are replaced: a refill costs as much
/// as was consumed, however large the pool.
///
/// Every message starts at the first page. Before the next one either move the pages of the last to
/// where they wait to be sent ([`move_to`](Self::move_to), as below), or, when it has been sent from
/// here, say so with [`rewind`](Self::rewind). Otherwise [`used`](Self::used) counts the pages of
/// both, and the next message overwrites the last.
///
/// A refill is one round: it asks the source for what is missing and takes what there is. Part of it
/// is progress, and often enough to go on with.
///
/// ```
/// use nfswire_xdr::{Encoder, PagePool, Segments};
///
/// // A source that gives one page at a time.
/// let mut source = |slots: &mut [Option<[u8; 64]>]| {
///     slots.iter_mut().take(1).map(|slot| *slot = Some([0; 64])).count()
/// };
/// let mut pool = PagePool::new([const { None }; 4]);
/// while pool.refill(2, &mut source).missing > 0 {} // no round is stalled: nothing to wait for
///
/// let mut segments = Segments::new();
/// let mut e = Encoder::pages(&mut pool, &mut segments);
/// e.put(&7u32)?;
/// e.finish();
///
/// // The message's page leaves with it, and comes back when it was sent.
/// let mut sending = PagePool::new([const { None }; 4]);
/// assert_eq!(pool.move_to(&mut sending, pool.used()), 1);
/// assert_eq!(segments.view_pages(&sending).to_vec()?, [0, 0, 0, 7]);
/// sending.move_to(&mut pool, usize::MAX);
/// assert_eq!((pool.len(), pool.stats().pages, pool.stats().stalled), (2, 2, 0));
///
/// // A message that is sent at once needs no second pool.
/// for number in 0..3u32 {
///     let mut e = Encoder::pages(&mut pool, &mut segments);
///     e.put(&number)?;
///     e.finish();
///     assert_eq!(segments.view_pages(&pool).to_vec()?, number.to_be_bytes());
///     assert_eq!(pool.used(), 1);
///     pool.rewind(); // it was sent
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PagePool<P, S> {
    /// A ring: `len` pages from `first` on.
    slots: S,
    first: usize,
    len: usize,
    /// Pages from the first on that were written to.
    used: usize,
    stats: PoolStats,
    _page: PhantomData<fn() -> P>,
}

impl<P, S: AsRef<[Option<P>]> + AsMut<[Option<P>]>> PagePool<P, S> {
    /// A pool of at most as many pages as there are slots. Pages that lie in them are kept.
    #[must_use]
    pub fn new(mut slots: S) -> Self {
        let all = slots.as_mut();
        let mut len = 0usize;
        for i in 0..all.len() {
            if all.get(i).is_some_and(Option::is_some) {
                all.swap(i, len);
                len = len.saturating_add(1);
            }
        }
        Self { slots, first: 0, len, used: 0, stats: PoolStats::default(), _page: PhantomData }
    }

    /// Pages that are ready.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no page is ready.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Most pages that the pool can hold.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots.as_ref().len()
    }

    /// Pages, from the first on, that an encoder may have written to since pages last left the pool:
    /// those that the message needs. What was rolled back counts too.
    #[must_use]
    pub const fn used(&self) -> usize {
        self.used
    }

    /// Sums over all rounds.
    #[must_use]
    pub const fn stats(&self) -> PoolStats {
        self.stats
    }

    /// Asks the source once for the pages that are missing to have `want` of them, or as many as the
    /// pool can hold. Nothing is asked if none are missing.
    ///
    /// What it costs depends on the pages that it gets, not on the size of the pool.
    pub fn refill(&mut self, want: usize, source: &mut impl PageSource<P>) -> Refill {
        let want = want.min(self.capacity());
        let missing = want.saturating_sub(self.len);
        if missing == 0 {
            return Refill { got: 0, missing };
        }
        // The ring's end may lie between the free slots: its beginning is only asked for once the
        // source has filled the end.
        let mut got = self.fill(missing, source);
        if got > 0 && got < missing && self.at(self.len) == Some(0) {
            got = got.saturating_add(self.fill(missing.saturating_sub(got), source));
        }
        self.stats.rounds = self.stats.rounds.saturating_add(1);
        self.stats.pages = self.stats.pages.saturating_add(got as u64);
        let refill = Refill { got, missing: missing.saturating_sub(got) };
        self.stats.stalled = self.stats.stalled.saturating_add(refill.is_stalled().into());
        refill
    }

    /// Asks for up to `missing` pages, as many as there are free slots in one run.
    fn fill(&mut self, missing: usize, source: &mut impl PageSource<P>) -> usize {
        let Some(from) = self.at(self.len) else { return 0 };
        let to = from.saturating_add(missing);
        let slots = self.slots.as_mut();
        let to = to.min(slots.len());
        let Some(slots) = slots.get_mut(from..to) else { return 0 };
        let said = source.fill(slots);
        // What is not there was not given, whatever the source says.
        let got = slots.iter().take(said).take_while(|slot| slot.is_some()).count();
        self.len = self.len.saturating_add(got);
        got
    }

    /// Takes the first page.
    pub fn take(&mut self) -> Option<P> {
        let slot = self.at(0).filter(|_| self.len > 0)?;
        let page = self.slots.as_mut().get_mut(slot)?.take();
        self.first = self.at(1)?;
        self.len = self.len.saturating_sub(1);
        self.used = self.used.saturating_sub(1);
        page
    }

    /// Gives a page, behind the others.
    ///
    /// # Errors
    /// The page, if the pool is full.
    pub fn give(&mut self, page: P) -> Result<(), P> {
        let free = self.at(self.len).filter(|_| self.len < self.capacity());
        match free.and_then(|slot| self.slots.as_mut().get_mut(slot)) {
            Some(slot) => {
                *slot = Some(page);
                self.len = self.len.saturating_add(1);
                Ok(())
            }
            None => Err(page),
        }
    }

    /// Moves up to `count` pages, the first ones in their order, to the end of another pool, as far
    /// as it has room. Returns how many.
    pub fn move_to<Q>(&mut self, other: &mut PagePool<P, Q>, count: usize) -> usize
    where
        Q: AsRef<[Option<P>]> + AsMut<[Option<P>]>,
    {
        let room = other.capacity().saturating_sub(other.len);
        let mut moved = 0usize;
        while moved < count.min(room) {
            let Some(page) = self.take() else { break };
            if other.give(page).is_err() {
                break;
            }
            moved = moved.saturating_add(1);
        }
        moved
    }

    /// The pages may be written to again from the first on: the message in them is done with. It only
    /// sets [`used`](Self::used) to zero, so that it counts the pages of the next message alone.
    pub const fn rewind(&mut self) {
        self.used = 0;
    }

    /// Slot of page number `index`, free slots behind the last page included; `None` without slots.
    fn at(&self, index: usize) -> Option<usize> {
        self.first.checked_add(index)?.checked_rem(self.capacity())
    }
}

impl<P: AsRef<[u8]> + AsMut<[u8]>, S: AsRef<[Option<P>]> + AsMut<[Option<P>]>> Pages
    for PagePool<P, S>
{
    fn page(&self, index: usize) -> Option<&[u8]> {
        let slot = self.at(index).filter(|_| index < self.len)?;
        self.slots.as_ref().get(slot)?.as_ref().map(P::as_ref)
    }

    fn page_mut(&mut self, index: usize) -> Option<&mut [u8]> {
        let slot = self.at(index).filter(|_| index < self.len)?;
        self.used = self.used.max(index.saturating_add(1));
        self.slots.as_mut().get_mut(slot)?.as_mut().map(P::as_mut)
    }
}

impl<P, S> fmt::Debug for PagePool<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PagePool")
            .field("len", &self.len)
            .field("used", &self.used)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}
