//! The standard library with the atomics, locks and threads of loom, for the models in `core/models`.
//!
//! The models compile the sources of `core/sync` and `core/base` once more, with this crate under the name `std`. So these sources
//! need no conditions and no names of their own for atomics.
//!
//! loom runs a model again and again, once for each order of its steps and each value that a load may return. Its atomics
//! differ from the standard ones, and this crate makes up for the differences:
//!
//! * They cannot be created in constants and exist in one execution only. Here an atomic is created from its initial value when it
//!   is first used in an execution ([`execution`]), so statics work.
//! * loom never notes that a store depends on two earlier loads by different threads, and so does not try some orders. Here each
//!   access is preceded by a compare-exchange of a companion, which always fails but depends on all others (`widen` in [`execution`]).
//! * loom treats sequentially consistent accesses as acquire and release. Here a sequentially consistent load returns no value older
//!   than that of the latest sequentially consistent store.
//! * For loom, plain stores and read-modify-writes of several threads have no order among each other. Here they have the order in
//!   which they are executed.
#![allow(unsafe_code, reason = "atomics are shared although their initial value may be a pointer")]

pub use ::std::*;

pub mod execution;
pub mod harness;
pub mod hint;
pub mod signal;
pub mod sync;
pub mod thread;
