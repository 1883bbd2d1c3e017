//! Prints what the decisions of this crate do over a simulated wire, and what recorded replies would
//! cost if it had sent them: `fit` replies fit inline whole, `needless` are RDMA Writes of those. The
//! rules are what was recorded, and this crate with the two values of `Reduce`.
//!
//! ```text
//! cargo run -p nfswire-rdma --example rdma-sim
//! cargo run -p nfswire-rdma --example rdma-sim -- [--inline BYTES] TRACE.msgs...
//! ```

#![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc)]

mod pipe;
mod trace;

use std::{
    env, fs,
    io::{self, Write},
    process::ExitCode,
};

use pipe::{Setup, run};
use trace::{Cost, replay};

fn main() -> ExitCode {
    match curves_or_traces() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(io::stderr(), "rdma-sim: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn curves_or_traces() -> Result<(), String> {
    let mut out = io::stdout().lock();
    let (mut inline, mut files) = (4096, Vec::new());
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--inline" {
            let number = arguments.next().ok_or("--inline needs a number of bytes")?;
            inline = number.parse().map_err(|e| format!("--inline {number}: {e}"))?;
        } else {
            files.push(argument);
        }
    }
    let lines = if files.is_empty() { curves() } else { traces(&files, inline) }?;
    out.write_all(lines.as_bytes()).map_err(|e| e.to_string())
}

fn curves() -> Result<String, String> {
    let base = Setup::READ_8K;
    let mut lines = String::new();
    let mut say = |line: String| {
        lines.push_str(&line);
        lines.push('\n');
    };
    say("Credits granted, READ of 8 KiB, 100 Gbit/s, 5 us one way:".to_owned());
    say("  credits   op/s      latency us".to_owned());
    for grant in [1, 2, 4, 8, 16, 32, 64, 128] {
        let outcome = run(Setup { grant, ..base })?;
        say(format!("  {grant:>7} {:>8.0} {:>11.1}", outcome.rate(), outcome.mean_latency()));
    }
    say("One send in k signalled, 500 ns for a completion, NULL calls:".to_owned());
    say("        k   op/s      completions/op   core ns/op   most sends held".to_owned());
    for every in [1, 2, 4, 8, 16, 32, 64] {
        let outcome = run(Setup { every, writes: 0, written: 0, ..base })?;
        let sends = f64::from(outcome.sends);
        say(format!(
            "  {every:>7} {:>8.0} {:>16.3} {:>12.0} {:>17}",
            outcome.rate(),
            f64::from(outcome.completions) / sends,
            outcome.busy as f64 / sends,
            outcome.held,
        ));
    }
    say("Receives posted at a time:".to_owned());
    say("    batch   op/s      doorbells/op".to_owned());
    for receives in [1, 2, 4, 8, 16, 32] {
        let outcome = run(Setup { receives, ..base })?;
        let doorbells = f64::from(outcome.refills) / f64::from(outcome.sends);
        say(format!("  {receives:>7} {:>8.0} {doorbells:>13.3}", outcome.rate()));
    }
    say("Time of encode and decode, READ of 8 KiB, one core:".to_owned());
    say("       ns   op/s".to_owned());
    for work in [0, 150, 300, 600, 1200, 2400] {
        let outcome = run(Setup { work, ..base })?;
        say(format!("  {work:>7} {:>8.0}", outcome.rate()));
    }
    Ok(lines)
}

fn traces(files: &[String], inline: u32) -> Result<String, String> {
    let mut lines = format!(
        "{:<17} {:>4} {:>4}  {:<9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n",
        "trace",
        "ops",
        "fit",
        "rule",
        "sends/op",
        "writes/op",
        "regs/op",
        "reads/op",
        "compl/op",
        "needless"
    );
    for file in files {
        let trace = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        let table = replay(&trace, inline).map_err(|error| format!("{file}: {error}"))?;
        let name = file.rsplit('/').next().unwrap_or(file);
        let rules =
            [("recorded", table.recorded), ("offered", table.offered), ("needed", table.needed)];
        for (rule, cost) in rules {
            let Cost { sends, writes, registrations, reads, completions, needless, .. } = cost;
            let (operations, small) = (table.operations, table.small);
            lines.push_str(&format!("{name:<17} {operations:>4} {small:>4}  {rule:<9}"));
            for count in [sends, writes, registrations, reads, completions] {
                let each = f64::from(count) / f64::from(operations.max(1));
                lines.push_str(&format!(" {each:>9.3}"));
            }
            lines.push_str(&format!(" {needless:>8}\n"));
        }
        if table.refused > 0 {
            lines.push_str(&format!("{name:<20} {} replies refused\n", table.refused));
        }
    }
    Ok(lines)
}
