//! What another process on this machine takes, from `/proc`.

use core::time::Duration;
use std::io::ErrorKind;

use super::super::{Error, Result};

/// Memory of a process, in bytes.
pub(super) struct Memory {
    /// In use now.
    pub(super) resident: u64,
    /// The most there ever was.
    pub(super) peak: u64,
}

/// Processor time of a process so far, user and system, from the kernel's clock ticks (usually 10 ms).
pub(super) fn cpu(pid: u32) -> Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let ticks = ticks(&read(pid, &path)?);
    let ticks = ticks.ok_or_else(|| Error::Usage(format!("{path} has no times in it")))?;
    let nanos =
        ticks.saturating_mul(1_000_000_000).checked_div(rustix::param::clock_ticks_per_second());
    Ok(Duration::from_nanos(nanos.unwrap_or(0)))
}

/// Memory of a process.
pub(super) fn memory(pid: u32) -> Result<Memory> {
    let path = format!("/proc/{pid}/status");
    let text = read(pid, &path)?;
    let field = |name| {
        let missing =
            || Error::Usage(format!("{path} has no {name}: the process ended, or is a kernel's"));
        kibibytes(&text, name).map(|n| n.saturating_mul(1024)).ok_or_else(missing)
    };
    Ok(Memory { resident: field("VmRSS")?, peak: field("VmHWM")? })
}

fn read(pid: u32, path: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Error::Usage(format!("there is no process {pid} here; give the number of the server's"))
        }
        _ => Error::local(format!("cannot read {path}"), error),
    })
}

/// Fields 14 and 15 of `stat`, added.
fn ticks(stat: &str) -> Option<u64> {
    // They are counted behind the name, which is in brackets and may hold anything (proc_pid_stat(5)).
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (fields.next()?.ok()?, fields.next()?.ok()?);
    Some(user.saturating_add(system))
}

/// A size of `status`.
fn kibibytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_the_kernel_says_is_read() {
        let numbers: Vec<String> = (4..=52).map(|n| n.to_string()).collect();
        let stat = |name: &str| format!("77 ({name}) S {}\n", numbers.join(" "));
        for name in ["server", "a) R 1 2 (b", ""] {
            assert_eq!(ticks(&stat(name)), Some(14 + 15), "{name}");
        }
        assert_eq!(ticks("77 (server) S 4 5"), None);
        let status = "Name:\tVmRSS\nVmHWM:\t   20480 kB\nVmRSS:\t    4096 kB\nVmRSSx:\t1 kB\n";
        assert_eq!(
            (kibibytes(status, "VmRSS"), kibibytes(status, "VmHWM")),
            (Some(4096), Some(20480))
        );
        assert_eq!(kibibytes("Name:\tkthreadd\n", "VmRSS"), None);
    }

    #[test]
    fn a_process_has_memory_and_an_absent_one_is_told() {
        let Memory { resident, peak } = memory(std::process::id()).unwrap();
        assert!(resident > 0 && peak >= resident);
        let error = cpu(u32::MAX).unwrap_err();
        assert!(error.to_string().contains("no process 4294967295"), "{error}");
    }
}
