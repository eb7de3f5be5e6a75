//! The step of Slurm of a world.

use mpit::internal::environment::var;
use mpit_format::slurm::is_step_of_srun;

use super::launcher;

/// The variables with the number of a step, of present and of older versions.
pub(crate) const STEP: [&str; 2] = ["SLURM_STEP_ID", "SLURM_STEPID"];

/// The variable with the nodes of a step.
pub(crate) const STEP_NODES: &str = "SLURM_STEP_NODELIST";

/// Returns the nodes of the step, as Slurm writes them, if `srun` started the processes of this world, or of the world of the process that
/// this one starts. Other launchers may use a part of the nodes, or others as well.
#[must_use]
pub fn nodes_of_world() -> Option<String> {
    nodes_by(&|name| var(name), launcher::is_of_srun)
}

fn nodes_by(
    variable: &dyn Fn(&str) -> Option<String>,
    is_world_of_srun: impl FnOnce() -> bool,
) -> Option<String> {
    let step = first_of(&STEP, variable)?;
    let nodes = first_of(&[STEP_NODES], variable)?;
    if is_step_of_srun(&step) && is_world_of_srun() { Some(nodes) } else { None }
}

/// Returns the value of the first of these variables that has one. An empty value counts as none.
pub(crate) fn first_of(names: &[&str], variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
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
