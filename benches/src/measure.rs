//! How the figures are taken.

use core::hint::black_box;
use std::{
    ffi::OsStr,
    process::{Child, Command, Stdio},
    time::Instant,
};

/// Something that can be done `n` times in a bare loop.
pub type Loop = Box<dyn FnMut(u64)>;

/// Does something `n` times and says how many nanoseconds all of it took.
pub type Timer<'t> = Box<dyn FnMut(u64) -> f64 + 't>;

/// A loop with a clock beside it.
#[allow(clippy::cast_precision_loss)] // far below 2^52
pub fn timer(f: &mut dyn FnMut(u64)) -> Timer<'_> {
    Box::new(move |n| {
        let start = Instant::now();
        f(black_box(n));
        start.elapsed().as_nanos() as f64
    })
}

/// The middle of some figures, of which there must be one.
fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = figures.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    *sorted.get(sorted.len() / 2).expect("at least one figure")
}

/// A number of runs that takes about 50 us: long beside a clock reading, and so short that most
/// rounds are not interrupted on a busy machine.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small positive number
fn calibrate(timer: &mut Timer<'_>) -> u64 {
    let mut n = 1u64;
    loop {
        let took = (0..3).map(|_| timer(n)).fold(f64::MAX, f64::min);
        if took > 10_000.0 || n > 1 << 24 {
            return ((n as f64 * 50_000.0 / took) as u64).max(1);
        }
        n *= 4;
    }
}

/// The time of one that took part in a [`race`].
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    /// Median, in nanoseconds a run.
    pub ns: f64,
    /// Median of the first one's time divided by this one's.
    pub ratio: f64,
}

/// Interleaved rounds of all: the first one is who the others are compared with.
#[allow(clippy::cast_precision_loss)] // far below 2^52
pub fn race(mut timers: Vec<Timer<'_>>, rounds: usize) -> Vec<Timed> {
    let runs: Vec<u64> = timers.iter_mut().map(calibrate).collect();
    let mut round = || -> Vec<f64> {
        timers.iter_mut().zip(&runs).map(|(timer, n)| timer(*n) / *n as f64).collect()
    };
    let times: Vec<Vec<f64>> = (0..rounds).map(|_| round()).collect();
    let figures = |i: usize| times.iter().filter_map(move |t| Some((*t.first()?, *t.get(i)?)));
    (0..runs.len())
        .map(|i| Timed {
            ns: median(figures(i).map(|(_, it)| it)),
            ratio: median(figures(i).map(|(first, it)| first / it)),
        })
        .collect()
}

/// Medians of interleaved rounds: time of `a`, time of `b`, and the ratio a to b.
pub fn compare(a: &mut dyn FnMut(u64), b: &mut dyn FnMut(u64), rounds: usize) -> [f64; 3] {
    match race(vec![timer(a), timer(b)], rounds)[..] {
        [a, b] => [a.ns, b.ns, b.ratio],
        _ => unreachable!("two take part"),
    }
}

/// Heap allocations of one of 100 runs, after a first one.
pub fn allocations(f: &mut dyn FnMut(u64)) -> f64 {
    f(1);
    allocation_counter::measure(|| f(100)).count_total as f64 / 100.0
}

/// Instructions of one run by callgrind: this program runs itself with `args` and a number of runs,
/// twice, and the difference is free of what comes before the loop. `None` without valgrind.
#[must_use]
pub fn instructions(args: &[&str]) -> Option<u64> {
    instructions_of(std::env::current_exe().ok()?, args)
}

/// The same of another program.
pub fn instructions_of(program: impl AsRef<OsStr>, args: &[&str]) -> Option<u64> {
    const RUNS: u64 = 100;
    // Both at once: they wait for nothing but the processor.
    let start = |runs: u64| {
        Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(&program)
            .args(args)
            .arg(runs.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .ok()
    };
    let count = |child: Child| -> Option<u64> {
        let out = child.wait_with_output().ok()?;
        let log = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "the run under callgrind failed:\n{log}");
        let (_, rest) = log.split_once("Collected : ")?;
        rest.split_whitespace().next()?.parse().ok()
    };
    let (once, twice) = (start(RUNS)?, start(2 * RUNS)?);
    let once = count(once)?;
    Some(count(twice)?.saturating_sub(once).div_ceil(RUNS))
}
