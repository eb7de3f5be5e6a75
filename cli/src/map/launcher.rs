//! Launchers, and the command lines that use a placement.

use std::collections::BTreeSet;
use std::net::IpAddr;

use clap::ValueEnum;
use mpit_report::Job;

use super::topology::Topology;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Launcher {
    /// mpiexec of Open MPI 4
    Openmpi4,
    /// mpiexec of Open MPI 5
    Openmpi5,
    /// srun
    Slurm,
    /// mpiexec of MPICH and Intel MPI
    Hydra,
    /// The launchers of Cray MPICH
    Cray,
}

impl Launcher {
    #[cfg(test)]
    pub(super) const ALL: [Self; 5] = [Self::Openmpi4, Self::Openmpi5, Self::Slurm, Self::Hydra, Self::Cray];

    /// Returns the launcher of the run, by the MPI library and the command that its files name.
    pub(super) fn of(job: &Job) -> Result<Self, String> {
        let fact = |key: &str| job.about.iter().find(|fact| fact.key == key).map(|fact| fact.value.as_str());
        detect(fact("mpi").unwrap_or_default(), fact("command").unwrap_or_default()).ok_or_else(|| {
            "the files do not name an MPI library whose launcher is known; use --launcher".to_owned()
        })
    }

    /// Returns true if the file names nodes.
    pub(super) fn needs_names(self) -> bool {
        self != Self::Cray
    }

    /// Returns the names of nodes as the launcher knows them. Open MPI cuts the domain off its own node's name, and then accepts the short name
    /// only. Slurm's names are those of its configuration, by default without a domain; names that the user gives (`are_given`) are taken
    /// for these.
    pub(super) fn names_of_nodes(self, names: Vec<String>, are_given: bool) -> Vec<String> {
        match self {
            Self::Openmpi4 | Self::Openmpi5 => without_domains(names),
            Self::Slurm if !are_given => without_domains(names),
            Self::Slurm | Self::Hydra | Self::Cray => names,
        }
    }

    /// Returns the command line for the program of the run, with a file that has the placement.
    pub(super) fn line(self, file: &str, job: &Job, topology: &Topology) -> String {
        let program = job.about.iter().find(|fact| fact.key == "program");
        let program = program.map_or("./app", |fact| fact.value.as_str());
        let file = quoted(file);
        let ranks = topology.present.len();
        let nodes = topology.cores.iter().filter(|cores| **cores > 0).count();
        match self {
            Self::Openmpi4 => format!("mpiexec --rankfile {file} -n {ranks} {program}"),
            Self::Openmpi5 => format!("mpiexec --map-by rankfile:file={file} -n {ranks} {program}"),
            Self::Slurm => {
                format!("SLURM_HOSTFILE={file} srun --distribution=arbitrary -N {nodes} -n {ranks} {program}")
            }
            Self::Hydra => format!("mpiexec -machinefile {file} -n {ranks} {program}"),
            Self::Cray => {
                let most = topology.cores.iter().max().copied().unwrap_or(1);
                let copy = if file == "MPICH_RANK_ORDER" {
                    String::new()
                } else {
                    format!("cp {file} MPICH_RANK_ORDER; ")
                };
                format!(
                    "{copy}MPICH_RANK_REORDER_METHOD=3 srun -n {ranks} --ntasks-per-node={most} --distribution=block {program}"
                )
            }
        }
    }
}

/// Cuts the domains off the names of hosts, if the rest is still different for each of them.
fn without_domains(names: Vec<String>) -> Vec<String> {
    let host = |name: &String| match name.split_once('.') {
        Some((host, _)) if name.parse::<IpAddr>().is_err() => host.to_owned(),
        _ => name.clone(),
    };
    let hosts: Vec<String> = names.iter().map(host).collect();
    let distinct = hosts.iter().collect::<BTreeSet<_>>().len();
    if distinct == names.len() && !hosts.iter().any(String::is_empty) { hosts } else { names }
}

fn detect(library: &str, command: &str) -> Option<Launcher> {
    let starts =
        |program: &str| command.split_whitespace().any(|word| word.rsplit('/').next() == Some(program));
    match library {
        _ if library.to_ascii_uppercase().contains("CRAY MPICH") => Some(Launcher::Cray),
        _ if starts("srun") => Some(Launcher::Slurm),
        _ if library.starts_with("Open MPI v4") => Some(Launcher::Openmpi4),
        _ if library.starts_with("Open MPI v") => {
            let version = library.trim_start_matches("Open MPI v");
            let major = version.split('.').next()?.parse::<u32>().ok()?;
            if major >= 5 { Some(Launcher::Openmpi5) } else { Some(Launcher::Openmpi4) }
        }
        _ if ["MPICH", "MVAPICH", "Intel(R) MPI"].iter().any(|name| library.contains(name)) => {
            Some(Launcher::Hydra)
        }
        _ => None,
    }
}

/// Quotes a word for the shell, if it needs that.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if word.chars().all(is_plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::{Launcher, detect, quoted};

    #[test]
    fn launchers_are_detected() {
        for (library, command, launcher) in [
            ("Open MPI v4.1.4, package: Debian OpenMPI", "mpiexec -n 4 ./app", Some(Launcher::Openmpi4)),
            ("Open MPI v3.1.6", "", Some(Launcher::Openmpi4)),
            ("Open MPI v5.0.11, package: x", "", Some(Launcher::Openmpi5)),
            ("Open MPI v10.0.0", "", Some(Launcher::Openmpi5)),
            ("MPICH Version: 4.0.2", "", Some(Launcher::Hydra)),
            ("Intel(R) MPI Library 2021.19 for Linux* OS", "mpirun -n 4 a", Some(Launcher::Hydra)),
            ("MPICH Version: 4.0.2", "/usr/bin/srun -n 4 ./app", Some(Launcher::Slurm)),
            ("MPI VERSION : CRAY MPICH version 8.1.28.29", "srun -n 4 ./app", Some(Launcher::Cray)),
            ("MVAPICH2", "", Some(Launcher::Hydra)),
            ("", "", None),
        ] {
            assert_eq!(detect(library, command), launcher, "{library}, {command}");
        }
    }

    #[test]
    fn names_of_nodes_are_those_of_launchers() {
        let of = |launcher: Launcher, names: &[&str], are_given| {
            launcher.names_of_nodes(names.iter().map(ToString::to_string).collect(), are_given)
        };
        let full = ["a.site.example", "b.site.example"];
        for launcher in [Launcher::Openmpi4, Launcher::Openmpi5] {
            assert_eq!(of(launcher, &full, true), ["a", "b"]);
        }
        assert_eq!(of(Launcher::Slurm, &full, false), ["a", "b"]);
        assert_eq!(of(Launcher::Slurm, &full, true), full);
        assert_eq!(of(Launcher::Hydra, &full, false), full);
        for kept in [["a.one", "a.other"], ["10.0.0.1", "10.0.0.2"], ["a", "b"], [".a", "b"]] {
            assert_eq!(of(Launcher::Openmpi5, &kept, false), kept);
        }
        assert_eq!(of(Launcher::Openmpi5, &["10.0.0.1", "b.c"], false), ["10.0.0.1", "b"]);
    }

    #[test]
    fn file_names_are_quoted() {
        assert_eq!(["a/b.c", "a b", "it's"].map(quoted), ["a/b.c", "'a b'", r"'it'\''s'"]);
    }
}
