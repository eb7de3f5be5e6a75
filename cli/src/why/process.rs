//! The state of a process, from the `/proc` file system.

use std::fs;
use std::path::Path;

use mpit_components::store::StoreFile;
use mpit_components::store::current::Current;
use rustix::param::clock_ticks_per_second;
use syscalls::Sysno;

use super::snapshot::{Process, ProcessState};

/// The index of the state among the fields of `/proc/PID/stat` behind the name of the program.
const STATE: usize = 0;

/// The index of the kernel's flags.
const FLAGS: usize = 6;

/// The index of the time in user mode.
const USER_TIME: usize = 11;

/// The index of the time in kernel mode.
const SYSTEM_TIME: usize = 12;

/// The index of the time at which the process started.
const START: usize = 19;

/// The flag of the kernel for a thread that ends.
const EXITING: u64 = 4;

/// Returns the state of a process. `start` is the time of its start (0 if it is not known): another process may have its number now.
pub(super) fn observe(pid: u32, start: u64) -> Process {
    let gone = Process { state: ProcessState::Gone, ..Process::default() };
    let Ok(text) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return gone };
    let Some(observed) = Stat::parse(&text) else { return gone };
    if start != 0 && observed.start != start {
        return gone;
    }
    let state = match observed.state {
        // The main thread may end before the others.
        _ if observed.is_ending && has_running_threads(pid) => ProcessState::Running,
        _ if observed.is_ending => return gone,
        b'T' | b't' => ProcessState::Stopped,
        b'R' => ProcessState::Running,
        _ => ProcessState::Sleeping,
    };
    Process {
        state,
        cpu_seconds: observed.ticks as f64 / clock_ticks_per_second() as f64,
        system_call: if state == ProcessState::Sleeping { system_call(pid) } else { None },
    }
}

/// Returns the state of the process of a store. One that this process does not see, in a container beside its own, runs as long as it uses the
/// store.
pub(super) fn observe_store(current: &Current, path: &Path, is_seen: bool) -> Process {
    if is_seen {
        return observe(current.pid, current.start);
    }
    let is_in_use = StoreFile::at(path).is_some_and(|store| store.is_in_use());
    let state = if is_in_use { ProcessState::Running } else { ProcessState::Gone };
    Process { state, ..Process::default() }
}

fn has_running_threads(pid: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    threads.flatten().any(|thread| {
        let text = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        Stat::parse(&text).is_some_and(|thread| !thread.is_ending)
    })
}

/// Returns the number of voluntary and other context switches of a thread; 0 where the system has no counts of it.
pub(super) fn context_switches(pid: u32, thread: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/task/{thread}/status")).unwrap_or_default();
    switches_of(&status)
}

fn switches_of(status: &str) -> u64 {
    let numbers = status.lines().filter_map(|line| line.split_once("voluntary_ctxt_switches:"));
    numbers.filter_map(|(_, number)| number.trim().parse::<u64>().ok()).sum()
}

/// Returns true if a thread of a process exists.
pub(super) fn has_thread(pid: u32, thread: u32) -> bool {
    fs::exists(format!("/proc/{pid}/task/{thread}")).unwrap_or(true)
}

struct Stat {
    state: u8,
    /// True for a thread that has ended, or frees its memory and closes its files, which launchers notice before its end.
    is_ending: bool,
    ticks: u64,
    start: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        // The name of the program may contain spaces and parentheses.
        let (_, rest) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let state = *fields.get(STATE)?.as_bytes().first()?;
        Some(Self {
            state,
            is_ending: matches!(state, b'Z' | b'X' | b'x') || number(FLAGS)? & EXITING != 0,
            ticks: number(USER_TIME)? + number(SYSTEM_TIME)?,
            start: number(START)?,
        })
    }
}

/// Returns the name of the system call that a process is in, or of the place in the kernel.
fn system_call(pid: u32) -> Option<String> {
    let number = fs::read_to_string(format!("/proc/{pid}/syscall")).ok();
    let number = number.as_deref().and_then(|text| text.split(' ').next()?.parse().ok());
    if let Some(call) = number.and_then(Sysno::new) {
        return Some(call.name().into());
    }
    let place = fs::read_to_string(format!("/proc/{pid}/wchan")).ok()?;
    let place = place.trim();
    if place.is_empty() || place == "0" { None } else { Some(place.to_owned()) }
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::{Stat, context_switches, observe, switches_of};
    use crate::why::snapshot::ProcessState;

    #[test]
    fn names_of_programs_may_contain_anything() {
        let text = "12 (a) R (b) T 1 12 12 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 1 0 4242 1000 100";
        let stat = Stat::parse(text).unwrap();
        assert_eq!((stat.state, stat.ticks, stat.start), (b'T', 12, 4242));
        assert!(!stat.is_ending);
        assert!(Stat::parse(&text.replace("4194304", "4194308")).unwrap().is_ending);
    }

    #[test]
    fn reused_numbers_are_other_processes() {
        let own = process::id();
        assert_ne!(observe(own, 0).state, ProcessState::Gone);
        assert_eq!(observe(own, 1).state, ProcessState::Gone);
    }

    #[test]
    fn switches_of_both_kinds_are_added() {
        let status = "Name:\thangs\nvoluntary_ctxt_switches:\t40\nnonvoluntary_ctxt_switches:\t2\n";
        assert_eq!((switches_of(status), switches_of("")), (42, 0));
        // The main thread waits for this test.
        assert!(context_switches(process::id(), process::id()) > 0);
    }
}
