//! libtirpc, the C library that most RPC programs are linked with: a program in C
//! (`peers-c/tirpc.c`), built when a bench wants it, where there is a compiler and the library.

use core::fmt::Write as _;
use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use tempfile::TempDir;
use thiserror::Error;

use crate::measure::instructions_of;

/// Why libtirpc does not take part.
#[derive(Debug, Error)]
pub enum LeftOut {
    /// No library, or no headers.
    #[error("libtirpc is left out: pkg-config does not know it (Debian: pkg-config, libtirpc-dev)")]
    NoLibrary,
    /// No compiler, or one that fails.
    #[error("libtirpc is left out: {0}")]
    NoProgram(String),
}

/// The program, running.
#[derive(Debug)]
pub struct Tirpc {
    program: PathBuf,
    hex: String,
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    _dir: TempDir,
}

impl Tirpc {
    /// Builds the program and gives it a call header.
    ///
    /// # Errors
    /// Something that it needs is not here.
    ///
    /// # Panics
    /// It reads or writes other bytes than these.
    pub fn new(call: &[u8]) -> Result<Self, LeftOut> {
        let flags = Command::new("pkg-config").args(["--cflags", "--libs", "libtirpc"]).output();
        let flags = flags.ok().filter(|out| out.status.success()).ok_or(LeftOut::NoLibrary)?;
        let flags = String::from_utf8_lossy(&flags.stdout).into_owned();
        let failed = |error: std::io::Error| LeftOut::NoProgram(error.to_string());
        let dir = tempfile::tempdir().map_err(failed)?;
        let program = dir.path().join("tirpc");
        let built = Command::new("cc")
            .args(["-O2", "-o"])
            .arg(&program)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers-c/tirpc.c"))
            .args(flags.split_whitespace())
            .output()
            .map_err(|error| LeftOut::NoProgram(format!("there is no C compiler, cc: {error}")))?;
        if !built.status.success() {
            let log = String::from_utf8_lossy(&built.stderr).into_owned();
            return Err(LeftOut::NoProgram(format!("cc does not build peers-c/tirpc.c: {log}")));
        }
        let mut hex = String::new();
        for byte in call {
            write!(hex, "{byte:02x}").expect("a string has room");
        }
        let child = Command::new(&program)
            .arg(&hex)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut tirpc = Self::of(child, program, hex, dir);
        assert_eq!(tirpc.ask("show"), tirpc.hex, "libtirpc writes something else");
        Ok(tirpc)
    }

    fn of(mut child: Child, program: PathBuf, hex: String, dir: TempDir) -> Self {
        let commands = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("it was asked for"));
        Self { program, hex, child, commands, answers, _dir: dir }
    }

    fn ask(&mut self, command: &str) -> String {
        let mut answer = String::new();
        let commands = self.commands.as_mut().expect("it runs");
        writeln!(commands, "{command}").expect("the program of libtirpc runs");
        self.answers.read_line(&mut answer).expect("the program of libtirpc answers");
        answer.trim_end().to_owned()
    }

    /// Does `what` (`decode`, `encode`) `n` times: the nanoseconds that it took by its own clock.
    ///
    /// # Panics
    /// The program has ended.
    pub fn time(&mut self, what: &str, n: u64) -> f64 {
        self.ask(&format!("{what} {n}")).parse().expect("libtirpc was timed")
    }

    /// Instructions of one run; `None` without valgrind.
    #[must_use]
    pub fn instructions(&self, what: &str) -> Option<u64> {
        instructions_of(&self.program, &[&self.hex, what])
    }
}

impl Drop for Tirpc {
    fn drop(&mut self) {
        // The program ends with its input.
        self.commands = None;
        drop(self.child.wait());
    }
}
