//! Variables and events of programs in C: `mpit_register.h`.
//!
//! A table is read and checked as a whole (`table`), turned into descriptors that stay for ever, and added to the
//! registry in one step. Where values live is `cell`'s, and `settings`' for control variables; what the structs look
//! like is `layout`'s.

mod cell;
mod layout;
mod settings;
mod table;
mod texts;

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Acquire;

use mpit::Error;
use mpit::cell::Gauge;
use mpit::event::{self, Context};
use mpit::words::Safety;

pub use layout::{EventCell, Table};

use crate::abi::Abi;

/// Registers all that a table describes, or nothing: then one line on standard error says why.
///
/// # Safety
///
/// `table` is null or as the header says: lists have as many entries as their numbers say, strings end with a NUL, and
/// storage, cells and functions stay for ever.
#[unsafe(no_mangle)]
#[allow(clippy::print_stderr, reason = "nobody else is there to tell")]
pub unsafe extern "C" fn mpit_register(table: *const Table) -> c_int {
    let body = || {
        // SAFETY: by the caller's promise.
        let outcome = unsafe { table::register(table) };
        if let Err(why) = &outcome {
            // One line, whatever the names of the table.
            eprintln!("mpit: a table is refused as a whole: {}", why.replace(char::is_control, "?"));
        }
        outcome.is_ok()
    };
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(true) => Abi::SUCCESS,
        // Refused, or a defect of ours; the panic hook has told where.
        _ => crate::abi().code(Error::Invalid),
    }
}

/// Moves the watermarks of a level.
///
/// # Safety
///
/// `level` is null or a level as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpit_level_reached(level: *const Gauge, word: u64) {
    // SAFETY: by the caller's promise; all its members are atomic.
    if let Some(gauge) = unsafe { level.as_ref() } {
        // What panicked was a defect of ours; the panic hook has told where.
        let _ = catch_unwind(AssertUnwindSafe(|| gauge.reached(word)));
    }
}

/// Tells an event to those who listen.
///
/// # Safety
///
/// `cell` is null or a cell as the header says; `payload` is valid for reads of each element of the event, or null if it
/// has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpit_raise_now(
    cell: *const EventCell,
    safety: c_int,
    object: u64,
    payload: *const c_void,
) {
    let body = || {
        // SAFETY: by the caller's promise.
        let Some(cell) = (unsafe { cell.as_ref() }) else { return };
        let desc = cell.event.load(Acquire);
        // SAFETY: null, or stored by `mpit_register`, which made it for ever.
        let Some(desc) = (unsafe { desc.as_ref() }) else { return };
        if payload.is_null() && !desc.elements().is_empty() {
            return;
        }
        // Of a context that nobody knows, everything is required.
        let known = usize::try_from(safety).ok().and_then(|at| Safety::ALL.get(at));
        let context = Context::requiring(known.copied().unwrap_or(Safety::AsyncSignalSafe)).about(object);
        // SAFETY: by the caller's promise; without elements nothing is read.
        unsafe { event::raise::raise(desc, context, payload.cast()) };
    };
    // What panicked was a defect of ours; the panic hook has told where, and the event is lost.
    let _ = catch_unwind(AssertUnwindSafe(body));
}
