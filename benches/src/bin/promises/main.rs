//! Prints what the XDR core promises beside what it does: sends and marks (S1), payloads by
//! reference (S2), short writes (S5), small messages kept from large receive blocks (S11), and pages
//! that come one at a time (S12).
// As in the library.
#![allow(clippy::expect_used, clippy::panic, clippy::arithmetic_side_effects)]
#![allow(clippy::cast_precision_loss, clippy::indexing_slicing)]

mod keep;
mod pool;
mod send;

use clap::{Parser, Subcommand};

/// The promises of the XDR core, measured.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    what: Option<What>,
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
#[derive(Default)]
struct Table {
    broken: u32,
}

impl Table {
    /// One row: promise, what was measured, what is promised, what it is, and whether that holds.
    fn row(&mut self, id: &str, what: &str, promised: &str, is: &str, holds: bool) {
        self.broken += u32::from(!holds);
        let verdict = if holds { "holds" } else { "BROKEN" };
        println!("| {id} | {what} | {promised} | {is} | {verdict} |");
    }

    /// A row that promises nothing.
    fn note(&self, id: &str, what: &str, is: &str) {
        println!("| {id} | {what} | | {is} | |");
    }
}

fn main() {
    if let Some(What::Run { name, times }) = Args::parse().what {
        return send::operation(&name)(times);
    }
    let mut table = Table::default();
    println!("| id | what | promised | is | |");
    println!("|---|---|---|---|---|");
    send::marks(&mut table);
    send::payloads(&mut table);
    send::short_writes(&mut table);
    keep::retained(&mut table);
    keep::rate(&mut table);
    keep::crossover(&table);
    pool::refills(&mut table);
    println!("\n{} promises are broken.", table.broken);
}
