//! `std::hint`, with a spin loop that lets other threads run.

pub use ::std::hint::*;

/// Lets another thread run.
pub fn spin_loop() {
    loom::thread::yield_now();
}
