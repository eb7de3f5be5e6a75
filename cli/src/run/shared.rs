//! The directory of a job whose `mpit run`s are behind the launcher, one for each rank.
//!
//! Its name is a hash of the launcher's name of the world. The last `mpit run` of a node prints the summary, and removes the directory.

use std::hash::{DefaultHasher, Hash, Hasher};

use mpit::internal::own_process;
use mpit_components::run::job::OwnedJob;
use mpit_components::run::{of_environment, world_of_child};

use super::files::is_inside_a_job;
use super::members::Membership;
use crate::node::this_node;

/// This `mpit run`, among those of the node.
#[derive(Debug)]
pub(super) struct SharedJob {
    job: OwnedJob,
    membership: Membership,
}

/// Returns the name of the job that a launcher started this `mpit run` for. `None` in front of a launcher, and in a run that has a name.
pub(super) fn name() -> Option<String> {
    if !is_inside_a_job() || of_environment().is_some() {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    if let Some(world) = world_of_child() {
        world.hash(&mut hasher);
    } else {
        // Most launchers start the processes of a node by one process.
        let parent = own_process::parent().unwrap_or_default();
        let start = own_process::start_of(parent);
        (this_node(), own_process::namespace(), parent, start).hash(&mut hasher);
    }
    Some(format!("behind-{:016x}", hasher.finish()))
}

impl SharedJob {
    /// Joins the others, before the command starts. The command also runs without.
    pub(super) fn join(name: &str) -> Option<Self> {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let membership = Membership::join(hasher.finish(), "").ok()?;
        Some(Self { job: OwnedJob::share(name).ok()?, membership })
    }

    pub(super) fn job(&self) -> &OwnedJob {
        &self.job
    }

    /// Leaves the others. The last one gets the directory.
    pub(super) fn leave(self) -> Option<OwnedJob> {
        let is_last = self.membership.leave().is_ok_and(|others| others.is_some());
        if is_last { Some(self.job) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::SharedJob;

    #[test]
    fn the_last_one_gets_the_directory() {
        let name = format!("test-behind-{}", process::id());
        let [one, other] = [(); 2].map(|()| SharedJob::join(&name).unwrap());
        let directory = one.job().directory().clone();
        assert_eq!(other.job().directory(), &directory);
        assert!(one.leave().is_none() && directory.is_in_use());
        other.leave().unwrap().remove().unwrap();
        assert!(!directory.path().exists());
    }
}
