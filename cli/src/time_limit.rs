//! The end of a process after a time limit.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The time between looks at a process.
const PAUSE: Duration = Duration::from_millis(2);

/// Waits for a process until the limit or an interruption. Requests its end then, and kills it if it has not ended `grace` later than the
/// limit. Returns `None` if it was not left to end by itself.
pub(crate) fn wait(
    mut child: Child,
    limit: Duration,
    grace: Duration,
    is_interrupted: impl Fn() -> bool,
) -> io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    let mut is_signaled = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if is_signaled { None } else { Some(status) });
        }
        let now = Instant::now();
        if !is_signaled && (now >= end || is_interrupted()) {
            // A launcher then ends its processes.
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            is_signaled = true;
        }
        if now >= end + grace {
            child.kill()?;
        }
        thread::sleep(PAUSE);
    }
}
