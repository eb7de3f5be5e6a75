//! A run and its jobs, as far as they are known without their records: launcher, identity, directory, members, names.
//!
//! A *run* is started by one `mpit run`. It has one or more *worlds*: the steps of a job script, and the processes that
//! `MPI_Comm_spawn` starts. All processes agree without messages: on the run by the environment ([`name`]), on the world by the
//! launcher's name for it ([`launcher`]), on the numbers of worlds by names in the directory of the files ([`identity`]).
//!
//! | module | content |
//! |---|---|
//! | [`launcher`] | the table of launchers, and their recognition by commands, libraries and variables |
//! | [`slurm`] | the steps of Slurm, and the facts about them |
//! | [`name`] | names of runs and jobs, and the variables that pass them on |
//! | [`template`] | parts of file names that stand for facts, such as `%j` |
//! | [`identity`] | the run and world of this process |
//! | [`directory`], [`members`], [`shared`] | the directory of a job on one machine, and the `mpit run`s that share it |
//! | [`node`], [`time`], [`lock_file`] | the name of the machine, times as text, files that are locked and removed |
//!
//! # API boundary
//!
//! For monitoring, which runs in the program's processes, for the command `mpit`, and for `mpit-report`, which does without the
//! feature `process`. The lines and names of files are those of `mpit-format`.
//!
//! # Invariants
//!
//! * All that is known of a launcher is in one entry of [`launcher::LAUNCHERS`].
//! * Variables are read as [`mpit_base::internal::os::environment`] allows: a privileged process sees none.
//! * A process finds the same names as the other processes of its world, whichever comes first.

#![forbid(unsafe_code)]

#[cfg(feature = "process")]
mod claim;
#[cfg(feature = "process")]
pub mod directory;
#[cfg(feature = "process")]
pub mod identity;
#[cfg(feature = "process")]
pub mod launcher;
#[cfg(feature = "process")]
pub mod lock_file;
#[cfg(feature = "process")]
pub mod members;
#[cfg(feature = "process")]
pub mod name;
pub mod node;
#[cfg(feature = "process")]
pub mod shared;
pub mod slurm;
#[cfg(feature = "process")]
pub mod template;
pub mod time;

#[cfg(feature = "process")]
pub use claim::{MARKS, remove_traces};
pub use mpit_format::identity::{Identity, UNNAMED};
pub use mpit_format::names;
