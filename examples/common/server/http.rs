//! One page over HTTP/1.0, for whoever collects metrics on this machine.

use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use tracing::debug;

use super::Shared;
use super::metrics::Metrics;

/// A request that takes longer is dropped.
const PATIENCE: Duration = Duration::from_secs(2);
/// Longest request.
const MAX_REQUEST: usize = 8 << 10;
/// Pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers requests one after the other, until the server stops and the listener is shut.
pub(super) fn serve(listener: &TcpListener, shared: &Shared) {
    let Some(metrics) = &shared.service.metrics else { return };
    loop {
        let accepted = listener.accept();
        if shared.is_stopping() {
            return;
        }
        let answered = accepted.and_then(|(stream, _)| answer(&stream, metrics, shared));
        if let Err(error) = answered {
            debug!("a request for metrics failed: {error}");
            thread::sleep(PAUSE);
        }
    }
}

fn answer(mut stream: &TcpStream, metrics: &Metrics, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut request = vec![0; MAX_REQUEST];
    let mut len = 0usize;
    // Whoever sends a byte a second gets no answer: the reads are few.
    for _ in 0..16 {
        let read = stream.read(request.get_mut(len..).unwrap_or_default())?;
        len = len.saturating_add(read);
        let so_far = request.get(..len).unwrap_or_default();
        if read == 0 || so_far.windows(4).any(|end| end == b"\r\n\r\n") {
            break;
        }
    }
    let line = request.get(..len).unwrap_or_default().split(|byte| *byte == b'\r').next();
    let mut words = line.unwrap_or_default().split(|byte| *byte == b' ');
    let (status, body) = match (words.next(), words.next()) {
        (Some(b"GET"), Some(b"/metrics" | b"/")) => ("200 OK", metrics.page(shared)),
        (Some(b"GET"), _) => ("404 Not Found", "the metrics are at /metrics\n".into()),
        _ => ("405 Method Not Allowed", "only GET is served\n".into()),
    };
    write!(
        stream,
        "HTTP/1.0 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
