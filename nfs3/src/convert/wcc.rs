//! Weak cache consistency (RFC 1813, section 2.6).

use crate::{Attributes, PostOpAttr, WccAttr, WccData};

impl WccData {
    /// Says nothing: what is sent when neither state is known.
    pub const NONE: Self = Self { before: None, after: None };

    /// For an operation that is about to change an object with these attributes; `None` when they
    /// could not be read, or not atomically with the operation.
    ///
    /// ```
    /// use nfswire_nfs3::{Attributes, WccData};
    ///
    /// fn truncate(stat: impl Fn() -> Option<Attributes>) -> WccData {
    ///     let wcc = WccData::starting(stat().as_ref());
    ///     // ... the work ...
    ///     wcc.ending(stat())
    /// }
    /// assert_eq!(truncate(|| None), WccData::NONE);
    /// ```
    #[must_use]
    pub fn starting(before: Option<&Attributes>) -> Self {
        Self { before: before.map(WccAttr::from), after: None }
    }

    /// The same with the attributes after the operation, which belong there also when it failed.
    #[must_use]
    pub const fn ending(self, after: PostOpAttr) -> Self {
        Self { before: self.before, after }
    }

    /// Knows the state after the operation only.
    #[must_use]
    pub const fn only_after(after: PostOpAttr) -> Self {
        Self { before: None, after }
    }

    /// For clients: whether nobody else had changed the object since these attributes were cached.
    /// Then the cache is good with what the operation itself changed. `None` when the server did not
    /// say, and the cache must be dropped as well unless the object's attributes are the same still.
    #[must_use]
    pub fn cache_was_current(&self, cached: &Attributes) -> Option<bool> {
        self.before.map(|before| before == WccAttr::from(cached))
    }
}
