//! Control of recording by the program: `MPI_Pcontrol`.

use crate::{calls, host, monitoring};

/// Handles a call of `MPI_Pcontrol`.
///
/// | level | effect |
/// |---|---|
/// | 0 | recording stops: later operations are in no variable and no file, although handles stay started and keep their values |
/// | 1 | recording resumes |
/// | 2 | the data recorded since the last time is written to the next numbered file, or all data so far to a stream, if `pml_monitoring_enable` and `pml_monitoring_enable_output` ask for that |
/// | others | none |
///
/// The level applies to all monitoring components and to the variables of [`calls`], but not to events. Third-party
/// components are notified of every level.
pub fn pcontrol(level: i32) {
    for framework in host::frameworks() {
        framework.pcontrol(level);
    }
    match level {
        0 => {
            monitoring::pause();
            calls::pause();
        }
        1 => {
            monitoring::resume();
            calls::resume();
        }
        2 => monitoring::write_now(),
        _ => {}
    }
}
