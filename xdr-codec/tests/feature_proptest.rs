//! Feature `proptest`: any value of any type, owned, and shrinking.
#![cfg(feature = "proptest")]
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "common/types.rs"]
mod types;

use nfswire_xdr::{Array, Chain, Owned, Rebind, Text, proptest::any_owned, xdr_struct};
use proptest::{
    prelude::*,
    test_runner::{TestError, TestRunner},
};
use types::*;

xdr_struct! {
    /// A user and its groups.
    "user" => pub struct User<'a> {
        pub name: Text<'a, 32>,
        pub groups: Array<'a, u32, 16>,
    }
}

proptest! {
    #[test]
    fn any_value(
        mixed in any_owned::<Mixed<'static>>(),
        files in any_owned::<Chain<'static, File<'static>>>(),
        union in any_owned::<UnionNoDefault<'static>>(),
        word in any_owned::<XdrEnum>(),
        maybe in any_owned::<Option<[i32; 3]>>(),
    ) {
        let again = Owned::<Mixed<'_>>::new(&mixed.get()?).unwrap();
        prop_assert_eq!(again, mixed);
        for file in files.get()? {
            prop_assert!(file.owner.len() <= 32);
        }
        prop_assert!(union.get().is_ok() && word.get().is_ok() && maybe.get().is_ok());
    }
}

/// The smallest value for which `fails` holds that shrinking finds.
fn smallest<T>(fails: fn(&T::At<'_>) -> bool) -> Owned<T>
where
    T: Rebind + 'static,
    for<'a> T::At<'a>: arbitrary::Arbitrary<'a>,
{
    let mut runner = TestRunner::deterministic();
    let result = runner.run(&any_owned::<T>(), |owned| {
        prop_assert!(!fails(&owned.get()?));
        Ok(())
    });
    let Err(TestError::Fail(_, owned)) = result else { panic!("{result:?}") };
    owned
}

#[test]
fn shrinks() {
    let owned = smallest::<User<'static>>(|user| user.groups.len() >= 3);
    let user = owned.get().unwrap();
    assert_eq!(user.groups.len(), 3);
    assert!(user.groups.iter().all(|group| group == 0), "{user:?}");
    assert!(user.name.len() <= 4, "{user:?}");

    let owned = smallest::<FileKind>(|kind| *kind != FileKind::Text);
    assert_eq!(owned.get(), Ok(FileKind::Data));
}
