//! The encoder against a vector of bytes.

use nfswire_xdr::{
    EncodeError, Encoder, Mark, Opaque, Pages, Payload, Piece, Scattered, Segments, Slot,
};

use crate::input::Input;

/// What the message must be, and which marks and slots still hold: `None` is stale.
#[derive(Default)]
struct Model {
    bytes: Vec<u8>,
    marks: Vec<(Mark, Option<usize>)>,
    slots: Vec<(Slot, Option<usize>)>,
    /// Shortest length since the innermost attempt began.
    lowest: usize,
    rollbacks: usize,
    copy_break: usize,
}

impl Model {
    fn roll(&mut self, to: usize) {
        self.bytes.truncate(to);
        for (_, end) in &mut self.marks {
            *end = end.filter(|end| *end <= to);
        }
        for (_, start) in &mut self.slots {
            *start = start.filter(|start| start + 4 <= to);
        }
        self.lowest = self.lowest.min(to);
        self.rollbacks += 1;
    }

    /// The encoder remembers the last few rollbacks exactly; behind more of them it may refuse a
    /// mark that still holds, but never takes one that does not.
    fn may_forget(&self) -> bool {
        self.rollbacks > 4
    }

    fn variable(&mut self, data: &[u8]) {
        self.bytes.extend(u32::try_from(data.len()).expect("short").to_be_bytes());
        self.bytes.extend(data);
        self.bytes.extend(&[0; 3][..pad(data.len())]);
    }
}

fn pad(len: usize) -> usize {
    len.next_multiple_of(4) - len
}

/// `put` must succeed exactly if `need` bytes of head are free, and say what is missing.
fn expect(result: Result<(), EncodeError>, need: usize, room: u64) -> bool {
    match (need as u64).checked_sub(room).filter(|missing| *missing > 0) {
        None => assert_eq!(result, Ok(())),
        Some(missing) => assert_eq!(result, Err(EncodeError::NoSpace { missing })),
    }
    result.is_ok()
}

/// Head bytes of a payload: its word, and one for the pad or the slack before it.
fn by_reference(len: usize) -> usize {
    if pad(len) == 0 { 4 } else { 8 }
}

fn run<'p>(
    e: &mut Encoder<'_, 'p>,
    input: &mut Input<'p>,
    pieces: &'p [Piece<'p>],
    model: &mut Model,
    depth: usize,
) {
    while !input.0.is_empty() {
        let room = e.room();
        match input.below(12) {
            0 => {
                let number = input.word();
                if expect(e.put(&number), 4, room) {
                    model.bytes.extend(number.to_be_bytes());
                }
            }
            1 | 2 => {
                let data = input.bytes(40);
                let value: Opaque<'_> = Opaque::new(data).expect("short");
                if expect(e.put(&value), 4 + data.len() + pad(data.len()), room) {
                    model.variable(data);
                }
            }
            3 | 4 => {
                let data = input.bytes(40);
                let copied = 4 + data.len() + pad(data.len());
                let by_copy = data.len() <= model.copy_break;
                let need = if by_copy { copied } else { by_reference(data.len()) };
                if expect(e.put(&Payload::Borrowed(data)), need, room) {
                    model.variable(data);
                }
            }
            5 => {
                let scattered = Scattered::new(pieces).expect("all is here");
                let data: Vec<u8> = scattered.slices().flatten().copied().collect();
                if expect(e.put(&Payload::from(scattered)), by_reference(data.len()), room) {
                    model.variable(&data);
                }
            }
            6 => {
                let nowhere = Payload::Elsewhere { at: input.word(), len: input.word() };
                assert!(e.put(&nowhere).is_err());
            }
            7 => {
                let slot = e.reserve();
                if expect(slot.map(drop), 4, room) {
                    model.slots.push((slot.expect("compared"), Some(model.bytes.len())));
                    model.bytes.extend([0; 4]);
                }
            }
            8 => {
                let (choice, word) = (input.below(256), input.word());
                let Some(choice) = choice.checked_rem(model.slots.len()) else { continue };
                let (slot, start) = model.slots[choice];
                match (e.patch(slot, word), start) {
                    (Ok(()), Some(at)) => {
                        model.bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
                    }
                    (Err(EncodeError::Stale), None) => {}
                    (Err(EncodeError::Stale), Some(_)) if model.may_forget() => {}
                    (result, start) => panic!("slot at {start:?}: {result:?}"),
                }
            }
            9 => model.marks.push((e.mark(), Some(model.bytes.len()))),
            10 => {
                let choice = input.below(256);
                let Some(choice) = choice.checked_rem(model.marks.len()) else { continue };
                let (mark, end) = model.marks[choice];
                match (e.rollback(mark), end) {
                    (Ok(()), Some(end)) => model.roll(end),
                    (Err(EncodeError::Stale), None) => {}
                    (Err(EncodeError::Stale), Some(_)) if model.may_forget() => {}
                    (result, end) => panic!("mark at {end:?}: {result:?}"),
                }
            }
            _ if depth == 0 => return,
            _ => {
                let fails = input.below(2) == 1;
                let outer = core::mem::replace(&mut model.lowest, model.bytes.len());
                let result = e.attempt(|e| {
                    run(e, input, pieces, model, depth - 1);
                    if fails { Err(()) } else { Ok(()) }
                });
                assert_eq!(result.is_err(), fails);
                if fails {
                    // All that it appended is gone, whatever it rolled back itself.
                    model.roll(model.lowest);
                }
                model.lowest = model.lowest.min(outer);
            }
        }
        assert_eq!(e.len(), model.bytes.len() as u64);
    }
}

/// Runs the calls with one head and gives the bytes that the message must have.
fn check<'p>(e: Encoder<'_, 'p>, calls: &'p [u8], pieces: &'p [Piece<'p>], copied: u8) -> Vec<u8> {
    let mut e = e.copy_break(copied.into());
    let mut model = Model { copy_break: copied.into(), ..Model::default() };
    run(&mut e, &mut Input(calls), pieces, &mut model, 3);
    assert_eq!(e.finish(), model.bytes.len() as u64);
    model.bytes
}

/// Any sequence of calls, in each kind of head, against a vector.
pub fn encoder_model(data: &[u8]) {
    let mut input = Input(data);
    let copied = input.byte() % 48;
    let room = 2 * input.below(256);
    let pages: [usize; 3] = [(); 3].map(|()| input.below(70));
    let (first, second) = (input.bytes(9), input.bytes(9));
    let pieces = [Piece::Here(first), Piece::Here(&[]), Piece::Here(second)];
    let calls = input.0;

    let (mut head, mut segments) = (vec![0xff; 24], Segments::new());
    let bytes = check(Encoder::growable(&mut head, &mut segments), calls, &pieces, copied);
    assert_eq!(segments.view(&head).to_vec(), Ok(bytes));

    let (mut head, mut segments) = (vec![0xff; room], Segments::new());
    let bytes = check(Encoder::fixed(&mut head, &mut segments), calls, &pieces, copied);
    assert_eq!(segments.view(&head).to_vec(), Ok(bytes));

    let mut head: Vec<Vec<u8>> =
        pages.iter().cycle().take(12).map(|len| vec![0xff; *len]).collect();
    let mut segments = Segments::new();
    let bytes = check(Encoder::pages(&mut head, &mut segments), calls, &pieces, copied);
    assert_eq!(segments.view(&head as &dyn Pages).to_vec(), Ok(bytes));
}
