//! Processes in PID namespaces of their own, as in containers: their numbers there, and those by which this process sees them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mpit::internal::os::own_process;
use mpit_components::store::current::Current;

/// A process or thread, as it sees itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OwnNumber {
    /// The PID namespace; 0 if it is not known.
    pub(crate) namespace: u64,
    /// The number in its namespace.
    pub(crate) number: u32,
}

/// Returns the number that a process has for itself.
pub(crate) fn own_number(process: u32) -> OwnNumber {
    let place = PathBuf::from(format!("/proc/{process}"));
    let namespace = fs::read_link(place.join("ns/pid")).ok();
    let number = |text: &str| text.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok();
    OwnNumber {
        namespace: namespace.and_then(|link| number(link.to_str()?)).unwrap_or_default(),
        number: innermost(&place).unwrap_or(process),
    }
}

/// Returns the number in the innermost PID namespace of the process or thread in a directory of `/proc`.
fn innermost(place: &Path) -> Option<u32> {
    let status = fs::read_to_string(place.join("status")).ok()?;
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().next_back()?.parse().ok()
}

/// Replaces the numbers of a process and its threads by those by which this process sees them, if it is in another PID namespace. Returns false if
/// this process does not see it. `store` is its store.
pub(crate) fn use_outer_numbers(current: &mut Current, store: &Path) -> bool {
    if [0, own_process::namespace()].contains(&current.namespace) {
        return true;
    }
    let Some(process) = outer_number(current, store) else { return false };
    let tasks = PathBuf::from(format!("/proc/{process}/task"));
    let own = |thread: u32| Some((innermost(&tasks.join(thread.to_string()))?, thread));
    let threads: BTreeMap<u32, u32> = numbers_in(&tasks).filter_map(own).collect();
    current.pid = process;
    current.threads.retain_mut(|thread| {
        let outer = threads.get(&thread.tid);
        thread.tid = outer.copied().unwrap_or_default();
        outer.is_some()
    });
    true
}

fn outer_number(current: &Current, store: &Path) -> Option<u32> {
    // It may be a link to the file. Below the root of another process, paths cannot be resolved.
    let store = fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    let wanted = OwnNumber { namespace: current.namespace, number: current.pid };
    numbers_in(Path::new("/proc")).find(|process| {
        own_process::start_of(*process) == Some(current.start)
            && own_number(*process) == wanted
            && has_open(*process, &store)
    })
}

fn numbers_in(directory: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns true if a process has a file of this name open. The number of a namespace whose processes have ended is used again.
fn has_open(process: u32, file: &Path) -> bool {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let mut open = descriptors.filter_map(|entry| fs::read_link(entry.path()).ok());
    // In a mount namespace of its own, it may have another directory.
    open.any(|path| path.file_name() == file.file_name())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process;

    use mpit::internal::os::own_process;

    use super::{has_open, own_number};

    #[test]
    fn processes_see_themselves() {
        let own = own_number(process::id());
        assert_eq!((own.namespace, own.number), (own_process::namespace(), process::id()));
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.0.store");
        let file = File::create(&path).unwrap();
        assert!(has_open(process::id(), &path));
        drop(file);
        assert!(!has_open(process::id(), &path));
    }
}
