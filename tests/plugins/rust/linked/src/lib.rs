//! A library with definitions that is no plug-in: linked into programs in Rust and in C.

/// Widgets that were made.
#[mpit::pvar(class = "COUNTER")]
pub static LINKED_WIDGETS: mpit::cell::Counter<u64> = mpit::cell::Counter::new();

/// The largest widget.
#[mpit::cvar]
pub static LINKED_LIMIT: mpit::cvar::Cvar<u32> = mpit::cvar::Cvar::new(8);

/// Makes widgets.
#[unsafe(no_mangle)]
pub extern "C" fn linked_make(widgets: u64) {
    LINKED_WIDGETS.add(widgets);
}
