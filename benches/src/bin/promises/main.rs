//! Prints what the XDR core promises beside what it does: sends and marks (S1), payloads by
//! reference (S2), short writes (S5), small messages kept from large receive blocks (S11), and pages
//! that come one at a time (S12).
//!
//! Fails when a promise that is exact is broken, and never because of a time.
// As in the library.
#![allow(clippy::expect_used, clippy::panic, clippy::arithmetic_side_effects)]
#![allow(clippy::cast_precision_loss, clippy::indexing_slicing)]

mod keep;
mod pool;
mod send;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use nfswire_benches::measure::compare;

/// The promises of the XDR core, measured.
///
/// Fails when one is broken that is exact: instructions, allocations, bytes copied, sends, visits.
/// Times never make it fail.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Rounds of each time; 0 leaves the times out.
    #[arg(long, default_value_t = 201)]
    rounds: usize,
}

#[derive(Subcommand)]
enum What {
    /// Do one operation a number of times and nothing else: what callgrind counts.
    Run {
        /// The operation.
        name: String,
        /// How often.
        times: u64,
    },
}

/// Prints rows and counts those that break a promise.
struct Table {
    rounds: usize,
    broken: u32,
    slow: u32,
    /// There is something to count instructions with.
    counted: bool,
}

impl Table {
    /// One row: promise, what was measured, what is promised, what it is, and whether that holds.
    fn row(&mut self, id: &str, what: &str, promised: &str, is: &str, holds: bool) {
        self.broken += u32::from(!holds);
        let verdict = if holds { "holds" } else { "BROKEN" };
        println!("| {id} | {what} | {promised} | {is} | {verdict} |");
    }

    /// A row of two times and their ratio, which is promised to be at most this, or nothing.
    fn time(
        &mut self,
        id: &str,
        what: &str,
        most: Option<f64>,
        a: &mut dyn FnMut(u64),
        b: &mut dyn FnMut(u64),
    ) {
        let Some([a, b, ratio]) = self.compare(a, b) else { return };
        let late = most.is_some_and(|most| ratio > most);
        self.slow += u32::from(late);
        let promised = most.map_or_else(String::new, |most| format!("<= {most}"));
        let verdict = most.map_or("", |_| if late { "slow" } else { "holds" });
        println!("| {id} | {what} | {promised} | {ratio:.3} ({a:.1} ns, {b:.1} ns) | {verdict} |");
    }

    /// Times and ratio of two, unless times are left out.
    fn compare(&self, a: &mut dyn FnMut(u64), b: &mut dyn FnMut(u64)) -> Option<[f64; 3]> {
        (self.rounds > 0).then(|| compare(a, b, self.rounds))
    }

    /// A row that promises nothing.
    fn note(&self, id: &str, what: &str, is: &str) {
        println!("| {id} | {what} | | {is} | |");
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(What::Run { name, times }) = args.what {
        send::operation(&name)(times);
        return ExitCode::SUCCESS;
    }
    let mut table = Table { rounds: args.rounds, broken: 0, slow: 0, counted: true };
    println!("| id | what | promised | is | |");
    println!("|---|---|---|---|---|");
    send::marks(&mut table);
    send::payloads(&mut table);
    send::short_writes(&mut table);
    keep::retained(&mut table);
    keep::rate(&mut table);
    keep::crossover(&table);
    pool::refills(&mut table);
    if !table.counted {
        println!("\nNo instructions: valgrind is not installed.");
    }
    println!("\n{} promises are broken.", table.broken);
    if args.rounds > 0 {
        println!("{} times are above what is promised.", table.slow);
    }
    if table.broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
