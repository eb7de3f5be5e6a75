//! The runtime of this process, which is observed by the monitoring components.

use mpit_frameworks::Runtime;

/// The observer of the runtime; `observer` has its functions.
#[derive(Debug)]
pub(crate) struct Recorder;

/// The one runtime of this process: its components, settings and variables belong to the process, as those of MPI do.
pub static RUNTIME: Runtime = Runtime::new(&Recorder);
