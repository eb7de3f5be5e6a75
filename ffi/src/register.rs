//! `mpit_register`: registration of the tables of an MPI library or a program.

use std::ffi::c_int;

use mpit::Error;
use mpit::internal::plugin;
use mpit::internal::plugin::abi::Table;

use crate::host::find;
use crate::plugins::to_return_code;
use crate::values;

/// Registers all entries that a table describes, or none; then one line on standard error contains the reason.
///
/// # Safety
///
/// The requirements of [`plugin::register`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpit_register(table: *const Table) -> c_int {
    to_return_code(|| {
        // SAFETY: null or a table that satisfies `mpit_plugin.h` (condition of this function): lists have as many entries as
        // their counts state, strings end with a NUL, and all else stays valid.
        let outcome = unsafe { plugin::register(table) };
        outcome.map_err(|why| {
            // Control characters in the table's names must not break the line.
            crate::warn(&format!("mpit_register refused the table: {}", why.replace(char::is_control, "?")));
            Error::Invalid
        })?;
        find::keep_loaded(table.cast());
        values::refresh();
        Ok(())
    })
}
