//! Which credentials a server takes, and the probe for TLS (RFC 9289, section 4.1).
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

mod common;

use common::{encode, unhex};
use nfswire_rpc::{
    AuthFlavor, AuthPolicy, AuthStat, AuthSys, CallHeader, Credential, Groups, OpaqueAuth,
    ReplyHeader, credential, gss, parse_call, parse_reply,
};
use nfswire_xdr::{Cursor, Limits, Opaque, Text};

const NOTHING: AuthPolicy =
    AuthPolicy { none: false, sys: false, short: false, dh: false, gss: None, tls: false };
const ALL: AuthPolicy = AuthPolicy {
    none: true,
    sys: true,
    short: true,
    dh: true,
    gss: Some(gss::Version::V3),
    tls: true,
};

fn auth(flavor: AuthFlavor, body: &[u8]) -> OpaqueAuth<'_> {
    OpaqueAuth { flavor, body: Opaque::new(body).unwrap() }
}

/// A call of procedure 0 with these fields, judged: its credential's flavor, or the refusal.
fn judge(
    policy: AuthPolicy,
    procedure: u32,
    credential: OpaqueAuth<'_>,
    verifier: OpaqueAuth<'_>,
) -> Result<AuthFlavor, AuthStat> {
    let header =
        CallHeader { xid: 7, program: 100_003, version: 3, procedure, credential, verifier };
    let record = encode(&header);
    let header = parse_call(&mut Cursor::new(&record)).unwrap();
    policy.credential(&header, &Limits::STRICT).map(|credential| match credential {
        Credential::None => AuthFlavor::NONE,
        Credential::Sys(_) => AuthFlavor::SYS,
        Credential::Short(body) => {
            assert_eq!(body, header.credential.body);
            AuthFlavor::SHORT
        }
        Credential::Dh(body) => {
            assert_eq!(body, header.credential.body);
            AuthFlavor::DH
        }
        Credential::Gss(credential) => {
            assert_eq!(credential.body.seq_num, 7);
            AuthFlavor::GSS
        }
        Credential::Tls => AuthFlavor::TLS,
        other => panic!("{other:?}"),
    })
}

fn user() -> AuthSys<'static> {
    AuthSys {
        stamp: 1,
        machine_name: Text::new(b"client1").unwrap(),
        uid: 1000,
        gid: 1000,
        gids: Groups::new(&[27, 100]).unwrap(),
    }
}

fn gss_body(version: u32) -> Vec<u8> {
    [version, 0, 7, 1, 0].map(u32::to_be_bytes).concat()
}

#[test]
fn every_flavor_and_policy() {
    let (mut sys, gss) = ([0; AuthSys::MAX_BODY], gss_body(1));
    let good = [
        (auth(AuthFlavor::NONE, b""), AuthPolicy { none: true, ..NOTHING }),
        (user().to_auth(&mut sys), AuthPolicy { sys: true, ..NOTHING }),
        (auth(AuthFlavor::SHORT, b"1234"), AuthPolicy { short: true, ..NOTHING }),
        (auth(AuthFlavor::DH, b"12345"), AuthPolicy { dh: true, ..NOTHING }),
        (auth(AuthFlavor::GSS, &gss), AuthPolicy { gss: Some(gss::Version::V1), ..NOTHING }),
    ];
    for (i, (credential, only)) in good.iter().enumerate() {
        let flavor = credential.flavor;
        let verifier = match flavor {
            AuthFlavor::DH => auth(AuthFlavor::DH, b"window"),
            AuthFlavor::GSS => auth(AuthFlavor::GSS, b"mic"),
            _ => OpaqueAuth::NONE,
        };
        assert_eq!(judge(*only, 1, *credential, verifier), Ok(flavor));
        assert_eq!(judge(ALL, 1, *credential, verifier), Ok(flavor));
        assert_eq!(judge(NOTHING, 1, *credential, verifier), Err(AuthStat::TOO_WEAK));
        for (j, (_, other)) in good.iter().enumerate() {
            let expected = if i == j { Ok(flavor) } else { Err(AuthStat::TOO_WEAK) };
            assert_eq!(judge(*other, 1, *credential, verifier), expected);
        }
        // What verifies RPCSEC_GSS depends on more than the flavor: tests/gss_answers.rs.
        if flavor != AuthFlavor::GSS {
            for wrong in [AuthFlavor::SYS, AuthFlavor::GSS, AuthFlavor(99)] {
                let verifier = auth(wrong, b"");
                let judged = judge(ALL, 1, *credential, verifier);
                assert_eq!(judged, Err(AuthStat::BAD_VERF), "{flavor} {wrong}");
            }
        }
    }
    // Numbers that have no form here, whatever the policy.
    for flavor in [4, 5, 30_001, 390_003, 99, u32::MAX] {
        for policy in [NOTHING, ALL] {
            let judged = judge(policy, 1, auth(AuthFlavor(flavor), b""), OpaqueAuth::NONE);
            assert_eq!(judged, Err(AuthStat::BAD_CRED), "{flavor}");
        }
    }
    // The body of AUTH_NONE has no meaning (RFC 5531, section 10.1), in a verifier neither.
    let odd = auth(AuthFlavor::NONE, b"odd");
    assert_eq!(judge(ALL, 1, odd, odd), Ok(AuthFlavor::NONE));
}

#[test]
fn malformed_bodies() {
    let mut buffer = [0; AuthSys::MAX_BODY];
    let sys = user().to_auth(&mut buffer);
    let gss = gss_body(2);
    for good in [sys, auth(AuthFlavor::GSS, &gss)] {
        let body = good.body.as_bytes();
        for cut in 0..body.len() {
            let judged = judge(ALL, 1, auth(good.flavor, &body[..cut]), OpaqueAuth::NONE);
            assert_eq!(judged, Err(AuthStat::BAD_CRED), "{} cut at {cut}", good.flavor);
        }
        let longer = [body, &[0; 4]].concat();
        let judged = judge(ALL, 1, auth(good.flavor, &longer), OpaqueAuth::NONE);
        assert_eq!(judged, Err(AuthStat::BAD_CRED));
        assert_eq!(judge(ALL, 1, good, OpaqueAuth::NONE), Ok(good.flavor));
        // Bytes behind are forgiven where the whole call is read leniently.
        let header = CallHeader {
            xid: 7,
            program: 100_003,
            version: 3,
            procedure: 1,
            credential: auth(good.flavor, &longer),
            verifier: OpaqueAuth::NONE,
        };
        assert!(ALL.credential(&header, &Limits::LENIENT).is_ok());
    }
    // An illegal control procedure is a malformed credential, a version is negotiated.
    let procedure = [1, 7, 7, 1, 0].map(u32::to_be_bytes).concat();
    let judged = judge(ALL, 1, auth(AuthFlavor::GSS, &procedure), OpaqueAuth::NONE);
    assert_eq!(judged, Err(AuthStat::BAD_CRED));
    let up_to = |version| AuthPolicy { gss: Some(version), ..ALL };
    use gss::Version::{V1, V2, V3};
    for (policy, version, taken) in [
        (V1, 1, true),
        (V1, 2, false),
        (V2, 2, true),
        (V2, 3, false),
        (V3, 3, true),
        (V3, 4, false),
    ] {
        let body = gss_body(version);
        let judged = judge(up_to(policy), 1, auth(AuthFlavor::GSS, &body), OpaqueAuth::NONE);
        assert_eq!(judged, if taken { Ok(AuthFlavor::GSS) } else { Err(AuthStat::REJECTED_CRED) });
    }
}

/// RFC 9289, section 4.1.
#[test]
fn a_probe_for_tls() {
    let offered = AuthPolicy { tls: true, ..AuthPolicy::default() };
    let probe = |policy, procedure, verifier| judge(policy, procedure, OpaqueAuth::TLS, verifier);
    assert_eq!(probe(offered, 0, OpaqueAuth::NONE), Ok(AuthFlavor::TLS));
    // Whatever else is allowed.
    assert_eq!(
        probe(AuthPolicy { tls: true, ..NOTHING }, 0, OpaqueAuth::NONE),
        Ok(AuthFlavor::TLS)
    );
    assert_eq!(probe(offered, 1, OpaqueAuth::NONE), Err(AuthStat::BAD_CRED));
    // Not offered, or offered no more because TLS is there.
    assert_eq!(probe(AuthPolicy::default(), 0, OpaqueAuth::NONE), Err(AuthStat::BAD_CRED));
    for verifier in [auth(AuthFlavor::NONE, b"x"), auth(AuthFlavor::TLS, b""), OpaqueAuth::STARTTLS]
    {
        assert_eq!(probe(offered, 0, verifier), Err(AuthStat::BAD_VERF));
    }
    let body = auth(AuthFlavor::TLS, b"x");
    assert_eq!(judge(offered, 0, body, OpaqueAuth::NONE), Err(AuthStat::BAD_CRED));
}

#[test]
fn the_answer_to_a_probe() {
    let reply = encode(&ReplyHeader::starttls(0x4e46_5301));
    let expected = "4e465301 00000001 00000000 00000000 00000008 53544152 54544c53 00000000";
    assert_eq!(reply, unhex(expected));
    let offers = |reply: &ReplyHeader<'_>| {
        let bytes = encode(reply);
        parse_reply(&mut Cursor::new(&bytes)).unwrap().offers_tls()
    };
    assert!(offers(&ReplyHeader::starttls(7)));
    // Whatever became of the call otherwise.
    assert!(offers(&ReplyHeader::prog_unavail(7).with_verifier(OpaqueAuth::STARTTLS)));
    assert!(!offers(&ReplyHeader::success(7)));
    assert!(!offers(&ReplyHeader::auth_error(7, AuthStat::BAD_CRED)));
    for body in [&b"STARTTL"[..], b"STARTTLS\0", b"starttls", b""] {
        let verifier = auth(AuthFlavor::NONE, body);
        assert!(!offers(&ReplyHeader::success(7).with_verifier(verifier)));
    }
    let verifier = OpaqueAuth { flavor: AuthFlavor::SYS, ..OpaqueAuth::STARTTLS };
    assert!(!offers(&ReplyHeader::success(7).with_verifier(verifier)));
}

/// The function for servers without a policy reads what it always did.
#[test]
fn without_a_policy() {
    let mut buffer = [0; AuthSys::MAX_BODY];
    assert_eq!(credential(&user().to_auth(&mut buffer)), Ok(Credential::Sys(user())));
    assert_eq!(credential(&auth(AuthFlavor::NONE, b"x")), Ok(Credential::None));
    let body = gss_body(1);
    for other in [
        auth(AuthFlavor::SHORT, b""),
        auth(AuthFlavor::DH, b""),
        auth(AuthFlavor::GSS, &body),
        OpaqueAuth::TLS,
        auth(AuthFlavor(99), b""),
    ] {
        assert_eq!(credential(&other), Err(AuthStat::BAD_CRED), "{other:?}");
    }
}
