//! Launchers of MPI programs.
//!
//! [`LAUNCHERS`] is the one table; an entry is all that a new launcher needs. It is recognized by a command line, by the MPI library of a
//! run, or by the variables of a process.

mod by_command;
mod by_variables;
mod table;
#[cfg(feature = "process")]
mod world;

pub use by_command::{is_launcher, of_command, of_run};
#[cfg(feature = "process")]
pub use by_variables::{is_inside_a_job, rank};
pub use by_variables::{of_variables, rank_and_size, ranks};
pub use table::{LAUNCHERS, Launcher, NodeNames, Placement, PlacementFile, Propagation, Restriction};
#[cfg(feature = "process")]
pub use world::world_of_child;
#[cfg(feature = "process")]
pub(crate) use world::{is_of_srun, world};
