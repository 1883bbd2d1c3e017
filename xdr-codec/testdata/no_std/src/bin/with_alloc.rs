//! No standard library, but an allocator that counts: exits with 0 when every message went well, in
//! heads that grow, and when memory was used only where it must be.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::{
    alloc::{GlobalAlloc, Layout},
    cell::UnsafeCell,
    panic::PanicInfo,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use nfswire_no_std_proof::{Step, call, compound, reply};
use nfswire_rpc::RecordBuffer;
use nfswire_xdr::{Array, Encoder, Opaque, Segments, from_bytes};

// SAFETY: the C library's `abort` takes nothing and does not return.
#[link(name = "c")]
unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

const SIZE: usize = 256 << 10;

/// Hands out memory from front to back, takes none back, and counts.
struct Counting {
    memory: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
    count: AtomicUsize,
}

// SAFETY: `used` gives each byte of `memory` to one caller only.
unsafe impl Sync for Counting {}

// SAFETY: blocks lie in `memory`, behind each other, aligned, and are never used again.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count.fetch_add(1, Relaxed);
        let base = self.memory.get().cast::<u8>();
        let start = |used| {
            let address = (base as usize).checked_add(used)?;
            address.checked_next_multiple_of(layout.align())?.checked_sub(base as usize)
        };
        let end = |used| start(used)?.checked_add(layout.size()).filter(|end| *end <= SIZE);
        match self.used.fetch_update(Relaxed, Relaxed, end) {
            Ok(used) => start(used).map_or(core::ptr::null_mut(), |at| base.wrapping_add(at)),
            Err(_) => core::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static MEMORY: Counting = Counting {
    memory: UnsafeCell::new([0; SIZE]),
    used: AtomicUsize::new(0),
    count: AtomicUsize::new(0),
};

macro_rules! step {
    ($e:expr) => {
        $e.ok_or(line!().cast_signed())?
    };
}

fn count() -> usize {
    MEMORY.count.load(Relaxed)
}

fn run() -> Step {
    let mut head = [0xff; 512];
    call(&mut head)?;
    reply(&mut head)?;
    compound(&mut head)?;
    step!((count() == 0).then_some(()));

    // A head that grows, once; the message is copied out, once.
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let value: Opaque<'_> = step!(Opaque::new(&[7; 300]));
    for _ in 0..3 {
        let mut e = Encoder::growable(&mut head, &mut segments);
        step!(e.put(&value).ok());
        e.finish();
    }
    step!((count() == 1).then_some(()));
    let bytes = step!(segments.view(&head).to_vec().ok());
    step!((count() == 2).then_some(()));
    step!((from_bytes(&bytes) == Ok(value)).then_some(()));

    // What is only announced costs nothing.
    step!(from_bytes::<Array<'_, u64>>(&[0, 15, 255, 255]).err());
    let mut buffer = RecordBuffer::default();
    step!((count() == 2).then_some(()));
    step!(buffer.spare().get_mut(..6)).copy_from_slice(&[0x80, 0x0f, 0xff, 0xff, 1, 2]);
    step!(buffer.filled(6).ok());
    step!((buffer.next_record() == Ok(None)).then_some(()));
    step!((count() == 3 && buffer.capacity() < 64 << 10).then_some(()));
    Ok(())
}

// SAFETY: the C library's start-up code calls this, and nothing else here has the name.
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    run().err().unwrap_or(0)
}
