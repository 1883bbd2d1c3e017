//! libtirpc, the C library that most RPC programs are linked with: a program in C for the RPC header
//! (`peers-c/tirpc.c`) and one for what rpcgen makes of NFS (`peers-c/nfs.c`, `peers-c/nfs3.x`,
//! `peers-c/nfs4.x`), built when a bench wants them, where there are a compiler, the library and rpcgen.

use core::fmt::Write as _;
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use tempfile::TempDir;
use thiserror::Error;

use crate::measure::instructions_of;

/// A message for one of the programs of NFS.
#[derive(Debug)]
pub struct Message {
    /// Its type in RFC 1813 or 5662, perhaps with `-` and more behind.
    pub name: String,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Why libtirpc does not take part.
#[derive(Debug, Error)]
pub enum LeftOut {
    /// No library, or no headers.
    #[error("libtirpc is left out: pkg-config does not know it (Debian: pkg-config, libtirpc-dev)")]
    NoLibrary,
    /// No compiler, or one that fails.
    #[error("libtirpc is left out: {0}")]
    NoProgram(String),
    /// No rpcgen, or one that fails.
    #[error("rpcgen is left out: {0} (Debian: rpcsvc-proto)")]
    NoRpcgen(String),
}

/// One of the programs, running.
#[derive(Debug)]
pub struct Tirpc {
    program: PathBuf,
    /// Its first argument: the message, or where messages are.
    about: String,
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    _dir: TempDir,
}

fn failed(error: std::io::Error) -> LeftOut {
    LeftOut::NoProgram(error.to_string())
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers-c").join(name)
}

/// Builds one of the programs in this directory.
fn build(dir: &Path, name: &str, more: &[&str]) -> Result<PathBuf, LeftOut> {
    let flags = Command::new("pkg-config").args(["--cflags", "--libs", "libtirpc"]).output();
    let flags = flags.ok().filter(|out| out.status.success()).ok_or(LeftOut::NoLibrary)?;
    let flags = String::from_utf8_lossy(&flags.stdout).into_owned();
    let program = dir.join("program");
    let built = Command::new("cc")
        .current_dir(dir)
        .args(["-O2", "-I", ".", "-o"])
        .arg(&program)
        .arg(source(name))
        .args(more)
        .args(flags.split_whitespace())
        .output()
        .map_err(|error| LeftOut::NoProgram(format!("there is no C compiler, cc: {error}")))?;
    if built.status.success() {
        Ok(program)
    } else {
        let log = String::from_utf8_lossy(&built.stderr).into_owned();
        Err(LeftOut::NoProgram(format!("cc does not build peers-c/{name}: {log}")))
    }
}

impl Tirpc {
    /// Builds the program of the RPC layer and gives it a call header. It knows `decode` and
    /// `encode`.
    ///
    /// # Errors
    /// Something that it needs is not here.
    ///
    /// # Panics
    /// It reads or writes other bytes than these.
    pub fn new(call: &[u8]) -> Result<Self, LeftOut> {
        let dir = tempfile::tempdir().map_err(failed)?;
        let program = build(dir.path(), "tirpc.c", &[])?;
        let mut hex = String::new();
        for byte in call {
            write!(hex, "{byte:02x}").expect("a string has room");
        }
        let mut tirpc = Self::start(program, hex, dir)?;
        assert_eq!(tirpc.ask("show"), tirpc.about, "libtirpc writes something else");
        Ok(tirpc)
    }

    /// Builds the program of `nfs3` or `nfs4` and gives it messages, each by its type in the RFC,
    /// perhaps with `-` and more behind. It knows `decode MESSAGE` and `encode MESSAGE`.
    ///
    /// # Errors
    /// Something that it needs is not here.
    ///
    /// # Panics
    /// It reads or writes other bytes than these.
    pub fn nfs<'m>(
        which: &str,
        messages: impl Iterator<Item = &'m Message>,
    ) -> Result<Self, LeftOut> {
        let dir = tempfile::tempdir().map_err(failed)?;
        // rpcgen names the header in the code after its input: both must be here.
        let [input, header, code] = [".x", ".h", "_xdr.c"].map(|end| format!("{which}{end}"));
        fs::copy(source(&input), dir.path().join(&input)).map_err(failed)?;
        for args in [["-h", "-o", &header, &input], ["-c", "-o", &code, &input]] {
            let made = Command::new("rpcgen").current_dir(dir.path()).args(args).output();
            let made = made.map_err(|error| LeftOut::NoRpcgen(error.to_string()))?;
            if !made.status.success() {
                let log = String::from_utf8_lossy(&made.stderr).into_owned();
                return Err(LeftOut::NoRpcgen(format!("it fails on peers-c/{input}: {log}")));
            }
        }
        let define = format!("-D{}", which.to_uppercase());
        let program = build(dir.path(), "nfs.c", &[&code, &define])?;
        let home = dir.path().to_owned();
        let mut tirpc = Self::start(program, home.to_string_lossy().into_owned(), dir)?;
        for Message { name, bytes } in messages {
            fs::write(home.join(name), bytes).map_err(failed)?;
            tirpc.ask(&format!("show {name}"));
            let again = fs::read(home.join(format!("{name}.again"))).map_err(failed)?;
            assert!(&again == bytes, "rpcgen's {name} is something else");
        }
        Ok(tirpc)
    }

    fn start(program: PathBuf, about: String, dir: TempDir) -> Result<Self, LeftOut> {
        let mut child = Command::new(&program)
            .arg(&about)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let commands = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("it was asked for"));
        Ok(Self { program, about, child, commands, answers, _dir: dir })
    }

    fn ask(&mut self, command: &str) -> String {
        let mut answer = String::new();
        let commands = self.commands.as_mut().expect("it runs");
        writeln!(commands, "{command}").expect("the program of libtirpc runs");
        self.answers.read_line(&mut answer).expect("the program of libtirpc answers");
        assert!(!answer.is_empty(), "the program of libtirpc fails on: {command}");
        answer.trim_end().to_owned()
    }

    /// Does `what` `n` times: the nanoseconds that it took by its own clock.
    ///
    /// # Panics
    /// The program has ended.
    pub fn time(&mut self, what: &str, n: u64) -> f64 {
        self.ask(&format!("{what} {n}")).parse().expect("libtirpc was timed")
    }

    /// Instructions of one run; `None` without valgrind.
    #[must_use]
    pub fn instructions(&self, what: &str) -> Option<u64> {
        let args: Vec<&str> = [&*self.about].into_iter().chain(what.split(' ')).collect();
        instructions_of(&self.program, &args)
    }
}

impl Drop for Tirpc {
    fn drop(&mut self) {
        // The program ends with its input.
        self.commands = None;
        drop(self.child.wait());
    }
}
