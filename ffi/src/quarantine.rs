//! Variables of the MPI library that crash it when they are used.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::Result;
use mpit::cvar::{Cvar, Text};
use mpit::internal::lock::Mutex;

use crate::abi::symbols::{SHARED_SETTINGS, SharedSettings};
use crate::host::{Host, find};

/// Variables of the MPI library that are listed but refuse handles, because using them crashes the library: names separated
/// by commas; `*` at the end of a name matches any ending. Empty: none.
#[mpit::cvar(name = "host_quarantine", scope = "LOCAL", verbosity = "MPIDEV_BASIC", component = "mpit")]
pub static QUARANTINE: Cvar<Text<1024>> = Cvar::new(DEFAULT).on_set(replace_list);

const DEFAULT: Text<1024> = Text::new(concat!(
    "opal_common_ucx_verbose,opal_common_ucx_progress_iterations,opal_common_ucx_opal_mem_hooks,",
    "osc_ucx_verbose,osc_ucx_progress_iterations,osc_ucx_opal_mem_hooks,",
    "pml_ucx_verbose,pml_ucx_progress_iterations,pml_ucx_opal_mem_hooks,",
    "opal_common_ofi_verbose,btl_ofi_verbose,mtl_ofi_verbose",
));

/// The value of [`QUARANTINE`], kept here because its version has to be raised after it is stored.
static LIST: Mutex<Text<1024>> = Mutex::new(DEFAULT);

/// The number of changes of [`LIST`], plus 1.
static VERSION: AtomicU64 = AtomicU64::new(1);

#[allow(
    clippy::unnecessary_wraps,
    clippy::large_types_passed_by_value,
    reason = "the signature of such functions"
)]
fn replace_list(list: Text<1024>) -> Result<()> {
    *LIST.lock() = list;
    VERSION.fetch_add(1, Release);
    Ok(())
}

fn is_listed(name: &str) -> bool {
    let list = *LIST.lock();
    crate::hidden::matches(list.as_str(), name)
}

/// Whether a variable is on the list, remembered until the list changes: twice the version of the list, plus 1 if it is.
#[derive(Debug, Default)]
pub(crate) struct Quarantine(AtomicU64);

impl Quarantine {
    /// Returns true if the variable, which has this name, is on the list and not known to be safe at present.
    pub(crate) fn includes(&self, name: &str) -> bool {
        self.lists(name)
            && !SHARED_SETTINGS.iter().any(|shared| shared.has(name) && shared.is_loaded_or_unknown())
    }

    fn lists(&self, name: &str) -> bool {
        let version = VERSION.load(Acquire);
        let known = self.0.load(Relaxed);
        if known / 2 == version {
            return known % 2 == 1;
        }
        let is_listed = is_listed(name);
        self.0.store(2 * version + u64::from(is_listed), Relaxed);
        is_listed
    }
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
        assert!(!super::Quarantine::default().includes("pml_ob1_unexpected_msgq_length"));
        assert!(super::is_listed("osc_ucx_verbose"));
        assert!(!super::is_listed("osc_ucx_priority"));
    }

    #[test]
    fn changes_of_the_list_are_noticed() {
        let (present, quarantine) = (super::QUARANTINE.get(), super::Quarantine::default());
        let lists = || quarantine.lists("changed_by_a_test");
        assert!(!lists() && !lists());
        for _ in 0..2 {
            let extended = format!("{},changed_by_*", present.as_str());
            super::QUARANTINE.set(mpit::cvar::Text::new(&extended)).unwrap();
            assert!(lists() && lists());
            super::QUARANTINE.set(present).unwrap();
            assert!(!lists() && !lists());
        }
    }
}
