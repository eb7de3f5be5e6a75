//! The facts about a job that its files mention: program, command, and versions. Rank 0 records them for all. The first process of each node
//! of a Slurm step records the step as well, so that the nodes of a job are known if that of rank 0 is lost.

use std::fs;
use std::sync::OnceLock;

use mpit::internal::os::environment::var;
use mpit_format::profile::About;
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_format::store::live;
use mpit_job::directory::JobDirectory;
use mpit_job::{name, slurm};

use crate::runtime::RUNTIME;
use crate::store::OF_PROCESS;

/// The facts, once MPI is initialized.
static ABOUT: OnceLock<Vec<About>> = OnceLock::new();

/// Records the facts about the job of this process. `library` is the version string of the MPI library; `None` without one.
pub fn describe(library: Option<String>) {
    let Some(world) = RUNTIME.world() else { return };
    let all = ABOUT.get_or_init(|| {
        if world.rank == 0 {
            facts(library)
        } else {
            facts_of_first_of_node(&|name| var(name), slurm::nodes_of_world)
        }
    });
    if OF_PROCESS.has_file() {
        for fact in all {
            let text = Encoded::default().name(&fact.key).name(&fact.value);
            let _ = OF_PROCESS.add(BlockKind::Description, live::ABOUT, 0, text.words());
        }
    }
}

/// Returns the facts: all in rank 0, the facts of a Slurm step in the first process of each node, none in others.
pub(crate) fn get() -> Vec<About> {
    ABOUT.get().cloned().unwrap_or_default()
}

fn facts(library: Option<String>) -> Vec<About> {
    let words = fs::read("/proc/self/cmdline").unwrap_or_default();
    let program = String::from_utf8_lossy(words.trim_ascii_end()).trim_end_matches('\0').replace('\0', " ");
    let directory = name::of_environment().and_then(|run| JobDirectory::of(&run).ok());
    let command = directory.and_then(|directory| directory.description("command"));
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let all = [("program", Some(program)), ("command", command), ("mpi", library), ("mpit", Some(version))];
    let fact = |(key, value): (&str, Option<String>)| Some(About::new(key, &value?));
    let all = all.into_iter().filter_map(fact).filter(|fact| !fact.value.is_empty());
    all.chain(facts_of_slurm(&|name| var(name))).collect()
}

fn facts_of_slurm(variable: &dyn Fn(&str) -> Option<String>) -> Vec<About> {
    slurm::facts(variable).map(|(kind, value)| About::new(kind, &value)).collect()
}

/// Returns the facts of a Slurm step in the first of its processes on this node. Behind another launcher, all processes inherit the variables
/// of the step.
fn facts_of_first_of_node(
    variable: &dyn Fn(&str) -> Option<String>,
    nodes_of_world: impl FnOnce() -> Option<String>,
) -> Vec<About> {
    if slurm::is_first_of_node(variable) && nodes_of_world().is_some() {
        facts_of_slurm(variable)
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{About, facts_of_first_of_node, facts_of_slurm};

    fn variable(known: &[(&str, &str)], name: &str) -> Option<String> {
        known.iter().find(|(is, _)| *is == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn nodes_are_those_of_the_step() {
        let known = [
            ("SLURM_JOBID", "7"),
            ("SLURM_STEP_ID", ""),
            ("SLURM_STEPID", "2"),
            ("SLURM_JOB_NODELIST", "n[1-4]"),
            ("SLURM_STEP_NODELIST", "n[1-2]"),
        ];
        let expected = [("slurm_job", "7"), ("slurm_step", "2"), ("slurm_nodes", "n[1-2]")];
        assert_eq!(
            facts_of_slurm(&|name| variable(&known, name)),
            expected.map(|(key, value)| About::new(key, value))
        );
        assert_eq!(facts_of_slurm(&|_| None), []);
    }

    #[test]
    fn first_processes_of_nodes_have_facts() {
        let of = |number: Option<&str>, of_srun: bool| {
            let mut known = vec![("SLURM_STEP_ID", "0"), ("SLURM_STEP_NODELIST", "n[1-2]")];
            known.extend(number.map(|number| ("SLURM_LOCALID", number)));
            let nodes = if of_srun { Some("n[1-2]".to_owned()) } else { None };
            facts_of_first_of_node(&|name| variable(&known, name), || nodes).len()
        };
        assert_eq!(of(Some("0"), true), 2);
        assert_eq!(of(Some("1"), true), 0);
        assert_eq!(of(None, true), 0);
        // The variables of the script or of a daemon.
        assert_eq!(of(Some("0"), false), 0);
    }
}
