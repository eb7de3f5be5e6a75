//! Steps of Slurm, by their numbers.

/// The largest number of a step of `srun`. Slurm uses larger ones for the script of a batch job and the shell of an interactive one.
const LAST_STEP: u32 = 0xffff_fff0;

/// Returns true if this is the number of a step of Slurm that `srun` started. The nodes of other steps are those of the allocation, of which a
/// job may use a part.
#[must_use]
pub fn is_step_of_srun(step: &str) -> bool {
    step.parse::<u32>().is_ok_and(|step| step <= LAST_STEP)
}
