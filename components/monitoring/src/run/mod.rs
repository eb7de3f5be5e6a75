//! The identity of a run, which connects the files that belong together.
//!
//! A *run* is started by one `mpit run`. It has one or more *worlds*: the steps of a job script, and the processes that
//! `MPI_Comm_spawn` starts. The first line of each file names its run and world. The files of the second and later worlds
//! have names of their own, `STEM.w2.<rank>.prof`.
//!
//! All processes agree without messages: on the run by the environment, on the world by the launcher's name for it
//! (`launcher`), on the numbers of worlds by names in the directory of the files (`claim`).

mod claim;
pub mod job;
mod launcher;
pub mod slurm;
pub mod template;
mod time;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::SystemTime;

use mpit::internal::environment;
use mpit_frameworks::World;
use mpit_frameworks::diagnostics::warn;

pub(crate) use claim::MARKS;
pub use claim::remove_traces;
pub use launcher::world_of_child;
pub use mpit_format::identity::{Identity, UNNAMED};
pub use mpit_format::names::{self, stem_of};
pub use time::{compact as compact_time, text as time_text};

/// The environment variable in which `mpit run` passes the name of the run.
pub const RUN: &str = "MPIT_RUN";

/// The environment variable in which an `mpit run` behind a launcher passes the name of the job. Those of the other ranks pass the same.
pub const JOB: &str = "MPIT_JOB";

#[derive(Debug)]
struct RunIdentity {
    identity: Option<Identity>,
    /// The number of the world in the run, from 1.
    number: u32,
    /// The time at which the process initialized MPI.
    began: SystemTime,
}

static RUN_IDENTITY: OnceLock<RunIdentity> = OnceLock::new();

static SPAWNED: AtomicBool = AtomicBool::new(false);

/// Records that this process was started by `MPI_Comm_spawn`. The host calls it before MPI is initialized.
pub fn set_spawned() {
    SPAWNED.store(true, Relaxed);
}

/// Determines the run and world of this process. `stem` is the beginning of the names of its files, if it writes any.
pub(crate) fn determine(world: World, stem: Option<&Path>) {
    RUN_IDENTITY.get_or_init(|| {
        let (began, spawned, run) = (SystemTime::now(), SPAWNED.load(Relaxed), of_environment());
        let found = launcher::world(world.size, spawned);
        let number = match (&run, &found, stem) {
            (Some(run), Some(found), Some(stem)) => claim::number(stem, run, &found.key).unwrap_or_else(|error| {
                if world.rank == 0 {
                    warn(format_args!(
                        "cannot create a file beside {}: {error}; a second step or spawned world of this run may \
                         overwrite its files",
                        stem.display()
                    ));
                }
                found.number(spawned)
            }),
            (_, Some(found), _) => found.number(spawned),
            (Some(run), None, Some(stem)) => {
                claim::number_of_unnamed(stem, run, world).unwrap_or(1 + u32::from(spawned))
            }
            _ => 1 + u32::from(spawned),
        };
        let identity = found.map(|found| Identity {
            run: run.unwrap_or_else(|| UNNAMED.into()),
            world: found.key,
            size: world.size,
            began: time::text(began),
            host: host(),
        });
        RunIdentity { identity, number, began }
    });
}

/// Returns the name of this machine; empty if it is not known, or is no field of a line.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    Some(name.trim()).filter(|name| !name.contains(char::is_control)).unwrap_or_default().to_owned()
}

pub(crate) fn of_process() -> Option<&'static Identity> {
    RUN_IDENTITY.get()?.identity.as_ref()
}

/// Returns true if a file with this identity is of another run than this process, both started by `mpit run`. As that locks the names of
/// files, the other run is an earlier one.
pub(crate) fn is_earlier(other: &Identity) -> bool {
    of_process().is_some_and(|own| own.is_named() && other.is_named() && own.run != other.run)
}

/// Takes the right to replace a file of an earlier run, for the world of a number. Returns false if another world of this run has it.
pub(crate) fn claim_name(stem: &Path, number: u32) -> bool {
    of_process().is_some_and(|own| own.is_named() && claim::name(stem, &own.run, number))
}

pub(crate) fn began() -> Option<SystemTime> {
    RUN_IDENTITY.get().map(|run| run.began)
}

/// Returns the number of the world among those with files of these names in the job called `name`.
pub(crate) fn number_in(stem: &Path, name: &str, world: World) -> u32 {
    let claimed = match of_process() {
        Some(identity) => claim::number(stem, name, &identity.world),
        None => claim::number_of_unnamed(stem, name, world),
    };
    claimed.unwrap_or_else(|_| number())
}

pub(crate) fn number() -> u32 {
    RUN_IDENTITY.get().map_or(1, |run| run.number)
}

/// Returns the name of the run from the environment; `None` without an `mpit run` in front of the launcher.
pub fn of_environment() -> Option<String> {
    named_by(RUN)
}

/// Returns the name of the job from the environment: that of the run, or the one that an `mpit run` behind the launcher gave. `None` without
/// `mpit run`.
pub fn job_of_environment() -> Option<String> {
    of_environment().or_else(|| named_by(JOB))
}

/// Returns the name in a variable. It becomes part of file names, so it has letters, digits and `-` only.
fn named_by(variable: &str) -> Option<String> {
    let name = environment::var(variable)?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !name.is_empty() && name.len() <= 100 && name.bytes().all(allowed) { Some(name) } else { None }
}
