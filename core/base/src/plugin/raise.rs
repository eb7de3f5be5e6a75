//! Raising the events of tables.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::Acquire;

use crate::abi::EventCell;
use crate::event::{self, Context, EventDesc};
use crate::panic::catch_panic;
use crate::vocabulary::Safety;

/// Delivers an event to its listeners: `raise` of a `struct mpit_event_cell`.
///
/// # Safety
///
/// `cell` is null or a cell as `mpit_plugin.h` specifies; `payload` is valid for reads of each element of the event, or null if
/// it has none.
pub(super) unsafe extern "C" fn raise(
    cell: *const EventCell,
    safety: c_int,
    object: u64,
    payload: *const c_void,
) {
    let body = || {
        // SAFETY: null or a cell that is valid for the rest of the process: the image's code passes its own cell
        // (`mpit_plugin.h`).
        let Some(cell) = (unsafe { cell.as_ref() }) else { return };
        let desc = cell.event.load(Acquire).cast::<EventDesc>();
        // SAFETY: null, or the `&'static EventDesc` that `Cells::bind` stored.
        let Some(desc) = (unsafe { desc.as_ref() }) else { return };
        if payload.is_null() && !desc.elements().is_empty() {
            return;
        }
        // An unknown context is treated as the most restrictive one.
        let known = usize::try_from(safety).ok().and_then(|at| Safety::ALL.get(at));
        let context = Context::requiring(known.copied().unwrap_or(Safety::AsyncSignalSafe)).about(object);
        // SAFETY: `payload` is valid for reads of each element: the caller ensures it. If it is null there are no elements to
        // read.
        unsafe { event::raise::raise(desc, context, payload.cast()) };
    };
    // A panic is a defect of this crate and must not reach the image; the panic hook has reported it, and the event is lost.
    let _ = catch_panic(body);
}
