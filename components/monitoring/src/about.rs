//! The facts about a job that its files mention: program, command, and versions. Rank 0 records them for all.

use std::fs;
use std::sync::OnceLock;

use mpit::internal::environment::var;
use mpit_format::profile::About;
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_format::store::live;

use crate::run;
use crate::run::job::JobDirectory;
use crate::runtime::RUNTIME;
use crate::store::OF_PROCESS;

/// The facts, once MPI is initialized.
static ABOUT: OnceLock<Vec<About>> = OnceLock::new();

/// The facts about a job of Slurm, and the variables that have them: those of a step come before those of the whole allocation.
const SLURM: [(&str, [&str; 2]); 3] = [
    ("slurm_job", ["SLURM_JOB_ID", "SLURM_JOBID"]),
    ("slurm_step", ["SLURM_STEP_ID", "SLURM_STEPID"]),
    ("slurm_nodes", ["SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"]),
];

/// Records the facts about the job of this process. `library` is the version string of the MPI library; `None` without one.
pub fn describe(library: Option<String>) {
    if RUNTIME.world().is_none_or(|world| world.rank != 0) {
        return;
    }
    let all = ABOUT.get_or_init(|| facts(library));
    if OF_PROCESS.has_file() {
        for fact in all {
            let text = Encoded::of_names(&[&fact.key, &fact.value]);
            OF_PROCESS.add(BlockKind::Description, live::ABOUT, 0, text.words());
        }
    }
}

/// Returns the facts; none in other processes than rank 0.
pub(crate) fn get() -> Vec<About> {
    ABOUT.get().cloned().unwrap_or_default()
}

fn facts(library: Option<String>) -> Vec<About> {
    let words = fs::read("/proc/self/cmdline").unwrap_or_default();
    let program = String::from_utf8_lossy(words.trim_ascii_end()).trim_end_matches('\0').replace('\0', " ");
    let directory = run::of_environment().and_then(|run| JobDirectory::of(&run).ok());
    let command = directory.and_then(|directory| directory.description("command"));
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let all = [("program", Some(program)), ("command", command), ("mpi", library), ("mpit", Some(version))];
    let all = all.into_iter().chain(SLURM.map(|(key, names)| (key, names.into_iter().find_map(var))));
    let fact = |(key, value): (&str, Option<String>)| Some(About::new(key, &value?));
    all.filter_map(fact).filter(|fact| !fact.value.is_empty()).collect()
}
