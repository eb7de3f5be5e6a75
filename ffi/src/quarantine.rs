//! Variables of the MPI library that crash it when they are used.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::cvar::{Cvar, Text};

use crate::abi::symbols::{SHARED_SETTINGS, SharedSettings};
use crate::host::{Host, find};
use crate::sessions;

/// Variables of the MPI library that are listed but refuse handles, because using them crashes the library: names separated
/// by commas; `*` at the end of a name matches any ending. Empty: none.
#[mpit::cvar(name = "host_quarantine", scope = "LOCAL", verbosity = "MPIDEV_BASIC", component = "mpit")]
pub static QUARANTINE: Cvar<Text<1024>> = Cvar::new(Text::new(concat!(
    "opal_common_ucx_verbose,opal_common_ucx_progress_iterations,opal_common_ucx_opal_mem_hooks,",
    "osc_ucx_verbose,osc_ucx_progress_iterations,osc_ucx_opal_mem_hooks,",
    "pml_ucx_verbose,pml_ucx_progress_iterations,pml_ucx_opal_mem_hooks,",
    "opal_common_ofi_verbose,btl_ofi_verbose,mtl_ofi_verbose",
)));

fn is_listed(name: &str) -> bool {
    crate::hidden::matches(QUARANTINE.get().as_str(), name)
}

/// The membership of a variable in the list, remembered until the list changes: twice the version of the list, plus 1 for a member. The
/// version is at least 1; 0 is not known yet.
#[derive(Debug, Default)]
pub(crate) struct Quarantine(AtomicU64);

impl Quarantine {
    /// Returns true if the variable, which has this name, is on the list and not known to be safe at present.
    #[inline]
    pub(crate) fn includes(&self, name: &str) -> bool {
        // Read before the list, which is then of this version or a later one.
        let version = QUARANTINE.version() + 1;
        self.0.load(Relaxed) != 2 * version && self.includes_at(version, name)
    }

    #[inline(never)]
    fn includes_at(&self, version: u64, name: &str) -> bool {
        self.lists(version, name)
            && !SHARED_SETTINGS.iter().any(|shared| shared.has(name) && shared.stays_loaded())
    }

    fn lists(&self, version: u64, name: &str) -> bool {
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

    /// Returns true if the values are in memory until MPI is finalized, as far as that is known.
    fn stays_loaded(&self) -> bool {
        let Some(host) = Host::get() else { return true };
        if !host.abi().quirks.unloads_components || host.function(self.symbol).is_some() {
            return true;
        }
        // `MPI_Init` unloads the components that it does not select.
        if !sessions::is_mpi_active() {
            return false;
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
    use std::sync::{Mutex, PoisonError};

    use super::{QUARANTINE, Quarantine};

    /// Held by each test that changes the list.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    #[test]
    fn matches_whole_names_and_endings() {
        assert!(super::is_listed("pml_ucx_verbose"));
        assert!(!Quarantine::default().includes("pml_ob1_unexpected_msgq_length"));
        assert!(super::is_listed("osc_ucx_verbose"));
        assert!(!super::is_listed("osc_ucx_priority"));
    }

    #[test]
    fn changes_of_the_list_are_noticed() {
        let _one_at_a_time = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let (present, quarantine) = (QUARANTINE.get(), Quarantine::default());
        let lists = || quarantine.lists(QUARANTINE.version() + 1, "changed_by_a_test");
        assert!(!lists() && !lists());
        for _ in 0..2 {
            let extended = format!("{},changed_by_*", present.as_str());
            QUARANTINE.set(mpit::cvar::Text::new(&extended)).unwrap();
            assert!(lists() && lists());
            QUARANTINE.set(present).unwrap();
            assert!(!lists() && !lists());
        }
    }

    /// Tests that what is remembered is the variable's value after each race of writers.
    #[test]
    fn writers_at_once_leave_one_list() {
        let _one_at_a_time = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let (quarantine, list) = (Quarantine::default(), QUARANTINE.get());
        let values = ["raced_by_a_test", "of_another"]
            .map(|name| mpit::cvar::Text::new(&format!("{},{name}", list.as_str())));
        for _ in 0..300 {
            std::thread::scope(|scope| {
                for value in values {
                    scope.spawn(move || QUARANTINE.set(value).unwrap());
                }
                quarantine.lists(QUARANTINE.version() + 1, "raced_by_a_test");
            });
            let is_listed = super::is_listed("raced_by_a_test");
            assert_eq!(quarantine.lists(QUARANTINE.version() + 1, "raced_by_a_test"), is_listed);
            assert_eq!(QUARANTINE.get().as_str().ends_with("raced_by_a_test"), is_listed);
        }
        QUARANTINE.set(list).unwrap();
    }
}
