//! The state of the memory of this process: short, once the system has refused some to mpit.
//!
//! The libraries that are loaded into programs of others have an allocator with a reserve, which sets this state and then serves from the
//! reserve. A record of the run takes memory until the end of the process. So no new ones are created from then on, and the reserve
//! serves what is only needed for a short time, and the end of the run. In other programs, whose allocator is their own, memory is
//! never short.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static IS_SHORT: AtomicBool = AtomicBool::new(false);

static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Records that the system has refused memory. Makes no calls.
pub fn set_short() {
    IS_SHORT.store(true, Relaxed);
}

/// Returns true if memory is short: nothing that takes memory for long is created.
#[inline]
pub fn is_short() -> bool {
    IS_SHORT.load(Relaxed)
}

/// Returns true if so many bytes can be allocated at once, as far as is known before they are.
pub fn is_available(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Returns true if a record of so many bytes may be created; counts it as refused otherwise.
pub fn admits(bytes: usize) -> bool {
    let is_admitted = !is_short() && is_available(bytes) && !is_short();
    if !is_admitted {
        refuse();
    }
    is_admitted
}

/// Counts a record that was not created.
pub fn refuse() {
    REFUSED.fetch_add(1, Relaxed);
}

/// Returns the number of records that were not created.
pub fn refused() -> u64 {
    REFUSED.load(Relaxed)
}
