//! Functions that an MPI library lacks although recording needs them. A library that is being written may lack any.

use std::ffi::CStr;

use super::find::Library;
use super::foreign::has_nonzero_rank;
use crate::abi::identify::Symbols;

/// Functions, one of which suffices, and the result if none exists.
const NEEDED: [(&[&CStr], &str); 4] = [
    (&[c"PMPI_Initialized"], "nothing is recorded"),
    (&[c"PMPI_Comm_rank"], "nothing is recorded"),
    (&[c"PMPI_Comm_size"], "nothing is recorded"),
    (&[c"PMPI_Type_size", c"PMPI_Type_size_x"], "messages count with 0 bytes"),
];

/// Reports functions that a library lacks on standard error. Once per job, if the launcher provides the rank.
pub(super) fn report(library: &Library) {
    for (functions, result) in NEEDED {
        let is_missing = functions.iter().all(|name| library.symbol(name).is_none());
        if is_missing && !has_nonzero_rank() {
            let name = functions[0].to_string_lossy();
            crate::warn(&format!(
                "{} has no {name}, so {result}; docs/guides/embed.md lists what is needed",
                library.file()
            ));
        }
    }
}
