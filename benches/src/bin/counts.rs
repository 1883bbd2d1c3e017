//! Prints exact counts of each operation beside its goals: instructions, allocations, payload bytes
//! copied, segments; and its time beside nfs3_types in the same run.
#![allow(clippy::expect_used, clippy::arithmetic_side_effects)] // as in the library

use clap::{Parser, Subcommand};
use nfswire_benches::{
    measure::{allocations, compare, instructions},
    ops::{Op, all, check_peers},
};

/// Counts and ratios of the codecs.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Only operations whose goal starts with this.
    #[arg(long, default_value = "")]
    only: String,
    /// Rounds of each time ratio; 0 leaves the times out.
    #[arg(long, default_value_t = 201)]
    rounds: usize,
    /// Leave callgrind out.
    #[arg(long)]
    no_callgrind: bool,
}

#[derive(Subcommand)]
enum What {
    /// Do one operation a number of times and nothing else: what callgrind counts.
    Run {
        /// The operation's goal.
        id: String,
        /// Our code (`ours`) or that of nfs3_types (`peer`).
        whose: String,
        /// How often.
        times: u64,
    },
}

fn main() {
    let args = Args::parse();
    let mut ops = all();
    if let Some(What::Run { id, whose, times }) = args.what {
        let op = ops.iter_mut().find(|op| op.id == id).expect("an operation of the table");
        let run = if whose == "peer" { op.peer.as_mut().expect("a peer") } else { &mut op.run };
        return run(times);
    }
    check_peers();
    println!(
        "| goal | operation | instructions | goal | nfs3_types | allocations | payload bytes copied \
         | segments | ns | ratio to nfs3_types | goal | |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    let (mut missed, mut streamed) = (0, None);
    for op in ops.iter_mut().filter(|op| op.id.starts_with(&args.only)) {
        if op.id == "C12p" {
            // The goal is a multiple of the same listing in one slice.
            op.most_instructions = streamed.map(|count: u64| count * 22 / 10);
        }
        let counted = row(op, &args);
        missed += u32::from(!counted.1);
        if op.id == "C12" {
            streamed = counted.0;
        }
    }
    if !args.no_callgrind && instructions(&["run", "C4", "ours"]).is_none() {
        println!("\nNo instructions: valgrind is not installed.");
    }
    println!("\n{missed} operations miss a goal.");
}

/// Prints one row; its instructions, and whether all goals are met.
fn row(op: &mut Op, args: &Args) -> (Option<u64>, bool) {
    let count = |whose| if args.no_callgrind { None } else { instructions(&["run", op.id, whose]) };
    let ours = count("ours");
    let theirs = op.peer.is_some().then(|| count("peer")).flatten();
    let allocated = allocations(&mut op.run);
    let copied = op.stats.map(|stats| stats.copied);
    let times = match &mut op.peer {
        Some(peer) if args.rounds > 0 => Some(compare(&mut op.run, peer, args.rounds)),
        _ => None,
    };
    let pass = allocated == 0.0
        && copied.unwrap_or(0) == 0
        && ours.zip(op.most_instructions).is_none_or(|(count, goal)| count <= goal)
        && times.zip(op.most_ratio).is_none_or(|([.., ratio], goal)| ratio <= goal);
    let cell = |value: Option<String>| value.unwrap_or_else(|| "-".into());
    println!(
        "| {} | {} | {} | {} | {} | {allocated} | {} | {} | {} | {} | {} | {} |",
        op.id,
        op.name,
        cell(ours.map(|n| n.to_string())),
        cell(op.most_instructions.map(|n| n.to_string())),
        cell(theirs.map(|n| n.to_string())),
        cell(copied.map(|n| n.to_string())),
        cell(op.stats.map(|stats| stats.segments.to_string())),
        cell(times.map(|[ours, ..]| format!("{ours:.1}"))),
        cell(times.map(|[.., ratio]| format!("{ratio:.4}"))),
        cell(op.most_ratio.map(|goal| goal.to_string())),
        if pass { "pass" } else { "MISS" },
    );
    (ours, pass)
}
