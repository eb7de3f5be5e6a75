//! Values that are never freed: the registry never drops descriptors.
//!
//! All of them stay reachable from a static list. Otherwise programs that are linked with LeakSanitizer, or run under valgrind, fail for those that no
//! descriptor refers to, such as the texts of an entry that is left out.

// Not those of `std`, whose steps the models explore: nothing depends on the order of this list.
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use std::ptr;

/// A value, and the one that was leaked before it.
struct Leaked<T> {
    value: T,
    before: AtomicPtr<()>,
}

static LAST: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Leaks a value.
pub(crate) fn leak<T: 'static>(value: T) -> &'static T {
    let leaked = Box::leak(Box::new(Leaked { value, before: AtomicPtr::new(ptr::null_mut()) }));
    let this = ptr::from_mut(leaked).cast();
    // Only tools that look for leaks follow the list, so no order with other memory is needed.
    leaked.before.store(LAST.swap(this, Relaxed), Relaxed);
    &leaked.value
}

/// Leaks a list.
pub(crate) fn leak_list<T: 'static>(values: Vec<T>) -> &'static [T] {
    leak(values)
}

/// Leaks a text.
pub(crate) fn leak_text(text: String) -> &'static str {
    leak(text)
}
