//! Locks that limit the programs that tests compile and run at a time.
//!
//! A job of some ranks mostly starts, sleeps and ends, so several of them use the processors better than one. With many, jobs would be so
//! slow that tests fail by their time limit rather than by a wrong result.

use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::time::{Duration, Instant};
use std::{num::NonZero, thread};

use crate::{Context, Outcome, paths};

/// The time between two attempts to get a part.
const RETRY: Duration = Duration::from_millis(3);

/// A part of the machine, or the whole one; released when dropped. Excludes other processes as well.
#[derive(Debug)]
pub struct MachineLock(#[expect(dead_code, reason = "the locks go with the files")] Vec<File>);

thread_local! {
    static WAITED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Returns the time that this thread has waited for locks.
pub(crate) fn waited() -> Duration {
    WAITED.get()
}

/// Waits until a program can be compiled or run beside others.
pub fn part() -> Outcome<MachineLock> {
    lock(1)
}

/// Waits until two programs can run beside others.
pub fn two_parts() -> Outcome<MachineLock> {
    lock(parts().min(2))
}

/// Waits until nothing else is compiled or run: for programs whose times are compared.
pub fn whole() -> Outcome<MachineLock> {
    lock(parts())
}

/// Returns the number of jobs at a time. As many as there are processors use three quarters of these.
fn parts() -> usize {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    processors + processors / 2
}

fn lock(wanted: usize) -> Outcome<MachineLock> {
    let begin = Instant::now();
    let dir = paths::hosts().join("locks");
    fs::create_dir_all(&dir).context(dir.display())?;
    let open = |name: String| {
        let path = dir.join(name);
        File::create(&path).context(path.display())
    };
    // One at a time collects parts, so that small jobs do not keep the whole machine from another one.
    let queue = open("queue".into())?;
    queue.lock().context("queue")?;
    let mut free: Vec<File> = (0..parts()).map(|part| open(part.to_string())).collect::<Outcome<_>>()?;
    let mut taken = Vec::new();
    while taken.len() < wanted {
        let mut at = 0;
        while at < free.len() && taken.len() < wanted {
            match free[at].try_lock() {
                Ok(()) => taken.push(free.swap_remove(at)),
                Err(TryLockError::WouldBlock) => at += 1,
                Err(TryLockError::Error(error)) => return Err(error).context(dir.display()),
            }
        }
        if taken.len() < wanted {
            thread::sleep(RETRY);
        }
    }
    add_wait(begin);
    Ok(MachineLock(taken))
}

/// Adds the time since `begin` to that which this thread has waited.
pub(crate) fn add_wait(begin: Instant) {
    WAITED.set(WAITED.get() + begin.elapsed());
}

/// Waits until no other thread or process makes the files in a directory. Precedes the lock of the machine.
pub(crate) fn directory(dir: &std::path::Path) -> Outcome<File> {
    let begin = Instant::now();
    let path = dir.join("lock");
    let file = File::create(&path).context(path.display())?;
    file.lock().context(path.display())?;
    add_wait(begin);
    Ok(file)
}
