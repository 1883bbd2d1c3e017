//! Decodes values from lines of hex and encodes them again, for checkers in any language.
//!
//! Each line of standard input is `AREA.TYPE HEX`, the type in the spelling of its RFC; the answer is one line: the
//! value encoded again, `ERR` with the reason, or `UNKNOWN` for a type that is in no table. [`tables`] lists the
//! types, [`codec`] does the work, [`protocol`] reads and writes the lines.

extern crate alloc;

mod codec;
mod protocol;
mod tables;
#[cfg(test)]
mod tests;

use std::{io, process::ExitCode};

use clap::Parser;
use nfswire_xdr::{Limits, Policy};

use codec::Settings;

/// Decodes values from lines `AREA.TYPE HEX` on standard input and writes them encoded again.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// Accept what real peers send: pad bytes that are not zero, bytes behind the value.
    #[arg(long)]
    lenient: bool,
    /// Encode into a fixed head and into 4-byte pages too, and answer ERR where the bytes differ.
    #[arg(long)]
    heads: bool,
    /// Most elements of one list.
    #[arg(long, value_name = "COUNT", default_value_t = Limits::STRICT.max_items)]
    max_items: u32,
    /// Print the known types, one a line, and end.
    #[arg(long)]
    list: bool,
}

fn run(options: &Options) -> io::Result<()> {
    if options.list {
        return tables::list(&mut io::stdout().lock());
    }
    let policy = if options.lenient { Policy::Lenient } else { Policy::Strict };
    let limits = Limits { policy, max_items: options.max_items, ..Limits::STRICT };
    protocol::serve(
        io::stdin().lock(),
        io::stdout().lock(),
        &Settings { limits, heads: options.heads },
    )
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("roundtrip: cannot read the requests or write the answers: {error}");
            ExitCode::FAILURE
        }
    }
}
