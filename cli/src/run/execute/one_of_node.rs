//! The `mpit run`s of a node behind the launcher, with `--tables`: each joins the others before its process starts.

use std::path::PathBuf;
use std::time::SystemTime;

use mpit_job::launcher::{self, world_of_child};
use mpit_job::members::Membership;
use mpit_job::{slurm, time};

use crate::print;
use crate::run::plan::output::Target;

/// The part of a job behind its launcher: the process of this `mpit run`, among those of the node.
#[derive(Debug)]
pub(crate) struct OneOfNode {
    pub(crate) membership: Membership,
    pub(crate) stem: PathBuf,
    pub(crate) shown: String,
    pub(crate) world: String,
    /// The nodes of the Slurm step. The part of each node names all, so that a report names the node of rank 0 as well if that is lost.
    pub(crate) step_nodes: Option<String>,
}

impl OneOfNode {
    /// Joins the others, before the process starts. If that fails, the records stay in files.
    pub(crate) fn join(target: &Target) -> Option<Self> {
        let joined = Self::try_join(target);
        joined.inspect_err(|why| print(&format!("--tables: the records stay in files: {why}"))).ok()
    }

    fn try_join(target: &Target) -> Result<Self, String> {
        let rank = launcher::rank().ok_or("this launcher does not number its processes")?;
        let world = world_of_child().ok_or("this launcher does not name its jobs")?;
        let text = format!("{rank} {}", time::text(SystemTime::now()));
        let membership =
            Membership::join((&target.stem, &world), &text).map_err(|error| error.to_string())?;
        // Found while the parent processes run, by which launchers are known.
        let step_nodes = slurm::nodes_of_world();
        Ok(Self { membership, stem: (&target.stem).into(), shown: target.shown.clone(), world, step_nodes })
    }
}
