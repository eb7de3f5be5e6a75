//! Launchers, and the command lines that use a placement.

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
    fn file_names_are_quoted() {
        assert_eq!(["a/b.c", "a b", "it's"].map(quoted), ["a/b.c", "'a b'", r"'it'\''s'"]);
    }
}
