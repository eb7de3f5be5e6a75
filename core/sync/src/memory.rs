//! The state of the memory of this process: short, once the system has refused some to mpit.
//!
//! The libraries that are loaded into programs of others have an allocator with a reserve, which sets this state and then serves from the
//! reserve. What is recorded takes memory until the end of the process. So nothing new is recorded from then on, and the reserve serves
//! what is needed for a short time, and the end of the run. In other programs, which have their own allocator, memory is
//! short once the system has refused the growth of a table.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The memory that the MPI library may need for an object that a call of ours makes it create.
const FOR_AN_OBJECT: usize = 64 << 10;

static IS_SHORT: AtomicBool = AtomicBool::new(false);

static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Records that the system has refused memory. Makes no calls.
pub fn set_short() {
    IS_SHORT.store(true, Relaxed);
}

/// Returns true if memory is short: nothing that takes memory for long is created.
#[inline]
pub fn is_short() -> bool {
    IS_SHORT.load(Relaxed)
}

/// Returns true if so many bytes can be allocated at once. They are not used, so this takes no memory.
pub fn is_available(bytes: usize) -> bool {
    let mut block = Vec::<u8>::new();
    let is_available = block.try_reserve_exact(bytes).is_ok();
    // Otherwise the compiler may remove the allocation.
    black_box(&block);
    is_available
}

/// Returns true if a table may grow by so many bytes. If not, memory is short.
pub fn admits(bytes: usize) -> bool {
    if is_short() {
        return false;
    }
    if bytes > 0 && !is_available(bytes) {
        set_short();
    }
    !is_short()
}

/// Returns true if the system's allocator, which is that of the MPI library, has so many bytes.
pub fn is_available_outside(bytes: usize) -> bool {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), 1) else { return false };
    // SAFETY: the size is not 0.
    let block = black_box(unsafe { System.alloc(layout) });
    if block.is_null() {
        return false;
    }
    // SAFETY: allocated above with this layout.
    unsafe { System.dealloc(block, layout) };
    true
}

/// Returns true if the MPI library has memory for an object. It may end the program if it has none.
pub fn is_available_for_object() -> bool {
    is_available_outside(FOR_AN_OBJECT)
}

/// Counts an operation that is not recorded.
#[cold]
pub fn count_dropped() {
    DROPPED.fetch_add(1, Relaxed);
}

/// Returns the number of operations that are not recorded.
pub fn dropped() -> u64 {
    DROPPED.load(Relaxed)
}
