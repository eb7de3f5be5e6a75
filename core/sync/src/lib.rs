//! Threads and memory order: locks, barriers, and the structures that are read without locks. It knows neither MPI_T nor MPI.
//!
//! # API boundary
//!
//! For the crates of this workspace; nothing here is stable.
//!
//! # Invariants
//!
//! * A function that is documented to work in a signal handler neither waits, locks nor allocates.
//! * Lists and tables return references into memory that never moves.
//! * No lock is held in a forked child.
//!
//! `core/models` compiles these sources once more, with the condition `mpit_models` and the standard library of loom, and explores
//! all orders of their steps.
#![allow(unsafe_code, reason = "structures that are shared without locks")]
#![allow(clippy::new_without_default, reason = "for statics, and `Default` is not const")]

#[cfg(mpit_models)]
extern crate mpit_models_std as std;

/// `std::thread_local`, for the threads of a model.
#[cfg(mpit_models)]
macro_rules! thread_local {
    ($($(#[$meta:meta])* static $name:ident: $type:ty = const { $initial:expr };)*) => {$(
        $(#[$meta])*
        static $name: std::thread::LocalKey<$type> = std::thread::LocalKey::new(|| $initial);
    )*};
}

pub mod active_calls;
pub mod atomic_record;
pub mod barrier;
#[cfg(all(target_os = "linux", not(miri)))]
pub mod errno;
pub mod lock;
pub mod log;
pub mod memory;
pub mod probe_table;
pub mod slots;
pub mod sparse;
pub mod static_ref;
pub mod thread_end;
pub mod thread_number;
#[cfg(not(mpit_models))]
pub mod thread_slots;
#[cfg(not(mpit_models))]
pub mod word_sum;
