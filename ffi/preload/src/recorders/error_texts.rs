//! `MPI_Error_string` and `MPI_Error_class` for the codes of MPI_T.
//!
//! mpit returns codes that older libraries lack, such as `MPI_T_ERR_NOT_SUPPORTED` on Open MPI, and that they
//! report as unknown. Texts and classes that a library has are not changed.

use crate::arguments::{Any, Int, IntOut, TextOut};
use mpit::Error;
use mpit_ffi::host::Host;

/// The prefix with which all libraries describe unknown codes.
const UNKNOWN: &[u8] = b"Unknown error";

/// Replaces the library's text if the code is unknown to it.
pub(crate) fn describe(code: Int<Any>, text: TextOut<Any>, len: IntOut<Any>) {
    let Some(error) = error_of(code) else { return };
    if !text.get().is_some_and(|text| text.to_bytes().starts_with(UNKNOWN)) {
        return;
    }
    let ours = error.to_string();
    text.set(&ours);
    len.set(ours.len().cast_signed() as i32);
}

/// Writes the class of a code of MPI_T, which is the code itself.
pub(crate) fn classify(code: Int<Any>, class: IntOut<Any>) {
    if error_of(code).is_some() {
        class.set(code.get());
    }
}

fn error_of(code: Int<Any>) -> Option<Error> {
    let abi = Host::get()?.abi();
    let code = code.get();
    Error::ALL.into_iter().find(|error| abi.code(*error) == code)
}
