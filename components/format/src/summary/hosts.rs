//! The machines of a job.

use std::collections::BTreeMap;

use crate::files::cut_off;

/// The maximum number of machines that are kept by name.
pub(super) const MAX_HOSTS: usize = 1024;

/// The maximum length of a name in bytes.
pub(super) const MAX_NAME: usize = 64;

/// The machines of processes, by name. Of more than a limit, those with the first names are kept: a name among the first ones of
/// all machines is among the first ones of each part that has it, so the kept numbers are exact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// The number of processes on each machine.
    pub(super) processes: BTreeMap<String, u64>,
    /// True if names were left out.
    pub(super) has_more: bool,
}

impl Hosts {
    /// Adds processes of one machine; an empty name is not kept.
    pub fn add(&mut self, name: &str, processes: u64) {
        if !name.is_empty() {
            let name = cut_off(name, MAX_NAME).to_owned();
            self.merge(&Self { processes: BTreeMap::from([(name, processes)]), has_more: false });
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.has_more |= other.has_more;
        for (name, processes) in &other.processes {
            // Most processes share a machine with others.
            match self.processes.get_mut(name) {
                Some(own) => *own = own.saturating_add(*processes),
                None => _ = self.processes.insert(name.clone(), *processes),
            }
        }
        while self.processes.len() > MAX_HOSTS {
            self.processes.pop_last();
            self.has_more = true;
        }
    }

    /// Returns the machines that are kept, by name, with their numbers of processes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.processes.iter().map(|(name, processes)| (name.as_str(), *processes))
    }

    /// Returns the number of machines that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.processes.len()
    }

    /// Returns true if no machine is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// Returns true if there are more machines than those that are kept.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.has_more
    }
}
