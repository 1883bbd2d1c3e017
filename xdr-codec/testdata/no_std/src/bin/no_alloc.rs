//! No standard library and no allocator: exits with 0 when every message went well.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use nfswire_no_std_proof::{call, compound, reply};

// SAFETY: the C library's `abort` takes nothing and does not return.
#[link(name = "c")]
unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

// SAFETY: the C library's start-up code calls this, and nothing else here has the name.
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let mut head = [0xff; 512];
    let steps = call(&mut head).and_then(|()| reply(&mut head)).and_then(|()| compound(&mut head));
    steps.err().unwrap_or(0)
}
