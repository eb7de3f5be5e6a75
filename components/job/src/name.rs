//! The names of runs and jobs, and the variables that pass them to processes.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process;
use std::time::SystemTime;

use mpit_base::internal::os::{environment, own_process};

use crate::launcher::{is_inside_a_job, world_of_child};
use crate::node::this_node;
use crate::time;

/// The environment variable in which `mpit run` passes the name of the run.
pub const RUN: &str = "MPIT_RUN";

/// The environment variable in which an `mpit run` behind a launcher passes the name of the job. Those of the other ranks pass the same.
pub const JOB: &str = "MPIT_JOB";

/// Returns the name of the run from the environment; `None` without an `mpit run` in front of the launcher.
#[must_use]
pub fn of_environment() -> Option<String> {
    named_by(RUN)
}

/// Returns the name of the job from the environment: that of the run, or the one that an `mpit run` behind the launcher gave. `None` without
/// `mpit run`.
#[must_use]
pub fn job_of_environment() -> Option<String> {
    of_environment().or_else(|| named_by(JOB))
}

/// Returns the name in a variable. It becomes part of file names, so it has letters, digits and `-` only.
fn named_by(variable: &str) -> Option<String> {
    let name = environment::var(variable)?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !name.is_empty() && name.len() <= 100 && name.bytes().all(allowed) { Some(name) } else { None }
}

/// Returns the name that this command gives to its run; `None` for a part of a job, or of another run whose files it continues.
#[must_use]
pub fn of_new_run(has_files: bool, has_own_stem: bool) -> Option<String> {
    let is_continued = of_environment().is_some() && has_files && !has_own_stem;
    if is_inside_a_job() || is_continued { None } else { Some(new_name()) }
}

fn new_name() -> String {
    let host: String = this_node().chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    // In containers, several commands may have one number, in the same second and on machines of the same name.
    let random = own_process::random_bits() & 0xffff;
    format!("{}-{host}-{}-{random:04x}", time::compact(SystemTime::now()), process::id())
}

/// Returns the name of the job that a launcher started this `mpit run` for. `None` in front of a launcher, and in a run that has a name.
#[must_use]
pub fn behind_launcher() -> Option<String> {
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
