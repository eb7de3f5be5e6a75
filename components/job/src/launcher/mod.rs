//! Launchers of MPI programs.
//!
//! [`LAUNCHERS`] is the one table; an entry is all that a new launcher needs. It is recognized by a command line, by the MPI library of a
//! run, or by the variables of a process.

mod by_command;
mod by_variables;
mod launchers;
mod world;

pub use by_command::{is_launcher, of_command, of_run};
pub use by_variables::{is_inside_a_job, of_variables, rank, rank_and_size, ranks};
pub use launchers::{LAUNCHERS, Launcher, NodeNames, Placement, PlacementFile, Propagation, Restriction};
pub use world::world_of_child;
pub(crate) use world::{is_of_srun, world};
