//! `std::sync`, with the atomics and the lock of loom.

pub mod atomic;
mod mutex;

pub use ::std::sync::*;

pub use mutex::{Mutex, MutexGuard};
