//! Decodes a message that lies in pieces, such as the pages it was received into, and sends its
//! payload on from where it lies.
//!
//! `cargo run --example scattered`

use core::error::Error;
use std::io::{self, IoSlice, Write};

use nfswire_xdr::{Encoder, Message, Payload, Piece, Pieces, Position, Segments, Text, xdr_struct};

xdr_struct! {
    /// A file with its name.
    "file" => pub struct File<'a> {
        /// Name.
        pub name: Text<'a, 255>,
        /// Content.
        pub data: Payload<'a>,
        /// Last change, in seconds.
        pub changed: u64,
    }
}

/// A socket that takes at most 100 bytes at a time.
struct Socket(Vec<u8>);

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes.get(..100).unwrap_or(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends a message whose bytes are all in memory.
fn send(message: &Message<'_, '_>, to: &mut impl Write) -> io::Result<()> {
    let mut at = Position::START;
    while !message.is_end(at) {
        let mut slices = [IoSlice::new(&[]); 8];
        let used = message.io_slices(at, &mut slices);
        match to.write_vectored(slices.get(..used).unwrap_or_default())? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            sent => at = message.advance(at, sent),
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    // Encoded into pages, which the content is no part of.
    let data: Vec<u8> = (0..1001u32).map(|i| i.to_le_bytes()[0]).collect();
    let file =
        File { name: Text::try_from("motd")?, data: Payload::Borrowed(&data), changed: 1 << 31 };
    let (mut pages, mut segments) = (vec![[0; 16]; 4], Segments::new());
    let mut e = Encoder::pages(&mut pages, &mut segments);
    e.put(&file)?;
    e.finish();
    let mut wire = Socket(Vec::new());
    send(&segments.view_pages(&pages), &mut wire)?;
    println!("sent {} bytes in {} pieces", wire.0.len(), segments.count());

    // Received into pages of 60 bytes. Words and names that straddle them go through the scratch,
    // for which the length of all but the content suffices.
    let pieces: Vec<Piece<'_>> = wire.0.chunks(60).map(Piece::Here).collect();
    let mut scratch = [0; 64];
    let mut p = Pieces::new(&pieces, &mut scratch);
    let received: File<'_> = p.decode()?;
    println!(
        "{}: {} bytes in {} slices, {} bytes of scratch used",
        received.name,
        received.data.len(),
        received.data.slices().map_or(0, Iterator::count),
        64usize.saturating_sub(p.scratch_left()),
    );
    p.finish()?;
    if received != file {
        return Err("what was received is not what was sent".into());
    }

    // On to the next: the slices are referred to, none of them is copied.
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&received)?;
    e.finish();
    let mut next = Socket(Vec::new());
    send(&segments.view(&head), &mut next)?;
    let stats = segments.stats();
    println!("sent on: {} bytes by reference, {} copied", stats.referenced, stats.copied);
    if next.0 != wire.0 {
        return Err("what was sent on is not what was received".into());
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
