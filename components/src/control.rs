//! What a program says to those who watch it.

use crate::{calls, host, monitoring};

/// The program called `MPI_Pcontrol`:
///
/// | level | |
/// |---|---|
/// | 0 | recording stops: what the program does from now on is in no variable and no file, although handles stay started and keep their values |
/// | 1 | recording goes on, as at the start of a program |
/// | 2 | what was recorded since the last time is written to the next numbered file, or all so far to a stream, if `pml_monitoring_enable` and `pml_monitoring_enable_output` ask for that |
/// | others | nothing |
///
/// All of the monitoring components and the variables of [`calls`] obey, events do not. Components of others are notified of the
/// level, whatever it is.
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
