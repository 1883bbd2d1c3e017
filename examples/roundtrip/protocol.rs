//! The lines: one request, one answer.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use crate::{
    codec::{Job, Refused, Settings},
    tables,
};

/// Longest request in bytes. Lists of 200,000 elements take some 16 MiB; the memory that a request takes is a small
/// multiple of its length.
const MAX_LINE: u64 = 256 << 20;
const BUFFER: usize = 64 << 10;

/// Answers every line until the input ends.
///
/// Answers are flushed before the next request is waited for, and not more often.
///
/// # Errors
/// Reading or writing failed. No line is an error.
pub(crate) fn serve(input: impl Read, output: impl Write, settings: &Settings) -> io::Result<()> {
    let mut input = BufReader::with_capacity(BUFFER, input);
    let mut output = BufWriter::with_capacity(BUFFER, output);
    let mut buffers = Buffers::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            return output.flush();
        }
        let answer = if line.last() != Some(&b'\n') && read as u64 == MAX_LINE {
            input.skip_until(b'\n')?;
            buffers.refuse(format!("the line is longer than {MAX_LINE} bytes").into())
        } else {
            buffers.answer(line.trim_ascii(), settings)
        };
        output.write_all(answer)?;
        if !input.buffer().contains(&b'\n') {
            output.flush()?;
        }
    }
}

/// Memory that is used again from line to line.
#[derive(Default)]
struct Buffers {
    bytes: Vec<u8>,
    head: Vec<u8>,
    answer: Vec<u8>,
}

impl Buffers {
    fn answer(&mut self, line: &[u8], settings: &Settings) -> &[u8] {
        self.answer.clear();
        match self.request(line, settings) {
            Ok(true) => {}
            Ok(false) => self.answer.extend_from_slice(b"UNKNOWN"),
            Err(error) => return self.refuse(error),
        }
        self.answer.push(b'\n');
        &self.answer
    }

    /// Whether the type is known; then the answer is there.
    fn request(&mut self, line: &[u8], settings: &Settings) -> Result<bool, Refused> {
        let (name, digits) =
            match line.iter().position(|b| *b == b' ').and_then(|i| line.split_at_checked(i)) {
                Some((name, rest)) => (name, rest.trim_ascii_start()),
                None => (line, &[][..]),
            };
        let dot = name.iter().position(|b| *b == b'.').ok_or("a request is AREA.TYPE HEX")?;
        let (area, name) = name.split_at_checked(dot).ok_or("a request is AREA.TYPE HEX")?;
        let Some(codec) = tables::find(area, name.get(1..).unwrap_or_default()) else {
            return Ok(false);
        };

        self.bytes.resize(digits.len().div_ceil(2), 0);
        hex::decode_to_slice(digits, &mut self.bytes)?;
        codec(&mut Job {
            bytes: &self.bytes,
            settings,
            head: &mut self.head,
            answer: &mut self.answer,
        })?;
        Ok(true)
    }

    fn refuse(&mut self, error: Refused) -> &[u8] {
        self.answer = format!("ERR {error}\n").into_bytes();
        &self.answer
    }
}
