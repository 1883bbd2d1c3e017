//! How the figures are taken.

use core::hint::black_box;
use std::{process::Command, time::Instant};

/// Something that can be done `n` times in a bare loop.
pub type Loop = Box<dyn FnMut(u64)>;

/// Nanoseconds of one of `n` runs.
#[allow(clippy::cast_precision_loss)] // far below 2^52
pub fn time(f: &mut dyn FnMut(u64), n: u64) -> f64 {
    let start = Instant::now();
    f(black_box(n));
    start.elapsed().as_nanos() as f64 / n as f64
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
fn calibrate(f: &mut dyn FnMut(u64)) -> u64 {
    let mut n = 1u64;
    loop {
        let took = (0..3).map(|_| time(f, n)).fold(f64::MAX, f64::min) * n as f64;
        if took > 10_000.0 || n > 1 << 24 {
            return ((n as f64 * 50_000.0 / took) as u64).max(1);
        }
        n *= 4;
    }
}

/// Medians of interleaved rounds: time of `a`, time of `b`, and the ratio a to b.
pub fn compare(a: &mut dyn FnMut(u64), b: &mut dyn FnMut(u64), rounds: usize) -> [f64; 3] {
    let (na, nb) = (calibrate(a), calibrate(b));
    let times: Vec<_> = (0..rounds).map(|_| (time(a, na), time(b, nb))).collect();
    [
        median(times.iter().map(|t| t.0)),
        median(times.iter().map(|t| t.1)),
        median(times.iter().map(|t| t.0 / t.1)),
    ]
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
    const RUNS: u64 = 100;
    let count = |runs: u64| -> Option<u64> {
        let out = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .args(args)
            .arg(runs.to_string())
            .output()
            .ok()?;
        let log = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "the run under callgrind failed:\n{log}");
        let (_, rest) = log.split_once("Collected : ")?;
        rest.split_whitespace().next()?.parse().ok()
    };
    Some(count(2 * RUNS)?.saturating_sub(count(RUNS)?).div_ceil(RUNS))
}
