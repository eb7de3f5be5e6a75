//! Observation of a command's processes on this machine from outside, including those that cannot be preloaded into.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit_job::launcher::{LAUNCHERS, Launcher, of_variables};

use crate::elf::Program;
use crate::pid_namespace::{self, OwnNumber};
use crate::preload;
use crate::process_files::{Environment, has_mpi};

const PAUSE: Duration = Duration::from_millis(3);

#[allow(clippy::struct_excessive_bools, reason = "four facts that do not depend on each other")]
#[derive(Clone, Debug)]
pub(super) struct ObservedProgram {
    /// The number that the process has for itself.
    pub(super) own_number: OwnNumber,
    pub(super) program: PathBuf,
    pub(super) kind: Option<Program>,
    pub(super) is_requested: bool,
    pub(super) has_settings: bool,
    pub(super) has_library: bool,
    pub(super) has_mpi: bool,
    /// The launcher, if the MPI library is not the one that it starts processes for.
    pub(super) foreign_launcher: Option<&'static str>,
}

pub(super) struct Watch {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<ObservedProgram>>>,
}

impl Watch {
    pub(super) fn start(pid: u32, library: &Path) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (ended, library) = (Arc::clone(&is_over), library.to_owned());
        let thread = thread::Builder::new().name("watch".into()).spawn(move || {
            let mut all = BTreeMap::new();
            while !ended.load(Relaxed) {
                scan(pid, &library, &mut all);
                thread::sleep(PAUSE);
            }
            all.into_values().collect()
        });
        Self { is_over, thread: thread.ok() }
    }

    pub(super) fn end(self) -> Vec<ObservedProgram> {
        self.is_over.store(true, Relaxed);
        self.thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

fn scan(first: u32, library: &Path, all: &mut BTreeMap<(u32, PathBuf), ObservedProgram>) {
    let mut left = vec![first];
    while let Some(pid) = left.pop() {
        let place = PathBuf::from(format!("/proc/{pid}"));
        for thread in fs::read_dir(place.join("task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            left.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        let Ok(program) = fs::read_link(place.join("exe")) else { continue };
        let before = all.get(&(pid, program.clone()));
        if before.is_some_and(|observed| observed.has_library && observed.has_mpi) {
            continue;
        }
        let (environment, maps) = (Environment::of(pid), fs::read_to_string(place.join("maps")));
        let (Some(environment), Ok(maps)) = (environment, maps) else { continue };
        // The data is valid only if the process still runs the same program.
        if maps.is_empty() || fs::read_link(place.join("exe")).ok().as_ref() != Some(&program) {
            continue;
        }
        let kind = before.map_or_else(|| Program::of(&program), |observed| observed.kind);
        let mut observed = ObservedProgram {
            own_number: pid_namespace::own_number(pid),
            program: program.clone(),
            kind,
            ..observe(&environment, &maps, library)
        };
        if let Some(before) = before {
            observed.has_library |= before.has_library;
            observed.has_mpi |= before.has_mpi;
            observed.foreign_launcher = observed.foreign_launcher.or(before.foreign_launcher);
        }
        all.insert((pid, program), observed);
    }
}

fn observe(environment: &Environment, maps: &str, library: &Path) -> ObservedProgram {
    let value = |name: &str| environment.bytes(name);
    let resolved = library.canonicalize().unwrap_or_else(|_| library.to_owned());
    let is_ours = |path: &str| Path::new(path) == resolved;
    let files = || maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    let preloaded = value(preload::VARIABLE).unwrap_or_default();
    ObservedProgram {
        own_number: OwnNumber::default(),
        program: PathBuf::new(),
        kind: None,
        is_requested: preloaded
            .split(|byte| matches!(byte, b':' | b' '))
            .any(|one| one.ends_with(library.as_os_str().as_bytes())),
        has_settings: value(LAUNCHER_SETTINGS).is_some(),
        has_library: files().any(is_ours),
        has_mpi: has_mpi(maps),
        foreign_launcher: of_variables(|name| value(name).is_some())
            .and_then(|(name, _)| {
                LAUNCHERS.iter().find(|one| one.name == name && !one.library_files.is_empty())
            })
            .map(|launcher| launcher.name)
            .filter(|launcher| files().filter_map(launcher_of).any(|own| own != *launcher)),
    }
}

/// Returns the launcher of the MPI library in a file, if the version in its name shows it.
fn launcher_of(path: &str) -> Option<&'static str> {
    let base = path.rsplit('/').next()?;
    let has = |launcher: &&Launcher| launcher.library_files.iter().any(|begin| base.starts_with(begin));
    LAUNCHERS.iter().find(has).map(|launcher| launcher.name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Environment, observe};

    const OPEN_MPI: &str = "mpiexec of Open MPI";
    const HYDRA: &str = "Hydra, the mpiexec of MPICH and Intel MPI";

    #[test]
    fn launchers_of_other_libraries_are_noticed() {
        let library = |name| format!("7f00-7f01 r-xp 00000000 08:01 42 /usr/lib/{name}\n");
        for (variable, name, expected) in [
            ("OMPI_COMM_WORLD_SIZE", "libmpich.so.12.2.1", Some(OPEN_MPI)),
            ("OMPI_COMM_WORLD_SIZE", "libmpi.so.12", Some(OPEN_MPI)),
            ("OMPI_COMM_WORLD_SIZE", "libmpi.so.40.30.4", None),
            ("OMPI_COMM_WORLD_SIZE", "libmpi_abi.so.0", None),
            ("PMI_SIZE", "libmpi.so.40.30.4", Some(HYDRA)),
            ("PMI_SIZE", "libmpich.so.12.2.1", None),
            ("SLURM_STEP_NUM_TASKS", "libmpich.so.12.2.1", None),
            ("HOME", "libmpich.so.12.2.1", None),
        ] {
            let environment = Environment::parse(&format!("PATH=/bin\0{variable}=2\0"));
            let observed = observe(&environment, &library(name), Path::new("/none.so"));
            assert_eq!((observed.has_mpi, observed.foreign_launcher), (true, expected), "{variable} {name}");
        }
    }
}
