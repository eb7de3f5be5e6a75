//! The frameworks that observe the traffic of an MPI library, and the components that record it, for hosts.
//!
//! A *host* moves the bytes: a real MPI library observed through the preload library, an implementation that embeds this
//! crate, or `mpit-local`, a small host for examples and tests. The host announces that MPI is initialized ([`host`]),
//! registers its communicators ([`comms`]), and reports each operation to one of three *frameworks*, as in Open MPI: [`pml`]
//! (point to point), [`osc`] (one-sided) and [`coll`] (collectives). A framework notifies its *components*, of which several
//! can be open at once. The control variables `pml_components`, `osc_components` and `coll_components` select them. Tools can
//! also register callbacks for the events of each framework and for those of [`events`].
//!
//! # API boundary
//!
//! This crate has no code but functions for the one runtime of the process, which `mpit-frameworks` implements and
//! `mpit-monitoring` observes. Hosts report traffic through [`comms`], [`windows`], [`pml`], [`osc`], [`coll`] and [`calls`].
//! `mpit-format` defines the files, which `mpit` (the command) and `mpit-report` read. A third-party component does not
//! need this crate: the traits are in [`mod@mpit::component`].
//!
//! # Invariants
//!
//! * Recording takes no lock and allocates nothing, except for the first operation with a process.
//! * No lock is held while a component or a host runs.
//! * This crate and those below it contain no unsafe code and no C.

#![forbid(unsafe_code)]

pub mod coll;
pub mod comms;
pub mod control;
pub mod host;
pub mod osc;
pub mod pml;
pub mod windows;

pub use mpit_format::profile as prof;
pub use mpit_frameworks::{Lifecycle, Subscription, calls, diagnostics, events};
pub use mpit_monitoring::{output, record};

/// The beginnings of the names of files, according to the settings.
pub mod monitoring {
    pub use mpit_monitoring::settings::{named_stem, records_whole_run};
}

/// The state of this process for programs that look into it while it runs.
pub mod live {
    pub use mpit_monitoring::live::*;
}

/// The time of this process in MPI, by call and communicator.
pub mod times {
    pub use mpit_format::times::{Moment, machine};
    pub use mpit_monitoring::times::*;
}

/// Collection of all processes' output at one process at the end of the run.
pub mod gather {
    pub use mpit_format::container::{Text, write as write_container};
    pub use mpit_monitoring::gather::{
        Channel, MonitoringGather, TimeLimits, Transport, World, is_wanted, register_transport,
    };
}

/// Facts about the job of this process.
pub mod about {
    pub use mpit_monitoring::about::describe;
}

/// The values that the user requests by name.
pub mod values {
    pub use mpit_format::values::{EVENT, MAX_ELEMENTS, ValueKind, ValueRow, matches};
    pub use mpit_monitoring::values::{patterns, record};
}

/// The run of this process, and its launcher.
pub mod run {
    pub use mpit_job::identity::set_spawned;
    pub use mpit_job::launcher::of_variables as launcher;
}

/// Reading of files that may be anything.
pub mod files {
    pub use mpit_format::files::{MAX_PROCESS_BYTES, read, read_text};
}

/// Storage of the records, and the files that it leaves.
pub mod store {
    pub use mpit_format::store::current;
    pub use mpit_format::store::{
        Failure, Malformed, Outcome, Recovered, StoreFile, Unreadable, identity_of, is_store, read,
    };
    pub use mpit_monitoring::settings::{stem_of_files as files_at, stem_of_stores as wanted_at};
    pub use mpit_monitoring::store::Store;
}
