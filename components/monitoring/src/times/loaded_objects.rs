//! The generation of the loaded objects: return addresses are kept for one generation, because the next object may be at the same
//! address.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire},
};

use mpit::internal::host::revision;

/// Never 0, the generation of return addresses that are looked up again.
static GENERATION: AtomicU64 = AtomicU64::new(1);

/// The number of threads that are closing an object.
static CLOSING: AtomicU64 = AtomicU64::new(0);

/// Returns the generation; `None` while an object is being closed.
#[must_use]
pub fn generation() -> Option<u64> {
    if CLOSING.load(Acquire) == 0 { Some(GENERATION.load(Acquire)) } else { None }
}

/// Begins the next generation: objects have been loaded or unloaded.
pub fn begin_generation() {
    GENERATION.fetch_add(1, AcqRel);
    revision::advance();
}

/// Trusts no return address that is kept until [`closing_ends`]: another thread may load an object as soon as this one is unloaded.
pub fn closing_begins() {
    CLOSING.fetch_add(1, AcqRel);
    revision::advance();
}

/// Trusts the return addresses that are kept for this generation.
pub fn closing_ends() {
    CLOSING.fetch_sub(1, AcqRel);
    revision::advance();
}
