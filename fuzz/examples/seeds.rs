//! Writes the seeds of every target to `corpus/TARGET/`.

use std::{fs, io, path::Path};

use nfswire_fuzz::{TARGETS, seeds};

fn main() -> io::Result<()> {
    for (name, _) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        fs::create_dir_all(&folder)?;
        let seeds = seeds::of(name);
        for (i, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{i:04}")), seed)?;
        }
        println!("{}: {} seeds", folder.display(), seeds.len());
    }
    Ok(())
}
