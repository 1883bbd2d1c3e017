//! Inputs to begin with, made from the test vectors and cases of the crates.

use std::{fs, path::Path};

use crate::{compound::SHAPES, types};

/// Bytes of every vector, with the name of its type.
fn vectors() -> Vec<(String, Vec<u8>)> {
    const FILES: [&str; 23] = [
        "xdr-codec/testdata/vectors/xdr.jsonl",
        "onc-rpc/testdata/vectors/portmap.jsonl",
        "onc-rpc/testdata/vectors/rpc.jsonl",
        "onc-rpc/testdata/vectors/rpcbind.jsonl",
        "onc-rpc/testdata/vectors/rpcsec_gss.jsonl",
        "nfs3/testdata/vectors/mount.jsonl",
        "nfs3/testdata/vectors/nfs2.jsonl",
        "nfs3/testdata/vectors/nfs3.jsonl",
        "nfs3/testdata/vectors/nfsacl.jsonl",
        "nfs3/testdata/vectors/nlm.jsonl",
        "nfs3/testdata/vectors/nsm.jsonl",
        "nfs4/testdata/vectors/layout-block.jsonl",
        "nfs4/testdata/vectors/layout-files.jsonl",
        "nfs4/testdata/vectors/layout-flexfiles.jsonl",
        "nfs4/testdata/vectors/layout-objects.jsonl",
        "nfs4/testdata/vectors/layout-scsi.jsonl",
        "nfs4/testdata/vectors/nfs40.jsonl",
        "nfs4/testdata/vectors/nfs41.jsonl",
        "nfs4/testdata/vectors/nfs42.jsonl",
        "nfs4/testdata/vectors/nfs4cb.jsonl",
        "rpcrdma-wire/testdata/vectors/rpcrdma.jsonl",
        "rpcrdma-wire/testdata/vectors/rpcrdma-cm.jsonl",
        "examples/roundtrip/testdata/vectors/messages.jsonl",
    ];
    let mut all = Vec::new();
    for file in FILES {
        for line in read(file).lines() {
            let json: serde_json::Value = serde_json::from_str(line).expect(file);
            let text = |key: &str| json[key].as_str().expect(file).to_owned();
            all.push((text("type"), hex::decode(text("hex")).expect(file)));
        }
    }
    all
}

/// Bytes that broke other implementations.
fn cases() -> Vec<Vec<u8>> {
    const FOLDERS: [&str; 5] = [
        "xdr-codec/testdata/cases",
        "onc-rpc/testdata/cases",
        "nfs3/testdata/cases",
        "nfs4/testdata/cases",
        "rpcrdma-wire/testdata/cases",
    ];
    let mut all = Vec::new();
    for folder in FOLDERS {
        let mut names: Vec<_> = fs::read_dir(root().join(folder))
            .unwrap_or_else(|error| panic!("{folder}: {error}"))
            .map(|entry| entry.expect(folder).path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "hex"))
            .collect();
        names.sort();
        for path in names {
            let text = fs::read_to_string(&path).expect(folder);
            let digits: String = text.lines().filter(|line| !line.starts_with('#')).collect();
            let digits: String = digits.split_whitespace().collect();
            all.push(hex::decode(digits).unwrap_or_else(|error| panic!("{path:?}: {error}")));
        }
    }
    assert!(!all.is_empty());
    all
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it is in a folder")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Longest seed, in bytes: libFuzzer's default for the length of an input.
const LONGEST: usize = 4096;

/// The seeds of a target.
#[must_use]
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let mut seeds = match target {
        "encoder_model" => calls(),
        "records" => streams(),
        "gss" => gss_calls(),
        "messages" => headers(),
        "compound_build" => compounds(),
        "rdma_header" => [values(target), transport_messages()].concat(),
        "rdma_chunks" | "rdma_choose" => numbers(),
        _ => values(target),
    };
    seeds.retain(|seed| seed.len() <= LONGEST);
    seeds
}

/// Every vector as its type, if the target has that, and every case as every type that is not fixed.
fn values(target: &str) -> Vec<Vec<u8>> {
    let place = |name: &str| {
        let name = if name.contains('/') { "rpc_msg" } else { name };
        let mut codecs = types::of(target).iter().copied().flatten();
        let place = codecs.position(|codec| codec.name == name)?;
        u8::try_from(place).ok()
    };
    let seed = |place: u8, bytes: &[u8], i: usize| {
        let choices = [place, (i * 7) as u8, (i * 13) as u8];
        [&choices[..], bytes].concat()
    };
    let mut seeds = Vec::new();
    for (i, (name, bytes)) in vectors().iter().enumerate() {
        seeds.extend(place(name).map(|place| seed(place, bytes, i)));
    }
    for (i, bytes) in cases().iter().enumerate() {
        for name in ["xdr_opaque_var", "xdr_mixed", "xdr_array_of_string", "lists", "rpc_msg"] {
            seeds.extend(place(name).map(|place| seed(place, bytes, i)));
        }
    }
    seeds
}

/// Sequences of encoder calls: any bytes are some, but few of them mark, append, roll back and go on.
fn calls() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = cases();
    for start in 0..200u32 {
        // A generator of small numbers; any will do.
        let mut state = start;
        let mut below = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % bound) as u8
        };
        // Copy-break, room, three page lengths, two slices of a scattered payload.
        let mut seed = vec![below(20), below(256), 64, 12, below(70), 3, 7, 8, 9, 1, 5];
        for _ in 0..40 {
            let call = [0, 1, 3, 5, 6, 7, 8, 9, 9, 10, 10, 11][usize::from(below(12))];
            seed.push(call);
            match call {
                0 => seed.extend([1, 2, 3, 4]),
                1 | 3 => seed.extend([3, 5, 6, 7]),
                6 => seed.extend([0, 0, 0, 1, 0, 0, 0, below(2)]),
                8 => seed.extend([below(4), 9, 9, 9, 9]),
                10 => seed.push(below(6)),
                11 => seed.push(below(2)),
                _ => {}
            }
        }
        seeds.push(seed);
    }
    seeds
}

/// Streams of records: each message as one, in one and in several fragments.
fn streams() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (i, (_, bytes)) in vectors().iter().filter(|(name, _)| name.contains('/')).enumerate() {
        let mut stream = vec![0, 0, 255, 255, 19, 9, 1, 8, 3, 40, 255, 2, 7, 80, 5];
        for (j, part) in bytes.chunks(1 + i % 200).enumerate() {
            let last = (j + 1) * (1 + i % 200) >= bytes.len();
            let len = u32::try_from(part.len()).expect("short");
            stream.extend((len | if last { 0x8000_0000 } else { 0 }).to_be_bytes());
            stream.extend_from_slice(part);
        }
        seeds.push(stream);
    }
    seeds
}

/// Every message of the vectors, the cases and a capture, with some of it at hand.
fn headers() -> Vec<Vec<u8>> {
    let whole = |name: &str| name == "rpc_msg" || name.contains('/');
    let vectors = vectors().into_iter().filter(|(name, _)| whole(name)).map(|(_, bytes)| bytes);
    let capture = read("onc-rpc/testdata/captures/rpcbind.hex");
    let captured = capture.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (transport, digits) = (line.starts_with("tcp"), line.rsplit(' ').next());
        let bytes = hex::decode(digits.expect("not empty")).expect("hexadecimal digits");
        // Over TCP there is a mark in front.
        if transport { bytes[4..].to_vec() } else { bytes }
    });
    let marked = cases().into_iter().filter_map(|bytes| Some(bytes.get(4..)?.to_vec()));
    let all = vectors.chain(captured).chain(cases()).chain(marked);
    all.enumerate().map(|(i, bytes)| [&[(i * 11) as u8], &bytes[..]].concat()).collect()
}

/// Calls of RPCSEC_GSS: every control procedure, service and version, with verifiers and bodies.
fn gss_calls() -> Vec<Vec<u8>> {
    let vectors = vectors();
    let named = |name: &str| {
        let name = name.to_owned();
        vectors.iter().filter(move |(other, _)| *other == name).map(|(_, bytes)| bytes)
    };
    let opaque = |bytes: &[u8]| {
        let len = u32::try_from(bytes.len()).expect("short");
        let mut all = [&len.to_be_bytes(), bytes].concat();
        all.resize(all.len().next_multiple_of(4), 0);
        all
    };
    // What a service wraps: a sequence number and arguments.
    let data = [&7u32.to_be_bytes()[..], b"args"].concat();
    let hidden: Vec<u8> = [3].into_iter().chain(data.iter().map(|byte| !byte)).collect();
    let signed = [opaque(&data), opaque(&[3, 1, 2])].concat();
    let bind = named("rgss2_bind_chan_verf_args").next().expect("a vector");
    let mut seeds = Vec::new();
    for version in 1..=3u32 {
        for procedure in 0..=6u32 {
            for service in 1..=4u32 {
                let credential =
                    [version, procedure, 7, service, 4, 0x6374_7831].map(u32::to_be_bytes).concat();
                let verifier = match (procedure, service) {
                    (1 | 2, _) | (_, 4) => [0; 8].to_vec(),
                    (4, _) => [&6u32.to_be_bytes()[..], &opaque(bind)].concat(),
                    _ => [&6u32.to_be_bytes()[..], &opaque(&[3, 9, 9])].concat(),
                };
                let body = match service {
                    2 => signed.clone(),
                    3 => opaque(&hidden),
                    _ => b"args".to_vec(),
                };
                let number = u32::from(procedure == 0);
                let header = [7, 0, 2, 100_003, 3, number, 6].map(u32::to_be_bytes).concat();
                let choices = [2, 0x80 | version as u8];
                seeds
                    .push([&choices[..], &header, &opaque(&credential), &verifier, &body].concat());
            }
        }
    }
    seeds
}

/// Requests, replies, and results one behind the other that together make a reply, within limits that
/// do and that do not do, in every kind of head.
fn compounds() -> Vec<Vec<u8>> {
    let vectors = vectors();
    let named = |name: &'static str| vectors.iter().filter(move |(other, _)| other == name);
    let seed = |shape: usize, n: usize, bytes: &[u8]| {
        let limit = [255, 255, 40, 255, 20, 9][n % 6];
        [&[shape as u8, (n % 4) as u8, [255, 30, 8][n % 3], limit, (n % 6) as u8], bytes].concat()
    };
    let mut seeds = Vec::new();
    for (n, (_, bytes)) in named("COMPOUND4args").chain(named("COMPOUND4res")).enumerate() {
        seeds.push(seed(n, n, bytes));
    }
    for (shape, results) in SHAPES.iter().enumerate() {
        for n in 0..12 {
            let mut bytes = Vec::new();
            for (k, name) in results.iter().enumerate() {
                let good = named(name).filter(|(_, b)| b.starts_with(&[0; 4]));
                let all: Vec<_> = if n == 3 * k { named(name).collect() } else { good.collect() };
                let (_, result) = all.get((n + k) % all.len().max(1)).expect(name);
                bytes.extend_from_slice(&[0; 4]);
                bytes.extend_from_slice(result);
            }
            seeds.push(seed(shape, n, &bytes));
        }
    }
    seeds
}

/// Messages of RPC-over-RDMA, to both ends: recorded ones, damaged ones, and private data of
/// connections.
fn transport_messages() -> Vec<Vec<u8>> {
    let mut messages = cases();
    let vectors = vectors().into_iter();
    messages.extend(vectors.filter(|(name, _)| name.starts_with("rpcrdma_cm")).map(|(_, b)| b));
    for name in ["probe", "recall-v41", "inline1k-v3", "v42"] {
        let file = root().join(format!("rpcrdma-wire/testdata/captures/{name}.msgs"));
        let all = fs::read(&file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        let (mut rest, mut recorded) = (&all[..], Vec::new());
        while let Some((len, behind)) = rest.split_first_chunk() {
            let (message, behind) = behind.split_at(u32::from_be_bytes(*len) as usize);
            recorded.push(message.to_vec());
            rest = behind;
        }
        // Most are much like each other.
        let step = recorded.len().div_ceil(60);
        messages.extend(recorded.into_iter().step_by(step));
    }
    // RDMA_DONE as long as other headers, and bytes behind RDMA_NOMSG.
    let words = |words: &[u32]| words.iter().copied().flat_map(u32::to_be_bytes).collect();
    messages.push(words(&[7, 1, 1, 3, 0, 0, 0, 7, 0]));
    messages.push(words(&[7, 1, 1, 1, 1, 0, 2, 9, 0, 8, 0, 0, 0, 7]));
    let choices = |i: usize| [0, (i * 7) as u8, (i * 13) as u8];
    messages.iter().enumerate().map(|(i, message)| [&choices(i)[..], message].concat()).collect()
}

/// Numbers to choose by: any, and small ones, which say what is in order more often; and the words of
/// real headers.
fn numbers() -> Vec<Vec<u8>> {
    let mut state = 1u32;
    let mut any = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u8
    };
    let random = (0..240).map(|i| {
        let mask = [0xff, 0x7f, 0x1f, 0x07][i / 4 % 4];
        let first = (i % 4) as u8;
        [first].into_iter().chain((0..60 + i * 2).map(|_| any() & mask)).collect()
    });
    random
        .chain(vectors().into_iter().filter(|(name, _)| name == "rdma_msg").map(|(_, b)| b))
        .collect()
}
