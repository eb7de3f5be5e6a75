//! Launchers by their programs, in command lines and on the disk, and by the MPI library of a run.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::launchers::{LAUNCHERS, Launcher, LibraryVersion, Placement};

/// Returns the launcher that a command begins with, behind programs that run others, and the place of its word. `find` returns the file
/// that the system starts for a word.
pub fn of_command(
    words: &[OsString],
    find: impl Fn(&OsStr) -> Option<PathBuf>,
) -> Option<(usize, &'static Launcher)> {
    let mut at = 0;
    loop {
        let name = Path::new(words.get(at)?).file_name()?.to_str()?;
        let is_option =
            |at: usize| words.get(at).is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"));
        match name {
            "env" => {
                at += 1;
                while words.get(at)?.as_encoded_bytes().contains(&b'=') && !is_option(at) {
                    at += 1;
                }
            }
            "timeout" => {
                at += 1;
                while is_option(at) {
                    at += if ["-k", "-s"].iter().any(|option| words[at] == *option) { 2 } else { 1 };
                }
                at += 1;
            }
            "time" | "nohup" => at += 1,
            _ => return Some((at, of_program(name, || find(&words[at]))?)),
        }
    }
}

/// Returns true for the name of a launcher of MPI programs, which an MPI library or a version may follow: `mpiexec`,
/// `mpirun.openmpi`, `mpiexec-5.0`.
#[must_use]
pub fn is_launcher(name: &str) -> bool {
    let is_launcher_of = |suffix: &str| {
        let is_version =
            suffix.trim_start_matches(['.', '-', '_']).starts_with(|first: char| first.is_ascii_digit());
        suffix.is_empty() || is_version || of_name(suffix).is_some()
    };
    let programs = LAUNCHERS.iter().flat_map(|launcher| launcher.programs);
    programs.filter_map(|program| name.strip_prefix(program)).any(is_launcher_of)
}

/// Returns the launcher of a program's name, and its file.
fn of_program(name: &str, file: impl Fn() -> Option<PathBuf>) -> Option<&'static Launcher> {
    if !is_launcher(name) {
        return None;
    }
    // Installations of several MPI libraries choose by links.
    only(|launcher| launcher.programs.contains(&name)).or_else(|| of_name(name)).or_else(|| {
        let file = file()?.canonicalize().ok()?;
        let by_name = file.file_name().and_then(OsStr::to_str).and_then(of_name);
        by_name.or_else(|| of_directory(file.parent()?))
    })
}

fn of_name(name: &str) -> Option<&'static Launcher> {
    LAUNCHERS.iter().find(|launcher| launcher.name_parts.iter().any(|part| name.contains(part)))
}

/// Recognizes an installation by other programs in its directory.
fn of_directory(directory: &Path) -> Option<&'static Launcher> {
    only(|launcher| launcher.neighbors.iter().any(|name| directory.join(name).is_file()))
}

/// Returns the launcher with a property, if no other one has it.
fn only(has: impl Fn(&Launcher) -> bool) -> Option<&'static Launcher> {
    let mut all = LAUNCHERS.iter().filter(|launcher| has(launcher));
    let first = all.next();
    if all.next().is_some() { None } else { first }
}

/// Returns the placement for the next run, by the version text of the MPI library and the command of the last one.
#[must_use]
pub fn of_run(library: &str, command: &str) -> Option<&'static Placement> {
    let all = || LAUNCHERS.iter().flat_map(|one| one.placements.iter().map(move |place| (one, place)));
    let starts = |launcher: &Launcher| {
        let mut names = command.split_whitespace().filter_map(|word| word.rsplit('/').next());
        names.any(|name| launcher.programs.contains(&name))
    };
    let has = |parts: &[&str]| parts.iter().any(|part| library.contains(part));
    all()
        .find(|(_, place)| matches!(place.library, LibraryVersion::ReadBy(parts) if has(parts)))
        .or_else(|| all().find(|(one, place)| matches!(place.library, LibraryVersion::Any) && starts(one)))
        .or_else(|| {
            all().find(|(_, place)| match place.library {
                LibraryVersion::Begins(name, from, to) => {
                    let version = library
                        .strip_prefix(name)
                        .and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
                    version
                        .and_then(|major| major.parse().ok())
                        .is_some_and(|major| (from..=to).contains(&major))
                }
                LibraryVersion::Has(parts) => has(parts),
                LibraryVersion::ReadBy(_) | LibraryVersion::Any => false,
            })
        })
        .map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::{is_launcher, of_directory, of_run};

    #[test]
    fn launchers_have_suffixes() {
        for name in ["mpiexec", "srun", "mpirun.mpich", "mpiexec.hydra", "mpirun-openmpi-mp", "orterun-4.1"] {
            assert!(is_launcher(name), "{name}");
        }
        for name in ["mpiexec.log", "my-mpirun", "orterun.txt", "srun_all", "mpirunner", "mpi", ""] {
            assert!(!is_launcher(name), "{name}");
        }
    }

    #[test]
    fn installations_are_recognized() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let found = || of_directory(directory.path()).map(|launcher| launcher.name);
        assert_eq!(found(), None);
        std::fs::write(at("ompi_info"), "").unwrap();
        assert_eq!(found(), Some("mpiexec of Open MPI"));
        std::fs::write(at("mpiexec.hydra"), "").unwrap();
        assert_eq!(found(), None);
        std::fs::remove_file(at("ompi_info")).unwrap();
        assert_eq!(found(), Some("Hydra, the mpiexec of MPICH and Intel MPI"));
    }

    #[test]
    fn launchers_of_runs_are_detected() {
        for (library, command, launcher) in [
            ("Open MPI v4.1.4, package: Debian OpenMPI", "mpiexec -n 4 ./app", Some("openmpi4")),
            ("Open MPI v3.1.6", "", Some("openmpi4")),
            ("Open MPI v5.0.11, package: x", "", Some("openmpi5")),
            ("Open MPI v10.0.0", "", Some("openmpi5")),
            ("MPICH Version: 4.0.2", "", Some("hydra")),
            ("Intel(R) MPI Library 2021.19 for Linux* OS", "mpirun -n 4 a", Some("hydra")),
            ("MPICH Version: 4.0.2", "/usr/bin/srun -n 4 ./app", Some("slurm")),
            ("MPI VERSION : CRAY MPICH version 8.1.28.29", "srun -n 4 ./app", Some("cray")),
            ("MVAPICH2", "", Some("hydra")),
            ("", "", None),
        ] {
            assert_eq!(of_run(library, command).map(|found| found.name), launcher, "{library}, {command}");
        }
    }
}
