//! Times of the same messages by us and by others, on the same bytes.
//!
//! Encoders write into a head, or vector, that is kept. fastxdr has no encoders, and reads no
//! groups of a credential.
#![allow(missing_docs, clippy::expect_used)] // criterion's macros; a broken premise must end the run

use core::{hint::black_box, time::Duration};
use std::{io::Cursor as TheirCursor, time::Instant};

use bytes_05::Bytes;
use criterion::{Criterion, criterion_group, criterion_main};
use nfs3_types::{
    nfs3 as theirs, rpc,
    xdr_codec::{Pack, Unpack},
};
use nfswire_benches::{
    ops::{self, check_peers},
    peers::{fastxdr, xdrgen},
    samples,
    tirpc::Tirpc,
};
use nfswire_nfs3::{attr::*, io::*, readdir::*};
use nfswire_rpc::{AuthSys, parse_call};
use nfswire_xdr::{Cursor, Encode, Encoder, Segments, from_bytes};

/// The four encoders of one message; fastxdr has none.
fn encode<T, N, G>(c: &mut Criterion, name: &str, ours: &T, theirs: &N, generated: &G)
where
    T: Encode<'static>,
    N: Pack,
    G: xdr_codec_peer::Pack<Vec<u8>>,
{
    let mut group = c.benchmark_group(name);
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    group.bench_function("nfswire", |b| {
        b.iter(|| {
            let mut e = Encoder::growable(&mut head, &mut segments);
            e.put(black_box(ours)).expect("it encodes");
            e.finish()
        });
    });
    let mut out = Vec::with_capacity(4 << 20);
    group.bench_function("nfs3_types", |b| {
        b.iter(|| {
            out.clear();
            black_box(theirs).pack(&mut out).expect("it packs")
        });
    });
    group.bench_function("xdrgen", |b| {
        b.iter(|| {
            out.clear();
            black_box(generated).pack(&mut out).expect("it packs")
        });
    });
    group.finish();
}

/// The four decoders of one message. fastxdr shares in a buffer, whose count is raised per message.
macro_rules! decode {
    ($c:expr, $name:literal, $bytes:expr, $ours:ty, $theirs:ty, $gen:ty, $fast:ty) => {{
        let bytes: &[u8] = $bytes;
        let shared = Bytes::copy_from_slice(bytes);
        let mut group = $c.benchmark_group($name);
        group.bench_function("nfswire", |b| {
            b.iter(|| {
                black_box(from_bytes::<$ours>(black_box(bytes)).expect("it decodes"));
            });
        });
        group.bench_function("nfs3_types", |b| {
            b.iter(|| {
                let mut from = TheirCursor::new(black_box(bytes));
                black_box(<$theirs>::unpack(&mut from).expect("it unpacks"));
            });
        });
        group.bench_function("xdrgen", |b| {
            b.iter(|| {
                black_box(samples::gen_decode::<$gen>(black_box(bytes)));
            });
        });
        group.bench_function("fastxdr", |b| {
            b.iter(|| {
                black_box(<$fast>::try_from(black_box(&shared).clone()).expect("it decodes"));
            });
        });
        group.finish();
    }};
}

fn calls(c: &mut Criterion) {
    let ours = samples::call();
    let bytes = samples::bytes_of(&ours);
    let generated: xdrgen::call_header = samples::gen_decode(&bytes);
    encode(c, "call header encode", &ours, &samples::their_call(), &generated);

    let mut group = c.benchmark_group("call header and AUTH_SYS decode");
    group.bench_function("nfswire", |b| {
        b.iter(|| {
            let header = parse_call(&mut Cursor::new(black_box(&bytes))).expect("a call");
            black_box(AuthSys::from_auth(&header.credential).expect("of a user"));
            black_box(&header);
        });
    });
    group.bench_function("nfs3_types", |b| {
        b.iter(|| {
            let mut from = TheirCursor::new(black_box(&bytes[..]));
            let message = rpc::rpc_msg::unpack(&mut from).expect("a call").0;
            if let rpc::msg_body::CALL(call) = &message.body {
                let mut from = TheirCursor::new(&call.cred.body[..]);
                black_box(rpc::auth_unix::unpack(&mut from).expect("of a user"));
            }
            black_box(&message);
        });
    });
    group.bench_function("xdrgen", |b| {
        b.iter(|| {
            let call = samples::gen_decode(black_box(&bytes));
            black_box(samples::gen_user(&call));
            black_box(&call);
        });
    });
    group.finish();
}

/// Operations of the RPC layer that have no counterpart in XDR generators, and the call header by
/// libtirpc, which keeps its own time.
fn rpc_layer(c: &mut Criterion) {
    for mut op in ops::all() {
        if !["C1", "C2", "C2m", "reply-d", "reply-e", "reply-a", "record", "replay"]
            .contains(&op.id)
        {
            continue;
        }
        let mut group = c.benchmark_group(format!("RPC: {}", op.name));
        let mut bench = |name: &str, run: &mut dyn FnMut(u64)| {
            group.bench_function(name, |b| {
                b.iter_custom(|n| {
                    let start = Instant::now();
                    run(n);
                    start.elapsed()
                });
            });
        };
        bench("nfswire", &mut op.run);
        for peer in &mut op.peers {
            bench(peer.name, &mut peer.run);
        }
        group.finish();
    }
    let mut tirpc = match Tirpc::new(&samples::bytes_of(&samples::call())) {
        Ok(tirpc) => tirpc,
        Err(left_out) => return println!("{left_out}."),
    };
    for what in ["decode", "encode"] {
        c.bench_function(&format!("RPC: call header {what}/libtirpc"), |b| {
            b.iter_custom(|n| Duration::from_secs_f64(tirpc.time(what, n) / 1e9));
        });
    }
}

fn attributes(c: &mut Criterion) {
    let ours = samples::getattr();
    let bytes = samples::bytes_of(&ours);
    let generated: xdrgen::GETATTR3res = samples::gen_decode(&bytes);
    encode(c, "attributes encode", &ours, &samples::their_getattr(), &generated);
    decode!(
        c,
        "attributes decode",
        &bytes,
        GetattrReply,
        theirs::GETATTR3res,
        xdrgen::GETATTR3res,
        fastxdr::GETATTR3res
    );
}

fn reads(c: &mut Criterion) {
    for (name, len) in [("READ 4 KiB encode", 4 << 10), ("READ 1 MiB encode", 1 << 20)] {
        let ours = samples::read(len);
        let generated: xdrgen::READ3res = samples::gen_decode(&samples::bytes_of(&ours));
        encode(c, name, &ours, &samples::their_read(len), &generated);
    }
    let bytes = samples::bytes_of(&samples::read(64 << 10));
    decode!(
        c,
        "READ 64 KiB decode",
        &bytes,
        ReadReply<'_>,
        theirs::READ3res<'static>,
        xdrgen::READ3res,
        fastxdr::READ3res<Bytes>
    );
}

fn listings(c: &mut Criterion) {
    let ours = samples::readdirplus();
    let bytes = samples::bytes_of(&ours);
    let generated: xdrgen::READDIRPLUS3res = samples::gen_decode(&bytes);
    encode(c, "listing encode", &ours, &samples::their_readdirplus(), &generated);
    // Ours walks the list to check it here; `counts` has the streaming reader as well.
    decode!(
        c,
        "listing decode",
        &bytes,
        ReaddirplusReply<'_>,
        theirs::READDIRPLUS3res<'static>,
        xdrgen::READDIRPLUS3res,
        fastxdr::READDIRPLUS3res<Bytes>
    );
}

/// Short by default; `--measurement-time 3` for steadier figures.
fn short() -> Criterion {
    check_peers();
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
}

criterion_group! {
    name = codecs;
    config = short();
    targets = calls, rpc_layer, attributes, reads, listings
}
criterion_main!(codecs);
