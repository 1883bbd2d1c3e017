//! Strategies for property tests (feature `proptest`).

use alloc::vec::Vec;
use core::{fmt, marker::PhantomData};

use ::arbitrary::{Arbitrary, Unstructured};
use ::proptest::{
    collection::vec,
    num::u8,
    strategy::{NewTree, Strategy, ValueTree},
    test_runner::TestRunner,
};

use crate::owned::{Owned, Rebind};

/// Most bytes that a value is made of.
const NOISE: usize = 1024;

/// Any value of `T`, in its owned form.
///
/// A value is made of up to 1024 random bytes, by [`Arbitrary`]. It is these that shrink: pieces of
/// them are taken out, then zeroed, then single bytes are halved. This leads to fewer elements,
/// shorter data, smaller numbers and first variants.
///
/// ```
/// use nfswire_xdr::{Array, Text, proptest::any_owned, xdr_struct};
/// use proptest::prelude::*;
///
/// xdr_struct! {
///     /// A user and its groups.
///     "user" => pub struct User<'a> {
///         /// Name.
///         pub name: Text<'a, 32>,
///         /// At most 16.
///         pub groups: Array<'a, u32, 16>,
///     }
/// }
///
/// proptest!(|(user in any_owned::<User<'static>>())| {
///     prop_assert!(user.get()?.groups.len() <= 16);
/// });
/// ```
pub fn any_owned<T>() -> impl Strategy<Value = Owned<T>>
where
    T: Rebind + 'static,
    for<'a> T::At<'a>: Arbitrary<'a>,
{
    AnyOwned(PhantomData)
}

fn make<T>(noise: &[u8]) -> Option<Owned<T>>
where
    T: Rebind,
    for<'a> T::At<'a>: Arbitrary<'a>,
{
    let value = <T::At<'_>>::arbitrary(&mut Unstructured::new(noise)).ok()?;
    Owned::new(&value).ok()
}

struct AnyOwned<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for AnyOwned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any_owned")
    }
}

impl<T> Strategy for AnyOwned<T>
where
    T: Rebind + 'static,
    for<'a> T::At<'a>: Arbitrary<'a>,
{
    type Tree = Tree<T>;
    type Value = Owned<T>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        loop {
            let noise = vec(u8::ANY, 0..=NOISE).new_tree(runner)?.current();
            if let Some(value) = make(&noise) {
                let size = noise.len().max(1);
                return Ok(Tree { noise, value, before: None, pass: Pass::Remove, size, at: 0 });
            }
            runner.reject_local("no value is made of these bytes")?;
        }
    }
}

/// How the bytes are made simpler, from the boldest to the smallest step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Pieces are taken out.
    Remove,
    /// Pieces are set to zero.
    Zero,
    /// Single bytes are halved.
    Halve,
}

/// Bytes that shrink by pieces, which are halved until they are single bytes.
struct Tree<T> {
    noise: Vec<u8>,
    value: Owned<T>,
    /// What the last step has changed.
    before: Option<(Vec<u8>, Owned<T>)>,
    pass: Pass,
    /// Size of the pieces of this pass.
    size: usize,
    /// Next piece.
    at: usize,
}

impl<T: Rebind> fmt::Debug for Tree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("noise", &self.noise).field("value", &self.value).finish()
    }
}

impl<T> Tree<T> {
    /// The bytes after the next step that changes them; `None` when there is no step left.
    fn step(&mut self) -> Option<Vec<u8>> {
        loop {
            if self.at >= self.noise.len() {
                self.at = 0;
                match (self.size / 2, self.pass) {
                    (0, Pass::Remove) => {
                        self.pass = Pass::Zero;
                        self.size = self.noise.len().max(1);
                    }
                    (0, Pass::Zero) => self.pass = Pass::Halve,
                    (0, Pass::Halve) => return None,
                    (half, _) => self.size = half,
                }
            }
            let end = self.at.saturating_add(self.size).min(self.noise.len());
            let mut next = self.noise.clone();
            match self.pass {
                Pass::Remove => drop(next.drain(self.at.min(end)..end)),
                Pass::Zero => next.get_mut(self.at..end)?.fill(0),
                Pass::Halve => next.get_mut(self.at..end)?.iter_mut().for_each(|byte| *byte /= 2),
            }
            if next != self.noise {
                return Some(next);
            }
            self.at = self.at.saturating_add(self.size);
        }
    }
}

impl<T> ValueTree for Tree<T>
where
    T: Rebind,
    for<'a> T::At<'a>: Arbitrary<'a>,
{
    type Value = Owned<T>;

    fn current(&self) -> Owned<T> {
        self.value.clone()
    }

    fn simplify(&mut self) -> bool {
        while let Some(next) = self.step() {
            if let Some(value) = make(&next) {
                let noise = core::mem::replace(&mut self.noise, next);
                self.before = Some((noise, core::mem::replace(&mut self.value, value)));
                return true;
            }
            self.at = self.at.saturating_add(self.size);
        }
        self.before = None;
        false
    }

    /// Takes the last step back and tries the next one.
    fn complicate(&mut self) -> bool {
        let Some((noise, value)) = self.before.take() else { return false };
        self.noise = noise;
        self.value = value;
        self.at = self.at.saturating_add(self.size);
        self.simplify()
    }
}
