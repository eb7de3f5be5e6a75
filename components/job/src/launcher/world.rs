//! The launcher's name of the world of this process: equal in all processes of the world, different in each step and each
//! spawned world.
//!
//! The table says which [`WorldName`]s a launcher gives. With Hydra of MPICH, it is control port and process group, on the command line of
//! the proxy that started the process. In a PID namespace of its own, a process does not see the proxy: there it is the connection of the
//! proxy to the launcher, which processes inherit. Without a launcher, it is machine, process and its start, for a world of one process.

use std::fs;

use mpit_base::internal::os::environment::var;
use mpit_base::internal::os::own_process;
use mpit_base::internal::os::peer_port::peer_port;

use super::launchers::{VARIABLES, WorldName};
use crate::node::this_node;

/// The beginning of the names that `srun --mpi=pmix` gives to worlds.
const SLURM_NAMESPACE: &str = "slurm.";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) key: String,
    /// The number of the world among those of its launcher, from 1, if it is known.
    number: Option<u32>,
}

impl Found {
    /// Returns the number of the world if no other process can be queried.
    pub(crate) fn number(&self, spawned: bool) -> u32 {
        if spawned { self.number.unwrap_or(2).max(2) } else { 1 }
    }
}

/// Returns the name of the world; `None` if there are several processes and no name that all of them know.
pub(crate) fn world(size: u32, spawned: bool) -> Option<Found> {
    let found = launched(spawned).or_else(|| if size == 1 { alone() } else { None })?;
    Some(Found { key: found.key.replace(char::is_control, " "), ..found })
}

/// Returns the launcher's name of the world of the process that this one starts, which is the same that the process finds. `None` if it is
/// not started by a launcher that names its worlds.
#[must_use]
pub fn world_of_child() -> Option<String> {
    launched(false).map(|found| found.key.replace(char::is_control, " "))
}

fn variable(name: &str) -> Option<String> {
    var(name).filter(|value| !value.is_empty())
}

fn launched(spawned: bool) -> Option<Found> {
    launched_by(&variable, || hydra(spawned))
}

fn worlds() -> impl Iterator<Item = WorldName> {
    VARIABLES.iter().flat_map(|(_, known)| known.worlds).copied()
}

fn launched_by(
    variable: &dyn Fn(&str) -> Option<String>,
    proxy: impl Fn() -> Option<Found>,
) -> Option<Found> {
    worlds().find_map(|world| match world {
        WorldName::Namespace(variables, random) => namespace(variables, random, variable),
        WorldName::Group(prefix, launcher, group) => {
            let (launcher, group) = (variable(launcher)?, variable(group).unwrap_or_default());
            let number = group.parse().ok().map(|group: u32| group.saturating_add(1));
            Some(Found { key: format!("{prefix} {launcher} {group}"), number })
        }
        WorldName::Proxy(connections) => {
            connections.into_iter().find_map(variable)?;
            proxy()
        }
        WorldName::Number(variables, requires) => {
            requires.map_or(Some(String::new()), variable)?;
            let values: Option<Vec<_>> = variables.iter().map(|name| variable(name)).collect();
            let key = format!("{} {}{}", variables[0], values?.join("."), slurm_try(variable));
            Some(Found { key, number: None })
        }
    })
}

/// Returns true if `srun` itself started the processes of this world, or of the world of the process that this one starts. `mpiexec` often
/// starts its daemons by `srun`, and their processes inherit the variables of the daemons' step.
pub(crate) fn is_of_srun() -> bool {
    is_of_srun_by(&variable, || hydra(false).is_some())
}

fn is_of_srun_by(variable: &dyn Fn(&str) -> Option<String>, has_proxy: impl FnOnce() -> bool) -> bool {
    let mut others = VARIABLES.iter().filter_map(|(_, known)| known.never_of_srun);
    if variable("SLURM_PROCID").is_none() || others.any(|name| variable(name).is_some()) {
        return false;
    }
    let value = |names: [&str; 2]| names.into_iter().find_map(variable);
    let is_of_another = |namespace: String| !namespace.starts_with(SLURM_NAMESPACE);
    let mut namespaces = worlds().filter_map(|world| match world {
        WorldName::Namespace(names, _) => value(names),
        _ => None,
    });
    if namespaces.any(is_of_another) {
        return false;
    }
    let has_pmi = worlds().any(|world| matches!(world, WorldName::Proxy(names) if value(names).is_some()));
    // `srun --mpi=pmi2` sets both, Hydra only the first. In a step of PMI-2, Hydra's processes inherit the second, and have a proxy.
    !has_pmi || (variable("PMI_JOBID").is_some() && !has_proxy())
}

/// Returns the part of a name that distinguishes the tries of a job that Slurm starts again: its steps have the same numbers.
fn slurm_try(variable: &dyn Fn(&str) -> Option<String>) -> String {
    variable("SLURM_RESTART_COUNT")
        .filter(|count| count != "0")
        .map_or_else(String::new, |count| format!(" try {count}"))
}

fn namespace(variables: [&str; 2], random: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<Found> {
    let namespace = variables.into_iter().find_map(variable)?;
    let more = if namespace.starts_with(SLURM_NAMESPACE) {
        slurm_try(variable)
    } else {
        variable(random).map(|key| format!(" {key}")).unwrap_or_default()
    };
    let number = match namespace.rsplit_once('@') {
        Some((_, number)) => number.parse().ok(),
        // The lower half of a job's number counts the jobs of one launcher.
        None => namespace.parse().ok().map(|job: u32| job & 0xffff),
    };
    Some(Found { key: format!("pmix {namespace}{more}"), number })
}

/// The number of ancestors to search: shells and other wrappers may be between proxy and process.
const ANCESTORS: usize = 8;

/// The variable with the descriptor of the proxy's connection to the launcher.
const CONTROL: &str = "HYDI_CONTROL_FD";

fn hydra(spawned: bool) -> Option<Found> {
    let mut key = proxy().or_else(control_connection)?;
    if spawned {
        // The proxy may be the one that started the parents.
        key.push_str(" spawned ");
        key.push_str(&shared_memory().unwrap_or_default());
    }
    Some(Found { key, number: None })
}

/// Returns the name of the world that the command line of the proxy has.
fn proxy() -> Option<String> {
    let mut process = own_process::parent()?;
    for _ in 0..ANCESTORS {
        let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
        let words: Vec<_> = line.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        let after = |option: &str| {
            let at = words.iter().position(|word| word == option)?;
            words.get(at + 1).map(ToString::to_string)
        };
        if let Some(port) = after("--control-port") {
            return Some(format!("hydra {port} {}", after("--pgid").unwrap_or_default()));
        }
        process = parent_of(process)?;
    }
    None
}

/// Returns the name of the world by the connection of the proxy. On other machines, it leads to the same port of the launcher, by different
/// addresses. On the launcher's own machine, it has no port, and the only proxy.
fn control_connection() -> Option<String> {
    let descriptor = var(CONTROL)?.parse().ok()?;
    let name = match peer_port(descriptor) {
        Some(port) => format!("port {port}"),
        None => fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()?.to_str()?.to_owned(),
    };
    let is_socket = name.starts_with("port ") || name.starts_with("socket:");
    if is_socket { Some(format!("hydra {name} {}", var("PMI_SIZE").unwrap_or_default())) } else { None }
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

fn alone() -> Option<Found> {
    own_process::start()?;
    Some(Found { key: format!("single {} {}", this_node(), own_process::name()), number: None })
}

#[cfg(test)]
mod tests {
    use super::{Found, alone, is_of_srun_by, launched_by};

    fn found(variables: &[(&str, &str)]) -> Option<Found> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        };
        launched_by(&variable, || None)
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
    fn tries_of_a_job_have_names_of_their_own() {
        let of = |variables: &[(&str, &str)]| found(variables).unwrap().key;
        let step = [("SLURM_PROCID", "1"), ("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0")];
        let pmix = [("PMIX_NAMESPACE", "slurm.pmix.7.0")];
        for (count, more) in [("0", ""), ("2", " try 2")] {
            let again = [("SLURM_RESTART_COUNT", count)];
            assert_eq!(of(&[&step[..], &again].concat()), format!("SLURM_JOB_ID 7.0{more}"));
            assert_eq!(of(&[&pmix[..], &again].concat()), format!("pmix slurm.pmix.7.0{more}"));
        }
        assert_eq!(of(&step), "SLURM_JOB_ID 7.0");
    }

    /// Tests that processes behind other launchers, which inherit the variables of a step, are not of `srun`.
    #[test]
    fn worlds_of_srun_are_identified() {
        let of = |more: &[(&str, &str)], has_proxy| {
            let all = [&[("SLURM_PROCID", "0")], more].concat();
            let variable =
                |name: &str| all.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
            is_of_srun_by(&variable, || has_proxy)
        };
        let (fd, job) = (("PMI_FD", "5"), ("PMI_JOBID", "7.0"));
        let of_srun: [&[(&str, &str)]; 4] =
            [&[], &[fd, job], &[("PMIX_NAMESPACE", "slurm.pmix.7.0")], &[("PALS_APID", "7")]];
        for variables in of_srun {
            assert!(of(variables, false), "{variables:?}");
        }
        let others: [&[(&str, &str)]; 7] = [
            &[("PMIX_NAMESPACE", "prterun-n1-27728@1")],
            &[("OMPI_MCA_ess_base_jobid", "12582913"), fd, job],
            &[("I_MPI_HYDRA_UUID", "440f"), ("PMIX_NAMESPACE", "slurm.pmix.7.0")],
            &[fd],
            &[("PMI_PORT", "n1:4000")],
            &[fd, ("PMIX_NAMESPACE", "slurm.pmix.7.0")],
            &[("FLUX_JOB_ID", "f1"), fd, job],
        ];
        for variables in others {
            assert!(!of(variables, false), "{variables:?}");
        }
        assert!(!of(&[fd, job], true), "Hydra in a step of PMI-2");
        assert!(!is_of_srun_by(&|_| None, || false));
    }

    #[test]
    fn single_processes_have_a_stable_name() {
        let key = alone().unwrap().key;
        assert_eq!(key, alone().unwrap().key);
        assert!(key.contains(&std::process::id().to_string()), "{key}");
    }
}
