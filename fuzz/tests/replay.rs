//! The targets on a stable compiler: over the seeds, over damaged copies of them, and over the
//! inputs that are stored in `corpus` and `artifacts`.

use std::{fs, io::ErrorKind, path::Path};

use nfswire_fuzz::{TARGETS, seeds};

/// Damages that a codec meets: cut, a byte changed, a word that is a length changed.
fn damaged(seed: &[u8], n: usize) -> Vec<u8> {
    const WORDS: [u32; 8] = [0, 1, 3, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_fffc, 0xffff_ffff];
    let mut bytes = seed.to_vec();
    let at = (n * 31) % bytes.len().max(1);
    match n % 3 {
        0 => bytes.truncate(at),
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << (n % 8);
            }
        }
        _ => {
            let word = 3 + at / 4 * 4;
            if let Some(bytes) = bytes.get_mut(word..word + 4) {
                bytes.copy_from_slice(&WORDS[n / 3 % 8].to_be_bytes());
            }
        }
    }
    bytes
}

fn replay(target: &str) {
    let (_, run) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    let seeds = seeds::of(target);
    assert!(seeds.len() > 30, "the seeds are missing");
    for seed in &seeds {
        run(seed);
        for n in 0..24 {
            run(&damaged(seed, n));
        }
    }
    for folder in ["corpus", "artifacts"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(target);
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries {
            // A fuzzer that is running replaces its inputs.
            match fs::read(entry.expect("an entry").path()) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                input => run(&input.expect("an input")),
            }
        }
    }
}

macro_rules! replays {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target));
            }
        )*

        #[test]
        fn every_target_is_replayed() {
            let names: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$(stringify!($target)),*]);
        }
    };
}

replays! {
    decode_any roundtrip split segments_vs_flat encoder_model records gss messages
    rpcbind mount nfs2 nfs3 compound_args compound_results compound_build attributes callbacks layouts nlm nsm nfsacl
    rdma_header rdma_chunks rdma_choose
}
