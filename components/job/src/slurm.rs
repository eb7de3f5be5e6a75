//! The steps of Slurm, and the facts about them.

#[cfg(feature = "process")]
use mpit_base::internal::os::environment::var;

#[cfg(feature = "process")]
use crate::launcher::is_of_srun;

/// The kind of the fact that names the job.
pub const JOB: &str = "slurm_job";

/// The kind of the fact that names the step.
pub const STEP: &str = "slurm_step";

/// The kind of the fact that names the nodes.
pub const NODES: &str = "slurm_nodes";

/// The variables with the number of a step, of present and of older versions.
const STEPS: [&str; 2] = ["SLURM_STEP_ID", "SLURM_STEPID"];

/// The variable with the nodes of a step.
const STEP_NODES: &str = "SLURM_STEP_NODELIST";

/// The facts about a job, and the variables that have them: those of a step come before those of the whole allocation.
const FACTS: [(&str, [&str; 2]); 3] =
    [(JOB, ["SLURM_JOB_ID", "SLURM_JOBID"]), (STEP, STEPS), (NODES, [STEP_NODES, "SLURM_JOB_NODELIST"])];

/// The largest number of a step of `srun`. Slurm uses larger ones for the script of a batch job and the shell of an interactive one.
const LAST_STEP: u32 = 0xffff_fff0;

/// Returns true if this is the number of a step of Slurm that `srun` started. The nodes of other steps are those of the allocation, of which a
/// job may use a part.
#[must_use]
pub fn is_step_of_srun(step: &str) -> bool {
    step.parse::<u32>().is_ok_and(|step| step <= LAST_STEP)
}

/// Returns the kinds and values of the facts.
pub fn facts(variable: &dyn Fn(&str) -> Option<String>) -> impl Iterator<Item = (&'static str, String)> {
    FACTS.iter().filter_map(|(kind, names)| Some((*kind, first_of(names, variable)?)))
}

/// Returns true for the first process of a node, among those of a step. Processes of other launchers have the variable of the script or of
/// the launcher's daemon.
#[must_use]
pub fn is_first_of_node(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable("SLURM_LOCALID").is_some_and(|number| number == "0")
}

/// Returns the nodes of the step, as Slurm writes them, if `srun` started the processes of this world, or of the world of the process that
/// this one starts. Other launchers may use a part of the nodes, or others as well.
#[cfg(feature = "process")]
#[must_use]
pub fn nodes_of_world() -> Option<String> {
    nodes_by(&|name| var(name), is_of_srun)
}

#[cfg(any(test, feature = "process"))]
fn nodes_by(
    variable: &dyn Fn(&str) -> Option<String>,
    is_world_of_srun: impl FnOnce() -> bool,
) -> Option<String> {
    let step = first_of(&STEPS, variable)?;
    let nodes = first_of(&[STEP_NODES], variable)?;
    if is_step_of_srun(&step) && is_world_of_srun() { Some(nodes) } else { None }
}

/// Returns the value of the first of these variables that has one. An empty value counts as none.
fn first_of(names: &[&str], variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    names.iter().find_map(|name| variable(name).filter(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::nodes_by;

    #[test]
    fn nodes_are_of_a_step_of_srun() {
        let of = |known: &[(&str, &str)], is_world_of_srun| {
            let variable =
                |name: &str| known.iter().find(|(is, _)| *is == name).map(|(_, value)| (*value).to_owned());
            nodes_by(&variable, || is_world_of_srun)
        };
        let nodes = ("SLURM_STEP_NODELIST", "n[1-4]");
        assert_eq!(of(&[("SLURM_STEP_ID", "0"), nodes], true).as_deref(), Some("n[1-4]"));
        assert_eq!(
            of(&[("SLURM_STEP_ID", ""), ("SLURM_STEPID", "3"), nodes], true).as_deref(),
            Some("n[1-4]")
        );
        // Another launcher in the shell of `srun --pty`.
        assert_eq!(of(&[("SLURM_STEP_ID", "0"), nodes], false), None);
        // The script of a job.
        assert_eq!(of(&[("SLURM_STEP_ID", "4294967291"), nodes], true), None);
        assert_eq!(of(&[nodes], true), None);
        assert_eq!(of(&[("SLURM_STEP_ID", "0"), ("SLURM_STEP_NODELIST", "")], true), None);
        assert_eq!(of(&[("SLURM_STEP_ID", "0"), ("SLURM_JOB_NODELIST", "n[1-4]")], true), None);
    }
}
