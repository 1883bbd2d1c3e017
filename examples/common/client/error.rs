//! Why a client operation failed. Every text is a sentence for the person who ran the program.

use core::time::Duration;
use std::io;

use nfswire_nfs3::Status;
use nfswire_nfs3::mount::MountStatus;
use nfswire_rpc::{CallFailure, RecordError, ReplyError};
use nfswire_xdr::{DecodeError, EncodeError};
use thiserror::Error;

use super::show::printable;

/// Result of a client operation.
pub type Result<T> = core::result::Result<T, Error>;

/// Why a client operation failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The server cannot be reached.
    #[error(
        "cannot connect to {server}: {source}; check that the server runs and that the port is right"
    )]
    Connect {
        /// Host and port.
        server: String,
        /// What the system said.
        source: io::Error,
    },
    /// The connection broke.
    #[error("the connection failed (unanswered calls: {waiting}): {source}")]
    Connection {
        /// Calls without a reply.
        waiting: usize,
        /// What the system said.
        source: io::Error,
    },
    /// The server closed the connection.
    #[error(
        "the server closed the connection {} (unanswered calls: {waiting}); try again, and look into the server's log \
         if it happens again", if *.inside { "in the middle of a message" } else { "between two messages" }
    )]
    Closed {
        /// Calls without a reply.
        waiting: usize,
        /// Part of a message had come.
        inside: bool,
    },
    /// Nothing came for too long.
    #[error(
        "the server sent nothing for {} s (unanswered calls: {waiting}); it hangs, or the network lost it",
        .after.as_secs_f32()
    )]
    TimedOut {
        /// Calls without a reply.
        waiting: usize,
        /// How long the client waited.
        after: Duration,
    },
    /// An earlier failure left the connection without a known boundary.
    #[error("the connection cannot be used any more after an earlier failure; connect again")]
    Broken,
    /// The stream does not consist of records.
    #[error("the server's stream of records is damaged: {0}")]
    Record(#[from] RecordError),
    /// A message is no reply.
    #[error("the server sent a message that cannot be read: {0}")]
    Reply(#[from] ReplyError),
    /// The server's RPC layer refused a call.
    #[error("{procedure} failed: {failure}")]
    Call {
        /// RFC name of the procedure.
        procedure: &'static str,
        /// Why.
        failure: CallFailure,
    },
    /// The results do not decode.
    #[error("the server's reply to {procedure} is malformed: {error}")]
    Results {
        /// RFC name of the procedure.
        procedure: &'static str,
        /// What is wrong.
        error: DecodeError,
    },
    /// The results decode but make no sense.
    #[error("the server's reply to {procedure} makes no sense: {what}")]
    Nonsense {
        /// RFC name of the procedure.
        procedure: &'static str,
        /// What is wrong.
        what: String,
    },
    /// A call could not be encoded.
    #[error("{procedure} could not be encoded: {error}")]
    Encode {
        /// RFC name of the procedure.
        procedure: &'static str,
        /// What is wrong.
        error: EncodeError,
    },
    /// The procedure ran and failed.
    #[error("{}: {} ({}, from {procedure})", printable(.path), explain(*.status), name(*.status))]
    Status {
        /// What it was done to; empty until somebody who knows the name adds it.
        path: Vec<u8>,
        /// RFC name of the procedure.
        procedure: &'static str,
        /// What the server answered.
        status: Status,
    },
    /// No directory on the path can be mounted.
    #[error(
        "the server does not let us mount {} or a directory above it: {}; see `showmount -e` for what it exports",
        printable(.path), .status.name().map_or_else(|| format!("status {}", .status.0), Into::into)
    )]
    Mount {
        /// The path asked for.
        path: Vec<u8>,
        /// What the server answered.
        status: MountStatus,
    },
    /// The port mapper does not know the program.
    #[error(
        "program {program} version {version} is not registered over TCP with the port mapper of {host} at port {port}; \
         start the service there, or write its port into the URL: mountport=N instead of portmap=N"
    )]
    NotRegistered {
        /// Program number.
        program: u32,
        /// Version of the program.
        version: u32,
        /// Host of the port mapper.
        host: String,
        /// Port of the port mapper.
        port: u16,
    },
    /// A path leads out of what was mounted, or in circles.
    #[error("{}: {what}", printable(.path))]
    Path {
        /// The path asked for.
        path: Vec<u8>,
        /// What is wrong with it.
        what: String,
    },
    /// The server loses unstable data faster than it is written again.
    #[error(
        "the server lost written data {rounds} times in a row (its write verifier keeps changing); it restarts over \
         and over, look into its log"
    )]
    DataLost {
        /// How often the data was written.
        rounds: u32,
    },
    /// A local file or stream.
    #[error("{what}: {source}")]
    Local {
        /// What was done to which file.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// The caller asked for something that cannot be.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// A failed procedure on an object whose name the caller adds with [`Error::at`].
    #[must_use]
    pub const fn status(procedure: &'static str, status: Status) -> Self {
        Self::Status { path: Vec::new(), procedure, status }
    }

    /// A reply that makes no sense.
    #[must_use]
    pub fn nonsense(procedure: &'static str, what: impl Into<String>) -> Self {
        Self::Nonsense { procedure, what: what.into() }
    }

    /// A failure of a local file or stream.
    #[must_use]
    pub fn local(what: impl Into<String>, source: io::Error) -> Self {
        Self::Local { what: what.into(), source }
    }

    /// Adds the name of the object to a failed procedure that has none yet.
    #[must_use]
    pub fn at(mut self, name: &[u8]) -> Self {
        if let Self::Status { path, .. } = &mut self
            && path.is_empty()
        {
            path.extend_from_slice(name);
        }
        self
    }

    /// What the NFS procedure answered, if it was one that failed.
    #[must_use]
    pub const fn nfs_status(&self) -> Option<Status> {
        match self {
            Self::Status { status, .. } => Some(*status),
            _ => None,
        }
    }
}

fn name(status: Status) -> String {
    status.name().map_or_else(|| format!("status {}", status.0), Into::into)
}

/// The status in words.
const fn explain(status: Status) -> &'static str {
    match status {
        Status::PERM => "only the owner may do this",
        Status::NOENT => "no such file or directory",
        Status::IO => "the server's disk failed",
        Status::ACCES => "permission denied",
        Status::EXIST => "it exists already",
        Status::XDEV => "source and target are on different file systems",
        Status::NOTDIR => "not a directory",
        Status::ISDIR => "it is a directory",
        Status::INVAL => "the server does not take this argument",
        Status::FBIG => "the file would be too large for the server",
        Status::NOSPC => "no space left on the server",
        Status::ROFS => "the server's file system is read-only",
        Status::NAMETOOLONG => "the name is too long for the server",
        Status::NOTEMPTY => "the directory is not empty",
        Status::DQUOT => "the disk quota is used up",
        Status::STALE => "the file does not exist any more",
        Status::BADHANDLE => "the server does not know this file handle",
        Status::BAD_COOKIE => "the directory changed while it was read; try again",
        Status::NOTSUPP => "the server does not support this",
        Status::SERVERFAULT => "the server failed",
        Status::JUKEBOX => "the server needs time to fetch the file; try again later",
        _ => "the server refused",
    }
}
