//! Variables of the MPI library that crash it when they are used.

use mpit::cvar::{Cvar, Text};

use crate::abi::symbols::{SHARED_SETTINGS, SharedSettings};
use crate::host::{Host, find};

/// Variables of the MPI library that are listed but refuse handles, because using them crashes the library: names separated
/// by commas; `*` at the end of a name matches any ending. Empty: none.
#[mpit::cvar(name = "host_quarantine", scope = "LOCAL", verbosity = "MPIDEV_BASIC", component = "mpit")]
pub static QUARANTINE: Cvar<Text<1024>> = Cvar::new(Text::new(concat!(
    "opal_common_ucx_verbose,opal_common_ucx_progress_iterations,opal_common_ucx_opal_mem_hooks,",
    "osc_ucx_verbose,osc_ucx_progress_iterations,osc_ucx_opal_mem_hooks,",
    "pml_ucx_verbose,pml_ucx_progress_iterations,pml_ucx_opal_mem_hooks,",
    "opal_common_ofi_verbose,btl_ofi_verbose,mtl_ofi_verbose",
)));

/// Returns true if a variable is on the list and not known to be safe at present.
#[must_use]
pub fn is_quarantined(name: &str) -> bool {
    is_listed(name) && !SHARED_SETTINGS.iter().any(|shared| shared.has(name) && shared.is_loaded_or_unknown())
}

fn is_listed(name: &str) -> bool {
    crate::hidden::matches(QUARANTINE.get().as_str(), name)
}

impl SharedSettings {
    fn has(&self, name: &str) -> bool {
        self.prefixes.iter().any(|start| name.starts_with(start))
    }

    fn is_loaded_or_unknown(&self) -> bool {
        let Some(host) = Host::get() else { return true };
        if !host.abi().quirks.unloads_components || host.function(self.symbol).is_some() {
            return true;
        }
        let mut is_loaded = false;
        find::each_object(|object| {
            let name = object.name.to_bytes();
            is_loaded = name.windows(self.library.len()).any(|part| part == self.library);
            is_loaded
        });
        is_loaded
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn matches_whole_names_and_endings() {
        assert!(super::is_listed("pml_ucx_verbose"));
        assert!(!super::is_quarantined("pml_ob1_unexpected_msgq_length"));
        assert!(super::is_listed("osc_ucx_verbose"));
        assert!(!super::is_listed("osc_ucx_priority"));
    }
}
