//! Host lifecycle: the initialization and finalization of MPI.
//!
//! A host calls [`initialized`] when MPI is initialized, [`crate::comms::created`] for each communicator,
//! [`finalizing`] before MPI is finalized, and [`finalized`] afterwards. The host also states once that several threads may report at once
//! ([`mpit::internal::host::threads::set_concurrent`]).

pub use mpit_frameworks::World;
use mpit_monitoring::RUNTIME;

/// Opens the selected components: MPI is initialized. Only the first call has an effect.
pub fn initialized(world: World) {
    RUNTIME.initialized(world);
}

/// Closes the components, which write their output: MPI is about to be finalized. Errors go to standard error, one line
/// each. Only the first call after [`initialized`] has an effect.
pub fn finalizing() {
    RUNTIME.finalizing();
}

/// Closes the file with the records of this process, if it has one: MPI is finalized.
pub fn finalized() {
    mpit_monitoring::store::close();
}

/// Returns the rank of this process and the size of the world; `None` before [`initialized`].
#[must_use]
pub fn world() -> Option<World> {
    RUNTIME.world()
}
