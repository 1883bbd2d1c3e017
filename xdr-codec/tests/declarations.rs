//! What the declaration macros accept: RFC names left out, arms with names, arms in any order.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use nfswire_xdr::{
    Encode, Encoder, Limits, Segments, Text, Wire, explain, from_bytes, xdr_enum, xdr_open_enum,
    xdr_struct, xdr_union,
};

xdr_enum! {
    pub enum Color { Red = -1, "GRN" Green = 2 }
}
xdr_open_enum! {
    pub struct Flavor { SWEET = 1, "FLAVOR_SOUR" SOUR = 2 }
}
xdr_struct! {
    pub struct Pair { pub flavor: Flavor, "colour" => pub color: Color }
}
xdr_struct! {
    /// Attributes and documentation stand before it, as ever.
    #[derive(Copy)]
    pub struct Named<'a> { pub name: Text<'a, 4> }
}
xdr_union! {
    pub enum Plain switch (n: u32) { case 1 => One(u64), default => Other }
}
xdr_union! {
    /// Arms of each kind, with and without a name, not in the order of their kinds.
    "choice_t" => pub enum Choice<'a> switch (n: u32) {
        cases (2, 3) => "few" Few(Named<'a>),
        case 0 => "none" Nothing,
        case 1 => "one" One(Named<'a>),
        cases (4, 5,) => Several(Named<'a>),
        case 6 => Six(Named<'a>),
        default => "rest" Rest(Named<'a>),
    }
}

#[test]
fn names_left_out_are_ours() {
    assert_eq!((Color::Red.name(), Color::Green.name()), ("Red", "GRN"));
    assert_eq!(Color::ALL, [("Red", -1), ("GRN", 2)]);
    assert_eq!((Flavor::SWEET.name(), Flavor::SOUR.name()), (Some("SWEET"), Some("FLAVOR_SOUR")));
    assert_eq!(format!("{:?} {}", Flavor::SWEET, Flavor(9)), "SWEET Flavor(9)");

    let error = from_bytes::<Pair>(&[0, 0, 0, 1, 0]).unwrap_err();
    assert_eq!(error.to_string(), "Pair.colour at byte 4: need 4 bytes, 1 left");
    let error = from_bytes::<Named<'_>>(&[0, 0, 0, 5]).unwrap_err();
    assert_eq!(error.to_string(), "Named.name at byte 0: 5 bytes long, at most 4 allowed");
    let error = from_bytes::<Plain>(&[0, 0, 0, 1]).unwrap_err();
    assert_eq!(error.to_string(), "Plain.One at byte 4: need 8 bytes, 0 left");
    assert_eq!(from_bytes(&[0, 0, 0, 7]), Ok(Plain::Other(7)));
    assert_eq!((Plain::MIN_LEN, Plain::MAX_LEN), (4, 12));
}

/// Each arm is named in errors and explanations by the RFC's name if it was given, else by ours; the
/// two agree.
#[test]
fn arms_have_names() {
    let cases = [
        (1, "one"),
        (2, "few"),
        (3, "few"),
        (4, "Several"),
        (5, "Several"),
        (6, "Six"),
        (7, "rest"),
    ];
    for (n, arm) in cases {
        let bytes = [0, 0, 0, n, 0, 0, 0, 9];
        let explanation = explain::<Choice<'_>>(&bytes, &Limits::STRICT).unwrap();
        let why = "at byte 4: 9 bytes long, at most 4 allowed";
        assert_eq!(explanation.to_string(), format!("choice_t.{arm} > Named.name {why}"));
        assert_eq!(Some(explanation.error), from_bytes::<Choice<'_>>(&bytes).err());
        assert_eq!(explanation.path().next().unwrap().name, arm);
    }
}

#[test]
fn arms_in_any_order() {
    let name = Named { name: Text::try_from("ab").unwrap() };
    let values = [
        Choice::Nothing,
        Choice::One(name),
        Choice::Few(2, name),
        Choice::Few(3, name),
        Choice::Several(4, name),
        Choice::Several(5, name),
        Choice::Six(name),
        Choice::Rest(7, name),
    ];
    for (value, n) in values.iter().zip(0u32..) {
        assert_eq!(value.n(), n);
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(value).unwrap();
        assert_eq!(e.finish(), value.encoded_len());
        let bytes = segments.view(&head).to_vec().unwrap();
        assert!(bytes.starts_with(&n.to_be_bytes()));
        assert_eq!(from_bytes::<Choice<'_>>(&bytes).as_ref(), Ok(value));
    }
}
