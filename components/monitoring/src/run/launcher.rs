//! The launcher's name of the world of this process: equal in all processes of the world, different in each step and each
//! spawned world.
//!
//! | launcher | name |
//! |---|---|
//! | PMIx: Open MPI, `srun --mpi=pmix`, PRRTE | `PMIX_NAMESPACE` |
//! | Intel MPI | `I_MPI_HYDRA_UUID` and `HYDRA_BSTRAP_PGID` |
//! | Hydra: MPICH | control port and process group, on the command line of the proxy that started the process |
//! | PALS, ALPS, Flux, LSF, Slurm | the number of the application or step |
//! | none | machine, process and its start, for a world of one process |

use std::fs;
use std::os::unix::process::parent_id;

use mpit::internal::environment::{var, var_os};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) key: String,
    /// The number of the world among those of its launcher, from 1, if it is known.
    number: Option<u32>,
}

impl Found {
    /// Returns the number of the world if no other process can be queried.
    pub(super) fn number(&self, spawned: bool) -> u32 {
        if spawned { self.number.unwrap_or(2).max(2) } else { 1 }
    }
}

/// Returns the name of the world; `None` if there are several processes and no name that all of them know.
pub(super) fn world(size: u32, spawned: bool) -> Option<Found> {
    let found = by_environment(&|name| var(name).filter(|value| !value.is_empty()))
        .or_else(|| hydra(spawned))
        .or_else(by_batch_system)
        .or_else(|| if size == 1 { alone() } else { None })?;
    Some(Found { key: found.key.replace(char::is_control, " "), ..found })
}

fn by_environment(variable: &dyn Fn(&str) -> Option<String>) -> Option<Found> {
    if let Some(namespace) = variable("PMIX_NAMESPACE").or_else(|| variable("OMPI_MCA_ess_base_jobid")) {
        // Open MPI 4 reuses its job numbers; this value is random, and equal in spawned worlds.
        let more = variable("OMPI_MCA_orte_precondition_transports")
            .map_or_else(String::new, |key| format!(" {key}"));
        let number = match namespace.rsplit_once('@') {
            Some((_, number)) => number.parse().ok(),
            // The lower half of a job's number counts the jobs of one launcher.
            None => namespace.parse().ok().map(|job: u32| job & 0xffff),
        };
        return Some(Found { key: format!("pmix {namespace}{more}"), number });
    }
    let uuid = variable("I_MPI_HYDRA_UUID")?;
    let group = variable("HYDRA_BSTRAP_PGID").unwrap_or_default();
    let number = group.parse().ok().map(|group: u32| group.saturating_add(1));
    Some(Found { key: format!("intel {uuid} {group}"), number })
}

/// The number of ancestors to search: shells and other wrappers may be between proxy and process.
const ANCESTORS: usize = 8;

fn hydra(spawned: bool) -> Option<Found> {
    var_os("PMI_FD").or_else(|| var_os("PMI_PORT"))?;
    let mut process = parent_id();
    for _ in 0..ANCESTORS {
        let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
        let words: Vec<_> = line.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        let after = |option: &str| {
            let at = words.iter().position(|word| word == option)?;
            words.get(at + 1).map(ToString::to_string)
        };
        if let Some(port) = after("--control-port") {
            let group = after("--pgid").unwrap_or_default();
            let mut key = format!("hydra {port} {group}");
            if spawned {
                // The proxy may be the one that started the parents.
                key.push_str(" spawned ");
                key.push_str(&shared_memory().unwrap_or_default());
            }
            return Some(Found { key, number: None });
        }
        process = parent_of(process)?;
    }
    None
}

fn parent_of(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("PPid:"))?
        .trim()
        .parse()
        .ok()
        .filter(|parent| *parent > 1)
}

/// Returns MPICH 5's name of the memory shared by the processes of a world, which contains a hash of the world's name.
fn shared_memory() -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let name = maps.lines().find_map(|line| line.split_once("/mpich_shm_")).map(|(_, name)| name)?;
    Some(name.split(['_', ' ']).next()?.to_owned())
}

fn by_batch_system() -> Option<Found> {
    let one = |names: &[&str]| {
        let values: Option<Vec<_>> =
            names.iter().map(|name| var(name).filter(|value| !value.is_empty())).collect();
        Some(Found { key: format!("{} {}", names[0], values?.join(".")), number: None })
    };
    let names = ["PALS_APID", "ALPS_APP_ID", "FLUX_JOB_ID", "JSM_NAMESPACE", "PMI_JOBID"];
    names.into_iter().find_map(|name| one(&[name])).or_else(|| {
        // A batch script itself has no process number.
        var_os("SLURM_PROCID")?;
        one(&["SLURM_JOB_ID", "SLURM_STEP_ID"])
    })
}

/// Returns the time at which this process started, in ticks since the start of the machine.
pub(super) fn start_of_process() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/stat").ok()?;
    // The fields begin behind the program's name, which may contain blanks and parentheses.
    status.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

fn alone() -> Option<Found> {
    let start = start_of_process()?;
    let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    Some(Found { key: format!("single {} {} {start}", machine.trim(), std::process::id()), number: None })
}

#[cfg(test)]
mod tests {
    use super::{Found, alone, by_environment};

    fn found(variables: &[(&str, &str)]) -> Option<Found> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        };
        by_environment(&variable)
    }

    #[test]
    fn launchers_number_spawned_worlds() {
        let of = |variables: &[(&str, &str)]| found(variables).map(|found| (found.number(true), found.key));
        assert_eq!(
            of(&[("PMIX_NAMESPACE", "prterun-vm-27728@2")]),
            Some((2, "pmix prterun-vm-27728@2".into()))
        );
        let fourth = [("PMIX_NAMESPACE", "12582915"), ("OMPI_MCA_orte_precondition_transports", "c7f5-5c55")];
        assert_eq!(of(&fourth), Some((3, "pmix 12582915 c7f5-5c55".into())));
        let intel = [("I_MPI_HYDRA_UUID", "440f"), ("HYDRA_BSTRAP_PGID", "1")];
        assert_eq!(of(&intel), Some((2, "intel 440f 1".into())));
        assert_eq!(of(&[("PMI_RANK", "0")]), None);
        assert_eq!(found(&intel).unwrap().number(false), 1);
    }

    #[test]
    fn single_processes_have_a_stable_name() {
        let key = alone().unwrap().key;
        assert_eq!(key, alone().unwrap().key);
        assert!(key.contains(&std::process::id().to_string()), "{key}");
    }
}
