//! `mpit_register`: tables of an MPI library.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mpit::Error;
use mpit::plugin::{self, abi::Table};

use crate::abi::Abi;
use crate::host::find;

/// Registers all that a table describes, or nothing: then one line on standard error says why.
///
/// # Safety
///
/// As [`plugin::register`].
#[unsafe(no_mangle)]
#[allow(clippy::print_stderr, reason = "nobody else is there to tell")]
pub unsafe extern "C" fn mpit_register(table: *const Table) -> c_int {
    let body = || {
        // SAFETY: by the caller's promise.
        let outcome = unsafe { plugin::register(table) };
        if outcome.is_ok() {
            find::keep_loaded(table.cast());
        }
        if let Err(why) = &outcome {
            // One line, whatever the names of the table.
            let why = why.replace(char::is_control, "?");
            eprintln!("mpit: a table is refused as a whole: {why}");
        }
        outcome.is_ok()
    };
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(true) => Abi::SUCCESS,
        // Refused, or a defect of ours; the panic hook has told where.
        _ => crate::abi().code(Error::Invalid),
    }
}
