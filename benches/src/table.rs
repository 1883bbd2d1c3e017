//! The table that `counts` and its like print: exact counts of each operation beside its goals,
//! instructions, allocations, payload bytes copied, segments; and its time beside its peers in the
//! same run.
//!
//! It fails when a goal that is exact is missed, and never because of a time.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{
    measure::{Timed, Timer, allocations, instructions, race, timer},
    ops::Op,
    samples,
    tirpc::{LeftOut, Tirpc},
};

/// Counts and ratios of the codecs.
///
/// Fails when a count misses its goal: instructions, allocations, payload bytes copied. Times never
/// make it fail.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Only these operations, by their goals: `C1,C8` is C1, C8-1K, C8-4K and so on, not C12.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
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
        /// Our code (`ours`) or that of a peer, by its name.
        whose: String,
        /// How often.
        times: u64,
    },
}

/// What a program measures.
#[derive(Debug)]
pub struct Table {
    /// All of its operations, made anew on each call.
    pub all: fn() -> Vec<Op>,
    /// One of them, by its goal.
    pub one: fn(&str) -> Option<Op>,
    /// Panics when a peer reads or writes other bytes than we do.
    pub check_peers: fn(),
    /// Whose instructions are counted beside ours.
    pub peers: &'static [&'static str],
    /// What rpcgen and libtirpc are asked to make of the same messages: `nfs3` or `nfs4`.
    pub rpcgen: Option<&'static str>,
}

/// Whether a goal belongs to one of these names: `C8-4K` does to `C8`, `C12` does not to `C1`.
fn belongs(id: &str, names: &[String]) -> bool {
    names.iter().any(|name| {
        let rest = id.strip_prefix(name.as_str());
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// The program: reads its command line, prints the table.
///
/// # Panics
/// A peer makes other bytes than we do, or a sample does not encode.
#[must_use]
pub fn run(table: &Table) -> ExitCode {
    let args = Args::parse();
    if let Some(What::Run { id, whose, times }) = args.what {
        let op = &mut (table.one)(&id).expect("an operation of the table");
        let peer = op.peers.iter_mut().find(|peer| peer.name == whose);
        let run = peer.map_or(&mut op.run, |peer| &mut peer.run);
        run(times);
        return ExitCode::SUCCESS;
    }
    let mut ops = (table.all)();
    let unknown = args.only.iter().find(|name| {
        let name = core::slice::from_ref(*name);
        !ops.iter().any(|op| belongs(op.id, name))
    });
    if let Some(name) = unknown {
        eprintln!("There is no operation {name}: the first column of the table has their names.");
        return ExitCode::from(2);
    }
    (table.check_peers)();
    header(table.peers);
    let (mut missed, mut slow, mut streamed) = (0, 0, None);
    for op in ops.iter_mut().filter(|op| args.only.is_empty() || belongs(op.id, &args.only)) {
        if op.id == "C12p" {
            // The goal is a multiple of the same listing in one slice.
            op.most_instructions = streamed.map(|count: u64| count * 22 / 10);
        }
        let row = row(op, table.peers, &args);
        missed += u32::from(!row.exact);
        slow += u32::from(!row.in_time);
        if op.id == "C12" {
            streamed = row.instructions;
        }
    }
    if args.rounds > 0 && table.rpcgen.is_some() {
        ops.retain(|op| args.only.is_empty() || belongs(op.id, &args.only));
        slow += beside_tirpc(&mut ops, table.rpcgen, &args);
    }
    let first = ops.first().map_or("", |op| op.id);
    if !args.no_callgrind && instructions(&["run", first, "ours"]).is_none() {
        println!("\nNo instructions: valgrind is not installed.");
    }
    println!("\n{missed} operations miss an exact goal.");
    if args.rounds > 0 {
        println!("{slow} times are above their goals.");
    }
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the head of the table.
fn header(peers: &[&str]) {
    print!("\n| goal | operation | instructions | goal |");
    peers.iter().for_each(|peer| print!(" {peer} |"));
    println!(
        " allocations | payload bytes copied | segments | ns | ratio to the fastest peer | goal | |"
    );
    println!("|---|---|--:|--:|{}--:|--:|--:|--:|--:|--:|---|", "--:|".repeat(peers.len()));
}

/// What became of one operation.
struct Row {
    instructions: Option<u64>,
    /// All goals that are exact are met.
    exact: bool,
    /// That of the time is met, or was not looked at.
    in_time: bool,
}

fn cell(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".into())
}

/// Prints one row.
fn row(op: &mut Op, peers: &[&str], args: &Args) -> Row {
    let id = op.id;
    let count =
        |whose: &str| if args.no_callgrind { None } else { instructions(&["run", id, whose]) };
    let ours = count("ours");
    // They are no goal: not counted where times are left out.
    let their_count = |name: &&str| {
        let named = args.rounds > 0 && op.peers.iter().any(|peer| peer.name == *name);
        format!(" {} |", cell(named.then(|| count(name)).flatten().map(|n| n.to_string())))
    };
    let theirs: String = peers.iter().map(their_count).collect();
    let allocated = allocations(&mut op.run);
    let copied = op.stats.map(|stats| stats.copied);
    let mut timers: Vec<Timer<'_>> = vec![timer(&mut op.run)];
    timers.extend(op.peers.iter_mut().map(|peer| timer(&mut peer.run)));
    let times = if args.rounds > 0 { race(timers, args.rounds) } else { Vec::new() };
    let (first, others) = times.split_first().unzip();
    let ratio = others.into_iter().flatten().map(|peer: &Timed| peer.ratio).reduce(f64::max);
    let exact = allocated == 0.0
        && copied.unwrap_or(0) == 0
        && ours.zip(op.most_instructions).is_none_or(|(count, goal)| count <= goal);
    let in_time = ratio.zip(op.most_ratio).is_none_or(|(ratio, goal)| ratio <= goal);
    println!(
        "| {id} | {} | {} | {} |{theirs} {allocated} | {} | {} | {} | {} | {} | {} |",
        op.name,
        cell(ours.map(|n| n.to_string())),
        cell(op.most_instructions.map(|n| n.to_string())),
        cell(copied.map(|n| n.to_string())),
        cell(op.stats.map(|stats| stats.segments.to_string())),
        cell(first.map(|ours| format!("{:.1}", ours.ns))),
        cell(ratio.map(|ratio| format!("{ratio:.4}"))),
        cell(op.most_ratio.map(|goal| goal.to_string())),
        match (exact, in_time) {
            (false, _) => "MISS",
            (true, false) => "slow",
            (true, true) => "pass",
        },
    );
    Row { instructions: ours, exact, in_time }
}

/// Prints the call header beside libtirpc, and NFS beside what rpcgen makes of it; how many goals
/// are missed.
fn beside_tirpc(ops: &mut [Op], rpcgen: Option<&str>, args: &Args) -> u32 {
    let left_out = |made: Result<Tirpc, LeftOut>| made.inspect_err(|why| println!("\n{why}.")).ok();
    let has_header = ops.iter().any(|op| matches!(op.id, "C1" | "C2"));
    let call = || Tirpc::new(&samples::bytes_of(&samples::call()));
    let mut header = has_header.then(call).and_then(left_out);
    let messages = ops.iter().filter_map(|op| Some(&op.rpcgen.as_ref()?.1));
    let mut program = rpcgen.and_then(|which| left_out(Tirpc::nfs(which, messages)));
    if header.is_none() && program.is_none() {
        return 0;
    }
    println!("\n| goal | operation | ns | libtirpc | its instructions | ratio | goal | |");
    println!("|---|---|--:|--:|--:|--:|--:|---|");
    let mut slow = 0;
    for op in ops {
        let (what, tirpc, goal) = match (op.id, &op.rpcgen) {
            ("C1", _) => ("decode".into(), &mut header, op.most_ratio),
            ("C2", _) => ("encode".into(), &mut header, Some(0.9)),
            (_, Some((what, message))) => {
                (format!("{what} {}", message.name), &mut program, op.most_ratio)
            }
            _ => continue,
        };
        let Some(tirpc) = tirpc else { continue };
        let count = if args.no_callgrind { None } else { tirpc.instructions(&what) };
        let theirs: Timer<'_> = Box::new(|n| tirpc.time(&what, n));
        let times = race(vec![timer(&mut op.run), theirs], args.rounds);
        let [ours, theirs] = times[..] else { unreachable!("two take part") };
        let in_time = goal.is_none_or(|goal| theirs.ratio <= goal);
        slow += u32::from(!in_time);
        println!(
            "| {} | {} | {:.1} | {:.1} | {} | {:.4} | {} | {} |",
            op.id,
            op.name,
            ours.ns,
            theirs.ns,
            cell(count.map(|n| n.to_string())),
            theirs.ratio,
            cell(goal.map(|goal| goal.to_string())),
            if in_time { "pass" } else { "slow" },
        );
    }
    slow
}
