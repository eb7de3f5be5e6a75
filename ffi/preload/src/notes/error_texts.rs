//! `MPI_Error_string` and `MPI_Error_class` for the codes of MPI_T.
//!
//! mpit returns codes that older libraries do not have, such as `MPI_T_ERR_NOT_SUPPORTED` on Open MPI. Libraries take them for
//! unknown. Texts and classes that a library has stay.

use crate::arguments::{C, Int, IntOut, TextOut};
use mpit::Error;
use mpit_ffi::host::Host;

/// Beginning of the texts of all libraries for codes that they do not know.
const UNKNOWN: &[u8] = b"Unknown error";

/// Replaces the library's text if it does not know the code.
pub(crate) fn describe(code: Int<C>, text: TextOut<C>, len: IntOut<C>) {
    let Some(error) = error_of(code) else { return };
    if !text.get().is_some_and(|text| text.to_bytes().starts_with(UNKNOWN)) {
        return;
    }
    let own = error.to_string();
    text.set(&own);
    len.set(own.len().cast_signed() as i32);
}

/// Writes the class of a code: each of MPI_T is its own.
pub(crate) fn classify(code: Int<C>, class: IntOut<C>) {
    if error_of(code).is_some() {
        class.set(code.get());
    }
}

fn error_of(code: Int<C>) -> Option<Error> {
    let abi = Host::get()?.abi();
    let code = code.get();
    Error::ALL.into_iter().find(|error| abi.code(*error) == code)
}
