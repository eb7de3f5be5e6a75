//! The identity of this process on its machine. Its number alone is none: processes in PID namespaces of their own, as in containers, have
//! equal ones, and the system gives a number again.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::process;

#[cfg(feature = "store")]
use crate::lock;
use crate::os::files;

/// The index of the time of the start among the fields of `/proc/PID/stat` behind the name of the program.
const START: usize = 19;

/// Returns the time at which a process started, in ticks since the start of the machine. `status` is the text of its file `stat`.
fn start_in(status: &str) -> Option<u64> {
    // The fields begin behind the program's name, which may contain blanks and parentheses.
    status.rsplit_once(')')?.1.split_whitespace().nth(START)?.parse().ok()
}

/// Returns the time at which this process started, in ticks since the start of the machine.
#[must_use]
pub fn start() -> Option<u64> {
    start_in(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Returns the time at which a process with a number started; `None` if it cannot be seen.
#[must_use]
pub fn start_of(process: u32) -> Option<u64> {
    start_in(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Returns true if a process, with its number in this PID namespace, is known to be in another process group than this one. A group may be
/// outside of the namespace; then its number is 0, which other interfaces take for no number at all.
#[must_use]
pub fn is_in_other_group(process: i32) -> bool {
    // SAFETY: the function takes any number.
    let its = unsafe { libc::getpgid(process) };
    // SAFETY: the function has no arguments.
    let own = unsafe { libc::getpgrp() };
    its >= 0 && its != own
}

/// Returns the PID namespace of this process, which is 0 if it is not known. The system uses the number again once all processes of the
/// namespace have ended.
#[must_use]
pub fn namespace() -> u64 {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let number = |text: &str| text.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok();
    link.to_str().and_then(number).unwrap_or_default()
}

/// Returns the parent of this process as `/proc` numbers it: in a PID namespace of its own, a process sees no parent, but its `/proc` may
/// still be that of the machine.
#[must_use]
pub fn parent() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// Returns the number outside of this process's user namespace for the user whose rights it has. A container may show it another number.
#[must_use]
pub fn user() -> u32 {
    let user = files::user();
    outside(user, &fs::read_to_string("/proc/self/uid_map").unwrap_or_default()).unwrap_or(user)
}

/// Returns the number outside by lines of the first number inside, the first number outside, and the length of the range.
fn outside(user: u32, map: &str) -> Option<u32> {
    map.lines().find_map(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u32>);
        let mut next = || numbers.next()?.ok();
        let (inside, outside, len) = (next()?, next()?, next()?);
        let offset = user.checked_sub(inside).filter(|offset| *offset < len)?;
        outside.checked_add(offset)
    })
}

/// Returns a name that no other process of the machine has: number, namespace and start.
#[must_use]
pub fn name() -> String {
    format!("{}-{:x}-{:x}", process::id(), namespace(), start().unwrap_or_default())
}

/// Returns random bits, different in each call.
#[must_use]
pub fn random_bits() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The process that created something under a lock of this crate, which its forked children see as well. In a PID namespace of its own, a
/// child may have the number of its parent.
#[cfg(feature = "store")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Creator {
    number: u32,
    forks: u32,
}

#[cfg(feature = "store")]
impl Creator {
    pub(crate) fn this() -> Self {
        Self { number: process::id(), forks: lock::forks() }
    }

    /// Returns true in the process itself. A child that was not made by a function of the C library has another number.
    pub(crate) fn is_this(self) -> bool {
        self.number == process::id() && self.forks == lock::forks()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process;

    #[cfg(feature = "store")]
    use super::Creator;
    use super::{
        is_in_other_group, name, namespace, outside, parent, random_bits, start, start_in, start_of,
    };

    #[test]
    #[cfg_attr(any(miri, not(target_os = "linux")), ignore = "reads /proc")]
    fn processes_have_names_of_their_own() {
        assert!(start().is_some());
        assert_eq!(start_of(process::id()), start());
        assert_ne!(start_of(parent().unwrap()), None);
        assert_eq!(name(), name());
        assert!(name().starts_with(&format!("{}-{:x}-", process::id(), namespace())) && namespace() != 0);
        let text = "12 (a) R (b) T 1 12 12 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 1 0 4242 1000 100";
        assert_eq!(start_in(text), Some(4242));
    }

    #[test]
    #[cfg(feature = "store")]
    fn children_with_equal_numbers_are_others() {
        let this = Creator::this();
        assert!(this.is_this() && !Creator { number: this.number + 1, ..this }.is_this());
        // In a child that was forked, whatever its number.
        assert!(!Creator { forks: this.forks + 1, ..this }.is_this());
    }

    #[test]
    fn users_of_containers_are_those_outside() {
        let map = "         0       1000          1\n         1     100000      65536\n";
        let of = |user| outside(user, map);
        assert_eq!([0, 1, 65536, 65537].map(of), [Some(1000), Some(100_000), Some(165_535), None]);
        assert_eq!(outside(7, "0 0 4294967295\n"), Some(7));
        assert_eq!(outside(7, ""), None);
    }

    #[test]
    #[cfg_attr(any(miri, not(target_os = "linux")), ignore = "starts processes")]
    fn process_groups_are_compared() {
        let start = |group: Option<i32>| {
            let mut command = process::Command::new("sleep");
            command.arg("60");
            if let Some(group) = group {
                command.process_group(group);
            }
            command.spawn().unwrap()
        };
        for (group, is_other) in [(None, false), (Some(0), true)] {
            let mut child = start(group);
            assert_eq!(is_in_other_group(child.id().cast_signed()), is_other);
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(!is_in_other_group(i32::MAX));
    }

    #[test]
    fn random_bits_differ() {
        assert_ne!(random_bits(), random_bits());
    }
}
