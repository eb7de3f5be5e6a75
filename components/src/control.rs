//! Control of recording by the program: `MPI_Pcontrol`.

use mpit_monitoring::RUNTIME;

/// Handles a call of `MPI_Pcontrol`.
///
/// | level | effect |
/// |---|---|
/// | 0 | recording stops: later operations are in no variable and no file, although handles stay started and keep their values |
/// | 1 | recording resumes |
/// | 2 | the data recorded since the last time is written to the next numbered file, or all data so far to a stream, if `pml_monitoring_enable` and `pml_monitoring_enable_output` request it |
/// | others | none here; the preload library makes them regions of the program |
///
/// The level applies to all monitoring components and to the variables of [`calls`](crate::calls), but not to events.
/// Third-party components are notified of every level.
pub fn pcontrol(level: i32) {
    RUNTIME.pcontrol(level);
}
