//! Tables that are registered when a tool initializes the interface, so that the start of a program without tools takes no longer.
//!
//! A table must be registered at once if a control variable in it may have a setting of the user, which the MPI library obeys from
//! the start.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;

use mpit::cvar::sources;
use mpit::internal::plugin::abi::{Cvar, Table};
use mpit_sync::lock::Mutex;

/// The address of a table of the MPI library.
#[derive(Clone, Copy, Debug)]
struct Deferred(*const c_void);

// SAFETY: a table is constant and exists until the process ends (`mpit_core.h`), so any thread may read it.
unsafe impl Send for Deferred {}

static TABLES: Mutex<Vec<Deferred>> = Mutex::new(Vec::new());

/// Defers a table if that makes no difference to the MPI library. Returns false if it must be registered now, as tables of other
/// versions, whose members the registration checks.
///
/// # Safety
///
/// `table` is null or satisfies `mpit_plugin.h` until the process ends.
pub(crate) unsafe fn defer(table: *const c_void) -> bool {
    let table_of_ours = table.cast::<Table>();
    if table.is_null() || !table_of_ours.is_aligned() {
        return false;
    }
    // SAFETY: the caller passes a table (not null, checked), which begins with its size.
    if unsafe { table.cast::<usize>().read() } != size_of::<Table>() {
        return false;
    }
    // SAFETY: aligned and as large as the struct (both checked), and the caller passes a table, which is constant.
    let is_deferred = !has_settings(unsafe { &*table_of_ours });
    if is_deferred {
        TABLES.lock().push(Deferred(table));
    }
    is_deferred
}

/// Returns the deferred tables, which the caller registers. Each satisfies `mpit_plugin.h` until the process ends ([`defer`]).
pub(crate) fn take_all() -> impl Iterator<Item = *const c_void> {
    std::mem::take(&mut *TABLES.lock()).into_iter().map(|table| table.0)
}

/// Returns true if a control variable of a table may have a setting.
fn has_settings(table: &Table) -> bool {
    if table.num_cvars == 0 || table.cvars.is_null() {
        return false;
    }
    (0..table.num_cvars).any(|at| has_names_in_environment(table, at)) || !sources::for_cvars(&[]).is_empty()
}

/// Returns true if an entry names environment variables of its own.
fn has_names_in_environment(table: &Table, at: usize) -> bool {
    const PLACE: usize = offset_of!(Cvar, environment);
    let first = table.cvars.cast::<c_void>();
    // SAFETY: the list has entries (checked by the caller), each of which begins with its size.
    let size = unsafe { first.cast::<usize>().read_unaligned() };
    if size < PLACE + size_of::<*const *const c_char>() {
        return false;
    }
    // All entries of a list have the size of the struct in the header that it was compiled with.
    let names = first.wrapping_byte_add(at * size + PLACE).cast::<*const c_void>();
    // SAFETY: the list has more than `at` entries of this size, which includes the member.
    let names = unsafe { names.read_unaligned() };
    !names.is_null()
}
