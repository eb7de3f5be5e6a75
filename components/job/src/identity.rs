//! The run and world of this process, which connect the files that belong together.
//!
//! The first line of each file names them. The files of the second and later worlds have names of their own,
//! `STEM.w2.<rank>.prof`.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::SystemTime;

use mpit_format::identity::{Identity, UNNAMED};

use crate::node::this_node;
use crate::{claim, launcher, name, time};

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

/// Determines the run and world of this process, by its rank in the world and the world's size. `stem` is the beginning of the names of
/// its files, if it writes any; `create` creates their directory. Returns an error if the number of the world is not certain.
pub fn determine(
    rank: u32,
    size: u32,
    stem: Option<&Path>,
    create: fn(&Path) -> io::Result<()>,
) -> Option<io::Error> {
    let mut uncertain = None;
    RUN_IDENTITY.get_or_init(|| {
        let (began, spawned, run) = (SystemTime::now(), SPAWNED.load(Relaxed), name::of_environment());
        let found = launcher::world(size, spawned);
        let number = match (&run, &found, stem) {
            (Some(run), Some(found), Some(stem)) => {
                let number = create(stem).and_then(|()| claim::number(stem, run, &found.key));
                number.unwrap_or_else(|error| {
                    uncertain = Some(error);
                    found.number(spawned)
                })
            }
            (_, Some(found), _) => found.number(spawned),
            (Some(run), None, Some(stem)) => create(stem)
                .and_then(|()| claim::number_of_unnamed(stem, run, rank, size))
                .unwrap_or(1 + u32::from(spawned)),
            _ => 1 + u32::from(spawned),
        };
        let identity = found.map(|found| Identity {
            run: run.unwrap_or_else(|| UNNAMED.into()),
            world: found.key,
            size,
            began: time::text(began),
            host: host(),
        });
        RunIdentity { identity, number, began }
    });
    uncertain
}

/// Returns the name of this machine; empty if it is not known, or is no field of a line.
fn host() -> String {
    Some(this_node()).filter(|name| !name.contains(char::is_control)).unwrap_or_default()
}

/// Returns the identity of this process; `None` before MPI is initialized, and without a name of its world.
pub fn of_process() -> Option<&'static Identity> {
    RUN_IDENTITY.get()?.identity.as_ref()
}

/// Returns true if a file with this identity is of another run than this process, both started by `mpit run`. As that locks the names of
/// files, the other run is an earlier one.
#[must_use]
pub fn is_earlier(other: &Identity) -> bool {
    of_process().is_some_and(|own| own.is_named() && other.is_named() && own.run != other.run)
}

/// Takes the right to replace a file of an earlier run, for the world of a number. Returns false if another world of this run has it.
pub fn claim_name(stem: &Path, number: u32) -> bool {
    of_process().is_some_and(|own| own.is_named() && claim::name(stem, &own.run, number))
}

/// Returns the time at which this process initialized MPI.
#[must_use]
pub fn began() -> Option<SystemTime> {
    RUN_IDENTITY.get().map(|run| run.began)
}

/// Returns the number of the world among those with files of these names in the job called `name`. The directory of the files exists.
#[must_use]
pub fn number_in(stem: &Path, name: &str, rank: u32, size: u32) -> u32 {
    let claimed = match of_process() {
        Some(identity) => claim::number(stem, name, &identity.world),
        None => claim::number_of_unnamed(stem, name, rank, size),
    };
    claimed.unwrap_or_else(|_| number())
}

/// Returns the number of the world in the run, from 1.
#[must_use]
pub fn number() -> u32 {
    RUN_IDENTITY.get().map_or(1, |run| run.number)
}
