//! `mpit_register`: registration of the tables of an MPI library or a program.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mpit::Error;
use mpit::internal::plugin;
use mpit::internal::plugin::abi::Table;

use crate::abi::Abi;
use crate::host::find;

/// Registers all entries that a table describes, or none; then one line on standard error contains the reason.
///
/// # Safety
///
/// The requirements of [`plugin::register`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpit_register(table: *const Table) -> c_int {
    let body = || {
        // SAFETY: the caller passes null or a table that satisfies `mpit_plugin.h`: lists have as many entries
        // as their counts state, strings end with a NUL, and all else stays valid.
        let outcome = unsafe { plugin::register(table) };
        if outcome.is_ok() {
            find::keep_loaded(table.cast());
        }
        if let Err(why) = &outcome {
            // Control characters in the table's names must not break the line.
            crate::warn(&format!("mpit_register refused the table: {}", why.replace(char::is_control, "?")));
        }
        outcome.is_ok()
    };
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(true) => Abi::SUCCESS,
        // Refused, or a defect of ours; the panic hook has reported the location.
        _ => crate::abi().code(Error::Invalid),
    }
}
