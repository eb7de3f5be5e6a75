//! The directory of a job whose `mpit run`s are behind the launcher, one for each rank.
//!
//! Its name is a hash of the launcher's name of the world. The last `mpit run` of a node prints the summary, and removes the directory.

use crate::directory::OwnedJob;
use crate::members::Membership;

/// This `mpit run`, among those of the node.
#[derive(Debug)]
pub struct SharedJob {
    job: OwnedJob,
    membership: Membership,
}

impl SharedJob {
    /// Joins the others, before the command starts. The command also runs without.
    #[must_use]
    pub fn join(name: &str) -> Option<Self> {
        let membership = Membership::join(name, "").ok()?;
        Some(Self { job: OwnedJob::share(name).ok()?, membership })
    }

    /// Returns the directory of the job.
    #[must_use]
    pub fn job(&self) -> &OwnedJob {
        &self.job
    }

    /// Leaves the others. The last one gets the directory.
    #[must_use]
    pub fn leave(self) -> Option<OwnedJob> {
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
